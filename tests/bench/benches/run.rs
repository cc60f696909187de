//! Speed of the interpreters: four of the examples on the oracle and on each family's machine, without the check for races.
//!
//! `cargo bench -p gpucc-bench --bench run`. Compiled at -O2 before (the oracle runs the program as the source has it); elements are
//! instructions of lanes, so that the report shows how many a second.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gpucc::Target;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec::{self, On};
use gpucc_tests::{heap, shared};

/// A program and what it runs on.
fn programs() -> [(&'static str, Dispatch); 4] {
    let ramp = |n: u32| (0..n).map(|k| k.wrapping_mul(0x9e37_79b9) >> 24).collect::<Vec<u32>>();
    let reals = |n: u32| (0..n).map(|k| (k.wrapping_mul(0x9e37_79b9) >> 16) as f32 / 65536.0).collect::<Vec<f32>>();
    let zeros = |words: usize| vec![0; words];
    let view = |bits: [f32; 4]| [256, 256, 200, 0].into_iter().chain(bits.map(f32::to_bits)).collect::<Vec<u32>>();
    let mandelbrot = Dispatch::new([32, 32, 1])
        .with_u32(0, 0, &view([-2.0, -1.25, 2.5 / 256.0, 2.5 / 256.0]))
        .with_u32(0, 1, &zeros(65536));
    let matmul = Dispatch::new([12, 12, 1])
        .with_u32(0, 0, &[96, 96, 96])
        .with_u32(0, 1, &ramp(96 * 96))
        .with_u32(0, 2, &ramp(96 * 96))
        .with_u32(0, 3, &zeros(96 * 96));
    let nbody = Dispatch::new([16, 1, 1]).with_f32(0, 0, &[0.01, 0.1]).with_f32(0, 1, &reals(8 * 512)).with_f32(
        0,
        2,
        &reals(8 * 512),
    );
    let n = 1 << 17;
    let saxpy = Dispatch::new([16, 1, 1])
        .with_u32(0, 0, &[n, 1024, 1.5f32.to_bits()])
        .with_f32(0, 1, &reals(n))
        .with_f32(0, 2, &reals(n));
    [("mandelbrot", mandelbrot), ("matmul", matmul), ("nbody", nbody), ("saxpy", saxpy)]
}

fn module(name: &str) -> Module {
    let file = shared::workspace().join(format!("examples/{name}.wgsl"));
    let text = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    frontend::load(&text, Lang::Wgsl, &FrontOptions::default()).unwrap_or_else(|_| panic!("{name} is valid")).module
}

fn interpreters(c: &mut Criterion) {
    heap::keep();
    let options = RunOptions { races: Races::Off, ..RunOptions::default() };
    let families = Target::parse_list("all").unwrap_or_else(|e| panic!("{e}"));
    for (name, dispatch) in programs() {
        let module = module(name);
        let entry = module.entries[0].name.clone();
        let mut g = c.benchmark_group(format!("run/{name}"));
        g.sample_size(10);
        for target in [None].into_iter().chain(families.iter().copied().map(Some)) {
            let on = target.map_or(On::Interp, |t| On::Machine(exec::device(t)));
            let mut codegen = gpucc::Options::new(families[0]).codegen;
            codegen.verify = false;
            let run = || exec::run(&module, &entry, on, &codegen, &mut dispatch.clone(), &options);
            let lanes = run().unwrap_or_else(|e| panic!("{name} on {on}: {e}")).lane_instructions;
            g.throughput(Throughput::Elements(lanes));
            g.bench_function(BenchmarkId::from_parameter(on), |b| b.iter(run));
        }
        g.finish();
    }
}

criterion_group!(benches, interpreters);
criterion_main!(benches);
