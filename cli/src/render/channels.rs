//! `--channel K=PICTURE.png`: pictures in the place of the noise that a shader alone samples.

use std::path::{Path, PathBuf};

use gpucc_render::PreparedScene;
use gpucc_scene::Picture;
use gpucc_scene::Scene;
use gpucc_scene::model::{BindingResource, Contents, Data, Fill, Pass, Shader, Texture};
use gpucc_sim::texture::Image;

use crate::args::Render;
use crate::{Failure, files};

/// The channels that a shader alone has.
const CHANNELS: u32 = 4;

/// Number and file of a `--channel`.
///
/// # Errors
/// The expected form; a channel that is given twice.
pub fn given(args: &Render) -> Result<Vec<(u32, PathBuf)>, Failure> {
    let mut list: Vec<(u32, PathBuf)> = Vec::new();
    for text in &args.channels {
        let bad = || Failure::Usage(format!("`--channel {text}`: expected K=PICTURE.png, with K from 0 to 3"));
        let (k, path) = text.split_once('=').filter(|(_, p)| !p.is_empty()).ok_or_else(bad)?;
        let k = k.trim().parse().ok().filter(|k| *k < CHANNELS).ok_or_else(bad)?;
        if list.iter().any(|(other, _)| *other == k) {
            return Err(Failure::Usage(format!("--channel {k} is given twice")));
        }
        list.push((k, path.into()));
    }
    Ok(list)
}

/// The name of the texture of a channel.
fn texture(k: u32) -> String {
    format!("channel{k}")
}

/// Puts the pictures into the scene of a shader alone, each with a chain of smaller ones.
///
/// # Errors
/// A file that cannot be read, or is no PNG.
pub fn put(args: &Render, scene: &mut Scene) -> Result<(), Failure> {
    for (k, path) in given(args)? {
        let bytes = files::read(&path)?;
        let wrong = |text: String| Failure::Input(format!("--channel {k}: `{}`: {text}", path.display()));
        if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            return Err(wrong("the file is a JPEG, which is not read: a PNG is".into()));
        }
        let mut picture = Picture::from_png(&bytes, None).map_err(wrong)?;
        if is_body(scene) {
            // Rows of ShaderToy's channels begin at the bottom, as its coordinates do.
            picture = upside_down(&picture);
        }
        let Some(noise) = scene.textures.get(&texture(k)) else { continue };
        let size = [picture.width, picture.height, 1];
        let levels = Image::full_chain(false, size);
        let own = Texture { size, mip_level_count: levels, contents: chain(picture, levels), ..noise.clone() };
        scene.textures.insert(texture(k), own);
    }
    Ok(())
}

/// Whether the fragment shader is a body with `mainImage`.
fn is_body(scene: &Scene) -> bool {
    let text = match scene.shaders.get(gpucc_scene::alone::SHADER) {
        Some(Shader::Made(made)) if made.ending == "frag" => String::from_utf8_lossy(&made.bytes),
        _ => return false,
    };
    gpucc::glsl::is_body(&text)
}

fn upside_down(picture: &Picture) -> Picture {
    let rows: Vec<&[u8]> = picture.rgba.chunks(picture.width as usize * 4).rev().collect();
    Picture { rgba: rows.concat(), ..*picture }
}

/// The contents of each level: means of four texels of the one before.
fn chain(mut picture: Picture, levels: u32) -> Vec<Contents> {
    let mut list = Vec::new();
    for level in 0..levels {
        let words = picture.rgba.chunks_exact(4).map(|p| p.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b)));
        let fill = Fill::Data(Data::U32(words.collect()));
        list.push(Contents { mip_level: Some(level), array_layer: None, fill });
        picture = half(&picture);
    }
    list
}

/// A picture of half the width and height.
fn half(picture: &Picture) -> Picture {
    let (w, h) = ((picture.width / 2).max(1), (picture.height / 2).max(1));
    let at = |x: u32, y: u32| picture.pixel(x.min(picture.width - 1), y.min(picture.height - 1)).unwrap_or_default();
    let mean = |x: u32, y: u32| {
        let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| at(2 * x + dx, 2 * y + dy));
        std::array::from_fn::<u8, 4, _>(|c| ((four.iter().map(|p| u32::from(p[c])).sum::<u32>() + 2) / 4) as u8)
    };
    let rgba = (0..h).flat_map(|y| (0..w).flat_map(move |x| mean(x, y))).collect();
    Picture { width: w, height: h, rgba }
}

/// Refuses a channel that the shader does not sample.
///
/// # Errors
/// Usage: which one.
pub fn have_effect(args: &Render, ready: &PreparedScene) -> Result<(), Failure> {
    let Some(Pass::Render { draws, .. }) = ready.file.scene.passes.first() else { return Ok(()) };
    for (k, _) in given(args)? {
        let is_read = draws.iter().flat_map(|d| &d.bindings).any(|b| match &b.resource {
            BindingResource::Texture(view) if view.texture == texture(k) => ready.shaders.reads(b),
            _ => false,
        });
        if !is_read {
            return Err(Failure::Usage(format!("--channel {k}: the shader does not read this channel")));
        }
    }
    Ok(())
}

/// The files of all channels.
pub fn paths(args: &Render) -> impl Iterator<Item = PathBuf> + '_ {
    args.channels.iter().filter_map(|c| c.split_once('=')).map(|(_, path)| Path::new(path).to_path_buf())
}
