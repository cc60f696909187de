//! Descriptor sets: what is bound together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpucc_sim::texture::Sampler;

use crate::image::View;
use crate::memory::Buffer;

/// What a binding holds.
#[derive(Clone, Debug)]
pub enum Descriptor {
    /// A uniform or storage buffer.
    Buffer {
        /// The range.
        buffer: Buffer,
        /// Whether an offset is added when the set is bound.
        dynamic: bool,
    },
    /// A sampled texture, a storage texture or an input attachment.
    Texture(View),
    /// A sampler alone.
    Sampler(Sampler),
    /// A texture with its sampler.
    Both(View, Sampler),
}

/// A descriptor set. Clones are the same set. It is read when a command runs, not when it is recorded.
#[derive(Clone, Debug, Default)]
pub struct Set(Arc<Mutex<BTreeMap<(u32, u32), Descriptor>>>);

impl Set {
    /// A set that holds nothing.
    pub fn new() -> Set {
        Set::default()
    }

    fn with<T>(&self, f: impl FnOnce(&mut BTreeMap<(u32, u32), Descriptor>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes an element of a binding; 0 is the element of a single one.
    pub fn write(&self, binding: u32, element: u32, descriptor: Descriptor) {
        self.with(|all| all.insert((binding, element), descriptor));
    }

    /// Binds a buffer at a single binding.
    #[must_use]
    pub fn with_buffer(self, binding: u32, buffer: Buffer) -> Set {
        self.write(binding, 0, Descriptor::Buffer { buffer, dynamic: false });
        self
    }

    /// Binds a texture at a single binding.
    #[must_use]
    pub fn with_texture(self, binding: u32, view: View) -> Set {
        self.write(binding, 0, Descriptor::Texture(view));
        self
    }

    /// Binds a sampler at a single binding.
    #[must_use]
    pub fn with_sampler(self, binding: u32, sampler: Sampler) -> Set {
        self.write(binding, 0, Descriptor::Sampler(sampler));
        self
    }

    /// The descriptor of an element of a binding.
    pub fn get(&self, binding: u32, element: u32) -> Option<Descriptor> {
        self.with(|all| all.get(&(binding, element)).cloned())
    }

    /// Everything that it holds, by binding and element.
    pub fn all(&self) -> Vec<((u32, u32), Descriptor)> {
        self.with(|all| all.iter().map(|(&at, d)| (at, d.clone())).collect())
    }

    /// Number of dynamic offsets that binding the set takes: one for each dynamic buffer, by binding and element.
    pub fn dynamic(&self) -> usize {
        self.with(|all| all.values().filter(|d| matches!(d, Descriptor::Buffer { dynamic: true, .. })).count())
    }
}
