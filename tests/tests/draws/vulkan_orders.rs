//! Frames of which the chip's width or the order of invocations decides a value: the oracle has the width of the machine, and leaves out what
//! another order changes.

use std::path::PathBuf;

use gpucc::Target;
use gpucc_render::compare::{self, Against, Compared, Verdict};
use gpucc_render::{Lowering, Place, PreparedScene, Programs, frame};
use gpucc_scene::{SceneFile, output, read};

use crate::draws::drawing;

const VERTEX: &str = "
    enable subgroups;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32((i << 1u) & 2u) * 2.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
    }";

/// The size of a subgroup, and the place of a pixel in its own.
const LANES: &str = "
    @fragment fn fs(@builtin(subgroup_size) n: u32, @builtin(subgroup_invocation_id) k: u32) -> @location(0) vec4u {
        return vec4u(n, k, 0, 1);
    }";

/// Each fragment reads what one of those before it has written, and writes.
const ORDERS: &str = "
    @group(0) @binding(0) var<storage, read_write> last: array<u32>;
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4u {
        let before = last[0];
        last[0] = u32(p.x) + 8u * u32(p.y) + 1u;
        return vec4u(before, 7, 0, 1);
    }";

fn ready(fragment: &str, buffer: bool) -> PreparedScene {
    let (buffers, bindings) = match buffer {
        true => ("[buffers]\nlast = { u32 = [0] }\n", "bindings = [{ binding = 0, buffer = \"last\" }]\n"),
        false => ("", ""),
    };
    let text = format!(
        "format = \"scene-1\"\nshaders.s.wgsl = '''{VERTEX}{fragment}'''\n[textures]\n\
         picture = {{ format = \"rgba8uint\", size = [8, 8] }}\n{buffers}[pipelines.p]\nvertex = {{ shader = \"s\" }}\n\
         fragment = {{ shader = \"s\", targets = [{{ format = \"rgba8uint\" }}] }}\n[[passes]]\ntype = \"render\"\n\
         colorAttachments = [{{ texture = \"picture\" }}]\n[[passes.draws]]\npipeline = \"p\"\n{bindings}\
         draw = {{ vertexCount = 3 }}\n[[outputs]]\nname = \"picture\"\ntexture = \"picture\"\n"
    );
    let scene = read::parse(&text, read::Language::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let file = SceneFile { scene, name: "scene.toml".into(), folder: PathBuf::new(), text: None };
    PreparedScene::new(file).unwrap_or_else(|e| panic!("{e}"))
}

/// The picture, and what the oracle says of it.
fn judged(ready: &PreparedScene, target: Target, against: Against) -> (Vec<u8>, Result<Compared, Verdict>) {
    judged_at(ready, Place::Target(target, 2), against)
}

fn judged_at(ready: &PreparedScene, place: Place, against: Against) -> (Vec<u8>, Result<Compared, Verdict>) {
    let (scene, options) = (&ready.file.scene, frame::Options::default());
    let programs = Programs::new(scene, &ready.shaders, place).unwrap_or_else(|e| panic!("{place:?}: {e}"));
    let mut got = ready.resources.clone();
    let report = frame::run(scene, &ready.shaders, &programs, &mut got, &options, &mut || {});
    let report = report.unwrap_or_else(|e| panic!("{place:?}: {e}"));
    let bytes = output::bytes(scene, &got, &scene.outputs[0]).unwrap_or_else(|e| panic!("{e}"));
    (bytes, compare::check(ready, (&programs, place), (&got, &report), against, &options))
}

/// 16 pixels of a wave are four quads on Valhall. The others refuse what is asked.
#[test]
fn the_oracle_has_the_width_of_the_machine() {
    let ready = ready(LANES, false);
    for target in drawing::drawing("valhall:all") {
        for against in [Against::Lowered, Against::Source] {
            let (bytes, compared) = judged(&ready, target, against);
            assert!(bytes.chunks(4).all(|p| p[0] == 16 && p[1] < 16), "{target}: {bytes:?}");
            let compared = compared.unwrap_or_else(|v| panic!("{target} {against:?}: {v:?}"));
            assert_eq!((compared.open, compared.ordered), (0, 0), "{target}");
        }
    }
}

/// Which fragment was before is open; that each gives 7 is not.
#[test]
fn what_another_order_changes_is_left_out() {
    let ready = ready(ORDERS, true);
    let mut left_out = 0;
    for target in drawing::drawing("gcn,valhall,vivante") {
        let (bytes, compared) = judged(&ready, target, Against::Lowered);
        assert!(bytes.chunks(4).all(|p| p[1] == 7), "{target}: {bytes:?}");
        let compared = compared.unwrap_or_else(|v| panic!("{target}: {v:?}"));
        left_out += compared.ordered;
    }
    assert!(left_out > 0, "machines narrower than the oracle's batches give other values");
}

/// A lane's number is another one in another order: the oracle leaves it out of the comparison with itself, and says how much that is. The size of
/// subgroups is in the same pixels; a picture of it alone is compared.
#[test]
fn the_oracle_is_not_different_from_itself() {
    let size = LANES.replace("vec4u(n, k, 0, 1)", "vec4u(n, 1, 0, 1)");
    for (fragment, lanes) in [(LANES, true), (&size, false)] {
        let (_, compared) = judged_at(&ready(fragment, false), Place::Oracle(Lowering::Source), Against::Lowered);
        let compared = compared.unwrap_or_else(|v| panic!("{v:?}"));
        assert_eq!((compared.ordered > 0, compared.outputs), (lanes, 1), "{compared:?}");
    }
}

/// WGSL leaves open which element an index past the end reads: the half of the picture that reads one is left out of the comparison with the source,
/// and the other half is not.
#[test]
fn reads_out_of_bounds_decide_nothing() {
    const STRAY: &str = "
        @group(0) @binding(0) var<storage> last: array<u32>;
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4u { return vec4u(last[u32(p.x)], 7, 0, 1); }";
    let mut ready = ready(STRAY, true);
    let words: Vec<u8> = [10u32, 20, 30, 40].iter().flat_map(|w| w.to_le_bytes()).collect();
    ready.resources.buffers[0] = words;
    let (mut judges, mut left) = (0, 0);
    for target in drawing::drawing("gcn:all,valhall:all,vivante:all") {
        let (bytes, compared) = judged(&ready, target, Against::Source);
        for row in bytes.chunks(32) {
            assert_eq!([row[0], row[4], row[8], row[12]], [10, 20, 30, 40], "{target}");
        }
        let compared = compared.unwrap_or_else(|v| panic!("{target}: {v:?}"));
        assert!([0, 32].contains(&compared.strayed), "{target}: {compared:?}");
        (judges, left) = (judges + 1, left + compared.strayed);
    }
    assert!(judges > 6 && left > 0, "{judges}, {left}");
}
