//! The work of the fuzz targets (`docs/fuzzing.md`) on a few inputs. It is built here, where no fuzzer is, so that it keeps up with what it calls.

#[path = "../../fuzz/src/work.rs"]
#[expect(dead_code, reason = "seeds are written for the fuzzer alone")]
#[expect(unsafe_code, reason = "the functions of the C library are called as C does")]
mod work;

use gpucc::frontend::Lang;

const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) n: u32) { a[n] += a[n]; }";

/// One input of each target: a finding ends this process.
#[test]
fn each_target_takes_an_input() {
    work::shader(DOUBLE.as_bytes(), Lang::Wgsl);
    let head = |call: u8, level: u8, target: u8| [call, 255, 0, 0, level, 0, 0, 0, 1, target, 16, 16, 3, 0, 64, 1];
    for target in 0..6 {
        work::border::call(&[&head(0, target % 4, target)[..], DOUBLE.as_bytes()].concat());
        work::border::call(&[&head(5, 0, target)[..], &[0; 4]].concat());
    }
    let options = gpucc::Options {
        target: gpucc::Target::parse("gcn").expect("a target"),
        codegen: gpucc::CodegenOptions::default(),
    };
    let loaded = gpucc::frontend::load(DOUBLE.as_bytes(), Lang::Wgsl, &Default::default()).expect("a module");
    let made = gpucc::compile(&loaded.module, &options).expect("code").bytes();
    work::container(&made);
    work::border::call(&[&head(2, 0, 0)[..], &made].concat());
    work::border::call(&[&head(4, 0, 0)[..], &made].concat());
    work::words(&[2, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    work::listing(b"\x02\x00s_endpgm\n");
    work::launch(b"{}");
}

/// A scene that takes longer than a caller of the fuzzer lets it ends.
#[test]
fn a_long_scene_ends() {
    let scene = std::fs::read(crate::workspace().join("examples/scenes/distance.toml")).expect("an example");
    work::border::call(&[&[3, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &scene[..]].concat());
}
