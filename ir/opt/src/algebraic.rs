//! Small exact rewrites, one rule each.
//!
//! Needs: nothing. Keeps: the CFG. Rules fire only where the result is the same bits for all operands, or where the
//! instruction's float flags allow the difference (the rule says which). No rule makes more instructions than it removes. Where an entry
//! point asks for zeros in place of denormals, what computes one of its operands stays.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::{
    Attr, Builder, FloatCc, FloatModes, FpFlags, Function, Inst, InstData, IntCc, Op, Scalar, Type, Value, ValueDef,
};

/// Applies the exact rules to each pure instruction until none fits.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let modes = cx.modes();
    // What stands in place of an instruction while rules look at it.
    let mut d = InstData::new(Op::Unreachable, &[], Attr::None);
    rewrite::run(f, |b, i| {
        if !b.func.insts[i].op.is_pure() || b.func.insts[i].results.len() != 1 {
            return Rewrite::Keep;
        }
        if let Some(attr) = canonical(b.func, i) {
            if !cx.change() {
                return Rewrite::Keep;
            }
            let at = &mut b.func.insts[i];
            at.attr = attr;
            at.args.swap(0, 1);
        }
        let may = may_fit(b.func, &b.func.insts[i]);
        if !may && !cfg!(debug_assertions) {
            return Rewrite::Keep;
        }
        // Taken out while rules look at it: no rule asks the function for the instruction that it is about, and a copy of each costs more.
        std::mem::swap(&mut b.func.insts[i], &mut d);
        // Rules build before the fuel is asked, so look first whether one applies at all.
        let mark = b.func.blocks[b.block].insts.len();
        let found = rules(b, &d, modes);
        std::mem::swap(&mut b.func.insts[i], &mut d);
        let Some(v) = found else { return Rewrite::Keep };
        debug_assert!(may, "a rule fits {:?}, whose operands no rule asks for", b.func.insts[i].op);
        if !cx.change() {
            b.func.blocks[b.block].insts.truncate(mark);
            return Rewrite::Keep;
        }
        Rewrite::Value(v)
    });
}

/// What else an instruction has once a constant goes to the right of a commutative op or a comparison; nothing where none is on the left
/// alone.
fn canonical(f: &Function, i: Inst) -> Option<Attr> {
    let d = &f.insts[i];
    if d.args.len() < 2 || !f.is_const(d.args[0]) || f.is_const(d.args[1]) {
        return None;
    }
    match &d.attr {
        Attr::IntCc(c) => Some(Attr::IntCc(c.swapped())),
        Attr::FloatCc(c) => Some(Attr::FloatCc(c.swapped())),
        other => d.op.has(gpucc_ir::OpAttrs::commutative).then(|| other.clone()),
    }
}

/// Whether some rule may fit: most instructions have no constant, no operand twice, and none made by an op that a rule asks for.
fn may_fit(f: &Function, d: &InstData) -> bool {
    let ops = match d.op {
        Op::FCmp => return false,
        Op::Extract | Op::Insert | Op::Compose | Op::Shuffle | Op::Bitcast | Op::F2F => return true,
        Op::ZExt | Op::SExt | Op::Trunc => return true,
        Op::IAdd => const { OpSet::of(&[Op::INeg]) },
        Op::ISub => const { OpSet::of(&[Op::INeg, Op::IAdd]) },
        Op::INeg => const { OpSet::of(&[Op::INeg, Op::ISub]) },
        Op::Not => const { OpSet::of(&[Op::Not, Op::ICmp, Op::FCmp]) },
        Op::FMul | Op::FAdd | Op::FSub | Op::FNeg => const { OpSet::of(&[Op::FNeg]) },
        Op::FAbs => const { OpSet::of(&[Op::FAbs, Op::FNeg]) },
        Op::FSat => const { OpSet::of(&[Op::FSat]) },
        Op::Select => const { OpSet::of(&[Op::Not, Op::FNeg, Op::Select]) },
        Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull | Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven => {
            const { OpSet::of(&[Op::FFloor, Op::FCeil, Op::FTrunc, Op::FRoundEven, Op::S2F, Op::U2F]) }
        }
        _ => OpSet::EMPTY,
    };
    let twice = match d.args[..] {
        [x, y] => x == y,
        [_, y, z] => y == z,
        _ => false,
    };
    twice
        || d.args.iter().any(|&v| match f.values[v].def {
            ValueDef::Const(_) => true,
            ValueDef::Inst(i, _) => ops.has(f.insts[i].op),
            _ => false,
        })
}

fn rules(b: &mut Builder<'_>, d: &InstData, modes: FloatModes) -> Option<Value> {
    let ty = b.func.ty(d.result());
    // The value as it is may be a denormal where the result may not.
    if modes.of(ty.scalar()).flushes() && is_identity(b, d, ty) {
        return None;
    }
    match d.op {
        Op::Select | Op::ICmp | Op::FCmp => choices(b, d, ty),
        Op::Extract | Op::Insert | Op::Compose | Op::Shuffle | Op::Splat | Op::ExtractDyn | Op::InsertDyn => {
            vectors(b, d, ty)
        }
        Op::Bitcast | Op::ZExt | Op::SExt | Op::Trunc | Op::F2F => conversions(b, d, ty),
        _ if ty.is_float() => floats(b, d, ty),
        _ => ints(b, d, ty),
    }
}

/// Constant bits (the same in all lanes) of an operand.
fn k(b: &Builder<'_>, v: Value) -> Option<u64> {
    b.func.const_bits(v)
}

/// The operands of the op that defines `v`.
fn args(b: &Builder<'_>, v: Value, op: Op) -> Option<gpucc_ir::Values> {
    b.func.def_op(v, op).map(|d| d.args.clone())
}

/// The bits that a shift by `c` leaves of `x` if that was shifted the other way by as much: the value before and a mask.
fn cleared(b: &Builder<'_>, op: Op, x: Value, c: u64) -> Option<(Value, u64)> {
    let inner = b.func.def_inst(x)?;
    let i = &b.func.insts[inner];
    let (bits, ones) = (u64::from(b.func.ty(x).bits()), b.func.ty(x).scalar().mask());
    let back = match (op, i.op) {
        (Op::Shl, Op::UShr | Op::SShr) => ones << c & ones,
        (Op::UShr, Op::Shl) => ones >> c,
        _ => return None,
    };
    (k(b, i.args[1])? % bits == c && c > 0).then_some((i.args[0], back))
}

/// A value and the constant that is added to it.
fn plus(b: &Builder<'_>, x: Value) -> Option<(Value, u64)> {
    let a = args(b, x, Op::IAdd)?;
    Some((a[0], k(b, a[1])?))
}

fn ints(b: &mut Builder<'_>, d: &InstData, ty: Type) -> Option<Value> {
    let (n, ones) = (u64::from(ty.bits()), ty.scalar().mask());
    let x = *d.args.first()?;
    let y = d.args.get(1).copied();
    let c = y.and_then(|y| k(b, y));
    let same = y == Some(x);
    let zero = |b: &mut Builder<'_>| Some(b.func.zero(ty));
    let int = |b: &mut Builder<'_>, v: u64| b.func.iconst(ty, v as i64);
    match d.op {
        // Conversions truncate: whole numbers before are none the less, and below zero there is no sign to lose without one.
        Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => {
            let whole = b.func.def_inst(x).map(|i| b.func.insts[i].clone())?;
            let floors = matches!(d.op, Op::F2U | Op::F2UFull);
            let same = whole.op == Op::FTrunc || floors && whole.op == Op::FFloor;
            same.then(|| b.op_as(d.op, &[whole.args[0]], ty))
        }
        // x + 0, x - 0, x | 0, x ^ 0, x << 0, x >> 0 => x
        Op::IAdd | Op::ISub | Op::Or | Op::Xor if c == Some(0) => Some(x),
        Op::Shl | Op::UShr | Op::SShr if c.is_some_and(|c| c % n == 0) => Some(x),
        // x - x, x ^ x, x * 0, x & 0 => 0
        Op::ISub | Op::Xor if same => zero(b),
        Op::IMul | Op::And | Op::UMulHi | Op::SMulHi | Op::UMin if c == Some(0) => zero(b),
        // x & x, x | x, min(x, x), max(x, x) => x
        Op::And | Op::Or | Op::SMin | Op::SMax | Op::UMin | Op::UMax if same => Some(x),
        // x & ~0, min(x, ~0), max(x, 0) => x
        Op::And | Op::UMin if c == Some(ones) => Some(x),
        Op::UMax if c == Some(0) => Some(x),
        // x | ~0 => ~0
        Op::Or if c == Some(ones) => y,
        // x ^ ~0 => not x
        Op::Xor if c == Some(ones) => Some(b.not(x)),
        Op::IMul if c == Some(1) => Some(x),
        Op::IMul if c == Some(ones) && ty.is_int() => Some(b.ineg(x)),
        // x * 2^n => x << n
        Op::IMul if c.is_some_and(u64::is_power_of_two) => {
            let s = int(b, u64::from(c?.trailing_zeros()));
            Some(b.shl(x, s))
        }
        Op::UDiv if c == Some(1) => Some(x),
        // x / 2^n => x >> n, x % 2^n => x & (2^n - 1), unsigned
        Op::UDiv if c.is_some_and(u64::is_power_of_two) => {
            let s = int(b, u64::from(c?.trailing_zeros()));
            Some(b.ushr(x, s))
        }
        Op::URem if c.is_some_and(u64::is_power_of_two) => {
            let m = int(b, c? - 1);
            Some(b.and(x, m))
        }
        Op::SDiv if c == Some(1) => Some(x),
        Op::SRem if c == Some(1) => zero(b),
        // x - c => x + -c, so that only additions of constants remain
        Op::ISub if c.is_some() => {
            let m = int(b, c?.wrapping_neg());
            Some(b.iadd(x, m))
        }
        // (x + c1) + c2 => x + (c1 + c2), and the like
        Op::IAdd | Op::IMul | Op::And | Op::Or | Op::Xor if c.is_some() => {
            if d.op == Op::IAdd
                && let Some(a) = args(b, x, Op::ISub)
                && let Some(c1) = k(b, a[0])
            {
                // (c1 - x) + c2 => (c1 + c2) - x
                let s = int(b, c1.wrapping_add(c?));
                return Some(b.isub(s, a[1]));
            }
            let a = args(b, x, d.op)?;
            let c1 = k(b, a[1])?;
            let r = match d.op {
                Op::IAdd => c1.wrapping_add(c?),
                Op::IMul => c1.wrapping_mul(c?),
                Op::And => c1 & c?,
                Op::Or => c1 | c?,
                _ => c1 ^ c?,
            };
            let r = int(b, r);
            Some(b.op(d.op, &[a[0], r]))
        }
        // (x >> a) << a => x & (~0 << a), and (x << a) >> a => x & (~0 >> a) without sign
        Op::Shl | Op::UShr if c.is_some_and(|c| cleared(b, d.op, x, c % n).is_some()) => {
            let (v, m) = cleared(b, d.op, x, c? % n)?;
            let m = int(b, m);
            Some(b.and(v, m))
        }
        // (x + k) << a => (x << a) + (k << a): neighbours share the shift, and accesses take the constant
        Op::Shl if c.is_some() && plus(b, x).is_some() => {
            let (v, add) = plus(b, x)?;
            let s = b.shl(v, y?);
            let add = int(b, add << (c? % n));
            Some(b.iadd(s, add))
        }
        // (x << a) << b => x << (a + b); (x >> a) >> b likewise, while the sum stays below the width
        Op::Shl | Op::UShr | Op::SShr if c.is_some() => {
            let a = args(b, x, d.op)?;
            let sum = k(b, a[1])? % n + c? % n;
            if sum >= n {
                return None;
            }
            let s = int(b, sum);
            Some(b.op(d.op, &[a[0], s]))
        }
        // 0 - x => -x
        Op::ISub if k(b, x) == Some(0) => Some(b.ineg(y?)),
        // x + -y => x - y; -x + y => y - x; x - -y => x + y
        Op::IAdd => {
            if let Some(a) = args(b, y?, Op::INeg) {
                return Some(b.isub(x, a[0]));
            }
            let a = args(b, x, Op::INeg)?;
            Some(b.isub(y?, a[0]))
        }
        Op::ISub => {
            if let Some(a) = args(b, y?, Op::INeg) {
                return Some(b.iadd(x, a[0]));
            }
            // (x + y) - x => y
            let a = args(b, x, Op::IAdd)?;
            if a[0] == y? {
                return Some(a[1]);
            }
            if a[1] == y? { Some(a[0]) } else { None }
        }
        Op::INeg | Op::Not if args(b, x, d.op).is_some() => Some(args(b, x, d.op)?[0]),
        Op::INeg => {
            // -(x - y) => y - x
            let a = args(b, x, Op::ISub)?;
            Some(b.isub(a[1], a[0]))
        }
        Op::Not => {
            // not (a < b) => a >= b; for floats only where the opposite is as common
            let i = b.func.def_inst(x)?;
            let c = b.func.insts[i].clone();
            match &c.attr {
                Attr::IntCc(cc) if c.op == Op::ICmp => Some(b.icmp(cc.negated(), c.args[0], c.args[1])),
                Attr::FloatCc(cc @ (FloatCc::Oeq | FloatCc::Une)) => Some(b.fcmp(cc.negated(), c.args[0], c.args[1])),
                _ => None,
            }
        }
        // min(max) of constants nested the same way: min(min(x, c1), c2) => min(x, min(c1, c2))
        Op::UMin | Op::UMax | Op::SMin | Op::SMax if c.is_some() => {
            let a = args(b, x, d.op)?;
            let c1 = k(b, a[1])?;
            let r = gpucc_ir::eval::lane(d.op, &Attr::None, ty.scalar(), ty.scalar(), &[c1, c?])?;
            let r = int(b, r);
            Some(b.op(d.op, &[a[0], r]))
        }
        _ => None,
    }
}

fn fbits(s: Scalar, v: f64) -> u64 {
    match s {
        Scalar::F16 => match v {
            1.0 => 0x3c00,
            -1.0 => 0xbc00,
            -0.0 if v.is_sign_negative() => 0x8000,
            _ => 0,
        },
        Scalar::F32 => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}

/// Whether a float is computed that is an operand, or its opposite, unless that is a denormal.
fn is_identity(b: &Builder<'_>, d: &InstData, ty: Type) -> bool {
    let is = |n: usize, v: f64| d.args.get(n).and_then(|&v| k(b, v)) == Some(fbits(ty.scalar(), v));
    match d.op {
        Op::FMul | Op::FDiv => [1.0, -1.0].iter().any(|&v| is(1, v)),
        Op::FAdd => [0.0, -0.0].iter().any(|&v| is(1, v)),
        Op::FSub => [0.0, -0.0].iter().any(|&v| is(0, v) || is(1, v)),
        Op::F2F => true,
        _ => false,
    }
}

fn floats(b: &mut Builder<'_>, d: &InstData, ty: Type) -> Option<Value> {
    let s = ty.scalar();
    let x = *d.args.first()?;
    let y = d.args.get(1).copied();
    let c = y.and_then(|y| k(b, y));
    let is = |v: f64| c == Some(fbits(s, v));
    let nsz = d.fp.has(FpFlags::NSZ);
    match d.op {
        Op::FMul if is(1.0) => Some(x),
        Op::FMul if is(-1.0) => Some(b.fneg(x)),
        // x * 0 => 0 needs nnan, ninf and nsz
        Op::FMul if is(0.0) && d.fp.has(FpFlags::NNAN.with(FpFlags::NINF).with(FpFlags::NSZ)) => Some(b.func.zero(ty)),
        Op::FDiv if is(1.0) => Some(x),
        // x + -0 and x - 0 are x for every x; x + 0 turns -0 into +0
        Op::FAdd if is(-0.0) || (is(0.0) && nsz) => Some(x),
        Op::FSub if is(0.0) || (is(-0.0) && nsz) => Some(x),
        // x / 2^n => x * 2^-n: exact while the reciprocal is a normal number
        Op::FDiv if s == Scalar::F32 && c.is_some() => {
            let v = f32::from_bits(c? as u32);
            let r = 1.0 / v;
            let exact = v.to_bits() & 0x7f_ffff == 0 && v.is_normal() && r.is_normal();
            // Other constants round twice, which reassoc allows and the bound of division covers.
            let close = d.fp.has(FpFlags::REASSOC) && v.is_normal() && r.is_normal();
            if !exact && !close {
                return None;
            }
            let r = b.func.fconst(ty, r);
            Some(b.fmul(x, r))
        }
        // 1 / x => rcp x: inside the bound of division. In 64 bits nothing has one that is better than the quotient.
        Op::FDiv if s != Scalar::F64 && k(b, x) == Some(fbits(s, 1.0)) => Some(b.frcp(y?)),
        // -x * c => x * -c: a sign costs a form that has no room for the constant
        Op::FMul | Op::Fma if c.is_some() && s != Scalar::F64 && args(b, x, Op::FNeg).is_some() => {
            let a = args(b, x, Op::FNeg)?;
            let n = b.func.constant(gpucc_ir::Const::new(ty, &[c? ^ 1 << (s.bits() - 1)]));
            Some(if d.op == Op::FMul { b.fmul(a[0], n) } else { b.fma(a[0], n, d.args[2]) })
        }
        // x * -y => -(x * y) is left to the target's modifiers; signs of both cancel
        Op::FMul => {
            let (p, q) = (args(b, x, Op::FNeg)?, args(b, y?, Op::FNeg)?);
            Some(b.fmul(p[0], q[0]))
        }
        // a + -b => a - b; -a + b => b - a; a - -b => a + b
        Op::FAdd => {
            if let Some(a) = args(b, y?, Op::FNeg) {
                return Some(b.fsub(x, a[0]));
            }
            let a = args(b, x, Op::FNeg)?;
            Some(b.fsub(y?, a[0]))
        }
        Op::FSub => {
            // 0 - x => -x: exact for -0 - x, else the sign of zero differs
            if let Some(z) = k(b, x)
                && (z == fbits(s, -0.0) || (z == 0 && nsz))
            {
                return Some(b.fneg(y?));
            }
            let a = args(b, y?, Op::FNeg)?;
            Some(b.fadd(x, a[0]))
        }
        Op::FNeg => Some(args(b, x, Op::FNeg)?[0]),
        Op::FAbs => {
            if b.func.def_op(x, Op::FAbs).is_some() {
                return Some(x);
            }
            let a = args(b, x, Op::FNeg)?;
            Some(b.fabs(a[0]))
        }
        Op::FMin | Op::FMax if y == Some(x) => Some(x),
        Op::FSat if b.func.def_op(x, Op::FSat).is_some() => Some(x),
        // fma(a, 1, c) => a + c; fma(a, b, -0) => a * b
        Op::Fma => {
            let z = d.args[2];
            if is(1.0) {
                return Some(b.fadd(x, z));
            }
            if k(b, z) == Some(fbits(s, -0.0)) || (k(b, z) == Some(0) && nsz) {
                return Some(b.fmul(x, y?));
            }
            None
        }
        // Rounding what is whole already.
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven => {
            let i = b.func.def_inst(x)?;
            matches!(b.func.insts[i].op, Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven | Op::S2F | Op::U2F)
                .then_some(x)
        }
        _ => None,
    }
}

/// Whether the opposite of a condition costs nothing.
fn opposite(b: &Builder<'_>, c: Value) -> bool {
    b.func.def_op(c, Op::ICmp).is_some()
        || b.func.def_op(c, Op::FCmp).is_some_and(|d| matches!(d.attr, Attr::FloatCc(FloatCc::Oeq | FloatCc::Une)))
}

fn choices(b: &mut Builder<'_>, d: &InstData, ty: Type) -> Option<Value> {
    let (x, y) = (d.args[0], d.args[1]);
    if d.op == Op::Select {
        let z = d.args[2];
        if y == z {
            return Some(y);
        }
        if let Some(c) = k(b, x) {
            return Some(if c != 0 { y } else { z });
        }
        // select(not c, a, b) => select(c, b, a)
        if let Some(a) = args(b, x, Op::Not) {
            return Some(b.select(a[0], z, y));
        }
        let scalar_shape = b.func.ty(x).lanes() == ty.lanes();
        if ty.is_bool() && scalar_shape {
            // Booleans: one constant arm makes it and, or.
            match (k(b, y), k(b, z)) {
                (Some(1), Some(0)) => return Some(x),
                (Some(0), Some(1)) => return Some(b.not(x)),
                (Some(1), None) => return Some(b.or(x, z)),
                (None, Some(0)) => return Some(b.and(x, y)),
                // The opposite of a comparison is a comparison.
                (None, Some(1)) if opposite(b, x) => {
                    let n = b.not(x);
                    return Some(b.or(n, y));
                }
                (Some(0), None) if opposite(b, x) => {
                    let n = b.not(x);
                    return Some(b.and(n, z));
                }
                _ => {}
            }
        }
        // select(c, -a, -b) => -select(c, a, b)
        if let (Some(p), Some(q)) = (args(b, y, Op::FNeg), args(b, z, Op::FNeg)) {
            let v = b.select(x, p[0], q[0]);
            return Some(b.fneg(v));
        }
        // select(c, select(c, a, _), b) => select(c, a, b), and on the other side
        if let Some(a) = args(b, y, Op::Select)
            && a[0] == x
        {
            return Some(b.select(x, a[1], z));
        }
        if let Some(a) = args(b, z, Op::Select)
            && a[0] == x
        {
            return Some(b.select(x, y, a[2]));
        }
        return None;
    }
    if d.op == Op::FCmp {
        return None;
    }
    let Attr::IntCc(cc) = d.attr else { return None };
    let opty = b.func.ty(x);
    let truth = |b: &mut Builder<'_>, t: bool| Some(b.func.iconst(ty, i64::from(t)));
    if x == y {
        return truth(b, matches!(cc, IntCc::Eq | IntCc::Sle | IntCc::Sge | IntCc::Ule | IntCc::Uge));
    }
    let c = k(b, y)?;
    // Unsigned comparisons that cannot fail or hold.
    match (cc, c) {
        (IntCc::Ult, 0) => return truth(b, false),
        (IntCc::Uge, 0) => return truth(b, true),
        (IntCc::Ult, 1) | (IntCc::Ule, 0) => {
            let z = b.func.zero(opty);
            return Some(b.icmp(IntCc::Eq, x, z));
        }
        (IntCc::Ugt, 0) => return Some(b.icmp(IntCc::Ne, x, y)),
        _ => {}
    }
    if opty.is_bool() {
        // c == true => c, c == false => not c
        return Some(if (cc == IntCc::Eq) == (c == 1) { x } else { b.not(x) });
    }
    // A comparison of select(c, k1, k2) with a constant is c, not c, or a constant.
    if let Some(a) = args(b, x, Op::Select)
        && let (Some(t), Some(e)) = (k(b, a[1]), k(b, a[2]))
        && b.func.ty(a[0]).lanes() == ty.lanes()
    {
        let hit = |v: u64| gpucc_ir::eval::int_cc(cc, opty.scalar(), v, c);
        return match (hit(t), hit(e)) {
            (true, true) => truth(b, true),
            (false, false) => truth(b, false),
            (true, false) => Some(a[0]),
            (false, true) => Some(b.not(a[0])),
        };
    }
    // (x + c1) == c2 => x == c2 - c1
    if matches!(cc, IntCc::Eq | IntCc::Ne)
        && let Some(a) = args(b, x, Op::IAdd)
        && let Some(c1) = k(b, a[1])
    {
        let r = b.func.iconst(opty, c.wrapping_sub(c1) as i64);
        return Some(b.icmp(cc, a[0], r));
    }
    None
}

fn conversions(b: &mut Builder<'_>, d: &InstData, ty: Type) -> Option<Value> {
    let x = d.args[0];
    let from = b.func.ty(x);
    if d.op == Op::Bitcast {
        if from == ty {
            return Some(x);
        }
        // bitcast(bitcast x) => bitcast x
        let a = args(b, x, Op::Bitcast)?;
        return Some(if b.func.ty(a[0]) == ty { a[0] } else { b.bitcast(a[0], ty) });
    }
    // Narrowing what was widened from the same type, or widening twice the same way.
    match d.op {
        Op::Trunc => {
            let i = b.func.def_inst(x)?;
            let (op, a) = (b.func.insts[i].op, b.func.insts[i].args.first().copied()?);
            (matches!(op, Op::ZExt | Op::SExt) && b.func.ty(a) == ty).then_some(a)
        }
        Op::ZExt if let Some(a) = args(b, x, Op::Trunc).filter(|a| b.func.ty(a[0]) == ty) => {
            let low = b.func.iconst(ty, from.scalar().mask() as i64);
            Some(b.and(a[0], low))
        }
        Op::ZExt | Op::SExt => {
            let a = args(b, x, d.op)?;
            Some(b.op_as(d.op, &[a[0]], ty))
        }
        // Narrowing an exactly widened float.
        Op::F2F if ty.bits() < from.bits() => {
            let a = args(b, x, Op::F2F)?;
            (b.func.ty(a[0]) == ty).then_some(a[0])
        }
        _ => None,
    }
}

/// The scalar that a lane of a vector is known to be, without building anything.
fn lane_of(b: &mut Builder<'_>, v: Value, lane: u32) -> Option<Value> {
    let mut v = v;
    let mut lane = lane;
    // Chains of inserts and shuffles are bounded by the code before this instruction; a cap keeps it linear.
    for _ in 0..16 {
        if let Some(c) = b.func.as_const(v) {
            let (ty, bits) = (c.ty.lane(), c.bits[lane as usize]);
            return Some(b.func.constant(gpucc_ir::Const::new(ty, &[bits])));
        }
        let i = b.func.def_inst(v)?;
        let d = &b.func.insts[i];
        match (d.op, &d.attr) {
            (Op::Compose, _) => return Some(d.args[lane as usize]),
            (Op::Splat, _) => return Some(d.args[0]),
            (Op::Insert, Attr::Lane(l)) => {
                if u32::from(*l) == lane {
                    return Some(d.args[1]);
                }
                v = d.args[0];
            }
            (Op::Shuffle, Attr::Lanes(l)) => {
                let e = u32::from(l[lane as usize]);
                v = d.args[(e / 4) as usize];
                lane = e % 4;
                if !b.func.ty(v).is_vector() {
                    return Some(v);
                }
            }
            _ => return None,
        }
    }
    None
}

/// The vector and lane that a scalar was extracted from.
fn source(b: &Builder<'_>, v: Value) -> Option<(Value, u8)> {
    let d = b.func.def_op(v, Op::Extract)?;
    match d.attr {
        Attr::Lane(l) => Some((d.args[0], l)),
        _ => None,
    }
}

fn vectors(b: &mut Builder<'_>, d: &InstData, ty: Type) -> Option<Value> {
    match (d.op, &d.attr) {
        (Op::Extract, Attr::Lane(l)) => {
            let l = u32::from(*l);
            if let Some(v) = lane_of(b, d.args[0], l) {
                return Some(v);
            }
            // extract(insert(v, _, other), l) => extract(v, l); extract(shuffle(v, ..)) => extract(v, ..)
            let i = b.func.def_inst(d.args[0])?;
            let e = b.func.insts[i].clone();
            match (e.op, &e.attr) {
                (Op::Insert, _) => Some(b.extract(e.args[0], l)),
                (Op::Shuffle, Attr::Lanes(s)) => {
                    let k = u32::from(s[l as usize]);
                    Some(b.extract(e.args[(k / 4) as usize], k % 4))
                }
                _ => None,
            }
        }
        (Op::Compose, _) => {
            // Lanes of one vector in order are that vector; in another order, a shuffle of at most two.
            if d.args.iter().all(|&v| v == d.args[0]) {
                return Some(b.splat(d.args[0], ty.lanes()));
            }
            let s: Option<Vec<_>> = d.args.iter().map(|&v| source(b, v)).collect();
            let s = s?;
            let first = s[0].0;
            let second = s.iter().map(|x| x.0).find(|&v| v != first).unwrap_or(first);
            if s.iter().any(|x| x.0 != first && x.0 != second) {
                return None;
            }
            let lanes: Vec<u8> = s.iter().map(|x| if x.0 == first { x.1 } else { 4 + x.1 }).collect();
            if b.func.ty(first) == ty && lanes.iter().enumerate().all(|(n, &l)| l == n as u8) {
                return Some(first);
            }
            Some(b.shuffle(first, second, &lanes))
        }
        (Op::Insert, Attr::Lane(l)) => {
            // insert(insert(v, _, l), x, l) => insert(v, x, l)
            if let Some(e) = b.func.def_op(d.args[0], Op::Insert)
                && e.attr == d.attr
            {
                let v = e.args[0];
                return Some(b.insert(v, d.args[1], u32::from(*l)));
            }
            // The last insert of a chain that sets every lane is a compose.
            let mut lanes: Vec<Option<Value>> = vec![None; ty.lanes() as usize];
            lanes[usize::from(*l)] = Some(d.args[1]);
            let mut v = d.args[0];
            while let Some(e) = b.func.def_op(v, Op::Insert) {
                let Attr::Lane(l) = e.attr else { break };
                lanes[usize::from(l)].get_or_insert(e.args[1]);
                v = e.args[0];
            }
            let all: Option<Vec<Value>> = lanes.into_iter().collect();
            Some(b.compose(&all?))
        }
        (Op::Shuffle, Attr::Lanes(l)) => {
            let (x, y) = (d.args[0], d.args[1]);
            // The identity.
            if b.func.ty(x) == ty && l.iter().enumerate().all(|(n, &e)| e == n as u8 || (x == y && e == 4 + n as u8)) {
                return Some(x);
            }
            // shuffle(shuffle(v, v, p), .., q) => shuffle(v, v, p o q)
            let e = b.func.def_op(x, Op::Shuffle)?.clone();
            let Attr::Lanes(p) = &e.attr else { return None };
            if x != y && l.iter().any(|&k| k >= 4) {
                return None;
            }
            let q: Vec<u8> = l.iter().map(|&k| p[usize::from(k % 4)]).collect();
            Some(b.shuffle(e.args[0], e.args[1], &q))
        }
        (Op::ExtractDyn, _) => {
            // A constant index is a lane.
            let k = k(b, d.args[1])?;
            let last = u64::from(b.func.ty(d.args[0]).lanes() - 1);
            Some(b.extract(d.args[0], k.min(last) as u32))
        }
        (Op::InsertDyn, _) => {
            let k = k(b, d.args[2])?;
            let last = u64::from(ty.lanes() - 1);
            Some(b.insert(d.args[0], d.args[1], k.min(last) as u32))
        }
        _ => None,
    }
}
