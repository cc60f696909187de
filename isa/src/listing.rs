//! Whole listings: instructions with labels, to text and back.

use core::fmt::{self, Write as _};
use std::collections::{BTreeMap, BTreeSet};

use crate::cursor::{Notes, TextCx, TextError};
use crate::isa::{Inst, Isa, Role};

/// An error of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListingError {
    /// Line of the listing, counted from 1.
    pub line: usize,
    /// Column in its line, counted from 1.
    pub column: usize,
    /// The fault in a sentence without its place.
    pub message: String,
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The kind of the bytes of a program.
pub enum What<I: Isa> {
    /// An instruction.
    Inst(Inst<I>),
    /// Nothing that is ever run.
    Padding,
    /// No instruction, and why.
    Bad(String),
}

/// How listings of a family look. Labels stand for the value of the operand that is a [`Role::Label`], the last of its line.
pub trait Listing: Isa {
    /// The beginning of comments.
    const COMMENTS: &'static [&'static str] = &[";", "//"];
    /// The beginning of the line before a program.
    const HEAD: &'static str;
    /// Bytes that a branch target counts.
    const UNIT: i64;
    /// Whether it counts them from the next instruction on, with a sign, or from the first one.
    const RELATIVE: bool;

    /// The item that `code` begins with, and how many of its bytes that takes.
    fn first(code: &[u8], cx: &TextCx) -> (usize, What<Self>);

    /// Tells padding from what is no instruction; `places` are the addresses and what is there.
    fn pad(code: &[u8], places: &mut [(usize, What<Self>)]) {
        let _ = (code, places);
    }

    /// Name of the label at address `at`, the one with this number from 0; without names the numbers of targets stay.
    fn label(number: usize, at: usize) -> Option<String> {
        let _ = (number, at);
        None
    }

    /// Bytes of a word as comments show it.
    const WORD: usize = 4;

    /// Statements that stand for bytes which are no instruction; without one a comment alone has them.
    fn data(bytes: &[u8]) -> Option<String>;

    /// Appends what a statement that is no instruction stands for; `None` when it is an instruction.
    fn directive(statement: &str, out: &mut Vec<u8>) -> Option<Result<(), TextError>>;

    /// The word before an instruction that asks for its long form, with the blank behind it; empty if there is none.
    const LONG: &'static str = "";

    /// Bytes of that word in front of a statement.
    fn long_prefix(statement: &str) -> usize {
        let n = Self::LONG.len();
        if statement.get(..n).is_some_and(|p| p.eq_ignore_ascii_case(Self::LONG)) { n } else { 0 }
    }

    /// Why an instruction must not stand at this address.
    fn misplaced(inst: &Inst<Self>, at: usize) -> Option<String> {
        let _ = (inst, at);
        None
    }
}

/// The addresses of `code` where something begins, and what.
fn places<I: Listing>(code: &[u8], cx: &TextCx) -> Vec<(usize, What<I>)> {
    let (mut at, mut out) = (0, Vec::new());
    while at < code.len() {
        let (bytes, what) = I::first(&code[at..], cx);
        out.push((at, what));
        at += bytes;
    }
    I::pad(code, &mut out);
    out
}

/// How many words of `code` are no instruction, a cut-off one at the end among them.
pub fn undecodable<I: Listing>(code: &[u8], cx: &TextCx) -> usize {
    places::<I>(code, cx).iter().filter(|p| matches!(p.1, What::Bad(_))).count()
}

fn label_slot<I: Isa>(inst: &Inst<I>) -> Option<usize> {
    inst.row().operands.iter().position(|s| s.role == Role::Label)
}

/// Where branches of `inst` at address `at` count from.
fn origin<I: Listing>(inst: &Inst<I>, at: usize) -> i64 {
    if I::RELATIVE { at as i64 + i64::from(inst.row().bytes) } else { 0 }
}

/// The address in label operand `slot` of `inst` at address `at`.
fn target<I: Listing>(inst: &Inst<I>, slot: usize, at: usize) -> i64 {
    let spare = if I::RELATIVE { 64 - inst.row().operands[slot].field.width() } else { 0 };
    (i64::from(inst.vals[slot]) << spare >> spare) * I::UNIT + origin(inst, at)
}

/// The inverse of [`target`]: the value of the operand, if it can say `to`.
fn distance<I: Listing>(inst: &Inst<I>, slot: usize, at: usize, to: i64) -> Option<u32> {
    let mut there = *inst;
    there.vals[slot] = ((to - origin(inst, at)) / I::UNIT) as u32 & inst.row().operands[slot].field.max();
    (target(&there, slot, at) == to).then_some(there.vals[slot])
}

/// Where the last operand of a line begins.
fn last_operand(text: &str) -> usize {
    text.rfind([' ', '\t', ',', ':']).map_or(0, |at| at + 1)
}

/// A listing of `code` with labels where branches go, which [`assemble`] reads back.
pub fn write<I: Listing>(code: &[u8], cx: &TextCx, notes: &Notes<'_>) -> String {
    let places = places::<I>(code, cx);
    let goal = |at: usize, what: &What<I>| match what {
        What::Inst(inst) => label_slot(inst).map(|slot| target(inst, slot, at)),
        _ => None,
    };
    // Only places where an instruction starts (or the code ends) can carry a label.
    let carries = |t: &i64| *t == code.len() as i64 || places.binary_search_by_key(t, |&(at, _)| at as i64).is_ok();
    let targets: BTreeSet<i64> = places.iter().filter_map(|(at, what)| goal(*at, what)).filter(carries).collect();
    let name = |(n, t): (usize, i64)| Some((t, format!("{}{}", notes.labels, I::label(n, t as usize)?)));
    let labels: BTreeMap<i64, String> = targets.into_iter().enumerate().filter_map(name).collect();
    let mut out = String::new();
    notes.head(I::HEAD, &mut out);
    let mut comments = 0;
    for (i, (at, what)) in places.iter().enumerate() {
        if let Some(label) = labels.get(&(*at as i64)) {
            let _ = writeln!(out, "{label}:");
        }
        notes.before(*at, &mut comments, &mut out);
        let end = places.get(i + 1).map_or(code.len(), |p| p.0);
        let label = goal(*at, what).and_then(|t| labels.get(&t));
        line::<I>((*at, &code[*at..end]), what, label.map(String::as_str), cx, &mut out);
    }
    if let Some(label) = labels.get(&(code.len() as i64)) {
        let _ = writeln!(out, "{label}:");
    }
    out
}

/// Where the comment of a line begins, behind four blanks.
const COMMENT: usize = 56;

/// Writes the lines for `bytes` at address `at`: a statement, and behind it in a comment the address, the words, and what else is to
/// be said. Where the text of an instruction would not give its bytes back the statement is data.
fn line<I: Listing>((at, bytes): (usize, &[u8]), what: &What<I>, label: Option<&str>, cx: &TextCx, out: &mut String) {
    let (statement, note) = match what {
        What::Inst(inst) => {
            let mut text = String::new();
            I::print(inst, cx, &mut text);
            match form::<I>(&text, (at, bytes), cx) {
                Some(lead) => {
                    if let Some(label) = label {
                        text.truncate(last_operand(&text));
                        text.push_str(label);
                    }
                    (Some(format!("{lead}{text}")), String::new())
                }
                None => (I::data(bytes), text),
            }
        }
        What::Padding => (I::data(bytes), "padding".into()),
        What::Bad(why) => (I::data(bytes), why.clone()),
    };
    let number = |w: &[u8]| w.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    let words: Vec<String> = bytes.chunks(I::WORD).map(number).collect();
    let note = if note.is_empty() { note } else { format!(" ({note})") };
    let _ = writeln!(out, "    {:<COMMENT$} ; {at:06x}: {}{note}", statement.unwrap_or_default(), words.join(" "));
}

/// The prefix of an instruction's text that makes it assemble to these bytes; nothing where none would.
fn form<I: Listing>(text: &str, (at, bytes): (usize, &[u8]), cx: &TextCx) -> Option<&'static str> {
    let cx = TextCx { pc: at as u64, long: false, ..*cx };
    let gives = |lead: &&str| {
        let mut back = Vec::new();
        let read = statement::<I>(&format!("{lead}{text}"), cx, &mut back);
        // A line ends where a comment begins.
        let whole = I::COMMENTS.iter().all(|c| !text.contains(c));
        whole && matches!(read, Ok(None)) && back == bytes
    };
    ["", I::LONG].into_iter().find(gives)
}

/// A branch to a label: what is to be put in when all labels are known.
struct Fixup<'a, I: Isa> {
    line: usize,
    column: usize,
    /// Where the program begins, and where its branch is.
    program: usize,
    at: usize,
    inst: Inst<I>,
    slot: usize,
    name: &'a str,
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.as_bytes()[0].is_ascii_digit()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))
}

/// Appends the bytes of a statement; gives instruction, operand and column of a label in it, which stands for 0 so far.
fn statement<I: Listing>(
    text: &str,
    cx: TextCx,
    out: &mut Vec<u8>,
) -> Result<Option<(Inst<I>, usize, usize)>, TextError> {
    if let Some(result) = I::directive(text, out) {
        return result.map(|()| None);
    }
    let skip = I::long_prefix(text);
    let cx = TextCx { long: cx.long || skip > 0, ..cx };
    let (inst, label) = match I::parse(&text[skip..], &cx) {
        Ok(inst) => (inst, None),
        Err(e) => {
            let column = last_operand(text).max(skip);
            let branch = is_name(&text[column..]).then(|| I::parse(&format!("{}0", &text[skip..column]), &cx));
            let branch = branch.and_then(Result::ok).and_then(|i| Some((i, label_slot(&i)?)));
            let (inst, slot) = branch.ok_or(TextError { column: e.column + skip, ..e })?;
            (inst, Some((inst, slot, column)))
        }
    };
    let error = |message| TextError { column: 0, message };
    let (word, bytes) = (I::table().encode(&inst, cx.generation))
        .ok_or_else(|| error("the instruction does not exist on this generation".into()))?;
    out.extend(&word.to_le_bytes()[..bytes]);
    I::misplaced(&inst, cx.pc as usize).map_or(Ok(label), |message| Err(error(message)))
}

/// Assembles a listing. A line holds labels (`name:`) or the number of the instruction (`12:`), then a statement or
/// nothing, then a comment or nothing. `.entry NAME` begins a program: addresses count from there. Labels are unique
/// in the whole listing.
///
/// # Errors
/// All errors, in the order of lines.
pub fn assemble<I: Listing>(listing: &str, cx: &TextCx) -> Result<Vec<u8>, Vec<ListingError>> {
    let (mut code, mut program, mut errors) = (Vec::new(), 0, Vec::new());
    let mut labels: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut fixups: Vec<Fixup<'_, I>> = Vec::new();
    for (line, full) in (1..).zip(listing.lines()) {
        if full.split_whitespace().next() == Some(".entry") {
            program = code.len();
            continue;
        }
        let mut rest = full[..I::COMMENTS.iter().filter_map(|c| full.find(c)).min().unwrap_or(full.len())].trim();
        let column = |part: &str| part.as_ptr() as usize - full.as_ptr() as usize + 1;
        while let Some((name, after)) = rest.split_once(':') {
            let name = name.trim_end();
            let number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
            if !number && !is_name(name) {
                break;
            }
            if !number && labels.insert(name, (program, code.len())).is_some() {
                let message = format!("label `{name}` is defined twice");
                errors.push(ListingError { line, column: column(name), message });
            }
            rest = after.trim_start();
        }
        if rest.is_empty() {
            continue;
        }
        let at = code.len();
        match statement::<I>(rest, TextCx { pc: (at - program) as u64, ..*cx }, &mut code) {
            Ok(None) => {}
            Ok(Some((inst, slot, from))) => {
                let name = &rest[from..];
                fixups.push(Fixup { line, column: column(name), program, at, inst, slot, name });
            }
            Err(e) => errors.push(ListingError { line, column: column(rest) + e.column, message: e.message }),
        }
    }
    for Fixup { line, column, program, at, mut inst, slot, name } in fixups {
        let value = match labels.get(name) {
            Some(&(p, to)) if p == program => distance(&inst, slot, at - p, (to - p) as i64).ok_or("is out of range"),
            Some(_) => Err("is of another program"),
            None => Err("is not defined"),
        };
        let value = value.map(|v| inst.vals[slot] = v).map(|()| I::table().encode(&inst, cx.generation));
        match value {
            Ok(Some((word, bytes))) => code[at..at + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]),
            Ok(None) => {}
            Err(why) => errors.push(ListingError { line, column, message: format!("label `{name}` {why}") }),
        }
    }
    errors.sort_by_key(|e| (e.line, e.column));
    if errors.is_empty() { Ok(code) } else { Err(errors) }
}

/// The functions on listings of a family.
#[macro_export]
macro_rules! listings {
    ($isa:ty) => {
        /// How many words of `code` are no instruction, a cut-off one at the end among them.
        pub fn undecodable(code: &[u8], generation: u8, stages: u8) -> usize {
            $crate::listing::undecodable::<$isa>(code, &$crate::TextCx::of(generation, stages))
        }

        /// [`listing`] of a program that is the only one.
        pub fn disassemble(code: &[u8], generation: u8, stages: u8) -> String {
            listing(code, generation, stages, &$crate::Notes::default())
        }

        /// A listing of a program among others, with labels where branches go. [`assemble`] reads it back, and
        /// listings one behind the other to their codes one behind the other.
        pub fn listing(code: &[u8], generation: u8, stages: u8, notes: &$crate::Notes<'_>) -> String {
            $crate::listing::write::<$isa>(code, &$crate::TextCx::of(generation, stages), notes)
        }

        /// Assembles a listing ([`gpucc_isa::listing::assemble`]); `long` prefers the longer forms of instructions.
        ///
        /// # Errors
        /// All errors, in the order of lines.
        pub fn assemble(
            listing: &str,
            generation: u8,
            stages: u8,
            long: bool,
        ) -> Result<Vec<u8>, Vec<$crate::ListingError>> {
            $crate::listing::assemble::<$isa>(
                listing,
                &$crate::TextCx { long, ..$crate::TextCx::of(generation, stages) },
            )
        }
    };
}
