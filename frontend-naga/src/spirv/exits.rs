//! Exits of a loop from a switch inside of it: naga has no word for them.
//!
//! Such an exit sets a flag and leaves the switch alone; behind the switch the flag is asked, and leads out of the loop. What
//! the merge block of the loop takes from there by phis goes through variables. Of nested switches one is left after the other.

use super::binary::Inst;
use super::types::{RewriteCx, Type, id, unsupported};
use gpucc_ir::Diagnostic;
use indexmap::{IndexMap, IndexSet};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, SelectionControl, StorageClass};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Most switches inside of each other that are left at once.
const DEEPEST: usize = 32;

/// A construct around a block.
#[derive(Clone, Copy)]
struct Around {
    merge: u32,
    /// The continue block, of a loop.
    cont: Option<u32>,
    /// Where the instruction is, of a switch.
    switch: Option<usize>,
}

/// An exit: where its branch is, and in which block.
struct Exit {
    at: usize,
    block: u32,
    /// The merge block of the loop.
    to: u32,
    /// The innermost switch that is left, and its merge block.
    switch: (usize, u32),
}

/// Rewrites a function until no loop is left from a switch.
///
/// # Errors
/// What is nested too deeply or not as SPIR-V nests it.
pub fn rewrite(cx: &mut RewriteCx, mut body: Vec<Inst>) -> Result<Vec<Inst>, Diagnostic> {
    for _ in 0..=DEEPEST {
        let found = find(&body)?;
        if found.is_empty() {
            return Ok(body);
        }
        body = blocks_of_their_own(cx, body, &found);
        let found = find(&body)?;
        body = by_flags(cx, body, &found)?;
    }
    Err(refused())
}

fn refused() -> Diagnostic {
    unsupported("OpBranch out of a loop from an OpSwitch inside of it")
}

fn find(body: &[Inst]) -> Result<Vec<Exit>, Diagnostic> {
    let mut found = Vec::new();
    let mut around: Vec<Around> = Vec::new();
    let mut block = 0;
    for (at, inst) in body.iter().enumerate() {
        match inst.op() {
            Op::Label => {
                block = inst.inst.result_id.unwrap_or(0);
                if let Some(end) = around.iter().position(|c| c.merge == block) {
                    around.truncate(end);
                }
            }
            Op::LoopMerge => around.push(Around { merge: inst.id(0).unwrap_or(0), cont: inst.id(1), switch: None }),
            Op::SelectionMerge => {
                let switch = body.get(at + 1).is_some_and(|i| i.op() == Op::Switch);
                let merge = inst.id(0).unwrap_or(0);
                around.push(Around { merge, cont: None, switch: switch.then_some(at + 1) });
            }
            Op::Branch | Op::BranchConditional | Op::Switch => {
                for to in inst.ids(0) {
                    let Some(target) = around.iter().rposition(|c| c.merge == to) else { continue };
                    let inner = &around[target + 1..];
                    let Some(left) = inner.iter().rposition(|c| c.switch.is_some()) else { continue };
                    let (Some(switch), Some(cont)) = (inner[left].switch, around[target].cont) else { continue };
                    // Only the innermost loop can be left, and no block of it may serve two constructs.
                    if inner.iter().any(|c| c.cont.is_some()) || inner[left].merge == cont {
                        return Err(refused());
                    }
                    found.push(Exit { at, block, to, switch: (switch, inner[left].merge) });
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Changes the parents of phis: by block of the phi and parent, the new one.
fn move_parents(body: &mut [Inst], moved: &FxHashMap<(u32, u32), u32>) {
    let mut block = 0;
    for inst in body {
        match inst.op() {
            Op::Label => block = inst.inst.result_id.unwrap_or(0),
            Op::Phi => {
                for parent in inst.inst.operands.iter_mut().skip(1).step_by(2).filter_map(Operand::id_ref_any_mut) {
                    *parent = moved.get(&(block, *parent)).copied().unwrap_or(*parent);
                }
            }
            _ => {}
        }
    }
}

/// Gives the exits that are one of several ways on a block of their own.
fn blocks_of_their_own(cx: &mut RewriteCx, body: Vec<Inst>, found: &[Exit]) -> Vec<Inst> {
    let mut ways: IndexMap<usize, IndexSet<u32, FxBuildHasher>, FxBuildHasher> = IndexMap::default();
    let mut moved: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for exit in found.iter().filter(|e| body[e.at].op() != Op::Branch) {
        ways.entry(exit.at).or_default().insert(exit.to);
        moved.entry((exit.to, exit.block)).or_insert_with(|| cx.fresh());
    }
    let mut out = Vec::with_capacity(body.len());
    let mut block = 0;
    for (at, mut inst) in body.into_iter().enumerate() {
        if inst.op() == Op::Label {
            block = inst.inst.result_id.unwrap_or(0);
        }
        let Some(to) = ways.get(&at) else {
            out.push(inst);
            continue;
        };
        let place = inst.place;
        for label in inst.inst.operands.iter_mut().filter_map(Operand::id_ref_any_mut) {
            if to.contains(label) {
                *label = moved[&(*label, block)];
            }
        }
        out.push(inst);
        for &to in to {
            let put = |op, result, operands| Inst { inst: Instruction::new(op, None, result, operands), place };
            out.push(put(Op::Label, Some(moved[&(to, block)]), vec![]));
            out.push(put(Op::Branch, None, vec![id(to)]));
        }
    }
    move_parents(&mut out, &moved);
    out
}

/// What becomes of one switch.
struct Left {
    flag: u32,
    merge: u32,
    /// The merge block of the loop.
    to: u32,
    /// The block that leaves the loop, and the one that goes on behind the switch.
    exit: u32,
    rest: u32,
    /// Blocks of exits.
    from: Vec<u32>,
    /// A phi of the loop's merge block, the variable for it, its type, and what it is in the end.
    values: Vec<(u32, u32, u32, u32)>,
}

/// Variables and blocks for each switch that is left, in the order of the switches.
fn plan(cx: &mut RewriteCx, body: &[Inst], found: &[Exit]) -> Result<IndexMap<usize, Left, FxBuildHasher>, Diagnostic> {
    let mut plan: IndexMap<usize, Left, FxBuildHasher> = IndexMap::default();
    let mut phis: FxHashMap<u32, Vec<&Inst>> = FxHashMap::default();
    let mut loops: IndexSet<u32, FxBuildHasher> = IndexSet::default();
    let mut block = 0;
    for inst in body {
        match inst.op() {
            Op::Label => block = inst.inst.result_id.unwrap_or(0),
            Op::Phi => phis.entry(block).or_default().push(inst),
            Op::LoopMerge => {
                loops.insert(block);
            }
            _ => {}
        }
    }
    for exit in found {
        let (at, merge) = exit.switch;
        if !plan.contains_key(&at) {
            // A block that begins a loop has phis for it: what stands there cannot be moved behind a question.
            if loops.contains(&merge) {
                return Err(refused());
            }
            let mut values = Vec::new();
            for phi in phis.get(&exit.to).into_iter().flatten() {
                let (Some(result), Some(ty)) = (phi.inst.result_id, phi.inst.result_type) else { continue };
                if matches!(cx.ty(ty), Type::Pointer(..)) {
                    return Err(refused());
                }
                values.push((result, cx.fresh(), ty, cx.fresh()));
            }
            let (flag, leave, rest) = (cx.fresh(), cx.fresh(), cx.fresh());
            plan.insert(at, Left { flag, merge, to: exit.to, exit: leave, rest, from: Vec::new(), values });
        }
        plan[&at].from.push(exit.block);
    }
    Ok(plan)
}

fn by_flags(cx: &mut RewriteCx, body: Vec<Inst>, found: &[Exit]) -> Result<Vec<Inst>, Diagnostic> {
    let plan = plan(cx, &body, found)?;
    let branches: FxHashMap<usize, usize> = found.iter().map(|e| (e.at, e.switch.0)).collect();
    let boolean = cx.type_id(Type::Bool);
    let (yes, no) = (cx.constant(boolean, 1), cx.constant(boolean, 0));
    let merges: FxHashMap<u32, usize> = plan.iter().map(|(at, l)| (l.merge, *at)).collect();
    let mut loops: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (at, left) in &plan {
        loops.entry(left.to).or_default().push(*at);
    }
    let mut given: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for phi in body.iter().filter(|i| i.op() == Op::Phi) {
        for pair in phi.inst.operands.chunks_exact(2) {
            if let (Some(result), Some(value), Some(from)) =
                (phi.inst.result_id, pair[0].id_ref_any(), pair[1].id_ref_any())
            {
                given.insert((result, from), value);
            }
        }
    }
    let old = std::mem::take(&mut cx.out);
    let (mut block, mut first) = (0, true);
    // The switch whose merge block has begun, and whose question still has to be asked.
    let mut asks: Option<usize> = None;
    for (at, mut inst) in body.into_iter().enumerate() {
        cx.place = inst.place;
        if asks.is_some() && inst.op() != Op::Phi {
            ask(cx, &plan[&asks.take().unwrap_or_default()], boolean);
        }
        if let Some(left) = plan.get(&(at + 1)) {
            cx.push(Instruction::new(Op::Store, None, None, vec![id(left.flag), id(no)]));
        }
        if let Some(left) = branches.get(&at).map(|s| &plan[s]) {
            for &(phi, variable, _, _) in &left.values {
                let value = given.get(&(phi, block)).copied().ok_or_else(refused)?;
                cx.push(Instruction::new(Op::Store, None, None, vec![id(variable), id(value)]));
            }
            cx.push(Instruction::new(Op::Store, None, None, vec![id(left.flag), id(yes)]));
            inst.inst.operands[0] = id(left.merge);
        }
        match inst.op() {
            Op::Label => {
                block = inst.inst.result_id.unwrap_or(0);
                asks = merges.get(&block).copied();
            }
            Op::Phi => {
                let left = merges.get(&block).map(|s| &plan[s]);
                let to = loops.get(&block).into_iter().flatten().map(|s| &plan[s]);
                phi(cx, &mut inst, left, to);
            }
            _ => {}
        }
        let label = inst.op() == Op::Label;
        cx.out.push(inst);
        if label && std::mem::take(&mut first) {
            declare(cx, &plan, boolean);
        }
    }
    let mut out = std::mem::replace(&mut cx.out, old);
    // What followed the merge blocks follows the blocks behind the questions now.
    let rest: FxHashMap<u32, u32> = plan.values().map(|l| (l.merge, l.rest)).collect();
    for inst in out.iter_mut().filter(|i| i.op() == Op::Phi) {
        for parent in inst.inst.operands.iter_mut().skip(1).step_by(2).filter_map(Operand::id_ref_any_mut) {
            *parent = rest.get(parent).copied().unwrap_or(*parent);
        }
    }
    Ok(out)
}

/// The flags and the variables for phis, in the first block.
fn declare(cx: &mut RewriteCx, plan: &IndexMap<usize, Left, FxBuildHasher>, boolean: u32) {
    for left in plan.values() {
        let values = left.values.iter().map(|v| (v.1, v.2));
        for (variable, ty) in values.chain([(left.flag, boolean)]) {
            let pointer = cx.type_id(Type::Pointer(StorageClass::Function, ty));
            cx.emit_as(Op::Variable, pointer, variable, vec![Operand::StorageClass(StorageClass::Function)]);
        }
    }
}

/// Behind the switch: out of the loop, if the flag says so.
fn ask(cx: &mut RewriteCx, left: &Left, boolean: u32) {
    let flag = cx.emit(Op::Load, boolean, vec![id(left.flag)]);
    let none = Operand::SelectionControl(SelectionControl::NONE);
    cx.push(Instruction::new(Op::SelectionMerge, None, None, vec![id(left.rest), none]));
    cx.push(Instruction::new(Op::BranchConditional, None, None, vec![id(flag), id(left.exit), id(left.rest)]));
    cx.push(Instruction::new(Op::Label, None, Some(left.exit), vec![]));
    for &(_, variable, ty, value) in &left.values {
        cx.emit_as(Op::Load, ty, value, vec![id(variable)]);
    }
    cx.push(Instruction::new(Op::Branch, None, None, vec![id(left.to)]));
    cx.push(Instruction::new(Op::Label, None, Some(left.rest), vec![]));
}

/// A phi of a switch's merge block has more parents, with nothing of use; one of a loop's has others.
fn phi<'a>(cx: &mut RewriteCx, inst: &mut Inst, left: Option<&Left>, to: impl Iterator<Item = &'a Left>) {
    if let (Some(left), Some(ty)) = (left, inst.inst.result_type) {
        for &from in &left.from {
            let nothing = cx.fresh();
            cx.global(Op::ConstantNull, Some(ty), nothing, vec![]);
            inst.inst.operands.extend([id(nothing), id(from)]);
        }
    }
    for left in to {
        let Some(value) = left.values.iter().find(|v| Some(v.0) == inst.inst.result_id) else { continue };
        let pairs = inst.inst.operands.chunks_exact(2);
        let others = pairs.filter(|pair| pair[1].id_ref_any().is_none_or(|from| !left.from.contains(&from)));
        let mut operands: Vec<Operand> = others.flatten().cloned().collect();
        operands.extend([id(value.3), id(left.exit)]);
        inst.inst.operands = operands;
    }
}
