//! Arithmetic, comparison, choice, vectors.

use gpucc_ir::{Attr, Diagnostic, FloatCc, FpFlags, Function, Inst, InstData, IntCc, Op, Value};
use gpucc_mir::{MInst, Modifiers, Select, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::{Cond, Round, Type};

use super::operand::leading;
use super::{Fold, Isel};
use crate::builders::{self as build, Builder};
use crate::inst::{If, Rounding, Sat, SrcMods, Ty, VOp, Vivante, row};
use gpucc_opt::clamped_conversions::{bounds, is_clamped};

/// The replacement of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Compare {
    /// Condition that the instruction tests.
    pub cond: Cond,
    /// Type of both operands.
    pub ty: Type,
    /// The result is the opposite.
    pub negate: bool,
}

pub(super) fn int_compare(cc: IntCc) -> Compare {
    let (cond, ty) = match cc {
        IntCc::Eq => (Cond::Eq, Type::U32),
        IntCc::Ne => (Cond::Ne, Type::U32),
        IntCc::Slt => (Cond::Lt, Type::S32),
        IntCc::Sle => (Cond::Le, Type::S32),
        IntCc::Sgt => (Cond::Gt, Type::S32),
        IntCc::Sge => (Cond::Ge, Type::S32),
        IntCc::Ult => (Cond::Lt, Type::U32),
        IntCc::Ule => (Cond::Le, Type::U32),
        IntCc::Ugt => (Cond::Gt, Type::U32),
        IntCc::Uge => (Cond::Ge, Type::U32),
    };
    Compare { cond, ty, negate: false }
}

/// A float comparison as one condition, where there is one.
pub(super) fn float_compare(cc: FloatCc) -> Option<Compare> {
    let (cond, negate) = match cc {
        FloatCc::Oeq => (Cond::Eq, false),
        FloatCc::Une => (Cond::Ne, false),
        FloatCc::Olt => (Cond::Lt, false),
        FloatCc::Ole => (Cond::Le, false),
        FloatCc::Ogt => (Cond::Gt, false),
        FloatCc::Oge => (Cond::Ge, false),
        FloatCc::Uge => (Cond::Lt, true),
        FloatCc::Ugt => (Cond::Le, true),
        FloatCc::Ule => (Cond::Gt, true),
        FloatCc::Ult => (Cond::Ge, true),
        FloatCc::One | FloatCc::Ueq | FloatCc::Ord | FloatCc::Uno => return None,
    };
    Some(Compare { cond, ty: Type::F32, negate })
}

pub(super) type IselCx<'f> = Select<'f, Vivante>;

impl Isel<'_> {
    /// One machine operation on values into `dst`: once for all lanes, or lane by lane where the chip wants it.
    #[expect(clippy::too_many_arguments, reason = "one operation and its operands")]
    pub(super) fn each<M, const N: usize, const NEEDS: u64, const TAKES: u64>(
        &mut self,
        cx: &mut IselCx<'_>,
        dst: VReg,
        lanes: u32,
        op: Builder<N, NEEDS, TAKES>,
        mods: M,
        args: &[Value],
        fold: Fold,
    ) where
        M: Modifiers<Vivante> + Copy,
    {
        let whole = op.with(mods, core::array::from_fn(|k| self.operand(cx, args[k], fold)));
        if lanes == 1 || self.lane_wise(&whole) {
            cx.emit(whole.def(dst));
            return;
        }
        // Each lane is traced by itself, which may find more than the lane of an operand.
        let parts = (0..lanes).map(|k| {
            let uses = core::array::from_fn(|a| self.operand_lane(cx, args[a], k, fold));
            let d = cx.temp(row(1));
            cx.emit(op.with(mods, uses).def(d));
            Use::reg(d)
        });
        let parts: Vec<Use<Vivante>> = parts.collect();
        cx.emit(MInst::collect(dst, parts));
    }

    /// Whether the chip computes all lanes of an instruction at once.
    fn lane_wise(&self, i: &MInst<Vivante>) -> bool {
        matches!(i.target_op(), Some(VOp::M(op)) if self.t.is_vector(op, i.mods.ty))
    }

    /// One machine operation whose operands are made already; `dst` has as many lanes as they are for.
    pub(super) fn lanewise(&self, cx: &mut IselCx<'_>, dst: VReg, lanes: u32, whole: MInst<Vivante>) {
        if lanes == 1 || self.lane_wise(&whole) {
            cx.emit(whole.def(dst));
            return;
        }
        let parts = (0..lanes as usize).map(|k| {
            let d = cx.temp(row(1));
            let mut one = whole.clone().def(d);
            one.uses.iter_mut().for_each(|u| u.mods = u.mods.lane(k));
            cx.emit(one);
            Use::reg(d)
        });
        let parts: Vec<Use<Vivante>> = parts.collect();
        cx.emit(MInst::collect(dst, parts));
    }

    /// The same into a fresh register.
    pub(super) fn temp(&self, cx: &mut IselCx<'_>, lanes: u32, whole: MInst<Vivante>) -> Use<Vivante> {
        let d = cx.temp(row(lanes));
        self.lanewise(cx, d, lanes, whole);
        Use::reg(d).mods(SrcMods::swizzle(leading(lanes)))
    }

    pub(super) fn alu(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = &d.args;
        let dst = cx.result(i, 0)[0];
        let rty = cx.f.ty(d.result());
        let n = rty.lanes();
        if matches!(d.op, Op::ISub | Op::IAdd | Op::UShr) && self.uniform_words(cx, d.result()).is_some() {
            let src = self.operand(cx, d.result(), Fold::None);
            cx.emit(MInst::copy(dst, src));
            return Ok(());
        }
        match d.op {
            Op::FAdd | Op::FSub => self.add(cx, dst, n, d),
            Op::FMul => self.each(cx, dst, n, build::Mul, (), a, Fold::Float),
            Op::FNeg | Op::FAbs => {
                let v = d.result();
                let src = self.operand(cx, v, Fold::Float);
                // The operand of a sign operation is never that operation itself: the trace goes through it.
                cx.emit(build::Mov.on([src]).def(dst));
            }
            Op::FDiv => self.divide(cx, dst, n, a),
            Op::FSign => self.each(cx, dst, n, build::Sign, (), a, Fold::Float),
            Op::FMin => self.float_min_max(cx, dst, n, Cond::Gt, d),
            Op::FMax => self.float_min_max(cx, dst, n, Cond::Lt, d),
            Op::FSat => self.each(cx, dst, n, build::Mov, (Sat(true),), a, Fold::Float),
            Op::FFloor => self.each(cx, dst, n, build::Floor, (), a, Fold::Float),
            Op::FCeil => self.each(cx, dst, n, build::Ceil, (), a, Fold::Float),
            Op::FFract => self.each(cx, dst, n, build::Frc, (), a, Fold::Float),
            Op::FTrunc => {
                let x = self.operand(cx, a[0], Fold::Float);
                let up = self.temp(cx, n, build::Ceil.on([x]));
                let down = self.temp(cx, n, build::Floor.on([x]));
                self.lanewise(cx, dst, n, build::Select.with((If(Cond::Lz),), [x, up, down]));
            }
            Op::FSqrt => self.each(cx, dst, n, build::Sqrt, (), a, Fold::Float),
            Op::FRsqrt => self.each(cx, dst, n, build::Rsq, (), a, Fold::Float),
            Op::FRcp => self.each(cx, dst, n, build::Rcp, (), a, Fold::Float),
            Op::FExp2 => self.each(cx, dst, n, build::Exp, (), a, Fold::Float),
            Op::FLog2 => {
                let x = self.operand(cx, a[0], Fold::Float);
                self.transcendental(cx, dst, n, build::Log, x);
            }
            Op::FSin | Op::FCos => {
                let x = self.operand(cx, a[0], Fold::Float);
                let turns = if machine::validate::fast_transcendentals(self.t.generation) {
                    core::f32::consts::FRAC_1_PI
                } else {
                    core::f32::consts::FRAC_2_PI
                };
                let k = self.literal(turns.to_bits());
                // Source and destination of SIN and COS must be different registers on old chips (7.3): the source takes a whole one.
                let lanes = if machine::validate::fast_transcendentals(self.t.generation) { n } else { 4 };
                let x = self.temp(cx, lanes, build::Mul.on([x, k]));
                self.transcendental(cx, dst, n, if d.op == Op::FSin { build::Sin } else { build::Cos }, x);
            }
            Op::FDot => {
                let lanes = cx.f.ty(a[0]).lanes();
                let op = [build::Dp2, build::Dp3, build::Dp4][lanes as usize - 2];
                let uses = [self.operand(cx, a[0], Fold::Float), self.operand(cx, a[1], Fold::Float)];
                cx.emit(op.on(uses).def(dst));
            }
            Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => self.float_to_int(cx, dst, n, d.op, a[0]),
            Op::S2F => self.each(cx, dst, n, build::I2f, (Ty(Type::S32),), a, Fold::None),
            Op::U2F => self.each(cx, dst, n, build::I2f, (Ty(Type::U32),), a, Fold::None),
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
                self.lanewise(cx, dst, n, build::Add.with((Ty(Type::S32),), [zero, x]));
            }
            Op::IMul => self.multiply(cx, dst, n, a),
            Op::UMulHi => self.each(cx, dst, n, build::Imulhi0, (Ty(Type::U32),), a, Fold::None),
            Op::SMulHi => self.each(cx, dst, n, build::Imulhi0, (Ty(Type::S32),), a, Fold::None),
            Op::IAbs => self.each(cx, dst, n, build::Iabs, (Ty(Type::S32),), a, Fold::None),
            Op::SMin => self.min_max(cx, dst, n, Cond::Gt, Type::S32, a),
            Op::SMax => self.min_max(cx, dst, n, Cond::Lt, Type::S32, a),
            Op::UMin => self.min_max(cx, dst, n, Cond::Gt, Type::U32, a),
            Op::UMax => self.min_max(cx, dst, n, Cond::Lt, Type::U32, a),
            Op::And => self.each(cx, dst, n, build::And, (Ty(Type::U32),), a, Fold::None),
            Op::Or => self.each(cx, dst, n, build::Or, (Ty(Type::U32),), a, Fold::None),
            Op::Xor => self.each(cx, dst, n, build::Xor, (Ty(Type::U32),), a, Fold::None),
            Op::Not => self.each(cx, dst, n, build::Not, (Ty(Type::U32),), a, Fold::None),
            Op::Shl => self.each(cx, dst, n, build::Lshift, (Ty(Type::U32),), a, Fold::None),
            Op::UShr => self.each(cx, dst, n, build::Rshift, (Ty(Type::U32),), a, Fold::None),
            Op::SShr => self.each(cx, dst, n, build::Rshift, (Ty(Type::S32),), a, Fold::None),
            Op::Popcount => self.each(cx, dst, n, build::Popcount, (Ty(Type::U32),), a, Fold::None),
            Op::Clz => self.each(cx, dst, n, build::Leadzero, (Ty(Type::U32),), a, Fold::None),
            Op::BitReverse => self.each(cx, dst, n, build::BitRev, (Ty(Type::U32),), a, Fold::None),
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
    fn add(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, d: &InstData) {
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
                self.lanewise(cx, dst, n, build::Mad.on([x, y, z]));
                return;
            }
        }
        let x = self.operand(cx, d.args[0], Fold::Float);
        let mut y = self.operand(cx, d.args[1], Fold::Float);
        if minus {
            y = self.negated(y);
        }
        self.lanewise(cx, dst, n, build::Add.on([x, y]));
    }

    /// Negates a float operand; immediates have no modifiers, so their bits change.
    fn negated(&mut self, u: Use<Vivante>) -> Use<Vivante> {
        match u.src {
            gpucc_mir::Src::Imm(bits) => self.literal(bits ^ 0x8000_0000),
            _ => u.mods(u.mods.negated()),
        }
    }

    fn int_add(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, d: &InstData) {
        let minus = d.op == Op::ISub;
        if !minus && n == 1 {
            for k in [0, 1] {
                if let Some(m) = cx.fold_op(d.args[k], Op::Shl)
                    && let Some(shift) = cx.f.const_bits(m.args[1])
                {
                    let x = self.operand(cx, m.args[0], Fold::None);
                    let y = self.literal(1 << (shift & 31));
                    let z = self.operand(cx, d.args[1 - k], Fold::None);
                    cx.emit(build::Imadlo0.with((Ty(Type::S32),), [x, y, z]).def(dst));
                    return;
                }
                if let Some(m) = cx.fold_op(d.args[k], Op::IMul)
                    && power_of_two(cx, m).is_none()
                {
                    let x = self.operand(cx, m.args[0], Fold::None);
                    let y = self.operand(cx, m.args[1], Fold::None);
                    let z = self.operand(cx, d.args[1 - k], Fold::None);
                    cx.emit(build::Imadlo0.with((Ty(Type::S32),), [x, y, z]).def(dst));
                    return;
                }
            }
        }
        let x = self.operand(cx, d.args[0], Fold::Int);
        let mut y = self.operand(cx, d.args[1], Fold::Int);
        if minus {
            y = match y.src {
                gpucc_mir::Src::Imm(bits) => self.literal(bits.wrapping_neg()),
                _ => y.mods(y.mods.negated()),
            };
        }
        self.lanewise(cx, dst, n, build::Add.with((Ty(Type::S32),), [x, y]));
    }

    fn multiply(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, a: &[Value]) {
        for k in [0, 1] {
            if let Some(shift) = power(cx, a[k]) {
                let x = self.operand(cx, a[1 - k], Fold::None);
                let s = self.literal(shift);
                self.lanewise(cx, dst, n, build::Lshift.with((Ty(Type::U32),), [x, s]));
                return;
            }
        }
        self.each(cx, dst, n, build::Imullo0, (Ty(Type::S32),), a, Fold::None);
    }

    /// `select.gt a, b, a` is the lesser, `select.lt` the greater (7.1).
    fn min_max(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, c: Cond, t: Type, a: &[Value]) {
        let x = self.operand(cx, a[0], Fold::None);
        let y = self.operand(cx, a[1], Fold::None);
        self.lanewise(cx, dst, n, build::Select.with((Ty(t), If(c)), [x, y, x]));
    }

    /// The same of floats. Where the compare is unordered source 2 is chosen. That must not be a NaN beside a number: if one operand is a
    /// constant it stands there, else what replaces a NaN by the other operand (`select.eq a, a, b`), unless nothing is promised of NaN.
    fn float_min_max(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, c: Cond, d: &InstData) {
        let numbers = [d.args[0], d.args[1]].map(|v| numbers(cx.f, v));
        let x = self.operand(cx, d.args[0], Fold::Float);
        let y = self.operand(cx, d.args[1], Fold::Float);
        let whole = numbers.map(|(some, all)| some == all);
        let (mut x, y) = if whole[1] && !whole[0] { (y, x) } else { (x, y) };
        // Packed with others a constant keeps its rule.
        let loose = d.fp.has(FpFlags::LOOSE) && numbers.iter().all(|&(some, _)| some == 0);
        if !(whole[0] || whole[1] || loose) {
            x = self.temp(cx, n, build::Select.with((Ty(Type::F32), If(Cond::Eq)), [x, x, y]));
        }
        self.lanewise(cx, dst, n, build::Select.with((Ty(Type::F32), If(c)), [x, y, x]));
    }

    /// Quotients. DIV gives two factors of one quotient (7.4), more accurate than a reciprocal; for vectors reciprocals and one
    /// product of all lanes are shorter and still inside WGSL's 2.5 ulp.
    fn divide(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, a: &[Value]) {
        let x = self.operand(cx, a[0], Fold::Float);
        let y = self.operand(cx, a[1], Fold::Float);
        let one = cx.f.const_bits(a[0]) == Some(u64::from(1.0_f32.to_bits()));
        if n == 1 && !one && machine::validate::fast_transcendentals(self.t.generation) {
            self.pair_product(cx, dst, build::Div, [x, y]);
            return;
        }
        let broadcast = y.mods.is_broadcast();
        let lanes = if broadcast { 1 } else { n };
        if one {
            if lanes == n || n == 1 {
                self.lanewise(cx, dst, n, build::Rcp.on([y]));
            } else {
                // One instruction fills all lanes with the same reciprocal.
                cx.emit(build::Rcp.on([y]).def(dst));
            }
            return;
        }
        let mut r = self.temp(cx, lanes, build::Rcp.on([y]));
        if broadcast {
            r = r.mods(r.mods.lane(0));
        }
        self.lanewise(cx, dst, n, build::Mul.on([x, r]));
    }

    /// An operation whose result is the product of two lanes, of one lane of each operand.
    pub(super) fn pair_product<const N: usize, const NEEDS: u64, const TAKES: u64>(
        &mut self,
        cx: &mut IselCx<'_>,
        dst: VReg,
        op: Builder<N, NEEDS, TAKES>,
        uses: [Use<Vivante>; N],
    ) {
        let pair = cx.temp(row(2));
        let one = uses.map(|u| u.mods(u.mods.lane(0)));
        cx.emit(op.with((Rounding(Round::Zero),), one).def(pair));
        let lane = |k| Use::reg(pair).mods(SrcMods::broadcast(k));
        cx.emit(build::Mul.on([lane(0), lane(1)]).def(dst));
    }

    /// LOG, SIN, COS: plain, or two factors and their product (7.4).
    pub(super) fn transcendental<const NEEDS: u64, const TAKES: u64>(
        &mut self,
        cx: &mut IselCx<'_>,
        dst: VReg,
        n: u32,
        op: Builder<1, NEEDS, TAKES>,
        x: Use<Vivante>,
    ) {
        let fast = machine::validate::fast_transcendentals(self.t.generation);
        let mut parts = Vec::new();
        for k in 0..n as usize {
            let one = x.mods(x.mods.lane(k));
            let d = if n == 1 { dst } else { cx.temp(row(1)) };
            if fast {
                self.pair_product(cx, d, op, [one]);
            } else {
                let def = gpucc_mir::Def::reg(d);
                cx.emit(op.on([one]).def(if op.op == build::Log.op { def } else { def.early() }));
            }
            parts.push(Use::reg(d));
        }
        if n > 1 {
            cx.emit(MInst::collect(dst, parts));
        }
    }

    /// Clamps first: outside of the integer's range F2I is undefined.
    fn float_to_int(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, op: Op, v: Value) {
        let x = self.operand(cx, v, Fold::Float);
        let signed = matches!(op, Op::F2S | Op::F2SFull);
        let t = if signed { Type::S32 } else { Type::U32 };
        if matches!(op, Op::F2S | Op::F2U) && is_clamped(cx.f, v, signed) {
            self.lanewise(cx, dst, n, build::F2i.with((Ty(t),), [x]));
            return;
        }
        let (least, most) = bounds(signed);
        let low = self.literal(least);
        // Not a number: zero. `cmp.eq x, x, x` is x or 0; for unsigned the lower bound does it.
        let y = if signed { self.temp(cx, n, build::Cmp.with((If(Cond::Eq),), [x, x, x])) } else { x };
        let y = self.temp(cx, n, build::Select.with((If(Cond::Lt),), [low, y, low]));
        let high = self.literal(most);
        let y = self.temp(cx, n, build::Select.with((If(Cond::Gt),), [high, y, high]));
        if matches!(op, Op::F2S | Op::F2U) {
            self.lanewise(cx, dst, n, build::F2i.with((Ty(t),), [y]));
            return;
        }
        // The whole range: what the clamp cut off becomes the largest integer.
        let y = self.temp(cx, n, build::F2i.with((Ty(t),), [y]));
        let (bound, top) = if signed { (0x4f00_0000, 0x7fff_ffff) } else { (0x4f80_0000, u32::MAX) };
        let (bound, top) = (self.literal(bound), self.literal(top));
        let over = self.temp(cx, n, build::Cmp.with((If(Cond::Ge),), [x, bound, top]));
        // The compare gives 0 or the largest integer; as unsigned numbers the greater of the two is right unless
        // the value is negative, and then the compare gave 0.
        if signed {
            self.lanewise(cx, dst, n, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [over, over, y]));
        } else {
            self.lanewise(cx, dst, n, build::Or.with((Ty(Type::U32),), [over, y]));
        }
    }

    /// A comparison as a mask of all ones or zeros in each lane.
    fn compare(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, d: &InstData) {
        let ones = self.literal(u32::MAX);
        let c = match d.attr {
            Attr::IntCc(cc) => Some(int_compare(cc)),
            Attr::FloatCc(cc) => float_compare(cc),
            _ => None,
        };
        if let Some(c) = c {
            let fold = if c.ty == Type::F32 { Fold::Float } else { Fold::None };
            let x = self.operand(cx, d.args[0], fold);
            let y = self.operand(cx, d.args[1], fold);
            let m = (Ty(c.ty), If(c.cond));
            if c.negate {
                let r = self.temp(cx, n, build::Cmp.with(m, [x, y, ones]));
                self.lanewise(cx, dst, n, build::Not.with((Ty(Type::U32),), [r]));
            } else {
                self.lanewise(cx, dst, n, build::Cmp.with(m, [x, y, ones]));
            }
            return;
        }
        let Attr::FloatCc(cc) = d.attr else { return };
        let x = self.operand(cx, d.args[0], Fold::Float);
        let y = self.operand(cx, d.args[1], Fold::Float);
        let f = |c| (If(c),);
        let (p, q) = match cc {
            // Less or greater.
            FloatCc::One | FloatCc::Ueq => (
                self.temp(cx, n, build::Cmp.with(f(Cond::Lt), [x, y, ones])),
                self.temp(cx, n, build::Cmp.with(f(Cond::Gt), [x, y, ones])),
            ),
            // Each differs from itself if it is no number.
            _ => (
                self.temp(cx, n, build::Cmp.with(f(Cond::Ne), [x, x, ones])),
                self.temp(cx, n, build::Cmp.with(f(Cond::Ne), [y, y, ones])),
            ),
        };
        if matches!(cc, FloatCc::One | FloatCc::Uno) {
            self.lanewise(cx, dst, n, build::Or.with((Ty(Type::U32),), [p, q]));
        } else {
            let r = self.temp(cx, n, build::Or.with((Ty(Type::U32),), [p, q]));
            self.lanewise(cx, dst, n, build::Not.with((Ty(Type::U32),), [r]));
        }
    }

    fn select(&mut self, cx: &mut IselCx<'_>, dst: VReg, n: u32, d: &InstData) {
        let (c, yes, no) = (d.args[0], d.args[1], d.args[2]);
        let zero = |cx: &IselCx<'_>, v: Value| cx.f.const_bits(v) == Some(0);
        let of_floats = if cx.f.ty(yes).scalar() == gpucc_ir::Scalar::F32 { Fold::Float } else { Fold::None };
        if let Some((facing, front)) = self.facing(cx, c) {
            let (y, z) = (self.operand(cx, yes, of_floats), self.operand(cx, no, of_floats));
            let cond = If(front.with_zero());
            self.lanewise(cx, dst, n, build::Select.with((Ty(Type::F32), cond), [facing, y, z]));
            return;
        }
        if let Some((cmp, k)) = self.comparison(cx, c) {
            // Against zero the condition needs one operand, and SELECT has room for two results.
            if zero(cx, cmp.args[1]) && !k.negate {
                let fold = if k.ty == Type::F32 { Fold::Float } else { Fold::None };
                // Signs of floats belong to the type of the operation.
                let arms = if k.ty == Type::F32 { of_floats } else { Fold::None };
                let t = if k.ty == Type::U32 && matches!(k.cond, Cond::Ge | Cond::Lt) { None } else { Some(k.ty) };
                if let Some(t) = t {
                    let x = self.operand(cx, cmp.args[0], fold);
                    let (y, z) = (self.operand(cx, yes, arms), self.operand(cx, no, arms));
                    self.lanewise(cx, dst, n, build::Select.with((Ty(t), If(k.cond.with_zero())), [x, y, z]));
                    return;
                }
            }
            // One arm is zero: CMP gives the other. The opposite of a float condition is one only for equality.
            let exact = k.cond.has_opposite(k.ty);
            let plain = if k.negate { exact.then(|| k.cond.opposite()) } else { Some(k.cond) };
            let inverse = if k.negate { Some(k.cond) } else { exact.then(|| k.cond.opposite()) };
            let chosen = match (plain, inverse) {
                (Some(p), _) if zero(cx, no) => Some((p, yes)),
                (_, Some(q)) if zero(cx, yes) => Some((q, no)),
                _ => None,
            };
            if let (Some((condition, arm)), true) = (chosen, cx.fold(c).is_some()) {
                let (fold, arms) = if k.ty == Type::F32 { (Fold::Float, of_floats) } else { (Fold::None, Fold::None) };
                let x = self.operand(cx, cmp.args[0], fold);
                let y = self.operand(cx, cmp.args[1], fold);
                let z = self.operand(cx, arm, arms);
                self.lanewise(cx, dst, n, build::Cmp.with((Ty(k.ty), If(condition)), [x, y, z]));
                return;
            }
        }
        let x = self.operand(cx, c, Fold::None);
        let y = self.operand(cx, yes, Fold::None);
        let z = self.operand(cx, no, Fold::None);
        self.lanewise(cx, dst, n, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [x, y, z]));
    }

    /// The comparison that a condition is, if it has the condition's own lanes.
    pub(super) fn comparison<'f>(&self, cx: &IselCx<'f>, c: Value) -> Option<(&'f InstData, Compare)> {
        let d = cx.peek(c)?;
        let k = match d.attr {
            Attr::IntCc(cc) if d.op == Op::ICmp && !cx.f.ty(d.args[0]).is_bool() => int_compare(cc),
            Attr::FloatCc(cc) if d.op == Op::FCmp => float_compare(cc)?,
            _ => return None,
        };
        Some((d, k))
    }

    /// An operand into a register of `n` components: a copy, which may vanish, where it is some components in order.
    pub(super) fn bring(&mut self, cx: &mut IselCx<'_>, dst: VReg, src: Use<Vivante>, n: u32) {
        let first = src.mods.swz[0];
        let run = src.mods.swz[..n as usize].iter().enumerate().all(|(k, &c)| c == first + k as u8);
        let plain = src.mods.is_plain();
        match src.vreg() {
            Some(r) if run && plain => {
                let whole = first == 0 && crate::inst::components(cx.mf.class(r)) == n;
                let u = Use::reg(r);
                cx.emit(MInst::copy(dst, if whole { u } else { u.part(first, n as u8) }));
            }
            None if plain => cx.emit(MInst::copy(dst, src)),
            _ => cx.emit(build::Mov.on([src]).def(dst)),
        }
    }

    /// Vectors put together from lanes of others.
    fn vector(&mut self, cx: &mut IselCx<'_>, dst: VReg, d: &InstData) {
        let v = d.result();
        let n = cx.f.ty(v).lanes();
        let s = self.trace(cx, v, leading(n), n as usize, Fold::None);
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
fn power(cx: &IselCx<'_>, v: Value) -> Option<u32> {
    let b = cx.f.const_bits(v)? as u32;
    b.is_power_of_two().then(|| b.trailing_zeros())
}

/// The exponent when one factor of a product is a power of two.
fn power_of_two(cx: &IselCx<'_>, m: &InstData) -> Option<u32> {
    power(cx, m.args[0]).or_else(|| power(cx, m.args[1]))
}

/// How many lanes of a value are constants that are numbers, of how many.
fn numbers(f: &Function, v: Value) -> (u32, u32) {
    let lanes = f.ty(v).lanes();
    ((0..lanes as usize).filter(|&k| is_number(f, v, k)).count() as u32, lanes)
}

/// Moves of lanes that are looked through: packing puts two behind each other.
const MOVES: u32 = 8;

/// Whether a lane is a constant that is a number, behind instructions that only move lanes.
fn is_number(f: &Function, mut v: Value, mut lane: usize) -> bool {
    for _ in 0..MOVES {
        if let Some(c) = f.as_const(v) {
            let bits = if c.bits.len() == 1 { c.bits.first() } else { c.bits.get(lane) };
            return bits.is_some_and(|&b| !f32::from_bits(b as u32).is_nan());
        }
        let Some(d) = f.def_inst(v).map(|i| &f.insts[i]) else { return false };
        let from = match (d.op, &d.attr) {
            (Op::Extract, Attr::Lane(k)) => Some((d.args[0], usize::from(*k))),
            (Op::Splat, _) => Some((d.args[0], 0)),
            (Op::Compose, _) => d.args.get(lane).map(|&v| (v, 0)),
            _ => d.moved_lanes(f.ty(v).lanes()).and_then(|l| l.get(lane).copied()),
        };
        let Some(from) = from else { return false };
        (v, lane) = from;
    }
    false
}
