//! The reducer finds small programs for faults that were planted in passes and machine code of all families.

use std::time::{Duration, Instant};

use gpucc_tests::planted::{FAULTS, Planted};

/// What a person reads in one look.
const LINES: usize = 20;

fn check(fault: &Planted) {
    let text = fault.text();
    let name = format!("{} on {} ({})", fault.name, fault.target, fault.example);
    assert!(fault.is_in(&text), "{name}: the example does not show it");
    let start = Instant::now();
    let (small, report) = fault.reduced(&text, Duration::from_secs(300));
    let lines = small.lines().filter(|l| !l.trim().is_empty()).count();
    println!("{name}: {lines} lines, {} candidates, {:.1} s\n{small}", report.tried, start.elapsed().as_secs_f64());
    assert!(fault.is_in(&small), "{name}: it is gone\n{small}");
    assert!(report.complete, "{name}: it took longer than five minutes\n{small}");
    assert!(lines < LINES, "{name}: {lines} lines\n{small}");
}

/// One of each family, and of passes and of code.
#[test]
fn planted_faults_of_each_family_become_small() {
    for k in [1, 4, 6, 9] {
        check(&FAULTS[k]);
    }
}

/// All of them: `cargo test -p gpucc-suites planted -- --ignored --nocapture`.
#[test]
#[ignore = "minutes: run it by name after a change of the reducer"]
fn every_planted_fault_becomes_small() {
    FAULTS.iter().for_each(check);
}

/// The right compiler shows none of them: what is compared is equal without a fault.
#[test]
fn texts_without_what_a_fault_changes_do_not_show_it() {
    let copy = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
                @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { o[0] = 7u; }\n";
    for fault in &FAULTS {
        assert!(!fault.is_in(copy), "{}", fault.name);
        assert!(!fault.is_in("fn f("), "{}", fault.name);
    }
}
