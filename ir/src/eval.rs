//! The folding functions: what a lanewise op computes, lane by lane, from constant bits.
//!
//! All arithmetic is gpucc-num's, so results do not depend on the host. The meaning is that of `docs/semantics.md`.

use crate::function::{Const, Function};
use crate::inst::{Attr, FloatCc, Inst, IntCc};
use crate::ops::{Op, Sig};
use crate::types::{Scalar, Type};
use gpucc_num::pack::CubeTies;
use gpucc_num::{Mode, Round, convert, f16, f32 as n32, f64 as n64, int, pack, special};
use smallvec::SmallVec;

const M: Mode = Mode::IEEE;

fn sext(s: Scalar, b: u64) -> i64 {
    int::sign_extend(b, s.bits())
}

/// Whether an integer comparison holds for two lanes of kind `s`.
pub fn int_cc(cc: IntCc, s: Scalar, a: u64, b: u64) -> bool {
    let (x, y) = (sext(s, a), sext(s, b));
    match cc {
        IntCc::Eq => a == b,
        IntCc::Ne => a != b,
        IntCc::Slt => x < y,
        IntCc::Sle => x <= y,
        IntCc::Sgt => x > y,
        IntCc::Sge => x >= y,
        IntCc::Ult => a < b,
        IntCc::Ule => a <= b,
        IntCc::Ugt => a > b,
        IntCc::Uge => a >= b,
    }
}

/// The value of a float lane; widening is exact.
fn wide(s: Scalar, b: u64) -> f64 {
    match s {
        Scalar::F16 => convert::f16_to_f64(b as u16),
        Scalar::F32 => f64::from(f32::from_bits(b as u32)),
        _ => f64::from_bits(b),
    }
}

fn narrow(s: Scalar, v: f64) -> u64 {
    match s {
        Scalar::F16 => u64::from(convert::f64_to_f16(Round::Nearest, v)),
        Scalar::F32 => u64::from(convert::f64_to_f32(Round::Nearest, v).to_bits()),
        _ => v.to_bits(),
    }
}

/// Whether a float comparison holds for two lanes of kind `s`.
pub fn float_cc(cc: FloatCc, s: Scalar, a: u64, b: u64) -> bool {
    let (x, y) = (wide(s, a), wide(s, b));
    let Some(o) = x.partial_cmp(&y) else { return cc.if_unordered() };
    match cc {
        FloatCc::Oeq | FloatCc::Ueq => o.is_eq(),
        FloatCc::One | FloatCc::Une => o.is_ne(),
        FloatCc::Olt | FloatCc::Ult => o.is_lt(),
        FloatCc::Ole | FloatCc::Ule => o.is_le(),
        FloatCc::Ogt | FloatCc::Ugt => o.is_gt(),
        FloatCc::Oge | FloatCc::Uge => o.is_ge(),
        FloatCc::Ord => true,
        FloatCc::Uno => false,
    }
}

macro_rules! by_width {
    ($s:expr, $a:expr, |$m:ident, $x:ident| $e:expr) => {
        match $s {
            Scalar::F16 => {
                use f16 as $m;
                let $x = |i: usize| $a[i] as u16;
                u64::from($e)
            }
            Scalar::F32 => {
                use n32 as $m;
                let $x = |i: usize| f32::from_bits($a[i] as u32);
                u64::from($e.to_bits())
            }
            _ => {
                use n64 as $m;
                let $x = |i: usize| f64::from_bits($a[i]);
                $e.to_bits()
            }
        }
    };
}

/// One lane of a float op on operands of kind `s`; `None` if the op is not a float op on one kind.
fn float_lane(op: Op, s: Scalar, a: &[u64]) -> Option<u64> {
    use gpucc_num::MinMax::Number;
    let sign = 1_u64 << (s.bits() - 1);
    // Special functions are evaluated in f64 and rounded once; f64 itself is left to the execution.
    let special = |f: fn(f64) -> f64| (s != Scalar::F64).then(|| narrow(s, f(wide(s, a[0]))));
    Some(match op {
        Op::FAdd => by_width!(s, a, |m, x| m::add(M, x(0), x(1))),
        Op::FSub => by_width!(s, a, |m, x| m::sub(M, x(0), x(1))),
        Op::FMul => by_width!(s, a, |m, x| m::mul(M, x(0), x(1))),
        Op::FDiv => by_width!(s, a, |m, x| m::div(M, x(0), x(1))),
        Op::FRem => by_width!(s, a, |m, x| m::rem(M, x(0), x(1))),
        Op::Fma => by_width!(s, a, |m, x| m::fma(M, x(0), x(1), x(2))),
        Op::FMin => by_width!(s, a, |m, x| m::min(M, Number, x(0), x(1))),
        Op::FMax => by_width!(s, a, |m, x| m::max(M, Number, x(0), x(1))),
        Op::FSqrt => by_width!(s, a, |m, x| m::sqrt(M, x(0))),
        Op::FFloor => by_width!(s, a, |m, x| m::round_to_int(Round::Down, x(0))),
        Op::FCeil => by_width!(s, a, |m, x| m::round_to_int(Round::Up, x(0))),
        Op::FTrunc => by_width!(s, a, |m, x| m::round_to_int(Round::Zero, x(0))),
        Op::FRoundEven => by_width!(s, a, |m, x| m::round_to_int(Round::Nearest, x(0))),
        Op::FFract => {
            let floor = by_width!(s, a, |m, x| m::round_to_int(Round::Down, x(0)));
            let b = [a[0], floor];
            by_width!(s, b, |m, x| m::sub(M, x(0), x(1)))
        }
        Op::FNeg => a[0] ^ sign,
        Op::FAbs => a[0] & !sign,
        Op::FSign | Op::FSat => {
            let v = wide(s, a[0]);
            let r = match op {
                _ if v.is_nan() => 0.0,
                Op::FSat => v.clamp(0.0, 1.0) + 0.0,
                _ if v == 0.0 => 0.0,
                _ => v.signum(),
            };
            narrow(s, r)
        }
        Op::FRcp => return special(|x| 1.0 / x),
        Op::FRsqrt => return special(|x| 1.0 / x.sqrt()),
        Op::FExp2 => return special(special::wide::exp2),
        Op::FLog2 => return special(special::wide::log2),
        Op::FSin => return special(special::wide::sin),
        Op::FCos => return special(special::wide::cos),
        Op::FQuant16 => {
            if s != Scalar::F32 {
                return None;
            }
            u64::from(pack::quantize_to_f16(f32::from_bits(a[0] as u32)).to_bits())
        }
        _ => return None,
    })
}

/// One lane of an integer op on operands of kind `s`.
fn int_lane(op: Op, s: Scalar, a: &[u64]) -> Option<u64> {
    let n = u64::from(s.bits());
    let m = s.mask();
    let x = |i: usize| sext(s, a[i]);
    let off = |i: usize| a[i].min(n);
    let cnt = |i: usize, o: u64| a[i].min(n - o);
    let ones = |c: u64| if c == 0 { 0 } else { u64::MAX >> (64 - c) };
    let r = match op {
        Op::IAdd => a[0].wrapping_add(a[1]),
        Op::ISub => a[0].wrapping_sub(a[1]),
        Op::IMul => a[0].wrapping_mul(a[1]),
        Op::UMulHi => ((u128::from(a[0]) * u128::from(a[1])) >> n) as u64,
        Op::SMulHi => ((i128::from(x(0)) * i128::from(x(1))) >> n) as u64,
        Op::UMul24 => u64::from(int::umul24(a[0] as u32, a[1] as u32)),
        Op::SMul24 => int::smul24(a[0] as u32, a[1] as u32) as u64,
        Op::SDiv => match (x(0), x(1)) {
            (v, 0) => v as u64,
            (v, -1) => v.wrapping_neg() as u64,
            (v, w) => (v / w) as u64,
        },
        Op::SRem => match (x(0), x(1)) {
            (_, 0 | -1) => 0,
            (v, w) => (v % w) as u64,
        },
        Op::UDiv => a[0].checked_div(a[1]).unwrap_or(a[0]),
        Op::URem => a[0].checked_rem(a[1]).unwrap_or(0),
        Op::INeg => a[0].wrapping_neg(),
        Op::IAbs => x(0).unsigned_abs(),
        Op::SMin => x(0).min(x(1)) as u64,
        Op::SMax => x(0).max(x(1)) as u64,
        Op::UMin => a[0].min(a[1]),
        Op::UMax => a[0].max(a[1]),
        Op::And => a[0] & a[1],
        Op::Or => a[0] | a[1],
        Op::Xor => a[0] ^ a[1],
        Op::Not => !a[0],
        Op::Shl => a[0] << (a[1] % n),
        Op::UShr => a[0] >> (a[1] % n),
        Op::SShr => (x(0) >> (a[1] % n)) as u64,
        Op::FShr => {
            let both = u128::from(a[0]) << n | u128::from(a[1]);
            (both >> (a[2] % n)) as u64
        }
        Op::BitSel => a[0] & a[1] | !a[0] & a[2],
        Op::Popcount => u64::from(a[0].count_ones()),
        Op::Clz => u64::from(a[0].leading_zeros()) - (64 - n),
        Op::Ctz => u64::from(a[0].trailing_zeros()).min(n),
        Op::BitReverse => a[0].reverse_bits() >> (64 - n),
        Op::UBitExtract | Op::SBitExtract => {
            let o = off(1);
            let c = cnt(2, o);
            let v = if c == 0 { 0 } else { a[0] >> o & ones(c) };
            let negative = op == Op::SBitExtract && c > 0 && v >> (c - 1) & 1 == 1;
            if negative { v | !ones(c) } else { v }
        }
        Op::BitInsert => {
            let o = off(2);
            let c = cnt(3, o);
            if c == 0 {
                a[0]
            } else {
                let mask = ones(c) << o;
                a[0] & !mask | a[1] << o & mask
            }
        }
        Op::UDot4x8 => u64::from(int::dot4_u(a[0] as u32, a[1] as u32)),
        Op::SDot4x8 => int::dot4_s(a[0] as u32, a[1] as u32) as u64,
        _ => return None,
    };
    Some(r & m)
}

fn float_to_int(from: Scalar, to: Scalar, signed: bool, full: bool, b: u64) -> u64 {
    let v = wide(from, b);
    if v.is_nan() {
        return 0;
    }
    // The largest finite value of the float type also bounds the result unless the op says "full".
    let v = if full {
        v
    } else {
        let top = match from {
            Scalar::F16 => 65504.0,
            Scalar::F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        let int_top = if signed { (to.mask() >> 1) as f64 } else { to.mask() as f64 };
        // The greatest float of `from` that is not above the integer's maximum.
        let mut t = narrow(from, int_top.min(top));
        let above = |t: u64| {
            let w = wide(from, t);
            let max = if signed { u128::from(to.mask() >> 1) } else { u128::from(to.mask()) };
            w.is_infinite() || w as u128 > max
        };
        while above(t) {
            t -= 1;
        }
        v.min(wide(from, t)).max(-top)
    };
    let bits = if signed {
        convert::f64_to_sint(Round::Zero, v, to.bits()) as u64
    } else {
        convert::f64_to_uint(Round::Zero, v, to.bits())
    };
    bits & to.mask()
}

fn int_to_float(from: Scalar, to: Scalar, signed: bool, b: u64) -> u64 {
    let r = Round::Nearest;
    let x = sext(from, b);
    match (to, signed) {
        (Scalar::F16, true) => u64::from(convert::i64_to_f16(r, x)),
        (Scalar::F16, false) => u64::from(convert::u64_to_f16(r, b)),
        (Scalar::F32, true) => u64::from(convert::i64_to_f32(r, x).to_bits()),
        (Scalar::F32, false) => u64::from(convert::u64_to_f32(r, b).to_bits()),
        (_, true) => convert::i64_to_f64(r, x).to_bits(),
        (_, false) => convert::u64_to_f64(r, b).to_bits(),
    }
}

/// One lane of a lanewise op: operand kind, result kind, attribute, one lane of each operand. `None` if the op is not
/// lanewise or is not evaluated for these kinds.
pub fn lane(op: Op, attr: &Attr, from: Scalar, to: Scalar, a: &[u64]) -> Option<u64> {
    match op {
        Op::ICmp => match attr {
            Attr::IntCc(cc) => Some(u64::from(int_cc(*cc, from, a[0], a[1]))),
            _ => None,
        },
        Op::FCmp => match attr {
            Attr::FloatCc(cc) => Some(u64::from(float_cc(*cc, from, a[0], a[1]))),
            _ => None,
        },
        Op::Select => Some(if a[0] != 0 { a[1] } else { a[2] }),
        Op::F2F => Some(narrow(to, wide(from, a[0]))),
        Op::F2S => Some(float_to_int(from, to, true, false, a[0])),
        Op::F2U => Some(float_to_int(from, to, false, false, a[0])),
        Op::F2SFull => Some(float_to_int(from, to, true, true, a[0])),
        Op::F2UFull => Some(float_to_int(from, to, false, true, a[0])),
        Op::S2F => Some(int_to_float(from, to, true, a[0])),
        Op::U2F => Some(int_to_float(from, to, false, a[0])),
        Op::SExt => Some(sext(from, a[0]) as u64 & to.mask()),
        Op::ZExt | Op::Trunc => Some(a[0] & to.mask()),
        Op::FLdexp => {
            let e = sext(Scalar::I32, a[1]) as i32;
            Some(by_width!(from, a, |m, x| m::ldexp(M, x(0), e)))
        }
        _ if from.is_float() => float_lane(op, from, a),
        _ => int_lane(op, from, a),
    }
}

/// The lanes of a constant put into one number, lane 0 lowest.
fn flat(c: &Const) -> [u64; 4] {
    let mut out = [0_u64; 4];
    let w = c.ty.bits() as usize;
    for (i, &b) in c.bits.iter().enumerate() {
        out[i * w / 64] |= b << (i * w % 64);
    }
    out
}

fn f32s<const N: usize>(c: &Const) -> [f32; N] {
    std::array::from_fn(|i| f32::from_bits(c.bits[i] as u32))
}

fn of_f32s(v: &[f32]) -> Const {
    let bits: Vec<u64> = v.iter().map(|x| u64::from(x.to_bits())).collect();
    Const::new(Type::F32.with_lanes(v.len() as u32), &bits)
}

fn horizontal(op: Op, a: &[&Const]) -> Option<Const> {
    let word = |v: u32| Const::new(Type::I32, &[u64::from(v)]);
    let w = || a[0].bits[0] as u32;
    Some(match op {
        Op::PackUnorm4x8 => word(pack::pack4x8unorm(f32s(a[0]))),
        Op::PackSnorm4x8 => word(pack::pack4x8snorm(f32s(a[0]))),
        Op::PackUnorm2x16 => word(pack::pack2x16unorm(f32s(a[0]))),
        Op::PackSnorm2x16 => word(pack::pack2x16snorm(f32s(a[0]))),
        Op::PackHalf2x16Rtz => word(pack::pack2x16float_rtz(f32s(a[0]))),
        Op::PackHalf2x16 => word(pack::pack2x16float(f32s(a[0]))),
        Op::UnpackUnorm4x8 => of_f32s(&pack::unpack4x8unorm(w())),
        Op::UnpackSnorm4x8 => of_f32s(&pack::unpack4x8snorm(w())),
        Op::UnpackUnorm2x16 => of_f32s(&pack::unpack2x16unorm(w())),
        Op::UnpackSnorm2x16 => of_f32s(&pack::unpack2x16snorm(w())),
        Op::UnpackHalf2x16 => of_f32s(&pack::unpack2x16float(w())),
        // Where axes are alike the machine chooses the face.
        Op::CubeCoords => {
            let [first, last] = [CubeTies::FirstAxis, CubeTies::LastAxis].map(|t| pack::cube_coords(t, f32s(a[0])));
            if first[3] != last[3] {
                return None;
            }
            of_f32s(&last)
        }
        Op::FDot => {
            let s = a[0].ty.scalar();
            let mut sum = None;
            for (&x, &y) in a[0].bits.iter().zip(&a[1].bits) {
                let p = float_lane(Op::FMul, s, &[x, y])?;
                sum = Some(match sum {
                    None => p,
                    Some(t) => float_lane(Op::FAdd, s, &[t, p])?,
                });
            }
            Const::new(a[0].ty.lane(), &[sum?])
        }
        _ => return None,
    })
}

/// The result of an op on constants, if it has one that does not depend on the execution.
pub fn apply(op: Op, attr: &Attr, ty: Type, a: &[&Const]) -> Option<Const> {
    let n = ty.lanes() as usize;
    let pick = |bits: &[u64]| Some(Const::new(ty, bits));
    if op.is_lanewise() {
        let from = a[if op == Op::Select { 1 } else { 0 }].ty.scalar();
        let mut out: SmallVec<[u64; 4]> = SmallVec::new();
        for k in 0..n {
            let l: SmallVec<[u64; 4]> = a.iter().map(|c| c.bits[if c.bits.len() == 1 { 0 } else { k }]).collect();
            out.push(lane(op, attr, from, ty.scalar(), &l)?);
        }
        return pick(&out);
    }
    match op.info().sig {
        Sig::Bitcast => {
            let f = flat(a[0]);
            let w = ty.bits() as usize;
            let m = ty.scalar().mask();
            pick(&(0..n).map(|i| f[i * w / 64] >> (i * w % 64) & m).collect::<Vec<_>>())
        }
        Sig::Splat => pick(&[a[0].bits[0]]),
        Sig::Compose => pick(&a.iter().map(|c| c.bits[0]).collect::<Vec<_>>()),
        Sig::Extract => match attr {
            Attr::Lane(l) => pick(&[*a[0].bits.get(*l as usize)?]),
            _ => None,
        },
        Sig::Insert => match attr {
            Attr::Lane(l) => {
                let mut b = a[0].bits.clone();
                *b.get_mut(*l as usize)? = a[1].bits[0];
                pick(&b)
            }
            _ => None,
        },
        Sig::ExtractDyn => pick(&[a[0].bits[(a[1].bits[0] as usize).min(a[0].bits.len() - 1)]]),
        Sig::InsertDyn => {
            let mut b = a[0].bits.clone();
            let k = (a[2].bits[0] as usize).min(b.len() - 1);
            b[k] = a[1].bits[0];
            pick(&b)
        }
        Sig::Shuffle => match attr {
            Attr::Lanes(l) => {
                let get = |&k: &u8| a.get(usize::from(k / 4))?.bits.get(usize::from(k % 4)).copied();
                pick(&l.iter().map(get).collect::<Option<Vec<_>>>()?)
            }
            _ => None,
        },
        _ => horizontal(op, a),
    }
}

/// The constant that an instruction computes, if its operands are constants and its op can be folded.
pub fn fold_inst(f: &Function, i: Inst) -> Option<Const> {
    let d = &f.insts[i];
    if !d.op.is_speculatable() || d.results.len() != 1 || d.args.is_empty() {
        return None;
    }
    let args: Option<SmallVec<[&Const; 4]>> = d.args.iter().map(|&v| f.as_const(v)).collect();
    apply(d.op, &d.attr, f.ty(d.result()), &args?)
}
