//! Bytes to model. The bytes may come from anywhere.

use gpucc_pipeline::Format;

use crate::bytes::{Bytes, ReadError};
use crate::model::UNIFORM_FILE;
use crate::model::{
    Access, Container, DepthLayout, DescriptorKey, Dimension, Entry, Facts, InterfaceRow, Interpolation, IoPlace,
    LineEntry, Member, Meta, Packing, Preload, Program, ProgramRole, RaceMark, Resource, ResourceKind, Sampling, Shape,
    Source, Stage, StateWord, TexelClass, Variable, Variant,
};
use crate::{HEADER_SIZE, MAGIC, SECTION_OPTIONAL, SECTION_SIZE, VERSION_MAJOR, tag};

/// A row of the section table, with its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The contents of the section.
    pub tag: [u8; 4],
    /// Entry it belongs to, or [`crate::WHOLE_FILE`].
    pub entry: u32,
    /// Alignment of its offset.
    pub align: u32,
    /// Bits such as [`SECTION_OPTIONAL`].
    pub flags: u32,
    /// Offset in the file.
    pub offset: u32,
    /// The bytes of the section's contents.
    pub bytes: &'a [u8],
}

impl Section<'_> {
    /// Whether results stay the same without it.
    pub fn is_optional(&self) -> bool {
        self.flags & SECTION_OPTIONAL != 0
    }

    /// The tag as text.
    pub fn name(&self) -> String {
        self.tag.iter().map(|&b| if b.is_ascii_graphic() { char::from(b) } else { '?' }).collect()
    }
}

/// The section table of a container, checked against the file size.
///
/// # Errors
/// When the header or the table is no good.
pub fn sections(file: &[u8]) -> Result<Vec<Section<'_>>, ReadError> {
    Ok(table(file)?.1)
}

fn table(file: &[u8]) -> Result<(u32, Vec<Section<'_>>), ReadError> {
    let mut h = Bytes { data: file, what: "header" };
    if file.len() < MAGIC.len() || h.take(MAGIC.len())? != MAGIC {
        return Err(ReadError::NotAContainer);
    }
    let major = h.u16()?;
    if major != VERSION_MAJOR {
        return Err(ReadError::Version(major));
    }
    let _minor = h.u16()?;
    let count = h.u32()?;
    let entries = h.u32()?;
    let size = h.u32()? as usize;
    if size > file.len() {
        return Err(ReadError::Truncated(format!("{} of {size} bytes", file.len())));
    }
    let file = &file[..size];
    let rows = file.get(HEADER_SIZE..).ok_or_else(|| ReadError::Truncated("header".into()))?;
    let need = u64::from(count) * SECTION_SIZE as u64;
    let rows = usize::try_from(need)
        .ok()
        .and_then(|n| rows.get(..n))
        .ok_or_else(|| ReadError::Truncated(format!("section table of {count} rows")))?;
    // Every entry has sections of its own, so a larger number is a lie.
    if entries > count {
        return Err(ReadError::Invalid(format!("{entries} entries in {count} sections")));
    }
    let mut out = Vec::with_capacity(count as usize);
    for mut row in (Bytes { data: rows, what: "section table" }).records(SECTION_SIZE)? {
        let t = row.take(4)?;
        let tag = [t[0], t[1], t[2], t[3]];
        let (entry, offset, size, align, flags) = (row.u32()?, row.u32()?, row.u32()?, row.u32()?, row.u32()?);
        let name = String::from_utf8_lossy(t).into_owned();
        if !align.is_power_of_two() || offset % align != 0 {
            return Err(ReadError::Invalid(format!("section {name} at {offset} is not aligned to {align}")));
        }
        let end = (offset as usize).checked_add(size as usize);
        let bytes = end
            .and_then(|end| file.get(offset as usize..end))
            .ok_or_else(|| ReadError::Truncated(format!("section {name} of {size} bytes at {offset}")))?;
        out.push(Section { tag, entry, align, flags, offset, bytes });
    }
    Ok((entries, out))
}

/// The same file without the sections that `drop` selects. Offsets of the others stay.
///
/// # Errors
/// When the header or the table is no good.
pub fn without(file: &[u8], drop: impl Fn(&Section<'_>) -> bool) -> Result<Vec<u8>, ReadError> {
    let (_, all) = table(file)?;
    let mut out = file.to_vec();
    let mut kept = 0;
    for (i, s) in all.iter().enumerate() {
        let row = HEADER_SIZE + i * SECTION_SIZE;
        if drop(s) {
            let start = s.offset as usize;
            out[start..start + s.bytes.len()].fill(0);
        } else {
            out.copy_within(row..row + SECTION_SIZE, HEADER_SIZE + kept * SECTION_SIZE);
            kept += 1;
        }
    }
    out[12..16].copy_from_slice(&(kept as u32).to_le_bytes());
    out[HEADER_SIZE + kept * SECTION_SIZE..HEADER_SIZE + all.len() * SECTION_SIZE].fill(0);
    Ok(out)
}

impl Container {
    /// Reads a file. Unknown sections are skipped.
    ///
    /// # Errors
    /// When the bytes are no complete container of this version.
    pub fn read(file: &[u8]) -> Result<Container, ReadError> {
        let (entries, all) = table(file)?;
        let mut out = Container { entries: vec![Entry::default(); entries as usize], ..Container::default() };
        let mut target = false;
        let mut seen = vec![0_u32; entries as usize];
        for s in &all {
            let Some(bit) = known(s.tag) else { continue };
            if s.tag == tag::TARG {
                if std::mem::replace(&mut target, true) {
                    return Err(ReadError::Invalid("two sections TARG".into()));
                }
                out.read_targ(s.bytes)?;
                continue;
            }
            let index = s.entry as usize;
            let (Some(entry), Some(seen)) = (out.entries.get_mut(index), seen.get_mut(index)) else {
                return Err(ReadError::Invalid(format!("section {} belongs to no entry", s.name())));
            };
            if *seen & bit != 0 {
                return Err(ReadError::Invalid(format!("two sections {} for one entry", s.name())));
            }
            *seen |= bit;
            read_section(entry, s)?;
        }
        if !target {
            return Err(ReadError::Missing("section TARG".into()));
        }
        for (i, seen) in seen.iter().enumerate() {
            for t in [tag::META, tag::CODE, tag::RSRC, tag::PREL, tag::UNIF] {
                if known(t).is_some_and(|bit| seen & bit == 0) {
                    let name = String::from_utf8_lossy(&t).into_owned();
                    return Err(ReadError::Missing(format!("section {name} of entry {i}")));
                }
            }
        }
        // Sections may lie in any order; the model has register files first.
        for e in &mut out.entries {
            e.preloads.sort_by_key(|p| p.file >= UNIFORM_FILE);
            let inside = |(from, size): (u32, u32), all: &[u8]| u64::from(from) + u64::from(size) <= all.len() as u64;
            if !e.programs.iter().all(|p| inside((p.offset, p.size), &e.code)) {
                return Err(ReadError::Invalid("PROG: a program beyond the code".into()));
            }
            if !e.programs.iter().all(|p| inside(p.data, &e.data)) {
                return Err(ReadError::Invalid("PROG: a program beyond the constant bytes".into()));
            }
        }
        Ok(out)
    }

    fn read_targ(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let mut b = Bytes { data: bytes, what: "TARG" };
        self.family = name16(&mut b)?;
        self.generation = name16(&mut b)?;
        self.compiler = [b.u16()?, b.u16()?, b.u16()?];
        b.u16()?;
        self.options_hash = b.u64()?;
        Ok(())
    }
}

/// A bit for each tag this version knows.
fn known(t: [u8; 4]) -> Option<u32> {
    const TAGS: [[u8; 4]; 17] = [
        tag::TARG,
        tag::CODE,
        tag::META,
        tag::RSRC,
        tag::PREL,
        tag::UNIF,
        tag::DATA,
        tag::LINE,
        tag::STAT,
        tag::NAME,
        tag::RACE,
        tag::VARS,
        tag::INTF,
        tag::REGS,
        tag::PIPE,
        tag::PROG,
        tag::FACT,
    ];
    TAGS.iter().position(|&k| k == t).map(|i| 1 << i)
}

fn name16(b: &mut Bytes<'_>) -> Result<String, ReadError> {
    let field = b.take(16)?;
    let n = field.iter().position(|&c| c == 0).ok_or_else(|| b.invalid("name has no end"))?;
    let s = std::str::from_utf8(&field[..n]).map_err(|_| b.invalid("name is not UTF-8"))?;
    Ok(s.to_owned())
}

fn read_section(e: &mut Entry, s: &Section<'_>) -> Result<(), ReadError> {
    match s.tag {
        tag::CODE => e.code = s.bytes.to_vec(),
        tag::DATA => e.data = s.bytes.to_vec(),
        tag::META => read_meta(e, s.bytes)?,
        tag::RSRC => {
            for b in (Bytes { data: s.bytes, what: "RSRC" }).records(44)? {
                e.resources.push(read_resource(b)?);
            }
        }
        tag::PREL | tag::UNIF => {
            let uniform = s.tag == tag::UNIF;
            for b in (Bytes { data: s.bytes, what: if uniform { "UNIF" } else { "PREL" } }).records(16)? {
                e.preloads.push(read_preload(b, uniform)?);
            }
        }
        tag::INTF => {
            for b in (Bytes { data: s.bytes, what: "INTF" }).records(12)? {
                e.interface.push(read_interface(b)?);
            }
        }
        tag::REGS => {
            for mut b in (Bytes { data: s.bytes, what: "REGS" }).records(16)? {
                let space = b.u16()?;
                b.u16()?;
                e.state.push(StateWord { space, register: b.u32()?, value: b.u32()?, mask: b.u32()? });
            }
        }
        tag::PIPE => e.pipeline = Some(Box::new(crate::pipeline::read(s.bytes)?)),
        tag::PROG => {
            let mut b = Bytes { data: s.bytes, what: "PROG" };
            while !b.data.is_empty() {
                e.programs.push(read_program(&mut b)?);
            }
        }
        tag::LINE => {
            for mut b in (Bytes { data: s.bytes, what: "LINE" }).records(12)? {
                e.lines.push(LineEntry { pc: b.u32()?, line: b.u32()?, column: b.u32()? });
            }
        }
        tag::RACE => {
            let mut marks = Vec::new();
            for mut b in (Bytes { data: s.bytes, what: "RACE" }).records(20)? {
                let (pc, kind, place) = (b.u32()?, b.u16()?, b.u16()?);
                marks.push(RaceMark { pc, kind, place, values: [b.u32()?, b.u32()?, b.u32()?] });
            }
            e.races = Some(marks);
        }
        tag::STAT => {
            let mut b = Bytes { data: s.bytes, what: "STAT" };
            for _ in 0..b.u32()? {
                e.stats.push((b.text()?, b.u64()?));
            }
        }
        tag::VARS => {
            let mut b = Bytes { data: s.bytes, what: "VARS" };
            for _ in 0..b.u32()? {
                e.variables.push(Variable { offset: b.u32()?, size: b.u32()?, name: b.text()? });
            }
        }
        tag::FACT => e.facts = Some(Box::new(facts(s.bytes)?)),
        tag::NAME => {
            let mut b = Bytes { data: s.bytes, what: "NAME" };
            for _ in 0..b.u32()? {
                e.names.push((b.u32()?, b.text()?));
            }
        }
        _ => {}
    }
    Ok(())
}

fn facts(bytes: &[u8]) -> Result<Facts, ReadError> {
    let mut b = Bytes { data: bytes, what: "FACT" };
    let depth = b.u32()?;
    let depth = *DepthLayout::ALL.get(depth as usize).ok_or_else(|| b.invalid(format_args!("depth layout {depth}")))?;
    let mut f = Facts { depth, ..Facts::default() };
    for _ in 0..b.u32()? {
        f.slots.push((b.u32()?, b.text()?));
    }
    for _ in 0..b.u32()? {
        let [resource, offset, size, count, stride] = [b.u32()?, b.u32()?, b.u32()?, b.u32()?, b.u32()?];
        f.members.push(Member { resource, offset, size, count, stride, name: b.text()?, ty: b.text()? });
    }
    for _ in 0..b.u32()? {
        f.ranges.push((b.u32()?, b.u32()?, b.u32()?));
    }
    // Files up to minor version 6 end here.
    if !b.data.is_empty() {
        for _ in 0..b.u32()? {
            f.reads.push(b.text()?);
        }
    }
    Ok(f)
}

fn read_meta(e: &mut Entry, bytes: &[u8]) -> Result<(), ReadError> {
    let mut b = Bytes { data: bytes, what: "META" };
    e.stage = match b.u32()? {
        0 => Stage::Compute,
        1 => Stage::Vertex,
        2 => Stage::Fragment,
        other => return Err(b.invalid(format_args!("stage {other}"))),
    };
    let mut m = Meta {
        workgroup_size: [b.u32()?, b.u32()?, b.u32()?],
        subgroup_size: b.u32()?,
        shared_bytes: b.u32()?,
        scratch_bytes: b.u32()?,
        flags: b.u32()?,
        ..Meta::default()
    };
    let (files, words) = (b.u32()?, b.u32()?);
    for _ in 0..files {
        let file = b.u8()?;
        b.u8()?;
        m.registers.push((file, b.u16()?));
    }
    for _ in 0..words {
        m.family_words.push(b.u32()?);
    }
    e.name = b.text()?;
    e.meta = m;
    Ok(())
}

fn read_resource(mut b: Bytes<'_>) -> Result<Resource, ReadError> {
    let (group, binding) = (b.u32()?, b.u32()?);
    let kind = match b.u8()? {
        0 => ResourceKind::Uniform,
        1 => ResourceKind::Storage,
        2 => ResourceKind::Texture,
        3 => ResourceKind::StorageTexture,
        4 => ResourceKind::Sampler,
        5 => ResourceKind::Immediates,
        other => return Err(b.invalid(format_args!("kind {other}"))),
    };
    let access = match b.u8()? {
        1 => Access::Read,
        2 => Access::Write,
        3 => Access::ReadWrite,
        other => return Err(b.invalid(format_args!("access {other}"))),
    };
    let dimension = match b.u8()? {
        0 => Dimension::D1,
        1 => Dimension::D2,
        2 => Dimension::D3,
        3 => Dimension::Cube,
        other => return Err(b.invalid(format_args!("dimension {other}"))),
    };
    let class = match b.u8()? {
        0 => TexelClass::Float,
        1 => TexelClass::Sint,
        2 => TexelClass::Uint,
        3 => TexelClass::Depth,
        4 => TexelClass::External,
        other => return Err(b.invalid(format_args!("class {other}"))),
    };
    let (slot, min_size, count, bits) = (b.u32()?, b.u32()?, b.u32()?, b.u32()?);
    let is = |bit: u32| bits >> bit & 1 == 1;
    let number = bits >> 8 & 0xff;
    let variant = Variant::of(number).ok_or_else(|| b.invalid(format_args!("variant {number}")))?;
    let shape = Shape {
        dimension,
        arrayed: is(0),
        multisampled: is(1),
        class,
        format: match name16(&mut b)?.as_str() {
            "" => None,
            name => Some(Format::parse(name).map_err(|e| b.invalid(e))?),
        },
        comparison: is(2),
        variant,
    };
    Ok(Resource { group, binding, kind, access, slot, min_size, count, shape })
}

fn read_program(b: &mut Bytes<'_>) -> Result<Program, ReadError> {
    let (role, zero) = (b.u16()?, b.u16()?);
    let role = match ProgramRole::ALL.get(usize::from(role)) {
        Some(&role) if zero == 0 => role,
        _ => return Err(b.invalid(format_args!("role {role}"))),
    };
    let (offset, size, data, scratch_bytes) = (b.u32()?, b.u32()?, (b.u32()?, b.u32()?), b.u32()?);
    let (registers, words, preloads) = (b.u32()?, b.u32()?, b.u32()?);
    let mut p = Program { role, offset, size, data, scratch_bytes, ..Program::default() };
    for _ in 0..registers {
        let (file, zero, count) = (b.u8()?, b.u8()?, b.u16()?);
        if zero != 0 {
            return Err(b.invalid(format_args!("registers of file {file}")));
        }
        p.registers.push((file, count));
    }
    for _ in 0..words {
        p.family_words.push(b.u32()?);
    }
    for _ in 0..preloads {
        p.preloads.push(preload(b)?);
    }
    Ok(p)
}

fn read_interface(mut b: Bytes<'_>) -> Result<InterfaceRow, ReadError> {
    let flag = |b: &mut Bytes<'_>, what: &str| match b.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(b.invalid(format_args!("{what} {other}"))),
    };
    let output = flag(&mut b, "direction")?;
    let (kind, number, blend_src) = (b.u8()?, b.u8()?, b.u8()?);
    let at = match kind {
        0 => IoPlace::Location { number, blend_src },
        1 => IoPlace::Position,
        2 => IoPlace::ClipDistance(number),
        3 => IoPlace::FragDepth,
        4 => IoPlace::SampleMask,
        5 => IoPlace::Layer,
        6 => IoPlace::ViewportIndex,
        7 => IoPlace::PointSize,
        8 => IoPlace::PointCoord,
        9 => IoPlace::CullDistance(number),
        10 => IoPlace::FragStencil,
        11 => IoPlace::Barycentric,
        12 => IoPlace::PrimitiveIndex,
        13 => IoPlace::VertexNumber,
        other => return Err(b.invalid(format_args!("kind {other}"))),
    };
    let components = b.u8()?;
    let integer = flag(&mut b, "base type")?;
    let (how, file, index, lane, packing) = (b.u8()?, b.u8()?, b.u16()?, b.u8()?, b.u8()?);
    let both = (Interpolation::ALL.get(usize::from(how & 15)), Sampling::ALL.get(usize::from(how >> 4)));
    let (Some(&interpolation), Some(&sampling)) = both else {
        return Err(b.invalid(format_args!("interpolation {how}")));
    };
    let packing =
        *Packing::ALL.get(usize::from(packing)).ok_or_else(|| b.invalid(format_args!("packing {packing}")))?;
    Ok(InterfaceRow { output, at, components, integer, interpolation, sampling, packing, file, index, lane })
}

fn read_preload(mut b: Bytes<'_>, uniform: bool) -> Result<Preload, ReadError> {
    let p = preload(&mut b)?;
    if (p.file >= UNIFORM_FILE) != uniform {
        return Err(b.invalid(format_args!("file {} belongs to the other section", p.file)));
    }
    Ok(p)
}

fn preload(b: &mut Bytes<'_>) -> Result<Preload, ReadError> {
    let (file, lane, index) = (b.u8()?, b.u8()?, b.u16()?);
    let (kind, word, a, c) = (b.u16()?, b.u16()?, b.u32()?, b.u32()?);
    let (group, binding) = (a, c);
    let source = match kind {
        0 => Source::Const(a),
        1 => Source::BufferAddressLo { group, binding },
        2 => Source::BufferAddressHi { group, binding },
        3 => Source::BufferSize { group, binding },
        4 => Source::DescriptorWord { group, binding, word },
        5..=7 | 9 if word > 2 => return Err(b.invalid(format_args!("dimension {word}"))),
        5 => Source::WorkgroupId(word),
        6 => Source::NumWorkgroups(word),
        7 => Source::LocalId(word),
        8 => Source::LocalIndex,
        9 => Source::GlobalId(word),
        10 => Source::LaneId,
        11 => Source::SubgroupId,
        12 => Source::SharedBase,
        13 => Source::ScratchBase,
        14 => Source::ScratchBaseHi,
        15 => Source::DataAddressLo,
        16 => Source::DataAddressHi,
        17 => Source::TableAddressLo(word),
        18 => Source::TableAddressHi(word),
        19 => Source::Family(a),
        20 => Source::Immediate(a),
        21 => Source::VertexIndex,
        22 => Source::InstanceIndex,
        23 => Source::FirstVertex,
        24 => Source::FirstInstance,
        25 if word > 5 => return Err(b.invalid(format_args!("word {word} of the viewport"))),
        25 => Source::Viewport(word),
        26 if word > 3 => return Err(b.invalid(format_args!("component {word} of the blend constant"))),
        26 => Source::BlendConstant(word),
        27 | 28 => {
            let number = u32::from(word >> 8);
            let variant = Variant::of(number).ok_or_else(|| b.invalid(format_args!("variant {number}")))?;
            let of = DescriptorKey { group: a & 0xffff, binding, sampler: kind == 28, variant, element: a >> 16 };
            Source::TextureWord { of, word: word & 0xff }
        }
        other => return Err(b.invalid(format_args!("source {other}"))),
    };
    Ok(Preload { file, lane, index, source })
}
