//! Primitive assembly: which vertices make a point, a line or a triangle.

pub use gpucc_pipeline::Topology;

/// Index buffer of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether indices are 32 bits wide, else 16.
    pub wide: bool,
}

impl Indices<'_> {
    /// The raw index at a place; past the end 0.
    pub fn get(&self, at: u64) -> u32 {
        let size = if self.wide { 4 } else { 2 };
        let part = usize::try_from(at).ok().and_then(|a| self.bytes.get(a.checked_mul(size)?..)?.get(..size));
        part.map_or(0, |p| p.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b)))
    }

    /// The raw index that ends a strip.
    pub fn restart(&self) -> u32 {
        if self.wide { u32::MAX } else { 0xffff }
    }
}

/// A primitive: positions in the sequence of vertices of the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// The vertices, in the order that decides the facing; unused ones repeat the last.
    pub vertices: [u32; 3],
    /// Vertices that count: 1, 2 or 3.
    pub count: u32,
    /// The vertex whose values flat attributes take.
    pub provoking: u32,
}

/// The primitives of `count` vertices; `is_restart` says of a position whether a strip ends there.
pub fn assemble(topology: Topology, count: u32, is_restart: impl Fn(u32) -> bool) -> Vec<Primitive> {
    let mut out = Vec::new();
    let mut push = |v: &[u32], provoking: u32| {
        let last = v[v.len() - 1];
        let get = |k: usize| v.get(k).copied().unwrap_or(last);
        out.push(Primitive { vertices: [get(0), get(1), get(2)], count: v.len() as u32, provoking });
    };
    match topology {
        Topology::PointList => (0..count).for_each(|k| push(&[k], k)),
        Topology::LineList => (0..count / 2).for_each(|k| push(&[2 * k, 2 * k + 1], 2 * k)),
        Topology::TriangleList => (0..count / 3).for_each(|k| push(&[3 * k, 3 * k + 1, 3 * k + 2], 3 * k)),
        Topology::LineStrip | Topology::TriangleStrip => {
            let mut start = 0;
            for k in 0..count {
                if is_restart(k) {
                    start = k + 1;
                } else if topology == Topology::LineStrip && k > start {
                    push(&[k - 1, k], k - 1);
                } else if topology == Topology::TriangleStrip && k >= start + 2 {
                    let i = k - 2;
                    if (i - start).is_multiple_of(2) {
                        push(&[i, i + 1, i + 2], i)
                    } else {
                        push(&[i + 1, i, i + 2], i)
                    }
                }
            }
        }
    }
    out
}
