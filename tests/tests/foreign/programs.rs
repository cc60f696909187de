//! Machine code of other compilers on our machines: a sample of what lies in the shared folder, and a fault for each way
//! in which a line can fail.

use gpucc_sim::RunOptions;
use gpucc_tests::{foreign, shared};

/// Each so many lines one is run.
const STEP: usize = 23;

#[test]
fn sample_of_the_shared_folder_passes() {
    let Some(folder) = shared::find("foreign") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (i, line) in text.lines().enumerate().step_by(STEP) {
            count += 1;
            // Every order of lanes and waves gives the same.
            let options = RunOptions { perturb: (i % 2 == 1).then_some(i as u64), ..RunOptions::default() };
            if let Err((id, why)) = foreign::judge(line, &options) {
                wrong.push(format!("{}:{} {id}: {why}", file.display(), i + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "only {count} lines");
}

/// Stores 7 to the first word.
fn line() -> serde_json::Value {
    serde_json::json!({
        "format": "gpucc-foreign-1", "id": "seven", "family": "gcn", "generation": "gfx8",
        "workgroup": [64, 1, 1], "dispatch": [1, 1, 1],
        // v_mov_b32 v0, 7; buffer_store_dword v0, off, s[0:3], 0; s_endpgm
        "code": "8702007e000070e000000080000081bf",
        "launch": {
            "subgroup_size": 64, "registers": [[0, 16], [1, 4]], "shared_bytes": 0, "scratch_bytes": 0,
            "family_words": [2883776, 8], "flags": 0,
            "resources": [{"group": 0, "binding": 0, "kind": "storage_rw"}],
            "preloads": (0..4).map(|w| serde_json::json!([0, w, ["DescriptorWord", 0, 0, w]])).collect::<Vec<_>>(),
        },
        "buffers": [{"group": 0, "binding": 0, "type": "storage_rw", "size": 8}],
        "checks": [{"group": 0, "binding": 0, "kind": "bytes", "offset": 0, "hex": "0700000000000000"}],
    })
}

#[test]
fn lines_fail_by_name() {
    let judge = |v: &serde_json::Value| foreign::judge(&v.to_string(), &RunOptions::default()).map(|(l, r)| (l.id, r));
    assert_eq!(judge(&line()).unwrap().1.instructions, 3);
    let fails = |change: &dyn Fn(&mut serde_json::Value), says: &str| {
        let mut v = line();
        change(&mut v);
        let (id, why) = judge(&v).unwrap_err();
        assert!(id == "seven" && why.contains(says), "{id}: {why}");
    };
    fails(&|v| v["family"] = "none".into(), "unknown family `none`");
    fails(&|v| v["generation"] = "gfx5".into(), "no generation `gfx5`");
    fails(&|v| v["checks"][0]["hex"] = "08".into(), "buffer 0:0: bytes at 0");
    fails(&|v| v["checks"][0]["binding"] = 4.into(), "no buffer 0:4");
    fails(&|v| v["checks"] = serde_json::Value::Null, "checks");
    fails(&|v| v["code"] = "8702007e".into(), "trap: fell off the end");
    fails(&|v| drop(v.as_object_mut().unwrap().shift_remove("launch")), "missing field `launch`");
    assert_eq!(foreign::judge("{", &RunOptions::default()).unwrap_err().0, "");
}
