//! Tests of `backend-tesla/profile/src/sfu.rs`.

use core::primitive::{f32, f64};
use gpucc_tesla_profile::sfu::*;

/// Within what the reference says of each function.
#[test]
fn close_to_the_functions() {
    let near = |got: Bits, want: f64, error: f64| {
        let got = f64::from(f32::from_bits(got));
        assert!((got - want).abs() <= error, "{got} {want}");
    };
    let mut x = 0.011_f32;
    while x < 90.0 {
        let (bits, w) = (x.to_bits(), f64::from(x));
        near(rcp(bits), 1.0 / w, 2.5e-7 / w);
        near(rsqrt(bits), 1.0 / w.sqrt(), 4.0e-7 / w.sqrt());
        near(lg2(bits), w.log2(), 3.0e-7_f64.max(w.log2().abs() * 1.5e-7));
        near(ex2(preex2(bits)), w.exp2(), w.exp2() * 1.0e-5);
        near(ex2(preex2((-x).to_bits())), (-w).exp2(), (-w).exp2() * 1.0e-5);
        near(sin(presin(bits)), w.sin(), 1.0e-5);
        near(cos(presin((-x).to_bits())), w.cos(), 1.0e-5);
        x *= 1.013;
    }
    for (x, want) in [(0, INFINITY), (0x8000_0001, 0xff80_0000), (0x7f80_0001, CANONICAL_NAN), (INFINITY, 0)] {
        assert_eq!(rcp(x), want);
    }
    assert_eq!(rsqrt(0x4080_0000), 0x3f00_0000);
    assert_eq!(lg2(0x3f80_0000), 0);
    assert_eq!(ex2(preex2(0x4040_0000)), 0x4100_0000);
}

#[test]
fn product_is_cut() {
    assert_eq!(mad(3.0, 5.0, 1.0), 16.0);
    // 1.0000001^2 has bits below its 24th.
    let a = f32::from_bits(0x3f80_0001);
    assert_eq!(mad(a, a, 1.0e-20).to_bits(), 0x3f80_0002);
    let b = f32::from_bits(0x3fff_ffff);
    assert_eq!(mad(b, b, 1.0e-20).to_bits(), 0x407f_fffe);
    assert_eq!(mad(f32::INFINITY, 0.0, 1.0).to_bits() & INFINITY, INFINITY);
}
