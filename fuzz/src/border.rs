//! One input for the functions of the C library: the first bytes choose the call and the fields of its structs, the rest is its source, container or
//! scene. Pointers are good, as the header demands; everything else may be anything.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use gpucc_capi as c;

/// Bytes that choose.
const HEAD: usize = 16;
const TARGETS: [&str; 6] = ["gcn:gfx7", "tesla", "valhall", "vivante:gc7000", "interp", "?"];

/// A status that the header knows, and a message exactly where it is not 0.
fn judge(status: i32, message: *mut c_char) {
    if ![0, 1, 2, 3].contains(&status) || message.is_null() != (status == 0) {
        super::finding(&format!("status {status}"));
    }
    // SAFETY: the library gave it.
    unsafe { c::gpucc_text_free(message) };
}

/// A struct of zeros with a size of the caller's choice, which never is more than it has.
fn sized<T>(size: usize, set: impl FnOnce(&mut T)) -> Box<T> {
    // SAFETY: structs of the header are valid where all bytes are 0, and begin with their size.
    let mut new: Box<T> = unsafe { Box::new(std::mem::zeroed()) };
    set(&mut new);
    let size = size.min(size_of::<T>());
    // SAFETY: as above.
    unsafe { std::ptr::from_mut(&mut *new).cast::<usize>().write(size) };
    new
}

/// Everything that a reflection gives.
fn walk(bytes: &[u8]) {
    let (mut all, mut message) = (null_mut(), null_mut());
    // SAFETY: pointers are good.
    unsafe {
        judge(c::gpucc_reflect(bytes.as_ptr().cast(), bytes.len(), &mut all, &mut message), message);
        let count = c::gpucc_reflection_count(all);
        for k in 0..=count {
            let p = c::gpucc_reflection_program(all, k);
            let mut info = sized::<c::CProgramInfo>(usize::MAX, |_| ());
            if c::gpucc_program_get(p, &mut *info) != 0 {
                continue;
            }
            let rows = [info.binding_count, info.preload_count, info.input_count, info.state_count, info.member_count];
            for n in 0..=rows.into_iter().max().unwrap_or(0) {
                c::gpucc_program_registers(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_binding(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_preload(p, n, &mut *sized(n, |_| ()));
                c::gpucc_program_input(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_output(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_word(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_state(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_member(p, n, &mut *sized(usize::MAX, |_| ()));
                c::gpucc_program_statistic(p, n, &mut *sized(n, |_| ()));
                let first = c::gpucc_reflection_program(all, 0);
                c::gpucc_varying_get(first, p, n, &mut *sized(usize::MAX, |_| ()));
            }
            c::gpucc_program_pipeline(p, &mut *sized(usize::MAX, |_| ()));
            let (mut data, mut size) = (null(), 0);
            c::gpucc_program_code(p, &mut data, &mut size);
            c::gpucc_program_constants(p, &mut data, &mut size);
        }
        c::gpucc_reflection_free(all);
    }
}

/// The keys of a source, which has one wherever it compiles.
fn keys((data, size): (*const c_void, usize), options: &c::COptions) {
    let mut message = null_mut();
    let mut key = [[0 as c_char; 65]; 2];
    let (first, second) = key.split_at_mut(1);
    let (first, second) = (first[0].as_mut_ptr(), second[0].as_mut_ptr());
    // SAFETY: pointers are good, and a key has 64 letters.
    unsafe {
        judge(c::gpucc_key(data, size, options, first, &mut message), message);
        message = null_mut();
        judge(c::gpucc_variant_key(data, size, options, second, &mut message), message);
        message = null_mut();
        let status = c::gpucc_pair_keys(data, size, options, data, size, options, null(), first, second, &mut message);
        judge(status, message);
    }
}

/// A run of no workgroup: the container, the entry point and the buffers are looked at.
fn run(head: &[u8], container: &[u8]) {
    let mut data = [[0u8; 64]; 4];
    let buffer = |(k, d): (usize, &mut [u8; 64])| {
        let (group, binding) = (u32::from(head[10 + k] >> 4), u32::from(head[10 + k] & 15));
        c::CBuffer { group, binding, data: d.as_mut_ptr().cast(), bytes: usize::from(head[14]) % 65 }
    };
    let buffers: Vec<c::CBuffer> = data.iter_mut().enumerate().map(buffer).collect();
    let grid = [u32::from(head[15]), 0, 1];
    let name = CString::new("main").expect("no zero");
    let name = if head[1] & 1 == 0 { null() } else { name.as_ptr() };
    let call = if head[1] & 2 == 0 { c::gpucc_run } else { c::gpucc_run_with_addresses };
    let count = usize::from(head[1] >> 2) % 5;
    let mut message = null_mut();
    // SAFETY: pointers are good.
    unsafe {
        let (bytes, size) = (container.as_ptr().cast(), container.len());
        judge(call(bytes, size, name, grid.as_ptr(), buffers.as_ptr(), count, &mut message), message);
    }
    let place = usize::from(head[2]);
    if (c::gpucc_buffer_address(place) == 0) != (place >= 128) {
        super::finding(&format!("address {place}"));
    }
}

/// What a piece of state changes.
fn effect(head: &[u8], target: &CString) {
    let (mut effect, mut message) = (0, null_mut());
    let (stage, piece) = (u32::from(head[1] % 5), u32::from(head[2]));
    // SAFETY: pointers are good.
    unsafe { judge(c::gpucc_effect(target.as_ptr(), stage, piece, &mut effect, &mut message), message) };
}

fn compile(head: &[u8], target: &CString, source: &[u8]) {
    let entry = CString::new("main").expect("no zero");
    // SAFETY: pointers are good.
    unsafe {
        let log = c::gpucc_log_new(None, null_mut());
        let options = sized::<c::COptions>(usize::from(head[1]) * 2, |o| {
            o.target = target.as_ptr();
            o.entry = if head[2] & 1 == 0 { null() } else { entry.as_ptr() };
            o.language = u32::from(head[3] % 7);
            o.opt_level = u32::from(head[4] % 5);
            o.trusted = u32::from(head[5] & 1);
            o.log = log;
            o.zeroes = u32::from(head[5] >> 1 & 1);
            o.subgroup_size = u32::from(head[6]);
            // glslangValidator is a process: too slow here.
            o.reader = 1 + u32::from(head[7] & 1) * 8;
        });
        let (data, size) = (source.as_ptr().cast::<c_void>(), source.len());
        if head[8] & 3 == 1 {
            keys((data, size), &options);
        }
        let (mut made, mut message) = (null_mut(), null_mut());
        let pair = head[8] & 3 == 0;
        let status = if pair {
            c::gpucc_compile_pair(data, size, &*options, data, size, &*options, null(), &mut made, &mut message)
        } else {
            c::gpucc_compile(data, size, &*options, &mut made, &mut message)
        };
        judge(status, message);
        if made.is_null() != (status != 0) {
            super::finding("a container without success, or the other way round");
        }
        if !made.is_null() {
            let bytes = std::slice::from_raw_parts(c::gpucc_container_data(made).cast(), c::gpucc_container_size(made));
            walk(bytes);
        }
        for n in 0..=c::gpucc_log_count(log) {
            c::gpucc_log_get(log, n, &mut *sized(usize::MAX, |_| ()));
        }
        c::gpucc_container_free(made);
        c::gpucc_log_free(log);
    }
}

/// Bytes of the options of a draw in their first version.
const OLD_DRAW: usize = std::mem::offset_of!(c::CDrawOptions, steps);

/// Calls a function.
pub fn call(data: &[u8]) {
    let Some((head, rest)) = data.split_at_checked(HEAD) else { return };
    let target = CString::new(TARGETS[usize::from(head[9]) % TARGETS.len()]).expect("no zero");
    match head[0] % 6 {
        4 => run(head, rest),
        5 => effect(head, &target),
        0 | 1 => compile(head, &target, rest),
        2 => {
            walk(rest);
            let mut message = null_mut();
            let mut texels = vec![0u8; 16 * 16 * 16];
            let bytes = c::CBytes { data: rest.as_ptr().cast_mut().cast(), bytes: rest.len() };
            let target = c::CBytes { data: texels.as_mut_ptr().cast(), bytes: 16 * 16 * usize::from(head[10] % 17) };
            let draw = sized::<c::CDrawCall>(usize::MAX, |d| {
                (d.vertex, d.fragment) = (bytes, bytes);
                (d.targets, d.target_count) = (&raw const target, 1);
                (d.width, d.height) = (u32::from(head[11] % 17), 16);
                d.vertex_count = u32::from(head[12]);
            });
            // SAFETY: pointers are good.
            judge(unsafe { c::gpucc_draw_programs(&*draw, &mut message) }, message);
        }
        _ => {
            let (mut outputs, mut message) = (null_mut(), null_mut());
            // A caller of the first version cannot limit a run, which is too long here.
            let size = usize::from(head[1]) * 2;
            let size = if size < OLD_DRAW { size } else { usize::MAX };
            let options = sized::<c::CDrawOptions>(size, |o| {
                o.target = target.as_ptr();
                // A frame of one of the examples takes a hundred times as many.
                o.steps = 2_000_000;
            });
            // SAFETY: pointers are good.
            unsafe {
                let (text, size) = (rest.as_ptr().cast(), rest.len());
                judge(c::gpucc_draw(text, size, &*options, &mut outputs, &mut message), message);
                c::gpucc_outputs_free(outputs);
            }
        }
    }
}
