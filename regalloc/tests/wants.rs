//! Values that live across results with fixed places leave those places to them.

use gpucc_regalloc::{
    Allocation, Cfg, Hint, Liveness, Operand, Placement, Problem, RegFile, Shape, UnitSet, Value, colour,
};

fn v(n: u32) -> Value {
    Value(n)
}

fn problem(values: u32) -> Problem {
    let mut p = Problem::new(&[RegFile::new("r", 16, Cfg::Logical).budget(UnitSet::first(8))]);
    for _ in 0..values {
        p.value(0, Shape::run(1));
    }
    p.begin_block(&[]);
    p
}

fn coloured(p: &Problem) -> Allocation {
    let live = Liveness::compute(p).unwrap();
    colour(p, &live, false).unwrap()
}

/// Two results of value 0, which must end in units 0 and 1. `more` are read by the second of them.
fn results(more: &[u32]) -> Problem {
    let mut p = problem(3);
    p.push(&[Operand::write(v(0))], &[]);
    p.push(&[Operand::read(v(0)), Operand::write(v(1))], &[]);
    let mut second: Vec<Operand> = more.iter().map(|&n| Operand::read(v(n))).collect();
    second.push(Operand::write(v(2)));
    p.push(&second, &[]);
    let at = |n: u32, unit: u16| Operand::read(v(n)).at(Placement::run(unit, 1));
    p.push(&[at(1, 0), at(2, 1)], &[]);
    p
}

#[test]
fn what_lives_across_a_result_lies_elsewhere() {
    let a = coloured(&results(&[0]));
    assert!(a.copies.is_empty(), "{a:?}");
    // Read for the last time by what makes the second result, it may lie where that will.
    assert_eq!(a.operands[0], Placement::run(1, 1));
}

#[test]
fn what_dies_in_time_lies_where_the_result_will() {
    let a = coloured(&results(&[]));
    assert!(a.copies.is_empty(), "{a:?}");
    assert_eq!(a.operands[0], Placement::run(0, 1));
}

/// The results are parts of a run, and the run is what has a fixed place.
#[test]
fn parts_of_a_run_with_a_place_have_places_too() {
    let mut p = problem(3);
    let run = p.value(0, Shape::run(2));
    p.hints.extend([(1, 0), (2, 1)].map(|(n, offset)| Hint { part: v(n), whole: run, offset }));
    p.push(&[Operand::write(v(0))], &[]);
    p.push(&[Operand::read(v(0)), Operand::write(v(1))], &[]);
    p.push(&[Operand::read(v(0)), Operand::write(v(2))], &[]);
    p.push(&[Operand::read(v(0))], &[]);
    p.push(&[Operand::read(v(1)), Operand::read(v(2)), Operand::write(run)], &[]);
    p.push(&[Operand::read(run).at(Placement::run(0, 2))], &[]);
    let a = coloured(&p);
    let places: Vec<Placement> = [0, 2, 4].map(|k| a.operands[k]).to_vec();
    assert_eq!(places, [2, 0, 1].map(|u| Placement::run(u, 1)), "{a:?}");
}
