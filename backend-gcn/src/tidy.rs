//! Drops changes of EXEC that nothing asks for before the next one: at the end of the program, and where two
//! constructs end together.

use gpucc_gcn_machine::{Op, operand};

use crate::emit::{Counter, Item, Ways};

const EXEC: (u32, u32) = (operand::EXEC, 2);

fn reads_exec(i: &Item) -> bool {
    let branch = matches!(i.inst.op(), Op::SCbranchExecz | Op::SCbranchExecnz);
    let vector = i.is_valu || matches!(i.counter, Counter::Vm | Counter::Lds);
    branch || vector || i.reads.contains(&EXEC) || i.inst.op().name().ends_with("saveexec_b64")
}

/// Whether an item does nothing but set EXEC.
fn only_sets(i: &Item) -> bool {
    i.writes[..] == [EXEC] && matches!(i.inst.op(), Op::SMovB64 | Op::SOrB64 | Op::SAndB64 | Op::SAndn2B64)
}

/// What a block does about EXEC: whether it asks for it before it sets it, and whether it sets it.
pub type Effect = (bool, bool);

/// The effect of a block.
pub fn effect(block: &[Item]) -> Effect {
    block.iter().rev().fold((false, false), |(asked, set), i| {
        let sets = i.writes.contains(&EXEC);
        (asked && !sets || reads_exec(i), set || sets)
    })
}

/// Whether EXEC is asked for behind each block, of which the wave goes on as `succs` says.
pub fn wanted(effects: &[Effect], succs: &[Ways]) -> Vec<bool> {
    // At the start of each block.
    let mut live = vec![false; effects.len()];
    let behind = |b: usize, live: &[bool]| succs[b].iter().any(|&s| live.get(s).copied().unwrap_or(false));
    // Walking up, only what goes back up has not been seen yet.
    let mut back = vec![false; effects.len()];
    for (b, succs) in succs.iter().enumerate() {
        succs.iter().filter(|&&s| s <= b).for_each(|&s| back[s] = true);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (b, &(asked, set)) in effects.iter().enumerate().rev() {
            let now = asked || !set && behind(b, &live);
            changed |= std::mem::replace(&mut live[b], now) != now && back[b];
        }
    }
    (0..effects.len()).map(|b| behind(b, &live)).collect()
}

/// Runs over a finished block.
pub fn run(block: &mut Vec<Item>, wanted_behind: bool) {
    let mut now = wanted_behind;
    let mut gone: Vec<usize> = Vec::new();
    for (k, i) in block.iter().enumerate().rev() {
        if only_sets(i) && !now {
            gone.push(k);
            continue;
        }
        now &= !i.writes.contains(&EXEC);
        now |= reads_exec(i);
    }
    if !gone.is_empty() {
        let mut k = 0;
        block.retain(|_| {
            k += 1;
            gone.pop_if(|g| *g == k - 1).is_none()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpucc_gcn_machine::emit::{self as form, Form};
    use smallvec::smallvec;

    fn of(o: Op) -> Item {
        Item::control(form::inst(form::row(o, Form::Short, false, 2).unwrap()))
    }

    /// `exec = s[20:21]`, a vector instruction, and a scalar one.
    fn set() -> Item {
        Item { reads: smallvec![(20, 2)], writes: smallvec![EXEC], ..of(Op::SMovB64) }
    }
    fn vector() -> Item {
        Item { is_valu: true, writes: smallvec![(256, 1)], ..of(Op::VMovB32) }
    }
    fn scalar() -> Item {
        Item { writes: smallvec![(4, 1)], ..of(Op::SMovB32) }
    }

    fn run_all(mut blocks: Vec<Vec<Item>>, succs: &[Ways]) -> Vec<usize> {
        let effects: Vec<Effect> = blocks.iter().map(|b| effect(b)).collect();
        let wanted = wanted(&effects, succs);
        blocks.iter_mut().zip(wanted).for_each(|(b, w)| run(b, w));
        blocks.iter().map(Vec::len).collect()
    }

    #[test]
    fn what_nobody_asks_for_goes() {
        // Before another one, and at the end; the vector instruction between keeps its own.
        assert_eq!(run_all(vec![vec![set(), scalar(), set(), vector(), set()]], &[smallvec![]]), [3]);
        // The next block sets EXEC itself.
        assert_eq!(run_all(vec![vec![set()], vec![set(), vector()]], &[smallvec![1], smallvec![]]), [0, 2]);
    }

    #[test]
    fn what_is_asked_for_stays() {
        assert_eq!(
            run_all(vec![vec![set()], vec![scalar()], vec![vector()]], &[smallvec![1], smallvec![2], smallvec![]]),
            [1, 1, 1]
        );
        // Only the way back asks.
        let blocks = vec![vec![scalar()], vec![vector(), set()]];
        assert_eq!(run_all(blocks, &[smallvec![1], smallvec![1]]), [1, 2]);
    }
}
