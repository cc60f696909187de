//! The declarations of a source that no code depends on, but whoever binds by name: members of buffers, promises about depths.

/// A member of a buffer, or a member of that: what has a type without members.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Member {
    /// Bind group of the buffer.
    pub group: u32,
    /// Its binding; that of immediate data is [`crate::IMMEDIATES`].
    pub binding: u32,
    /// The path in the buffer: `a`, `a.b`, `lights[].color`; empty where the buffer is no structure.
    pub name: String,
    /// The type of one element in WGSL's words: `f32`, `vec3<f32>`, `mat4x4<f32>`.
    pub ty: String,
    /// Bytes from the start of the buffer, of the first element.
    pub offset: u32,
    /// Bytes of one element.
    pub size: u32,
    /// Elements of the outermost array that it lies in: 1 without one, 0 where the buffer decides.
    pub count: u32,
    /// Bytes from one of them to the next; 0 without an array.
    pub stride: u32,
}

/// A promise of a fragment entry about the depth that it gives, against the one that it has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DepthLayout {
    /// None.
    #[default]
    Any,
    /// It is as great or greater.
    Greater,
    /// It is as small or smaller.
    Less,
    /// It is the same.
    Unchanged,
}

/// Everything of this kind that a source declares.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Declared {
    /// Members of buffers, those of one buffer in a row.
    pub members: Vec<Member>,
    /// Fragment entries that promise something.
    pub depths: Vec<(String, DepthLayout)>,
}
