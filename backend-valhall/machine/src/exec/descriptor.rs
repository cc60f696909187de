//! Descriptors as the units read them (`isa/graphics-valhall.md`, section b). Reserved bits trap and name the field.

use gpucc_isa::fail_if;
use gpucc_sim::texture::{Compare, Dim, Filter, NearestRounding, Precision, Sampler, TexelAt, Wrap};
use gpucc_sim::trap::{Trap, out_of_bounds, reserved, unsupported};

use super::format::Code;
use super::image::immediate_handle;
use crate::abi;

/// Bytes of a descriptor.
pub(super) const DESCRIPTOR: u64 = 32;

/// Types of descriptors.
pub(super) const SAMPLER: u32 = 1;
pub(super) const TEXTURE: u32 = 2;
pub(super) const ATTRIBUTE: u32 = 5;
pub(super) const BUFFER: u32 = 9;
const PLANE: u32 = 10;
const PROGRAM: u32 = 8;

/// Stages of program descriptors.
const STAGE_FRAGMENT: u32 = 2;
const STAGE_VERTEX: u32 = 3;

gpucc_sim::words! {
    /// An entry of the table of tables.
    pub(super) struct TableWords[4] = "table", the rest reserved {
        ADDRESS address: 0[0..32];
        ADDRESS_HI address_hi: 1[0..24];
        DESCRIPTORS descriptors: 1[24..25];
        SIZE size: 2[0..32];
    }
}

gpucc_sim::words! {
    /// A buffer.
    pub(super) struct BufferWords[8] = "buffer", the rest reserved {
        TYPE kind: 0[0..4];
        BUFFER_TYPE buffer_type: 0[4..8];
        SIZE size: 1[0..32];
        ADDRESS address: 2[0..32];
        ADDRESS_HI address_hi: 3[0..32];
    }
}

gpucc_sim::words! {
    /// A texture.
    struct TextureWords[8] = "texture", the rest reserved {
        TYPE kind: 0[0..4];
        DIMENSION dimension: 0[4..6];
        FORMAT format: 0[10..32];
        WIDTH width: 1[0..16] minus 1;
        HEIGHT height: 1[16..32] minus 1;
        SWIZZLE swizzle: 2[0..12];
        INTERLEAVED interleaved: 2[12..13];
        LEVELS levels: 2[16..21] minus 1;
        MINIMUM_LEVEL minimum_level: 2[24..29];
        MINIMUM_LOD minimum_lod: 3[0..13];
        SAMPLES samples: 3[13..16];
        MAXIMUM_LOD maximum_lod: 3[16..29];
        PLANES planes: 4[0..32];
        PLANES_HI planes_hi: 5[0..32];
        LAYERS layers: 6[0..16] minus 1;
        DEPTH depth: 7[0..16] minus 1;
    }
}

gpucc_sim::words! {
    /// A plane: the texels of one layer of one level.
    struct PlaneWords[8] = "plane", the rest reserved {
        TYPE kind: 0[0..4];
        PLANE_TYPE plane_type: 0[4..8];
        ORDER order: 0[8..12];
        CLUMP clump: 0[24..32];
        SIZE size: 1[0..32];
        ADDRESS address: 2[0..32];
        ADDRESS_HI address_hi: 3[0..32];
        ROW_STRIDE row_stride: 4[0..32];
        SLICE_STRIDE slice_stride: 6[0..32];
        EXTENT extent: 7[0..32];
    }
}

gpucc_sim::words! {
    /// A sampler.
    struct SamplerWords[8] = "sampler", the rest reserved {
        TYPE kind: 0[0..4];
        REDUCTION reduction: 0[4..6];
        WRAP_R wrap_r: 0[8..12];
        WRAP_T wrap_t: 0[12..16];
        WRAP_S wrap_s: 0[16..20];
        ROUND round: 0[21..22];
        IGNORE_SRGB ignore_srgb: 0[22..23];
        SEAMLESS seamless: 0[23..24];
        CLAMP_COORDINATES clamp_coordinates: 0[24..25];
        NORMALISED normalised: 0[25..26];
        CLAMP_LAYERS clamp_layers: 0[26..27];
        MIN_NEAREST min_nearest: 0[27..28];
        MAG_NEAREST mag_nearest: 0[28..29];
        MIP mip: 0[30..32];
        MINIMUM_LOD minimum_lod: 1[0..13];
        COMPARE compare: 1[13..16];
        MAXIMUM_LOD maximum_lod: 1[16..29];
        BIAS bias: 2[0..16];
        ANISOTROPY anisotropy: 2[16..21] minus 1;
        LOD_ALGORITHM lod_algorithm: 2[24..26];
        BORDER_R border_r: 4[0..32];
        BORDER_G border_g: 5[0..32];
        BORDER_B border_b: 6[0..32];
        BORDER_A border_a: 7[0..32];
    }
}

gpucc_sim::words! {
    /// An attribute.
    struct AttributeWords[8] = "attribute", the rest reserved {
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
    /// An attribute that is a varying: part of a packet of a vertex.
    struct PacketWords[8] = "varying", the rest reserved {
        TYPE kind: 0[0..4];
        ATTRIBUTE_TYPE attribute_type: 0[4..8];
        FORMAT format: 0[10..32];
        TABLE table: 1[0..6];
        OFFSET offset: 2[0..32];
        BUFFER buffer: 3[0..32];
        ATTRIBUTE_STRIDE attribute_stride: 4[0..16];
        PACKET_STRIDE packet_stride: 4[16..32];
    }
}

gpucc_sim::words! {
    /// The treatment of a colour.
    struct BlendWords[4] = "blend", the rest reserved {
        READS reads: 0[0..1];
        ALPHA_TO_ONE alpha_to_one: 0[8..9];
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
        RAW raw: 3[22..23];
        REGISTER register: 3[24..27];
    }
}

gpucc_sim::words! {
    /// A shader program: what of it is not the address of the code.
    struct ProgramWords[2] = "program", the rest reserved {
        TYPE kind: 0[0..4];
        STAGE stage: 0[4..8];
        VARIANT variant: 0[8..10];
        SUPPRESS_NAN suppress_nan: 0[16..17];
        FLUSH flush: 0[17..19];
        SUPPRESS_INF suppress_inf: 0[19..20];
        HELPERS helpers: 0[28..29];
        CALLS calls: 0[29..30];
        REGISTERS registers: 0[30..32];
        PRELOAD preload: 1[0..16];
    }
}

/// Launch state from a program descriptor.
pub(super) struct ProgramSetup {
    /// Whether whole quads run.
    pub helpers: bool,
    /// Whether registers from 16 to 47 are missing.
    pub small_file: bool,
    pub flush: u32,
    /// Registers that are loaded, from r48.
    pub preload: u16,
}

/// Coverage and samples, which are loaded into r60 and r61 of every fragment program (reference, 8.1).
const BLENDED: u32 = 0x3000;

impl ProgramSetup {
    /// The descriptor of a fragment program, or of one of vertices.
    pub(super) fn read(words: [u32; 2], fragment: bool) -> Result<ProgramSetup, Trap> {
        let w = ProgramWords(words);
        w.reserved()?;
        for (field, value, wanted) in
            [("TYPE", w.kind(), PROGRAM), ("STAGE", w.stage(), if fragment { STAGE_FRAGMENT } else { STAGE_VERTEX })]
        {
            fail_if!(value != wanted, bad("program", field, value));
        }
        // Of fragments the kind of coverage: that of GL. Of vertices how many warps run.
        fail_if!(fragment && w.variant() != 1, unsupported(format!("program field COVERAGE = {}", w.variant())));
        if !fragment && (w.variant() == 3 || w.helpers() == 1) {
            return Err(bad("program", "VARIANT or HELPERS", w.variant()));
        }
        if w.suppress_nan() + w.suppress_inf() + w.calls() != 0 {
            return Err(unsupported("program fields SUPPRESS_NAN, SUPPRESS_INF, CALLS"));
        }
        // The reference says what r57 to r62 hold in fragments, r59 to r62 in vertices, and of the others nothing.
        let known = if fragment { 0x7e00 } else { 0x7800 };
        fail_if!(w.preload() & !known != 0, unsupported(format!("program field PRELOAD = {:#x}", w.preload())));
        // Whoever blends needs coverage and samples.
        fail_if!(fragment && w.preload() & BLENDED != BLENDED, bad("program", "PRELOAD", w.preload()));
        let small_file = match w.registers() {
            0 => false,
            2 => true,
            n => return Err(bad("program", "REGISTERS", n)),
        };
        Ok(ProgramSetup { helpers: w.helpers() == 1, small_file, flush: w.flush(), preload: w.preload() as u16 })
    }
}

/// An attribute that a descriptor describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub format: Code,
    /// The format as a descriptor has it.
    pub word: u32,
    /// Handle of its buffer.
    pub buffer: u32,
    pub offset: u64,
    pub stride: u64,
    /// Whether elements belong to instances.
    pub of_instance: bool,
}

impl Attribute {
    pub(super) fn read(words: [u32; 8]) -> Result<Attribute, Trap> {
        let w = AttributeWords(words);
        w.reserved()?;
        if w.attribute_type() != 1 {
            return Err(unsupported(format!("attribute field ATTRIBUTE_TYPE = {}", w.attribute_type())));
        }
        let of_instance = match w.frequency() {
            0 => false,
            1 => true,
            n => return Err(bad("attribute", "FREQUENCY", n)),
        };
        fail_if!((w.offset_enable() == 1) == of_instance, bad("attribute", "OFFSET_ENABLE", w.offset_enable()));
        Ok(Attribute {
            format: Code::of(w.format())?,
            word: w.format(),
            buffer: w.table() << 24 | w.buffer(),
            offset: w.offset().into(),
            stride: w.stride().into(),
            of_instance,
        })
    }
}

/// A varying that a descriptor describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub format: Code,
    /// Bytes of a component.
    pub size: u32,
    /// Byte of the record.
    pub offset: u32,
    /// Bytes from record to record, without the position and with it.
    pub strides: [u32; 2],
}

/// The kind of attributes that are varyings.
const VERTEX_PACKET: u32 = 6;
/// The offset of the first varying.
const VARYINGS: u32 = 1024;

impl Packet {
    /// Varyings are those of the buffer of the records.
    pub(super) fn read(words: [u32; 8]) -> Result<Packet, Trap> {
        let w = PacketWords(words);
        fail_if!(w.attribute_type() != VERTEX_PACKET, bad("varying", "ATTRIBUTE_TYPE", w.attribute_type()));
        w.reserved()?;
        if w.table() << 24 | w.buffer() != immediate_handle(abi::RECORDS, 0) {
            return Err(bad("varying", "TABLE or BUFFER", w.buffer()));
        }
        let format = Code::of(w.format())?;
        // 32-bit floats, halves, 32-bit integers.
        let size = match w.format() >> 12 & 0xff {
            0xa7 | 0xaf | 0xb7 | 0xbf | 0x85 | 0x8d | 0x95 | 0x9d | 0xc5 | 0xcd | 0xd5 | 0xdd => 4,
            0xc7 | 0xcf | 0xdf => 2,
            _ => return Err(unsupported(format!("varying field FORMAT = {:#x}", w.format()))),
        };
        let offset = w.offset().checked_sub(VARYINGS).ok_or_else(|| bad("varying", "OFFSET", w.offset()))?;
        Ok(Packet { format, size, offset, strides: [w.attribute_stride(), w.packet_stride()] })
    }
}

/// The treatment of a colour, as a descriptor says it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blending {
    /// Whether the draw has such a descriptor.
    pub there: bool,
    /// Whether it goes anywhere.
    pub on: bool,
    /// Whether the target has no part in what it becomes.
    pub opaque: bool,
    /// Number of the colour target.
    pub target: u8,
    /// The words that programs see.
    pub internal: u64,
    /// Whether the target holds integers, and whether they have a sign.
    pub integer: bool,
    pub signed: bool,
}

/// The mode of a colour that replaces the target's.
const OPAQUE: u32 = 1;

/// The tile's own code of four components of eight bits.
const TILE_RGBA8: u32 = 0xed;

impl Blending {
    pub(super) fn read(words: [u32; 4]) -> Result<Blending, Trap> {
        let w = BlendWords(words);
        w.reserved()?;
        let on = match w.mode() {
            1 | 2 => true,
            3 => false,
            _ => return Err(unsupported("blend shaders")),
        };
        if w.raw() != 0 || w.register() != 0 || w.alpha_to_one() != 0 {
            return Err(unsupported("blend fields RAW, REGISTER, ALPHA_TO_ONE"));
        }
        // Targets hold what is blended as often as it is; more bits in between would show.
        fail_if!(on && w.round() != 1, unsupported("blend field ROUND = 0"));
        let code = match w.format() >> 12 & 0xff {
            _ if !on => None,
            TILE_RGBA8 => None,
            _ => Some(Code::of(w.format())?),
        };
        Ok(Blending {
            there: true,
            on,
            opaque: w.mode() == OPAQUE,
            target: w.target() as u8,
            internal: u64::from(words[3]) << 32 | u64::from(words[2]),
            integer: code.is_some_and(Code::integer),
            signed: code.is_some_and(Code::signed),
        })
    }
}

/// Traps on a value that the reference gives no meaning.
pub(super) fn bad(what: &str, field: &str, value: u32) -> Trap {
    reserved(format!("{what} field {field} has the value {value:#x}"))
}

/// Unsigned with eight bits of fraction.
fn lod(v: u32) -> f32 {
    v as f32 / 256.0
}

/// A buffer that a descriptor describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    pub base: u64,
    pub size: u64,
}

impl Buffer {
    pub(super) fn read(words: [u32; 8]) -> Result<Buffer, Trap> {
        let w = BufferWords(words);
        w.reserved()?;
        fail_if!(w.buffer_type() != 1, bad("buffer", "BUFFER_TYPE", w.buffer_type()));
        Ok(Buffer { base: u64::from(w.address_hi()) << 32 | u64::from(w.address()), size: w.size().into() })
    }
}

/// Where the texels of a layer of a level lie.
#[derive(Clone, Copy, Debug)]
struct Plane {
    address: u64,
    size: u64,
    tiled: bool,
    row_stride: u64,
    slice_stride: u64,
}

/// Texels of the side of a tile.
const TILE: u32 = 16;

impl Plane {
    fn read(words: [u32; 8], generation: u8, bytes: u32, size: [u32; 3]) -> Result<Plane, Trap> {
        let w = PlaneWords(words);
        w.reserved()?;
        fail_if!(w.kind() != PLANE, bad("plane", "TYPE", w.kind()));
        fail_if!(w.plane_type() != 1, unsupported(format!("plane field PLANE_TYPE = {}", w.plane_type())));
        let tiled = match w.order() {
            1 => true,
            2 => false,
            n => return Err(unsupported(format!("plane field ORDER = {n}"))),
        };
        fail_if!(1u32.checked_shl(w.clump()) != Some(bytes), bad("plane", "CLUMP", w.clump()));
        // Sizes of levels are there from v10 on.
        let extent = if generation == 0 { 0 } else { (size[0] - 1) | (size[1] - 1) << 16 };
        fail_if!(w.extent() != extent, bad("plane", "EXTENT", w.extent()));
        Ok(Plane {
            address: u64::from(w.address_hi()) << 32 | u64::from(w.address()),
            size: w.size().into(),
            tiled,
            row_stride: w.row_stride().into(),
            slice_stride: w.slice_stride().into(),
        })
    }

    /// Byte of a texel of so many bytes.
    fn offset(&self, slice: u32, x: u32, y: u32, bytes: u32) -> u64 {
        let at = u64::from(slice) * self.slice_stride;
        if !self.tiled {
            return at + u64::from(y) * self.row_stride + u64::from(x) * u64::from(bytes);
        }
        let (tx, ty) = (x % TILE, y % TILE);
        let texel = (0..4).fold(0, |n, k| n | ((tx ^ ty) >> k & 1) << (2 * k) | (ty >> k & 1) << (2 * k + 1));
        let tile = u64::from(x / TILE) * u64::from(TILE * TILE) + u64::from(texel);
        at + u64::from(y / TILE) * self.row_stride + tile * u64::from(bytes)
    }
}

/// A texture that a descriptor describes.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    pub dim: Dim,
    pub format: Code,
    /// The words of its format, as stores take them.
    pub format_word: u32,
    pub size: [u32; 3],
    pub levels: u32,
    /// Number of layers; of cubes six for each.
    pub layers: u32,
    pub samples: u32,
    swizzle: [u8; 4],
    planes: Vec<Plane>,
}

impl Texture {
    /// `load` gives the words at an address.
    pub(super) fn read(
        words: [u32; 8],
        generation: u8,
        load: impl Fn(u64) -> Result<[u32; 8], Trap>,
    ) -> Result<Texture, Trap> {
        let w = TextureWords(words);
        w.reserved()?;
        let dim = [Dim::Cube, Dim::D1, Dim::D2, Dim::D3][w.dimension() as usize];
        let format = Code::of(w.format())?;
        // All levels are there; which filter counts is the sampler's matter.
        if w.minimum_level() != 0 || w.minimum_lod() != 0 || w.maximum_lod() != (w.levels() - 1) << 8 {
            return Err(unsupported("texture fields MINIMUM_LEVEL, MINIMUM_LOD, MAXIMUM_LOD"));
        }
        let swizzle = [0, 3, 6, 9].map(|at| (w.swizzle() >> at & 7) as u8);
        if let Some(&s) = swizzle.iter().find(|&&s| s > 5) {
            return Err(bad("texture", "SWIZZLE", s.into()));
        }
        if w.samples() > 4 || w.samples() > 0 && (dim != Dim::D2 || w.levels() > 1) {
            return Err(bad("texture", "SAMPLES", w.samples()));
        }
        let wrong = match dim {
            Dim::D1 => w.height() != 1 || w.depth() != 1,
            Dim::D2 | Dim::Cube => w.depth() != 1,
            Dim::D3 => w.layers() != 1,
        };
        if wrong || dim == Dim::Cube && w.width() != w.height() {
            return Err(reserved("texture has a size in a direction that its dimension lacks"));
        }
        let size = [w.width(), w.height(), w.depth()];
        let layers = w.layers() * if dim == Dim::Cube { 6 } else { 1 };
        let mut t = Texture {
            dim,
            format,
            format_word: w.format(),
            size,
            levels: w.levels(),
            layers,
            samples: 1 << w.samples(),
            swizzle,
            planes: Vec::new(),
        };
        let at = u64::from(w.planes_hi()) << 32 | u64::from(w.planes());
        let bytes = format.bytes();
        for k in 0..layers * t.levels {
            let level = k % t.levels;
            let of_level = t.level_size(level);
            let p = Plane::read(load(at + DESCRIPTOR * u64::from(k))?, generation, bytes, of_level)?;
            fail_if!(p.tiled != (w.interleaved() == 1), bad("texture", "INTERLEAVED", w.interleaved()));
            let slice = if dim == Dim::D3 { of_level[2] } else { t.samples } - 1;
            let last = p.offset(slice, of_level[0] - 1, of_level[1] - 1, bytes) + u64::from(bytes);
            if last > p.size {
                let what = format!("plane of {} bytes, its last texel ends at {last}", p.size);
                return Err(out_of_bounds(what));
            }
            t.planes.push(p);
        }
        Ok(t)
    }

    /// Width, height and depth of a level.
    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|s| (s >> level).max(1))
    }

    /// Address of a texel in range: level, layer or slice, column, row, sample.
    pub(super) fn address(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let (plane, slice) = if self.dim == Dim::D3 { (level, layer) } else { (layer * self.levels + level, sample) };
        let p = &self.planes[plane as usize];
        p.address + p.offset(slice, x, y, self.format.bytes())
    }

    /// A texel behind the selection of components.
    pub(super) fn selected(&self, texel: [u32; 4]) -> [u32; 4] {
        self.swizzle.map(|s| match s {
            4 => 0,
            5 => self.format.one(),
            k => texel[usize::from(k)],
        })
    }
}

/// The fields of a sampler descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub sampler: Sampler,
    /// Coordinates count sizes, not texels.
    pub normalised: bool,
    pub ignore_srgb: bool,
}

fn wrap(field: &str, n: u32) -> Result<Wrap, Trap> {
    Ok(match n {
        8 => Wrap::Repeat,
        9 => Wrap::ClampToEdge,
        11 => Wrap::ClampToBorder,
        12 => Wrap::MirrorRepeat,
        13 => Wrap::MirrorClampToEdge,
        n => return Err(bad("sampler", field, n)),
    })
}

impl Sampling {
    pub(super) fn read(words: [u32; 8], generation: u8) -> Result<Sampling, Trap> {
        let w = SamplerWords(words);
        w.reserved()?;
        if w.reduction() != 0 {
            return Err(match generation {
                0 => bad("sampler", "REDUCTION", w.reduction()),
                _ => unsupported("sampler field REDUCTION"),
            });
        }
        if w.anisotropy() != 1 || w.lod_algorithm() != 0 {
            return Err(unsupported("sampler fields ANISOTROPY, LOD_ALGORITHM"));
        }
        let filter = |nearest: u32| if nearest == 1 { Filter::Nearest } else { Filter::Linear };
        let (min, mag) = (filter(w.min_nearest()), filter(w.mag_nearest()));
        let mut lod_max = lod(w.maximum_lod());
        let mip = match w.mip() {
            0 => Filter::Nearest,
            3 => Filter::Linear,
            1 => {
                // Only the first level is read.
                lod_max = lod_max.min(0.0);
                Filter::Nearest
            }
            n => return Err(bad("sampler", "MIP", n)),
        };
        // `texel FUNC reference`; the model says `reference FUNC texel`.
        use Compare::*;
        let compare =
            [Never, Greater, Equal, GreaterEqual, Less, NotEqual, LessEqual, Always][w.compare() as usize & 7];
        let sampler = Sampler {
            wrap: [wrap("WRAP_S", w.wrap_s())?, wrap("WRAP_T", w.wrap_t())?, wrap("WRAP_R", w.wrap_r())?],
            mag,
            min,
            mip,
            lod_min: lod(w.minimum_lod()),
            lod_max,
            lod_bias: f32::from(w.bias() as u16 as i16) / 256.0,
            compare: Some(compare),
            border: [w.border_r(), w.border_g(), w.border_b(), w.border_a()],
            seamless: w.seamless() == 1,
            precision: Precision {
                weight_bits: Some(8),
                lod_bits: Some(8),
                nearest: if w.round() == 1 { NearestRounding::Round } else { NearestRounding::Truncate },
                ..Precision::default()
            },
        };
        Ok(Sampling { sampler, normalised: w.normalised() == 1, ignore_srgb: w.ignore_srgb() == 1 })
    }
}
