//! The lowered form of a naga expression: one IR value, a tree of them, or an address that is not an IR value at all.

use super::texture::Binding;
use super::types::Ty;
use gpucc_frontend_common::{Form, View};
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

impl Val {
    /// A tree of parts.
    pub fn parts(parts: Vec<Val>) -> Val {
        Val::Parts(parts.into())
    }
}

impl Form for Val {
    type Ty = Ty;

    fn one(value: ir::Value) -> Val {
        Val::One(value)
    }

    fn tree(parts: Vec<Val>) -> Val {
        Val::parts(parts)
    }

    fn in_memory(ptr: Ptr) -> Val {
        Val::InMemory(ptr.into())
    }

    fn view(&self) -> View<'_, Val> {
        match self {
            Val::One(v) => View::One(*v),
            Val::Parts(parts) => View::Parts(parts),
            Val::Ptr(ptr) => View::Ptr(ptr),
            Val::InMemory(ptr) => View::InMemory(ptr),
            Val::Handle(_) => View::Other,
        }
    }
}
