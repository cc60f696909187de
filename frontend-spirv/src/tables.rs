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

/// A list of instructions.
macro_rules! ops {
    ($($name:ident)*) => { &[$(Op::$name),*] };
}

/// The pattern of some variants.
macro_rules! any {
    ($ty:ident: $($name:ident)*) => { $($ty::$name)|* };
}

/// Instructions that are read.
const READ: &[Op] = ops! {
    AccessChain All Any ArrayLength AtomicAnd AtomicCompareExchange AtomicExchange AtomicFAddEXT AtomicFMaxEXT
    AtomicFMinEXT AtomicIAdd AtomicIDecrement AtomicIIncrement AtomicISub AtomicLoad AtomicOr AtomicSMax AtomicSMin
    AtomicStore AtomicUMax AtomicUMin AtomicXor BitCount BitFieldInsert BitFieldSExtract BitFieldUExtract BitReverse
    Bitcast BitwiseAnd BitwiseOr BitwiseXor Branch BranchConditional CompositeConstruct CompositeExtract
    CompositeInsert Constant ConstantComposite ConstantFalse ConstantNull ConstantSampler ConstantTrue ControlBarrier
    ConvertFToS ConvertFToU ConvertPtrToU ConvertSToF ConvertUToF ConvertUToPtr CopyLogical CopyMemory CopyObject DPdx
    DPdxCoarse DPdxFine DPdy DPdyCoarse DPdyFine Decorate DecorateId DecorationGroup DemoteToHelperInvocation Dot
    EntryPoint ExecutionMode ExecutionModeId ExpectKHR ExtInst ExtInstImport ExtInstWithForwardRefsKHR FAdd FConvert
    FDiv FMod FMul FNegate FOrdEqual FOrdGreaterThan FOrdGreaterThanEqual FOrdLessThan FOrdLessThanEqual FOrdNotEqual
    FRem FSub FUnordEqual FUnordGreaterThan FUnordGreaterThanEqual FUnordLessThan FUnordLessThanEqual FUnordNotEqual
    Function FunctionCall FunctionEnd FunctionParameter Fwidth FwidthCoarse FwidthFine GroupDecorate
    GroupMemberDecorate GroupNonUniformAll GroupNonUniformAllEqual GroupNonUniformAny GroupNonUniformBallot
    GroupNonUniformBallotBitCount GroupNonUniformBallotBitExtract GroupNonUniformBallotFindLSB
    GroupNonUniformBallotFindMSB GroupNonUniformBitwiseAnd GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor
    GroupNonUniformBroadcast GroupNonUniformBroadcastFirst GroupNonUniformElect GroupNonUniformFAdd
    GroupNonUniformFMax GroupNonUniformFMin GroupNonUniformFMul GroupNonUniformIAdd GroupNonUniformIMul
    GroupNonUniformInverseBallot GroupNonUniformLogicalAnd GroupNonUniformLogicalOr GroupNonUniformLogicalXor
    GroupNonUniformQuadBroadcast GroupNonUniformQuadSwap GroupNonUniformRotateKHR GroupNonUniformSMax
    GroupNonUniformSMin GroupNonUniformShuffle GroupNonUniformShuffleDown GroupNonUniformShuffleUp
    GroupNonUniformShuffleXor GroupNonUniformUMax GroupNonUniformUMin IAdd IAddCarry IEqual IMul INotEqual ISub
    ISubBorrow Image ImageDrefGather ImageFetch ImageGather ImageQueryLevels ImageQueryLod ImageQuerySamples
    ImageQuerySize ImageQuerySizeLod ImageRead ImageSampleDrefExplicitLod ImageSampleDrefImplicitLod
    ImageSampleExplicitLod ImageSampleImplicitLod ImageSampleProjDrefExplicitLod ImageSampleProjDrefImplicitLod
    ImageSampleProjExplicitLod ImageSampleProjImplicitLod ImageTexelPointer ImageWrite InBoundsAccessChain
    InBoundsPtrAccessChain IsHelperInvocationEXT IsInf IsNan Kill Label LessOrGreater Line Load LogicalAnd
    LogicalEqual LogicalNot LogicalNotEqual LogicalOr LoopMerge MatrixTimesMatrix MatrixTimesScalar MatrixTimesVector
    MemberDecorate MemberName MemoryBarrier MemoryModel Name NoLine Not Ordered OuterProduct Phi PtrAccessChain
    PtrDiff PtrEqual PtrNotEqual QuantizeToF16 Return ReturnValue SConvert SDiv SDot SDotAccSat SGreaterThan
    SGreaterThanEqual SLessThan SLessThanEqual SMod SMulExtended SNegate SRem SUDot SUDotAccSat SampledImage Select
    SelectionMerge ShiftLeftLogical ShiftRightArithmetic ShiftRightLogical Source SourceContinued SpecConstant
    SpecConstantComposite SpecConstantFalse SpecConstantOp SpecConstantTrue Store String SubgroupAllEqualKHR
    SubgroupAllKHR SubgroupAnyKHR SubgroupBallotKHR SubgroupFirstInvocationKHR SubgroupReadInvocationKHR Switch
    TerminateInvocation Transpose TypeArray TypeBool TypeFloat TypeForwardPointer TypeFunction TypeImage TypeInt
    TypeMatrix TypePointer TypeRuntimeArray TypeSampledImage TypeSampler TypeStruct TypeVector TypeVoid UConvert UDiv
    UDot UDotAccSat UGreaterThan UGreaterThanEqual ULessThan ULessThanEqual UMod UMulExtended Undef Unordered
    Unreachable Variable VectorExtractDynamic VectorInsertDynamic VectorShuffle VectorTimesMatrix VectorTimesScalar
};

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
    const ALL: &[Op] = ops! {
        SConvert FConvert UConvert SNegate Not IAdd ISub IMul UDiv SDiv UMod SRem SMod ShiftRightLogical
        ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd VectorShuffle CompositeExtract
        CompositeInsert LogicalOr LogicalAnd LogicalNot LogicalEqual LogicalNotEqual Select IEqual INotEqual ULessThan
        SLessThan UGreaterThan SGreaterThan ULessThanEqual SLessThanEqual UGreaterThanEqual SGreaterThanEqual
        QuantizeToF16 ConvertFToS ConvertSToF ConvertFToU ConvertUToF Bitcast FNegate FAdd FSub FMul FDiv FRem FMod
        CopyObject
    };
    ALL.contains(&op)
}

/// The treatment of a decoration.
pub fn decoration(kind: D) -> Verdict {
    match kind {
        any! { D:
            SpecId Block BufferBlock RowMajor ColMajor ArrayStride MatrixStride BuiltIn NoPerspective Flat Centroid
            Sample Volatile Coherent NonWritable NonReadable Location Component Index Binding DescriptorSet Offset
            FPRoundingMode Invariant NoContraction FPFastMathMode InputAttachmentIndex Aliased
        } => Read,
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
        any! { M: SignedZeroInfNanPreserve DenormPreserve DenormFlushToZero RoundingModeRTE RoundingModeRTZ } => Read,
        M::SubgroupUniformControlFlowKHR | M::MaximallyReconvergesKHR => {
            Harmless("lanes come together where constructs end")
        }
        M::ContractionOff | M::FPFastMathDefault => Read,
        M::Xfb => Harmless("outputs are not captured: no target does that"),
        M::EarlyAndLateFragmentTestsAMD => {
            Harmless("it allows tests before the stage runs, and asks for those after it")
        }
        any! { M:
            PixelInterlockOrderedEXT PixelInterlockUnorderedEXT SampleInterlockOrderedEXT SampleInterlockUnorderedEXT
            ShadingRateInterlockOrderedEXT ShadingRateInterlockUnorderedEXT
        } => Refused(Refusal::Interlocks),
        M::StencilRefReplacingEXT => Harmless("it is what is done"),
        any! { M:
            StencilRefGreaterFrontAMD StencilRefGreaterBackAMD StencilRefLessFrontAMD StencilRefLessBackAMD
            StencilRefUnchangedFrontAMD StencilRefUnchangedBackAMD
        } => Refused(Refusal::StencilExport),
        M::PostDepthCoverage => Refused(Refusal::PostDepthCoverage),
        M::Triangles | M::Quads | M::Isolines => Refused(Refusal::Tessellation),
        any! { M:
            OutputVertices InputPoints InputLines InputTrianglesAdjacency InputLinesAdjacency OutputPoints
            OutputLineStrip OutputTriangleStrip Invocations
        } => Refused(Refusal::Geometry),
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
        any! { C:
            Function Private Workgroup Uniform StorageBuffer PushConstant Input Output UniformConstant
            PhysicalStorageBuffer Image
        } => None,
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
        any! { S:
            ACQUIRE RELEASE ACQUIRE_RELEASE SEQUENTIALLY_CONSISTENT UNIFORM_MEMORY WORKGROUP_MEMORY
            ATOMIC_COUNTER_MEMORY IMAGE_MEMORY VOLATILE
        } => Read,
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
