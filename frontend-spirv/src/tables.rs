//! Treatment of each instruction, decoration, execution mode and storage class: it is read, it is ignored because it changes nothing, or it
//! is refused with a code.

use gpucc_ir::Refusal;
use rspirv::spirv::{
    BuiltIn, Decoration as D, ExecutionMode as M, ExecutionModel, FPFastMathMode as F, FunctionControl,
    ImageOperands as I, LoopControl, MemoryAccess as A, MemorySemantics as S, Op, SelectionControl, StorageClass as C,
};
use std::sync::OnceLock;

/// The treatment of something that a module says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is read.
    Read,
    /// It may be passed over: the reason.
    Harmless(&'static str),
    /// A module with it is refused with this code.
    Refused(Refusal),
}

use Verdict::{Harmless, Read, Refused};

/// Instructions that are read.
const READ: &[Op] = &[
    Op::AccessChain,
    Op::All,
    Op::Any,
    Op::ArrayLength,
    Op::AtomicAnd,
    Op::AtomicCompareExchange,
    Op::AtomicExchange,
    Op::AtomicFAddEXT,
    Op::AtomicFMaxEXT,
    Op::AtomicFMinEXT,
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
    Op::ConstantSampler,
    Op::ConstantTrue,
    Op::ControlBarrier,
    Op::ConvertFToS,
    Op::ConvertFToU,
    Op::ConvertPtrToU,
    Op::ConvertSToF,
    Op::ConvertUToF,
    Op::ConvertUToPtr,
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
    Op::DecorationGroup,
    Op::DemoteToHelperInvocation,
    Op::Dot,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::ExecutionModeId,
    Op::ExpectKHR,
    Op::ExtInst,
    Op::ExtInstImport,
    Op::ExtInstWithForwardRefsKHR,
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
    Op::GroupDecorate,
    Op::GroupMemberDecorate,
    Op::GroupNonUniformAll,
    Op::GroupNonUniformAllEqual,
    Op::GroupNonUniformAny,
    Op::GroupNonUniformBallot,
    Op::GroupNonUniformBallotBitCount,
    Op::GroupNonUniformBallotBitExtract,
    Op::GroupNonUniformBallotFindLSB,
    Op::GroupNonUniformBallotFindMSB,
    Op::GroupNonUniformBitwiseAnd,
    Op::GroupNonUniformBitwiseOr,
    Op::GroupNonUniformBitwiseXor,
    Op::GroupNonUniformBroadcast,
    Op::GroupNonUniformBroadcastFirst,
    Op::GroupNonUniformElect,
    Op::GroupNonUniformFAdd,
    Op::GroupNonUniformFMax,
    Op::GroupNonUniformFMin,
    Op::GroupNonUniformFMul,
    Op::GroupNonUniformIAdd,
    Op::GroupNonUniformIMul,
    Op::GroupNonUniformInverseBallot,
    Op::GroupNonUniformLogicalAnd,
    Op::GroupNonUniformLogicalOr,
    Op::GroupNonUniformLogicalXor,
    Op::GroupNonUniformQuadBroadcast,
    Op::GroupNonUniformQuadSwap,
    Op::GroupNonUniformRotateKHR,
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
    Op::ImageQueryLod,
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
    Op::ImageTexelPointer,
    Op::ImageWrite,
    Op::InBoundsAccessChain,
    Op::InBoundsPtrAccessChain,
    Op::IsHelperInvocationEXT,
    Op::IsInf,
    Op::IsNan,
    Op::Kill,
    Op::Label,
    Op::LessOrGreater,
    Op::Line,
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
    Op::NoLine,
    Op::Not,
    Op::Ordered,
    Op::OuterProduct,
    Op::Phi,
    Op::PtrAccessChain,
    Op::PtrDiff,
    Op::PtrEqual,
    Op::PtrNotEqual,
    Op::QuantizeToF16,
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
    Op::Source,
    Op::SourceContinued,
    Op::SpecConstant,
    Op::SpecConstantComposite,
    Op::SpecConstantFalse,
    Op::SpecConstantOp,
    Op::SpecConstantTrue,
    Op::Store,
    Op::String,
    Op::SubgroupAllEqualKHR,
    Op::SubgroupAllKHR,
    Op::SubgroupAnyKHR,
    Op::SubgroupBallotKHR,
    Op::SubgroupFirstInvocationKHR,
    Op::SubgroupReadInvocationKHR,
    Op::Switch,
    Op::TerminateInvocation,
    Op::Transpose,
    Op::TypeArray,
    Op::TypeBool,
    Op::TypeFloat,
    Op::TypeForwardPointer,
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
    Op::Unordered,
    Op::Unreachable,
    Op::Variable,
    Op::VectorExtractDynamic,
    Op::VectorInsertDynamic,
    Op::VectorShuffle,
    Op::VectorTimesMatrix,
    Op::VectorTimesScalar,
];

/// Whether an instruction is read, by its number.
fn is_read(op: Op) -> bool {
    static KNOWN: OnceLock<Vec<bool>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let most = READ.iter().map(|op| *op as usize).max().unwrap_or(0);
        let mut known = vec![false; most + 1];
        READ.iter().for_each(|op| known[*op as usize] = true);
        known
    });
    known.get(op as usize).copied().unwrap_or(false)
}

/// The treatment of an instruction.
pub fn instruction(op: Op) -> Verdict {
    use Op as O;
    match op {
        _ if is_read(op) => Read,
        O::Nop => Harmless("it does nothing"),
        O::AssumeTrueKHR => Harmless("it is a promise that need not be used"),
        O::Capability | O::Extension | O::ConditionalCapabilityINTEL | O::ConditionalExtensionINTEL => {
            Harmless("a module is judged by its instructions")
        }
        O::SourceExtension | O::ModuleProcessed | O::DecorateString | O::MemberDecorateString => {
            Harmless("it is for people and debuggers")
        }
        _ => Refused(refusal_of(op)),
    }
}

/// The refusal of an entry point of a stage that is none of a pipeline here.
pub fn refused_stage(model: ExecutionModel) -> Refusal {
    use ExecutionModel as E;
    match model {
        E::TessellationControl | E::TessellationEvaluation => Refusal::Tessellation,
        E::Geometry => Refusal::Geometry,
        E::MeshNV | E::MeshEXT => Refusal::MeshShaders,
        E::TaskNV | E::TaskEXT => Refusal::TaskShaders,
        E::Kernel => Refusal::Kernels,
        _ => Refusal::RayTracing,
    }
}

/// The refusal of an instruction, if it is refused.
pub fn refusal_of(op: Op) -> Refusal {
    let name = format!("{op:?}");
    let has = |part: &str| name.contains(part);
    match op {
        _ if has("Group") || has("Subgroup") => Refusal::Subgroups,
        _ if has("ImageSparse") => Refusal::SparseImages,
        _ if has("InvocationInterlock") => Refusal::Interlocks,
        _ if has("CooperativeMatrix") || has("CooperativeVector") => Refusal::CooperativeMatrices,
        _ if has("Ray") || has("AccelerationStructure") || has("HitObject") => Refusal::RayQueries,
        _ if has("EmitMeshTasks") => Refusal::TaskShaders,
        _ if has("MeshOutputs") => Refusal::MeshShaders,
        _ if has("EmitVertex") || has("EndPrimitive") || has("EmitStreamVertex") || has("EndStreamPrimitive") => {
            Refusal::Geometry
        }
        _ if name.starts_with("Atomic") => Refusal::AtomicTypes,
        _ => Refusal::Spirv,
    }
}

/// Whether `OpSpecConstantOp` may do this.
pub fn is_constant_op(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::SConvert
            | O::FConvert
            | O::UConvert
            | O::SNegate
            | O::Not
            | O::IAdd
            | O::ISub
            | O::IMul
            | O::UDiv
            | O::SDiv
            | O::UMod
            | O::SRem
            | O::SMod
            | O::ShiftRightLogical
            | O::ShiftRightArithmetic
            | O::ShiftLeftLogical
            | O::BitwiseOr
            | O::BitwiseXor
            | O::BitwiseAnd
            | O::VectorShuffle
            | O::CompositeExtract
            | O::CompositeInsert
            | O::LogicalOr
            | O::LogicalAnd
            | O::LogicalNot
            | O::LogicalEqual
            | O::LogicalNotEqual
            | O::Select
            | O::IEqual
            | O::INotEqual
            | O::ULessThan
            | O::SLessThan
            | O::UGreaterThan
            | O::SGreaterThan
            | O::ULessThanEqual
            | O::SLessThanEqual
            | O::UGreaterThanEqual
            | O::SGreaterThanEqual
            | O::QuantizeToF16
            | O::ConvertFToS
            | O::ConvertSToF
            | O::ConvertFToU
            | O::ConvertUToF
            | O::Bitcast
            | O::FNegate
            | O::FAdd
            | O::FSub
            | O::FMul
            | O::FDiv
            | O::FRem
            | O::FMod
            | O::CopyObject
    )
}

/// The treatment of a decoration.
pub fn decoration(kind: D) -> Verdict {
    match kind {
        D::SpecId
        | D::Block
        | D::BufferBlock
        | D::RowMajor
        | D::ColMajor
        | D::ArrayStride
        | D::MatrixStride
        | D::BuiltIn
        | D::NoPerspective
        | D::Flat
        | D::Centroid
        | D::Sample
        | D::Volatile
        | D::Coherent
        | D::NonWritable
        | D::NonReadable
        | D::Location
        | D::Component
        | D::Index
        | D::Binding
        | D::DescriptorSet
        | D::Offset
        | D::FPRoundingMode
        | D::Invariant
        | D::NoContraction
        | D::FPFastMathMode
        | D::InputAttachmentIndex
        | D::Aliased => Read,
        D::PerVertexKHR => Read,
        D::ExplicitInterpAMD => Refused(Refusal::PerVertexInputs),
        D::Patch | D::PerPrimitiveEXT | D::PassthroughNV | D::ViewportRelativeNV | D::SecondaryViewportRelativeNV => {
            Refused(Refusal::StageInputs)
        }
        D::RelaxedPrecision => Harmless("it allows less precision, and asks for none"),
        D::Restrict | D::RestrictPointer | D::AliasedPointer => {
            Harmless("what may overlap is told by bindings, not by what pointers promise")
        }
        D::GLSLShared | D::GLSLPacked | D::CPacked => Harmless("offsets are written out"),
        D::Uniform | D::UniformId => Harmless("it promises that lanes agree, which nothing relies on"),
        D::NonUniform => Harmless("whether lanes agree on an index is found out"),
        D::NoSignedWrap | D::NoUnsignedWrap => Harmless("it promises that nothing overflows, which nothing relies on"),
        D::Alignment | D::AlignmentId | D::MaxByteOffset | D::MaxByteOffsetId => {
            Harmless("it promises what nothing relies on")
        }
        D::UserSemantic | D::UserTypeGOOGLE | D::CounterBuffer => Harmless("it is for people and other tools"),
        D::XfbBuffer | D::XfbStride | D::Stream => Harmless("outputs are not captured: no target does that"),
        D::LinkageAttributes => Harmless("an entry point is what is compiled"),
        D::Constant | D::FuncParamAttr | D::SaturatedConversion => Refused(Refusal::Spirv),
        _ => Refused(Refusal::Spirv),
    }
}

/// The treatment of an execution mode.
pub fn mode(mode: M) -> Verdict {
    match mode {
        M::LocalSize | M::LocalSizeId | M::EarlyFragmentTests => Read,
        M::SubgroupSize | M::SubgroupsPerWorkgroup | M::SubgroupsPerWorkgroupId => Read,
        M::LocalSizeHint | M::LocalSizeHintId => Harmless("it is a hint"),
        M::OriginUpperLeft => Harmless("it is what is done"),
        M::DepthUnchanged | M::DepthGreater | M::DepthLess | M::DepthReplacing => {
            Harmless("it promises what nothing relies on: depth is tested behind the shader")
        }
        M::SignedZeroInfNanPreserve
        | M::DenormPreserve
        | M::DenormFlushToZero
        | M::RoundingModeRTE
        | M::RoundingModeRTZ => Read,
        M::SubgroupUniformControlFlowKHR | M::MaximallyReconvergesKHR => {
            Harmless("lanes come together where constructs end")
        }
        M::ContractionOff | M::FPFastMathDefault => Read,
        M::Xfb => Harmless("outputs are not captured: no target does that"),
        M::EarlyAndLateFragmentTestsAMD => {
            Harmless("it allows tests before the stage runs, and asks for those after it")
        }
        M::PixelInterlockOrderedEXT
        | M::PixelInterlockUnorderedEXT
        | M::SampleInterlockOrderedEXT
        | M::SampleInterlockUnorderedEXT
        | M::ShadingRateInterlockOrderedEXT
        | M::ShadingRateInterlockUnorderedEXT => Refused(Refusal::Interlocks),
        M::StencilRefReplacingEXT => Harmless("it is what is done"),
        M::StencilRefGreaterFrontAMD
        | M::StencilRefGreaterBackAMD
        | M::StencilRefLessFrontAMD
        | M::StencilRefLessBackAMD
        | M::StencilRefUnchangedFrontAMD
        | M::StencilRefUnchangedBackAMD => Refused(Refusal::StencilExport),
        M::PostDepthCoverage => Refused(Refusal::PostDepthCoverage),
        M::Triangles | M::Quads | M::Isolines => Refused(Refusal::Tessellation),
        M::OutputVertices
        | M::InputPoints
        | M::InputLines
        | M::InputTrianglesAdjacency
        | M::InputLinesAdjacency
        | M::OutputPoints
        | M::OutputLineStrip
        | M::OutputTriangleStrip
        | M::Invocations => Refused(Refusal::Geometry),
        M::OutputLinesEXT | M::OutputTrianglesEXT | M::OutputPrimitivesEXT => Refused(Refusal::MeshShaders),
        _ => Refused(Refusal::Spirv),
    }
}

/// The refusal of an execution mode, if it is refused.
pub fn refused_mode(kind: M) -> Option<Refusal> {
    match mode(kind) {
        Refused(code) => Some(code),
        _ => None,
    }
}

/// The refusal of a built-in value that no stage here has.
pub fn refused_built_in(kind: BuiltIn) -> Refusal {
    let name = format!("{kind:?}");
    match kind {
        BuiltIn::PrimitiveShadingRateKHR
        | BuiltIn::ShadingRateKHR
        | BuiltIn::FragSizeEXT
        | BuiltIn::FragInvocationCountEXT => Refusal::ShadingRates,
        BuiltIn::FragStencilRefEXT => Refusal::StencilExport,
        _ if name.starts_with("Bary") => Refusal::PerVertexInputs,
        _ if name.starts_with("Subgroup") => Refusal::Subgroups,
        _ => Refusal::StageInputs,
    }
}

/// The refusal of a storage class, if it is refused.
pub fn refused_class(class: C) -> Option<Refusal> {
    match class {
        C::Function
        | C::Private
        | C::Workgroup
        | C::Uniform
        | C::StorageBuffer
        | C::PushConstant
        | C::Input
        | C::Output
        | C::UniformConstant
        | C::PhysicalStorageBuffer
        | C::Image => None,
        C::TaskPayloadWorkgroupEXT => Some(Refusal::TaskShaders),
        C::RayPayloadKHR | C::IncomingRayPayloadKHR | C::HitAttributeKHR | C::CallableDataKHR => {
            Some(Refusal::RayTracing)
        }
        _ => Some(Refusal::Spirv),
    }
}

/// The treatment of one image operand.
pub fn image_operand(bit: I) -> Verdict {
    let read = I::BIAS | I::LOD | I::GRAD | I::CONST_OFFSET | I::OFFSET | I::CONST_OFFSETS | I::SAMPLE | I::MIN_LOD;
    if read.contains(bit) {
        return Read;
    }
    if (I::SIGN_EXTEND | I::ZERO_EXTEND).contains(bit) {
        return Harmless("the type of the texel says it, too");
    }
    if bit == I::NONTEMPORAL {
        return Harmless("it is a hint");
    }
    if (I::MAKE_TEXEL_AVAILABLE | I::MAKE_TEXEL_VISIBLE | I::NON_PRIVATE_TEXEL | I::VOLATILE_TEXEL).contains(bit) {
        return Harmless("images are loaded and stored in the order of the program");
    }
    Refused(Refusal::Spirv)
}

/// The treatment of one bit of the operands of an access to memory.
pub fn memory_access(bit: A) -> Verdict {
    match bit {
        A::VOLATILE | A::MAKE_POINTER_AVAILABLE | A::MAKE_POINTER_VISIBLE | A::ALIGNED => Read,
        A::ALIAS_SCOPE_INTEL_MASK | A::NO_ALIAS_INTEL_MASK => Harmless("it promises what nothing relies on"),
        A::NONTEMPORAL => Harmless("it is a hint"),
        A::NON_PRIVATE_POINTER => Harmless("order is that of fences, whoever else accesses the memory"),
        _ => Refused(Refusal::Spirv),
    }
}

/// The treatment of one bit of the semantics of an atomic or a barrier.
pub fn semantics(bit: S) -> Verdict {
    match bit {
        S::ACQUIRE
        | S::RELEASE
        | S::ACQUIRE_RELEASE
        | S::SEQUENTIALLY_CONSISTENT
        | S::UNIFORM_MEMORY
        | S::WORKGROUP_MEMORY
        | S::ATOMIC_COUNTER_MEMORY
        | S::IMAGE_MEMORY
        | S::VOLATILE => Read,
        S::SUBGROUP_MEMORY | S::CROSS_WORKGROUP_MEMORY => Harmless("nothing is in such memory"),
        S::OUTPUT_MEMORY => Harmless("outputs are the invocation's own"),
        S::MAKE_AVAILABLE | S::MAKE_VISIBLE => Harmless("a fence does both"),
        _ => Refused(Refusal::Spirv),
    }
}

/// The treatment of one bit of the licences of an operation on floats.
pub fn fast_math(bit: F) -> Verdict {
    match bit {
        F::NSZ | F::ALLOW_CONTRACT => Read,
        F::NOT_NAN | F::NOT_INF | F::ALLOW_RECIP | F::FAST | F::ALLOW_REASSOC | F::ALLOW_TRANSFORM => {
            Harmless("it allows what is not done")
        }
        _ => Refused(Refusal::Spirv),
    }
}

/// The treatment of one bit of the control mask of a function, a loop or a selection, of which the grammar knows `all`.
fn control(bit: u32, all: u32) -> Verdict {
    if all & bit != 0 { Harmless("it is a hint, or a promise that nothing relies on") } else { Refused(Refusal::Spirv) }
}

/// The treatment of one bit of the control mask of a function.
pub fn function_control(bit: u32) -> Verdict {
    control(bit, FunctionControl::all().bits())
}

/// The treatment of one bit of the control mask of a loop.
pub fn loop_control(bit: u32) -> Verdict {
    control(bit, LoopControl::all().bits())
}

/// The treatment of one bit of the control mask of a selection.
pub fn selection_control(bit: u32) -> Verdict {
    control(bit, SelectionControl::all().bits())
}

/// The code for which an instruction is refused by the bits of its operands, and the bits.
pub fn refused_bits(op: Op, operands: &[u32]) -> Option<(Refusal, u32)> {
    let access = |bit: u32| memory_access(A::from_bits_retain(bit));
    let image = |bit: u32| image_operand(I::from_bits_retain(bit));
    let (set, verdict): (Option<&u32>, &dyn Fn(u32) -> Verdict) = match op {
        Op::Function => (operands.first(), &function_control),
        Op::LoopMerge => (operands.get(2), &loop_control),
        Op::SelectionMerge => (operands.get(1), &selection_control),
        Op::Load => (operands.get(1), &access),
        Op::Store | Op::CopyMemory => (operands.get(2), &access),
        Op::ImageRead | Op::ImageFetch => (operands.get(2), &image),
        Op::ImageWrite => (operands.get(3), &image),
        _ => return None,
    };
    let set = *set?;
    let bits = (0..32).map(|k| 1u32 << k).filter(|bit| set & bit != 0);
    bits.into_iter().find_map(|bit| match verdict(bit) {
        Refused(code) => Some((code, bit)),
        _ => None,
    })
}
