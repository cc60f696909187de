//! Scenes with a picture of another size.

use gpucc_scene::model::Pass;
use gpucc_scene::read::{self, Language};
use gpucc_scene::{Scene, check, contents, moment, resize::resize};

const TEXT: &str = r#"
format = "scene-1"
shaders.m.wgsl = "@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4<f32>(); }"
[textures]
picture = { format = "rgba8unorm", size = [64, 32] }
half = { format = "rgba8unorm", size = [32, 16], mipLevelCount = 5 }
map = { format = "depth32float", size = [64, 64] }
drawn = { format = "rgba8unorm", size = [64, 32], contents = { generator = { name = "solid" } } }
[pipelines]
p = { vertex = { shader = "m" }, fragment = { shader = "m", targets = [ { format = "rgba8unorm" } ] } }
c = { compute = { shader = "m" } }
[[passes]]
type = "render"
colorAttachments = [ { texture = "picture" } ]
draws = [ { pipeline = "p", viewport = [8, 4, 32, 16, 0, 1], scissor = [1, 1, 3, 3], draw = { vertexCount = 3 } } ]
"#;

fn scene(more: &str) -> Scene {
    read::parse(&format!("{TEXT}{more}"), Language::Toml).unwrap_or_else(|e| panic!("{e}"))
}

fn size(s: &Scene, name: &str) -> [u32; 3] {
    s.textures.get(name).expect("a texture").size
}

#[test]
fn what_has_the_proportions_of_the_picture_grows_with_it() {
    let mut s = scene("");
    resize(&mut s, [16, 8]).expect("a size");
    assert_eq!(moment::presented_size(&s), [16, 8]);
    assert_eq!((size(&s, "half"), s.textures.get("half").expect("it").mip_level_count), ([8, 4, 1], 4));
    assert_eq!([size(&s, "map"), size(&s, "drawn")], [[64, 64, 1], [64, 32, 1]]);
    let Pass::Render { draws, .. } = &s.passes[0] else { panic!("a render pass") };
    assert_eq!(draws[0].viewport, Some([2.0, 1.0, 8.0, 4.0, 0.0, 1.0]));
    // From 0.25 to 1: the pixel at 1 begins there.
    assert_eq!(draws[0].scissor, Some([1, 1, 0, 0]));
    let mut s = scene("");
    resize(&mut s, [3, 5]).expect("a size");
    assert_eq!((size(&s, "picture"), size(&s, "half")), ([3, 5, 1], [2, 3, 1]));
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
    contents::load(&s, None).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn grids_of_dispatches_are_not_outgrown() {
    let more = r#"
[[passes]]
type = "compute"
pipeline = "c"
bindings = [ { binding = 0, texture = "half" } ]
dispatch = [4, 2]
"#;
    resize(&mut scene(more), [32, 16]).expect("a smaller one");
    let said = resize(&mut scene(more), [65, 32]);
    assert_eq!(said, Err("the dispatch of passes[1] is made for a picture of 64x32 at most".into()));
}
