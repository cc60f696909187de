//! Random draws: a vertex and a fragment shader of GLSL with state, as a person writes scenes. What a draw leaves is fixed by the specifications, but for
//! the pixels that it says are open.

mod code;
pub mod compute;
mod geometry;
mod pair;
mod rng;
mod scene;
mod shaders;
mod state;
mod varying;

pub use pair::{Output, Pair};
pub use scene::pair;
