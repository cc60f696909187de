//! Operators and conversions.

use super::Lowered;
use super::func::FuncCx;
use super::types::{self, Ty};
use super::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{FloatCc, IntCc, Type, Value};
use naga::{BinaryOperator as B, Expression, Handle, RelationalFunction, ScalarKind, UnaryOperator};

impl FuncCx<'_, '_> {
    /// The value of `op expr`, lane by lane.
    pub fn unary(&mut self, op: UnaryOperator, expr: Handle<Expression>) -> Lowered<Val> {
        let value = self.value(expr)?;
        self.each(&value, &mut |cx, v| {
            let ty = cx.f.ty(v);
            match op {
                UnaryOperator::Negate if ty.is_float() => cx.b().fneg(v),
                UnaryOperator::Negate => cx.b().ineg(v),
                UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => cx.b().not(v),
            }
        })
    }

    /// The value of `left op right`, matrix products too.
    pub fn binary(&mut self, op: B, left: Handle<Expression>, right: Handle<Expression>) -> Lowered<Val> {
        let (left_ty, right_ty) = (self.expr_ty(left)?, self.expr_ty(right)?);
        let (a, b) = (self.value(left)?, self.value(right)?);
        if let (B::Multiply, true) = (op, matches!(left_ty, Ty::Matrix(..)) || matches!(right_ty, Ty::Matrix(..))) {
            return self.matrix_product(&a, left_ty, &b, right_ty);
        }
        if matches!(left_ty, Ty::Matrix(..)) {
            let pairs: Vec<_> = self.columns(&a)?.into_iter().zip(self.columns(&b)?).collect();
            let columns = pairs.into_iter().map(|(a, b)| match op {
                B::Subtract => self.b().fsub(a, b),
                _ => self.b().fadd(a, b),
            });
            return Ok(Self::matrix(columns.collect()));
        }
        let (mut a, mut b) = (self.single(&a)?, self.single(&b)?);
        let kind = types::lane_scalar(left_ty).map_or(ScalarKind::Uint, |s| s.kind);
        match op {
            B::Multiply => {
                let (ta, tb) = (self.f.ty(a), self.f.ty(b));
                a = self.like(a, tb);
                b = self.like(b, ta);
            }
            B::ShiftLeft | B::ShiftRight => {
                let to = self.f.ty(a).scalar();
                b = self.resize(b, to, false);
            }
            _ => {}
        }
        Ok(Val::One(self.lanes_op(op, kind, a, b)))
    }

    /// A lanewise operator on operands of one type.
    fn lanes_op(&mut self, op: B, kind: ScalarKind, x: Value, y: Value) -> Value {
        let float = kind == ScalarKind::Float;
        let signed = kind == ScalarKind::Sint;
        let mut b = self.b();
        let compare = |float_cc: FloatCc, signed_cc: IntCc, unsigned_cc: IntCc| {
            (float_cc, if signed { signed_cc } else { unsigned_cc })
        };
        let (float_cc, int_cc) = match op {
            B::Add if float => return b.fadd(x, y),
            B::Add => return b.iadd(x, y),
            B::Subtract if float => return b.fsub(x, y),
            B::Subtract => return b.isub(x, y),
            B::Multiply if float => return b.fmul(x, y),
            B::Multiply => return b.imul(x, y),
            B::Divide if float => return b.fdiv(x, y),
            B::Divide if signed => return b.sdiv(x, y),
            B::Divide => return b.udiv(x, y),
            B::Modulo if float => return b.frem(x, y),
            B::Modulo if signed => return b.srem(x, y),
            B::Modulo => return b.urem(x, y),
            B::And | B::LogicalAnd => return b.and(x, y),
            B::InclusiveOr | B::LogicalOr => return b.or(x, y),
            B::ExclusiveOr => return b.xor(x, y),
            B::ShiftLeft => return b.shl(x, y),
            B::ShiftRight if signed => return b.sshr(x, y),
            B::ShiftRight => return b.ushr(x, y),
            B::Equal => compare(FloatCc::Oeq, IntCc::Eq, IntCc::Eq),
            B::NotEqual => compare(FloatCc::Une, IntCc::Ne, IntCc::Ne),
            B::Less => compare(FloatCc::Olt, IntCc::Slt, IntCc::Ult),
            B::LessEqual => compare(FloatCc::Ole, IntCc::Sle, IntCc::Ule),
            B::Greater => compare(FloatCc::Ogt, IntCc::Sgt, IntCc::Ugt),
            B::GreaterEqual => compare(FloatCc::Oge, IntCc::Sge, IntCc::Uge),
        };
        if float { b.fcmp(float_cc, x, y) } else { b.icmp(int_cc, x, y) }
    }

    /// Products that have a matrix on one side or on both.
    fn matrix_product(&mut self, a: &Val, a_ty: Ty, b: &Val, b_ty: Ty) -> Lowered<Val> {
        match (a_ty, b_ty) {
            (Ty::Matrix(..), Ty::Scalar(_)) => {
                let s = self.single(b)?;
                self.each(a, &mut |cx, column| {
                    let ty = cx.f.ty(column);
                    let s = cx.like(s, ty);
                    cx.b().fmul(column, s)
                })
            }
            (Ty::Scalar(_), Ty::Matrix(..)) => {
                let s = self.single(a)?;
                self.each(b, &mut |cx, column| {
                    let ty = cx.f.ty(column);
                    let s = cx.like(s, ty);
                    cx.b().fmul(s, column)
                })
            }
            (Ty::Matrix(..), Ty::Vector(..)) => {
                let columns = self.columns(a)?;
                let v = self.single(b)?;
                self.columns_times(&columns, v).map(Val::One)
            }
            (Ty::Vector(..), Ty::Matrix(..)) => {
                let v = self.single(a)?;
                let columns = self.columns(b)?;
                Ok(Val::One(self.vector_matrix(v, &columns)))
            }
            (Ty::Matrix(..), Ty::Matrix(..)) => {
                let (a, b) = (self.columns(a)?, self.columns(b)?);
                let columns = b.into_iter().map(|column| self.columns_times(&a, column));
                Ok(Self::matrix(columns.collect::<Lowered<_>>()?))
            }
            _ => self.broken("a product of shapes that have none"),
        }
    }

    fn columns_times(&mut self, columns: &[Value], v: Value) -> Lowered<Value> {
        match self.matrix_vector(columns, v) {
            Some(sum) => Ok(sum),
            None => self.broken("a matrix without columns"),
        }
    }

    /// `all`, `any` and the tests for NaN and infinity.
    pub fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Lowered<Val> {
        let v = self.one(argument)?;
        let result = match fun {
            RelationalFunction::All => self.all_or_any(v, true),
            RelationalFunction::Any => self.all_or_any(v, false),
            RelationalFunction::IsNan => self.is_nan(v),
            RelationalFunction::IsInf => self.is_inf(v),
        };
        Ok(Val::One(result))
    }

    /// `As`: a conversion of value, or a change of type with the bits kept.
    pub fn convert(&mut self, expr: Handle<Expression>, to: ScalarKind, convert: Option<naga::Bytes>) -> Lowered<Val> {
        let ty = self.expr_ty(expr)?;
        let value = self.value(expr)?;
        let Some(from) = types::lane_scalar(ty) else { return self.broken("a conversion of an aggregate") };
        let width = convert.unwrap_or(from.width);
        let Some(scalar) = types::scalar(naga::Scalar { kind: to, width }) else {
            return self.broken("a conversion to no known scalar type");
        };
        self.each(&value, &mut |cx, v| {
            let target = cx.f.ty(v).with_scalar(scalar);
            if convert.is_none() {
                return if cx.f.ty(v) == target { v } else { cx.bitcast(v, target) };
            }
            cx.convert_lanes(v, from.kind, to, target)
        })
    }

    fn convert_lanes(&mut self, v: Value, from: ScalarKind, to: ScalarKind, target: Type) -> Value {
        let source = self.f.ty(v);
        let int = |kind| matches!(kind, ScalarKind::Sint | ScalarKind::Uint);
        match (from, to) {
            (ScalarKind::Bool, ScalarKind::Bool) => v,
            (ScalarKind::Bool, _) => {
                let one = if target.is_float() { self.f.fconst(target, 1.0) } else { self.f.iconst(target, 1) };
                let zero = self.f.zero(target);
                self.b().select(v, one, zero)
            }
            (ScalarKind::Float, ScalarKind::Bool) => {
                let zero = self.f.zero(source);
                self.b().fcmp(FloatCc::Une, v, zero)
            }
            (_, ScalarKind::Bool) => {
                let zero = self.f.zero(source);
                self.b().icmp(IntCc::Ne, v, zero)
            }
            (ScalarKind::Float, ScalarKind::Float) if source == target => v,
            (ScalarKind::Float, ScalarKind::Float) => self.b().f2f(v, target),
            (ScalarKind::Float, ScalarKind::Sint) => self.b().f2s(v, target),
            (ScalarKind::Float, _) => self.b().f2u(v, target),
            (ScalarKind::Sint, ScalarKind::Float) => self.b().s2f(v, target),
            (_, ScalarKind::Float) => self.b().u2f(v, target),
            (from, to) if int(from) && int(to) => self.resize(v, target.scalar(), from == ScalarKind::Sint),
            _ => v,
        }
    }
}
