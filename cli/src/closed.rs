//! Whether standard output was closed when the process began.
//!
//! The runtime of Rust opens `/dev/null` in the place of closed standard streams before `main`, so that whatever is written
//! there would seem to have arrived. What runs before the runtime can still tell.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[allow(unsafe_code, reason = "runs before main, as C's constructors do; it asks for the flags of one descriptor")]
mod before_main {
    #[ctor::ctor(unsafe)]
    fn look() {
        // SAFETY: F_GETFD reads the flags of a descriptor and answers -1 where there is none.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        super::CLOSED.store(flags == -1, super::Ordering::Relaxed);
    }
}

/// Whether nothing that is written to standard output arrives anywhere.
pub fn stdout() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
