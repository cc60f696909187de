//! Arithmetic that naga's reader gets wrong or does not know.
//!
//! - The sign is in the instruction in SPIR-V, in the type in naga: operands are cast to the sign that the instruction
//!   means, the result to its type.
//! - Comparisons that are true for NaN are read as those that are false: they become the opposite, inverted.
//! - `OpSMod` is read as arithmetic on floats.
//! - Bits of f16 pairs go through f32.
//! - Outer products of vectors of different lengths are products by column.
//! - The value of an atomic is read where it is made, not where it is used.
//! - Division by a constant zero is refused, and so is a shift by too large a constant.
//! - Carries, wide products and dot products of integers are taken apart.

use super::binary::Inst;
use super::types::{Constant, RewriteCx, Type, id, malformed, number, unsupported};
use gpucc_ir::Diagnostic;
use rspirv::dr::Operand;
use rspirv::spirv::{GlslStd450Op as Gl, Op};

/// The sign that an instruction means, and which of its operands it looks at.
fn sign(op: Op) -> Option<(bool, std::ops::Range<usize>)> {
    Some(match op {
        Op::SNegate | Op::SDiv | Op::SRem | Op::ConvertSToF | Op::SConvert | Op::ConvertFToS => (true, 0..2),
        Op::UDiv | Op::UMod | Op::ConvertUToF | Op::UConvert | Op::ConvertFToU => (false, 0..2),
        Op::ShiftRightArithmetic | Op::BitFieldSExtract => (true, 0..1),
        Op::ShiftRightLogical | Op::BitFieldUExtract => (false, 0..1),
        _ => return None,
    })
}

/// As [`sign`] for `GLSL.std.450`.
fn sign_of_extension(op: u32) -> Option<bool> {
    const SIGNED: [Gl; 5] = [Gl::SAbs, Gl::SSign, Gl::SMin, Gl::SMax, Gl::SClamp];
    const UNSIGNED: [Gl; 3] = [Gl::UMin, Gl::UMax, Gl::UClamp];
    match op {
        _ if SIGNED.iter().any(|&g| g as u32 == op) || op == Gl::FindSMsb as u32 => Some(true),
        _ if UNSIGNED.iter().any(|&g| g as u32 == op) || op == Gl::FindUMsb as u32 => Some(false),
        _ => None,
    }
}

/// Rewrites an instruction; whether it did.
///
/// # Errors
/// An instruction whose types do not fit it, or that has no counterpart.
pub fn rewrite(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let (Some(ty), Some(result)) = (inst.inst.result_type, inst.inst.result_id) else { return Ok(false) };
    let defined = defined(cx, inst);
    let replaced = defined.is_some();
    let inst = defined.as_ref().unwrap_or(inst);
    let known = known(cx, inst, (ty, result))?;
    if replaced && !known {
        cx.out.push(inst.clone());
    }
    Ok(known || replaced)
}

/// Gives a division by a constant zero, or a shift by too large a constant, an operand for which the result is defined: a specialisation
/// constant that was given no value may be in code that does not run. `x / 0` is `x` and `x % 0` is 0, as in WGSL.
fn defined(cx: &mut RewriteCx, inst: &Inst) -> Option<Inst> {
    let divides = matches!(inst.op(), Op::SDiv | Op::UDiv | Op::SRem | Op::SMod | Op::UMod);
    if !divides && !matches!(inst.op(), Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic) {
        return None;
    }
    let right = inst.id(1)?;
    let ty = cx.constants.get(&right)?.0;
    let (scalar, n) = cx.lanes(ty)?;
    let &Type::Int(width, _) = cx.ty(scalar) else { return None };
    let lanes: Vec<u64> = match &cx.constants.get(&right)?.1 {
        Constant::Scalar(x) => vec![*x],
        Constant::Composite(parts) => parts.clone().iter().map(|&p| cx.bits(p)).collect::<Option<_>>()?,
        Constant::Null => vec![0; n as usize],
    };
    let fits = |x: u64| if divides { x != 0 } else { x < width.into() };
    if width > 32 || lanes.iter().all(|&x| fits(x)) {
        return None;
    }
    let lane = |x: u64| match (divides, x) {
        (true, 0) => 1,
        (true, x) => x as u32,
        (false, x) => x as u32 & (width - 1),
    };
    let parts: Vec<u32> = lanes.into_iter().map(|x| cx.constant(scalar, lane(x))).collect();
    let operand = match parts.as_slice() {
        &[one] => one,
        _ => {
            let whole = cx.fresh();
            cx.global(Op::ConstantComposite, Some(ty), whole, parts.into_iter().map(id).collect());
            whole
        }
    };
    let mut inst = inst.clone();
    inst.inst.operands[1] = id(operand);
    Some(inst)
}

/// Rewrites an instruction that has a result; whether it did.
fn known(cx: &mut RewriteCx, inst: &Inst, (ty, result): (u32, u32)) -> Result<bool, Diagnostic> {
    let op = inst.op();
    let ids = inst.ids(0);
    let two = || match ids.as_slice() {
        &[a, b, ..] => Ok((a, b)),
        _ => Err(malformed(format!("`Op{}` has too few operands", inst.class_name()))),
    };
    match op {
        Op::FUnordEqual
        | Op::FUnordLessThan
        | Op::FUnordGreaterThan
        | Op::FUnordLessThanEqual
        | Op::FUnordGreaterThanEqual => {
            let (a, b) = two()?;
            let opposite = match op {
                Op::FUnordLessThan => Op::FOrdGreaterThanEqual,
                Op::FUnordGreaterThan => Op::FOrdLessThanEqual,
                Op::FUnordLessThanEqual => Op::FOrdGreaterThan,
                _ => Op::FOrdLessThan,
            };
            let ordered = match op {
                Op::FUnordEqual => apart(cx, ty, a, b, None),
                _ => cx.emit(opposite, ty, vec![id(a), id(b)]),
            };
            cx.emit_as(Op::LogicalNot, ty, result, vec![id(ordered)]);
        }
        Op::FOrdNotEqual => {
            let (a, b) = two()?;
            apart(cx, ty, a, b, Some(result));
        }
        Op::SMod => {
            let (a, b) = two()?;
            modulo(cx, ty, result, a, b)?;
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            let (a, b) = two()?;
            pair(cx, op, (ty, result), a, b)?;
        }
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            dot(cx, inst, (ty, result))?;
        }
        Op::AtomicSMin | Op::AtomicSMax | Op::AtomicUMin | Op::AtomicUMax => {
            let wants = matches!(op, Op::AtomicSMin | Op::AtomicSMax);
            if matches!(cx.ty(ty), Type::Int(_, signed) if *signed != wants) {
                let other = if wants { "an unsigned" } else { "a signed" };
                return Err(unsupported(&format!("Op{} of {other} integer", inst.class_name())));
            }
            return Ok(atomic(cx, inst));
        }
        Op::AtomicExchange
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFAddEXT => return Ok(atomic(cx, inst)),
        Op::ShiftLeftLogical | Op::BitFieldInsert | Op::BitReverse | Op::BitCount => {
            let first = ids.first().and_then(|&a| cx.type_of(a));
            // A count has its operand's type in naga; the others take operands of the result's type.
            let meant = if op == Op::BitCount { first } else { Some(ty) };
            let Some(Type::Int(_, signed)) = meant.and_then(|t| cx.lanes(t)).map(|l| cx.ty(l.0).clone()) else {
                return Ok(false);
            };
            let looked = if op == Op::BitFieldInsert { 0..2 } else { 0..1 };
            return Ok(adjusted(cx, inst, signed, looked));
        }
        Op::OuterProduct => {
            let (a, b) = two()?;
            let (Some(column), Some(n)) = (cx.part(ty, 0), cx.length(ty)) else {
                return Err(malformed("`OpOuterProduct` with a result that is not a matrix"));
            };
            let scalar = cx.part(column, 0).ok_or_else(|| malformed("a matrix of columns without lanes"))?;
            let each = |cx: &mut RewriteCx, n: u32| {
                let factor = cx.extract(b, scalar, &[n]);
                cx.emit(Op::VectorTimesScalar, column, vec![id(a), id(factor)])
            };
            let columns = (0..n).map(|n| id(each(cx, n))).collect();
            cx.emit_as(Op::CompositeConstruct, ty, result, columns);
        }
        Op::ExtInst => return extension(cx, inst),
        Op::Bitcast => return halves(cx, (ty, result), ids.first().copied()),
        _ => {
            let Some((signed, looked)) = sign(op) else { return Ok(false) };
            return Ok(adjusted(cx, inst, signed, looked));
        }
    }
    Ok(true)
}

/// Gives an atomic a copy of its value, made in front of it: the reader takes the value as it is in the block that makes it, which may
/// be a block of a loop before the atomic.
fn atomic(cx: &mut RewriteCx, inst: &Inst) -> bool {
    let Some(value) = inst.id(3) else { return false };
    let Some(ty) = cx.type_of(value).filter(|_| !cx.constants.contains_key(&value)) else { return false };
    let copy = cx.emit(Op::CopyObject, ty, vec![id(value)]);
    let mut inst = inst.clone();
    inst.inst.operands[3] = id(copy);
    cx.out.push(inst);
    true
}

/// Bits of two f16 as a word and back: naga casts between equal widths only.
fn halves(cx: &mut RewriteCx, (ty, result): (u32, u32), value: Option<u32>) -> Result<bool, Diagnostic> {
    let Some(value) = value else { return Ok(false) };
    let shape = |cx: &RewriteCx, t: u32| cx.lanes(t).map(|(s, n)| (cx.ty(s).clone(), n));
    let from = cx.type_of(value).and_then(|t| shape(cx, t));
    let (Some((from, have)), Some((to, want))) = (from, shape(cx, ty)) else { return Ok(false) };
    let width = |t: &Type| match t {
        Type::Int(w, _) | Type::Float(w) => *w,
        _ => 32,
    };
    if width(&from) == width(&to) {
        return Ok(false);
    }
    let f32 = cx.type_id(Type::Float(32));
    let f16 = cx.type_id(Type::Float(16));
    let uint = cx.int(false);
    let (floats, small) = (cx.lanes_of(f32, 2), cx.lanes_of(f16, 2));
    let set = cx.glsl();
    let word_type = |cx: &mut RewriteCx, t: &Type| cx.type_id(t.clone());
    let ext = |op: Gl, of: u32| vec![id(set), Operand::LiteralExtInstInteger(op as u32), id(of)];
    match (&from, &to) {
        (Type::Int(32, _) | Type::Float(32), Type::Float(16)) if want == have * 2 => {
            let own = word_type(cx, &from);
            let mut list = Vec::new();
            for n in 0..have {
                let word = if have == 1 { value } else { cx.extract(value, own, &[n]) };
                let word = if own == uint { word } else { cx.emit(Op::Bitcast, uint, vec![id(word)]) };
                let wide = cx.emit(Op::ExtInst, floats, ext(Gl::UnpackHalf2x16, word));
                if have == 1 {
                    cx.emit_as(Op::FConvert, ty, result, vec![id(wide)]);
                    return Ok(true);
                }
                list.push(id(cx.emit(Op::FConvert, small, vec![id(wide)])));
            }
            cx.emit_as(Op::CompositeConstruct, ty, result, list);
        }
        (Type::Float(16), Type::Int(32, _) | Type::Float(32)) if have == want * 2 => {
            let own = word_type(cx, &to);
            let mut list = Vec::new();
            for n in 0..want {
                let pair = match want {
                    1 => value,
                    _ => {
                        let lanes = vec![id(value), id(value), number(2 * n), number(2 * n + 1)];
                        cx.emit(Op::VectorShuffle, small, lanes)
                    }
                };
                let wide = cx.emit(Op::FConvert, floats, vec![id(pair)]);
                let packed = ext(Gl::PackHalf2x16, wide);
                match (want, own == uint) {
                    (1, true) => {
                        cx.emit_as(Op::ExtInst, ty, result, packed);
                        return Ok(true);
                    }
                    (1, false) => {
                        let word = cx.emit(Op::ExtInst, uint, packed);
                        cx.emit_as(Op::Bitcast, ty, result, vec![id(word)]);
                        return Ok(true);
                    }
                    (_, true) => list.push(id(cx.emit(Op::ExtInst, uint, packed))),
                    (_, false) => {
                        let word = cx.emit(Op::ExtInst, uint, packed);
                        list.push(id(cx.emit(Op::Bitcast, own, vec![id(word)])));
                    }
                }
            }
            cx.emit_as(Op::CompositeConstruct, ty, result, list);
        }
        _ if super::narrow::cast(cx, (ty, result), value) => {}
        _ => {
            let bits = |t: &Type| format!("{} bits", width(t));
            return Err(unsupported(&format!("OpBitcast from lanes of {} to lanes of {}", bits(&from), bits(&to))));
        }
    }
    Ok(true)
}

fn extension(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let Some(number) = inst.literal(1) else { return Ok(false) };
    if number == Gl::FindILsb as u32 {
        let of = inst.id(2).and_then(|a| cx.type_of(a)).and_then(|t| cx.lanes(t));
        let Some(Type::Int(_, signed)) = of.map(|l| cx.ty(l.0).clone()) else { return Ok(false) };
        return Ok(adjusted(cx, inst, signed, 2..3));
    }
    if number == Gl::Ldexp as u32 {
        let inst = exponent(cx, inst);
        if !adjusted(cx, &inst, true, 3..4) {
            cx.out.push(inst);
        }
        return Ok(true);
    }
    // Of a scalar: what is its sign, or NaN where there is none.
    if number == Gl::Normalize as u32
        && let (Some(ty), Some(result), Some(x), Some(set)) =
            (inst.inst.result_type, inst.inst.result_id, inst.id(2), inst.id(0))
        && matches!(cx.ty(ty), Type::Float(_))
    {
        let operands = vec![id(set), Operand::LiteralExtInstInteger(Gl::FAbs as u32), id(x)];
        let length = cx.emit(Op::ExtInst, ty, operands);
        cx.emit_as(Op::FDiv, ty, result, vec![id(x), id(length)]);
        return Ok(true);
    }
    if number == Gl::IMix as u32 {
        return Err(unsupported("OpExtInst IMix"));
    }
    let name = |what: &str| Err(unsupported(&format!("OpExtInst {what}")));
    match number {
        n if n == Gl::PackDouble2x32 as u32 => return name("PackDouble2x32"),
        n if n == Gl::UnpackDouble2x32 as u32 => return name("UnpackDouble2x32"),
        n if n == Gl::InterpolateAtCentroid as u32 => return name("InterpolateAtCentroid"),
        n if n == Gl::InterpolateAtSample as u32 => return name("InterpolateAtSample"),
        n if n == Gl::InterpolateAtOffset as u32 => return name("InterpolateAtOffset"),
        _ => {}
    }
    match sign_of_extension(number) {
        Some(signed) => Ok(adjusted(cx, inst, signed, 2..inst.inst.operands.len())),
        None => Ok(false),
    }
}

/// `Ldexp` with an exponent of 32 bits, which is all that naga knows. What does not fit is far beyond every float.
fn exponent(cx: &mut RewriteCx, inst: &Inst) -> Inst {
    const FAR: u32 = 1 << 14;
    let mut inst = inst.clone();
    let Some(value) = inst.id(3) else { return inst };
    let Some((scalar, n)) = cx.type_of(value).and_then(|t| cx.lanes(t)) else { return inst };
    let &Type::Int(width, _) = cx.ty(scalar) else { return inst };
    if width == 32 {
        return inst;
    }
    let mut value = cast(cx, value, true);
    let int = cx.int(true);
    let words = cx.lanes_of(int, n);
    if width > 32 {
        let long = cx.type_id(Type::Int(width, true));
        let longs = cx.lanes_of(long, n);
        let set = cx.glsl();
        for (op, bits) in [(Gl::SMin, FAR), (Gl::SMax, FAR.wrapping_neg())] {
            let bound = cx.splat(words, bits);
            let bound = cx.emit(Op::SConvert, longs, vec![id(bound)]);
            let operands = vec![id(set), Operand::LiteralExtInstInteger(op as u32), id(value), id(bound)];
            value = cx.emit(Op::ExtInst, longs, operands);
        }
    }
    inst.inst.operands[3] = id(cx.emit(Op::SConvert, words, vec![id(value)]));
    inst
}

/// The integer type of the same shape with this sign.
fn with_sign(cx: &mut RewriteCx, ty: u32, signed: bool) -> Option<u32> {
    let (scalar, n) = cx.lanes(ty)?;
    match *cx.ty(scalar) {
        Type::Int(_, s) if s == signed => Some(ty),
        Type::Int(width, _) => {
            let scalar = cx.type_id(Type::Int(width, signed));
            Some(cx.lanes_of(scalar, n))
        }
        _ => None,
    }
}

/// A value as an integer of this sign.
fn cast(cx: &mut RewriteCx, value: u32, signed: bool) -> u32 {
    let Some(from) = cx.type_of(value) else { return value };
    match with_sign(cx, from, signed) {
        Some(to) if to != from => cx.emit(Op::Bitcast, to, vec![id(value)]),
        _ => value,
    }
}

/// Writes the instruction on operands of that sign, if some have another.
fn adjusted(cx: &mut RewriteCx, inst: &Inst, signed: bool, looked: std::ops::Range<usize>) -> bool {
    let (ty, result) = (inst.inst.result_type.unwrap_or(0), inst.inst.result_id.unwrap_or(0));
    let other = |cx: &mut RewriteCx, t: u32| with_sign(cx, t, signed).is_some_and(|s| s != t);
    let wrong = looked.clone().any(|n| inst.id(n).and_then(|a| cx.type_of(a)).is_some_and(|t| other(cx, t)));
    if !wrong && !other(cx, ty) {
        return false;
    }
    let mut operands = inst.inst.operands.clone();
    for n in looked {
        if let Some(a) = inst.id(n) {
            operands[n] = id(cast(cx, a, signed));
        }
    }
    match with_sign(cx, ty, signed) {
        Some(meant) if meant != ty => {
            let value = cx.emit(inst.op(), meant, operands);
            cx.emit_as(Op::Bitcast, ty, result, vec![id(value)]);
        }
        _ => cx.emit_as(inst.op(), ty, result, operands),
    }
    true
}

/// `a < b || a > b`.
fn apart(cx: &mut RewriteCx, ty: u32, a: u32, b: u32, result: Option<u32>) -> u32 {
    let less = cx.emit(Op::FOrdLessThan, ty, vec![id(a), id(b)]);
    let more = cx.emit(Op::FOrdGreaterThan, ty, vec![id(a), id(b)]);
    let result = result.unwrap_or_else(|| cx.fresh());
    cx.emit_as(Op::LogicalOr, ty, result, vec![id(less), id(more)]);
    result
}

/// The remainder with the sign of the divisor.
fn modulo(cx: &mut RewriteCx, ty: u32, result: u32, a: u32, b: u32) -> Result<(), Diagnostic> {
    let signed = with_sign(cx, ty, true).ok_or_else(|| malformed("`OpSMod` of what is not an integer"))?;
    let (a, b) = (cast(cx, a, true), cast(cx, b, true));
    let bools = bools(cx, signed);
    let zero = cx.splat(signed, 0);
    let r = cx.emit(Op::SRem, signed, vec![id(a), id(b)]);
    let signs = cx.emit(Op::BitwiseXor, signed, vec![id(r), id(b)]);
    let differ = cx.emit(Op::SLessThan, bools, vec![id(signs), id(zero)]);
    let some = cx.emit(Op::INotEqual, bools, vec![id(r), id(zero)]);
    let wrong = cx.emit(Op::LogicalAnd, bools, vec![id(differ), id(some)]);
    let sum = cx.emit(Op::IAdd, signed, vec![id(r), id(b)]);
    finish(cx, Op::Select, signed, (ty, result), vec![id(wrong), id(sum), id(r)]);
    Ok(())
}

/// Writes the last instruction, of type `meant`, as `result` of type `ty`.
fn finish(cx: &mut RewriteCx, op: Op, meant: u32, (ty, result): (u32, u32), operands: Vec<Operand>) {
    if meant == ty {
        cx.emit_as(op, ty, result, operands);
    } else {
        let value = cx.emit(op, meant, operands);
        cx.emit_as(Op::Bitcast, ty, result, vec![id(value)]);
    }
}

/// The type of comparisons of values of this type.
fn bools(cx: &mut RewriteCx, ty: u32) -> u32 {
    let scalar = cx.type_id(Type::Bool);
    let n = cx.lanes(ty).map_or(1, |l| l.1);
    cx.lanes_of(scalar, n)
}

/// Instructions with two results, which are a struct of two equal members.
fn pair(cx: &mut RewriteCx, op: Op, (ty, result): (u32, u32), a: u32, b: u32) -> Result<(), Diagnostic> {
    let member = match cx.ty(ty) {
        Type::Struct(members) if members.len() == 2 => members[0],
        _ => return Err(malformed(format!("the result of `Op{op:?}` is not a struct of two members"))),
    };
    let unsigned = with_sign(cx, member, false);
    let unsigned = unsigned.ok_or_else(|| malformed(format!("`Op{op:?}` of what is not an integer")))?;
    let narrow = cx.lanes(unsigned).is_some_and(|l| matches!(cx.ty(l.0), Type::Int(32, _)));
    if !narrow && matches!(op, Op::UMulExtended | Op::SMulExtended) {
        return Err(unsupported(&format!("Op{op:?} of other than 32 bits")));
    }
    let (x, y) = (cast(cx, a, false), cast(cx, b, false));
    let (low, high) = match op {
        Op::IAddCarry | Op::ISubBorrow => {
            let adds = op == Op::IAddCarry;
            let low = cx.emit(if adds { Op::IAdd } else { Op::ISub }, unsigned, vec![id(x), id(y)]);
            let bools = bools(cx, unsigned);
            let (p, q) = if adds { (low, x) } else { (x, y) };
            let over = cx.emit(Op::ULessThan, bools, vec![id(p), id(q)]);
            let (one, zero) = (cx.splat(unsigned, 1), cx.splat(unsigned, 0));
            (low, cx.emit(Op::Select, unsigned, vec![id(over), id(one), id(zero)]))
        }
        _ => {
            let low = cx.emit(Op::IMul, unsigned, vec![id(x), id(y)]);
            let mut high = high_product(cx, unsigned, x, y);
            if op == Op::SMulExtended {
                // Each negative factor counts 2^32 too much.
                let signed = with_sign(cx, unsigned, true).unwrap_or(unsigned);
                let bits = cx.splat(unsigned, 31);
                for (factor, other) in [(x, y), (y, x)] {
                    let s = cast(cx, factor, true);
                    let mask = cx.emit(Op::ShiftRightArithmetic, signed, vec![id(s), id(bits)]);
                    let mask = cast(cx, mask, false);
                    let part = cx.emit(Op::BitwiseAnd, unsigned, vec![id(mask), id(other)]);
                    high = cx.emit(Op::ISub, unsigned, vec![id(high), id(part)]);
                }
            }
            (low, high)
        }
    };
    let back =
        |cx: &mut RewriteCx, v: u32| if unsigned == member { v } else { cx.emit(Op::Bitcast, member, vec![id(v)]) };
    let parts = [back(cx, low), back(cx, high)];
    cx.emit_as(Op::CompositeConstruct, ty, result, parts.map(id).to_vec());
    Ok(())
}

/// The upper 32 bits of a product, by halves.
fn high_product(cx: &mut RewriteCx, ty: u32, x: u32, y: u32) -> u32 {
    let (mask, half) = (cx.splat(ty, 0xffff), cx.splat(ty, 16));
    let mut op = |op, a, b| cx.emit(op, ty, vec![id(a), id(b)]);
    let (xl, xh) = (op(Op::BitwiseAnd, x, mask), op(Op::ShiftRightLogical, x, half));
    let (yl, yh) = (op(Op::BitwiseAnd, y, mask), op(Op::ShiftRightLogical, y, half));
    let t = op(Op::IMul, xl, yl);
    let (t, u) = (op(Op::ShiftRightLogical, t, half), op(Op::IMul, xh, yl));
    let u = op(Op::IAdd, u, t);
    let (v, low) = (op(Op::IMul, xl, yh), op(Op::BitwiseAnd, u, mask));
    let v = op(Op::IAdd, v, low);
    let (w, u) = (op(Op::IMul, xh, yh), op(Op::ShiftRightLogical, u, half));
    let (w, v) = (op(Op::IAdd, w, u), op(Op::ShiftRightLogical, v, half));
    op(Op::IAdd, w, v)
}

/// Dot products of four bytes in a word, or of vectors of words, with or without a saturated sum.
fn dot(cx: &mut RewriteCx, inst: &Inst, (ty, result): (u32, u32)) -> Result<(), Diagnostic> {
    let op = inst.op();
    let name = || format!("Op{}", inst.class_name());
    let (signs, signed) = match op {
        Op::SDot | Op::SDotAccSat => ([true, true], true),
        Op::UDot | Op::UDotAccSat => ([false, false], false),
        _ => ([true, false], true),
    };
    let saturates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let (Some(a), Some(b)) = (inst.id(0), inst.id(1)) else {
        return Err(malformed(format!("`{}` without operands", name())));
    };
    if !matches!(cx.ty(ty), Type::Int(32, _)) {
        return Err(unsupported(&format!("{} with a result of other than 32 bits", name())));
    }
    let meant = cx.int(signed);
    let mut sum = None;
    let parts = [(a, signs[0]), (b, signs[1])].map(|(v, s)| lanes_of_dot(cx, v, s));
    let [Some(xs), Some(ys)] = parts else {
        return Err(unsupported(&format!("{} of other than words", name())));
    };
    if xs.len() != ys.len() {
        return Err(malformed(format!("`{}` of vectors of different lengths", name())));
    }
    for (x, y) in xs.into_iter().zip(ys) {
        let (x, y) = (cast(cx, x, signed), cast(cx, y, signed));
        let product = cx.emit(Op::IMul, meant, vec![id(x), id(y)]);
        sum = Some(match sum {
            Some(sum) => cx.emit(Op::IAdd, meant, vec![id(sum), id(product)]),
            None => product,
        });
    }
    let Some(sum) = sum else { return Err(malformed(format!("`{}` of nothing", name()))) };
    if !saturates {
        let zero = cx.constant(meant, 0);
        finish(cx, Op::IAdd, meant, (ty, result), vec![id(sum), id(zero)]);
        return Ok(());
    }
    // Four products of bytes do not overflow, those of words do.
    let lanes = cx.type_of(a).and_then(|t| cx.lanes(t));
    if lanes.is_none_or(|l| l.1 > 1 && !matches!(cx.ty(l.0), Type::Int(8, _))) {
        return Err(unsupported(&format!("{} of vectors", name())));
    }
    let acc = inst.id(2).ok_or_else(|| malformed(format!("`{}` without an accumulator", name())))?;
    let acc = cast(cx, acc, signed);
    let total = cx.emit(Op::IAdd, meant, vec![id(sum), id(acc)]);
    let truth = cx.type_id(Type::Bool);
    if signed {
        // Both have the same sign and the total the other one.
        let p = cx.emit(Op::BitwiseXor, meant, vec![id(total), id(sum)]);
        let q = cx.emit(Op::BitwiseXor, meant, vec![id(total), id(acc)]);
        let both = cx.emit(Op::BitwiseAnd, meant, vec![id(p), id(q)]);
        let (zero, bits, top) = (cx.constant(meant, 0), cx.constant(meant, 31), cx.constant(meant, i32::MAX as u32));
        let over = cx.emit(Op::SLessThan, truth, vec![id(both), id(zero)]);
        let mask = cx.emit(Op::ShiftRightArithmetic, meant, vec![id(acc), id(bits)]);
        let limit = cx.emit(Op::BitwiseXor, meant, vec![id(mask), id(top)]);
        finish(cx, Op::Select, meant, (ty, result), vec![id(over), id(limit), id(total)]);
    } else {
        let over = cx.emit(Op::ULessThan, truth, vec![id(total), id(sum)]);
        let limit = cx.constant(meant, u32::MAX);
        finish(cx, Op::Select, meant, (ty, result), vec![id(over), id(limit), id(total)]);
    }
    Ok(())
}

/// The factors of a dot product: bytes of a word, or lanes that are words.
fn lanes_of_dot(cx: &mut RewriteCx, value: u32, signed: bool) -> Option<Vec<u32>> {
    let ty = cx.type_of(value)?;
    match *cx.ty(ty) {
        Type::Int(32, _) => {
            let word = cast(cx, value, signed);
            let (ty, offsets) = (cx.int(signed), cx.int(false));
            let eight = cx.constant(offsets, 8);
            let op = if signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
            let byte = |cx: &mut RewriteCx, n: u32| {
                let at = cx.constant(offsets, 8 * n);
                cx.emit(op, ty, vec![id(word), id(at), id(eight)])
            };
            Some((0..4).map(|n| byte(cx, n)).collect())
        }
        Type::Vector(of, n) if super::narrow::is(cx, of) => {
            (0..n).map(|lane| super::narrow::lane(cx, value, lane, signed)).collect()
        }
        Type::Vector(of, n) if matches!(cx.ty(of), Type::Int(32, _)) => {
            Some((0..n).map(|lane| cx.emit(Op::CompositeExtract, of, vec![id(value), number(lane)])).collect())
        }
        _ => None,
    }
}
