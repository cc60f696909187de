//! Tests of `gpucc/src/legend.rs`: what stands behind a number of a preload is said in words.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Errors, Options, Target, legend};

/// The legend of the only entry of a shader, a line a place.
fn lines(text: &str, target: &str) -> Vec<String> {
    let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    let module = loaded.unwrap_or_else(|list| panic!("{}", Errors(list).with_source(text))).module;
    let options = Options::new(Target::parse(target).expect("a target"));
    let done = gpucc::compile(&module, &options).unwrap_or_else(|d| panic!("{target}: {d}"));
    let names = options.target.backend().names();
    let list = legend::lines(&done.container().entries[0], Some(&names));
    list.into_iter().map(|(place, what)| format!("{place} = {what}")).collect()
}

fn ends(list: &[String], with: &str) -> usize {
    list.iter().filter(|l| l.ends_with(with)).count()
}

/// Facts of a texture are said by name; what a unit reads are words of its descriptor.
#[test]
fn facts_of_textures_have_names() {
    let text = "@group(0) @binding(1) var t: texture_2d_array<f32>;
        @group(0) @binding(2) var s: sampler;
        @group(0) @binding(3) var i: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() {
            let d = textureDimensions(t);
            o[0] = d.x; o[1] = d.y; o[2] = textureNumLayers(t); o[3] = textureNumLevels(t);
            o[4] = bitcast<u32>(textureSampleLevel(t, s, vec2f(0.5), 0, 1.0).x);
            textureStore(i, vec2u(1, 2), vec4f(1));
        }";
    for target in ["tesla:nv50", "tesla:nva3", "vivante:gc3000", "vivante:gc7000"] {
        let list = lines(text, target);
        for fact in ["width", "height", "layers", "levels"] {
            assert_eq!(
                ends(&list, &format!("= {fact} of texture `t` (group 0 binding 1)")),
                1,
                "{target}: {fact}: {list:#?}"
            );
        }
        assert!(ends(&list, " of texture `i` (group 0 binding 3)") > 1, "{target}: {list:#?}");
    }
    // A unit takes all of a texture and of a sampler.
    let list = lines(text, "vivante:gc7000");
    let unit = |l: &String| l.starts_with("texture of texture unit 0 = descriptor of ") && l.ends_with(", word 0");
    assert!(list.iter().any(unit), "{list:#?}");
}

/// What the launch computes stands there as operations, those that are loaded and those in between.
#[test]
fn computations_of_the_launch_are_said() {
    let text = "@group(0) @binding(0) var<uniform> u: vec4f;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { o[i] *= u.x * u.y + u.z; }";
    for target in ["vivante:gc2000", "vivante:gc7000"] {
        let list = lines(text, target);
        let u = "contents of `u` (group 0 binding 0)";
        let product = ends(&list, &format!(" of the launch = fmul({u}, word 0; {u}, word 1)"));
        let sum = ends(&list, &format!(" of the launch: fadd(step 0; {u}, word 2)"));
        let size = list.iter().filter(|l| l.contains("limit(size of `o` (group 0 binding 1) in bytes; ")).count();
        assert_eq!((product, sum), (1, 1), "{target}: {list:#?}");
        assert!(size > 0, "{target}: {list:#?}");
    }
}
