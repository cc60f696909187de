//! Memory that shaders find at addresses.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use gpucc_sim::Dispatch;

use crate::fail::{Done, Fail};
use crate::memory::Memory;

/// Most memory objects with addresses at a time: each is alone around a multiple of 4 GiB, and chips have 40 bits.
const MOST: usize = 128;

/// The memory objects of a device that have addresses, by number.
#[derive(Debug, Default)]
pub struct Reached(Mutex<Vec<Weak<Memory>>>);

impl Reached {
    /// Makes memory at an address that no other has.
    ///
    /// # Errors
    /// There are too many, or `make` fails.
    pub fn add(&self, make: impl FnOnce(Option<u64>) -> Done<Arc<Memory>>) -> Done<Arc<Memory>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let n = all.iter().position(|m| m.strong_count() == 0).unwrap_or(all.len());
        if n >= MOST {
            return Err(Fail::memory(format!("there are {MOST} memory objects with addresses already")));
        }
        let memory = make(Some(Dispatch::nth_address(n)))?;
        match all.get_mut(n) {
            Some(place) => *place = Arc::downgrade(&memory),
            None => all.push(Arc::downgrade(&memory)),
        }
        Ok(memory)
    }

    /// Those that there are.
    pub fn all(&self) -> Vec<Arc<Memory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }
}
