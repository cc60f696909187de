//! Outside vectors: the shared file when it is there, the committed sample always.

#[path = "../../../tests/support/vectors.rs"]
mod support;

use gpucc_tesla_machine::vectors::check_vector;

#[test]
fn shared_vectors() {
    support::check_shared("tesla", check_vector);
}

#[test]
fn committed_sample() {
    for text in [
        include_str!("../vectors/sample.tsv"),
        include_str!("../vectors/reference.tsv"),
        include_str!("../vectors/invalid.tsv"),
    ] {
        assert!(support::check(text, check_vector) > 20);
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
