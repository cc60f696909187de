//! Runs of vector registers in front of samples.

use crate::common::{compile, module, options};

const IO: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) b: vec4f }
    @group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var s: sampler;\n";

/// Moves in the listing of a fragment program, and the listing.
fn moves(source: &str, generation: usize) -> (usize, String) {
    let module = module(&format!("{IO}@fragment fn main(v: V) -> @location(0) vec4f {{ {source} }}"));
    let out = compile(&module, generation, &options(2));
    let text = gpucc_gcn_machine::disassemble(&out.entry.code, generation as u8, gpucc_isa::stage::CS);
    (text.lines().filter(|l| l.trim_start().starts_with("v_mov_b32")).count(), text)
}

/// Inputs that several samples read stay where the first one had them, also if they are read again behind them: no gradient is moved, and
/// coordinates that all of them share are not either. At most the coordinates of later samples are put beside the gradients.
#[test]
fn runs_keep_what_they_share() {
    let coordinates = "let at = v.b.xy;
        return textureSampleLevel(t, s, at, 0) + textureGather(1, t, s, at) + at.xyxy;";
    let gradients = "let d = v.b;
        let a = textureSampleGrad(t, s, d.xy * 2, d.xy, d.zw);
        let b = textureSampleGrad(t, s, d.xy * 3, d.xy, d.zw);
        return a + b + textureSampleGrad(t, s, d.xy * 5, d.xy, d.zw) + d;";
    for g in 0..3 {
        let (n, text) = moves(coordinates, g);
        assert_eq!(n, 0, "{text}");
        let (n, text) = moves(gradients, g);
        assert!(n <= 4, "{text}");
    }
}
