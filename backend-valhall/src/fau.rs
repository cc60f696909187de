//! Operand limits of one instruction (reference, section 7.1): what does not fit moves to a register first.

use gpucc_mir::{MInst, Src};
use gpucc_valhall_machine::ROWS;
use smallvec::{SmallVec, smallvec};

use crate::forms::is_wide;
use crate::inst::{SPECIAL, VOp, Valhall};

/// A word of the FAU.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// A word of the table of constants, by value.
    Constant(u32),
    /// A uniform or special.
    Slot(u32),
}

/// FAU words that the operands of an instruction name.
#[derive(Default)]
struct Seen {
    words: SmallVec<[Word; 4]>,
    page: Option<u32>,
    slots: SmallVec<[u32; 4]>,
    special: Option<u32>,
    /// Messages have laxer rules (7.2).
    message: bool,
}

impl Seen {
    /// Whether the operand still fits; it counts from then on.
    fn take(&mut self, src: Src, wide: bool) -> bool {
        let slots = |n: u32| -> SmallVec<[Word; 2]> { (n..=n + u32::from(wide)).map(Word::Slot).collect() };
        let (page, words, slot, special) = match src {
            Src::Imm(v) => (0, smallvec![Word::Constant(v)], None, None),
            Src::Uniform(n) if n >= SPECIAL => ((n - SPECIAL) >> 8, slots(n), None, Some(n & !1)),
            Src::Uniform(n) => (n >> 6, slots(n), Some(n >> 1), None),
            Src::Reg(_) | Src::Label(_) => return true,
        };
        let new: SmallVec<[Word; 2]> = words.into_iter().filter(|w| !self.words.contains(w)).collect();
        let other_slot = slot.is_some_and(|s| !self.slots.is_empty() && !self.slots.contains(&s));
        let mixed = special.is_some() && !self.slots.is_empty() || slot.is_some() && self.special.is_some();
        let fits = self.page.is_none_or(|p| p == page)
            && self.words.len() + new.len() <= 2
            && (self.message || !other_slot)
            && (special.is_none() || self.special.is_none() || self.special == special)
            && (self.message || !mixed);
        if fits {
            self.words.extend(new);
            self.page = Some(page);
            self.slots.extend(slot);
            self.special = self.special.or(special);
        }
        fits
    }
}

/// Indices of the uses that have to move to registers.
pub fn excess(inst: &MInst<Valhall>) -> SmallVec<[usize; 4]> {
    let Some(VOp::Op(op)) = inst.target_op() else { return SmallVec::new() };
    // One operand that is no register always fits.
    if inst.uses.iter().filter(|u| matches!(u.src, Src::Imm(_) | Src::Uniform(_))).count() < 2 {
        return SmallVec::new();
    }
    let mut seen = Seen { message: ROWS[op as usize].attrs.class.is_message(), ..Seen::default() };
    let mut order: SmallVec<[usize; 4]> = (0..inst.uses.len()).collect();
    // 64-bit operands are the dearest to move, then specials; constants are cheapest.
    order.sort_by_key(|&k| match inst.uses[k].src {
        _ if is_wide(inst, k) => 0,
        Src::Uniform(n) if n >= SPECIAL => 1,
        Src::Uniform(_) => 2,
        _ => 3,
    });
    let mut out: SmallVec<[usize; 4]> =
        order.into_iter().filter(|&k| !seen.take(inst.uses[k].src, is_wide(inst, k))).collect();
    out.sort_unstable();
    out
}
