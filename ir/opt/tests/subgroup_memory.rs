//! Tests of `ir/opt/src/lower_subgroups.rs` and `ir/opt/src/subgroup_memory.rs`.

use crate::testing::parse;
use gpucc_opt::{Caps, Options, prepare};

/// The code of an entry whose workgroups have 80 invocations, behind all passes.
fn after(lanes_by_memory: bool, ballots_by_memory: bool, body: &str) -> String {
    of_size(80, lanes_by_memory, ballots_by_memory, body)
}

fn of_size(size: u32, lanes_by_memory: bool, ballots_by_memory: bool, body: &str) -> String {
    let m = parse(&format!(
        "entry \"main\" compute func0 size {size},1,1\n\
         func0 \"main\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = shl v0, 2:i32\n{body}\
         \n  store v9, res1[0 + v1] align 4\n  ret\n}}\n"
    ));
    let caps = Caps { subgroup: 32, lanes_by_memory, simple_lane_reads: false, ballots_by_memory, ..Caps::FULL };
    let (m, _) = prepare(&m, "main", &caps, &Options { verify: true, ..Options::default() }).expect("passes");
    m.to_string()
}

/// The name of the variable, of which its parts are words.
const SCRATCH: &str = "words of subgroups";

const READ: &str = "  v9: i32 = lane_read v0, 3:i32";
const BALLOT: &str = "  v2: b1 = icmp.ult v0, 9:i32\n  v3: i32x4 = ballot v2\n  v9: i32 = extract v3, lane 0";

#[test]
fn lanes_are_read_where_an_instruction_does() {
    let text = after(false, false, READ);
    assert!(text.contains("lane_read") && !text.contains(SCRATCH), "{text}");
    let text = after(false, false, BALLOT);
    assert!(text.contains("ballot") && !text.contains(SCRATCH), "{text}");
}

#[test]
fn lanes_are_read_in_workgroup_memory() {
    let text = after(true, false, READ);
    assert!(!text.contains("lane_read"), "{text}");
    // A word for each invocation; the last subgroup has 16 lanes only.
    assert!(text.contains(&format!("workgroup size {}", 4 * 80)), "{text}");
    assert!(text.contains("umin") && text.contains("atomic"), "{text}");
}

#[test]
fn simple_reads_have_instructions() {
    let of = |lane: &str| {
        let m = parse(&format!(
            "entry \"main\" compute func0 size 80,1,1\nfunc0 \"main\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
             v1: i32 = shl v0, 2:i32\n  v2: i32 = sysval subgroup_invocation_id\n  v3: i32 = sysval workgroup_id_x\n  {lane}\n  \
             v9: i32 = lane_read v0, v4\n  store v9, res1[0 + v1] align 4\n  ret\n}}\n"
        ).replace("sysval workgroup_id_x", "buffer_length res1"));
        let caps = Caps { subgroup: 64, lanes_by_memory: true, ..Caps::FULL };
        let (m, _) = prepare(&m, "main", &caps, &Options { verify: true, ..Options::default() }).expect("passes");
        m.to_string()
    };
    for lane in
        ["v4: i32 = xor v2, 5:i32", "v4: i32 = xor v2, 31:i32", "v4: i32 = umin v3, 63:i32", "v4: i32 = iadd v3, 1:i32"]
    {
        let text = of(lane);
        assert!(text.contains("lane_read") && !text.contains("atomic"), "{text}");
    }
    for lane in ["v4: i32 = xor v2, 32:i32", "v4: i32 = iadd v2, 1:i32", "v4: i32 = xor v2, v3"] {
        let text = of(lane);
        assert!(!text.contains("lane_read") && text.contains("atomic"), "{text}");
    }
}

#[test]
fn ballots_in_workgroup_memory() {
    let text = after(true, true, BALLOT);
    // The bits of eight lanes, then those of four times eight; the last subgroup has 16 lanes.
    assert!(!text.contains("ballot") && text.matches("load").count() == 8 + 4, "{text}");
    assert!(text.contains(&format!("workgroup size {}", 4 * (80 + 80 + 10))), "{text}");
}

#[test]
fn a_program_of_lanes_alone_has_no_such_memory() {
    let text = after(true, true, "  v9: i32 = iadd v0, 3:i32");
    assert!(!text.contains(SCRATCH), "{text}");
}

#[test]
fn a_reduction_reads_lanes_in_pairs() {
    let text = after(false, false, "  v9: i32 = reduce v0, iadd all");
    assert!(!text.contains("reduce"), "{text}");
    // Five steps for 32 lanes, of which the last hands no rank on, and the result.
    assert_eq!(text.matches("lane_read").count(), 5 + 4 + 1, "{text}");
    let text = after(false, false, "  v9: i32 = reduce v0, iadd all of 2");
    assert_eq!(text.matches("lane_read").count(), 1 + 1, "{text}");
}

#[test]
fn whole_subgroups_are_reduced_without_a_ballot() {
    let text = of_size(64, false, false, "  v9: i32 = reduce v0, iadd all");
    assert!(!text.contains("ballot") && text.matches("lane_read").count() == 5, "{text}");
    let text = of_size(64, false, false, "  v9: i32 = reduce v0, iadd exclusive of 8");
    assert!(!text.contains("ballot") && text.matches("lane_read").count() == 3 + 1, "{text}");
    // Which of two zeros is less is for the last lane to say.
    let body = "  v7: f32 = u2f v0\n  v8: f32 = reduce v7, fmin all\n  v9: i32 = bitcast v8";
    let text = of_size(64, false, false, body);
    assert!(!text.contains("ballot") && text.matches("lane_read").count() == 5 + 1, "{text}");
}

#[test]
fn lanes_in_branches_are_counted() {
    let body = "  v2: b1 = icmp.ult v0, 9:i32\n  br v2, block1, block2 merge block2\nblock1:\n\
                  v3: i32 = reduce v0, iadd all\n  store v3, res1[0 + v1] align 4\n  jump block2\nblock2:\n  v9: i32 = iadd v0, 1:i32";
    assert!(of_size(64, false, false, body).contains("ballot"));
}

#[test]
fn lanes_without_lockstep_wait_for_each_other() {
    let m = parse(
        "entry \"main\" compute func0 size 6,1,1\nfunc0 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: i32 = shl v0, 2:i32\n  v2: i32 = sysval subgroup_id\n  v3: i32 = lane_read v2, 3:i32\n  store v3, res1[0 + v1] align 4\n  \
         ret\n}\n",
    );
    let caps = Caps {
        subgroup: 4,
        lanes_by_memory: true,
        simple_lane_reads: false,
        ballots_by_memory: true,
        lockstep: false,
        ..Caps::FULL
    };
    let (m, _) = prepare(&m, "main", &caps, &Options { verify: true, ..Options::default() }).expect("passes");
    let text = m.to_string();
    assert_eq!(text.matches("barrier").count(), 2, "{text}");
    assert!(text.contains("umin") && !text.contains("subgroup_id"), "{text}");
}
