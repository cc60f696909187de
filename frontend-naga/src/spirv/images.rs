//! What naga's reader makes something else of, or stops at as if it were wrong, where images are asked.
//!
//! - It takes comparisons at level 0, whatever level or gradients they name.
//! - A size has no layers. Where only the extent is used nothing is missing.
//! - It reads arrays of storage images, and stops where one of them is stored to or loaded from.

use rspirv::dr::Operand;
use rspirv::spirv::{Dim, ImageOperands, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::binary::{Binary, Inst};
use super::types::missing;
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
