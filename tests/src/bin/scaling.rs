//! How compile time grows.
//!
//! One line for each shape and target: microseconds for each size, front end excluded, the least of the runs, and how much more
//! ten times the operations cost. In front of them a line of what naga needs to read the text, and one of the rest of the front end. A refusal for size is marked `!` (its time is that of the work up to it).

use clap::Parser;
use gpucc::{Options, Target};
use gpucc_frontend_naga as naga_in;
use gpucc_tests::exec;
use gpucc_tests::scaling::SHAPES;
use std::process::ExitCode;
use std::time::Instant;

/// Measures how compile time grows.
#[derive(Parser)]
struct Args {
    /// Targets, with commas between them.
    #[arg(long, default_value = "all")]
    target: String,
    /// The level.
    #[arg(long, default_value_t = 2)]
    opt: u8,
    /// Shapes [default: all].
    #[arg(long = "shape")]
    shapes: Vec<String>,
    /// Print the time of each pass.
    #[arg(long)]
    passes: bool,
    /// Runs of which the fastest counts.
    #[arg(long, default_value_t = 1)]
    runs: u32,
    /// Sizes of the shapes.
    sizes: Vec<usize>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    gpucc_tests::heap::keep();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("scaling: {e}");
            ExitCode::from(2)
        }
    }
}

/// Microseconds of reading a text, which is naga's work, and of what is ours of the front end: the least of the runs.
fn front_end(text: &str, runs: u32) -> Result<[f64; 2], String> {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let parsed = naga_in::parse(naga_in::Input::text(text), naga_in::Lang::Wgsl).map_err(|e| format!("{e:?}"))?;
        let read = start.elapsed().as_secs_f64() * 1e6;
        naga_in::lower(&parsed, &naga_in::Options::default()).map_err(|e| format!("{e:?}"))?;
        let own = start.elapsed().as_secs_f64() * 1e6 - read;
        least = [least[0].min(read), least[1].min(own)];
    }
    Ok(least)
}

fn run(&Args { ref target, opt, ref shapes, passes, runs, ref sizes }: &Args) -> Result<(), String> {
    for shape in SHAPES.iter().filter(|s| shapes.is_empty() || shapes.iter().any(|n| n == s.name())) {
        let mut modules = Vec::new();
        let mut lines = ["naga", "frontend"].map(|part| format!("{:<14} {part:<16}", shape.name()));
        for &n in sizes {
            let text = shape.source(n);
            let [naga, own] = front_end(&text, runs)?;
            for (line, t) in lines.iter_mut().zip([naga, own]) {
                *line += &format!(" {t:>10.0}");
            }
            modules.push(exec::lower(&text, "main", &[]).map_err(|e| e.to_string())?);
        }
        lines.iter().for_each(|line| println!("{line}"));
        for target in Target::parse_list(target)? {
            let mut line = format!("{:<14} {:<16}", shape.name(), target.to_string());
            let mut before: Option<(usize, f64)> = None;
            let mut tables: Vec<Vec<(String, u64)>> = Vec::new();
            for (m, &n) in modules.iter().zip(sizes) {
                let mut o = Options::new(target).opt(opt);
                o.codegen.time_passes = passes;
                let run = || {
                    let start = Instant::now();
                    let r = gpucc::compile(m, &o);
                    (start.elapsed().as_secs_f64() * 1e6, r)
                };
                let (mut t, mut r) = run();
                for _ in 1..runs {
                    drop(r);
                    let again = run();
                    r = again.1;
                    t = t.min(again.0);
                }
                let mark = if r.is_err() { "!" } else { " " };
                line += &format!(" {t:>10.0}{mark}");
                if let Some((p, u)) = before {
                    line += &format!(" x{:<5.1}", t / u * 10.0 / (n as f64 / p as f64));
                }
                if let (Err(e), true) = (&r, passes) {
                    eprintln!("{e}");
                }
                before = Some((n, t));
                if let Ok(a) = &r
                    && passes
                {
                    let mut table: Vec<(String, u64)> = Vec::new();
                    for p in &a.outputs()[0].times {
                        match table.iter_mut().find(|t| t.0 == p.pass) {
                            Some(t) => t.1 += p.nanos,
                            None => table.push((p.pass.into(), p.nanos)),
                        }
                    }
                    let sum: u64 = table.iter().map(|t| t.1).sum();
                    table.push(("(rest)".into(), (t * 1e3) as u64 - sum));
                    tables.push(table);
                }
            }
            println!("{line}");
            if let Some(first) = tables.first() {
                for (name, _) in first {
                    let times: Vec<String> = tables
                        .iter()
                        .map(|t| t.iter().find(|x| x.0 == *name).map_or(0, |x| x.1 / 1000))
                        .map(|t| format!("{t:>10}"))
                        .collect();
                    println!("    {name:<26} {}", times.join(" "));
                }
            }
        }
    }
    Ok(())
}
