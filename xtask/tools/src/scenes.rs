//! The page of people who write scenes: tables of keys made from the text of `scene/src/model`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use gpucc_pipeline::{
    BlendFactor, BlendOperation, Compare, CullMode, Filter, Format, FrontFace, IndexFormat, StencilOperation, StepMode,
    Topology, VertexFormat,
};

use crate::workspace;

/// A table: its title, the type with the keys, the types that say more of them, and what is to be known beside.
struct Table {
    title: &'static str,
    of: &'static str,
    more: &'static [&'static str],
    text: &'static str,
}

const fn table(title: &'static str, of: &'static str, more: &'static [&'static str], text: &'static str) -> Table {
    Table { title, of, more, text }
}

const TABLES: &[Table] = &[
    table(
        "The scene",
        "Scene",
        &[],
        "Keys of the file itself. Without `outputs` the one colour attachment of the passes is the picture.",
    ),
    table(
        "Shaders",
        "RawShader",
        &["Shader"],
        "Exactly one of the keys. Endings: `.wgsl`, `.spv`, `.vert`, `.frag`, `.comp`.",
    ),
    table("Textures", "Texture", &[], "Without contents a texture is zero. Of a PNG file the picture fills level 0."),
    table(
        "Contents of textures",
        "RawContents",
        &["Contents", "Data", "Fill"],
        "Exactly one of `hex`, `zlib64`, `f32`, `u32`, `i32`, `file` and `generator`. Bytes lie as rows, tightly packed from top to bottom, \
         then slices or layers, then levels. A file whose name ends in `.png` is a picture, any other one raw bytes.",
    ),
    table(
        "Generators",
        "RawGenerator",
        &["Pattern", "Generator"],
        "Components are integers from 0 to 255 at texel (x, y, z). `solid` has the colour `a`; `checker` has `a` and `b` in turn by cells of \
         `cell` texels; `gradient` rises along each axis; `noise` hashes place, level and `seed`. Formats of 8 bits take the integer as the code, \
         floats of 16 and 32 bits take value / 256, `depth16unorm` takes 257 times the first.",
    ),
    table("Samplers", "Sampler", &[], ""),
    table(
        "Buffers",
        "RawBuffer",
        &["Buffer", "Data"],
        "At most one of `hex`, `zlib64`, `f32`, `u32`, `i32`, `addresses`, `file` and `data`. What the data does not fill is zero. Without data `size` is required. \
         A buffer with `frame = true` has neither: its 64 bytes tell the moment, as those of a fragment shader alone do. \
         An address is `\"NAME\"` or `\"NAME+BYTES\"`, of a buffer of this scene: eight bytes that a shader follows as a pointer \
         (`buffer_reference`). What has an address need not be bound; if it is, then as a whole, and once.",
    ),
    table(
        "Values that follow the moment",
        "Follows",
        &["Value"],
        "Elements of `follows`: what of a buffer is the moment's where `--time`, `--mouse`, `--frames` or `--skip` give one.",
    ),
    table(
        "Pipelines",
        "RawPipeline",
        &["Render", "Pipeline"],
        "A compute pipeline has `compute` and nothing else. A render pipeline has `vertex`; without `fragment` it writes depth and stencil alone.",
    ),
    table("Stages", "Stage", &[], "The value of `compute`; `vertex` and `fragment` have these keys and one more."),
    table("Vertex stages", "Vertex", &[], ""),
    table("Vertex buffers of a pipeline", "VertexLayout", &[], ""),
    table("Attributes", "VertexAttribute", &[], ""),
    table("Fragment stages", "Fragment", &[], ""),
    table(
        "Targets",
        "Target",
        &[],
        "`blend` is a table with `color` and `alpha`, each with the keys of the next table.",
    ),
    table("Blending", "fn blend_component", &[], ""),
    table("Primitives", "Primitive", &[], ""),
    table("Depth and stencil", "DepthStencil", &[], ""),
    table("Stencil faces", "fn stencil_face", &[], ""),
    table("Multisampling", "Multisample", &[], ""),
    table(
        "Passes",
        "RawPass",
        &["Pass"],
        "A `compute` pass has `pipeline`, `bindings`, `immediates` and `dispatch`, a `render` pass the others. What a pass wrote is seen by the next.",
    ),
    table("Colour attachments", "ColorAttachment", &[], ""),
    table("Resolve targets", "ResolveTarget", &[], ""),
    table(
        "Depth-stencil attachments",
        "DepthStencilAttachment",
        &[],
        "Operations are those of the aspects that the format has.",
    ),
    table("Draws", "RawDraw", &["Draw"], "Exactly one of `draw` and `drawIndexed`."),
    table("Plain draws", "RawCall", &["Call"], ""),
    table("Indexed draws", "RawIndexedCall", &["Call"], ""),
    table("Vertex buffers of a draw", "BufferRange", &[], ""),
    table("Index buffers", "IndexBuffer", &[], ""),
    table(
        "Bindings",
        "RawBinding",
        &["Binding", "BufferRange", "TextureView"],
        "Exactly one of `buffer`, `sampler` and `texture`. `offset` and `size` are of a buffer; all behind `texture` is of a texture.",
    ),
    table("Immediate data", "RawImmediates", &["Data"], "Exactly one of the keys."),
    table(
        "Outputs",
        "RawOutput",
        &["Output", "OutputSource", "BufferRange"],
        "Exactly one of `texture` and `buffer`. `offset` and `size` are of a buffer.",
    ),
];

/// A key of a table.
struct Key {
    name: String,
    ty: String,
    attributes: String,
    meaning: String,
}

/// The text of the model.
struct Model {
    text: String,
    /// Words of the types that are written as words.
    words: BTreeMap<String, Vec<String>>,
}

/// `lower_snake` and `UpperCamel` as keys have it.
fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut up = false;
    for (k, c) in name.trim_start_matches("r#").chars().enumerate() {
        match c {
            '_' => up = true,
            c if k == 0 => out.extend(c.to_lowercase()),
            c if up => {
                out.extend(c.to_uppercase());
                up = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// Text between the brace behind `at` and the one that closes it.
fn block(text: &str, at: usize) -> &str {
    let start = at + text[at..].find('{').map_or(0, |k| k + 1);
    let mut depth = 1;
    for (k, c) in text[start..].char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return &text[start..start + k];
        }
    }
    &text[start..]
}

impl Model {
    fn read() -> Model {
        let folder = workspace::root().join("scene/src/model");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let text = ["mod.rs", "resource.rs", "pipeline.rs", "pass.rs", "de.rs", "dimension.rs", "follows.rs"]
            .map(read)
            .concat();
        let mut model = Model { text, words: BTreeMap::new() };
        model.fix_words();
        macro_rules! named {
            ($($ty:ident)*) => {$(
                model.words.insert(stringify!($ty).into(), $ty::ALL.iter().map(|v| v.name().to_string()).collect());
            )*};
        }
        named! { BlendFactor BlendOperation Compare CullMode Filter FrontFace IndexFormat StencilOperation StepMode Topology }
        model
    }

    /// Words by their types: `Type { "word" Variant ... }`.
    fn fix_words(&mut self) {
        for (at, _) in self.text.match_indices("words! {") {
            let mut rest = block(&self.text, at);
            while let Some(open) = rest.find('{') {
                let ty = rest[..open].trim().to_string();
                let body = block(rest, open);
                let list = body.split('"').skip(1).step_by(2).map(String::from).collect();
                self.words.insert(ty, list);
                rest = &rest[open + body.len() + 2..];
            }
        }
    }

    /// Where an item begins, and its attributes.
    fn item(&self, of: &str) -> Option<(usize, &str)> {
        let at = match of.strip_prefix("fn ") {
            Some(function) => {
                let f = self.text.find(&format!("fn {function}<"))?;
                f + self.text[f..].find("struct Raw")?
            }
            None => ["struct", "enum"].iter().find_map(|kind| self.text.find(&format!("{kind} {of} {{")))?,
        };
        let before = &self.text[..at];
        let from = before.rfind("\n\n").unwrap_or(0).max(before.rfind("> {\n").unwrap_or(0));
        Some((at, &before[from..]))
    }

    /// The keys of an item: fields of a struct, fields and variants of an enum.
    fn keys(&self, of: &str) -> Vec<Key> {
        let Some((at, head)) = self.item(of) else { return Vec::new() };
        let whole = if head.contains("default)]") { "default" } else { "" };
        let (mut keys, mut attributes, mut meaning) = (Vec::new(), String::from(whole), String::new());
        for line in block(&self.text, at).lines().map(str::trim) {
            if let Some(doc) = line.strip_prefix("///") {
                meaning = format!("{meaning} {}", doc.trim()).trim().into();
            } else if line.starts_with("#[") {
                attributes += line;
            } else if let Some((name, ty)) = line.trim_start_matches("pub ").split_once(": ") {
                let ty = ty.trim_end_matches(',').into();
                keys.push(Key { name: camel(name), ty, attributes, meaning });
                (attributes, meaning) = (whole.into(), String::new());
            } else if let Some(name) = line.split(['(', ' ', ',']).next().filter(|n| n.starts_with(char::is_uppercase))
            {
                keys.push(Key { name: camel(name), ty: String::new(), attributes, meaning });
                (attributes, meaning) = (whole.into(), String::new());
            }
        }
        keys
    }

    /// A type as people call it.
    fn type_name(&self, ty: &str, attributes: &str) -> String {
        let inside = |what: &str| ty.strip_prefix(what).and_then(|t| t.strip_suffix('>'));
        if attributes.contains("size\"") {
            return "list of 1 to 3 whole numbers".into();
        }
        if let Some(t) = inside("Option<") {
            return self.type_name(t, attributes);
        }
        if let Some(t) = inside("Vec<") {
            let of = self.type_name(t.trim_start_matches("Option<").trim_end_matches('>'), "");
            let several = if attributes.contains("one_or_many") {
                format!("{of}, or a list of them")
            } else {
                format!("list: {of}")
            };
            return several;
        }
        if let Some(t) = inside("Names<") {
            return format!("table of names: {}", self.type_name(t, ""));
        }
        if let Some((t, n)) = ty.strip_prefix('[').and_then(|t| t.strip_suffix(']')).and_then(|t| t.split_once("; ")) {
            return format!("list of {n}: {}", self.type_name(t, ""));
        }
        if let Some(words) = self.words.get(ty) {
            return words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ");
        }
        let link = |title: &str| format!("[{}](#{})", title.to_lowercase(), title.to_lowercase().replace(' ', "-"));
        match ty {
            "String" | "Address" => "text".into(),
            "bool" => "`true`, `false`".into(),
            "u8" | "u32" | "u64" => "whole number".into(),
            "i32" => "integer".into(),
            "f32" | "f64" => "number".into(),
            "Version" => "`scene-1`".into(),
            "Format" => link("Texture formats"),
            "VertexFormat" => link("Vertex formats"),
            "Blend" => link("Blending"),
            "StencilFace" => link("Stencil faces"),
            "DataPart" => "table with one of the keys above".into(),
            "RawImmediates" => "table with one of the keys above".into(),
            ty => {
                let raw = format!("Raw{ty}");
                let of = |t: &&Table| t.of == ty || t.of == raw;
                TABLES.iter().find(of).map_or_else(|| format!("?{ty}?"), |t| link(t.title))
            }
        }
    }

    /// The value of a key that is left out; nothing if it cannot be.
    fn default(&self, of: &str, key: &Key) -> Option<String> {
        let own = self.text.find(&format!("impl Default for {of} {{")).map(|at| block(&self.text, at));
        let line = |l: &&str| camel(l.split(':').next().unwrap_or_default()) == key.name;
        // Only a texture has a size of its own kind.
        if key.attributes.contains("de::texture_size") {
            return Some("that of the picture".into());
        }
        if let Some(line) = own.and_then(|o| {
            o.lines()
                .map(str::trim)
                .flat_map(|l| l.split(", "))
                .map(|l| l.trim_start_matches(&*format!("{of} {{ ")))
                .find(line)
        }) {
            let value = line.split_once(": ").map_or("", |v| v.1).trim_end_matches([',', ' ', '}']);
            return Some(match value.split_once("::") {
                Some((_, "MAX")) => "0xffffffff".into(),
                Some((_, variant)) => kebab(variant),
                None if value == "None" => String::new(),
                None => value.into(),
            });
        }
        for (name, value) in [("\"one\"", "1"), ("\"all_components\"", "15"), ("\"all_bits\"", "0xffffffff")] {
            if key.attributes.contains(&format!("default = {name}")) {
                return Some(value.into());
            }
        }
        if key.ty.starts_with("Option<") {
            return Some(String::new());
        }
        if !key.attributes.contains("default") {
            return None;
        }
        macro_rules! first {
            ($($ty:ident)*) => {
                match key.ty.as_str() {
                    $(stringify!($ty) => return Some($ty::default().name().into()),)*
                    _ => {}
                }
            };
        }
        first! { Filter FrontFace CullMode StepMode Topology }
        Some(match key.ty.as_str() {
            "bool" => "false".into(),
            "[f64; 4]" => "[0, 0, 0, 0]".into(),
            "u32" | "u64" | "i32" | "f64" => "0".into(),
            ty if self.words.contains_key(ty) => {
                let body = self.item(ty).map_or("", |(at, _)| block(&self.text, at));
                let behind = body.split("#[default]").nth(1).unwrap_or_default();
                let variant = behind.trim().split(',').next().unwrap_or_default();
                self.word_of(ty, variant)
            }
            _ => String::new(),
        })
    }

    /// The word of a variant.
    fn word_of(&self, ty: &str, variant: &str) -> String {
        let at = self.text.find(&format!("{ty} {{ \"")).unwrap_or(0);
        let body = block(&self.text, at);
        let mut parts = body.split('"').skip(1);
        while let (Some(word), Some(v)) = (parts.next(), parts.next()) {
            if v.split_whitespace().any(|v| v == variant) {
                return word.into();
            }
        }
        kebab(variant)
    }
}

fn kebab(variant: &str) -> String {
    let mut out = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

const HEAD: &str = "# How to write a scene

A scene is a frame in WebGPU's words: shaders, textures, samplers, buffers and pipelines by name, then passes in order. People write TOML, programs
write JSON: the keys are the same. `gpucc render` draws it:

    gpucc render scene.toml -o picture.png
    gpucc render scene.toml --target gcn,valhall --oracle -o picture.png

Keys and defaults are those of WebGPU's descriptors. Usages, labels and layouts are not written: usage follows from use. An unknown key, a name that
does not exist, or what WebGPU's validation refuses is an error with file, line and field. Files are relative to the scene. A hole in a list of
targets, attachments or vertex buffers is `null` in JSON and `{}` in TOML. Numbers that JSON cannot write are the texts `\"nan\"`, `\"inf\"` and `\"-inf\"`.

`examples/scenes` has three scenes to start from: a triangle, a textured quad, and a lit mesh with a depth buffer. Thirteen more are to be
looked at, and each begins with a sentence on what it shows.
`gpucc render vertex.wgsl fragment.wgsl --init` prints a scene made for two shaders, to be edited. Limits and choices of ours are in
[scenes.md](scenes.md). This is the triangle:

```toml
";

/// The text of the page.
pub fn page() -> String {
    let model = Model::read();
    let example = fs::read_to_string(workspace::root().join("examples/scenes/triangle.toml")).unwrap_or_default();
    let mut out = format!("{HEAD}{}\n```\n", example.trim_end());
    for t in TABLES {
        let _ = write!(out, "\n## {}\n", t.title);
        if !t.text.is_empty() {
            let _ = write!(out, "\n{}\n", t.text);
        }
        out += "\n| key | value | if left out | meaning |\n|---|---|---|---|\n";
        let more: Vec<Key> = t.more.iter().flat_map(|m| model.keys(m)).collect();
        for key in model.keys(t.of) {
            let other = more.iter().find(|m| m.name == key.name).map_or("", |m| &m.meaning);
            let meaning = if key.meaning.is_empty() { other } else { &key.meaning };
            let default = match model.default(t.of, &key) {
                None => "required".into(),
                Some(d) if d.is_empty() => d,
                Some(d) => format!("`{d}`"),
            };
            let _ = writeln!(
                out,
                "| `{}` | {} | {default} | {meaning} |",
                key.name,
                model.type_name(&key.ty, &key.attributes)
            );
        }
    }
    let list = |names: Vec<String>| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let textures = list(Format::ALL.iter().map(|f| f.name().to_string()).collect());
    let vertices = list(VertexFormat::ALL.iter().map(|f| f.name().to_string()).collect());
    let _ = write!(out, "\n## Texture formats\n\n{textures}.\n\n## Vertex formats\n\n{vertices}.\n");
    out
}
