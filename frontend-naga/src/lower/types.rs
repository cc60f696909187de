//! Shapes and memory layouts of naga types.
//!
//! Buffers use the offsets and strides that naga states (SPIR-V and GLSL may choose others than WGSL's). Variables that
//! no host sees use a layout of our own, computed by WGSL's rules with a four-byte `bool`; naga counts one byte for it and
//! packs the results of `modf` and its like without alignment.

use crate::report;
use gpucc_frontend_common::{Layout, Shapes, round_up};
use gpucc_ir as ir;
use ir::Refusal;
use naga::{ArraySize, Handle, ScalarKind, TypeInner};
use std::borrow::Cow;

/// A naga type with everything about names and pointers taken off: what a value or a place looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    /// A scalar.
    Scalar(naga::Scalar),
    /// A vector of so many lanes.
    Vector(u32, naga::Scalar),
    /// Columns, rows, scalar.
    Matrix(u32, u32, naga::Scalar),
    /// An array type of the module.
    Array(Handle<naga::Type>),
    /// A struct type of the module.
    Struct(Handle<naga::Type>),
    /// An atomic scalar; as a value it is that scalar.
    Atomic(naga::Scalar),
}

/// The facts about each type of the module.
#[derive(Debug, Clone, Default)]
pub struct TypeFacts {
    /// Layout in buffers, which the host shares.
    pub host: Layout,
    /// Bytes in a buffer up to the end of what comes last, without padding behind it.
    pub extent: u32,
    /// Layout of function, private and workgroup variables.
    pub own: Layout,
    /// Scalars in a value of the type (one element for a runtime-sized array).
    pub scalars: u64,
    /// Elements of an array; `None` for a runtime-sized one.
    pub count: Option<u32>,
}

/// The types of one module.
pub struct Types<'m> {
    module: &'m naga::Module,
    facts: Vec<TypeFacts>,
}

/// Why a type cannot be a value or a place here; the text names the kind of type. Without a code naga contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap(pub Option<Refusal>, pub &'static str);

impl Gap {
    /// The gap as a diagnostic at this place.
    pub fn at(self, span: ir::Span) -> ir::Diagnostic {
        match self.0 {
            Some(code) => report::unsupported(code, self.1, span),
            None => report::contradiction(self.1, span),
        }
    }
}

/// The IR scalar of a naga scalar.
pub fn scalar(s: naga::Scalar) -> Option<ir::Scalar> {
    Some(match (s.kind, s.width) {
        (ScalarKind::Bool, _) => ir::Scalar::B1,
        (ScalarKind::Sint | ScalarKind::Uint, 1) => ir::Scalar::I8,
        (ScalarKind::Sint | ScalarKind::Uint, 2) => ir::Scalar::I16,
        (ScalarKind::Sint | ScalarKind::Uint, 4) => ir::Scalar::I32,
        (ScalarKind::Sint | ScalarKind::Uint, 8) => ir::Scalar::I64,
        (ScalarKind::Float, 2) => ir::Scalar::F16,
        (ScalarKind::Float, 4) => ir::Scalar::F32,
        (ScalarKind::Float, 8) => ir::Scalar::F64,
        _ => return None,
    })
}

/// The IR type of so many lanes; naga's validator leaves no scalar that has none.
pub fn lanes(s: naga::Scalar, n: u32) -> ir::Type {
    ir::Type::new(scalar(s).unwrap_or(ir::Scalar::I32), n)
}

/// Bytes of one lane in our own layout, and in a host's (where no `bool` occurs).
fn lane_bytes(s: naga::Scalar) -> u64 {
    u64::from(scalar(s).map_or(u32::from(s.width), ir::Scalar::mem_bytes))
}

fn vector_layout(n: u32, s: naga::Scalar) -> Layout {
    Layout::vector(n, lane_bytes(s) as u32)
}

fn matrix_layout(columns: u32, rows: u32, s: naga::Scalar) -> Layout {
    Layout::array(&vector_layout(rows, s), columns.into())
}

impl<'m> Types<'m> {
    /// Computes the facts of all types; a type refers only to earlier ones, so one pass does.
    pub fn new(module: &'m naga::Module) -> Self {
        let mut types = Types { module, facts: Vec::with_capacity(module.types.len()) };
        for (_, ty) in module.types.iter() {
            let facts = types.compute(&ty.inner);
            types.facts.push(facts);
        }
        types
    }

    fn compute(&self, inner: &TypeInner) -> TypeFacts {
        let both = |layout: Layout, scalars: u64| TypeFacts {
            extent: layout.size,
            host: layout.clone(),
            own: layout,
            scalars,
            count: None,
        };
        match *inner {
            TypeInner::Scalar(s) | TypeInner::Atomic(s) => both(vector_layout(1, s), 1),
            TypeInner::Vector { size, scalar } => both(vector_layout(size as u32, scalar), size as u64),
            TypeInner::Matrix { columns, rows, scalar } => {
                let layout = matrix_layout(columns as u32, rows as u32, scalar);
                let column = rows as u32 * lane_bytes(scalar) as u32;
                let extent = layout.stride * (columns as u32 - 1) + column;
                TypeFacts { extent, ..both(layout, columns as u64 * rows as u64) }
            }
            TypeInner::Array { base, size, stride } => {
                let element = self.facts(base);
                let count = match size {
                    ArraySize::Dynamic => None,
                    size => match size.resolve(self.module.to_ctx()) {
                        Ok(naga::proc::IndexableLength::Known(n)) => Some(n),
                        _ => Some(1),
                    },
                };
                let n = u64::from(count.unwrap_or(1));
                let clamp = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
                // Of a runtime-sized array one whole element is the least, so that it has a length.
                let last = if count.is_some() { element.extent } else { stride };
                TypeFacts {
                    extent: clamp(n.saturating_sub(1) * u64::from(stride) + u64::from(last)),
                    host: Layout {
                        size: clamp(n * u64::from(stride)),
                        align: element.host.align,
                        stride,
                        offsets: Vec::new(),
                    },
                    own: Layout::array(&element.own, n),
                    scalars: n.saturating_mul(element.scalars),
                    count,
                }
            }
            TypeInner::Struct { ref members, span } => {
                let own = Layout::structure(members.iter().map(|m| &self.facts(m.ty).own));
                let mut host = Layout { size: span, ..Layout::opaque() };
                let (mut scalars, mut extent) = (0u64, 0);
                for member in members {
                    let facts = self.facts(member.ty);
                    extent = extent.max(member.offset.saturating_add(facts.extent));
                    host.offsets.push(member.offset);
                    host.align = host.align.max(facts.host.align);
                    scalars = scalars.saturating_add(facts.scalars);
                }
                TypeFacts { host, extent, own, scalars, count: None }
            }
            _ => both(Layout::opaque(), 0),
        }
    }

    /// The facts of a type of the module.
    pub fn facts(&self, handle: Handle<naga::Type>) -> &TypeFacts {
        &self.facts[handle.index()]
    }

    /// The shape behind a handle.
    pub fn of(&self, handle: Handle<naga::Type>) -> Result<Ty, Gap> {
        self.of_inner(&self.module.types[handle].inner, Some(handle))
    }

    /// The shape of a type that may have no handle.
    pub fn of_inner(&self, inner: &TypeInner, handle: Option<Handle<naga::Type>>) -> Result<Ty, Gap> {
        let known = |s: naga::Scalar, ty: Ty| scalar(s).map(|_| ty).ok_or(Gap(None, "a scalar type of no known width"));
        match *inner {
            TypeInner::Scalar(s) => known(s, Ty::Scalar(s)),
            TypeInner::Vector { size, scalar } => known(scalar, Ty::Vector(size as u32, scalar)),
            TypeInner::Matrix { columns, rows, scalar } => {
                known(scalar, Ty::Matrix(columns as u32, rows as u32, scalar))
            }
            TypeInner::Atomic(s) => known(s, Ty::Atomic(s)),
            TypeInner::Array { .. } => handle.map(Ty::Array).ok_or(Gap(None, "an array without a name")),
            TypeInner::Struct { .. } => handle.map(Ty::Struct).ok_or(Gap(None, "a struct without a name")),
            TypeInner::CooperativeMatrix { .. } => Err(Gap(Some(Refusal::CooperativeMatrices), "cooperative matrices")),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => Err(Gap(None, "pointers stored as values")),
            TypeInner::Image { .. } => Err(Gap(None, "a texture as a value")),
            TypeInner::Sampler { .. } => Err(Gap(None, "a sampler as a value")),
            TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
                Err(Gap(Some(Refusal::RayQueries), "ray queries"))
            }
            TypeInner::BindingArray { .. } => Err(Gap(Some(Refusal::BindingArrays), "binding arrays")),
        }
    }

    /// The layout of a shape, in buffers (`host`) or in variables.
    pub fn layout(&self, ty: Ty, host: bool) -> Cow<'_, Layout> {
        match ty {
            Ty::Scalar(s) | Ty::Atomic(s) => Cow::Owned(vector_layout(1, s)),
            Ty::Vector(n, s) => Cow::Owned(vector_layout(n, s)),
            Ty::Matrix(c, r, s) => Cow::Owned(matrix_layout(c, r, s)),
            Ty::Array(h) | Ty::Struct(h) => Cow::Borrowed(if host { &self.facts(h).host } else { &self.facts(h).own }),
        }
    }

    /// Bytes of a shape in a buffer without the padding behind it.
    pub fn extent(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Matrix(c, r, s) => matrix_layout(c, r, s).stride * (c - 1) + vector_layout(r, s).size,
            Ty::Array(h) | Ty::Struct(h) => self.facts(h).extent,
            Ty::Scalar(_) | Ty::Atomic(_) | Ty::Vector(..) => self.layout(ty, true).size,
        }
    }

    /// Whether a buffer of this type has the members and elements where std430 puts them.
    pub fn is_std430(&self, handle: Handle<naga::Type>) -> bool {
        match self.module.types[handle].inner {
            TypeInner::Array { base, stride, .. } => {
                let host = &self.facts(base).host;
                let (size, align) = (u64::from(self.std430_size(base)), u64::from(host.align.max(1)));
                u64::from(stride) == round_up(align, size) && self.is_std430(base)
            }
            TypeInner::Struct { ref members, .. } => {
                let mut end = 0;
                members.iter().all(|m| {
                    let at = round_up(self.facts(m.ty).host.align.max(1).into(), end);
                    end = u64::from(m.offset) + u64::from(self.std430_size(m.ty));
                    at == u64::from(m.offset) && self.is_std430(m.ty)
                })
            }
            _ => true,
        }
    }

    /// The size that std430 gives a type whose members lie as std430 wants it.
    fn std430_size(&self, handle: Handle<naga::Type>) -> u32 {
        let facts = self.facts(handle);
        match self.module.types[handle].inner {
            TypeInner::Struct { .. } => facts.extent.next_multiple_of(facts.host.align.max(1)),
            _ => facts.host.size,
        }
    }

    /// The shape of one part.
    pub fn part(&self, ty: Ty, index: u32) -> Result<Ty, Gap> {
        match ty {
            Ty::Scalar(s) | Ty::Atomic(s) | Ty::Vector(_, s) => Ok(Ty::Scalar(s)),
            Ty::Matrix(_, r, s) => Ok(Ty::Vector(r, s)),
            Ty::Array(h) => match self.module.types[h].inner {
                TypeInner::Array { base, .. } => self.of(base),
                _ => Err(Gap(None, "a broken array type")),
            },
            Ty::Struct(h) => match self.module.types[h].inner {
                TypeInner::Struct { ref members, .. } => {
                    members.get(index as usize).map_or(Err(Gap(None, "a missing struct member")), |m| self.of(m.ty))
                }
                _ => Err(Gap(None, "a broken struct type")),
            },
        }
    }
}

impl Shapes for Types<'_> {
    type Ty = Ty;

    fn leaf(&self, ty: Ty) -> Option<ir::Type> {
        leaf(ty)
    }

    fn part(&self, ty: Ty, index: u32) -> Option<Ty> {
        Types::part(self, ty, index).ok()
    }

    fn own(&self, ty: Ty) -> Cow<'_, Layout> {
        self.layout(ty, false)
    }

    fn is_array(&self, ty: Ty) -> bool {
        matches!(ty, Ty::Array(_))
    }

    fn scalars(&self, ty: Ty) -> u64 {
        match ty {
            Ty::Scalar(_) | Ty::Atomic(_) => 1,
            Ty::Vector(n, _) => n.into(),
            Ty::Matrix(c, r, _) => u64::from(c * r),
            Ty::Array(h) | Ty::Struct(h) => self.facts(h).scalars,
        }
    }

    fn leaves(&self, ty: Ty) -> u64 {
        match ty {
            Ty::Scalar(_) | Ty::Atomic(_) | Ty::Vector(..) => 1,
            Ty::Matrix(c, ..) => c.into(),
            Ty::Array(_) => {
                let element = Types::part(self, ty, 0).map_or(0, |part| self.leaves(part));
                element.saturating_mul(self.parts(ty).into())
            }
            Ty::Struct(_) => (0..self.parts(ty))
                .map(|i| Types::part(self, ty, i).map_or(0, |part| self.leaves(part)))
                .fold(0, u64::saturating_add),
        }
    }

    fn parts(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Scalar(_) | Ty::Atomic(_) => 0,
            Ty::Vector(n, _) => n,
            Ty::Matrix(c, ..) => c,
            Ty::Array(h) => self.facts(h).count.unwrap_or(0),
            Ty::Struct(h) => self.facts(h).own.offsets.len() as u32,
        }
    }
}

/// The IR type of a shape that is one IR value.
pub fn leaf(ty: Ty) -> Option<ir::Type> {
    match ty {
        Ty::Scalar(s) | Ty::Atomic(s) => Some(lanes(s, 1)),
        Ty::Vector(n, s) => Some(lanes(s, n)),
        Ty::Matrix(..) | Ty::Array(_) | Ty::Struct(_) => None,
    }
}

/// The kind of the lanes of a scalar, vector or matrix.
pub fn lane_scalar(ty: Ty) -> Option<naga::Scalar> {
    match ty {
        Ty::Scalar(s) | Ty::Atomic(s) | Ty::Vector(_, s) | Ty::Matrix(_, _, s) => Some(s),
        Ty::Array(_) | Ty::Struct(_) => None,
    }
}
