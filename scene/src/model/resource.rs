//! Shaders, textures, samplers, buffers and what fills them.

use gpucc_pipeline::{Compare, Filter, Format};
use gpucc_sim::texture::Wrap;
use serde::Deserialize;

use super::de;
use super::dimension::Dimension;
use super::follows::Follows;

/// A shader: its text, its file, or bytes that a program made.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawShader")]
pub enum Shader {
    /// WGSL in the scene itself.
    Wgsl(String),
    /// A file beside the scene; the ending says the language.
    File(String),
    /// Bytes that a program made, not to be written in a scene.
    Made(Made),
}

/// A shader of which the name says nothing, or that was read before.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// Name of the file it stands for; its ending says nothing.
    pub name: String,
    /// Ending of a file that holds these bytes: `spv`, `frag`, `wgsl`.
    pub ending: &'static str,
    /// The bytes: a text, or little-endian words.
    pub bytes: Vec<u8>,
    /// Of a body of ShaderToy with passes or channels of its own: its place among them.
    pub body: Option<Body>,
}

/// The place of a body of ShaderToy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The dimension of each channel: flat, a cube or a volume.
    pub channels: [Dimension; 4],
    /// Whether it draws into a buffer.
    pub is_buffer: bool,
    /// The file of the code that stands in front of all bodies.
    pub common: Option<std::path::PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawShader {
    wgsl: Option<String>,
    file: Option<String>,
}

impl TryFrom<RawShader> for Shader {
    type Error = &'static str;
    fn try_from(raw: RawShader) -> Result<Shader, &'static str> {
        match (raw.wgsl, raw.file) {
            (Some(text), None) => Ok(Shader::Wgsl(text)),
            (None, Some(path)) => Ok(Shader::File(path)),
            _ => Err("exactly one of `wgsl`, `file` is expected"),
        }
    }
}

/// Dimension of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureDimension {
    /// One-dimensional.
    D1,
    /// Two-dimensional, with layers.
    #[default]
    D2,
    /// Three-dimensional.
    D3,
}

de::words! { TextureDimension { "1d" D1 "2d" D2 "3d" D3 } }

/// A texture: size, format, and what it holds at first.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Texture {
    /// Format of the texels.
    #[serde(deserialize_with = "de::word")]
    pub format: Format,
    /// Width, height, and depth or layers; those of the PNG file that fills level 0 if it is left out.
    #[serde(default, deserialize_with = "de::texture_size")]
    pub size: [u32; 3],
    /// Dimension of the texture; 2D if it is left out.
    #[serde(default, deserialize_with = "de::word")]
    pub dimension: TextureDimension,
    /// Number of mip levels, 1 if it is left out.
    #[serde(default = "one")]
    pub mip_level_count: u32,
    /// Samples of a pixel.
    #[serde(default = "one")]
    pub sample_count: u32,
    /// Other formats of views.
    #[serde(default, deserialize_with = "de::words_list")]
    pub view_formats: Vec<Format>,
    /// First contents, applied in order.
    #[serde(default, deserialize_with = "de::one_or_many")]
    pub contents: Vec<Contents>,
}

fn one() -> u32 {
    1
}

/// Bytes as a scene gives them.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Hexadecimal digits.
    Hex(String),
    /// Base64 of a zlib stream.
    Zlib64(String),
    /// Floats of 32 bits.
    F32(Vec<f32>),
    /// Unsigned words.
    U32(Vec<u32>),
    /// Signed words.
    I32(Vec<i32>),
    /// Addresses of buffers, 8 bytes each.
    Addresses(Vec<Address>),
    /// A file beside the scene.
    File(String),
}

/// The address of a place in a buffer, the lowest byte first: `"NAME"` or `"NAME+BYTES"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Address {
    /// Name of the buffer whose address it is.
    pub buffer: String,
    /// Bytes behind its first one.
    pub offset: u64,
}

impl TryFrom<String> for Address {
    type Error = String;
    fn try_from(text: String) -> Result<Address, String> {
        let Some((name, offset)) = text.rsplit_once('+') else {
            return Ok(Address { buffer: text, offset: 0 });
        };
        match offset.parse() {
            Ok(offset) => Ok(Address { buffer: name.into(), offset }),
            Err(_) => Err(format!("`{offset}` is no number of bytes: expected \"NAME\" or \"NAME+BYTES\"")),
        }
    }
}

/// Contents of a part of a texture.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawContents")]
pub struct Contents {
    /// The level; all of them if it is left out.
    pub mip_level: Option<u32>,
    /// The layer or slice; all of them if it is left out.
    pub array_layer: Option<u32>,
    /// The data that fills the part.
    pub fill: Fill,
}

/// The data that fills a part of a texture.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// These bytes.
    Data(Data),
    /// A pattern.
    Generator(Generator),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawContents {
    mip_level: Option<u32>,
    array_layer: Option<u32>,
    hex: Option<String>,
    zlib64: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_f32s")]
    f32: Option<Vec<f32>>,
    u32: Option<Vec<u32>>,
    i32: Option<Vec<i32>>,
    file: Option<String>,
    generator: Option<Generator>,
}

/// The one that is given, none, or an error for several.
fn only<T, const N: usize>(choices: [Option<T>; N], several: &'static str) -> Result<Option<T>, &'static str> {
    let mut given = choices.into_iter().flatten();
    let first = given.next();
    if given.next().is_some() { Err(several) } else { Ok(first) }
}

impl TryFrom<RawContents> for Contents {
    type Error = &'static str;
    fn try_from(raw: RawContents) -> Result<Contents, &'static str> {
        const EXPECTED: &str = "exactly one of `hex`, `zlib64`, `f32`, `u32`, `i32`, `file`, `generator` is expected";
        let fill = only(
            [
                raw.hex.map(|d| Fill::Data(Data::Hex(d))),
                raw.zlib64.map(|d| Fill::Data(Data::Zlib64(d))),
                raw.f32.map(|d| Fill::Data(Data::F32(d))),
                raw.u32.map(|d| Fill::Data(Data::U32(d))),
                raw.i32.map(|d| Fill::Data(Data::I32(d))),
                raw.file.map(|d| Fill::Data(Data::File(d))),
                raw.generator.map(Fill::Generator),
            ],
            EXPECTED,
        )?;
        Ok(Contents { mip_level: raw.mip_level, array_layer: raw.array_layer, fill: fill.ok_or(EXPECTED)? })
    }
}

/// A pattern: components as integers 0 to 255.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawGenerator")]
pub struct Generator {
    /// The pattern that fills the texels.
    pub pattern: Pattern,
    /// Value that replaces the alpha of each texel.
    pub alpha: Option<u8>,
    /// Whether each further level is the mean of the one before; else each is made by itself.
    pub box_mips: bool,
}

/// The patterns that textures can be filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the keys of the format")]
pub enum Pattern {
    /// One colour.
    Solid { a: [u8; 4] },
    /// Two colours by cells.
    Checker { cell: u32, a: [u8; 4], b: [u8; 4] },
    /// Rising along the axes.
    Gradient,
    /// A hash of the place.
    Noise { seed: u32 },
}

#[derive(Clone, Copy)]
enum PatternName {
    Solid,
    Checker,
    Gradient,
    Noise,
}

#[derive(Clone, Copy)]
enum Mips {
    Box,
}

de::words! {
    PatternName { "solid" Solid "checker" Checker "gradient" Gradient "noise" Noise }
    Mips { "box" Box }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGenerator {
    /// The pattern.
    #[serde(deserialize_with = "de::word")]
    name: PatternName,
    /// The first colour; white if it is left out.
    #[serde(default, deserialize_with = "de::maybe_list")]
    a: Option<[u8; 4]>,
    /// The second colour of `checker`; opaque black if it is left out.
    #[serde(default, deserialize_with = "de::maybe_list")]
    b: Option<[u8; 4]>,
    /// Texels along the side of a cell of `checker`; 1 if it is left out.
    cell: Option<u32>,
    /// Seed of `noise`; 0 if it is left out.
    seed: Option<u32>,
    alpha: Option<u8>,
    /// Each further level is the mean of the one before; else each is made by itself.
    #[serde(default, deserialize_with = "de::maybe_word")]
    mips: Option<Mips>,
}

impl TryFrom<RawGenerator> for Generator {
    type Error = String;
    fn try_from(raw: RawGenerator) -> Result<Generator, String> {
        let (name, keys): (_, &[&str]) = match raw.name {
            PatternName::Solid => ("solid", &["a"]),
            PatternName::Checker => ("checker", &["a", "b", "cell"]),
            PatternName::Gradient => ("gradient", &[]),
            PatternName::Noise => ("noise", &["seed"]),
        };
        let given = [
            ("a", raw.a.is_some()),
            ("b", raw.b.is_some()),
            ("cell", raw.cell.is_some()),
            ("seed", raw.seed.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(key, is)| *is && !keys.contains(key)) {
            return Err(format!("the generator `{name}` has no `{key}`"));
        }
        if raw.cell == Some(0) {
            return Err("`cell` is at least 1".into());
        }
        let a = raw.a.unwrap_or([255; 4]);
        let pattern = match raw.name {
            PatternName::Solid => Pattern::Solid { a },
            PatternName::Checker => {
                Pattern::Checker { cell: raw.cell.unwrap_or(1), a, b: raw.b.unwrap_or([0, 0, 0, 255]) }
            }
            PatternName::Gradient => Pattern::Gradient,
            PatternName::Noise => Pattern::Noise { seed: raw.seed.unwrap_or(0) },
        };
        Ok(Generator { pattern, alpha: raw.alpha, box_mips: raw.mips.is_some() })
    }
}

/// A sampler: wraps, filters, limits and comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Sampler {
    /// Wrap of the first coordinate.
    #[serde(deserialize_with = "de::word")]
    pub address_mode_u: Wrap,
    /// Wrap of the second coordinate.
    #[serde(deserialize_with = "de::word")]
    pub address_mode_v: Wrap,
    /// Wrap of the third coordinate.
    #[serde(deserialize_with = "de::word")]
    pub address_mode_w: Wrap,
    /// Filter where texels are magnified.
    #[serde(deserialize_with = "de::word")]
    pub mag_filter: Filter,
    /// Filter where texels are not magnified.
    #[serde(deserialize_with = "de::word")]
    pub min_filter: Filter,
    /// Filter between two neighbouring levels.
    #[serde(deserialize_with = "de::word")]
    pub mipmap_filter: Filter,
    /// Least level of detail.
    #[serde(deserialize_with = "de::number")]
    pub lod_min_clamp: f64,
    /// Greatest level of detail.
    #[serde(deserialize_with = "de::number")]
    pub lod_max_clamp: f64,
    /// Comparison, of comparison samplers.
    #[serde(deserialize_with = "de::maybe_word")]
    pub compare: Option<Compare>,
    /// Largest ratio of anisotropic filtering.
    pub max_anisotropy: u32,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            address_mode_u: Wrap::ClampToEdge,
            address_mode_v: Wrap::ClampToEdge,
            address_mode_w: Wrap::ClampToEdge,
            mag_filter: Filter::Nearest,
            min_filter: Filter::Nearest,
            mipmap_filter: Filter::Nearest,
            lod_min_clamp: 0.0,
            lod_max_clamp: 32.0,
            compare: None,
            max_anisotropy: 1,
        }
    }
}

impl Sampler {
    /// The sampler as the model of sampling takes it.
    pub fn to_sim(&self) -> gpucc_sim::texture::Sampler {
        gpucc_sim::texture::Sampler {
            wrap: [self.address_mode_u, self.address_mode_v, self.address_mode_w],
            mag: self.mag_filter,
            min: self.min_filter,
            mip: self.mipmap_filter,
            lod_min: self.lod_min_clamp as f32,
            lod_max: self.lod_max_clamp as f32,
            compare: self.compare,
            ..Default::default()
        }
    }
}

/// A buffer: its size, and what it holds at first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "RawBuffer")]
pub struct Buffer {
    /// Bytes; as long as the data if it is left out.
    pub size: Option<u64>,
    /// First contents, one part after another; the rest is zero.
    pub data: Vec<Data>,
    /// Whether it tells size, time, mouse and number of the frame.
    pub frame: bool,
    /// Parts that follow the moment where one is given; otherwise they are as the data says.
    pub follows: Vec<Follows>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuffer {
    size: Option<u64>,
    hex: Option<String>,
    zlib64: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_f32s")]
    f32: Option<Vec<f32>>,
    u32: Option<Vec<u32>>,
    i32: Option<Vec<i32>>,
    addresses: Option<Vec<Address>>,
    file: Option<String>,
    data: Option<Vec<DataPart>>,
    #[serde(default)]
    frame: bool,
    #[serde(default)]
    follows: Vec<Follows>,
}

/// Immediate data of a dispatch or draw, for all of its stages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawImmediates")]
pub struct Immediates {
    /// The bytes, zeros where an address belongs.
    pub bytes: Vec<u8>,
    /// Addresses of buffers, with the bytes before each.
    pub addresses: Vec<(usize, Address)>,
}

impl Immediates {
    /// Immediate data without addresses of buffers.
    pub fn plain(bytes: Vec<u8>) -> Immediates {
        Immediates { bytes, addresses: Vec::new() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawImmediates {
    hex: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_f32s")]
    f32: Option<Vec<f32>>,
    u32: Option<Vec<u32>>,
    i32: Option<Vec<i32>>,
    addresses: Option<Vec<Address>>,
    /// Parts, one after another.
    data: Option<Vec<RawImmediates>>,
}

impl TryFrom<RawImmediates> for Immediates {
    type Error = String;
    fn try_from(raw: RawImmediates) -> Result<Immediates, String> {
        const EXPECTED: &str = "exactly one of `hex`, `f32`, `u32`, `i32`, `addresses`, `data` is expected";
        let words = |list: Vec<u32>| list.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        let parts = |list: Vec<RawImmediates>| {
            let nested = list.iter().any(|p| p.data.is_some());
            if nested {
                return Err("a part of `data` has no `data` of its own".into());
            }
            list.into_iter().try_fold(Immediates::plain(Vec::new()), |mut all, p| {
                let part = Immediates::try_from(p)?;
                let before = all.bytes.len();
                all.addresses.extend(part.addresses.into_iter().map(|(at, a)| (before + at, a)));
                all.bytes.extend(part.bytes);
                Ok(all)
            })
        };
        let addresses = |list: Vec<Address>| Immediates {
            bytes: vec![0; 8 * list.len()],
            addresses: list.into_iter().enumerate().map(|(k, a)| (8 * k, a)).collect(),
        };
        let plain = |l: Vec<u32>| Ok(Immediates::plain(words(l)));
        let given: Option<Result<Immediates, String>> = only(
            [
                raw.hex.map(|t| crate::hex::bytes(&t).map(Immediates::plain)),
                raw.f32.map(|l| plain(l.into_iter().map(f32::to_bits).collect())),
                raw.u32.map(plain),
                raw.i32.map(|l| plain(l.into_iter().map(i32::cast_unsigned).collect())),
                raw.addresses.map(|l| Ok(addresses(l))),
                raw.data.map(parts),
            ],
            EXPECTED,
        )?;
        given.ok_or(EXPECTED)?
    }
}

/// A part of the data of a buffer.
#[derive(Deserialize)]
#[serde(try_from = "RawPart")]
struct DataPart(Data);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPart {
    hex: Option<String>,
    zlib64: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_f32s")]
    f32: Option<Vec<f32>>,
    u32: Option<Vec<u32>>,
    i32: Option<Vec<i32>>,
    addresses: Option<Vec<Address>>,
    file: Option<String>,
}

impl RawPart {
    fn choices(self) -> [Option<Data>; 7] {
        [
            self.hex.map(Data::Hex),
            self.zlib64.map(Data::Zlib64),
            self.f32.map(Data::F32),
            self.u32.map(Data::U32),
            self.i32.map(Data::I32),
            self.addresses.map(Data::Addresses),
            self.file.map(Data::File),
        ]
    }
}

impl TryFrom<RawPart> for DataPart {
    type Error = &'static str;
    fn try_from(raw: RawPart) -> Result<DataPart, &'static str> {
        const EXPECTED: &str = "exactly one of `hex`, `zlib64`, `f32`, `u32`, `i32`, `addresses`, `file` is expected";
        only(raw.choices(), EXPECTED)?.map(DataPart).ok_or(EXPECTED)
    }
}

impl TryFrom<RawBuffer> for Buffer {
    type Error = &'static str;
    fn try_from(raw: RawBuffer) -> Result<Buffer, &'static str> {
        let RawBuffer { size, hex, zlib64, f32, u32, i32, addresses, file, data, frame, follows } = raw;
        let parts = data.map(|list| list.into_iter().map(|p| p.0).collect::<Vec<_>>());
        let one = RawPart { hex, zlib64, f32, u32, i32, addresses, file }.choices();
        let [a, b, c, d, e, f, g] = one.map(|p| p.map(|data| vec![data]));
        let data = only(
            [a, b, c, d, e, f, g, parts],
            "at most one of `hex`, `zlib64`, `f32`, `u32`, `i32`, `addresses`, `file`, `data` is expected",
        )?;
        if frame && (data.is_some() || size.is_some()) {
            return Err("a buffer with `frame = true` has no data and no `size` of its own");
        }
        if frame && !follows.is_empty() {
            return Err("a buffer with `frame = true` follows the moment as a whole");
        }
        if follows.iter().any(|f| f.offset % 4 != 0) {
            return Err("an `offset` of `follows` is not a multiple of 4");
        }
        if follows.iter().any(|f| f.components == 0 || f.components > f.value.lanes()) {
            return Err("`components` of `follows` are 1 to 4 of `resolution` and `mouse`, and 1 of other values");
        }
        if frame {
            return Ok(Buffer { size: Some(crate::limits::MOMENT_BYTES), data: Vec::new(), frame, follows });
        }
        if data.is_none() && size.is_none() {
            return Err("a buffer without data needs a `size`");
        }
        Ok(Buffer { size, data: data.unwrap_or_default(), frame, follows })
    }
}
