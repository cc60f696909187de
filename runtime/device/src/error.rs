//! Why something cannot be made, and why a device stopped.

use std::fmt;

use gpucc_ir::Diagnostic;
use gpucc_sim::Trap;

/// Why an object cannot be made, or a host access fails.
#[derive(Clone, Debug)]
pub enum Error {
    /// More memory than a device has.
    Memory(String),
    /// A range, size or value that does not exist.
    Invalid(String),
    /// The compiler refuses a program, or has a bug.
    Program(Box<Diagnostic>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Memory(text) | Error::Invalid(text) => f.write_str(text),
            Error::Program(d) => d.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<Diagnostic> for Error {
    fn from(d: Diagnostic) -> Error {
        Error::Program(Box::new(d))
    }
}

/// Why a device stopped. It runs nothing from then on.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// The debug labels around the command, the outermost first.
    pub labels: Vec<String>,
    /// Number of the command in its list.
    pub command: usize,
    /// Name of the entry point that trapped, if one did.
    pub entry: Option<String>,
    /// Line and column in its source, if they are known.
    pub line: Option<(u32, u32)>,
    /// The trap of a program, or of a command that cannot be done.
    pub trap: Option<Box<Trap>>,
    /// The sentence for people.
    pub message: String,
}

impl Lost {
    /// A stop without a trap.
    pub fn new(message: impl Into<String>) -> Lost {
        Lost { message: message.into(), ..Lost::default() }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for label in &self.labels {
            write!(f, "{label}: ")?;
        }
        if let Some(entry) = &self.entry {
            write!(f, "`{entry}`: ")?;
        }
        f.write_str(&self.message)?;
        match self.line {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Lost {}
