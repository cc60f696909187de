//! Arithmetic, comparison, selection, bits.

use gpucc_ir::{Attr, Diagnostic, FloatCc, FpFlags, Inst, InstData, IntCc, Op, Value};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_valhall_machine::{Clamp, Condition, Mux, ResultType, Round};

use super::math::minus_zero;
use super::{Isel, IselCx, MI, U, b00};
use crate::builders::{self as build, Builder};
use crate::inst::{By, If, Mods, Rounding, Says, Signed, SrcMods, Within};

/// The modifiers of shifts to the right.
const SIGNED: u64 = Mods::bit("signed");

/// The shift that computes `v`, if only this user needs it.
fn shifts<'f>(cx: &IselCx<'f>, v: Value) -> Option<&'f InstData> {
    cx.fold(v).filter(|d| matches!(d.op, Op::Shl | Op::UShr | Op::SShr))
}

/// Sign and exponent of a power of two that is a normal number.
fn power_of_two(bits: u32) -> Option<(bool, i32)> {
    let exponent = bits >> 23 & 0xff;
    (bits << 9 == 0 && (1..255).contains(&exponent)).then(|| (bits >> 31 == 1, exponent.cast_signed() - 127))
}

/// 0 or all ones from a word that is 0 or 1.
pub(super) fn to_bool(v: VReg) -> MI {
    compare(build::IcmpOrU32, Condition::Ne, v.into(), Use::imm(0))
}

/// 0 or 1 from a boolean.
pub(super) fn from_bool(u: U) -> MI {
    build::IcmpOrU32.with((If(Condition::Ne), Says(ResultType::I1)), [u, Use::imm(0), Use::imm(0)])
}

/// A comparison that says all ones.
fn compare<const NEEDS: u64, const TAKES: u64>(op: Builder<3, NEEDS, TAKES>, cond: Condition, x: U, y: U) -> MI {
    op.with((If(cond), Says(ResultType::M1)), [x, y, Use::imm(0)])
}

/// The opposite of a boolean.
fn opposite(u: U) -> MI {
    compare(build::IcmpOrU32, Condition::Eq, u, Use::imm(0))
}

/// Condition and signedness of an integer comparison.
fn int_cond(cc: IntCc) -> (Condition, bool) {
    match cc {
        IntCc::Eq => (Condition::Eq, false),
        IntCc::Ne => (Condition::Ne, false),
        IntCc::Slt => (Condition::Lt, true),
        IntCc::Sle => (Condition::Le, true),
        IntCc::Sgt => (Condition::Gt, true),
        IntCc::Sge => (Condition::Ge, true),
        IntCc::Ult => (Condition::Lt, false),
        IntCc::Ule => (Condition::Le, false),
        IntCc::Ugt => (Condition::Gt, false),
        IntCc::Uge => (Condition::Ge, false),
    }
}

/// Condition of a float comparison, and whether the result is its opposite (unordered forms but `une`).
pub(super) fn float_cond(cc: FloatCc) -> (Condition, bool) {
    match cc {
        FloatCc::Oeq => (Condition::Eq, false),
        FloatCc::Une => (Condition::Ne, false),
        FloatCc::Olt => (Condition::Lt, false),
        FloatCc::Ole => (Condition::Le, false),
        FloatCc::Ogt => (Condition::Gt, false),
        FloatCc::Oge => (Condition::Ge, false),
        FloatCc::One => (Condition::Gtlt, false),
        FloatCc::Ord => (Condition::Total, false),
        FloatCc::Ueq => (Condition::Gtlt, true),
        FloatCc::Ult => (Condition::Ge, true),
        FloatCc::Ule => (Condition::Gt, true),
        FloatCc::Ugt => (Condition::Le, true),
        FloatCc::Uge => (Condition::Lt, true),
        FloatCc::Uno => (Condition::Total, true),
    }
}

impl Isel<'_> {
    /// Shift to the left and logic in one: `(a shifted by s) op b`.
    pub(super) fn left(op: Builder<3, 0, 0>, a: U, s: U, b: U) -> MI {
        op.on([a, b00(s), b])
    }

    /// Shift to the right and logic in one.
    pub(super) fn right(op: Builder<3, 0, SIGNED>, signed: bool, a: U, s: U, b: U) -> MI {
        op.with((Signed(signed),), [a, b00(s), b])
    }

    /// Floats, and conversions from and to them; the rest is of integers.
    pub(super) fn alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let out = cx.result(i, 0);
        let inst: MI = match d.op {
            Op::CubeCoords => return self.cube_coords(cx, i),
            Op::FAdd | Op::FSub | Op::FMul | Op::Fma => self.sum(cx, d),
            Op::FNeg | Op::FAbs => {
                let mut x = self.float(cx, a(0));
                if d.op == Op::FNeg {
                    x.mods.neg = !x.mods.neg;
                } else {
                    x.mods = SrcMods { abs: true, neg: false, ..x.mods };
                }
                build::FaddF32.on([x, minus_zero()])
            }
            Op::FSat => self.saturated(cx, a(0)),
            Op::FMin | Op::FMax => match self.limited(cx, d) {
                Some(inst) => inst,
                None => {
                    let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                    if d.op == Op::FMin { build::FminF32.on([x, y]) } else { build::FmaxF32.on([x, y]) }
                }
            },
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven => {
                let round = match d.op {
                    Op::FFloor => Round::Down,
                    Op::FCeil => Round::Up,
                    Op::FTrunc => Round::Zero,
                    _ => Round::NearestEven,
                };
                let x = self.float(cx, a(0));
                build::FroundF32.with((Rounding(round),), [x])
            }
            Op::FRcp | Op::FRsqrt => {
                let x = self.float(cx, a(0));
                if d.op == Op::FRcp { build::FrcpF32.on([x]) } else { build::FrsqF32.on([x]) }
            }
            Op::FLdexp => {
                let (x, n) = (self.float(cx, a(0)), self.int(cx, a(1)));
                build::LdexpF32.on([x, n])
            }
            Op::FDiv | Op::FSqrt | Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos | Op::FQuant16 => self.math(cx, i),
            Op::PackHalf2x16 => {
                let v = self.lanes(cx, a(0));
                build::V2f32ToV2f16.on([v[0], v[1]])
            }
            Op::UnpackHalf2x16 => {
                let x = self.int(cx, a(0));
                for (k, &r) in out.iter().enumerate() {
                    let src = x.mods(SrcMods::swizzled(k as u8));
                    self.push(cx, build::F16ToF32.on([src]).def(r));
                }
                return Ok(());
            }
            Op::F2SFull | Op::F2UFull => {
                let x = self.float(cx, a(0));
                let op = if d.op == Op::F2SFull { build::F32ToS32 } else { build::F32ToU32 };
                op.with((Rounding(Round::Zero),), [x])
            }
            Op::U2F if self.is_pixel(cx, a(0)).is_some() => {
                let row = self.is_pixel(cx, a(0)) == Some(1);
                build::U16ToF32.on([self.half_of_pixel(cx, row)])
            }
            Op::S2F | Op::U2F => {
                let x = self.int(cx, a(0));
                if d.op == Op::S2F { build::S32ToF32.on([x]) } else { build::U32ToF32.on([x]) }
            }
            _ => return self.integer(cx, i),
        };
        self.push(cx, inst.def(out[0]));
        Ok(())
    }

    /// A sum, a product, or both, times a power of two where that is the product.
    fn sum(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> MI {
        if let Some(m) = self.scaled_sum(cx, d) {
            return m;
        }
        let (x, mut y) = (self.float(cx, d.args[0]), self.float(cx, d.args[1]));
        match d.op {
            Op::FMul => build::FmaF32.on([x, y, minus_zero()]),
            Op::Fma => {
                let z = self.float(cx, d.args[2]);
                build::FmaF32.on([x, y, z])
            }
            _ => {
                y.mods.neg ^= d.op == Op::FSub;
                build::FaddF32.on([x, y])
            }
        }
    }

    /// A power of two times a sum or a product that nothing else reads: one instruction scales what it has made, before it rounds.
    fn scaled_sum(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        if d.op != Op::FMul || !d.fp.has(FpFlags::CONTRACT) {
            return None;
        }
        let power = |k: Value| power_of_two(self.constant_bits(cx, k)?);
        let (v, (negative, exponent)) =
            [(d.args[0], d.args[1]), (d.args[1], d.args[0])].into_iter().find_map(|(v, k)| Some((v, power(k)?)))?;
        let sum = cx.fold(v).filter(|s| s.fp.has(FpFlags::CONTRACT))?;
        let mut sources = match sum.op {
            Op::FMul => [self.float(cx, sum.args[0]), self.float(cx, sum.args[1]), minus_zero()],
            Op::Fma => [0, 1, 2].map(|k| self.float(cx, sum.args[k])),
            Op::FAdd | Op::FSub => {
                let mut y = self.float(cx, sum.args[1]);
                y.mods.neg ^= sum.op == Op::FSub;
                [self.float(cx, sum.args[0]), Use::imm(1f32.to_bits()), y]
            }
            _ => return None,
        };
        if negative {
            sources[0].mods.neg ^= true;
            sources[2].mods.neg ^= true;
        }
        let [x, y, z] = sources;
        let exponent = self.word(cx, exponent.cast_unsigned());
        Some(build::FmaRscaleF32.on([x, y, z, exponent]))
    }

    /// The sum, product or quotient that makes `v`, with its result clamped, if nothing else reads it.
    fn clamped(&mut self, cx: &mut IselCx<'_>, v: Value, clamp: Clamp) -> Option<MI> {
        let d = cx.fold(v)?;
        let mut inst = match d.op {
            Op::FAdd | Op::FSub | Op::FMul | Op::Fma => self.sum(cx, d),
            // A reciprocal has no clamp.
            Op::FDiv if self.constant_bits(cx, d.args[0]) != Some(1f32.to_bits()) => self.math(cx, cx.f.def_inst(v)?),
            _ => return None,
        };
        inst.mods.clamp = clamp;
        Some(inst)
    }

    /// A value brought into 0..1.
    fn saturated(&mut self, cx: &mut IselCx<'_>, v: Value) -> MI {
        self.clamped(cx, v, Clamp::ZeroOne).unwrap_or_else(|| {
            let x = self.float(cx, v);
            build::FaddF32.with((Within(Clamp::ZeroOne),), [x, minus_zero()])
        })
    }

    /// The operand beside a constant.
    fn beside(&self, cx: &IselCx<'_>, d: &InstData, bits: u32) -> Option<Value> {
        let is = |v: Value| self.constant_bits(cx, v) == Some(bits);
        match (is(d.args[0]), is(d.args[1])) {
            (false, true) => Some(d.args[0]),
            (true, false) => Some(d.args[1]),
            _ => None,
        }
    }

    /// A maximum with zero, and a minimum of such a one and one, as the clamp of what makes the operand: both take 0 for NaN.
    fn limited(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        if d.op == Op::FMax {
            let x = self.beside(cx, d, 0)?;
            return self.clamped(cx, x, Clamp::ZeroInf);
        }
        let most = self.beside(cx, d, 1f32.to_bits())?;
        let inner = cx.fold_op(most, Op::FMax)?;
        let x = self.beside(cx, inner, 0)?;
        Some(self.saturated(cx, x))
    }

    /// Integers, comparisons, choices, and what moves lanes.
    fn integer(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let out = cx.result(i, 0);
        let zero = || Use::imm(0);
        let inst: MI = match d.op {
            Op::IAdd | Op::ISub | Op::IMul => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                match d.op {
                    Op::IAdd => build::IaddU32.on([x, y]),
                    Op::ISub => build::IsubU32.on([x, y]),
                    _ => build::ImulI32.on([x, y]),
                }
            }
            Op::INeg => {
                let x = self.int(cx, a(0));
                build::IsubU32.on([Use::imm(0), x])
            }
            Op::IAbs => {
                let x = self.int(cx, a(0));
                build::IabsS32.on([x])
            }
            Op::UMulHi => {
                let (x, y) = (self.pair_low(cx, a(0)), self.pair_low(cx, a(1)));
                let pair = cx.temp(crate::inst::R2);
                self.push(cx, build::ImuldU64.on([x, y]).def(pair));
                let low = cx.temp(crate::inst::R);
                cx.emit(MInst::split(&[low, out[0]], pair));
                return Ok(());
            }
            Op::SMin | Op::SMax | Op::UMin | Op::UMax => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                let (op, c) = match d.op {
                    Op::SMin => (build::CselS32, Condition::Lt),
                    Op::SMax => (build::CselS32, Condition::Gt),
                    Op::UMin => (build::CselU32, Condition::Lt),
                    _ => (build::CselU32, Condition::Gt),
                };
                op.with((If(c),), [x, y, x, y])
            }
            Op::And | Op::Or | Op::Xor => self.logic(cx, d),
            Op::Not => {
                let x = self.int(cx, a(0));
                if cx.f.ty(a(0)).is_bool() {
                    opposite(x)
                } else {
                    let not = SrcMods { not: true, ..SrcMods::default() };
                    Self::left(build::LshiftOrI32, zero(), zero(), x.mods(not))
                }
            }
            Op::Shl | Op::UShr | Op::SShr => match self.shifted_field(cx, d) {
                Some(inst) => inst,
                None => {
                    let (x, n) = (self.int(cx, a(0)), self.amount(cx, a(1)));
                    match d.op {
                        Op::Shl => Self::left(build::LshiftOrI32, x, n, zero()),
                        _ => Self::right(build::RshiftOrI32, d.op == Op::SShr, x, n, zero()),
                    }
                }
            },
            Op::BitSel => {
                let (m, x, y) = (self.int(cx, a(0)), self.int(cx, a(1)), self.int(cx, a(2)));
                build::MuxI32.with((By(Mux::Bit),), [x, y, m])
            }
            Op::Popcount | Op::Clz | Op::BitReverse => {
                let x = self.int(cx, a(0));
                match d.op {
                    Op::Popcount => build::PopcountI32.on([x]),
                    Op::Clz => build::ClzU32.on([x]),
                    _ => build::BitrevI32.on([x]),
                }
            }
            Op::UDot4x8 | Op::SDot4x8 => {
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                let op = if d.op == Op::UDot4x8 { build::IdpV4u8 } else { build::IdpV4s8 };
                op.on([x, y, Use::imm(0)])
            }
            Op::ICmp => {
                let Attr::IntCc(cc) = d.attr else { return Err(cx.unknown(i)) };
                let (x, y) = (self.int(cx, a(0)), self.int(cx, a(1)));
                let (c, signed) = int_cond(cc);
                compare(if signed { build::IcmpOrS32 } else { build::IcmpOrU32 }, c, x, y)
            }
            Op::FCmp => {
                let Attr::FloatCc(cc) = d.attr else { return Err(cx.unknown(i)) };
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                let (c, inverse) = float_cond(cc);
                let cmp = compare(build::FcmpOrF32, c, x, y);
                if inverse { opposite(self.make(cx, cmp).into()) } else { cmp }
            }
            Op::Select => self.select(cx, a(0), a(1), a(2)),
            // Bits above those of a narrow lane may be anything, but a load leaves zeros.
            Op::ZExt if cx.f.def_op(a(0), Op::Load).is_none() => {
                let ones = self.word(cx, cx.f.ty(a(0)).scalar().mask() as u32);
                let x = self.int(cx, a(0));
                Self::left(build::LshiftAndI32, x, zero(), ones)
            }
            Op::Bitcast | Op::ZExt | Op::Trunc if out.len() == 1 => {
                let x = self.int(cx, a(0));
                build::MovI32.on([x])
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

    /// A boolean that holds where a comparison and another boolean do, or one of both: the comparison takes in the other one.
    fn joined(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        let and = match d.op {
            _ if !cx.f.ty(d.args[0]).is_bool() => return None,
            Op::And => true,
            Op::Or => false,
            _ => return None,
        };
        let says = |c: Condition| (If(c), Says(ResultType::M1));
        for (v, other) in [(d.args[0], d.args[1]), (d.args[1], d.args[0])] {
            let Some(cmp) = cx.fold(v) else { continue };
            let (x, y) = match cmp.op {
                Op::ICmp | Op::FCmp => (cmp.args[0], cmp.args[1]),
                _ => continue,
            };
            // Two registers would live up to here for one boolean.
            if cx.f.as_const(x).is_none() && cx.f.as_const(y).is_none() {
                continue;
            }
            match cmp.attr {
                Attr::FloatCc(cc) => {
                    let (c, inverse) = float_cond(cc);
                    if inverse {
                        continue;
                    }
                    let list = [self.float(cx, x), self.float(cx, y), self.int(cx, other)];
                    return Some(match and {
                        true => build::FcmpAndF32.with(says(c), list),
                        false => build::FcmpOrF32.with(says(c), list),
                    });
                }
                Attr::IntCc(cc) => {
                    let (c, signed) = int_cond(cc);
                    let list = [self.int(cx, x), self.int(cx, y), self.int(cx, other)];
                    return Some(match (and, signed) {
                        (true, true) => build::IcmpAndS32.with(says(c), list),
                        (true, false) => build::IcmpAndU32.with(says(c), list),
                        (false, true) => build::IcmpOrS32.with(says(c), list),
                        (false, false) => build::IcmpOrU32.with(says(c), list),
                    });
                }
                _ => {}
            }
        }
        None
    }

    fn logic(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> MI {
        if let Some(inst) = self.joined(cx, d) {
            return inst;
        }
        // A shift of the first operand is free.
        let (left, right) = match d.op {
            Op::And => (build::LshiftAndI32, build::RshiftAndI32),
            Op::Or => (build::LshiftOrI32, build::RshiftOrI32),
            _ => (build::LshiftXorI32, build::RshiftXorI32),
        };
        let (mut x, mut y) = (d.args[0], d.args[1]);
        if shifts(cx, x).is_none() && shifts(cx, y).is_some() {
            std::mem::swap(&mut x, &mut y);
        }
        if let Some(s) = shifts(cx, x) {
            let (v, n, b) = (self.int(cx, s.args[0]), self.amount(cx, s.args[1]), self.inverted(cx, y));
            match s.op {
                Op::Shl => Self::left(left, v, n, b),
                _ => Self::right(right, s.op == Op::SShr, v, n, b),
            }
        } else {
            if self.is_not(cx, x) {
                std::mem::swap(&mut x, &mut y);
            }
            let (v, b) = (self.int(cx, x), self.inverted(cx, y));
            Self::left(left, v, Use::imm(0), b)
        }
    }

    /// A shift of bits that a mask or another shift leaves, if nothing else reads them: one shift and a mask behind it.
    fn shifted_field(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        let n = self.constant_bits(cx, d.args[1])? & 31;
        let inner = cx.fold(d.args[0])?;
        let k = self.constant_bits(cx, *inner.args.get(1)?)?;
        let moved = |mask: u32| if d.op == Op::Shl { mask << n } else { mask >> n };
        // To the left by so many places, and what is left of all ones.
        let shift = |op: Op, k: u32| match op {
            Op::Shl => Some((k as i32 & 31, u32::MAX << (k & 31))),
            Op::UShr => Some((-(k as i32 & 31), u32::MAX >> (k & 31))),
            _ => None,
        };
        let (outer, _) = shift(d.op, n)?;
        let (x, by, mask) = match inner.op {
            Op::And => {
                // The bits may be those of a shift themselves.
                let first = cx.fold(inner.args[0]).and_then(|s| {
                    let (by, mask) = shift(s.op, self.constant_bits(cx, *s.args.get(1)?)?)?;
                    Some((s.args[0], by, mask))
                });
                let (x, by, mask) = first.unwrap_or((inner.args[0], 0, u32::MAX));
                (x, outer + by, moved(k & mask))
            }
            _ => {
                let (by, mask) = shift(inner.op, k)?;
                (inner.args[0], outer + by, moved(mask))
            }
        };
        let (x, mask, amount) = (self.int(cx, x), self.word(cx, mask), Self::known_amount(by.unsigned_abs() & 31));
        Some(match by < 0 {
            false => Self::left(build::LshiftAndI32, x, amount, mask),
            true => Self::right(build::RshiftAndI32, false, x, amount, mask),
        })
    }

    /// The low word of a pair operand: any register, extended.
    fn pair_low(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        // A uniform word would have to be a whole slot: 64-bit operands take registers here.
        let u = self.int(cx, v);
        self.even(cx, u)
    }

    /// A shift amount: constants are reduced to what the table of immediates has as a byte.
    fn amount(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        match self.constant_bits(cx, v) {
            Some(n) => Self::known_amount(n & 31),
            None => self.int(cx, v),
        }
    }

    /// A shift amount below 32.
    fn known_amount(n: u32) -> U {
        // Words 0x03020100, 0x07060504, ... hold all amounts as bytes.
        let word = (n & !3) * 0x0101_0101 + 0x0302_0100;
        Use::imm(word).mods(SrcMods::swizzled(4 + (n & 3) as u8))
    }

    fn is_not(&self, cx: &IselCx<'_>, v: Value) -> bool {
        cx.fold_op(v, Op::Not).is_some_and(|d| !cx.f.ty(d.args[0]).is_bool())
    }

    /// The third operand of shift and logic, complemented for free.
    fn inverted(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if self.is_not(cx, v)
            && let Some(d) = cx.fold_op(v, Op::Not)
        {
            return self.int(cx, d.args[0]).mods(SrcMods { not: true, ..SrcMods::default() });
        }
        self.int(cx, v)
    }

    fn select(&mut self, cx: &mut IselCx<'_>, c: Value, t: Value, e: Value) -> MI {
        let (mut t, mut e) = (t, e);
        if let Some(inst) = self.number(cx, c, t, e) {
            return inst;
        }
        if let Some(d) = cx.peek(c) {
            match d.attr {
                Attr::IntCc(cc) if !cx.f.ty(d.args[0]).is_bool() => {
                    let (k, signed) = int_cond(cc);
                    let (x, y) = (self.int(cx, d.args[0]), self.int(cx, d.args[1]));
                    let (a, b) = (self.int(cx, t), self.int(cx, e));
                    let op = if signed { build::CselS32 } else { build::CselU32 };
                    return op.with((If(k),), [x, y, a, b]);
                }
                Attr::FloatCc(cc) if self.plain_float(cx, d.args[0]) && self.plain_float(cx, d.args[1]) => {
                    let (k, opposite) = float_cond(cc);
                    if opposite {
                        std::mem::swap(&mut t, &mut e);
                    }
                    let (x, y) = (self.plain(cx, d.args[0]), self.plain(cx, d.args[1]));
                    let (a, b) = (self.int(cx, t), self.int(cx, e));
                    return build::CselF32.with((If(k),), [x, y, a, b]);
                }
                _ => {}
            }
        }
        let c = self.int(cx, c);
        let (a, b) = (self.int(cx, t), self.int(cx, e));
        build::CselU32.with((If(Condition::Ne),), [c, Use::imm(0), a, b])
    }

    /// A choice between one and zero by a comparison that can say one itself: fewer words than a choice that names both.
    fn number(&mut self, cx: &mut IselCx<'_>, c: Value, t: Value, e: Value) -> Option<MI> {
        let d = cx.peek(c)?;
        let (cond, opposite) = match d.attr {
            Attr::FloatCc(cc) => float_cond(cc),
            Attr::IntCc(cc) => (int_cond(cc).0, false),
            _ => return None,
        };
        let (one, zero) = if opposite { (e, t) } else { (t, e) };
        let is = |v: Value, bits: u32| self.constant_bits(cx, v) == Some(bits);
        let says = match () {
            () if !is(zero, 0) => return None,
            () if is(one, 1f32.to_bits()) => ResultType::F1,
            () if is(one, 1) => ResultType::I1,
            () => return None,
        };
        let (a, b, mods) = (d.args[0], d.args[1], (If(cond), Says(says)));
        if let Attr::IntCc(cc) = d.attr {
            let list = [self.int(cx, a), self.int(cx, b), Use::imm(0)];
            return Some(if int_cond(cc).1 {
                build::IcmpOrS32.with(mods, list)
            } else {
                build::IcmpOrU32.with(mods, list)
            });
        }
        let list = [self.float(cx, a), self.float(cx, b), Use::imm(0)];
        Some(build::FcmpOrF32.with(mods, list))
    }

    /// Whether a float operand needs no source modifier.
    fn plain_float(&self, cx: &IselCx<'_>, v: Value) -> bool {
        !cx.fold(v).is_some_and(|d| matches!(d.op, Op::FNeg | Op::FAbs))
    }

    /// Operands for the lanes of a vector.
    pub(crate) fn lanes(&mut self, cx: &mut IselCx<'_>, v: Value) -> Vec<U> {
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
