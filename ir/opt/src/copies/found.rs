//! Finds where a variable of the function is filled with bytes that lie elsewhere: by loops that only copy, by a load and a store for each
//! leaf, or by both one after the other; and where all of it is given to another memory in the same ways.

use super::at::At;
use crate::PassCx;
use crate::counted::{Affine, Counted, affine, counted};
use gpucc_ir::{
    Attr, Block, Builder, Edge, EntitySet, Function, Inst, Local, MemFlags, Op, Place, SecondaryMap, Space, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Sums and products that an offset may be made of.
const PARTS: u32 = 8;

/// Variables whose copies are looked for at once.
const MOST: usize = 16;

/// The bytes that a copy reads: those of the variable lie `delta` bytes farther on in `place`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The memory in which they lie.
    pub place: Place,
    /// Dynamic bytes on top of the constant ones.
    pub base: Option<Value>,
    /// Constant bytes from the beginning of the place.
    pub delta: u32,
}

impl Source {
    /// Where bytes of `other` lie, of which this is a copy.
    pub fn behind(self, other: Source) -> Source {
        Source { place: self.place, base: self.base.or(other.base), delta: other.delta + self.delta }
    }
}

/// All that is found in a function.
pub struct Found {
    /// Copies that fill a variable, in the order of the code.
    pub copies: Vec<Copy>,
    /// Copies of whole variables to other memory.
    pub given: Vec<Copy>,
    /// Loops that copy a variable onto itself.
    pub idle: Vec<CopyLoop>,
    /// Variables all of which a loop writes, and reads nothing of, with the place in front of it.
    pub fills: Vec<(Local, At)>,
}

/// A loop that does nothing but copy.
#[derive(Clone, Debug)]
pub struct CopyLoop {
    /// The block that enters it.
    pub before: Block,
    /// Its blocks, the header first.
    pub blocks: SmallVec<[Block; 4]>,
    /// The edge by which it is left.
    pub exit: Edge,
    /// Its loads and stores.
    pub accesses: Vec<(Inst, Inst)>,
    /// The first byte that it writes and the end.
    range: (u32, u32),
    own: Local,
    other: Source,
    is_given: bool,
}

/// A copy between a variable and other memory: one that fills it, or one that gives it away.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The variable on this side.
    pub own: Local,
    /// Where the bytes come from, or where they are given to.
    pub other: Source,
    /// The flags that all accesses there have.
    pub flags: MemFlags,
    /// The alignment of the first byte of the variable there.
    pub align: u32,
    /// Where it is done.
    pub at: At,
    /// Where its parts are written, in order.
    pub parts: Vec<At>,
    /// Loads and stores, one for each leaf; those of loops too.
    pub accesses: Vec<(Inst, Inst)>,
    /// The loops that do it.
    pub loops: SmallVec<[CopyLoop; 1]>,
}

/// A copy of which some is found.
struct Open {
    own: Local,
    is_given: bool,
    other: Source,
    flags: MemFlags,
    align: u32,
    ranges: Vec<(u32, u32)>,
    /// Bytes of all ranges together.
    bytes: u64,
    parts: Vec<At>,
    accesses: Vec<(Inst, Inst)>,
    loops: SmallVec<[CopyLoop; 1]>,
}

impl Open {
    /// Adds bytes; whether all of `size` are there.
    fn cover(&mut self, range: (u32, u32), size: u32) -> bool {
        match self.ranges.last_mut() {
            Some(last) if last.1 == range.0 => last.1 = range.1,
            _ => self.ranges.push(range),
        }
        self.bytes += u64::from(range.1 - range.0);
        if self.bytes < size.into() {
            return false;
        }
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, first| {
            let joined = next.0 <= first.1;
            if joined {
                first.1 = first.1.max(next.1);
            }
            joined
        });
        self.bytes = self.ranges.iter().map(|r| u64::from(r.1 - r.0)).sum();
        matches!(self.ranges[..], [(0, end)] if end >= size)
    }
}

/// The walk over one chain of blocks.
struct Chain<'f, 'c, 'm> {
    f: &'f Function,
    cx: &'c PassCx<'m>,
    /// When each load was made, in instructions of the walk.
    when: SecondaryMap<Inst, u32>,
    now: u32,
    /// When the chain began.
    start: u32,
    written: FxHashMap<Place, u32>,
    /// When something wrote to an address, or a barrier ordered memory.
    shared: u32,
    open: Vec<Open>,
    found: Vec<Copy>,
    given: Vec<Copy>,
}

/// All copies of variables.
pub fn find(f: &Function, cx: &mut PassCx<'_>) -> Found {
    let preds = cx.preds(f);
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::with_default(0);
    for (_, i) in f.insts_in_order() {
        f.insts[i].for_each_use(|v| uses[v] += 1);
    }
    let namers = f.namers();
    let (mut idle, mut fills) = (Vec::new(), Vec::new());
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut chain = Chain {
        f,
        cx,
        when: SecondaryMap::with_default(0),
        now: 1,
        start: 1,
        written: FxHashMap::default(),
        shared: 0,
        open: Vec::new(),
        found: Vec::new(),
        given: Vec::new(),
    };
    let all = OnceCell::new();
    let touched = Touched { f, robust: cx.module.options.robust, all: &all };
    let found = |header: Block| {
        // No other construct ends in the loop.
        let alone = |l: &CopyLoop| l.blocks.iter().all(|&b| namers[b].iter().all(|n| l.blocks.contains(n)));
        f.blocks[header].header.and_then(|_| copy_loop(&touched, header, &preds[header], &uses)).filter(alone)
    };
    for &first in &f.layout {
        if seen.contains(first) {
            continue;
        }
        chain.open.clear();
        chain.now += 1;
        chain.start = chain.now;
        let mut next = Some(first);
        while let Some(b) = next.filter(|&b| seen.insert(b)) {
            if let Some(l) = found(b) {
                seen.extend_from(&l.blocks);
                // Behind the loop, or on the way out where others come there too.
                let merge = l.exit.block;
                next = (preds[merge][..] == [b]).then_some(merge);
                let at = next.map_or(At { block: b, step: u32::MAX }, |block| At { block, step: 0 });
                match l.other.place == Place::Local(l.own) {
                    true => idle.push(l),
                    false => chain.turn(l, at),
                }
                continue;
            }
            if f.blocks[b].header.is_some() {
                fills.extend(counted(f, b, &preds[b]).map(|l| filled(f, &l)).unwrap_or_default());
            }
            for (k, &i) in f.blocks[b].insts.iter().enumerate() {
                chain.step(b, k as u32, i);
            }
            let jump = f.insts[f.terminator(b)].as_jump();
            let to = jump.map(|(edge, _)| edge.block);
            next = to.filter(|&to| preds[to].len() == 1 || f.blocks[to].header.is_some() && found(to).is_some());
        }
    }
    Found { copies: chain.found, given: chain.given, idle, fills }
}

impl Chain<'_, '_, '_> {
    /// Takes note of an instruction.
    fn step(&mut self, b: Block, k: u32, i: Inst) {
        self.now += 1;
        let (f, d) = (self.f, &self.f.insts[i]);
        match (&d.attr, d.op) {
            (Attr::Mem(m), Op::Load) => {
                self.when[i] = self.now;
                self.read(m.place);
            }
            (Attr::Mem(m), Op::Store) => {
                let part = self.part(i);
                self.write(m.place, part.is_some());
                let Some((own, is_given, first, load, other)) = part else { return };
                let at = At { block: b, step: 2 * k + 1 };
                self.add((own, is_given, other), (first, first + f.access_bytes(i)), &[(load, i)], None, at);
            }
            (Attr::Mem(m) | Attr::Atomic(_, m), _) => self.write(m.place, false),
            (Attr::Place(p), _) => self.write(*p, false),
            (_, Op::Barrier | Op::Call) => {
                self.shared = self.now;
                let m = self.cx.module;
                self.open.retain(|o| !o.is_given && (o.flags.has(MemFlags::READONLY) || !is_shared(m, o.other.place)));
            }
            _ => {}
        }
    }

    /// What a store that copies says of a variable: whether it is given, the first byte, the load, and the memory beside it, if the same
    /// could be read there now.
    fn part(&self, store: Inst) -> Option<(Local, bool, u32, Inst, Source)> {
        let (f, d) = (self.f, &self.f.insts[store]);
        let to = d.mem()?;
        let load = f.def_inst(d.args[0]).filter(|&l| f.insts[l].op == Op::Load)?;
        let from = f.insts[load].mem()?;
        let when = self.when[load];
        let still = from.flags.has(MemFlags::READONLY)
            || self.written.get(&from.place).is_none_or(|&w| w < when)
                && (self.shared < when || !is_shared(self.cx.module, from.place));
        let is_given = !matches!(to.place, Place::Local(_));
        let ((own, i), (other, j)) = if is_given { ((from, load), (to, store)) } else { ((to, store), (from, load)) };
        let Place::Local(l) = own.place else { return None };
        let ok = f.insts[i].dyn_offset().is_none() && to.flags.is_alone() && from.flags.is_alone();
        if !ok || to.place == from.place || when < self.start || !still || other.place == Place::Address {
            return None;
        }
        let delta = other.offset.checked_sub(own.offset)?;
        Some((l, is_given, own.offset, load, Source { place: other.place, base: f.insts[j].dyn_offset(), delta }))
    }

    /// A loop that copies.
    fn turn(&mut self, found: CopyLoop, at: At) {
        self.now += 1;
        let (own, other, range, is_given) = (found.own, found.other, found.range, found.is_given);
        let (from, to) = if is_given { (Place::Local(own), other.place) } else { (other.place, Place::Local(own)) };
        self.read(from);
        self.write(to, true);
        let accesses = found.accesses.clone();
        self.add((own, is_given, other), range, &accesses, Some(found), at);
    }

    /// Something reads a place: what is found of a copy to it is not a whole one.
    fn read(&mut self, place: Place) {
        let m = self.cx.module;
        self.open.retain(|o| match o.is_given {
            true => !m.overlap(o.other.place, place),
            false => Place::Local(o.own) != place,
        });
    }

    /// Something writes to a place: a part of the copy to it, or else that is none.
    fn write(&mut self, place: Place, is_part: bool) {
        if place == Place::Address {
            self.shared = self.now;
        }
        self.written.insert(place, self.now);
        let m = self.cx.module;
        self.open.retain(|o| {
            let (own, other) = (Place::Local(o.own) == place, m.overlap(o.other.place, place));
            match o.is_given {
                true => !own && (is_part || !other),
                false => (!other || o.flags.has(MemFlags::READONLY)) && (is_part || !own),
            }
        });
    }

    fn add(
        &mut self,
        (own, is_given, other): (Local, bool, Source),
        range: (u32, u32),
        accesses: &[(Inst, Inst)],
        found: Option<CopyLoop>,
        at: At,
    ) {
        let size = self.f.locals[own].size;
        let m = self.cx.module;
        // Two copies to one place are none.
        self.open.retain(|o| {
            let same = o.own == own && o.other == other;
            let one = match is_given {
                true => m.overlap(o.other.place, other.place),
                false => o.own == own,
            };
            o.is_given != is_given || same || !one
        });
        let known = self.open.iter().position(|o| o.own == own && o.is_given == is_given);
        let k = known.unwrap_or_else(|| {
            if self.open.len() == MOST {
                self.open.remove(0);
            }
            let flags = MemFlags(u8::MAX);
            let (ranges, parts, accesses, loops) = Default::default();
            self.open.push(Open { own, is_given, other, flags, align: 1, ranges, bytes: 0, parts, accesses, loops });
            self.open.len() - 1
        });
        let o = &mut self.open[k];
        for &(load, store) in accesses {
            let m = self.f.insts[if is_given { store } else { load }].mem().expect("an access has its memory");
            o.flags = MemFlags(o.flags.0 & m.flags.0);
            if m.offset.is_multiple_of(m.align) {
                o.align = o.align.max(m.align);
            }
        }
        o.accesses.extend_from_slice(accesses);
        o.parts.push(at);
        o.loops.extend(found);
        if o.cover(range, size) {
            let Open { flags, align, parts, accesses, loops, .. } = self.open.remove(k);
            let differs =
                accesses.iter().any(|a| self.f.insts[a.0].mem().is_some_and(|m| m.flags.has(MemFlags::NONUNIFORM)));
            let mut flags = flags.without(MemFlags::UNIFORM.with(MemFlags::NONUNIFORM));
            if differs {
                flags = flags.with(MemFlags::NONUNIFORM);
            }
            let align = align.min(1 << other.delta.trailing_zeros().min(16));
            let list = if is_given { &mut self.given } else { &mut self.found };
            list.push(Copy { own, other, flags, align, at, parts, accesses, loops });
        }
    }
}

/// Whether others write a place while the shader runs.
pub fn is_shared(m: &gpucc_ir::Module, place: Place) -> bool {
    matches!(m.space(place), Space::Workgroup | Space::Storage)
}

/// The loop with this header, if it does nothing but copy bytes in order, to a variable or from one.
fn copy_loop(
    touched: &Touched<'_>,
    header: Block,
    preds: &[Block],
    uses: &SecondaryMap<Value, u32>,
) -> Option<CopyLoop> {
    let f = touched.f;
    let l = counted(f, header, preds)?;
    let mut inside: EntitySet<Inst> = EntitySet::new();
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    let mut used: FxHashMap<Value, u32> = FxHashMap::default();
    for &b in &l.blocks {
        for &i in &f.blocks[b].insts {
            inside.insert(i);
            let d = &f.insts[i];
            d.for_each_use(|v| *used.entry(v).or_default() += 1);
            match d.op {
                Op::Load if b != header => loads.push(i),
                Op::Store if b != header => stores.push(i),
                op if op.is_terminator() || op.is_speculatable() => {}
                _ => return None,
            }
        }
    }
    // Nothing that it computes is needed outside.
    let mut own = std::iter::once(l.counter).chain(inside.iter().filter_map(|i| f.insts[i].results.first()));
    if own.any(|v| used.get(&v).copied().unwrap_or(0) != uses[v] || l.exit.args.contains(&v)) {
        return None;
    }
    accesses(touched, l, &stores, loads.len(), &inside)
}

/// How far the next turn of a loop is from one, and the bytes that one writes.
type Turn = (u32, Vec<(u32, u32)>);

/// The variables all of which a loop writes in order, whatever it is, and which it does not read.
fn filled(f: &Function, l: &Counted) -> Vec<(Local, At)> {
    let mut inside: EntitySet<Inst> = EntitySet::new();
    l.blocks.iter().for_each(|&b| inside.extend_from(&f.blocks[b].insts));
    let most = (l.turns.1 - 1) * l.turns.0;
    let mut ranges: FxHashMap<Local, Option<Turn>> = FxHashMap::default();
    for &b in &l.blocks {
        for &i in &f.blocks[b].insts {
            let d = &f.insts[i];
            let Some(Place::Local(v)) = d.place() else { continue };
            let known = ranges.entry(v).or_insert_with(|| Some((0, Vec::new())));
            let to = d.mem().filter(|m| d.op == Op::Store && m.flags.is_plain() && b != l.blocks[0]);
            let at = d.dyn_offset().and_then(|v| affine(f, v, l.counter, most, &inside));
            let at = at.filter(|a| a.base.is_none());
            *known = match (known.take(), to, at) {
                (Some((scale, mut list)), Some(m), Some(a)) if list.is_empty() || scale == a.scale => {
                    let first = a.constant.saturating_add(m.offset);
                    list.push((first, first.saturating_add(f.access_bytes(i))));
                    Some((a.scale, list))
                }
                _ => None,
            };
        }
    }
    let all = |list: &mut Vec<(u32, u32)>, scale: u32, size: u32| {
        list.sort_unstable();
        let (first, end) = (list[0].0, list.iter().map(|r| r.1).max().unwrap_or(0));
        let tight = list.windows(2).all(|w| w[1].0 <= w[0].1);
        let reach = u64::from(end) + u64::from(scale) * u64::from(most);
        tight && first == 0 && scale.checked_mul(l.turns.0).is_some_and(|s| s <= end) && reach >= size.into()
    };
    let Some(k) = f.blocks[l.before].insts.len().checked_sub(1) else { return Vec::new() };
    if f.insts[f.terminator(l.before)].as_jump().is_none() {
        return Vec::new();
    }
    let at = At { block: l.before, step: 2 * k as u32 };
    let whole = ranges.into_iter().filter_map(|(v, known)| {
        let (scale, mut list) = known?;
        all(&mut list, scale, f.locals[v].size).then_some((v, at))
    });
    let mut whole: Vec<(Local, At)> = whole.collect();
    whole.sort_unstable_by_key(|w| w.0);
    whole
}

/// The copy that the stores of a loop make, if they write bytes in order and each writes what is loaded from the same distance.
fn accesses(
    touched: &Touched<'_>,
    l: Counted,
    stores: &[Inst],
    loads: usize,
    inside: &EntitySet<Inst>,
) -> Option<CopyLoop> {
    let f = touched.f;
    let (step, n) = l.turns;
    let most = (n - 1) * step;
    let address = |i: Inst| {
        let (d, m) = (&f.insts[i], f.insts[i].mem()?);
        let dynamic = affine(f, d.dyn_offset()?, l.counter, most, inside)?;
        Some((Affine { constant: dynamic.constant.checked_add(m.offset)?, ..dynamic }, m))
    };
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut pairs = Vec::new();
    let mut known: Option<(u32, Local, Source, bool)> = None;
    for &store in stores {
        let load = f.def_inst(f.insts[store].args[0]).filter(|&l| f.insts[l].op == Op::Load && inside.contains(l))?;
        let (to, from) = (address(store)?, address(load)?);
        let plain = to.1.flags.is_alone() && from.1.flags.is_alone();
        let is_given = !matches!(to.1.place, Place::Local(_));
        let ((own, m), (other, theirs)) = if is_given { (from, to) } else { (to, from) };
        let Place::Local(v) = m.place else { return None };
        if own.base.is_some() || own.scale != other.scale || !plain || theirs.place == Place::Address {
            return None;
        }
        let delta = other.constant.checked_sub(own.constant)?;
        let this = (own.scale, v, Source { place: theirs.place, base: other.base, delta }, is_given);
        if *known.get_or_insert(this) != this {
            return None;
        }
        ranges.push((own.constant, own.constant + f.access_bytes(store)));
        pairs.push((load, store));
    }
    let (scale, own, other, is_given) = known?;
    let onto_itself = other.place == Place::Local(own);
    if loads != stores.len() || onto_itself && (other.delta != 0 || other.base.is_some()) {
        return None;
    }
    // What one turn writes is where the next one goes on, but for bytes that nobody asks for.
    ranges.sort_unstable();
    let (low, end) = (ranges.first()?.0, ranges.last()?.1);
    let stride = scale.checked_mul(step)?;
    let tight = ranges.windows(2).all(|w| w[0].1 == w[1].0) && end - low == stride;
    let apart = || ranges.windows(2).all(|w| w[0].1 <= w[1].0) && end - low <= stride;
    if !(tight || low == 0 && apart() && touched.only(own, stride, &ranges)) {
        return None;
    }
    let high = u64::from(low) + u64::from(stride) * u64::from(n);
    let range = (low, high as u32);
    // Nothing wraps, here or there.
    let fits = high <= f.locals[own].size.into() && high + u64::from(other.delta) < 1 << 32;
    let Counted { before, blocks, exit, .. } = l;
    fits.then_some(CopyLoop { before, blocks, exit, accesses: pairs, range, own, other, is_given })
}

/// What the accesses of variables touch.
struct Touched<'f> {
    f: &'f Function,
    robust: bool,
    /// The accesses of each variable.
    all: &'f OnceCell<SecondaryMap<Local, Vec<Inst>>>,
}

impl Touched<'_> {
    /// Whether all accesses of a variable lie in these bytes of what is repeated every `stride` bytes: elements have padding behind them.
    fn only(&self, l: Local, stride: u32, ranges: &[(u32, u32)]) -> bool {
        let f = self.f;
        let all = self.all.get_or_init(|| {
            let mut all: SecondaryMap<Local, Vec<Inst>> = SecondaryMap::new();
            for (_, i) in f.insts_in_order() {
                if let (Some(Place::Local(l)), Some(_)) = (f.insts[i].place(), f.insts[i].mem()) {
                    all[l].push(i);
                }
            }
            all
        });
        let inside = |&i: &Inst| {
            let (d, Some(m)) = (&f.insts[i], f.insts[i].mem()) else { return false };
            let bounded = !self.robust || m.flags.has(MemFlags::IN_BOUNDS);
            let whole = d.dyn_offset().is_none_or(|v| bounded && is_multiple(f, v, stride, PARTS));
            let first = m.offset % stride;
            whole && ranges.iter().any(|r| r.0 <= first && first + f.access_bytes(i) <= r.1)
        };
        // What wraps is a multiple still.
        stride.is_power_of_two() && all[l].iter().all(inside)
    }
}

/// Whether an offset is a multiple of a power of two.
fn is_multiple(f: &Function, v: Value, of: u32, depth: u32) -> bool {
    if let Some(n) = f.const_bits(v) {
        return n.is_multiple_of(of.into());
    }
    let (Some(depth), Some(i)) = (depth.checked_sub(1), f.def_inst(v)) else { return of == 1 };
    let d = &f.insts[i];
    let is = |n: usize, of: u32| is_multiple(f, d.args[n], of, depth);
    // The power of two in a factor need not be in the other one.
    let rest = |n: u64| of >> n.trailing_zeros().min(of.trailing_zeros());
    match d.op {
        Op::IAdd | Op::UMin => is(0, of) && is(1, of),
        Op::IMul => f.const_bits(d.args[1]).is_some_and(|n| is(0, rest(n))),
        Op::Shl => f.const_bits(d.args[1]).filter(|&n| n < 32).is_some_and(|n| is(0, rest(1 << n))),
        _ => of == 1,
    }
}

/// `a + b` in front of an access, where both are there.
pub fn sum(f: &mut Function, block: Block, like: Inst, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Builder::like(f, block, like).iadd(a, b)),
        (a, b) => a.or(b),
    }
}
