//! Compile time in process: the corpus for each family's default generation, and how it grows with the program.
//!
//! `cargo bench -p gpucc-bench` runs everything; a filter such as `-- corpus/gcn` or `-- grow/loops` picks a part. Sizes go
//! to 100,000 operations with `GPUCC_BENCH_LARGE=1`; the program `scaling` prints the same series as a table. The corpus is
//! the shared folder's, or the examples where there is none.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_ir::Module;
use gpucc_tests::{exec, heap, scaling, shared};

/// The shaders: file name and lowered module. What the frontend refuses is left out.
fn corpus() -> Vec<(String, Module)> {
    let folder = shared::find("corpus/compute").unwrap_or_else(|| shared::workspace().join("examples"));
    let mut files: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let mut list = Vec::new();
    for f in files.iter().filter(|f| f.extension().is_some_and(|e| e == "wgsl")) {
        let options = FrontOptions { robust: false, ..FrontOptions::default() };
        if let Ok(bytes) = std::fs::read(f)
            && let Ok(l) = frontend::load(&bytes, Lang::Wgsl, &options)
        {
            let name = f.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            list.push((name, l.module));
        }
    }
    list
}

fn options(target: Target) -> Options {
    Options::new(target)
}

/// The whole corpus; elements are emitted instructions, so that the report shows the time of one.
fn whole(c: &mut Criterion) {
    heap::keep();
    let modules = corpus();
    let mut g = c.benchmark_group("corpus");
    g.sample_size(10).measurement_time(Duration::from_secs(5));
    for target in Target::parse_list("all").expect("all families") {
        let o = options(target);
        let made: Vec<_> = modules.iter().filter_map(|(_, m)| Some((m, gpucc::compile(m, &o).ok()?))).collect();
        let stat = |a: &gpucc::Artifact| -> u64 {
            a.outputs().iter().flat_map(|o| &o.stats).filter(|s| s.0 == "instructions").map(|s| s.1).sum()
        };
        g.throughput(Throughput::Elements(made.iter().map(|x| stat(&x.1)).sum()));
        g.bench_function(BenchmarkId::from_parameter(target), |b| {
            b.iter(|| {
                made.iter().map(|(m, _)| gpucc::compile(black_box(m), &o).map_or(0, |a| a.code().len())).sum::<usize>()
            })
        });
    }
    g.finish();
}

/// Each shape at growing sizes; elements are operations.
fn grow(c: &mut Criterion) {
    heap::keep();
    let sizes: &[usize] =
        if std::env::var_os("GPUCC_BENCH_LARGE").is_some() { &[1000, 10_000, 100_000] } else { &[1000, 10_000] };
    for shape in scaling::SHAPES {
        let mut g = c.benchmark_group(format!("grow/{}", shape.name()));
        g.sample_size(10).measurement_time(Duration::from_secs(2));
        for &n in sizes {
            let text = shape.source(n);
            let Ok(module) = exec::lower(&text, "main", &[]) else { continue };
            g.throughput(Throughput::Elements(n as u64));
            g.bench_with_input(BenchmarkId::new("frontend", n), &text, |b, t| {
                b.iter(|| exec::lower(black_box(t), "main", &[]).map(|m| m.funcs.len()))
            });
            for target in Target::parse_list("all").expect("all families") {
                let o = options(target);
                // A refusal for size has done the work up to it, so it is timed too.
                g.bench_with_input(BenchmarkId::new(target.to_string(), n), &module, |b, m| {
                    b.iter(|| gpucc::compile(black_box(m), &o).is_ok())
                });
            }
        }
        g.finish();
    }
}

criterion_group!(benches, whole, grow);
criterion_main!(benches);
