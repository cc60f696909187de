//! No code: the manifest asks third-party packages for the features that the whole workspace asks of them.
//!
//! Cargo unifies features over the packages that a command selects. Without this package `cargo test -p gpucc-gcn-tests` builds serde,
//! naga and all that stands on them a second time, since criterion and others ask more of them. Tests depend on it,
//! libraries and the command do not. To see what a selection still asks for by itself, compare the features that `cargo tree -f '{p} {f}'`
//! prints for it with those of `--workspace`.
