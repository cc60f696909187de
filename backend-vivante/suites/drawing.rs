//! What the suites of draws must know of the family: tests/tests/draws/drawing.rs.

use crate::draws::drawing::{Drawing, Held};

/// The row of the family.
pub const ROW: Drawing = Drawing {
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
};
