//! Runs cases in the formats `cts-cases-1` and `gfx-cases-1`; the last line is `N passed, M failed, K skipped`, and before it
//! each group of graphics cases has a line of its own. Cases that naga does not accept, known faults and refusals that `docs/support.md` predicts for the target are skipped, each with place and reason; any
//! other refusal is a failure. Before the last line stands a table of refusals by code.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gpucc::CodegenOptions;
use gpucc_ir::Stage;
use gpucc_tests::cases::{Case, CaseFile, Verdict};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::gfx;
use gpucc_tests::predict::{self, Tally};
use rayon::prelude::*;

/// Runs cases in the formats `cts-cases-1` and `gfx-cases-1`.
#[derive(Parser)]
struct Args {
    /// Where: `interp`, `passes`, `lowered`, `minimal`, or targets.
    #[arg(long, value_parser = exec::parse_on)]
    on: Places,
    /// Levels, with commas between them.
    #[arg(long, value_delimiter = ',', default_value = "2", value_parser = clap::value_parser!(u8).range(0..=3))]
    opt: Vec<u8>,
    /// The stage of draws that alone runs on machines.
    #[arg(long, value_parser = stage)]
    mixed: Option<Stage>,
    /// So many cases alone.
    #[arg(long)]
    sample: Option<usize>,
    /// A file with names of cases that are known to fail.
    #[arg(long, value_parser = names)]
    known: Vec<Names>,
    /// Cases with this text in their names alone.
    #[arg(long)]
    filter: Option<String>,
    /// The seed of the runs.
    #[arg(long, default_value_t = 0)]
    perturb: u64,
    /// Files of cases, or folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

type Places = Vec<On>;
type Names = Vec<String>;

fn stage(text: &str) -> Result<Stage, String> {
    let found = [Stage::Vertex, Stage::Fragment].into_iter().find(|s| s.name() == text);
    found.ok_or_else(|| "vertex or fragment".into())
}

fn names(path: &str) -> Result<Names, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    Ok(lines.map(String::from).collect())
}

impl Args {
    fn knows(&self, id: &String) -> bool {
        self.known.iter().any(|list| list.contains(id))
    }
}

/// Cases of both formats, each in the order of files.
#[derive(Default)]
struct Cases {
    cts: Vec<Case>,
    gfx: Vec<gpucc_scene::cases::Case>,
}

impl Cases {
    fn read(paths: &[PathBuf]) -> Result<Cases, String> {
        let mut all = Cases::default();
        for path in paths {
            for f in gfx::files(path)? {
                let text = std::fs::read(&f).map_err(|e| format!("{}: {e}", f.display()))?;
                if gfx::is_ours(&text) {
                    all.gfx.extend(gfx::read(&f)?);
                    continue;
                }
                let parsed: CaseFile = serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", f.display()))?;
                if parsed.format != "cts-cases-1" {
                    let format = parsed.format;
                    return Err(format!("{}: format `{format}` is neither cts-cases-1 nor gfx-cases-1", f.display()));
                }
                all.cts.extend(parsed.cases);
            }
        }
        Ok(all)
    }

    fn narrow(&mut self, a: &Args) {
        if let Some(text) = &a.filter {
            self.cts.retain(|c| c.id.contains(text.as_str()));
            self.gfx.retain(|c| c.id.contains(text.as_str()));
        }
        // Every n-th case, so that a sample touches every family.
        let step = |len: usize| a.sample.map_or(1, |k| len.div_ceil(k.max(1)).max(1));
        let cts = step(self.cts.len());
        self.cts = std::mem::take(&mut self.cts).into_iter().step_by(cts).collect();
        let gfx = step(self.gfx.len());
        self.gfx = std::mem::take(&mut self.gfx).into_iter().step_by(gfx).collect();
    }
}

/// The outcome of a case in one place at one level.
struct Row<'a> {
    id: &'a str,
    /// Of graphics cases.
    group: Option<&'a str>,
    on: On,
    opt: u8,
    verdict: Result<Verdict, &'static str>,
}

fn compute_rows<'a>(a: &Args, cases: &'a [Case]) -> Vec<Row<'a>> {
    let mut jobs = Vec::new();
    for &on in &a.on {
        for &opt in &a.opt {
            jobs.extend(cases.iter().map(|c| (c, on, opt)));
        }
    }
    let judge = |case: &Case, on: On, opt: u8| {
        if a.knows(&case.id) {
            return Err("known fault");
        }
        if !case.naga_ok {
            return Err("naga does not accept it");
        }
        Ok(case.judge(on, &CodegenOptions { opt_level: opt, ..CodegenOptions::default() }, Some(a.perturb)))
    };
    jobs.into_par_iter()
        .map(|(case, on, opt)| Row { id: &case.id, group: None, on, opt, verdict: judge(case, on, opt) })
        .collect()
}

fn gfx_rows<'a>(a: &Args, cases: &'a [gpucc_scene::cases::Case]) -> Vec<Row<'a>> {
    let mut jobs = Vec::new();
    for &on in &a.on {
        jobs.extend(a.opt.iter().map(|&opt| (on, opt)));
    }
    let place = |on, opt| match a.mixed {
        Some(stage) => gfx::mixed(gfx::place(on, opt), stage),
        None => gfx::place(on, opt),
    };
    let places: Vec<_> = jobs.iter().map(|&(on, opt)| place(on, opt)).collect();
    let of = |case: &'a gpucc_scene::cases::Case| -> Vec<Row<'a>> {
        let verdicts = if a.knows(&case.id) {
            jobs.iter().map(|_| Err("known fault")).collect::<Vec<_>>()
        } else {
            gfx::judge(case, &places, Some(a.perturb)).into_iter().map(Ok).collect()
        };
        let rows = jobs.iter().zip(verdicts);
        rows.map(|(&(on, opt), verdict)| Row { id: &case.id, group: Some(&case.group), on, opt, verdict }).collect()
    };
    cases.par_iter().flat_map_iter(of).collect()
}

/// Passed, failed, skipped.
#[derive(Clone, Copy, Default)]
struct Counts([u64; 3]);

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [passed, failed, skipped] = self.0;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

fn run(a: &Args) -> Result<bool, String> {
    let mut cases = Cases::read(&a.paths)?;
    cases.narrow(a);
    let mut rows = compute_rows(a, &cases.cts);
    rows.extend(gfx_rows(a, &cases.gfx));
    let mut all = Counts::default();
    let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut out = String::new();
    let mut tally = Tally::default();
    for r in &rows {
        let at = match &r.verdict {
            Ok(Verdict::Passed) => 0,
            Ok(Verdict::Failed(why)) => {
                out += &format!("FAIL {} -O{} {}: {why}\n", r.on, r.opt, r.id);
                1
            }
            Ok(Verdict::Refused(codes, why)) => {
                let predicted = predict::predicted(r.on, r.id, codes, why);
                tally.add(r.on, codes, predicted);
                let word = if predicted { "skip" } else { "FAIL" };
                let why = Problem::Refused(codes.clone(), why.clone());
                out += &format!("{word} {} -O{} {}: {why}\n", r.on, r.opt, r.id);
                if predicted { 2 } else { 1 }
            }
            Err(why) => {
                out += &format!("skip {} -O{} {}: {why}\n", r.on, r.opt, r.id);
                2
            }
        };
        all.0[at] += 1;
        if let Some(group) = r.group {
            groups.entry(group).or_default().0[at] += 1;
        }
    }
    print!("{out}{tally}");
    for (group, counts) in &groups {
        println!("group {group:<16} {counts}");
    }
    println!("{all}");
    if rows.is_empty() {
        return Err("nothing was compared: there is no case".into());
    }
    Ok(all.0[1] == 0)
}

fn main() -> ExitCode {
    let args = Args::parse();
    gpucc_tests::ended(gpucc_tests::start_threads().and_then(|()| run(&args)))
}
