//! The structure inside crates: no circle of imports between the files of a crate, no dependency that nothing uses, no doc that only
//! repeats a name.
//!
//! A file that says `crate::x::..`, `super::..` or the name of a child module imports the module where that is defined; names
//! that a module only passes on (`pub use`) count for where they come from. Tests at the end of a file do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

type Module = Vec<String>;

/// Identifiers and punctuation of Rust text, without comments, strings and the tests at its end.
fn tokens(text: &str) -> Vec<String> {
    let text = text.find("#[cfg(test)]\nmod ").map_or(text, |end| &text[..end]);
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' {
            let mut end = 1;
            let bytes = rest.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += 1 + usize::from(bytes[end] == b'\\');
            }
            end + 1
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(rest[..end].to_string());
            end
        } else if rest.starts_with("::") {
            out.push("::".into());
            2
        } else {
            if !c.is_whitespace() {
                out.push(c.to_string());
            }
            c.len_utf8()
        };
        rest = rest.get(skip..).unwrap_or("");
    }
    out
}

/// The paths of a tree `a::{b, c::d}` that begins at token `at`, and where it ends.
fn tree(t: &[String], mut at: usize, prefix: &Module, out: &mut Vec<Module>) -> usize {
    let mut path = prefix.clone();
    loop {
        match t.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while t.get(at).is_some_and(|x| x != "}") {
                    at = tree(t, at, &path, out);
                    at += usize::from(t.get(at).is_some_and(|x| x == ","));
                }
                return at + 1;
            }
            Some(name) if name == "*" || name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                path.push(name.into());
                at += 1;
            }
            _ => break,
        }
        if t.get(at).is_none_or(|x| x != "::") {
            break;
        }
        at += 1;
    }
    // `a as b`: the name of the original is what counts.
    if t.get(at).is_some_and(|x| x == "as") {
        at += 2;
    }
    out.push(path);
    at.max(1)
}

#[derive(Default)]
struct Source {
    /// Paths from the crate's root that the file names.
    named: Vec<Module>,
    /// Names that it passes on, and what they are.
    passes_on: BTreeMap<String, Module>,
}

fn read(module: &Module, text: &str, modules: &BTreeSet<Module>) -> Source {
    let t = tokens(text);
    let mut s = Source::default();
    let mut at = 0;
    while at < t.len() {
        let first = at == 0 || t[at - 1] != "::";
        let is_path = first && t.get(at + 1).is_some_and(|x| x == "::");
        let child = || module.iter().cloned().chain([t[at].clone()]).collect::<Module>();
        let (base, from) = match t[at].as_str() {
            "crate" if is_path => (Module::new(), at + 2),
            "self" if is_path => (module.clone(), at + 2),
            "super" if is_path => {
                let mut base = module.clone();
                let mut k = at;
                while t.get(k).is_some_and(|x| x == "super") {
                    base.pop();
                    k += 2;
                }
                (base, k)
            }
            _ if is_path && modules.contains(&child()) => (module.clone(), at),
            _ => {
                at += 1;
                continue;
            }
        };
        let mut paths = Vec::new();
        let end = tree(&t, from, &base, &mut paths);
        let before = |k: usize, what: &str| at >= k && t[at - k] == what;
        let public = before(1, "use") && (before(2, "pub") || before(2, ")") && before(4, "("));
        for p in paths {
            match p.last() {
                Some(name) if public && name != "*" => {
                    s.passes_on.insert(name.clone(), p);
                }
                _ => s.named.push(p),
            }
        }
        at = end.max(at + 1);
    }
    s
}

/// The module where a path ends, through those that only pass names on.
fn resolve(path: &Module, sources: &BTreeMap<Module, Source>, depth: usize) -> Module {
    let mut m = Module::new();
    for (k, name) in path.iter().enumerate() {
        let next: Module = m.iter().cloned().chain([name.clone()]).collect();
        if sources.contains_key(&next) {
            m = next;
            continue;
        }
        if depth < 8
            && let Some(to) = sources[&m].passes_on.get(name)
        {
            let whole: Module = to.iter().chain(&path[k + 1..]).cloned().collect();
            return resolve(&whole, sources, depth + 1);
        }
        break;
    }
    m
}

pub fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(list) = fs::read_dir(dir) else { return };
    let mut list: Vec<PathBuf> = list.flatten().map(|e| e.path()).collect();
    list.sort();
    for p in list {
        if p.is_dir() {
            rust_files(&p, out);
        } else if p.extension().is_some_and(|e| e == "rs") {
            out.push(p);
        }
    }
}

/// Folders of all our crates.
pub fn crates() -> Vec<PathBuf> {
    let root = gpucc_tests::shared::workspace();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let list = manifest.split("members = [").nth(1).and_then(|m| m.split(']').next()).expect("members");
    list.split('"').skip(1).step_by(2).map(|m| root.join(m)).collect()
}

/// Modules of a crate that reach each other, each with what it imports of them.
fn circles(dir: &Path) -> Vec<String> {
    let src = dir.join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let module_of = |f: &Path| {
        let mut m: Module = f
            .strip_prefix(&src)
            .expect("inside")
            .with_extension("")
            .iter()
            .map(|p| p.to_string_lossy().into())
            .collect();
        if m.last().is_some_and(|n| n == "mod" || n == "lib" || n == "main") {
            m.pop();
        }
        m
    };
    let files: Vec<(Module, PathBuf)> =
        files.into_iter().filter(|f| !f.starts_with(src.join("bin"))).map(|f| (module_of(&f), f)).collect();
    let modules: BTreeSet<Module> = files.iter().map(|f| f.0.clone()).collect();
    let sources: BTreeMap<Module, Source> =
        files.iter().map(|(m, f)| (m.clone(), read(m, &fs::read_to_string(f).expect("a file"), &modules))).collect();
    let edges: BTreeMap<Module, BTreeSet<Module>> = sources
        .iter()
        .map(|(m, s)| (m.clone(), s.named.iter().map(|p| resolve(p, &sources, 0)).filter(|to| to != m).collect()))
        .collect();
    let mut graph = DiGraph::<&Module, ()>::new();
    let nodes: BTreeMap<&Module, _> = edges.keys().map(|m| (m, graph.add_node(m))).collect();
    for (from, list) in &edges {
        for to in list {
            graph.add_edge(nodes[from], nodes[to], ());
        }
    }
    let mut circle_of: BTreeMap<&Module, usize> = BTreeMap::new();
    for (n, group) in tarjan_scc(&graph).into_iter().enumerate() {
        circle_of.extend(group.into_iter().map(|node| (graph[node], n)));
    }
    let mut wrong = Vec::new();
    for (m, to) in &edges {
        let back: Vec<String> =
            to.iter().filter(|t| circle_of[t] == circle_of[m]).map(|t| format!("crate::{}", t.join("::"))).collect();
        if !back.is_empty() {
            wrong.push(format!("{}: crate::{} <-> {}", dir.display(), m.join("::"), back.join(", ")));
        }
    }
    wrong
}

/// Crates whose files still import each other in circles; the list only becomes shorter.
const WITH_CIRCLES: &[&str] = &[
    "frontend-naga",
    "backend-valhall/machine",
    "backend-tesla/machine",
    "backend-gcn/machine",
    "backend-vivante/machine",
];

#[test]
fn no_circles_of_imports() {
    let root = gpucc_tests::shared::workspace();
    for dir in crates() {
        let name = dir.strip_prefix(&root).expect("inside").display().to_string();
        let found = circles(&dir);
        if WITH_CIRCLES.contains(&name.as_str()) {
            assert!(!found.is_empty(), "{name} has no circles any more: take it off the list");
        } else {
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}

#[test]
fn every_dependency_is_used() {
    let root = gpucc_tests::shared::workspace();
    let mut wrong = Vec::new();
    // Its manifest is its purpose: it has no code, and nothing calls it.
    let features = "gpucc-features";
    for dir in crates().into_iter().filter(|d| !d.ends_with("tests/features")) {
        let manifest: toml::Table =
            fs::read_to_string(dir.join("Cargo.toml")).expect("a manifest").parse().expect("TOML");
        let code = |places: &[&str]| {
            let mut files = Vec::new();
            places.iter().for_each(|p| rust_files(&dir.join(p), &mut files));
            let texts = files.iter().map(|f| fs::read_to_string(f).expect("a file"));
            let mut texts: Vec<String> = texts.collect();
            // Shared by the tests of several crates, by its path.
            for place in ["tests/support/", "fuzz/src/"] {
                if texts.iter().any(|t| t.contains(&format!("../{place}"))) {
                    let mut shared = Vec::new();
                    rust_files(&root.join(place), &mut shared);
                    texts.extend(shared.iter().map(|f| fs::read_to_string(f).expect("a file")));
                }
            }
            let lines = texts.iter().flat_map(|t| t.lines()).map(|l| l.split("//").next().unwrap_or(""));
            lines.collect::<Vec<_>>().join("\n")
        };
        let named = |code: &str, name: &str| {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
            let mut found = code.match_indices(name);
            found.any(|(at, _)| {
                !inside(code[..at].chars().next_back()) && !inside(code[at + name.len()..].chars().next())
            })
        };
        // A package of tests alone has its files beside its manifest.
        let sources = if dir.join("src").is_dir() { "src" } else { "." };
        let (own, tests) = (code(&[sources]), code(&[sources, "tests", "benches", "examples"]));
        for (section, used) in [("dependencies", &own), ("dev-dependencies", &tests)] {
            let Some(list) = manifest.get(section).and_then(|d| d.as_table()) else { continue };
            let unused = list.keys().filter(|name| *name != features && !named(used, &name.replace('-', "_")));
            wrong.extend(unused.map(|n| format!("{}: [{section}] {n}", dir.display())));
        }
    }
    assert!(wrong.is_empty(), "nothing uses\n{}", wrong.join("\n"));
}

/// A source with the same meaning on every family stands in `sim/src/launch/source.rs` alone: no machine gives it a value.
#[test]
fn machines_resolve_no_common_source() {
    let common = [
        "Const(",
        "BufferSize",
        "NumWorkgroups(",
        "Immediate(",
        "FirstVertex",
        "FirstInstance",
        "LocalIndex",
        "Viewport(",
        "BlendConstant(",
        "TextureWord",
    ];
    let mut wrong = Vec::new();
    for family in gpucc_machines::MACHINES.iter().map(|m| m.family) {
        let mut files = Vec::new();
        rust_files(&gpucc_tests::shared::workspace().join(format!("backend-{family}/machine/src")), &mut files);
        assert!(!files.is_empty());
        for file in files {
            let text = fs::read_to_string(&file).expect("a file");
            for name in common {
                if text.contains(&format!("Source::{name}")) {
                    wrong.push(format!("{}: Source::{name}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words that no doc of one line begins with: its subject stands first. "The lanes of `extract`", not "Of `extract`".
const PREPOSITIONS: &[&str] = &[
    "Above", "About", "Across", "After", "Against", "Along", "Among", "Around", "As", "At", "Before", "Behind",
    "Below", "Beneath", "Beside", "Between", "Beyond", "By", "During", "For", "From", "In", "Inside", "Into", "Near",
    "Of", "Off", "On", "Onto", "Out", "Outside", "Over", "Per", "Since", "Through", "To", "Toward", "Towards", "Under",
    "Until", "Up", "Upon", "Via", "With", "Within", "Without",
];

/// Fewest words of the doc of a public item: with less it says no more than the name.
const FEWEST_WORDS: usize = 4;

/// Units: a doc may be one alone ("Bytes."), or end with one ("Size in bytes.").
const UNITS: &[&str] = &["bits", "bytes", "words", "lanes", "texels", "pixels", "cycles", "seconds", "nanoseconds"];

/// Places in the sources where a public item's doc may be short: rows of opcodes, which their names spell, and options, whose docs are the
/// help that the command prints.
const MAY_BE_SHORT: &[&str] = &["machine/src/rows", "cli/src/args.rs"];

/// Crates with such docs, and at most how many: of one line that begin with a preposition, and of public items with too few words. The
/// numbers only fall.
const WITH_TERSE_DOCS: &[(&str, usize, usize)] = &[("frontend-glsl", 5, 0), ("scene", 2, 2), ("cli", 3, 6)];

fn words(doc: &str) -> impl Iterator<Item = &str> {
    doc.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric))
}

/// Whether the doc is a unit, or ends with "in" and a unit.
fn is_unit(doc: &str) -> bool {
    let list: Vec<&str> = words(doc).map(|w| w.trim_end_matches('.')).collect();
    let unit = list.last().is_some_and(|w| UNITS.contains(&w.to_lowercase().as_str()));
    unit && (list.len() == 1 || list[list.len() - 2] == "in")
}

/// Docs of a file that begin with a preposition, and docs of public items with too few words: the line from 1, and the doc.
fn terse_docs(text: &str, may_be_short: bool) -> [Vec<(usize, String)>; 2] {
    let text = text.find("#[cfg(test)]\nmod ").map_or(text, |end| &text[..end]);
    let [mut prepositions, mut short] = [Vec::new(), Vec::new()];
    let mut lines = text.lines().map(str::trim).enumerate().peekable();
    while let Some((first, line)) = lines.next() {
        let marked = ["///", "//!"].into_iter().find_map(|m| Some((m, line.strip_prefix(m)?)));
        let Some((mark, rest)) = marked else { continue };
        let (mut doc, mut one_line) = (rest.trim().to_string(), true);
        while let Some(more) = lines.peek().and_then(|l| l.1.strip_prefix(mark)) {
            doc = format!("{doc} {}", more.trim());
            one_line = false;
            lines.next();
        }
        let begins = doc.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        if one_line && PREPOSITIONS.contains(&begins) {
            prepositions.push((first + 1, doc.clone()));
        }
        // Attributes between the doc and its item, of one line or several.
        let mut open = 0_usize;
        while let Some((_, a)) = lines.next_if(|l| open > 0 || l.1.starts_with("#[")) {
            open = (open + a.matches('[').count()).saturating_sub(a.matches(']').count());
        }
        let public = mark == "///" && lines.peek().is_some_and(|l| l.1.starts_with("pub "));
        if public && words(&doc).count() < FEWEST_WORDS && !is_unit(&doc) && !may_be_short {
            short.push((first + 1, doc));
        }
    }
    [prepositions, short]
}

#[test]
fn docs_say_more_than_names() {
    let root = gpucc_tests::shared::workspace();
    for dir in crates() {
        let name = dir.strip_prefix(&root).expect("inside").display().to_string();
        if name.starts_with("tests") || name.ends_with("/tests") {
            continue;
        }
        let mut files = Vec::new();
        rust_files(&dir.join("src"), &mut files);
        let mut found = [Vec::new(), Vec::new()];
        for file in files {
            let place = file.strip_prefix(&root).expect("inside").display().to_string();
            let may_be_short = MAY_BE_SHORT.iter().any(|p| place.contains(p));
            let docs = terse_docs(&fs::read_to_string(&file).expect("a file"), may_be_short);
            for (all, docs) in found.iter_mut().zip(docs) {
                all.extend(docs.into_iter().map(|(line, doc)| format!("{place}:{line}: {doc}")));
            }
        }
        let listed = WITH_TERSE_DOCS.iter().find(|c| c.0 == name);
        let most = listed.map_or([0, 0], |c| [c.1, c.2]);
        let faults = ["begin with a preposition", "have too few words for a public item"];
        for ((found, most), fault) in found.iter().zip(most).zip(faults) {
            assert!(found.len() <= most, "{} docs of {name} {fault}, {most} may:\n{}", found.len(), found.join("\n"));
        }
        let empty = found.iter().all(Vec::is_empty);
        assert!(listed.is_none() || !empty, "{name} has no terse docs any more: take it off the list");
    }
}

#[test]
fn terse_docs_are_found() {
    let text = "//! For a test.\n\n/// Of two.\npub struct A {\n    /// Size in bytes.\n    pub size: u32,\n    /// Bytes.\n    pub n: u32,\n    \
                /// Its\n    /// name.\n    #[expect(\n        missing_docs\n    )]\n    pub name: String,\n    /// Of three.\n    at: u32,\n    \
                /// Place of the words.\n    pub place: u32,\n}\n\n#[cfg(test)]\nmod tests {\n    /// In a test.\n    pub fn a() {}\n}\n";
    let of = |list: &[(usize, String)]| list.iter().map(|l| l.0).collect::<Vec<_>>();
    let [prepositions, short] = terse_docs(text, false);
    assert_eq!((of(&prepositions), of(&short)), (vec![1, 3, 15], vec![3, 9]));
    assert!(terse_docs(text, true)[1].is_empty());
}
