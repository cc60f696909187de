//! Tests of `ir/opt/src/split_locals.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::split_locals::run;

/// Code about a word, 16 words and a word, with offset `v1` of at most 60 bytes.
fn text(body: &str) -> String {
    format!(
        "func0 \"f\" {{
  local0 \"s\" size 72 align 4
block0:
  v0: i32 = sysval local_invocation_index
  v2: i32 = umin v0, 15:i32
  v1: i32 = imul v2, 4:i32
{body}  ret
}}"
    )
}

const WORD: &str = "  store v0, local0[0] align 4\n";
const LAST: &str = "  v8: i32 = load local0[68] align 4\n  store v8, res1[8] align 4\n";

fn read(at: &str) -> String {
    format!("  v9: i32 = load local0[{at}] align 4\n  store v9, res1[0] align 4\n")
}

#[test]
fn a_word_beside_an_array_is_a_variable() {
    let t = opt(run, &text(&format!("  var_init local0\n{WORD}{}{LAST}", read("4 + v1"))));
    for part in ["size 4 align 4", "size 64 align 4", "var_init local1", "var_init local2", "var_init local3"] {
        assert!(t.contains(part), "{part}: {t}");
    }
    assert!(t.contains("load local2[0 + v2]") && t.contains("load local3[0]"), "{t}");
}

/// The last element that a loop reaches is the end of what it touches.
#[test]
fn a_counter_ends_in_its_array() {
    let count = |end: u32| {
        format!(
            "{WORD}  jump block1(0:i32)
block1(v10: i32) loop merge block4 continue block3:
  v11: b1 = icmp.ult v10, {end}:i32
  br v11, block2, block4
block2:
  v12: i32 = imul v10, 4:i32
  store v0, local0[4 + v12] align 4
  store v0, local0[8 + v12] align 4
  jump block3
block3:
  v13: i32 = iadd v10, 2:i32
  jump block1(v13)
block4:
{LAST}"
        )
    };
    let t = opt(run, &text(&count(16)));
    assert!(t.contains("store v0, local2[4 + v"), "{t}");
    let t = opt(run, &text(&count(15)));
    assert!(t.contains("store v0, local2[4 + v"), "an odd end: {t}");
    // It reaches beyond the variable.
    unchanged(run, &text(&count(17)));
}

#[test]
fn what_belongs_together_stays() {
    // An index that nothing bounds, one that reaches farther, and accesses that must stay as they are.
    unchanged(run, &text(&format!("  v3: i32 = imul v0, 4:i32\n{WORD}{}", read("4 + v3"))));
    unchanged(run, &text(&format!("{WORD}{}", read("12 + v1"))));
    unchanged(run, &text(&format!("{}{}", WORD.replace("align 4", "align 4 {volatile}"), read("4 + v1"))));
    // Known places alone, and one array.
    unchanged(run, &text(&format!("{WORD}{LAST}")));
    unchanged(run, &text(&format!("{}{}", WORD.replace("[0]", "[8]"), read("4 + v1"))));
}

#[test]
fn parts_keep_what_they_begin_with_and_their_alignment() {
    let bytes: Vec<String> = (0..72).map(|k| format!("{k:02x}")).collect();
    let all =
        text(&format!("  var_init local0\n{WORD}{}", read("16 + v1").replace("align 4\n  store", "align 16\n  store")))
            .replace("size 72 align 4", &format!("size 80 align 16 init x{}", bytes.concat()));
    let t = opt(run, &all);
    assert!(t.contains("size 64 align 16 init x1011"), "{t}");
}
