//! Families whose machines read textures or draw, as the suites see them: a family enters the suites by a row in its folder.

use gpucc::Target;
use gpucc_container::Container;
use gpucc_ir::Refusal;
use gpucc_isa::Notes;
use gpucc_tests::{exec, predict};

#[path = "../../../backend-gcn/suites/drawing.rs"]
mod gcn;
#[path = "../../../backend-tesla/suites/drawing.rs"]
mod tesla;
#[path = "../../../backend-valhall/suites/drawing.rs"]
mod valhall;
#[path = "../../../backend-vivante/suites/drawing.rs"]
mod vivante;

/// Names of kinds of instructions, and how the lines of theirs begin.
pub type Kinds = &'static [(&'static str, &'static str)];

/// The suites that a family passes.
#[derive(Clone, Copy)]
pub struct Held {
    /// Pictures of every group, to the bit under its profile, in one and in two places.
    pub pictures: bool,
    /// Four of five changed bits of instructions show.
    pub mutants: bool,
    /// So do 19 of 20 of those of the state words that programs bring.
    pub state: bool,
    /// `--verify` of the graphics corpus.
    pub verify: bool,
}

/// A family with textures.
pub struct Drawing {
    /// Its name.
    pub family: &'static str,
    /// The part of it that is proven so far; `docs/drawing.md` says what is missing.
    pub held: Held,
    /// Instructions that a changed bit is tried on.
    pub kinds: Kinds,
    /// Whether such an instruction, whose line this is, gives something. Where the lanes of a quad are only asked whether they agree, a
    /// changed operand says at most that they do not: the same picture by a slower way.
    pub gives: fn(&str) -> bool,
    /// Instructions that read textures, and bits of them that always matter.
    pub texture_bits: &'static [(&'static str, &'static [usize])],
    /// Whether one of these bits matters in an instruction of these bytes.
    pub texture_bit_matters: fn(&[u8], usize) -> bool,
    /// Takes the wait out of the bytes of an instruction; `false` if it has none.
    pub leave_wait_out: fn(&mut [u8]) -> bool,
    /// Whether an instruction that was changed (the second) does the same but that it waits for more: such a change is none.
    pub waits_for_more: fn(&[u8], &[u8]) -> bool,
    /// Lets helpers stop at the start of a fragment program. Returns the number of changed instructions. Nothing where hardware runs
    /// whole quads.
    pub cut_helpers: Option<fn(&str, &mut [u8]) -> usize>,
    /// Lets discarded lanes store and draw. Returns the number of changed instructions.
    pub forget_discards: fn(&str, &mut [u8]) -> usize,
}

/// The families that have textures.
pub const DRAWING: &[Drawing] = &[tesla::ROW, gcn::ROW, valhall::ROW, vivante::ROW];

/// The row of a family.
pub fn row(target: Target) -> Option<&'static Drawing> {
    DRAWING.iter().find(|d| d.family == target.family())
}

/// Targets of this run whose family has a row.
pub fn with_row() -> Vec<(&'static Drawing, Target)> {
    exec::targets("all:all").into_iter().filter_map(|t| Some((row(t)?, t))).collect()
}

/// Those of some targets that draw, and whose family passes the suite of pictures.
pub fn pictures(list: &str) -> Vec<Target> {
    drawing(list).into_iter().filter(|&t| row(t).is_some_and(|d| d.held.pictures)).collect()
}

/// Those of some targets that draw, and whose family has a row.
pub fn drawing(list: &str) -> Vec<Target> {
    let draws = |t: &Target| row(*t).is_some() && !predict::documented(exec::on(*t), Refusal::Stage);
    exec::targets(list).into_iter().filter(draws).collect()
}

/// Changes words of code. Returns how many.
pub fn change_words(code: &mut [u8], change: impl Fn(u32) -> Option<u32>) -> usize {
    let mut n = 0;
    for word in code.chunks_exact_mut(4) {
        if let Some(new) = change(u32::from_le_bytes([word[0], word[1], word[2], word[3]])) {
            word.copy_from_slice(&new.to_le_bytes());
            n += 1;
        }
    }
    n
}

/// An instruction of a program: its line, its first byte and its length.
pub struct Placed {
    /// Mnemonic and operands.
    pub text: String,
    /// The first byte.
    pub at: usize,
    /// The number of bytes.
    pub size: usize,
}

/// The instructions of a container's first entry, as the listing has them.
///
/// # Panics
/// The listing does not cover the code.
pub fn instructions(c: &Container, target: Target) -> Vec<Placed> {
    let machine = gpucc_machines::find(target.family()).expect("a family");
    let e = &c.entries[0];
    let text = (machine.disassemble)(&e.code, target.generation_index(), e.stage.bit(), &Notes::default()).text;
    let mut list = Vec::new();
    for line in text.lines().filter(|l| !l.trim_start().starts_with('.')) {
        let Some((text, place)) = line.rsplit_once(" ; ") else { continue };
        let Some((at, words)) = place.trim().split_once(": ") else { continue };
        let Ok(at) = usize::from_str_radix(at, 16) else { continue };
        let size = words.split_whitespace().map(|w| w.len() / 2).sum();
        list.push(Placed { text: text.trim().to_string(), at, size });
    }
    assert!(!list.is_empty() && list.iter().all(|i| i.at + i.size <= e.code.len()), "{text}");
    list
}
