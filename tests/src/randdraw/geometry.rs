//! Where primitives lie, by exact places: which pixels the specifications leave open, because a sample lies on an edge, a value that is rounded lies
//! in the middle of two whole numbers, or two depths that are compared are nearly one.

/// Samples of a pixel of four, in parts of it (Vulkan's standard places).
const FOUR: [[f64; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
/// Pixels from an edge that no rounding bridges; corners of clipped primitives are rounded to a 256th.
const NEAR_EDGE: [f64; 2] = [0.002, 0.02];
/// Part of a step that no rounding of an interpolated value bridges.
const NEAR_MIDDLE: f64 = 0.02;
/// Depths that may be one after rounding.
const NEAR_DEPTH: f64 = 0.002;

/// A corner: its place for the clipper, its clip distances, and values that are rounded after interpolation, each times its scale.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    pub(super) place: [f64; 4],
    pub(super) distances: Vec<f64>,
    pub(super) values: Vec<(Mode, f64)>,
}

/// Interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Smooth,
    Linear,
    Flat,
}

/// A viewport: x, y, width, height, least and greatest depth.
pub(super) type Viewport = [f64; 6];

/// The picture that is judged.
pub(super) struct Plane {
    pub(super) size: [u32; 2],
    pub(super) samples: u32,
    /// Whether depths are compared.
    pub(super) compares_depth: bool,
    /// Whether the program rounds `gl_FragCoord.z`, times this.
    pub(super) depth_scale: Option<f64>,
    /// Pixels that are left out.
    pub(super) open: Vec<bool>,
    /// Depths of the samples: the value, and whether it is exact.
    depths: Vec<Vec<(f64, bool)>>,
}

/// A corner on the plane: x, y, depth, 1/w.
type Projected = [f64; 4];

impl Plane {
    pub(super) fn new(size: [u32; 2], samples: u32, cleared: Option<f64>) -> Plane {
        let n = (size[0] * size[1]) as usize;
        let first: Vec<(f64, bool)> = cleared.map(|z| (z, true)).into_iter().collect();
        Plane {
            size,
            samples,
            compares_depth: cleared.is_some(),
            depth_scale: None,
            open: vec![false; n],
            depths: vec![first; n * samples as usize],
        }
    }

    fn places(&self) -> Vec<[f64; 2]> {
        if self.samples == 4 { FOUR.to_vec() } else { vec![[0.5, 0.5]] }
    }

    /// Looks at a triangle. `is_clipped` says that some of it may lie outside.
    pub(super) fn triangle(&mut self, corners: [&Corner; 3], view: &Viewport, is_clipped: bool) {
        let p = corners.map(|c| project(c.place, view));
        let area = cross(sub(p[1], p[0]), sub(p[2], p[0]));
        if corners.iter().any(|c| c.place[3] <= 0.0) {
            self.open.fill(true);
            return;
        }
        let flat_depth = p.iter().all(|q| q[2] == p[0][2]) && corners.iter().all(|c| c.place[3] == 1.0);
        let near = NEAR_EDGE[usize::from(is_clipped)];
        if area.abs() < 1e-9 {
            return;
        }
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let at = (y * self.size[0] + x) as usize;
                let mut inside = false;
                for (k, s) in self.places().into_iter().enumerate() {
                    let here = [f64::from(x) + s[0], f64::from(y) + s[1]];
                    if (0..3).any(|e| to_segment(here, p[e], p[(e + 1) % 3]) < near) {
                        self.open[at] = true;
                    }
                    let l = weights(here, &p, area);
                    if l.iter().any(|v| *v < 0.0) {
                        continue;
                    }
                    inside = true;
                    let z: f64 = (0..3).map(|e| l[e] * p[e][2]).sum();
                    if self.compares_depth {
                        let list = &mut self.depths[at * self.samples as usize + k];
                        let tie = |o: &(f64, bool)| (o.0 - z).abs() < NEAR_DEPTH && !(o.1 && flat_depth);
                        if list.iter().any(tie) {
                            self.open[at] = true;
                        }
                        list.push((z, flat_depth));
                    }
                    if is_clipped && is_near_plane(here, &corners, &p, area) {
                        self.open[at] = true;
                    }
                }
                if inside {
                    self.values([x, y], &corners, &p, area);
                }
            }
        }
    }

    /// Looks at the values of the four pixels of a quad, of which the others may be helpers.
    fn values(&mut self, [x, y]: [u32; 2], corners: &[&Corner; 3], p: &[Projected; 3], area: f64) {
        let at = (y * self.size[0] + x) as usize;
        let mut places = vec![[0.5, 0.5]];
        if self.samples == 4 {
            places.extend(FOUR);
        }
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            for s in &places {
                let here = [f64::from((x & !1) + dx) + s[0], f64::from((y & !1) + dy) + s[1]];
                let l = weights(here, p, area);
                let is_own = (x & 1, y & 1) == (dx, dy);
                if (0..3).map(|e| l[e] * p[e][3]).sum::<f64>() <= 0.05 {
                    self.open[at] = true;
                    return;
                }
                let mut rounded: Vec<f64> = Vec::new();
                for k in 0..corners[0].values.len() {
                    let each = corners.map(|c| c.values[k].1);
                    match corners[0].values[k].0 {
                        Mode::Smooth => rounded.push(perspective(l, p, each)),
                        Mode::Linear => rounded.push((0..3).map(|e| l[e] * each[e]).sum()),
                        Mode::Flat => {}
                    }
                }
                if let Some(scale) = self.depth_scale {
                    rounded.push((0..3).map(|e| l[e] * p[e][2]).sum::<f64>() * scale);
                }
                let wide = if is_own { 1.0 } else { 2.0 };
                if rounded.iter().any(|v| ((v - v.floor()) - 0.5).abs() < wide * NEAR_MIDDLE) {
                    self.open[at] = true;
                }
            }
        }
    }

    /// Leaves out the pixels around a scissor: lavapipe looks at its edge by samples, and draws half of some of them.
    pub(super) fn scissor(&mut self, [x, y, w, h]: [u32; 4]) {
        let inside = |at: u32, from: u32, long: u32| at >= from && at < from + long;
        for row in 0..self.size[1] {
            for column in 0..self.size[0] {
                let near = inside(column + 1, x, w + 2) && inside(row + 1, y, h + 2);
                if near && !(inside(column, x, w) && inside(row, y, h)) {
                    self.open[(row * self.size[0] + column) as usize] = true;
                }
            }
        }
    }

    /// Looks at a point of one pixel.
    pub(super) fn point(&mut self, corner: &Corner, view: &Viewport) {
        let p = project(corner.place, view);
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let at = (y * self.size[0] + x) as usize;
                for (k, s) in self.places().into_iter().enumerate() {
                    let away = [f64::from(x) + s[0] - p[0], f64::from(y) + s[1] - p[1]].map(f64::abs);
                    if away.iter().any(|d| (d - 0.5).abs() < 0.02) && away.iter().all(|d| *d < 0.52) {
                        self.open[at] = true;
                    }
                    if away.iter().any(|d| *d > 0.5) {
                        continue;
                    }
                    if self.compares_depth {
                        let list = &mut self.depths[at * self.samples as usize + k];
                        if list.iter().any(|o| (o.0 - p[2]).abs() < NEAR_DEPTH) {
                            self.open[at] = true;
                        }
                        list.push((p[2], false));
                    }
                }
            }
        }
    }
}

fn sub(a: Projected, b: Projected) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The place of a corner in the picture, whose first row is at the top.
fn project(at: [f64; 4], view: &Viewport) -> Projected {
    let [x, y, z, w] = at;
    let [left, top, width, height, near, far] = *view;
    [left + (x / w + 1.0) / 2.0 * width, top + (1.0 - y / w) / 2.0 * height, near + z / w * (far - near), 1.0 / w]
}

/// The distance from a place to a part of a line.
fn to_segment(at: [f64; 2], a: Projected, b: Projected) -> f64 {
    let d = sub(b, a);
    let from = [at[0] - a[0], at[1] - a[1]];
    let long = d[0] * d[0] + d[1] * d[1];
    let t = if long > 0.0 { ((from[0] * d[0] + from[1] * d[1]) / long).clamp(0.0, 1.0) } else { 0.0 };
    ((from[0] - t * d[0]).powi(2) + (from[1] - t * d[1]).powi(2)).sqrt()
}

/// The parts of the three corners, without perspective.
fn weights(at: [f64; 2], p: &[Projected; 3], area: f64) -> [f64; 3] {
    let part = |k: usize| {
        let (a, b) = (p[(k + 1) % 3], p[(k + 2) % 3]);
        cross([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]) / area
    };
    [part(0), part(1), part(2)]
}

/// A value of the corners, with perspective.
fn perspective(l: [f64; 3], p: &[Projected; 3], values: [f64; 3]) -> f64 {
    let low: f64 = (0..3).map(|e| l[e] * p[e][3]).sum();
    (0..3).map(|e| l[e] * p[e][3] * values[e]).sum::<f64>() / low
}

/// Whether a sample lies where the primitive is cut.
fn is_near_plane(here: [f64; 2], corners: &[&Corner; 3], p: &[Projected; 3], area: f64) -> bool {
    let is_near = |values: [f64; 3]| {
        let at = |here: [f64; 2]| perspective(weights(here, p, area), p, values);
        let v = at(here);
        let slope = [[0.01, 0.0], [0.0, 0.01]].map(|d| at([here[0] + d[0], here[1] + d[1]]) - v);
        v.abs() <= 3.0 * (slope[0].abs() + slope[1].abs()) + 1e-6
    };
    let z = corners.map(|c| c.place[2]);
    let w = corners.map(|c| c.place[3]);
    is_near(z)
        || is_near([w[0] - z[0], w[1] - z[1], w[2] - z[2]])
        || (0..corners[0].distances.len()).any(|k| is_near(corners.map(|c| c.distances[k])))
}
