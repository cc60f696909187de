//! The layout of variables that no host sees, by WGSL's rules with a `bool` of four bytes; and constants in it.

use gpucc_ir as ir;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;

/// Size, alignment and inner offsets of a type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes (one element for a runtime-sized array).
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Bytes from element to element of an array, or column to column of a matrix.
    pub stride: u32,
    /// Bytes in front of each member of a struct.
    pub offsets: Vec<u32>,
}

/// The least multiple of `align` from `n` on.
pub fn round_up(align: u64, n: u64) -> u64 {
    n.div_ceil(align) * align
}

fn clamp(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Layout {
    /// The layout of what has no bytes.
    pub fn opaque() -> Layout {
        Layout { align: 1, ..Layout::default() }
    }

    /// So many lanes of `bytes` bytes each.
    pub fn vector(lanes: u32, bytes: u32) -> Layout {
        let align = match lanes {
            1 => bytes,
            2 => 2 * bytes,
            _ => 4 * bytes,
        };
        Layout { size: lanes * bytes, align, ..Layout::default() }
    }

    /// So many elements or columns, each at a multiple of its alignment.
    pub fn array(element: &Layout, count: u64) -> Layout {
        let stride = round_up(element.align.max(1).into(), element.size.into());
        Layout {
            size: clamp(count.saturating_mul(stride)),
            align: element.align.max(1),
            stride: clamp(stride),
            offsets: Vec::new(),
        }
    }

    /// Members, each behind the one before it.
    pub fn structure<'a>(members: impl Iterator<Item = &'a Layout>) -> Layout {
        let mut own = Layout::opaque();
        let mut end = 0u64;
        for member in members {
            let at = round_up(member.align.max(1).into(), end);
            own.offsets.push(clamp(at));
            own.align = own.align.max(member.align);
            end = at.saturating_add(member.size.into()).min(u32::MAX.into());
        }
        own.size = clamp(round_up(own.align.into(), end));
        own
    }
}

/// The types of a module: their parts, and where those lie in variables.
pub trait Shapes {
    /// A type.
    type Ty: Copy + PartialEq + Debug;
    /// The IR type of a type that is one IR value.
    fn leaf(&self, ty: Self::Ty) -> Option<ir::Type>;
    /// Lanes, columns, elements (0 of a runtime-sized array) or members.
    fn parts(&self, ty: Self::Ty) -> u32;
    /// The type of one part.
    fn part(&self, ty: Self::Ty, index: u32) -> Option<Self::Ty>;
    /// Scalars in a value.
    fn scalars(&self, ty: Self::Ty) -> u64;
    /// IR values of a value.
    fn leaves(&self, ty: Self::Ty) -> u64;
    /// The layout in variables.
    fn own(&self, ty: Self::Ty) -> Cow<'_, Layout>;
    /// Whether it is an array of known size.
    fn is_array(&self, ty: Self::Ty) -> bool;
}

/// A constant: a leaf, or the parts of a composite.
#[derive(Debug, Clone)]
pub enum Tree<T> {
    /// A scalar or vector.
    Leaf(ir::Const),
    /// Columns, elements or members.
    Parts(Vec<Rc<Tree<T>>>),
    /// Zero in all parts of this type.
    Zero(T),
    /// A sampler that a module of SPIR-V makes: refused where it is used.
    Sampler,
}

impl<T: Copy> Tree<T> {
    /// The bits of a scalar, as a whole number.
    pub fn whole(&self) -> Option<u64> {
        match self {
            Tree::Leaf(c) if c.bits.len() == 1 => Some(c.bits[0]),
            _ => None,
        }
    }

    /// Writes it at an offset of a memory image, which is zero there.
    pub fn write(&self, types: &impl Shapes<Ty = T>, ty: T, at: u32, bytes: &mut [u8]) {
        match self {
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
                let own = types.own(ty);
                for (i, part) in parts.iter().enumerate() {
                    let offset = own.offsets.get(i).copied().unwrap_or(own.stride * i as u32);
                    if let Some(of) = types.part(ty, i as u32) {
                        part.write(types, of, at + offset, bytes);
                    }
                }
            }
            Tree::Zero(_) | Tree::Sampler => {}
        }
    }
}

/// Constant tables by content: arrays that are indexed at run time.
#[derive(Debug, Default)]
pub struct Tables(FxHashMap<Vec<u8>, ir::Global>);

impl Tables {
    /// A read-only variable of a module with these bytes; equal tables are one.
    pub fn table(&mut self, out: &mut ir::Module, bytes: Vec<u8>, align: u32) -> ir::Global {
        if let Some(&table) = self.0.get(&bytes) {
            return table;
        }
        let data = ir::VarData {
            name: format!("table{}", self.0.len()),
            space: ir::Space::Private,
            size: bytes.len() as u32,
            align: align.max(16),
            init: ir::Init::Bytes(bytes.clone()),
            span: ir::Span::UNKNOWN,
        };
        let table = out.globals.push(data);
        self.0.insert(bytes, table);
        table
    }
}
