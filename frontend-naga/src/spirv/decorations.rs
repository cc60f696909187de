//! What a module says beside its instructions: each decoration is read, harmless for the reason in this table, or refused by its name.
//!
//! naga's reader passes over the ones that it does not know.

use super::binary::{Binary, Inst};
use super::object;
use super::refuse::about;
use super::types::missing;
use gpucc_ir::{Diagnostic, Refusal};
use indexmap::IndexMap;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ExecutionModel, FPRoundingMode, LinkageType, Op, StorageClass};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// What becomes of a decoration.
enum Verdict {
    /// naga's reader or a step here obeys it.
    Read,
    /// The program does the same without it.
    #[expect(dead_code, reason = "the reason is for who reads the table")]
    Harmless(&'static str),
}

/// The decorations that compile. What is not in this list is refused.
const TABLE: &[(Decoration, Verdict)] = {
    use Decoration as D;
    use Verdict::{Harmless, Read};
    &[
        (D::RelaxedPrecision, Harmless("a licence that nobody has to take")),
        (D::SpecId, Read),
        (D::Block, Read),
        (D::BufferBlock, Read),
        (D::RowMajor, Read),
        (D::ColMajor, Read),
        (D::ArrayStride, Read),
        (D::MatrixStride, Read),
        (D::GLSLShared, Harmless("offsets and strides say all of the layout")),
        (D::GLSLPacked, Harmless("offsets and strides say all of the layout")),
        (D::BuiltIn, Read),
        (D::NoPerspective, Read),
        (D::Flat, Read),
        (D::Centroid, Read),
        (D::Sample, Read),
        (D::Invariant, Read),
        (D::NoContraction, Read),
        (D::Restrict, Harmless("a promise; without `Aliased` bindings are apart in any case")),
        (D::Aliased, Read),
        (D::Volatile, Read),
        (D::Coherent, Read),
        (D::NonWritable, Read),
        (D::NonReadable, Read),
        (D::Uniform, Harmless("a promise about the lanes")),
        (D::UniformId, Harmless("a promise about the lanes")),
        (D::Location, Read),
        (D::Component, Read),
        (D::Index, Read),
        (D::Binding, Read),
        (D::DescriptorSet, Read),
        (D::Offset, Read),
        (D::XfbBuffer, Harmless("nothing is captured without the execution mode `Xfb`, which is refused")),
        (D::XfbStride, Harmless("nothing is captured without the execution mode `Xfb`, which is refused")),
        (D::Stream, Harmless("there is one stream without a geometry stage")),
        (D::FPRoundingMode, Read),
        (D::LinkageAttributes, Read),
        (D::Alignment, Harmless("a promise about addresses")),
        (D::MaxByteOffset, Harmless("a promise about addresses")),
        (D::NoSignedWrap, Harmless("a promise about the operands")),
        (D::NoUnsignedWrap, Harmless("a promise about the operands")),
        (D::InputAttachmentIndex, Read),
        (D::NonUniform, Harmless("an index may differ between lanes in any case")),
        (D::RestrictPointer, Harmless("a promise about pointers in memory, which are refused")),
        (D::AliasedPointer, Harmless("it is about pointers in memory, which are refused")),
        (D::CounterBuffer, Harmless("for who binds resources")),
        (D::UserSemantic, Harmless("for who binds resources")),
        (D::UserTypeGOOGLE, Harmless("for who binds resources")),
    ]
};

/// The decoration that an instruction says, with the operands behind it.
fn said(inst: &Inst) -> Option<(Decoration, &[Operand])> {
    let at = match inst.op() {
        Op::Decorate | Op::DecorateId => 1,
        Op::MemberDecorate => 2,
        _ => return None,
    };
    match inst.inst.operands.get(at) {
        Some(&Operand::Decoration(d)) => Some((d, &inst.inst.operands[at + 1..])),
        _ => None,
    }
}

/// Refuses what is not read.
///
/// # Errors
/// The first such decoration, with the name of what has it.
pub fn check(module: &Binary) -> Result<(), Diagnostic> {
    for inst in &module.head {
        let Some((decoration, rest)) = said(inst) else { continue };
        let known = TABLE.iter().any(|row| row.0 == decoration);
        let what = match (decoration, rest) {
            _ if !known => String::new(),
            (Decoration::Component, [Operand::LiteralBit32(0)]) => continue,
            (Decoration::Component, [Operand::LiteralBit32(n)]) => format!(" {n}"),
            (Decoration::FPRoundingMode, [Operand::FPRoundingMode(FPRoundingMode::RTE)]) => continue,
            (Decoration::FPRoundingMode, [Operand::FPRoundingMode(mode)]) => format!(" {mode:?}"),
            (Decoration::LinkageAttributes, [.., Operand::LinkageType(LinkageType::Import)]) => String::new(),
            _ => continue,
        };
        let name = format!("Op{} {decoration:?}{what}", inst.class_name());
        let code = if decoration == Decoration::Component { Refusal::StageInputs } else { Refusal::Spirv };
        return Err(placed(module, inst, about(missing(code, &name), object::name(module, inst))));
    }
    aliased(module)
}

/// Marks the arithmetic that is decorated with `NoContraction`.
pub fn mark_exact(module: &mut Binary) {
    let exact = |i: &Inst| said(i).filter(|s| s.0 == Decoration::NoContraction).and_then(|_| i.id(0));
    let exact: FxHashSet<u32> = module.head.iter().filter_map(exact).collect();
    if !exact.is_empty() {
        let marked = |i: &&mut Inst| i.inst.result_id.is_some_and(|id| exact.contains(&id));
        module.body.iter_mut().filter(marked).for_each(|i| i.place |= Inst::EXACT);
    }
}

/// Where an input is interpolated that is so in perspective: naga's reader says the centre. By the entry point's stage and name and the location.
pub type Sampled = (ExecutionModel, String, u32, naga::Sampling);

/// The inputs of fragment stages, and outputs of vertex stages, that say where they are interpolated, but not how.
pub fn sampled(module: &Binary) -> Vec<Sampled> {
    /// What is said of a variable, or of a member of a type.
    #[derive(Default)]
    struct Said {
        location: Option<u32>,
        at: Option<naga::Sampling>,
        other: bool,
    }
    let mut all: IndexMap<(u32, Option<u32>), Said, FxBuildHasher> = IndexMap::default();
    for inst in &module.head {
        let (Some(id), Some((decoration, rest))) = (inst.id(0), said(inst)) else { continue };
        let member = if inst.op() == Op::MemberDecorate { inst.literal(1) } else { None };
        let known = all.entry((id, member)).or_default();
        match (decoration, rest) {
            (Decoration::Location, [Operand::LiteralBit32(n)]) => known.location = Some(*n),
            (Decoration::Centroid, _) => known.at = Some(naga::Sampling::Centroid),
            (Decoration::Sample, _) => known.at = Some(naga::Sampling::Sample),
            (Decoration::NoPerspective | Decoration::Flat, _) => known.other = true,
            _ => {}
        }
    }
    all.retain(|_, s| s.at.is_some() && !s.other);
    if all.is_empty() {
        return Vec::new();
    }
    let mut pointees: FxHashMap<u32, u32> = FxHashMap::default();
    let mut variables: FxHashMap<u32, (StorageClass, u32)> = FxHashMap::default();
    for inst in &module.head {
        let (Some(result), Some(&Operand::StorageClass(class))) = (inst.inst.result_id, inst.inst.operands.first())
        else {
            continue;
        };
        match inst.op() {
            Op::TypePointer => pointees.extend(inst.id(1).map(|to| (result, to))),
            Op::Variable => {
                let to = inst.inst.result_type.and_then(|t| pointees.get(&t)).copied();
                variables.insert(result, (class, to.unwrap_or(0)));
            }
            _ => {}
        }
    }
    let mut list = Vec::new();
    for entry in module.head.iter().filter(|i| i.op() == Op::EntryPoint) {
        let [Operand::ExecutionModel(model), _, Operand::LiteralString(name), listed @ ..] =
            entry.inst.operands.as_slice()
        else {
            continue;
        };
        let class = match model {
            ExecutionModel::Vertex => StorageClass::Output,
            ExecutionModel::Fragment => StorageClass::Input,
            _ => continue,
        };
        for id in listed.iter().filter_map(Operand::id_ref_any) {
            let Some((_, to)) = variables.get(&id).filter(|v| v.0 == class) else { continue };
            for ((of, member), said) in &all {
                let is = if member.is_some() { of == to } else { *of == id };
                if let (true, Some(location), Some(at)) = (is, said.location, said.at) {
                    list.push((*model, name.clone(), location, at));
                }
            }
        }
    }
    list
}

fn placed(module: &Binary, inst: &Inst, mut d: Diagnostic) -> Diagnostic {
    d.labels[0].span = module.places.span(inst.place);
    d
}

/// Variables that may be the same memory: each has its own here, and no pass expects a store to one to be seen through another. Those of
/// one binding are one variable (`lower`).
fn aliased(module: &Binary) -> Result<(), Diagnostic> {
    let mut bindings: FxHashMap<u32, [Option<u32>; 2]> = FxHashMap::default();
    let mut apart: FxHashMap<u32, bool> = FxHashMap::default();
    for inst in &module.head {
        let (Some(id), Some((decoration, rest))) = (inst.id(0), said(inst)) else { continue };
        let number = match rest {
            &[Operand::LiteralBit32(n)] => Some(n),
            _ => None,
        };
        match decoration {
            Decoration::Aliased if inst.op() == Op::Decorate => {
                apart.insert(id, false);
            }
            Decoration::DescriptorSet => bindings.entry(id).or_default()[0] = number,
            Decoration::Binding => bindings.entry(id).or_default()[1] = number,
            _ => {}
        }
    }
    if apart.len() < 2 {
        return Ok(());
    }
    let mut first: FxHashMap<bool, (u32, [Option<u32>; 2])> = FxHashMap::default();
    for inst in module.head.iter().filter(|i| i.op() == Op::Variable) {
        let Some(id) = inst.inst.result_id.filter(|id| apart.contains_key(id)) else { continue };
        let workgroup = match inst.inst.operands.first() {
            Some(Operand::StorageClass(StorageClass::Workgroup)) => true,
            Some(Operand::StorageClass(
                StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant,
            )) => false,
            _ => continue,
        };
        let binding = bindings.get(&id).copied().unwrap_or_default();
        match first.get(&workgroup) {
            Some(&(_, other)) if workgroup || other != binding => {
                let name = if workgroup {
                    "OpDecorate Aliased of workgroup variables"
                } else {
                    "OpDecorate Aliased of several bindings"
                };
                let found = about(missing(Refusal::Spirv, name), object::name(module, inst));
                return Err(placed(module, inst, found));
            }
            Some(_) => {}
            None => {
                first.insert(workgroup, (id, binding));
            }
        }
    }
    Ok(())
}
