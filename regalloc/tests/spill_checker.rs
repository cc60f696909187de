//! The checker of spill code notices each way of getting it wrong.

use gpucc_regalloc::{Cfg, Operand, Problem, RegFile, Shape, Slot, SpillCode, UnitSet, Value, check_spills};

fn problem() -> Problem {
    let mut p = Problem::new(&[RegFile::new("r", 16, Cfg::Logical).budget(UnitSet::first(8))]);
    for _ in 0..8 {
        p.value(0, Shape::run(1));
    }
    p
}

const fn slot(word: u32) -> Slot {
    Slot { space: 0, word, units: 1 }
}

fn v(n: u32) -> Value {
    Value(n)
}

fn def(p: &mut Problem, n: u32) {
    p.push(&[Operand::write(v(n))], &[]);
}

fn read(p: &mut Problem, n: u32) {
    p.push(&[Operand::read(v(n))], &[]);
}

fn store(p: &mut Problem, n: u32, word: u32) {
    let i = p.push(&[Operand::read(v(n))], &[]);
    p.set_spill(i, SpillCode::Store(v(n), slot(word)));
}

fn load(p: &mut Problem, n: u32, word: u32) {
    let i = p.push(&[Operand::write(v(n))], &[]);
    p.set_spill(i, SpillCode::Load(v(n), slot(word)));
}

fn edge(to: u32, args: &[u32]) -> (u32, Vec<Value>) {
    (to, args.iter().map(|&n| v(n)).collect())
}

fn refused(before: &Problem, after: &Problem, why: &str) {
    let e = check_spills(before, after).expect_err(why);
    assert!(e.contains(why), "{e}");
}

/// Two values; the first is in memory while the second is computed.
fn straight(code: impl Fn(&mut Problem)) -> (Problem, Problem) {
    let mut before = problem();
    before.begin_block(&[]);
    def(&mut before, 0);
    def(&mut before, 1);
    read(&mut before, 0);
    read(&mut before, 1);
    let mut after = problem();
    after.begin_block(&[]);
    code(&mut after);
    (before, after)
}

#[test]
fn straight_line() {
    let (before, after) = straight(|p| {
        def(p, 0);
        store(p, 0, 3);
        def(p, 1);
        load(p, 0, 3);
        read(p, 0);
        read(p, 1);
    });
    check_spills(&before, &after).expect("right");
}

#[test]
fn wrong_slot() {
    let (before, after) = straight(|p| {
        def(p, 0);
        store(p, 0, 3);
        def(p, 1);
        load(p, 0, 4);
        read(p, 0);
        read(p, 1);
    });
    refused(&before, &after, "is never written");
}

#[test]
fn missing_store() {
    let (before, after) = straight(|p| {
        def(p, 0);
        def(p, 1);
        load(p, 0, 3);
        read(p, 0);
        read(p, 1);
    });
    refused(&before, &after, "is never written");
}

#[test]
fn clobbered_slot() {
    let (before, after) = straight(|p| {
        def(p, 0);
        store(p, 0, 3);
        def(p, 1);
        store(p, 1, 3);
        load(p, 0, 3);
        read(p, 0);
        read(p, 1);
    });
    refused(&before, &after, "is overwritten by %1");
}

#[test]
fn lost_instruction() {
    let (before, after) = straight(|p| {
        def(p, 0);
        store(p, 0, 3);
        def(p, 1);
        load(p, 0, 3);
        read(p, 1);
    });
    refused(&before, &after, "is lost");
}

#[test]
fn exchanged_instructions() {
    let (before, after) = straight(|p| {
        def(p, 0);
        def(p, 1);
        read(p, 1);
        read(p, 0);
    });
    refused(&before, &after, "out of order");
}

/// A word of a wide value is overwritten by a narrow one.
#[test]
fn partly_clobbered_slot() {
    let make = |word: Option<u32>| {
        let mut p = problem();
        let wide = p.value(0, Shape::aligned(2, 2));
        p.begin_block(&[]);
        let all = Slot { space: 0, word: 2, units: 2 };
        p.push(&[Operand::write(wide)], &[]);
        def(&mut p, 0);
        if let Some(word) = word {
            let i = p.push(&[Operand::read(wide)], &[]);
            p.set_spill(i, SpillCode::Store(wide, all));
            store(&mut p, 0, word);
            let i = p.push(&[Operand::write(wide)], &[]);
            p.set_spill(i, SpillCode::Load(wide, all));
        }
        p.push(&[Operand::read(wide), Operand::read(v(0))], &[]);
        p
    };
    check_spills(&make(None), &make(Some(1))).expect("beside it");
    refused(&make(None), &make(Some(3)), "%8.1, is overwritten by %0.0");
}

/// `b1: %2 = ...; b2: %3 = ...; b3(%4): use %4`, with %4 in memory or not.
fn diamond(spilled: bool, arm: impl Fn(&mut Problem, u32)) -> Problem {
    let mut p = problem();
    p.begin_block(&[]);
    def(&mut p, 0);
    p.begin_block(&[]);
    def(&mut p, 2);
    arm(&mut p, 2);
    p.begin_block(&[]);
    def(&mut p, 3);
    arm(&mut p, 3);
    p.begin_block(if spilled { &[] } else { &[Value(4)] });
    if spilled {
        load(&mut p, 4, 5);
    }
    read(&mut p, 4);
    read(&mut p, 0);
    p.set_succs(0, Cfg::Logical, [edge(1, &[]), edge(2, &[])]);
    p.set_succs(1, Cfg::Logical, [edge(3, if spilled { &[] } else { &[2] })]);
    p.set_succs(2, Cfg::Logical, [edge(3, if spilled { &[] } else { &[3] })]);
    p
}

#[test]
fn parameter_in_memory() {
    let before = diamond(false, |_, _| ());
    check_spills(&before, &diamond(true, |p, n| store(p, n, 5))).expect("right");
    let one_arm = diamond(true, |p, n| {
        if n == 2 {
            store(p, n, 5);
        }
    });
    refused(&before, &one_arm, "is never written");
    let wrong_value = diamond(true, |p, n| store(p, if n == 2 { 2 } else { 0 }, 5));
    refused(&before, &wrong_value, "is overwritten by %0");
    let wrong_slot = diamond(true, |p, n| store(p, n, if n == 2 { 5 } else { 6 }));
    refused(&before, &wrong_slot, "is never written");
}

/// A value of a loop is stored once, before it is computed again.
#[test]
fn stale_store() {
    let make = |late: bool, spilled: bool| {
        let mut p = problem();
        p.begin_block(&[]);
        def(&mut p, 0);
        p.begin_block(&[]);
        def(&mut p, 1);
        if spilled && !late {
            store(&mut p, 1, 0);
        }
        p.begin_block(&[]);
        if spilled {
            load(&mut p, 1, 0);
        }
        read(&mut p, 1);
        if spilled && late {
            store(&mut p, 1, 0);
        }
        p.begin_block(&[]);
        p.begin_block(&[]);
        read(&mut p, 0);
        p.set_succs(0, Cfg::Logical, [edge(1, &[])]);
        p.set_succs(1, Cfg::Logical, [edge(2, &[])]);
        p.set_succs(2, Cfg::Logical, [edge(3, &[]), edge(4, &[])]);
        p.set_succs(3, Cfg::Logical, [edge(1, &[])]);
        p
    };
    check_spills(&make(false, false), &make(false, true)).expect("right");
    refused(&make(false, false), &make(true, true), "is never written after it was defined");
}

/// Parameters of a loop that change places each time round: the one is overwritten before the other is read.
#[test]
fn lost_copy() {
    let make = |saved: bool, spilled: bool| {
        let mut p = problem();
        p.begin_block(&[]);
        def(&mut p, 0);
        def(&mut p, 1);
        if spilled {
            store(&mut p, 0, 0);
            store(&mut p, 1, 1);
        }
        p.begin_block(if spilled { &[] } else { &[Value(2), Value(3)] });
        for n in [2, 3] {
            if spilled {
                load(&mut p, n, n - 2);
            }
            read(&mut p, n);
        }
        p.begin_block(&[]);
        if spilled {
            if saved {
                load(&mut p, 2, 0);
                store(&mut p, 2, 7);
            }
            load(&mut p, 3, 1);
            store(&mut p, 3, 0);
            load(&mut p, 2, if saved { 7 } else { 0 });
            store(&mut p, 2, 1);
        }
        p.begin_block(&[]);
        p.set_succs(0, Cfg::Logical, [edge(1, if spilled { &[] } else { &[0, 1] })]);
        p.set_succs(1, Cfg::Logical, [edge(2, &[]), edge(3, &[])]);
        p.set_succs(2, Cfg::Logical, [edge(1, if spilled { &[] } else { &[3, 2] })]);
        p
    };
    check_spills(&make(true, false), &make(true, true)).expect("right");
    refused(&make(true, false), &make(false, true), "is overwritten by %3");
}

#[test]
fn other_arguments() {
    let before = diamond(false, |_, _| ());
    let mut after = diamond(false, |_, _| ());
    after.set_succs(2, Cfg::Logical, [edge(3, &[0])]);
    refused(&before, &after, "other arguments");
}
