//! The compiler and the machines for programs in C: `capi/include/gpucc.h` describes every function.
//!
//! What C gives is read here and nowhere else: behind the first lines of each function everything is ordinary Rust.

#![allow(unsafe_code, reason = "the border to C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Class, Diagnostic, Errors, Options, Target};
use gpucc_container::Container;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, TrapKind};

/// `gpucc_options`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct COptions {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The target.
    pub target: *const c_char,
    /// The entry point; null for all.
    pub entry: *const c_char,
    /// The language, by number.
    pub language: u32,
    /// The optimisation level.
    pub opt_level: u32,
    /// Whether the caller promises bounds and zeros.
    pub trusted: u32,
}

/// Bytes of `gpucc_options` in version 0.1.0, with the padding at its end: nobody sets that, so later fields begin here.
#[doc(hidden)]
pub const FIRST: usize =
    (std::mem::offset_of!(COptions, trusted) + size_of::<u32>()).next_multiple_of(align_of::<usize>());

/// Takes a struct of a version from a caller of another, who wrote its size as the first field: what an older caller does not have is
/// 0, and what a newer one has besides must be. `first` is the size in the first version.
///
/// # Errors
/// A size below `first`; a byte that is not 0 behind what this version knows.
///
/// # Safety
/// `options` has as many bytes as its first field says, all of them written behind this version's; `T` is valid where all bytes are 0.
#[doc(hidden)]
pub unsafe fn given<T: Copy>(options: *const T, first: usize) -> Result<T, String> {
    let mut own = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: as the caller says; only so much is read and written as both have.
    unsafe {
        let size = options.cast::<usize>().read();
        if size < first {
            return Err(format!("options of {size} bytes are too small: set `size`"));
        }
        let known = size.min(size_of::<T>());
        ptr::copy_nonoverlapping(options.cast::<u8>(), own.as_mut_ptr().cast::<u8>(), known);
        let more = std::slice::from_raw_parts(options.cast::<u8>().add(known), size - known);
        if more.iter().any(|&b| b != 0) {
            return Err(format!("options of {size} bytes ask for what only a later version has"));
        }
        Ok(own.assume_init())
    }
}

/// `gpucc_buffer`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBuffer {
    /// Bind group.
    pub group: u32,
    /// Binding.
    pub binding: u32,
    /// The bytes, which are written.
    pub data: *mut c_void,
    /// How many.
    pub bytes: usize,
}

/// `gpucc_container`: the bytes of one.
#[derive(Debug)]
pub struct CContainer(Vec<u8>);

/// A fault: the status, and the text.
struct Fault(c_int, String);

impl Fault {
    fn usage(text: impl Into<String>) -> Fault {
        Fault(2, text.into())
    }
}

/// The status of diagnostics: a bug outweighs wrong input outweighs a refusal.
fn fault(list: Vec<Diagnostic>, source: &[u8], lang: Lang) -> Fault {
    let has = |class| list.iter().any(|d| d.class == class);
    let status = match () {
        () if list.iter().any(|d| d.code == "io") => 2,
        () if has(Class::Internal) => 70,
        () if has(Class::Invalid) => 1,
        () => 3,
    };
    let errors = Errors(list);
    let files = frontend::source_files(source, lang);
    let files: Vec<_> = files.iter().map(|f| (f.name().to_string(), f.text().to_string())).collect();
    Fault(
        status,
        match std::str::from_utf8(source) {
            _ if lang == Lang::Spirv => errors.with_files(files).to_string(),
            Ok(text) => errors.with_source(text).to_string(),
            Err(_) => errors.to_string(),
        },
    )
}

/// Bytes that C gives.
///
/// # Safety
/// `data` has so many, or there are none.
unsafe fn bytes<'a>(data: *const c_void, size: usize) -> Result<&'a [u8], Fault> {
    match (data.is_null(), size) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fault::usage("bytes are NULL")),
        // SAFETY: as the caller says.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data.cast(), size) }),
    }
}

/// A text that C gives; nothing for NULL.
///
/// # Safety
/// `text` is NULL or ends in a zero.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Fault> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some).map_err(|_| Fault::usage(format!("{what} is not UTF-8")))
}

/// Runs `f`, gives its status and leaves the text of a fault in `message`.
///
/// # Safety
/// `message` is NULL or can be written.
unsafe fn answer(message: *mut *mut c_char, f: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| Err(Fault(70, "compiler bug: a panic".into())));
    let (status, said) = match result {
        Ok(()) => (0, ptr::null_mut()),
        Err(Fault(status, text)) => {
            (status, CString::new(text.replace('\0', " ")).map_or(ptr::null_mut(), CString::into_raw))
        }
    };
    if !message.is_null() {
        // SAFETY: as the caller says.
        unsafe { message.write(said) };
    } else if !said.is_null() {
        // SAFETY: made above.
        drop(unsafe { CString::from_raw(said) });
    }
    status
}

fn compile(source: &[u8], target: &str, entry: Option<&str>, o: &COptions) -> Result<CContainer, Fault> {
    let lang = match o.language {
        0 => Lang::Wgsl,
        1 => Lang::Spirv,
        2 => Lang::GlslCompute,
        3 => Lang::GlslVertex,
        4 => Lang::GlslFragment,
        n => return Err(Fault::usage(format!("there is no language {n}"))),
    };
    let target = Target::parse(target).map_err(Fault::usage)?;
    let level = u8::try_from(o.opt_level).ok().filter(|l| *l <= 3);
    let level = level.ok_or_else(|| Fault::usage(format!("there is no level {}", o.opt_level)))?;
    let front = FrontOptions { entry: entry.map(String::from), robust: o.trusted == 0, ..FrontOptions::default() };
    let shader = frontend::load(source, lang, &front).map_err(|list| fault(list, source, lang))?;
    let done = gpucc::compile(&shader.module, &Options::new(target).opt(level));
    done.map(|a| CContainer(a.bytes())).map_err(|d| fault(vec![d], source, lang))
}

/// `gpucc_compile`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_compile(
    source: *const c_void,
    size: usize,
    options: *const COptions,
    container: *mut *mut CContainer,
    message: *mut *mut c_char,
) -> c_int {
    let work = || {
        if container.is_null() || options.is_null() {
            return Err(Fault::usage("options and container must not be NULL"));
        }
        // SAFETY: as the caller says. The size comes first, and only so much is read.
        let o = unsafe {
            container.write(ptr::null_mut());
            given(options, FIRST).map_err(Fault::usage)?
        };
        // SAFETY: as the caller says.
        let (source, target, entry) =
            unsafe { (bytes(source, size)?, text(o.target, "target")?, text(o.entry, "entry")?) };
        let target = target.ok_or_else(|| Fault::usage("target must not be NULL"))?;
        let done = compile(source, target, entry, &o)?;
        // SAFETY: as the caller says.
        unsafe { container.write(Box::into_raw(Box::new(done))) };
        Ok(())
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_container_data`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_data(container: *const CContainer) -> *const c_void {
    // SAFETY: as the caller says.
    unsafe { container.as_ref() }.map_or(ptr::null(), |c| c.0.as_ptr().cast())
}

/// `gpucc_container_size`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_size(container: *const CContainer) -> usize {
    // SAFETY: as the caller says.
    unsafe { container.as_ref() }.map_or(0, |c| c.0.len())
}

/// `gpucc_container_free`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_container_free(container: *mut CContainer) {
    if !container.is_null() {
        // SAFETY: `gpucc_compile` made it.
        drop(unsafe { Box::from_raw(container) });
    }
}

/// Runs a container. The buffers that were bound come back with what is in them then.
fn run(container: &[u8], entry: Option<&str>, dispatch: &mut Dispatch) -> Result<(), Fault> {
    let container = Container::read(container).map_err(|e| Fault(1, format!("not a gpucc container: {e}")))?;
    if let Some(n) = dispatch.grid.iter().find(|n| !(1..=65535).contains(*n)) {
        return Err(Fault::usage(format!("{n} workgroups: there are 1 to 65535 in each dimension")));
    }
    let done = gpucc_machines::run(&container, entry, dispatch, &RunOptions::default());
    let status = |kind| match kind {
        TrapKind::Unsupported => 3,
        TrapKind::Dispatch => 2,
        _ => 1,
    };
    done.map(drop).map_err(|t| Fault(status(t.kind), t.to_string()))
}

/// `gpucc_run`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_run(
    container: *const c_void,
    size: usize,
    entry: *const c_char,
    grid: *const u32,
    buffers: *const CBuffer,
    count: usize,
    message: *mut *mut c_char,
) -> c_int {
    let work = || {
        if grid.is_null() || buffers.is_null() && count > 0 {
            return Err(Fault::usage("grid and buffers must not be NULL"));
        }
        // SAFETY: as the caller says.
        let (container, entry, grid, list) = unsafe {
            let list = if count == 0 { &[][..] } else { std::slice::from_raw_parts(buffers, count) };
            (bytes(container, size)?, text(entry, "entry")?, grid.cast::<[u32; 3]>().read_unaligned(), list)
        };
        let mut dispatch = Dispatch::new(grid);
        for b in list {
            // SAFETY: as the caller says.
            let bytes = unsafe { bytes(b.data, b.bytes)? }.to_vec();
            dispatch.buffers.push(BoundBuffer { group: b.group, binding: b.binding, bytes, writable: true });
        }
        let result = run(container, entry, &mut dispatch);
        for (b, done) in list.iter().zip(&dispatch.buffers) {
            // SAFETY: as many bytes as were read from there; a run keeps sizes and order.
            unsafe { ptr::copy(done.bytes.as_ptr(), b.data.cast(), done.bytes.len().min(b.bytes)) };
        }
        result
    };
    // SAFETY: as the caller says.
    unsafe { answer(message, work) }
}

/// `gpucc_text_free`.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpucc_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `answer` made it.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// `gpucc_version`.
#[unsafe(no_mangle)]
pub extern "C" fn gpucc_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
