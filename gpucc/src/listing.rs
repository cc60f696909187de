//! Listings: every entry point of an artifact or container in one text that assembles to their codes one behind the
//! other.

use std::borrow::Cow;
use std::fmt::Write as _;

use gpucc_container::{Entry, Stage};
use gpucc_isa::{Names, Notes};

use crate::legend;

/// The source of a listing, for the lines of it that are shown.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the source, as comments show it.
    pub name: &'a str,
    /// Its text; empty where the source is no text.
    pub text: &'a str,
}

/// Most characters of a source line that are shown.
const WIDEST: usize = 100;

/// The line before everything: what the code is for and where it comes from. The stage of drawing programs is named, since words and
/// texts of some families mean other instructions there: an assembler reads it.
pub fn head<'a>(target: &str, entries: impl Iterator<Item = &'a Entry>, source: Option<Source<'_>>) -> String {
    let mut out = format!("; gpucc {}, target {target}", env!("CARGO_PKG_VERSION"));
    let mut stages: Vec<Stage> = entries.map(|e| e.stage).collect();
    stages.dedup();
    match stages[..] {
        [Stage::Vertex] => out += ", stage vertex",
        [Stage::Fragment] => out += ", stage fragment",
        _ => {}
    }
    if let Some(s) = source {
        let name = s.name.replace(|c: char| c.is_control(), "?");
        let _ = write!(out, ", source {name}");
    }
    out.push('\n');
    out
}

/// The programs of entry points, one behind the other as their code is. One of several programs is named by its role as well.
pub fn programs<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Cow<'a, Entry>> {
    let mut all = Vec::new();
    for e in entries {
        for (role, part) in e.parts() {
            all.push(match part {
                Cow::Owned(p) => Cow::Owned(Entry { name: format!("{} ({})", e.name, role.name()), ..p }),
                whole => whole,
            });
        }
    }
    all
}

/// The head of program `index` of `count`, given to `disassemble`: its name, labels of its own, what registers and uniforms
/// hold when it begins, and its source lines where code of another line begins.
pub fn entry<T>(
    e: &Entry,
    names: Option<&Names>,
    (index, count): (usize, usize),
    source: Option<Source<'_>>,
    disassemble: impl FnOnce(&Notes<'_>) -> T,
) -> T {
    let lines: Vec<&str> = source.map_or_else(Vec::new, |s| s.text.lines().collect());
    let legend = legend::lines(e, names);
    let mut comments: Vec<(u32, String)> =
        legend.iter().map(|(place, what)| (0, format!("{place} = {what}"))).collect();
    let mut last = None;
    for l in e.lines.iter().filter(|l| l.line > 0) {
        if last.replace(l.line) == Some(l.line) {
            continue;
        }
        let text = match lines.get(l.line as usize - 1) {
            Some(text) => format!("line {}: {}", l.line, shown(text)),
            None => format!("line {}", l.line),
        };
        comments.push((l.pc, text));
    }
    let labels = if count > 1 { format!("e{index}_") } else { String::new() };
    disassemble(&Notes { program: Some(&e.name), labels: &labels, comments: &comments })
}

/// A source line as a listing shows it: without control characters, and with a mark where it was cut.
fn shown(line: &str) -> String {
    let line = line.trim();
    let bad = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut out: String = line.chars().take(WIDEST).map(|c| if bad(c) { '?' } else { c }).collect();
    if line.chars().nth(WIDEST).is_some() {
        out += " ...";
    }
    out
}
