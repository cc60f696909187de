//! The compiler and the machines for programs in C: `capi/include/gpucc.h` describes every function.
//!
//! What C gives is read here and nowhere else: behind the first lines of each function everything is ordinary Rust.

#![allow(unsafe_code, reason = "the border to C")]

mod border;
mod compile;
mod constants;
mod draw;
mod exports;
mod grow;
mod log;
mod numbers;
mod options;
mod pipeline;
mod reflect;
mod rows;
mod run;
mod scene;
mod status;

use std::ffi::{CString, c_char};

use exports::exports;

pub use compile::{
    CContainer, gpucc_compile, gpucc_compile_pair, gpucc_container_data, gpucc_container_free, gpucc_container_size,
    gpucc_effect, gpucc_key, gpucc_pair_keys, gpucc_variant_key,
};
pub use constants::*;
pub use draw::{CBytes, CDrawCall, CSampler, CTexture, gpucc_draw_programs};
#[doc(hidden)]
pub use grow::{Grows, taken};
pub use log::{CLog, CLogFn, CLogRow, gpucc_log_clear, gpucc_log_count, gpucc_log_free, gpucc_log_get, gpucc_log_new};
pub use options::{CConstant, CImageFormat, COptions, COverride, CPlace};
pub use pipeline::{
    CBlendComponent, CDepthStencil, CPipeline, CSamplerFacts, CStencilFace, CTarget, CVertexAttribute, CVertexBuffer,
};
pub use reflect::*;
pub use rows::*;
pub use run::{CBuffer, gpucc_buffer_address, gpucc_run, gpucc_run_with_addresses};
pub use scene::{
    CDrawOptions, COutput, COutputs, gpucc_draw, gpucc_outputs_count, gpucc_outputs_free, gpucc_outputs_get,
};

exports! {
    fn gpucc_text_free(text: *mut c_char) {
        if !text.is_null() {
            // SAFETY: `answer` made it.
            drop(CString::from_raw(text));
        }
    }
}

/// `gpucc_version`: the version as a text.
#[unsafe(no_mangle)]
pub extern "C" fn gpucc_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
