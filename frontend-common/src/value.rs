//! Lowered values: one IR value, a tree of them, or what lies in memory.

use gpucc_ir as ir;
use ir::{MemFlags, Place, Value};
use std::rc::Rc;

/// Result of lowering; the error is the first diagnostic.
pub type Lowered<T> = Result<T, ir::Diagnostic>;

/// The layout in the decorations of a matrix's member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixLayout {
    /// Bytes from one column to the next, or from one row to the next.
    pub stride: u32,
    /// Whether rows lie together.
    pub row_major: bool,
}

/// A place, a byte offset in it, and the shape of what is there. SPIR-V alone has choices, addresses, and matrices with a layout of their own.
#[derive(Debug, Clone)]
pub struct Ptr<T> {
    /// The memory; the first one where there are several.
    pub place: Place,
    /// Several memories, one of which it is when it runs.
    pub choice: Option<Rc<Choice>>,
    /// Buffer layout (the source's) or variable layout (ours).
    pub host: bool,
    /// Flags of each access.
    pub flags: MemFlags,
    /// The address that the bytes are counted from, where the place is [`Place::Address`]: an `i64`.
    pub base: Option<Value>,
    /// Constant bytes from the start of the place.
    pub offset: u32,
    /// Dynamic bytes on top of them; `None` where all are constant.
    pub dynamic: Option<Value>,
    /// The most that the dynamic bytes can be; `None` if nothing bounds them.
    pub reach: Option<u64>,
    /// Alignment of the place plus the dynamic bytes.
    pub align: u32,
    /// Type of what is there.
    pub ty: T,
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
    pub index: Value,
    /// The memories, one for each index.
    pub places: Vec<Place>,
}

impl<T> Ptr<T> {
    /// The beginning of a memory in our own layout, as variables have it.
    pub fn new(place: Place, ty: T, align: u32) -> Ptr<T> {
        Ptr {
            place,
            choice: None,
            host: false,
            flags: MemFlags::NONE,
            base: None,
            offset: 0,
            dynamic: None,
            reach: Some(0),
            align,
            ty,
            matrix: None,
            lanes: None,
            still: false,
        }
    }

    /// All memories that it may point into.
    pub fn places(&self) -> &[Place] {
        self.choice.as_ref().map_or(std::slice::from_ref(&self.place), |c| &c.places)
    }

    /// Whether two point into the same memory, or into the same choice of them.
    pub fn is_beside(&self, other: &Ptr<T>) -> bool {
        self.place == other.place && self.choice == other.choice
    }

    /// The alignment of the whole address.
    pub fn address_align(&self) -> u32 {
        if self.offset == 0 { self.align } else { self.align.min(1 << self.offset.trailing_zeros().min(16)) }
    }
}

/// A lowered value of a front end, which has other kinds beside these.
pub trait Form: Clone {
    /// The types of the front end.
    type Ty;
    /// A scalar or vector.
    fn one(value: Value) -> Self;
    /// Columns of a matrix, elements of an array, members of a struct.
    fn tree(parts: Vec<Self>) -> Self;
    /// An aggregate in memory that nobody writes while it is used.
    fn in_memory(ptr: Ptr<Self::Ty>) -> Self;
    /// The kind that it is.
    fn view(&self) -> View<'_, Self>;
}

/// Makes an enum with the kinds `One`, `Parts`, `Ptr` and `InMemory` a [`Form`] over some types; its other kinds memory does not know.
#[macro_export]
macro_rules! form {
    ($val:ident over $ty:ty) => {
        impl $val {
            /// A tree of parts.
            pub fn parts(parts: Vec<$val>) -> $val {
                $val::Parts(parts.into())
            }
        }

        impl $crate::Form for $val {
            type Ty = $ty;

            fn one(value: gpucc_ir::Value) -> $val {
                $val::One(value)
            }

            fn tree(parts: Vec<$val>) -> $val {
                $val::parts(parts)
            }

            fn in_memory(ptr: $crate::Ptr<$ty>) -> $val {
                $val::InMemory(ptr.into())
            }

            fn view(&self) -> $crate::View<'_, $val> {
                match self {
                    $val::One(v) => $crate::View::One(*v),
                    $val::Parts(parts) => $crate::View::Parts(parts),
                    $val::Ptr(ptr) => $crate::View::Ptr(ptr),
                    $val::InMemory(ptr) => $crate::View::InMemory(ptr),
                    _ => $crate::View::Other,
                }
            }
        }
    };
}

/// The kinds of values that memory knows.
#[derive(Debug)]
pub enum View<'v, V: Form> {
    /// A scalar or vector.
    One(Value),
    /// Columns of a matrix, elements of an array, members of a struct.
    Parts(&'v Rc<[V]>),
    /// A pointer to memory.
    Ptr(&'v Rc<Ptr<V::Ty>>),
    /// An aggregate that stays in memory until a part of it is needed, or until it is stored.
    InMemory(&'v Rc<Ptr<V::Ty>>),
    /// Something else.
    Other,
}
