//! Clauses: memory instructions of one kind stand together.
//!
//! Needs: the order is otherwise final, and no waits stand in it. Keeps: what each instruction reads, registers and memory alike.
//! Looks a bounded number of instructions ahead, so the whole is linear.

use gpucc_gcn_machine::{Access, Counter, Op, operand, rows};
use gpucc_mir::{Ranges, overlap};
use smallvec::smallvec;

use crate::tail::encoded::{Code, EncodedInst};

/// So many other instructions may pass the memory instructions that wait for one more of their kind.
const REACH: usize = 8;

/// Instructions of a clause, at most: all results of a longer one could not be counted.
const LONGEST: usize = 12;

/// Whether two instructions must keep their order for the sake of registers.
pub fn ordered(a: &EncodedInst, b: &EncodedInst) -> bool {
    overlap(&a.writes, &b.reads) || overlap(&a.writes, &b.writes) || overlap(&a.reads, &b.writes)
}

/// Whether it writes state that vector instructions read implicitly (EXEC, M0).
pub fn sets_state(i: &EncodedInst) -> bool {
    let state: Ranges = smallvec![(operand::EXEC, 2), (operand::M0, 1)];
    overlap(&i.writes, &state) || rows::writes_exec(i.inst.row())
}

/// Whether nothing may pass an instruction.
pub fn stays(i: &EncodedInst) -> bool {
    i.facts.barrier || i.label.is_some() || matches!(i.inst.op(), Op::SEndpgm)
}

/// The clauses that an instruction can form: its counter, and whether it stores.
fn kind(i: &EncodedInst) -> Option<(Counter, bool)> {
    let access = i.inst.row().attrs.access;
    let one = matches!(access, Access::Load | Access::Store);
    (i.facts.counter != Counter::None && one).then_some((i.facts.counter, access == Access::Store))
}

/// Puts memory instructions of one kind next to each other: those that come first wait for the others, if there is little in
/// between and none of it depends on them. Lets at most `fuel` of them wait, and returns how many do.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let mut moved = 0;
    for block in &mut code.blocks {
        moved += run_block(&mut block.insts, fuel - moved);
    }
    moved
}

fn run_block(block: &mut Vec<EncodedInst>, fuel: u64) -> u64 {
    if block.iter().filter(|i| kind(i).is_some()).nth(1).is_none() {
        return 0;
    }
    let mut moved = 0;
    let mut out: Vec<EncodedInst> = Vec::with_capacity(block.len());
    // The clause, and what has passed its last instruction.
    let (mut clause, mut passed): (Vec<EncodedInst>, Vec<EncodedInst>) = (Vec::new(), Vec::new());
    for i in std::mem::take(block) {
        let same = clause.first().is_some_and(|c| kind(c) == kind(&i)) && clause.len() < LONGEST;
        let depends = clause.iter().any(|c| ordered(c, &i));
        if same && !depends && (passed.is_empty() || moved < fuel) {
            moved += u64::from(!passed.is_empty());
            out.append(&mut passed);
            clause.push(i);
            continue;
        }
        let free = !clause.is_empty() && i.facts.counter == Counter::None;
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
    moved
}
