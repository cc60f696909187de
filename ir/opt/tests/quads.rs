//! Tests of passes on quads and helpers: samples stay in their control flow, stores of helpers do nothing.

use crate::testing::{opt, unchanged};
use gpucc_opt::{gvn, if_convert, licm, mem_opt, rotate, vectorise_memory};

/// A fragment entry with a texture, a sampler and two buffers.
const HEAD: &str = "module robust on\nres0 \"t\" group 0 binding 0 texture 2d float\nres1 \"s\" group 0 binding 1 sampler\n\
     res2 \"b\" group 0 binding 2 storage_rw size 64 stride 0\nres3 \"u\" group 0 binding 3 uniform size 64 stride 0\n\
     entry \"fs\" fragment func0 {\n  in0 \"uv\" location 0 f32x2\n  out0 \"c\" location 0 f32\n}\n";

fn fragment(body: &str) -> String {
    format!("{HEAD}func0 \"fs\" -> f32 {{\n{body}}}\n")
}

const SAMPLE: &str = "f32x4 = sample v0, tex res0 sampler res1 sample 2d implicit";

#[test]
fn two_equal_samples_become_one() {
    let t = opt(
        gvn::run,
        &fragment(&format!(
            "block0:\n  v0: f32x2 = input in0\n  v1: {SAMPLE}\n  v2: f32 = extract v1, lane 0\n  v3: b1 = fcmp.olt v2, 0.5:f32\n\
             br v3, block1, block2 merge block2\nblock1:\n  v4: {SAMPLE}\n  v5: f32 = extract v4, lane 1\n  store v5, res2[0] align 4\n\
             jump block2\nblock2:\n  ret v2\n"
        )),
    );
    assert_eq!(t.matches("sample").count() / 3, 1, "{t}");
}

/// A lane that has left the loop does not take part in the sample behind it.
#[test]
fn a_sample_in_a_loop_is_not_one_behind_it() {
    unchanged(
        gvn::run,
        &fragment(&format!(
            "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v9: f32 = extract v0, lane 1\n  jump block1(v9)\n\
             block1(v2: f32) loop merge block3 continue block2:\n  v3: {SAMPLE}\n  v4: f32 = extract v3, lane 0\n  v5: f32 = fadd v2, v4\n\
             v6: b1 = fcmp.olt v5, v1\n  br v6, block2, block3\nblock2:\n  jump block1(v5)\n\
             block3:\n  v7: {SAMPLE}\n  v8: f32 = extract v7, lane 1\n  ret v8\n"
        )),
    );
}

/// Neither out of an arm nor into a select, nor in front of a loop.
#[test]
fn a_sample_stays_where_its_quad_is() {
    let arm = fragment(&format!(
        "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v2: b1 = fcmp.olt v1, 0.5:f32\n\
         br v2, block1, block2(v1) merge block2\nblock1:\n  v3: {SAMPLE}\n  v4: f32 = extract v3, lane 0\n  jump block2(v4)\n\
         block2(v5: f32):\n  ret v5\n"
    ));
    unchanged(if_convert::run, &arm);
    let derivative = arm.replace(SAMPLE, "f32x2 = derivative v0, x fine");
    unchanged(if_convert::run, &derivative);
    let turn = fragment(&format!(
        "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v10: b1 = fcmp.olt v1, 0.25:f32\n  jump block1(v1)\n\
         block1(v2: f32) loop merge block3 continue block2:\n  v3: {SAMPLE}\n  v4: f32 = extract v3, lane 0\n  v5: f32 = fadd v2, v4\n\
         v6: b1 = fcmp.olt v5, v1\n  br v6, block2, block3\nblock2:\n  jump block1(v5)\nblock3:\n  ret v5\n"
    ));
    let t = opt(licm::run, &turn);
    let (before, inside) = t.split_once("loop merge").expect("a loop");
    assert!(!before.contains("sample") && inside.contains("sample"), "{t}");
    unchanged(rotate::run, &turn);
}

/// A fetch asks nothing of the quad.
#[test]
fn a_sample_with_its_level_may_move() {
    let t = opt(
        licm::run,
        &fragment(
            "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v10: b1 = fcmp.olt v1, 0.25:f32\n  jump block1(v1)\n\
             block1(v2: f32) loop merge block3 continue block2:\n  v3: f32x4 = tex v0, v1, tex res0 sampler res1 sample 2d level\n\
             v4: f32 = extract v3, lane 0\n  v5: f32 = fadd v2, v4\n  v6: b1 = fcmp.olt v5, v1\n  br v6, block2, block3\n\
             block2:\n  jump block1(v5)\nblock3:\n  ret v5\n",
        ),
    );
    let (before, inside) = t.split_once("loop merge").expect("a loop");
    assert!(before.contains(" tex ") && !inside.contains(" tex "), "{t}");
}

/// A helper's store does nothing, so its load sees the old bytes.
#[test]
fn fragments_do_not_forward_stores_to_loads() {
    let body = "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  store v1, res2[0] align 4\n\
                v2: f32 = load res2[0] align 4\n  ret v2\n";
    unchanged(mem_opt::run, &fragment(body));
    let compute = format!(
        "{}entry \"main\" compute func0 size 1,1,1\nfunc0 \"main\" {{\n{}}}\n",
        HEAD.split("entry").next().expect("a head"),
        body.replace("input in0", "load res3[0] align 8").replace("ret v2", "store v2, res2[4] align 4\n  ret"),
    );
    let t = opt(mem_opt::run, &compute);
    assert!(!t.contains("load res2"), "{t}");
}

#[test]
fn a_store_before_a_demotion_is_not_dead() {
    let body = "block0:\n  v0: f32x2 = input in0\n  v1: f32 = extract v0, lane 0\n  v2: b1 = fcmp.olt v1, 0.5:f32\n\
                store v1, res2[0] align 16\n  demote v2\n  store 1.0:f32, res2[0] align 16\n  ret v1\n";
    unchanged(mem_opt::run, &fragment(body));
    let neighbours = body.replace("store 1.0:f32, res2[0] align 16", "store 1.0:f32, res2[4] align 4");
    unchanged(vectorise_memory::run, &fragment(&neighbours));
    let together = fragment(&neighbours.replace("  demote v2\n", ""));
    assert!(opt(vectorise_memory::run, &together).contains("f32x2"), "without the demotion they are one store");
}
