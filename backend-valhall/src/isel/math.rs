//! Division, roots, exponentials, angles (reference, section 13).

use gpucc_ir::{Inst, Op, Value};
use gpucc_mir::{Use, VReg};
use gpucc_valhall_machine::Op as M;

use super::alu::cond;
use super::{Cx, Isel, MI, U, op, with};
use crate::target::SrcMods;

fn neg(u: U) -> U {
    u.mods(SrcMods { neg: !u.mods.neg, ..u.mods })
}

fn minus_zero() -> U {
    neg(Use::imm(0))
}

/// 1/pi and pi as words of the immediate table.
const ONE_BY_PI: u32 = 0x3ea2_f983;
const PI: u32 = 0x4049_0fdb;

impl Isel<'_> {
    /// The last instruction of the sequence for `i`, without its definition.
    pub(super) fn math(&mut self, cx: &mut Cx<'_>, i: Inst) -> MI {
        let d = cx.data(i);
        let a = d.args[0];
        match d.op {
            Op::FDiv => {
                // Within 1 ULP of the reciprocal and half of the product: 2.5 at most.
                let y = self.float(cx, d.args[1]);
                if self.constant_bits(cx, a) == Some(1f32.to_bits()) {
                    return op(M::FrcpF32).arg(y);
                }
                let r = self.make(cx, op(M::FrcpF32).arg(y));
                let x = self.float(cx, a);
                op(M::FmaF32).arg(x).arg(r).arg(minus_zero())
            }
            Op::FSqrt => {
                let x = self.float(cx, a);
                let x = self.positive(cx, x);
                let m = self.make(cx, with(op(M::FrexpmF32).arg(x), &[("sqrt", 1)]));
                let r = self.make(cx, op(M::FrsqF32).arg(m));
                let e = self.make(cx, with(op(M::FrexpeF32).arg(x), &[("sqrt", 1)]));
                // LEFT: a factor that is zero gives m, so 0 and infinity come out right.
                op(M::FmaRscaleLeftF32).arg(m).arg(r).arg(minus_zero()).arg(e)
            }
            Op::FExp2 => {
                let x = self.float(cx, a);
                // 8:24 fixed point; the scaled float itself decides overflow and NaN.
                let scale = self.word(cx, 0x4b80_0000);
                let s = self.make(cx, op(M::FmaF32).arg(x).arg(scale).arg(minus_zero()));
                let n = self.make(cx, op(M::F32ToS32).arg(s));
                let r = self.make(cx, op(M::FexpF32).arg(n).arg(s));
                // What fixed point cannot hold is less than 2^-128: zero, as where denormals are flushed.
                let least = self.word(cx, (-2_147_483_648f32).to_bits());
                with(op(M::CselF32).arg(s).arg(least).imm(0).arg(r), &[("cmp", cond::LT)])
            }
            Op::FLog2 => {
                let x = self.float(cx, a);
                let x = self.positive(cx, x);
                let e = self.make(cx, with(op(M::FrexpeF32).arg(x), &[("log", 1)]));
                let e = self.make(cx, op(M::S32ToF32).arg(e));
                let one = neg(Use::imm(1f32.to_bits()));
                let y = self.make(cx, op(M::FaddLscaleF32).arg(one).arg(x));
                let d = self.make(cx, op(M::FlogdF32).arg(x));
                op(M::FmaF32).arg(d).arg(y).arg(e)
            }
            Op::FSin | Op::FCos => self.angle(cx, a, d.op == Op::FCos),
            // FQuant16: through a half.
            _ => {
                let x = self.float(cx, a);
                let half = self.make(cx, op(M::V2f32ToV2f16).arg(x).arg(x));
                op(M::F16ToF32).arg(Use::reg(half).mods(SrcMods::swizzled(0)))
            }
        }
    }

    /// A float operand without sign modifiers, for instructions that have none.
    fn positive(&mut self, cx: &mut Cx<'_>, u: U) -> U {
        if u.mods == SrcMods::default() {
            return u;
        }
        Use::reg(self.make(cx, op(M::FaddF32).arg(u).arg(minus_zero())))
    }

    /// Sine or cosine: a table of 64 angles and a second-order step from there.
    fn angle(&mut self, cx: &mut Cx<'_>, v: Value, cos: bool) -> MI {
        let x = self.float(cx, v);
        // Bias with an ULP of 1/32: the low 6 bits become round(x * 32 / pi) mod 64.
        let bias = self.word(cx, 0x48c0_0000);
        let u = self.make(cx, op(M::FmaF32).arg(x).arg(Use::imm(ONE_BY_PI)).arg(bias));
        let t = self.make(cx, op(M::FaddF32).arg(u).arg(neg(bias)));
        let e = self.make(cx, op(M::FmaF32).arg(t).arg(neg(Use::imm(PI))).arg(x));
        let s = self.make(cx, op(M::FsinTableU6).arg(u));
        let c = self.make(cx, op(M::FcosTableU6).arg(u));
        let half = op(M::FmaRscaleF32).arg(e).arg(e).arg(minus_zero()).imm(u32::MAX);
        let h = neg(Use::reg(self.make(cx, half)));
        let step = |first: VReg, second: U, q: VReg| with(op(M::FmaF32).arg(first).arg(second).arg(q), &[("clamp", 2)]);
        let (table, slope) = if cos { (c, neg(Use::reg(s))) } else { (s, Use::reg(c)) };
        let q = self.make(cx, op(M::FmaF32).arg(h).arg(table).arg(minus_zero()));
        let r = self.make(cx, step(e, slope, q));
        op(M::FaddF32).arg(r).arg(table)
    }
}
