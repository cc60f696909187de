//! Encoding against words made by other tools: the committed sample always, the shared file when it is there.

use std::path::PathBuf;

use gpucc_valhall_machine::{OPS, decode_word, vectors::check_vector};

fn check_all(text: &str) -> (usize, Vec<String>) {
    let mut passed = 0;
    let mut failed = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match check_vector(line) {
            Ok(()) => passed += 1,
            Err(e) => failed.push(e),
        }
    }
    (passed, failed)
}

#[test]
fn committed_sample() {
    let (passed, failed) = check_all(include_str!("../vectors/sample.txt"));
    assert!(failed.is_empty(), "{} failures:\n{}", failed.len(), failed.join("\n"));
    assert!(passed >= 500);
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
    let (_, failed) = check_all(include_str!("../vectors/refused.txt"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn shared_file() {
    let dir = std::env::var_os("GPUCC_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared"));
    let Ok(text) = std::fs::read_to_string(dir.join("vectors/valhall.tsv")) else {
        println!("skipped: no {}", dir.display());
        return;
    };
    let (passed, failed) = check_all(&text);
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failures:\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}
