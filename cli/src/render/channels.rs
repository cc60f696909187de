//! `--channel K=INPUT`: what a shader alone samples in the place of noise; `--buffer` and `--common` of bodies with `mainImage`.

use std::path::{Path, PathBuf};

use gpucc_ir::{Diagnostic, Refusal};
use gpucc_render::PreparedScene;
use gpucc_scene::model::{Body, Made, Shader, Texture};
use gpucc_scene::toy::{self, Input, Smooth};
use gpucc_scene::{Picture, Scene, alone};
use gpucc_sim::texture::{Image, Wrap};

use crate::args::{Messages, Render};
use crate::report::Reporter;
use crate::{Failure, files};

/// What a `--channel` says.
struct Given {
    /// Its words, as they name the channel.
    name: String,
    /// Number of the pass, see [`toy::PASSES`].
    pass: usize,
    /// Number of the channel.
    number: usize,
    /// What it shows.
    what: String,
    filter: Option<Smooth>,
    wrap: Option<Wrap>,
}

/// The channels of the command line.
///
/// # Errors
/// The expected form; a channel that is given twice.
fn given(args: &Render) -> Result<Vec<Given>, Failure> {
    let mut list: Vec<Given> = Vec::new();
    for text in &args.channels {
        let bad = || {
            let form = "expected K=PICTURE.png, with K from 0 to 3, or PASS.K=INPUT, with PASS image, A, B, C or D";
            Failure::Usage(format!("`--channel {text}`: {form}"))
        };
        let (name, what) = text.split_once('=').filter(|(_, p)| !p.is_empty()).ok_or_else(bad)?;
        let (pass, k) = match name.split_once('.') {
            Some((pass, k)) => (toy::pass(pass.trim()).ok_or_else(bad)?, k),
            None => (toy::IMAGE, name),
        };
        let number = k.trim().parse().ok().filter(|k| *k < toy::CHANNELS).ok_or_else(bad)?;
        if list.iter().any(|g| (g.pass, g.number) == (pass, number)) {
            return Err(Failure::Usage(format!("--channel {name} is given twice")));
        }
        let mut one = Given { name: name.into(), pass, number, what: what.into(), filter: None, wrap: None };
        while let Some((what, word)) = one.what.rsplit_once(',') {
            match word {
                "nearest" => one.filter = Some(Smooth::Nearest),
                "linear" => one.filter = Some(Smooth::Linear),
                "mipmap" => one.filter = Some(Smooth::Mipmap),
                "repeat" => one.wrap = Some(Wrap::Repeat),
                "clamp" => one.wrap = Some(Wrap::ClampToEdge),
                "mirror" => one.wrap = Some(Wrap::MirrorRepeat),
                _ => break,
            }
            one.what = what.into();
        }
        list.push(one);
    }
    Ok(list)
}

/// The buffers of the command line: numbers of passes and files.
///
/// # Errors
/// The expected form; a buffer that is given twice.
fn buffers(args: &Render) -> Result<Vec<(usize, PathBuf)>, Failure> {
    let mut list: Vec<(usize, PathBuf)> = Vec::new();
    for text in &args.toy_buffers {
        let bad = || Failure::Usage(format!("`--buffer {text}`: expected A=FILE.glsl, with A, B, C or D"));
        let (name, path) = text.split_once('=').filter(|(_, p)| !p.is_empty()).ok_or_else(bad)?;
        let pass = toy::pass(name.trim()).filter(|p| *p != toy::IMAGE).ok_or_else(bad)?;
        if list.iter().any(|b| b.0 == pass) {
            return Err(Failure::Usage(format!("--buffer {name} is given twice")));
        }
        list.push((pass, path.into()));
    }
    list.sort();
    Ok(list)
}

/// Whether a channel shows a file, and not something by its name.
fn is_picture(what: &str) -> bool {
    toy::pass(what).is_none() && made(what).is_none() && !NEVER.contains(&what)
}

/// What is there by a name.
fn made(what: &str) -> Option<Input> {
    Some(match what {
        "noise" => Input::Noise(64),
        "noise256" => Input::Noise(256),
        "volume" => Input::Volume,
        "cube" => Input::Cube,
        "keyboard" => Input::Keyboard,
        _ => return None,
    })
}

/// Inputs of ShaderToy that nothing gives here.
const NEVER: [&str; 7] = ["sound", "music", "musicstream", "mic", "microphone", "video", "webcam"];

/// A picture of a channel.
fn picture(g: &Given) -> Result<Picture, Failure> {
    let bytes = files::read(Path::new(&g.what))?;
    let wrong = |text: String| Failure::Input(format!("--channel {}: `{}`: {text}", g.name, g.what));
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return Err(wrong("the file is a JPEG, which is not read: a PNG is".into()));
    }
    Picture::from_png(&bytes, None).map_err(wrong)
}

/// Puts the pictures into the scene of a shader alone, each with a chain of smaller ones, and the buffers of a body before it.
///
/// # Errors
/// A file that cannot be read, or is no PNG; an input that nothing gives.
pub fn put(args: &Render, scene: &mut Scene, messages: &Messages) -> Result<(), Failure> {
    if is_body(scene) {
        return put_body(args, scene, messages);
    }
    for (option, is_given) in [("--buffer", !args.toy_buffers.is_empty()), ("--common", args.common.is_some())] {
        if is_given {
            return Err(Failure::Usage(format!("{option} is for bodies with `mainImage`")));
        }
    }
    for g in given(args)? {
        if g.pass != toy::IMAGE || !is_picture(&g.what) || g.filter.is_some() || g.wrap.is_some() {
            let what = format!(
                "`--channel {}={}`: a shader other than a body with `mainImage` samples pictures",
                g.name, g.what
            );
            return Err(Failure::Usage(what));
        }
        let picture = picture(&g)?;
        let name = format!("channel{}", g.number);
        let Some(noise) = scene.textures.get(&name) else { continue };
        let size = [picture.width, picture.height, 1];
        let levels = Image::full_chain(false, size);
        let own =
            Texture { size, mip_level_count: levels, contents: toy::chain(picture, levels, None), ..noise.clone() };
        scene.textures.insert(name, own);
    }
    Ok(())
}

/// The same of a body.
fn put_body(args: &Render, scene: &mut Scene, messages: &Messages) -> Result<(), Failure> {
    let (given, buffers) = (given(args)?, buffers(args)?);
    if given.is_empty() && buffers.is_empty() && args.common.is_none() {
        return Ok(());
    }
    let mut channels = Vec::new();
    for g in &given {
        let has = |pass: usize| pass == toy::IMAGE || buffers.iter().any(|b| b.0 == pass);
        let lacks = |pass: usize| {
            Failure::Usage(format!("`--channel {}={}`: there is no --buffer {}", g.name, g.what, toy::PASSES[pass]))
        };
        if NEVER.contains(&g.what.as_str()) {
            let what = format!("--channel {}: `{}`: nothing gives a channel sound or moving pictures", g.name, g.what);
            let d =
                Diagnostic::unsupported(Refusal::Parser, what).note("a picture may stand for it: --channel K=FILE.png");
            Reporter::new(messages, "", "").show(&[d], None);
            return Err(Failure::Said(3));
        }
        if !has(g.pass) {
            return Err(lacks(g.pass));
        }
        let input = match (toy::pass(&g.what), made(&g.what)) {
            (Some(toy::IMAGE), _) => {
                return Err(Failure::Usage(format!("`--channel {}={}`: only buffers are read", g.name, g.what)));
            }
            (Some(pass), _) if has(pass) => Input::Buffer(pass),
            (Some(pass), _) => return Err(lacks(pass)),
            (None, Some(input)) => input,
            // Rows of ShaderToy's channels begin at the bottom, as its coordinates do.
            (None, None) => Input::Picture(upside_down(&picture(g)?)),
        };
        channels.push(toy::Channel { pass: g.pass, number: g.number, input, filter: g.filter, wrap: g.wrap });
    }
    if let Some(common) = &args.common {
        files::read(common)?;
    }
    let body = |pass: usize| {
        let mut body = Body { is_buffer: pass != toy::IMAGE, common: args.common.clone(), ..Body::default() };
        for c in channels.iter().filter(|c| c.pass == pass) {
            body.channels[c.number] = c.input.dimension();
        }
        Some(body)
    };
    let mut passes = Vec::new();
    for (pass, path) in buffers {
        let bytes = files::read(&path)?;
        if !gpucc::glsl::is_body(&String::from_utf8_lossy(&bytes)) {
            let name = toy::PASSES[pass];
            return Err(Failure::Usage(format!("--buffer {name}: `{}` has no function `mainImage`", path.display())));
        }
        let made = Made { name: path.display().to_string(), ending: "frag", bytes, body: body(pass) };
        passes.push((pass, Shader::Made(made)));
    }
    if let Some(Shader::Made(made)) = scene.shaders.get(alone::SHADER) {
        let made = Made { body: body(toy::IMAGE), ..made.clone() };
        scene.shaders.insert(alone::SHADER.into(), Shader::Made(made));
    }
    toy::put(scene, passes, &channels);
    Ok(())
}

/// Whether the fragment shader is a body with `mainImage`.
fn is_body(scene: &Scene) -> bool {
    let text = match scene.shaders.get(alone::SHADER) {
        Some(Shader::Made(made)) if made.ending == "frag" => String::from_utf8_lossy(&made.bytes),
        _ => return false,
    };
    gpucc::glsl::is_body(&text)
}

fn upside_down(picture: &Picture) -> Picture {
    let rows: Vec<&[u8]> = picture.rgba.chunks(picture.width as usize * 4).rev().collect();
    Picture { rgba: rows.concat(), ..*picture }
}

/// Refuses a channel that its shader does not sample.
///
/// # Errors
/// Usage: which one.
pub fn have_effect(args: &Render, ready: &PreparedScene) -> Result<(), Failure> {
    let scene = &ready.file.scene;
    for g in given(args)? {
        let read = || {
            let stages = ready.shaders.pipelines.get(scene.pipelines.position(&toy::pipeline(g.pass))?)?;
            let used: Vec<_> = stages.all().flat_map(|e| &ready.shaders.entries[e].used).collect();
            Some(toy::sampled(scene, g.pass, g.number).any(|b| used.iter().any(|u| ready.shaders.binds(u, b))))
        };
        if read() != Some(true) {
            return Err(Failure::Usage(format!("--channel {}: the shader does not read this channel", g.name)));
        }
    }
    Ok(())
}

/// The files that are read besides the shader.
pub fn paths(args: &Render) -> impl Iterator<Item = PathBuf> + '_ {
    let pictures = given(args).unwrap_or_default().into_iter().filter(|g| is_picture(&g.what)).map(|g| g.what.into());
    let buffers = args.toy_buffers.iter().filter_map(|b| b.split_once('=')).map(|(_, path)| PathBuf::from(path));
    pictures.chain(buffers).chain(args.common.clone())
}
