//! Driver parts: what a kernel and user-space driver would write before a launch, and read back after it.
//!
//! A driver part places the texels of bound textures in memory, writes descriptors, tables of descriptors and register words, and
//! brings back what a program wrote. Its numbers come from references alone: it shares no code about encodings with machines or
//! compilers, and this package depends on neither.
//!
//! Code common to all families is in [`place`], [`surface`] and [`link`]; a family has an implementation of
//! [`Descriptors`] in its folder (`backend-X/driver`).

pub mod link;
pub mod place;
pub mod placer;
pub mod surface;

pub use place::{Descriptors, Part};
pub use placer::Placer;
pub use surface::{BoundView, Plane, Surface, SurfaceLayout, sampler_of};

use gpucc_container::{Container, Entry, ResourceKind, Stage};
use gpucc_pipeline::Pipeline;
pub use gpucc_sim::draw::RunStages;
use gpucc_sim::draw::{Draw, VertexData};
use gpucc_sim::{Device, Dispatch, DrawDevice, Kept, Registers, RunOptions, RunReport, Trap, TrapKind};

/// The driver part of a family.
pub trait DriverPart {
    /// Takes the store of what is kept from launch to launch.
    fn keep(&mut self, kept: &Kept);

    /// Places what the entry point uses of a dispatch.
    ///
    /// # Errors
    /// A resource that is not bound, is bound and fits no descriptor, or does not fit memory.
    fn upload(&mut self, entry: &Entry, dispatch: &Dispatch) -> Result<Device, Trap>;

    /// Places what both programs of a draw use, and writes the words that it takes.
    ///
    /// # Errors
    /// A resource that is not bound, is bound and fits no descriptor, does not fit memory, or is not linked.
    fn upload_draw(&mut self, job: &DrawJob<'_>, dispatch: &Dispatch) -> Result<DrawDevice, Trap>;

    /// Puts the texels of writable textures back.
    fn download(&self, device: &Device, dispatch: &mut Dispatch);
}

/// What a driver part found for the name of a generation.
///
/// # Errors
/// Nothing was found: no generation stands for another.
pub fn of_generation<T>(family: &str, found: Option<T>, generation: &str) -> Result<T, Trap> {
    found.ok_or_else(|| {
        Trap::new(TrapKind::Container, format!("no driver part for generation `{generation}` of {family}"))
    })
}

/// A draw as a driver gets it.
#[derive(Clone, Copy, Debug)]
pub struct DrawJob<'a> {
    /// The containers of a vertex and a fragment entry, each with that entry alone. Without a fragment program depth and
    /// stencil alone are written.
    pub programs: (&'a Container, Option<&'a Container>),
    /// The pipeline that both were compiled for.
    pub pipeline: &'a Pipeline,
    /// The draw call, with its resources and counts.
    pub draw: &'a Draw<'a>,
    /// The binding of each of the pipeline's vertex buffers, by their place in it.
    pub vertex_buffers: &'a [Option<VertexData<'a>>],
}

impl<'a> DrawJob<'a> {
    /// The entries of both programs, that of vertices first.
    ///
    /// # Errors
    /// A container without an entry.
    pub fn entries(&self) -> Result<Vec<&'a Entry>, Trap> {
        let one = |c: &'a Container| {
            c.entries.first().ok_or_else(|| Trap::new(TrapKind::Container, "a container without an entry"))
        };
        std::iter::once(self.programs.0).chain(self.programs.1).map(one).collect()
    }

    /// Writes the words of registers that the programs want.
    ///
    /// # Errors
    /// A container without an entry.
    pub fn write_state(&self, to: &mut Registers) -> Result<(), Trap> {
        for w in self.entries()?.into_iter().flat_map(|e| &e.state) {
            to.set(w.space, w.register, w.value, w.mask);
        }
        Ok(())
    }
}

/// Makes stages of what a driver part placed: `(containers, draw, dispatch, device, options, run)`.
pub type StagesOnFn = fn(
    (&Container, Option<&Container>),
    &Draw<'_>,
    &mut Dispatch,
    &mut DrawDevice,
    &RunOptions,
    &mut RunStages<'_>,
) -> Result<RunReport, Trap>;

/// Gives the programs of a draw as stages to `run`, with the driver part around. Also when the draw traps, buffers and textures
/// hold what was written until then.
///
/// # Errors
/// The refusals of driver part and machine, and the traps of the machine; the error of `run`.
pub fn stages(
    part: &mut dyn DriverPart,
    machine: StagesOnFn,
    job: &DrawJob<'_>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    part.keep(&options.kept);
    let mut device = part.upload_draw(job, dispatch)?;
    let report = machine(job.programs, job.draw, dispatch, &mut device, options, run);
    part.download(&device.device, dispatch);
    report
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
/// The refusals of driver part and machine, and the traps of the machine.
pub fn run<P: DriverPart>(
    part: impl FnOnce() -> Result<P, Trap>,
    machine: RunOnFn,
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let Some(e) = chosen(container, entry).filter(|e| needed(e)) else {
        return machine(container, entry, dispatch, &mut Device::default(), options);
    };
    let mut part = part()?;
    part.keep(&options.kept);
    let mut device = part.upload(e, dispatch)?;
    let report = machine(container, entry, dispatch, &mut device, options);
    part.download(&device, dispatch);
    report
}
