//! Vectors of other tools: the whole shared file where it is present, and a sample of it always.

use std::path::PathBuf;

use gpucc_gcn_machine::check_vector;

fn shared() -> PathBuf {
    match std::env::var_os("GPUCC_SHARED") {
        Some(p) => p.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    }
}

fn check(text: &str) -> usize {
    let mut failed = Vec::new();
    let mut n = 0;
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        n += 1;
        if let Err(e) = check_vector(line) {
            failed.push(format!("{line}: {e}"));
        }
    }
    let shown: Vec<&String> = failed.iter().take(std::env::var("SHOW").map_or(20, |s| s.parse().unwrap())).collect();
    assert!(failed.is_empty(), "{} of {n} lines fail, such as\n{shown:#?}", failed.len());
    n
}

#[test]
fn shared_vectors() {
    match std::fs::read_to_string(shared().join("vectors/gcn.tsv")) {
        Ok(text) => println!("{} lines", check(&text)),
        Err(_) => println!("skipped: no shared vectors"),
    }
}

#[test]
fn committed_vectors() {
    let n: usize = [
        include_str!("../vectors/scalar.txt"),
        include_str!("../vectors/vector.txt"),
        include_str!("../vectors/compare.txt"),
        include_str!("../vectors/memory.txt"),
        include_str!("../vectors/image.txt"),
        include_str!("../vectors/refused.txt"),
    ]
    .into_iter()
    .map(check)
    .sum();
    assert!(n > 3000);
}
