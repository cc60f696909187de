//! The last line of pages that are made: the revision.

use std::process::Command;

use crate::workspace;

/// The text before the revision in the last line of a page.
pub const MADE: &str = "Made from revision ";

/// A page with the revision that it is made from.
pub fn stamped(text: &str) -> String {
    let mut git = Command::new("git");
    let out = git.args(["rev-parse", "--short=10", "HEAD"]).current_dir(workspace::root()).output();
    let head = out.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    format!(
        "{}\n\n{MADE}{} and the changes that came with this page.\n",
        text.trim_end(),
        head.as_deref().unwrap_or("unknown")
    )
}

/// The text of a page without the revision.
pub fn unstamped(page: &str) -> &str {
    page.rfind(MADE).map_or(page, |at| &page[..at]).trim_end()
}
