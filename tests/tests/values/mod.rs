//! Compute programs and the values that they must give, on the oracle and on every machine.

mod addresses;
mod copies;
mod corpus;
mod diverged;
mod doubles;
mod edges;
mod endless;
mod examples;
mod exits;
mod far_branches;
mod float_modes;
mod immediates;
mod litmus;
mod numbers;
mod once_wrong;
mod oracle;
mod races;
mod ragged;
mod switches;
mod swizzles;
