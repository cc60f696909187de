//! Arithmetic on integers, bits and booleans. The sign is in the instruction; of types only the width counts.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::Kind;
use crate::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{IntCc, Refusal, Scalar, Type, Value};
use rspirv::spirv::Op;

impl FuncCx<'_, '_> {
    /// Arithmetic on integers; none of what is something else.
    pub fn integers(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        use Op as O;
        let o = self.m.m.operands(inst);
        let value = match inst.op {
            O::IAdd | O::ISub | O::IMul | O::UDiv | O::SDiv | O::UMod | O::SRem | O::SMod => {
                let (a, b) = self.two(inst, false)?;
                match inst.op {
                    O::IAdd => self.b().iadd(a, b),
                    O::ISub => self.b().isub(a, b),
                    O::IMul => self.b().imul(a, b),
                    O::UDiv => self.b().udiv(a, b),
                    O::SDiv => self.b().sdiv(a, b),
                    O::UMod => self.b().urem(a, b),
                    O::SRem => self.b().srem(a, b),
                    _ => self.modulo(a, b),
                }
            }
            O::SNegate => {
                let (v, to) = self.operand(inst, Type::is_int)?;
                self.fits(v, to)?;
                self.b().ineg(v)
            }
            O::Not | O::BitReverse => {
                let (v, to) = self.operand(inst, Type::is_int)?;
                self.fits(v, to)?;
                if inst.op == O::Not { self.b().not(v) } else { self.b().bitreverse(v) }
            }
            O::BitCount => {
                let (v, to) = self.operand(inst, Type::is_int)?;
                if !to.is_int() {
                    return self.wrong("its type is no integer");
                }
                let n = self.b().popcount(v);
                self.code.resize(n, to.scalar(), false)
            }
            O::BitwiseAnd | O::BitwiseOr | O::BitwiseXor => {
                let (a, b) = self.two(inst, false)?;
                match inst.op {
                    O::BitwiseAnd => self.b().and(a, b),
                    O::BitwiseOr => self.b().or(a, b),
                    _ => self.b().xor(a, b),
                }
            }
            O::LogicalAnd | O::LogicalOr => {
                let ty = self.result_leaf(inst)?;
                if !ty.is_bool() {
                    return self.wrong("its type is no boolean");
                }
                let (a, b) = (self.typed(o[0], ty)?, self.typed(o[1], ty)?);
                if inst.op == O::LogicalAnd { self.b().and(a, b) } else { self.b().or(a, b) }
            }
            O::LogicalNot => {
                let (v, to) = self.operand(inst, Type::is_bool)?;
                self.fits(v, to)?;
                self.b().not(v)
            }
            O::ShiftLeftLogical | O::ShiftRightLogical | O::ShiftRightArithmetic => {
                let ty = self.result_leaf(inst)?;
                let (a, n) = (self.typed(o[0], ty)?, self.one(o[1])?);
                let tn = self.code.f.ty(n);
                if !ty.is_int() || !tn.is_int() || tn.lanes() != ty.lanes() {
                    return self.wrong("its operands do not fit");
                }
                let n = self.code.resize(n, ty.scalar(), false);
                match inst.op {
                    O::ShiftLeftLogical => self.b().shl(a, n),
                    O::ShiftRightLogical => self.b().ushr(a, n),
                    _ => self.b().sshr(a, n),
                }
            }
            O::BitFieldInsert | O::BitFieldSExtract | O::BitFieldUExtract => self.bit_field(inst)?,
            O::UConvert | O::SConvert => {
                let (v, to) = self.operand(inst, Type::is_int)?;
                if !to.is_int() {
                    return self.wrong("its type is no integer");
                }
                self.code.resize(v, to.scalar(), inst.op == O::SConvert)
            }
            O::IAddCarry | O::ISubBorrow | O::UMulExtended | O::SMulExtended => return self.pair(inst).map(Some),
            O::SDot | O::UDot | O::SUDot | O::SDotAccSat | O::UDotAccSat | O::SUDotAccSat => self.dot_product(inst)?,
            _ => return Ok(None),
        };
        Ok(Some(Val::One(value)))
    }

    fn fits(&self, v: Value, to: Type) -> Lowered<()> {
        if self.code.f.ty(v) == to { Ok(()) } else { self.wrong("its operand has another type") }
    }

    /// The remainder with the sign of the divisor.
    fn modulo(&mut self, a: Value, b: Value) -> Value {
        let zero = self.code.iconst(a, 0);
        let mut build = self.code.b();
        let r = build.srem(a, b);
        let signs = build.xor(r, b);
        let differ = build.icmp(IntCc::Slt, signs, zero);
        let some = build.icmp(IntCc::Ne, r, zero);
        let wrong = build.and(differ, some);
        let sum = build.iadd(r, b);
        build.select(wrong, sum, r)
    }

    fn bit_field(&mut self, inst: &Inst) -> Lowered<Value> {
        let o = self.m.m.operands(inst);
        let ty = self.result_leaf(inst)?;
        if !ty.is_int() {
            return self.wrong("its type is no integer");
        }
        let insert = inst.op == Op::BitFieldInsert;
        let base = self.typed(o[0], ty)?;
        let rest = &o[if insert { 2 } else { 1 }..];
        let mut bits = Vec::new();
        for &id in &rest[..2] {
            let v = self.one(id)?;
            let t = self.code.f.ty(v);
            if !t.is_int() || t.is_vector() {
                return self.wrong(format!("%{id} is no number of bits"));
            }
            bits.push(self.code.bit_operand(v, ty));
        }
        Ok(match inst.op {
            Op::BitFieldInsert => {
                let new = self.typed(o[1], ty)?;
                self.b().bfi(base, new, bits[0], bits[1])
            }
            Op::BitFieldSExtract => self.b().sbfe(base, bits[0], bits[1]),
            _ => self.b().ubfe(base, bits[0], bits[1]),
        })
    }

    /// Instructions with two results, which are a struct of two equal members.
    fn pair(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let ty = self.m.types.of(inst.ty, inst)?;
        let member = match self.m.types.kind(ty) {
            Kind::Struct(members) if members.len() == 2 && members[0].ty == members[1].ty => {
                self.m.types.leaf(members[0].ty)
            }
            _ => None,
        };
        let Some(leaf) = member.filter(|t| t.is_int()) else {
            return self.wrong("its type is no struct of two equal integers");
        };
        let (a, b) = (self.typed(o[0], leaf)?, self.typed(o[1], leaf)?);
        let (one, zero) = (self.code.iconst(a, 1), self.code.iconst(a, 0));
        let mut build = self.code.b();
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let sum = build.iadd(a, b);
                let over = build.icmp(IntCc::Ult, sum, a);
                (sum, build.select(over, one, zero))
            }
            Op::ISubBorrow => {
                let difference = build.isub(a, b);
                let under = build.icmp(IntCc::Ult, a, b);
                (difference, build.select(under, one, zero))
            }
            Op::UMulExtended => (build.imul(a, b), build.umulhi(a, b)),
            _ => (build.imul(a, b), build.smulhi(a, b)),
        };
        Ok(Val::parts(vec![Val::One(low), Val::One(high)]))
    }

    /// Dot products of four bytes in a word, or of vectors of integers, with or without a saturated sum.
    fn dot_product(&mut self, inst: &Inst) -> Lowered<Value> {
        let o = self.m.m.operands(inst);
        let (signs, signed) = match inst.op {
            Op::SDot | Op::SDotAccSat => ([true, true], true),
            Op::UDot | Op::UDotAccSat => ([false, false], false),
            _ => ([true, false], true),
        };
        let saturates = matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let to = self.result_leaf(inst)?;
        if !to.is_int() || to.is_vector() {
            return self.wrong("its type is no integer");
        }
        let packed = o.len() > if saturates { 3 } else { 2 };
        let xs = self.factors(o[0], signs[0], to.scalar(), packed)?;
        let ys = self.factors(o[1], signs[1], to.scalar(), packed)?;
        if xs.len() != ys.len() {
            return self.wrong("its operands have different lengths");
        }
        let wide = self.code.f.ty(xs[0]).scalar();
        let mut sum = None;
        for (x, y) in xs.into_iter().zip(ys) {
            let product = self.b().imul(x, y);
            sum = Some(match sum {
                Some(sum) => self.b().iadd(sum, product),
                None => product,
            });
        }
        let Some(sum) = sum else { return self.broken("a dot product of nothing") };
        if !saturates {
            return Ok(if wide == to.scalar() { sum } else { self.b().trunc(sum, to) });
        }
        let acc = self.typed(o[2], to)?;
        self.saturated(sum, acc, signed, to)
    }

    /// The lanes of a factor: of a vector, or the bytes of a word; wide enough for the sum of their products where that is to saturate.
    fn factors(&mut self, id: u32, signed: bool, to: Scalar, packed: bool) -> Lowered<Vec<Value>> {
        let v = self.one(id)?;
        let ty = self.code.f.ty(v);
        if !ty.is_int() {
            return self.wrong(format!("%{id} has no integers"));
        }
        if !ty.is_vector() {
            if ty != Type::I32 || !packed {
                return self.wrong(format!("%{id} is no vector"));
            }
            let bytes = self.code.unpack_bytes(v, signed);
            let lanes: Vec<Value> = (0..4).map(|k| self.code.extract(bytes, k)).collect();
            return Ok(lanes
                .into_iter()
                .map(|lane| if to.bits() > 32 { self.code.resize(lane, to, signed) } else { lane })
                .collect());
        }
        let wide = if to.bits() > ty.bits() { to } else { ty.scalar() };
        let lanes: Vec<Value> = (0..ty.lanes()).map(|k| self.code.extract(v, k)).collect();
        Ok(lanes.into_iter().map(|lane| self.code.resize(lane, wide, signed)).collect())
    }

    /// A sum that stops at the ends of its type.
    fn saturated(&mut self, sum: Value, acc: Value, signed: bool, to: Type) -> Lowered<Value> {
        if self.code.f.ty(sum).bits() > to.bits() {
            // The products fit a word: clamp there.
            let word = self.code.f.ty(sum);
            let acc = self.code.resize(acc, word.scalar(), signed);
            let total = self.b().iadd(sum, acc);
            let half = 1i64 << (to.bits() - 1);
            let (low, high) = if signed { (-half, half - 1) } else { (0, 2 * half - 1) };
            let (low, high) = (self.code.iconst(total, low), self.code.iconst(total, high));
            let clamped = self.code.iclamp(signed, total, low, high);
            return Ok(self.b().trunc(clamped, to));
        }
        if self.code.f.ty(sum) != to {
            return self.missing(Refusal::Spirv, "with a result narrower than its operands");
        }
        let total = self.b().iadd(sum, acc);
        if !signed {
            let over = self.b().icmp(IntCc::Ult, total, sum);
            let limit = self.code.iconst(total, -1);
            return Ok(self.b().select(over, limit, total));
        }
        // Both have the same sign and the total the other one.
        let bits = i64::from(to.bits());
        let (zero, top) = (self.code.iconst(total, 0), self.code.iconst(total, bits - 1));
        let most = self.code.iconst(total, ((1u64 << (bits - 1)) - 1) as i64);
        let mut b = self.code.b();
        let p = b.xor(total, sum);
        let q = b.xor(total, acc);
        let both = b.and(p, q);
        let over = b.icmp(IntCc::Slt, both, zero);
        let mask = b.sshr(acc, top);
        let limit = b.xor(mask, most);
        Ok(b.select(over, limit, total))
    }
}
