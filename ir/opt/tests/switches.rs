//! Tests of `ir/opt/src/switches.rs`.

use crate::testing::{opt, run as apply, unchanged};
use gpucc_opt::switches::{Node, Range, Search, Test, run};

/// The edge that a search takes for a selector, and how many questions that took.
fn take(s: &Search, x: u64) -> (usize, usize) {
    let (mut at, mut asked) = (s.root, 0);
    loop {
        match &s.nodes[at] {
            Node::Go(e) => return (*e, asked),
            Node::Test(tests, yes, no) => {
                asked += tests.len();
                let holds = |t: &Test| match *t {
                    Test::Is(k) => x == k,
                    Test::Below(k) => x < k,
                    Test::Within(low, high) => (low..=high).contains(&x),
                };
                at = if tests.iter().any(holds) { *yes } else { *no };
            }
        }
    }
}

fn check(ranges: &[Range], low: u64, high: u64, most: usize) {
    let s = Search::plan(ranges, low, high);
    let ends = ranges.iter().flat_map(|r| [r.low.wrapping_sub(1), r.low, r.high, r.high.wrapping_add(1)]);
    for x in ends.chain([low, high]).filter(|x| (low..=high).contains(x)) {
        let wanted = ranges.iter().find(|r| r.low <= x && x <= r.high).map_or(0, |r| r.edge);
        let (edge, asked) = take(&s, x);
        assert_eq!(edge, wanted, "{x} in {ranges:?}");
        assert!(asked <= most, "{asked} questions for {x} in {ranges:?}");
    }
}

#[test]
fn every_value_finds_its_edge() {
    let most = u64::from(u32::MAX);
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    for n in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 1000] {
        let dense: Vec<Range> = (0..n).map(|k| Range { low: k, high: k, edge: 1 + k as usize }).collect();
        let questions = 3 + (n.max(1) as f64).log2().ceil() as usize;
        check(&dense, 0, most, questions);
        check(&dense, 0, n.max(1) - 1, questions);
        let sparse: Vec<Range> =
            (0..n).map(|k| Range { low: 9 * k, high: 9 * k + k % 3, edge: 1 + k as usize % 5 }).collect();
        check(&sparse, 0, most, questions + 1);
        for _ in 0..20 {
            let mut ends: Vec<u64> = (0..2 * n).map(|_| random()).chain((n > 3).then_some(most)).collect();
            ends.sort_unstable();
            ends.dedup();
            let range = |c: &[u64]| Range { low: c[0], high: c[1], edge: 1 + (c[0] % 3) as usize };
            check(&ends.chunks_exact(2).map(range).collect::<Vec<_>>(), 0, most, questions + 1);
        }
    }
}

/// A switch whose cases lead to `arms` blocks in turn, all of which and the default store something and go to the merge.
fn switch(cases: usize, arms: usize) -> String {
    let list: Vec<String> = (0..cases).map(|k| format!("{}: block{}", 3 * k, 2 + k % arms)).collect();
    let mut text = format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  switch v0, {}, default: block{} merge block1\n",
        list.join(", "),
        2 + arms
    );
    for k in 2..3 + arms {
        text += &format!("block{k}:\n  store {k}:i32, res1[0] align 4\n  jump block1\n");
    }
    text + "block1:\n  ret\n}"
}

#[test]
fn few_cases_become_a_chain() {
    let t = opt(run, &switch(2, 2));
    assert!(!t.contains("switch"), "{t}");
    let chain = "  v1: b1 = icmp.eq v0, 0:i32\n  br v1, block1, block2 merge block5\n\
        block1:\n  store 2:i32, res1[0] align 4\n  jump block5\n\
        block2:\n  v2: b1 = icmp.eq v0, 3:i32\n  br v2, block3, block4\n";
    assert!(t.contains(chain), "{t}");
    // Cases with one target are one question.
    let t = opt(run, &switch(3, 2));
    assert_eq!((t.matches("br ").count(), t.matches("or v").count()), (2, 1), "{t}");
}

#[test]
fn many_cases_are_searched_for() {
    let t = opt(run, &switch(40, 40));
    assert!(!t.contains("switch") && t.contains("icmp.ult v0, 60:i32"), "{t}");
    // The default is reached from behind every case: once in the text, as the end of a construct.
    assert_eq!(t.matches("store 42:i32").count(), 1, "{t}");
    assert_eq!(t.matches("merge").count(), 2, "{t}");
}

#[test]
fn many_shared_blocks_are_found_by_number() {
    let t = opt(run, &switch(40, 20));
    assert!(!t.contains("switch"), "{t}");
    assert_eq!(t.matches("store").count(), 21, "{t}");
    // The search for the number, its construct and the one around both.
    assert_eq!(t.matches("merge").count(), 2, "{t}");
    assert!(t.contains("icmp.ult v0, 60:i32") && t.contains("(20:i32)"), "{t}");
}

#[test]
fn values_go_to_the_merge_from_everywhere() {
    let list: Vec<String> =
        (0..9).map(|k| format!("{}: block1({k}:i32)", 4_294_967_290u32.wrapping_add(k * k))).collect();
    let t = opt(
        run,
        &format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  switch v0, {}, default: block1(77:i32) merge block1\n\
             block1(v1: i32):\n  store v1, res1[0] align 4\n  ret\n}}",
            list.join(", ")
        ),
    );
    assert!(!t.contains("switch") && t.matches("merge").count() == 1, "{t}");
}

/// Arms that are loops, one of them reached by two ways; a case that goes round the loop outside, and one that leaves it.
#[test]
fn loops_inside_and_outside() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(v0)\n\
         block1(v1: i32) loop merge block9 continue block8:\n\
         switch v1, 0: block2(v0), 5: block8, 6: block9, 7: block5, 9: block8, 11: block2(v0), 12: block2(v1), default: block5 merge block7\n\
         block2(v2: i32) loop merge block4 continue block3:\n  v3: b1 = icmp.ult v2, 5:i32\n  br v3, block3, block4\n\
         block3:\n  v4: i32 = iadd v2, 1:i32\n  jump block2(v4)\n\
         block4:\n  jump block7\nblock5:\n  store v1, res1[0] align 4\n  jump block7\n\
         block7:\n  jump block8\nblock8:\n  v5: i32 = iadd v1, 1:i32\n  jump block1(v5)\nblock9:\n  ret\n}",
    );
    assert!(!t.contains("switch"), "{t}");
}

#[test]
fn branches_stay() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 1:i32\n\
         br v1, block1, block2 merge block2\nblock1:\n  store v0, res1[0] align 4\n  jump block2\nblock2:\n  ret\n}",
    );
    let one = "func0 \"f\" {\nblock0:\n  switch 1:i32, default: block1 merge block1\nblock1:\n  ret\n}";
    assert_eq!(apply(run, one).1, 1);
}
