//! The stages that a text can be of.

/// The stage of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Compute.
    Compute,
    /// Vertex.
    Vertex,
    /// Fragment.
    Fragment,
}

impl Stage {
    /// Its name in endings of files: `comp`, `vert` or `frag`.
    pub fn ending(self) -> &'static str {
        match self {
            Stage::Compute => "comp",
            Stage::Vertex => "vert",
            Stage::Fragment => "frag",
        }
    }
}
