//! Tests of `ir/opt/src/linearise.rs`.

use crate::testing::parse;
use gpucc_ir::Module;
use gpucc_opt::{Caps, Options, prepare};

/// The code of an entry whose workgroups have eight invocations in subgroups of four that meet at barriers, behind all passes.
fn after(level: u8, body: &str) -> Module {
    let m = parse(&format!(
        "entry \"main\" compute func0 size 8,1,1\nfunc0 \"main\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: i32 = shl v0, 2:i32\n{body}\n}}\n"
    ));
    let caps = Caps {
        subgroup: 4,
        lanes_by_memory: true,
        simple_lane_reads: false,
        ballots_by_memory: true,
        lockstep: false,
        ..Caps::FULL
    };
    let (m, _) = prepare(&m, "main", &caps, &Options { level, verify: true, ..Options::default() })
        .expect("passes keep the rules");
    m
}

/// Barriers and what is left between lanes.
fn count(m: &Module) -> (usize, usize) {
    let text = m.to_string();
    (text.matches("barrier").count(), text.matches("lane_read").count() + text.matches("ballot").count())
}

const BRANCH: &str = "  v2: b1 = icmp.ult v0, 3:i32\n  br v2, block1, block2 merge block2\nblock1:\n  v3: i32x4 = ballot v2\n  \
     v4: i32 = extract v3, lane 0\n  store v4, res1[0 + v1] align 4\n  jump block2\nblock2:\n  ret";

#[test]
fn what_some_execute_all_come_by() {
    for level in [0, 2] {
        let m = after(level, BRANCH);
        // Behind the stores and behind the loads.
        assert_eq!(count(&m), (2, 0), "{m}");
        // They stand before the branch around the store, which is the only one.
        let text = m.to_string();
        assert!(text.rfind("barrier") < text.find("  br "), "{m}");
        assert_eq!(text.matches("  br ").count(), 1, "{m}");
    }
}

#[test]
fn a_loop_goes_on_as_long_as_one_is_in_it() {
    let body = "  jump block1(0:i32)\nblock1(v2: i32) loop merge block4 continue block3:\n  v3: b1 = icmp.ule v2, v0\n  \
                br v3, block2, block4\nblock2:\n  v4: i32 = lane_read v2, 1:i32\n  store v4, res1[0 + v1] align 4\n  jump block3\n\
                block3:\n  v5: i32 = iadd v2, 1:i32\n  jump block1(v5)\nblock4:\n  ret";
    // Two for the read, three for the vote.
    assert_eq!(count(&after(0, body)), (5, 0), "{}", after(0, body));
    assert_eq!(count(&after(2, body)), (5, 0), "{}", after(2, body));
}

#[test]
fn constructs_without_operations_stay() {
    // A loop that invocations leave at different times: none of its rounds is for all.
    let body = "  v2: b1 = icmp.ult v0, 3:i32\n  br v2, block1, block5 merge block5\nblock1:\n  jump block2(0:i32)\n\
                block2(v3: i32) loop merge block4 continue block3:\n  v4: b1 = icmp.ule v3, v0\n  br v4, block3, block4\n\
                block3:\n  v5: i32 = iadd v3, 1:i32\n  jump block2(v5)\nblock4:\n  v6: i32 = lane_read v3, 1:i32\n  \
                store v6, res1[0 + v1] align 4\n  jump block5\nblock5:\n  ret";
    assert_eq!(count(&after(0, body)), (2, 0), "{}", after(0, body));
}

#[test]
fn nothing_changes_where_all_are_together() {
    let body = "  v5: i32x3 = sysval workgroup_id\n  v2: i32 = extract v5, lane 0\n  v3: b1 = icmp.ult v2, 3:i32\n  br v3, block1, block2 merge block2\nblock1:\n  \
                v4: i32 = lane_read v0, 1:i32\n  store v4, res1[0 + v1] align 4\n  jump block2\nblock2:\n  ret";
    let m = after(0, body);
    assert_eq!(count(&m), (2, 0), "{m}");
    assert_eq!(m.to_string().matches("\nblock").count(), 3, "{m}");
}

#[test]
fn code_without_an_end() {
    // Nothing is behind the loop.
    let body = "  v2: b1 = icmp.ult v0, 3:i32\n  jump block1\nblock1 loop merge block4 continue block3:\n  br v2, block2, block3 merge block3\n\
                block2:\n  v4: i32 = lane_read v0, 1:i32\n  store v4, res1[0 + v1] align 4\n  jump block3\nblock3:\n  jump block1\n\
                block4:\n  unreachable";
    assert_eq!(count(&after(0, body)), (5, 0), "{}", after(0, body));
    assert_eq!(count(&after(2, body)), (5, 0), "{}", after(2, body));
}

/// A loop of a chip in lockstep: its rounds have a construct of whose lanes some continue with `leave`, then a read of a lane.
fn of_lanes(reconverges: bool, leave: &str) -> String {
    let m = parse(&format!(
        "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: i32 = shl v0, 2:i32\n  jump block1(0:i32)\nblock1(v2: i32) loop merge block7 continue block6:\n  v3: b1 = icmp.ule v2, v0\n  \
         br v3, block2, block7\nblock2:\n  v4: b1 = icmp.ult v0, 9:i32\n  br v4, block3, block5 merge block5\nblock3:\n  \
         v5: b1 = icmp.ult v2, 5:i32\n  br v5, {leave}, block5\nblock5:\n  v6: i32 = iadd v0, v2\n  v7: i32 = lane_read v6, v2\n  \
         store v7, res1[0 + v1] align 4\n  jump block6\nblock6:\n  v8: i32 = iadd v2, 1:i32\n  jump block1(v8)\nblock7:\n  ret\n}}\n"
    ));
    let caps = Caps { subgroup: 32, lanes_by_memory: true, simple_lane_reads: false, reconverges, ..Caps::FULL };
    let (m, _) = prepare(&m, "main", &caps, &Options { level: 0, verify: true, ..Options::default() }).expect("passes");
    m.to_string()
}

#[test]
fn lanes_that_leave_for_farther_out_part_nobody() {
    // To the next round: the construct is none that all leave by its end.
    let (left, kept) = (of_lanes(false, "block6"), of_lanes(true, "block6"));
    assert_ne!(left, kept);
    assert!(!left.contains("barrier") && !left.contains("lane_read"), "{left}");
    // Out of the loop: chips have an instruction for it.
    assert_eq!(of_lanes(false, "block7"), of_lanes(true, "block7"));
}

/// A construct whose end a construct inside dominates, since nothing else leads there.
#[test]
fn an_end_that_a_construct_inside_dominates_is_not_inside() {
    let m = parse(
        "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: i32 = shl v0, 2:i32\n  jump block1 merge block4\nblock1:\n  v2: b1 = icmp.ult v0, 18:i32\n  br v2, block3, block2 merge block3\n\
         block2:\n  v3: b1 = icmp.ult v0, 40:i32\n  br v3, block4(v0), block3\nblock3:\n  v4: i32 = lane_read v0, v1\n  jump block4(v4)\n\
         block4(v5: i32):\n  store v5, res1[0 + v1] align 4\n  ret\n}\n",
    );
    let text = |reconverges: bool| {
        let caps = Caps { subgroup: 32, lanes_by_memory: true, simple_lane_reads: false, reconverges, ..Caps::FULL };
        let done = prepare(&m, "main", &caps, &Options { level: 0, verify: true, ..Options::default() });
        done.expect("passes").0.to_string()
    };
    assert_ne!(text(false), text(true));
}
