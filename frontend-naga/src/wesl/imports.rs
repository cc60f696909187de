//! `import` statements, and paths with `::` in the text.

use super::Unit;
use crate::right::Changes;
use crate::right::blank;
use crate::right::tokens::Tokens;

/// Modules below the root of the package, and in the end a name.
pub type Path = Vec<String>;

/// A name that a module takes from elsewhere.
#[derive(Debug)]
pub struct Import {
    /// Name by which the module calls it.
    pub name: String,
    /// Path of the imported item, from the root of the package.
    pub path: Path,
    /// The token that names it.
    pub token: usize,
}

/// A mistake at a token.
type Wrong = (usize, String);

/// Finds the statements, and blanks them: their tokens are gone.
///
/// # Errors
/// One that is not written as the language says.
pub fn find(t: &Tokens, gone: &mut [bool], own: &[String], changes: &mut Changes) -> Result<Vec<Import>, Wrong> {
    let mut list = Vec::new();
    for n in 0..t.list.len() {
        if gone[n] || t.text(n) != "import" || t.list[n].depth > 0 || !t.is_word(n + 1) {
            continue;
        }
        // `import` in a template list or as a name of something is no statement.
        if n > 0 && !gone[n - 1] && !matches!(t.text(n - 1), ";" | "}") {
            continue;
        }
        let mut at = n + 1;
        tree(t, &mut at, Vec::new(), own, &mut list)?;
        if t.text(at) != ";" {
            return Err((at.min(t.list.len() - 1), "expected `;` at the end of an import".into()));
        }
        blank(changes, t.list[n].at, t.list[at].end);
        gone[n..=at].fill(true);
    }
    Ok(list)
}

/// A path, with a name for it or several ends.
fn tree(t: &Tokens, at: &mut usize, mut path: Path, own: &[String], list: &mut Vec<Import>) -> Result<(), Wrong> {
    let mut begins = path.is_empty();
    loop {
        if t.text(*at) == "{" {
            let close = t.list[*at].pair;
            *at += 1;
            while *at < close {
                tree(t, at, path.clone(), own, list)?;
                match t.text(*at) {
                    "," => *at += 1,
                    _ if *at == close => {}
                    _ => return Err((*at, "expected `,` or `}` in an import".into())),
                }
            }
            *at = close + 1;
            return Ok(());
        }
        if !t.is_word(*at) {
            return Err(((*at).min(t.list.len() - 1), "expected a name in an import".into()));
        }
        let token = *at;
        step(&mut path, t.text(token), own, begins);
        begins = begins && t.text(token) == "super";
        *at += 1;
        if t.text(*at) == ":" && t.text(*at + 1) == ":" {
            *at += 2;
            continue;
        }
        let mut name = t.text(token).to_string();
        if t.text(*at) == "as" {
            name = t.text(*at + 1).to_string();
            *at += 2;
        }
        list.push(Import { name, path, token });
        return Ok(());
    }
}

/// Adds a part of a path: `package` is the root, `super` the module around.
fn step(path: &mut Path, part: &str, own: &[String], begins: bool) {
    match part {
        "package" if begins => path.clear(),
        "super" if begins && path.is_empty() => *path = own[..own.len().saturating_sub(1)].to_vec(),
        "super" => {
            path.pop();
        }
        part => path.push(part.to_string()),
    }
}

/// A path that is written in the text from a token on, with its last token. The first part is the package, or a module that is imported.
pub fn written(t: &Tokens, first: usize, unit: &Unit) -> Option<(Path, usize)> {
    let pair = |n: usize| t.text(n) == ":" && t.text(n + 1) == ":" && t.touch(n);
    if !t.is_word(first) || !pair(first + 1) || !t.is_word(first + 3) || first >= 2 && pair(first - 2) {
        return None;
    }
    let head = t.text(first);
    let mut path = Path::new();
    match unit.imports.iter().find(|i| i.name == head) {
        Some(import) => path = import.path.clone(),
        None => step(&mut path, head, &unit.path, true),
    }
    let mut last = first;
    let mut begins = head == "super";
    while pair(last + 1) && t.is_word(last + 3) {
        last += 3;
        begins &= t.text(last) == "super";
        if begins {
            path.pop();
        } else {
            path.push(t.text(last).to_string());
        }
    }
    Some((path, last))
}

/// The first token of the attributes in front of a declaration.
pub fn attributes_before(t: &Tokens, declaration: usize) -> usize {
    let mut first = declaration;
    while let Some(before) = first.checked_sub(1) {
        let name = if t.text(before) == ")" { t.list[before].pair.saturating_sub(1) } else { before };
        if name == 0 || t.text(name - 1) != "@" || !t.is_word(name) {
            break;
        }
        first = name - 1;
    }
    first
}
