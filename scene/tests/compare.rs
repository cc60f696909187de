//! Comparisons, by values made by hand.

use gpucc_scene::compare::{Compare, Difference, Kind, Type};

fn near(ty: Type, abs: f64, rel: f64) -> Compare {
    Compare { kind: Kind::Near { ty, abs, rel }, pixel: 1, share: 0.0 }
}

fn floats(list: &[f32]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn exact_looks_at_masked_bits_only() {
    let exact = Compare::exact();
    assert!(exact.check(&[1, 2], &[1, 2]).is_ok());
    let d = exact.check(&[1, 2], &[1, 3]).expect_err("a difference");
    assert_eq!(d.to_string(), "pixel 1, component 0: 0x03 where 0x02 is expected; 1 of 2 pixels differ");
    assert_eq!(exact.check(&[1, 2], &[1]), Err(Difference::Length { want: 2, got: 1 }));
    let masked = Compare { kind: Kind::Exact { mask: Some(vec![0xff, 0xfe]) }, ..exact };
    assert!(masked.check(&[1, 2], &[1, 3]).is_ok());
    assert!(masked.check(&[1, 2], &[1, 4]).is_err());
    // Bytes behind a short mask are not compared.
    assert!(masked.check(&[1, 2, 3], &[1, 2, 4]).is_ok());
}

#[test]
fn near_takes_absolute_and_relative_parts() {
    let n = near(Type::F32, 0.5, 0.0);
    assert!(n.check(&floats(&[1.0, -1.0]), &floats(&[1.5, -1.5])).is_ok());
    assert!(n.check(&floats(&[1.0]), &floats(&[1.500001])).is_err());
    let n = near(Type::F32, 0.0, 0.25);
    assert!(n.check(&floats(&[-8.0]), &floats(&[-10.0])).is_ok());
    assert!(n.check(&floats(&[-8.0]), &floats(&[-10.1])).is_err());
    let nan = floats(&[f32::NAN]);
    assert!(n.check(&nan, &floats(&[-f32::NAN])).is_ok());
    assert!(n.check(&nan, &floats(&[1.0])).is_err() && n.check(&floats(&[1.0]), &nan).is_err());
    let inf = floats(&[f32::INFINITY]);
    assert!(near(Type::F32, 1.0, 0.0).check(&inf, &inf).is_ok());
    assert!(near(Type::F32, 1.0, 0.0).check(&inf, &floats(&[f32::MAX])).is_err());
    assert_eq!(n.check(&[0; 3], &[0; 3]), Err(Difference::Torn { bytes: 3, size: 4 }));
}

#[test]
fn components_are_of_their_type() {
    // -1 and 1 are two apart as signed, 254 as unsigned bytes.
    assert!(near(Type::I8, 2.0, 0.0).check(&[0xff], &[1]).is_ok());
    assert!(near(Type::U8, 253.0, 0.0).check(&[0xff], &[1]).is_err());
    assert!(near(Type::I16, 2.0, 0.0).check(&[0xff, 0xff], &[1, 0]).is_ok());
    assert!(near(Type::U16, 2.0, 0.0).check(&[0xff, 0xff], &[1, 0]).is_err());
    assert!(near(Type::I32, 2.0, 0.0).check(&[0xff; 4], &[1, 0, 0, 0]).is_ok());
    assert!(near(Type::U32, 2.0, 0.0).check(&[0xff; 4], &[1, 0, 0, 0]).is_err());
    // f16: 0x3c00 is 1, 0x3c01 is 1 + 2^-10.
    assert!(near(Type::F16, 0.000_98, 0.0).check(&[0, 0x3c], &[1, 0x3c]).is_ok());
    assert!(near(Type::F16, 0.000_97, 0.0).check(&[0, 0x3c], &[1, 0x3c]).is_err());
    // rgb10a2: green 5 and 7, alpha 1 and 2.
    let (a, b) = (5u32 << 10 | 1 << 30, 7u32 << 10 | 1 << 30);
    assert!(near(Type::Rgb10a2, 2.0, 0.0).check(&a.to_le_bytes(), &b.to_le_bytes()).is_ok());
    assert!(near(Type::Rgb10a2, 1.0, 0.0).check(&a.to_le_bytes(), &b.to_le_bytes()).is_err());
    let d = near(Type::Rgb10a2, 0.0, 0.0).check(&a.to_le_bytes(), &(a ^ 3 << 30).to_le_bytes());
    assert!(matches!(d, Err(Difference::Value { pixel: 3, .. })), "each component is a pixel of its own here: {d:?}");
    // rg11b10: blue 1.0 is exponent 15 of 5 bits above 5 bits of fraction; one more in the fraction is 1 + 1/32.
    let (a, b) = ((15u32 << 5) << 22, (15u32 << 5 | 1) << 22);
    assert!(near(Type::Rg11b10, 0.032, 0.0).check(&a.to_le_bytes(), &b.to_le_bytes()).is_ok());
    assert!(near(Type::Rg11b10, 0.031, 0.0).check(&a.to_le_bytes(), &b.to_le_bytes()).is_err());
}

#[test]
fn ranges_are_open_where_the_least_is_greater() {
    let kind = Kind::Range { ty: Type::U8, lo: vec![10, 5], hi: vec![12, 0] };
    let r = Compare { kind, pixel: 2, share: 0.0 };
    assert!(r.check(&[0, 0], &[10, 77]).is_ok() && r.check(&[0, 0], &[12, 0]).is_ok());
    let d = r.check(&[0, 0], &[13, 77]).expect_err("a difference");
    assert_eq!(d.to_string(), "pixel 0, component 0: 13 where 10 to 12 is expected; 1 of 1 pixels differ");
    let f = |lo: f32, hi: f32| Compare {
        kind: Kind::Range { ty: Type::F32, lo: floats(&[lo]), hi: floats(&[hi]) },
        pixel: 1,
        share: 0.0,
    };
    assert!(f(0.0, 1.0).check(&floats(&[0.5]), &floats(&[f32::NAN])).is_err());
    assert!(f(1.0, 0.0).check(&floats(&[0.5]), &floats(&[f32::NAN])).is_ok());
}

#[test]
fn a_share_counts_pixels() {
    let of = |share: f64| Compare { kind: Kind::Near { ty: Type::U8, abs: 0.0, rel: 0.0 }, pixel: 2, share };
    // Two components of one pixel differ: one pixel of four.
    let (want, got) = ([0u8; 8], [0, 0, 9, 9, 0, 0, 0, 0]);
    assert!(of(0.25).check(&want, &got).is_ok());
    let d = of(0.2).check(&want, &got).expect_err("a difference").to_string();
    assert_eq!(d, "pixel 1, component 0: 9 where 0 is expected; 1 of 4 pixels differ, 0.2 of them may");
}
