//! `conformance --on interp|passes|lowered|minimal|T[,T] --opt 0..3 [--mixed vertex|fragment] [--sample K] [--known FILE]... PATH...`
//!
//! Runs cases in the formats `cts-cases-1` and `gfx-cases-1`; the last line is `N passed, M failed, K skipped`, and before it
//! each group of graphics cases has a line of its own. Cases that naga does not accept, known faults and refusals that `docs/support.md` predicts for the target are skipped, each with place and reason; any
//! other refusal is a failure. Before the last line stands a table of refusals by code.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use gpucc::CodegenOptions;
use gpucc_ir::Stage;
use gpucc_tests::cases::{Case, CaseFile, Verdict};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::gfx;
use gpucc_tests::predict::{self, Tally};
use rayon::prelude::*;

struct Args {
    on: Vec<On>,
    opts: Vec<u8>,
    sample: Option<usize>,
    known: Vec<String>,
    filter: Option<String>,
    perturb: Option<u64>,
    /// The stage of draws that alone runs on machines.
    mixed: Option<Stage>,
    paths: Vec<PathBuf>,
}

const USAGE: &str = "usage: conformance --on interp|passes|lowered|minimal|T[,T] --opt 0..3[,..] [--mixed vertex|fragment] [--sample K] [--known FILE]... [--filter TEXT] \
                     [--perturb SEED] PATH...";

fn args() -> Result<Args, String> {
    let mut a = Args {
        on: vec![],
        opts: vec![2],
        sample: None,
        known: vec![],
        filter: None,
        perturb: Some(0),
        mixed: None,
        paths: vec![],
    };
    let mut it = std::env::args().skip(1);
    while let Some(arg) = it.next() {
        let mut value = || it.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--on" => a.on = exec::parse_on(&value()?)?,
            "--opt" => {
                let text = value()?;
                let level = |t: &str| t.parse().ok().filter(|l| *l <= 3).ok_or_else(|| format!("--opt {t}: 0 to 3"));
                a.opts = text.split(',').map(level).collect::<Result<_, _>>()?;
            }
            "--sample" => a.sample = Some(value()?.parse().map_err(|e| format!("--sample: {e}"))?),
            "--known" => {
                let path = value()?;
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
                let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
                a.known.extend(lines.map(String::from));
            }
            "--filter" => a.filter = Some(value()?),
            "--perturb" => a.perturb = Some(value()?.parse().map_err(|e| format!("--perturb: {e}"))?),
            "--mixed" => {
                let stages = [Stage::Vertex, Stage::Fragment];
                let text = value()?;
                let stage = stages.into_iter().find(|s| s.name() == text);
                a.mixed = Some(stage.ok_or_else(|| format!("--mixed {text}: vertex or fragment"))?);
            }
            "--help" | "-h" => return Err(USAGE.into()),
            _ if arg.starts_with("--") => return Err(format!("unknown option {arg}\n{USAGE}")),
            _ => a.paths.push(arg.into()),
        }
    }
    if a.on.is_empty() || a.paths.is_empty() {
        return Err(USAGE.into());
    }
    Ok(a)
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
        for &opt in &a.opts {
            jobs.extend(cases.iter().map(|c| (c, on, opt)));
        }
    }
    let judge = |case: &Case, on: On, opt: u8| {
        if a.known.contains(&case.id) {
            return Err("known fault");
        }
        if !case.naga_ok {
            return Err("naga does not accept it");
        }
        Ok(case.judge(on, &CodegenOptions { opt_level: opt, ..CodegenOptions::default() }, a.perturb))
    };
    jobs.into_par_iter()
        .map(|(case, on, opt)| Row { id: &case.id, group: None, on, opt, verdict: judge(case, on, opt) })
        .collect()
}

fn gfx_rows<'a>(a: &Args, cases: &'a [gpucc_scene::cases::Case]) -> Vec<Row<'a>> {
    let mut jobs = Vec::new();
    for &on in &a.on {
        jobs.extend(a.opts.iter().map(|&opt| (on, opt)));
    }
    let place = |on, opt| match a.mixed {
        Some(stage) => gfx::mixed(gfx::place(on, opt), stage),
        None => gfx::place(on, opt),
    };
    let places: Vec<_> = jobs.iter().map(|&(on, opt)| place(on, opt)).collect();
    let of = |case: &'a gpucc_scene::cases::Case| -> Vec<Row<'a>> {
        let verdicts = if a.known.contains(&case.id) {
            jobs.iter().map(|_| Err("known fault")).collect::<Vec<_>>()
        } else {
            gfx::judge(case, &places, a.perturb).into_iter().map(Ok).collect()
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

fn run() -> Result<bool, String> {
    let a = args()?;
    let mut cases = Cases::read(&a.paths)?;
    cases.narrow(&a);
    let mut rows = compute_rows(&a, &cases.cts);
    rows.extend(gfx_rows(&a, &cases.gfx));
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
    if gpucc_tests::asks_for_help(USAGE) {
        return ExitCode::SUCCESS;
    }
    gpucc_tests::ended(gpucc_tests::start_threads().and_then(|()| run()))
}
