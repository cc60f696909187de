//! Tells memory accesses with one base and different offsets apart, for the slots that emission gives them.
//!
//! Needs: virtual registers. Keeps: everything but the key of memory accesses.

use std::collections::BTreeMap;

use gpucc_mir::{MFunc, Reg, Src};
use gpucc_valhall_machine::{Class as Kind, ROWS};

use crate::encoded::key;
use crate::forms::is_wide;
use crate::inst::{VOp, Valhall};

/// Tells accesses with one base and different offsets apart.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let mut found = 0;
    let mut bases: BTreeMap<u64, u32> = BTreeMap::new();
    for i in mf.code.iter_mut().flatten() {
        let Some(VOp::Op(op)) = i.target_op() else { continue };
        if ROWS[op as usize].attrs.class != Kind::Memory {
            continue;
        }
        let Some(k) = (0..i.uses.len()).find(|&k| is_wide(i, k)) else { continue };
        let base = match i.uses[k].src {
            Src::Reg(Reg::V(v)) => u64::from(v.0),
            Src::Uniform(n) => 1 << 32 | u64::from(n),
            _ => continue,
        };
        let count = bases.len() as u32;
        let base = *bases.entry(base).or_insert(count);
        let word = (i32::from(i.mods.offset as i16) + 0x8000) as u32;
        let words = u32::from(ROWS[op as usize].attrs.bytes.div_ceil(4));
        if word.is_multiple_of(4)
            && let Some(k) = key(base, word / 4, words)
        {
            found += 1;
            i.mods.key = k;
        }
    }
    found
}
