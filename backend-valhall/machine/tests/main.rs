//! All tests of `gpucc-valhall-machine` in one binary: linking and starting is paid once.

mod common;
mod draws;
mod effects;
mod machine;
mod rows;
mod table;
mod textures;
mod vectors;
