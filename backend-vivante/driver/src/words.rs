//! Words of texture units and descriptors, as etnaviv writes them for these chips (`isa/graphics-vivante.md` 2.2 to 2.4).

use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};
use gpucc_sim::{Trap, TrapKind};

/// Words of a unit in the table of units.
pub const UNIT_WORDS: usize = 32;

gpucc_sim::words! {
    /// Registers of a unit before HALTI5, and from word 8 on the addresses of levels.
    pub struct StateWords[32] = "sampler state" {
        TYPE kind: 0[0..3];
        WRAP_S wrap_s: 0[3..5];
        WRAP_T wrap_t: 0[5..7];
        MIN min: 0[7..9];
        MIP mip: 0[9..11];
        MAG mag: 0[11..13];
        FORMAT format: 0[13..18];
        ROUND_UV round_uv: 0[19..20];
        WIDTH width: 1[0..16];
        HEIGHT height: 1[16..32];
        LOG_WIDTH log_width: 2[0..10];
        LOG_HEIGHT log_height: 2[10..20];
        SRGB srgb: 2[31..32];
        LOD_MAX lod_max: 3[1..11];
        LOD_MIN lod_min: 3[11..21];
        DEPTH depth: 4[0..14];
        LOG_DEPTH log_depth: 4[16..26];
        WRAP_R wrap_r: 4[28..30];
        CONFIG1 config1: 5[0..32];
        COMPARE compare: 6[16..17];
        COMPARE_FUNC compare_func: 6[20..23];
    }
}

gpucc_sim::words! {
    /// The word with format and components.
    pub struct FormatWord[1] = "CONFIG1" {
        FORMAT format: 0[0..6];
        SWIZ_R r: 0[8..11];
        SWIZ_G g: 0[12..15];
        SWIZ_B b: 0[16..19];
        SWIZ_A a: 0[20..23];
        ARRAY array: 0[24..25];
        SEAMLESS seamless: 0[25..26];
        SIGNED signed: 0[29..30];
        INTEGER integer: 0[30..31];
    }
}

gpucc_sim::words! {
    /// Registers of a unit from HALTI5 on.
    pub struct SamplerWords[32] = "sampler registers" {
        DESCRIPTOR descriptor: 0[0..32];
        WRAP_S wrap_s: 1[0..3];
        WRAP_T wrap_t: 1[3..6];
        WRAP_R wrap_r: 1[6..9];
        MIN min: 1[9..11];
        MIP mip: 1[11..13];
        MAG mag: 1[13..15];
        COMPARE compare: 1[17..18];
        COMPARE_FUNC compare_func: 1[18..21];
        ALWAYS always: 1[21..22];
        ALWAYS1 always1: 2[1..2];
        SRGB srgb: 2[4..5];
        LOD_MAX lod_max: 3[0..16];
        LOD_MIN lod_min: 3[16..32];
    }
}

gpucc_sim::words! {
    /// A texture descriptor. Words 0 to 13 are the addresses of the levels.
    pub struct DescriptorWords[64] = "texture descriptor" {
        TYPE kind: 16[0..3];
        FORMAT format: 16[13..18];
        WIDTH width: 17[0..16];
        HEIGHT height: 17[16..32];
        STRIDE stride: 18[0..32];
        CONFIG1 config1: 19[0..32];
        ASTC astc: 22[0..32];
        FIRST_LEVEL first_level: 26[0..4];
        LAST_LEVEL last_level: 26[8..12];
        FLAGS flags: 27[0..32];
        LOG_WIDTH log_width: 29[0..16];
        LOG_HEIGHT log_height: 29[16..32];
        LOG_DEPTH log_depth: 30[0..16];
        LAYER_STRIDE layer_stride: 31[0..32];
        DEPTH depth: 33[0..32];
    }
}

/// The differences between generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// gc2000: HALTI0.
    Halti0,
    /// gc3000: HALTI2.
    Halti2,
    /// gc7000: HALTI5, descriptors.
    Halti5,
}

impl Chip {
    /// The chip of a generation's name.
    pub fn of(generation: &str) -> Option<Chip> {
        match generation {
            "gc2000" => Some(Chip::Halti0),
            "gc3000" => Some(Chip::Halti2),
            "gc7000" => Some(Chip::Halti5),
            _ => None,
        }
    }
}

/// The components that a view gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// The first two.
    Low,
    /// The last two, as the first two.
    High,
}

/// A texture, as its unit is told of it.
#[derive(Clone, Debug)]
pub struct TextureView {
    /// Format of the view; of a half of 128 bits that of two of its channels.
    pub format: Format,
    /// The components of texels that it gives.
    pub part: Part,
    /// Dimension of the view.
    pub dim: Dim,
    /// Whether there are layers to choose from.
    pub array: bool,
    /// Width, height and depth of the view's first level.
    pub size: [u32; 3],
    /// Layers of the view.
    pub layers: u32,
    /// Addresses of the view's levels.
    pub levels: Vec<u32>,
    /// Bytes of a row and of a layer of its first level.
    pub stride: [u32; 2],
}

/// A format as units know it.
struct Number {
    format: u32,
    ext: u32,
    signed: bool,
    integer: bool,
    srgb: bool,
}

fn number(format: Format) -> Result<Number, Trap> {
    use Format::*;
    let (format, ext) = match format {
        R8Unorm => (2, 0),
        Bgra8Unorm | Bgra8UnormSrgb => (7, 0),
        Rgba8Unorm | Rgba8UnormSrgb => (9, 0),
        Depth16Unorm => (16, 0),
        Depth24Plus | Depth24PlusStencil8 => (17, 0),
        Rgb9e5Ufloat => (29, 0),
        Rg8Unorm => (0, 6),
        R16Float => (0, 7),
        Rg16Float => (0, 8),
        Rgba16Float => (0, 9),
        R32Float | R32Uint | R32Sint | Depth32Float | Depth32FloatStencil8 => (0, 10),
        Rg32Float | Rg32Uint | Rg32Sint => (0, 11),
        Rgb10a2Unorm => (0, 12),
        R8Snorm => (0, 14),
        Rg8Snorm => (0, 15),
        Rgba8Snorm => (0, 17),
        R8Uint | R8Sint | Stencil8 => (0, 21),
        Rg8Uint | Rg8Sint => (0, 22),
        Rgba8Uint | Rgba8Sint => (0, 23),
        R16Uint | R16Sint => (0, 24),
        Rg16Uint | Rg16Sint => (0, 25),
        Rgba16Uint | Rgba16Sint => (0, 26),
        Rg11b10Ufloat => (0, 27),
        Rgb10a2Uint => (0, 28),
        f => return Err(Trap::new(TrapKind::Unsupported, format!("no texture unit reads {}", f.name()))),
    };
    Ok(Number { format, ext, signed: false, integer: false, srgb: false })
}

/// The format of a view as units know it.
fn number_of(f: Format) -> Result<Number, Trap> {
    use Format::*;
    Ok(Number {
        signed: matches!(f, R8Sint | Rg8Sint | Rgba8Sint | R16Sint | Rg16Sint | Rgba16Sint),
        integer: matches!(f, R32Uint | R32Sint | Rg32Uint | Rg32Sint),
        srgb: f.is_srgb(),
        ..number(f)?
    })
}

/// Where components come from: 0 to 3, 4 zero, 5 one.
fn select(v: &TextureView) -> [u32; 4] {
    let all = match v.format.components() {
        1 => [0, 4, 4, 5],
        2 => [0, 1, 4, 5],
        3 => [0, 1, 2, 5],
        _ => [0, 1, 2, 3],
    };
    match v.part {
        Part::Whole => all,
        Part::Low => [all[0], all[1], 4, 5],
        Part::High => [all[2], all[3], 4, 5],
    }
}

/// The logarithm of a size in fixed point with as many bits of fraction, cut off.
fn log2(size: u32, fraction: u32) -> u32 {
    (f64::from(size).log2() * f64::from(1u32 << fraction) + 1e-9) as u32
}

/// The type of a texture, and what its field of depth holds.
fn kind(v: &TextureView) -> (u32, u32) {
    match (v.dim, v.array) {
        (Dim::D3, _) => (3, v.size[2]),
        (Dim::Cube, _) => (5, 1),
        // Arrays have the type of three axes, lines that of two.
        (_, true) => (3, v.layers),
        (_, false) => (2, 1),
    }
}

/// CONFIG1 of a view, as a descriptor has it too.
fn config1(v: &TextureView, n: &Number, seamless: bool) -> u32 {
    type F = FormatWord;
    let [r, g, b, a] = select(v);
    F::default()
        .with(F::FORMAT, n.ext)
        .with(F::SWIZ_R, r)
        .with(F::SWIZ_G, g)
        .with(F::SWIZ_B, b)
        .with(F::SWIZ_A, a)
        .with(F::ARRAY, (v.array && v.dim != Dim::Cube).into())
        .with(F::SEAMLESS, seamless.into())
        .with(F::SIGNED, n.signed.into())
        .with(F::INTEGER, n.integer.into())
        .0[0]
}

/// The texture's part of the registers of a unit before HALTI5.
///
/// # Errors
/// A format that units do not read.
pub fn texture_state(v: &TextureView) -> Result<StateWords, Trap> {
    type S = StateWords;
    let n = number_of(v.format)?;
    let (kind, depth) = kind(v);
    let mut s = S::default()
        .with(S::TYPE, kind)
        .with(S::FORMAT, n.format)
        .with(S::WIDTH, v.size[0])
        .with(S::HEIGHT, v.size[1])
        .with(S::LOG_WIDTH, log2(v.size[0], 5))
        .with(S::LOG_HEIGHT, log2(v.size[1], 5))
        .with(S::SRGB, n.srgb.into())
        .with(S::DEPTH, depth)
        .with(S::LOG_DEPTH, log2(depth, 5))
        .with(S::CONFIG1, config1(v, &n, true));
    s.0[8..8 + v.levels.len()].copy_from_slice(&v.levels);
    Ok(s)
}

/// A texture descriptor.
///
/// # Errors
/// A format that units do not read.
pub fn descriptor(v: &TextureView) -> Result<DescriptorWords, Trap> {
    type D = DescriptorWords;
    let n = number_of(v.format)?;
    let (kind, depth) = kind(v);
    let mut d = D::default()
        .with(D::TYPE, kind)
        .with(D::FORMAT, n.format)
        .with(D::WIDTH, v.size[0])
        .with(D::HEIGHT, v.size[1])
        .with(D::STRIDE, v.stride[0])
        .with(D::CONFIG1, config1(v, &n, false))
        .with(D::ASTC, 0x0c0c_0c00)
        .with(D::LAST_LEVEL, v.levels.len() as u32 - 1)
        .with(D::FLAGS, 0x3_0000)
        .with(D::LOG_WIDTH, log2(v.size[0], 8))
        .with(D::LOG_HEIGHT, log2(v.size[1], 8))
        .with(D::LOG_DEPTH, log2(depth, 8))
        .with(D::LAYER_STRIDE, v.stride[1])
        .with(D::DEPTH, depth);
    d.0[..v.levels.len()].copy_from_slice(&v.levels);
    Ok(d)
}

fn wrap(w: Wrap) -> Result<u32, Trap> {
    match w {
        Wrap::Repeat => Ok(0),
        Wrap::MirrorRepeat => Ok(1),
        Wrap::ClampToEdge => Ok(2),
        w => Err(Trap::new(TrapKind::Unsupported, format!("no sampler has addresses of the kind {w:?}"))),
    }
}

fn filter(f: Filter) -> u32 {
    match f {
        Filter::Nearest => 1,
        Filter::Linear => 2,
    }
}

/// Sampler codes of comparisons.
fn compare(c: Compare) -> u32 {
    use Compare::*;
    let all = [LessEqual, GreaterEqual, Less, Greater, Equal, NotEqual, Always, Never];
    (0..).zip(all).find(|n| n.1 == c).map_or(0, |n| n.0)
}

/// A level of detail in fixed point with as many bits of fraction, cut off.
fn fixed(lod: f32, fraction: u32, most: u32) -> u32 {
    ((lod.max(0.0) * (1u32 << fraction) as f32) as u32).min(most)
}

/// The registers of a unit before HALTI5: those of a texture with those of a sampler.
///
/// # Errors
/// Things that no sampler does.
pub fn unit_state(chip: Chip, texture: StateWords, levels: u32, s: &Sampler) -> Result<StateWords, Trap> {
    type S = StateWords;
    let most = 32 * (levels - 1);
    // Nearer than any level there would be no difference between the filters.
    let most = if s.mag == s.min { most } else { most.max(1) };
    let max = fixed(s.lod_max, 5, most);
    let linear = s.mag == Filter::Linear && s.min == Filter::Linear;
    let mut w = texture
        .with(S::WRAP_S, wrap(s.wrap[0])?)
        .with(S::WRAP_T, wrap(s.wrap[1])?)
        .with(S::WRAP_R, wrap(s.wrap[2])?)
        .with(S::MIN, filter(s.min))
        .with(S::MIP, filter(s.mip))
        .with(S::MAG, filter(s.mag))
        .with(S::ROUND_UV, linear.into())
        .with(S::LOD_MAX, max)
        .with(S::LOD_MIN, fixed(s.lod_min, 5, max));
    if let Some(c) = s.compare.filter(|_| chip != Chip::Halti0) {
        w = w.with(S::COMPARE, 1).with(S::COMPARE_FUNC, compare(c));
    }
    Ok(w)
}

/// The registers of a unit from HALTI5 on.
///
/// # Errors
/// Things that no sampler does.
pub fn unit_registers(descriptor: u32, srgb: bool, s: &Sampler) -> Result<SamplerWords, Trap> {
    type S = SamplerWords;
    let max = fixed(s.lod_max, 8, 0xfff);
    let mut w = S::default()
        .with(S::DESCRIPTOR, descriptor)
        .with(S::WRAP_S, wrap(s.wrap[0])?)
        .with(S::WRAP_T, wrap(s.wrap[1])?)
        .with(S::WRAP_R, wrap(s.wrap[2])?)
        .with(S::MIN, filter(s.min))
        .with(S::MIP, filter(s.mip))
        .with(S::MAG, filter(s.mag))
        .with(S::ALWAYS, 1)
        .with(S::ALWAYS1, 1)
        .with(S::SRGB, srgb.into())
        .with(S::LOD_MAX, max)
        .with(S::LOD_MIN, fixed(s.lod_min, 8, max));
    if let Some(c) = s.compare {
        w = w.with(S::COMPARE, 1).with(S::COMPARE_FUNC, compare(c));
    }
    Ok(w)
}
