//! `gpucc inspect`: what a container holds.

use gpucc::legend::{self, snake};
use gpucc::reflect::{self, Loaded, Reflection, Uses};
use gpucc_container::{
    Container, DescriptorKey, Entry, InterfaceRow, IoPlace, Packing, Program, Resource, ResourceKind, Source, Stage,
    Variant,
};
use gpucc_pipeline::{Blend, BlendComponent, DepthBias, Pipeline, StencilFace, VertexAttribute};
use serde_json::{Value, json};

use gpucc_isa::Names;

use crate::args::Inspect;
use crate::{Failure, files};

/// A computation of the launch.
fn step(s: &reflect::Computed) -> Value {
    let operands: Vec<Value> = s.step.operands.iter().map(source).collect();
    json!({"op": s.step.op.name(), "operands": operands, "meaning": s.meaning})
}

fn source(s: &Source) -> Value {
    let xyz = |c: u16| ["x", "y", "z"].get(c as usize).copied().unwrap_or("?");
    let buffer = |kind: &str, group: u32, binding: u32| json!({"kind": kind, "group": group, "binding": binding});
    match *s {
        Source::Const(v) => json!({"kind": "constant", "value": v}),
        Source::BufferAddressLo { group, binding } => buffer("buffer_address_lo", group, binding),
        Source::BufferAddressHi { group, binding } => buffer("buffer_address_hi", group, binding),
        Source::BufferSize { group, binding } => buffer("buffer_size", group, binding),
        Source::DescriptorWord { group, binding, word } => {
            json!({"kind": "descriptor_word", "group": group, "binding": binding, "word": word})
        }
        Source::WorkgroupId(c) => json!({"kind": "workgroup_id", "component": xyz(c)}),
        Source::NumWorkgroups(c) => json!({"kind": "num_workgroups", "component": xyz(c)}),
        Source::LocalId(c) => json!({"kind": "local_invocation_id", "component": xyz(c)}),
        Source::GlobalId(c) => json!({"kind": "global_invocation_id", "component": xyz(c)}),
        Source::LocalIndex => json!({"kind": "local_invocation_index"}),
        Source::TableAddressLo(t) => json!({"kind": "table_address_lo", "table": t}),
        Source::TableAddressHi(t) => json!({"kind": "table_address_hi", "table": t}),
        Source::Family(n) => json!({"kind": "family", "number": n}),
        Source::Step(n) => json!({"kind": "step", "number": n}),
        Source::Immediate(word) => json!({"kind": "immediate", "word": word}),
        Source::Viewport(k) if k < 3 => json!({"kind": "viewport_scale", "component": xyz(k)}),
        Source::Viewport(k) => json!({"kind": "viewport_offset", "component": xyz(k - 3)}),
        Source::BlendConstant(k) => json!({"kind": "blend_constant", "component": k}),
        Source::TextureWord { of, word } => described(of, "word", word.into()),
        Source::TextureFact { of, fact } => described(of, "fact", fact.name().into()),
        // The rest carry no number: their names say it all.
        ref other => json!({"kind": snake(&format!("{other:?}"))}),
    }
}

/// A word or a fact of a texture or sampler.
fn described(of: DescriptorKey, part: &str, value: Value) -> Value {
    let whole = if of.sampler { "sampler" } else { "texture" };
    json!({"kind": format!("{whole}_{part}"), "group": of.group, "binding": of.binding, "element": of.element,
        "variant": of.variant.name(), part: value})
}

fn base_type(r: &InterfaceRow) -> &'static str {
    if r.integer { "integer" } else { "float" }
}

fn components(r: &InterfaceRow) -> String {
    "xyzw".chars().enumerate().filter(|(i, _)| r.components >> i & 1 != 0).map(|c| c.1).collect()
}

/// The rows of the interface: inputs, then outputs, each as the container has them.
fn rows(e: &Entry) -> impl Iterator<Item = (usize, &InterfaceRow)> {
    let of = |output: bool| e.interface.iter().enumerate().filter(move |r| r.1.output == output);
    of(false).chain(of(true))
}

/// The description of an input or output for people: `location 0 float, xy, perspective, center`. Only what goes from vertices to a fragment
/// program is interpolated, and that program says how.
fn interface_words(r: &InterfaceRow, stage: Stage) -> String {
    let mut text = format!("{} {}, {}", r.at, base_type(r), components(r));
    if stage == Stage::Fragment && !r.output {
        text += &format!(", {}, {}", r.interpolation.name(), r.sampling.name());
    }
    if r.packing != Packing::None {
        text += &format!(", packed as {}", r.packing.name());
    }
    text
}

fn interface(r: &InterfaceRow, stage: Stage, place: String) -> Value {
    let way = if r.output { "output" } else { "input" };
    let mut row = json!({"direction": way, "kind": r.at.kind(), "type": base_type(r), "components": components(r),
        "packing": r.packing.name(), "file": r.file, "index": r.index, "lane": r.lane, "place": place});
    if let Some(n) = r.at.number() {
        row[r.at.kind()] = n.into();
    }
    if let IoPlace::Location { blend_src, .. } = r.at {
        row["blend_src"] = blend_src.into();
    }
    if (stage == Stage::Vertex) == r.output {
        row["interpolation"] = r.interpolation.name().into();
        row["sampling"] = r.sampling.name().into();
    }
    row
}

/// The shape that a texture, storage texture or sampler is taken for.
fn shape(r: &Resource) -> Option<Value> {
    let s = &r.shape;
    let dimension = s.dimension.name();
    let class = s.class.name();
    match r.kind {
        ResourceKind::Texture => Some(json!({"dimension": dimension, "arrayed": s.arrayed,
            "multisampled": s.multisampled, "class": class})),
        ResourceKind::StorageTexture => Some(json!({"dimension": dimension, "arrayed": s.arrayed, "class": class,
                "format": s.format.map(|f| f.name())})),
        ResourceKind::Sampler => Some(json!({"comparison": s.comparison})),
        ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::Immediates => None,
    }
}

/// The same in words.
fn shape_text(r: &Resource) -> String {
    let s = &r.shape;
    let mut words = vec![s.dimension.name().to_string()];
    words.extend(s.arrayed.then(|| "array".into()));
    words.extend(s.multisampled.then(|| "multisampled".into()));
    match r.kind {
        ResourceKind::Texture => words.push(s.class.name().into()),
        ResourceKind::StorageTexture => words.extend(s.format.map(|f| f.name().into())),
        ResourceKind::Sampler if s.comparison => return " comparison".into(),
        _ => return String::new(),
    }
    format!(" {}", words.join(" "))
}

fn entry(e: &Entry, programs: &[&reflect::Program], names: Option<&Names>) -> Value {
    let name_of = |i: usize| e.names.iter().find(|n| n.0 as usize == i).map(|n| n.1.clone());
    let resources: Vec<Value> = e
        .resources
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let (kind, access) = (r.kind.name(), r.access.name());
            let mut row = json!({"name": name_of(i), "group": r.group, "binding": r.binding, "kind": kind, "access": access,
                   "slot": r.slot, "min_size": r.min_size, "count": r.count});
            if let Some(shape) = shape(r) {
                row["shape"] = shape;
            }
            if r.shape.variant != Variant::Whole {
                row["variant"] = r.shape.variant.name().into();
            }
            named_members(e, i, &mut row);
            row
        })
        .collect();
    // What programs of one entry share is said once.
    let first = programs.first().copied();
    let place = |r: &InterfaceRow| legend::place(names, (r.file, r.index, r.lane));
    let stats: serde_json::Map<String, Value> = e.stats.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
    json!({
        "name": e.name,
        "stage": e.stage.name(),
        "code_bytes": e.code.len(),
        "workgroup_size": e.meta.workgroup_size,
        "subgroup_size": e.meta.subgroup_size,
        "registers": registers(&e.meta.registers, names),
        "shared_bytes": e.meta.shared_bytes,
        "scratch_bytes": e.meta.scratch_bytes,
        "occupancy": first.and_then(|p| p.occupancy.as_ref()).map(|o| json!({"unit": o.unit, "count": o.count})),
        "flags": e.meta.flags,
        "uses": first.map(|p| uses(&p.uses)),
        "reads": first.map(|p| &p.reads),
        "counts": first.map(counts),
        "masks": first.map(masks),
        "barrier_count": first.map(reflect::Program::barrier_count),
        "may_merge_workgroups": first.map(reflect::Program::may_merge_workgroups),
        "padded_code_bytes": first.filter(|_| e.programs.is_empty()).map(|p| p.padded_code_bytes),
        "family_words": e.meta.family_words,
        "words": words(first.filter(|_| e.programs.is_empty())),
        "resources": resources,
        "immediates": first.and_then(|p| p.immediates.as_ref())
            .map(|i| json!({"name": i.name, "size": i.size, "slot": i.slot, "words": i.words, "in_memory": i.in_memory,
                "range": i.range.map(|r| json!({"first": r.first, "end": r.end}))})),
        "preloads": preloads(first.filter(|_| e.programs.is_empty())),
        "steps": first.map(|p| p.steps.iter().map(step).collect::<Vec<_>>()),
        "interface": rows(e).map(|(n, r)| named(e, n, interface(r, e.stage, place(r)))).collect::<Vec<_>>(),
        "state": e.state.iter().map(|w| json!({"space": w.space, "register": w.register,
            "name": reflect::register_name(names, w.space, w.register), "value": w.value, "mask": w.mask})).collect::<Vec<_>>(),
        "pipeline": e.pipeline.as_deref().map(pipeline_lines),
        "programs": e.programs.iter().zip(programs).map(|(p, facts)| program(p, facts, names)).collect::<Vec<_>>(),
        "variables": e.variables.iter().map(|v| json!({"name": v.name, "offset": v.offset, "size": v.size})).collect::<Vec<_>>(),
        "data_bytes": e.data.len(),
        "lines": e.lines.len(),
        "stats": stats,
    })
}

/// Adds the members of a buffer, and the bytes of it that are touched.
fn named_members(e: &Entry, row: usize, to: &mut Value) {
    let Some(facts) = &e.facts else { return };
    let own = facts.members.iter().filter(|m| m.resource as usize == row);
    let list: Vec<Value> = own
        .map(|m| json!({"name": m.name, "type": m.ty, "offset": m.offset, "size": m.size, "count": m.count, "stride": m.stride}))
        .collect();
    if !list.is_empty() {
        to["members"] = list.into();
    }
    if let Some(&(_, first, end)) = facts.ranges.iter().find(|r| r.0 as usize == row) {
        to["range"] = json!({"first": first, "end": (end != u32::MAX).then_some(end)});
    }
}

/// Adds the name of an input or output, where there is one.
fn named(e: &Entry, row: usize, mut to: Value) -> Value {
    let name = e.facts.iter().flat_map(|f| &f.slots).find(|s| s.0 as usize == row);
    if let Some((_, name)) = name {
        to["name"] = name.as_str().into();
    }
    to
}

/// One of several programs.
fn program(p: &Program, facts: &reflect::Program, names: Option<&Names>) -> Value {
    json!({"role": p.role.name(), "offset": p.offset, "size": p.size, "padded_code_bytes": facts.padded_code_bytes, "data_offset": p.data.0, "data_bytes": p.data.1,
           "registers": registers(&p.registers, names), "scratch_bytes": p.scratch_bytes, "family_words": p.family_words,
           "words": words(Some(facts)), "preloads": preloads(Some(facts))})
}

fn registers(list: &[(u8, u16)], names: Option<&Names>) -> Vec<Value> {
    list.iter().map(|(f, n)| json!({"file": f, "name": reflect::file_name(names, *f), "count": n})).collect()
}

/// The words of the family with their names.
fn words(p: Option<&reflect::Program>) -> Vec<Value> {
    p.into_iter().flat_map(|p| &p.words).map(|w| json!({"name": w.name, "value": w.value})).collect()
}

fn preloads(p: Option<&reflect::Program>) -> Vec<Value> {
    let one = |l: &Loaded| {
        let at = &l.place;
        json!({"file": at.file, "index": at.index, "lane": at.lane, "place": at.name, "meaning": l.meaning,
               "source": source(&l.source)})
    };
    p.into_iter().flat_map(|p| &p.preloads).map(one).collect()
}

/// How many of each kind of thing a program uses.
fn counts(p: &reflect::Program) -> Value {
    let c = p.counts();
    json!({"uniform_buffers": c.uniform_buffers, "storage_buffers": c.storage_buffers, "textures": c.textures,
           "storage_textures": c.storage_textures, "samplers": c.samplers, "inputs": c.inputs, "outputs": c.outputs,
           "uniform_words": c.uniform_words})
}

/// Bits of locations, clip distances, bind groups and slots.
fn masks(p: &reflect::Program) -> Value {
    json!({"inputs": p.input_mask(), "outputs": p.output_mask(), "flat": p.flat_mask(), "packed": p.packed_mask(),
           "clip": p.clip_mask(), "groups": p.group_mask(), "textures": p.texture_mask(), "samplers": p.sampler_mask()})
}

/// The flags by name.
fn uses(u: &Uses) -> Value {
    json!({"discard": u.discard, "depth": u.depth, "depth_layout": u.depth_layout.name(), "sample_mask": u.sample_mask, "sample_shading": u.sample_shading,
           "early_tests": u.early_tests, "side_effects": u.side_effects, "helpers": u.helpers, "barriers": u.barriers,
           "reads_targets": u.reads_targets, "keeps_denorms": u.keeps_denorms, "trusted": u.trusted})
}

/// The container as JSON.
pub fn summary(c: &Container) -> Value {
    let (reflection, names) = (Reflection::of(c), reflect::names_of(&c.family));
    let programs =
        |n: usize| reflection.programs.iter().filter(|p| p.entry_index == n).collect::<Vec<&reflect::Program>>();
    json!({
        "family": c.family,
        "generation": c.generation,
        "compiler": format!("{}.{}.{}", c.compiler[0], c.compiler[1], c.compiler[2]),
        "options_hash": format!("{:016x}", c.options_hash),
        "entries": c.entries.iter().enumerate().map(|(n, e)| entry(e, &programs(n), names.as_ref())).collect::<Vec<_>>(),
    })
}

/// `gpucc inspect FILE.bin [--json]`.
///
/// # Errors
/// I/O, or a file that is no container.
pub fn main(args: &Inspect) -> Result<(), Failure> {
    let bytes = files::read(&args.file)?;
    let c = Container::read(&bytes)
        .map_err(|e| Failure::Input(format!("`{}` is not a gpucc container: {e}", args.file.display())))?;
    if args.json {
        return files::stdout(format!("{:#}\n", summary(&c)).as_bytes());
    }
    files::stdout(text(&c).as_bytes())
}

/// The state of a pipeline that the code was compiled for, a line for each part.
fn pipeline_lines(p: &Pipeline) -> Vec<String> {
    let mut first = format!("pipeline: {}, {} front, cull {}", p.topology.name(), p.front_face.name(), p.cull.name());
    first += &format!(", {} {}", p.samples, if p.samples == 1 { "sample" } else { "samples" });
    if p.sample_mask != u32::MAX {
        first += &format!(", sample mask {:#x}", p.sample_mask);
    }
    for (is, text) in [(p.alpha_to_coverage, ", alpha to coverage"), (p.unclipped_depth, ", unclipped depth")] {
        first += if is { text } else { "" };
    }
    if let Some(format) = p.strip_index {
        first += &format!(", strips end at {:#x}", format.restart());
    }
    let mut out = vec![first];
    for (n, b) in p.vertex.iter().enumerate().filter_map(|(n, b)| Some((n, b.as_ref()?))) {
        let one = |a: &VertexAttribute| format!("location {} {} at {}", a.location, a.format.name(), a.offset);
        let list: Vec<String> = b.attributes.iter().map(one).collect();
        out.push(format!("vertex buffer {n}: {} bytes for each {}; {}", b.stride, b.step.name(), list.join(", ")));
    }
    for (n, t) in p.targets.iter().enumerate().filter_map(|(n, t)| Some((n, t.as_ref()?))) {
        let lanes: String = "rgba".chars().enumerate().filter(|(i, _)| t.write >> i & 1 != 0).map(|c| c.1).collect();
        let blend = |b: &Blend| {
            let part = |c: &BlendComponent| format!("{} of {} and {}", c.operation.name(), c.src.name(), c.dst.name());
            format!("; color {}, alpha {}", part(&b.color), part(&b.alpha))
        };
        let written = if lanes.is_empty() { "nothing written".into() } else { format!("{lanes} written") };
        out.push(format!(
            "target {n}: {}, {written}{}",
            t.format.name(),
            t.blend.as_ref().map_or(String::new(), blend)
        ));
    }
    if let Some(d) = &p.depth {
        let written = if d.depth_write { "written" } else { "not written" };
        let face = |f: &StencilFace| {
            let [fail, depth, pass] = [f.fail, f.depth_fail, f.pass].map(|o| o.name());
            format!("{}: {fail}, {depth}, {pass}", f.compare.name())
        };
        out.push(format!("depth and stencil: {}, depth {} and {written}", d.format.name(), d.depth_compare.name()));
        let masks = format!("read mask {:#x}, write mask {:#x}", d.read_mask, d.write_mask);
        out.push(format!("stencil: front {}; back {}; {masks}", face(&d.front), face(&d.back)));
        let DepthBias { constant, slope, clamp } = p.bias;
        if p.bias != DepthBias::default() {
            out.push(format!("depth bias: constant {constant}, slope {slope:?}, clamp {clamp:?}"));
        }
    }
    for s in &p.samplers {
        let compare = s.compare.map_or(String::new(), |c| format!(", compares {}", c.name()));
        out.push(format!("sampler at group {} binding {}: {}{compare}", s.group, s.binding, s.filter.name()));
    }
    out
}

/// The container for people.
fn text(c: &Container) -> String {
    let names = reflect::names_of(&c.family);
    let mut out =
        format!("{}:{}, gpucc {}.{}.{}\n", c.family, c.generation, c.compiler[0], c.compiler[1], c.compiler[2]);
    for e in &c.entries {
        out += &format!("\nentry {} ({}): {} bytes of code", e.name, e.stage.name(), e.code.len());
        if e.stage == Stage::Compute {
            let [x, y, z] = e.meta.workgroup_size;
            out += &format!(", workgroup {x} x {y} x {z}, {} bytes of workgroup memory", e.meta.shared_bytes);
        }
        out += &format!(", subgroup {}, {} bytes of scratch\n", e.meta.subgroup_size, e.meta.scratch_bytes);
        let file = |f: u8| reflect::file_name(names.as_ref(), f);
        let used =
            |list: &[(u8, u16)]| list.iter().map(|(f, n)| format!("{} {n}", file(*f))).collect::<Vec<_>>().join(", ");
        out += &format!("  {}\n", used(&e.meta.registers));
        e.resources.iter().enumerate().for_each(|(i, r)| out += &format!("  {}\n", resource_text(e, i, r)));
        for v in &e.variables {
            out += &format!("  `{}`: {} bytes of workgroup memory from {:#x}\n", v.name, v.size, v.offset);
        }
        let legend = legend::lines(e, names.as_ref());
        let width = legend.iter().map(|l| l.0.len()).max().unwrap_or(0);
        legend.iter().for_each(|(place, what)| out += &format!("  {place:width$} = {what}\n"));
        for (_, r) in rows(e) {
            let way = if r.output { "output" } else { "input" };
            out += &format!(
                "  {way} {}: {}\n",
                interface_words(r, e.stage),
                legend::place(names.as_ref(), (r.file, r.index, r.lane))
            );
        }
        for w in &e.state {
            let name = reflect::register_name(names.as_ref(), w.space, w.register);
            let mask = if w.mask == u32::MAX { String::new() } else { format!(" in the bits {:#010x}", w.mask) };
            out += &format!("  {name} = {:#010x}{mask}\n", w.value);
        }
        for line in e.pipeline.as_deref().map(pipeline_lines).into_iter().flatten() {
            out += &format!("  {line}\n");
        }
        for (p, (role, part)) in e.programs.iter().zip(e.parts()) {
            let (name, registers, scratch) = (role.name(), used(&p.registers), p.scratch_bytes);
            out += &format!(
                "  program {name}: {} bytes from {:#x}, {registers}, {scratch} bytes of scratch\n",
                p.size, p.offset
            );
            legend::lines(&part, names.as_ref())
                .iter()
                .for_each(|(place, what)| out += &format!("    {place} = {what}\n"));
        }
        let stats: Vec<String> = e.stats.iter().map(|(k, v)| format!("{k} {v}")).collect();
        if !stats.is_empty() {
            out += &format!("  {}\n", stats.join(", "));
        }
    }
    out
}

fn resource_text(e: &Entry, i: usize, r: &Resource) -> String {
    let (slot, least) = (r.slot, r.min_size);
    let name = match e.names.iter().find(|n| n.0 as usize == i) {
        Some(n) => format!("`{}`", n.1),
        None => "resource".into(),
    };
    if r.kind == ResourceKind::Immediates {
        return format!("{name}: immediate data, slot {slot}, at least {least} bytes");
    }
    let kind = r.kind.name().replace('_', " ");
    let count = if r.count > 1 { format!(" x {}", r.count) } else { String::new() };
    let least = if least > 0 { format!(", at least {least} bytes") } else { String::new() };
    let access = r.access.name().replace('_', " and ");
    let access = if r.kind == ResourceKind::Sampler { String::new() } else { format!(", {access}") };
    let made = match r.shape.variant {
        Variant::Whole => String::new(),
        v => format!(", variant {}", v.name()),
    };
    format!(
        "{name}: {kind}{}{count}{made}, group {} binding {}{access}, slot {slot}{least}",
        shape_text(r),
        r.group,
        r.binding
    )
}
