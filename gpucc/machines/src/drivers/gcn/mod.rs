//! GCN: texels in linear surfaces, T#, S# and V#, tables of bind groups (`isa/gcn.md` 12.4, 12.5; `isa/graphics-gcn.md` b).

mod draw;
mod surface;
mod words;

pub use words::{
    Chip, Slot, SlotKind, TextureView, buffer_words, sampler_words, slot_size, table_layout, table_size, texture_words,
    vertex_words,
};

use gpucc_container::{Access, Entry, Resource, ResourceKind, Variant};
use gpucc_sim::texture::Dim;
use gpucc_sim::{AddressSpace, AllocId, BoundTexture, Descriptor, Device, Dispatch, Resident, Trap, TrapKind};

use super::DriverPart;
use surface::{Plane, Surface};

/// Places of memory objects are multiples of this: T# count addresses in units of 256 bytes.
const ALIGN: u64 = 256;

/// The driver part of one launch.
pub struct Gcn {
    chip: Chip,
    perturb: Option<u64>,
    /// Surfaces, in the order of the residents.
    surfaces: Vec<Surface>,
}

/// Places what it is given, upwards.
struct Placer {
    space: AddressSpace,
    next: u32,
}

impl Placer {
    fn place(&mut self, size: u64) -> Result<u64, Trap> {
        self.next += 1;
        self.space.place(AllocId(self.next), size, ALIGN)
    }
}

impl Gcn {
    /// For a generation, by its name; `perturb` moves addresses.
    pub fn new(generation: &str, perturb: Option<u64>) -> Gcn {
        Gcn { chip: Chip::of(generation), perturb, surfaces: Vec::new() }
    }

    /// The surface that a view reads: the one there is, or a new one.
    fn surface(&mut self, image: usize, plane: Plane, dispatch: &Dispatch) -> usize {
        if let Some(k) = self.surfaces.iter().position(|s| s.image == image && s.plane == plane) {
            return k;
        }
        self.surfaces.push(Surface::new(image, plane, &dispatch.images[image]));
        self.surfaces.len() - 1
    }
}

/// A texture or sampler of the entry point, with what it is described by.
struct Bound<'a> {
    resource: &'a Resource,
    element: u32,
    view: BoundTexture,
    surface: usize,
}

impl DriverPart for Gcn {
    fn upload(&mut self, entry: &Entry, dispatch: &Dispatch) -> Result<Device, Trap> {
        let mut device = Device::default();
        let mut placer = Placer { space: AddressSpace::new64(self.perturb), next: 0 };
        self.place(&[entry], dispatch, &mut device, &mut placer)?;
        tables(entry, dispatch, &mut device, &mut placer)?;
        Ok(device)
    }

    fn download(&self, device: &Device, dispatch: &mut Dispatch) {
        for (s, r) in self.surfaces.iter().zip(&device.residents) {
            if s.written_as.is_some() {
                s.download(&r.bytes, &mut dispatch.images[s.image]);
            }
        }
    }
}

impl Gcn {
    /// Places buffers and texels, and makes descriptors, of what these programs use together.
    fn place(
        &mut self,
        entries: &[&Entry],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<(), Trap> {
        let all = || entries.iter().flat_map(|e| e.resources.iter().enumerate());
        // The chip fetches what is there, so compilers ask for nothing else.
        if let Some((_, r)) = all().find(|r| r.1.shape.variant != Variant::Whole) {
            let said = format!("no descriptor of variant {} exists", r.shape.variant.name());
            return Err(Trap::new(TrapKind::Unsupported, said));
        }
        for r in all().map(|r| r.1).filter(|r| is_buffer(r.kind)) {
            let place = dispatch.require(r.group, r.binding, r.min_size.into())?;
            if device.buffers.iter().all(|b| b.0 != place) {
                device.buffers.push((place, placer.place(dispatch.buffers[place].bytes.len() as u64)?));
            }
        }
        let mut bound = Vec::new();
        for (n, resource) in all() {
            let writes = resource.kind == ResourceKind::StorageTexture && resource.access != Access::Read;
            if !matches!(resource.kind, ResourceKind::Texture | ResourceKind::StorageTexture) {
                continue;
            }
            for element in 0..resource.count.max(1) {
                let view = *dispatch.require_texture(resource.group, resource.binding, element)?;
                let surface = self.surface(view.image, Plane::of(&view, &dispatch.images[view.image]), dispatch);
                if writes && self.surfaces[surface].written_as.is_none() {
                    self.surfaces[surface].written_as = Some(n as u16);
                }
                bound.push(Bound { resource, element, view, surface });
            }
        }
        for s in &self.surfaces {
            let address = placer.place(s.size())?;
            device.residents.push(Resident {
                name: format!("texture {}", s.image),
                address,
                bytes: s.upload(&dispatch.images[s.image]),
                writable: s.written_as.is_some(),
                resource: s.written_as,
            });
        }
        for b in &bound {
            let words = self.described(b, device, dispatch);
            device.descriptors.push(Descriptor { of: b.resource.descriptor(b.element), words });
        }
        for r in all().map(|r| r.1).filter(|r| r.kind == ResourceKind::Sampler) {
            for element in 0..r.count.max(1) {
                let sampler = dispatch.require_sampler(r.group, r.binding, element)?;
                let words = sampler_words(self.chip, sampler)?.to_vec();
                device.descriptors.push(Descriptor { of: r.descriptor(element), words });
            }
        }
        Ok(())
    }

    /// Words of a texture's descriptors: its T#, and behind that of a sampled one a null T# of its FMASK.
    fn described(&self, b: &Bound<'_>, device: &Device, dispatch: &Dispatch) -> Vec<u32> {
        let s = &self.surfaces[b.surface];
        let base = device.residents[b.surface].address;
        let storage = b.resource.kind == ResourceKind::StorageTexture;
        let view = b.view;
        // A storage view is its level, as if there were no other.
        let (address, level) =
            if storage { (base + s.level_offset(view.base_level), view.base_level) } else { (base, 0) };
        let size = s.level_size(level);
        let words = texture_words(&TextureView {
            address,
            format: s.plane.format(&view, &dispatch.images[s.image]),
            dim: if storage && view.dim == Dim::Cube { Dim::D2 } else { view.dim },
            size: [size[0], size[1], if s.is_3d { size[2] } else { 1 }],
            image_layers: if s.is_3d { 1 } else { s.size[2] },
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
        words
    }
}

fn is_buffer(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::Immediates)
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
fn tables(entry: &Entry, dispatch: &Dispatch, device: &mut Device, placer: &mut Placer) -> Result<(), Trap> {
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
                    SlotKind::Buffer => buffer(r, dispatch, device)?.to_vec(),
                    _ => device.descriptor(r.descriptor(element)).map(|d| d.words.clone()).unwrap_or_default(),
                };
                let at = (offset + element * slot_size(slot.kind)) as usize;
                for (k, w) in words.iter().enumerate() {
                    bytes[at + 4 * k..at + 4 * k + 4].copy_from_slice(&w.to_le_bytes());
                }
            }
        }
        let address = placer.place(bytes.len() as u64)?;
        device.tables.push((group, address));
        let name = format!("table of bind group {group}");
        device.residents.push(Resident { name, address, bytes, writable: false, resource: None });
    }
    Ok(())
}

/// The V# of a buffer.
fn buffer(r: &Resource, dispatch: &Dispatch, device: &Device) -> Result<[u32; 4], Trap> {
    let place = dispatch.require(r.group, r.binding, r.min_size.into())?;
    let address = device.buffers.iter().find(|b| b.0 == place).map_or(0, |b| b.1);
    Ok(buffer_words(address, dispatch.buffers[place].bytes.len() as u32))
}
