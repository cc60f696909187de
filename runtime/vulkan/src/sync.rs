//! Fences, semaphores and events: numbers that rise, and who waits for them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ash::vk;

use crate::handles::handles;

/// One bell for all: it rings whenever a number changes or a device is lost.
static BELL: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// Makes a change that somebody may wait for.
pub fn ring(change: impl FnOnce()) {
    let held = BELL.0.lock().unwrap_or_else(PoisonError::into_inner);
    change();
    drop(held);
    BELL.1.notify_all();
}

/// Waits until `ready` says yes, or so many nanoseconds; `u64::MAX` is for ever. Says whether it was ready.
pub fn wait(nanoseconds: u64, mut ready: impl FnMut() -> bool) -> bool {
    let end = Instant::now().checked_add(Duration::from_nanos(nanoseconds)).filter(|_| nanoseconds != u64::MAX);
    let mut held = BELL.0.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if ready() {
            return true;
        }
        held = match end {
            None => BELL.1.wait(held).unwrap_or_else(PoisonError::into_inner),
            Some(end) => {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                BELL.1.wait_timeout(held, left).map_or_else(|e| e.into_inner().0, |r| r.0)
            }
        };
    }
}

/// A number that somebody may wait for. A fence and an event are 0 or 1; so is a binary semaphore.
#[derive(Debug, Default)]
pub struct Signal(AtomicU64);

impl Signal {
    /// A number to begin with.
    pub fn new(value: u64) -> Signal {
        Signal(AtomicU64::new(value))
    }

    /// The number that it has now.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Changes the number and wakes who waits.
    pub fn set(&self, value: u64) {
        ring(|| self.0.store(value, Ordering::SeqCst));
    }
}

/// A fence, which the host waits for.
#[derive(Debug)]
pub struct Fence(pub Signal);

/// An event, set by the host or by commands.
#[derive(Debug)]
pub struct Event(pub Signal);

/// A semaphore, which queues wait for.
#[derive(Debug)]
pub struct Semaphore {
    /// The number that waits compare with.
    pub signal: Signal,
    /// Whether it counts; otherwise a wait sets it back.
    pub timeline: bool,
}

handles! {
    vk::Fence => Fence, "fence";
    vk::Event => Event, "event";
    vk::Semaphore => Semaphore, "semaphore";
}
