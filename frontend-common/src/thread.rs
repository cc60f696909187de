//! A thread with a stack that is large enough for the input.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The name of the thread; its panics are reported through [`Panicked`] alone.
const NAME: &str = "gpucc-frontend";

/// A panic, for the diagnostic that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    /// The sentence.
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

/// Runs `work` on a thread with a stack of so many bytes. A panic inside comes back as [`Failed::Panicked`].
///
/// # Errors
/// As said.
pub fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Result<T, Failed> {
    keep_quiet();
    let guarded = || {
        // Whatever `work` shares with us is not looked at again after a panic.
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|payload| Panicked { text: panic_text(payload.as_ref()), doing: gpucc_ir::trace::current() })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(NAME.to_string()).stack_size(bytes);
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
            if std::thread::current().name() != Some(NAME) {
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
