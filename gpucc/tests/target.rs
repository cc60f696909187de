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
