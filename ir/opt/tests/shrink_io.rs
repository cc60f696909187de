//! Inputs and components that nobody reads.

use gpucc_ir::Type;
use gpucc_opt::{Caps, Options, PipelineContext, prepare};
use gpucc_pipeline::Pipeline;

const HEAD: &str = r#"module robust on
entry "fs" fragment func0 {
  in0 "unread" location 0 f32x4
  in1 "first" location 1 f32x3
  in2 "two" location 2 linear center f32x4
  in3 "whole" location 3 f32x2
  out0 "" location 0 f32x4
}
"#;

fn prepared(body: &str, level: u8) -> (Vec<(String, Type)>, String) {
    let text = format!("{HEAD}func0 \"fs\" -> f32x4 {{\nblock0:\n{body}}}\n");
    let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}"));
    let options = Options { level, verify: true, ..Options::default() };
    let (after, _) = prepare(&m, "fs", &Caps::FULL, &options).unwrap_or_else(|e| panic!("{e}"));
    let io = after.entries[0].interface().expect("an interface");
    (io.inputs.iter().map(|s| (s.name.clone(), s.ty)).collect(), after.to_string())
}

const BODY: &str = "  v0: f32x4 = input in0\n  v1: f32x3 = input in1\n  v2: f32x4 = input in2\n  v3: f32x2 = input in3\n\
    v4: f32 = extract v1, lane 0\n  v5: f32 = extract v2, lane 1\n  v6: f32 = fadd v4, v5\n  v7: f32x2 = fadd v3, v3\n\
    v8: f32 = extract v7, lane 0\n  v9: f32 = extract v7, lane 1\n  v10: f32x4 = compose v4, v6, v8, v9\n  ret v10\n";

#[test]
fn what_nobody_reads_goes() {
    let (inputs, text) = prepared(BODY, 1);
    let want = [("first", 1), ("two", 2), ("whole", 2)].map(|(n, k)| (n.to_string(), Type::F32.with_lanes(k)));
    assert_eq!(inputs, want, "{text}");
    assert!(text.contains(": f32 = input in0") && text.contains(": f32x2 = input in1"), "{text}");
}

#[test]
fn what_is_read_stays() {
    let body = "  v0: f32x4 = input in0\n  v1: f32x3 = input in1\n  v2: f32x4 = input in2\n  v3: f32x2 = input in3\n\
        v4: f32x4 = fadd v0, v2\n  v5: f32 = extract v1, lane 2\n  v6: f32x2 = fadd v3, v3\n  v7: f32 = extract v6, lane 1\n\
        v11: f32 = extract v6, lane 0\n  v12: f32 = fadd v11, v7\n  v8: f32 = fadd v5, v12\n  v9: f32x4 = splat v8\n\
        v10: f32x4 = fadd v4, v9\n  ret v10\n";
    let (inputs, text) = prepared(body, 2);
    assert_eq!(inputs.iter().map(|i| i.1.lanes()).collect::<Vec<_>>(), [4, 3, 4, 2], "{text}");
    // Level 0 leaves the interface as the source has it.
    assert_eq!(prepared(BODY, 0).0.len(), 4);
}

const VERTEX: &str = r#"module robust on
entry "vs" vertex func0 {
  out0 "" position f32x4
  out1 "a" location 0 f32x4
  out2 "" clip_distance 0 f32
  out3 "b" location 1 f32x3
  out4 "c" location 2 f32
}
func0 "vs" -> f32x4, f32x4, f32, f32x3, f32 {
block0:
  v0: i32 = sysval vertex_index
  v1: f32 = u2f v0
  v2: f32x4 = splat v1
  v3: f32x3 = compose v1, 2.0:f32, v1
  ret v2, v2, v1, v3, v1
}
"#;

/// The remainder of the vertex entry's outputs before a fragment entry, or without one.
fn outputs(fragment: Option<&str>, level: u8) -> Vec<String> {
    let m = gpucc_ir::text::parse_module(VERTEX).unwrap_or_else(|e| panic!("{e}"));
    let other = fragment.map(|slots| {
        let text = format!(
            "module robust on\nentry \"fs\" fragment func0 {{\n{slots}}}\nfunc0 \"fs\" {{\nblock0:\n  ret\n}}\n"
        );
        gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}")).entries[0].stage.clone()
    });
    let context = Some(Box::new(PipelineContext { other, pipeline: Pipeline::default() }));
    let options = Options { level, verify: true, context, ..Options::default() };
    let (after, _) = prepare(&m, "vs", &Caps::FULL, &options).unwrap_or_else(|e| panic!("{e}"));
    let io = after.entries[0].interface().expect("an interface");
    io.outputs.iter().map(|s| format!("{} {}", s.at, s.ty)).collect()
}

#[test]
fn outputs_that_no_fragment_reads_go() {
    let fragment = "  in0 \"b\" location 1 f32\n  in1 \"c\" location 2 f32\n";
    let kept = ["position f32x4", "clip_distance 0 f32", "location 1 f32", "location 2 f32"];
    assert_eq!(outputs(Some(fragment), 1), kept);
    assert_eq!(outputs(None, 2), kept[..2]);
}

#[test]
fn outputs_that_a_fragment_reads_stay() {
    let fragment = "  in0 \"b\" location 1 f32x3\n  in1 \"c\" location 2 f32\n  in2 \"a\" location 0 f32x4\n";
    assert_eq!(outputs(Some(fragment), 2).len(), 5);
    assert_eq!(outputs(None, 0).len(), 5, "level 0 leaves the interface as the source has it");
    // Without a pipeline nobody knows what is read.
    let m = gpucc_ir::text::parse_module(VERTEX).unwrap_or_else(|e| panic!("{e}"));
    let (after, _) = prepare(&m, "vs", &Caps::FULL, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(after.entries[0].interface(), m.entries[0].interface());
}
