//! The words of a module that the compiler wrote: the author's text in place of the one that it was given, and what lies in its block of
//! loose uniforms.

use std::collections::BTreeMap;

use crate::stage::Stage;
use crate::text::{LOOSE_GROUP, loose_binding};

/// Bytes of text that one instruction carries.
const TEXT: usize = 1 << 17;

const SOURCE_CONTINUED: u16 = 2;
const SOURCE: u16 = 3;
const MEMBER_NAME: u16 = 6;
const STRING: u16 = 7;
const TYPE_INT: u16 = 21;
const TYPE_FLOAT: u16 = 22;
const TYPE_VECTOR: u16 = 23;
const TYPE_MATRIX: u16 = 24;
const TYPE_ARRAY: u16 = 28;
const TYPE_STRUCT: u16 = 30;
const CONSTANT: u16 = 43;
const TYPE_POINTER: u16 = 32;
const VARIABLE: u16 = 59;
const DECORATE: u16 = 71;
const MEMBER_DECORATE: u16 = 72;
const BINDING: u32 = 33;
const SET: u32 = 34;
const PUSH_CONSTANT: u32 = 9;
const OFFSET: u32 = 35;

/// The instructions of a module: their numbers and words without the first. None if it is no module.
pub(crate) fn instructions(words: &[u32]) -> Option<Vec<(u16, &[u32])>> {
    let mut rest = words.get(5..)?;
    let mut list = Vec::new();
    while let Some(&first) = rest.first() {
        let long = (first >> 16) as usize;
        list.push((first as u16, rest.get(1..long)?));
        rest = &rest[long..];
    }
    Some(list)
}

/// The words of bytes.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A literal string, and the words behind it.
pub(crate) fn string(words: &[u32]) -> Option<(String, &[u32])> {
    let end = words.iter().position(|w| w.to_le_bytes().contains(&0))?;
    let bytes: Vec<u8> = words[..=end].iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    Some((String::from_utf8_lossy(&bytes).into_owned(), &words[end + 1..]))
}

fn push(out: &mut Vec<u32>, code: u16, operands: &[u32], text: &str) {
    let mut all = operands.to_vec();
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    all.extend(words(&bytes));
    out.push((all.len() as u32 + 1) << 16 | u32::from(code));
    out.extend(all);
}

/// The module with the author's name and text in place of those that the compiler was given at `place`.
pub fn of_author(bytes: &[u8], place: &str, name: &str, text: &str) -> Option<Vec<u8>> {
    let all = words(bytes);
    let list = instructions(&all)?;
    let mut out = all.get(..5)?.to_vec();
    let (mut main, mut inside) = (None, false);
    for (code, operands) in list {
        match code {
            STRING if string(operands.get(1..)?).is_some_and(|s| s.0 == place) => {
                main = operands.first().copied();
                push(&mut out, STRING, &operands[..1], name);
            }
            SOURCE if main.is_some() && operands.get(2).copied() == main => {
                inside = true;
                let mut rest = text;
                let mut first = true;
                while first || !rest.is_empty() {
                    let mut end = rest.len().min(TEXT);
                    while !rest.is_char_boundary(end) {
                        end -= 1;
                    }
                    let (part, next) = rest.split_at(end);
                    match first {
                        true => push(&mut out, SOURCE, &operands[..3], part),
                        false => push(&mut out, SOURCE_CONTINUED, &[], part),
                    }
                    (rest, first) = (next, false);
                }
            }
            // Of the text that was replaced.
            SOURCE_CONTINUED if inside => {}
            _ => {
                inside = false;
                out.push((operands.len() as u32 + 1) << 16 | u32::from(code));
                out.extend(operands);
            }
        }
    }
    Some(out.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// A uniform outside of blocks, as a member of the block that it came into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name of the member in the source.
    pub name: String,
    /// Where it begins in the block, in bytes.
    pub offset: u32,
    /// The shape of its type.
    pub shape: Shape,
}

/// The shape of a member's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whether its scalars are floats; else they are integers, booleans among them.
    pub is_float: bool,
    /// Rows of a matrix, components of a vector; 1 of a scalar.
    pub rows: u32,
    /// Columns of a matrix; 1 of everything else.
    pub columns: u32,
    /// Elements of an array; 0 if it is none.
    pub elements: u32,
    /// Whether it is something else, such as a structure.
    pub is_other: bool,
}

/// A block of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Group and binding; none of push constants.
    pub place: Option<(u32, u32)>,
    /// Its members, in order of their offsets.
    pub members: Vec<Member>,
}

/// The blocks of a module, of which a variable may be an array.
pub fn blocks(bytes: &[u8]) -> Vec<Block> {
    let all = words(bytes);
    let Some(list) = instructions(&all) else { return Vec::new() };
    let (mut names, mut offsets, mut places) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut types: BTreeMap<u32, (u16, &[u32])> = BTreeMap::new();
    let mut variables = Vec::new();
    for (code, o) in &list {
        match (*code, *o) {
            (MEMBER_NAME, [id, member, name @ ..]) => {
                names.insert((*id, *member), string(name).map_or_else(String::new, |s| s.0));
            }
            (MEMBER_DECORATE, [id, member, OFFSET, at]) => {
                offsets.insert((*id, *member), *at);
            }
            (DECORATE, [id, what @ (SET | BINDING), n]) => {
                places.insert((*id, *what), *n);
            }
            (
                TYPE_INT | TYPE_FLOAT | TYPE_VECTOR | TYPE_MATRIX | TYPE_ARRAY | TYPE_STRUCT | TYPE_POINTER,
                [id, rest @ ..],
            ) => {
                types.insert(*id, (*code, rest));
            }
            (CONSTANT, [_, id, rest @ ..]) => {
                types.insert(*id, (*code, rest));
            }
            (VARIABLE, [ty, id, storage, ..]) => variables.push((*ty, *id, *storage)),
            _ => {}
        }
    }
    let block = |(ty, id, storage): (u32, u32, u32)| {
        let Some((TYPE_POINTER, [_, to])) = types.get(&ty) else { return None };
        let mut to = *to;
        if let Some((TYPE_ARRAY, [of, _])) = types.get(&to) {
            to = *of;
        }
        let Some((TYPE_STRUCT, members)) = types.get(&to) else { return None };
        let mut members: Vec<Member> = members
            .iter()
            .enumerate()
            .filter_map(|(k, ty)| {
                Some(Member {
                    name: names.get(&(to, k as u32)).cloned().unwrap_or_default(),
                    offset: *offsets.get(&(to, k as u32))?,
                    shape: shape(&types, *ty),
                })
            })
            .collect();
        members.sort_by_key(|m| m.offset);
        let place = (places.get(&(id, SET)).copied().unwrap_or(0), places.get(&(id, BINDING)).copied().unwrap_or(0));
        Some(Block { place: (storage != PUSH_CONSTANT).then_some(place), members })
    };
    variables.into_iter().filter_map(block).filter(|b| !b.members.is_empty()).collect()
}

/// The uniforms outside of blocks of a module that [`crate::read`] made of a stage, in order of their offsets.
pub fn loose_uniforms(bytes: &[u8], stage: Stage) -> Vec<Member> {
    let place = Some((LOOSE_GROUP, loose_binding(stage)));
    blocks(bytes).into_iter().find(|b| b.place == place).map(|b| b.members).unwrap_or_default()
}

fn shape(types: &BTreeMap<u32, (u16, &[u32])>, ty: u32) -> Shape {
    let other = Shape { is_float: false, rows: 1, columns: 1, elements: 0, is_other: true };
    match types.get(&ty) {
        Some((TYPE_FLOAT, [32, ..])) => Shape { is_float: true, is_other: false, ..other },
        Some((TYPE_INT, [32, ..])) => Shape { is_other: false, ..other },
        Some((TYPE_VECTOR, [of, n])) => Shape { rows: *n, ..shape(types, *of) },
        Some((TYPE_MATRIX, [of, n])) => Shape { columns: *n, ..shape(types, *of) },
        Some((TYPE_ARRAY, [of, n])) => {
            let elements = types.get(n).and_then(|c| c.1.first()).copied().unwrap_or(0);
            Shape { elements, ..shape(types, *of) }
        }
        _ => other,
    }
}
