//! Clipping in homogeneous coordinates and the way to the screen.

use super::viewport::Viewport;

/// A vertex as the vertex shader leaves it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipVertex {
    /// x, y, z, w.
    pub position: [f32; 4],
    /// Clip distances; a negative one is outside.
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

/// The part that is clipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipOptions {
    /// Whether depth is clipped to 0..w.
    pub depth: bool,
    /// Whether x and y are clipped to -w..w (lines), or left to the guard band (triangles).
    pub sides: bool,
}

/// Least w that is drawn: matters where depth is not clipped.
const LEAST_W: f64 = 1.0 / (1 << 24) as f64;

/// Planes that a vertex is clipped against.
fn planes(v: &PolygonVertex, o: ClipOptions) -> usize {
    5 + if o.depth { 2 } else { 0 } + v.distances.len()
}

/// Signed distance to a plane; what is negative lies outside.
fn distance(v: &PolygonVertex, o: ClipOptions, guard: [f64; 2], plane: usize) -> f64 {
    let [x, y, z, w] = v.position;
    let [gx, gy] = if o.sides { [1.0, 1.0] } else { guard };
    match plane {
        0 => w - LEAST_W,
        1 => gx * w - x,
        2 => gx * w + x,
        3 => gy * w - y,
        4 => gy * w + y,
        5 if o.depth => z,
        6 if o.depth => w - z,
        _ => v.distances[plane - if o.depth { 7 } else { 5 }],
    }
}

/// The vertices before any cut. A position that is not finite drops the primitive: it has no place on the screen.
fn start(vertices: &[ClipVertex]) -> Option<Vec<PolygonVertex>> {
    let finite = |v: &ClipVertex| v.position.iter().all(|c| c.is_finite());
    if !vertices.iter().all(finite) || vertices.iter().any(|v| v.distances.iter().any(|d| d.is_nan())) {
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
    for plane in 0..planes(&polygon[0], o) {
        if polygon.iter().all(|v| distance(v, o, guard, plane) >= 0.0) {
            continue;
        }
        let d: Vec<f64> = polygon.iter().map(|v| distance(v, o, guard, plane)).collect();
        // A cut towards an infinite clip distance has no place.
        if d.iter().any(|x| x.is_nan()) {
            return Vec::new();
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
    if polygon.iter().all(is_placed) { polygon } else { Vec::new() }
}

/// Whether cuts left a vertex a place on the screen.
fn is_placed(v: &PolygonVertex) -> bool {
    v.position.iter().all(|c| c.is_finite()) && v.position[3] > 0.0
}

/// Clips a line to the two ends that remain.
pub fn clip_line(vertices: &[ClipVertex; 2], o: ClipOptions, viewport: &Viewport) -> Option<[PolygonVertex; 2]> {
    let ends = start(vertices)?;
    let [mut a, mut b] = <[PolygonVertex; 2]>::try_from(ends).ok()?;
    let o = ClipOptions { sides: true, ..o };
    let guard = viewport.guard();
    for plane in 0..planes(&a, o) {
        let (da, db) = (distance(&a, o, guard, plane), distance(&b, o, guard, plane));
        match (da >= 0.0, db >= 0.0) {
            (true, true) => {}
            (true, false) => b = cut(&a, &b, da, db),
            (false, true) => a = cut(&b, &a, db, da),
            _ => return None,
        }
    }
    (is_placed(&a) && is_placed(&b)).then_some([a, b])
}

/// The vertex of a point, if its centre is inside.
pub fn point_is_inside(vertex: &ClipVertex, o: ClipOptions, viewport: &Viewport) -> Option<PolygonVertex> {
    let v = start(std::slice::from_ref(vertex))?.pop()?;
    let o = ClipOptions { sides: true, ..o };
    (0..planes(&v, o)).all(|plane| distance(&v, o, viewport.guard(), plane) >= 0.0).then_some(v)
}
