//! `gpucc_run`: a dispatch on the machine of a container's target.

use std::ffi::{c_char, c_void};
use std::ptr;

use gpucc_container::Container;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};

use crate::border::{Fault, answers, bytes, list, text};

/// `gpucc_buffer`: one buffer of a run or draw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBuffer {
    /// Bind group of the buffer.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// The bytes, which are written.
    pub data: *mut c_void,
    /// Length of the buffer in bytes.
    pub bytes: usize,
}

/// Binds copies of buffers.
///
/// # Safety
/// Each has as many bytes as it says.
pub(crate) unsafe fn bind(buffers: &[CBuffer], dispatch: &mut Dispatch) -> Result<(), Fault> {
    for b in buffers {
        // SAFETY: as the caller says.
        let bytes = unsafe { bytes(b.data, b.bytes)? }.to_vec();
        dispatch.buffers.push(BoundBuffer { group: b.group, binding: b.binding, bytes, writable: true });
    }
    Ok(())
}

/// Leaves what a run wrote in the buffers of the caller.
///
/// # Safety
/// As [`bind`]; the dispatch begins with these buffers.
pub(crate) unsafe fn bring_back(buffers: &[CBuffer], dispatch: &Dispatch) {
    for (b, done) in buffers.iter().zip(&dispatch.buffers) {
        // SAFETY: as many bytes as were read from there; a run keeps sizes and order.
        unsafe { ptr::copy(done.bytes.as_ptr(), b.data.cast(), done.bytes.len().min(b.bytes)) };
    }
}

/// Runs a container. The buffers that were bound come back with what is in them then.
pub(crate) fn run(container: &[u8], entry: Option<&str>, dispatch: &mut Dispatch) -> Result<(), Fault> {
    let container = Container::read(container).map_err(Fault::container)?;
    if let Some(n) = dispatch.grid.iter().find(|n| !(1..=65535).contains(*n)) {
        return Err(Fault::usage(format!("{n} workgroups: there are 1 to 65535 in each dimension")));
    }
    let done = gpucc_machines::run(&container, entry, dispatch, &RunOptions::default());
    done.map(drop).map_err(|t| Fault::trap(&t, ""))
}

/// `gpucc_buffer_address`: where a run places a buffer of the list.
#[unsafe(no_mangle)]
pub extern "C" fn gpucc_buffer_address(index: usize) -> u64 {
    if index < MOST { Dispatch::nth_address(index) } else { 0 }
}

/// Buffers with addresses.
const MOST: usize = 128;

/// Runs an entry point on a caller's buffers.
///
/// # Safety
/// Pointers are as `gpucc.h` says.
unsafe fn started(
    (container, size): (*const c_void, usize),
    entry: *const c_char,
    grid: *const u32,
    (buffers, count): (*const CBuffer, usize),
    addressed: bool,
) -> Result<(), Fault> {
    if grid.is_null() || buffers.is_null() && count > 0 {
        return Err(Fault::usage("grid and buffers must not be NULL"));
    }
    if addressed && count > MOST {
        return Err(Fault::usage(format!("{count} buffers: at most {MOST} have addresses")));
    }
    // SAFETY: as the caller says.
    unsafe {
        let (container, entry) = (bytes(container, size)?, text(entry, "entry")?);
        let buffers = list(buffers, count, "buffers")?;
        let mut dispatch = Dispatch::new(grid.cast::<[u32; 3]>().read_unaligned());
        bind(buffers, &mut dispatch)?;
        if addressed {
            dispatch.addresses = (0..count).map(|k| (k, Dispatch::nth_address(k))).collect();
        }
        let result = run(container, entry, &mut dispatch);
        bring_back(buffers, &dispatch);
        result
    }
}

answers! {
    fn gpucc_run(
        container: *const c_void,
        size: usize,
        entry: *const c_char,
        grid: *const u32,
        buffers: *const CBuffer,
        count: usize,
    ) |_| {
        started((container, size), entry, grid, (buffers, count), false)
    }

    fn gpucc_run_with_addresses(
        container: *const c_void,
        size: usize,
        entry: *const c_char,
        grid: *const u32,
        buffers: *const CBuffer,
        count: usize,
    ) |_| {
        started((container, size), entry, grid, (buffers, count), true)
    }
}
