//! The pass manager of machine code.

use gpucc_ir::Diagnostic;
use gpucc_ir::trace;
use gpucc_mir::{AllocOptions, Form, MFunc, OpNames, parse_with, print, verify};

use crate::backend::CodegenOptions;
use crate::family::{Cx, Family, Stop};

/// Switches of the allocation.
pub fn alloc_options(o: &CodegenOptions) -> AllocOptions {
    AllocOptions {
        check: o.verify || cfg!(debug_assertions),
        tight: o.tight,
        fragment: o.fragment,
        spill_all: o.spill_all,
    }
}

/// Texts of the code.
#[derive(Default)]
pub(crate) struct Texts {
    /// Before the allocation.
    pub before: String,
    /// Behind all passes.
    pub after: String,
    /// `(pass, text)` for each dump that was asked for.
    pub dumps: Vec<(String, String)>,
}

/// Whether changes of a pass count against the fuel.
pub(crate) fn is_rationed(o: &CodegenOptions, pass: &str) -> bool {
    o.fuel_of.as_ref().is_none_or(|n| n == pass)
}

/// Runs the passes of a family over the code.
pub(crate) fn run<F: Family>(mf: &mut MFunc<F::Target>, cx: &mut Cx<'_, F>, mut fuel: u64) -> Result<Texts, Stop> {
    let o = cx.job.options;
    let mut texts = Texts::default();
    let names = o.reparse.then(|| OpNames::new(&cx.target));
    let after = |mf: &mut MFunc<F::Target>, cx: &Cx<'_, F>, pass, form, texts: &mut Texts| {
        done(mf, cx, pass, form, texts)?;
        names.as_ref().map_or(Ok(()), |n| reparse(mf, cx, pass, n))
    };
    after(mf, cx, "isel", Form::Virtual, &mut texts)?;
    let mut form = Form::Virtual;
    for p in F::PASSES {
        let rationed = is_rationed(o, p.name);
        let skipped = p.optional && (fuel == 0 && rationed || o.skip_passes.iter().any(|s| s == p.name));
        if skipped || o.opt_level < p.level {
            continue;
        }
        if p.form != form && o.texts {
            texts.before = print(mf, &cx.target);
        }
        form = p.form;
        trace::enter(p.name, &mf.name);
        let changes = p.run(mf, cx)?;
        trace::changed(changes);
        if p.optional && rationed {
            fuel = fuel.saturating_sub(changes);
        }
        after(mf, cx, p.name, form, &mut texts)?;
    }
    if o.texts {
        texts.after = print(mf, &cx.target);
    }
    Ok(texts)
}

/// What happens after each pass: dump and verifier.
fn done<F: Family>(
    mf: &MFunc<F::Target>,
    cx: &Cx<'_, F>,
    pass: &'static str,
    form: Form,
    texts: &mut Texts,
) -> Result<(), Diagnostic> {
    let o = cx.job.options;
    if o.dump_after.iter().any(|d| d == pass || d == "all") {
        texts.dumps.push((pass.into(), print(mf, &cx.target)));
    }
    if (o.verify || cfg!(debug_assertions))
        && let Err(e) = verify(mf, &cx.target, form)
    {
        return Err(Diagnostic::internal("verify", format!("after machine pass `{pass}`: {e}")));
    }
    Ok(())
}

/// Goes on with what the parser reads of the code's text.
fn reparse<F: Family>(
    mf: &mut MFunc<F::Target>,
    cx: &Cx<'_, F>,
    pass: &str,
    names: &OpNames<F::Target>,
) -> Result<(), Diagnostic> {
    let text = print(mf, &cx.target);
    *mf = parse_with(&text, &cx.target, names)
        .map_err(|e| Diagnostic::internal("reparse", format!("after machine pass `{pass}`: {e}\n{text}")))?;
    Ok(())
}

/// Checks that the passes of a family keep to `(first, then, why)`, for tests.
///
/// # Errors
/// The first that does not, or that names no pass or no reason.
pub fn check_order<F: Family>(order: &[(&str, &str, &str)]) -> Result<(), String> {
    let at = |n: &str| F::PASSES.iter().position(|p| p.name == n);
    for (first, then, why) in order {
        match (at(first), at(then)) {
            (Some(a), Some(b)) if a < b && !why.is_empty() => {}
            (Some(_), Some(_)) => return Err(format!("{first} before {then}: {why}")),
            _ => return Err(format!("{first} or {then} is not a pass of {}", F::NAME)),
        }
    }
    Ok(())
}

/// Names of all passes that work for a family: on the IR, then on machine code.
pub(crate) fn names<F: Family>() -> Vec<&'static str> {
    let mut all = vec!["inline"];
    for p in (0..=3).flat_map(gpucc_opt::pipeline::passes) {
        if !all.contains(&p.name) {
            all.push(p.name);
        }
    }
    all.push("isel");
    all.extend(machine_names::<F>());
    all
}

/// Names of the machine passes of a family, each once.
pub(crate) fn machine_names<F: Family>() -> Vec<&'static str> {
    let mut all = Vec::new();
    for p in F::PASSES {
        if !all.contains(&p.name) {
            all.push(p.name);
        }
    }
    all
}
