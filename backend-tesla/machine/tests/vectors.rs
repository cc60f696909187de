//! Outside vectors: the shared file when it is there, the committed sample always.

use gpucc_tesla_machine::vectors::check_vector;
use std::path::PathBuf;

fn shared() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    std::env::var_os("GPUCC_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from)
}

fn check(text: &str) -> (usize, Vec<String>) {
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    (lines.len(), lines.iter().filter_map(|l| check_vector(l).err()).collect())
}

#[test]
fn shared_vectors() {
    let path = shared().join("vectors/tesla.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let (rows, failed) = check(&text);
    println!("{} passed, {} failed", rows - failed.len(), failed.len());
    for f in failed.iter().take(40) {
        println!("{f}");
    }
    assert!(failed.is_empty(), "{} of {rows} rows fail", failed.len());
}

#[test]
fn committed_sample() {
    for text in [
        include_str!("../vectors/sample.tsv"),
        include_str!("../vectors/reference.tsv"),
        include_str!("../vectors/invalid.tsv"),
    ] {
        let (rows, failed) = check(text);
        assert!(rows > 20 && failed.is_empty(), "{failed:#?}");
    }
}

#[test]
fn sample_covers_every_row() {
    use gpucc_tesla_machine::{decode_word, table, text, vectors};
    let mut seen = vec![false; table().rows.len()];
    for line in include_str!("../vectors/sample.tsv").lines().chain(include_str!("../vectors/reference.tsv").lines()) {
        if line.starts_with('#') {
            continue;
        }
        let c: Vec<&str> = line.split('\t').collect();
        let words: Vec<u32> = c[0].split(' ').map(|w| u32::from_str_radix(&w[2..], 16).unwrap()).collect();
        let variant = c[2].split(',').next().and_then(vectors::variant).unwrap();
        let stages = c[3].split(',').next().and_then(text::stage_of).unwrap();
        seen[usize::from(decode_word(&words, variant, stages).unwrap().row)] = true;
    }
    let missing: Vec<_> = table().rows.iter().zip(&seen).filter(|(_, s)| !**s).map(|(r, _)| r.text).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn rows_are_not_ambiguous() {
    // Too many pairs for compile time.
    gpucc_isa::check::ambiguity(gpucc_tesla_machine::rows::ROWS);
}
