//! The four machines behind one door, by family name: run a container, assemble, disassemble, check a vector.

mod interp;
pub mod launch;
mod oracle;
#[doc(hidden)]
pub mod profile;

pub use launch::Launch;
pub use oracle::{Compared, Verdict, judge, stray_trap};
pub use profile::{profile, sampling};

use gpucc_container::Container;
pub use gpucc_drivers as drivers;
pub use gpucc_drivers::DrawJob;
use gpucc_drivers::RunStages;
pub use gpucc_isa::ListingError;
use gpucc_isa::{Names, Notes};
use gpucc_pipeline::Target;
use gpucc_sim::draw::Targets;
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap, TrapKind};

/// A disassembled program.
pub struct Listing {
    /// The text, a line an instruction.
    pub text: String,
    /// Words that are no instruction, with bytes left over at the end counted as one; the text says which.
    pub bad_words: usize,
}

/// Assembles a whole listing: `(listing, generation, stages, long)`.
pub type AssembleFn = fn(&str, usize, u8, bool) -> Result<Vec<u8>, Vec<ListingError>>;

/// Launches a container: `(container, entry, dispatch, options)`.
pub type RunFn = fn(&Container, Option<&str>, &mut Dispatch, &RunOptions) -> Result<RunReport, Trap>;

/// Makes stages of the programs of a draw: `(job, dispatch, options, run)`.
pub type StagesFn = fn(&DrawJob<'_>, &mut Dispatch, &RunOptions, &mut RunStages<'_>) -> Result<RunReport, Trap>;

/// The choices for one family. Generations are indices into `generations`, program types bits of `gpucc_isa::stage`.
pub struct Machine {
    /// Family name as in targets.
    pub family: &'static str,
    /// Generation names.
    pub generations: &'static [&'static str],
    /// Generation that a bare family name means.
    pub default_generation: usize,
    /// Whether program types read words differently.
    pub has_stages: bool,
    /// A whole listing of machine code: `(code, generation, stages, notes)`.
    pub disassemble: fn(&[u8], usize, u8, &Notes<'_>) -> Listing,
    /// Machine code of a whole listing.
    pub assemble: AssembleFn,
    /// One instruction in the words notation of the vectors to text.
    pub disasm_line: fn(&str, usize, u8) -> Result<String, String>,
    /// The inverse; the last argument forces long forms.
    pub asm_line: fn(&str, usize, u8, bool) -> Result<String, String>,
    /// Checks one row of a vector file in the directions that apply to it.
    pub check_vector: fn(&str) -> Result<(), String>,
    /// The names of places and sources in its containers.
    pub names: Names,
    /// Launches a container.
    pub run: RunFn,
    /// Draws, if the machine does.
    pub stages: Option<StagesFn>,
    /// Whether the fixed function blends what such a target gets; otherwise the fragment program did.
    pub blends: fn(&Target) -> bool,
}

macro_rules! machine {
    ($krate:ident, $family:literal, [$($g:literal),*], $default:literal, $stages:literal, $run:expr, $draw:expr,
     $blends:expr) => {
        Machine {
            family: $family,
            generations: &[$($g),*],
            default_generation: $default,
            has_stages: $stages,
            disassemble: |code, g, s, notes| {
                let text = $krate::listing(code, g as u8, s, notes);
                Listing { bad_words: $krate::undecodable(code, g as u8, s), text }
            },
            assemble: |text, g, s, long| $krate::assemble(text, g as u8, s, long),
            disasm_line: |line, g, s| $krate::disasm_words_line(line, g as u8, s),
            asm_line: |line, g, s, long| $krate::asm_words_line(line, g as u8, s, long),
            check_vector: $krate::vectors::check_vector,
            names: $krate::names::NAMES,
            run: $run,
            stages: $draw,
            blends: $blends,
        }
    };
}

/// The machines, in the order in which reports list families.
pub static MACHINES: &[Machine] = &[
    machine!(
        gpucc_valhall_machine,
        "valhall",
        ["v9", "v10"],
        1,
        false,
        run_valhall,
        Some(stages_valhall),
        drivers::valhall::blends
    ),
    machine!(
        gpucc_tesla_machine,
        "tesla",
        ["nv50", "nv84", "nva0", "nva3", "mcp77"],
        3,
        true,
        run_tesla,
        Some(stages_tesla),
        |_| true
    ),
    machine!(gpucc_gcn_machine, "gcn", ["gfx6", "gfx7", "gfx8"], 2, false, run_gcn, Some(stages_gcn), |_| true),
    machine!(
        gpucc_vivante_machine,
        "vivante",
        ["gc2000", "gc3000", "gc7000"],
        1,
        false,
        run_vivante,
        Some(stages_vivante),
        |_| true
    ),
];

/// Valhall's dispatches, with its driver part.
fn run_valhall(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let mut part = drivers::valhall::part(&container.generation, options.perturb);
    drivers::run(&mut part, gpucc_valhall_machine::run_on, container, entry, dispatch, options)
}

/// Valhall's draws, with its driver part.
fn stages_valhall(
    job: &DrawJob<'_>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let mut part = drivers::valhall::part(&job.programs.0.generation, options.perturb);
    drivers::stages(&mut part, gpucc_valhall_machine::draw, job, dispatch, options, run)
}

/// Tesla's dispatches, with its driver part.
fn run_tesla(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let mut part = drivers::tesla::part(&container.generation, options.perturb);
    drivers::run(&mut part, gpucc_tesla_machine::run_on, container, entry, dispatch, options)
}

/// Tesla's draws, with its driver part.
fn stages_tesla(
    job: &DrawJob<'_>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let mut part = drivers::tesla::part(&job.programs.0.generation, options.perturb);
    drivers::stages(&mut part, gpucc_tesla_machine::draw, job, dispatch, options, run)
}

/// GCN's dispatches, with its driver part.
fn run_gcn(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let mut part = drivers::gcn::part(&container.generation, options.perturb);
    drivers::run(&mut part, gpucc_gcn_machine::run_on, container, entry, dispatch, options)
}

/// Vivante's dispatches, with its driver part.
fn run_vivante(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let mut part = drivers::vivante::part(&container.generation, options.perturb);
    drivers::run(&mut part, gpucc_vivante_machine::run_on, container, entry, dispatch, options)
}

/// Vivante's draws, with its driver part.
fn stages_vivante(
    job: &DrawJob<'_>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let mut part = drivers::vivante::part(&job.programs.0.generation, options.perturb);
    drivers::stages(&mut part, gpucc_vivante_machine::draw, job, dispatch, options, run)
}

/// GCN's draws, with its driver part.
fn stages_gcn(
    job: &DrawJob<'_>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let mut part = drivers::gcn::part(&job.programs.0.generation, options.perturb);
    drivers::stages(&mut part, gpucc_gcn_machine::draw, job, dispatch, options, run)
}

/// Draws on the machine of the containers' family. `bindings` has the buffers, textures and samplers of both programs; buffers and
/// textures are changed in place, also when the draw ends in a trap. Its grid does not count.
///
/// # Errors
/// The traps of the machine; a family whose machine does not draw.
pub fn draw(
    job: &DrawJob<'_>,
    bindings: &mut Dispatch,
    targets: &mut Targets,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let draw = merged(&job.programs.0.family, job.draw);
    stages(job, bindings, options, &mut |stages| gpucc_sim::draw::draw(&draw, stages, targets))
}

/// A draw as the fixed function of a family does it behind the fragment program: what code blends is not blended again.
pub fn merged<'a>(family: &str, draw: &gpucc_sim::draw::Draw<'a>) -> gpucc_sim::draw::Draw<'a> {
    let mut own = draw.clone();
    if let Some(machine) = find(family) {
        let targets = own.merger.targets.iter_mut().flatten();
        targets.filter(|t| !(machine.blends)(t)).for_each(|t| t.blend = None);
    }
    own
}

/// Gives the programs of a draw as stages to `run`.
///
/// # Errors
/// As [`draw()`], and what `run` gives.
pub fn stages(
    job: &DrawJob<'_>,
    bindings: &mut Dispatch,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let family = &job.programs.0.family;
    match find(family).and_then(|m| m.stages) {
        Some(stages) => stages(job, bindings, options, run),
        None => Err(Trap::new(TrapKind::Unsupported, format!("the machine of `{family}` does not draw"))),
    }
}

/// The machine of a family.
pub fn find(family: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|m| m.family == family)
}

/// Runs a container on the machine of its family, from the container alone.
///
/// # Errors
/// The traps of the machine; a container of an unknown family or without the entry point.
pub fn run(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let machine = find(&container.family)
        .ok_or_else(|| Trap::new(TrapKind::Container, format!("no machine for family `{}`", container.family)))?;
    (machine.run)(container, entry, dispatch, options)
}
