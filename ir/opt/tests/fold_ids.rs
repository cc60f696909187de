//! Tests of `ir/opt/src/fold_ids.rs`.

use crate::testing::parse;
use gpucc_ir::Func;
use gpucc_opt::{Caps, PassCx};

fn after(size: [u32; 3], scalar: bool) -> String {
    let m = parse(
        "func0 \"f\" {\nblock0:\n  v0: i32x3 = sysval local_invocation_id\n  v1: i32 = extract v0, lane 0\n  \
         v2: i32 = extract v0, lane 1\n  v3: i32x3 = sysval global_invocation_id\n  v4: i32 = extract v3, lane 1\n  \
         v5: i32 = sysval local_invocation_index\n  store v1, res1[0] align 4\n  store v2, res1[4] align 4\n  \
         store v4, res1[8] align 4\n  store v5, res1[12] align 4\n  ret\n}",
    );
    let mut f = m.funcs[Func(0)].clone();
    let caps = Caps { scalar, ..Caps::FULL };
    gpucc_opt::fold_ids::run(&mut f, &mut PassCx::new(&m, &caps), size);
    f.to_string()
}

fn stored(text: &str, at: u32) -> String {
    let line = text.lines().find(|l| l.contains(&format!("res1[{at}]"))).unwrap_or_default();
    let value = line.trim().trim_start_matches("store ").split(',').next().unwrap_or_default().to_owned();
    match text.lines().find(|l| l.trim().starts_with(&format!("{value}:"))) {
        Some(l) => l.split(" = ").nth(1).unwrap_or_default().to_owned(),
        None => value,
    }
}

#[test]
fn sizes_of_one() {
    let t = after([64, 1, 1], true);
    assert_eq!(stored(&t, 4), "0:i32", "{t}");
    assert!(t.contains("sysval workgroup_id"), "{t}");
    assert!(!t.contains("sysval local_invocation_index"), "{t}");
    let t = after([1, 1, 1], true);
    assert_eq!((stored(&t, 0), stored(&t, 4), stored(&t, 12)), ("0:i32".into(), "0:i32".into(), "0:i32".into()));
}

#[test]
fn others_and_vectors_stay() {
    let t = after([8, 8, 2], true);
    assert!(!t.contains("workgroup_id") && t.contains("sysval local_invocation_index"), "{t}");
    assert!(stored(&t, 4).starts_with("extract"), "{t}");
    let t = after([64, 1, 1], false);
    assert!(!t.contains("workgroup_id") && t.contains("sysval local_invocation_index"), "{t}");
    assert_eq!(stored(&t, 4), "0:i32", "{t}");
}

#[test]
fn sizes_of_subgroups_are_the_targets() {
    let m = parse(
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval subgroup_size\n  v1: i32 = sysval num_subgroups\n  \
         store v0, res1[0] align 4\n  store v1, res1[4] align 4\n  ret\n}",
    );
    for (subgroup, [first, second]) in
        [(16, ["16:i32", "7:i32"]), (0, ["sysval subgroup_size", "sysval num_subgroups"])]
    {
        let mut f = m.funcs[Func(0)].clone();
        let caps = Caps { subgroup, ..Caps::FULL };
        gpucc_opt::fold_ids::run(&mut f, &mut PassCx::new(&m, &caps), [5, 10, 2]);
        let t = f.to_string();
        assert_eq!((stored(&t, 0).as_str(), stored(&t, 4).as_str()), (first, second), "{t}");
    }
}
