//! Memory that a driver part filled before a launch, and what it wrote for the machine to find there.
//!
//! Driver part and machine share nothing but this: bytes at addresses, words of descriptors, addresses of tables.

use gpucc_container::{Resource, ResourceKind};

use crate::memory::AllocId;

/// Bytes that a driver part placed: texels, tables of descriptors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// What messages call it.
    pub name: String,
    /// Where it lies.
    pub address: u64,
    /// Content before and after the run.
    pub bytes: Vec<u8>,
    /// Whether the program may store to it.
    pub writable: bool,
    /// Place in the resources of the entry point, of what races are looked for in.
    pub resource: Option<u16>,
}

/// Words of the descriptor of a texture or sampler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Bind group.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Element of an array of bindings; 0 of a single one.
    pub element: u32,
    /// Whether it is a sampler's.
    pub sampler: bool,
    /// The words.
    pub words: Vec<u32>,
}

/// What a driver part prepared for one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Addresses of buffers, by place in [`Dispatch::buffers`](crate::Dispatch::buffers).
    pub buffers: Vec<(usize, u64)>,
    /// What else lies in memory.
    pub residents: Vec<Resident>,
    /// Descriptors of textures and samplers.
    pub descriptors: Vec<Descriptor>,
    /// Addresses of tables, by bind group.
    pub tables: Vec<(u32, u64)>,
}

/// What a driver part prepared for one draw: memory, and for each of the two stages tables of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawDevice {
    /// What lies in memory, and descriptors.
    pub device: Device,
    /// Addresses of tables by bind group, of the vertex and the fragment program.
    pub tables: [Vec<(u32, u64)>; 2],
    /// Register words: address, value.
    pub words: Vec<(u32, u32)>,
}

impl Device {
    /// The descriptor of a texture, or of a sampler.
    pub fn descriptor(&self, sampler: bool, group: u32, binding: u32, element: u32) -> Option<&Descriptor> {
        let key = (sampler, group, binding, element);
        self.descriptors.iter().find(|d| (d.sampler, d.group, d.binding, d.element) == key)
    }

    /// Address of the table of a bind group.
    pub fn table(&self, group: u32) -> Option<u64> {
        self.tables.iter().find(|t| t.0 == group).map(|t| t.1)
    }

    /// Whether there is a descriptor for each element of a texture or sampler.
    pub fn describes(&self, r: &Resource) -> bool {
        let sampler = r.kind == ResourceKind::Sampler;
        (0..r.count.max(1)).all(|e| self.descriptor(sampler, r.group, r.binding, e).is_some())
    }

    /// The allocation of a resident, where there are `buffers` before it.
    pub fn id(buffers: usize, resident: usize) -> AllocId {
        AllocId((buffers + resident) as u32)
    }
}
