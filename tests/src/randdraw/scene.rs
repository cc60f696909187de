//! The scene around the two texts.

use gpucc_scene::compare::{Compare, Kind, Type};
use serde_json::{Map, Value, json};

use super::geometry::{Corner, Plane, Viewport};
use super::pair::{Output, Pair};
use super::rng::Rng;
use super::shaders::{Asks, Plan, Resources, STORAGE, UNIFORM};
use super::state::{Class, Deep, Target};
use super::varying::{Attribute, INTEGERS, Varying};

/// The samples of a pixel as one word of four, by a draw over all of it.
const FULL: &str = "#version 450\nvoid main() {\n    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1.0);\n}\n";

/// The triangles or points of a draw.
struct Mesh {
    topology: &'static str,
    /// The places of vertices: x, y, z times w, and w.
    places: Vec<[f64; 4]>,
    /// Vertices of each primitive, the first one first.
    primitives: Vec<Vec<usize>>,
    /// What a draw says of it.
    draw: Value,
    indices: Option<(Vec<u32>, bool)>,
    first_instance: u32,
    instances: u32,
}

/// Vertices of triangles, in order; a strip turns each second one.
fn triangles(list: &[usize], is_strip: bool) -> Vec<Vec<usize>> {
    if !is_strip {
        return list.chunks_exact(3).map(<[usize]>::to_vec).collect();
    }
    let one = |(k, w): (usize, &[usize])| if k % 2 == 0 { w.to_vec() } else { vec![w[0], w[2], w[1]] };
    list.windows(3).enumerate().map(one).collect()
}

impl Mesh {
    fn new(rng: &mut Rng, is_points: bool, may_clip: bool) -> Mesh {
        let is_strip = !is_points && rng.percent(35);
        let topology = match () {
            () if is_points => "point-list",
            () if is_strip => "triangle-strip",
            () => "triangle-list",
        };
        let is_indexed = rng.percent(40);
        let first = rng.below(3);
        let count = match () {
            () if is_points => 2 + rng.below(8),
            () if is_strip => 3 + rng.below(4),
            () => 3 * (1 + rng.below(4)),
        };
        let instances = if rng.percent(25) { 2 + rng.below(2) as u32 } else { 1 };
        let first_instance = if rng.percent(20) { 1 + rng.below(2) as u32 } else { 0 };
        let vertices = first + if is_indexed && !is_points { (3 + rng.below(6)).min(count.max(3)) } else { count };
        let places = places(rng, vertices, is_points, may_clip);
        let (mut indices, mut lists) = (None, Vec::new());
        let draw = if is_indexed {
            let wide = rng.percent(50);
            let mut all: Vec<u32> = (0..count).map(|_| rng.below(vertices - first) as u32).collect();
            if !is_points && !is_strip || count < 7 {
                // Corners of a triangle that is none are of no use.
                for (k, n) in all.iter_mut().enumerate().take(3) {
                    *n = (k % (vertices - first)) as u32;
                }
            }
            let restart = if wide { u32::MAX } else { 0xffff };
            if is_strip && rng.percent(50) {
                all.push(restart);
                all.extend((0..3).map(|k| (k + 1) % (vertices - first) as u32));
            }
            for part in all.split(|n| *n == restart) {
                lists.push(part.iter().map(|n| *n as usize + first).collect::<Vec<_>>());
            }
            let draw = json!({"indexCount": all.len(), "instanceCount": instances, "baseVertex": first, "firstInstance": first_instance});
            indices = Some((all, wide));
            draw
        } else {
            lists.push((first..first + count).collect());
            json!({"vertexCount": count, "instanceCount": instances, "firstVertex": first, "firstInstance": first_instance})
        };
        let primitives = match is_points {
            true => lists.concat().into_iter().map(|v| vec![v]).collect(),
            false => lists.iter().flat_map(|l| triangles(l, is_strip)).collect(),
        };
        Mesh { topology, places, primitives, draw, indices, first_instance, instances }
    }
}

fn places(rng: &mut Rng, vertices: usize, is_points: bool, may_clip: bool) -> Vec<[f64; 4]> {
    let has_w = rng.percent(50) && !is_points;
    let is_sloped = rng.percent(40);
    let mut depth = 0.5;
    let mut out: Vec<[f64; 4]> = Vec::new();
    for k in 0..vertices {
        let beyond = if may_clip { 96 } else { 0 };
        let mut at = || [(); 2].map(|()| rng.between(-beyond, 256 + beyond) as f64 / 128.0 - 1.0);
        let mut place = at();
        // Small triangles show little.
        if k >= 2 {
            for _ in 0..8 {
                let [a, b] = [&out[k - 2], &out[k - 1]].map(|p| [p[0] / p[3], p[1] / p[3]]);
                let area = (b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0]);
                if area.abs() > 0.5 {
                    break;
                }
                place = at();
            }
        }
        if is_points {
            // Near the middle of a pixel, be it one of 8 or of 16 in a row.
            place = place.map(|c| ((c * 8.0).floor() + 0.5625) / 8.0).map(|c| c.clamp(-0.9375, 0.9375));
        }
        let (near, far) = if may_clip { (-10, 42) } else { (1, 31) };
        if k % 3 == 0 || is_sloped {
            depth = rng.between(near, far) as f64 / 32.0;
        }
        let w = if has_w { rng.of(&[1.0, 2.0, 0.5, 4.0]) } else { 1.0 };
        out.push([place[0] * w, place[1] * w, depth * w, w]);
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn words(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The targets of a pass with so many samples.
fn targets(rng: &mut Rng, is_small: bool, samples: u32) -> Vec<Target> {
    let n = 1 + usize::from(rng.percent(30)) + usize::from(rng.percent(12));
    let one = |rng: &mut Rng| loop {
        let mut t = Target::new(rng, is_small);
        if samples == 1 {
            return t;
        }
        if t.is_integer() && t.shape.3 <= 16 {
            return t;
        }
        if t.resolves() {
            t.is_resolved = true;
            return t;
        }
    };
    (0..n).map(|_| one(rng)).collect()
}

/// The draw of a seed.
pub fn pair(seed: u64) -> Pair {
    let rng = &mut Rng::new(seed);
    let is_small = rng.percent(60);
    let size = [rng.of(&[8, 16]), rng.of(&[8, 8, 16])];
    let is_points = rng.percent(6);
    // Drawers do not agree on the samples of a point.
    let samples = if rng.percent(20) && !is_points { 4 } else { 1 };
    let may_clip = !is_points && rng.percent(35);
    let mesh = Mesh::new(rng, is_points, may_clip);
    let targets = targets(rng, is_small, samples);
    let deep = rng.percent(50).then(|| Deep::new(rng, is_small));
    let plan = plan(rng, &mesh, targets, deep.as_ref(), samples, may_clip, is_small);
    let texts = [plan.vertex(rng), plan.fragment(rng)];
    let mut s = Scene { rng, plan, mesh, deep, size, samples, open: Vec::new() };
    let (scene, outputs) = s.written(may_clip);
    let [vertex, fragment] = texts;
    let mut shaders = vec![("v", "vert", vertex), ("f", "frag", fragment)];
    if samples > 1 {
        shaders.push(("full", "vert", FULL.into()));
        for (k, t) in s.plan.targets.iter().enumerate().filter(|t| t.1.is_integer()) {
            let (name, u) = (["fetch0", "fetch1", "fetch2"][k], if t.shape.1 == Class::Uint { "u" } else { "i" });
            shaders.push((name, "frag", format!(
                "#version 450\nlayout(location = 0) out uvec4 o;\nlayout(set = 0, binding = 0) uniform {u}sampler2DMS t;\nvoid main() {{\n    o = uvec4(0u);\n    for (int k = 0; k < 4; k++) o = o * 31u + uvec4(texelFetch(t, ivec2(gl_FragCoord.xy), k));\n}}\n"
            )));
        }
    }
    let forms = s.forms(may_clip);
    Pair { seed, scene, shaders, outputs, size, open: s.open, forms }
}

fn plan(
    rng: &mut Rng,
    mesh: &Mesh,
    targets: Vec<Target>,
    deep: Option<&Deep>,
    samples: u32,
    may_clip: bool,
    is_small: bool,
) -> Plan {
    let n = mesh.places.len();
    let is_points = mesh.topology == "point-list";
    let may_be_linear = !may_clip && mesh.instances == 1 && mesh.first_instance == 0;
    let mut locations = vec![0, 2, 4, 6, 8, 10];
    let mut varyings = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let at = locations.remove(rng.below(locations.len()));
        let v = Varying::new(rng, at, n, may_be_linear, samples);
        varyings.push(v);
    }
    let table = rng.percent(30).then(|| mesh.places.clone());
    let mut attributes = Vec::new();
    if table.is_none() {
        let element = |p: &[f64; 4]| p.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
        let elements = mesh.places.iter().map(element).collect();
        attributes.push(Attribute { location: 0, format: "float32x4", buffer: rng.below(2), elements });
    }
    let mut next = 1;
    for v in &mut varyings {
        if rng.percent(50) {
            v.by_attribute(rng, next);
            attributes.extend(v.attribute.clone());
            next += 1;
        }
    }
    let makes = rng.percent(45);
    let mut integers = Vec::new();
    for _ in 0..if makes { rng.below(3) } else { 0 } {
        let (format, bytes, ..) = rng.of(INTEGERS);
        let buffer = rng.below(3);
        let count = if buffer == 2 { (mesh.first_instance + mesh.instances) as usize } else { n };
        let elements = (0..count).map(|_| (0..bytes).map(|_| rng.word() as u8).collect()).collect();
        integers.push(Attribute { location: next, format, buffer, elements });
        next += 1;
    }
    let distances = (may_clip && rng.percent(60)).then(|| {
        let lanes = 1 + rng.below(2);
        (0..n).map(|_| (0..lanes).map(|_| rng.between(-8, 24) as f64 / 8.0 + 0.0625).collect()).collect()
    });
    let shift = if mesh.instances > 1 { [(); 2].map(|()| rng.between(-6, 6) as f64 / 16.0) } else { [0.0; 2] };
    let mut resources = Resources::new(rng);
    if is_small {
        resources.storage = None;
    }
    let has_depth = deep.is_some_and(|d| d.has_depth);
    let writes_depth = deep.is_some_and(|d| d.format.starts_with("depth32float")) && rng.percent(25);
    let asks = match rng.below(100) {
        0..=5 if !is_points && !is_small => Asks::Primitive,
        6..=20 if samples > 1 => Asks::Sample,
        // A clipped primitive may be several parts, each with samples of its own.
        21..=30 if samples > 1 && !may_clip && !varyings.iter().any(Varying::is_per_sample) => Asks::Mask,
        _ => Asks::Nothing,
    };
    Plan {
        in_block: rng.percent(15),
        makes,
        attributes,
        integers,
        table,
        shift,
        is_points,
        distances,
        resources,
        targets,
        early: has_depth && !writes_depth && rng.percent(15),
        writes_depth,
        reads_depth: rng.percent(20),
        asks,
        varyings,
    }
}

struct Scene<'r> {
    rng: &'r mut Rng,
    plan: Plan,
    mesh: Mesh,
    deep: Option<Deep>,
    size: [u32; 2],
    samples: u32,
    open: Vec<bool>,
}

impl Scene<'_> {
    fn forms(&self, may_clip: bool) -> Vec<&'static str> {
        let p = &self.plan;
        let is_float = |t: &Target| matches!(t.shape.1, Class::Float);
        let all = [
            ("points", p.is_points),
            ("strips", self.mesh.topology == "triangle-strip"),
            ("indices", self.mesh.indices.is_some()),
            ("instances", self.mesh.instances > 1),
            ("may be clipped", may_clip),
            ("clip distances", p.distances.is_some()),
            ("samples", self.samples > 1),
            ("several targets", p.targets.len() > 1),
            ("targets of floats", p.targets.iter().any(is_float)),
            ("blending", p.targets.iter().any(|t| t.is_blended)),
            ("depth", self.deep.as_ref().is_some_and(|d| d.has_depth)),
            ("stencil", self.deep.as_ref().is_some_and(|d| d.has_stencil)),
            ("early tests", p.early),
            ("written depth", p.writes_depth),
            ("textures", !p.resources.textures.is_empty()),
            ("uniforms", p.resources.uniform.is_some()),
            ("storage", p.resources.storage.is_some()),
            ("push constants", p.resources.push.is_some()),
            ("computed vertices", p.makes),
            ("asked inputs", p.asks != Asks::Nothing),
        ];
        all.iter().filter(|f| f.1).map(|f| f.0).collect()
    }

    /// The vertex buffers: what a pipeline says of them, and what a draw binds.
    fn vertex_buffers(&self, buffers: &mut Map<String, Value>) -> (Vec<Value>, Vec<Value>) {
        let (mut layouts, mut bound) = (Vec::new(), Vec::new());
        for number in 0..3 {
            let all = self.plan.attributes.iter().chain(&self.plan.integers);
            let of: Vec<&Attribute> = all.filter(|a| a.buffer == number).collect();
            if of.is_empty() {
                layouts.push(Value::Null);
                bound.push(Value::Null);
                continue;
            }
            let (mut attributes, mut stride) = (Vec::new(), 0);
            for a in &of {
                attributes.push(json!({"shaderLocation": a.location, "format": a.format, "offset": stride}));
                stride += a.elements[0].len().next_multiple_of(4);
            }
            let mut bytes = Vec::new();
            for k in 0..of[0].elements.len() {
                for a in &of {
                    bytes.extend(&a.elements[k]);
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                }
            }
            let step = if number == 2 { "instance" } else { "vertex" };
            layouts.push(json!({"arrayStride": stride, "stepMode": step, "attributes": attributes}));
            let name = format!("v{number}");
            buffers.insert(name.clone(), json!({"hex": hex(&bytes)}));
            bound.push(json!({"buffer": name}));
        }
        (layouts, bound)
    }

    /// Textures, samplers and buffers of the shaders, and their bindings.
    fn bindings(
        &self,
        textures: &mut Map<String, Value>,
        samplers: &mut Map<String, Value>,
        buffers: &mut Map<String, Value>,
    ) -> Vec<Value> {
        let mut out = Vec::new();
        let r = &self.plan.resources;
        for t in &r.textures {
            let name = format!("t{}", t.binding);
            textures.insert(
                name.clone(),
                json!({
                    "format": t.format, "size": [t.size[0], t.size[1], t.layers], "mipLevelCount": t.levels,
                    "contents": {"hex": hex(&t.bytes)},
                }),
            );
            let filter = if t.is_linear { "linear" } else { "nearest" };
            samplers.insert(
                name.clone(),
                json!({
                    "magFilter": filter, "minFilter": filter, "addressModeU": t.wrap, "addressModeV": t.wrap,
                }),
            );
            out.push(json!({"binding": t.binding, "texture": name}));
            out.push(json!({"binding": t.binding, "sampler": name}));
        }
        for (binding, held) in [(UNIFORM, &r.uniform), (STORAGE, &r.storage)] {
            if let Some(held) = held {
                let name = format!("b{binding}");
                buffers.insert(name.clone(), json!({"hex": hex(&words(held))}));
                out.push(json!({"binding": binding, "buffer": name}));
            }
        }
        out
    }

    /// A pipeline over the two shaders.
    fn pipeline(&mut self, layouts: &[Value]) -> Value {
        let rng = &mut *self.rng;
        let targets: Vec<Value> = self.plan.targets.iter().map(|t| t.state(rng)).collect();
        let mut primitive = json!({"topology": self.mesh.topology, "frontFace": rng.pick(&["ccw", "cw"])});
        if rng.percent(20) {
            primitive["cullMode"] = json!(rng.pick(&["front", "back"]));
        }
        if let (Some((_, wide)), "triangle-strip") = (&self.mesh.indices, self.mesh.topology) {
            primitive["stripIndexFormat"] = json!(if *wide { "uint32" } else { "uint16" });
        }
        let mut p = json!({
            "vertex": {"shader": "v", "buffers": layouts},
            "fragment": {"shader": "f", "targets": targets},
            "primitive": primitive,
        });
        if let Some(n) = self.plan.resources.special {
            p["fragment"]["constants"] = json!({"7": n});
            if self.plan.resources.in_vertices {
                p["vertex"]["constants"] = json!({"7": n});
            }
        }
        if self.samples > 1 {
            p["multisample"] = json!({"count": 4});
            if rng.percent(20) {
                p["multisample"]["mask"] = json!(1 + rng.below(14));
            }
        }
        if let Some(d) = &self.deep {
            p["depthStencil"] = d.state(rng);
        }
        p
    }

    fn draw(
        &mut self,
        pipeline: &str,
        may_clip: bool,
        plane: &mut Plane,
        bound: &[Value],
        bindings: &[Value],
    ) -> Value {
        let rng = &mut *self.rng;
        let [w, h] = self.size.map(f64::from);
        let mut d = json!({"pipeline": pipeline, "bindings": bindings, "vertexBuffers": bound});
        let mut view: Viewport = [0.0, 0.0, w, h, 0.0, 1.0];
        if rng.percent(20) && !self.plan.is_points {
            view[0] = rng.below(5) as f64;
            view[1] = rng.below(5) as f64;
            view[2] = w / rng.of(&[1.0, 2.0]);
            view[3] = h / rng.of(&[1.0, 2.0]);
            view[0] = view[0].min(w - view[2]);
            view[1] = view[1].min(h - view[3]);
            if !self.plan.writes_depth && rng.percent(40) {
                (view[4], view[5]) = (0.25, 0.75);
            }
            d["viewport"] = json!(view);
        }
        if rng.percent(20) {
            let [x, y] = [rng.below(4) as u32, rng.below(4) as u32];
            let [w, h] = [self.size[0] - x - rng.below(3) as u32, self.size[1] - y - rng.below(3) as u32];
            d["scissor"] = json!([x, y, w, h]);
            if self.samples > 1 {
                plane.scissor([x, y, w, h]);
            }
        }
        if self.plan.targets.iter().any(|t| t.is_blended) {
            let part = |rng: &mut Rng| rng.below(5) as f64 / 4.0;
            d["blendConstant"] = json!([part(rng), part(rng), part(rng), part(rng)]);
        }
        if self.deep.as_ref().is_some_and(|d| d.has_stencil) {
            d["stencilReference"] = json!(rng.below(256));
        }
        if let Some(p) = self.plan.resources.push {
            d["immediates"] = json!({"u32": p});
        }
        match &self.mesh.indices {
            Some((_, wide)) => {
                d["indexBuffer"] = json!({"buffer": "i", "format": if *wide { "uint32" } else { "uint16" }});
                d["drawIndexed"] = self.mesh.draw.clone();
            }
            None => d["draw"] = self.mesh.draw.clone(),
        }
        self.look(&view, may_clip, plane);
        d
    }

    /// Looks for pixels that are open.
    fn look(&self, view: &Viewport, may_clip: bool, plane: &mut Plane) {
        for instance in self.mesh.first_instance..self.mesh.first_instance + self.mesh.instances {
            let corner = |v: usize| {
                let mut place = self.mesh.places[v];
                for (c, s) in place.iter_mut().zip(self.plan.shift).take(2) {
                    *c += s * f64::from(instance) * self.mesh.places[v][3];
                }
                let distances = self.plan.distances.as_ref().map_or_else(Vec::new, |d| d[v].clone());
                let values = self.plan.varyings.iter().flat_map(|x| x.values(v)).collect();
                Corner { place, distances, values }
            };
            for p in &self.mesh.primitives {
                match p[..] {
                    [a] => plane.point(&corner(a), view),
                    [a, b, c] => {
                        let all = [corner(a), corner(b), corner(c)];
                        let outside = |c: &Corner| c.place[..2].iter().any(|v| v.abs() > c.place[3]);
                        let is_clipped = may_clip || all.iter().any(outside);
                        plane.triangle([&all[0], &all[1], &all[2]], view, is_clipped);
                    }
                    _ => {}
                }
            }
        }
    }

    fn written(&mut self, may_clip: bool) -> (Value, Vec<Output>) {
        let (mut textures, mut samplers, mut buffers) = (Map::new(), Map::new(), Map::new());
        let bindings = self.bindings(&mut textures, &mut samplers, &mut buffers);
        let (layouts, bound) = self.vertex_buffers(&mut buffers);
        if let Some((all, wide)) = &self.mesh.indices {
            let bytes: Vec<u8> = match wide {
                true => words(all),
                false => all.iter().flat_map(|n| (*n as u16).to_le_bytes()).collect(),
            };
            let mut bytes = bytes;
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            buffers.insert("i".into(), json!({"hex": hex(&bytes)}));
        }
        let mut pipelines = Map::new();
        pipelines.insert("p".into(), self.pipeline(&layouts));
        let depth = self.deep.as_ref().filter(|d| d.has_depth && !self.plan.writes_depth);
        let cleared = depth.map(|d| f64::from(d.cleared) / 16.0);
        let mut plane = Plane::new(self.size, self.samples, cleared);
        plane.depth_scale = self.plan.reads_depth.then_some(64.0);
        let mut draws = vec![self.draw("p", may_clip, &mut plane, &bound, &bindings)];
        if self.rng.percent(30) {
            let other = if self.rng.percent(50) {
                pipelines.insert("q".into(), self.pipeline(&layouts));
                "q"
            } else {
                "p"
            };
            draws.push(self.draw(other, may_clip, &mut plane, &bound, &bindings));
        }
        self.open = plane.open;
        let mut pass = json!({"type": "render", "draws": draws});
        let (mut passes, mut outputs) = (Vec::new(), Vec::new());
        let attachments = self.attachments(&mut textures, &mut pipelines, &mut passes, &mut outputs);
        pass["colorAttachments"] = json!(attachments);
        if let Some(d) = &self.deep {
            textures
                .insert("depth".into(), json!({"format": d.format, "size": self.size, "sampleCount": self.samples}));
            let mut a = json!({"texture": "depth"});
            let mut keep = |what: &str, value: Value| {
                a[format!("{what}LoadOp")] = json!("clear");
                a[format!("{what}StoreOp")] = json!("store");
                a[format!("{what}ClearValue")] = value;
            };
            if d.has_depth {
                keep("depth", json!(f64::from(d.cleared) / 16.0));
            }
            if d.has_stencil {
                keep("stencil", json!(d.stencil));
            }
            pass["depthStencilAttachment"] = a;
            if self.samples == 1 {
                let near = |ty, abs| Compare { kind: Kind::Near { ty, abs, rel: 0.0 }, pixel: 1, share: 0.0 };
                if let Some(compare) = match d.format {
                    "depth16unorm" => Some(near(Type::U16, 2.0)),
                    f if f.starts_with("depth32float") => Some(near(Type::F32, 1e-5)),
                    _ => None,
                } {
                    outputs.push((json!({"name": "depth", "texture": "depth", "aspect": "depth-only"}), compare));
                }
                if d.has_stencil {
                    let out = json!({"name": "stencil", "texture": "depth", "aspect": "stencil-only"});
                    outputs.push((out, Compare::exact()));
                }
            }
        }
        passes.insert(0, pass);
        let (list, compares): (Vec<Value>, Vec<Compare>) = outputs.into_iter().unzip();
        let named = |(o, compare): (&Value, Compare)| Output { name: o["name"].as_str().unwrap_or("").into(), compare };
        let outputs = list.iter().zip(compares).map(named).collect();
        if !samplers.contains_key("s") && self.samples > 1 {
            samplers.insert("s".into(), json!({}));
        }
        let scene = json!({
            "format": "scene-1", "textures": textures, "samplers": samplers, "buffers": buffers,
            "pipelines": pipelines, "passes": passes, "outputs": list,
        });
        (scene, outputs)
    }

    /// Attachments of the first pass, with what becomes of them.
    fn attachments(
        &mut self,
        textures: &mut Map<String, Value>,
        pipelines: &mut Map<String, Value>,
        passes: &mut Vec<Value>,
        outputs: &mut Vec<(Value, Compare)>,
    ) -> Vec<Value> {
        let mut out = Vec::new();
        for (k, t) in self.plan.targets.iter().enumerate() {
            let name = format!("c{k}");
            textures.insert(name.clone(), json!({"format": t.shape.0, "size": self.size, "sampleCount": self.samples}));
            let part = |rng: &mut Rng| match t.shape.1 {
                Class::Uint | Class::Sint => f64::from(rng.below(4) as u32),
                Class::Float => f64::from(rng.below(5) as u32) * 0.25,
                _ => rng.of(&[0.0, 0.2, 0.6, 1.0]),
            };
            let rng = &mut *self.rng;
            let cleared = [part(rng), part(rng), part(rng), part(rng)];
            let mut a = json!({"texture": name, "clearValue": cleared});
            let mut shown = (name.clone(), t.compare());
            if t.is_resolved {
                shown.0 = format!("r{k}");
                textures.insert(shown.0.clone(), json!({"format": t.shape.0, "size": self.size}));
                a["resolveTarget"] = json!({"texture": shown.0});
            } else if self.samples > 1 {
                shown = (format!("r{k}"), Compare::exact());
                textures.insert(shown.0.clone(), json!({"format": "rgba32uint", "size": self.size}));
                pipelines.insert(
                    format!("fetch{k}"),
                    json!({
                        "vertex": {"shader": "full"},
                        "fragment": {"shader": format!("fetch{k}"), "targets": [{"format": "rgba32uint"}]},
                    }),
                );
                passes.push(json!({
                    "type": "render", "colorAttachments": [{"texture": shown.0}],
                    "draws": [{"pipeline": format!("fetch{k}"), "draw": {"vertexCount": 3},
                        "bindings": [{"binding": 0, "texture": name}, {"binding": 0, "sampler": "s"}]}],
                }));
            }
            out.push(a);
            outputs.push((json!({"name": shown.0, "texture": shown.0}), shown.1));
        }
        out
    }
}
