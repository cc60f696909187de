//! Places, and shaders as pipelines.

use std::sync::Arc;

use gpucc::Target;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_device::{ComputePipeline, Device, Options, Place};

/// The oracle and the default generation of each family.
pub fn places() -> Vec<Place> {
    let targets = Target::parse_list("all").expect("all targets");
    std::iter::once(Place::interp(2)).chain(targets.into_iter().map(|t| Place::Target(t, 2))).collect()
}

pub fn module(text: &str) -> gpucc::Module {
    let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{list:?}")).module
}

pub fn compute(text: &str, place: Place) -> Arc<ComputePipeline> {
    Arc::new(ComputePipeline::new(&module(text), "main", place).unwrap_or_else(|d| panic!("{place}: {d}")))
}

pub fn device() -> Device {
    Device::new(Options::default()).expect("a device")
}

pub fn words(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|w| w.to_le_bytes()).collect()
}
