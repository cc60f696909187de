//! Descriptors that lowering asks for and nobody binds reach the container, each as a resource of its own.

use gpucc_container::{Container, Entry, ResourceKind, Variant};
use gpucc_driver::reflect;
use gpucc_frontend_naga as frontend;
use gpucc_opt::{BindingFacts, Caps, FetchCaps, Options};

const SHADER: &str = "
@group(0) @binding(0) var wide: texture_2d<f32>;
@group(0) @binding(1) var many: texture_multisampled_2d<f32>;
@group(0) @binding(2) var out: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    let at = vec2<i32>(g.xy);
    textureStore(out, at, textureLoad(wide, at, 0) + textureLoad(many, at, 2));
}";

#[test]
fn a_target_without_fetches_asks_for_more_descriptors() {
    let parsed = frontend::parse(frontend::Input::text(SHADER), frontend::Lang::Wgsl).expect("valid WGSL");
    let module = frontend::lower(&parsed, &frontend::Options::default()).expect("it lowers");
    let caps = Caps { fetch: FetchCaps::MINIMAL, ..Caps::FULL };
    let bound = BindingFacts { wide: Some(vec![(0, 0)]), ..BindingFacts::UNKNOWN };
    let options = Options { bound, ..Options::default() };
    let (m, _) = gpucc_opt::prepare(&module, "main", &caps, &options).unwrap_or_else(|d| panic!("{d}"));
    let reflection = reflect(&m, &m.funcs[m.entries[0].func], |_, used, index| used.then_some(index));
    let mut got: Vec<(u32, ResourceKind, Variant)> =
        reflection.resources.iter().map(|r| (r.binding, r.kind, r.shape.variant)).collect();
    got.sort_by_key(|&(binding, kind, variant)| (binding, kind == ResourceKind::Sampler, variant));
    let wanted = [
        (0, ResourceKind::Texture, Variant::Low),
        (0, ResourceKind::Texture, Variant::High),
        (0, ResourceKind::Sampler, Variant::Nearest),
        // Its size is asked for.
        (1, ResourceKind::Texture, Variant::Whole),
        (1, ResourceKind::Texture, Variant::Samples),
        (1, ResourceKind::Sampler, Variant::Nearest),
        (2, ResourceKind::StorageTexture, Variant::Whole),
    ];
    assert_eq!(got, wanted);
    let entry = Entry { resources: reflection.resources.clone(), ..Entry::default() };
    let c = Container { entries: vec![entry], ..Container::default() };
    assert_eq!(Container::read(&c.write()).expect("it reads back").entries[0].resources, reflection.resources);
}
