//! What is wrong with a scene, in one sentence.

/// An error of a scene: the file, the field and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Name of the file as the caller gave it.
    pub file: String,
    /// Path of the field, like `textures.t.size[0]`; empty for the file as a whole.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// Whether a file could not be read, as opposed to wrong input.
    pub is_io: bool,
}

impl SceneError {
    /// Wrong input.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> SceneError {
        SceneError { file: String::new(), field: field.into(), message: message.into(), is_io: false }
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
        for part in [&self.file, &self.field] {
            if !part.is_empty() {
                write!(f, "{part}: ")?;
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SceneError {}

pub(crate) type Checked<T = ()> = Result<T, SceneError>;

/// An error at a field.
pub(crate) fn fail<T>(field: impl Into<String>, message: impl Into<String>) -> Checked<T> {
    Err(SceneError::new(field, message))
}
