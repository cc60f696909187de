//! Tests of `backend-vivante/src/join_gradients.rs`.

use gpucc_ir::{Op, TexArg, Value};
use gpucc_opt::{Caps, PassCx};
use gpucc_vivante::join_gradients;

/// What becomes of samples with these arguments: the lanes of shuffles that each sample's gradients have, and the changes.
fn run(samples: &[&str]) -> (Vec<Option<[Vec<u8>; 2]>>, u64) {
    let lines: String = (10..)
        .zip(samples)
        .map(|(n, args)| {
            format!(
                "  v{n}: f32x4 = tex {args}, tex res2 sampler res3 sample 2d gradients\n  store v{n}, res1[{}] align 16\n",
                16 * n
            )
        })
        .collect();
    let text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\n\
         res1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\nres2 \"t\" group 0 binding 2 texture 2d float\n\
         res3 \"s\" group 0 binding 3 sampler\nentry \"main\" compute func0 size 1,1,1\n\
         func0 \"main\" {{\nblock0:\n  v0: f32x2 = load res0[0] align 8\n  v1: f32x2 = load res0[8] align 8\n  \
         v2: f32x2 = load res0[16] align 8\n  v3: f32x2 = load res0[24] align 8\n{lines}  ret\n}}\n"
    );
    let mut m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let of = m.clone();
    let mut cx = PassCx::new(&of, &Caps::FULL);
    let f = m.funcs.values_mut().next().unwrap();
    join_gradients::run(f, &mut cx);
    let changes = cx.changes();
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}\n{m}", e[0]));
    let f = m.funcs.values().next().unwrap();
    let lanes = |v: Value| {
        let d = f.def_op(v, Op::Shuffle)?;
        let all = d.moved_lanes(2)?.into_iter().map(|(_, k)| k as u8).collect();
        Some(all)
    };
    let of_sample = |d: &gpucc_ir::InstData| Some([lanes(d.tex_arg(TexArg::Ddx)?)?, lanes(d.tex_arg(TexArg::Ddy)?)?]);
    let all = f.insts_in_order().map(|(_, i)| &f.insts[i]).filter(|d| d.op == Op::Tex).map(of_sample).collect();
    (all, changes)
}

#[test]
fn gradients_of_several_samples_are_halves_of_one_vector() {
    let halves = Some([vec![0, 1], vec![2, 3]]);
    assert_eq!(run(&["v0, v1, v2", "v3, v1, v2"]), (vec![halves.clone(), halves], 1));
}

#[test]
fn others_stay() {
    // One sample; other gradients; constants; the place itself, which stays what it is.
    for samples in [
        &["v0, v1, v2"][..],
        &["v0, v1, v2", "v0, v2, v1"],
        &["v0, [0.5, 0.5]:f32x2, v2", "v3, [0.5, 0.5]:f32x2, v2"],
        &["v0, v0, v2", "v0, v0, v2"],
    ] {
        assert_eq!(run(samples), (vec![None; samples.len()], 0), "{samples:?}");
    }
}
