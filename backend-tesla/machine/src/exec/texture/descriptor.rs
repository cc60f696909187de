//! Texture and sampler descriptors as the texture unit reads them (`graphics-tesla.md` 2). Reserved bits, and values of which nobody
//! knows what they do, trap and name the field.

use gpucc_isa::fail_if;
use gpucc_sim::texture::{Compare, Dim, Filter, NearestRounding, Precision, Sampler, TexelAt, Texels, View, Wrap};
use gpucc_sim::trap::{Trap, TrapKind, out_of_bounds, unsupported};

use super::format::Texel;

gpucc_sim::words! {
    /// Words of a TIC.
    pub(super) struct TextureWords[8] = "TIC", the rest reserved {
        SIZES sizes: 0[0..6];
        TYPE_R type_r: 0[6..9];
        TYPE_G type_g: 0[9..12];
        TYPE_B type_b: 0[12..15];
        TYPE_A type_a: 0[15..18];
        SOURCE_X source_x: 0[18..21];
        SOURCE_Y source_y: 0[21..24];
        SOURCE_Z source_z: 0[24..27];
        SOURCE_W source_w: 0[27..30];
        ADDRESS address: 1[0..32];
        ADDRESS_HIGH address_high: 2[0..8];
        SRGB srgb: 2[10..11];
        QUALITY quality: 2[12..14];
        TARGET target: 2[14..18];
        LINEAR linear: 2[18..19];
        TILE_WIDTH tile_width: 2[19..22];
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
        WORD_6 word_6: 6[0..32];
        FIRST first: 7[0..4];
        LAST last: 7[4..8];
    }
}

gpucc_sim::words! {
    /// Words of a TSC.
    pub(super) struct SamplerWords[8] = "TSC", the rest reserved {
        WRAP_U wrap_u: 0[0..3];
        WRAP_V wrap_v: 0[3..6];
        WRAP_P wrap_p: 0[6..9];
        COMPARE compare: 0[9..10];
        FUNCTION function: 0[10..13];
        SRGB srgb: 0[13..14];
        FIXED fixed: 0[14..20];
        ANISOTROPY anisotropy: 0[20..23];
        MAG mag: 1[0..2];
        MIN min: 1[4..6];
        MIP mip: 1[6..8];
        BIAS bias: 1[12..25];
        TRILINEAR trilinear: 1[26..31];
        MIN_LOD min_lod: 2[0..12];
        MAX_LOD max_lod: 2[12..24];
        BORDER_R border_r: 2[24..32];
        BORDER_G border_g: 3[12..20];
        BORDER_B border_b: 3[20..28];
        RED red: 4[0..32];
        GREEN green: 5[0..32];
        BLUE blue: 6[0..32];
        ALPHA alpha: 7[0..32];
    }
}

fn reserved(what: &str, field: &str, value: u32) -> Trap {
    Trap::new(TrapKind::Reserved, format!("{what} field {field} has the value {value:#x}"))
}

/// A level of a texture.
#[derive(Clone, Copy, Debug)]
struct Level {
    size: [u32; 3],
    /// Tiles of a row, bytes of a slice of tiles.
    row: u64,
    slice: u64,
    /// Rows and slices of a tile as powers of two.
    rows: u32,
    slices: u32,
    start: u64,
}

/// The fields of a TIC.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    base: u64,
    pub format: Texel,
    /// Where each component comes from: 0, 1 of either sort, or a component.
    sources: [u32; 4],
    pub dim: Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    pub multisampled: bool,
    /// Whether coordinates are from 0 to 1.
    pub normalised: bool,
    levels: Vec<Level>,
    first: u32,
    last: u32,
    /// Layers; of cubes six for each.
    pub layers: u32,
    layer_stride: u64,
    pub integer: bool,
}

impl Texture {
    /// Reads the words, on a generation.
    pub fn read(w: [u32; 8], generation: u8) -> Result<Texture, Trap> {
        let w = TextureWords(w);
        fail_if!(w == TextureWords::default(), out_of_bounds("the texture is not bound: its TIC is empty"));
        w.reserved()?;
        let one = [("VERSION", w.version()), ("QUALITY", w.quality()), ("PROMOTION", w.promotion())];
        for (field, value) in one.into_iter().chain([("BORDER_FROM_SAMPLER", w.border_from_sampler())]) {
            fail_if!(value != 1, reserved("TIC", field, value));
        }
        fail_if!(w.linear() == 1, unsupported("textures without tiles"));
        fail_if!(w.tile_width() != 0, reserved("TIC", "TILE_WIDTH", w.tile_width()));
        fail_if!(w.pitch() != 0x0030_0000, reserved("TIC", "PITCH", w.pitch()));
        let format = Texel::of(w.sizes(), [w.type_r(), w.type_g(), w.type_b(), w.type_a()], w.srgb() == 1, generation)?;
        let sources = [w.source_x(), w.source_y(), w.source_z(), w.source_w()];
        fail_if!(sources.contains(&1), reserved("TIC", "SOURCE", 1));
        let (dim, arrayed) = match w.target() {
            0 => (Dim::D1, false),
            1 | 7 => (Dim::D2, false),
            2 => (Dim::D3, false),
            3 => (Dim::Cube, false),
            4 => (Dim::D1, true),
            5 => (Dim::D2, true),
            8 if generation >= 3 => (Dim::Cube, true),
            6 => return Err(unsupported("buffer textures")),
            n => return Err(reserved("TIC", "TARGET", n)),
        };
        let multisampled = w.target() == 7;
        if !(w.word_6() == 0x0300_0000 || multisampled && w.word_6() == 0x8800_0000) {
            return Err(reserved("TIC", "of word 6", w.word_6()));
        }
        let size = [w.width(), w.height(), w.depth()];
        fail_if!(size.contains(&0) || size[0] > 1 << 15, reserved("TIC", "WIDTH, HEIGHT or DEPTH", 0));
        if (dim == Dim::D1 && size[1] != 1) || (dim == Dim::Cube && size[0] != size[1]) {
            return Err(reserved("TIC", "HEIGHT", size[1]));
        }
        fail_if!(matches!(w.target(), 0 | 1 | 3 | 7) && size[2] != 1, reserved("TIC", "DEPTH", size[2]));
        let (first, last) = if generation == 0 { (0, w.last_level()) } else { (w.first(), w.last()) };
        fail_if!(generation == 0 && w.0[7] != 0, reserved("TIC", "of word 7", w.0[7]));
        fail_if!(first > last || last > w.last_level() || (multisampled && last > 0), reserved("TIC", "LAST", last));
        let mut t = Texture {
            base: u64::from(w.address_high()) << 32 | u64::from(w.address()),
            format,
            sources,
            dim,
            arrayed,
            multisampled,
            normalised: w.normalised() == 1,
            levels: Vec::new(),
            first,
            last,
            layers: match dim {
                Dim::D3 => 1,
                Dim::Cube => 6 * size[2],
                _ => size[2],
            },
            layer_stride: 0,
            integer: sources.iter().any(|&s| s > 1 && s < 6 && format.integer(s as usize - 2)),
        };
        t.lay_out(size, w.last_level(), [w.tile_height(), w.tile_depth()])?;
        Ok(t)
    }

    /// Levels one behind the other, in tiles that are no larger than those of the first and no higher than a level needs.
    fn lay_out(&mut self, size: [u32; 3], last: u32, tile: [u32; 2]) -> Result<(), Trap> {
        let three = self.dim == Dim::D3;
        let mut start = 0;
        for n in 0..=last {
            let [w, h, d] = size.map(|s| (s >> n).max(1));
            let d = if three { d } else { 1 };
            let rows = (0..4).find(|&t| h <= 4 << t).unwrap_or(4).min(if three { 2 } else { 4 });
            let slices = (0..5).find(|&t| d <= 1 << t).unwrap_or(5);
            if n == 0 && [rows, slices] != tile {
                return Err(reserved("TIC", "TILE_HEIGHT or TILE_DEPTH", tile[0] | tile[1] << 3));
            }
            let row = u64::from((w * self.format.bytes).div_ceil(64));
            let slice = (row * u64::from(h.div_ceil(4 << rows))) << (8 + rows + slices);
            self.levels.push(Level { size: [w, h, d], row, slice, rows: 2 + rows, slices, start });
            start += slice * u64::from(d.div_ceil(1 << slices));
        }
        self.layer_stride = start.next_multiple_of(256 << (tile[0] + tile[1]));
        Ok(())
    }

    /// Levels of the view.
    pub fn level_count(&self) -> u32 {
        self.last - self.first + 1
    }

    /// Width, height and depth of a level of the view.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.levels[(self.first + level) as usize].size
    }

    /// Address of a texel of the view.
    pub fn address(&self, TexelAt { level, layer, x, y, .. }: TexelAt) -> u64 {
        let l = &self.levels[(self.first + level) as usize];
        let (slice, layer) = if self.dim == Dim::D3 { (layer, 0) } else { (0, layer) };
        let x = u64::from(x) * u64::from(self.format.bytes);
        let inside = |v: u32, bits: u32| u64::from(v) & ((1 << bits) - 1);
        let tile = u64::from(y >> l.rows) * l.row + (x >> 6);
        let row = inside(slice, l.slices) << l.rows | inside(y, l.rows);
        let at = u64::from(slice >> l.slices) * l.slice + (tile << (6 + l.rows + l.slices)) + (row << 6) + (x & 63);
        self.base + u64::from(layer) * self.layer_stride + l.start + at
    }

    /// The components of a texel as an instruction gets them.
    pub fn selected(&self, texel: [u32; 4]) -> [u32; 4] {
        self.sources.map(|s| match s {
            0 => 0,
            6 => 1,
            7 => 1f32.to_bits(),
            k => texel[k as usize - 2],
        })
    }

    /// The state that samplers read.
    pub fn view<'a>(&self, texels: &'a dyn Texels) -> View<'a> {
        View {
            dim: self.dim,
            size: self.level_size(0),
            levels: self.level_count(),
            layers: self.layers,
            samples: 1,
            integer: self.integer,
            fixed_depth: self.format.fraction(),
            texels,
        }
    }
}

/// The fields of a TSC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub sampler: Sampler,
    /// Whether levels behind the first are not read.
    pub one_level: bool,
    /// Whether sRGB codes are decoded.
    pub srgb: bool,
}

impl Sampling {
    /// Reads the words, on a generation.
    pub fn read(w: [u32; 8], generation: u8) -> Result<Sampling, Trap> {
        let w = SamplerWords(w);
        fail_if!(w == SamplerWords::default(), out_of_bounds("the sampler is not bound: its TSC is empty"));
        w.reserved()?;
        fail_if!(w.fixed() != 0x24000 >> 14, reserved("TSC", "[19:14] of word 0", w.fixed()));
        fail_if!(w.anisotropy() != 0 || w.trilinear() != 0, unsupported("anisotropic filters"));
        let wrap = |field: &str, v: u32| {
            Ok(match v {
                0 => Wrap::Repeat,
                1 => Wrap::MirrorRepeat,
                2 => Wrap::ClampToEdge,
                3 => Wrap::ClampToBorder,
                5 => Wrap::MirrorClampToEdge,
                4 => return Err(unsupported("wrap mode 4, half to the border")),
                v => return Err(reserved("TSC", field, v)),
            })
        };
        let filter = |field: &str, v: u32| match v {
            1 => Ok(Filter::Nearest),
            2 => Ok(Filter::Linear),
            v => Err(reserved("TSC", field, v)),
        };
        let (one_level, mip) = match w.mip() {
            1 => (true, Filter::Nearest),
            2 => (false, Filter::Nearest),
            3 => (false, Filter::Linear),
            v => return Err(reserved("TSC", "MIP", v)),
        };
        use Compare::*;
        let compare =
            [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always][w.function() as usize & 7];
        let lod = |v: u32| v as f32 / 256.0;
        let sampler = Sampler {
            wrap: [wrap("WRAP_U", w.wrap_u())?, wrap("WRAP_V", w.wrap_v())?, wrap("WRAP_P", w.wrap_p())?],
            mag: filter("MAG", w.mag())?,
            min: filter("MIN", w.min())?,
            mip,
            lod_min: lod(w.min_lod()),
            lod_max: lod(w.max_lod()),
            lod_bias: ((w.bias() << 19) as i32 >> 19) as f32 / 256.0,
            compare: (w.compare() == 1).then_some(compare),
            border: [w.red(), w.green(), w.blue(), w.alpha()],
            seamless: generation >= 2,
            precision: Precision {
                weight_bits: Some(8),
                lod_bits: Some(8),
                nearest: NearestRounding::Truncate,
                ..Precision::default()
            },
        };
        Ok(Sampling { sampler, one_level, srgb: w.srgb() == 1 })
    }
}
