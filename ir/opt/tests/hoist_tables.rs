//! Tests of `ir/opt/src/hoist_tables.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::hoist_tables::run;

/// A branch whose one side is `body`.
fn text(first: &str, body: &str) -> String {
    format!(
        "func0 \"f\" {{\n  local0 \"t\" size 16 align 16\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v9: b1 = icmp.ult v0, 3:i32\n{first}\
         \x20 br v9, block1, block2 merge block2\nblock1:\n{body}  jump block2\nblock2:\n  ret\n}}"
    )
}

#[test]
fn constants_in_front_of_loads_move() {
    let body = "  store [1, 2, 3, 4]:i32x4, local0[0] align 16\n  store 7:i32, local0[4] align 4\n  v1: i32 = load local0[0 + v0] align 4\n  store v1, res1[0] align 4\n";
    let t = opt(run, &text("", body));
    let (vector, word, branch) =
        (t.find("store [1, 2, 3, 4]").unwrap(), t.find("store 7:i32").unwrap(), t.find("br v").unwrap());
    assert!(vector < word && word < branch, "{t}");
    // What the entry stores comes first, and is overwritten.
    let t = opt(run, &text("  store 5:i32, local0[4] align 4\n", body));
    assert!(t.find("store 5:i32").unwrap() < t.find("store 7:i32").unwrap(), "{t}");
    assert!(t.find("store 7:i32").unwrap() < t.find("br v").unwrap(), "{t}");
}

#[test]
fn other_stores_stay() {
    let load = "  v1: i32 = load local0[0 + v0] align 4\n  store v1, res1[0] align 4\n";
    // Something that varies, an index that varies, a load that passes the store by, one in front of it, no index at all.
    unchanged(run, &text("", &format!("  store v0, local0[4] align 4\n{load}")));
    unchanged(run, &text("", &format!("  store 7:i32, local0[0 + v0] align 4\n{load}")));
    unchanged(run, &text("", "  store 7:i32, local0[4] align 4\n").replace("  ret\n", &format!("{load}  ret\n")));
    unchanged(run, &text("", &format!("{load}  store 7:i32, local0[4] align 4\n")));
    let fixed = "  store 7:i32, local0[4] align 4\n  v1: i32 = load local0[4] align 4\n  store v1, res1[0] align 4\n";
    unchanged(run, &text("", fixed));
}
