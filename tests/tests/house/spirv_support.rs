//! The table of SPIR-V's capabilities in `docs/support.md`: each has a shader here that declares it, and what becomes of the shader is what
//! the table says.
//!
//! Without `glslc` or `glslangValidator`, and `spirv-as`, nothing is run, and the test says so.

use std::collections::BTreeMap;

use gpucc::frontend::spirv_support::{GRAPHICS, ROWS, Verdict};
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{Source, has, scratch, tool};
use gpucc_ir::{Class, Diagnostic, Refusal};
use rayon::prelude::*;

/// A shader: the capability, the stage, extensions, declarations, the body of `main`.
type Probe = (&'static str, &'static str, &'static str, &'static str, &'static str);

const BUFFER: &str = "layout(std430, set = 0, binding = 0) buffer A { uint a[]; };";

const TYPES: &str = "GL_EXT_shader_explicit_arithmetic_types";

#[rustfmt::skip]
const PROBES: &[Probe] = &[
    ("Shader", "comp", "", "", "a[0] = 1u;"),
    ("Matrix", "comp", "", "layout(binding = 1) uniform U { mat4 m; };", "a[0] = uint((m * vec4(1.0)).x);"),
    ("Geometry", "geom", "", "layout(points) in; layout(points, max_vertices = 1) out;", "EmitVertex();"),
    ("Tessellation", "tesc", "", "layout(vertices = 3) out;", "gl_TessLevelOuter[0] = 1.0;"),
    ("MeshShadingEXT", "mesh", "GL_EXT_mesh_shader", "layout(local_size_x = 1) in; layout(points, max_vertices = 1, max_primitives = 1) out;", "SetMeshOutputsEXT(0u, 0u);"),
    ("RayTracingKHR", "rgen", "GL_EXT_ray_tracing", "", ""),
    ("Float16", "comp", TYPES, "", "a[0] = uint(float16_t(a[1]) * float16_t(2.0));"),
    ("Float64", "comp", "", "", "a[0] = uint(double(a[1]) * 2.0lf);"),
    ("Int8", "comp", TYPES, "", "a[0] = uint(uint8_t(a[1]) * uint8_t(3));"),
    ("Int16", "comp", TYPES, "", "a[0] = uint(uint16_t(a[1]) * uint16_t(3));"),
    ("Int64", "comp", TYPES, "", "a[0] = uint((uint64_t(a[1]) * 3ul) >> 7);"),
    ("Int64Atomics", "comp", "GL_EXT_shader_explicit_arithmetic_types_int64 GL_EXT_shader_atomic_int64", "layout(binding = 1) buffer B { uint64_t b; };", "atomicAdd(b, 1ul);"),
    ("AtomicFloat32AddEXT", "comp", "GL_EXT_shader_atomic_float", "layout(binding = 1) buffer B { float b; };", "atomicAdd(b, 1.0);"),
    ("StorageBuffer8BitAccess", "comp", "GL_EXT_shader_8bit_storage", "layout(binding = 1) buffer B { uint8_t b[]; };", "a[0] = uint(b[1]);"),
    ("UniformAndStorageBuffer8BitAccess", "comp", "GL_EXT_shader_8bit_storage", "layout(binding = 1) uniform B { uint8_t b; };", "a[0] = uint(b);"),
    ("StoragePushConstant8", "comp", "GL_EXT_shader_8bit_storage", "layout(push_constant) uniform B { uint8_t b; };", "a[0] = uint(b);"),
    ("StorageBuffer16BitAccess", "comp", "GL_EXT_shader_16bit_storage", "layout(binding = 1) buffer B { float16_t b[]; };", "a[0] = uint(float(b[1]));"),
    ("UniformAndStorageBuffer16BitAccess", "comp", "GL_EXT_shader_16bit_storage", "layout(binding = 1) uniform B { float16_t b; };", "a[0] = uint(float(b));"),
    ("StoragePushConstant16", "comp", "GL_EXT_shader_16bit_storage", "layout(push_constant) uniform B { float16_t b; };", "a[0] = uint(float(b));"),
    ("StorageInputOutput16", "frag", "GL_EXT_shader_16bit_storage GL_EXT_shader_explicit_arithmetic_types", "layout(location = 0) in float16_t x; layout(location = 0) out vec4 c;", "c = vec4(float(x));"),
    ("ImageQuery", "comp", "", "layout(binding = 1) uniform sampler2D t;", "a[0] = uint(textureSize(t, 0).x);"),
    ("ImageGatherExtended", "comp", "", "layout(binding = 1) uniform sampler2D t;", "a[0] = uint(textureGatherOffset(t, vec2(0.5), ivec2(a[1])).x);"),
    ("Sampled1D", "comp", "", "layout(binding = 1) uniform sampler1D t;", "a[0] = uint(textureLod(t, 0.5, 0.0).x);"),
    ("Image1D", "comp", "", "layout(binding = 1, r32ui) uniform uimage1D t;", "a[0] = imageLoad(t, 1).x;"),
    ("SampledBuffer", "comp", "", "layout(binding = 1) uniform samplerBuffer t;", "a[0] = uint(texelFetch(t, 1).x);"),
    ("ImageBuffer", "comp", "", "layout(binding = 1, r32ui) uniform uimageBuffer t;", "a[0] = imageLoad(t, 1).x;"),
    ("InputAttachment", "frag", "", "layout(input_attachment_index = 0, binding = 1) uniform subpassInput t; layout(location = 0) out vec4 c;", "c = subpassLoad(t);"),
    ("SampledCubeArray", "comp", "", "layout(binding = 1) uniform samplerCubeArray t;", "a[0] = uint(textureLod(t, vec4(0.5), 0.0).x);"),
    ("ImageCubeArray", "comp", "", "layout(binding = 1, r32ui) uniform uimageCubeArray t;", "a[0] = imageLoad(t, ivec3(1)).x;"),
    ("StorageImageExtendedFormats", "comp", "", "layout(binding = 1, rg32f) writeonly uniform image2D t;", "imageStore(t, ivec2(1), vec4(a[0]));"),
    ("StorageImageMultisample", "comp", "", "layout(binding = 1, r32ui) uniform uimage2DMS t;", "a[0] = imageLoad(t, ivec2(1), 0).x;"),
    ("StorageImageReadWithoutFormat", "comp", "GL_EXT_shader_image_load_formatted", "layout(binding = 1) uniform image2D t;", "a[0] = uint(imageLoad(t, ivec2(1)).x);"),
    ("StorageImageWriteWithoutFormat", "comp", "", "layout(binding = 1) writeonly uniform image2D t;", "imageStore(t, ivec2(1), vec4(a[0]));"),
    ("MinLod", "frag", "GL_ARB_sparse_texture_clamp", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = textureClampARB(t, vec2(0.5), 1.0);"),
    ("DerivativeControl", "frag", "", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "c = vec4(dFdxFine(x));"),
    ("InterpolationFunction", "frag", "", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "c = vec4(interpolateAtCentroid(x));"),
    ("SampleRateShading", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(float(gl_SampleID));"),
    ("ClipDistance", "vert", "", "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };", "gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0;"),
    ("CullDistance", "vert", "", "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };", "gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0;"),
    ("MultiView", "vert", "GL_EXT_multiview", "", "gl_Position = vec4(float(gl_ViewIndex));"),
    ("DrawParameters", "vert", "GL_ARB_shader_draw_parameters", "", "gl_Position = vec4(float(gl_BaseVertexARB));"),
    ("FragmentBarycentricKHR", "frag", "GL_EXT_fragment_shader_barycentric", "layout(location = 0) out vec4 c;", "c = gl_BaryCoordEXT.xyzz;"),
    ("DemoteToHelperInvocationEXT", "frag", "GL_EXT_demote_to_helper_invocation", "layout(location = 0) out vec4 c;", "demote; c = vec4(1.0);"),
    ("UniformBufferArrayDynamicIndexing", "comp", "", "layout(binding = 1) uniform U { uint x; } u[4];", "a[0] = u[a[1] & 3u].x;"),
    ("StorageBufferArrayDynamicIndexing", "comp", "", "layout(binding = 1) buffer U { uint x; } u[4];", "a[0] = u[a[1] & 3u].x;"),
    ("SampledImageArrayDynamicIndexing", "comp", "", "layout(binding = 1) uniform sampler2D t[4];", "a[0] = uint(textureLod(t[a[1] & 3u], vec2(0.5), 0.0).x);"),
    ("RuntimeDescriptorArray", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform sampler2D t[];", "a[0] = uint(textureLod(t[a[1] & 3u], vec2(0.5), 0.0).x);"),
    ("PhysicalStorageBufferAddresses", "comp", "GL_EXT_buffer_reference", "layout(buffer_reference) buffer R { uint x; }; layout(binding = 1) buffer B { R r; };", "a[0] = r.x;"),
    ("VulkanMemoryModel", "comp", "GL_KHR_memory_scope_semantics", "#pragma use_vulkan_memory_model", "a[0] = atomicAdd(a[1], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);"),
    ("GroupNonUniform", "comp", "GL_KHR_shader_subgroup_basic", "", "a[0] = subgroupElect() ? 1u : 0u;"),
    ("GroupNonUniformVote", "comp", "GL_KHR_shader_subgroup_vote", "", "a[0] = subgroupAll(a[1] > 0u) ? 1u : 0u;"),
    ("GroupNonUniformArithmetic", "comp", "GL_KHR_shader_subgroup_arithmetic", "", "a[0] = subgroupAdd(a[1]);"),
    ("GroupNonUniformBallot", "comp", "GL_KHR_shader_subgroup_ballot", "", "a[0] = subgroupBallot(a[1] > 0u).x;"),
    ("GroupNonUniformShuffle", "comp", "GL_KHR_shader_subgroup_shuffle", "", "a[0] = subgroupShuffle(a[1], 1u);"),
    ("GroupNonUniformShuffleRelative", "comp", "GL_KHR_shader_subgroup_shuffle_relative", "", "a[0] = subgroupShuffleUp(a[1], 1u);"),
    ("GroupNonUniformClustered", "comp", "GL_KHR_shader_subgroup_clustered", "", "a[0] = subgroupClusteredAdd(a[1], 4u);"),
    ("GroupNonUniformQuad", "comp", "GL_KHR_shader_subgroup_quad", "", "a[0] = subgroupQuadSwapHorizontal(a[1]);"),
    ("RayQueryKHR", "comp", "GL_EXT_ray_query", "layout(binding = 1) uniform accelerationStructureEXT s;", "rayQueryEXT q; rayQueryInitializeEXT(q, s, 0u, 255u, vec3(0.0), 0.0, vec3(1.0), 1.0); a[0] = rayQueryProceedEXT(q) ? 1u : 0u;"),
    ("CooperativeMatrixNV", "comp", "GL_NV_cooperative_matrix GL_KHR_memory_scope_semantics", "layout(binding = 1) buffer B { float b[]; };", "fcoopmatNV<32, gl_ScopeSubgroup, 8, 8> m; coopMatLoadNV(m, b, 0, 8, false); coopMatStoreNV(m, b, 64, 8, false);"),
    ("GeometryPointSize", "geom", "", "layout(points) in; layout(points, max_vertices = 1) out;", "gl_PointSize = 1.0; EmitVertex();"),
    ("MultiViewport", "geom", "", "layout(points) in; layout(points, max_vertices = 1) out;", "gl_ViewportIndex = 1; EmitVertex();"),
    ("TessellationPointSize", "tesc", "", "layout(vertices = 3) out;", "gl_out[gl_InvocationID].gl_PointSize = 1.0;"),
    ("MeshShadingNV", "mesh", "GL_NV_mesh_shader", "layout(local_size_x = 1) in; layout(points, max_vertices = 1, max_primitives = 1) out;", "gl_PrimitiveCountNV = 0u;"),
    ("RayTracingNV", "rgen", "GL_NV_ray_tracing", "", ""),
    ("AtomicFloat32MinMaxEXT", "comp", "GL_EXT_shader_atomic_float2", "layout(binding = 1) buffer B { float b; };", "atomicMax(b, 1.0);"),
    ("AtomicFloat16AddEXT", "comp", "GL_EXT_shader_atomic_float2 GL_EXT_shader_explicit_arithmetic_types", "layout(binding = 1) buffer B { float16_t b; };", "atomicAdd(b, float16_t(1.0));"),
    ("AtomicFloat16MinMaxEXT", "comp", "GL_EXT_shader_atomic_float2 GL_EXT_shader_explicit_arithmetic_types", "layout(binding = 1) buffer B { float16_t b; };", "atomicMax(b, float16_t(1.0));"),
    ("AtomicFloat64AddEXT", "comp", "GL_EXT_shader_atomic_float", "layout(binding = 1) buffer B { double b; };", "atomicAdd(b, 1.0lf);"),
    ("AtomicFloat64MinMaxEXT", "comp", "GL_EXT_shader_atomic_float2", "layout(binding = 1) buffer B { double b; };", "atomicMax(b, 1.0lf);"),
    ("WorkgroupMemoryExplicitLayoutKHR", "comp", "GL_EXT_shared_memory_block", "shared S { uint x; };", "x = a[1]; a[0] = x;"),
    ("WorkgroupMemoryExplicitLayout8BitAccessKHR", "comp", "GL_EXT_shared_memory_block GL_EXT_shader_explicit_arithmetic_types", "shared S { uint8_t x; };", "x = uint8_t(a[1]); a[0] = uint(x);"),
    ("WorkgroupMemoryExplicitLayout16BitAccessKHR", "comp", "GL_EXT_shared_memory_block GL_EXT_shader_explicit_arithmetic_types", "shared S { uint16_t x; };", "x = uint16_t(a[1]); a[0] = uint(x);"),
    ("DenormPreserve", "comp", "GL_EXT_spirv_intrinsics GL_EXT_shader_explicit_arithmetic_types", "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4464], 4459, 16);", "a[0] = uint(float16_t(a[1]) * float16_t(2.0));"),
    ("DenormFlushToZero", "comp", "GL_EXT_spirv_intrinsics", "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4465], 4460, 32);", "a[0] = uint(float(a[1]) * 2.0);"),
    ("SignedZeroInfNanPreserve", "comp", "GL_EXT_spirv_intrinsics", "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, 32);", "a[0] = uint(float(a[1]) * 2.0);"),
    ("RoundingModeRTE", "comp", "GL_EXT_spirv_intrinsics", "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4467], 4462, 32);", "a[0] = uint(float(a[1]) * 2.0);"),
    ("RoundingModeRTZ", "comp", "GL_EXT_spirv_intrinsics GL_EXT_shader_explicit_arithmetic_types", "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4468], 4463, 16);", "a[0] = uint(float16_t(float(a[1])));"),
    ("ImageGatherBiasLodAMD", "comp", "GL_AMD_texture_gather_bias_lod", "layout(binding = 1) uniform sampler2D t;", "a[0] = uint(textureGatherLodAMD(t, vec2(0.5), 1.0).x);"),
    ("SampledRect", "comp", "", "layout(binding = 1) uniform sampler2DRect t;", "a[0] = uint(texelFetch(t, ivec2(1)).x);"),
    ("ImageRect", "comp", "", "layout(binding = 1, r32ui) uniform uimage2DRect t;", "a[0] = imageLoad(t, ivec2(1)).x;"),
    ("ImageMSArray", "comp", "", "layout(binding = 1, r32ui) uniform uimage2DMSArray t;", "a[0] = imageLoad(t, ivec3(1), 0).x;"),
    ("ImageReadWriteLodAMD", "comp", "GL_AMD_shader_image_load_store_lod", "layout(binding = 1, r32ui) uniform uimage2D t;", "a[0] = imageLoadLodAMD(t, ivec2(1), 1).x;"),
    ("Int64ImageEXT", "comp", "GL_EXT_shader_image_int64 GL_EXT_shader_explicit_arithmetic_types_int64", "layout(binding = 1, r64ui) uniform u64image2D t;", "a[0] = uint(imageLoad(t, ivec2(1)).x);"),
    ("FragmentMaskAMD", "frag", "GL_AMD_shader_fragment_mask", "layout(binding = 1) uniform sampler2DMS t; layout(location = 0) out vec4 c;", "c = vec4(fragmentMaskFetchAMD(t, ivec2(0)));"),
    ("ImageFootprintNV", "frag", "GL_NV_shader_texture_footprint", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "gl_TextureFootprint2DNV f; c = vec4(textureFootprintNV(t, vec2(0.5), 1, false, f));"),
    ("SparseResidency", "frag", "GL_ARB_sparse_texture2", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "vec4 v; sparseTextureARB(t, vec2(0.5), v); c = v;"),
    ("ComputeDerivativeGroupQuadsNV", "comp", "GL_NV_compute_shader_derivatives", "layout(local_size_x = 2, local_size_y = 2) in; layout(derivative_group_quadsNV) in;", "a[0] = uint(dFdx(float(a[1])));"),
    ("ComputeDerivativeGroupLinearNV", "comp", "GL_NV_compute_shader_derivatives", "layout(local_size_x = 4) in; layout(derivative_group_linearNV) in;", "a[0] = uint(dFdx(float(a[1])));"),
    ("SampleMaskPostDepthCoverage", "frag", "GL_ARB_post_depth_coverage", "layout(post_depth_coverage) in; layout(location = 0) out vec4 c;", "c = vec4(gl_SampleMaskIn[0]);"),
    ("StencilExportEXT", "frag", "GL_ARB_shader_stencil_export", "layout(location = 0) out vec4 c;", "gl_FragStencilRefARB = 3; c = vec4(1.0);"),
    ("FragmentFullyCoveredEXT", "frag", "GL_NV_conservative_raster_underestimation", "layout(location = 0) out vec4 c;", "c = vec4(gl_FragFullyCoveredNV);"),
    ("FragmentDensityEXT", "frag", "GL_EXT_fragment_invocation_density", "layout(location = 0) out vec4 c;", "c = vec4(gl_FragSizeEXT, 0, 1);"),
    ("FragmentShadingRateKHR", "frag", "GL_EXT_fragment_shading_rate", "layout(location = 0) out vec4 c;", "c = vec4(gl_ShadingRateEXT);"),
    ("FragmentShaderPixelInterlockEXT", "frag", "GL_ARB_fragment_shader_interlock", "layout(pixel_interlock_ordered) in; layout(location = 0) out vec4 c;", "beginInvocationInterlockARB(); c = vec4(1.0); endInvocationInterlockARB();"),
    ("FragmentShaderSampleInterlockEXT", "frag", "GL_ARB_fragment_shader_interlock", "layout(sample_interlock_ordered) in; layout(location = 0) out vec4 c;", "beginInvocationInterlockARB(); c = vec4(1.0); endInvocationInterlockARB();"),
    ("FragmentShaderShadingRateInterlockEXT", "frag", "GL_NV_shading_rate_image GL_ARB_fragment_shader_interlock", "layout(shading_rate_interlock_ordered) in; layout(location = 0) out vec4 c;", "beginInvocationInterlockARB(); c = vec4(1.0); endInvocationInterlockARB();"),
    ("ShaderLayer", "vert", "GL_ARB_shader_viewport_layer_array", "", "gl_Position = vec4(0.0); gl_Layer = 1;"),
    ("ShaderViewportIndex", "vert", "GL_ARB_shader_viewport_layer_array", "", "gl_Position = vec4(0.0); gl_ViewportIndex = 1;"),
    ("TransformFeedback", "vert", "", "layout(xfb_buffer = 0, xfb_offset = 0, location = 0) out float f;", "gl_Position = vec4(0.0); f = 1.0;"),
    ("DeviceGroup", "comp", "GL_EXT_device_group", "", "a[0] = uint(gl_DeviceIndex);"),
    ("FragmentBarycentricNV", "frag", "GL_NV_fragment_shader_barycentric", "layout(location = 0) out vec4 c;", "c = gl_BaryCoordNV.xyzz;"),
    ("StorageImageArrayDynamicIndexing", "comp", "", "layout(binding = 1, r32ui) uniform uimage2D t[4];", "a[0] = imageLoad(t[a[1] & 3u], ivec2(1)).x;"),
    ("InputAttachmentArrayDynamicIndexing", "frag", "GL_EXT_nonuniform_qualifier", "layout(input_attachment_index = 0, binding = 1) uniform subpassInput t[4]; layout(location = 0) flat in int i; layout(location = 0) out vec4 c;", "c = subpassLoad(t[i]);"),
    ("UniformTexelBufferArrayDynamicIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform samplerBuffer t[4];", "a[0] = uint(texelFetch(t[a[1] & 3u], 1).x);"),
    ("StorageTexelBufferArrayDynamicIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1, r32ui) uniform uimageBuffer t[4];", "a[0] = imageLoad(t[a[1] & 3u], 1).x;"),
    ("ShaderNonUniform", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform sampler2D t[4];", "a[0] = uint(textureLod(t[nonuniformEXT(a[1] & 3u)], vec2(0.5), 0.0).x);"),
    ("UniformBufferArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform U { uint x; } u[4];", "a[0] = u[nonuniformEXT(a[1] & 3u)].x;"),
    ("StorageBufferArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) buffer U { uint x; } u[4];", "a[0] = u[nonuniformEXT(a[1] & 3u)].x;"),
    ("SampledImageArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform sampler2D t[4];", "a[0] = uint(textureLod(t[nonuniformEXT(a[1] & 3u)], vec2(0.5), 0.0).x);"),
    ("StorageImageArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1, r32ui) uniform uimage2D t[4];", "a[0] = imageLoad(t[nonuniformEXT(a[1] & 3u)], ivec2(1)).x;"),
    ("InputAttachmentArrayNonUniformIndexing", "frag", "GL_EXT_nonuniform_qualifier", "layout(input_attachment_index = 0, binding = 1) uniform subpassInput t[4]; layout(location = 0) flat in int i; layout(location = 0) out vec4 c;", "c = subpassLoad(t[nonuniformEXT(i)]);"),
    ("UniformTexelBufferArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform samplerBuffer t[4];", "a[0] = uint(texelFetch(t[nonuniformEXT(a[1] & 3u)], 1).x);"),
    ("StorageTexelBufferArrayNonUniformIndexing", "comp", "GL_EXT_nonuniform_qualifier", "layout(binding = 1, r32ui) uniform uimageBuffer t[4];", "a[0] = imageLoad(t[nonuniformEXT(a[1] & 3u)], 1).x;"),
    ("VulkanMemoryModelDeviceScope", "comp", "GL_KHR_memory_scope_semantics", "#pragma use_vulkan_memory_model", "a[0] = atomicAdd(a[1], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);"),
    ("ShaderClockKHR", "comp", "GL_EXT_shader_realtime_clock", "", "a[0] = clockRealtime2x32EXT().x;"),
    ("GroupNonUniformPartitionedNV", "comp", "GL_NV_shader_subgroup_partitioned", "", "a[0] = subgroupPartitionNV(a[1]).x;"),
    ("SubgroupBallotKHR", "comp", "GL_ARB_shader_ballot GL_ARB_gpu_shader_int64", "", "a[0] = uint(ballotARB(a[1] > 0u));"),
    ("SubgroupVoteKHR", "comp", "GL_ARB_shader_group_vote", "", "a[0] = anyInvocationARB(a[1] > 0u) ? 1u : 0u;"),
    ("Groups", "comp", "GL_AMD_shader_ballot", "", "a[0] = addInvocationsAMD(a[1]);"),
    ("ShaderSMBuiltinsNV", "comp", "GL_NV_shader_sm_builtins", "", "a[0] = gl_SMIDNV;"),
];

/// Glslang leaves these out: the first belongs to `Shader`, the others it takes for granted.
const IMPLIED: [&str; 5] = [
    "Matrix",
    "UniformBufferArrayDynamicIndexing",
    "StorageBufferArrayDynamicIndexing",
    "SampledImageArrayDynamicIndexing",
    "StorageImageArrayDynamicIndexing",
];

/// Modules that glslang does not write: the instructions that use the capability, of a buffer `%a` of words at binding 0.
#[rustfmt::skip]
const TEXTS: &[(&str, &str, &str)] = &[
    ("DotProductInput4x8Bit", "DotProductKHR", "%byte = OpTypeInt 8 0\n%b4 = OpTypeVector %byte 4\n", ),
    ("DotProductInput4x8BitPacked", "DotProductKHR", ""),
    ("VariablePointersStorageBuffer", "Shader", ""),
    ("VariablePointers", "Shader", ""),
    ("ExpectAssumeKHR", "Shader", ""),
    ("BitInstructions", "Shader", ""),
    ("DotProduct", "DotProductInput4x8BitPacked", ""),
    ("DotProductInputAll", "DotProduct", "%v2 = OpTypeVector %uint 2\n"),
    ("GroupNonUniformRotateKHR", "GroupNonUniform", "%u3 = OpConstant %uint 3\n"),
    ("GroupUniformArithmeticKHR", "Shader", "%u3 = OpConstant %uint 3\n"),
];

fn text(name: &str, more: &str, types: &str) -> String {
    let body = match name {
        "DotProductInput4x8Bit" => "%v = OpBitcast %b4 %x\n%d = OpUDotKHR %uint %v %v\nOpStore %p %d",
        "ExpectAssumeKHR" => {
            "%c = OpIEqual %bool %x %u0\nOpAssumeTrueKHR %c\n%e = OpExpectKHR %uint %x %u1\nOpStore %p %e"
        }
        "BitInstructions" => "%c = OpBitReverse %uint %x\nOpStore %p %c",
        "DotProductInputAll" => "%v = OpCompositeConstruct %v2 %x %x\n%d = OpUDotKHR %uint %v %v\nOpStore %p %d",
        "GroupNonUniformRotateKHR" => "%d = OpGroupNonUniformRotateKHR %uint %u3 %x %u1\nOpStore %p %d",
        "GroupUniformArithmeticKHR" => "%d = OpGroupIMulKHR %uint %u3 Reduce %x\nOpStore %p %d",
        "DotProductInput4x8BitPacked" | "DotProduct" => {
            "%d = OpUDotKHR %uint %x %x PackedVectorFormat4x8Bit\nOpStore %p %d"
        }
        _ => "%c = OpIEqual %bool %x %u0\n%q = OpSelect %pu %c %p %p1\nOpStore %q %x",
    };
    let int8 = if !types.contains("OpTypeInt 8") { "" } else { "OpCapability Int8\n" };
    format!(
        "OpCapability Shader\nOpCapability {name}\nOpCapability {more}\n{int8}OpExtension \"SPV_KHR_integer_dot_product\"\n\
         OpExtension \"SPV_KHR_variable_pointers\"\nOpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\nOpDecorate %words ArrayStride 4\n\
         OpMemberDecorate %B 0 Offset 0\nOpDecorate %B Block\nOpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%u0 = OpConstant %uint 0\n\
         %u1 = OpConstant %uint 1\n%words = OpTypeRuntimeArray %uint\n%B = OpTypeStruct %words\n%pB = OpTypePointer StorageBuffer %B\n\
         %pu = OpTypePointer StorageBuffer %uint\n%a = OpVariable %pB StorageBuffer\n{types}%main = OpFunction %void None %fn\n\
         %entry = OpLabel\n%p = OpAccessChain %pu %a %u0 %u0\n%p1 = OpAccessChain %pu %a %u0 %u1\n%x = OpLoad %uint %p1\n{body}\n\
         OpReturn\nOpFunctionEnd"
    )
}

fn glsl(p: &Probe) -> String {
    let (_, stage, extensions, declarations, body) = p;
    let head: String = extensions.split_whitespace().map(|e| format!("#extension {e} : require\n")).collect();
    let one = if declarations.contains("local_size") { "" } else { "layout(local_size_x = 1) in;\n" };
    let size = if *stage == "comp" { format!("{one}{BUFFER}\n") } else { String::new() };
    format!("#version 460\n{head}{size}{declarations}\nvoid main() {{ {body} }}\n")
}

/// Whether it is refused by a code, and its message has SPIR-V's names: no id of the module, and no number where there is a name.
fn is_refused(d: &Diagnostic, code: Refusal) -> bool {
    let text = d.to_string();
    let by_number = |(at, c): (usize, char)| {
        let digit = text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        digit && (c == '%' || c == '[' || c == '#')
    };
    d.class == Class::Unsupported && d.code == code.name() && !text.char_indices().any(by_number)
}

/// The names of the capabilities that a module declares, as the grammar numbers them.
fn declares(bytes: &[u8], name: &str) -> bool {
    let path = scratch(&format!("declares-{name}.spv"));
    std::fs::write(&path, bytes).expect("a file");
    let out = tool("spirv-dis", &[&path.display().to_string()], &format!("declares-{name}.txt"));
    let text = String::from_utf8(out.unwrap_or_else(|e| panic!("{e}"))).expect("text");
    let plain =
        |name: &str| ["EXT", "KHR", "NV"].iter().fold(name.trim().to_string(), |n, end| n.trim_end_matches(end).into());
    let wanted = plain(&format!("OpCapability {name}"));
    text.lines().any(|l| plain(l) == wanted)
}

/// The modules of shaders; nothing without a compiler, and that is said.
fn compiled(probes: &[Probe]) -> Option<Vec<gpucc_glsl::Compiled>> {
    let sources: Vec<Source> = probes.iter().map(|p| Source { stage: p.1, text: glsl(p) }).collect();
    let compiled = gpucc_glsl::compile("vulkan1.2", &sources).expect("files");
    if compiled.is_none() {
        eprintln!("skipped: there is neither `glslc` nor `glslangValidator`");
    }
    compiled
}

#[test]
fn capabilities() {
    let Some(compiled) = compiled(PROBES).filter(|_| has("spirv-as")) else { return };
    let mut modules: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut wrong: Vec<String> = Vec::new();
    let glsl = PROBES.iter().map(|p| p.0).zip(compiled);
    let texts = TEXTS.par_iter().map(|&(name, more, types)| {
        (name, Ok(gpucc_glsl::assembled(&format!("capability-{name}"), "spv1.5", &text(name, more, types))))
    });
    let declared = |(name, bytes): (&'static str, Result<Vec<u8>, String>)| {
        let as_said = bytes.as_ref().is_ok_and(|b| IMPLIED.contains(&name) || declares(b, name));
        (name, bytes, as_said)
    };
    let texts: Vec<_> = texts.collect();
    for (name, bytes, declares) in glsl.chain(texts).map(declared) {
        match bytes {
            Ok(bytes) => drop(modules.insert(name, bytes)),
            Err(e) => wrong.push(e),
        }
        if !declares {
            wrong.push(format!("the shader of {name} does not declare it"));
        }
    }
    let rows: Vec<&str> = ROWS.iter().map(|r| r.0).collect();
    wrong.extend(modules.keys().filter(|n| !rows.contains(n)).map(|n| format!("{n} has no row")));
    for (name, verdict) in ROWS {
        let Some(bytes) = modules.get(name) else {
            wrong.push(format!("{name} has no shader"));
            continue;
        };
        match (verdict, frontend::load(bytes, Lang::Spirv, &FrontOptions::default())) {
            (Verdict::Runs, Ok(_)) => {}
            (Verdict::Refused(code), Err(list)) if is_refused(&list[0], *code) => {}
            (_, Ok(_)) => wrong.push(format!("{name} compiles")),
            (_, Err(list)) => wrong.push(format!("{name}: {}", list[0])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A shader for each form of draws, in the order of the rows.
#[rustfmt::skip]
const FORMS: &[Probe] = &[
    ("`Position`", "vert", "", "", "gl_Position = vec4(0.0);"),
    ("a vertex entry point without `Position`: nothing is drawn", "vert", "", "layout(location = 0) out float f;", "f = 1.0;"),
    ("`VertexIndex`, `InstanceIndex`", "vert", "", "", "gl_Position = vec4(gl_VertexIndex, gl_InstanceIndex, 0, 1);"),
    ("`BaseVertex`", "vert", "GL_ARB_shader_draw_parameters", "", "gl_Position = vec4(gl_BaseVertexARB);"),
    ("`BaseInstance`", "vert", "GL_ARB_shader_draw_parameters", "", "gl_Position = vec4(gl_BaseInstanceARB);"),
    ("`DrawIndex`: 0", "vert", "GL_ARB_shader_draw_parameters", "", "gl_Position = vec4(gl_DrawIDARB);"),
    ("`ViewIndex`: 0", "vert", "GL_EXT_multiview", "", "gl_Position = vec4(gl_ViewIndex);"),
    ("`PointSize`", "vert", "", "", "gl_Position = vec4(0.0); gl_PointSize = 2.0;"),
    ("`ClipDistance`", "vert", "", "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };", "gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = 2.0;"),
    ("`ClipDistance` of a fragment stage, compiled with its vertex stage", "frag", "", "in float gl_ClipDistance[2]; layout(location = 0) out vec4 c;", "c = vec4(gl_ClipDistance[1]);"),
    ("`CullDistance` of a vertex stage", "vert", "", "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };", "gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0;"),
    ("`Layer` of a vertex stage", "vert", "GL_ARB_shader_viewport_layer_array", "", "gl_Position = vec4(0.0); gl_Layer = 1;"),
    ("`ViewportIndex` of a vertex stage", "vert", "GL_ARB_shader_viewport_layer_array", "", "gl_Position = vec4(0.0); gl_ViewportIndex = 1;"),
    ("`PrimitiveShadingRateKHR`", "vert", "GL_EXT_fragment_shading_rate", "", "gl_Position = vec4(0.0); gl_PrimitiveShadingRateEXT = 1;"),
    ("`FragCoord`, `FrontFacing`, `HelperInvocation`", "frag", "", "layout(location = 0) out vec4 c;", "c = gl_FrontFacing && !gl_HelperInvocation ? gl_FragCoord : vec4(0.0);"),
    ("`Layer`, `ViewportIndex` of a fragment stage", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(gl_Layer, gl_ViewportIndex, 0, 0);"),
    ("`PrimitiveId` of a fragment stage", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(gl_PrimitiveID);"),
    ("`PointCoord`", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(gl_PointCoord, 0.0, 1.0);"),
    ("`SampleId`", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(gl_SampleID);"),
    ("`SamplePosition`", "frag", "", "layout(location = 0) out vec4 c;", "c = vec4(gl_SamplePosition, 0.0, 1.0);"),
    ("`SampleMask`, read and written", "frag", "", "layout(location = 0) out vec4 c;", "gl_SampleMask[0] = gl_SampleMaskIn[0] & 5; c = vec4(1.0);"),
    ("`BaryCoordKHR`", "frag", "GL_EXT_fragment_shader_barycentric", "layout(location = 0) out vec4 c;", "c = gl_BaryCoordEXT.xyzz;"),
    ("`FragSizeEXT`", "frag", "GL_EXT_fragment_invocation_density", "layout(location = 0) out vec4 c;", "c = vec4(gl_FragSizeEXT, 0, 1);"),
    ("`FragDepth`", "frag", "", "layout(location = 0) out vec4 c;", "gl_FragDepth = 0.5; c = vec4(1.0);"),
    ("`DepthGreater`, `DepthLess`, `DepthUnchanged`", "frag", "", "layout(location = 0) out vec4 c; layout(depth_less) out float gl_FragDepth;", "gl_FragDepth = gl_FragCoord.z * 0.5; c = vec4(1.0);"),
    ("`FragStencilRefEXT`", "frag", "GL_ARB_shader_stencil_export", "layout(location = 0) out vec4 c;", "gl_FragStencilRefARB = 3; c = vec4(1.0);"),
    ("`EarlyFragmentTests`", "frag", "", "layout(early_fragment_tests) in; layout(location = 0) out vec4 c;", "c = vec4(1.0);"),
    ("`PostDepthCoverage`", "frag", "GL_ARB_post_depth_coverage", "layout(post_depth_coverage) in; layout(location = 0) out vec4 c;", "c = vec4(gl_SampleMaskIn[0]);"),
    ("`PixelInterlockOrderedEXT` and its siblings", "frag", "GL_ARB_fragment_shader_interlock", "layout(pixel_interlock_ordered) in; layout(location = 0) out vec4 c;", "beginInvocationInterlockARB(); c = vec4(1.0); endInvocationInterlockARB();"),
    ("`Index` 1: a second source of blending", "frag", "", "layout(location = 0, index = 0) out vec4 a; layout(location = 0, index = 1) out vec4 b;", "a = vec4(1.0); b = vec4(0.5);"),
    ("`Component`: parts of a location", "vert", "", "layout(location = 0, component = 0) out vec2 a; layout(location = 0, component = 2) out float b;", "gl_Position = vec4(0.0); a = vec2(1.0); b = 2.0;"),
    ("`Flat`, `NoPerspective`, `Centroid`, `Sample`", "frag", "", "layout(location = 0) flat in int i; layout(location = 1) noperspective in float n; layout(location = 2) centroid in float e; layout(location = 3) sample in float s; layout(location = 0) out vec4 c;", "c = vec4(i, n, e, s);"),
    ("blocks, structures, matrices and arrays as varyings", "vert", "", "layout(location = 0) out B { vec2 uv; mat3 m; float w[2]; } b;", "gl_Position = vec4(0.0); b.uv = vec2(0.0); b.m = mat3(1.0); b.w[1] = 2.0;"),
    ("matrices and arrays as attributes", "vert", "", "layout(location = 0) in mat4 m; layout(location = 4) in vec2 w[2];", "gl_Position = m * w[1].xyxy;"),
    ("64-bit attributes", "vert", "", "layout(location = 0) in dvec2 d;", "gl_Position = vec4(d, 0.0, 1.0);"),
    ("`InterpolateAtCentroid`, `InterpolateAtSample`, `InterpolateAtOffset`", "frag", "", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "c = vec4(interpolateAtOffset(x, vec2(0.25)), interpolateAtCentroid(x), interpolateAtSample(x, 1), 1.0);"),
    ("`OpKill`", "frag", "", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "if (x < 0.0) discard; c = vec4(x);"),
    ("`OpTerminateInvocation`", "frag", "GL_EXT_terminate_invocation", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "if (x < 0.0) terminateInvocation; c = vec4(x);"),
    ("`OpDemoteToHelperInvocation`", "frag", "GL_EXT_demote_to_helper_invocation", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "if (x < 0.0) demote; c = vec4(helperInvocationEXT());"),
    ("`OpDPdx`, `OpFwidth`, fine and coarse", "frag", "", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "c = vec4(dFdx(x), fwidth(x), dFdyFine(x), fwidthCoarse(x));"),
    ("push constants", "frag", "", "layout(push_constant) uniform P { mat4 m; float f[3]; } p; layout(location = 0) out vec4 c;", "c = p.m[1] * p.f[2];"),
    ("specialisation constants", "frag", "", "layout(constant_id = 3) const int N = 2; layout(location = 0) out vec4 c;", "float s[N]; s[N - 1] = 1.0; c = vec4(s[N - 1]);"),
    ("storage buffers of a vertex stage", "vert", "", "layout(std430, binding = 0) readonly buffer B { vec4 v[]; } b;", "gl_Position = b.v[gl_VertexIndex];"),
    ("combined and separate samplers", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(binding = 2) uniform texture2D u; layout(binding = 3) uniform sampler s; layout(location = 0) out vec4 c;", "c = texture(t, vec2(0.5)) + texture(sampler2D(u, s), vec2(0.5));"),
    ("`Dref`: comparisons", "frag", "", "layout(binding = 1) uniform sampler2DShadow t; layout(location = 0) out vec4 c;", "c = vec4(texture(t, vec3(0.5)));"),
    ("`Proj`: divided coordinates", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = textureProj(t, vec4(1.0, 1.0, 0.0, 2.0));"),
    ("`Bias`, `Lod`, `Grad`, `ConstOffset`", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = texture(t, vec2(0.5), 1.0) + textureLodOffset(t, vec2(0.5), 1.0, ivec2(1)) + textureGrad(t, vec2(0.5), vec2(1.0), vec2(1.0));"),
    ("`Offset` of a gather that is not constant", "frag", "", "layout(binding = 0) uniform U { ivec2 o; }; layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = textureGatherOffset(t, vec2(0.5), o);"),
    ("`ConstOffsets` of a gather", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "const ivec2 o[4] = ivec2[](ivec2(0), ivec2(1, 0), ivec2(0, 1), ivec2(1)); c = textureGatherOffsets(t, vec2(0.5), o);"),
    ("`MinLod`", "frag", "GL_ARB_sparse_texture_clamp", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = textureClampARB(t, vec2(0.5), 1.0);"),
    ("`OpImageGather`, of any component", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = textureGather(t, vec2(0.5), 2);"),
    ("`OpImageQueryLod`, `OpImageQueryLevels`", "frag", "", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "c = vec4(textureQueryLod(t, vec2(0.5)), textureQueryLevels(t), 0);"),
    ("`OpImageQuerySamples`", "frag", "", "layout(binding = 1) uniform sampler2DMS t; layout(location = 0) out vec4 c;", "c = vec4(textureSamples(t)) + texelFetch(t, ivec2(0), 1);"),
    ("`SubpassData`, of one sample and of several", "frag", "", "layout(input_attachment_index = 0, binding = 1) uniform subpassInput t; layout(input_attachment_index = 1, binding = 2) uniform subpassInputMS m; layout(location = 0) out vec4 c;", "c = subpassLoad(t) + subpassLoad(m, 1);"),
    ("`Buffer` with a format of whole words", "frag", "", "layout(binding = 1, rgba32f) readonly uniform imageBuffer t; layout(location = 0) out vec4 c;", "c = imageLoad(t, 3);"),
    ("`Buffer` for sampling, without a format", "frag", "", "layout(binding = 1) uniform samplerBuffer t; layout(location = 0) out vec4 c;", "c = texelFetch(t, 3);"),
    ("`Rect`", "frag", "", "layout(binding = 1) uniform sampler2DRect t; layout(location = 0) out vec4 c;", "c = texture(t, vec2(3.5));"),
    ("`1D`, `3D`, `Cube`, with layers too", "frag", "", "layout(binding = 1) uniform sampler1DArray a; layout(binding = 2) uniform sampler3D b; layout(binding = 3) uniform samplerCubeArray d; layout(location = 0) out vec4 c;", "c = texture(a, vec2(0.5)) + texture(b, vec3(0.5)) + texture(d, vec4(0.5));"),
    ("storage images, loads and stores", "frag", "", "layout(binding = 1, rgba8) uniform image2D t; layout(location = 0) out vec4 c;", "imageStore(t, ivec2(1), imageLoad(t, ivec2(0))); c = vec4(1.0);"),
    ("storage images without a format, where nobody says one", "frag", "", "layout(binding = 1) writeonly uniform image2D t; layout(location = 0) out vec4 c;", "imageStore(t, ivec2(1), vec4(1.0)); c = vec4(1.0);"),
    ("`OpImageTexelPointer`: atomics on images", "frag", "", "layout(binding = 1, r32ui) uniform uimage2D t; layout(location = 0) out vec4 c;", "c = vec4(imageAtomicAdd(t, ivec2(1), 1u));"),
    ("arrays of textures, at an index of the pixel too", "frag", "GL_EXT_nonuniform_qualifier", "layout(location = 0) flat in int i; layout(binding = 1) uniform sampler2D t[4]; layout(location = 0) out vec4 c;", "c = texture(t[nonuniformEXT(i)], vec2(0.5));"),
    ("sparse images", "frag", "GL_ARB_sparse_texture2", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "vec4 v; sparseTextureARB(t, vec2(0.5), v); c = v;"),
    ("votes and other operations between lanes", "frag", "GL_KHR_shader_subgroup_vote", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "c = vec4(subgroupAny(x > 0.5));"),
    ("`DeviceIndex`: 0", "vert", "GL_EXT_device_group", "", "gl_Position = vec4(gl_DeviceIndex);"),
    ("`Invariant`, `RelaxedPrecision`, `NoContraction`", "vert", "", "invariant gl_Position; layout(location = 0) out mediump float f;", "precise float p = float(gl_VertexIndex) * 2.0 + 1.0; gl_Position = vec4(p); f = p;"),
    ("`XfbBuffer` and its siblings: nothing is captured", "vert", "", "layout(xfb_buffer = 0, xfb_offset = 0, location = 0) out float f;", "gl_Position = vec4(0.0); f = 1.0;"),
    ("`FullyCoveredEXT`", "frag", "GL_NV_conservative_raster_underestimation", "layout(location = 0) out vec4 c;", "c = vec4(gl_FragFullyCoveredNV);"),
    ("`FragDepth` beside `EarlyFragmentTests`: it goes", "frag", "", "layout(early_fragment_tests) in; layout(location = 0) out vec4 c;", "gl_FragDepth = 0.5; c = vec4(1.0);"),
    ("16-bit varyings and colours", "frag", "GL_EXT_shader_16bit_storage GL_EXT_shader_explicit_arithmetic_types", "layout(location = 0) in f16vec2 x; layout(location = 0) out f16vec4 c;", "c = x.xyxy;"),
    ("64-bit varyings", "frag", "", "layout(location = 0) flat in double x; layout(location = 0) out vec4 c;", "c = vec4(x);"),
    ("integer colours", "frag", "", "layout(location = 0) out ivec4 c; layout(location = 1) out uint d;", "c = ivec4(-1); d = 2u;"),
    ("`OpImageFetch`, with an offset too", "frag", "", "layout(binding = 1) uniform sampler2DArray t; layout(location = 0) out vec4 c;", "c = texelFetch(t, ivec3(1), 0) + texelFetchOffset(t, ivec3(1), 0, ivec2(1, -1));"),
    ("`OpImageQuerySize`, `OpImageQuerySizeLod`", "frag", "", "layout(binding = 1) uniform samplerCube t; layout(binding = 2, r32f) uniform image2D u; layout(location = 0) out vec4 c;", "c = vec4(textureSize(t, 1), imageSize(u));"),
    ("`OpImageDrefGather`", "frag", "", "layout(binding = 1) uniform sampler2DShadow t; layout(location = 0) out vec4 c;", "c = textureGather(t, vec2(0.5), 0.25);"),
    ("`OpSampledImage` of parts that are chosen at run time", "frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 1) uniform texture2D t[2]; layout(binding = 2) uniform sampler s[2]; layout(location = 0) flat in int i; layout(location = 0) out vec4 c;", "c = texture(sampler2D(t[i], s[1 - i]), vec2(0.5));"),
    ("`Coherent`, `Volatile`, `Restrict`, `NonReadable`, `NonWritable`", "frag", "", "layout(binding = 0) coherent volatile buffer A { uint a; }; layout(binding = 1) restrict readonly buffer B { uint b; }; layout(binding = 2) writeonly buffer D { uint d; }; layout(location = 0) out vec4 c;", "a = a + b; d = 1u; c = vec4(1.0);"),
    ("storage buffers of a fragment stage, with atomics", "frag", "", "layout(binding = 0) buffer A { uint a[]; }; layout(location = 0) out vec4 c;", "c = vec4(atomicAdd(a[0], 1u), atomicCompSwap(a[1], 0u, 2u), 0, 1);"),
    ("buffers without a size, and their length", "frag", "", "layout(binding = 0) readonly buffer A { uint a[]; }; layout(location = 0) out vec4 c;", "c = vec4(a.length(), a[a.length() - 1], 0, 1);"),
    ("buffers of rows and columns: `RowMajor`, `MatrixStride`", "vert", "", "layout(binding = 0, row_major) uniform A { mat3x4 m; mat2 n[2]; };", "gl_Position = m * vec3(1.0) + n[1][0].xyxy;"),
    ("`scalar` layout of blocks", "frag", "GL_EXT_scalar_block_layout", "layout(scalar, binding = 0) uniform A { vec3 a; float b; vec2 d[2]; }; layout(location = 0) out vec4 c;", "c = vec4(a + b, d[1].x);"),
    ("pointers as addresses", "frag", "GL_EXT_buffer_reference", "layout(buffer_reference) buffer R { vec4 x; }; layout(push_constant) uniform P { R r; }; layout(location = 0) out vec4 c;", "c = r.x;"),
    ("`OpImageSparseTexelsResident`", "frag", "GL_ARB_sparse_texture2", "layout(binding = 1) uniform sampler2D t; layout(location = 0) out vec4 c;", "vec4 v; c = sparseTexelsResidentARB(sparseTextureARB(t, vec2(0.5), v)) ? v : vec4(0.0);"),
    ("`OpRayQueryInitializeKHR` and its siblings", "frag", "GL_EXT_ray_query", "layout(binding = 1) uniform accelerationStructureEXT s; layout(location = 0) out vec4 c;", "rayQueryEXT q; rayQueryInitializeEXT(q, s, 0u, 255u, vec3(0.0), 0.0, vec3(1.0), 1.0); c = vec4(rayQueryProceedEXT(q));"),
    ("`SubgroupSize`, `SubgroupLocalInvocationId`", "frag", "GL_KHR_shader_subgroup_basic", "layout(location = 0) out vec4 c;", "c = vec4(gl_SubgroupSize, gl_SubgroupInvocationID, 0, 1);"),
];

#[test]
fn forms_of_draws() {
    let Some(compiled) = compiled(FORMS) else { return };
    let names = FORMS.iter().map(|p| p.0);
    assert!(names.eq(GRAPHICS.iter().map(|r| r.0)), "each row has its shader, in order");
    let one = |(bytes, (name, verdict)): (gpucc_glsl::Compiled, &(&str, Verdict))| {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(e) => return Some(format!("{name}: {e}")),
        };
        match (verdict, frontend::load(&bytes, Lang::Spirv, &FrontOptions::default())) {
            (Verdict::Runs, Ok(_)) => None,
            (Verdict::Refused(code), Err(list)) if is_refused(&list[0], *code) => None,
            (_, Ok(_)) => Some(format!("{name} compiles")),
            (_, Err(list)) => Some(format!("{name}: {}", list[0])),
        }
    };
    let wrong: Vec<String> = compiled.into_par_iter().zip(GRAPHICS).filter_map(one).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
