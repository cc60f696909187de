//! All tests of `gpucc-reduce` in one binary.

mod scenes;
mod spirv;
mod texts;

use std::sync::atomic::AtomicBool;

use gpucc_reduce::{Check, Limits, Report, Subject, reduce};

/// A fault that a function of the bytes says.
pub struct Fault<F>(pub F);

impl<F: Fn(&[u8]) -> bool + Sync> Check for Fault<F> {
    fn holds(&self, candidate: &[u8], _slot: usize) -> bool {
        self.0(candidate)
    }
}

/// Shrinks with one and with three candidates at once: both give the same, and each step is told.
pub fn shrink<S: Subject>(subject: S, fault: impl Fn(&[u8]) -> bool + Sync) -> (S, Report) {
    let stop = AtomicBool::new(false);
    let fault = Fault(fault);
    let run = |jobs| {
        let mut told = 0;
        let limits = Limits { until: None, jobs, stop: &stop };
        let (best, report) = reduce(subject.clone(), &fault, &limits, &mut |_| told += 1);
        assert_eq!(told, report.steps);
        assert!(report.complete && fault.0(&best.bytes()));
        (best, report)
    };
    let (one, report) = run(1);
    assert_eq!(one.bytes(), run(3).0.bytes(), "the result depends on the number of candidates at once");
    (one, report)
}
