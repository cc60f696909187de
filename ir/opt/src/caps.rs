//! Capabilities of a target, as plain data: they drive legalisation, scalarisation and bounds handling.

use gpucc_ir::{
    Attr, Denormals, FloatMode, FloatModes, InstData, Module, Op, Rounding, Scalar, Space, Stage, Sysval, TexCube,
};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, BlendOperation, Format, Pipeline};

/// A set of ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpSet([u64; 4]);

impl OpSet {
    /// The set without any op.
    pub const EMPTY: OpSet = OpSet([0; 4]);

    /// The set of the listed ops.
    pub const fn of(ops: &[Op]) -> OpSet {
        let mut s = OpSet::EMPTY;
        let mut i = 0;
        while i < ops.len() {
            let n = ops[i] as usize;
            s.0[n / 64] |= 1 << (n % 64);
            i += 1;
        }
        s
    }

    /// Whether the op is in.
    pub const fn has(self, op: Op) -> bool {
        self.0[op as usize / 64] >> (op as usize % 64) & 1 == 1
    }

    /// The set with an op more.
    pub const fn with_op(mut self, op: Op) -> OpSet {
        self.0[op as usize / 64] |= 1 << (op as usize % 64);
        self
    }

    /// Whether some op is in both sets.
    pub const fn meets(self, o: OpSet) -> bool {
        (self.0[0] & o.0[0]) | (self.0[1] & o.0[1]) | (self.0[2] & o.0[2]) | (self.0[3] & o.0[3]) != 0
    }

    /// The ops of both sets.
    pub const fn with(self, o: OpSet) -> OpSet {
        OpSet([self.0[0] | o.0[0], self.0[1] | o.0[1], self.0[2] | o.0[2], self.0[3] | o.0[3]])
    }
}

/// A set of formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatSet(u64);

const _: () = assert!(Format::ALL.len() <= 64, "a set of formats is one word");

impl FormatSet {
    /// The set of every format.
    pub const ALL: FormatSet = FormatSet(u64::MAX);

    /// All but the listed ones.
    pub const fn without(self, formats: &[Format]) -> FormatSet {
        let mut bits = self.0;
        let mut i = 0;
        while i < formats.len() {
            bits &= !(1 << formats[i] as u32);
            i += 1;
        }
        FormatSet(bits)
    }

    /// Whether the format is in.
    pub const fn has(self, format: Format) -> bool {
        self.0 >> format as u32 & 1 == 1
    }
}

/// The form in which a sampled texture takes its array layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayerForm {
    /// An integer of any sign.
    Integer,
    /// A float, which is rounded and clamped.
    Float,
    /// An integer from 0 to 511.
    Small,
}

/// The texels that one instruction gathers; four samples do the rest, but for cubes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gathers {
    /// Nothing.
    Nothing,
    /// The first component, and comparisons. Other components are the first of another descriptor of the texture, while there are
    /// no more than [`Gathers::TEXTURES`].
    First,
    /// Any component.
    Any,
}

impl Gathers {
    /// How many textures a stage may have for a component to become one of its own: what WebGPU lets a stage have.
    pub const TEXTURES: u32 = 16;
}

/// The gradients of a cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CubeGradients {
    /// Those of the direction.
    Direction,
    /// Those of s and t on the face.
    Face,
    /// None: a level instead.
    Level,
}

/// Which blend equations hardware has; `lower_blend` writes the others, if colour targets can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blending {
    /// All of them.
    Fixed,
    /// Those of the form A + B * C, where A is 0, source or destination, B one of the two, their sum or difference, and C a factor
    /// without constant and second source.
    Product,
    /// None.
    Code,
}

impl Blending {
    /// Whether hardware blends so.
    pub fn has(self, blend: &Blend) -> bool {
        match self {
            Blending::Fixed => true,
            Blending::Code => false,
            Blending::Product => is_product(&blend.color) && is_product(&blend.alpha),
        }
    }
}

/// The state that each colour target may have of its own; of the rest all targets have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PerTarget {
    /// Its format alone.
    Format,
    /// Also which components are written and whether it blends.
    Masks,
    /// Also its blend equation.
    Equations,
}

impl PerTarget {
    /// Whether the targets of a pipeline may be as they are.
    pub fn has(self, p: &Pipeline) -> bool {
        let mut all = p.targets.iter().flatten();
        match self {
            PerTarget::Equations => true,
            PerTarget::Masks => {
                let mut equations = all.filter(|t| t.write != 0).filter_map(|t| t.blend);
                let first = equations.next();
                equations.all(|b| Some(b) == first)
            }
            PerTarget::Format => {
                let first = all.next();
                all.all(|t| first.is_none_or(|f| (f.write, f.blend) == (t.write, t.blend)))
            }
        }
    }
}

fn is_product(c: &BlendComponent) -> bool {
    use BlendFactor as F;
    let simple = |f: F| match f {
        F::Zero | F::One | F::Src | F::OneMinusSrc | F::SrcAlpha | F::OneMinusSrcAlpha => true,
        F::Dst | F::OneMinusDst | F::DstAlpha | F::OneMinusDstAlpha => true,
        F::SrcAlphaSaturated | F::Constant | F::OneMinusConstant => false,
        F::Src1 | F::OneMinusSrc1 | F::Src1Alpha | F::OneMinusSrc1Alpha => false,
    };
    let rests = [
        (F::Src, F::OneMinusSrc),
        (F::SrcAlpha, F::OneMinusSrcAlpha),
        (F::Dst, F::OneMinusDst),
        (F::DstAlpha, F::OneMinusDstAlpha),
    ];
    let pair = (c.src, c.dst);
    let operation = !matches!(c.operation, BlendOperation::Min | BlendOperation::Max);
    let one = [c.src, c.dst].iter().any(|f| matches!(f, F::Zero | F::One)) || c.src == c.dst;
    operation && simple(c.src) && simple(c.dst) && (one || rests.iter().any(|&(a, b)| pair == (a, b) || pair == (b, a)))
}

/// The inputs and outputs of a target's stages; `lower_io` writes the rest with these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoCaps {
    /// Whether vertices are numbered with the base vertex added.
    pub vertex_index_includes_base: bool,
    /// Whether instances are numbered with the first instance added.
    pub instance_index_includes_base: bool,
    /// Whether the depth of clip space is from -w to w.
    pub negative_depth: bool,
    /// Whether inputs are interpolated with perspective; otherwise they come divided by w.
    pub perspective: bool,
    /// Whether inputs can be linear on the screen.
    pub linear: bool,
    /// Whether there is the position of a fragment as one value.
    pub frag_coord: bool,
    /// Whether the place of a sample in its pixel is known; otherwise it follows from the number of the sample.
    pub sample_position: bool,
    /// Whether programs run for each sample; otherwise only pixels of one sample have what asks for it.
    pub sample_shading: bool,
    /// Whether programs give masks of samples; otherwise one of a single sample demotes.
    pub sample_mask: bool,
    /// Whether programs know which samples are covered; otherwise those alone of pixels of one sample, where no neighbour sees what is made of them.
    pub covered_samples: bool,
    /// Which blend equations there are.
    pub blending: Blending,
    /// The properties of targets.
    pub per_target: PerTarget,
    /// Formats that targets may have.
    pub targets: FormatSet,
    /// Whether code gives positions on the screen with 1/w, not in clip space.
    pub window_positions: bool,
    /// Whether primitives are clipped by distances that vertices give; otherwise fragments are thrown away.
    pub clip_distances: bool,
    /// Whether fragments know their place in a point; otherwise it is an input of two components, [`gpucc_ir::IoAt::PointCoord`].
    pub point_coord: bool,
    /// Whether vertices choose among layers of the attachments, and fragments know theirs.
    pub layers: bool,
    /// How many layers vertices can choose among; 1 if they do not choose.
    pub most_layers: u32,
    /// Whether vertices choose among viewports.
    pub viewports: bool,
    /// Whether fragments know their viewport; otherwise the vertex hands its number on.
    pub viewport_index: bool,
    /// Whether fragments know the number of their primitive; otherwise the vertex hands it on.
    pub primitive_index: bool,
    /// Whether the first vertex of a fragment's primitive is the provoking one; otherwise vertices hand a number on, which tells them apart.
    pub vertex_order: bool,
    /// Whether colours for targets of few bits leave as pairs of 16 bits.
    pub packed_colours: bool,
    /// Whether colour outputs are numbered over bound targets, without holes.
    pub compact_targets: bool,
}

impl IoCaps {
    /// All that the IR has.
    pub const FULL: IoCaps = IoCaps {
        vertex_index_includes_base: true,
        instance_index_includes_base: true,
        negative_depth: false,
        perspective: true,
        linear: true,
        frag_coord: true,
        sample_position: true,
        sample_shading: true,
        sample_mask: true,
        covered_samples: true,
        blending: Blending::Fixed,
        per_target: PerTarget::Equations,
        targets: FormatSet::ALL,
        window_positions: false,
        clip_distances: true,
        point_coord: true,
        layers: true,
        most_layers: u32::MAX,
        viewports: true,
        viewport_index: true,
        primitive_index: true,
        vertex_order: true,
        packed_colours: false,
        compact_targets: false,
    };
    /// The least that there is a lowering for. Positions are on the screen or have their depth from -w, not both.
    pub const MINIMAL: IoCaps = IoCaps {
        vertex_index_includes_base: false,
        instance_index_includes_base: false,
        negative_depth: true,
        perspective: false,
        linear: false,
        frag_coord: false,
        sample_position: false,
        sample_shading: false,
        sample_mask: false,
        covered_samples: false,
        blending: Blending::Code,
        per_target: PerTarget::Equations,
        targets: FormatSet::ALL,
        window_positions: true,
        clip_distances: false,
        point_coord: false,
        // Nothing takes the place of a choice.
        layers: true,
        most_layers: u32::MAX,
        viewports: true,
        viewport_index: false,
        // The oracle knows both: these forms are a chip's.
        primitive_index: true,
        vertex_order: true,
        packed_colours: true,
        compact_targets: true,
    };
}

/// The operands that a target's texture instructions take; `lower_tex` writes the rest with these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexCaps {
    /// The coordinates of a cube.
    pub cube: TexCube,
    /// Whether gradients can be given; otherwise code makes a level of them, and of cubes [`CubeGradients::Level`] counts.
    pub gradients: bool,
    /// Whether a bias may differ between the lanes of a quad; otherwise one that is no constant becomes a level.
    pub lane_bias: bool,
    /// The gradients of a cube.
    pub cube_gradients: CubeGradients,
    /// Whether faced coordinates have implicit levels, also in a quad on several faces; otherwise those are written as gradients.
    pub cube_levels: bool,
    /// The array layer of what is filtered or gathered.
    pub layer: LayerForm,
    /// The texels that one instruction gathers.
    pub gather: Gathers,
    /// Whether coordinates can be clamped half a texel inside the edges.
    pub base_clamp: bool,
    /// Whether lanes may name different elements of an array of textures or samplers; `lower_indices` goes through them otherwise.
    pub lane_index: bool,
}

impl TexCaps {
    /// All that the IR has.
    pub const FULL: TexCaps = TexCaps {
        cube: TexCube::Direction,
        gradients: true,
        lane_bias: true,
        cube_gradients: CubeGradients::Direction,
        cube_levels: true,
        layer: LayerForm::Integer,
        gather: Gathers::Any,
        base_clamp: true,
        lane_index: true,
    };
    /// The least that there is a lowering for.
    pub const MINIMAL: TexCaps = TexCaps {
        cube: TexCube::FacedPlusOne,
        gradients: false,
        lane_bias: false,
        cube_gradients: CubeGradients::Level,
        cube_levels: false,
        layer: LayerForm::Float,
        gather: Gathers::Nothing,
        base_clamp: false,
        lane_index: false,
    };
}

/// The abilities of a target's samplers besides filtering; `lower_tex` writes the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerCaps {
    /// Whether they compare texels of depth; otherwise code does where it knows the sampler, and the texels are those of a gather or
    /// a nearest one.
    pub compare: bool,
    /// Whether comparisons of layers and of cubes take a level or a bias.
    pub compare_layer_levels: bool,
    /// Whether they do so at a level that gradients give.
    pub compare_gradients: bool,
    /// Whether they say which level they would take.
    pub level_query: bool,
    /// Whether an offset in texels can be given.
    pub offset: bool,
}

impl SamplerCaps {
    /// All that the IR has.
    pub const FULL: SamplerCaps = SamplerCaps {
        compare: true,
        compare_layer_levels: true,
        level_query: true,
        compare_gradients: true,
        offset: true,
    };
    /// The least that there is a lowering for.
    pub const MINIMAL: SamplerCaps = SamplerCaps {
        compare: false,
        compare_layer_levels: false,
        level_query: true,
        compare_gradients: false,
        offset: false,
    };
}

/// How texels are fetched by their integer coordinates; `lower_fetch` writes the rest with what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FetchCaps {
    /// Whether there are fetches; otherwise a sampler takes the nearest texel.
    pub fetch: bool,
    /// Whether what lies outside reads zero; otherwise code looks.
    pub checked: bool,
    /// Whether an offset can be given.
    pub offset: bool,
    /// Whether samples of a pixel are fetched; otherwise they are texels of a larger texture.
    pub samples: bool,
    /// Whether texels have up to 128 bits; otherwise such textures are read in two halves.
    pub wide: bool,
}

impl FetchCaps {
    /// All that the IR has.
    pub const FULL: FetchCaps = FetchCaps { fetch: true, checked: true, offset: true, samples: true, wide: true };
    /// The least that there is a lowering for.
    pub const MINIMAL: FetchCaps =
        FetchCaps { fetch: false, checked: false, offset: false, samples: false, wide: false };
}

/// The memories in which a target without narrow lanes loads and stores 1 and 2 bytes; elsewhere `narrow` reaches them through words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartCaps {
    /// Whether it does so in storage buffers.
    pub storage: bool,
    /// Whether it does so in workgroup memory.
    pub workgroup: bool,
}

impl PartCaps {
    /// Such accesses in all memory that invocations share.
    pub const SHARED: PartCaps = PartCaps { storage: true, workgroup: true };
    /// Such accesses in no memory.
    pub const NONE: PartCaps = PartCaps { storage: false, workgroup: false };

    /// Whether there are such accesses to a space.
    pub fn has(self, space: Space) -> bool {
        match space {
            Space::Storage => self.storage,
            Space::Workgroup => self.workgroup,
            Space::Uniform | Space::Private | Space::Function => false,
        }
    }
}

/// What a target's arithmetic on floats of one width can be made to do. What nobody asks for is the profile's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatCaps {
    /// Whether it can keep denormals.
    pub keeps: bool,
    /// Whether it can make zeros of denormals.
    pub flushes: bool,
    /// Whether it can round toward zero.
    pub cuts: bool,
}

impl FloatCaps {
    /// All that can be asked for.
    pub const FULL: FloatCaps = FloatCaps { keeps: true, flushes: true, cuts: true };
    /// Denormals as they are, rounded to nearest.
    pub const KEEPS: FloatCaps = FloatCaps { keeps: true, flushes: false, cuts: false };
    /// No denormals, rounded to nearest.
    pub const FLUSHES: FloatCaps = FloatCaps { keeps: false, flushes: true, cuts: false };

    /// Whether it does what is asked for.
    pub fn has(self, mode: FloatMode) -> bool {
        let denormals = match mode.denormals {
            Denormals::Any => true,
            Denormals::Preserve => self.keeps,
            Denormals::Flush => self.flushes,
        };
        denormals && (self.cuts || !mode.cuts())
    }
}

/// The same of all widths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllFloatCaps {
    /// Floats of 16 bits.
    pub f16: FloatCaps,
    /// Floats of 32 bits.
    pub f32: FloatCaps,
    /// Floats of 64 bits.
    pub f64: FloatCaps,
    /// Whether floats of 16 and of 64 bits are treated alike, conversions to halves of other widths too.
    pub alike: bool,
    /// Ops on floats of 64 bits whose code needs denormals and rounding to nearest.
    pub plain64: OpSet,
}

impl AllFloatCaps {
    /// All that can be asked for.
    pub const FULL: AllFloatCaps = AllFloatCaps {
        f16: FloatCaps::FULL,
        f32: FloatCaps::FULL,
        f64: FloatCaps::FULL,
        alike: false,
        plain64: OpSet::EMPTY,
    };

    /// What is asked of a width that the target does not do.
    pub fn lacks(&self, modes: FloatModes, halves: bool) -> Option<(Scalar, FloatMode)> {
        let FloatModes { f16, f32, f64 } = modes;
        if !self.f16.has(f16) {
            return Some((Scalar::F16, f16));
        }
        // Halves that are computed as floats of 32 bits must not be rounded twice.
        let said = |m: FloatMode| m.rounding != Rounding::Any;
        let twice = !halves && said(f16) && said(f32) && f16.cuts() != f32.cuts();
        if !self.f32.has(f32) || twice {
            return Some((Scalar::F32, f32));
        }
        let both = said(f16) && said(f64);
        let apart = (f16.flushes(), f16.cuts()) != (f64.flushes(), f64.cuts());
        if !self.f64.has(f64) || self.alike && both && apart {
            return Some((Scalar::F64, f64));
        }
        None
    }
}

/// What selection gets of floats of 64 bits where [`Caps::doubles`] says that there are any, besides conversions from and to floats and
/// integers of 32 bits, and `bitcast` from and to two words. The quotient and the root are correctly rounded, but for quotients that are
/// denormal.
#[rustfmt::skip]
pub const DOUBLE_OPS: &[Op] = &[
    Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::Fma, Op::FNeg, Op::FAbs, Op::FMin, Op::FMax, Op::FSat, Op::FFloor,
    Op::FCeil, Op::FTrunc, Op::FRoundEven, Op::FSqrt, Op::FLdexp, Op::FCmp, Op::Select,
];

/// The lacks and wishes of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// Ops on 32-bit lanes (and on `b1`) that the target does not have: `legalise` writes them with others.
    pub expand: OpSet,
    /// Whether vectors are split into scalars; vector loads, stores and system values stay and meet the scalars through
    /// `extract` and `compose`.
    pub scalar: bool,
    /// Whether the target has lanes of 8 and 16 bits; otherwise `narrow` writes them with lanes of 32.
    pub narrow: bool,
    /// Whether a target without narrow lanes computes with halves that have a register each: the ops of `narrow::HALF_OPS`.
    pub halves: bool,
    /// Whether the target has integers of 64 bits; otherwise `lower_wide` writes them as pairs of words.
    pub wide: bool,
    /// Whether a target without such integers computes with floats of 64 bits: the ops of [`DOUBLE_OPS`] on single lanes.
    pub doubles: bool,
    /// Those of them that there is no instruction for, among `fdiv`, `fsqrt` and `fldexp`: `lower_wide` writes them with others.
    pub expand_doubles: OpSet,
    /// Whether instructions convert floats of 32 and 64 bits from and to integers of 64 bits, on a target that has no others on these.
    pub wide_conversions: bool,
    /// What arithmetic on floats can be made to do.
    pub floats: AllFloatCaps,
    /// The largest constant offset of an access by an address of two words; `lower_wide` adds what is larger to the address.
    pub address_offset: u32,
    /// Where memory is loaded and stored by 1 and 2 bytes although there are no such lanes: as `i8` and `i16` that only come from
    /// `trunc` and go to `zext`.
    pub parts: PartCaps,
    /// Whether `select` of `b1` values is written with `and`, `or`, `not`.
    pub expand_bool_select: bool,
    /// Whether wide accesses need the alignment of their whole size; otherwise a clamped access promises 4 bytes only.
    pub strict_align: bool,
    /// Whether the hardware bounds loads from buffers, so that only stores and atomics are clamped.
    pub checked_loads: bool,
    /// The same for stores and atomics.
    pub checked_stores: bool,
    /// Private variables up to this many bytes become selects when they are indexed dynamically; larger ones stay memory.
    pub select_array_bytes: u32,
    /// The cost of an access to private memory at a dynamic offset, in selects: where the selects of all accesses to a variable
    /// would cost more than the accesses, it stays memory.
    pub private_access_cost: u32,
    /// The same of variables that only ever hold the constants which the entry block stores, where those lie in memory for constants.
    pub table_access_cost: Option<u32>,
    /// Whether such loads test the bits of the index, one comparison for half of the elements; otherwise each element is
    /// compared, which is better where comparing and selecting is one instruction.
    pub select_by_bits: bool,
    /// Whether `umul24` is cheaper than `imul`: products of numbers below 2^24 use it.
    pub prefer_mul24: bool,
    /// Whether an access takes a constant byte offset for free, up to this many bytes, added without wrapping.
    pub offset_fold: u32,
    /// Whether a multiplication and an addition that both allow contraction become one `fma`.
    pub fuse_fma: bool,
    /// Whether a mix is best as a step from one end: where a multiply-add rounds twice or cuts. Where `fma` rounds once, `rests` gains as
    /// much.
    pub short_mixes: bool,
    /// Whether `fshr` may be made of shifts.
    pub funnel: bool,
    /// Whether `bitsel` may be made of masks.
    pub bit_select: bool,
    /// Whether `ubfe` and `sbfe` with constant places may be made of shifts and masks.
    pub bit_field: bool,
    /// The widest load or store in bytes into which neighbouring ones are merged; 0 keeps them apart.
    pub merge_access: u32,
    /// Words that live at once, up to which each of the sizes that a register file can have holds them beside what instructions need on
    /// their way: of uniform loads, for `widen_loads`. The least comes first.
    pub live_words: &'static [u32],
    /// Whether one access to workgroup memory may have 16 bytes.
    pub wide_workgroup: bool,
    /// Whether there is an instruction for quotients of scalars; otherwise `products` makes them of reciprocals.
    pub divides: bool,
    /// Whether a sum of two products is worth a dot product, as one of three is; for `lane_sums`.
    pub pair_dots: bool,
    /// Whether conversions to integers take one lane, so that their bounds are better computed for several; for `clamped_conversions`.
    pub clamp_conversions: bool,
    /// Largest if-converted arm, in instructions.
    pub if_convert: u32,
    /// Whether a loop that lanes leave at different times is shorter with its test at the end.
    pub rotate_divergent: bool,
    /// Whether a discard takes its condition without a branch.
    pub predicated_demote: bool,
    /// Largest fully unrolled loop, in instructions after unrolling.
    pub unroll: u32,
    /// How many times larger loops may get of which much follows from the counter: 1 where registers and constants are few.
    pub unroll_more: u32,
    /// Lanes of a subgroup, whose ops become ballots and reads of 32 bits; 0 leaves them as they are.
    pub subgroup: u32,
    /// Whether a ballot of fragments has live lanes alone; otherwise code asks for what the pixel covers, and what was demoted.
    pub live_ballots: bool,
    /// Fragments know the lanes of their subgroup.
    pub fragment_lanes: bool,
    /// Whether other lanes are read through workgroup memory, as no instruction reads them.
    pub lanes_by_memory: bool,
    /// Whether of these reads the simple ones have instructions: of the lane that all ask for, and of the one whose number differs from
    /// the own one in known bits below 32.
    pub simple_lane_reads: bool,
    /// Whether ballots are made in workgroup memory.
    pub ballots_by_memory: bool,
    /// Whether lanes of a subgroup run in lockstep: behind a store of some each of them sees what the others stored. Otherwise they
    /// wait at barriers, so all of the workgroup must be there, and the system values of subgroups follow from the invocation's index.
    pub lockstep: bool,
    /// Whether lanes come together at the end of a construct that others leave for farther out.
    pub reconverges: bool,
    /// The operands that texture instructions take.
    pub tex: TexCaps,
    /// The work of samplers.
    pub sampler: SamplerCaps,
    /// How texels are fetched.
    pub fetch: FetchCaps,
    /// The types of the inputs and outputs of stages.
    pub io: IoCaps,
}

impl Caps {
    /// The same, but for what passes have no reason to look at in this module: modules for several generations are shared by it.
    pub fn seen_by(self, m: &Module, stage: Stage) -> Caps {
        let mut caps = self;
        if m.resources.values().all(|r| r.kind.is_buffer()) {
            (caps.tex, caps.sampler, caps.fetch) = (TexCaps::FULL, SamplerCaps::FULL, FetchCaps::FULL);
        }
        if stage == Stage::Compute {
            caps.io = IoCaps::FULL;
        }
        caps
    }

    /// What the first passes of each level may look at: the targets of several families have it in common. Where lanes of a subgroup see each
    /// other, that is all there is.
    pub fn early(&self, m: &Module) -> Caps {
        const SUBGROUPS: &[Sysval] =
            &[Sysval::SubgroupSize, Sysval::SubgroupInvocationId, Sysval::SubgroupId, Sysval::NumSubgroups];
        let lanes = |i: &InstData| match (i.op, &i.attr) {
            (Op::Sysval, Attr::Sysval(s)) => SUBGROUPS.contains(s),
            (op, _) => matches!(op, Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce),
        };
        if m.funcs.values().any(|f| f.insts.values().any(lanes)) {
            return *self;
        }
        let Caps { scalar, narrow, select_array_bytes, unroll, unroll_more, .. } = *self;
        Caps { scalar, narrow, select_array_bytes, unroll, unroll_more, ..Caps::FULL }
    }

    /// The same, but for what few functions ask of those that [`Caps::early`] leaves: whether vectors are wanted, what is a small array, and
    /// how much more much-saving loops may grow. Passes say where they did ask.
    pub fn shared(&self) -> Caps {
        let Caps { scalar, select_array_bytes, unroll_more, .. } = Caps::FULL;
        Caps { scalar, select_array_bytes, unroll_more, ..*self }
    }

    /// A target that has everything and wants vectors: for the oracle. A family writes every field, so that it claims nothing
    /// that its chips lack.
    pub const FULL: Caps = Caps {
        expand: OpSet::EMPTY,
        scalar: false,
        narrow: true,
        halves: true,
        wide: true,
        doubles: true,
        expand_doubles: OpSet::EMPTY,
        wide_conversions: true,
        floats: AllFloatCaps::FULL,
        address_offset: u32::MAX,
        parts: PartCaps::SHARED,
        expand_bool_select: false,
        strict_align: false,
        checked_loads: false,
        checked_stores: false,
        select_array_bytes: 64,
        private_access_cost: u32::MAX,
        table_access_cost: None,
        select_by_bits: true,
        prefer_mul24: false,
        offset_fold: 0,
        fuse_fma: false,
        short_mixes: false,
        funnel: false,
        bit_select: false,
        bit_field: false,
        merge_access: 0,
        live_words: &[u32::MAX],
        wide_workgroup: false,
        divides: true,
        pair_dots: true,
        clamp_conversions: true,
        if_convert: 8,
        rotate_divergent: true,
        predicated_demote: true,
        subgroup: 0,
        live_ballots: true,
        fragment_lanes: true,
        lanes_by_memory: false,
        simple_lane_reads: true,
        reconverges: true,
        ballots_by_memory: false,
        lockstep: true,
        unroll: 256,
        unroll_more: 4,
        tex: TexCaps::FULL,
        sampler: SamplerCaps::FULL,
        fetch: FetchCaps::FULL,
        io: IoCaps::FULL,
    };
}
