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

/// The first passes are shared by the targets of all families where none of them would do something else, and by none where lanes see each other;
/// the code is that of each target alone.
#[test]
fn the_first_passes_are_shared_and_change_nothing() {
    use gpucc::{CodegenOptions, Options, frontend};
    let targets = ["gcn:gfx6", "gcn:gfx8", "valhall:v10", "tesla:nva3", "vivante:gc3000", "vivante:gc7000"]
        .map(|t| Target::parse(t).expect("a target"));
    // Behind the head. `own`: families differ in what they do.
    let texts = [
        // A short loop.
        ("  var s = 0.0;\n  for (var k = 0u; k < 4u; k++) { s += o[id.x + k]; }\n  o[id.x] = s;", false, false),
        // Copies save much and are long.
        (
            "  var s = 0.0;\n  for (var k = 0u; k < 16u; k++) {\n    let a = f32(k) * 3.0 + 1.0; let b = a * a - 2.0; let c = sqrt(b * a + 7.0);\n    \
             s = s * c + (o[id.x * 16u + k * 3u] - a) * b;\n    s = abs(s) / (c + 1.0) + a * b * c;\n    s = s * b + a;\n    \
             s = abs(s) / (c + 2.0) + a * b;\n    s = s * c + a;\n    s = abs(s) / (c + 4.0) + a * c;\n  }\n  o[id.x] = s;",
            false,
            true,
        ),
        // An array that some choose from and others index.
        (
            "  var t: array<f32, 8>;\n  for (var k = 0u; k < 8u; k++) { t[k] = o[k]; }\n  o[id.x] = t[id.x & 7u] + t[(id.x >> 3u) & 7u];",
            false,
            true,
        ),
        // The number is the first of the local id, unless vectors are wanted.
        ("  o[id.x] = f32(n) * 0.5;", false, true),
        ("  o[id.x] = f32(subgroupAdd(id.x));", true, true),
    ];
    for (text, lanes, own) in texts {
        let text = format!(
            "{}@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n@compute @workgroup_size(64)\n\
             fn main(@builtin(global_invocation_id) id: vec3u{}) {{\n{text}\n}}",
            if lanes { "enable subgroups;\n" } else { "" },
            if text.contains("(n)") { ", @builtin(local_invocation_index) n: u32" } else { "" }
        );
        let loaded = frontend::load(text.as_bytes(), frontend::Lang::Wgsl, &Default::default()).expect("a shader");
        let caps = targets.map(|t| t.caps(gpucc::Stage::Compute).early(&loaded.module));
        assert_eq!(caps.iter().all(|c| c.shared() == caps[0].shared()), !lanes, "{text}");
        if !lanes {
            let o = gpucc_opt::Options::default();
            let hangs = targets.map(|t| {
                let caps = t.caps(gpucc::Stage::Compute).early(&loaded.module);
                gpucc_opt::begin(&loaded.module, "main", &caps, &o).expect("passes").0.hangs_on_target()
            });
            assert!(hangs.iter().all(|h| *h == own), "{text}: {hangs:?}");
        }
        let together = gpucc::compile_entry_for(&loaded.module, "main", &targets, &CodegenOptions::default());
        for (t, both) in targets.iter().zip(together) {
            let alone = gpucc::compile_entry(&loaded.module, "main", &Options::new(*t)).expect("code");
            assert!(both.expect("code").bytes() == alone.bytes(), "{t}: {text}");
        }
    }
}
