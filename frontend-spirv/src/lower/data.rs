//! Constants, variables and interfaces of a module, as lowering sees them.

use crate::types::Ty;
use crate::value::{Ptr, Val};
use gpucc_ir as ir;
use indexmap::IndexMap;
use ir::{Interface, Interp, Mode, Span, Type, Value, Where};
use rspirv::spirv::BuiltIn;
use std::rc::Rc;

/// A constant, by the types of a module.
pub type Tree = gpucc_frontend_common::Tree<Ty>;

/// The kind of a module-scope variable.
#[derive(Debug, Clone)]
pub enum Global {
    /// The meaning of its id.
    Val(Val),
    /// An output, by its number: a variable of the entry's function.
    Output(usize),
}

/// A variable of images or samplers.
#[derive(Debug, Clone)]
pub struct HandleVar {
    /// Name of the variable in the source.
    pub name: String,
    /// Bind group, and binding in it.
    pub at: (u32, u32),
    /// Elements; 1 for one.
    pub count: u32,
    /// Whether it may be loaded, and stored to.
    pub access: (bool, bool),
    /// The attributes of accesses to it.
    pub flags: ir::MemFlags,
    /// The buffers that texel buffers are.
    pub buffers: Option<Rc<[ir::Place]>>,
    /// Its place in the source.
    pub span: Span,
}

/// The type that a variable is asked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A texture; whether its texels are compared.
    Texture(bool),
    /// A storage image.
    Image,
    /// A sampler; whether it compares.
    Sampler(bool),
}

/// An input or output variable.
#[derive(Debug, Clone)]
pub struct IoVar {
    /// Id of the variable.
    pub id: u32,
    /// Name of the variable in the source.
    pub name: String,
    /// Type of what it holds.
    pub ty: Ty,
    /// Whether it is an input.
    pub input: bool,
    /// Whether a part of it has a location.
    pub by_location: bool,
    /// The first value of an output.
    pub init: Option<Rc<Tree>>,
    /// Its place in the source.
    pub span: Span,
}

/// Where a part of an interface is, and how it is interpolated.
#[derive(Debug, Clone, Copy, Default)]
pub struct At {
    pub built_in: Option<BuiltIn>,
    /// The index of an element of a built-in array.
    pub element: u32,
    pub location: Option<u32>,
    pub component: u32,
    pub blend_src: u32,
    /// Whether an array of it has the value of each vertex, and of which one it is.
    pub per_vertex: bool,
    pub vertex: Option<u32>,
    pub flat: bool,
    pub linear: bool,
    pub centroid: bool,
    pub sample: bool,
}

/// A scalar or vector of an output variable, and the lanes of the slot that it is.
#[derive(Debug, Clone)]
pub struct OutLeaf {
    pub variable: usize,
    pub path: Vec<u32>,
    pub slot: usize,
    pub first: u32,
    pub signed: bool,
}

/// The interface of the entry that is lowered.
pub struct Stage {
    pub kind: ir::Stage,
    pub io: Interface,
    pub inputs: IndexMap<u32, usize>,
    pub leaves: Vec<OutLeaf>,
    /// The variables of outputs, by number.
    pub locals: IndexMap<usize, Ptr>,
    /// Outputs that are another stage's, by number: they may be listed and not touched.
    pub foreign: IndexMap<usize, BuiltIn>,
    /// How inputs change from one pixel to the next, by number, where they are asked for elsewhere.
    pub slopes: Vec<Option<[Value; 3]>>,
    /// The same of 1/w.
    pub inverse: Option<[Value; 3]>,
    /// Where inputs are read now, if not where they are declared to be.
    pub elsewhere: Option<Elsewhere>,
    /// Whether the lane was demoted, where that is asked.
    pub demoted: Option<ir::Local>,
    /// Whether the lane ended, where others compute together behind that.
    pub ended: Option<ir::Local>,
    /// Whether it is a fragment stage that runs for each sample, since it lists an input that belongs to one.
    pub per_sample: bool,
}

/// A place in the pixel at which an input is asked for.
#[derive(Clone, Copy)]
pub enum Elsewhere {
    /// A point that the primitive covers.
    Centroid,
    /// So far from the middle, in pixels.
    Offset(Value),
}

impl Stage {
    /// Whether it is that of fragments.
    pub fn is_fragment(&self) -> bool {
        self.kind == ir::Stage::Fragment
    }
}

impl At {
    /// How a leaf there is interpolated.
    pub fn interp(&self, leaf: Type) -> Interp {
        let vertex = self.vertex.and_then(|k| Mode::VERTICES.get(k as usize));
        let mode = match () {
            () if vertex.is_some() => vertex.copied().unwrap_or_default(),
            () if !leaf.is_float() || self.flat => Mode::Flat,
            () if self.linear => Mode::Linear,
            () => Mode::Perspective,
        };
        let at = match () {
            () if mode.is_constant() => Where::Center,
            () if self.sample => Where::Sample,
            () if self.centroid => Where::Centroid,
            () => Where::Center,
        };
        Interp { mode, at }
    }
}

/// The value of a specialisation constant from outside.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// A number of WebGPU, which is converted to the constant's type.
    Number(f64),
    /// The bits of the constant's type, in the low ones.
    Bits(u64),
}
