//! Source languages: each form is read, or is wrong or refused with its place.

mod glsl_damaged;
mod glsl_readers;
mod kept_values;
mod narrow_spirv;
mod real_corpus;
mod real_spirv;
pub mod spirv;
mod spirv_naga;
mod wgsl_stages;
