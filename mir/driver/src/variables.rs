//! Where variables lie: offsets in the memory of the workgroup and in that of the invocation.

use std::collections::BTreeMap;

use gpucc_ir::{Attr, Function, Module, Op, Place, Space, VarData};

/// The places of memory that a function accesses, in the order of their first access, and whether atomics are among the
/// accesses.
pub fn used_places(f: &Function) -> Vec<(Place, bool)> {
    let mut used: Vec<(Place, bool)> = Vec::new();
    let mut known: BTreeMap<Place, usize> = BTreeMap::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let (Attr::Mem(gpucc_ir::Mem { place, .. })
        | Attr::Atomic(_, gpucc_ir::Mem { place, .. })
        | Attr::Place(place)) = d.attr
        else {
            continue;
        };
        let atomic = matches!(d.op, Op::Atomic | Op::CmpXchg);
        let at = *known.entry(place).or_insert(used.len());
        if at == used.len() {
            used.push((place, false));
        }
        used[at].1 |= atomic;
    }
    used
}

/// Offsets of variables in workgroup and private memory.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    at: BTreeMap<Place, u32>,
    /// Bytes of workgroup memory.
    pub workgroup: u32,
    /// Bytes of an invocation's own memory.
    pub private: u32,
}

impl Variables {
    /// Lays variables out one behind the other in this order, in whole words, each at a multiple of what `align` says; buffers
    /// among them are passed over. Sizes beyond 32 bits stay at the largest number.
    pub fn new(
        m: &Module,
        f: &Function,
        order: impl IntoIterator<Item = Place>,
        align: impl Fn(&VarData) -> u32,
    ) -> Variables {
        let mut v = Variables::default();
        for place in order {
            let var = match place {
                Place::Global(g) => &m.globals[g],
                Place::Local(l) => &f.locals[l],
                Place::Buffer(_) | Place::Address => continue,
            };
            let end = if m.space(place) == Space::Workgroup { &mut v.workgroup } else { &mut v.private };
            let at = end.checked_next_multiple_of(align(var)).unwrap_or(u32::MAX);
            *end = at.saturating_add(var.size.checked_next_multiple_of(4).unwrap_or(u32::MAX));
            v.at.insert(place, at);
        }
        v
    }

    /// The offset of a variable; `None` for buffers and for what nobody accesses.
    pub fn at(&self, place: Place) -> Option<u32> {
        self.at.get(&place).copied()
    }
}
