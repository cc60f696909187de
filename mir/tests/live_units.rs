//! Live registers at each instruction.

use crate::toy::{Op, Toy, preg};
use gpucc_ir::Loc;
use gpucc_mir::{BlockId, Def, MFunc, MInst, Use, live_units};

fn li(r: u16) -> MInst<Toy> {
    MInst::new(Op::Li).def(Def::preg(preg(0, r))).imm(7)
}

fn out(r: u16) -> MInst<Toy> {
    MInst::new(Op::Out).arg(Use::preg(preg(0, r)))
}

/// Units of the first file, in the order of the code.
fn live(f: &MFunc<Toy>) -> Vec<u32> {
    let mut all = Vec::new();
    live_units(f, &Toy::new(8), |_, units| all.push(units[0]));
    let mut ends = f.code.iter().map(Vec::len).scan(0, |at, n| {
        *at += n;
        Some((*at - n, *at))
    });
    ends.by_ref().for_each(|(from, to)| all[from..to].reverse());
    all
}

#[test]
fn values_live_from_their_writer_to_their_last_reader() {
    let mut f: MFunc<Toy> = MFunc::new("f");
    let b = f.block();
    let add = MInst::new(Op::Add).def(Def::preg(preg(0, 2))).arg(Use::preg(preg(0, 0))).arg(Use::preg(preg(0, 1)));
    // The last constant is read by nobody, and has a register all the same.
    *f.list(b) = vec![li(0), li(1), add, out(2), li(5), MInst::new(Op::End)];
    assert_eq!(live(&f), [1, 2, 2, 1, 1, 0]);
    let mut locations = Vec::new();
    let mut far = f.clone();
    far.list(b)[2].loc = Loc(3);
    live_units(&far, &Toy::new(8), |loc, units| locations.push((loc, units[0])));
    assert!(locations.contains(&(Loc(3), 2)), "{locations:?}");
}

#[test]
fn a_value_that_a_loop_reads_lives_through_all_of_it() {
    let mut f: MFunc<Toy> = MFunc::new("f");
    let b: Vec<BlockId> = (0..3).map(|_| f.block()).collect();
    *f.list(b[0]) = vec![li(0), MInst::new(Op::Jmp).arg(b[1])];
    f.at(b[0]).succs = [gpucc_mir::MEdge::to(b[1])].into_iter().collect();
    *f.list(b[1]) = vec![out(0), li(1), out(1), MInst::new(Op::Jmp).arg(b[1])];
    f.at(b[1]).succs = [gpucc_mir::MEdge::to(b[1])].into_iter().collect();
    assert_eq!(live(&f), [1, 1, 1, 2, 2, 1]);
}
