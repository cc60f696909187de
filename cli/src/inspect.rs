//! `gpucc inspect`: what a container holds.

use gpucc_container::{
    Access, Container, Dimension, Entry, InterfaceRow, IoPlace, Resource, ResourceKind, Source, Stage,
};
use serde_json::{Value, json};

use crate::args::Inspect;
use crate::{Failure, files};

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
        Source::Immediate(word) => json!({"kind": "immediate", "word": word}),
        // The rest carry no number: their names say it all.
        ref other => json!({"kind": snake(&format!("{other:?}"))}),
    }
}

/// What an input or output is.
fn interface_text(r: &InterfaceRow) -> String {
    let at = match r.at {
        IoPlace::Location { number, blend_src: 0 } => format!("location {number}"),
        IoPlace::Location { number, blend_src } => format!("location {number} blend_src {blend_src}"),
        IoPlace::Position => "position".into(),
        IoPlace::ClipDistance(n) => format!("clip_distance {n}"),
        IoPlace::FragDepth => "frag_depth".into(),
        IoPlace::SampleMask => "sample_mask".into(),
    };
    let base = if r.integer { "integer" } else { "float" };
    let mode = ["perspective", "linear", "flat", "over_w"].get(usize::from(r.mode)).unwrap_or(&"?");
    let sampled = ["center", "centroid", "sample"].get(usize::from(r.sampled)).unwrap_or(&"?");
    format!("{at} {base} components {:#x} {mode} {sampled}", r.components)
}

fn interface(r: &InterfaceRow) -> Value {
    let way = if r.output { "output" } else { "input" };
    json!({"direction": way, "what": interface_text(r), "file": r.file, "index": r.index, "lane": r.lane})
}

/// `SharedBase` to `shared_base`, and `BufferWord { group: 0 }` to its words.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn dimension(d: Dimension) -> &'static str {
    match d {
        Dimension::D1 => "1d",
        Dimension::D2 => "2d",
        Dimension::D3 => "3d",
        Dimension::Cube => "cube",
    }
}

/// What a texture, storage texture or sampler is taken for.
fn shape(r: &Resource) -> Option<Value> {
    let s = &r.shape;
    let dimension = dimension(s.dimension);
    let class = snake(&format!("{:?}", s.class));
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
    let mut words = vec![dimension(s.dimension).to_string()];
    words.extend(s.arrayed.then(|| "array".into()));
    words.extend(s.multisampled.then(|| "multisampled".into()));
    match r.kind {
        ResourceKind::Texture => words.push(snake(&format!("{:?}", s.class))),
        ResourceKind::StorageTexture => words.extend(s.format.map(|f| f.name().into())),
        ResourceKind::Sampler if s.comparison => return " comparison".into(),
        _ => return String::new(),
    }
    format!(" {}", words.join(" "))
}

fn entry(e: &Entry) -> Value {
    let name_of = |i: usize| e.names.iter().find(|n| n.0 as usize == i).map(|n| n.1.clone());
    let resources: Vec<Value> = e
        .resources
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let kind = match r.kind {
                ResourceKind::Uniform => "uniform",
                ResourceKind::Storage => "storage",
                ResourceKind::Texture => "texture",
                ResourceKind::StorageTexture => "storage_texture",
                ResourceKind::Sampler => "sampler",
                ResourceKind::Immediates => "immediates",
            };
            let access = match r.access {
                Access::Read => "read",
                Access::Write => "write",
                Access::ReadWrite => "read_write",
            };
            let mut row = json!({"name": name_of(i), "group": r.group, "binding": r.binding, "kind": kind, "access": access,
                   "slot": r.slot, "min_size": r.min_size, "count": r.count});
            if let Some(shape) = shape(r) {
                row["shape"] = shape;
            }
            row
        })
        .collect();
    let preloads: Vec<Value> = e
        .preloads
        .iter()
        .map(|p| json!({"file": p.file, "index": p.index, "lane": p.lane, "source": source(&p.source)}))
        .collect();
    let stage = match e.stage {
        Stage::Compute => "compute",
        Stage::Vertex => "vertex",
        Stage::Fragment => "fragment",
    };
    let stats: serde_json::Map<String, Value> = e.stats.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
    json!({
        "name": e.name,
        "stage": stage,
        "code_bytes": e.code.len(),
        "workgroup_size": e.meta.workgroup_size,
        "subgroup_size": e.meta.subgroup_size,
        "registers": e.meta.registers.iter().map(|(f, n)| json!({"file": f, "count": n})).collect::<Vec<_>>(),
        "shared_bytes": e.meta.shared_bytes,
        "scratch_bytes": e.meta.scratch_bytes,
        "flags": e.meta.flags,
        "family_words": e.meta.family_words,
        "resources": resources,
        "preloads": preloads,
        "interface": e.interface.iter().map(interface).collect::<Vec<_>>(),
        "state": e.state.iter().map(|w| json!({"space": w.space, "register": w.register, "value": w.value, "mask": w.mask}))
            .collect::<Vec<_>>(),
        "data_bytes": e.data.len(),
        "lines": e.lines.len(),
        "stats": stats,
    })
}

/// The container as JSON.
pub fn summary(c: &Container) -> Value {
    json!({
        "family": c.family,
        "generation": c.generation,
        "compiler": format!("{}.{}.{}", c.compiler[0], c.compiler[1], c.compiler[2]),
        "options_hash": format!("{:016x}", c.options_hash),
        "entries": c.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// `gpucc inspect FILE.bin [--json]`.
///
/// # Errors
/// I/O, or a file that is no container.
pub fn main(args: &Inspect) -> Result<(), Failure> {
    let bytes = files::read(&args.file)?;
    let c = Container::read(&bytes)
        .map_err(|e| Failure::Input(format!("`{}` is no container: {e}", args.file.display())))?;
    if args.json {
        return files::stdout(format!("{:#}\n", summary(&c)).as_bytes());
    }
    let mut out =
        format!("{}:{}, gpucc {}.{}.{}\n", c.family, c.generation, c.compiler[0], c.compiler[1], c.compiler[2]);
    for e in &c.entries {
        let [x, y, z] = e.meta.workgroup_size;
        out += &format!(
            "\nentry {} ({:?}): {} code bytes, workgroup {x} x {y} x {z}, subgroup {}, shared {} bytes, scratch {} bytes\n",
            e.name,
            e.stage,
            e.code.len(),
            e.meta.subgroup_size,
            e.meta.shared_bytes,
            e.meta.scratch_bytes
        );
        for (file, n) in &e.meta.registers {
            out += &format!("  register file {file}: {n}\n");
        }
        for (i, r) in e.resources.iter().enumerate() {
            let name = e.names.iter().find(|n| n.0 as usize == i).map_or("", |n| n.1.as_str());
            let what = match r.kind {
                ResourceKind::Immediates => "immediate data".to_string(),
                kind => {
                    let count = if r.count > 1 { format!(" x {}", r.count) } else { String::new() };
                    format!("resource {}:{} {kind:?}{}{count} {:?}", r.group, r.binding, shape_text(r), r.access)
                }
            };
            out += &format!("  {what} slot {} min {} bytes {name}\n", r.slot, r.min_size);
        }
        for p in &e.preloads {
            let place = if p.file >= gpucc_container::UNIFORM_FILE { "uniform" } else { "register" };
            out += &format!("  {place} file {} index {} lane {}: {}\n", p.file, p.index, p.lane, source(&p.source));
        }
        for r in &e.interface {
            let way = if r.output { "output" } else { "input" };
            out += &format!("  {way} {}: file {} index {} lane {}\n", interface_text(r), r.file, r.index, r.lane);
        }
        for w in &e.state {
            out += &format!(
                "  state space {} register {:#x}: {:#010x} of {:#010x}\n",
                w.space, w.register, w.value, w.mask
            );
        }
        let stats: Vec<String> = e.stats.iter().map(|(k, v)| format!("{k} {v}")).collect();
        if !stats.is_empty() {
            out += &format!("  {}\n", stats.join(", "));
        }
    }
    files::stdout(out.as_bytes())
}
