//! Instructions and cycles that machines execute for other compilers' code of the corpus (`foreign/*-programs.jsonl` of the shared folder), and for ours of
//! the same shaders on the same inputs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Target};
use gpucc_sim::{Races, RunOptions, RunReport};
use gpucc_tests::foreign::Launch;
use gpucc_tests::{exec, foreign};

use super::measure::geomean;

/// One program that both sides ran: what each executed.
struct Program {
    name: String,
    ours: RunReport,
    theirs: RunReport,
}

/// The shader and the entry point of an id such as `corpus/boids_flock:main#A`; none of those with other overrides.
fn entry(id: &str) -> Option<(&str, &str)> {
    let (file, entry) = id.strip_prefix("corpus/")?.strip_suffix("#A")?.split_once(':')?;
    (!entry.contains('/')).then_some((file, entry))
}

/// The buffers of each program, by its id. Code for Valhall has numbers of its own for them: GCN's have the shader's.
const INPUTS: &str = "gcn-gfx8-programs.jsonl";

/// Both sides of a line; none where it is no program of the corpus or its shader's buffers are not known.
fn program(corpus: &Path, inputs: &BTreeMap<String, &str>, level: u8, line: &str) -> Result<Option<Program>, String> {
    // Two of the shaders race by their own text.
    let options = RunOptions { races: Races::Off, ..RunOptions::default() };
    let (launch, theirs) = foreign::judge(line, &options).map_err(|(id, why)| format!("{id}: {why}"))?;
    let Some((file, entry)) = entry(&launch.id) else { return Ok(None) };
    let name = if entry == "main" { file.to_string() } else { format!("{file}:{entry}") };
    let target = Target::parse(&format!("{}:{}", launch.container.family, launch.container.generation))?;
    let path = corpus.join(format!("{file}.wgsl"));
    let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    // Each side does what the other does: the peers' programs for GCN zero workgroup memory, those for Valhall and Tesla do not. No side
    // keeps bounds.
    let zeroes = launch.container.family == "gcn";
    let front = FrontOptions { entry: Some(entry.into()), robust: false, zeroes, ..FrontOptions::default() };
    let loaded = frontend::load(&text, Lang::Wgsl, &front).map_err(|d| format!("{name}: {}", d[0]))?;
    let Some(input) = inputs.get(&launch.id) else { return Ok(None) };
    let mut after = Launch::read(input.as_bytes())?.dispatch;
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    let ours = exec::run(&loaded.module, entry, exec::on(target), &codegen, &mut after, &options);
    let ours = match ours {
        Ok(report) => report,
        Err(exec::Problem::Refused(..)) => return Ok(None),
        Err(e) => return Err(format!("{name} on {target}: {e}")),
    };
    foreign::hold(input, &after).map_err(|e| format!("{name} on {target}: {e}"))?;
    Ok(Some(Program { name, ours, theirs }))
}

fn ratio(p: &Program, of: fn(&RunReport) -> u64) -> f64 {
    of(&p.ours) as f64 / of(&p.theirs).max(1) as f64
}

/// A line for each program of a target: both ratios, and the cycles of each unit and what was executed by class, ours beside theirs.
fn each(o: &mut String, list: &[Program]) {
    for p in list {
        let _ = writeln!(o, "{} {:.3} ({:.3})", p.name, ratio(p, RunReport::cycles), ratio(p, |r| r.instructions));
        let _ = writeln!(o, "    cycles {:?} beside {:?}", p.ours.busy, p.theirs.busy);
        for &(class, n) in &p.ours.classes {
            let theirs = p.theirs.classes.iter().find(|c| c.0 == class).map_or(0, |c| c.1);
            let _ = writeln!(o, "    {class} {n} beside {theirs}");
        }
    }
}

/// The tables: a row for each generation, and each program in cycles. `only` is the target whose programs are listed besides.
///
/// # Errors
/// A program that does not give its results.
pub(super) fn section(o: &mut String, folder: &Path, level: u8, only: Option<&str>) -> Result<(), String> {
    let _ = write!(
        o,
        "\n## Executed, beside other compilers' code\n\nMesa's programs of the corpus and ours of the same shaders run on our machines with the same inputs, -O{level}; \
         on GCN both sides zero workgroup memory, elsewhere neither does; no side keeps bounds. Both leave the results that an independent implementation gives. Cycles are those of the busiest unit \
         (`RunReport::cycles`). Ratios are ours divided by theirs, geometric means.\n\n| target | programs | instructions | cycles | the worst in cycles |\n|---|--:|--:|--:|---|\n",
    );
    let inputs = std::fs::read_to_string(folder.join("foreign").join(INPUTS)).map_err(|e| format!("{INPUTS}: {e}"))?;
    let inputs = inputs.lines().map(|l| Ok((Launch::read(l.as_bytes())?.id, l))).collect::<Result<_, String>>()?;
    let mut files: Vec<_> = std::fs::read_dir(folder.join("foreign"))
        .map_err(|e| e.to_string())?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.to_string_lossy().ends_with("-programs.jsonl"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let mut list = Vec::new();
        for line in text.lines() {
            list.extend(program(&folder.join("corpus/compute"), &inputs, level, line)?);
        }
        let target =
            file.file_name().unwrap_or_default().to_string_lossy().replace("-programs.jsonl", "").replace('-', ":");
        list.sort_by(|a, b| ratio(b, RunReport::cycles).total_cmp(&ratio(a, RunReport::cycles)));
        let all = |of: fn(&RunReport) -> u64| geomean(&list.iter().map(|p| ratio(p, of)).collect::<Vec<_>>());
        let worst: Vec<String> = list
            .iter()
            .filter(|p| ratio(p, RunReport::cycles) > 1.0)
            .map(|p| format!("`{}` {:.2} ({:.2})", p.name, ratio(p, RunReport::cycles), ratio(p, |r| r.instructions)))
            .collect();
        let _ = writeln!(
            o,
            "| {target} | {} | {:.3} | {:.3} | {} |",
            list.len(),
            all(|r| r.instructions),
            all(RunReport::cycles),
            worst.join(", ")
        );
        if only == Some(target.as_str()) {
            each(o, &list);
        }
    }
    o.push_str("\nIn parentheses: the same program in instructions.\n");
    Ok(())
}
