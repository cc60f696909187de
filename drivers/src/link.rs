//! Links the outputs of the vertex program of a draw to the inputs of the fragment program.

use gpucc_container::{Entry, InterfaceRow, IoPlace};
use gpucc_pipeline::{VertexAttribute, VertexBuffer};
use gpucc_sim::{Device, Resident, Trap, TrapKind};

use crate::DrawJob;
use crate::placer::Placer;

/// The output of the vertex program and the input of the fragment program of each input that is read. The place in a point is not among
/// them, and shares of vertices are not: no vertex gives them.
///
/// # Errors
/// An input for which the vertex program gives nothing.
pub fn link<'a>(vertex: &'a Entry, fragment: &'a Entry) -> Result<Vec<(&'a InterfaceRow, &'a InterfaceRow)>, Trap> {
    let one = |row: &'a InterfaceRow| match vertex.interface.iter().find(|o| o.output && o.at == row.at) {
        Some(from) => Ok((from, row)),
        None => Err(Trap::new(TrapKind::Dispatch, format!("the vertex program gives nothing for {:?}", row.at))),
    };
    fragment
        .interface
        .iter()
        .filter(|r| !r.output && !matches!(r.at, IoPlace::PointCoord | IoPlace::Barycentric))
        .map(one)
        .collect()
}

impl<'a> DrawJob<'a> {
    /// The pairs of outputs and inputs of both programs; none without a fragment program.
    ///
    /// # Errors
    /// As [`link`], and a container without an entry.
    pub fn linked(&self) -> Result<Vec<(&'a InterfaceRow, &'a InterfaceRow)>, Trap> {
        match self.entries()?[..] {
            [vertex, fragment] => link(vertex, fragment),
            _ => Ok(Vec::new()),
        }
    }
}

/// An attribute that a vertex program reads, and the buffer that has it.
#[derive(Clone, Copy, Debug)]
pub struct PlacedAttribute<'a> {
    /// The row of the program's interface.
    pub row: &'a InterfaceRow,
    /// The attribute of the pipeline that it reads.
    pub attribute: VertexAttribute,
    /// The layout of its buffer.
    pub layout: &'a VertexBuffer,
    /// Place of the buffer in the pipeline.
    pub slot: usize,
    /// Where the buffer lies.
    pub address: u64,
    /// Bytes that are bound; behind them are zeros up to the end of the last element.
    pub bytes: u32,
}

/// Places the vertex buffers that a program reads, each once, and gives its attributes in the order of the interface.
///
/// # Errors
/// An attribute that no buffer has, or no room.
pub fn attributes<'a>(
    entry: &'a Entry,
    job: &DrawJob<'a>,
    device: &mut Device,
    placer: &mut Placer,
) -> Result<Vec<PlacedAttribute<'a>>, Trap> {
    let mut placed: Vec<(usize, u64)> = Vec::new();
    let mut list = Vec::new();
    for row in entry.interface.iter().filter(|r| !r.output) {
        let IoPlace::Location { number, .. } = row.at else { continue };
        let found = job.pipeline.attribute(number.into());
        let Some(((slot, layout, attribute), data)) =
            found.and_then(|f| Some((f, job.vertex_buffers.get(f.0)?.as_ref()?)))
        else {
            return Err(Trap::new(TrapKind::Dispatch, format!("no vertex buffer has location {number}")));
        };
        let address = match placed.iter().find(|p| p.0 == slot) {
            Some(p) => p.1,
            None => {
                // Elements are read whole: what is missing of the last one is there, as zeros.
                let mut bytes = data.bytes.to_vec();
                let stride = data.layout.stride.max(1) as usize;
                bytes.resize(bytes.len().next_multiple_of(stride), 0);
                let address = placer.place(bytes.len() as u64)?;
                let name = format!("vertex buffer {slot}");
                device.residents.push(Resident { name, address, bytes: bytes.into(), writable: false, resource: None });
                placed.push((slot, address));
                address
            }
        };
        let bytes = data.bytes.len() as u32;
        list.push(PlacedAttribute { row, attribute, layout, slot, address, bytes });
    }
    Ok(list)
}
