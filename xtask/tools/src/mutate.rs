//! Shows that a wrong bit in a table does not go unnoticed.
//!
//! The machine crates are built once with `--cfg gpucc_mutate`; then, ten times a family, one fixed bit of one row is
//! flipped when the table is made, and the crate's tests run without the shared folder. A row whose wrong bit no test
//! notices is reported and makes the script fail.

use crate::workspace;
use gpucc_machines::MACHINES;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Rows changed per family unless the command names a number.
const ROWS: usize = 10;

/// Test executables of a machine crate, built for mutation.
fn build(family: &str) -> Result<Vec<PathBuf>, String> {
    let package = format!("gpucc-{family}-machine");
    let out = workspace::cargo()
        .args(["test", "--package", &package, "--no-run", "--message-format", "json", "--target-dir", "target/mutate"])
        .env("RUSTFLAGS", "--cfg gpucc_mutate")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(format!("{package} does not build"));
    }
    // One JSON object a line; the executable's path is all that is wanted.
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let key = "\"executable\":\"";
    let paths = text.lines().filter_map(|l| {
        let from = l.find(key)? + key.len();
        let to = from + l[from..].find('"')?;
        Some(PathBuf::from(&l[from..to]))
    });
    Ok(paths.collect())
}

/// Whether every test passes with this mutation (`None`: without one).
fn passes(family: &str, tests: &[PathBuf], mutation: Option<(usize, u32)>) -> bool {
    tests.iter().all(|t| {
        let mut c = Command::new(t);
        c.current_dir(workspace::root().join(format!("backend-{family}/machine")));
        c.env("GPUCC_SHARED", "/nonexistent").env("RUST_BACKTRACE", "0");
        if let Some((row, bit)) = mutation {
            c.env("GPUCC_MUTATE", format!("{row}:{bit}"));
        }
        c.stdout(Stdio::null()).stderr(Stdio::null());
        c.status().is_ok_and(|s| s.success())
    })
}

/// Mutates the named families, all of them without names; a number among them is that of the rows.
pub fn run(args: &[String]) -> bool {
    let count = args.iter().find_map(|a| a.parse().ok()).unwrap_or(ROWS);
    let families: Vec<&String> = args.iter().filter(|a| a.parse::<usize>().is_err()).collect();
    if let Some(wrong) = families.iter().find(|n| gpucc_machines::find(n).is_none()) {
        let known: Vec<&str> = MACHINES.iter().map(|m| m.family).collect();
        eprintln!("no family `{wrong}`; available: {}", known.join(", "));
        return false;
    }
    if count == 0 {
        eprintln!("nothing would be tested: no row is mutated");
        return false;
    }
    let mut ok = true;
    for machine in MACHINES.iter().filter(|m| families.is_empty() || families.iter().any(|n| *n == m.family)) {
        let family = machine.family;
        let tests = match build(family) {
            Ok(t) => t,
            Err(e) => {
                eprintln!("{family}: {e}");
                ok = false;
                continue;
            }
        };
        if tests.is_empty() || !passes(family, &tests, None) {
            eprintln!("{family}: the tests fail without a mutation");
            ok = false;
            continue;
        }
        let rows = (machine.rows)();
        let mut noticed = 0;
        for k in 0..count.min(rows.len()) {
            // Spread over the table; another bit each time.
            let (row, bit) = (k * rows.len() / count + k % 3, (3 * k as u32 + 1) % 32);
            let row = row.min(rows.len() - 1);
            let caught = !passes(family, &tests, Some((row, bit)));
            noticed += usize::from(caught);
            println!(
                "{family:<8} row {row:>5} bit {bit:>2}: {} {}",
                if caught { "noticed" } else { "MISSED " },
                rows[row]
            );
        }
        println!("{family}: {noticed} of {count} mutations noticed");
        ok &= noticed == count;
    }
    ok
}
