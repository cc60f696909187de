//! Suites for any list of devices: file tests, examples, random programs and the public conformance cases. Each gives what
//! failed, in the order of its list.

use gpucc_driver::CodegenOptions;
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, RunOptions};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

use crate::cases::{Case, CaseFile, Verdict};
use crate::examples::{Example, all};
use crate::exec::{self, Device, On, Problem};
use crate::filetest::{Expect, FileTest};
use crate::predict::{self, Tally};
use crate::randprog::{Failure, Program};
use crate::shared::{self, workspace};

/// Fails with every line of a list that is not empty.
///
/// # Panics
/// There are failures.
pub fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Every file under `tests/filetests`, with its path there; with `GPUCC_FILE_TEST` in the environment those whose path has it.
///
/// # Panics
/// A file cannot be read or is no file test.
pub fn file_tests() -> Vec<(String, FileTest)> {
    fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("folder of file tests") {
            let path = entry.expect("entry of the folder").path();
            if path.is_dir() {
                walk(&path, list);
            } else if path.extension().is_some_and(|x| x == "gir") {
                list.push(path);
            }
        }
    }
    let root = workspace().join("tests");
    let mut paths = Vec::new();
    walk(&root.join("filetests"), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).expect("file test");
        let test = FileTest::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, test)
    };
    if let Ok(part) = std::env::var("GPUCC_FILE_TEST") {
        paths.retain(|p| p.to_string_lossy().contains(&part));
        assert!(!paths.is_empty(), "no file test has `{part}` in its path");
        return paths.into_iter().map(read).collect();
    }
    let list: Vec<_> = paths.into_iter().map(read).collect();
    assert!(list.len() > 20, "only {} file tests were found", list.len());
    list
}

/// Runs every file test on every device, without optimisation and at the default level. The expectation in the file is the judge,
/// never the oracle.
pub fn run_file_tests(devices: &[Device]) -> (Vec<String>, Tally) {
    let tests = file_tests();
    let jobs: Vec<(&(String, FileTest), Device)> =
        tests.iter().filter(|t| t.1.targets).flat_map(|t| devices.iter().map(move |d| (t, *d))).collect();
    let results: Vec<(Vec<String>, Tally)> =
        jobs.par_iter().map(|((name, test), d)| file_test(name, test, *d)).collect();
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for (found, counted) in results {
        failures.extend(found);
        tally.merge(counted);
    }
    (failures, tally)
}

fn file_test(name: &str, test: &FileTest, device: Device) -> (Vec<String>, Tally) {
    let on = On::Machine(device);
    let (mut failures, mut tally) = (Vec::new(), Tally::default());
    for opt_level in [0, 2] {
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        let compiled = device.compile(&test.module, &test.entry, &codegen);
        for run in test.runs.iter().filter(|r| matches!(r.expect, Expect::Buffers(_))) {
            let mut d = run.dispatch.clone();
            let options = RunOptions { perturb: Some(1), ..RunOptions::default() };
            let got = match &compiled {
                Err(Problem::Refused(codes, why)) => {
                    let predicted = predict::predicted(on, name, codes, why);
                    tally.add(on, codes, predicted);
                    if predicted {
                        continue;
                    }
                    Err(Problem::Refused(codes.clone(), why.clone()).to_string())
                }
                Err(p) => Err(p.to_string()),
                Ok(c) => device.launch(c, &test.entry, &mut d, &options).map(|_| ()).map_err(|p| p.to_string()),
            };
            if let Err(e) = test.judge(run, &d, got, false) {
                failures.push(format!("{name} on {on} -O{opt_level}: {e}"));
            }
        }
    }
    (failures, tally)
}

/// The examples with the modules that the frontend makes of them.
///
/// # Panics
/// An example does not lower.
pub fn examples() -> Vec<(Example, Module)> {
    let lower = |e: Example| {
        let source =
            std::fs::read_to_string(workspace().join("examples").join(e.file)).expect("an example of the repository");
        let module = exec::lower(&source, e.entry, &[]).unwrap_or_else(|p| panic!("{}: {p}", e.file));
        (e, module)
    };
    all().into_iter().map(lower).collect()
}

/// Holds the buffers after a run against what an example must give.
///
/// # Errors
/// The first word that is wrong, with `what` in front.
pub fn hold_example(e: &Example, d: &Dispatch, what: &str) -> Result<(), String> {
    for x in &e.expected {
        let buffer = d.buffer(x.group, x.binding).ok_or("no such buffer")?;
        x.words.check(&buffer.bytes).map_err(|m| format!("{} {what}: {m}", e.file))?;
    }
    Ok(())
}

/// The lacks of generations: the example, the generation, and the code of the refusal.
pub const REFUSED: &[(&str, &str, &str)] =
    &[("histogram.wgsl", "tesla:nv50", "atomics"), ("histogram.wgsl", "vivante:gc2000", "atomics")];

/// Every example on every device at these levels: compiled once for each, run once, or refused where [`REFUSED`] says so. `judge` is
/// told the modules, the device, the level and the buffers before and after.
pub fn run_examples(
    devices: &[Device],
    levels: &[u8],
    judge: impl Fn(&Example, (&Module, &exec::Compiled), Device, u8, (&Dispatch, &Dispatch)) -> Result<(), String> + Sync,
) -> Vec<String> {
    let examples = examples();
    let jobs: Vec<(&(Example, Module), Device, u8)> = examples
        .iter()
        .flat_map(|e| devices.iter().flat_map(move |d| levels.iter().map(move |level| (e, *d, *level))))
        .collect();
    let one = |((e, module), device, opt_level): &(&(Example, Module), Device, u8)| {
        let what = format!("on {device} -O{opt_level}");
        let codegen = CodegenOptions { opt_level: *opt_level, verify: true, ..CodegenOptions::default() };
        let lacks = REFUSED.iter().find(|r| r.0 == e.file && r.1 == device.to_string());
        let compiled = match (device.compile(module, e.entry, &codegen), lacks) {
            (Err(Problem::Refused(codes, _)), Some(r)) if codes.iter().any(|c| c.name() == r.2) => return Ok(()),
            (Ok(_), Some(_)) => return Err(format!("{} {what}: compiles, but is listed as refused", e.file)),
            (Ok(c), None) => c,
            (Err(p), _) => return Err(format!("{} {what}: {p}", e.file)),
        };
        let before = e.dispatch();
        let mut after = before.clone();
        device
            .launch(&compiled, e.entry, &mut after, &RunOptions::default())
            .map_err(|p| format!("{} {what}: {p}", e.file))?;
        hold_example(e, &after, &what)?;
        judge(e, (module, &compiled), *device, *opt_level, (&before, &after))
            .map_err(|m| format!("{} {what}: {m}", e.file))
    };
    jobs.par_iter().filter_map(|job| one(job).err()).collect()
}

/// How many random programs a test makes: 60, or what `GPUCC_RANDOM` says.
pub fn random_count() -> u64 {
    std::env::var("GPUCC_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// What makes the program of a seed.
type Make = fn(u64) -> Result<Program, String>;

/// Random programs at every place: no word differs from the oracle's. Each seed runs at two of the four levels; each level gets half
/// of the seeds.
pub fn run_random(places: &[On], count: u64) -> Vec<String> {
    let one = |(seed, make): (u64, Make)| {
        let program = match make(seed) {
            Ok(p) => p,
            Err(e) => return vec![e],
        };
        let mut failures = Vec::new();
        for opt_level in [(seed % 2) as u8, 2 + (seed / 2 % 2) as u8] {
            let codegen = CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() };
            for on in places {
                match program.check(*on, &codegen) {
                    Ok(()) => {}
                    // Not every chip has floats of 64 bits.
                    Err(Failure::Refused(true, codes, _)) if codes.contains(&Refusal::WideTypes) => {}
                    // Another refusal that is predicted tests nothing: no family's default generation has one.
                    Err(Failure::Wrong(why) | Failure::Refused(_, _, why)) => failures.push(why),
                }
            }
        }
        failures
    };
    let some = |count: u64, make: Make| (0..count).map(move |seed| (seed, make));
    // One in eight again with integers of 64 bits, and one with floats of 64 bits.
    let wide = some(count.div_ceil(8), Program::wide).chain(some(count.div_ceil(8), Program::doubles));
    let all: Vec<(u64, Make)> = some(count, Program::new).chain(wide).collect();
    all.into_par_iter().flat_map_iter(one).collect()
}

/// Cases of a file of the shared folder; none without the folder.
///
/// # Panics
/// The file is no file of cases.
pub fn cases(file: &str) -> Vec<Case> {
    let Some(path) = shared::find(file) else { return Vec::new() };
    let bytes = std::fs::read(path).expect("the cases");
    serde_json::from_slice::<CaseFile>(&bytes).expect("the format of cases").cases
}

/// Runs cases at every place and level given; each shader is lowered once. What is refused must be predicted.
pub fn run_cases(cases: &[Case], places: &[On], levels: &[u8], perturb: Option<u64>) -> Vec<String> {
    let one = |case: &Case| {
        let module = case.lower();
        let mut failures = Vec::new();
        for (on, &opt_level) in places.iter().flat_map(|on| levels.iter().map(move |o| (*on, o))) {
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            let verdict = match &module {
                Ok(m) => case.judge_module(m, on, &codegen, perturb),
                Err(Problem::Refused(codes, why)) => Verdict::Refused(codes.clone(), why.clone()),
                Err(p) => Verdict::Failed(p.to_string()),
            };
            let why = match verdict {
                Verdict::Passed => continue,
                Verdict::Refused(codes, why) if predict::predicted(on, &case.id, &codes, &why) => continue,
                Verdict::Refused(codes, why) => Problem::Refused(codes, why).to_string(),
                Verdict::Failed(why) => why,
            };
            failures.push(format!("{on} -O{opt_level} {}: {why}", case.id));
        }
        failures
    };
    cases.par_iter().flat_map_iter(one).collect()
}

/// Tests of a family's default generation under the suites that all families share: file tests, examples, random programs and programs of
/// others with their results. Other generations are run by the suites over all families, which have the oracle judge them as well.
#[macro_export]
macro_rules! family_suites {
    ($device:expr) => {
        use $crate::exec::On;
        use $crate::suite::{cases, random_count, report, run_cases, run_examples, run_file_tests, run_random};

        #[test]
        fn file_tests() {
            let (failures, refused) = run_file_tests(&[$device]);
            println!("{refused}");
            report(&failures);
        }

        #[test]
        fn examples() {
            report(&run_examples(&[$device], &[0, 2], |_, _, _, _, _| Ok(())));
        }

        #[test]
        fn random_programs() {
            report(&run_random(&[On::Machine($device)], random_count()));
        }

        /// Skipped without the shared folder.
        #[test]
        fn programs_of_others() {
            report(&run_cases(&cases("conformance/programs.json"), &[On::Machine($device)], &[0, 2], Some(0)));
        }
    };
}
