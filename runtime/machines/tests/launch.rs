//! Tests of `runtime/machines/src/launch.rs`.

use gpucc_container::{LaunchOp, LaunchStep, Source};
use gpucc_machines::launch::*;
use gpucc_sim::RunOptions;

/// `s_endpgm`, with a buffer and some preloads.
const PROGRAM: &str = r#"{"format": "gpucc-foreign-1", "id": "end", "family": "gcn", "generation": "gfx8",
    "workgroup": [64, 1, 1], "dispatch": [2, 1, 1], "code": "000081bf00009fbf", "exec_size": 4,
    "launch": {"subgroup_size": 64, "registers": [[0, 16], [1, 4]], "shared_bytes": 0, "scratch_bytes": 0,
      "family_words": [2883776, 8], "flags": 0,
      "resources": [{"group": 0, "binding": 3, "kind": "storage_rw"}],
      "preloads": [[0, 0, ["DescriptorWord", 0, 3, 2]], [1, 0, ["LocalId", 0]]]},
    "buffers": [{"group": 0, "binding": 3, "type": "storage_rw", "size": 8, "hex": "01ff"}],
    "checks": [], "why": "the least there is"}"#;

#[test]
fn description_becomes_container_and_dispatch() {
    let computed = r#""flags": 0, "steps": [["limit", [["BufferSize", 0, 3], ["Const", 4], ["Const", 2]]], ["not", [["Step", 0]]]]"#;
    let l = Launch::read(PROGRAM.replacen(r#""flags": 0"#, computed, 1).as_bytes()).unwrap();
    let e = &l.container.entries[0];
    assert_eq!((l.id.as_str(), e.code.len(), l.exec_size), ("end", 8, Some(4)));
    assert_eq!(e.preloads[0].source, Source::DescriptorWord { group: 0, binding: 3, word: 2 });
    let size = Source::BufferSize { group: 0, binding: 3 };
    let limit = LaunchStep::new(LaunchOp::Limit, vec![size, Source::Const(4), Source::Const(2)]);
    assert_eq!(e.steps, [limit, LaunchStep::new(LaunchOp::Not, vec![Source::Step(0)])].map(Option::unwrap));
    assert_eq!(l.dispatch.buffer(0, 3).unwrap().bytes, [1, 255, 0, 0, 0, 0, 0, 0]);
    let mut d = l.dispatch.clone();
    assert_eq!(l.run(&mut d, &RunOptions::default()).unwrap().instructions, 2);
}

#[test]
fn faults_name_the_field() {
    let with = |from: &str, to: &str| {
        assert!(PROGRAM.contains(from), "{from}");
        Launch::read(PROGRAM.replacen(from, to, 1).as_bytes()).unwrap_err()
    };
    let cases = [
        ("foreign-1", "foreign-9", "`format`: `gpucc-foreign-9`"),
        ("\"gcn\"", "\"abc\"", "`family`: unknown family `abc`"),
        ("gfx8", "gfx9", "`generation`: gcn has no generation `gfx9`"),
        ("\"gcn\"", "7", "`family`: invalid type"),
        ("\"shared_bytes\": 0,", "", "`launch`: missing field `shared_bytes`"),
        ("000081bf", "000081b", "`code`: hex text of odd length"),
        ("000081bf", "000081bg", "`code`: hex text with something else"),
        ("\"exec_size\": 4", "\"exec_size\": 12", "`exec_size`: 12 bytes of 8"),
        ("\"LocalId\", 0", "\"LocalId\", 3", "`launch.preloads[1][2]`: no source `LocalId`"),
        ("\"LocalId\", 0", "\"LocalId\", -1", "`launch.preloads[1][2]`: arguments of `LocalId`"),
        (
            "\"flags\": 0",
            "\"flags\": 0, \"steps\": [[\"fadd\", [[\"Const\", 1]]]]",
            "`launch.steps[0]`: `fadd` has no 1 operands",
        ),
        ("\"flags\": 0", "\"flags\": 0, \"steps\": [[\"sum\", []]]", "`launch.steps[0]`: no operation `sum`"),
        ("\"kind\": \"storage_rw\"", "\"kind\": \"sampler\"", "`launch.resources[0].kind`: unknown kind"),
        ("\"binding\": 3, \"type\"", "\"binding\": 2, \"type\"", "`launch.resources[0]`: no buffer"),
        ("\"size\": 8", "\"size\": 1", "`buffers[0]`: 2 initial bytes for a binding of 1"),
        ("\"size\": 8", "\"size\": 18446744073709551615", "`buffers[0]`: buffers of more than"),
        ("\"size\": 8", "\"size\": 1073676288", "`buffers[0]`: buffers of more than 134217728 bytes"),
        ("\"why\"", "why", "key must be a string at line"),
    ];
    for (from, to, says) in cases {
        let e = with(from, to);
        assert!(e.contains(says), "{e:?} does not say {says:?}");
    }
    assert!(Launch::read(b"").unwrap_err().contains("EOF"));
    assert!(Launch::read(b"[]").is_err());
}
