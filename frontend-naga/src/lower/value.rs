//! The lowered form of a naga expression: one IR value, a tree of them, or an address that is not an IR value at all.

use super::texture::Binding;
use super::types::Ty;
use gpucc_ir as ir;
use std::rc::Rc;

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

/// A place, a byte offset in it, and the shape of what is there.
#[derive(Debug, Clone)]
pub struct Ptr {
    /// The memory that it points into.
    pub place: ir::Place,
    /// Buffer layout (naga's) or variable layout (ours).
    pub host: bool,
    /// Flags of each access.
    pub flags: ir::MemFlags,
    /// Constant bytes from the start of the place.
    pub offset: u32,
    /// Dynamic bytes on top of them; `None` where all are constant.
    pub dynamic: Option<ir::Value>,
    /// The most that the dynamic bytes can be; `None` if nothing bounds them.
    pub reach: Option<u64>,
    /// Alignment of the place plus the dynamic bytes.
    pub align: u32,
    /// Type of what is there.
    pub ty: Ty,
    /// Nobody writes there while the value lives that this is the place of.
    pub still: bool,
}

impl Ptr {
    /// The alignment of the whole address.
    pub fn address_align(&self) -> u32 {
        if self.offset == 0 { self.align } else { self.align.min(1 << self.offset.trailing_zeros()) }
    }
}
