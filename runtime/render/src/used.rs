//! The bindings that entry points use, as scenes bind them.

pub use gpucc_device::Used;
use gpucc_ir::ResourceKind;
use gpucc_scene::model::{Binding, Held};

/// What a binding of a scene is to an entry point.
pub trait InScene {
    /// The kind of resource that a binding for it holds.
    fn held(&self) -> Held;

    /// Whether a binding of a scene is meant for it.
    fn is_bound_by(&self, b: &Binding) -> bool;
}

impl InScene for Used {
    fn held(&self) -> Held {
        match self.kind {
            ResourceKind::Sampler { .. } => Held::Sampler,
            ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. } => Held::Texture,
            _ => Held::Buffer,
        }
    }

    fn is_bound_by(&self, b: &Binding) -> bool {
        let (binding, element) = self.place();
        let is_element = !self.kind.is_buffer() || element == b.element;
        (self.group, binding) == (b.group, b.binding) && is_element && self.held() == b.resource.held()
    }
}
