//! Support of SPIR-V, by the capability that a module declares, and of draws by form. Declarations of capabilities are ignored: a module is
//! judged by its instructions. `tests/tests/house/spirv_support.rs` compiles a shader for each row.

use gpucc_ir::Refusal;

/// The treatment of a module that uses what a capability allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is lowered to IR.
    Runs,
    /// It is refused with this code.
    Refused(Refusal),
}

/// A capability as SPIR-V names it, and what becomes of it.
pub type Row = (&'static str, Verdict);

/// Rows by what becomes of them: `Runs`, or the code of a refusal.
macro_rules! rows {
    (@ Runs) => { Verdict::Runs };
    (@ $code:ident) => { Verdict::Refused(Refusal::$code) };
    ($($what:ident: $($name:ident)*;)*) => { &[$($((stringify!($name), rows!(@ $what)),)*)*] };
}

/// The capabilities that a Vulkan driver can be given, but for those of stages that no target has.
pub const ROWS: &[Row] = rows! {
    Runs: Matrix Shader;
    Geometry: Geometry GeometryPointSize MultiViewport;
    Tessellation: Tessellation TessellationPointSize;
    MeshShaders: MeshShadingEXT MeshShadingNV;
    RayTracing: RayTracingKHR RayTracingNV;
    Runs: Float16 Float64 Int8 Int16 Int64 Int64Atomics AtomicFloat32AddEXT AtomicFloat32MinMaxEXT;
    AtomicTypes: AtomicFloat16AddEXT AtomicFloat16MinMaxEXT AtomicFloat64AddEXT AtomicFloat64MinMaxEXT;
    Runs:
        StorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess StoragePushConstant8 StorageBuffer16BitAccess
        UniformAndStorageBuffer16BitAccess StoragePushConstant16 StorageInputOutput16 WorkgroupMemoryExplicitLayoutKHR
        WorkgroupMemoryExplicitLayout8BitAccessKHR WorkgroupMemoryExplicitLayout16BitAccessKHR DenormPreserve
        DenormFlushToZero SignedZeroInfNanPreserve RoundingModeRTE RoundingModeRTZ ImageQuery ImageGatherExtended;
    Spirv: ImageGatherBiasLodAMD;
    Runs:
        Sampled1D Image1D SampledBuffer ImageBuffer SampledRect ImageRect InputAttachment SampledCubeArray
        ImageCubeArray StorageImageExtendedFormats;
    StorageSamples: StorageImageMultisample ImageMSArray;
    Spirv: ImageReadWriteLodAMD;
    TexelTypes: Int64ImageEXT;
    Spirv: FragmentMaskAMD ImageFootprintNV;
    SparseImages: SparseResidency;
    Runs: StorageImageReadWithoutFormat StorageImageWriteWithoutFormat MinLod DerivativeControl;
    Spirv: ComputeDerivativeGroupQuadsNV ComputeDerivativeGroupLinearNV;
    Runs: InterpolationFunction SampleRateShading;
    PostDepthCoverage: SampleMaskPostDepthCoverage;
    Runs: StencilExportEXT;
    StageInputs: FragmentFullyCoveredEXT;
    ShadingRates: FragmentDensityEXT FragmentShadingRateKHR;
    Interlocks:
        FragmentShaderPixelInterlockEXT FragmentShaderSampleInterlockEXT FragmentShaderShadingRateInterlockEXT;
    Runs:
        ClipDistance CullDistance ShaderLayer ShaderViewportIndex TransformFeedback MultiView DrawParameters
        DeviceGroup FragmentBarycentricKHR FragmentBarycentricNV DemoteToHelperInvocationEXT
        UniformBufferArrayDynamicIndexing StorageBufferArrayDynamicIndexing SampledImageArrayDynamicIndexing
        StorageImageArrayDynamicIndexing InputAttachmentArrayDynamicIndexing UniformTexelBufferArrayDynamicIndexing
        StorageTexelBufferArrayDynamicIndexing ShaderNonUniform UniformBufferArrayNonUniformIndexing
        StorageBufferArrayNonUniformIndexing SampledImageArrayNonUniformIndexing StorageImageArrayNonUniformIndexing
        InputAttachmentArrayNonUniformIndexing UniformTexelBufferArrayNonUniformIndexing
        StorageTexelBufferArrayNonUniformIndexing RuntimeDescriptorArray VariablePointersStorageBuffer
        VariablePointers PhysicalStorageBufferAddresses VulkanMemoryModel VulkanMemoryModelDeviceScope;
    Spirv: ShaderClockKHR;
    Runs:
        ExpectAssumeKHR BitInstructions DotProduct DotProductInputAll DotProductInput4x8Bit
        DotProductInput4x8BitPacked GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic
        GroupNonUniformBallot GroupNonUniformShuffle GroupNonUniformShuffleRelative GroupNonUniformClustered
        GroupNonUniformQuad;
    Subgroups: GroupNonUniformPartitionedNV;
    Runs: GroupNonUniformRotateKHR;
    Subgroups: GroupUniformArithmeticKHR;
    Runs: SubgroupBallotKHR SubgroupVoteKHR;
    Subgroups: Groups;
    RayQueries: RayQueryKHR;
    CooperativeMatrices: CooperativeMatrixNV;
    StageInputs: ShaderSMBuiltinsNV;
};

/// Items that shaders of draws have: built-in values, modes, decorations, images and instructions.
pub const GRAPHICS: &[Row] = {
    use Refusal as R;
    use Verdict::{Refused, Runs};
    &[
        ("`Position`", Runs),
        ("a vertex entry point without `Position`: nothing is drawn", Runs),
        ("`VertexIndex`, `InstanceIndex`", Runs),
        ("`BaseVertex`", Runs),
        ("`BaseInstance`", Runs),
        ("`DrawIndex`: 0", Runs),
        ("`ViewIndex`: 0", Runs),
        ("`PointSize`", Runs),
        ("`ClipDistance`", Runs),
        ("`ClipDistance` of a fragment stage, compiled with its vertex stage", Runs),
        ("`CullDistance` of a vertex stage", Runs),
        ("`Layer` of a vertex stage", Runs),
        ("`ViewportIndex` of a vertex stage", Runs),
        ("`PrimitiveShadingRateKHR`", Refused(R::ShadingRates)),
        ("`FragCoord`, `FrontFacing`, `HelperInvocation`", Runs),
        ("`Layer`, `ViewportIndex` of a fragment stage", Runs),
        ("`PrimitiveId` of a fragment stage", Runs),
        ("`PointCoord`", Runs),
        ("`SampleId`", Runs),
        ("`SamplePosition`", Runs),
        ("`SampleMask`, read and written", Runs),
        ("`BaryCoordKHR`", Runs),
        ("`FragSizeEXT`", Refused(R::ShadingRates)),
        ("`FragDepth`", Runs),
        ("`DepthGreater`, `DepthLess`, `DepthUnchanged`", Runs),
        ("`FragStencilRefEXT`", Runs),
        ("`EarlyFragmentTests`", Runs),
        ("`PostDepthCoverage`", Refused(R::PostDepthCoverage)),
        ("`PixelInterlockOrderedEXT` and its siblings", Refused(R::Interlocks)),
        ("`Index` 1: a second source of blending", Runs),
        ("`Component`: parts of a location", Runs),
        ("`Flat`, `NoPerspective`, `Centroid`, `Sample`", Runs),
        ("blocks, structures, matrices and arrays as varyings", Runs),
        ("matrices and arrays as attributes", Runs),
        ("64-bit attributes", Refused(R::WideTypes)),
        ("`InterpolateAtCentroid`, `InterpolateAtSample`, `InterpolateAtOffset`", Runs),
        ("`OpKill`", Runs),
        ("`OpTerminateInvocation`", Runs),
        ("`OpDemoteToHelperInvocation`", Runs),
        ("`OpDPdx`, `OpFwidth`, fine and coarse", Runs),
        ("push constants", Runs),
        ("specialisation constants", Runs),
        ("storage buffers of a vertex stage", Runs),
        ("combined and separate samplers", Runs),
        ("`Dref`: comparisons", Runs),
        ("`Proj`: divided coordinates", Runs),
        ("`Bias`, `Lod`, `Grad`, `ConstOffset`", Runs),
        ("`Offset` of a gather that is not constant", Runs),
        ("`ConstOffsets` of a gather", Runs),
        ("`MinLod`", Runs),
        ("`OpImageGather`, of any component", Runs),
        ("`OpImageQueryLod`, `OpImageQueryLevels`", Runs),
        ("`OpImageQuerySamples`", Runs),
        ("`SubpassData`, of one sample and of several", Runs),
        ("`Buffer` with a format of whole words", Runs),
        ("`Buffer` for sampling, without a format", Runs),
        ("`Rect`", Runs),
        ("`1D`, `3D`, `Cube`, with layers too", Runs),
        ("storage images, loads and stores", Runs),
        ("storage images without a format, where nobody says one", Runs),
        ("`OpImageTexelPointer`: atomics on images", Runs),
        ("arrays of textures, at an index of the pixel too", Runs),
        ("sparse images", Refused(R::SparseImages)),
        ("votes and other operations between lanes", Runs),
        ("`DeviceIndex`: 0", Runs),
        ("`Invariant`, `RelaxedPrecision`, `NoContraction`", Runs),
        ("`XfbBuffer` and its siblings: nothing is captured", Runs),
        ("`FullyCoveredEXT`", Refused(R::StageInputs)),
        ("`FragDepth` beside `EarlyFragmentTests`: it goes", Runs),
        ("16-bit varyings and colours", Runs),
        ("64-bit varyings", Refused(R::WideTypes)),
        ("integer colours", Runs),
        ("`OpImageFetch`, with an offset too", Runs),
        ("`OpImageQuerySize`, `OpImageQuerySizeLod`", Runs),
        ("`OpImageDrefGather`", Runs),
        ("`OpSampledImage` of parts that are chosen at run time", Runs),
        ("`Coherent`, `Volatile`, `Restrict`, `NonReadable`, `NonWritable`", Runs),
        ("storage buffers of a fragment stage, with atomics", Runs),
        ("buffers without a size, and their length", Runs),
        ("buffers of rows and columns: `RowMajor`, `MatrixStride`", Runs),
        ("`scalar` layout of blocks", Runs),
        ("pointers as addresses", Runs),
        ("`OpImageSparseTexelsResident`", Refused(R::SparseImages)),
        ("`OpRayQueryInitializeKHR` and its siblings", Refused(R::RayQueries)),
        ("`SubgroupSize`, `SubgroupLocalInvocationId`", Runs),
    ]
};
