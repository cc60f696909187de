//! The four program types an encoding may be restricted to, as bits of a mask.

/// Bit of vertex programs in a mask.
pub const VS: u8 = 1;
/// Bit of geometry programs in a mask.
pub const GS: u8 = 2;
/// Bit of fragment programs in a mask.
pub const FS: u8 = 4;
/// Bit of compute programs in a mask.
pub const CS: u8 = 8;
/// Mask with the bits of every program type.
pub const ALL: u8 = 15;
