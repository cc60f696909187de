//! Words of descriptors, as nouveau writes them for these chips.

use gpucc_pipeline::{Code, Layout};
use gpucc_sim::texture::format::to_srgb;
use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};

gpucc_sim::words! {
    /// A texture descriptor (TIC).
    pub struct TextureWords[8] = "TIC" {
        SIZES sizes: 0[0..6];
        TYPE_R type_r: 0[6..9];
        TYPES types: 0[9..18];
        SOURCES sources: 0[18..30];
        ADDRESS address: 1[0..32];
        ADDRESS_HIGH address_high: 2[0..8];
        SRGB srgb: 2[10..11];
        QUALITY quality: 2[12..14];
        TARGET target: 2[14..18];
        TILE_HEIGHT tile_height: 2[22..25];
        TILE_DEPTH tile_depth: 2[25..28];
        PROMOTION promotion: 2[28..30];
        BORDER_FROM_SAMPLER border_from_sampler: 2[30..31];
        NORMALISED normalised: 2[31..32];
        PITCH pitch: 3[0..32];
        WIDTH width: 4[0..30];
        VERSION version: 4[31..32];
        HEIGHT height: 5[0..16];
        DEPTH depth: 5[16..28];
        LAST_LEVEL last_level: 5[28..32];
        ANISOTROPY anisotropy: 6[0..32];
        VIEW_FIRST view_first: 7[0..4];
        VIEW_LAST view_last: 7[4..8];
    }
}

gpucc_sim::words! {
    /// A sampler descriptor (TSC).
    pub struct SamplerWords[8] = "TSC" {
        WRAP_U wrap_u: 0[0..3];
        WRAP_V wrap_v: 0[3..6];
        WRAP_P wrap_p: 0[6..9];
        COMPARE compare: 0[9..10];
        FUNCTION function: 0[10..13];
        SRGB srgb: 0[13..14];
        FIXED fixed: 0[14..20];
        MAG mag: 1[0..2];
        MIN min: 1[4..6];
        MIP mip: 1[6..8];
        BIAS bias: 1[12..25];
        MIN_LOD min_lod: 2[0..12];
        MAX_LOD max_lod: 2[12..24];
        SRGB_R srgb_r: 2[24..32];
        SRGB_G srgb_g: 3[12..20];
        SRGB_B srgb_b: 3[20..28];
    }
}

/// The texture unit reads sRGB codes as they are without this bit.
const DECODES_SRGB: u32 = 1;

/// The fields of a TIC.
#[derive(Clone, Copy, Debug)]
pub struct TextureView {
    /// Where level 0 of the view's first layer begins.
    pub address: u64,
    /// Format of the view.
    pub format: Format,
    /// The component that alone is read, of a variant.
    pub component: Option<u32>,
    /// Dimension of the view.
    pub dim: Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether a pixel has several samples.
    pub multisampled: bool,
    /// Width, height and depth of level 0, in samples.
    pub size: [u32; 3],
    /// Layers of the view.
    pub layers: u32,
    /// Levels of the texture.
    pub levels: u32,
    /// First level of the view and the last one.
    pub view: [u32; 2],
    /// Rows and slices of a tile.
    pub tile: [u32; 2],
    /// Whether there is no word 7 (g80).
    pub short: bool,
    /// Whether there are texels of 16 bits of depth (g200 up).
    pub depth16: bool,
}

const SNORM: u32 = 1;
const UNORM: u32 = 2;
const SINT: u32 = 3;
const UINT: u32 = 4;
const FLOAT: u32 = 7;

/// Component sizes, type, and components or what is special about their order.
fn numbers(format: Format, depth16: bool) -> (u32, u32, Order) {
    use Order::*;
    let number = |code| match code {
        Code::Unorm | Code::Srgb => UNORM,
        Code::Snorm => SNORM,
        Code::Uint => UINT,
        Code::Sint => SINT,
        Code::Float => FLOAT,
    };
    match format.layout() {
        Layout::Array(code, bits) => {
            // One, two or four components of 8, 16 or 32 bits.
            let (size, count) = (bits.ilog2() as usize - 3, format.components().ilog2() as usize);
            let sizes = [[0x1d, 0x18, 0x08], [0x1b, 0x0c, 0x03], [0x0f, 0x04, 0x01]];
            (sizes[size][count], number(code), [R, Rg, Rgba][count])
        }
        Layout::Bgra(code) => (0x08, number(code), Bgra),
        Layout::Rgb10a2(code) => (0x09, number(code), Rgba),
        Layout::Rg11b10 => (0x21, FLOAT, Rgb),
        Layout::Rgb9e5 => (0x20, FLOAT, Rgb),
        Layout::DepthUnorm(16) if depth16 => (0x3a, UNORM, Depth),
        Layout::DepthUnorm(16) => (0x1b, UNORM, R),
        Layout::DepthUnorm(_) if format.has_stencil() => (0x2b, UNORM, Depth),
        Layout::DepthUnorm(_) => (0x2a, UNORM, Depth),
        Layout::DepthFloat => (0x2f, FLOAT, Depth),
        Layout::Stencil => (0x1d, UINT, R),
    }
}

/// Which components a texel has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    R,
    Rg,
    Rgb,
    Rgba,
    Bgra,
    /// The others are integers, such as a stencil.
    Depth,
}

/// Where the four components of a result come from.
fn sources(order: Order, integer: bool, component: Option<u32>) -> u32 {
    let one = if integer { 6 } else { 7 };
    let all = match order {
        Order::R | Order::Depth => [2, 0, 0, one],
        Order::Rg => [2, 3, 0, one],
        Order::Rgb => [2, 3, 4, one],
        Order::Rgba => [2, 3, 4, 5],
        Order::Bgra => [4, 3, 2, 5],
    };
    let [x, y, z, w] = match component {
        Some(k) => [all[k as usize]; 4],
        None => all,
    };
    x | y << 3 | z << 6 | w << 9
}

/// A TIC of a texture of tiles.
pub fn texture_words(v: &TextureView) -> [u32; 8] {
    let (sizes, kind, order) = numbers(v.format, v.depth16);
    let others = if order == Order::Depth { UINT } else { kind };
    let target = match (v.dim, v.arrayed) {
        // Samples are texels of a larger texture; of layers it is one of layers.
        _ if v.multisampled && !v.arrayed => 7,
        (Dim::D1, false) => 0,
        (Dim::D2, false) => 1,
        (Dim::D3, _) => 2,
        (Dim::Cube, false) => 3,
        (Dim::D1, true) => 4,
        (Dim::D2, true) => 5,
        (Dim::Cube, true) => 8,
    };
    let depth = match v.dim {
        Dim::D3 => v.size[2],
        Dim::Cube => v.layers / 6,
        _ => v.layers,
    };
    type T = TextureWords;
    let words = T::default()
        .with(T::SIZES, sizes)
        .with(T::TYPE_R, kind)
        .with(T::TYPES, others | others << 3 | others << 6)
        .with(T::SOURCES, sources(order, matches!(kind, UINT | SINT), v.component))
        .with(T::ADDRESS, v.address as u32)
        .with(T::ADDRESS_HIGH, (v.address >> 32) as u32)
        .with(T::SRGB, matches!(v.format, Format::Rgba8UnormSrgb | Format::Bgra8UnormSrgb).into())
        .with(T::QUALITY, 1)
        .with(T::TARGET, target)
        .with(T::TILE_HEIGHT, v.tile[0])
        .with(T::TILE_DEPTH, v.tile[1])
        .with(T::PROMOTION, 1)
        .with(T::BORDER_FROM_SAMPLER, 1)
        .with(T::NORMALISED, 1)
        .with(T::PITCH, 0x0030_0000)
        .with(T::WIDTH, v.size[0])
        .with(T::VERSION, 1)
        .with(T::HEIGHT, v.size[1])
        .with(T::DEPTH, depth)
        .with(T::LAST_LEVEL, if v.short { v.view[1] } else { v.levels - 1 })
        .with(T::ANISOTROPY, 0x0300_0000);
    if v.short {
        return words.0;
    }
    words.with(T::VIEW_FIRST, v.view[0]).with(T::VIEW_LAST, v.view[1]).0
}

fn compare_number(c: Compare) -> u32 {
    use Compare::*;
    let all = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
    (0..).zip(all).find(|n| n.1 == c).map_or(0, |n| n.0)
}

/// The eight words of a sampler (TSC).
pub fn sampler_words(s: &Sampler) -> [u32; 8] {
    let wrap = |w: Wrap| match w {
        Wrap::Repeat => 0,
        Wrap::MirrorRepeat => 1,
        Wrap::ClampToEdge => 2,
        Wrap::ClampToBorder => 3,
        Wrap::MirrorClampToEdge => 5,
    };
    let filter = |f: Filter| 1 + u32::from(f == Filter::Linear);
    // 4.8 fixed point.
    let lod = |l: f32| (l.clamp(0.0, 15.0) * 256.0) as u32;
    let bias = (s.lod_bias.clamp(-16.0, 15.996) * 256.0) as i32 as u32 & 0x1fff;
    let bordered = s.wrap.contains(&Wrap::ClampToBorder);
    let border = if bordered { s.border } else { [0; 4] };
    let srgb = |k: usize| to_srgb(f64::from(f32::from_bits(border[k])).clamp(0.0, 1.0));
    type T = SamplerWords;
    let mut words = T::default()
        .with(T::WRAP_U, wrap(s.wrap[0]))
        .with(T::WRAP_V, wrap(s.wrap[1]))
        .with(T::WRAP_P, wrap(s.wrap[2]))
        .with(T::COMPARE, s.compare.is_some().into())
        .with(T::FUNCTION, s.compare.map_or(0, compare_number))
        .with(T::SRGB, DECODES_SRGB)
        .with(T::FIXED, 0x24000 >> 14)
        .with(T::MAG, filter(s.mag))
        .with(T::MIN, filter(s.min))
        .with(T::MIP, 1 + filter(s.mip))
        .with(T::BIAS, bias)
        .with(T::MIN_LOD, lod(s.lod_min))
        .with(T::MAX_LOD, lod(s.lod_max))
        .with(T::SRGB_R, srgb(0))
        .with(T::SRGB_G, srgb(1))
        .with(T::SRGB_B, srgb(2))
        .0;
    words[4..].copy_from_slice(&border);
    words
}
