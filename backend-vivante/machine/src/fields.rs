//! Where the fields of the 128-bit word are (reference section 3).

use gpucc_isa::Field;

/// Low six opcode bits and, as bit 6, word bit 80.
pub const OPCODE: Field = Field::split(&[(0, 6), (80, 1)]);
/// Condition of the instruction (5).
pub const COND: Field = Field::new(6, 5);
/// Whether the result is saturated (1).
pub const SAT: Field = Field::new(11, 1);
/// Whether the destination is present (1).
pub const DST_USE: Field = Field::new(12, 1);
/// Destination: addressing mode (3), register (7), write mask (4).
pub const DST: Field = Field::new(13, 14);
/// Destination that may be absent: as [`DST`], then its use bit.
pub const DST_OPT: Field = Field::split(&[(13, 14), (12, 1)]);
/// Write mask of the destination alone (4).
pub const MASK: Field = Field::new(23, 4);
/// Bit 27, set by the vendor on NORM_MUL (5.5).
pub const UNK27: Field = Field::new(27, 1);
/// Sampler (5), sampler addressing mode (3), texel swizzle (8).
pub const TEX: Field = Field::new(27, 16);
/// Rounding mode of the result (2).
pub const ROUND: Field = Field::new(32, 2);
/// Pack mode, inverted: 1 is normal.
pub const PACK: Field = Field::new(34, 1);
/// Left shift of the offset of memory instructions.
pub const SHIFT: Field = Field::new(35, 3);
/// Whether helper pixels are skipped (1).
pub const SKPHP: Field = Field::new(39, 1);
/// Local instead of global memory.
pub const LOCAL: Field = Field::new(40, 1);
/// Whether denormals are kept (1).
pub const DENORM: Field = Field::new(42, 1);
/// Whether source 0 is present (1).
pub const SRC0_USE: Field = Field::new(43, 1);
/// Source 0: register (9), swizzle (8), negate, absolute, addressing mode (3), group (3).
pub const SRC0: Field = Field::split(&[(44, 9), (54, 16)]);
/// Source 0 that may be absent: as [`SRC0`], then its use bit.
pub const SRC0_OPT: Field = Field::split(&[(44, 9), (54, 16), (43, 1)]);
/// Type of the operands (3).
pub const TYPE: Field = Field::split(&[(94, 2), (53, 1)]);
/// Whether source 1 is present (1).
pub const SRC1_USE: Field = Field::new(70, 1);
/// Source 1, laid out as source 0.
pub const SRC1: Field = Field::split(&[(71, 9), (81, 13), (96, 3)]);
/// Source 1 that may be absent.
pub const SRC1_OPT: Field = Field::split(&[(71, 9), (81, 13), (96, 3), (70, 1)]);
/// Whether source 2 is present (1).
pub const SRC2_USE: Field = Field::new(99, 1);
/// Source 2, laid out as source 0.
pub const SRC2: Field = Field::split(&[(100, 9), (110, 10), (121, 6)]);
/// Source 2 that may be absent.
pub const SRC2_OPT: Field = Field::split(&[(100, 9), (110, 10), (121, 6), (99, 1)]);
/// Target of a branch (15).
pub const TARGET: Field = Field::new(103, 15);
/// Thread select of dual-16 mode: low half, high half.
pub const THREAD: Field = Field::split(&[(109, 1), (120, 1)]);
/// Full-precision destination of dual-16 mode.
pub const HP: Field = Field::new(127, 1);
