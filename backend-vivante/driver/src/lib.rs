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

use gpucc_container::{DescriptorKey, Entry, Resource, ResourceKind, Source, Variant};
use gpucc_pipeline::Target;
use gpucc_sim::texture::{Format, Image, Sampler};
use gpucc_sim::{AddressSpace, BoundTexture, Device, Dispatch, Registers, Trap, TrapKind};

use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Part, Placer, Plane, SurfaceLayout, of_generation};

/// File code of the texture units in preloads: lane 0 the texture, lane 1 the sampler.
const FILE_UNIT: u8 = 2;
/// Units that a program may name.
const UNITS: usize = 32;
/// Words that a texture's descriptor begins with, for queries: width, height, depth, layers, levels, samples, the last level, whether
/// texels are sRGB.
const FACTS: usize = 8;

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

    /// Facts for queries, and behind them what a unit is told.
    fn texture(&self, b: &BoundView<'_, Tiled>) -> Result<Vec<u32>, Trap> {
        let (s, view, variant) = (b.layout, b.view, b.resource.shape.variant);
        let first = view.base_level;
        let several = b.image.samples > 1;
        let [w, h, d] = s.level_size(first);
        let depth = if b.image.is_3d { d } else { 1 };
        // A pixel of several samples is several texels, of which only the variant knows.
        let by = if several && variant != Variant::Samples { 2 } else { 1 };
        let cubes = if view.dim == gpucc_sim::texture::Dim::Cube { view.layers / 6 } else { view.layers };
        let (format, halves) = (b.format(), has_halves(b.image.format));
        let facts = [
            w / by,
            h / by,
            depth,
            cubes,
            view.levels,
            b.image.samples,
            view.levels - 1,
            words::is_srgb(format).into(),
        ];
        let mut out = facts.to_vec();
        let level = |l: u32| {
            let layer = if b.image.is_3d { 0 } else { view.base_layer * s.layer(l) };
            (b.address + s.level_offset(l)) as u32 + layer
        };
        if b.resource.kind == ResourceKind::StorageTexture {
            let (address, spare) = (level(first), (b.address + s.size() - surface::SPARE) as u32);
            out.extend([address, 4 * s.row(first), s.layer(first), spare.wrapping_sub(address)]);
            return Ok(out);
        }
        if several && variant != Variant::Samples || halves && !matches!(variant, Variant::Low | Variant::High) {
            // Nothing but its sizes is asked.
            return Ok(out);
        }
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
            levels: (first..first + view.levels).map(level).collect(),
            stride: [s.row(first), s.layer(first)],
        };
        match self.chip {
            Chip::Halti5 => out.extend(descriptor(&view)?.0),
            _ => out.extend(texture_state(&view)?.0),
        }
        Ok(out)
    }

    /// Samplers are part of a unit: a word that there is one, its limits as floats, whether it filters between levels.
    fn sampler(&self, r: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap> {
        sampler(r.descriptor(element), dispatch).map(|s| {
            vec![1, s.lod_min.to_bits(), s.lod_max.to_bits(), (s.mip == gpucc_sim::texture::Filter::Linear).into()]
        })
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
            let found = device.descriptor(texture).map(|d| d.words.clone()).unwrap_or_default();
            let (facts, rest) = found.split_at(FACTS.min(found.len()));
            if rest.is_empty() || usize::from(number) >= UNITS {
                return Err(Trap::new(
                    TrapKind::Unsupported,
                    format!("texture unit {number} cannot read what is bound"),
                ));
            }
            let sampler = of.map_or(Ok(Sampler::default()), |of| sampler(of, dispatch))?;
            let words = if self.chip == Chip::Halti5 {
                let address = match placed.iter().find(|p| p.0 == texture) {
                    Some(p) => p.1,
                    None => {
                        let name = format!("descriptor of unit {number}'s texture");
                        let address = placer.constant(device, name, gpucc_sim::words::bytes(rest))? as u32;
                        placed.push((texture, address));
                        address
                    }
                };
                unit_registers(address, facts[7] == 1, &sampler)?.0
            } else {
                let mut state = StateWords::default();
                state.0.copy_from_slice(rest);
                unit_state(self.chip, state, facts[4], &sampler)?.0
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

/// The sampler that a key means; the nearest texel of the nearest level nobody binds.
fn sampler(of: DescriptorKey, dispatch: &Dispatch) -> Result<Sampler, Trap> {
    Ok(match of.variant {
        Variant::Nearest => Sampler::default(),
        Variant::LevelZero => {
            let s = dispatch.require_sampler(of.group, of.binding, of.element)?;
            Sampler { lod_min: 0.0, lod_max: 0.0, ..*s }
        }
        _ => *dispatch.require_sampler(of.group, of.binding, of.element)?,
    })
}
