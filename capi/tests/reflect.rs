//! A program written from the header alone: a pair with a state of its own, an override and a log.

use std::path::Path;

use crate::{build, run};

#[test]
fn a_program_in_c_prints_what_a_driver_programs() {
    let Some(program) = build(Path::new("capi/tests/reflect.c"), "reflect") else { return };
    for target in ["gcn:gfx7", "vivante:gc7000", "tesla", "valhall"] {
        let (code, out, err) = run(&program, &[target]);
        assert_eq!(code, Some(0), "{target}: {err}\n{out}");
        let has = |line: &str| assert!(out.lines().any(|l| l == line), "{target}: `{line}` is missing in\n{out}");
        assert!(out.starts_with("pair.frag:2:10: "), "{target}: {out}");
        has("binding t: group 1 binding 2 kind 2");
        has("binding s: group 1 binding 3 kind 4");
        has("in 0 0: components 3, interpolation 0");
        has("in 0 1: components 1, interpolation 2");
        has("out 0 0: components 15, interpolation 0");
        has("triangle-strip, 1 samples, target bgra8unorm");
        if target != "tesla" {
            has("immediate word 1 of 8 bytes");
        }
        // Nobody reads the third varying.
        assert!(!out.contains("out 0 2:"), "{target}: {out}");
    }
    std::fs::remove_file(program).expect("the program goes");
}

/// Stages that are compiled alone with a description of the other one, and state that is known late.
#[test]
fn a_stage_alone_fits_the_other_and_variants_have_keys() {
    let Some(program) = build(Path::new("capi/tests/late.c"), "late") else { return };
    for target in ["gcn:gfx7", "vivante:gc7000", "tesla", "valhall"] {
        let (code, out, err) = run(&program, &[target]);
        assert_eq!(code, Some(0), "{target}: {err}\n{out}");
    }
    std::fs::remove_file(program).expect("the program goes");
}
