//! A draw, or a dispatch with images, as a scene that `gpucc render` draws: its files, and the words of the format `scene-1`.

use std::path::Path;

use gpucc_container::IMMEDIATES;
use gpucc_ir::{ResourceKind, TexDim};
use gpucc_pipeline as fixed;
use gpucc_sim::draw::{Draw, Surface, Targets, VertexData};
use gpucc_sim::texture::{Codec, Dim, Format, Image, Sampler, Wrap};
use gpucc_sim::{BoundTexture, Dispatch};
use serde_json::{Map, Value, json};

use super::special::specialised;
use crate::pipeline::{Program, Render};
use crate::samplers::How;

/// Why there is no scene, or the file that could not be written.
pub enum Fault {
    /// Scenes have no words for it.
    Wordless(String),
    /// A file cannot be written.
    Io(std::io::Error),
}

impl From<std::io::Error> for Fault {
    fn from(e: std::io::Error) -> Fault {
        Fault::Io(e)
    }
}

type Made<T = ()> = Result<T, Fault>;

fn wordless<T>(text: impl Into<String>) -> Made<T> {
    Err(Fault::Wordless(text.into()))
}

/// A draw as it begins.
pub struct Drawn<'a> {
    /// The vertex program, and the fragment program if there is one.
    pub programs: (&'a Program, Option<&'a Program>),
    /// The pipeline that draws.
    pub render: &'a Render,
    /// Its state with what is dynamic.
    pub state: &'a fixed::Pipeline,
    /// The draw that begins.
    pub draw: &'a Draw<'a>,
    /// Vertex buffers by their slot.
    pub buffers: &'a [Option<VertexData<'a>>],
    /// The resources that are bound.
    pub bound: &'a Dispatch,
    /// Attachments before the draw.
    pub targets: &'a Targets,
}

/// A scene that is being made, and the folder of its files.
struct Scene<'a> {
    folder: &'a Path,
    textures: Map<String, Value>,
    samplers: Map<String, Value>,
    buffers: Map<String, Value>,
    bindings: Vec<Value>,
    immediates: Option<String>,
    outputs: Vec<Value>,
}

/// A number of a scene; those that JSON does not have are texts.
fn number(v: f32) -> Value {
    if v.is_nan() {
        json!("nan")
    } else if v.is_infinite() {
        json!(if v > 0.0 { "inf" } else { "-inf" })
    } else {
        json!(v)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Fails for programs with resources that neither scenes nor commands have words for.
///
/// # Errors
/// It names them.
pub fn plain(programs: &[&Program]) -> Made<()> {
    let texels = |p: &&Program| p.source.samplers.iter().any(|s| s.2 == How::Texels);
    if programs.iter().any(|p| p.reaches) {
        return wordless("memory that is reached by addresses");
    }
    if programs.iter().any(texels) { wordless("samplers with coordinates in texels") } else { Ok(()) }
}

/// Writes what a draw needs; gives the options of `gpucc render` that write its results.
///
/// # Errors
/// Scenes have no words for it, or a file cannot be written.
pub fn draw(folder: &Path, d: &Drawn<'_>) -> Made<String> {
    let mut s = Scene::new(folder);
    let mut programs: Vec<&Program> = vec![d.programs.0];
    programs.extend(d.programs.1);
    if d.render.per_sample {
        return wordless("sampleShadingEnable");
    }
    if d.draw.merger.back.is_some() {
        return wordless("stencil values of front and back faces that differ");
    }
    plain(&programs)?;
    s.bind(d.bound, &programs)?;
    let pass = json!({
        "type": "render",
        "colorAttachments": s.colours(d.targets)?,
        "draws": [s.call(d)?],
    });
    let mut pass = pass;
    if let Some(depth) = s.depth(d.targets)? {
        pass["depthStencilAttachment"] = depth;
    }
    let mut shaders = Map::new();
    for (p, file) in programs.iter().zip(["vertex", "fragment"]) {
        std::fs::write(folder.join(format!("{file}.spv")), specialised(&p.source))?;
        shaders.insert(file.into(), json!({ "file": format!("{file}.spv") }));
    }
    s.finish(&shaders, &pipeline(d, &programs), &pass)
}

/// The same of a dispatch.
///
/// # Errors
/// As [`draw`].
pub fn dispatch(folder: &Path, program: &Program, d: &Dispatch) -> Made<String> {
    let mut s = Scene::new(folder);
    plain(&[program])?;
    s.bind(d, &[program])?;
    std::fs::write(folder.join("shader.spv"), specialised(&program.source))?;
    let mut shaders = Map::new();
    shaders.insert("compute".into(), json!({ "file": "shader.spv" }));
    let mut pass = json!({ "type": "compute", "pipeline": "p", "bindings": s.bindings, "dispatch": d.grid });
    if let Some(hex) = &s.immediates {
        pass["immediates"] = json!({ "hex": hex });
    }
    let pipeline = json!({ "compute": { "shader": "compute", "entryPoint": program.source.entry } });
    s.finish(&shaders, &pipeline, &pass)
}

/// The pipeline of a draw.
fn pipeline(d: &Drawn<'_>, programs: &[&Program]) -> Value {
    let p = d.state;
    let buffers = p.vertex.iter().map(|b| match b {
        None => Value::Null,
        Some(b) => {
            let attributes = b
                .attributes
                .iter()
                .map(|a| json!({ "shaderLocation": a.location, "format": a.format.name(), "offset": a.offset }));
            json!({ "arrayStride": b.stride, "stepMode": b.step.name(), "attributes": attributes.collect::<Vec<_>>() })
        }
    });
    let buffers: Vec<Value> = buffers.collect();
    let mut out = json!({
        "vertex": { "shader": "vertex", "entryPoint": programs[0].source.entry, "buffers": buffers },
        "primitive": {
            "topology": p.topology.name(),
            "frontFace": p.front_face.name(),
            "cullMode": p.cull.name(),
            "unclippedDepth": p.unclipped_depth,
        },
        "multisample": { "count": p.samples, "mask": p.sample_mask, "alphaToCoverageEnabled": p.alpha_to_coverage },
    });
    if let Some(indices) = d.draw.vertices.indices.filter(|_| p.topology.is_strip()) {
        out["primitive"]["stripIndexFormat"] = json!(index_format(indices.wide));
    }
    if let Some(f) = programs.get(1) {
        let component = |b: &fixed::BlendComponent| json!({ "operation": b.operation.name(), "srcFactor": b.src.name(), "dstFactor": b.dst.name() });
        let targets = p.targets.iter().map(|t| match t {
            None => Value::Null,
            Some(t) => {
                let mut out = json!({ "format": t.format.name(), "writeMask": t.write });
                if let Some(b) = &t.blend {
                    out["blend"] = json!({ "color": component(&b.color), "alpha": component(&b.alpha) });
                }
                out
            }
        });
        let targets: Vec<Value> = targets.collect();
        out["fragment"] = json!({ "shader": "fragment", "entryPoint": f.source.entry, "targets": targets });
    }
    if let Some(z) = &p.depth {
        let mut depth = json!({ "format": z.format.name() });
        if z.format.has_depth() {
            depth["depthCompare"] = json!(z.depth_compare.name());
            depth["depthWriteEnabled"] = json!(z.depth_write);
            depth["depthBias"] = json!(p.bias.constant);
            depth["depthBiasSlopeScale"] = number(p.bias.slope);
            depth["depthBiasClamp"] = number(p.bias.clamp);
        }
        if z.format.has_stencil() {
            let face = |f: &fixed::StencilFace| {
                json!({
                    "compare": f.compare.name(),
                    "failOp": f.fail.name(),
                    "depthFailOp": f.depth_fail.name(),
                    "passOp": f.pass.name(),
                })
            };
            (depth["stencilFront"], depth["stencilBack"]) = (face(&z.front), face(&z.back));
            (depth["stencilReadMask"], depth["stencilWriteMask"]) = (json!(z.read_mask), json!(z.write_mask));
        }
        out["depthStencil"] = depth;
    }
    out
}

fn index_format(wide: bool) -> &'static str {
    if wide { "uint32" } else { "uint16" }
}

/// Whether the bytes of textures of a format may be given.
fn has_contents(f: Format) -> bool {
    !(f.has_depth() && (f.depth_bits() == Some(24) || f.has_stencil()))
}

/// The name of a view's dimension.
fn dimension(dim: Dim, arrayed: bool) -> &'static str {
    match (dim, arrayed) {
        (Dim::D1, _) => "1d",
        (Dim::D2, false) => "2d",
        (Dim::D2, true) => "2d-array",
        (Dim::D3, _) => "3d",
        (Dim::Cube, false) => "cube",
        (Dim::Cube, true) => "cube-array",
    }
}

impl<'a> Scene<'a> {
    fn new(folder: &'a Path) -> Scene<'a> {
        Scene {
            folder,
            textures: Map::new(),
            samplers: Map::new(),
            buffers: Map::new(),
            bindings: Vec::new(),
            immediates: None,
            outputs: Vec::new(),
        }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Made<String> {
        let name = format!("{name}.bin");
        std::fs::write(self.folder.join(&name), bytes)?;
        Ok(name)
    }

    /// A buffer with these bytes, whole words of them.
    fn buffer(&mut self, name: &str, bytes: &[u8]) -> Made {
        let file = self.file(name, bytes)?;
        let size = bytes.len().next_multiple_of(4).max(4);
        self.buffers.insert(name.into(), json!({ "file": file, "size": size }));
        Ok(())
    }

    fn texture(&mut self, name: &str, image: &Image, dimension: &str, views: &[Format]) -> Made {
        if !has_contents(image.format) && image.bytes.iter().any(|b| *b != 0) {
            return wordless(format!("the bytes of a texture of format {}", image.format.name()));
        }
        let mut texture = json!({
            "format": image.format.name(),
            "size": image.size,
            "dimension": dimension,
            "mipLevelCount": image.levels,
            "sampleCount": image.samples,
        });
        let views: Vec<&str> = views.iter().filter(|f| **f != image.format).map(|f| f.name()).collect();
        if !views.is_empty() {
            texture["viewFormats"] = json!(views);
        }
        if has_contents(image.format) {
            let file = self.file(name, &image.bytes)?;
            texture["contents"] = json!({ "file": file });
        }
        self.textures.insert(name.into(), texture);
        Ok(())
    }

    fn sampler(&mut self, name: &str, s: &Sampler) -> Made {
        let mut modes = Vec::new();
        for w in s.wrap {
            modes.push(match w {
                Wrap::ClampToEdge => "clamp-to-edge",
                Wrap::Repeat => "repeat",
                Wrap::MirrorRepeat => "mirror-repeat",
                Wrap::MirrorClampToEdge | Wrap::ClampToBorder => return wordless("an address mode that WebGPU lacks"),
            });
        }
        if s.lod_bias != 0.0 || s.lod_min < 0.0 {
            return wordless("a bias of the level of detail");
        }
        let mut out = json!({
            "addressModeU": modes[0],
            "addressModeV": modes[1],
            "addressModeW": modes[2],
            "magFilter": s.mag.name(),
            "minFilter": s.min.name(),
            "mipmapFilter": s.mip.name(),
            "lodMinClamp": s.lod_min,
            "lodMaxClamp": s.lod_max.max(s.lod_min),
        });
        if let Some(c) = s.compare {
            out["compare"] = json!(c.name());
        }
        self.samplers.insert(name.into(), out);
        Ok(())
    }

    /// Whether a program has layers at a binding.
    fn is_arrayed(programs: &[&Program], t: &BoundTexture) -> bool {
        programs.iter().flat_map(|p| &p.used).any(|u| {
            (u.group, u.binding) == (t.group, t.binding)
                && match u.kind {
                    ResourceKind::Texture { arrayed, .. } | ResourceKind::StorageTexture { arrayed, .. } => arrayed,
                    _ => false,
                }
        })
    }

    fn bind(&mut self, d: &Dispatch, programs: &[&Program]) -> Made {
        for b in &d.buffers {
            if (b.group, b.binding) == IMMEDIATES {
                self.immediates = Some(hex(&b.bytes));
                continue;
            }
            let (binding, element) = (b.binding & 0xffff, b.binding >> 16);
            let name = format!("buffer-{}-{binding}-{element}", b.group);
            self.buffer(&name, &b.bytes)?;
            let mut out = json!({ "group": b.group, "binding": binding, "buffer": name });
            if element > 0 {
                out["element"] = json!(element);
            }
            self.bindings.push(out);
            if b.writable {
                self.outputs.push(json!({ "name": name, "buffer": name }));
            }
        }
        for (k, image) in d.images.iter().enumerate() {
            let views = d.textures.iter().filter(|t| t.image == k);
            let flat = views.clone().any(|t| t.dim == Dim::D1);
            let dimension = if image.is_3d {
                "3d"
            } else if flat {
                "1d"
            } else {
                "2d"
            };
            let formats: Vec<Format> = views.map(|t| t.format).collect();
            self.texture(&format!("image-{k}"), image, dimension, &formats)?;
        }
        for t in &d.textures {
            let name = format!("image-{}", t.image);
            let mut out = json!({
                "group": t.group,
                "binding": t.binding,
                "texture": name,
                "dimension": dimension(t.dim, Scene::is_arrayed(programs, t)),
                "baseMipLevel": t.base_level,
                "mipLevelCount": t.levels,
                "baseArrayLayer": t.base_layer,
                "arrayLayerCount": t.layers,
            });
            let image = &d.images[t.image];
            if t.format != image.format {
                out["format"] = json!(t.format.name());
            }
            if image.format.has_depth() && image.format.has_stencil() {
                out["aspect"] = json!(if t.stencil { "stencil-only" } else { "depth-only" });
            }
            if t.element > 0 {
                out["element"] = json!(t.element);
            }
            self.bindings.push(out);
        }
        for (k, s) in d.samplers.iter().enumerate() {
            let name = format!("sampler-{k}");
            self.sampler(&name, &s.sampler)?;
            let mut out = json!({ "group": s.group, "binding": s.binding, "sampler": name });
            if s.element > 0 {
                out["element"] = json!(s.element);
            }
            self.bindings.push(out);
        }
        for u in programs.iter().flat_map(|p| &p.used) {
            if let ResourceKind::StorageTexture { dim: TexDim::D1 | TexDim::D2 | TexDim::D3, .. } = u.kind
                && let Some(t) = d.textures.iter().find(|t| (t.group, t.binding) == (u.group, u.binding))
            {
                let name = format!("image-{}", t.image);
                if !self.outputs.iter().any(|o| o["name"] == name.as_str()) {
                    self.outputs.push(json!({ "name": name, "texture": name, "mipLevel": t.base_level }));
                }
            }
        }
        Ok(())
    }

    /// The layers of an attachment as one texture.
    fn attachment(&mut self, name: &str, layers: &[&Surface]) -> Made {
        let [first, ..] = layers else { return Ok(()) };
        let size = [first.width, first.rows, layers.len() as u32];
        let mut image = Image::new(first.format, false, size, 1, first.samples);
        for (k, s) in (0u32..).zip(layers) {
            s.store(&mut image, 0, k);
        }
        self.texture(name, &image, "2d", &[])?;
        if first.samples == 1 && has_contents(first.format) {
            self.outputs.push(json!({ "name": name, "texture": name }));
        }
        Ok(())
    }

    fn colours(&mut self, targets: &Targets) -> Made<Vec<Value>> {
        let layers: Vec<&Targets> = (0..targets.layers()).filter_map(|n| targets.layer(n)).collect();
        let mut list = Vec::new();
        for k in 0..targets.colour.len() {
            let surfaces: Vec<&Surface> = layers.iter().filter_map(|t| t.colour.get(k)?.as_ref()).collect();
            if surfaces.is_empty() {
                list.push(Value::Null);
                continue;
            }
            let name = format!("colour-{k}");
            self.attachment(&name, &surfaces)?;
            let mut out = json!({ "texture": name, "loadOp": "load", "arrayLayerCount": surfaces.len() });
            if surfaces[0].samples > 1 {
                let mean = Image::new(surfaces[0].format, false, [surfaces[0].width, surfaces[0].rows, 1], 1, 1);
                let name = format!("resolved-{k}");
                self.texture(&name, &mean, "2d", &[])?;
                self.outputs.push(json!({ "name": name, "texture": name }));
                out["resolveTarget"] = json!({ "texture": name });
            }
            list.push(out);
        }
        Ok(list)
    }

    fn depth(&mut self, targets: &Targets) -> Made<Option<Value>> {
        let layers = (0..targets.layers()).filter_map(|n| targets.layer(n)?.depth.as_ref());
        let layers: Vec<&Surface> = layers.collect();
        let Some(first) = layers.first() else { return Ok(None) };
        let (format, texel) = (first.format, first.sample(0, 0, 0).to_vec());
        let mut out = json!({ "texture": "depth", "arrayLayerCount": layers.len() });
        let clear = |value: &mut Value| {
            if format.has_depth() {
                value["depthLoadOp"] = json!("clear");
                value["depthClearValue"] = number(f32::from_bits(format.decode(&texel)[0]));
            }
            if format.has_stencil() {
                value["stencilLoadOp"] = json!("clear");
                value["stencilClearValue"] = json!(format.decode_stencil(&texel));
            }
        };
        if has_contents(format) {
            self.attachment("depth", &layers)?;
            let op = if format.has_depth() { "depthLoadOp" } else { "stencilLoadOp" };
            out[op] = json!("load");
        } else if layers.iter().all(|s| s.bytes.chunks(texel.len().max(1)).all(|t| t == texel)) {
            let size = [first.width, first.rows, layers.len() as u32];
            self.texture("depth", &Image::new(format, false, size, 1, first.samples), "2d", &[])?;
            clear(&mut out);
        } else {
            return wordless(format!("the bytes of an attachment of format {}", format.name()));
        }
        Ok(Some(out))
    }

    fn call(&mut self, d: &Drawn<'_>) -> Made<Value> {
        let v = &d.draw.vertices;
        let mut buffers = Vec::new();
        for (k, b) in d.buffers.iter().enumerate() {
            buffers.push(match b {
                None => Value::Null,
                Some(b) => {
                    let name = format!("vertices-{k}");
                    self.buffer(&name, b.bytes)?;
                    json!({ "buffer": name })
                }
            });
        }
        let r = &d.draw.raster;
        let all: Vec<_> = std::iter::once((r.viewport, r.scissor)).chain(d.draw.viewports.iter().copied()).collect();
        let down = all[0].0.height < 0.0;
        if all.iter().any(|(v, _)| (v.height < 0.0) != down) {
            return wordless("viewports of both signs");
        }
        let viewport = |v: &gpucc_sim::raster::Viewport| {
            let y = v.y.min(v.y + v.height);
            json!([v.x, y, v.width, v.height.abs(), v.min_depth, v.max_depth])
        };
        let scissor = |r: &gpucc_sim::raster::Rect| json!([r.x0, r.y0, r.x1 - r.x0, r.y1 - r.y0]);
        let mut out = json!({
            "pipeline": "p",
            "bindings": self.bindings,
            "vertexBuffers": buffers,
            "blendConstant": d.draw.merger.constant.map(number),
            "stencilReference": d.draw.merger.reference & 0xff,
        });
        if down {
            out["yDown"] = json!(true);
        }
        match all.len() {
            1 => (out["viewport"], out["scissor"]) = (viewport(&all[0].0), scissor(&all[0].1)),
            _ => {
                out["viewports"] = all.iter().map(|(v, _)| viewport(v)).collect();
                out["scissors"] = all.iter().map(|(_, r)| scissor(r)).collect();
            }
        }
        if let Some(hex) = &self.immediates {
            out["immediates"] = json!({ "hex": hex });
        }
        match &v.indices {
            None => {
                out["draw"] = json!({
                    "vertexCount": v.count, "instanceCount": v.instances, "firstVertex": v.first,
                    "firstInstance": v.first_instance,
                });
            }
            Some(i) => {
                self.buffer("indices", i.bytes)?;
                out["indexBuffer"] = json!({ "buffer": "indices", "format": index_format(i.wide) });
                out["drawIndexed"] = json!({
                    "indexCount": v.count, "instanceCount": v.instances, "firstIndex": v.first, "baseVertex": v.base,
                    "firstInstance": v.first_instance,
                });
            }
        }
        Ok(out)
    }

    /// Writes the scene; gives the options that write its outputs.
    fn finish(mut self, shaders: &Map<String, Value>, pipeline: &Value, pass: &Value) -> Made<String> {
        let picture = self.outputs.iter().find(|o| o["texture"].is_string() && o["texture"] != "depth");
        let mut scene = json!({
            "format": "scene-1",
            "shaders": shaders,
            "textures": self.textures,
            "samplers": self.samplers,
            "buffers": self.buffers,
            "pipelines": { "p": pipeline },
            "passes": [pass],
        });
        let options = match (picture, self.outputs.first()) {
            (Some(p), _) => {
                scene["present"] = p["name"].clone();
                "-o picture.png".to_owned()
            }
            (None, Some(o)) => {
                let name = o["name"].as_str().unwrap_or_default();
                format!("--dump {name}={name}.out")
            }
            (None, None) => return wordless("nothing that can be written out"),
        };
        scene["outputs"] = Value::Array(std::mem::take(&mut self.outputs));
        std::fs::write(self.folder.join("scene.json"), format!("{scene:#}\n"))?;
        Ok(options)
    }
}
