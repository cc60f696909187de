//! Checks WGSL's uniformity rules, which naga does not: barriers, since all invocations of a workgroup come to them
//! together, and derivatives and samples whose level comes from the quad, since all of its lanes give a value.
//!
//! The analysis of the IR decides, on functions whose variables have become values. Memory that may be written is never uniform. It calls some
//! things uniform that WGSL does not (variables that stay in memory, workgroups of one invocation), and never the other way round.

use gpucc_frontend_naga::{DerivativeUniformity, Told};
use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{Diagnostic, Module, Op, Place};
use gpucc_opt::{Caps, Options};

/// A diagnostic for each barrier that some invocations of a workgroup may miss, and for each derivative that some invocations of a
/// quad may miss, where a module's filters do not turn that off.
pub fn check(module: &Module, derivatives: &DerivativeUniformity) -> Vec<Diagnostic> {
    let looked_at = |op: Op| match op {
        Op::Barrier => true,
        Op::Derivative | Op::Sample => !derivatives.is_off(),
        _ => false,
    };
    let has = |f: &gpucc_ir::Function| f.insts_in_order().any(|(_, i)| looked_at(f.insts[i].op));
    if !module.funcs.iter().any(|(_, f)| has(f)) {
        return Vec::new();
    }
    let options = Options { level: 1, stop_after: Some("mem2reg".into()), verify: false, ..Options::default() };
    let mut out: Vec<Diagnostic> = Vec::new();
    for e in &module.entries {
        // A resource that cannot be prepared is told where it is compiled.
        let Ok((mut m, _)) = gpucc_opt::prepare(module, &e.name, &Caps::FULL, &options) else { continue };
        let f = &mut m.funcs[gpucc_ir::Func(0)];
        let insts: Vec<_> = f.insts_in_order().filter(|&(_, i)| looked_at(f.insts[i].op)).collect();
        if insts.is_empty() {
            continue;
        }
        for (_, i) in f.insts_in_order().collect::<Vec<_>>() {
            if f.insts[i].op == Op::Load
                && let Some(mem) = f.insts[i].mem_mut()
                && matches!(mem.place, Place::Local(_))
            {
                mem.flags = mem.flags.with(gpucc_ir::MemFlags::UNIFORM);
            }
        }
        let f = &m.funcs[gpucc_ir::Func(0)];
        let u = Uniformity::by_access(&m, f);
        // Lanes ask for one value: they name one place.
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let asks = d.mem().is_some_and(|mem| {
                mem.flags.has(gpucc_ir::MemFlags::UNIFORM) && m.space(mem.place) == gpucc_ir::Space::Workgroup
            });
            if d.op == Op::Load && asks && d.args.iter().any(|&v| u.is_divergent(v)) {
                let span = m.span(d.loc);
                let message = "the pointer of `workgroupUniformLoad` is not uniform: invocations of the workgroup may name several places";
                let d = Diagnostic::invalid("barrier-uniformity", message);
                let d = d.at(if span.is_known() { span } else { e.span }, "here");
                out.extend(Some(d).filter(|d| !out.contains(d)));
            }
        }
        for (_, i) in insts.into_iter().filter(|&(b, _)| u.divergent_block(b)) {
            let span = m.span(f.insts[i].loc);
            let at = if span.is_known() { span } else { e.span };
            let found = match f.insts[i].op {
                Op::Barrier => Some(barrier().at(at, "barrier")),
                op => derivative(op, derivatives.at(span)).map(|d| d.at(at, "here")),
            };
            out.extend(found.filter(|d| !out.contains(d)));
        }
    }
    out
}

fn barrier() -> Diagnostic {
    Diagnostic::invalid(
        "barrier-uniformity",
        "this barrier is not in uniform control flow: some invocations of the workgroup may not reach it",
    )
}

/// The refusal of a derivative, or of a sample that takes one.
fn derivative(op: Op, told: Told) -> Option<Diagnostic> {
    let what = if op == Op::Derivative { "this derivative" } else { "this sample with the quad's level of detail" };
    let message = format!("{what} is not in uniform control flow: some invocations of the quad may not reach it");
    let d = Diagnostic::invalid("derivative-uniformity", message)
        .note("`diagnostic(off, derivative_uniformity)` allows it; what such a quad gets is not defined");
    match told {
        Told::Off => None,
        Told::Warning => Some(d.warning()),
        Told::Error => Some(d),
    }
}
