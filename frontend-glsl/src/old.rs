//! Texts of versions that Vulkan has not, in the form of the next one that has all of theirs: ES 3.1, or 4.50. Every word keeps its line, and
//! nearly every one its column.

use gpucc_ir::{Diagnostic, Refusal, Span};

use crate::stage::Stage;
use crate::words;

/// A version: its number, whether it is of ES, the line that says it (from 1) and the bytes up to its end.
struct Version {
    number: u32,
    es: bool,
    compatible: bool,
    line: usize,
    end: usize,
}

/// The version that a text says, or 110.
fn version(text: &str) -> Version {
    let mut at = 0;
    for (k, l) in text.split_inclusive('\n').enumerate() {
        at += l.len();
        let rest = l.trim_start().strip_prefix('#').and_then(|r| r.trim_start().strip_prefix("version"));
        let Some(rest) = rest else { continue };
        let mut words = rest.split_whitespace();
        let number = words.next().and_then(|n| n.parse().ok()).unwrap_or(110);
        let profile = words.next();
        let es = profile == Some("es") || number == 100;
        return Version { number, es, compatible: profile == Some("compatibility"), line: k + 1, end: at };
    }
    Version { number: 110, es: false, compatible: false, line: 0, end: 0 }
}

/// What a fixed pipeline gave to shaders: nothing gives it here.
#[rustfmt::skip]
const FIXED: [&str; 21] = [
    "gl_Vertex", "gl_Normal", "gl_Color", "gl_SecondaryColor", "gl_FogCoord", "gl_FogFragCoord", "gl_FrontColor",
    "gl_BackColor", "gl_FrontSecondaryColor", "gl_BackSecondaryColor", "gl_ClipVertex", "gl_TexCoord",
    "gl_ModelViewMatrix", "gl_ModelViewProjectionMatrix", "gl_ProjectionMatrix", "gl_NormalMatrix",
    "gl_TextureMatrix", "gl_LightSource", "gl_FrontMaterial", "gl_Fog", "ftransform",
];

/// The refusal of a text that reads what a fixed pipeline gave.
pub fn fixed_function(text: &str) -> Option<Diagnostic> {
    if !text.contains("gl_") && !text.contains("ftransform") {
        return None;
    }
    let v = version(text);
    if v.es || !(v.number < 140 || v.compatible) {
        return None;
    }
    let found = words::all(text)
        .into_iter()
        .find(|w| FIXED.contains(&&text[w.clone()]) || text[w.clone()].starts_with("gl_MultiTexCoord"))?;
    let at = Span::new(found.start as u32, found.end as u32);
    let name = &text[found];
    let d =
        Diagnostic::unsupported(Refusal::Parser, format!("`{name}` is of OpenGL's fixed pipeline, which is not here"));
    Some(d.at(at, "").note("declare an input or a uniform of your own for it"))
}

/// Functions whose names had the kind of the texture in them, and their names today, or those of [`shadows`].
const CALLS: [(&str, &str); 43] = [
    ("texture1D", "texture"),
    ("texture1DLod", "textureLod"),
    ("texture1DProj", "textureProj"),
    ("texture1DProjLod", "textureProjLod"),
    ("texture1DGradARB", "textureGrad"),
    ("texture1DProjGradARB", "textureProjGrad"),
    ("texture1DArray", "texture"),
    ("texture1DArrayLod", "textureLod"),
    ("texture2D", "texture"),
    ("texture2DLod", "textureLod"),
    ("texture2DProj", "textureProj"),
    ("texture2DProjLod", "textureProjLod"),
    ("texture2DLodEXT", "textureLod"),
    ("texture2DGradEXT", "textureGrad"),
    ("texture2DProjLodEXT", "textureProjLod"),
    ("texture2DProjGradEXT", "textureProjGrad"),
    ("texture2DGradARB", "textureGrad"),
    ("texture2DProjGradARB", "textureProjGrad"),
    ("texture2DRect", "texture"),
    ("texture2DRectProj", "textureProj"),
    ("texture2DArray", "texture"),
    ("texture2DArrayLod", "textureLod"),
    ("texture3D", "texture"),
    ("texture3DLod", "textureLod"),
    ("texture3DProj", "textureProj"),
    ("texture3DProjLod", "textureProjLod"),
    ("texture3DGradARB", "textureGrad"),
    ("texture3DProjGradARB", "textureProjGrad"),
    ("textureCube", "texture"),
    ("textureCubeLod", "textureLod"),
    ("textureCubeLodEXT", "textureLod"),
    ("textureCubeGradEXT", "textureGrad"),
    ("textureCubeGradARB", "textureGrad"),
    ("shadow2DEXT", "texture"),
    ("shadow2DProjEXT", "textureProj"),
    ("shadow1D", "gpucc_1D"),
    ("shadow1DLod", "gpucc_1DLod"),
    ("shadow1DProj", "gpucc_1DProj"),
    ("shadow1DProjLod", "gpucc_1DProjLod"),
    ("shadow2D", "gpucc_2D"),
    ("shadow2DLod", "gpucc_2DLod"),
    ("shadow2DProj", "gpucc_2DProj"),
    ("shadow2DProjLod", "gpucc_2DProjLod"),
];

/// Comparisons that gave four components, which those of today do not.
fn shadows(stage: Stage) -> String {
    let mut out = String::new();
    let kinds = [("1D", "", "vec3"), ("1D", "Proj", "vec4"), ("2D", "", "vec3"), ("2D", "Proj", "vec4")];
    for (kind, proj, place) in kinds {
        let mut function = |lod: &str, more: &str, given: &str| {
            out += &format!(
                "vec4 gpucc_{kind}{proj}{lod}(sampler{kind}Shadow s, {place} p{more}) {{ return vec4(texture{proj}{lod}(s, p{given})); }}\n"
            );
        };
        function("", "", "");
        function("Lod", ", float l", ", l");
        if stage == Stage::Fragment {
            function("", ", float b", ", b");
        }
    }
    out
}

/// Names that people could choose and that are words of the language today.
const TAKEN: [&str; 9] = ["texture", "sample", "buffer", "shared", "smooth", "flat", "patch", "uint", "common"];

/// Extensions of ES that later versions have in the language.
const INCLUDED: [&str; 5] = [
    "GL_OES_standard_derivatives",
    "GL_EXT_shader_texture_lod",
    "GL_EXT_frag_depth",
    "GL_EXT_draw_buffers",
    "GL_EXT_shadow_samplers",
];

/// What lets a text include others.
pub const INCLUDES: &str = "#extension GL_GOOGLE_include_directive : enable\n";

/// Whether a text includes others.
pub fn includes(text: &str) -> bool {
    let named = |l: &str| l.trim_start().strip_prefix('#').is_some_and(|r| r.trim_start().starts_with("include"));
    text.lines().any(named)
}

/// The text of a stage with a version that Vulkan has.
pub fn modern(text: &str, stage: Stage) -> String {
    let v = version(text);
    let is_old = match (v.es, v.number) {
        (true, n) => n < 310,
        (false, n) => n < 420,
    };
    let includes = includes(text);
    if !is_old && !includes && !v.compatible {
        return text.to_string();
    }
    let mut prelude = String::new();
    if includes {
        prelude += INCLUDES;
    }
    if !is_old {
        let number = if v.es { format!("{} es", v.number) } else { v.number.to_string() };
        return format!("#version {number}\n{prelude}#line {}\n{}", v.line + 1, &text[v.end..]);
    }
    let behind = &text[v.end..];
    if stage == Stage::Fragment {
        prelude += &outputs(behind, v.es);
    }
    if !v.es && behind.contains("shadow") {
        prelude += &shadows(stage);
    }
    let first = if v.es { "#version 310 es\n" } else { "#version 450\n" };
    let body = if v.es && v.number >= 300 { behind.to_string() } else { renamed(behind, stage, &v) };
    format!("{first}{prelude}#line {}\n{body}", v.line + 1)
}

/// Declarations of the outputs that had none.
fn outputs(text: &str, es: bool) -> String {
    let mut out = String::new();
    let has = |name: &str| words::has(text, name) && !text.contains(&format!("define {name}"));
    if has("gl_FragColor") {
        out += "layout(location = 0) out highp vec4 gpucc_FragColor;\n#define gl_FragColor gpucc_FragColor\n";
    }
    if has("gl_FragData") {
        let number = |rest: &str| rest.trim_start().strip_prefix('[')?.split(']').next()?.trim().parse::<u32>().ok();
        let last = text.match_indices("gl_FragData").filter_map(|(at, n)| number(&text[at + n.len()..])).max();
        let many = last.unwrap_or(0).min(7) + 1;
        out += &format!(
            "layout(location = 0) out highp vec4 gpucc_FragData[{many}];\n#define gl_FragData gpucc_FragData\n"
        );
    }
    if es && has("gl_FragDepthEXT") {
        out += "#define gl_FragDepthEXT gl_FragDepth\n";
    }
    out
}

/// The text with the words of today. None is longer than what it stands for.
fn renamed(text: &str, stage: Stage, v: &Version) -> String {
    let list = words::all(text);
    let oldest = v.number < 130;
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (k, w) in list.iter().enumerate() {
        let word = &text[w.clone()];
        let new: &str = match word {
            "attribute" if stage == Stage::Vertex => "in",
            "varying" if stage == Stage::Vertex => "out",
            "varying" => "in",
            // What the other stage says is enough.
            "invariant" if stage == Stage::Fragment => match list.get(k + 1).map(|n| &text[n.clone()]) {
                Some("varying") => "",
                _ => continue,
            },
            _ if oldest && TAKEN.contains(&word) => "_",
            _ if words::is_called(text, w.end) => match CALLS.iter().find(|c| c.0 == word) {
                Some((_, today)) => today,
                None => continue,
            },
            _ => continue,
        };
        out += &text[at..w.start];
        if new == "_" {
            // The last letter is enough to make it another name.
            out += &word[..word.len() - 1];
        }
        out += new;
        if new != "_" {
            out.extend(std::iter::repeat_n(' ', word.len() - new.len()));
        }
        at = w.end;
    }
    out += &text[at..];
    if v.es {
        let blank = |l: &str| l.trim_start().starts_with("#extension") && INCLUDED.iter().any(|e| l.contains(e));
        out = out.split_inclusive('\n').map(|l| if blank(l) { "\n" } else { l }).collect();
    }
    out
}
