//! Memory objects, and buffers as ranges of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Most bytes of one memory object.
pub const MOST_MEMORY: u64 = 4 << 30;

/// A memory object: bytes that buffers lie in. Clones are the same memory. The bytes never move, so a place in them that was mapped
/// once stays valid as long as the object lives.
#[derive(Clone, Debug)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl PartialEq for Memory {
    fn eq(&self, other: &Memory) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Memory {
    /// An object of `size` bytes, all zero.
    ///
    /// # Errors
    /// [`Error::Memory`] if it is larger than [`MOST_MEMORY`], or the host has no room.
    pub fn new(size: u64) -> Result<Memory, Error> {
        let none = || Error::Memory(format!("there is no room for {size} bytes of memory"));
        let bytes = usize::try_from(size).ok().filter(|_| size <= MOST_MEMORY).ok_or_else(none)?;
        let mut list = Vec::new();
        list.try_reserve_exact(bytes).map_err(|_| none())?;
        list.resize(bytes, 0);
        Ok(Memory(Arc::new(Mutex::new(list))))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number that tells it from others.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.lock().len() as u64
    }

    /// Calls `f` with all bytes. No command runs on them meanwhile.
    pub fn with<T>(&self, f: impl FnOnce(&mut [u8]) -> T) -> T {
        f(&mut self.lock())
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// [`Error::Invalid`] if they do not lie in the object.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let own = self.lock();
        let range = within(offset, out.len() as u64, own.len() as u64)?;
        out.copy_from_slice(&own[range]);
        Ok(())
    }

    /// Copies bytes in.
    ///
    /// # Errors
    /// [`Error::Invalid`] if they do not lie in the object.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut own = self.lock();
        let range = within(offset, bytes.len() as u64, own.len() as u64)?;
        own[range].copy_from_slice(bytes);
        Ok(())
    }

    /// A buffer of `size` bytes from `offset` on.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not lie in the object.
    pub fn buffer(&self, offset: u64, size: u64) -> Result<Buffer, Error> {
        within(offset, size, self.size())?;
        Ok(Buffer { memory: self.clone(), offset, size })
    }
}

/// The place of `size` bytes from `offset` on in `all` bytes.
fn within(offset: u64, size: u64, all: u64) -> Result<std::ops::Range<usize>, Error> {
    match offset.checked_add(size).filter(|&end| end <= all) {
        Some(end) => Ok(offset as usize..end as usize),
        None => Err(Error::Invalid(format!("{size} bytes at {offset} do not lie in {all} bytes"))),
    }
}

/// A range of a memory object.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    memory: Memory,
    offset: u64,
    size: u64,
}

impl Buffer {
    /// A buffer with a memory object of its own.
    ///
    /// # Errors
    /// As [`Memory::new`].
    pub fn new(size: u64) -> Result<Buffer, Error> {
        Ok(Buffer { memory: Memory::new(size)?, offset: 0, size })
    }

    /// A buffer with a memory object of its own that holds these bytes.
    ///
    /// # Errors
    /// As [`Memory::new`].
    pub fn with(bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = Buffer::new(bytes.len() as u64)?;
        buffer.memory.write(0, bytes)?;
        Ok(buffer)
    }

    /// The memory object that holds the bytes.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// First byte in the memory object.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A part of it: `size` bytes from `offset` on, both clamped to what is there.
    #[must_use]
    pub fn part(&self, offset: u64, size: u64) -> Buffer {
        let from = offset.min(self.size);
        Buffer { memory: self.memory.clone(), offset: self.offset + from, size: size.min(self.size - from) }
    }

    /// All bytes as they are now.
    pub fn bytes(&self) -> Vec<u8> {
        self.memory.lock()[self.place()].to_vec()
    }

    /// Its place in the memory object.
    pub(crate) fn place(&self) -> std::ops::Range<usize> {
        self.offset as usize..(self.offset + self.size) as usize
    }
}
