//! Shrinks an input while a fault stays: texts of WGSL and GLSL, modules of SPIR-V, scenes.
//!
//! A [`Subject`] is an input as a structure, with passes that list edits: statements that go, calls that become one of their arguments,
//! numbers that become smaller. [`reduce`] tries each pass's edits all at once, then in halves, then one by one, until no edit
//! of any pass holds; all passes first in few large runs, so that what is large is gone before anything is tried one by one. A candidate counts only if it weighs less, so this ends. What is tried in which order depends on the
//! input alone: several are tried at once, and the first in order that holds is taken, so the result is the same for any number of them.
//!
//! This crate knows no compiler. Whether a candidate is valid and still has the fault is asked of a [`Check`].

pub mod scene;
mod smaller;
pub mod spirv;
pub mod text;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The size of an input, the most important part first: it falls with each step.
pub type Weight = [u64; 3];

/// An input that can be edited.
pub trait Subject: Clone + Send + Sync {
    /// A change of a part. Edits of one list do not depend on each other.
    type Edit: Clone + Send + Sync;

    /// How many passes there are; those before come first.
    const PASSES: usize;

    /// What a pass would change, in the order of the input.
    fn edits(&self, pass: usize) -> Vec<Self::Edit>;

    /// The input with some edits of one list; none where they cannot be made together.
    fn apply(&self, edits: &[Self::Edit]) -> Option<Self>;

    /// What is written to a file.
    fn bytes(&self) -> Vec<u8>;

    /// The size.
    fn weight(&self) -> Weight;
}

/// Whether a candidate still has the fault.
pub trait Check: Sync {
    /// Asked of the bytes of a candidate, from several threads at once; `slot` is a number below [`Limits::jobs`] that no other call
    /// has meanwhile.
    fn holds(&self, candidate: &[u8], slot: usize) -> bool;
}

/// When to stop, and how much to try at once.
pub struct Limits<'a> {
    /// No candidate is tried behind this time.
    pub until: Option<Instant>,
    /// Candidates that are tried at once, at least 1.
    pub jobs: usize,
    /// No candidate is tried once this is true.
    pub stop: &'a AtomicBool,
}

impl Limits<'_> {
    fn reached(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|t| Instant::now() >= t)
    }
}

/// The counts of a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Candidates that were asked about.
    pub tried: u64,
    /// Candidates that held, each smaller than the one before.
    pub steps: u64,
    /// Whether nothing smaller is left; otherwise a limit was reached.
    pub complete: bool,
}

struct Reducer<'a, S: Subject> {
    best: S,
    check: &'a dyn Check,
    limits: &'a Limits<'a>,
    better: &'a mut dyn FnMut(&S),
    /// Hashes of candidates that did not hold.
    failed: BTreeSet<u64>,
    report: Report,
}

/// How many runs of one length a pass tries at most, in one stage behind the other: large parts of all passes go before small ones of any.
const RUNS: [usize; 3] = [16, 96, usize::MAX];

/// Shrinks a subject that holds. `better` is called with each smaller one that holds, the last time with the result.
pub fn reduce<S: Subject>(
    subject: S,
    check: &dyn Check,
    limits: &Limits<'_>,
    better: &mut dyn FnMut(&S),
) -> (S, Report) {
    let mut r = Reducer { best: subject, check, limits, better, failed: BTreeSet::new(), report: Report::default() };
    for most in RUNS {
        loop {
            let before = r.best.weight();
            for pass in 0..S::PASSES {
                r.pass(pass, most);
            }
            if limits.reached() {
                return (r.best, r.report);
            }
            // A stage that gains little leaves the rest to the next; the last one goes on for as long as anything falls.
            let little = if most == usize::MAX { 0 } else { before[0] / 8 };
            if r.best.weight() == before || before[0] - r.best.weight()[0] < little {
                break;
            }
        }
    }
    r.report.complete = true;
    (r.best, r.report)
}

impl<S: Subject> Reducer<'_, S> {
    /// Tries the edits of a pass in runs of falling length, at most so many of a length.
    fn pass(&mut self, pass: usize, most: usize) {
        let mut edits = self.best.edits(pass);
        let mut size = edits.len();
        while size >= 1 && edits.len().div_ceil(size) <= most {
            let mut at = 0;
            while at < edits.len() {
                if self.limits.reached() {
                    return;
                }
                let runs: Vec<(usize, S)> = (0..self.limits.jobs.max(1))
                    .map(|j| at + j * size)
                    .take_while(|&from| from < edits.len())
                    .filter_map(|from| {
                        let to = (from + size).min(edits.len());
                        self.best.apply(&edits[from..to]).map(|s| (from, s))
                    })
                    .collect();
                match self.first(runs) {
                    Some((from, smaller)) => {
                        self.best = smaller;
                        self.report.steps += 1;
                        (self.better)(&self.best);
                        edits = self.best.edits(pass);
                        at = from;
                    }
                    None => at += size * self.limits.jobs.max(1),
                }
            }
            size = size.min(edits.len()) / 2;
        }
    }

    /// The first of some candidates that weighs less and holds.
    fn first(&mut self, candidates: Vec<(usize, S)>) -> Option<(usize, S)> {
        let best = self.best.weight();
        let hash = |bytes: &[u8]| {
            let mut h = DefaultHasher::new();
            bytes.hash(&mut h);
            h.finish()
        };
        let asked: Vec<(usize, S, Vec<u8>, u64)> = candidates
            .into_iter()
            .filter(|(_, s)| s.weight() < best)
            .map(|(at, s)| {
                let bytes = s.bytes();
                let key = hash(&bytes);
                (at, s, bytes, key)
            })
            .filter(|c| !self.failed.contains(&c.3))
            .collect();
        self.report.tried += asked.len() as u64;
        let check = self.check;
        let held: Vec<bool> = match &asked[..] {
            [one] => vec![check.holds(&one.2, 0)],
            many => std::thread::scope(|scope| {
                let running: Vec<_> =
                    many.iter().enumerate().map(|(slot, c)| scope.spawn(move || check.holds(&c.2, slot))).collect();
                // A check that dies has not held.
                running.into_iter().map(|t| t.join().unwrap_or(false)).collect()
            }),
        };
        let first = held.iter().position(|&h| h);
        for (c, _) in asked.iter().zip(&held).filter(|(_, h)| !**h) {
            self.failed.insert(c.3);
        }
        let (at, s, ..) = asked.into_iter().nth(first?)?;
        Some((at, s))
    }
}
