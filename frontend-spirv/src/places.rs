//! Where the instructions of a SPIR-V module come from: `OpLine` and `DebugLine`, and the source text if the module has it.
//!
//! Spans are byte ranges of a text. For a binary that text is the source that it carries, one file after the other; a
//! file that is only named stands in it as blank lines, wide and many enough for every place that is named.

use gpucc_ir::{SourceFile, Span};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// More lines or columns than this are not kept for a file whose text is missing.
const LINES: u32 = 1 << 16;
const COLUMNS: u32 = 1 << 10;
/// Bytes of blank text that stand for a file.
const BLANK: usize = 1 << 20;
/// Bytes of text that are kept.
const TEXT: usize = 16 << 20;

/// A line and a column of a file, all as the module numbers them; column 0 is the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Place {
    file: u32,
    line: u32,
    column: u32,
}

/// Collects while a module is read.
#[derive(Debug, Default)]
pub struct Recorder {
    strings: FxHashMap<u32, String>,
    constants: FxHashMap<u32, u32>,
    /// The id of the name of each file, with its text.
    files: IndexMap<u32, String, FxBuildHasher>,
    /// The file of each `DebugSource`.
    sources: FxHashMap<u32, u32>,
    last_source: Option<u32>,
    /// Bytes of all texts.
    size: usize,
    places: IndexSet<Place, FxBuildHasher>,
    current: u32,
}

impl Recorder {
    /// The place of the next instruction.
    pub fn current(&self) -> u32 {
        self.current
    }

    /// A part that follows has no place.
    pub fn nowhere(&mut self) {
        self.current = 0;
    }

    /// Takes an `OpString`: the text of an id.
    pub fn string(&mut self, id: u32, text: &str) {
        self.strings.insert(id, text.to_string());
    }

    /// A constant that `DebugLine` may name.
    pub fn constant(&mut self, id: u32, value: u32) {
        self.constants.insert(id, value);
    }

    /// Takes an `OpSource`: a file, perhaps with its text.
    pub fn source(&mut self, file: Option<u32>, text: Option<&str>) {
        self.last_source = file;
        if let Some(file) = file {
            self.text(file, text.unwrap_or_default());
        }
    }

    fn text(&mut self, file: u32, text: &str) {
        let all = self.files.entry(file).or_default();
        // The same string can be the text of any number of files.
        self.size += text.len();
        if self.size <= TEXT {
            all.push_str(text);
        }
    }

    /// Takes an `OpSourceContinued`: more of the last source's text.
    pub fn source_continued(&mut self, text: &str) {
        if let Some(file) = self.last_source {
            self.text(file, text);
        }
    }

    /// Takes an `OpLine`: where the following instructions come from.
    pub fn line(&mut self, file: u32, line: u32, column: u32) {
        if line == 0 {
            return self.nowhere();
        }
        self.files.entry(file).or_default();
        // Place 0 means unknown.
        self.places.insert(Place::default());
        self.current = self.places.insert_full(Place { file, line, column }).0 as u32;
    }

    /// An instruction of `NonSemantic.Shader.DebugInfo.100`.
    pub fn debug(&mut self, id: u32, operands: &[u32]) {
        const SOURCE: u32 = 35;
        const SOURCE_CONTINUED: u32 = 102;
        const LINE: u32 = 103;
        const NO_LINE: u32 = 104;
        let at = |n: usize| operands.get(n).copied();
        let number = |n: usize| at(n).and_then(|id| self.constants.get(&id)).copied().unwrap_or(0);
        match at(1) {
            Some(SOURCE) => {
                let Some(file) = at(2) else { return };
                let text = at(3).and_then(|t| self.strings.get(&t)).map_or("", |t| body(t)).to_string();
                self.text(file, &text);
                self.sources.insert(id, file);
                self.last_source = Some(file);
            }
            Some(SOURCE_CONTINUED) => {
                let text = at(2).and_then(|t| self.strings.get(&t)).cloned().unwrap_or_default();
                self.source_continued(&text);
            }
            Some(LINE) => {
                let (line, column) = (number(3), number(5));
                if let Some(&file) = at(2).and_then(|s| self.sources.get(&s)) {
                    self.line(file, line, column);
                }
            }
            Some(NO_LINE) => self.nowhere(),
            _ => {}
        }
    }

    /// Lays the files out one after the other.
    pub fn finish(mut self) -> SourceMap {
        let mut files = Vec::new();
        let mut index: FxHashMap<u32, usize> = FxHashMap::default();
        let mut named: FxHashMap<u32, Vec<Place>> = FxHashMap::default();
        for place in self.places.iter().filter(|p| p.line > 0) {
            named.entry(place.file).or_default().push(*place);
        }
        for (id, text) in &mut self.files {
            let named = named.get(id).map_or(&[][..], Vec::as_slice);
            if text.is_empty() && named.is_empty() {
                continue;
            }
            let name = self.strings.get(id).cloned().unwrap_or_default();
            let text = if text.is_empty() { blank(named) } else { std::mem::take(text) };
            index.insert(*id, files.len());
            files.push(SourceFile::new(name, text));
        }
        let mut starts = Vec::with_capacity(files.len());
        let mut next = 0u32;
        for file in &files {
            starts.push(next);
            next = next.saturating_add(file.text().len() as u32 + 1);
        }
        let span = |place: &Place| {
            let Some(&at) = index.get(&place.file) else { return Span::UNKNOWN };
            files[at].span(place.line, place.column).map_or(Span::UNKNOWN, |s| {
                Span::new(starts[at].saturating_add(s.start), starts[at].saturating_add(s.end))
            })
        };
        let spans = self.places.iter().map(span).collect();
        SourceMap { files, spans }
    }
}

/// glslang writes what it did above the text, which begins at `#line 1`.
fn body(text: &str) -> &str {
    if !text.starts_with("// OpModuleProcessed") {
        return text;
    }
    text.split_once("\n#line 1\n").map_or(text, |parts| parts.1)
}

/// Blank lines that have room for all these places.
fn blank(places: &[Place]) -> String {
    let mut widths: Vec<u32> = Vec::new();
    for place in places.iter().filter(|p| p.line <= LINES && p.column <= COLUMNS) {
        let line = place.line as usize;
        if widths.len() < line {
            widths.resize(line, 0);
        }
        widths[line - 1] = widths[line - 1].max(place.column).max(1);
    }
    let mut text = String::new();
    for width in widths {
        if text.len() + width as usize > BLANK {
            break;
        }
        text.extend(std::iter::repeat_n(' ', width as usize));
        text.push('\n');
    }
    text
}

/// The source ranges of a module's instructions.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    /// The files that it names.
    pub files: Vec<SourceFile>,
    /// Spans by place: a range of all files' texts, one after the other with a byte between.
    spans: Vec<Span>,
}

impl SourceMap {
    /// The range of a place.
    pub fn span(&self, place: u32) -> Span {
        if place == 0 { Span::UNKNOWN } else { self.spans.get(place as usize).copied().unwrap_or(Span::UNKNOWN) }
    }
}
