//! Constants that naga has no literals for: infinite and NaN floats, of which it takes the bits, and integers of 8 and 16 bits.
//!
//! A function that uses such a constant, or a composite with one in it, makes it at its start by a cast of its bits. A variable that
//! begins with one is written at the start of the function that it belongs to, or of each entry point.

use super::binary::{Binary, Inst};
use super::narrow;
use super::types::{RewriteCx, Type, id};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites the module if it has such constants.
pub fn rewrite(cx: &mut RewriteCx, module: &mut Binary) {
    let mut found: FxHashMap<u32, Inst> = FxHashMap::default();
    for inst in &module.head {
        let (Some(result), Some(ty)) = (inst.inst.result_id, inst.inst.result_type) else { continue };
        let is = match inst.op() {
            Op::Constant => special(cx.ty(ty), cx.bits(result)),
            Op::ConstantComposite => inst.ids(0).iter().any(|p| found.contains_key(p)),
            _ => false,
        };
        if is {
            found.insert(result, inst.clone());
        }
    }
    if found.is_empty() {
        return;
    }
    module.head.retain(|i| i.inst.result_id.is_none_or(|r| !found.contains_key(&r)));
    // Names of what is gone.
    module.head.retain(|i| i.op() != Op::Name || i.id(0).is_none_or(|r| !found.contains_key(&r)));
    let mut begun: Vec<(u32, u32)> = Vec::new();
    for inst in module.head.iter_mut().filter(|i| i.op() == Op::Variable) {
        begun.extend(taken(inst, &found));
    }
    let entries: FxHashSet<u32> =
        module.head.iter().filter(|i| i.op() == Op::EntryPoint).filter_map(|i| i.id(1)).collect();
    let body = std::mem::take(&mut module.body);
    let mut function = Vec::new();
    for inst in body {
        let ends = inst.op() == Op::FunctionEnd;
        function.push(inst);
        if ends {
            let is_entry = function[0].inst.result_id.is_some_and(|f| entries.contains(&f));
            let stores = if is_entry { begun.clone() } else { Vec::new() };
            module.body.append(&mut of_function(cx, &found, std::mem::take(&mut function), stores));
        }
    }
    module.body.append(&mut function);
}

fn special(ty: &Type, bits: Option<u64>) -> bool {
    match (ty, bits) {
        (Type::Float(32), Some(x)) => !f32::from_bits(x as u32).is_finite(),
        (Type::Float(64), Some(x)) => !f64::from_bits(x).is_finite(),
        (Type::Int(width, _), Some(_)) => *width < 32,
        _ => false,
    }
}

/// Takes such an initial value from a variable: both ids.
fn taken(inst: &mut Inst, found: &FxHashMap<u32, Inst>) -> Option<(u32, u32)> {
    let value = inst.id(1).filter(|v| found.contains_key(v))?;
    inst.inst.operands.truncate(1);
    Some((inst.inst.result_id?, value))
}

fn of_function(
    cx: &mut RewriteCx,
    found: &FxHashMap<u32, Inst>,
    mut body: Vec<Inst>,
    mut stores: Vec<(u32, u32)>,
) -> Vec<Inst> {
    for inst in body.iter_mut().filter(|i| i.op() == Op::Variable) {
        stores.extend(taken(inst, found));
    }
    let outer = std::mem::take(&mut cx.out);
    cx.place = 0;
    let mut made: FxHashMap<u32, u32> = FxHashMap::default();
    for inst in &mut body {
        for operand in &mut inst.inst.operands {
            if let Operand::IdRef(used) = operand
                && found.contains_key(used)
            {
                *used = make(cx, found, &mut made, *used);
            }
        }
    }
    for (variable, value) in stores {
        let value = make(cx, found, &mut made, value);
        cx.push(Instruction::new(Op::Store, None, None, vec![id(variable), id(value)]));
    }
    let start = std::mem::replace(&mut cx.out, outer);
    // Behind the variables, which stand first.
    let label = body.iter().position(|i| i.op() == Op::Label).map_or(body.len(), |at| at + 1);
    let after = body[label..].iter().take_while(|i| i.op() == Op::Variable).count();
    body.splice(label + after..label + after, start);
    body
}

/// Makes a constant of its bits, or of its parts.
fn make(cx: &mut RewriteCx, found: &FxHashMap<u32, Inst>, made: &mut FxHashMap<u32, u32>, constant: u32) -> u32 {
    if let Some(&known) = made.get(&constant) {
        return known;
    }
    let Some(inst) = found.get(&constant) else { return constant };
    let ty = inst.inst.result_type.unwrap_or(0);
    let value = if inst.op() == Op::Constant && narrow::is(cx, ty) {
        let bits = cx.bits(constant).unwrap_or(0);
        narrow::constant(cx, ty, bits as u32)
    } else if inst.op() == Op::Constant {
        let width = if matches!(cx.ty(ty), Type::Float(64)) { 64 } else { 32 };
        let uint = cx.type_id(Type::Int(width, false));
        let bits = match (width, cx.bits(constant)) {
            (64, Some(x)) => {
                let bits = cx.fresh();
                cx.global(Op::Constant, Some(uint), bits, vec![Operand::LiteralBit64(x)]);
                bits
            }
            (_, x) => cx.constant(uint, x.unwrap_or(0) as u32),
        };
        cx.emit(Op::Bitcast, ty, vec![id(bits)])
    } else {
        let parts = inst.ids(0).into_iter().map(|p| id(make(cx, found, made, p))).collect();
        cx.emit(Op::CompositeConstruct, ty, parts)
    };
    made.insert(constant, value);
    value
}
