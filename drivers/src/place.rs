//! The part of a driver that all families have alike: what is bound gets a place in memory and descriptors.

use gpucc_container::{Access, Entry, Resource, ResourceKind, Stage, TextureFact, Variant};
use gpucc_sim::texture::{Format, Image};
use gpucc_sim::{
    AddressSpace, BoundTexture, Bytes, Descriptor, Device, Dispatch, DrawDevice, Kept, Registers, Resident, Trap,
    TrapKind,
};
use std::sync::Arc;

use crate::link::{PlacedAttribute, attributes};
use crate::placer::Placer;
use crate::surface::{BoundView, Plane, Surface, SurfaceLayout, sampler_facts, sampler_of};
use crate::{DrawJob, DriverPart};

/// How a family describes what is bound. Numbers come from its references.
pub trait Descriptors {
    /// Where texels lie.
    type Layout: SurfaceLayout;

    /// Places of memory objects are multiples of this.
    const ALIGN: u64 = 256;

    /// The size of the address space.
    fn space(&self, perturb: Option<u64>) -> AddressSpace {
        AddressSpace::new64(perturb)
    }

    /// The part of a texture that a resource reads.
    fn plane(&self, resource: &Resource, view: &BoundTexture, image: &Image) -> Plane {
        let _ = resource;
        Plane::of(view, image)
    }

    /// Whether a view that is only read needs a texture of its levels and layers alone, because no descriptor leaves out the others.
    fn copies_view(&self, resource: &Resource, view: &BoundTexture, image: &Image) -> bool {
        let _ = (resource, view, image);
        false
    }

    /// The layout of a part of a texture.
    fn layout(&self, image: &Image, plane: Plane) -> Self::Layout;

    /// Words of the descriptors of a texture or image.
    ///
    /// # Errors
    /// A resource that fits none.
    fn texture(&self, view: &BoundView<'_, Self::Layout>) -> Result<Vec<u32>, Trap>;

    /// Facts of how the texels of a storage texture lie, where programs ask for some.
    fn texel_facts(&self, view: &BoundView<'_, Self::Layout>) -> Vec<(TextureFact, u32)> {
        let _ = view;
        Vec::new()
    }

    /// Words of the descriptor of a sampler: of a derived one what [`Resource`]'s variant says, some of which nobody binds.
    ///
    /// # Errors
    /// A resource that is not bound, or fits none.
    fn sampler(&self, resource: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap>;

    /// Writes the tables that an entry point reads, if the family has some, and gives their numbers and addresses. A vertex program has
    /// attributes, which lie where the list says.
    ///
    /// # Errors
    /// A resource that is not bound, fits no descriptor, or has no room.
    fn tables(
        &self,
        entry: &Entry,
        list: &[PlacedAttribute<'_>],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Vec<(u32, u64)>, Trap> {
        let _ = (entry, list, dispatch, device, placer);
        Ok(Vec::new())
    }

    /// Writes what else in memory a draw needs, and gives the registers: the words that the programs want ([`DrawJob::write_state`]), and what
    /// only both programs, the pipeline and the attributes together say.
    ///
    /// # Errors
    /// Programs that are not linked, a resource that fits no descriptor, or has no room.
    fn draw(
        &self,
        job: &DrawJob<'_>,
        list: &[PlacedAttribute<'_>],
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Registers, Trap>;
}

/// Whether a resource is a buffer.
pub fn is_buffer(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::Immediates)
}

/// That a resource has one descriptor with all that is there: such a chip fetches it, so compilers ask for nothing else.
///
/// # Errors
/// A resource that has another.
pub fn whole(r: &Resource) -> Result<(), Trap> {
    match r.shape.variant {
        // Texels are converted as the descriptor says.
        Variant::Whole | Variant::AnyFormat => Ok(()),
        v => Err(Trap::new(TrapKind::Unsupported, format!("no descriptor of variant {} exists", v.name()))),
    }
}

/// Address and bytes of the buffer of a resource.
///
/// # Errors
/// It is not bound, or too small.
pub fn buffer(r: &Resource, dispatch: &Dispatch, device: &Device) -> Result<(u64, u32), Trap> {
    let place = dispatch.require(r.group, r.binding, r.min_size.into())?;
    let address = device.buffers.iter().find(|b| b.0 == place).map_or(0, |b| b.1);
    Ok((address, dispatch.buffers[place].bytes.len() as u32))
}

/// Most elements that the tables of a program have: numbers of bindings and elements of arrays have 16 bits each.
const MOST_ELEMENTS: u32 = 1 << 17;

/// That tables for the resources of an entry fit memory, whatever a damaged container says.
fn bounded(entry: &Entry) -> Result<(), Trap> {
    let mut total: u32 = 0;
    for r in entry.resources.iter().filter(|r| r.kind != ResourceKind::Immediates) {
        total = total.saturating_add(r.count.max(1));
        if r.group > 0xffff || r.slot.saturating_add(r.count.max(1)) > MOST_ELEMENTS || total > MOST_ELEMENTS {
            let what = format!("group {} slot {}, {} elements: no table is so large", r.group, r.slot, r.count);
            return Err(Trap::new(TrapKind::Container, what));
        }
    }
    Ok(())
}

/// The driver part of one launch of a family.
pub struct Part<D: Descriptors> {
    family: D,
    perturb: Option<u64>,
    /// Surfaces, in the order of the residents.
    surfaces: Vec<Surface<D::Layout>>,
    /// Some levels and layers of textures as textures of their own: the texture, which they are, and the copy. They are counted behind
    /// the textures of the dispatch.
    copies: Vec<(usize, Seen, Arc<Image>)>,
    /// Texels that earlier launches placed.
    kept: Kept,
}

impl<D: Descriptors> Part<D> {
    /// A driver part of a family, with nothing placed; `perturb` moves addresses.
    pub fn new(family: D, perturb: Option<u64>) -> Part<D> {
        Part { family, perturb, surfaces: Vec::new(), copies: Vec::new(), kept: Kept::default() }
    }

    fn placer(&self) -> Placer {
        Placer::new(self.family.space(self.perturb), D::ALIGN)
    }

    /// The surface of a part of a texture: the one there is, or a new one.
    fn surface(&mut self, image: usize, plane: Plane, dispatch: &Dispatch) -> usize {
        if let Some(k) = self.surfaces.iter().position(|s| s.image == image && s.plane == plane) {
            return k;
        }
        let layout = self.family.layout(self.image(image, dispatch), plane);
        self.surfaces.push(Surface { image, plane, layout, written_as: None });
        self.surfaces.len() - 1
    }

    /// A texture of the dispatch, or a copy.
    fn image<'a>(&'a self, n: usize, dispatch: &'a Dispatch) -> &'a Image {
        dispatch.images.get(n).unwrap_or_else(|| &self.copies[n - dispatch.images.len()].2)
    }

    /// The texels of a surface: of one that nobody writes those that an earlier launch placed, if it did.
    fn texels(&self, s: &Surface<D::Layout>, dispatch: &Dispatch) -> Bytes {
        let image = self.image(s.image, dispatch);
        if s.written_as.is_some() {
            return s.upload(image).into();
        }
        let key = (shape(image), s.plane, s.layout.clone());
        let make = || {
            let bytes = s.upload(image);
            let size = bytes.len();
            (bytes, size)
        };
        self.kept.get(image.bytes.version(), key, make).into()
    }

    /// The view with its levels and layers as a texture of their own.
    fn copied(&mut self, view: BoundTexture, dispatch: &Dispatch) -> BoundTexture {
        let image = &dispatch.images[view.image];
        let layers = if image.is_3d { [0, 0] } else { [view.base_layer, view.layers] };
        let seen = [[view.base_level, view.levels], layers];
        let same = |c: &(usize, Seen, Arc<Image>)| (c.0, c.1) == (view.image, seen);
        let n = self.copies.iter().position(same).unwrap_or_else(|| {
            let copy = self.kept.get(image.bytes.version(), (shape(image), seen), || {
                let copy = part(image, &view);
                let size = copy.bytes.len();
                (copy, size)
            });
            self.copies.push((view.image, seen, copy));
            self.copies.len() - 1
        });
        BoundTexture { image: dispatch.images.len() + n, base_level: 0, base_layer: 0, ..view }
    }

    /// Places buffers and texels, and makes descriptors, of what these programs use together.
    fn place(
        &mut self,
        entries: &[&Entry],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<(), Trap> {
        entries.iter().try_for_each(|e| bounded(e))?;
        let all = || entries.iter().flat_map(|e| e.resources.iter().enumerate());
        for r in all().map(|r| r.1).filter(|r| is_buffer(r.kind)) {
            let place = dispatch.require(r.group, r.binding, r.min_size.into())?;
            if device.buffers.iter().all(|b| b.0 != place) {
                let address = match dispatch.address(place) {
                    Some(address) => address,
                    None => placer.place(dispatch.buffers[place].bytes.len() as u64)?,
                };
                device.buffers.push((place, address));
            }
        }
        let mut bound = Vec::new();
        for (n, resource) in all() {
            let writes = resource.kind == ResourceKind::StorageTexture && resource.access != Access::Read;
            if !matches!(resource.kind, ResourceKind::Texture | ResourceKind::StorageTexture) {
                continue;
            }
            for element in 0..resource.count.max(1) {
                let mut view = *dispatch.require_texture(resource.group, resource.binding, element)?;
                if !writes && self.family.copies_view(resource, &view, &dispatch.images[view.image]) {
                    view = self.copied(view, dispatch);
                }
                let plane = self.family.plane(resource, &view, self.image(view.image, dispatch));
                let surface = self.surface(view.image, plane, dispatch);
                if writes && self.surfaces[surface].written_as.is_none() {
                    self.surfaces[surface].written_as = Some(n as u16);
                }
                bound.push((resource, element, view, surface));
            }
        }
        for s in &self.surfaces {
            let address = placer.place(s.layout.size())?;
            device.residents.push(Resident {
                name: format!("texture {}", s.image),
                address,
                bytes: self.texels(s, dispatch),
                writable: s.written_as.is_some(),
                resource: s.written_as,
            });
        }
        for (resource, element, view, surface) in bound {
            let (s, address) = (&self.surfaces[surface], device.residents[surface].address);
            let image = self.image(s.image, dispatch);
            let view = BoundView { resource, view, image, plane: s.plane, layout: &s.layout, address };
            let words = self.family.texture(&view)?;
            let mut facts = view.facts();
            if resource.kind == ResourceKind::StorageTexture {
                facts.extend(self.family.texel_facts(&view));
            }
            device.descriptors.push(Descriptor { of: resource.descriptor(element), words, facts });
        }
        for r in all().map(|r| r.1).filter(|r| r.kind == ResourceKind::Sampler) {
            for element in 0..r.count.max(1) {
                let (of, words) = (r.descriptor(element), self.family.sampler(r, dispatch, element)?);
                let facts = sampler_facts(&sampler_of(of, dispatch)?);
                device.descriptors.push(Descriptor { of, words, facts });
            }
        }
        Ok(())
    }
}

/// The levels and layers of a view: of each the first and how many. Layers of a volume are not counted.
type Seen = [[u32; 2]; 2];

/// The levels and layers of a view as a texture. A volume keeps all of its slices.
fn part(image: &Image, view: &BoundTexture) -> Image {
    let levels = image.of_levels(view.base_level, view.levels);
    if image.is_3d || view.layers == image.size[2] {
        return levels;
    }
    let [w, h, _] = levels.size;
    let mut bytes = Vec::new();
    for level in 0..levels.levels {
        let start = |layer| levels.offset(level, layer, 0, 0, 0);
        bytes.extend_from_slice(&levels.bytes[start(view.base_layer)..start(view.base_layer + view.layers)]);
    }
    Image { size: [w, h, view.layers], bytes: bytes.into(), ..levels }
}

/// All of a texture but its texels.
fn shape(image: &Image) -> (Format, bool, [u32; 3], u32, u32) {
    (image.format, image.is_3d, image.size, image.levels, image.samples)
}

impl<D: Descriptors> DriverPart for Part<D> {
    fn keep(&mut self, kept: &Kept) {
        self.kept = kept.clone();
    }

    fn upload(&mut self, entry: &Entry, dispatch: &Dispatch) -> Result<Device, Trap> {
        let (mut device, mut placer) = (Device::default(), self.placer());
        self.place(&[entry], dispatch, &mut device, &mut placer)?;
        device.tables = self.family.tables(entry, &[], dispatch, &mut device, &mut placer)?;
        Ok(device)
    }

    fn upload_draw(&mut self, job: &DrawJob<'_>, dispatch: &Dispatch) -> Result<DrawDevice, Trap> {
        let (mut device, mut placer) = (Device::default(), self.placer());
        let entries = job.entries()?;
        self.place(&entries, dispatch, &mut device, &mut placer)?;
        let read = attributes(entries[0], job, &mut device, &mut placer)?;
        let mut tables: [Vec<(u32, u64)>; 2] = Default::default();
        for (entry, to) in entries.iter().zip(&mut tables) {
            let list = if entry.stage == Stage::Vertex { &read[..] } else { &[] };
            *to = self.family.tables(entry, list, dispatch, &mut device, &mut placer)?;
        }
        let registers = self.family.draw(job, &read, &mut device, &mut placer)?;
        Ok(DrawDevice { device, tables, registers })
    }

    fn download(&self, device: &Device, dispatch: &mut Dispatch) {
        for (s, r) in self.surfaces.iter().zip(&device.residents) {
            if s.written_as.is_some() {
                s.download(&r.bytes, &mut dispatch.images[s.image]);
            }
        }
    }
}
