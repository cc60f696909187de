//! Tests of `sim/src/memory.rs`.

use gpucc_sim::memory::*;
use gpucc_sim::rng::SplitMix64;

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
