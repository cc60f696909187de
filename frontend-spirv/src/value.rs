//! The lowered form of a result: one IR value, a tree of them, or an address that is no IR value at all.

use crate::types::{MatrixLayout, Ty};
use gpucc_ir as ir;
use std::cell::RefCell;
use std::rc::Rc;

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

impl Val {
    /// A tree of parts.
    pub fn parts(parts: Vec<Val>) -> Val {
        Val::Parts(parts.into())
    }
}

/// A place, a byte offset in it, and the shape of what is there.
#[derive(Debug, Clone)]
pub struct Ptr {
    /// The memory; the first one where there are several.
    pub place: ir::Place,
    /// Several memories, one of which it is when it runs.
    pub choice: Option<Rc<Choice>>,
    /// Buffer layout (the module's) or variable layout (ours).
    pub host: bool,
    /// Flags of each access.
    pub flags: ir::MemFlags,
    /// The address that the bytes are counted from, where the place is [`ir::Place::Address`]: an `i64`.
    pub base: Option<ir::Value>,
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
    /// Where the numbers of matrices in it lie.
    pub matrix: Option<MatrixLayout>,
    /// Bytes from one lane to the next, for a column of a matrix whose rows lie together.
    pub lanes: Option<u32>,
    /// Nobody writes there while the value lives that this is the place of.
    pub still: bool,
}

/// One of several memories of the same shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which one; the last one if it is too large.
    pub index: ir::Value,
    /// The memories, one for each index.
    pub places: Vec<ir::Place>,
}

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

impl Ptr {
    /// All memories that it may point into.
    pub fn places(&self) -> &[ir::Place] {
        self.choice.as_ref().map_or(std::slice::from_ref(&self.place), |c| &c.places)
    }

    /// Whether two point into the same memory, or into the same choice of them.
    pub fn is_beside(&self, other: &Ptr) -> bool {
        self.place == other.place && self.choice == other.choice
    }

    /// The alignment of the whole address.
    pub fn address_align(&self) -> u32 {
        if self.offset == 0 { self.align } else { self.align.min(1 << self.offset.trailing_zeros().min(16)) }
    }
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
