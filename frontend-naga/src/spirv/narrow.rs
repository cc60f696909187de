//! Integers of 8 and 16 bits where naga's reader wants 32: indices, selectors of switches, and bits that change the number of lanes.

use super::binary::Inst;
use super::types::{RewriteCx, Type, id, missing, number};
use gpucc_ir::{Diagnostic, Refusal};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Gl, Op};

/// Bits and sign of an integer type of fewer than 32 bits.
fn narrow(cx: &RewriteCx, ty: u32) -> Option<(u32, bool)> {
    match *cx.ty(ty) {
        Type::Int(width, signed) if width < 32 => Some((width, signed)),
        _ => None,
    }
}

/// An instruction whose indices and selectors have 32 bits.
///
/// # Errors
/// An operation that has no meaning for us on so few bits.
pub fn rewrite(cx: &mut RewriteCx, mut inst: Inst) -> Result<Inst, Diagnostic> {
    let op = inst.op();
    if inst.class_name().starts_with("Atomic") && inst.inst.result_type.is_some_and(|t| narrow(cx, t).is_some()) {
        return Err(missing(Refusal::AtomicTypes, &format!("Op{} of fewer than 32 bits", inst.class_name())));
    }
    if matches!(op, Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract | Op::BitReverse | Op::BitCount)
        && inst.id(0).and_then(|v| cx.type_of(v)).and_then(|t| cx.lanes(t)).is_some_and(|l| narrow(cx, l.0).is_some())
    {
        let name = format!("Op{} of fewer than 32 bits", inst.class_name());
        return Err(missing(Refusal::NarrowIntegers, &name));
    }
    match op {
        Op::AccessChain | Op::InBoundsAccessChain => {
            for n in 1..inst.inst.operands.len() {
                index(cx, &mut inst, n);
            }
        }
        Op::ExtInst => return Ok(extension(cx, inst)),
        Op::VectorExtractDynamic => index(cx, &mut inst, 1),
        Op::VectorInsertDynamic => index(cx, &mut inst, 2),
        Op::Switch => {
            // The header of the construct stands directly before the terminator.
            let merge = match cx.out.last() {
                Some(last) if last.op() == Op::SelectionMerge => cx.out.pop(),
                _ => None,
            };
            let width = inst.id(0).and_then(|s| cx.type_of(s)).and_then(|t| narrow(cx, t));
            index(cx, &mut inst, 0);
            cx.out.extend(merge);
            if let Some((width, signed)) = width {
                for operand in &mut inst.inst.operands {
                    if let Operand::LiteralBit32(x) = operand {
                        *x = extended(*x, width, signed);
                    }
                }
            }
        }
        _ => {}
    }
    Ok(inst)
}

/// Functions of integers are those of 32 bits: no result is out of the range of its operands but that of `abs`, which wraps.
fn extension(cx: &mut RewriteCx, mut inst: Inst) -> Inst {
    let shape = inst.inst.result_type.and_then(|t| cx.lanes(t));
    let Some((scalar, n)) = shape.filter(|l| narrow(cx, l.0).is_some()) else { return inst };
    let (Some(function), Some(result)) = (inst.literal(1), inst.inst.result_id) else { return inst };
    let is = |list: &[Gl]| list.iter().any(|&g| g as u32 == function);
    let signed = if is(&[Gl::SAbs, Gl::SSign, Gl::SMin, Gl::SMax, Gl::SClamp]) {
        true
    } else if is(&[Gl::UMin, Gl::UMax, Gl::UClamp]) {
        false
    } else {
        return inst;
    };
    let int = cx.int(signed);
    let wide = cx.lanes_of(int, n);
    for k in 2..inst.inst.operands.len() {
        let Some(value) = inst.id(k) else { continue };
        let value = as_sign(cx, value, signed);
        inst.inst.operands[k] = id(cx.emit(if signed { Op::SConvert } else { Op::UConvert }, wide, vec![id(value)]));
    }
    let value = cx.emit(Op::ExtInst, wide, std::mem::take(&mut inst.inst.operands));
    let (op, own) = match narrow(cx, scalar) {
        Some((_, true)) => (Op::SConvert, inst.inst.result_type),
        _ => (Op::UConvert, inst.inst.result_type),
    };
    inst.inst = Instruction::new(op, own, Some(result), vec![id(value)]);
    inst
}

/// An integer with lanes of this sign.
fn as_sign(cx: &mut RewriteCx, value: u32, signed: bool) -> u32 {
    let Some((scalar, n)) = cx.type_of(value).and_then(|t| cx.lanes(t)) else { return value };
    match *cx.ty(scalar) {
        Type::Int(width, s) if s != signed => {
            let scalar = cx.type_id(Type::Int(width, signed));
            let ty = cx.lanes_of(scalar, n);
            cx.emit(Op::Bitcast, ty, vec![id(value)])
        }
        _ => value,
    }
}

/// The low bits of a word as a number of 32 bits.
fn extended(bits: u32, width: u32, signed: bool) -> u32 {
    let up = 32 - width;
    if signed { ((bits << up) as i32 >> up) as u32 } else { bits << up >> up }
}

/// Makes an operand of 32 bits of a narrower one.
fn index(cx: &mut RewriteCx, inst: &mut Inst, n: usize) {
    let Some(value) = inst.id(n) else { return };
    let Some((width, signed)) = cx.type_of(value).and_then(|t| narrow(cx, t)) else { return };
    let ty = cx.int(signed);
    let wide = match cx.bits(value) {
        Some(bits) => cx.constant(ty, extended(bits as u32, width, signed)),
        None => cx.emit(if signed { Op::SConvert } else { Op::UConvert }, ty, vec![id(value)]),
    };
    if let Some(operand) = inst.inst.operands[n].id_ref_any_mut() {
        *operand = wide;
    }
}

/// A narrow constant from its bits, as naga has no literal of that type.
pub fn constant(cx: &mut RewriteCx, ty: u32, bits: u32) -> u32 {
    let Some((width, signed)) = narrow(cx, ty) else { return 0 };
    let from = cx.int(signed);
    let word = cx.constant(from, extended(bits, width, signed));
    cx.emit(if signed { Op::SConvert } else { Op::UConvert }, ty, vec![id(word)])
}

/// Whether a type is one of integers whose literals naga has none for.
pub fn is(cx: &RewriteCx, ty: u32) -> bool {
    narrow(cx, ty).is_some()
}

/// Writes a cast between types whose lanes have 8, 16 and 32 bits; whether it did.
pub fn cast(cx: &mut RewriteCx, (ty, result): (u32, u32), value: u32) -> bool {
    let Some((to, want)) = cx.lanes(ty) else { return false };
    let Some((from, have)) = cx.type_of(value).and_then(|t| cx.lanes(t)) else { return false };
    let width = |cx: &RewriteCx, t: u32| match *cx.ty(t) {
        Type::Int(w, _) | Type::Float(w) if w <= 32 => Some(w),
        _ => None,
    };
    let (Some(small), Some(large)) = (width(cx, from), width(cx, to)) else { return false };
    if small * have != large * want || small == large {
        return false;
    }
    let uint = cx.int(false);
    // Lanes as words with zeros above.
    let words: Vec<u32> = (0..have)
        .map(|n| {
            let lane = if have == 1 { value } else { cx.extract(value, from, &[n]) };
            let bits = cx.type_id(Type::Int(small, false));
            let lane = if bits == from { lane } else { cx.emit(Op::Bitcast, bits, vec![id(lane)]) };
            if small == 32 { lane } else { cx.emit(Op::UConvert, uint, vec![id(lane)]) }
        })
        .collect();
    let mut lanes = Vec::new();
    for n in 0..want {
        let first = n * large / small;
        let word = if large > small {
            let mut sum = words[first as usize];
            for k in 1..large / small {
                let by = cx.constant(uint, k * small);
                let part = cx.emit(Op::ShiftLeftLogical, uint, vec![id(words[(first + k) as usize]), id(by)]);
                sum = cx.emit(Op::BitwiseOr, uint, vec![id(sum), id(part)]);
            }
            sum
        } else {
            match n * large % small {
                0 => words[first as usize],
                at => {
                    let by = cx.constant(uint, at);
                    cx.emit(Op::ShiftRightLogical, uint, vec![id(words[first as usize]), id(by)])
                }
            }
        };
        let bits = cx.type_id(Type::Int(large, false));
        let lane = if large == 32 { word } else { cx.emit(Op::UConvert, bits, vec![id(word)]) };
        lanes.push(if bits == to { lane } else { cx.emit(Op::Bitcast, to, vec![id(lane)]) });
    }
    match lanes.as_slice() {
        &[one] => cx.push(Instruction::new(Op::CopyObject, Some(ty), Some(result), vec![id(one)])),
        _ => cx.emit_as(Op::CompositeConstruct, ty, result, lanes.into_iter().map(id).collect()),
    }
    cx.set_type(result, ty);
    true
}

/// A lane of 8 or 16 bits as a number of 32.
pub fn lane(cx: &mut RewriteCx, vector: u32, n: u32, signed: bool) -> Option<u32> {
    let (of, _) = cx.type_of(vector).and_then(|t| cx.lanes(t))?;
    let (width, _) = narrow(cx, of)?;
    let lane = cx.emit(Op::CompositeExtract, of, vec![id(vector), number(n)]);
    let meant = cx.type_id(Type::Int(width, signed));
    let lane = if meant == of { lane } else { cx.emit(Op::Bitcast, meant, vec![id(lane)]) };
    let ty = cx.int(signed);
    Some(cx.emit(if signed { Op::SConvert } else { Op::UConvert }, ty, vec![id(lane)]))
}
