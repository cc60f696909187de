//! Errors of scenes: one sentence each.

use crate::near;

/// An error of a scene: the file, the field and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Name of the file as the caller gave it.
    pub file: String,
    /// Path of the field, like `textures.t.size[0]`; empty for the file as a whole.
    pub field: String,
    /// Line and column there, from 1, where they are known.
    pub place: Option<(u32, u32)>,
    /// The fault in a sentence without its place.
    pub message: String,
    /// Whether a file could not be read, as opposed to wrong input.
    pub is_io: bool,
}

impl SceneError {
    /// An error about wrong input in a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> SceneError {
        SceneError { file: String::new(), field: field.into(), place: None, message: message.into(), is_io: false }
    }

    /// A file that cannot be read.
    pub fn io(field: impl Into<String>, message: impl Into<String>) -> SceneError {
        SceneError { is_io: true, ..SceneError::new(field, message) }
    }

    /// The same error in a file of this name.
    pub fn of(mut self, file: &str) -> SceneError {
        self.file = file.into();
        self
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.file.is_empty() {
            f.write_str(&self.file)?;
            if let Some((line, column)) = self.place {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)?;
        match self.place {
            Some((line, column)) if self.file.is_empty() && self.field.is_empty() => {
                write!(f, " at line {line}, column {column}")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for SceneError {}

pub(crate) type Checked<T = ()> = Result<T, SceneError>;

/// That there is no such thing: what there is, and the name that was meant, if one is like it.
pub(crate) fn lacks<'a>(what: &str, name: &str, there: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let names: Vec<&str> = there.collect();
    let meant = near::meant(name, names.iter().copied());
    let more = if names.len() > MOST { ", ..." } else { "" };
    let list = if names.is_empty() { "none".into() } else { names[..names.len().min(MOST)].join(", ") };
    format!("there is no {what} `{name}`{meant}{} available: {list}{more}", if meant.is_empty() { ";" } else { "" })
}

/// An error at a field.
pub(crate) fn fail<T>(field: impl Into<String>, message: impl Into<String>) -> Checked<T> {
    Err(SceneError::new(field, message))
}
