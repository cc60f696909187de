//! `stats` and `diff`: what a report says, and what a comparison lets pass.

use crate::common::{DOUBLE, SHARED_ATOMICS, Scratch, expect, gpucc, text};
use serde_json::{Value, json};

/// A report of a folder for all families.
fn report(s: &Scratch, args: &[&str], name: &str) -> Value {
    expect(&[&["stats", "--format", "json", "-o", &s.path(name)], args].concat(), 0, "");
    serde_json::from_slice(&s.read(name)).expect("JSON")
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("rows")
}

fn folder(name: &str) -> Scratch {
    let s = Scratch::new(name);
    s.write("k/a.wgsl", DOUBLE);
    s.write("k/sub/b.wgsl", SHARED_ATOMICS);
    s.write("k/sub/readme.txt", "nothing");
    s
}

#[test]
fn keys_do_not_depend_on_how_the_folder_is_written() {
    let s = folder("keys");
    let wanted = report(&s, &[&s.path("k"), "--target", "all"], "0.json");
    let mut written = vec![s.path("k/"), s.path("./k"), s.path("k/../k/."), s.path("k/sub/..")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("k", s.0.join("link")).expect("a link");
        written.push(s.path("link"));
    }
    for path in written {
        report(&s, &[&path, "--target", "all"], "1.json");
        assert_eq!(s.read("0.json"), s.read("1.json"), "{path}");
    }
    let relative = gpucc()
        .current_dir(s.path("k/sub"))
        .args(["stats", "..", "--target", "all", "--format", "json", "--jobs", "1"])
        .output()
        .expect("the command starts");
    assert_eq!(relative.stdout, s.read("0.json"), "{}", text(&relative));
    let keys: Vec<&str> = wanted.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["format", "version", "options", "command", "rows"]);
    let command = wanted["command"].as_str().expect("text");
    assert!(!command.contains("jobs") && !command.contains("/k") && !command.contains("-o "), "{command}");
    let row = &rows(&wanted)[0];
    let keys: Vec<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["file", "entry", "stage", "target", "status", "stats", "limiter"]);
    assert_eq!((&row["file"], &row["entry"], &row["stage"]), (&json!("a.wgsl"), &json!("main"), &json!("compute")));
    assert_eq!(rows(&wanted).last().map(|r| r["file"].clone()), Some(json!("sub/b.wgsl")));
    assert_eq!(rows(&wanted).len(), 8);
}

#[test]
fn shards_together_are_the_whole() {
    let s = folder("shards");
    for n in 0..5 {
        s.write(&format!("k/n{n}.wgsl"), DOUBLE);
    }
    let common = [&s.path("k"), "--target", "gcn,tesla:nv50", "-O", "1", "--per-line"];
    report(&s, &[&common[..], &["--jobs", "2"]].concat(), "whole.json");
    let parts: Vec<String> = (1..=3)
        .map(|i| {
            report(&s, &[&common[..], &["--shard", &format!("{i}/3")]].concat(), &format!("{i}.json"));
            s.path(&format!("{i}.json"))
        })
        .collect();
    for order in [[0, 1, 2], [2, 0, 1]] {
        let files: Vec<&str> = order.iter().map(|i| parts[*i].as_str()).collect();
        expect(&[&["stats", "merge", "-o", &s.path("m.json")], &files[..]].concat(), 0, "");
        assert_eq!(s.read("m.json"), s.read("whole.json"));
    }
    report(&s, &[&s.path("k"), "--target", "gcn", "-O", "2"], "other.json");
    expect(&["stats", "merge", &parts[0], &s.path("other.json")], 1, "another version or command");
    for wrong in ["0/3", "4/3", "3", "x/y"] {
        expect(&["stats", &s.path("k"), "--shard", wrong], 2, "--shard");
    }
}

/// One entry point that a target, or every target, refuses loses no other of its file.
#[test]
fn refused_entries_are_rows() {
    let s = Scratch::new("refused-rows");
    let both = format!("{SHARED_ATOMICS}@compute @workgroup_size(1) fn fine() {{ o[0] = 1u; }}\n");
    s.write("k/two.wgsl", &both);
    s.write("k/three.wgsl", both + "@fragment fn v() { o[1] = 2u; }\n");
    let r = report(&s, &[&s.path("k"), "--target", "tesla:nv50,gcn"], "r.json");
    let status = |file: &str, entry: &str, target: &str| {
        let found = rows(&r).iter().find(|r| r["file"] == file && r["entry"] == entry && r["target"] == target);
        found.map(|r| (r["status"].clone(), r["stage"].clone())).unwrap_or_default()
    };
    let is = |status: &str, stage: &str| (json!(status), json!(stage));
    for file in ["two.wgsl", "three.wgsl"] {
        assert_eq!(status(file, "main", "gcn:gfx8"), is("ok", "compute"), "{r:#}");
        assert_eq!(status(file, "fine", "tesla:nv50"), is("ok", "compute"), "{r:#}");
        assert_eq!(status(file, "main", "tesla:nv50"), is("refused", "compute"), "{r:#}");
    }
    assert_eq!(status("three.wgsl", "v", "tesla:nv50"), is("refused", "fragment"), "{r:#}");
    assert_eq!(status("three.wgsl", "v", "gcn:gfx8"), is("ok", "fragment"), "{r:#}");
    assert_eq!(rows(&r).len(), 10);
}

/// A file that cannot be read in the middle, and links that go round: a sentence, the rest, exit 2.
#[cfg(unix)]
#[test]
fn unreadable_files_stop_nothing() {
    use std::os::unix::fs::symlink;
    let s = folder("unreadable");
    symlink("nowhere.wgsl", s.0.join("k/b.wgsl")).expect("a link");
    symlink("..", s.0.join("k/sub/up")).expect("a link");
    symlink("../k", s.0.join("k/again")).expect("a link");
    let args = ["stats", &s.path("k"), "--target", "gcn", "--format", "json", "-o", &s.path("r.json")];
    expect(&args, 2, "b.wgsl");
    let r: Value = serde_json::from_slice(&s.read("r.json")).expect("JSON");
    let files: Vec<(&str, &str)> =
        rows(&r).iter().map(|r| (r["file"].as_str().unwrap_or(""), r["status"].as_str().unwrap_or(""))).collect();
    assert_eq!(files, [("a.wgsl", "ok"), ("b.wgsl", "unreadable"), ("sub/b.wgsl", "ok")]);
    expect(&["stats", "no-such-file.wgsl", &s.path("k/a.wgsl"), "--target", "gcn"], 2, "1 compiled");
    expect(&["stats", &s.path("k/sub/readme.txt"), &s.path("k/a.wgsl"), "--target", "gcn"], 2, "1 compiled");
    s.write("k/wrong.wgsl", "fn main( {");
    expect(&["stats", &s.path("k/wrong.wgsl"), &s.path("k/a.wgsl"), "--target", "gcn"], 1, "invalid");
}

#[test]
fn lines_add_up_to_the_whole() {
    let s = Scratch::new("lines");
    for level in ["0", "2"] {
        let all = ["examples", "--target", "valhall,tesla,gcn,vivante", "--per-line", "-O", level];
        let r = report(&s, &all, "r.json");
        for row in rows(&r).iter().filter(|r| r["status"] == "ok") {
            let lines = row["lines"].as_object().expect("lines");
            let sum: u64 = lines.values().filter_map(Value::as_u64).sum();
            assert_eq!(Some(sum), row["stats"]["bytes"].as_u64(), "{row}");
        }
    }
    let csv = expect(&["stats", "examples/vecadd.wgsl", "--target", "gcn", "--per-line", "--format", "csv"], 0, "");
    let head = csv.lines().next().unwrap_or_default();
    assert_eq!(
        head, "file,entry,stage,target,status,line,bytes,live_s,live_v,cycles_salu,cycles_valu,cycles_vmem,message",
        "{csv}"
    );
}

/// Every number that is reported is in the list of statistics, and everything in that list is reported.
#[test]
fn statistics_are_those_of_the_list() {
    let s = Scratch::new("statistics");
    let r = report(&s, &["examples", "--target", "all:all"], "r.json");
    let mut seen = std::collections::BTreeSet::new();
    for row in rows(&r) {
        let family = row["target"].as_str().and_then(|t| t.split(':').next()).expect("a family").to_string();
        seen.extend(row["stats"].as_object().expect("numbers").keys().map(|k| (k.clone(), family.clone())));
    }
    let listed = gpucc::statistics::STATISTICS
        .iter()
        .flat_map(|s| gpucc::statistics::families(s).into_iter().map(|f| (s.name.to_string(), f.to_string())))
        .collect();
    assert_eq!(seen, listed);
}

/// A report of two shaders on gcn that tests change.
fn pair(s: &Scratch) -> Value {
    s.write("k/a.wgsl", DOUBLE);
    s.write("k/b.wgsl", DOUBLE);
    report(s, &[&s.path("k"), "--target", "gcn"], "old.json")
}

/// Compares `old.json` with a changed one.
#[track_caller]
fn diff(s: &Scratch, new: &Value, more: &[&str], code: i32, needle: &str) -> String {
    let new = s.write("new.json", new.to_string());
    expect(&[&["diff", &s.path("old.json"), &new], more].concat(), code, needle)
}

fn changed(report: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut r = report.clone();
    change(&mut r);
    r
}

fn add(report: &Value, row: usize, statistic: &str, by: i64) -> Value {
    changed(report, |r| {
        let v = &mut r["rows"][row]["stats"][statistic];
        *v = json!(v.as_i64().expect("a number") + by);
    })
}

#[test]
fn what_a_comparison_lets_pass() {
    let s = Scratch::new("diff");
    let old = pair(&s);
    diff(&s, &old, &[], 0, "helped 0, hurt 0, newly compiled 0, lost 0");
    diff(&s, &add(&old, 0, "instructions", -1), &[], 0, "helped 1");
    diff(&s, &add(&old, 0, "instructions", 1), &[], 1, "total of gcn:gfx8: instructions");
    diff(&s, &add(&old, 1, "waves", -1), &[], 1, "waves");
    diff(&s, &add(&old, 1, "spills", 2), &[], 1, "spills");
    diff(&s, &add(&old, 1, "salu", 2), &[], 0, "salu");
    // A lost row, whatever became of its file.
    let lost = changed(&old, |r| drop(r["rows"].as_array_mut().expect("rows").pop()));
    diff(&s, &lost, &[], 1, "b.wgsl main gcn:gfx8: is not in the new report");
    let refused = changed(&old, |r| {
        r["rows"][1]["status"] = json!("refused");
        r["rows"][1]["stats"] = json!({});
    });
    diff(&s, &refused, &[], 1, "compiled before, now refused");
    let invalid = changed(&lost, |r| {
        let row = json!({"file": "b.wgsl", "entry": "*", "stage": "*", "target": "gcn:gfx8", "status": "invalid",
                         "message": "a syntax error", "stats": {}});
        r["rows"].as_array_mut().expect("rows").push(row);
    });
    diff(&s, &invalid, &[], 1, "a syntax error");
    // More rows are none the worse.
    s.write("new.json", s.read("old.json"));
    s.write("old.json", lost.to_string());
    expect(&["diff", &s.path("old.json"), &s.path("new.json")], 0, "newly compiled 1");
    s.write("old.json", old.to_string());
    let renamed = changed(&old, |r| {
        for row in r["rows"].as_array_mut().expect("rows") {
            row["file"] = json!(format!("x/{}", row["file"].as_str().unwrap_or("")));
        }
    });
    diff(&s, &renamed, &[], 1, "share no row");
    let empty = changed(&old, |r| r["rows"] = json!([]));
    diff(&s, &empty, &[], 1, "share no row");
    // Other options and other schemas, unless they are allowed.
    let options = changed(&old, |r| r["options"]["opt"] = json!(3));
    diff(&s, &options, &[], 1, "other options");
    diff(&s, &options, &["--allow-options"], 0, "hurt 0");
    let schema = changed(&old, |r| r["format"] = json!("gpucc-stats-9"));
    diff(&s, &schema, &[], 1, "gpucc-stats-9");
    diff(&s, &schema, &["--allow-options"], 0, "hurt 0");
    diff(&s, &add(&schema, 0, "bytes", 4), &["--allow-options"], 1, "bytes");
    let version = changed(&old, |r| r["version"] = json!("9.9.9"));
    diff(&s, &version, &[], 0, "hurt 0");
    for wrong in ["", "[]", "{}", "null", "{\"format\": \"gpucc-stats-2\"}"] {
        let wrong = s.write("wrong.json", wrong);
        expect(&["diff", &wrong, &s.path("old.json")], 2, "is not a statistics report");
    }
    expect(&["diff", "no-such-file", &s.path("old.json")], 2, "no-such-file");
}

#[test]
fn gates_limit_shaders_and_totals() {
    let s = Scratch::new("gates");
    let old = pair(&s);
    let gate = |name: &str, text: &str| s.write(name, text);
    let total = gate("total.toml", "# of all\n[total]\ninstructions = \"50 %\"\nspills = 0\n");
    let shader = gate("shader.toml", "[shader]\nwaves = 1\nsalu = 0\n");
    diff(&s, &add(&old, 0, "instructions", 1), &["--gate", &total], 0, "hurt 1");
    diff(&s, &add(&old, 0, "instructions", 10_000), &["--gate", &total], 1, "limit 50 %");
    diff(&s, &add(&old, 0, "spills", 1), &["--gate", &total], 1, "spills");
    diff(&s, &add(&old, 0, "waves", -1), &["--gate", &shader], 0, "hurt 0");
    diff(&s, &add(&old, 0, "waves", -2), &["--gate", &shader], 1, "a.wgsl main gcn:gfx8: waves");
    diff(&s, &add(&old, 0, "waves", 2), &["--gate", &shader], 0, "");
    // A gain of one shader does not make good what another loses.
    let swapped = add(&add(&old, 0, "salu", -1), 1, "salu", 1);
    diff(&s, &swapped, &["--gate", &shader], 1, "b.wgsl main gcn:gfx8: salu");
    diff(&s, &swapped, &["--gate", &gate("sum.toml", "[total]\nsalu = 0\n")], 0, "");
    // One that is used more often decides.
    let used = |file: &str| gate("used.toml", &format!("[total]\nsalu = 0\n[weights]\n\"{file}\" = 3\n"));
    diff(&s, &swapped, &["--gate", &used("a.*")], 0, "");
    diff(&s, &swapped, &["--gate", &used("b.*")], 1, "total of gcn:gfx8: salu");
    for (text, why) in [
        ("", "limits nothing"),
        ("[total]\n", "limits nothing"),
        ("[total]\nwombats = 1\n", "unknown statistic `wombats`"),
        ("[all]\nwaves = 1\n", "unknown key `all`"),
        ("[total]\nwaves = -1\n", "waves"),
        ("[total\n", "total"),
    ] {
        diff(&s, &old, &["--gate", &gate("wrong.toml", text)], 2, why);
    }
    diff(&s, &old, &["--gate", &gate("other.toml", "[total]\nissue_clocks = 0\n")], 2, "limits nothing that these");
    diff(&s, &old, &["--gate", "no-such-gate"], 2, "no-such-gate");
    std::fs::write(s.0.join("latin.toml"), b"# caf\xe9\n").expect("a file");
    diff(&s, &old, &["--gate", &s.path("latin.toml")], 2, "UTF-8");
}

#[test]
fn forms_of_a_comparison() {
    let s = Scratch::new("forms");
    let old = pair(&s);
    let new = changed(&add(&old, 0, "instructions", 3), |r| drop(r["rows"].as_array_mut().expect("rows").pop()));
    let new = changed(&new, |r| r["rows"][0]["file"] = json!("a.wgsl"));
    let github =
        diff(&s, &new, &["--format", "github"], 1, "::error file=b.wgsl,line=1,title=gpucc%3A regression::main on");
    let below = ["--format", "github", "--folder", "shaders/"];
    assert!(diff(&s, &new, &below, 1, "::error file=shaders/b.wgsl,line=1,").contains("file=shaders/a.wgsl,"));
    diff(&s, &new, &["--folder", "shaders"], 2, "without --format github");
    assert!(github.contains("::warning file=a.wgsl,") && github.contains("::notice title="), "{github}");
    assert!(diff(&s, &new, &["--format", "md"], 1, "| target |").contains("- b.wgsl main gcn:gfx8"));
    s.write("new.json", new.to_string());
    let o = gpucc()
        .args(["diff", &s.path("old.json"), &s.path("new.json"), "--format", "json"])
        .output()
        .expect("the command starts");
    let found: Value = serde_json::from_slice(&o.stdout).expect("JSON");
    assert_eq!(found["regression"], json!(true));
    assert_eq!(found["lost"], json!(1));
    assert_eq!(found["problems"][0]["row"]["file"], json!("b.wgsl"), "{found:#}");
}

/// Options that name something which only some shaders have.
#[test]
fn options_for_some_of_the_shaders() {
    let s = folder("some");
    let plain = rows(&report(&s, &[&s.path("k"), "--target", "gcn"], "plain.json")).len();
    s.write(
        "k/b.wgsl",
        "override N: u32 = 4;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn second() { o[0] = N; }",
    );
    let all = report(&s, &[&s.path("k"), "--target", "gcn", "--override", "N=7"], "all.json");
    assert_eq!(rows(&all).len(), plain + 1);
    assert!(rows(&all).iter().all(|r| r["status"] == "ok"), "{all}");
    let one = report(&s, &[&s.path("k"), "--target", "gcn", "--entry", "second"], "one.json");
    assert_eq!(rows(&one).iter().map(|r| r["file"].as_str().unwrap()).collect::<Vec<_>>(), ["b.wgsl"]);
    let k = s.path("k");
    expect(&["stats", &k, "--target", "gcn", "--override", "M=7"], 1, "no shader has what `--override M` names");
    expect(&["stats", &k, "--target", "gcn", "--entry", "third"], 1, "no shader has what `--entry third` names");
}

/// A seeded set in which one shader is 96 % of the sum: ratios shader by shader show what the sum hides.
#[test]
fn a_sum_that_is_one_shader_hides_nothing() {
    let s = Scratch::new("one-of-many");
    for k in 0..20 {
        s.write(&format!("k/s{k:02}.wgsl"), DOUBLE);
    }
    let old = report(&s, &[&s.path("k"), "--target", "gcn"], "old.json");
    let set = |report: &Value, f: &dyn Fn(u64, i64) -> i64| {
        changed(report, |r| {
            for (k, row) in r["rows"].as_array_mut().expect("rows").iter_mut().enumerate() {
                let v = row["stats"]["latency"].as_i64().expect("a number");
                row["stats"]["latency"] = json!(f(k as u64, v));
            }
        })
    };
    let old = set(&old, &|k, _| if k == 0 { 45_600 } else { 100 });
    s.write("old.json", old.to_string());
    // One in four is hurt by 40 %, one helped by half; the large one gains a little.
    let new = set(&old, &|k, v| match k {
        0 => v - 200,
        1 => v / 2,
        k if k % 4 == 2 => v + 40,
        _ => v,
    });
    let shown = diff(&s, &new, &["--format", "md"], 0, "latency");
    let row = shown.lines().find(|l| l.contains("latency")).expect("a row");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let part = 100.0 * 45_600.0 / 47_500.0;
    assert!((95.5..96.5).contains(&part), "{part}");
    // The mean of (0.9956, 0.5, 5 times 1.4, 13 times 1) and their median.
    assert_eq!(cells[4..], ["47500", "47450", "-0.11 %", "", "", "+7.48 %", "0 %", "2", "5", ""], "{row}");
    let o =
        gpucc().args(["diff", &s.path("old.json"), &s.path("new.json"), "--format", "json"]).output().expect("it runs");
    let found: Value = serde_json::from_slice(&o.stdout).expect("JSON");
    let total =
        found["totals"].as_array().expect("a list").iter().find(|t| t["statistic"] == "latency").expect("latency");
    assert_eq!(
        (&total["helped"], &total["hurt"], &total["median_ratio"]),
        (&json!(2), &json!(5), &json!(1.0)),
        "{total}"
    );
}

/// Tables fit terminals of 80 and of 120 columns, with long names too; causes have a line each.
#[test]
#[cfg(target_os = "linux")]
fn tables_fit_the_terminal() {
    let s = Scratch::new("terminal");
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let long = "a_shader_with_a_name_that_alone_takes_most_of_a_line_of_a_terminal_of_eighty_columns";
    for name in ["a", "b", long] {
        s.write(&format!("k/{name}.wgsl"), DOUBLE);
    }
    let atomics = "@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;
        @compute @workgroup_size(1) fn main() { atomicAdd(&a, 1u); }";
    for k in 0..5 {
        s.write(&format!("k/atomic{k}.wgsl"), atomics);
    }
    for columns in [80, 120] {
        let gpucc = gpucc().get_program().to_string_lossy().into_owned();
        let command = format!("stty cols {columns} rows 50; {gpucc} stats {} --target all:all --jobs 1", s.path("k"));
        let mut script = std::process::Command::new("script");
        let o = script.args(["-q", "-e", "-c", &command, "/dev/null"]).output().expect("a terminal");
        let text = String::from_utf8_lossy(&o.stdout).replace('\r', "");
        // Progress is drawn over itself.
        let lines: Vec<&str> = text.lines().filter(|l| !l.contains('\x1b')).collect();
        let widest = lines.iter().max_by_key(|l| l.chars().count()).expect("lines");
        assert!(widest.chars().count() <= columns, "{columns} columns: {widest}");
        assert!(lines.iter().any(|l| l.contains("instructions")), "{text}");
        let at = lines.iter().position(|l| *l == "not compiled:").expect("causes");
        let causes = lines[at + 1..].iter().take_while(|l| !l.is_empty()).count();
        assert!(causes <= 4, "{causes} causes: {text}");
    }
}

/// A folder of shaders, good and wrong ones.
fn folder_of_shaders(s: &Scratch) {
    for k in 0..7 {
        s.write(&format!("k/s{k}.wgsl"), DOUBLE);
    }
    s.write("k/wrong.wgsl", "fn main( {");
}

/// The script for arrays of Slurm jobs, with the variables that Slurm sets: the joined report is that of a run in one piece.
#[test]
#[cfg(unix)]
fn the_slurm_script_measures_in_parts() {
    let s = Scratch::new("slurm");
    folder_of_shaders(&s);
    let script = format!("{}/../contrib/stats_slurm.sh", env!("CARGO_MANIFEST_DIR"));
    let command = gpucc().get_program().to_os_string();
    let run = |args: &[&str], task: Option<u32>| {
        let mut c = std::process::Command::new("bash");
        c.arg(&script).args(args).env("GPUCC", &command).env_remove("SLURM_ARRAY_TASK_ID");
        if let Some(k) = task {
            // An array from 5 to 7.
            c.env("SLURM_ARRAY_TASK_ID", k.to_string())
                .env("SLURM_ARRAY_TASK_MIN", "5")
                .env("SLURM_ARRAY_TASK_COUNT", "3");
        }
        let o = c.output().expect("bash");
        (o.status.code(), crate::common::text(&o))
    };
    let (parts, folder) = (s.path("parts"), s.path("k"));
    for k in 5..8 {
        let (code, said) = run(&[&parts, &folder, "--target", "gcn,tesla"], Some(k));
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(run(&[&parts, &folder], None).0, Some(1), "no array");
    assert_eq!(run(&[&parts], Some(5)).0, Some(2), "no shaders");
    let joined = s.path("joined.json");
    let (code, said) = run(&["merge", &parts, &joined], None);
    assert_eq!(code, Some(0), "{said}");
    let whole = s.path("whole.json");
    expect(&["stats", &folder, "--target", "gcn,tesla", "-o", &whole], 1, "");
    let read = |p: &str| std::fs::read_to_string(p).expect("a report");
    assert_eq!(read(&joined), read(&whole));
}

/// The script for Dask, with two workers on this machine, where Dask is installed. GPUCC_PYTHON names a Python that has it.
#[test]
#[cfg(unix)]
fn the_dask_script_measures_in_parts() {
    let python = std::env::var("GPUCC_PYTHON").unwrap_or("python3".into());
    let has = std::process::Command::new(&python).args(["-c", "import dask.distributed"]).output();
    if !has.is_ok_and(|o| o.status.success()) {
        return;
    }
    let s = Scratch::new("dask");
    folder_of_shaders(&s);
    let script = format!("{}/../contrib/stats_dask.py", env!("CARGO_MANIFEST_DIR"));
    let (joined, whole, folder) = (s.path("joined.json"), s.path("whole.json"), s.path("k"));
    let mut c = std::process::Command::new(&python);
    c.args([&script, "-o", &joined, "--local", "2", "--parts", "3"]).args(["--", &folder, "--target", "gcn,tesla"]);
    let o = c.env("GPUCC", gpucc().get_program()).output().expect("the script");
    assert_eq!(o.status.code(), Some(1), "{}", crate::common::text(&o));
    expect(&["stats", &folder, "--target", "gcn,tesla", "-o", &whole], 1, "");
    let read = |p: &str| std::fs::read_to_string(p).expect("a report");
    assert_eq!(read(&joined), read(&whole));
}

/// Sixteen values that live at once, made in one line and read in another.
const MANY: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
    var v: array<u32, 16>;
    for (var k = 0u; k < 16u; k++) { v[k] = o[g.x * 16u + k]; }
    workgroupBarrier();
    var sum = o[g.x]; // a < b && \"c\"
    for (var k = 0u; k < 16u; k++) { sum = sum * 31u + v[k]; }
    o[g.x] = sum;
}
";

/// Numbers of a line: registers that live there, and cycles by unit, which add up to the estimate of the whole.
#[test]
fn lines_have_live_registers_and_cycles() {
    let s = Scratch::new("line-costs");
    let shader = s.write("a.wgsl", MANY);
    let r = report(&s, &[&shader, "--target", "gcn,tesla,valhall,vivante", "--per-line"], "r.json");
    let plain = report(&s, &[&shader, "--target", "gcn,tesla,valhall,vivante"], "p.json");
    for (row, plain) in rows(&r).iter().zip(rows(&plain)) {
        assert_eq!((&row["status"], &row["stats"]), (&json!("ok"), &plain["stats"]), "{row}");
        assert!(plain.get("line_costs").is_none());
        let costs = row["line_costs"].as_object().expect("costs");
        let number = |line: &str, name: &str| costs.get(line).and_then(|c| c[name].as_u64()).unwrap_or(0);
        let unit = |name: &str| costs.keys().map(|line| number(line, name)).sum::<u64>();
        let stat = |name: &str| row["stats"][name].as_u64().expect(name);
        let (file, target) = match row["target"].as_str().expect("a target") {
            t if t.starts_with("gcn") => ("live_v", "gcn"),
            t if t.starts_with("tesla") => ("live_r", "tesla"),
            t if t.starts_with("valhall") => ("live_r", "valhall"),
            _ => ("live_t", "vivante"),
        };
        // Behind the loads all sixteen are there, before them and at the end few.
        let most = [4, 6, 7].map(|line| number(&line.to_string(), file)).into_iter().max();
        assert!(most >= Some(16) && number("8", file) < 16, "{row}");
        match target {
            "gcn" => {
                assert!(unit("cycles_valu") >= 4 * stat("valu") && number("4", "cycles_vmem") > 0, "{row}");
                assert!(most <= Some(stat("vgprs")), "{row}");
            }
            "tesla" => assert_eq!(unit("cycles_issue"), stat("issue_clocks"), "{row}"),
            "valhall" => {
                let units = ["fma", "cvt", "sfu", "v", "t", "ls"].map(|u| unit(&format!("cycles_{u}")));
                assert_eq!(units.into_iter().max(), Some(stat("cycles_64ths")), "{row}");
            }
            _ => {
                assert!(costs.values().all(|c| c.as_object().is_some_and(|c| c.keys().all(|k| k.starts_with("live_")))))
            }
        }
    }
    // The page has each line's text beside its numbers, and as many cells in each row as in the head.
    let page = s.path("r.html");
    expect(&["stats", &shader, "--target", "gcn,tesla", "--per-line", "-o", &page], 0, "");
    let page = String::from_utf8(s.read("r.html")).expect("a text");
    assert!(page.contains("var sum = o[g.x]; // a &lt; b &amp;&amp; \"c\"") && page.contains("cycles_valu"), "{page}");
    assert!(!page.contains("http") && !page.contains("src="), "{page}");
    for table in page.split("<table>").skip(1) {
        let columns = table.split("</thead>").next().map_or(0, |h| h.matches("</th>").count());
        let body = table.split("<tbody>").nth(1).and_then(|b| b.split("</tbody>").next()).expect("rows");
        assert!(
            columns > 5 && body.lines().filter(|l| !l.is_empty()).all(|l| l.matches("</td>").count() == columns),
            "{page}"
        );
    }
    // It says what made it, means of columns and sums, and follows the colours of the reader's system.
    for part in
        ["gpucc stats --target gcn:gfx8,tesla:nva3", "prefers-color-scheme", "viewport", "<tfoot>", "rgba(var(--heat)"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let before_source = page.split("<th class=s>").next().map_or(0, |head| head.matches("<button").count());
    assert!(before_source <= 4, "the text of a line stands among the first columns: {page}");
    // The script sorts by numbers, most first, and by text where cells are none; and it filters.
    let script = page.split("<script>").nth(1).and_then(|s| s.split("</script>").next()).expect("a script");
    let model = format!(
        "const cell=t=>({{textContent:t}}),rows=[['b','10'],['a','9'],['c','']].map(c=>({{cells:c.map(cell),dataset:{{name:c[0]}}}}));\
         const body={{rows,append(r){{this.rows=this.rows.filter(x=>x!==r).concat([r])}}}};const line={{cells:[]}};\
         const heads=line.cells=[0,1].map(i=>({{cellIndex:i,of:{{}},parentNode:line,classList:{{contains:c=>i===0&&c==='t'}},\
         getAttribute(k){{return this.of[k]}},setAttribute(k,v){{this.of[k]=v}},removeAttribute(k){{delete this.of[k]}},\
         closest:()=>({{tBodies:[body]}})}}));\
         const buttons=heads.map(h=>({{parentNode:h}})),input={{value:''}},bar={{hash:''}};\
         new Function('document','history','location','window',{})(\
         {{querySelectorAll:s=>s==='th button'?buttons:body.rows,querySelector:()=>input}},{{replaceState:(a,b,c)=>bar.hash=c}},bar,{{}});\
         const said=()=>body.rows.filter(r=>!r.hidden).map(r=>r.cells[0].textContent).join('');\
         for(const h of [0,0,1,1]){{buttons[h].onclick();console.log(said())}}\
         input.value='B';input.oninput();console.log(said()+bar.hash)",
        json!(script)
    );
    match std::process::Command::new("node").args(["-e", &model]).output() {
        Ok(o) => assert_eq!(text(&o), "abc\ncba\nbac\ncab\nb#B\n"),
        Err(_) => eprintln!("skipped: node is not installed"),
    }
}

/// What keeps waves from being more: registers, workgroup memory, nothing.
#[test]
fn the_limiter_of_occupancy_has_a_name() {
    let s = Scratch::new("limiter");
    let many = s.write("many.wgsl", MANY.replace("16", "32"));
    let memory = s.write(
        "memory.wgsl",
        "var<workgroup> w: array<u32, 8000>;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
         w[i] = o[i]; workgroupBarrier(); o[i] = w[63u - i]; }\n",
    );
    let small = s.write("small.wgsl", DOUBLE);
    // 32,000 bytes: two groups of a wave in 64 KiB, over four SIMDs.
    let table = [
        (&many, "gcn", "vgprs"),
        (&memory, "gcn", "shared_bytes"),
        (&small, "gcn", "none"),
        (&small, "valhall", "none"),
        (&many, "valhall", "registers"),
    ];
    for (shader, target, limiter) in table {
        let r = report(&s, &[shader, "--target", target], "r.json");
        let row = &rows(&r)[0];
        assert_eq!(row["limiter"], limiter, "{row}");
        let most = row["stats"]["waves"] == 10 || row["stats"]["threads"] == 2;
        assert_eq!(most, limiter == "none", "{row}");
        let table = expect(&["stats", shader, "--target", target], 0, limiter);
        assert!(table.contains("limiter"), "{table}");
        expect(&["stats", shader, "--target", target, "--format", "csv"], 0, "limiter,message");
        expect(&[shader, "--target", target, "--stats"], 0, &format!("limiter {limiter}"));
    }
    for target in ["tesla", "vivante"] {
        assert!(rows(&report(&s, &[&small, "--target", target], "r.json"))[0].get("limiter").is_none());
    }
}

/// Annotations have line and column where the new report has them, are one for each place, and at most ten of a kind.
#[test]
fn annotations_have_places() {
    let s = Scratch::new("annotations");
    let folder = s.path("all");
    for k in 0..13 {
        s.write(&format!("all/s{k:02}.wgsl"), crate::common::DOUBLE);
    }
    s.write("all/t.wgsl", crate::common::DOUBLE);
    let report = |name: &str| {
        let path = s.path(name);
        let code = if name == "old.json" { 0 } else { 1 };
        expect(&["stats", &folder, "--target", "all", "-o", &path], code, "");
        path
    };
    let old = report("old.json");
    // The wrong word stands in line 2, column 5.
    for k in 0..13 {
        s.write(&format!("all/s{k:02}.wgsl"), "\n    wombat\n");
    }
    let new = report("new.json");
    let rows: Value = serde_json::from_slice(&s.read("new.json")).expect("JSON");
    assert_eq!((&rows["rows"][0]["line"], &rows["rows"][0]["column"]), (&json!(2), &json!(5)), "{rows:#}");
    let said = expect(&["diff", &old, &new, "--format", "github"], 1, "::error file=s00.wgsl,line=2,col=5,title=");
    assert_eq!(said.matches("::error ").count(), 10, "{said}");
    // All targets of a place are in its annotation.
    let first = said.lines().next().expect("a line");
    assert!(["valhall", "tesla", "gcn", "vivante"].iter().all(|t| first.contains(t)), "{first}");
    assert!(said.contains("3 more places are not shown"), "{said}");
}

/// A pipe in a folder of shaders is told, and nobody waits for it; given by itself it is read.
#[cfg(unix)]
#[test]
fn pipes_in_folders_are_told() {
    let s = Scratch::new("pipes");
    s.write("d/b.wgsl", crate::common::DOUBLE);
    let made = std::process::Command::new("mkfifo").arg(s.path("d/a.wgsl")).status();
    if !made.is_ok_and(|m| m.success()) {
        eprintln!("skipped: there is no `mkfifo`");
        return;
    }
    let said = expect(&["stats", &s.path("d"), "--target", "gcn"], 2, "is no regular file");
    assert!(said.contains("b.wgsl"), "{said}");
}

/// A comparison as a page: every number that changed with its row, what became worse, nothing that is loaded; also where it is a regression.
#[test]
fn comparisons_are_pages() {
    let s = Scratch::new("diff-page");
    let work = |n: u32| {
        let more = (0..n).map(|k| format!("o[{k}] *= o[{}] + {k}u; ", k + 1)).collect::<String>();
        format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<u32, 64>;\n@compute @workgroup_size(1) fn main() {{ {more} }}\n"
        )
    };
    let report = |name: &str, [first, second]: [u32; 2]| {
        s.write("all/a<b>&c.wgsl", work(first));
        s.write("all/same.wgsl", work(3));
        s.write("all/two.wgsl", work(second));
        let out = s.path(name);
        expect(&["stats", &s.path("all"), "--target", "gcn,valhall", "-o", &out], 0, "");
        out
    };
    let (old, new) = (report("old.json", [2, 9]), report("new.json", [5, 4]));
    let page = s.path("page.html");
    expect(
        &["diff", &old, &new, "-o", &page, "--gate", &s.write("g.toml", "shader.instructions = 0\n")],
        1,
        "regression",
    );
    let text = String::from_utf8(s.read("page.html")).expect("a text");
    // A row of a table for each number of a shader that changed, as the reports have them.
    let stats = |path: &str| -> Value { serde_json::from_slice(&s.read(path)).expect("JSON") };
    let (before, after) = (stats("old.json"), stats("new.json"));
    let mut rows = 0;
    for (b, a) in before["rows"].as_array().expect("rows").iter().zip(after["rows"].as_array().expect("rows")) {
        assert_eq!((&b["file"], &b["target"]), (&a["file"], &a["target"]));
        for (name, was) in b["stats"].as_object().expect("numbers") {
            let is = &a["stats"][name];
            let shown =
                b["file"].as_str().expect("a name").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let cells =
                format!("<td class=t>{shown}</td><td class=t>main</td><td class=t>compute</td><td class=t>{name}</td>");
            let row = format!("{cells}<td>{was}</td><td>{is}</td>");
            rows += usize::from(was != is);
            assert_eq!(text.contains(&row), was != is, "{row}");
        }
    }
    assert!(rows > 10, "{rows}");
    for part in [
        "<h2>regressions</h2>",
        "<h2>all shaders</h2>",
        "<h2>gcn:gfx8</h2>",
        "<h2>valhall:",
        "class=worse",
        "class=better",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for loads in ["src=", "href=", "url(", "@import", "a<b>"] {
        assert!(!text.contains(loads), "{loads}");
    }
    // The same on standard output; other endings say their form; an input stays.
    let said = expect(&["diff", &old, &old, "--format", "html"], 0, "<!doctype html>");
    assert!(!said.contains("<h2>gcn"), "nothing changed: {said}");
    expect(&["diff", &old, &old, "-o", &s.path("d.json")], 0, "");
    let json: Value = serde_json::from_slice(&s.read("d.json")).expect("JSON");
    assert_eq!(json["format"], "gpucc-diff-1");
    expect(&["diff", &old, &old, "-o", &s.path("d.pdf")], 2, "the ending `.pdf` names no form");
    expect(&["diff", &old, &old, "-o", &old], 2, "old.json");
}
