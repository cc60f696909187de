//! Words of descriptors (`isa/graphics-valhall.md`, section b).

use gpucc_pipeline::{BlendComponent, BlendFactor, BlendOperation, Code, Layout, Target, VertexFormat};
use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};

gpucc_sim::words! {
    /// Words of a texture descriptor.
    pub struct TextureWords[8] = "texture" {
        TYPE kind: 0[0..4];
        DIMENSION dimension: 0[4..6];
        FORMAT format: 0[10..32];
        WIDTH width: 1[0..16] minus 1;
        HEIGHT height: 1[16..32] minus 1;
        SWIZZLE swizzle: 2[0..12];
        INTERLEAVED interleaved: 2[12..13];
        LEVELS levels: 2[16..21] minus 1;
        SAMPLES samples: 3[13..16];
        MAXIMUM_LOD maximum_lod: 3[16..29];
        PLANES planes: 4[0..32];
        PLANES_HI planes_hi: 5[0..32];
        LAYERS layers: 6[0..16] minus 1;
        DEPTH depth: 7[0..16] minus 1;
    }
}

gpucc_sim::words! {
    /// Words of a plane descriptor.
    pub struct PlaneWords[8] = "plane" {
        TYPE kind: 0[0..4];
        PLANE_TYPE plane_type: 0[4..8];
        ORDER order: 0[8..12];
        CLUMP clump: 0[24..32];
        SIZE size: 1[0..32];
        ADDRESS address: 2[0..32];
        ADDRESS_HI address_hi: 3[0..32];
        ROW_STRIDE row_stride: 4[0..32];
        SLICE_STRIDE slice_stride: 6[0..32];
        WIDTH width: 7[0..16] minus 1;
        HEIGHT height: 7[16..32] minus 1;
    }
}

gpucc_sim::words! {
    /// Words of a sampler descriptor.
    pub struct SamplerWords[8] = "sampler" {
        TYPE kind: 0[0..4];
        WRAP_R wrap_r: 0[8..12];
        WRAP_T wrap_t: 0[12..16];
        WRAP_S wrap_s: 0[16..20];
        ROUND round: 0[21..22];
        SEAMLESS seamless: 0[23..24];
        NORMALISED normalised: 0[25..26];
        MIN_NEAREST min_nearest: 0[27..28];
        MAG_NEAREST mag_nearest: 0[28..29];
        MIP mip: 0[30..32];
        MINIMUM_LOD minimum_lod: 1[0..13];
        COMPARE compare: 1[13..16];
        MAXIMUM_LOD maximum_lod: 1[16..29];
        BIAS bias: 2[0..16];
        ANISOTROPY anisotropy: 2[16..21] minus 1;
        BORDER_R border_r: 4[0..32];
        BORDER_G border_g: 5[0..32];
        BORDER_B border_b: 6[0..32];
        BORDER_A border_a: 7[0..32];
    }
}

gpucc_sim::words! {
    /// A uniform or storage buffer.
    pub struct BufferWords[8] = "buffer" {
        TYPE kind: 0[0..4];
        BUFFER_TYPE buffer_type: 0[4..8];
        SIZE size: 1[0..32];
        ADDRESS address: 2[0..32];
        ADDRESS_HI address_hi: 3[0..32];
    }
}

gpucc_sim::words! {
    /// An entry of the table of tables.
    pub struct TableWords[4] = "table" {
        ADDRESS address: 0[0..32];
        ADDRESS_HI address_hi: 1[0..24];
        DESCRIPTORS descriptors: 1[24..25];
        SIZE size: 2[0..32];
    }
}

gpucc_sim::words! {
    /// Words of an attribute descriptor.
    pub struct AttributeWords[8] = "attribute" {
        TYPE kind: 0[0..4];
        ATTRIBUTE_TYPE attribute_type: 0[4..8];
        OFFSET_ENABLE offset_enable: 0[8..9];
        FORMAT format: 0[10..32];
        TABLE table: 1[0..6];
        FREQUENCY frequency: 1[6..8];
        OFFSET offset: 2[0..32];
        BUFFER buffer: 3[0..32];
        STRIDE stride: 4[0..32];
    }
}

gpucc_sim::words! {
    /// The treatment of a colour.
    pub struct BlendWords[4] = "blend" {
        READS reads: 0[0..1];
        ENABLE enable: 0[9..10];
        SRGB srgb: 0[10..11];
        ROUND round: 0[11..12];
        CONSTANT constant: 0[16..32];
        RGB rgb: 1[0..12];
        ALPHA alpha: 1[12..24];
        MASK mask: 1[28..32];
        MODE mode: 2[0..2];
        COMPONENTS components: 2[3..5] minus 1;
        TARGET target: 2[16..20];
        FORMAT format: 3[0..22];
    }
}

/// Orders of components: with alpha, blue first, without alpha.
const RGBA: u32 = 0;
const BGRA: u32 = 4;
const RGB1: u32 = 16;

/// The code of components of a size. Lowest bits: 3, 4 and 5 for 8, 16 and 32 bits, 7 for floats, whose size shows above.
fn array_code(code: Code, bits: u32, count: u32) -> u32 {
    let lowest = if code == Code::Float { 7 } else { bits.ilog2() };
    let high = match (code, bits) {
        (Code::Unorm | Code::Srgb, _) | (Code::Float, 32) => 0xa0,
        (Code::Snorm, _) => 0x60,
        (Code::Uint, _) => 0x80,
        (Code::Sint | Code::Float, _) => 0xc0,
    };
    high | lowest | (count - 1) << 3
}

/// The 22 bits of a format.
pub fn format_bits(f: Format) -> u32 {
    let (code, order) = match f.layout() {
        Layout::Array(code, bits) if f.components() == 4 => (array_code(code, bits, 4), RGBA),
        Layout::Array(code, bits) => (array_code(code, bits, f.components()), RGB1),
        Layout::Bgra(code) => (array_code(code, 8, 4), BGRA),
        Layout::Rgb10a2(Code::Unorm) => (0x43, RGBA),
        Layout::Rgb10a2(_) => (0x47, RGBA),
        Layout::Rg11b10 => (0x59, RGB1),
        Layout::Rgb9e5 => (0x5b, RGB1),
        Layout::DepthUnorm(16) => (array_code(Code::Unorm, 16, 1), RGBA),
        Layout::DepthUnorm(_) => (0x4d, RGBA),
        Layout::DepthFloat => (array_code(Code::Float, 32, 1), RGBA),
        Layout::Stencil => (array_code(Code::Uint, 8, 1), RGBA),
    };
    order | code << 12 | u32::from(f.is_srgb()) << 20
}

/// Which component each of four is: red, green, blue and alpha, or for depth and stencil red, 0, 0, 1.
fn swizzle(f: Format) -> u32 {
    let of = |s: [u32; 4]| s[0] | s[1] << 3 | s[2] << 6 | s[3] << 9;
    if f.has_depth() || f.has_stencil() { of([0, 4, 4, 5]) } else { of([0, 1, 2, 3]) }
}

/// A texture as its descriptor says it.
#[derive(Clone, Copy, Debug)]
pub struct TextureView {
    /// Format in which it is read.
    pub format: Format,
    /// Dimension in which it is read.
    pub dim: Dim,
    /// Width, height and depth of the first level.
    pub size: [u32; 3],
    /// Number of levels of the view.
    pub levels: u32,
    /// Layers; of cubes the cubes.
    pub layers: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Whether it lies in tiles.
    pub tiled: bool,
    /// Where its planes lie.
    pub planes: u64,
}

/// The eight words of a texture descriptor.
pub fn texture_words(v: &TextureView) -> [u32; 8] {
    let dimension = match v.dim {
        Dim::Cube => 0,
        Dim::D1 => 1,
        Dim::D2 => 2,
        Dim::D3 => 3,
    };
    type T = TextureWords;
    T::default()
        .with(T::TYPE, 2)
        .with(T::DIMENSION, dimension)
        .with(T::FORMAT, format_bits(v.format))
        .with(T::WIDTH, v.size[0])
        .with(T::HEIGHT, v.size[1])
        .with(T::SWIZZLE, swizzle(v.format))
        .with(T::INTERLEAVED, v.tiled.into())
        .with(T::LEVELS, v.levels)
        .with(T::SAMPLES, v.samples.ilog2())
        .with(T::MAXIMUM_LOD, (v.levels - 1) << 8)
        .with(T::PLANES, v.planes as u32)
        .with(T::PLANES_HI, (v.planes >> 32) as u32)
        .with(T::LAYERS, v.layers)
        .with(T::DEPTH, v.size[2])
        .0
}

/// A plane as its descriptor says it.
#[derive(Clone, Copy, Debug)]
pub struct PlaneView {
    /// Address of its first byte.
    pub address: u64,
    /// Bytes of all of it.
    pub size: u64,
    /// Bytes of a texel.
    pub bytes: u64,
    /// Whether it lies in tiles.
    pub tiled: bool,
    /// Bytes of a row of texels or tiles.
    pub row_stride: u64,
    /// Bytes of a slice or sample.
    pub slice_stride: u64,
    /// Width and height of the level, from v10 on.
    pub extent: Option<[u32; 2]>,
}

/// The eight words of a plane descriptor.
pub fn plane_words(v: &PlaneView) -> [u32; 8] {
    type P = PlaneWords;
    let words = P::default()
        .with(P::TYPE, 10)
        .with(P::PLANE_TYPE, 1)
        .with(P::ORDER, if v.tiled { 1 } else { 2 })
        .with(P::CLUMP, v.bytes.trailing_zeros())
        .with(P::SIZE, v.size as u32)
        .with(P::ADDRESS, v.address as u32)
        .with(P::ADDRESS_HI, (v.address >> 32) as u32)
        .with(P::ROW_STRIDE, v.row_stride as u32)
        .with(P::SLICE_STRIDE, v.slice_stride as u32);
    match v.extent {
        Some([width, height]) => words.with(P::WIDTH, width).with(P::HEIGHT, height).0,
        None => words.0,
    }
}

/// The eight words of a sampler descriptor.
pub fn sampler_words(s: &Sampler) -> [u32; 8] {
    let wrap = |w: Wrap| match w {
        Wrap::Repeat => 8,
        Wrap::ClampToEdge => 9,
        Wrap::ClampToBorder => 11,
        Wrap::MirrorRepeat => 12,
        Wrap::MirrorClampToEdge => 13,
    };
    // Texel and reference are the other way round.
    use Compare::*;
    let compares = [Never, Greater, Equal, GreaterEqual, Less, NotEqual, LessEqual, Always];
    let compare = (0..).zip(compares).find(|n| s.compare == Some(n.1)).map_or(0, |n| n.0);
    // 5.8 fixed point, truncated.
    let lod = |l: f32| ((l.clamp(0.0, 32.0) * 256.0) as u32).min(0x1fff);
    let bias = (s.lod_bias.clamp(-128.0, 127.996) * 256.0) as i32 as u32 & 0xffff;
    let nearest = |f: Filter| u32::from(f == Filter::Nearest);
    let truncates = s.min == Filter::Nearest && s.mag == Filter::Nearest;
    type S = SamplerWords;
    S::default()
        .with(S::TYPE, 1)
        .with(S::WRAP_S, wrap(s.wrap[0]))
        .with(S::WRAP_T, wrap(s.wrap[1]))
        .with(S::WRAP_R, wrap(s.wrap[2]))
        .with(S::ROUND, (!truncates).into())
        .with(S::SEAMLESS, s.seamless.into())
        .with(S::NORMALISED, 1)
        .with(S::MIN_NEAREST, nearest(s.min))
        .with(S::MAG_NEAREST, nearest(s.mag))
        .with(S::MIP, if s.mip == Filter::Linear { 3 } else { 0 })
        .with(S::MINIMUM_LOD, lod(s.lod_min))
        .with(S::COMPARE, compare)
        .with(S::MAXIMUM_LOD, lod(s.lod_max))
        .with(S::BIAS, bias)
        .with(S::ANISOTROPY, 1)
        .with(S::BORDER_R, s.border[0])
        .with(S::BORDER_G, s.border[1])
        .with(S::BORDER_B, s.border[2])
        .with(S::BORDER_A, s.border[3])
        .0
}

/// The sampler that stands where an instruction needs none: `02a99901`.
pub fn dummy_sampler() -> [u32; 8] {
    [0x02a9_9901, 0, 0, 0, 0, 0, 0, 0]
}

/// The eight words of a buffer descriptor.
pub fn buffer_words(address: u64, bytes: u32) -> [u32; 8] {
    type B = BufferWords;
    B::default()
        .with(B::TYPE, 9)
        .with(B::BUFFER_TYPE, 1)
        .with(B::SIZE, bytes)
        .with(B::ADDRESS, address as u32)
        .with(B::ADDRESS_HI, (address >> 32) as u32)
        .0
}

/// An entry of the table of tables.
pub fn table_words(address: u64, bytes: u32) -> [u32; 4] {
    type T = TableWords;
    T::default()
        .with(T::ADDRESS, address as u32)
        .with(T::ADDRESS_HI, (address >> 32) as u32)
        .with(T::DESCRIPTORS, 1)
        .with(T::SIZE, bytes)
        .0
}

/// The 22 bits of an attribute's format, if there is one.
pub fn vertex_format_bits(f: VertexFormat) -> Option<u32> {
    let (code, bits, count) = f.row();
    if bits == 10 {
        return (f == VertexFormat::Unorm10_10_10_2).then_some(0x43 << 12 | RGBA);
    }
    let order = match (f, count) {
        (VertexFormat::Unorm8x4Bgra, _) => BGRA,
        (_, 4) => RGBA,
        _ => RGB1,
    };
    Some(order | array_code(code, bits, count) << 12)
}

/// An attribute descriptor: its format, whether elements belong to instances, offset, place of the buffer in table 0, stride.
pub fn attribute_words(format: u32, of_instance: bool, offset: u32, buffer: u32, stride: u32) -> [u32; 8] {
    type A = AttributeWords;
    A::default()
        .with(A::TYPE, 5)
        .with(A::ATTRIBUTE_TYPE, 1)
        .with(A::OFFSET_ENABLE, (!of_instance).into())
        .with(A::FORMAT, format)
        .with(A::FREQUENCY, of_instance.into())
        .with(A::OFFSET, offset)
        .with(A::BUFFER, buffer)
        .with(A::STRIDE, stride)
        .0
}

/// A factor of a blend function, and whether 1 minus it counts.
fn factor(f: BlendFactor) -> Option<u32> {
    use BlendFactor::*;
    let (of, inverse) = match f {
        Zero => (1, 0),
        One => (1, 1),
        Src => (2, 0),
        OneMinusSrc => (2, 1),
        Dst => (3, 0),
        OneMinusDst => (3, 1),
        SrcAlpha => (5, 0),
        OneMinusSrcAlpha => (5, 1),
        DstAlpha => (6, 0),
        OneMinusDstAlpha => (6, 1),
        _ => return None,
    };
    Some(of | (inverse * INVERSE))
}

/// 1 minus a factor.
const INVERSE: u32 = 1 << 3;
/// Where A and B of a function come from.
const DIFFERENCE: u32 = 0;
const SUM: u32 = 1;
const ZERO: u32 = 1;
const SOURCE: u32 = 2;
const DESTINATION: u32 = 3;
const MINUS_A: u32 = 1 << 3;
const MINUS_B: u32 = 1 << 7;

/// A function of the form A + B * C, if the equation is one.
pub fn function(c: &BlendComponent) -> Option<u32> {
    use BlendFactor::{One, Zero};
    use BlendOperation::Add;
    let (s, d) = (c.src, c.dst);
    let (minus_source, minus_destination) = match c.operation {
        BlendOperation::Add => (false, false),
        BlendOperation::Subtract => (false, true),
        BlendOperation::ReverseSubtract => (true, false),
        _ => return None,
    };
    let whole = |a: u32, minus_a: bool, b: u32, minus_b: bool, c: BlendFactor| {
        let signs = (if minus_a { MINUS_A } else { 0 }) | (if minus_b { MINUS_B } else { 0 });
        Some(a | b << 4 | signs | factor(c)? << 8)
    };
    match (s, d) {
        (Zero, _) => whole(ZERO, false, DESTINATION, minus_destination, d),
        (One, _) => whole(SOURCE, minus_source, DESTINATION, minus_destination, d),
        (_, Zero) => whole(ZERO, false, SOURCE, minus_source, s),
        (_, One) => whole(DESTINATION, minus_destination, SOURCE, minus_source, s),
        _ if s == d => whole(ZERO, false, if c.operation == Add { SUM } else { DIFFERENCE }, minus_source, s),
        // src * C and dst * (1 - C): dst + (src - dst) * C, and so on.
        _ if factor(s)? ^ factor(d)? == INVERSE => match c.operation {
            Add => whole(DESTINATION, false, DIFFERENCE, false, s),
            _ => whole(DESTINATION, minus_destination, SUM, minus_source, s),
        },
        _ => None,
    }
}

/// Whether a blend descriptor says how a target blends; otherwise code does.
pub fn blends(t: &Target) -> bool {
    t.blend.as_ref().is_none_or(|b| function(&b.color).is_some() && function(&b.alpha).is_some())
}

/// The words of an opaque function.
const OPAQUE: u32 = ZERO << 8 | SOURCE << 4 | SOURCE;

/// The blend descriptor of a colour target; where code blends it is opaque.
pub fn blend_words(number: u32, t: Option<&Target>) -> [u32; 4] {
    type B = BlendWords;
    let Some(t) = t else { return B::default().with(B::MODE, 3).with(B::COMPONENTS, 1).0 };
    let functions = t.blend.as_ref().and_then(|b| Some((function(&b.color)?, function(&b.alpha)?)));
    let format = match t.format {
        // The tile's own.
        Format::Rgba8Unorm | Format::Rgba8UnormSrgb | Format::Bgra8Unorm | Format::Bgra8UnormSrgb => 0xed << 12,
        f => format_bits(f),
    };
    let (rgb, alpha) = functions.unwrap_or((OPAQUE, OPAQUE));
    B::default()
        .with(B::READS, functions.is_some().into())
        .with(B::ENABLE, 1)
        .with(B::SRGB, t.format.is_srgb().into())
        .with(B::ROUND, 1)
        .with(B::RGB, rgb)
        .with(B::ALPHA, alpha)
        .with(B::MASK, u32::from(t.write))
        .with(B::MODE, if functions.is_some() { 2 } else { 1 })
        .with(B::COMPONENTS, t.format.components())
        .with(B::TARGET, number)
        .with(B::FORMAT, format)
        .0
}
