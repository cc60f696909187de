//! Runs shaders on the oracle, for the tests of this crate.
#![allow(dead_code, reason = "each test uses its part")]

use gpucc_frontend_naga::{Input, Lang, Options, lower, parse};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};

/// Lowers and verifies; panics with the first diagnostic.
#[track_caller]
pub fn module(source: &[u8], lang: Lang, options: &Options) -> Module {
    let text = String::from_utf8_lossy(source);
    let parsed =
        parse(Input { bytes: source }, lang).unwrap_or_else(|list| panic!("{}: {:?}\n{text}", list[0], list[0].labels));
    let module = lower(&parsed, options).unwrap_or_else(|list| panic!("{}: {:?}\n{text}", list[0], list[0].labels));
    if let Err(findings) = gpucc_ir::verify::verify_module(&module) {
        panic!("{}\n{}", findings[0], gpucc_ir::text::module_text(&module));
    }
    module
}

/// Runs a module; memory starts as garbage.
#[track_caller]
pub fn run_module(module: &Module, dispatch: &mut Dispatch) {
    let entry = module.entries[0].name.clone();
    let run = RunOptions { perturb: Some(11), ..RunOptions::default() };
    let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
    if let Err(trap) = gpucc_interp::run(module, &entry, dispatch, &options) {
        panic!("{trap}\n{}", gpucc_ir::text::module_text(module));
    }
}

/// Lowers WGSL and runs its only entry point.
#[track_caller]
pub fn run(source: &str, dispatch: &mut Dispatch) {
    run_module(&module(source.as_bytes(), Lang::Wgsl, &Options::default()), dispatch);
}

/// Runs `main` of WGSL with one invocation on a `u32` output buffer `o` of `n` words (group 0, binding 0).
#[track_caller]
pub fn outputs(source: &str, n: usize) -> Vec<u32> {
    let source = format!("@group(0) @binding(0) var<storage, read_write> o: array<u32, {n}>;\n{source}");
    let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, &vec![0; n]);
    run(&source, &mut dispatch);
    dispatch.words(0, 0).expect("bound above")
}
