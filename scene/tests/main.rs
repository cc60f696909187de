//! All tests of `gpucc-scene` in one binary: linking and starting is paid once.

mod alone;
mod cases;
mod check;
mod compare;
mod contents;
mod picture;
mod read;
mod resize;
mod shared;
mod sheet;
mod uses;
