//! Texture units.

use gpucc_vivante_machine as machine;

use crate::uniforms::Key;
/// A texture with a sampler, or without one.
pub type UnitKey = (Key, Option<Key>);

/// Texture units: the first of a stage's and how many it has (reference 11).
pub const fn units(generation: u8, vertex: bool) -> (u32, u32) {
    match (generation, vertex) {
        (machine::GC2000, false) => (0, 8),
        (machine::GC2000, true) => (8, 4),
        (_, false) => (0, 16),
        (_, true) => (16, 16),
    }
}
