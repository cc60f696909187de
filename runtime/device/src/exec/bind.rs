//! What is bound for a dispatch or draw, and back.

use gpucc_container::IMMEDIATES;
use gpucc_ir::ResourceKind;
use gpucc_sim::texture::Sampler;
use gpucc_sim::{BoundBuffer, BoundSampler, BoundTexture, Dispatch};

use super::Exec;
use crate::command::BindPoint;
use crate::image::{Image, View};
use crate::memory::Buffer;
use crate::program::Program;
use crate::set::{Descriptor, Set};
use crate::used::Used;

/// What is bound, and where it goes back to.
pub struct Bound {
    /// The bound resources, as a dispatch.
    pub dispatch: Dispatch,
    /// The images of the dispatch.
    images: Vec<Image>,
    /// Where each buffer goes back to, if a program may write it.
    homes: Vec<Option<Buffer>>,
}

impl Exec<'_> {
    /// Binds what these programs use. What no set has is left to the check of the launch.
    pub fn bind(&mut self, point: BindPoint, programs: &[&Program]) -> Bound {
        let mut bound = Bound { dispatch: Dispatch::new([1; 3]), images: Vec::new(), homes: Vec::new() };
        for u in Used::together(programs.iter().flat_map(|p| p.used())) {
            if u.kind == ResourceKind::Immediates {
                let mut bytes = self.state.immediates.clone();
                bytes.resize(bytes.len().max(u.min_size as usize), 0);
                let (group, binding) = IMMEDIATES;
                bound.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
                bound.homes.push(None);
                continue;
            }
            let Some((set, offsets)) = self.state.sets(point).get(&u.group).cloned() else { continue };
            let (binding, elements) = u.elements();
            for element in elements {
                if let Some(descriptor) = set.get(binding, element) {
                    self.descriptor(&mut bound, u, (binding, element), &descriptor, (&set, &offsets));
                }
            }
        }
        bound.dispatch.images = bound.images.iter().map(Image::take).collect();
        bound
    }

    fn descriptor(
        &self,
        bound: &mut Bound,
        u: &Used,
        (binding, element): (u32, u32),
        descriptor: &Descriptor,
        (set, offsets): (&Set, &[u64]),
    ) {
        let place = (u.group, binding, element);
        match (u.kind, descriptor) {
            (kind, Descriptor::Buffer { buffer, dynamic }) if kind.is_buffer() => {
                let offset = if *dynamic { dynamic_offset(set, (binding, element), offsets) } else { 0 };
                let range = buffer.part(offset, buffer.size());
                let bytes = range.bytes();
                let writable = kind.is_writable();
                bound.dispatch.buffers.push(BoundBuffer { group: u.group, binding: u.binding, bytes, writable });
                bound.homes.push(writable.then_some(range));
            }
            (ResourceKind::Sampler { .. }, Descriptor::Sampler(s) | Descriptor::Both(_, s)) => {
                let sampler = Sampler { precision: (self.options.sampling)(s), ..*s };
                bound.dispatch.samplers.push(BoundSampler { group: u.group, binding, element, sampler });
            }
            (
                ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. },
                Descriptor::Texture(view) | Descriptor::Both(view, _),
            ) => {
                let image = bound.images.iter().position(|i| *i == view.image).unwrap_or_else(|| {
                    bound.images.push(view.image.clone());
                    bound.images.len() - 1
                });
                bound.dispatch.textures.push(bound_view(place, view, image));
            }
            _ => {}
        }
    }
}

impl Bound {
    /// Gives back what was bound.
    pub fn unbind(self) {
        for (image, texels) in self.images.iter().zip(self.dispatch.images) {
            image.give(texels);
        }
        for (b, home) in self.dispatch.buffers.into_iter().zip(self.homes) {
            if let Some(home) = home {
                home.memory().with(|all| all[home.place()].copy_from_slice(&b.bytes));
            }
        }
    }
}

/// The offset that was given for a dynamic buffer of a set.
fn dynamic_offset(set: &Set, at: (u32, u32), offsets: &[u64]) -> u64 {
    let is_dynamic = |d: &Descriptor| matches!(d, Descriptor::Buffer { dynamic: true, .. });
    let before = set.all().iter().filter(|(place, d)| *place < at && is_dynamic(d)).count();
    offsets.get(before).copied().unwrap_or(0)
}

fn bound_view((group, binding, element): (u32, u32, u32), v: &View, image: usize) -> BoundTexture {
    BoundTexture {
        group,
        binding,
        element,
        image,
        dim: v.dim,
        format: v.format,
        base_level: v.base_level,
        levels: v.levels,
        base_layer: v.base_layer,
        layers: v.layers,
        stencil: v.stencil,
    }
}
