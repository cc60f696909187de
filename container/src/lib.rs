//! The output file: sections, metadata, reflection.
//!
//! A container holds the machine code of one or more entry points for one target and everything a driver needs to
//! launch them. It holds no IR and no source. `docs/container.md` describes the format byte by byte; this crate is
//! its only reader and writer. Machine interpreters launch from a [`Container`] alone, so what is missing here would
//! be missing for a driver too.
//!
//! [`Container::read`] takes bytes from anywhere: it never panics, and allocates no more than the file justifies.

mod bytes;
mod entry;
mod family;
mod field;
mod launch;
mod model;
mod read;
mod source;
mod write;

pub use bytes::ReadError;
pub use launch::{LaunchOp, LaunchStep};
pub use model::{
    Access, Container, DepthLayout, Dimension, Entry, Facts, InterfaceRow, Interpolation, IoPlace, LineEntry, Member,
    Meta, Packing, Preload, Program, ProgramRole, RaceMark, Resource, ResourceKind, Sampling, Shape, Stage, StateWord,
    TexelClass, UNIFORM_FILE, Variable, Variant, flags,
};
pub use read::{Section, sections, without};
pub use source::{DescriptorKey, Source, TextureFact};

/// First bytes of every container.
pub const MAGIC: [u8; 8] = *b"gpucc\0\x1a\n";
/// Readers refuse another major version.
pub const VERSION_MAJOR: u16 = 2;
/// Readers accept every minor version: it adds sections, bits or values, and changes none. Files say the lowest version that
/// has all they use.
pub const VERSION_MINOR: u16 = 9;
/// Group and binding of immediate data, which has neither: no buffer can be bound there.
pub const IMMEDIATES: (u32, u32) = (u32::MAX, 0);
/// Bytes of the file header.
pub const HEADER_SIZE: usize = 32;
/// Bytes of one row of the section table.
pub const SECTION_SIZE: usize = 24;
/// Entry number of sections that belong to the whole file.
pub const WHOLE_FILE: u32 = u32::MAX;
/// Section flag: results stay the same without this section.
pub const SECTION_OPTIONAL: u32 = 1;

/// Section tags: four letters each, as they stand in the file.
pub mod tag {
    /// Target, compiler version, hash of options. Whole file.
    pub const TARG: [u8; 4] = *b"TARG";
    /// Machine code. One for each entry.
    pub const CODE: [u8; 4] = *b"CODE";
    /// Sizes, register counts, flags, words of the family, name. One for each entry.
    pub const META: [u8; 4] = *b"META";
    /// Resources. One for each entry.
    pub const RSRC: [u8; 4] = *b"RSRC";
    /// Preloads of register files. One for each entry.
    pub const PREL: [u8; 4] = *b"PREL";
    /// Preloads of uniform files. One for each entry.
    pub const UNIF: [u8; 4] = *b"UNIF";
    /// Inputs and outputs of a vertex or fragment entry, with their hardware places; absent when there are none.
    pub const INTF: [u8; 4] = *b"INTF";
    /// Hardware registers that the code wants set; absent when there are none.
    pub const REGS: [u8; 4] = *b"REGS";
    /// State of the render pipeline that an entry was compiled for; absent of compute.
    pub const PIPE: [u8; 4] = *b"PIPE";
    /// Computations of the launch; absent when there are none.
    pub const LNCH: [u8; 4] = *b"LNCH";
    /// Programs that the code of an entry consists of; absent when it is one.
    pub const PROG: [u8; 4] = *b"PROG";
    /// Constant bytes that the code reads; absent when there are none.
    pub const DATA: [u8; 4] = *b"DATA";
    /// Optional: code address to source position.
    pub const LINE: [u8; 4] = *b"LINE";
    /// Optional: statistics by name.
    pub const STAT: [u8; 4] = *b"STAT";
    /// Optional: names of resources.
    pub const NAME: [u8; 4] = *b"NAME";
    /// Optional: variables in workgroup memory.
    pub const VARS: [u8; 4] = *b"VARS";
    /// Optional: facts of the source for who binds by name.
    pub const FACT: [u8; 4] = *b"FACT";
    /// Optional: what a check for races must know of the code.
    pub const RACE: [u8; 4] = *b"RACE";
}
