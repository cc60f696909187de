//! What other tools read: graphs, SARIF, JUnit, patches, completions, the manual page, Compiler Explorer's lines.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{DOUBLE, SHARED_ATOMICS, Scratch, expect, gpucc, workspace};

/// A branch and a loop.
const FLOW: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) {
    var n = o[g.x];
    while n > 7u { n = n * 3u / 4u; }
    if n == 3u { o[g.x] = 1u; } else { o[g.x] = n; }
}
";

/// Blocks and edges are those of `--emit gir`, and `dot` reads the text where it is installed.
#[test]
fn graphs() {
    let s = Scratch::new("dot");
    let shader = s.write("a.wgsl", FLOW);
    let said = expect(&[&shader, "--target", "gcn", "--emit", "dot"], 0, "digraph \"main\" {");
    let gir = expect(&[&shader, "--target", "gcn", "--emit", "gir"], 0, "entry");
    let blocks: Vec<&str> = gir.lines().filter(|l| l.starts_with("block")).collect();
    let nodes = said.lines().filter(|l| l.contains("label = \"block")).count();
    assert_eq!(nodes, blocks.len(), "{said}\n{gir}");
    assert!(blocks.len() > 3, "{gir}");
    let branches = gir.lines().filter(|l| l.trim_start().starts_with("brif") || l.contains(" ? ")).count();
    let edges = said.lines().filter(|l| l.contains(" -> ")).count();
    assert!(edges > branches && said.contains("label = \"true\"") && said.contains("live: "), "{said}");
    let drawn = Command::new("dot").arg("-Tsvg").arg(s.write("a.dot", &said)).stderr(Stdio::piped()).output();
    if let Ok(o) = drawn {
        assert!(o.status.success() && o.stderr.is_empty(), "{}", String::from_utf8_lossy(&o.stderr));
    }
    // Several entry points and targets follow each other.
    let two = s.write("b.wgsl", format!("{FLOW}@compute @workgroup_size(1) fn other() {{ o[0] = 1u; }}\n"));
    let said = expect(&[&two, "--target", "gcn,tesla", "--emit", "dot"], 0, "digraph");
    assert_eq!(said.matches("digraph \"").count(), 4, "{said}");
}

/// The messages of a command as one document, whatever they are about.
#[test]
fn sarif() {
    let s = Scratch::new("sarif");
    let results = |args: &[&str], code: i32| {
        let o = gpucc().args(args).args(["--message-format", "sarif"]).output().expect("the command starts");
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(code), "{said}");
        let d: Value = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}"));
        assert_eq!(d["version"], "2.1.0");
        d["runs"][0]["results"].as_array().expect("results").clone()
    };
    let wrong = s.write("a.wgsl", DOUBLE.replace("2u", "two"));
    let out = s.path("o.bin");
    let list = results(&[&wrong, "--target", "gcn", "-o", &out], 1);
    assert_eq!((list.len(), &list[0]["level"]), (1, &"error".into()), "{list:?}");
    let region = &list[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 2, "{list:?}");
    let refused = s.write("b.wgsl", SHARED_ATOMICS);
    let list = results(&[&refused, "--target", "tesla:nv50,gcn", "-o", &out], 3);
    assert!(list.iter().any(|r| r["properties"]["target"] == "tesla:nv50"), "{list:?}");
    let right = s.write("c.wgsl", DOUBLE);
    assert!(results(&[&right, "--target", "gcn", "-o", &out], 0).is_empty());
    assert_eq!(results(&[&right, "--target", "nothing", "-o", &out], 2)[0]["ruleId"], "usage");
    assert_eq!(results(&[&right, "--nothing"], 2)[0]["ruleId"], "usage");
}

/// Rows are tests; refusals are skipped and what is wrong fails. A comparison has its limits and regressions.
#[test]
fn junit() {
    let s = Scratch::new("junit");
    s.write("in/a.wgsl", DOUBLE);
    s.write("in/b.wgsl", SHARED_ATOMICS);
    let folder = s.path("in");
    let said = expect(&["stats", &folder, "--target", "tesla:nv50,gcn", "--format", "junit"], 0, "<testsuites");
    assert!(said.contains("tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{said}");
    s.write("in/c.wgsl", "fn x(");
    let said = expect(&["stats", &folder, "--target", "gcn", "--format", "junit"], 1, "<failure type=\"invalid\"");
    assert!(said.contains("classname=\"c.wgsl\""), "{said}");
    std::fs::remove_file(s.path("in/c.wgsl")).expect("a file");
    let (old, new) = (s.path("old.json"), s.path("new.json"));
    expect(&["stats", &folder, "--target", "gcn", "-o", &old], 0, "");
    expect(&["diff", &old, &old, "--format", "junit"], 0, "failures=\"0\"");
    s.write("in/a.wgsl", DOUBLE.replace("o[g.x] *= 2u", "o[g.x] = o[g.x] * o[g.x + 1u] + o[g.x + 2u]"));
    expect(&["stats", &folder, "--target", "gcn", "-o", &new], 0, "");
    let said = expect(&["diff", &old, &new, "--format", "junit"], 1, "<failure type=\"total\"");
    assert!(said.contains("instructions"), "{said}");
    // The shader is named for every number that became worse, and the patch makes the new report the baseline.
    let said = expect(&["diff", &old, &new, "--accept"], 1, "most hurt in bytes:");
    assert!(said.contains("--- a/") && said.contains("+++ b/") && said.contains("\n@@ "), "{said}");
    let patch = said.find("--- a/").expect("a patch");
    let end = said[patch..].find("\nerror: ").map_or(said.len(), |at| patch + at + 1);
    let name = said[patch + 6..].lines().next().expect("a name").to_string();
    let patch =
        said[patch..end].replace(&format!("a/{name}"), "a/old.json").replace(&format!("b/{name}"), "b/old.json");
    let file = s.write("p.patch", patch);
    let applied = Command::new("git").current_dir(&s.0).args(["apply", "--unsafe-paths", "-p1", &file]).output();
    if let Ok(o) = applied {
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        assert_eq!(s.read("old.json"), s.read("new.json"));
    }
}

/// Completions know every command, and the manual page has what the help has.
#[test]
fn completions_and_manual() {
    for shell in ["bash", "fish", "zsh"] {
        let said = expect(&["completions", shell], 0, "explain");
        assert!(said.contains("render") && said.contains("target"), "{shell}");
    }
    expect(&["completions", "none"], 2, "bash");
    let said = expect(&["man"], 0, ".TH");
    assert!(said.contains("explain") && said.contains("Valhall"), "{said}");
    let s = Scratch::new("man");
    let folder = s.0.display().to_string();
    expect(&["man", "-o", &folder], 0, "");
    assert!(s.has("gpucc.1") && s.has("gpucc-run.1"));
    expect(&["man", "-o", &s.path("none")], 2, "none");
}

/// What Compiler Explorer reads: line marks, and messages with their places.
#[test]
fn compiler_explorer() {
    let script = workspace().join("contrib/compiler-explorer/gpucc_ce.py");
    let s = Scratch::new("ce");
    let shader = s.write("example.wgsl", DOUBLE);
    let run = |args: &[&str]| {
        let command = env!("CARGO_BIN_EXE_gpucc");
        Command::new("python3").arg(&script).args(args).env("GPUCC", command).output()
    };
    if run(&["--version"]).is_err() {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let out = s.path("out.s");
    let o = run(&["-g", "-S", "-o", &out, "--target", "gcn", &shader]).expect("it starts");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    let text = String::from_utf8(s.read("out.s")).expect("text");
    assert!(text.contains("\t.loc\t1 2 0\n") && text.contains("\nmain:\n") && text.contains("s_endpgm"), "{text}");
    let wrong = s.write("wrong.wgsl", DOUBLE.replace("2u", "two"));
    let o = run(&["-g", "-S", "-o", &out, "--target", "gcn", &wrong]).expect("it starts");
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(o.status.code() == Some(1) && said.contains("wrong.wgsl:2:") && said.contains(": error: "), "{said}");
}

/// What Compiler Explorer's parser makes of a line (its `asm-parser.ts`): an instruction begins with a letter behind blanks, a label is a word
/// with a colon, and labels count where an instruction names them. A line of another form would lose its source, or be dropped.
fn as_compiler_explorer_reads(text: &str) -> (Vec<String>, Vec<(u64, String)>) {
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
    let (mut labels, mut code, mut line) = (Vec::new(), Vec::new(), 0);
    for l in text.lines() {
        if let Some(name) = l.strip_suffix(':') {
            assert!(word(name), "{l}");
            labels.push(name.to_string());
        } else if let Some(place) = l.strip_prefix("\t.loc\t") {
            let n: Vec<u64> = place.split(' ').map(|n| n.parse().expect("a number")).collect();
            assert!(n.len() == 3 && n[0] == 1, "{l}");
            line = n[1];
        } else if let Some(file) = l.strip_prefix("\t.file\t1 \"") {
            assert!(file.ends_with(".wgsl\"") && labels.is_empty(), "{l}");
        } else if let Some(name) = l.strip_prefix("\t.globl\t") {
            assert!(word(name), "{l}");
        } else {
            assert!(l.starts_with('\t') && l[1..].starts_with(|c: char| c.is_ascii_alphabetic()), "`{l}`");
            code.push((line, l[1..].to_string()));
        }
    }
    (labels, code)
}

/// Every line of the listings of all families has a form that it reads, labels are unique, and instructions name those that are there.
#[test]
fn compiler_explorer_reads_every_line() {
    let script = workspace().join("contrib/compiler-explorer/gpucc_ce.py");
    let s = Scratch::new("ce-lines");
    let drawn = "struct V { @builtin(position) at: vec4f, @location(0) c: vec2f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    var c = vec2f(0.0);
    for (var k = 0u; k < i; k++) { c = c * c.yx + 0.5; }
    return V(vec4f(c, 0.0, 1.0), c);
}
";
    let both = [s.write("example.wgsl", FLOW), s.write("drawn.wgsl", drawn)];
    for target in ["gcn", "tesla", "valhall", "vivante", "all"] {
        for shader in &both {
            let command = env!("CARGO_BIN_EXE_gpucc");
            let o = Command::new("python3")
                .arg(&script)
                .args(["-g", "-S", "--target", target, shader])
                .env("GPUCC", command)
                .output();
            let Ok(o) = o else {
                eprintln!("skipped: python3 is not installed");
                return;
            };
            let text = String::from_utf8(o.stdout).expect("text");
            assert!(o.status.success(), "{target}: {}", String::from_utf8_lossy(&o.stderr));
            let (labels, code) = as_compiler_explorer_reads(&text);
            let mut once = labels.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), labels.len(), "{target}: {labels:?}");
            let names = |l: &String| {
                let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                code.iter().any(|(_, i)| i.split(is_part).any(|w| w == l))
            };
            let entry = |l: &&String| l.starts_with("main") || l.starts_with("vs");
            let inner: Vec<&String> =
                labels.iter().filter(|l| l.contains("L") && (!entry(l) || l.contains("_L"))).collect();
            assert!(!inner.is_empty() && inner.iter().all(|l| names(l)), "{target}: {inner:?}\n{text}");
            // The loop is line 4 of both.
            assert!(code.iter().any(|(line, _)| *line == 4), "{target}: {text}");
        }
    }
}

/// A scene is explained stage by stage, with what stands around each; numbers are those of `stats`.
#[test]
fn scenes_are_explained() {
    let scene = "examples/scenes/deferred.toml";
    let o = gpucc().args(["explain", scene, "--target", "gcn", "--json"]).output().expect("the command starts");
    let page: Value = serde_json::from_slice(&o.stdout).expect("JSON");
    let said = expect(&["stats", scene, "--target", "gcn", "--format", "json"], 0, "");
    let report: Value = serde_json::from_str(&said).expect("a report");
    let rows = report["rows"].as_array().expect("rows");
    let columns = page["columns"].as_array().expect("columns");
    assert!(columns.len() == rows.len() && rows.len() > 1, "{page}");
    for c in columns {
        let row = rows.iter().find(|r| r["entry"] == c["entry"] && r["stage"] == c["stage"]).expect("a row");
        assert_eq!(row["stats"], c["stats"]);
        let source = c["source"].as_u64().and_then(|n| page["sources"].get(n as usize)).expect("a text");
        let lines = source["lines"].as_array().map_or(0, Vec::len) as u64;
        for i in c["instructions"].as_array().expect("code") {
            assert!(i["line"].as_u64() <= Some(lines), "{i}");
        }
    }
    let texts = page["sources"].as_array().map_or(0, Vec::len);
    let said = expect(&["explain", scene, "--target", "gcn"], 0, "instructions");
    assert_eq!(said.contains("lines are those of"), texts > 1, "{texts}");
    expect(&["explain", scene, "--target", "gcn", "--entry", "main"], 2, "sets its own");
}
