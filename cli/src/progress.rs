//! Progress on a terminal: nothing where standard error is a file, a pipe or the log of a CI job.

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{MessageFormat, Messages};

/// A bar over `length` steps of something, hidden where nobody looks.
pub fn bar(length: usize, what: &str, messages: &Messages) -> ProgressBar {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
    if set("CI") || dumb || length < 2 || messages.message_format == MessageFormat::Json {
        return ProgressBar::hidden();
    }
    // On standard error; hidden there by the library when that is no terminal.
    let bar = ProgressBar::new(length as u64);
    match ProgressStyle::with_template(&format!("{{wide_bar}} {{pos}}/{{len}} {what}, {{eta}} left")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The same; a spinner with the seconds that have passed where there is a single step to wait for.
pub fn bar_or_spinner(length: usize, what: &str, messages: &Messages) -> ProgressBar {
    let hidden = bar(2, what, messages).is_hidden();
    if length > 1 || hidden {
        return bar(length, what, messages);
    }
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(std::time::Duration::from_millis(200));
    match ProgressStyle::with_template(&format!("{{spinner}} {{elapsed}}, {{pos}}/{length} {what}")) {
        Ok(style) => spinner.with_style(style),
        Err(_) => spinner,
    }
}
