//! Chores that need the compiler: `docs` writes the pages that derive from tables, `mutate` shows that the tests of the tables
//! notice a wrong bit, `peers` measures the page about performance. `cargo xtask` starts them.

pub mod docs;
pub mod mutate;
pub mod peers;
mod scenes;
mod stamp;
mod workspace;
