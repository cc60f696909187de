//! Where output goes: full disks, closed pipes, inputs that must stay, several inputs and targets.

use std::fs::File;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::common::{DOUBLE, SHARED_ATOMICS, Scratch, expect, feed, gpucc, text, workspace};

/// The standard output of every command.
fn printing(s: &Scratch) -> Vec<Vec<String>> {
    let (shader, bin) = (s.write("a.wgsl", DOUBLE), s.path("a.bin"));
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    expect(&["stats", &shader, "--target", "gcn", "--format", "json", "-o", &s.path("a.json")], 0, "");
    let json = s.path("a.json");
    let commands: Vec<Vec<&str>> = vec![
        vec!["--help"],
        vec!["--version"],
        vec!["run", "--help"],
        vec![&shader, "--target", "gcn", "-S"],
        vec![&shader, "--target", "gcn", "--stats"],
        vec![&shader, "--target", "gcn", "--time-passes"],
        vec![&shader, "--target", "gcn", "--dump", "after:gvn"],
        vec![&shader, "--target", "gcn", "-o", "-"],
        vec!["disasm", &bin],
        vec!["inspect", &bin],
        vec!["inspect", &bin, "--json"],
        vec!["run", &shader, "--target", "gcn", "--stats", "--buf", "0:0=zero:16"],
        vec!["run", &bin, "--buf", "0:0=zero:16", "--dump", "0:0=-"],
        vec!["stats", &shader, "--target", "gcn"],
        vec!["stats", "merge", &json],
        vec!["diff", &json, &json],
    ];
    commands.iter().map(|c| c.iter().map(|a| a.to_string()).collect()).collect()
}

#[track_caller]
fn is_io(o: &Output, args: &[String], why: &str) {
    let said = text(o);
    assert_eq!(o.status.code(), Some(2), "{why}, {args:?}: {said}");
    assert!(!said.contains("bug") && !said.contains("panick"), "{why}, {args:?}: {said}");
}

#[cfg(unix)]
#[test]
fn closed_pipes_and_full_disks_are_io() {
    let s = Scratch::new("pipes");
    for args in printing(&s) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let o = gpucc().args(&args).stdout(writer).output().expect("the command starts");
        is_io(&o, &args, "closed pipe");
        let full = File::options().write(true).open("/dev/full").expect("a device that is full");
        let o = gpucc().args(&args).stdout(full).output().expect("the command starts");
        is_io(&o, &args, "full disk");
    }
    // A standard output that is not open at all; what needs none does not miss it.
    let closed = |command: &str| {
        let o = std::process::Command::new("sh").args(["-c", command]).output().expect("a shell");
        (o.status.code(), text(&o))
    };
    let gpucc = env!("CARGO_BIN_EXE_gpucc");
    for args in printing(&s) {
        let (code, said) =
            closed(&format!("cd {} && {gpucc} {} >&-", crate::common::workspace().display(), args.join(" ")));
        assert_eq!(code, Some(2), "closed, {args:?}: {said}");
    }
    let (code, said) = closed(&format!("{gpucc} {} --target gcn -o {} >&-", s.path("a.wgsl"), s.path("again.bin")));
    assert_eq!((code, s.read("again.bin")), (Some(0), s.read("a.bin")), "{said}");
    for out in ["--emit=raw", "--emit=bin", "-S"] {
        expect(&[&s.path("a.wgsl"), "--target", "gcn,tesla", out, "-o", "/dev/full"], 2, "/dev/full");
    }
    expect(&["run", &s.path("a.bin"), "--buf", "0:0=zero:16", "--dump", "0:0=/dev/full"], 2, "/dev/full");
}

/// The deepest expression that is accepted is read whatever the limit of the stack is: where the main thread's may not grow, another thread has it.
#[cfg(target_os = "linux")]
#[test]
fn deep_expressions_need_no_limit_of_the_system() {
    let s = Scratch::new("stack");
    let shader = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<i32>;\n@compute @workgroup_size(1)\nfn main() {{ o[0] = {}o[1]; }}\n",
        "~".repeat(8000)
    );
    s.write("deep.wgsl", shader);
    let compiled = |limit: &str, out: &str| {
        let command =
            format!("{limit} {} {} --target gcn -o {}", env!("CARGO_BIN_EXE_gpucc"), s.path("deep.wgsl"), s.path(out));
        let o = std::process::Command::new("sh").args(["-c", &command]).output().expect("a shell");
        assert_eq!(o.status.code(), Some(0), "{limit}: {}", text(&o));
        s.read(out)
    };
    let free = compiled("", "free.bin");
    assert_eq!(free, compiled("ulimit -s 8192;", "bound.bin"));
    assert_eq!(free, compiled("ulimit -s 1024;", "little.bin"));
}

/// Messages that nobody can read change no exit code.
#[cfg(unix)]
#[test]
fn standard_error_may_be_gone() {
    let s = Scratch::new("stderr");
    let (good, bad) = (s.write("a.wgsl", DOUBLE), s.write("b.wgsl", "fn main( {"));
    let listing = s.write("a.s", "bogus\n");
    let refused = s.write("c.wgsl", SHARED_ATOMICS);
    let cases: [(&[&str], i32); 6] = [
        (&[&bad, "--target", "gcn", "-o", "/dev/null"], 1),
        (&[&refused, "--target", "tesla:nv50", "-o", "/dev/null"], 3),
        (&[&good, "--target", "nonsense", "-o", "/dev/null"], 2),
        (&["--nonsense"], 2),
        (&["asm", &listing, "--target", "gcn", "-o", "/dev/null"], 1),
        (&["run", &good, "--target", "gcn", "--buf", "0:0=zero:2"], 2),
    ];
    for (args, code) in cases {
        for json in [false, true] {
            let full = File::options().write(true).open("/dev/full").expect("a device that is full");
            let mut c = gpucc();
            c.args(args).args(json.then_some("--message-format=json"));
            let status = c.stdout(Stdio::null()).stderr(full).status().expect("the command starts");
            assert_eq!(status.code(), Some(code), "{args:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn inputs_are_not_overwritten() {
    let s = Scratch::new("inputs");
    let shader = s.write("a.wgsl", DOUBLE);
    std::os::unix::fs::symlink("a.wgsl", s.0.join("link.wgsl")).expect("a link");
    std::fs::hard_link(&shader, s.0.join("hard.wgsl")).expect("a link");
    let same = [
        shader.clone(),
        s.path("./a.wgsl"),
        s.path("../") + &s.path("a.wgsl"),
        s.path("link.wgsl"),
        s.path("hard.wgsl"),
    ];
    for out in same.iter().filter(|p| std::path::Path::new(p).exists()) {
        for emit in ["--emit=bin", "--emit=raw", "-S"] {
            expect(&[&shader, "--target", "gcn", emit, "-o", out], 2, "not overwritten");
        }
        expect(&["stats", &s.path("."), "--target", "gcn", "-o", out], 2, "not overwritten");
        let dump = format!("0:0={out}");
        expect(&["run", &shader, "--buf", "0:0=zero:16", "--dump", &dump], 2, "not overwritten");
        let redirected = gpucc()
            .args(["-", "--target", "gcn", "-o", out])
            .stdin(File::open(&shader).expect("the shader"))
            .output()
            .expect("the command starts");
        assert_eq!(redirected.status.code(), Some(2), "{}", text(&redirected));
    }
    // The outputs of several targets as well: one of them may be the input.
    let named = s.write("x.gcn-gfx8.wgsl", DOUBLE);
    expect(&[&named, "--target", "gcn,tesla", "-o", &s.path("x.wgsl")], 2, "not overwritten");
    assert!(!s.has("x.tesla-nva3.wgsl"), "nothing is written then");
    assert_eq!(s.read("a.wgsl"), DOUBLE.as_bytes());
    let listing = s.write("l.s", "s_endpgm\n");
    expect(&["asm", &listing, "--target", "gcn", "-o", &listing], 2, "not overwritten");
    assert_eq!(s.read("l.s"), b"s_endpgm\n");
    expect(&["stats", &shader, "--target", "gcn", "--format", "json", "-o", &s.path("r.json")], 0, "");
    expect(&["stats", "merge", &s.path("r.json"), "-o", &s.path("r.json")], 2, "not overwritten");
    // A file with the same content is another file.
    expect(&[&shader, "--target", "gcn", "-o", &s.write("other.wgsl", DOUBLE)], 0, "");
}

#[test]
fn several_inputs_go_to_a_folder() {
    let s = Scratch::new("several");
    let (a, b) = (s.write("a.wgsl", DOUBLE), s.write("b.wgsl", SHARED_ATOMICS));
    let bad = s.write("bad.wgsl", "fn main( {");
    let twin = s.write("sub/a.wgsl", DOUBLE);
    std::fs::create_dir(s.0.join("out")).expect("a folder");
    let out = s.path("out");
    expect(&[&a, &b, "--target", "gcn,tesla", "-o", &out], 0, "");
    for name in ["a.gcn-gfx8.bin", "a.tesla-nva3.bin", "b.gcn-gfx8.bin", "b.tesla-nva3.bin"] {
        assert!(s.has(&format!("out/{name}")), "{name}");
    }
    // One that is wrong keeps no other from being compiled; the worst decides.
    expect(&[&bad, &b, &a, "--target", "tesla:nv50", "--emit", "raw", "-o", &out], 1, "bad.wgsl:1:");
    assert!(s.has("out/a.raw") && !s.has("out/b.raw") && !s.has("out/bad.raw"));
    expect(&[&a, &b, "--target", "gcn", "-o", &s.path("no")], 2, "folder");
    expect(&[&a, &twin, "--target", "gcn", "-o", &out], 2, "both be written");
    let listings = expect(&[&a, &b, "--target", "gcn", "-S"], 0, "a.wgsl");
    assert_eq!(listings.matches("; gpucc ").count(), 2, "{listings}");
}

#[test]
fn a_refusal_stops_no_other_target() {
    let s = Scratch::new("refused");
    let shader = s.write("a.wgsl", SHARED_ATOMICS);
    let said = expect(&[&shader, "--target", "all:all", "-o", &s.path("o.bin")], 3, "tesla:nv50");
    assert!(said.contains("vivante:gc2000"), "{said}");
    let written = std::fs::read_dir(&s.0).expect("the folder").count() - 1;
    assert_eq!(written, 10, "all but two of twelve");
    let dump = format!("0:0={}", s.path("d.bin"));
    let run = ["run", &shader, "--buf", "0:0=zero:4", "--dump", &dump, "--dump", "0:0=-", "--oracle"];
    let said = expect(&[&run[..], &["--target", "tesla:nv50,interp,all"]].concat(), 3, "tesla:nv50");
    for (name, shown) in [
        ("interp", "interp"),
        ("valhall-v10", "valhall:v10"),
        ("tesla-nva3", "tesla:nva3"),
        ("gcn-gfx8", "gcn:gfx8"),
        ("vivante-gc3000", "vivante:gc3000"),
    ] {
        assert_eq!(s.read(&format!("d.{name}.bin")), [6, 0, 0, 0], "{name}");
        assert!(said.contains(&format!("{shown} 0:0 = 6\n")), "{said}");
    }
    assert!(!s.has("d.tesla-nv50.bin") && !s.has("d.bin"));
    expect(&[&run[..], &["--target", "gcn"]].concat(), 0, "0:0 = 6");
    assert_eq!(s.read("d.bin"), [6, 0, 0, 0]);
}

/// Every entry point that is refused is told, and only those.
#[test]
fn every_refused_entry_is_told() {
    let s = Scratch::new("entries");
    let again =
        "@compute @workgroup_size(4) fn again() { atomicAdd(&n, 1u); workgroupBarrier(); o[1] = atomicLoad(&n); }\n";
    let fine = "@compute @workgroup_size(1) fn fine() { o[0] = 1u; }\n";
    let shader = s.write("a.wgsl", format!("{SHARED_ATOMICS}{again}{fine}"));
    let said = expect(&[&shader, "--target", "tesla:nv50", "-o", &s.path("o"), "--message-format=json"], 3, "nv50");
    assert_eq!(said.lines().count(), 2, "{said}");
    for line in said.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("an object a line");
        for key in ["severity", "code", "message", "file", "line", "column", "target"] {
            assert!(object.get(key).is_some(), "{key}: {line}");
        }
        assert_eq!(object["target"], "tesla:nv50");
        assert!(object["line"].as_u64().is_some_and(|l| l > 0), "{line}");
    }
    assert!(!s.has("o"), "a container lacks no entry point");
    expect(&[&shader, "--target", "tesla:nv50", "--entry", "fine", "-o", &s.path("o")], 0, "");
}

#[test]
fn a_misspelt_command_is_told() {
    expect(&["stat", "examples"], 2, "neither a file nor a command; commands are disasm");
}

/// Workgroup memory alone is zeroed: more code than without, less than with bounds, and the oracle starts with zeros too.
#[test]
fn workgroup_memory_can_be_zeroed_without_bounds() {
    let s = Scratch::new("zero");
    let shader = s.write(
        "w.wgsl",
        "var<workgroup> w: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    w[o[i] & 7u] += i + 1u;
    workgroupBarrier();
    o[i] = w[i];
}",
    );
    let buffer = "0:0=u32:1,3,5,7";
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        let run = ["run", &shader, "--target", target, "--robust", "zero", "--buf", buffer, "--dump", "0:0=-"];
        let oracle: &[&str] = if target == "interp" { &[] } else { &["--oracle"] };
        expect(&[&run[..], oracle].concat(), 0, "0:0 = 0,1,0,2");
        if target == "interp" {
            continue;
        }
        let size = |robust| {
            let out = s.path("o.bin");
            expect(&[&shader, "--target", target, "--robust", robust, "--emit", "raw", "-o", &out], 0, "");
            std::fs::metadata(&out).expect("it was written").len()
        };
        let [off, zero, on] = ["off", "zero", "on"].map(size);
        assert!(off < zero && zero <= on, "{target}: {off}, {zero}, {on}");
    }
}

/// Code is labelled as it was made.
#[test]
fn trusted_code_is_labelled() {
    let s = Scratch::new("label");
    let shader = s.write("a.wgsl", DOUBLE);
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        for (robust, trusted) in [("on", 0), ("off", 256)] {
            expect(&[&shader, "--target", target, "--robust", robust, "-o", &s.path("o.bin")], 0, "");
            let o = gpucc().args(["inspect", &s.path("o.bin"), "--json"]).output().expect("the command starts");
            let c: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
            assert_eq!(c["entries"][0]["flags"].as_u64().map(|f| f & 256), Some(trusted), "{target} {robust}: {c}");
        }
    }
}

#[test]
fn messages_as_json_everywhere() {
    let s = Scratch::new("json");
    let shader = s.write("a.wgsl", DOUBLE);
    let listing = s.write("a.s", "bogus\ns_endpgm\n");
    let glsl = s.write("a.comp", "#version 450\nvoid main() { int x = y; float z = w; }\n");
    let out = s.path("o");
    let cases: [(&[&str], i32, &str); 6] = [
        (&[&shader, "--nonsense"], 2, "usage"),
        (&["run"], 2, "usage"),
        (&["inspect", "no-such-file"], 2, "io"),
        (&["disasm", &shader], 1, "input"),
        (&["asm", &listing, "--target", "gcn", "-o", &out], 1, "asm"),
        (&[&glsl, "--target", "gcn", "-o", &out], 1, "parse"),
    ];
    for (args, code, first) in cases {
        let o = gpucc().args(args).arg("--message-format=json").output().expect("the command starts");
        assert_eq!(o.status.code(), Some(code), "{args:?}: {}", text(&o));
        let lines = String::from_utf8(o.stderr).expect("UTF-8");
        let objects: Vec<serde_json::Value> =
            lines.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {lines}"))).collect();
        assert_eq!(objects.first().map(|o| o["code"].clone()), Some(first.into()), "{lines}");
    }
}

/// Input that is no text is wrong input, whatever takes it.
#[test]
fn text_that_is_not_utf8() {
    let s = Scratch::new("utf8");
    for name in ["a.wgsl", "a.comp", "a.vert", "a.gir", "a.s", "a.json"] {
        s.write(name, b"// caf\xe9\n");
    }
    let out = s.path("o");
    for name in ["a.wgsl", "a.comp", "a.vert", "a.gir"] {
        expect(&[&s.path(name), "--target", "gcn", "-o", &out], 1, "UTF-8");
        expect(&["run", &s.path(name)], 1, "UTF-8");
    }
    expect(&["asm", &s.path("a.s"), "--target", "gcn", "-o", &out], 1, "UTF-8");
    expect(&["asm", "--words", &s.path("a.s"), "--target", "gcn"], 1, "UTF-8");
    expect(&["diff", &s.path("a.json"), &s.path("a.json")], 2, "a.json");
}

/// Features that this version does not have are refused, not misunderstood.
#[test]
fn what_is_not_there_yet() {
    let s = Scratch::new("later");
    let shader = s.write("a.wgsl", DOUBLE);
    for target in ["tesla", "valhall", "vivante"] {
        expect(&[&shader, "--target", target, "--emit", "elf", "-o", &s.path("o")], 3, "ELF");
    }
    expect(&["run", &shader, "--buf", "0:0[1]=zero:4"], 2, "no such binding");
    assert!(!s.has("o"));
}

#[test]
fn a_shader_on_standard_input() {
    for args in [&["-", "--target", "gcn", "-S"][..], &["stats", "-", "--target", "gcn", "--format", "csv"]] {
        let o = feed(args, DOUBLE);
        assert!(o.status.success() && text(&o).contains("<stdin>"), "{args:?}: {}", text(&o));
    }
    let glsl = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    assert!(feed(&["stats", "-", "--lang", "comp", "--target", "gcn"], glsl).status.success());
    assert_eq!(feed(&["stats", "-", "--target", "gcn"], "fn main( {").status.code(), Some(1));
}

/// `--verify` runs what was compiled: a line says what was compared, and what has no one result is not.
#[test]
fn verify_runs_the_result() {
    let s = Scratch::new("verify");
    let race = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { o[0] = o[0] * 3u + i; }\n";
    let endless = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @compute @workgroup_size(1) fn main() { loop { o[0] += 1u; if o[1] == 77u { break; } } }\n";
    let (race, endless) = (s.write("race.wgsl", race), s.write("endless.wgsl", endless));
    let out = s.path("o");
    for example in ["vecadd", "saxpy", "collatz", "matmul_tiled", "histogram", "scan"] {
        let said = expect(&[&format!("examples/{example}.wgsl"), "--target", "all", "--verify", "-o", &out], 0, "");
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines.len() == 4 && lines.iter().all(|l| l.contains(" verify: `") && l.contains(": match (")),
            "{example}: {said}"
        );
    }
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        for shader in [&race, &endless] {
            expect(&[shader, "--target", target, "--verify", "-o", &out], 0, "not compared");
        }
    }
    let o = gpucc().args([&race, "--target", "gcn", "--verify", "--message-format=json"]).output().expect("it starts");
    let line: serde_json::Value = serde_json::from_slice(&o.stderr).expect("one object");
    assert_eq!((&line["severity"], &line["code"]), (&"warning".into(), &"not-compared".into()));
}

/// Everything that is wrong with the entry points of a file is told at once.
#[test]
fn several_diagnostics() {
    let s = Scratch::new("diagnostics");
    let wrong = "@group(0) @binding(0) var<storage, read> o: array<u32>;\n\
        @compute @workgroup_size(4) fn a() { o[0] = 1u; }\n\
        @compute @workgroup_size(4) fn b() { }\n\
        @compute @workgroup_size(4) fn c() { o[1] = 2u; }\n";
    let refused = "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;\n\
        @compute @workgroup_size(4) fn a() { atomicAdd(&o[0], 1u); }\n\
        @compute @workgroup_size(4) fn b() { atomicAdd(&o[1], 1u); }\n\
        @compute @workgroup_size(4) fn c() { atomicAdd(&o[2], 1u); }\n";
    let out = s.path("o");
    for (name, text, code, lines) in [("wrong.wgsl", wrong, 1, &[2, 4][..]), ("refused.wgsl", refused, 3, &[2, 3, 4])] {
        let said =
            expect(&[&s.write(name, text), "--target", "tesla:nv50", "-o", &out, "--message-format=json"], code, "");
        let objects = said.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {said}")));
        let mut at: Vec<u64> = objects.filter_map(|o: serde_json::Value| o["line"].as_u64()).collect();
        at.sort_unstable();
        assert_eq!(at, lines, "{said}");
    }
}

/// Races are told in the form that messages have, and `off` looks for none.
#[test]
fn races_are_messages() {
    let s = Scratch::new("races");
    let race = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { o[0] = i; }\n";
    let shader = s.write("a.wgsl", race);
    for target in ["valhall", "tesla", "gcn", "vivante", "interp"] {
        let run = ["run", &shader, "--target", target, "--buf", "0:0=zero:4"];
        expect(&run, 1, "race");
        expect(&run, 1, "a.wgsl:2:");
        expect(&[&run[..], &["--races", "off"]].concat(), 0, "");
        let said = expect(&[&run[..], &["--races", "report", "--message-format=json"]].concat(), 0, "");
        let line = said.lines().next().unwrap_or_default();
        let object: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {said}"));
        assert_eq!((&object["severity"], &object["code"]), (&"warning".into(), &"race".into()), "{said}");
    }
}

/// State of a pipeline of a scene: attributes, targets, samples.
#[test]
fn pipelines_of_scenes() {
    let s = Scratch::new("pipeline");
    let shader = s.write(
        "a.wgsl",
        "struct V { @builtin(position) p: vec4f, @location(0) c: vec2f }
        @vertex fn vs(@location(3) at: vec4f) -> V { return V(at, at.xy); }
        @fragment fn fs(v: V) -> @location(1) vec4f { return vec4f(v.c, 0, 1); }",
    );
    let scene = s.write(
        "s.toml",
        r#"format = "scene-1"
        shaders.m = { file = "a.wgsl" }
        [pipelines.p]
        vertex = { shader = "m", buffers = [ { arrayStride = 16, attributes = [ { shaderLocation = 3, format = "unorm8x4", offset = 8 } ] } ] }
        fragment = { shader = "m", targets = [ {}, { format = "rg32float" } ] }
        [pipelines.ints]
        vertex = { shader = "m", buffers = [ { arrayStride = 16, attributes = [ { shaderLocation = 3, format = "uint8x4", offset = 8 } ] } ] }
        [pipelines.none]
        vertex = { shader = "m" }
        [pipelines.c]
        compute = { shader = "m" }
        "#,
    );
    let with = |name: &str| format!("{scene}:{name}");
    let text = expect(&[&shader, "--target", "gcn", "-S", "--pipeline", &with("p")], 0, "");
    // Of the attribute: typed, at byte 8. Of the target: two components of 32 bits, as they are.
    assert!(text.contains("tbuffer_load_format_xyzw") && text.contains("offset:8"), "{text}");
    assert!(text.contains("exp mrt0") && text.contains("off, off done vm"), "{text}");
    let text = expect(&[&shader, "--target", "gcn", "-S"], 0, "");
    assert!(text.contains("buffer_load_dwordx4") && text.contains("done compr vm"), "{text}");
    expect(&[&shader, "--target", "gcn", "-S", "--pipeline", &with("x")], 1, "there is no pipeline `x`; available: ");
    expect(&[&shader, "--target", "gcn", "-S", "--pipeline", &with("c")], 1, "compute pipeline");
    expect(&[&shader, "--target", "gcn", "-S", "--pipeline", &with("none")], 1, "reads location 3");
    expect(
        &[&shader, "--target", "gcn", "-S", "--pipeline", &with("ints")],
        1,
        "has floats, that of the pipeline integers",
    );
    expect(&[&shader, "--target", "gcn", "-S", "--pipeline", "p"], 2, "SCENE:PIPELINE");
    expect(&[&shader, "--target", "gcn", "-S", "--pipeline", "no.toml:p"], 2, "no.toml");
}

/// An edited listing is put into the container that it came from, and runs.
#[test]
fn an_edited_listing_runs() {
    let s = Scratch::new("edited");
    let shader = s.write("a.wgsl", DOUBLE);
    for (target, from, to) in [
        ("gcn:gfx8", "v_lshlrev_b32_e32 v1, 1, v1", "v_lshlrev_b32_e32 v1, 3, v1"),
        ("tesla:nva3", "", ""),
        ("valhall:v10", "", ""),
        ("vivante:gc3000", "", ""),
    ] {
        let (bin, text, new) = (s.path("a.bin"), s.path("a.s"), s.path("new.bin"));
        expect(&[&shader, "--target", target, "-o", &bin], 0, "");
        let listing = expect(&["disasm", &bin], 0, "");
        assert!(listing.contains(from), "{listing}");
        std::fs::write(&text, listing.replace(from, to)).unwrap();
        expect(&["asm", &text, "--container", &bin, "-o", &new], 0, "");
        let wanted = if from.is_empty() { "2,4,6,8" } else { "8,16,24,32" };
        expect(&["run", &new, "--buf", "0:0=u32:1,2,3,4", "--dump", "0:0=-"], 0, wanted);
    }
    let (text, bin) = (s.path("a.s"), s.path("a.bin"));
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    expect(&["asm", &text, "--container", &bin, "-o", &s.path("x.bin")], 2, "the listing for vivante:gc3000");
    expect(&["asm", &text, "--container", &shader, "-o", &s.path("x.bin")], 1, "is not a gpucc container");
}

/// For people a container's numbers have the names of its family and of the shader.
#[test]
fn inspect_speaks_of_registers_by_name() {
    let s = Scratch::new("inspect");
    let (shader, bin) = (s.write("a.wgsl", DOUBLE), s.path("a.bin"));
    for (target, lines) in [
        (
            "gcn:gfx8",
            &[
                "entry main (compute)",
                "SGPRs ",
                "s0 to s3 = descriptor of `o` (group 0 binding 0), words 0 to 3",
                "= workgroup id x",
            ][..],
        ),
        ("valhall:v10", &["r60 = global id x", "= size of `o` (group 0 binding 0) in bytes"]),
        ("tesla:nva3", &["$r0     = local id, packed", "s[0x14] = size of `o`"]),
        ("vivante:gc3000", &["t0.x = global id x", "= address of `o` (group 0 binding 0), low word", "u0.x = "]),
    ] {
        expect(&[&shader, "--target", target, "-o", &bin], 0, "");
        let text =
            expect(&["inspect", &bin], 0, "`o`: storage, group 0 binding 0, read and write, slot 0, at least 4 bytes");
        for line in lines {
            assert!(text.contains(line), "{target} does not say `{line}`: {text}");
        }
        assert!(!text.contains("file 0") && !text.contains('{'), "{text}");
    }
}

/// Places and registers of both stages have names on the families whose drivers know them as methods and states; in JSON names stand beside the
/// numbers. A buffer's words are of its contents where the family loads those.
#[test]
fn inspect_names_methods_and_states() {
    let s = Scratch::new("inspect-names");
    let source = "struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(3) @interpolate(flat) k: u32 }
        @group(0) @binding(0) var<uniform> u: vec4f;
        @vertex fn vs(@location(0) at: vec2f, @builtin(instance_index) i: u32) -> V { return V(vec4f(at, 0, 1), at, i); }
        @fragment fn fs(v: V) -> @location(0) vec4f { return u * v.uv.x * f32(v.k); }";
    let (shader, bin) = (s.write("g.wgsl", source), s.path("g.bin"));
    for (target, lines) in [
        ("tesla:nva3", &["vertex array 0", "o[0x10]", "v[0x", "$r0", "VP_ATTR_EN(0) = ", "FP_INTERPOLANT_CTRL = "][..]),
        (
            "vivante:gc7000",
            &[
                "VS_INPUT_COUNT = ",
                "VS_HALTI5_INPUT(0) = ",
                "PS_CONTROL = ",
                "u0.w = contents of `u` (group 0 binding 0), word 3",
            ],
        ),
        ("vivante:gc2000", &["VS_INPUT(0) = ", "PS_OUTPUT_REG = ", "RA_EARLY_DEPTH = "]),
    ] {
        expect(&[&shader, "--target", target, "-o", &bin], 0, "");
        let text = expect(&["inspect", &bin], 0, "entry vs (vertex)");
        lines.iter().for_each(|line| assert!(text.contains(line), "{target} does not say `{line}`: {text}"));
        assert!(!text.contains("of space") && !text.contains("file "), "{target}: {text}");
        let json: Value = serde_json::from_str(&expect(&["inspect", "--json", &bin], 0, "")).expect("an object");
        for e in json["entries"].as_array().expect("a list") {
            let named = |list: &Value, key: &str| {
                list.as_array().expect("a list").iter().all(|x| x[key].as_str().is_some_and(|n| !n.is_empty()))
            };
            assert!(named(&e["state"], "name") && named(&e["interface"], "place") && named(&e["registers"], "name"));
            assert!(named(&e["preloads"], "meaning") && named(&e["words"], "name"), "{e}");
            assert_eq!(e["uses"]["discard"], false);
        }
    }
}

/// Graphics containers: both stages with their inputs, outputs, places and register words.
#[test]
fn inspect_shows_both_stages() {
    let s = Scratch::new("inspect-stages");
    let source = "struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(3) @interpolate(flat) k: u32 }
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @vertex fn vs(@location(0) at: vec2f, @builtin(instance_index) i: u32) -> V { return V(vec4f(at, 0, 1), at, i); }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv) * f32(v.k); }";
    let (shader, bin) = (s.write("g.wgsl", source), s.path("g.bin"));
    for generation in ["gfx6", "gfx7", "gfx8"] {
        expect(&[&shader, "--target", &format!("gcn:{generation}"), "-o", &bin], 0, "");
        let text = expect(&["inspect", &bin], 0, "entry vs (vertex)");
        for line in [
            "entry fs (fragment)",
            "`t`: texture 2d float, group 0 binding 0, read, slot 0",
            "`s`: sampler, group 0 binding 1, slot 1",
            "first instance",
            "input location 0 float, xy: vertex buffer 0",
            "output position float, xyzw: pos0.x",
            "= address of the table of vertex buffers, low word",
            "v0 = PERSP_CENTER, i",
            "v1 = PERSP_CENTER, j",
            "output location 0 float, xyzw, packed as half16: mrt0.x",
            "output location 0 float, xy: param0.x",
            "output location 3 integer, x: param1.x",
            "input location 3 integer, x, flat, center: param1.x",
            "pipeline: triangle-list, ccw front, cull none, 1 sample",
            "vertex buffer 0: 8 bytes for each vertex; location 0 float32x2 at 0",
            "target 0: rgba8unorm, rgba written",
            "SPI_VS_OUT_CONFIG = 0x00000002",
            "SPI_PS_INPUT_CNTL_0 = ",
            "SPI_PS_INPUT_CNTL_1 = ",
            "CB_SHADER_MASK = 0x0000000f",
        ] {
            assert!(text.contains(line), "{generation} does not say `{line}`: {text}");
        }
        assert!(!text.contains("of space"), "a register has no name: {text}");
        let json: Value = serde_json::from_str(&expect(&["inspect", "--json", &bin], 0, "")).expect("an object");
        let entries = json["entries"].as_array().expect("a list");
        assert_eq!(entries.iter().map(|e| &e["stage"]).collect::<Vec<_>>(), ["vertex", "fragment"]);
        assert!(entries.iter().all(|e| !e["interface"].as_array().expect("rows").is_empty()));
        assert!(entries.iter().all(|e| !e["state"].as_array().expect("words").is_empty()));
    }
}

/// The page names every key of a resource of `inspect --json`, also those inside of others.
#[test]
fn keys_of_resources_stand_on_the_page() {
    let s = Scratch::new("resource-keys");
    let shader = "struct U { a: vec4f, b: array<vec4f, 3> }\n@group(0) @binding(0) var<uniform> u: U;\n\
        @group(0) @binding(1) var t: texture_2d_array<f32>;\n@group(0) @binding(2) var s: sampler;\n\
        @group(0) @binding(3) var w: texture_storage_2d<rgba8unorm, write>;\n@group(0) @binding(4) var c: sampler_comparison;\n\
        @group(0) @binding(5) var d: texture_depth_2d;\n@group(0) @binding(6) var m: texture_multisampled_2d<u32>;\n\
        @compute @workgroup_size(1) fn main() { let x = textureSampleLevel(t, s, u.a.xy, 1, 0.0) + u.b[2];\n\
        let y = textureSampleCompareLevel(d, c, u.a.xy, 0.5) + f32(textureLoad(m, vec2i(0), 0).x);\n\
        textureStore(w, vec2i(0), x * y); }\n";
    let (shader, bin) = (s.write("a.wgsl", shader), s.path("a.bin"));
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    let json: Value = serde_json::from_str(&expect(&["inspect", &bin, "--json"], 0, "")).expect("JSON");
    let page = std::fs::read_to_string(workspace().join("docs/command-line.md")).expect("the page");
    let row = page.lines().find(|l| l.starts_with("| `resources` | `name`")).expect("the row of resources");
    fn keys(v: &Value, list: &mut Vec<String>) {
        match v {
            Value::Object(o) => o.iter().for_each(|(k, v)| {
                list.push(k.clone());
                keys(v, list);
            }),
            Value::Array(a) => a.iter().for_each(|v| keys(v, list)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    keys(&json["entries"][0]["resources"], &mut all);
    for key in ["shape", "comparison", "multisampled", "format", "members", "stride"] {
        assert!(all.iter().any(|k| k == key), "no resource has `{key}`: {all:?}");
    }
    for key in all {
        assert!(row.contains(&format!("`{key}`")), "the page lacks `{key}`");
    }
}
