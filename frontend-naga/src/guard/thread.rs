//! A thread with a stack large enough for every input that the limits admit.

use super::limits::STACK_BYTES;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The name of the thread; its panics are reported through [`Panicked`] alone.
const NAME: &str = "gpucc-frontend";

/// A panic, for the diagnostic that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    /// What it said.
    pub text: String,
    /// What our own code was doing.
    pub doing: Option<String>,
}

/// Runs `work` on a thread with a stack of [`STACK_BYTES`]. A panic inside comes back as [`Panicked`].
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Panicked> {
    keep_quiet();
    let guarded = || {
        // Whatever `work` shares with us is not looked at again after a panic.
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|payload| Panicked { text: panic_text(payload.as_ref()), doing: gpucc_ir::trace::current() })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(NAME.to_string()).stack_size(STACK_BYTES);
        let failed = |text: String| Err(Panicked { text, doing: None });
        match thread.spawn_scoped(scope, guarded) {
            Ok(handle) => handle.join().unwrap_or_else(|payload| failed(panic_text(payload.as_ref()))),
            Err(error) => failed(format!("no thread with a stack of {STACK_BYTES} bytes: {error}")),
        }
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
