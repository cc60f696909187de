//! The machine code of an entry point as a list: text, address and source line of each instruction.

use std::collections::BTreeMap;

use gpucc_container::{Container, Entry, ProgramRole};
use gpucc_isa::{Mark, Notes};

use crate::{Artifact, Target};

/// A line of a listing: an instruction, or a label in front of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The program that it is of, where the entry point became several.
    pub program: Option<&'static str>,
    /// Byte address in the code of its program; nothing for a label.
    pub address: Option<u32>,
    /// Line of the source, from 1; 0 where it is of none.
    pub line: u32,
    /// Text of the line as `-S` shows it, without words.
    pub text: String,
    /// Its kinds, in the order of [`Mark::ALL`].
    pub marks: Vec<Mark>,
}

impl Artifact {
    /// The instructions and labels of entry point `index`, in the order of the code.
    pub fn instructions(&self, index: usize) -> Vec<Instruction> {
        let entry = &self.outputs()[index].entry;
        let (b, g) = (self.target().backend(), self.target().generation_index());
        let marked = b.names().marked;
        let mut out = Vec::new();
        for (role, part) in entry.parts() {
            let program = (role != ProgramRole::Main).then(|| role.name());
            let text = b.program_text(&part.code, g, part.stage, &Notes::default());
            let first = out.len();
            for line in text.lines() {
                let parsed = instruction(line);
                if let Some((text, address)) = parsed {
                    let marks = Mark::ALL.into_iter().filter(|m| marked(&text, *m)).collect();
                    out.push(Instruction {
                        program,
                        address: Some(address),
                        line: line_at(&part, address),
                        text,
                        marks,
                    });
                } else if let Some(label) = line.strip_suffix(':').filter(|l| !l.contains(' ')) {
                    let text = format!("{label}:");
                    out.push(Instruction { program, address: None, line: 0, text, marks: Vec::new() });
                }
            }
            // A label belongs to what follows.
            let mut next = 0;
            for i in out[first..].iter_mut().rev() {
                if i.address.is_some() { next = i.line } else { i.line = next }
            }
        }
        out
    }
}

/// The instructions of the main program of a container's first entry point, by byte address; none of a family or generation that is not
/// known.
pub fn texts(container: &Container) -> BTreeMap<u32, String> {
    let target = Target::parse(&format!("{}:{}", container.family, container.generation));
    let (Ok(target), Some(entry)) = (target, container.entries.first()) else { return BTreeMap::new() };
    let parts = entry.parts();
    let Some((_, part)) = parts.iter().find(|p| p.0 == ProgramRole::Main) else { return BTreeMap::new() };
    let text = target.backend().program_text(&part.code, target.generation_index(), part.stage, &Notes::default());
    text.lines().filter_map(instruction).map(|(text, address)| (address, text)).collect()
}

/// The text of an instruction of a listing and its address.
fn instruction(line: &str) -> Option<(String, u32)> {
    let (text, words) = line.rsplit_once("; ")?;
    let address = u32::from_str_radix(words.split_once(':')?.0, 16).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| (text.to_string(), address))
}

/// The line of an address; 0 in front of the first row of the line table.
fn line_at(e: &Entry, address: u32) -> u32 {
    let behind = e.lines.partition_point(|l| l.pc <= address);
    behind.checked_sub(1).map_or(0, |at| e.lines[at].line)
}
