//! The walk that instruction-by-instruction lowerings share: each instruction is kept, or replaced by what a builder
//! emits in its place; what was emitted is visited again, so that expansions may use ops that are expanded themselves.

use gpucc_ir::{Builder, Function, Inst, SideMap, Value};

/// What a lowering says of one instruction.
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
    let mut map: SideMap<Value, Option<Value>> = SideMap::with_default(None);
    let mut changes = 0;
    for block in f.layout.clone() {
        let old = std::mem::take(&mut f.blocks[block].insts);
        // A stack, so that the instructions of an expansion come before what follows it.
        let mut work: Vec<Inst> = old.into_iter().rev().collect();
        while let Some(i) = work.pop() {
            f.insts[i].map_uses(|v| resolve(&map, v));
            let start = f.blocks[block].insts.len();
            let mut b = Builder::like(f, block, i);
            match visit(&mut b, i) {
                Rewrite::Keep => {
                    // A lowering that keeps an instruction may still have emitted some before it.
                    let emitted = f.blocks[block].insts.split_off(start);
                    if emitted.is_empty() {
                        f.blocks[block].insts.push(i);
                    } else {
                        changes += 1;
                        work.push(i);
                        work.extend(emitted.into_iter().rev());
                    }
                }
                done => {
                    changes += 1;
                    if let Rewrite::Value(v) = done {
                        let r = f.insts[i].results[0];
                        map.set(r, Some(v));
                    }
                    let emitted = f.blocks[block].insts.split_off(start);
                    work.extend(emitted.into_iter().rev());
                }
            }
        }
    }
    if changes > 0 {
        f.replace_uses(&map);
    }
    changes
}

fn resolve(map: &SideMap<Value, Option<Value>>, mut v: Value) -> Value {
    while let Some(n) = map[v] {
        v = n;
    }
    v
}
