//! What the suites of draws must know of the family: tests/tests/draws/drawing.rs.

use crate::draws::drawing::{Drawing, Held, change_words};

/// The row of the family.
pub const ROW: Drawing = Drawing {
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
};
