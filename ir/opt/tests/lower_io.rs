//! Stages in the form of poorer targets: each rule where it fires, and nothing where the target has everything.

use gpucc_ir::{Module, Stage};
use gpucc_opt::{Caps, IoCaps, Options, prepare};

const VERTEX: &str = r#"module robust on
entry "vs" vertex func0 {
  in0 "p" location 0 f32x4
  out0 "" position f32x4
  out1 "a" location 0 linear center f32x2
  out2 "b" location 1 f32
}
func0 "vs" -> f32x4, f32x2, f32 {
block0:
  v0: f32x4 = input in0
  v1: i32 = sysval vertex_index
  v2: i32 = sysval instance_index
  v3: f32 = u2f v1
  v4: f32 = u2f v2
  v5: f32x2 = compose v3, v4
  ret v0, v5, v3
}
"#;

const FRAGMENT: &str = r#"module robust on
entry "fs" fragment func0 {
  in0 "a" location 0 linear center f32x2
  in1 "b" location 1 f32
  in2 "c" location 2 flat center i32
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32x2 = input in0
  v1: f32 = input in1
  v2: i32 = input in2
  v3: f32 = u2f v2
  v4: f32x4 = sysval frag_coord
  v5: f32 = extract v4, lane 2
  v6: f32 = extract v0, lane 1
  v7: f32 = fadd v6, v3
  v8: f32x4 = compose v5, v1, v7, v6
  ret v8
}
"#;

fn lowered(text: &str, stage: Stage, io: IoCaps) -> (Module, String) {
    let m = gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    let name = m.entries[0].name.clone();
    let options = Options { verify: true, ..Options::default() };
    let (after, _) = prepare(&m, &name, &Caps { io, ..Caps::FULL }, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(after.entries[0].stage.kind(), stage);
    let text = after.to_string();
    (after, text)
}

#[test]
fn a_target_with_everything_keeps_the_stages() {
    for (text, stage) in [(VERTEX, Stage::Vertex), (FRAGMENT, Stage::Fragment)] {
        let (after, said) = lowered(text, stage, IoCaps::FULL);
        let before = gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(after.entries[0].interface(), before.entries[0].interface(), "{said}");
    }
}

#[test]
fn indices_have_their_bases_added() {
    let (_, text) = lowered(VERTEX, Stage::Vertex, IoCaps { whole_indices: false, ..IoCaps::FULL });
    for part in ["raw_vertex_index", "first_vertex", "raw_instance_index", "first_instance"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(text.matches("iadd").count(), 2, "{text}");
}

/// z of 0..w becomes 2 z - w, and the interface says so.
#[test]
fn depth_from_minus_w() {
    let (_, text) = lowered(VERTEX, Stage::Vertex, IoCaps { negative_depth: true, ..IoCaps::FULL });
    assert!(text.contains("position clip_negative"), "{text}");
    assert!(text.contains("fadd") && text.contains("fsub"), "{text}");
}

/// The vertex gives a * w, and the fragment multiplies by 1 / w what it gets with perspective.
#[test]
fn linear_by_perspective() {
    let caps = IoCaps { linear: false, ..IoCaps::FULL };
    let (_, vertex) = lowered(VERTEX, Stage::Vertex, caps);
    let (_, fragment) = lowered(FRAGMENT, Stage::Fragment, caps);
    assert!(!vertex.contains("linear center") && vertex.contains("fmul"), "{vertex}");
    assert!(!fragment.contains("linear center") && fragment.contains("frag_inv_w"), "{fragment}");
    assert!(!fragment.contains("frcp"), "{fragment}");
}

#[test]
fn perspective_by_division() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { perspective: false, ..IoCaps::FULL });
    assert!(text.contains("\"b\" location 1 over_w center f32") && text.contains("\"a\" location 0 linear"), "{text}");
    assert!(text.contains("flat center i32"), "{text}");
    assert_eq!(text.matches("frcp").count(), 1, "{text}");
}

/// Without both, what is linear needs no arithmetic in the fragment: times w over w.
#[test]
fn linear_over_w_is_what_it_was() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { linear: false, perspective: false, ..IoCaps::FULL });
    assert!(text.contains("\"a\" location 0 over_w center f32x2"), "{text}");
    assert_eq!(text.matches("fmul").count(), 1, "of `b` alone: {text}");
}

#[test]
fn positions_of_fragments_by_their_parts() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { frag_coord: false, ..IoCaps::FULL });
    assert!(text.contains("frag_z") && !text.contains("frag_coord"), "{text}");
}
