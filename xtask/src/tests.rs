//! Building and running tests, with the time of each.
//!
//! The test programs are started here and not by `cargo test`, because only then can they be asked for the time of each test
//! without building everything again: libtest's `--report-time` wants `RUSTC_BOOTSTRAP` in its environment, and build scripts
//! of several packages run again when that changes.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::run::{Member, Steps, cargo, members, root};

/// How many of the slowest tests are listed.
const SLOWEST: usize = 10;

/// Names and values that test programs find in their environment.
type Env<'a> = &'a [(&'a str, &'a str)];

/// Packages that are tested, as arguments of cargo.
pub struct Part<'a> {
    /// The packages, and their features.
    pub select: &'a [&'a str],
    /// Words of which a test has one in its name; all tests where there is none.
    pub names: &'a [String],
}

/// A test program.
struct Program<'a> {
    path: PathBuf,
    /// Folder of its package: tests run there, as under `cargo test`.
    folder: PathBuf,
    /// The list of its part.
    names: &'a [String],
}

/// The value of a text field in a line of JSON that cargo wrote. None of the wanted fields holds an escape.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let from = line.find(key)? + key.len();
    let rest = &line[from..];
    Some(&rest[..rest.find('"')?])
}

/// The output of cargo: the test programs, and the other programs of the selected packages.
#[derive(Default)]
struct Built<'a> {
    tests: Vec<Program<'a>>,
    programs: Vec<PathBuf>,
}

/// Builds the tests of packages.
fn build<'a>(part: &Part<'a>) -> Option<Built<'a>> {
    let mut c = cargo();
    c.args(["test", "--no-run", "--message-format", "json-render-diagnostics"]).args(part.select);
    let out = c.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().ok()?;
    if !out.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&out.stdout);
    // A target says whether it may be tested, the profile whether this is the test.
    let is_test = |l: &&str| l.split("\"profile\":").nth(1).is_some_and(|p| p.contains("\"test\":true"));
    let executable = |l: &str| field(l, "\"executable\":\"").map(PathBuf::from);
    let tests = text.lines().filter(is_test).filter_map(|l| {
        let manifest = Path::new(field(l, "\"manifest_path\":\"")?);
        Some(Program { path: executable(l)?, folder: manifest.parent()?.to_path_buf(), names: part.names })
    });
    let programs = text.lines().filter(|l| !is_test(l)).filter_map(executable);
    Some(Built { tests: tests.collect(), programs: programs.collect() })
}

/// The selected packages whose libraries have tests in their documentation. `cargo test --doc` starts rustdoc for all others, too,
/// a second each, even where the manifest says `doctest = false`.
fn documented(select: &[&str]) -> Vec<String> {
    let tested = |m: &Member| {
        let library = m.folder.join("src/lib.rs").exists() && !m.manifest.contains("\ndoctest = false");
        library && (select.contains(&"--workspace") || select.contains(&m.name.as_str()))
    };
    members().into_iter().filter(tested).map(|m| m.name).collect()
}

/// A test and its seconds.
type Timed = (f64, String);

/// The result of a test program: its output, the time of each test, whether all passed.
struct Outcome {
    output: String,
    times: Vec<Timed>,
    passed: bool,
}

/// Runs a test program.
fn start(program: &Program<'_>, env: Env<'_>) -> Outcome {
    let name = program.folder.strip_prefix(root()).unwrap_or(&program.folder).display().to_string();
    let mut output = format!("     Running tests of {name} ({})\n", program.path.display());
    let mut times = Vec::new();
    let mut c = Command::new(&program.path);
    c.args(["-Z", "unstable-options", "--report-time"]).args(program.names).current_dir(&program.folder);
    c.env("RUSTC_BOOTSTRAP", "1").env("INSTA_UPDATE", "no").envs(env.iter().copied()).stdout(Stdio::piped());
    let Ok(mut child) = c.spawn() else {
        output.push_str("it could not be started\n");
        return Outcome { output, times, passed: false };
    };
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            // `test path::name ... ok <1.234s>`
            if let Some(seconds) =
                line.strip_suffix("s>").and_then(|l| l.rsplit_once('<')).and_then(|p| p.1.parse().ok())
                && let Some(test) = line.strip_prefix("test ").and_then(|l| l.split(" ... ").next())
            {
                times.push((seconds, format!("{name}: {test}")));
            }
            output.push_str(&line);
            output.push('\n');
        }
    }
    let passed = child.wait().is_ok_and(|s| s.success());
    Outcome { output, times, passed }
}

/// Runs test programs, as many at once as there are cores: at the end of each some cores have nothing left to do. The largest begin.
/// Prints the output of each when it has ended; gives the times, and the folders of those that failed.
fn start_all(mut programs: Vec<Program<'_>>, env: Env<'_>) -> (Vec<Timed>, Vec<String>) {
    programs.sort_by_key(|p| std::cmp::Reverse(std::fs::metadata(&p.path).map_or(0, |m| m.len())));
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::new(), Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = start(program, env);
                    let Ok(mut done) = done.lock() else { return };
                    print!("{}", outcome.output);
                    done.0.extend(outcome.times);
                    if !outcome.passed {
                        done.1.push(program.folder.display().to_string());
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_default()
}

/// Builds and runs the tests of all parts, with those in their documentation where all tests of a part run. Where all passed it gives the other
/// programs that were built on the way.
pub fn run(steps: &mut Steps, parts: &[Part<'_>], env: Env<'_>) -> Option<Vec<PathBuf>> {
    let mut built = Built::default();
    for part in parts {
        eprintln!("== tests: building {}", part.select.join(" "));
        let Some(more) = steps.time("building the tests", || build(part)) else {
            eprintln!("== the tests do not build");
            return None;
        };
        built.tests.extend(more.tests);
        built.programs.extend(more.programs);
    }
    let (mut times, failed) = steps.time("running the tests", || start_all(built.tests, env));
    if times.is_empty() {
        eprintln!("== nothing was tested: no test has one of these names");
        return None;
    }
    let whole = parts.iter().filter(|p| p.names.is_empty());
    let documented: Vec<String> = whole.flat_map(|p| documented(p.select)).collect();
    let documented = documented.is_empty() || {
        // Features are those of the whole workspace in each part of it (`gpucc-features`).
        let mut doc = vec!["test", "--doc", "--no-fail-fast", "--quiet"];
        doc.extend(documented.iter().flat_map(|p| ["--package", p]));
        steps.cargo("tests in documentation", &doc, &[])
    };
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    eprintln!("== the slowest tests");
    for (seconds, test) in times.iter().take(SLOWEST) {
        eprintln!("{seconds:>8.1}  {test}");
    }
    for f in &failed {
        eprintln!("== tests failed in {f}");
    }
    (failed.is_empty() && documented).then_some(built.programs)
}
