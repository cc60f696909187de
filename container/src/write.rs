//! Model to bytes. The same container always gives the same bytes.

use gpucc_pipeline::Format;

use crate::model::{
    Access, Container, Dimension, Entry, Facts, IoPlace, Preload, RaceMark, ResourceKind, Source, Stage, TexelClass,
    UNIFORM_FILE, Variant,
};
use crate::{HEADER_SIZE, MAGIC, SECTION_OPTIONAL, SECTION_SIZE, VERSION_MAJOR, VERSION_MINOR, WHOLE_FILE, tag};

struct Part {
    tag: [u8; 4],
    entry: u32,
    align: u32,
    flags: u32,
    bytes: Vec<u8>,
}

fn u16s(out: &mut Vec<u8>, v: u16) {
    out.extend_from_slice(&v.to_le_bytes());
}

fn u32s(out: &mut Vec<u8>, v: u32) {
    out.extend_from_slice(&v.to_le_bytes());
}

fn text(out: &mut Vec<u8>, s: &str) {
    u32s(out, s.len() as u32);
    out.extend_from_slice(s.as_bytes());
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}

fn name16(out: &mut Vec<u8>, s: &str) {
    let mut field = [0; 16];
    let n = s.len().min(15);
    field[..n].copy_from_slice(&s.as_bytes()[..n]);
    out.extend_from_slice(&field);
}

impl Container {
    /// The bytes of the file. Names longer than their fields are cut; a container that was read writes back to the
    /// same content.
    pub fn write(&self) -> Vec<u8> {
        let mut parts = vec![Part { tag: tag::TARG, entry: WHOLE_FILE, align: 8, flags: 0, bytes: self.targ() }];
        for (i, e) in self.entries.iter().enumerate() {
            let i = i as u32;
            let mut part = |tag, align, flags, bytes| parts.push(Part { tag, entry: i, align, flags, bytes });
            part(tag::META, 8, 0, meta(e));
            part(tag::RSRC, 8, 0, resources(e));
            part(tag::PREL, 8, 0, preloads(e, false));
            part(tag::UNIF, 8, 0, preloads(e, true));
            part(tag::CODE, 64, 0, e.code.clone());
            if !e.interface.is_empty() {
                part(tag::INTF, 4, 0, interface(e));
            }
            if !e.state.is_empty() {
                part(tag::REGS, 4, 0, state(e));
            }
            if let Some(p) = &e.pipeline {
                part(tag::PIPE, 4, 0, crate::pipeline::write(p));
            }
            if !e.programs.is_empty() {
                part(tag::PROG, 4, 0, programs(e));
            }
            if !e.data.is_empty() {
                part(tag::DATA, 16, 0, e.data.clone());
            }
            if !e.lines.is_empty() {
                part(tag::LINE, 4, SECTION_OPTIONAL, lines(e));
            }
            if !e.stats.is_empty() {
                part(tag::STAT, 4, SECTION_OPTIONAL, stats(e));
            }
            if !e.names.is_empty() {
                part(tag::NAME, 4, SECTION_OPTIONAL, names(e));
            }
            if !e.variables.is_empty() {
                part(tag::VARS, 4, SECTION_OPTIONAL, variables(e));
            }
            if let Some(f) = &e.facts {
                part(tag::FACT, 4, SECTION_OPTIONAL, facts(f));
            }
            if let Some(marks) = &e.races {
                let row = |m: &RaceMark| {
                    let [a, b, c] = m.values;
                    [m.pc, u32::from(m.kind) | u32::from(m.place) << 16, a, b, c]
                };
                let bytes = marks.iter().flat_map(row).flat_map(u32::to_le_bytes).collect();
                part(tag::RACE, 4, SECTION_OPTIONAL, bytes);
            }
        }
        // The lowest version that has all that is used: vertex and fragment entries came with the first minor one, pipelines with
        // the second, variables with the third, variants, several programs and the sources behind 24 with the fourth, layers and viewports with the fifth, facts of the
        // source with the sixth, sizes of points, places in them and cull distances with the seventh, storage textures of any format with the eighth.
        let any = |has: fn(&Entry) -> bool| self.entries.iter().any(has);
        let minor = match () {
            () if any(|e| e.resources.iter().any(|r| r.shape.variant == Variant::AnyFormat)) => VERSION_MINOR,
            () if any(|e| has_points_or_culls(e) || e.facts.as_ref().is_some_and(|f| !f.reads.is_empty())) => 7,
            () if any(|e| e.facts.is_some()) => 6,
            () if any(|e| e.interface.iter().any(|r| matches!(r.at, IoPlace::Layer | IoPlace::ViewportIndex))) => 5,
            () if any(asks_for_more) => 4,
            () if any(|e| !e.variables.is_empty()) => 3,
            () if any(|e| e.pipeline.is_some()) => 2,
            () if any(|e| e.stage != Stage::Compute) => 1,
            () => 0,
        };
        assemble(&parts, self.entries.len() as u32, minor)
    }

    fn targ(&self) -> Vec<u8> {
        let mut out = Vec::new();
        name16(&mut out, &self.family);
        name16(&mut out, &self.generation);
        for v in self.compiler {
            u16s(&mut out, v);
        }
        u16s(&mut out, 0);
        out.extend_from_slice(&self.options_hash.to_le_bytes());
        out
    }
}

/// Whether an entry has what came last.
fn has_points_or_culls(e: &Entry) -> bool {
    let new = |at| matches!(at, IoPlace::PointSize | IoPlace::PointCoord | IoPlace::CullDistance(_));
    e.interface.iter().any(|r| new(r.at))
}

/// Whether an entry has several programs or variants of resources, or sources that came with them.
fn asks_for_more(e: &Entry) -> bool {
    let new = |s: &Source| matches!(s, Source::Viewport(_) | Source::BlendConstant(_) | Source::TextureWord { .. });
    !e.programs.is_empty()
        || e.resources.iter().any(|r| r.shape.variant != Variant::Whole)
        || e.preloads.iter().any(|p| new(&p.source))
}

fn assemble(parts: &[Part], entries: u32, minor: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&MAGIC);
    u16s(&mut out, VERSION_MAJOR);
    u16s(&mut out, minor);
    u32s(&mut out, parts.len() as u32);
    u32s(&mut out, entries);
    u32s(&mut out, 0); // file size, filled in below
    out.extend_from_slice(&[0; HEADER_SIZE - 24]);
    let mut at = HEADER_SIZE + SECTION_SIZE * parts.len();
    for p in parts {
        at = at.next_multiple_of(p.align as usize);
        out.extend_from_slice(&p.tag);
        u32s(&mut out, p.entry);
        u32s(&mut out, at as u32);
        u32s(&mut out, p.bytes.len() as u32);
        u32s(&mut out, p.align);
        u32s(&mut out, p.flags);
        at += p.bytes.len();
    }
    for p in parts {
        out.resize(out.len().next_multiple_of(p.align as usize), 0);
        out.extend_from_slice(&p.bytes);
    }
    let size = out.len() as u32;
    out[20..24].copy_from_slice(&size.to_le_bytes());
    out
}

fn meta(e: &Entry) -> Vec<u8> {
    let m = &e.meta;
    let mut out = Vec::new();
    u32s(
        &mut out,
        match e.stage {
            Stage::Compute => 0,
            Stage::Vertex => 1,
            Stage::Fragment => 2,
        },
    );
    for v in m.workgroup_size {
        u32s(&mut out, v);
    }
    for v in [m.subgroup_size, m.shared_bytes, m.scratch_bytes, m.flags] {
        u32s(&mut out, v);
    }
    u32s(&mut out, m.registers.len() as u32);
    u32s(&mut out, m.family_words.len() as u32);
    for &(file, count) in &m.registers {
        out.extend_from_slice(&[file, 0]);
        u16s(&mut out, count);
    }
    for &w in &m.family_words {
        u32s(&mut out, w);
    }
    text(&mut out, &e.name);
    out
}

fn resources(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    for r in &e.resources {
        u32s(&mut out, r.group);
        u32s(&mut out, r.binding);
        out.push(match r.kind {
            ResourceKind::Uniform => 0,
            ResourceKind::Storage => 1,
            ResourceKind::Texture => 2,
            ResourceKind::StorageTexture => 3,
            ResourceKind::Sampler => 4,
            ResourceKind::Immediates => 5,
        });
        out.push(match r.access {
            Access::Read => 1,
            Access::Write => 2,
            Access::ReadWrite => 3,
        });
        let s = &r.shape;
        out.push(match s.dimension {
            Dimension::D1 => 0,
            Dimension::D2 => 1,
            Dimension::D3 => 2,
            Dimension::Cube => 3,
        });
        out.push(match s.class {
            TexelClass::Float => 0,
            TexelClass::Sint => 1,
            TexelClass::Uint => 2,
            TexelClass::Depth => 3,
            TexelClass::External => 4,
        });
        u32s(&mut out, r.slot);
        u32s(&mut out, r.min_size);
        u32s(&mut out, r.count);
        let bits = u32::from(s.arrayed) | u32::from(s.multisampled) << 1 | u32::from(s.comparison) << 2;
        u32s(&mut out, bits | (s.variant as u32) << 8);
        name16(&mut out, s.format.map_or("", Format::name));
    }
    out
}

fn preloads(e: &Entry, uniform: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for p in e.preloads.iter().filter(|p| (p.file >= UNIFORM_FILE) == uniform) {
        preload(&mut out, p);
    }
    out
}

impl Source {
    /// Its number in the file, and w, a and b beside it (`docs/container.md`).
    pub fn numbers(&self) -> (u16, u16, u32, u32) {
        match *self {
            Source::Const(v) => (0, 0, v, 0),
            Source::BufferAddressLo { group, binding } => (1, 0, group, binding),
            Source::BufferAddressHi { group, binding } => (2, 0, group, binding),
            Source::BufferSize { group, binding } => (3, 0, group, binding),
            Source::DescriptorWord { group, binding, word } => (4, word, group, binding),
            Source::WorkgroupId(c) => (5, c, 0, 0),
            Source::NumWorkgroups(c) => (6, c, 0, 0),
            Source::LocalId(c) => (7, c, 0, 0),
            Source::LocalIndex => (8, 0, 0, 0),
            Source::GlobalId(c) => (9, c, 0, 0),
            Source::LaneId => (10, 0, 0, 0),
            Source::SubgroupId => (11, 0, 0, 0),
            Source::SharedBase => (12, 0, 0, 0),
            Source::ScratchBase => (13, 0, 0, 0),
            Source::ScratchBaseHi => (14, 0, 0, 0),
            Source::DataAddressLo => (15, 0, 0, 0),
            Source::DataAddressHi => (16, 0, 0, 0),
            Source::TableAddressLo(t) => (17, t, 0, 0),
            Source::TableAddressHi(t) => (18, t, 0, 0),
            Source::Family(v) => (19, 0, v, 0),
            Source::Immediate(n) => (20, 0, n, 0),
            Source::VertexIndex => (21, 0, 0, 0),
            Source::InstanceIndex => (22, 0, 0, 0),
            Source::FirstVertex => (23, 0, 0, 0),
            Source::FirstInstance => (24, 0, 0, 0),
            Source::Viewport(k) => (25, k, 0, 0),
            Source::BlendConstant(k) => (26, k, 0, 0),
            Source::TextureWord { of, word } => {
                let kind = if of.sampler { 28 } else { 27 };
                (kind, word & 0xff | (of.variant as u16) << 8, of.group & 0xffff | of.element << 16, of.binding)
            }
        }
    }
}

fn preload(out: &mut Vec<u8>, p: &Preload) {
    let (kind, word, a, b) = p.source.numbers();
    out.extend_from_slice(&[p.file, p.lane]);
    u16s(out, p.index);
    u16s(out, kind);
    u16s(out, word);
    u32s(out, a);
    u32s(out, b);
}

fn interface(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    for r in &e.interface {
        let (kind, number, second) = match r.at {
            IoPlace::Location { number, blend_src } => (0, number, blend_src),
            IoPlace::Position => (1, 0, 0),
            IoPlace::ClipDistance(n) => (2, n, 0),
            IoPlace::FragDepth => (3, 0, 0),
            IoPlace::SampleMask => (4, 0, 0),
            IoPlace::Layer => (5, 0, 0),
            IoPlace::ViewportIndex => (6, 0, 0),
            IoPlace::PointSize => (7, 0, 0),
            IoPlace::PointCoord => (8, 0, 0),
            IoPlace::CullDistance(n) => (9, n, 0),
            IoPlace::FragStencil => (10, 0, 0),
            IoPlace::Barycentric => (11, 0, 0),
            IoPlace::PrimitiveIndex => (12, 0, 0),
            IoPlace::VertexNumber => (13, 0, 0),
        };
        let how = r.interpolation as u8 | (r.sampling as u8) << 4;
        out.extend_from_slice(&[r.output.into(), kind, number, second, r.components, r.integer.into(), how, r.file]);
        u16s(&mut out, r.index);
        out.extend_from_slice(&[r.lane, r.packing as u8]);
    }
    out
}

fn state(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    for w in &e.state {
        u16s(&mut out, w.space);
        u16s(&mut out, 0);
        for v in [w.register, w.value, w.mask] {
            u32s(&mut out, v);
        }
    }
    out
}

fn programs(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    for p in &e.programs {
        u16s(&mut out, p.role as u16);
        u16s(&mut out, 0);
        let counts = [p.registers.len(), p.family_words.len(), p.preloads.len()].map(|n| n as u32);
        for v in [p.offset, p.size, p.data.0, p.data.1, p.scratch_bytes].into_iter().chain(counts) {
            u32s(&mut out, v);
        }
        for &(file, count) in &p.registers {
            out.extend_from_slice(&[file, 0]);
            u16s(&mut out, count);
        }
        p.family_words.iter().for_each(|&w| u32s(&mut out, w));
        p.preloads.iter().for_each(|p| preload(&mut out, p));
    }
    out
}

fn lines(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    for l in &e.lines {
        for v in [l.pc, l.line, l.column] {
            u32s(&mut out, v);
        }
    }
    out
}

fn stats(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, e.stats.len() as u32);
    for (name, value) in &e.stats {
        text(&mut out, name);
        out.extend_from_slice(&value.to_le_bytes());
    }
    out
}

fn variables(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, e.variables.len() as u32);
    for v in &e.variables {
        u32s(&mut out, v.offset);
        u32s(&mut out, v.size);
        text(&mut out, &v.name);
    }
    out
}

fn facts(f: &Facts) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, f.depth as u32);
    u32s(&mut out, f.slots.len() as u32);
    for (row, name) in &f.slots {
        u32s(&mut out, *row);
        text(&mut out, name);
    }
    u32s(&mut out, f.members.len() as u32);
    for m in &f.members {
        for v in [m.resource, m.offset, m.size, m.count, m.stride] {
            u32s(&mut out, v);
        }
        text(&mut out, &m.name);
        text(&mut out, &m.ty);
    }
    u32s(&mut out, f.ranges.len() as u32);
    for &(resource, first, end) in &f.ranges {
        for v in [resource, first, end] {
            u32s(&mut out, v);
        }
    }
    if !f.reads.is_empty() {
        u32s(&mut out, f.reads.len() as u32);
        f.reads.iter().for_each(|name| text(&mut out, name));
    }
    out
}

fn names(e: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, e.names.len() as u32);
    for (index, name) in &e.names {
        u32s(&mut out, *index);
        text(&mut out, name);
    }
    out
}
