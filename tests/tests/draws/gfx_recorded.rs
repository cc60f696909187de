//! Recorded results that are not what the texturing reference says, and what shows it (`docs/drawing.md`).

use std::path::Path;

use gpucc_scene::cases::Case;
use gpucc_tests::{gfx, shared};

/// Cases in which what is interpolated at samples is divided by the 1/w of the pixel's centre. Section 4.4 of the reference takes
/// both at one point, and hardware that hands two weights to the program cannot do otherwise.
const CENTRE_W: &str = include_str!("../../gfx/centre-w.txt");

/// Whether machines are not held to what is recorded for a case.
pub fn is_open(case: &Case) -> bool {
    CENTRE_W.lines().any(|l| l == case.id)
}

/// A corner: place on the screen in pixels, 1/w, two components.
struct Corner {
    at: [f64; 2],
    inverse_w: f64,
    value: [f64; 2],
}

/// The triangle of `interpolation/ms/perspective-sample`, on 16x16 pixels.
fn corners(case: &Case) -> Vec<Corner> {
    let ready = gfx::ready(case, Path::new("")).expect("the scene is right");
    let number = ready.file.scene.buffers.position("v").expect("vertices");
    let bytes = &ready.resources.buffers[number];
    let floats: Vec<f64> =
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
    let corner = |v: &[f64]| Corner {
        at: [(v[0] / v[3] + 1.0) * 8.0, (1.0 - v[1] / v[3]) * 8.0],
        inverse_w: 1.0 / v[3],
        value: [v[4], v[5]],
    };
    floats.chunks_exact(6).map(corner).collect()
}

/// Shares of the corners at a point: areas opposite to them.
fn shares(c: &[Corner], p: [f64; 2]) -> [f64; 3] {
    let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let whole = area(c[0].at, c[1].at, c[2].at);
    [area(p, c[1].at, c[2].at), area(c[0].at, p, c[2].at), area(c[0].at, c[1].at, p)].map(|a| a / whole)
}

/// Values over w at one point, divided by the 1/w of another.
fn quotient(c: &[Corner], numerator: [f64; 2], denominator: [f64; 2]) -> [f64; 2] {
    let (a, b) = (shares(c, numerator), shares(c, denominator));
    let w: f64 = (0..3).map(|k| b[k] * c[k].inverse_w).sum();
    [0, 1].map(|i| (0..3).map(|k| a[k] * c[k].value[i] * c[k].inverse_w).sum::<f64>() / w)
}

/// Largest and mean distance from what is recorded, and components outside of the case's tolerance.
#[derive(Clone, Copy, Default)]
struct Distance {
    largest: f64,
    sum: f64,
    outside: u32,
}

#[test]
fn what_is_recorded_at_samples_has_the_w_of_the_centre() {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    let cases = gfx::read(&folder.join("interpolation.json")).expect("the cases");
    let case = cases.iter().find(|c| c.id == "interpolation/ms/perspective-sample#A").expect("the case");
    assert!(is_open(case));
    let c = corners(case);
    let bytes = &case.expect[0].bytes;
    let recorded = |at: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[4 * at + k])));
    // Sixteenths of a pixel.
    let places = [[6.0, 2.0], [14.0, 6.0], [2.0, 10.0], [10.0, 14.0]];
    let mut readings = [Distance::default(); 3];
    let mut components = 0;
    for (k, place) in (0..16 * 16 * 4).map(|k| (k, places[k % 4])) {
        // Alpha is 1 where the sample is covered.
        if recorded(4 * k + 3) != 1.0 {
            continue;
        }
        components += 2;
        let pixel = [(k / 4 % 16) as f64, (k / 64) as f64];
        let centre = pixel.map(|p| p + 0.5);
        let sample = [0, 1].map(|i| pixel[i] + place[i] / 16.0);
        for (d, (numerator, denominator)) in
            readings.iter_mut().zip([(sample, sample), (sample, centre), (centre, centre)])
        {
            for (i, have) in quotient(&c, numerator, denominator).into_iter().enumerate() {
                let want = recorded(4 * k + i);
                let off = (have - want).abs();
                d.largest = d.largest.max(off);
                d.sum += off;
                // The tolerance that the case gives.
                d.outside += u32::from(off > 0.00390625 + 0.001953125 * want.abs());
            }
        }
    }
    for (d, what) in readings.iter().zip(["sample, sample", "sample, centre", "centre, centre"]) {
        println!("{what}: {:.4} {:.4} {}", d.largest, d.sum / f64::from(components), d.outside);
    }
    assert_eq!((components, readings.map(|d| d.outside)), (452, [205, 0, 452]));
    // The rounding of halves.
    assert!(readings[1].largest < 0.0011, "{}", readings[1].largest);
}
