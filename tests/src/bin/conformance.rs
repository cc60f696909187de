//! `conformance --on interp|T[,T] --opt 0..3 [--sample K] [--known FILE]... PATH...`
//!
//! Runs cases in the format `cts-cases-1`; the last line is `N passed, M failed, K skipped`. Cases that naga does not
//! accept, known faults and refusals that `docs/support.md` predicts for the target are skipped, each with place and reason; any
//! other refusal is a failure. Before the last line stands a table of refusals by code.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gpucc::CodegenOptions;
use gpucc_tests::cases::{CaseFile, Verdict};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::predict::{self, Tally};
use rayon::prelude::*;

struct Args {
    on: Vec<On>,
    opts: Vec<u8>,
    sample: Option<usize>,
    known: Vec<String>,
    filter: Option<String>,
    perturb: Option<u64>,
    paths: Vec<PathBuf>,
}

const USAGE: &str = "usage: conformance --on interp|T[,T] --opt 0..3[,..] [--sample K] [--known FILE]... [--filter TEXT] \
                     [--perturb SEED] PATH...";

fn args() -> Result<Args, String> {
    let mut a =
        Args { on: vec![], opts: vec![2], sample: None, known: vec![], filter: None, perturb: Some(0), paths: vec![] };
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

fn case_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
    let mut list: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|x| x == "json")).collect();
    list.sort();
    Ok(list)
}

fn run() -> Result<bool, String> {
    let a = args()?;
    let mut files = Vec::new();
    for p in &a.paths {
        files.extend(case_files(p)?);
    }
    let mut cases = Vec::new();
    for f in &files {
        let text = std::fs::read(f).map_err(|e| format!("{}: {e}", f.display()))?;
        let parsed: CaseFile = serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", f.display()))?;
        if parsed.format != "cts-cases-1" {
            return Err(format!("{}: format `{}` is not cts-cases-1", f.display(), parsed.format));
        }
        cases.extend(parsed.cases);
    }
    if let Some(text) = &a.filter {
        cases.retain(|c| c.id.contains(text.as_str()));
    }
    if let Some(k) = a.sample {
        // Every n-th case, so that a sample touches every family.
        let step = cases.len().div_ceil(k.max(1)).max(1);
        cases = cases.into_iter().step_by(step).collect();
    }
    let mut jobs = Vec::new();
    for &on in &a.on {
        for &opt in &a.opts {
            jobs.extend(cases.iter().map(|c| (c, on, opt)));
        }
    }
    let verdicts: Vec<Result<Verdict, &str>> = jobs
        .par_iter()
        .map(|(case, on, opt)| {
            if a.known.contains(&case.id) {
                return Err("known fault");
            }
            if !case.naga_ok {
                return Err("naga does not accept it");
            }
            Ok(case.judge(*on, &CodegenOptions { opt_level: *opt, ..CodegenOptions::default() }, a.perturb))
        })
        .collect();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut out = String::new();
    let mut tally = Tally::default();
    for ((case, on, opt), v) in jobs.iter().zip(&verdicts) {
        match v {
            Ok(Verdict::Passed) => passed += 1,
            Ok(Verdict::Failed(why)) => {
                failed += 1;
                out += &format!("FAIL {on} -O{opt} {}: {why}\n", case.id);
            }
            Ok(Verdict::Refused(codes, why)) => {
                let predicted = predict::predicted(*on, &case.id, codes, why);
                tally.add(*on, codes, predicted);
                let word = if predicted { "skip" } else { "FAIL" };
                *(if predicted { &mut skipped } else { &mut failed }) += 1;
                let why = Problem::Refused(codes.clone(), why.clone());
                out += &format!("{word} {on} -O{opt} {}: {why}\n", case.id);
            }
            Err(why) => {
                skipped += 1;
                out += &format!("skip {on} -O{opt} {}: {why}\n", case.id);
            }
        }
    }
    print!("{out}{tally}");
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    Ok(failed == 0)
}

fn main() -> ExitCode {
    if let Err(e) = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build_global() {
        eprintln!("error: cannot start threads: {e}");
        return ExitCode::from(2);
    }
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}
