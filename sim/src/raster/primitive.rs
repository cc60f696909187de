//! Primitive assembly: which vertices make a point, a line or a triangle.

pub use gpucc_pipeline::Topology;

/// Index buffer of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// The bytes of the indices.
    pub bytes: &'a [u8],
    /// Whether indices are 32 bits wide, else 16.
    pub wide: bool,
}

impl Indices<'_> {
    /// Whole indices that the buffer holds.
    pub fn count(&self) -> u64 {
        self.bytes.len() as u64 / if self.wide { 4 } else { 2 }
    }

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

/// The primitives of a sequence of vertices, one after another.
#[derive(Clone, Debug)]
pub struct Primitives<F> {
    topology: Topology,
    count: u32,
    next: u32,
    /// First vertex of the strip.
    start: u32,
    is_restart: F,
}

impl<F: FnMut(u32) -> bool> Primitives<F> {
    /// The primitives of `count` vertices; `is_restart` says of a position whether a strip ends there.
    pub fn new(topology: Topology, count: u32, is_restart: F) -> Self {
        Primitives { topology, count, next: 0, start: 0, is_restart }
    }

    /// The primitive that the vertex at `k` of a strip completes.
    fn of_strip(&mut self, k: u32) -> Option<Primitive> {
        if (self.is_restart)(k) {
            self.start = k + 1;
            return None;
        }
        let before = k - self.start;
        if self.topology == Topology::LineStrip {
            return (before >= 1).then(|| Primitive { vertices: [k - 1, k, k], count: 2, provoking: k - 1 });
        }
        (before >= 2).then(|| {
            let i = k - 2;
            let vertices = if before.is_multiple_of(2) { [i, i + 1, k] } else { [i + 1, i, k] };
            Primitive { vertices, count: 3, provoking: i }
        })
    }
}

impl<F: FnMut(u32) -> bool> Iterator for Primitives<F> {
    type Item = Primitive;

    fn next(&mut self) -> Option<Primitive> {
        let size = self.topology.vertices();
        if !self.topology.is_strip() {
            let k = self.next;
            if self.count - k < size {
                return None;
            }
            self.next += size;
            let last = k + size - 1;
            return Some(Primitive { vertices: [k, last.min(k + 1), last], count: size, provoking: k });
        }
        while self.next < self.count {
            let k = self.next;
            self.next += 1;
            if let Some(p) = self.of_strip(k) {
                return Some(p);
            }
        }
        None
    }
}

/// All primitives of `count` vertices; `is_restart` says of a position whether a strip ends there.
pub fn assemble(topology: Topology, count: u32, is_restart: impl FnMut(u32) -> bool) -> Vec<Primitive> {
    Primitives::new(topology, count, is_restart).collect()
}
