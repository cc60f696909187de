//! Addresses, slices of workgroup memory and scratch, loads and stores of lanes.

use gpucc_sim::{AddressSpace, AllocId, By, Memory, OwnMemory, RaceCheck, SplitMix64, Trap, TrapKind};

/// Memory of which each workgroup has its own piece: one allocation that stands for the piece of the workgroup that
/// is running, at the address where that piece would be.
pub(crate) struct Slice {
    pub id: AllocId,
    pub base: u64,
    /// Bytes of one piece.
    pub bytes: u64,
    /// Offset of the running workgroup's piece from the base.
    pub start: u64,
}

/// Everything that has an address.
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

    /// Loads of one lane.
    pub fn load(&mut self, address: u32, local: bool, out: &mut [u8], by: By) -> Result<(), Trap> {
        let (id, at) = self.locate(address, out.len() as u32, local)?;
        self.races.load(id, at, out.len() as u32, by)?;
        Ok(self.memory.load_bytes(id, at, out)?)
    }

    /// Stores of one lane.
    pub fn store(&mut self, address: u32, local: bool, bytes: &[u8], by: By) -> Result<(), Trap> {
        let (id, at) = self.locate(address, bytes.len() as u32, local)?;
        self.races.store(&self.memory, id, at, bytes, by)?;
        Ok(self.memory.store_bytes(id, at, bytes)?)
    }

    /// One indivisible read and write of one lane; gives the old value.
    pub fn atomic(&mut self, address: u32, by: By, op: impl Fn(u32) -> u32) -> Result<u32, Trap> {
        let (id, at) = self.locate(address, 4, false)?;
        let old = self.memory.load_u32(id, at)?;
        self.races.atomic(id, at, 4, op(old) != old, by)?;
        Ok(self.memory.atomic_u32(id, at, op)?)
    }

    /// Allocation and offset of an access.
    #[inline]
    pub fn locate(&self, address: u32, size: u32, local: bool) -> Result<(AllocId, u64), Trap> {
        if local {
            let Some(s) = self.shared.as_ref().filter(|_| self.shared_is_local) else {
                return Err(Trap::new(
                    TrapKind::OutOfBounds,
                    "LOCAL access, but the container claims no LOCAL storage",
                ));
            };
            return Ok((s.id, u64::from(address)));
        }
        let (id, offset) = self.addresses.resolve(u64::from(address), size)?;
        for s in [&self.shared, &self.scratch].into_iter().flatten() {
            if s.id == id {
                return match offset.checked_sub(s.start) {
                    Some(inside) if inside + u64::from(size) <= s.bytes => Ok((id, inside)),
                    _ => Err(Trap::new(
                        TrapKind::OutOfBounds,
                        format!("address 0x{address:x} is in the {} of another workgroup", self.memory.name(id)),
                    )),
                };
            }
        }
        Ok((id, offset))
    }
}
