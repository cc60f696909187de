//! Facts derived from a function, never stored in it.

mod clamps;
mod dom;
mod helpers;
mod liveness;
mod order;
#[doc(hidden)]
pub mod range;
mod stage_use;
mod structure;
pub mod trips;
mod uniformity;
mod uses;

pub use crate::sysval::Variance;
pub use clamps::{Clamp, clamps};
pub use dom::{DomTree, PostDomTree};
pub use helpers::Helpers;
pub use liveness::Liveness;
pub use order::{is_sorted, reachable, sort_layout, structured_order};
pub use range::UpperBounds;
pub use stage_use::StageUse;
pub use structure::{Construct, ConstructId, ConstructKind, Structure};
pub use uniformity::Uniformity;
pub use uses::{LanesRead, Use, Uses};
