//! Types, and where their parts lie: in buffers as the module says, in variables that no host sees by a layout of our own (WGSL's rules
//! with a `bool` of four bytes).

use crate::module::{Inst, Module};
use gpucc_frontend_common::{Layout, MatrixLayout, Shapes, access_flags, limits};
use gpucc_ir as ir;
use ir::{Diagnostic, Refusal};
use rspirv::spirv::{BuiltIn, Decoration, Dim, ImageFormat, Op, StorageClass};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;

/// A type of the module: its index in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty(pub u32);

/// A member of a struct.
#[derive(Debug, Clone)]
pub struct Member {
    /// Type of the member.
    pub ty: Ty,
    /// Where it lies in a buffer, if the module says so.
    pub offset: Option<u32>,
    /// Layout of the matrices in it.
    pub matrix: Option<MatrixLayout>,
    /// The built-in value that it is.
    pub built_in: Option<BuiltIn>,
    /// The attributes of accesses to it.
    pub flags: ir::MemFlags,
}

/// A type of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageTy {
    /// The type of a texel's component, if it is a number.
    pub sampled: Option<ir::Scalar>,
    /// Whether that is a signed integer.
    pub signed: bool,
    /// Dimension of the image, layers not counted.
    pub dim: Dim,
    /// 0 no depth, 1 depth, 2 unknown.
    pub depth: u32,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether a pixel has several samples.
    pub multisampled: bool,
    /// 1 with a sampler, 2 loaded and stored.
    pub storage: bool,
    /// The format of a storage image.
    pub format: ImageFormat,
    /// Whether its layers are faces of cubes, and whether there are several cubes: a storage image of cubes is one of layers.
    pub faces: Option<bool>,
}

/// The kind of a type.
#[derive(Debug, Clone)]
pub enum Kind {
    /// `OpTypeVoid`.
    Void,
    /// A boolean.
    Bool,
    /// An integer and whether it is signed.
    Int(ir::Scalar, bool),
    /// A float.
    Float(ir::Scalar),
    /// Lanes.
    Vector(Ty, u32),
    /// Columns.
    Matrix(Ty, u32),
    /// So many elements; the bytes from one to the next in a buffer.
    Array(Ty, u32, Option<u32>),
    /// Elements to the end of a buffer.
    Runtime(Ty, Option<u32>),
    /// Members.
    Struct(Rc<[Member]>),
    /// A pointer to a type, by its id.
    Pointer(StorageClass, u32),
    /// A function.
    Function,
    /// An image.
    Image(ImageTy),
    /// A sampler.
    Sampler,
    /// An image with a sampler.
    Sampled(Ty),
}

/// A type with what is known of it.
#[derive(Debug, Clone)]
pub struct Type {
    /// Its id in the module.
    pub id: u32,
    /// The kind, with the types that it is made of.
    pub kind: Kind,
    /// Scalars in a value (one element for a runtime-sized array).
    pub scalars: u64,
    /// IR values of a value.
    pub leaves: u64,
    /// Our own layout, for variables that no host sees.
    pub own: Layout,
    /// Bytes of the largest scalar.
    pub scalar_bytes: u32,
    /// Whether it is a runtime-sized array or ends with one.
    pub runtime: bool,
    /// Whether a pointer is in it.
    pointers: bool,
    depth: u64,
}

/// The types of a module.
pub struct Types<'m> {
    m: &'m Module,
    list: Vec<Type>,
    /// Type by the instruction that declares it, plus one.
    by_inst: Vec<u32>,
    extents: FxHashMap<(Ty, Option<MatrixLayout>), u64>,
}

type Found<T> = Result<T, Diagnostic>;

/// Bytes of a pointer that is an address.
const ADDRESS_BYTES: u32 = 8;

impl<'m> Types<'m> {
    /// Types of a module, none of which was read yet.
    pub fn new(m: &'m Module) -> Types<'m> {
        Types { m, list: Vec::new(), by_inst: vec![0; m.head], extents: FxHashMap::default() }
    }

    /// The facts about a type.
    pub fn get(&self, ty: Ty) -> &Type {
        &self.list[ty.0 as usize]
    }

    /// The kind of a type.
    pub fn kind(&self, ty: Ty) -> &Kind {
        &self.get(ty).kind
    }

    /// The type of an id, if it is one that is declared already.
    pub fn find(&self, id: u32) -> Option<Ty> {
        let at = self.m.def(id)?;
        self.by_inst.get(at).filter(|t| **t > 0).map(|t| Ty(t - 1))
    }

    /// The type of an id that an instruction names.
    ///
    /// # Errors
    /// It is no type, or not declared before.
    pub fn of(&self, id: u32, inst: &Inst) -> Found<Ty> {
        self.find(id).ok_or_else(|| match self.m.def(id).map(|d| &self.m.insts[d]) {
            Some(other) if other.op.is_type() => self.m.wrong(inst, format!("%{id} is used before it is declared")),
            _ => self.m.wrong(inst, format!("%{id} is no type")),
        })
    }

    /// Declares the type of an instruction. `length` gives the length of an array by the id of its constant.
    ///
    /// # Errors
    /// The error: a wrong module, or one that cannot be compiled.
    pub fn declare(&mut self, at: usize, inst: &Inst, length: impl Fn(u32) -> Option<u64>) -> Found<()> {
        if inst.op == Op::TypeForwardPointer {
            return self.forward(inst);
        }
        // A pointer may have been declared ahead.
        if self.by_inst[at] > 0 {
            return Ok(());
        }
        let kind = self.read(inst, length)?;
        let ty = self.finish(inst, kind)?;
        self.list.push(ty);
        self.by_inst[at] = self.list.len() as u32;
        Ok(())
    }

    /// Declares a pointer ahead of its own instruction: a type behind it may hold it.
    fn forward(&mut self, inst: &Inst) -> Found<()> {
        let id = self.m.operands(inst)[0];
        let at = self.m.def(id).filter(|&at| at < self.by_inst.len() && self.m.insts[at].op == Op::TypePointer);
        let Some(at) = at else { return Err(self.m.wrong(inst, format!("%{id} is no type of pointers"))) };
        let pointer = self.m.insts[at];
        if self.m.operands(&pointer)[0] != StorageClass::PhysicalStorageBuffer as u32 {
            return Err(self.m.missing(Refusal::Spirv, inst, "of a pointer that is no address"));
        }
        self.declare(at, &pointer, |_| None)
    }

    /// The pointee's id of a pointer that is an address.
    pub fn address_of(&self, ty: Ty) -> Option<u32> {
        match *self.kind(ty) {
            Kind::Pointer(StorageClass::PhysicalStorageBuffer, to) => Some(to),
            _ => None,
        }
    }

    fn read(&self, inst: &Inst, length: impl Fn(u32) -> Option<u64>) -> Found<Kind> {
        let m = self.m;
        let o = m.operands(inst);
        let refuse = |what: String| Err(m.missing(Refusal::Spirv, inst, what));
        Ok(match inst.op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Bool,
            Op::TypeInt => {
                let scalar = match o[0] {
                    8 => ir::Scalar::I8,
                    16 => ir::Scalar::I16,
                    32 => ir::Scalar::I32,
                    64 => ir::Scalar::I64,
                    n => return refuse(n.to_string()),
                };
                Kind::Int(scalar, o[1] != 0)
            }
            Op::TypeFloat => match (o[0], o.len()) {
                (16, 1) => Kind::Float(ir::Scalar::F16),
                (32, 1) => Kind::Float(ir::Scalar::F32),
                (64, 1) => Kind::Float(ir::Scalar::F64),
                (n, 1) => return refuse(n.to_string()),
                (n, _) => return refuse(format!("{n} with another encoding")),
            },
            Op::TypeVector | Op::TypeMatrix => {
                let of = self.of(o[0], inst)?;
                let fits = match (inst.op, self.kind(of)) {
                    (Op::TypeVector, Kind::Bool | Kind::Int(..) | Kind::Float(_)) => true,
                    (Op::TypeMatrix, Kind::Vector(s, _)) => matches!(self.kind(*s), Kind::Float(_)),
                    _ => false,
                };
                match o[1] {
                    _ if !fits => return Err(m.wrong(inst, format!("%{} cannot be its component", o[0]))),
                    n @ (8 | 16) => return refuse(format!("of {n}")),
                    n if !(2..=4).contains(&n) => return Err(m.wrong(inst, format!("it has {n} components"))),
                    n if inst.op == Op::TypeVector => Kind::Vector(of, n),
                    n => Kind::Matrix(of, n),
                }
            }
            Op::TypeArray => {
                let of = self.element(o[0], inst)?;
                let n = length(o[1]).ok_or_else(|| m.wrong(inst, format!("%{} is no constant length", o[1])))?;
                match u32::try_from(n) {
                    Ok(0) => return Err(m.wrong(inst, "an array has one element at least")),
                    Ok(n) => Kind::Array(of, n, self.stride(inst, of)?),
                    Err(_) => return Err(m.wrong(inst, format!("an array of {n} elements"))),
                }
            }
            Op::TypeRuntimeArray => {
                let of = self.element(o[0], inst)?;
                Kind::Runtime(of, self.stride(inst, of)?)
            }
            Op::TypeStruct => Kind::Struct(self.members(inst)?),
            Op::TypePointer => {
                let class = StorageClass::from_u32(o[0])
                    .ok_or_else(|| m.missing(Refusal::Spirv, inst, format!("storage class {}", o[0])))?;
                if let Some(code) = crate::tables::refused_class(class) {
                    return Err(m.missing(code, inst, format!("{class:?}")));
                }
                Kind::Pointer(class, o[1])
            }
            Op::TypeFunction => {
                for (k, &part) in o.iter().enumerate() {
                    if matches!(self.kind(self.of(part, inst)?), Kind::Void) && k > 0 {
                        return Err(m.wrong(inst, "a parameter of type void"));
                    }
                }
                Kind::Function
            }
            Op::TypeImage => Kind::Image(self.image(inst)?),
            Op::TypeSampler => Kind::Sampler,
            Op::TypeSampledImage => {
                let of = self.of(o[0], inst)?;
                match self.kind(of) {
                    Kind::Image(_) => Kind::Sampled(of),
                    _ => return Err(m.wrong(inst, format!("%{} is no image", o[0]))),
                }
            }
            _ => return Err(m.missing(crate::tables::refusal_of(inst.op), inst, "")),
        })
    }

    fn element(&self, id: u32, inst: &Inst) -> Found<Ty> {
        let of = self.of(id, inst)?;
        match self.kind(of) {
            Kind::Void | Kind::Function => Err(self.m.wrong(inst, format!("%{id} cannot be its element"))),
            _ => Ok(of),
        }
    }

    fn stride(&self, inst: &Inst, of: Ty) -> Found<Option<u32>> {
        let stride = self.m.deco_number(inst.id, Decoration::ArrayStride);
        if let Some(n) = stride {
            self.aligned(inst, "an ArrayStride".into(), n, of)?;
            if n == 0 {
                return Err(self.m.wrong(inst, "an ArrayStride is 0"));
            }
        }
        Ok(stride)
    }

    fn aligned(&self, inst: &Inst, what: String, bytes: u32, of: Ty) -> Found<()> {
        let align = self.get(of).scalar_bytes.max(1);
        if bytes.is_multiple_of(align) {
            return Ok(());
        }
        Err(self.m.wrong(inst, format!("{what} is {bytes}, no multiple of the {align} bytes of a scalar there")))
    }

    fn members(&self, inst: &Inst) -> Found<Rc<[Member]>> {
        let m = self.m;
        let mut members = Vec::new();
        for (k, &id) in m.operands(inst).iter().enumerate() {
            let k = k as u32;
            let ty = self.element(id, inst)?;
            if matches!(self.kind(ty), Kind::Image(_) | Kind::Sampler | Kind::Sampled(_)) {
                return Err(m.missing(Refusal::Spirv, inst, "with images or samplers in it"));
            }
            let offset = m.member_number(inst.id, k, Decoration::Offset);
            if let Some(n) = offset {
                self.aligned(inst, format!("an Offset of member {k}"), n, ty)?;
            }
            let stride = m.member_number(inst.id, k, Decoration::MatrixStride);
            if let Some(n) = stride {
                self.aligned(inst, format!("a MatrixStride of member {k}"), n, ty)?;
            }
            let row_major = m.member_deco(inst.id, k, Decoration::RowMajor).is_some();
            let built_in = match m.member_number(inst.id, k, Decoration::BuiltIn) {
                Some(n) => Some(
                    BuiltIn::from_u32(n)
                        .ok_or_else(|| m.missing(Refusal::StageInputs, inst, format!("with the built-in value {n}")))?,
                ),
                None => None,
            };
            let matrix = stride.map(|stride| MatrixLayout { stride, row_major });
            let declared = |kind| m.member_deco(inst.id, k, kind).is_some();
            let flags = access_flags(declared(Decoration::Coherent), declared(Decoration::Volatile));
            members.push(Member { ty, offset, matrix, built_in, flags });
        }
        Ok(members.into())
    }

    fn image(&self, inst: &Inst) -> Found<ImageTy> {
        let m = self.m;
        let o = m.operands(inst);
        let ty = self.of(o[0], inst)?;
        let (sampled, signed) = match self.kind(ty) {
            Kind::Int(s, signed) => (Some(*s), *signed),
            Kind::Float(s) => (Some(*s), false),
            Kind::Void => (None, false),
            _ => return Err(m.wrong(inst, format!("%{} cannot be a texel's component", o[0]))),
        };
        let dim = Dim::from_u32(o[1]).ok_or_else(|| m.missing(Refusal::Spirv, inst, format!("dimension {}", o[1])))?;
        let format = ImageFormat::from_u32(o[6]);
        let format = format.ok_or_else(|| m.missing(Refusal::Spirv, inst, format!("format {}", o[6])))?;
        // Depth, layers, samples, and whether it is sampled.
        if o[2..6].iter().zip([2, 1, 1, 2]).any(|(&n, most)| n > most) {
            return Err(m.wrong(inst, "one of its numbers has no meaning"));
        }
        let storage = o[5] == 2 && dim != Dim::DimSubpassData;
        let cube = storage && dim == Dim::DimCube;
        Ok(ImageTy {
            sampled,
            signed,
            dim: if cube { Dim::Dim2D } else { dim },
            depth: o[2],
            arrayed: o[3] == 1 || cube,
            multisampled: o[4] == 1,
            storage,
            format,
            faces: cube.then_some(o[3] == 1),
        })
    }

    /// Everything that follows from what a type is.
    fn finish(&self, inst: &Inst, kind: Kind) -> Found<Type> {
        let mut depth = 0;
        let mut part = |ty: Ty| {
            let t = self.get(ty);
            depth = depth.max(t.depth);
            t
        };
        let (own, scalars, leaves, scalar_bytes) = match &kind {
            Kind::Bool => (Layout::vector(1, 4), 1, 1, 4),
            Kind::Int(s, _) | Kind::Float(s) => (Layout::vector(1, s.mem_bytes()), 1, 1, s.mem_bytes()),
            Kind::Vector(of, n) => {
                let w = part(*of).own.size;
                (Layout::vector(*n, w), u64::from(*n), 1, w)
            }
            Kind::Matrix(of, n) => {
                let column = part(*of);
                (
                    Layout::array(&column.own, (*n).into()),
                    u64::from(*n) * column.scalars,
                    u64::from(*n),
                    column.scalar_bytes,
                )
            }
            Kind::Array(of, n, _) => {
                let e = part(*of);
                let n = u64::from(*n);
                (Layout::array(&e.own, n), n.saturating_mul(e.scalars), n.saturating_mul(e.leaves), e.scalar_bytes)
            }
            Kind::Runtime(of, _) => {
                let e = part(*of);
                (Layout::array(&e.own, 1), e.scalars, e.leaves, e.scalar_bytes)
            }
            Kind::Struct(members) => {
                let own = Layout::structure(members.iter().map(|m| &self.get(m.ty).own));
                let (mut scalars, mut leaves, mut bytes) = (0u64, 0u64, 1);
                for member in members.iter() {
                    let t = part(member.ty);
                    scalars = scalars.saturating_add(t.scalars);
                    leaves = leaves.saturating_add(t.leaves);
                    bytes = bytes.max(t.scalar_bytes);
                }
                // One without members counts, too: what walks over values is bounded by it.
                (own, scalars.max(1), leaves, bytes)
            }
            Kind::Pointer(StorageClass::PhysicalStorageBuffer, _) => {
                (Layout::vector(1, ADDRESS_BYTES), 1, 1, ADDRESS_BYTES)
            }
            Kind::Void | Kind::Pointer(..) | Kind::Function | Kind::Image(_) | Kind::Sampler | Kind::Sampled(_) => {
                (Layout::opaque(), 0, 0, 1)
            }
        };
        let runtime = match &kind {
            Kind::Runtime(..) => true,
            Kind::Struct(members) => members.last().is_some_and(|m| self.get(m.ty).runtime),
            _ => false,
        };
        let strange = match &kind {
            Kind::Runtime(of, _) | Kind::Array(of, ..) => !self.is_handle(*of) && self.get(*of).runtime,
            Kind::Struct(members) => members.iter().rev().skip(1).any(|m| self.get(m.ty).runtime),
            _ => false,
        };
        if strange && !matches!(kind, Kind::Array(of, ..) | Kind::Runtime(of, _) if self.is_block(of)) {
            return Err(self.m.wrong(inst, "a runtime-sized array stands last in a block, or alone"));
        }
        let pointers = match &kind {
            Kind::Pointer(class, _) => *class != StorageClass::PhysicalStorageBuffer,
            Kind::Struct(members) => members.iter().any(|m| self.get(m.ty).pointers),
            Kind::Array(of, ..) | Kind::Runtime(of, _) => self.get(*of).pointers,
            _ => false,
        };
        if depth + 1 > limits::TYPE_DEPTH.max {
            return Err(gpucc_frontend_common::report::limit(&limits::TYPE_DEPTH).at(self.m.span(inst), "this type"));
        }
        Ok(Type { id: inst.id, kind, scalars, leaves, own, scalar_bytes, runtime, pointers, depth: depth + 1 })
    }

    /// Whether a pointer is in a type.
    pub fn holds_pointer(&self, ty: Ty) -> bool {
        self.get(ty).pointers
    }

    /// Whether a type is that of a buffer.
    pub fn is_block(&self, ty: Ty) -> bool {
        let id = self.get(ty).id;
        self.m.has(id, Decoration::Block) || self.m.has(id, Decoration::BufferBlock)
    }

    /// The IR type of a type that is one IR value.
    pub fn leaf(&self, ty: Ty) -> Option<ir::Type> {
        match *self.kind(ty) {
            Kind::Bool => Some(ir::Type::B1),
            Kind::Int(s, _) | Kind::Float(s) => Some(ir::Type::new(s, 1)),
            Kind::Vector(of, n) => self.leaf(of).map(|t| t.with_lanes(n)),
            Kind::Pointer(StorageClass::PhysicalStorageBuffer, _) => Some(ir::Type::I64),
            _ => None,
        }
    }

    /// The widths of the floats in scalars, vectors, matrices and structs, as a set of bits.
    pub fn floats(&self, ty: Ty) -> u32 {
        match self.kind(ty) {
            Kind::Float(s) => s.bits(),
            Kind::Vector(of, _) | Kind::Matrix(of, _) | Kind::Array(of, ..) => self.floats(*of),
            Kind::Struct(members) => members.iter().fold(0, |set, m| set | self.floats(m.ty)),
            _ => 0,
        }
    }

    /// Whether the lanes of a scalar or vector are signed integers.
    pub fn is_signed(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Int(_, signed) => signed,
            Kind::Vector(of, _) => self.is_signed(of),
            _ => false,
        }
    }

    /// Whether it is an image, a sampler, or an array of those.
    pub fn is_handle(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Image(_) | Kind::Sampler | Kind::Sampled(_) => true,
            Kind::Array(of, ..) | Kind::Runtime(of, _) => self.is_handle(of),
            _ => false,
        }
    }

    /// How many parts a type has: columns, elements (0 if runtime-sized), members, lanes.
    pub fn parts(&self, ty: Ty) -> u32 {
        match self.kind(ty) {
            Kind::Vector(_, n) | Kind::Matrix(_, n) | Kind::Array(_, n, _) => *n,
            Kind::Struct(members) => members.len() as u32,
            _ => 0,
        }
    }

    /// Whether values of a type are made of parts, of which a struct may have none.
    pub fn is_composite(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Vector(..) | Kind::Matrix(..) | Kind::Array(..) | Kind::Struct(_))
    }

    /// The type of one part.
    pub fn part(&self, ty: Ty, index: u32) -> Option<Ty> {
        match self.kind(ty) {
            Kind::Vector(of, n) | Kind::Matrix(of, n) | Kind::Array(of, n, _) if index < *n => Some(*of),
            Kind::Runtime(of, _) => Some(*of),
            Kind::Struct(members) => members.get(index as usize).map(|m| m.ty),
            _ => None,
        }
    }

    /// Bytes of a type in a buffer up to the end of what comes last, with one whole element of a runtime-sized array. None
    /// where the module does not say where a part lies.
    pub fn extent(&mut self, ty: Ty, matrix: Option<MatrixLayout>) -> Option<u64> {
        if let Some(&known) = self.extents.get(&(ty, matrix)) {
            return Some(known);
        }
        let kind = self.kind(ty).clone();
        let extent = match kind {
            Kind::Bool => return None,
            Kind::Int(s, _) | Kind::Float(s) => u64::from(s.mem_bytes()),
            Kind::Vector(..) | Kind::Pointer(StorageClass::PhysicalStorageBuffer, _) => {
                u64::from(self.get(ty).own.size)
            }
            Kind::Matrix(of, n) => {
                let layout = matrix?;
                let (rows, w) = (self.parts(of), self.get(of).scalar_bytes);
                let (outer, inner) = if layout.row_major { (rows, n) } else { (n, rows) };
                u64::from(layout.stride) * u64::from(outer - 1) + u64::from(inner * w)
            }
            Kind::Array(of, n, stride) => {
                let last = self.extent(of, matrix)?;
                u64::from(n - 1) * u64::from(stride?) + last
            }
            // One whole element is the least, so that it has a length.
            Kind::Runtime(of, stride) => {
                self.extent(of, matrix)?;
                u64::from(stride?)
            }
            Kind::Struct(members) => {
                let mut extent = 0;
                for member in members.iter() {
                    let own = self.extent(member.ty, member.matrix)?;
                    extent = extent.max(u64::from(member.offset?) + own);
                }
                extent
            }
            _ => return None,
        };
        self.extents.insert((ty, matrix), extent);
        Some(extent)
    }

    /// The stride of the runtime-sized array that a type is or ends with; 0 if there is none.
    pub fn runtime_stride(&self, ty: Ty) -> u32 {
        match self.kind(ty) {
            Kind::Runtime(_, stride) => stride.unwrap_or(0),
            Kind::Struct(members) => members.last().map_or(0, |m| self.runtime_stride(m.ty)),
            _ => 0,
        }
    }
}

impl Shapes for Types<'_> {
    type Ty = Ty;

    fn leaf(&self, ty: Ty) -> Option<ir::Type> {
        Types::leaf(self, ty)
    }

    fn parts(&self, ty: Ty) -> u32 {
        Types::parts(self, ty)
    }

    fn part(&self, ty: Ty, index: u32) -> Option<Ty> {
        Types::part(self, ty, index)
    }

    fn scalars(&self, ty: Ty) -> u64 {
        self.get(ty).scalars
    }

    fn leaves(&self, ty: Ty) -> u64 {
        self.get(ty).leaves
    }

    fn own(&self, ty: Ty) -> Cow<'_, Layout> {
        Cow::Borrowed(&self.get(ty).own)
    }

    fn is_array(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Array(..))
    }
}
