//! Encoding against words made by other tools: the committed sample always, the shared file when it is there.

#[path = "../../../tests/support/vectors.rs"]
mod support;

use gpucc_valhall_machine::{OPS, decode_word, vectors::check_vector};

#[test]
fn committed_sample() {
    assert!(support::check(include_str!("../vectors/sample.txt"), check_vector) >= 500);
}

#[test]
fn committed_sample_covers_every_row() {
    let mut seen = vec![false; OPS.len()];
    for line in include_str!("../vectors/sample.txt").lines().filter(|l| l.starts_with("0x") && !l.contains('!')) {
        let word = u64::from_str_radix(&line[2..18], 16).unwrap();
        seen[decode_word(word, 0, gpucc_isa::stage::ALL).unwrap().op() as usize] = true;
    }
    let missing: Vec<_> = OPS.iter().filter(|&&op| !seen[op as usize]).collect();
    assert!(missing.is_empty(), "rows without a vector: {missing:?}");
}

#[test]
fn refused_words() {
    support::check(include_str!("../vectors/refused.txt"), check_vector);
}

#[test]
fn shared_file() {
    support::check_shared("valhall", check_vector);
}
