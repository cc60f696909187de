//! GCN: texels in linear surfaces, T#, S# and V#, tables of bind groups (`isa/gcn.md` 12.4, 12.5; `isa/graphics-gcn.md` b).

mod draw;
mod surface;
mod words;

pub use words::{
    Chip, Slot, SlotKind, TextureView, buffer_words, sampler_words, slot_size, table_layout, table_size, texture_words,
    vertex_words,
};

use gpucc_container::{Entry, Resource, ResourceKind};
use gpucc_pipeline::Target;
use gpucc_sim::texture::{Dim, Image};
use gpucc_sim::{Device, Dispatch, Registers, Trap};

use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::place::{buffer, whole};
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Part, Placer, Plane, of_generation};
use surface::Linear;

/// The fields of GCN's descriptors.
pub struct Gcn {
    chip: Chip,
}

/// The driver part of a generation, by its name; `perturb` moves addresses.
///
/// # Errors
/// A generation that there is none for.
pub fn part(generation: &str, perturb: Option<u64>) -> Result<Part<Gcn>, Trap> {
    Ok(Part::new(Gcn { chip: of_generation("gcn", Chip::of(generation), generation)? }, perturb))
}

/// Whether the fixed function blends what a target gets; otherwise the fragment program did.
pub fn blends(_: &Target) -> bool {
    true
}

impl Descriptors for Gcn {
    type Layout = Linear;

    fn layout(&self, image: &Image, plane: Plane) -> Linear {
        Linear::new(image, plane)
    }

    /// The T#, and behind that of a sampled one a null T# of its FMASK.
    fn texture(&self, b: &BoundView<'_, Linear>) -> Result<Vec<u32>, Trap> {
        whole(b.resource)?;
        let (s, view) = (b.layout, b.view);
        let storage = b.resource.kind == ResourceKind::StorageTexture;
        // A storage view is its level, as if there were no other.
        let (address, level) =
            if storage { (b.address + s.level_offset(view.base_level), view.base_level) } else { (b.address, 0) };
        let ([w, h, _], [depth, image_layers]) = (s.level_size(level), s.depth_and_layers(level));
        let words = texture_words(&TextureView {
            address,
            format: b.format(),
            dim: if storage && view.dim == Dim::Cube { Dim::D2 } else { view.dim },
            size: [w, h, depth],
            image_layers,
            image_levels: s.levels,
            pitch: s.pitch(level),
            samples: s.samples,
            first_level: if storage { 0 } else { view.base_level },
            levels: view.levels,
            first_layer: view.base_layer,
            layers: view.layers,
        });
        let mut words = words.to_vec();
        if !storage {
            words.extend([0; 8]);
        }
        Ok(words)
    }

    fn sampler(&self, r: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap> {
        whole(r)?;
        Ok(sampler_words(self.chip, dispatch.require_sampler(r.group, r.binding, element)?)?.to_vec())
    }

    fn tables(
        &self,
        entry: &Entry,
        list: &[PlacedAttribute<'_>],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Vec<(u32, u64)>, Trap> {
        let mut all = tables(entry, dispatch, device, placer)?;
        all.extend(draw::vertex_table(self.chip, list, device, placer)?);
        Ok(all)
    }

    fn draw(
        &self,
        job: &DrawJob<'_>,
        _: &[PlacedAttribute<'_>],
        _: &mut Device,
        _: &mut Placer,
    ) -> Result<Registers, Trap> {
        draw::registers(job)
    }
}

fn slot(r: &Resource) -> Option<Slot> {
    let kind = match r.kind {
        ResourceKind::Texture => SlotKind::SampledImage,
        ResourceKind::StorageTexture => SlotKind::StorageImage,
        ResourceKind::Sampler => SlotKind::Sampler,
        ResourceKind::Uniform | ResourceKind::Storage => SlotKind::Buffer,
        ResourceKind::Immediates => return None,
    };
    Some(Slot { binding: r.binding, kind, count: r.count.max(1) })
}

/// Writes the tables of the bind groups that the entry point uses.
fn tables(
    entry: &Entry,
    dispatch: &Dispatch,
    device: &mut Device,
    placer: &mut Placer,
) -> Result<Vec<(u32, u64)>, Trap> {
    let mut tables = Vec::new();
    let mut groups: Vec<u32> = entry.resources.iter().filter(|r| slot(r).is_some()).map(|r| r.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let of_group: Vec<&Resource> =
            entry.resources.iter().filter(|r| r.group == group && slot(r).is_some()).collect();
        let slots: Vec<Slot> = of_group.iter().filter_map(|r| slot(r)).collect();
        let offsets = table_layout(&slots);
        let mut bytes = vec![0; table_size(&slots) as usize];
        for ((r, slot), offset) in of_group.iter().zip(&slots).zip(offsets) {
            for element in 0..slot.count {
                let words = match slot.kind {
                    SlotKind::Buffer => {
                        let (address, size) = buffer(r, dispatch, device)?;
                        buffer_words(address, size).to_vec()
                    }
                    _ => device.descriptor(r.descriptor(element)).map(|d| d.words.clone()).unwrap_or_default(),
                };
                let at = (offset + element * slot_size(slot.kind)) as usize;
                for (k, w) in words.iter().enumerate() {
                    bytes[at + 4 * k..at + 4 * k + 4].copy_from_slice(&w.to_le_bytes());
                }
            }
        }
        let address = placer.constant(device, format!("table of bind group {group}"), bytes)?;
        tables.push((group, address));
    }
    Ok(tables)
}
