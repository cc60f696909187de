//! All tests of `gpucc-vivante` in one binary: linking and starting is paid once.

mod clamp;
mod clamped_conversions;
mod common;
mod constant_factors;
mod lane_sums;
mod launch;
mod mir;
mod mixes;
mod operands;
mod optimise;
mod order;
mod products;
mod quality;
mod run;
mod sink_sums;
mod suites;
mod uniforms;
mod zero_lanes;
