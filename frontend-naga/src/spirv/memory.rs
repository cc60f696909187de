//! Memory and composites: what naga's reader does not take of loads and stores, copies between structs that differ in
//! their layout, and the forms of `modf` and `frexp` that store one of their results.

use super::binary::Inst;
use super::types::{Constant, RewriteCx, Type, id, malformed, number, unsupported};
use crate::guard::limits;
use crate::report;
use gpucc_ir::Diagnostic;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Gl, Op, StorageClass};

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

/// `Modf` and `Frexp` with a pointer.
fn split(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let with = match inst.literal(1) {
        Some(n) if n == Gl::Modf as u32 => Gl::ModfStruct,
        Some(n) if n == Gl::Frexp as u32 => Gl::FrexpStruct,
        _ => return Ok(false),
    };
    let found = (inst.inst.result_type, inst.inst.result_id, inst.id(0), inst.id(2), inst.id(3));
    let (Some(ty), Some(result), Some(set), Some(x), Some(pointer)) = found else {
        return Err(malformed("`Modf` or `Frexp` without operands"));
    };
    let Some((_, other)) = cx.pointee(pointer) else { return Err(malformed(format!("%{pointer} is not a pointer"))) };
    let both = cx.fresh();
    cx.global(Op::TypeStruct, None, both, vec![id(ty), id(other)]);
    let operands = vec![id(set), Operand::LiteralExtInstInteger(with as u32), id(x)];
    let pair = cx.emit(Op::ExtInst, both, operands);
    cx.emit_as(Op::CompositeExtract, ty, result, vec![id(pair), number(0)]);
    let second = cx.extract(pair, other, &[1]);
    cx.push(Instruction::new(Op::Store, None, None, vec![id(pointer), id(second)]));
    Ok(true)
}
