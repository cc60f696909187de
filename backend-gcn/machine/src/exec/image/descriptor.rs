//! Texture and sampler descriptors as the texture unit reads them (sections 12.4 and 12.5).
//!
//! Reserved values trap and name the field. By our conventions fields without effect hold what drivers write there, 0;
//! under hardware's rules alone they are not looked at.

use gpucc_sim::texture::{Compare, Dim, Filter, NearestRounding, Precision, Sampler, Wrap};
use gpucc_sim::trap::{Trap, TrapKind, unsupported};

use super::format::Texel;
use crate::isa::{GFX6, GFX8};

/// Index of the linear layout in the table of tile modes that the kernel sets up.
const LINEAR: u32 = 8;

gpucc_sim::words! {
    /// Words of a T#.
    struct TextureWords[8] = "T#", the rest reserved {
        BASE_ADDRESS base_address: 0[0..32];
        BASE_ADDRESS_HI base_address_hi: 1[0..8];
        MIN_LOD min_lod: 1[8..20];
        DATA_FORMAT data_format: 1[20..26];
        NUM_FORMAT num_format: 1[26..30];
        MTYPE mtype: 1[30..32];
        WIDTH width: 2[0..14] minus 1;
        HEIGHT height: 2[14..28] minus 1;
        PERF_MOD perf_mod: 2[28..31];
        INTERLACED interlaced: 2[31..32];
        DST_SEL_X dst_sel_x: 3[0..3];
        DST_SEL_Y dst_sel_y: 3[3..6];
        DST_SEL_Z dst_sel_z: 3[6..9];
        DST_SEL_W dst_sel_w: 3[9..12];
        BASE_LEVEL base_level: 3[12..16];
        LAST_LEVEL last_level: 3[16..20];
        TILING_INDEX tiling_index: 3[20..25];
        POW2_PAD pow2_pad: 3[25..26];
        MTYPE_HI mtype_hi: 3[26..27];
        ATC atc: 3[27..28];
        TYPE kind: 3[28..32];
        DEPTH depth: 4[0..13];
        PITCH pitch: 4[13..27] minus 1;
        BASE_ARRAY base_array: 5[0..13];
        LAST_ARRAY last_array: 5[13..26];
        MIN_LOD_WARN min_lod_warn: 6[0..12];
        COUNTER_BANK_ID counter_bank_id: 6[12..20];
        LOD_HDW_CNT_EN lod_hdw_cnt_en: 6[20..21];
        COMPRESSION_EN compression_en: 6[21..22];
        REST rest: 6[22..32];
        META_DATA_ADDRESS meta_data_address: 7[0..32];
    }
}

gpucc_sim::words! {
    /// Words of an S#.
    struct SamplerWords[4] = "S#", the rest reserved {
        CLAMP_X clamp_x: 0[0..3];
        CLAMP_Y clamp_y: 0[3..6];
        CLAMP_Z clamp_z: 0[6..9];
        MAX_ANISO_RATIO max_aniso_ratio: 0[9..12];
        DEPTH_COMPARE_FUNC depth_compare_func: 0[12..15];
        FORCE_UNNORMALIZED force_unnormalized: 0[15..16];
        ANISO_THRESHOLD aniso_threshold: 0[16..19];
        MC_COORD_TRUNC mc_coord_trunc: 0[19..20];
        FORCE_DEGAMMA force_degamma: 0[20..21];
        ANISO_BIAS aniso_bias: 0[21..27];
        TRUNC_COORD trunc_coord: 0[27..28];
        DISABLE_CUBE_WRAP disable_cube_wrap: 0[28..29];
        FILTER_MODE filter_mode: 0[29..31];
        COMPAT_MODE compat_mode: 0[31..32];
        MIN_LOD min_lod: 1[0..12];
        MAX_LOD max_lod: 1[12..24];
        PERF_MIP perf_mip: 1[24..28];
        PERF_Z perf_z: 1[28..32];
        LOD_BIAS lod_bias: 2[0..14];
        LOD_BIAS_SEC lod_bias_sec: 2[14..20];
        XY_MAG_FILTER xy_mag_filter: 2[20..22];
        XY_MIN_FILTER xy_min_filter: 2[22..24];
        Z_FILTER z_filter: 2[24..26];
        MIP_FILTER mip_filter: 2[26..28];
        MIP_POINT_PRECLAMP mip_point_preclamp: 2[28..29];
        DISABLE_LSB_CEIL disable_lsb_ceil: 2[29..30];
        FILTER_PREC_FIX filter_prec_fix: 2[30..31];
        ANISO_OVERRIDE aniso_override: 2[31..32];
        BORDER_COLOR_PTR border_color_ptr: 3[0..12];
        UPGRADED_DEPTH upgraded_depth: 3[29..30];
        BORDER_COLOR_TYPE border_color_type: 3[30..32];
    }
}

/// The rules by which a descriptor is read.
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
        let small = w.len() == 4;
        let w = TextureWords(std::array::from_fn(|k| w.get(k).copied().unwrap_or(0)));
        let kind = w.kind();
        if kind < 8 {
            return if w == TextureWords::default() { Ok(None) } else { Err(reserved("T#", "TYPE", kind)) };
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
        c.not(small && (arrayed || dim == Dim::D3), "TYPE", kind)?;
        let format = Texel::of(w.data_format(), w.num_format(), rules.generation)?;
        let memory = [("MTYPE", w.mtype()), ("MTYPE", w.mtype_hi()), ("ATC", w.atc())];
        for (field, value) in memory {
            if rules.generation == GFX6 { c.zero(field, value)? } else { c.unused(field, value)? }
        }
        c.off("INTERLACED", w.interlaced())?;
        let select = [w.dst_sel_x(), w.dst_sel_y(), w.dst_sel_z(), w.dst_sel_w()];
        for (s, name) in select.into_iter().zip(["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"]) {
            c.not(matches!(s, 2 | 3), name, s)?;
        }
        match w.tiling_index() {
            LINEAR => {}
            n => return Err(unsupported(format!("T# field TILING_INDEX = {n}: only {LINEAR}, the linear layout, is"))),
        }
        let mut t = Texture {
            base: u64::from(w.base_address()) << 8 | u64::from(w.base_address_hi()) << 40,
            min_lod: w.min_lod() as f32 / 256.0,
            format,
            size: [w.width(), w.height(), 1],
            pitch: 0,
            pow2: w.pow2_pad() == 1,
            select: select.map(|s| s as u8),
            first_level: w.base_level(),
            last_level: w.last_level(),
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
        if !small {
            t.rest(&w, arrayed, &c)?;
        }
        t.levels(&c)?;
        Ok(Some(t))
    }

    /// Texels that a row is a multiple of: at least eight, at least 64 bytes.
    pub(super) fn pitch_unit(&self) -> u32 {
        8.max(64 / self.format.bytes())
    }

    /// Words 4 to 7.
    fn rest(&mut self, w: &TextureWords, arrayed: bool, c: &Check<'_>) -> Result<(), Trap> {
        w.reserved()?;
        let depth = w.depth();
        self.pitch = w.pitch();
        let pitch = self.pitch;
        c.not(pitch < self.size[0] || !pitch.is_multiple_of(self.pitch_unit()), "PITCH", pitch - 1)?;
        let (first, last) = (w.base_array(), w.last_array());
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
        self.min_lod_warn = w.min_lod_warn();
        c.unused("MIN_LOD_WARN", self.min_lod_warn)?;
        c.unused("COUNTER_BANK_ID", w.counter_bank_id())?;
        c.off("LOD_HDW_CNT_EN", w.lod_hdw_cnt_en())?;
        if c.rules.generation == GFX8 {
            c.off("COMPRESSION_EN", w.compression_en())?;
            c.unused("[31:22] of word 6", w.rest())?;
            c.unused("META_DATA_ADDRESS", w.meta_data_address())
        } else {
            c.zero("[31:21] of word 6", w.0[6] >> 21)?;
            c.unused("word 7", w.0[7])
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
        let w = SamplerWords(w);
        w.reserved()?;
        let mut wrap = [Wrap::ClampToEdge; 3];
        let clamps = [("CLAMP_X", w.clamp_x()), ("CLAMP_Y", w.clamp_y()), ("CLAMP_Z", w.clamp_z())];
        for (to, (name, value)) in wrap.iter_mut().zip(clamps) {
            *to = match value {
                0 => Wrap::Repeat,
                1 => Wrap::MirrorRepeat,
                2 => Wrap::ClampToEdge,
                3 => Wrap::MirrorClampToEdge,
                6 => Wrap::ClampToBorder,
                n => return Err(unsupported(format!("S# field {name} = {n}"))),
            };
        }
        use Compare::*;
        let compare =
            [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always][w.depth_compare_func() as usize];
        let filters = [w.xy_mag_filter(), w.xy_min_filter()];
        Self::anisotropy(&w, filters, &c)?;
        c.off("MC_COORD_TRUNC", w.mc_coord_trunc())?;
        c.off("FILTER_MODE", w.filter_mode())?;
        if rules.generation != GFX8 {
            c.zero("[31] of word 0", w.compat_mode())?;
        }
        Self::word2(&w, &c)?;
        let [mag, min] = filters.map(|f| if f & 1 == 1 { Filter::Linear } else { Filter::Nearest });
        let mip = w.mip_filter();
        c.not(mip == 3, "MIP_FILTER", mip)?;
        let sampler = Sampler {
            wrap,
            mag,
            min,
            mip: if mip == 2 { Filter::Linear } else { Filter::Nearest },
            lod_min: w.min_lod() as f32 / 256.0,
            lod_max: w.max_lod() as f32 / 256.0,
            lod_bias: ((w.lod_bias() << 18) as i32 >> 18) as f32 / 256.0,
            compare: Some(compare),
            border: Self::border(&w, wrap.contains(&Wrap::ClampToBorder), &c)?,
            seamless: w.disable_cube_wrap() == 0,
            precision: Precision {
                weight_bits: Some(8),
                lod_bits: Some(8),
                nearest: match w.trunc_coord() {
                    0 => NearestRounding::Round,
                    _ => NearestRounding::Truncate,
                },
                ..Precision::default()
            },
        };
        Ok(Sampling {
            sampler,
            unnormalised: w.force_unnormalized() == 1,
            no_mip: mip == 0,
            degamma: w.force_degamma() == 1,
            upgraded_depth: w.upgraded_depth() == 1,
        })
    }

    /// More than one probe is not modelled: the ratio counts as 1. Without a filter that probes, its fields say nothing.
    fn anisotropy(w: &SamplerWords, filters: [u32; 2], c: &Check<'_>) -> Result<(), Trap> {
        let ratio = w.max_aniso_ratio();
        c.not(ratio > 4, "MAX_ANISO_RATIO", ratio)?;
        if filters.iter().all(|f| *f < 2) {
            c.unused("MAX_ANISO_RATIO", ratio)?;
            c.unused("ANISO_THRESHOLD", w.aniso_threshold())?;
            c.unused("ANISO_BIAS", w.aniso_bias())?;
            c.unused("PERF_MIP", w.perf_mip())?;
        }
        c.unused("PERF_Z", w.perf_z())
    }

    fn word2(w: &SamplerWords, c: &Check<'_>) -> Result<(), Trap> {
        c.off("LOD_BIAS_SEC", w.lod_bias_sec())?;
        // Drivers leave it 0 and get the filter of x and y.
        c.off("Z_FILTER", w.z_filter())?;
        c.off("MIP_POINT_PRECLAMP", w.mip_point_preclamp())?;
        if (w.disable_lsb_ceil(), w.filter_prec_fix()) != (1, 1) {
            return Err(unsupported("S# without DISABLE_LSB_CEIL and FILTER_PREC_FIX"));
        }
        match c.rules.generation {
            GFX8 => c.unused("ANISO_OVERRIDE", w.aniso_override()),
            _ => c.zero("[31] of word 2", w.aniso_override()),
        }
    }

    fn border(w: &SamplerWords, used: bool, c: &Check<'_>) -> Result<[u32; 4], Trap> {
        let kind = w.border_color_type();
        if !used {
            c.unused("BORDER_COLOR_PTR", w.border_color_ptr())?;
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
