//! Addresses of what a driver part places.

use gpucc_sim::{AddressSpace, AllocId, Device, Resident, Trap};

/// Places what it is given, upwards.
pub struct Placer {
    space: AddressSpace,
    align: u64,
    next: u32,
}

impl Placer {
    /// A placer that starts in these addresses, at multiples of `align`.
    pub fn new(space: AddressSpace, align: u64) -> Placer {
        Placer { space, align, next: 0 }
    }

    /// The address of something of `size` bytes.
    ///
    /// # Errors
    /// No room.
    pub fn place(&mut self, size: u64) -> Result<u64, Trap> {
        self.next += 1;
        self.space.place(AllocId(self.next), size, self.align)
    }

    /// Places bytes that no program writes, and gives their address.
    ///
    /// # Errors
    /// No room.
    pub fn constant(&mut self, device: &mut Device, name: String, bytes: Vec<u8>) -> Result<u64, Trap> {
        let address = self.place(bytes.len() as u64)?;
        device.residents.push(Resident { name, address, bytes: bytes.into(), writable: false, resource: None });
        Ok(address)
    }
}
