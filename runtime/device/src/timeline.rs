//! Counters that order work: fences, semaphores and events are made of them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
struct State {
    value: u64,
    lost: bool,
}

/// The outcome of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The value was reached.
    Reached,
    /// The time is over.
    TimedOut,
    /// The device that was to signal it is lost.
    Lost,
}

/// A counter that only grows, on which queues and host threads wait. Clones are the same counter.
#[derive(Clone, Debug, Default)]
pub struct Timeline(Arc<(Mutex<State>, Condvar)>);

impl Timeline {
    /// A counter that stands at a value.
    pub fn new(value: u64) -> Timeline {
        Timeline(Arc::new((Mutex::new(State { value, lost: false }), Condvar::new())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value that it has now.
    pub fn value(&self) -> u64 {
        self.state().value
    }

    /// Raises it to a value and wakes those who wait for it. A value below the present one changes nothing.
    pub fn signal(&self, value: u64) {
        let mut state = self.state();
        state.value = state.value.max(value);
        self.0.1.notify_all();
    }

    /// Sets it back, as an event or a fence is; nobody may be waiting.
    pub fn reset(&self, value: u64) {
        self.state().value = value;
    }

    /// Says that nobody will signal it any more.
    pub(crate) fn lose(&self) {
        self.state().lost = true;
        self.0.1.notify_all();
    }

    /// Waits until it stands at a value or above; without a time for ever.
    pub fn wait(&self, value: u64, time: Option<Duration>) -> Waited {
        let end = time.and_then(|t| Instant::now().checked_add(t));
        let mut state = self.state();
        loop {
            if state.value >= value {
                return Waited::Reached;
            }
            if state.lost {
                return Waited::Lost;
            }
            state = match end {
                None => self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Waited::TimedOut;
                    }
                    self.0.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
