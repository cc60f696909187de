//! Runs random programs on the oracle and on machines; every word must agree. A failing program is printed with its seed. A refusal
//! that `docs/support.md` predicts for the target is neither passed nor failed, any other is a failure; a table counts both by
//! code. The last line is `N passed, M failed`. `--stress` makes register allocation harder than it is, and checks it.
//!
//! Those of the stage `draw` are a vertex and a fragment shader of GLSL with state, and every place must draw what the oracle draws without optimisation; of the stage `draw-text` their texts
//! are read as GLSL too. What fails is made small and printed, but for `--no-reduce`. With `--print` each is a line of JSON, and nothing is run.
//!
//! Programs of the stage `fs` are drawn, and compared with compute programs of the same meaning; those of `fs-bare` have no storage. With `--verify` each compute program runs as
//! `gpucc --verify` runs a shader, on seeded inputs, and a table counts by reason what could not be compared.
//!
//! A run of more than ten seconds says on the standard error every ten seconds how far it is, by family.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_kit::exec::problem;
use gpucc_tests::exec::{self, On};
use gpucc_tests::predict::Tally;
use gpucc_tests::randdraw::{compute, pair};
use gpucc_tests::randfs::Drawn;
use gpucc_tests::randprog::{Failure, Generator, Kind, Program};
use gpucc_tests::{drawreduce, drawrun, textrun};
use gpucc_verify::InputOverrides;
use rayon::prelude::*;

/// Runs random programs on the oracle and on machines.
#[derive(Parser)]
struct Args {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Programs, of one seed after the other.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Where: `interp`, `passes`, `lowered`, `minimal`, or targets.
    #[arg(long, value_parser = exec::parse_on)]
    on: Places,
    /// Levels, with commas between them.
    #[arg(long, value_delimiter = ',', default_value = "2", value_parser = clap::value_parser!(u8).range(0..=3))]
    opt: Vec<u8>,
    /// The kind of programs.
    #[arg(long, value_enum, default_value_t = Stage::Cs)]
    stage: Stage,
    /// What makes allocation harder.
    #[arg(long, value_enum, value_delimiter = ',')]
    stress: Vec<Stress>,
    /// Run compute programs as `gpucc --verify` does.
    #[arg(long)]
    verify: bool,
    /// Print the programs.
    #[arg(long)]
    print: bool,
    /// Leave draws that fail as they are.
    #[arg(long)]
    no_reduce: bool,
}

type Places = Vec<On>;

/// The kind of programs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Compute programs.
    Cs,
    /// With integers of 64 bits.
    CsWide,
    /// With floats of 64 bits, too.
    CsDoubles,
    /// Fragment programs.
    Fs,
    /// Without storage.
    FsBare,
    /// Two stages with state.
    Draw,
    /// The same, as text too.
    DrawText,
    /// Compute programs of GLSL, as text and as SPIR-V.
    CsText,
}

/// What makes allocation harder.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stress {
    /// Few registers.
    Tight,
    /// Registers in pieces.
    Fragment,
    /// Nothing stays in a register.
    SpillAll,
}

impl Args {
    /// The options of a compilation at a level.
    fn codegen(&self, opt_level: u8) -> CodegenOptions {
        let has = |s| self.stress.contains(&s);
        let [tight, fragment, spill_all] = [Stress::Tight, Stress::Fragment, Stress::SpillAll].map(has);
        let verify = !self.stress.is_empty();
        CodegenOptions { opt_level, tight, fragment, spill_all, verify, ..CodegenOptions::default() }
    }

    fn checked(self) -> Result<Args, String> {
        let is_computed = matches!(self.stage, Stage::Cs | Stage::CsWide | Stage::CsDoubles);
        if !is_computed && (self.verify || !self.stress.is_empty()) {
            return Err("--verify and --stress are for --stage cs".into());
        }
        Ok(self)
    }
}

/// The outcome of a program on all places and levels.
#[derive(Default)]
struct Verdicts {
    passed: u64,
    failed: Vec<String>,
    /// The refusal.
    refused: Tally,
    /// How often nothing was compared, by reason.
    skipped: BTreeMap<String, u64>,
    /// Runs that passed, were refused and failed, by family.
    families: BTreeMap<String, [u64; 3]>,
}

/// How far all programs are.
struct Progress {
    of: u64,
    start: Instant,
    state: Mutex<Said>,
}

/// What there is to say, and when the next line is due.
struct Said {
    next: Duration,
    programs: u64,
    families: BTreeMap<String, [u64; 3]>,
}

impl Progress {
    /// Between two lines.
    const EVERY: Duration = Duration::from_secs(10);

    fn new(of: u64) -> Progress {
        let said = Said { next: Self::EVERY, programs: 0, families: BTreeMap::new() };
        Progress { of, start: Instant::now(), state: Mutex::new(said) }
    }

    /// Programs that are done, with their runs by family.
    fn add(&self, programs: u64, families: &BTreeMap<String, [u64; 3]>) {
        let mut s = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        s.programs += programs;
        for (family, n) in families {
            let sum = s.families.entry(family.clone()).or_default();
            sum.iter_mut().zip(n).for_each(|(sum, n)| *sum += n);
        }
        let now = self.start.elapsed();
        if now < s.next || s.programs >= self.of {
            return;
        }
        s.next = now + Self::EVERY;
        let mut line = format!("{} s: {} of {} programs", now.as_secs(), s.programs, self.of);
        for (family, [passed, refused, failed]) in &s.families {
            line += &format!("; {family} {passed} passed, {refused} refused, {failed} failed");
        }
        eprintln!("{line}");
    }
}

/// The family of a place.
fn family(on: On) -> String {
    let name = on.to_string();
    name.split(':').next().unwrap_or(&name).to_string()
}

impl Verdicts {
    fn add(&mut self, on: On, done: Result<(), Failure>) {
        let k = match &done {
            Ok(()) => 0,
            Err(Failure::Refused(true, ..)) => 1,
            Err(_) => 2,
        };
        self.families.entry(family(on)).or_default()[k] += 1;
        match done {
            Ok(()) => self.passed += 1,
            Err(Failure::Refused(predicted, codes, why)) => {
                self.refused.add(on, &codes, predicted);
                if predicted {
                    println!("skip {why}");
                } else {
                    self.failed.push(why);
                }
            }
            Err(Failure::Wrong(why)) => self.failed.push(why),
        }
    }
}

/// Verdicts of one program.
fn program(seed: u64, a: &Args) -> Verdicts {
    if a.print {
        let generator = match a.stage {
            Stage::Cs => Generator::new(seed),
            Stage::CsWide => Generator::wide(seed),
            Stage::CsDoubles => Generator::doubles(seed),
            Stage::Fs => Generator::of(seed, Kind::Fragment),
            Stage::FsBare | Stage::Draw | Stage::DrawText | Stage::CsText => Generator::bare(seed, Kind::Fragment),
        };
        println!("// seed {seed}\n{}", generator.program());
    }
    let mut v = Verdicts::default();
    let nowhere = |e: String| Verdicts { failed: vec![e; a.on.len() * a.opt.len()], ..Verdicts::default() };
    match a.stage {
        Stage::Draw | Stage::DrawText | Stage::CsText => {}
        Stage::Fs | Stage::FsBare => {
            let p = match Drawn::new(seed, a.stage == Stage::FsBare) {
                Ok(p) => p,
                Err(e) => return nowhere(e),
            };
            a.on.iter().for_each(|&on| a.opt.iter().for_each(|&level| v.add(on, p.check(on, level))));
        }
        Stage::Cs | Stage::CsWide | Stage::CsDoubles => {
            let p = match match a.stage {
                Stage::CsDoubles => Program::doubles(seed),
                Stage::CsWide => Program::wide(seed),
                _ => Program::new(seed),
            } {
                Ok(p) => p,
                Err(e) => return nowhere(e),
            };
            for &on in &a.on {
                for &opt_level in &a.opt {
                    let codegen = a.codegen(opt_level);
                    if a.verify {
                        verify(&p, on, &codegen, &mut v);
                    } else {
                        v.add(on, p.check(on, &codegen));
                    }
                }
            }
        }
    }
    v
}

/// Runs a program as `gpucc --verify` does.
fn verify(p: &Program, on: On, codegen: &CodegenOptions, v: &mut Verdicts) {
    let On::Machine(device) = on else { return v.failed.push(format!("{on}: --verify is for targets")) };
    let target = Target::parse(&device.to_string()).expect("a device of ours");
    let artifact = match gpucc::compile(p.module(), &Options { target, codegen: codegen.clone() }) {
        Ok(artifact) => artifact,
        Err(d) => return v.add(on, Err(p.refused(on, codegen, problem(&[d])))),
    };
    match gpucc_verify::verify(p.module(), &artifact, target, &InputOverrides::default()) {
        Ok(left) => {
            v.add(on, Ok(()));
            for reason in left.iter().flat_map(|l| &l.why).map(|w| w.reason.to_string()).collect::<BTreeSet<_>>() {
                *v.skipped.entry(reason).or_default() += 1;
            }
            if !left.is_empty() {
                *v.skipped.entry(ANY.into()).or_default() += 1;
            }
        }
        Err(d) => v.add(on, Err(Failure::Wrong(format!("seed {}: {d}", p.seed())))),
    }
}

/// Failures that are made small, and the candidates that are asked about for each: some minutes.
const REDUCED: (usize, usize) = (3, 4_000);

/// The first draws that fail in different ways, made small.
fn smallest(wrong: &[drawrun::Wrong], a: &Args) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    if a.stage == Stage::CsText || a.no_reduce {
        return out;
    }
    for w in wrong {
        let kind: String = w.why.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
        if out.len() < REDUCED.0 && seen.insert((w.at.0.to_string(), kind)) {
            let small = drawreduce::reduced(&pair(w.seed), w.at.0, w.at.1, REDUCED.1);
            let said = small.unwrap_or_else(|| "it is not there in one run by itself".into());
            out.push(format!("seed {} on {} -O{} made small:\n{said}", w.seed, w.at.0, w.at.1));
        }
    }
    out
}

/// Draws between two looks at how far they are.
const AT_ONCE: u64 = 200;

/// Runs random draws.
fn draws(a: &Args) -> ExitCode {
    if a.print {
        for seed in (0..a.count).map(|k| a.seed.wrapping_add(k)) {
            println!("{}", if a.stage == Stage::CsText { compute::text(seed) } else { pair(seed).line() });
        }
        return ExitCode::SUCCESS;
    }
    let progress = Progress::new(a.count);
    let (mut done, mut from, end) = (drawrun::Done::default(), a.seed, a.seed.saturating_add(a.count));
    while from < end {
        let seeds = from..end.min(from + AT_ONCE);
        let job = drawrun::Job { seeds, on: &a.on, levels: &a.opt, as_text: a.stage == Stage::DrawText };
        let some = if a.stage == Stage::CsText { textrun::run_texts(&job) } else { drawrun::run(&job) };
        let some = match some {
            Ok(some) => some,
            Err(e) => {
                eprintln!("error: {e}");
                return ExitCode::from(2);
            }
        };
        let mut families = BTreeMap::from([("all".to_string(), [some.passed, 0, 0])]);
        some.wrong.iter().for_each(|w| families.entry(family(w.at.0)).or_default()[2] += 1);
        progress.add(job.seeds.end - job.seeds.start, &families);
        done.add(some);
        from = job.seeds.end;
    }
    for w in &done.wrong {
        println!("FAIL seed {} on {} -O{}: {}", w.seed, w.at.0, w.at.1, w.why);
    }
    for w in smallest(&done.wrong, a) {
        println!("{w}");
    }
    print!("{}", done.refused);
    done.forms.iter().for_each(|(form, n)| println!("{n:6} {form}"));
    println!("{} pixels compared, {} open in each run", done.pixels.0, done.pixels.1);
    println!("{} passed, {} failed", done.passed, done.wrong.len());
    if done.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// The row of the table that counts each run once.
const ANY: &str = "not compared";

fn main() -> ExitCode {
    let a = match Args::parse().checked().and_then(|a| gpucc_tests::start_threads().map(|()| a)) {
        Ok(a) => a,
        Err(e) => return gpucc_tests::ended(Err(e)),
    };
    if matches!(a.stage, Stage::Draw | Stage::DrawText | Stage::CsText) {
        return draws(&a);
    }
    let progress = Progress::new(a.count);
    let one = |k: u64| {
        let v = program(a.seed.wrapping_add(k), &a);
        progress.add(1, &v.families);
        v
    };
    let results: Vec<_> = (0..a.count).into_par_iter().map(one).collect();
    let passed: u64 = results.iter().map(|r| r.passed).sum();
    let failures: Vec<&String> = results.iter().flat_map(|r| &r.failed).collect();
    for f in &failures {
        println!("FAIL {f}");
    }
    let mut tally = Tally::default();
    results.iter().for_each(|r| tally.merge(r.refused.clone()));
    print!("{tally}");
    let mut skipped: BTreeMap<&str, u64> = BTreeMap::new();
    results.iter().flat_map(|r| &r.skipped).for_each(|(why, n)| *skipped.entry(why).or_default() += n);
    skipped.iter().for_each(|(why, n)| println!("{n:6} {why}"));
    println!("{passed} passed, {} failed", failures.len());
    if passed == 0 && failures.is_empty() {
        eprintln!("error: nothing was compared");
        // Of programs that are refused as the tables predict there is nothing to compare.
        return ExitCode::from(if tally.is_empty() && skipped.is_empty() { 2 } else { 0 });
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
