//! Tests of `ir/opt/src/inline.rs`.

use crate::testing::{check, parse};
use gpucc_ir::verify::{Property, verify_property};
use gpucc_opt::inline::*;

fn flat(text: &str) -> String {
    let mut m = parse(text);
    let last = m.funcs.keys().next_back().unwrap();
    let f = flatten(&m, last).unwrap();
    for p in [Property::NoCalls, Property::SingleReturn, Property::Ordered] {
        verify_property(&f, p).unwrap_or_else(|e| panic!("{}\n{f}", e[0]));
    }
    m.funcs = Default::default();
    m.entries.clear();
    m.funcs.push(f.clone());
    check(&m);
    f.to_string()
}

#[test]
fn calls_in_a_loop_with_early_returns() {
    let t = flat(
        "global1 \"p\" private size 4 align 4\n\
         func0 \"leaf\" -> i32, b1 {\n  local0 \"t\" size 4 align 4\nblock0(v0: i32):\n  store v0, local0[0] align 4\n\
         v1: b1 = icmp.eq v0, 0:i32\n  br v1, block1, block2 merge block2\nblock1:\n  ret 5:i32, true:b1\n\
         block2:\n  v2: i32 = load local0[0] align 4\n  ret v2, false:b1\n}\n\
         func1 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(v0)\n\
         block1(v1: i32) loop merge block3 continue block2:\n  v2: i32, v3: b1 = call func0, v1\n  br v3, block2, block3\n\
         block2:\n  v4: i32, v5: b1 = call func0, v2\n  jump block1(v4)\n\
         block3:\n  store v1, global1[0] align 4\n  ret\n}",
    );
    assert_eq!(t.matches("local1 \"t\"").count() + t.matches("local2 \"t\"").count(), 0, "names are numbered: {t}");
    assert_eq!(t.matches("icmp.eq").count(), 2);
    assert!(t.contains("var_init local"), "{t}");
}

#[test]
fn explosion_is_refused() {
    let mut t = String::from("func0 \"f0\" {\nblock0:\n  barrier workgroup workgroup\n  ret\n}\n");
    for k in 1..60 {
        let p = k - 1;
        t += &format!("func{k} \"f{k}\" {{\nblock0:\n  call func{p}\n  call func{p}\n  ret\n}}\n");
    }
    let m = parse(&t);
    let e = flatten(&m, m.funcs.keys().next_back().unwrap()).unwrap_err();
    assert_eq!(e.code, "program-size");
}
