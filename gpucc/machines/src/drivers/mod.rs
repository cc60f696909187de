//! Driver parts: what a kernel and user-space driver would write before a launch, and read back after it.
//!
//! A driver part places the texels of bound textures in memory, writes descriptors and tables of descriptors, and brings back what
//! a program wrote. Its numbers come from references alone: it shares no code about encodings with machines or compilers.

pub mod gcn;

use gpucc_container::{Container, Entry, ResourceKind, Stage};
use gpucc_sim::{Device, Dispatch, RunOptions, RunReport, Trap};

/// The driver part of a family.
pub trait DriverPart {
    /// Places what the entry point uses of a dispatch.
    ///
    /// # Errors
    /// What is not bound, is bound and fits no descriptor, or does not fit memory.
    fn upload(&mut self, entry: &Entry, dispatch: &Dispatch) -> Result<Device, Trap>;

    /// Puts the texels of writable textures back.
    fn download(&self, device: &Device, dispatch: &mut Dispatch);
}

/// Launches a container with what a driver part placed: `(container, entry, dispatch, device, options)`.
pub type RunOnFn = fn(&Container, Option<&str>, &mut Dispatch, &mut Device, &RunOptions) -> Result<RunReport, Trap>;

/// The entry point that a launch means, if there is one.
fn chosen<'a>(container: &'a Container, name: Option<&str>) -> Option<&'a Entry> {
    match name {
        Some(name) => container.entry(name),
        None => container.entries.iter().find(|e| e.stage == Stage::Compute),
    }
}

/// Whether an entry point uses textures or samplers.
pub fn needed(entry: &Entry) -> bool {
    let describes = |k| matches!(k, ResourceKind::Texture | ResourceKind::StorageTexture | ResourceKind::Sampler);
    entry.resources.iter().any(|r| describes(r.kind))
}

/// Runs a container; where its entry point uses textures or samplers, with the driver part around it. Also when the run
/// traps, textures hold what was written until then.
///
/// # Errors
/// What driver part and machine refuse, and what the machine traps on.
pub fn run(
    part: &mut dyn DriverPart,
    machine: RunOnFn,
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let Some(e) = chosen(container, entry).filter(|e| needed(e)) else {
        return machine(container, entry, dispatch, &mut Device::default(), options);
    };
    let mut device = part.upload(e, dispatch)?;
    let report = machine(container, entry, dispatch, &mut device, options);
    part.download(&device, dispatch);
    report
}
