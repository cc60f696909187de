//! Model to bytes. The same container always gives the same bytes.

use crate::bytes::put_name16;
use crate::entry::{ROWS, Row};
use crate::model::{Container, Entry, IoPlace, Stage, Variant};
use crate::source::Source;
use crate::{HEADER_SIZE, MAGIC, SECTION_SIZE, VERSION_MAJOR, VERSION_MINOR, WHOLE_FILE, tag};

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

impl Container {
    /// The bytes of the file. Names longer than their fields are cut; a container that was read writes back to the
    /// same content.
    pub fn write(&self) -> Vec<u8> {
        let mut parts = vec![Part { tag: tag::TARG, entry: WHOLE_FILE, align: 8, flags: 0, bytes: self.targ() }];
        for (i, e) in self.entries.iter().enumerate() {
            for row in ROWS {
                let bytes = (row.write)(e);
                if row.required || bytes.is_some() {
                    let Row { tag, align, flags, .. } = *row;
                    parts.push(Part { tag, entry: i as u32, align, flags, bytes: bytes.unwrap_or_default() });
                }
            }
        }
        // The lowest version that has all that is used: vertex and fragment entries came with the first minor one, pipelines with
        // the second, variables with the third, variants, several programs and the sources behind 24 with the fourth, layers and viewports with the fifth, facts of the
        // source with the sixth, sizes of points, places in them and cull distances with the seventh, storage textures of any format with the eighth,
        // facts of textures and computations of the launch with the ninth.
        let any = |has: fn(&Entry) -> bool| self.entries.iter().any(has);
        let minor = match () {
            () if any(|e| !e.steps.is_empty() || e.sources().any(|s| matches!(s, Source::TextureFact { .. }))) => {
                VERSION_MINOR
            }
            () if any(|e| e.resources.iter().any(|r| r.shape.variant == Variant::AnyFormat)) => 8,
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
        put_name16(&self.family, &mut out);
        put_name16(&self.generation, &mut out);
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
        || e.sources().any(|s| new(&s))
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
