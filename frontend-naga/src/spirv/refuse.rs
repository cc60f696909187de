//! What is right SPIR-V and cannot be compiled: refused by name, before anything is rewritten.

use super::binary::{Binary, Inst};
use super::object;
use super::types::{malformed, missing, unsupported};
use crate::guard::limits;
use crate::report;
use gpucc_ir::{Diagnostic, Refusal};
use rspirv::dr::Operand;
use rspirv::spirv::{AddressingModel, BuiltIn, Dim, ExecutionMode, ExecutionModel, ImageOperands, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instructions that are rewritten here or that naga reads. What is not in this list is refused by its name.
const KNOWN: &[Op] = &[
    Op::AccessChain,
    Op::All,
    Op::Any,
    Op::ArrayLength,
    Op::AtomicAnd,
    Op::AtomicCompareExchange,
    Op::AtomicExchange,
    Op::AtomicFAddEXT,
    Op::AtomicIAdd,
    Op::AtomicIDecrement,
    Op::AtomicIIncrement,
    Op::AtomicISub,
    Op::AtomicLoad,
    Op::AtomicOr,
    Op::AtomicSMax,
    Op::AtomicSMin,
    Op::AtomicStore,
    Op::AtomicUMax,
    Op::AtomicUMin,
    Op::AtomicXor,
    Op::BitCount,
    Op::BitFieldInsert,
    Op::BitFieldSExtract,
    Op::BitFieldUExtract,
    Op::BitReverse,
    Op::Bitcast,
    Op::BitwiseAnd,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::Branch,
    Op::BranchConditional,
    Op::CompositeConstruct,
    Op::CompositeExtract,
    Op::CompositeInsert,
    Op::Constant,
    Op::ConstantComposite,
    Op::ConstantFalse,
    Op::ConstantNull,
    Op::ConstantTrue,
    Op::ControlBarrier,
    Op::ConvertFToS,
    Op::ConvertFToU,
    Op::ConvertSToF,
    Op::ConvertUToF,
    Op::CopyLogical,
    Op::CopyMemory,
    Op::CopyObject,
    Op::DPdx,
    Op::DPdxCoarse,
    Op::DPdxFine,
    Op::DPdy,
    Op::DPdyCoarse,
    Op::DPdyFine,
    Op::Decorate,
    Op::DecorateId,
    Op::Dot,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::ExecutionModeId,
    Op::ExtInst,
    Op::ExtInstImport,
    Op::FAdd,
    Op::FConvert,
    Op::FDiv,
    Op::FMod,
    Op::FMul,
    Op::FNegate,
    Op::FOrdEqual,
    Op::FOrdGreaterThan,
    Op::FOrdGreaterThanEqual,
    Op::FOrdLessThan,
    Op::FOrdLessThanEqual,
    Op::FOrdNotEqual,
    Op::FRem,
    Op::FSub,
    Op::FUnordEqual,
    Op::FUnordGreaterThan,
    Op::FUnordGreaterThanEqual,
    Op::FUnordLessThan,
    Op::FUnordLessThanEqual,
    Op::FUnordNotEqual,
    Op::Function,
    Op::FunctionCall,
    Op::FunctionEnd,
    Op::FunctionParameter,
    Op::Fwidth,
    Op::FwidthCoarse,
    Op::FwidthFine,
    Op::GroupNonUniformAll,
    Op::GroupNonUniformAny,
    Op::GroupNonUniformBallot,
    Op::GroupNonUniformBitwiseAnd,
    Op::GroupNonUniformBitwiseOr,
    Op::GroupNonUniformBitwiseXor,
    Op::GroupNonUniformBroadcast,
    Op::GroupNonUniformBroadcastFirst,
    Op::GroupNonUniformFAdd,
    Op::GroupNonUniformFMax,
    Op::GroupNonUniformFMin,
    Op::GroupNonUniformFMul,
    Op::GroupNonUniformIAdd,
    Op::GroupNonUniformIMul,
    Op::GroupNonUniformLogicalAnd,
    Op::GroupNonUniformLogicalOr,
    Op::GroupNonUniformLogicalXor,
    Op::GroupNonUniformQuadBroadcast,
    Op::GroupNonUniformQuadSwap,
    Op::GroupNonUniformSMax,
    Op::GroupNonUniformSMin,
    Op::GroupNonUniformShuffle,
    Op::GroupNonUniformShuffleDown,
    Op::GroupNonUniformShuffleUp,
    Op::GroupNonUniformShuffleXor,
    Op::GroupNonUniformUMax,
    Op::GroupNonUniformUMin,
    Op::IAdd,
    Op::IAddCarry,
    Op::IEqual,
    Op::IMul,
    Op::INotEqual,
    Op::ISub,
    Op::ISubBorrow,
    Op::Image,
    Op::ImageDrefGather,
    Op::ImageFetch,
    Op::ImageGather,
    Op::ImageQueryLevels,
    Op::ImageQuerySamples,
    Op::ImageQuerySize,
    Op::ImageQuerySizeLod,
    Op::ImageRead,
    Op::ImageSampleDrefExplicitLod,
    Op::ImageSampleDrefImplicitLod,
    Op::ImageSampleExplicitLod,
    Op::ImageSampleImplicitLod,
    Op::ImageSampleProjDrefExplicitLod,
    Op::ImageSampleProjDrefImplicitLod,
    Op::ImageSampleProjExplicitLod,
    Op::ImageSampleProjImplicitLod,
    Op::ImageWrite,
    Op::InBoundsAccessChain,
    Op::IsInf,
    Op::IsNan,
    Op::Kill,
    Op::Label,
    Op::Load,
    Op::LogicalAnd,
    Op::LogicalEqual,
    Op::LogicalNot,
    Op::LogicalNotEqual,
    Op::LogicalOr,
    Op::LoopMerge,
    Op::MatrixTimesMatrix,
    Op::MatrixTimesScalar,
    Op::MatrixTimesVector,
    Op::MemberDecorate,
    Op::MemberName,
    Op::MemoryBarrier,
    Op::MemoryModel,
    Op::Name,
    Op::Not,
    Op::OuterProduct,
    Op::Phi,
    Op::Return,
    Op::ReturnValue,
    Op::SConvert,
    Op::SDiv,
    Op::SDot,
    Op::SDotAccSat,
    Op::SGreaterThan,
    Op::SGreaterThanEqual,
    Op::SLessThan,
    Op::SLessThanEqual,
    Op::SMod,
    Op::SMulExtended,
    Op::SNegate,
    Op::SRem,
    Op::SUDot,
    Op::SUDotAccSat,
    Op::SampledImage,
    Op::Select,
    Op::SelectionMerge,
    Op::ShiftLeftLogical,
    Op::ShiftRightArithmetic,
    Op::ShiftRightLogical,
    Op::SpecConstant,
    Op::SpecConstantComposite,
    Op::SpecConstantFalse,
    Op::SpecConstantOp,
    Op::SpecConstantTrue,
    Op::Store,
    Op::Switch,
    Op::TerminateInvocation,
    Op::Transpose,
    Op::TypeArray,
    Op::TypeBool,
    Op::TypeFloat,
    Op::TypeFunction,
    Op::TypeImage,
    Op::TypeInt,
    Op::TypeMatrix,
    Op::TypePointer,
    Op::TypeRuntimeArray,
    Op::TypeSampledImage,
    Op::TypeSampler,
    Op::TypeStruct,
    Op::TypeVector,
    Op::TypeVoid,
    Op::UConvert,
    Op::UDiv,
    Op::UDot,
    Op::UDotAccSat,
    Op::UGreaterThan,
    Op::UGreaterThanEqual,
    Op::ULessThan,
    Op::ULessThanEqual,
    Op::UMod,
    Op::UMulExtended,
    Op::Undef,
    Op::Unreachable,
    Op::Variable,
    Op::VectorExtractDynamic,
    Op::VectorInsertDynamic,
    Op::VectorShuffle,
    Op::VectorTimesMatrix,
    Op::VectorTimesScalar,
];

/// Refuses what cannot be compiled.
///
/// # Errors
/// The first such instruction, with its place.
pub fn check(module: &Binary) -> Result<(), Diagnostic> {
    for inst in module.head.iter().chain(&module.body) {
        let name = refused(module, inst);
        // Not before the other ways in which a module can be wrong: it is a refusal all the same.
        if let Some(name) = name.or_else(|| lanes(inst)) {
            let mut found = about(missing(code(inst), &name), object::name(module, inst));
            found.labels[0].span = module.places.span(inst.place);
            return Err(found);
        }
    }
    types(module)
}

/// Adds what the source calls the thing in question.
pub fn about(mut d: Diagnostic, object: Option<&str>) -> Diagnostic {
    if let Some(object) = object {
        d.notes.insert(0, format!("this is about `{object}`"));
    }
    d
}

/// Operations between lanes: the lowering refuses them, too, but naga's reader stops at some of them.
fn lanes(inst: &Inst) -> Option<String> {
    let name = inst.class_name();
    (name.starts_with("Group") || name.starts_with("Subgroup")).then(|| format!("Op{name}"))
}

/// What an instruction is refused for.
fn code(inst: &Inst) -> Refusal {
    let name = inst.class_name();
    let has = |part: &str| name.contains(part);
    match inst.op() {
        Op::TypeInt if inst.literal(0).is_some_and(|w| w < 32) => Refusal::NarrowIntegers,
        Op::EntryPoint => Refusal::OtherStages,
        Op::Decorate | Op::MemberDecorate if is_view(inst) => Refusal::StageInputs,
        _ if has("Group") => Refusal::Subgroups,
        _ if has("CooperativeMatrix") => Refusal::CooperativeMatrices,
        _ if has("Ray") || has("AccelerationStructure") => Refusal::RayQueries,
        _ if name.starts_with("Atomic") => Refusal::AtomicTypes,
        _ => Refusal::Spirv,
    }
}

/// Types use only types that stand before them, vectors have two to four lanes, and nothing is nested too deeply.
fn types(module: &Binary) -> Result<(), Diagnostic> {
    let mut depths: FxHashMap<u32, u64> = FxHashMap::default();
    let mut structs: FxHashSet<u32> = FxHashSet::default();
    let (mut arrays, mut pointers): (FxHashMap<u32, String>, FxHashMap<u32, String>) = Default::default();
    for inst in &module.head {
        let Some(result) = inst.inst.result_id else { continue };
        let (op, n) = (inst.op(), inst.literal(1).unwrap_or(0));
        if matches!(op, Op::TypeVector | Op::TypeMatrix) && !(2..=4).contains(&n) {
            let name = format!("Op{} of {n}", inst.class_name());
            return Err(if n == 8 || n == 16 { unsupported(&name) } else { malformed(name) });
        }
        if op == Op::TypeStruct && inst.inst.operands.is_empty() {
            return Err(unsupported("OpTypeStruct without members"));
        }
        match (op, inst.inst.operands.first()) {
            (Op::TypeStruct, _) => {
                structs.insert(result);
            }
            (Op::TypeArray | Op::TypeRuntimeArray, _) if inst.id(0).is_some_and(|e| structs.contains(&e)) => {
                arrays.insert(result, format!("Op{}", inst.class_name()));
            }
            (Op::TypePointer, Some(Operand::StorageClass(class))) => {
                let resource = matches!(class, StorageClass::Uniform | StorageClass::StorageBuffer);
                if let Some(array) = inst.id(1).and_then(|to| arrays.get(&to)).filter(|_| resource) {
                    pointers.insert(result, array.clone());
                }
            }
            // Of buffers only an array of them is an array outside of a struct.
            (Op::Variable, _) => {
                if let Some(array) = inst.inst.result_type.and_then(|t| pointers.get(&t)) {
                    let d = missing(Refusal::BindingArrays, &format!("{array} of buffers"));
                    return Err(about(d, object::name(module, inst)));
                }
            }
            _ => {}
        }
        let mut depth = 1;
        if op.is_type() && op != Op::TypeForwardPointer {
            for part in inst.ids(0) {
                let Some(below) = depths.get(&part) else {
                    return Err(malformed(format!("`Op{}` uses %{part} before it is declared", inst.class_name())));
                };
                depth = depth.max(below + 1);
            }
        }
        if depth > limits::TYPE_DEPTH.max {
            return Err(report::limit(&limits::TYPE_DEPTH));
        }
        depths.insert(result, depth);
    }
    Ok(())
}

fn refused(module: &Binary, inst: &Inst) -> Option<String> {
    let op = inst.op();
    // The grammar has its own name for the first of two names of an instruction; both are the same number.
    let name = format!("Op{}", inst.class_name());
    if !KNOWN.contains(&op) {
        return Some(name);
    }
    let first = inst.inst.operands.first();
    let with = |what: &dyn std::fmt::Debug| Some(format!("{name} {what:?}"));
    match (op, first) {
        (Op::ExtInst, Some(set)) => {
            let set = module.foreign.get(&set.id_ref_any()?)?;
            Some(format!("OpExtInstImport \"{set}\""))
        }
        (Op::MemoryModel, Some(Operand::AddressingModel(model))) if *model != AddressingModel::Logical => with(model),
        (Op::EntryPoint, Some(Operand::ExecutionModel(model))) => {
            use ExecutionModel as M;
            if matches!(model, M::Vertex | M::Fragment | M::GLCompute) { None } else { with(model) }
        }
        (Op::ExecutionMode | Op::ExecutionModeId, _) => match inst.inst.operands.get(1) {
            Some(Operand::ExecutionMode(mode)) => {
                use ExecutionMode as M;
                let known = [
                    M::LocalSize,
                    M::LocalSizeId,
                    M::LocalSizeHint,
                    M::LocalSizeHintId,
                    M::EarlyFragmentTests,
                    M::DepthUnchanged,
                    M::DepthGreater,
                    M::DepthLess,
                    M::DepthReplacing,
                    M::OriginUpperLeft,
                ];
                if known.contains(mode) { None } else { with(mode) }
            }
            _ => None,
        },
        (Op::TypeInt, Some(&Operand::LiteralBit32(width))) if ![8, 16, 32, 64].contains(&width) => {
            Some(format!("{name} {width}"))
        }
        (Op::TypePointer | Op::Variable, Some(Operand::StorageClass(class))) => {
            use StorageClass as C;
            let known = [
                C::Function,
                C::Private,
                C::Workgroup,
                C::Uniform,
                C::StorageBuffer,
                C::PushConstant,
                C::Input,
                C::Output,
                C::UniformConstant,
            ];
            if known.contains(class) { None } else { with(class) }
        }
        (Op::TypeImage, _) => image(inst),
        _ if name.starts_with("OpImage") => {
            let operands = inst.inst.operands.iter().find_map(|o| match o {
                Operand::ImageOperands(set) => Some(*set),
                _ => None,
            });
            let not_known = operands? & (ImageOperands::MIN_LOD | ImageOperands::CONST_OFFSETS);
            (!not_known.is_empty()).then(|| format!("{name} with {not_known:?}"))
        }
        (Op::Decorate | Op::MemberDecorate, _) if is_view(inst) => Some(format!("{name} BuiltIn ViewIndex")),
        _ => None,
    }
}

/// A view's number, which naga takes as an unsigned one only.
fn is_view(inst: &Inst) -> bool {
    inst.inst.operands.iter().any(|o| matches!(o, Operand::BuiltIn(BuiltIn::ViewIndex)))
}

/// Storage images that no API of WebGPU's has.
fn image(inst: &Inst) -> Option<String> {
    let storage = inst.literal(5) == Some(2);
    match inst.inst.operands.get(1) {
        _ if inst.literal(3) == Some(1) && inst.literal(4) == Some(1) => {
            Some("OpTypeImage of several samples with layers".to_string())
        }
        Some(Operand::Dim(Dim::DimCube)) if storage => Some("OpTypeImage Cube for storage".to_string()),
        _ if storage && inst.literal(4) == Some(1) => Some("OpTypeImage of several samples for storage".to_string()),
        _ => None,
    }
}
