//! Sets of descriptors as what is bound for a dispatch or draw.

use ash::vk;
use gpucc_container::IMMEDIATES;
use gpucc_ir::ResourceKind;
use gpucc_sim::BoundTexture;
use gpucc_sim::texture::Sampler;

use super::Exec;
use super::copies::Copies;
use crate::built_in;
use crate::convert::swizzle::exchanged;
use crate::pipeline::{Program, Used};
use crate::set::{Set, Slot};
use crate::settings::Chip;

/// The group of memory that is bound for its addresses, which no program names.
const REACHED: u32 = u32::MAX - 1;

/// What is bound of the application's memory and images.
pub type Bound = gpucc_device::Bound<Copies>;

impl Exec<'_> {
    /// Binds what these programs use. What no set has is left to the check of the launch.
    pub fn bind(&self, point: usize, programs: &[&Program]) -> Bound {
        let mut bound = Bound::default();
        for u in Used::together(programs.iter().flat_map(|p| &p.used)) {
            if u.kind == ResourceKind::Immediates {
                bound.bytes(IMMEDIATES, self.push.clone());
                continue;
            }
            if (u.group, u.binding) == built_in::BINDING {
                bound.bytes(built_in::BINDING, self.built_in.bytes());
                continue;
            }
            let Some((set, offsets)) = self.sets[point].get(&u.group) else { continue };
            let slots = set.slots();
            let (binding, elements) = u.elements();
            for element in elements {
                match slots.get(&(binding, element)) {
                    Some(slot) if slot.is_whole(u.kind) => {
                        self.slot(&mut bound, u, (binding, element), slot, (set, offsets));
                    }
                    _ if set.layout.partial(binding) => self.null(&mut bound, u, (binding, element)),
                    _ => {}
                }
            }
        }
        if programs.iter().any(|p| p.reaches) {
            self.reach(&mut bound);
        }
        bound.close();
        bound
    }

    fn slot(
        &self,
        bound: &mut Bound,
        u: &Used,
        (binding, element): (u32, u32),
        slot: &Slot,
        (set, offsets): (&Set, &[u32]),
    ) {
        let place = (u.group, binding, element);
        match (u.kind, slot) {
            (kind, Slot::Buffer { buffer, offset, range, dynamic }) if kind.is_buffer() => {
                let more = if *dynamic { dynamic_offset(set, (binding, element), offsets) } else { 0 };
                let range = buffer.range(offset + more, *range);
                // A runtime array may have no element: what the type has without one is read as zeros.
                let how = (kind.is_writable(), u.min_size);
                bound.buffer(&mut self.shared.copies(), (u.group, u.binding), range, how);
            }
            (kind, Slot::Inline(bytes)) if kind.is_buffer() => {
                let mut bytes = bytes.clone();
                bytes.resize(bytes.len().max(u.min_size as usize), 0);
                bound.bytes((u.group, u.binding), bytes);
            }
            (ResourceKind::Sampler { .. }, Slot::Image(_, Some(sampler))) => {
                bound.sampler(place, self.precise(sampler.sampling));
            }
            (ResourceKind::Texture { .. }, Slot::Image(Some(view), _)) if view.swizzle.is_some() => {
                let swizzle = view.swizzle.as_ref();
                let copy = swizzle.map(|s| exchanged(&view.image.lock(), view.seen.format, s));
                let Some(copy) = copy else { return };
                let format = copy.format;
                bound.copied(copy, BoundTexture { format, ..view.seen.at(place) });
            }
            (ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. }, Slot::Image(Some(view), _)) => {
                let mut seen = view.seen.at(place);
                if self.views_input(set, binding) {
                    (seen.base_layer, seen.layers) = (seen.base_layer + self.built_in.view, 1);
                }
                bound.texture(&view.image, seen);
            }
            _ => {}
        }
    }

    /// Binds all memory that has addresses.
    fn reach(&self, bound: &mut Bound) {
        for (number, memory) in self.shared.reached.all().iter().enumerate() {
            let Some(address) = memory.address else { continue };
            let all = (memory, memory.bytes.size());
            bound.addressed(&mut self.shared.copies(), (REACHED, number as u32), all, address);
        }
    }

    /// Whether a binding is an attachment that is read in a pass of several views: each view reads its own layer.
    fn views_input(&self, set: &Set, binding: u32) -> bool {
        let input = |b: &crate::set::Binding| b.number == binding && b.ty == vk::DescriptorType::INPUT_ATTACHMENT;
        self.several_views && set.layout.bindings.iter().any(input)
    }

    /// A sampler with the precision that the oracle needs to filter as the plain rules say; machines have their own.
    fn precise(&self, sampler: Sampler) -> Sampler {
        match self.shared.chip {
            Chip::Interp => sampler,
            Chip::Target(t) => Sampler { precision: gpucc_machines::sampling(t.family())(&sampler), ..sampler },
        }
    }
}

/// The offset that was given for a dynamic buffer of a set: they are in the order of bindings and elements.
fn dynamic_offset(set: &Set, (binding, element): (u32, u32), offsets: &[u32]) -> u64 {
    use vk::DescriptorType as T;
    let is_dynamic = |ty| matches!(ty, T::UNIFORM_BUFFER_DYNAMIC | T::STORAGE_BUFFER_DYNAMIC);
    let before = set.layout.bindings.iter().filter(|b| b.number < binding && is_dynamic(b.ty));
    let before: u32 = before.map(|b| b.count).sum();
    offsets.get((before + element) as usize).copied().unwrap_or(0).into()
}
