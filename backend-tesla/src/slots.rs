//! Memory operands of arithmetic instructions: the words of c0, uniform buffers, the header of s[].

use gpucc_container::{DescriptorKey, Source, TextureFact};
use gpucc_ir::Res;
use gpucc_tesla_machine::SharedTy;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A memory operand, packed into the number of a uniform use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A word of the compiler's choice in c0, by its index in the pool.
    Pool(u32),
    /// A byte offset in the constant tables, which follow the pool in c0.
    Table(u16),
    /// A byte offset in one of the constant spaces.
    Const(u8, u16),
    /// A byte offset in s[], read as this type.
    Shared(SharedTy, u16),
    /// The same, relative to the address register that the instruction uses.
    SharedAt(SharedTy, u16),
    /// A byte offset in a[].
    Attr(u16),
}

/// The bit that tells a[] from s[].
const ATTR: u32 = 1 << 24;
/// The bit that tells tables from the pool.
const TABLE: u32 = 1 << 29;

impl Slot {
    /// The slot as one number, for operands of machine code.
    pub const fn pack(self) -> u32 {
        match self {
            Slot::Pool(n) => n,
            Slot::Table(off) => TABLE | off as u32,
            Slot::Const(c, off) => 0x4000_0000 | (c as u32) << 16 | off as u32,
            Slot::Shared(ty, off) => 0x8000_0000 | (ty as u32) << 16 | off as u32,
            Slot::Attr(off) => 0x8000_0000 | ATTR | off as u32,
            Slot::SharedAt(ty, off) => 0xc000_0000 | (ty as u32) << 16 | off as u32,
        }
    }

    /// The slot of a number that [`pack`](Slot::pack) made.
    pub const fn unpack(n: u32) -> Slot {
        let off = n as u16;
        match n >> 30 {
            0 if n & TABLE != 0 => Slot::Table(off),
            0 => Slot::Pool(n),
            1 => Slot::Const((n >> 16) as u8, off),
            2 if n & ATTR != 0 => Slot::Attr(off),
            2 => Slot::Shared(SharedTy::from_bits(n >> 16), off),
            _ => Slot::SharedAt(SharedTy::from_bits(n >> 16), off),
        }
    }
}

/// The contents of a word of c0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Word {
    /// A literal.
    Const(u32),
    /// The size of a buffer in bytes.
    Size(Res),
    /// The first instance of a draw.
    FirstInstance,
    /// The base vertex of the draw.
    FirstVertex,
    /// A component of the blend constant.
    BlendConstant(u16),
    /// A fact of an element of a texture.
    Texture(Res, u16, TextureFact),
}

/// Words of c0 in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    words: IndexSet<Word, FxBuildHasher>,
}

/// Words that ALU operands of long forms reach.
pub const REACH: usize = 127;

/// Words of which such operands reach the halves: those are counted by halves.
pub const HALF_REACH: usize = 64;

impl Pool {
    /// The operand for a word.
    pub fn slot(&mut self, w: Word) -> Slot {
        Slot::Pool(self.words.insert_full(w).0 as u32)
    }

    /// The operand for a literal if the pool has it already.
    pub fn find(&self, bits: u32) -> Option<Slot> {
        self.words.get_index_of(&Word::Const(bits)).map(|i| Slot::Pool(i as u32))
    }

    /// Whether a further literal is still in reach.
    pub fn has_room(&self) -> bool {
        self.words.len() < REACH
    }

    /// The words, by index.
    pub fn words(&self) -> impl Iterator<Item = Word> + '_ {
        self.words.iter().copied()
    }

    /// The preload source of a word.
    pub fn source(m: &gpucc_ir::Module, w: Word) -> Source {
        match w {
            Word::Const(v) => Source::Const(v),
            Word::Size(r) => {
                let d = &m.resources[r];
                Source::BufferSize { group: d.group, binding: d.binding }
            }
            Word::FirstInstance => Source::FirstInstance,
            Word::FirstVertex => Source::FirstVertex,
            Word::BlendConstant(k) => Source::BlendConstant(k),
            Word::Texture(r, element, fact) => {
                let d = &m.resources[r];
                let of = DescriptorKey {
                    group: d.group,
                    binding: d.binding,
                    element: element.into(),
                    ..DescriptorKey::default()
                };
                Source::TextureFact { of, fact }
            }
        }
    }
}
