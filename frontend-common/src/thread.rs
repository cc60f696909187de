//! A thread with a stack that is large enough for the input.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic, for the diagnostic that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    /// The sentence that the panic printed.
    pub text: String,
    /// The work of our own code at the time.
    pub doing: Option<String>,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// A panic inside.
    Panicked(Panicked),
    /// There is no thread: the sentence says what the system said.
    NoThread(String),
}

thread_local! {
    /// Bytes of this thread's stack that [`with_stack`] may use.
    static ROOM: Cell<usize> = const { Cell::new(0) };
    /// Whether a panic of this thread is reported through [`Panicked`] alone.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Says that so many bytes of this thread's stack are free, beside what its own code needs. [`with_stack`] works on this thread
/// where that is enough: a thread, its stack and its share of the heap cost more than the reading of a small module.
pub fn promise_room(bytes: usize) {
    ROOM.set(bytes);
}

/// Runs `work` with a stack of so many bytes: on this thread where [`promise_room`] said that it has them, else on a new one. A panic
/// inside comes back as [`Failed::Panicked`].
///
/// # Errors
/// As said.
pub fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Result<T, Failed> {
    keep_quiet();
    let guarded = || {
        let outer = QUIET.replace(true);
        // Whatever `work` shares with us is not looked at again after a panic.
        let result = catch_unwind(AssertUnwindSafe(work));
        QUIET.set(outer);
        // Taken in any case: what comes next on this thread is no part of this.
        let doing = gpucc_ir::trace::current();
        result.map_err(|payload| Panicked { text: panic_text(payload.as_ref()), doing })
    };
    let room = ROOM.get();
    if bytes <= room {
        ROOM.set(room - bytes);
        let result = guarded();
        ROOM.set(room);
        return result.map_err(Failed::Panicked);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("gpucc-frontend".to_string()).stack_size(bytes);
        let handle = thread.spawn_scoped(scope, guarded).map_err(|error| {
            Failed::NoThread(format!("there is no thread with a stack of {} MiB: {error}", bytes >> 20))
        })?;
        let unknown = |payload: Box<dyn Any + Send>| Panicked { text: panic_text(payload.as_ref()), doing: None };
        handle.join().unwrap_or_else(|payload| Err(unknown(payload))).map_err(Failed::Panicked)
    })
}

/// Keeps the panic hook from printing what a diagnostic will say: naga panics on some invalid input.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                others(info);
            }
        }));
    });
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_string()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "panic without a message".to_string()
    }
}
