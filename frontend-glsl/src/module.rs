//! The words of a module that the compiler wrote, and the author's text in place of the one that it was given.

use self::code::{SOURCE, SOURCE_CONTINUED, STRING};

/// Bytes of text that one instruction carries.
const TEXT: usize = 1 << 17;

/// Numbers of instructions, decorations and storage classes.
pub(crate) mod code {
    pub const SOURCE_CONTINUED: u16 = 2;
    pub const SOURCE: u16 = 3;
    pub const NAME: u16 = 5;
    pub const MEMBER_NAME: u16 = 6;
    pub const STRING: u16 = 7;
    pub const ENTRY_POINT: u16 = 15;
    pub const EXECUTION_MODE: u16 = 16;
    pub const TYPE_BOOL: u16 = 20;
    pub const TYPE_INT: u16 = 21;
    pub const TYPE_FLOAT: u16 = 22;
    pub const TYPE_VECTOR: u16 = 23;
    pub const TYPE_MATRIX: u16 = 24;
    pub const TYPE_ARRAY: u16 = 28;
    pub const TYPE_RUNTIME_ARRAY: u16 = 29;
    pub const TYPE_STRUCT: u16 = 30;
    pub const TYPE_POINTER: u16 = 32;
    pub const CONSTANT: u16 = 43;
    pub const VARIABLE: u16 = 59;
    pub const DECORATE: u16 = 71;
    pub const MEMBER_DECORATE: u16 = 72;

    pub const ARRAY_STRIDE: u32 = 6;
    pub const MATRIX_STRIDE: u32 = 7;
    pub const LOCATION: u32 = 30;
    pub const BINDING: u32 = 33;
    pub const SET: u32 = 34;
    pub const OFFSET: u32 = 35;

    pub const UNIFORM: u32 = 2;
    pub const PUSH_CONSTANT: u32 = 9;
    pub const STORAGE_BUFFER: u32 = 12;
}

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
