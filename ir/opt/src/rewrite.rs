//! The walk that instruction-by-instruction lowerings share: each instruction is kept, or replaced by what a builder
//! emits in its place; what was emitted is visited again, so that expansions may use ops that are expanded themselves.

use gpucc_ir::{Block, Builder, EntitySet, Function, Inst, SecondaryMap, Value};

/// The result of lowering one instruction.
pub enum Rewrite {
    /// Keep it.
    Keep,
    /// Its single result is this value; the instruction goes.
    Value(Value),
    /// It has no result that is used, and goes.
    Gone,
}

/// Visits every instruction of the layout in order. `visit` gets a builder that appends before the instruction, with its
/// location and licences. Gives the number of instructions replaced.
pub fn run(f: &mut Function, mut visit: impl FnMut(&mut Builder<'_>, Inst) -> Rewrite) -> u64 {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut changes = 0;
    // The instructions of a block still to be visited, the next last: those of an expansion come before what follows it.
    let mut work: Vec<Inst> = Vec::new();
    // Whether each block comes after one that leads to it. Then what dominates a block comes before it, and so does what it uses.
    let mut in_order = true;
    let mut led_to: EntitySet<Block> = EntitySet::new();
    led_to.insert(f.entry());
    for b in 0..f.layout.len() {
        let block = f.layout[b];
        in_order &= led_to.contains(block);
        f.insts[f.terminator(block)].for_each_edge(|e| {
            led_to.insert(e.block);
        });
        let mut list = std::mem::take(&mut f.blocks[block].insts);
        // Most blocks stay as they are: the list is left alone up to the first change.
        let mut kept = 0;
        while let Some(&i) = list.get(kept) {
            f.replace_uses_of(i, &map);
            let done = visit(&mut Builder::like(f, block, i), i);
            if matches!(done, Rewrite::Keep) && f.blocks[block].insts.is_empty() {
                kept += 1;
                continue;
            }
            work.extend(list.drain(kept..).skip(1).rev());
            changes += replace(f, block, i, done, 0, &mut map, &mut work);
            break;
        }
        f.blocks[block].insts = list;
        while let Some(i) = work.pop() {
            f.replace_uses_of(i, &map);
            let start = f.blocks[block].insts.len();
            let done = visit(&mut Builder::like(f, block, i), i);
            changes += replace(f, block, i, done, start, &mut map, &mut work);
        }
    }
    if !in_order {
        f.replace_uses(&map);
    }
    changes
}

/// Does what a visit said: what it emitted lies in the block from `start` on and is to be visited next. Gives the number of
/// changes, at most 1.
fn replace(
    f: &mut Function,
    block: Block,
    i: Inst,
    done: Rewrite,
    start: usize,
    map: &mut SecondaryMap<Value, Option<Value>>,
    work: &mut Vec<Inst>,
) -> u64 {
    let list = &mut f.blocks[block].insts;
    match done {
        Rewrite::Keep if list.len() == start => {
            list.push(i);
            return 0;
        }
        // A lowering that keeps an instruction may still have emitted some before it.
        Rewrite::Keep => work.push(i),
        Rewrite::Value(v) => {
            if map.is_unset() {
                map.reserve(f.values.len());
            }
            map.set(f.insts[i].result(), Some(v));
        }
        Rewrite::Gone => {}
    }
    work.extend(list.drain(start..).rev());
    1
}
