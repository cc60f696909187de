//! The lowered form of a result: one IR value, a tree of them, or an address that is no IR value at all.

use crate::types::Ty;
pub use gpucc_frontend_common::Choice;
use gpucc_ir as ir;
use std::cell::RefCell;
use std::rc::Rc;

/// A place in memory, by the types of a module.
pub type Ptr = gpucc_frontend_common::Ptr<Ty>;

/// The lowered form of a result.
#[derive(Debug, Clone)]
pub enum Val {
    /// A scalar or vector.
    One(ir::Value),
    /// Columns of a matrix, elements of an array, members of a struct.
    Parts(Rc<[Val]>),
    /// A pointer to memory.
    Ptr(Rc<Ptr>),
    /// An aggregate that stays in memory until a part of it is needed, or until it is stored.
    InMemory(Rc<Ptr>),
    /// A pointer to an array of buffers.
    Buffers(Rc<Buffers>),
    /// A pointer to an input of the stage.
    Input(Rc<InputPtr>),
    /// An image or a sampler, or a pointer to one or to an array of them.
    Handle(Handle),
    /// An image with a sampler.
    Sampled(Handle, Handle),
    /// A pointer to a texel.
    Texel(Rc<Texel>),
    /// A variable of a function that holds an image, a sampler or a pointer.
    Cell(Rc<Cell>),
    /// Nothing: the result of a function without one.
    Void,
}

gpucc_frontend_common::form!(Val over Ty);

/// An array of buffers, or an array in one of such arrays.
#[derive(Debug, Clone)]
pub struct Buffers {
    /// The pointer to the first of all.
    pub first: Ptr,
    /// The buffers of the array, in order.
    pub places: Rc<[ir::Place]>,
    /// The number of the array in the one around it.
    pub index: Option<ir::Value>,
    /// Type of what the pointer points to.
    pub ty: Ty,
}

/// A part of an input of the stage.
#[derive(Debug, Clone)]
pub struct InputPtr {
    /// The variable, by its number among inputs.
    pub variable: usize,
    /// Indices from the outside in, each with the type that it is an index of.
    pub path: Vec<(Ty, Index)>,
    /// Type of what the path leads to.
    pub ty: Ty,
}

/// An index into a type: constant or dynamic.
#[derive(Debug, Clone, Copy)]
pub enum Index {
    /// A constant.
    At(u32),
    /// A value.
    Dynamic(ir::Value),
}

/// A variable of images or samplers, and an element of it.
#[derive(Debug, Clone, Copy)]
pub struct Handle {
    /// The variable, by its number among those of images and samplers.
    pub variable: usize,
    /// The element, if it is an array.
    pub index: Option<ir::Value>,
    /// Type of the image or sampler.
    pub ty: Ty,
}

/// The contents of a variable of what is no IR value; a store to it is seen by what is lowered behind it.
#[derive(Debug)]
pub struct Cell {
    /// How many functions are lowered in one another where it is.
    pub depth: usize,
    /// The contents, once they are known, and the block that stored them.
    pub val: RefCell<Option<(Val, usize)>>,
}

/// A texel of a storage image.
#[derive(Debug, Clone)]
pub struct Texel {
    /// The image that holds the texel.
    pub image: Handle,
    /// The question to the image.
    pub desc: ir::TexDesc,
    /// Operands that the question asks for.
    pub given: Vec<(ir::TexArg, ir::Value)>,
}
