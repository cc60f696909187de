//! Tests of `ir/opt/src/passes.rs`.

use crate::testing::parse;
use gpucc_ir::{Func, Function};
use gpucc_opt::passes::*;
use gpucc_opt::{Caps, PassCx};

#[test]
fn order_constraints_hold_at_every_level() {
    for level in 0..=3 {
        let names: Vec<&str> = passes(level).iter().map(|p| p.name).collect();
        for (a, b, why) in ORDER {
            assert!(!why.is_empty());
            let last_b = names.iter().position(|n| n == b);
            let first_a = names.iter().position(|n| n == a);
            if let (Some(a), Some(b)) = (first_a, last_b) {
                assert!(a < b, "level {level}: {a} before {b}: {why}");
            }
        }
    }
}

#[test]
fn every_pass_has_a_purpose_and_the_page_is_up_to_date() {
    for level in 0..=3 {
        for p in passes(level) {
            assert!(PURPOSE.iter().any(|x| x.0 == p.name), "{}", p.name);
        }
    }
    for name in REQUIRED {
        assert!(passes(0).iter().any(|p| p.name == *name), "{name}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/optimisation.md");
    let page = std::fs::read_to_string(page).expect("the page lies in docs/");
    // The lists themselves, whatever else the page says.
    for level in 0..=3_u8 {
        let title = format!("## Passes of level {level}\n\n");
        let (_, rest) = page.split_once(&title).expect("a list for each level");
        let list: Vec<&str> = rest.lines().next().unwrap_or("").split(", ").collect();
        let names: Vec<&str> = std::iter::once("inline").chain(passes(level).iter().map(|p| p.name)).collect();
        assert_eq!(list, names, "level {level}");
    }
}

#[test]
fn passes_can_be_left_out_and_work_is_measured() {
    let m = parse(MAIN);
    let o = Options { skip: vec!["gvn".into(), "legalise".into()], measure: true, ..Options::default() };
    let (_, report) = prepare(&m, "main", &Caps::FULL, &o).unwrap_or_else(|e| panic!("{e}"));
    assert!(!report.times.iter().any(|t| t.pass == "gvn"), "left out");
    assert!(report.times.iter().any(|t| t.pass == "legalise"), "needed");
    assert!(report.times.iter().all(|t| t.work.is_some_and(|w| w > 0)));
}

/// Copies lie behind everything else until `compact` has run; where little has gone or moved, and in small functions, it does nothing.
#[test]
fn what_is_scattered_is_compacted() {
    for (pass, bound, stores) in [(UNROLL, "3", 600), (ROTATE, "1000", 600), (UNROLL, "3", 0), (ROTATE, "1000", 0)] {
        let last = "  store 0:i32, res1[0] align 4\n".repeat(stores);
        let mut m = parse(&format!(
            "entry \"main\" compute func0 size 1,1,1\nfunc0 \"f\" {{\nblock0:\n  jump block1(0:i32)\n\
             block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, {bound}:i32\n  br v2, block2, block3\n\
             block2:\n  store v1, res1[0] align 4\n  v3: i32 = iadd v1, 1:i32\n  jump block1(v3)\nblock3:\n{last}  ret\n}}"
        ));
        let (surroundings, e) = (m.clone(), m.entries[0].clone());
        let f = &mut m.funcs[Func(0)];
        let caps = Caps::FULL;
        let run = |f: &mut Function, p: Pass| {
            let mut cx = PassCx::new(&surroundings, &caps);
            (p.run)(f, &mut cx, &e);
            cx.changes()
        };
        run(f, COMPACT_IF_SCATTERED);
        // Dead, one block of five: stays.
        f.make_block();
        run(f, COMPACT_IF_SCATTERED);
        assert_eq!(f.blocks.len(), 5);
        let moved = run(f, pass) > 0;
        for b in f.layout.clone() {
            f.blocks[b].insts.retain(|i| stores == 0 || f.insts[*i].op != gpucc_ir::Op::Store);
        }
        assert!(moved && f.is_scattered(), "{}: {f}", pass.name);
        run(f, COMPACT_IF_SCATTERED);
        if stores == 0 {
            assert!(f.is_scattered(), "small: {}: {f}", pass.name);
            continue;
        }
        assert!(f.layout.iter().enumerate().all(|(n, &b)| b == gpucc_ir::Block(n as u32)), "{}: {f}", pass.name);
        assert_eq!((f.layout.len(), f.is_scattered()), (f.blocks.len(), false), "{}", pass.name);
    }
}

const MAIN: &str = "global1 \"p\" private size 64 align 4\nentry \"main\" compute func1 size 64,1,1\n\
    func0 \"g\" -> f32x4 {\nblock0(v0: i32):\n  v1: i32 = shl v0, 2:i32\n  v2: f32 = load global1[0 + v1] align 4\n\
    v3: f32x4 = splat v2\n  ret v3\n}\n\
    func1 \"main\" {\n  local0 \"a\" size 16 align 16\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: f32x4 = call func0, v0\n\
    store v1, local0[0] align 16\n  v2: i32 = udiv v0, 3:i32\n  v3: i32 = shl v2, 2:i32\n  v4: f32 = load local0[4] align 4\n\
    v5: f32 = load global0[0 + v3] align 4\n  v6: f32 = fadd v4, v5\n  store v6, res1[0 + v3] align 4\n  ret\n}\n";

#[test]
fn prepares_an_entry_point_at_every_level() {
    let m = parse(MAIN);
    for level in 0..=3 {
        for scalar in [false, true] {
            let caps = Caps { scalar, ..Caps::FULL };
            let o = Options { level, verify: true, dump_after: vec!["mem2reg".into()], ..Options::default() };
            let (out, report) = prepare(&m, "main", &caps, &o).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(report.dumps.len(), 2, "mem2reg runs twice");
            assert!(report.times.iter().any(|t| t.pass == "robust" && t.changes > 0));
            assert!(out.to_string().contains("barrier"), "workgroup memory is zeroed first");
        }
    }
}

#[test]
fn fuel_stops_optional_changes() {
    let m = parse(MAIN);
    let o = Options { fuel: 0, ..Options::default() };
    let (out, _) = prepare(&m, "main", &Caps::FULL, &o).unwrap_or_else(|e| panic!("{e}"));
    assert!(out.to_string().contains("store v"), "{out}");
}

/// Whatever change is the last, the rules hold: also where what is not needed has gone in part.
#[test]
fn any_fuel_keeps_the_rules() {
    let m = parse(
        "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {\n  local0 \"x\" size 16 align 4\nblock0:\n\
         v0: i32 = sysval local_invocation_index\n  store v0, local0[4] align 4\n  v1: i32 = load local0[4] align 4\n\
         v2: i32 = iadd v1, v1\n  v3: i32 = imul v2, v1\n  v4: i32 = iadd v3, v2\n  v5: i32x2 = compose v4, v3\n\
         v6: i32x2 = insert v5, v2, lane 1\n  v7: i32 = shl v0, 2:i32\n  store v1, res1[0 + v7] align 4\n  jump block1(0:i32, v4)\n\
         block1(v8: i32, v9: i32) loop merge block3 continue block2:\n  v10: b1 = icmp.ult v8, v0\n  br v10, block2, block3\n\
         block2:\n  v11: i32 = iadd v8, 1:i32\n  v12: i32 = iadd v9, v4\n  jump block1(v11, v12)\nblock3:\n  ret\n}",
    );
    let with = |fuel| {
        let o = Options { fuel, verify: true, ..Options::default() };
        let (_, report) = prepare(&m, "main", &Caps::FULL, &o).unwrap_or_else(|e| panic!("{fuel}: {e}"));
        report.times.iter().map(|t| t.changes).sum::<u64>()
    };
    let all = with(u64::MAX);
    assert!(all > 10, "{all}");
    for fuel in 0..all {
        with(fuel);
    }
}

#[test]
fn a_pass_that_found_nothing_is_left_out_until_something_changes() {
    let m = parse(MAIN);
    for level in 0..=3 {
        let with = |idle| {
            let o = Options { level, idle, dump_after: vec!["all".into()], ..Options::default() };
            prepare(&m, "main", &Caps::FULL, &o).unwrap_or_else(|e| panic!("{e}"))
        };
        let ((out, few), (same, all)) = (with(false), with(true));
        assert_eq!(out.to_string(), same.to_string(), "level {level}");
        assert_eq!(all.times.len(), passes(level).len() + 1, "level {level}: and inlining");
        assert!(level == 0 || few.times.len() < all.times.len(), "level {level}");
        // Who reports no change has changed nothing.
        for (k, t) in all.times.iter().enumerate().skip(1).filter(|x| x.1.changes == 0 && x.1.pass != "compact") {
            assert_eq!(all.dumps[k - 1].1, all.dumps[k].1, "level {level}: {}", t.pass);
        }
    }
}

/// The rules that ask whether two values are the same: each of these has two only once equal values stand for each other.
#[test]
fn equal_values_bring_back_the_rules_that_ask_for_the_same_value() {
    let twice = "  v1: i32 = load res2[0 + v0] align 4\n  v2: i32 = load res2[0 + v0] align 4\n  v3: i32 = load res2[4 + v0] align 4\n";
    let runs = |body: &str, last: &str| {
        let m = parse(&format!(
            "entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n{twice}{body}  \
             store {last}, res1[0 + v0] align 4\n  ret\n}}"
        ));
        let with = |idle| {
            let o = Options { level: 1, idle, stop_after: Some("dce".into()), ..Options::default() };
            prepare(&m, "main", &Caps::FULL, &o).unwrap_or_else(|e| panic!("{e}"))
        };
        let ((out, few), (same, _)) = (with(false), with(true));
        assert_eq!(out.to_string(), same.to_string());
        (out.to_string(), few.times.iter().filter(|t| t.pass == "algebraic").count())
    };
    let fire = [
        ("  v4: i32 = isub v1, v2\n", "v4", "0:i32"),
        ("  v4: i32 = iadd v1, v3\n  v5: i32 = isub v4, v2\n", "v5", "v3"),
        ("  v4: i32 = iadd v2, v3\n  v5: i32 = isub v4, v1\n", "v5", "v3"),
        ("  v4: b1 = icmp.ult v1, v2\n  v5: i32 = select v4, v3, v1\n", "v5", "v1"),
        ("  v4: i32x2 = compose v1, v2\n", "v4", "v5"),
    ];
    for (body, last, gives) in fire {
        let (out, n) = runs(body, last);
        assert!(out.contains(&format!("store {gives}, res1")), "{body}{out}");
        assert_eq!(n, 2, "{body}{out}");
    }
    let nested = "  v4: b1 = icmp.ult v1, v3\n  v5: b1 = icmp.ult v2, v3\n  v6: i32 = select v4, v1, 7:i32\n  v7: i32 = select v5, v6, v3\n";
    let (out, n) = runs(nested, "v7");
    assert_eq!((out.matches("select").count(), n), (1, 2), "{out}");
    // Here no two are the same, and nothing is looked at again.
    assert_eq!(runs("  v4: i32 = imul v1, v3\n  v5: i32 = imul v2, 5:i32\n  v6: i32 = xor v4, v5\n", "v6").1, 1);
}

#[test]
fn a_missing_entry_point_lists_those_there_are() {
    let e = prepare(&parse(MAIN), "nope", &Caps::FULL, &Options::default()).unwrap_err();
    assert_eq!(e.code, "entry-point");
    assert!(e.notes[0].contains("main"));
}
