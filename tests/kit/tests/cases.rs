//! Tests of `tests/kit/src/cases.rs`.

use gpucc_kit::cases::*;

#[test]
fn atoms_follow_the_written_rules() {
    // The rules of the case format: zeros of either sign are equal, NaN never matches, intervals include their ends.
    assert_eq!(atom_accepts("00000000", 0x8000_0000, "f32"), Ok(true));
    assert_eq!(atom_accepts("7fc00000", 0x7fc0_0000, "f32"), Ok(false));
    assert_eq!(atom_accepts("3f800000~40000000", 0x4000_0000, "f32"), Ok(true));
    assert_eq!(atom_accepts("3f800000~40000000", 0x4000_0001, "f32"), Ok(false));
    assert_eq!(atom_accepts("1", 7, "bool"), Ok(true));
    assert_eq!(atom_accepts("ffffffff", 0xffff_ffff, "i32"), Ok(true));
    assert_eq!(atom_accepts("3c00", 0x3c00, "f16"), Ok(true));
    assert_eq!(element_accepts("1,2|3,4", &[3, 4], "u32"), Ok(true));
    assert_eq!(element_accepts("1,2|3,4", &[1, 4], "u32"), Ok(false));
    assert_eq!(element_accepts("1/5,*", &[5, 9], "u32"), Ok(true));
}

#[test]
fn half_values() {
    assert_eq!(f16_to_f64(0x3c00), 1.0);
    assert_eq!(f16_to_f64(0x0001), 2f64.powi(-24));
    assert_eq!(f16_to_f64(0xfbff), -65504.0);
    assert_eq!(f16_to_f64(0x7c00), f64::INFINITY);
}

#[test]
fn masked_bytes() {
    let check = Check {
        group: 0,
        binding: 0,
        kind: "bytes".into(),
        scalar: String::new(),
        offsets: vec![],
        stride: 0,
        expected: vec![],
        offset: 4,
        hex: "0102".into(),
        mask: Some("ff00".into()),
    };
    assert!(check.holds(&[9, 9, 9, 9, 1, 77]).is_ok());
    assert!(check.holds(&[9, 9, 9, 9, 2, 2]).is_err());
    assert!(check.holds(&[9, 9, 9, 9, 1]).is_err());
}
