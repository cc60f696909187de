//! Arithmetic.

use gpucc_ir::{Attr, Diagnostic, FloatCc, FpFlags, Inst, InstData, IntCc, Op as Ir, Sysval, Value, ValueDef};
use gpucc_mir::{Def, MInst, VReg};
use gpucc_tesla_machine as machine;
use machine::{AddOp, Cond, Op, Pred, Round, Ty};

use super::{Isel, IselCx, U, copy, high, low};
use crate::builders::{self as build, Builder};
use crate::inst::{FLAGS, Half, If, IntoHalf, Of, R32, Reads, Rounding, Sat, Signed, SrcMods, Sum, Tesla, When, zero};

/// The number of the first generation whose products can be limited to 0 and 1.
const NVA0: u8 = 2;

/// The condition of a comparison of integers, and whether they are signed.
fn int_cond(cc: IntCc) -> (Cond, bool) {
    match cc {
        IntCc::Eq => (Cond::Equal, false),
        IntCc::Ne => (Cond::NotEqual, false),
        IntCc::Slt => (Cond::Less, true),
        IntCc::Sle => (Cond::LessEqual, true),
        IntCc::Sgt => (Cond::Greater, true),
        IntCc::Sge => (Cond::GreaterEqual, true),
        IntCc::Ult => (Cond::Less, false),
        IntCc::Ule => (Cond::LessEqual, false),
        IntCc::Ugt => (Cond::Greater, false),
        IntCc::Uge => (Cond::GreaterEqual, false),
    }
}

pub(super) fn float_cond(cc: FloatCc) -> Cond {
    match cc {
        FloatCc::Olt => Cond::Less,
        FloatCc::Oeq => Cond::Equal,
        FloatCc::Ole => Cond::LessEqual,
        FloatCc::Ogt => Cond::Greater,
        FloatCc::One => Cond::NotEqual,
        FloatCc::Oge => Cond::GreaterEqual,
        FloatCc::Ord => Cond::Ordered,
        FloatCc::Uno => Cond::Unordered,
        FloatCc::Ult => Cond::LessUnordered,
        FloatCc::Ueq => Cond::EqualUnordered,
        FloatCc::Ule => Cond::LessEqualUnordered,
        FloatCc::Ugt => Cond::GreaterUnordered,
        FloatCc::Une => Cond::NotEqualUnordered,
        FloatCc::Uge => Cond::GreaterEqualUnordered,
    }
}

/// The direction in which an op rounds to integers.
pub(super) fn direction(op: Ir) -> Round {
    match op {
        Ir::FFloor => Round::Down,
        Ir::FCeil => Round::Up,
        Ir::FTrunc => Round::Zero,
        _ => Round::Nearest,
    }
}

impl Isel<'_> {
    pub(super) fn alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        if Self::has_double(cx, i) {
            return self.double_alu(cx, i);
        }
        let dst = cx.result(i, 0);
        match d.op {
            Ir::Splat => {
                let v = self.any(cx, d.args[0]);
                dst.iter().for_each(|&r| cx.emit(copy(r, v)));
            }
            Ir::Compose => {
                for (&r, &a) in dst.iter().zip(&d.args) {
                    self.copy_of(cx, r, a);
                }
            }
            Ir::Extract => {
                let Attr::Lane(l) = d.attr else { return Err(Diagnostic::internal("isel", "extract without lane")) };
                if let Some(u) = self.konst(cx, d.result()).filter(|u| *u != zero()) {
                    cx.emit(copy(dst[0], u));
                    return Ok(());
                }
                if let Some(u) = self.shared(cx, d.result()) {
                    cx.emit(copy(dst[0], u));
                    return Ok(());
                }
                let from = &cx.f.values[d.args[0]];
                if let ValueDef::Inst(s, _) = from.def
                    && cx.f.insts[s].attr == Attr::Sysval(Sysval::LocalInvocationId)
                {
                    let u = self.local_id(cx, usize::from(l));
                    cx.emit(copy(dst[0], u));
                    return Ok(());
                }
                let src = cx.regs(d.args[0]);
                cx.emit(MInst::copy(dst[0], src[usize::from(l)]));
            }
            Ir::Insert | Ir::Shuffle => {
                let from = d.moved_lanes(dst.len() as u32).ok_or_else(|| cx.unknown(i))?;
                for (&r, (v, k)) in dst.iter().zip(from) {
                    if cx.f.ty(v).is_vector() {
                        let lane = cx.regs(v)[k];
                        cx.emit(MInst::copy(r, lane));
                    } else {
                        self.copy_of(cx, r, v);
                    }
                }
            }
            // Bits above those of a narrow lane may be anything, but a load leaves zeros.
            Ir::ZExt if cx.f.def_op(d.args[0], Ir::Load).is_none() => {
                let ones = cx.f.ty(d.args[0]).scalar().mask() as u32;
                let x = cx.reg(d.args[0]).into();
                let t = self.temp(cx, build::And.on([x, U::imm(ones)]));
                cx.emit(MInst::copy(dst[0], t));
            }
            Ir::Bitcast | Ir::ZExt | Ir::Trunc => {
                let src = cx.regs(d.args[0]);
                if src.len() != dst.len() {
                    return Err(cx.unknown(i));
                }
                for (&r, &s) in dst.iter().zip(&src) {
                    cx.emit(MInst::copy(r, s));
                }
            }
            Ir::UnpackHalf2x16 => self.unpack_half(cx, d.args[0], &dst),
            _ if dst.len() > 1 => {
                return Err(Diagnostic::internal("isel", format!("a vector operation is left: {}", d.op)));
            }
            _ => self.scalar(cx, d, dst[0])?,
        }
        Ok(())
    }

    fn copy_of(&mut self, cx: &mut IselCx<'_>, d: VReg, v: Value) {
        match Self::bits(cx, v) {
            Some(b) => cx.emit(MInst::copy(d, U::imm(b))),
            None => {
                let r = cx.reg(v);
                cx.emit(MInst::copy(d, r));
            }
        }
    }

    /// Floats, and conversions from and to them; the rest is of integers.
    fn scalar(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg) -> Result<(), Diagnostic> {
        let a = |n: usize| d.args[n];
        match d.op {
            Ir::FAdd | Ir::FSub => self.fadd(cx, d, r, Sat(false)),
            Ir::FMul => self.fmul(cx, d, r, Sat(false)),
            Ir::Fma => self.fmad(cx, r, [a(0), a(1), a(2)], Sat(false)),
            Ir::FNeg => {
                let x = self.reg(cx, a(0));
                cx.emit(build::Xor.on([x, U::imm(0x8000_0000)]).def(r));
            }
            Ir::FAbs => {
                let (x, _, _) = Self::peel(cx, a(0), true);
                let x = self.reg(cx, x);
                cx.emit(build::And.on([x, U::imm(0x7fff_ffff)]).def(r));
            }
            Ir::FMin | Ir::FMax => {
                let (x, abs1, neg1) = Self::peel(cx, a(0), true);
                let (y, abs2, neg2) = Self::peel(cx, a(1), true);
                let (u, v, swap) = self.pair(cx, x, y);
                let (m1, m2) = if swap { ((abs2, neg2), (abs1, neg1)) } else { ((abs1, neg1), (abs2, neg2)) };
                let op = if d.op == Ir::FMin { build::Fmin } else { build::Fmax };
                cx.emit(op.on([Self::signed(u, m1.0, m1.1), Self::signed(v, m2.0, m2.1)]).def(r));
            }
            Ir::FSat => self.fsat(cx, d, r),
            Ir::FFloor | Ir::FCeil | Ir::FTrunc | Ir::FRoundEven => {
                let x = self.modified(cx, a(0));
                cx.emit(build::CvtRint.with((Of(Ty::F32), Rounding(direction(d.op))), [x]).def(r));
            }
            Ir::FFract => {
                let x = self.modified(cx, a(0));
                let t = self.temp(cx, build::CvtRint.with((Of(Ty::F32), Rounding(Round::Down)), [x]));
                let x = self.reg(cx, a(0));
                cx.emit(build::Fadd.on([x, Self::signed(t.into(), false, true)]).def(r));
            }
            Ir::FRcp | Ir::FRsqrt | Ir::FLog2 => {
                let op = match d.op {
                    Ir::FRcp => build::Rcp.plain(),
                    Ir::FRsqrt => build::Rsqrt.plain(),
                    _ => build::Lg2.plain(),
                };
                let x = self.modified(cx, a(0));
                cx.emit(op.on([x]).def(r));
            }
            Ir::FSqrt => {
                let x = self.modified(cx, a(0));
                let t = self.temp(cx, build::Rsqrt.on([x]));
                cx.emit(build::Rcp.on([t.into()]).def(r));
            }
            Ir::FExp2 | Ir::FSin | Ir::FCos => {
                let x = self.modified(cx, a(0));
                let pre = if d.op == Ir::FExp2 { build::PreEx2 } else { build::PreSin };
                let t = self.temp(cx, pre.on([x]));
                let op = match d.op {
                    Ir::FExp2 => build::Ex2.plain(),
                    Ir::FSin => build::Sin.plain(),
                    _ => build::Cos.plain(),
                };
                cx.emit(op.on([t.into()]).def(r));
            }
            Ir::FDiv => {
                let (y, abs, neg) = Self::peel(cx, a(1), true);
                let y = self.reg(cx, y);
                let t = self.temp(cx, build::Rcp.on([Self::signed(y, abs, neg)]));
                let (x, _, neg) = Self::peel(cx, a(0), false);
                let (u, v) =
                    if self.is_konst(cx, x) { (t.into(), self.any(cx, x)) } else { (self.reg(cx, x), t.into()) };
                cx.emit(build::Fmul.on([Self::signed(u, false, neg), v]).def(r));
            }
            Ir::FQuant16 => {
                let x = self.modified(cx, a(0));
                let t = self.to_half(cx, x, Half::Low, None);
                cx.emit(build::CvtFF.with((Of(Ty::F32), Reads(Ty::F16)), [low(t)]).def(r));
            }
            Ir::PackHalf2x16 => {
                let v = cx.regs(a(0));
                let t = self.to_half(cx, v[0].into(), Half::Low, None);
                let t = self.to_half(cx, v[1].into(), Half::High, Some(t));
                cx.emit(MInst::copy(r, t));
            }
            Ir::S2F | Ir::U2F => {
                let from = if d.op == Ir::S2F { Ty::S32 } else { Ty::U32 };
                let x = self.first(cx, a(0));
                cx.emit(build::CvtIF.with((Of(Ty::F32), Reads(from)), [x]).def(r));
            }
            Ir::F2SFull | Ir::F2UFull | Ir::F2S | Ir::F2U => {
                let signed = matches!(d.op, Ir::F2S | Ir::F2SFull);
                let x = self.modified(cx, a(0));
                let to = if signed { Ty::S32 } else { Ty::U32 };
                let int = build::CvtFI.with((Of(to), Reads(Ty::F32), Rounding(Round::Zero)), [x]);
                if matches!(d.op, Ir::F2S | Ir::F2U) && !gpucc_opt::frame::in_frame(cx.f, a(0)) {
                    // The largest values that both types hold.
                    let t = self.temp(cx, int);
                    let top = self.literal(if signed { 2_147_483_520 } else { 4_294_967_040 });
                    cx.emit(build::Min.with((Signed(signed),), [t.into(), top]).def(r));
                } else {
                    cx.emit(int.def(r));
                }
            }
            _ => return self.integer(cx, d, r),
        }
        Ok(())
    }

    /// Integers, comparisons, choices.
    fn integer(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg) -> Result<(), Diagnostic> {
        let a = |n: usize| d.args[n];
        match d.op {
            Ir::IAdd => self.iadd(cx, d, r),
            Ir::ISub => {
                if let Some(b) = Self::bits(cx, a(1)) {
                    let x = self.beside_immediate(cx, a(0));
                    cx.emit(build::Add.on([x, U::imm(b.wrapping_neg())]).def(r));
                } else {
                    let (u, v, swap) = self.pair(cx, a(0), a(1));
                    cx.emit(if swap { build::Subr } else { build::Sub }.on([u, v]).def(r));
                }
            }
            Ir::INeg => {
                let x = self.any(cx, a(0));
                cx.emit(build::Sub.on([zero(), x]).def(r));
            }
            Ir::IAbs => {
                let x = self.reg(cx, a(0));
                let t = self.temp(cx, build::Sub.on([zero(), x]));
                cx.emit(build::Max.with((Signed(true),), [x, t.into()]).def(r));
            }
            Ir::IMul => self.imul(cx, a(0), a(1), r),
            Ir::UMulHi => self.umulhi(cx, a(0), a(1), r),
            Ir::UMul24 | Ir::SMul24 => {
                let (u, v, _) = self.pair(cx, a(0), a(1));
                cx.emit(build::Mul24.with((Signed(d.op == Ir::SMul24),), [u, v]).def(r));
            }
            Ir::SMin | Ir::SMax | Ir::UMin | Ir::UMax => {
                let (u, v, _) = self.pair(cx, a(0), a(1));
                let op = if matches!(d.op, Ir::SMin | Ir::UMin) { build::Min } else { build::Max };
                let signed = matches!(d.op, Ir::SMin | Ir::SMax);
                cx.emit(op.with((Signed(signed),), [u, v]).def(r));
            }
            Ir::And | Ir::Or | Ir::Xor => {
                let args = self.logic(cx, a(0), a(1));
                cx.emit(logic_op(d.op).on(args).def(r));
            }
            Ir::Not => {
                let x = self.reg(cx, a(0));
                cx.emit(build::Xor.on([x, U::imm(u32::MAX)]).def(r));
            }
            Ir::Shl | Ir::UShr | Ir::SShr => {
                let x = self.first(cx, a(0));
                let n = if let Some(n) = Self::bits(cx, a(1)) {
                    U::imm(n & 31)
                } else if bound(self, cx, a(1), 4) < 32 {
                    self.any(cx, a(1))
                } else {
                    let n = self.reg(cx, a(1));
                    self.temp(cx, build::And.on([n, U::imm(31)])).into()
                };
                cx.emit(match d.op {
                    Ir::Shl => build::Shl.on([x, n]).def(r),
                    op => build::Shr.with((Signed(op == Ir::SShr),), [x, n]).def(r),
                });
            }
            Ir::ICmp | Ir::FCmp => {
                let Some(c) = self.compare(cx, d, false) else {
                    return Err(Diagnostic::internal("isel", "a comparison without condition"));
                };
                cx.emit(c.def(r));
            }
            Ir::Select => self.select(cx, d, r),
            Ir::BufferLength => {
                if let Some(u) = self.shared(cx, d.result()).or_else(|| self.konst(cx, d.result())) {
                    cx.emit(copy(r, u));
                }
            }
            _ => return Err(Diagnostic::internal("isel", format!("no rule for {}", d.op))),
        }
        Ok(())
    }

    /// A register operand with its sign modifiers, for forms that take both.
    pub(super) fn modified(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let (x, abs, neg) = Self::peel(cx, v, true);
        let x = self.reg(cx, x);
        Self::signed(x, abs, neg)
    }

    fn to_half(&self, cx: &mut IselCx<'_>, x: U, half: Half, into: Option<VReg>) -> VReg {
        let d = cx.temp(R32);
        let mut i = build::CvtFF.with((Of(Ty::F16), Reads(Ty::F32), IntoHalf(half)), [x]);
        match into {
            // The other half stays.
            Some(old) => i = i.arg(old).def(Def::reg(d).tied(1)),
            None => i = i.def(d),
        }
        cx.emit(i);
        d
    }

    /// The halves of a packed pair as f32.
    fn unpack_half(&mut self, cx: &mut IselCx<'_>, v: Value, dst: &[VReg]) {
        let x = cx.reg(v);
        for (&r, u) in dst.iter().zip([low(x), high(x)]) {
            cx.emit(build::CvtFF.with((Of(Ty::F32), Reads(Ty::F16)), [u]).def(r));
        }
    }

    /// The limits 0 and 1. What only this reads is limited as it is made, and stays NaN there: a maximum makes that 0.
    fn fsat(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg) {
        let no_nan = d.fp.has(FpFlags::NNAN);
        let made = cx.fold(d.args[0]).filter(|m| match m.op {
            Ir::FAdd | Ir::FSub | Ir::Fma => true,
            // Older chips have no product that does this.
            Ir::FMul => self.t.generation >= NVA0,
            _ => false,
        });
        let Some(made) = made else {
            let x = self.modified(cx, d.args[0]);
            if cx.f.def_op(d.args[0], Ir::FFract).is_some() {
                // It is within them, or NaN.
                cx.emit(build::Fmax.on([x, zero()]).def(r));
            } else if no_nan {
                cx.emit(build::CvtFF.with((Of(Ty::F32), Reads(Ty::F32), Sat(true)), [x]).def(r));
            } else {
                let t = self.temp(cx, build::Fmax.on([x, zero()]));
                let one = self.literal(1.0f32.to_bits());
                cx.emit(build::Fmin.on([t.into(), one]).def(r));
            }
            return;
        };
        let t = if no_nan { r } else { cx.temp(R32) };
        match made.op {
            Ir::Fma => self.fmad(cx, t, [made.args[0], made.args[1], made.args[2]], Sat(true)),
            Ir::FMul => self.fmul(cx, made, t, Sat(true)),
            _ => self.fadd(cx, made, t, Sat(true)),
        }
        if !no_nan {
            cx.emit(build::Fmax.on([t.into(), zero()]).def(r));
        }
    }

    fn fmul(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg, sat: Sat) {
        let (x, _, n1) = Self::peel(cx, d.args[0], false);
        let (y, _, n2) = Self::peel(cx, d.args[1], false);
        let (u, v, _, a) = self.pair_loaded(cx, x, y);
        let op = if sat.0 { build::FmulSat } else { build::Fmul };
        cx.emit(op.on([Self::signed(u, false, n1 ^ n2), v]).args(a).def(r));
    }

    fn fadd(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg, sat: Sat) {
        let sub = d.op == Ir::FSub;
        let (x, _, n1) = Self::peel(cx, d.args[0], false);
        let (y, _, n2) = Self::peel(cx, d.args[1], false);
        let n2 = n2 ^ sub;
        let (u, v, swap, a) = self.pair_loaded(cx, x, y);
        let (n1, n2) = if swap { (n2, n1) } else { (n1, n2) };
        let args = [Self::signed(u, false, n1), Self::signed(v, false, n2)];
        cx.emit(build::Fadd.with((sat,), args).args(a).def(r));
    }

    /// [`pair`](Self::pair) of floats, of which the first may be read from workgroup memory or the second from a uniform buffer; the address
    /// register of either, too.
    fn pair_loaded(&mut self, cx: &mut IselCx<'_>, x: Value, y: Value) -> (U, U, bool, Option<U>) {
        for (x, y, swap) in [(x, y, false), (y, x, true)] {
            if x != y
                && !self.is_konst(cx, x)
                && let Some((v, a)) = self.indexed(cx, y)
            {
                // The address register belongs to s[] where that is read as well.
                let u = if self.io.is_staged() { self.first(cx, x) } else { self.reg(cx, x) };
                return (u, v, swap, Some(a));
            }
        }
        for (x, y, swap) in [(x, y, false), (y, x, true)] {
            if x != y
                && !self.is_konst(cx, y)
                && let Some((u, a)) = self.loaded(cx, x)
            {
                let v = self.reg(cx, y);
                return (u, v, swap, a);
            }
        }
        let (u, v, swap) = self.pair(cx, x, y);
        (u, v, swap, None)
    }

    /// `a * b + c`, signs folded.
    fn fmad(&mut self, cx: &mut IselCx<'_>, r: VReg, [a, b, c]: [Value; 3], sat: Sat) {
        let (a, _, n1) = Self::peel(cx, a, false);
        let (b, _, n2) = Self::peel(cx, b, false);
        let (c, _, n3) = Self::peel(cx, c, false);
        let (u, v, _, address) = self.pair_loaded(cx, a, b);
        // One c[] operand at most, and none beside an address register.
        let busy = matches!(v.src, gpucc_mir::Src::Uniform(_)) || address.is_some();
        let plain = self.io.is_staged() || matches!(u.src, gpucc_mir::Src::Reg(_));
        let (w, address) = match (busy, address) {
            (true, address) => (self.reg(cx, c), address),
            (false, _) if plain => match self.indexed(cx, c) {
                Some((w, a)) => (w, Some(a)),
                None => (self.any(cx, c), None),
            },
            (false, _) => (self.any(cx, c), None),
        };
        let args = [Self::signed(u, false, n1 ^ n2), v, Self::signed(w, false, n3)];
        cx.emit(build::Fmad.with((sat,), args).args(address).def(r));
    }

    fn iadd(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg) {
        // A 24-bit product that only this sum needs.
        for (p, other) in [(d.args[0], d.args[1]), (d.args[1], d.args[0])] {
            let Some(m) = cx.fold(p) else { continue };
            let narrow = match m.op {
                Ir::UMul24 => true,
                Ir::IMul => m.args.iter().all(|&v| bound(self, cx, v, 4) < 1 << 24),
                _ => false,
            };
            if narrow {
                let (u, v, _) = self.pair(cx, m.args[0], m.args[1]);
                let w =
                    if matches!(v.src, gpucc_mir::Src::Uniform(_)) { self.reg(cx, other) } else { self.any(cx, other) };
                cx.emit(build::MadU24.on([u, v, w]).def(r));
                return;
            }
        }
        for (x, y) in [(d.args[0], d.args[1]), (d.args[1], d.args[0])] {
            if let Some(b) = Self::bits(cx, y) {
                let x = self.beside_immediate(cx, x);
                cx.emit(build::Add.on([x, U::imm(b)]).def(r));
                return;
            }
        }
        let (u, v, _) = self.pair(cx, d.args[0], d.args[1]);
        cx.emit(build::Add.on([u, v]).def(r));
    }

    /// Low 32 bits of a product of registers.
    pub(crate) fn mul32(&self, cx: &mut IselCx<'_>, a: VReg, b: VReg) -> VReg {
        let d = cx.temp(R32);
        self.mul_parts(cx, a, [low(b), high(b)], d);
        d
    }

    fn mul_parts(&self, cx: &mut IselCx<'_>, a: VReg, b: [U; 2], d: VReg) {
        let t = self.temp(cx, build::Mul16.on([low(a), b[1]]));
        let t = self.temp(cx, build::MadU16.on([high(a), b[0], t.into()]));
        let t = self.shift(cx, build::Shl, t.into(), 16);
        cx.emit(build::MadU16.on([low(a), b[0], t.into()]).def(d));
    }

    fn imul(&mut self, cx: &mut IselCx<'_>, a: Value, b: Value, r: VReg) {
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let (ba, bb) = (bound(self, cx, a, 4), bound(self, cx, b, 4));
        if ba < 1 << 24 && bb < 1 << 24 {
            let (u, v, _) = self.pair(cx, a, b);
            cx.emit(build::Mul24.on([u, v]).def(r));
            return;
        }
        let halves = |u: U| [Half::Low, Half::High].map(|h| u.mods(SrcMods::half(h)));
        let x = cx.reg(a);
        let y = self.halved(cx, b);
        if bb < 1 << 16 {
            // The high half of b adds nothing.
            let t = self.temp(cx, build::Mul16.on([high(x), halves(y)[0]]));
            let t = self.shift(cx, build::Shl, t.into(), 16);
            cx.emit(build::MadU16.on([low(x), halves(y)[0], t.into()]).def(r));
        } else if ba < 1 << 16 {
            let t = self.temp(cx, build::Mul16.on([low(x), halves(y)[1]]));
            let t = self.shift(cx, build::Shl, t.into(), 16);
            cx.emit(build::MadU16.on([low(x), halves(y)[0], t.into()]).def(r));
        } else {
            self.mul_parts(cx, x, halves(y), r);
        }
    }

    /// The high half of an unsigned product, with two carries (reference section 9).
    fn umulhi(&mut self, cx: &mut IselCx<'_>, a: Value, b: Value, r: VReg) {
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let x = cx.reg(a);
        let y = self.halved(cx, b);
        let [yl, yh] = [Half::Low, Half::High].map(|h| y.mods(SrcMods::half(h)));
        let t = self.temp(cx, build::Mul16.on([low(x), yh]));
        let (c0, c1) = (cx.temp(FLAGS), cx.temp(FLAGS));
        let m = cx.temp(R32);
        cx.emit(build::MadU16.on([high(x), yl, t.into()]).def(m).def(c0));
        let s = self.shift(cx, build::Shl, m.into(), 16);
        cx.emit(build::MadU16.on([low(x), yl, s.into()]).def(c1));
        let h = self.shift(cx, build::Shr, m.into(), 16);
        // Where the sum of the middle products overflowed.
        let carry = self.literal(0x1_0000);
        let h2 = cx.temp(R32);
        let with_carry = build::Add.with((When(Pred::Carry),), [h.into(), carry]).arg(c0);
        cx.emit(with_carry.def(Def::reg(h2).tied(0)));
        cx.emit(build::MadU16.with((Sum(AddOp::Addc),), [high(x), yh, h2.into()]).arg(c1).def(r));
    }

    /// Operands of a bitwise operation: complements are modifiers, literals immediates.
    fn logic(&mut self, cx: &mut IselCx<'_>, a: Value, b: Value) -> [U; 2] {
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let strip = |v: Value| match cx.f.def_op(v, Ir::Not) {
            Some(d) => (d.args[0], true),
            None => (v, false),
        };
        let ((x, n1), (y, n2)) = (strip(a), strip(b));
        let not = |u: U, n: bool| if n { u.mods(SrcMods { not: true, ..u.mods }) } else { u };
        let (u, v) = match Self::bits(cx, y) {
            Some(bits) if !n2 => (self.beside_immediate(cx, x), U::imm(bits)),
            _ => (self.first(cx, x), self.any(cx, y)),
        };
        [not(u, n1), not(v, n2)]
    }

    fn compare(&mut self, cx: &mut IselCx<'_>, d: &InstData, negate: bool) -> Option<MInst<Tesla>> {
        match d.attr {
            Attr::IntCc(cc) => {
                let cc = if negate { cc.negated() } else { cc };
                let (cond, signed) = int_cond(cc);
                let (u, v, swap) = self.pair(cx, d.args[0], d.args[1]);
                let cond = if swap { cond.swapped() } else { cond };
                Some(build::Set.with((If(cond), Signed(signed)), [u, v]))
            }
            Attr::FloatCc(cc) => {
                let cc = if negate { cc.negated() } else { cc };
                if Self::is_double(cx, d.args[0]) {
                    return Some(Self::compare_doubles(cx, float_cond(cc), d.args[0], d.args[1]));
                }
                let (x, abs1, neg1) = Self::peel(cx, d.args[0], true);
                let (y, abs2, neg2) = Self::peel(cx, d.args[1], true);
                let (u, v, swap) = self.pair(cx, x, y);
                let cond = float_cond(cc);
                let (cond, m1, m2) = if swap {
                    (cond.swapped(), (abs2, neg2), (abs1, neg1))
                } else {
                    (cond, (abs1, neg1), (abs2, neg2))
                };
                let args = [Self::signed(u, m1.0, m1.1), Self::signed(v, m2.0, m2.1)];
                Some(build::Fset.with((If(cond),), args))
            }
            _ => None,
        }
    }

    /// Flags that tell whether a condition holds, and the predicate that asks them.
    pub(super) fn condition(&mut self, cx: &mut IselCx<'_>, v: Value, negate: bool) -> (VReg, Pred) {
        let pred = |n: bool| if n { Pred::Zero } else { Pred::NotZero };
        let c = cx.temp(FLAGS);
        match cx.peek(v) {
            Some(d) if d.op == Ir::Not => return self.condition(cx, d.args[0], !negate),
            Some(d) if matches!(d.op, Ir::ICmp | Ir::FCmp) => {
                if let Attr::IntCc(cc @ (IntCc::Eq | IntCc::Ne)) = d.attr
                    && Self::bits(cx, d.args[1]) == Some(0)
                    && cx.f.ty(d.args[0]).is_int()
                    && self.bits_to_flags(cx, d.args[0], c)
                {
                    return (c, pred(negate ^ (cc == IntCc::Eq)));
                }
                if let Some(k) = self.compare(cx, d, false) {
                    cx.emit(k.def(c));
                    return (c, pred(negate));
                }
            }
            _ => {}
        }
        if self.bits_to_flags(cx, v, c) {
            return (c, pred(negate));
        }
        let m = cx.reg(v);
        cx.emit(build::And.on([m.into(), m.into()]).def(c));
        (c, pred(negate))
    }

    /// Whether a bitwise operation that only a branch reads could write flags alone.
    fn bits_to_flags(&mut self, cx: &mut IselCx<'_>, v: Value, c: VReg) -> bool {
        let Some(d) = cx.fold(v).filter(|d| matches!(d.op, Ir::And | Ir::Or | Ir::Xor)) else { return false };
        // Forms with an immediate write no flags.
        let literal = d.args.iter().find_map(|&a| Self::bits(cx, a));
        if literal.is_some_and(|b| b != 0 && self.pool.find(b).is_none() && !self.pool.has_room()) {
            return false;
        }
        let [x, mut y] = self.logic(cx, d.args[0], d.args[1]);
        if let gpucc_mir::Src::Imm(b) = y.src {
            y = self.literal(b).mods(y.mods);
        }
        cx.emit(logic_op(d.op).on([x, y]).def(c));
        true
    }

    /// One `slct`: the second source where the mask is set, else the first.
    fn select(&mut self, cx: &mut IselCx<'_>, d: &InstData, r: VReg) {
        let (mut yes, mut no) = (d.args[1], d.args[2]);
        let mut c = d.args[0];
        while let Some(n) = cx.f.def_op(c, Ir::Not) {
            std::mem::swap(&mut yes, &mut no);
            c = n.args[0];
        }
        // A literal fits the second source only.
        let mut negate = false;
        if self.is_konst(cx, no)
            && Self::bits(cx, no) != Some(0)
            && (!self.is_konst(cx, yes) || Self::bits(cx, yes) == Some(0))
            && cx.fold(c).is_some_and(|d| matches!(d.op, Ir::ICmp | Ir::FCmp))
        {
            std::mem::swap(&mut yes, &mut no);
            negate = true;
        }
        let mask = match cx.fold(c).filter(|d| negate && matches!(d.op, Ir::ICmp | Ir::FCmp)) {
            Some(d) => match self.compare(cx, d, true) {
                Some(k) => self.temp(cx, k).into(),
                None => self.reg(cx, c),
            },
            None => self.reg(cx, c),
        };
        let u = self.first(cx, no);
        let v = self.any(cx, yes);
        if u == zero() && v == zero() {
            cx.emit(MInst::copy(r, U::imm(0)));
            return;
        }
        cx.emit(build::Slct.on([u, v, mask]).def(r));
    }
}

fn logic_op(op: Ir) -> Builder<2, 0, { build::takes(Op::And) }> {
    match op {
        Ir::And => build::And,
        Ir::Or => build::Or,
        _ => build::Xor,
    }
}

/// A number that an unsigned value never exceeds.
pub(super) fn bound(s: &Isel<'_>, cx: &IselCx<'_>, v: Value, depth: u32) -> u64 {
    let all = u64::from(u32::MAX);
    if let Some(b) = Isel::bits(cx, v) {
        return b.into();
    }
    let Some(i) = cx.f.def_inst(v) else { return all };
    if depth == 0 {
        return all;
    }
    let d = &cx.f.insts[i];
    let of = |k: usize| bound(s, cx, d.args[k], depth - 1);
    match d.op {
        Ir::And => of(0).min(of(1)),
        Ir::UMin => of(0).min(of(1)),
        Ir::UMax | Ir::Or | Ir::Xor => {
            let most = of(0).max(of(1));
            if d.op == Ir::UMax { most } else { (most + 1).next_power_of_two() - 1 }
        }
        Ir::IAdd => {
            let sum = of(0) + of(1);
            if sum > all { all } else { sum }
        }
        Ir::IMul | Ir::UMul24 => {
            let (x, y) = (of(0), of(1));
            let p = x.saturating_mul(y);
            if p > all { all } else { p }
        }
        Ir::UShr => match Isel::bits(cx, d.args[1]) {
            Some(n) => of(0) >> (n & 31),
            None => of(0),
        },
        Ir::Shl => match Isel::bits(cx, d.args[1]) {
            Some(n) if of(0) << (n & 31) <= all => of(0) << (n & 31),
            _ => all,
        },
        Ir::Select => of(1).max(of(2)),
        Ir::UDiv => of(0),
        Ir::URem => of(0),
        Ir::Popcount | Ir::Clz | Ir::Ctz => 32,
        Ir::Sysval | Ir::Extract => {
            let (data, lane) = match (d.op, &d.attr) {
                (Ir::Extract, Attr::Lane(l)) => match cx.f.def_inst(d.args[0]) {
                    Some(j) => (&cx.f.insts[j], usize::from(*l)),
                    None => return all,
                },
                _ => (d, 0),
            };
            let total: u64 = s.size.iter().map(|&n| u64::from(n)).product();
            match data.attr {
                Attr::Sysval(Sysval::LocalInvocationId) => u64::from(s.size[lane]) - 1,
                Attr::Sysval(Sysval::WorkgroupId | Sysval::NumWorkgroups) => 0xffff,
                Attr::Sysval(Sysval::GlobalInvocationId) => (0xffff * u64::from(s.size[lane])).min(all),
                Attr::Sysval(
                    Sysval::LocalInvocationIndex
                    | Sysval::SubgroupSize
                    | Sysval::SubgroupInvocationId
                    | Sysval::SubgroupId
                    | Sysval::NumSubgroups,
                ) => total.max(32),
                _ => all,
            }
        }
        _ => all,
    }
}
