//! Encoded code: its forms, the passes over it, and its bytes.

pub mod clauses;
pub mod dead_exec_writes;
pub mod dead_scalars;
pub mod direct_exec;
pub mod early_moves;
pub mod emit;
pub mod encode;
pub mod encoded;
pub mod end_dead_waves;
pub mod exact_regions;
pub mod exec_compares;
pub mod fill;
pub mod prologue;
pub mod shrink_compares;
pub mod waits;
