//! What the compiler is doing right now on this thread, so that a bug report can name pass, function and instruction, and
//! how much it has done, so that a test can see without a clock that work grows with the program and no faster.
//!
//! Passes and backends call [`enter`]; the facade asks [`current`] after it caught a panic. Analyses and the maps they are
//! made of count into [`work`]. Nothing else may depend on it.

use std::cell::{Cell, RefCell};

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    static CURRENT: RefCell<Option<(&'static str, String)>> = const { RefCell::new(None) };
    static INST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From here on this thread runs `pass` over `function`.
pub fn enter(pass: &'static str, function: &str) {
    CURRENT.with(|c| *c.borrow_mut() = Some((pass, function.to_string())));
    INST.with(|i| *i.borrow_mut() = None);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_was_entered_last() {
        assert_eq!(current(), None);
        enter("dce", "main");
        at("v3 = iadd v1, v2");
        assert_eq!(current().as_deref(), Some("pass `dce`, function `main`, at `v3 = iadd v1, v2`"));
        assert_eq!(current(), None);
    }
}
