//! All tests of `gpucc-gcn` in one binary: linking and starting is paid once.

mod clauses;
mod common;
mod dead_exec_writes;
mod dead_scalars;
mod direct_exec;
mod doubles;
mod early_moves;
#[path = "../../tests/support/examples.rs"]
mod examples;
mod exec_compares;
mod fill;
mod live_lanes;
mod mir;
mod model;
mod operands;
mod order;
mod order_arms;
mod parts;
mod ranges;
mod run;
mod runs;
mod schedule;
mod shrink_compares;
mod stages;
mod suites;
mod sums;
mod tail;
mod textures;
mod verify_flow;
mod waits;
