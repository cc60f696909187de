//! Containers of stages whose numbers ask a machine for too much: each is refused before memory is taken.

use gpucc_container::Container;
use gpucc_sim::{Trap, TrapKind};
use gpucc_tests::exec;

use crate::draws::draw_kit::{compile, draw};

/// A fragment with an array in memory of its own: no family has registers for it.
const FRAGMENT: &str = "
    @fragment fn fs(v: V) -> @location(0) vec4f {
        var a: array<f32, 600>;
        for (var i = 0u; i < 600u; i++) { a[i] = f32(i) * v.x; }
        return vec4f(a[u32(abs(v.x) * 500.0)] * 0.001, 0, 0, 1);
    }";

/// The container with other bytes of scratch, in each of its programs.
fn with_scratch(of: &Container, bytes: u32) -> Container {
    let mut c = of.clone();
    for e in &mut c.entries {
        e.meta.scratch_bytes = bytes;
        e.programs.iter_mut().for_each(|p| p.scratch_bytes = bytes);
    }
    c
}

fn is_refused(result: Result<(Vec<u8>, u32), Trap>, what: &str) {
    let t = result.err().unwrap_or_else(|| panic!("{what}: it was drawn"));
    assert_eq!(t.kind, TrapKind::Container, "{what}: {t}");
}

/// The memory of an invocation is bounded where fragments are shaded as it is in a dispatch.
#[test]
fn memory_of_fragments_is_bounded() {
    let mut tried = 0;
    for target in exec::targets("all:all") {
        // It has no memory for arrays.
        if target.to_string() == "vivante:gc2000" {
            continue;
        }
        let (vertex, fragment) = (compile("", "vs", target, 2), compile(FRAGMENT, "fs", target, 2));
        assert!(fragment.entries[0].meta.scratch_bytes >= 2400, "{target}: the array lies elsewhere");
        draw(&vertex, &fragment).unwrap_or_else(|t| panic!("{target}: {t}"));
        for bytes in [0x10_0000, 0x1000_0000, u32::MAX - 15, u32::MAX] {
            is_refused(draw(&vertex, &with_scratch(&fragment, bytes)), &format!("{target}: {bytes:#x} bytes"));
        }
        tried += 1;
    }
    assert!(tried > 0 || exec::targets("all:all").is_empty());
}

/// So it is where vertices are. Nothing of such a program uses it, so hardware's words may contradict it first.
#[test]
fn memory_of_vertices_is_bounded() {
    let plain = "@fragment fn fs(v: V) -> @location(0) f32 { return v.x; }";
    for target in exec::targets("all:all") {
        let (vertex, fragment) = (compile("", "vs", target, 2), compile(plain, "fs", target, 2));
        for bytes in [0x10_0000, 0x1000_0000, u32::MAX - 15, u32::MAX] {
            is_refused(draw(&with_scratch(&vertex, bytes), &fragment), &format!("{target}: {bytes:#x} bytes"));
        }
    }
}

/// A slot that no table has, or a number of elements that no table holds, is refused, or the code does not look there. No sum of both overflows.
#[test]
fn slots_without_a_place_are_refused() {
    let text = "@group(0) @binding(0) var<uniform> n: f32;
        @fragment fn fs(v: V) -> @location(0) f32 { return n + v.x; }";
    for target in exec::targets("all:all") {
        let (vertex, fragment) = (compile("", "vs", target, 2), compile(text, "fs", target, 2));
        draw(&vertex, &fragment).unwrap_or_else(|t| panic!("{target}: {t}"));
        for (slot, count) in [(1 << 24, 1), (u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
            let mut c = fragment.clone();
            assert_eq!(c.entries[0].resources.len(), 1);
            (c.entries[0].resources[0].slot, c.entries[0].resources[0].count) = (slot, count);
            match draw(&vertex, &c) {
                Ok(_) => {}
                Err(t) => assert_eq!(t.kind, TrapKind::Container, "{target}: slot {slot:#x}: {t}"),
            }
        }
    }
}
