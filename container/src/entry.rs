//! The sections of an entry: a row each, with its bytes both ways (`docs/container.md`).

use gpucc_pipeline::{Format, Pipeline};

use crate::bytes::{Bytes, ReadError, put_name16};
use crate::field::{Field, all_of, get_all, put_all};
use crate::launch::{LaunchOp, LaunchStep};
use crate::model::{
    Access, DepthLayout, Entry, Facts, InterfaceRow, Interpolation, IoPlace, Meta, Preload, Program, ProgramRole,
    Resource, Sampling, Shape, Stage, StateWord, UNIFORM_FILE, Variant,
};
use crate::source::{DescriptorKey, Source, TextureFact};
use crate::{SECTION_OPTIONAL, tag};

/// A section of an entry.
pub(crate) struct Row {
    pub tag: [u8; 4],
    pub align: u32,
    pub flags: u32,
    /// Whether every entry has it.
    pub required: bool,
    /// Its bytes; none where the entry has nothing for it.
    pub write: Write,
    /// Takes what it says into an entry.
    pub read: Read,
}

type Write = fn(&Entry) -> Option<Vec<u8>>;
type Read = fn(&mut Entry, &mut Bytes<'_>) -> Result<(), ReadError>;

/// The sections, in the order in which they are written.
pub(crate) const ROWS: &[Row] = &[
    required(tag::META, 8, put_meta, get_meta),
    required(tag::RSRC, 8, |e| listed(&e.resources), |e, b| all_of(b, 44).map(|all| e.resources = all)),
    required(tag::PREL, 8, |e| put_preloads(e, false), |e, b| get_preloads(e, b, false)),
    required(tag::UNIF, 8, |e| put_preloads(e, true), |e, b| get_preloads(e, b, true)),
    required(tag::CODE, 64, |e| plain(&e.code), |e, b| b.rest().map(|all| e.code = all)),
    row(tag::INTF, 4, |e| listed(&e.interface), |e, b| all_of(b, 12).map(|all| e.interface = all)),
    row(tag::REGS, 4, |e| listed(&e.state), |e, b| all_of(b, 16).map(|all| e.state = all)),
    row(tag::PIPE, 4, |e| given(e.pipeline.as_deref()), |e, b| get_pipeline(b).map(|p| e.pipeline = Some(p.into()))),
    row(tag::LNCH, 4, |e| counted(&e.steps), |e, b| Field::get(b).map(|all| e.steps = all)),
    row(tag::PROG, 4, |e| listed(&e.programs), get_programs),
    row(tag::DATA, 16, |e| plain(&e.data), |e, b| b.rest().map(|all| e.data = all)),
    optional(tag::LINE, |e| listed(&e.lines), |e, b| all_of(b, 12).map(|all| e.lines = all)),
    optional(tag::STAT, |e| counted(&e.stats), |e, b| Field::get(b).map(|all| e.stats = all)),
    optional(tag::NAME, |e| counted(&e.names), |e, b| Field::get(b).map(|all| e.names = all)),
    optional(tag::VARS, |e| counted(&e.variables), |e, b| Field::get(b).map(|all| e.variables = all)),
    optional(tag::FACT, |e| given(e.facts.as_deref()), |e, b| Facts::get(b).map(|f| e.facts = Some(f.into()))),
    optional(tag::RACE, put_races, |e, b| all_of(b, 20).map(|all| e.races = Some(all))),
];

const fn row(tag: [u8; 4], align: u32, write: Write, read: Read) -> Row {
    Row { tag, align, flags: 0, required: false, write, read }
}

const fn required(tag: [u8; 4], align: u32, write: Write, read: Read) -> Row {
    Row { required: true, ..row(tag, align, write, read) }
}

const fn optional(tag: [u8; 4], write: Write, read: Read) -> Row {
    Row { flags: SECTION_OPTIONAL, ..row(tag, 4, write, read) }
}

fn bytes(put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out);
    out
}

fn plain(all: &[u8]) -> Option<Vec<u8>> {
    (!all.is_empty()).then(|| all.to_vec())
}

/// Values without their number: the section ends behind the last.
fn listed<T: Field>(all: &[T]) -> Option<Vec<u8>> {
    (!all.is_empty()).then(|| bytes(|out| put_all(all, out)))
}

fn counted<T: Field>(all: &Vec<T>) -> Option<Vec<u8>> {
    (!all.is_empty()).then(|| bytes(|out| all.put(out)))
}

fn given<T: Field>(value: Option<&T>) -> Option<Vec<u8>> {
    value.map(|v| bytes(|out| v.put(out)))
}

fn put_races(e: &Entry) -> Option<Vec<u8>> {
    e.races.as_ref().map(|all| bytes(|out| put_all(all, out)))
}

/// The value at a place of a list.
fn at<T: Copy>(b: &Bytes<'_>, all: &[T], place: u32, what: &str) -> Result<T, ReadError> {
    all.get(place as usize).copied().ok_or_else(|| b.invalid(format_args!("{what} {place}")))
}

fn put_meta(e: &Entry) -> Option<Vec<u8>> {
    let m = &e.meta;
    Some(bytes(|out| {
        (e.stage as u32).put(out);
        m.workgroup_size.put(out);
        let counts = [m.registers.len(), m.family_words.len()].map(|n| n as u32);
        put_all(&[m.subgroup_size, m.shared_bytes, m.scratch_bytes, m.flags], out);
        put_all(&counts, out);
        put_claims(&m.registers, out);
        put_all(&m.family_words, out);
        e.name.put(out);
    }))
}

fn get_meta(e: &mut Entry, b: &mut Bytes<'_>) -> Result<(), ReadError> {
    let stage = b.u32()?;
    e.stage = at(b, Stage::ALL, stage, "stage")?;
    let workgroup_size = Field::get(b)?;
    let (subgroup_size, shared_bytes, scratch_bytes, flags) = (b.u32()?, b.u32()?, b.u32()?, b.u32()?);
    let (files, words) = (b.u32()?, b.u32()?);
    let (registers, family_words) = (get_claims(b, files)?, get_all(b, words)?);
    e.name = b.text()?;
    e.meta = Meta { workgroup_size, subgroup_size, registers, shared_bytes, scratch_bytes, flags, family_words };
    Ok(())
}

/// Registers claimed of files: a byte, nothing, and a count.
fn put_claims(all: &[(u8, u16)], out: &mut Vec<u8>) {
    all.iter().for_each(|&(file, count)| (file, 0u8, count).put(out));
}

fn get_claims(b: &mut Bytes<'_>, count: u32) -> Result<Vec<(u8, u16)>, ReadError> {
    let all: Vec<(u8, u8, u16)> = get_all(b, count)?;
    match all.iter().find(|c| c.1 != 0) {
        Some((file, ..)) => Err(b.invalid(format_args!("registers of file {file}"))),
        None => Ok(all.into_iter().map(|(file, _, count)| (file, count)).collect()),
    }
}

impl Field for Access {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u8 + 1).put(out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<Access, ReadError> {
        let number = b.u8()?;
        at(b, Access::ALL, u32::from(number).wrapping_sub(1), "access")
    }
}

impl Field for Resource {
    fn put(&self, out: &mut Vec<u8>) {
        let s = &self.shape;
        put_all(&[self.group, self.binding], out);
        (self.kind, self.access, s.dimension).put(out);
        s.class.put(out);
        put_all(&[self.slot, self.min_size, self.count], out);
        let bits = u32::from(s.arrayed) | u32::from(s.multisampled) << 1 | u32::from(s.comparison) << 2;
        (bits | (s.variant as u32) << 8).put(out);
        put_name16(s.format.map_or("", Format::name), out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<Resource, ReadError> {
        let (group, binding) = (b.u32()?, b.u32()?);
        let (kind, access, dimension, class) = (Field::get(b)?, Field::get(b)?, Field::get(b)?, Field::get(b)?);
        let (slot, min_size, count, bits) = (b.u32()?, b.u32()?, b.u32()?, b.u32()?);
        let is = |bit: u32| bits >> bit & 1 == 1;
        let variant = variant(b, bits >> 8 & 0xff)?;
        let format = match b.name16()?.as_str() {
            "" => None,
            name => Some(Format::parse(name).map_err(|e| b.invalid(e))?),
        };
        let (arrayed, multisampled, comparison) = (is(0), is(1), is(2));
        let shape = Shape { dimension, arrayed, multisampled, class, format, comparison, variant };
        Ok(Resource { group, binding, kind, access, slot, min_size, count, shape })
    }
}

fn variant(b: &Bytes<'_>, number: u32) -> Result<Variant, ReadError> {
    Variant::of(number).ok_or_else(|| b.invalid(format_args!("variant {number}")))
}

fn put_preloads(e: &Entry, uniform: bool) -> Option<Vec<u8>> {
    let of_section = |p: &Preload| (p.file >= UNIFORM_FILE) == uniform;
    listed(&e.preloads.iter().copied().filter(of_section).collect::<Vec<_>>())
}

fn get_preloads(e: &mut Entry, b: &mut Bytes<'_>, uniform: bool) -> Result<(), ReadError> {
    let all: Vec<Preload> = all_of(b, 16)?;
    if let Some(p) = all.iter().find(|p| (p.file >= UNIFORM_FILE) != uniform) {
        return Err(b.invalid(format_args!("file {} belongs to the other section", p.file)));
    }
    e.preloads.extend(all);
    Ok(())
}

/// The value of a place that a row of a table may leave out.
macro_rules! value {
    (_) => {
        0
    };
    ($name:ident) => {
        $name
    };
}

/// A source of numbers in the order of its fields.
macro_rules! source_of {
    ($name:ident {$($field:ident),*} $numbers:ident) => {{
        let &[$($field),*] = $numbers else { return None };
        Source::$name { $($field: $field.try_into().ok()?),* }
    }};
    ($name:ident ($field:ident) $numbers:ident) => {{
        let &[$field] = $numbers else { return None };
        Source::$name($field.try_into().ok()?)
    }};
}

/// The sources that say nothing but numbers: theirs in the file, and which of w, a and b beside it they have.
macro_rules! sources {
    ($($number:literal $name:ident $parts:tt [$w:tt, $a:tt, $b:tt];)*) => {
        impl Source {
            /// Its number in the file, and w, a and b beside it (`docs/container.md`).
            pub fn numbers(&self) -> (u16, u16, u32, u32) {
                match *self {
                    $(Source::$name $parts => ($number, value!($w), value!($a), value!($b)),)*
                    Source::TextureWord { of, word } => described(27, of, word & 0xff),
                    Source::TextureFact { of, fact } => described(29, of, fact as u16),
                }
            }

            /// The source of a name of Rust's with the numbers of its fields; none is a word or a fact of a texture or sampler.
            pub fn parse(name: &str, numbers: &[u32]) -> Option<Source> {
                let source = match name {
                    $(stringify!($name) => source_of!($name $parts numbers),)*
                    _ => return None,
                };
                source.is_in_range().then_some(source)
            }
        }

        fn plain_source(numbers: (u16, u16, u32, u32)) -> Option<Source> {
            Some(match numbers {
                $(($number, $w, $a, $b) => Source::$name $parts,)*
                _ => return None,
            })
        }
    };
}

sources! {
    0 Const(v) [_, v, _];
    1 BufferAddressLo { group, binding } [_, group, binding];
    2 BufferAddressHi { group, binding } [_, group, binding];
    3 BufferSize { group, binding } [_, group, binding];
    4 DescriptorWord { group, binding, word } [word, group, binding];
    5 WorkgroupId(c) [c, _, _];
    6 NumWorkgroups(c) [c, _, _];
    7 LocalId(c) [c, _, _];
    8 LocalIndex {} [_, _, _];
    9 GlobalId(c) [c, _, _];
    10 LaneId {} [_, _, _];
    11 SubgroupId {} [_, _, _];
    12 SharedBase {} [_, _, _];
    13 ScratchBase {} [_, _, _];
    14 ScratchBaseHi {} [_, _, _];
    15 DataAddressLo {} [_, _, _];
    16 DataAddressHi {} [_, _, _];
    17 TableAddressLo(t) [t, _, _];
    18 TableAddressHi(t) [t, _, _];
    19 Family(v) [_, v, _];
    20 Immediate(n) [_, n, _];
    21 VertexIndex {} [_, _, _];
    22 InstanceIndex {} [_, _, _];
    23 FirstVertex {} [_, _, _];
    24 FirstInstance {} [_, _, _];
    25 Viewport(k) [k, _, _];
    26 BlendConstant(k) [k, _, _];
    31 Step(n) [_, n, _];
}

/// The numbers of a source that is a word, or a fact, of a texture or sampler: theirs follow each other.
fn described(kind: u16, of: DescriptorKey, number: u16) -> (u16, u16, u32, u32) {
    let a = of.group & 0xffff | of.element << 16;
    (kind + u16::from(of.sampler), number | (of.variant as u16) << 8, a, of.binding)
}

impl Field for Source {
    fn put(&self, out: &mut Vec<u8>) {
        let (number, w, a, b) = self.numbers();
        put_all(&[number, w], out);
        put_all(&[a, b], out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<Source, ReadError> {
        let (number, word, a, binding) = (b.u16()?, b.u16()?, b.u32()?, b.u32()?);
        match number {
            27..=30 => {
                let (group, element, variant) = (a & 0xffff, a >> 16, variant(b, (word >> 8).into())?);
                let of = DescriptorKey { group, binding, sampler: number % 2 == 0, variant, element };
                let word = word & 0xff;
                Ok(match number {
                    27 | 28 => Source::TextureWord { of, word },
                    _ => Source::TextureFact { of, fact: at(b, TextureFact::ALL, word.into(), "fact")? },
                })
            }
            _ => {
                let source = plain_source((number, word, a, binding));
                let source = source.ok_or_else(|| b.invalid(format_args!("source {number}")))?;
                if source.is_in_range() { Ok(source) } else { Err(b.invalid(format_args!("{source:?}"))) }
            }
        }
    }
}

impl Field for IoPlace {
    fn put(&self, out: &mut Vec<u8>) {
        put_all(&self.code(), out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<IoPlace, ReadError> {
        let code = [b.u8()?, b.u8()?, b.u8()?];
        IoPlace::of_code(code).ok_or_else(|| b.invalid(format_args!("kind {}", code[0])))
    }
}

impl Field for InterfaceRow {
    fn put(&self, out: &mut Vec<u8>) {
        (self.output, self.at, self.components).put(out);
        self.integer.put(out);
        (self.interpolation as u8 | (self.sampling as u8) << 4).put(out);
        (self.file, self.index).put(out);
        (self.lane, self.packing).put(out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<InterfaceRow, ReadError> {
        let (output, at_place, components, integer) = (Field::get(b)?, Field::get(b)?, b.u8()?, Field::get(b)?);
        let how = u32::from(b.u8()?);
        let interpolation = at(b, Interpolation::ALL, how & 15, "interpolation")?;
        let sampling = at(b, Sampling::ALL, how >> 4, "sampling")?;
        let (file, index, lane, packing) = (b.u8()?, b.u16()?, b.u8()?, Field::get(b)?);
        let at = at_place;
        Ok(InterfaceRow { output, at, components, integer, interpolation, sampling, packing, file, index, lane })
    }
}

impl Field for StateWord {
    fn put(&self, out: &mut Vec<u8>) {
        put_all(&[self.space, 0], out);
        put_all(&[self.register, self.value, self.mask], out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<StateWord, ReadError> {
        let (space, _) = (b.u16()?, b.u16()?);
        Ok(StateWord { space, register: b.u32()?, value: b.u32()?, mask: b.u32()? })
    }
}

impl Field for LaunchStep {
    fn put(&self, out: &mut Vec<u8>) {
        self.op.name().to_owned().put(out);
        self.operands.put(out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<LaunchStep, ReadError> {
        let name = b.text()?;
        let op = LaunchOp::parse(&name).ok_or_else(|| b.invalid(format_args!("operation {name}")))?;
        let operands = Vec::get(b)?;
        let count = operands.len();
        LaunchStep::new(op, operands).ok_or_else(|| b.invalid(format_args!("{count} operands of {op}")))
    }
}

fn get_pipeline(b: &mut Bytes<'_>) -> Result<Pipeline, ReadError> {
    let p = Pipeline::get(b)?;
    if b.data.is_empty() { Ok(p) } else { Err(b.invalid("more bytes than fields")) }
}

fn get_programs(e: &mut Entry, b: &mut Bytes<'_>) -> Result<(), ReadError> {
    while !b.data.is_empty() {
        e.programs.push(Field::get(b)?);
    }
    Ok(())
}

impl Field for Program {
    fn put(&self, out: &mut Vec<u8>) {
        put_all(&[self.role as u16, 0], out);
        put_all(&[self.offset, self.size, self.data.0, self.data.1, self.scratch_bytes], out);
        let counts = [self.registers.len(), self.family_words.len(), self.preloads.len()];
        counts.map(|n| n as u32).put(out);
        put_claims(&self.registers, out);
        put_all(&self.family_words, out);
        put_all(&self.preloads, out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<Program, ReadError> {
        // The high half is 0.
        let role = b.u32()?;
        let role = at(b, ProgramRole::ALL, role, "role")?;
        let (offset, size, data, scratch_bytes) = (b.u32()?, b.u32()?, (b.u32()?, b.u32()?), b.u32()?);
        let [files, words, preloads] = Field::get(b)?;
        let (registers, family_words, preloads) = (get_claims(b, files)?, get_all(b, words)?, get_all(b, preloads)?);
        Ok(Program { role, offset, size, data, registers, scratch_bytes, family_words, preloads })
    }
}

impl Field for Facts {
    fn put(&self, out: &mut Vec<u8>) {
        (self.depth as u32).put(out);
        self.slots.put(out);
        self.members.put(out);
        self.ranges.put(out);
        if !self.reads.is_empty() {
            self.reads.put(out);
        }
    }
    fn get(b: &mut Bytes<'_>) -> Result<Facts, ReadError> {
        let depth = b.u32()?;
        let depth = at(b, DepthLayout::ALL, depth, "depth layout")?;
        let (slots, members, ranges) = (Field::get(b)?, Field::get(b)?, Field::get(b)?);
        // Files up to minor version 6 end here.
        let reads = if b.data.is_empty() { Vec::new() } else { Field::get(b)? };
        Ok(Facts { depth, slots, members, ranges, reads })
    }
}
