//! Cube maps: choice of a face, projection, and the texels across its edges.

/// Place on a face of a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// 0 +X, 1 -X, 2 +Y, 3 -Y, 4 +Z, 5 -Z.
    pub face: u32,
    /// Coordinate across the face, 0..1.
    pub s: f64,
    /// Coordinate down the face, 0..1.
    pub t: f64,
}

/// The face that a direction hits: z wins over y over x where they are equal; no direction at all gives face 4.
fn face_of([x, y, z]: [f64; 3]) -> u32 {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        if z >= 0.0 { 4 } else { 5 }
    } else if ay >= ax {
        if y >= 0.0 { 2 } else { 3 }
    } else {
        u32::from(x < 0.0)
    }
}

/// `(sc, tc, major)` of a vector for a face; major is positive for directions that hit it.
fn components(face: u32, [x, y, z]: [f64; 3]) -> (f64, f64, f64) {
    match face {
        0 => (-z, -y, x),
        1 => (z, -y, -x),
        2 => (x, z, y),
        3 => (x, -z, -y),
        4 => (x, -y, z),
        _ => (-x, -y, -z),
    }
}

/// Face and coordinates of a direction. A zero vector and NaN give the middle of face 4.
pub fn project(direction: [f32; 3]) -> Face {
    let d = direction.map(f64::from);
    if d.iter().any(|c| c.is_nan()) || d == [0.0; 3] {
        return Face { face: 4, s: 0.5, t: 0.5 };
    }
    let face = face_of(d);
    let (sc, tc, major) = components(face, d);
    Face { face, s: sc / (2.0 * major) + 0.5, t: tc / (2.0 * major) + 0.5 }
}

/// Derivative of the face coordinates where the direction changes by `delta`, on the direction's own face.
pub fn project_gradient(direction: [f32; 3], delta: [f32; 3]) -> [f64; 2] {
    let d = direction.map(f64::from);
    let face = face_of(d);
    let (sc, tc, major) = components(face, d);
    let (dsc, dtc, dmajor) = components(face, delta.map(f64::from));
    let along = |c: f64, dc: f64| 0.5 * (major * dc - c * dmajor) / (major * major);
    [along(sc, dsc), along(tc, dtc)]
}

/// The texel that an index on or one step beyond a face of `n` x `n` texels stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeTexel {
    /// A texel: face, column, row.
    Texel(u32, u32, u32),
    /// A place beyond a corner: the mean of the three texels that meet there.
    Corner([(u32, u32, u32); 3]),
}

/// The texel at column `i`, row `j` of a face, each from -1 to `n`: beyond an edge it lies on the neighbour.
pub fn face_texel(face: u32, i: i64, j: i64, n: u32) -> EdgeTexel {
    let size = i64::from(n);
    let inside = |v: i64| (0..size).contains(&v);
    match (inside(i), inside(j)) {
        (true, true) => EdgeTexel::Texel(face, i as u32, j as u32),
        (false, false) => {
            let (ci, cj) = (i.clamp(0, size - 1), j.clamp(0, size - 1));
            EdgeTexel::Corner([(face, ci as u32, cj as u32), neighbour(face, i, cj, n), neighbour(face, ci, j, n)])
        }
        _ => {
            let (f, x, y) = neighbour(face, i, j, n);
            EdgeTexel::Texel(f, x, y)
        }
    }
}

/// The texel across one edge: the texel centre is put on the cube's surface, past the edge one step down the
/// neighbour, and projected again.
fn neighbour(face: u32, i: i64, j: i64, n: u32) -> (u32, u32, u32) {
    let n = i64::from(n);
    let (a, b) = (2 * i + 1 - n, 2 * j + 1 - n);
    let (a, b) = (a.clamp(-n, n), b.clamp(-n, n));
    let major = n - 1;
    // Inverse of `components`. With n = 1 the major axis is zero, which `face_of` never chooses over n.
    let v = match face {
        0 => [major, -b, -a],
        1 => [-major, -b, a],
        2 => [a, major, b],
        3 => [a, -major, -b],
        4 => [a, -b, major],
        _ => [-a, -b, -major],
    };
    // The coordinate of magnitude n is the new major axis; exact, so no tie can arise.
    let f = match v.iter().position(|c| c.abs() == n) {
        Some(0) => u32::from(v[0] < 0),
        Some(1) => 2 + u32::from(v[1] < 0),
        _ => 4 + u32::from(v[2] < 0),
    };
    let (sc, tc, _) = components(f, v.map(|c| c as f64));
    let index = |c: f64| ((c as i64 + n - 1) / 2).clamp(0, n - 1) as u32;
    (f, index(sc), index(tc))
}
