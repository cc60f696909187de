//! Words of uniform buffers that are read by halves: operands count those by halves, so that they reach 64 words and not 127.

use crate::common::{NAMES, compile, module, options, run};
use gpucc_sim::Dispatch;

/// Products, quotients and remainders of words at every offset from 240 bytes to 528, as scalars and as lanes of vectors. Division
/// by a constant is the high half of a product.
#[test]
fn words_of_uniforms_in_and_out_of_reach() {
    let words: Vec<u32> = (0..136u32).map(|k| k.wrapping_mul(0x9e37_79b9) ^ 0x8000_0001).collect();
    let n = 16u32;
    for word in [60, 62, 63, 64, 65, 66, 79, 100, 125, 126, 127, 128, 129] {
        let (row, lane) = (word / 4, ["x", "y", "z", "w"][word % 4]);
        let wgsl = format!(
            "@group(0) @binding(0) var<uniform> p: array<vec4<u32>, 34>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size({n})
fn main(@builtin(local_invocation_index) i: u32) {{
    let k = p[{row}].{lane};
    let x = (i + 3u) * 0x01234567u;
    let small = i * 4001u;
    o[i * 8u] = x * k;
    o[i * 8u + 1u] = k / 10u + i;
    o[i * 8u + 2u] = k % 7u + i;
    o[i * 8u + 3u] = x / k;
    o[i * 8u + 4u] = x % k;
    o[i * 8u + 5u] = u32(bitcast<i32>(k) / 1000i) + i;
    o[i * 8u + 6u] = small * k + x;
    o[i * 8u + 7u] = x * (k & 0xffffu);
}}"
        );
        let k = words[word];
        let of = |i: u32| {
            let (x, small) = ((i + 3).wrapping_mul(0x0123_4567), i * 4001);
            [
                x.wrapping_mul(k),
                k / 10 + i,
                k % 7 + i,
                x / k,
                x % k,
                ((k as i32 / 1000) as u32).wrapping_add(i),
                small.wrapping_mul(k).wrapping_add(x),
                x.wrapping_mul(k & 0xffff),
            ]
        };
        let want: Vec<u32> = (0..n).flat_map(of).collect();
        let m = module(&wgsl);
        let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words).with_u32(0, 1, &vec![0; want.len()]);
        for (g, name) in NAMES.iter().enumerate() {
            for level in 0..=3 {
                let out = compile(&m, g, &options(level));
                let got = run(&out, g, &d, Some(7)).unwrap_or_else(|t| panic!("{name} -O{level} word {word}: {t}"));
                assert_eq!(got.words(0, 1), Some(want.clone()), "{name} -O{level} word {word}");
            }
        }
    }
}
