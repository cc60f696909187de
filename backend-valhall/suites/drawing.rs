//! What the suites of draws must know of the family: tests/tests/draws/drawing.rs.

use crate::draws::drawing::{Drawing, Held};

/// The row of the family.
pub const ROW: Drawing = Drawing {
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
};

/// The flow of an instruction: bits 59 to 62.
fn flow(word: &[u8]) -> u8 {
    word[7] >> 3 & 15
}

fn set_flow(word: &mut [u8], flow: u8) {
    word[7] = word[7] & !0x78 | flow << 3;
}
