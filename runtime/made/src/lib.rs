//! The scene of a vertex and a fragment shader for which nobody wrote one, as its text: a grid or a triangle, textures of patterns,
//! uniform buffers by their names, targets of the types that the fragment shader gives.

use std::fmt::Write as _;
use std::path::Path;

use gpucc::glsl::Block;
use gpucc_ir::{IoAt, IoSlot, ResourceKind, Stage, TexClass, TexDim};
use gpucc_scene::model::Held;
use gpucc_scene::read::{self, Language};
use gpucc_scene::{Resources, Scene, SceneFile, limits, output};

use gpucc_scene::moment::Follows;

use gpucc_render::shaders::{Entry, Reading, Shaders};
use gpucc_render::used::{InScene, Used};
use gpucc_render::{Failure, Place, PreparedScene, Programs, frame, loose};

/// Squares along a side of the grid.
const SQUARES: u32 = 4;
/// Bytes of a buffer whose length nobody says.
const OPEN_BYTES: u32 = 1024;
/// Texels along a side of a texture.
const SIDE: u32 = 64;

/// What a scene is made of.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The files of the vertex and of the fragment shader, which may be one.
    pub files: [&'a str; 2],
    /// Their entry points; without a name the only one of its stage.
    pub entries: [Option<&'a str>; 2],
    /// The folder that files are relative to.
    pub folder: &'a Path,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Which of the contents of buffers that may show something.
    pub attempt: u32,
}

/// Contents that are tried where nobody chooses one.
const ATTEMPTS: u32 = 4;
/// Steps and sides of a picture that is drawn to see whether contents show something.
const TRIED: (u64, u32) = (20_000_000, 32);

/// The scene of a pair with the first contents of buffers whose picture has two colours; with those of the first attempt where none has.
///
/// # Errors
/// As [`scene`].
pub fn liveliest(pair: &Pair<'_>, reading: &Reading) -> Result<String, Failure> {
    let first = scene(pair, reading)?;
    for attempt in 0..ATTEMPTS {
        let small = Pair { size: [TRIED.1; 2], attempt, ..*pair };
        if shows(&small, reading) {
            return scene(&Pair { attempt, ..*pair }, reading);
        }
    }
    Ok(first)
}

/// Whether the picture of a pair has two colours. One that cannot be drawn has none.
fn shows(pair: &Pair<'_>, reading: &Reading) -> bool {
    let drawn = || {
        let text = scene(pair, reading).ok()?;
        let scene = read::parse(&text, Language::Toml).ok()?;
        let file = SceneFile { scene, name: pair.files[0].into(), folder: pair.folder.into(), text: None };
        let ready = PreparedScene::read(file, reading).ok()?;
        let programs = Programs::new(&ready.file.scene, &ready.shaders, Place::interp(0)).ok()?;
        let mut options = frame::Options::default();
        options.run.step_limit = TRIED.0;
        let mut resources = ready.resources.clone();
        frame::run(&ready.file.scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}).ok()?;
        Some(!is_plain(&ready.file.scene, &resources))
    };
    drawn().unwrap_or(false)
}

/// Whether the picture that a scene presents has one colour.
pub fn is_plain(scene: &Scene, resources: &Resources) -> bool {
    let picture = scene.presented().and_then(|out| output::picture(scene, resources, &out).ok());
    picture.is_some_and(|p| p.is_plain())
}

/// The text of the scene that draws a vertex and a fragment shader.
///
/// # Errors
/// A shader that cannot be read or is wrong, that has no entry point of the stage or several.
pub fn scene(pair: &Pair<'_>, reading: &Reading) -> Result<String, Failure> {
    let Pair { files, entries, folder, size, attempt } = *pair;
    let entries = entries.map(|e| e.map_or_else(String::new, |e| format!(", entryPoint = {}", quoted(e))));
    let mut text = String::from("format = \"scene-1\"\npresent = \"picture\"\n\n[shaders]\n");
    let names = if files[0] == files[1] { ["shader"; 2] } else { ["vertex", "fragment"] };
    for (k, (name, file)) in names.iter().zip(files).enumerate() {
        if k == 0 || files[0] != files[1] {
            let _ = writeln!(text, "{name} = {{ file = {} }}", quoted(file));
        }
    }
    let short = format!(
        "{text}[pipelines.picture]\nvertex = {{ shader = \"{}\"{} }}\nfragment = {{ shader = \"{}\"{}, targets = [] }}\n",
        names[0], entries[0], names[1], entries[1]
    );
    let short = short.replace("present = \"picture\"\n", "");
    let parsed = read::parse(&short, Language::Toml)?;
    let shaders =
        Shaders::read(&SceneFile { scene: parsed, name: files[0].into(), folder: folder.into(), text: None }, reading)?;
    let of = |stage| shaders.entries.iter().find(|e| e.stage == stage);
    let (Some(v), Some(f)) = (of(Stage::Vertex), of(Stage::Fragment)) else { return Ok(text) };
    let io = |e: &Entry| e.point().interface().cloned().unwrap_or_default();
    let (vertex, fragment) = (io(v), io(f));
    // A texture that is compared anywhere is a depth, and a buffer has room for what either stage declares.
    let mut used: Vec<Used> = Vec::new();
    for u in v.used.iter().chain(&f.used) {
        match used.iter_mut().find(|o| (o.group, o.binding, o.held()) == (u.group, u.binding, u.held())) {
            Some(o) if is_depth(u) => *o = u.clone(),
            Some(o) => o.min_size = o.min_size.max(u.min_size),
            None => used.push(u.clone()),
        }
    }
    // Of a block that both stages declare the larger one says all members.
    let mut blocks: Vec<Block> = [v, f].iter().flat_map(|e| shaders.sources[e.source].blocks()).collect();
    blocks.sort_by_key(|b| std::cmp::Reverse(b.members.len()));
    let mut out = Parts { attempt, blocks, ..Parts::default() };
    let immediates = out.immediates(&v.used, &f.used, size);
    let geometry = out.geometry(&vertex.inputs);
    let targets = out.targets(&fragment.outputs, size);
    for u in used {
        out.resource(&u, size);
    }
    let depth = has_depth(&fragment.outputs);
    out.write(&mut text);
    let _ = write!(
        text,
        "[pipelines.picture]\nvertex = {{ shader = \"{}\"{}{} }}\n",
        names[0], entries[0], geometry.layout
    );
    let formats = targets.formats.join(", ");
    let _ = writeln!(text, "fragment = {{ shader = \"{}\"{}, targets = [{formats}] }}", names[1], entries[1]);
    if depth {
        text +=
            "depthStencil = { format = \"depth32float\", depthWriteEnabled = true, depthCompare = \"less-equal\" }\n";
    }
    let _ = write!(text, "\n[[passes]]\ntype = \"render\"\ncolorAttachments = [{}]\n", targets.attachments.join(", "));
    if depth {
        text += "depthStencilAttachment = { texture = \"depth\" }\n";
    }
    let _ = write!(text, "[[passes.draws]]\npipeline = \"picture\"\n{}", geometry.draw);
    if !out.bindings.is_empty() {
        let _ = writeln!(text, "bindings = [\n    {},\n]", out.bindings.join(",\n    "));
    }
    text += &immediates;
    for (name, texture) in &targets.outputs {
        let _ = write!(text, "\n[[outputs]]\nname = \"{name}\"\ntexture = \"{texture}\"\n");
    }
    Ok(text)
}

/// Whether the pipeline has a depth: one that the fragment stage gives, or else one so that there is a target at all.
fn has_depth(outputs: &[IoSlot]) -> bool {
    let gives_colour = |o: &IoSlot| matches!(o.at, IoAt::Location { .. });
    outputs.iter().any(|o| o.at == IoAt::FragDepth) || !outputs.iter().any(gives_colour)
}

/// Text in quotation marks.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_depth(u: &Used) -> bool {
    matches!(u.kind, ResourceKind::Texture { class: TexClass::Depth, .. })
}

/// Whether a name has one of these parts, whatever its case.
fn has(name: &str, parts: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    parts.iter().any(|p| name.contains(p))
}

/// A list of numbers as TOML has it.
fn floats(list: impl IntoIterator<Item = f32>) -> String {
    let all: Vec<String> = list.into_iter().map(|v| format!("{v}")).collect();
    format!("[{}]", all.join(", "))
}

/// First contents of a block of so many bytes: colours and lights are white; matrices are the identity, with ones behind them, where the
/// name speaks of a place in space or of everything; anything else is zero.
fn block(name: &str, bytes: u32, attempt: u32) -> Option<String> {
    #[rustfmt::skip]
    const SPACE: [&str; 17] = [
        "mvp", "matri", "camera", "view", "proj", "transf", "model", "scene", "ubo", "glob", "uniform", "frame",
        "param", "push", "constants", "per", "pc",
    ];
    let words = (bytes / 4) as usize;
    if has(name, &["colour", "color", "light", "material", "tint"]) && attempt < 2 {
        return Some(floats(vec![1.0; words]));
    }
    // A block of a matrix or more is one of those whatever its name.
    if bytes < 64 && !has(name, &SPACE) {
        let other = |k: u32| if attempt == 1 { 0.5 } else { loose::noise(attempt, k) };
        return (attempt > 0).then(|| floats((0..bytes / 4).map(other)));
    }
    let matrices = words / 16 * 16;
    let behind = |k: usize| if attempt < 3 { 1.0 } else { loose::noise(attempt, k as u32) };
    let one = |k: usize| match k {
        k if k >= matrices => behind(k),
        // The last of several is the one that projects.
        k => loose::matrix(k % 16 / 4, k % 4, attempt, k + 16 >= matrices),
    };
    Some(floats((0..words).map(one)))
}

/// The draw call: the end of the pipeline's vertex stage, and lines of the draw.
struct Geometry {
    layout: String,
    draw: String,
}

/// Targets of the pipeline, attachments of the pass, and outputs with their textures.
#[derive(Default)]
struct Targets {
    formats: Vec<String>,
    attachments: Vec<String>,
    outputs: Vec<(String, String)>,
}

/// Lines of the resources, and the bindings of the draw.
#[derive(Default)]
struct Parts {
    attempt: u32,
    blocks: Vec<Block>,
    textures: Vec<String>,
    samplers: Vec<String>,
    buffers: Vec<String>,
    bindings: Vec<String>,
}

impl Parts {
    fn write(&self, text: &mut String) {
        for (name, list) in [("textures", &self.textures), ("samplers", &self.samplers), ("buffers", &self.buffers)] {
            if !list.is_empty() {
                let _ = write!(text, "\n[{name}]\n{}\n", list.join("\n"));
            }
        }
        text.push('\n');
    }

    /// The key of a buffer for the members of a block that follow the moment.
    fn follows(&self, u: &Used) -> String {
        let Some(known) = self.known(u) else { return String::new() };
        let one = |f: &Follows| {
            let components = if f.components > 1 { format!(", components = {}", f.components) } else { String::new() };
            let integer = if f.integer { ", integer = true" } else { "" };
            format!("{{ value = \"{}\", offset = {}{components}{integer} }}", f.value.name(), f.offset)
        };
        let list: Vec<String> = loose::follows(&known.members).iter().map(one).collect();
        if list.is_empty() { String::new() } else { format!(", follows = [{}]", list.join(", ")) }
    }

    /// The block of a resource, where all of its members have names.
    fn known(&self, u: &Used) -> Option<&Block> {
        let place = (u.kind != ResourceKind::Immediates).then(|| (u.group, u.place().0));
        self.blocks.iter().find(|b| b.place == place && b.members.iter().all(|m| !m.name.is_empty()))
    }

    /// First contents of a block: by the names of its members, or else by its own.
    fn contents(&self, u: &Used, bytes: u32, size: [u32; 2]) -> Option<String> {
        let Some(known) = self.known(u) else {
            return block(&u.name, bytes, self.attempt).map(|list| format!("f32 = {list}"));
        };
        let words = loose::made(&known.members, size, bytes, self.attempt);
        if known.members.iter().all(|m| m.shape.is_float) {
            return Some(format!("f32 = {}", floats(words.into_iter().map(f32::from_bits))));
        }
        let list: Vec<String> = words.iter().map(u32::to_string).collect();
        Some(format!("u32 = [{}]", list.join(", ")))
    }

    /// The line of a draw's immediate data, if a stage has some.
    fn immediates(&self, vertex: &[Used], fragment: &[Used], size: [u32; 2]) -> String {
        let all = vertex.iter().chain(fragment).filter(|u| u.kind == ResourceKind::Immediates);
        let Some(largest) = all.max_by_key(|u| u.min_size) else { return String::new() };
        let bytes = largest.min_size.next_multiple_of(4);
        let zeros = || format!("f32 = {}", floats(vec![0.0; bytes as usize / 4]));
        format!("immediates = {{ {} }}\n", self.contents(largest, bytes, size).unwrap_or_else(zeros))
    }

    /// A grid over the picture if there are attributes, else a triangle.
    fn geometry(&mut self, inputs: &[IoSlot]) -> Geometry {
        let mut slots: Vec<(u8, &IoSlot)> = inputs
            .iter()
            .filter_map(|s| match s.at {
                IoAt::Location { number, .. } => Some((number, s)),
                _ => None,
            })
            .collect();
        slots.sort_by_key(|s| s.0);
        if slots.is_empty() {
            return Geometry { layout: String::new(), draw: "draw = { vertexCount = 3 }\n".into() };
        }
        let named = slots.iter().any(|s| is_position(&s.1.name));
        let groups: Vec<Vec<(u8, &IoSlot)>> = match slots.len() <= limits::VERTEX_BUFFERS {
            true => slots.iter().map(|s| vec![*s]).collect(),
            false => vec![slots.clone()],
        };
        let (mut layouts, mut bound) = (Vec::new(), Vec::new());
        let side = SQUARES + 1;
        for group in groups {
            let (mut offset, mut attributes) = (0, Vec::new());
            for (number, s) in &group {
                let (kind, lanes) = (if s.ty.is_float() { "float32" } else { "uint32" }, s.ty.lanes());
                let format = if lanes == 1 { kind.to_string() } else { format!("{kind}x{lanes}") };
                attributes.push(format!("{{ shaderLocation = {number}, format = \"{format}\", offset = {offset} }}"));
                offset += 4 * lanes;
            }
            layouts.push(format!("{{ arrayStride = {offset}, attributes = [{}] }}", attributes.join(", ")));
            let mut words = Vec::new();
            for n in 0..side * side {
                let at = [n % side, n / side].map(|k| k as f32 / SQUARES as f32);
                for (number, s) in &group {
                    let is_first = *number == slots[0].0;
                    let value = attribute(&s.name, at, is_position(&s.name) || !named && is_first);
                    let lanes = s.ty.lanes() as usize;
                    words.extend(value[..lanes].iter().map(|&v| if s.ty.is_float() { v } else { 0.0 }));
                }
            }
            let name = match &group[..] {
                [(number, _)] => format!("attribute{number}"),
                _ => "vertices".into(),
            };
            // The bits of an integer 0 are those of 0.0.
            self.buffers.push(format!("{name} = {{ f32 = {} }}", floats(words)));
            bound.push(format!("{{ buffer = \"{name}\" }}"));
        }
        let corner = |n: u32| (n / SQUARES) * side + n % SQUARES;
        let square = |n: u32| [0, 1, side, 1, side + 1, side].map(|k| corner(n) + k);
        let indices: Vec<String> = (0..SQUARES * SQUARES).flat_map(square).map(|k| k.to_string()).collect();
        self.buffers.push(format!("indices = {{ u32 = [{}] }}", indices.join(", ")));
        Geometry {
            layout: format!(", buffers = [\n    {},\n]", layouts.join(",\n    ")),
            draw: format!(
                "vertexBuffers = [{}]\nindexBuffer = {{ buffer = \"indices\", format = \"uint32\" }}\n\
                 drawIndexed = {{ indexCount = {} }}\n",
                bound.join(", "),
                indices.len()
            ),
        }
    }

    /// A texture for each colour output, and one for the depth.
    fn targets(&mut self, outputs: &[IoSlot], [w, h]: [u32; 2]) -> Targets {
        let mut t = Targets::default();
        let mut presented = false;
        for s in outputs {
            let IoAt::Location { number, blend_src: 0 } = s.at else { continue };
            let (number, lanes) = (usize::from(number), s.ty.lanes());
            let format = match (s.ty.is_float(), lanes) {
                (true, 1) => "r8unorm",
                (true, 2) => "rg8unorm",
                (true, 3) => "rg11b10ufloat",
                (true, _) => "rgba8unorm",
                (false, 1) => "r32uint",
                (false, 2 | 3) => "rg32uint",
                (false, _) => "rgba32uint",
            };
            let is_picture = s.ty.is_float() && !presented;
            presented |= is_picture;
            let name = if is_picture { "picture".to_string() } else { format!("target{number}") };
            self.textures.push(format!("{name} = {{ format = \"{format}\", size = [{w}, {h}] }}"));
            for list in [&mut t.formats, &mut t.attachments] {
                list.resize(list.len().max(number + 1), "{}".into());
            }
            t.formats[number] = format!("{{ format = \"{format}\" }}");
            let clear = if is_picture { ", clearValue = [0, 0, 0, 1]" } else { "" };
            t.attachments[number] = format!("{{ texture = \"{name}\"{clear} }}");
            t.outputs.push((name.clone(), name));
        }
        if has_depth(outputs) {
            self.textures.push(format!("depth = {{ format = \"depth32float\", size = [{w}, {h}] }}"));
            t.outputs.push(("depth".into(), "depth".into()));
        }
        // The presented output has that name, if there is no other.
        if !presented && let Some(first) = t.outputs.first_mut() {
            first.0 = "picture".into();
        }
        t
    }

    /// A resource that a stage uses, and its binding.
    fn resource(&mut self, u: &Used, [w, h]: [u32; 2]) {
        if u.kind == ResourceKind::Immediates {
            return;
        }
        // Samplers of an array are one.
        let elements = u.count.clamp(1, limits::ELEMENTS);
        let (binding, first) = u.place();
        let kind = match u.kind {
            ResourceKind::StorageRead | ResourceKind::StorageReadWrite => "storage",
            kind => kind.name(),
        };
        let name = format!("{kind}_{}_{binding}", u.group);
        let name = if first > 0 { format!("{name}_{first}") } else { name };
        if u.held() == Held::Sampler || elements == 1 {
            let bound = self.one(u, &name, [w, h]);
            for element in 0..elements {
                self.bind(u, element, &bound);
            }
            return;
        }
        for element in 0..elements {
            let bound = self.one(u, &format!("{name}_{element}"), [w, h]);
            self.bind(u, element, &bound);
        }
    }

    /// A binding of the draw.
    fn bind(&mut self, u: &Used, element: u32, bound: &str) {
        let (binding, first) = u.place();
        let element = first + element;
        let element = if element > 0 { format!(", element = {element}") } else { String::new() };
        self.bindings.push(format!("{{ group = {}, binding = {binding}{element}, {bound} }}", u.group));
    }

    /// A resource of this name; gives what a binding says of it.
    fn one(&mut self, u: &Used, name: &str, [w, h]: [u32; 2]) -> String {
        match u.kind {
            ResourceKind::Immediates => String::new(),
            ResourceKind::Uniform | ResourceKind::StorageRead | ResourceKind::StorageReadWrite => {
                let size = if u.kind == ResourceKind::Uniform { u.min_size } else { u.min_size.max(OPEN_BYTES) };
                let size = size.next_multiple_of(16);
                let data = match u.kind {
                    ResourceKind::Uniform => self.contents(u, size, [w, h]),
                    _ => None,
                };
                let data = data.map_or_else(String::new, |d| format!(", {d}{}", self.follows(u)));
                self.buffers.push(format!("{name} = {{ size = {size}{data} }}{}", remark(u)));
                format!("buffer = \"{name}\"")
            }
            ResourceKind::Sampler { comparison } => {
                let compare = if comparison { ", compare = \"less-equal\"" } else { "" };
                self.samplers.push(format!(
                    "{name} = {{ magFilter = \"linear\", minFilter = \"linear\", mipmapFilter = \"linear\", \
                     addressModeU = \"repeat\", addressModeV = \"repeat\", addressModeW = \"repeat\"{compare} }}{}",
                    remark(u)
                ));
                format!("sampler = \"{name}\"")
            }
            ResourceKind::Texture { dim, arrayed, multisampled, class } => {
                let format = match class {
                    TexClass::Float | TexClass::External => "rgba8unorm",
                    TexClass::Sint => "rgba8sint",
                    TexClass::Uint => "rgba8uint",
                    // There is no depth in one dimension.
                    TexClass::Depth if dim == TexDim::D1 => "r16float",
                    TexClass::Depth => "depth16unorm",
                };
                let (size, view) = extent(dim, arrayed, [SIDE; 2]);
                let many = if multisampled { ", sampleCount = 4" } else { "" };
                let mips = matches!((dim, multisampled), (TexDim::D2 | TexDim::Cube, false));
                let levels = if mips { ", mipLevelCount = 7" } else { "" };
                let mean = if mips && class == TexClass::Float { ", mips = \"box\"" } else { "" };
                let pattern = match class {
                    TexClass::Depth => "name = \"gradient\"".to_string(),
                    _ => format!("name = \"noise\", seed = {}, alpha = 255{mean}", self.textures.len()),
                };
                self.textures.push(format!(
                    "{name} = {{ format = \"{format}\", {size}{levels}{many}, contents = {{ generator = {{ {pattern} }} }} }}{}",
                    remark(u)
                ));
                format!("texture = \"{name}\"{view}")
            }
            ResourceKind::StorageTexture { format, dim, arrayed, .. } => {
                let (size, view) = extent(dim, arrayed, [w, h]);
                self.textures.push(format!("{name} = {{ format = \"{}\", {size} }}{}", format.name(), remark(u)));
                format!("texture = \"{name}\"{view}")
            }
        }
    }
}

/// The name in the source, behind a line.
fn remark(u: &Used) -> String {
    let name: String = u.name.chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() { name } else { format!(" # {name}") }
}

/// Keys of a texture of a dimension, and of a view of it.
fn extent(dim: TexDim, arrayed: bool, [w, h]: [u32; 2]) -> (String, &'static str) {
    match (dim, arrayed) {
        (TexDim::D1, _) => (format!("dimension = \"1d\", size = [{w}]"), ""),
        (TexDim::D2, false) => (format!("size = [{w}, {h}]"), ""),
        (TexDim::D2, true) => (format!("size = [{w}, {h}, 4]"), ""),
        (TexDim::D3, _) => ("dimension = \"3d\", size = [16, 16, 16]".into(), ""),
        (TexDim::Cube, false) => (format!("size = [{w}, {w}, 6]"), ", dimension = \"cube\""),
        (TexDim::Cube, true) => (format!("size = [{w}, {w}, 12]"), ", dimension = \"cube-array\""),
    }
}

fn is_position(name: &str) -> bool {
    has(name, &["pos", "vert"])
}

/// The value of an attribute at a place of the grid, 0 to 1 to the right and down.
fn attribute(name: &str, [u, v]: [f32; 2], is_position: bool) -> [f32; 4] {
    if is_position {
        return [2.0 * u - 1.0, 1.0 - 2.0 * v, 0.5, 1.0];
    }
    if has(name, &["bitan", "binorm"]) {
        return [0.0, 1.0, 0.0, 1.0];
    }
    if has(name, &["tang"]) {
        return [1.0, 0.0, 0.0, 1.0];
    }
    if has(name, &["norm"]) {
        return [0.0, 0.0, 1.0, 0.0];
    }
    if has(name, &["weight"]) {
        return [1.0, 0.0, 0.0, 0.0];
    }
    if has(name, &["col"]) {
        return [u, v, 1.0 - u, 1.0];
    }
    [u, v, 0.0, 1.0]
}
