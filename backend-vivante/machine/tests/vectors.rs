//! Words and texts from outside: the committed sample always, the whole shared file when it is there.

#[path = "../../../tests/support/vectors.rs"]
mod support;

use std::path::PathBuf;

use gpucc_vivante_machine::vectors::{check_vector, uncovered_rows};

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
    assert!(support::check(&own(), check_vector) > 300);
}

#[test]
fn committed_vectors_cover_every_row() {
    let text = own();
    let missing = uncovered_rows(text.lines().filter(|l| l.starts_with("0x") && !l.ends_with("invalid")));
    assert!(missing.is_empty(), "rows without a vector: {missing:?}");
}

#[test]
fn shared_vectors() {
    support::check_shared("vivante", check_vector);
}
