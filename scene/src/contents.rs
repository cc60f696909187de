//! The first bytes of textures and buffers.
//!
//! Bytes lie as rows, tightly packed from top to bottom, then slices or layers, then levels; samples of a pixel
//! consecutive.

use std::ops::Range;
use std::path::Path;

use base64::Engine;
use gpucc_pipeline::{Format, Layout};
use gpucc_sim::texture::Image;

use crate::model::{Buffer, Contents, Data, Fill, Shader, Texture};
use crate::moment::{self, Moment};
use crate::picture::Picture;
use crate::read::{SceneFile, read_bounded};
use crate::{Scene, SceneError, generator, limits};

/// Textures and buffers with their contents, in the order of [`Scene::textures`] and [`Scene::buffers`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Textures with all their texels.
    pub textures: Vec<Image>,
    /// Bytes of each buffer.
    pub buffers: Vec<Vec<u8>>,
}

impl Resources {
    /// Writes a moment to all buffers of a scene with `frame = true`, and to the parts of others that follow it.
    pub fn tell(&mut self, scene: &Scene, moment: &Moment) {
        let size = moment::presented_size(scene);
        let words = moment.words(size);
        for ((_, buffer), bytes) in scene.buffers.iter().zip(&mut self.buffers) {
            if buffer.frame {
                bytes.clear();
                bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            }
            buffer.follows.iter().for_each(|f| moment.write(f, size, bytes));
        }
    }
}

impl SceneFile {
    /// The first contents of all resources.
    ///
    /// # Errors
    /// Data that is wrong or does not fit, a file that cannot be read.
    pub fn resources(&self) -> Result<Resources, SceneError> {
        load(&self.scene, Some(&self.folder)).map_err(|e| self.locate(e))
    }

    /// The bytes of a shader; of one in a file its bytes as they are.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn shader(&self, name: &str) -> Result<Vec<u8>, SceneError> {
        let field = format!("shaders.{name}");
        match self.scene.shaders.get(name) {
            Some(Shader::Wgsl(text)) => Ok(text.clone().into_bytes()),
            Some(Shader::Made(made)) => Ok(made.bytes.clone()),
            Some(Shader::File(path)) => file(path, Some(&self.folder), limits::FILE_BYTES)
                .map_err(|e| self.locate(at(e, &format!("{field}.file")))),
            None => Err(self.locate(SceneError::new(field, "there is no such shader"))),
        }
    }

    /// The bytes of a file that a shader's file names, relative to the scene's folder; `None` if there is none.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn imported(&self, shader: &str, path: &str) -> Option<Result<Vec<u8>, SceneError>> {
        let read = || file(path, Some(&self.folder), limits::FILE_BYTES);
        let wrong = |e| self.locate(at(e, &format!("shaders.{shader}.file")));
        self.folder.join(path).is_file().then(|| read().map_err(wrong))
    }
}

/// The first contents of all resources of a scene; `folder` is what files are relative to, without one there are none.
///
/// # Errors
/// Sizes over the limits, data that is wrong or does not fit, a file that cannot be read.
pub fn load(scene: &Scene, folder: Option<&Path>) -> Result<Resources, SceneError> {
    let mut total = 0u64;
    for (name, t) in scene.textures.iter() {
        t.check_size().map_err(|(field, message)| SceneError::new(format!("textures.{name}.{field}"), message))?;
        total += t.bytes();
        held(total, &format!("textures.{name}"))?;
    }
    for (name, b) in scene.buffers.iter() {
        total += b.check_size().map_err(|m| SceneError::new(format!("buffers.{name}.size"), m))?;
        held(total, &format!("buffers.{name}"))?;
    }
    let mut loader = Loader { scene, folder, left: limits::DECODED_BYTES };
    let mut out = Resources::default();
    for (name, t) in scene.textures.iter() {
        out.textures.push(loader.texture(t, &format!("textures.{name}.contents"))?);
    }
    for (name, b) in scene.buffers.iter() {
        let mut bytes = loader.buffer(b, &format!("buffers.{name}"))?;
        if b.frame && b.data.is_empty() {
            bytes =
                Moment::default().words(moment::presented_size(scene)).iter().flat_map(|w| w.to_le_bytes()).collect();
        }
        if let Some(k) =
            b.follows.iter().position(|f| u64::from(f.offset) + 4 * u64::from(f.components) > bytes.len() as u64)
        {
            let message = format!("it ends behind the {} bytes of the buffer", bytes.len());
            return Err(SceneError::new(format!("buffers.{name}.follows[{k}]"), message));
        }
        if b.size.is_none() {
            total += bytes.len() as u64;
            held(total, &format!("buffers.{name}"))?;
        }
        out.buffers.push(bytes);
    }
    Ok(out)
}

/// Refuses a scene that is too large.
pub(crate) fn held(total: u64, field: &str) -> Result<(), SceneError> {
    if total > limits::SCENE_BYTES {
        let message = format!("textures and buffers take more than {} bytes together", limits::SCENE_BYTES);
        return Err(SceneError::new(field, message));
    }
    Ok(())
}

/// The error at another field.
fn at(e: SceneError, field: &str) -> SceneError {
    SceneError { field: field.into(), ..e }
}

fn file(name: &str, folder: Option<&Path>, most: u64) -> Result<Vec<u8>, SceneError> {
    let Some(folder) = folder else { return Err(SceneError::new("", format!("no file can be read here: `{name}`"))) };
    read_bounded(&folder.join(name), most).map_err(|e| match e.is_io {
        true => SceneError::io("", format!("the file `{name}` cannot be read ({})", e.message)),
        false => e,
    })
}

impl Texture {
    /// The picture whose size that of the texture may be: the number of its contents, and the file.
    pub(crate) fn picture(&self) -> Option<(usize, &str)> {
        self.contents.iter().enumerate().find_map(|(k, c)| match &c.fill {
            Fill::Data(Data::File(name)) if is_png(name) => {
                (c.mip_level.unwrap_or(0) == 0 && c.array_layer.is_none()).then_some((k, name.as_str()))
            }
            _ => None,
        })
    }
}

impl Buffer {
    /// Bytes if they are written, an error for too many.
    pub(crate) fn check_size(&self) -> Result<u64, String> {
        let size = self.size.unwrap_or(0);
        if size > limits::RESOURCE_BYTES {
            return Err(format!("a buffer of {size} bytes is larger than {}", limits::RESOURCE_BYTES));
        }
        Ok(size)
    }
}

/// A level of the part that contents fill: its number and place in the bytes.
struct Part {
    level: u32,
    first_layer: u32,
    layers: u32,
    bytes: Range<usize>,
}

/// The parts of an image that contents fill, by level.
fn parts(image: &Image, mip_level: Option<u32>, array_layer: Option<u32>) -> Result<Vec<Part>, String> {
    if let Some(l) = mip_level.filter(|&l| l >= image.levels) {
        return Err(format!("there is no level {l} of {}", image.levels));
    }
    let levels = mip_level.map_or(0..image.levels, |l| l..l + 1);
    levels
        .map(|level| {
            let [w, h, d] = image.level_size(level);
            if let Some(k) = array_layer.filter(|&k| k >= d) {
                return Err(format!("there is no layer or slice {k} of {d} in level {level}"));
            }
            let (first_layer, layers) = array_layer.map_or((0, d), |k| (k, 1));
            let layer_bytes = w as usize * h as usize * image.pixel_bytes();
            let start = image.level_start(level) + first_layer as usize * layer_bytes;
            Ok(Part { level, first_layer, layers, bytes: start..start + layers as usize * layer_bytes })
        })
        .collect()
}

struct Loader<'a> {
    /// The scene, whose buffers have addresses.
    scene: &'a Scene,
    folder: Option<&'a Path>,
    /// Bytes that may still be made.
    left: u64,
}

impl Loader<'_> {
    fn charge(&mut self, bytes: u64, field: &str) -> Result<(), SceneError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let message = format!("the contents of this scene come to more than {} bytes", limits::DECODED_BYTES);
            SceneError::new(field, message)
        })?;
        Ok(())
    }

    fn texture(&mut self, t: &Texture, field: &str) -> Result<Image, SceneError> {
        let mut image = Image::new(t.format, t.is_3d(), t.size, t.mip_level_count, t.sample_count);
        for (k, c) in t.contents.iter().enumerate() {
            let field = if t.contents.len() > 1 { format!("{field}[{k}]") } else { field.into() };
            self.contents(&mut image, c, &field)?;
        }
        Ok(image)
    }

    fn contents(&mut self, image: &mut Image, c: &Contents, field: &str) -> Result<(), SceneError> {
        use Format::{Depth24Plus, Depth24PlusStencil8, Depth32FloatStencil8};
        if matches!(image.format, Depth24Plus | Depth24PlusStencil8 | Depth32FloatStencil8) {
            let message = format!("contents of {} textures cannot be given", image.format.name());
            return Err(SceneError::new(field, message));
        }
        let png = match &c.fill {
            Fill::Data(Data::File(name)) if is_png(name) => Some(name),
            _ => None,
        };
        let mip_level = if png.is_some() { Some(c.mip_level.unwrap_or(0)) } else { c.mip_level };
        let parts = parts(image, mip_level, c.array_layer).map_err(|m| SceneError::new(field, m))?;
        let size: usize = parts.iter().map(|p| p.bytes.len()).sum();
        let data = match (&c.fill, png) {
            (Fill::Generator(g), _) => {
                let field = format!("{field}.generator");
                let is_whole = c.mip_level.is_none() && c.array_layer.is_none();
                // The chain of means is made as a whole.
                let made = if g.box_mips { image.bytes.len() } else { size };
                self.charge(made as u64, &field)?;
                return generate(image, g, &parts, is_whole).map_err(|m| SceneError::new(field, m));
            }
            (Fill::Data(_), Some(name)) => {
                let field = format!("{field}.file");
                self.charge(size as u64, &field)?;
                let bytes = file(name, self.folder, limits::RESOURCE_BYTES).map_err(|e| at(e, &field))?;
                let part = &parts[0];
                let [w, h, _] = image.level_size(part.level);
                from_png(image.format, &bytes, [w, h * part.layers], image.samples)
                    .map_err(|m| SceneError::new(field, m))?
            }
            (Fill::Data(data), None) => self.data(data, size as u64, field)?,
        };
        if data.len() != size {
            let message = match data.get(..3) {
                Some([0xff, 0xd8, 0xff]) => "the file is a JPEG, which is not read: a PNG is".into(),
                _ => format!("{} bytes are given where {size} are expected", data.len()),
            };
            return Err(SceneError::new(field, message));
        }
        let mut rest = &data[..];
        for p in parts {
            let (now, then) = rest.split_at(p.bytes.len());
            image.bytes[p.bytes].copy_from_slice(now);
            rest = then;
        }
        Ok(())
    }

    fn buffer(&mut self, b: &Buffer, field: &str) -> Result<Vec<u8>, SceneError> {
        let most = b.size.unwrap_or(limits::RESOURCE_BYTES);
        let mut bytes = Vec::new();
        for (k, data) in b.data.iter().enumerate() {
            let field = if b.data.len() > 1 { format!("{field}.data[{k}]") } else { field.into() };
            bytes.extend(self.data(data, most - bytes.len() as u64, &field)?);
        }
        if let Some(size) = b.size {
            self.charge(size, field)?;
            bytes.resize(size as usize, 0);
        }
        Ok(bytes)
    }

    /// Bytes of data, of which there may be so many.
    fn data(&mut self, data: &Data, most: u64, field: &str) -> Result<Vec<u8>, SceneError> {
        let key = match data {
            Data::Hex(_) => "hex",
            Data::Zlib64(_) => "zlib64",
            Data::F32(_) => "f32",
            Data::U32(_) => "u32",
            Data::I32(_) => "i32",
            Data::Addresses(_) => "addresses",
            Data::File(_) => "file",
        };
        let field = format!("{field}.{key}");
        let bytes = match data {
            Data::Hex(text) => crate::hex::bytes(text).map_err(|m| SceneError::new(&field, m))?,
            Data::Zlib64(text) => zlib64(text, most.min(self.left)).map_err(|m| SceneError::new(&field, m))?,
            Data::F32(list) => list.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::U32(list) => list.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::I32(list) => list.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::Addresses(list) => {
                let one = |a| self.scene.address(a).map_err(|m| SceneError::new(&field, m));
                let all: Vec<u64> = list.iter().map(one).collect::<Result<_, _>>()?;
                all.iter().flat_map(|v| v.to_le_bytes()).collect()
            }
            Data::File(name) => file(name, self.folder, most).map_err(|e| at(e, &field))?,
        };
        self.charge(bytes.len() as u64, &field)?;
        if bytes.len() as u64 > most {
            let message = format!("{} bytes are given where only {most} have room", bytes.len());
            return Err(SceneError::new(field, message));
        }
        Ok(bytes)
    }
}

fn is_png(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("png"))
}

fn generate(image: &mut Image, g: &crate::model::Generator, parts: &[Part], is_whole: bool) -> Result<(), String> {
    if g.box_mips && !is_whole {
        let mut whole = Image { bytes: vec![0; image.bytes.len()].into(), ..image.clone() };
        generator::fill(&mut whole, g)?;
        for p in parts {
            image.bytes[p.bytes.clone()].copy_from_slice(&whole.bytes[p.bytes.clone()]);
        }
        return Ok(());
    }
    if is_whole {
        return generator::fill(image, g);
    }
    for p in parts {
        generator::fill_layers(image, g, p.level, p.first_layer..p.first_layer + p.layers)?;
    }
    Ok(())
}

/// The bytes of a zlib stream in base64; blanks in the text do not count.
///
/// # Errors
/// A text that is no such stream, and more bytes than `most`.
pub fn zlib64(text: &str, most: u64) -> Result<Vec<u8>, String> {
    let text: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let packed = base64::engine::general_purpose::STANDARD
        .decode(text)
        .map_err(|e| format!("the text is not base64 ({})", e.to_string().to_lowercase()))?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&packed, most).map_err(|e| match e.status {
        miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
            format!("the stream holds more than the {most} bytes expected")
        }
        _ => "the text is no whole zlib stream".into(),
    })
}

/// The bytes of a picture in a format of 8-bit components.
fn from_png(format: Format, bytes: &[u8], size: [u32; 2], samples: u32) -> Result<Vec<u8>, String> {
    let order: &[usize] = match format.layout() {
        Layout::Array(_, 8) => &[0, 1, 2, 3][..format.components() as usize],
        Layout::Bgra(_) => &[2, 1, 0, 3],
        _ => {
            return Err(format!(
                "a picture fills only textures with components of 8 bits; {} has others",
                format.name()
            ));
        }
    };
    if samples != 1 {
        return Err("a picture cannot fill a multisampled texture".into());
    }
    let picture = Picture::from_png(bytes, Some(size))?;
    Ok(picture.rgba.chunks_exact(4).flat_map(|p| order.iter().map(|&k| p[k])).collect())
}
