//! `gpucc_log`: messages of the compiler as a list, and as they come.

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use gpucc::{Class, Diagnostic, Located, Severity};

use crate::constants::{GPUCC_BUG, GPUCC_INVALID, GPUCC_OK, GPUCC_UNSUPPORTED};
use crate::exports::{exports, free};
use crate::grow::{fill, grows};
use crate::status::c_text;

/// `gpucc_log_row`: one message of a log.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CLogRow {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The code, which stays the same between versions.
    pub code: *const c_char,
    /// The sentence, with notes a line each.
    pub text: *const c_char,
    /// The file; null where there is no place.
    pub file: *const c_char,
    /// The target; null of what is wrong for all of them.
    pub target: *const c_char,
    /// Status of the kind; 0 of a warning.
    pub status: u32,
    /// The line, from 1; 0 without a place.
    pub line: u32,
    /// The column in characters, from 1; 0 without a place.
    pub column: u32,
}

grows! { CLogRow: column of u32; }

/// `gpucc_log_fn`: called for each message when it comes.
pub type CLogFn = Option<extern "C" fn(user: *mut c_void, row: *const CLogRow)>;

/// A row as Rust has it.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    status: c_int,
    code: String,
    text: String,
    place: Option<(String, u32, u32)>,
    target: Option<String>,
}

impl Message {
    /// A message without a place.
    pub(crate) fn plain(status: c_int, code: &str, text: &str) -> Message {
        Message { status, code: code.into(), text: text.into(), place: None, target: None }
    }

    /// A diagnostic about files.
    pub(crate) fn of(d: &Diagnostic, files: &Located, target: &str) -> Message {
        let mut text = d.message.clone();
        d.notes.iter().for_each(|n| text += &format!("\n{n}"));
        let place = d.labels.iter().find_map(|l| files.position(l.span));
        let status = match (d.severity, d.class) {
            (Severity::Warning, _) => GPUCC_OK,
            (_, Class::Invalid) => GPUCC_INVALID,
            (_, Class::Unsupported) => GPUCC_UNSUPPORTED,
            (_, Class::Internal) => GPUCC_BUG,
        };
        Message {
            status,
            code: d.code.to_string(),
            text,
            place: place.map(|p| (p.file.to_string(), p.line as u32, p.column as u32)),
            target: (d.class != Class::Invalid && !target.is_empty()).then(|| target.to_string()),
        }
    }
}

/// `gpucc_log`: messages, kept until it is freed.
#[derive(Debug)]
pub struct CLog {
    listener: (CLogFn, *mut c_void),
    rows: Vec<CLogRow>,
    texts: Vec<CString>,
}

impl CLog {
    fn keep(&mut self, text: &str) -> *const c_char {
        let text = c_text(text);
        let at = text.as_ptr();
        self.texts.push(text);
        at
    }

    /// Adds a row, and tells it to who listens.
    pub(crate) fn add(&mut self, m: Message) {
        let (code, text) = (self.keep(&m.code), self.keep(&m.text));
        let target = m.target.map_or(ptr::null(), |t| self.keep(&t));
        let (file, line, column) = m.place.map_or((ptr::null(), 0, 0), |(f, l, c)| (self.keep(&f), l, c));
        let row =
            CLogRow { size: size_of::<CLogRow>(), code, text, file, target, status: m.status as u32, line, column };
        self.rows.push(row);
        if let (Some(tell), user) = self.listener {
            tell(user, &raw const row);
        }
    }
}

/// `gpucc_log_new`: makes a log, with or without a listener.
#[unsafe(no_mangle)]
pub extern "C" fn gpucc_log_new(listener: CLogFn, user: *mut c_void) -> *mut CLog {
    let make = || Box::new(CLog { listener: (listener, user), rows: Vec::new(), texts: Vec::new() });
    catch_unwind(AssertUnwindSafe(make)).map_or(ptr::null_mut(), Box::into_raw)
}

exports! {
    fn gpucc_log_count(log: *const CLog) -> usize {
        log.as_ref().map_or(0, |l| l.rows.len())
    }

    fn gpucc_log_get(log: *const CLog, index: usize, row: *mut CLogRow) -> c_int {
        fill(row, log.as_ref().and_then(|l| l.rows.get(index)))
    }

    fn gpucc_log_clear(log: *mut CLog) {
        if let Some(log) = log.as_mut() {
            log.rows.clear();
            log.texts.clear();
        }
    }

    fn gpucc_log_free(log: *mut CLog) {
        free(log)
    }
}
