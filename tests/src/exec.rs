//! Compiles and runs one dispatch, on the IR interpreter or on a machine.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_ir::{Class, Module, Op, Refusal};
use gpucc_opt::{Caps, OpSet};
use gpucc_sim::{Dispatch, RunOptions, RunReport};

/// A scalar target that lacks most of what can be written with other ops.
pub const POOR: Caps = Caps {
    scalar: true,
    expand_bool_select: true,
    prefer_mul24: true,
    offset_fold: 4095,
    merge_access: 16,
    select_array_bytes: 256,
    expand: OpSet::of(&[
        Op::UDiv,
        Op::URem,
        Op::SDiv,
        Op::SRem,
        Op::UMulHi,
        Op::SMulHi,
        Op::Popcount,
        Op::Clz,
        Op::Ctz,
        Op::BitReverse,
        Op::UBitExtract,
        Op::SBitExtract,
        Op::BitInsert,
        Op::FShr,
        Op::BitSel,
        Op::UDot4x8,
        Op::SDot4x8,
        Op::FSign,
        Op::FSat,
        Op::FFract,
        Op::FRoundEven,
        Op::FDiv,
        Op::FRem,
        Op::FLdexp,
        Op::FDot,
        Op::ExtractDyn,
        Op::InsertDyn,
        Op::PackUnorm4x8,
        Op::PackSnorm4x8,
        Op::UnpackUnorm4x8,
        Op::UnpackSnorm4x8,
        Op::PackUnorm2x16,
        Op::PackSnorm2x16,
    ]),
    ..Caps::FULL
};

/// A target with everything that the IR has.
pub const RICH: Caps = Caps { funnel: true, bit_select: true, bit_field: true, ..Caps::FULL };

/// Where to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The IR interpreter, on the frontend's IR.
    Interp,
    /// The IR interpreter, after the target-independent passes: with everything the IR has, or (`lowered`) as a scalar
    /// target with few ops would get it.
    Passes {
        /// Whether for a poor scalar target.
        lowered: bool,
    },
    /// A machine, on compiled bytes.
    Machine(Target),
}

impl std::fmt::Display for On {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            On::Interp => f.write_str("interp"),
            On::Passes { lowered: false } => f.write_str("passes"),
            On::Passes { lowered: true } => f.write_str("lowered"),
            On::Machine(t) => t.fmt(f),
        }
    }
}

/// Reads a comma list of `interp` and targets.
///
/// # Errors
/// A sentence that lists what there is.
pub fn parse_on(text: &str) -> Result<Vec<On>, String> {
    let mut list = Vec::new();
    for item in text.split(',') {
        if item == "interp" {
            list.push(On::Interp);
        } else if item == "passes" || item == "lowered" {
            list.push(On::Passes { lowered: item == "lowered" });
        } else {
            list.extend(Target::parse_list(item)?.into_iter().map(On::Machine));
        }
    }
    Ok(list)
}

/// Why a dispatch has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The frontend or the target refuses it (class `Unsupported`): the codes, and what it says.
    Refused(Vec<Refusal>, String),
    /// The input is wrong.
    Invalid(String),
    /// The compiler is broken.
    Bug(String),
    /// The run trapped.
    Trap(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Refused(codes, m) => {
                let names: Vec<&str> = codes.iter().map(|c| c.name()).collect();
                write!(f, "refused ({}): {m}", names.join(", "))
            }
            Problem::Invalid(m) => write!(f, "invalid: {m}"),
            Problem::Bug(m) => write!(f, "compiler bug: {m}"),
            Problem::Trap(m) => write!(f, "trap: {m}"),
        }
    }
}

fn problem(list: &[gpucc_ir::Diagnostic]) -> Problem {
    let text = |c: Class| {
        let of = list.iter().filter(|d| d.class == c);
        of.map(|d| {
            std::iter::once(d.message.as_str()).chain(d.notes.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
        })
        .collect::<Vec<_>>()
        .join("; ")
    };
    if list.iter().any(|d| d.class == Class::Internal) {
        Problem::Bug(text(Class::Internal))
    } else if list.iter().any(|d| d.class == Class::Invalid) {
        Problem::Invalid(text(Class::Invalid))
    } else {
        let mut codes: Vec<Refusal> = list.iter().filter_map(gpucc_ir::Diagnostic::refusal).collect();
        codes.sort_unstable();
        codes.dedup();
        Problem::Refused(codes, text(Class::Unsupported))
    }
}

/// Lowers WGSL.
///
/// # Errors
/// What the frontend says.
pub fn lower(wgsl: &str, entry: &str, overrides: &[(String, f64)]) -> Result<Module, Problem> {
    let options = FrontOptions { entry: Some(entry.into()), overrides: overrides.to_vec(), robust: true };
    frontend::load(wgsl.as_bytes(), Lang::Wgsl, &options).map(|l| l.module).map_err(|list| problem(&list))
}

/// Runs a module in place on the buffers of `dispatch`. Memory starts as garbage of `perturb`, if given.
///
/// # Errors
/// Refusal, compiler bug or trap.
pub fn run(
    module: &Module,
    entry: &str,
    on: On,
    codegen: &CodegenOptions,
    dispatch: &mut Dispatch,
    run: &RunOptions,
) -> Result<RunReport, Problem> {
    match on {
        On::Interp => gpucc_interp::Program::new(module, entry)
            .and_then(|p| p.run(dispatch, run, &gpucc_interp::Profile::default()))
            .map(|o| o.report)
            .map_err(|t| Problem::Trap(t.to_string())),
        On::Passes { lowered } => {
            let caps = if lowered { POOR } else { RICH };
            let o = gpucc_opt::Options { level: codegen.opt_level, verify: true, ..gpucc_opt::Options::default() };
            let (module, _) = gpucc_opt::prepare(module, entry, &caps, &o).map_err(|d| problem(&[d]))?;
            gpucc_interp::Program::new(&module, entry)
                .and_then(|p| p.run(dispatch, run, &gpucc_interp::Profile::default()))
                .map(|o| o.report)
                .map_err(|t| Problem::Trap(t.to_string()))
        }
        On::Machine(target) => {
            let mut options = Options::new(target);
            options.codegen = codegen.clone();
            let artifact = gpucc::compile_entry(module, entry, &options).map_err(|d| problem(&[d]))?;
            gpucc_machines::run(artifact.container(), Some(entry), dispatch, run)
                .map_err(|t| Problem::Trap(t.to_string()))
        }
    }
}

/// Runs a module on a machine, as it compiles, and lets the oracle judge the result: to the bit under the machine's
/// numeric profile, and against the plain oracle inside WGSL's accuracy.
///
/// # Errors
/// As [`run`]; a difference is a [`Problem::Trap`] that says so.
pub fn run_judged(
    module: &Module,
    entry: &str,
    target: Target,
    codegen: &CodegenOptions,
    dispatch: &mut Dispatch,
    run: &RunOptions,
) -> Result<RunReport, Problem> {
    let mut options = Options::new(target);
    options.codegen = codegen.clone();
    let artifact = gpucc::compile_entry(module, entry, &options).map_err(|d| problem(&[d]))?;
    let before = dispatch.clone();
    let report = gpucc_machines::run(artifact.container(), Some(entry), dispatch, run)
        .map_err(|t| Problem::Trap(t.to_string()))?;
    let place = (target.family(), target.generation_index());
    match gpucc_machines::judge((module, &artifact.outputs()[0].ir), entry, place, &before, dispatch, run) {
        Ok(compared) if compared.strayed > 0 => Err(Problem::Trap(compared.to_string())),
        Ok(_) => Ok(report),
        Err(v) => Err(Problem::Trap(v.to_string())),
    }
}
