//! Module-scope constant expressions: naga has evaluated them, what is left are literals and constructors.

use super::types::{self, Ty};
use super::{Lowered, ModuleCx};
use crate::{limits, report};
use gpucc_ir as ir;
use ir::Span;
use naga::{Expression, Handle, Literal};

/// A constant as a tree whose leaves are scalars or vectors.
#[derive(Debug, Clone)]
pub enum Tree {
    /// A scalar or vector.
    Leaf(ir::Const),
    /// Columns, elements or members.
    Parts(Vec<Tree>),
}

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
                self.zero_tree(ty, span)
            }
            Expression::Splat { size, value } => match self.constant_tree(value, span)? {
                Tree::Leaf(c) => Ok(Tree::Leaf(ir::Const::new(c.ty.with_lanes(size as u32), &c.bits))),
                Tree::Parts(_) => Err(unknown()),
            },
            Expression::Compose { ty, ref components } => {
                let ty = self.types.of(ty).map_err(|gap| gap.at(span))?;
                let parts = components.iter().map(|&c| self.constant_tree(c, span)).collect::<Lowered<Vec<_>>>()?;
                match types::leaf(ty) {
                    None => Ok(Tree::Parts(parts)),
                    Some(leaf) => {
                        let bits: Vec<u64> = parts
                            .iter()
                            .flat_map(|p| match p {
                                Tree::Leaf(c) => c.bits.to_vec(),
                                Tree::Parts(_) => Vec::new(),
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

    /// Zero of any shape.
    pub fn zero_tree(&self, ty: Ty, span: Span) -> Lowered<Tree> {
        if self.types.scalars(ty) > limits::VALUE_SCALARS.max {
            return Err(report::limit(&limits::VALUE_SCALARS).at(span, "this value"));
        }
        if let Some(leaf) = types::leaf(ty) {
            return Ok(Tree::Leaf(ir::Const::new(leaf, &[0])));
        }
        let part = |i| {
            let part = self.types.part(ty, i).map_err(|gap| gap.at(span))?;
            self.zero_tree(part, span)
        };
        (0..self.types.parts(ty)).map(part).collect::<Lowered<Vec<_>>>().map(Tree::Parts)
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
            self.write_tree(&tree, ty, 0, &mut bytes);
        }
        Ok(bytes)
    }

    /// Writes a constant at an offset of a memory image.
    pub fn write_tree(&self, tree: &Tree, ty: Ty, at: u32, bytes: &mut [u8]) {
        match tree {
            Tree::Leaf(c) => {
                let width = c.ty.scalar().mem_bytes();
                for (i, bits) in c.bits.iter().enumerate() {
                    let at = (at + i as u32 * width) as usize;
                    let lane = &bits.to_le_bytes()[..width as usize];
                    if let Some(into) = bytes.get_mut(at..at + lane.len()) {
                        into.copy_from_slice(lane);
                    }
                }
            }
            Tree::Parts(parts) => {
                let layout = self.types.layout(ty, false);
                for (i, part) in parts.iter().enumerate() {
                    let offset = layout.offsets.get(i).copied().unwrap_or(layout.stride * i as u32);
                    if let Ok(part_ty) = self.types.part(ty, i as u32) {
                        self.write_tree(part, part_ty, at + offset, bytes);
                    }
                }
            }
        }
    }
}
