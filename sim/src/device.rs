//! Memory that a driver part filled before a launch, and what it wrote for the machine to find there.
//!
//! Driver part and machine share nothing but this: bytes at addresses, words of descriptors, addresses of tables.

use std::collections::BTreeMap;

use gpucc_container::{DescriptorKey, Resource, TextureFact};

use crate::kept::Bytes;
use crate::memory::AllocId;

/// Bytes that a driver part placed: texels, tables of descriptors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// The name in messages.
    pub name: String,
    /// Address of the first byte.
    pub address: u64,
    /// Content before and after the run.
    pub bytes: Bytes,
    /// Whether the program may store to it.
    pub writable: bool,
    /// Place in the resources of the entry point, of what races are looked for in.
    pub resource: Option<u16>,
}

/// Words of the descriptor of a texture or sampler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// The resource whose descriptor it is.
    pub of: DescriptorKey,
    /// The words as the hardware reads them.
    pub words: Vec<u32>,
    /// What programs may ask of the resource besides.
    pub facts: Vec<(TextureFact, u32)>,
}

impl Descriptor {
    /// A fact of the resource, where it has a meaning for it.
    pub fn fact(&self, fact: TextureFact) -> Option<u32> {
        self.facts.iter().find(|f| f.0 == fact).map(|f| f.1)
    }
}

/// The preparation of one launch by a driver part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Addresses of buffers, by place in [`Dispatch::buffers`](crate::Dispatch::buffers).
    pub buffers: Vec<(usize, u64)>,
    /// The rest of memory.
    pub residents: Vec<Resident>,
    /// Descriptors of textures and samplers.
    pub descriptors: Vec<Descriptor>,
    /// Addresses of tables, by bind group.
    pub tables: Vec<(u32, u64)>,
}

/// The preparation of one draw by a driver part: memory, and for each of the two stages tables of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawDevice {
    /// The parts in memory, and descriptors.
    pub device: Device,
    /// Addresses of tables by bind group, of the vertex and the fragment program.
    pub tables: [Vec<(u32, u64)>; 2],
    /// Register words that the driver part wrote.
    pub registers: Registers,
}

/// A write of a driver part to the registers of the hardware. Registers of different spaces are different registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers(BTreeMap<(u16, u32), (u32, u32)>);

impl Registers {
    /// Registers of which none is written.
    pub fn new() -> Registers {
        Registers::default()
    }

    /// Writes the bits of the mask; the others stay as they are.
    pub fn set(&mut self, space: u16, register: u32, value: u32, mask: u32) {
        let (old, known) = self.0.entry((space, register)).or_default();
        *old = *old & !mask | value & mask;
        *known |= mask;
    }

    /// The value of a register. Bits that nobody wrote are 0.
    pub fn get(&self, space: u16, register: u32) -> u32 {
        self.0.get(&(space, register)).map_or(0, |w| w.0)
    }

    /// Bits of a register that were written.
    pub fn written(&self, space: u16, register: u32) -> u32 {
        self.0.get(&(space, register)).map_or(0, |w| w.1)
    }

    /// The field of `width` bits from `first` in a register.
    pub fn field(&self, space: u16, register: u32, first: u32, width: u32) -> u32 {
        let mask = u32::MAX.checked_shr(32 - width.min(32)).unwrap_or(0);
        self.get(space, register).checked_shr(first).unwrap_or(0) & mask
    }

    /// Every register that was written: space, register, value and mask, upwards.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u32, u32, u32)> + '_ {
        self.0.iter().map(|(&(space, register), &(value, mask))| (space, register, value, mask))
    }
}

impl Device {
    /// A descriptor of a texture or a sampler.
    pub fn descriptor(&self, of: DescriptorKey) -> Option<&Descriptor> {
        self.descriptors.iter().find(|d| d.of == of)
    }

    /// Address of the table of a bind group.
    pub fn table(&self, group: u32) -> Option<u64> {
        self.tables.iter().find(|t| t.0 == group).map(|t| t.1)
    }

    /// Whether there is a descriptor for each element of a texture or sampler.
    pub fn describes(&self, r: &Resource) -> bool {
        (0..r.count.max(1)).all(|e| self.descriptor(r.descriptor(e)).is_some())
    }

    /// The allocation of a resident, where there are `buffers` before it.
    pub fn id(buffers: usize, resident: usize) -> AllocId {
        AllocId((buffers + resident) as u32)
    }
}
