//! Module-scope constant expressions: naga has evaluated them, what is left are literals and constructors.

use super::types::{self, Ty};
use super::{Lowered, ModuleCx};
use crate::{limits, report};
use gpucc_ir as ir;
use ir::Span;
use naga::{Expression, Handle, Literal};
use std::rc::Rc;

/// A constant, by the types of naga.
pub type Tree = gpucc_frontend_common::Tree<Ty>;

/// The bits of a literal; `None` for the abstract ones, which never survive validation.
pub fn literal(literal: Literal) -> Option<ir::Const> {
    let (ty, bits) = match literal {
        Literal::F64(v) => (ir::Type::F64, v.to_bits()),
        Literal::F32(v) => (ir::Type::F32, v.to_bits().into()),
        Literal::F16(v) => (ir::Type::F16, v.to_bits().into()),
        Literal::U16(v) => (ir::Type::I16, v.into()),
        Literal::I16(v) => (ir::Type::I16, v as u16 as u64),
        Literal::U32(v) => (ir::Type::I32, v.into()),
        Literal::I32(v) => (ir::Type::I32, v as u32 as u64),
        Literal::U64(v) => (ir::Type::I64, v),
        Literal::I64(v) => (ir::Type::I64, v as u64),
        Literal::Bool(v) => (ir::Type::B1, v.into()),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return None,
    };
    Some(ir::Const::new(ty, &[bits]))
}

impl ModuleCx<'_> {
    /// The value of a module-scope expression.
    pub fn constant_tree(&self, handle: Handle<Expression>, span: Span) -> Lowered<Tree> {
        let unknown = || report::contradiction("a constant expression that is none", span);
        match self.source.global_expressions[handle] {
            Expression::Literal(value) => literal(value).map(Tree::Leaf).ok_or_else(unknown),
            Expression::Constant(constant) => self.constant_tree(self.source.constants[constant].init, span),
            Expression::ZeroValue(ty) => {
                let ty = self.types.of(ty).map_err(|gap| gap.at(span))?;
                Ok(types::leaf(ty).map_or(Tree::Zero(ty), |leaf| Tree::Leaf(ir::Const::new(leaf, &[0]))))
            }
            Expression::Splat { size, value } => match self.constant_tree(value, span)? {
                Tree::Leaf(c) => Ok(Tree::Leaf(ir::Const::new(c.ty.with_lanes(size as u32), &c.bits))),
                _ => Err(unknown()),
            },
            Expression::Compose { ty, ref components } => {
                let ty = self.types.of(ty).map_err(|gap| gap.at(span))?;
                let part = |&c: &Handle<Expression>| self.constant_tree(c, span).map(Rc::new);
                let parts = components.iter().map(part).collect::<Lowered<Vec<_>>>()?;
                match types::leaf(ty) {
                    None => Ok(Tree::Parts(parts)),
                    Some(leaf) => {
                        let bits: Vec<u64> = parts
                            .iter()
                            .flat_map(|p| match &**p {
                                Tree::Leaf(c) => c.bits.to_vec(),
                                _ => Vec::new(),
                            })
                            .collect();
                        if bits.len() != leaf.lanes() as usize {
                            return Err(unknown());
                        }
                        Ok(Tree::Leaf(ir::Const::new(leaf, &bits)))
                    }
                }
            }
            _ => Err(unknown()),
        }
    }

    /// The memory image of a module-scope expression in our own layout.
    pub fn constant_bytes(&self, handle: Handle<Expression>, ty: Ty, span: Span) -> Lowered<Vec<u8>> {
        let size = self.types.layout(ty, false).size;
        if u64::from(size) > limits::VARIABLE_BYTES.max {
            return Err(report::limit(&limits::VARIABLE_BYTES).at(span, "this variable"));
        }
        let mut bytes = vec![0; size as usize];
        if !matches!(self.source.global_expressions[handle], Expression::ZeroValue(_)) {
            let tree = self.constant_tree(handle, span)?;
            tree.write(&self.types, ty, 0, &mut bytes);
        }
        Ok(bytes)
    }
}
