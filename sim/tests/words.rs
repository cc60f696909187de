//! Descriptors declared by fields.

use gpucc_sim::TrapKind;
use gpucc_sim::words::{Field, is_sound};

gpucc_sim::words! {
    /// One of everything.
    struct Plain[3] = "P#" {
        KIND kind: 0[28..32];
        WIDTH width: 0[0..14] minus 1;
        ALL all: 1[0..32];
        reserved "[27:14] of word 0": 0[14..28];
        LOW low: 2[0..1];
        reserved "word 2": 2[1..32];
    }
}

#[test]
fn fields_are_written_and_read() {
    let p = Plain::default().with(Plain::KIND, 9).with(Plain::WIDTH, 16384).with(Plain::ALL, u32::MAX);
    assert_eq!(p.0, [9 << 28 | 0x3fff, u32::MAX, 0]);
    assert_eq!((p.kind(), p.width(), p.all(), p.low()), (9, 16384, u32::MAX, 0));
    let p = p.with(Plain::WIDTH, 1).with(Plain::LOW, 1);
    assert_eq!(p.0, [9 << 28, u32::MAX, 1]);
    assert!(Plain::WIDTH.holds(1) && !Plain::WIDTH.holds(0) && !Plain::WIDTH.holds(16385));
    assert_eq!(Plain::FIELDS.len(), 6);
}

#[test]
fn each_reserved_bit_traps_and_names_its_field() {
    assert!(Plain([u32::MAX ^ 0x0fff_c000, u32::MAX, 1]).reserved().is_ok());
    let reserved: Vec<&Field> = Plain::FIELDS.iter().filter(|f| f.reserved).collect();
    assert_eq!(reserved.len(), 2);
    for f in reserved {
        for bit in f.low..f.end {
            let mut p = Plain::default();
            p.0[f.word] = 1 << bit;
            let trap = p.reserved().expect_err(f.name);
            assert_eq!(trap.kind, TrapKind::Reserved);
            assert!(trap.message.contains(&format!("P# field {} has the value", f.name)), "{}", trap.message);
        }
    }
}

#[test]
fn text_names_what_is_set() {
    assert_eq!(Plain::default().to_string(), "P#: zeros");
    let p = Plain::default().with(Plain::KIND, 9).with(Plain::WIDTH, 16).with(Plain::ALL, 0x1234);
    assert_eq!(p.to_string(), "P#: KIND 9, WIDTH 16, ALL 0x1234");
}

#[test]
fn fields_that_overlap_are_found() {
    let f = |word, low, end| Field { name: "f", word, low, end, minus: 0, reserved: false };
    assert!(is_sound(&[f(0, 0, 4), f(0, 4, 32), f(1, 0, 4)], 2));
    assert!(!is_sound(&[f(0, 0, 4), f(0, 3, 5)], 1));
    assert!(!is_sound(&[f(1, 0, 4)], 1));
    assert!(!is_sound(&[f(0, 30, 33)], 1));
    assert!(!is_sound(&[f(0, 4, 4)], 1));
}
