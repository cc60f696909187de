//! Tests of `mir/driver/src/races.rs`.

use gpucc_container::{RaceMark, Resource, Shape};
use gpucc_driver::races::*;
use gpucc_ir::Loc;
use gpucc_ir::Op;
use gpucc_ir::text::parse_module;

/// The rows of the one store in a function.
fn marks(text: &str) -> Vec<RaceMark> {
    marks_if(text, "on")
}

fn marks_if(text: &str, robust: &str) -> Vec<RaceMark> {
    let head = "res0 \"b\" group 0 binding 0 storage_rw size 8 stride 8\n\
         global0 \"t\" workgroup size 64 align 4\nentry \"main\" compute func0 size 1,1,1\n\n\
         func0 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n";
    let m = parse_module(&format!("module robust {robust}\n{head}{text}  ret\n}}\n")).unwrap_or_else(|e| panic!("{e}"));
    let f = m.funcs.values().next().expect("one function");
    let (_, store) = f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::Store).expect("a store");
    let b = Resource {
        group: 0,
        binding: 0,
        kind: gpucc_container::ResourceKind::Storage,
        access: gpucc_container::Access::ReadWrite,
        slot: 0,
        min_size: 8,
        count: 1,
        shape: Shape::default(),
    };
    let places = [(0x10, Loc::UNKNOWN.access()), (0x18, Loc::UNKNOWN)];
    assert!(f.insts[store].loc == Loc::UNKNOWN);
    race_marks(&m, f, &[b], |_| Some(0x20), places)
}

#[test]
fn clamps_of_buffers_and_arrays_are_listed() {
    let row = |kind, place, values| RaceMark { pc: 0x10, kind, place, values };
    // A runtime array of 8 bytes an element.
    let tail = "  v1: i32 = buffer_length res0\n  v2: i32 = isub v1, 8:i32\n  v3: i32 = shl v0, 3:i32\n\
         v4: i32 = umin v3, v2\n  store v0, res0[4 + v4] align 4 {in_bounds}\n";
    assert_eq!(marks(tail), [row(RaceMark::TAIL, 0, [8, 0, 0])]);
    // An array of 12 words from byte 8 of a variable, clamped as an index and as an offset.
    let index = "  v7: i32 = iadd v0, 5:i32\n  v1: i32 = umin v7, 11:i32\n  v2: i32 = shl v1, 2:i32\n\
         store v0, global0[8 + v2] align 4 {in_bounds}\n";
    assert_eq!(marks(index), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x28, 4, 11])]);
    let offset = "  v1: i32 = shl v0, 2:i32\n  v2: i32 = umin v1, 44:i32\n\
         store v0, global0[8 + v2] align 4 {in_bounds}\n";
    assert_eq!(marks(offset), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x28, 4, 11])]);
}

/// From the length on that is listed, a constant offset is in bounds: 24 + 8 bytes here. A limit that is rounded down sends
/// further ahead.
#[test]
fn clamps_of_constant_offsets_say_what_length_is_enough() {
    let row = |values| RaceMark { pc: 0x10, kind: RaceMark::TAIL, place: 0, values };
    let exact = "  v1: i32 = buffer_length res0\n  v2: i32 = isub v1, 8:i32\n\
         v4: i32 = umin 24:i32, v2\n  store v0, res0[0 + v4] align 4 {in_bounds}\n";
    assert_eq!(marks(exact), [row([8, 32, 0])]);
    // 24 is not beyond (length - 8) & !15 from 40 on.
    let rounded = exact.replace("v4: i32 = umin 24:i32, v2", "v3: i32 = and v2, -16:i32\n  v4: i32 = umin 24:i32, v3");
    assert_eq!(marks(&rounded), [row([23, 40, 0])]);
    let added = rounded.replace("isub v1, 8:i32", "iadd v1, -8:i32");
    assert_eq!(marks(&added), [row([23, 40, 0])]);
    // Elements: 3 is not beyond (length >> 3) - 1 from 32 on.
    let count = "  v1: i32 = buffer_length res0\n  v2: i32 = ushr v1, 3:i32\n  v3: i32 = isub v2, 1:i32\n\
         v4: i32 = umin 3:i32, v3\n  v5: i32 = shl v4, 3:i32\n  store v0, res0[0 + v5] align 4 {in_bounds}\n";
    assert_eq!(marks(count), [row([8, 32, 0])]);
}

#[test]
fn clamps_in_lanes_of_vectors_are_listed() {
    let text = "  v1: i32 = buffer_length res0\n  v2: i32 = isub v1, 8:i32\n  v3: i32x2 = compose 7:i32, v2\n\
         v4: i32x2 = shuffle v3, v3, lanes 1 0\n  v5: i32x2 = compose 28:i32, v0\n  v6: i32x2 = umin v5, v4\n\
         v7: i32 = extract v6, lane 0\n  store v0, res0[0 + v7] align 4 {in_bounds}\n";
    let row = |kind, place, values| RaceMark { pc: 0x10, kind, place, values };
    // The constant offset 28 has room from 36 bytes on.
    assert_eq!(marks(text), [row(RaceMark::TAIL, 0, [8, 36, 0])]);
    let text = text.replace("extract v6, lane 0", "extract v6, lane 1").replace("res0[0 + v7]", "global0[0 + v7]");
    assert_eq!(marks(&text), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x20, 1, 7])]);
}

#[test]
fn other_accesses_are_not() {
    assert!(marks("  store v0, global0[8] align 4 {in_bounds}\n").is_empty());
    let and = "  v1: i32 = and v0, 7:i32\n  v2: i32 = shl v1, 2:i32\n  store v0, global0[0 + v2] align 4 {in_bounds}\n";
    assert!(marks(and).is_empty());
    // Where nobody handles bounds, the program says what is in bounds.
    let open = "  v1: i32 = umin v0, 7:i32\n  v2: i32 = shl v1, 2:i32\n  store v0, global0[0 + v2] align 4\n";
    assert!(marks_if(open, "off").is_empty());
}

/// A machine that drops accesses out of bounds leaves those of a buffer as they are; inside an element a clamp is needed.
#[test]
fn clamps_inside_an_element_of_a_runtime_array_are_listed() {
    let text = "  v1: i32 = umin v0, 1:i32\n  v2: i32 = shl v1, 2:i32\n  v3: i32 = shl v0, 3:i32\n\
         v4: i32 = iadd v3, v2\n  store v0, res0[0 + v4] align 4\n";
    assert_eq!(marks(text), [RaceMark { pc: 0x10, kind: RaceMark::INDEX, place: 0, values: [0, 4, 1] }]);
}
