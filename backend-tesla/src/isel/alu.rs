//! Arithmetic.

use gpucc_ir::{Attr, Diagnostic, FloatCc, FpFlags, Inst, InstData, IntCc, Op as Ir, Sysval, Value, ValueDef};
use gpucc_mir::{Def, MInst, VReg};
use gpucc_tesla_machine as machine;
use machine::{Op, Ty};

use super::{Cx, Isel, U, copy, high, low};
use crate::target::{FAILS, FLAGS, HOLDS, Half, Mods, R32, SrcMods, TOp, zero};

/// Round to integer toward zero, down, up, to even.
const TRUNC: u8 = 3;
const FLOOR: u8 = 1;
const CEIL: u8 = 2;
const EVEN: u8 = 0;

/// Condition bits of integer comparisons, and whether they are signed.
fn int_cond(cc: IntCc) -> (u8, bool) {
    match cc {
        IntCc::Eq => (2, false),
        IntCc::Ne => (5, false),
        IntCc::Slt => (1, true),
        IntCc::Sle => (3, true),
        IntCc::Sgt => (4, true),
        IntCc::Sge => (6, true),
        IntCc::Ult => (1, false),
        IntCc::Ule => (3, false),
        IntCc::Ugt => (4, false),
        IntCc::Uge => (6, false),
    }
}

fn float_cond(cc: FloatCc) -> u8 {
    match cc {
        FloatCc::Olt => 1,
        FloatCc::Oeq => 2,
        FloatCc::Ole => 3,
        FloatCc::Ogt => 4,
        FloatCc::One => 5,
        FloatCc::Oge => 6,
        FloatCc::Ord => 7,
        FloatCc::Uno => 8,
        FloatCc::Ult => 9,
        FloatCc::Ueq => 10,
        FloatCc::Ule => 11,
        FloatCc::Ugt => 12,
        FloatCc::Une => 13,
        FloatCc::Uge => 14,
    }
}

fn swapped(cond: u8) -> u8 {
    cond & 10 | (cond & 1) << 2 | (cond & 4) >> 2
}

/// What a comparison compiles to.
struct Compare {
    op: Op,
    mods: Mods,
    args: [U; 2],
}

impl Isel<'_> {
    pub(super) fn alu(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
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
                let t = self.int(cx, Op::And, [x, U::imm(ones)]);
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

    fn copy_of(&mut self, cx: &mut Cx<'_>, d: VReg, v: Value) {
        match Self::bits(cx, v) {
            Some(b) => cx.emit(MInst::copy(d, U::imm(b))),
            None => {
                let r = cx.reg(v);
                cx.emit(MInst::copy(d, r));
            }
        }
    }

    fn put(cx: &mut Cx<'_>, op: Op, d: VReg, mods: Mods, args: impl IntoIterator<Item = U>) {
        cx.emit(MInst::new(TOp::M(op)).def(d).args(args).mods(mods));
    }

    fn scalar(&mut self, cx: &mut Cx<'_>, d: &InstData, r: VReg) -> Result<(), Diagnostic> {
        let a = |n: usize| d.args[n];
        let int = Mods::default();
        let f32 = Mods::ty(Ty::F32);
        match d.op {
            // Floats.
            Ir::FAdd | Ir::FSub => self.fadd(cx, d, r),
            Ir::FMul => {
                let (x, _, n1) = Self::peel(cx, a(0), false);
                let (y, _, n2) = Self::peel(cx, a(1), false);
                let (u, v, _, a) = self.pair_loaded(cx, x, y);
                Self::put(cx, Op::Fmul, r, f32, [Self::signed(u, false, n1 ^ n2), v].into_iter().chain(a));
            }
            Ir::Fma => self.fmad(cx, r, [a(0), a(1), a(2)]),
            Ir::FNeg => {
                let x = self.reg(cx, a(0));
                Self::put(cx, Op::Xor, r, int, [x, U::imm(0x8000_0000)]);
            }
            Ir::FAbs => {
                let (x, _, _) = Self::peel(cx, a(0), true);
                let x = self.reg(cx, x);
                Self::put(cx, Op::And, r, int, [x, U::imm(0x7fff_ffff)]);
            }
            Ir::FMin | Ir::FMax => {
                let (x, abs1, neg1) = Self::peel(cx, a(0), true);
                let (y, abs2, neg2) = Self::peel(cx, a(1), true);
                let (u, v, swap) = self.pair(cx, x, y);
                let (m1, m2) = if swap { ((abs2, neg2), (abs1, neg1)) } else { ((abs1, neg1), (abs2, neg2)) };
                let op = if d.op == Ir::FMin { Op::Fmin } else { Op::Fmax };
                Self::put(cx, op, r, f32, [Self::signed(u, m1.0, m1.1), Self::signed(v, m2.0, m2.1)]);
            }
            Ir::FSat => {
                let (x, abs, neg) = Self::peel(cx, a(0), true);
                let x = self.reg(cx, x);
                let x = Self::signed(x, abs, neg);
                if d.fp.has(FpFlags::NNAN) {
                    let m = Mods { sat: true, ..Mods::cvt(Ty::F32, Ty::F32, 0) };
                    Self::put(cx, Op::CvtFF, r, m, [x]);
                } else {
                    let t = self.op(cx, Op::Fmax, f32, [x, zero()]);
                    let one = self.literal(1.0f32.to_bits());
                    Self::put(cx, Op::Fmin, r, f32, [t.into(), one]);
                }
            }
            Ir::FFloor | Ir::FCeil | Ir::FTrunc | Ir::FRoundEven => {
                let rnd = match d.op {
                    Ir::FFloor => FLOOR,
                    Ir::FCeil => CEIL,
                    Ir::FTrunc => TRUNC,
                    _ => EVEN,
                };
                let x = self.modified(cx, a(0));
                Self::put(cx, Op::CvtRint, r, Mods::cvt(Ty::F32, Ty::F32, rnd), [x]);
            }
            Ir::FFract => {
                let x = self.modified(cx, a(0));
                let t = self.op(cx, Op::CvtRint, Mods::cvt(Ty::F32, Ty::F32, FLOOR), [x]);
                let x = self.reg(cx, a(0));
                Self::put(cx, Op::Fadd, r, f32, [x, Self::signed(t.into(), false, true)]);
            }
            Ir::FRcp | Ir::FRsqrt | Ir::FLog2 => {
                let op = match d.op {
                    Ir::FRcp => Op::Rcp,
                    Ir::FRsqrt => Op::Rsqrt,
                    _ => Op::Lg2,
                };
                let x = self.modified(cx, a(0));
                Self::put(cx, op, r, f32, [x]);
            }
            Ir::FSqrt => {
                let x = self.modified(cx, a(0));
                let t = self.op(cx, Op::Rsqrt, f32, [x]);
                Self::put(cx, Op::Rcp, r, f32, [t.into()]);
            }
            Ir::FExp2 | Ir::FSin | Ir::FCos => {
                let x = self.modified(cx, a(0));
                let pre = if d.op == Ir::FExp2 { Op::PreEx2 } else { Op::PreSin };
                let t = self.op(cx, pre, f32, [x]);
                let op = match d.op {
                    Ir::FExp2 => Op::Ex2,
                    Ir::FSin => Op::Sin,
                    _ => Op::Cos,
                };
                Self::put(cx, op, r, f32, [t.into()]);
            }
            Ir::FDiv => {
                let (y, abs, neg) = Self::peel(cx, a(1), true);
                let y = self.reg(cx, y);
                let t = self.op(cx, Op::Rcp, f32, [Self::signed(y, abs, neg)]);
                let (x, _, neg) = Self::peel(cx, a(0), false);
                let (u, v) =
                    if self.is_konst(cx, x) { (t.into(), self.any(cx, x)) } else { (self.reg(cx, x), t.into()) };
                Self::put(cx, Op::Fmul, r, f32, [Self::signed(u, false, neg), v]);
            }
            Ir::FQuant16 => {
                let x = self.modified(cx, a(0));
                let t = self.to_half(cx, x, Half::Low, None);
                Self::put(cx, Op::CvtFF, r, Mods::cvt(Ty::F32, Ty::F16, 0), [low(t)]);
            }
            Ir::PackHalf2x16 => {
                let v = cx.regs(a(0));
                let t = self.to_half(cx, v[0].into(), Half::Low, None);
                let t = self.to_half(cx, v[1].into(), Half::High, Some(t));
                cx.emit(MInst::copy(r, t));
            }
            // Conversions.
            Ir::S2F | Ir::U2F => {
                let from = if d.op == Ir::S2F { Ty::S32 } else { Ty::U32 };
                let x = self.first(cx, a(0));
                Self::put(cx, Op::CvtIF, r, Mods::cvt(Ty::F32, from, 0), [x]);
            }
            Ir::F2SFull | Ir::F2UFull | Ir::F2S | Ir::F2U => {
                let signed = matches!(d.op, Ir::F2S | Ir::F2SFull);
                let x = self.modified(cx, a(0));
                let to = if signed { Ty::S32 } else { Ty::U32 };
                let mods = Mods::cvt(to, Ty::F32, TRUNC);
                if matches!(d.op, Ir::F2S | Ir::F2U) {
                    // The largest values that both types hold.
                    let t = self.op(cx, Op::CvtFI, mods, [x]);
                    let top = self.literal(if signed { 2_147_483_520 } else { 4_294_967_040 });
                    Self::put(cx, Op::Min, r, Mods { signed, ..int }, [t.into(), top]);
                } else {
                    Self::put(cx, Op::CvtFI, r, mods, [x]);
                }
            }
            // Integers.
            Ir::IAdd => self.iadd(cx, d, r),
            Ir::ISub => {
                if let Some(b) = Self::bits(cx, a(1)) {
                    let x = self.first(cx, a(0));
                    Self::put(cx, Op::Add, r, int, [x, U::imm(b.wrapping_neg())]);
                } else {
                    let (u, v, swap) = self.pair(cx, a(0), a(1));
                    Self::put(cx, if swap { Op::Subr } else { Op::Sub }, r, int, [u, v]);
                }
            }
            Ir::INeg => {
                let x = self.any(cx, a(0));
                Self::put(cx, Op::Sub, r, int, [zero(), x]);
            }
            Ir::IAbs => {
                let x = self.reg(cx, a(0));
                let t = self.int(cx, Op::Sub, [zero(), x]);
                Self::put(cx, Op::Max, r, Mods { signed: true, ..int }, [x, t.into()]);
            }
            Ir::IMul => self.imul(cx, a(0), a(1), r),
            Ir::UMulHi => self.umulhi(cx, a(0), a(1), r),
            Ir::UMul24 | Ir::SMul24 => {
                let (u, v, _) = self.pair(cx, a(0), a(1));
                Self::put(cx, Op::Mul24, r, Mods { signed: d.op == Ir::SMul24, ..int }, [u, v]);
            }
            Ir::SMin | Ir::SMax | Ir::UMin | Ir::UMax => {
                let (u, v, _) = self.pair(cx, a(0), a(1));
                let op = if matches!(d.op, Ir::SMin | Ir::UMin) { Op::Min } else { Op::Max };
                let signed = matches!(d.op, Ir::SMin | Ir::SMax);
                Self::put(cx, op, r, Mods { signed, ..int }, [u, v]);
            }
            Ir::And | Ir::Or | Ir::Xor => {
                let args = self.logic(cx, a(0), a(1));
                let op = logic_op(d.op);
                Self::put(cx, op, r, int, args);
            }
            Ir::Not => {
                let x = self.reg(cx, a(0));
                Self::put(cx, Op::Xor, r, int, [x, U::imm(u32::MAX)]);
            }
            Ir::Shl | Ir::UShr | Ir::SShr => {
                let (op, signed) = match d.op {
                    Ir::Shl => (Op::Shl, false),
                    Ir::UShr => (Op::Shr, false),
                    _ => (Op::Shr, true),
                };
                let mods = Mods { signed, ..int };
                let x = self.first(cx, a(0));
                if let Some(n) = Self::bits(cx, a(1)) {
                    Self::put(cx, op, r, mods, [x, U::imm(n & 31)]);
                } else {
                    let n = if bound(self, cx, a(1), 4) < 32 {
                        self.any(cx, a(1))
                    } else {
                        let n = self.reg(cx, a(1));
                        self.int(cx, Op::And, [n, U::imm(31)]).into()
                    };
                    Self::put(cx, op, r, mods, [x, n]);
                }
            }
            Ir::ICmp | Ir::FCmp => {
                let Some(c) = self.compare(cx, d, false) else {
                    return Err(Diagnostic::internal("isel", "a comparison without condition"));
                };
                Self::put(cx, c.op, r, c.mods, c.args);
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
    fn modified(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        let (x, abs, neg) = Self::peel(cx, v, true);
        let x = self.reg(cx, x);
        Self::signed(x, abs, neg)
    }

    fn to_half(&self, cx: &mut Cx<'_>, x: U, half: Half, into: Option<VReg>) -> VReg {
        let d = cx.temp(R32);
        let mods = Mods { half, ..Mods::cvt(Ty::F16, Ty::F32, 0) };
        let mut i = MInst::new(TOp::M(Op::CvtFF)).arg(x).mods(mods);
        match into {
            // The other half stays: the last use is not an operand of the form.
            Some(old) => i = i.arg(old).def(Def::reg(d).tied(1)),
            None => i = i.def(d),
        }
        cx.emit(i);
        d
    }

    /// The halves of a packed pair as f32.
    fn unpack_half(&mut self, cx: &mut Cx<'_>, v: Value, dst: &[VReg]) {
        let x = cx.reg(v);
        for (&r, u) in dst.iter().zip([low(x), high(x)]) {
            Self::put(cx, Op::CvtFF, r, Mods::cvt(Ty::F32, Ty::F16, 0), [u]);
        }
    }

    fn fadd(&mut self, cx: &mut Cx<'_>, d: &InstData, r: VReg) {
        let sub = d.op == Ir::FSub;
        let (x, _, n1) = Self::peel(cx, d.args[0], false);
        let (y, _, n2) = Self::peel(cx, d.args[1], false);
        let n2 = n2 ^ sub;
        let (u, v, swap, a) = self.pair_loaded(cx, x, y);
        let (n1, n2) = if swap { (n2, n1) } else { (n1, n2) };
        let args = [Self::signed(u, false, n1), Self::signed(v, false, n2)];
        Self::put(cx, Op::Fadd, r, Mods::ty(Ty::F32), args.into_iter().chain(a));
    }

    /// [`pair`](Self::pair) of floats, of which the first may be read from workgroup memory; its address register, too.
    fn pair_loaded(&mut self, cx: &mut Cx<'_>, x: Value, y: Value) -> (U, U, bool, Option<U>) {
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
    fn fmad(&mut self, cx: &mut Cx<'_>, r: VReg, [a, b, c]: [Value; 3]) {
        let (a, _, n1) = Self::peel(cx, a, false);
        let (b, _, n2) = Self::peel(cx, b, false);
        let (c, _, n3) = Self::peel(cx, c, false);
        let (u, v, _, address) = self.pair_loaded(cx, a, b);
        // One c[] operand at most, and none beside an address register.
        let busy = matches!(v.src, gpucc_mir::Src::Uniform(_)) || address.is_some();
        let w = if busy { self.reg(cx, c) } else { self.any(cx, c) };
        let args = [Self::signed(u, false, n1 ^ n2), v, Self::signed(w, false, n3)];
        Self::put(cx, Op::Fmad, r, Mods::ty(Ty::F32), args.into_iter().chain(address));
    }

    fn iadd(&mut self, cx: &mut Cx<'_>, d: &InstData, r: VReg) {
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
                Self::put(cx, Op::MadU24, r, Mods::default(), [u, v, w]);
                return;
            }
        }
        for (x, y) in [(d.args[0], d.args[1]), (d.args[1], d.args[0])] {
            if let Some(b) = Self::bits(cx, y) {
                let x = self.first(cx, x);
                Self::put(cx, Op::Add, r, Mods::default(), [x, U::imm(b)]);
                return;
            }
        }
        let (u, v, _) = self.pair(cx, d.args[0], d.args[1]);
        Self::put(cx, Op::Add, r, Mods::default(), [u, v]);
    }

    /// Low 32 bits of a product of registers.
    pub(crate) fn mul32(&self, cx: &mut Cx<'_>, a: VReg, b: VReg) -> VReg {
        let d = cx.temp(R32);
        self.mul_parts(cx, a, [low(b), high(b)], d);
        d
    }

    fn mul_parts(&self, cx: &mut Cx<'_>, a: VReg, b: [U; 2], d: VReg) {
        let int = Mods::default();
        let t = self.op(cx, Op::Mul16, int, [low(a), b[1]]);
        let t = self.op(cx, Op::MadU16, int, [high(a), b[0], t.into()]);
        let t = self.shift(cx, Op::Shl, t.into(), 16);
        Self::put(cx, Op::MadU16, d, int, [low(a), b[0], t.into()]);
    }

    fn imul(&mut self, cx: &mut Cx<'_>, a: Value, b: Value, r: VReg) {
        let int = Mods::default();
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let (ba, bb) = (bound(self, cx, a, 4), bound(self, cx, b, 4));
        if ba < 1 << 24 && bb < 1 << 24 {
            let (u, v, _) = self.pair(cx, a, b);
            let op = Op::Mul24;
            Self::put(cx, op, r, int, [u, v]);
            return;
        }
        let halves = |u: U| [Half::Low, Half::High].map(|h| u.mods(SrcMods::half(h)));
        let x = cx.reg(a);
        let y = self.halved(cx, b);
        if bb < 1 << 16 {
            // The high half of b adds nothing.
            let t = self.op(cx, Op::Mul16, int, [high(x), halves(y)[0]]);
            let t = self.shift(cx, Op::Shl, t.into(), 16);
            Self::put(cx, Op::MadU16, r, int, [low(x), halves(y)[0], t.into()]);
        } else if ba < 1 << 16 {
            let t = self.op(cx, Op::Mul16, int, [low(x), halves(y)[1]]);
            let t = self.shift(cx, Op::Shl, t.into(), 16);
            Self::put(cx, Op::MadU16, r, int, [low(x), halves(y)[0], t.into()]);
        } else {
            self.mul_parts(cx, x, halves(y), r);
        }
    }

    /// The high half of an unsigned product, with two carries (reference section 9).
    fn umulhi(&mut self, cx: &mut Cx<'_>, a: Value, b: Value, r: VReg) {
        let int = Mods::default();
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let x = cx.reg(a);
        let y = self.halved(cx, b);
        let [yl, yh] = [Half::Low, Half::High].map(|h| y.mods(SrcMods::half(h)));
        let t = self.op(cx, Op::Mul16, int, [low(x), yh]);
        let (c0, c1) = (cx.temp(FLAGS), cx.temp(FLAGS));
        let m = cx.temp(R32);
        cx.emit(MInst::new(TOp::M(Op::MadU16)).def(m).def(c0).args([high(x), yl, t.into()]));
        let s = self.shift(cx, Op::Shl, m.into(), 16);
        cx.emit(MInst::new(TOp::M(Op::MadU16)).def(c1).args([low(x), yl, s.into()]));
        let h = self.shift(cx, Op::Shr, m.into(), 16);
        // Where the sum of the middle products overflowed.
        let carry = self.literal(0x1_0000);
        let h2 = cx.temp(R32);
        let with_carry = Mods { pred: 0x11, ..int };
        cx.emit(MInst::new(TOp::M(Op::Add)).def(Def::reg(h2).tied(0)).arg(h).arg(carry).arg(c0).mods(with_carry));
        let sum = Mods { addop: 3, ..int };
        cx.emit(MInst::new(TOp::M(Op::MadU16)).def(r).args([high(x), yh, h2.into(), c1.into()]).mods(sum));
    }

    /// Operands of a bitwise operation: complements are modifiers, literals immediates.
    fn logic(&mut self, cx: &mut Cx<'_>, a: Value, b: Value) -> [U; 2] {
        let (a, b) = if self.is_konst(cx, a) { (b, a) } else { (a, b) };
        let strip = |v: Value| match cx.f.def_op(v, Ir::Not) {
            Some(d) => (d.args[0], true),
            None => (v, false),
        };
        let ((x, n1), (y, n2)) = (strip(a), strip(b));
        let not = |u: U, n: bool| if n { u.mods(SrcMods { not: true, ..u.mods }) } else { u };
        let u = self.first(cx, x);
        let v = match Self::bits(cx, y) {
            Some(bits) if !n2 => U::imm(bits),
            _ => self.any(cx, y),
        };
        [not(u, n1), not(v, n2)]
    }

    fn compare(&mut self, cx: &mut Cx<'_>, d: &InstData, negate: bool) -> Option<Compare> {
        match d.attr {
            Attr::IntCc(cc) => {
                let cc = if negate { cc.negated() } else { cc };
                let (cond, signed) = int_cond(cc);
                let (u, v, swap) = self.pair(cx, d.args[0], d.args[1]);
                let cond = if swap { swapped(cond) } else { cond };
                Some(Compare { op: Op::Set, mods: Mods { cond, signed, ..Mods::default() }, args: [u, v] })
            }
            Attr::FloatCc(cc) => {
                let cc = if negate { cc.negated() } else { cc };
                let (x, abs1, neg1) = Self::peel(cx, d.args[0], true);
                let (y, abs2, neg2) = Self::peel(cx, d.args[1], true);
                let (u, v, swap) = self.pair(cx, x, y);
                let cond = float_cond(cc);
                let (cond, m1, m2) =
                    if swap { (swapped(cond), (abs2, neg2), (abs1, neg1)) } else { (cond, (abs1, neg1), (abs2, neg2)) };
                let args = [Self::signed(u, m1.0, m1.1), Self::signed(v, m2.0, m2.1)];
                Some(Compare { op: Op::Fset, mods: Mods { cond, ..Mods::ty(Ty::F32) }, args })
            }
            _ => None,
        }
    }

    /// Flags that tell whether a condition holds, and the predicate that asks them.
    pub(super) fn condition(&mut self, cx: &mut Cx<'_>, v: Value, negate: bool) -> (VReg, u8) {
        let pred = |n: bool| if n { FAILS } else { HOLDS };
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
                    cx.emit(MInst::new(TOp::M(k.op)).def(c).args(k.args).mods(k.mods));
                    return (c, pred(negate));
                }
            }
            _ => {}
        }
        if self.bits_to_flags(cx, v, c) {
            return (c, pred(negate));
        }
        let m = cx.reg(v);
        cx.emit(MInst::new(TOp::M(Op::And)).def(c).arg(m).arg(m));
        (c, pred(negate))
    }

    /// Whether a bitwise operation that only a branch reads could write flags alone.
    fn bits_to_flags(&mut self, cx: &mut Cx<'_>, v: Value, c: VReg) -> bool {
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
        cx.emit(MInst::new(TOp::M(logic_op(d.op))).def(c).args([x, y]));
        true
    }

    /// One `slct`: the second source where the mask is set, else the first.
    fn select(&mut self, cx: &mut Cx<'_>, d: &InstData, r: VReg) {
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
                Some(k) => self.op(cx, k.op, k.mods, k.args).into(),
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
        Self::put(cx, Op::Slct, r, Mods::default(), [u, v, mask]);
    }
}

fn logic_op(op: Ir) -> Op {
    match op {
        Ir::And => Op::And,
        Ir::Or => Op::Or,
        _ => Op::Xor,
    }
}

/// A number that an unsigned value never exceeds.
pub(super) fn bound(s: &Isel<'_>, cx: &Cx<'_>, v: Value, depth: u32) -> u64 {
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
