//! A part of a run that ends stays where it is, whatever place others of its group found later.

use gpucc_regalloc::{Cfg, Hint, Liveness, Operand, Placement, Problem, RegFile, Shape, UnitSet, colour};

/// The place of a part that is taken out of a run in units 0 and 1. A wish of the part's is a run in units 2 and 3, which has ended.
fn part(run_lives_on: bool) -> Placement {
    let mut p = Problem::new(&[RegFile::new("r", 16, Cfg::Logical).budget(UnitSet::first(8))]);
    let [run, later] = [(); 2].map(|()| p.value(0, Shape::run(2)));
    let part = p.value(0, Shape::run(1));
    p.hints.extend([run, later].map(|whole| Hint { part, whole, offset: 0 }));
    p.begin_block(&[]);
    p.push(&[Operand::write(run)], &[]);
    p.push(&[Operand::write(later)], &[]);
    p.push(&[Operand::read(later)], &[]);
    let split = p.push(&[Operand::read(run), Operand::write(part)], &[]);
    p.insts[split as usize].report_free = true;
    p.push(&[Operand::read(part)], &[]);
    if run_lives_on {
        p.push(&[Operand::read(run)], &[]);
    }
    let a = colour(&p, &Liveness::compute(&p).unwrap(), false).unwrap();
    assert_eq!([a.operands[0], a.operands[1]], [0, 2].map(|u| Placement::run(u, 2)));
    assert!(a.copies.is_empty(), "{a:?}");
    a.operands[p.first_operand(split) + 1]
}

#[test]
fn a_part_of_what_ends_stays() {
    assert_eq!(part(false), Placement::run(0, 1));
}

#[test]
fn a_part_of_what_lives_on_goes_where_its_group_is() {
    assert_eq!(part(true), Placement::run(2, 1));
}
