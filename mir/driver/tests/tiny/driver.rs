//! The driver part: texels row by row, descriptors in registers, and what only both programs together say.

use gpucc_container::{Interpolation, Resource};
use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::{BoundView, Descriptors, DrawJob, Placer, Plane, SurfaceLayout};
use gpucc_pipeline::VertexFormat;
use gpucc_sim::texture::{Filter, Format, Image, Sampler, TexelAt, Wrap};
use gpucc_sim::{AddressSpace, Device, Dispatch, Registers, Trap, TrapKind};

/// Rows one behind the other.
#[derive(Clone, PartialEq)]
pub struct Rows([u32; 2]);

impl SurfaceLayout for Rows {
    fn size(&self) -> u64 {
        4 * u64::from(self.0[0]) * u64::from(self.0[1])
    }

    fn offset(&self, TexelAt { x, y, .. }: TexelAt) -> u64 {
        4 * (u64::from(y) * u64::from(self.0[0]) + u64::from(x))
    }
}

/// The fields of the descriptors.
pub struct TinyDescriptors;

fn lacks(what: &str) -> Trap {
    Trap::new(TrapKind::Unsupported, format!("no descriptor for {what}"))
}

impl Descriptors for TinyDescriptors {
    type Layout = Rows;

    fn space(&self, perturb: Option<u64>) -> AddressSpace {
        AddressSpace::new32(perturb)
    }

    fn layout(&self, image: &Image, _: Plane) -> Rows {
        Rows([image.size[0], image.size[1]])
    }

    fn texture(&self, b: &BoundView<'_, Rows>) -> Result<Vec<u32>, Trap> {
        if b.image.is_3d || b.image.size[2] * b.image.levels * b.image.samples > 1 || b.format() != Format::Rgba8Unorm {
            return Err(lacks("this texture"));
        }
        Ok(vec![b.address as u32, b.layout.0[0] | b.layout.0[1] << 16])
    }

    fn sampler(&self, r: &Resource, dispatch: &Dispatch, element: u32) -> Result<Vec<u32>, Trap> {
        let s = *dispatch.require_sampler(r.group, r.binding, element)?;
        // The unit does nothing else.
        let only = Sampler { wrap: [Wrap::Repeat; 3], mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() };
        if s == only { Ok(Vec::new()) } else { Err(lacks("this sampler")) }
    }

    /// Descriptors of textures: space 0 for the vertex program, 1 for the other. Address and stride of attributes in space 2, what each
    /// input of a fragment is in space 3.
    fn draw(
        &self,
        job: &DrawJob<'_>,
        list: &[PlacedAttribute<'_>],
        device: &mut Device,
        _: &mut Placer,
    ) -> Result<Registers, Trap> {
        let mut all = Registers::new();
        for (space, e) in (0..).zip(job.entries()?) {
            for (r, d) in e.resources.iter().filter_map(|r| Some((r, device.descriptor(r.descriptor(0))?))) {
                (0..).zip(&d.words).for_each(|(k, w)| all.set(space, 2 * r.slot + k, *w, u32::MAX));
            }
        }
        for a in list {
            if a.attribute.format != VertexFormat::Float32x4 {
                return Err(lacks("this attribute"));
            }
            let n = 2 * u32::from(a.row.index);
            all.set(2, n, (a.address + a.attribute.offset) as u32, u32::MAX);
            all.set(2, n + 1, a.layout.stride as u32, u32::MAX);
        }
        for (from, to) in job.linked()? {
            let flat = u32::from(to.interpolation == Interpolation::Flat);
            all.set(3, to.index.into(), u32::from(from.index) | flat << 8, u32::MAX);
        }
        Ok(all)
    }
}
