//! Clip distances that a fragment entry point reads travel at locations of their own; where none are read both stages stay.

use gpucc_ir::Module;
use gpucc_opt::{reads_distances, share_distances};

const VERTEX: &str = r#"module robust on
entry "vs" vertex func0 {
  out0 "" position f32x4
  out1 "" clip_distance 0 f32
  out2 "a" location 0 f32
}
func0 "vs" -> f32x4, f32, f32 {
block0:
  v0: i32 = sysval vertex_index
  v1: f32 = u2f v0
  v2: f32x4 = compose v1, v1, v1, v1
  v3: f32 = fadd v1, v1
  ret v2, v3, v1
}
"#;

const FRAGMENT: &str = r#"module robust on
entry "fs" fragment func0 {
  in0 "" clip_distance 1 linear center f32
  in1 "a" location 0 f32
  in2 "" clip_distance 0 f32
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32 = input in0
  v1: f32 = input in1
  v2: f32 = input in2
  v3: f32x4 = compose v0, v1, v2, v2
  ret v3
}
"#;

fn parsed(text: &str) -> Module {
    gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"))
}

fn shared(fragment: &str) -> (u64, String, String) {
    let (mut v, mut f) = (parsed(VERTEX), parsed(fragment));
    let n = share_distances((&mut v, "vs"), (&mut f, "fs"));
    for m in [&v, &f] {
        gpucc_ir::verify::verify_module(m).unwrap_or_else(|list| panic!("{}\n{m}", list[0]));
    }
    (n, v.to_string(), f.to_string())
}

#[test]
fn distances_that_are_read_have_locations() {
    assert!(reads_distances(&parsed(FRAGMENT), "fs"));
    let (n, v, f) = shared(FRAGMENT);
    assert_eq!(n, 2);
    assert!(f.contains("in0 \"\" location 1 linear center f32") && f.contains("in2 \"\" location 2"), "{f}");
    assert!(!f.contains("clip_distance"), "{f}");
    // The distance that is given stays, too; the one that is not is 0.
    assert!(v.contains("out1 \"\" clip_distance 0 f32") && v.contains("out3 \"\" location 1 linear center f32"), "{v}");
    assert!(v.contains("ret v2, v3, v1, 0.0:f32, v3"), "{v}");
}

#[test]
fn without_distances_both_stages_stay() {
    let plain = FRAGMENT.replace("clip_distance 1", "location 1").replace("clip_distance 0", "location 2");
    assert!(!reads_distances(&parsed(&plain), "fs"));
    let (n, v, f) = shared(&plain);
    assert_eq!(n, 0);
    assert_eq!((v, f), (parsed(VERTEX).to_string(), parsed(&plain).to_string()));
}
