//! Time of a frame: a lit, textured mesh of 10,082 triangles with depth, 640 x 480. On the oracle at -O2 and for the minimal target, on
//! one core and on two; on the machines of gcn:gfx8 and vivante:gc3000, which draw on one.
//!
//! `cargo bench -p gpucc-bench --bench frame`. Shaders are lowered and compiled before; elements are pixels.

use std::path::PathBuf;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gpucc::Target;
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_scene::SceneFile;
use gpucc_sim::RunOptions;
use gpucc_tests::exec::{For, On};
use gpucc_tests::{gfx, heap, mesh};

fn mesh_frame(c: &mut Criterion) {
    heap::keep();
    let size = [640, 480];
    let file = SceneFile { scene: mesh::scene(71, size), name: String::new(), folder: PathBuf::new(), text: None };
    let ready = PreparedScene::new(file).unwrap_or_else(|f| panic!("{f}"));
    let scene = &ready.file.scene;
    let mut g = c.benchmark_group("frame");
    g.sample_size(10).throughput(Throughput::Elements(u64::from(size[0]) * u64::from(size[1])));
    for on in [On::Interp, On::Passes(For::Minimal)] {
        let programs = Programs::new(scene, &ready.shaders, gfx::place(on, 2)).unwrap_or_else(|f| panic!("{f}"));
        for cores in [1, 2] {
            let defaults = frame::Options::default();
            let options = frame::Options { run: RunOptions { cores, ..defaults.run }, ..defaults };
            g.bench_function(BenchmarkId::new(on.to_string(), format!("cores {cores}")), |b| {
                b.iter(|| {
                    let mut resources = ready.resources.clone();
                    frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}).map(|r| r.steps)
                })
            });
        }
    }
    for name in ["gcn:gfx8", "vivante:gc3000"] {
        let target = Target::parse(name).unwrap_or_else(|e| panic!("{e}"));
        let programs = Programs::new(scene, &ready.shaders, Place::Target(target, 2)).unwrap_or_else(|f| panic!("{f}"));
        g.bench_function(BenchmarkId::new(target.to_string(), "machine"), |b| {
            b.iter(|| {
                let mut resources = ready.resources.clone();
                let options = frame::Options::default();
                frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {})
                    .map(|r| r.run.instructions)
            })
        });
    }
    g.finish();
}

criterion_group!(benches, mesh_frame);
criterion_main!(benches);
