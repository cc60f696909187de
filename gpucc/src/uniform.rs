//! Barriers in WGSL must be in uniform control flow: all invocations of a workgroup come to them together. naga does not check it.
//!
//! The analysis of the IR decides, on functions whose variables have become values. It calls some things uniform that WGSL does
//! not (variables that stay in memory, workgroups of one invocation), and never the other way round.

use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{Diagnostic, Module, Op, Place};
use gpucc_opt::{Caps, Options};

/// An error for each barrier that some invocations of a workgroup may miss.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let barrier = |f: &gpucc_ir::Function| f.insts_in_order().any(|(_, i)| f.insts[i].op == Op::Barrier);
    if !module.funcs.iter().any(|(_, f)| barrier(f)) {
        return Vec::new();
    }
    let options = Options { level: 1, stop_after: Some("mem2reg".into()), verify: false, ..Options::default() };
    let mut out: Vec<Diagnostic> = Vec::new();
    for e in &module.entries {
        // What cannot be prepared is told where it is compiled.
        let Ok((mut m, _)) = gpucc_opt::prepare(module, &e.name, &Caps::FULL, &options) else { continue };
        let f = &mut m.funcs[gpucc_ir::Func(0)];
        let insts: Vec<_> = f.insts_in_order().collect();
        for &(_, i) in &insts {
            if f.insts[i].op == Op::Load
                && let Some(mem) = f.insts[i].mem_mut()
                && matches!(mem.place, Place::Local(_))
            {
                mem.flags = mem.flags.with(gpucc_ir::MemFlags::UNIFORM);
            }
        }
        let f = &m.funcs[gpucc_ir::Func(0)];
        let u = Uniformity::new(&m, f);
        for &(b, i) in &insts {
            if f.insts[i].op == Op::Barrier && u.divergent_block(b) {
                let d = Diagnostic::invalid(
                    "barrier-uniformity",
                    "this barrier is not in uniform control flow: some invocations of the workgroup may not reach it",
                );
                let span = m.span(f.insts[i].loc);
                let d = d.at(if span.is_known() { span } else { e.span }, "barrier");
                if !out.contains(&d) {
                    out.push(d);
                }
            }
        }
    }
    out
}
