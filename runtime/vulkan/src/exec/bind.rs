//! What is bound for a dispatch or draw, and back.

use std::sync::Arc;

use ash::vk;
use gpucc_container::IMMEDIATES;
use gpucc_ir::ResourceKind;
use gpucc_sim::texture::{Image as Texels, Sampler};
use gpucc_sim::{BoundBuffer, BoundSampler, BoundTexture, Dispatch, Overlap};

use super::Exec;
use super::copies::{self, Copies, Taken};
use crate::built_in;
use crate::convert::swizzle::exchanged;
use crate::memory::{Image, Memory, View};
use crate::pipeline::{Program, Used};
use crate::set::{Set, Slot};
use crate::settings::Chip;

/// The group of memory that is bound for its addresses, which no program names.
const REACHED: u32 = u32::MAX - 1;

/// Where the bytes of a binding go back to, and those that were there before.
struct Home {
    memory: Arc<Memory>,
    at: usize,
    /// Bytes that were there before, of a buffer that is written.
    before: Option<Vec<u8>>,
    /// Room for a second copy.
    spare: Vec<u8>,
}

/// The texels of a bound image.
enum Source {
    /// Those of an image, which gets them back.
    Own(Arc<Image>),
    /// A copy.
    Copy(Texels),
}

impl Source {
    fn is(&self, image: &Arc<Image>) -> bool {
        matches!(self, Source::Own(own) if Arc::ptr_eq(own, image))
    }
}

/// What is bound, and where it goes back to.
pub struct Bound {
    /// The bound resources, as a dispatch.
    pub dispatch: Dispatch,
    images: Vec<Source>,
    homes: Vec<Option<Home>>,
    /// Memory of each buffer by its address, first byte and their number, where there is some.
    ranges: Vec<(usize, usize, usize)>,
}

impl Exec<'_> {
    /// Binds what these programs use. What no set has is left to the check of the launch.
    pub fn bind(&self, point: usize, programs: &[&Program]) -> Bound {
        let mut bound =
            Bound { dispatch: Dispatch::new([1; 3]), images: Vec::new(), homes: Vec::new(), ranges: Vec::new() };
        for u in Used::together(programs.iter().flat_map(|p| &p.used)) {
            if u.kind == ResourceKind::Immediates {
                let (group, binding) = IMMEDIATES;
                let bytes = self.push.clone();
                bound.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
                bound.homes.push(None);
                bound.ranges.push((0, 0, 0));
                continue;
            }
            if (u.group, u.binding) == built_in::BINDING {
                let (group, binding, bytes) = (u.group, u.binding, self.built_in.bytes());
                bound.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
                bound.homes.push(None);
                bound.ranges.push((0, 0, 0));
                continue;
            }
            let Some((set, offsets)) = self.sets[point].get(&u.group) else { continue };
            let slots = set.slots();
            let (binding, elements) = u.elements();
            for element in elements {
                if let Some(slot) = slots.get(&(binding, element)) {
                    self.slot(&mut bound, u, (binding, element), slot, (set, offsets));
                }
            }
        }
        if programs.iter().any(|p| p.reaches) {
            self.reach(&mut bound);
        }
        let take = |s: &mut Source| match s {
            Source::Own(image) => image.take(),
            Source::Copy(texels) => {
                let none = Texels { bytes: Vec::new().into(), ..*texels };
                std::mem::replace(texels, none)
            }
        };
        bound.dispatch.images = bound.images.iter_mut().map(take).collect();
        bound.find_overlaps();
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
        match (u.kind, slot) {
            (kind, Slot::Buffer { buffer, offset, range, dynamic }) if kind.is_buffer() => {
                let more = if *dynamic { dynamic_offset(set, (binding, element), offsets) } else { 0 };
                let offset = offset + more;
                let place = buffer.range(offset, *range);
                bound.ranges.push(place.map_or((0, 0, 0), |(m, at, size)| (Arc::as_ptr(m) as usize, at, size)));
                let (mut bytes, home) = place.map_or_else(Default::default, |(memory, at, size)| {
                    let (bytes, home) = self.home(memory, (at, size), kind.is_writable());
                    (bytes, Some(home))
                });
                // A runtime array may have no element: what the type has without one is read as zeros.
                bytes.resize(bytes.len().max(u.min_size as usize), 0);
                let writable = kind.is_writable();
                bound.dispatch.buffers.push(BoundBuffer { group: u.group, binding: u.binding, bytes, writable });
                bound.homes.push(home);
            }
            (ResourceKind::Sampler { .. }, Slot::Image(_, Some(sampler))) => {
                let sampler = self.precise(sampler.sampling);
                bound.dispatch.samplers.push(BoundSampler { group: u.group, binding, element, sampler });
            }
            (ResourceKind::Texture { .. }, Slot::Image(Some(view), _)) if view.swizzle.is_some() => {
                let swizzle = view.swizzle.as_ref();
                let copy = swizzle.map(|s| exchanged(&view.image.lock(), view.format, s));
                let Some(copy) = copy else { return };
                let format = copy.format;
                bound.images.push(Source::Copy(copy));
                let at = bound.images.len() - 1;
                let seen = BoundTexture { format, ..bound_view((u.group, binding, element), view, at) };
                bound.dispatch.textures.push(seen);
            }
            (ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. }, Slot::Image(Some(view), _)) => {
                let at = bound.images.iter().position(|i| i.is(&view.image)).unwrap_or_else(|| {
                    bound.images.push(Source::Own(view.image.clone()));
                    bound.images.len() - 1
                });
                let mut seen = bound_view((u.group, binding, element), view, at);
                if self.views_input(set, binding) {
                    (seen.base_layer, seen.layers) = (seen.base_layer + self.built_in.view, 1);
                }
                bound.dispatch.textures.push(seen);
            }
            _ => {}
        }
    }

    /// The bytes of a range of memory, and where they go back to.
    fn home(&self, memory: &Arc<Memory>, (at, size): (usize, usize), writable: bool) -> (Vec<u8>, Home) {
        let Taken { bytes, mut spare } = self.shared.copies().take(memory, at, size);
        let before = writable.then(|| {
            copies::fill(&mut spare, &bytes);
            std::mem::take(&mut spare)
        });
        (bytes, Home { memory: memory.clone(), at, before, spare })
    }

    /// Binds all memory that has addresses.
    fn reach(&self, bound: &mut Bound) {
        for (number, memory) in self.shared.reached.all().iter().enumerate() {
            let Some(address) = memory.address else { continue };
            let size = memory.bytes.size();
            let (bytes, home) = self.home(memory, (0, size), true);
            bound.dispatch.addresses.push((bound.dispatch.buffers.len(), address));
            let (group, binding) = (REACHED, number as u32);
            bound.dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: true });
            bound.homes.push(Some(home));
            bound.ranges.push((Arc::as_ptr(memory) as usize, 0, size));
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

impl Bound {
    /// Tells which buffers lie in one memory, where a program may write one of them.
    fn find_overlaps(&mut self) {
        let all = &self.ranges;
        for (a, &(memory, at, size)) in all.iter().enumerate() {
            for (b, &(other, from, count)) in all.iter().enumerate().skip(a + 1) {
                let meet = memory != 0 && memory == other && at < from + count && from < at + size;
                let written = |k: usize| self.homes[k].as_ref().is_some_and(|h| h.before.is_some());
                if meet && (written(a) || written(b)) {
                    let distance = from as i64 - at as i64;
                    self.dispatch.overlaps.push(Overlap { buffers: [a, b], distance });
                }
            }
        }
    }

    /// Brings buffers that lie in one memory to the same bytes after a run: a binding that no code of the program touches is not there on a machine.
    pub fn agree(&mut self) {
        let Bound { dispatch, homes, .. } = self;
        for o in &dispatch.overlaps {
            let Ok([a, b]) = dispatch.buffers.get_disjoint_mut(o.buffers) else { continue };
            let old = homes[o.buffers[0]].as_ref().and_then(|h| h.before.as_ref());
            for (k, own) in a.bytes.iter_mut().enumerate() {
                let at = usize::try_from(k as i64 - o.distance).ok();
                let Some(other) = at.and_then(|at| b.bytes.get_mut(at)).filter(|other| **other != *own) else {
                    continue;
                };
                // The one that changed counts.
                match old.and_then(|old| old.get(k)).is_some_and(|old| old != own) {
                    true => *other = *own,
                    false => *own = *other,
                }
            }
        }
    }

    /// Gives back what was bound. Of buffers only bytes that changed: several bindings may lie in one.
    pub fn unbind(self, copies: &mut Copies) {
        for (source, texels) in self.images.iter().zip(self.dispatch.images) {
            if let Source::Own(image) = source {
                image.give(texels);
            }
        }
        let shared: Vec<usize> = self.dispatch.overlaps.iter().flat_map(|o| o.buffers).collect();
        for (k, (b, home)) in self.dispatch.buffers.into_iter().zip(self.homes).enumerate() {
            let Some(Home { memory, at, before, spare }) = home else { continue };
            let new = b.bytes;
            let Some(old) = before else {
                if !shared.contains(&k) && new.len() == self.ranges[k].2 {
                    copies.keep(&memory, at, Taken { bytes: new, spare });
                }
                continue;
            };
            let before = memory.bytes.writes();
            if memory.bytes.put_changed(at, &old, &new) {
                copies.wrote(&memory, (before, memory.bytes.writes()), at, (&old, &new));
            }
            if !shared.contains(&k) && new.len() == old.len() {
                copies.keep(&memory, at, Taken { bytes: new, spare: old });
            }
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
