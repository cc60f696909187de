//! Framing: what is no module is told by its word.

use gpucc_frontend_spirv::parse;
use gpucc_ir::Class;

fn said(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    match parse(&bytes) {
        Ok(_) => String::new(),
        Err(list) => {
            assert!(list[0].class != Class::Internal, "{}", list[0]);
            list[0].message.clone()
        }
    }
}

#[test]
fn framing_is_checked() {
    const HEAD: [u32; 5] = [0x0723_0203, 0x0001_0300, 0, 10, 0];
    let with = |rest: &[u32]| said(&[&HEAD[..], rest].concat());
    assert_eq!(with(&[]), "");
    assert!(said(&[]).contains("the file is empty"));
    assert!(said(&[7; 5]).contains("magic number"));
    assert!(said(&HEAD[..4]).contains("cut off"));
    // Too long, of no length, and an instruction that the grammar does not have.
    assert!(with(&[9 << 16 | 19]).contains("claims 9 words, 1 are left"));
    assert!(with(&[19]).contains("claims 0 words"));
    assert!(with(&[1 << 16 | 9999]).contains("instruction 9999"));
    // OpTypeVoid %1 twice, %10 beyond the bound, too few and too many operands.
    assert!(with(&[2 << 16 | 19, 1, 2 << 16 | 19, 1]).contains("%1 is defined twice"));
    assert!(with(&[2 << 16 | 19, 10]).contains("names %10, which the header's bound 10 excludes"));
    assert!(with(&[1 << 16 | 19]).contains("has too few operands"));
    assert!(with(&[3 << 16 | 19, 1, 2]).contains("has too many operands"));
    // A big-endian module is read, too.
    let swapped: Vec<u32> = HEAD.iter().map(|w| w.swap_bytes()).collect();
    assert_eq!(said(&swapped), "");
}
