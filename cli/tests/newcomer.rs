//! Tests of faults that a newcomer found: numbers that mislead, silent options, outputs that cannot be read.

use crate::common::{DOUBLE, Scratch, expect, feed, gpucc, text};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// Runs the command with bytes on standard input; its exit code and what it printed.
fn pipe(args: &[&str], input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut child = gpucc()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("input is taken");
    let o = child.wait_with_output().expect("the command ends");
    (o.status.code(), o.stdout, String::from_utf8_lossy(&o.stderr).into_owned())
}

/// A report with two shaders that have the statistics given.
fn report(s: &Scratch, name: &str, target: &str, stats: [Value; 2]) -> String {
    let row = |file: &str, stats: &Value| json!({"file": file, "entry": "main", "stage": "compute", "target": target, "status": "ok", "stats": stats});
    let rows = [row("a.wgsl", &stats[0]), row("b.wgsl", &stats[1])];
    let report = json!({"format": "gpucc-stats-2", "version": "1", "options": {}, "command": "c", "rows": rows});
    s.write(name, report.to_string())
}

/// Percentages of nothing: none of nothing is `0 %`, something of nothing is `new`.
#[test]
fn percentages_from_zero() {
    let s = Scratch::new("percent");
    let spills = |n: u64| json!({"instructions": 10, "spills": n});
    let none = report(&s, "none.json", "gcn:gfx8", [spills(0), spills(0)]);
    let one = report(&s, "one.json", "gcn:gfx8", [spills(1), spills(0)]);
    let four = report(&s, "four.json", "gcn:gfx8", [spills(3), spills(1)]);
    for format in ["table", "md", "github"] {
        let same = expect(&["diff", &none, &none, "--format", format], 0, "");
        assert!(!same.contains("-100") && (format == "github" || same.contains("0 %")), "{same}");
        let new = expect(&["diff", &none, &one, "--format", format], 1, "0 -> 1 (new)");
        assert!(!new.contains("+0.00"), "{new}");
    }
    expect(&["diff", &one, &four], 1, "1 -> 4 (+300.00 %)");
    expect(&["diff", &four, &none], 0, "-100.00 %");
}

/// Registers, waves and percentages of several shaders are averaged, not added.
#[test]
fn what_does_not_add_up_is_averaged() {
    let s = Scratch::new("means");
    let lanes = |n: u64, r: u64| json!({"instructions": 10, "bytes": 80, "lane_use_percent": n, "registers": r});
    let old = report(&s, "old.json", "vivante:gc3000", [lanes(40, 3), lanes(81, 4)]);
    let new = report(&s, "new.json", "vivante:gc3000", [lanes(40, 3), lanes(78, 4)]);
    let o = expect(&["diff", &old, &new, "--format", "json"], 0, "");
    let o: Value = serde_json::from_str(&o).expect("JSON");
    let of = |name: &str| o["totals"].as_array().expect("totals").iter().find(|t| t["statistic"] == name).cloned();
    let lanes = of("lane_use_percent").expect("lanes");
    // (40 + 81) / 2 and (40 + 78) / 2; bytes are a sum.
    assert_eq!((&lanes["before"], &lanes["after"]), (&json!(60.5), &json!(59)));
    assert_eq!(of("bytes").expect("bytes")["after"], json!(160));
    expect(&["diff", &old, &new], 0, "60.50");
    // A gate on the mean.
    let gate = s.write("gate.toml", "[total]\nlane_use_percent = 1\n");
    expect(&["diff", &old, &new, "--gate", &gate], 1, "mean of vivante:gc3000: lane_use_percent 60.50 -> 59");
    let gate = s.write("gate.toml", "[total]\nlane_use_percent = 2\n");
    expect(&["diff", &old, &new, "--gate", &gate], 0, "");
    let table = expect(&["stats", "examples", "--target", "gcn"], 0, "");
    let line = |lead: &str| {
        table.lines().find(|l| l.trim_start().starts_with(lead)).unwrap_or_else(|| panic!("{lead}: {table}"))
    };
    let (total, mean) = (line("total"), line("mean"));
    assert!(mean.contains('.') && !total.contains('.'), "{table}");
}

/// Exit 1 is for a regression; a file that is not a report is exit 2. A container that names what there is not is wrong input.
#[test]
fn codes_tell_worse_from_broken() {
    let s = Scratch::new("codes");
    let one = json!({"instructions": 10});
    let good = report(&s, "good.json", "gcn:gfx8", [one.clone(), one]);
    let csv = s.write("x.csv", "file,entry\n");
    expect(&["diff", &good, &csv], 2, "x.csv");
    expect(&["diff", &csv, &good], 2, "x.csv");
    let shader = s.write("a.wgsl", DOUBLE);
    expect(&[&shader, "--target", "gcn", "-o", &s.path("a.bin")], 0, "");
    let bytes = s.read("a.bin");
    for (from, to) in [("gcn", "ggn"), ("gfx8", "gfx9")] {
        let mut wrong = bytes.clone();
        let at = wrong.windows(from.len()).position(|w| w == from.as_bytes()).expect("the name");
        wrong[at..at + to.len()].copy_from_slice(to.as_bytes());
        let wrong = s.write("wrong.bin", wrong);
        expect(&["disasm", &wrong], 1, to);
    }
}

/// Options that would change nothing are refused.
#[test]
fn options_without_effect_are_refused() {
    let s = Scratch::new("no-effect");
    let shader = s.write("a.wgsl", DOUBLE);
    let binary = s.path("a.bin");
    expect(&[&shader, "--target", "gcn", "-o", &binary], 0, "");
    let buffer = ["--buf", "0:0=u32:1,2,3,4"];
    for option in [&["--override", "A=1"][..], &["-O3"], &["--robust", "off"], &["--lang", "wgsl"]] {
        expect(&[&["run", &binary][..], &buffer, option].concat(), 2, "has no effect on a container");
    }
    expect(&[&["run", &binary][..], &buffer].concat(), 0, "");
    expect(&["disasm", &binary, "--target", "tesla"], 2, "the container is for gcn:gfx8, not tesla");
    expect(&["disasm", &binary, "--target", "gcn"], 0, "");
    for target in ["interp", "gcn", "all"] {
        let run = ["run", &shader, "--target", target, "--buf", "0:1=zero:4"];
        expect(&[&run[..], &buffer].concat(), 2, "--buf 0:1: the shader has no such binding; it has 0:0");
    }
    expect(&[&shader, "--target", "gcn", "-o", &binary, "--deny", "not-compared"], 2, "--verify");
    expect(&["disasm", &binary, "--raw", &binary, "--target", "gcn"], 2, "--raw");
    expect(&["stats", "merge", "a.json", "--jobs", "2"], 2, "--jobs has no effect");
}

/// A baseline of some of the shards is no baseline.
#[test]
fn merges_are_complete() {
    let s = Scratch::new("merge");
    for n in 0..4 {
        s.write(&format!("k/n{n}.wgsl"), DOUBLE);
    }
    let made = |shard: &str, name: &str| {
        let mut args =
            vec!["stats".to_string(), s.path("k"), "--target".into(), "gcn".into(), "-o".into(), s.path(name)];
        if !shard.is_empty() {
            args.extend(["--shard".into(), shard.into()]);
        }
        expect(&args.iter().map(String::as_str).collect::<Vec<_>>(), 0, "");
        s.path(name)
    };
    let parts = [made("1/3", "1.json"), made("2/3", "2.json"), made("3/3", "3.json")];
    let (half, whole) = (made("1/2", "half.json"), made("", "whole.json"));
    let [a, b, c] = &parts;
    let merge = |list: &[&String], code, needle: &str| {
        let out = s.path("m.json");
        let args = ["stats", "merge", "-o", &out].into_iter().chain(list.iter().map(|p| p.as_str()));
        expect(&args.collect::<Vec<_>>(), code, needle);
    };
    merge(&[a], 1, "2 shards are missing: 2/3, 3/3");
    merge(&[a, c], 1, "shard 2/3 is missing");
    merge(&[a, a], 1, "both shard 1/3");
    merge(&[a, b, c, &half], 1, "half.json");
    merge(&[a, b, c, &whole], 1, "whole.json");
    merge(&[&whole, &whole], 1, "two of the reports have a row");
    merge(&[c, a, b], 0, "");
    assert_eq!(s.read("m.json"), s.read("whole.json"));
}

/// The bytes that come out can be taken apart.
#[test]
fn outputs_can_be_taken_apart() {
    let s = Scratch::new("apart");
    let shader = s.write("a.wgsl", DOUBLE);
    for emit in ["bin", "raw"] {
        expect(&[&shader, "--target", "all", "--emit", emit, "-o", "-"], 2, "cannot be taken apart");
    }
    let json = |args: &[&str]| -> Value {
        let o = gpucc().args(args).output().expect("the command starts");
        assert_eq!(o.status.code(), Some(0), "{}", text(&o));
        serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&o)))
    };
    for out in [&[][..], &["-o", "-"]] {
        let all = json(&[&[&shader, "--target", "all", "--emit", "json", "--stats"][..], out].concat());
        let families: Vec<&str> =
            all.as_array().expect("an array").iter().filter_map(|o| o["family"].as_str()).collect();
        assert_eq!(families, ["valhall", "tesla", "gcn", "vivante"]);
        let one =
            json(&[&[&shader, "--target", "gcn", "--emit", "json", "--stats", "--time-passes"][..], out].concat());
        assert_eq!(one["family"], "gcn");
    }
    // Statistics beside a container on standard output go to standard error.
    let o = gpucc().args([&shader, "--target", "gcn", "-o", "-", "--stats"]).output().expect("the command starts");
    expect(&[&shader, "--target", "gcn", "-o", &s.path("a.bin")], 0, "");
    assert_eq!(o.stdout, s.read("a.bin"));
    // The ending chooses the form.
    let stats = |name: &str| {
        expect(&["stats", &shader, "--target", "gcn", "-o", &s.path(name)], 0, "");
        String::from_utf8(s.read(name)).expect("text")
    };
    assert!(serde_json::from_str::<Value>(&stats("r.json")).is_ok());
    assert!(stats("r.csv").starts_with("file,entry,"));
    assert!(stats("r.md").starts_with("| file |"));
    assert!(stats("r.html").starts_with("<!doctype html>"));
    assert!(stats("r.txt").starts_with(" gcn:gfx8") && stats("r").contains("1 row: 1 compiled, 0 not"));
    expect(&["stats", &shader, "--target", "gcn", "-o", &s.path("r.xml")], 2, "`.xml`");
}

/// A trap and a race: file, line, excerpt and variable, no line wider than a window; as JSON a whole record.
#[test]
fn traps_have_a_place() {
    let s = Scratch::new("traps");
    let source = "@group(0) @binding(0) var<storage, read_write> out_words: array<u32>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
        \x20   out_words[0] = i;\n}\n";
    let shader = s.write("race.wgsl", source);
    let binary = s.path("race.bin");
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        let run = ["run", &shader, "--target", target, "--buf", "0:0=zero:4"];
        let said = expect(&run, 1, "race.wgsl:3:5");
        assert!(said.contains("out_words[0] = i;") && said.contains("`out_words`"), "{said}");
        let widest = said.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(120), "{widest:?}: {said}");
        let said = expect(&[&run[..], &["--message-format", "json"]].concat(), 1, "");
        let record: Value = serde_json::from_str(said.trim()).expect("one object");
        assert_eq!((&record["severity"], &record["code"]), (&json!("error"), &json!("race")));
        assert_eq!((&record["line"], &record["column"]), (&json!(3), &json!(5)));
        let on = record["target"].as_str().expect("a target");
        assert!(on.starts_with(target) && record["file"].as_str() == Some(shader.as_str()), "{record}");
        assert!(record["notes"].as_array().is_some_and(|n| n.len() >= 3), "{record}");
        if target == "interp" {
            continue;
        }
        // A container has no source: the line alone.
        expect(&[&shader, "--target", target, "-o", &binary], 0, "");
        let said = expect(&["run", &binary, "--buf", "0:0=zero:4"], 1, "source line 3:5");
        assert!(said.contains("`out_words`") && said.lines().all(|l| l.chars().count() <= 120), "{said}");
    }
}

/// A race in workgroup memory names the variable, with the byte counted from its start.
#[test]
fn races_name_workgroup_variables() {
    let s = Scratch::new("workgroup-races");
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        var<workgroup> first: array<u32, 4>;\nvar<workgroup> tile: array<u32, 64>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
        \x20   first[i % 4u] = 1u;\n    tile[7] = i;\n    workgroupBarrier();\n    o[i] = tile[i] + first[0];\n}\n";
    let shader = s.write("tile.wgsl", source);
    let binary = s.path("tile.bin");
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        let run = ["--buf", "0:0=zero:256", "--perturb", "1"];
        let said = expect(&[&["run", &shader, "--target", target][..], &run].concat(), 1, "tile.wgsl:6:5");
        assert!(said.contains("at byte 28 of `tile` in"), "{target}: {said}");
        if target != "interp" {
            expect(&[&shader, "--target", target, "-o", &binary], 0, "");
            expect(&[&["run", &binary][..], &run].concat(), 1, "at byte 28 of `tile` in");
            expect(&["inspect", &binary], 0, "`tile`: 256 bytes of workgroup memory from 0x");
            let inspected: Value = serde_json::from_str(&expect(&["inspect", &binary, "--json"], 0, "")).expect("JSON");
            assert_eq!(inspected["entries"][0]["variables"].as_array().map(Vec::len), Some(2), "{inspected}");
        }
    }
}

/// Among JSON records everything on standard error is one.
#[test]
fn notes_are_records() {
    let s = Scratch::new("notes");
    let shader = s.write("a.wgsl", DOUBLE);
    let run = ["run", &shader, "--target", "gcn", "--buf", "0:0=u32:1,2,3,4", "--oracle"];
    let o = gpucc().args(run).args(["--message-format", "json"]).output().expect("the command starts");
    let said = String::from_utf8_lossy(&o.stderr);
    let codes: Vec<Value> = said.lines().map(|l| serde_json::from_str::<Value>(l).expect(l)["code"].clone()).collect();
    assert_eq!(codes, ["run", "oracle"], "{said}");
    let o = gpucc().args(run).output().expect("the command starts");
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(said.contains("gcn:gfx8: ran `main`: 1 workgroup, 1 subgroup, "), "{said}");
    assert!(o.stdout.is_empty());
}

/// Containers and SPIR-V on standard input are known by their first bytes.
#[test]
fn standard_input_is_known() {
    let buffer = ["--buf", "0:0=u32:1,2,3,4", "--dump", "0:0=-"];
    let (code, container, said) = pipe(&["-", "-o", "-", "--target", "gcn"], DOUBLE.as_bytes());
    assert_eq!(code, Some(0), "{said}");
    let (code, out, said) = pipe(&[&["run", "-"][..], &buffer].concat(), &container);
    assert_eq!((code, out.as_slice()), (Some(0), &b"0:0 = 2,4,6,8\n"[..]), "{said}");
    for command in [&["disasm", "-"][..], &["inspect", "-"]] {
        let (code, out, said) = pipe(command, &container);
        assert!(code == Some(0) && !out.is_empty(), "{command:?}: {said}");
    }
    let (code, _, said) = pipe(&["-", "--target", "gcn", "-S"], &container);
    assert!(code == Some(1) && said.contains("is a gpucc container"), "{said}");
    // The first word of SPIR-V, and nothing behind it: wrong, but as SPIR-V.
    let (code, _, said) = pipe(&["-", "--target", "gcn", "-S"], &0x0723_0203_u32.to_le_bytes());
    assert!(code == Some(1) && !said.contains("UTF-8"), "{said}");
}

/// Everything that is missing is told at once, in order; what is too small is not called missing.
#[test]
fn buffers_are_told_at_once() {
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        let run = ["run", "examples/vecadd.wgsl", "--target", target];
        expect(&run, 2, "no buffer is bound at 0:0 `a` (4 bytes or more), 0:1 `b` (4 bytes or more), 0:2 `c`");
        let short = ["--buf", "0:0=zero:4", "--buf", "0:1=zero:4", "--buf", "0:2=zero:0"];
        let said = expect(&[&run[..], &short].concat(), 2, "0:2 `c` has 0 bytes and needs 4");
        assert!(!said.contains("bind it"), "{said}");
    }
}

/// Messages of the parser and its validator speak of the source, not of the parser's data structures.
#[test]
fn messages_speak_of_the_source() {
    let s = Scratch::new("messages");
    let head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @group(0) @binding(1) var<storage, read> a: array<u32>;\n\
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { ";
    let wgsl = [
        "a[0] = 1u; }",
        "let x = 1u; x = 2u; }",
        "o[0] = 1.5; }",
        "o[0] = a; }",
        "o[0] = f32(i) + 1u; }",
        "o[0] = vec2<u32>(1u, 2u); }",
        "o[0] = min(1u, 2.0); }",
        "return 1u; }",
        "let p = &o; p[0] = true; }",
        "switch i { case 1u: { } case 1u: { } default: { } } }",
        "var x: array<u32, 2>; o[0] = x[5]; }",
        "o[i.x] = 1u; }",
    ];
    let glsl = ["#version 450\nlayout(local_size_x = 1) in;\nvoid main() { double x = 0.1LF; }\n"];
    let sources =
        wgsl.iter().map(|w| ("wgsl", format!("{head}{w}"))).chain(glsl.iter().map(|g| ("comp", g.to_string())));
    for (n, (ending, source)) in sources.enumerate() {
        let shader = s.write(&format!("{n}.{ending}"), &source);
        let reader: &[&str] = if ending == "comp" { &["--frontend", "naga"] } else { &[] };
        let o = gpucc()
            .args([&shader, "--target", "gcn", "-o", &s.path("o")])
            .args(reader)
            .output()
            .expect("the command starts");
        let said = String::from_utf8_lossy(&o.stderr);
        assert!(matches!(o.status.code(), Some(1 | 3)), "{source}: {said}");
        // Names of the parser's types, and whom to tell. What the excerpt shows is the source's own.
        let inside = ["naga", "Naga", "Expression", "NotSupported", "Scalar", "maintainers", "Handle"];
        assert!(inside.iter().all(|w| !said.contains(w)), "{source}: {said}");
        let own = said.lines().filter(|l| !l.contains('\u{2502}'));
        let handle =
            |l: &str| l.split('[').skip(1).any(|t| t.split(']').next().is_some_and(|n| n.parse::<u32>().is_ok()));
        assert!(!own.clone().any(handle), "{source}: {said}");
    }
}

/// A trap says whose it is: the machine's or the oracle's. Here a barrier that lanes reach by what lies in memory.
#[test]
fn traps_say_whose_they_are() {
    let s = Scratch::new("whose");
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\nvar<private> a: array<u32, 4>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n\
        \x20   a[i % 4u] = i + 1u;\n    if a[1] != 0u { workgroupBarrier(); }\n    o[i] = a[0];\n}\n";
    let shader = s.write("a.wgsl", source);
    for (target, whose) in
        [("valhall", "valhall:v10"), ("tesla", "tesla:nva3"), ("gcn", "the oracle"), ("vivante", "vivante:gc3000")]
    {
        let run = ["run", &shader, "--target", target, "--buf", "0:0=zero:256", "--oracle"];
        let said = expect(&run, 1, &format!("target: {whose}"));
        assert_eq!(said.matches(" at 0x").count(), 1, "{said}");
    }
}

/// A source does not control the terminal of whoever compiles it.
#[test]
fn control_characters_stay_inside() {
    let evil = "fn main( {\u{1b}[2J\u{1b}]0;x\u{7} \u{9b}2J \u{202e}\n";
    for args in [&["-", "--target", "gcn", "-S"][..], &["run", "-"]] {
        let said = text(&feed(args, evil));
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(bad), "{said:?}");
    }
    let shader = DOUBLE.replace("{ o", "{ /* \u{1b}[2J */ o");
    let said = text(&feed(&["-", "--target", "all", "-S"], &shader));
    assert!(said.contains("line 2") && !said.contains('\u{1b}'), "{said:?}");
}

/// Help fits a terminal of 80 columns, and lists what there is.
#[test]
fn help_fits() {
    for command in ["", "run", "render", "stats", "diff", "asm", "disasm", "inspect", "explain", "serve"] {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let help = expect(&args, 0, "Usage");
        let wide: Vec<&str> = help.lines().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert!(!help.contains("not in this version"), "{help}");
    }
}

/// A feature that the language has and this version lacks is exit 3 with its code; a fault is exit 1 with its place.
#[test]
fn lacking_is_not_wrong() {
    let s = Scratch::new("lacking");
    let out = s.path("o.bin");
    let glsl = |name: &str, head: &str, body: &str| {
        let text = format!(
            "#version 450\n{head}\nlayout(std430, binding = 0) buffer O {{ float o[]; }};\nvoid main() {{ {body} }}\n"
        );
        s.write(&format!("{name}.comp"), text)
    };
    let plain = "layout(local_size_x = 1) in;";
    let cases = [
        (
            glsl(
                "rows",
                &format!("{plain} layout(binding = 1, row_major) uniform U {{ mat4 m; }};"),
                "o[0] = m[0][0];",
            ),
            "parser",
        ),
        (
            glsl("mat2", &format!("{plain} layout(binding = 1, std140) uniform U {{ mat2 m; }};"), "o[0] = m[0][0];"),
            "parser",
        ),
        (glsl("sizes", "layout(local_size_x_id = 0) in;", "o[0] = 1.0;"), "parser"),
        (glsl("wide", plain, "o[0] = float(0.1LF);"), "parser"),
        (
            glsl(
                "sub",
                &format!("#extension GL_KHR_shader_subgroup_arithmetic : enable\n{plain}"),
                "o[0] = subgroupAdd(1.0);",
            ),
            "subgroups",
        ),
    ];
    for (path, code) in &cases {
        let said = expect(&[path, "--frontend", "naga", "--target", "gcn", "-o", &out], 3, &format!("error[{code}]"));
        assert!(*code != "parser" || said.contains("glslangValidator -V"), "{said}");
        assert!(!said.contains("aga"), "{said}");
    }
    // A real mistake is one to the reference compiler alone: naga's parser does not know what it lacks.
    for (name, body) in [("wrong", "o[0] = nothing;"), ("call", "o[0] = nothing(1.0);")] {
        let path = glsl(name, plain, body);
        expect(&[&path, "--frontend", "naga", "--target", "gcn", "-o", &out], 3, "nothing");
        if gpucc_glsl::has("glslangValidator") {
            expect(&[&path, "--target", "gcn", "-o", &out], 1, "nothing");
        }
    }
    // A 16-bit store where there are no atomics.
    let half = "enable f16;\n@group(0) @binding(0) var<storage, read_write> y: array<f16>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { y[i] = 1.0h; }\n";
    let half = s.write("half.wgsl", half);
    expect(&[&half, "--target", "vivante:gc2000", "-o", &out], 3, "stores of less than a word");
    // nv50 has no atomics either, but it stores halves.
    expect(&[&half, "--target", "tesla:nv50", "-o", &out], 0, "");
}

/// A struct whose member is aligned lies where WGSL says, or is refused.
#[test]
fn aligned_members() {
    let s = Scratch::new("align");
    let out = s.path("o.bin");
    let shader = |structs: &str, ty: &str| {
        let text = format!(
            "{structs}\n@group(0) @binding(0) var<storage, read_write> o: {ty};\n\
             @compute @workgroup_size(1) fn main() {{ _ = &o; }}\n"
        );
        s.write("a.wgsl", text)
    };
    let inner = "struct In { @align(16) x: u32, y: u32 }";
    // (structs, type, exit code): the place of `i` is a multiple of 16 by itself, or not.
    let cases = [
        ("struct Out { a: u32, i: In, b: u32 }", "Out", 0),
        ("struct Out { @size(16) a: u32, i: In }", "Out", 0),
        ("struct Out { i: In, b: u32 }", "Out", 0),
        ("struct Out { i: In }", "Out", 0),
        ("struct Mid { i: In } struct Out { a: vec2u, m: Mid }", "Out", 0),
        ("struct Out { a: vec4u, i: array<In, 2> }", "Out", 0),
        ("alias A = In; struct Out { a: u32, i: A }", "Out", 0),
        ("", "In", 0),
        ("", "array<In>", 0),
    ];
    for (more, ty, code) in cases {
        expect(&[&shader(&format!("{inner} {more}"), ty), "--target", "gcn", "-o", &out], code, "");
    }
    let commented = "struct In { /* @align(16) */ x: u32, y: u32 } // @align(64)\nstruct Out { a: u32, i: In }";
    expect(&[&shader(commented, "Out"), "--target", "gcn", "-o", &out], 0, "");
    let named = "const N = 32; struct In { @align(N / 2) x: u32 } struct Out { a: u32, i: In }";
    expect(&[&shader(named, "Out"), "--target", "gcn", "-o", &out], 3, "member-alignment");
}

/// A barrier that some invocations miss is an error with its place; one that only looks so is none.
#[test]
fn barriers_in_uniform_control_flow() {
    let s = Scratch::new("barriers");
    let shader = |body: &str| {
        let text = format!(
            "var<workgroup> w: array<u32, 64>;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
             @group(0) @binding(1) var<uniform> n: u32;\n\
             @compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3u) {{\n\
             {body}\n o[i] = w[i]; }}\n"
        );
        s.write("a.wgsl", text)
    };
    let wrong = [
        "if i == 0u { workgroupBarrier(); }",
        "if i > n { return; } workgroupBarrier();",
        "for (var k = 0u; k < i; k++) { workgroupBarrier(); }",
        "if o[0] == 1u { storageBarrier(); }",
        "loop { if i == 3u { break; } workgroupBarrier(); }",
    ];
    for body in wrong {
        let said = expect(&[&shader(body), "--target", "gcn", "-S"], 1, "error[barrier-uniformity]");
        assert!(said.contains("a.wgsl:6:"), "{said}");
    }
    let right = [
        "workgroupBarrier();",
        "if n == 0u { workgroupBarrier(); }",
        "if g.x > n { return; } workgroupBarrier();",
        "for (var k = 0u; k < n; k++) { w[i] = k; workgroupBarrier(); }",
        "if i == 0u { w[0] = 1u; } workgroupBarrier();",
        "var a = array<u32, 4>(1u, 2u, 3u, 4u); if a[n] == 2u { workgroupBarrier(); }",
        "for (var k = 0u; k < i; k++) { w[i] += k; } workgroupBarrier();",
        "if workgroupUniformLoad(&w[0]) == 0u { workgroupBarrier(); }",
    ];
    for body in right {
        expect(&[&shader(body), "--target", "all", "-S"], 0, "");
    }
}

/// WGSL's rule for derivatives, and its filters.
#[test]
fn derivatives_are_in_uniform_control_flow() {
    let s = Scratch::new("derivatives");
    let shader = |head: &str, attribute: &str, body: &str| {
        let text = format!(
            "{head}\n@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;\n\
             @group(0) @binding(2) var<uniform> n: u32; @group(0) @binding(3) var d: texture_depth_2d;\n\
             @group(0) @binding(4) var c: sampler_comparison;\n{attribute}\n\
             fn slope(x: f32) -> f32 {{ return dpdx(x); }}\n\
             @fragment fn fs(@location(0) uv: vec2<f32>, @location(1) @interpolate(flat) k: u32) -> @location(0) vec4<f32> {{\n\
             {body} }}\n"
        );
        s.write("a.wgsl", text)
    };
    let wrong = [
        "if uv.x > 0.5 { return vec4(dpdx(uv), 0.0, 1.0); } return vec4(0.0);",
        "if k > 2u { return vec4(0.0); } return textureSample(t, s, uv);",
        "var a = vec4(0.0); for (var i = 0u; i < k; i++) { a += textureSampleBias(t, s, uv, 1.0); } return a;",
        "if uv.y > 0.1 && fwidth(uv.x) > 0.2 { return vec4(1.0); } return vec4(0.0);",
        "switch k { case 1u: { return vec4(slope(uv.x)); } default: { return vec4(0.0); } }",
        "loop { if uv.x > 0.3 { break; } return vec4(textureSampleCompare(d, c, uv, 0.5)); } return vec4(0.0);",
        "if textureSample(t, s, uv).x > 0.5 { return vec4(dpdyCoarse(uv.x)); } return vec4(0.0);",
    ];
    let args = ["--target", "gcn", "--emit", "gir", "-o", "-"];
    let run = |file: &str, code: i32, said: &str| {
        let all: Vec<&str> = [file].into_iter().chain(args).collect();
        expect(&all, code, said)
    };
    for body in wrong {
        run(&shader("", "", body), 1, "error[derivative-uniformity]");
        run(&shader("diagnostic(error, derivative_uniformity);", "", body), 1, "error[derivative-uniformity]");
        run(&shader("diagnostic(warning, derivative_uniformity);", "", body), 0, "warning[derivative-uniformity]");
        let said = run(&shader("diagnostic(off, derivative_uniformity);", "", body), 0, "");
        assert!(!said.contains("derivative-uniformity"), "{said}");
    }
    // The filter of the function that has the derivative counts.
    let inside = wrong[4];
    let said = run(&shader("", "@diagnostic(off, derivative_uniformity)", inside), 0, "");
    assert!(!said.contains("derivative-uniformity"), "{said}");
    run(&shader("", "@diagnostic(off, derivative_uniformity)", wrong[0]), 1, "error[derivative-uniformity]");
    let off = "diagnostic(off, derivative_uniformity);";
    run(&shader(off, "@diagnostic(error, derivative_uniformity)", inside), 1, "error[derivative-uniformity]");
    // Those of statements and blocks, wherever WGSL allows them; the innermost counts.
    let d = |told: &str| format!("@diagnostic({told}, derivative_uniformity)");
    let (off, warn, err) = (d("off"), d("warning"), d("error"));
    for (body, code) in [
        (format!("{off} if uv.x > 0.5 {{ return vec4(dpdx(uv), 0.0, 1.0); }} return vec4(0.0);"), 0),
        (format!("if uv.x > 0.5 {off} {{ return vec4(dpdx(uv), 0.0, 1.0); }} return vec4(0.0);"), 0),
        (format!("if uv.x > 0.5 {{ return vec4(0.0); }} else {off} {{ return vec4(dpdx(uv), 0.0, 1.0); }}"), 0),
        (format!("{off} {{ if uv.x > 0.5 {{ return vec4(dpdx(uv), 0.0, 1.0); }} }} return vec4(0.0);"), 0),
        (format!("var a = uv; {off} for (var i = 0u; i < k; i++) {{ a += dpdx(uv); }} return a.xyxy;"), 0),
        (format!("var a = uv; for (var i = 0u; i < k; i++) {off} {{ a += dpdx(uv); }} return a.xyxy;"), 0),
        (format!("var a = uv; {off} while a.x < 0.5 {{ a += 1.0 + dpdx(uv); }} return a.xyxy;"), 0),
        (format!("var a = uv; {off} loop {{ if a.x > 0.5 {{ break; }} a += dpdx(uv); }} return a.xyxy;"), 0),
        (format!("var a = uv; loop {off} {{ if a.x > 0.5 {{ break; }} a += dpdx(uv); }} return a.xyxy;"), 0),
        (format!("{off} switch k {{ case 1u: {{ return vec4(dpdx(uv.x)); }} default: {{ return vec4(0.0); }} }}"), 0),
        (format!("switch k {off} {{ case 1u: {{ return vec4(dpdx(uv.x)); }} default: {{ return vec4(0.0); }} }}"), 0),
        (format!("switch k {{ case 1u {off} {{ return vec4(dpdx(uv.x)); }} default {{ return vec4(0.0); }} }}"), 0),
        (format!("{warn} if uv.x > 0.5 {{ return vec4(dpdx(uv), 0.0, 1.0); }} return vec4(0.0);"), 2),
        (format!("{off} {{ {err} if uv.x > 0.5 {{ return vec4(dpdx(uv), 0.0, 1.0); }} }} return vec4(0.0);"), 1),
        (format!("{off} {{ }} if uv.x > 0.5 {{ return vec4(dpdx(uv), 0.0, 1.0); }} return vec4(0.0);"), 1),
    ] {
        let (exit, needle) = match code {
            0 => (0, ""),
            1 => (1, "error[derivative-uniformity]"),
            _ => (0, "warning[derivative-uniformity]"),
        };
        let said = run(&shader("", "", &body), exit, needle);
        assert!(code != 0 || !said.contains("derivative-uniformity"), "{body}: {said}");
    }
    let right = [
        "return textureSample(t, s, uv);",
        "if n == 0u { return textureSample(t, s, uv); } return vec4(slope(uv.x));",
        "if uv.x > 0.5 { discard; } return textureSample(t, s, uv);",
        "if uv.x > 0.5 { return textureSampleLevel(t, s, uv, 0.0); } return textureSampleGrad(t, s, uv, uv, uv);",
        "var a = vec4(0.0); for (var i = 0u; i < n; i++) { a += textureSample(t, s, uv); } return a;",
        "var z = uv; if k > 2u { z = z.yx; } return textureSample(t, s, z);",
        "for (var i = 0u; i < k; i++) { if uv.x > 0.5 { break; } } return textureSample(t, s, uv);",
        "let a = uv.x > 0.1 && k == 1u; let w = select(0.0, fwidth(uv.x), a); return vec4(w);",
        "if uv.x > 0.5 { return textureGather(0, t, s, uv); } return textureLoad(t, vec2(1, 2), 0);",
    ];
    for body in right {
        let said = run(&shader("", "", body), 0, "");
        assert!(!said.contains("derivative-uniformity"), "{said}");
    }
}

/// `--verify` draws with vertex and fragment entries, or says why it does not.
#[test]
fn verify_draws() {
    let s = Scratch::new("verify-draws");
    let pair = s.write(
        "pair.wgsl",
        "struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) k: u32 }\n\
         @group(0) @binding(0) var<uniform> m: mat4x4<f32>;\n\
         @vertex fn vs(@location(0) p: vec4<f32>, @builtin(vertex_index) i: u32) -> V { return V(m * p, p.xy, i); }\n\
         @fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4(fract(v.uv * 7.0), f32(v.k), 1.0); }\n",
    );
    let (verify, deny) = (["--target", "gcn:gfx6,gcn:gfx8", "--verify"], ["--deny", "not-compared"]);
    let run = |file: &str, code: i32, said: &str, more: &[&str]| {
        expect(&[&[file][..], &verify, more].concat(), code, said);
    };
    run(&pair, 0, "", &deny);
    let nowhere = s.write(
        "nowhere.wgsl",
        "@vertex fn vs(@location(0) p: vec4<f32>) -> @builtin(position) vec4<f32> { return vec4(p.xyz, -1.0); }\n",
    );
    run(&nowhere, 0, "not compared: nothing is drawn", &[]);
    run(&nowhere, 1, "not compared: nothing is drawn", &deny);
}

/// A size of points is refused by its code on machines; 1 is what there is.
#[test]
fn points_have_a_size_of_one() {
    let s = Scratch::new("points");
    let shader = |body: &str| {
        s.write(
            "p.vert",
            format!("#version 450\nlayout(location=0) in vec4 p;\nvoid main() {{ gl_Position = p; {body} }}\n"),
        )
    };
    let args = ["--target", "gcn", "--emit", "gir", "-o", "-"];
    let run = |body: &str, code: i32, said: &str| {
        expect(&[&[shader(body).as_str()][..], &args].concat(), code, said);
    };
    run("", 0, "");
    run("gl_PointSize = 1.0;", 0, "");
    run("gl_PointSize = 8.0;", 0, "");
    run("gl_PointSize = p.x;", 0, "");
}

/// `run` dispatches; stages of draws are for `render`.
#[test]
fn run_says_who_draws() {
    let s = Scratch::new("who-draws");
    let file = s.write("a.wgsl", "@fragment fn fs() -> @location(0) vec4<f32> { return vec4(1.0); }\n");
    expect(&["run", &file], 2, "use `gpucc render`");
    expect(&["run", &file, "--target", "gcn"], 2, "`fs` is a fragment entry");
    let out = s.path("a.bin");
    expect(&[&file, "--target", "gcn", "-o", &out], 0, "");
    expect(&["run", &out], 2, "use `gpucc render`");
}

/// Endings in capitals and the mark of UTF-8 that some editors write: a message behind it names the same column.
#[test]
fn endings_in_capitals_and_texts_with_a_mark() {
    let s = Scratch::new("mark");
    let shader = "\u{feff}@compute @workgroup_size(1) fn main() { }\n";
    let file = s.write("A.WGSL", shader);
    let out = s.path("a.bin");
    assert!(gpucc().args([&file, "--target", "gcn", "-o", &out]).status().expect("it starts").success());
    expect(&["stats", s.0.to_str().expect("a path"), "--target", "gcn"], 0, "A.WGSL");
    let wrong = s.write("b.wgsl", "\u{feff}@compute @workgroup_size(1) fn main() { missing(); }\n");
    let plain = s.write("c.wgsl", "@compute @workgroup_size(1) fn main() { missing(); }\n");
    let said = |file: &str| {
        let o = gpucc().args([file, "--target", "gcn", "-o", "-"]).output().expect("it starts");
        assert_eq!(o.status.code(), Some(1));
        text(&o).contains("missing")
    };
    assert!(said(&wrong) && said(&plain));
}

/// A reader that goes away early is told nothing; the exit code says that not all was written.
#[test]
#[cfg(unix)]
fn a_reader_that_goes_away() {
    let s = Scratch::new("pipe");
    let lines = "o[0] = o[1] * 3u + o[2];\n".repeat(3000);
    let shader = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(1) fn main() {{\n{lines}}}\n"
    );
    let file = s.write("a.wgsl", shader);
    let mut child = gpucc()
        .args([file.as_str(), "--target", "gcn", "-S"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let o = child.wait_with_output().expect("it ends");
    assert_eq!((o.status.code(), text(&o).as_str()), (Some(2), ""));
}

/// A listing names its target: `asm` takes it from there, and one for another family is said in a sentence.
#[test]
fn a_listing_names_its_target() {
    let s = Scratch::new("listing");
    let file = s.write("a.wgsl", "@compute @workgroup_size(1) fn main() { }\n");
    let o = gpucc().args([&file, "--target", "gcn:gfx7", "-S"]).output().expect("it starts");
    let listing = s.write("a.s", &o.stdout);
    let out = s.path("a.raw");
    assert!(gpucc().args(["asm", &listing, "-o", &out]).status().expect("it starts").success());
    let all =
        expect(&["asm", &listing, "--target", "valhall", "-o", &out], 2, "is a listing for gcn:gfx7, not for valhall");
    assert_eq!(all.lines().count(), 1, "{all}");
}

/// Words as a listing of GCN prints them are taken back, beside bytes in the order of memory.
#[test]
fn words_as_listings_print_them() {
    for words in ["32020501", "01,05,02,32", "0x32020501"] {
        let o = feed(&["disasm", "--words", "--target", "gcn", "-"], &format!("{words}\n"));
        assert!(o.status.success(), "{}", text(&o));
        assert!(text(&o).starts_with("v_"), "{}", text(&o));
    }
}

/// The names of files in a report do not say where the folder lies.
#[test]
#[cfg(unix)]
fn a_dangling_link_is_named_as_given() {
    let s = Scratch::new("dangling");
    s.write("good.wgsl", "@compute @workgroup_size(1) fn main() { }\n");
    std::os::unix::fs::symlink("nowhere.wgsl", s.path("bad.wgsl")).expect("a link");
    let o = gpucc()
        .current_dir(&s.0)
        .args(["stats", ".", "--target", "gcn", "--format", "json"])
        .output()
        .expect("it starts");
    let t = text(&o);
    assert!(t.contains("bad.wgsl") && !t.contains(s.0.to_str().expect("a path")), "{t}");
}

/// A dump prints what the shader says a word is, where nobody gave it as something else.
#[test]
fn dumps_know_the_types_of_the_shader() {
    let f = Scratch::new("dump-types");
    let source = "struct P { n: u32, k: u32, a: f32 }
        struct Q { total: f32, count: u32, list: array<f32> }
        @group(0) @binding(0) var<uniform> p: P;
        @group(0) @binding(1) var<storage, read_write> q: Q;
        @compute @workgroup_size(1) fn main() { q.total = p.a * 2.0; q.count = p.n + p.k; q.list[1] = -0.25; }";
    let shader = f.write("types.wgsl", source);
    for target in ["interp", "all"] {
        let buffers = ["--buf", "0:0=u32:3,4+f32:1.5", "--buf", "0:1=zero:16"];
        let run =
            [&["run", &shader, "--target", target][..], &buffers, &["--dump", "0:1=-", "--dump", "0:0=-"]].concat();
        let said = expect(&run, 0, "0:1 = 3.0,7,0.0,-0.25");
        assert!(said.contains("0:0 = 3,4,1.5"), "{said}");
    }
    let halves = "enable f16; @group(0) @binding(0) var<storage, read_write> h: array<f16>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { h[i] = h[i] + 0.5h; }";
    let shader = f.write("halves.wgsl", halves);
    expect(&["run", &shader, "--buf", "0:0=f16:1,2,3,-4", "--dump", "0:0=-"], 0, "0:0 = 1.5,2.5,3.5,-3.5");
    expect(&["run", &shader, "--buf", "0:0=zero:8", "--dump", "0:0=-"], 0, "0:0 = 0.5,0.5,0.5,0.5");
    expect(&["run", &shader, "--buf", "0:0=zero:8", "--dump", "0:0=-:u32"], 0, "0:0 = 939538432,939538432");
}

/// The names that a scene lacks: what there is, and what was meant. Nothing of Rust is in messages about what is written.
#[test]
fn scenes_are_spoken_of_in_their_own_words() {
    let s = Scratch::new("words");
    let render = |name: &str, text: &str, code: i32, said: &str| {
        let file = s.write(name, text);
        expect(&["render", &file, "-o", &s.path("x.png")], code, said)
    };
    let head = "format = \"scene-1\"\n[textures.brick]\nformat = \"rgba8unorm\"\nsize = [4, 4]\n";
    let output = |texture: &str| format!("{head}[[outputs]]\nname = \"o\"\ntexture = \"{texture}\"\n");
    render("a.toml", &output("brik"), 1, "there is no texture `brik`; did you mean `brick`? available: brick");
    render("b.toml", &output("stone"), 1, "there is no texture `stone`; available: brick");
    let present = format!("{}present = \"p\"\n", "format = \"scene-1\"\n");
    render("c.toml", &present, 1, "there is no output `p`; available: none");
    render("d.toml", "[shaders]\n", 1, "format = \"scene-1\"");
    for (wrong, said) in [
        ("shaders.a = 3\n", "expected a table"),
        ("buffers.a = \"x\"\n", "expected a table"),
        ("textures = [1]\n", "a list, expected a table of names"),
        ("buffers.a = { size = \"x\" }\n", "expected a whole number from 0 on"),
        ("buffers.a = { size = [1] }\n", "a list, expected a whole number from 0 on"),
        ("passes = {}\n", "a table, expected a list"),
    ] {
        let file = s.write("e.toml", format!("format = \"scene-1\"\n{wrong}"));
        let said = expect(&["render", &file, "-o", &s.path("x.png")], 1, said);
        assert!(!["Raw", "struct", "u32", "u64", " map", "sequence"].iter().any(|w| said.contains(w)), "{said}");
    }
    // A file that is no picture that is read.
    std::fs::write(s.path("p.dat"), [0xff, 0xd8, 0xff, 0xe0, 0, 16]).expect("a file");
    let data = format!("{head}[[textures.brick.contents]]\nfile = \"p.dat\"\n");
    render("f.toml", &data, 1, "JPEG");
}

/// A value that is none of its option comes with the form that is.
#[test]
fn values_have_a_form() {
    let s = Scratch::new("forms");
    let shader = s.write("f.wgsl", "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }");
    for (option, value, form) in [("--size", "320", "WxH"), ("--time", "abc", "seconds"), ("--mouse", "3", "X,Y")] {
        let said = expect(&["render", &shader, option, value, "-o", &s.path("x.png")], 2, form);
        assert!(said.contains(value), "{said}");
    }
}

/// A pipeline has no effect on a compute shader; what does not fit it has the name of the file.
#[test]
fn pipelines_are_for_stages_that_draw() {
    let s = Scratch::new("pipelines");
    let scene = "format = \"scene-1\"\n[shaders.a]\nfile = \"a.wgsl\"\n[pipelines.mesh]\nvertex = { shader = \"a\" }\n";
    let scene = s.write("mesh.toml", scene);
    let pipeline = format!("{scene}:mesh");
    let out = s.path("x.bin");
    let compile = |file: &str, code: i32, said: &str| {
        expect(&[file, "--target", "gcn", "--pipeline", &pipeline, "-o", &out], code, said)
    };
    let double = s.write("double.wgsl", DOUBLE);
    compile(&double, 2, "--pipeline is for vertex and fragment entry points");
    let text = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }";
    let said = compile(&s.write("v.wgsl", text), 1, "location 0");
    assert!(said.contains("v.wgsl:1:9") && said.contains("--pipeline"), "{said}");
}

/// Errors about `--pipeline` have file and place, those of the scene as well as those of the shader, also of two that are linked.
#[test]
fn errors_of_pipelines_have_places() {
    let s = Scratch::new("pipeline-places");
    let scene = s.write(
        "mesh.toml",
        "format = \"scene-1\"\n[shaders.a]\nfile = \"a.wgsl\"\n[pipelines.mesh]\nvertex = { shader = \"a\" }\n\
         [pipelines.count]\ncompute = { shader = \"a\" }\n",
    );
    let vertex = "@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }\n";
    let fragment = "@fragment fn fs(@location(1) c: vec4f) -> @location(0) vec4f { return c; }";
    let (v, f) = (s.write("v.wgsl", vertex), s.write("f.wgsl", fragment));
    let out = s.path("x.bin");
    let message = |inputs: &[&str], pipeline: Option<&str>| -> Value {
        let pipeline = pipeline.map(|p| ["--pipeline".to_string(), format!("{scene}:{p}")]);
        let mut args: Vec<&str> = inputs.to_vec();
        args.extend(["--target", "gcn", "--message-format", "json", "-o", &out]);
        args.extend(pipeline.iter().flatten().map(String::as_str));
        serde_json::from_str(&expect(&args, 1, "")).expect("one object")
    };
    let place = |m: &Value| (m["file"].as_str().map(str::to_string), m["line"].as_u64(), m["column"].as_u64());
    let at = |file: &str, line, column| (Some(file.to_string()), Some(line), Some(column));
    let m = message(&[&v], Some("mesh"));
    assert_eq!((place(&m), &m["code"]), (at(&v, 1, 9), &json!("pipeline")), "{m}");
    assert_eq!(place(&message(&[&v, &f], Some("mesh"))), at(&v, 1, 9));
    // Without a pipeline: the fragment stage reads what is not given.
    let m = message(&[&v, &f], None);
    assert_eq!(place(&m), at(&f, 1, 11), "{m}");
    assert!(m["notes"].to_string().contains("v.wgsl"), "{m}");
    let m = message(&[&v], Some("count"));
    assert_eq!((place(&m), &m["field"]), (at(&scene, 6, 12), &json!("pipelines.count")), "{m}");
    let m = message(&[&v], Some("mush"));
    assert!(m["message"].to_string().contains("did you mean `mesh`?") && m["file"] == json!(scene), "{m}");
    s.write("mesh.toml", "format = \"scene-1\"\npipelines = 3\n");
    assert_eq!(place(&message(&[&v], Some("mesh"))), at(&scene, 2, 13));
}

/// Options about messages stand in front of a command or behind it.
#[test]
fn options_about_messages_stand_before_commands() {
    let s = Scratch::new("messages-first");
    let shader = s.write("a.wgsl", DOUBLE);
    let run = [shader.as_str(), "--buf", "0:0=u32:1,2,3,4", "--dump", "0:0=-"];
    for lead in [&["--color", "never"][..], &["--color=never", "--message-format", "json"], &["--message-format=human"]]
    {
        let said = expect(&[lead, &["run"], &run[..]].concat(), 0, "0:0 = 2,4,6,8");
        assert_eq!(said.lines().any(|l| l.starts_with('{')), lead.len() == 3, "{said}");
        expect(&[lead, &["help", "run"]].concat(), 0, "--buf");
        // An input with the name of no command is compiled.
        expect(&[lead, &[shader.as_str(), "--target", "gcn", "--stats"]].concat(), 0, "instructions");
    }
    let said = expect(&["--color", "always", "run", &s.path("none.wgsl")], 2, "none.wgsl");
    assert!(said.contains("\u{1b}["), "{said}");
    expect(&["--color", "mauve", "run", &shader], 2, "mauve");
    expect(&["-O2", "run", &shader], 2, "the command `run` stands in front of its options");
    let said = expect(&["rum"], 2, "commands are");
    assert!(said.contains("render") && said.contains("explain") && said.contains("serve"), "{said}");
}

/// A scene on standard input is told from a shader, and what is no container is said once.
#[test]
fn inputs_of_another_kind_are_told() {
    let (code, _, said) = pipe(&["-", "--target", "gcn", "-o", "-"], b"format = \"scene-1\"\n[shaders]\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("is a scene") && said.contains("gpucc render"), "{said}");
    let s = Scratch::new("kinds");
    let shader = s.write("a.wgsl", DOUBLE);
    let said = expect(&["inspect", &shader], 1, "is not a gpucc container");
    assert_eq!(said.matches("not a gpucc container").count(), 1, "{said}");
}

/// Errors of scenes have the file and the field apart from the sentence; a scene may come by standard input, as TOML too.
#[test]
fn errors_of_scenes_have_parts() {
    let s = Scratch::new("parts");
    let text = "format = \"scene-1\"\n[textures.brick]\nformat = \"rgba8unorm\"\nsize = [4, 4]\n[[outputs]]\nname = \"o\"\ntexture = \"brik\"\n";
    let file = s.write("a.toml", text);
    let out = s.path("x.png");
    let check = |said: &str, file: &str| {
        let o: Value = serde_json::from_str(said.lines().next().expect("a line")).expect("JSON");
        assert_eq!(
            (&o["file"], &o["field"], &o["code"]),
            (&json!(file), &json!("outputs[0].texture"), &json!("input")),
            "{o}"
        );
        assert_eq!((&o["line"], &o["column"]), (&json!(7), &json!(11)), "{o}");
        assert!(o["message"].as_str().expect("a sentence").starts_with("there is no texture `brik`"), "{o}");
    };
    check(&expect(&["render", &file, "-o", &out, "--message-format", "json"], 1, "brik"), &file);
    expect(&["render", &file, "-o", &out], 1, "a.toml:7:11: outputs[0].texture: there is no texture `brik`");
    let (code, _, said) = pipe(&["render", "-", "-o", &out, "--message-format", "json"], text.as_bytes());
    assert_eq!(code, Some(1), "{said}");
    check(&said, "<stdin>");
    let right = text.replace("brik", "brick");
    let (code, _, said) = pipe(&["render", "-", "-o", &out], right.as_bytes());
    assert_eq!(code, Some(0), "{said}");
}

/// A shader alone is spoken of by its file: nothing is shown of the scene that is made around it.
#[test]
fn a_shader_alone_is_spoken_of_by_its_file() {
    let s = Scratch::new("alone");
    let out = s.path("x.png");
    let compute = s.write("comp.wgsl", DOUBLE);
    let said = expect(&["render", &compute, "-o", &out], 1, "has no fragment entry point");
    assert!(said.contains("comp.wgsl") && !said.contains("`fragment`"), "{said}");
    let wide =
        s.write("wide.wgsl", "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f { return p; }");
    for target in ["tesla:nv50", "valhall:v9", "vivante:gc2000", "gcn:gfx6"] {
        let o =
            gpucc().args(["render", &wide, "--size", "8x8", "--target", target, "-o", &out]).output().expect("a run");
        let said = String::from_utf8_lossy(&o.stderr);
        assert!(!said.contains("vertex_index") && !said.contains("shaders.vertex"), "{target}: {said}");
        assert!(matches!(o.status.code(), Some(0 | 3)), "{target}: {said}");
    }
}

/// A trap in a draw of two programs has the line of the program that it is in; `--stats` counts what ran.
#[test]
fn traps_in_draws_have_a_line() {
    let s = Scratch::new("endless-draw");
    let vertex = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
";
    let fragment = "@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    return p;
}
";
    let endless = "    var k = 0u;
    loop {
        k += 1u;
        if k == 0u { break; }
    }
";
    let out = s.path("x.png");
    for (name, place) in [("v.wgsl", 1), ("f.wgsl", 4)] {
        let text = format!("{vertex}{fragment}");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(place, endless.trim_end());
        let shader = s.write(name, lines.join("\n") + "\n");
        for target in ["interp", "gcn", "valhall", "tesla"] {
            let args = ["render", &shader, "--target", target, "--size", "8x8", "--steps", "200000", "-o", &out];
            let said = expect(&args, 1, "still running");
            let at = |line: usize| format!("{name}:{line}:");
            // The instructions of a loop are those of any of its lines.
            assert!((place + 1..=place + 6).any(|l| said.contains(&at(l))), "{target}: {said}");
        }
    }
    let shader = s.write("both.wgsl", format!("{vertex}{fragment}"));
    let said = expect(&["render", &shader, "--size", "8x8", "--target", "gcn", "--stats", "-o", &out], 0, "gcn:gfx8:");
    assert!(said.contains("lane instructions") && said.contains("valu"), "{said}");
}

/// The language of a shader alone can be said.
#[test]
fn render_is_told_the_language() {
    let s = Scratch::new("render-lang");
    let out = s.path("x.png");
    let glsl = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n";
    let wgsl = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }\n";
    for (name, lang, text) in [("a.txt", "frag", glsl), ("b.txt", "glsl", glsl), ("c.txt", "wgsl", wgsl)] {
        let file = s.write(name, text);
        expect(&["render", &file, "--size", "4x4", "-o", &out], 2, "neither a scene");
        expect(&["render", &file, "--lang", lang, "--size", "4x4", "-o", &out], 0, "rendered");
        let (code, _, said) = pipe(&["render", "-", "--lang", lang, "--size", "4x4", "-o", &out], text.as_bytes());
        assert_eq!(code, Some(0), "{said}");
    }
    let file = s.write("d.txt", glsl);
    expect(&["render", &file, "--lang", "comp", "-o", &out], 2, "--lang wgsl, spv, glsl or frag");
    let wrong = s.write("e.txt", wgsl.replace("vec4f(1.0)", "nothing"));
    expect(&["render", &wrong, "--lang", "wgsl", "-o", &out], 1, "e.txt:1:");
    let scene = s.write("f.toml", "format = \"scene-1\"\n");
    expect(&["render", &scene, "--lang", "wgsl", "-o", &out], 1, "f.toml");
}

/// `run --stats` says cycles by the machine's cost facts: the same on any number of cores, fewer for better code, and a slow instruction counts
/// for what it costs where the number of instructions is the same.
#[test]
fn runs_are_measured_in_cycles() {
    let s = Scratch::new("cycles");
    let shader = |name: &str, body: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<f32, 64>;\n\
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ var x = o[i]; for (var k = 0; k < 50; k++) {{ {body} }} o[i] = x; }}\n"
        );
        s.write(name, text)
    };
    let sum = shader("sum.wgsl", "x = x + 1.5;");
    let root = shader("root.wgsl", "x = inverseSqrt(x);");
    let cycles = |file: &str, target: &str, level: &str| -> u64 {
        let args =
            ["run", file, "--target", target, "-O", level, "--buf", "0:0=zero:256", "--grid", "1,1,1", "--stats"];
        let runs = ["1", "2"].map(|threads| {
            let o = gpucc().args(args).env("RAYON_NUM_THREADS", threads).output().expect("the command starts");
            String::from_utf8_lossy(&o.stdout).into_owned()
        });
        assert_eq!(runs[0], runs[1], "{target}");
        let line = runs[0].lines().find(|l| l.contains("cycle")).unwrap_or_else(|| panic!("{target}: {}", runs[0]));
        let word = line.rsplit(", ").next().and_then(|w| w.split(' ').next());
        word.and_then(|w| w.replace(',', "").parse().ok()).unwrap_or_else(|| panic!("{line}"))
    };
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        assert!(cycles(&sum, target, "2") < cycles(&sum, target, "0"), "{target}");
        // A reciprocal square root takes a quarter of the lanes at a time, but for the chips whose table has one issue for all.
        let dearer = cycles(&root, target, "2") > cycles(&sum, target, "2");
        assert!(dearer || target.starts_with("vivante"), "{target}");
    }
}
