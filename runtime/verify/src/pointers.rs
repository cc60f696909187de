//! Addresses among seeded inputs: where a module loads what it then uses as an address, and the memory that such addresses lead to.
//!
//! Nothing says what an address points to but the accesses by it. So all of them lead to nodes of one size, which is that of the
//! farthest access. A node holds seeded words, and at the places of addresses the address of a later node, 0 in the last ones: lists
//! and trees end. An address that is computed of something else leads nowhere, and the oracle says so.

use std::collections::BTreeSet;

use gpucc_ir::{Attr, Func, Function, Module, Op, Place, Res, Scalar, Value, ValueDef};
use gpucc_sim::{BoundBuffer, Dispatch};

use crate::steps::step;

/// Group and binding of the nodes, which no shader binds.
pub(crate) const NODES: (u32, u32) = (u32::MAX - 1, 0);
/// Nodes that addresses lead to.
const COUNT: u64 = 32;
/// The room of a node behind its farthest constant place, where indices are added to addresses.
const ROOM: u32 = 4096;
/// The largest node.
const MOST: u32 = 1 << 15;

/// Places of addresses: the first, and how far one is from the next, 0 for one alone.
type Slot = (u32, u32);

/// What a module does with addresses.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    /// Where buffers hold them.
    pub slots: Vec<(Res, Slot)>,
    /// Where nodes hold them.
    inner: Vec<Slot>,
    /// Words of nodes that are loaded as floats.
    floats: Vec<(u32, Scalar, u32)>,
    /// Bytes of a node.
    size: u32,
}

/// The search for what becomes an address, backwards from the accesses by it.
struct Search<'a> {
    m: &'a Module,
    seen: BTreeSet<(Func, Value)>,
    open: Vec<(Func, Value)>,
    found: Pointers,
    /// Whether an index is added to an address.
    indexed: bool,
}

/// Finds the addresses of a module; none if it has no access by one.
pub(crate) fn find(m: &Module) -> Option<Pointers> {
    let mut s = Search { m, seen: BTreeSet::new(), open: Vec::new(), found: Pointers::default(), indexed: false };
    let mut farthest = 0;
    for (id, f) in m.funcs.iter() {
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let (Some(Place::Address), Some(mem), Some(at)) = (d.place(), d.mem(), d.dyn_offset()) else { continue };
            let ty = f.ty(d.results.first().unwrap_or_else(|| d.args[0]));
            farthest = farthest.max(mem.offset.saturating_add(ty.mem_bytes()));
            if d.op == Op::Load && ty.is_float() {
                s.found.floats.push((mem.offset, ty.scalar(), ty.mem_bytes()));
            }
            s.push(id, at);
        }
    }
    if s.open.is_empty() {
        return None;
    }
    while let Some((id, v)) = s.open.pop() {
        s.value(id, v);
    }
    let room = if s.indexed { ROOM } else { 0 };
    s.found.size = farthest.saturating_add(room).clamp(16, MOST).next_power_of_two();
    Some(s.found)
}

/// How far the places of a load at an index are from each other.
fn distance(f: &Function, at: Value, align: u32) -> u32 {
    step(f, at, 0).max(align).max(8)
}

impl Search<'_> {
    fn push(&mut self, id: Func, v: Value) {
        if self.seen.insert((id, v)) {
            self.open.push((id, v));
        }
    }

    /// Where a value comes from that becomes an address.
    fn value(&mut self, id: Func, v: Value) {
        let m = self.m;
        let f = &m.funcs[id];
        match f.values[v].def {
            ValueDef::Param(b, k) if b == f.entry() => self.arguments(id, k as usize),
            ValueDef::Param(b, k) => {
                let preds = f.preds();
                let args: Vec<Value> =
                    f.edges_to(b, &preds[b]).filter_map(|(_, e)| e.args.get(k as usize).copied()).collect();
                args.into_iter().for_each(|a| self.push(id, a));
            }
            ValueDef::Inst(i, k) => {
                let d = &f.insts[i];
                let from: Vec<Value> = match (d.op, &d.attr) {
                    // The address comes first, then what is added to it.
                    (Op::IAdd | Op::ISub, _) => {
                        self.indexed |= f.as_const(d.args[1]).is_none();
                        vec![d.args[usize::from(f.as_const(d.args[0]).is_some())]]
                    }
                    (Op::Select, _) => d.args[1..].to_vec(),
                    (Op::Extract | Op::ExtractDyn | Op::Bitcast, _) => vec![d.args[0]],
                    (Op::Compose | Op::Splat | Op::Shuffle, _) => d.args.to_vec(),
                    (Op::Insert | Op::InsertDyn, _) => d.args[..2].to_vec(),
                    (Op::Load, Attr::Mem(mem)) => {
                        let by = d.dyn_offset().map_or(0, |at| distance(f, at, mem.align));
                        self.loaded(mem.place, (mem.offset, by), f.ty(v).mem_bytes());
                        self.stored(id, mem.place);
                        vec![]
                    }
                    (Op::Call, Attr::Call(callee)) => {
                        let body = &m.funcs[*callee];
                        for (_, i) in body.insts_in_order().filter(|(_, i)| body.insts[*i].op == Op::Ret) {
                            if let Some(&r) = body.insts[i].args.get(k as usize) {
                                self.push(*callee, r);
                            }
                        }
                        vec![]
                    }
                    _ => vec![],
                };
                from.into_iter().for_each(|a| self.push(id, a));
            }
            ValueDef::Const(_) | ValueDef::Undef => {}
        }
    }

    /// What calls give for a parameter.
    fn arguments(&mut self, callee: Func, k: usize) {
        let m = self.m;
        for (id, f) in m.funcs.iter() {
            for (_, i) in f.insts_in_order() {
                if f.insts[i].attr == Attr::Call(callee)
                    && let Some(&a) = f.insts[i].args.get(k)
                {
                    self.push(id, a);
                }
            }
        }
    }

    /// A load of addresses, of which there may be several one behind the other.
    fn loaded(&mut self, place: Place, (offset, by): Slot, bytes: u32) {
        for at in (0..bytes).step_by(8).map(|k| offset.saturating_add(k)) {
            match place {
                Place::Buffer(r) if !self.found.slots.contains(&(r, (at, by))) => self.found.slots.push((r, (at, by))),
                // The address before the offset is another node, or a place in an array inside of one.
                Place::Address if !self.found.inner.contains(&(at, 0)) => self.found.inner.push((at, 0)),
                _ => {}
            }
        }
    }

    /// What is stored to a variable that addresses are loaded from.
    fn stored(&mut self, id: Func, place: Place) {
        let m = self.m;
        if !matches!(place, Place::Local(_) | Place::Global(_)) {
            return;
        }
        for (other, f) in m.funcs.iter().filter(|f| matches!(place, Place::Global(_)) || f.0 == id) {
            for (_, i) in f.insts_in_order() {
                let d = &f.insts[i];
                if d.op == Op::Store && d.place() == Some(place) && f.ty(d.args[0]).scalar() == Scalar::I64 {
                    self.push(other, d.args[0]);
                }
            }
        }
    }
}

impl Pointers {
    /// Bytes of all nodes.
    pub(crate) fn bytes(&self) -> usize {
        (u64::from(self.size) * COUNT) as usize
    }

    /// Which words of the nodes are loaded as floats.
    pub(crate) fn kinds(&self) -> Vec<Option<Scalar>> {
        let words = self.size as usize / 4;
        let mut node = vec![None; words];
        for &(offset, scalar, bytes) in &self.floats {
            let (from, to) = (offset as usize / 4, (offset.saturating_add(bytes) as usize).div_ceil(4));
            node[from.min(words)..to.min(words)].fill(Some(scalar));
        }
        node.repeat(COUNT as usize)
    }

    /// Binds the nodes, whose words these are, and writes addresses wherever they belong. Buffers that were given stay as they are.
    pub(crate) fn link(&self, d: &mut Dispatch, mut bytes: Vec<u8>, places: &[(Res, usize)]) {
        let place = d.buffers.len();
        let (group, binding) = NODES;
        let Ok(base) = d.give_address(place) else { return };
        let node = |k: u64| if k < COUNT { base + k * u64::from(self.size) } else { 0 };
        let put = |bytes: &mut Vec<u8>, at: u64, address: u64| {
            if let Some(word) = bytes.get_mut(at as usize..at as usize + 8) {
                word.copy_from_slice(&address.to_le_bytes());
            }
        };
        for k in 0..COUNT {
            for (n, &(offset, _)) in (1..).zip(&self.inner) {
                put(&mut bytes, k * u64::from(self.size) + u64::from(offset), node(k + n));
            }
        }
        d.buffers.push(BoundBuffer { group, binding, bytes, writable: true });
        let mut next = 0;
        for &(r, (offset, by)) in &self.slots {
            let Some(&(_, place)) = places.iter().find(|p| p.0 == r) else { continue };
            let bytes = &mut d.buffers[place].bytes;
            let mut at = u64::from(offset);
            while at + 8 <= bytes.len() as u64 {
                put(bytes, at, node(next % COUNT));
                next += 1;
                if by == 0 {
                    break;
                }
                at += u64::from(by);
            }
        }
    }
}
