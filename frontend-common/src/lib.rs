//! Code common to all front ends.
//!
//! [`Code`] builds a function of the IR and has the functions that the IR has no op for: special functions (`special.rs`), those of
//! vectors and bits (`math.rs`), those of matrices (`matrix.rs`). [`limits`] bounds what a source may ask for, and [`thread`]
//! gives what recurses a large stack.

mod code;
mod lanes;
pub mod limits;
mod math;
mod matrix;
pub mod report;
mod special;
mod stage;
pub mod thread;

pub use code::Code;
pub use lanes::Partner;
pub use stage::at_sample;
