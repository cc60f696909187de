//! Limits of the chips, and their refusals.

use gpucc_ir::{Op, Refusal, Stage, TexCube, Unsupported};
use gpucc_opt::{
    AllFloatCaps, Blending, Caps, CubeGradients, FetchCaps, FloatCaps, FormatSet, Gathers, IoCaps, LayerForm, OpSet,
    PartCaps, PerTarget, SamplerCaps, TexCaps,
};
use gpucc_valhall_machine as machine;

/// Most invocations of a workgroup, bytes of workgroup memory, and bytes of private memory that offsets reach.
pub(crate) const MOST_INVOCATIONS: u64 = 1024;

pub(crate) const MOST_SHARED: u32 = 32 << 10;

pub(crate) const MOST_PRIVATE: u32 = 32 << 10;

/// Most attributes of a vertex.
pub(crate) const MOST_ATTRIBUTES: usize = 16;

/// The refusals.
pub(crate) const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(
        Refusal::CullDistances,
        "no hardware path is known, and a fragment does not know all vertices of its primitive",
    ),
    Unsupported::all(Refusal::Elf, "its drivers upload the bytes of `--emit raw`"),
    Unsupported::all(Refusal::Varyings, "16 attributes of a vertex: their number has four bits in LD_ATTR_IMM")
        .most(MOST_ATTRIBUTES as u64),
    Unsupported::all(Refusal::PerVertexInputs, "nothing gives a fragment the values of each vertex of its primitive"),
    Unsupported::all(Refusal::Viewports, "a record says a layer, and a draw has one scissor and one range of depth"),
    Unsupported::all(Refusal::ClipDistances, "nothing clips by them, so the fragment program tests them"),
    Unsupported::all(
        Refusal::BlendEquations,
        "what the blend descriptor does not say is code, which runs for each sample",
    ),
    Unsupported::all(Refusal::WideTypes, "selection knows no floats of 64 bits"),
    Unsupported::all(Refusal::Subgroups, "in compute and fragments only").in_stages(&[Stage::Vertex]),
    Unsupported::all(
        Refusal::FloatModes,
        "floats have denormals, and are rounded to nearest by what selection makes of them",
    ),
    Unsupported::all(Refusal::SubgroupSize, "16 lanes, which are a warp"),
    Unsupported::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(MOST_INVOCATIONS),
    Unsupported::all(
        Refusal::BindGroup,
        "groups 0 to 58: the driver owns table 0, and tables from 60 up have other uses",
    )
    .most(machine::exec::MOST_GROUP as u64),
    Unsupported::all(Refusal::WorkgroupMemory, "32 KiB").most(MOST_SHARED as u64),
    Unsupported::all(
        Refusal::PrivateMemory,
        "32 KiB, spilled registers included: offsets of private memory have 16 bits and a sign",
    )
    .most(MOST_PRIVATE as u64),
    Unsupported::all(Refusal::OutOfUniforms, "128 words, two for the address and one for the size of each buffer"),
    Unsupported::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and the 67,108,864 that a branch reaches",
    ),
];

/// The limits of Valhall, for the target-independent passes.
pub(crate) fn caps() -> Caps {
    #[rustfmt::skip]
    const EXPAND: OpSet = OpSet::of(&[
        Op::FSign, Op::FFract, Op::FDiv, Op::FRem, Op::FDot, Op::F2S, Op::F2U, Op::SMulHi, Op::UMul24, Op::SMul24,
        Op::UDiv, Op::SDiv, Op::URem, Op::SRem, Op::Ctz, Op::UBitExtract, Op::SBitExtract, Op::BitInsert, Op::FShr,
        Op::PackUnorm4x8, Op::PackSnorm4x8, Op::PackUnorm2x16, Op::PackSnorm2x16, Op::UnpackUnorm4x8,
        Op::UnpackSnorm4x8, Op::UnpackUnorm2x16, Op::UnpackSnorm2x16, Op::ExtractDyn, Op::InsertDyn,
    ]);
    Caps {
        narrow: false,
        halves: false,
        wide: false,
        doubles: false,
        expand_doubles: OpSet::EMPTY,
        wide_conversions: false,
        floats: AllFloatCaps { f16: FloatCaps::KEEPS, f32: FloatCaps::KEEPS, ..AllFloatCaps::default() },
        address_offset: 0x7fe0,
        parts: PartCaps::SHARED,
        expand: EXPAND,
        scalar: true,
        expand_bool_select: false,
        strict_align: false,
        checked_loads: true,
        checked_stores: false,
        select_array_bytes: 64,
        private_access_cost: u32::MAX,
        table_access_cost: None,
        select_by_bits: false,
        prefer_mul24: false,
        offset_fold: 32764,
        fuse_fma: true,
        short_mixes: false,
        funnel: false,
        bit_select: true,
        bit_field: false,
        merge_access: 16,
        // Of 32 and of 64 registers.
        live_words: &[28, 52],
        wide_workgroup: true,
        divides: false,
        pair_dots: false,
        clamp_conversions: false,
        if_convert: 8,
        rotate_divergent: true,
        predicated_demote: true,
        subgroup: 16,
        live_ballots: false,
        fragment_lanes: true,
        lanes_by_memory: false,
        simple_lane_reads: true,
        reconverges: true,
        ballots_by_memory: false,
        lockstep: true,
        unroll: 256,
        unroll_more: 4,
        tex: TexCaps {
            cube: TexCube::Faced,
            gradients: true,
            lane_bias: true,
            cube_gradients: CubeGradients::Level,
            cube_levels: true,
            layer: LayerForm::Float,
            gather: Gathers::Any,
            base_clamp: false,
            lane_index: false,
        },
        sampler: SamplerCaps {
            compare: true,
            compare_layer_levels: true,
            level_query: true,
            compare_gradients: true,
            offset: true,
        },
        fetch: FetchCaps { fetch: true, checked: true, offset: true, samples: true, wide: true },
        io: IoCaps {
            vertex_index_includes_base: true,
            instance_index_includes_base: false,
            negative_depth: false,
            perspective: true,
            linear: false,
            frag_coord: false,
            sample_position: false,
            sample_shading: true,
            sample_mask: true,
            covered_samples: true,
            blending: Blending::Product,
            per_target: PerTarget::Equations,
            targets: FormatSet::ALL,
            window_positions: true,
            clip_distances: false,
            point_coord: true,
            layers: true,
            most_layers: machine::abi::MOST_LAYERS,
            viewports: false,
            viewport_index: false,
            primitive_index: true,
            vertex_order: true,
            packed_colours: false,
            compact_targets: false,
        },
    }
}
