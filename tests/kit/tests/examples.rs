//! Tests of `tests/kit/src/examples.rs`.

use gpucc_kit::examples::*;

#[test]
fn pi_is_pi() {
    // The independent result is itself plausible: 3500 points give pi within a tenth.
    let Words::U32(hits) = &pi().expected[0].words else { panic!("integers") };
    let estimate = 4.0 * f64::from(hits.iter().sum::<u32>()) / (70.0 * 50.0);
    assert!((estimate - std::f64::consts::PI).abs() < 0.1, "{estimate}");
}

#[test]
fn mandelbrot_counts_do_not_hang_on_rounding() {
    let Words::U32(image) = &mandelbrot().expected[0].words else { panic!("integers") };
    for (i, &n) in image.iter().enumerate() {
        let (cx, cy) = (-2.0 + (i % 20) as f64 * 0.15625, -1.25 + (i / 20) as f64 * 0.21875);
        let (mut zx, mut zy, mut m) = (0f64, 0f64, 0);
        while m < 64 && zx * zx + zy * zy <= 4.0 {
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
            m += 1;
        }
        assert_eq!(n, m, "pixel {i}");
    }
}
