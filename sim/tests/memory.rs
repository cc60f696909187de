//! Tests of `sim/src/memory.rs`.

use gpucc_sim::memory::*;
use gpucc_sim::rng::SplitMix64;
use gpucc_sim::{BoundBuffer, Dispatch, Overlap};

#[test]
fn bounds_and_record() {
    let mut m = Memory::new();
    let b = m.alloc("b", vec![1, 2, 3, 4, 5], false);
    assert_eq!(m.load(b, 0, 4), Ok(0x0403_0201));
    assert_eq!(m.load(b, 2, 4), Err(MemFault::OutOfBounds { offset: 2, size: 4, len: 5 }));
    assert_eq!(m.load(b, u64::MAX, 4), Err(MemFault::OutOfBounds { offset: u64::MAX, size: 4, len: 5 }));
    assert_eq!(m.store(b, 0, 1, 9), Err(MemFault::ReadOnly { offset: 0 }));
    let s = m.alloc_undefined("shared", 8, None);
    m.store(s, 0, 2, 0xffff).unwrap();
    assert_eq!(m.load(s, 0, 4), Err(MemFault::Undefined { offset: 2 }));
    m.store_u32(s, 0, 7).unwrap();
    assert_eq!(m.load_u32(s, 0), Ok(7));
    m.reset_undefined(s, Some(&mut SplitMix64::new(3)));
    assert_eq!(m.load_u32(s, 0), Err(MemFault::Undefined { offset: 0 }));
}

/// The second allocation begins 4 bytes behind the first one and has 8 bytes: it has bytes 4 to 7 of the first, and 4 of its own.
#[test]
fn what_two_allocations_have_in_common_is_stored_to_both() {
    let mut m = Memory::new();
    let a = m.alloc("a", vec![0; 8], true);
    let b = m.alloc("b", vec![0; 8], true);
    m.overlap([a, b], 4);
    m.store_bytes(a, 2, &[1, 2, 3, 4]).expect("inside");
    assert_eq!((m.bytes(a), m.bytes(b)), (&[0, 0, 1, 2, 3, 4, 0, 0][..], &[3, 4, 0, 0, 0, 0, 0, 0][..]));
    m.store_bytes(b, 2, &[5, 6, 7, 8]).expect("inside");
    assert_eq!((m.bytes(a), m.bytes(b)), (&[0, 0, 1, 2, 3, 4, 5, 6][..], &[3, 4, 5, 6, 7, 8, 0, 0][..]));
}

/// The second buffer, which the run had not, begins 2 bytes behind the first.
#[test]
fn a_buffer_that_a_run_had_not_gets_what_it_shares() {
    let buffer = |binding, bytes| BoundBuffer { group: 0, binding, bytes, writable: true };
    let mut d = Dispatch::new([1; 3]);
    d.buffers = vec![buffer(0, vec![1, 2, 3, 4]), buffer(1, vec![9; 4])];
    d.overlaps = vec![Overlap { buffers: [0, 1], distance: 2 }];
    d.repeat(&[0]);
    assert_eq!(d.buffers[1].bytes, [3, 4, 9, 9]);
    d.buffers[1].bytes = vec![7, 8, 5, 5];
    d.repeat(&[1]);
    assert_eq!(d.buffers[0].bytes, [1, 2, 7, 8]);
    d.repeat(&[0, 1]);
    assert_eq!(d.buffers[0].bytes, [1, 2, 7, 8]);
}
