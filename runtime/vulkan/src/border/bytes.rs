//! Memory that the application maps: its address is handed out, so nothing here ever moves.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of every block, which is also that of mapped memory.
const ALIGN: usize = 64;

/// A block of zeroed bytes. The application may read and write it at any time by its address; Vulkan asks it not to touch what a command
/// that runs reads or writes.
#[derive(Debug)]
pub struct Bytes {
    /// What was allocated.
    block: NonNull<u8>,
    layout: Layout,
    /// First byte and number of those that are used.
    at: usize,
    size: usize,
    /// How often a command wrote something.
    writes: AtomicU64,
}

// SAFETY: the block is owned, and reads and writes are copies of bytes.
unsafe impl Send for Bytes {}
// SAFETY: as above; who writes what at once is ordered by the application, as Vulkan asks.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// A block of so many bytes, or none if the host has no room.
    pub fn new(size: usize) -> Option<Bytes> {
        // A block of a large alignment would be written to become zero; of a small one the system has zeros at hand.
        let size = size.max(ALIGN);
        let layout = Layout::from_size_align(size.checked_add(ALIGN)?, 1).ok()?;
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let at = block.as_ptr().align_offset(ALIGN);
        Some(Bytes { block, layout, at, size, writes: AtomicU64::new(0) })
    }

    /// How often commands wrote here. What the host writes by its address is not counted.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The address of the first byte.
    pub fn address(&self) -> usize {
        self.block.as_ptr() as usize + self.at
    }

    /// The part from `from` of at most `size` bytes that there is.
    fn part(&self, from: usize, size: usize) -> (*mut u8, usize) {
        let from = from.min(self.size());
        // SAFETY: the offset is inside of the block or at its end.
        (unsafe { self.block.as_ptr().add(self.at + from) }, size.min(self.size() - from))
    }

    /// Calls `f` with a range; what lies behind the block is left out.
    pub fn with<T>(&self, from: usize, size: usize, f: impl FnOnce(&[u8]) -> T) -> T {
        let (at, size) = self.part(from, size);
        // SAFETY: the range is inside of the block; the application does not write what a command reads.
        f(unsafe { std::slice::from_raw_parts(at, size) })
    }

    /// Copies a range out.
    pub fn get(&self, from: usize, size: usize) -> Vec<u8> {
        self.with(from, size, <[u8]>::to_vec)
    }

    /// Copies bytes in; what lies behind the block is left out.
    pub fn put(&self, from: usize, bytes: &[u8]) {
        self.writes.fetch_add(1, Ordering::SeqCst);
        let (at, size) = self.part(from, bytes.len());
        // SAFETY: the range is inside of the block, and `bytes` are not part of it: `with` ends before.
        unsafe { std::ptr::copy(bytes.as_ptr(), at, size) };
    }

    /// Copies the bytes in that are not the old ones, and no others: somebody else may write between them. Says whether there are some.
    pub fn put_changed(&self, from: usize, old: &[u8], new: &[u8]) -> bool {
        /// Bytes that are compared at once.
        const BLOCK: usize = 64;
        let (at, size) = self.part(from, old.len().min(new.len()));
        let mut changed = false;
        for (k, (o, n)) in old[..size].chunks(BLOCK).zip(new[..size].chunks(BLOCK)).enumerate() {
            if o == n {
                continue;
            }
            changed = true;
            for (i, (_, n)) in o.iter().zip(n).enumerate().filter(|(_, (o, n))| o != n) {
                // SAFETY: the byte is inside of the part.
                unsafe { at.add(k * BLOCK + i).write(*n) };
            }
        }
        if changed {
            self.writes.fetch_add(1, Ordering::SeqCst);
        }
        changed
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}
