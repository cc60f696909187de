//! Buffers of all sizes from 0 to 40 bytes, not only multiples of an element or of a word: robust code never traps, whole
//! elements are read and written where they lie, and what lies out of bounds goes to bytes of the binding or nowhere.

use gpucc::CodegenOptions;
use gpucc_container::Container;
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec;
use rayon::prelude::*;

/// An element: declarations, its type, bytes from one to the next, alignment, its words, their sum, and one made of `x`.
struct Element {
    declared: &'static str,
    ty: &'static str,
    stride: usize,
    align: usize,
    words: usize,
    sum: &'static str,
    make: &'static str,
}

const ELEMENTS: &[Element] = &[
    Element { declared: "", ty: "u32", stride: 4, align: 4, words: 1, sum: "e", make: "x" },
    Element { declared: "", ty: "vec2<u32>", stride: 8, align: 8, words: 2, sum: "e.x + e.y", make: "vec2(x, x + 1u)" },
    Element {
        declared: "",
        ty: "vec3<u32>",
        stride: 16,
        align: 16,
        words: 3,
        sum: "e.x + e.y + e.z",
        make: "vec3(x, x + 1u, x + 2u)",
    },
    Element {
        declared: "",
        ty: "vec4<u32>",
        stride: 16,
        align: 16,
        words: 4,
        sum: "e.x + e.y + e.z + e.w",
        make: "vec4(x, x + 1u, x + 2u, x + 3u)",
    },
    Element {
        declared: "struct S { a: u32, b: u32, c: u32 }",
        ty: "S",
        stride: 12,
        align: 4,
        words: 3,
        sum: "e.a + e.b + e.c",
        make: "S(x, x + 1u, x + 2u)",
    },
    Element {
        declared: "struct S { a: vec2<u32>, b: array<u32, 3>, c: u32 }",
        ty: "S",
        stride: 24,
        align: 8,
        words: 6,
        sum: "e.a.x + e.a.y + e.b[0] + e.b[1] + e.b[2] + e.c",
        make: "S(vec2(x, x + 1u), array(x + 2u, x + 3u, x + 4u), x + 5u)",
    },
    Element {
        declared: "",
        ty: "array<u32, 2>",
        stride: 8,
        align: 4,
        words: 2,
        sum: "e[0] + e[1]",
        make: "array(x, x + 1u)",
    },
    Element {
        declared: "",
        ty: "mat2x2<f32>",
        stride: 16,
        align: 8,
        words: 4,
        sum: "bitcast<u32>(e[0].x) + bitcast<u32>(e[0].y) + bitcast<u32>(e[1].x) + bitcast<u32>(e[1].y)",
        make: "mat2x2(bitcast<f32>(x), bitcast<f32>(x + 1u), bitcast<f32>(x + 2u), bitcast<f32>(x + 3u))",
    },
];

/// `head` bytes before the array; `group` invocations that all do the same, though the compiler cannot know.
fn shader(e: &Element, head: usize, group: u32) -> String {
    let Element { declared, ty, sum, make, .. } = e;
    let (block, list) = match head {
        0 => (format!("array<{ty}>"), ""),
        _ => ("Block".to_string(), ".list"),
    };
    let field = if head == 0 { String::new() } else { format!("struct Block {{ n: u32, list: array<{ty}> }}") };
    format!(
        "{declared}
         {field}
         @group(0) @binding(0) var<storage, read> a: {block};
         @group(0) @binding(1) var<storage, read_write> b: {block};
         @group(0) @binding(2) var<storage, read> p: array<u32, 64>;
         @group(0) @binding(3) var<storage, read_write> o: array<u32, 4>;
         @compute @workgroup_size({group}) fn main(@builtin(local_invocation_id) id: vec3<u32>) {{
             let i = p[id.x];
             let e = a{list}[i];
             let x = p[16u + id.x];
             b{list}[i] = {make};
             o[0] = {sum};
             o[1] = arrayLength(&a{list});
             o[2] = arrayLength(&b{list});
         }}"
    )
}

fn atomics(head: usize, group: u32) -> String {
    let (block, list) = if head == 0 { ("array<atomic<u32>>", "") } else { ("Block", ".list") };
    format!(
        "struct Block {{ n: u32, list: array<atomic<u32>> }}
         @group(0) @binding(1) var<storage, read_write> b: {block};
         @group(0) @binding(2) var<storage, read> p: array<u32, 64>;
         @group(0) @binding(3) var<storage, read_write> o: array<u32, 4>;
         @compute @workgroup_size({group}) fn main(@builtin(local_invocation_id) id: vec3<u32>) {{
             let i = p[id.x];
             o[0] = atomicLoad(&b{list}[i]);
             let x = p[16u + id.x];
             atomicMax(&b{list}[i], x);
             let y = atomicCompareExchangeWeak(&b{list}[i], 12345u, x);
             o[1] = arrayLength(&b{list});
             o[2] = arrayLength(&b{list});
         }}"
    )
}

fn byte(k: usize) -> u8 {
    (k * 37 + 11) as u8
}

fn le(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b))
}

const INDICES: &[u32] = &[0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 0x0fff_ffff, 0x4000_0000, 0x7fff_ffff, 0xffff_ffff];

struct Job<'a> {
    head: usize,
    stride: usize,
    words: usize,
    atomic: bool,
    container: &'a Container,
}

impl Job<'_> {
    fn run(&self, size: usize, index: u32) -> Result<(), String> {
        let bytes: Vec<u8> = (0..size).map(byte).collect();
        let value = 0xf123_4500u32;
        let params: Vec<u32> = (0..64).map(|k| if k < 16 { index } else { value }).collect();
        let mut d = Dispatch::new([1, 1, 1]);
        for (binding, writable) in [(0, false), (1, true)] {
            if binding == 1 || !self.atomic {
                d.buffers.push(gpucc_sim::BoundBuffer { group: 0, binding, bytes: bytes.clone(), writable });
            }
        }
        let mut d = d.with_u32(0, 2, &params).with_u32(0, 3, &[0; 4]);
        // Where members of several elements are sent to the same bytes, invocations race for what is left there.
        let options = RunOptions { races: Races::Off, ..RunOptions::default() };
        gpucc_machines::run(self.container, None, &mut d, &options).map_err(|t| format!("a trap: {t}"))?;
        let count = (size - self.head) / self.stride;
        let out = d.words(0, 3).ok_or("no output")?;
        if out[1..3] != [count as u32; 2] {
            return Err(format!("lengths {:?} instead of {count}", &out[1..3]));
        }
        if index as usize >= count {
            return Ok(());
        }
        let at = self.head + index as usize * self.stride;
        let words: Vec<u32> = (0..self.words).map(|k| le(&bytes[at + 4 * k..at + 4 * k + 4])).collect();
        let sum = words.iter().fold(0u32, |s, w| s.wrapping_add(*w));
        if out[0] != sum {
            return Err(format!("read {:#x} instead of {sum:#x}", out[0]));
        }
        let mut want = bytes;
        for k in 0..self.words {
            let w = value.wrapping_add(k as u32);
            let w = if self.atomic { w.max(words[k]) } else { w };
            want[at + 4 * k..at + 4 * k + 4].copy_from_slice(&w.to_le_bytes());
        }
        match &d.buffer(0, 1).ok_or("no buffer")?.bytes {
            got if *got == want => Ok(()),
            got => Err(format!("left {got:02x?} instead of {want:02x?}")),
        }
    }
}

fn check(wgsl: &str, head: usize, stride: usize, words: usize, atomic: bool) {
    let module = exec::lower(wgsl, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{wgsl}"));
    let mut targets = exec::targets("all:all");
    if atomic {
        // These have none.
        targets.retain(|t| !["vivante:gc2000", "tesla:nv50"].contains(&t.to_string().as_str()));
    }
    let failures: Vec<String> = targets
        .into_par_iter()
        .flat_map_iter(|target| [0, 2].map(|level| (target, level)))
        .flat_map_iter(|(target, level)| {
            let mut o = gpucc::Options::new(target).opt(level);
            o.codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
            let code = gpucc::compile(&module, &o).unwrap_or_else(|d| panic!("{target}: {d}\n{wgsl}"));
            let job = Job { head, stride, words, atomic, container: code.container() };
            let mut list = Vec::new();
            for size in head + stride..=40 {
                for &index in INDICES {
                    if let Err(e) = job.run(size, index) {
                        list.push(format!("{target} -O{level}, {size} bytes, element {index:#x}: {e}"));
                    }
                }
            }
            list
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}\n{wgsl}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
}

/// The least that may be bound is one element: below that every machine refuses to start.
#[test]
fn smaller_than_one_element() {
    let module = exec::lower(&shader(&ELEMENTS[3], 0, 1), "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    for target in exec::targets("all:all") {
        let code = gpucc::compile(&module, &gpucc::Options::new(target)).unwrap_or_else(|d| panic!("{target}: {d}"));
        let job = Job { head: 0, stride: 16, words: 4, atomic: false, container: code.container() };
        for size in 0..16 {
            let why = job.run(size, 0).expect_err("too small");
            assert!(why.contains("the program needs 16"), "{target}: {why}");
        }
    }
}

#[test]
fn elements() {
    for e in ELEMENTS {
        for group in [1, 16] {
            check(&shader(e, 0, group), 0, e.stride, e.words, false);
        }
    }
}

#[test]
fn elements_behind_others() {
    for e in ELEMENTS {
        check(&shader(e, e.align, 16), e.align, e.stride, e.words, false);
    }
}

#[test]
fn atomic_words() {
    for (head, group) in [(0, 1), (0, 16), (4, 16)] {
        check(&atomics(head, group), head, 4, 1, true);
    }
}

/// 1 to 10 as halves (IEEE 754).
const HALVES: [u16; 10] = [0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900];

/// The type of an element of so many halves, its stride, its sum, and one made of `h`.
const HALF_ELEMENTS: [(&str, usize, usize, &str, &str); 4] = [
    ("f16", 1, 2, "e", "h"),
    ("vec2<f16>", 2, 4, "e.x + e.y", "vec2(h)"),
    ("vec3<f16>", 3, 8, "e.x + e.y + e.z", "vec3(h)"),
    ("S", 3, 6, "e.a + e.b + e.c", "S(h, h, h)"),
];

/// An element at an index that is known when the program runs and one at a known index.
fn halves_shader(ty: &str, sum: &str, make: &str) -> String {
    format!(
        "enable f16;
         struct S {{ a: f16, b: f16, c: f16 }}
         @group(0) @binding(0) var<storage, read> a: array<{ty}>;
         @group(0) @binding(1) var<storage, read_write> b: array<{ty}>;
         @group(0) @binding(2) var<storage, read> p: array<u32, 64>;
         @group(0) @binding(3) var<storage, read_write> o: array<u32, 4>;
         fn sum(e: {ty}) -> u32 {{ return u32({sum}); }}
         @compute @workgroup_size(16) fn main(@builtin(local_invocation_id) id: vec3<u32>) {{
             let i = p[id.x];
             let h = f16(p[16u + id.x]);
             b[i] = {make};
             o[0] = sum(a[i]);
             o[1] = arrayLength(&a);
             o[2] = sum(a[2]);
         }}"
    )
}

/// Halves are read and written alone, also those of a word that the buffer has only the half of.
#[test]
fn halves() {
    let mut targets = exec::targets("all:all");
    // Without atomics a half cannot be written alone.
    targets.retain(|t| !["vivante:gc2000", "tesla:nv50"].contains(&t.to_string().as_str()));
    for (ty, count, stride, sum, make) in HALF_ELEMENTS {
        let module = exec::lower(&halves_shader(ty, sum, make), "main", &[]).unwrap_or_else(|p| panic!("{p}"));
        targets.par_iter().flat_map_iter(|&target| [0, 2].map(|level| (target, level))).for_each(|(target, level)| {
            let (device, codegen) =
                (exec::device(target), CodegenOptions { opt_level: level, ..CodegenOptions::default() });
            let code = device.compile(&module, "main", &codegen).unwrap_or_else(|d| panic!("{target}: {d}"));
            for (size, &index) in (stride..=26).flat_map(|size| INDICES.iter().map(move |i| (size, i))) {
                let at = |k: usize| HALVES[k % HALVES.len()].to_le_bytes();
                let a: Vec<u8> = (0..size.div_ceil(2)).flat_map(at).take(size).collect();
                let b: Vec<u8> = (0..size).map(byte).collect();
                let params: Vec<u32> = (0..64).map(|k| if k < 16 { index } else { 3 }).collect();
                let mut d = Dispatch::new([1, 1, 1]);
                for (binding, bytes, writable) in [(0, a, false), (1, b.clone(), true)] {
                    d.buffers.push(gpucc_sim::BoundBuffer { group: 0, binding, bytes, writable });
                }
                let mut d = d.with_u32(0, 2, &params).with_u32(0, 3, &[0; 4]);
                let place = format!("{target} -O{level}, {ty}, {size} bytes, element {index:#x}");
                let options = RunOptions { races: Races::Off, ..RunOptions::default() };
                let before = d.clone();
                device.launch(&code, "main", &mut d, &options).unwrap_or_else(|t| panic!("{place}: {t}"));
                let out = d.words(0, 3).unwrap();
                let sum = |e: usize| (0..count).map(|k| (e * stride / 2 + k) % HALVES.len() + 1).sum::<usize>() as u32;
                assert_eq!(out[1] as usize, size / stride, "{place}");
                assert!(out[2] == sum(2) || size < 3 * stride, "{place}: {out:?}");
                if index as usize >= size / stride {
                    continue;
                }
                let mut want = b;
                for at in (0..count).map(|k| index as usize * stride + 2 * k) {
                    want[at..at + 2].copy_from_slice(&HALVES[2].to_le_bytes());
                }
                // The oracle judges bounds, too, which is slow.
                if size >= 3 * stride && index < 3 {
                    let judged = exec::judge((&module, &code), "main", target, &before, &d, &options);
                    judged.unwrap_or_else(|e| panic!("{place}: {e}"));
                }
                assert_eq!((out[0], &d.buffer(0, 1).unwrap().bytes), (sum(index as usize), &want), "{place}");
            }
        });
    }
}
