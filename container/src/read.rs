//! Bytes to model. The bytes may come from anywhere.

use crate::bytes::{Bytes, ReadError};
use crate::entry::ROWS;
use crate::model::{Container, Entry, UNIFORM_FILE};
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
            if s.tag == tag::TARG {
                if std::mem::replace(&mut target, true) {
                    return Err(ReadError::Invalid("two sections TARG".into()));
                }
                out.read_targ(s.bytes)?;
                continue;
            }
            let Some(k) = ROWS.iter().position(|r| r.tag == s.tag) else { continue };
            let bit = 1 << k;
            let index = s.entry as usize;
            let (Some(entry), Some(seen)) = (out.entries.get_mut(index), seen.get_mut(index)) else {
                return Err(ReadError::Invalid(format!("section {} belongs to no entry", s.name())));
            };
            if *seen & bit != 0 {
                return Err(ReadError::Invalid(format!("two sections {} for one entry", s.name())));
            }
            *seen |= bit;
            (ROWS[k].read)(entry, &mut Bytes { data: s.bytes, what: name_of(&ROWS[k].tag) })?;
        }
        if !target {
            return Err(ReadError::Missing("section TARG".into()));
        }
        for (i, seen) in seen.iter().enumerate() {
            if let Some((_, row)) = ROWS.iter().enumerate().find(|(k, row)| row.required && seen >> k & 1 == 0) {
                return Err(ReadError::Missing(format!("section {} of entry {i}", name_of(&row.tag))));
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
        self.family = b.name16()?;
        self.generation = b.name16()?;
        self.compiler = [b.u16()?, b.u16()?, b.u16()?];
        b.u16()?;
        self.options_hash = b.u64()?;
        Ok(())
    }
}

/// A tag of this version as text.
fn name_of(tag: &'static [u8; 4]) -> &'static str {
    std::str::from_utf8(tag).unwrap_or_default()
}
