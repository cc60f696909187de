//! The example programs: inputs, and results computed here in plain Rust, independently of the compiler.

mod example;
pub mod parallel;

use example::stream;
pub use example::{Example, Expected, Words, floats, words};

/// Floats in -8..8 on a grid of 1/64: products and short sums of them are exact in f32.
fn small_floats(seed: u64, n: usize) -> Vec<f32> {
    let mut next = stream(seed);
    (0..n).map(|_| ((next() & 1023) as f32 - 512.0) / 64.0).collect()
}

/// All example runs.
pub fn all() -> Vec<Example> {
    vec![
        vecadd(),
        saxpy(),
        collatz(),
        mandelbrot(),
        life(),
        matmul(),
        blur(),
        pi(),
        parallel::matmul_tiled(),
        parallel::reduction(),
        parallel::scan(),
        parallel::histogram(),
        parallel::bitonic(),
        parallel::nbody(),
        parallel::sha256(),
        parallel::fft(),
    ]
}

fn vecadd() -> Example {
    // 100 elements: the last of the two workgroups is partly idle.
    let n = 100;
    let mut next = stream(1);
    let a: Vec<u32> = (0..n).map(|_| next()).collect();
    let b: Vec<u32> = (0..n).map(|_| next()).collect();
    let c: Vec<u32> = a.iter().zip(&b).map(|(x, y)| x.wrapping_add(*y)).collect();
    Example::new("vecadd.wgsl", [2, 1], vec![words(&a), words(&b)], vec![0; n * 4], Words::U32(c))
}

fn saxpy() -> Example {
    let n = 300usize;
    let x = small_floats(2, n);
    let y = small_floats(3, n);
    let alpha = 1.75f32;
    // On this grid alpha * x + y is exact, so fused or not makes no difference.
    let values = x.iter().zip(&y).map(|(x, y)| f64::from(alpha) * f64::from(*x) + f64::from(*y)).collect();
    let params = [words(&[n as u32, 128]), floats(&[alpha]), vec![0; 4]].concat();
    Example::new("saxpy.wgsl", [2, 1], vec![params, floats(&x)], floats(&y), Words::F32 { values, abs: 0.0, rel: 0.0 })
}

fn collatz() -> Example {
    let mut next = stream(4);
    let mut start: Vec<u32> = (0..60).collect();
    start.extend((0..68).map(|_| next() % 100_000));
    let count = |first: u32| {
        let (mut n, mut c) = (u64::from(first), 0u32);
        while n > 1 {
            if n % 2 == 0 {
                n /= 2;
            } else if n >= 0x5555_5555 {
                return u32::MAX;
            } else {
                n = 3 * n + 1;
            }
            c += 1;
        }
        c
    };
    let steps = start.iter().map(|&s| count(s)).collect();
    Example::new("collatz.wgsl", [2, 1], vec![words(&start)], vec![0; 128 * 4], Words::U32(steps))
}

/// `mandelbrot.wgsl`.
pub fn mandelbrot() -> Example {
    let (w, h, limit) = (20u32, 12u32, 64u32);
    // Origin and step are dyadic; the iteration itself rounds, so the expectation is the f32 recurrence itself in
    // the order the shader writes it. Contraction could move a count on the boundary: the view avoids such points
    // (checked here by running the recurrence in f64 as well and requiring the same counts).
    let (ox, oy, sx, sy) = (-2.0f32, -1.25f32, 0.15625f32, 0.21875f32);
    let mut image = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let (cx, cy) = (ox + x as f32 * sx, oy + y as f32 * sy);
            let (mut zx, mut zy, mut n) = (0f32, 0f32, 0);
            while n < limit {
                let (qx, qy) = (zx * zx, zy * zy);
                if qx + qy > 4.0 {
                    break;
                }
                (zx, zy) = (qx - qy + cx, 2.0 * zx * zy + cy);
                n += 1;
            }
            image.push(n);
        }
    }
    let view = [words(&[w, h, limit, 0]), floats(&[ox, oy, sx, sy])].concat();
    Example::new("mandelbrot.wgsl", [3, 2], vec![view], vec![0; (w * h * 4) as usize], Words::U32(image))
}

fn life() -> Example {
    let (w, h) = (19usize, 13usize);
    let mut next = stream(5);
    let now: Vec<u32> = (0..w * h).map(|_| next() & 1).collect();
    let mut then = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let mut n = 0;
            for (dx, dy) in [(w - 1, h - 1), (0, h - 1), (1, h - 1), (w - 1, 0), (1, 0), (w - 1, 1), (0, 1), (1, 1)] {
                n += now[(y + dy) % h * w + (x + dx) % w];
            }
            then.push(u32::from(n == 3 || n == 2 && now[y * w + x] == 1));
        }
    }
    Example::new(
        "life.wgsl",
        [3, 2],
        vec![words(&[w as u32, h as u32]), words(&now)],
        vec![0; w * h * 4],
        Words::U32(then),
    )
}

fn matmul() -> Example {
    let (m, n, k) = (10usize, 13usize, 17usize);
    let mut next = stream(6);
    let a: Vec<i32> = (0..m * k).map(|_| next() as i32).collect();
    let b: Vec<i32> = (0..k * n).map(|_| next() as i32).collect();
    let mut c = Vec::new();
    for row in 0..m {
        for col in 0..n {
            let sum = (0..k).fold(0i32, |s, i| s.wrapping_add(a[row * k + i].wrapping_mul(b[i * n + col])));
            c.push(sum as u32);
        }
    }
    let bits = |v: &[i32]| words(&v.iter().map(|x| *x as u32).collect::<Vec<_>>());
    Example::new(
        "matmul.wgsl",
        [2, 2],
        vec![words(&[m as u32, n as u32, k as u32]), bits(&a), bits(&b)],
        vec![0; m * n * 4],
        Words::U32(c),
    )
}

fn blur() -> Example {
    let (w, h) = (11i32, 9i32);
    let pixels = small_floats(7, (w * h * 4) as usize);
    let weight = [0.0625f64, 0.25, 0.375, 0.25, 0.0625];
    let mut values = Vec::new();
    for y in 0..h {
        for x in 0..w {
            for c in 0..4 {
                let mut sum = 0.0;
                for dy in -2..=2i32 {
                    for dx in -2..=2i32 {
                        let (px, py) = ((x + dx).clamp(0, w - 1), (y + dy).clamp(0, h - 1));
                        let p = f64::from(pixels[((py * w + px) * 4 + c) as usize]);
                        sum += p * weight[(dx + 2) as usize] * weight[(dy + 2) as usize];
                    }
                }
                values.push(sum);
            }
        }
    }
    // Weights are multiples of 1/256 and pixels of 1/64: every product and partial sum is exact in f32.
    Example::new(
        "blur.wgsl",
        [2, 2],
        vec![words(&[w as u32, h as u32]), floats(&pixels)],
        vec![0; (w * h * 16) as usize],
        Words::F32 { values, abs: 0.0, rel: 0.0 },
    )
}

/// `pi.wgsl`.
pub fn pi() -> Example {
    let (samples, seed, n) = (50u32, 12345u32, 70u32);
    let mut hits = Vec::new();
    for id in 0..n {
        let mut s = (seed ^ id.wrapping_mul(0x9e37_79b9)) | 1;
        let mut draw = || {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
            s >> 17
        };
        let mut inside = 0;
        for _ in 0..samples {
            let (x, y) = (draw(), draw());
            inside += u32::from(x * x + y * y < 0x4000_0000);
        }
        hits.push(inside);
    }
    Example::new("pi.wgsl", [2, 1], vec![words(&[samples, seed])], vec![0; (n * 4) as usize], Words::U32(hits))
}
