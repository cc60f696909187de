//! Memory and composites: what naga's reader does not take of loads and stores, copies between structs that differ in
//! their layout, and the forms of `modf` and `frexp` that store one of their results.

use super::binary::{Binary, Inst};
use super::types::{Constant, RewriteCx, Type, id, malformed, missing, unsupported};
use crate::guard::limits;
use crate::report;
use gpucc_ir::{Diagnostic, Refusal};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Gl, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts of one value that is copied part by part.
const PARTS: u32 = 1 << 12;

/// Rewrites an instruction; whether it did.
///
/// # Errors
/// Pointers as values, and what is too large.
pub fn rewrite(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let pointer = |ty: Option<u32>| ty.is_some_and(|t| matches!(cx.ty(t), Type::Pointer(..)));
    let (ty, result) = (inst.inst.result_type, inst.inst.result_id);
    match inst.op() {
        Op::Phi | Op::Select | Op::Undef if pointer(ty) => {
            return Err(unsupported(&format!("Op{} of pointers", inst.class_name())));
        }
        Op::Load if pointer(ty) => return Err(unsupported("OpLoad of pointers")),
        Op::AccessChain | Op::InBoundsAccessChain => {
            if in_vector(cx, inst) {
                cx.in_vectors.extend(result);
            }
            return Ok(false);
        }
        Op::CopyObject if inst.id(0).is_some_and(|of| cx.in_vectors.contains(&of)) => {
            cx.in_vectors.extend(result);
            return Ok(false);
        }
        _ if inst.class_name().starts_with("Atomic") && inst.id(0).is_some_and(|of| cx.in_vectors.contains(&of)) => {
            let name = format!("Op{} of a component of a vector", inst.class_name());
            return Err(missing(Refusal::AtomicTypes, &name));
        }
        // Whether an access is volatile, aligned or non-temporal changes no result here.
        Op::Load if inst.inst.operands.len() > 1 => {
            cx.push(Instruction::new(Op::Load, ty, result, inst.inst.operands[..1].to_vec()));
        }
        Op::Store | Op::CopyMemory if inst.inst.operands.len() > 2 => {
            cx.push(Instruction::new(inst.op(), None, None, inst.inst.operands[..2].to_vec()));
        }
        Op::CopyLogical => {
            let (Some(ty), Some(result), Some(value)) = (ty, result, inst.id(0)) else {
                return Err(malformed("`OpCopyLogical` without an operand"));
            };
            copy(cx, (ty, Some(result)), value)?;
        }
        Op::Select => {
            let (Some(ty), Some(result), &[which, yes, no]) = (ty, result, inst.ids(0).as_slice()) else {
                return Err(malformed("`OpSelect` without operands"));
            };
            if cx.lanes(ty).is_some() {
                return Ok(false);
            }
            select(cx, (ty, Some(result)), which, yes, no)?;
        }
        Op::CompositeConstruct if inst.inst.operands.is_empty() => {
            return Err(unsupported("OpTypeStruct without members"));
        }
        Op::ExtInst => return split(cx, inst),
        Op::TerminateInvocation => cx.push(Instruction::new(Op::Kill, None, None, vec![])),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether a chain leads to a component of a vector.
fn in_vector(cx: &RewriteCx, inst: &Inst) -> bool {
    let Some((_, mut ty)) = inst.id(0).and_then(|base| cx.pointee(base)) else { return false };
    for index in inst.ids(1) {
        if matches!(cx.ty(ty), Type::Vector(..)) {
            return true;
        }
        let Some(part) = cx.part(ty, cx.bits(index).unwrap_or(0) as u32) else { return false };
        ty = part;
    }
    false
}

/// Declares undefined values outside of functions: naga's reader says twice where one begins inside.
pub fn undefined(module: &mut Binary) {
    let pointer = |i: &Inst| i.op() == Op::TypePointer;
    let pointers: FxHashSet<u32> = module.head.iter().filter(|i| pointer(i)).filter_map(|i| i.inst.result_id).collect();
    let undefined = |i: &Inst| i.op() == Op::Undef && i.inst.result_type.is_some_and(|t| !pointers.contains(&t));
    if module.body.iter().any(undefined) {
        let (moved, left) = std::mem::take(&mut module.body).into_iter().partition(undefined);
        module.body = left;
        module.head.extend::<Vec<_>>(moved);
    }
}

/// Stores to outputs what they begin with, which naga's reader drops.
pub fn initial_outputs(module: &mut Binary) {
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    for inst in module.head.iter_mut().filter(|i| i.op() == Op::Variable) {
        let output = matches!(inst.inst.operands.first(), Some(Operand::StorageClass(StorageClass::Output)));
        if let (true, Some(result), Some(value)) = (output, inst.inst.result_id, inst.id(1)) {
            inst.inst.operands.truncate(1);
            values.insert(result, value);
        }
    }
    if values.is_empty() {
        return;
    }
    let entries = module.head.iter().filter(|i| i.op() == Op::EntryPoint);
    let stores = |i: &Inst| {
        let given = i.ids(3).into_iter().filter_map(|v| Some((v, *values.get(&v)?)));
        Some((i.id(1)?, given.collect::<Vec<_>>()))
    };
    let stores: FxHashMap<u32, Vec<(u32, u32)>> = entries.filter_map(stores).collect();
    let mut open: Option<&Vec<(u32, u32)>> = None;
    let mut out = Vec::with_capacity(module.body.len());
    for inst in std::mem::take(&mut module.body) {
        if inst.op() == Op::Function {
            open = inst.inst.result_id.and_then(|f| stores.get(&f));
        } else if !matches!(inst.op(), Op::FunctionParameter | Op::Label | Op::Variable) {
            for &(variable, value) in open.take().into_iter().flatten() {
                let store = Instruction::new(Op::Store, None, None, vec![id(variable), id(value)]);
                out.push(Inst { inst: store, place: 0 });
            }
        }
        out.push(inst);
    }
    module.body = out;
}

/// Takes zero from the workgroup variables that begin with it, which naga does not take; says of each whether it did.
pub fn workgroup(cx: &RewriteCx, head: &mut [Inst]) -> Vec<bool> {
    let mut list = Vec::new();
    for inst in head.iter_mut().filter(|i| i.op() == Op::Variable) {
        let workgroup = matches!(inst.inst.operands.first(), Some(Operand::StorageClass(StorageClass::Workgroup)));
        if workgroup {
            let begins = inst.id(1).is_some_and(|i| zero(cx, i));
            if begins {
                inst.inst.operands.truncate(1);
            }
            list.push(begins);
        }
    }
    list
}

/// Whether a constant is zero in all its parts.
fn zero(cx: &RewriteCx, constant: u32) -> bool {
    match cx.constants.get(&constant).map(|c| &c.1) {
        Some(Constant::Null | Constant::Scalar(0)) => true,
        Some(Constant::Composite(parts)) => parts.iter().all(|&p| zero(cx, p)),
        _ => false,
    }
}

/// The types of the parts of a composite.
fn parts(cx: &RewriteCx, ty: u32) -> Result<Vec<u32>, Diagnostic> {
    let n = cx.length(ty).ok_or_else(|| malformed("a composite of unknown length"))?;
    if cx.out.len() as u64 > limits::INSTRUCTIONS.max {
        return Err(report::limit(&limits::INSTRUCTIONS));
    }
    if n > PARTS {
        return Err(unsupported(&format!("OpCopyLogical of more than {PARTS} elements")));
    }
    (0..n).map(|i| cx.part(ty, i).ok_or_else(|| malformed("a composite without parts"))).collect()
}

/// `value` as a type that has the same parts under another id.
fn copy(cx: &mut RewriteCx, (ty, result): (u32, Option<u32>), value: u32) -> Result<u32, Diagnostic> {
    let from = cx.type_of(value).ok_or_else(|| malformed(format!("%{value} has no type")))?;
    if from == ty || cx.lanes(ty).is_some() || matches!(cx.ty(ty), Type::Matrix(..)) {
        return Ok(match result {
            Some(result) => {
                cx.emit_as(Op::CopyObject, ty, result, vec![id(value)]);
                result
            }
            None => value,
        });
    }
    let mut list = Vec::new();
    for (n, (of, to)) in parts(cx, from)?.into_iter().zip(parts(cx, ty)?).enumerate() {
        let part = super::matrix::extract(cx, value, of, &[n as u32])?;
        list.push(copy(cx, (to, None), part)?);
    }
    if list.is_empty() {
        return Err(unsupported("OpTypeStruct without members"));
    }
    let result = result.unwrap_or_else(|| cx.fresh());
    super::matrix::construct(cx, ty, result, &list)?;
    Ok(result)
}

/// A choice between composites, part by part.
fn select(
    cx: &mut RewriteCx,
    (ty, result): (u32, Option<u32>),
    which: u32,
    yes: u32,
    no: u32,
) -> Result<u32, Diagnostic> {
    let result = result.unwrap_or_else(|| cx.fresh());
    if let Some((_, n)) = cx.lanes(ty) {
        // Lanes want a condition each.
        let scalar = cx.type_id(Type::Bool);
        let bools = cx.lanes_of(scalar, n);
        let which = if n == 1 { which } else { cx.construct(bools, &vec![which; n as usize]) };
        cx.emit_as(Op::Select, ty, result, vec![id(which), id(yes), id(no)]);
        return Ok(result);
    }
    let mut list = Vec::new();
    for (n, part) in parts(cx, ty)?.into_iter().enumerate() {
        let y = super::matrix::extract(cx, yes, part, &[n as u32])?;
        let z = super::matrix::extract(cx, no, part, &[n as u32])?;
        list.push(select(cx, (part, None), which, y, z)?);
    }
    if list.is_empty() {
        return Err(unsupported("OpTypeStruct without members"));
    }
    super::matrix::construct(cx, ty, result, &list)?;
    Ok(result)
}

/// `Modf` and `Frexp` with a pointer, and of halves: naga has exponents of 16 bits there. Floats hold each half, and their parts are halves.
fn split(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let is = |op: Gl| inst.literal(1) == Some(op as u32);
    let with = match () {
        () if is(Gl::Modf) || is(Gl::ModfStruct) => Gl::ModfStruct,
        () if is(Gl::Frexp) || is(Gl::FrexpStruct) => Gl::FrexpStruct,
        () => return Ok(false),
    };
    let found = (inst.inst.result_type, inst.inst.result_id, inst.id(0), inst.id(2));
    let (Some(ty), Some(result), Some(set), Some(x)) = found else {
        return Err(malformed("`Modf` or `Frexp` without operands"));
    };
    let pointer = if is(with) { None } else { Some(inst.id(3).unwrap_or(0)) };
    let types = match pointer {
        Some(pointer) => (Some(ty), cx.pointee(pointer).map(|p| p.1)),
        None => (cx.part(ty, 0), cx.part(ty, 1)),
    };
    let (Some(own), Some(other)) = types else {
        return Err(malformed("`Modf` or `Frexp` with other types than they have"));
    };
    let Some((scalar, n)) = cx.lanes(own) else { return Err(malformed("`Modf` or `Frexp` of no float")) };
    let half = *cx.ty(scalar) == Type::Float(16);
    if pointer.is_none() && !half {
        return Ok(false);
    }
    let (mut value, mut float, mut second) = (x, own, other);
    if half {
        let f32 = cx.type_id(Type::Float(32));
        float = cx.lanes_of(f32, n);
        second = if with == Gl::ModfStruct { float } else { other };
        value = cx.emit(Op::FConvert, float, vec![id(x)]);
    }
    let both = cx.fresh();
    cx.global(Op::TypeStruct, None, both, vec![id(float), id(second)]);
    let operands = vec![id(set), Operand::LiteralExtInstInteger(with as u32), id(value)];
    let pair = cx.emit(Op::ExtInst, both, operands);
    let mut parts = [cx.extract(pair, float, &[0]), cx.extract(pair, second, &[1])];
    for (part, (has, wants)) in parts.iter_mut().zip([(float, own), (second, other)]) {
        if has != wants {
            *part = cx.emit(Op::FConvert, wants, vec![id(*part)]);
        }
    }
    match pointer {
        Some(pointer) => {
            cx.emit_as(Op::CopyObject, ty, result, vec![id(parts[0])]);
            cx.push(Instruction::new(Op::Store, None, None, vec![id(pointer), id(parts[1])]));
        }
        None => cx.emit_as(Op::CompositeConstruct, ty, result, vec![id(parts[0]), id(parts[1])]),
    }
    Ok(true)
}
