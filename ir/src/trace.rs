//! Records the current step of the compiler on this thread, so that a bug report can name pass, function and instruction, and
//! counts its work, so that a test can see without a clock that work grows no faster than the program.
//!
//! Passes and backends call [`enter`]; the facade asks [`current`] after it caught a panic. Analyses and the maps they are
//! made of count into [`work`]. Nothing else may depend on it.

use std::cell::{Cell, RefCell};
use std::time::Instant;

/// How long a pass of the optimiser or a step of a backend took and how much it changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassTime {
    /// Name of the pass or step.
    pub pass: &'static str,
    /// Time that it took, in nanoseconds; 0 where nobody asked.
    pub nanos: u64,
    /// Changes that it reported.
    pub changes: u64,
    /// Estimate of the IR instructions executed after it (`work` of the optimiser's pipeline), if asked for. Steps of a
    /// backend have none.
    pub work: Option<u64>,
}

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    static CURRENT: RefCell<Option<(&'static str, String)>> = const { RefCell::new(None) };
    static STEPS: RefCell<Option<(Vec<PassTime>, Instant)>> = const { RefCell::new(None) };
    static INST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes that this thread runs `pass` over `function` from here on.
pub fn enter(pass: &'static str, function: &str) {
    CURRENT.with(|c| match &mut *c.borrow_mut() {
        Some((last, of)) => {
            *last = pass;
            // Most steps are of the same function.
            if of != function {
                function.clone_into(of);
            }
        }
        none => *none = Some((pass, function.to_string())),
    });
    INST.with(|i| *i.borrow_mut() = None);
    STEPS.with(|s| {
        if let Some((steps, since)) = &mut *s.borrow_mut() {
            close(steps, since);
            steps.push(PassTime { pass, nanos: 0, changes: 0, work: None });
        }
    });
}

/// Whether a [`Watch`] of this thread is open.
pub fn watched() -> bool {
    STEPS.with(|s| s.borrow().is_some())
}

/// The step that was entered last has changed so much.
pub fn changed(n: u64) {
    STEPS.with(|s| {
        if let Some(last) = s.borrow_mut().as_mut().and_then(|(steps, _)| steps.last_mut()) {
            last.changes += n;
        }
    });
}

/// Adds the time since the last look at the clock to the last step.
fn close(steps: &mut [PassTime], since: &mut Instant) {
    let now = Instant::now();
    if let Some(last) = steps.last_mut() {
        last.nanos = (now - *since).as_nanos() as u64;
    }
    *since = now;
}

/// Measures what this thread enters, until it is dropped. One at a time.
pub struct Watch(());

impl Watch {
    /// Starts to measure this thread, with no step entered yet.
    pub fn start() -> Watch {
        STEPS.with(|s| *s.borrow_mut() = Some((Vec::new(), Instant::now())));
        Watch(())
    }

    /// The steps entered since, with the time each took.
    pub fn done(self) -> Vec<PassTime> {
        let Some((mut steps, mut since)) = STEPS.with(|s| s.borrow_mut().take()) else { return Vec::new() };
        close(&mut steps, &mut since);
        steps
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        STEPS.with(|s| s.borrow_mut().take());
    }
}

/// From here on the pass is about `inst` (as printed). Only for places where it costs nothing, such as right before an
/// internal error is raised.
pub fn at(inst: impl Into<String>) {
    INST.with(|i| *i.borrow_mut() = Some(inst.into()));
}

/// Counts `n` steps (blocks visited, words cleared). For places that a program's size makes expensive, not for every step.
pub fn work(n: u64) {
    WORK.with(|w| w.set(w.get().wrapping_add(n)));
}

/// The steps counted on this thread so far.
pub fn worked() -> u64 {
    WORK.with(Cell::get)
}

/// Pass, function and instruction of this thread, taken (the next call gives `None`).
pub fn current() -> Option<String> {
    let (pass, function) = CURRENT.with(|c| c.borrow_mut().take())?;
    let inst = INST.with(|i| i.borrow_mut().take());
    Some(match inst {
        Some(i) => format!("pass `{pass}`, function `{function}`, at `{i}`"),
        None => format!("pass `{pass}`, function `{function}`"),
    })
}
