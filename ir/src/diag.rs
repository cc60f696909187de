//! Diagnostics as data; rendering is the command line's business.
//!
//! Three classes never mix: the input is wrong, the target cannot do it, or the compiler is broken.

use crate::refusal::Refusal;
use crate::span::Span;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Compilation continues.
    Warning,
    /// No output is written.
    Error,
}

/// Whose fault it is; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The input is wrong (exit 1).
    Invalid,
    /// The input is right, but this target or this version cannot do it (exit 3).
    Unsupported,
    /// The compiler is broken (exit 70).
    Internal,
}

/// A span with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place in the source.
    pub span: Span,
    /// A sentence about it; may be empty.
    pub text: String,
}

/// One message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Whose fault it is.
    pub class: Class,
    /// A stable short name, such as `parse`; of a refusal, that of its [`Refusal`].
    pub code: &'static str,
    /// The fault in one sentence, without its place.
    pub message: String,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// Further sentences: limits, what would help.
    pub notes: Vec<String>,
}

/// The result of what may refuse its input.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;

impl Diagnostic {
    fn new(class: Class, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, class, code, message: message.into(), labels: Vec::new(), notes: Vec::new() }
    }
    /// The input is wrong.
    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Class::Invalid, code, message)
    }
    /// The target (named in the message) cannot do it.
    pub fn unsupported(code: Refusal, message: impl Into<String>) -> Self {
        Self::new(Class::Unsupported, code.name(), message)
    }
    /// The compiler is broken.
    pub fn internal(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Class::Internal, code, message)
    }
    /// The code, if it is a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        if self.class == Class::Unsupported { Refusal::parse(self.code) } else { None }
    }
    /// Adds a place with a remark.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }
    /// Adds a note behind those that it has.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
    /// Makes it a warning.
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{kind}[{}]: {}", self.code, self.message)?;
        for n in &self.notes {
            write!(f, "\n  note: {n}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
