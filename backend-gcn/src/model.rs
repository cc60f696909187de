//! What instructions cost, from the table: for scheduling, and for the estimate that `--stats` shows.

use std::collections::VecDeque;

use gpucc_gcn_machine::emit::rows_of;
use gpucc_gcn_machine::{Facts, Op, Unit, abi, table};

use gpucc_isa::Role;

use crate::emit::{Counter, Item};

/// Cycles in which a wave gets one instruction issued.
pub const SLOT: u32 = 4;

/// What the table says of an operation, on the newest generation that has it.
pub fn facts(op: Op) -> Option<Facts> {
    let row = (0..3).rev().find_map(|g| rows_of(op, g).first())?;
    Some(table().rows[*row as usize].facts)
}

/// What an image instruction does with its data: `Def` of a load or a sample, `Use` of a store, `UseDef` of an atomic.
pub fn image_effect(op: Op) -> Role {
    let row = rows_of(op, 2).first().map(|r| &table().rows[*r as usize]);
    row.and_then(|r| r.slot("vdata").map(|s| r.slots[s].role)).unwrap_or(Role::UseDef)
}

/// Cycles from the issue of an instruction until its result can be used, caches hit.
pub fn latency(facts: Facts) -> u32 {
    let issue = u32::from(facts.cycles);
    match facts.unit {
        Unit::Vmem | Unit::Flat => 300 + issue,
        Unit::Smem => 120 + issue,
        Unit::Lds => 64 + issue,
        // Until its sources have been read.
        Unit::Export => 16 + issue,
        _ => issue,
    }
}

/// Registers of each file that leave a program with this pressure as many waves as it can have.
pub fn limits(scalar: u32, vector: u32, generation: u8) -> (u32, u32) {
    let waves = abi::waves(vector, scalar, generation);
    let most = |top: u32, fits: &dyn Fn(u32) -> bool| (1..=top).rev().find(|&n| fits(n)).unwrap_or(1);
    (most(104, &|s| abi::waves(0, s, generation) >= waves), most(256, &|v| abi::waves(v, 0, generation) >= waves))
}

/// Cycles that one wave alone takes to run all blocks; with each block comes how often it runs. Blocks are run in order; an instruction takes its issue cycles, and a wait the time until the
/// operations that it waits for are done, as often as those run.
pub fn estimate<'a>(blocks: impl Iterator<Item = (&'a Vec<Item>, u64)>) -> u64 {
    // When the outstanding operations of each counter are done, oldest first, and how often they run.
    let mut pending: [VecDeque<(u64, u64)>; 3] = Default::default();
    let (mut now, mut sum) = (0u64, 0u64);
    for (items, runs) in blocks {
        let mut add = |cycles: u64, times: u64| sum = sum.saturating_add(cycles.saturating_mul(times));
        for i in items {
            let facts = i.inst.row().facts;
            let imm = i.inst.get("imm").unwrap_or(0);
            let cycles = match i.inst.op() {
                Op::SWaitcnt => {
                    let [vm, exp, lgkm] = gpucc_gcn_machine::emit::counters(imm);
                    for (queue, left) in pending.iter_mut().zip([vm, lgkm, exp]) {
                        while queue.len() > left as usize
                            && let Some((done, times)) = queue.pop_front()
                        {
                            add(done.saturating_sub(now), times.min(runs));
                            now = now.max(done);
                        }
                    }
                    continue;
                }
                Op::SNop => u64::from(SLOT * (imm + 1)),
                _ => u64::from(facts.cycles),
            };
            now += cycles;
            add(cycles, runs);
            match i.counter {
                Counter::None => continue,
                Counter::Export => &mut pending[2],
                Counter::Vm => &mut pending[0],
                Counter::Lds | Counter::Scalar => &mut pending[1],
            }
            .push_back((now + u64::from(latency(facts) - u32::from(facts.cycles)), runs));
        }
    }
    sum
}
