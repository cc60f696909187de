//! Families whose machines read textures or draw, as the suites see them: a family enters the suites by a row.

use gpucc::Target;
use gpucc_container::Container;
use gpucc_ir::Refusal;
use gpucc_isa::Notes;
use gpucc_tests::{exec, predict};

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
pub const DRAWING: &[Drawing] = &[
    Drawing {
        family: "tesla",
        held: Held { pictures: true, mutants: true, state: true, verify: true },
        gives: |line| !(line.starts_with("quadop") && line.contains(" # ")),
        kinds: &[("texture", "tex"), ("interpolation", "interp"), ("quad", "quadop"), ("output", "st b32 o")],
        // Numbers of texture and sampler from 9 and 17, arguments 22 and 23.
        texture_bits: &[("texauto", &[9, 10, 17, 18, 22, 23]), ("texfetch", &[9, 10, 22, 23])],
        texture_bit_matters: |_, _| true,
        leave_wait_out: |_| false,
        waits_for_more: |_, _| false,
        cut_helpers: None,
        forget_discards: |_, code| {
            // discard becomes nop.
            let mut n = 0;
            for pair in code.chunks_exact_mut(8).filter(|p| p[..4] == [3, 0, 0, 0]) {
                pair.copy_from_slice(&0xe000_0000_f000_0001u64.to_le_bytes());
                n += 1;
            }
            n
        },
    },
    Drawing {
        family: "gcn",
        held: Held { pictures: true, mutants: true, state: true, verify: true },
        gives: |_| true,
        kinds: &[("image", "image_"), ("interpolation", "v_interp_"), ("export", "exp ")],
        // DMASK 8 to 11, UNORM 12, DA 14.
        texture_bits: &[("image_sample", &[8, 9, 10, 11, 12, 14]), ("image_load", &[8, 9, 10, 11, 14])],
        texture_bit_matters: |_, _| true,
        leave_wait_out: |word| {
            // s_waitcnt becomes s_nop.
            let found = word.len() == 4 && word[2..] == [0x8c, 0xbf];
            if found {
                word.copy_from_slice(&0xbf80_0000u32.to_le_bytes());
            }
            found
        },
        waits_for_more: |_, _| false,
        cut_helpers: Some(|generation, code| {
            // s_wqm_b64 exec, exec becomes s_mov_b64 exec, exec.
            let (wqm, mov) = if generation == "gfx8" { (0xbefe_077e, 0xbefe_017e) } else { (0xbefe_0a7e, 0xbefe_047e) };
            change_words(code, |w| (w == wqm).then_some(mov))
        }),
        forget_discards: |generation, code| {
            // s_and_b64 exec, exec, s[..] becomes s_mov_b64 exec, exec.
            let (and, mov) = if generation == "gfx8" { (0x86fe, 0xbefe_017e) } else { (0x87fe, 0xbefe_047e) };
            change_words(code, |w| (w >> 16 == and && w & 0xff == 0x7e && w & 0xff00 < 0x6a00).then_some(mov))
        },
    },
    Drawing {
        family: "valhall",
        held: Held { pictures: true, mutants: true, state: true, verify: true },
        gives: |_| true,
        kinds: &[
            ("texture", "TEX_"),
            ("image", "LD_TEX"),
            ("address", "LEA_TEX"),
            ("conversion", "ST_CVT"),
            ("attribute", "LD_ATTR"),
            ("varying", "LD_VAR"),
            ("coverage", "ATEST"),
            ("colour", "BLEND"),
        ],
        // Two handles 8, layer 10, write mask 22 to 25, dimension 28 and 29, width 46.
        texture_bits: &[
            ("TEX_SINGLE", &[8, 10, 22, 23, 24, 25, 28, 29, 46]),
            ("TEX_FETCH", &[8, 10, 22, 23, 24, 25, 28, 29, 46]),
        ],
        texture_bit_matters: |_, _| true,
        leave_wait_out: |word| {
            // Slot 2 has what nobody reads: what waits for it alone is about addresses, which may differ where the compiler cannot tell.
            let found = word.len() == 8 && (1..10).contains(&flow(word)) && flow(word) != 4;
            if found {
                set_flow(word, 0);
            }
            found
        },
        waits_for_more: |before, after| {
            // Flows 0 to 7 are sets of slots, 8 and 9 wait for all of them.
            let (old, new) = (flow(before), flow(after));
            let more = new < 8 && old & new == old || matches!(new, 8 | 9);
            let others = |w: &[u8]| {
                let mut w = w.to_vec();
                set_flow(&mut w, 0);
                w
            };
            before.len() == 8 && old < 8 && more && others(before) == others(after)
        },
        cut_helpers: Some(|_, code| {
            // The first instruction without a flow gets `discard`.
            let first = code.chunks_exact_mut(8).find(|w| flow(w) == 0);
            first.map_or(0, |w| {
                set_flow(w, 13);
                1
            })
        }),
        forget_discards: |_, code| {
            // DISCARD becomes NOP, with its flow.
            let mut n = 0;
            for w in code.chunks_exact_mut(8).filter(|w| w[6] == 0x20 && w[7] & 1 == 0) {
                let kept = flow(w);
                w.copy_from_slice(&0x0000_c000_0000_0000u64.to_le_bytes());
                set_flow(w, kept);
                n += 1;
            }
            n
        },
    },
    Drawing {
        family: "vivante",
        held: Held { pictures: true, mutants: true, state: true, verify: true },
        gives: |_| true,
        kinds: &[("texture", "texld"), ("fetch", "txf"), ("quad", "ds")],
        // Write mask from 23, unit from 27, the texel's components from 35.
        texture_bits: &[("texldl", &[23, 24, 27, 35, 37])],
        texture_bit_matters: |bytes, bit| {
            // A component that is not written reads none: the second of two halves writes the last two.
            let mask = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) >> 23 & 15;
            bit.checked_sub(35).is_none_or(|b| mask >> (b / 2) & 1 == 1)
        },
        leave_wait_out: |_| false,
        waits_for_more: |_, _| false,
        cut_helpers: None,
        forget_discards: |_, code| {
            // texkill becomes nop.
            let mut n = 0;
            for i in code.chunks_exact_mut(16).filter(|i| i[0] & 63 == 0x17 && i[10] & 1 == 0) {
                i.fill(0);
                i[1] = 0x10;
                n += 1;
            }
            n
        },
    },
];

/// The flow of an instruction of Valhall: bits 59 to 62.
fn flow(word: &[u8]) -> u8 {
    word[7] >> 3 & 15
}

fn set_flow(word: &mut [u8], flow: u8) {
    word[7] = word[7] & !0x78 | flow << 3;
}

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
