//! The launch of a machine: what all do alike before the first workgroup and after the last.

pub mod source;

use gpucc_container::{
    Access, Container, DescriptorKey, Entry, IMMEDIATES, RaceMark, Resource, ResourceKind, Stage, TextureFact,
};

use crate::address::AddressSpace;
use crate::cores::run_grid_on;
use crate::device::{Descriptor, Device};
use crate::dispatch::{Dispatch, RunOptions, RunReport};
use crate::memory::{AllocId, Memory};
use crate::race::{RaceCheck, binding_name};
use crate::simulator::{Simulator, World};
use crate::trap::{Trap, bad_container, bad_dispatch, unsupported};

/// The limits of a family's machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Family, as containers name it.
    pub family: &'static str,
    /// Names of its generations, by index.
    pub generations: &'static [&'static str],
    /// Most invocations of a workgroup.
    pub invocations: u64,
    /// Most workgroups in a dimension of a grid.
    pub workgroups: u32,
}

/// A buffer that the program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Bind group of the buffer.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Place of the buffer in [`Dispatch::buffers`].
    pub place: usize,
    /// Allocation of its bytes in the memory of the run.
    pub id: AllocId,
    /// Bytes.
    pub size: u64,
    /// Whether the program may store to it.
    pub writable: bool,
}

/// An entry point that can be launched, and its buffers.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The entry point that is launched.
    pub entry: &'a Entry,
    /// Index of the generation.
    pub generation: u8,
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
    /// How to run: limits, seed, rules and races.
    pub options: &'a RunOptions,
    /// The buffers in the order of the resources, each once: they are the first allocations.
    pub buffers: Vec<Buffer>,
    /// The immediate data, where the entry point has some.
    immediates: Vec<u8>,
    /// Descriptors that a driver part wrote.
    descriptors: Vec<Descriptor>,
}

/// Declares `run` of a machine, by its `run_on`.
#[macro_export]
macro_rules! run_alone {
    ($run_on:ident) => {
        /// Runs a compute entry point, the only one where `entry` is `None`, over a whole grid, with nothing that a driver part
        /// placed. Buffers change in place, also when the run traps.
        ///
        /// # Errors
        /// A trap with its instruction and address, or what is wrong with the container or the dispatch.
        pub fn run(
            container: &gpucc_container::Container,
            entry: Option<&str>,
            dispatch: &mut $crate::Dispatch,
            options: &$crate::RunOptions,
        ) -> Result<$crate::RunReport, $crate::Trap> {
            $run_on(container, entry, dispatch, &mut $crate::Device::default(), options)
        }
    };
}

/// The place of a buffer that has an address, and no name in the program, in the rows of the check for races.
const NO_RESOURCE: u16 = 0xfffd;

fn lacks(of: DescriptorKey, what: impl std::fmt::Display) -> Trap {
    let kind = if of.sampler { "sampler" } else { "texture" };
    let (group, binding, variant) = (of.group, of.binding, of.variant.name());
    bad_container(format!("{kind} at group {group} binding {binding} ({variant}) has no {what}"))
}

/// The entry point of that name; without one, the only compute entry point.
fn choose<'a>(container: &'a Container, name: Option<&str>) -> Result<&'a Entry, Trap> {
    let names = || container.entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut compute = container.entries.iter().filter(|e| e.stage == Stage::Compute);
    let entry = match name {
        Some(n) => {
            container.entry(n).ok_or_else(|| bad_container(format!("no entry point `{n}`; available: {}", names())))?
        }
        None => match (compute.next(), compute.next()) {
            (Some(e), None) => e,
            (None, _) => return Err(bad_container("the container has no compute entry point")),
            _ => return Err(bad_container(format!("several entry points, name one of: {}", names()))),
        },
    };
    match entry.stage {
        Stage::Compute => Ok(entry),
        _ => Err(bad_container("only compute entry points can be dispatched")),
    }
}

impl<'a> Launch<'a> {
    /// Checks what is asked for against container, dispatch and limits. Changes nothing: a launch that is refused, here or
    /// by the family, leaves the buffers as they were.
    ///
    /// # Errors
    /// The lacks and excessive claims of the container, and the lacks of the dispatch.
    pub fn new(
        limits: &Limits,
        container: &'a Container,
        name: Option<&str>,
        dispatch: &Dispatch,
        options: &'a RunOptions,
    ) -> Result<Launch<'a>, Trap> {
        Launch::on(limits, container, name, dispatch, &Device::default(), options)
    }

    /// As [`Launch::new`], with what a driver part prepared: textures and samplers it described.
    ///
    /// # Errors
    /// As [`Launch::new`].
    pub fn on(
        limits: &Limits,
        container: &'a Container,
        name: Option<&str>,
        dispatch: &Dispatch,
        device: &Device,
        options: &'a RunOptions,
    ) -> Result<Launch<'a>, Trap> {
        if container.family != limits.family {
            return Err(bad_container(format!("the container is for {}, not for {}", container.family, limits.family)));
        }
        let generation = limits.generations.iter().position(|g| *g == container.generation);
        let generation =
            generation.ok_or_else(|| bad_container(format!("unknown generation {}", container.generation)))?;
        let entry = choose(container, name)?;
        let (n, most) = (entry.meta.invocations(), limits.invocations);
        if n == 0 || n > most {
            return Err(bad_container(format!("a workgroup of {n} invocations, 1 to {most} are possible")));
        }
        if let Some(n) = dispatch.grid.iter().find(|&&n| n > limits.workgroups) {
            let message = format!("{n} workgroups in a dimension, at most {}", limits.workgroups);
            return Err(bad_dispatch(message));
        }
        let mut buffers: Vec<Buffer> = Vec::new();
        for r in &entry.resources {
            let immediates = r.kind == ResourceKind::Immediates;
            if immediates != ((r.group, r.binding) == IMMEDIATES) {
                return Err(bad_container(format!("{:?} at group {} binding {}", r.kind, r.group, r.binding)));
            }
            if !r.kind.is_buffer() {
                if device.describes(r) {
                    continue;
                }
                return Err(unsupported("textures and samplers arrive with graphics"));
            }
            let place = dispatch.require(r.group, r.binding, r.min_size.into())?;
            let b = &dispatch.buffers[place];
            let writable = b.writable && r.access != Access::Read && r.kind == ResourceKind::Storage;
            match buffers.iter_mut().find(|b| b.place == place) {
                Some(b) => b.writable |= writable,
                None => {
                    let (id, size) = (AllocId(buffers.len() as u32), b.bytes.len() as u64);
                    buffers.push(Buffer { group: r.group, binding: r.binding, place, id, size, writable });
                }
            }
        }
        for &(place, _) in &dispatch.addresses {
            let Some(b) = dispatch.buffers.get(place) else { continue };
            // Whoever knows the address may write.
            match buffers.iter_mut().find(|b| b.place == place) {
                Some(known) => known.writable |= b.writable,
                None => {
                    let (id, size) = (AllocId(buffers.len() as u32), b.bytes.len() as u64);
                    let (group, binding, writable) = (b.group, b.binding, b.writable);
                    buffers.push(Buffer { group, binding, place, id, size, writable });
                }
            }
        }
        let has_some = entry.resources.iter().any(|r| r.kind == ResourceKind::Immediates);
        let given = dispatch.buffer(IMMEDIATES.0, IMMEDIATES.1).filter(|_| has_some);
        let immediates = given.map_or_else(Vec::new, |b| b.bytes.clone());
        let (generation, grid, descriptors) = (generation as u8, dispatch.grid, device.descriptors.clone());
        Ok(Launch { entry, generation, grid, options, buffers, immediates, descriptors })
    }

    /// The part of the code that is instructions.
    pub fn instructions(&self) -> &'a [u8] {
        let code = &self.entry.code;
        &code[..self.options.exec_size.map_or(code.len(), |n| code.len().min(n as usize))]
    }

    /// The buffer that a word of the container names.
    ///
    /// # Errors
    /// When it is not among the resources.
    pub fn buffer(&self, group: u32, binding: u32) -> Result<&Buffer, Trap> {
        let found = self.buffers.iter().find(|b| b.group == group && b.binding == binding);
        found.ok_or_else(|| bad_container(format!("group {group} binding {binding} is not among the resources")))
    }

    /// A word of the immediate data; zeros fill up the last one.
    ///
    /// # Errors
    /// When the entry point has none, or none so long.
    pub fn immediate(&self, word: u32) -> Result<u32, Trap> {
        let at = word as usize * 4;
        let rest = self.immediates.get(at..).filter(|rest| !rest.is_empty());
        let rest = rest.ok_or_else(|| bad_container(format!("word {word} is beyond the immediate data")))?;
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(rest).for_each(|(b, r)| *b = *r);
        Ok(u32::from_le_bytes(bytes))
    }

    /// A word of the descriptor of a texture or sampler.
    ///
    /// # Errors
    /// When no driver part wrote it.
    pub fn descriptor_word(&self, of: DescriptorKey, word: u16) -> Result<u32, Trap> {
        let found = self.descriptors.iter().find(|d| d.of == of).and_then(|d| d.words.get(usize::from(word)));
        found.copied().ok_or_else(|| lacks(of, format_args!("descriptor word {word}")))
    }

    /// A fact of what is bound as a texture or sampler.
    ///
    /// # Errors
    /// One that it does not have.
    pub fn texture_fact(&self, of: DescriptorKey, fact: TextureFact) -> Result<u32, Trap> {
        let found = self.descriptors.iter().find(|d| d.of == of).and_then(|d| d.fact(fact));
        found.ok_or_else(|| lacks(of, format_args!("{fact}")))
    }

    /// Memory with copies of the buffers in it, and the check for races that watches them.
    pub fn memory(&self, dispatch: &Dispatch) -> (Memory, RaceCheck) {
        let mut memory = Memory::new();
        let rows = self.entry.races.as_ref().map(|r| r.iter().map(RaceMark::parts));
        let mut races = RaceCheck::new(self.options.races, self.entry.code.len(), rows);
        races.variables(self.entry.variables.iter().map(|v| (v.offset, v.size, v.name.as_str())));
        for b in &self.buffers {
            let is = |r: &Resource| r.kind.is_buffer() && (r.group, r.binding) == (b.group, b.binding);
            let of = self.entry.resources.iter().position(is);
            let own = self.entry.names.iter().find(|n| of == Some(n.0 as usize)).map_or("", |n| &n.1);
            let name = binding_name(b.group, b.binding, own);
            let id = memory.alloc(name.clone(), dispatch.buffers[b.place].bytes.clone(), b.writable);
            let addressed = dispatch.address(b.place).map(|_| usize::from(NO_RESOURCE));
            if let Some(n) = of.or(addressed).filter(|_| b.writable) {
                races.watch(id, b.size, name, n as u16);
            }
        }
        for o in &dispatch.overlaps {
            let of = |place: usize| self.buffers.iter().find(|b| b.place == place).map(|b| b.id);
            if let [Some(a), Some(b)] = o.buffers.map(of) {
                memory.overlap([a, b], o.distance);
            }
        }
        (memory, races)
    }

    /// Same as [`Launch::memory`], with what a driver part placed behind the buffers.
    pub fn memory_on(&self, dispatch: &Dispatch, device: &Device) -> (Memory, RaceCheck) {
        let (mut memory, mut races) = self.memory(dispatch);
        for r in &device.residents {
            let id = memory.alloc(r.name.clone(), r.bytes.clone(), r.writable);
            if let Some(n) = r.resource.filter(|_| r.writable) {
                races.watch(id, r.bytes.len() as u64, r.name.clone(), n);
            }
        }
        (memory, races)
    }

    /// As [`Launch::memory_on`], with the address of each buffer. What the driver part left open is placed in `space`.
    ///
    /// # Errors
    /// Places that overlap, or no room.
    pub fn memory_in(
        &self,
        dispatch: &Dispatch,
        device: &Device,
        space: &mut AddressSpace,
    ) -> Result<(Memory, RaceCheck, Vec<u64>), Trap> {
        let (memory, races) = self.memory_on(dispatch, device);
        for (address, id, size) in self.places(dispatch, device) {
            space.fix(id, address, size)?;
        }
        let address = |b: &Buffer| match space.base_of(b.id) {
            Some(address) => Ok(address),
            None => space.place(b.id, b.size, 256),
        };
        let buffers = self.buffers.iter().map(address).collect::<Result<_, _>>()?;
        Ok((memory, races, buffers))
    }

    /// Address, allocation and size of buffers and residents whose places the caller or a driver part chose, upwards.
    pub fn places(&self, dispatch: &Dispatch, device: &Device) -> Vec<(u64, AllocId, u64)> {
        let buffer = |&(place, address): &(usize, u64)| {
            self.buffers.iter().find(|b| b.place == place).map(|b| (address, b.id, b.size))
        };
        let own = device.buffers.iter().filter(|b| dispatch.address(b.0).is_none());
        let mut all: Vec<_> = dispatch.addresses.iter().chain(own).filter_map(buffer).collect();
        for (k, r) in device.residents.iter().enumerate() {
            all.push((r.address, Device::id(self.buffers.len(), k), r.bytes.len() as u64));
        }
        all.sort_unstable();
        all
    }

    /// As [`Launch::run`]; what a driver part placed holds what was written, too.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub fn run_on<H: Simulator>(
        &self,
        mut host: H,
        dispatch: &mut Dispatch,
        device: &mut Device,
    ) -> Result<RunReport, Trap> {
        let writable = device.residents.iter().enumerate().filter(|r| r.1.writable);
        let placed = writable.map(|(k, _)| Device::id(self.buffers.len(), k)).collect();
        let report = self.run_host(&mut host, dispatch, placed);
        for (k, r) in device.residents.iter_mut().enumerate() {
            r.bytes = host.memory().take(Device::id(self.buffers.len(), k));
        }
        report
    }

    /// Runs all workgroups. Also when the run traps, the buffers of the dispatch hold what was written until then.
    ///
    /// # Errors
    /// The first broken rule, with instruction and address.
    pub fn run<H: Simulator>(&self, mut host: H, dispatch: &mut Dispatch) -> Result<RunReport, Trap> {
        self.run_host(&mut host, dispatch, Vec::new())
    }

    /// `shared` are allocations beside the buffers that the program may store to.
    fn run_host<H: Simulator>(
        &self,
        host: &mut H,
        dispatch: &mut Dispatch,
        mut shared: Vec<AllocId>,
    ) -> Result<RunReport, Trap> {
        shared.extend(self.buffers.iter().filter(|b| b.writable).map(|b| b.id));
        let (result, parts) = run_grid_on(host, self.grid, self.options, &shared);
        for b in &self.buffers {
            dispatch.buffers[b.place].bytes = host.memory().take(b.id).into_vec();
        }
        let mut races = std::mem::take(host.races());
        let counts = &mut host.core().counts;
        parts.into_iter().for_each(|part| counts.add(part.counts));
        let mut report = counts.take(H::World::CLASSES);
        let text = |pc| host.text(pc);
        races.report(&mut report, text);
        report.barriers = result.map_err(|t| t.name_other(text))?;
        Ok(report)
    }
}
