//! The command as a person or a script meets it: exit codes, messages, files. No crash, whatever the input.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Scratch, feed, gpucc, text};

fn run(args: &[&str]) -> Output {
    gpucc().args(args).output().expect("the command starts")
}

/// As everywhere, and it is no flood of words.
#[track_caller]
fn expect(args: &[&str], code: i32, needle: &str) {
    let t = crate::common::expect(args, code, needle);
    assert!(t.len() < 20_000, "{args:?} prints {} bytes", t.len());
}

#[test]
fn compiles_runs_and_shows() {
    let s = Scratch::new("good");
    let out = &s.path("v.bin");
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
        // Passes with what they changed, steps of the backend with their time alone.
        let times = text(&run(&["examples/vecadd.wgsl", "--target", target, "--time-passes"]));
        for (name, changes) in [("mem2reg", true), ("isel", false), ("colouring", false), ("emission", false)] {
            let line = times.lines().find(|l| l.trim_start().starts_with(name)).unwrap_or_default();
            assert!(line.contains(" us ") && line.contains(" changes ") == changes, "{target}, {name}: {times}");
        }
    }
    expect(&["examples/vecadd.wgsl", "--target", "all", "-o", out], 0, "");
    assert!(s.has("v.gcn-gfx8.bin") && s.has("v.valhall-v10.bin"));
}

/// A listing assembles to the bytes it came from.
#[test]
fn listings_assemble_back() {
    let s = Scratch::new("asm");
    let [raw, listing, again] = ["a.raw", "a.s", "b.raw"].map(|n| s.path(n));
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        for example in ["vecadd", "collatz", "mandelbrot"] {
            let shader = format!("examples/{example}.wgsl");
            expect(&[&shader, "--target", target, "--emit", "raw", "-o", &raw], 0, "");
            expect(&[&shader, "--target", target, "-S", "-o", &listing], 0, "");
            expect(&["asm", &listing, "--target", target, "-o", &again], 0, "");
            assert_eq!(s.read("a.raw"), s.read("b.raw"), "{target} {example}");
            let d = run(&["disasm", "--raw", &raw, "--target", target]);
            assert!(d.status.success(), "{}", text(&d));
        }
    }
}

/// Bytes that LLVM's assembler makes of a GCN listing; nothing where it is not installed.
fn llvm_mc(listing: &Path, chip: &str, dir: &Path) -> Option<Vec<u8>> {
    let object = dir.join("llvm.o");
    let made = Command::new("llvm-mc")
        .args(["-triple=amdgcn", &format!("-mcpu={chip}"), "-filetype=obj", "-o"])
        .args([&object, listing])
        .output()
        .ok()?;
    assert!(made.status.success(), "{chip}: {}", text(&made));
    // The section `.text` of a 64-bit little-endian ELF file, by its name in the table of section names.
    let elf = std::fs::read(object).expect("an object file");
    let number = |at: usize, n: usize| elf[at..at + n].iter().rev().fold(0usize, |v, b| v << 8 | usize::from(*b));
    let header = |i: usize| number(0x28, 8) + i * number(0x3a, 2);
    let names = number(header(number(0x3e, 2)) + 0x18, 8);
    let named = |i: &usize| elf[names + number(header(*i), 4)..].starts_with(b".text\0");
    let section = header((0..number(0x3c, 2)).find(named).expect("code"));
    let (offset, size) = (number(section + 0x18, 8), number(section + 0x20, 8));
    Some(elf[offset..offset + size].to_vec())
}

/// Entry points with loops, so that each has labels, one of them with a name that no assembler would take.
const THREE: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
    @compute @workgroup_size(64) fn first(@builtin(global_invocation_id) g: vec3u) {\n    var n = g.x;\n\
    while n > 1u { n = select(n / 2u, n * 3u + 1u, n % 2u == 1u); o[g.x] += 1u; }\n}\n\
    @compute @workgroup_size(8) fn größe(@builtin(global_invocation_id) g: vec3u) { // ;a \\ comment\n\
    for (var i = 0u; i < o[g.x]; i++) { if o[i] == g.x { o[i] = i; } }\n}\n\
    @compute @workgroup_size(1) fn third() { for (var i = 0u; i < o[0]; i++) { o[i] = i; } }\n";

/// Listings of several entry points assemble to the bytes of `--emit raw`, with the project's own assembler and, for
/// GCN, with another one.
#[test]
fn several_entries_assemble_back() {
    let s = Scratch::new("entries");
    let path = |n: &str| s.path(n);
    s.write("three.wgsl", THREE);
    let chips = [("gcn:gfx6", "tahiti"), ("gcn:gfx7", "bonaire"), ("gcn:gfx8", "fiji")];
    let targets = ["valhall:v9", "valhall", "tesla:nv50", "tesla", "vivante:gc2000", "vivante:gc7000"];
    for target in targets.into_iter().chain(chips.map(|c| c.0)) {
        let chip = chips.iter().find(|c| c.0 == target).map(|c| c.1);
        for level in ["0", "2"] {
            let compile = |more: &[&str]| {
                expect(&[&[&path("three.wgsl"), "--target", target, "-O", level][..], more].concat(), 0, "");
            };
            compile(&["--emit", "raw", "-o", &path("raw")]);
            compile(&["-S", "-o", &path("a.s")]);
            compile(&["-o", &path("a.bin")]);
            let raw = s.read("raw");
            let listing = String::from_utf8(s.read("a.s")).expect("a listing");
            assert!(listing.starts_with("; gpucc ") && listing.contains(target), "{listing}");
            assert!(listing.contains("; line 7: for (var i = 0u;"), "{target}: {listing}");
            let d = run(&["disasm", &path("a.bin")]);
            s.write("d.s", &d.stdout);
            for name in ["a.s", "d.s"] {
                expect(&["asm", &path(name), "--target", target, "-o", &path("again")], 0, "");
                assert_eq!(s.read("again"), raw, "{target} -O{level} {name}: {listing}");
                if let Some(code) = chip.and_then(|c| llvm_mc(&s.0.join(name), c, &s.0)) {
                    assert_eq!(code, raw, "llvm-mc, {target} -O{level} {name}: {listing}");
                }
            }
            let mut labels: Vec<&str> = listing.lines().filter(|l| l.ends_with(':') && !l.starts_with(';')).collect();
            let before = labels.len();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), before, "{target}: {listing}");
        }
    }
}

#[test]
fn bad_shaders_are_told_where() {
    let s = Scratch::new("bad");
    let file = |name: &str, content: &[u8]| s.write(name, content);
    let out = &s.path("out.bin");
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
    assert!(!s.has("out.bin"), "nothing may be written");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "--entry", "nope", "-o", out], 1, "main");
    expect(&[&s.path(""), "--target", "gcn", "--lang", "wgsl", "-o", out], 2, "directory");
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
    assert!(!s.has("out.bin"), "nothing may be written");
}

#[test]
fn bad_runs_are_clear() {
    let s = Scratch::new("run");
    let endless = &s.write("endless.wgsl", "@compute @workgroup_size(1) fn main() { while true {} }");
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        expect(&["run", endless, "--target", target, "--steps", "100000"], 1, "step");
        expect(&["run", "examples/vecadd.wgsl", "--target", target], 2, "no buffer is bound at");
        let short = ["--buf", "0:0=zero:4", "--buf", "0:1=zero:4", "--buf", "0:2=zero:0"];
        expect(&[&["run", "examples/vecadd.wgsl", "--target", target][..], &short].concat(), 2, "0 bytes");
    }
    expect(&["run", "examples/vecadd.wgsl", "--buf", "0:0=u32:x"], 2, "u32");
    expect(&["run", "examples/vecadd.wgsl", "--grid", "0,1,1"], 2, "--grid");
    expect(&["run", "examples/vecadd.wgsl", "--buf", "0:0=u8:1"], 2, "neither a file nor one of zero:BYTES");
    expect(&["run", "examples/vecadd.wgsl", "--target", "vax"], 2, "interp");
    let dump = ["run", "examples/vecadd.wgsl", "--buf", "0:0=zero:4", "--dump", "0:0=-:u8"];
    expect(&dump, 2, "none of f32, f16, u32, i32 and hex");
    let text_file = &s.write("not.bin", "hello");
    expect(&["run", text_file], 1, "container");
    expect(&["inspect", text_file], 1, "container");
    expect(&["disasm", text_file], 1, "container");
}

#[test]
fn stats_and_diff() {
    let s = Scratch::new("stats");
    let path = |n: &str| s.path(n);
    expect(&["stats", "examples", "--target", "all", "--format", "json", "-o", &path("a.json")], 0, "");
    expect(&["stats", "examples", "--target", "all", "--format", "json", "--jobs", "1", "-o", &path("b.json")], 0, "");
    assert_eq!(s.read("a.json"), s.read("b.json"), "the number of threads changes nothing");
    expect(&["diff", &path("a.json"), &path("b.json")], 0, "helped 0, hurt 0");
    for (shard, name) in [(&["--shard", "1/2"][..], "1.json"), (&["--shard", "2/2"], "2.json"), (&[], "g.json")] {
        let whole = ["stats", "examples", "--target", "gcn", "--format", "json", "-o", &path(name)];
        expect(&[&whole[..], shard].concat(), 0, "");
    }
    expect(&["stats", "merge", &path("1.json"), &path("2.json"), "-o", &path("m.json")], 0, "");
    assert_eq!(s.read("m.json"), s.read("g.json"), "shards together are the whole");
    for format in ["table", "csv", "md", "html"] {
        expect(&["stats", "examples/vecadd.wgsl", "--target", "gcn", "--format", format], 0, "instructions");
    }
}

#[test]
fn words_notation() {
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

/// Code of one family that is damaged in one instruction and cut off in the last one.
#[test]
fn damaged_code_is_counted() {
    let s = Scratch::new("damaged");
    let raw = &s.path("a.raw");
    // Words that are no instruction of the family (sections of the references on encodings), as little-endian bytes.
    let unknown: [(&str, &[u8]); 4] = [
        ("valhall", &[0xff; 8]),
        ("tesla", &[0xff, 0xff, 0xff, 0xff]),
        ("gcn", &[0xff, 0xff, 0xff, 0xff]),
        ("vivante", &[0xff; 16]),
    ];
    for (target, bytes) in unknown {
        expect(&["examples/vecadd.wgsl", "--target", target, "--emit", "raw", "-o", raw], 0, "");
        let good = s.read("a.raw");
        expect(&["disasm", "--raw", raw, "--target", target], 0, "");
        s.write("a.raw", [&good[..], bytes].concat());
        expect(&["disasm", "--raw", raw, "--target", target], 1, "1 word does not decode");
        s.write("a.raw", &good[..good.len() - 2]);
        expect(&["disasm", "--raw", raw, "--target", target], 1, "not decode");
        // A word that does decode is shown all the same.
        let o = run(&["disasm", "--raw", raw, "--target", target]);
        assert!(String::from_utf8_lossy(&o.stdout).lines().count() > 4, "{target}: {}", text(&o));
    }
}

/// Every wrong line is told with its column, the others are read, and nothing is written.
#[test]
fn assembler_errors() {
    let s = Scratch::new("asm-errors");
    let out = s.path("a.raw");
    // Unknown mnemonic; a right line; operand out of range; a modifier that is none; a cut-off word; what the generation
    // lacks (Valhall's generations have the same instructions).
    let cases = [
        (
            "valhall:v9",
            "bogus r0, r1\nFADD.f32 r1, r2, r3\nFADD.f32 r99, r2, r3\n  FADD.f32.zork r1, r2, r3\n.word\n",
            vec!["1:1: error: unknown mnemonic `bogus`", "3:10: error: r99", "4:11: error: ", "5:1: error: "],
        ),
        (
            "tesla:nv50",
            "bogus $r0\nmov b32 $r0 $r1\nmov b32 $r900 $r1\n  add f32 zork $r0 $r1 $r2\n.word 0x1zz\nvote any $c0 $c1\n",
            vec![
                "1:1: error: unknown mnemonic `bogus`",
                "3:9: error: number out of range",
                "4:11: error: ",
                "5:6: error: `0x1zz`",
                "6:1: error: `vote` does not exist on nv50",
            ],
        ),
        (
            "gcn:gfx6",
            "v_bogus v0, v1\nv_mov_b32_e32 v0, v1\nv_mov_b32_e32 v300, v1\n  v_mov_b32_e32 v0, v1 zork\n.long 0x1zz\nv_add_u16_e32 v0, v1, v2\n",
            vec![
                "1:1: error: unknown mnemonic `v_bogus`",
                "3:15: error: ",
                "4:24: error: `v_mov_b32` has no modifier `zork`",
                "5:1: error: `0x1zz`",
                "6:1: error: `v_add_u16_e32` does not exist on gfx6",
            ],
        ),
        (
            "vivante:gc2000",
            "bogus t0, void\nmov t0, void, void, t1.xyzw\nmov t900, void, void, t1\n mov.zork t0, void, void, t1\n.word 0x1 0x2\npopcount.u32 t0, void, void, t1\n",
            vec![
                "1:1: error: unknown mnemonic `bogus`",
                "3:6: error: register number out of range",
                "4:5: error: modifier `.zork`",
                "5:6: error: truncated instruction",
                "6:1: error: `popcount.u32` does not exist on gc2000",
            ],
        ),
    ];
    for (target, source, wanted) in cases {
        let listing = s.write("a.s", source);
        let o = run(&["asm", &listing, "--target", target, "-o", &out]);
        let shown = text(&o);
        assert_eq!(o.status.code(), Some(1), "{target}: {shown}");
        for w in &wanted {
            assert!(shown.contains(&format!("a.s:{w}")), "{target} does not say `{w}`: {shown}");
        }
        assert!(!shown.contains("a.s:2:"), "{target}: line 2 is right: {shown}");
        assert!(!s.has("a.raw"), "{target}: nothing may be written");
        // In words each line has its answer.
        let o = run(&["asm", "--words", &listing, "--target", target]);
        assert_eq!(o.status.code(), Some(1));
        let answers = String::from_utf8_lossy(&o.stdout).into_owned();
        let errors: Vec<bool> = answers.lines().map(|l| l.starts_with("error: ")).collect();
        assert_eq!(errors.len(), source.lines().count(), "{target}: {answers}");
        assert!(errors.iter().enumerate().all(|(i, e)| *e == (i != 1)), "{target}: {answers}");
    }
}

/// Languages, entry points, overrides, outputs of a newcomer's first day.
#[test]
fn inputs_and_outputs() {
    let s = Scratch::new("inputs");
    let file = |name: &str, content: &str| s.write(name, content);
    let out = s.path("out.bin");
    let glsl = "#version 450\nlayout(local_size_x = 4) in;\nlayout(std430, set = 0, binding = 0) buffer B { uint d[]; };\n\
        void main() { d[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u; }\n";
    let (comp, plain) = (file("a.comp", glsl), file("a.glsl", glsl));
    let buffer = ["--buf", "0:0=zero:16", "--dump", "0:0=-"];
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        for args in [vec!["run", &comp], vec!["run", &plain], vec!["run", &plain, "--stage", "cs"]] {
            expect(&[&args[..], &["--target", target], &buffer].concat(), 0, "0:0 = 0,3,6,9");
        }
    }
    expect(&["run", &comp, "--stage", "cs"], 2, "--stage");
    let vertex = file("v.glsl", "#version 450\nvoid main() { gl_Position = vec4(0.0); }\n");
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        expect(&[&vertex, "--stage", "vs", "--target", target, "-o", &out], 0, "");
    }
    let two = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\noverride K: u32 = 3;\n@id(7) override L: f32 = 1.5;\n\
        @compute @workgroup_size(1) fn a() { o[0] = K; }\n@compute @workgroup_size(1) fn b() { o[1] = u32(L * 2.0); }\n";
    let two = file("two.wgsl", two);
    expect(&["run", &two, "--buf", "0:0=zero:8"], 2, "a, b");
    let both = ["--buf", "0:0=zero:8", "--dump", "0:0=-"];
    for target in ["interp", "valhall", "tesla", "gcn", "vivante"] {
        let run = ["run", &two, "--target", target];
        expect(&[&run[..], &["--entry", "a", "--override", "K=9"], &both].concat(), 0, "0:0 = 9,0");
        expect(&[&run[..], &["--entry", "b", "--override", "7=4"], &both].concat(), 0, "0:0 = 0,8");
    }
    expect(&["run", &two, "--entry", "a", "--override", "Z=1"], 1, "no override `Z`");
    expect(&["run", &two, "--entry", "a", "--override", "K=-1"], 1, "error");
    expect(&["run", &two, "--entry", "a", "--override", "K"], 2, "NAME=NUMBER");
    // Raw code of several entry points: in source order, nothing between them.
    let raw = |entry: &[&str]| {
        expect(&[&[two.as_str(), "--target", "gcn", "--emit", "raw", "-o", &out], entry].concat(), 0, "");
        s.read("out.bin")
    };
    let parts = [raw(&["--entry", "a"]), raw(&["--entry", "b"])].concat();
    assert_eq!(raw(&[]), parts);
    expect(&["examples/vecadd.wgsl", "--target", "gcn,tesla", "-o", "/dev/null"], 0, "");
    assert!(!Path::new("/dev/null.gcn-gfx8").exists());
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "--robust", "off", "-o", &out], 0, "");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "--dump", "after:nonsense", "-S"], 2, "mem2reg");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "--dump", "after:gvn", "-S"], 0, "after gvn");
    // The list of passes, those of the machine code too, and only where the target has them.
    for (target, has) in
        [("valhall", "alias-keys"), ("tesla", "fold-breaks"), ("gcn", "spill-lanes"), ("vivante", "place-arrays")]
    {
        for unknown in [["--dump", "after:nope"], ["--fuel", "nope=1"]] {
            expect(&[&["examples/vecadd.wgsl", "--target", target, "-S"], &unknown[..]].concat(), 2, has);
        }
        let after = format!("after:{has}");
        expect(&["examples/vecadd.wgsl", "--target", target, "--dump", &after], 0, &format!("after {has}"));
        expect(&["examples/vecadd.wgsl", "--target", target, "--fuel", &format!("{has}=0"), "-S"], 0, "");
    }
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "-o", "/no/such/folder/x"], 2, "/no/such/folder/x");
    let json = ["--message-format", "json"];
    expect(&[&["examples/vecadd.wgsl", "-S"], &json[..]].concat(), 2, "\"code\":\"usage\"");
    // A link is followed, also to what is not there yet.
    let link = s.path("link.bin");
    std::os::unix::fs::symlink("real.bin", &link).expect("a link");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "-o", &link], 0, "");
    assert!(s.has("real.bin") && std::fs::symlink_metadata(&link).is_ok_and(|m| m.is_symlink()));
    // A file that holds these bytes already stays and gets a new time; one of the same size with others is replaced.
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    let there = || std::fs::metadata(s.path("real.bin")).expect("the file").modified().expect("a time");
    let whole = s.read("real.bin");
    let file = std::fs::File::options().write(true).open(s.path("real.bin")).expect("the file");
    file.set_modified(long_ago).expect("a time");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "-o", &link], 0, "");
    assert!(there() > long_ago && s.read("real.bin") == whole);
    std::fs::write(s.path("real.bin"), vec![0; whole.len()]).expect("zeros");
    expect(&["examples/vecadd.wgsl", "--target", "gcn", "-o", &link], 0, "");
    assert_eq!(s.read("real.bin"), whole);
    let left: Vec<_> =
        std::fs::read_dir(&s.0).expect("the folder").filter_map(Result::ok).map(|e| e.file_name()).collect();
    assert!(left.iter().all(|n| !n.to_string_lossy().ends_with(".tmp")), "no temporary file stays: {left:?}");
}

/// A value that WGSL leaves open is no difference: the run says which words that leaves out.
#[test]
fn beyond_the_buffers() {
    let s = Scratch::new("beyond");
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { o[i + 8u] = 7u; }\n";
    let shader = &s.write("beyond.wgsl", source);
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        expect(
            &["run", shader, "--target", target, "--oracle", "--buf", "0:0=zero:16"],
            0,
            "depend on accesses out of bounds",
        );
        let inside = ["run", shader, "--target", target, "--oracle", "--grid", "1,1,1", "--buf", "0:0=zero:64"];
        expect(&inside, 0, "oracle: match (1 buffer, 64 bytes; bit-exact");
    }
}

/// Figures by source line, and traps that say where in the source they happened.
#[test]
fn source_lines() {
    let s = Scratch::new("lines");
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(1) fn main() {\n    while true {\n        o[0] = o[0] * 3u + 1u;\n    }\n}\n";
    let shader = &s.write("endless.wgsl", source);
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        let run = ["run", shader, "--target", target, "--buf", "0:0=zero:4", "--steps", "10000"];
        expect(&run, 1, "endless.wgsl:4:");
        let stats = ["stats", "examples/saxpy.wgsl", "--target", target, "--per-line", "--format"];
        expect(&[&stats[..], &["json"]].concat(), 0, "\"lines\"");
        expect(&[&stats[..], &["csv"]].concat(), 0, "file,entry,stage,target,status,line,bytes,live_");
        for format in ["table", "md", "html"] {
            expect(&[&stats[..], &[format]].concat(), 0, "line");
        }
    }
}
