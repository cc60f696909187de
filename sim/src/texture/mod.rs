//! Textures: texel formats, addressing, filtering, level of detail, cubes, comparison, loads and stores.
//!
//! One model for the oracle and the four machines. Each instruction set turns its instruction into a request on a
//! [`View`] and a [`Sampler`] and packs the result itself; where the texels lie (linear, tiled, in simulated memory)
//! is behind [`Texels`]. Arithmetic is f64 in a fixed order, rounded once to f32.
//!
//! Coordinates are in texels of the level used or normalised 0..1 as each function says; levels and layers count
//! from the view's first.

pub mod cube;
pub mod format;
pub mod image;
pub mod lod;
pub mod memory;
pub mod quad;
pub mod request;
pub mod sample;
pub mod sampler;

pub use cube::{Face, face_texel, project, project_gradient};
pub use format::{Base, Codec, Format, FormatError, Texel};
pub use image::{Channel, Image, ImageView, level_size};
pub use lod::{Gradient, MipBlend, lambda_of, mip_levels};
pub use memory::{MemoryTexels, NoTexels, texel_words};
pub use request::{Coords, Layer, Lod, Request, What};
pub use sample::{
    Coord, Dim, TexelAt, Texels, View, clamp_layer, gather, gather_compare, load, round_layer, sample, sample_compare,
    texel_at, wrap,
};
pub use sampler::{Compare, Filter, NearestRounding, Precision, Sampler, Wrap};
