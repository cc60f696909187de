//! One wrong bit in one row, for the mutation script (`cargo xtask mutate`): only with `--cfg gpucc_mutate`.
//!
//! `GPUCC_MUTATE=ROW:BIT` flips the BIT-th fixed bit in one of the encodings of row ROW (generations whose words differ have one
//! each). The script then expects the repository's own tests to fail: a table is only as good as the tests that hold it.

use crate::{Isa, Row, Word};

/// The rows, one of them wrong if the environment says so.
pub(crate) fn rows<I: Isa>(rows: &'static [Row<I>]) -> &'static [Row<I>] {
    let Ok(text) = std::env::var("GPUCC_MUTATE") else { return rows };
    let (row, bit) = text.split_once(':').expect("GPUCC_MUTATE is ROW:BIT");
    let row = row.parse::<usize>().expect("a row number") % rows.len();
    let bit = bit.parse::<u32>().expect("a bit number");
    let mut copy = rows.to_vec();
    let mut enc = copy[row].enc.to_vec();
    let mut used: Vec<_> = enc.iter_mut().filter(|e| e.generations != 0).collect();
    let nth = bit as usize % used.len();
    used[nth].value ^= nth_bit(used[nth].mask, bit);
    copy[row].enc = enc.leak();
    copy.leak()
}

/// The `n`-th set bit of `mask`, counted around.
fn nth_bit(mask: Word, n: u32) -> Word {
    let mut left = mask;
    for _ in 0..n % mask.count_ones().max(1) {
        left &= left - 1;
    }
    left & left.wrapping_neg()
}
