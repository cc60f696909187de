//! Inputs and outputs of vertex and fragment programs in the hardware: launch registers, parameters, exports, and the
//! register words that declare them (`docs/abi-gcn.md`, section 11).

use gpucc_container::StateWord;
use gpucc_driver::{Direction, HwPlace};
use gpucc_gcn_machine::abi::{self, reg};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Form, Function, IoAt, IoSlot, Mode, Module, Stage, StageInfo, Sysval, Where};
use gpucc_pipeline::{Pipeline, StepMode, VertexAttribute};

/// The bind group under whose number the table of vertex buffers goes.
pub const VERTEX_GROUP: u32 = abi::VERTEX_TABLE as u32 - 1;

/// Parameters that a vertex program exports at most, and a fragment program reads.
pub const PARAMETERS: u64 = 32;

/// An attribute as it is fetched.
#[derive(Clone, Copy, Debug)]
pub struct Fetched {
    /// Format and offset, as the pipeline states them.
    pub attribute: VertexAttribute,
    /// The step of an element.
    pub step: StepMode,
    /// Place of the buffer's V# in the table.
    pub place: u32,
}

/// The part of a colour that leaves, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Number of the format in SPI_SHADER_COL_FORMAT.
    pub format: u32,
    /// Sources that are used.
    pub enabled: u32,
    /// Whether they hold pairs of halves.
    pub compressed: bool,
    /// Number of the attachment that it goes to.
    pub attachment: u32,
}

/// The inputs and outputs of an entry point.
#[derive(Clone, Debug, Default)]
pub struct Io {
    /// The parts of its stage that the program uses; nothing of a compute entry.
    pub used: StageUse,
    /// Whether it is a compute entry.
    pub is_compute: bool,
    /// Whether it is a fragment entry.
    pub is_fragment: bool,
    /// Whether whole quads run.
    pub quads: bool,
    /// Whether lanes can be live or not.
    pub lives: bool,
    /// Bits of SPI_PS_INPUT_ENA: inputs that the hardware loads.
    pub enabled: u32,
    /// The parameter of each input that is read.
    pub attributes: Vec<Option<u32>>,
    /// Whether vertex buffers are read.
    pub vertex_table: bool,
    /// Whether base vertex and first instance are read.
    pub first: [bool; 2],
    /// Whether the number of the instance is read.
    pub instances: bool,
    /// Whether the number of the primitive is read.
    pub primitives: bool,
}

/// Registers of an item of SPI_PS_INPUT_ADDR.
pub fn width(bit: u32) -> u32 {
    match bit {
        3 => 3,
        0..=6 => 2,
        _ => 1,
    }
}

/// The pair of coordinates of an input. The place in a point is that of the sample where the program runs for each.
fn pair(slot: &IoSlot, per_sample: bool) -> Option<u32> {
    let at = match slot.interp.at {
        _ if slot.at == IoAt::PointCoord && per_sample => 0,
        Where::Sample => 0,
        Where::Center => 1,
        Where::Centroid => 2,
    };
    match slot.interp.mode {
        _ if is_flat(slot) => None,
        Mode::Linear => Some(4 + at),
        _ => Some(at),
    }
}

/// Whether an input has the value of one vertex.
pub fn is_flat(slot: &IoSlot) -> bool {
    slot.interp.mode.is_constant() || slot.is_flat()
}

/// Whether an input comes from a parameter of the vertex program, or from what points replace one by.
fn is_parameter(slot: &IoSlot) -> bool {
    slot.at != IoAt::Barycentric
}

/// Whether an output of a vertex program is a parameter.
pub fn travels(at: IoAt) -> bool {
    matches!(at, IoAt::Location { .. } | IoAt::PrimitiveIndex | IoAt::VertexNumber)
}

impl Io {
    /// Looks at a function of a stage.
    pub fn new(m: &Module, f: &Function, stage: &StageInfo, p: Option<&Pipeline>) -> Io {
        let mut io = Io { is_compute: stage.kind() == Stage::Compute, ..Io::default() };
        let Some(interface) = stage.interface() else { return io };
        io.is_fragment = stage.kind() == Stage::Fragment;
        io.used = StageUse::new(m, f, stage);
        io.attributes = io.used.inputs.iter().map(|read| read.then_some(0)).collect();
        if io.is_fragment {
            io.fragment(interface);
        } else {
            io.vertex(interface, p);
        }
        io
    }

    /// Values that go from one stage to the next: those that a vertex entry returns, or that a fragment entry reads.
    pub fn varyings(&self, m: &Module) -> usize {
        let Some(interface) = m.entries[0].interface() else { return 0 };
        if self.is_fragment {
            return self.parameters() as usize;
        }
        interface.outputs.iter().filter(|s| travels(s.at)).count()
    }

    /// Parameters that a fragment program reads.
    fn parameters(&self) -> u32 {
        self.attributes.iter().flatten().max().map_or(0, |n| n + 1)
    }

    fn fragment(&mut self, interface: &gpucc_ir::Interface) {
        let used = &self.used;
        self.quads = used.needs_quads;
        self.lives = used.demotes || self.quads && (used.writes_memory || used.ballots);
        let mut number = 0;
        for (k, slot) in interface.inputs.iter().enumerate() {
            if self.attributes[k].is_none() {
                continue;
            }
            self.enabled |= pair(slot, used.per_sample).map_or(0, |bit| 1 << bit);
            // The values of all three vertices are in one parameter.
            let vertex = |s: &IoSlot| s.interp.mode.vertex().is_some();
            let same = |s: &IoSlot| s.at == slot.at && vertex(s) && vertex(slot);
            let known = (0..k).filter(|&o| same(&interface.inputs[o])).find_map(|o| self.attributes[o]);
            self.attributes[k] = match known {
                _ if !is_parameter(slot) => None,
                Some(known) => Some(known),
                None => {
                    number += 1;
                    Some(number - 1)
                }
            };
        }
        let position = u32::from(used.frag_coord);
        self.enabled |= position << 8;
        let mask = used.reads(Sysval::SampleMask);
        self.enabled |= u32::from(used.reads(Sysval::FrontFacing)) << 12;
        let ancillary = used.reads(Sysval::SampleIndex) || used.reads(Sysval::Layer) || mask && used.per_sample;
        self.enabled |= u32::from(ancillary) << 13;
        self.enabled |= u32::from(mask) << 14;
        // POS_W needs a pair with perspective, and some pair is always on.
        if self.enabled & 0x7f == 0 || position & 8 != 0 && self.enabled & 15 == 0 {
            self.enabled |= 2;
        }
    }

    fn vertex(&mut self, interface: &gpucc_ir::Interface, p: Option<&Pipeline>) {
        for (slot, at) in interface.inputs.iter().zip(&self.attributes) {
            if at.is_none() {
                continue;
            }
            self.vertex_table = true;
            match self.fetched(slot, interface, p).map(|f| f.step) {
                Some(StepMode::Instance) => {
                    self.instances = true;
                    self.first[1] = true;
                }
                _ => self.first[0] = true,
            }
        }
        self.primitives = self.used.reads(Sysval::RawPrimitiveIndex);
        self.instances |= self.primitives || self.used.reads(Sysval::RawInstanceIndex);
        self.first[0] |= self.used.reads(Sysval::FirstVertex);
        self.first[1] |= self.used.reads(Sysval::FirstInstance);
    }

    /// Where an input of a vertex comes from.
    pub fn fetched(&self, slot: &IoSlot, interface: &gpucc_ir::Interface, p: Option<&Pipeline>) -> Option<Fetched> {
        let IoAt::Location { number, .. } = slot.at else { return None };
        // Buffers of which something is read have a V#, in the order of their slots.
        let read = |location: u32| {
            let of = |s: &IoSlot| matches!(s.at, IoAt::Location { number, .. } if u32::from(number) == location);
            interface.inputs.iter().any(of)
        };
        let p = p?;
        let (slot, buffer, attribute) = p.attribute(number.into())?;
        let before = p.vertex[..slot].iter().flatten();
        let place = before.filter(|b| b.attributes.iter().any(|a| read(a.location))).count();
        Some(Fetched { attribute, step: buffer.step, place: place as u32 })
    }

    /// The first vector register of an item of SPI_PS_INPUT_ADDR, if it is on.
    pub fn item(&self, bit: u32) -> Option<u32> {
        (self.enabled >> bit & 1 == 1).then(|| (0..bit).filter(|b| self.enabled >> b & 1 == 1).map(width).sum())
    }

    /// The first vector register of an input's coordinates.
    pub fn coordinates(&self, slot: &IoSlot) -> Option<u32> {
        self.item(pair(slot, self.used.per_sample)?)
    }

    /// Whether the program runs for each sample.
    pub fn per_sample(&self) -> bool {
        self.used.per_sample
    }

    /// Vector registers that the hardware fills.
    pub fn vgprs(&self) -> u32 {
        match (self.is_fragment, self.is_compute) {
            (true, _) => (0..16).filter(|b| self.enabled >> b & 1 == 1).map(width).sum(),
            (_, true) => 0,
            _ => 1 + u32::from(self.instances) + u32::from(self.primitives),
        }
    }
}

/// How a colour leaves. `slot` is the number of the target among the bound ones.
pub fn colour(slot: &IoSlot, p: Option<&Pipeline>) -> Option<Colour> {
    let IoAt::Location { number, blend_src } = slot.at else { return None };
    let p = p?;
    let (attachment, target) = p.present(usize::from(number))?;
    // Alpha beside what is stored.
    let alpha = target.reads_source_alpha() || attachment == 0 && p.alpha_to_coverage || blend_src == 1;
    let components = target.format.components();
    let packed = match slot.form {
        Form::Plain => None,
        Form::Half16 => Some(4),
        Form::Unorm16 => Some(5),
        Form::Snorm16 => Some(6),
        Form::Uint16 => Some(7),
        Form::Sint16 => Some(8),
    };
    let (format, enabled) = match (packed, components) {
        (Some(format), 1 | 2) if !alpha || slot.ty.lanes() == 1 => (format, 3),
        (Some(format), _) => (format, if slot.ty.lanes() == 1 { 3 } else { 15 }),
        (None, 1) if alpha => (3, 9),
        (None, 1) => (1, 1),
        (None, 2) if !alpha => (2, 3),
        _ => (9, 15),
    };
    // An operand beside an attachment goes to the first one as well.
    let attachment = attachment as u32 + u32::from(blend_src);
    Some(Colour { format, enabled, compressed: packed.is_some(), attachment })
}

/// Places of the colours among the outputs, the lowest attachment first: the number of a colour's export is its place in this list.
/// The hardware counts the formats of exports, and the targets that CB_SHADER_MASK names, in that order; outputs are declared in any.
pub fn colours(interface: &gpucc_ir::Interface) -> Vec<usize> {
    let at = |k: usize| match interface.outputs[k].at {
        IoAt::Location { number, blend_src } => Some((number, blend_src)),
        _ => None,
    };
    let mut list: Vec<usize> = (0..interface.outputs.len()).filter(|&k| at(k).is_some()).collect();
    list.sort_by_key(|&k| at(k));
    list
}

/// Places of the rows of the container's interface: of an attribute its V# in the table, of what goes between the stages the
/// parameter, of an export its target.
pub fn places<'a>(
    io: &'a Io,
    stage: &'a StageInfo,
    p: Option<&'a Pipeline>,
) -> impl FnMut(Direction, usize, &IoSlot) -> Option<HwPlace> + 'a {
    let mut parameter = 0;
    let colours = stage.interface().map_or_else(Vec::new, colours);
    move |direction, n, slot| {
        let (file, index) = match (direction, slot.at) {
            (Direction::Input, _) if io.is_fragment => (abi::FILE_PARAM, io.attributes[n]?),
            (Direction::Input, _) => {
                (abi::FILE_ATTRIBUTE, io.fetched(slot, stage.interface()?, p).map_or(0, |f| f.place))
            }
            (_, IoAt::Position) => (abi::FILE_EXPORT, 12),
            (_, IoAt::PointSize | IoAt::Layer | IoAt::ViewportIndex) => (abi::FILE_EXPORT, 13),
            // No program gives it.
            (_, IoAt::PointCoord | IoAt::Barycentric) => return None,
            (_, IoAt::ClipDistance(_) | IoAt::CullDistance(_)) => {
                let interface = stage.interface()?;
                (abi::FILE_EXPORT, first_distances(interface) + distance(slot.at, interface)? / 4)
            }
            (_, IoAt::FragDepth | IoAt::FragStencil | IoAt::SampleMask) => (abi::FILE_EXPORT, 8),
            (_, IoAt::Location { .. }) if io.is_fragment => {
                (abi::FILE_EXPORT, colours.iter().take_while(|&&c| c != n).count() as u32)
            }
            (_, IoAt::Location { .. } | IoAt::PrimitiveIndex | IoAt::VertexNumber) => {
                parameter += 1;
                (abi::FILE_PARAM, parameter - 1)
            }
        };
        let lane = match slot.at {
            IoAt::ClipDistance(_) | IoAt::CullDistance(_) => (distance(slot.at, stage.interface()?)? % 4) as u8,
            // Behind the depth and the stencil value, or the size of a point and the edge flag.
            IoAt::FragStencil => 1,
            IoAt::SampleMask | IoAt::Layer => 2,
            IoAt::ViewportIndex => 3,
            _ => 0,
        };
        Some(HwPlace { file, index: index as u16, lane })
    }
}

fn word(register: u32, value: u32) -> StateWord {
    StateWord { space: 0, register, value, mask: u32::MAX }
}

/// Register words of a program whose RSRC words are given.
pub fn words(io: &Io, stage: &StageInfo, p: Option<&Pipeline>, rsrc: [u32; 2]) -> Vec<StateWord> {
    match stage {
        StageInfo::Compute { .. } => Vec::new(),
        StageInfo::Vertex(interface) => {
            let distances = distances(interface);
            let exports = first_distances(interface) - 12 + distances.div_ceil(4);
            let params = interface.outputs.iter().filter(|o| travels(o.at)).count() as u32;
            let format = (0..exports).fold(0, |w, k| w | 4 << (4 * k));
            // A primitive that is outside with all vertices is culled by clip distances, too.
            let (clips, all) = ((1 << clips(interface)) - 1, (1 << distances) - 1);
            let [size, layer, viewport] = beside(interface).map(u32::from);
            // The vector that they are in is on twice: for itself, and for the bus beside that of the positions.
            let choice = size << 16 | layer << 18 | viewport << 19;
            let both = if choice == 0 { 0 } else { 1 << 21 | 1 << 24 };
            let vectors = both | u32::from(distances > 0) << 22 | u32::from(distances > 4) << 23;
            vec![
                word(reg::SPI_SHADER_PGM_RSRC1_VS, rsrc[0]),
                word(reg::SPI_SHADER_PGM_RSRC2_VS, rsrc[1]),
                word(reg::SPI_VS_OUT_CONFIG, params.saturating_sub(1) << 1),
                word(reg::SPI_SHADER_POS_FORMAT, format),
                word(reg::PA_CL_VS_OUT_CNTL, clips | all << 8 | choice | vectors),
                word(reg::VGT_PRIMITIVEID_EN, io.primitives.into()),
            ]
        }
        StageInfo::Fragment { io: interface, early_depth } => {
            let (mut format, mut mask, mut count) = (0, 0, 0);
            for c in colours(interface).into_iter().filter_map(|k| colour(&interface.outputs[k], p)) {
                format |= c.format << (4 * count);
                let nibble = match c.format {
                    1 => 1,
                    2 => 3,
                    3 => 9,
                    _ => 15,
                };
                mask |= nibble << (4 * c.attachment);
                count += 1;
            }
            let has = |at: IoAt| interface.outputs.iter().any(|o| o.at == at);
            let (depth, stencil, samples) = (has(IoAt::FragDepth), has(IoAt::FragStencil), has(IoAt::SampleMask));
            // Without a depth the others are halves.
            let z = match (depth, stencil, samples) {
                (false, false, false) => 0,
                (true, false, false) => 1,
                (true, true, false) => 2,
                (false, ..) => 7,
                (true, _, true) => 9,
            };
            if count == 0 && z == 0 {
                format = 1;
            }
            let order = if io.used.writes_memory || *early_depth { 0 } else { 1 << 4 };
            let memory = if io.used.writes_memory { 0x600 } else { 0 };
            let control = u32::from(depth)
                | u32::from(stencil) << 1
                | order
                | u32::from(io.used.demotes) << 6
                | u32::from(samples) << 8
                | memory
                | u32::from(*early_depth) << 12;
            let read = io.parameters();
            let samples = p.map_or(1, |p| p.samples.max(1));
            let invocations = if io.used.per_sample { samples.ilog2() } else { 0 };
            let mut list = vec![
                word(reg::SPI_SHADER_PGM_RSRC1_PS, rsrc[0]),
                word(reg::SPI_SHADER_PGM_RSRC2_PS, rsrc[1]),
                word(reg::SPI_PS_INPUT_ENA, io.enabled),
                word(reg::SPI_PS_INPUT_ADDR, io.enabled),
                // Centroids are always written: code makes no choice.
                word(reg::SPI_PS_IN_CONTROL, read | 1 << 14),
                word(reg::SPI_SHADER_Z_FORMAT, z),
                word(reg::SPI_SHADER_COL_FORMAT, format),
                word(reg::CB_SHADER_MASK, mask),
                word(reg::DB_SHADER_CONTROL, control),
                // The position is that of the pixel's centre, also where the program runs for each sample.
                word(reg::SPI_BARYC_CNTL, 0),
                StateWord { mask: 7 << 4, ..word(reg::DB_EQAA, invocations << 4) },
                StateWord { mask: 1 << 16, ..word(reg::PA_SC_MODE_CNTL_1, u32::from(io.used.per_sample) << 16) },
            ];
            for (slot, at) in interface.inputs.iter().zip(&io.attributes) {
                if let Some(n) = at {
                    // The parameter is the driver's to say: it knows the other program.
                    let flat = u32::from(is_flat(slot)) << 10;
                    let register = reg::SPI_PS_INPUT_CNTL_0 + 4 * n;
                    if slot.at == IoAt::PointCoord {
                        list.push(StateWord { mask: SPRITE_MASK, ..word(register, SPRITE) });
                        list.push(word(reg::SPI_INTERP_CONTROL_0, SPRITES));
                        continue;
                    }
                    list.push(StateWord { mask: 1 << 10, ..word(register, flat) });
                }
            }
            list
        }
    }
}

/// An input that is the place in a point: PT_SPRITE_TEX, and OFFSET 32, so that it is (0, 0, 0, 0) where there is no point.
const SPRITE: u32 = 1 << 17 | 0x20;
/// FLAT_SHADE, DEFAULT_VAL and OFFSET beside it.
const SPRITE_MASK: u32 = 1 << 17 | 0x73f;
/// SPI_INTERP_CONTROL_0: flat shading and sprites are on; x is S, y is T, z is 0, w is 1, and T is 0 above.
const SPRITES: u32 = 1 | 1 << 1 | 2 << 2 | 3 << 5 | 1 << 11;

/// Whether a vertex program gives the size of a point, and chooses a layer and a viewport: all are in the vector behind the position.
pub fn beside(interface: &gpucc_ir::Interface) -> [bool; 3] {
    [IoAt::PointSize, IoAt::Layer, IoAt::ViewportIndex].map(|at| interface.outputs.iter().any(|s| s.at == at))
}

/// The export of the first clip distances: behind the position, and the vector of the size of a point, a layer and a viewport where there is one.
pub fn first_distances(interface: &gpucc_ir::Interface) -> u32 {
    13 + u32::from(beside(interface) != [false; 3])
}

/// How many clip distances there are, holes among them.
pub fn clips(interface: &gpucc_ir::Interface) -> u32 {
    let number = |s: &IoSlot| match s.at {
        IoAt::ClipDistance(n) => Some(u32::from(n) + 1),
        _ => None,
    };
    interface.outputs.iter().filter_map(number).max().unwrap_or(0)
}

/// The number of a distance among all: cull distances follow clip distances.
pub fn distance(at: IoAt, interface: &gpucc_ir::Interface) -> Option<u32> {
    match at {
        IoAt::ClipDistance(n) => Some(n.into()),
        IoAt::CullDistance(n) => Some(clips(interface) + u32::from(n)),
        _ => None,
    }
}

/// How many distances there are, holes among them.
pub fn distances(interface: &gpucc_ir::Interface) -> u32 {
    interface.outputs.iter().filter_map(|s| distance(s.at, interface)).max().map_or(0, |n| n + 1)
}
