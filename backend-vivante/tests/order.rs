//! Tests that machine passes keep their order.

use gpucc_driver::{AttemptError, FailureKind};
use gpucc_ir::{Diagnostic, Refusal};
use gpucc_vivante::caps::{ROWS, Strategy};
use gpucc_vivante::*;

const ALL: Strategy = Strategy {
    arrays: true,
    wide: true,
    unroll: true,
    launch: true,
    spills: false,
    packed: false,
    scalar: false,
    memory: false,
};

fn stop(code: Refusal, cause: FailureKind) -> AttemptError {
    AttemptError { refused: Diagnostic::unsupported(code, "what it is"), cause }
}

/// Every strategy that is tried after a program was refused in the first one.
fn tried(s: &AttemptError, private: bool, unrolled: bool) -> usize {
    core::iter::successors(Some(ALL), |h| h.after(s, private, unrolled)).count()
}

#[test]
fn each_strategy_is_tried_once() {
    assert_eq!(tried(&stop(Refusal::OutOfRegisters, FailureKind::OutOf("t")), true, true), 3);
    assert_eq!(tried(&stop(Refusal::OutOfRegisters, FailureKind::OutOf(ROWS)), true, true), 4);
    assert_eq!(tried(&stop(Refusal::OutOfUniforms, FailureKind::Refused), true, true), 4);
    assert_eq!(tried(&stop(Refusal::ProgramSize, FailureKind::Refused), true, true), 3);
    // Sizes do not change what a chip lacks.
    assert_eq!(tried(&stop(Refusal::WideTypes, FailureKind::Refused), true, true), 1);
}

#[test]
fn what_changes_nothing_is_not_tried() {
    assert_eq!(tried(&stop(Refusal::WideTypes, FailureKind::Refused), false, true), 1);
    // Words that the launch computes may be more than those that it computes them from.
    assert_eq!(tried(&stop(Refusal::OutOfUniforms, FailureKind::Hopeless), true, true), 2);
    assert_eq!(tried(&stop(Refusal::ProgramSize, FailureKind::Hopeless), false, true), 2);
    assert_eq!(tried(&stop(Refusal::ProgramSize, FailureKind::Hopeless), false, false), 1);
    let bug = AttemptError { refused: Diagnostic::internal("pack", "a bug"), cause: FailureKind::Refused };
    assert_eq!(tried(&bug, true, true), 1);
}

#[test]
fn passes_keep_their_order() {
    let order = [
        ("machine-dce", "single-uniform", "what nobody reads needs no uniform moved"),
        ("split-critical-edges", "merge-edges", "copies of an edge have a block"),
        ("forward-moves", "merge-lanes", "a move whose source is known merges with others"),
        ("merge-lanes", "split-collects", "copies of one place are one"),
        ("tail-merge", "place-arrays", "temporaries in use are known last"),
        ("tail-merge", "thread-jumps", "blocks that end alike are left with a jump alone"),
        ("thread-jumps", "rotate-tests", "what a jump leads to is known"),
        ("rotate-tests", "drop-fallthrough", "a block that only tests still has its jump"),
    ];
    assert_eq!(gpucc_driver::check_order::<VivanteFamily>(&order), Ok(()));
}
