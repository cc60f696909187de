//! Diagnostics that all front ends give.

use crate::limits::Limit;
use crate::thread::{Failed, Panicked, with_stack};
use gpucc_ir::{Diagnostic, Refusal, Span};

/// A limit that the input exceeds at no particular place.
pub fn limit(limit: &Limit) -> Diagnostic {
    Diagnostic::invalid(
        limit.code,
        format!("the input has too many {}: at most {} are accepted", limit.what, limit.max),
    )
    .note("this is a limit of gpucc, not of the language")
}

/// The system has no thread for us: nothing is said of the input.
fn no_thread(why: &str) -> Diagnostic {
    Diagnostic::invalid("io", why).note("parsing and lowering recurse over the source, on a thread of their own")
}

/// Lowering stopped at an internal check: our bug.
pub fn broke(panic: &Panicked) -> Diagnostic {
    let first = panic.text.lines().next().unwrap_or("");
    let diagnostic = Diagnostic::internal("lower", format!("the compiler is broken: {first}"));
    diagnostic.note(panic.doing.clone().unwrap_or_else(|| "while lowering to IR".to_string()))
}

/// Runs `work` with a stack of so many bytes; `stopped` says what a panic in it means.
///
/// # Errors
/// Those of `work`, a panic, or a system without a thread for us.
pub fn guarded<T: Send>(
    bytes: usize,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
    stopped: impl FnOnce(&Panicked) -> Diagnostic,
) -> Result<T, Vec<Diagnostic>> {
    with_stack(bytes, work).unwrap_or_else(|failed| {
        Err(vec![match failed {
            Failed::Panicked(panic) => stopped(&panic),
            Failed::NoThread(why) => no_thread(&why),
        }])
    })
}

/// Valid input that this version does not lower; `feature` names what stands there.
pub fn unsupported(code: Refusal, feature: &str, at: Span) -> Diagnostic {
    let d = Diagnostic::unsupported(code, format!("{feature} cannot be compiled by this version")).at(at, feature);
    match code.everywhere() {
        Some(why) => d.note(why),
        None => d,
    }
}

/// A contradiction in what a front end made, or was given by a library.
pub fn contradiction(what: &str, at: Span) -> Diagnostic {
    Diagnostic::internal("lower", format!("lowering: {what}")).at(at, "here")
}
