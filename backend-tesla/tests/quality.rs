//! Tests of code quality in listings, of refusals, and of the machine on damaged code.

use crate::common::{NAMES, compile, container, module, options, run};
use gpucc_container::Container;
use gpucc_driver::{Backend as _, CodegenOptions};
use gpucc_ir::Refusal;
use gpucc_pipeline::{DepthStencil, Format, Pipeline, StencilFace, StencilOperation, Target};
use gpucc_sim::{Dispatch, RunOptions, TrapKind};
use gpucc_tesla::TESLA;

fn example(name: &str) -> String {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Words of each instruction.
fn instructions(code: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut pc = 0;
    while pc < code.len() {
        let n = gpucc_tesla_machine::length(u32::from_le_bytes(code[pc..pc + 4].try_into().unwrap()));
        out.push((pc, n));
        pc += n;
    }
    out
}

#[test]
fn short_instructions_come_in_pairs() {
    for name in ["mandelbrot.wgsl", "blur.wgsl"] {
        let m = module(&example(name));
        let out = compile(&m, 3, &options(2));
        let short = out.stats.iter().find(|s| s.0 == "short").unwrap().1;
        assert!(short >= 2, "{name}: {}", TESLA.listing(&out, 3));
        let list = instructions(&out.entry.code);
        assert!(list.iter().all(|&(pc, n)| n == 4 || pc % 8 == 0), "{name}");
        assert_eq!(list.iter().filter(|i| i.1 == 4).count() as u64, short);
    }
}

/// The code of products with a word of a uniform buffer at an offset that is not known, which is read so often.
fn indexed(reads: usize) -> String {
    let products: String = (0..reads).map(|k| format!("let p{k} = f32(i + {k}u) * u.words[j].y; ")).collect();
    let stores: String = (0..reads).map(|k| format!("o[{k}] = p{k}; ")).collect();
    let text = format!(
        "struct U {{ head: vec4<f32>, words: array<vec4<f32>, 8> }}
        @group(0) @binding(0) var<uniform> u: U;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @group(0) @binding(2) var<storage, read> at: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {{
            let i = id.x; let j = at[i] & 7u; {products} {stores} }}"
    );
    TESLA.listing(&compile(&module(&text), 3, &options(2)), 3)
}

/// Few readers take the word as an operand behind the address register; many share a load.
#[test]
fn words_behind_an_address_register_are_operands() {
    for (reads, loads) in [(1, 0), (2, 0), (3, 1)] {
        let listing = indexed(reads);
        let count = |op: &str| listing.lines().filter(|l| l.contains(op) && l.contains("c1[$a")).count();
        let operands = if loads == 0 { reads } else { 0 };
        assert_eq!((count("ld $r"), count("mul ")), (loads, operands), "{listing}");
    }
}

/// Sums and products that only the limits 0 and 1 read are limited as they are made; what else they were reads them too.
#[test]
fn what_is_made_for_limits_is_made_within_them() {
    let text = |made: &str, also: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read> a: array<f32>;
            @group(0) @binding(1) var<storage, read_write> o: array<f32>;
            @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {{
                let x = a[id.x]; let y = a[id.x + 1u]; let made = {made};
                o[2u * id.x] = saturate(made); o[2u * id.x + 1u] = {also}; }}"
        )
    };
    // Floats of every kind, each beside the next; of a sum and a product of them that are exact.
    let floats = [0.0f32, -0.0, 0.25, 1.0, 1.5, -2.0, f32::INFINITY, -1.0, f32::NEG_INFINITY, f32::NAN, 0.5, 1e30, 4.0];
    let pairs = || floats.iter().zip(&floats[1..]);
    let limited = |x: f32| if x > 0.0 { x.min(1.0) } else { 0.0 };
    type Made = fn(f32, f32) -> f32;
    let all: [(&str, Made); 4] = [
        ("x + y", |x, y| x + y),
        ("x - y", |x, y| x - y),
        ("x * y", |x, y| x * y),
        ("x * 2.0 + y", |x, y| x * 2.0 + y),
    ];
    for ((made, of), (also, kept)) in all.into_iter().flat_map(|m| [(m, ("0.0", true)), (m, ("made", false))]) {
        let m = module(&text(made, also));
        let mut want = Vec::new();
        for (&x, &y) in pairs() {
            want.extend([limited(of(x, y)), if kept { 0.0 } else { of(x, y) }]);
        }
        let d = Dispatch::new([pairs().count() as u32, 1, 1]).with_u32(0, 0, &floats.map(f32::to_bits)).with_u32(
            0,
            1,
            &vec![0; want.len()],
        );
        for (g, name) in NAMES.iter().enumerate() {
            let out = compile(&m, g, &options(2));
            let listing = TESLA.listing(&out, g);
            let made_within = listing.contains(" sat ");
            assert_eq!(made_within, kept && (g >= 2 || made != "x * y"), "{name} {made}: {listing}");
            let got = run(&out, g, &d, Some(7)).unwrap_or_else(|t| panic!("{name} {made}: {t}"));
            let bits = |x: f32| if x.is_nan() { None } else { Some((x + 0.0).to_bits()) };
            let got: Vec<_> = got.words(0, 1).unwrap().into_iter().map(|w| bits(f32::from_bits(w))).collect();
            assert_eq!(got, want.iter().map(|&w| bits(w)).collect::<Vec<_>>(), "{name} {made}");
        }
    }
}

const DIVERGENT: &str = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = i;
    if (i % 3u) == 0u {
        for (var k = 0u; k < i; k++) { x = x * 5u + o[k]; }
    } else {
        x = x ^ 0x55u;
    }
    workgroupBarrier();
    o[i] = x;
}";

/// The sides of a divergent branch join; without the join or with one more the machine stops.
#[test]
fn unbalanced_joins_are_noticed() {
    let m = module(DIVERGENT);
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[7; 32]);
    let out = compile(&m, 3, &options(2));
    assert!(run(&out, 3, &d, None).is_ok());
    let listing = TESLA.listing(&out, 3);
    assert!(listing.contains("joinat") && listing.contains("join "), "{listing}");
    let list = instructions(&out.entry.code);
    let word = |pc: usize, k: usize| u32::from_le_bytes(out.entry.code[pc + 4 * k..pc + 4 * k + 4].try_into().unwrap());
    let nop = [0xf000_0001u32, 0xe000_0780];
    let (mut joins, mut pushes) = (0, 0);
    for &(pc, _) in list.iter().filter(|i| i.1 == 8) {
        let mut code = out.entry.code.clone();
        let (w0, w1) = (word(pc, 0), word(pc, 1));
        let control = w0 & 3 == 3;
        if !control && w1 & 3 == 2 {
            // The same instruction without its join.
            joins += 1;
            code[pc + 4..pc + 8].copy_from_slice(&(w1 & !3).to_le_bytes());
        } else if control && w0 >> 28 == 0xa {
            pushes += 1;
            code[pc..pc + 4].copy_from_slice(&nop[0].to_le_bytes());
            code[pc + 4..pc + 8].copy_from_slice(&nop[1].to_le_bytes());
        } else {
            continue;
        }
        let mut c: Container = container(&out, 3);
        c.entries[0].code = code;
        let mut d = d.clone();
        let r =
            gpucc_tesla_machine::run(&c, None, &mut d, &RunOptions { step_limit: 1_000_000, ..RunOptions::default() });
        let kind = r.expect_err("unbalanced").kind;
        assert!(matches!(kind, TrapKind::Unbalanced | TrapKind::Divergence), "{kind:?} at {pc:#x}\n{listing}");
    }
    assert!(joins >= 1 && pushes >= 1, "{listing}");
}

#[test]
fn refusals_name_target_and_feature() {
    let wide = "@group(0) @binding(0) var<storage, read_write> o: array<f64>;
        @compute @workgroup_size(1) fn main() { o[0] = o[1] * o[2]; }";
    let atomic = "@group(0) @binding(0) var<storage, read_write> o: atomic<u32>;
        @compute @workgroup_size(1) fn main() { atomicAdd(&o, 1u); }";
    let large = "@group(0) @binding(0) var<storage, read_write> o: u32;
        @compute @workgroup_size(1024) fn main() { o = 1u; }";
    for (wgsl, generation, code, word) in [
        (wide, 3, "wide-types", "64-bit floats"),
        (atomic, 0, "atomics", "atomic"),
        (large, 3, "workgroup-size", "512"),
    ] {
        let m = module(wgsl);
        let d = TESLA.compile(&m, "main", generation, &options(2)).map(|_| ()).expect_err("refused");
        assert_eq!(d.class, gpucc_ir::Class::Unsupported, "{d}");
        assert_eq!(d.code, code, "{d}");
        assert!(d.message.contains(word) && d.message.contains(NAMES[generation]), "{d}");
    }
    let m = module(atomic);
    assert!(TESLA.compile(&m, "main", 1, &options(2)).is_ok());
}

/// Operands are read where they lie: fewer instructions than one for each operation.
#[test]
fn operands_are_folded() {
    let mut m = module(&example("vecadd.wgsl"));
    m.options.robust = false;
    let o = options(2);
    let out = compile(&m, 3, &o);
    let n = out.stats.iter().find(|s| s.0 == "instructions").unwrap().1;
    assert!(n <= 11, "{}", TESLA.listing(&out, 3));
}

/// A conditional break is one instruction: the block that it came from is gone.
#[test]
fn breaks_leave_no_dead_code() {
    let out = compile(&module(&example("collatz.wgsl")), 3, &options(2));
    let listing = TESLA.listing(&out, 3);
    let breaks: Vec<&str> = listing.lines().map(str::trim).filter(|l| l.contains("break ")).collect();
    assert!(!breaks.is_empty() && breaks.iter().all(|l| l.starts_with('(')), "{listing}");
}

fn tile(sum: &str) -> String {
    let m = module(&format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         var<workgroup> tile: array<u32, 128>;
         @compute @workgroup_size(32)
         fn main(@builtin(local_invocation_index) i: u32) {{
             tile[i] = o[i];
             workgroupBarrier();
             o[i] = {sum};
         }}"
    ));
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[7; 32]);
    let out = compile(&m, 3, &options(2));
    assert!(run(&out, 3, &d, None).is_ok());
    TESLA.listing(&out, 3)
}

/// Constants belong to the offset: one address register serves all accesses that differ by them, and no others.
#[test]
fn accesses_share_address_registers() {
    let registers = |sum: &str| tile(sum).matches("shl $a").count();
    assert_eq!(registers("tile[i + 1u] + tile[i + 3u] * tile[i + 40u]"), 1);
    assert_eq!(registers("tile[i + 1u] + tile[i * 2u + 3u]"), 2);
}

/// A loop whose test all lanes decide alike goes round by one branch.
#[test]
fn a_uniform_loop_has_no_jump() {
    let body = |count: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
             @group(0) @binding(1) var<uniform> n: vec4<u32>;
             @compute @workgroup_size(32)
             fn main(@builtin(local_invocation_index) i: u32) {{
                 var x = i;
                 for (var k = 0u; k < {count}; k++) {{ x = x * 5u + 1u; }}
                 o[i] = x;
             }}"
        )
    };
    // Jumps back without a condition.
    let jumps = |count: &str| {
        let out = compile(&module(&body(count)), 3, &options(2));
        let back = |l: &&str| {
            let to = l.trim_start().strip_prefix("bra L").and_then(|t| t.split_whitespace().next());
            let at = l.split(" ; ").nth(1).and_then(|t| t.split(':').next());
            let hex = |t: Option<&str>| t.and_then(|t| u32::from_str_radix(t, 16).ok());
            matches!((hex(to), hex(at)), (Some(to), Some(at)) if to < at)
        };
        TESLA.listing(&out, 3).lines().filter(back).count()
    };
    assert_eq!(jumps("n.x"), 0);
    // Lanes that leave at different times break.
    assert_eq!(jumps("i"), 1);
}

/// The angle of a sine and a cosine is reduced once.
#[test]
fn sine_and_cosine_share_their_angle() {
    let source = "@group(0) @binding(0) var<storage, read_write> f: array<f32>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            f[i] = sin(f[i]) * 2.0 + cos(f[i]);
        }";
    let text = TESLA.listing(&compile(&module(source), 3, &options(2)), 3);
    assert_eq!(["presin", " sin ", " cos "].map(|word| text.matches(word).count()), [1, 1, 1], "{text}");
}

/// A fragment that tests early and then loses samples, where depth or stencil is written: hardware writes them for what the
/// program gives alone. Where nothing is written, or nothing lost, it is compiled.
#[test]
fn what_is_lost_behind_early_tests_is_refused() {
    let force = "@fragment @early_depth_test(force) fn main(@builtin(position) p: vec4f) -> ";
    let discards = format!("{force} @location(0) vec4f {{ if p.x < 3.0 {{ discard; }} return p; }}");
    let mask = format!(
        "struct O {{ @location(0) c: vec4f, @builtin(sample_mask) m: u32 }}\n{force} O {{ return O(p, u32(p.x) & 1u); }}"
    );
    let plain = format!("{force} @location(0) vec4f {{ return p; }}");
    let late = discards.replace("@early_depth_test(force)", "");
    let of = |format| DepthStencil::new(format);
    let replaces = StencilFace { pass: StencilOperation::Replace, ..StencilFace::default() };
    let written = [
        DepthStencil { depth_write: true, ..of(Format::Depth16Unorm) },
        DepthStencil { depth_write: true, ..of(Format::Depth32Float) },
        DepthStencil { front: replaces, ..of(Format::Stencil8) },
        DepthStencil { back: replaces, ..of(Format::Depth24PlusStencil8) },
    ];
    let kept = [
        of(Format::Depth16Unorm),
        DepthStencil { front: replaces, write_mask: 0, ..of(Format::Stencil8) },
        DepthStencil { front: replaces, ..of(Format::Depth32Float) },
    ];
    let compiled = |source: &str, chip: usize, depth: Option<DepthStencil>, to_coverage: bool| {
        let pipeline = Pipeline {
            targets: vec![Some(Target::new(Format::Rgba8Unorm))],
            depth,
            samples: 4,
            alpha_to_coverage: to_coverage,
            ..Pipeline::default()
        };
        let o = CodegenOptions { pipeline: Some(Box::new(pipeline)), ..options(1) };
        TESLA.compile(&module(source), "main", chip, &o).map_err(|d| d.refusal())
    };
    for (chip, name) in NAMES.into_iter().enumerate() {
        // Masks are refused as such before nva3.
        for source in [Some(&discards), (chip == 3).then_some(&mask)].into_iter().flatten() {
            for depth in written {
                let refused = compiled(source, chip, Some(depth), false).map(|_| ());
                assert_eq!(refused, Err(Some(Refusal::EarlyTests)), "{name}: {depth:?}\n{source}");
            }
            for depth in kept.into_iter().map(Some).chain([None]) {
                assert!(compiled(source, chip, depth, false).is_ok(), "{name}: {depth:?}\n{source}");
            }
        }
        assert_eq!(compiled(&plain, chip, Some(written[0]), true).map(|_| ()), Err(Some(Refusal::EarlyTests)));
        for source in [&plain, &late] {
            assert!(compiled(source, chip, Some(written[0]), false).is_ok(), "{name}");
        }
    }
}

/// Pairs that are loaded are operands as they are, and results are stored as they are: no register is copied, in a loop either.
#[test]
fn doubles_stay_in_their_pairs() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<f64>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = o[i];
    let y = -o[i + 32u];
    for (var k = 0u; k < 100u; k++) { x = fma(x, y, x) - abs(o[k]) * y; }
    o[i] = max(x, abs(y));
}";
    let m = module(wgsl);
    let out = compile(&m, 2, &options(2));
    let listing = TESLA.listing(&out, 2);
    assert_eq!(listing.matches("f64 $r").count(), 3, "{listing}");
    // The counter begins at 0.
    assert_eq!(listing.matches("mov b32").count(), 1, "{listing}");
    assert!(listing.matches("b64 $r").count() == 3 && listing.contains("st b64"), "{listing}");
}
