//! Valhall: texels in planes, descriptors of 32 bytes in tables, a table of these tables (`isa/valhall.md` 8.3, `isa/graphics-valhall.md`
//! a.4 and b).
//!
//! Table 0 is the driver's own: 16 attributes and then the sampler of instructions that need none in vertex programs, that sampler
//! first in others. Table s + 1 has the bindings of group s.

mod surface;
mod words;

pub use words::{
    PlaneView, TextureView, attribute_words, blend_words, blends, buffer_words, dummy_sampler, format_bits,
    plane_words, sampler_words, table_words, texture_words, vertex_format_bits,
};

use gpucc_container::{Entry, Resource, ResourceKind, Stage};
use gpucc_pipeline::{StepMode, Topology, VertexFormat};
use gpucc_sim::texture::{Dim, Image};
use gpucc_sim::words::bytes;
use gpucc_sim::{Device, Dispatch, Registers, Trap, TrapKind};

use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::place::{buffer, whole};
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Part, Placer, Plane, of_generation};
use surface::Planes;

/// Words of a descriptor.
const WORDS: usize = 8;

/// Attributes of a vertex program.
const ATTRIBUTES: usize = 16;

/// Vertex buffers behind them and the sampler.
const BUFFERS: usize = 16;
/// Register of the command stream: the blend descriptors.
const BLEND: u32 = 50;
/// Register of the command stream: the size of points whose vertices do not say it.
const PRIMITIVE_SIZE: u32 = 60;
const SPACE: u16 = 0;

/// The fields of Valhall's descriptors.
pub struct Valhall {
    /// Whether planes have the sizes of their levels.
    v10: bool,
}

/// The driver part of a generation, by its name; `perturb` moves addresses.
///
/// # Errors
/// A generation that there is none for.
pub fn part(generation: &str, perturb: Option<u64>) -> Result<Part<Valhall>, Trap> {
    let v10 = match generation {
        "v9" => Some(false),
        "v10" => Some(true),
        _ => None,
    };
    Ok(Part::new(Valhall { v10: of_generation("valhall", v10, generation)? }, perturb))
}

impl Descriptors for Valhall {
    type Layout = Planes;

    fn layout(&self, image: &Image, plane: Plane) -> Planes {
        Planes::new(image, plane)
    }

    /// The descriptor, and behind it those of its planes, which [`Descriptors::tables`] places.
    fn texture(&self, b: &BoundView<'_, Planes>) -> Result<Vec<u32>, Trap> {
        whole(b.resource)?;
        let (s, view) = (b.layout, b.view);
        let storage = b.resource.kind == ResourceKind::StorageTexture;
        let dim = if storage && view.dim == Dim::Cube { Dim::D2 } else { view.dim };
        let levels = if storage { 1 } else { view.levels };
        let [w, h, d] = s.level_size(view.base_level);
        let layers = match dim {
            Dim::D3 => 1,
            Dim::Cube => view.layers / 6,
            _ => view.layers,
        };
        let texture = TextureView {
            format: b.format(),
            dim,
            size: [w, h, if dim == Dim::D3 { d } else { 1 }],
            levels,
            layers,
            samples: s.samples,
            tiled: s.tiled,
            planes: 0,
        };
        let mut words = texture_words(&texture).to_vec();
        let of = if dim == Dim::D3 { 1 } else { view.layers };
        for (layer, level) in (0..of).flat_map(|layer| (0..levels).map(move |level| (layer, level))) {
            let level = view.base_level + level;
            let [start, row_stride, slice_stride, size] = s.plane(level, view.base_layer + layer);
            let [w, h, _] = s.level_size(level);
            words.extend(plane_words(&PlaneView {
                address: b.address + start,
                size,
                bytes: s.bytes,
                tiled: s.tiled,
                row_stride,
                slice_stride,
                extent: self.v10.then_some([w, h]),
            }));
        }
        Ok(words)
    }

    fn sampler(&self, r: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap> {
        whole(r)?;
        Ok(sampler_words(dispatch.require_sampler(r.group, r.binding, element)?).to_vec())
    }

    fn tables(
        &self,
        entry: &Entry,
        list: &[PlacedAttribute<'_>],
        dispatch: &Dispatch,
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Vec<(u32, u64)>, Trap> {
        let listed = |r: &&Resource| r.kind != ResourceKind::Immediates;
        let count = entry.resources.iter().filter(listed).map(|r| r.group + 2).max().unwrap_or(1);
        let mut directory: Vec<u32> = Vec::new();
        for table in 0..count {
            let words = match table {
                0 => own_table(entry.stage, list)?,
                n => group_table(entry, n - 1, dispatch, device, placer)?,
            };
            if words.is_empty() {
                directory.extend([0; 4]);
                continue;
            }
            let name = format!("table {table} of the {} program", format!("{:?}", entry.stage).to_lowercase());
            let size = 4 * words.len() as u32;
            directory.extend(table_words(placer.constant(device, name, bytes(&words))?, size));
        }
        let pointer = placer.constant(device, "table of tables".into(), bytes(&directory))?;
        // The number of tables is in the low bits.
        Ok(vec![(0, pointer | u64::from(count))])
    }

    /// The blend descriptors are in memory.
    fn draw(
        &self,
        job: &DrawJob<'_>,
        _: &[PlacedAttribute<'_>],
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Registers, Trap> {
        let mut all = Registers::new();
        if job.pipeline.topology == Topology::PointList {
            all.set(SPACE, PRIMITIVE_SIZE, 1f32.to_bits(), u32::MAX);
        }
        job.write_state(&mut all)?;
        let targets = &job.pipeline.targets;
        let words: Vec<u32> = (0..).zip(targets).flat_map(|(n, t)| blend_words(n, t.as_ref())).collect();
        let pointer = placer.constant(device, "blend descriptors".into(), bytes(&words))? | targets.len() as u64;
        all.set(SPACE, BLEND, pointer as u32, u32::MAX);
        all.set(SPACE, BLEND + 1, (pointer >> 32) as u32, u32::MAX);
        Ok(all)
    }
}

/// The driver's table: of a vertex program attributes, the sampler, and the buffers of the attributes.
fn own_table(stage: Stage, list: &[PlacedAttribute<'_>]) -> Result<Vec<u32>, Trap> {
    if stage != Stage::Vertex {
        return Ok(dummy_sampler().to_vec());
    }
    let mut words = vec![0; WORDS * (ATTRIBUTES + 1 + BUFFERS)];
    let mut put = |n: usize, of: [u32; WORDS]| words[WORDS * n..WORDS * (n + 1)].copy_from_slice(&of);
    put(ATTRIBUTES, dummy_sampler());
    for a in list {
        let format = match (vertex_format_bits(a.attribute.format), vertex_format_bits(VertexFormat::Uint32)) {
            (Some(format), _) => format,
            // Code finishes the word, if it was compiled for this pipeline.
            (None, Some(word)) if a.row.integer => word,
            _ => {
                let what = format!("code for an attribute of {} needs the pipeline", a.attribute.format.name());
                return Err(Trap::new(TrapKind::Unsupported, what));
            }
        };
        let (n, buffer) = (usize::from(a.row.index), ATTRIBUTES + 1 + a.slot);
        if n >= ATTRIBUTES || a.slot >= BUFFERS {
            let what = format!("attribute {n}, vertex buffer {}: there is no room in the table", a.slot);
            return Err(Trap::new(TrapKind::Unsupported, what));
        }
        let (offset, stride) = (a.attribute.offset as u32, a.layout.stride as u32);
        let of_instance = a.layout.step == StepMode::Instance;
        put(n, attribute_words(format, of_instance, offset, buffer as u32, stride));
        put(buffer, buffer_words(a.address, a.bytes));
    }
    Ok(words)
}

/// The table of a bind group; nothing where the program uses none of it.
fn group_table(
    entry: &Entry,
    group: u32,
    dispatch: &Dispatch,
    device: &mut Device,
    placer: &mut Placer,
) -> Result<Vec<u32>, Trap> {
    let mut words: Vec<u32> = Vec::new();
    for r in entry.resources.iter().filter(|r| r.group == group && r.kind != ResourceKind::Immediates) {
        for element in 0..r.count.max(1) {
            let found = match r.kind {
                ResourceKind::Uniform | ResourceKind::Storage => {
                    let (address, size) = buffer(r, dispatch, device)?;
                    buffer_words(address, size).to_vec()
                }
                _ => device.descriptor(r.descriptor(element)).map(|d| d.words.clone()).unwrap_or_default(),
            };
            let (own, planes) = found.split_at(found.len().min(WORDS));
            let mut own = own.to_vec();
            if !planes.is_empty() {
                let address = placer.constant(device, "planes of a texture".into(), bytes(planes))?;
                own[4] = address as u32;
                own[5] = (address >> 32) as u32;
            }
            let at = WORDS * (r.slot + element) as usize;
            words.resize(words.len().max(at + WORDS), 0);
            words[at..at + own.len()].copy_from_slice(&own);
        }
    }
    Ok(words)
}
