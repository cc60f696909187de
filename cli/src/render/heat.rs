//! `render --heat`: what each pixel costs, as a picture with a scale.

use gpucc_render::frame::Costs;
use gpucc_scene::{Picture, sheet};

use crate::args::HeatBy;

/// Colours from nothing to the most; between them they are mixed.
const RAMP: [[u8; 3]; 6] = [[12, 8, 60], [30, 80, 190], [40, 170, 140], [240, 210, 50], [240, 110, 30], [200, 20, 30]];
/// A pixel that no fragment covered.
const NONE: [u8; 4] = [40, 40, 40, 255];
/// Rows of the scale below the picture.
const SCALE: u32 = 10;

/// The colour of a share from 0 to 1.
fn colour(share: f64) -> [u8; 4] {
    let at = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let k = (at as usize).min(RAMP.len() - 2);
    let part = at - k as f64;
    let mix = |c: usize| (f64::from(RAMP[k][c]) * (1.0 - part) + f64::from(RAMP[k + 1][c]) * part).round() as u8;
    [mix(0), mix(1), mix(2), 255]
}

/// The number of a pixel.
fn value(costs: &Costs, by: HeatBy, at: usize) -> f64 {
    match by {
        HeatBy::Instructions => costs.instructions[at] as f64,
        HeatBy::Cycles => costs.busy[at] as f64 / 64.0,
        HeatBy::Invocations => costs.invocations[at] as f64,
    }
}

/// A number as it is said: whole where it is whole.
fn number(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.1}") }
}

/// The unit of the numbers.
fn unit(by: HeatBy) -> &'static str {
    match by {
        HeatBy::Instructions => "instructions",
        HeatBy::Cycles => "cycles",
        HeatBy::Invocations => "invocations",
    }
}

/// Numbers of the pixels that fragments covered: each with its place.
fn covered(costs: &Costs, by: HeatBy) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
    let width = costs.size[0].max(1) as usize;
    let drawn = (0..costs.invocations.len()).filter(|&at| costs.invocations[at] > 0);
    drawn.map(move |at| ((at % width) as u32, (at / width) as u32, value(costs, by, at)))
}

/// Least, most and mean in words, with the place of the most.
pub fn said(costs: &Costs, by: HeatBy) -> String {
    let mut list: Vec<(u32, u32, f64)> = covered(costs, by).collect();
    let n = list.len();
    if n == 0 {
        return "no pixel was covered".into();
    }
    let sum: f64 = list.iter().map(|p| p.2).sum();
    list.sort_by(|a, b| b.2.total_cmp(&a.2));
    let ((x, y, most), least) = (list[0], list[n - 1].2);
    let (least, most, mean, unit) = (number(least), number(most), number(sum / n as f64), unit(by));
    format!("{least} to {most} {unit} a pixel, {mean} in the mean of {n} pixels; the most at {x},{y}")
}

/// The picture: black to red from 0 to the most, dark grey where nothing ran, a scale below with its ends.
pub fn drawn(costs: &Costs, by: HeatBy, place: &str) -> Picture {
    let [width, height] = costs.size;
    let most = covered(costs, by).map(|p| p.2).fold(0.0, f64::max);
    let mut rgba = NONE.repeat(width as usize * height as usize);
    for (x, y, v) in covered(costs, by) {
        let at = 4 * (y as usize * width as usize + x as usize);
        rgba[at..at + 4].copy_from_slice(&colour(if most > 0.0 { v / most } else { 0.0 }));
    }
    for _ in 0..SCALE {
        let last = f64::from(width.saturating_sub(1).max(1));
        rgba.extend((0..width).flat_map(|x| colour(f64::from(x) / last)));
    }
    let name = format!("0 to {} {}, {place}", number(most), unit(by));
    sheet::sheet(&[(name, Picture { width, height: height + SCALE, rgba })], 1)
}
