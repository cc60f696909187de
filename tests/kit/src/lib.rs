//! The kit that tests of one family and tests of all families share: the outside folder, conformance cases with their acceptance rules, the
//! independent results of the examples, file tests and random programs.
//!
//! The kit knows no back end. A test names the [`Device`](exec::Device) that compiles and runs: `backend-X/tests` the one of its
//! family, `gpucc-tests` those of all.

pub mod cases;
pub mod examples;
pub mod exec;
pub mod filetest;
pub mod predict;
pub mod randprog;
pub mod shared;
pub mod suite;
