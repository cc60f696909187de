//! Inputs and outputs of vertex and fragment programs in the hardware: words of a[], v[] and o[], result registers, and the
//! state words that declare them (`isa/graphics-tesla.md` 1.2, 1.3).

use gpucc_container::StateWord;
use gpucc_driver::{Direction, HwPlace};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Function, IoAt, IoSlot, Module, Stage, StageInfo, Sysval};
use gpucc_pipeline::Pipeline;

/// Files of the container's interface: elements of vertices, words of o[] and v[], registers.
mod file {
    pub const ELEMENT: u8 = 1;
    pub const OUT: u8 = 2;
    pub const VARYING: u8 = 3;
    pub const REGISTER: u8 = 0;
}

/// Method numbers of state.
mod method {
    pub const FP_RESULT_COUNT: u32 = 0x1298;
    pub const VP_GP_BUILTIN_ATTR_EN: u32 = 0x164c;
    pub const VP_ATTR_EN: u32 = 0x1650;
    pub const VP_REG_ALLOC_RESULT: u32 = 0x16b8;
    pub const FP_MULTISAMPLE: u32 = 0x1928;
    pub const FP_CTRL_UNK196C: u32 = 0x196c;
    pub const SEMANTIC_PRIM_ID: u32 = 0x1914;
    pub const FP_INTERPOLANT_CTRL: u32 = 0x1988;
    pub const FP_CONTROL: u32 = 0x19a8;
}

/// Words that a fragment program has of a[] or v[] at most.
pub const WORDS: u32 = 128;
/// Words between the stages: slots of results less those of the position.
pub const VARYINGS: u64 = 60;

/// The inputs and outputs of an entry point.
#[derive(Clone, Debug, Default)]
pub struct Io {
    /// The stage; nothing of a compute entry.
    pub stage: Option<Stage>,
    /// The parts of its stage that the program uses.
    pub used: StageUse,
    /// First word in a[] or v[] of each input, if it is read.
    pub words: Vec<Option<u32>>,
    /// Components of each element of a vertex, a bit each.
    components: Vec<u32>,
    /// Where the numbers of vertex and instance are in a[].
    pub numbers: [Option<u32>; 2],
    /// Components of the position of a fragment in v[], a bit each.
    pub position: u32,
    /// The word of v[] with the number of the primitive, which is the last.
    pub primitive: Option<u32>,
    /// Words of v[] behind the position, and how many of them are not flat.
    counts: [u32; 2],
    /// First word in o[], or first register, of each output.
    pub outputs: Vec<u32>,
    /// Words of o[], or registers of results.
    pub results: u32,
}

impl Io {
    /// Looks at a function of a stage.
    pub fn new(m: &Module, f: &Function, stage: &StageInfo) -> Io {
        let Some(interface) = stage.interface() else { return Io::default() };
        let used = StageUse::new(m, f, stage);
        let mut io = Io { stage: Some(stage.kind()), used, ..Io::default() };
        if io.is_fragment() {
            io.fragment(interface);
        } else {
            io.vertex(interface);
        }
        io
    }

    /// Whether it is a vertex or fragment entry.
    pub fn is_staged(&self) -> bool {
        self.stage.is_some()
    }

    /// Whether it is a fragment entry.
    pub fn is_fragment(&self) -> bool {
        self.stage == Some(Stage::Fragment)
    }

    fn vertex(&mut self, interface: &gpucc_ir::Interface) {
        let mut next = 0;
        for (slot, &read) in interface.inputs.iter().zip(&self.used.inputs) {
            let lanes = slot.ty.lanes();
            self.words.push(read.then_some(next));
            if read {
                next += lanes;
                self.components.push((1 << lanes) - 1);
            }
        }
        let vertex = self.used.reads(Sysval::VertexIndex) || self.used.reads(Sysval::RawVertexIndex);
        let instance = self.used.reads(Sysval::RawInstanceIndex);
        // Something has to be on.
        for (k, on) in [vertex || next == 0 && !instance, instance].into_iter().enumerate() {
            self.numbers[k] = on.then_some(next);
            next += u32::from(on);
        }
        // The position first, then clip distances by number.
        let mut at = 4;
        let mut order: Vec<usize> = (0..interface.outputs.len()).collect();
        order.sort_by_key(|&k| match interface.outputs[k].at {
            IoAt::Position => (0, 0),
            IoAt::ClipDistance(n) => (1, n),
            IoAt::CullDistance(n) => (2, n),
            _ => (3, 0),
        });
        self.outputs = vec![0; interface.outputs.len()];
        for k in order {
            let slot = &interface.outputs[k];
            if slot.at == IoAt::Position {
                continue;
            }
            self.outputs[k] = at;
            at += slot.ty.lanes();
        }
        self.results = at;
    }

    fn fragment(&mut self, interface: &gpucc_ir::Interface) {
        // 1/w is always there.
        self.position = 8 | u32::from(self.used.frag_coord);
        let first = self.position.count_ones();
        self.words = vec![None; interface.inputs.len()];
        let mut next = 0;
        for flat in [false, true] {
            for (k, slot) in interface.inputs.iter().enumerate() {
                if self.used.inputs[k] && slot.is_flat() == flat {
                    self.words[k] = Some(first + next);
                    next += slot.ty.lanes();
                }
            }
            self.counts[usize::from(!flat)] = next;
        }
        if self.used.reads(Sysval::PrimitiveIndex) {
            self.primitive = Some(first + next);
            next += 1;
        }
        self.counts[0] = next;
        self.outputs = vec![0; interface.outputs.len()];
        let mut end = 0;
        for (at, slot) in self.outputs.iter_mut().zip(&interface.outputs) {
            if let IoAt::Location { number, blend_src } = slot.at {
                *at = 4 * u32::from(number + blend_src);
                end = end.max(*at + 4);
            }
        }
        for special in [IoAt::SampleMask, IoAt::FragDepth] {
            if let Some(k) = interface.outputs.iter().position(|s| s.at == special) {
                self.outputs[k] = end;
                end += 1;
            }
        }
        self.results = if end == 0 { 4 } else { end };
    }

    /// The word of v[] of a component of the position.
    pub fn position_word(&self, component: u32) -> u32 {
        (self.position & ((1 << component) - 1)).count_ones()
    }

    /// Words that go from one stage to the next.
    pub fn varyings(&self) -> u64 {
        if self.is_fragment() { self.counts[0].into() } else { u64::from(self.results.saturating_sub(4)) }
    }

    /// Number of words of a[] that a vertex fills.
    pub fn attribute_words(&self) -> u32 {
        self.components.iter().map(|c| c.count_ones()).sum::<u32>() + self.numbers.iter().flatten().count() as u32
    }

    /// Number of elements of vertices, read or not.
    pub fn elements(&self) -> usize {
        self.components.len()
    }
}

/// Places of the rows of the container's interface.
pub fn places<'a>(io: &'a Io) -> impl FnMut(Direction, usize, &IoSlot) -> Option<HwPlace> + 'a {
    move |direction, n, slot| {
        let (file, index) = match (direction, io.is_fragment()) {
            (Direction::Input, false) => (file::ELEMENT, io.words[..n].iter().filter(|w| w.is_some()).count() as u32),
            (Direction::Input, true) => (file::VARYING, io.words[n]?),
            (Direction::Output, false) => (file::OUT, if slot.at == IoAt::Position { 0 } else { io.outputs[n] }),
            (Direction::Output, true) => (file::REGISTER, io.outputs[n]),
        };
        Some(HwPlace { file, index: index as u16, lane: 0 })
    }
}

fn word(register: u32, value: u32, mask: u32) -> StateWord {
    StateWord { space: 0, register, value, mask }
}

/// State that the program wants.
pub fn state(io: &Io, stage: &StageInfo, p: Option<&Pipeline>, generation: u8) -> Vec<StateWord> {
    match stage {
        StageInfo::Compute { .. } => Vec::new(),
        StageInfo::Vertex(_) => {
            let enabled = io.components.iter().enumerate().fold(0u64, |w, (k, &c)| w | u64::from(c) << (4 * k));
            // The number of a vertex includes the first one.
            let vertex = if io.numbers[0].is_some() { 0x1001 } else { 0 };
            let numbers = vertex | u32::from(io.numbers[1].is_some()) << 4;
            vec![
                word(method::VP_ATTR_EN, enabled as u32, u32::MAX),
                word(method::VP_ATTR_EN + 4, (enabled >> 32) as u32, u32::MAX),
                word(method::VP_GP_BUILTIN_ATTR_EN, numbers, u32::MAX),
                word(method::VP_REG_ALLOC_RESULT, io.results, u32::MAX),
            ]
        }
        StageInfo::Fragment { io: interface, .. } => {
            let has = |at: IoAt| interface.outputs.iter().any(|o| o.at == at);
            let (depth, mask) = (has(IoAt::FragDepth), has(IoAt::SampleMask));
            let colours = interface.outputs.iter().filter_map(|o| match o.at {
                IoAt::Location { number, blend_src } => Some(number + blend_src),
                _ => None,
            });
            let targets = p.map_or(0, |p| p.targets.iter().flatten().count());
            let several = colours.max().is_some_and(|n| n > 0) || targets > 1;
            let control = u32::from(several) | u32::from(depth) << 8 | u32::from(io.used.demotes) << 20;
            let [words, smooth] = io.counts;
            // From the first slot of the inputs on, which the other program decides.
            let primitive = io.primitive.map(|_| word(method::SEMANTIC_PRIM_ID, words - 1, u32::MAX));
            let mut list = vec![
                word(method::FP_RESULT_COUNT, io.results, u32::MAX),
                word(method::FP_CONTROL, control, u32::MAX),
                word(method::FP_CTRL_UNK196C, if depth { 0x11 } else { 0 }, u32::MAX),
                word(method::FP_INTERPOLANT_CTRL, words | smooth << 16 | io.position << 24, 0xffff_00ff),
            ];
            list.extend(primitive);
            if generation == 3 {
                let each = io.used.per_sample || mask;
                list.push(word(method::FP_MULTISAMPLE, u32::from(each) << 1 | u32::from(mask), u32::MAX));
            }
            list
        }
    }
}
