//! Words and texts from outside: the committed sample always, the whole shared file when it is there.

use std::path::PathBuf;

use gpucc_vivante_machine::vectors::{check_vector, uncovered_rows};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn run(text: &str) -> (usize, Vec<String>) {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    let mut passed = 0;
    let mut failed = Vec::new();
    for line in lines {
        match check_vector(line) {
            Ok(()) => passed += 1,
            Err(e) => failed.push(format!("{line}\n    {e}")),
        }
    }
    (passed, failed)
}

fn own() -> String {
    let mut names: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    names.sort();
    names.iter().map(|p| std::fs::read_to_string(p).unwrap() + "\n").collect()
}

#[test]
fn committed_vectors() {
    let text = own();
    let (passed, failed) = run(&text);
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(passed > 300, "only {passed} lines");
}

#[test]
fn committed_vectors_cover_every_row() {
    let text = own();
    let missing = uncovered_rows(text.lines().filter(|l| l.starts_with("0x") && !l.ends_with("invalid")));
    assert!(missing.is_empty(), "rows without a vector: {missing:?}");
}

#[test]
fn shared_vectors() {
    let shared = std::env::var_os("GPUCC_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(shared.join("vectors/vivante.tsv")) else {
        println!("skipped: no shared vectors");
        return;
    };
    let (passed, failed) = run(&text);
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
