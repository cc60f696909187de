//! Every example on the interpreter and on every machine, at every level, against results computed here in Rust.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_ir::Module;
use gpucc_kit::suite;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::examples::Example;
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

fn level(opt_level: u8) -> CodegenOptions {
    CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() }
}

/// Examples times variants, side by side on all cores; what failed in the order of the list.
fn each<V: Sync>(variants: &[V], f: impl Fn(&Example, &Module, &V) -> Result<(), String> + Sync) -> Vec<String> {
    let examples = suite::examples();
    let jobs: Vec<_> = variants.iter().flat_map(|v| examples.iter().map(move |e| (e, v))).collect();
    jobs.par_iter().filter_map(|((e, m), v)| f(e, m, v).err()).collect()
}

#[test]
fn on_the_interpreter() {
    suite::report(&each(&[None, Some(1), Some(2)], |e, module, seed| {
        let options = RunOptions { perturb: *seed, ..RunOptions::default() };
        let mut d = e.dispatch();
        exec::run(module, e.entry, On::Interp, &level(0), &mut d, &options).map_err(|p| format!("{}: {p}", e.file))?;
        suite::hold_example(e, &d, "on interp")
    }));
}

/// Each generation of a family computes every example at every level, or refuses what it is known to lack: as computed here and,
/// without optimisation and at the default level, as the oracle says to the bit under the machine's numeric profile and inside
/// WGSL's accuracy of the plain oracle.
fn every_generation(family: &str) {
    let targets = exec::targets(&format!("{family}:all"));
    let devices: Vec<_> = targets.iter().map(|t| exec::device(*t)).collect();
    suite::report(&suite::run_examples(&devices, &[0, 1, 2, 3], |e, modules, device, opt_level, (before, after)| {
        if !matches!(opt_level, 0 | 2) {
            return Ok(());
        }
        let target = Target::parse(&device.to_string())?;
        exec::judge(modules, e.entry, target, before, after, &RunOptions::default()).map_err(|p| p.to_string())
    }));
}

#[test]
fn on_valhall() {
    every_generation("valhall");
}

#[test]
fn on_tesla() {
    every_generation("tesla");
}

#[test]
fn on_gcn() {
    every_generation("gcn");
}

#[test]
fn on_vivante() {
    every_generation("vivante");
}

/// Garbage in registers and memory, orders and approximations by seed: nothing changes.
#[test]
fn perturbed() {
    suite::report(&each(&exec::targets("all"), |e, module, target| {
        let device = exec::device(*target);
        let compiled = device.compile(module, e.entry, &level(2)).map_err(|p| format!("{} {target}: {p}", e.file))?;
        for seed in 0..20 {
            let at = format!("on {target} (seed {seed})");
            let options = RunOptions { perturb: Some(seed), ..RunOptions::default() };
            let before = e.dispatch();
            let mut after = before.clone();
            device.launch(&compiled, e.entry, &mut after, &options).map_err(|p| format!("{} {at}: {p}", e.file))?;
            suite::hold_example(e, &after, &at)?;
            if seed == 1 {
                exec::judge((module, &compiled), e.entry, *target, &before, &after, &options)
                    .map_err(|p| format!("{} {at}: {p}", e.file))?;
            }
        }
        Ok(())
    }));
}

/// Allocator stress switches change registers and copies, never results: few registers, bad places, everything that can be spilled is,
/// that in bad places. Where a backend has no memory to spill to, only what can be computed again leaves its register.
#[test]
fn under_allocator_stress() {
    let targets = exec::targets("all");
    let variants: Vec<(Target, u8, usize)> =
        targets.iter().flat_map(|t| (0..=3).flat_map(move |opt| (0..4).map(move |which| (*t, opt, which)))).collect();
    suite::report(&each(&variants, |e, module, (target, opt, which)| {
        let options = CodegenOptions {
            tight: *which == 0,
            fragment: *which == 1 || *which == 3,
            spill_all: *which >= 2,
            ..level(*opt)
        };
        let at = format!("on {target} -O{opt} (stress {which})");
        let mut d = e.dispatch();
        exec::run(module, e.entry, exec::on(*target), &options, &mut d, &RunOptions::default())
            .map_err(|p| format!("{} {at}: {p}", e.file))?;
        suite::hold_example(e, &d, &at)
    }));
}

/// The same input gives the same bytes, whatever ran before, on however many threads, and with the target-independent passes shared
/// among targets.
#[test]
fn deterministic() {
    let examples = suite::examples();
    let bytes = |r: Result<gpucc::Artifact, gpucc_ir::Diagnostic>| r.map(|a| a.bytes()).map_err(|d| d.to_string());
    let targets = exec::targets("all:all");
    let shared: Vec<Vec<_>> = examples
        .par_iter()
        .map(|(e, m)| {
            let all = gpucc::compile_entry_for(m, e.entry, &targets, &CodegenOptions::default());
            all.into_iter().map(bytes).collect()
        })
        .collect();
    for (n, &target) in targets.iter().enumerate() {
        let mut alone: Vec<_> = std::thread::scope(|s| {
            let compile = |e: &(Example, Module)| bytes(gpucc::compile_entry(&e.1, e.0.entry, &Options::new(target)));
            let jobs: Vec<_> = examples.iter().rev().map(|e| s.spawn(move || compile(e))).collect();
            jobs.into_iter().map(|j| j.join().expect("a compilation does not panic")).collect()
        });
        alone.reverse();
        let shared: Vec<_> = shared.iter().map(|s| s[n].clone()).collect();
        assert_eq!(shared, alone, "{target}");
    }
}

/// One unit in the last place of one float is noticed: where the machine's memory differs, and where its code computes with
/// another constant.
#[test]
fn the_oracle_notices_the_last_bit() {
    let shader = "@group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) { o[i] = a[i] * 1.7182817; }";
    let module = exec::lower(shader, "main", &[]).expect("the shader lowers");
    let (right, wrong) = (1.718_281_7_f32.to_bits(), 1.718_281_7_f32.to_bits() + 1);
    let inputs: Vec<f32> = (1..=16).map(|n| n as f32 * 0.37).collect();
    for target in exec::targets("all:all") {
        let artifact = gpucc::compile(&module, &Options::new(target)).expect("the shader compiles");
        let before = Dispatch::new([1, 1, 1]).with_f32(0, 0, &inputs).with_f32(0, 1, &[0.0; 16]);
        let judged = |d: &Dispatch| {
            let place = (target.family(), target.generation_index());
            let modules = (&module, &artifact.outputs()[0].ir);
            gpucc_machines::judge(modules, "main", place, &before, d, &RunOptions::default()).map_err(|v| v.to_string())
        };
        let mut d = before.clone();
        gpucc_machines::run(artifact.container(), None, &mut d, &RunOptions::default()).expect("it runs");
        assert!(judged(&d).is_ok_and(|c| c.exact && c.strayed == 0), "{target}");
        let mut moved = d.clone();
        moved.buffer_mut(0, 1).expect("the output").bytes[20] ^= 1;
        let said = judged(&moved).expect_err("a flipped bit is a difference");
        assert!(said.contains("numeric profile") && said.contains("byte 20"), "{target}: {said}");
        // The constant is in the code, or among the values that are loaded before it starts.
        let mut c = artifact.container().clone();
        let e = &mut c.entries[0];
        let mut patched = 0;
        for at in 0..e.code.len() - 3 {
            if e.code[at..at + 4] == right.to_le_bytes() {
                e.code[at..at + 4].copy_from_slice(&wrong.to_le_bytes());
                patched += 1;
            }
        }
        for p in &mut e.preloads {
            if p.source == gpucc_container::Source::Const(right) {
                p.source = gpucc_container::Source::Const(wrong);
                patched += 1;
            }
        }
        assert!(patched > 0, "{target}: where is the constant?\n{}", artifact.listing());
        let mut d = before.clone();
        gpucc_machines::run(&c, None, &mut d, &RunOptions::default()).expect("it runs");
        let said = judged(&d).expect_err("another constant is a difference");
        assert!(said.contains("numeric profile"), "{target}: {said}");
    }
}

/// Special functions, quotients and roots on awkward operands: each machine's profile has them to the bit, at every level.
#[test]
fn profiles_are_exact() {
    let shader = "@group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read> b: array<f32>;
        @group(0) @binding(2) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
            let i = g.x;
            let x = a[i];
            let y = b[i];
            let at = i * 32u;
            o[at] = x + y;
            o[at + 1u] = x - y;
            o[at + 2u] = x * y;
            o[at + 3u] = x / y;
            o[at + 4u] = x % y;
            o[at + 5u] = fma(x, y, 1.25);
            o[at + 6u] = x * y + 0.3;
            o[at + 7u] = sqrt(abs(x));
            o[at + 8u] = inverseSqrt(abs(x));
            o[at + 9u] = exp2(clamp(x, -126.0, 127.5));
            o[at + 10u] = log2(abs(x));
            o[at + 11u] = sin(x);
            o[at + 12u] = cos(y);
            o[at + 13u] = min(x, y);
            o[at + 14u] = max(x, y);
            o[at + 15u] = floor(x);
            o[at + 16u] = fract(x);
            o[at + 17u] = round(x);
            o[at + 18u] = trunc(y);
            o[at + 19u] = saturate(x);
            o[at + 20u] = f32(i32(clamp(x, -2000000.0, 2000000.0)));
            o[at + 21u] = f32(u32(abs(y)));
            o[at + 22u] = ldexp(x, 3);
            o[at + 23u] = quantizeToF16(clamp(x, -60000.0, 60000.0));
            o[at + 24u] = sign(x);
            o[at + 25u] = pow(abs(x), 1.3);
            o[at + 26u] = tan(y);
            o[at + 27u] = select(x, y, x < y);
            o[at + 28u] = exp(clamp(y, -40.0, 40.0));
            o[at + 29u] = atan2(x, y);
            let v = vec3<f32>(x, y, 0.5) / vec3<f32>(y, x, 3.0);
            o[at + 30u] = v.x + v.y + v.z;
            o[at + 31u] = length(vec3<f32>(x, y, 1.0));
        }";
    let module = exec::lower(shader, "main", &[]).expect("the shader lowers");
    // Powers, fractions, denormals, large and tiny numbers, zeros of both signs; no operand is NaN or infinite.
    let edges: [u32; 16] = [
        0x0000_0000,
        0x8000_0000,
        0x0000_0001,
        0x807f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x3eaa_aaab,
        0x4049_0fdb,
        0x7e80_0001,
        0xc2c8_0000,
        0x358637bd,
        0x3f7f_ffff,
        0x4b7f_ffff,
        0xd000_0001,
        0x2000_0123,
    ];
    let mut rng = gpucc_sim::SplitMix64::new(7);
    let mut draw = |n: u32| -> Vec<u32> {
        let one = |k: u32, rng: &mut gpucc_sim::SplitMix64| match k % 3 {
            0 => edges[rng.below(16) as usize],
            1 => (rng.next_u32() as i32 as f32 / 2.0_f32.powi(28)).to_bits(),
            // Any sign, exponents around that of 1.
            _ => (rng.next_u32() & 0x807f_ffff) | (100 + rng.below(54) as u32) << 23,
        };
        (0..n).map(|k| one(k, &mut rng)).collect()
    };
    let (a, b) = (draw(256), draw(256));
    let before = Dispatch::new([4, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &b).with_f32(0, 2, &vec![0.0; 256 * 32]);
    let mut failures = Vec::new();
    for target in exec::targets("all:all") {
        for opt in 0..=3 {
            let mut d = before.clone();
            match exec::run_judged(&module, "main", target, &level(opt), &mut d, &RunOptions::default()) {
                Ok(_) => {}
                Err(p) => failures.push(format!("{target} -O{opt}: {p}")),
            }
        }
    }
    suite::report(&failures);
}

/// Machines differ in what min and max make of denormals; each agrees with its profile to the bit.
#[test]
fn min_and_max_of_denormals_agree_with_the_profile() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> d: array<f32, 4>;
        @compute @workgroup_size(1) fn main() { d[2] = min(d[0], d[1]); d[3] = max(d[0], d[1]); }";
    let module = exec::lower(wgsl, "main", &[]).expect("it lowers");
    for target in exec::targets("all:all") {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[3, 5, 9, 9]);
        exec::run_judged(&module, "main", target, &CodegenOptions::default(), &mut d, &RunOptions::default())
            .unwrap_or_else(|p| panic!("{target}: {p}"));
        if target.family() == "gcn" {
            assert_eq!(d.words(0, 0), Some(vec![3, 5, 3, 5]));
        }
    }
}
