//! Tests of `sim/src/sync.rs`.

use gpucc_sim::sync::*;

fn log(events: &[(u32, u32, Who, &str, u64)]) -> SyncLog {
    let mut log = SyncLog::default();
    for &(now, barrier, who, what, at) in events {
        log.note(Asker { who, barrier, now }, (0, at), what.contains('a'), what.contains('r'));
    }
    log
}

#[test]
fn a_flag_orders_what_came_before_it_with_what_comes_after_it() {
    let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 8)]);
    let asker = Asker { who: (1, 0), barrier: 0, now: 7 };
    assert!(l.orders((0, 0), 4, asker));
    // Data written after the flag, by others of that workgroup, another invocation here.
    assert!(!l.orders((0, 0), 5, asker));
    assert!(!l.orders((0, 1), 4, asker));
    assert!(!l.orders((0, 0), 4, Asker { who: (1, 1), ..asker }));
    // A flag elsewhere says nothing.
    let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 12)]);
    assert!(!l.orders((0, 0), 4, asker));
    // One that was looked at before it was raised neither.
    let mut l = log(&[(5, 0, (1, 0), "a", 8), (6, 0, (0, 0), "r", 8)]);
    assert!(!l.orders((0, 0), 4, asker));
}

#[test]
fn barriers_carry_it_to_the_workgroup_and_counters_carry_it_on() {
    // Both workgroups pass a barrier (at 3 and 4), count (5 and 6); the second passes another (at 7).
    let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 4, (1, 0), "ar", 8)]);
    let asker = Asker { who: (1, 9), barrier: 7, now: 8 };
    assert!(l.orders((0, 33), 2, asker));
    assert!(!l.orders((0, 33), 3, asker));
    // Three workgroups in a row.
    let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 0, (1, 0), "ar", 8), (7, 0, (2, 0), "a", 8)]);
    let asker = Asker { who: (2, 0), barrier: 0, now: 8 };
    assert!(l.orders((0, 9), 2, asker) && l.orders((1, 0), 5, asker) && !l.orders((1, 0), 6, asker));
    // Through two locations.
    let mut l =
        log(&[(1, 0, (0, 0), "r", 8), (2, 0, (1, 0), "a", 8), (3, 0, (1, 0), "r", 16), (4, 0, (2, 0), "a", 16)]);
    assert!(l.orders((0, 0), 0, Asker { who: (2, 0), barrier: 0, now: 5 }));
}
