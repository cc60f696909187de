//! The heap of programs that measure.

/// Keeps what is freed in the process, from here on.
///
/// glibc gives the end of the heap back to the system once more lies free there than twice the largest block that it ever took
/// from the system for itself. A compilation of 100,000 operations frees that much and one of 10,000 does not, so that of two
/// runs of one program only the larger touches all of its memory for the first time again, and whether it does hangs on what was
/// compiled before it. Elsewhere than on Linux with glibc this does nothing.
pub fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(
        unsafe_code,
        reason = "a function of C that takes two numbers and changes how memory is managed, not what lies there"
    )]
    // SAFETY: both parameters exist and may be set at any time (mallopt(3)).
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
    }
}
