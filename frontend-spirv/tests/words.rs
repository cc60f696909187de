//! Framing: what is no module is told by its word.

use crate::common::lower;
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
    // One of an extension that is younger than the tables has a name all the same, as has one that is cut off.
    assert!(with(&[6 << 16 | 6916, 1, 2, 3, 4, 5]).contains("`OpFDot2MixAcc32VALVE`"));
    assert!(with(&[9 << 16 | 19]).contains("`OpTypeVoid` at word 5"));
    // OpTypeVoid %1 twice, %10 beyond the bound, too few and too many operands.
    assert!(with(&[2 << 16 | 19, 1, 2 << 16 | 19, 1]).contains("%1 is defined twice"));
    assert!(with(&[2 << 16 | 19, 10]).contains("names %10, which the header's bound 10 excludes"));
    assert!(with(&[1 << 16 | 19]).contains("has too few operands"));
    assert!(with(&[3 << 16 | 19, 1, 2]).contains("has too many operands"));
    // A big-endian module is read, too.
    let swapped: Vec<u32> = HEAD.iter().map(|w| w.swap_bytes()).collect();
    assert_eq!(said(&swapped), "");
}

/// A module with an entry point of the function type, the result and the parameter that are given: ids of void 2, uint 3, function types 4 (no
/// parameter, void), 5 (void, uint) and 6 (uint, none), a constant 7 of uint.
fn entry(result: u32, ty: u32, parameters: &[u32], end: &[u32]) -> Vec<u8> {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 20, 0];
    words.extend([2 << 16 | 17, 1, 3 << 16 | 14, 0, 1, 5 << 16 | 15, 5, 10, u32::from_le_bytes(*b"main"), 0]);
    words.extend([6 << 16 | 16, 10, 17, 1, 1, 1, 2 << 16 | 19, 2, 4 << 16 | 21, 3, 32, 0, 3 << 16 | 33, 4, 2]);
    words.extend([4 << 16 | 33, 5, 2, 3, 3 << 16 | 33, 6, 3, 4 << 16 | 43, 3, 7, 9, 5 << 16 | 54, result, 10, 0, ty]);
    for (k, &ty) in parameters.iter().enumerate() {
        words.extend([3 << 16 | 55, ty, 11 + k as u32]);
    }
    words.extend([2 << 16 | 248, 15]);
    words.extend(end);
    words.extend([1 << 16 | 56]);
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// An entry point takes nothing and gives nothing; a function is what its type says.
#[test]
fn functions_have_their_types() {
    let (none, value) = ([1 << 16 | 253], [2 << 16 | 254, 7]);
    assert!(lower(&entry(2, 4, &[], &none)).is_ok());
    let said = |bytes: &[u8]| {
        let list = lower(bytes).expect_err("it is wrong");
        assert_eq!(list[0].class, Class::Invalid, "{}", list[0]);
        list[0].message.clone()
    };
    assert!(said(&entry(3, 6, &[], &value)).contains("`OpFunction` at word 41: an entry point has no"));
    assert!(said(&entry(2, 5, &[3], &none)).contains("an entry point has no parameters"));
    assert!(said(&entry(2, 4, &[3], &none)).contains("its parameters are not those of its type %4"));
    assert!(said(&entry(2, 5, &[], &none)).contains("its parameters are not those of its type %5"));
    assert!(said(&entry(2, 6, &[], &none)).contains("its result is %2, that of its type %3"));
    assert!(said(&entry(2, 3, &[], &none)).contains("%3 is no type of functions"));
    assert!(said(&entry(2, 4, &[], &value)).contains("has another type than the function"));
}

/// Numbers of an image's type have few values.
#[test]
fn image_types_have_numbers_with_a_meaning() {
    let with = |depth: u32, layers: u32, samples: u32, sampled: u32| {
        let mut bytes = entry(2, 4, &[], &[1 << 16 | 253]);
        let ty = [9 << 16 | 25, 12, 3, 1, depth, layers, samples, sampled, 0];
        let ty = ty.iter().flat_map(|w: &u32| w.to_le_bytes());
        bytes.splice(41 * 4..41 * 4, ty);
        lower(&bytes).err().map(|list| list[0].message.clone())
    };
    assert_eq!(with(2, 1, 1, 1), None);
    for (depth, layers, samples, sampled) in [(3, 0, 0, 1), (0, 2, 0, 1), (0, 0, 1_116_087_761, 1), (0, 0, 0, 3)] {
        let said = with(depth, layers, samples, sampled).expect("it is wrong");
        assert!(said.contains("`OpTypeImage` at word 41: one of its numbers has no meaning"), "{said}");
    }
}
