//! The examples that share workgroup memory, and the longer ones, computed the plain way.

use super::example::{Example, Expected, Words, floats, stream, words};

/// Floats in -1..1 with all bits of their significands in use.
fn unit_floats(seed: u64, n: usize) -> Vec<f32> {
    let mut next = stream(seed);
    (0..n).map(|_| (next() >> 7) as f32 / (1 << 24) as f32 - 1.0).collect()
}

pub(super) fn matmul_tiled() -> Example {
    // No multiple of the tile in any direction.
    let (m, n, k) = (13usize, 10usize, 21usize);
    let a = unit_floats(10, m * k);
    let b = unit_floats(11, k * n);
    let mut values = Vec::new();
    for row in 0..m {
        for col in 0..n {
            values.push((0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[i * n + col])).sum());
        }
    }
    // 21 products below 1 and as many sums below 21, each off by half a unit in the last place at most.
    Example::new(
        "matmul_tiled.wgsl",
        [2, 2],
        vec![words(&[m as u32, n as u32, k as u32]), floats(&a), floats(&b)],
        vec![0; m * n * 4],
        Words::F32 { values, abs: 21.0 * 11.0 * 2f64.powi(-24), rel: 0.0 },
    )
}

pub(super) fn reduction() -> Example {
    let (groups, size, n) = (3usize, 64usize, 500usize);
    let mut next = stream(12);
    let data: Vec<i32> = (0..n).map(|_| next() as i32).collect();
    let mut partial = Vec::new();
    for g in 0..groups {
        let mine = || data.chunks(size).skip(g).step_by(groups).flatten().copied();
        let sum = mine().fold(0i32, i32::wrapping_add);
        let (least, greatest) = (mine().fold(i32::MAX, i32::min), mine().fold(i32::MIN, i32::max));
        partial.extend([sum as u32, least as u32, greatest as u32]);
    }
    Example::new(
        "reduction.wgsl",
        [groups as u32, 1],
        vec![data.iter().flat_map(|v| v.to_le_bytes()).collect()],
        vec![0; groups * 12],
        Words::U32(partial),
    )
}

pub(super) fn scan() -> Example {
    let (block, n) = (128usize, 300usize);
    let mut next = stream(13);
    let data: Vec<u32> = (0..n).map(|_| next()).collect();
    let (mut sums, mut totals) = (Vec::new(), Vec::new());
    for part in data.chunks(block) {
        let mut sum = 0u32;
        for v in part {
            sums.push(sum);
            sum = sum.wrapping_add(*v);
        }
        totals.push(sum);
    }
    let mut e = Example::new("scan.wgsl", [3, 1], vec![words(&data)], vec![0; n * 4], Words::U32(sums));
    e.buffers.push((0, 2, vec![0; 12], true));
    e.expected.push(Expected { group: 0, binding: 2, words: Words::U32(totals) });
    e
}

pub(super) fn histogram() -> Example {
    let mut next = stream(14);
    // Three letters make up half of the text, so that counters are contended; the array is no multiple of the stride.
    let letters: Vec<u8> =
        (0..4 * 230).map(|_| if next() & 1 == 0 { next() as u8 } else { b"eta"[next() as usize % 3] }).collect();
    let mut bins = vec![0u32; 256];
    for &c in &letters {
        bins[usize::from(c)] += 1;
    }
    Example::new("histogram.wgsl", [2, 1], vec![letters], vec![0; 1024], Words::U32(bins))
}

pub(super) fn bitonic() -> Example {
    let (groups, n) = (2usize, 128usize);
    let mut next = stream(15);
    // Among them equal keys, and keys whose sign bit is set.
    let keys: Vec<u32> = (0..groups * n).map(|i| if i % 5 == 0 { next() & 7 } else { next() }).collect();
    let mut sorted = keys.clone();
    sorted.chunks_mut(n).for_each(<[u32]>::sort_unstable);
    Example::new("bitonic.wgsl", [groups as u32, 1], vec![], words(&keys), Words::U32(sorted))
}

pub(super) fn nbody() -> Example {
    let n = 50usize;
    let (time, softening) = (0.0625f32, 0.25f32);
    let at = unit_floats(16, n * 8);
    let mut bodies = at.clone();
    for body in bodies.chunks_mut(8) {
        body[3] = body[3].abs() + 0.5;
        body[7] = 0.0;
    }
    let x = |i: usize, c: usize| f64::from(bodies[i * 8 + c]);
    let mut values = Vec::new();
    for i in 0..n {
        let mut velocity = [x(i, 4), x(i, 5), x(i, 6)];
        for j in 0..n {
            let towards = [0, 1, 2].map(|c| x(j, c) - x(i, c));
            let square = towards.iter().map(|d| d * d).sum::<f64>() + f64::from(softening);
            for c in 0..3 {
                velocity[c] += f64::from(time) * towards[c] * x(j, 3) / (square * square.sqrt());
            }
        }
        values.extend([0, 1, 2].map(|c| x(i, c) + f64::from(time) * velocity[c]));
        values.push(x(i, 3));
        values.extend(velocity);
        values.push(x(i, 7));
    }
    // A body pulls with less than 1.5 * 0.77 / 0.25; `inverseSqrt` is good to 2 ulp, so its cube and the products to some 10, and
    // the 50 terms are summed at a magnitude of at most 230: 50 * (10 * 4.62 + 230) half units, times the step.
    Example::new(
        "nbody.wgsl",
        [2, 1],
        vec![floats(&[time, softening]), floats(&bodies)],
        vec![0; n * 32],
        Words::F32 { values, abs: 50.0 * 277.0 * 2f64.powi(-24) * f64::from(time), rel: 1e-7 },
    )
}

/// The first 32 bits of the fraction of the cube (or square) root of each prime, from integer arithmetic.
fn root_fractions(power: u32, count: usize) -> Vec<u32> {
    let primes = (2u128..).filter(|p| (2..*p).all(|d| p % d != 0)).take(count);
    primes
        .map(|p| {
            // The greatest r with r^power <= p * 2^(32 * power), bit by bit: the low half of r is the fraction.
            let target = p << (32 * power);
            let mut r = 0u128;
            for bit in (0..40).rev() {
                let next = r | 1 << bit;
                if next.pow(power) <= target {
                    r = next;
                }
            }
            r as u32
        })
        .collect()
}

/// SHA-256 of bytes by the letter of FIPS 180-4, with the constants derived as the standard defines them.
pub fn sha256_of(message: &[u8]) -> [u32; 8] {
    let k = root_fractions(3, 64);
    let mut hash: [u32; 8] = root_fractions(2, 8).try_into().unwrap_or_default();
    for block in padded(message).chunks(16) {
        let mut w = block.to_vec();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
            w.push(s1.wrapping_add(w[t - 7]).wrapping_add(s0).wrapping_add(w[t - 16]));
        }
        let mut v = hash;
        for t in 0..64 {
            let [a, b, c, _, e, f, g, h] = v;
            let big1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let big0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let (ch, maj) = (e & f ^ !e & g, a & b ^ a & c ^ b & c);
            let t1 = h.wrapping_add(big1).wrapping_add(ch).wrapping_add(k[t]).wrapping_add(w[t]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(big0).wrapping_add(maj);
        }
        for (h, v) in hash.iter_mut().zip(v) {
            *h = h.wrapping_add(v);
        }
    }
    hash
}

/// A message as big-endian words, with its end marked and its length in bits at the end of the last block of 16.
fn padded(message: &[u8]) -> Vec<u32> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while bytes.len() % 64 != 56 {
        bytes.push(0);
    }
    bytes.extend((message.len() as u64 * 8).to_be_bytes());
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_be_bytes(*b)).collect()
}

pub(super) fn sha256() -> Example {
    // Lengths on both sides of where padding takes another block.
    let mut next = stream(17);
    let mut messages: Vec<Vec<u8>> = vec![b"".to_vec(), b"abc".to_vec()];
    for length in [55, 56, 63, 64, 119, 120, 150, 7, 30] {
        messages.push((0..length).map(|_| next() as u8).collect());
    }
    let (mut first, mut blocks) = (vec![0u32], Vec::new());
    for m in &messages {
        blocks.extend(padded(m));
        first.push((blocks.len() / 16) as u32);
    }
    Example::new(
        "sha256.wgsl",
        [1, 1],
        vec![words(&first), words(&blocks)],
        vec![0; messages.len() * 32],
        Words::U32(messages.iter().flat_map(|m| sha256_of(m)).collect()),
    )
}

pub(super) fn fft() -> Example {
    let (groups, n) = (2usize, 64usize);
    let signal = unit_floats(18, groups * n * 2);
    let mut values = Vec::new();
    for part in signal.chunks(2 * n) {
        for k in 0..n {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..n {
                let angle = -std::f64::consts::TAU * (j * k % n) as f64 / n as f64;
                let (x, y) = (f64::from(part[2 * j]), f64::from(part[2 * j + 1]));
                re += x * angle.cos() - y * angle.sin();
                im += x * angle.sin() + y * angle.cos();
            }
            values.extend([re, im]);
        }
    }
    // Sine and cosine are good to 2^-11. A factor that is off by sqrt(2) * 2^-11 in one of six passes moves half of the
    // points; the norm of the spectrum is below 8 * sqrt(128).
    let abs = 6.0 * std::f64::consts::SQRT_2 / 2048.0 * 0.5 * 8.0 * 128f64.sqrt();
    Example::new(
        "fft.wgsl",
        [groups as u32, 1],
        vec![floats(&signal)],
        vec![0; signal.len() * 4],
        Words::F32 { values, abs, rel: 0.0 },
    )
}
