//! Limits of the chips, and their refusals.

use crate::interface::io;
use gpucc_ir::{Op, Refusal, Stage, TexCube, Unsupported};
use gpucc_opt::{
    AllFloatCaps, Blending, Caps, CubeGradients, FetchCaps, FloatCaps, FormatSet, Gathers, IoCaps, LayerForm, OpSet,
    PartCaps, PerTarget, SamplerCaps, TexCaps,
};

/// The refusals.
pub(crate) const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(Refusal::WideFunctions, "no specification asks for them in 64 bits"),
    Unsupported::all(Refusal::Subgroups, "in compute and fragments only").in_stages(&[Stage::Vertex]),
    Unsupported::all(Refusal::SubgroupLanes, "in compute and fragments only").in_stages(&[Stage::Vertex]),
    Unsupported::all(
        Refusal::BindGroup,
        "groups 0 to 65,533: numbers of tables have 16 bits, and two of them have other uses",
    )
    .most(io::VERTEX_GROUP as u64 - 1),
    Unsupported::all(Refusal::Varyings, "32 parameters").most(io::PARAMETERS),
    Unsupported::all(
        Refusal::FloatModes,
        "floats of 16 and 64 bits have one mode, and code for quotients, roots and the nearest integer of doubles needs denormals and rounding to nearest; before gfx8 halves have denormals and are rounded to nearest, floats of 32 bits beside them too",
    ),
    Unsupported::all(Refusal::SubgroupSize, "64 lanes, which are a wave"),
    Unsupported::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(1024),
    Unsupported::all(Refusal::WorkgroupMemory, "32 KiB").most(32 << 10).on(&["gfx6"]),
    Unsupported::all(Refusal::WorkgroupMemory, "64 KiB").most(64 << 10).on(&["gfx7", "gfx8"]),
    Unsupported::all(
        Refusal::ProgramSize,
        "1,000,000 instructions of the IR once every call is replaced by its function's body, and more branches past 128 KiB at once than there is room for",
    ),
];

/// Scalar registers below this can be used on every generation without crowding out VCC (launch convention, section 7).
pub(crate) const SCALAR_TOP: u32 = 94;

/// Buffers beyond user data whose descriptors the first instructions load into registers of the whole program: four in one load.
pub(crate) const KEPT: usize = 8;

/// The limits of GCN, for the target-independent passes.
pub(crate) fn caps() -> Caps {
    Caps {
        narrow: false,
        halves: false,
        wide: false,
        doubles: true,
        expand_doubles: OpSet::EMPTY,
        wide_conversions: false,
        // FP_ROUND64/16 and FP_DENORM64/16.
        floats: AllFloatCaps {
            f16: FloatCaps::KEEPS,
            f32: FloatCaps::FULL,
            f64: FloatCaps::FULL,
            alike: true,
            plain64: OpSet::of(&[Op::FDiv, Op::FSqrt, Op::FRoundEven]),
        },
        address_offset: 4095,
        parts: PartCaps::SHARED,
        #[rustfmt::skip]
        expand: OpSet::of(&[
            Op::FDiv, Op::FRem, Op::FSign, Op::FDot, Op::F2S, Op::F2U, Op::UDiv, Op::SDiv, Op::URem, Op::SRem,
            Op::SMul24, Op::UBitExtract, Op::SBitExtract, Op::BitInsert, Op::UDot4x8, Op::SDot4x8, Op::PackUnorm4x8,
            Op::PackSnorm4x8, Op::PackUnorm2x16, Op::PackSnorm2x16, Op::UnpackUnorm4x8, Op::UnpackSnorm4x8,
            Op::UnpackUnorm2x16, Op::UnpackSnorm2x16, Op::ExtractDyn, Op::InsertDyn,
        ]),
        scalar: true,
        expand_bool_select: true,
        strict_align: false,
        checked_loads: true,
        checked_stores: true,
        select_array_bytes: 64,
        private_access_cost: u32::MAX,
        table_access_cost: None,
        select_by_bits: true,
        prefer_mul24: true,
        offset_fold: 4064,
        fuse_fma: false,
        short_mixes: true,
        funnel: true,
        bit_select: true,
        bit_field: true,
        merge_access: 16,
        // Uniform loads are in scalar registers: vector registers, of which there are more, are not what runs out.
        live_words: &[28, 52],
        wide_workgroup: true,
        divides: false,
        pair_dots: false,
        clamp_conversions: false,
        if_convert: 8,
        rotate_divergent: true,
        predicated_demote: true,
        subgroup: 64,
        live_ballots: true,
        fragment_lanes: true,
        lanes_by_memory: false,
        simple_lane_reads: true,
        reconverges: true,
        ballots_by_memory: false,
        lockstep: true,
        unroll: 256,
        unroll_more: 4,
        tex: TexCaps {
            cube: TexCube::FacedPlusOne,
            gradients: true,
            lane_bias: true,
            cube_gradients: CubeGradients::Face,
            cube_levels: false,
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
            vertex_index_includes_base: false,
            instance_index_includes_base: false,
            negative_depth: false,
            perspective: true,
            linear: true,
            frag_coord: true,
            sample_position: false,
            sample_shading: true,
            sample_mask: true,
            covered_samples: true,
            blending: Blending::Fixed,
            per_target: PerTarget::Equations,
            targets: FormatSet::ALL,
            window_positions: false,
            clip_distances: true,
            point_coord: false,
            layers: true,
            most_layers: 8192,
            viewports: true,
            viewport_index: false,
            primitive_index: false,
            vertex_order: false,
            packed_colours: true,
            compact_targets: true,
        },
    }
}
