//! Division, roots, exponentials, angles (reference, section 13).

use gpucc_ir::{Inst, InstData, Op, Value};
use gpucc_mir::{Use, VReg};
use gpucc_valhall_machine::{Clamp, Condition};

use super::{Isel, IselCx, MI, U};
use crate::builders as build;
use crate::inst::{If, OfLog, SrcMods, Within};

fn neg(u: U) -> U {
    u.mods(SrcMods { neg: !u.mods.neg, ..u.mods })
}

pub(super) fn minus_zero() -> U {
    neg(Use::imm(0))
}

/// 1/pi and pi as words of the immediate table.
const ONE_BY_PI: u32 = 0x3ea2_f983;
const PI: u32 = 0x4049_0fdb;
/// The largest exponent that makes no number of more than 7 bits of a logarithm below zero: less than 128 / 149.
const MOST_ROOT: f32 = 0.85;

impl Isel<'_> {
    /// The last instruction of the sequence for `i`, without its definition.
    pub(super) fn math(&mut self, cx: &mut IselCx<'_>, i: Inst) -> MI {
        let d = cx.data(i);
        let a = d.args[0];
        match d.op {
            Op::FDiv => {
                // Within 1 ULP of the reciprocal and half of the product: 2.5 at most.
                let y = self.float(cx, d.args[1]);
                if self.constant_bits(cx, a) == Some(1f32.to_bits()) {
                    return build::FrcpF32.on([y]);
                }
                let r = self.make(cx, build::FrcpF32.on([y]));
                let x = self.float(cx, a);
                build::FmaF32.on([x, r.into(), minus_zero()])
            }
            Op::FSqrt => {
                // No root of a number is too large or too small for its reciprocal. LEFT: a factor that is zero gives x, so 0 and infinity
                // come out right.
                let x = self.float(cx, a);
                let r = self.make(cx, build::FrsqF32.on([x]));
                build::FmaRscaleLeftF32.on([x, r.into(), minus_zero(), Use::imm(0)])
            }
            Op::FExp2 => {
                // 8:24 fixed point; the scaled float itself decides overflow and NaN. A product is scaled as it is made.
                let scaled = match cx.fold_op(a, Op::FMul) {
                    Some(product) => {
                        let (x, y) = (product.args[0], product.args[1]);
                        let scaled = [(x, y), (y, x)].into_iter().find_map(|(x, k)| Some((x, self.scaled(cx, k)?)));
                        match scaled {
                            Some((x, k)) => {
                                let (x, k) = (self.float(cx, x), self.float_word(cx, k));
                                build::FmaF32.on([x, k, minus_zero()])
                            }
                            None => {
                                let (x, y, bits) = (self.float(cx, x), self.float(cx, y), self.word(cx, 24));
                                build::FmaRscaleF32.on([x, y, minus_zero(), bits])
                            }
                        }
                    }
                    None => {
                        let x = self.float(cx, a);
                        let scale = self.word(cx, 0x4b80_0000);
                        build::FmaF32.on([x, scale, minus_zero()])
                    }
                };
                let s = self.make(cx, scaled);
                let n = self.make(cx, build::F32ToS32.on([s.into()]));
                if self.is_root(cx, a) {
                    return build::FexpF32.on([n.into(), s.into()]);
                }
                let r = self.make(cx, build::FexpF32.on([n.into(), s.into()]));
                // A value that fixed point cannot hold is less than 2^-128: zero, as where denormals are flushed.
                let least = self.word(cx, (-2_147_483_648f32).to_bits());
                build::CselF32.with((If(Condition::Lt),), [s.into(), least, Use::imm(0), r.into()])
            }
            Op::FLog2 => {
                let x = self.float(cx, a);
                let x = self.positive(cx, x);
                let e = self.make(cx, build::FrexpeF32.with((OfLog(true),), [x]));
                let e = self.make(cx, build::S32ToF32.on([e.into()]));
                let one = neg(Use::imm(1f32.to_bits()));
                let y = self.make(cx, build::FaddLscaleF32.on([one, x]));
                let d = self.make(cx, build::FlogdF32.on([x]));
                build::FmaF32.on([d.into(), y.into(), e.into()])
            }
            Op::FSin | Op::FCos => self.angle(cx, a, d.op == Op::FCos),
            // FQuant16: through a half.
            _ => {
                let x = self.float(cx, a);
                let half = self.make(cx, build::V2f32ToV2f16.on([x, x]));
                build::F16ToF32.on([Use::reg(half).mods(SrcMods::swizzled(0))])
            }
        }
    }

    /// Whether an exponent is that of a root, or of a power not far below 1: the logarithm of the least number is -149, so that fixed point
    /// holds all but that of zero, which FEXP itself takes for zero.
    fn is_root(&self, cx: &IselCx<'_>, v: Value) -> bool {
        let factors = |d: &InstData| [(d.args[0], d.args[1]), (d.args[1], d.args[0])];
        cx.peek(v).filter(|d| d.op == Op::FMul).is_some_and(|d| {
            factors(d).into_iter().any(|(x, k)| {
                let k = self.constant_bits(cx, k).map(f32::from_bits);
                k.is_some_and(|k| k > 0.0 && k <= MOST_ROOT) && cx.f.def_op(x, Op::FLog2).is_some()
            })
        })
    }

    /// A constant times 2^24, if that is a number of as many digits.
    fn scaled(&self, cx: &IselCx<'_>, v: Value) -> Option<u32> {
        let k = f32::from_bits(self.constant_bits(cx, v)?);
        let scaled = k * (1 << 24) as f32;
        (k.is_normal() && scaled.is_finite()).then_some(scaled.to_bits())
    }

    /// A float operand without sign modifiers, for instructions that have none.
    fn positive(&mut self, cx: &mut IselCx<'_>, u: U) -> U {
        if u.mods == SrcMods::default() {
            return u;
        }
        Use::reg(self.make(cx, build::FaddF32.on([u, minus_zero()])))
    }

    /// Sine or cosine: a table of 64 angles and a second-order step from there.
    fn angle(&mut self, cx: &mut IselCx<'_>, v: Value, cos: bool) -> MI {
        let x = self.float(cx, v);
        // Bias with an ULP of 1/32: the low 6 bits become round(x * 32 / pi) mod 64.
        let bias = self.word(cx, 0x48c0_0000);
        let u = self.make(cx, build::FmaF32.on([x, Use::imm(ONE_BY_PI), bias]));
        let t = self.make(cx, build::FaddF32.on([u.into(), neg(bias)]));
        let e = self.make(cx, build::FmaF32.on([t.into(), neg(Use::imm(PI)), x]));
        let s = self.make(cx, build::FsinTableU6.on([u.into()]));
        let c = self.make(cx, build::FcosTableU6.on([u.into()]));
        let half = build::FmaRscaleF32.on([e.into(), e.into(), minus_zero(), Use::imm(u32::MAX)]);
        let h = neg(Use::reg(self.make(cx, half)));
        let step = |first: VReg, second: U, q: VReg| {
            build::FmaF32.with((Within(Clamp::MinusOneOne),), [first.into(), second, q.into()])
        };
        let (table, slope) = if cos { (c, neg(Use::reg(s))) } else { (s, Use::reg(c)) };
        let q = self.make(cx, build::FmaF32.on([h, table.into(), minus_zero()]));
        let r = self.make(cx, step(e, slope, q));
        build::FaddF32.on([r.into(), table.into()])
    }
}
