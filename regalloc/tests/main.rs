//! All tests of `gpucc-regalloc` in one binary: linking and starting is paid once.

mod lists;
mod parts;
mod problems;
mod random;
mod spill_checker;
mod units;
mod wants;
