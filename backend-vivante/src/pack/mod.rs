//! Packs scalar operations of one kind into vector operations: four lanes cost what one costs.
//!
//! ```text
//! v4 = iadd v0, 1                        v8 = iadd splat v0, (1, 2)
//! v5 = iadd v0, 2          ==>           v9 = icmp.lt v8, (v6, v7)
//! v10 = icmp.lt v4, v6                   v10, v11 = its lanes
//! v11 = icmp.lt v5, v7
//! ```
//!
//! Within a block, instructions that do not depend on each other. A group is formed where it saves more than it costs to
//! bring its operands into one register: lanes of one vector, constants and uniform words cost nothing, values that are made
//! one by one little, what lies in different registers a move each. `plan` decides, `rewrite` carries out.
//! Needs: legalised 32-bit scalars. Keeps: the CFG, memory order. Values of a group that its operands hold become lanes.

mod facts;
mod pairs;
mod params;
mod plan;
mod rewrite;

use gpucc_ir::analysis::Uses;
use gpucc_ir::{Function, SecondaryMap, Space, Value};
use gpucc_opt::PassCx;

use crate::inst::Vivante;
use crate::launch::Steps;
use facts::Facts;

/// Instructions looked at together.
const CHUNK: usize = 256;

/// Runs over a function. A change is a group, or a pair of vectors.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, t: &Vivante, steps: Steps) {
    let uniform =
        cx.module.resources.iter().filter(|(_, r)| r.kind.space() == Space::Uniform).map(|(r, _)| r).collect();
    let mut facts = Facts { t, uses: Uses::new(f), uniform, steps };
    let mut made = pairs::run(f, cx, &facts);
    if made > 0 {
        facts.uses = Uses::new(f);
    }
    let mut out = rewrite::Rewrite::new();
    let mut scratch = plan::Scratch::default();
    for b in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[b].insts);
        out.enter(b);
        for chunk in insts.chunks(CHUNK) {
            let plan = plan::plan(f, cx, &facts, &out.lanes, chunk, &mut scratch);
            made += plan.groups.len() as u64;
            out.chunk(f, chunk, &plan);
        }
    }
    out.finish(f);
    if made > 0 {
        params::run(f);
        clean(f);
    }
}

/// Removes pure instructions without users, from the last to the first.
fn clean(f: &mut Function) {
    let mut count: SecondaryMap<Value, u32> = SecondaryMap::new();
    for (_, i) in f.insts_in_order() {
        f.insts[i].for_each_use(|v| count[v] += 1);
    }
    for b in f.layout.clone().into_iter().rev() {
        let mut kept = Vec::new();
        for i in std::mem::take(&mut f.blocks[b].insts).into_iter().rev() {
            let d = &f.insts[i];
            if d.op.is_pure() && d.results.iter().all(|v| count[v] == 0) {
                d.for_each_use(|v| count[v] -= 1);
                continue;
            }
            kept.push(i);
        }
        kept.reverse();
        f.blocks[b].insts = kept.into();
    }
}
