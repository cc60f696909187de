//! The fuzz targets' crate. All but the mutators, which call the fuzzer, lies in `work`: the tests of the C library read that, too, so that it
//! is built where no fuzzer is.

pub mod mutate;
mod work;

pub use work::*;
