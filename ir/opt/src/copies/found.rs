//! Finds where a variable of the function is filled with bytes that lie elsewhere: by loops that only copy, by a load and a store for each
//! leaf, or by both one after the other.

use super::at::At;
use crate::PassCx;
use gpucc_ir::{
    Attr, Block, Builder, Edge, EntitySet, Function, Inst, IntCc, Local, MemFlags, Op, Place, SecondaryMap, Space,
    Type, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Sums, products and shifts that one offset may be made of.
const DEPTH: u32 = 8;

/// Blocks of a loop that copies.
const BLOCKS: usize = 6;

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
    to: Local,
    from: Source,
}

/// A copy that fills a variable.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The variable that is filled.
    pub to: Local,
    /// Where the bytes come from.
    pub from: Source,
    /// The flags that all its loads have.
    pub flags: MemFlags,
    /// The alignment of the first byte of the variable at its source.
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
    from: Source,
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
    open: Vec<(Local, Open)>,
    found: Vec<Copy>,
}

/// All copies that fill a variable of at least `least` bytes, in the order of the code, and the loops that copy a variable onto itself.
pub fn find(f: &Function, cx: &mut PassCx<'_>) -> (Vec<Copy>, Vec<CopyLoop>) {
    let preds = cx.preds(f);
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::with_default(0);
    for (_, i) in f.insts_in_order() {
        f.insts[i].for_each_use(|v| uses[v] += 1);
    }
    let namers = f.namers();
    let mut idle = Vec::new();
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
    };
    let found = |header: Block| {
        // No other construct ends in the loop.
        let alone = |l: &CopyLoop| l.blocks.iter().all(|&b| namers[b].iter().all(|n| l.blocks.contains(n)));
        f.blocks[header].header.and_then(|_| copy_loop(f, header, &preds[header], &uses)).filter(alone)
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
                match l.from.place == Place::Local(l.to) {
                    true => idle.push(l),
                    false => chain.turn(l, at),
                }
                continue;
            }
            for (k, &i) in f.blocks[b].insts.iter().enumerate() {
                chain.step(b, k as u32, i);
            }
            let jump = f.insts[f.terminator(b)].as_jump();
            let to = jump.map(|(edge, _)| edge.block);
            next = to.filter(|&to| preds[to].len() == 1 || f.blocks[to].header.is_some() && found(to).is_some());
        }
    }
    (chain.found, idle)
}

impl Chain<'_, '_, '_> {
    /// Takes note of an instruction.
    fn step(&mut self, b: Block, k: u32, i: Inst) {
        self.now += 1;
        let (f, d) = (self.f, &self.f.insts[i]);
        match (&d.attr, d.op) {
            (Attr::Mem(m), Op::Load) => {
                self.when[i] = self.now;
                if let Place::Local(l) = m.place {
                    self.close(l);
                }
            }
            (Attr::Mem(m), Op::Store) => {
                let part = self.part(i);
                self.write(m.place, part.is_some());
                let (Place::Local(l), Some((load, from))) = (m.place, part) else { return };
                let end = m.offset + f.access_bytes(i);
                let at = At { block: b, step: 2 * k + 1 };
                self.add(l, from, (m.offset, end), &[(load, i)], None, at);
            }
            (Attr::Mem(m) | Attr::Atomic(_, m), _) => self.write(m.place, false),
            (Attr::Place(p), _) => self.write(*p, false),
            (_, Op::Barrier | Op::Call) => {
                self.shared = self.now;
                let m = self.cx.module;
                self.open.retain(|(_, o)| o.flags.has(MemFlags::READONLY) || !is_shared(m, o.from.place));
            }
            _ => {}
        }
    }

    /// The load of what a store writes to a known place, and what it says of the source, if the same could be read there now.
    fn part(&self, store: Inst) -> Option<(Inst, Source)> {
        let (f, d) = (self.f, &self.f.insts[store]);
        let to = d.mem()?;
        let load = f.def_inst(d.args[0]).filter(|&l| f.insts[l].op == Op::Load)?;
        let from = f.insts[load].mem()?;
        let ok = d.dyn_offset().is_none() && to.flags.is_alone() && from.flags.is_alone() && to.place != from.place;
        let when = self.when[load];
        let still = from.flags.has(MemFlags::READONLY)
            || self.written.get(&from.place).is_none_or(|&w| w < when)
                && (self.shared < when || !is_shared(self.cx.module, from.place));
        if !ok || when < self.start || !still || from.place == Place::Address {
            return None;
        }
        let delta = from.offset.checked_sub(to.offset)?;
        Some((load, Source { place: from.place, base: f.insts[load].dyn_offset(), delta }))
    }

    /// A loop that copies.
    fn turn(&mut self, found: CopyLoop, at: At) {
        self.now += 1;
        let (l, from, range) = (found.to, found.from, found.range);
        if let Place::Local(read) = from.place {
            self.close(read);
        }
        self.write(Place::Local(l), true);
        let accesses = found.accesses.clone();
        self.add(l, from, range, &accesses, Some(found), at);
    }

    /// What is found of a variable is not a whole copy: something reads it.
    fn close(&mut self, l: Local) {
        self.open.retain(|x| x.0 != l);
    }

    /// Something writes to a place: a part of the copy that fills it, or else that is none.
    fn write(&mut self, place: Place, is_part: bool) {
        if place == Place::Address {
            self.shared = self.now;
        }
        self.written.insert(place, self.now);
        let m = self.cx.module;
        self.open.retain(|(l, o)| {
            let is_read = m.overlap(o.from.place, place) && !o.flags.has(MemFlags::READONLY);
            !is_read && (is_part || Place::Local(*l) != place)
        });
    }

    fn add(
        &mut self,
        l: Local,
        from: Source,
        range: (u32, u32),
        accesses: &[(Inst, Inst)],
        found: Option<CopyLoop>,
        at: At,
    ) {
        let size = self.f.locals[l].size;
        let known = self.open.iter().position(|x| x.0 == l);
        let k = match known {
            Some(k) if self.open[k].1.from == from => k,
            _ => {
                if let Some(k) = known {
                    self.open.remove(k);
                }
                if self.open.len() == MOST {
                    self.open.remove(0);
                }
                let flags = MemFlags(u8::MAX);
                let (ranges, parts, accesses, loops) = Default::default();
                let open = Open { from, flags, align: 1, ranges, bytes: 0, parts, accesses, loops };
                self.open.push((l, open));
                self.open.len() - 1
            }
        };
        let o = &mut self.open[k].1;
        for &(load, _) in accesses {
            let m = self.f.insts[load].mem().expect("a load has its memory");
            o.flags = MemFlags(o.flags.0 & m.flags.0);
            if m.offset.is_multiple_of(m.align) {
                o.align = o.align.max(m.align);
            }
        }
        o.accesses.extend_from_slice(accesses);
        o.parts.push(at);
        o.loops.extend(found);
        if o.cover(range, size) {
            let Open { from, flags, align, parts, accesses, loops, .. } = self.open.remove(k).1;
            let differs =
                accesses.iter().any(|a| self.f.insts[a.0].mem().is_some_and(|m| m.flags.has(MemFlags::NONUNIFORM)));
            let mut flags = flags.without(MemFlags::UNIFORM.with(MemFlags::NONUNIFORM));
            if differs {
                flags = flags.with(MemFlags::NONUNIFORM);
            }
            let align = align.min(1 << from.delta.trailing_zeros().min(16));
            self.found.push(Copy { to: l, from, flags, align, at, parts, accesses, loops });
        }
    }
}

/// Whether others write a place while the shader runs.
pub fn is_shared(m: &gpucc_ir::Module, place: Place) -> bool {
    matches!(m.space(place), Space::Workgroup | Space::Storage)
}

/// `counter * scale + base + constant`, modulo 2^32.
#[derive(Clone, Copy)]
struct Affine {
    scale: u32,
    base: Option<Value>,
    constant: u32,
}

/// The loop with this header, if it does nothing but copy bytes to a variable in order.
fn copy_loop(f: &Function, header: Block, preds: &[Block], uses: &SecondaryMap<Value, u32>) -> Option<CopyLoop> {
    let merge = f.blocks[header].header?.merge;
    let &[counter] = &f.blocks[header].params[..] else { return None };
    let [then, other] = f.insts[f.terminator(header)].as_br()?;
    let (stays, leaves, below) =
        if then.block == merge { (other, then, IntCc::Uge) } else { (then, other, IntCc::Ult) };
    if leaves.block != merge || stays.block == merge || !stays.args.is_empty() {
        return None;
    }
    let mut blocks: SmallVec<[Block; 4]> = SmallVec::from_slice(&[header]);
    let mut b = stays.block;
    let next = loop {
        blocks.push(b);
        let (edge, _) = f.insts[f.terminator(b)].as_jump()?;
        if edge.block == header {
            break edge.args[0];
        }
        if blocks.len() == BLOCKS || !edge.args.is_empty() {
            return None;
        }
        b = edge.block;
    };
    let before = match *preds {
        [x, y] if y == b && x != b => x,
        [x, y] if x == b && y != b => y,
        _ => return None,
    };
    // A jump that opens a construct opens it around the loop.
    if f.insts[f.terminator(before)].as_jump().is_some_and(|(_, merge)| merge.is_some()) {
        return None;
    }
    let turns = turns(f, before, header, (counter, next), below)?;
    let mut inside: EntitySet<Inst> = EntitySet::new();
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    let mut used: FxHashMap<Value, u32> = FxHashMap::default();
    for &b in &blocks {
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
    let mut own = std::iter::once(counter).chain(inside.iter().filter_map(|i| f.insts[i].results.first()));
    if own.any(|v| used.get(&v).copied().unwrap_or(0) != uses[v] || leaves.args.contains(&v)) {
        return None;
    }
    accesses(f, (before, blocks, leaves.to_edge()), &stores, loads.len(), (counter, turns), &inside)
}

/// The turns of a loop, if its counter goes from zero to below a constant: the step, and how many.
fn turns(
    f: &Function,
    before: Block,
    header: Block,
    (counter, next): (Value, Value),
    below: IntCc,
) -> Option<(u32, u32)> {
    let edges = f.edges(before);
    let edge = edges.iter().find(|e| e.block == header)?;
    let constant = |v: Value| f.const_bits(v).and_then(|c| u32::try_from(c).ok());
    constant(*edge.args.first()?).filter(|&first| first == 0)?;
    let sum = f.def_op(next, Op::IAdd).filter(|d| d.args[0] == counter)?;
    let step = constant(sum.args[1]).filter(|&s| s > 0)?;
    let test = f.def_op(f.insts[f.terminator(header)].args[0], Op::ICmp)?;
    if test.attr != Attr::IntCc(below) || test.args[0] != counter || f.ty(counter) != Type::I32 {
        return None;
    }
    let n = constant(test.args[1]).filter(|&end| end > 0)?.div_ceil(step);
    // The counter does not wrap.
    (u64::from(n) * u64::from(step) < 1 << 32).then_some((step, n))
}

/// The copy that the stores of a loop make, if they write bytes in order and each writes what is loaded from the same distance.
fn accesses(
    f: &Function,
    (before, blocks, exit): (Block, SmallVec<[Block; 4]>, Edge),
    stores: &[Inst],
    loads: usize,
    (counter, (step, n)): (Value, (u32, u32)),
    inside: &EntitySet<Inst>,
) -> Option<CopyLoop> {
    let most = (n - 1) * step;
    let address = |i: Inst| {
        let (d, m) = (&f.insts[i], f.insts[i].mem()?);
        let dynamic = affine(f, d.dyn_offset()?, counter, most, inside, DEPTH)?;
        Some((Affine { constant: dynamic.constant.checked_add(m.offset)?, ..dynamic }, m))
    };
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut pairs = Vec::new();
    let mut known: Option<(u32, Local, Source)> = None;
    for &store in stores {
        let load = f.def_inst(f.insts[store].args[0]).filter(|&l| f.insts[l].op == Op::Load && inside.contains(l))?;
        let ((to, m), (from, source)) = (address(store)?, address(load)?);
        let Place::Local(l) = m.place else { return None };
        let plain = m.flags.is_alone() && source.flags.is_alone() && source.place != Place::Address;
        if to.base.is_some() || to.scale != from.scale || !plain {
            return None;
        }
        let delta = from.constant.checked_sub(to.constant)?;
        let this = (to.scale, l, Source { place: source.place, base: from.base, delta });
        if *known.get_or_insert(this) != this {
            return None;
        }
        ranges.push((to.constant, to.constant + f.access_bytes(store)));
        pairs.push((load, store));
    }
    let (scale, to, from) = known?;
    let onto_itself = from.place == Place::Local(to);
    if loads != stores.len() || onto_itself && (from.delta != 0 || from.base.is_some()) {
        return None;
    }
    // What one turn writes is where the next one goes on.
    ranges.sort_unstable();
    let (low, end) = (ranges.first()?.0, ranges.last()?.1);
    let stride = scale.checked_mul(step)?;
    if ranges.windows(2).any(|w| w[0].1 != w[1].0) || end - low != stride {
        return None;
    }
    let high = u64::from(low) + u64::from(stride) * u64::from(n);
    let range = (low, high as u32);
    // Nothing wraps, here or at the source.
    let fits = high <= f.locals[to].size.into() && high + u64::from(from.delta) < 1 << 32;
    fits.then_some(CopyLoop { before, blocks, exit, accesses: pairs, range, to, from })
}

/// An offset as a multiple of the counter and what does not change in the loop.
fn affine(f: &Function, v: Value, counter: Value, most: u32, inside: &EntitySet<Inst>, depth: u32) -> Option<Affine> {
    let constant = |v: Value| f.const_bits(v).and_then(|c| u32::try_from(c).ok());
    if v == counter {
        return Some(Affine { scale: 1, base: None, constant: 0 });
    }
    if let Some(constant) = constant(v) {
        return Some(Affine { scale: 0, base: None, constant });
    }
    let Some(i) = f.def_inst(v).filter(|&i| inside.contains(i)) else {
        return Some(Affine { scale: 0, base: Some(v), constant: 0 });
    };
    let depth = depth.checked_sub(1)?;
    let d = &f.insts[i];
    let of = |v: Value| affine(f, v, counter, most, inside, depth);
    let times = |a: Affine, n: u32| {
        let fits = a.base.is_none() && u64::from(a.scale) * u64::from(n) * u64::from(most) < 1 << 32;
        Some(Affine { scale: a.scale.checked_mul(n)?, base: None, constant: a.constant.checked_mul(n)? })
            .filter(|_| fits)
    };
    match d.op {
        Op::IAdd => {
            let (a, b) = (of(d.args[0])?, of(d.args[1])?);
            if a.base.is_some() && b.base.is_some() {
                return None;
            }
            Some(Affine {
                scale: a.scale.checked_add(b.scale)?,
                base: a.base.or(b.base),
                constant: a.constant.checked_add(b.constant)?,
            })
        }
        Op::IMul => times(of(d.args[0])?, constant(d.args[1])?),
        Op::Shl => times(of(d.args[0])?, 1_u32.checked_shl(constant(d.args[1])?)?),
        // A bound that is never reached.
        Op::UMin => {
            let a = of(d.args[0]).filter(|a| a.base.is_none())?;
            let last = u64::from(a.scale) * u64::from(most) + u64::from(a.constant);
            (last <= constant(d.args[1])?.into()).then_some(a)
        }
        _ => None,
    }
}

/// `a + b` in front of an access, where both are there.
pub fn sum(f: &mut Function, block: Block, like: Inst, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Builder::like(f, block, like).iadd(a, b)),
        (a, b) => a.or(b),
    }
}
