//! Resources of a scene as what is bound for a dispatch or draw, and back.

use std::ops::Range;

use gpucc_container::IMMEDIATES;
use gpucc_ir::{ResourceKind, element_binding};
use gpucc_scene::model::{Binding, BindingResource, BufferRange, Immediates};
use gpucc_scene::view::View;
use gpucc_sim::texture::Sampler;
use gpucc_sim::{BoundBuffer, BoundSampler, Dispatch};

use super::Frame;
use crate::used::InScene;

/// The bind group that stands for none: of buffers that only have an address.
const ADDRESSED: u32 = u32::MAX - 1;

/// The names in a dispatch or draw: bindings and immediate data.
pub type PassInputs<'a> = (&'a [Binding], Option<&'a Immediates>);

/// The bound buffers, and where their bytes go back to.
pub struct Bound {
    /// The bound resources. Its images are those of the scene.
    pub dispatch: Dispatch,
    /// Number of the scene's buffer for each, and the bytes; those that were moved as a whole have no range.
    homes: Vec<(usize, Option<Range<usize>>)>,
}

impl Frame<'_> {
    /// The bytes of a range that was checked.
    pub fn range(&self, r: &BufferRange) -> Option<(usize, Range<usize>)> {
        let k = self.scene.buffers.position(&r.buffer)?;
        let all = self.resources.buffers.get(k)?.len();
        let from = usize::try_from(r.offset).ok()?.min(all);
        let size = r.size.and_then(|s| usize::try_from(s).ok()).unwrap_or(all - from);
        Some((k, from..from.saturating_add(size).min(all)))
    }

    /// Binds what these entry points use. A buffer that is bound once as a whole is moved, unless the draw reads it otherwise
    /// (`kept`); other ranges are copied.
    pub fn bind(&mut self, entries: &[usize], (bindings, immediates): PassInputs<'_>, kept: &[usize]) -> Bound {
        let used = |b: &&Binding| {
            let mut all = entries.iter().flat_map(|&e| &self.shaders.entries[e].used);
            all.any(|u| u.is_bound_by(b))
        };
        let list: Vec<&Binding> = bindings.iter().filter(used).collect();
        let is_writable = |b: &Binding| {
            let mut all = entries.iter().flat_map(|&e| &self.shaders.entries[e].used);
            all.any(|u| u.is_bound_by(b) && u.kind.is_writable())
        };
        let mut buffers = Vec::new();
        let (mut textures, mut samplers) = (Vec::new(), Vec::new());
        for b in list {
            let (group, binding) = (b.group, b.binding);
            match &b.resource {
                BindingResource::Buffer(r) => {
                    let binding = element_binding(binding, b.element).unwrap_or(binding);
                    buffers.extend(self.range(r).map(|(k, bytes)| (group, binding, k, bytes, is_writable(b))));
                }
                BindingResource::Sampler(name) => {
                    let sampler = self.scene.samplers.get(name).map(|s| {
                        let s = s.to_sim();
                        Sampler { precision: (self.options.sampling)(&s), ..s }
                    });
                    samplers.extend(sampler.map(|sampler| BoundSampler {
                        group,
                        binding,
                        element: b.element,
                        sampler,
                    }));
                }
                BindingResource::Texture(v) => {
                    let view = View::resolve(self.scene, v).ok();
                    let image = |v: &View| {
                        self.resources
                            .textures
                            .get(v.texture)
                            .map(|i| v.of(i).bound((group, binding, b.element), v.texture))
                    };
                    textures.extend(view.as_ref().and_then(image));
                }
            }
        }
        // What has an address is reached without a binding.
        let bound_ones: Vec<usize> = buffers.iter().map(|b| b.2).collect();
        for &(k, _) in self.addressed.iter().filter(|a| !bound_ones.contains(&a.0)) {
            let all = 0..self.resources.buffers[k].len();
            buffers.push((ADDRESSED, k as u32, k, all, true));
        }
        let times = |k: usize| buffers.iter().filter(|b| b.2 == k).count();
        let alone: Vec<bool> = buffers.iter().map(|b| times(b.2) == 1 && !kept.contains(&b.2)).collect();
        let mut homes = Vec::new();
        let (mut bound, mut addresses) = (Vec::new(), Vec::new());
        for ((group, binding, k, range, writable), alone) in buffers.into_iter().zip(alone) {
            if let Some(&(_, address)) = self.addressed.iter().find(|a| a.0 == k) {
                addresses.push((bound.len(), address));
            }
            let own = &mut self.resources.buffers[k];
            let is_whole = alone && range == (0..own.len());
            let bytes = if is_whole { std::mem::take(own) } else { own[range.clone()].to_vec() };
            homes.push((k, (!is_whole).then_some(range)));
            bound.push(BoundBuffer { group, binding, bytes, writable });
        }
        let mut all = entries.iter().flat_map(|&e| &self.shaders.entries[e].used);
        if let Some(data) = immediates.filter(|_| all.any(|u| u.kind == ResourceKind::Immediates)) {
            // It has no home: nobody writes it.
            let (group, binding) = IMMEDIATES;
            let mut bytes = data.bytes.clone();
            for (at, a) in &data.addresses {
                // The scene was checked: the buffer is there.
                let address = self.scene.address(a).unwrap_or(0);
                bytes[*at..at + 8].copy_from_slice(&address.to_le_bytes());
            }
            bound.push(BoundBuffer { group, binding, bytes, writable: false });
        }
        let images = std::mem::take(&mut self.resources.textures);
        Bound {
            dispatch: Dispatch {
                grid: [1; 3],
                buffers: bound,
                addresses,
                images,
                textures,
                samplers,
                ..Dispatch::default()
            },
            homes,
        }
    }

    /// Gives back what was bound; ranges that could be written are copied.
    pub fn unbind(&mut self, bound: Bound) {
        self.resources.textures = bound.dispatch.images;
        for (b, (k, range)) in bound.dispatch.buffers.into_iter().zip(bound.homes) {
            let own = &mut self.resources.buffers[k];
            match range {
                None => *own = b.bytes,
                Some(range) if b.writable => own[range].copy_from_slice(&b.bytes),
                Some(_) => {}
            }
        }
    }
}
