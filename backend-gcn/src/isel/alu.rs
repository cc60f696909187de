//! Arithmetic of the vector and the scalar unit, on floats and integers.

use gpucc_gcn_machine::operand::{inline, inline32};
use gpucc_gcn_machine::{Number, Op};
use gpucc_ir::{Attr, Denormals, Diagnostic, Inst, Op as Ir, Scalar, Type, Value};
use gpucc_mir::{MInst, Use, VReg};

use super::{Isel, IselCx, bits_of};
use crate::builders as build;
use crate::flow::reg_banks::{RegBank, is_halves_of_word};
use crate::inst::{Clamp, GOp, K, Long, MI, S, U, op, with};
use crate::ops::{of_halves, scalar_compare, scalar_op};

impl Isel<'_> {
    pub(super) fn add(&mut self, cx: &mut IselCx<'_>, out: VReg, a: U, b: U) {
        let o = if self.generation == 2 { Op::VAddU32 } else { Op::VAddI32 };
        self.valu(cx, op(o).def(out).arg(a).arg(b));
    }

    pub(super) fn alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let out = cx.result(i, 0);
        let r = out[0];
        let scalar = cx.mf.class(r) == S;
        if scalar && is_halves_of_word(cx.f, i) {
            let x = self.any(cx, a(0));
            cx.emit(MInst::copy(r, x));
            self.salu(cx, build::SLshrB32.on([x, Use::imm(16)]).def(out[1]));
            return Ok(());
        }
        if scalar {
            return self.scalar(cx, i, r);
        }
        if cx.f.ty(d.result()).is_bool() {
            return if out.len() == 1 { self.boolean(cx, i, r) } else { self.booleans(cx, i, &out) };
        }
        if Self::is_double(cx, i) {
            return self.double_alu(cx, i);
        }
        if let Some(m) = self.arithmetic(cx, d).or_else(|| self.limited(cx, d)).or_else(|| self.median(cx, d)) {
            self.valu(cx, m.def(r));
            return Ok(());
        }
        let half = cx.f.ty(d.result()).scalar() == Scalar::F16;
        let inst = match d.op {
            Ir::FMin | Ir::FMax => {
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                let o = if d.op == Ir::FMin { Op::VMinF32 } else { Op::VMaxF32 };
                op(self.sized(cx, a(0), o)).arg(x).arg(y)
            }
            Ir::FNeg => {
                let x = self.any(cx, a(0));
                build::VXorB32.on([Use::imm(if half { 0x8000 } else { 0x8000_0000 }), x])
            }
            Ir::FAbs => {
                let x = self.any(cx, a(0));
                build::VAndB32.on([Use::imm(if half { 0x7fff } else { 0x7fff_ffff }), x])
            }
            Ir::FSat => {
                let x = self.float(cx, a(0));
                let add = op(self.sized(cx, a(0), Op::VAddF32)).arg(x).imm(0);
                with(add, (Clamp(true),))
            }
            // Two halves as a word, and back. Above a half a register may hold anything.
            Ir::Bitcast if cx.f.ty(a(0)) == Type::F16.with_lanes(2) => {
                let halves = self.lanes(cx, a(0));
                let low = self.make_v(cx, build::VLshlrevB32.on([Use::imm(16), halves[0]]));
                op(Op::VAlignbitB32).arg(halves[1]).arg(low).imm(16)
            }
            Ir::Bitcast if is_halves_of_word(cx.f, i) => {
                let x = self.any(cx, a(0));
                self.set(cx, out[0], x);
                self.valu(cx, build::VLshrrevB32.on([Use::imm(16), x]).def(out[1]));
                return Ok(());
            }
            Ir::FFloor
            | Ir::FFract
            | Ir::FCeil
            | Ir::FTrunc
            | Ir::FRoundEven
            | Ir::FRcp
            | Ir::FRsqrt
            | Ir::FSqrt
            | Ir::FExp2
            | Ir::FLog2 => {
                let x = self.float(cx, a(0));
                let o = match d.op {
                    Ir::FFloor => Op::VFloorF32,
                    Ir::FFract => Op::VFractF32,
                    Ir::FCeil => Op::VCeilF32,
                    Ir::FTrunc => Op::VTruncF32,
                    Ir::FRoundEven => Op::VRndneF32,
                    Ir::FRcp => Op::VRcpF32,
                    Ir::FRsqrt => Op::VRsqF32,
                    Ir::FSqrt => Op::VSqrtF32,
                    Ir::FExp2 => Op::VExpF32,
                    _ => Op::VLogF32,
                };
                op(self.sized(cx, a(0), o)).arg(x)
            }
            Ir::FSin | Ir::FCos => {
                // Turns, brought into one turn: the instruction takes -256..256 only.
                let x = self.float(cx, a(0));
                let turns = self.shared(build::VMulF32.on([Use::imm(0x3e22_f983), x]));
                let turns = self.make_v(cx, turns);
                let t = self.shared(build::VFractF32.on([turns.into()]));
                let t = self.make_v(cx, t);
                op(if d.op == Ir::FSin { Op::VSinF32 } else { Op::VCosF32 }).arg(t)
            }
            Ir::FLdexp => {
                let (x, n) = (self.float(cx, a(0)), self.any(cx, a(1)));
                build::VLdexpF32.with((Long(true),), [x, n])
            }
            Ir::FQuant16 => {
                let x = self.float(cx, a(0));
                let h = self.make_v(cx, build::VCvtF16F32.on([x]));
                build::VCvtF32F16.on([h.into()])
            }
            Ir::F2SFull | Ir::F2UFull => {
                let x = self.float(cx, a(0));
                op(if d.op == Ir::F2SFull { Op::VCvtI32F32 } else { Op::VCvtU32F32 }).arg(x)
            }
            Ir::S2F | Ir::U2F if !half && self.byte_of(cx, a(0)).is_some() => {
                let (x, k) = self.byte_of(cx, a(0)).unwrap_or((a(0), 0));
                let x = self.any(cx, x);
                op([Op::VCvtF32Ubyte0, Op::VCvtF32Ubyte1, Op::VCvtF32Ubyte2, Op::VCvtF32Ubyte3][k]).arg(x)
            }
            Ir::S2F | Ir::U2F => {
                let x = self.any(cx, a(0));
                op(if d.op == Ir::S2F { Op::VCvtF32I32 } else { Op::VCvtF32U32 }).arg(x)
            }
            Ir::PackHalf2x16Rtz => {
                let v = self.lanes(cx, a(0));
                build::VCvtPkrtzF16F32.on([v[0], v[1]])
            }
            Ir::PackHalf2x16 => {
                let v = cx.regs(a(0));
                let lo = self.make_v(cx, build::VCvtF16F32.on([v[0].into()]));
                let hi = self.make_v(cx, build::VCvtF16F32.on([v[1].into()]));
                let hi = self.make_v(cx, build::VLshlrevB32.on([Use::imm(16), hi.into()]));
                build::VOrB32.on([lo.into(), hi.into()])
            }
            Ir::UnpackHalf2x16 => {
                let x = self.vector(cx, a(0));
                self.valu(cx, build::VCvtF32F16.on([x]).def(out[0]));
                let h = self.make_v(cx, build::VLshrrevB32.on([Use::imm(16), x]));
                self.valu(cx, build::VCvtF32F16.on([h.into()]).def(out[1]));
                return Ok(());
            }
            _ => return self.integer(cx, i, &out),
        };
        self.valu(cx, inst.def(r));
        Ok(())
    }

    /// A sum, difference, product, or both, of floats.
    fn arithmetic(&mut self, cx: &mut IselCx<'_>, d: &gpucc_ir::InstData) -> Option<MI> {
        if matches!(d.op, Ir::FAdd | Ir::FSub)
            && let Some(m) = self.mad(cx, d)
        {
            return Some(m);
        }
        let o = match d.op {
            Ir::FAdd => Op::VAddF32,
            Ir::FSub => Op::VSubF32,
            Ir::FMul => Op::VMulF32,
            Ir::Fma => Op::VFmaF32,
            Ir::F2F => {
                let o = match (cx.f.ty(d.args[0]).scalar(), cx.f.ty(d.result()).scalar()) {
                    (Scalar::F16, Scalar::F32) => Op::VCvtF32F16,
                    (Scalar::F32, Scalar::F16) => Op::VCvtF16F32,
                    _ => return None,
                };
                let x = self.float(cx, d.args[0]);
                return Some(op(o).arg(x));
            }
            _ => return None,
        };
        let m = op(self.sized(cx, d.args[0], o));
        Some(d.args.iter().fold(m, |m, &v| m.arg(self.float(cx, v))))
    }

    /// What is limited to 0..1, as the modifier of the arithmetic that only this wants: a maximum with 0 takes 0 for NaN, as the modifier does.
    fn limited(&mut self, cx: &mut IselCx<'_>, d: &gpucc_ir::InstData) -> Option<MI> {
        let f = cx.f;
        let one = if f.ty(d.result()).scalar() == Scalar::F16 { 0x3c00 } else { 1f32.to_bits() };
        let beside =
            |args: &[Value], bits: u32| (0..2).find(|&k| bits_of(f, args[k]) == Some(bits)).map(|k| args[1 - k]);
        let here = |s: &Self, cx: &IselCx<'_>, v: Value| f.def_inst(v).is_some_and(|i| s.home[i] == Some(cx.current()));
        let v = match d.op {
            Ir::FSat => d.args[0],
            Ir::FMin => {
                let v = beside(&d.args, one)?;
                let inner = cx.fold_op(v, Ir::FMax).filter(|_| here(self, cx, v))?;
                beside(&inner.args, 0)?
            }
            _ => return None,
        };
        let p = cx.fold(v).filter(|_| here(self, cx, v))?;
        let m = self.arithmetic(cx, p)?;
        // Those with a literal inside have no modifiers.
        if matches!(m.target_op(), Some(GOp::I(Op::VMadmkF32 | Op::VMadakF32 | Op::VMadmkF16 | Op::VMadakF16))) {
            let t = self.make_v(cx, m);
            let add = op(self.sized(cx, v, Op::VAddF32)).arg(Use::reg(t)).imm(0);
            return Some(with(add, (Clamp(true),)));
        }
        Some(with(m, (Clamp(true),)))
    }

    /// The word of which a value is a byte, and which one.
    fn byte_of(&self, cx: &IselCx<'_>, v: Value) -> Option<(Value, usize)> {
        let p = self.peek(cx, v).filter(|_| cx.f.ty(v).bits() == 32 && !cx.f.ty(v).is_vector())?;
        let bits = |k: usize| bits_of(cx.f, p.args[k]);
        let (x, k) = match p.op {
            Ir::And => (0..2).find(|&k| bits(k) == Some(255)).map(|k| (p.args[1 - k], 0))?,
            Ir::UShr if bits(1) == Some(24) => (p.args[0], 3),
            Ir::UBitExtract if bits(2) == Some(8) && matches!(bits(1), Some(0 | 8 | 16 | 24)) => {
                (p.args[0], bits(1)? as usize / 8)
            }
            _ => return None,
        };
        (self.reg_banks.of(x) == RegBank::Vector && bits_of(cx.f, x).is_none()).then_some((x, k))
    }

    /// Integers, choices, and what moves lanes.
    pub(super) fn integer(&mut self, cx: &mut IselCx<'_>, i: Inst, out: &[VReg]) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let r = out[0];
        let inst: MI = match d.op {
            Ir::IAdd | Ir::ISub | Ir::INeg => {
                self.sum(cx, i, r);
                return Ok(());
            }
            Ir::IAbs => {
                let x = self.vector(cx, a(0));
                let n = self.make_v(cx, op(if self.generation == 2 { Op::VSubU32 } else { Op::VSubI32 }).imm(0).arg(x));
                build::VMaxI32.on([x, n.into()])
            }
            Ir::And if let Some((x, n, width)) = self.shifted_field(cx, d) => {
                let (x, n) = (self.any(cx, x), self.any(cx, n));
                build::VBfeU32.on([x, n, Use::imm(width)])
            }
            Ir::IMul
            | Ir::UMulHi
            | Ir::SMulHi
            | Ir::UMul24
            | Ir::SMin
            | Ir::SMax
            | Ir::UMin
            | Ir::UMax
            | Ir::And
            | Ir::Or
            | Ir::Xor => {
                let (x, y) = (self.any(cx, a(0)), self.any(cx, a(1)));
                op(match d.op {
                    Ir::IMul => Op::VMulLoU32,
                    Ir::UMulHi => Op::VMulHiU32,
                    Ir::SMulHi => Op::VMulHiI32,
                    Ir::UMul24 => Op::VMulU32U24,
                    Ir::SMin => Op::VMinI32,
                    Ir::SMax => Op::VMaxI32,
                    Ir::UMin => Op::VMinU32,
                    Ir::UMax => Op::VMaxU32,
                    Ir::And => Op::VAndB32,
                    Ir::Or => Op::VOrB32,
                    _ => Op::VXorB32,
                })
                .arg(x)
                .arg(y)
            }
            Ir::Shl | Ir::UShr | Ir::SShr => {
                let n = self.shift_amount(cx, a(1));
                let (x, n) = (self.any(cx, a(0)), self.any(cx, n));
                let o = match d.op {
                    Ir::Shl => Op::VLshlrevB32,
                    Ir::UShr => Op::VLshrrevB32,
                    _ => Op::VAshrrevI32,
                };
                op(o).arg(n).arg(x)
            }
            Ir::FShr | Ir::BitSel | Ir::UBitExtract | Ir::SBitExtract => {
                let (x, y, z) = (self.any(cx, a(0)), self.any(cx, a(1)), self.any(cx, a(2)));
                op(match d.op {
                    Ir::FShr => Op::VAlignbitB32,
                    Ir::BitSel => Op::VBfiB32,
                    // Only such with constant places come here, and those are shorter than a register.
                    Ir::UBitExtract => Op::VBfeU32,
                    _ => Op::VBfeI32,
                })
                .arg(x)
                .arg(y)
                .arg(z)
            }
            Ir::Not | Ir::BitReverse => {
                let x = self.any(cx, a(0));
                op(if d.op == Ir::Not { Op::VNotB32 } else { Op::VBfrevB32 }).arg(x)
            }
            Ir::Popcount => {
                let x = self.any(cx, a(0));
                build::VBcntU32B32.with((Long(true),), [x, Use::imm(0)])
            }
            Ir::Clz | Ir::Ctz => {
                let x = self.any(cx, a(0));
                let t = self.make_v(cx, op(if d.op == Ir::Clz { Op::VFfbhU32 } else { Op::VFfblB32 }).arg(x));
                build::VMinU32.on([Use::imm(32), t.into()])
            }
            Ir::Select => {
                let c = self.mask(cx, a(0));
                let (x, y) = (self.any(cx, a(1)), self.any(cx, a(2)));
                build::VCndmaskB32.with((Long(true),), [y, x, c])
            }
            // Bits above those of a narrow lane may be anything, but a load leaves zeros.
            Ir::ZExt if cx.f.def_op(a(0), Ir::Load).is_none() => {
                let (x, ones) = (self.any(cx, a(0)), cx.f.ty(a(0)).scalar().mask());
                build::VAndB32.on([Use::imm(ones as u32), x])
            }
            Ir::Bitcast | Ir::ZExt | Ir::Trunc if out.len() == 1 => {
                let x = self.any(cx, a(0));
                self.set(cx, r, x);
                return Ok(());
            }
            Ir::Bitcast => {
                let from = cx.regs(a(0));
                for (&r, s) in out.iter().zip(from) {
                    cx.emit(MInst::copy(r, s));
                }
                return Ok(());
            }
            Ir::Extract => {
                let Attr::Lane(k) = d.attr else { return Err(cx.unknown(i)) };
                let v = cx.regs(a(0));
                cx.emit(MInst::copy(r, v[k as usize]));
                return Ok(());
            }
            Ir::Splat => {
                let x = self.any(cx, a(0));
                for &r in out {
                    self.set(cx, r, x);
                }
                return Ok(());
            }
            Ir::Shuffle | Ir::Insert => {
                let from = d.moved_lanes(out.len() as u32).ok_or_else(|| cx.unknown(i))?;
                for (&r, (v, k)) in out.iter().zip(from) {
                    if cx.f.ty(v).is_vector() {
                        let lane = cx.regs(v)[k];
                        cx.emit(MInst::copy(r, lane));
                    } else {
                        let x = self.any(cx, v);
                        self.set(cx, r, x);
                    }
                }
                return Ok(());
            }
            Ir::Compose => {
                for (k, &r) in out.iter().enumerate() {
                    let x = self.any(cx, a(k));
                    self.set(cx, r, x);
                }
                return Ok(());
            }
            _ => return Err(cx.unknown(i)),
        };
        self.valu(cx, inst.def(r));
        Ok(())
    }

    /// The value whose low five bits say how far a word is shifted: a mask that keeps these bits does nothing.
    fn shift_amount(&self, cx: &IselCx<'_>, v: Value) -> Value {
        let kept = |p: &gpucc_ir::InstData| (0..2).find(|&k| bits_of(cx.f, p.args[k]).is_some_and(|c| c & 31 == 31));
        match self.peek(cx, v).filter(|p| p.op == Ir::And && cx.f.ty(v).bits() == 32) {
            Some(p) => kept(p).map_or(v, |k| p.args[1 - k]),
            None => v,
        }
    }

    /// Bits from a place that is no constant on, which only this mask wants: the word, the place and their number.
    fn shifted_field(&self, cx: &IselCx<'_>, d: &gpucc_ir::InstData) -> Option<(Value, Value, u32)> {
        let f = cx.f;
        let k = (0..2).find(|&k| bits_of(f, d.args[k]).is_some())?;
        let (mask, v) = (bits_of(f, d.args[k])?, d.args[1 - k]);
        let here = f.def_inst(v).is_some_and(|i| self.home[i] == Some(cx.current()));
        let p = cx.fold_op(v, Ir::UShr).filter(|_| here && f.ty(v).bits() == 32)?;
        let n = self.shift_amount(cx, p.args[1]);
        let field = mask != 0 && mask & mask.wrapping_add(1) == 0 && mask.count_ones() < 32;
        let vector = [p.args[0], n].iter().all(|&v| self.reg_banks.of(v) == RegBank::Vector && bits_of(f, v).is_none());
        (field && vector).then_some((p.args[0], n, mask.count_ones()))
    }

    /// A clamp between constants that need no literal is the median of three. The lower bound of floats has to be taken first: the
    /// instruction makes it of NaN, and so does the greater of both.
    fn median(&mut self, cx: &mut IselCx<'_>, d: &gpucc_ir::InstData) -> Option<MI> {
        if cx.f.ty(d.result()).bits() != 32 {
            return None;
        }
        let (inner, median) = match d.op {
            Ir::FMin => (Ir::FMax, Op::VMed3F32),
            Ir::SMin => (Ir::SMax, Op::VMed3I32),
            Ir::SMax => (Ir::SMin, Op::VMed3I32),
            Ir::UMin => (Ir::UMax, Op::VMed3U32),
            Ir::UMax => (Ir::UMin, Op::VMed3U32),
            _ => return None,
        };
        let f = cx.f;
        let bound = |args: &[Value]| {
            let k = args.iter().position(|&v| bits_of(f, v).is_some())?;
            let bits = bits_of(f, args[k]).filter(|&b| inline32(b, self.generation).is_some())?;
            Some((args[1 - k], bits))
        };
        let (v, second) = bound(&d.args)?;
        let here = Some(cx.current());
        let p = cx.fold_op(v, inner).filter(|_| f.def_inst(v).is_some_and(|i| self.home[i] == here))?;
        let (x, first) = bound(&p.args)?;
        let (low, high) = if matches!(d.op, Ir::SMax | Ir::UMax) { (second, first) } else { (first, second) };
        let ordered = match median {
            Op::VMed3F32 => f32::from_bits(low) <= f32::from_bits(high),
            Op::VMed3I32 => low as i32 <= high as i32,
            _ => low <= high,
        };
        let vector = [v, x].iter().all(|&v| self.reg_banks.of(v) == RegBank::Vector);
        if !ordered || !vector {
            return None;
        }
        let x = if median == Op::VMed3F32 { self.float(cx, x) } else { self.any(cx, x) };
        Some(op(median).arg(x).arg(Use::imm(low)).arg(Use::imm(high)))
    }

    /// A product that only this sum wants is computed with it: `v_mad_f32` and `v_mad_f16` round both, as the two instructions would.
    pub(super) fn mad(&mut self, cx: &mut IselCx<'_>, d: &gpucc_ir::InstData) -> Option<MI> {
        let f = cx.f;
        let generation = self.generation;
        let half = f.ty(d.result()).scalar() == Scalar::F16;
        // On words these make zeros of denormals whatever the mode is.
        if !half && self.module.entries[0].modes.f32.denormals == Denormals::Preserve {
            return None;
        }
        let number = if half { Number::F16 } else { Number::U32 };
        let sized = |o: Op| if half { of_halves(o) } else { o };
        let literal = |v: Value| bits_of(f, v).filter(|&b| inline(b, number, generation).is_none());
        let here = Some(cx.current());
        for k in 0..2 {
            let (v, other) = (d.args[k], d.args[1 - k]);
            let Some(p) = cx.fold_op(v, Ir::FMul).filter(|_| f.def_inst(v).is_some_and(|i| self.home[i] == here))
            else {
                continue;
            };
            let (a, b) = (p.args[0], p.args[1]);
            let constants = [a, b, other].iter().filter(|&&x| literal(x).is_some()).count();
            let negated = d.op == Ir::FSub;
            if constants > 1 || negated && (bits_of(f, if k == 0 { other } else { a }).is_some() || constants > 0) {
                continue;
            }
            if constants == 1 {
                // A literal takes the place of any scalar register, and there are no signs to fold.
                let (x, y, c, op_) = match (literal(a), literal(b)) {
                    (Some(c), _) => (b, other, c, Op::VMadmkF32),
                    (_, Some(c)) => (a, other, c, Op::VMadmkF32),
                    _ => (a, b, literal(other)?, Op::VMadakF32),
                };
                let plain = |v: Value| {
                    self.reg_banks.of(v) == RegBank::Vector
                        && bits_of(f, v).is_none()
                        && f.def_op(v, Ir::FNeg).is_none()
                        && f.def_op(v, Ir::FAbs).is_none()
                };
                if !plain(x) || !plain(y) {
                    continue;
                }
                let (x, y) = (self.vector(cx, x), self.vector(cx, y));
                return Some(with(op(sized(op_)).arg(x).arg(y), (K(c),)));
            }
            let (mut x, y, mut z) = (self.float(cx, a), self.float(cx, b), self.float(cx, other));
            if negated {
                let u = if k == 0 { &mut z } else { &mut x };
                u.mods.neg = !u.mods.neg;
            }
            return Some(with(op(sized(Op::VMadF32)).arg(x).arg(y).arg(z), (Long(true),)));
        }
        None
    }

    /// The work of the scalar unit.
    pub(super) fn scalar(&mut self, cx: &mut IselCx<'_>, i: Inst, r: VReg) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let m = match d.op {
            Ir::Extract if self.reg_banks.fixed_lane(i).is_none() => {
                let Attr::Lane(k) = d.attr else { return Err(cx.unknown(i)) };
                let from = cx.regs(d.args[0])[k as usize];
                cx.emit(MInst::copy(r, from));
                return Ok(());
            }
            Ir::Extract => {
                let x = self.held(cx, d.result()).unwrap_or(Use::imm(0));
                build::SMovB32.on([x])
            }
            Ir::Bitcast => {
                let x = self.any(cx, d.args[0]);
                cx.emit(MInst::copy(r, x));
                return Ok(());
            }
            Ir::Select => {
                let c = cx.f.def_inst(d.args[0]).map(|c| cx.data(c));
                let Some((c, Attr::IntCc(cc))) = c.map(|c| (c, &c.attr)) else {
                    return Err(cx.unknown(i));
                };
                let mut m = MInst::new(GOp::Choose(scalar_compare(*cc)));
                for &v in c.args.iter().chain(&d.args[1..]) {
                    let u = self.any(cx, v);
                    m = m.arg(u);
                }
                self.one_literal(cx, &mut m, 0..2);
                self.one_literal(cx, &mut m, 2..4);
                cx.emit(m.def(r));
                return Ok(());
            }
            Ir::Clz | Ir::Ctz => {
                // No bit gives -1.
                let x = self.any(cx, d.args[0]);
                let t = cx.temp(S);
                self.salu(cx, op(if d.op == Ir::Clz { Op::SFlbitI32B32 } else { Op::SFf1I32B32 }).def(t).arg(x));
                build::SMinU32.on([t.into(), Use::imm(32)])
            }
            Ir::FShr => {
                let (x, y, n) = (self.any(cx, d.args[0]), self.any(cx, d.args[1]), self.any(cx, d.args[2]));
                let (left, right) = (cx.temp(S), cx.temp(S));
                match cx.f.const_bits(d.args[2]) {
                    Some(c) => self.salu(cx, build::SLshlB32.on([x, Use::imm(32 - (c as u32) % 32)]).def(left)),
                    None => {
                        let by = cx.temp(S);
                        self.salu(cx, build::SSubU32.on([Use::imm(0), n]).def(by));
                        self.salu(cx, build::SLshlB32.on([x, by.into()]).def(left));
                    }
                }
                self.salu(cx, build::SLshrB32.on([y, n]).def(right));
                build::SOrB32.on([left.into(), right.into()])
            }
            Ir::BitSel => {
                let (m, x, y) = (self.any(cx, d.args[0]), self.any(cx, d.args[1]), self.any(cx, d.args[2]));
                let (taken, left) = (cx.temp(S), cx.temp(S));
                self.salu(cx, build::SAndB32.on([x, m]).def(taken));
                self.salu(cx, build::SAndn2B32.on([y, m]).def(left));
                build::SOrB32.on([taken.into(), left.into()])
            }
            Ir::UBitExtract | Ir::SBitExtract => {
                let x = self.any(cx, d.args[0]);
                let (Some(offset), Some(count)) = (cx.f.const_bits(d.args[1]), cx.f.const_bits(d.args[2])) else {
                    return Err(cx.unknown(i));
                };
                let o = if d.op == Ir::UBitExtract { Op::SBfeU32 } else { Op::SBfeI32 };
                op(o).arg(x).imm(offset as u32 | (count as u32) << 16)
            }
            o => {
                let Some(o) = scalar_op(o) else { return Err(cx.unknown(i)) };
                let mut m = op(o);
                if d.op == Ir::INeg {
                    m = m.imm(0);
                }
                for &v in &d.args {
                    let u = self.any(cx, v);
                    m = m.arg(u);
                }
                m
            }
        };
        self.salu(cx, m.def(r));
        Ok(())
    }
}
