//! The border to C: every function of the table, and nothing else of the crate, sees pointers.
//!
//! An entry point turns handles into objects and pointers into values, calls ordinary Rust, and writes results. A failure becomes its
//! code, after the log and the messengers have got the sentence. A panic becomes a failure.

#![expect(unsafe_code, reason = "the border to C")]

mod bytes;
mod command;
mod device;
mod draw;
mod instance;
mod pipeline;
pub(crate) mod read;
mod resource;
mod set;
mod sync;

pub use bytes::Bytes;

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ash::vk::{self, Handle};

use crate::fail::{Done, Fail};
use crate::log::{self, Message};
use crate::settings::Level;

/// The number that names an allocator, which is not used: memory is the driver's own.
type Alloc<'a> = *const vk::AllocationCallbacks<'a>;

/// The first argument of an entry point: it decides who gets messages.
trait Speaker {
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
trait Answer<R> {
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

impl Answer<vk::PFN_vkVoidFunction> for Done<vk::PFN_vkVoidFunction> {
    fn answer(self) -> (vk::PFN_vkVoidFunction, Option<Fail>) {
        match self {
            Ok(f) => (f, None),
            Err(f) => (None, Some(f)),
        }
    }
}

/// Runs an entry point: failures are told, panics are failures.
fn guard<T, R>(function: &str, instance: impl Fn() -> u64, body: impl FnOnce() -> Done<T>) -> R
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
const unsafe fn trusted() {}

/// Declares entry points. Each has the type that Vulkan's headers give it, which the compiler checks.
macro_rules! entries {
    ($($pfn:ident => fn $name:ident($first:ident: $ft:ty $(, $p:ident: $t:ty)* $(,)?) $(-> $ret:ty)? $body:block)*) => {
        $(
            unsafe extern "system" fn $name($first: $ft $(, $p: $t)*) $(-> $ret)? {
                // SAFETY: the application calls by Vulkan's rules; `read` says what is relied on.
                $crate::border::guard(stringify!($pfn), || $crate::border::Speaker::instance(&$first), || unsafe {
                    $crate::border::trusted();
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
use entries;

/// All entry points.
const TABLES: &[&[(&str, vk::PFN_vkVoidFunction)]] = &[
    instance::TABLE,
    device::TABLE,
    sync::TABLE,
    resource::TABLE,
    set::TABLE,
    pipeline::TABLE,
    command::TABLE,
    draw::TABLE,
];

/// The entry point of a name. Extensions that became part of Vulkan have the same functions under longer names.
pub fn lookup(name: &str) -> vk::PFN_vkVoidFunction {
    let find =
        |n: &str| TABLES.iter().flat_map(|t| t.iter()).find(|e| e.0.strip_prefix("PFN_") == Some(n)).map(|e| e.1);
    let short = || find(name.strip_suffix("KHR").or_else(|| name.strip_suffix("EXT"))?);
    find(name).or_else(short).flatten()
}

/// The entry point of a name in C.
///
/// # Safety
/// A pointer that is not null is a text.
unsafe fn lookup_c(name: *const c_char) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    catch_unwind(|| lookup(name.to_str().ok()?)).unwrap_or(None)
}

/// The loader's first question: the entry point of a name.
///
/// # Safety
/// `name` is null or a text with a zero at the end.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    unsafe { lookup_c(name) }
}

/// The loader's question for functions whose first argument is a physical device.
///
/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let own = unsafe { CStr::from_ptr(name) }.to_bytes();
    let device =
        own.starts_with(b"vkGetPhysicalDevice") || own.starts_with(b"vkEnumerateDevice") || own == b"vkCreateDevice";
    // SAFETY: the caller's promise.
    if device { unsafe { lookup_c(name) } } else { None }
}

/// The version of the loader's interface: both take the lower one. 5 is the first whose drivers may have any version of Vulkan.
const INTERFACE: u32 = 5;

/// The loader and the driver agree on a version of their interface.
///
/// # Safety
/// `version` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: the caller's promise.
    let Some(version) = (unsafe { version.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if *version < 2 {
        return vk::Result::ERROR_INCOMPATIBLE_DRIVER;
    }
    *version = (*version).min(INTERFACE);
    vk::Result::SUCCESS
}
