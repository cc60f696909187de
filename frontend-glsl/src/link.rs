//! The two stages of a pipeline whose texts choose no places: varyings and uniforms are one by their names, as in OpenGL. The compiler sees a
//! stage at a time and counts in each for itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::module::code::*;
use crate::module::{instructions, string, words};

const INPUT: u32 = 1;
const OUTPUT: u32 = 3;
/// `UniformConstant`, `Uniform` and `StorageBuffer`.
const RESOURCES: [u32; 3] = [0, 2, 12];

/// Names that a text declares outside of functions without a place: without `location`, of varyings, and without `binding`, of uniforms.
#[derive(Debug, Default)]
struct Unplaced {
    varyings: BTreeSet<String>,
    uniforms: BTreeSet<String>,
}

/// A text with blanks for comments and lines of the preprocessor.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out += &rest[..at];
        let end = if rest[at..].starts_with("/*") { "*/" } else { "\n" };
        rest = rest[at..].find(end).map_or("", |n| &rest[at + n + end.len()..]);
        out.push('\n');
    }
    out += rest;
    out.lines().filter(|l| !l.trim_start().starts_with('#')).fold(String::new(), |all, l| all + l + "\n")
}

fn unplaced(text: &str) -> Unplaced {
    let mut out = Unplaced::default();
    let text = plain(text);
    let (mut depth, mut head) = (0, String::new());
    for c in text.chars() {
        match c {
            '{' => {
                if depth == 0 {
                    out.declare(&head, true);
                }
                depth += 1;
            }
            '}' => {
                depth -= 1;
                head.clear();
            }
            ';' if depth == 0 => {
                out.declare(&head, false);
                head.clear();
            }
            c if depth == 0 => head.push(c),
            _ => {}
        }
    }
    out
}

impl Unplaced {
    /// A declaration up to its semicolon, or a block's up to its brace.
    fn declare(&mut self, head: &str, is_block: bool) {
        let split = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let list: Vec<&str> = head.split(split).filter(|w| !w.is_empty()).collect();
        let has = |word: &str| list.contains(&word);
        // Functions have parameters, which may be `in` and `out`.
        let behind_layout =
            head.rsplit_once("layout").map_or(head, |(_, rest)| rest.split_once(')').map_or("", |r| r.1));
        if behind_layout.contains('(') {
            return;
        }
        let place = if ["in", "out", "varying"].iter().any(|w| has(w)) && !has("location") {
            &mut self.varyings
        } else if ["uniform", "buffer"].iter().any(|w| has(w)) && !has("binding") && !has("push_constant") {
            &mut self.uniforms
        } else {
            return;
        };
        if is_block {
            place.extend(list.last().map(|w| w.to_string()));
            return;
        }
        // `type a, b[2]`: the last word in front of each comma, bracket or sign.
        for part in head.split(',') {
            let part = part.split(['[', '=']).next().unwrap_or_default();
            place.extend(part.split(split).rfind(|w| !w.is_empty()).map(String::from));
        }
    }
}

/// A variable with a place.
struct Placed {
    storage: u32,
    /// Its name; of a block that of its type.
    name: String,
    location: Option<u32>,
    set: Option<u32>,
    binding: Option<u32>,
}

fn placed(all: &[u32]) -> BTreeMap<u32, Placed> {
    let Some(list) = instructions(all) else { return BTreeMap::new() };
    let (mut names, mut pointers, mut structs) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    let mut out = BTreeMap::new();
    let mut decorations = Vec::new();
    for (code, o) in list {
        match (code, o) {
            (NAME, [id, name @ ..]) => {
                names.insert(*id, string(name).map_or_else(String::new, |s| s.0));
            }
            (TYPE_STRUCT, [id, ..]) => {
                structs.insert(*id);
            }
            (TYPE_POINTER, [id, _, to]) => {
                pointers.insert(*id, *to);
            }
            (DECORATE, [id, what, n]) => decorations.push((*id, *what, *n)),
            (VARIABLE, [ty, id, storage, ..]) => {
                let own = names.get(id).cloned().unwrap_or_default();
                let block = pointers.get(ty).filter(|to| structs.contains(*to)).and_then(|to| names.get(to));
                let is_resource = RESOURCES.contains(storage);
                let name = block.filter(|_| is_resource || own.is_empty()).cloned().unwrap_or(own);
                let none = Placed { storage: *storage, name, location: None, set: None, binding: None };
                out.insert(*id, none);
            }
            _ => {}
        }
    }
    for (id, what, n) in decorations {
        let Some(p) = out.get_mut(&id) else { continue };
        match what {
            LOCATION => p.location = Some(n),
            BINDING => p.binding = Some(n),
            SET => p.set = Some(n),
            _ => {}
        }
    }
    out
}

/// The module of a fragment text with the places of the vertex text's varyings and uniforms of the same names. Uniforms that the other has
/// not come to bindings that it does not use. None if nothing changes.
pub fn link(vertex: (&[u8], &str), fragment: (&[u8], &str)) -> Option<Vec<u8>> {
    let open = unplaced(fragment.1);
    if open.varyings.is_empty() && open.uniforms.is_empty() {
        return None;
    }
    let (v, all) = (words(vertex.0), words(fragment.0));
    let (v, f) = (placed(&v), placed(&all));
    let mut next = v.values().filter_map(|p| p.location).max().map_or(0, |n| n + 16);
    let mut taken: BTreeSet<u32> = v.values().chain(f.values()).filter_map(|p| p.binding).collect();
    let used: BTreeSet<u32> = v.values().filter_map(|p| p.binding).collect();
    let mut changes: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (id, p) in &f {
        let other = |storage: &[u32]| v.values().find(|o| storage.contains(&o.storage) && o.name == p.name);
        if p.storage == INPUT && p.location.is_some() && open.varyings.contains(&p.name) {
            let at = other(&[OUTPUT]).and_then(|o| o.location).unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            changes.insert((*id, LOCATION), at);
        } else if RESOURCES.contains(&p.storage) && open.uniforms.contains(&p.name) {
            let Some(own) = p.binding else { continue };
            let shared = other(&RESOURCES).and_then(|o| o.binding);
            let free = || (0..).find(|n| !taken.contains(n)).unwrap_or(own);
            let at = shared.unwrap_or_else(|| if used.contains(&own) { free() } else { own });
            taken.insert(at);
            changes.insert((*id, BINDING), at);
        }
    }
    let mut out = all.clone();
    let mut at = 5;
    while let Some(&first) = all.get(at) {
        let long = (first >> 16) as usize;
        if first as u16 == DECORATE
            && let Some([id, what, _]) = all.get(at + 1..at + long)
            && let Some(new) = changes.get(&(*id, *what))
        {
            out[at + 3] = *new;
        }
        at += long.max(1);
    }
    (out != all).then(|| out.iter().flat_map(|w| w.to_le_bytes()).collect())
}
