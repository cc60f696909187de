//! WESL: modules with `import`, and `@if`, `@elif` and `@else` on whatever has attributes.
//!
//! The modules that the root needs become one text, one behind the other with a line break between. What is changed in it are parts of the
//! texts of the author: `Edits` leads every place back to its file. Names of other modules stay as they are where no other thing has them.

mod conditions;
mod imports;

use std::collections::{BTreeMap, BTreeSet};

use crate::Parsed;
use crate::edits::Edits;
use crate::right::scopes::Scopes;
use crate::right::tokens::Tokens;
use crate::right::{Changes, apart, blank};
use gpucc_ir::{Diagnostic, Span};
use imports::{Import, Path};

/// Most modules of a program.
const MODULES: usize = 1024;

/// Modules that were put together.
#[derive(Debug)]
pub struct Linked {
    text: String,
    edits: Edits,
}

/// The source of one module.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name in messages.
    pub name: String,
    /// Text of the module, in WESL.
    pub text: String,
}

/// Sources read from outside.
pub struct Outside<'a> {
    /// The text of the module with a path below the root of the package, if there is one.
    pub read: &'a mut dyn FnMut(&[String]) -> Option<File>,
    /// Features that are on.
    pub features: &'a BTreeSet<String>,
}

/// A module that is read.
struct Unit {
    path: Path,
    tokens: Tokens,
    /// Where its text begins in all of them.
    base: usize,
    /// Tokens that conditions leave out.
    gone: Vec<bool>,
    changes: Changes,
    imports: Vec<Import>,
    /// Names at module scope, with their tokens.
    names: BTreeMap<String, usize>,
}

/// Puts a root module together with what it imports. The texts of all modules come in any case, the root's first.
pub fn link(root: File, outside: &mut Outside<'_>) -> (Vec<File>, Result<Linked, Vec<Diagnostic>>) {
    let mut files = vec![root];
    let done = linked(&mut files, outside).map_err(|d| vec![d]);
    (files, done)
}

/// Reads and validates modules that were put together.
///
/// # Errors
/// Errors, with places in the texts of all modules, one behind the other with a byte between.
pub fn parse(linked: &Linked) -> Result<Parsed, Vec<Diagnostic>> {
    crate::parse_edited(&linked.text, &linked.edits)
}

fn linked(files: &mut Vec<File>, outside: &mut Outside<'_>) -> Result<Linked, Diagnostic> {
    let mut units: Vec<Unit> = vec![unit(Vec::new(), &files[0].text, 0, outside.features)?];
    let mut places: BTreeMap<Path, Option<usize>> = BTreeMap::from([(Vec::new(), Some(0))]);
    let mut next = 0;
    while next < units.len() {
        for path in units[next].wanted() {
            // Of a path of a module and a name, or of a module alone.
            for length in [path.len().saturating_sub(1), path.len()] {
                let module = path[..length].to_vec();
                if module.is_empty() || places.contains_key(&module) {
                    continue;
                }
                let Some(file) = (outside.read)(&module) else {
                    places.insert(module, None);
                    continue;
                };
                if units.len() == MODULES {
                    return Err(Diagnostic::invalid("import", format!("there are more than {MODULES} modules")));
                }
                let base = files.iter().map(|f| f.text.len() + 1).sum();
                places.insert(module.clone(), Some(units.len()));
                units.push(unit(module, &file.text, base, outside.features)?);
                files.push(file);
            }
        }
        next += 1;
    }
    let names = Names::new(&units, &places);
    let mut changes = Changes::new();
    let mut directives = String::new();
    for (n, unit) in units.iter().enumerate() {
        let mut own = unit.changes.clone();
        names.put(n, &mut own)?;
        if n > 0 {
            entries(unit, &mut own);
            directives += &hoisted(unit, &mut own);
        }
        changes.extend(own.into_iter().map(|(at, length, text)| (at + unit.base, length, text)));
    }
    if !directives.is_empty() {
        changes.push((0, 0, directives));
    }
    let all = files.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join("\n");
    let (text, edits) = Edits::apply(&all, apart(changes));
    Ok(Linked { text, edits })
}

fn unit(path: Path, text: &str, base: usize, features: &BTreeSet<String>) -> Result<Unit, Diagnostic> {
    let at = |from: usize, to: usize| Span::new((base + from) as u32, (base + to) as u32);
    let Some(tokens) = Tokens::new(text) else {
        let d = Diagnostic::invalid("parse", "the brackets of this module do not match");
        return Err(d.at(at(0, text.len().min(1)), "in this module"));
    };
    let mut changes = Changes::new();
    let mut gone = conditions::find(&tokens, features, &mut changes).map_err(|(n, what)| {
        Diagnostic::invalid("parse", what).at(at(tokens.list[n].at, tokens.list[n].end), "here")
    })?;
    let imports = imports::find(&tokens, &mut gone, &path, &mut changes).map_err(|(n, what)| {
        Diagnostic::invalid("import", what).at(at(tokens.list[n].at, tokens.list[n].end), "here")
    })?;
    let mut names = BTreeMap::new();
    for n in (1..tokens.list.len()).filter(|&n| !gone[n] && tokens.list[n].depth == 0 && tokens.is_word(n)) {
        let word = match tokens.text(n - 1) {
            ">" => (0..n).rev().find(|&k| tokens.text(k) == "<").map_or("", |k| tokens.text(k.saturating_sub(1))),
            word => word,
        };
        if matches!(word, "fn" | "struct" | "alias" | "override" | "const" | "var") {
            names.insert(tokens.text(n).to_string(), n);
        }
    }
    Ok(Unit { path, tokens, base, gone, changes, imports, names })
}

impl Unit {
    /// The paths of all that it imports or names.
    fn wanted(&self) -> Vec<Path> {
        let mut list: Vec<Path> = self.imports.iter().map(|i| i.path.clone()).collect();
        let uses = (0..self.tokens.list.len()).filter(|&n| !self.gone[n]);
        list.extend(uses.filter_map(|n| imports::written(&self.tokens, n, self).map(|(path, _)| path)));
        list
    }

    fn span(&self, from: usize, to: usize) -> Span {
        let (from, to) = (self.tokens.list[from].at, self.tokens.list[to].end);
        Span::new((self.base + from) as u32, (self.base + to) as u32)
    }
}

/// Resolution of names across modules.
struct Names<'a> {
    units: &'a [Unit],
    places: &'a BTreeMap<Path, Option<usize>>,
    /// The names of things in the text, where they are others than in their module.
    renamed: BTreeMap<(usize, &'a str), String>,
}

impl<'a> Names<'a> {
    fn new(units: &'a [Unit], places: &'a BTreeMap<Path, Option<usize>>) -> Names<'a> {
        // A name is kept if it is declared once, in any scope of any module.
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        for unit in units {
            for n in (0..unit.tokens.list.len()).filter(|&n| !unit.gone[n]) {
                let t = &unit.tokens;
                let before = if n == 0 { "" } else { t.text(n - 1) };
                let declared = matches!(before, "fn" | "struct" | "alias" | "override" | "const" | "let" | "var" | ">")
                    || t.text(n + 1) == ":" && t.text(n + 2) != ":";
                if t.is_word(n) && declared {
                    *times.entry(t.text(n)).or_default() += 1;
                }
            }
        }
        let mut renamed = BTreeMap::new();
        for (n, unit) in units.iter().enumerate().skip(1) {
            for name in unit.names.keys().filter(|name| times.get(name.as_str()).is_some_and(|t| *t > 1)) {
                let mut new = format!("{}_{name}", unit.path.join("_"));
                while times.contains_key(new.as_str()) {
                    new.push('_');
                }
                renamed.insert((n, name.as_str()), new);
            }
        }
        Names { units, places, renamed }
    }

    fn module(&self, path: &[String]) -> Option<usize> {
        self.places.get(path).copied().flatten()
    }

    /// Resolves a path to a module and a name in it, through imports.
    fn item(&self, path: &[String], depth: u32) -> Option<(usize, &'a str)> {
        let (name, module) = path.split_last()?;
        let unit = self.module(module)?;
        if let Some((own, _)) = self.units[unit].names.get_key_value(name) {
            return Some((unit, own));
        }
        let again = self.units[unit].imports.iter().find(|i| i.name == *name && depth < 16)?;
        self.item(&again.path, depth + 1)
    }

    /// The name of a thing in the text.
    fn text(&self, (unit, name): (usize, &'a str)) -> String {
        self.renamed.get(&(unit, name)).cloned().unwrap_or_else(|| name.to_string())
    }

    /// Writes the names of the text into a module.
    fn put(&self, n: usize, changes: &mut Changes) -> Result<(), Diagnostic> {
        let unit = &self.units[n];
        let t = &unit.tokens;
        let scopes = Scopes::new(t);
        for import in &unit.imports {
            if self.item(&import.path, 0).is_none() && self.module(&import.path).is_none() {
                let what = format!("there is no `{}` to import", import.path.join("::"));
                return Err(
                    Diagnostic::invalid("import", what).at(unit.span(import.token, import.token), "imported here")
                );
            }
        }
        let mut k = 0;
        while k < t.list.len() {
            let first = k;
            k += 1;
            if unit.gone[first] || !t.is_word(first) || first > 0 && matches!(t.text(first - 1), "." | "@" | "::") {
                continue;
            }
            if let Some((path, last)) = imports::written(t, first, unit) {
                let Some(item) = self.item(&path, 0) else {
                    let what = format!("there is no `{}`", path.join("::"));
                    return Err(Diagnostic::invalid("import", what).at(unit.span(first, last), "named here"));
                };
                let (from, to) = (t.list[first].at, t.list[last].end);
                changes.push((from, to - from, self.text(item)));
                k = last + 1;
                continue;
            }
            let name = t.text(first);
            // A member of a struct, or its declaration.
            let local = scopes.find(t, first).is_some_and(|d| unit.names.get(name) != Some(&d));
            let member = t.text(first + 1) == ":" && t.text(first + 2) != ":" && unit.names.get(name) != Some(&first);
            if local || member {
                continue;
            }
            let item = match unit.names.get_key_value(name) {
                Some((own, _)) => Some((n, own.as_str())),
                None => unit.imports.iter().find(|i| i.name == name).and_then(|i| self.item(&i.path, 0)),
            };
            if let Some(new) = item.map(|i| self.text(i)).filter(|new| new != name) {
                changes.push((t.list[first].at, name.len(), new));
            }
        }
        Ok(())
    }
}

/// Blanks the entry points of a module that is not the root: a program has those of its root.
fn entries(unit: &Unit, changes: &mut Changes) {
    let t = &unit.tokens;
    for n in (0..t.list.len()).filter(|&n| t.text(n) == "fn" && t.list[n].depth == 0 && !unit.gone[n]) {
        let first = imports::attributes_before(t, n);
        let stage = (first..n).any(|k| t.text(k) == "@" && matches!(t.text(k + 1), "vertex" | "fragment" | "compute"));
        if let Some(open) = (n..t.list.len()).find(|&k| t.text(k) == "{").filter(|_| stage) {
            blank(changes, t.list[first].at, t.list[t.list[open].pair].end);
        }
    }
}

/// Takes the directives out of a module: they stand at the beginning of the text.
fn hoisted(unit: &Unit, changes: &mut Changes) -> String {
    let t = &unit.tokens;
    let mut out = String::new();
    for n in (0..t.list.len()).filter(|&n| !unit.gone[n] && t.list[n].depth == 0) {
        let begins = n == 0 || t.text(n - 1) == ";";
        if begins && matches!(t.text(n), "enable" | "requires" | "diagnostic") {
            let Some(end) = (n..t.list.len()).find(|&k| t.text(k) == ";") else { break };
            let (from, to) = (t.list[n].at, t.list[end].end);
            out += &t.code[from..to];
            blank(changes, from, to);
        }
    }
    out
}
