//! What of SPIR-V compiles, by the capability that a module declares. The declarations themselves are not looked at: a module is judged by
//! its instructions. `tests/tests/spirv_support.rs` compiles a shader for each row.

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

/// The capabilities that a Vulkan driver can be given, but for those of stages that no target has.
pub const ROWS: &[Row] = {
    use Refusal as R;
    use Verdict::{Refused, Runs};
    &[
        ("Matrix", Runs),
        ("Shader", Runs),
        ("Geometry", Refused(R::Geometry)),
        ("Tessellation", Refused(R::Tessellation)),
        ("MeshShadingEXT", Refused(R::MeshShaders)),
        ("RayTracingKHR", Refused(R::RayTracing)),
        ("Float16", Runs),
        ("Float64", Runs),
        ("Int8", Runs),
        ("Int16", Runs),
        ("Int64", Runs),
        ("Int64Atomics", Refused(R::AtomicTypes)),
        ("AtomicFloat32AddEXT", Runs),
        ("StorageBuffer8BitAccess", Runs),
        ("UniformAndStorageBuffer8BitAccess", Runs),
        ("StoragePushConstant8", Runs),
        ("StorageBuffer16BitAccess", Runs),
        ("UniformAndStorageBuffer16BitAccess", Runs),
        ("StoragePushConstant16", Runs),
        ("StorageInputOutput16", Runs),
        ("ImageQuery", Runs),
        ("ImageGatherExtended", Refused(R::Spirv)),
        ("Sampled1D", Runs),
        ("Image1D", Runs),
        ("SampledBuffer", Refused(R::TexelBuffers)),
        ("ImageBuffer", Runs),
        ("InputAttachment", Runs),
        ("SampledCubeArray", Runs),
        ("ImageCubeArray", Runs),
        ("StorageImageExtendedFormats", Runs),
        ("StorageImageMultisample", Refused(R::Spirv)),
        ("StorageImageReadWithoutFormat", Refused(R::Spirv)),
        ("StorageImageWriteWithoutFormat", Refused(R::Spirv)),
        ("MinLod", Refused(R::Spirv)),
        ("DerivativeControl", Runs),
        ("InterpolationFunction", Refused(R::StageInputs)),
        ("SampleRateShading", Runs),
        ("ClipDistance", Runs),
        ("CullDistance", Refused(R::StageInputs)),
        ("MultiView", Runs),
        ("DrawParameters", Refused(R::StageInputs)),
        ("FragmentBarycentricKHR", Refused(R::StageInputs)),
        ("DemoteToHelperInvocationEXT", Runs),
        ("UniformBufferArrayDynamicIndexing", Runs),
        ("StorageBufferArrayDynamicIndexing", Runs),
        ("SampledImageArrayDynamicIndexing", Runs),
        ("RuntimeDescriptorArray", Runs),
        ("VariablePointersStorageBuffer", Runs),
        ("PhysicalStorageBufferAddresses", Refused(R::PhysicalAddresses)),
        ("VulkanMemoryModel", Runs),
        ("DotProductInput4x8Bit", Runs),
        ("DotProductInput4x8BitPacked", Runs),
        ("GroupNonUniform", Runs),
        ("GroupNonUniformVote", Runs),
        ("GroupNonUniformArithmetic", Runs),
        ("GroupNonUniformBallot", Runs),
        ("GroupNonUniformShuffle", Runs),
        ("GroupNonUniformShuffleRelative", Runs),
        ("GroupNonUniformClustered", Runs),
        ("GroupNonUniformQuad", Runs),
        ("RayQueryKHR", Refused(R::RayQueries)),
        ("CooperativeMatrixNV", Refused(R::CooperativeMatrices)),
    ]
};
