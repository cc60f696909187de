//! The stack of the main thread.
//!
//! A thread with a stack of its own costs a small compile a twentieth of its time: the thread is started, its stack and its share of the heap
//! are new pages, and the allocator takes locks from then on. Linux asks for the limit only when the main thread's stack grows, and keeps 128 MiB
//! of addresses free below it, so that a process may raise its own limit.

/// Whether the stack of the main thread may grow to so many bytes; the process raises its limit for that. No elsewhere than on Linux, where
/// the stack has its size from the start.
pub fn may_grow_to(bytes: u64) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // What the thread holds already, its arguments and environment with it, and the pages that guard it.
        let wanted = bytes + (4 << 20);
        let limit = getrlimit(Resource::Stack);
        let enough = |l: Option<u64>| l.is_none_or(|l| l >= wanted);
        enough(limit.current)
            || (enough(limit.maximum)
                && setrlimit(Resource::Stack, Rlimit { current: Some(wanted), maximum: limit.maximum }).is_ok())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = bytes;
        false
    }
}
