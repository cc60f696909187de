//! Slots, waits and reconvergence of compiled programs, and whether the machine notices when they are wrong.

use crate::common::{compile, module, options, oracle, run};
use crate::examples::products;
use gpucc_sim::Dispatch;
use gpucc_valhall_machine::{ValhallInst, decode_word};

fn words(code: &[u8]) -> Vec<u64> {
    code.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect()
}

fn insts(code: &[u8]) -> Vec<ValhallInst> {
    words(code).into_iter().map(|w| decode_word(w, 1, gpucc_isa::stage::CS).unwrap()).collect()
}

#[test]
fn the_machine_notices_each_removed_wait() {
    let (src, d) = products();
    let m = module(src);
    let want = oracle(&m, &d);
    let mut removed = 0;
    // Loads stand alone at level 1, neighbours are one at level 2.
    for level in [1, 2] {
        let out = compile(&m, 1, &options(level));
        let right = words(&out.entry.code);
        for k in 0..right.len() {
            // A NOP waits at a join for what one of the ways left outstanding, maybe the one that is not taken here.
            let nop = right[k] >> 48 & 0x1ff == 0;
            if nop || !(1..8).contains(&(right[k] >> 59 & 15)) {
                continue;
            }
            removed += 1;
            let mut wrong = right.clone();
            wrong[k] &= !(15 << 59);
            let mut changed = out.clone();
            changed.entry.code = wrong.iter().flat_map(|w| w.to_le_bytes()).collect();
            let noticed = match run(&changed, 1, &d, None) {
                Err(_) => true,
                Ok(got) => got.buffers[3].bytes != want.buffers[3].bytes,
            };
            assert!(noticed, "the wait at instruction {k} at -O{level} is not needed");
        }
    }
    assert!(removed > 6);
}

#[test]
fn lanes_that_leave_an_inner_loop_meet_before_the_outer_one_goes_on() {
    // The inner loop ends in different iterations; the barrier needs everybody in the same round of the outer one.
    let src = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\nvar<workgroup> w: array<u32, 64>;\n\
        @compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) i: u32) {\n\
        for (var k = 0u; k < 3u; k++) { w[i] = k; workgroupBarrier(); var j = i & 7u;\n\
        loop { if j > 9u { break; } j += 2u; w[i] += j; } workgroupBarrier(); out[i] += w[63u - i]; workgroupBarrier();\n\
        while j < 20u { j += 1u + (i & 3u); } } }";
    let m = module(src);
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1; 64]);
    let want = oracle(&m, &d);
    for level in 0..=3 {
        let got = run(&compile(&m, 1, &options(level)), 1, &d, None).unwrap_or_else(|t| panic!("{t}"));
        assert_eq!(got.buffers[0].bytes, want.buffers[0].bytes);
    }
}

/// General registers that an instruction's sources name.
fn reads(i: &ValhallInst) -> u64 {
    use gpucc_valhall_machine::Kind;
    let mut mask = 0;
    for (slot, &v) in i.row().operands.iter().zip(&i.vals) {
        match slot.kind {
            Kind::Src(kind) if v & 0x80 == 0 => mask |= if kind.wide { 3u64 } else { 1 } << (v & 0x3f),
            Kind::Run { count, .. } if slot.role == gpucc_isa::Role::Use => {
                mask |= ((1u64 << i.get(count).unwrap_or(0)) - 1) << v;
            }
            _ => {}
        }
    }
    mask
}

/// Registers that a load writes.
fn loads(i: &ValhallInst) -> Option<(u32, u64)> {
    let name = i.row().text;
    (name.starts_with("LOAD.") || name.starts_with("LD_BUFFER.")).then(|| {
        let run = ((1u64 << i.get("sr_count").unwrap_or(0)) - 1) << i.get("sr").unwrap_or(0);
        (i.get("slot").unwrap_or(0), run)
    })
}

#[test]
fn one_wait_covers_loads_that_are_used_later() {
    // Four loads in flight: the wait for the first also covers another one, which is not used directly behind it.
    let src = "@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;\n@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;\n\
        @compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) g: vec3<u32>) {\n\
        let i = g.x; let p = a[i]; let q = a[i + 1u]; let r = a[i + 2u]; let s = a[i + 3u]; out[i] = ((p + q) * 2.0 + r) * s; }";
    let out = compile(&module(src), 1, &options(2));
    let code = insts(&out.entry.code);
    let (mut flying, mut apart) = ([0u64; 3], false);
    for (k, i) in code.iter().enumerate() {
        if let Some((slot, run)) = loads(i) {
            flying[slot as usize] |= run;
        }
        let flow = i.get("flow").unwrap_or(0);
        if (1..8).contains(&flow) {
            let covered: u64 = (0..3).filter(|s| flow >> s & 1 == 1).fold(0, |m, s| m | std::mem::take(&mut flying[s]));
            let next = code.get(k + 1).map_or(0, reads);
            apart |= covered & next != 0 && covered & !next != 0;
        }
    }
    assert!(apart, "{}", gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS));
}

#[test]
fn uniform_branches_do_not_reconverge() {
    let src = |bound: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n@group(0) @binding(1) var<uniform> n: u32;\n\
             @compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) i: u32) {{\n\
             var s = i; for (var k = 0u; k < {bound}; k++) {{ s = s * 3u + k; if s > 1000u {{ s -= out[k]; }} }} out[i] = s; }}"
        )
    };
    let count = |bound: &str| {
        let out = compile(&module(&src(bound)), 1, &options(1));
        insts(&out.entry.code)
            .iter()
            .filter(|i| i.row().text.starts_with("BRANCHZ") && i.get("flow") == Some(10))
            .count()
    };
    assert!(count("n") < count("i"), "{} {}", count("n"), count("i"));
}

#[test]
fn the_end_is_folded_and_last_uses_are_marked() {
    let out = compile(&module(include_str!("../../examples/vecadd.wgsl")), 1, &options(2));
    let text = gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS);
    assert!(text.contains('^'), "{text}");
    let (src, _) = products();
    let out = compile(&module(src), 1, &options(2));
    assert_eq!(insts(&out.entry.code).iter().filter(|i| i.get("flow") == Some(15)).count(), 1);
}

#[test]
fn rounds_of_a_loop_do_not_wait_for_what_was_loaded_before_it() {
    let out = compile(&module(include_str!("../../examples/collatz.wgsl")), 1, &options(2));
    let text = gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS);
    let waits_alone = text.lines().filter(|l| l.trim().starts_with("NOP.wait")).count();
    assert!(waits_alone == 0 && text.contains(".wait0"), "{text}");
    // Loads of the rounds themselves are waited for in the loop.
    let src = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
        var k = i; loop { if k == 7u { break; } k = o[k]; } o[i] = k; }";
    let out = compile(&module(src), 1, &options(2));
    let text = gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS);
    let (head, body) = text.split_at(text.find("\nL").unwrap());
    assert!(body.contains(".wait") && !head.contains(".wait"), "{text}");
}

#[test]
fn one_address_serves_the_members_of_an_element() {
    let src = "struct P { a: vec3<f32>, b: f32, c: vec3<f32>, d: f32 }\n@group(0) @binding(0) var<storage, read_write> p: array<P>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
        p[i].a = p[i].a * p[i].b + p[i].c * p[i].d; }";
    let mut m = module(src);
    m.options.robust = false;
    let out = compile(&m, 1, &options(2));
    let text = gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS);
    assert_eq!((text.matches("SHADDX").count(), text.matches("MOV.i32").count()), (1, 0), "{text}");
}
