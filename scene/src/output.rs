//! Outputs of a scene: bytes and pictures.

use gpucc_sim::texture::Image;

use crate::contents::Resources;
use crate::model::{Aspect, Output, OutputSource};
use crate::picture::Picture;
use crate::{Scene, SceneError};

/// Where a texture output lies.
struct Place<'a> {
    image: &'a Image,
    level: u32,
    layers: std::ops::Range<u32>,
    aspect: Aspect,
}

fn place<'a>(scene: &Scene, resources: &'a Resources, o: &Output) -> Result<Option<Place<'a>>, SceneError> {
    let OutputSource::Texture { texture, mip_level, array_layer, aspect } = &o.source else { return Ok(None) };
    let field = format!("outputs.{}", o.name);
    let image = scene.textures.position(texture).and_then(|k| resources.textures.get(k));
    let image = image.ok_or_else(|| SceneError::new(&field, scene.textures.lacks("texture", texture)))?;
    if *mip_level >= image.levels {
        return Err(SceneError::new(field, format!("there is no level {mip_level} of {}", image.levels)));
    }
    if image.samples != 1 {
        return Err(SceneError::new(field, "a multisampled texture cannot be an output"));
    }
    let layers = image.level_size(*mip_level)[2];
    if let Some(k) = array_layer.filter(|&k| k >= layers) {
        return Err(SceneError::new(field, format!("there is no layer or slice {k} of {layers}")));
    }
    let layers = array_layer.map_or(0..layers, |k| k..k + 1);
    Ok(Some(Place { image, level: *mip_level, layers, aspect: *aspect }))
}

/// The bytes of an output.
///
/// # Errors
/// An output of something that does not exist.
pub fn bytes(scene: &Scene, resources: &Resources, o: &Output) -> Result<Vec<u8>, SceneError> {
    if let Some(p) = place(scene, resources, o)? {
        return Ok(texture_bytes(p.image, p.level, p.layers, p.aspect));
    }
    let OutputSource::Buffer(range) = &o.source else { return Ok(Vec::new()) };
    let all = scene.buffers.position(&range.buffer).and_then(|k| resources.buffers.get(k));
    let part = all.and_then(|all| {
        let from = usize::try_from(range.offset).ok()?;
        let rest = all.get(from..)?;
        match range.size {
            Some(size) => rest.get(..usize::try_from(size).ok()?),
            None => Some(rest),
        }
    });
    let missing = || SceneError::new(format!("outputs.{}", o.name), "the buffer has no such bytes");
    part.map(<[u8]>::to_vec).ok_or_else(missing)
}

/// The bytes of layers of a level: rows, then layers; of combined formats those of one aspect. All indices are in range.
pub fn texture_bytes(image: &Image, level: u32, layers: std::ops::Range<u32>, aspect: Aspect) -> Vec<u8> {
    let [w, h, _] = image.level_size(level);
    let layer = w as usize * h as usize * image.pixel_bytes();
    let start = image.level_start(level);
    let all = &image.bytes[start + layers.start as usize * layer..start + layers.end as usize * layer];
    let format = image.format;
    if !(format.has_depth() && format.has_stencil()) {
        return all.to_vec();
    }
    let texels = all.chunks_exact(format.bytes() as usize);
    match aspect {
        Aspect::StencilOnly => texels.map(|t| gpucc_sim::texture::Codec::decode_stencil(format, t) as u8).collect(),
        _ => texels.flat_map(|t| t[..4].iter().copied()).collect(),
    }
}

/// The picture of a texture output: its first layer.
///
/// # Errors
/// An output of a buffer, or of something that does not exist.
pub fn picture(scene: &Scene, resources: &Resources, o: &Output) -> Result<Picture, SceneError> {
    match place(scene, resources, o)? {
        Some(p) => Ok(Picture::of(p.image, p.level, p.layers.start, p.aspect)),
        None => Err(SceneError::new(format!("outputs.{}", o.name), "a buffer has no picture")),
    }
}
