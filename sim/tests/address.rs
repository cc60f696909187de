//! Tests of `sim/src/address.rs`.

use gpucc_sim::address::*;
use gpucc_sim::memory::AllocId;
use gpucc_sim::trap::TrapKind;

#[test]
fn gaps_are_guarded_and_places_move_with_the_seed() {
    let mut a = AddressSpace::new64(None);
    let x = a.place(AllocId(0), 12, 16).unwrap();
    let y = a.place(AllocId(1), 0, 16).unwrap();
    let z = a.place(AllocId(2), 4, 4096).unwrap();
    assert!(x > 1 << 32 && z.is_multiple_of(4096) && y > x && z > y);
    assert_eq!(a.find(x + 8, 4), Some((AllocId(0), 8)));
    assert_eq!(a.find(x + 9, 4), None);
    assert_eq!(a.find(y, 1), None);
    assert_eq!(a.find(z + 3, 1), Some((AllocId(2), 3)));
    assert_eq!(a.find(u64::MAX, 4), None);
    assert_eq!(a.find(0, 4), None);
    assert!(a.resolve(x + 12, 4).unwrap_err().to_string().contains("12 bytes past"));
    let mut b = AddressSpace::new64(Some(1));
    let mut c = AddressSpace::new64(Some(2));
    assert_ne!(b.place(AllocId(0), 12, 16).unwrap(), c.place(AllocId(0), 12, 16).unwrap());
}

#[test]
fn full_space_is_a_trap() {
    let mut a = AddressSpace::new32(None);
    assert_eq!(a.place(AllocId(0), 1 << 33, 4).unwrap_err().kind, TrapKind::Dispatch);
}
