//! Simplifies instructions by upper bounds of their operands.
//!
//! - clamps, masks and comparisons that cannot act go;
//! - signed division, remainder, shift and comparison of numbers that are not negative become unsigned;
//! - products of numbers below 2^24 become `umul24` where the target wants that;
//! - low bits of a sum whose other part has none are those of the constant;
//! - two comparisons that ask whether a number lies between constants become one, of the distance from the lower one;
//! - constants move from dynamic offsets into the access where the sum does not wrap (targets add without wrapping): by its largest
//!   value, or because the constant takes the place of low bits that are zero;
//! - an offset that is a constant altogether, and inside of the place, is no dynamic offset any more (loops that were unrolled).
//!
//! Needs: nothing. Keeps: the CFG.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::analysis::UpperBounds;
use gpucc_ir::{
    Attr, Block, Builder, CsrLists, Function, Inst, IntCc, MemFlags, Op, Place, SecondaryMap, Type, Value, ValueDef,
};

enum Change {
    /// The result is this value.
    Value(Value),
    /// The result is this constant.
    Bool(bool),
    /// The result is this constant.
    Const(u64),
    /// Another op on the same operands.
    Op(Op),
    /// Another comparison of the same operands.
    Compare(IntCc),
}

/// Simplifies instructions whose operands' upper bounds allow it.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    // Bounds are of the function as it was: all changes are collected first.
    let mut changes: Vec<(Inst, Change)> = Vec::new();
    let mut folds: Vec<(Inst, Fold)> = Vec::new();
    let mut constants: Vec<(Inst, u32)> = Vec::new();
    {
        let (preds, dom, s) = (cx.preds(f), cx.dom(f), cx.structure(f));
        let mut u = UpperBounds::new(f, cx.workgroup_size, &preds, &dom, &s);
        let mut busy = Vec::new();
        for (_, i) in f.insts_in_order() {
            if let Some(c) = change(f, &mut u, i, cx).or_else(|| low_bits(f, &preds, i, &mut busy)) {
                changes.push((i, c));
            }
            if let Some(offset) = constant_offset(f, i, cx) {
                constants.push((i, offset));
            } else if let Some(x) = fold(f, &mut u, i, cx, |v| zeros(f, &preds, v, &mut busy, 6)) {
                folds.push((i, x));
            }
        }
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for (i, c) in changes {
        if !cx.change() {
            break;
        }
        match c {
            Change::Value(v) => map[f.insts[i].result()] = Some(v),
            Change::Bool(t) => {
                let r = f.insts[i].result();
                let ty = f.ty(r);
                map[r] = Some(f.iconst(ty, i64::from(t)));
            }
            Change::Const(c) => {
                let r = f.insts[i].result();
                let ty = f.ty(r);
                map[r] = Some(f.iconst(ty, c as i64));
            }
            Change::Op(op) => f.insts[i].op = op,
            Change::Compare(cc) => f.insts[i].attr = Attr::IntCc(cc),
        }
    }
    f.replace_uses(&map);
    apply_folds(f, cx, &folds);
    for (i, offset) in constants {
        if !cx.change() {
            break;
        }
        let d = &mut f.insts[i];
        let at = d.dyn_index().expect("a memory op");
        debug_assert_eq!(at + 1, d.args.len(), "the offset is the last operand");
        d.args.truncate(at);
        let m = d.mem_mut().expect("a memory op");
        m.offset = offset;
        m.flags = m.flags.with(MemFlags::IN_BOUNDS);
    }
    between(f, cx);
}

/// `x >= lo && x <= hi` becomes `x - lo <= hi - lo`, and `x < lo || x > hi` its opposite, where nothing else reads the two
/// comparisons.
fn between(f: &mut Function, cx: &mut PassCx<'_>) {
    let joins = |i: Inst| {
        let d = &f.insts[i];
        matches!(d.op, Op::And | Op::Or) && f.ty(d.result()).is_bool()
    };
    if !f.insts_in_order().any(|(_, i)| joins(i)) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        if !matches!(d.op, Op::And | Op::Or) || !b.func.ty(d.result()).is_bool() {
            return Rewrite::Keep;
        }
        let inside = d.op == Op::And;
        // Both as the condition for being inside: (value, signed, least, greatest), the open side as far as can be.
        let side = |v: Value| {
            let c = b.func.def_op(v, Op::ICmp)?;
            let Attr::IntCc(cc) = c.attr else { return None };
            let (x, k) = (c.args[0], b.func.const_bits(c.args[1])?);
            let ty = b.func.ty(x);
            if uses.count(v) != 1 || ty.is_vector() || !ty.is_int() {
                return None;
            }
            let (mask, sign) = (ty.scalar().mask(), (ty.scalar().mask() >> 1) + 1);
            let cc = if inside { cc } else { cc.negated() };
            // Signed numbers in unsigned order.
            let signed = matches!(cc, IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge);
            let k = if signed { k ^ sign } else { k };
            let (least, most) = match cc {
                IntCc::Ult | IntCc::Slt => (0, k.checked_sub(1)?),
                IntCc::Ule | IntCc::Sle => (0, k),
                IntCc::Ugt | IntCc::Sgt => ((k < mask).then(|| k + 1)?, mask),
                IntCc::Uge | IntCc::Sge => (k, mask),
                IntCc::Eq | IntCc::Ne => return None,
            };
            Some((x, signed, least, most, sign))
        };
        let (Some(p), Some(q)) = (side(d.args[0]), side(d.args[1])) else { return Rewrite::Keep };
        let (least, most) = (p.2.max(q.2), p.3.min(q.3));
        if p.0 != q.0 || p.1 != q.1 || least == 0 || most == b.func.ty(p.0).scalar().mask() || least >= most {
            return Rewrite::Keep;
        }
        if !cx.change() {
            return Rewrite::Keep;
        }
        let ty = b.func.ty(p.0);
        let low = if p.1 { least ^ p.4 } else { least };
        let (low, width) = (b.func.iconst(ty, (low as i64).wrapping_neg()), b.func.iconst(ty, (most - least) as i64));
        let away = b.iadd(p.0, low);
        Rewrite::Value(b.icmp(if inside { IntCc::Ule } else { IntCc::Ugt }, away, width))
    });
}

fn change(f: &Function, u: &mut UpperBounds<'_>, i: Inst, cx: &PassCx<'_>) -> Option<Change> {
    let d = &f.insts[i];
    if d.results.len() != 1 || d.args.len() < 2 {
        return None;
    }
    let ty = f.ty(d.args[0]);
    if !ty.is_int() {
        return None;
    }
    let (x, y) = (d.args[0], d.args[1]);
    let high = ty.scalar().mask() >> 1;
    let c = f.const_bits(y);
    let mut plain = |v: Value| u.of(v) <= high;
    match d.op {
        Op::UMin if c.is_some() => (u.of(x) <= c?).then_some(Change::Value(x)),
        Op::And if c.is_some_and(|c| c & c.wrapping_add(1) == 0) => (u.of(x) <= c?).then_some(Change::Value(x)),
        Op::URem if c.is_some() => (u.of(x) < c?).then_some(Change::Value(x)),
        Op::SDiv if plain(x) && plain(y) => Some(Change::Op(Op::UDiv)),
        Op::SRem if plain(x) && plain(y) => Some(Change::Op(Op::URem)),
        Op::SShr if plain(x) => Some(Change::Op(Op::UShr)),
        // max(x, 0) of what is not negative
        Op::SMax if c == Some(0) && plain(x) => Some(Change::Value(x)),
        Op::SMin if c.is_some_and(|c| c <= high) && plain(x) => (u.of(x) <= c?).then_some(Change::Value(x)),
        Op::IMul if cx.caps.prefer_mul24 && ty.scalar() == gpucc_ir::Scalar::I32 => {
            (u.of(x) < 1 << 24 && u.of(y) < 1 << 24).then_some(Change::Op(Op::UMul24))
        }
        Op::ICmp => {
            let Attr::IntCc(cc) = d.attr else { return None };
            let (a, b) = (u.of(x), u.of(y));
            if let Some(c) = c {
                let signed_ok = a <= high && c <= high;
                match cc {
                    IntCc::Ult if a < c => return Some(Change::Bool(true)),
                    IntCc::Ule if a <= c => return Some(Change::Bool(true)),
                    IntCc::Uge if a < c => return Some(Change::Bool(false)),
                    IntCc::Ugt if a <= c => return Some(Change::Bool(false)),
                    IntCc::Eq if a < c => return Some(Change::Bool(false)),
                    IntCc::Ne if a < c => return Some(Change::Bool(true)),
                    IntCc::Slt if signed_ok && a < c => return Some(Change::Bool(true)),
                    IntCc::Sge if signed_ok && a < c => return Some(Change::Bool(false)),
                    // x < 0 and x >= 0 of what is not negative
                    IntCc::Slt if c == 0 && a <= high => return Some(Change::Bool(false)),
                    IntCc::Sge if c == 0 && a <= high => return Some(Change::Bool(true)),
                    _ => {}
                }
            }
            if a > high || b > high {
                return None;
            }
            let unsigned = match cc {
                IntCc::Slt => IntCc::Ult,
                IntCc::Sle => IntCc::Ule,
                IntCc::Sgt => IntCc::Ugt,
                IntCc::Sge => IntCc::Uge,
                _ => return None,
            };
            Some(Change::Compare(unsigned))
        }
        _ => None,
    }
}

type Preds = CsrLists<Block, Block>;

/// Low bits of `x + k` are those of `k` where `x` is a multiple of a power of two large enough, as counters of unrolled
/// loops are.
fn low_bits(f: &Function, preds: &Preds, i: Inst, busy: &mut Vec<Value>) -> Option<Change> {
    let d = &f.insts[i];
    if d.op != Op::And || d.results.len() != 1 || !f.ty(d.result()).is_int() {
        return None;
    }
    let c = f.const_bits(d.args[1])?;
    let bits = 64 - c.leading_zeros();
    let mut zero = |v: Value| zeros(f, preds, v, busy, 6) >= bits;
    if let Some(a) = f.def_op(d.args[0], Op::IAdd)
        && let Some(k) = f.const_bits(a.args[1])
        && zero(a.args[0])
    {
        return Some(Change::Const(k & c));
    }
    zero(d.args[0]).then_some(Change::Const(0))
}

/// How many low bits of a value are zero. A parameter that meets itself round a loop keeps what the other ways say.
fn zeros(f: &Function, preds: &Preds, v: Value, busy: &mut Vec<Value>, depth: u32) -> u32 {
    if let Some(c) = f.const_bits(v) {
        return c.trailing_zeros();
    }
    if depth == 0 {
        return 0;
    }
    match f.values[v].def {
        ValueDef::Param(b, n) => {
            if busy.contains(&v) {
                return u64::BITS;
            }
            // Parameters of the entry come from outside; long lists of ways are not worth the walk.
            if preds[b].is_empty() || preds[b].len() > 4 || b == f.entry() {
                return 0;
            }
            busy.push(v);
            let ways = preds[b].iter().flat_map(|&p| f.edges(p)).filter(|e| e.block == b);
            let least = ways.map(|e| zeros(f, preds, e.args[n as usize], busy, depth - 1)).min().unwrap_or(0);
            busy.pop();
            least
        }
        ValueDef::Inst(i, _) => {
            let d = &f.insts[i];
            let mut of = |n: usize| zeros(f, preds, d.args[n], busy, depth - 1);
            match d.op {
                Op::IAdd | Op::ISub | Op::Or | Op::Xor => of(0).min(of(1)),
                Op::And => of(0).max(of(1)),
                Op::IMul => of(0).saturating_add(of(1)).min(u64::BITS),
                Op::Shl => match f.const_bits(d.args[1]) {
                    Some(c) if c < u64::from(f.ty(v).bits()) => of(0).saturating_add(c as u32).min(u64::BITS),
                    _ => of(0),
                },
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// A dynamic offset `(base + add) * scale`, of which `add * scale` moves into the constant offset.
struct Fold {
    base: Value,
    /// Shift or factor, as an op and its constant operand.
    scale: Option<(Op, Value)>,
    bytes: u32,
}

/// The whole offset of an access whose dynamic offset is a constant, if that is inside of the place whatever is bound.
fn constant_offset(f: &Function, i: Inst, cx: &PassCx<'_>) -> Option<u32> {
    let d = &f.insts[i];
    let (m, k) = (d.mem()?, f.const_bits(d.dyn_offset()?)?);
    let offset = m.offset.checked_add(u32::try_from(k).ok()?)?;
    let size = cx.module.place_size(f, m.place).or(match m.place {
        Place::Buffer(r) => Some(cx.module.resources[r].min_size),
        _ => None,
    })?;
    let end = offset.checked_add(f.access_bytes(i))?;
    (end <= size && offset.is_multiple_of(m.align.max(1))).then_some(offset)
}

/// The fold of an access; `zeros` are the low bits of a value that are zero.
fn fold(
    f: &Function,
    u: &mut UpperBounds<'_>,
    i: Inst,
    cx: &PassCx<'_>,
    mut zeros: impl FnMut(Value) -> u32,
) -> Option<Fold> {
    let d = &f.insts[i];
    let (m, v) = (d.mem()?, d.dyn_offset()?);
    if m.place == Place::Address {
        return None;
    }
    let add = |v: Value| {
        let a = f.def_op(v, Op::IAdd)?;
        Some((a.args[0], f.const_bits(a.args[1])?))
    };
    let (base, k, scale, factor) = match add(v) {
        Some((b, k)) => (b, k, None, 1),
        None => {
            let i = f.def_inst(v)?;
            let s = &f.insts[i];
            let c = f.const_bits(*s.args.get(1)?)?;
            let factor = match s.op {
                Op::Shl if c < 16 => 1 << c,
                Op::IMul | Op::UMul24 if c < 1 << 16 => c,
                _ => return None,
            };
            let (b, k) = add(s.args[0])?;
            (b, k, Some((s.op, s.args[1])), factor)
        }
    };
    let bytes = k.checked_mul(factor)?;
    let offset = bytes.checked_add(u64::from(m.offset))?;
    let largest = u.of(base).checked_add(k)?.checked_mul(factor)?.checked_add(u64::from(m.offset))?;
    // An access keeps its alignment in its constant part.
    let aligned = offset.is_multiple_of(u64::from(m.align));
    if offset > u64::from(cx.caps.offset_fold) || bytes == 0 || !aligned {
        return None;
    }
    let no_carry = |zeros: u32| zeros >= u64::BITS - k.leading_zeros();
    let shifted = scale.is_none_or(|s| s.0 == Op::Shl);
    if largest > u64::from(u32::MAX) && !(shifted && no_carry(zeros(base))) {
        return None;
    }
    Some(Fold { base, scale, bytes: bytes as u32 })
}

fn apply_folds(f: &mut Function, cx: &mut PassCx<'_>, folds: &[(Inst, Fold)]) {
    let mut next = folds.iter();
    let mut now = next.next();
    let mut old = Vec::new();
    for b in f.layout.clone() {
        if now.is_none() {
            return;
        }
        f.take_insts(b, &mut old);
        for &i in &old {
            if let Some((k, x)) = now
                && *k == i
            {
                now = next.next();
                if cx.change() {
                    let v = match x.scale {
                        None => x.base,
                        Some((op, c)) => Builder::like(f, b, i).op_as(op, &[x.base, c], Type::I32),
                    };
                    let at = f.insts[i].dyn_index().expect("a memory op");
                    f.insts[i].args[at] = v;
                    let m = f.insts[i].mem_mut().expect("a memory op");
                    m.offset += x.bytes;
                }
            }
            f.blocks[b].insts.push(i);
        }
    }
}
