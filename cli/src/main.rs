//! The `gpucc` command.
fn main() {}
