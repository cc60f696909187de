//! Addresses, slices of workgroup memory and scratch, loads and stores of lanes.

use gpucc_sim::{AddressSpace, AllocId, Dispatch, Memory, SplitMix64, Trap, TrapKind};

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
pub(crate) struct Space {
    pub memory: Memory,
    pub addresses: AddressSpace,
    /// Place in the dispatch, allocation.
    pub buffers: Vec<(usize, AllocId)>,
    pub data: Option<AllocId>,
    pub shared: Option<Slice>,
    pub shared_is_local: bool,
    pub scratch: Option<Slice>,
}

impl Space {
    pub fn begin(&mut self, mut garbage: Option<&mut SplitMix64>) {
        for s in [&self.shared, &self.scratch].into_iter().flatten() {
            self.memory.reset_undefined(s.id, garbage.as_deref_mut());
        }
    }

    /// Moves the pieces to the next workgroup and forgets their content.
    pub fn enter(&mut self, id: [u32; 3], grid: [u32; 3], mut garbage: Option<&mut SplitMix64>) {
        let [x, y, z] = id.map(u64::from);
        let index = (z * u64::from(grid[1]) + y) * u64::from(grid[0]) + x;
        for s in [&mut self.shared, &mut self.scratch].into_iter().flatten() {
            s.start = s.bytes * index;
            self.memory.reset_undefined(s.id, garbage.as_deref_mut());
        }
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

    /// Moves the buffers back.
    pub fn give_back(&mut self, dispatch: &mut Dispatch) {
        for &(index, id) in &self.buffers {
            dispatch.buffers[index].bytes = self.memory.take(id);
        }
    }
}
