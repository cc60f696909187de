//! Costs of instructions, from the table: for scheduling, and for the estimate that `--stats` shows.

use std::collections::VecDeque;

use gpucc_gcn_machine::{Counter, Op, abi};

use crate::tail::encoded::{Code, EncodedInst};

/// Cycles in which a wave gets one instruction issued.
pub const SLOT: u32 = 4;

/// Registers of each file that leave a program with this pressure as many waves as it can have.
pub fn limits(scalar: u32, vector: u32, generation: u8) -> (u32, u32) {
    let waves = abi::waves(vector, scalar, generation);
    let most = |top: u32, fits: &dyn Fn(u32) -> bool| (1..=top).rev().find(|&n| fits(n)).unwrap_or(1);
    (most(104, &|s| abi::waves(0, s, generation) >= waves), most(256, &|v| abi::waves(v, 0, generation) >= waves))
}

/// Cycles in which a wave's instruction is issued.
pub fn cycles(i: &EncodedInst) -> u64 {
    match i.inst.op() {
        Op::SNop => u64::from(SLOT * (i.inst.get("imm").unwrap_or(0) + 1)),
        _ => u64::from(i.inst.row().attrs.cycles),
    }
}

/// Cycles that one wave alone takes to run all blocks as often as they run. Blocks are run in order; an instruction takes its issue
/// cycles, and a wait the time until the operations that it waits for are done, as often as those run.
pub fn estimate(code: &Code) -> u64 {
    // When the outstanding operations of each counter are done, oldest first, and how often they run.
    let mut pending: [VecDeque<(u64, u64)>; 3] = Default::default();
    let (mut now, mut sum) = (0u64, 0u64);
    for block in &code.blocks {
        let runs = block.runs;
        let mut add = |cycles: u64, times: u64| sum = sum.saturating_add(cycles.saturating_mul(times));
        for i in &block.insts {
            let row = i.inst.row();
            let issue = u64::from(row.attrs.cycles);
            let imm = i.inst.get("imm").unwrap_or(0);
            let taken = match i.inst.op() {
                Op::SWaitcnt => {
                    let [vm, exp, lgkm] = gpucc_gcn_machine::build::counters(imm);
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
                _ => cycles(i),
            };
            now += taken;
            add(taken, runs);
            match i.facts.counter {
                Counter::None => continue,
                Counter::Export => &mut pending[2],
                Counter::Vm => &mut pending[0],
                Counter::Lds | Counter::Scalar => &mut pending[1],
            }
            .push_back((now + u64::from(row.effects.latency) - issue, runs));
        }
    }
    sum
}
