//! What the lanes of values of 64 bits are now, and how they lie in memory.

use gpucc_ir::{Builder, Function, Mem, Scalar, SecondaryMap, Type, Value};
use smallvec::SmallVec;

use super::pair::Pair;
use crate::caps::OpSet;

pub(super) type Pairs = SmallVec<[Pair; 1]>;
/// Floats of 64 bits, one for each lane.
pub(super) type Doubles = SmallVec<[Value; 1]>;

pub(super) fn is_wide(t: Type) -> bool {
    matches!(t.scalar(), Scalar::I64 | Scalar::F64)
}

pub(super) fn is_double(t: Type) -> bool {
    t.scalar() == Scalar::F64
}

pub(super) struct Wide {
    /// The largest constant offset from an address.
    pub(super) most: u32,
    /// Ops on floats of 64 bits that are written with others.
    pub(super) expand: OpSet,
    /// Whether instructions convert floats from and to integers of 64 bits.
    pub(super) converts: bool,
    /// The halves of each lane of a value; empty for what is not known yet, constants among it.
    pub(super) pairs: SecondaryMap<Value, Pairs>,
    /// The lanes of a float of 64 bits that is another value now, or several.
    pub(super) doubles: SecondaryMap<Value, Doubles>,
    /// The value of at most 32 bits that takes the place of another.
    pub(super) new: SecondaryMap<Value, Option<Value>>,
}

impl Wide {
    /// The halves of the lanes of a value.
    pub(super) fn lanes(&self, f: &mut Function, v: Value) -> Pairs {
        if !self.pairs[v].is_empty() {
            return self.pairs[v].clone();
        }
        let lanes = f.ty(v).lanes();
        match f.as_const(v).cloned() {
            Some(c) => c.bits.iter().map(|&bits| Pair::of(f, bits)).collect(),
            // What is undefined, and what code that nothing reaches gives to itself.
            None => {
                let half = f.undef(Type::I32);
                (0..lanes).map(|_| Pair { lo: half, hi: half }).collect()
            }
        }
    }
}

/// The accesses that make up one of so many lanes: the first lane of each, how many, and where it is.
pub(super) fn parts(lanes: u32, m: &Mem) -> impl Iterator<Item = (u32, u32, Mem)> {
    let m = *m;
    (0..lanes).step_by(2).map(move |k| {
        let align = if k == 0 { m.align } else { m.align.min(16) };
        (k, (lanes - k).min(2), Mem { offset: m.offset + 8 * k, align, ..m })
    })
}

pub(super) fn load(b: &mut Builder<'_>, lanes: u32, m: &Mem, dynamic: Option<Value>) -> Pairs {
    let mut out = Pairs::new();
    for (_, n, m) in parts(lanes, m) {
        let v = b.load(Type::new(Scalar::I32, 2 * n), m, dynamic);
        out.extend((0..n).map(|k| Pair { lo: b.extract(v, 2 * k), hi: b.extract(v, 2 * k + 1) }));
    }
    out
}
