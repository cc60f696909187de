//! What is bound at elements that a set leaves open, where its layout says that it may: buffers without bytes and images of one texel, all zeros. No
//! program uses them, but each wants something there.

use gpucc_ir::{ResourceKind, TexClass, TexDim};
use gpucc_pipeline::{Compare, Format};
use gpucc_sim::BoundTexture;
use gpucc_sim::texture::{Dim, Image, Sampler};

use super::Exec;
use super::bind::Bound;
use crate::pipeline::Used;

impl Exec<'_> {
    /// Binds nothing at an element.
    pub(super) fn null(&self, bound: &mut Bound, u: &Used, (binding, element): (u32, u32)) {
        let place = (u.group, binding, element);
        match u.kind {
            ResourceKind::Sampler { comparison } => {
                let compare = comparison.then_some(Compare::Always);
                bound.sampler(place, Sampler { compare, ..Sampler::default() });
            }
            ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. } => {
                if let Some((image, dim)) = texels(u.kind) {
                    let seen = BoundTexture::whole(u.group, binding, 0, &image, dim);
                    bound.copied(image, BoundTexture { element, ..seen });
                }
            }
            kind => {
                let how = (kind.is_writable(), u.min_size.max(16));
                bound.buffer(&mut self.shared.copies(), (u.group, u.binding), None, how);
            }
        }
    }
}

/// An image of one texel that fits a kind of texture, and how it is seen.
fn texels(kind: ResourceKind) -> Option<(Image, Dim)> {
    let (dim, _, multisampled, _) = kind.texels()?;
    let (dim, layers) = match dim {
        TexDim::D1 => (Dim::D1, 1),
        TexDim::D2 => (Dim::D2, 1),
        TexDim::D3 => (Dim::D3, 1),
        TexDim::Cube => (Dim::Cube, 6),
    };
    let format = match kind {
        ResourceKind::StorageTexture { format, .. } => format,
        ResourceKind::Texture { class: TexClass::Sint, .. } => Format::Rgba8Sint,
        ResourceKind::Texture { class: TexClass::Uint, .. } => Format::Rgba8Uint,
        ResourceKind::Texture { class: TexClass::Depth, .. } if dim != Dim::D1 => Format::Depth16Unorm,
        _ => Format::Rgba8Unorm,
    };
    Some((Image::new(format, dim == Dim::D3, [1, 1, layers], 1, if multisampled { 4 } else { 1 }), dim))
}
