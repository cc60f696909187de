//! Tests of `frontend-naga/src/guard/thread.rs`.

use gpucc_frontend_naga::guard::thread::*;

fn recurse(depth: u32) -> u64 {
    let frame = std::hint::black_box([depth as u64; 64]);
    if depth == 0 { frame[0] } else { frame[1] + recurse(depth - 1) }
}

#[test]
fn deep_recursion_fits() {
    // 100,000 frames of at least half a KiB: far more than the 2 MiB of an ordinary test thread.
    assert_eq!(with_stack(512 << 20, || recurse(100_000)), Ok((1..=100_000).sum()));
}

#[test]
fn panic_is_returned() {
    let result: Result<(), _> = with_stack(1 << 20, || panic!("number {}", 7));
    assert_eq!(result, Err(Failed::Panicked(Panicked { text: "number 7".into(), doing: None })));
}

/// A promise is kept by the thread that made it, for as many bytes as it named and no more.
#[test]
fn a_thread_with_room_does_the_work_itself() {
    let work = || {
        let me = std::thread::current().id();
        let here = |bytes| with_stack(bytes, || std::thread::current().id() == me);
        assert_eq!(here(1 << 20), Ok(false));
        promise_room(3 << 20);
        assert_eq!(here(2 << 20), Ok(true));
        assert_eq!(here(4 << 20), Ok(false));
        // Code inside has the rest of the stack.
        assert_eq!(with_stack(2 << 20, || here(2 << 20)), Ok(Ok(false)));
        assert_eq!(with_stack(2 << 20, || here(1 << 20)), Ok(Ok(true)));
        let broken: Result<(), _> = with_stack(1 << 20, || panic!("number 8"));
        assert_eq!(broken, Err(Failed::Panicked(Panicked { text: "number 8".into(), doing: None })));
        assert_eq!(here(3 << 20), Ok(true), "a panic gives the room back");
    };
    std::thread::Builder::new().stack_size(8 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_thread_that_cannot_be_had_is_said() {
    // No address space has room for this stack.
    let result = with_stack(1 << 60, || 1);
    assert!(matches!(result, Err(Failed::NoThread(_))), "{result:?}");
}
