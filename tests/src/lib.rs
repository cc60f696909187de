//! What the runners and the test suites share: the outside folder, conformance cases and their acceptance rules,
//! and the independent results of the example programs.

pub mod cases;
pub mod examples;
pub mod exec;
pub mod filetest;
pub mod foreign;
pub mod heap;
pub mod predict;
pub mod randprog;
pub mod scaling;
pub mod shared;
