//! Chores that need the compiler: `docs` writes the pages that derive from tables, `mutate` shows that the tests of the tables
//! notice a wrong bit, `peers` measures the page about performance. `cargo xtask` starts them.

pub mod docs;
pub mod mutate;
pub mod peers;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that runs us.
fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root());
    c
}
