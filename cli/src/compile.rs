//! `gpucc INPUT --target T -o OUT`.

use std::path::{Path, PathBuf};

use gpucc::listing::Source;
use gpucc::{Artifact, Options, Target};
use gpucc_ir::Class;

use crate::args::{Compile, Emit};
use crate::{Failure, files, input, inspect};

/// `out.bin` for one target; `out.gcn-gfx8.bin` for each of several.
fn output_path(out: &Path, target: Target, several: bool) -> PathBuf {
    if !several || out == Path::new("-") || out.exists() && !out.is_file() {
        return out.to_path_buf();
    }
    let tag = format!("{}-{}", target.family(), target.generation());
    match (out.file_stem(), out.extension()) {
        (Some(stem), Some(ext)) => {
            out.with_file_name(format!("{}.{tag}.{}", stem.to_string_lossy(), ext.to_string_lossy()))
        }
        _ => out.with_file_name(format!("{}.{tag}", out.file_name().unwrap_or_default().to_string_lossy())),
    }
}

fn rendered(artifact: &Artifact, emit: Emit, source: Source<'_>) -> Result<Vec<u8>, Failure> {
    Ok(match emit {
        Emit::Bin => artifact.bytes(),
        Emit::Raw => artifact.code(),
        Emit::Asm => artifact.listing_with(Some(source)).into_bytes(),
        Emit::Gir => artifact.outputs().iter().map(|o| o.gir.as_str()).collect::<String>().into_bytes(),
        Emit::Mir => artifact.outputs().iter().map(|o| o.mir.as_str()).collect::<String>().into_bytes(),
        Emit::Json => {
            let value = inspect::summary(artifact.container());
            format!("{value:#}\n").into_bytes()
        }
        Emit::Elf => {
            return Err(Failure::Unsupported(format!(
                "--emit elf: no ELF form is written for {} (see docs/support.md)",
                artifact.target()
            )));
        }
    })
}

fn print_stats(artifact: &Artifact, target: Target) {
    for o in artifact.outputs() {
        let list: Vec<String> = o.stats.iter().map(|(k, v)| format!("{k} {v}")).collect();
        println!("{target} {}: {}", o.entry.name, list.join(", "));
    }
}

fn print_times(artifact: &Artifact, target: Target) {
    for o in artifact.outputs() {
        let total: u64 = o.times.iter().map(|t| t.nanos).sum();
        // What all passes took away of the estimated work, and each one's share of it; passes that lower add some.
        let mut works = o.times.iter().filter_map(|t| t.work);
        let first = works.next().unwrap_or(0);
        let last = works.next_back().unwrap_or(first);
        println!(
            "{target} {}: passes and steps, {:.1} us in all; work {first} -> {last}",
            o.entry.name,
            total as f64 / 1000.0,
        );
        let mut before = first;
        for t in &o.times {
            let time = 100.0 * t.nanos as f64 / total.max(1) as f64;
            print!("  {:<20} {:>10.1} us {time:>5.1} %", t.pass, t.nanos as f64 / 1000.0);
            let Some(work) = t.work else {
                println!();
                continue;
            };
            let less = before as i64 - work as i64;
            before = work;
            let share = 100.0 * less as f64 / first.abs_diff(last).max(1) as f64;
            println!(" {:>7} changes {:>8} work {share:>7.1} % of the reduction", t.changes, -less);
        }
    }
}

/// Runs a compilation.
///
/// # Errors
/// The worst of what happened over all targets; what could be written has been written.
pub fn main(args: &Compile) -> Result<(), Failure> {
    let path = args.input.as_deref().ok_or_else(|| Failure::Usage("no input; try --help".into()))?;
    let emit = match (args.assembly, args.emit) {
        (true, None | Some(Emit::Asm)) => Emit::Asm,
        (true, Some(_)) => {
            return Err(Failure::Usage("-S is --emit asm; it cannot be combined with another --emit".into()));
        }
        (false, e) => e.unwrap_or(Emit::Bin),
    };
    let targets = input::targets(args.target.as_deref())?;
    let text = matches!(emit, Emit::Asm | Emit::Gir | Emit::Mir | Emit::Json);
    let mut dump_after = Vec::new();
    for d in &args.dump {
        let pass =
            d.strip_prefix("after:").ok_or_else(|| Failure::Usage(format!("`--dump {d}`: expected after:PASS")))?;
        dump_after.push(pass.to_string());
    }
    let silent = args.stats || args.time_passes || !args.dump.is_empty();
    if args.output.is_none() && !text && !silent {
        return Err(Failure::Usage("-o OUT is missing (or use -S to see assembly)".into()));
    }
    let shader = input::load(path, &args.front)?;
    let mut worst: Option<Class> = None;
    for &target in &targets {
        let mut options = Options::new(target);
        options.entry = args.front.entry.clone();
        options.codegen = input::codegen_options(&args.front);
        options.codegen.verify = args.verify;
        options.codegen.time_passes = args.time_passes || !args.dump.is_empty();
        options.codegen.texts = matches!(emit, Emit::Gir | Emit::Mir);
        options.codegen.dump_after = dump_after.clone();
        let artifact = match gpucc::compile(&shader.module, &options) {
            Ok(a) => a,
            Err(d) => {
                let rank = |c: Class| match c {
                    Class::Unsupported => 0,
                    Class::Invalid => 1,
                    Class::Internal => 2,
                };
                worst = Some(worst.map_or(d.class, |w| if rank(w) >= rank(d.class) { w } else { d.class }));
                shader.report.show(&[d], Some(&target.to_string()));
                continue;
            }
        };
        let mut ran: Vec<&str> = Vec::new();
        for t in artifact.outputs().iter().flat_map(|o| &o.times).filter(|t| t.work.is_some()) {
            if !ran.contains(&t.pass) {
                ran.push(t.pass);
            }
        }
        if let Some(d) = dump_after.iter().find(|d| *d != "all" && !ran.contains(&d.as_str())) {
            return Err(Failure::Usage(format!(
                "--dump after:{d}: no such pass at -O {}; there are {}",
                args.front.opt,
                ran.join(", ")
            )));
        }
        for (pass, dump) in artifact.outputs().iter().flat_map(|o| &o.dumps) {
            println!("; {target} after {pass}\n{dump}");
        }
        if let Some(out) = &args.output {
            files::write(
                &output_path(out, target, targets.len() > 1),
                &rendered(&artifact, emit, shader.report.source())?,
            )?;
        } else if text {
            files::stdout(&rendered(&artifact, emit, shader.report.source())?)?;
        }
        if args.stats {
            print_stats(&artifact, target);
        }
        if args.time_passes {
            print_times(&artifact, target);
        }
    }
    worst.map_or(Ok(()), |c| Err(Failure::Shown(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_outputs() {
        let t = Target::parse("gcn:gfx7").expect("a target");
        assert_eq!(output_path(Path::new("a/out.bin"), t, true), Path::new("a/out.gcn-gfx7.bin"));
        assert_eq!(output_path(Path::new("out"), t, true), Path::new("out.gcn-gfx7"));
        assert_eq!(output_path(Path::new("out.bin"), t, false), Path::new("out.bin"));
    }
}
