//! Modules that are checked in, and what they are run on.

use gpucc_frontend_spirv as own;
use gpucc_ir::{Diagnostic, Module, ResourceKind, Stage};
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use std::path::PathBuf;

/// The modules of `tests/spirv`, by name.
pub fn modules() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    let mut list = Vec::new();
    for file in std::fs::read_dir(folder).expect("the folder of modules").flatten() {
        let path = file.path();
        if path.extension().is_some_and(|e| e == "spv") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            list.push((name, std::fs::read(&path).expect("a module")));
        }
    }
    list.sort();
    assert!(list.len() >= 8, "{} modules", list.len());
    list
}

/// Lowers all entry points.
pub fn lower(bytes: &[u8]) -> Result<Module, Vec<Diagnostic>> {
    own::parse(bytes).and_then(|p| own::lower(&p, &own::Options::default()))
}

/// Buffers of seeded words for what a module binds: large enough for what it names, and for some elements more.
pub fn buffers(module: &Module, seed: u64) -> Dispatch {
    let mut dispatch = Dispatch::new([1, 1, 1]);
    for r in module.resources.values().filter(|r| r.kind.is_buffer() && r.kind != ResourceKind::Immediates) {
        let mut random = SplitMix64::new(seed << 32 | u64::from(r.group) << 16 | u64::from(r.binding));
        let bytes = r.min_size.next_multiple_of(4) + r.stride * 63;
        let small =
            |r: &mut SplitMix64| if r.below(2) == 0 { r.below(9) as u32 } else { r.next_u32() >> (r.below(4) * 8) };
        let words: Vec<u32> = (0..bytes.div_ceil(4)).map(|_| small(&mut random)).collect();
        dispatch = dispatch.with_u32(r.group, r.binding, &words);
    }
    dispatch
}

/// The contents of the storage buffers of an entry point afterwards, or the trap.
pub fn run(module: &Module, entry: &str, seed: u64) -> Result<Vec<(u32, u32, Vec<u32>)>, String> {
    let mut dispatch = buffers(module, seed);
    let run = RunOptions { perturb: Some(seed), ..RunOptions::default() };
    let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
    gpucc_interp::run(module, entry, &mut dispatch, &options).map_err(|t| t.to_string())?;
    let storage = |k: ResourceKind| matches!(k, ResourceKind::StorageRead | ResourceKind::StorageReadWrite);
    let storage = module.resources.values().filter(|r| storage(r.kind));
    let mut list: Vec<_> =
        storage.map(|r| (r.group, r.binding, dispatch.words(r.group, r.binding).expect("bound"))).collect();
    list.sort();
    list.dedup();
    Ok(list)
}

/// Names of the compute entries.
pub fn computes(module: &Module) -> Vec<String> {
    let compute = |e: &&gpucc_ir::EntryPoint| e.stage.kind() == Stage::Compute;
    module.entries.iter().filter(compute).map(|e| e.name.clone()).collect()
}

/// Runs a module's first entry point; memory starts as garbage.
#[track_caller]
pub fn run_module(module: &Module, dispatch: &mut Dispatch) {
    let entry = module.entries[0].name.clone();
    let run = RunOptions { perturb: Some(11), ..RunOptions::default() };
    let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
    if let Err(trap) = gpucc_interp::run(module, &entry, dispatch, &options) {
        panic!("{trap}\n{}", gpucc_ir::text::module_text(module));
    }
}
