//! Addresses, slices of workgroup memory and scratch, loads and stores of lanes.

use gpucc_isa::fail_if;
use gpucc_sim::{
    AddressSpace, AllocId, BEHIND, By, Memory, OwnMemory, RaceCheck, SplitMix64, Trap, World, trap::out_of_bounds,
};

use super::alu;

/// Memory of which each workgroup has its own piece: one allocation that stands for the piece of the workgroup that
/// is running, at the address where that piece would be.
#[derive(Clone)]
pub(crate) struct Slice {
    pub id: AllocId,
    pub base: u64,
    /// Bytes of one piece.
    pub bytes: u64,
    /// Offset of the running workgroup's piece from the base.
    pub start: u64,
}

/// Everything that has an address.
#[derive(Clone)]
pub(crate) struct DeviceMemory {
    pub memory: Memory,
    pub addresses: AddressSpace,
    pub data: Option<AllocId>,
    pub shared: Option<Slice>,
    pub shared_is_local: bool,
    pub scratch: Option<Slice>,
    pub races: RaceCheck,
    /// Workgroup memory and scratch, while several workgroups run.
    pub own: OwnMemory,
    /// Number of the workgroup in each slot.
    pub indices: Vec<u64>,
}

impl World for DeviceMemory {
    const CLASSES: &'static [&'static str] = &alu::CLASSES;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl DeviceMemory {
    pub fn begin(&mut self, mut garbage: Option<&mut SplitMix64>) {
        for s in [&self.shared, &self.scratch].into_iter().flatten() {
            self.memory.reset_undefined(s.id, garbage.as_deref_mut());
        }
    }

    /// Starts a workgroup in a slot: its pieces are new.
    pub fn start(&mut self, slot: usize, id: [u32; 3], grid: [u32; 3], mut garbage: Option<&mut SplitMix64>) {
        let [x, y, z] = id.map(u64::from);
        if self.indices.len() <= slot {
            self.indices.resize(slot + 1, 0);
        }
        self.indices[slot] = (z * u64::from(grid[1]) + y) * u64::from(grid[0]) + x;
        self.enter(slot);
        self.races.begin(slot, id);
        for s in [&self.shared, &self.scratch].into_iter().flatten() {
            self.memory.reset_undefined(s.id, garbage.as_deref_mut());
        }
    }

    /// Moves the pieces to the workgroup in a slot.
    pub fn enter(&mut self, slot: usize) {
        self.own.enter(slot, &mut self.memory, &mut self.races);
        for s in [&mut self.shared, &mut self.scratch].into_iter().flatten() {
            s.start = s.bytes * self.indices[slot];
        }
    }

    /// Loads of one lane. Whole words may reach behind a buffer that ends inside the last of them, as memory is mapped in pages.
    pub fn load(&mut self, address: u32, local: bool, out: &mut [u8], by: By) -> Result<(), Trap> {
        let (id, at, size) = match self.locate(address, out.len() as u32, local) {
            Ok((id, at)) => (id, at, out.len()),
            Err(trap) if local => return Err(trap),
            Err(trap) => self.in_part(address, out.len() as u32, trap)?,
        };
        self.races.load(id, at, size as u32, by)?;
        let (inside, behind) = out.split_at_mut(size);
        behind.fill(BEHIND);
        Ok(self.memory.load_bytes(id, at, inside)?)
    }

    /// The allocation of the lowest of some lanes, its address, and the bytes from there on.
    pub fn locate_first(&self, addresses: &[u64], lanes: u64, local: bool) -> Option<(AllocId, u64, u64)> {
        if local {
            return self.shared.as_ref().filter(|_| self.shared_is_local).map(|s| (s.id, 0, u64::MAX));
        }
        let (id, base, size) = self.addresses.find_first(addresses, lanes)?;
        let slice = [&self.shared, &self.scratch].into_iter().flatten().find(|s| s.id == id);
        Some(slice.map_or((id, base, size), |s| (id, base + s.start, s.bytes)))
    }

    /// Words that hardware reads by itself: of a table or a descriptor.
    pub fn words<const N: usize>(&self, address: u32) -> Result<[u32; N], Trap> {
        let (id, at) = self.addresses.resolve(u64::from(address), 4 * N as u32)?;
        let mut bytes = vec![0; 4 * N];
        self.memory.load_bytes(id, at, &mut bytes)?;
        let mut words = [0; N];
        for (w, b) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        Ok(words)
    }

    /// Word of up to four bytes as the fetch of attributes reads them: zeros outside of what there is.
    pub fn peek(&self, address: u32, size: u32) -> u32 {
        let mut bytes = [0; 4];
        if let Ok((id, at)) = self.addresses.resolve(u64::from(address), size)
            && self.memory.load_bytes(id, at, &mut bytes[..size as usize]).is_err()
        {
            return 0;
        }
        u32::from_le_bytes(bytes)
    }

    /// Stores of one lane.
    pub fn store(&mut self, address: u32, local: bool, bytes: &[u8], by: By) -> Result<(), Trap> {
        let (id, at) = self.locate(address, bytes.len() as u32, local)?;
        self.races.store(&self.memory, id, at, bytes, by)?;
        Ok(self.memory.store_bytes(id, at, bytes)?)
    }

    /// One indivisible read and write of one lane; gives the old value. As loads, it may reach behind a buffer, but must leave the
    /// bytes there as they were.
    pub fn atomic(&mut self, address: u32, by: By, op: impl Fn(u32) -> u32) -> Result<u32, Trap> {
        let (id, at, size, out) = match self.locate(address, 4, false) {
            Ok((id, at)) => (id, at, 4, None),
            Err(trap) => {
                let (id, at, size) = self.in_part(address, 4, trap.clone())?;
                (id, at, size, Some(trap))
            }
        };
        let mut word = [BEHIND; 4];
        self.memory.load_bytes(id, at, &mut word[..size])?;
        let old = u32::from_le_bytes(word);
        let new = op(old);
        let bytes = new.to_le_bytes();
        if let Some(trap) = out.filter(|_| bytes[size..] != word[size..]) {
            return Err(trap);
        }
        self.races.atomic(id, at, size as u32, new != old, by)?;
        self.memory.store_bytes(id, at, &bytes[..size])?;
        Ok(old)
    }

    /// Allocation, offset and bytes there of words that begin in a buffer and end less than a word behind it; else the trap.
    fn in_part(&self, address: u32, size: u32, trap: Trap) -> Result<(AllocId, u64, usize), Trap> {
        fail_if!(!address.is_multiple_of(4) || !size.is_multiple_of(4), trap);
        match self.addresses.resolve(u64::from(address), size - 3) {
            Ok((id, at)) if ![&self.shared, &self.scratch].into_iter().flatten().any(|s| s.id == id) => {
                Ok((id, at, (self.memory.len(id) - at) as usize))
            }
            _ => Err(trap),
        }
    }

    /// Allocation and offset of an access.
    #[inline]
    pub fn locate(&self, address: u32, size: u32, local: bool) -> Result<(AllocId, u64), Trap> {
        if local {
            let Some(s) = self.shared.as_ref().filter(|_| self.shared_is_local) else {
                return Err(out_of_bounds("LOCAL access, but the container claims no LOCAL storage"));
            };
            return Ok((s.id, u64::from(address)));
        }
        let (id, offset) = self.addresses.resolve(u64::from(address), size)?;
        for s in [&self.shared, &self.scratch].into_iter().flatten() {
            if s.id == id {
                return match offset.checked_sub(s.start) {
                    Some(inside) if inside + u64::from(size) <= s.bytes => Ok((id, inside)),
                    _ => Err(out_of_bounds(format!(
                        "address 0x{address:x} is in the {} of another workgroup",
                        self.memory.name(id)
                    ))),
                };
            }
        }
        Ok((id, offset))
    }
}
