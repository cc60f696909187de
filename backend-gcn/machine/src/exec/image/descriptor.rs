//! Texture and sampler descriptors as the texture unit reads them (sections 12.4 and 12.5).
//!
//! Reserved values trap and name the field. By our conventions fields without effect hold what drivers write there, 0;
//! under hardware's rules alone they are not looked at.

use gpucc_sim::texture::{Compare, Dim, Filter, NearestRounding, Precision, Sampler, Wrap};
use gpucc_sim::{Trap, TrapKind};

use super::super::salu::unsupported;
use super::format::Texel;
use crate::isa::{GFX6, GFX8};

/// Index of the linear layout in the table of tile modes that the kernel sets up.
const LINEAR: u32 = 8;

/// By what rules a descriptor is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub generation: u8,
    /// Fields without effect are checked too.
    pub strict: bool,
}

/// A texture descriptor (T#).
#[derive(Clone, Debug)]
pub(super) struct Texture {
    /// Where level 0 of the image begins.
    pub base: u64,
    pub min_lod: f32,
    pub format: Texel,
    /// Width, height and depth of level 0 of the image.
    pub size: [u32; 3],
    /// Texels of a row of level 0.
    pub pitch: u32,
    /// Rows of all levels are those of an image whose pitch is a power of two.
    pub pow2: bool,
    /// Where each component comes from: 0, 1, or 4 to 7 for a component of the texel.
    pub select: [u8; 4],
    pub first_level: u32,
    pub last_level: u32,
    pub first_layer: u32,
    pub last_layer: u32,
    /// Layers of the image.
    pub all_layers: u32,
    pub dim: Dim,
    pub multisampled: bool,
    pub samples: u32,
    pub min_lod_warn: u32,
}

fn bits(w: u32, at: u32, count: u32) -> u32 {
    w >> at & (u32::MAX >> (32 - count))
}

fn reserved(what: &str, field: &str, value: u32) -> Trap {
    Trap::new(TrapKind::Reserved, format!("{what} field {field} has the value {value:#x}"))
}

/// Checks fields of one descriptor.
struct Check<'a> {
    what: &'a str,
    rules: Rules,
}

impl Check<'_> {
    fn not(&self, bad: bool, field: &str, value: u32) -> Result<(), Trap> {
        if bad { Err(reserved(self.what, field, value)) } else { Ok(()) }
    }
    fn zero(&self, field: &str, value: u32) -> Result<(), Trap> {
        self.not(value != 0, field, value)
    }
    /// A field without effect.
    fn unused(&self, field: &str, value: u32) -> Result<(), Trap> {
        self.not(self.rules.strict && value != 0, field, value)
    }
    /// A field with an effect that is not modelled.
    fn off(&self, field: &str, value: u32) -> Result<(), Trap> {
        match value {
            0 => Ok(()),
            v => Err(unsupported(format!("{} field {field} = {v:#x}", self.what))),
        }
    }
}

impl Texture {
    /// Reads four or eight words; `None` is a null descriptor.
    pub(super) fn read(w: &[u32], rules: Rules) -> Result<Option<Texture>, Trap> {
        let c = Check { what: "T#", rules };
        let kind = bits(w[3], 28, 4);
        if kind < 8 {
            return if w.iter().all(|&w| w == 0) { Ok(None) } else { Err(reserved("T#", "TYPE", kind)) };
        }
        let (dim, arrayed, multisampled) = match kind {
            8 => (Dim::D1, false, false),
            9 => (Dim::D2, false, false),
            10 => (Dim::D3, false, false),
            11 => (Dim::Cube, true, false),
            12 => (Dim::D1, true, false),
            13 => (Dim::D2, true, false),
            14 => (Dim::D2, false, true),
            _ => (Dim::D2, true, true),
        };
        c.not(w.len() == 4 && (arrayed || dim == Dim::D3), "TYPE", kind)?;
        let format = Texel::of(bits(w[1], 20, 6), bits(w[1], 26, 4), rules.generation)?;
        let memory = [("MTYPE", bits(w[1], 30, 2)), ("MTYPE", bits(w[3], 26, 1)), ("ATC", bits(w[3], 27, 1))];
        for (field, value) in memory {
            if rules.generation == GFX6 { c.zero(field, value)? } else { c.unused(field, value)? }
        }
        c.off("INTERLACED", bits(w[2], 31, 1))?;
        let mut select = [0; 4];
        for (k, s) in select.iter_mut().enumerate() {
            *s = bits(w[3], 3 * k as u32, 3) as u8;
            c.not(matches!(*s, 2 | 3), ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"][k], (*s).into())?;
        }
        match bits(w[3], 20, 5) {
            LINEAR => {}
            n => return Err(unsupported(format!("T# field TILING_INDEX = {n}: only {LINEAR}, the linear layout, is"))),
        }
        let mut t = Texture {
            base: u64::from(w[0]) << 8 | u64::from(w[1] & 0xff) << 40,
            min_lod: bits(w[1], 8, 12) as f32 / 256.0,
            format,
            size: [bits(w[2], 0, 14) + 1, bits(w[2], 14, 14) + 1, 1],
            pitch: 0,
            pow2: bits(w[3], 25, 1) == 1,
            select,
            first_level: bits(w[3], 12, 4),
            last_level: bits(w[3], 16, 4),
            first_layer: 0,
            last_layer: 0,
            all_layers: 1,
            dim,
            multisampled,
            samples: 1,
            min_lod_warn: 0,
        };
        t.pitch = t.size[0].next_multiple_of(t.pitch_unit());
        if dim == Dim::D1 {
            c.unused("HEIGHT", t.size[1] - 1)?;
            t.size[1] = 1;
        }
        if w.len() == 8 {
            t.rest(w, arrayed, &c)?;
        }
        t.levels(&c)?;
        Ok(Some(t))
    }

    /// Texels that a row is a multiple of: at least eight, at least 64 bytes.
    pub(super) fn pitch_unit(&self) -> u32 {
        8.max(64 / self.format.bytes())
    }

    /// Words 4 to 7.
    fn rest(&mut self, w: &[u32], arrayed: bool, c: &Check<'_>) -> Result<(), Trap> {
        let depth = bits(w[4], 0, 13);
        self.pitch = bits(w[4], 13, 14) + 1;
        c.zero("[31:27] of word 4", bits(w[4], 27, 5))?;
        let pitch = self.pitch;
        c.not(pitch < self.size[0] || !pitch.is_multiple_of(self.pitch_unit()), "PITCH", pitch - 1)?;
        let (first, last) = (bits(w[5], 0, 13), bits(w[5], 13, 13));
        c.zero("[31:26] of word 5", bits(w[5], 26, 6))?;
        if arrayed {
            let all = if self.dim == Dim::Cube { 6 * (depth + 1) } else { depth + 1 };
            c.not(last >= all, "LAST_ARRAY", last)?;
            c.not(first > last, "BASE_ARRAY", first)?;
            c.not(self.dim == Dim::Cube && (last - first + 1) % 6 != 0, "LAST_ARRAY", last)?;
            (self.first_layer, self.last_layer, self.all_layers) = (first, last, all);
        } else {
            c.unused("BASE_ARRAY", first)?;
            c.unused("LAST_ARRAY", last)?;
            if self.dim == Dim::D3 {
                self.size[2] = depth + 1;
            } else {
                c.unused("DEPTH", depth)?;
            }
        }
        self.min_lod_warn = bits(w[6], 0, 12);
        c.unused("MIN_LOD_WARN", self.min_lod_warn)?;
        c.unused("COUNTER_BANK_ID", bits(w[6], 12, 8))?;
        c.off("LOD_HDW_CNT_EN", bits(w[6], 20, 1))?;
        if c.rules.generation == GFX8 {
            c.off("COMPRESSION_EN", bits(w[6], 21, 1))?;
            c.unused("[31:22] of word 6", bits(w[6], 22, 10))?;
            c.unused("META_DATA_ADDRESS", w[7])
        } else {
            c.zero("[31:21] of word 6", bits(w[6], 21, 11))?;
            c.unused("word 7", w[7])
        }
    }

    fn levels(&mut self, c: &Check<'_>) -> Result<(), Trap> {
        let (first, last) = (self.first_level, self.last_level);
        if self.multisampled {
            c.not(last > 4, "LAST_LEVEL", last)?;
            c.not(first != 0, "BASE_LEVEL", first)?;
            self.samples = 1 << last;
            self.last_level = 0;
            return Ok(());
        }
        c.not(first > last, "BASE_LEVEL", first)?;
        let most = self.size.into_iter().max().unwrap_or(1).ilog2();
        c.not(last > most, "LAST_LEVEL", last)
    }
}

/// A sampler descriptor (S#).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub sampler: Sampler,
    /// Coordinates are in texels.
    pub unnormalised: bool,
    /// Levels are not looked at.
    pub no_mip: bool,
    /// sRGB codes are decoded whatever the format says.
    pub degamma: bool,
    /// References of comparisons are not clamped: the depth was promoted to a float.
    pub upgraded_depth: bool,
}

impl Sampling {
    pub(super) fn read(w: [u32; 4], rules: Rules) -> Result<Sampling, Trap> {
        let c = Check { what: "S#", rules };
        let mut wrap = [Wrap::ClampToEdge; 3];
        for (k, to) in wrap.iter_mut().enumerate() {
            *to = match bits(w[0], 3 * k as u32, 3) {
                0 => Wrap::Repeat,
                1 => Wrap::MirrorRepeat,
                2 => Wrap::ClampToEdge,
                3 => Wrap::MirrorClampToEdge,
                6 => Wrap::ClampToBorder,
                n => return Err(unsupported(format!("S# field {} = {n}", ["CLAMP_X", "CLAMP_Y", "CLAMP_Z"][k]))),
            };
        }
        let compare = [
            Compare::Never,
            Compare::Less,
            Compare::Equal,
            Compare::LessEqual,
            Compare::Greater,
            Compare::NotEqual,
            Compare::GreaterEqual,
            Compare::Always,
        ][bits(w[0], 12, 3) as usize];
        let filters = [bits(w[2], 20, 2), bits(w[2], 22, 2)];
        Self::anisotropy(&w, filters, &c)?;
        c.off("MC_COORD_TRUNC", bits(w[0], 19, 1))?;
        c.off("FILTER_MODE", bits(w[0], 29, 2))?;
        if rules.generation != GFX8 {
            c.zero("[31] of word 0", bits(w[0], 31, 1))?;
        }
        Self::word2(&w, &c)?;
        let [mag, min] = filters.map(|f| if f & 1 == 1 { Filter::Linear } else { Filter::Nearest });
        let mip = bits(w[2], 26, 2);
        c.not(mip == 3, "MIP_FILTER", mip)?;
        let sampler = Sampler {
            wrap,
            mag,
            min,
            mip: if mip == 2 { Filter::Linear } else { Filter::Nearest },
            lod_min: bits(w[1], 0, 12) as f32 / 256.0,
            lod_max: bits(w[1], 12, 12) as f32 / 256.0,
            lod_bias: ((bits(w[2], 0, 14) << 18) as i32 >> 18) as f32 / 256.0,
            compare: Some(compare),
            border: Self::border(w[3], wrap.contains(&Wrap::ClampToBorder), &c)?,
            seamless: bits(w[0], 28, 1) == 0,
            precision: Precision {
                weight_bits: Some(8),
                lod_bits: Some(8),
                nearest: match bits(w[0], 27, 1) {
                    0 => NearestRounding::Round,
                    _ => NearestRounding::Truncate,
                },
            },
        };
        Ok(Sampling {
            sampler,
            unnormalised: bits(w[0], 15, 1) == 1,
            no_mip: mip == 0,
            degamma: bits(w[0], 20, 1) == 1,
            upgraded_depth: bits(w[3], 29, 1) == 1,
        })
    }

    /// More than one probe is not modelled: the ratio counts as 1. Without a filter that probes, its fields say nothing.
    fn anisotropy(w: &[u32; 4], filters: [u32; 2], c: &Check<'_>) -> Result<(), Trap> {
        let ratio = bits(w[0], 9, 3);
        c.not(ratio > 4, "MAX_ANISO_RATIO", ratio)?;
        if filters.iter().all(|f| *f < 2) {
            c.unused("MAX_ANISO_RATIO", ratio)?;
            c.unused("ANISO_THRESHOLD", bits(w[0], 16, 3))?;
            c.unused("ANISO_BIAS", bits(w[0], 21, 6))?;
            c.unused("PERF_MIP", bits(w[1], 24, 4))?;
        }
        c.unused("PERF_Z", bits(w[1], 28, 4))
    }

    fn word2(w: &[u32; 4], c: &Check<'_>) -> Result<(), Trap> {
        c.off("LOD_BIAS_SEC", bits(w[2], 14, 6))?;
        // Drivers leave it 0 and get the filter of x and y.
        c.off("Z_FILTER", bits(w[2], 24, 2))?;
        c.off("MIP_POINT_PRECLAMP", bits(w[2], 28, 1))?;
        if bits(w[2], 29, 2) != 3 {
            return Err(unsupported("S# without DISABLE_LSB_CEIL and FILTER_PREC_FIX"));
        }
        match c.rules.generation {
            GFX8 => c.unused("ANISO_OVERRIDE", bits(w[2], 31, 1)),
            _ => c.zero("[31] of word 2", bits(w[2], 31, 1)),
        }
    }

    fn border(w: u32, used: bool, c: &Check<'_>) -> Result<[u32; 4], Trap> {
        c.zero("[28:12] of word 3", bits(w, 12, 17))?;
        let kind = bits(w, 30, 2);
        if !used {
            c.unused("BORDER_COLOR_PTR", bits(w, 0, 12))?;
            c.unused("BORDER_COLOR_TYPE", kind)?;
        }
        let one = 1f32.to_bits();
        match kind {
            0 => Ok([0; 4]),
            1 => Ok([0, 0, 0, one]),
            2 => Ok([one; 4]),
            _ if used => Err(unsupported("border colours from a table")),
            _ => Ok([0; 4]),
        }
    }
}
