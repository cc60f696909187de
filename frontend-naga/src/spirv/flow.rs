//! Switches whose cases naga's reader would put together wrongly.
//!
//! - A case that shares the default's block says nothing: it goes.
//! - A default that leads to the merge or continue block of a construct around the switch gets a block of its own.
//! - Where control falls into the default or out of it, the cases are numbered anew with the default among them: naga
//!   keeps the default last.

use super::binary::Inst;
use super::exits;
use super::types::{RewriteCx, Type, id, number, unsupported};
use gpucc_ir::Diagnostic;
use indexmap::IndexSet;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A switch of one function.
struct Switch {
    /// Where the instruction is.
    at: usize,
    merge: u32,
    default: u32,
    cases: Vec<(u32, u32)>,
    /// Merge and continue blocks of the constructs around it.
    outer: FxHashSet<u32>,
}

/// Rewrites the functions.
///
/// # Errors
/// A selector of other than 32 bits, or exits from a loop out of switches inside of it that nest too deeply.
pub fn switches(cx: &mut RewriteCx, body: Vec<Inst>) -> Result<Vec<Inst>, Diagnostic> {
    if body.iter().all(|i| i.op() != Op::Switch) {
        return Ok(body);
    }
    let mut out = Vec::with_capacity(body.len());
    let mut function = Vec::new();
    for inst in body {
        let ends = inst.op() == Op::FunctionEnd;
        function.push(inst);
        if ends {
            out.append(&mut of_function(cx, std::mem::take(&mut function))?);
        }
    }
    out.append(&mut function);
    Ok(out)
}

fn of_function(cx: &mut RewriteCx, body: Vec<Inst>) -> Result<Vec<Inst>, Diagnostic> {
    let body = if body.iter().any(|i| i.op() == Op::Switch) { exits::rewrite(cx, body)? } else { body };
    let mut found = Vec::new();
    let mut around: Vec<(u32, u32)> = Vec::new();
    for (at, inst) in body.iter().enumerate() {
        match inst.op() {
            Op::Label => {
                if let Some(end) = around.iter().position(|c| Some(c.0) == inst.inst.result_id) {
                    around.truncate(end);
                }
            }
            Op::LoopMerge => around.push((inst.id(0).unwrap_or(0), inst.id(1).unwrap_or(0))),
            Op::SelectionMerge => around.push((inst.id(0).unwrap_or(0), 0)),
            Op::Switch => {
                let selector = inst.id(0).and_then(|s| cx.type_of(s));
                if !selector.is_some_and(|t| matches!(cx.ty(t), Type::Int(32, _))) {
                    return Err(unsupported("OpSwitch on other than 32 bits"));
                }
                let merge = at.checked_sub(1).map(|m| &body[m]).filter(|m| m.op() == Op::SelectionMerge);
                let default = inst.id(1).unwrap_or(0);
                let cases = inst.inst.operands[2..].chunks_exact(2).filter_map(|pair| match pair {
                    [Operand::LiteralBit32(value), label] => Some((*value, label.id_ref_any()?)),
                    _ => None,
                });
                let cases = cases.filter(|c| c.1 != default).collect();
                let merge = merge.and_then(|m| m.id(0)).unwrap_or(0);
                let outer = around.iter().filter(|c| c.0 != merge).flat_map(|c| [c.0, c.1]).filter(|&l| l != 0);
                found.push(Switch { at, merge, default, cases, outer: outer.collect() });
            }
            _ => {}
        }
    }
    if found.is_empty() {
        return Ok(body);
    }
    let blocks = blocks(&body);
    let mut new: FxHashMap<usize, Vec<Inst>> = FxHashMap::default();
    // Edges with a block between them now: from, to, the block.
    let mut between = Vec::new();
    for switch in found {
        let (at, default) = (switch.at, switch.default);
        let list = rewritten(cx, &body, &blocks, &switch);
        if let Some(label) = list.iter().find(|i| i.op() == Op::Label) {
            let header = body[..at].iter().rev().find(|i| i.op() == Op::Label);
            between.extend(header.and_then(|h| Some((h.inst.result_id?, default, label.inst.result_id?))));
        }
        new.insert(at, list);
    }
    let mut out = Vec::with_capacity(body.len());
    for (at, inst) in body.into_iter().enumerate() {
        match new.remove(&at) {
            Some(mut list) => {
                // The header of the construct stands before what computes the selector.
                if list[0].op() != Op::Switch && out.last().is_some_and(|i: &Inst| i.op() == Op::SelectionMerge) {
                    let merge = out.pop();
                    let terminator = list.iter().position(|i| i.op() == Op::Switch).unwrap_or(0);
                    let tail = list.split_off(terminator);
                    out.append(&mut list);
                    out.extend(merge);
                    list = tail;
                }
                out.append(&mut list);
            }
            None => out.push(inst),
        }
    }
    if !between.is_empty() {
        let mut block = 0;
        for inst in &mut out {
            match inst.op() {
                Op::Label => block = inst.inst.result_id.unwrap_or(0),
                Op::Phi => {
                    for parent in inst.inst.operands.iter_mut().skip(1).step_by(2).filter_map(Operand::id_ref_any_mut) {
                        let moved = between.iter().find(|e| (e.0, e.1) == (*parent, block));
                        *parent = moved.map_or(*parent, |e| e.2);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(out)
}

/// Where blocks begin and which blocks follow each.
fn blocks(body: &[Inst]) -> FxHashMap<u32, Vec<u32>> {
    let mut followers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut label = 0;
    for inst in body {
        match inst.op() {
            Op::Label => label = inst.inst.result_id.unwrap_or(0),
            Op::Branch => followers.entry(label).or_default().extend(inst.id(0)),
            Op::BranchConditional => followers.entry(label).or_default().extend(inst.ids(1)),
            Op::Switch => followers.entry(label).or_default().extend(inst.ids(1)),
            _ => {}
        }
    }
    followers
}

/// The other targets that control comes to from one of them without leaving the switch.
fn falls(
    blocks: &FxHashMap<u32, Vec<u32>>,
    from: u32,
    merge: u32,
    outer: &FxHashSet<u32>,
    labels: &FxHashSet<u32>,
) -> Vec<u32> {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut open = vec![from];
    let mut found = Vec::new();
    while let Some(block) = open.pop() {
        for &next in blocks.get(&block).into_iter().flatten() {
            if next == merge || outer.contains(&next) || !seen.insert(next) {
                continue;
            }
            if labels.contains(&next) {
                found.push(next);
            } else {
                open.push(next);
            }
        }
    }
    found
}

fn rewritten(cx: &mut RewriteCx, body: &[Inst], blocks: &FxHashMap<u32, Vec<u32>>, s: &Switch) -> Vec<Inst> {
    let inst = &body[s.at];
    let mut out = Vec::new();
    let selector = inst.inst.operands[0].clone();
    let place = inst.place;
    let mut put = |op, ty, result, operands| out.push(Inst { inst: Instruction::new(op, ty, result, operands), place });
    let write = |cases: &[(u32, u32)], selector: Operand, default: u32| {
        let mut operands = vec![selector, id(default)];
        operands.extend(cases.iter().flat_map(|c| [number(c.0), id(c.1)]));
        operands
    };
    // A way out of the switch alone.
    if s.default != s.merge && s.outer.contains(&s.default) {
        let label = cx.fresh();
        put(Op::Switch, None, None, write(&s.cases, selector, label));
        put(Op::Label, None, Some(label), vec![]);
        put(Op::Branch, None, None, vec![id(s.default)]);
        return out;
    }
    let labels: FxHashSet<u32> = s.cases.iter().map(|c| c.1).chain([s.default]).collect();
    let order: IndexSet<u32, FxBuildHasher> = s.cases.iter().map(|c| c.1).collect();
    let falls = |from: u32| falls(blocks, from, s.merge, &s.outer, &labels);
    let out_of_default = if s.default == s.merge { vec![] } else { falls(s.default) };
    let into_default =
        order.iter().position(|&c| c != s.merge && s.default != s.merge && falls(c).contains(&s.default));
    let last = order.len().wrapping_sub(1);
    if out_of_default.is_empty() && into_default.is_none_or(|at| at == last) {
        put(Op::Switch, None, None, write(&s.cases, selector, s.default));
        return out;
    }
    // The default stands before the case that it falls into, or after the one that falls into it.
    let before = order.iter().position(|c| out_of_default.contains(c));
    let at = before.or(into_default.map(|at| at + 1)).unwrap_or(order.len());
    let mut all = order;
    all.shift_insert(at, s.default);
    let of = |label: u32| all.get_index_of(&label).unwrap_or(0) as u32;
    let (uint, bool) = (cx.int(false), cx.type_id(Type::Bool));
    let ty = selector.id_ref_any().and_then(|s| cx.type_of(s)).unwrap_or(uint);
    let mut chosen = cx.constant(uint, of(s.default));
    for &(value, label) in &s.cases {
        let (value, index) = (cx.constant(ty, value), cx.constant(uint, of(label)));
        let (same, next) = (cx.fresh(), cx.fresh());
        cx.set_type(same, bool);
        cx.set_type(next, uint);
        put(Op::IEqual, Some(bool), Some(same), vec![selector.clone(), id(value)]);
        put(Op::Select, Some(uint), Some(next), vec![id(same), id(index), id(chosen)]);
        chosen = next;
    }
    let cases: Vec<(u32, u32)> = all.iter().map(|&l| (of(l), l)).collect();
    // Nothing comes to the default now: it leads to the merge block.
    put(Op::Switch, None, None, write(&cases, id(chosen), s.merge));
    out
}
