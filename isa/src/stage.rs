//! The four program types an encoding may be restricted to, as bits of a mask.

/// Vertex programs.
pub const VS: u8 = 1;
/// Geometry programs.
pub const GS: u8 = 2;
/// Fragment programs.
pub const FS: u8 = 4;
/// Compute programs.
pub const CS: u8 = 8;
/// Every program type.
pub const ALL: u8 = 15;
