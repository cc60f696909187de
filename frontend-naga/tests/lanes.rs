//! Numbers of lanes that WGSL wants to be the same for a subgroup.

use gpucc_frontend_naga::{Input, Lang, parse};

fn compile(head: &str, body: &str) -> Result<(), Vec<gpucc_ir::Diagnostic>> {
    let text = format!(
        "enable subgroups; {head}
        @group(0) @binding(0) var<storage, read_write> o: array<u32, 64>; @group(0) @binding(1) var<uniform> n: u32;
        @group(0) @binding(2) var<storage> r: array<u32, 4>;
        struct In {{ @builtin(subgroup_invocation_id) lane: u32, @builtin(workgroup_id) group: vec3u }}
        fn f(k: u32) -> u32 {{ return subgroupShuffleUp(k, n); }}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32, in: In) {{ {body} }}"
    );
    parse(Input::text(&text), Lang::Wgsl).map(|_| ())
}

#[test]
fn distances_and_masks_are_the_same_for_a_subgroup() {
    for body in [
        "o[i] = subgroupShuffleUp(i, i);",
        "o[i] = subgroupShuffleDown(n, i / 4u + 1u);",
        "let d = i & 3u; o[i] = subgroupShuffleXor(i, d);",
        "o[i] = subgroupShuffleXor(i, in.lane);",
        "o[i] = subgroupShuffleXor(i, o[0]);",
        "o[i] = subgroupShuffleUp(i, r[i & 3u]);",
        "if n > 2u { loop { o[i] = subgroupShuffleUp(i, u32(f32(i))); break; } }",
    ] {
        let list = compile("", body).expect_err(body);
        assert_eq!(list[0].code, "subgroup-uniformity", "{body}: {}", list[0]);
        assert!(list[0].labels[0].span.is_known(), "{body}");
        if let Err(list) = compile("diagnostic(off, subgroup_uniformity);", body) {
            panic!("{body}: {}", list[0]);
        }
    }
    for body in [
        "o[i] = subgroupShuffleUp(i, 1u) + subgroupShuffleDown(i, n) + subgroupShuffleXor(i, r[0]);",
        "o[i] = subgroupShuffle(i, i ^ 1u) + subgroupShuffleXor(i, in.group.x & 3u) + f(i);",
        "for (var k = 1u; k < size; k *= 2u) { o[i] += subgroupShuffleXor(i, k); }",
    ] {
        if let Err(list) = compile("", body) {
            panic!("{body}: {}", list[0]);
        }
    }
}
