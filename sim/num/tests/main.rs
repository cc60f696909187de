//! All tests of `gpucc-num` in one binary: linking and starting is paid once.

mod f16;
mod f32;
