//! What naga's reader makes something else of, or stops at as if it were wrong, where images are asked.
//!
//! - It takes comparisons at level 0, whatever level or gradients they name.
//! - A size has no layers. Where only the extent is used nothing is missing.
//! - It passes over image operands that it does not know: offsets of fetches and offsets that are not declared to be constant.
//! - It drops barriers that wait for more than a workgroup.
//! - It reads arrays of storage images, and stops where one of them is stored to or loaded from.

use rspirv::dr::Operand;
use rspirv::spirv::{Dim, ImageOperands, Op, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

use super::binary::{Binary, Inst};
use super::types::{Constant, RewriteCx, Type, id, missing, unsupported};
use gpucc_ir::{Diagnostic, Refusal};

/// What is known of the type of an image.
#[derive(Clone, Copy)]
struct Image {
    /// Components of the extent.
    extent: u32,
    arrayed: bool,
    storage: bool,
}

/// Refuses it.
///
/// # Errors
/// The first such instruction, with its place.
pub fn check(module: &Binary) -> Result<(), Diagnostic> {
    let refuse = |inst: &Inst, code: Refusal, name: &str| {
        let mut found = missing(code, &format!("Op{} {name}", inst.class_name()));
        found.labels[0].span = module.places.span(inst.place);
        Err(found)
    };
    let mut types: FxHashMap<u32, Image> = FxHashMap::default();
    let mut zeros: FxHashSet<u32> = FxHashSet::default();
    for inst in &module.head {
        let Some(result) = inst.inst.result_id else { continue };
        match inst.op() {
            Op::TypeImage => {
                types.insert(result, image(inst));
            }
            Op::TypeSampledImage => {
                if let Some(&of) = inst.id(0).and_then(|i| types.get(&i)) {
                    types.insert(result, of);
                }
            }
            Op::TypeArray | Op::TypeRuntimeArray
                if inst.id(0).and_then(|i| types.get(&i)).is_some_and(|i| i.storage) =>
            {
                return refuse(inst, Refusal::Parser, "of storage images");
            }
            Op::ConstantNull => {
                zeros.insert(result);
            }
            Op::Constant if matches!(inst.literal(0), Some(0 | 0x8000_0000)) => {
                zeros.insert(result);
            }
            _ => {}
        }
    }
    // Values that are images, and sizes of arrayed ones with the components of their extent.
    let mut values: FxHashMap<u32, Image> = FxHashMap::default();
    let mut sizes: FxHashMap<u32, u32> = FxHashMap::default();
    for inst in &module.body {
        if let Some(name) = level(inst, &zeros) {
            return refuse(inst, Refusal::Spirv, name);
        }
        if layers(inst, &sizes) {
            return refuse(inst, Refusal::Parser, "of the layers in the size of an image");
        }
        let Some(result) = inst.inst.result_id else { continue };
        if let Some(&of) = inst.inst.result_type.and_then(|t| types.get(&t)) {
            values.insert(result, of);
        }
        let asked = inst.id(0).and_then(|i| values.get(&i)).filter(|i| i.arrayed);
        if let (Op::ImageQuerySize | Op::ImageQuerySizeLod, Some(of)) = (inst.op(), asked) {
            sizes.insert(result, of.extent);
        }
    }
    Ok(())
}

fn image(inst: &Inst) -> Image {
    let extent = match inst.inst.operands.get(1) {
        Some(Operand::Dim(Dim::Dim1D | Dim::DimBuffer)) => 1,
        Some(Operand::Dim(Dim::Dim3D)) => 3,
        _ => 2,
    };
    Image { extent, arrayed: inst.literal(3) == Some(1), storage: inst.literal(5) == Some(2) }
}

/// What a comparison names that is not level 0.
fn level(inst: &Inst, zeros: &FxHashSet<u32>) -> Option<&'static str> {
    if !matches!(inst.op(), Op::ImageSampleDrefExplicitLod | Op::ImageSampleProjDrefExplicitLod) {
        return None;
    }
    let operands = &inst.inst.operands;
    let (at, set) = operands.iter().enumerate().find_map(|(k, o)| match o {
        Operand::ImageOperands(set) => Some((k, *set)),
        _ => None,
    })?;
    if set.contains(ImageOperands::GRAD) {
        return Some("with gradients");
    }
    let level = operands.get(at + 1).and_then(Operand::id_ref_any);
    (!level.is_some_and(|id| zeros.contains(&id))).then_some("at a level that is not the constant 0")
}

/// Whether more is used of a size than the extent.
fn layers(inst: &Inst, sizes: &FxHashMap<u32, u32>) -> bool {
    let of = |n: usize| inst.id(n).and_then(|i| sizes.get(&i)).copied();
    let operands = &inst.inst.operands;
    match inst.op() {
        Op::CompositeExtract => of(0).is_some_and(|extent| inst.literal(1) == Some(extent)),
        Op::VectorShuffle => {
            let (first, second) = (of(0), of(1));
            // Components of the second vector count on behind those of the first: what those are is known of sizes alone.
            let picked = |n: u32| match first {
                Some(extent) if n <= extent => n == extent,
                Some(extent) => second.is_some_and(|e| n - extent - 1 == e),
                None => true,
            };
            (first.is_some() || second.is_some()) && (2..operands.len()).filter_map(|k| inst.literal(k)).any(picked)
        }
        _ => operands.iter().filter_map(Operand::id_ref_any).any(|id| sizes.contains_key(&id)),
    }
}

/// How many ids an image operand has.
fn ids_of(operand: ImageOperands) -> usize {
    use ImageOperands as I;
    match operand {
        I::GRAD => 2,
        I::SIGN_EXTEND | I::ZERO_EXTEND | I::NON_PRIVATE_TEXEL | I::VOLATILE_TEXEL | I::NONTEMPORAL => 0,
        _ => 1,
    }
}

/// Writes an instruction on images with the operands that naga's reader knows, and barriers; whether it did.
///
/// # Errors
/// What has no counterpart.
pub fn rewrite(cx: &mut RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    if matches!(inst.op(), Op::ControlBarrier | Op::MemoryBarrier) {
        return barrier(cx, inst);
    }
    let found = inst.inst.operands.iter().enumerate().find_map(|(k, o)| match o {
        Operand::ImageOperands(set) => Some((k, *set)),
        _ => None,
    });
    let Some((at, set)) = found else { return Ok(false) };
    let fetch = matches!(inst.op(), Op::ImageFetch | Op::ImageRead);
    let write = inst.op() == Op::ImageWrite;
    let gather = matches!(inst.op(), Op::ImageGather | Op::ImageDrefGather);
    let refused = |operand: ImageOperands| Err(unsupported(&format!("Op{} with {operand:?}", inst.class_name())));
    let mut new = inst.clone();
    let (mut kept, mut operands) = (ImageOperands::NONE, Vec::new());
    let mut next = at + 1;
    for operand in set.iter() {
        use ImageOperands as I;
        let own = inst.inst.operands.get(next..next + ids_of(operand)).unwrap_or(&[]);
        next += ids_of(operand);
        match operand {
            I::LOD | I::SAMPLE if write => return refused(operand),
            I::BIAS | I::LOD | I::GRAD if gather => return refused(operand),
            I::BIAS | I::LOD | I::GRAD | I::SAMPLE => {
                kept |= operand;
                operands.extend_from_slice(own);
            }
            I::CONST_OFFSET | I::OFFSET if fetch => {
                let (Some(coordinate), Some(offset)) = (inst.id(1), own.first().and_then(Operand::id_ref_any)) else {
                    return Ok(false);
                };
                let Some(moved) = moved(cx, coordinate, offset) else { return refused(operand) };
                new.inst.operands[1] = id(moved);
            }
            I::CONST_OFFSET | I::OFFSET => {
                let Some(offset) = own.first().and_then(Operand::id_ref_any).and_then(|o| signed(cx, o)) else {
                    return refused(operand);
                };
                kept |= I::CONST_OFFSET;
                operands.push(id(offset));
            }
            I::SIGN_EXTEND | I::ZERO_EXTEND => {
                let texel = if write { inst.id(2).and_then(|v| cx.type_of(v)) } else { inst.inst.result_type };
                let scalar = texel.and_then(|t| cx.lanes(t)).map(|l| cx.ty(l.0).clone());
                let signed = operand == I::SIGN_EXTEND;
                if matches!(scalar, Some(Type::Int(_, s)) if s != signed) {
                    return refused(operand);
                }
            }
            // Nothing is seen by others without one of the two that are refused below.
            I::NON_PRIVATE_TEXEL | I::NONTEMPORAL => {}
            _ => return refused(operand),
        }
    }
    new.inst.operands.truncate(at);
    if kept != ImageOperands::NONE {
        new.inst.operands.push(Operand::ImageOperands(kept));
        new.inst.operands.append(&mut operands);
    }
    cx.out.push(new);
    Ok(true)
}

/// A coordinate of texels with an offset added; layers have none.
fn moved(cx: &mut RewriteCx, coordinate: u32, offset: u32) -> Option<u32> {
    let whole = cx.type_of(coordinate)?;
    let (scalar, n) = cx.lanes(whole)?;
    let (part, by) = cx.type_of(offset).and_then(|t| cx.lanes(t))?;
    let lane = |cx: &mut RewriteCx, v: u32, ty: u32, lanes: u32, k: u32| {
        if lanes == 1 { v } else { cx.extract(v, ty, &[k]) }
    };
    let mut lanes = Vec::new();
    for k in 0..n {
        let at = lane(cx, coordinate, scalar, n, k);
        if k >= by {
            lanes.push(at);
            continue;
        }
        let by = lane(cx, offset, part, by, k);
        let by = if part == scalar { by } else { cx.emit(Op::Bitcast, scalar, vec![id(by)]) };
        lanes.push(cx.emit(Op::IAdd, scalar, vec![id(at), id(by)]));
    }
    Some(if let &[one] = lanes.as_slice() { one } else { cx.construct(whole, &lanes) })
}

/// A constant offset as one of signed integers.
fn signed(cx: &mut RewriteCx, offset: u32) -> Option<u32> {
    let (ty, constant) = cx.constants.get(&offset)?.clone();
    let (scalar, n) = cx.lanes(ty)?;
    if matches!(cx.ty(scalar), Type::Int(32, true)) {
        return Some(offset);
    }
    let lanes = match constant {
        Constant::Composite(parts) => parts.iter().map(|&p| cx.bits(p)).collect::<Option<Vec<_>>>()?,
        Constant::Scalar(bits) => vec![bits],
        Constant::Null => vec![0; n as usize],
    };
    let int = cx.int(true);
    let whole = cx.lanes_of(int, n);
    let parts: Vec<u32> = lanes.into_iter().map(|bits| cx.constant(int, bits as u32)).collect();
    if let &[one] = parts.as_slice() {
        return Some(one);
    }
    let made = cx.fresh();
    cx.global(Op::ConstantComposite, Some(whole), made, parts.into_iter().map(id).collect());
    Some(made)
}

/// Refuses barriers that wait for more than a workgroup, which naga's reader drops.
fn barrier(cx: &RewriteCx, inst: &Inst) -> Result<bool, Diagnostic> {
    let Some(scope) = inst.id(0).and_then(|s| cx.bits(s)) else {
        return Err(unsupported(&format!("Op{} of what is not constant", inst.class_name())));
    };
    match Scope::from_u32(scope as u32) {
        _ if inst.op() == Op::MemoryBarrier => Ok(false),
        Some(Scope::Workgroup | Scope::Subgroup) => Ok(false),
        scope => {
            let name = scope.map_or_else(|| "of an unknown scope".to_string(), |s| format!("{s:?}"));
            Err(unsupported(&format!("OpControlBarrier {name}")))
        }
    }
}
