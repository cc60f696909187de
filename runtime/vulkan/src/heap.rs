//! A count of bytes that are taken, up to a limit: what a device has is known before memory is taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fail::{Done, Fail};

/// Bytes that there are, and those that are taken.
#[derive(Debug)]
pub struct Heap {
    size: u64,
    used: AtomicU64,
}

/// Bytes of a heap that are taken until this goes.
#[derive(Debug)]
pub struct Room {
    heap: Arc<Heap>,
    bytes: u64,
}

impl Heap {
    /// A heap of which nothing is taken.
    pub fn new(size: u64) -> Arc<Heap> {
        Arc::new(Heap { size, used: AtomicU64::new(0) })
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// So many are not left.
    pub fn take(self: &Arc<Heap>, bytes: u64) -> Done<Room> {
        let more = |used: u64| used.checked_add(bytes).filter(|&n| n <= self.size);
        match self.used.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more) {
            Ok(_) => Ok(Room { heap: self.clone(), bytes }),
            Err(used) => {
                let left = self.size - used;
                Err(Fail::memory(format!("{bytes} bytes are asked for, and {left} of {} are left", self.size)))
            }
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.heap.used.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}
