//! Tests of `gpucc/src/target.rs`.

use gpucc::Target;

#[test]
fn names() {
    let all = Target::parse_list("all").expect("all is a target");
    let names: Vec<String> = all.iter().map(Target::to_string).collect();
    assert_eq!(names, ["valhall:v10", "tesla:nva3", "gcn:gfx8", "vivante:gc3000"]);
    assert_eq!(Target::parse_list("all:all").map(|l| l.len()), Ok(12));
    assert_eq!(Target::parse("gcn:gfx7").map(|t| t.to_string()), Ok("gcn:gfx7".into()));
    assert!(Target::parse("rdna").is_err_and(|e| e.contains("valhall (v9, v10)")));
    assert!(Target::parse("gcn:gfx9").is_err_and(|e| e.contains("gfx6, gfx7, gfx8")));
    assert_eq!(Target::parse_list("gcn,gcn:gfx8,tesla").map(|l| l.len()), Ok(2));
}

/// The first passes are shared by the targets of three families, and by none where lanes see each other; the code is that of each target alone.
#[test]
fn the_first_passes_are_shared_and_change_nothing() {
    use gpucc::{CodegenOptions, Options, frontend};
    let targets = ["gcn:gfx6", "gcn:gfx8", "valhall:v10", "tesla:nva3", "vivante:gc7000"]
        .map(|t| Target::parse(t).expect("a target"));
    let plain = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n@compute @workgroup_size(64)\n\
                 fn main(@builtin(global_invocation_id) id: vec3u) {\n  var s = 0.0;\n  for (var k = 0u; k < 4u; k++) { s += o[id.x + k]; }\n  o[id.x] = s;\n}";
    let lanes = "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(64)\n\
                 fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) n: u32) {\n  o[id.x] = subgroupAdd(id.x) + n;\n}";
    for (text, shared) in [(plain, true), (lanes, false)] {
        let loaded = frontend::load(text.as_bytes(), frontend::Lang::Wgsl, &Default::default()).expect("a shader");
        let caps = |t: &Target| t.caps(gpucc::Stage::Compute);
        let early: Vec<_> = targets.iter().map(|t| caps(t).early(&loaded.module)).collect();
        assert_eq!(early[1] == early[2] && early[2] == early[3], shared, "{text}");
        let together = gpucc::compile_entry_for(&loaded.module, "main", &targets, &CodegenOptions::default());
        for (t, both) in targets.iter().zip(together) {
            let alone = gpucc::compile_entry(&loaded.module, "main", &Options::new(*t)).expect("code");
            assert_eq!(both.expect("code").bytes(), alone.bytes(), "{t:?}");
        }
    }
}
