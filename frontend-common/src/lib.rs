//! Code common to all front ends.
//!
//! [`Code`] builds a function of the IR and has the functions that the IR has no op for: special functions (`special.rs`), those of
//! vectors and bits (`math.rs`), those of matrices (`matrix.rs`). [`Memory`] is what values and memory have in common whatever the types
//! of a source are (`memory.rs`), which are [`Shapes`] with a [`Layout`]. [`limits`] bounds what a source may ask for, and [`thread`]
//! gives what recurses a large stack.

mod bindings;
mod code;
mod lanes;
mod layout;
pub mod limits;
mod math;
mod matrix;
mod memory;
mod options;
pub mod report;
mod special;
mod stage;
mod texture;
pub mod thread;
mod value;

pub use bindings::{access_flags, place, resource};
pub use code::Code;
pub use lanes::Partner;
pub use layout::{Layout, Shapes, Tables, Tree, round_up};
pub use memory::Memory;
pub use options::{EntryInfo, Options, OverrideInfo, named};
pub use stage::at_sample;
pub use texture::{Question, Textures, question, texel_offset};
pub use value::{Choice, Form, Lowered, MatrixLayout, Ptr, View};
