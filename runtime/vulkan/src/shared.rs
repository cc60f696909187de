//! What a device shares with the thread of its queue, and with what runs there.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::exec::copies::Copies;
use crate::fail::{Done, Fail};
use crate::heap::Heap;
use crate::physical::HEAP;
use crate::reached::Reached;
use crate::settings::{Chip, Level};
use crate::{log, sync};

/// What the device and its thread share.
#[derive(Debug)]
pub struct Shared {
    /// The interpreter or machine on which programs run.
    pub chip: Chip,
    /// The instance, by its handle.
    pub instance: u64,
    /// Why the device is lost.
    lost: Mutex<Option<String>>,
    /// Whether the thread is to end.
    pub stop: AtomicBool,
    /// Jobs that were submitted and that are done.
    pub jobs: [AtomicU64; 2],
    /// Steps that programs ran: the clock of the device.
    pub steps: AtomicU64,
    /// What memory objects take.
    pub heap: Arc<Heap>,
    /// What texels of images take, which lie outside of memory objects.
    pub texels: Arc<Heap>,
    /// Memory that shaders find at addresses.
    pub reached: Reached,
    /// Copies of memory that programs ran on, which the thread of the queue uses again.
    copies: Mutex<Copies>,
}

impl Shared {
    /// The state of a device that has no work yet.
    pub fn new(chip: Chip, instance: u64) -> Shared {
        let (lost, stop, jobs) = (Mutex::new(None), AtomicBool::new(false), Default::default());
        let (heap, texels) = (Heap::new(HEAP), Heap::new(HEAP));
        let (reached, copies) = (Reached::default(), Mutex::default());
        Shared { chip, instance, lost, stop, jobs, steps: AtomicU64::new(0), heap, texels, reached, copies }
    }

    /// The copies, for the thread of the queue alone.
    pub fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the device is lost, if it is.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loses the device; the first reason stays.
    pub fn lose(&self, text: &str) {
        log::tell(self.instance, Level::Error, "vkQueueSubmit", &format!("the device is lost: {text}"));
        log::verdict(text);
        sync::ring(|| {
            self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| text.to_owned());
        });
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The failure that every later call gives.
    ///
    /// # Errors
    /// The device is lost.
    pub fn alive(&self) -> Done {
        match self.lost() {
            None => Ok(()),
            Some(text) => Err(Fail::new(vk::Result::ERROR_DEVICE_LOST, format!("the device is lost: {text}"))),
        }
    }
}
