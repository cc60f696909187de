//! Tests of `ir/opt/src/selection.rs`.

use crate::testing::parse;
use gpucc_ir::{Op, Sig};
use gpucc_opt::caps::Caps;
use gpucc_opt::selection::*;
use gpucc_opt::support::Chip;

const CHIP: Chip<'_> = Chip { family: "x", generation: "y", unsupported: &[] };

#[test]
fn each_case_is_a_module_that_keeps_the_contract() {
    for caps in [Caps::FULL, Caps { scalar: true, ..Caps::FULL }, Caps { narrow: false, ..Caps::FULL }] {
        let list = cases(&caps, &CHIP);
        assert!(list.len() > 1000, "{}", list.len());
        for (name, text) in list {
            let m = parse(&text);
            assert!(check(&m, &caps).is_ok(), "{name}\n{text}");
        }
    }
    // Every op but those that other widths or whole functions are about.
    let all: Vec<String> = cases(&Caps::FULL, &CHIP).into_iter().map(|c| c.0).collect();
    for op in Op::ALL.iter().filter(|o| !o.is_terminator()) {
        let other = matches!(op, Op::F2F | Op::SExt | Op::ZExt | Op::Trunc | Op::VarInit | Op::Call)
            // No target has stages or textures yet.
            || matches!(op, Op::CubeCoords | Op::PackHalf2x16Rtz)
            || matches!(op.info().sig, Sig::Input | Sig::Demote | Sig::Derivative | Sig::Tex | Sig::TargetLoad);
        let there = all.iter().any(|n| n.split([' ', '.', ',']).next() == Some(op.name()));
        assert!(there || other, "no case of `{op}`");
    }
}

#[test]
fn what_a_target_lacks_breaks_it() {
    let body = |text: &str| {
        parse(&format!("entry \"main\" compute func0 size 1,1,1\nfunc0 \"f\" {{\nblock0:\n{text}  ret\n}}\n"))
    };
    let vector = body("  v1: f32x2 = load res0[0] align 8\n  v2: f32x2 = fadd v1, v1\n  store v2, res1[0] align 8\n");
    assert!(check(&vector, &Caps::FULL).is_ok());
    assert!(check(&vector, &Caps { scalar: true, ..Caps::FULL }).is_err());
    let field = body("  v1: i32 = load res0[0] align 4\n  v2: i32 = ubfe v1, 3:i32, v1\n  store v2, res1[0] align 4\n");
    let expand = gpucc_opt::OpSet::of(&[Op::UBitExtract]);
    assert!(check(&field, &Caps { expand, bit_field: true, ..Caps::FULL }).is_err());
    let known =
        body("  v1: i32 = load res0[0] align 4\n  v2: i32 = ubfe v1, 3:i32, 4:i32\n  store v2, res1[0] align 4\n");
    assert!(check(&known, &Caps { expand, bit_field: true, ..Caps::FULL }).is_ok());
    assert!(check(&known, &Caps { expand, ..Caps::FULL }).is_err());
}
