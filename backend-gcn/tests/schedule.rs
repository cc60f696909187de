//! Scheduling: what moves, what must not, and what it is worth.

use crate::common::{check, compile, module, options};
use gpucc_driver::{CodegenOptions, Output};
use gpucc_sim::Dispatch;

fn listing(out: &Output) -> Vec<String> {
    let text = gpucc_gcn_machine::disassemble(&out.entry.code, 2, gpucc_isa::stage::CS);
    text.lines().map(|l| l.split(" ; ").next().unwrap_or("").trim().to_string()).collect()
}

fn stat(out: &Output, name: &str) -> u64 {
    out.stats.iter().find(|s| s.0 == name).map(|s| s.1).unwrap()
}

fn words(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

/// Loads whose addresses are computed one after the other: the addresses come first, then the loads stand together, and
/// each use waits only for what it needs.
#[test]
fn loads_form_a_clause_and_waits_are_exact() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            let x = a[i] * 3u; let y = a[i * 3u + 7u] * 5u; let z = a[i * 5u + 1u] * 7u;
            b[i] = ((x ^ 1u) + y) ^ z;
        }";
    let lines = listing(&compile(&module(source), 2, &options(2)));
    let first = lines.iter().position(|l| l.starts_with("buffer_load")).unwrap();
    let clause = lines[first..].iter().take_while(|l| l.starts_with("buffer_load")).count();
    assert_eq!(clause, 3, "{lines:#?}");
    let waits: Vec<&str> = lines.iter().filter_map(|l| l.strip_prefix("s_waitcnt ")).collect();
    assert_eq!(waits, ["vmcnt(2)", "vmcnt(1)", "vmcnt(0)"], "{lines:#?}");
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words(400)).with_u32(0, 1, &[0; 64]);
    check(source, &d, &[0, 1, 2]);
}

/// Accesses that may meet keep their order, and nothing that others see passes a barrier.
#[test]
fn stores_that_may_meet_and_barriers_stay() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            let j = a[i] & 63u;
            a[64u + i] = i;
            a[64u + (i ^ j)] = j * 3u + 1u;
            let x = a[64u + i];
            w[i] = x;
            workgroupBarrier();
            let y = w[63u - i];
            workgroupBarrier();
            w[i] = y + 1u;
            a[128u + i] = y;
        }";
    let lines = listing(&compile(&module(source), 2, &options(2)));
    let kinds = ["buffer_load", "buffer_store", "ds_write", "ds_read", "s_barrier"];
    let order: Vec<&str> = lines.iter().filter_map(|l| kinds.into_iter().find(|k| l.starts_with(k))).collect();
    let shared: Vec<&str> = order.iter().copied().filter(|k| !k.starts_with("buffer")).collect();
    // Before all that the workgroup's memory is cleared.
    let want = ["ds_write", "s_barrier", "ds_write", "s_barrier", "ds_read", "s_barrier", "ds_write"];
    assert_eq!(shared, want, "{lines:#?}");
    let buffer: Vec<&str> = order.iter().copied().filter(|k| k.starts_with("buffer")).take(4).collect();
    assert_eq!(buffer, ["buffer_load", "buffer_store", "buffer_store", "buffer_load"], "{lines:#?}");
    // No two lanes meet: all of `j` is 0, which the compiler does not know.
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 192]);
    check(source, &d, &[0, 1, 2]);
}

/// Over the examples the schedule never costs waves or spills, and one wave alone gets through sooner.
#[test]
fn the_schedule_pays() {
    let examples = [
        include_str!("../../examples/matmul.wgsl"),
        include_str!("../../examples/nbody.wgsl"),
        include_str!("../../examples/fft.wgsl"),
        include_str!("../../examples/sha256.wgsl"),
    ];
    let (mut with, mut without) = (0, 0);
    for source in examples {
        let m = module(source);
        let plain = gpucc_driver::CodegenOptions { skip_passes: vec!["schedule".into()], ..options(2) };
        for generation in [0, 2] {
            let (a, b) = (compile(&m, generation, &options(2)), compile(&m, generation, &plain));
            assert!(stat(&a, "waves") >= stat(&b, "waves") && stat(&a, "spills") <= stat(&b, "spills"));
            with += stat(&a, "latency");
            without += stat(&b, "latency");
        }
    }
    assert!(with < without, "{with} cycles against {without}");
}

/// The logical part of a block ends before masks change; where nothing stands between it and the end no mark is needed.
#[test]
fn the_end_of_the_logical_part_is_marked_where_masks_change() {
    let text = |condition: &str| {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3<u32>) {{
                for (var k = 0u; k < {condition}; k++) {{ a[k + 64u] = i; }}
                a[i] = 7u;
            }}"
        );
        compile(&module(&source), 2, &CodegenOptions { texts: true, ..options(2) }).mir
    };
    let marks = |text: &str| text.matches("p_logical_end").count();
    let (uniform, divergent) = (text("w.x"), text("a[i]"));
    assert_eq!(marks(&uniform), 0, "{uniform}");
    assert!(marks(&divergent) > 0, "{divergent}");
    let lines: Vec<&str> = divergent.lines().map(str::trim).collect();
    let idle = |w: &[&str]| w[0] == "p_logical_end" && (w[1].starts_with("Jump") || w[1].starts_with("Branch"));
    assert!(!lines.windows(2).any(idle), "{divergent}");
}

/// Workgroup memory limits the waves of a SIMD as registers do: 64 KiB for four SIMDs, in pieces of 512 bytes.
#[test]
fn workgroup_memory_limits_waves() {
    // Words, invocations, waves: 65536 / 32256 = 2 groups of 4 waves over 4 SIMDs; 1 group of 1 wave; 16 groups of 1 wave, 4 KiB each;
    // a little memory limits nothing.
    for (words, size, waves) in [(8000, 256, 2), (16000, 64, 1), (1024, 64, 4), (16, 64, 10), (8000, 64, 1)] {
        let source = format!(
            "var<workgroup> w: array<u32, {words}>; @group(0) @binding(0) var<storage, read_write> o: array<u32>;
            @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) i: u32) {{
                w[i] = o[i]; workgroupBarrier(); o[i] = w[i ^ 1u]; }}"
        );
        let m = module(&source);
        assert_eq!(stat(&compile(&m, 2, &options(2)), "waves"), waves, "{words} words, {size} invocations");
    }
}
