//! Tests of `ir/opt/src/join_loops.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::join_loops::run;

/// A loop over 64 words, in blocks `first` to `first + 3`: each turn stores `value` of what is loaded. The code goes on in the last of them.
fn each(first: u32, from: &str, to: &str, turn: &str) -> String {
    let (head, body, cont, done, v) = (first, first + 1, first + 2, first + 3, 100 * first);
    let (counter, more, at, next, a) = (v, v + 1, v + 2, v + 3, v + 4);
    format!(
        "  jump block{head}(0:i32)
block{head}(v{counter}: i32) loop merge block{done} continue block{cont}:
  v{more}: b1 = icmp.ult v{counter}, 64:i32
  br v{more}, block{body}, block{done}
block{body}:
  v{at}: i32 = imul v{counter}, 4:i32
  v{a}: i32 = load {from}[0 + v{at}] align 4 {{in_bounds}}
{turn}  store v{a}, {to}[0 + v{at}] align 4 {{in_bounds}}
  jump block{cont}
block{cont}:
  v{next}: i32 = iadd v{counter}, 1:i32
  jump block{head}(v{next})
block{done}:
"
    )
}

fn copy(first: u32, from: &str, to: &str) -> String {
    each(first, from, to, "")
}

fn text(body: &str) -> String {
    format!(
        "module robust on
res0 \"a\" group 0 binding 0 storage_rw size 512 stride 0
res1 \"o\" group 0 binding 1 storage_rw size 512 stride 0
global0 \"w\" workgroup size 512 align 4
func0 \"f\" {{
  local0 \"t\" size 512 align 4
  local1 \"u\" size 512 align 4
block0:
  v0: i32 = sysval local_invocation_index
{body}  ret
}}"
    )
}

fn same(body: &str) {
    unchanged(run, &text(body));
}

fn loops(t: &str) -> usize {
    t.matches("loop merge").count()
}

#[test]
fn an_exchange_needs_no_third_array() {
    for [a, b] in [["res0", "res1"], ["local1", "res0"], ["global0", "local1"]] {
        let t = opt(run, &text(&[copy(1, a, "local0"), copy(5, b, a), copy(9, "local0", b)].concat()));
        assert!(loops(&t) == 1 && !t.contains("local0["), "{t}");
        // Both are read before the second is written.
        let at = |what: String| t.find(&what).unwrap_or_else(|| panic!("{what}: {t}"));
        assert!(at(format!("load {a}[")) < at(format!(", {a}[")), "{t}");
        assert!(at(format!("load {b}[")) < at(format!(", {b}[")), "{t}");
    }
}

#[test]
fn what_is_made_is_given_on() {
    let made = each(1, "res0", "local0", "  v9: i32 = load res1[0] align 4 {in_bounds}\n");
    let t = opt(run, &text(&(made.clone() + &copy(5, "local0", "global0"))));
    assert!(loops(&t) == 1 && !t.contains("local0["), "{t}");
    // A place that is computed between the loops.
    let far = copy(5, "local0", "res1").replacen("  jump", "  v8: i32 = imul v0, 4:i32\n  jump", 1);
    let far = far.replace("v502: i32 = imul v500, 4:i32", "v502: i32 = imul v500, 4:i32\n  v505: i32 = iadd v502, v8");
    let far = far.replace("res1[0 + v502]", "res1[0 + v505]");
    let t = opt(run, &text(&(copy(1, "res0", "local0") + &far)));
    assert!(loops(&t) == 1 && t.find("imul v0, ") < t.find("loop merge"), "{t}");
    // What the first loop reads in every turn is written by the second.
    same(&(made + &copy(5, "local0", "res1")));
}

#[test]
fn loops_that_touch_what_others_write_stay() {
    let three = |a: &str, b: &str, c: &str| {
        [copy(1, "res0", "local0"), a.into(), copy(5, "res1", "res0"), b.into(), copy(9, "local0", "res1"), c.into()]
            .concat()
    };
    // The third array is used behind them, or between them.
    let read = "  v9: i32 = load local0[8] align 4 {in_bounds}\n  store v9, local1[0] align 4 {in_bounds}\n";
    same(&three("", "", read));
    same(&three(read, "", ""));
    // Something else happens between them.
    same(&three("  barrier workgroup workgroup\n", "", ""));
    same(&three("", "  store v0, res1[0] align 4 {in_bounds}\n", ""));
    // Other turns.
    let whole = three("", "", "");
    same(&whole.replacen("64:i32", "63:i32", 1));
    same(&whole.replace("v903: i32 = iadd v900, 1:i32", "v903: i32 = iadd v900, 2:i32"));
    // A word of the next turn.
    same(&whole.replace("load res1[0 + ", "load res1[4 + ").replace("store v504, res0[0 + ", "store v504, res0[8 + "));
    same(&whole.replace("load local0[0 + ", "load local0[4 + "));
    // A word of which the place grows with something else.
    same(&whole.replace("v502: i32 = imul v500, 4:i32", "v502: i32 = imul v0, 4:i32"));
    // Volatile words.
    same(
        &whole
            .replace("store v504, res0[0 + v502] align 4 {in_bounds}", "store v504, res0[0 + v502] align 4 {volatile}"),
    );
    // The counter is used behind the loop.
    same(&three("", "", "  store v100, local1[0] align 4 {in_bounds}\n"));
}
