//! Tests of `sim/src/race.rs`.

use gpucc_sim::dispatch::{Races, RunReport};
use gpucc_sim::memory::AllocId;
use gpucc_sim::race::*;
use gpucc_sim::trap::{Trap, TrapKind};

const A: AllocId = AllocId(0);
const SHARED: AllocId = AllocId(1);

fn check() -> RaceCheck {
    check_as(Races::Trap)
}

fn check_as(mode: Races) -> RaceCheck {
    let mut c = RaceCheck::new(mode, 0x100, Some([(0x40, 1, WORKGROUP, [0; 3])]));
    c.watch(A, 64, "buffer", 0);
    c.watch(SHARED, 64, "workgroup memory", WORKGROUP);
    c.begin(0, [0, 0, 0]);
    c
}

fn by(lane: u32, pc: u32) -> By {
    By { lane, pc }
}

/// A store of one word that changes it.
fn put(c: &mut RaceCheck, id: AllocId, at: u64, by: By) -> Result<(), Trap> {
    c.store_over(&[0; 4], id, at, &[1; 4], by)
}

#[test]
fn both_are_named() {
    let mut c = check();
    c.load(A, 8, 4, by(3, 0x10)).unwrap();
    let t = put(&mut c, A, 8, by(0, 0x18)).unwrap_err();
    assert_eq!(t.kind, TrapKind::Race);
    assert_eq!(
        t.message,
        "store of 4 bytes by invocation 0 of workgroup 0,0,0 and load by invocation 3 of workgroup 0,0,0 are not \
         ordered, at byte 8 of buffer"
    );
    assert_eq!(t.other.unwrap().pc, 0x10);
}

#[test]
fn a_barrier_orders_its_workgroup_only() {
    let mut c = check();
    put(&mut c, A, 0, by(0, 0)).unwrap();
    assert!(c.clone().load(A, 0, 4, by(1, 8)).is_err());
    assert!(c.clone().load(A, 0, 4, by(0, 8)).is_ok());
    c.barrier();
    c.load(A, 0, 4, by(1, 8)).unwrap();
    assert!(put(&mut c.clone(), A, 0, by(0, 16)).is_err());
    assert!(put(&mut c.clone(), A, 0, by(1, 16)).is_ok());
    c.begin(1, [1, 0, 0]);
    c.barrier();
    assert!(c.load(A, 0, 4, by(1, 8)).is_err());
}

#[test]
fn two_readers_are_enough_and_of_different_workgroups() {
    let mut c = check();
    c.load(A, 0, 4, by(0, 0)).unwrap();
    c.load(A, 0, 4, by(1, 0)).unwrap();
    c.begin(1, [1, 0, 0]);
    c.load(A, 0, 4, by(5, 0)).unwrap();
    c.enter(0);
    c.barrier();
    assert!(put(&mut c.clone(), A, 0, by(0, 8)).is_err());
    c.enter(1);
    c.barrier();
    assert!(put(&mut c, A, 0, by(5, 8)).is_err());
}

#[test]
fn the_same_value_is_no_race_unless_somebody_stores_another() {
    let mut c = check();
    put(&mut c, A, 0, by(0, 0)).unwrap();
    c.store_over(&[1; 4], A, 0, &[1; 4], by(1, 0)).unwrap();
    assert!(c.store_over(&[1; 4], A, 0, &[2; 4], by(1, 0)).is_err());
    let mut c = check();
    c.store_over(&[0; 4], A, 0, &[0; 4], by(0, 0)).unwrap();
    c.load(A, 0, 4, by(1, 0)).unwrap();
    assert!(c.store_over(&[0; 4], A, 0, &[2; 4], by(1, 0)).is_err());
}

#[test]
fn workgroup_memory_is_new_for_each() {
    let mut c = check();
    put(&mut c, SHARED, 0, by(0, 0)).unwrap();
    c.begin(0, [1, 0, 0]);
    put(&mut c, SHARED, 0, by(1, 0)).unwrap();
    assert!(put(&mut c, SHARED, 0, by(2, 0)).is_err());
}

#[test]
fn bytes_of_a_word_are_apart() {
    let mut c = check();
    c.store_over(&[0; 2], A, 0, &[1; 2], by(0, 0)).unwrap();
    c.store_over(&[0; 2], A, 2, &[1; 2], by(1, 0)).unwrap();
    c.load(A, 1, 1, by(0, 0)).unwrap();
    assert!(c.clone().load(A, 3, 1, by(0, 0)).is_err());
    assert!(c.load(A, 0, 4, by(0, 0)).is_err());
}

#[test]
fn atomics_race_with_plain_accesses_and_order_others() {
    let mut c = check();
    c.atomic(A, 0, 4, true, by(0, 0)).unwrap();
    c.atomic(A, 0, 4, true, by(1, 0)).unwrap();
    c.load(A, 0, 4, by(2, 0x40)).unwrap();
    assert!(c.clone().load(A, 0, 4, by(3, 0x44)).is_err());
    assert!(put(&mut c, A, 0, by(0, 0x44)).is_err());
    // The last workgroup to count reads what the others left.
    let mut c = check();
    put(&mut c, A, 16, by(7, 0)).unwrap();
    c.barrier();
    c.atomic(A, 0, 4, true, by(0, 8)).unwrap();
    c.begin(1, [1, 0, 0]);
    assert!(c.clone().load(A, 16, 4, by(0, 12)).is_err());
    c.atomic(A, 0, 4, true, by(0, 8)).unwrap();
    c.load(A, 16, 4, by(0, 12)).unwrap();
    assert!(c.clone().load(A, 16, 4, by(1, 12)).is_err());
    c.barrier();
    c.load(A, 16, 4, by(1, 12)).unwrap();
    // Without the barrier in front of the count it is none of its business.
    let mut c = check();
    put(&mut c, A, 16, by(7, 0)).unwrap();
    c.atomic(A, 0, 4, true, by(0, 8)).unwrap();
    c.begin(1, [1, 0, 0]);
    c.atomic(A, 0, 4, true, by(0, 8)).unwrap();
    assert!(c.load(A, 16, 4, by(0, 12)).is_err());
}

#[test]
fn where_clamps_lead_nothing_is_looked_at() {
    // Stores at 0x10 are clamped to the last 8 bytes of the buffer, at 0x14 to element 3 of arrays of 4 words from byte 4.
    let rows = [(0x10, 2, 0, [8, 0, 0]), (0x14, 3, 0, [4, 4, 3]), (0x14, 3, WORKGROUP, [0, 1, 63])];
    let mut c = RaceCheck::new(Races::Trap, 0x100, Some(rows));
    c.watch(A, 64, "buffer", 0);
    c.begin(0, [0, 0, 0]);
    let races = |c: &mut RaceCheck, at: u64, pc: u32| {
        let mut c = c.clone();
        put(&mut c, A, at, by(0, pc)).is_err() || put(&mut c, A, at, by(1, pc)).is_err()
    };
    assert!(!races(&mut c, 56, 0x10) && !races(&mut c, 60, 0x10) && races(&mut c, 52, 0x10));
    assert!(!races(&mut c, 16, 0x14) && !races(&mut c, 32, 0x14) && races(&mut c, 20, 0x14) && races(&mut c, 0, 0x14));
    assert!(races(&mut c, 60, 0x18));
}

#[test]
fn off_without_marks_and_notes_when_asked() {
    let mut c = RaceCheck::new(Races::Trap, 0x100, None::<[_; 0]>);
    c.watch(A, 64, "buffer", 0);
    c.begin(0, [0, 0, 0]);
    assert!(put(&mut c, A, 0, by(0, 0)).is_ok() && put(&mut c, A, 0, by(1, 0)).is_ok());
    let mut c = check_as(Races::Report);
    for lane in 0..4 {
        put(&mut c, A, 0, by(lane, 8)).unwrap();
    }
    let mut r = RunReport::default();
    c.report(&mut r, |pc| format!("store{pc}"));
    assert_eq!(r.races.len(), 1);
    assert!(r.races[0].to_string().contains("`store8`"));
}
