//! Expressions.

use super::Lowered;
use super::constant;
use super::func::FuncCx;
use super::texture::Binding;
use super::types::{self, Ty};
use super::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{Refusal, Value};
use naga::{Expression, Handle};

impl FuncCx<'_, '_> {
    /// Computes an expression at the end of the present block.
    pub fn evaluate(&mut self, handle: Handle<Expression>) -> Lowered<Val> {
        let function = self.current().function;
        match function.expressions[handle] {
            Expression::Literal(literal) => match constant::literal(literal) {
                Some(c) => Ok(Val::One(self.f.constant(c))),
                None => self.broken("an abstract literal"),
            },
            Expression::ZeroValue(ty) => {
                let ty = self.ty(ty, self.span())?;
                self.zero(ty)
            }
            Expression::Constant(_)
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_) => self.value(handle),
            Expression::Override(_) => self.broken("an override without a value"),
            Expression::Compose { ty, ref components } => {
                let ty = self.ty(ty, self.span())?;
                self.constructor(ty, components)
            }
            Expression::Access { base, index } => {
                let (value, index) = (self.value(base)?, self.one(index)?);
                match value {
                    Val::Ptr(ptr) => Ok(Val::Ptr(self.element_ptr(&ptr, index)?.into())),
                    Val::Handle(b) => Ok(Val::Handle(Binding { index: Some(self.as_i32(index)), ..b })),
                    value => {
                        let ty = self.expr_ty(base)?;
                        self.element(&value, ty, index)
                    }
                }
            }
            Expression::AccessIndex { base, index } => match self.value(base)? {
                Val::Ptr(ptr) => Ok(Val::Ptr(self.part_ptr(&ptr, index)?.into())),
                Val::Handle(b) => {
                    let index = self.f.iconst(ir::Type::I32, index.into());
                    Ok(Val::Handle(Binding { index: Some(index), ..b }))
                }
                value => self.part(&value, index),
            },
            Expression::Splat { size, value } => {
                let value = self.one(value)?;
                Ok(Val::One(self.b().splat(value, size as u32)))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.one(vector)?;
                let lanes: Vec<u8> = pattern[..size as usize].iter().map(|&c| c as u8).collect();
                Ok(Val::One(self.swizzle(vector, &lanes)))
            }
            Expression::Load { pointer } => {
                let pointer = self.pointer(pointer)?;
                self.load(&pointer)
            }
            Expression::ArrayLength(array) => {
                let array = self.pointer(array)?;
                self.array_length(&array).map(Val::One)
            }
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select { condition, accept, reject } => {
                let condition = self.one(condition)?;
                let (accept, reject) = (self.value(accept)?, self.value(reject)?);
                self.select_val(condition, &accept, &reject)
            }
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::Math { fun, arg, arg1, arg2, arg3 } => self.math(fun, arg, arg1, arg2, arg3),
            Expression::As { expr, kind, convert } => self.convert(expr, kind, convert),
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::RayQueryProceedResult
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => self.broken("a result whose statement did not run"),
            ref sample @ Expression::ImageSample { .. } => self.image_sample(sample),
            ref load @ Expression::ImageLoad { .. } => self.image_load(load),
            Expression::ImageQuery { image, query } => self.image_query(image, query),
            Expression::Derivative { axis, ctrl, expr } => {
                let value = self.one(expr)?;
                let axis = match axis {
                    naga::DerivativeAxis::X => Some(ir::Axis::X),
                    naga::DerivativeAxis::Y => Some(ir::Axis::Y),
                    naga::DerivativeAxis::Width => None,
                };
                // Without a control both are allowed; the finer one is what neighbours see.
                Ok(Val::One(self.derivative(value, axis, ctrl != naga::DerivativeControl::Coarse)))
            }
            Expression::RayQueryVertexPositions { .. } | Expression::RayQueryGetIntersection { .. } => {
                self.unsupported(Refusal::RayQueries, "ray queries")
            }
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                self.unsupported(Refusal::CooperativeMatrices, "cooperative matrices")
            }
        }
    }

    fn constructor(&mut self, ty: Ty, components: &[Handle<Expression>]) -> Lowered<Val> {
        let mut parts = Vec::with_capacity(components.len());
        for &component in components {
            parts.push(self.value(component)?);
        }
        let Some(leaf) = types::leaf(ty) else {
            let is_far = |cx: &Self, part: &Val| matches!(part, Val::InMemory(p) if cx.is_long(p.ty));
            if parts.iter().any(|part| is_far(self, part)) {
                return self.gathered(ty, &parts);
            }
            self.check_size(ty)?;
            let parts = parts.iter().map(|p| self.materialise(p)).collect::<Lowered<Vec<_>>>()?;
            return Ok(Val::parts(parts));
        };
        // A vector: scalars and shorter vectors, lane after lane.
        let mut lanes = Vec::with_capacity(4);
        for part in &parts {
            let v = self.single(part)?;
            for lane in 0..self.f.ty(v).lanes() {
                lanes.push(self.extract(v, lane));
            }
        }
        if lanes.len() != leaf.lanes() as usize {
            return self.broken("a vector constructor with the wrong number of lanes");
        }
        Ok(Val::One(self.compose(&lanes)))
    }

    /// `f` of each column of a matrix, or of the one value there is.
    pub fn each(&mut self, value: &Val, f: &mut dyn FnMut(&mut Self, Value) -> Value) -> Lowered<Val> {
        match self.materialise(value)? {
            Val::One(v) => Ok(Val::One(f(self, v))),
            Val::Parts(parts) => {
                let parts = parts.iter().map(|p| self.each(p, f)).collect::<Lowered<Vec<_>>>()?;
                Ok(Val::parts(parts))
            }
            _ => self.broken("a pointer where a value is wanted"),
        }
    }

    /// The columns of a matrix.
    pub fn columns(&mut self, value: &Val) -> Lowered<Vec<Value>> {
        match self.materialise(value)? {
            Val::Parts(parts) => parts.iter().map(|p| self.single(p)).collect(),
            _ => self.broken("no matrix where one is wanted"),
        }
    }

    /// A matrix of these columns.
    pub fn matrix(columns: Vec<Value>) -> Val {
        Val::parts(columns.into_iter().map(Val::One).collect())
    }
}
