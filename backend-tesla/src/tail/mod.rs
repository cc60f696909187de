//! The last passes, over physical registers and blocks in their final order: what is left is encoded as it stands.

mod carry;
mod constants;
mod locks;
mod pairs;

pub use carry::{exits as carry_exits, joins as carry_joins};
pub use constants::run as place_constants;
pub use locks::run as expand_locks;
pub use pairs::run as pair_short;
