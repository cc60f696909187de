//! A driver in small: it loads containers, and fills descriptors, constants and state from their reflection alone. Compute programs run, a vertex
//! and a fragment program draw two triangles with a texture.
//!
//! ```text
//! gpucc capi/examples/scale.wgsl --target gcn:gfx7 -o scale.bin
//! gpucc capi/examples/textured.vert.wgsl capi/examples/textured.frag.wgsl --target gcn:gfx7 -o textured.bin
//! cargo run --example driver -p gpucc -- scale.bin textured.bin -o out.ppm
//! ```
//!
//! Nothing that it runs is the container that was read: [`programmed`] makes another one of the reflection. A fact that the reflection did not
//! carry would be missing there.

use gpucc::container::{
    Container, Entry, IMMEDIATES, InterfaceRow, IoPlace, Meta, Preload, Program as Part, ProgramRole, Resource,
    ResourceKind, Shape, Stage, StateWord, flags,
};
use gpucc::pipeline::{Format, Pipeline, VertexFormat};
use gpucc::reflect::{Access, Member, Program, Reflection, Slot, Uses};
use gpucc_machines::DrawJob;
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, VertexData, Vertices};
use gpucc_sim::raster::Viewport;
use gpucc_sim::texture::{Dim, Image, Sampler, Wrap};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};

/// Columns and rows of the picture.
pub const SIZE: [u32; 2] = [64, 48];
/// Columns and rows of textures.
const TEXELS: u32 = 8;
/// Words of storage buffers.
const WORDS: u32 = 64;
/// Workgroups of a dispatch.
const GROUPS: u32 = 4;

/// The variables that the application sets, by their names in the shaders.
const SET: [(&str, &[f32]); 4] =
    [("scale", &[0.9, 0.8]), ("tint", &[1.0, 0.75, 0.5, 1.0]), ("gain", &[0.875]), ("shift", &[0.125])];
/// The same of integers.
const SET_WORDS: [(&str, u32); 2] = [("factor", 3), ("offset", 1000)];
/// The attributes of the three vertices, by name.
const ATTRIBUTES: [(&str, [[f32; 2]; 3]); 2] =
    [("position", [[-0.9, -0.9], [0.9, -0.9], [0.0, 0.9]]), ("uv", [[0.0, 2.0], [2.0, 2.0], [1.0, 0.0]])];

type Fault = Box<dyn std::error::Error>;

fn bits(u: &Uses) -> u32 {
    let of = |on: bool, bit: u32| if on { bit } else { 0 };
    of(u.barriers, flags::BARRIERS)
        | of(u.side_effects, flags::WRITES_MEMORY)
        | of(u.discard, flags::DISCARD)
        | of(u.early_tests, flags::EARLY_DEPTH)
        | of(u.helpers, flags::DERIVATIVES)
        | of(u.sample_shading, flags::SAMPLE_SHADING)
        | of(u.depth, flags::WRITES_DEPTH)
        | of(u.keeps_denorms, flags::DENORM32)
        | of(u.trusted, flags::TRUSTED)
        | of(u.reads_targets, flags::READS_TARGETS)
}

fn resources(p: &Program) -> Vec<Resource> {
    let one = |b: &gpucc::reflect::Binding| Resource {
        group: b.group,
        binding: b.binding | b.element << 16,
        kind: b.kind,
        access: b.access,
        slot: b.slot,
        min_size: b.size,
        count: b.count,
        shape: b.shape,
    };
    let (group, binding) = IMMEDIATES;
    let block = p.immediates.iter().map(|i| Resource {
        group,
        binding,
        kind: ResourceKind::Immediates,
        access: Access::Read,
        slot: i.slot,
        min_size: i.size,
        count: 1,
        shape: Shape::default(),
    });
    p.bindings.iter().map(one).chain(block).collect()
}

fn rows(slots: &[Slot], output: bool) -> impl Iterator<Item = InterfaceRow> + '_ {
    slots.iter().map(move |s| InterfaceRow {
        output,
        at: s.at,
        components: s.components,
        integer: s.is_integer,
        interpolation: s.interpolation,
        sampling: s.sampling,
        packing: s.packing,
        file: s.place.file,
        index: s.place.index,
        lane: s.place.lane,
    })
}

/// What is written to memory and registers for one program: its entry as if it were alone.
pub fn programmed_part(p: &Program, code: &[u8], data: &[u8]) -> Entry {
    let cut = |all: &[u8], (at, size): (u32, u32)| all[at as usize..(at + size) as usize].to_vec();
    let preload = |l: &gpucc::reflect::Loaded| Preload {
        file: l.place.file,
        lane: l.place.lane,
        index: l.place.index,
        source: l.source,
    };
    Entry {
        name: p.entry.clone(),
        stage: p.stage,
        code: cut(code, p.code),
        data: cut(data, p.constant_data),
        meta: Meta {
            workgroup_size: p.workgroup_size,
            subgroup_size: p.subgroup_size,
            registers: p.registers.iter().map(|r| (r.file, r.count)).collect(),
            shared_bytes: p.shared_bytes,
            scratch_bytes: p.scratch_bytes,
            flags: bits(&p.uses),
            family_words: p.words.iter().map(|w| w.value).collect(),
        },
        resources: resources(p),
        preloads: p.preloads.iter().map(preload).collect(),
        steps: p.steps.iter().map(|s| s.step.clone()).collect(),
        interface: rows(&p.inputs, false).chain(rows(&p.outputs, true)).collect(),
        state: p
            .state
            .iter()
            .map(|w| StateWord { space: w.space, register: w.register, value: w.value, mask: w.mask })
            .collect(),
        pipeline: p.pipeline.clone(),
        ..Entry::default()
    }
}

/// A container made of a reflection, and of code and constants as bytes.
pub fn programmed(facts: &Reflection, read: &Container) -> Container {
    let mut entries: Vec<Entry> = Vec::new();
    for p in &facts.programs {
        let bytes = &read.entries[p.entry_index];
        let own = programmed_part(p, &bytes.code, &bytes.data);
        if p.role == ProgramRole::Main {
            entries.push(own);
            continue;
        }
        let part = Part {
            role: p.role,
            offset: p.code.0,
            size: p.code.1,
            data: p.constant_data,
            registers: own.meta.registers.clone(),
            scratch_bytes: p.scratch_bytes,
            family_words: own.meta.family_words.clone(),
            preloads: own.preloads.clone(),
        };
        match entries.last_mut().filter(|e| e.name == p.entry && e.stage == p.stage) {
            Some(e) => e.programs.push(part),
            None => {
                let (code, data) = (bytes.code.clone(), bytes.data.clone());
                entries.push(Entry { code, data, preloads: Vec::new(), programs: vec![part], ..own });
            }
        }
    }
    let Reflection { family, generation, compiler, options_hash, .. } = facts.clone();
    Container { family, generation, compiler, options_hash, entries }
}

/// Writes the members that the application knows to the bytes of a buffer.
fn set(members: &[Member], bytes: &mut [u8]) {
    let mut put = |at: u32, n: usize, word: u32| {
        let at = at as usize + 4 * n;
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    };
    for m in members {
        let floats = SET.iter().find(|(name, _)| *name == m.name).map_or(&[][..], |s| s.1);
        floats.iter().enumerate().for_each(|(n, v)| put(m.offset, n, v.to_bits()));
        SET_WORDS.iter().filter(|(name, _)| *name == m.name).for_each(|s| put(m.offset, 0, s.1));
    }
}

/// A texture of two colours.
fn board() -> Image {
    let mut image = Image::new(Format::Rgba8Unorm, false, [TEXELS, TEXELS, 1], 1, 1);
    for (n, texel) in image.bytes.chunks_exact_mut(4).enumerate() {
        let (x, y) = (n as u32 % TEXELS, n as u32 / TEXELS);
        texel.copy_from_slice(if (x / 2 + y / 2) % 2 == 0 { &[250, 200, 120, 255] } else { &[30, 60, 90, 255] });
    }
    image
}

/// Binds something at each place that a program names, once.
fn bind(p: &Program, mut to: Dispatch) -> Result<Dispatch, Fault> {
    for b in &p.bindings {
        let is_there = |d: &Dispatch| match b.kind {
            ResourceKind::Texture | ResourceKind::StorageTexture => {
                d.textures.iter().any(|t| (t.group, t.binding) == (b.group, b.binding))
            }
            ResourceKind::Sampler => d.samplers.iter().any(|s| (s.group, s.binding) == (b.group, b.binding)),
            _ => d.index_of(b.group, b.binding).is_some(),
        };
        if is_there(&to) {
            continue;
        }
        to = match b.kind {
            ResourceKind::Uniform => {
                let mut bytes = vec![0; b.size as usize];
                set(&b.members, &mut bytes);
                let (group, binding) = (b.group, b.binding);
                to.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
                to
            }
            ResourceKind::Storage => {
                let words: Vec<u32> = (0..WORDS.max(b.size / 4)).collect();
                to.with_u32(b.group, b.binding, &words)
            }
            ResourceKind::Texture | ResourceKind::StorageTexture => {
                to.with_texture(b.group, b.binding, board(), Dim::D2)
            }
            ResourceKind::Sampler => {
                to.with_sampler(b.group, b.binding, Sampler { wrap: [Wrap::Repeat; 3], ..Sampler::default() })
            }
            ResourceKind::Immediates => return Err("immediate data is no binding".into()),
        };
    }
    if let Some(i) = p.immediates.as_ref().filter(|_| to.index_of(IMMEDIATES.0, IMMEDIATES.1).is_none()) {
        let mut bytes = vec![0; i.size as usize];
        set(&i.members, &mut bytes);
        to = to.with_immediates(bytes);
    }
    Ok(to)
}

/// The vertex buffers of a pipeline, with the attributes that the program's inputs name.
fn vertex_buffers(p: &Program, state: &Pipeline) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    let mut buffers: Vec<Option<Vec<u8>>> =
        state.vertex.iter().map(|b| b.as_ref().map(|b| vec![0; 3 * b.stride as usize])).collect();
    for s in &p.inputs {
        let IoPlace::Location { number, .. } = s.at else { continue };
        let (slot, layout, a) = state.attribute(number.into()).ok_or("an input without an attribute")?;
        let name = s.name.as_deref().ok_or("an input without a name")?;
        let values = ATTRIBUTES.iter().find(|(n, _)| *n == name).ok_or_else(|| format!("no attribute `{name}`"))?;
        if a.format != VertexFormat::Float32x2 {
            return Err(format!("`{name}` is {}", a.format.name()).into());
        }
        let Some(bytes) = &mut buffers[slot] else { continue };
        for (n, v) in values.1.iter().enumerate() {
            let at = n * layout.stride as usize + a.offset as usize;
            bytes[at..at + 4].copy_from_slice(&v[0].to_le_bytes());
            bytes[at + 4..at + 8].copy_from_slice(&v[1].to_le_bytes());
        }
    }
    Ok(buffers)
}

/// Runs a compute program and gives the words of its storage buffers.
pub fn compute(facts: &Reflection, p: &Program, read: &Container) -> Result<Vec<u32>, Fault> {
    let mut dispatch = bind(p, Dispatch::new([GROUPS, 1, 1]))?;
    gpucc_machines::run(&programmed(facts, read), Some(&p.entry), &mut dispatch, &RunOptions::default())?;
    let storage = p.bindings.iter().filter(|b| b.kind == ResourceKind::Storage);
    Ok(storage.filter_map(|b| dispatch.words(b.group, b.binding)).flatten().collect())
}

/// Draws with a vertex and a fragment program and gives the bytes of the first target.
pub fn draw(facts: &Reflection, pair: (&Program, &Program), read: &Container) -> Result<Vec<u8>, Fault> {
    let (v, f) = pair;
    let made = programmed(facts, read);
    let alone = |p: &Program| {
        let e = made.entries.iter().filter(|e| e.name == p.entry && e.stage == p.stage).cloned().collect();
        Container { entries: e, ..Container { entries: Vec::new(), ..made.clone() } }
    };
    let state = f.pipeline.as_deref().ok_or("a program without a pipeline")?;
    let missing = gpucc::reflect::varyings(v, f).into_iter().find(|v| v.missing != 0);
    if let Some(v) = missing {
        return Err(format!("nobody gives all of location {}", v.location).into());
    }
    let mut bindings = bind(f, bind(v, Dispatch::new([1; 3]))?)?;
    let buffers = vertex_buffers(v, state)?;
    let given: Vec<Option<VertexData<'_>>> = state
        .vertex
        .iter()
        .zip(&buffers)
        .map(|(layout, bytes)| Some(VertexData { layout: layout.as_ref()?, bytes: bytes.as_ref()? }))
        .collect();
    let [w, h] = SIZE;
    let target = |t: &Option<gpucc::pipeline::Target>| {
        t.as_ref().map(|t| Surface::new(t.format, w, h, u32::from(state.samples)))
    };
    let mut targets = Targets::new(state.targets.iter().map(target).collect(), None);
    let viewport = Viewport { x: 0.0, y: 0.0, width: w as f32, height: h as f32, min_depth: 0.0, max_depth: 1.0 };
    let call = Draw {
        vertices: Vertices { instances: 2, ..Vertices::new(state.topology, 3) },
        raster: Raster::of(state, viewport, [0, 0, w, h]),
        viewports: Vec::new(),
        merger: Merger::of(state, [0.0; 4], 0),
        seed: None,
    };
    let programs = (alone(v), alone(f));
    let job =
        DrawJob { programs: (&programs.0, Some(&programs.1)), pipeline: state, draw: &call, vertex_buffers: &given };
    gpucc_machines::draw(&job, &mut bindings, &mut targets, &RunOptions::default())?;
    let first = targets.colour.into_iter().flatten().next().ok_or("a pipeline without a target")?;
    Ok(first.bytes)
}

/// What a driver programs for a program, for people.
fn show(p: &Program) {
    println!("{} ({:?}, {})", p.entry, p.stage, p.role.name());
    for r in &p.registers {
        println!("  {}: {}", r.name, r.count);
    }
    for b in &p.bindings {
        let name = b.name.as_deref().unwrap_or("?");
        println!(
            "  group {} binding {}: {name}, {:?}, slot {}, bytes {:?}",
            b.group, b.binding, b.kind, b.slot, b.range
        );
    }
    for l in &p.preloads {
        println!("  {} = {}", l.place.name, l.meaning);
    }
    for (way, s) in p.inputs.iter().map(|s| ("in", s)).chain(p.outputs.iter().map(|s| ("out", s))) {
        println!("  {way} {:?} {}: {}", s.at, s.name.as_deref().unwrap_or(""), s.place.name);
    }
    for w in &p.state {
        println!("  {} = {:#010x}", w.name, w.value);
    }
}

fn main() -> Result<(), Fault> {
    let mut args = std::env::args().skip(1);
    let (mut files, mut out) = (Vec::new(), None);
    while let Some(a) = args.next() {
        if a == "-o" { out = args.next() } else { files.push(a) }
    }
    for file in files {
        let read = Container::read(&std::fs::read(&file)?)?;
        let facts = Reflection::of(&read);
        facts.programs.iter().for_each(show);
        for p in facts.programs.iter().filter(|p| p.stage == Stage::Compute) {
            println!("{:?}", compute(&facts, p, &read)?);
        }
        let of = |stage| facts.programs.iter().find(|p| p.stage == stage);
        if let (Some(v), Some(f), Some(out)) = (of(Stage::Vertex), of(Stage::Fragment), &out) {
            let [w, h] = SIZE;
            let mut ppm = format!("P6 {w} {h} 255\n").into_bytes();
            draw(&facts, (v, f), &read)?.chunks_exact(4).for_each(|t| ppm.extend_from_slice(&t[..3]));
            std::fs::write(out, ppm)?;
        }
    }
    Ok(())
}
