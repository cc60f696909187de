//! Tests of `ir/src/eval.rs`.

use gpucc_ir::eval::*;
use gpucc_ir::function::Const;
use gpucc_ir::inst::Attr;
use gpucc_ir::ops::Op;
use gpucc_ir::types::{Scalar, Type};

fn i32_lane(op: Op, a: &[u64]) -> u32 {
    lane(op, &Attr::None, Scalar::I32, Scalar::I32, a).unwrap() as u32
}

#[test]
fn division_has_wgsl_meaning() {
    let min = 0x8000_0000;
    let m1 = 0xffff_ffff;
    assert_eq!(i32_lane(Op::SDiv, &[7, 0]), 7);
    assert_eq!(i32_lane(Op::SDiv, &[min, m1]), 0x8000_0000);
    assert_eq!(i32_lane(Op::SRem, &[min, m1]), 0);
    assert_eq!(i32_lane(Op::SRem, &[7, 0]), 0);
    assert_eq!(i32_lane(Op::UDiv, &[7, 0]), 7);
    assert_eq!(i32_lane(Op::URem, &[7, 0]), 0);
    assert_eq!(i32_lane(Op::SDiv, &[(-7_i32) as u32 as u64, 2]), -3_i32 as u32);
    assert_eq!(i32_lane(Op::SRem, &[(-7_i32) as u32 as u64, 2]), -1_i32 as u32);
}

/// Exhaustive at 8 bits against arithmetic written another way.
#[test]
fn eight_bit_ops() {
    for a in 0..256_u64 {
        for b in 0..256_u64 {
            let (x, y) = (a as u8, b as u8);
            let (p, q) = (x as i8, y as i8);
            let on = |op| lane(op, &Attr::None, Scalar::I8, Scalar::I8, &[a, b]).unwrap() as u8;
            assert_eq!(on(Op::UMulHi), ((u16::from(x) * u16::from(y)) >> 8) as u8);
            assert_eq!(on(Op::SMulHi), ((i16::from(p) * i16::from(q)) >> 8) as u8);
            assert_eq!(on(Op::SDiv), if q == 0 { p } else { p.wrapping_div(q) } as u8);
            assert_eq!(on(Op::SRem), if q == 0 { 0 } else { p.wrapping_rem(q) } as u8);
            assert_eq!(on(Op::Shl), x.wrapping_shl(b as u32));
            assert_eq!(on(Op::UShr), x.wrapping_shr(b as u32));
            assert_eq!(on(Op::SShr), p.wrapping_shr(b as u32) as u8);
            assert_eq!(on(Op::SMin), p.min(q) as u8);
            assert_eq!(on(Op::IAdd), x.wrapping_add(y));
        }
        let x = a as u8;
        let on = |op| lane(op, &Attr::None, Scalar::I8, Scalar::I8, &[a]).unwrap() as u8;
        assert_eq!(u32::from(on(Op::Clz)), x.leading_zeros());
        assert_eq!(u32::from(on(Op::Ctz)), x.trailing_zeros());
        assert_eq!(u32::from(on(Op::Popcount)), x.count_ones());
        assert_eq!(on(Op::BitReverse), x.reverse_bits());
        assert_eq!(on(Op::IAbs), (x as i8).unsigned_abs());
    }
}

#[test]
fn float_to_int_saturates_to_common_values() {
    let f = |op, v: f32| lane(op, &Attr::None, Scalar::F32, Scalar::I32, &[u64::from(v.to_bits())]).unwrap() as u32;
    assert_eq!(f(Op::F2S, 3e9), 2_147_483_520);
    assert_eq!(f(Op::F2S, -3e9), 0x8000_0000);
    assert_eq!(f(Op::F2U, 5e9), 4_294_967_040);
    assert_eq!(f(Op::F2U, -1.0), 0);
    assert_eq!(f(Op::F2S, f32::INFINITY), 2_147_483_520);
    assert_eq!(f(Op::F2S, f32::NAN), 0);
    assert_eq!(f(Op::F2S, -1.9) as i32, -1);
    assert_eq!(f(Op::F2SFull, 3e9), 0x7fff_ffff);
    assert_eq!(f(Op::F2UFull, 5e9), 0xffff_ffff);
    let h = |op, v: u64| lane(op, &Attr::None, Scalar::F16, Scalar::I32, &[v]).unwrap() as i32;
    assert_eq!(h(Op::F2S, 0x7c00), 65504);
    assert_eq!(h(Op::F2S, 0xfc00), -65504);
    assert_eq!(h(Op::F2U, 0x7bff), 65504);
}

#[test]
fn bit_fields() {
    assert_eq!(i32_lane(Op::UBitExtract, &[0xabcd_1234, 8, 8]), 0x12);
    assert_eq!(i32_lane(Op::SBitExtract, &[0xabcd_f234, 8, 8]), 0xffff_fff2);
    assert_eq!(i32_lane(Op::UBitExtract, &[0xabcd_1234, 24, 99]), 0xab);
    assert_eq!(i32_lane(Op::UBitExtract, &[0xabcd_1234, 40, 9]), 0);
    assert_eq!(i32_lane(Op::UBitExtract, &[0xabcd_1234, 0, 32]), 0xabcd_1234);
    assert_eq!(i32_lane(Op::BitInsert, &[0xffff_ffff, 0, 4, 8]), 0xffff_f00f);
    assert_eq!(i32_lane(Op::BitInsert, &[1, 7, 99, 3]), 1);
    assert_eq!(i32_lane(Op::FShr, &[0x1234_5678, 0x9abc_def0, 36]), 0x89ab_cdef);
    assert_eq!(i32_lane(Op::FShr, &[1, 2, 0]), 2);
    assert_eq!(i32_lane(Op::BitSel, &[0xff00_ff00, 0x1234_5678, 0x9abc_def0]), 0x12bc_56f0);
    assert_eq!(i32_lane(Op::BitInsert, &[1, 7, 0, 32]), 7);
}

#[test]
fn bitcast_relanes() {
    let c = Const::new(Type::I16.with_lanes(2), &[0x1234, 0xabcd]);
    let r = apply(Op::Bitcast, &Attr::None, Type::F32, &[&c]).unwrap();
    assert_eq!(r.bits[0], 0xabcd_1234);
    let back = apply(Op::Bitcast, &Attr::None, c.ty, &[&r]).unwrap();
    assert_eq!(back, c);
}

/// Where axes of a direction are alike the machine chooses the face.
#[test]
fn cubes_fold_where_one_axis_is_the_longest() {
    let of = |v: [f32; 3]| {
        let c = Const::new(Type::F32.with_lanes(3), &v.map(|x| u64::from(x.to_bits())));
        apply(Op::CubeCoords, &Attr::None, Type::F32.with_lanes(4), &[&c]).map(|c| c.bits.to_vec())
    };
    let want = [-0.5, 0.25, 2.0, 5.0].map(|x: f32| u64::from(x.to_bits()));
    assert_eq!(of([0.5, -0.25, -1.0]).as_deref(), Some(&want[..]));
    assert_eq!(of([1.0, 0.5, -1.0]), None);
    assert_eq!(of([0.0, 0.0, -0.0]), None);
}
