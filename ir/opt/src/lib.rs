//! Target-independent passes over the gpucc IR.

pub mod caps;
pub mod init;
pub mod legalise;
pub mod layout;
mod legalise_div;
mod legalise_pack;
pub mod rewrite;
pub mod robust;
pub mod scalarise;

pub use caps::{Caps, OpSet};
