//! Clipping in homogeneous coordinates and the way to the screen.

use super::setup::Screen;

/// A vertex as the vertex shader leaves it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipVertex {
    /// x, y, z, w.
    pub position: [f32; 4],
    /// Clip distances.
    pub distances: Vec<f32>,
}

/// A vertex of a clipped polygon, in terms of the vertices of the primitive it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonVertex {
    /// x, y, z, w.
    pub position: [f64; 4],
    /// Share of each original vertex in clip space: for attributes with perspective.
    pub clip: [f64; 3],
    /// Share of each original vertex on the screen: for attributes without.
    pub screen: [f64; 3],
    distances: Vec<f64>,
}

/// What is clipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipOptions {
    /// Whether depth is clipped to 0..w.
    pub depth: bool,
    /// Whether x and y are clipped to -w..w (lines), or left to the guard band (triangles).
    pub sides: bool,
}

/// Least w that is drawn: matters where depth is not clipped.
const LEAST_W: f64 = 1.0 / (1 << 24) as f64;

/// Signed distances to the planes; what is negative lies outside.
fn plane_distances(v: &PolygonVertex, o: ClipOptions, guard: [f64; 2]) -> Vec<f64> {
    let [x, y, z, w] = v.position;
    let [gx, gy] = if o.sides { [1.0, 1.0] } else { guard };
    let mut d = vec![w - LEAST_W, gx * w - x, gx * w + x, gy * w - y, gy * w + y];
    if o.depth {
        d.extend([z, w - z]);
    }
    d.extend(&v.distances);
    d
}

fn start(vertices: &[ClipVertex]) -> Option<Vec<PolygonVertex>> {
    if vertices.iter().any(|v| v.position.iter().any(|c| c.is_nan())) {
        return None;
    }
    let unit = |k: usize| std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 });
    let make = |(k, v): (usize, &ClipVertex)| PolygonVertex {
        position: v.position.map(f64::from),
        clip: unit(k),
        screen: unit(k),
        distances: v.distances.iter().map(|&d| f64::from(d)).collect(),
    };
    Some(vertices.iter().enumerate().map(make).collect())
}

/// The point of the edge from `a` to `b` where the distance is zero.
fn cut(a: &PolygonVertex, b: &PolygonVertex, da: f64, db: f64) -> PolygonVertex {
    let k = da / (da - db);
    let mix = |a: f64, b: f64| a + (b - a) * k;
    let position: [f64; 4] = std::array::from_fn(|i| mix(a.position[i], b.position[i]));
    let on_screen = k * b.position[3] / position[3];
    PolygonVertex {
        clip: std::array::from_fn(|i| mix(a.clip[i], b.clip[i])),
        screen: std::array::from_fn(|i| a.screen[i] + (b.screen[i] - a.screen[i]) * on_screen),
        distances: a.distances.iter().zip(&b.distances).map(|(&a, &b)| mix(a, b)).collect(),
        position,
    }
}

/// Clips a triangle; the polygon begins with the first of its vertices that remains, and is empty where nothing does.
/// `viewport` gives the guard band in which x and y are not cut.
pub fn clip_polygon(vertices: &[ClipVertex; 3], o: ClipOptions, viewport: &Viewport) -> Vec<PolygonVertex> {
    let Some(mut polygon) = start(vertices) else { return Vec::new() };
    let guard = viewport.guard();
    let planes = plane_distances(&polygon[0], o, guard).len();
    for plane in 0..planes {
        let d: Vec<f64> = polygon.iter().map(|v| plane_distances(v, o, guard)[plane]).collect();
        if d.iter().any(|x| x.is_nan()) {
            return Vec::new();
        }
        if d.iter().all(|&x| x >= 0.0) {
            continue;
        }
        let mut next = Vec::with_capacity(polygon.len() + 1);
        for k in 0..polygon.len() {
            let m = (k + 1) % polygon.len();
            if d[k] >= 0.0 {
                next.push(polygon[k].clone());
            }
            // From the inside out, so that an edge that two triangles share is cut at the same point.
            if d[k] >= 0.0 && d[m] < 0.0 && d[k] > 0.0 {
                next.push(cut(&polygon[k], &polygon[m], d[k], d[m]));
            } else if d[k] < 0.0 && d[m] > 0.0 {
                next.push(cut(&polygon[m], &polygon[k], d[m], d[k]));
            }
        }
        polygon = next;
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}

/// Clips a line to the two ends that remain.
pub fn clip_line(vertices: &[ClipVertex; 2], o: ClipOptions, viewport: &Viewport) -> Option<[PolygonVertex; 2]> {
    let ends = start(vertices)?;
    let [mut a, mut b] = <[PolygonVertex; 2]>::try_from(ends).ok()?;
    let o = ClipOptions { sides: true, ..o };
    let guard = viewport.guard();
    for plane in 0..plane_distances(&a, o, guard).len() {
        let (da, db) = (plane_distances(&a, o, guard)[plane], plane_distances(&b, o, guard)[plane]);
        match (da >= 0.0, db >= 0.0) {
            (true, true) => {}
            (true, false) => b = cut(&a, &b, da, db),
            (false, true) => a = cut(&b, &a, db, da),
            _ => return None,
        }
    }
    Some([a, b])
}

/// The vertex of a point, if its centre is inside.
pub fn point_is_inside(vertex: &ClipVertex, o: ClipOptions, viewport: &Viewport) -> Option<PolygonVertex> {
    let v = start(std::slice::from_ref(vertex))?.pop()?;
    let o = ClipOptions { sides: true, ..o };
    plane_distances(&v, o, viewport.guard()).iter().all(|&d| d >= 0.0).then_some(v)
}

/// Where on the target a draw goes, in pixels, and its range of depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Depth of z = 0.
    pub min_depth: f32,
    /// Depth of z = w.
    pub max_depth: f32,
}

impl Viewport {
    /// Half-extents of the guard band in units of w: 2^15 pixels around the target's origin.
    fn guard(&self) -> [f64; 2] {
        let axis = |at: f32, size: f32| {
            let half = 0.5 * f64::from(size);
            if half <= 0.0 { f64::from(1 << 15) } else { ((32768.0 - (f64::from(at) + half).abs()) / half).max(1.0) }
        };
        [axis(self.x, self.width), axis(self.y, self.height)]
    }

    /// The place of a clip-space position, snapped to 1/256 pixel.
    pub fn to_screen(&self, p: &[f64; 4]) -> Screen {
        let [x, y, z, w] = *p;
        let [vx, vy, vw, vh] = [self.x, self.y, self.width, self.height].map(f64::from);
        let (near, far) = (f64::from(self.min_depth), f64::from(self.max_depth));
        let px = vx + 0.5 * (x / w + 1.0) * vw;
        let py = vy + 0.5 * (1.0 - y / w) * vh;
        let snap = |v: f64| (v * 256.0).round_ties_even() as i64;
        Screen { x: snap(px), y: snap(py), z: near + z / w * (far - near), inv_w: 1.0 / w }
    }
}
