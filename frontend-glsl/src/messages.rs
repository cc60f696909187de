//! What the compiler says, as diagnostics with places in the author's text.

use std::io::Read as _;

use gpucc_ir::{Diagnostic, Refusal, SourceFile, Span};

use crate::text::{Failed, NAME};
use crate::words;

/// Most errors that are told.
const MOST: usize = 32;
/// Bytes of a file from which lines are shown, at most.
const INCLUDED: u64 = 1 << 22;

/// Parts of messages about what OpenGL has and SPIR-V for Vulkan has not: such a text is valid.
#[rustfmt::skip]
const LACKING: [&str; 9] = [
    "extension not supported", "generating SPIR-V", "for Vulkan", "using Vulkan", "SPIR-V requires", "with SPIR-V",
    "in Vulkan", "Vulkan SPIR-V", "not yet implemented",
];

/// Errors of the language: what is declared by a text, its types and its order of parts are one in all environments.
#[rustfmt::skip]
const LANGUAGE: [&str; 9] = [
    "undeclared identifier", "redefinition", "identifier not previously declared", "not enough data provided for construction",
    "scalar integer expression required", "not allowed in nested scope", "must occur first in shader", "End of input in comment",
    "preprocessor directive cannot be preceded by another token",
];

/// Whether the text is wrong in every environment. Errors behind the first may follow from it, and that may be of the environment; a text that the
/// grammar does not have is none. Names of built-ins may be those of an environment.
pub fn is_of_language(said: &str) -> bool {
    let first = said.lines().find_map(|l| l.strip_prefix("ERROR: ")).and_then(placed);
    let is_own = first.is_some_and(|(_, _, rest)| {
        let rest = rest.trim();
        !rest.starts_with("'gl_") && LANGUAGE.iter().any(|l| rest.ends_with(l))
    });
    is_own || said.contains("syntax error")
}

/// The messages of a text that was not compiled.
pub fn failed(said: &str, text: &str, name: &str) -> Failed {
    let mut files = vec![SourceFile::new(name, text)];
    let mut list: Vec<Diagnostic> = Vec::new();
    for line in said.lines() {
        let Some(rest) = line.strip_prefix("ERROR: ") else { continue };
        // How many there were.
        if rest.contains("No code generated") || rest.ends_with("compilation terminated ") {
            continue;
        }
        let d = match placed(rest) {
            Some((file, line, rest)) => {
                let (token, message) = sentence(rest);
                let d = Diagnostic::invalid("parse", message);
                match place(&mut files, file, line, token) {
                    Some(at) => d.at(at, ""),
                    None if file == NAME => d.note(format!("line {line}")),
                    None => d.note(format!("{file}, line {line}")),
                }
            }
            None => Diagnostic::invalid("parse", rest.trim()),
        };
        // Of a text with other errors there is nothing to link.
        if rest.starts_with("Linking") && !list.is_empty() {
            continue;
        }
        if list.len() < MOST && !list.contains(&d) {
            list.push(d);
        }
    }
    if list.is_empty() {
        let text = said.trim().replace(NAME, name);
        list.push(Diagnostic::invalid("parse", format!("the reference compiler does not take it: {text}")));
    }
    // An error behind one of these may follow from it.
    if let Some(lacks) = list.iter().find(|d| LACKING.iter().any(|l| d.message.contains(l))) {
        let what = format!("this is not in the GLSL that becomes SPIR-V for Vulkan: {}", lacks.message);
        let mut refused = Diagnostic::unsupported(Refusal::Parser, what);
        (refused.labels, refused.notes) = (lacks.labels.clone(), lacks.notes.clone());
        list = vec![refused];
    }
    Failed::Said(list, files)
}

/// The refusal of a text that the compiler did not come to an end with.
pub fn ended(why: &str) -> Diagnostic {
    Diagnostic::unsupported(Refusal::Parser, format!("the reference compiler of GLSL failed at this text: {why}"))
        .note("shorter expressions, smaller types or less nesting may help")
}

/// `FILE:LINE: rest`. Names of files may have colons.
fn placed(text: &str) -> Option<(&str, u32, &str)> {
    let end = text.match_indices(": ").find_map(|(at, _)| {
        let (file, line) = text[..at].rsplit_once(':')?;
        Some((file, line.parse().ok()?, &text[at + 2..]))
    })?;
    Some(end)
}

/// `'token' : what is wrong` as a token and a sentence.
fn sentence(text: &str) -> (Option<&str>, String) {
    let text = text.trim();
    let parts = text.strip_prefix('\'').and_then(|t| t.split_once("' : "));
    match parts {
        Some(("", what)) => (None, what.trim().to_string()),
        Some((token, what)) => (Some(token), format!("`{token}`: {}", what.trim())),
        None => (None, text.to_string()),
    }
}

/// The text of a file that a message names. `#line` can name anything, a device without an end too.
fn read(file: &str) -> Option<String> {
    let about = std::fs::metadata(file).ok()?;
    if !about.is_file() || about.len() > INCLUDED {
        return None;
    }
    let mut text = String::new();
    // A file may grow meanwhile.
    std::fs::File::open(file).ok()?.take(INCLUDED).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The place of a token in a line, or that of the line; of a file that was included after reading it.
fn place(files: &mut Vec<SourceFile>, file: &str, line: u32, token: Option<&str>) -> Option<Span> {
    let at = if file == NAME {
        0
    } else {
        match files.iter().position(|f| f.name() == file) {
            Some(at) => at,
            None => {
                let text = read(file)?;
                files.push(SourceFile::new(file, text));
                files.len() - 1
            }
        }
    };
    let start: usize = files[..at].iter().map(|f| f.text().len() + 1).sum();
    let whole = files[at].span(line, 0)?;
    let text = files[at].text().get(whole.start as usize..whole.end as usize)?;
    let token = token.and_then(|token| words::find(text, token).map(|at| (at, token.len())));
    let (from, long) = token.unwrap_or((0, text.len()));
    let from = start as u32 + whole.start + from as u32;
    Some(Span::new(from, from + long as u32))
}
