//! Dynamic indexing of small function variables becomes selects between constant elements.
//!
//! ```text
//! v1 = load local0[0 + v0]      ==>      a = load local0[0]; b = load local0[4]; ..
//!                                        v1 = select v0 == 4, b, a ..
//! ```
//!
//! Accesses at constant offsets remain, which `mem2reg` turns into values. An offset beyond the variable picks
//! its last element (a robust module allows that; otherwise the program must not do it).
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: variables whose selects would cost more than their accesses (`Caps::private_access_cost`, `Caps::table_access_cost`), variables above `Caps::select_array_bytes`, more than [`MOST`] elements per
//! access, volatile and atomic accesses.

use crate::PassCx;
use gpucc_ir::analysis::UpperBounds;
use gpucc_ir::{Builder, EntitySet, Function, Inst, IntCc, Local, Mem, Op, Place, SecondaryMap, Type, Value};

/// The most elements that one access may choose between.
pub const MOST: u32 = 32;

/// Loads from so many elements or more go by the bits of the offset, where the target wants that.
const BY_BITS: u32 = 4;

/// The elements that an access chooses between.
#[derive(Clone, Copy)]
struct Elements {
    /// Byte offset of the first.
    first: u32,
    /// Distance in bytes.
    step: u32,
    /// How many.
    n: u32,
    /// Whether the offset may lie beyond the last.
    beyond: bool,
}

/// Replaces dynamic loads of small function variables by selects between elements.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let mut good: EntitySet<Local> =
        f.locals.keys().filter(|&l| f.locals[l].size <= cx.caps.select_array_bytes).collect();
    if good.count() == 0 {
        return;
    }
    let mut plans: SecondaryMap<Inst, Option<Elements>> = SecondaryMap::with_default(None);
    // Bytes that accesses reach, by variable: first, end, whether as booleans.
    let mut reach: SecondaryMap<Local, Vec<(u32, u32, bool)>> = SecondaryMap::new();
    let mut dynamic = false;
    // The cost of selects and of accesses, by variable.
    let mut costs: SecondaryMap<Local, (u64, u64)> = SecondaryMap::with_default((0, 0));
    let tables = tables(f, cx.caps.table_access_cost.is_some());
    {
        let (preds, dom, s) = (cx.preds(f), cx.dom(f), cx.structure(f));
        let mut u = UpperBounds::new(f, cx.workgroup_size, &preds, &dom, &s);
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Some(m) = d.mem() else { continue };
            let Place::Local(l) = m.place else { continue };
            if !good.contains(l) {
                continue;
            }
            let bytes = f.access_bytes(i);
            let plan = match d.dyn_offset() {
                None => Some(Elements { first: m.offset, step: 1, n: 1, beyond: false }),
                Some(v) => {
                    dynamic = true;
                    elements(f, i, m, v, f.locals[l].size, u.of(v))
                }
            };
            match plan {
                Some(Elements { first, step, n, .. }) if matches!(d.op, Op::Load | Op::Store) && m.flags.is_plain() => {
                    let ty = if d.op == Op::Load { f.ty(d.result()) } else { f.ty(d.args[0]) };
                    if d.dyn_offset().is_some() {
                        // A store loads, chooses and stores each element.
                        costs[l].0 += u64::from(n) * if d.op == Op::Load { 1 } else { 2 };
                        let table = cx.caps.table_access_cost.filter(|_| tables.contains(l));
                        costs[l].1 += u64::from(table.unwrap_or(cx.caps.private_access_cost));
                    } else if !tables.contains(l) {
                        costs[l].1 += 2;
                    }
                    reach[l].push((first, first + (n - 1) * step + bytes, ty.is_bool()));
                    plans[i] = plan.filter(|_| d.dyn_offset().is_some());
                }
                _ => {
                    good.remove(l);
                }
            }
        }
    }
    if !dynamic {
        return;
    }
    for l in f.locals.keys() {
        if costs[l].0 > costs[l].1 {
            good.remove(l);
        }
    }
    // Reading a word as a boolean and writing it back would lose its bits.
    for l in f.locals.keys() {
        // In order of their first byte, only the furthest end of each kind so far can reach into the next one.
        let r = &mut reach[l];
        r.sort_unstable();
        let mut ends = [0, 0];
        for &(first, end, bools) in r.iter() {
            if ends[usize::from(!bools)] > first {
                good.remove(l);
                break;
            }
            let own = &mut ends[usize::from(bools)];
            *own = end.max(*own);
        }
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut old = Vec::new();
    for b in f.layout.clone() {
        f.take_insts(b, &mut old);
        for &i in &old {
            let d = &f.insts[i];
            let of = d.mem().copied().filter(|m| matches!(m.place, Place::Local(l) if good.contains(l)));
            match (of, d.dyn_offset(), plans[i]) {
                (Some(m), Some(v), Some(e)) if cx.change() => {
                    let mut c = Choice { b: Builder::like(f, b, i), m, dynamic: v, e };
                    c.rewrite(i, cx.caps.select_by_bits, &mut map);
                }
                _ => f.blocks[b].insts.push(i),
            }
        }
    }
    f.replace_uses(&map);
}

/// Variables that only hold the constants which the entry block stores into them.
fn tables(f: &Function, wanted: bool) -> EntitySet<Local> {
    let (mut found, mut other) = (EntitySet::new(), EntitySet::new());
    if wanted {
        for (b, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Some(Place::Local(l)) = d.mem().map(|m| m.place) else { continue };
            match d.op {
                Op::Load => {}
                Op::Store if b == f.entry() && d.dyn_offset().is_none() && f.as_const(d.args[0]).is_some() => {
                    _ = found.insert(l);
                }
                _ => _ = other.insert(l),
            }
        }
    }
    found.iter().filter(|&l| !other.contains(l)).collect()
}

/// The elements that an access can reach whose dynamic offset is at most `top`.
fn elements(f: &Function, i: Inst, m: &Mem, dynamic: Value, size: u32, top: u64) -> Option<Elements> {
    let bytes = f.access_bytes(i);
    let by_align = if m.offset.is_multiple_of(m.align) { m.align } else { 1 };
    // The offset is a multiple of both.
    let known = multiple(f, dynamic, 8);
    let step = (known / gcd(known, by_align)).checked_mul(by_align)?;
    let room = size.checked_sub(m.offset.checked_add(bytes)?)?;
    let most = u32::try_from(top / u64::from(step)).unwrap_or(u32::MAX);
    let n = most.min(room / step) + 1;
    (step > 0 && n <= MOST).then_some(Elements { first: m.offset, step, n, beyond: most >= n })
}

/// A number that the value is known to be a multiple of.
fn multiple(f: &Function, v: Value, depth: u32) -> u32 {
    if let Some(c) = f.const_bits(v) {
        return if c == 0 { 1 << 16 } else { c as u32 };
    }
    let Some(i) = f.def_inst(v) else { return 1 };
    let d = &f.insts[i];
    if depth == 0 {
        return 1;
    }
    let of = |n: usize| multiple(f, d.args[n], depth - 1);
    match d.op {
        // A product wraps modulo 2^32, which only powers of two divide: other strides hold for indices in range.
        Op::IMul => of(0).saturating_mul(of(1)).min(1 << 16),
        Op::Shl => match f.const_bits(d.args[1]) {
            Some(s) if s < 16 => of(0).saturating_mul(1 << s).min(1 << 16),
            _ => 1,
        },
        Op::And => f.const_bits(d.args[1]).map_or(1, |m| 1 << m.trailing_zeros().min(16)),
        Op::IAdd | Op::ISub | Op::UMin | Op::UMax => gcd(of(0), of(1)),
        _ => 1,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// One access being rewritten.
struct Choice<'a> {
    b: Builder<'a>,
    m: Mem,
    dynamic: Value,
    e: Elements,
}

impl Choice<'_> {
    /// Where element `k` is: as aligned as its offset says, which the variable's own alignment bounds.
    fn at(&self, k: u32) -> Mem {
        let offset = self.e.first + k * self.e.step;
        let align = if offset == 0 { self.m.align } else { self.m.align.min(1 << offset.trailing_zeros()) };
        Mem { offset, align, ..self.m }
    }

    fn number(&mut self, c: u32) -> Value {
        self.b.func.iconst(Type::I32, i64::from(c))
    }

    /// Whether element `k` is meant.
    fn hit(&mut self, k: u32) -> Value {
        let c = self.number(k * self.e.step);
        // The last element also stands for all offsets beyond it.
        let cc = if k + 1 == self.e.n { IntCc::Uge } else { IntCc::Eq };
        self.b.icmp(cc, self.dynamic, c)
    }

    fn rewrite(&mut self, i: Inst, by_bits: bool, map: &mut SecondaryMap<Value, Option<Value>>) {
        let d = &self.b.func.insts[i];
        let (op, args, results) = (d.op, d.args.clone(), d.results);
        if op == Op::Load {
            let ty = self.b.func.ty(results.nth(0));
            let all: Vec<Value> = (0..self.e.n).map(|k| self.b.load(ty, self.at(k), None)).collect();
            let by_bits = by_bits && self.e.n >= BY_BITS && self.e.step.is_power_of_two();
            map[results.nth(0)] = Some(if by_bits { self.by_bits(all) } else { self.one_by_one(&all) });
            return;
        }
        let ty = self.b.func.ty(args[0]);
        for k in 0..self.e.n {
            let mut v = args[0];
            if self.e.n > 1 {
                let old = self.b.load(ty, self.at(k), None);
                let c = self.hit(k);
                v = self.b.select(c, v, old);
            }
            self.b.store(v, self.at(k), None);
        }
    }

    /// A comparison and a select for each element.
    fn one_by_one(&mut self, all: &[Value]) -> Value {
        let mut v = all[0];
        for (k, &e) in (0..).zip(all).skip(1) {
            let c = self.hit(k);
            v = self.b.select(c, e, v);
        }
        v
    }

    /// A tree of selects: each bit of the offset halves the elements, so one comparison serves a whole level.
    fn by_bits(&mut self, mut all: Vec<Value>) -> Value {
        let mut offset = self.dynamic;
        if self.e.beyond {
            let last = self.number((self.e.n - 1) * self.e.step);
            offset = self.b.umin(offset, last);
        }
        let mut bit = self.e.step;
        while all.len() > 1 {
            let (mask, zero) = (self.number(bit), self.number(0));
            let masked = self.b.and(offset, mask);
            let odd = self.b.icmp(IntCc::Ne, masked, zero);
            // An element without a partner stays: offsets of the missing ones do not occur, or pick the last.
            all = all.chunks(2).map(|p| if let [a, b] = *p { self.b.select(odd, b, a) } else { p[0] }).collect();
            bit <<= 1;
        }
        all[0]
    }
}
