//! Structs that later versions make longer: their first field is the size that the caller has.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use crate::constants::{GPUCC_OK, GPUCC_USAGE};

/// A struct of `gpucc.h` that begins with its size in bytes.
///
/// # Safety
/// The first field is that size, a `usize`; the struct is plain data and valid where all bytes are 0.
pub unsafe trait Grows: Copy {
    /// Its bytes in the first version, with the padding at their end: who has fewer did not set the size.
    const FIRST: usize;
}

/// Marks structs with the last field of their first version. New fields begin behind the padding there, which no caller sets.
macro_rules! grows {
    ($($name:ty: $last:ident of $type:ty;)*) => {
        $(
            // SAFETY: the field `size` comes first, as `repr(C)` keeps it.
            unsafe impl $crate::grow::Grows for $name {
                const FIRST: usize = (std::mem::offset_of!($name, $last) + size_of::<$type>())
                    .next_multiple_of(align_of::<usize>());
            }
            const _: () = assert!(std::mem::offset_of!($name, size) == 0);
        )*
    };
}
pub(crate) use grows;

/// Whether a struct of some version has so many bytes. Sizes between are no struct's: a pointer would be cut in its middle.
fn is_whole(size: usize) -> bool {
    size.is_multiple_of(align_of::<usize>())
}

/// Takes a struct of a version from a caller of another: what an older caller does not have is 0, and what a newer one has besides must be.
///
/// # Errors
/// A size below the first version's, or of no struct; a byte that is not 0 behind what this version knows.
///
/// # Safety
/// `given` has as many bytes as its first field says.
#[doc(hidden)]
pub unsafe fn taken<T: Grows>(given: *const T) -> Result<T, String> {
    let mut own = MaybeUninit::<T>::zeroed();
    // SAFETY: as the caller says; only so much is read and written as both have.
    unsafe {
        let size = given.cast::<usize>().read_unaligned();
        if size < T::FIRST {
            return Err(format!("a struct of {size} bytes is too small: set `size`"));
        }
        if !is_whole(size) {
            return Err(format!("no struct has {size} bytes: set `size`"));
        }
        let known = size.min(size_of::<T>());
        ptr::copy_nonoverlapping(given.cast::<u8>(), own.as_mut_ptr().cast::<u8>(), known);
        let more = std::slice::from_raw_parts(given.cast::<u8>().add(known), size - known);
        if more.iter().any(|&b| b != 0) {
            return Err(format!("a struct of {size} bytes asks for what only a later version has"));
        }
        Ok(own.assume_init())
    }
}

/// Fills a struct of the caller, as much as it has; what it has besides becomes 0. NULL and a size below the first version's or of no struct
/// are usage errors.
///
/// # Safety
/// `out` is NULL, or as many bytes as its first field says can be written.
pub(crate) unsafe fn fill<T: Grows>(out: *mut T, value: Option<&T>) -> c_int {
    let Some(value) = value.filter(|_| !out.is_null()) else { return GPUCC_USAGE };
    // SAFETY: as the caller says. The size is read before anything is written, and stays.
    unsafe {
        let size = out.cast::<usize>().read_unaligned();
        if size < T::FIRST || !is_whole(size) {
            return GPUCC_USAGE;
        }
        let head = size_of::<usize>();
        let known = size.min(size_of::<T>());
        let to = out.cast::<u8>();
        ptr::copy_nonoverlapping(ptr::from_ref(value).cast::<u8>().add(head), to.add(head), known - head);
        ptr::write_bytes(to.add(known), 0, size - known);
    }
    GPUCC_OK
}
