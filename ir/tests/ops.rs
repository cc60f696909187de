//! Tests of `ir/src/ops.rs`.

use gpucc_ir::inst::{FloatCc, IntCc};
use gpucc_ir::ops::*;

#[test]
fn names_are_unique_and_parse() {
    for &o in Op::ALL {
        assert_eq!(Op::parse(o.name()), Some(o));
        assert!(!o.info().meaning.is_empty());
        let a = o.info().attrs;
        assert!(!(a.has(OpAttrs::speculatable) && a.has(OpAttrs::writes)), "{o}");
        assert!(!(a.has(OpAttrs::speculatable) && a.has(OpAttrs::terminator)), "{o}");
    }
}

/// Whether an integer condition holds, by what its name says.
fn holds(cc: IntCc, a: i32, b: i32) -> bool {
    let (x, y) = (a as u32, b as u32);
    match cc.name() {
        "eq" => a == b,
        "ne" => a != b,
        "slt" => a < b,
        "sle" => a <= b,
        "sgt" => a > b,
        "sge" => a >= b,
        "ult" => x < y,
        "ule" => x <= y,
        "ugt" => x > y,
        "uge" => x >= y,
        other => panic!("the test does not know {other}"),
    }
}

/// The same of a float condition.
fn float_holds(cc: FloatCc, a: f32, b: f32) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    let by = |rest: &str| match rest {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        other => panic!("the test does not know {other}"),
    };
    match cc.name() {
        "ord" => !unordered,
        "uno" => unordered,
        name if name.starts_with('o') => !unordered && by(&name[1..]),
        name => unordered || by(&name[1..]),
    }
}

#[test]
fn conditions_have_the_opposites_that_their_names_say() {
    for cc in IntCc::ALL.iter().copied() {
        for (a, b) in [(0, 0), (1, 2), (2, 1), (-1, 1), (1, -1), (i32::MIN, i32::MAX)] {
            assert_eq!(holds(cc.swapped(), a, b), holds(cc, b, a), "{cc:?} swapped on {a} and {b}");
            assert_eq!(holds(cc.negated(), a, b), !holds(cc, a, b), "{cc:?} negated on {a} and {b}");
        }
    }
    for cc in FloatCc::ALL.iter().copied() {
        for (a, b) in [(0.0, 0.0), (1.0, 2.0), (2.0, 1.0), (f32::NAN, 1.0), (1.0, f32::NAN), (f32::NAN, f32::NAN)] {
            assert_eq!(float_holds(cc.swapped(), a, b), float_holds(cc, b, a), "{cc:?} swapped on {a} and {b}");
            assert_eq!(float_holds(cc.negated(), a, b), !float_holds(cc, a, b), "{cc:?} negated on {a} and {b}");
        }
    }
}
