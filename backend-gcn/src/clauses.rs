//! Order of finished code within a block: memory instructions of one kind stand together (a clause), and work that
//! depends on nothing stands where wait states would be empty.
//!
//! Needs: blocks without waits. Keeps: what each instruction reads, registers and memory alike. Both look a bounded number
//! of instructions ahead, so the whole is linear.

use gpucc_gcn_machine::{Access, Counter, Op, operand, table};
use smallvec::smallvec;

use crate::emit::{Item, Ranges};
use crate::waits::State;

/// So many other instructions may pass the memory instructions that wait for one more of their kind.
const REACH: usize = 8;

/// Instructions of a clause, at most: all results of a longer one could not be counted.
const LONGEST: usize = 12;

/// Instructions looked at for filling a wait state.
const AHEAD: usize = 12;

fn overlap(a: &Ranges, b: &Ranges) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.0 < y.0 + y.1 && y.0 < x.0 + x.1))
}

/// Whether two instructions must keep their order for the sake of registers.
fn ordered(a: &Item, b: &Item) -> bool {
    overlap(&a.writes, &b.reads) || overlap(&a.writes, &b.writes) || overlap(&a.reads, &b.writes)
}

/// What every vector instruction depends on without naming it.
fn sets_state(i: &Item) -> bool {
    let state: Ranges = smallvec![(operand::EXEC, 2), (operand::M0, 1)];
    overlap(&i.writes, &state) || table::writes_exec(i.inst.row())
}

/// Whether nothing may pass an instruction.
fn stays(i: &Item) -> bool {
    i.barrier || i.label.is_some() || matches!(i.inst.op(), Op::SEndpgm)
}

/// What an instruction can form clauses with: its counter, and whether it stores.
fn kind(i: &Item) -> Option<(Counter, bool)> {
    let access = i.inst.row().facts.access;
    let one = matches!(access, Access::Load | Access::Store);
    (i.counter != Counter::None && one).then_some((i.counter, access == Access::Store))
}

/// Puts memory instructions of one kind next to each other: those that come first wait for the others, if there is little
/// in between and none of it depends on them.
pub fn gather(block: &mut Vec<Item>) {
    if block.iter().filter(|i| kind(i).is_some()).nth(1).is_none() {
        return;
    }
    let mut out: Vec<Item> = Vec::with_capacity(block.len());
    // The clause, and what has passed its last instruction.
    let (mut clause, mut passed): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
    for i in std::mem::take(block) {
        let same = clause.first().is_some_and(|c| kind(c) == kind(&i)) && clause.len() < LONGEST;
        let depends = clause.iter().any(|c| ordered(c, &i));
        if same && !depends {
            out.append(&mut passed);
            clause.push(i);
            continue;
        }
        let free = !clause.is_empty() && i.counter == Counter::None;
        if free && !depends && passed.len() < REACH && !sets_state(&i) && !stays(&i) {
            passed.push(i);
            continue;
        }
        out.append(&mut clause);
        out.append(&mut passed);
        if kind(&i).is_some() {
            clause.push(i);
        } else {
            out.push(i);
        }
    }
    out.append(&mut clause);
    out.append(&mut passed);
    *block = out;
}

/// Moves vector instructions that depend on nothing in between to where wait states would be empty. Returns how many.
pub fn fill(block: &mut [Item], generation: u8) -> usize {
    let mut state = State::default();
    let mut moved = 0;
    for k in 0..block.len() {
        if state.states(&block[k], generation) > 0
            && let Some(from) = filler(&block[k..], &state, generation)
        {
            block[k..=k + from].rotate_right(1);
            moved += 1;
        }
        let needs = state.needs(&block[k]);
        if needs.iter().any(Option::is_some) {
            state.wait(needs);
        }
        state.issue(&block[k], generation);
    }
    moved
}

/// The first vector instruction behind the first of `rest` that can as well be executed before it.
fn filler(rest: &[Item], state: &State, generation: u8) -> Option<usize> {
    for (n, i) in rest.iter().enumerate().take(AHEAD + 1) {
        if stays(i) || sets_state(i) {
            return None;
        }
        let free = i.is_valu
            && state.states(i, generation) == 0
            && state.needs(i).iter().all(Option::is_none)
            && i.writes.iter().all(|w| w.0 >= 256);
        if n > 0 && free && !rest[..n].iter().any(|before| ordered(before, i)) {
            return Some(n);
        }
    }
    None
}
