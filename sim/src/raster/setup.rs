//! Makes quads with coverage and weights of screen positions.

use std::convert::Infallible;

pub use gpucc_pipeline::DepthBias;

use super::clip::PolygonVertex;
use super::viewport::{Screen, Viewport};
use crate::texture::Format;

/// Offsets of the samples in a pixel, in 1/256 pixel.
pub fn sample_positions(count: u32) -> &'static [(i64, i64)] {
    match count {
        4 => &[(96, 32), (224, 96), (32, 160), (160, 224)],
        _ => &[(128, 128)],
    }
}

/// A rectangle of pixels: left and upper edge, and one past right and lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First column of the rectangle.
    pub x0: i64,
    /// First row of the rectangle.
    pub y0: i64,
    /// One past the last column.
    pub x1: i64,
    /// One past the last row.
    pub y1: i64,
}

impl Rect {
    /// The members of both.
    #[must_use]
    pub fn intersect(self, o: Rect) -> Rect {
        Rect { x0: self.x0.max(o.x0), y0: self.y0.max(o.y0), x1: self.x1.min(o.x1), y1: self.y1.min(o.y1) }
    }
    /// Whether a pixel is inside.
    pub fn contains(self, x: i64, y: i64) -> bool {
        x >= self.x0 && x < self.x1 && y >= self.y0 && y < self.y1
    }
    /// Left and upper edge, width and height.
    pub fn of([x, y, width, height]: [u32; 4]) -> Rect {
        let [x0, y0, width, height] = [x, y, width, height].map(i64::from);
        Rect { x0, y0, x1: x0 + width, y1: y0 + height }
    }
    /// Every pixel whose centre is inside of a viewport.
    pub fn of_viewport(v: &Viewport) -> Rect {
        let first = |a: f32| (f64::from(a) - 0.5).ceil() as i64;
        let (top, bottom) = (v.y.min(v.y + v.height), v.y.max(v.y + v.height));
        Rect { x0: first(v.x), y0: first(top), x1: first(v.x + v.width), y1: first(bottom) }
    }
}

/// Shares of the primitive's original vertices at a point, and what is linear on the screen there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Shares for attributes with perspective.
    pub perspective: [f64; 3],
    /// Shares for attributes without perspective.
    pub linear: [f64; 3],
    /// Depth at the point, without bias.
    pub z: f64,
    /// The fourth component of the fragment's position: interpolated 1/w.
    pub inv_w: f64,
}

/// A 2x2 block of pixels of which a primitive covers something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quad {
    /// Column of the left pixels, even.
    pub x: i64,
    /// Row of the upper pixels, even.
    pub y: i64,
    /// Covered samples of each pixel.
    pub coverage: [u32; 4],
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Vertices clockwise on the screen.
    Triangle,
    /// Whether x is the major axis.
    Line { x_major: bool },
    /// Half the width, in 1/256 pixel.
    Point { half: i64 },
}

/// The widest point, in pixels.
pub const LARGEST_POINT: f32 = 1024.0;

/// A primitive, or one triangle of a clipped one, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Corners; unused ones repeat the last.
    at: [Screen; 3],
    /// Corners that count.
    corners: usize,
    /// Share of the original vertices in clip space at each corner.
    clip: [[f64; 3]; 3],
    /// The same on the screen.
    screen: [[f64; 3]; 3],
    shape: Shape,
}

/// Twice the signed area of a polygon on the screen; positive is counter-clockwise to the eye.
fn area_of(at: &[Screen]) -> i64 {
    let pairs = at.iter().zip(at.iter().cycle().skip(1));
    -pairs.map(|(a, b)| a.x * b.y - b.x * a.y).sum::<i64>()
}

impl Setup {
    fn new(corners: &[(&PolygonVertex, Screen)], shape: Shape) -> Setup {
        let get = |k: usize| &corners[k.min(corners.len() - 1)];
        Setup {
            at: [0, 1, 2].map(|k| get(k).1),
            corners: corners.len(),
            clip: [0, 1, 2].map(|k| get(k).0.clip),
            screen: [0, 1, 2].map(|k| get(k).0.screen),
            shape,
        }
    }

    /// The triangles of a clipped polygon, a fan from its first vertex, and whether it is counter-clockwise on the
    /// screen. Nothing where its area is zero after snapping.
    pub fn polygon(polygon: &[PolygonVertex], viewport: &Viewport) -> Option<(Vec<Setup>, bool)> {
        let at: Vec<Screen> = polygon.iter().map(|v| viewport.to_screen(&v.position)).collect();
        let whole = area_of(&at);
        if whole == 0 {
            return None;
        }
        let mut out = Vec::with_capacity(polygon.len().saturating_sub(2));
        for k in 1..polygon.len() - 1 {
            // Clockwise order, which the edge rule is written for.
            let order = if whole > 0 { [0, k + 1, k] } else { [0, k, k + 1] };
            let area = -area_of(&order.map(|i| at[i]));
            if area > 0 {
                out.push(Setup::new(&order.map(|i| (&polygon[i], at[i])), Shape::Triangle));
            }
        }
        Some((out, whole > 0))
    }

    /// A line between two ends; nothing where both snap to the same place.
    pub fn line(ends: [PolygonVertex; 2], viewport: &Viewport) -> Option<Setup> {
        let at = [0, 1].map(|k| viewport.to_screen(&ends[k].position));
        let (dx, dy) = (at[1].x - at[0].x, at[1].y - at[0].y);
        let x_major = dx.abs() >= dy.abs();
        (dx != 0 || dy != 0).then(|| Setup::new(&[(&ends[0], at[0]), (&ends[1], at[1])], Shape::Line { x_major }))
    }

    /// A point: a square of so many pixels around its vertex, at least 1 and at most [`LARGEST_POINT`].
    pub fn point(vertex: PolygonVertex, viewport: &Viewport, size: f32) -> Setup {
        let size = if size.is_nan() { 1.0 } else { size.clamp(1.0, LARGEST_POINT) };
        let half = (f64::from(size) * 128.0).round() as i64;
        Setup::new(&[(&vertex, viewport.to_screen(&vertex.position))], Shape::Point { half })
    }

    /// Where in a point a place is, in 1/256 pixel: from 0 to 1 to the right and down; 0 of what is no point.
    pub fn point_coord(&self, x: i64, y: i64) -> [f32; 2] {
        let Shape::Point { half } = self.shape else { return [0.0; 2] };
        [(x, self.at[0].x), (y, self.at[0].y)]
            .map(|(at, middle)| ((at - middle + half) as f64 / (2 * half) as f64) as f32)
    }

    /// Edge function of the edge that starts at corner `k`, at a point: positive inside.
    fn edge(&self, k: usize, x: i64, y: i64) -> i64 {
        let (a, b) = (&self.at[k], &self.at[(k + 1) % 3]);
        (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
    }

    fn covers(&self, x: i64, y: i64) -> bool {
        (0..3).all(|k| {
            let (a, b) = (&self.at[k], &self.at[(k + 1) % 3]);
            let (dx, dy) = (b.x - a.x, b.y - a.y);
            let e = self.edge(k, x, y);
            // A point on an edge belongs to the triangle of which that is a top or left edge.
            e > 0 || (e == 0 && ((dy == 0 && dx > 0) || dy < 0))
        })
    }

    /// The same of the corners where they were before snapping.
    fn exact_edge(&self, k: usize, x: f64, y: f64) -> f64 {
        let ([ax, ay], [bx, by]) = (self.at[k].exact, self.at[(k + 1) % 3].exact);
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    }

    /// Shares of the corners of a triangle as they were snapped.
    fn snapped(&self, x: i64, y: i64) -> [f64; 3] {
        let edges = [1, 2, 0].map(|k| self.edge(k, x, y) as f64);
        let area: f64 = edges.iter().sum();
        edges.map(|e| e / area)
    }

    /// Shares of the corners at a point in 1/256 pixel.
    fn barycentric(&self, x: i64, y: i64) -> [f64; 3] {
        match self.shape {
            Shape::Triangle => {
                let edges = [1, 2, 0].map(|k| self.exact_edge(k, x as f64, y as f64));
                let area: f64 = edges.iter().sum();
                // A triangle that snapping alone gave an area has that of its snapped corners.
                if area > 0.0 { edges.map(|e| e / area) } else { self.snapped(x, y) }
            }
            Shape::Line { x_major } => {
                let (from, to, c) =
                    if x_major { (self.at[0].x, self.at[1].x, x) } else { (self.at[0].y, self.at[1].y, y) };
                let t = (c - from) as f64 / (to - from) as f64;
                [1.0 - t, t, 0.0]
            }
            Shape::Point { .. } => [1.0, 0.0, 0.0],
        }
    }

    /// Weights at a point in 1/256 pixel, inside or outside.
    pub fn weights(&self, x: i64, y: i64) -> Weights {
        let b = self.barycentric(x, y);
        let sum = |f: &dyn Fn(usize) -> f64| (0..self.corners).map(f).sum::<f64>();
        let inv_w = sum(&|i| b[i] * self.at[i].inv_w);
        Weights {
            perspective: std::array::from_fn(|j| sum(&|i| b[i] * self.clip[i][j] * self.at[i].inv_w) / inv_w),
            linear: std::array::from_fn(|j| sum(&|i| b[i] * self.screen[i][j])),
            z: sum(&|i| b[i] * self.at[i].z),
            inv_w,
        }
    }

    /// The depth of [`Setup::weights`] alone.
    pub fn depth(&self, x: i64, y: i64) -> f64 {
        let b = self.barycentric(x, y);
        (0..self.corners).map(|i| b[i] * self.at[i].z).sum()
    }

    /// Change of depth from one pixel to the next in x and y.
    fn depth_slopes(&self) -> [f64; 2] {
        let origin = self.depth(0, 0);
        [self.depth(256, 0) - origin, self.depth(0, 256) - origin]
    }

    /// Pixels that may be covered.
    pub fn bounds(&self) -> Rect {
        let range = |of: &dyn Fn(&Screen) -> i64| {
            let v = self.at.iter().map(of);
            (v.clone().min().unwrap_or(0) >> 8, (v.max().unwrap_or(-1) >> 8) + 1)
        };
        let ((x0, x1), (y0, y1)) = (range(&|s| s.x), range(&|s| s.y));
        let more = if let Shape::Point { half } = self.shape { (half - 1) / 256 + 1 } else { 0 };
        Rect { x0: x0 - more, y0: y0 - more, x1: x1 + more, y1: y1 + more }
    }

    /// Calls `draw` for each quad of which something inside `clip` is covered, rows first, with `samples` a pixel.
    pub fn quads(&self, clip: Rect, samples: u32, mut draw: impl FnMut(Quad)) {
        let Ok(()) = self.try_quads(clip, samples, |q| {
            draw(q);
            Ok::<(), Infallible>(())
        });
    }

    /// The same, up to the first error.
    ///
    /// # Errors
    /// That of `draw`.
    pub fn try_quads<E>(&self, clip: Rect, samples: u32, draw: impl FnMut(Quad) -> Result<(), E>) -> Result<(), E> {
        if let Shape::Triangle = self.shape {
            return self.triangle_quads(clip, samples, draw);
        }
        let all = (1 << sample_positions(samples).len()) - 1;
        let mut quads: Vec<Quad> = Vec::new();
        let mut pixels = self.pixels(clip);
        pixels.sort_unstable_by_key(|&(x, y)| (y >> 1, x >> 1, y, x));
        for (x, y) in pixels {
            let (qx, qy) = (x & !1, y & !1);
            if quads.last().is_none_or(|q| (q.x, q.y) != (qx, qy)) {
                quads.push(Quad { x: qx, y: qy, coverage: [0; 4] });
            }
            if let Some(q) = quads.last_mut() {
                q.coverage[((x & 1) | (y & 1) << 1) as usize] = all;
            }
        }
        quads.into_iter().try_for_each(draw)
    }

    /// Columns in which two rows of pixels from `y` may be covered: no sample outside of them is.
    fn columns(&self, y: i64) -> (i64, i64) {
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for k in 0..3 {
            let (a, b) = (&self.at[k], &self.at[(k + 1) % 3]);
            let (dx, dy) = (b.x - a.x, b.y - a.y);
            // The largest value of the edge function's first term in these rows.
            let most = (dx * (y * 256 - a.y)).max(dx * (y * 256 + 511 - a.y));
            match dy {
                0 if most < 0 => return (0, 0),
                0 => {}
                _ if dy > 0 => high = high.min(a.x + most.div_euclid(dy)),
                _ => low = low.max(a.x - most.div_euclid(-dy)),
            }
        }
        (low >> 8, (high >> 8).saturating_add(1))
    }

    /// Whether a quad lies inside of every edge, with all of its samples.
    fn contains_quad(&self, x: i64, y: i64) -> bool {
        (0..3).all(|k| {
            let (a, b) = (&self.at[k], &self.at[(k + 1) % 3]);
            let (dx, dy) = (b.x - a.x, b.y - a.y);
            // The corner where the edge function is least.
            self.edge(k, x * 256 + if dy > 0 { 512 } else { 0 }, y * 256 + if dx < 0 { 512 } else { 0 }) > 0
        })
    }

    fn triangle_quads<E>(
        &self,
        clip: Rect,
        samples: u32,
        mut draw: impl FnMut(Quad) -> Result<(), E>,
    ) -> Result<(), E> {
        let r = clip.intersect(self.bounds());
        let positions = sample_positions(samples);
        let all = (1 << positions.len()) - 1;
        for y in (r.y0 & !1..r.y1).step_by(2) {
            let (low, high) = self.columns(y);
            for x in (low.max(r.x0) & !1..high.min(r.x1)).step_by(2) {
                let whole = self.contains_quad(x, y);
                let mut coverage = [0u32; 4];
                for (lane, c) in coverage.iter_mut().enumerate() {
                    let (px, py) = (x + (lane & 1) as i64, y + (lane >> 1) as i64);
                    if !r.contains(px, py) {
                        continue;
                    }
                    if whole {
                        *c = all;
                        continue;
                    }
                    for (k, &(dx, dy)) in positions.iter().enumerate() {
                        *c |= u32::from(self.covers(px * 256 + dx, py * 256 + dy)) << k;
                    }
                }
                if coverage != [0; 4] {
                    draw(Quad { x, y, coverage })?;
                }
            }
        }
        Ok(())
    }

    /// The pixels whose middle is in a point: left and upper edges do not belong to it, right and lower ones do.
    fn square(&self, half: i64, clip: Rect) -> Vec<(i64, i64)> {
        // The first column whose middle is right of an edge.
        let range = |at: i64| (((at - half - 128) >> 8) + 1, ((at + half - 128) >> 8) + 1);
        let ((x0, x1), (y0, y1)) = (range(self.at[0].x), range(self.at[0].y));
        let r = clip.intersect(Rect { x0, y0, x1, y1 });
        (r.y0..r.y1).flat_map(|y| (r.x0..r.x1).map(move |x| (x, y))).collect()
    }

    /// The pixels of a line or a point.
    fn pixels(&self, clip: Rect) -> Vec<(i64, i64)> {
        let x_major = match self.shape {
            Shape::Line { x_major } => x_major,
            Shape::Point { half } => return self.square(half, clip),
            Shape::Triangle => return Vec::new(),
        };
        let major = |s: &Screen| if x_major { (s.x, s.y) } else { (s.y, s.x) };
        let ((m0, n0), (m1, n1)) = (major(&self.at[0]), major(&self.at[1]));
        let (low, high) = if x_major { (clip.x0, clip.x1) } else { (clip.y0, clip.y1) };
        let first = (m0.min(m1) >> 8).max(low);
        let last = ((m0.max(m1) >> 8) + 1).min(high);
        let mut out = Vec::new();
        for p in first..last {
            let c = p * 256 + 128;
            // The start belongs to the line, the end does not.
            let inside = if m1 > m0 { m0 <= c && c < m1 } else { m1 < c && c <= m0 };
            if inside {
                // Floor of the exact rational place of the line.
                let n = n0 + ((n1 - n0) * (c - m0)).div_euclid(m1 - m0);
                let q = if x_major { (p, n >> 8) } else { (n >> 8, p) };
                if clip.contains(q.0, q.1) {
                    out.push(q);
                }
            }
        }
        out
    }
}

/// The amount that a depth bias adds to the depths of a triangle.
pub trait Bias {
    /// The same for every point of the triangle.
    fn of(&self, setup: &Setup, format: Format) -> f64;
}

impl Bias for DepthBias {
    fn of(&self, setup: &Setup, format: Format) -> f64 {
        if self.constant == 0 && self.slope == 0.0 {
            return 0.0;
        }
        let [dx, dy] = setup.depth_slopes();
        let largest = setup.at[..setup.corners].iter().fold(0.0f64, |m, s| m.max(s.z.abs()));
        let r = match format.depth_bits() {
            Some(bits) => f64::from((1.0 / f64::from((1u32 << bits) - 1)) as f32),
            None => {
                let exponent = if largest == 0.0 { -126 } else { ((largest.to_bits() >> 52) as i32 - 1023).max(-126) };
                2f64.powi(exponent - 23)
            }
        };
        let bias = f64::from(self.constant) * r + f64::from(self.slope) * dx.abs().max(dy.abs());
        let clamp = f64::from(self.clamp);
        if clamp > 0.0 {
            bias.min(clamp)
        } else if clamp < 0.0 {
            bias.max(clamp)
        } else {
            bias
        }
    }
}
