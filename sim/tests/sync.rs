//! Tests of `sim/src/sync.rs`.

use gpucc_sim::sync::*;

fn log(events: &[(u32, u32, Who, &str, u64)]) -> SyncLog {
    let mut log = SyncLog::default();
    for &(now, barrier, who, what, at) in events {
        log.note(Observer { who, barrier, now }, (0, at), what.contains('a'), what.contains('r'));
    }
    log
}

#[test]
fn a_flag_orders_what_came_before_it_with_what_comes_after_it() {
    let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 8)]);
    let observer = Observer { who: (1, 0), barrier: 0, now: 7 };
    assert!(l.orders((0, 0), 4, observer));
    // Data written after the flag, by others of that workgroup, another invocation here.
    assert!(!l.orders((0, 0), 5, observer));
    assert!(!l.orders((0, 1), 4, observer));
    assert!(!l.orders((0, 0), 4, Observer { who: (1, 1), ..observer }));
    // A flag elsewhere says nothing.
    let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 12)]);
    assert!(!l.orders((0, 0), 4, observer));
    // One that was looked at before it was raised neither.
    let mut l = log(&[(5, 0, (1, 0), "a", 8), (6, 0, (0, 0), "r", 8)]);
    assert!(!l.orders((0, 0), 4, observer));
}

#[test]
fn barriers_carry_it_to_the_workgroup_and_counters_carry_it_on() {
    // Both workgroups pass a barrier (at 3 and 4), count (5 and 6); the second passes another (at 7).
    let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 4, (1, 0), "ar", 8)]);
    let observer = Observer { who: (1, 9), barrier: 7, now: 8 };
    assert!(l.orders((0, 33), 2, observer));
    assert!(!l.orders((0, 33), 3, observer));
    // Three workgroups in a row.
    let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 0, (1, 0), "ar", 8), (7, 0, (2, 0), "a", 8)]);
    let observer = Observer { who: (2, 0), barrier: 0, now: 8 };
    assert!(l.orders((0, 9), 2, observer) && l.orders((1, 0), 5, observer) && !l.orders((1, 0), 6, observer));
    // Through two locations.
    let mut l =
        log(&[(1, 0, (0, 0), "r", 8), (2, 0, (1, 0), "a", 8), (3, 0, (1, 0), "r", 16), (4, 0, (2, 0), "a", 16)]);
    assert!(l.orders((0, 0), 0, Observer { who: (2, 0), barrier: 0, now: 5 }));
}
