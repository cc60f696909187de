//! Limits of the chips, their refusals, and the strategies of attempts.

use gpucc_driver::{AttemptError, FailureKind};
use gpucc_ir::refusal::Kind;
use gpucc_ir::{Op, Refusal, Stage, TexCube, Unsupported};
use gpucc_opt::{
    AllFloatCaps, Blending, Caps, CubeGradients, FetchCaps, FloatCaps, FormatSet, Gathers, IoCaps, LayerForm, OpSet,
    PartCaps, PerTarget, SamplerCaps, TexCaps,
};
use gpucc_pipeline::Format;
use gpucc_vivante_machine as machine;

use crate::inst::Vivante;

const GRAPHICS: &[Stage] = &[Stage::Vertex, Stage::Fragment];
const BEFORE_HALTI5: &[&str] = &["gc2000", "gc3000"];

/// The refusals of the family, some of them of single chips.
pub const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(
        Refusal::CullDistances,
        "the chips know no distances, and a fragment does not know all vertices of its primitive",
    ),
    Unsupported::all(Refusal::Elf, "its drivers upload the bytes of `--emit raw`"),
    Unsupported::all(Refusal::ImageAtomics, "there are no atomic instructions before HALTI2, which is gc3000").on(&["gc2000"]),
    Unsupported::all(Refusal::CubeArrays, "no texture has both cubes and layers"),
    Unsupported::all(Refusal::Gathers, "four samples stand for a gather, and those of a cube lie on other faces"),
    Unsupported::all(
        Refusal::TexelComparisons,
        "samplers do not compare; code does where it knows the sampler and can read the texels that it filters",
    )
    .on(&["gc2000"]),
    Unsupported::all(Refusal::TexelOffsets, "samplers add none; code does where it knows the level"),
    Unsupported::all(Refusal::StorageFormats, "code makes texels of values, and has to know what they are"),
    Unsupported::all(Refusal::Layers, "a draw has one layer: no word says which layer a vertex takes"),
    Unsupported::all(Refusal::Viewports, "a draw has one viewport: no word says which one a vertex takes"),
    Unsupported::all(Refusal::PerVertexInputs, "nothing gives a fragment the values of each vertex of its primitive"),
    Unsupported::all(Refusal::StencilExport, "the outputs of a program are colours and a depth"),
    Unsupported::all(Refusal::PrimitiveIndex, "nothing numbers primitives"),
    Unsupported::all(Refusal::SampleShading, "no program runs for each sample"),
    Unsupported::all(Refusal::Centroids, "inputs are those of the pixel's middle: no word says otherwise"),
    Unsupported::all(Refusal::SampleMasks, "programs neither read nor give them"),
    Unsupported::all(Refusal::ClipDistances, "nothing clips by them, so the fragment program tests them"),
    Unsupported::all(Refusal::TargetFormats, "no depth is a float, and a target of 128 bits is two"),
    Unsupported::all(Refusal::DualSource, "a target gets one colour"),
    Unsupported::all(
        Refusal::BlendEquations,
        "before HALTI5, which is gc7000, targets have everything in common but their formats",
    )
    .on(BEFORE_HALTI5),
    Unsupported::all(Refusal::PhysicalAddresses, "addresses have 32 bits"),
    Unsupported::all(Refusal::WideAtomics, "words alone"),
    Unsupported::all(Refusal::WideTypes, "the chips have no floats of 64 bits"),
    Unsupported::all(Refusal::Subgroups, "in compute only").in_stages(GRAPHICS),
    Unsupported::all(Refusal::SubgroupLanes, "in compute only").in_stages(GRAPHICS),
    Unsupported::all(Refusal::Atomics, "there are no atomic instructions before HALTI2, which is gc3000")
        .on(&["gc2000"]),
    Unsupported::all(Refusal::TextureUnits, "8 in fragment and compute programs, 4 in vertex programs")
        .on(&["gc2000"])
        .most(4),
    Unsupported::all(Refusal::TextureUnits, "16 in each stage").on(&["gc3000", "gc7000"]).most(16),
    Unsupported::all(Refusal::FloatModes, "floats have no denormals and are rounded to nearest; halves, which code makes of them, have denormals"),
    Unsupported::all(Refusal::SubgroupSize, "4 lanes: neighbours that meet at barriers"),
    Unsupported::all(Refusal::WorkgroupSize, "at most 1,024 invocations").most(machine::abi::MAX_INVOCATIONS),
    Unsupported::all(Refusal::WorkgroupMemory, "1 MiB").most(machine::abi::MOST_SHARED as u64),
    Unsupported::all(Refusal::PrivateMemory, "64 KiB, spilled registers included")
        .most(machine::abi::MOST_SCRATCH as u64)
        .in_stages(&[Stage::Compute]),
    Unsupported::all(Refusal::PrivateMemory, "what is indexed lies in temporaries, at most 60, each of which has four words: nothing tells threads of draws apart, and there are no atomics by which they could share memory out")
        .most(0)
        .on(&["gc2000"])
        .in_stages(GRAPHICS),
    Unsupported::all(Refusal::PrivateMemory, "8 KiB, spilled registers included: threads of draws take pieces of memory by atomics")
        .most(machine::abi::MOST_DRAW_SCRATCH as u64)
        .on(&["gc3000", "gc7000"])
        .in_stages(GRAPHICS),
    Unsupported::all(Refusal::Varyings, "11, and 16 attributes of a vertex, its numbers counting as one")
        .most(11)
        .on(&["gc2000"]),
    Unsupported::all(Refusal::Varyings, "15, and 16 attributes of a vertex, its numbers counting as one")
        .most(15)
        .on(&["gc3000", "gc7000"]),
    Unsupported::all(
        Refusal::OutOfRegisters,
        "64 vec4; without immediate offsets the chip cannot reach spilled registers",
    )
    .on(&["gc2000"]),
    Unsupported::all(Refusal::OutOfUniforms, "168 vec4").most(168).on(&["gc2000"]),
    Unsupported::all(Refusal::OutOfUniforms, "256 vec4").most(256).on(&["gc3000", "gc7000"]),
    Unsupported::all(Refusal::ProgramSize, "512 instructions").most(512).on(&["gc2000"]),
    Unsupported::all(Refusal::ProgramSize, "16,383 instructions").most(16_383).on(&["gc3000", "gc7000"]),
];

/// Invocations with neighbouring indices that are a subgroup: as many as a register has components.
pub const LANES: u32 = 4;

/// Formats of targets: no depth as a float. Those of 128 bits are two.
const TARGETS: FormatSet = FormatSet::ALL.without(&[Format::Depth32Float, Format::Depth32FloatStencil8]);

/// The limits of the generations, for the target-independent passes.
pub fn caps(generation: u8, how: Strategy) -> Caps {
    #[rustfmt::skip]
    const ALWAYS: OpSet = OpSet::of(&[
        Op::FRem, Op::Fma, Op::FRoundEven, Op::FLdexp, Op::FQuant16, Op::UDiv, Op::SDiv, Op::URem, Op::SRem,
        Op::UMul24, Op::SMul24, Op::Ctz, Op::UBitExtract, Op::SBitExtract, Op::BitInsert, Op::FShr, Op::BitSel,
        Op::UDot4x8, Op::SDot4x8, Op::PackUnorm4x8, Op::PackSnorm4x8, Op::PackUnorm2x16, Op::PackSnorm2x16,
        Op::PackHalf2x16, Op::UnpackUnorm4x8, Op::UnpackSnorm4x8, Op::UnpackUnorm2x16, Op::UnpackSnorm2x16,
        Op::UnpackHalf2x16, Op::ExtractDyn, Op::InsertDyn,
    ]);
    let halti5 = generation != machine::GC2000 && generation != machine::GC3000;
    let expand = match generation {
        machine::GC2000 => ALWAYS.with(OpSet::of(&[Op::Popcount, Op::BitReverse])),
        machine::GC3000 => ALWAYS.with(OpSet::of(&[Op::BitReverse])),
        _ => ALWAYS,
    };
    Caps {
        expand,
        scalar: how.scalar,
        narrow: false,
        halves: false,
        wide: false,
        doubles: false,
        expand_doubles: OpSet::EMPTY,
        wide_conversions: false,
        floats: AllFloatCaps { f16: FloatCaps::KEEPS, f32: FloatCaps::FLUSHES, ..AllFloatCaps::default() },
        address_offset: 0,
        parts: PartCaps::NONE,
        expand_bool_select: false,
        strict_align: false,
        checked_loads: false,
        checked_stores: false,
        // An indexed array can lie in temporaries; choosing between a few elements is no dearer.
        select_array_bytes: if how.arrays { 16 } else { 64 },
        private_access_cost: u32::MAX,
        table_access_cost: None,
        select_by_bits: true,
        prefer_mul24: false,
        offset_fold: 0,
        fuse_fma: false,
        short_mixes: true,
        funnel: false,
        bit_select: false,
        bit_field: false,
        merge_access: if how.wide { 16 } else { 0 },
        live_words: &[],
        wide_workgroup: false,
        divides: machine::validate::fast_transcendentals(generation),
        pair_dots: generation != machine::GC2000,
        clamp_conversions: !Vivante::new(generation, 0).is_vector(machine::Op::F2i, machine::Type::S32),
        if_convert: 8,
        rotate_divergent: true,
        predicated_demote: true,
        subgroup: LANES,
        live_ballots: false,
        fragment_lanes: false,
        lanes_by_memory: true,
        simple_lane_reads: false,
        reconverges: true,
        ballots_by_memory: true,
        lockstep: false,
        unroll: if how.unroll { 256 } else { 0 },
        unroll_more: 1,
        tex: TexCaps {
            cube: TexCube::Direction,
            gradients: true,
            lane_bias: true,
            cube_gradients: CubeGradients::Direction,
            cube_levels: true,
            layer: LayerForm::Float,
            gather: Gathers::Nothing,
            base_clamp: false,
            lane_index: true,
        },
        sampler: SamplerCaps {
            compare: generation != machine::GC2000,
            compare_layer_levels: true,
            level_query: true,
            compare_gradients: halti5,
            offset: false,
        },
        fetch: FetchCaps { fetch: halti5, checked: false, offset: false, samples: false, wide: false },
        io: IoCaps {
            vertex_index_includes_base: true,
            instance_index_includes_base: false,
            negative_depth: true,
            perspective: true,
            linear: halti5,
            frag_coord: true,
            sample_position: false,
            sample_shading: false,
            sample_mask: false,
            covered_samples: false,
            blending: Blending::Fixed,
            per_target: if halti5 { PerTarget::Equations } else { PerTarget::Format },
            targets: TARGETS,
            window_positions: false,
            clip_distances: false,
            point_coord: false,
            layers: false,
            most_layers: 1,
            viewports: false,
            viewport_index: false,
            primitive_index: true,
            vertex_order: true,
            packed_colours: false,
            compact_targets: true,
        },
    }
}

/// What ran out where there are components, but not where vectors need them.
pub const ROWS: &str = "rows";

/// Whether spilled registers can be reached: gc2000 has no immediates for offsets.
pub const fn has_spills(generation: u8) -> bool {
    generation != machine::GC2000
}

/// The attempts; each asks for more temporaries, uniforms, or instructions than doing without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// Indexed variables in temporaries.
    pub arrays: bool,
    /// Neighbouring accesses merged, scalars packed.
    pub wide: bool,
    /// Loops unrolled, so their code is longer.
    pub unroll: bool,
    /// Uniform values computed by the launch.
    pub launch: bool,
    /// Registers may be spilled: the prologue computes a base for that.
    pub spills: bool,
    /// Elements of indexed variables are packed, also where they fit.
    pub packed: bool,
    /// Vectors are taken apart: what has three components leaves the fourth of its register to nobody.
    pub scalar: bool,
    /// Threads of draws have memory of their own, as those of compute always have.
    pub memory: bool,
}

impl Strategy {
    /// The next attempt after a refusal. `private`: there are variables in memory of the invocation; `unrolled`: loops were.
    pub fn after(self, stop: &AttemptError, private: bool, unrolled: bool) -> Option<Strategy> {
        match stop.refused.refusal()? {
            Refusal::ProgramSize if self.unroll && unrolled => Some(Strategy { unroll: false, ..self }),
            // A result of the launch is a word of the file; without the launch a register holds it.
            Refusal::OutOfUniforms if self.launch => Some(Strategy { launch: false, ..self }),
            _ if stop.cause == FailureKind::Hopeless => None,
            // Sizes do not change what a chip lacks.
            code if code.kind() != Kind::Capacity => None,
            // One by one, constants may be immediates.
            Refusal::OutOfUniforms if self.wide => Some(Strategy { wide: false, ..self }),
            // Selects may do what neither temporaries nor memory can: with constants they vanish.
            _ if self.arrays && private => Some(Strategy { arrays: false, ..self }),
            Refusal::OutOfRegisters if self.wide => Some(Strategy { arrays: false, wide: false, ..self }),
            Refusal::OutOfRegisters if !self.scalar && stop.cause == FailureKind::OutOf(ROWS) => {
                Some(Strategy { scalar: true, ..self })
            }
            _ => None,
        }
    }
}
