//! The command as a person or a script meets it: exit codes, messages, files. No crash, whatever the input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use gpucc_tests::shared::workspace;

/// The command, built once with the profile of these tests.
fn gpucc() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "gpucc-cli", "--profile", "test", "--message-format", "json"])
            .current_dir(workspace())
            .output()
            .expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let text = String::from_utf8(built.stdout).expect("cargo prints JSON");
        text.lines()
            .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
            .filter(|m| m["target"]["name"] == "gpucc")
            .find_map(|m| m["executable"].as_str().map(PathBuf::from))
            .expect("cargo names the executable")
    })
}

fn run(args: &[&str]) -> Output {
    Command::new(gpucc()).args(args).current_dir(workspace()).output().expect("the command starts")
}

/// A scratch folder of this test.
fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("gpucc-cli-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    dir
}

fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

#[track_caller]
fn expect(args: &[&str], code: i32, needle: &str) {
    let o = run(args);
    let t = text(&o);
    let shown = t.chars().take(2000).collect::<String>();
    assert_eq!(o.status.code(), Some(code), "{args:?}: {shown}");
    assert!(t.contains(needle), "{args:?} does not say `{needle}`: {shown}");
    assert!(t.len() < 20_000, "{args:?} prints {} bytes", t.len());
}

#[test]
fn compiles_runs_and_shows() {
    let dir = scratch("good");
    let out = dir.join("v.bin");
    let out = out.to_str().expect("a plain path");
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        expect(&["examples/vecadd.wgsl", "--target", target, "-o", out], 0, "");
        expect(&["inspect", out], 0, target);
        expect(&["inspect", out, "--json"], 0, "\"family\"");
        expect(&["disasm", out], 0, "");
        let buffers = ["--buf", "0:0=u32:1,2", "--buf", "0:1=u32:5,7", "--buf", "0:2=zero:8", "--dump", "0:2=-"];
        expect(&[&["run", out][..], &buffers].concat(), 0, "0:2 = 6,9");
        let shader = ["run", "examples/vecadd.wgsl", "--target", target, "--oracle", "--perturb", "3"];
        expect(&[&shader[..], &buffers].concat(), 0, "0:2 = 6,9");
        expect(&["examples/vecadd.wgsl", "--target", target, "-S"], 0, "");
        expect(&["examples/vecadd.wgsl", "--target", target, "--emit", "gir"], 0, "entry \"main\"");
        expect(&["examples/vecadd.wgsl", "--target", target, "--stats"], 0, "instructions");
    }
    expect(&["examples/vecadd.wgsl", "--target", "all", "-o", out], 0, "");
    assert!(dir.join("v.gcn-gfx8.bin").is_file() && dir.join("v.valhall-v10.bin").is_file());
    std::fs::remove_dir_all(dir).expect("the folder goes");
}

/// A listing assembles to the bytes it came from.
#[test]
fn listings_assemble_back() {
    let dir = scratch("asm");
    let (raw, listing, again) = (dir.join("a.raw"), dir.join("a.s"), dir.join("b.raw"));
    let path = |p: &Path| p.to_str().expect("a plain path").to_string();
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        for example in ["vecadd", "collatz", "mandelbrot"] {
            let shader = format!("examples/{example}.wgsl");
            expect(&[&shader, "--target", target, "--emit", "raw", "-o", &path(&raw)], 0, "");
            expect(&[&shader, "--target", target, "-S", "-o", &path(&listing)], 0, "");
            expect(&["asm", &path(&listing), "--target", target, "-o", &path(&again)], 0, "");
            let (a, b) = (std::fs::read(&raw).expect("raw"), std::fs::read(&again).expect("assembled"));
            assert_eq!(a, b, "{target} {example}");
            let d = run(&["disasm", "--raw", &path(&raw), "--target", target]);
            assert!(d.status.success(), "{}", text(&d));
        }
    }
    std::fs::remove_dir_all(dir).expect("the folder goes");
}

#[test]
fn bad_shaders_are_told_where() {
    let dir = scratch("bad");
    let file = |name: &str, content: &[u8]| {
        let p = dir.join(name);
        std::fs::write(&p, content).expect("a file");
        p.to_str().expect("a plain path").to_string()
    };
    let out = dir.join("out.bin");
    let out = out.to_str().expect("a plain path");
    let compile = |input: &str, code: i32, needle: &str| expect(&[input, "--target", "gcn", "-o", out], code, needle);
    compile(
        &file("type.wgsl", b"@compute @workgroup_size(1)\nfn main() {\n    let x: i32 = 1.5;\n}\n"),
        1,
        "type.wgsl:3:",
    );
    compile(&file("syntax.wgsl", b"fn main( {"), 1, "syntax.wgsl:1:");
    compile(&file("empty.wgsl", b""), 1, "empty");
    compile(&file("latin.wgsl", b"// caf\xe9\n"), 1, "UTF-8");
    compile(&file("rubbish.spv", &[0x55; 300]), 1, "error");
    compile(&file("short.spv", &[3, 2, 35, 7]), 1, "error");
    compile(&file("bad.comp", b"#version 450\nvoid main() { int x = y; }\n"), 1, "error");
    compile(&file("parens.wgsl", &vec![b'('; 50_000_000]), 1, "limit");
    let chain = format!(
        "@compute @workgroup_size(1) fn main() {{ var x = 1; if x == 0 {{}} {} }}",
        "else if x == 1 {} ".repeat(100_000)
    );
    compile(&file("chain.wgsl", chain.as_bytes()), 1, "limit");
    compile(&file("ir.gir", b"entry @main nonsense"), 1, "ir.gir");
    assert!(!Path::new(out).exists(), "nothing may be written");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "--entry", "nope", "-o", out], 1, "main");
    expect(&[dir.to_str().expect("a plain path"), "--target", "gcn", "--lang", "wgsl", "-o", out], 2, "directory");
    expect(&["no-such-file.wgsl", "--target", "gcn", "-o", out], 2, "no-such-file.wgsl");
    expect(&["examples/vecadd.wgsl", "--target", "rdna", "-o", out], 2, "valhall (v9, v10)");
    expect(&["examples/vecadd.wgsl", "--target", "gcn:gfx9", "-o", out], 2, "gfx6, gfx7, gfx8");
    expect(&["examples/vecadd.wgsl", "--target", "gcn"], 2, "-o");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "-O", "7", "-o", out], 2, "0..=3");
    let json = ["--message-format", "json"];
    expect(
        &[&[file("j.wgsl", b"fn main( {").as_str(), "--target", "gcn", "-o", out][..], &json].concat(),
        1,
        "\"line\":1",
    );
    assert!(!Path::new(out).exists(), "nothing may be written");
    std::fs::remove_dir_all(dir).expect("the folder goes");
}

#[test]
fn bad_runs_are_clear() {
    let dir = scratch("run");
    let endless = dir.join("endless.wgsl");
    std::fs::write(&endless, "@compute @workgroup_size(1) fn main() { loop {} }").expect("a file");
    let endless = endless.to_str().expect("a plain path");
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        expect(&["run", endless, "--target", target, "--steps", "100000"], 1, "step");
        expect(&["run", "examples/vecadd.wgsl", "--target", target], 2, "group 0 binding");
        let short = ["--buf", "0:0=zero:4", "--buf", "0:1=zero:4", "--buf", "0:2=zero:0"];
        expect(&[&["run", "examples/vecadd.wgsl", "--target", target][..], &short].concat(), 2, "0 bytes");
    }
    expect(&["run", "examples/vecadd.wgsl", "--buf", "0:0=u32:x"], 2, "u32");
    expect(&["run", "examples/vecadd.wgsl", "--grid", "0,1,1"], 2, "--grid");
    let text_file = dir.join("not.bin");
    std::fs::write(&text_file, "hello").expect("a file");
    let text_file = text_file.to_str().expect("a plain path");
    expect(&["run", text_file], 1, "container");
    expect(&["inspect", text_file], 1, "container");
    expect(&["disasm", text_file], 1, "container");
    std::fs::remove_dir_all(dir).expect("the folder goes");
}

#[test]
fn stats_and_diff() {
    let dir = scratch("stats");
    let path = |n: &str| dir.join(n).to_str().expect("a plain path").to_string();
    expect(&["stats", "examples", "--target", "all", "--format", "json", "-o", &path("a.json")], 0, "");
    expect(&["stats", "examples", "--target", "all", "--format", "json", "--jobs", "1", "-o", &path("b.json")], 0, "");
    let read = |n: &str| std::fs::read(path(n)).expect("a report");
    assert_eq!(read("a.json"), read("b.json"), "the number of threads changes nothing");
    expect(&["diff", &path("a.json"), &path("b.json")], 0, "helped 0, hurt 0");
    expect(
        &["stats", "examples", "--target", "gcn", "--shard", "1/2", "--format", "json", "-o", &path("1.json")],
        0,
        "",
    );
    expect(
        &["stats", "examples", "--target", "gcn", "--shard", "2/2", "--format", "json", "-o", &path("2.json")],
        0,
        "",
    );
    expect(&["stats", "examples", "--target", "gcn", "--format", "json", "-o", &path("g.json")], 0, "");
    expect(&["stats", "merge", &path("1.json"), &path("2.json"), "-o", &path("m.json")], 0, "");
    assert_eq!(read("m.json"), read("g.json"), "shards together are the whole");
    for format in ["table", "csv", "md", "html"] {
        expect(&["stats", "examples/vecadd.wgsl", "--target", "gcn", "--format", format], 0, "instructions");
    }
    std::fs::remove_dir_all(dir).expect("the folder goes");
}

#[test]
fn words_notation() {
    use std::io::Write;
    let feed = |args: &[&str], input: &str| {
        let mut child = Command::new(gpucc())
            .args(args)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input is taken");
        child.wait_with_output().expect("the command ends")
    };
    // Words and texts from outside: the vector files' own tools.
    let good = [
        ("valhall", "0x0090eb0000090018", "S32_TO_F32 r43, r24"),
        ("gcn:gfx7", "54,00,20,d2,67,3e,01,20", "v_max_f32_e64 v84, -s103, 31"),
        ("tesla", "0x10008000", "mov b32 $r0 $r0"),
        ("vivante", "0x0780100a 0x00000004 0x00000000 0x00090058", "movar             t0, void, void, t5.xyzx"),
    ];
    for (target, words, line) in good {
        let o = feed(&["disasm", "--words", "--target", target, "-"], &format!("{words}\nnonsense\n"));
        assert_eq!(o.status.code(), Some(1), "{}", text(&o));
        let out = String::from_utf8_lossy(&o.stdout).into_owned();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2, "one line out for each line in: {out}");
        let fold = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(fold(lines[0]), fold(line));
        assert!(lines[1].starts_with("error: "), "{out}");
        let o = feed(&["asm", "--words", "--target", target, "-"], &format!("{line}\n"));
        assert_eq!(o.status.code(), Some(0), "{}", text(&o));
        assert_eq!(String::from_utf8_lossy(&o.stdout).trim(), words, "{target}");
    }
}
