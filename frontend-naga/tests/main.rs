//! All tests of `gpucc-frontend-naga` in one binary: linking and starting is paid once.

mod builtins;
mod common;
mod forms;
mod guard_glsl;
mod guard_spirv;
mod guard_thread;
mod guard_wgsl;
mod lanes;
mod limits;
mod messages;
mod misread;
mod report;
mod rules;
mod run_time;
mod semantics;
mod stages;
mod valid;
mod wesl;
