//! What every entry point is made of: its type by Vulkan's headers, who gets its messages, and a guard against panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ash::vk::{self, Handle};

use crate::fail::{Done, Fail};
use crate::log::{self, Message};
use crate::settings::Level;

/// The number that names an allocator, which is not used: memory is the driver's own.
pub(super) type Alloc<'a> = *const vk::AllocationCallbacks<'a>;

/// The first argument of an entry point: it decides who gets messages.
pub(super) trait Speaker {
    /// The instance's handle, or 0.
    fn instance(&self) -> u64;
}

impl<T> Speaker for *const T {
    fn instance(&self) -> u64 {
        0
    }
}

impl<T> Speaker for *mut T {
    fn instance(&self) -> u64 {
        0
    }
}

impl Speaker for vk::Instance {
    fn instance(&self) -> u64 {
        self.as_raw()
    }
}

impl Speaker for vk::PhysicalDevice {
    fn instance(&self) -> u64 {
        crate::handles::at(*self).map_or(0, |p| p.instance)
    }
}

impl Speaker for vk::Device {
    fn instance(&self) -> u64 {
        crate::handles::at(*self).map_or(0, |d| d.shared.instance)
    }
}

impl Speaker for vk::Queue {
    fn instance(&self) -> u64 {
        crate::handles::at(*self).map_or(0, |q| q.device.shared.instance)
    }
}

impl Speaker for vk::CommandBuffer {
    fn instance(&self) -> u64 {
        crate::handles::at(*self).map_or(0, |c| c.device.shared.instance)
    }
}

/// The words of a value that clears.
pub fn clear_words(v: &vk::ClearValue) -> [u32; 4] {
    // SAFETY: a value of another type has fewer words, whose places are the same; all of them are numbers.
    unsafe { v.color.uint32 }
}

/// The end of an entry point.
pub(super) trait Answer<R> {
    /// What C gets, and the failure that is told.
    fn answer(self) -> (R, Option<Fail>);
}

impl Answer<vk::Result> for Done {
    fn answer(self) -> (vk::Result, Option<Fail>) {
        match self {
            Ok(()) => (vk::Result::SUCCESS, None),
            Err(f) => (f.code, Some(f)),
        }
    }
}

impl Answer<vk::Result> for Done<vk::Result> {
    fn answer(self) -> (vk::Result, Option<Fail>) {
        match self {
            Ok(code) => (code, None),
            Err(f) => (f.code, Some(f)),
        }
    }
}

impl Answer<()> for Done {
    fn answer(self) -> ((), Option<Fail>) {
        ((), self.err())
    }
}

impl Answer<u64> for Done<u64> {
    fn answer(self) -> (u64, Option<Fail>) {
        match self {
            Ok(value) => (value, None),
            Err(f) => (0, Some(f)),
        }
    }
}

impl Answer<vk::PFN_vkVoidFunction> for Done<vk::PFN_vkVoidFunction> {
    fn answer(self) -> (vk::PFN_vkVoidFunction, Option<Fail>) {
        match self {
            Ok(f) => (f, None),
            Err(f) => (None, Some(f)),
        }
    }
}

/// Runs an entry point: failures are told, panics are failures.
pub(super) fn guard<T, R>(function: &str, instance: impl Fn() -> u64, body: impl FnOnce() -> Done<T>) -> R
where
    Done<T>: Answer<R>,
{
    // What an object holds is behind locks that are used again after a panic, and a command is recorded or not.
    let done = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|panic| Err(Fail::bug(format!("a bug of the driver: {}", log::panic_text(&*panic)))));
    let (answer, fail) = done.answer();
    if let Some(f) = fail {
        let misuse = f.code == vk::Result::ERROR_VALIDATION_FAILED_EXT;
        let function = function.trim_start_matches("PFN_");
        let tell = || log::say(instance(), &Message { level: Level::Error, misuse, function, text: &f.text });
        // A messenger of the application may not panic across C; what else panics here is told nobody.
        let _ = catch_unwind(AssertUnwindSafe(tell));
    }
    answer
}

/// Nothing: a body of an entry point may do what is unsafe, and some do not.
///
/// # Safety
/// The application keeps Vulkan's rules.
pub(super) const unsafe fn trusted() {}

/// Declares entry points. Each has the type that Vulkan's headers give it, which the compiler checks.
macro_rules! entries {
    ($($pfn:ident => fn $name:ident($first:ident: $ft:ty $(, $p:ident: $t:ty)* $(,)?) $(-> $ret:ty)? $body:block)*) => {
        $(
            unsafe extern "system" fn $name($first: $ft $(, $p: $t)*) $(-> $ret)? {
                // SAFETY: the application calls by Vulkan's rules; `read` says what is relied on.
                $crate::border::entry::guard(stringify!($pfn), || $crate::border::entry::Speaker::instance(&$first), || unsafe {
                    $crate::border::entry::trusted();
                    $body
                })
            }
        )*
        /// Names of types of functions, `PFN_` in front of those of the functions, and the functions.
        pub(super) const TABLE: &[(&str, ash::vk::PFN_vkVoidFunction)] = &[$(
            // SAFETY: a pointer to a function; who calls it gives it back its type.
            (stringify!($pfn), Some(unsafe { std::mem::transmute::<ash::vk::$pfn, unsafe extern "system" fn()>($name) })),
        )*];
    };
}
pub(super) use entries;
