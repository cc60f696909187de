//! Passes over encoded code.

pub mod end_dead_waves;
pub mod exact_regions;
pub mod prologue;
