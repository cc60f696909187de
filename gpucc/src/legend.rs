//! The legend of a listing: contents of the registers and words that a driver fills.

use gpucc_container::{DescriptorKey, Entry, LaunchStep, Preload, Resource, ResourceKind, Source, Variant};
use gpucc_isa::Names;

/// A place that the driver fills: `file 0 index 3 lane 0` without the names of its family, which
/// [`Backend::names`](crate::Backend::names) of a target gives.
pub fn place(names: Option<&Names>, (file, index, lane): (u8, u16, u8)) -> String {
    let name = names.and_then(|n| (n.place)(file, index, lane));
    name.unwrap_or_else(|| format!("file {file} index {index} lane {lane}"))
}

/// The contents of each place before the first instruction, and what the launch computes on the way to them. Words of one descriptor in a row are one line. Without the names of the
/// family, which [`Backend::names`](crate::Backend::names) of a target gives, places and the family's sources are numbers.
pub fn lines(e: &Entry, names: Option<&Names>) -> Vec<(String, String)> {
    let name = |p: &Preload| place(names, (p.file, p.index, p.lane));
    let follows = |p: &Preload, q: &Preload| match (p.source, q.source) {
        (
            Source::DescriptorWord { group, binding, word },
            Source::DescriptorWord { group: next_group, binding: next_binding, word: next },
        ) => {
            let place = (p.file, p.lane, u32::from(p.index) + 1) == (q.file, q.lane, u32::from(q.index));
            place && (group, binding, u32::from(word) + 1) == (next_group, next_binding, u32::from(next))
        }
        _ => false,
    };
    let line = |run: &[Preload]| match (run[0].source, run[run.len() - 1].source) {
        (Source::DescriptorWord { group, binding, word }, Source::DescriptorWord { word: last, .. }) if last > word => {
            let what = format!("{} of {}, words {word} to {last}", words_of(names), variable(e, group, binding));
            (format!("{} to {}", name(&run[0]), name(&run[run.len() - 1])), what)
        }
        _ => (name(&run[0]), source_text(e, run[0].source, names)),
    };
    let mut all: Vec<_> = e.preloads.chunk_by(follows).map(line).collect();
    // What others are computed of, and no place holds.
    let is_loaded = |n: u32| e.preloads.iter().any(|p| p.source == Source::Step(n));
    let steps = (0..).zip(&e.steps).filter(|(n, _)| !is_loaded(*n));
    all.extend(steps.map(|(n, step)| (format!("step {n} of the launch"), step_text(e, step, names))));
    all
}

/// A computation of the launch, in words.
pub(crate) fn step_text(e: &Entry, step: &LaunchStep, names: Option<&Names>) -> String {
    let operand = |&source: &Source| match source {
        Source::Step(n) => format!("step {n}"),
        source => source_text(e, source, names),
    };
    format!("{}({})", step.op, step.operands.iter().map(operand).collect::<Vec<_>>().join("; "))
}

/// Where a value comes from, in words. The entry is that of the program whose preload it is.
pub(crate) fn source_text(e: &Entry, source: Source, names: Option<&Names>) -> String {
    let xyz = |c: u16| ["x", "y", "z"].get(c as usize).copied().unwrap_or("?");
    let table = |t: u16| names.and_then(|n| (n.table)(t)).unwrap_or_else(|| format!("table {t}"));
    match source {
        Source::Const(v) => constant(v),
        Source::BufferAddressLo { group, binding } => format!("address of {}, low word", variable(e, group, binding)),
        Source::BufferAddressHi { group, binding } => format!("address of {}, high word", variable(e, group, binding)),
        Source::BufferSize { group, binding } => format!("size of {} in bytes", variable(e, group, binding)),
        Source::DescriptorWord { group, binding, word } => {
            format!("{} of {}, word {word}", words_of(names), variable(e, group, binding))
        }
        Source::WorkgroupId(c) => format!("workgroup id {}", xyz(c)),
        Source::NumWorkgroups(c) => format!("number of workgroups {}", xyz(c)),
        Source::LocalId(c) => format!("local id {}", xyz(c)),
        Source::GlobalId(c) => format!("global id {}", xyz(c)),
        Source::LocalIndex => "local index".into(),
        Source::TableAddressLo(t) => format!("address of {}, low word", table(t)),
        Source::TableAddressHi(t) => format!("address of {}, high word", table(t)),
        Source::Family(n) => names.and_then(|x| (x.source)(n)).unwrap_or_else(|| format!("source {n} of the family")),
        Source::Step(n) => {
            let step = e.steps.get(n as usize).map_or_else(String::new, |s| format!(": {}", step_text(e, s, names)));
            format!("step {n} of the launch{step}")
        }
        Source::Immediate(word) => format!("immediate data, word {word}"),
        Source::Viewport(k) if k < 3 => format!("scale of the viewport, {}", xyz(k)),
        Source::Viewport(k) => format!("offset of the viewport, {}", xyz(k - 3)),
        Source::BlendConstant(k) => {
            format!("blend constant, {}", ["red", "green", "blue", "alpha"].get(usize::from(k)).unwrap_or(&"?"))
        }
        Source::TextureWord { of, word } => format!("descriptor of {}, word {word}", described(e, of)),
        Source::TextureFact { of, fact } => format!("{} of {}", fact.name().replace('_', " "), described(e, of)),
        // The rest carry no number: their names say it all.
        ref other => snake(&format!("{other:?}")).replace('_', " "),
    }
}

/// The texture or sampler that a descriptor is of.
fn described(e: &Entry, of: DescriptorKey) -> String {
    let made = if of.variant == Variant::Whole { String::new() } else { format!("{} ", of.variant) };
    let what = if of.sampler { "sampler" } else { "texture" };
    let element = if of.element > 0 { format!(", element {}", of.element) } else { String::new() };
    format!("{made}{what} {}{element}", variable(e, of.group, of.binding))
}

/// The part of a buffer that a family's preloads give words of.
fn words_of(names: Option<&Names>) -> &'static str {
    if names.is_some_and(|n| n.loads_contents) { "contents" } else { "descriptor" }
}

/// A word of the compiler's choice, as what it most likely is.
fn constant(v: u32) -> String {
    let float = f32::from_bits(v);
    let plain = float.abs() >= 1e-6 && float.abs() < 1e9;
    if v > 0xffff && v < 0xffff_0000 && plain { format!("{v:#x} ({float:?})") } else { format!("{v:#x}") }
}

/// The name of a variable, with its place in the source's terms.
fn variable(e: &Entry, group: u32, binding: u32) -> String {
    let of = |r: &&(usize, &Resource)| (r.1.group, r.1.binding) == (group, binding);
    let rows: Vec<_> = e.resources.iter().enumerate().collect();
    let row = rows.iter().find(of);
    let name = row.and_then(|(i, _)| e.names.iter().find(|n| n.0 as usize == *i));
    let place = match row {
        Some((_, r)) if r.kind == ResourceKind::Immediates => "immediate data".into(),
        _ => format!("group {group} binding {binding}"),
    };
    name.map_or_else(|| place.clone(), |n| format!("`{}` ({place})", n.1))
}

/// A name of Rust's as words with lines: `SharedBase` to `shared_base`, and `BufferWord { group: 0 }` to its words.
pub fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
