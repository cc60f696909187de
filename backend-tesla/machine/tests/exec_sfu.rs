//! Tests of `backend-tesla/machine/src/exec/sfu.rs`.

use gpucc_tesla_machine::exec::float::CNAN;
use gpucc_tesla_machine::exec::sfu::*;

fn bits(x: f32) -> u32 {
    x.to_bits()
}

fn ulps(a: u32, b: f32) -> u32 {
    a.abs_diff(b.to_bits())
}

#[test]
fn special_values() {
    assert_eq!(rcp(bits(0.0)), INF);
    assert_eq!(rcp(bits(-0.0)), INF | 1 << 31);
    assert_eq!(rcp(1), INF); // a denormal counts as 0
    assert_eq!(rcp(INF), 0);
    assert_eq!(rcp(bits(f32::MAX)), 0); // above 2^126
    assert_eq!(rcp(0x7fc0_0000), CNAN);
    assert_eq!(rsqrt(bits(-1.0)), CNAN);
    assert_eq!(rsqrt(bits(-0.0)), INF | 1 << 31);
    assert_eq!(rsqrt(INF), 0);
    assert_eq!(lg2(0), INF | 1 << 31);
    assert_eq!(lg2(bits(-1.0)), CNAN);
    assert_eq!(lg2(bits(1.0)), 0);
    assert_eq!(lg2(INF), INF);
    assert_eq!(ex2(preex2(bits(200.0))), INF);
    assert_eq!(ex2(preex2(bits(-200.0))), 0);
    assert_eq!(ex2(preex2(0x7fc0_0000)), CNAN);
    assert_eq!(sin(presin(INF)), CNAN);
    assert_eq!(cos(presin(0x7fc0_0000)), CNAN);
}

#[test]
fn exact_powers() {
    for n in -100..100 {
        let x = 2f64.powi(n) as f32;
        assert_eq!(rcp(bits(x)), bits(2f64.powi(-n) as f32), "{n}");
        // One's complement of a negative sum: the last bits are lost below 1 (7.3).
        assert!(bits(n as f32) - lg2(bits(x)) <= 2 * u32::from(n < 0), "{n}");
        assert_eq!(ex2(preex2(bits(n as f32))), bits(x), "{n}");
        assert_eq!(rsqrt(bits(2f64.powi(2 * (n / 2)) as f32)), bits(2f64.powi(-(n / 2)) as f32));
    }
}

/// Errors as the reference states them, against f64 mathematics of the pinned library.
#[test]
fn accuracy() {
    let mut x = 1.0e-3_f32;
    while x < 1.0e3 {
        let d = f64::from(x);
        assert!(ulps(rcp(bits(x)), (1.0 / d) as f32) <= 1, "rcp {x}");
        assert!(ulps(rsqrt(bits(x)), (1.0 / d.sqrt()) as f32) <= 2, "rsqrt {x}");
        let lg = f64::from(f32::from_bits(lg2(bits(x))));
        let want = libm_log2(d);
        assert!((lg - want).abs() < 2f64.powi(-21) * want.abs().max(1.0), "lg2 {x}: {lg} {want}");
        x *= 1.0173;
    }
    let mut x = -9.0_f32;
    while x < 9.0 {
        let d = f64::from(x);
        let e = f64::from(f32::from_bits(ex2(preex2(bits(x)))));
        let want = libm_exp2(d);
        assert!((e / want - 1.0).abs() < 2f64.powi(-21), "ex2 {x}: {e} {want}");
        let s = f64::from(f32::from_bits(sin(presin(bits(x)))));
        assert!((s - gpucc_num::special::wide::sin(d)).abs() < 2f64.powi(-20), "sin {x}: {s}");
        let c = f64::from(f32::from_bits(cos(presin(bits(x)))));
        assert!((c - gpucc_num::special::wide::cos(d)).abs() < 2f64.powi(-20), "cos {x}: {c}");
        x += 0.0371;
    }
}

fn libm_log2(x: f64) -> f64 {
    gpucc_num::special::wide::log2(x)
}

fn libm_exp2(x: f64) -> f64 {
    gpucc_num::special::wide::exp2(x)
}
