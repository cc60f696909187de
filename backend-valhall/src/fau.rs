//! Operand limits of one instruction (reference, section 7.1): what does not fit moves to a register first.

use gpucc_mir::{MInst, Src};

use crate::target::{SPECIAL, Valhall};

/// FAU words that the operands of an instruction name.
#[derive(Default)]
struct Seen {
    words: Vec<u32>,
    page: Option<u32>,
    slot: Option<u32>,
    special: Option<u32>,
    lut: bool,
}

/// LUT words are told apart from uniform words by this bit.
const LUT: u32 = 0x8000_0000;

impl Seen {
    /// Whether the operand still fits; it counts from then on.
    fn take(&mut self, src: Src, wide: bool) -> bool {
        let (page, words, slot, special) = match src {
            Src::Imm(v) => (0, vec![LUT ^ v.rotate_left(1)], None, None),
            Src::Uniform(n) if n >= SPECIAL => {
                let page = (n - SPECIAL) >> 8;
                (page, if wide { vec![n, n + 1] } else { vec![n] }, None, Some(n & !1))
            }
            Src::Uniform(n) => (n >> 6, if wide { vec![n, n + 1] } else { vec![n] }, Some(n >> 1), None),
            Src::Reg(_) | Src::Label(_) => return true,
        };
        let new: Vec<u32> = words.into_iter().filter(|w| !self.words.contains(w)).collect();
        let lut = matches!(src, Src::Imm(_));
        let fits = self.page.is_none_or(|p| p == page)
            && self.words.len() + new.len() <= 2
            && (slot.is_none() || self.slot.is_none() || self.slot == slot)
            && (special.is_none() || self.special.is_none() || self.special == special)
            && !(special.is_some() && self.slot.is_some())
            && !(slot.is_some() && self.special.is_some());
        if fits {
            self.words.extend(new);
            self.page = Some(page);
            self.slot = self.slot.or(slot);
            self.special = self.special.or(special);
            self.lut |= lut;
        }
        fits
    }
}

/// Indices of the uses that have to move to registers. `wide(k)` says whether use `k` is a 64-bit operand; `keep_special` uses
/// cannot be moved and come first.
pub fn excess(inst: &MInst<Valhall>, wide: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen = Seen::default();
    let mut order: Vec<usize> = (0..inst.uses.len()).collect();
    // 64-bit operands are the dearest to move, then specials; constants are cheapest.
    order.sort_by_key(|&k| match inst.uses[k].src {
        _ if wide(k) => 0,
        Src::Uniform(n) if n >= SPECIAL => 1,
        Src::Uniform(_) => 2,
        _ => 3,
    });
    let mut out: Vec<usize> = order.into_iter().filter(|&k| !seen.take(inst.uses[k].src, wide(k))).collect();
    out.sort_unstable();
    out
}
