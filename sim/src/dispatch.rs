//! A run: dispatch, options and report.

use gpucc_container::IMMEDIATES;

use crate::bound::{BoundSampler, BoundTexture, place_name};
use crate::kept::Kept;
use crate::texture::{Dim, Image, Sampler};
use crate::trace::Trace;
use crate::trap::{Trap, TrapKind, bad_dispatch};

/// A buffer bound for a run. Its size is the size of the binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundBuffer {
    /// Bind group of the buffer.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Content before and after the run.
    pub bytes: Vec<u8>,
    /// Whether the program may store to it.
    pub writable: bool,
}

impl BoundBuffer {
    /// The name in messages.
    pub fn name(&self) -> String {
        name(self.group, self.binding)
    }
}

/// The name of immediate data in messages.
pub const IMMEDIATE_DATA: &str = "immediate data";

/// The name of a binding in messages.
pub(crate) fn name(group: u32, binding: u32) -> String {
    match (group, binding) {
        IMMEDIATES => IMMEDIATE_DATA.into(),
        _ => format!("buffer at group {group} binding {binding}"),
    }
}

/// Two buffers that lie in one memory: what is stored to a byte that both have is in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Their places in [`Dispatch::buffers`].
    pub buffers: [usize; 2],
    /// Where the second one begins, in bytes from the first byte of the first one; before it if this is negative.
    pub distance: i64,
}

/// A compute dispatch: how many workgroups, and what is bound: buffers, immediate data among them, textures and samplers. A run
/// changes buffers and textures in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dispatch {
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
    /// The bound buffers, in any order.
    pub buffers: Vec<BoundBuffer>,
    /// The textures of which views are bound.
    pub images: Vec<Image>,
    /// The bound views, in any order.
    pub textures: Vec<BoundTexture>,
    /// The bound samplers, in any order.
    pub samplers: Vec<BoundSampler>,
    /// Pairs of buffers that lie in one memory. Bytes that both have are the same before a run.
    pub overlaps: Vec<Overlap>,
    /// Buffers that have addresses, by place in `buffers`, with the first address of each. They need not be bound to anything that the
    /// program names.
    pub addresses: Vec<(usize, u64)>,
}

/// Most buffers that [`Dispatch::give_address`] finds addresses for.
const MOST_ADDRESSES: usize = 128;

impl Dispatch {
    /// Repeats what a run stored in the buffers that it had, by their places, in those that it had not and that have the same bytes.
    pub fn repeat(&mut self, ran: &[usize]) {
        for o in &self.overlaps {
            let ([from, to], distance) = match o.buffers.map(|place| ran.contains(&place)) {
                [true, false] => (o.buffers, o.distance),
                [false, true] => ([o.buffers[1], o.buffers[0]], -o.distance),
                _ => continue,
            };
            let Ok([source, own]) = self.buffers.get_disjoint_mut([from, to]) else { continue };
            for (k, byte) in (-distance..).zip(&source.bytes) {
                if let Some(own) = usize::try_from(k).ok().and_then(|k| own.bytes.get_mut(k)) {
                    *own = *byte;
                }
            }
        }
    }

    /// A dispatch with nothing bound.
    pub fn new(grid: [u32; 3]) -> Self {
        Dispatch { grid, ..Dispatch::default() }
    }

    /// Binds a writable buffer.
    #[must_use]
    pub fn with(mut self, group: u32, binding: u32, bytes: Vec<u8>) -> Self {
        self.buffers.push(BoundBuffer { group, binding, bytes, writable: true });
        self
    }

    /// Binds a writable buffer of 32-bit words.
    #[must_use]
    pub fn with_u32(self, group: u32, binding: u32, words: &[u32]) -> Self {
        self.with(group, binding, words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// Binds a writable buffer of f32 values.
    #[must_use]
    pub fn with_f32(self, group: u32, binding: u32, values: &[f32]) -> Self {
        self.with(group, binding, values.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// Gives the immediate data: a buffer at [`IMMEDIATES`], which no program can store to.
    #[must_use]
    pub fn with_immediates(mut self, bytes: Vec<u8>) -> Self {
        let (group, binding) = IMMEDIATES;
        self.buffers.push(BoundBuffer { group, binding, bytes, writable: false });
        self
    }

    /// Place of a binding in [`Dispatch::buffers`].
    pub fn index_of(&self, group: u32, binding: u32) -> Option<usize> {
        self.buffers.iter().position(|b| b.group == group && b.binding == binding)
    }

    /// The buffer bound there.
    pub fn buffer(&self, group: u32, binding: u32) -> Option<&BoundBuffer> {
        self.index_of(group, binding).map(|i| &self.buffers[i])
    }

    /// The buffer bound there, for change.
    pub fn buffer_mut(&mut self, group: u32, binding: u32) -> Option<&mut BoundBuffer> {
        self.index_of(group, binding).map(|i| &mut self.buffers[i])
    }

    /// The address of a buffer, if it has one.
    pub fn address(&self, place: usize) -> Option<u64> {
        self.addresses.iter().find(|a| a.0 == place).map(|a| a.1)
    }

    /// The address of a buffer, which it gets here if it has none. Addresses hang on the order alone in which they are asked for; each
    /// buffer lies by itself around a multiple of 4 GiB, so that code which loses a carry or a high word is found out.
    ///
    /// # Errors
    /// There are more buffers with addresses than there is room for.
    pub fn give_address(&mut self, place: usize) -> Result<u64, Trap> {
        if let Some(known) = self.address(place) {
            return Ok(known);
        }
        let n = self.addresses.len();
        if n >= MOST_ADDRESSES {
            return Err(bad_dispatch(format!("more than {MOST_ADDRESSES} buffers with addresses")));
        }
        let address = Dispatch::nth_address(n);
        self.addresses.push((place, address));
        Ok(address)
    }

    /// The address of the buffer that asks for one as the `n`-th.
    pub fn nth_address(n: usize) -> u64 {
        ((0x20 + n as u64) << 32) - 256 * (1 + 7 * n as u64 % 16)
    }

    /// Place of a binding that the program cannot do without.
    ///
    /// # Errors
    /// A trap that names the binding when it is missing, or smaller than `min_size`.
    pub fn require(&self, group: u32, binding: u32, min_size: u64) -> Result<usize, Trap> {
        let immediates = (group, binding) == IMMEDIATES;
        let missing = || {
            let message = match immediates {
                true => format!("no {IMMEDIATE_DATA} is given, the program needs {min_size} bytes"),
                false => format!("no buffer is bound at group {group} binding {binding}"),
            };
            bad_dispatch(message)
        };
        let index = self.index_of(group, binding).ok_or_else(missing)?;
        let size = self.buffers[index].bytes.len() as u64;
        if size < min_size {
            return Err(bad_dispatch(format!(
                "{} has {size} bytes, the program needs {min_size}",
                self.buffers[index].name()
            )));
        }
        Ok(index)
    }

    /// The words of a binding; a last part of less than four bytes is left out.
    pub fn words(&self, group: u32, binding: u32) -> Option<Vec<u32>> {
        let words = self.buffer(group, binding)?.bytes.chunks_exact(4);
        Some(words.map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
    }

    /// The f32 values of a binding; a last part of less than four bytes is left out.
    pub fn floats(&self, group: u32, binding: u32) -> Option<Vec<f32>> {
        Some(self.words(group, binding)?.into_iter().map(f32::from_bits).collect())
    }
}

impl Dispatch {
    /// Adds a texture without binding it.
    #[must_use]
    pub fn with_image(mut self, image: Image) -> Self {
        self.images.push(image);
        self
    }

    /// Adds a texture and binds all of it.
    #[must_use]
    pub fn with_texture(mut self, group: u32, binding: u32, image: Image, dim: Dim) -> Self {
        self.textures.push(BoundTexture::whole(group, binding, self.images.len(), &image, dim));
        self.with_image(image)
    }

    /// Binds a view of a texture that was added, or will be.
    #[must_use]
    pub fn with_view(mut self, view: BoundTexture) -> Self {
        self.textures.push(view);
        self
    }

    /// Binds a sampler at group and binding.
    #[must_use]
    pub fn with_sampler(mut self, group: u32, binding: u32, sampler: Sampler) -> Self {
        self.samplers.push(BoundSampler { group, binding, element: 0, sampler });
        self
    }

    /// The texture of a binding that the program cannot do without.
    ///
    /// # Errors
    /// A trap that names the binding when nothing is bound, or what is bound is no view of its texture.
    pub fn require_texture(&self, group: u32, binding: u32, element: u32) -> Result<&BoundTexture, Trap> {
        let place = place_name(group, binding, element);
        let found = self.textures.iter().find(|t| (t.group, t.binding, t.element) == (group, binding, element));
        let Some(bound) = found else {
            return Err(bad_dispatch(format!("no texture is bound at {place}")));
        };
        match bound.fault(&self.images) {
            None => Ok(bound),
            Some(fault) => Err(bad_dispatch(format!("texture at {place}: {fault}"))),
        }
    }

    /// The sampler of a binding that the program cannot do without.
    ///
    /// # Errors
    /// A trap that names the binding when nothing is bound.
    pub fn require_sampler(&self, group: u32, binding: u32, element: u32) -> Result<&Sampler, Trap> {
        let found = self.samplers.iter().find(|s| (s.group, s.binding, s.element) == (group, binding, element));
        found.map(|s| &s.sampler).ok_or_else(|| {
            let place = place_name(group, binding, element);
            bad_dispatch(format!("no sampler is bound at {place}"))
        })
    }
}

/// The rules by which a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Hardware's, and on top of them the conventions that our compiler keeps: what it makes breaks neither.
    #[default]
    Conventions,
    /// Hardware's alone: machine code of any compiler.
    Hardware,
}

/// The treatment of races.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Races {
    /// Nothing: they are not looked for.
    #[default]
    Off,
    /// [`RunReport::races`] lists them, and the run continues.
    Report,
    /// The first one ends the run.
    Trap,
}

/// How to run: limits, seed, rules and races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Steps after which a run is stopped. An instruction of a subgroup takes as many steps as it has active lanes,
    /// at least [`StepBudget::LEAST`].
    pub step_limit: u64,
    /// Seed for garbage in memory and registers, order of subgroups and workgroups, addresses, and approximations
    /// inside their documented error. `None` is the plain run.
    pub perturb: Option<u64>,
    /// With a seed, memory is as weakly ordered as that of the chip: stores are late, and loads early, until something waits. Who orders
    /// other accesses by atomics alone may find that they are not.
    pub weak: bool,
    /// The rules by which the program runs.
    pub rules: Rules,
    /// Bytes of the code that are instructions, where constants lie behind them; `None` when all of it is.
    pub exec_size: Option<u32>,
    /// The treatment of races, where the container says enough to tell them.
    pub races: Races,
    /// Threads that a dispatch or a draw may run on, at least 1. Nothing it gives, counts or says depends on them.
    pub cores: usize,
    /// Instructions of a time slice; `None` is what the machine takes, or the seed draws. Tests alone ask for one: no result may depend on it.
    #[doc(hidden)]
    pub slice: Option<u32>,
    /// What driver parts keep for later launches with the same store.
    pub kept: Kept,
    /// Gets what a lane executes, with its values.
    pub trace: Option<Trace>,
}

impl Default for RunOptions {
    fn default() -> Self {
        // About 5 s on the slowest machine measured while building: well under the 20 s the command line promises.
        RunOptions {
            step_limit: 1_000_000_000,
            perturb: None,
            weak: false,
            rules: Rules::Conventions,
            exec_size: None,
            races: Races::Trap,
            cores: 1,
            slice: None,
            kept: Kept::default(),
            trace: None,
        }
    }
}

/// Steps that are left, counted down as code runs.
#[derive(Clone, Debug)]
pub struct StepBudget {
    left: u64,
    limit: u64,
    slice: u32,
    trace: Option<Trace>,
}

impl StepBudget {
    /// Least cost of one instruction: what fetching and decoding cost, in lanes.
    pub const LEAST: u64 = 8;
    /// Instructions of a time slice of a draw.
    const SLICE: u32 = 1000;

    /// A counter for one run.
    pub fn new(options: &RunOptions) -> Self {
        let slice = options.slice.unwrap_or(Self::SLICE).max(1);
        StepBudget { left: options.step_limit, limit: options.step_limit, slice, trace: options.trace.clone() }
    }

    /// Charges one instruction of a subgroup with `lanes` active lanes.
    ///
    /// # Errors
    /// The step limit is reached.
    #[inline]
    pub fn charge(&mut self, lanes: u32) -> Result<(), Trap> {
        self.charge_for(1, lanes)
    }

    /// Charges `instructions` instructions of a subgroup with `lanes` active lanes.
    ///
    /// # Errors
    /// The step limit is reached.
    #[inline]
    pub fn charge_for(&mut self, instructions: u32, lanes: u32) -> Result<(), Trap> {
        self.spend(u64::from(instructions) * u64::from(lanes).max(Self::LEAST))
    }

    /// Charges work that is no instruction.
    ///
    /// # Errors
    /// The step limit is reached.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Trap> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.out()),
        }
    }

    #[cold]
    fn out(&self) -> Trap {
        Trap::new(TrapKind::StepLimit, format!("still running after {} steps", self.limit))
    }

    /// A counter of its own for a part of the run: what is left here, but at most so many steps.
    pub fn part(&self, most: u64) -> StepBudget {
        let left = self.left.min(most);
        StepBudget { left, limit: left, slice: self.slice, trace: self.trace.clone() }
    }

    /// Instructions that a subgroup of a draw runs between two looks at whether it has ended.
    pub fn slice(&self) -> u32 {
        self.slice
    }

    /// Who wants to know what is executed.
    #[inline]
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The steps that are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Steps paid so far.
    pub fn used(&self) -> u64 {
        self.limit - self.left
    }
}

/// The counts of a run that came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Machine instructions executed: one for each subgroup that issues it.
    pub instructions: u64,
    /// The same, times the lanes that were active.
    pub lane_instructions: u64,
    /// Busy time of each unit in 64ths of a cycle, summed over subgroups, by the cost facts of the machine's rows. A family with one issue
    /// port uses the first.
    pub busy: [u64; RunReport::UNITS],
    /// Instructions by class, as the family names its classes.
    pub classes: Vec<(&'static str, u64)>,
    /// Subgroups (waves, warps, quads) that were run.
    pub subgroups: u64,
    /// Barriers that were passed, counted once a workgroup.
    pub barriers: u64,
    /// Steps that were paid; only the oracle counts them here.
    pub steps: u64,
    /// Worth telling, but no trap.
    pub notes: Vec<String>,
    /// Races that were found and did not end the run; of each pair of instructions one.
    pub races: Vec<Trap>,
}

impl RunReport {
    /// Units that a machine may have.
    pub const UNITS: usize = 6;

    /// Cycles of the busiest unit, rounded up: what the run costs a core whose subgroups hide all latencies. Two codes of one shader compare
    /// by it where instructions differ in cost.
    pub fn cycles(&self) -> u64 {
        self.busy.iter().max().map_or(0, |b| b.div_ceil(64))
    }

    /// Most notes that a run keeps.
    pub const MOST_NOTES: usize = 16;

    /// Counts one instruction of so many lanes.
    #[inline]
    pub fn count(&mut self, lanes: u32) {
        self.instructions += 1;
        self.lane_instructions += u64::from(lanes);
    }

    /// Adds what another part of the run did, but for its steps: the same note is kept once, and no more than
    /// [`RunReport::MOST_NOTES`].
    pub fn add(&mut self, part: RunReport) {
        self.instructions += part.instructions;
        self.lane_instructions += part.lane_instructions;
        self.subgroups += part.subgroups;
        self.barriers += part.barriers;
        self.busy.iter_mut().zip(part.busy).for_each(|(own, other)| *own += other);
        part.classes.into_iter().for_each(|(class, n)| self.add_class(class, n));
        self.races.extend(part.races);
        part.notes.into_iter().for_each(|n| self.note(n));
    }

    /// Keeps a note that is not there yet.
    pub fn note(&mut self, note: String) {
        if self.notes.len() < Self::MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds to a class; for counting in inner loops keep an array and add it at the end.
    pub fn add_class(&mut self, class: &'static str, n: u64) {
        match self.classes.iter_mut().find(|c| c.0 == class) {
            Some(c) => c.1 += n,
            None => self.classes.push((class, n)),
        }
    }
}
