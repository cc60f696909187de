//! A draw: memory of both stages, the table of vertex buffers, register words.

use gpucc_container::{Container, Entry, IoPlace};
use gpucc_pipeline::Pipeline;
use gpucc_sim::draw::VertexData;
use gpucc_sim::{AddressSpace, Device, Dispatch, DrawDevice, Registers, Resident, Trap, TrapKind};

use super::words::vertex_words;
use super::{Gcn, Placer, tables};

/// The bind group that stands for vertex buffers in the lists of tables: the number of their table less one.
const VERTEX_GROUP: u32 = 0xfffe;
/// Where the first parameter of a fragment program comes from; those of others follow.
const SPI_PS_INPUT_CNTL_0: u32 = 0x28644;
/// The number of the vertex program's parameter in it.
const PARAMETER: u32 = 0x3f;
/// Space of all registers: they are named by address.
const SPACE: u16 = 0;
/// Components that attachments are written.
const CB_TARGET_MASK: u32 = 0x28238;

impl Gcn {
    /// Places what both programs of a draw use.
    ///
    /// # Errors
    /// What is not bound, is bound and fits no descriptor, does not fit memory, or is not linked.
    pub fn upload_draw(
        &mut self,
        (vertex, fragment): (&Container, Option<&Container>),
        pipeline: &Pipeline,
        buffers: &[Option<VertexData<'_>>],
        dispatch: &Dispatch,
    ) -> Result<DrawDevice, Trap> {
        let mut device = Device::default();
        let mut placer = Placer { space: AddressSpace::new64(self.perturb), next: 0 };
        let entries: Vec<&Entry> =
            vertex.entries.first().into_iter().chain(fragment.and_then(|f| f.entries.first())).collect();
        self.place(&entries, dispatch, &mut device, &mut placer)?;
        let mut lists: [Vec<(u32, u64)>; 2] = Default::default();
        for (entry, list) in entries.iter().zip(&mut lists) {
            tables(entry, dispatch, &mut device, &mut placer)?;
            *list = std::mem::take(&mut device.tables);
        }
        if let Some(v) = entries.first()
            && let Some(address) = self.vertex_table(v, pipeline, buffers, &mut device, &mut placer)?
        {
            lists[0].push((VERTEX_GROUP, address));
        }
        let registers = registers(&entries, pipeline)?;
        Ok(DrawDevice { device, tables: lists, registers })
    }

    /// V#s of the buffers that attributes come from.
    fn vertex_table(
        &self,
        entry: &Entry,
        pipeline: &Pipeline,
        buffers: &[Option<VertexData<'_>>],
        device: &mut Device,
        placer: &mut Placer,
    ) -> Result<Option<u64>, Trap> {
        let mut table: Vec<[u32; 4]> = Vec::new();
        let mut placed: Vec<(usize, u64)> = Vec::new();
        for row in entry.interface.iter().filter(|r| !r.output) {
            let IoPlace::Location { number, .. } = row.at else { continue };
            let has = |b: &Option<gpucc_pipeline::VertexBuffer>| {
                b.as_ref().is_some_and(|b| b.attributes.iter().any(|a| a.location == u32::from(number)))
            };
            let slot = pipeline.vertex.iter().position(has);
            let Some((slot, data)) = slot.and_then(|k| Some((k, buffers.get(k)?.as_ref()?))) else {
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
                    device.residents.push(Resident { name, address, bytes, writable: false, resource: None });
                    placed.push((slot, address));
                    address
                }
            };
            let at = usize::from(row.index);
            if table.len() <= at {
                table.resize(at + 1, [0; 4]);
            }
            table[at] = vertex_words(self.chip, address, data.bytes.len() as u32, data.layout.stride as u32);
        }
        if table.is_empty() {
            return Ok(None);
        }
        let bytes: Vec<u8> = table.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        let address = placer.place(bytes.len() as u64)?;
        let name = "table of vertex buffers".into();
        device.residents.push(Resident { name, address, bytes, writable: false, resource: None });
        Ok(Some(address))
    }
}

/// What the programs want, with what only the pair of them says.
fn registers(entries: &[&Entry], pipeline: &Pipeline) -> Result<Registers, Trap> {
    let mut all = Registers::new();
    for w in entries.iter().flat_map(|e| &e.state) {
        all.set(w.space, w.register, w.value, w.mask);
    }
    if let [vertex, fragment] = entries {
        for row in fragment.interface.iter().filter(|r| !r.output) {
            let from = vertex.interface.iter().find(|o| o.output && o.at == row.at);
            let Some(from) = from else {
                let said = format!("the vertex program gives nothing for {:?}", row.at);
                return Err(Trap::new(TrapKind::Dispatch, said));
            };
            let register = SPI_PS_INPUT_CNTL_0 + 4 * u32::from(row.index);
            all.set(SPACE, register, from.index.into(), PARAMETER);
        }
    }
    let mask = pipeline
        .targets
        .iter()
        .enumerate()
        .fold(0, |m, (k, t)| m | t.as_ref().map_or(0, |t| u32::from(t.write) << (4 * k)));
    all.set(SPACE, CB_TARGET_MASK, mask, u32::MAX);
    Ok(all)
}
