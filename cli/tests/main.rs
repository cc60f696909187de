//! All tests of `gpucc-cli` in one binary: linking and starting is paid once.

mod cli;
mod common;
mod compared;
mod drivers;
mod explain;
mod film;
mod first_hour;
mod glsl;
mod immediates;
mod launch;
mod misspelt;
mod newcomer;
mod one_file;
mod options;
mod outputs;
mod reduce;
mod render;
mod reports;
mod spirv;
mod stages;
mod subgroups;
mod verdicts;
mod vulkan;
mod wgsl;
