//! Compiles and runs one dispatch on any place: the kit with the devices of all families.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_ir::Module;
use gpucc_kit::exec::{Compiled, Device};
use gpucc_sim::{Dispatch, RunOptions, RunReport};

pub use gpucc_kit::exec::{For, On, POOR, Problem, RICH, lower, run};

/// Where to run for a target.
///
/// # Panics
/// There is no machine of the family.
pub fn on(target: Target) -> On {
    On::Machine(device(target))
}

/// The back end and the machine of a target.
///
/// # Panics
/// There is no machine of the family.
pub fn device(target: Target) -> Device {
    let machine = gpucc_machines::find(target.family()).expect("each family has a machine");
    // Through the facade: a panic is a compiler bug with a place, and the runner continues.
    let compile = |device: &Device, module: &Module, entry: &str, codegen: &CodegenOptions| {
        let target = Target::parse(&device.to_string()).expect("a device of ours");
        let options = Options { target, codegen: codegen.clone() };
        let sharing = |passes: &mut _| gpucc::compile_entry_sharing(module, entry, &options, passes);
        let artifact = gpucc_kit::exec::sharing(module, entry, codegen, sharing)?;
        Ok(Compiled { container: artifact.container().clone(), ir: artifact.outputs()[0].ir.clone() })
    };
    Device { backend: target.backend(), generation: target.generation_index(), compile, run: machine.run }
}

/// The targets of a comma list that this run of the tests is for: all of them, or those that `GPUCC_TARGETS` names.
///
/// # Panics
/// The list names what is no target.
pub fn targets(list: &str) -> Vec<Target> {
    gpucc_kit::exec::wanted(&Target::parse_list(list).unwrap_or_else(|e| panic!("{e}")))
}

/// Reads a comma list of `interp`, `passes`, `lowered`, `minimal` and targets.
///
/// # Errors
/// A sentence that lists what there is.
pub fn parse_on(text: &str) -> Result<Vec<On>, String> {
    let mut list = Vec::new();
    for item in text.split(',') {
        if item == "interp" {
            list.push(On::Interp);
        } else if let Some(&target) = For::ALL.iter().find(|t| t.name() == item) {
            list.push(On::Passes(target));
        } else {
            list.extend(Target::parse_list(item)?.into_iter().map(on));
        }
    }
    Ok(list)
}

/// Lets the oracle judge what a machine made of `before`: to the bit under the machine's numeric profile, and against the plain
/// oracle inside WGSL's accuracy.
///
/// # Errors
/// A difference is a [`Problem::Trap`] that says so.
pub fn judge(
    (module, compiled): (&Module, &Compiled),
    entry: &str,
    target: Target,
    before: &Dispatch,
    after: &Dispatch,
    run: &RunOptions,
) -> Result<(), Problem> {
    let place = (target.family(), target.generation_index());
    match gpucc_machines::judge((module, &compiled.ir), entry, place, before, after, run) {
        Ok(compared) if compared.strayed > 0 || compared.absent > 0 => Err(Problem::Trap(compared.to_string())),
        Ok(_) => Ok(()),
        Err(v) => Err(Problem::Trap(v.to_string())),
    }
}

/// Runs a module on a machine, as it compiles, and lets the oracle [`judge`] the result.
///
/// # Errors
/// As [`run`] and [`judge`].
pub fn run_judged(
    module: &Module,
    entry: &str,
    target: Target,
    codegen: &CodegenOptions,
    dispatch: &mut Dispatch,
    run: &RunOptions,
) -> Result<RunReport, Problem> {
    let device = device(target);
    let compiled = device.compile(module, entry, codegen)?;
    let before = dispatch.clone();
    let report = device.launch(&compiled, entry, dispatch, run)?;
    judge((module, &compiled), entry, target, &before, dispatch, run)?;
    Ok(report)
}
