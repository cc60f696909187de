//! Resource tables in memory: a handle names a table of the table of tables and a descriptor in it (section 8.3).

use gpucc_isa::fail_if;
use std::collections::BTreeMap;
use std::sync::Arc;

use gpucc_sim::{
    AddressSpace, Memory, Trap,
    trap::{out_of_bounds, reserved},
};

use super::descriptor::{
    ATTRIBUTE, Attribute, BUFFER, Buffer, BufferWords, DESCRIPTOR, Packet, SAMPLER, Sampling, TEXTURE, TableWords,
    Texture, bad,
};

/// The table that holds the tables: a descriptor of it is a table as a buffer.
pub(super) const TABLES: u32 = 62;

/// Bytes of an entry of the table of tables.
pub(super) const TABLE: u64 = 16;

/// Tables that there can be: those above have other uses.
pub(super) const MOST_TABLES: u32 = 60;

/// The tables of a program, with what was read of them: nothing writes to them.
#[derive(Clone)]
pub(super) struct Tables {
    /// Address of the table of tables; its low six bits are the number of tables.
    pub pointer: u64,
    generation: u8,
    buffers: BTreeMap<u32, Buffer>,
    textures: BTreeMap<u32, Arc<Texture>>,
    samplers: BTreeMap<u32, Sampling>,
    attributes: BTreeMap<u32, Attribute>,
}

/// Words at an address.
pub(super) fn words<const N: usize>((memory, space): (&Memory, &AddressSpace), address: u64) -> Result<[u32; N], Trap> {
    let (id, offset) = space.resolve(address, 4 * N as u32)?;
    let mut out = [0; N];
    for (k, w) in (0u64..).zip(&mut out) {
        *w = memory.load_u32(id, offset + 4 * k)?;
    }
    Ok(out)
}

impl Tables {
    /// Those that a pointer names.
    pub fn new(pointer: u64, generation: u8) -> Tables {
        Tables {
            pointer,
            generation,
            buffers: BTreeMap::new(),
            textures: BTreeMap::new(),
            samplers: BTreeMap::new(),
            attributes: BTreeMap::new(),
        }
    }

    /// An entry of the table of tables.
    fn table(&self, at: (&Memory, &AddressSpace), table: u32) -> Result<(TableWords, u64), Trap> {
        let missing = || out_of_bounds(format!("there is no table {table}"));
        fail_if!(u64::from(table) >= self.pointer & 63, missing());
        let w = TableWords(words(at, (self.pointer & !63) + TABLE * u64::from(table))?);
        w.reserved()?;
        fail_if!(w.0 == [0; 4], missing());
        Ok((w, u64::from(w.address_hi()) << 32 | u64::from(w.address())))
    }

    /// The words that a handle names, of a type.
    fn descriptor(&self, at: (&Memory, &AddressSpace), handle: u32, kind: u32) -> Result<[u32; 8], Trap> {
        let (table, index) = (handle >> 24, handle & 0xff_ffff);
        let (w, address) = self.table(at, table)?;
        fail_if!(w.descriptors() != 1, bad("table", "DESCRIPTORS", 0));
        let offset = DESCRIPTOR * u64::from(index);
        if offset + DESCRIPTOR > w.size().into() {
            let what = format!("table {table} of {} bytes has no descriptor {index}", w.size());
            return Err(out_of_bounds(what));
        }
        let found: [u32; 8] = words(at, address + offset)?;
        if found[0] & 15 != kind {
            let what = format!("the handle {handle:#x} names a descriptor of type {}, not {kind}", found[0] & 15);
            return Err(reserved(what));
        }
        Ok(found)
    }

    /// The buffer that a handle names.
    pub fn buffer(&mut self, at: (&Memory, &AddressSpace), handle: u32) -> Result<Buffer, Trap> {
        if let Some(b) = self.buffers.get(&handle) {
            return Ok(*b);
        }
        let found = if handle >> 24 == TABLES {
            let (w, base) = self.table(at, handle & 0xff_ffff)?;
            Buffer { base, size: w.size().into() }
        } else {
            Buffer::read(self.descriptor(at, handle, BUFFER)?)?
        };
        self.buffers.insert(handle, found);
        Ok(found)
    }

    /// The attribute that a handle names.
    pub fn attribute(&mut self, at: (&Memory, &AddressSpace), handle: u32) -> Result<Attribute, Trap> {
        if let Some(a) = self.attributes.get(&handle) {
            return Ok(*a);
        }
        let a = Attribute::read(self.descriptor(at, handle, ATTRIBUTE)?)?;
        self.attributes.insert(handle, a);
        Ok(a)
    }

    /// The varying that a handle names.
    pub fn packet(&self, at: (&Memory, &AddressSpace), handle: u32) -> Result<Packet, Trap> {
        Packet::read(self.descriptor(at, handle, ATTRIBUTE)?)
    }

    /// The texture that a handle names.
    pub fn texture(&mut self, at: (&Memory, &AddressSpace), handle: u32) -> Result<Arc<Texture>, Trap> {
        if let Some(t) = self.textures.get(&handle) {
            return Ok(t.clone());
        }
        let found = self.descriptor(at, handle, TEXTURE)?;
        let t = Arc::new(Texture::read(found, self.generation, |address| words(at, address))?);
        self.textures.insert(handle, t.clone());
        Ok(t)
    }

    /// The sampler that a handle names.
    pub fn sampler(&mut self, at: (&Memory, &AddressSpace), handle: u32) -> Result<Sampling, Trap> {
        if let Some(s) = self.samplers.get(&handle) {
            return Ok(*s);
        }
        let s = Sampling::read(self.descriptor(at, handle, SAMPLER)?, self.generation)?;
        self.samplers.insert(handle, s);
        Ok(s)
    }
}

/// The bytes of an entry of the table of tables.
pub(super) fn table_entry(address: u64, size: u64) -> [u8; 16] {
    type T = TableWords;
    bytes(
        T::default()
            .with(T::ADDRESS, address as u32)
            .with(T::ADDRESS_HI, (address >> 32) as u32)
            .with(T::DESCRIPTORS, 1)
            .with(T::SIZE, size as u32)
            .0,
    )
}

/// The bytes of the descriptor of a buffer.
pub(super) fn buffer_descriptor(base: u64, size: u64) -> [u8; 32] {
    type B = BufferWords;
    bytes(
        B::default()
            .with(B::TYPE, BUFFER)
            .with(B::BUFFER_TYPE, 1)
            .with(B::SIZE, size as u32)
            .with(B::ADDRESS, base as u32)
            .with(B::ADDRESS_HI, (base >> 32) as u32)
            .0,
    )
}

fn bytes<const W: usize, const B: usize>(words: [u32; W]) -> [u8; B] {
    let mut out = [0; B];
    for (to, w) in out.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&w.to_le_bytes());
    }
    out
}
