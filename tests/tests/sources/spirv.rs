//! SPIR-V as compilers write it: the GLSL programs of `tests/spirv`, compiled by glslang in several ways and optimised by
//! spirv-opt, give the results that are computed here; so do the modules that are checked in. What cannot be compiled is
//! refused by the name of its instruction, at its place in the source; damaged modules never break the compiler.
//!
//! Without `glslangValidator`, `spirv-opt` and `spirv-as` (Debian: `glslang-tools`, `spirv-tools`) only what is checked in
//! is run, and the tests say so.

use std::path::PathBuf;

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{has, need, scratch, tool};
use gpucc_ir::{Class, Diagnostic, Module};
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

fn folder() -> PathBuf {
    workspace().join("tests/spirv")
}

/// A module of SPIR-V, which is taken.
#[track_caller]
pub fn lowered(bytes: &[u8]) -> Module {
    let loaded = frontend::load(bytes, Lang::Spirv, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{} {:?}", list[0], list[0].notes)).module
}

pub fn glslang(source: &str, flags: &[&str], name: &str) -> Result<Vec<u8>, String> {
    let args: Vec<&str> = ["-V", "-S", "comp"].iter().chain(flags).copied().chain([source]).collect();
    tool("glslangValidator", &args, name)
}

/// A program with what it is run on and what comes out.
struct Program {
    name: &'static str,
    groups: u32,
    overrides: &'static [(&'static str, f64)],
    input: Vec<u32>,
    output: Vec<u32>,
    /// The second buffer afterwards; `None` is a word that may be anything.
    expected: Vec<Option<u32>>,
}

impl Program {
    /// One workgroup, no overrides, and all words are certain.
    fn of(name: &'static str, input: Vec<u32>, output: Vec<u32>, expected: Vec<u32>) -> Program {
        Program { name, groups: 1, overrides: &[], input, output, expected: expected.into_iter().map(Some).collect() }
    }

    /// Whose output is zeros before, of numbers of any kind.
    fn gives(name: &'static str, input: &[impl Word], expected: Vec<u32>) -> Program {
        Program::of(name, words(input), vec![0; expected.len()], expected)
    }
}

/// A number of a word.
trait Word: Copy {
    fn word(self) -> u32;
}

impl Word for u32 {
    fn word(self) -> u32 {
        self
    }
}

impl Word for i32 {
    fn word(self) -> u32 {
        self as u32
    }
}

impl Word for f32 {
    fn word(self) -> u32 {
        self.to_bits()
    }
}

fn words(list: &[impl Word]) -> Vec<u32> {
    list.iter().map(|x| x.word()).collect()
}

fn flow() -> Program {
    let input = [1, 2, -3, 5, 7, 0, 4, 9, 27, 97, 1023, 12, 31, -8, 64, 100_i32];
    let classify = |x: i32| match x {
        1 => 11,
        2 => 10,
        -3 => 11100,
        5 => 10000,
        7 => -7,
        _ => 11000,
    };
    let first_factor = |n: i32| (2..).take_while(|d| d * d <= n).find(|d| *d != 4 && n % d == 0).unwrap_or(n);
    let walk = |mut n: i32| {
        let mut steps = 0;
        loop {
            match n & 3 {
                0 => n >>= 2,
                2 => n >>= 1,
                3 if n > 1000 => {
                    n -= 3;
                    if n > 1 {
                        continue;
                    }
                    break;
                }
                _ => n = 3 * n + 1,
            }
            steps += 1;
            if steps > 50 || n <= 1 {
                break;
            }
        }
        steps * 1000 + n % 1000
    };
    let nested = |n: i32| {
        let mut sum = 0;
        for i in 0..n {
            let mut j = 0;
            while j <= i {
                if (i ^ j) & 1 == 0 {
                    j += 2;
                    continue;
                }
                sum += i * j;
                j += 1;
                if sum > 500 {
                    return -sum;
                }
            }
            sum ^= i;
        }
        sum
    };
    let of = |&x: &i32| {
        let second = if x & 3 == 2 { 50 } else { 40 };
        [classify(x), second, first_factor(x.abs()), walk(if x < 1 { 1 - x } else { x }), nested(x & 31)]
    };
    Program::gives("flow", &input, input.iter().flat_map(of).map(Word::word).collect())
}

fn pointers() -> Program {
    let mut random = SplitMix64::new(3);
    let a: Vec<u32> = (0..32).map(|_| random.next_u32()).collect();
    let mut expected = Vec::new();
    for i in 0..8 {
        let mut x: Vec<u32> = a[i * 4..i * 4 + 4].to_vec();
        let mut y = [i as u32, [3, 1, 4, 1, 5, 9][(a[i] % 6) as usize]];
        for k in 0..4u32 {
            y[k as usize & 1] ^= x[k as usize];
            x[k as usize] = x[k as usize].rotate_left(a[i].wrapping_add(k) % 31 + 1);
        }
        x.sort_unstable();
        expected.extend(x);
        expected.extend(y);
        expected.push(11);
        let best = (0..4).max_by_key(|&k| (a[i * 4 + k] ^ 0x55, k)).unwrap_or(0);
        expected.push(best as u32);
    }
    Program::of("pointers", a, vec![0; 64], expected)
}

fn matrices() -> Program {
    let mut given: Vec<f32> = (0..96).map(|w| ((w * 7) % 13) as f32).collect();
    given[92] = 2.0;
    // Column and row of a matrix at a word, lines four words apart.
    let get = |at: usize, by_rows: bool, c: usize, r: usize| given[at + if by_rows { r * 4 + c } else { c * 4 + r }];
    let c2 = |c, r| get(0, false, c, r);
    let r2 = |c, r| get(8, true, c, r);
    let c32 = |c, r| get(16, false, c, r);
    let r32 = |c, r| get(28, true, c, r);
    let c4 = |c, r| get(52, false, c, r);
    let r3 = |e: usize, c, r| get(68 + e * 12, true, c, r);
    let mut out: Vec<f32> = Vec::new();
    let square = [(0, 0), (0, 1), (1, 0), (1, 1)];
    out.extend(square.map(|(c, r)| c2(c, r)));
    out.extend(square.map(|(c, r)| r2(c, r)));
    out.extend([0, 1].map(|r| (0..3).map(|c| c32(c, r) * (c + 1) as f32).sum::<f32>()));
    out.extend([0, 1].map(|r| (0..3).map(|c| r32(c, r) * (c + 1) as f32).sum::<f32>()));
    out.extend([0, 1, 2, 3].map(|r| get(36, true, 1, r)));
    out.extend([0, 3].map(|c| c4(c, 0) + 2.0 * c4(c, 2)));
    out.extend([r3(1, 0, 1), r3(1, 2, 0), r3(1, 1, 2), r3(0, 1, 2)]);
    out.push((0..3).map(|j| r3(0, 2, j) * r3(1, 1, j) * r3(1, 1, j)).sum());
    out.push(2.0);
    out.resize(108, 0.0);
    for (c, column) in [[1.0, 2.0, 10.0], [7.0, 8.5, 9.0]].iter().enumerate() {
        (0..3).for_each(|r| out[64 + r * 2 + c] = column[r]);
    }
    for (c, r) in square {
        out[70 + c * 2 + r] = (0..2).map(|j| c2(j, r) * r2(c, j)).sum();
    }
    for (c, r) in (0..16).map(|n| (n / 4, n % 4)) {
        out[76 + r * 4 + c] = c4(c, r);
    }
    (out[76 + 2], out[76 + 8 + 2]) = (-1.0, -2.0);
    for (c, r) in (0..6).map(|n| (n / 2, n % 2)) {
        out[92 + r * 4 + c] = 2.0 * c32(c, r);
        out[100 + r * 4 + c] = c32(c, r);
    }
    out[92 + 4 + 2] = 99.0;
    Program::gives("matrices", &given, words(&out))
}

fn spec(width: usize, scale: i32, flip: bool, bias: f32, overrides: &'static [(&'static str, f64)]) -> Program {
    let input: Vec<f32> = (0..32).map(|i| i as f32 * 0.5).collect();
    let (n, area) = (width * 2, width * 2 + 1);
    let mut out = vec![0.0_f32; 40];
    // The size of the workgroup has the id of the width, and a default of its own: 1.
    let wide = if overrides.is_empty() { 1 } else { width };
    for (i, o) in out.iter_mut().enumerate().take(wide * 2) {
        *o = input[if flip { n - 1 - i } else { i }] * scale as f32 + bias;
    }
    out[32] = ((scale * 7) / 2 + area as i32) as f32;
    out[33] = if area > 12 && !flip { 1.0 } else { 2.0 };
    out[34] = (area * 10 + width) as f32;
    out[35] = (wide * 100 + 21) as f32;
    out[36] = 1000.0 + bias;
    Program { overrides, ..Program::gives("spec", &input, words(&out)) }
}

fn atomics() -> Program {
    let mut random = SplitMix64::new(8);
    let a: Vec<u32> = (0..32).map(|_| random.below(1000) as u32).collect();
    let mut output = vec![0u32; 26];
    (output[10], output[11]) = (u32::MAX, u32::MAX);
    (output[16], output[17]) = (i32::MAX as u32, i32::MIN as u32);
    let (sum, low, high) = (a.iter().sum::<u32>(), a.iter().min().unwrap_or(&0), a.iter().max().unwrap_or(&0));
    let mut e: Vec<u32> = (0..8).map(|b| a.iter().filter(|x| *x & 7 == b).count() as u32).collect();
    e.extend([sum, *high, *low, 0, u32::MAX, a.iter().fold(0, |x, y| x ^ y), 77, sum]);
    e.extend([*low as i32 - 400, -(*low as i32), -496, (*low as i32 - 500).min(1000)].map(|x| x as u32));
    e.extend([u32::MAX, 6, 0, 0, 0, 5]);
    Program::of("atomics", a, output, e)
}

fn bits() -> Program {
    let mut random = SplitMix64::new(5);
    let mut input = vec![0, 1, -1, 7, -7, 0x7fff_ffff, 100_000_007, -16_777_217];
    input.extend((0..8).map(|_| random.next_u32() as i32 | 1));
    let of = |&x: &i32| {
        let u = x as u32;
        let msb = |u: u32| 31 - u.leading_zeros() as i32;
        let (sum, carry) = u.overflowing_add(0xffff_fff0);
        let (dif, borrow) = u.overflowing_sub(12);
        let wide = u64::from(u) * 0x10001;
        let product = i64::from(x) * -77;
        let high = (product >> 32) as i32;
        [
            x << 20 >> 23,
            (u >> 3 & 0x1ff) as i32,
            x & !(63 << 4) | 5 << 4,
            if x == 0 { -1 } else { x.trailing_zeros() as i32 },
            msb(if x < 0 { !u } else { u }),
            msb(u),
            u.count_ones() as i32,
            u.reverse_bits() as i32,
            x >> 5,
            (u >> 5) as i32,
            x / 7,
            (u / 7) as i32,
            (u % 1000) as i32,
            (x & 0x7fff_ffff) % 16_777_259,
            x.min(-5).wrapping_add(x.max(9)),
            u.min(77) as i32,
            x.clamp(-100, 100) + x.signum(),
            x.abs(),
            (sum ^ u32::from(carry) ^ dif ^ u32::from(borrow) << 3) as i32,
            (((wide >> 32) as u32 ^ wide as u32) as i32)
                .wrapping_add(high.wrapping_mul(3))
                .wrapping_add(product as i32),
        ]
    };
    Program::gives("bits", &input, input.iter().flat_map(of).map(Word::word).collect())
}

fn vectors() -> Program {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let input = [
        [1.0, 2.0, 3.0, 4.0],
        [4.0, 3.0, 2.0, 1.0],
        [-1.5, 9.0, -9.0, 1.5],
        [nan, 1.0, 2.0, 3.0],
        [2.0, nan, 5.0, -2.0],
        [0.5, inf, 1.0, 2.0],
        [-inf, 2.0, 2.0, 7.0],
        [10.0, 20.0, -30.0, 40.0],
    ];
    let mut expected = Vec::new();
    for (i, v) in input.iter().enumerate() {
        let w = [v[3], v[2], v[1], v[0]];
        let truth = |b: bool| f32::from(u8::from(b));
        let lanes = |f: &dyn Fn(usize) -> f32| [0, 1, 2, 3].map(f);
        let mut rows = vec![lanes(&|k| if v[k] < w[k] { w[k] } else { v[k] })];
        let mut picked = *v;
        picked[i & 3] = v[(i + 1) & 3] + v[i & 3];
        rows.push(picked);
        let (x, y) = (v[0] * 2.0, v[1] * 2.0);
        rows.push([x, y, x + y, x + v[2]]);
        rows.push([
            truth((0..4).any(|k| v[k] < w[k])),
            truth(v.iter().all(|x| *x <= 9.0)),
            truth(v.iter().any(|x| x.is_nan())),
            truth(!v.iter().any(|x| x.is_infinite())),
        ]);
        let c = [0, 1, 2, 3].map(|k| (v[k] as i32).wrapping_sub([1, -2, 3, -4][k]));
        let whole = v.iter().all(|x| x.is_finite());
        let x = v[0];
        expected.extend(rows.into_iter().flatten().map(|x| Some(x.to_bits())));
        expected.extend(c.map(|c| whole.then(|| (c as f32 + (c.unsigned_abs() >> 1) as f32).to_bits())));
        let fifth = if x.is_nan() || x < 1.0 { 3.0 } else { 4.0 };
        let last = if x.is_nan() {
            -1.0
        } else if x == 2.0 {
            5.0
        } else {
            6.0
        };
        let less = x.partial_cmp(&1.0) == Some(std::cmp::Ordering::Less);
        expected.extend([truth(!less), fifth, truth(x.is_nan()), last].map(|x| Some(x.to_bits())));
    }
    Program { expected, ..Program::of("vectors", words(input.as_flattened()), vec![0; 8 * 6 * 4], Vec::new()) }
}

fn layouts() -> Program {
    // The size of a block is a multiple of its alignment.
    let mut input = vec![0u32; 116];
    let mut output = vec![0u32; 132];
    let item = |i: usize| {
        let w = 1.5 + i as f32;
        let inner = [w + 1.0, w + 2.0, w + 3.0, w * 8.0].map(f32::to_bits);
        ([w.to_bits()], inner, [i as u32 * 3, 77 + i as u32], [w * 2.0, w * 3.0, w * 4.0], (i & 1) as u32)
    };
    for i in 0..4 {
        let (w, inner, id, tail, flag) = item(i);
        let at = i * 28;
        input[at] = w[0];
        input[at + 4..at + 8].copy_from_slice(&inner);
        input[at + 8..at + 10].copy_from_slice(&id);
        (0..3).for_each(|k| input[at + 12 + k * 4] = tail[k].to_bits());
        input[at + 24] = flag;
    }
    input[112] = 3;
    let before = output.clone();
    output[0] = 8 + 3;
    for i in 0..4 {
        let (w, inner, id, mut tail, flag) = item(i);
        let at = 4 + (3 - i) * 16;
        output[at] = w[0];
        let double = |k: usize| (f32::from_bits(inner[k]) * 2.0).to_bits();
        output[at + 4..at + 8].copy_from_slice(&[double(2), double(0), double(1), inner[3]]);
        output[at + 8..at + 10].copy_from_slice(&id);
        tail[1] += f32::from_bits(w[0]);
        (0..3).for_each(|k| output[at + 12 + k] = tail[k].to_bits());
        output[at + 15] = 1 - flag;
        for (slot, from) in [(i, (i + 1) & 3), (4 + i, i ^ 1)] {
            let (_, inner, id, ..) = item(from);
            output[68 + slot * 8..68 + slot * 8 + 4].copy_from_slice(&inner);
            output[68 + slot * 8 + 4..68 + slot * 8 + 6].copy_from_slice(&id);
        }
    }
    Program::of("layouts", input, before, output)
}

fn math() -> Program {
    let input = [1.5, -2.25, 4.0, 0.25_f32];
    let half = |x: f32| u32::from(gpucc_num::convert::f32_to_f16(gpucc_num::Round::Nearest, x));
    let unorm = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u32;
    let split = |x: f32| {
        let e = x.abs().log2().floor() as i32 + 1;
        (x / 2.0_f32.powi(e), e as f32)
    };
    let of = |&x: &f32| {
        let (m, e) = split(x);
        let even = (x as f64).round_ties_even() as f32;
        let face = if x < 0.0 { 2.0 } else { -2.0 };
        [
            x.fract(),
            x.trunc(),
            m,
            e,
            x * 8.0,
            x - 4.0 * (x / 4.0).floor(),
            even + x.trunc() * 16.0 + x.floor() * 256.0 + x.ceil() * 4096.0,
            f32::from_bits(half(x) | half(-x) << 16),
            -19.0,
            f32::from_bits(unorm(1.0) << 8 | unorm(x) << 16 | unorm(-x) << 24 | 0x4000_0000),
            8.0,
            52.0,
            x * 4.0 + 400.0,
            x * 4.0 + 28.0,
            -3.0 + 8.0 * (12.0 - 6.0 * x) + 64.0 * (5.0 * x - 8.0),
            f32::from(u8::from(x >= 2.0)) + x.clamp(-1.0, 1.0) * 8.0 + x.signum() * 64.0,
            face,
            4.75 + x.max(1.0) * 16.0 + x.min(1.0) * 256.0,
            -1.0 + (x * 2.0 + 1.0) * 4.0,
            12.0,
        ]
    };
    Program::gives("math", &input, input.iter().flat_map(of).map(f32::to_bits).collect())
}

fn reduce() -> Program {
    let a: Vec<f32> = (0..64).map(|i| ((i * 37) % 19) as f32 - 4.0).collect();
    let mut out = vec![0.0_f32; 72];
    for g in 0..2 {
        let mut sum = 0.0;
        for i in 0..32 {
            sum += a[g * 32 + i];
            out[8 + g * 32 + i] = sum;
        }
        out[g] = sum;
    }
    Program { groups: 2, ..Program::gives("reduce", &[&[16], &words(&a)[..]].concat(), words(&out)) }
}

/// `dot.spv` and `edges.spv` are assembled from the texts beside them.
fn dot() -> Program {
    let mut random = SplitMix64::new(21);
    let mut input: Vec<u32> = (0..24).map(|_| random.next_u32()).collect();
    input.extend([
        0x7f7f_7f7f,
        0x7f7f_7f7f,
        0x7fff_ffff,
        0x8080_8080,
        0x7f7f_7f7f,
        0x8000_0000,
        u32::MAX,
        u32::MAX,
        u32::MAX,
    ]);
    let expected = input.chunks(3).flat_map(|c| {
        let signed = |w: u32| w.to_le_bytes().map(|b| i32::from(b as i8));
        let plain = |w: u32| w.to_le_bytes().map(i32::from);
        let sum = |a: [i32; 4], b: [i32; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i32>();
        let (s, u, m) =
            (sum(signed(c[0]), signed(c[1])), sum(plain(c[0]), plain(c[1])) as u32, sum(signed(c[0]), plain(c[1])));
        let acc = c[2] as i32;
        [s as u32, u, m as u32, s.saturating_add(acc) as u32, u.saturating_add(c[2]), m.saturating_add(acc) as u32]
    });
    let expected: Vec<u32> = expected.collect();
    Program { groups: (input.len() / 3) as u32, ..Program::gives("dot", &input, expected) }
}

fn edges() -> Program {
    let input: Vec<u32> = [1.0_f32, 2.0, f32::NAN, -0.5, 3.0].iter().map(|x| x.to_bits()).chain([0, 1, 2, 3]).collect();
    // Comparisons of each number with 1.0, six bits; then a loop with a switch whose default continues the loop.
    let mut expected: Vec<u32> = Vec::new();
    for &x in &[1.0_f32, 2.0, f32::NAN, -0.5, 3.0] {
        let nan = x.is_nan();
        let list =
            [nan || x == 1.0, nan || x < 1.0, nan || x > 1.0, nan || x <= 1.0, nan || x >= 1.0, !nan && x != 1.0];
        expected.push(list.iter().enumerate().map(|(n, b)| u32::from(*b) << n).sum());
    }
    for n in 0..4u32 {
        // 0 adds 10, 2 adds 100, the others only count; five times from n.
        expected.push(
            (n..n + 5)
                .map(|k| match k {
                    0 => 11,
                    2 => 101,
                    _ => 1,
                })
                .sum(),
        );
    }
    Program::gives("edges", &input, expected)
}

fn leaving() -> Program {
    let input = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 17, 18, 19, 20, 44, 0xffff_fffd_u32];
    let first = |x: u32| {
        let (mut i, mut s) = (0, 0u32);
        let inner = x >> 3 & 3;
        while i < 10 {
            s = match x.wrapping_add(i) & 7 {
                0 => s + 10,
                1 => return (s * 3, i),
                2 if inner == 1 => return (s + 1000, i),
                2 if inner == 2 && x == 18 => return (s + 2000, i),
                2 => s + 7,
                3 => return (s, i),
                4 if x > 40 => return (5555, i),
                4 => s,
                _ => s + 1,
            };
            i += 1;
        }
        (s, i)
    };
    let second = |x: u32| (0..8).take_while(|j| (x ^ j) & 3 != 2).map(|j| j * j + 1).sum();
    Program::gives("leaving", &input, input.iter().flat_map(|&x| [first(x).0, first(x).1, second(x)]).collect())
}

fn given() -> Program {
    let input: Vec<u32> = (0..16).map(|n| n * n + 3).collect();
    let output = vec![100, 0, 0, 0, 0, 0, 1, 2, 3, 4];
    let of = |k: usize| input.iter().enumerate().filter(|(n, _)| n & 3 == k & 3).map(|(_, x)| x).sum::<u32>();
    let all: u32 = input.iter().sum();
    // The contents of workgroup memory at the end: an element has what was added to it and to the one before it.
    let mut expected = vec![100 + all];
    expected.extend((0..4).map(|k| of(k) + of(k + 3)));
    expected.push(all);
    expected.extend((0..4).map(|k| of(k) + 1 + k as u32));
    Program::of("given", input, output, expected)
}

fn sums() -> Program {
    let input: Vec<u32> =
        std::iter::once(20).chain((0..20u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> (31 - k))).collect();
    let a = &input[1..];
    let mut out = vec![7, 3, 0xabcd, 0, 0, 0x5555, 0x100, 0xffff_0000, 0, 1000, 2000];
    let n = a.iter().fold(0u32, |n, x| n.wrapping_add(*x));
    let x = a.iter().fold(1u32, |x, a| x.wrapping_mul(3) ^ a);
    let c = a.iter().filter(|x| *x % 3 == 0).count() as u32;
    let k = a.iter().take_while(|x| **x < 1000).count() as u32;
    let before = out.clone();
    out[0] += n;
    let low = a.iter().map(|x| x & 0xff);
    let end = low.clone().position(|x| x == 0xfe).map_or(a.len(), |at| at + 1);
    out[1] = out[1].max(low.take(end).max().unwrap_or(0));
    (out[3], out[2]) = (out[2], x);
    out[4] = 5;
    let s = if c == 5 { c + 7 } else { 5 };
    out[5] ^= x;
    out[6] |= c;
    out[7] = out[7].min(n);
    out[8] = s & (0xff - c);
    out[if k > 2 { 9 } else { 10 }] += k;
    Program::of("sums", input, before, out)
}

fn programs() -> Vec<Program> {
    vec![
        flow(),
        pointers(),
        matrices(),
        spec(4, -3, false, 0.5, &[]),
        spec(6, 2, true, 0.25, &[("WIDTH", 6.0), ("1", 2.0), ("FLIP", 1.0), ("3", 0.25)]),
        atomics(),
        bits(),
        vectors(),
        layouts(),
        math(),
        reduce(),
        sums(),
    ]
}

/// The faults in the results of a module, everywhere.
fn judge(p: &Program, what: &str, bytes: &[u8], levels: &[u8]) -> Vec<String> {
    let overrides = p.overrides.iter().map(|o| (o.0.to_string(), o.1)).collect();
    // Without names the ids do.
    let options = FrontOptions { overrides, ..FrontOptions::default() };
    let loaded = match frontend::load(bytes, Lang::Spirv, &options) {
        Ok(l) => l,
        Err(list) => return vec![format!("{} {what}: {}", p.name, list[0])],
    };
    let entry = loaded.module.entries[0].name.clone();
    let machines = exec::targets("all").into_iter().map(exec::on);
    let mut failures = Vec::new();
    for (on, opt_level) in
        std::iter::once(On::Interp).chain(machines).flat_map(|on| levels.iter().map(move |l| (on, *l)))
    {
        let mut d = Dispatch::new([p.groups, 1, 1]).with_u32(0, 0, &p.input).with_u32(0, 1, &p.output);
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        let at = format!("{} {what} {on} -O{opt_level}", p.name);
        match exec::run(&loaded.module, &entry, on, &codegen, &mut d, &RunOptions::default()) {
            Err(problem) => failures.push(format!("{at}: {problem}")),
            Ok(_) => {
                let words = d.words(0, 1).expect("bound above");
                let same = |(got, want): (&u32, &Option<u32>)| match *want {
                    Some(want) => {
                        let (a, b) = (f32::from_bits(*got), f32::from_bits(want));
                        // Zeros of both signs are one value to WGSL and to us.
                        *got == want || a.is_nan() && b.is_nan() || a == 0.0 && b == 0.0
                    }
                    None => true,
                };
                if let Some(n) = words.iter().zip(&p.expected).position(|pair| !same(pair)) {
                    let want = p.expected[n].unwrap_or(0);
                    failures.push(format!("{at}: word {n} is {:#x}, not {want:#x}", words[n]));
                }
            }
        }
    }
    failures
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Ways to compile GLSL.
const WAYS: &[(&str, &[&str])] = &[
    ("plain", &[]),
    ("-g", &["-g"]),
    ("-gVS", &["-gVS"]),
    ("vulkan1.1", &["--target-env", "vulkan1.1"]),
    ("vulkan1.3 -g", &["--target-env", "vulkan1.3", "-g"]),
];

#[test]
fn glslang_and_spirv_opt() {
    need!("glslangValidator");
    let optimises = has("spirv-opt");
    let programs = programs();
    let jobs: Vec<(usize, usize)> = (0..programs.len()).flat_map(|p| (0..WAYS.len()).map(move |w| (p, w))).collect();
    let failures: Vec<String> = jobs
        .par_iter()
        .flat_map_iter(|&(p, way)| {
            let (p, (what, flags)) = (&programs[p], WAYS[way]);
            let source = folder().join(format!("{}.comp", p.name));
            let name = format!("{}-{}-{way}.spv", p.name, p.overrides.len());
            let bytes = glslang(&source.display().to_string(), flags, &name).expect("glslang takes our programs");
            let mut failures = judge(p, what, &bytes, if way == 0 { &[0, 2] } else { &[2] });
            // An optimiser keeps what is for debuggers as it can; one such variant and the newest version are enough.
            if optimises && what != "-gVS" && what != "-g" {
                for level in ["-O", "-Os"] {
                    let input = scratch(&name).display().to_string();
                    let bytes = tool("spirv-opt", &[level, &input], &format!("{name}{level}")).expect("it optimises");
                    failures.append(&mut judge(p, &format!("{what} spirv-opt {level}"), &bytes, &[2]));
                }
            }
            failures
        })
        .collect();
    report(&failures);
}

/// Modules of the repository: `tests/spirv/README.md` says how each was made.
fn checked_in() -> Vec<(Program, Vec<u8>)> {
    let list = [flow(), matrices(), spec(4, -3, false, 0.5, &[]), dot(), edges(), leaving(), given(), sums()];
    let read = |p: Program| {
        let bytes = std::fs::read(folder().join(format!("{}.spv", p.name))).expect("a module that is checked in");
        (p, bytes)
    };
    list.into_iter().map(read).collect()
}

#[test]
fn modules_of_the_repository() {
    let failures: Vec<String> =
        checked_in().par_iter().flat_map_iter(|(p, bytes)| judge(p, "checked in", bytes, &[0, 2])).collect();
    report(&failures);
}

/// All entry points of a module in one container: each runs on what the one before it left.
#[test]
fn entries_that_share_code_and_memory() {
    let bytes = std::fs::read(folder().join("entries.spv")).expect("a module that is checked in");
    let module = lowered(&bytes);
    let input: Vec<u32> = (0..64).map(|n| n * 12345 + 7).collect();
    let mix = |a: u32| (a ^ a >> 7).wrapping_mul(0x9e37_79b9);
    let mut steps = vec![("fill", 8, input.iter().map(|&a| mix(a)).collect::<Vec<u32>>())];
    let turned = |w: &[u32]| w.chunks(32).flat_map(|c| c.iter().rev().map(|&a| mix(a))).collect::<Vec<u32>>();
    steps.push(("turn", 2, turned(&steps[0].2)));
    for name in ["sum", "again"] {
        let mut words = steps[1].2.clone();
        words[31] = words[..31].iter().fold(0, |s, &w| s.wrapping_add(w));
        steps.push((name, 1, words));
    }
    let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, steps.iter().map(|s| s.0).collect::<Vec<_>>());
    let options = RunOptions::default();
    let mut places: Vec<(String, Option<gpucc::Artifact>)> = vec![("interp".into(), None)];
    for target in exec::targets("all") {
        let artifact = gpucc::compile(&module, &gpucc::Options::new(target)).expect("code");
        assert_eq!(artifact.container().entries.len(), 4, "{target}");
        places.push((target.to_string(), Some(artifact)));
    }
    for (place, artifact) in &places {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &input).with_u32(0, 1, &[0; 64]);
        for (name, groups, expected) in &steps {
            d.grid = [*groups, 1, 1];
            match artifact {
                Some(a) => {
                    gpucc_machines::run(a.container(), Some(name), &mut d, &options)
                        .unwrap_or_else(|t| panic!("{place} {name}: {t}"));
                }
                None => {
                    exec::run(&module, name, On::Interp, &CodegenOptions::default(), &mut d, &options)
                        .unwrap_or_else(|t| panic!("{place} {name}: {t}"));
                }
            }
            assert_eq!(d.words(0, 1).as_ref(), Some(expected), "{place} {name}");
        }
    }
}

/// Comparisons at any level, the extent of arrays, and arrays of textures are taken.
#[test]
fn asked_of_textures_and_taken() {
    need!("glslangValidator");
    let cases = [
        ("uniform sampler2DShadow t;", "textureLod(t, vec3(i), 0.0)"),
        ("uniform sampler2DArray t;", "textureSize(t, 0).y"),
        ("uniform sampler2DArray t;", "textureSize(t, 0).yx.x"),
        ("uniform sampler3D t;", "textureSize(t, 0).z"),
        ("uniform samplerCubeArrayShadow t;", "textureGather(t, vec4(i), 0.5).x"),
        ("uniform sampler2D t[3];", "textureLod(t[1], vec2(i), 0.0).x"),
        ("uniform sampler2DShadow t;", "textureLod(t, vec3(i), float(i))"),
        ("uniform sampler2DShadow t;", "textureGrad(t, vec3(i), vec2(i), vec2(0))"),
        ("uniform sampler2DArray t;", "textureSize(t, 0).z"),
        ("uniform sampler2DArray t;", "textureSize(t, 0) == ivec3(4)"),
    ];
    for (n, (declared, body)) in cases.iter().enumerate() {
        let source = format!(
            "#version 450\nlayout(std430, binding = 1) buffer Out {{ uint o[]; }};\nlayout(binding = 2) {declared}\n\
             void main() {{\n    uint i = gl_GlobalInvocationID.x;\n    o[i] = uint({body});\n}}\n"
        );
        lowered(&gpucc_glsl::module(&format!("taken{n}.comp"), "vulkan1.1", &source));
    }
}

/// The fault of a source, and where that is said to be.
fn refusal(source: &str, flags: &[&str], name: &str) -> (Diagnostic, Option<(String, u32)>) {
    let path = scratch(&format!("{name}.comp"));
    std::fs::write(&path, source).expect("a file");
    let bytes = glslang(&path.display().to_string(), flags, &format!("{name}.spv")).expect("GLSL that glslang takes");
    let list = frontend::load(&bytes, Lang::Spirv, &FrontOptions::default()).expect_err("it is not supported");
    let first = list[0].clone();
    let files = frontend::source_files(&bytes, Lang::Spirv);
    let place = first.labels.iter().find(|l| l.span.is_known()).and_then(|l| {
        let file = files.first()?;
        let line = file.lines().partition_point(|&start| start <= l.span.start);
        Some((file.name().to_string(), line as u32))
    });
    (first, place)
}

#[test]
fn refused_by_name_at_its_place() {
    need!("glslangValidator");
    let shader = |extensions: &str, declarations: &str, body: &str| {
        let head: String = extensions.split_whitespace().map(|e| format!("#extension {e} : require\n")).collect();
        format!(
            "#version 450\n{head}layout(local_size_x = 8) in;\nlayout(std430, binding = 1) buffer Out {{ uint o[]; }};\n\
             {declarations}\nvoid main() {{\n    uint i = gl_LocalInvocationIndex;\n    {body}\n}}\n"
        )
    };
    // Extensions, declarations, body; the name; whether it is said where (glslang places no variables).
    let cases = [
        (
            "GL_NV_shader_subgroup_partitioned",
            "",
            "o[i] = subgroupPartitionNV(i).x;",
            "`OpGroupNonUniformPartitionEXT`",
            true,
        ),
        ("GL_EXT_shader_realtime_clock", "", "o[i] = clockRealtime2x32EXT().x;", "`OpReadClockKHR`", true),
    ];
    for (n, (extensions, declarations, body, name, placed)) in cases.iter().enumerate() {
        let source = shader(extensions, declarations, body);
        for flags in [&["--target-env", "vulkan1.1", "-g"][..], &["--target-env", "vulkan1.2", "-gVS"]] {
            let (found, place) = refusal(&source, flags, &format!("refused{n}"));
            assert_eq!(found.class, Class::Unsupported, "{name}: {found}");
            assert!(found.message.contains(name), "{name}: {found}");
            if *placed {
                let wanted = scratch(&format!("refused{n}.comp")).display().to_string();
                let (file, line) = place.unwrap_or_else(|| panic!("{name} has no place: {found:?}"));
                let text = source.lines().nth(line as usize - 1).unwrap_or("");
                assert_eq!(file, wanted);
                assert!(!text.trim().is_empty(), "{name} at line {line}");
                assert!(text.contains(body), "{name} is said to be at `{text}`");
            }
        }
    }
}

/// A pointer that is chosen and given to a function, and loops left from inside of many switches.
#[test]
fn chosen_pointers_and_deep_switches() {
    need!("spirv-as");
    let read = |name: &str| std::fs::read_to_string(folder().join(name)).expect("a text that is checked in");
    // A pointer that is chosen.
    let given = read("given.spvasm")
        .replace("%bp1 = OpAccessChain %pWu %bp %b2", "%bp1 = OpSelect %pWu %true %bp0 %bp0")
        .replace("%void = OpTypeVoid", "%void = OpTypeVoid\n%bool = OpTypeBool\n%true = OpConstantTrue %bool");
    // A loop that is left from inside of that many switches.
    let nested = |depth: usize| {
        let leaving = read("leaving.spvasm");
        let (head, _) = leaving.split_once("         %xi = ").expect("the first switch");
        let mut text = head.to_string();
        for n in 0..depth {
            text += &format!("OpSelectionMerge %z{n} None\nOpSwitch %x %z{n} 1 %y{n}\n%y{n} = OpLabel\n");
        }
        text += "OpBranch %m\n";
        for n in (1..depth).rev() {
            text += &format!("%z{n} = OpLabel\nOpBranch %z{}\n", n - 1);
        }
        text += "%z0 = OpLabel\n%s1 = OpIAdd %u %s %n7\nOpBranch %c\n%c = OpLabel\n%i1 = OpIAdd %u %i %n1\nOpBranch %h\n\
            %m = OpLabel\nOpReturn\nOpFunctionEnd\n";
        text
    };
    for (name, text) in [("given-chosen", given), ("nested8", nested(8)), ("nested33", nested(33))] {
        lowered(&gpucc_glsl::assembled(name, "spv1.3", &text));
    }
}

/// The line table of code made from SPIR-V names lines of the GLSL source.
#[test]
fn line_tables_name_the_glsl_source() {
    need!("glslangValidator");
    for (n, (flags, lines)) in [(&["-g"][..], true), (&["-gVS"], true), (&["-g0"], false)].into_iter().enumerate() {
        let source = folder().join("bits.comp");
        let bytes = glslang(&source.display().to_string(), flags, &format!("lines{n}.spv")).expect("a module");
        let module = lowered(&bytes);
        let text = std::fs::read_to_string(&source).expect("the source");
        for target in exec::targets("all") {
            let artifact = gpucc::compile(&module, &gpucc::Options::new(target)).expect("code");
            let table = &artifact.container().entries[0].lines;
            assert_eq!(!table.is_empty(), lines, "{target} {flags:?}");
            let named = |words: &str| {
                let line = text.lines().position(|l| l.contains(words)).expect("a line of the source") as u32 + 1;
                table.iter().any(|l| l.line == line)
            };
            assert!(!lines || named("bitfieldReverse(u)") && named("x / 7;"), "{target} {flags:?}: {table:?}");
        }
    }
}

/// The event that must not happen, if it does.
fn broken(bytes: &[u8]) -> Option<String> {
    let options = FrontOptions::default();
    match frontend::load(bytes, Lang::Spirv, &options) {
        Ok(loaded) => {
            let verified = gpucc_ir::verify::verify_module(&loaded.module);
            verified.err().map(|list| list[0].to_string())
        }
        Err(list) => list.iter().find(|d| d.class == Class::Internal).map(ToString::to_string),
    }
}

/// Every bit of a small module, and some of larger ones.
#[test]
fn damaged_modules() {
    let modules = checked_in();
    let mut jobs: Vec<(usize, usize)> = Vec::new();
    for (n, (p, bytes)) in modules.iter().enumerate() {
        let step = if p.name == "dot" { 1 } else { 1 + bytes.len() * 8 / 1500 };
        jobs.extend((0..bytes.len() * 8).step_by(step).map(|bit| (n, bit)));
    }
    let failures: Vec<String> = jobs
        .par_iter()
        .filter_map(|&(n, bit)| {
            let mut bytes = modules[n].1.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let start = std::time::Instant::now();
            let found = broken(&bytes);
            let slow = start.elapsed().as_secs() > 20;
            let found = found.or_else(|| slow.then(|| format!("took {:?}", start.elapsed())));
            found.map(|why| format!("{} bit {bit}: {why}", modules[n].0.name))
        })
        .collect();
    report(&failures);
    // Words exchanged, doubled, taken out, and the end cut off.
    let mut random = SplitMix64::new(4);
    for _ in 0..1500 {
        let (p, bytes) = &modules[random.below(modules.len() as u64) as usize];
        let mut words: Vec<[u8; 4]> = bytes.chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]]).collect();
        let mut pick = || random.below(words.len() as u64) as usize;
        let (a, b, kind) = (pick(), pick(), pick() % 4);
        match kind {
            0 => words.swap(a, b),
            1 => words.insert(a, words[b]),
            2 => {
                words.remove(a);
            }
            _ => words.truncate(a),
        }
        let found = broken(&words.concat());
        assert!(found.is_none(), "{} {kind} {a} {b}: {found:?}", p.name);
    }
}
