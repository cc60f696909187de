//! The launch convention as numbers, which compiler and machine have in common: see `docs/abi-vivante.md`.

use gpucc_container::UNIFORM_FILE;

/// File code of the temporaries in register counts and preloads.
pub const FILE_TEMP: u8 = 0;
/// File code of the uniforms in register counts (in vec4) and preloads.
pub const FILE_UNIFORM: u8 = UNIFORM_FILE;
/// File code of the texture units in preloads: index = unit, lane 0 its texture, lane 1 its sampler.
pub const FILE_UNIT: u8 = 2;

gpucc_container::family_words! {
    /// What the metadata says of memory.
    FamilyWords {
        /// Where workgroup memory is: one of [`shared_mode`].
        shared_mode "workgroup memory: 0 in a buffer, 1 in local storage",
    }
}

/// Where workgroup memory is.
pub mod shared_mode {
    /// A buffer of the launcher, one slice for each workgroup.
    pub const BUFFER: u32 = 0;
    /// Storage on the chip, through the LOCAL bit.
    pub const LOCAL: u32 = 1;
}

/// Most invocations of a workgroup (reference 10.5, 13).
pub const MAX_INVOCATIONS: u64 = 1024;

/// Most bytes of workgroup memory, which may be in a buffer: a bound of the machine, so that a container cannot exhaust it.
pub const MOST_SHARED: u32 = 1 << 20;
/// Most bytes of scratch of an invocation: the same.
pub const MOST_SCRATCH: u32 = 64 << 10;
/// Most bytes of it in vertex and fragment programs.
pub const MOST_DRAW_SCRATCH: u32 = 8 << 10;

/// Pieces of memory that invocations of draws take: more than there can be in flight (1,024 threads of four pixels, reference 13).
pub const DRAW_SLOTS: u32 = 4096;
/// Bytes in front of the pieces: a word for each that is not zero where it is taken, and the counter of those that came.
pub const DRAW_HEADER: u32 = 4 * DRAW_SLOTS + 256;
