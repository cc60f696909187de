//! Inputs and components that nobody reads.

use gpucc_ir::Type;
use gpucc_opt::{Caps, Options, prepare};

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
