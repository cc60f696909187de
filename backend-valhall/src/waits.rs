//! Waits for messages (reference, section 9): an instruction that touches what a message before it has outstanding needs a wait, which the
//! instruction before it carries.
//!
//! Needs: the final order of instructions, and slots. Keeps: all instructions but the `NOP`s that wait, of which those are left that have
//! something to wait for and nothing before them in their block that can do it. Notes for each instruction which registers messages may
//! still have to read (`staged`).
//!
//! A dataflow over the blocks knows per slot which registers and which memory are outstanding.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use gpucc_mir::BlockInStates;
use gpucc_valhall_machine::build::flow;
use gpucc_valhall_machine::{Class, Op, Update};

use crate::encoded::{Code, EncodedInst, asks, can_wait, disjoint, flow_of, mask, nop};

/// Slots that messages share.
const SLOTS: usize = 3;

/// An access that a message makes: space, whether it writes, key.
type Touch = (u16, bool, Option<u32>);

/// The outstanding messages, per slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    busy: [bool; SLOTS],
    writes: [u64; SLOTS],
    staging: [u64; SLOTS],
    memory: [SmallVec<[Touch; 2]>; SLOTS],
    /// Slots with varyings: the position of interpolation is one for all of them.
    varyings: [bool; SLOTS],
}

impl gpucc_mir::State for State {
    fn is_idle(&self) -> bool {
        let none = |s: usize| !self.busy[s] && self.writes[s] | self.staging[s] == 0 && self.memory[s].is_empty();
        (0..SLOTS).all(none)
    }

    fn join(&mut self, o: &State) -> bool {
        let mut changed = false;
        for s in 0..SLOTS {
            let before = (self.busy[s], self.writes[s], self.staging[s], self.varyings[s]);
            self.varyings[s] |= o.varyings[s];
            self.busy[s] |= o.busy[s];
            self.writes[s] |= o.writes[s];
            self.staging[s] |= o.staging[s];
            changed |= before != (self.busy[s], self.writes[s], self.staging[s], self.varyings[s]);
            // Keys say nothing across blocks.
            for &(space, writes, _) in &o.memory[s] {
                changed |= self.note(s, (space, writes, None));
            }
        }
        changed
    }
}

/// The slot that a message signals, if it is one that messages share.
fn slot(i: &EncodedInst) -> Option<usize> {
    if i.inst.op() == Op::Atest {
        return Some(0);
    }
    let slot = if i.facts.message { i.inst.get("slot")? } else { return None };
    (slot < SLOTS as u32).then_some(slot as usize)
}

impl State {
    /// Whether it was not known.
    fn note(&mut self, s: usize, m: Touch) -> bool {
        let at = self.memory[s].binary_search(&m);
        if let Err(k) = at {
            self.memory[s].insert(k, m);
        }
        at.is_err()
    }

    /// The slots that are in use, as bits.
    fn busy(&self) -> u32 {
        (0..SLOTS).filter(|&s| self.busy[s]).fold(0, |m, s| m | 1 << s)
    }

    /// Slots that have to be empty before an instruction, as bits.
    pub fn needs(&self, i: &EncodedInst) -> u32 {
        let asked = match i.inst.op() {
            Op::Barrier => u32::MAX,
            // Messages that follow from coverage go to other units in order (9.1, rule 6).
            Op::Atest | Op::ZsEmit => return flow::WAIT0126,
            Op::Blend | Op::LdTile | Op::StTile => return flow::WAIT,
            _ => asks(i).unwrap_or(0),
        };
        // The position of interpolation that others still use; and lanes must not part while there are some (9.1, rules 3 and 4).
        let update = if i.facts.message { i.inst.get("update") } else { None };
        let alone = i.facts.parts() || update.is_some_and(|u| u != Update::Retrieve as u32);
        let touched = mask(&i.reads) | mask(&i.writes);
        let mut needs = 0;
        for s in 0..SLOTS {
            let conflict = i.facts.access.is_some_and(|a| {
                self.memory[s].iter().any(|&(space, writes, key)| {
                    let apart = matches!((a.key, key), (Some(x), Some(y)) if disjoint(x, y));
                    (space == a.space || space == 0 || a.space == 0) && (writes || a.writes) && !apart
                })
            });
            if asked >> s & 1 == 1 && self.busy[s]
                || alone && self.varyings[s]
                || self.writes[s] & touched != 0
                || conflict
            {
                needs |= 1 << s;
            }
        }
        needs
    }

    fn wait(&mut self, flow: u32) {
        let slots = if can_wait(flow) { flow } else { flow::wait(7) };
        for s in (0..SLOTS).filter(|s| slots >> s & 1 == 1) {
            self.busy[s] = false;
            self.writes[s] = 0;
            self.staging[s] = 0;
            self.memory[s].clear();
            self.varyings[s] = false;
        }
    }

    fn issue(&mut self, i: &EncodedInst) {
        let Some(s) = slot(i) else { return };
        self.busy[s] = true;
        self.writes[s] |= mask(&i.writes);
        self.staging[s] |= i.facts.staging;
        self.varyings[s] |= i.inst.row().attrs.class == Class::Varying;
        if let Some(a) = i.facts.access {
            self.note(s, (a.space, a.writes, a.key));
        }
    }
}

/// The outstanding messages at the entry of each block, and the slots in use at its end, if another one comes behind it.
pub fn solve(code: &Code) -> (BlockInStates<State>, Vec<u32>) {
    let n = code.blocks.len();
    let mut entry = BlockInStates::new(n);
    let mut busy = vec![0; n];
    // In the order of the code, so that a block waits for those before it.
    let mut work = BTreeSet::from([0usize]);
    let mut state = State::default();
    while let Some(b) = work.pop_first() {
        if code.succs(b).next().is_none() {
            continue;
        }
        state.clone_from(entry.get(b).unwrap_or(&State::default()));
        for i in &code.blocks[b].insts {
            let needs = state.needs(i);
            state.wait(needs);
            state.issue(i);
        }
        work.extend(code.succs(b).filter(|&to| entry.join(to, &state)));
        busy[b] = state.busy();
    }
    (entry, busy)
}

/// Adds waits. Returns how many instructions wait for what they did not wait for before, new ones included.
pub fn run(code: &mut Code) -> u64 {
    let (entry, _) = solve(code);
    let mut state = State::default();
    let mut added = 0;
    for (b, block) in code.blocks.iter_mut().enumerate() {
        state.clone_from(entry.get(b).unwrap_or(&State::default()));
        added += run_block(&mut block.insts, &mut state);
    }
    added
}

/// The flow that waits for what two wait for.
fn together(a: u32, b: u32) -> u32 {
    if can_wait(a) && can_wait(b) { a | b } else { a.max(b) }
}

fn run_block(block: &mut Vec<EncodedInst>, state: &mut State) -> u64 {
    // The instruction that can carry a wait, and whether some are none any more.
    let (mut last, mut gone): (Option<usize>, bool) = (None, false);
    let (mut k, mut added) = (0, 0);
    while k < block.len() {
        let needs = state.needs(&block[k]);
        let point = asks(&block[k]).is_some();
        state.wait(needs);
        let carrier = last.filter(|&l| can_wait(flow_of(&block[l].inst)));
        let mut left = if needs == 0 { 0 } else { needs };
        if let Some(l) = carrier {
            let before = flow_of(&block[l].inst);
            let both = together(before, needs);
            if both != before {
                block[l].inst.set("flow", both);
                added += 1;
            }
            left = 0;
        }
        if point {
            block[k].inst.set("flow", left);
            gone |= left == 0;
            last = if left == 0 { last } else { Some(k) };
        } else {
            if left != 0 {
                // Never twice in a row, so that little is moved: only what waits for everything cannot wait for more.
                block.insert(k, nop(left, block[k].loc));
                added += 1;
                k += 1;
            }
            block[k].facts.staged = state.staging.iter().fold(block[k].facts.staging, |m, s| m | s);
            state.issue(&block[k]);
            last = Some(k);
        }
        k += 1;
    }
    if gone {
        block.retain(|i| asks(i) != Some(0));
    }
    added
}
