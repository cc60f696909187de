//! Words of descriptors, as RADV writes them for these chips.

use gpucc_pipeline::{Code, Layout};
use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};
use gpucc_sim::{Trap, TrapKind};

gpucc_sim::words! {
    /// A texture descriptor (T#).
    pub struct TextureWords[8] = "T#" {
        BASE_ADDRESS base_address: 0[0..32];
        BASE_ADDRESS_HI base_address_hi: 1[0..8];
        MIN_LOD min_lod: 1[8..20];
        DATA_FORMAT data_format: 1[20..26];
        NUM_FORMAT num_format: 1[26..30];
        WIDTH width: 2[0..14] minus 1;
        HEIGHT height: 2[14..28] minus 1;
        PERF_MOD perf_mod: 2[28..31];
        DST_SEL dst_sel: 3[0..12];
        BASE_LEVEL base_level: 3[12..16];
        LAST_LEVEL last_level: 3[16..20];
        TILING_INDEX tiling_index: 3[20..25];
        POW2_PAD pow2_pad: 3[25..26];
        TYPE kind: 3[28..32];
        DEPTH depth: 4[0..13] minus 1;
        PITCH pitch: 4[13..27] minus 1;
        BASE_ARRAY base_array: 5[0..13];
        LAST_ARRAY last_array: 5[13..26];
    }
}

gpucc_sim::words! {
    /// A sampler descriptor (S#).
    pub struct SamplerWords[4] = "S#" {
        CLAMP_X clamp_x: 0[0..3];
        CLAMP_Y clamp_y: 0[3..6];
        CLAMP_Z clamp_z: 0[6..9];
        DEPTH_COMPARE_FUNC depth_compare_func: 0[12..15];
        TRUNC_COORD trunc_coord: 0[27..28];
        DISABLE_CUBE_WRAP disable_cube_wrap: 0[28..29];
        COMPAT_MODE compat_mode: 0[31..32];
        MIN_LOD min_lod: 1[0..12];
        MAX_LOD max_lod: 1[12..24];
        XY_MAG_FILTER xy_mag_filter: 2[20..22];
        XY_MIN_FILTER xy_min_filter: 2[22..24];
        MIP_FILTER mip_filter: 2[26..28];
        DISABLE_LSB_CEIL disable_lsb_ceil: 2[29..30];
        FILTER_PREC_FIX filter_prec_fix: 2[30..31];
        BORDER_COLOR_TYPE border_color_type: 3[30..32];
    }
}

gpucc_sim::words! {
    /// A buffer descriptor (V#).
    pub struct BufferWords[4] = "V#" {
        BASE_ADDRESS base_address: 0[0..32];
        BASE_ADDRESS_HI base_address_hi: 1[0..16];
        STRIDE stride: 1[16..30];
        NUM_RECORDS num_records: 2[0..32];
        DST_SEL dst_sel: 3[0..12];
        NUM_FORMAT num_format: 3[12..15];
        DATA_FORMAT data_format: 3[15..19];
    }
}

/// The differences between generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// gfx6 and gfx7.
    Older,
    /// gfx8.
    Gfx8,
}

impl Chip {
    /// The chip of a generation's name.
    pub fn of(generation: &str) -> Option<Chip> {
        match generation {
            "gfx6" | "gfx7" => Some(Chip::Older),
            "gfx8" => Some(Chip::Gfx8),
            _ => None,
        }
    }
}

/// The fields of a T#.
#[derive(Clone, Copy, Debug)]
pub struct TextureView {
    /// Where level 0 begins; of a storage view, its level.
    pub address: u64,
    /// Format of the view.
    pub format: Format,
    /// Dimension of the view.
    pub dim: Dim,
    /// Width, height and depth of level 0, or of a storage view's level.
    pub size: [u32; 3],
    /// Layers of the image.
    pub image_layers: u32,
    /// Levels of the image.
    pub image_levels: u32,
    /// Texels of a row at `address`.
    pub pitch: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// First level of the view.
    pub first_level: u32,
    /// Levels of the view.
    pub levels: u32,
    /// First layer of the view.
    pub first_layer: u32,
    /// Layers of the view.
    pub layers: u32,
}

/// DATA_FORMAT, NUM_FORMAT and DST_SEL.
fn numbers(format: Format) -> (u32, u32, u32) {
    const R: u32 = 0x204;
    const RG: u32 = 0x22c;
    const RGB: u32 = 0x3ac;
    const RGBA: u32 = 0xfac;
    const BGRA: u32 = 0xf2e;
    let number = |code| match code {
        Code::Unorm => 0,
        Code::Snorm => 1,
        Code::Uint => 4,
        Code::Sint => 5,
        Code::Float => 7,
        Code::Srgb => 9,
    };
    match format.layout() {
        Layout::Array(code, bits) => {
            // One, two or four components of 8, 16 or 32 bits.
            let (size, count) = (bits.ilog2() as usize - 3, format.components().ilog2() as usize);
            ([[1, 3, 10], [2, 5, 12], [4, 11, 14]][size][count], number(code), [R, RG, RGBA][count])
        }
        Layout::Bgra(code) => (10, number(code), BGRA),
        Layout::Rgb10a2(code) => (9, number(code), RGBA),
        Layout::Rg11b10 => (6, 7, RGB),
        Layout::Rgb9e5 => (34, 7, RGB),
        Layout::DepthUnorm(16) => (2, 0, R),
        Layout::DepthUnorm(_) => (20, 0, R),
        Layout::DepthFloat => (4, 7, R),
        Layout::Stencil => (1, 4, R),
    }
}

/// Index of the linear layout in the table of tile modes.
const LINEAR: u32 = 8;

/// A T# of an image in linear layout.
pub fn texture_words(v: &TextureView) -> [u32; 8] {
    let (data, number, select) = numbers(v.format);
    let array = v.image_layers > 1;
    let kind = match (v.dim, v.samples > 1) {
        (Dim::D1, _) => 8 + 4 * u32::from(array),
        (Dim::D2, false) => 9 + 4 * u32::from(array),
        (Dim::D2, true) => 14 + u32::from(array),
        (Dim::D3, _) => 10,
        (Dim::Cube, _) => 11,
    };
    let depth = match v.dim {
        Dim::D3 => v.size[2],
        Dim::Cube => v.image_layers / 6,
        _ => v.image_layers,
    };
    let (first, last) =
        if v.samples > 1 { (0, v.samples.ilog2()) } else { (v.first_level, v.first_level + v.levels - 1) };
    let (first_layer, last_layer) = match v.dim {
        Dim::D3 => (0, 0),
        _ => (v.first_layer, v.first_layer + v.layers - 1),
    };
    type T = TextureWords;
    T::default()
        .with(T::BASE_ADDRESS, (v.address >> 8) as u32)
        .with(T::BASE_ADDRESS_HI, (v.address >> 40) as u32)
        .with(T::DATA_FORMAT, data)
        .with(T::NUM_FORMAT, number)
        .with(T::WIDTH, v.size[0])
        .with(T::HEIGHT, v.size[1])
        .with(T::PERF_MOD, 4)
        .with(T::DST_SEL, select)
        .with(T::BASE_LEVEL, first)
        .with(T::LAST_LEVEL, last)
        .with(T::TILING_INDEX, LINEAR)
        .with(T::POW2_PAD, u32::from(v.image_levels > 1))
        .with(T::TYPE, kind)
        .with(T::DEPTH, depth)
        .with(T::PITCH, v.pitch)
        .with(T::BASE_ARRAY, first_layer)
        .with(T::LAST_ARRAY, last_layer)
        .0
}

/// DEPTH_COMPARE_FUNC.
fn compare_number(c: Compare) -> u32 {
    use Compare::*;
    let all = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
    (0..).zip(all).find(|n| n.1 == c).map_or(0, |n| n.0)
}

/// An S#.
///
/// # Errors
/// A border colour that needs a table.
pub fn sampler_words(chip: Chip, s: &Sampler) -> Result<[u32; 4], Trap> {
    let clamp = |w: Wrap| match w {
        Wrap::Repeat => 0,
        Wrap::MirrorRepeat => 1,
        Wrap::ClampToEdge => 2,
        Wrap::MirrorClampToEdge => 3,
        Wrap::ClampToBorder => 6,
    };
    let filter = |f: Filter| u32::from(f == Filter::Linear);
    // 4.8 fixed point of 0 to 15, truncated.
    let lod = |l: f32| (l.clamp(0.0, 15.0) * 256.0) as u32;
    let nearest = s.mag == Filter::Nearest && s.min == Filter::Nearest;
    let compare = s.compare.map_or(0, compare_number);
    let one = 1f32.to_bits();
    let border = match s.border {
        _ if !s.wrap.contains(&Wrap::ClampToBorder) => 0,
        [0, 0, 0, 0] => 0,
        [0, 0, 0, a] if a == one => 1,
        b if b == [one; 4] => 2,
        _ => return Err(Trap::new(TrapKind::Unsupported, "border colours other than black and white")),
    };
    type S = SamplerWords;
    Ok(S::default()
        .with(S::CLAMP_X, clamp(s.wrap[0]))
        .with(S::CLAMP_Y, clamp(s.wrap[1]))
        .with(S::CLAMP_Z, clamp(s.wrap[2]))
        .with(S::DEPTH_COMPARE_FUNC, compare)
        .with(S::TRUNC_COORD, nearest.into())
        .with(S::DISABLE_CUBE_WRAP, (!s.seamless).into())
        .with(S::COMPAT_MODE, (chip == Chip::Gfx8).into())
        .with(S::MIN_LOD, lod(s.lod_min))
        .with(S::MAX_LOD, lod(s.lod_max))
        .with(S::XY_MAG_FILTER, filter(s.mag))
        .with(S::XY_MIN_FILTER, filter(s.min))
        .with(S::MIP_FILTER, 1 + filter(s.mip))
        .with(S::DISABLE_LSB_CEIL, 1)
        .with(S::FILTER_PREC_FIX, 1)
        .with(S::BORDER_COLOR_TYPE, border)
        .0)
}

/// A V#; `records` are bytes or elements, whose format is a word of the number format.
fn v_words(address: u64, stride: u32, records: u32, number: u32) -> [u32; 4] {
    type V = BufferWords;
    V::default()
        .with(V::BASE_ADDRESS, address as u32)
        .with(V::BASE_ADDRESS_HI, (address >> 32) as u32 & 0xffff)
        .with(V::STRIDE, stride)
        .with(V::NUM_RECORDS, records)
        .with(V::DST_SEL, 0xfac)
        .with(V::NUM_FORMAT, number)
        .with(V::DATA_FORMAT, 4)
        .0
}

/// The V# of a uniform or storage buffer.
pub fn buffer_words(address: u64, bytes: u32) -> [u32; 4] {
    v_words(address, 0, bytes, 7)
}

/// The V# of a vertex buffer. Before gfx8 records are elements.
pub fn vertex_words(chip: Chip, address: u64, bytes: u32, stride: u32) -> [u32; 4] {
    let records = match chip {
        Chip::Older if stride > 0 => bytes.div_ceil(stride),
        _ => bytes,
    };
    v_words(address, stride, records, 4)
}

/// The contents of a slot of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Sampled image: T#, and T# of its FMASK.
    SampledImage,
    /// Storage image.
    StorageImage,
    /// Sampler.
    Sampler,
    /// Uniform or storage buffer.
    Buffer,
}

/// A binding of a bind group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Number of the binding in its group.
    pub binding: u32,
    /// The kind of descriptor that it has.
    pub kind: SlotKind,
    /// Number of elements, 1 for a single one.
    pub count: u32,
}

/// Bytes of one element.
pub fn slot_size(kind: SlotKind) -> u32 {
    match kind {
        SlotKind::SampledImage => 64,
        SlotKind::StorageImage => 32,
        SlotKind::Sampler | SlotKind::Buffer => 16,
    }
}

fn wide(slot: &Slot) -> bool {
    slot_size(slot.kind) >= 32
}

/// Where the bindings of a group lie in its table: first those of the alignment (32 bytes of images, 16 of the rest) that the last
/// binding does not have, then the others; by number inside of each.
pub fn table_layout(slots: &[Slot]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..slots.len()).collect();
    // A buffer, a texture and a sampler may share a number.
    let class = |kind: SlotKind| match kind {
        SlotKind::Buffer => 0,
        SlotKind::SampledImage | SlotKind::StorageImage => 1,
        SlotKind::Sampler => 2,
    };
    order.sort_by_key(|&k| (slots[k].binding, class(slots[k].kind)));
    let last_wide = order.last().is_some_and(|&k| wide(&slots[k]));
    order.sort_by_key(|&k| wide(&slots[k]) == last_wide);
    let mut out = vec![0; slots.len()];
    let mut at: u32 = 0;
    for k in order {
        at = at.next_multiple_of(if wide(&slots[k]) { 32 } else { 16 });
        out[k] = at;
        at += slot_size(slots[k].kind) * slots[k].count;
    }
    out
}

/// Bytes of a table.
pub fn table_size(slots: &[Slot]) -> u32 {
    let ends = slots.iter().zip(table_layout(slots)).map(|(s, at)| at + slot_size(s.kind) * s.count);
    ends.max().unwrap_or(0)
}
