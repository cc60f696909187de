//! Compute shaders in the style of what machine learning and image libraries ship (`tests/spirv/real`), each with push constants and
//! specialisation constants: compiled by glslang with and without `-g` and optimised by spirv-opt, run on the interpreter and on the machine
//! of each family with three sets of specialisation constants, and compared with what is computed here.
//!
//! Without `glslangValidator` nothing is run, and the test says so.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{has, need, scratch, tool};
use gpucc_num::{Round::Nearest, convert as c};
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

use crate::sources::spirv::glslang;

/// The expected words of the first buffer.
enum Want {
    Words(Vec<u32>),
    /// Floats, with the error that is allowed in each.
    Floats(Vec<f64>, f64),
}

/// A shader with one set of specialisation constants. Constant 0 is the number of invocations in a workgroup.
struct Case {
    name: &'static str,
    values: [u32; 2],
    /// Across and down.
    groups: [u32; 2],
    push: Vec<u32>,
    input: Vec<u32>,
    want: Want,
}

/// Small numbers of both signs, in quarters.
fn floats(n: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..n).map(|_| (random.below(65) as f32 - 32.0) / 4.0).collect()
}

fn words(n: usize, seed: u64) -> Vec<u32> {
    let mut random = SplitMix64::new(seed);
    (0..n).map(|_| random.next_u32()).collect()
}

fn bits(list: &[f32]) -> Vec<u32> {
    list.iter().map(|x| x.to_bits()).collect()
}

fn soft_max(values: [u32; 2]) -> Case {
    let (rows, cols, scale) = (3usize, 45usize, 0.25f32);
    let a = floats(rows * cols, 1);
    let mut want = Vec::new();
    for row in 0..rows {
        let shown = |k: &usize| values[1] == 0 || *k <= row + 3;
        let x = |k: usize| f64::from(a[row * cols + k] * scale);
        let sum: f64 = (0..cols).filter(shown).map(|k| x(k).exp()).sum();
        want.extend((0..cols).map(|k| if shown(&k) { x(k).exp() / sum } else { 0.0 }));
    }
    let push = vec![cols as u32, scale.to_bits()];
    Case { name: "soft_max", values, groups: [3, 1], push, input: bits(&a), want: Want::Floats(want, 1e-4) }
}

fn rms_norm(values: [u32; 2]) -> Case {
    let (rows, cols, eps) = (2usize, 70usize, 1e-3f32);
    let a = floats((rows + 1) * cols, 2);
    let mut want = Vec::new();
    for row in a.chunks(cols).take(rows) {
        let mean = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / cols as f64;
        let weight = |k: usize| if values[1] == 0 { 1.0 } else { f64::from(a[rows * cols + k]) };
        want.extend((0..cols).map(|k| f64::from(row[k]) / (mean + f64::from(eps)).sqrt() * weight(k)));
    }
    let push = vec![cols as u32, eps.to_bits(), (rows * cols) as u32];
    Case { name: "rms_norm", values, groups: [2, 1], push, input: bits(&a), want: Want::Floats(want, 1e-3) }
}

fn rope(values: [u32; 2]) -> Case {
    let (rows, cols) = (3usize, 64usize);
    let a = floats(rows * cols, 3);
    let mut want = vec![0.0; rows * cols];
    for (row, k) in (0..rows).flat_map(|r| (0..cols / 2).map(move |k| (r, k))) {
        let angle = (5 + row) as f64 * 0.5 * 10000f64.powf(-2.0 * k as f64 / cols as f64);
        let (x, y) = if values[1] == 0 { (2 * k, 2 * k + 1) } else { (k, k + cols / 2) };
        let (x, y) = (row * cols + x, row * cols + y);
        want[x] = f64::from(a[x]) * angle.cos() - f64::from(a[y]) * angle.sin();
        want[y] = f64::from(a[x]) * angle.sin() + f64::from(a[y]) * angle.cos();
    }
    let push = vec![cols as u32, 5, 10000f32.to_bits(), 0.5f32.to_bits()];
    Case { name: "rope", values, groups: [3, 1], push, input: bits(&a), want: Want::Floats(want, 5e-3) }
}

fn matvec_q8(values: [u32; 2]) -> Case {
    let (rows, cols, block) = (3usize, 192usize, values[1] as usize);
    let weights = words(rows * cols / 4, 4);
    let (scales, vector) = (floats(rows * cols / block, 5), floats(cols, 6));
    let weight = |at: usize| f64::from(weights[at / 4].to_le_bytes()[at % 4] as i8);
    let of = |row: usize| {
        let term = |k: usize| {
            weight(row * cols + k) * f64::from(vector[k]) * f64::from(scales[row * (cols / block) + k / block])
        };
        (0..cols).map(term).sum::<f64>()
    };
    let at = weights.len() as u32;
    let push = vec![cols as u32, at, at + scales.len() as u32];
    let input = [weights.clone(), bits(&scales), bits(&vector)].concat();
    Case {
        name: "matvec_q8",
        values,
        groups: [3, 1],
        push,
        input,
        want: Want::Floats((0..rows).map(of).collect(), 0.5),
    }
}

fn matvec_q4(values: [u32; 2]) -> Case {
    let (rows, cols) = (4usize, 256usize);
    let weights = words(rows * cols / 8, 7);
    let (scales, vector) = (floats(rows * cols / 32, 8), floats(cols, 9));
    let half = |x: f32| u32::from(c::f32_to_f16(Nearest, x));
    let packed: Vec<u32> = scales.chunks(2).map(|s| half(s[0]) | half(s[1]) << 16).collect();
    let of = |row: usize| {
        let term = |k: usize| {
            let q = weights[(row * cols + k) / 8] >> (4 * (k % 8)) & 15;
            f64::from(q as i32 - values[1] as i32) * f64::from(vector[k]) * f64::from(scales[(row * cols + k) / 32])
        };
        (0..cols).map(term).sum::<f64>()
    };
    let at = weights.len() as u32;
    let push = vec![cols as u32, at, at + packed.len() as u32];
    let input = [weights.clone(), packed, bits(&vector)].concat();
    Case {
        name: "matvec_q4",
        values,
        groups: [4, 1],
        push,
        input,
        want: Want::Floats((0..rows).map(of).collect(), 0.05),
    }
}

fn im2col(values: [u32; 2]) -> Case {
    let (w, h, k, stride, pad) = (9i32, 7i32, 3i32, 2i32, 1i32);
    let a = floats((w * h) as usize, 10);
    let (ow, oh) = ((w + 2 * pad - k) / stride + 1, (h + 2 * pad - k) / stride + 1);
    let total = ow * oh * k * k;
    let of = |i: i32| {
        let (cell, at) = (i % (k * k), i / (k * k));
        let (x, y) = (at % ow * stride + cell % k - pad, at / ow * stride + cell / k - pad);
        let inside = (0..w).contains(&x) && (0..h).contains(&y);
        let v = if inside { a[(y * w + x) as usize] } else { 0.0 };
        if values[1] == 0 { v } else { v + (i / values[1] as i32) as f32 }
    };
    let want = bits(&(0..total).map(of).collect::<Vec<f32>>());
    let push = [w, h, k, stride, pad, total].map(|x| x as u32).to_vec();
    Case { name: "im2col", values, groups: [2, 1], push, input: bits(&a), want: Want::Words(want) }
}

fn scan(values: [u32; 2]) -> Case {
    let input = words(150, 11);
    let mut sum = 0u32;
    let mut want = Vec::new();
    for x in &input {
        let before = sum;
        sum = sum.wrapping_add(*x);
        want.push(if values[1] == 0 { sum } else { before });
    }
    Case { name: "scan", values, groups: [1, 1], push: vec![150], input, want: Want::Words(want) }
}

fn sort(values: [u32; 2]) -> Case {
    let n = values[0] as usize * 2 - 5;
    let input = words(n, 12);
    let mut want: Vec<u32> = input.iter().map(|x| x & 0x00ff_ffff).collect();
    want.sort_unstable();
    if values[1] != 0 {
        want.reverse();
    }
    Case { name: "sort", values, groups: [1, 1], push: vec![n as u32, 0x00ff_ffff], input, want: Want::Words(want) }
}

fn blur(values: [u32; 2]) -> Case {
    let (w, h, radius) = (11i32, 6i32, values[1] as i32);
    let input = words((w * h) as usize, 13);
    let of = |i: i32| {
        let byte = |b: usize| {
            let near = -radius..=radius;
            let cells = near.clone().flat_map(|y| near.clone().map(move |x| (x, y)));
            let sum: u32 = cells
                .map(|(x, y)| ((i % w + x).clamp(0, w - 1), (i / w + y).clamp(0, h - 1)))
                .map(|(x, y)| u32::from(input[(y * w + x) as usize].to_le_bytes()[b]))
                .sum();
            (sum / ((2 * radius + 1) * (2 * radius + 1)) as u32) as u8
        };
        u32::from_le_bytes([0, 1, 2, 3].map(byte))
    };
    let want = (0..w * h).map(of).collect();
    Case { name: "blur", values, groups: [2, 1], push: vec![w as u32, h as u32], input, want: Want::Words(want) }
}

fn conv2d(values: [u32; 2]) -> Case {
    let (w, h, channels, outs, k) = (8usize, 7usize, 2usize, 3usize, values[1] as usize);
    let (a, weights, bias) = (floats(w * h * channels, 14), floats(outs * channels * k * k, 15), floats(outs, 16));
    let (ow, oh) = (w - k + 1, h - k + 1);
    let of = |i: usize| {
        let (c, x, y) = (i / (ow * oh), i % ow, i / ow % oh);
        let mut sum = bias[c];
        for (n, v, u) in (0..channels * k * k).map(|t| (t / (k * k), t / k % k, t % k)) {
            sum += a[(n * h + y + v) * w + x + u] * weights[((c * channels + n) * k + v) * k + u];
        }
        f64::from(sum.max(-20.0))
    };
    let at = a.len() as u32;
    let push = vec![w as u32, h as u32, channels as u32, at, at + weights.len() as u32, (-20f32).to_bits()];
    let want = Want::Floats((0..outs * ow * oh).map(of).collect(), 0.01);
    let input = bits(&[a, weights, bias].concat());
    Case { name: "conv2d", values, groups: [1, outs as u32], push, input, want }
}

fn matmul(values: [u32; 2]) -> Case {
    let (m, n, k) = (9usize, 6usize, 11usize);
    let (a, b) = (floats(m * k, 17), floats(k * n, 18));
    let of = |i: usize| (0..k).map(|j| f64::from(a[i / n * k + j]) * f64::from(b[j * n + i % n])).sum::<f64>() * 0.5;
    let push = vec![m as u32, n as u32, k as u32, a.len() as u32, 0.5f32.to_bits()];
    let want = Want::Floats((0..m * n).map(of).collect(), 0.01);
    Case { name: "matmul", values, groups: [2, 1], push, input: bits(&[a, b].concat()), want }
}

fn histogram(values: [u32; 2]) -> Case {
    let input = words(77, 19);
    let bytes: Vec<u32> = input.iter().flat_map(|w| w.to_le_bytes()).map(u32::from).collect();
    let mut want = vec![0u32; 256 >> values[1]];
    bytes.iter().for_each(|b| want[(b >> values[1]) as usize] += 1);
    want.extend([bytes.iter().sum(), bytes.iter().copied().max().unwrap_or(0)]);
    Case { name: "histogram", values, groups: [1, 1], push: vec![77], input, want: Want::Words(want) }
}

fn pool(values: [u32; 2]) -> Case {
    let (w, h, window, stride) = (13usize, 9usize, [3usize, 2], [2usize, 1]);
    let a = floats(w * h, 20);
    let (nx, ny) = ((w - window[0]) / stride[0] + 1, (h - window[1]) / stride[1] + 1);
    let of = |i: usize| {
        let (x, y) = (i % nx * stride[0], i / nx * stride[1]);
        let list = (0..window[0] * window[1]).map(|k| f64::from(a[(y + k / window[0]) * w + x + k % window[0]]));
        if values[1] == 0 { list.fold(f64::NEG_INFINITY, f64::max) } else { list.sum::<f64>() / 6.0 }
    };
    let push = vec![w as u32, h as u32, 3, 2, 2, 1];
    let want = Want::Floats((0..nx * ny).map(of).collect(), 1e-4);
    Case { name: "pool", values, groups: [1, 1], push, input: bits(&a), want }
}

fn gelu(values: [u32; 2]) -> Case {
    let a = floats(90, 21);
    let of = |x: &f32| {
        let x = f64::from(*x);
        match values[1] {
            0 => 0.5 * x * (1.0 + (0.7978845608 * (x + 0.044715 * x * x * x)).tanh()),
            1 => x / (1.0 + (-x).exp()),
            2 if x < 0.0 => x * 0.125,
            2 => x,
            _ => (x / 6.0 + 0.5).clamp(0.0, 1.0),
        }
    };
    let want = Want::Floats(a.iter().map(of).collect(), 1e-3);
    Case { name: "gelu", values, groups: [2, 1], push: vec![90, 0.125f32.to_bits()], input: bits(&a), want }
}

fn quantize(values: [u32; 2]) -> Case {
    let (blocks, block) = (21usize, values[1] as usize);
    let mut a = floats(blocks * block, 22);
    a[..block].fill(0.0);
    let mut want = Vec::new();
    for part in a.chunks(block) {
        let top = part.iter().fold(0f32, |t, x| t.max(x.abs()));
        want.push(top.to_bits());
        // No product with 64 lies in the middle of two whole numbers.
        let q = |x: &f32| if top == 0.0 { 0 } else { (f64::from(*x) * 64.0 / f64::from(top)).round() as i8 as u8 };
        want.extend(part.chunks(4).map(|c| u32::from_le_bytes([q(&c[0]), q(&c[1]), q(&c[2]), q(&c[3])])));
    }
    let push = vec![blocks as u32, 64f32.to_bits()];
    Case { name: "quantize", values, groups: [1, 1], push, input: bits(&a), want: Want::Words(want) }
}

fn half(x: f32) -> u16 {
    c::f32_to_f16(Nearest, x)
}

/// Bytes as words, with zeros behind the last.
fn packed(mut bytes: Vec<u8>) -> Vec<u32> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn dequant_q8_0(values: [u32; 2]) -> Case {
    let (blocks, step) = (6usize, values[1] as usize);
    let (scales, bias, zero) = (floats(blocks, 23), -1.5f32, 3i8);
    let q: Vec<i8> = words(blocks * 8, 24).iter().flat_map(|w| w.to_le_bytes()).map(|b| b as i8).collect();
    let mut bytes = Vec::new();
    for (d, part) in scales.iter().zip(q.chunks(32)) {
        bytes.extend(half(*d).to_le_bytes());
        bytes.extend(part.iter().map(|x| *x as u8));
    }
    // The difference of two bytes is a byte.
    let of = |at: usize| f64::from(q[at].wrapping_sub(zero)) * f64::from(scales[at / 32]) + f64::from(bias);
    let want = Want::Floats((0..blocks * 32).step_by(step).map(of).collect(), 0.0);
    let push = vec![blocks as u32, u32::from(half(bias)) | u32::from(zero as u8) << 16];
    Case { name: "dequant_q8_0", values, groups: [1, 1], push, input: packed(bytes), want }
}

fn matvec_q4_0(values: [u32; 2]) -> Case {
    let (rows, blocks) = (3usize, 5usize);
    let (scales, vector) = (floats(rows * blocks, 25), floats(blocks * 32, 26));
    let q: Vec<u8> = words(rows * blocks * 4, 27).iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut bytes = Vec::new();
    for (d, part) in scales.iter().zip(q.chunks(16)) {
        bytes.extend(half(*d).to_le_bytes());
        bytes.extend(part);
    }
    let at = bytes.len() as u32 / 2;
    bytes.extend(vector.iter().flat_map(|x| half(*x).to_le_bytes()));
    let weight = |block: usize, k: usize| {
        let byte = q[block * 16 + k % 16];
        f64::from(i32::from(if k < 16 { byte & 15 } else { byte >> 4 }) - values[1] as i32)
    };
    let of = |row: usize| {
        let term = |k: usize| {
            let block = row * blocks + k / 32;
            weight(block, k % 32) * f64::from(vector[k]) * f64::from(scales[block])
        };
        (0..blocks * 32).map(term).sum::<f64>()
    };
    let want = Want::Floats((0..rows).map(of).collect(), 0.01);
    Case { name: "matvec_q4_0", values, groups: [3, 1], push: vec![blocks as u32, at], input: packed(bytes), want }
}

fn conv_s8(values: [u32; 2]) -> Case {
    let (w, h, k, shift, zero) = (11usize, 8usize, 3usize, 5u32, -4i8);
    let bytes: Vec<u8> = words((w * h + k * k).div_ceil(4), 28).iter().flat_map(|w| w.to_le_bytes()).collect();
    let (ow, oh) = (w - k + 1, h - k + 1);
    let of = |i: usize| {
        let term = |t: usize| {
            let (x, y) = (i % ow + t % k, i / ow + t / k);
            i32::from(bytes[y * w + x] as i8) * i32::from(bytes[w * h + t] as i8)
        };
        let r = ((0..k * k).map(term).sum::<i32>() >> shift) + i32::from(zero);
        if values[1] == 0 { r.clamp(-128, 127) as u8 } else { r as u8 }
    };
    // The output begins as 0xdeadbeef; its last two bytes stay so.
    let mut out: Vec<u8> = (0..ow * oh).map(of).collect();
    out.extend(&0xdead_beef_u32.to_le_bytes()[out.len() % 4..][..(4 - out.len() % 4) % 4]);
    let push = vec![w as u32, h as u32, k as u32, (w * h) as u32, shift, u32::from(zero as u8)];
    Case { name: "conv_s8", values, groups: [2, 1], push, input: packed(bytes), want: Want::Words(packed(out)) }
}

fn layer_norm_f16(values: [u32; 2]) -> Case {
    let (rows, quads, eps) = (3usize, 18usize, 1e-3f32);
    let a = floats((rows + 1) * quads * 4, 29);
    let mut want = Vec::new();
    for row in a.chunks(quads * 4).take(rows) {
        let n = row.len() as f64;
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
        let variance = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / n - mean * mean;
        let weight = |k: usize| if values[1] == 0 { 1.0 } else { f64::from(a[rows * quads * 4 + k]) };
        let of = |k: usize| (f64::from(row[k]) - mean) / (variance + f64::from(eps)).sqrt() * weight(k);
        want.extend((0..row.len()).map(of));
    }
    let input = packed(a.iter().flat_map(|x| half(*x).to_le_bytes()).collect());
    let push = vec![quads as u32, rows as u32, eps.to_bits()];
    Case { name: "layer_norm_f16", values, groups: [3, 1], push, input, want: Want::Floats(want, 1e-3) }
}

fn sobel(values: [u32; 2]) -> Case {
    let (w, h, weights) = (9i32, 7i32, [77u32, 150, 29, 0]);
    let input = words((w * h) as usize, 30);
    let grey = |x: i32, y: i32| {
        let pixel = input[(y.clamp(0, h - 1) * w + x.clamp(0, w - 1)) as usize].to_le_bytes();
        let sum: u32 = pixel.iter().zip(weights).map(|(c, k)| u32::from(*c) * k).sum();
        (sum >> 8) as i32
    };
    let of = |i: i32| {
        let (x, y) = (i % w, i / w);
        let (mut gx, mut gy) = (0, 0);
        for k in -1..=1i32 {
            gx += (2 - k.abs()) * (grey(x + 1, y + k) - grey(x - 1, y + k));
            gy += (2 - k.abs()) * (grey(x + k, y + 1) - grey(x + k, y - 1));
        }
        let m = if values[1] == 0 { gx.abs() + gy.abs() } else { gx.abs().max(gy.abs()) };
        m.min(255) as u8
    };
    let mut out: Vec<u8> = (0..w * h).map(of).collect();
    out.extend(&0xdead_beef_u32.to_le_bytes()[out.len() % 4..][..(4 - out.len() % 4) % 4]);
    let push = vec![w as u32 | (h as u32) << 16, u32::from_le_bytes(weights.map(|k| k as u8))];
    Case { name: "sobel", values, groups: [1, 1], push, input, want: Want::Words(packed(out)) }
}

fn cases() -> Vec<Case> {
    let mut list = Vec::new();
    for (n, size) in [32, 16, 64].into_iter().enumerate() {
        list.push(soft_max([size, [1, 0, 1][n]]));
        list.push(rms_norm([size, [1, 0, 1][n]]));
        list.push(rope([size, [0, 1, 1][n]]));
        list.push(matvec_q8([size, [32, 16, 64][n]]));
        list.push(matvec_q4([size, [8, 0, 3][n]]));
        list.push(im2col([size, [0, 9, 9][n]]));
        list.push(scan([size, [0, 1, 0][n]]));
        list.push(sort([size, [0, 1, 1][n]]));
        list.push(blur([size, [1, 2, 0][n]]));
        list.push(conv2d([size, [3, 1, 5][n]]));
        list.push(matmul([size, [4, 3, 8][n]]));
        list.push(histogram([size, [4, 0, 7][n]]));
        list.push(pool([size, [0, 1, 0][n]]));
        list.push(gelu([size, [0, 1, 3][n]]));
        list.push(gelu([size, 2]));
        list.push(quantize([size, [32, 16, 64][n]]));
        list.push(dequant_q8_0([size, [1, 3, 2][n]]));
        list.push(matvec_q4_0([size, [8, 0, 5][n]]));
        list.push(conv_s8([size, [0, 1, 0][n]]));
        list.push(layer_norm_f16([size, [1, 0, 1][n]]));
        list.push(sobel([size, [0, 1, 0][n]]));
    }
    list
}

/// The faults of a case, everywhere.
fn judge(p: &Case, way: &str, module: &[u8]) -> Vec<String> {
    let overrides = p.values.iter().enumerate().map(|(k, v)| (k.to_string(), f64::from(*v))).collect();
    let options = FrontOptions { overrides, ..FrontOptions::default() };
    let loaded = match frontend::load(module, Lang::Spirv, &options) {
        Ok(l) => l,
        Err(list) => return vec![format!("{} {way} {:?}: {}", p.name, p.values, list[0])],
    };
    let length = match &p.want {
        Want::Words(w) => w.len(),
        Want::Floats(f, _) => f.len(),
    };
    let machines = exec::targets("all").into_iter().map(exec::on);
    let mut failures = Vec::new();
    for (on, opt_level) in std::iter::once(On::Interp).chain(machines).flat_map(|on| [(on, 0), (on, 2)]) {
        let mut d = Dispatch::new([p.groups[0], p.groups[1], 1])
            .with_u32(0, 0, &vec![0xdead_beef; length])
            .with_u32(0, 1, &p.input)
            .with_immediates(p.push.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        let at = format!("{} {way} {:?} {on} -O{opt_level}", p.name, p.values);
        if let Err(problem) = exec::run(&loaded.module, "main", on, &codegen, &mut d, &RunOptions::default()) {
            failures.push(format!("{at}: {problem}"));
            continue;
        }
        let got = d.words(0, 0).expect("bound above");
        let wrong = match &p.want {
            Want::Words(w) => w.iter().zip(&got).position(|(w, g)| w != g).map(|n| format!("{n}: {:#x}", got[n])),
            Want::Floats(f, error) => {
                let near = |(w, g): (&f64, &u32)| (f64::from(f32::from_bits(*g)) - w).abs() <= *error;
                let n = f.iter().zip(&got).position(|pair| !near(pair));
                n.map(|n| format!("{n}: {} and not {}", f32::from_bits(got[n]), f[n]))
            }
        };
        failures.extend(wrong.map(|w| format!("{at}: word {w}")));
    }
    failures
}

#[test]
fn shaders_like_those_that_ship() {
    need!("glslangValidator");
    let optimises = has("spirv-opt");
    let cases = cases();
    let mut modules = std::collections::BTreeMap::new();
    for p in &cases {
        modules.entry(p.name).or_insert_with(|| {
            let source = workspace().join(format!("tests/spirv/real/{}.comp", p.name)).display().to_string();
            let mut ways = Vec::new();
            for (way, flags) in [("plain", &[][..]), ("-g", &["-g"])] {
                let name = format!("real-{}{way}.spv", p.name);
                ways.push((way, glslang(&source, flags, &name).unwrap_or_else(|e| panic!("{e}"))));
            }
            if optimises {
                let input = scratch(&format!("real-{}plain.spv", p.name)).display().to_string();
                let bytes =
                    tool("spirv-opt", &["-O", &input], &format!("real-{}-O.spv", p.name)).expect("it optimises");
                ways.push(("spirv-opt -O", bytes));
            }
            ways
        });
    }
    let failures: Vec<String> = cases
        .par_iter()
        .flat_map_iter(|p| modules[p.name].iter().flat_map(|(way, bytes)| judge(p, way, bytes)).collect::<Vec<_>>())
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
