//! Arithmetic on floats, conversions, comparisons, products of vectors and matrices.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::Kind;
use crate::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{FloatCc, IntCc, Refusal, Type, Value};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

impl FuncCx<'_, '_> {
    /// Two operands of the type of the result, which has lanes of floats or of integers.
    pub fn two(&mut self, inst: &Inst, float: bool) -> Lowered<(Value, Value)> {
        let o = self.m.m.operands(inst);
        let ty = self.result_leaf(inst)?;
        if ty.is_float() != float || ty.is_bool() {
            return self.wrong("its type does not fit");
        }
        Ok((self.typed(o[0], ty)?, self.typed(o[1], ty)?))
    }

    /// Two operands of one type, and a result of as many booleans.
    fn compared(&mut self, inst: &Inst, fits: fn(Type) -> bool) -> Lowered<(Value, Value)> {
        let o = self.m.m.operands(inst);
        let a = self.one(o[0])?;
        let ty = self.code.f.ty(a);
        if !fits(ty) {
            return self.wrong("its operands do not fit");
        }
        Ok((a, self.typed(o[1], ty)?))
    }

    /// An operand with as many lanes as the result, of a kind.
    pub fn operand(&mut self, inst: &Inst, fits: fn(Type) -> bool) -> Lowered<(Value, Type)> {
        let o = self.m.m.operands(inst);
        let to = self.result_leaf(inst)?;
        let v = self.one(o[0])?;
        let from = self.code.f.ty(v);
        if !fits(from) || from.lanes() != to.lanes() {
            return self.wrong("its operand does not fit");
        }
        Ok((v, to))
    }

    /// Arithmetic on floats and its like; none of what is something else.
    pub fn arithmetic(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        use Op as O;
        if let Some(val) = self.comparison(inst)? {
            return Ok(Some(val));
        }
        let o = self.m.m.operands(inst);
        let value = match inst.op {
            O::FNegate => {
                let (v, to) = self.operand(inst, Type::is_float)?;
                self.same(v, to)?;
                let negated = self.b().fneg(v);
                self.flush(negated)
            }
            O::FAdd | O::FSub | O::FMul | O::FDiv | O::FRem => {
                let (a, b) = self.two(inst, true)?;
                match inst.op {
                    O::FAdd => self.b().fadd(a, b),
                    O::FSub => self.b().fsub(a, b),
                    O::FMul => self.b().fmul(a, b),
                    O::FDiv => self.b().fdiv(a, b),
                    _ => self.b().frem(a, b),
                }
            }
            O::FMod => {
                let (a, b) = self.two(inst, true)?;
                let quotient = self.b().fdiv(a, b);
                let floor = self.b().ffloor(quotient);
                let product = self.b().fmul(floor, b);
                self.b().fsub(a, product)
            }
            O::ConvertFToU | O::ConvertFToS => {
                let (v, to) = self.operand(inst, Type::is_float)?;
                self.integer(to)?;
                if inst.op == O::ConvertFToS { self.b().f2s(v, to) } else { self.b().f2u(v, to) }
            }
            O::ConvertSToF | O::ConvertUToF => {
                let (v, to) = self.operand(inst, Type::is_int)?;
                if !to.is_float() {
                    return self.wrong("its type is no float");
                }
                if inst.op == O::ConvertSToF { self.b().s2f(v, to) } else { self.b().u2f(v, to) }
            }
            O::FConvert => self.float_convert(inst)?,
            O::QuantizeToF16 => {
                let (v, to) = self.operand(inst, |t| t.scalar() == ir::Scalar::F32)?;
                self.same(v, to)?;
                self.b().fquant16(v)
            }
            O::Bitcast => {
                let (v, to) = (self.one(o[0])?, self.result_leaf(inst)?);
                let from = self.code.f.ty(v);
                if from.is_bool() || to.is_bool() || from.total_bits() != to.total_bits() {
                    return self.wrong("its operand has other bits");
                }
                if from == to { v } else { self.code.bitcast(v, to) }
            }
            // A pointer that is an address is an integer here.
            O::ConvertPtrToU | O::ConvertUToPtr => {
                let (v, to) = (self.one(o[0])?, self.result_leaf(inst)?);
                let from = self.code.f.ty(v);
                if !from.is_int() || !to.is_int() || from.is_vector() || to.is_vector() {
                    return self.wrong("it converts a pointer to an integer, or an integer to a pointer");
                }
                self.code.resize(v, to.scalar(), false)
            }
            O::IsNan => {
                let (v, _) = self.operand(inst, Type::is_float)?;
                self.code.is_nan(v)
            }
            O::IsInf => {
                let (v, _) = self.operand(inst, Type::is_float)?;
                self.code.is_inf(v)
            }
            O::Any | O::All => {
                let v = self.one(o[0])?;
                if !self.code.f.ty(v).is_bool() {
                    return self.wrong("its operand is no boolean");
                }
                self.code.all_or_any(v, inst.op == O::All)
            }
            O::Dot => {
                let (a, b) = self.compared(inst, |t| t.is_float() && t.is_vector())?;
                self.b().fdot(a, b)
            }
            O::VectorTimesScalar => {
                let ty = self.result_leaf(inst)?;
                if !ty.is_float() || !ty.is_vector() {
                    return self.wrong("its type is no vector of floats");
                }
                let (v, s) = (self.typed(o[0], ty)?, self.typed(o[1], ty.lane())?);
                let s = self.code.like(s, ty);
                self.b().fmul(v, s)
            }
            O::MatrixTimesScalar
            | O::VectorTimesMatrix
            | O::MatrixTimesVector
            | O::MatrixTimesMatrix
            | O::OuterProduct => return self.matrix(inst).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(Val::One(value)))
    }

    fn same(&self, v: Value, to: Type) -> Lowered<()> {
        if self.code.f.ty(v) == to { Ok(()) } else { self.wrong("its operand has another type") }
    }

    fn integer(&self, to: Type) -> Lowered<()> {
        if to.is_int() { Ok(()) } else { self.wrong("its type is no integer") }
    }

    fn float_convert(&mut self, inst: &Inst) -> Lowered<Value> {
        let (v, to) = self.operand(inst, Type::is_float)?;
        if !to.is_float() {
            return self.wrong("its type is no float");
        }
        let from = self.code.f.ty(v);
        if from == to {
            return Ok(v);
        }
        let mode = self.m.m.deco_number(inst.id, Decoration::FPRoundingMode).map(FPRoundingMode::from_u32);
        match mode {
            // Constants are evaluated to nearest.
            None if self.folds && self.m.cut & to.bits() != 0 && from.bits() > to.bits() => {
                let cut = self.toward_zero(v, to)?;
                Ok(self.flush(cut))
            }
            None if self.folds => {
                let converted = self.b().f2f(v, to);
                Ok(self.flush(converted))
            }
            Some(Some(FPRoundingMode::RTE)) if self.m.cut & to.bits() != 0 => {
                self.missing(Refusal::FloatModes, "to nearest where all else is rounded toward zero")
            }
            None | Some(Some(FPRoundingMode::RTE)) => Ok(self.b().f2f(v, to)),
            _ if from.bits() < to.bits() => Ok(self.b().f2f(v, to)),
            Some(Some(FPRoundingMode::RTZ)) => self.toward_zero(v, to),
            Some(Some(mode)) => self.missing(Refusal::Spirv, format!("with FPRoundingMode {mode:?}")),
            Some(None) => self.missing(Refusal::Spirv, "with a rounding mode that is not known"),
        }
    }

    /// Converts to a narrower float, rounded toward zero: the nearest one, or the next one inward if that is farther out.
    fn toward_zero(&mut self, v: Value, to: Type) -> Lowered<Value> {
        let from = self.code.f.ty(v);
        let near = self.b().f2f(v, to);
        let back = self.b().f2f(near, from);
        let (size, own) = (self.b().fabs(back), self.b().fabs(v));
        let outward = self.b().fcmp(FloatCc::Ogt, size, own);
        // Bits of floats of one sign count up with their magnitude.
        let bits = self.code.bitcast(near, to.to_int());
        let one = self.code.iconst(bits, 1);
        let inward = self.b().isub(bits, one);
        let inward = self.code.bitcast(inward, to);
        Ok(self.b().select(outward, inward, near))
    }

    fn comparison(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        use Op as O;
        let float = |t: Type| t.is_float();
        let float_cc = match inst.op {
            O::FOrdEqual => Some(FloatCc::Oeq),
            O::FUnordEqual => Some(FloatCc::Ueq),
            O::FOrdNotEqual => Some(FloatCc::One),
            O::FUnordNotEqual => Some(FloatCc::Une),
            O::FOrdLessThan => Some(FloatCc::Olt),
            O::FUnordLessThan => Some(FloatCc::Ult),
            O::FOrdGreaterThan => Some(FloatCc::Ogt),
            O::FUnordGreaterThan => Some(FloatCc::Ugt),
            O::FOrdLessThanEqual => Some(FloatCc::Ole),
            O::FUnordLessThanEqual => Some(FloatCc::Ule),
            O::FOrdGreaterThanEqual => Some(FloatCc::Oge),
            O::FUnordGreaterThanEqual => Some(FloatCc::Uge),
            O::Ordered => Some(FloatCc::Ord),
            O::Unordered => Some(FloatCc::Uno),
            O::LessOrGreater => Some(FloatCc::One),
            _ => None,
        };
        if let Some(cc) = float_cc {
            let (a, b) = self.compared(inst, float)?;
            return Ok(Some(Val::One(self.b().fcmp(cc, a, b))));
        }
        let int_cc = match inst.op {
            O::IEqual => IntCc::Eq,
            O::INotEqual => IntCc::Ne,
            O::UGreaterThan => IntCc::Ugt,
            O::SGreaterThan => IntCc::Sgt,
            O::UGreaterThanEqual => IntCc::Uge,
            O::SGreaterThanEqual => IntCc::Sge,
            O::ULessThan => IntCc::Ult,
            O::SLessThan => IntCc::Slt,
            O::ULessThanEqual => IntCc::Ule,
            O::SLessThanEqual => IntCc::Sle,
            O::LogicalEqual => {
                let (a, b) = self.compared(inst, Type::is_bool)?;
                return Ok(Some(Val::One(self.b().icmp(IntCc::Eq, a, b))));
            }
            O::LogicalNotEqual => {
                let (a, b) = self.compared(inst, Type::is_bool)?;
                return Ok(Some(Val::One(self.b().icmp(IntCc::Ne, a, b))));
            }
            _ => return Ok(None),
        };
        let (a, b) = self.compared(inst, Type::is_int)?;
        Ok(Some(Val::One(self.b().icmp(int_cc, a, b))))
    }

    /// Products with matrices.
    fn matrix(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let ty = self.m.types.of(inst.ty, inst)?;
        let columns_of = |list: Vec<Value>| Val::parts(list.into_iter().map(Val::One).collect());
        let result = match *self.m.types.kind(ty) {
            Kind::Matrix(column, n) => self.m.types.leaf(column).map(|c| (c, n)),
            _ => None,
        };
        let val = match inst.op {
            Op::MatrixTimesScalar => {
                let columns = self.columns(o[0])?;
                let c = self.code.f.ty(columns[0]);
                let s = self.typed(o[1], c.lane())?;
                let s = self.code.like(s, c);
                columns_of(columns.into_iter().map(|column| self.b().fmul(column, s)).collect())
            }
            Op::VectorTimesMatrix => {
                let columns = self.columns(o[1])?;
                let c = self.code.f.ty(columns[0]);
                let v = self.typed(o[0], c)?;
                Val::One(self.code.vector_matrix(v, &columns))
            }
            Op::MatrixTimesVector => {
                let columns = self.columns(o[0])?;
                let c = self.code.f.ty(columns[0]);
                let v = self.typed(o[1], c.with_lanes(columns.len() as u32))?;
                match self.code.matrix_vector(&columns, v) {
                    Some(v) => Val::One(v),
                    None => return self.broken("a matrix without columns"),
                }
            }
            Op::MatrixTimesMatrix => {
                let (a, b) = (self.columns(o[0])?, self.columns(o[1])?);
                let (ta, tb) = (self.code.f.ty(a[0]), self.code.f.ty(b[0]));
                if tb != ta.with_lanes(a.len() as u32) {
                    return self.wrong("the columns of the one are not the rows of the other");
                }
                let product = |column| self.code.matrix_vector(&a, column);
                match b.into_iter().map(product).collect::<Option<Vec<_>>>() {
                    Some(columns) => columns_of(columns),
                    None => return self.broken("a matrix without columns"),
                }
            }
            _ => {
                let (a, b) = (self.one(o[0])?, self.one(o[1])?);
                let (ta, tb) = (self.code.f.ty(a), self.code.f.ty(b));
                if !ta.is_float() || !ta.is_vector() || !tb.is_vector() || ta.lane() != tb.lane() {
                    return self.wrong("its operands are no vectors of floats");
                }
                columns_of(self.code.outer(a, b))
            }
        };
        if let Val::Parts(parts) = &val {
            let first = self.single(&parts[0])?;
            if result != Some((self.code.f.ty(first), parts.len() as u32)) {
                return self.wrong("its type does not fit its operands");
            }
        }
        Ok(val)
    }
}
