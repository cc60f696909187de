//! Writes lanes of 8 and 16 bits with lanes of 32, for targets that have no others.
//!
//! ```text
//! v2: f16 = fadd v0, v1      ==>   v2: f32 = fadd v0, v1
//!                                  v3: f32 = fquant16 v2
//! ```
//!
//! A lane of `f16` is held as the `f32` of the same value, one of `i16` or `i8` as an `i32` with zeros above. What this computes is
//! what the narrow op means (`ir/docs/semantics.md`):
//!
//! - `fadd`, `fsub`, `fmul`, `fdiv` and `fsqrt` are computed in 24 bits and rounded to 11. Since 24 >= 2 * 11 + 2, rounding twice
//!   gives what rounding once does; no such result is a denormal of `f32`, since the least product of two `f16` is 2^-48.
//! - `fma` needs the sum of an exact product (22 bits) and a term: the error of its rounding, which is itself a float, decides the
//!   last bit (rounding to odd), so that the second rounding sees on which side of a half the sum lies.
//! - `fldexp` is exact in `f32` unless its result is 0 or infinite in `f16`; integers below 2^24 are exact, larger ones infinite.
//! - What only chooses, compares, negates or rounds to integers gives values that are there.
//! - Ops that are inexact by definition are computed in `f32`, whose error is below that of the last rounding.
//!
//! Memory keeps its layout. Where the target loads and stores 1 and 2 bytes (`Caps::parts`), a part of a word is one access:
//!
//! ```text
//! v1: f16 = load res0[v0] align 2   ==>   v1: i16 = load res0[v0] align 2
//!                                         v2: i32 = zext v1
//! store v1, res1[v0] align 2              v3: i16 = trunc v2
//!                                         store v3, res1[v0] align 2
//! ```
//!
//! Such values only come from `trunc` and go to `zext`, so that a register of 32 bits holds them. Parts at known places of memory
//! that nobody writes are taken from words, which are shared, if the place has all of the word. Elsewhere a word is read and its part taken; a part is written with
//! the word around it. Where others may write the rest of that word, bits are cleared and set by atomics, and loads of parts from
//! such places are atomic too. Values that are only moved from memory to memory are not converted. Sizes of variables
//! are whole words behind this ([`crate::prepare`] sees to those of the module). Needs: no calls, no `var_init`. Keeps: structure. Does nothing where `Caps::narrow` says that the
//! target has such lanes; lanes of 64 bits stay.
//!
//! Where the target computes with single halves (`Caps::halves`), values of `f16` stay, and so do the ops of [`HALF_OPS`], which round once there as well.
//! The others are computed in `f32` as above, between conversions. Halves come from words and go to words by `bitcast`:
//!
//! ```text
//! v1: f16x2 = load res0[v0] align 4   ==>   v1: i32 = load res0[v0] align 4
//!                                           v2: f16x2 = bitcast v1
//! ```

use gpucc_ir::{
    AtomicOp, Attr, Block, Builder, Const, FloatCc, FpFlags, Function, Init, Inst, InstData, IntCc, Mem, MemFlags,
    Module, Op, Place, Scalar, SecondaryMap, Space, Type, Value,
};
use smallvec::SmallVec;

use crate::caps::{Caps, OpSet, PartCaps};
use crate::init;
use crate::lower_wide::rounded_to_odd;

/// The ops on halves, and on values of halves, that a target with [`Caps::halves`] has.
#[rustfmt::skip]
pub const HALF_OPS: OpSet = OpSet::of(&[
    Op::FAdd, Op::FSub, Op::FMul, Op::Fma, Op::FNeg, Op::FAbs, Op::FMin, Op::FMax, Op::FSat, Op::FFloor, Op::FCeil,
    Op::FTrunc, Op::FRoundEven, Op::FCmp, Op::Select, Op::Splat, Op::Compose, Op::Extract, Op::Insert, Op::ExtractDyn,
    Op::InsertDyn, Op::Shuffle,
]);

/// Runs over a function; gives the number of instructions that are others now.
pub fn run(module: &Module, f: &mut Function, caps: &Caps) -> u64 {
    let narrow = |v: Value, f: &Function| is_narrow(f.ty(v));
    let any = f.insts_in_order().any(|(_, i)| {
        let d = &f.insts[i];
        d.results.iter().chain(d.args.iter().copied()).any(|v| narrow(v, f))
    });
    if caps.narrow || !any {
        return 0;
    }
    for l in f.locals.keys() {
        f.locals[l].size = whole_words(f.locals[l].size);
    }
    let mut n = Narrow {
        module,
        parts: caps.parts,
        halves: caps.halves,
        parted: Vec::new(),
        new: SecondaryMap::new(),
        was: SecondaryMap::new(),
        raw: SecondaryMap::with_default(None),
    };
    let own = n.find_parted(f);
    define(f, &own);
    for block in f.layout.clone() {
        for k in 0..f.blocks[block].params.len() {
            let p = f.blocks[block].params[k];
            n.was.set(p, Some(f.ty(p)));
            f.values[p].ty = n.held(f.ty(p));
        }
    }
    let mut old = Vec::new();
    let mut changes = 0;
    // Code that nothing reaches comes last.
    let mut order = crate::scalarise::order(f);
    let mut listed: SecondaryMap<Block, bool> = SecondaryMap::with_default(false);
    order.iter().for_each(|&b| listed.set(b, true));
    order.extend(f.layout.iter().copied().filter(|&b| !listed[b]));
    for block in order {
        f.take_insts(block, &mut old);
        for &i in &old {
            changes += u64::from(n.inst(f, block, i));
        }
    }
    changes
}

/// Bytes of the words around so many bytes.
pub(crate) fn whole_words(bytes: u32) -> u32 {
    bytes.checked_next_multiple_of(4).unwrap_or(bytes)
}

/// Writes zeros to variables of the function: a part is written with the word around it, which may not be undefined then.
fn define(f: &mut Function, own: &[Place]) {
    if own.is_empty() {
        return;
    }
    let (block, old) = init::prologue(f);
    let mut b = Builder::new(f, block);
    for &place in own {
        if let Place::Local(l) = place {
            let (size, align) = (b.func.locals[l].size, b.func.locals[l].align.max(4));
            init::write(&mut b, place, size, align, &Init::Zero);
        }
    }
    b.jump(old, &[]);
}

fn is_narrow(t: Type) -> bool {
    matches!(t.scalar(), Scalar::F16 | Scalar::I16 | Scalar::I8)
}

/// The type that holds a value.
fn wide(t: Type) -> Type {
    t.with_scalar(match t.scalar() {
        Scalar::F16 => Scalar::F32,
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        s => s,
    })
}

struct Narrow<'m> {
    module: &'m Module,
    parts: PartCaps,
    /// Whether values of halves stay.
    halves: bool,
    /// Places that other invocations see and of whose words parts are written.
    parted: Vec<Place>,
    /// The value that takes the place of another.
    new: SecondaryMap<Value, Option<Value>>,
    /// The type that a parameter had.
    was: SecondaryMap<Value, Option<Type>>,
    /// Where the lanes of values lie that are as memory had them.
    raw: SecondaryMap<Value, Option<SmallVec<[Piece; 4]>>>,
}

/// Bits of a lane in a word.
#[derive(Clone, Copy)]
struct Piece {
    word: Value,
    /// The lowest of them.
    bit: u32,
    /// The bits of the word above which all are zero.
    known: u32,
}

impl Piece {
    fn of(word: Value, bit: u32) -> Piece {
        Piece { word, bit, known: 32 }
    }
}

type Lanes = SmallVec<[Value; 8]>;

impl Narrow<'_> {
    /// Finds them; gives the variables of the function of whose words parts are written.
    fn find_parted(&mut self, f: &Function) -> Vec<Place> {
        let mut own = Vec::new();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let (Op::Store, Attr::Mem(m)) = (d.op, &d.attr) else { continue };
            let list = match self.module.space(m.place) {
                Space::Function => &mut own,
                // Private variables have their initial values.
                Space::Private => continue,
                _ => &mut self.parted,
            };
            let ty = f.ty(d.args[0]);
            let partly = m.align < 4 || !ty.mem_bytes().is_multiple_of(4);
            if is_narrow(ty) && partly && !list.contains(&m.place) {
                list.push(m.place);
            }
        }
        own
    }

    /// The type that holds a value.
    fn held(&self, t: Type) -> Type {
        if self.halves && t.scalar() == Scalar::F16 { t } else { wide(t) }
    }

    /// The value that holds `v` now.
    fn get(&mut self, f: &mut Function, v: Value) -> Value {
        let ty = f.ty(v);
        if let Some(new) = self.new[v] {
            return new;
        }
        if self.held(ty) == ty {
            return v;
        }
        if f.is_undef(v) {
            return f.undef(wide(ty));
        }
        let Some(c) = f.as_const(v).cloned() else { return v };
        let bits: SmallVec<[u64; 4]> = c.bits.iter().map(|&b| const_bits(ty.scalar(), b)).collect();
        f.constant(Const::new(wide(ty), &bits))
    }

    /// Appends an instruction, changed or not; whether it was.
    fn inst(&mut self, f: &mut Function, block: Block, i: Inst) -> bool {
        let old = f.insts[i].clone();
        let d = &old;
        let from: SmallVec<[Type; 4]> = d.args.iter().map(|&v| self.was[v].unwrap_or(f.ty(v))).collect();
        let result = d.results.first();
        let to = result.map(|r| f.ty(r));
        let mut d = old.clone();
        d.map_uses(|v| self.get(f, v));
        let touched = from.iter().copied().chain(to).any(is_narrow);
        if !touched || d.op.is_terminator() {
            if d.op == Op::Ret && self.halves {
                // Outputs of a stage are floats of 32 bits.
                let mut b = Builder::like(f, block, i);
                d.map_uses(|v| match b.func.ty(v) {
                    ty if ty.scalar() == Scalar::F16 => b.f2f(v, wide(ty)),
                    _ => v,
                });
            }
            f.insts[i] = d;
            f.blocks[block].insts.push(i);
            return false;
        }
        if self.stays(&d, &from, to) {
            if let (Some(r), Some(to)) = (result, to) {
                let moved = self.moved(&old, to.lanes());
                self.raw.set(r, moved);
            }
            f.insts[i] = d;
            f.blocks[block].insts.push(i);
            return false;
        }
        let mut b = Builder::like(f, block, i);
        let value = match (d.op, &d.attr) {
            (Op::Load, Attr::Mem(m)) => to.map(|to| {
                let raw = self.load(&mut b, to, m, d.dyn_offset());
                let lanes: Lanes = match self.held(to) == to {
                    true => raw.iter().map(|&p| half_of(&mut b, p)).collect(),
                    false => {
                        let low =
                            |p: &Piece| Piece { word: shifted(&mut b, p.word, p.bit), bit: 0, known: p.known - p.bit };
                        let low: SmallVec<[Piece; 4]> = raw.iter().map(low).collect();
                        low.iter().map(|&p| from_bits(&mut b, p, to.scalar())).collect()
                    }
                };
                self.raw.set(old.result(), Some(raw));
                b.compose(&lanes)
            }),
            (Op::Store, Attr::Mem(m)) => {
                let raw = self.raw[old.args[0]].as_deref();
                self.store(&mut b, from[0], (d.args[0], raw), m, d.dyn_offset());
                None
            }
            _ => to.map(|to| {
                let moved = self.moved(&old, to.lanes());
                self.raw.set(old.result(), moved);
                match self.halves && from.iter().chain([&to]).any(|t| t.scalar() == Scalar::F16) {
                    true => with_halves(&mut b, &d, &from, to),
                    false => compute(&mut b, &d, &from, to),
                }
            }),
        };
        if let (Some(r), Some(v)) = (result, value) {
            self.new.set(r, Some(v));
        }
        true
    }

    /// Whether an instruction is one that a target with halves has.
    fn stays(&self, d: &InstData, from: &[Type], to: Option<Type>) -> bool {
        let mut types = from.iter().copied().chain(to);
        let converts = |to: Option<Type>| {
            d.op == Op::F2F && from[0].scalar() != Scalar::F64 && to.is_some_and(|t| t.scalar() != Scalar::F64)
        };
        self.halves && types.all(|t| self.held(t) == t) && (HALF_OPS.has(d.op) || converts(to))
    }

    /// The lanes of a value that memory had so and that was only moved since.
    fn moved(&self, d: &InstData, lanes: u32) -> Option<SmallVec<[Piece; 4]>> {
        let lane = |v: Value, k: usize| self.raw[v].as_ref().and_then(|p| p.get(k).copied());
        match (d.op, &d.attr) {
            (Op::Extract, Attr::Lane(k)) => Some(SmallVec::from_slice(&[lane(d.args[0], usize::from(*k))?])),
            (Op::Compose, _) => d.args.iter().map(|&v| lane(v, 0)).collect(),
            (Op::Shuffle | Op::Insert, _) => d.moved_lanes(lanes)?.into_iter().map(|(v, k)| lane(v, k)).collect(),
            _ => None,
        }
    }

    fn load(&self, b: &mut Builder<'_>, to: Type, m: &Mem, dynamic: Option<Value>) -> SmallVec<[Piece; 4]> {
        let mut m = *m;
        let (parted, parts) = (self.parted.contains(&m.place), self.parts.has(self.module.space(m.place)));
        let lane_bits = to.bits();
        if parts && (parted || m.align < 4 && dynamic.is_some() || !self.has_words(to, &m, dynamic)) {
            return load_parts(b, to, &m, dynamic);
        }
        if parted {
            m.flags = m.flags.with(MemFlags::ATOMIC);
        }
        if m.align >= 4 {
            // An atomic load is one word.
            let words = to.mem_bytes().div_ceil(4);
            let mut list = Lanes::new();
            if words > 1 && !m.flags.has(MemFlags::ATOMIC) {
                let v = b.load(Type::new(Scalar::I32, words), m, dynamic);
                list.extend((0..words).map(|k| b.extract(v, k)));
            } else {
                list.extend((0..words).map(|k| b.load(Type::I32, at(&m, 4 * k), dynamic)));
            }
            let bits = (0..to.lanes()).map(|k| k * lane_bits);
            return bits.map(|bit| Piece::of(list[(bit / 32) as usize], bit % 32)).collect();
        }
        let one = |k: u32| {
            let (word, shift) = part(b, &m, k * lane_bits / 8, dynamic);
            let w = b.load(Type::I32, word.0, word.1);
            match shift {
                Shift::Known(n) => Piece::of(w, n),
                Shift::Computed(n) => Piece::of(b.ushr(w, n), 0),
            }
        };
        (0..to.lanes()).map(one).collect()
    }

    /// Whether the words around an access are in its place wherever the access is: a buffer with an array at the end may end
    /// inside a word.
    fn has_words(&self, ty: Type, m: &Mem, dynamic: Option<Value>) -> bool {
        let Place::Buffer(r) = m.place else { return true };
        let (r, bytes) = (&self.module.resources[r], ty.mem_bytes());
        let end = u64::from(m.offset) + u64::from(bytes);
        r.stride == 0
            || (m.align >= 4 && bytes.is_multiple_of(4))
            || (dynamic.is_none() && end.next_multiple_of(4) <= u64::from(r.min_size))
    }

    /// `raw` are the lanes where memory had them so.
    fn store(
        &self,
        b: &mut Builder<'_>,
        ty: Type,
        (value, raw): (Value, Option<&[Piece]>),
        m: &Mem,
        dynamic: Option<Value>,
    ) {
        let lane_bits = ty.bits();
        let per_word = 32 / lane_bits;
        let lanes: Lanes = (0..ty.lanes()).map(|k| b.extract(value, k)).collect();
        let whole = if m.align >= 4 { ty.lanes() / per_word * per_word } else { 0 };
        // So many lanes from this one on as the low bits of a word.
        let bits_of = |b: &mut Builder<'_>, k: u32, n: u32| -> Value {
            let range = k as usize..(k + n) as usize;
            if let Some(p) = raw.map(|p| &p[range.clone()]) {
                let first = p[0];
                let side_by_side = p
                    .iter()
                    .enumerate()
                    .all(|(k, p)| p.word == first.word && p.bit == first.bit + k as u32 * lane_bits);
                if side_by_side {
                    return shifted(b, first.word, first.bit);
                }
            }
            if n == 1 { to_bits(b, lanes[k as usize], ty.scalar()) } else { word_of(b, &lanes[range], ty.scalar()) }
        };
        let words: Lanes = (0..whole).step_by(per_word as usize).map(|k| bits_of(b, k, per_word)).collect();
        if !words.is_empty() {
            let v = b.compose(&words);
            b.store(v, *m, dynamic);
        }
        if self.parts.has(self.module.space(m.place)) {
            for (from, bytes) in pieces(ty, m.align).filter(|p| p.0 >= whole * lane_bits / 8) {
                let first = from * 8 / lane_bits;
                let lane = lanes[first as usize];
                let v = if bytes == 2 && b.func.ty(lane) == Type::F16 && raw.is_none() {
                    b.bitcast(lane, Type::I16)
                } else {
                    let v = bits_of(b, first, bytes * 8 / lane_bits);
                    b.trunc(v, part_type(bytes))
                };
                b.store(v, at(m, from), dynamic);
            }
            return;
        }
        for k in whole..ty.lanes() {
            let bits = match raw.map(|p| p[k as usize]) {
                Some(p) => int_bits(b, p, lane_bits),
                None => to_bits(b, lanes[k as usize], ty.scalar()),
            };
            let (word, shift) = part(b, m, k * lane_bits / 8, dynamic);
            let ones = (1u32 << lane_bits) - 1;
            let (bits, keep) = match shift {
                Shift::Known(0) => (bits, b.func.iconst(Type::I32, i64::from(!ones))),
                Shift::Known(n) => {
                    let by = b.func.iconst(Type::I32, i64::from(n));
                    (b.shl(bits, by), b.func.iconst(Type::I32, i64::from(!(ones << n))))
                }
                Shift::Computed(n) => {
                    let ones = b.func.iconst(Type::I32, i64::from(ones));
                    let taken = b.shl(ones, n);
                    (b.shl(bits, n), b.not(taken))
                }
            };
            if self.parted.contains(&m.place) {
                b.atomic(AtomicOp::And, keep, word.0, word.1);
                b.atomic(AtomicOp::Or, bits, word.0, word.1);
            } else {
                let old = b.load(Type::I32, word.0, word.1);
                let kept = b.and(old, keep);
                let new = b.or(kept, bits);
                b.store(new, word.0, word.1);
            }
        }
    }
}

/// So many bytes behind an access.
fn at(m: &Mem, bytes: u32) -> Mem {
    let align = if bytes == 0 { m.align } else { m.align.min(1 << bytes.trailing_zeros()) };
    Mem { offset: m.offset.wrapping_add(bytes), align, ..*m }
}

/// The accesses that touch only the bytes of a value: where each starts, and its bytes. None is less than a lane.
fn pieces(ty: Type, align: u32) -> impl Iterator<Item = (u32, u32)> {
    let (lane, end) = (ty.bits() / 8, ty.mem_bytes());
    let mut from = 0u32;
    std::iter::from_fn(move || {
        let known = if from == 0 { align } else { align.min(1 << from.trailing_zeros()) };
        let fits = |n: &u32| *n <= known && from + n <= end;
        let bytes = [4, 2].into_iter().find(fits).unwrap_or(1).max(lane);
        from += bytes;
        (from <= end).then_some((from - bytes, bytes))
    })
}

/// The type that so many bytes are loaded as.
fn part_type(bytes: u32) -> Type {
    if bytes == 1 { Type::I8 } else { Type::I16 }
}

/// Loads only the bytes of a value.
fn load_parts(b: &mut Builder<'_>, to: Type, m: &Mem, dynamic: Option<Value>) -> SmallVec<[Piece; 4]> {
    let mut list = SmallVec::new();
    for (from, bytes) in pieces(to, m.align) {
        let word = if bytes == 4 {
            b.load(Type::I32, at(m, from), dynamic)
        } else {
            let v = b.load(part_type(bytes), at(m, from), dynamic);
            b.zext(v, Type::I32)
        };
        let bits = (0..8 * bytes).step_by(to.bits() as usize);
        list.extend(bits.map(|bit| Piece { word, bit, known: 8 * bytes }));
    }
    list
}

/// How far the part of a word lies from its lowest bit.
enum Shift {
    Known(u32),
    Computed(Value),
}

/// The word around the part `bytes` behind the address of an access, and where in it the part is.
fn part(b: &mut Builder<'_>, m: &Mem, bytes: u32, dynamic: Option<Value>) -> ((Mem, Option<Value>), Shift) {
    let offset = m.offset.wrapping_add(bytes);
    let known = |o: u32| (Mem { offset: o & !3, align: 4, ..*m }, Shift::Known(8 * (o & 3)));
    let Some(v) = dynamic else {
        let (m, s) = known(offset);
        return ((m, None), s);
    };
    if m.align >= 4 {
        // Whatever the dynamic part is, the whole is aligned.
        let ahead = m.offset & 3;
        if ahead == 0 {
            let (m, s) = known(offset);
            return ((m, Some(v)), s);
        }
    }
    let constant = b.func.iconst(Type::I32, i64::from(offset));
    let address = b.iadd(v, constant);
    let (down, low, three) = (b.func.iconst(Type::I32, -4), b.func.iconst(Type::I32, 3), b.func.iconst(Type::I32, 3));
    let at = b.and(address, down);
    let byte = b.and(address, low);
    let bit = b.shl(byte, three);
    ((Mem { offset: 0, align: 4, ..*m }, Some(at)), Shift::Computed(bit))
}

fn shifted(b: &mut Builder<'_>, v: Value, by: u32) -> Value {
    if by == 0 {
        return v;
    }
    let by = b.func.iconst(Type::I32, i64::from(by));
    b.ushr(v, by)
}

fn mask(b: &mut Builder<'_>, v: Value, bits: u32) -> Value {
    let ones = splat(b, v, (1i64 << bits) - 1);
    b.and(v, ones)
}

/// An integer constant in every lane of the shape of `like`.
fn splat(b: &mut Builder<'_>, like: Value, v: i64) -> Value {
    let ty = b.func.ty(like).with_scalar(Scalar::I32);
    b.func.iconst(ty, v)
}

/// A lane from its bits; the others may be anything.
fn from_bits(b: &mut Builder<'_>, p: Piece, to: Scalar) -> Value {
    if to != Scalar::F16 {
        return int_bits(b, p, to.bits());
    }
    let word = shifted(b, p.word, p.bit);
    let both = b.unpack_half2x16(word);
    b.extract(both, 0)
}

/// So many bits with zeros above.
fn int_bits(b: &mut Builder<'_>, p: Piece, bits: u32) -> Value {
    let word = shifted(b, p.word, p.bit);
    if p.bit + bits == p.known { word } else { mask(b, word, bits) }
}

/// The bits of a lane, zeros above them.
fn to_bits(b: &mut Builder<'_>, v: Value, from: Scalar) -> Value {
    if from != Scalar::F16 {
        return v;
    }
    let ty = b.func.ty(v);
    let zero = b.func.zero(ty);
    pack(b, &[v, zero])
}

/// Two halves as a word.
fn pack(b: &mut Builder<'_>, lanes: &[Value]) -> Value {
    let both = b.compose(lanes);
    match b.func.ty(both).scalar() {
        Scalar::F16 => b.bitcast(both, Type::I32),
        _ => b.pack_half2x16(both),
    }
}

/// A half that stays one.
fn half_of(b: &mut Builder<'_>, p: Piece) -> Value {
    let both = b.bitcast(p.word, Type::F16.with_lanes(2));
    b.extract(both, p.bit / 16)
}

/// Lanes that fill a word.
fn word_of(b: &mut Builder<'_>, lanes: &[Value], from: Scalar) -> Value {
    if from == Scalar::F16 {
        return pack(b, lanes);
    }
    let mut word = lanes[0];
    for (k, &v) in lanes.iter().enumerate().skip(1) {
        let by = b.func.iconst(Type::I32, (k as i64) * i64::from(from.bits()));
        let high = b.shl(v, by);
        word = b.or(word, high);
    }
    word
}

/// Bits of a constant lane as they are held.
fn const_bits(s: Scalar, bits: u64) -> u64 {
    match s {
        Scalar::F16 => u64::from(gpucc_num::convert::f16_to_f32(bits as u16).to_bits()),
        _ => bits & s.mask(),
    }
}

/// The same where halves stay, of an op that the target does not have on them: computed between conversions.
fn with_halves(b: &mut Builder<'_>, d: &InstData, from: &[Type], to: Type) -> Value {
    if d.op == Op::Bitcast {
        let words = words_of(b, d.args[0], from[0]);
        if to.scalar() == Scalar::F16 {
            let lanes: Lanes =
                (0..to.lanes()).map(|k| half_of(b, Piece::of(words[k as usize / 2], k % 2 * 16))).collect();
            return b.compose(&lanes);
        }
        return from_words(b, &words, to);
    }
    if d.op == Op::FDot {
        let p = b.fmul(d.args[0], d.args[1]);
        let mut sum = b.extract(p, 0);
        for k in 1..from[0].lanes() {
            let term = b.extract(p, k);
            sum = b.fadd(sum, term);
        }
        return sum;
    }
    let mut wider = d.clone();
    for v in &mut wider.args {
        let ty = b.func.ty(*v);
        if ty.scalar() == Scalar::F16 {
            *v = b.f2f(*v, wide(ty));
        }
    }
    let v = compute(b, &wider, from, to);
    if to.scalar() != Scalar::F16 {
        return v;
    }
    // The conversion rounds, so rounding before it is for nothing.
    let v = b.func.def_op(v, Op::FQuant16).map_or(v, |d| d.args[0]);
    b.f2f(v, to)
}

/// Anything but accesses to memory. `d` has operands as they are held, `from` the types that they had, `to` the type of the result.
fn compute(b: &mut Builder<'_>, d: &InstData, from: &[Type], to: Type) -> Value {
    let a = |n: usize| d.args[n];
    let same = |b: &mut Builder<'_>| {
        let i = b.raw(InstData::new(d.op, &d.args, d.attr.clone()), &[wide(to)]);
        b.func.insts[i].result()
    };
    let half = from.first().is_some_and(|t| t.scalar() == Scalar::F16);
    match d.op {
        Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::FFract
        | Op::FSqrt
        | Op::FRsqrt
        | Op::FRcp
        | Op::FExp2
        | Op::FLog2
        | Op::FSin
        | Op::FCos
        | Op::FLdexp => {
            let v = same(b);
            b.fquant16(v)
        }
        Op::Fma => fma(b, a(0), a(1), a(2)),
        Op::FDot => {
            let p = b.fmul(a(0), a(1));
            let p = b.fquant16(p);
            let mut sum = b.extract(p, 0);
            for k in 1..from[0].lanes() {
                let term = b.extract(p, k);
                let s = b.fadd(sum, term);
                sum = b.fquant16(s);
            }
            sum
        }
        Op::F2F if half && to.scalar() == Scalar::F64 => b.f2f(a(0), to),
        Op::F2F if half => a(0),
        Op::F2F => {
            let v = if from[0].scalar() == Scalar::F32 { a(0) } else { rounded_to_odd(b, a(0)) };
            b.fquant16(v)
        }
        Op::F2S | Op::F2U if half => {
            // Infinity counts as the largest finite number. The bounds have the width of what they limit, and are those of a narrow type.
            let signed = d.op == Op::F2S;
            let v = if signed { b.f2s_full(a(0), wide(to)) } else { b.f2u_full(a(0), wide(to)) };
            let digits = to.bits() - u32::from(signed);
            // A half has eleven digits: the bound is the largest one that the type holds.
            let most = if is_narrow(to) { (1i64 << digits) - (1i64 << digits.saturating_sub(11)) } else { i64::MAX };
            let least = if is_narrow(to) { -1i64 << digits } else { i64::MIN };
            let held = b.func.ty(v);
            let top = b.func.iconst(held, most.min(65504));
            let low = signed.then(|| b.func.iconst(held, least.max(-65504)));
            narrowed(b, v, top, low, to)
        }
        Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => {
            let signed = matches!(d.op, Op::F2S | Op::F2SFull);
            let v = if signed { b.f2s_full(a(0), wide(to)) } else { b.f2u_full(a(0), wide(to)) };
            if !is_narrow(to) {
                return v;
            }
            let bits = to.bits();
            let top = splat(b, v, (1i64 << if signed { bits - 1 } else { bits }) - 1);
            let low = signed.then(|| splat(b, v, -(1i64 << (bits - 1))));
            narrowed(b, v, top, low, to)
        }
        Op::S2F | Op::U2F => {
            let v = if d.op == Op::S2F { signed(b, a(0), from[0]) } else { a(0) };
            let f =
                b.op_as(d.op, &[v], to.with_scalar(if to.scalar() == Scalar::F64 { Scalar::F64 } else { Scalar::F32 }));
            if to.scalar() == Scalar::F16 { b.fquant16(f) } else { f }
        }
        Op::SExt => {
            let v = signed(b, a(0), from[0]);
            match to.bits() {
                64 => b.sext(v, to),
                n if n < 32 => mask(b, v, n),
                _ => v,
            }
        }
        Op::ZExt if to.bits() == 64 => b.zext(a(0), to),
        Op::ZExt => a(0),
        Op::Trunc => {
            let v = if from[0].bits() == 64 { b.trunc(a(0), wide(to)) } else { a(0) };
            mask(b, v, to.bits())
        }
        Op::Bitcast => bitcast(b, a(0), from[0], to),
        Op::ICmp if !half && from[0].is_int() => {
            let Attr::IntCc(cc) = d.attr else { return same(b) };
            if matches!(cc, IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge) {
                let (x, y) = (signed(b, a(0), from[0]), signed(b, a(1), from[1]));
                return b.icmp(cc, x, y);
            }
            same(b)
        }
        _ if to.is_int() && is_narrow(to) && !matches!(d.op.info().sig, gpucc_ir::Sig::Select) => {
            integer(b, d, from, to)
        }
        _ => same(b),
    }
}

/// A narrow integer with its sign in the bits above.
fn signed(b: &mut Builder<'_>, v: Value, ty: Type) -> Value {
    if !is_narrow(ty) {
        return v;
    }
    let n = splat(b, v, 32 - i64::from(ty.bits()));
    let up = b.shl(v, n);
    b.sshr(up, n)
}

/// An integer between bounds, as it is held.
fn narrowed(b: &mut Builder<'_>, v: Value, top: Value, low: Option<Value>, to: Type) -> Value {
    let v = match low {
        Some(low) => {
            let v = b.smin(v, top);
            b.smax(v, low)
        }
        None => b.umin(v, top),
    };
    if is_narrow(to) { mask(b, v, to.bits()) } else { v }
}

/// Integer ops on narrow lanes: on 32 bits, and the bits above are cleared where they may not be zeros.
fn integer(b: &mut Builder<'_>, d: &InstData, from: &[Type], to: Type) -> Value {
    let bits = to.bits();
    let n = i64::from(bits);
    let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(&d.args);
    match d.op {
        Op::SDiv | Op::SRem | Op::SMin | Op::SMax | Op::IAbs | Op::SMulHi => {
            args.iter_mut().zip(from).for_each(|(v, &ty)| *v = signed(b, *v, ty));
        }
        Op::SShr => args[0] = signed(b, args[0], from[0]),
        _ => {}
    }
    if matches!(d.op, Op::Shl | Op::UShr | Op::SShr) {
        let m = splat(b, args[1], n - 1);
        args[1] = b.and(args[1], m);
    }
    let by = |b: &mut Builder<'_>, v: Value, k: i64| {
        let k = splat(b, v, k);
        b.isub(v, k)
    };
    let i = |b: &mut Builder<'_>, args: &[Value]| {
        let i = b.raw(InstData::new(d.op, args, d.attr.clone()), &[wide(to)]);
        b.func.insts[i].result()
    };
    let v = match d.op {
        Op::Clz => {
            let v = i(b, &args);
            by(b, v, 32 - n)
        }
        Op::Ctz => {
            let v = i(b, &args);
            let most = splat(b, v, n);
            b.umin(v, most)
        }
        Op::BitReverse => {
            let (v, k) = (i(b, &args), splat(b, args[0], 32 - n));
            b.ushr(v, k)
        }
        Op::UMulHi | Op::SMulHi => {
            let (p, k) = (b.imul(args[0], args[1]), splat(b, args[0], n));
            b.ushr(p, k)
        }
        // The field ends where the lane does, and its last bit is the sign.
        Op::SBitExtract => {
            let end = splat(b, args[0], n);
            args[1] = b.umin(args[1], end);
            let left = b.isub(end, args[1]);
            args[2] = b.umin(args[2], left);
            i(b, &args)
        }
        // Both halves fit into a word.
        Op::FShr => {
            let (up, low) = (splat(b, args[0], n), splat(b, args[2], n - 1));
            let (high, by) = (b.shl(args[0], up), b.and(args[2], low));
            let both = b.or(high, args[1]);
            b.ushr(both, by)
        }
        _ => i(b, &args),
    };
    let clean = matches!(
        d.op,
        Op::And
            | Op::Or
            | Op::Xor
            | Op::UMin
            | Op::UMax
            | Op::UShr
            | Op::UDiv
            | Op::URem
            | Op::Popcount
            | Op::Clz
            | Op::Ctz
            | Op::BitReverse
            | Op::Extract
            | Op::Insert
            | Op::Compose
            | Op::Splat
            | Op::Shuffle
            | Op::ExtractDyn
            | Op::InsertDyn
            | Op::Select
    );
    if clean { v } else { mask(b, v, bits) }
}

/// Other types for the same bits: through parts that both have whole.
fn bitcast(b: &mut Builder<'_>, v: Value, from: Type, to: Type) -> Value {
    if from.scalar() == to.scalar() {
        return v;
    }
    let words = words_of(b, v, from);
    from_words(b, &words, to)
}

/// The words of a value; the last has zeros where it has no lane.
fn words_of(b: &mut Builder<'_>, v: Value, from: Type) -> Lanes {
    if is_narrow(from) {
        let lanes: Lanes = (0..from.lanes()).map(|k| b.extract(v, k)).collect();
        let per = (32 / from.bits()) as usize;
        return lanes
            .chunks(per)
            .map(|c| if c.len() > 1 { word_of(b, c, from.scalar()) } else { to_bits(b, c[0], from.scalar()) })
            .collect();
    }
    let all = Type::new(Scalar::I32, from.total_bits() / 32);
    let ints = if from == all { v } else { b.bitcast(v, all) };
    (0..all.lanes()).map(|k| b.extract(ints, k)).collect()
}

/// A value of these words, halves as floats of 32 bits.
fn from_words(b: &mut Builder<'_>, words: &[Value], to: Type) -> Value {
    if is_narrow(to) {
        let lanes: Lanes = (0..to.lanes())
            .map(|k| {
                let bit = k * to.bits();
                from_bits(b, Piece::of(words[(bit / 32) as usize], bit % 32), to.scalar())
            })
            .collect();
        return b.compose(&lanes);
    }
    let ints = b.compose(words);
    if to.scalar() == Scalar::I32 { ints } else { b.bitcast(ints, to) }
}

/// `a * b + c` rounded once to `f16`: the product is exact; the sum is rounded to odd by its error, then to 11 bits.
fn fma(b: &mut Builder<'_>, x: Value, y: Value, z: Value) -> Value {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let p = b.fmul(x, y);
    let s = b.fadd(p, z);
    let t = b.fsub(s, p);
    let u = b.fsub(s, t);
    let (dp, dz) = (b.fsub(p, u), b.fsub(z, t));
    let error = b.fadd(dp, dz);
    let zero = {
        let ty = b.func.ty(s);
        b.func.fconst(ty, 0.0)
    };
    let ints = b.func.ty(s).to_int();
    let bits = b.bitcast(s, ints);
    let one = splat(b, bits, 1);
    let odd = b.and(bits, one);
    let nothing = splat(b, bits, 0);
    let even = b.icmp(IntCc::Eq, odd, nothing);
    let inexact = b.fcmp(FloatCc::One, error, zero);
    let change = b.and(even, inexact);
    // Away from zero where the error has the sign of the sum.
    let (up, above) = (b.fcmp(FloatCc::Ogt, error, zero), b.fcmp(FloatCc::Ogt, s, zero));
    let away = b.icmp(IntCc::Eq, up, above);
    let (more, less) = (b.iadd(bits, one), b.isub(bits, one));
    let next = b.select(away, more, less);
    let bits = b.select(change, next, bits);
    let ty = b.func.ty(s);
    let s = b.bitcast(bits, ty);
    let r = b.fquant16(s);
    b.fp = fp;
    r
}
