//! Statuses that no compilation gives, and texts as C has them.

use std::ffi::{CString, c_int};

/// `GPUCC_OK`.
pub(crate) const OK: c_int = 0;
/// `GPUCC_USAGE`.
pub(crate) const USAGE: c_int = 2;

/// A text for C; a zero in it becomes a blank.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
