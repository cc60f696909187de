//! Fixed-function state: topology, comparison, depth, stencil, blending.

use std::hash::{Hash, Hasher};

use crate::Format;
use crate::named;

named! {
    /// Topology of a draw.
    #[derive(Default)]
    Topology {
        PointList "point-list"       "Each vertex a point.",
        LineList "line-list"         "Pairs.",
        LineStrip "line-strip"       "Each vertex but the first ends a line.",
        #[default]
        TriangleList "triangle-list" "Triples.",
        /// Each vertex but the first two ends a triangle; odd ones are turned to keep the winding.
        TriangleStrip "triangle-strip",
    }
}

impl Topology {
    /// Whether a primitive shares vertices with the one before.
    pub fn is_strip(self) -> bool {
        matches!(self, Topology::LineStrip | Topology::TriangleStrip)
    }

    /// Vertices of a primitive.
    pub fn vertices(self) -> u32 {
        match self {
            Topology::PointList => 1,
            Topology::LineList | Topology::LineStrip => 2,
            Topology::TriangleList | Topology::TriangleStrip => 3,
        }
    }
}

named! {
    /// Width of an index.
    #[derive(Default)]
    IndexFormat {
        #[default]
        Uint16 "uint16" "16 bits.",
        Uint32 "uint32" "32 bits.",
    }
}

impl IndexFormat {
    /// Bytes of an index.
    pub fn bytes(self) -> u32 {
        match self {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        }
    }

    /// The index that ends a strip.
    pub fn restart(self) -> u32 {
        match self {
            IndexFormat::Uint16 => 0xffff,
            IndexFormat::Uint32 => u32::MAX,
        }
    }
}

named! {
    /// When the next element of a vertex buffer is read.
    #[derive(Default)]
    StepMode {
        #[default]
        Vertex "vertex"     "Step to the next element for each vertex.",
        Instance "instance" "Step to the next element for each instance.",
    }
}

named! {
    /// Which triangles are front-facing.
    #[derive(Default)]
    FrontFace {
        #[default]
        Ccw "ccw" "Those whose vertices go round counter-clockwise on the screen.",
        Cw "cw"   "The others.",
    }
}

named! {
    /// Which triangles are not drawn.
    #[derive(Default)]
    CullMode {
        #[default]
        None "none"   "All are drawn.",
        Front "front" "Front-facing ones.",
        Back "back"   "Back-facing ones.",
    }
}

named! {
    /// A comparison: `reference OP texel`, `fragment OP stored`.
    #[derive(Default)]
    #[allow(missing_docs, reason = "the names say it")]
    Compare {
        Never "never",
        Less "less",
        Equal "equal",
        LessEqual "less-equal",
        Greater "greater",
        NotEqual "not-equal",
        GreaterEqual "greater-equal",
        #[default]
        Always "always",
    }
}

impl Compare {
    /// WebGPU's names, in order of declaration.
    pub const NAMES: [&'static str; 8] =
        ["never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"];

    /// Whether `a OP b` holds; of unordered operands only not-equal and always do.
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => a < b,
            Compare::Equal => a == b,
            Compare::LessEqual => a <= b,
            Compare::Greater => a > b,
            Compare::NotEqual => a != b,
            Compare::GreaterEqual => a >= b,
            Compare::Always => true,
        }
    }
}

named! {
    /// A filter.
    #[derive(Default)]
    Filter {
        #[default]
        Nearest "nearest" "One texel, or one level.",
        Linear "linear"   "Weighted by distance.",
    }
}

named! {
    /// The new value of a stencil.
    #[derive(Default)]
    #[allow(missing_docs, reason = "the names say it")]
    StencilOperation {
        #[default]
        Keep "keep",
        Zero "zero",
        Replace "replace",
        Invert "invert",
        IncrementClamp "increment-clamp",
        DecrementClamp "decrement-clamp",
        IncrementWrap "increment-wrap",
        DecrementWrap "decrement-wrap",
    }
}

impl StencilOperation {
    /// The new value of eight bits.
    pub fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            StencilOperation::Keep => stored,
            StencilOperation::Zero => 0,
            StencilOperation::Replace => reference,
            StencilOperation::Invert => !stored,
            StencilOperation::IncrementClamp => stored.saturating_add(1),
            StencilOperation::DecrementClamp => stored.saturating_sub(1),
            StencilOperation::IncrementWrap => stored.wrapping_add(1),
            StencilOperation::DecrementWrap => stored.wrapping_sub(1),
        }
    }
}

/// Stencil test of one facing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// `reference OP stored`, both masked.
    pub compare: Compare,
    /// Where the stencil test fails.
    pub fail: StencilOperation,
    /// Where it passes and the depth test fails.
    pub depth_fail: StencilOperation,
    /// Operation where both tests pass.
    pub pass: StencilOperation,
}

/// Depth and stencil state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencil {
    /// Format of the attachment.
    pub format: Format,
    /// Comparison `fragment OP stored` of the depth test.
    pub depth_compare: Compare,
    /// Whether depths that pass are stored.
    pub depth_write: bool,
    /// Stencil test of front faces, lines and points.
    pub front: StencilFace,
    /// Stencil test of back faces.
    pub back: StencilFace,
    /// Bits that are compared.
    pub read_mask: u32,
    /// Bits that are changed.
    pub write_mask: u32,
}

impl DepthStencil {
    /// WebGPU's defaults for an attachment of a format: every test passes, nothing is written but by an operation.
    pub fn new(format: Format) -> DepthStencil {
        let face = StencilFace::default();
        let (depth_compare, depth_write) = (Compare::Always, false);
        DepthStencil {
            format,
            depth_compare,
            depth_write,
            front: face,
            back: face,
            read_mask: u32::MAX,
            write_mask: u32::MAX,
        }
    }
}

/// Depth bias of triangles. Two are equal if their bits are.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthBias {
    /// Constant bias in units of the format's resolution.
    pub constant: i32,
    /// Factor of the triangle's steeper slope.
    pub slope: f32,
    /// Limit; 0 for none.
    pub clamp: f32,
}

impl DepthBias {
    fn bits(&self) -> (i32, u32, u32) {
        (self.constant, self.slope.to_bits(), self.clamp.to_bits())
    }
}

impl PartialEq for DepthBias {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for DepthBias {}

impl Hash for DepthBias {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

named! {
    /// How source and destination are combined.
    #[derive(Default)]
    #[allow(missing_docs, reason = "the names say it")]
    BlendOperation {
        #[default]
        Add "add",
        Subtract "subtract",
        ReverseSubtract "reverse-subtract",
        Min "min",
        Max "max",
    }
}

named! {
    /// The factor of source or destination.
    #[derive(Default)]
    #[allow(missing_docs, reason = "the names say it")]
    BlendFactor {
        Zero "zero",
        #[default]
        One "one",
        Src "src",
        OneMinusSrc "one-minus-src",
        SrcAlpha "src-alpha",
        OneMinusSrcAlpha "one-minus-src-alpha",
        Dst "dst",
        OneMinusDst "one-minus-dst",
        DstAlpha "dst-alpha",
        OneMinusDstAlpha "one-minus-dst-alpha",
        SrcAlphaSaturated "src-alpha-saturated",
        Constant "constant",
        OneMinusConstant "one-minus-constant",
        Src1 "src1",
        OneMinusSrc1 "one-minus-src1",
        Src1Alpha "src1-alpha",
        OneMinusSrc1Alpha "one-minus-src1-alpha",
    }
}

impl BlendFactor {
    /// Whether it needs the fragment's second colour.
    pub fn reads_second(self) -> bool {
        use BlendFactor::{OneMinusSrc1, OneMinusSrc1Alpha, Src1, Src1Alpha};
        matches!(self, Src1 | OneMinusSrc1 | Src1Alpha | OneMinusSrc1Alpha)
    }

    /// Whether it is made of the fragment's alpha.
    pub fn reads_source_alpha(self) -> bool {
        matches!(self, BlendFactor::SrcAlpha | BlendFactor::OneMinusSrcAlpha | BlendFactor::SrcAlphaSaturated)
    }
}

/// Blending of colour, or of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendComponent {
    /// Operation that joins the two products.
    pub operation: BlendOperation,
    /// Factor of the fragment's value.
    pub src: BlendFactor,
    /// Factor of the stored value.
    pub dst: BlendFactor,
}

impl Default for BlendComponent {
    fn default() -> Self {
        BlendComponent { operation: BlendOperation::Add, src: BlendFactor::One, dst: BlendFactor::Zero }
    }
}

/// Blending of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Red, green and blue.
    pub color: BlendComponent,
    /// The equation of alpha.
    pub alpha: BlendComponent,
}

impl Blend {
    /// Whether it needs the fragment's second colour.
    pub fn reads_second(&self) -> bool {
        [self.color, self.alpha].iter().any(|c| c.src.reads_second() || c.dst.reads_second())
    }
}
