//! The lowered form of a naga expression: one IR value, a tree of them, or an address that is not an IR value at all.

use super::texture::Binding;
use super::types::Ty;
use gpucc_ir as ir;
use std::rc::Rc;

/// A place in memory, by the types of naga.
pub type Ptr = gpucc_frontend_common::Ptr<Ty>;

/// The lowered form of an expression.
#[derive(Debug, Clone)]
pub enum Val {
    /// A scalar or vector.
    One(ir::Value),
    /// Columns of a matrix, elements of an array, members of a struct.
    Parts(Rc<[Val]>),
    /// A reference to memory.
    Ptr(Rc<Ptr>),
    /// An aggregate read from memory that nobody writes while it is used: it stays where it is until a part of it is needed.
    InMemory(Rc<Ptr>),
    /// A texture or sampler.
    Handle(Binding),
}

gpucc_frontend_common::form!(Val over Ty);
