//! The pass manager of machine code.

use gpucc_ir::Diagnostic;
use gpucc_ir::trace;
use gpucc_mir::{AllocOptions, Form, MFunc, parse, print};

use crate::backend::CodegenOptions;
use crate::family::{AttemptError, CompileCx, Family, IrUnit, Pass};
use crate::line_costs::{self, LineCosts};

/// The step in front of the passes on encoded code.
const ENCODE: &str = "encode";

/// Switches of the allocation.
pub fn alloc_options(o: &CodegenOptions) -> AllocOptions {
    AllocOptions {
        check: o.verify || cfg!(debug_assertions),
        tight: o.tight,
        fragment: o.fragment,
        spill_all: o.spill_all,
        few_spills: None,
        most_spills: None,
    }
}

/// Texts of the code.
#[derive(Default)]
pub(crate) struct Texts {
    /// Text in front of the allocation.
    pub before: String,
    /// Text behind all passes.
    pub after: String,
    /// `(pass, text)` for each dump that was asked for.
    pub dumps: Vec<(String, String)>,
}

/// Whether changes of a pass count against the fuel.
pub(crate) fn is_rationed(o: &CodegenOptions, pass: &str) -> bool {
    o.fuel_of.as_ref().is_none_or(|n| n == pass)
}

/// The way of one function through the lists of passes.
pub(crate) struct Manager<'o> {
    o: &'o CodegenOptions,
    /// Changes that are left.
    pub fuel: u64,
    form: Form,
    /// Whether the verifier has seen what the last pass left.
    verified: bool,
    /// The modules that were asked for on the way.
    pub texts: Texts,
}

impl<'o> Manager<'o> {
    /// A manager of passes that may make so many changes.
    pub fn new(o: &'o CodegenOptions, fuel: u64) -> Self {
        Manager { o, fuel, form: Form::Virtual, verified: false, texts: Texts::default() }
    }

    /// Runs the machine passes of a family over what selection made, and those of the tail over what becomes of that. Adds to `lines` the
    /// registers that are live, if that is wanted.
    pub fn run<F: Family>(
        &mut self,
        mut mf: MFunc<F::Target>,
        cx: &mut CompileCx<'_, F>,
        lines: &mut LineCosts,
    ) -> Result<F::Encoded, AttemptError> {
        let (mut read, wanted) = (String::new(), self.o.reparse);
        self.list(
            "isel",
            F::PASSES,
            &mut mf,
            cx,
            |mf, cx, step| {
                if wanted { reparse(mf, cx, step, &mut read) } else { Ok(()) }
            },
        )?;
        if self.o.texts {
            self.texts.after = print(&mf, &cx.target);
        }
        if self.o.by_line {
            line_costs::add_live(lines, cx.job.module, &mf, &cx.target);
        }
        trace::enter(ENCODE, &mf.name);
        let mut code = F::encode(mf, cx)?;
        self.list(ENCODE, F::TAIL, &mut code, cx, |_, _, _| Ok(()))?;
        Ok(code)
    }

    /// Runs the passes of a list over code that the step `first` made; `then` may change it behind each.
    fn list<F: Family, C: IrUnit<F>>(
        &mut self,
        first: &'static str,
        passes: &[Pass<F, C>],
        code: &mut C,
        cx: &mut CompileCx<'_, F>,
        mut then: impl FnMut(&mut C, &CompileCx<'_, F>, Step) -> Result<(), Diagnostic>,
    ) -> Result<(), AttemptError> {
        let mut last = Step { name: first, changed: true };
        if passes.first().is_some_and(|p| p.is_completion) {
            self.dump(code, cx, last)?;
        } else {
            self.done(code, cx, last)?;
            then(code, cx, last)?;
        }
        for p in passes {
            let o = self.o;
            let rationed = p.optional && is_rationed(o, p.name);
            let skipped = rationed && self.fuel == 0 || p.optional && o.skip_passes.iter().any(|s| s == p.name);
            if skipped || o.opt_level < p.level {
                continue;
            }
            let allocates = p.form == Form::Physical && self.form == Form::Virtual;
            if allocates {
                if o.texts {
                    self.texts.before = code.text(cx);
                }
                self.form = Form::Physical;
            }
            trace::enter(p.name, code.name());
            cx.fuel = if rationed { self.fuel } else { u64::MAX };
            let changes = p.run(code, cx)?;
            trace::changed(changes);
            if rationed {
                self.fuel = self.fuel.saturating_sub(changes);
            }
            last = Step { name: p.name, changed: changes > 0 || allocates || !p.counts_all };
            self.done(code, cx, last)?;
            then(code, cx, last)?;
        }
        if !self.verified {
            self.verify(code, cx, last.name)?;
        }
        Ok(())
    }

    /// The work behind each step: dump and verifier. A step without changes leaves what the verifier has seen; it sees the end of each
    /// list again. Where all steps are dumped, or read back, that is held against the texts.
    fn done<F: Family, C: IrUnit<F>>(&mut self, code: &C, cx: &CompileCx<'_, F>, step: Step) -> Result<(), Diagnostic> {
        self.dump(code, cx, step)?;
        self.verified = false;
        if step.changed { self.verify(code, cx, step.name) } else { Ok(()) }
    }

    /// Keeps the text behind a step, if it is wanted.
    fn dump<F: Family, C: IrUnit<F>>(&mut self, code: &C, cx: &CompileCx<'_, F>, step: Step) -> Result<(), Diagnostic> {
        let all = self.o.dump_after.iter().any(|d| d == "all");
        if all || self.o.dump_after.iter().any(|d| d == step.name) {
            let text = code.text(cx);
            if all && self.o.verify && !step.changed && self.texts.dumps.last().is_some_and(|d| d.1 != text) {
                return Err(step.untold(&text));
            }
            self.texts.dumps.push((step.name.into(), text));
        }
        Ok(())
    }

    /// Runs the verifier, if it is wanted.
    fn verify<F: Family, C: IrUnit<F>>(
        &mut self,
        code: &C,
        cx: &CompileCx<'_, F>,
        pass: &'static str,
    ) -> Result<(), Diagnostic> {
        self.verified = true;
        if (self.o.verify || cfg!(debug_assertions))
            && let Err(e) = code.check(cx, self.form)
        {
            return Err(Diagnostic::internal("verify", format!("after machine pass `{pass}`: {e}")));
        }
        Ok(())
    }
}

/// A step that has run.
#[derive(Clone, Copy)]
struct Step {
    name: &'static str,
    /// Whether it reports changes.
    changed: bool,
}

impl Step {
    /// The error of a step that changed code and reports no change.
    fn untold(self, text: &str) -> Diagnostic {
        Diagnostic::internal("changes", format!("machine pass `{}` reports no change, and left\n{text}", self.name))
    }
}

/// Continues with what the parser reads of the code's text, unless that is the text which was `read` before.
fn reparse<F: Family>(
    mf: &mut MFunc<F::Target>,
    cx: &CompileCx<'_, F>,
    step: Step,
    read: &mut String,
) -> Result<(), Diagnostic> {
    let text = print(mf, &cx.target);
    if text == *read {
        return Ok(());
    }
    if !step.changed {
        return Err(step.untold(&text));
    }
    *mf = parse(&text, &cx.target)
        .map_err(|e| Diagnostic::internal("reparse", format!("after machine pass `{}`: {e}\n{text}", step.name)))?;
    *read = text;
    Ok(())
}

/// Checks that the passes of a family keep to `(first, then, why)`, for tests.
///
/// # Errors
/// The first that does not, or that names no pass or no reason.
pub fn check_order<F: Family>(order: &[(&str, &str, &str)]) -> Result<(), String> {
    let all: Vec<&str> = F::PASSES.iter().map(|p| p.name).chain(F::TAIL.iter().map(|p| p.name)).collect();
    let at = |n: &str| all.iter().position(|p| *p == n);
    for (first, then, why) in order {
        match (at(first), at(then)) {
            (Some(a), Some(b)) if a < b && !why.is_empty() => {}
            (Some(_), Some(_)) => return Err(format!("{first} before {then}: {why}")),
            _ => return Err(format!("{first} or {then} is not a pass of {}", F::NAME)),
        }
    }
    Ok(())
}

/// Names of all passes that work for a family: on the IR, then on machine code, then on encoded code.
pub(crate) fn names<F: Family>() -> Vec<&'static str> {
    let mut all = vec!["inline"];
    for p in (0..=3).flat_map(gpucc_opt::passes::passes) {
        if !all.contains(&p.name) {
            all.push(p.name);
        }
    }
    for p in F::IR_PASSES {
        if !all.contains(&p.pass.name) {
            all.push(p.pass.name);
        }
    }
    all.push("isel");
    all.extend(machine_names::<F>());
    all.push(ENCODE);
    all.extend(F::TAIL.iter().map(|p| p.name));
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
