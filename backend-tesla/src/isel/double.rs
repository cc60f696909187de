//! Floats of 64 bits on nva0: each an aligned pair of registers, the low word first.
//!
//! Instructions take registers alone, without words of c[] and immediates. Signs of operands are modifiers, and no modifier changes a NaN,
//! so that a sign which is all that is computed is a bit of the high word. Quotients, roots and scaled numbers are written with these
//! operations before (`lower_wide`). Integers of 64 bits are here only between words and conversions.

use gpucc_ir::{Attr, Diagnostic, Inst, Op as Ir, Type, Value};
use gpucc_mir::{MInst, VReg};
use gpucc_tesla_machine::{Cond, Round, Ty};

use super::{Isel, IselCx, U};
use crate::builders as build;
use crate::inst::{If, Of, R32, R64, Reads, Rounding, TOp, Tesla};

/// The sign in the high word.
const SIGN: u32 = 0x8000_0000;

impl Isel<'_> {
    /// Whether a value is a float of 64 bits, or an integer that conversions make of one or to one.
    pub(super) fn is_double(cx: &IselCx<'_>, v: Value) -> bool {
        cx.f.ty(v).bits() == 64
    }

    /// Whether an instruction has an operand or a result of 64 bits.
    pub(super) fn has_double(cx: &IselCx<'_>, i: Inst) -> bool {
        let d = cx.data(i);
        d.results.iter().chain(d.args.iter().copied()).any(|v| Self::is_double(cx, v))
    }

    /// A new pair that an instruction gives.
    fn double(cx: &mut IselCx<'_>, i: MInst<Tesla>) -> VReg {
        let t = cx.temp(R64);
        cx.emit(i.def(t));
        t
    }

    /// Puts a constant into a pair.
    pub(super) fn double_bits(cx: &mut IselCx<'_>, bits: u64, into: VReg) {
        let words = [bits as u32, (bits >> 32) as u32].map(|word| {
            let t = cx.temp(R32);
            cx.emit(MInst::copy(t, U::imm(word)));
            U::reg(t)
        });
        cx.emit(MInst::collect(into, words));
    }

    /// The words of a pair.
    fn words_of(cx: &mut IselCx<'_>, v: Value) -> [VReg; 2] {
        let r = cx.reg(v);
        let words = [cx.temp(R32), cx.temp(R32)];
        cx.emit(MInst::split(&words, r));
        words
    }

    /// An operand with its sign modifiers.
    fn signed_double(cx: &mut IselCx<'_>, v: Value, allow_abs: bool, negate: bool) -> U {
        let (x, abs, neg) = Self::peel(cx, v, allow_abs);
        let r = cx.reg(x).into();
        Self::signed(r, abs, neg ^ negate)
    }

    /// The comparison of two pairs.
    pub(super) fn compare_doubles(cx: &mut IselCx<'_>, cond: Cond, a: Value, b: Value) -> MInst<Tesla> {
        let args = [a, b].map(|v| Self::signed_double(cx, v, true, false));
        build::Dset.with((If(cond),), args)
    }

    /// An op with an operand or a result of 64 bits.
    pub(super) fn double_alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let (d, to, out) = cx.operation(i);
        let (a, r) = (|n: usize| d.args[n], out[0]);
        let inst = match d.op {
            Ir::FAdd | Ir::FSub => {
                let x = Self::signed_double(cx, a(0), false, false);
                let y = Self::signed_double(cx, a(1), false, d.op == Ir::FSub);
                build::Dadd.on([x, y])
            }
            Ir::FMul => {
                let (x, y, neg) = Self::factors(cx, a(0), a(1));
                build::Dmul.on([Self::signed(x, false, neg), y])
            }
            Ir::Fma => {
                let (x, y, neg) = Self::factors(cx, a(0), a(1));
                let z = Self::signed_double(cx, a(2), false, false);
                build::Dfma.on([Self::signed(x, false, neg), y, z])
            }
            Ir::FMin | Ir::FMax => {
                let args = [a(0), a(1)].map(|v| Self::signed_double(cx, v, true, false));
                if d.op == Ir::FMin { build::Dmin.on(args) } else { build::Dmax.on(args) }
            }
            Ir::FSat => {
                // The larger of NaN and 0 is 0.
                let x = Self::signed_double(cx, a(0), true, false);
                let [zero, one] = [0.0f64, 1.0].map(|v| {
                    let t = cx.temp(R64);
                    Self::double_bits(cx, v.to_bits(), t);
                    U::reg(t)
                });
                let low = Self::double(cx, build::Dmax.on([x, zero]));
                build::Dmin.on([low.into(), one])
            }
            Ir::FNeg | Ir::FAbs => {
                let [low, high] = Self::words_of(cx, a(0));
                let changed = match d.op {
                    Ir::FNeg => build::Xor.on([high.into(), U::imm(SIGN)]),
                    _ => build::And.on([high.into(), U::imm(!SIGN)]),
                };
                let high = self.temp(cx, changed);
                MInst::collect(r, [low, high].map(U::reg))
            }
            Ir::FFloor | Ir::FCeil | Ir::FTrunc | Ir::FRoundEven => {
                let x = Self::signed_double(cx, a(0), true, false);
                build::CvtRint.with((Of(Ty::F64), Rounding(super::alu::direction(d.op))), [x])
            }
            Ir::F2F if to == Type::F64 => {
                let x = self.modified(cx, a(0));
                build::CvtFF.with((Of(Ty::F64), Reads(Ty::F32)), [x])
            }
            Ir::F2F => {
                let x = Self::signed_double(cx, a(0), true, false);
                build::CvtFF.with((Of(Ty::F32), Reads(Ty::F64)), [x])
            }
            Ir::F2SFull | Ir::F2UFull if to == Type::I64 => {
                let ty = if d.op == Ir::F2SFull { Ty::S64 } else { Ty::U64 };
                let (number, from, x) = self.ordered(cx, a(0));
                let whole = Self::double(cx, build::CvtFI.with((Of(ty), Reads(from), Rounding(Round::Zero)), [x]));
                let words = [cx.temp(R32), cx.temp(R32)];
                cx.emit(MInst::split(&words, whole));
                // Of NaN it is the number with the highest bit alone.
                let words = words.map(|w| self.temp(cx, build::And.on([w.into(), number.into()])));
                MInst::collect(r, words.map(U::reg))
            }
            Ir::S2F | Ir::U2F if cx.f.ty(a(0)) == Type::I64 => {
                let from = if d.op == Ir::S2F { Ty::S64 } else { Ty::U64 };
                let ty = if to == Type::F64 { Ty::F64 } else { Ty::F32 };
                let x = cx.reg(a(0)).into();
                build::CvtIF.with((Of(ty), Reads(from)), [x])
            }
            Ir::F2SFull | Ir::F2UFull => {
                let ty = if d.op == Ir::F2SFull { Ty::S32 } else { Ty::U32 };
                let x = Self::signed_double(cx, a(0), true, false);
                let int = self.temp(cx, build::CvtFI.with((Of(ty), Reads(Ty::F64), Rounding(Round::Zero)), [x]));
                // Of NaN it is the number with the highest bit alone.
                let number = Self::compare_doubles(cx, Cond::Ordered, a(0), a(0));
                let number = self.temp(cx, number);
                build::And.on([int.into(), number.into()])
            }
            Ir::S2F | Ir::U2F => {
                let ty = if d.op == Ir::S2F { Ty::S32 } else { Ty::U32 };
                let x = self.first(cx, a(0));
                build::CvtIF.with((Of(Ty::F64), Reads(ty)), [x])
            }
            Ir::FCmp => {
                let Attr::FloatCc(cc) = d.attr else { return Err(cx.unknown(i)) };
                Self::compare_doubles(cx, super::alu::float_cond(cc), a(0), a(1))
            }
            Ir::Select => {
                let (x, y) = (Self::words_of(cx, a(1)), Self::words_of(cx, a(2)));
                let mask: U = self.reg(cx, a(0));
                // The first where the mask is clear.
                let words = [0, 1].map(|k| self.temp(cx, build::Slct.on([y[k].into(), x[k].into(), mask])));
                MInst::collect(r, words.map(U::reg))
            }
            Ir::Bitcast if to.bits() == 64 => MInst::collect(r, cx.regs(a(0)).into_iter().map(U::reg)),
            Ir::Bitcast => MInst::split(&out, cx.reg(a(0))),
            _ => return Err(cx.unknown(i)),
        };
        // What is collected or split names its results itself.
        cx.emit(if matches!(inst.target_op(), Some(TOp::M(_))) { inst.def(r) } else { inst });
        Ok(())
    }

    /// Ones where a float is a number; and the float, with the type that a conversion reads.
    fn ordered(&mut self, cx: &mut IselCx<'_>, v: Value) -> (VReg, Ty, U) {
        if cx.f.ty(v) == Type::F64 {
            let number = Self::compare_doubles(cx, Cond::Ordered, v, v);
            let number = self.temp(cx, number);
            return (number, Ty::F64, Self::signed_double(cx, v, true, false));
        }
        let x = self.reg(cx, v);
        let number = self.temp(cx, build::Fset.with((If(Cond::Ordered),), [x, x]));
        (number, Ty::F32, self.modified(cx, v))
    }

    /// Two factors without their signs, and the sign of the product.
    fn factors(cx: &mut IselCx<'_>, a: Value, b: Value) -> (U, U, bool) {
        let ((x, _, n1), (y, _, n2)) = (Self::peel(cx, a, false), Self::peel(cx, b, false));
        (cx.reg(x).into(), cx.reg(y).into(), n1 ^ n2)
    }
}
