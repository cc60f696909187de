//! Words and texts from outside: the committed sample always, the whole shared file when it is there.

#[path = "../../../tests/support/vectors.rs"]
mod support;

use std::path::PathBuf;

use gpucc_isa::stage;
use gpucc_vivante_machine::{GC7000, decode_word, listing::parse_words, table, vectors::check_vector};

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
    let mut missing: Vec<_> = table().rows.iter().map(|r| Some(r.op)).collect();
    for line in own().lines().filter(|l| l.starts_with("0x") && !l.ends_with("invalid")) {
        let words = parse_words(line.split('\t').next().unwrap()).unwrap();
        if let Ok(inst) = decode_word(words, GC7000, stage::ALL) {
            missing[inst.row as usize] = None;
        }
    }
    missing.retain(Option::is_some);
    assert!(missing.is_empty(), "rows without a vector: {missing:?}");
}

#[test]
fn shared_vectors() {
    support::check_shared("vivante", check_vector);
}
