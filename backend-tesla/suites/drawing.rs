//! What the suites of draws must know of the family: tests/tests/draws/drawing.rs.

use crate::draws::drawing::{Drawing, Held};

/// The row of the family.
pub const ROW: Drawing = Drawing {
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
};
