//! Pointers of the application as references, lists and texts.
//!
//! Every function trusts what Vulkan asks of the application: a pointer that is not null points to so many values of its type, and they
//! stay as they are during the call.

use std::ffi::{CStr, c_char, c_void};

use ash::vk;

use crate::fail::{Done, Fail};

/// The value that a pointer names.
///
/// # Errors
/// The pointer is null.
///
/// # Safety
/// A pointer that is not null points to a value.
pub unsafe fn given<'a, T>(p: *const T) -> Done<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { p.as_ref() }.ok_or_else(|| Fail::misuse("a pointer is null that must not be"))
}

/// The list that a pointer and a number name.
///
/// # Errors
/// The pointer is null and the number is not 0.
///
/// # Safety
/// A pointer that is not null points to so many values.
pub unsafe fn list<'a, T>(p: *const T, n: u32) -> Done<&'a [T]> {
    match (p.is_null(), n) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fail::misuse("a list is null that has elements")),
        // SAFETY: the caller's promise.
        (false, n) => Ok(unsafe { std::slice::from_raw_parts(p, n as usize) }),
    }
}

/// Writes a value.
///
/// # Errors
/// The pointer is null.
///
/// # Safety
/// A pointer that is not null points to room for a value.
pub unsafe fn give<T>(p: *mut T, value: T) -> Done {
    if p.is_null() {
        return Err(Fail::misuse("a pointer to a result is null"));
    }
    // SAFETY: the caller's promise.
    unsafe { p.write(value) };
    Ok(())
}

/// A place for a value that has one already.
///
/// # Errors
/// The pointer is null.
///
/// # Safety
/// A pointer that is not null points to a value that nobody else uses.
pub unsafe fn place<'a, T>(p: *mut T) -> Done<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { p.as_mut() }.ok_or_else(|| Fail::misuse("a pointer to a result is null"))
}

/// Writes a list, or its length where there is no room given for it.
///
/// # Errors
/// The pointer to the length is null.
///
/// # Safety
/// `n` points to a number, and `out`, if it is not null, to room for so many values.
pub unsafe fn fill<T: Copy>(all: &[T], n: *mut u32, out: *mut T) -> Done<vk::Result> {
    // SAFETY: the caller's promise.
    let n = unsafe { place(n) }?;
    if out.is_null() {
        *n = all.len() as u32;
        return Ok(vk::Result::SUCCESS);
    }
    let most = (*n as usize).min(all.len());
    // SAFETY: there is room for `n` values.
    unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), out, most) };
    *n = most as u32;
    Ok(if most < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
}

/// A text.
///
/// # Errors
/// The pointer is null, or the bytes are not UTF-8.
///
/// # Safety
/// A pointer that is not null points to bytes with a zero at the end.
pub unsafe fn text<'a>(p: *const c_char) -> Done<&'a str> {
    if p.is_null() {
        return Err(Fail::misuse("a name is null"));
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(p) };
    bytes.to_str().map_err(|_| Fail::misuse("a name is not UTF-8"))
}

/// The structure of a type in a chain.
///
/// # Safety
/// A pointer that is not null begins a chain of Vulkan's structures.
pub unsafe fn chained<'a, T: vk::TaggedStructure>(mut p: *const c_void) -> Option<&'a T> {
    // SAFETY: every structure of a chain begins with its type and the next pointer, and the type says what follows.
    unsafe {
        while let Some(s) = p.cast::<vk::BaseInStructure<'_>>().as_ref() {
            if s.s_type == T::STRUCTURE_TYPE {
                return p.cast::<T>().as_ref();
            }
            p = s.p_next.cast();
        }
    }
    None
}

/// Calls `f` with type and address of each structure of a chain that is written.
///
/// # Safety
/// A pointer that is not null begins a chain of Vulkan's structures.
pub unsafe fn each_chained(p: *mut c_void, mut f: impl FnMut(vk::StructureType, *mut c_void)) {
    let mut at = p.cast::<vk::BaseOutStructure<'_>>();
    while !at.is_null() {
        // SAFETY: every structure of a chain begins with its type and the next pointer.
        let (s_type, next) = unsafe { ((*at).s_type, (*at).p_next) };
        f(s_type, at.cast());
        at = next;
    }
}
