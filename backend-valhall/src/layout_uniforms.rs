//! Gives uniform words their places in the FAU, those used together in one slot.
//!
//! Needs: uniforms numbered by selection. Keeps: everything but the numbers. Operand limits depend on the places: legalisation
//! comes later.

use std::collections::BTreeMap;

use gpucc_mir::{MFunc, Src};
use smallvec::SmallVec;

use crate::forms::is_wide;
use crate::inst::Valhall;
use crate::uniforms::Uniforms;

/// Gives uniform words their places, those used together in one slot.
pub fn run(mf: &mut MFunc<Valhall>, uniforms: &mut Uniforms) -> u64 {
    let mut together: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    // Instructions that read uniforms.
    let mut readers: Vec<(u32, u32)> = Vec::new();
    let all = mf.code.iter().enumerate().flat_map(|(b, x)| x.iter().enumerate().map(move |(k, i)| (b, k, i)));
    for (b, k, i) in all {
        if !i.uses.iter().any(|u| matches!(u.src, Src::Uniform(_))) {
            continue;
        }
        readers.push((b as u32, k as u32));
        let mut words: SmallVec<[u32; 4]> = SmallVec::new();
        for (k, u) in i.uses.iter().enumerate() {
            if let Src::Uniform(n) = u.src
                && n < crate::inst::SPECIAL
                && !is_wide(i, k)
                && !words.contains(&n)
            {
                words.push(n);
            }
        }
        words.sort_unstable();
        for (k, &a) in words.iter().enumerate() {
            words[k + 1..].iter().for_each(|&b| *together.entry((a, b)).or_default() += 1);
        }
    }
    let mut pairs: Vec<(u32, u32, u32)> = together.into_iter().map(|((a, b), n)| (n, a, b)).collect();
    pairs.sort_by_key(|&(n, a, b)| (u32::MAX - n, a, b));
    let new_of = uniforms.arrange(&pairs.iter().map(|&(_, a, b)| (a, b)).collect::<Vec<_>>());
    let count = readers.len() as u64;
    for (b, k) in readers {
        for u in &mut mf.code[b as usize][k as usize].uses {
            if let Src::Uniform(n) = &mut u.src
                && let Some(&new) = new_of.get(*n as usize)
            {
                *n = new;
            }
        }
    }
    count
}
