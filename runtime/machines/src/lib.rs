//! The four machines behind one door, by family name: run a container, assemble, disassemble, check a vector.

pub mod comparison;
pub mod launch;
mod oracle;

pub use comparison::{Comparison, Count};
pub use launch::Launch;
pub use oracle::{Compared, OOB_ANSWERS, Verdict, judge, judge_order, stray_trap};

use gpucc_container::Container;
pub use gpucc_drivers as drivers;
pub use gpucc_drivers::DrawJob;
use gpucc_drivers::RunStages;
use gpucc_interp::Profile;
pub use gpucc_isa::ListingError;
use gpucc_isa::{Names, Notes};
use gpucc_pipeline::Target;
use gpucc_sim::draw::Targets;
use gpucc_sim::texture::{Precision, Sampler};
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap, TrapKind};

/// A disassembled program: its text, and how many words are none.
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
    /// Names of the generations, by their index.
    pub generations: &'static [&'static str],
    /// Generation that a bare family name means.
    pub default_generation: usize,
    /// Whether program types read words differently.
    pub has_stages: bool,
    /// Whether `--long` asks the assembler for something: instructions with a short and a long form.
    pub has_long_forms: bool,
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
    /// The page of its instruction set.
    pub reference_page: fn() -> String,
    /// The rows of its table, as messages about them name them.
    pub rows: fn() -> Vec<String>,
    /// Runs a compute container on the machine.
    pub run: RunFn,
    /// Makes stages of the programs of a draw.
    pub stages: StagesFn,
    /// Whether the fixed function blends what such a target gets; otherwise the fragment program did.
    pub blends: fn(&Target) -> bool,
    /// The numeric profile of a generation.
    pub profile: fn(usize) -> Profile,
    /// The precision with which a sampler filters.
    pub sampling: fn(&Sampler) -> Precision,
}

/// A row: the entry points of a machine, of its driver part and of its profile, which have the same names in each family.
macro_rules! families {
    ($($feature:literal: $machine:ident, $driver:ident, $profile:ident;)*) => {
        /// The machines, in the order in which reports list families.
        pub static MACHINES: &[Machine] = &[$(
            #[cfg(feature = $feature)]
            Machine {
                family: $machine::NAME,
                generations: $machine::GENERATIONS,
                default_generation: $machine::DEFAULT_GENERATION,
                has_stages: $machine::HAS_STAGES,
                has_long_forms: $machine::HAS_LONG_FORMS,
                disassemble: |code, g, s, notes| {
                    let text = $machine::listing(code, g as u8, s, notes);
                    Listing { bad_words: $machine::undecodable(code, g as u8, s), text }
                },
                assemble: |text, g, s, long| $machine::assemble(text, g as u8, s, long),
                disasm_line: |line, g, s| $machine::disasm_words_line(line, g as u8, s),
                asm_line: |line, g, s, long| $machine::asm_words_line(line, g as u8, s, long),
                check_vector: $machine::vectors::check_vector,
                names: $machine::names::NAMES,
                reference_page: $machine::reference_page,
                rows: || $machine::table().rows.iter().map(|r| format!("{:?}: {}", r.op, r.text)).collect(),
                run: |container, entry, dispatch, options| {
                    let part = || $driver::part(&container.generation, options.perturb);
                    drivers::run(part, $machine::run_on, container, entry, dispatch, options)
                },
                stages: |job, dispatch, options, run| {
                    let mut part = $driver::part(&job.programs.0.generation, options.perturb)?;
                    drivers::stages(&mut part, $machine::draw, job, dispatch, options, run)
                },
                blends: $driver::blends,
                profile: |g| {
                    let name = $machine::GENERATIONS[g];
                    $profile::profile(name).unwrap_or_else(|| panic!("{}:{name} has no profile", $machine::NAME))
                },
                sampling: $profile::sampling,
            },
        )*];
    };
}

families! {
    "valhall": gpucc_valhall_machine, gpucc_valhall_driver, gpucc_valhall_profile;
    "tesla": gpucc_tesla_machine, gpucc_tesla_driver, gpucc_tesla_profile;
    "gcn": gpucc_gcn_machine, gpucc_gcn_driver, gpucc_gcn_profile;
    "vivante": gpucc_vivante_machine, gpucc_vivante_driver, gpucc_vivante_profile;
}

/// The profile under which the oracle computes as the machine of a family and generation does, bit for bit but for the
/// sign of zero and the payload of NaN; without a machine that of the rules.
pub fn profile(family: &str, generation: usize) -> Profile {
    find(family).map_or_else(Profile::default, |m| (m.profile)(generation))
}

/// The precision with which samplers of a family filter; without a machine their own.
pub fn sampling(family: &str) -> fn(&Sampler) -> Precision {
    find(family).map_or(|s| s.precision, |m| m.sampling)
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
    (machine(family)?.stages)(job, bindings, options, run)
}

/// The machine of a family.
pub fn find(family: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|m| m.family == family)
}

fn machine(family: &str) -> Result<&'static Machine, Trap> {
    find(family).ok_or_else(|| Trap::new(TrapKind::Container, format!("no machine for family `{family}`")))
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
    (machine(&container.family)?.run)(container, entry, dispatch, options)
}
