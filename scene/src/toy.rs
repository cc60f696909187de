//! Bodies of ShaderToy that draw into buffers: a picture and up to four passes before it, each with channels of its own.
//!
//! Buffers are floats of 32 bits. They keep what they hold from one frame of a film to the next, and begin with zeros. A buffer that is
//! read before it is drawn shows the frame before; one that reads itself draws beside itself, and a copy follows.

use gpucc_pipeline::{Filter, Format};
use gpucc_sim::texture::{Image, Wrap};

use crate::model::{
    Binding, BindingResource, Contents, Data, Dimension, Fill, Generator, Pass, Pattern, Pipeline, Sampler, Shader,
    Texture, TextureView,
};
use crate::{Picture, Scene, alone};

/// The passes in the order in which they are drawn.
pub const PASSES: [&str; 5] = ["A", "B", "C", "D", "image"];
/// The number of the picture among the passes.
pub const IMAGE: usize = 4;
/// Channels of a pass.
pub const CHANNELS: usize = 4;

/// Texels of a volume and of a side of a cube.
const VOLUME: u32 = 32;
const CUBE: u32 = 64;

/// The contents of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A picture; its first row is at the bottom.
    Picture(Picture),
    /// Random texels in a square of this side.
    Noise(u32),
    /// Random texels in a volume.
    Volume,
    /// A sky with a sun above a floor of tiles.
    Cube,
    /// The keys: none is pressed.
    Keyboard,
    /// What a pass has drawn, by its number.
    Buffer(usize),
}

/// A channel of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The number of the pass.
    pub pass: usize,
    /// Number of the channel.
    pub number: usize,
    /// What it shows.
    pub input: Input,
    /// How it is filtered; `None` as is usual for what it shows.
    pub filter: Option<Smooth>,
    /// What lies beyond its edges, likewise.
    pub wrap: Option<Wrap>,
}

/// How texels become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smooth {
    /// The nearest of the first level.
    Nearest,
    /// Four of the first level.
    Linear,
    /// Four of two levels.
    Mipmap,
}

impl Input {
    /// The dimension of the texture that shows it.
    pub fn dimension(&self) -> Dimension {
        match self {
            Input::Cube => Dimension::Cube,
            Input::Volume => Dimension::D3,
            _ => Dimension::D2,
        }
    }

    /// How it is sampled where nobody says it.
    fn usual(&self) -> (Smooth, Wrap) {
        match self {
            Input::Picture(_) | Input::Noise(_) | Input::Volume => (Smooth::Mipmap, Wrap::Repeat),
            Input::Cube => (Smooth::Mipmap, Wrap::ClampToEdge),
            Input::Keyboard => (Smooth::Nearest, Wrap::ClampToEdge),
            Input::Buffer(_) => (Smooth::Linear, Wrap::ClampToEdge),
        }
    }

    /// The texture, of channels that no pass draws.
    fn texture(&self, seed: u32, plain: &Texture) -> Texture {
        let noise = |size: [u32; 3], dimension| {
            let fill = Fill::Generator(Generator { pattern: Pattern::Noise { seed }, alpha: None, box_mips: true });
            let contents = vec![Contents { mip_level: None, array_layer: None, fill }];
            let levels = Image::full_chain(dimension == crate::model::TextureDimension::D3, size);
            Texture { size, dimension, mip_level_count: levels, contents, ..plain.clone() }
        };
        match self {
            Input::Noise(side) => noise([*side, *side, 1], Default::default()),
            Input::Volume => noise([VOLUME; 3], crate::model::TextureDimension::D3),
            // Keys in columns; their state, the moment of a press and a switch in rows.
            Input::Keyboard | Input::Buffer(_) => {
                Texture { size: [256, 3, 1], mip_level_count: 1, contents: Vec::new(), ..plain.clone() }
            }
            Input::Picture(picture) => {
                let size = [picture.width, picture.height, 1];
                let levels = Image::full_chain(false, size);
                Texture {
                    size,
                    mip_level_count: levels,
                    contents: chain(picture.clone(), levels, None),
                    ..plain.clone()
                }
            }
            Input::Cube => {
                let size = [CUBE, CUBE, 6];
                let levels = Image::full_chain(false, size);
                let faces = (0..6).flat_map(|face| chain(sky(face), levels, Some(face))).collect();
                Texture { size, mip_level_count: levels, contents: faces, ..plain.clone() }
            }
        }
    }
}

impl Channel {
    fn sampler(&self) -> Sampler {
        let (smooth, wrap) = self.input.usual();
        let (smooth, wrap) = (self.filter.unwrap_or(smooth), self.wrap.unwrap_or(wrap));
        let filter = if smooth == Smooth::Nearest { Filter::Nearest } else { Filter::Linear };
        let between = if smooth == Smooth::Mipmap { Filter::Linear } else { Filter::Nearest };
        Sampler {
            address_mode_u: wrap,
            address_mode_v: wrap,
            address_mode_w: wrap,
            mag_filter: filter,
            min_filter: filter,
            mipmap_filter: between,
            lod_max_clamp: if smooth == Smooth::Mipmap { 32.0 } else { 0.0 },
            ..Default::default()
        }
    }
}

/// The contents of each level: means of four texels of the one before.
pub fn chain(mut picture: Picture, levels: u32, layer: Option<u32>) -> Vec<Contents> {
    let mut list = Vec::new();
    for level in 0..levels {
        let words = picture.rgba.chunks_exact(4).map(|p| p.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b)));
        let fill = Fill::Data(Data::U32(words.collect()));
        list.push(Contents { mip_level: Some(level), array_layer: layer, fill });
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

/// A face of the cube: a sky that is darker above, a sun with its glow, and tiles that fade to the horizon.
fn sky(face: u32) -> Picture {
    let colour = |x: u32, y: u32| {
        // From -1 to 1, right and down, in the middle of texels.
        let [s, t] = [x, y].map(|n| (f64::from(n) + 0.5) / f64::from(CUBE) * 2.0 - 1.0);
        let d = match face {
            0 => [1.0, -t, -s],
            1 => [-1.0, -t, s],
            2 => [s, 1.0, t],
            3 => [s, -1.0, -t],
            4 => [s, -t, 1.0],
            _ => [-s, -t, -1.0],
        };
        let long = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let d = d.map(|c| c / long);
        // A direction of length one.
        let sun: f64 = (d[0] * 0.48 + d[1] * 0.6 + d[2] * 0.64).max(0.0);
        let power = |k: u32| (0..k).fold(sun, |p, _| p * p);
        let horizon = (1.0 - d[1].abs()) * (1.0 - d[1].abs());
        let ground = {
            let (x, z) = (d[0] / d[1].min(-0.05), d[2] / d[1].min(-0.05));
            let odd = (x.floor() + z.floor()).rem_euclid(2.0);
            0.25 + 0.3 * odd
        };
        let of = |above: f64, near: f64, below: f64, glow: f64| {
            let base = if d[1] > 0.0 { above + (near - above) * horizon } else { ground * below };
            let faded = if d[1] > 0.0 { base } else { base + (near * 0.8 - base) * horizon * horizon };
            let lit = faded + glow * (power(3) * 0.35 + power(8) * 1.5);
            (lit.clamp(0.0, 1.0) * 255.0).round() as u8
        };
        [of(0.16, 0.82, 1.0, 1.0), of(0.34, 0.86, 0.92, 0.85), of(0.72, 0.92, 0.8, 0.6), 255]
    };
    let rgba = (0..CUBE).flat_map(|y| (0..CUBE).flat_map(move |x| colour(x, y))).collect();
    Picture { width: CUBE, height: CUBE, rgba }
}

/// In front of the names of textures that passes draw.
const BUFFER: &str = "buffer";

/// The texture that a pass draws.
fn drawn(pass: usize) -> String {
    format!("{BUFFER}{}", PASSES[pass])
}

/// The texture of a channel that no pass draws.
fn channel(pass: usize, number: usize) -> String {
    let pass = if pass == IMAGE { "" } else { PASSES[pass] };
    format!("channel{pass}{number}")
}

/// Copies a texture of the same size.
const COPY: &str = "\
@group(0) @binding(0) var source: texture_2d<f32>;
@fragment fn main(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(source, vec2<i32>(p.xy), 0);
}
";

/// Puts channels into the scene of a shader alone, and passes before the picture, by their numbers.
pub fn put(scene: &mut Scene, passes: Vec<(usize, Shader)>, channels: &[Channel]) {
    let Some(plain) = scene.textures.get("channel0").cloned() else { return };
    let Some(size) = scene.textures.get(alone::OUTPUT).map(|t| t.size) else { return };
    let Some(Pass::Render { color_attachments, draws, .. }) = scene.passes.first().cloned() else { return };
    let Some(pipeline) = scene.pipelines.get(alone::PIPELINE).cloned() else { return };
    let of_pass = |scene: &mut Scene, pass: usize| {
        let mut bindings = draws.first().map(|d| d.bindings.clone()).unwrap_or_default();
        for c in channels.iter().filter(|c| c.pass == pass) {
            let name = match &c.input {
                Input::Buffer(other) => drawn(*other),
                input => {
                    let name = channel(pass, c.number);
                    scene.textures.insert(name.clone(), input.texture(c.number as u32 + 1, &plain));
                    name
                }
            };
            let sampler = format!("{name}{}{}", PASSES[pass], c.number);
            scene.samplers.insert(sampler.clone(), c.sampler());
            let view = TextureView { texture: name, dimension: Some(c.input.dimension()), ..Default::default() };
            set(&mut bindings, c.number as u32 + 2, BindingResource::Texture(view));
            set(&mut bindings, c.number as u32 + 2, BindingResource::Sampler(sampler.clone()));
            set(&mut bindings, c.number as u32 + 6, BindingResource::Sampler(sampler));
        }
        bindings
    };
    let mut list = Vec::new();
    for (pass, shader) in passes {
        let buffer =
            Texture { format: Format::Rgba32Float, size, mip_level_count: 1, contents: Vec::new(), ..plain.clone() };
        let reads_itself = channels.iter().any(|c| c.pass == pass && c.input == Input::Buffer(pass));
        let name = drawn(pass);
        scene.textures.insert(name.clone(), buffer.clone());
        let target = if reads_itself { format!("{name}_next") } else { name.clone() };
        scene.textures.insert(target.clone(), buffer);
        scene.shaders.insert(name.clone(), shader);
        let bindings = of_pass(scene, pass);
        let draw = |what: &str, texture: &str, bindings: Vec<Binding>, scene: &mut Scene| {
            let mut pipeline = pipeline.clone();
            if let Pipeline::Render(r) = &mut pipeline
                && let Some(f) = &mut r.fragment
            {
                f.shader = what.into();
                f.entry_point = None;
                f.targets.iter_mut().flatten().for_each(|t| t.format = Format::Rgba32Float);
            }
            scene.pipelines.insert(what.into(), pipeline);
            let (mut attachments, mut draws) = (color_attachments.clone(), draws.clone());
            attachments.iter_mut().flatten().for_each(|a| a.texture = texture.into());
            for d in &mut draws {
                d.pipeline = what.into();
                d.bindings = bindings.clone();
            }
            Pass::Render { color_attachments: attachments, depth_stencil_attachment: None, draws }
        };
        list.push(draw(&name, &target, bindings, scene));
        if reads_itself {
            scene.shaders.insert("copy".into(), Shader::Wgsl(COPY.into()));
            let view = TextureView { texture: target, ..Default::default() };
            let from = Binding { group: 0, binding: 0, element: 0, resource: BindingResource::Texture(view) };
            list.push(draw("copy", &name, vec![from], scene));
        }
    }
    let bindings = of_pass(scene, IMAGE);
    if let Some(Pass::Render { draws, .. }) = scene.passes.first_mut() {
        draws.iter_mut().for_each(|d| d.bindings = bindings.clone());
    }
    list.append(&mut scene.passes);
    scene.passes = list;
}

/// Puts something into a list of bindings in the place of what it has of its kind there.
fn set(bindings: &mut Vec<Binding>, binding: u32, resource: BindingResource) {
    bindings.retain(|b| b.binding != binding || b.resource.held() != resource.held());
    bindings.push(Binding { group: 0, binding, element: 0, resource });
}

/// The number of a pass by its name.
pub fn pass(name: &str) -> Option<usize> {
    PASSES.iter().position(|p| p.eq_ignore_ascii_case(name))
}

/// The bindings of the textures that a channel of a pass samples. Of a shader that is no body they may lie elsewhere than a body's.
pub fn sampled(scene: &Scene, pass: usize, number: usize) -> impl Iterator<Item = &Binding> {
    let (name, texture) = (pipeline(pass), channel(pass, number));
    let draws = scene.passes.iter().flat_map(|p| match p {
        Pass::Render { draws, .. } => draws.as_slice(),
        Pass::Compute { .. } => &[],
    });
    let bindings = draws.filter(move |d| d.pipeline == name).flat_map(|d| &d.bindings);
    bindings.filter(move |b| match &b.resource {
        BindingResource::Texture(view) => {
            let is_drawn = view.texture.starts_with(BUFFER) && b.binding == number as u32 + 2;
            is_drawn || view.texture == texture
        }
        _ => false,
    })
}

/// The pipeline of a pass.
pub fn pipeline(pass: usize) -> String {
    if pass == IMAGE { alone::PIPELINE.into() } else { drawn(pass) }
}
