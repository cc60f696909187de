//! Modules lose what the fault does not need.

use crate::shrink;
use gpucc_reduce::Subject;
use gpucc_reduce::spirv::Module;

/// Header; a type, two constants, a function with two blocks and a conditional branch, a name.
fn module() -> Vec<u8> {
    let inst = |op: u32, rest: &[u32]| {
        let mut w = vec![(rest.len() as u32 + 1) << 16 | op];
        w.extend_from_slice(rest);
        w
    };
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    for (op, rest) in [
        (5u32, &[1u32, 0x006e_6961][..]),
        (19, &[2]),
        (21, &[3, 32, 0]),
        (20, &[4]),
        (33, &[5, 2]),
        (43, &[3, 6, 1]),
        (43, &[3, 7, 9]),
        (41, &[4, 8]),
        (54, &[2, 1, 0, 5]),
        (248, &[10]),
        (128, &[3, 11, 6, 7]),
        (132, &[3, 12, 11, 7]),
        (247, &[14, 0]),
        (250, &[8, 13, 14]),
        (248, &[13]),
        (249, &[14]),
        (248, &[14]),
        (194, &[3, 15, 12, 6]),
        (253, &[]),
        (56, &[]),
    ] {
        words.extend(inst(op, rest));
    }
    words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect()
}

fn opcodes(bytes: &[u8]) -> Vec<u32> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let (mut at, mut out) = (5, Vec::new());
    while at < words.len() {
        out.push(words[at] & 0xffff);
        at += (words[at] >> 16) as usize;
    }
    out
}

#[test]
fn instructions_blocks_and_branches_go() {
    let m = Module::new(&module()).expect("a module");
    let fault = |b: &[u8]| {
        let list = opcodes(b);
        let function = list.contains(&54) && list.contains(&56);
        function && list.contains(&194) && list.iter().filter(|o| **o == 248).count() >= 1
    };
    let (best, _) = shrink(m, fault);
    assert_eq!(opcodes(&best.bytes()), [54, 248, 194, 56]);
}

#[test]
fn a_conditional_branch_becomes_one_way() {
    let m = Module::new(&module()).expect("a module");
    let one_way: Vec<Vec<u32>> =
        m.edits(2).iter().filter_map(|e| m.apply(std::slice::from_ref(e))).map(|m| opcodes(&m.bytes())).collect();
    assert_eq!(one_way.len(), 4);
    assert!(one_way.iter().all(|l| !l.contains(&250) && l.iter().filter(|o| **o == 249).count() == 2));
    assert_eq!(one_way.iter().filter(|l| l.contains(&247)).count(), 2);
}

/// An input goes with its decoration and its place in the interface of the entry point, and then its types.
#[test]
fn what_is_said_of_a_thing_goes_with_it() {
    let inst = |op: u32, rest: &[u32]| [&[(rest.len() as u32 + 1) << 16 | op], rest].concat();
    // The name of the entry point is `main` and a word of zeros.
    let entry = [4, 1, 0x6e69_616d, 0, 9, 8];
    let list: [(u32, &[u32]); 11] = [
        (15, &entry),
        (71, &[9, 30, 0]),
        (19, &[2]),
        (22, &[3, 32]),
        (32, &[4, 1, 3]),
        (59, &[4, 9, 1]),
        (59, &[4, 8, 1]),
        (33, &[5, 2]),
        (54, &[2, 1, 0, 5]),
        (248, &[10]),
        (56, &[]),
    ];
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    list.iter().for_each(|(op, rest)| words.extend(inst(*op, rest)));
    let bytes: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    let m = Module::new(&bytes).expect("a module");
    let all: Vec<Module> = m.edits(4).iter().filter_map(|e| m.apply(std::slice::from_ref(e))).collect();
    let without = |m: &Module| opcodes(&m.bytes()) == [15, 19, 22, 32, 59, 33, 54, 248, 56];
    let smaller = all.iter().find(|m| without(m)).expect("an edit that takes the variable with all that is said of it");
    let head: Vec<u8> = inst(15, &[4, 1, 0x6e69_616d, 0, 8]).iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(smaller.bytes()[20..20 + head.len()], head);
}

#[test]
fn what_is_no_module_is_told() {
    for bytes in [&b"abc"[..], &[0; 20], &module()[..module().len() - 12]] {
        assert!(Module::new(bytes).is_err());
    }
}
