//! What nobody writes while a function runs, and what therefore is a value.

use gpucc_ir::{Attr, EntitySet, Function, Inst, Module, Op, OpAttrs, Place, Res, Touched};

/// Buffers and images that nobody writes while the shader runs: those that the function itself never writes, since what is
/// written through one binding may not be bound to another.
pub(crate) fn readonly(m: &Module, f: &Function) -> EntitySet<Res> {
    if m.resources.is_empty() {
        return EntitySet::new();
    }
    let mut written: EntitySet<Res> = EntitySet::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if d.op.has(OpAttrs::writes) {
            match d.touches() {
                Some(Touched::Place(p)) => m.buffers_at(p).for_each(|r| _ = written.insert(r)),
                Some(Touched::Image(r)) => _ = written.insert(r),
                _ => {}
            }
        }
    }
    m.resources.keys().filter(|&r| !written.contains(r)).collect()
}

/// Whether an instruction may be treated as a pure function of its operands.
pub(crate) fn is_value(f: &Function, i: Inst, readonly: &EntitySet<Res>) -> bool {
    let d = &f.insts[i];
    if d.results.len() != 1 {
        return false;
    }
    match (&d.attr, d.op) {
        (Attr::Mem(m), Op::Load) => m.flags.is_alone() && matches!(m.place, Place::Buffer(r) if readonly.contains(r)),
        (Attr::Tex(t), Op::ImageLoad) => readonly.contains(t.texture),
        _ => d.op.is_pure(),
    }
}
