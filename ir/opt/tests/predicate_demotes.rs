//! Tests of `ir/opt/src/predicate_demotes.rs`.

use crate::testing::parse;
use gpucc_opt::predicate_demotes::run;
use gpucc_opt::{Caps, PassCx};

/// The code of a fragment entry behind the pass, for a target whose discards take a condition or do not.
fn after(predicated_demote: bool, arm: &str) -> String {
    let mut m = parse(&format!(
        "entry \"fs\" fragment func0 {{\n  in0 \"\" location 0 perspective center f32\n  out0 \"\" location 0 f32\n}}\n\
         func0 \"fs\" -> f32 {{\nblock0:\n  v0: f32 = input in0\n  v1: b1 = fcmp.olt v0, 0.5:f32\n  \
         br v1, block1, block2 merge block2\nblock1:\n{arm}  jump block2\nblock2:\n  ret v0\n}}\n"
    ));
    let caps = Caps { predicated_demote, ..Caps::FULL };
    let (mut f, surroundings) = (m.funcs[m.entries[0].func].clone(), m.clone());
    run(&mut f, &mut PassCx::new(&surroundings, &caps));
    let func = m.entries[0].func;
    m.funcs[func] = f;
    crate::testing::check(&m);
    m.to_string()
}

#[test]
fn a_discard_alone_takes_the_condition() {
    let text = after(true, "  demote true:b1\n");
    assert!(text.contains("demote v1") && !text.contains("br v1"), "{text}");
}

#[test]
fn what_stands_beside_a_discard_keeps_its_branch() {
    let text = after(true, "  demote true:b1\n  store 1:i32, res1[0] align 4\n");
    assert!(text.contains("br v1") && text.contains("demote true:b1"), "{text}");
    assert!(after(false, "  demote true:b1\n").contains("br v1"), "the target's discard takes no condition");
}
