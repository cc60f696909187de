//! Facts of the container for a check for races: which plain instructions are atomic accesses, and where clamped ones land.
//!
//! Bounds handling sends an access that is out of bounds to the last element that there is. That no race comes of it is a
//! promise of WGSL's, and the code does not show it: so each access with a clamped offset is listed with the place where the
//! clamp leads to ([`clamps`]).

use std::collections::BTreeMap;

use gpucc_container::{RaceMark, Resource};
use gpucc_ir::analysis::{Clamp, clamps};
use gpucc_ir::{Function, Inst, Loc, Module, Place, Space};

/// Rows for the addresses and locations of instructions in order. `resources` are those of the container, `own` gives the
/// offset of a workgroup variable in the memory that the machine checks.
pub fn race_marks(
    m: &Module,
    f: &Function,
    resources: &[Resource],
    own: impl Fn(Place) -> Option<u32>,
    places: impl IntoIterator<Item = (u32, Loc)>,
) -> Vec<RaceMark> {
    let mut clamps: BTreeMap<Loc, Vec<RaceMark>> = BTreeMap::new();
    for (_, i) in f.insts_in_order() {
        let list = clamped(m, f, resources, &own, i);
        if !list.is_empty() {
            clamps.entry(f.insts[i].loc).or_default().extend(list);
        }
    }
    let mut rows = Vec::new();
    for (pc, loc) in places.into_iter().filter(|p| p.1.is_access()) {
        if loc.is_atomic() {
            rows.push(RaceMark::atomic(pc));
        }
        for c in clamps.get(&loc.plain()).into_iter().flatten() {
            let row = RaceMark { pc, ..*c };
            if rows.iter().rev().take_while(|r| r.pc == pc).all(|r| *r != row) {
                rows.push(row);
            }
        }
    }
    rows
}

/// The clamps of an access, for no address yet.
fn clamped(
    m: &Module,
    f: &Function,
    resources: &[Resource],
    own: &impl Fn(Place) -> Option<u32>,
    i: Inst,
) -> Vec<RaceMark> {
    let found = clamps(m, f, i);
    let (false, Some(mem)) = (found.is_empty(), f.insts[i].mem()) else { return Vec::new() };
    let (place, start) = match mem.place {
        Place::Buffer(r) => {
            let r = &m.resources[r];
            let is = |x: &Resource| x.kind.is_buffer() && (x.group, x.binding) == (r.group, r.binding);
            let Some(at) = resources.iter().position(is) else {
                return Vec::new();
            };
            (at as u16, 0)
        }
        Place::Global(_) if m.space(mem.place) == Space::Workgroup => match own(mem.place) {
            Some(base) => (RaceMark::WORKGROUP, base),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let row = |c| match c {
        Clamp::Tail { span, enough } => RaceMark { pc: 0, kind: RaceMark::TAIL, place, values: [span, enough, 0] },
        Clamp::Index { base, stride, last } => {
            RaceMark { pc: 0, kind: RaceMark::INDEX, place, values: [base.wrapping_add(start), stride, last] }
        }
    };
    found.into_iter().map(row).collect()
}
