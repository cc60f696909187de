//! Computes equal values once: global value numbering by dominance.
//!
//! Two instructions are equal if op, attribute, operands and result type are; commutative operands are compared as a set.
//! The one that dominates stays and keeps only the float flags that both had. Loads of memory that nobody writes while the
//! shader runs count as values too.
//!
//! A convergent op is a value of its quad: two of them are equal only in the same innermost loop, since lanes that leave a
//! loop early are missing in its later iterations.
//!
//! Needs: nothing. Keeps: the CFG. Everything with an effect stays.

use crate::PassCx;
use crate::readonly::is_value;
use gpucc_ir::{Attr, Block, EntitySet, Function, Inst, InstData, Op, OpAttrs, Place, SecondaryMap, Value};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Whether the value may also be computed where the program does not: not in another iteration of a loop, and with any lanes.
pub(crate) fn may_move(f: &Function, i: Inst) -> bool {
    !f.insts[i].op.has(OpAttrs::convergent)
}

/// The attribute of an instruction that [`is_value`], packed into numbers.
fn numbers(d: &InstData) -> [u32; 3] {
    match &d.attr {
        Attr::IntCc(c) => [*c as u32, 0, 0],
        Attr::FloatCc(c) => [*c as u32, 0, 0],
        Attr::Lane(l) => [u32::from(*l), 0, 0],
        Attr::Lanes(l) => [l.iter().fold(0, |n, &k| n << 8 | u32::from(k)), 0, 0],
        // Alignment and flags are promises about the same access; only buffers come here.
        Attr::Mem(m) => match m.place {
            Place::Buffer(r) => [r.0, m.offset, 0],
            Place::Global(_) | Place::Local(_) | Place::Address => unreachable!("such loads are no values"),
        },
        Attr::Res(r) => [r.0, 0, 0],
        Attr::Sysval(s) => [*s as u32, 0, 0],
        Attr::Input(n) => [u32::from(*n), 0, 0],
        Attr::Deriv(d) => [d.axis as u32, u32::from(d.fine), 0],
        Attr::Tex(t) => [t.texture.0, t.sampler.map_or(u32::MAX, |s| s.0), t.desc.bits()],
        Attr::None
        | Attr::Atomic(..)
        | Attr::TexAtomic(..)
        | Attr::Place(_)
        | Attr::Reduce(_)
        | Attr::Barrier(_)
        | Attr::Target(_)
        | Attr::Call(_)
        | Attr::Branch(_)
        | Attr::Switch(_) => [0; 3],
    }
}

/// The operands, those of a commutative op in the order of their numbers.
fn operands(d: &InstData) -> impl Iterator<Item = Value> {
    let swaps = d.args.len() >= 2 && d.args[0] > d.args[1] && d.op.has(OpAttrs::commutative);
    d.args.iter().enumerate().map(move |(k, &v)| if swaps && k < 2 { d.args[1 - k] } else { v })
}

/// Whether two instructions compute the same.
fn same(f: &Function, a: Inst, b: Inst) -> bool {
    let (d, e) = (&f.insts[a], &f.insts[b]);
    d.op == e.op
        && f.ty(d.result()) == f.ty(e.result())
        && d.args.len() == e.args.len()
        && operands(d).eq(operands(e))
        && numbers(d) == numbers(e)
}

/// A number that is the same for all instructions that compute the same.
fn hash(f: &Function, i: Inst) -> u32 {
    let d = &f.insts[i];
    let mut h = FxHasher::default();
    d.op.hash(&mut h);
    f.ty(d.result()).hash(&mut h);
    operands(d).for_each(|v| h.write_u32(v.0));
    // Most have none, and the comparison of two attributes is a call.
    if !matches!(d.attr, Attr::None) {
        numbers(d).into_iter().for_each(|n| h.write_u32(n));
    }
    (h.finish() >> 32) as u32
}

/// The facts about the values so far.
#[derive(Clone, Copy)]
struct Known {
    /// Hash of the key: nearly all that are not equal differ here, so that the others need not be read.
    hash: u32,
    block: Block,
    inst: Inst,
}

/// The hash for the table, which reads the lowest bits and the highest.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// How many blocks are looked at together.
const BLOCKS: usize = 64;

/// Replaces values that a dominating instruction computes already.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let dom = cx.dom(f);
    let fixed = cx.readonly(f);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    // The first of each kind that may still dominate what comes; found by its key, which is made again where it is needed.
    let mut table: HashTable<Known> = HashTable::with_capacity(f.insts.len() / 2);
    let mut gone: EntitySet<Inst> = EntitySet::new();
    let mut alike = Alike::default();
    // The blocks that lose some.
    let mut touched: Vec<Block> = Vec::new();
    let order = dom.preorder();
    // Instructions that may have an equal, some blocks at a time: a look into the table waits for memory that nothing predicts, and between
    // such looks the machine does not fetch the code ahead.
    let mut candidates: Vec<Known> = Vec::with_capacity(f.insts.len().min(BLOCKS * 8));
    // In dominator preorder, so that a dominating instruction is met first.
    for blocks in order.chunks(BLOCKS) {
        candidates.clear();
        for &block in blocks {
            for n in 0..f.blocks[block].insts.len() {
                let inst = f.blocks[block].insts[n];
                alike.replace(f, inst, &map);
                if is_value(f, inst, &fixed) {
                    candidates.push(Known { hash: hash(f, inst), block, inst });
                }
            }
        }
        let before = touched.len();
        for here in &mut candidates {
            let i = here.inst;
            if touched.len() > before && alike.replace(f, i, &map) {
                here.hash = hash(f, i);
            }
            let here = *here;
            let equal = |k: &Known| k.hash == here.hash && same(f, k.inst, i);
            let found = table.entry(spread(here.hash), equal, |k| spread(k.hash));
            let mut iteration = |a: Block, b: Block| {
                may_move(f, i) || {
                    let s = cx.structure(f);
                    s.loop_of(a) == s.loop_of(b)
                }
            };
            let first = match found {
                // An entry of a subtree that is done cannot dominate any more; one of another loop had other lanes.
                Entry::Occupied(mut e)
                    if !dom.dominates(e.get().block, here.block) || !iteration(e.get().block, here.block) =>
                {
                    *e.get_mut() = here;
                    continue;
                }
                Entry::Occupied(e) => e.get().inst,
                Entry::Vacant(e) => {
                    e.insert(here);
                    continue;
                }
            };
            if cx.change() {
                let (a, fp) = (f.insts[first].result(), f.insts[i].fp);
                f.insts[first].fp = f.insts[first].fp.and(fp);
                if let Some(m) = f.insts[i].mem().copied()
                    && let Some(keep) = f.insts[first].mem_mut()
                {
                    keep.align = keep.align.max(m.align);
                }
                map[f.insts[i].result()] = Some(a);
                gone.insert(i);
                touched.push(here.block);
            }
        }
        if touched.len() > before {
            for &b in blocks {
                for n in 0..f.blocks[b].insts.len() {
                    alike.replace(f, f.blocks[b].insts[n], &map);
                }
            }
        }
    }
    // A user of a value comes after it; but code that nothing reaches is not part of the tree.
    if order.len() < f.layout.len() {
        f.replace_uses(&map);
    }
    cx.apart = order.len() == f.layout.len() && !alike.may_fit(f);
    touched.dedup();
    for b in touched {
        f.blocks[b].insts.retain(|&mut i| !gone.contains(i));
    }
}

/// Whether instructions got operands that may be the same as others, where an algebraic rule asks for that.
#[derive(Default)]
struct Alike {
    /// Operands of one that are.
    same: bool,
    /// A sum got another operand: differences ask for it.
    sum: bool,
    /// So did an extraction: a vector that is composed of such asks for it.
    extract: bool,
}

impl Alike {
    /// Replaces the operands of an instruction; true if one changed.
    fn replace(&mut self, f: &mut Function, i: Inst, map: &SecondaryMap<Value, Option<Value>>) -> bool {
        if map.is_unset() {
            return false;
        }
        let d = &f.insts[i];
        // A choice by the condition of another one.
        let condition = d.op == Op::Select && map[d.args[0]].is_some();
        if !f.replace_uses_of(i, map) {
            return false;
        }
        let d = &f.insts[i];
        self.sum |= d.op == Op::IAdd;
        self.extract |= d.op == Op::Extract;
        let twice = || d.args.iter().enumerate().any(|(n, v)| d.args[..n].contains(v));
        self.same |= condition || matches!(d.op, Op::ISub | Op::Compose) || twice();
        true
    }

    fn may_fit(&self, f: &Function) -> bool {
        let has = |op: Op| f.insts_in_order().any(|(_, i)| f.insts[i].op == op);
        self.same || self.sum && has(Op::ISub) || self.extract && has(Op::Compose)
    }
}
