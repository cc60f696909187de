//! A thread with a stack large enough for every input that the limits admit.

use super::limits::STACK_BYTES;
use std::any::Any;

/// What a panic said, for the diagnostic that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked(pub String);

/// Runs `work` on a thread with a stack of [`STACK_BYTES`]. A panic inside comes back as [`Panicked`].
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Panicked> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("gpucc-frontend".to_string()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().map_err(|payload| Panicked(panic_text(payload.as_ref()))),
            Err(error) => Err(Panicked(format!("no thread with a stack of {STACK_BYTES} bytes: {error}"))),
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn recurse(depth: u32) -> u64 {
        let frame = std::hint::black_box([depth as u64; 64]);
        if depth == 0 { frame[0] } else { frame[1] + recurse(depth - 1) }
    }

    #[test]
    fn deep_recursion_fits() {
        // 100,000 frames of at least half a KiB: far more than the 2 MiB of an ordinary test thread.
        assert_eq!(with_large_stack(|| recurse(100_000)), Ok((1..=100_000).sum()));
    }

    #[test]
    fn panic_is_returned() {
        let result: Result<(), _> = with_large_stack(|| panic!("number {}", 7));
        assert_eq!(result, Err(Panicked("number 7".into())));
    }
}
