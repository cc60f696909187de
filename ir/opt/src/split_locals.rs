//! Cuts variables of the function apart where no access reaches from one part into another.
//!
//! ```text
//! local0 size 68: store v0, local0[0] .. v2 = load local0[4 + v1], v1 at most 60
//!             ==>   local0 size 4: store v0, local0[0] .. local1 size 64: v2 = load local1[0 + v1]
//! ```
//!
//! The bound of an index keeps it in its array: the clamp of a robust module, or the end of a counter. So a word beside an array becomes
//! a value, and an array in a struct is one that `copies` knows.
//!
//! Needs: offsets as frontends make them, with bounds in sight. Keeps: blocks. Leaves alone: variables with
//! an index that nothing bounds, with volatile or atomic accesses, or with accesses at known places alone, which `mem2reg` takes apart.

use crate::PassCx;
use gpucc_ir::analysis::{DomTree, UpperBounds};
use gpucc_ir::{
    Attr, Block, CsrLists, EntitySet, Function, Init, Inst, IntCc, Local, Op, Place, SecondaryMap, Value, ValueDef,
};
use std::ops::Range;

/// How far the parts of an offset are followed.
const DEPTH: u32 = 8;

/// The bytes that an access may touch, and what it says of their alignment.
#[derive(Clone, Copy)]
struct Reach {
    inst: Inst,
    low: u32,
    end: u32,
    align: u32,
}

/// Part of a variable: its first byte, the end, the greatest alignment that an access asks for, and which accesses it has.
struct Part {
    low: u32,
    end: u32,
    align: u32,
    accesses: Range<usize>,
}

/// Cuts variables apart that accesses allow to.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let wanted = candidates(f);
    if wanted.count() == 0 {
        return;
    }
    let mut reaches = reaches(f, cx, &wanted);
    let mut moved: SecondaryMap<Inst, Option<(Local, u32)>> = SecondaryMap::with_default(None);
    let mut pieces: SecondaryMap<Local, Vec<Local>> = SecondaryMap::new();
    for l in wanted.iter() {
        let Some(mut mine) = reaches[l].take() else { continue };
        mine.sort_unstable_by_key(|r| r.low);
        let parts = parts(&mine);
        if parts.len() < 2 || !cx.change() {
            continue;
        }
        for p in &parts {
            let (part, first) = cut(f, l, p);
            pieces[l].push(part);
            mine[p.accesses.clone()].iter().for_each(|r| moved[r.inst] = Some((part, first)));
        }
    }
    let mut old = Vec::new();
    for b in f.layout.clone() {
        f.take_insts(b, &mut old);
        for &i in &old {
            if let (Some((part, first)), Some(m)) = (moved[i], f.insts[i].mem_mut()) {
                (m.place, m.offset) = (Place::Local(part), m.offset - first);
            }
            if let Attr::Place(Place::Local(l)) = f.insts[i].attr
                && let [first, rest @ ..] = &pieces[l][..]
            {
                f.insts[i].attr = Attr::Place(Place::Local(*first));
                f.blocks[b].insts.push(i);
                for &part in rest {
                    let d = f.insts[i].clone();
                    let next = f.insts.push(d);
                    f.insts[next].attr = Attr::Place(Place::Local(part));
                    f.blocks[b].insts.push(next);
                }
                continue;
            }
            f.blocks[b].insts.push(i);
        }
    }
}

/// Variables with accesses at an index and at more than one place, all of which are plain.
fn candidates(f: &Function) -> EntitySet<Local> {
    let mut first: SecondaryMap<Local, Option<u32>> = SecondaryMap::with_default(None);
    let [mut indexed, mut several, mut odd] = [(); 3].map(|()| EntitySet::new());
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let (Attr::Mem(m) | Attr::Atomic(_, m)) = &d.attr else { continue };
        let Place::Local(l) = m.place else { continue };
        if !matches!(d.op, Op::Load | Op::Store) || !m.flags.is_plain() {
            odd.insert(l);
        }
        if d.dyn_offset().is_some() {
            indexed.insert(l);
        }
        if *first[l].get_or_insert(m.offset) != m.offset {
            several.insert(l);
        }
    }
    let mut list = EntitySet::new();
    list.extend(indexed.iter().filter(|&l| several.contains(l) && !odd.contains(l)));
    list
}

/// What each access of a variable touches; nothing where something is not bounded.
fn reaches(f: &Function, cx: &mut PassCx<'_>, wanted: &EntitySet<Local>) -> SecondaryMap<Local, Option<Vec<Reach>>> {
    let (preds, dom, structure) = (cx.preds(f), cx.dom(f), cx.structure(f));
    let bounds = UpperBounds::new(f, cx.workgroup_size, &preds, &dom, &structure);
    let mut known = Known { f, preds: &preds, dom: &dom, bounds };
    let mut all = SecondaryMap::with_default(Some(Vec::new()));
    for (b, i) in f.insts_in_order() {
        let Some(m) = f.insts[i].mem() else { continue };
        let Place::Local(l) = m.place else { continue };
        if !wanted.contains(l) {
            continue;
        }
        let most = f.insts[i].dyn_offset().map_or(0, |v| known.most(v, b, DEPTH));
        let end = most.saturating_add(u64::from(m.offset) + u64::from(f.access_bytes(i)));
        if end > f.locals[l].size.into() {
            all[l] = None;
        } else if let Some(list) = &mut all[l] {
            list.push(Reach { inst: i, low: m.offset, end: end as u32, align: m.align });
        }
    }
    all
}

/// What is known of offsets.
struct Known<'a> {
    f: &'a Function,
    preds: &'a CsrLists<Block, Block>,
    dom: &'a DomTree,
    bounds: UpperBounds<'a>,
}

impl Known<'_> {
    /// A number that a value does not exceed in a block: the last one of a counter there, not the first one behind its loop.
    fn most(&mut self, v: Value, at: Block, depth: u32) -> u64 {
        let (f, any) = (self.f, self.bounds.of(v));
        let Some(depth) = depth.checked_sub(1) else { return any };
        let exact = match f.values[v].def {
            ValueDef::Param(header, n) => self.last(header, n as usize, at),
            ValueDef::Inst(i, _) => {
                let d = &f.insts[i];
                let mut of = |n: usize| self.most(d.args[n], at, depth);
                match d.op {
                    Op::IAdd => Some(of(0).saturating_add(of(1))),
                    Op::IMul => Some(of(0).saturating_mul(of(1))),
                    Op::UMin => Some(of(0).min(of(1))),
                    Op::Shl => f.const_bits(d.args[1]).filter(|&n| n < 32).map(|n| of(0).saturating_mul(1 << n)),
                    _ => None,
                }
            }
            _ => None,
        };
        // What exceeds 32 bits may have wrapped.
        exact.filter(|&n| n <= u32::MAX.into()).map_or(any, |n| n.min(any))
    }

    /// The last value of a counter from a constant to below another, in a block of its loop.
    fn last(&self, header: Block, n: usize, at: Block) -> Option<u64> {
        let f = self.f;
        let merge = f.blocks[header].header?.merge;
        let counter = f.blocks[header].params[n];
        let t = &f.insts[f.terminator(header)];
        let [then, other] = t.as_br()?;
        let (stays, below) = if then.block == merge { (other, IntCc::Uge) } else { (then, IntCc::Ult) };
        let test = f.def_op(t.args[0], Op::ICmp)?;
        let inside = ![merge, header].contains(&stays.block) && self.dom.dominates(stays.block, at);
        if !inside || test.attr != Attr::IntCc(below) || test.args[0] != counter {
            return None;
        }
        let end = f.const_bits(test.args[1])?;
        let [x, y] = self.preds[header][..] else { return None };
        let (before, latch) = if self.dom.dominates(header, x) { (y, x) } else { (x, y) };
        let given = |p: Block| f.edges(p).into_iter().find(|e| e.block == header).map(|e| e.args[n]);
        let first = f.const_bits(given(before)?)?;
        let sum = f.def_op(given(latch)?, Op::IAdd).filter(|d| d.args[0] == counter)?;
        let step = f.const_bits(sum.args[1]).filter(|&s| s > 0)?;
        let wraps = end.saturating_add(step) > u32::MAX.into();
        (before != latch && first < end && !wraps).then(|| first + (end - 1 - first) / step * step)
    }
}

/// Runs of bytes that accesses, in the order of their first bytes, touch together.
fn parts(reaches: &[Reach]) -> Vec<Part> {
    let mut list: Vec<Part> = Vec::new();
    for (k, r) in reaches.iter().enumerate() {
        match list.last_mut() {
            Some(p) if r.low < p.end => {
                (p.end, p.align, p.accesses.end) = (p.end.max(r.end), p.align.max(r.align), k + 1);
            }
            _ => list.push(Part { low: r.low, end: r.end, align: r.align, accesses: k..k + 1 }),
        }
    }
    list
}

/// A new variable with a part of another one; gives where it begins in that.
fn cut(f: &mut Function, l: Local, p: &Part) -> (Local, u32) {
    let mut data = f.locals[l].clone();
    let first = p.low - p.low % p.align.max(1);
    if let Init::Bytes(bytes) = &mut data.init {
        *bytes = bytes.iter().copied().take(p.end as usize).skip(first as usize).collect();
        if bytes.iter().all(|&b| b == 0) {
            data.init = Init::Zero;
        }
    }
    data.size = p.end - first;
    data.align = data.align.max(p.align);
    (f.locals.push(data), first)
}
