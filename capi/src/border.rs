//! What every function of the border does: reading texts and bytes of C, catching panics, giving a status and a message.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use gpucc::frontend::{self, Lang};
use gpucc::{Class, Diagnostic, Errors};
use gpucc_sim::TrapKind;

use crate::constants::{GPUCC_BUG, GPUCC_INVALID, GPUCC_OK, GPUCC_UNSUPPORTED, GPUCC_USAGE};
use crate::log::{CLog, Message};
pub(crate) use crate::status::c_text;

/// A fault: the status, the text for people, and the same as rows of a log.
#[derive(Debug)]
pub(crate) struct Fault {
    status: c_int,
    text: String,
    rows: Vec<Message>,
}

impl Fault {
    /// A fault without a place.
    pub(crate) fn new(status: c_int, code: &str, text: impl Into<String>) -> Fault {
        let text = text.into();
        let rows = vec![Message::plain(status, code, &text)];
        Fault { status, text, rows }
    }

    /// An argument is wrong.
    pub(crate) fn usage(text: impl Into<String>) -> Fault {
        Fault::new(GPUCC_USAGE, "usage", text)
    }

    /// A container that is none.
    pub(crate) fn container(e: impl std::fmt::Display) -> Fault {
        Fault::new(GPUCC_INVALID, "container", format!("not a gpucc container: {e}"))
    }

    /// How a run ended, with where it did.
    pub(crate) fn trap(t: &gpucc_sim::Trap, place: &str) -> Fault {
        let status = match t.kind {
            TrapKind::Unsupported => GPUCC_UNSUPPORTED,
            TrapKind::Dispatch => GPUCC_USAGE,
            _ => GPUCC_INVALID,
        };
        Fault::new(status, "trap", format!("{place}{t}"))
    }
}

/// Where a source comes from, for places in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    /// The bytes of the source.
    pub source: &'a [u8],
    /// The language of the source.
    pub lang: Lang,
    /// The name in messages; may be empty.
    pub name: &'a str,
    /// The target that it is compiled for.
    pub target: &'a str,
}

impl Origin<'_> {
    /// Names and texts of the files that the author wrote.
    fn files(&self) -> Vec<(String, String)> {
        if self.lang == Lang::Spirv {
            let files = frontend::source_files(self.source, self.lang);
            return files.iter().map(|f| (f.name().to_string(), f.text().to_string())).collect();
        }
        std::str::from_utf8(self.source).map_or_else(|_| Vec::new(), |t| vec![(self.name.into(), t.into())])
    }

    /// Messages as rows of a log.
    pub(crate) fn rows(&self, list: &[Diagnostic]) -> Vec<Message> {
        let located = Errors(Vec::new()).with_files(self.files());
        list.iter().map(|d| Message::of(d, &located, self.target)).collect()
    }

    /// The fault of diagnostics.
    pub(crate) fn fault(&self, list: Vec<Diagnostic>) -> Fault {
        of_files(self.files(), list, self.target)
    }
}

/// The fault of diagnostics about files, by name and text: a bug outweighs wrong input outweighs a refusal.
pub(crate) fn of_files(files: Vec<(String, String)>, list: Vec<Diagnostic>, target: &str) -> Fault {
    let has = |class| list.iter().any(|d| d.class == class);
    let status = match () {
        () if list.iter().any(|d| d.code == "io") => GPUCC_USAGE,
        () if has(Class::Internal) => GPUCC_BUG,
        () if has(Class::Invalid) => GPUCC_INVALID,
        () => GPUCC_UNSUPPORTED,
    };
    let located = Errors(list).with_files(files);
    let rows = located.errors.0.iter().map(|d| Message::of(d, &located, target)).collect();
    Fault { status, text: located.to_string(), rows }
}

/// Bytes that C gives.
///
/// # Safety
/// `data` has so many, or there are none.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, size: usize) -> Result<&'a [u8], Fault> {
    match (data.is_null(), size) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fault::usage("bytes are NULL")),
        // SAFETY: as the caller says.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data.cast(), size) }),
    }
}

/// A list that C gives.
///
/// # Safety
/// `data` has so many elements, or there are none.
pub(crate) unsafe fn list<'a, T>(data: *const T, count: usize, what: &str) -> Result<&'a [T], Fault> {
    match (data.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fault::usage(format!("{what} are NULL"))),
        // SAFETY: as the caller says.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data, count) }),
    }
}

/// A text that C gives; nothing for NULL.
///
/// # Safety
/// `text` is NULL or ends in a zero.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Fault> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some).map_err(|_| Fault::usage(format!("{what} is not UTF-8")))
}

/// A text that C gives and that must be there.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn wanted<'a>(given: *const c_char, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: as the caller says.
    let found = unsafe { text(given, what) }?;
    found.ok_or_else(|| Fault::usage(format!("{what} must not be NULL")))
}

/// The list to which the messages of a call go, once its options are read, and the messages that are no faults.
#[derive(Debug)]
pub(crate) struct Told {
    log: Cell<*mut CLog>,
    warnings: RefCell<Vec<Message>>,
}

impl Told {
    /// Sets the log.
    pub(crate) fn log(&self, log: *mut CLog) {
        self.log.set(log);
    }

    /// Adds warnings.
    pub(crate) fn warn(&self, more: Vec<Message>) {
        self.warnings.borrow_mut().extend(more);
    }
}

/// Runs `f`, gives its status, leaves the text of a fault in `message`, and adds all that was said to the log that `f` named.
///
/// # Safety
/// `message` is NULL or can be written; the log is NULL or one of the library that no other thread uses.
pub(crate) unsafe fn answer(message: *mut *mut c_char, f: impl FnOnce(&Told) -> Result<(), Fault>) -> c_int {
    let told = Told { log: Cell::new(ptr::null_mut()), warnings: RefCell::new(Vec::new()) };
    let result = catch_unwind(AssertUnwindSafe(|| f(&told)));
    let result = result.unwrap_or_else(|_| Err(Fault::new(GPUCC_BUG, "panic", "compiler bug: a panic")));
    let mut rows = told.warnings.take();
    let (status, said) = match result {
        Ok(()) => (GPUCC_OK, ptr::null_mut()),
        Err(fault) => {
            rows.extend(fault.rows);
            (fault.status, c_text(&fault.text).into_raw())
        }
    };
    // SAFETY: as the caller says.
    if let Some(log) = unsafe { told.log.get().as_mut() } {
        rows.into_iter().for_each(|r| log.add(r));
    }
    if !message.is_null() {
        // SAFETY: as the caller says.
        unsafe { message.write(said) };
    } else if !said.is_null() {
        // SAFETY: made above.
        drop(unsafe { CString::from_raw(said) });
    }
    status
}

/// Declares functions of C that give a status, and leave the text of a fault in their last argument.
macro_rules! answers {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) |$told:pat_param| $body:block)*) => {
        $crate::exports::exports! { $(
            fn $name($($arg: $ty,)* message: *mut *mut std::ffi::c_char) -> std::ffi::c_int {
                $crate::border::answer(message, |$told| $body)
            }
        )* }
    };
}
pub(crate) use answers;
