//! Project chores.
//!
//! `cargo xtask ci` runs every check and counts the graphics cases of the shared folder. `cargo xtask family gcn` runs the checks of one family, `cargo xtask crate sim ir` those
//! of the named packages. `docs`, `mutate` and `peers` need the compiler: they are in `xtask/tools`, which this program starts.
//! This program has no dependencies, so that a fresh clone builds it in a second.

mod run;
mod tests;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use run::{Steps, cargo};
use tests::Part;

const USAGE: &str = "usage: cargo xtask ci
       cargo xtask family FAMILY...      formatting, clippy and tests of a family's packages, and the example scenes on it
       cargo xtask crate PACKAGE...      the same for packages; `gpucc-` may be left out
         both: [--no-clippy] [-- NAME...]  without clippy; only tests with one of these in their names
       cargo xtask docs [--check]        pages made from tables
       cargo xtask mutate [ROWS] [FAMILY...]
       cargo xtask peers [FILE]          measures docs/performance-measured.md; a release build";

/// The families: each has a folder.
fn families() -> Vec<String> {
    let name =
        |m: run::Member| m.folder.strip_prefix(run::root()).ok()?.to_str()?.strip_prefix("backend-").map(String::from);
    run::members().into_iter().filter_map(name).filter(|n| !n.contains('/')).collect()
}

/// Environment of a family's check. It compiles each twentieth of the thousands of cases of selection, others on each chip and level,
/// and runs a third of the random programs; `ci` takes all.
const SAMPLE: &[(&str, &str)] = &[("GPUCC_SAMPLE", "20"), ("GPUCC_RANDOM", "20")];

/// Arguments of clippy itself.
const DENIED: [&str; 2] = ["-D", "warnings"];

/// The command line of clippy over these packages.
fn clippy<'a>(select: &[&'a str]) -> Vec<&'a str> {
    let head = ["clippy"].into_iter().chain(select.iter().copied());
    head.chain(["--all-targets", "--quiet", "--"]).chain(DENIED).collect()
}

/// Environment of the documentation: crates below are checked by the driver of clippy with clippy's arguments, as before, so that cargo
/// finds them checked. Nothing where the toolchain has no such program beside cargo; then they are checked again.
fn documentation() -> Vec<(&'static str, String)> {
    let mut env = vec![("RUSTDOCFLAGS", "-D warnings".to_owned())];
    let driver = PathBuf::from(cargo().get_program()).with_file_name("clippy-driver");
    if driver.is_file() {
        let arguments: String = DENIED.iter().map(|a| format!("{a}__CLIPPY_HACKERY__")).collect();
        env.push(("RUSTC_WORKSPACE_WRAPPER", driver.display().to_string()));
        env.push(("CLIPPY_ARGS", arguments));
    }
    env
}

/// Every check of the project.
fn ci() -> bool {
    let mut steps = Steps::default();
    let (clippy, documentation) = (clippy(&["--workspace"]), documentation());
    let documentation: Vec<(&str, &str)> = documentation.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let ok = steps.cargo("formatting", &["fmt", "--all", "--check"], &[])
        && steps.cargo("clippy, warnings denied", &clippy, &[])
        && steps.cargo(
            "documentation, warnings denied",
            &["doc", "--workspace", "--no-deps", "--lib", "--quiet"],
            &documentation,
        )
        && tests::run(&mut steps, &[Part { select: &["--workspace"], names: &[] }], &[])
            .is_some_and(|programs| gfx(&mut steps, &programs));
    steps.print();
    ok
}

/// Counts by group of all graphics cases on the interpreter, where the shared folder is there. The runner is among the programs that
/// the tests built: asking cargo for it alone builds everything below it again, since the features of fewer packages are unified.
fn gfx(steps: &mut Steps, programs: &[PathBuf]) -> bool {
    let shared = std::env::var_os("GPUCC_SHARED").map_or_else(|| run::root().join("../shared"), Into::into);
    let cases = shared.join("conformance/gfx");
    if !cases.is_dir() {
        return true;
    }
    let Some(runner) = programs.iter().find(|p| p.file_stem().is_some_and(|n| n == "conformance")) else {
        eprintln!("== the runner of cases was not built");
        return false;
    };
    let mut on = |title, place, levels| {
        let mut c = Command::new(runner);
        c.current_dir(run::root()).args(["--on", place, "--opt", levels]).arg(&cases);
        steps.command(title, c)
    };
    on("graphics cases on the interpreter", "interp", "0,2")
        && on("graphics cases on the interpreter, lowered for the minimal target", "minimal", "2")
}

/// Formatting, clippy unless it is left out, and tests of some packages, beside those of another part.
fn packages(
    names: &[String],
    no_clippy: bool,
    tests: &[String],
    (env, beside): (&[(&str, &str)], Option<Part<'_>>),
) -> bool {
    let members = run::members();
    // The tests of a large crate are a package of their own.
    let with_tests: Vec<String> = names.iter().flat_map(|n| [n.clone(), format!("{n}-tests")]).collect();
    let known = |n: &String| names.contains(n) || members.iter().any(|m| m.name == *n);
    let mut select: Vec<&str> = Vec::new();
    for n in with_tests.iter().filter(|n| known(n)) {
        select.extend(["--package", n]);
    }
    let mut steps = Steps::default();
    let fmt: Vec<&str> = ["fmt"].into_iter().chain(select.iter().copied()).chain(["--check"]).collect();
    let clippy = clippy(&select);
    let mut parts = vec![Part { select: &select, names: tests }];
    parts.extend(beside);
    let ok = steps.cargo("formatting", &fmt, &[])
        && (no_clippy || steps.cargo("clippy, warnings denied", &clippy, &[]))
        && tests::run(&mut steps, &parts, env).is_some();
    steps.print();
    ok
}

/// The packages of families, with the example scenes on their machines, which are drawn beside the tests; no other family is linked.
fn family(families: &[String], no_clippy: bool, tests: &[String]) -> bool {
    let names = families.iter().flat_map(|f| ["-machine", "-driver", "-profile", ""].map(|p| format!("gpucc-{f}{p}")));
    let list: Vec<String> = families.iter().map(|f| format!("gpucc/{f},gpucc-machines/{f}")).collect();
    let list = list.join(",");
    let select = ["--package", "gpucc-render", "--no-default-features", "--features", &list];
    let drawn = ["every_linked_family_draws".into()];
    let scenes = tests.is_empty().then_some(Part { select: &select, names: &drawn });
    packages(&names.collect::<Vec<_>>(), no_clippy, tests, (SAMPLE, scenes))
}

/// Runs a command of the tools crate. Those whose times are published are built with optimisation.
fn tools(args: &[String], release: bool) -> bool {
    let mut c = cargo();
    c.args(["run", "--quiet", "--package", "gpucc-tools"]);
    // The profile of the tests: what they built is taken as it is.
    c.args(if release { ["--release", "--"] } else { ["--profile=test", "--"] });
    c.args(args);
    c.status().is_ok_and(|s| s.success())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let end = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let tests = args.get(end + 1..).unwrap_or_default();
    let no_clippy = args[..end].iter().any(|a| a == "--no-clippy");
    let rest: Vec<String> = args[..end].iter().skip(1).filter(|a| *a != "--no-clippy").cloned().collect();
    let ok = match args.first().map(String::as_str) {
        Some("ci") if rest.is_empty() => ci(),
        Some("family") if !rest.is_empty() => {
            let known = families();
            if let Some(wrong) = rest.iter().find(|f| !known.contains(f)) {
                eprintln!("no family `{wrong}`; available: {}", known.join(", "));
                return ExitCode::from(2);
            }
            family(&rest, no_clippy, tests)
        }
        Some("crate") if !rest.is_empty() => {
            let whole =
                |n: &String| if n.starts_with("gpucc") || n == "xtask" { n.clone() } else { format!("gpucc-{n}") };
            let names: Vec<String> = rest.iter().map(whole).collect();
            let members = run::members();
            if let Some(wrong) = names.iter().find(|n| members.iter().all(|m| m.name != **n)) {
                let all: Vec<&str> = members.iter().map(|m| m.name.strip_prefix("gpucc-").unwrap_or(&m.name)).collect();
                eprintln!("no package `{wrong}`; available: {}", all.join(", "));
                return ExitCode::from(2);
            }
            packages(&names, no_clippy, tests, (&[], None))
        }
        Some("docs" | "mutate") => tools(&args, false),
        Some("peers") => tools(&args, true),
        Some("--help" | "-h" | "help") => {
            println!("{USAGE}");
            true
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
