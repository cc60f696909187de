//! Writes integers of 64 bits as pairs of 32 bits, for targets that have no others, and lets floats of 64 bits meet memory as words.
//!
//! ```text
//! v2: i64 = load res0[v0] align 8     ==>   v2: i32x2 = load res0[v0] align 8
//! v3: i64 = iadd v2, 5:i64                  lo = iadd v2.x, 5       carry = icmp ult lo, v2.x
//! jump block1(v3)                           hi = iadd v2.y, select carry, 1, 0
//!                                           jump block1(lo, hi)
//! ```
//!
//! A lane is two values, the low half first; a parameter becomes two for each lane. Memory keeps its layout. An
//! address becomes one `i32x2`, and constant offsets beyond `Caps::address_offset` are added to it. What an op computes is
//! what `ir/docs/semantics.md` says of 64 bits, shifts and divisions included (`lower_wide/pair.rs`).
//!
//! Needs: no calls, no `var_init` of its own; reductions and reads of lanes are written before (`lower_subgroups`), lanes of 8 and 16
//! bits too (`narrow`). Keeps: the CFG. An op that has no form here keeps its type of 64 bits, so that the target refuses it.
//! Does nothing where `Caps::wide` says that the target has such lanes. Where `Caps::wide_conversions` says that there are instructions for
//! them, conversions from and to floats stay, between `bitcast` from and to words (`lower_wide/conversions.rs`).
//!
//! Floats of 64 bits stay where `Caps::doubles` says that there are instructions for them, each lane a value of its own; what
//! memory, other lanes and integers have of them are two words, which `bitcast` makes (`lower_wide/double.rs`), and the ops of
//! `Caps::expand_doubles` are written with others (`lower_wide/double_steps.rs`). Elsewhere a function with such floats stays as it is.

mod conversions;
mod divide;
mod double;
mod double_steps;
mod lanes;
mod ops;
mod pair;

use gpucc_ir::{
    AtomicOp, Attr, Block, Builder, Function, Inst, InstData, Mem, Module, Op, Place, Scalar, SecondaryMap,
    SwitchEdges, Type, Value, ValueDef,
};
use lanes::{Pairs, Wide, is_double, is_wide, load, parts};
use pair::Pair;
use smallvec::SmallVec;

pub(crate) use double::rounded_to_odd;

use crate::caps::Caps;

/// Runs over a function; gives the number of instructions that are others now.
pub fn run(_module: &Module, f: &mut Function, caps: &Caps) -> u64 {
    if caps.wide {
        return 0;
    }
    let mut any = false;
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        for v in d.results.iter().chain(d.args.iter().copied()) {
            match f.ty(v).scalar() {
                Scalar::F64 if !caps.doubles => return 0,
                Scalar::I64 | Scalar::F64 => any = true,
                _ => {}
            }
        }
    }
    let wide_param = |f: &Function, b: &Block| f.blocks[*b].params.iter().any(|&p| is_wide(f.ty(p)));
    if !any && !f.layout.iter().any(|b| wide_param(f, b)) {
        return 0;
    }
    let most = caps.address_offset;
    let mut w = Wide {
        most,
        expand: caps.expand_doubles,
        converts: caps.wide_conversions,
        pairs: SecondaryMap::new(),
        doubles: SecondaryMap::new(),
        new: SecondaryMap::with_default(None),
    };
    let mut changes = w.params(f);
    // Code that nothing reaches comes last.
    let mut order = crate::scalarise::order(f);
    let mut listed: SecondaryMap<Block, bool> = SecondaryMap::with_default(false);
    order.iter().for_each(|&b| listed.set(b, true));
    order.extend(f.layout.iter().copied().filter(|&b| !listed[b]));
    let mut old = Vec::new();
    for block in order {
        f.take_insts(block, &mut old);
        for &i in &old {
            changes += u64::from(w.inst(f, block, i));
        }
    }
    changes
}

impl Wide {
    /// Gives each block two parameters for each lane. Parameters keep their order.
    fn params(&mut self, f: &mut Function) -> u64 {
        let mut changes = 0;
        for block in f.layout.clone() {
            let old = f.blocks[block].params.clone();
            if !old.iter().any(|&p| is_wide(f.ty(p))) {
                continue;
            }
            changes += 1;
            f.retain_params(block, |_, _| false);
            for &p in &old {
                let ty = f.ty(p);
                if is_double(ty) && ty.is_vector() {
                    self.doubles[p] = (0..ty.lanes()).map(|_| f.add_param(block, ty.lane())).collect();
                } else if is_wide(ty) && !is_double(ty) {
                    let mut half = || f.add_param(block, Type::I32);
                    self.pairs[p] = (0..ty.lanes()).map(|_| Pair { lo: half(), hi: half() }).collect();
                } else {
                    let n = f.blocks[block].params.len() as u32;
                    f.blocks[block].params.push(p);
                    f.values[p].def = ValueDef::Param(block, n);
                }
            }
        }
        changes
    }

    /// Appends an instruction, changed or not; whether it was.
    fn inst(&mut self, f: &mut Function, block: Block, i: Inst) -> bool {
        f.insts[i].map_uses(|v| self.new[v].unwrap_or(v));
        let result = f.insts[i].results.first();
        let wide_result = result.is_some_and(|r| is_wide(f.ty(r)));
        if f.insts[i].op.is_terminator() {
            return self.terminator(f, block, i);
        }
        if !wide_result && !f.insts[i].args.iter().any(|&v| is_wide(f.ty(v))) {
            f.blocks[block].insts.push(i);
            return false;
        }
        let mut d = f.insts[i].clone();
        let mut b = Builder::like(f, block, i);
        let values = if d.place() == Some(Place::Address) { self.aim(&mut b, &mut d) } else { 0 };
        if values > 0 && !wide_result && !d.args[..values - 1].iter().any(|&v| is_wide(b.func.ty(v))) {
            b.func.insts[i] = d;
            b.func.blocks[block].insts.push(i);
            return true;
        }
        if d.op == Op::Store {
            let Attr::Mem(m) = &d.attr else { unreachable!("a store has a place") };
            let lanes = self.halves(&mut b, d.args[0]);
            store(&mut b, &lanes, m, d.dyn_offset());
            return true;
        }
        let Some(r) = result else {
            b.func.blocks[block].insts.push(i);
            return false;
        };
        if matches!(d.op, Op::Atomic | Op::CmpXchg) {
            self.pairs[r] = self.atomic(&mut b, d);
            return true;
        }
        if is_double(b.func.ty(r)) {
            return match self.double(&mut b, &d) {
                Some(lanes) => {
                    self.doubles[r] = lanes;
                    true
                }
                None => {
                    self.keep(&mut b, i, d);
                    false
                }
            };
        }
        if wide_result {
            match self.wide(&mut b, &d) {
                Some(p) => self.pairs[r] = p,
                None => {
                    self.keep(&mut b, i, d);
                    return false;
                }
            }
            return true;
        }
        match self.small(&mut b, &d) {
            Some(v) => self.new.set(r, Some(v)),
            None => {
                self.keep(&mut b, i, d);
                return false;
            }
        }
        true
    }

    /// An atomic on two words.
    fn atomic(&self, b: &mut Builder<'_>, mut d: InstData) -> Pairs {
        let two = Type::I32.with_lanes(2);
        for k in 0..if d.op == Op::Atomic { 1 } else { 2 } {
            let mut p = self.lanes(b.func, d.args[k])[0];
            // No target needs both.
            if let Attr::Atomic(op @ AtomicOp::Sub, _) = &mut d.attr {
                *op = AtomicOp::Add;
                p = pair::neg(b, p);
            }
            d.args[k] = b.compose(&[p.lo, p.hi]);
        }
        let i = b.raw(InstData::new(d.op, &d.args, d.attr), &[two]);
        let old = b.func.insts[i].result();
        SmallVec::from_elem(Pair { lo: b.extract(old, 0), hi: b.extract(old, 1) }, 1)
    }

    /// Gives an access by address its two words; gives the number of its operands.
    fn aim(&self, b: &mut Builder<'_>, d: &mut InstData) -> usize {
        let (Some(k), Some(&m)) = (d.dyn_index(), d.mem()) else { return 0 };
        let ty = d.results.first().unwrap_or_else(|| d.args[0]);
        // Of several accesses that this one becomes, the last may begin so much behind.
        let far = m.offset.saturating_add(b.func.ty(ty).mem_bytes()) > self.most;
        let mut at = self.lanes(b.func, d.args[k])[0];
        if far && m.offset > 0 {
            let offset = Pair::of(b.func, m.offset.into());
            at = pair::add(b, at, offset);
        }
        d.args[k] = b.compose(&[at.lo, at.hi]);
        if let Some(m) = d.mem_mut().filter(|_| far) {
            m.offset = 0;
        }
        k + 1
    }

    /// Keeps an instruction as it is: its operands are made whole, and its result is taken apart.
    fn keep(&mut self, b: &mut Builder<'_>, i: Inst, mut d: InstData) {
        for v in &mut d.args {
            let ty = b.func.ty(*v);
            if is_double(ty) && !self.doubles[*v].is_empty() {
                *v = b.compose(&self.doubles[*v]);
            }
            if !is_wide(ty) || self.pairs[*v].is_empty() {
                continue;
            }
            let lanes: Vec<Value> = self.pairs[*v]
                .iter()
                .map(|p| {
                    let halves = b.compose(&[p.lo, p.hi]);
                    b.bitcast(halves, ty.lane())
                })
                .collect();
            *v = b.compose(&lanes);
        }
        let result = d.results.first();
        b.func.insts[i] = d;
        let block = b.block;
        b.func.blocks[block].insts.push(i);
        if let Some(r) = result.filter(|&r| is_double(b.func.ty(r)) && b.func.ty(r).is_vector()) {
            self.doubles[r] = (0..b.func.ty(r).lanes()).map(|k| b.extract(r, k)).collect();
        } else if let Some(r) = result.filter(|&r| is_wide(b.func.ty(r)) && !is_double(b.func.ty(r))) {
            let lanes = (0..b.func.ty(r).lanes()).map(|k| {
                let lane = b.extract(r, k);
                let halves = b.bitcast(lane, Type::I32.with_lanes(2));
                Pair { lo: b.extract(halves, 0), hi: b.extract(halves, 1) }
            });
            self.pairs[r] = lanes.collect();
        }
    }

    /// A terminator: edges give the halves, a switch becomes one over the number of its case.
    fn terminator(&mut self, f: &mut Function, block: Block, i: Inst) -> bool {
        let mut d = f.insts[i].clone();
        let mut changed = false;
        d.map_edges(|e| {
            if e.args.iter().any(|&v| is_wide(f.ty(v))) {
                changed = true;
                let args = std::mem::take(&mut e.args);
                for &v in args.iter() {
                    match f.ty(v) {
                        ty if is_double(ty) => e.args.extend(self.double_lanes(f, v)),
                        ty if is_wide(ty) => e.args.extend(self.lanes(f, v).iter().flat_map(|p| [p.lo, p.hi])),
                        _ => e.args.push(v),
                    }
                }
            }
        });
        if let (Op::Switch, true) = (d.op, d.args.first().is_some_and(|&v| is_wide(f.ty(v)))) {
            changed = true;
            let p = self.lanes(f, d.args[0])[0];
            let mut b = Builder::like(f, block, i);
            let Attr::Switch(s) = &mut d.attr else { unreachable!("a switch has edges") };
            d.args[0] = number_of_case(&mut b, p, s);
        }
        f.insts[i] = d;
        f.blocks[block].insts.push(i);
        changed
    }

    /// The lanes of a result of 64 bits; none where there is no form.
    fn wide(&self, b: &mut Builder<'_>, d: &InstData) -> Option<Pairs> {
        let to = b.func.ty(d.result());
        let n = to.lanes();
        if let (Op::Load, Attr::Mem(m)) = (d.op, &d.attr) {
            return Some(load(b, n, m, d.dyn_offset()));
        }
        let pairs = |b: &mut Builder<'_>, k: usize| self.lanes(b.func, d.args[k]);
        Some(match d.op {
            Op::Splat => {
                let a = pairs(b, 0)[0];
                (0..n).map(|_| a).collect()
            }
            Op::Compose => (0..d.args.len()).map(|k| pairs(b, k)[0]).collect(),
            Op::Insert => {
                let (mut a, Attr::Lane(k)) = (pairs(b, 0), &d.attr) else { unreachable!("an insert has a lane") };
                a[usize::from(*k)] = pairs(b, 1)[0];
                a
            }
            Op::Extract => {
                let Attr::Lane(k) = &d.attr else { unreachable!("an extract has a lane") };
                SmallVec::from_elem(pairs(b, 0)[usize::from(*k)], 1)
            }
            Op::Shuffle => {
                let Attr::Lanes(l) = &d.attr else { unreachable!("a shuffle has lanes") };
                let (x, y) = (pairs(b, 0), pairs(b, 1));
                l.iter().map(|&k| if k < 4 { x[usize::from(k)] } else { y[usize::from(k) - 4] }).collect()
            }
            Op::ExtractDyn => {
                let a = pairs(b, 0);
                let mut found = a[0];
                for (k, &lane) in (1..).zip(&a[1..]) {
                    let c = pair::at_least(b, d.args[1], k);
                    found = Pair::select(b, c, lane, found);
                }
                SmallVec::from_elem(found, 1)
            }
            Op::InsertDyn => {
                let (a, new) = (pairs(b, 0), pairs(b, 1)[0]);
                let last = b.func.iconst(Type::I32, i64::from(n) - 1);
                let at = b.umin(d.args[2], last);
                let one = |(k, &lane): (u32, &Pair)| {
                    let c = pair::is(b, at, k);
                    Pair::select(b, c, new, lane)
                };
                (0..).zip(&a).map(one).collect()
            }
            Op::Bitcast => {
                let words = self.words(b, d.args[0])?;
                words.chunks_exact(2).map(|w| Pair { lo: w[0], hi: w[1] }).collect()
            }
            Op::LaneRead => {
                let (a, lane) = (pairs(b, 0), d.args[1]);
                a.iter().map(|p| Pair { lo: b.lane_read(p.lo, lane), hi: b.lane_read(p.hi, lane) }).collect()
            }
            Op::Select => {
                let (x, y) = (pairs(b, 1), pairs(b, 2));
                let lane = |k: usize| {
                    let c = b.extract(d.args[0], k as u32);
                    Pair::select(b, c, x[k], y[k])
                };
                (0..n as usize).map(lane).collect()
            }
            Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull if is_double(b.func.ty(d.args[0])) => {
                let lanes = self.double_lanes(b.func, d.args[0]);
                let to_wide = if self.converts { conversions::to_wide } else { double::to_wide };
                lanes.iter().map(|&v| to_wide(b, d.op, v)).collect()
            }
            Op::SExt | Op::ZExt | Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => {
                let lane = |k: u32| {
                    let v = b.extract(d.args[0], k);
                    let by_instruction = self.converts && b.func.ty(v).is_float();
                    if by_instruction { conversions::to_wide(b, d.op, v) } else { pair::convert(b, d.op, v) }
                };
                (0..n).map(lane).collect()
            }
            _ => {
                let args: SmallVec<[Pairs; 4]> = (0..d.args.len()).map(|k| pairs(b, k)).collect();
                let mut out = Pairs::new();
                for k in 0..n as usize {
                    let lane: SmallVec<[Pair; 4]> = args.iter().map(|a| a[k]).collect();
                    out.push(ops::op(b, d.op, &lane)?);
                }
                out
            }
        })
    }

    /// A result of at most 32 bits of operands of 64.
    fn small(&self, b: &mut Builder<'_>, d: &InstData) -> Option<Value> {
        let to = b.func.ty(d.result());
        let pairs = |b: &mut Builder<'_>, k: usize| self.lanes(b.func, d.args[k]);
        let lanes: SmallVec<[Value; 4]> = match (d.op, &d.attr) {
            (Op::Bitcast, _) => {
                let words = self.words(b, d.args[0])?;
                return Some(from_words(b, &words, to));
            }
            _ if d.args.iter().any(|&v| is_double(b.func.ty(v))) => self.small_of_doubles(b, d)?,
            (Op::ICmp, &Attr::IntCc(cc)) => {
                let (x, y) = (pairs(b, 0), pairs(b, 1));
                x.iter().zip(&y).map(|(&x, &y)| pair::compare(b, cc, x, y)).collect()
            }
            (Op::Trunc, _) => {
                let a = pairs(b, 0);
                a.iter().map(|p| if to.bits() == 32 { p.lo } else { b.trunc(p.lo, to.lane()) }).collect()
            }
            (Op::S2F | Op::U2F, _) => {
                let lane = |b: &mut Builder<'_>, p: Pair| match self.converts && to.lane() == Type::F32 {
                    true => conversions::to_float(b, d.op, p, Type::F32),
                    false => pair::to_float(b, d.op == Op::S2F, p, to.lane()),
                };
                pairs(b, 0).iter().map(|&p| lane(b, p)).collect()
            }
            _ => return None,
        };
        Some(b.compose(&lanes))
    }

    /// The words of a value of whole words, the lowest first.
    fn words(&self, b: &mut Builder<'_>, v: Value) -> Option<SmallVec<[Value; 8]>> {
        let ty = b.func.ty(v);
        if is_wide(ty) {
            return Some(self.halves(b, v).iter().flat_map(|p| [p.lo, p.hi]).collect());
        }
        let words = Type::new(Scalar::I32, ty.total_bits() / 32);
        let v = if ty == words { v } else { b.bitcast(v, words) };
        Some((0..words.lanes()).map(|k| b.extract(v, k)).collect())
    }
}

/// A value of another type with these words, of which there are at most four.
fn from_words(b: &mut Builder<'_>, words: &[Value], to: Type) -> Value {
    let v = b.compose(words);
    if b.func.ty(v) == to { v } else { b.bitcast(v, to) }
}

fn store(b: &mut Builder<'_>, lanes: &[Pair], m: &Mem, dynamic: Option<Value>) {
    for (k, n, m) in parts(lanes.len() as u32, m) {
        let words: SmallVec<[Value; 4]> =
            lanes[k as usize..(k + n) as usize].iter().flat_map(|p| [p.lo, p.hi]).collect();
        let v = b.compose(&words);
        b.store(v, m, dynamic);
    }
}

/// Gives the cases of a switch their numbers, and computes the number of the case that a value is; one more than the last for none.
fn number_of_case(b: &mut Builder<'_>, v: Pair, s: &mut SwitchEdges) -> Value {
    let mut number = b.func.iconst(Type::I32, s.cases.len() as i64);
    for (k, (case, _)) in s.cases.iter_mut().enumerate() {
        let value = Pair::of(b.func, *case);
        let same = pair::compare(b, gpucc_ir::IntCc::Eq, v, value);
        let this = b.func.iconst(Type::I32, k as i64);
        number = b.select(same, this, number);
        *case = k as u64;
    }
    number
}
