//! Coordinates of fragments: numbers that a conversion to integers need not clamp, and the whole pixels under them.

use gpucc_ir::{Attr, Function, Op, Sysval, Value};
use smallvec::SmallVec;

/// Steps back to where a lane comes from, at most.
const STEPS: usize = 16;

/// The value that a lane of a vector is made of, and its lane there; through what only moves lanes.
fn source(f: &Function, mut v: Value, mut lane: usize) -> Option<(Value, usize)> {
    for _ in 0..STEPS {
        let d = &f.insts[f.def_inst(v)?];
        (v, lane) = match (d.op, &d.attr) {
            (Op::Compose, _) => (*d.args.get(lane)?, 0),
            (Op::Splat, _) => (d.args[0], 0),
            (Op::Extract, Attr::Lane(k)) => (d.args[0], usize::from(*k)),
            (Op::Shuffle | Op::Insert, _) => *d.moved_lanes(f.ty(v).lanes())?.get(lane)?,
            _ => return Some((v, lane)),
        };
    }
    None
}

/// The whole pixel of a coordinate in the middle of it: its column or row.
fn middle(f: &Function, v: Value, lane: usize) -> Option<(Value, u32)> {
    let (v, lane) = source(f, v, lane)?;
    let d = f.def_op(v, Op::FAdd)?;
    let half = f.const_bits(d.args[1]) == Some(u64::from(0.5_f32.to_bits()));
    let (v, lane) = source(f, d.args[0], lane).filter(|_| half)?;
    let (v, lane) = source(f, f.def_op(v, Op::U2F)?.args[0], lane)?;
    let d = f.def_op(v, Op::Sysval)?;
    (d.attr == Attr::Sysval(Sysval::Pixel) && lane < 2).then_some((v, lane as u32))
}

/// Whether each lane is a column or a row of the frame, which has fewer than 2^16 of them.
pub fn in_frame(f: &Function, v: Value) -> bool {
    let coordinate = |lane: usize| {
        let found = source(f, v, lane).filter(|s| s.1 < 2).and_then(|s| f.def_op(s.0, Op::Sysval));
        found.is_some_and(|d| d.attr == Attr::Sysval(Sysval::FragCoord)) || middle(f, v, lane).is_some()
    };
    (0..f.ty(v).lanes() as usize).all(coordinate)
}

/// The columns and rows that the lanes truncate to, where a program has whole pixels: a value for each, and its lane.
pub fn pixels(f: &Function, v: Value) -> Option<SmallVec<[(Value, u32); 4]>> {
    (0..f.ty(v).lanes() as usize).map(|lane| middle(f, v, lane)).collect()
}
