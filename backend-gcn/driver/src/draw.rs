//! A draw: the table of vertex buffers, register words.

use gpucc_container::Interpolation;
use gpucc_pipeline::Topology;
use gpucc_sim::words::bytes;
use gpucc_sim::{Device, Registers, Trap};

use super::words::{Chip, vertex_words};
use gpucc_drivers::link::PlacedAttribute;
use gpucc_drivers::{DrawJob, Placer};

/// The bind group that stands for vertex buffers in the lists of tables: the number of their table less one.
const VERTEX_GROUP: u32 = 0xfffe;
/// Where the first parameter of a fragment program comes from; those of others follow.
const SPI_PS_INPUT_CNTL_0: u32 = 0x28644;
/// The number of the vertex program's parameter in it.
const PARAMETER: u32 = 0x3f;
/// Space of all registers: they are named by address.
const SPACE: u16 = 0;
/// Half the height and width of points in sixteenths of a pixel: half a pixel.
const POINT_SIZE: (u32, u32) = (0x28a00, 8 << 16 | 8);
/// The least and the most that half the width of a point may be whose vertex says it: half a pixel and 512 pixels.
const POINT_MINMAX: (u32, u32) = (0x28a04, (512 * 16) << 16 | 8);
/// Components that attachments are written.
const CB_TARGET_MASK: u32 = 0x28238;

/// The table of V#s of the buffers that attributes come from, if there are some: its number and address.
pub(super) fn vertex_table(
    chip: Chip,
    list: &[PlacedAttribute<'_>],
    device: &mut Device,
    placer: &mut Placer,
) -> Result<Option<(u32, u64)>, Trap> {
    let mut table: Vec<[u32; 4]> = Vec::new();
    for a in list {
        let at = usize::from(a.row.index);
        if table.len() <= at {
            table.resize(at + 1, [0; 4]);
        }
        table[at] = vertex_words(chip, a.address, a.bytes, a.layout.stride as u32);
    }
    if table.is_empty() {
        return Ok(None);
    }
    let address = placer.constant(device, "table of vertex buffers".into(), bytes(table.as_flattened()))?;
    Ok(Some((VERTEX_GROUP, address)))
}

/// The state that the programs want, with the rest that only the pair of them says.
pub(super) fn registers(job: &DrawJob<'_>) -> Result<Registers, Trap> {
    let pipeline = job.pipeline;
    let mut all = Registers::new();
    job.write_state(&mut all)?;
    for (from, to) in job.linked()? {
        let register = SPI_PS_INPUT_CNTL_0 + 4 * u32::from(to.index);
        // The values of the three vertices as they are, where the program asks for those.
        let as_they_are =
            matches!(to.interpolation, Interpolation::Vertex0 | Interpolation::Vertex1 | Interpolation::Vertex2);
        all.set(SPACE, register, u32::from(from.index) | u32::from(as_they_are) << 5, PARAMETER);
    }
    let mask = pipeline
        .targets
        .iter()
        .enumerate()
        .fold(0, |m, (k, t)| m | t.as_ref().map_or(0, |t| u32::from(t.write) << (4 * k)));
    all.set(SPACE, CB_TARGET_MASK, mask, u32::MAX);
    if pipeline.topology == Topology::PointList {
        for (register, value) in [POINT_SIZE, POINT_MINMAX] {
            all.set(SPACE, register, value, u32::MAX);
        }
    }
    Ok(all)
}
