//! Texts as C has them.

use std::ffi::CString;

/// A text for C; a zero in it becomes a blank.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
