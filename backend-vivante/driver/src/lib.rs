//! Vivante: texels in tiled surfaces, 128-bit texels in two halves, the table of texture units (`isa/graphics-vivante.md` 2,
//! `docs/abi-vivante.md` 10).

mod draw;
mod surface;
mod words;

pub use draw::link_words;
pub use surface::Tiled;
pub use words::{
    Chip, DescriptorWords, FormatWord, Part as TexelPart, SamplerWords, StateWords, TextureView, UNIT_WORDS,
    descriptor, texture_state, unit_registers, unit_state,
};

use std::collections::BTreeMap;

use gpucc_container::{DescriptorKey, Entry, Resource, ResourceKind, Source, TextureFact, Variant};
use gpucc_pipeline::Target;
use gpucc_sim::texture::{Format, Image, Sampler};
use gpucc_sim::{AddressSpace, BoundTexture, Device, Dispatch, Registers, Trap, TrapKind};

use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Part, Placer, Plane, SurfaceLayout, of_generation, sampler_of};

/// File code of the texture units in preloads: lane 0 the texture, lane 1 the sampler.
const FILE_UNIT: u8 = 2;
/// Units that a program may name.
const UNITS: usize = 32;

/// The fields of Vivante's descriptors.
pub struct Vivante {
    chip: Chip,
}

/// The driver part of a generation, by its name; `perturb` moves addresses.
///
/// # Errors
/// A generation that there is none for.
pub fn part(generation: &str, perturb: Option<u64>) -> Result<Part<Vivante>, Trap> {
    let chip = of_generation("vivante", Chip::of(generation), generation)?;
    Ok(Part::new(Vivante { chip }, perturb))
}

/// Two channels of a format of 128 bits.
fn half(format: Format) -> Format {
    match format {
        Format::Rgba32Float => Format::Rg32Float,
        Format::Rgba32Sint => Format::Rg32Sint,
        _ => Format::Rg32Uint,
    }
}

fn is_wide(format: Format) -> bool {
    format.bytes() == 16
}

/// How many components of fractions of 16 bits a format has. No unit has a code for them: their surfaces hold floats.
fn fractions(format: Format) -> Option<u8> {
    match format {
        Format::R16Unorm | Format::R16Snorm => Some(1),
        Format::Rg16Unorm | Format::Rg16Snorm => Some(2),
        Format::Rgba16Unorm | Format::Rgba16Snorm => Some(4),
        _ => None,
    }
}

/// Whether texels lie in two surfaces.
fn has_halves(format: Format) -> bool {
    is_wide(format) || fractions(format) == Some(4)
}

/// Whether the fixed function blends what a target gets; otherwise the fragment program did.
pub fn blends(_: &Target) -> bool {
    true
}

impl Descriptors for Vivante {
    type Layout = Tiled;

    fn space(&self, perturb: Option<u64>) -> AddressSpace {
        AddressSpace::new32(perturb)
    }

    fn plane(&self, resource: &Resource, view: &BoundTexture, image: &Image) -> Plane {
        if resource.kind == ResourceKind::StorageTexture {
            return Plane::of(view, image);
        }
        if let Some(count) = fractions(image.format) {
            let first = if count == 4 && resource.shape.variant == Variant::High { 2 } else { 0 };
            return Plane::Floats { first, count: count.min(2) };
        }
        match (is_wide(image.format), resource.shape.variant) {
            (true, Variant::High) => Plane::High,
            (true, _) => Plane::Low,
            _ => Plane::of(view, image),
        }
    }

    /// A unit reads from multiples of 64 bytes, and layers of small levels lie closer.
    fn copies_view(&self, resource: &Resource, view: &BoundTexture, image: &Image) -> bool {
        if resource.kind == ResourceKind::StorageTexture || image.is_3d || view.base_layer == 0 {
            return false;
        }
        let layout = Tiled::new(image, self.plane(resource, view, image));
        let begins = |level| u64::from(view.base_layer) * u64::from(layout.layer(level));
        (view.base_level..view.base_level + view.levels).any(|level| begins(level) % surface::LEVEL != 0)
    }

    fn layout(&self, image: &Image, plane: Plane) -> Tiled {
        Tiled::new(image, plane)
    }

    /// What a unit is told. Of storage textures, and where a pixel or texel is several of a unit's, programs ask for facts alone.
    fn texture(&self, b: &BoundView<'_, Tiled>) -> Result<Vec<u32>, Trap> {
        let (s, view, variant) = (b.layout, b.view, b.resource.shape.variant);
        let (format, halves) = (b.format(), has_halves(b.image.format));
        if b.resource.kind == ResourceKind::StorageTexture
            || b.image.samples > 1 && variant != Variant::Samples
            || halves && !matches!(variant, Variant::Low | Variant::High)
        {
            return Ok(Vec::new());
        }
        let first = view.base_level;
        let [w, h, d] = s.level_size(first);
        let depth = if b.image.is_3d { d } else { 1 };
        let part = match variant {
            _ if halves => TexelPart::Whole,
            Variant::Low => TexelPart::Low,
            Variant::High => TexelPart::High,
            _ => TexelPart::Whole,
        };
        let view = TextureView {
            format: if is_wide(format) { half(format) } else { format },
            part,
            dim: view.dim,
            array: b.resource.shape.arrayed,
            size: [w, h, depth],
            layers: view.layers,
            levels: (first..first + view.levels).map(|l| level_address(b, l)).collect(),
            stride: [s.row(first), s.layer(first)],
        };
        Ok(match self.chip {
            Chip::Halti5 => descriptor(&view)?.0.to_vec(),
            _ => texture_state(&view)?.0.to_vec(),
        })
    }

    fn texel_facts(&self, b: &BoundView<'_, Tiled>) -> Vec<(TextureFact, u32)> {
        let (s, first) = (b.layout, b.view.base_level);
        let (address, spare) = (level_address(b, first), (b.address + s.size() - surface::SPARE) as u32);
        vec![
            (TextureFact::Address, address),
            (TextureFact::RowBytes, 4 * s.row(first)),
            (TextureFact::LayerBytes, s.layer(first)),
            (TextureFact::SpareBytes, spare.wrapping_sub(address)),
        ]
    }

    /// Samplers are part of a unit.
    fn sampler(&self, _: &Resource, _: &Dispatch, _: u32) -> Result<Vec<u32>, Trap> {
        Ok(Vec::new())
    }

    /// The table of texture units. Elements and streams are registers.
    fn tables(
        &self,
        entry: &Entry,
        _: &[PlacedAttribute<'_>],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Vec<(u32, u64)>, Trap> {
        let mut units: BTreeMap<u16, [Option<DescriptorKey>; 2]> = BTreeMap::new();
        for p in entry.preloads.iter().filter(|p| p.file == FILE_UNIT) {
            if let (Source::TextureWord { of, .. }, 0..=1) = (p.source, p.lane) {
                units.entry(p.index).or_default()[usize::from(p.lane)] = Some(of);
            }
        }
        if units.is_empty() {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; UNITS * UNIT_WORDS * 4];
        let mut placed: Vec<(DescriptorKey, u32)> = Vec::new();
        for (number, [texture, of]) in units {
            let Some(texture) = texture else { continue };
            let found = device.descriptor(texture).cloned().unwrap_or_default();
            let fact = |f| found.fact(f).unwrap_or(0);
            if found.words.is_empty() || usize::from(number) >= UNITS {
                return Err(Trap::new(
                    TrapKind::Unsupported,
                    format!("texture unit {number} cannot read what is bound"),
                ));
            }
            let sampler = of.map_or(Ok(Sampler::default()), |of| sampler_of(of, dispatch))?;
            let words = if self.chip == Chip::Halti5 {
                let address = match placed.iter().find(|p| p.0 == texture) {
                    Some(p) => p.1,
                    None => {
                        let name = format!("descriptor of unit {number}'s texture");
                        let address = placer.constant(device, name, gpucc_sim::words::bytes(&found.words))? as u32;
                        placed.push((texture, address));
                        address
                    }
                };
                unit_registers(address, fact(TextureFact::Srgb) == 1, &sampler)?.0
            } else {
                let mut state = StateWords::default();
                state.0.copy_from_slice(&found.words);
                unit_state(self.chip, state, fact(TextureFact::Levels), &sampler)?.0
            };
            let at = usize::from(number) * UNIT_WORDS * 4;
            for (to, w) in bytes[at..].chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&w.to_le_bytes());
            }
        }
        let address = placer.constant(device, "table of texture units".into(), bytes)?;
        Ok(vec![(0, address)])
    }

    fn draw(
        &self,
        job: &DrawJob<'_>,
        list: &[PlacedAttribute<'_>],
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Registers, Trap> {
        let attributes = if list.is_empty() {
            let address = placer.constant(device, "an element for nobody".into(), vec![0; 4])?;
            draw::no_elements(self.chip, address as u32)
        } else {
            draw::elements(self.chip, list)?
        };
        draw::registers(self.chip, job, &attributes)
    }
}

/// Address of a level of a view, in its first layer.
fn level_address(b: &BoundView<'_, Tiled>, level: u32) -> u32 {
    let layer = if b.image.is_3d { 0 } else { b.view.base_layer * b.layout.layer(level) };
    (b.address + b.layout.level_offset(level)) as u32 + layer
}
