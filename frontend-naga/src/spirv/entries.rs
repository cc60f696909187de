//! Entry points: only what the chosen ones reach is kept, and no two of them share a function.

use super::binary::{Binary, Inst};
use gpucc_ir::Stage;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{ExecutionModel, FunctionControl, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names and stages of the entry points; a stage that gpucc has no word for by a name.
pub fn list(module: &Binary) -> Vec<(String, Result<Stage, &'static str>)> {
    let entries = module.head.iter().filter(|i| i.op() == Op::EntryPoint);
    let entry = |i: &Inst| match i.inst.operands.as_slice() {
        [Operand::ExecutionModel(model), _, Operand::LiteralString(name), ..] => {
            let stage = match model {
                ExecutionModel::GLCompute => Ok(Stage::Compute),
                ExecutionModel::Vertex => Ok(Stage::Vertex),
                ExecutionModel::Fragment => Ok(Stage::Fragment),
                ExecutionModel::Kernel => Err("kernel"),
                ExecutionModel::Geometry => Err("geometry"),
                ExecutionModel::TessellationControl | ExecutionModel::TessellationEvaluation => Err("tessellation"),
                ExecutionModel::TaskNV | ExecutionModel::MeshNV | ExecutionModel::TaskEXT | ExecutionModel::MeshEXT => {
                    Err("mesh")
                }
                _ => Err("ray tracing"),
            };
            Some((name.clone(), stage))
        }
        _ => None,
    };
    entries.filter_map(entry).collect()
}

/// Drops the other entry points if one is chosen, and the functions that none reaches.
pub fn prune(module: &mut Binary, entry: Option<&str>) {
    if let Some(chosen) = entry {
        let dropped = |i: &Inst| match i.inst.operands.get(2) {
            Some(Operand::LiteralString(name)) => i.op() == Op::EntryPoint && name != chosen,
            _ => false,
        };
        module.head.retain(|i| !dropped(i));
        let left: FxHashSet<u32> =
            module.head.iter().filter(|i| i.op() == Op::EntryPoint).filter_map(|i| i.id(1)).collect();
        let mode = |i: &Inst| matches!(i.op(), Op::ExecutionMode | Op::ExecutionModeId);
        module.head.retain(|i| !mode(i) || i.id(0).is_none_or(|f| left.contains(&f)));
    }
    let mut calls: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut current = 0;
    for inst in &module.body {
        match inst.op() {
            Op::Function => current = inst.inst.result_id.unwrap_or(0),
            Op::FunctionCall => calls.entry(current).or_default().extend(inst.id(0)),
            _ => {}
        }
    }
    let mut open: Vec<u32> = module.head.iter().filter(|i| i.op() == Op::EntryPoint).filter_map(|i| i.id(1)).collect();
    // A module without entry points is refused later, whole.
    if open.is_empty() {
        return;
    }
    let mut reached: FxHashSet<u32> = FxHashSet::default();
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(calls.get(&function).into_iter().flatten());
        }
    }
    let mut keep = false;
    module.body.retain(|inst| {
        if inst.op() == Op::Function {
            keep = inst.inst.result_id.is_some_and(|f| reached.contains(&f));
        }
        keep
    });
}

/// Gives an entry point whose function is another's, too, a function that calls it: naga keeps one entry for a function.
pub fn separate(module: &mut Binary) {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut wrapped: Vec<(u32, u32)> = Vec::new();
    let mut bound = module.header.bound;
    for inst in module.head.iter_mut().filter(|i| i.op() == Op::EntryPoint) {
        let Some(function) = inst.id(1) else { continue };
        if !seen.insert(function) {
            wrapped.push((function, bound));
            inst.inst.operands[1] = Operand::IdRef(bound);
            bound += 1;
        }
    }
    if wrapped.is_empty() {
        return;
    }
    let mut modes: FxHashMap<u32, Vec<Inst>> = FxHashMap::default();
    for inst in module.head.iter().filter(|i| i.op() == Op::ExecutionMode) {
        modes.entry(inst.id(0).unwrap_or(0)).or_default().push(inst.clone());
    }
    let mut heads: FxHashMap<u32, (u32, u32, u32)> = FxHashMap::default();
    for inst in module.body.iter().filter(|i| i.op() == Op::Function) {
        let head = (inst.inst.result_id, inst.inst.result_type, inst.id(1));
        if let (Some(function), Some(void), Some(ty)) = head {
            heads.insert(function, (void, ty, inst.place));
        }
    }
    let mut copies = Vec::new();
    for (function, wrapper) in wrapped {
        for mode in modes.get(&function).into_iter().flatten() {
            let mut copy = mode.clone();
            copy.inst.operands[0] = Operand::IdRef(wrapper);
            copies.push(copy);
        }
        let Some(&(void, ty, place)) = heads.get(&function) else { continue };
        let mut push = |op, ty, id, operands| {
            module.body.push(Inst { inst: Instruction::new(op, ty, id, operands), place });
        };
        let none = Operand::FunctionControl(FunctionControl::NONE);
        push(Op::Function, Some(void), Some(wrapper), vec![none, Operand::IdRef(ty)]);
        push(Op::Label, None, Some(bound), vec![]);
        push(Op::FunctionCall, Some(void), Some(bound + 1), vec![Operand::IdRef(function)]);
        push(Op::Return, None, None, vec![]);
        push(Op::FunctionEnd, None, None, vec![]);
        bound += 2;
    }
    let after = module.head.iter().rposition(|i| i.op() == Op::EntryPoint).map_or(0, |at| at + 1);
    module.head.splice(after..after, copies);
    module.header.bound = bound;
}
