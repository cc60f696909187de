//! Bodies as ShaderToy has them: a function `mainImage` and no `main`.

use std::path::PathBuf;

use gpucc_ir::{Diagnostic, Refusal, Span};

use crate::{old, words};

/// The kind of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A picture, noise, a buffer or the keyboard.
    #[default]
    Flat,
    /// A cube.
    Cube,
    /// A volume.
    Volume,
}

impl Channel {
    /// How GLSL calls its texture and its sampler with it, behind `texture` and `sampler`.
    fn dimension(self) -> &'static str {
        match self {
            Channel::Flat => "2D",
            Channel::Cube => "Cube",
            Channel::Volume => "3D",
        }
    }
}

/// The place of a body among others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toy {
    /// Of `iChannel0` to `iChannel3`.
    pub channels: [Channel; 4],
    /// Whether it draws into a buffer: its rows begin at the bottom, as those of channels do, and alpha is kept.
    pub is_buffer: bool,
    /// The file that is read in front of the body.
    pub common: Option<PathBuf>,
}

/// In front of a body: its uniforms are those of a fragment shader alone (docs/scene-format.md).
const UNIFORMS: &str = "\
layout(location = 0) out vec4 gpucc_colour;
layout(set = 0, binding = 0) uniform Frame {
    vec3 iResolution; float iTime; vec4 iMouse; float iTimeDelta; int iFrame; vec2 gpucc_pad; vec4 iDate;
};
#define HW_PERFORMANCE 1
#define iChannelTime float[4](iTime, iTime, iTime, iTime)
#define iFrameRate (1.0 / iTimeDelta)
#define iSampleRate 44100.0
";

/// Slopes of what is drawn from the top, where `fragCoord` counts from the bottom. A macro is not replaced in its own text.
const SLOPES: &str = "\
#define dFdy(p) (-dFdy(p))
#define dFdyFine(p) (-dFdyFine(p))
#define dFdyCoarse(p) (-dFdyCoarse(p))
";

/// Words of 4.50 that ES 3.00 leaves to authors.
const FREE: &str = "#define buffer gpucc_buffer\n#define shared gpucc_shared\n#define precise gpucc_precise\n";

/// The names of [`UNIFORMS`] and of the channels: a text for another viewer declares those that it reads.
#[rustfmt::skip]
const NAMES: [&str; 15] = [
    "iResolution", "iTime", "iGlobalTime", "iMouse", "iTimeDelta", "iFrame", "iFrameRate", "iSampleRate", "iDate",
    "iChannelTime", "iChannelResolution", "iChannel0", "iChannel1", "iChannel2", "iChannel3",
];

/// A body with what makes it a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapped<'a> {
    /// The text as the author wrote it.
    pub body: &'a str,
}

impl Wrapped<'_> {
    /// In front of the body for a reader that takes textures and samplers apart: its bytes are this text's length on.
    pub fn before(&self, toy: &Toy) -> String {
        let mut text = format!("#version 450\n{UNIFORMS}");
        // One sampler does for channels of one kind.
        let own = *toy != Toy::default();
        for (k, channel) in toy.channels.iter().enumerate() {
            let (dim, texture) = (channel.dimension(), k + 2);
            let sampler = if own { format!("gpucc_sampler{k}") } else { "gpucc_sampler".into() };
            if own || k == 0 {
                let binding = if own { k + 6 } else { 1 };
                text += &format!("layout(set = 0, binding = {binding}) uniform sampler {sampler};\n");
            }
            text += &format!("layout(set = 0, binding = {texture}) uniform texture{dim} gpucc_channel{k};\n");
            text += &format!("#define iChannel{k} sampler{dim}(gpucc_channel{k}, {sampler})\n");
        }
        text + &sizes(toy)
    }

    /// The complete text for such a reader.
    pub fn text(&self, toy: &Toy) -> String {
        format!("{}{}{}", self.before(toy), blanked(self.body), behind(toy))
    }

    /// The complete text, in which lines count as the body's. Channels are textures with their samplers in one, so that functions take them.
    pub(crate) fn numbered(&self, toy: &Toy) -> String {
        let mut text = String::from("#version 450\n");
        if toy.common.is_some() || old::includes(self.body) {
            text += old::INCLUDES;
        }
        text += UNIFORMS;
        for (k, channel) in toy.channels.iter().enumerate() {
            let (dim, binding) = (channel.dimension(), k + 2);
            text += &format!("layout(set = 0, binding = {binding}) uniform sampler{dim} iChannel{k};\n");
        }
        text += &sizes(toy);
        text += FREE;
        if !toy.is_buffer {
            text += SLOPES;
        }
        if let Some(name) = toy.common.as_ref().and_then(|c| c.file_name()) {
            text += &format!("#include \"{}\"\n", name.to_string_lossy());
        }
        format!("{text}#line 1\n{}{}", blanked(self.body), behind(toy))
    }
}

/// The sizes of the channels.
fn sizes(toy: &Toy) -> String {
    let size = |k: usize| match toy.channels[k] {
        Channel::Volume => format!("vec3(textureSize(iChannel{k}, 0))"),
        _ => format!("vec3(textureSize(iChannel{k}, 0), 1.0)"),
    };
    format!("#define iChannelResolution vec3[4]({}, {}, {}, {})\n", size(0), size(1), size(2), size(3))
}

/// Behind a body: `fragCoord` counts from the lower left, and alpha of the picture is not looked at.
fn behind(toy: &Toy) -> String {
    let (y, colour) = match toy.is_buffer {
        true => ("gl_FragCoord.y", "gpucc_out"),
        false => ("iResolution.y - gl_FragCoord.y", "vec4(gpucc_out.rgb, 1.0)"),
    };
    format!(
        "\nvoid main() {{\n    vec4 gpucc_out = vec4(0.0, 0.0, 0.0, 1.0);\n    mainImage(gpucc_out, vec2(gl_FragCoord.x, {y}));\n    \
         gpucc_colour = {colour};\n}}\n"
    )
}

/// The body without its version and without its own declarations of what stands in front of it, each blank as long as it was.
fn blanked(body: &str) -> String {
    let is_told = |line: &str| {
        let line = line.trim();
        let Some(rest) = line.strip_prefix("uniform ").and_then(|r| r.split_once(';')) else {
            return is_version(line);
        };
        let name = rest.0.split('[').next().and_then(|d| d.split_whitespace().last());
        name.is_some_and(|n| NAMES.contains(&n)) && (rest.1.trim().is_empty() || rest.1.trim().starts_with("//"))
    };
    let blank = |line: &str| -> String {
        line.bytes().map(|b| if matches!(b, b'\r' | b'\n') { char::from(b) } else { ' ' }).collect()
    };
    body.split_inclusive('\n').map(|l| if is_told(l) { blank(l) } else { l.to_string() }).collect()
}

/// Whether a line is a version of those that bodies are written in.
fn is_version(line: &str) -> bool {
    let rest = line.strip_prefix('#').and_then(|r| r.trim_start().strip_prefix("version"));
    rest.is_some_and(|r| r.split_whitespace().next().is_some_and(|n| n.parse::<u32>().is_ok()))
}

/// The names of functions that a text calls or defines.
fn called(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    words::all(text).into_iter().filter(|w| words::is_called(text, w.end))
}

/// The shader around a body: a text that has `mainImage` and no `main`.
pub fn shadertoy(text: &str) -> Option<Wrapped<'_>> {
    if !text.contains("mainImage") {
        return None;
    }
    let names: Vec<&str> = called(text).map(|w| &text[w]).collect();
    (names.contains(&"mainImage") && !names.contains(&"main")).then_some(Wrapped { body: text })
}

/// The refusal of a body for what is no picture: sound, faces of a cube, an eye in a room.
pub(crate) fn elsewhere(text: &str) -> Option<Diagnostic> {
    const OTHERS: [(&str, &str); 3] = [
        ("mainSound", "a body for sound (`mainSound`): there is nobody to hear it"),
        ("mainCubemap", "a body for the faces of a cube (`mainCubemap`)"),
        ("mainVR", "a body for two eyes (`mainVR`)"),
    ];
    if !OTHERS.iter().any(|o| text.contains(o.0)) {
        return None;
    }
    let names: Vec<_> = called(text).collect();
    if names.iter().any(|w| matches!(&text[w.clone()], "mainImage" | "main")) {
        return None;
    }
    OTHERS.iter().find_map(|(name, what)| {
        let at = names.iter().find(|w| &text[(*w).clone()] == *name)?;
        let at = Span::new(at.start as u32, at.end as u32);
        Some(Diagnostic::unsupported(Refusal::Parser, (*what).to_string()).at(at, ""))
    })
}
