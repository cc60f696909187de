//! Gives a fragment entry point the clip distances that it reads, as values between the stages: each has a location that neither stage
//! names.
//!
//! ```text
//! vertex:   out clip_distance 0 = d          ==>  out clip_distance 0 = d, out location 3 = d
//! fragment: in clip_distance 0 perspective   ==>  in location 3 perspective
//! ```
//!
//! Works on both stages of a pipeline as the source has them, before anything is lowered. A distance that the vertex entry point does not
//! give has no value: it is 0. Keeps the CFG.

use gpucc_ir::{Builder, IoAt, IoSlot, Module, Op, Stage, Value};
use gpucc_pipeline::Pipeline;

use crate::context::{PipelineContext, free_locations};

/// Whether an entry point reads clip distances.
pub fn reads_distances(module: &Module, entry: &str) -> bool {
    let io = module.entry_at(entry, Stage::Fragment).and_then(|e| e.interface());
    io.is_some_and(|io| io.inputs.iter().any(|s| matches!(s.at, IoAt::ClipDistance(_))))
}

/// Changes a vertex and a fragment entry point, by their names; gives how many distances are shared. With no room for all of them nothing is changed.
pub fn share_distances(vertex: (&mut Module, &str), fragment: (&mut Module, &str)) -> u64 {
    let at = |m: &Module, name: &str, stage| m.entries.iter().position(|e| e.name == name && e.stage.kind() == stage);
    let (Some(v), Some(f)) = (at(vertex.0, vertex.1, Stage::Vertex), at(fragment.0, fragment.1, Stage::Fragment))
    else {
        return 0;
    };
    let (v, f) = (&mut vertex.0.entries[v], &mut fragment.0.entries[f]);
    let context = PipelineContext { other: Some(f.stage.clone()), ..PipelineContext::new(Pipeline::default()) };
    let free = free_locations(&v.stage, &context);
    let (Some(given), Some(read)) = (v.interface_mut(), f.interface_mut()) else { return 0 };
    let mut slots: Vec<&mut IoSlot> =
        read.inputs.iter_mut().filter(|s| matches!(s.at, IoAt::ClipDistance(_))).collect();
    if slots.len() > free.len() {
        return 0;
    }
    let mut shared: Vec<(IoAt, IoSlot)> = Vec::new();
    for (slot, location) in slots.iter_mut().zip(free) {
        let distance = slot.at;
        slot.at = IoAt::location(location);
        let twin = IoSlot { interp: slot.interp, ..IoSlot::new(slot.at, slot.ty) };
        shared.push((distance, twin));
    }
    let places: Vec<Option<usize>> =
        shared.iter().map(|(distance, _)| given.outputs.iter().position(|o| o.at == *distance)).collect();
    let before = given.outputs.len();
    given.outputs.extend(shared.iter().map(|s| s.1.clone()));
    let func = &mut vertex.0.funcs[v.func];
    let rets: Vec<_> = func.insts_in_order().filter(|(_, i)| func.insts[*i].op == Op::Ret).collect();
    for (block, i) in rets {
        let mut args = func.insts[i].args.clone();
        if args.len() != before {
            continue;
        }
        func.blocks[block].insts.pop();
        let b = Builder::like(func, block, i);
        for (place, (_, slot)) in places.iter().zip(&shared) {
            let value: Value = place.map_or_else(|| b.func.zero(slot.ty), |k| args[k]);
            args.push(value);
        }
        func.insts[i].args = args;
        func.blocks[block].insts.push(i);
    }
    func.ret.extend(shared.iter().map(|s| s.1.ty));
    shared.len() as u64
}
