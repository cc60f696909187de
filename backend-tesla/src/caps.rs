//! Limits of the chips, and their refusals.

use crate::io;
use crate::isel::DESCRIPTORS;
use gpucc_ir::{Op, Refusal, Stage, TexCube, Unsupported};
use gpucc_opt::{
    AllFloatCaps, Blending, Caps, CubeGradients, FetchCaps, FloatCaps, FormatSet, Gathers, IoCaps, LayerForm, OpSet,
    PartCaps, PerTarget, SamplerCaps, TexCaps,
};

/// Bytes of private memory that an invocation can have, spilled registers included.
pub(crate) const MOST_PRIVATE: u32 = 0x1_0000;

pub(crate) const GRAPHICS: &[Stage] = &[Stage::Vertex, Stage::Fragment];

pub(crate) const BEFORE_NVA3: &[&str] = &["nv50", "nv84", "nva0"];

/// The refusals.
pub(crate) const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(Refusal::Elf, "its drivers upload the bytes of `--emit raw`"),
    Unsupported::all(Refusal::Subgroups, "in compute only").in_stages(&[Stage::Vertex, Stage::Fragment]),
    Unsupported::all(
        Refusal::TexelComparisons,
        "an instruction takes four arguments: none is left for a level or a bias beside a layer or a direction and what texels are compared with",
    ),
    Unsupported::all(Refusal::StorageBuffers, "g[] is there in compute programs alone").in_stages(GRAPHICS),
    Unsupported::all(Refusal::SubgroupLanes, "nothing says which lane of a warp runs them")
        .in_stages(&[Stage::Vertex, Stage::Fragment]),
    Unsupported::all(Refusal::PerVertexInputs, "nothing gives a fragment the values of each vertex of its primitive"),
    Unsupported::all(Refusal::StencilExport, "the outputs of a program are colours, a mask and a depth"),
    Unsupported::all(Refusal::Layers, "geometry programs choose them: no driver lets vertex programs"),
    Unsupported::all(Refusal::Viewports, "geometry programs choose them: no driver lets vertex programs"),
    Unsupported::all(Refusal::StorageTextures, "g[] is there in compute programs alone").in_stages(GRAPHICS),
    Unsupported::all(Refusal::StorageFormats, "code makes texels of values, and has to know what they are"),
    Unsupported::all(Refusal::ImageAtomics, "there are no atomic instructions before nv84").on(&["nv50"]),
    Unsupported::all(Refusal::CubeArrays, "no instruction before gt215, which is nva3, takes a cube and a layer")
        .on(BEFORE_NVA3),
    Unsupported::all(Refusal::CubeEdges, "only from g200 on, which is nva0, a state filters across the edges of cubes")
        .on(&["nv50", "nv84"]),
    Unsupported::all(Refusal::LevelQueries, "no instruction before gt215, which is nva3, says it").on(BEFORE_NVA3),
    Unsupported::all(Refusal::Gathers, "no instruction before gt215, which is nva3, gathers").on(BEFORE_NVA3),
    Unsupported::all(
        Refusal::Gathers,
        "an instruction gathers the first component: others need a descriptor each, of which there are 16",
    )
    .on(&["nva3"]),
    Unsupported::all(Refusal::SampleShading, "no program before gt215, which is nva3, runs for each sample")
        .on(BEFORE_NVA3),
    Unsupported::all(Refusal::SampleMasks, "no program before gt215, which is nva3, gives one").on(BEFORE_NVA3),
    Unsupported::all(Refusal::CoveredSamples, "no source of it is known").on(&["nva3"]),
    Unsupported::all(Refusal::EarlyTests, "what a program does not give is written to no target"),
    Unsupported::all(Refusal::BlendEquations, "before gt215, which is nva3, all targets have one equation")
        .on(BEFORE_NVA3),
    Unsupported::all(Refusal::Varyings, "64 words, four of which are the position").most(io::VARYINGS),
    Unsupported::all(Refusal::PhysicalAddresses, "addresses of the global memory have 32 bits"),
    Unsupported::all(Refusal::WideAtomics, "selection knows those of words alone"),
    Unsupported::all(Refusal::WideTypes, "of all chips g200 alone, which is nva0, computes with floats of 64 bits")
        .on(&["nv50", "nv84", "nva3"]),
    Unsupported::all(Refusal::WideFunctions, "no specification asks for them in 64 bits").on(&["nva0"]),
    Unsupported::all(Refusal::Atomics, "there are no atomic instructions before nv84").on(&["nv50"]),
    Unsupported::all(
        Refusal::FloatModes,
        "floats have no denormals and are rounded to nearest; halves, which code makes of them, and floats of 64 bits have denormals",
    ),
    Unsupported::all(Refusal::SubgroupSize, "32 lanes, which are a warp"),
    Unsupported::all(Refusal::WorkgroupSize, "at most 512 invocations, and 64 in z").most(512),
    Unsupported::all(
        Refusal::TooManyBuffers,
        "15 storage buffers (14 with atomics on workgroup memory on nv84) and 13 uniform buffers",
    )
    .most(13),
    Unsupported::all(Refusal::TextureUnits, "16 textures and 16 samplers").most(DESCRIPTORS as u64),
    Unsupported::all(Refusal::WorkgroupMemory, "16 KiB with the launch parameters").most(16_384),
    Unsupported::all(Refusal::PrivateMemory, "64 KiB, spilled registers included").most(MOST_PRIVATE as u64),
    Unsupported::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and the 16 MiB of code that a branch reaches",
    ),
];

/// The number of the generation nva0.
pub(crate) const NVA0: u8 = 2;

/// The number of the generation nva3.
pub(crate) const NVA3: u8 = 3;

/// The limits of the family, for the target-independent passes.
pub(crate) fn caps(generation: u8) -> Caps {
    #[rustfmt::skip]
    const EXPAND: OpSet = OpSet::of(&[
        Op::FDot, Op::FDiv, Op::FRem, Op::FSign, Op::FLdexp, Op::UDiv, Op::SDiv, Op::URem, Op::SRem, Op::SMulHi,
        Op::Popcount, Op::Clz, Op::Ctz, Op::BitReverse, Op::UBitExtract, Op::SBitExtract, Op::BitInsert, Op::FShr,
        Op::BitSel, Op::UDot4x8, Op::SDot4x8, Op::PackUnorm4x8, Op::PackSnorm4x8, Op::PackUnorm2x16,
        Op::PackSnorm2x16, Op::UnpackUnorm4x8, Op::UnpackSnorm4x8, Op::UnpackUnorm2x16, Op::UnpackSnorm2x16,
        Op::ExtractDyn, Op::InsertDyn,
    ]);
    // A select is a comparison and two moves, an access to l[] a shift of the offset and a load.
    let private_access_cost = 8;
    let f64 = if generation == NVA0 { FloatCaps::KEEPS } else { FloatCaps::default() };
    Caps {
        narrow: false,
        halves: false,
        wide: false,
        doubles: generation == NVA0,
        expand_doubles: OpSet::of(&[Op::FDiv, Op::FSqrt, Op::FLdexp]),
        wide_conversions: generation == NVA0,
        floats: AllFloatCaps { f16: FloatCaps::KEEPS, f32: FloatCaps::FLUSHES, f64, ..AllFloatCaps::default() },
        address_offset: 0,
        parts: PartCaps::SHARED,
        expand: EXPAND,
        scalar: true,
        expand_bool_select: false,
        strict_align: true,
        checked_loads: false,
        checked_stores: false,
        select_array_bytes: 64,
        private_access_cost,
        // A shift of the offset and a load.
        table_access_cost: Some(2),
        select_by_bits: true,
        // One instruction instead of four.
        prefer_mul24: true,
        offset_fold: 0,
        fuse_fma: true,
        short_mixes: true,
        funnel: false,
        bit_select: false,
        bit_field: false,
        merge_access: 16,
        live_words: &[],
        wide_workgroup: false,
        divides: false,
        pair_dots: false,
        clamp_conversions: false,
        if_convert: 5,
        // Their `break` and the jump back are two instructions wherever the test stands.
        rotate_divergent: false,
        predicated_demote: true,
        subgroup: 32,
        live_ballots: false,
        fragment_lanes: false,
        lanes_by_memory: true,
        simple_lane_reads: false,
        reconverges: false,
        ballots_by_memory: true,
        lockstep: true,
        unroll: 256,
        unroll_more: 4,
        tex: TexCaps {
            cube: TexCube::Divided,
            gradients: false,
            lane_bias: false,
            cube_gradients: CubeGradients::Level,
            cube_levels: true,
            layer: LayerForm::Small,
            // Other components are bound apart.
            gather: if generation == NVA3 { Gathers::First } else { Gathers::Nothing },
            base_clamp: false,
            lane_index: true,
        },
        sampler: SamplerCaps {
            compare: true,
            compare_layer_levels: false,
            level_query: generation == NVA3,
            compare_gradients: true,
            offset: true,
        },
        // Samples of a pixel are texels of a larger texture.
        fetch: FetchCaps { fetch: true, checked: true, offset: true, samples: false, wide: true },
        io: IoCaps {
            vertex_index_includes_base: true,
            instance_index_includes_base: false,
            negative_depth: false,
            perspective: true,
            linear: true,
            frag_coord: true,
            sample_position: false,
            sample_shading: generation == NVA3,
            sample_mask: generation == NVA3,
            covered_samples: false,
            blending: Blending::Fixed,
            per_target: if generation == NVA3 { PerTarget::Equations } else { PerTarget::Masks },
            targets: FormatSet::ALL,
            window_positions: false,
            clip_distances: true,
            point_coord: false,
            layers: false,
            most_layers: 1,
            viewports: false,
            viewport_index: false,
            primitive_index: true,
            vertex_order: true,
            packed_colours: false,
            compact_targets: false,
        },
    }
}
