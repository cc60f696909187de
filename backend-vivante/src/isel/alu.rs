//! Arithmetic, comparison, choice, vectors.

use gpucc_ir::{Attr, Diagnostic, FloatCc, Inst, InstData, IntCc, Op, Value};
use gpucc_mir::{MInst, Select, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::Op as M;
use machine::rules::{cond, ty};

use super::Isel;
use super::operand::Fold;
use crate::target::{Mods, SrcMods, VOp, Vivante, row};

/// What a comparison becomes.
#[derive(Clone, Copy)]
pub(super) struct Compare {
    /// Condition number.
    pub cond: u32,
    /// Operand type.
    pub ty: u32,
    /// The result is the opposite.
    pub negate: bool,
}

pub(super) fn int_compare(cc: IntCc) -> Compare {
    let (cond, ty) = match cc {
        IntCc::Eq => (cond::EQ, ty::U32),
        IntCc::Ne => (cond::NE, ty::U32),
        IntCc::Slt => (cond::LT, ty::S32),
        IntCc::Sle => (cond::LE, ty::S32),
        IntCc::Sgt => (cond::GT, ty::S32),
        IntCc::Sge => (cond::GE, ty::S32),
        IntCc::Ult => (cond::LT, ty::U32),
        IntCc::Ule => (cond::LE, ty::U32),
        IntCc::Ugt => (cond::GT, ty::U32),
        IntCc::Uge => (cond::GE, ty::U32),
    };
    Compare { cond, ty, negate: false }
}

/// A float comparison as one condition, where there is one.
pub(super) fn float_compare(cc: FloatCc) -> Option<Compare> {
    let (cond, negate) = match cc {
        FloatCc::Oeq => (cond::EQ, false),
        FloatCc::Une => (cond::NE, false),
        FloatCc::Olt => (cond::LT, false),
        FloatCc::Ole => (cond::LE, false),
        FloatCc::Ogt => (cond::GT, false),
        FloatCc::Oge => (cond::GE, false),
        FloatCc::Uge => (cond::LT, true),
        FloatCc::Ugt => (cond::LE, true),
        FloatCc::Ule => (cond::GT, true),
        FloatCc::Ult => (cond::GE, true),
        FloatCc::One | FloatCc::Ueq | FloatCc::Ord | FloatCc::Uno => return None,
    };
    Some(Compare { cond, ty: ty::F32, negate })
}

/// The opposite condition of integers.
pub(crate) fn opposite(c: u32) -> u32 {
    match c {
        cond::GT => cond::LE,
        cond::LT => cond::GE,
        cond::GE => cond::LT,
        cond::LE => cond::GT,
        cond::EQ => cond::NE,
        cond::NE => cond::EQ,
        cond::NOT => cond::NZ,
        cond::NZ => cond::NOT,
        cond::GEZ => cond::LZ,
        cond::LZ => cond::GEZ,
        cond::GZ => cond::LEZ,
        cond::LEZ => cond::GZ,
        c => c,
    }
}

/// The one-operand condition for a comparison with zero.
fn unary(c: u32) -> u32 {
    match c {
        cond::GT => cond::GZ,
        cond::LT => cond::LZ,
        cond::GE => cond::GEZ,
        cond::LE => cond::LEZ,
        cond::EQ => cond::NOT,
        _ => cond::NZ,
    }
}

type Cx<'f> = Select<'f, Vivante>;

impl Isel<'_> {
    /// One machine operation into `dst`: once for all lanes, or lane by lane where the chip wants it.
    #[expect(clippy::too_many_arguments, reason = "one operation and its operands")]
    pub(super) fn op_into(
        &mut self,
        cx: &mut Cx<'_>,
        dst: VReg,
        lanes: u32,
        op: M,
        mods: Mods,
        args: &[Value],
        fold: Fold,
    ) {
        if lanes == 1 || self.t.is_vector(op, mods.ty) {
            let uses: Vec<Use<Vivante>> = args.iter().map(|&a| self.operand(cx, a, fold)).collect();
            cx.emit(MInst::new(VOp::M(op)).def(dst).args(uses).mods(mods));
            return;
        }
        let mut parts = Vec::new();
        for k in 0..lanes {
            let uses: Vec<Use<Vivante>> = args.iter().map(|&a| self.operand_lane(cx, a, k, fold)).collect();
            let d = cx.temp(row(1));
            cx.emit(MInst::new(VOp::M(op)).def(d).args(uses).mods(mods));
            parts.push(Use::reg(d));
        }
        cx.emit(MInst::collect(dst, parts));
    }

    /// One machine operation on operands that are made already; `dst` has as many lanes as they are for.
    fn op_uses(&mut self, cx: &mut Cx<'_>, dst: VReg, lanes: u32, op: M, mods: Mods, uses: &[Use<Vivante>]) {
        if lanes == 1 || self.t.is_vector(op, mods.ty) {
            cx.emit(MInst::new(VOp::M(op)).def(dst).args(uses.iter().copied()).mods(mods));
            return;
        }
        let mut parts = Vec::new();
        for k in 0..lanes as usize {
            let d = cx.temp(row(1));
            let one = uses.iter().map(|u| u.mods(SrcMods { swz: [u.mods.swz[k]; 4], ..u.mods }));
            cx.emit(MInst::new(VOp::M(op)).def(d).args(one).mods(mods));
            parts.push(Use::reg(d));
        }
        cx.emit(MInst::collect(dst, parts));
    }

    /// The same into a fresh register.
    fn op_temp(&mut self, cx: &mut Cx<'_>, lanes: u32, op: M, mods: Mods, uses: &[Use<Vivante>]) -> Use<Vivante> {
        let d = cx.temp(row(lanes));
        self.op_uses(cx, d, lanes, op, mods, uses);
        let swz = if lanes == 1 { [0; 4] } else { [0, 1, 2, 3].map(|k: u8| k.min(lanes as u8 - 1)) };
        Use::reg(d).mods(SrcMods { swz, ..SrcMods::default() })
    }

    pub(super) fn alu(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = &d.args;
        let dst = cx.result(i, 0)[0];
        let rty = cx.f.ty(d.result());
        let n = rty.lanes();
        let f32m = Mods::ty(ty::F32);
        let s32 = Mods::ty(ty::S32);
        let u32m = Mods::ty(ty::U32);
        if matches!(d.op, Op::ISub | Op::IAdd | Op::UShr) && self.uniform_words(cx, d.result()).is_some() {
            let src = self.operand(cx, d.result(), Fold::None);
            cx.emit(MInst::copy(dst, src));
            return Ok(());
        }
        match d.op {
            Op::FAdd | Op::FSub => self.add(cx, dst, n, d),
            Op::FMul => self.op_into(cx, dst, n, M::Mul, f32m, a, Fold::Float),
            Op::FNeg | Op::FAbs => {
                let v = d.result();
                let src = self.operand(cx, v, Fold::Float);
                // The operand of a sign operation is never that operation itself: the trace goes through it.
                cx.emit(MInst::new(VOp::M(M::Mov)).def(dst).arg(src));
            }
            Op::FDiv => self.divide(cx, dst, n, a),
            Op::FSign => self.op_into(cx, dst, n, M::Sign, f32m, a, Fold::Float),
            Op::FMin => self.min_max(cx, dst, n, cond::GT, ty::F32, a, Fold::Float),
            Op::FMax => self.min_max(cx, dst, n, cond::LT, ty::F32, a, Fold::Float),
            Op::FSat => self.op_into(cx, dst, n, M::Mov, Mods { sat: true, ..f32m }, a, Fold::Float),
            Op::FFloor => self.op_into(cx, dst, n, M::Floor, f32m, a, Fold::Float),
            Op::FCeil => self.op_into(cx, dst, n, M::Ceil, f32m, a, Fold::Float),
            Op::FFract => self.op_into(cx, dst, n, M::Frc, f32m, a, Fold::Float),
            Op::FTrunc => {
                let x = self.operand(cx, a[0], Fold::Float);
                let up = self.op_temp(cx, n, M::Ceil, f32m, &[x]);
                let down = self.op_temp(cx, n, M::Floor, f32m, &[x]);
                self.op_uses(cx, dst, n, M::Select, f32m.cond(cond::LZ), &[x, up, down]);
            }
            Op::FSqrt => self.op_into(cx, dst, n, M::Sqrt, f32m, a, Fold::Float),
            Op::FRsqrt => self.op_into(cx, dst, n, M::Rsq, f32m, a, Fold::Float),
            Op::FRcp => self.op_into(cx, dst, n, M::Rcp, f32m, a, Fold::Float),
            Op::FExp2 => self.op_into(cx, dst, n, M::Exp, f32m, a, Fold::Float),
            Op::FLog2 => {
                let x = self.operand(cx, a[0], Fold::Float);
                self.transcendental(cx, dst, n, M::Log, x);
            }
            Op::FSin | Op::FCos => {
                let x = self.operand(cx, a[0], Fold::Float);
                let turns = if machine::rules::fast_transcendentals(self.t.generation) {
                    core::f32::consts::FRAC_1_PI
                } else {
                    core::f32::consts::FRAC_2_PI
                };
                let k = self.literal(turns.to_bits());
                let x = self.op_temp(cx, n, M::Mul, f32m, &[x, k]);
                self.transcendental(cx, dst, n, if d.op == Op::FSin { M::Sin } else { M::Cos }, x);
            }
            Op::FDot => {
                let lanes = cx.f.ty(a[0]).lanes();
                let op = [M::Dp2, M::Dp3, M::Dp4][lanes as usize - 2];
                let uses = [self.operand(cx, a[0], Fold::Float), self.operand(cx, a[1], Fold::Float)];
                if op == M::Dp2 && self.t.generation == machine::GC2000 {
                    let lane = |u: Use<Vivante>, k: usize| u.mods(SrcMods { swz: [u.mods.swz[k]; 4], ..u.mods });
                    let p = self.op_temp(cx, 1, M::Mul, f32m, &[lane(uses[0], 0), lane(uses[1], 0)]);
                    self.op_uses(cx, dst, 1, M::Mad, f32m, &[lane(uses[0], 1), lane(uses[1], 1), p]);
                } else {
                    cx.emit(MInst::new(VOp::M(op)).def(dst).args(uses));
                }
            }
            Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => self.float_to_int(cx, dst, n, d.op, a[0]),
            Op::S2F => self.op_into(cx, dst, n, M::I2f, s32, a, Fold::None),
            Op::U2F => self.op_into(cx, dst, n, M::I2f, u32m, a, Fold::None),
            Op::Bitcast => {
                let from = cx.f.ty(a[0]);
                if from.lanes() != n {
                    return Err(cx.unknown(i));
                }
                let src = self.operand(cx, a[0], Fold::None);
                self.bring(cx, dst, src, n);
            }
            Op::IAdd | Op::ISub => self.int_add(cx, dst, n, d),
            Op::INeg => {
                // The trace goes through the negation itself.
                let zero = self.literal(0);
                let x = self.operand(cx, d.result(), Fold::Int);
                self.op_uses(cx, dst, n, M::Add, s32, &[zero, x]);
            }
            Op::IMul => self.multiply(cx, dst, n, a),
            Op::UMulHi => self.op_into(cx, dst, n, M::Imulhi0, u32m, a, Fold::None),
            Op::SMulHi => self.op_into(cx, dst, n, M::Imulhi0, s32, a, Fold::None),
            Op::IAbs => self.op_into(cx, dst, n, M::Iabs, s32, a, Fold::None),
            Op::SMin => self.min_max(cx, dst, n, cond::GT, ty::S32, a, Fold::None),
            Op::SMax => self.min_max(cx, dst, n, cond::LT, ty::S32, a, Fold::None),
            Op::UMin => self.min_max(cx, dst, n, cond::GT, ty::U32, a, Fold::None),
            Op::UMax => self.min_max(cx, dst, n, cond::LT, ty::U32, a, Fold::None),
            Op::And => self.op_into(cx, dst, n, M::And, u32m, a, Fold::None),
            Op::Or => self.op_into(cx, dst, n, M::Or, u32m, a, Fold::None),
            Op::Xor => self.op_into(cx, dst, n, M::Xor, u32m, a, Fold::None),
            Op::Not => self.op_into(cx, dst, n, M::Not, u32m, a, Fold::None),
            Op::Shl => self.op_into(cx, dst, n, M::Lshift, u32m, a, Fold::None),
            Op::UShr => self.op_into(cx, dst, n, M::Rshift, u32m, a, Fold::None),
            Op::SShr => self.op_into(cx, dst, n, M::Rshift, s32, a, Fold::None),
            Op::Popcount => self.op_into(cx, dst, n, M::Popcount, u32m, a, Fold::None),
            Op::Clz => self.op_into(cx, dst, n, M::Leadzero, u32m, a, Fold::None),
            Op::BitReverse => self.op_into(cx, dst, n, M::BitRev, u32m, a, Fold::None),
            Op::ICmp | Op::FCmp => self.compare(cx, dst, n, d),
            Op::Select => self.select(cx, dst, n, d),
            Op::Splat | Op::Extract | Op::Shuffle | Op::Compose | Op::Insert => self.vector(cx, dst, d),
            Op::BufferLength => {
                let src = self.operand(cx, d.result(), Fold::None);
                cx.emit(MInst::copy(dst, src));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// Sums; a product that nobody else uses joins in: MAD rounds it like MUL.
    fn add(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, d: &InstData) {
        let minus = d.op == Op::FSub;
        for k in [0, 1] {
            if let Some(m) = cx.fold_op(d.args[k], Op::FMul) {
                let x = self.operand(cx, m.args[0], Fold::Float);
                let y = self.operand(cx, m.args[1], Fold::Float);
                let z = self.operand(cx, d.args[1 - k], Fold::Float);
                let (x, z) = match (minus, k) {
                    (false, _) => (x, z),
                    (true, 0) => (x, self.negated(z)),
                    (true, _) => (self.negated(x), z),
                };
                self.op_uses(cx, dst, n, M::Mad, Mods::ty(ty::F32), &[x, y, z]);
                return;
            }
        }
        let x = self.operand(cx, d.args[0], Fold::Float);
        let mut y = self.operand(cx, d.args[1], Fold::Float);
        if minus {
            y = self.negated(y);
        }
        self.op_uses(cx, dst, n, M::Add, Mods::ty(ty::F32), &[x, y]);
    }

    /// Negates a float operand; immediates have no modifiers, so their bits change.
    fn negated(&mut self, u: Use<Vivante>) -> Use<Vivante> {
        match u.src {
            gpucc_mir::Src::Imm(bits) => self.literal(bits ^ 0x8000_0000),
            _ => u.mods(SrcMods { neg: !u.mods.neg, ..u.mods }),
        }
    }

    fn int_add(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, d: &InstData) {
        let minus = d.op == Op::ISub;
        let s32 = Mods::ty(ty::S32);
        if !minus && n == 1 {
            for k in [0, 1] {
                if let Some(m) = cx.fold_op(d.args[k], Op::IMul)
                    && power_of_two(cx, m).is_none()
                {
                    let x = self.operand(cx, m.args[0], Fold::None);
                    let y = self.operand(cx, m.args[1], Fold::None);
                    let z = self.operand(cx, d.args[1 - k], Fold::None);
                    cx.emit(MInst::new(VOp::M(M::Imadlo0)).def(dst).args([x, y, z]).mods(s32));
                    return;
                }
            }
        }
        let x = self.operand(cx, d.args[0], Fold::Int);
        let mut y = self.operand(cx, d.args[1], Fold::Int);
        if minus {
            y = match y.src {
                gpucc_mir::Src::Imm(bits) => self.literal(bits.wrapping_neg()),
                _ => y.mods(SrcMods { neg: !y.mods.neg, ..y.mods }),
            };
        }
        self.op_uses(cx, dst, n, M::Add, s32, &[x, y]);
    }

    fn multiply(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, a: &[Value]) {
        for k in [0, 1] {
            if let Some(shift) = power(cx, a[k]) {
                let x = self.operand(cx, a[1 - k], Fold::None);
                let s = self.literal(shift);
                self.op_uses(cx, dst, n, M::Lshift, Mods::ty(ty::U32), &[x, s]);
                return;
            }
        }
        self.op_into(cx, dst, n, M::Imullo0, Mods::ty(ty::S32), a, Fold::None);
    }

    /// `select.gt a, b, a` is the lesser, `select.lt` the greater (7.1).
    #[expect(clippy::too_many_arguments, reason = "one operation and its operands")]
    fn min_max(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, c: u32, t: u32, a: &[Value], fold: Fold) {
        let x = self.operand(cx, a[0], fold);
        let y = self.operand(cx, a[1], fold);
        // With an unordered compare source 2 is chosen: let that be the constant, so that NaN gives it.
        let (x, y) = if matches!(y.src, gpucc_mir::Src::Reg(_)) { (x, y) } else { (y, x) };
        self.op_uses(cx, dst, n, M::Select, Mods::ty(t).cond(c), &[x, y, x]);
    }

    /// Quotients. DIV gives two factors of one quotient (7.4), more accurate than a reciprocal; for vectors reciprocals and one
    /// product of all lanes are shorter and still inside WGSL's 2.5 ulp.
    fn divide(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, a: &[Value]) {
        let f32m = Mods::ty(ty::F32);
        let x = self.operand(cx, a[0], Fold::Float);
        let y = self.operand(cx, a[1], Fold::Float);
        let one = cx.f.const_bits(a[0]) == Some(u64::from(1.0_f32.to_bits()));
        if n == 1 && !one && machine::rules::fast_transcendentals(self.t.generation) {
            self.pair_product(cx, dst, M::Div, &[x, y]);
            return;
        }
        let broadcast = y.mods.swz.iter().all(|&c| c == y.mods.swz[0]);
        let lanes = if broadcast { 1 } else { n };
        if one {
            if lanes == n || n == 1 {
                self.op_uses(cx, dst, n, M::Rcp, f32m, &[y]);
            } else {
                // One instruction fills all lanes with the same reciprocal.
                cx.emit(MInst::new(VOp::M(M::Rcp)).def(dst).arg(y).mods(f32m));
            }
            return;
        }
        let mut r = self.op_temp(cx, lanes, M::Rcp, f32m, &[y]);
        if broadcast {
            r = r.mods(SrcMods { swz: [0; 4], ..r.mods });
        }
        self.op_uses(cx, dst, n, M::Mul, f32m, &[x, r]);
    }

    /// An operation whose result is the product of two lanes, of one lane of each operand.
    fn pair_product(&mut self, cx: &mut Cx<'_>, dst: VReg, op: M, uses: &[Use<Vivante>]) {
        let f32m = Mods::ty(ty::F32);
        let pair = cx.temp(row(2));
        let one = uses.iter().map(|u| u.mods(SrcMods { swz: [u.mods.swz[0]; 4], ..u.mods }));
        cx.emit(MInst::new(VOp::M(op)).def(pair).args(one).mods(Mods { round: 1, ..f32m }));
        let lane = |k| Use::reg(pair).mods(SrcMods { swz: [k; 4], ..SrcMods::default() });
        cx.emit(MInst::new(VOp::M(M::Mul)).def(dst).arg(lane(0)).arg(lane(1)).mods(f32m));
    }

    /// LOG, SIN, COS: plain, or two factors and their product (7.4).
    fn transcendental(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, op: M, x: Use<Vivante>) {
        let f32m = Mods::ty(ty::F32);
        if !machine::rules::fast_transcendentals(self.t.generation) {
            let mut parts = Vec::new();
            for k in 0..n as usize {
                let d = cx.temp(row(1));
                let one = x.mods(SrcMods { swz: [x.mods.swz[k]; 4], ..x.mods });
                // Source and destination of SIN and COS must be different registers (7.3): reserve that by an
                // early definition of a whole register, of which one component is kept.
                if op == M::Log {
                    cx.emit(MInst::new(VOp::M(op)).def(d).arg(one).mods(f32m));
                } else {
                    let whole = cx.temp(row(4));
                    cx.emit(MInst::new(VOp::M(op)).def(gpucc_mir::Def::reg(whole).early()).arg(one).mods(f32m));
                    cx.emit(MInst::copy(d, Use::reg(whole).part(0, 1)));
                }
                parts.push(Use::reg(d));
            }
            cx.emit(MInst::collect(dst, parts));
            return;
        }
        let mut parts = Vec::new();
        for k in 0..n as usize {
            let one = x.mods(SrcMods { swz: [x.mods.swz[k]; 4], ..x.mods });
            let d = if n == 1 { dst } else { cx.temp(row(1)) };
            self.pair_product(cx, d, op, &[one]);
            parts.push(Use::reg(d));
        }
        if n > 1 {
            cx.emit(MInst::collect(dst, parts));
        }
    }

    /// Clamps first: outside of the integer's range F2I is undefined.
    fn float_to_int(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, op: Op, v: Value) {
        let f32m = Mods::ty(ty::F32);
        let x = self.operand(cx, v, Fold::Float);
        let signed = matches!(op, Op::F2S | Op::F2SFull);
        let (t, least, most) = if signed { (ty::S32, 0xcf00_0000, 0x4eff_ffff) } else { (ty::U32, 0, 0x4f7f_ffff) };
        let low = self.literal(least);
        // Not a number: zero. `cmp.eq x, x, x` is x or 0; for unsigned the lower bound does it.
        let y = if signed { self.op_temp(cx, n, M::Cmp, f32m.cond(cond::EQ), &[x, x, x]) } else { x };
        let y = self.op_temp(cx, n, M::Select, f32m.cond(cond::LT), &[low, y, low]);
        let high = self.literal(most);
        let y = self.op_temp(cx, n, M::Select, f32m.cond(cond::GT), &[high, y, high]);
        if matches!(op, Op::F2S | Op::F2U) {
            self.op_uses(cx, dst, n, M::F2i, Mods::ty(t), &[y]);
            return;
        }
        // The whole range: what the clamp cut off becomes the largest integer.
        let y = self.op_temp(cx, n, M::F2i, Mods::ty(t), &[y]);
        let (bound, top) = if signed { (0x4f00_0000, 0x7fff_ffff) } else { (0x4f80_0000, u32::MAX) };
        let (bound, top) = (self.literal(bound), self.literal(top));
        let over = self.op_temp(cx, n, M::Cmp, f32m.cond(cond::GE), &[x, bound, top]);
        // The compare gives 0 or the largest integer; as unsigned numbers the greater of the two is right unless
        // the value is negative, and then the compare gave 0.
        if signed {
            self.op_uses(cx, dst, n, M::Select, Mods::ty(ty::U32).cond(cond::NZ), &[over, over, y]);
        } else {
            self.op_uses(cx, dst, n, M::Or, Mods::ty(ty::U32), &[over, y]);
        }
    }

    /// A comparison as a mask of all ones or zeros in each lane.
    fn compare(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, d: &InstData) {
        let ones = self.literal(u32::MAX);
        let u32m = Mods::ty(ty::U32);
        let c = match d.attr {
            Attr::IntCc(cc) => Some(int_compare(cc)),
            Attr::FloatCc(cc) => float_compare(cc),
            _ => None,
        };
        if let Some(c) = c {
            let fold = if c.ty == ty::F32 { Fold::Float } else { Fold::None };
            let x = self.operand(cx, d.args[0], fold);
            let y = self.operand(cx, d.args[1], fold);
            let m = Mods::ty(c.ty).cond(c.cond);
            if c.negate {
                let r = self.op_temp(cx, n, M::Cmp, m, &[x, y, ones]);
                self.op_uses(cx, dst, n, M::Not, u32m, &[r]);
            } else {
                self.op_uses(cx, dst, n, M::Cmp, m, &[x, y, ones]);
            }
            return;
        }
        let Attr::FloatCc(cc) = d.attr else { return };
        let x = self.operand(cx, d.args[0], Fold::Float);
        let y = self.operand(cx, d.args[1], Fold::Float);
        let f = |c| Mods::ty(ty::F32).cond(c);
        let (p, q) = match cc {
            // Less or greater.
            FloatCc::One | FloatCc::Ueq => (
                self.op_temp(cx, n, M::Cmp, f(cond::LT), &[x, y, ones]),
                self.op_temp(cx, n, M::Cmp, f(cond::GT), &[x, y, ones]),
            ),
            // Each differs from itself if it is no number.
            _ => (
                self.op_temp(cx, n, M::Cmp, f(cond::NE), &[x, x, ones]),
                self.op_temp(cx, n, M::Cmp, f(cond::NE), &[y, y, ones]),
            ),
        };
        if matches!(cc, FloatCc::One | FloatCc::Uno) {
            self.op_uses(cx, dst, n, M::Or, u32m, &[p, q]);
        } else {
            let r = self.op_temp(cx, n, M::Or, u32m, &[p, q]);
            self.op_uses(cx, dst, n, M::Not, u32m, &[r]);
        }
    }

    fn select(&mut self, cx: &mut Cx<'_>, dst: VReg, n: u32, d: &InstData) {
        let (c, yes, no) = (d.args[0], d.args[1], d.args[2]);
        let zero = |cx: &Cx<'_>, v: Value| cx.f.const_bits(v) == Some(0);
        if let Some((cmp, k)) = self.comparison(cx, c) {
            // Against zero the condition needs one operand, and SELECT has room for two results.
            if zero(cx, cmp.args[1]) && !k.negate {
                let fold = if k.ty == ty::F32 { Fold::Float } else { Fold::None };
                let t = if k.ty == ty::U32 && matches!(k.cond, cond::GE | cond::LT) { None } else { Some(k.ty) };
                if let Some(t) = t {
                    let x = self.operand(cx, cmp.args[0], fold);
                    let y = self.operand(cx, yes, Fold::None);
                    let z = self.operand(cx, no, Fold::None);
                    self.op_uses(cx, dst, n, M::Select, Mods::ty(t).cond(unary(k.cond)), &[x, y, z]);
                    return;
                }
            }
            // One arm is zero: CMP gives the other. The opposite of a float condition is one only for equality.
            let exact = k.ty != ty::F32 || matches!(k.cond, cond::EQ | cond::NE);
            let plain = if k.negate { exact.then(|| opposite(k.cond)) } else { Some(k.cond) };
            let inverse = if k.negate { Some(k.cond) } else { exact.then(|| opposite(k.cond)) };
            let chosen = match (plain, inverse) {
                (Some(p), _) if zero(cx, no) => Some((p, yes)),
                (_, Some(q)) if zero(cx, yes) => Some((q, no)),
                _ => None,
            };
            if let (Some((condition, arm)), true) = (chosen, cx.fold(c).is_some()) {
                let fold = if k.ty == ty::F32 { Fold::Float } else { Fold::None };
                let x = self.operand(cx, cmp.args[0], fold);
                let y = self.operand(cx, cmp.args[1], fold);
                let z = self.operand(cx, arm, Fold::None);
                self.op_uses(cx, dst, n, M::Cmp, Mods::ty(k.ty).cond(condition), &[x, y, z]);
                return;
            }
        }
        let x = self.operand(cx, c, Fold::None);
        let y = self.operand(cx, yes, Fold::None);
        let z = self.operand(cx, no, Fold::None);
        self.op_uses(cx, dst, n, M::Select, Mods::ty(ty::U32).cond(cond::NZ), &[x, y, z]);
    }

    /// The comparison that a condition is, if it has the condition's own lanes.
    pub(super) fn comparison<'f>(&self, cx: &Cx<'f>, c: Value) -> Option<(&'f InstData, Compare)> {
        let d = cx.peek(c)?;
        let k = match d.attr {
            Attr::IntCc(cc) if d.op == Op::ICmp && !cx.f.ty(d.args[0]).is_bool() => int_compare(cc),
            Attr::FloatCc(cc) if d.op == Op::FCmp => float_compare(cc)?,
            _ => return None,
        };
        Some((d, k))
    }

    /// An operand into a register of `n` components: a copy, which may vanish, where it is some components in order.
    fn bring(&mut self, cx: &mut Cx<'_>, dst: VReg, src: Use<Vivante>, n: u32) {
        let first = src.mods.swz[0];
        let run = src.mods.swz[..n as usize].iter().enumerate().all(|(k, &c)| c == first + k as u8);
        let plain = SrcMods { swz: src.mods.swz, ..SrcMods::default() } == src.mods;
        match src.vreg() {
            Some(r) if run && plain => {
                let whole = first == 0 && crate::target::components(cx.mf.class(r)) == n;
                let u = Use::reg(r);
                cx.emit(MInst::copy(dst, if whole { u } else { u.part(first, n as u8) }));
            }
            None if plain => cx.emit(MInst::copy(dst, src)),
            _ => cx.emit(MInst::new(VOp::M(M::Mov)).def(dst).arg(src)),
        }
    }

    /// Vectors put together from lanes of others.
    fn vector(&mut self, cx: &mut Cx<'_>, dst: VReg, d: &InstData) {
        let v = d.result();
        let n = cx.f.ty(v).lanes();
        let swz = if n == 1 { [0; 4] } else { [0, 1, 2, 3].map(|k: u8| k.min(n as u8 - 1)) };
        let s = self.trace(cx, v, swz, n as usize, Fold::None);
        if s.value != v {
            let src = self.operand(cx, v, Fold::None);
            self.bring(cx, dst, src, n);
            return;
        }
        let mut parts: Vec<Use<Vivante>> = Vec::new();
        for k in 0..n {
            let u = self.operand_lane(cx, v, k, Fold::None);
            parts.push(match u.vreg() {
                Some(r) => {
                    let lane = u.mods.swz[0];
                    let one = Use::reg(r);
                    if cx.mf.class(r) == row(1) { one } else { one.part(lane, 1) }
                }
                None => u,
            });
        }
        cx.emit(MInst::collect(dst, parts));
    }
}

/// The exponent of a power of two in every lane.
fn power(cx: &Cx<'_>, v: Value) -> Option<u32> {
    let b = cx.f.const_bits(v)? as u32;
    b.is_power_of_two().then(|| b.trailing_zeros())
}

/// The exponent when one factor of a product is a power of two.
fn power_of_two(cx: &Cx<'_>, m: &InstData) -> Option<u32> {
    power(cx, m.args[0]).or_else(|| power(cx, m.args[1]))
}
