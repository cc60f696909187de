//! Variables that are texture and sampler in one become two: naga has them apart.
//!
//! ```text
//! %v = OpVariable %pointer_to_sampled          %v = OpVariable %pointer_to_image
//! %x = OpLoad %sampled %v                ==>   %w = OpVariable %pointer_to_sampler
//!                                              %i = OpLoad %image %v
//!                                              %s = OpLoad %sampler %w
//!                                              %x = OpSampledImage %sampled %i %s
//! ```
//!
//! Arrays of them, chains into those, and pointers that functions get are split alike. The sampler has the binding of the
//! texture with [`SAMPLER`] set, since naga wants bindings to differ; the lowering takes it off again.

use super::binary::{Binary, Inst};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};
use rustc_hash::FxHashMap;

/// The bit of a binding that says that it is the sampler of a texture with the same binding.
pub const SAMPLER: u32 = 1 << 31;

#[derive(Default)]
struct Split {
    bound: u32,
    /// The image type of each sampled image type.
    image: FxHashMap<u32, u32>,
    /// The sampler type, and those made of it, by the types made of a sampled image.
    twin: FxHashMap<u32, u32>,
    /// The sampler's variable, chain or parameter, by that of the texture.
    of: FxHashMap<u32, u32>,
    sampler: u32,
}

impl Split {
    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }
}

fn ids(list: &[u32]) -> Vec<Operand> {
    list.iter().map(|&id| Operand::IdRef(id)).collect()
}

/// Splits all of them.
pub fn split(module: &mut Binary) {
    let mut s = Split { bound: module.header.bound, ..Split::default() };
    let declared = |inst: &Inst, op: Op| if inst.op() == op { inst.inst.result_id } else { None };
    for inst in &module.head {
        if let (Some(result), Some(image)) = (declared(inst, Op::TypeSampledImage), inst.id(0)) {
            s.image.insert(result, image);
        }
    }
    let points_to_one =
        |inst: &Inst| inst.op() == Op::TypePointer && inst.id(1).is_some_and(|to| s.image.contains_key(&to));
    let array_of = |inst: &Inst| {
        matches!(inst.op(), Op::TypeArray | Op::TypeRuntimeArray)
            && inst.id(0).is_some_and(|e| s.image.contains_key(&e))
    };
    if !module.head.iter().any(|inst| points_to_one(inst) || array_of(inst)) {
        return;
    }
    types(module, &mut s);
    variables(module, &mut s);
    body(module, &mut s);
    module.header.bound = s.bound;
}

/// Pointers to and arrays of sampled images are of images from now on, and have a twin of samplers.
fn types(module: &mut Binary, s: &mut Split) {
    s.sampler = match module.head.iter().find(|i| i.op() == Op::TypeSampler).and_then(|i| i.inst.result_id) {
        Some(known) => known,
        None => s.fresh(),
    };
    let mut known = false;
    let mut head = Vec::with_capacity(module.head.len() + 8);
    for mut inst in std::mem::take(&mut module.head) {
        let place = inst.place;
        if inst.op() == Op::TypeSampler {
            // It stands in front of its first use.
            if !std::mem::replace(&mut known, true) {
                head.push(inst);
            }
            continue;
        }
        let at = match inst.op() {
            Op::TypePointer => 1,
            Op::TypeArray | Op::TypeRuntimeArray => 0,
            Op::TypeFunction => {
                function_type(&mut inst, s);
                head.push(inst);
                continue;
            }
            _ => {
                head.push(inst);
                continue;
            }
        };
        let of = inst.id(at).unwrap_or(0);
        let twin = match s.image.get(&of) {
            Some(&image) => {
                inst.inst.operands[at] = Operand::IdRef(image);
                Some(s.sampler)
            }
            None => s.twin.get(&of).copied(),
        };
        let (Some(twin), Some(result)) = (twin, inst.inst.result_id) else {
            head.push(inst);
            continue;
        };
        if !std::mem::replace(&mut known, true) {
            head.push(Inst { inst: Instruction::new(Op::TypeSampler, None, Some(s.sampler), vec![]), place });
        }
        let other = s.fresh();
        let mut operands = inst.inst.operands.clone();
        operands[at] = Operand::IdRef(twin);
        let op = inst.op();
        head.push(inst);
        head.push(Inst { inst: Instruction::new(op, None, Some(other), operands), place });
        s.twin.insert(result, other);
    }
    module.head = head;
}

/// A function that gets a pointer to a texture gets one to its sampler behind it.
fn function_type(inst: &mut Inst, s: &Split) {
    let operands = std::mem::take(&mut inst.inst.operands);
    for (n, operand) in operands.into_iter().enumerate() {
        let twin = operand.id_ref_any().and_then(|id| s.twin.get(&id)).copied().filter(|_| n > 0);
        inst.inst.operands.push(operand);
        inst.inst.operands.extend(twin.map(Operand::IdRef));
    }
}

fn variables(module: &mut Binary, s: &mut Split) {
    let mut head = Vec::with_capacity(module.head.len() + 8);
    for inst in std::mem::take(&mut module.head) {
        let twin = inst.inst.result_type.and_then(|ty| s.twin.get(&ty)).copied().filter(|_| inst.op() == Op::Variable);
        let place = inst.place;
        if let (Some(ty), Some(result)) = (twin, inst.inst.result_id) {
            let other = s.fresh();
            s.of.insert(result, other);
            head.push(inst);
            let class = vec![Operand::StorageClass(StorageClass::UniformConstant)];
            head.push(Inst { inst: Instruction::new(Op::Variable, Some(ty), Some(other), class), place });
        } else {
            head.push(inst);
        }
    }
    let mut decorations = Vec::new();
    for inst in head.iter().filter(|i| i.op() == Op::Decorate) {
        let Some(&other) = inst.id(0).and_then(|id| s.of.get(&id)) else { continue };
        let mut copy = inst.clone();
        copy.inst.operands[0] = Operand::IdRef(other);
        if let [_, Operand::Decoration(Decoration::Binding), Operand::LiteralBit32(n)] = &mut copy.inst.operands[..] {
            *n |= SAMPLER;
        }
        decorations.push(copy);
    }
    let at = head.iter().position(|i| i.op() == Op::Decorate).unwrap_or(0);
    head.splice(at..at, decorations);
    module.head = head;
}

fn body(module: &mut Binary, s: &mut Split) {
    let mut out = Vec::with_capacity(module.body.len() + 16);
    for mut inst in std::mem::take(&mut module.body) {
        let (place, ty, result) = (inst.place, inst.inst.result_type, inst.inst.result_id);
        let mut push = |inst: Instruction| out.push(Inst { inst, place });
        let new = |op, ty, result, operands| Instruction::new(op, Some(ty), Some(result), operands);
        let twin = ty.and_then(|ty| s.twin.get(&ty)).copied();
        match (inst.op(), ty, result) {
            (Op::Load, Some(sampled), Some(result)) if s.image.contains_key(&sampled) => {
                let from = inst.id(0).unwrap_or(0);
                let Some(&sampler) = s.of.get(&from) else {
                    push(inst.inst);
                    continue;
                };
                let (image, loaded) = (s.fresh(), s.fresh());
                push(new(Op::Load, s.image[&sampled], image, ids(&[from])));
                push(new(Op::Load, s.sampler, loaded, ids(&[sampler])));
                push(new(Op::SampledImage, sampled, result, ids(&[image, loaded])));
            }
            (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject, Some(_), Some(result)) if twin.is_some() => {
                let base = inst.id(0).and_then(|id| s.of.get(&id)).copied();
                let (op, mut operands) = (inst.op(), inst.inst.operands.clone());
                push(inst.inst);
                if let (Some(base), Some(twin)) = (base, twin) {
                    let other = s.fresh();
                    operands[0] = Operand::IdRef(base);
                    push(new(op, twin, other, operands));
                    s.of.insert(result, other);
                }
            }
            (Op::FunctionParameter, Some(_), Some(result)) if twin.is_some() => {
                push(inst.inst);
                let other = s.fresh();
                push(new(Op::FunctionParameter, twin.unwrap_or(0), other, vec![]));
                s.of.insert(result, other);
            }
            (Op::FunctionCall, ..) => {
                let operands = std::mem::take(&mut inst.inst.operands);
                for operand in operands {
                    let other = operand.id_ref_any().and_then(|id| s.of.get(&id)).copied();
                    inst.inst.operands.push(operand);
                    inst.inst.operands.extend(other.map(Operand::IdRef));
                }
                push(inst.inst);
            }
            _ => push(inst.inst),
        }
    }
    module.body = out;
}
