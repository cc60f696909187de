//! Arithmetic, comparison, selection, bits.

use gpucc_ir::{Attr, Diagnostic, FloatCc, Inst, InstData, IntCc, Op, Value};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_valhall_machine::Op as M;

use super::{Cx, Isel, MI, U, b00, op, with};
use crate::target::SrcMods;

/// `MUX` by the bits of the mask.
const MUX_BIT: u32 = 3;

/// Values of the condition field (reference, section 4).
pub(super) mod cond {
    pub const EQ: u32 = 0;
    pub const GT: u32 = 1;
    pub const GE: u32 = 2;
    pub const NE: u32 = 3;
    pub const LT: u32 = 4;
    pub const LE: u32 = 5;
    pub const GTLT: u32 = 6;
    pub const TOTAL: u32 = 7;
}

/// The shift that computes `v`, if only this user needs it.
fn shifts<'f>(cx: &Cx<'f>, v: Value) -> Option<&'f InstData> {
    cx.fold(v).filter(|d| matches!(d.op, Op::Shl | Op::UShr | Op::SShr))
}

/// Result types: 1, all ones.
const I1: u32 = 0;
const M1: u32 = 2;

/// 0 or all ones from a word that is 0 or 1.
pub(super) fn to_bool(v: VReg) -> MI {
    with(op(M::IcmpOrU32).arg(v).imm(0).imm(0), &[("cmp", cond::NE), ("result_type", M1)])
}

/// 0 or 1 from a boolean.
pub(super) fn from_bool(u: U) -> MI {
    with(op(M::IcmpOrU32).arg(u).imm(0).imm(0), &[("cmp", cond::NE), ("result_type", I1)])
}
/// Rounding modes.
const RTP: u32 = 1;
const RTN: u32 = 2;
const RTZ: u32 = 3;

/// Condition and signedness of an integer comparison.
fn int_cond(cc: IntCc) -> (u32, bool) {
    match cc {
        IntCc::Eq => (cond::EQ, false),
        IntCc::Ne => (cond::NE, false),
        IntCc::Slt => (cond::LT, true),
        IntCc::Sle => (cond::LE, true),
        IntCc::Sgt => (cond::GT, true),
        IntCc::Sge => (cond::GE, true),
        IntCc::Ult => (cond::LT, false),
        IntCc::Ule => (cond::LE, false),
        IntCc::Ugt => (cond::GT, false),
        IntCc::Uge => (cond::GE, false),
    }
}

/// Condition of a float comparison, and whether the result is its opposite (unordered forms but `une`).
fn float_cond(cc: FloatCc) -> (u32, bool) {
    match cc {
        FloatCc::Oeq => (cond::EQ, false),
        FloatCc::Une => (cond::NE, false),
        FloatCc::Olt => (cond::LT, false),
        FloatCc::Ole => (cond::LE, false),
        FloatCc::Ogt => (cond::GT, false),
        FloatCc::Oge => (cond::GE, false),
        FloatCc::One => (cond::GTLT, false),
        FloatCc::Ord => (cond::TOTAL, false),
        FloatCc::Ueq => (cond::GTLT, true),
        FloatCc::Ult => (cond::GE, true),
        FloatCc::Ule => (cond::GT, true),
        FloatCc::Ugt => (cond::LE, true),
        FloatCc::Uge => (cond::LT, true),
        FloatCc::Uno => (cond::TOTAL, true),
    }
}

impl Isel<'_> {
    /// Shift and logic in one: `(a shifted by s) op b`.
    fn logic(m: M, a: U, s: U, b: U) -> MI {
        op(m).arg(a).arg(b00(s)).arg(b)
    }

    pub(super) fn alu(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let out = cx.result(i, 0);
        let zero = || Use::imm(0);
        let minus_zero = || Use::imm(0).mods(SrcMods { neg: true, ..SrcMods::default() });
        let inst: MI = match d.op {
            Op::FAdd | Op::FSub => {
                let (x, mut y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                y.mods.neg ^= d.op == Op::FSub;
                op(M::FaddF32).arg(x).arg(y)
            }
            Op::FMul => {
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                op(M::FmaF32).arg(x).arg(y).arg(minus_zero())
            }
            Op::Fma => {
                let (x, y, z) = (self.float(cx, a(0)), self.float(cx, a(1)), self.float(cx, a(2)));
                op(M::FmaF32).arg(x).arg(y).arg(z)
            }
            Op::FNeg | Op::FAbs => {
                let mut x = self.float(cx, a(0));
                if d.op == Op::FNeg {
                    x.mods.neg = !x.mods.neg;
                } else {
                    x.mods = SrcMods { abs: true, neg: false, ..x.mods };
                }
                op(M::FaddF32).arg(x).arg(minus_zero())
            }
            Op::FSat => {
                let x = self.float(cx, a(0));
                with(op(M::FaddF32).arg(x).arg(minus_zero()), &[("clamp", 3)])
            }
            Op::FMin | Op::FMax => {
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                op(if d.op == Op::FMin { M::FminF32 } else { M::FmaxF32 }).arg(x).arg(y)
            }
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven => {
                let round = match d.op {
                    Op::FFloor => RTN,
                    Op::FCeil => RTP,
                    Op::FTrunc => RTZ,
                    _ => 0,
                };
                let x = self.float(cx, a(0));
                with(op(M::FroundF32).arg(x), &[("round", round)])
            }
            Op::FRcp | Op::FRsqrt => {
                let x = self.float(cx, a(0));
                op(if d.op == Op::FRcp { M::FrcpF32 } else { M::FrsqF32 }).arg(x)
            }
            Op::FLdexp => {
                let (x, n) = (self.float(cx, a(0)), self.int(cx, a(1)));
                op(M::LdexpF32).arg(x).arg(n)
            }
            Op::FDiv | Op::FSqrt | Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos | Op::FQuant16 => self.math(cx, i),
            Op::PackHalf2x16 => {
                let v = self.lanes(cx, a(0));
                op(M::V2f32ToV2f16).arg(v[0]).arg(v[1])
            }
            Op::UnpackHalf2x16 => {
                let x = self.int(cx, a(0));
                for (k, &r) in out.iter().enumerate() {
                    let src = x.mods(SrcMods::swizzled(k as u8));
                    self.push(cx, op(M::F16ToF32).def(r).arg(src));
                }
                return Ok(());
            }
            Op::F2SFull | Op::F2UFull => {
                let x = self.float(cx, a(0));
                with(op(if d.op == Op::F2SFull { M::F32ToS32 } else { M::F32ToU32 }).arg(x), &[("round", RTZ)])
            }
            Op::S2F | Op::U2F => {
                let x = self.int(cx, a(0));
                op(if d.op == Op::S2F { M::S32ToF32 } else { M::U32ToF32 }).arg(x)
            }
            Op::IAdd | Op::ISub | Op::IMul => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                op(match d.op {
                    Op::IAdd => M::IaddU32,
                    Op::ISub => M::IsubU32,
                    _ => M::ImulI32,
                })
                .arg(x)
                .arg(y)
            }
            Op::INeg => {
                let x = self.int(cx, a(0));
                op(M::IsubU32).imm(0).arg(x)
            }
            Op::IAbs => {
                let x = self.int(cx, a(0));
                op(M::IabsS32).arg(x)
            }
            Op::UMulHi => {
                let (x, y) = (self.pair_low(cx, a(0)), self.pair_low(cx, a(1)));
                let pair = cx.temp(crate::target::R2);
                self.push(cx, op(M::ImuldU64).def(pair).arg(x).arg(y));
                let low = cx.temp(crate::target::R);
                cx.emit(MInst::split(&[low, out[0]], pair));
                return Ok(());
            }
            Op::SMin | Op::SMax | Op::UMin | Op::UMax => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                let (m, c) = match d.op {
                    Op::SMin => (M::CselS32, cond::LT),
                    Op::SMax => (M::CselS32, cond::GT),
                    Op::UMin => (M::CselU32, cond::LT),
                    _ => (M::CselU32, cond::GT),
                };
                with(op(m).arg(x).arg(y).arg(x).arg(y), &[("cmp", c)])
            }
            Op::And | Op::Or | Op::Xor => {
                // A shift of the first operand is free.
                let (m, left, right) = match d.op {
                    Op::And => (M::LshiftAndI32, M::LshiftAndI32, M::RshiftAndI32),
                    Op::Or => (M::LshiftOrI32, M::LshiftOrI32, M::RshiftOrI32),
                    _ => (M::LshiftXorI32, M::LshiftXorI32, M::RshiftXorI32),
                };
                let (mut x, mut y) = (a(0), a(1));
                if shifts(cx, x).is_none() && shifts(cx, y).is_some() {
                    std::mem::swap(&mut x, &mut y);
                }
                if let Some(s) = shifts(cx, x) {
                    let (v, n, b) = (self.int(cx, s.args[0]), self.amount(cx, s.args[1]), self.inverted(cx, y));
                    let shifted = Self::logic(if s.op == Op::Shl { left } else { right }, v, n, b);
                    if s.op == Op::SShr { with(shifted, &[("signed", 1)]) } else { shifted }
                } else {
                    if self.is_not(cx, x) {
                        std::mem::swap(&mut x, &mut y);
                    }
                    let (v, b) = (self.int(cx, x), self.inverted(cx, y));
                    Self::logic(m, v, zero(), b)
                }
            }
            Op::Not => {
                let x = self.int(cx, a(0));
                if cx.f.ty(a(0)).is_bool() {
                    with(op(M::IcmpOrU32).arg(x).imm(0).imm(0), &[("cmp", cond::EQ), ("result_type", M1)])
                } else {
                    let not = SrcMods { not: true, ..SrcMods::default() };
                    Self::logic(M::LshiftOrI32, zero(), zero(), x.mods(not))
                }
            }
            Op::Shl | Op::UShr | Op::SShr => {
                let (x, n) = (self.int(cx, a(0)), self.amount(cx, a(1)));
                let m = if d.op == Op::Shl { M::LshiftOrI32 } else { M::RshiftOrI32 };
                let s = Self::logic(m, x, n, zero());
                if d.op == Op::SShr { with(s, &[("signed", 1)]) } else { s }
            }
            Op::BitSel => {
                let (m, x, y) = (self.int(cx, a(0)), self.int(cx, a(1)), self.int(cx, a(2)));
                with(op(M::MuxI32).arg(x).arg(y).arg(m), &[("mux", MUX_BIT)])
            }
            Op::Popcount | Op::Clz | Op::BitReverse => {
                let x = self.int(cx, a(0));
                op(match d.op {
                    Op::Popcount => M::PopcountI32,
                    Op::Clz => M::ClzU32,
                    _ => M::BitrevI32,
                })
                .arg(x)
            }
            Op::UDot4x8 | Op::SDot4x8 => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                op(if d.op == Op::UDot4x8 { M::IdpV4u8 } else { M::IdpV4s8 }).arg(x).arg(y).imm(0)
            }
            Op::ICmp => {
                let Attr::IntCc(cc) = d.attr else { return Err(cx.unknown(i)) };
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                let (c, signed) = int_cond(cc);
                let m = if signed { M::IcmpOrS32 } else { M::IcmpOrU32 };
                with(op(m).arg(x).arg(y).imm(0), &[("cmp", c), ("result_type", M1)])
            }
            Op::FCmp => {
                let Attr::FloatCc(cc) = d.attr else { return Err(cx.unknown(i)) };
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                let (c, opposite) = float_cond(cc);
                let cmp = with(op(M::FcmpOrF32).arg(x).arg(y).imm(0), &[("cmp", c), ("result_type", M1)]);
                if opposite {
                    let r = self.make(cx, cmp);
                    with(op(M::IcmpOrU32).arg(r).imm(0).imm(0), &[("cmp", cond::EQ), ("result_type", M1)])
                } else {
                    cmp
                }
            }
            Op::Select => self.select(cx, a(0), a(1), a(2)),
            // Bits above those of a narrow lane may be anything, but a load leaves zeros.
            Op::ZExt if cx.f.def_op(a(0), Op::Load).is_none() => {
                let ones = self.word(cx, cx.f.ty(a(0)).scalar().mask() as u32);
                let x = self.int(cx, a(0));
                Self::logic(M::LshiftAndI32, x, zero(), ones)
            }
            Op::Bitcast | Op::ZExt | Op::Trunc if out.len() == 1 => {
                let x = self.int(cx, a(0));
                op(M::MovI32).arg(x)
            }
            Op::Bitcast => {
                let from = cx.regs(a(0));
                for (&r, s) in out.iter().zip(from) {
                    cx.emit(MInst::copy(r, s));
                }
                return Ok(());
            }
            Op::Extract => {
                let Attr::Lane(k) = d.attr else { return Err(cx.unknown(i)) };
                let v = cx.regs(a(0));
                cx.emit(MInst::copy(out[0], v[k as usize]));
                return Ok(());
            }
            Op::Shuffle | Op::Insert => {
                let from = d.moved_lanes(out.len() as u32).ok_or_else(|| cx.unknown(i))?;
                for (&r, (v, k)) in out.iter().zip(from) {
                    let x = if cx.f.ty(v).is_vector() { Use::reg(cx.regs(v)[k]) } else { self.int(cx, v) };
                    cx.emit(MInst::copy(r, x));
                }
                return Ok(());
            }
            Op::Compose | Op::Splat => {
                for (k, &r) in out.iter().enumerate() {
                    let x = self.int(cx, a(if d.op == Op::Splat { 0 } else { k }));
                    cx.emit(MInst::copy(r, x));
                }
                return Ok(());
            }
            _ => return Err(cx.unknown(i)),
        };
        self.push(cx, inst.def(out[0]));
        Ok(())
    }

    /// The low word of a pair operand: any register, extended.
    fn pair_low(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        // A uniform word would have to be a whole slot: 64-bit operands take registers here.
        let u = self.int(cx, v);
        self.even(cx, u)
    }

    /// A shift amount: constants are reduced to what the table of immediates has as a byte.
    fn amount(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        match self.constant_bits(cx, v) {
            Some(n) => {
                let n = n & 31;
                // Words 0x03020100, 0x07060504, ... hold all amounts as bytes.
                let word = (n & !3) * 0x0101_0101 + 0x0302_0100;
                Use::imm(word).mods(SrcMods::swizzled(4 + (n & 3) as u8))
            }
            None => self.int(cx, v),
        }
    }

    fn is_not(&self, cx: &Cx<'_>, v: Value) -> bool {
        cx.fold_op(v, Op::Not).is_some_and(|d| !cx.f.ty(d.args[0]).is_bool())
    }

    /// The third operand of shift and logic, complemented for free.
    fn inverted(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        if self.is_not(cx, v)
            && let Some(d) = cx.fold_op(v, Op::Not)
        {
            return self.int(cx, d.args[0]).mods(SrcMods { not: true, ..SrcMods::default() });
        }
        self.int(cx, v)
    }

    fn select(&mut self, cx: &mut Cx<'_>, c: Value, t: Value, e: Value) -> MI {
        let (mut t, mut e) = (t, e);
        if let Some(d) = cx.peek(c) {
            match d.attr {
                Attr::IntCc(cc) if !cx.f.ty(d.args[0]).is_bool() => {
                    let (k, signed) = int_cond(cc);
                    let (x, y) = (self.int(cx, d.args[0]), self.int(cx, d.args[1]));
                    let (a, b) = (self.int(cx, t), self.int(cx, e));
                    let m = if signed { M::CselS32 } else { M::CselU32 };
                    return with(op(m).arg(x).arg(y).arg(a).arg(b), &[("cmp", k)]);
                }
                Attr::FloatCc(cc) if self.plain_float(cx, d.args[0]) && self.plain_float(cx, d.args[1]) => {
                    let (k, opposite) = float_cond(cc);
                    if opposite {
                        std::mem::swap(&mut t, &mut e);
                    }
                    let (x, y) = (self.plain(cx, d.args[0]), self.plain(cx, d.args[1]));
                    let (a, b) = (self.int(cx, t), self.int(cx, e));
                    return with(op(M::CselF32).arg(x).arg(y).arg(a).arg(b), &[("cmp", k)]);
                }
                _ => {}
            }
        }
        let c = self.int(cx, c);
        let (a, b) = (self.int(cx, t), self.int(cx, e));
        with(op(M::CselU32).arg(c).imm(0).arg(a).arg(b), &[("cmp", cond::NE)])
    }

    /// Whether a float operand needs no source modifier.
    fn plain_float(&self, cx: &Cx<'_>, v: Value) -> bool {
        !cx.fold(v).is_some_and(|d| matches!(d.op, Op::FNeg | Op::FAbs))
    }

    /// Operands for the lanes of a vector.
    pub(crate) fn lanes(&mut self, cx: &mut Cx<'_>, v: Value) -> Vec<U> {
        if let Some(d) = cx.fold_op(v, Op::Compose) {
            return d.args.iter().map(|&x| self.float(cx, x)).collect();
        }
        if let Some(d) = cx.fold_op(v, Op::Splat) {
            return vec![self.float(cx, d.args[0]); cx.f.ty(v).lanes() as usize];
        }
        if let Some(c) = cx.f.as_const(v).cloned() {
            return c.bits.iter().map(|&b| self.word(cx, b as u32)).collect();
        }
        cx.regs(v).into_iter().map(Use::reg).collect()
    }
}
