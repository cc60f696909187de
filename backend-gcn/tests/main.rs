//! All tests of `gpucc-gcn` in one binary: linking and starting is paid once.

mod clauses;
mod common;
mod mir;
mod model;
mod operands;
mod order;
mod parts;
mod ranges;
mod run;
mod runs;
mod schedule;
mod stages;
mod suites;
mod textures;
mod tidy;
mod vcc;
