//! Tests of `ir/opt/src/copies.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::copies::run;

/// A loop that copies 64 words, in blocks `first` to `first + 3`; the code behind it goes on in block `first + 4`.
fn copy(first: u32, from: &str, to: &str) -> String {
    let (head, body, cont, done, v) = (first, first + 1, first + 2, first + 3, 100 * first);
    let (counter, more, at, next) = (v, v + 1, v + 2, v + 3);
    let [a, b] = [v + 4, v + 5];
    format!(
        "  jump block{head}(0:i32)
block{head}(v{counter}: i32) loop merge block{done} continue block{cont}:
  v{more}: b1 = icmp.ult v{counter}, 64:i32
  br v{more}, block{body}, block{done}
block{body}:
  v{at}: i32 = imul v{counter}, 4:i32
  v{a}: i32 = load {from}[0 + v{at}] align 4 {{in_bounds}}
  store v{a}, {to}[0 + v{at}] align 4 {{in_bounds}}
  v{b}: i32 = load {from}[4 + v{at}] align 4 {{in_bounds}}
  store v{b}, {to}[4 + v{at}] align 4 {{in_bounds}}
  jump block{cont}
block{cont}:
  v{next}: i32 = iadd v{counter}, 2:i32
  jump block{head}(v{next})
block{done}:
"
    )
}

/// A read of a word that nobody knows.
fn read(v: u32, from: &str) -> String {
    format!(
        "  v{v}: i32 = load {from}[0 + v1] align 4 {{in_bounds}}\n  store v{v}, res1[{}] align 4 {{in_bounds}}\n",
        4 * v
    )
}

fn write(to: &str) -> String {
    format!("  store v0, {to}[0 + v1] align 4 {{in_bounds}}\n")
}

fn text(body: &str) -> String {
    format!(
        "module robust on
res0 \"a\" group 0 binding 0 storage_ro size 256 stride 0
res1 \"o\" group 0 binding 1 storage_rw size 256 stride 0
global0 \"w\" workgroup size 256 align 4
func0 \"f\" {{
  local0 \"t\" size 256 align 4
  local1 \"u\" size 256 align 4
  local2 \"x\" size 256 align 4
block0:
  v0: i32 = sysval local_invocation_index
  v2: i32 = and v0, 63:i32
  v1: i32 = imul v2, 4:i32
{body}  ret
}}"
    )
}

fn same(body: &str) {
    unchanged(run, &text(body));
}

fn after(body: &str) -> String {
    opt(run, &text(body))
}

/// Whether nothing is left of a local but its declaration, and no loop.
fn is_gone(text: &str, local: u32) -> bool {
    !text.contains(&format!("local{local}[")) && !text.contains("loop merge")
}

const BARRIER: &str = "  barrier workgroup workgroup\n";

#[test]
fn a_copy_that_nobody_writes_is_read_where_it_came_from() {
    for (from, first) in [("res1", ""), ("global0", ""), ("global0", BARRIER)] {
        let t = after(&format!("{first}{}{}", copy(1, from, "local0"), read(9, "local0").replace("res1", "local1")));
        assert!(is_gone(&t, 0) && t.contains(&format!("load {from}[0 + v")), "{t}");
    }
    // A store in front of the copy, one behind the read, and barriers around what nobody writes.
    let t = after(&format!(
        "{}{}{}",
        write("global0"),
        copy(1, "global0", "local0"),
        read(9, "local0") + &write("global0")
    ));
    assert!(is_gone(&t, 0), "{t}");
    // Nobody writes any more when the barrier has been passed.
    let last = BARRIER.to_string() + &read(9, "local0");
    let t = after(&format!("{}{BARRIER}{}{last}", write("global0"), copy(1, "global0", "local0")));
    assert!(is_gone(&t, 0), "{t}");
    let mut only = copy(1, "res0", "local0");
    only = only.replace("align 4 {in_bounds}\n  store", "align 4 {readonly, in_bounds}\n  store");
    let t = after(&format!("{only}{BARRIER}{}", read(9, "local0")));
    assert!(is_gone(&t, 0) && t.contains("load res0[0 + v") && t.contains("readonly"), "{t}");
}

#[test]
fn what_may_have_changed_is_copied() {
    // Between the copy and the read: a store, a barrier, a store of the loop around.
    same(&format!("{}{}{}", copy(1, "res1", "local0"), write("res1"), read(9, "local0")));
    let behind = |last: &str| format!("{}{BARRIER}{}{last}", copy(1, "global0", "local0"), read(9, "local0"));
    same(&behind(&write("global0")));
    same(&behind("").replace("global0", "res1").replace("store v9, res1", "store v9, local1"));
    // Others may be told by an atomic, or by a fence, that they may write.
    same(&behind("  v7: i32 = atomic.add 1:i32, res1[0] align 4\n"));
    same(&(behind("") + "  barrier none acquire workgroup\n"));
    let around = |body: &str| {
        format!(
            "  jump block6(0:i32)
block6(v20: i32) loop merge block9 continue block8:
  v21: b1 = icmp.ult v20, v0
  br v21, block7, block9
block7:
{body}  jump block8
block8:
  v22: i32 = iadd v20, 1:i32
  jump block6(v22)
block9:
"
        )
    };
    let round = |last: &str| {
        let seen = read(9, "local0").replace("res1", "local1");
        format!("{}{}", copy(1, "global0", "local0"), around(&format!("{seen}{last}")))
    };
    same(&round(&write("global0")));
    assert!(!after(&round("")).contains("local0["));
    // The variable is written, or read in front of the copy.
    same(&format!("{}{}{}", copy(1, "res1", "local0"), write("local0"), read(9, "local0")));
    let t = after(&format!("{}{}{}", read(8, "local0"), copy(1, "global0", "local0"), read(9, "local0")));
    assert!(t.contains("load local0[0 + v") && t.contains("load global0[0 + v"), "what is read in front of it: {t}");
    let first = read(8, "local0").replace("res1", "local1");
    same(&around(&format!("{first}{}{}", copy(1, "global0", "local0"), read(9, "local0").replace("res1", "local1"))));
    // Half of it.
    same(&format!("{}{}", copy(1, "global0", "local0").replace("64:i32", "32:i32"), read(9, "local0")));
    // Words in another order.
    let other = copy(1, "global0", "local0").replace("load global0[4 ", "load global0[0 ");
    same(&format!("{other}{}", read(9, "local0")));
    // The loop computes what is needed behind it.
    let counts = format!("{}  store v100, res1[0] align 4 {{in_bounds}}\n", copy(1, "global0", "local0"));
    same(&format!("{counts}{}", read(9, "local0")));
    // An index that nothing bounds.
    let far = read(9, "local0").replacen(" {in_bounds}", "", 1);
    same(&format!("{}{far}", copy(1, "global0", "local0")));
}

#[test]
fn one_variable_takes_the_place_of_another() {
    // The copy is written, the first is not read any more.
    let t =
        after(&format!("{}{}{}{}", write("local0"), copy(1, "local0", "local1"), write("local1"), read(9, "local1")));
    assert!(is_gone(&t, 1), "{t}");
    assert_eq!(t.matches("store v0, local0").count(), 2, "{t}");
    // There and back.
    let t = after(&format!(
        "{}{}{}{}{}",
        write("local0"),
        copy(1, "local0", "local1"),
        write("local1"),
        copy(6, "local1", "local0").replace("block9", "block99"),
        read(9, "local0")
    ));
    assert!(is_gone(&t, 1), "{t}");
    // An initialisation that the copy overwrites, and one that it does not.
    let t = after(&format!(
        "  var_init local1\n  var_init local0\n{}{}{}",
        copy(1, "local0", "local1"),
        write("local1"),
        read(9, "local1")
    ));
    assert!(is_gone(&t, 1) && t.contains("var_init local0") && !t.contains("var_init local1"), "{t}");
}

#[test]
fn two_variables_that_are_needed_stay_two() {
    // Either is written while the other is still read.
    for written in ["local0", "local1"] {
        same(&format!(
            "{}{}{}{}",
            copy(1, "local0", "local1"),
            write(written),
            read(9, "local1"),
            read(10, "local0").replace("res1[40]", "res1[44]")
        ));
    }
    // Read in the next turn.
    let round = |first: &str, last: &str| {
        format!(
            "  jump block6(0:i32)
block6(v20: i32) loop merge block9 continue block8:
  v21: b1 = icmp.ult v20, v0
  br v21, block7, block9
block7:
{first}{}{last}  jump block8
block8:
  v22: i32 = iadd v20, 1:i32
  jump block6(v22)
block9:
",
            copy(1, "local0", "local1")
        )
    };
    same(&round("", &format!("{}{}", write("local1"), read(9, "local1"))));
    let t = after(&round(&write("local0").replace("store v0", "store v20"), &(write("local1") + &read(9, "local1"))));
    assert!(t.contains("local1["), "what is written to a part of the first is read in the next turn: {t}");
    // Other sizes.
    let body = format!("{}{}{}", copy(1, "local0", "local1"), write("local1"), read(9, "local1"));
    unchanged(run, &text(&body).replace("\"t\" size 256", "\"t\" size 260"));
}

#[test]
fn three_in_a_row_are_one() {
    let t = after(&format!(
        "{}{}{}{}{}{}",
        write("local0"),
        copy(1, "local0", "local1"),
        write("local1"),
        copy(6, "local1", "local2").replace("block9", "block99"),
        write("local2"),
        read(9, "local2")
    ));
    assert!(is_gone(&t, 1) && is_gone(&t, 2), "{t}");
    assert_eq!(t.matches("store v0, local0").count(), 3, "{t}");
}

/// Leaf by leaf, as SPIR-V of glslang does it.
#[test]
fn leaves_are_copied_too() {
    let pairs = |skip: u32| -> String {
        let one = |k: u32| {
            format!(
                "  v{}: i32 = load global0[{}] align 4 {{in_bounds}}\n  store v{}, local0[{}] align 4 {{in_bounds}}\n",
                50 + k,
                4 * k,
                50 + k,
                4 * k
            )
        };
        (0..64).filter(|&k| k != skip).map(one).collect()
    };
    let t = after(&(pairs(64) + &read(9, "local0")));
    assert!(is_gone(&t, 0) && t.contains("load global0[0 + v"), "{t}");
    same(&(pairs(5) + &read(9, "local0")));
    // A part that is written before all are copied.
    let all = pairs(64);
    let (first, last) = all.split_at(all.find("  v60").unwrap());
    same(&format!("{first}{}{last}{}", write("global0"), read(9, "local0")));
}

/// Bytes between elements that nobody asks for need no copy.
#[test]
fn padding_is_no_part_of_a_copy() {
    let padded = |index: &str, first: u32| {
        let t = copy(1, "res1", "local0").replace("64:i32", "32:i32").replace("imul v100, 4", "imul v100, 8");
        let t = t.lines().filter(|l| !l.contains("v105")).fold(String::new(), |t, l| t + l + "\n");
        let t = t.replace("iadd v100, 2", "iadd v100, 1");
        let read = read(9, "local0").replace("local0[0 + v1]", &format!("local0[{first} + v1]"));
        text(&format!("{t}{read}")).replace("and v0, 63:i32", "and v0, 7:i32").replace("imul v2, 4:i32", index)
    };
    for index in ["imul v2, 8:i32", "imul v2, 24:i32", "shl v2, 3:i32"] {
        let t = opt(run, &padded(index, 0));
        assert!(is_gone(&t, 0) && t.contains("load res1[0 + v"), "{t}");
    }
    // A read of the padding, of an index that may lead there, and of one that nothing bounds.
    unchanged(run, &padded("imul v2, 8:i32", 4));
    unchanged(run, &padded("imul v2, 12:i32", 0));
    unchanged(
        run,
        &padded("imul v2, 8:i32", 0).replace("local0[0 + v1] align 4 {in_bounds}", "local0[0 + v1] align 4"),
    );
}

/// What a jump opens in front of the loop is open behind it.
#[test]
fn a_construct_may_begin_in_front_of_the_loop() {
    let opened = |end: &str| {
        let t = copy(1, "global0", "local0").replacen("(0:i32)", &format!("(0:i32) merge {end}"), 1);
        format!("{t}{}  jump block9\nblock9:\n", read(9, "local0"))
    };
    let t = after(&opened("block9"));
    assert!(is_gone(&t, 0) && t.contains("load global0[0 + v"), "{t}");
}

#[test]
fn a_copy_onto_itself_goes() {
    let t = after(&(write("local0") + &copy(1, "local0", "local0") + &read(9, "local0")));
    assert!(!t.contains("loop merge"), "{t}");
}

/// Words one after the other that must be copied become a loop; too few, or others between them, do not.
#[test]
fn long_runs_become_loops() {
    let run_of = |n: u32, skip: u32, between: &str| -> String {
        let one = |k: u32| {
            let other = if k == 40 { between } else { "" };
            let (v, at) = (50 + k, 4 * if k < skip { k } else { k + 1 });
            format!(
                "{other}  v{v}: i32 = load global0[{at}] align 4 {{in_bounds}}\n  store v{v}, res1[{}] align 4\n",
                4 * k
            )
        };
        (0..n).map(one).collect()
    };
    let wide = |body: &str| text(body).replace("size 256", "size 1024");
    let t = opt(run, &wide(&run_of(70, 99, "")));
    // Two are no turn: they stay, and come first.
    assert_eq!(t.matches("load global0").count(), 4 + 2, "{t}");
    assert!(t.contains("loop merge") && t.contains("icmp.ult v") && t.contains("272:i32"), "{t}");
    for other in [
        "  store v0, global0[0] align 4 {in_bounds}\n",
        "  v8: i32 = load res1[0] align 4\n  store v8, local0[0] align 4 {in_bounds}\n",
    ] {
        unchanged(run, &wide(&run_of(70, 99, other)));
    }
    unchanged(run, &wide(&run_of(70, 50, "")));
    unchanged(run, &wide(&run_of(63, 99, "")));
}

/// A branch that enters the loop, and one of two sources.
#[test]
fn a_branch_may_enter_the_loop() {
    // One of two is copied; both are variables of which one can be the copy.
    let choose = |behind: &str| {
        let one = |first: u32, from: &str| copy(first, from, "local2").replacen("  jump", "", 1);
        let strip = |t: String| t.split_once('\n').expect("lines").1.to_string();
        let [a, b] = [(1, "local0"), (5, "local1")].map(|(n, from)| strip(one(n, from)) + "  jump block9\n");
        format!(
            "{}{}  v3: b1 = icmp.ult v0, 3:i32\n  br v3, block1(0:i32), block5(0:i32) merge block9\n{a}{b}block9:\n{behind}",
            write("local0"),
            write("local1")
        )
    };
    let t = after(&choose(&read(9, "local2")));
    assert_eq!(t.matches("loop merge").count(), 1, "{t}");
    assert!(!t.contains("load local2[") || !t.contains("load local0["), "{t}");
    // All three are needed.
    let all = format!("{}{}{}", read(9, "local2"), read(10, "local0"), read(11, "local1"));
    same(&choose(&format!("{}{all}", write("local2"))));
    // What may be one of two is read in neither.
    let t = after(&choose(&all));
    assert!(t.contains("load local2[0 + v"), "{t}");
}

/// A buffer that is copied, changed and written again is changed where it lies.
#[test]
fn a_variable_lives_where_it_is_given() {
    let given = |first: &str, between: &str, last: &str| {
        let out = copy(6, "local0", "res1").replace("block9", "block99");
        format!("{first}{}{}{between}{out}{last}", copy(1, "res1", "local0"), write("local0"))
    };
    let t = after(&given("  var_init local0\n", "", &read(9, "res1")));
    assert!(is_gone(&t, 0) && !t.contains("var_init"), "{t}");
    assert_eq!(t.matches("store v0, res1[0 + v").count(), 1, "{t}");
    // Through a second variable, and of other memory.
    let through = format!("{}{}", copy(21, "local0", "local1"), write("local1"));
    let t = after(&given("", &through, "").replacen("load local0[0 + v6", "load local1[0 + v6", 1).replacen(
        "load local0[4 + v6",
        "load local1[4 + v6",
        1,
    ));
    assert!(is_gone(&t, 0) && is_gone(&t, 1), "{t}");
    let t = after(&given("", "", "").replace("res1", "global0"));
    assert!(is_gone(&t, 0), "{t}");
    // A call of it in each turn.
    let round = given("", "", "  jump block78\n");
    let t = after(&format!(
        "  jump block76(0:i32)
block76(v90: i32) loop merge block79 continue block78:
  v91: b1 = icmp.ult v90, v0
  br v91, block77, block79
block77:
{round}block78:
  v92: i32 = iadd v90, 1:i32
  jump block76(v92)
block79:
"
    ));
    assert!(!t.contains("local0["), "{t}");
    // The memory is read or written in between, or others may look at it.
    let other = |from: &str| read(9, from).replace("store v9, res1", "store v9, local2");
    for between in [other("res1"), write("res1"), BARRIER.to_string()] {
        same(&given("", &between, ""));
    }
    // Not all ways lead there.
    let leave = "  v3: b1 = icmp.ult v0, 3:i32\n  br v3, block70, block71 merge block71\nblock70:\n  ret\nblock71:\n";
    same(&given("", leave, ""));
    // It is read afterwards, where the memory is another one.
    same(&given("", "", &(write("res1") + &other("local0"))));
    // An index that nothing bounds.
    same(&given("", "", "").replacen(
        "store v0, local0[0 + v1] align 4 {in_bounds}",
        "store v0, local0[0 + v1] align 4",
        1,
    ));
    // What it begins with is needed.
    let half = given("  var_init local0\n", "", "").replacen("64:i32", "32:i32", 1);
    assert!(after(&half).contains("store v0, local0"));
}

/// A loop that writes all of a variable makes its initialisation useless, and one that does not does not.
#[test]
fn an_initialisation_that_a_loop_overwrites_goes() {
    let fill = |between: &str| {
        let t = copy(1, "local1", "local0");
        let t = t.replacen("  v104", &format!("{between}  v104"), 1).replace("store v104", "store v100");
        format!("  var_init local0\n{t}{}", read(9, "local0"))
    };
    assert!(!after(&fill("")).contains("var_init"), "{}", after(&fill("")));
    let kept = |body: &str| assert!(after(body).contains("var_init local0"), "{}", after(body));
    kept(&fill("").replace("64:i32", "62:i32"));
    kept(&fill(&read(30, "local0").replace("v1]", "v102]").replace("res1", "local2")));
    kept(&fill("").replace("store v100, local0[0", "store v100, local0[8"));
    kept(&fill("").replacen(
        "  var_init local0\n",
        &format!("  var_init local0\n{}", read(31, "local0").replace("res1[124]", "res1[8]")),
        1,
    ));
}

/// What is copied twice is read in the one of which it is at each place.
#[test]
fn one_variable_may_be_two_copies() {
    let two = |between: &str| {
        format!(
            "{}{}{between}{}{}",
            copy(1, "res0", "local0"),
            read(9, "local0"),
            copy(6, "global0", "local0").replace("block9", "block99"),
            read(10, "local0")
        )
    };
    let t = after(&two(""));
    assert!(is_gone(&t, 0) && t.contains("load res0[0 + v") && t.contains("load global0[0 + v"), "{t}");
    // The second one is written.
    let t = after(&format!("{}{}{}", two(""), write("local0"), read(11, "local0")));
    assert!(t.contains("load res0[0 + v1]") || t.contains("load res0[0 + v2]"), "{t}");
    assert!(t.contains("store v0, local0[0 + v"), "{t}");
}
