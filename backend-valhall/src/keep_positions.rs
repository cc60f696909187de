//! Lets varyings take the position of interpolation that one before them found (reference, section 16): such loads may be under way
//! together, where those that find a position wait for each other.
//!
//! Needs: the final order of instructions. Keeps: all instructions, and where they interpolate. A dataflow over the blocks knows which
//! kind of position is kept on all ways to an instruction; special varyings lose it.

use std::collections::BTreeSet;

use gpucc_valhall_machine::{Class, Update};

use crate::encoded::{Code, EncodedInst};

/// The kind of the kept position, if there is one.
type Kept = Option<u32>;

/// The kept kind behind an instruction.
fn after(kept: Kept, i: &EncodedInst) -> Kept {
    match i.inst.row().attrs.class {
        Class::VaryingTexture => None,
        Class::Varying => match i.inst.get("update") {
            None => kept,
            Some(u) if u == Update::Clobber as u32 => None,
            Some(_) => i.inst.get("sample"),
        },
        _ => kept,
    }
}

/// Changes at most `fuel` loads, and returns how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    // Nothing is known of a block that no way leads to yet.
    let mut entry: Vec<Option<Kept>> = vec![None; code.blocks.len()];
    entry.iter_mut().take(1).for_each(|e| *e = Some(None));
    let mut work = BTreeSet::from([0usize]);
    while let Some(b) = work.pop_first() {
        let Some(start) = entry.get(b).copied().flatten() else { continue };
        let end = code.blocks[b].insts.iter().fold(start, after);
        for s in code.succs(b) {
            let joined = match entry[s] {
                Some(kept) if kept != end => None,
                _ => end,
            };
            if entry[s] != Some(joined) {
                entry[s] = Some(joined);
                work.insert(s);
            }
        }
    }
    let mut changed = 0;
    for (block, start) in code.blocks.iter_mut().zip(entry) {
        let Some(mut kept) = start else { continue };
        for i in &mut block.insts {
            let stores =
                i.inst.row().attrs.class == Class::Varying && i.inst.get("update") == Some(Update::Store as u32);
            if stores && kept.is_some() && kept == i.inst.get("sample") && changed < fuel {
                i.inst.set("update", Update::Retrieve as u32);
                changed += 1;
            }
            kept = after(kept, i);
        }
    }
    changed
}
