//! Tesla: texels in tiles, tables of texture (TIC) and sampler (TSC) descriptors, windows of g[] (`isa/graphics-tesla.md` 1.4, 2).
//!
//! Entry n of a table is what a program calls $t n or $s n. Programs read facts in c0: sizes, and of storage textures how their tiles lie.

mod draw;
mod surface;
mod words;

pub use words::{TextureView, sampler_words, texture_words};

use gpucc_container::{Access, Entry, Resource, ResourceKind, TextureFact, Variant};
use gpucc_pipeline::Target;
use gpucc_sim::texture::{Image, Sampler};
use gpucc_sim::words::bytes;
use gpucc_sim::{BoundTexture, Device, Dispatch, Registers, Trap, TrapKind};

use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Part, Placer, Plane, of_generation, sampler_of};
use surface::Tiled;

/// The number of the table of texture descriptors.
const TEXTURES: u32 = 0;
/// The number of the table of sampler descriptors.
const SAMPLERS: u32 = 1;
/// Bytes of an entry of either.
const ENTRY: usize = 32;

/// The fields of Tesla's descriptors.
pub struct Tesla {
    /// Number of the generation: g80, g84, g200, gt215.
    chip: u8,
}

/// The driver part of a generation, by its name; `perturb` moves addresses.
///
/// # Errors
/// A generation that there is none for.
pub fn part(generation: &str, perturb: Option<u64>) -> Result<Part<Tesla>, Trap> {
    let chip = match generation {
        "nv50" => Some(0),
        "nv84" => Some(1),
        "nva0" => Some(2),
        "nva3" => Some(3),
        _ => None,
    };
    Ok(Part::new(Tesla { chip: of_generation("tesla", chip, generation)? }, perturb))
}

/// Whether a storage texture is a window of g[]: what is only read is fetched as a texture.
fn is_window(r: &Resource) -> bool {
    r.kind == ResourceKind::StorageTexture && r.access != Access::Read
}

impl Tesla {
    /// The words of the window of a storage texture.
    fn window(&self, b: &BoundView<'_, Tiled>) -> Result<Vec<u32>, Trap> {
        let (s, level) = (b.layout, b.layout.levels[b.view.base_level as usize]);
        let address = b.address + s.start(b.view.base_level, if s.is_3d { 0 } else { b.view.base_layer });
        let plain = !s.is_3d && !b.resource.shape.arrayed;
        let rows = level.size[1].next_multiple_of(4 << level.tile_rows);
        let end = b.address + gpucc_drivers::SurfaceLayout::size(s) - address;
        if plain && (level.pitch > 1 << 16 || rows > 1 << 16) || end > 1 << 32 {
            return Err(Trap::new(TrapKind::Unsupported, "a storage texture that is larger than a window of g[]"));
        }
        let (pitch, limit, mode) = if plain {
            (level.pitch * (4 << level.tile_rows), (rows - 1) << 16 | (level.pitch - 1), level.tile_rows << 4)
        } else {
            (0, (end - 1) as u32, 1)
        };
        Ok(vec![(address >> 32) as u32, address as u32, pitch, limit, mode])
    }
}

/// Whether the fixed function blends what a target gets; otherwise the fragment program did.
pub fn blends(_: &Target) -> bool {
    true
}

impl Descriptors for Tesla {
    type Layout = Tiled;

    /// Whether the view is copied: on nv50 the place of a layer follows from the levels of the view.
    fn copies_view(&self, resource: &Resource, view: &BoundTexture, image: &Image) -> bool {
        let layers = !image.is_3d && image.size[2] > 1;
        self.chip == 0 && !is_window(resource) && layers && view.levels < image.levels
    }

    fn layout(&self, image: &Image, plane: Plane) -> Tiled {
        Tiled::new(image, plane)
    }

    /// A TIC, or the words of a window.
    fn texture(&self, b: &BoundView<'_, Tiled>) -> Result<Vec<u32>, Trap> {
        if is_window(b.resource) {
            return self.window(b);
        }
        let (s, view) = (b.layout, b.view);
        let component = match b.resource.shape.variant {
            Variant::Whole | Variant::Samples => None,
            Variant::Component0 => Some(0),
            Variant::Component1 => Some(1),
            Variant::Component2 => Some(2),
            Variant::Component3 => Some(3),
            v => return Err(Trap::new(TrapKind::Unsupported, format!("no texture of variant {} exists", v.name()))),
        };
        let short = self.chip == 0;
        let last = view.base_level + view.levels - 1;
        // Without a first level the address is that of the view's, and the texture ends with the view.
        let (first, from) =
            if short { (view.base_level, [0, last - view.base_level]) } else { (0, [view.base_level, last]) };
        let level = s.levels[first as usize];
        let storage = b.resource.kind == ResourceKind::StorageTexture;
        let words = texture_words(&TextureView {
            address: b.address + s.start(first, if s.is_3d { 0 } else { view.base_layer }),
            format: b.format(),
            component,
            dim: view.dim,
            arrayed: b.resource.shape.arrayed && !s.is_3d || storage && view.layers > 1,
            multisampled: s.samples != [0, 0],
            size: level.size,
            layers: view.layers,
            levels: s.levels.len() as u32 - first,
            view: from,
            tile: [level.tile_rows, level.tile_slices],
            short,
            depth16: self.chip >= 2,
        });
        Ok(words.to_vec())
    }

    fn texel_facts(&self, b: &BoundView<'_, Tiled>) -> Vec<(TextureFact, u32)> {
        let (s, level) = (b.layout, b.layout.levels[b.view.base_level as usize]);
        let (slices, stride) = if s.is_3d { (level.tile_slices, level.slice()) } else { (0, s.layer_stride) };
        vec![
            (TextureFact::RowTiles, level.row()),
            (TextureFact::TileRows, 2 + level.tile_rows),
            (TextureFact::TileSlices, slices),
            (TextureFact::TileBytes, level.tile()),
            (TextureFact::LayerBytes, stride as u32),
        ]
    }

    fn sampler(&self, r: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap> {
        Ok(sampler_words(&sampler_of(r.descriptor(element), dispatch)?).to_vec())
    }

    /// The tables of textures and samplers. Vertex arrays are state.
    fn tables(
        &self,
        entry: &Entry,
        _: &[PlacedAttribute<'_>],
        _: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Vec<(u32, u64)>, Trap> {
        let mut tables = Vec::new();
        let mut textures: Vec<u8> = Vec::new();
        // Fetches look at the first sampler.
        let mut samplers: Vec<u8> = bytes(&sampler_words(&Sampler::default()));
        for r in entry.resources.iter().filter(|r| !r.kind.is_buffer() && !is_window(r)) {
            let table = if r.kind == ResourceKind::Sampler { &mut samplers } else { &mut textures };
            for element in 0..r.count.max(1) {
                let at = (r.slot + element) as usize * ENTRY;
                let Some(d) = device.descriptor(r.descriptor(element)) else { continue };
                if table.len() < at + ENTRY {
                    table.resize(at + ENTRY, 0);
                }
                table[at..at + ENTRY].copy_from_slice(&bytes(&d.words));
            }
        }
        for (number, name, table) in [(TEXTURES, "TIC table", textures), (SAMPLERS, "TSC table", samplers)] {
            if !table.is_empty() {
                let address = placer.constant(device, name.into(), table)?;
                tables.push((number, address));
            }
        }
        Ok(tables)
    }

    fn draw(
        &self,
        job: &DrawJob<'_>,
        list: &[PlacedAttribute<'_>],
        _: &mut Device,
        _: &mut Placer,
    ) -> Result<Registers, Trap> {
        draw::registers(job, list)
    }
}
