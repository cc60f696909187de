//! Places of what a vertex or fragment program gets and gives, and the state words that say so (`docs/abi-vivante.md` 11).

use gpucc_container::StateWord;
use gpucc_driver::{Direction, HwPlace};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Function, IoAt, IoSlot, Module, Stage, StageInfo, Sysval};
use gpucc_pipeline::{Base, Format, Pipeline};
use gpucc_vivante_machine as machine;

use crate::colours::{colour_register, colours};

/// The inputs and outputs of an entry point.
#[derive(Clone, Debug, Default)]
pub struct Io {
    /// The parts of its stage that the program uses.
    pub used: StageUse,
    /// Whether it is a vertex entry; a fragment entry if `is_fragment`, else a compute entry.
    pub is_vertex: bool,
    /// Whether it is a fragment entry.
    pub is_fragment: bool,
    /// The temporary of each input that is read.
    pub inputs: Vec<Option<u16>>,
    /// Whether numbers of vertices and instances are read.
    pub ids: bool,
    /// The temporary of each output of a vertex entry, as far as it is known before allocation.
    pub outputs: Vec<u16>,
    /// Temporaries of colours, by hardware's number of the target; without any, those that [`colour_register`] says.
    pub colours: Vec<u16>,
}

impl Io {
    /// Looks at a function of a stage.
    pub fn new(m: &Module, f: &Function, stage: &StageInfo) -> Io {
        let mut io = Io::default();
        let Some(interface) = stage.interface() else { return io };
        io.used = StageUse::new(m, f, stage);
        io.is_vertex = stage.kind() == Stage::Vertex;
        io.is_fragment = !io.is_vertex;
        // Position is the first input of fragments.
        let mut next = u16::from(io.is_fragment);
        for &read in &io.used.inputs {
            io.inputs.push(read.then_some(next));
            next += u16::from(read);
        }
        io.ids = io.used.reads(Sysval::VertexIndex) || io.used.reads(Sysval::RawInstanceIndex);
        if io.is_vertex {
            let mut at = 1;
            for o in &interface.outputs {
                io.outputs.push(match o.at {
                    IoAt::Position => 0,
                    _ => {
                        at += 1;
                        at - 1
                    }
                });
            }
        }
        io
    }

    /// The temporary of a colour, by hardware's number of its target.
    pub fn colour(&self, n: usize) -> u16 {
        self.colours.get(n).copied().unwrap_or_else(|| colour_register(n))
    }

    /// Takes over where the end of the program finds what it hands over: `found` is the order of [`Isel::outputs`].
    ///
    /// [`Isel::outputs`]: crate::isel::Isel
    pub fn hand_over(&mut self, stage: &StageInfo, p: Option<&Pipeline>, found: &[u16]) {
        let Some(interface) = stage.interface() else { return };
        if self.is_vertex {
            self.outputs = found.to_vec();
            return;
        }
        let mut found = found.iter().copied();
        let first = found.clone().next();
        // A target that no output goes to has the register of another.
        let one = |c: &Option<crate::colours::Colour>| c.and_then(|_| found.next()).or(first).unwrap_or(1);
        self.colours = colours(&interface.outputs, p).iter().map(one).collect();
    }

    /// Inputs that are read.
    pub fn count(&self) -> u16 {
        self.inputs.iter().flatten().count() as u16
    }

    /// The register with numbers of vertex and instance.
    pub fn id_register(&self) -> u16 {
        self.count()
    }

    /// Temporaries that there must be for what the hardware loads and takes.
    pub fn temps(&self, stage: &StageInfo, p: Option<&Pipeline>) -> u16 {
        let Some(interface) = stage.interface() else { return 0 };
        if self.is_vertex {
            let read = self.count() + u16::from(self.ids);
            return read.max(self.outputs.iter().max().map_or(1, |t| t + 1));
        }
        let targets = (0..colours(&interface.outputs, p).len().max(1)).map(|n| self.colour(n) + 1).max();
        (self.count() + 1).max(targets.unwrap_or(1))
    }
}

/// Places of the rows of the container's interface.
pub fn places<'a>(
    io: &'a Io,
    stage: &'a StageInfo,
    p: Option<&'a Pipeline>,
) -> impl FnMut(Direction, usize, &IoSlot) -> Option<HwPlace> + 'a {
    let outputs = stage.interface().map_or(&[][..], |i| &i.outputs);
    let targets = colours(outputs, p);
    move |direction, n, slot| {
        let (index, lane) = match direction {
            Direction::Input => (io.inputs[n]?, 0),
            Direction::Output if io.is_vertex => (io.outputs[n], 0),
            Direction::Output if slot.at == IoAt::FragDepth => (0, 2),
            Direction::Output => (io.colour(targets.iter().position(|c| c.is_some_and(|c| c.output == n))?), 0),
        };
        Some(HwPlace { file: machine::abi::FILE_TEMP, index, lane })
    }
}

fn word(register: u32, value: u32) -> StateWord {
    StateWord { space: 0, register, value, mask: u32::MAX }
}

/// Bytes, four in a word.
fn map(first: u32, list: &[u32]) -> Vec<StateWord> {
    let one = |(k, part): (usize, &[u32])| {
        let value = part.iter().enumerate().fold(0, |w, (n, v)| w | v << (8 * n));
        word(first + 4 * k as u32, value)
    };
    list.chunks(4).enumerate().map(one).collect()
}

/// Whether the targets of a pipeline have several samples: fragments have an input more then, of which nothing is known.
pub fn has_samples(p: Option<&Pipeline>) -> bool {
    p.is_some_and(|p| p.samples > 1)
}

/// State words of a program with so many temporaries.
pub fn words(io: &Io, stage: &StageInfo, p: Option<&Pipeline>, generation: u8, temps: u16) -> Vec<StateWord> {
    let Some(interface) = stage.interface() else { return Vec::new() };
    let halti5 = generation == machine::GC7000;
    if io.is_vertex {
        let mut inputs: Vec<u32> = (0..u32::from(io.count())).collect();
        if inputs.is_empty() {
            // There is one element at least: it goes where nobody looks, behind all that is used.
            inputs.push(u32::from(temps) - 1);
        }
        if io.ids {
            inputs.push(io.id_register().into());
        }
        let n = inputs.len() as u32;
        let mut list =
            vec![word(0x0808, n | (n + 4).div_ceil(16) << 8 | u32::from(io.ids) << 31), word(0x080c, temps.into())];
        list.extend(map(if halti5 { 0x08c0 } else { 0x0820 }, &inputs));
        if halti5 && io.ids {
            let r = 4 * u32::from(io.id_register());
            list.push(word(0x07c4, 3 | r << 8 | (r + 1) << 16));
        }
        return list;
    }
    let targets = colours(&interface.outputs, p);
    let n = targets.len().max(1);
    // An input that no output goes to has the register of the first.
    let mut registers: Vec<u32> = (0..n).map(|k| u32::from(io.colour(k))).collect();
    registers.resize(8, registers[0]);
    let formats: Vec<_> = p.map_or_else(Vec::new, |p| {
        let all = p.targets.iter().flatten().map(|t| t.format);
        all.flat_map(|f| std::iter::repeat_n(f, if f.bytes() == 16 { 2 } else { 1 })).collect()
    });
    let unorm = |f: &Format| f.base() == Base::Float && f.bytes() <= f.components() * 2 && f.name().contains("unorm");
    let saturated = formats.iter().take(4).enumerate().fold(0, |w, (k, f)| w | u32::from(unorm(f)) << (k + 1));
    // The others have the bit beside their register.
    for (r, _) in registers.iter_mut().zip(&formats).skip(4).filter(|(_, f)| unorm(f)) {
        *r |= 0x80;
    }
    let mut list = vec![
        word(0x1008, (u32::from(io.count()) + 1 + u32::from(has_samples(p))) | 0x1f00),
        word(0x100c, temps.into()),
        word(0x1010, saturated | (n as u32 - 1) << 8),
    ];
    list.extend(map(0x1004, &registers[..4]));
    list.extend(map(0x102c, &registers[4..]));
    let modes = formats.iter().enumerate().fold(0, |w, (k, f)| w | output_mode(*f, halti5) << (4 * k));
    list.push(word(0x1030, modes));
    list.push(word(0x0e08, early_depth(io, stage, generation)));
    list
}

/// How a target takes what the program leaves: 0 as floats, 2 as words, 1 as integers; from HALTI5 on by their size and sign.
fn output_mode(f: Format, halti5: bool) -> u32 {
    match (f.base(), f.bytes() / f.components(), halti5) {
        (_, 4.., _) if f != Format::Rgb10a2Uint => 2,
        (Base::Uint, 1, true) if f != Format::Rgb10a2Uint => 3,
        (Base::Uint, 2, true) => 4,
        (Base::Sint, 1, true) => 5,
        (Base::Sint, 2, true) => 6,
        (Base::Uint | Base::Sint, ..) => 1,
        _ => 0,
    }
}

/// Whether depth is tested before the program runs: not where the program gives the depth or writes memory, and never on gc2000.
fn early_depth(io: &Io, stage: &StageInfo, generation: u8) -> u32 {
    let outputs = stage.interface().map_or(&[][..], |i| &i.outputs);
    let gives_depth = outputs.iter().any(|o| o.at == IoAt::FragDepth);
    let forced = matches!(stage, StageInfo::Fragment { early_depth: true, .. });
    let early = generation != machine::GC2000 && (forced || !gives_depth && !io.used.writes_memory);
    // Depth is written late where it is not known before.
    let late_write = generation == machine::GC7000 && (!early || io.used.demotes);
    0x30 | u32::from(early) | if late_write { 0x1100_0000 } else { 0 }
}
