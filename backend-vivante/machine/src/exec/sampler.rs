//! State of a texture unit: registers before HALTI5, a descriptor and registers from there on
//! (`graphics-vivante.md` 2.2 to 2.4, `docs/abi-vivante.md` 10).
//!
//! Reserved bits and values trap and name their field; so do fields that say one thing twice and disagree.

use gpucc_sim::texture::{Compare, Dim, Filter, Format, Precision, Sampler, Wrap};
use gpucc_sim::{Trap, TrapKind};

/// Words of a unit in the table of units.
pub(crate) const UNIT_WORDS: usize = 32;
/// Words of a descriptor.
pub(crate) const DESCRIPTOR_WORDS: usize = 64;
/// Levels that a unit has addresses for.
const LEVELS: usize = 14;

gpucc_sim::words! {
    /// Registers of a unit before HALTI5: CONFIG0, SIZE, LOG_SIZE, LOD_CONFIG, 3D_CONFIG, CONFIG1, BASELOD, and from word 8 the
    /// addresses of the levels.
    struct StateWords[32] = "sampler state", the rest reserved but for words 8..22 {
        TYPE kind: 0[0..3];
        WRAP_S wrap_s: 0[3..5];
        WRAP_T wrap_t: 0[5..7];
        MIN min: 0[7..9];
        MIP mip: 0[9..11];
        MAG mag: 0[11..13];
        FORMAT format: 0[13..18];
        ROUND_UV round_uv: 0[19..20];
        ADDRESSING addressing: 0[20..22];
        ANISOTROPY anisotropy: 0[24..32];
        WIDTH width: 1[0..16];
        HEIGHT height: 1[16..32];
        LOG_WIDTH log_width: 2[0..10];
        LOG_HEIGHT log_height: 2[10..20];
        ASTC astc: 2[28..29];
        INTEGER_FILTER integer_filter: 2[29..30];
        SRGB srgb: 2[31..32];
        BIAS_ON bias_on: 3[0..1];
        LOD_MAX lod_max: 3[1..11];
        LOD_MIN lod_min: 3[11..21];
        LOD_BIAS lod_bias: 3[21..31];
        DEPTH depth: 4[0..14];
        LOG_DEPTH log_depth: 4[16..26];
        WRAP_R wrap_r: 4[28..30];
        CONFIG1 config1: 5[0..32];
        COMPARE compare: 6[16..17];
        COMPARE_FUNC compare_func: 6[20..23];
    }
}

gpucc_sim::words! {
    /// CONFIG1, which descriptors have as their word at 0x4C.
    struct FormatWord[1] = "CONFIG1", the rest reserved {
        FORMAT_EXT format: 0[0..6];
        SWIZ_R r: 0[8..11];
        SWIZ_G g: 0[12..15];
        SWIZ_B b: 0[16..19];
        SWIZ_A a: 0[20..23];
        ARRAY array: 0[24..25];
        SEAMLESS seamless: 0[25..26];
        ALIGNMENT alignment: 0[26..29];
        SIGNED signed: 0[29..30];
        INTEGER integer: 0[30..31];
    }
}

gpucc_sim::words! {
    /// Registers of a unit from HALTI5 on: the descriptor's address, SAMP_CTRL0, SAMP_CTRL1, the limits of the level, bias, anisotropy.
    struct SamplerWords[32] = "sampler registers", the rest reserved but for words 6..32 {
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
        INTEGER_FILTER integer_filter: 1[23..24];
        ALWAYS1 always1: 2[1..2];
        SRGB srgb: 2[4..5];
        LOD_MAX lod_max: 3[0..16];
        LOD_MIN lod_min: 3[16..32];
        LOD_BIAS lod_bias: 4[0..16];
        BIAS_ON bias_on: 4[16..17];
        ANISOTROPY anisotropy: 5[0..32];
    }
}

gpucc_sim::words! {
    /// A texture descriptor. Words 0 to 13 are the addresses of the levels.
    struct DescriptorWords[64] = "texture descriptor", the rest reserved but for words 0..14, 34..64 {
        TYPE kind: 16[0..3];
        FORMAT format: 16[13..18];
        ADDRESSING addressing: 16[20..22];
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

/// The word of a descriptor that says that there is no ASTC.
const NO_ASTC: u32 = 0x0c0c_0c00;
/// The word at 0x6C of every descriptor.
const FLAGS: u32 = 0x3_0000;

/// A level of a view in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Where its first layer begins.
    pub address: u32,
    /// Bytes of a row of texels; those of a row of tiles are four times as many.
    pub row: u32,
    /// Bytes of a layer.
    pub layer: u32,
}

/// The operands of a unit, and how it reads them.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub dim: Dim,
    /// The coordinate behind those in space is a layer.
    pub array: bool,
    /// Width, height and depth of the first level.
    pub size: [u32; 3],
    pub layers: u32,
    pub levels: Vec<Level>,
    pub format: Format,
    /// The format's first component is that of all colours.
    pub luminance: bool,
    /// Where each component comes from: 0 to 3, 4 zero, 5 one.
    pub select: [u8; 4],
    pub sampler: Sampler,
}

fn reserved(field: &str, value: u32) -> Trap {
    Trap::new(TrapKind::Reserved, format!("field {field} of a texture unit has the value {value:#x}"))
}

fn unsupported(field: &str, value: u32) -> Trap {
    Trap::new(TrapKind::Unsupported, format!("field {field} = {value:#x} of a texture unit is not modelled"))
}

fn must(ok: bool, field: &str, value: u32) -> Result<(), Trap> {
    if ok { Ok(()) } else { Err(reserved(field, value)) }
}

fn off(field: &str, value: u32) -> Result<(), Trap> {
    if value == 0 { Ok(()) } else { Err(unsupported(field, value)) }
}

/// The logarithm of a size in fixed point with as many bits of fraction, cut off.
fn log2(size: u32, fraction: u32) -> u32 {
    let exact = f64::from(size.max(1)).log2() * f64::from(1u32 << fraction);
    (exact + 1e-9).floor() as u32
}

fn wrap(field: &str, value: u32) -> Result<Wrap, Trap> {
    match value {
        0 => Ok(Wrap::Repeat),
        1 => Ok(Wrap::MirrorRepeat),
        2 => Ok(Wrap::ClampToEdge),
        3 => Err(unsupported(field, value)),
        _ => Err(reserved(field, value)),
    }
}

fn filter(field: &str, value: u32) -> Result<Filter, Trap> {
    match value {
        1 => Ok(Filter::Nearest),
        2 => Ok(Filter::Linear),
        _ => Err(reserved(field, value)),
    }
}

/// Sampler codes of comparisons. The texel stands on the right.
fn compare(on: u32, code: u32) -> Result<Option<Compare>, Trap> {
    if on == 0 {
        must(code == 0, "COMPARE_FUNC", code)?;
        return Ok(None);
    }
    use Compare::*;
    Ok(Some([LessEqual, GreaterEqual, Less, Greater, Equal, NotEqual, Always, Never][code as usize & 7]))
}

/// The format of a code, and whether it is luminance.
fn format(code: u32, ext: u32, srgb: bool, [signed, integer]: [bool; 2]) -> Result<(Format, bool), Trap> {
    use Format::*;
    if code != 0 {
        must(ext == 0, "FORMAT_EXT", ext)?;
    }
    let found = match (code, ext) {
        (2, _) => R8Unorm,
        (7, _) if srgb => Bgra8UnormSrgb,
        (9, _) if srgb => Rgba8UnormSrgb,
        (7, _) => Bgra8Unorm,
        (9, _) => Rgba8Unorm,
        (16, _) => Depth16Unorm,
        (17, _) => Depth24Plus,
        (29, _) => Rgb9e5Ufloat,
        (0, 6) => Rg8Unorm,
        (0, 7) => R16Float,
        (0, 8) => Rg16Float,
        (0, 9) => Rgba16Float,
        (0, 10) if integer => R32Uint,
        (0, 10) => R32Float,
        (0, 11) if integer => Rg32Uint,
        (0, 11) => Rg32Float,
        (0, 12) => Rgb10a2Unorm,
        (0, 14) => R8Snorm,
        (0, 15) => Rg8Snorm,
        (0, 17) => Rgba8Snorm,
        (0, 21) if signed => R8Sint,
        (0, 21) => R8Uint,
        (0, 22) if signed => Rg8Sint,
        (0, 22) => Rg8Uint,
        (0, 23) if signed => Rgba8Sint,
        (0, 23) => Rgba8Uint,
        (0, 24) if signed => R16Sint,
        (0, 24) => R16Uint,
        (0, 25) if signed => Rg16Sint,
        (0, 25) => Rg16Uint,
        (0, 26) if signed => Rgba16Sint,
        (0, 26) => Rgba16Uint,
        (0, 27) => Rg11b10Ufloat,
        (0, 28) => Rgb10a2Uint,
        (0, ext) => return Err(unsupported("FORMAT_EXT", ext)),
        (code, _) => return Err(unsupported("FORMAT", code)),
    };
    must(!srgb || matches!(code, 7 | 9), "SRGB", 1)?;
    must(!signed || code == 0 && (21..=26).contains(&ext), "SIGNED", 1)?;
    must(!integer || code == 0 && (10..=11).contains(&ext), "INTEGER", 1)?;
    Ok((found, code == 2))
}

/// The common words of both ways of setting a unit up.
struct Common {
    kind: u32,
    format: u32,
    addressing: u32,
    config1: u32,
    srgb: bool,
    size: [u32; 3],
    depth: u32,
}

impl Common {
    /// The unit without its levels, and bytes of a texel.
    fn unit(&self, sampler: Sampler) -> Result<(Unit, bool), Trap> {
        let c = FormatWord([self.config1]);
        c.reserved()?;
        let (format, luminance) = format(self.format, c.format(), self.srgb, [c.signed() == 1, c.integer() == 1])?;
        let select = [c.r(), c.g(), c.b(), c.a()];
        for (s, name) in select.into_iter().zip(["SWIZ_R", "SWIZ_G", "SWIZ_B", "SWIZ_A"]) {
            must(s < 6, name, s)?;
        }
        off("ADDRESSING", self.addressing)?;
        off("ALIGNMENT", c.alignment())?;
        let array = c.array() == 1;
        let (dim, layers) = match (self.kind, array) {
            (2, false) => (Dim::D2, 1),
            // Arrays have the type of three axes.
            (3, true) => (Dim::D2, self.depth),
            (3, false) => (Dim::D3, 1),
            (5, false) => (Dim::Cube, 6),
            (kind, _) => return Err(reserved("TYPE", kind)),
        };
        must(self.depth > 0, "DEPTH", self.depth)?;
        must(dim == Dim::D3 || array || self.depth == 1, "DEPTH", self.depth)?;
        for (n, name) in self.size.into_iter().zip(["WIDTH", "HEIGHT"]) {
            must(n > 0 && n <= 8192, name, n)?;
        }
        must(dim != Dim::Cube || self.size[0] == self.size[1], "HEIGHT", self.size[1])?;
        let depth = if dim == Dim::D3 { self.depth } else { 1 };
        let size = [self.size[0], self.size[1], depth];
        let seamless = c.seamless() == 1;
        Ok((
            Unit {
                dim,
                array,
                size,
                layers,
                levels: Vec::new(),
                format,
                luminance,
                select: select.map(|s| s as u8),
                sampler: Sampler { precision: Precision::default(), ..sampler },
            },
            seamless,
        ))
    }
}

impl Unit {
    /// Row and layer of a level in tiles of four by four texels.
    fn place(&self, level: u32, address: u32) -> Level {
        let [w, h] = [self.size[0], self.size[1]].map(|n| (n >> level).max(1).next_multiple_of(4));
        let row = w * self.format.bytes();
        Level { address, row, layer: row * h }
    }

    /// The most levels that there can be.
    fn most_levels(&self) -> usize {
        self.size.into_iter().max().unwrap_or(1).ilog2() as usize + 1
    }

    fn place_levels(&mut self, addresses: &[u32]) -> Result<(), Trap> {
        must(!addresses.is_empty() && addresses.len() <= self.most_levels(), "levels", addresses.len() as u32)?;
        for (level, &address) in addresses.iter().enumerate() {
            must(address % 64 == 0, "ADDRESS", address)?;
            let place = self.place(level as u32, address);
            self.levels.push(place);
        }
        Ok(())
    }

    /// Registers before HALTI5; comparisons are gc3000's.
    pub(crate) fn from_state(words: [u32; UNIT_WORDS], compares: bool) -> Result<Unit, Trap> {
        let s = StateWords(words);
        s.reserved()?;
        off("ANISOTROPY", s.anisotropy())?;
        off("ASTC", s.astc())?;
        off("INTEGER_FILTER", s.integer_filter())?;
        must(compares || s.compare() == 0, "COMPARE", 1)?;
        let common = Common {
            kind: s.kind(),
            format: s.format(),
            addressing: s.addressing(),
            config1: s.config1(),
            srgb: s.srgb() == 1,
            size: [s.width(), s.height(), 1],
            depth: s.depth(),
        };
        let mag = filter("MAG", s.mag())?;
        let min = filter("MIN", s.min())?;
        let mip = s.mip();
        must(mip < 3, "MIP", mip)?;
        must((s.round_uv() == 1) == (mag == Filter::Linear && min == Filter::Linear), "ROUND_UV", s.round_uv())?;
        let fixed = |v: u32| v as f32 / 32.0;
        let bias = ((s.lod_bias() << 22) as i32 >> 22) as f32 / 32.0;
        must(s.bias_on() == 1 || s.lod_bias() == 0, "LOD_BIAS", s.lod_bias())?;
        let sampler = Sampler {
            wrap: [wrap("WRAP_S", s.wrap_s())?, wrap("WRAP_T", s.wrap_t())?, wrap("WRAP_R", s.wrap_r())?],
            mag,
            min,
            mip: if mip == 2 { Filter::Linear } else { Filter::Nearest },
            lod_min: fixed(s.lod_min()),
            lod_max: fixed(s.lod_max()),
            lod_bias: bias,
            compare: compare(s.compare(), s.compare_func())?,
            ..Sampler::default()
        };
        let (mut unit, seamless) = common.unit(sampler)?;
        unit.sampler.seamless = seamless;
        let logs = [(s.log_width(), s.width(), "LOG_WIDTH"), (s.log_height(), s.height(), "LOG_HEIGHT")];
        for (log, size, name) in logs.into_iter().chain([(s.log_depth(), s.depth(), "LOG_DEPTH")]) {
            must(log == log2(size, 5), name, log)?;
        }
        // Without filtering between levels there is the first one alone.
        let count = if mip == 0 { 1 } else { words[8..8 + LEVELS].iter().take_while(|&&a| a != 0).count() };
        must(words[8 + count..8 + LEVELS].iter().all(|&a| a == 0), "ADDRESS", 0)?;
        unit.place_levels(&words[8..8 + count])?;
        // The limit is what keeps the level inside.
        must(s.lod_max() <= (32 * (count as u32 - 1)).max(1), "LOD_MAX", s.lod_max())?;
        Ok(unit)
    }

    /// Registers from HALTI5 on, with the words of the descriptor.
    pub(crate) fn from_descriptor(words: [u32; UNIT_WORDS], d: [u32; DESCRIPTOR_WORDS]) -> Result<Unit, Trap> {
        let (s, d) = (SamplerWords(words), DescriptorWords(d));
        s.reserved()?;
        d.reserved()?;
        for (k, &w) in words.iter().enumerate().skip(6) {
            must(w == 0, "sampler registers", k as u32)?;
        }
        for (k, &w) in d.0.iter().enumerate().skip(34) {
            must(w == 0, "texture descriptor", k as u32)?;
        }
        must(s.always() == 1, "SAMP_CTRL0[21]", 0)?;
        must(s.always1() == 1, "SAMP_CTRL1[1]", 0)?;
        off("ANISOTROPY", s.anisotropy())?;
        off("INTEGER_FILTER", s.integer_filter())?;
        must(d.astc() == NO_ASTC, "[0x58]", d.astc())?;
        must(d.flags() == FLAGS, "[0x6C]", d.flags())?;
        let common = Common {
            kind: d.kind(),
            format: d.format(),
            addressing: d.addressing(),
            config1: d.config1(),
            srgb: s.srgb() == 1,
            size: [d.width(), d.height(), 1],
            depth: d.depth(),
        };
        let mip = s.mip();
        must(mip < 3, "MIP", mip)?;
        let fixed = |v: u32| v as f32 / 256.0;
        must(s.lod_max() <= 0xfff && s.lod_min() <= 0xfff, "SAMP_LOD_MINMAX", words[3])?;
        must(s.bias_on() == 1 || s.lod_bias() == 0, "LOD_BIAS", s.lod_bias())?;
        let sampler = Sampler {
            wrap: [wrap("WRAP_S", s.wrap_s())?, wrap("WRAP_T", s.wrap_t())?, wrap("WRAP_R", s.wrap_r())?],
            mag: filter("MAG", s.mag())?,
            min: filter("MIN", s.min())?,
            mip: if mip == 2 { Filter::Linear } else { Filter::Nearest },
            lod_min: fixed(s.lod_min()),
            lod_max: fixed(s.lod_max()),
            lod_bias: f32::from(s.lod_bias() as u16 as i16) / 256.0,
            compare: compare(s.compare(), s.compare_func())?,
            ..Sampler::default()
        };
        let (mut unit, seamless) = common.unit(sampler)?;
        must(!seamless, "SEAMLESS", 1)?;
        let logs = [(d.log_width(), d.width(), "LOG_WIDTH"), (d.log_height(), d.height(), "LOG_HEIGHT")];
        for (log, size, name) in logs.into_iter().chain([(d.log_depth(), d.depth(), "LOG_DEPTH")]) {
            must(log == log2(size, 8), name, log)?;
        }
        let (first, last) = (d.first_level() as usize, d.last_level() as usize);
        must(first <= last && last < LEVELS, "LAST_LEVEL", last as u32)?;
        must(d.0[last + 1..LEVELS].iter().all(|&a| a == 0), "ADDRESS", 0)?;
        let last = if mip == 0 { first } else { last };
        unit.place_levels(&d.0[first..=last])?;
        let level = unit.levels[0];
        must(level.row == d.stride(), "STRIDE", d.stride())?;
        must(level.layer == d.layer_stride(), "LAYER_STRIDE", d.layer_stride())?;
        Ok(unit)
    }
}
