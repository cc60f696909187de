//! Sets as what is bound for a dispatch or draw.

use gpucc_container::IMMEDIATES;
use gpucc_ir::ResourceKind;
use gpucc_sim::texture::{Image as Texels, Sampler};

use super::Exec;
use crate::bound::{Bound, Lender, Taken};
use crate::command::BindPoint;
use crate::image::Image;
use crate::memory::Memory;
use crate::program::Program;
use crate::set::{Descriptor, Set};
use crate::used::Used;

/// Memory and images of this crate, of which no copies are kept.
#[derive(Debug)]
pub struct Own;

impl Lender for Own {
    type Memory = Memory;
    type Image = Image;

    fn memory_id(memory: &Memory) -> usize {
        memory.id()
    }

    fn image_id(image: &Image) -> usize {
        image.id()
    }

    fn take(&mut self, memory: &Memory, at: usize, size: usize) -> Taken {
        Taken { bytes: memory.with(|all| all[at..at + size].to_vec()), spare: Vec::new() }
    }

    fn put(&mut self, memory: &Memory, at: usize, old: &[u8], new: &[u8]) {
        memory.with(|all| {
            for (own, (_, new)) in all[at..].iter_mut().zip(old.iter().zip(new)).filter(|(_, (o, n))| o != n) {
                *own = *new;
            }
        });
    }

    fn keep(&mut self, _: &Memory, _: usize, _: Taken) {}

    fn texels(image: &Image) -> Texels {
        image.take()
    }

    fn give(image: &Image, texels: Texels) {
        image.give(texels);
    }
}

impl Exec<'_> {
    /// Binds what these programs use. What no set has is left to the check of the launch.
    pub fn bind(&mut self, point: BindPoint, programs: &[&Program]) -> Bound<Own> {
        let mut bound = Bound::default();
        for u in Used::together(programs.iter().flat_map(|p| p.used())) {
            if u.kind == ResourceKind::Immediates {
                let mut bytes = self.state.immediates.clone();
                bytes.resize(bytes.len().max(u.min_size as usize), 0);
                bound.bytes(IMMEDIATES, bytes);
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
        bound.close();
        bound
    }

    fn descriptor(
        &self,
        bound: &mut Bound<Own>,
        u: &Used,
        (binding, element): (u32, u32),
        descriptor: &Descriptor,
        (set, offsets): (&Set, &[u64]),
    ) {
        let place = (u.group, binding, element);
        match (u.kind, descriptor) {
            (kind, Descriptor::Buffer { buffer, dynamic }) if kind.is_buffer() => {
                let offset = if *dynamic { dynamic_offset(set, (binding, element), offsets) } else { 0 };
                let part = buffer.part(offset, buffer.size());
                let range = (part.memory(), part.offset() as usize, part.size() as usize);
                bound.buffer(&mut Own, (u.group, u.binding), Some(range), (kind.is_writable(), u.min_size));
            }
            (ResourceKind::Sampler { .. }, Descriptor::Sampler(s) | Descriptor::Both(_, s)) => {
                bound.sampler(place, Sampler { precision: (self.options.sampling)(s), ..*s });
            }
            (
                ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. },
                Descriptor::Texture(view) | Descriptor::Both(view, _),
            ) => bound.texture(&view.image, view.seen.at(place)),
            _ => {}
        }
    }
}

/// The offset that was given for a dynamic buffer of a set.
fn dynamic_offset(set: &Set, at: (u32, u32), offsets: &[u64]) -> u64 {
    let is_dynamic = |d: &Descriptor| matches!(d, Descriptor::Buffer { dynamic: true, .. });
    let before = set.all().iter().filter(|(place, d)| *place < at && is_dynamic(d)).count();
    offsets.get(before).copied().unwrap_or(0)
}
