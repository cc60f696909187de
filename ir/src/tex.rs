//! The descriptor of a texture instruction: one packed word for sampling, fetching, gathering, queries and images.
//!
//! An op never changes its effects with its attribute, so there are six ops, one for each set of effects, and one
//! descriptor for all of them. Operands that a descriptor does not ask for are left out; the order never changes.

use crate::ids::Res;
use crate::named::named_enum;
use crate::ops::Op;
use crate::types::Type;
use smallvec::SmallVec;
use std::fmt;

named_enum! {
    /// The question.
    #[repr(u8)]
    TexWhat {
        Sample = "sample"   "filtered texels",
        Fetch = "fetch"     "one texel by its integer coordinates",
        Gather = "gather"   "one component of the four texels that a bilinear filter would read",
        Lod = "lod"         "the level that sampling would use: lane 0 clamped to the view, lane 1 as computed",
        Size = "size"       "the extent in texels",
        Levels = "levels"   "the number of mip levels",
        Layers = "layers"   "the number of array layers",
        Samples = "samples" "the number of samples of a pixel",
        Load = "load"       "one texel of an image",
        Store = "store"     "writes one texel of an image",
        Atomic = "atomic"   "changes one texel of an image",
    }
}

named_enum! {
    /// The dimension of a texture.
    #[repr(u8)]
    TexDim {
        D1 = "1d"     "one axis",
        D2 = "2d"     "two axes",
        D3 = "3d"     "three axes",
        Cube = "cube" "six faces, addressed by a direction",
    }
}

impl TexDim {
    /// Lanes of the coordinates.
    pub const fn axes(self) -> u32 {
        match self {
            TexDim::D1 => 1,
            TexDim::D2 => 2,
            TexDim::D3 | TexDim::Cube => 3,
        }
    }
    /// Lanes of the extent.
    pub const fn extent(self) -> u32 {
        match self {
            TexDim::Cube => 2,
            d => d.axes(),
        }
    }
}

named_enum! {
    /// The operand that names the array layer.
    #[repr(u8)]
    TexLayer {
        None = "none"         "there is none",
        Signed = "signed"     "`i32`, signed, clamped to the layers",
        Unsigned = "unsigned" "`i32`, unsigned, clamped to the layers",
        Float = "float"       "`f32`, rounded to nearest even, then clamped",
    }
}

named_enum! {
    /// Where the level of detail comes from.
    #[repr(u8)]
    TexLod {
        Zero = "zero"           "level 0",
        Implicit = "implicit"   "the differences inside the quad",
        Bias = "bias"           "the same and a bias, an `f32` operand",
        Level = "level"         "an operand: `f32` of a sample, `i32` of a fetch or a query",
        Gradients = "gradients" "two operands with as many `f32` lanes as the coordinates",
    }
}

named_enum! {
    /// How the coordinates of a cube are given.
    #[repr(u8)]
    TexCube {
        Direction = "direction"         "a direction",
        Divided = "divided"             "a direction divided by its largest magnitude",
        Faced = "faced"                 "s and t in 0..1, and the face",
        FacedPlusOne = "faced_plus_one" "s and t in 1..2, and the face",
    }
}

named_enum! {
    /// An operand of a texture instruction, in the order in which they stand.
    #[repr(u8)]
    TexArg {
        Value = "value"                "what a store writes or an atomic takes",
        Coords = "coordinates"         "coordinates",
        Layer = "layer"                "array layer",
        Reference = "reference"        "what texels are compared with",
        Level = "level"                "level, bias or sample number",
        Ddx = "ddx"                    "change of the coordinates from one pixel to the next in x",
        Ddy = "ddy"                    "the same in y",
        TextureIndex = "texture index" "element of an array of textures",
        SamplerIndex = "sampler index" "element of an array of samplers",
    }
}

/// The question to a texture, packed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TexDesc(u32);

const OFFSET: u32 = 17;

impl TexDesc {
    /// A question without layers, comparison, offset and index; at level 0.
    pub const fn new(what: TexWhat, dim: TexDim) -> TexDesc {
        TexDesc(what as u32 | (dim as u32) << 4)
    }
    const fn field(self, at: u32, bits: u32) -> u32 {
        self.0 >> at & ((1 << bits) - 1)
    }
    const fn with(self, at: u32, bits: u32, value: u32) -> TexDesc {
        let mask = ((1 << bits) - 1) << at;
        TexDesc(self.0 & !mask | value << at & mask)
    }
    /// The sort of question: sample, gather, load, size or others.
    pub fn what(self) -> TexWhat {
        TexWhat::ALL[self.field(0, 4) as usize]
    }
    /// The same question of another sort.
    pub const fn asking(self, what: TexWhat) -> TexDesc {
        self.with(0, 4, what as u32)
    }
    /// The dimension of the texture, layers not counted.
    pub fn dim(self) -> TexDim {
        TexDim::ALL[self.field(4, 2) as usize]
    }
    /// Whether a pixel has several samples.
    pub const fn multisampled(self) -> bool {
        self.field(6, 1) != 0
    }
    /// The same of a multisampled texture.
    pub const fn with_multisampled(self, yes: bool) -> TexDesc {
        self.with(6, 1, yes as u32)
    }
    /// The operand that names the layer.
    pub fn layer(self) -> TexLayer {
        TexLayer::ALL[self.field(7, 2) as usize]
    }
    /// The same with another operand for the layer.
    pub const fn with_layer(self, layer: TexLayer) -> TexDesc {
        self.with(7, 2, layer as u32)
    }
    /// Whether texels are compared with a reference; of an atomic, whether it changes a texel that equals the reference alone.
    pub const fn shadow(self) -> bool {
        self.field(9, 1) != 0
    }
    /// The same with or without comparison.
    pub const fn with_shadow(self, yes: bool) -> TexDesc {
        self.with(9, 1, yes as u32)
    }
    /// Where the level comes from.
    pub fn lod(self) -> TexLod {
        TexLod::ALL[self.field(10, 3) as usize]
    }
    /// The same with the level from elsewhere.
    pub const fn with_lod(self, lod: TexLod) -> TexDesc {
        self.with(10, 3, lod as u32)
    }
    /// The component that a gather reads.
    pub const fn component(self) -> u8 {
        self.field(13, 2) as u8
    }
    /// The same of another component.
    pub const fn with_component(self, component: u8) -> TexDesc {
        self.with(13, 2, component as u32)
    }
    /// How the coordinates of a cube are given.
    pub fn cube(self) -> TexCube {
        TexCube::ALL[self.field(15, 2) as usize]
    }
    /// The same with coordinates in another form.
    pub const fn with_cube(self, form: TexCube) -> TexDesc {
        self.with(15, 2, form as u32)
    }
    /// The addends of the texel coordinates, -8 to 7 each.
    pub fn offset(self) -> [i32; 3] {
        let one = |at| (self.field(at, 4) << 28) as i32 >> 28;
        [one(OFFSET), one(OFFSET + 4), one(OFFSET + 8)]
    }
    /// The same with another offset; each part is -8 to 7.
    pub const fn with_offset(self, o: [i32; 3]) -> TexDesc {
        self.with(OFFSET, 4, o[0] as u32).with(OFFSET + 4, 4, o[1] as u32).with(OFFSET + 8, 4, o[2] as u32)
    }
    /// Whether coordinates are clamped half a texel inside the edges (`textureSampleBaseClampToEdge`).
    pub const fn base_clamp(self) -> bool {
        self.field(29, 1) != 0
    }
    /// The same with or without that clamp.
    pub const fn with_base_clamp(self, yes: bool) -> TexDesc {
        self.with(29, 1, yes as u32)
    }
    /// Whether an operand chooses the texture of an array.
    pub const fn texture_indexed(self) -> bool {
        self.field(30, 1) != 0
    }
    /// The same with or without such an operand.
    pub const fn with_texture_indexed(self, yes: bool) -> TexDesc {
        self.with(30, 1, yes as u32)
    }
    /// Whether an operand chooses the sampler of an array.
    pub const fn sampler_indexed(self) -> bool {
        self.field(31, 1) != 0
    }
    /// The same with or without such an operand.
    pub const fn with_sampler_indexed(self, yes: bool) -> TexDesc {
        self.with(31, 1, yes as u32)
    }
    /// The packed bits of the question.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether coordinates are whole texels.
    pub fn integer_coords(self) -> bool {
        matches!(self.what(), TexWhat::Fetch | TexWhat::Load | TexWhat::Store | TexWhat::Atomic)
    }
    /// Whether it needs a sampler.
    pub fn samples(self) -> bool {
        matches!(self.what(), TexWhat::Sample | TexWhat::Gather | TexWhat::Lod)
    }
    /// Whether it asks for a number of the texture's descriptor.
    pub fn is_query(self) -> bool {
        matches!(self.what(), TexWhat::Size | TexWhat::Levels | TexWhat::Layers | TexWhat::Samples)
    }

    /// The operands, in order.
    pub fn args(self) -> SmallVec<[TexArg; 8]> {
        let mut list = SmallVec::new();
        let what = self.what();
        if matches!(what, TexWhat::Store | TexWhat::Atomic) {
            list.push(TexArg::Value);
        }
        if !self.is_query() {
            list.push(TexArg::Coords);
            if self.layer() != TexLayer::None {
                list.push(TexArg::Layer);
            }
        }
        if self.shadow() {
            list.push(TexArg::Reference);
        }
        let sample = what == TexWhat::Fetch && self.multisampled();
        if sample || matches!(self.lod(), TexLod::Bias | TexLod::Level) {
            list.push(TexArg::Level);
        }
        if self.lod() == TexLod::Gradients {
            list.extend([TexArg::Ddx, TexArg::Ddy]);
        }
        if self.texture_indexed() {
            list.push(TexArg::TextureIndex);
        }
        if self.sampler_indexed() {
            list.push(TexArg::SamplerIndex);
        }
        list
    }

    /// The type of an operand; none of the value of a store or an atomic, which is the image's.
    pub fn arg_type(self, arg: TexArg) -> Option<Type> {
        let axes = self.dim().axes();
        Some(match arg {
            TexArg::Value => return None,
            TexArg::Coords if self.integer_coords() => Type::I32.with_lanes(axes),
            TexArg::Coords | TexArg::Ddx | TexArg::Ddy => Type::F32.with_lanes(axes),
            TexArg::Layer if self.layer() == TexLayer::Float => Type::F32,
            TexArg::Layer | TexArg::TextureIndex | TexArg::SamplerIndex => Type::I32,
            TexArg::Reference if self.what() == TexWhat::Atomic => Type::I32,
            TexArg::Reference => Type::F32,
            TexArg::Level if self.integer_coords() || self.is_query() => Type::I32,
            TexArg::Level => Type::F32,
        })
    }

    /// The type of the result, of a texture whose texels have lanes of `texel`; none for a store and an atomic.
    pub fn result_type(self, texel: Type) -> Option<Type> {
        match self.what() {
            TexWhat::Sample if self.shadow() => Some(Type::F32),
            TexWhat::Sample | TexWhat::Fetch | TexWhat::Gather | TexWhat::Load => Some(texel.with_lanes(4)),
            TexWhat::Lod => Some(Type::F32.with_lanes(2)),
            TexWhat::Size => Some(Type::I32.with_lanes(self.dim().extent())),
            TexWhat::Levels | TexWhat::Layers | TexWhat::Samples => Some(Type::I32),
            TexWhat::Store | TexWhat::Atomic => None,
        }
    }

    /// Whether an op may ask this.
    pub fn fits(self, op: Op) -> bool {
        let implicit = matches!(self.lod(), TexLod::Implicit | TexLod::Bias);
        match (op, self.what()) {
            (Op::Sample, TexWhat::Sample | TexWhat::Lod) => implicit,
            (Op::Tex, TexWhat::Sample) => !implicit,
            (Op::Tex, TexWhat::Fetch) => matches!(self.lod(), TexLod::Zero | TexLod::Level),
            (Op::Tex, TexWhat::Gather) => self.lod() == TexLod::Zero,
            (Op::TexQuery, TexWhat::Size) => matches!(self.lod(), TexLod::Zero | TexLod::Level),
            (Op::TexQuery, TexWhat::Levels | TexWhat::Layers | TexWhat::Samples) => self.lod() == TexLod::Zero,
            (Op::ImageLoad, TexWhat::Load) | (Op::ImageStore, TexWhat::Store) | (Op::ImageAtomic, TexWhat::Atomic) => {
                self.lod() == TexLod::Zero
            }
            _ => false,
        }
    }
}

impl fmt::Display for TexDesc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what(), self.dim())?;
        if self.multisampled() {
            f.write_str(" multisampled")?;
        }
        if self.layer() != TexLayer::None {
            write!(f, " layer {}", self.layer())?;
        }
        if self.shadow() {
            f.write_str(" shadow")?;
        }
        if self.lod() != TexLod::Zero {
            write!(f, " {}", self.lod())?;
        }
        if self.component() != 0 {
            write!(f, " component {}", self.component())?;
        }
        if self.cube() != TexCube::Direction {
            write!(f, " {}", self.cube())?;
        }
        if self.offset() != [0; 3] {
            let [x, y, z] = self.offset();
            write!(f, " offset {x} {y} {z}")?;
        }
        for (yes, name) in [
            (self.base_clamp(), " base_clamp"),
            (self.texture_indexed(), " texture_index"),
            (self.sampler_indexed(), " sampler_index"),
        ] {
            if yes {
                f.write_str(name)?;
            }
        }
        Ok(())
    }
}

/// A texture, its sampler if it has one, and the question to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tex {
    /// The texture or image.
    pub texture: Res,
    /// The sampler, where texels are filtered.
    pub sampler: Option<Res>,
    /// The question, which says the operands.
    pub desc: TexDesc,
}

impl Tex {
    /// A question to a texture without sampler.
    pub const fn new(texture: Res, desc: TexDesc) -> Tex {
        Tex { texture, sampler: None, desc }
    }
    /// The same question, filtered by a sampler.
    pub const fn with(self, sampler: Res) -> Tex {
        Tex { sampler: Some(sampler), ..self }
    }
}
