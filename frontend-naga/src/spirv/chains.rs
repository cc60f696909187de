//! Pointers are made again where they are used out of the construct that made them.
//!
//! A pointer in naga is an expression that is in scope to the end of its block; what SPIR-V computes in a loop and uses
//! after it is kept in a variable, which no pointer can be.

use super::binary::Inst;
use super::types::{RewriteCx, Type};
use crate::guard::limits;
use crate::report;
use gpucc_ir::Diagnostic;
use rspirv::dr::Operand;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// A construct: its merge block, and the one around it.
struct Construct {
    merge: u32,
    outer: usize,
}

/// Rewrites the functions.
///
/// # Errors
/// More pointers than the limits admit.
pub fn sink(cx: &mut RewriteCx, body: Vec<Inst>) -> Result<Vec<Inst>, Diagnostic> {
    let mut out = Vec::with_capacity(body.len());
    let mut constructs = vec![Construct { merge: 0, outer: 0 }];
    // Each pointer with its construct and where it stands.
    let mut made: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    // In this block, by the first pointer.
    let mut again: FxHashMap<u32, u32> = FxHashMap::default();
    let mut current = 0;
    for (at, inst) in body.iter().enumerate() {
        match inst.op() {
            Op::Function => {
                constructs.truncate(1);
                made.clear();
                current = 0;
            }
            Op::Label => {
                again.clear();
                let label = inst.inst.result_id.unwrap_or(0);
                let mut around = current;
                while around != 0 {
                    let construct = &constructs[around];
                    if construct.merge == label {
                        current = construct.outer;
                        break;
                    }
                    around = construct.outer;
                }
                // What the header of a loop computes is inside of it.
                if let Some(merge) = merge_of(&body[at..], Op::LoopMerge) {
                    constructs.push(Construct { merge, outer: current });
                    current = constructs.len() - 1;
                }
            }
            Op::SelectionMerge => {
                constructs.push(Construct { merge: inst.id(0).unwrap_or(0), outer: current });
                current = constructs.len() - 1;
            }
            _ => {}
        }
        let inside = |place: usize| {
            let mut around = current;
            while around != place && around != 0 {
                around = constructs[around].outer;
            }
            around == place
        };
        let mut inst = inst.clone();
        if inst.op() != Op::Phi {
            for n in 0..inst.inst.operands.len() {
                let Some(pointer) = inst.inst.operands[n].id_ref_any() else { continue };
                if made.get(&pointer).is_some_and(|m| !inside(m.0)) {
                    let copy = copies(cx, &body, (&made, &inside), &mut again, (pointer, inst.place), &mut out);
                    if let Some(operand) = inst.inst.operands[n].id_ref_any_mut() {
                        *operand = copy;
                    }
                }
            }
        }
        let is_pointer = inst.inst.result_type.is_some_and(|t| matches!(cx.ty(t), Type::Pointer(..)));
        if is_pointer && matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject) {
            made.extend(inst.inst.result_id.map(|id| (id, (current, at))));
        }
        out.push(inst);
        if out.len() as u64 > limits::SPIRV_WORDS.max {
            return Err(report::limit(&limits::SPIRV_WORDS));
        }
    }
    Ok(out)
}

/// The merge block of a block's header instruction, if the block has one.
fn merge_of(block: &[Inst], op: Op) -> Option<u32> {
    let end = |i: &&Inst| rspirv::grammar::reflect::is_block_terminator(i.op());
    let last = block.iter().position(|i| end(&i))?;
    block[..last].last().filter(|i| i.op() == op).and_then(|i| i.id(0))
}

/// Makes a pointer and those that it is made of again.
fn copies(
    cx: &mut RewriteCx,
    body: &[Inst],
    (made, inside): (&FxHashMap<u32, (usize, usize)>, &impl Fn(usize) -> bool),
    again: &mut FxHashMap<u32, u32>,
    (pointer, place): (u32, u32),
    out: &mut Vec<Inst>,
) -> u32 {
    // From the last to the first.
    let mut list = Vec::new();
    let mut next = pointer;
    while !again.contains_key(&next) {
        let Some(&(construct, at)) = made.get(&next) else { break };
        if inside(construct) {
            break;
        }
        list.push((next, at));
        next = body[at].id(0).unwrap_or(0);
    }
    for (pointer, at) in list.into_iter().rev() {
        let mut copy = body[at].clone();
        let (result, ty) = (cx.fresh(), copy.inst.result_type.unwrap_or(0));
        cx.set_type(result, ty);
        copy.inst.result_id = Some(result);
        copy.place = place;
        if let Some(Operand::IdRef(base)) = copy.inst.operands.first_mut() {
            *base = again.get(base).copied().unwrap_or(*base);
        }
        out.push(copy);
        again.insert(pointer, result);
    }
    again.get(&pointer).copied().unwrap_or(pointer)
}
