//! Vectors of other tools: the whole shared file where it is present, and a sample of it always.

#[path = "../../../tests/support/vectors.rs"]
mod support;

use std::collections::BTreeSet;

use gpucc_gcn_machine::vectors::generation;
use gpucc_gcn_machine::{check_vector, decode, table};
use gpucc_isa::stage;

const SAMPLE: [&str; 7] = [
    include_str!("../vectors/scalar.txt"),
    include_str!("../vectors/vector.txt"),
    include_str!("../vectors/compare.txt"),
    include_str!("../vectors/memory.txt"),
    include_str!("../vectors/image.txt"),
    include_str!("../vectors/generations.txt"),
    include_str!("../vectors/reference.txt"),
];

#[test]
fn shared_vectors() {
    support::check_shared("gcn", check_vector);
}

#[test]
fn committed_vectors() {
    let all = SAMPLE.into_iter().chain([include_str!("../vectors/refused.txt")]);
    let n: usize = all.map(|text| support::check(text, check_vector)).sum();
    assert!(n > 5000);
}

/// Row and generation of a line.
fn encoding(line: &str) -> Option<(u16, u8)> {
    let mut parts = line.split('\t');
    let g = generation(parts.next()?)?;
    let bytes: Option<Vec<u8>> = parts.next()?.split(',').map(|b| u8::from_str_radix(b, 16).ok()).collect();
    let (inst, _) = decode(&bytes?, g, stage::ALL).ok()?;
    Some((inst.row, g))
}

/// Each row is held by a word of another tool on each generation that has it: opcodes differ between them.
#[test]
fn every_encoding_has_a_line() {
    let covered: BTreeSet<(u16, u8)> = SAMPLE.iter().flat_map(|t| t.lines()).filter_map(encoding).collect();
    let missing: Vec<String> = (0u16..)
        .zip(table().rows)
        .flat_map(|(n, r)| (0..3u8).filter(move |&g| r.enc_on(g).is_some()).map(move |g| (n, g, r)))
        .filter(|&(n, g, _)| !covered.contains(&(n, g)))
        .map(|(n, g, r)| format!("{n} gfx{} {} ({} bytes, {:?})", 6 + g, r.text, r.bytes, r.attrs.format))
        .collect();
    assert!(missing.is_empty(), "{} without a line: {missing:#?}", missing.len());
}
