//! Shaders compiled, executed as bytes, compared with the oracle.

use crate::common::{check, compile, module, options};
use gpucc_driver::Backend as _;
use gpucc_sim::Dispatch;
use gpucc_tesla::TESLA;

const ALL: &[usize] = &[0, 1, 2, 3];

/// The last jump of a branch became a `break` that named nothing; a predicated one that took its place named a block that was
/// gone.
#[test]
fn a_branch_at_the_end_of_a_loop_that_is_left_at_once() {
    let wgsl = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> s: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = s[i];
    var y = 7u;
    loop {
        switch (i + y) & 7u {
            case 7u, 0u, 3u: {
                if s[i + 32u] > 4u { x = s[i + 64u]; } else { y = s[i + 96u] >> 3u; }
            }
            default: { }
            case 2u, 4u: { continue; }
        }
        continuing { break if true; }
    }
    o[2u * i] = x;
    o[2u * i + 1u] = y;
}";
    let s: Vec<u32> = (0..128u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> 29).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]).with_u32(0, 1, &s);
    check(wgsl, &d, ALL);
}

/// Loops that never turn, left by returns and breaks, alone and in other constructs: what joins stand behind them.
#[test]
fn loops_without_a_way_back_are_left() {
    let head = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> s: array<u32>;
fn f(i: u32, j: u32) -> u32 {
    loop {
        if (s[j] & 1u) == 0u { return 7u; }
        if (s[j] & 2u) == 0u { o[i + 32u] = 1u; JUMP }
        continuing { break if true; }
    }
    return o[i + 64u] + i;
}
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    BODY
}";
    let bodies = [
        "o[i] = f(i, i);",
        "if (s[i] & 4u) == 0u { o[i] = f(i, i); } else { o[i + 96u] = i; }",
        "for (var k = 0u; k < (s[i] & 3u); k++) { if s[k] == 9u { continue; } o[i] += f(i, i + k) * k; }",
        "switch s[i] & 3u { case 1u: { o[i] = f(i, i); } case 2u: { o[i] = f(i, i + 2u); if s[i] == 6u { return; } } default: { } } o[i] += 5u;",
    ];
    let s: Vec<u32> = (0..128u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> 29).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[3; 128]).with_u32(0, 1, &s);
    for (body, jump) in
        bodies.iter().flat_map(|b| ["", "break;", "continue;", "if s[i] == 5u { return 3u; }"].map(|j| (b, j)))
    {
        check(&head.replace("JUMP", jump).replace("BODY", body), &d, ALL);
    }
}

/// Tables of constants lie behind the words of c0: nothing is stored, and none of private memory is there. What is written at a place that is
/// not known is no table.
#[test]
fn tables_lie_in_constant_memory() {
    let wgsl = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const T = array<u32, 40>(3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3,2,3,8,4,6,2,6,4,3,3,8,3,2,7,9,5,0,2,8,8,4,1,9,7);
const V = array<vec4f, 3>(vec4f(1,2,3,4), vec4f(5,6,7,8), vec4f(9,10,11,12));
const Z = array<u32, 5>(1, 0, 0, 0, 2);
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var v = V;
    var z = Z;
    o[i] = T[(i * 7u) % 40u] * 100u + u32(v[i % 3u][i & 3u]) + z[i % 5u] * 10000u;
}";
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 32]);
    check(wgsl, &d, ALL);
    for chip in 0..4 {
        let listing = TESLA.listing(&compile(&module(wgsl), chip, &options(2)), chip);
        let tables = listing.lines().filter(|l| l.contains("c0[$a")).count();
        assert!(tables == 3 && !listing.contains(" l["), "{listing}");
    }
    let written = wgsl.replace("var z = Z;", "var z = Z; z[i % 2u] = i;");
    check(&written, &d, ALL);
}

/// A word of workgroup memory that has a place of its own is read by a move. It was read again where its value was wanted instead of
/// being spilled, behind a store to the word.
#[test]
fn a_word_of_workgroup_memory_is_not_read_again_behind_a_store() {
    let words = 128;
    let loads: String = (0..words).map(|i| format!("    let v{i} = a[{}];\n", i + 2)).collect();
    let stores: String = (0..words).map(|i| format!("    o[{}] = v{i} + v{};\n", i + 2, (i * 7 + 5) % words)).collect();
    let wgsl = format!(
        "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<workgroup> w: array<u32, 4>;
@compute @workgroup_size(1)
fn main() {{
    w[0] = a[0];
    w[1] = a[1];
    workgroupBarrier();
    let x = w[0];
    let y = w[1];
    w[0] = 1000u;
    w[1] = 2000u;
    workgroupBarrier();
{loads}    workgroupBarrier();
{stores}    o[0] = x;
    o[1] = y;
}}
"
    );
    let n = words + 2;
    let a: Vec<u32> = (0..n).map(|i| i + 100).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &vec![0; n as usize]);
    check(&wgsl, &d, ALL);
}
