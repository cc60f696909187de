//! What a comparison with the oracle covered, said the same way by every command that compares.

use gpucc_machines::Comparison;

use crate::Failure;
use crate::args::Deny;
use crate::report::Reporter;

/// Says in a line what was compared: a note, or a warning where nothing was.
///
/// # Errors
/// Exit code 1 where nothing was compared and `deny` says that this is an error.
pub fn say(
    c: &Comparison,
    (code, of): (&str, &str),
    (reporter, target): (&Reporter, &str),
    deny: Option<Deny>,
) -> Result<(), Failure> {
    let text = format!("{code}: {of}{c}");
    if c.not_compared().is_none() {
        reporter.note(code, &text, Some(target));
        return Ok(());
    }
    reporter.line("warning", Deny::NotCompared.code(), &text, Some(target));
    denied(deny)
}

/// The end of a comparison that compared nothing.
///
/// # Errors
/// Exit code 1 if that is denied.
pub fn denied(deny: Option<Deny>) -> Result<(), Failure> {
    if deny == Some(Deny::NotCompared) { Err(Failure::Said(1)) } else { Ok(()) }
}
