//! Floats of 64 bits: each a run of two vector registers, the low word first.
//!
//! There is no instruction for a rounded quotient or root, so both begin with an approximation of half of the bits. Operands are brought
//! into a range where nothing over- or underflows and are fused into what is left over, and the exponent is put back at the end.
//! gfx6 lacks the instructions that round to integers; there the bits below the point are cleared.

use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::operand::inline32;
use gpucc_ir::{Diagnostic, Inst, Op as Ir, Scalar, Type, Value};
use gpucc_mir::{MInst, Use, VReg};

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{Clamp, Long, MI, S2, SrcMods, U, V, V2, op, with};

/// The sign in the high word.
const SIGN: u32 = 0x8000_0000;
/// Classes of a float whose root is the float: NaN, zeros and infinity.
const OWN_ROOT: u32 = 0x003 | 0x060 | 0x200;

impl Isel<'_> {
    /// Whether an instruction computes with floats of 64 bits.
    pub(super) fn is_double(cx: &IselCx<'_>, i: Inst) -> bool {
        let d = cx.data(i);
        d.results.iter().chain(d.args.iter().copied()).any(|v| cx.f.ty(v).scalar() == Scalar::F64)
    }

    /// The constant with these bits, if a code stands for it: named by the float of 32 bits that is the same number.
    fn double_code(&self, bits: u64) -> Option<u32> {
        let single = f64::from_bits(bits) as f32;
        let is_same = f64::from(single).to_bits() == bits && (single == 0.0 || single.abs() >= 0.5);
        inline32(single.to_bits(), self.generation).filter(|_| is_same).map(|_| single.to_bits())
    }

    /// A float operand with sign and magnitude folded.
    pub(super) fn double_operand(&mut self, cx: &mut IselCx<'_>, mut v: Value) -> U {
        let mut m = SrcMods::default();
        while let Some(d) = self.peek(cx, v) {
            match d.op {
                Ir::FNeg => m.neg ^= !m.abs,
                Ir::FAbs => m.abs = true,
                _ => break,
            }
            v = d.args[0];
        }
        match cx.f.const_bits(v).and_then(|bits| self.double_code(bits)) {
            Some(code) => Use::imm(code).mods(m),
            None => Use::reg(cx.reg(v)).mods(m),
        }
    }

    fn double(&mut self, cx: &mut IselCx<'_>, i: MI) -> VReg {
        let t = cx.temp(V2);
        self.valu(cx, i.def(t));
        t
    }

    fn double_constant(&mut self, cx: &mut IselCx<'_>, v: f64) -> VReg {
        let t = cx.temp(V2);
        self.double_bits(cx, v.to_bits(), t);
        t
    }

    /// Puts a constant into a run.
    pub(super) fn double_bits(&mut self, cx: &mut IselCx<'_>, bits: u64, into: VReg) {
        let words = [bits as u32, (bits >> 32) as u32].map(|word| {
            let t = cx.temp(V);
            cx.emit(build::VMovB32.on([Use::imm(word)]).def(t));
            Use::reg(t)
        });
        cx.emit(MInst::collect(into, words));
    }

    /// The words of a run.
    fn words_of(cx: &mut IselCx<'_>, v: VReg) -> [VReg; 2] {
        let words = [cx.temp(V), cx.temp(V)];
        cx.emit(MInst::split(&words, v));
        words
    }

    fn fma64(&mut self, cx: &mut IselCx<'_>, [a, b, c]: [U; 3]) -> VReg {
        self.double(cx, op(Op::VFmaF64).arg(a).arg(b).arg(c))
    }

    /// Where a mask is set one run, else another.
    fn choose64(&mut self, cx: &mut IselCx<'_>, out: VReg, mask: U, [x, y]: [[U; 2]; 2]) {
        let words = [0, 1].map(|k| {
            let m = build::VCndmaskB32.with((Long(true),), [y[k], x[k], mask]);
            Use::reg(self.make_v(cx, m))
        });
        cx.emit(MInst::collect(out, words));
    }

    /// The words of a value, constants as they are.
    fn words64(cx: &mut IselCx<'_>, v: Value) -> [U; 2] {
        match cx.f.const_bits(v) {
            Some(bits) => [Use::imm(bits as u32), Use::imm((bits >> 32) as u32)],
            None => {
                let r = cx.reg(v);
                Self::words_of(cx, r).map(Use::reg)
            }
        }
    }

    /// An op with an operand or a result of 64 bits.
    pub(super) fn double_alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let (d, to, out) = cx.operation(i);
        let (a, r) = (|n: usize| d.args[n], out[0]);
        let inst = match d.op {
            Ir::FAdd | Ir::FSub | Ir::FMul | Ir::FMin | Ir::FMax => {
                let (x, mut y) = (self.double_operand(cx, a(0)), self.double_operand(cx, a(1)));
                if d.op == Ir::FSub {
                    y.mods.neg = !y.mods.neg;
                }
                op(match d.op {
                    Ir::FMul => Op::VMulF64,
                    Ir::FMin => Op::VMinF64,
                    Ir::FMax => Op::VMaxF64,
                    _ => Op::VAddF64,
                })
                .arg(x)
                .arg(y)
            }
            Ir::Fma => {
                let operands = [0, 1, 2].map(|k| self.double_operand(cx, a(k)));
                op(Op::VFmaF64).args(operands)
            }
            Ir::FSat => {
                let x = self.double_operand(cx, a(0));
                with(op(Op::VAddF64).arg(x).imm(0), (Clamp(true),))
            }
            Ir::FNeg | Ir::FAbs => {
                let [low, high] = Self::words64(cx, a(0));
                let changed = match d.op {
                    Ir::FNeg => build::VXorB32.on([Use::imm(SIGN), high]),
                    _ => build::VAndB32.on([Use::imm(!SIGN), high]),
                };
                let high = self.make_v(cx, changed);
                let low = self.in_vector(cx, low);
                cx.emit(MInst::collect(r, [low, high.into()]));
                return Ok(());
            }
            Ir::FDiv => {
                self.quotient64(cx, r, a(0), a(1));
                return Ok(());
            }
            Ir::FSqrt => {
                self.root64(cx, r, a(0));
                return Ok(());
            }
            Ir::FFloor | Ir::FCeil | Ir::FTrunc | Ir::FRoundEven if self.generation == 0 => {
                self.rounded64(cx, r, d.op, a(0));
                return Ok(());
            }
            Ir::FFloor | Ir::FCeil | Ir::FTrunc | Ir::FRoundEven => {
                let x = self.double_operand(cx, a(0));
                op(match d.op {
                    Ir::FFloor => Op::VFloorF64,
                    Ir::FCeil => Op::VCeilF64,
                    Ir::FTrunc => Op::VTruncF64,
                    _ => Op::VRndneF64,
                })
                .arg(x)
            }
            Ir::FLdexp => {
                let (x, n) = (self.double_operand(cx, a(0)), self.any(cx, a(1)));
                op(Op::VLdexpF64).arg(x).arg(n)
            }
            Ir::F2F if to == Type::F64 => {
                let x = self.float(cx, a(0));
                op(Op::VCvtF64F32).arg(x)
            }
            Ir::F2F => {
                let x = self.double_operand(cx, a(0));
                op(Op::VCvtF32F64).arg(x)
            }
            Ir::F2SFull | Ir::F2UFull => {
                let x = self.double_operand(cx, a(0));
                op(if d.op == Ir::F2SFull { Op::VCvtI32F64 } else { Op::VCvtU32F64 }).arg(x)
            }
            Ir::S2F | Ir::U2F => {
                let x = self.any(cx, a(0));
                op(if d.op == Ir::S2F { Op::VCvtF64I32 } else { Op::VCvtF64U32 }).arg(x)
            }
            Ir::Select => {
                let mask = self.mask(cx, a(0));
                let (x, y) = (Self::words64(cx, a(1)), Self::words64(cx, a(2)));
                self.choose64(cx, r, mask, [x, y]);
                return Ok(());
            }
            Ir::Bitcast if to == Type::F64 => {
                let words = cx.regs(a(0));
                let words: Vec<U> = words.into_iter().map(|w| self.in_vector(cx, Use::reg(w))).collect();
                cx.emit(MInst::collect(r, words));
                return Ok(());
            }
            Ir::Bitcast => {
                let v = cx.reg(a(0));
                cx.emit(MInst::split(&out, v));
                return Ok(());
            }
            _ => return Err(cx.unknown(i)),
        };
        self.valu(cx, inst.def(r));
        Ok(())
    }

    /// `a / b`. The reciprocal of the significand is right to 23 bits at least; two steps make it right to the last, and so is the
    /// quotient by what it leaves over. `v_div_fixup` knows signs, and what zeros,
    /// infinities and NaN give.
    fn quotient64(&mut self, cx: &mut IselCx<'_>, out: VReg, a: Value, b: Value) {
        let (a, b) = (cx.reg(a), cx.reg(b));
        let magnitude = |v: VReg| Use::reg(v).mods(SrcMods { abs: true, neg: false });
        let [x, y] = [a, b].map(|v| self.double(cx, op(Op::VFrexpMantF64).arg(magnitude(v))));
        let [xe, ye] = [a, b].map(|v| self.make_v(cx, op(Op::VFrexpExpI32F64).arg(v)));
        let (x, y, one) = (Use::reg(x), Use::reg(y), Use::imm(1f32.to_bits()));
        let minus_y = negated(y);
        let mut r = self.double(cx, op(Op::VRcpF64).arg(y));
        for _ in 0..2 {
            let error = self.fma64(cx, [minus_y, r.into(), one]);
            r = self.fma64(cx, [r.into(), error.into(), r.into()]);
        }
        // Of a significand of ones alone it is too near the middle between two numbers.
        let all_ones = self.double_constant(cx, f64::from_bits(0x3fef_ffff_ffff_ffff));
        let is_ones = cx.temp(S2);
        self.valu(cx, with(op(Op::VCmpEqF64).def(is_ones).arg(y).arg(all_ones), (Long(true),)));
        let found = Self::words_of(cx, r).map(Use::reg);
        let r = cx.temp(V2);
        self.choose64(cx, r, is_ones.into(), [[Use::imm(1), Use::imm(0x3ff0_0000)], found]);
        let q = self.double(cx, op(Op::VMulF64).arg(x).arg(r));
        let left = self.fma64(cx, [minus_y, q.into(), x]);
        let q = self.fma64(cx, [left.into(), r.into(), q.into()]);
        let exponent = cx.temp(V);
        let sub = if self.generation == 2 { Op::VSubU32 } else { Op::VSubI32 };
        self.valu(cx, op(sub).def(exponent).arg(xe).arg(ye));
        let q = self.double(cx, op(Op::VLdexpF64).arg(q).arg(exponent));
        self.valu(cx, op(Op::VDivFixupF64).def(out).arg(q).arg(b).arg(a));
    }

    /// The square root: of the operand times an even power of two, which makes it 0.5 to 2. The reciprocal root gives the root and half of
    /// its reciprocal; both are made better together, and the root twice more by what its square leaves over.
    fn root64(&mut self, cx: &mut IselCx<'_>, out: VReg, v: Value) {
        let v = cx.reg(v);
        let exponent = self.make_v(cx, op(Op::VFrexpExpI32F64).arg(v));
        let half_exponent = self.make_v(cx, op(Op::VAshrrevI32).imm(1).arg(exponent));
        let sub = if self.generation == 2 { Op::VSubU32 } else { Op::VSubI32 };
        let even = self.make_v(cx, build::VLshlrevB32.on([Use::imm(1), half_exponent.into()]));
        let down = self.make_v(cx, op(sub).imm(0).arg(even));
        let x = self.double(cx, op(Op::VLdexpF64).arg(v).arg(down));
        let (x, half) = (Use::reg(x), Use::imm(0.5f32.to_bits()));
        let y = self.double(cx, op(Op::VRsqF64).arg(x));
        let g = self.double(cx, op(Op::VMulF64).arg(x).arg(y));
        let h = self.double(cx, op(Op::VMulF64).arg(y).arg(half));
        let error = self.fma64(cx, [negated(h.into()), g.into(), half]);
        let mut g = self.fma64(cx, [g.into(), error.into(), g.into()]);
        let h = self.fma64(cx, [h.into(), error.into(), h.into()]);
        for _ in 0..2 {
            let left = self.fma64(cx, [negated(g.into()), g.into(), x]);
            g = self.fma64(cx, [left.into(), h.into(), g.into()]);
        }
        let root = self.double(cx, op(Op::VLdexpF64).arg(g).arg(half_exponent));
        let own = cx.temp(S2);
        self.valu(cx, with(op(Op::VCmpClassF64).def(own).arg(v).imm(OWN_ROOT), (Long(true),)));
        let words = [v, root].map(|v| Self::words_of(cx, v).map(Use::reg));
        self.choose64(cx, out, own.into(), words);
    }

    /// Rounds to an integer without an instruction for it.
    fn rounded64(&mut self, cx: &mut IselCx<'_>, out: VReg, o: Ir, v: Value) {
        let v = cx.reg(v);
        if o == Ir::FRoundEven {
            self.round_even64(cx, out, v);
            return;
        }
        if o == Ir::FTrunc {
            self.trunc64(cx, out, v);
            return;
        }
        let t = cx.temp(V2);
        self.trunc64(cx, t, v);
        // Truncated the wrong way; zeros keep their sign where it was the right one.
        let (compare, step) = if o == Ir::FFloor { (Op::VCmpGtF64, -1f32) } else { (Op::VCmpLtF64, 1f32) };
        let wrong = cx.temp(S2);
        self.valu(cx, with(op(compare).def(wrong).arg(t).arg(v), (Long(true),)));
        let next = self.double(cx, op(Op::VAddF64).arg(t).imm(step.to_bits()));
        let words = [next, t].map(|v| Self::words_of(cx, v).map(Use::reg));
        self.choose64(cx, out, wrong.into(), words);
    }

    /// Clears the bits below the point; below 1 all but the sign.
    fn trunc64(&mut self, cx: &mut IselCx<'_>, out: VReg, v: VReg) {
        let words = Self::words_of(cx, v).map(Use::reg);
        let biased = self.make_v(cx, op(Op::VBfeU32).arg(words[1]).imm(20).imm(11));
        let exponent = self.make_v(cx, op(Op::VSubI32).arg(biased).imm(1023));
        let fraction = self.double_constant(cx, f64::from_bits(0x000f_ffff_ffff_ffff));
        let mask = self.double(cx, op(Op::VLshrB64).arg(fraction).arg(exponent));
        let mask = Self::words_of(cx, mask).map(Use::reg);
        let cut = [0, 1].map(|k| Use::reg(self.make_v(cx, op(Op::VBfiB32).arg(mask[k]).imm(0).arg(words[k]))));
        let [small, large] = [cx.temp(S2), cx.temp(S2)];
        self.valu(cx, with(op(Op::VCmpGtI32).def(small).imm(0).arg(exponent), (Long(true),)));
        self.valu(cx, with(op(Op::VCmpLtI32).def(large).imm(51).arg(exponent), (Long(true),)));
        let sign = self.make_v(cx, build::VAndB32.on([Use::imm(SIGN), words[1]]));
        let cut = [(Use::imm(0), cut[0]), (sign.into(), cut[1])].map(|(zero, cut)| {
            Use::reg(self.make_v(cx, build::VCndmaskB32.with((Long(true),), [cut, zero, small.into()])))
        });
        self.choose64(cx, out, large.into(), [words, cut]);
    }

    /// Adds and takes away 2^52 with the sign of the operand, which leaves no bit below the point.
    fn round_even64(&mut self, cx: &mut IselCx<'_>, out: VReg, v: VReg) {
        let words = Self::words_of(cx, v).map(Use::reg);
        let rest = self.make_v(cx, build::VMovB32.on([Use::imm(!SIGN)]));
        let large = self.make_v(cx, build::VMovB32.on([Use::imm(0x4330_0000)]));
        let high = self.make_v(cx, op(Op::VBfiB32).arg(rest).arg(large).arg(words[1]));
        let low = self.make_v(cx, build::VMovB32.on([Use::imm(0)]));
        let [limit, shift] = [large, high].map(|high| {
            let t = cx.temp(V2);
            cx.emit(MInst::collect(t, [Use::reg(low), Use::reg(high)]));
            t
        });
        let up = self.double(cx, op(Op::VAddF64).arg(v).arg(shift));
        let down = self.double(cx, op(Op::VAddF64).arg(up).arg(negated(shift.into())));
        let [near, near_high] = Self::words_of(cx, down).map(Use::reg);
        let near_high = self.make_v(cx, op(Op::VBfiB32).arg(rest).arg(near_high).arg(words[1]));
        let is_small = cx.temp(S2);
        let magnitude = Use::reg(v).mods(SrcMods { abs: true, neg: false });
        self.valu(cx, with(op(Op::VCmpLtF64).def(is_small).arg(magnitude).arg(limit), (Long(true),)));
        self.choose64(cx, out, is_small.into(), [[near, near_high.into()], words]);
    }
}

/// The operand with the other sign.
fn negated(mut u: U) -> U {
    u.mods.neg = !u.mods.neg;
    u
}
