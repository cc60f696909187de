//! What is written almost right: names, places of options, kinds of files. The message names what was meant, and nothing is done.

use crate::common::{DOUBLE, Scratch, expect};

const SCENE: &str = "examples/scenes/triangle.toml";

#[test]
fn names_of_targets_and_commands() {
    let s = Scratch::new("misspelt-names");
    let (shader, scene) = (s.write("a.wgsl", DOUBLE), SCENE);
    for (wrong, meant) in [
        ("gfx8", "gcn:gfx8"),
        ("polaris10", "gcn:gfx8"),
        ("GCN", "gcn"),
        ("mali", "valhall"),
        ("amd", "gcn"),
        ("gnc", "gcn"),
        ("gcn:gfx9", ""),
    ] {
        let meant = if meant.is_empty() { "it has gfx6".into() } else { format!("did you mean `{meant}`?") };
        let buf = ["--buf", "0:0=zero:16"];
        expect(&[&shader, "--target", wrong, "-S"], 2, &meant);
        expect(&[&["run", &shader, "--target", wrong][..], &buf].concat(), 2, &meant);
        expect(&["render", scene, "--target", wrong, "-o", &s.path("a.png")], 2, &meant);
        expect(&["stats", &shader, "--target", wrong], 2, &meant);
        expect(&["explain", &shader, "--target", wrong], 2, &meant);
        expect(&["reduce", &shader, "--for", "verify", "--target", wrong], 2, &meant);
    }
    for (wrong, meant) in [("rum", "run"), ("stat", "stats"), ("dif", "diff")] {
        expect(&[wrong, &shader], 2, &format!("did you mean `{meant}`?"));
    }
    expect(&["complie", &shader], 2, "commands are disasm, asm, ");
    // A compilation has no word of its own.
    for word in ["compile", "complie", "biuld"] {
        expect(&[word, &shader], 2, "to compile, name the file alone: gpucc FILE --target T -o OUT");
    }
}

#[test]
fn files_of_another_kind() {
    let s = Scratch::new("misspelt-kinds");
    let out = s.path("o.png");
    expect(&[SCENE, "--target", "gcn", "-S"], 2, "is a scene by its ending, not a shader: use `gpucc render`");
    expect(&["render", SCENE, "--oracle", "source"], 2, "follow `=`: --oracle=source");
    let empty = s.write("empty.json", "");
    expect(&["render", &empty, "-o", &out], 1, "empty.json: the scene is empty");
    expect(&["diff", &empty, &empty], 2, "is not a statistics report: it is empty");
    // What is no picture is told before anything is drawn.
    let scene = "format = \"scene-1\"\nshaders.s.wgsl = \"\"\"\n\
        @vertex fn vs() -> @builtin(position) vec4f { return vec4f(0.0, 0.0, 0.0, 1.0); }\n\
        @fragment fn fs() -> @location(0) vec4f { return vec4f(0.5); }\n\"\"\"\n\
        textures.t = { format = \"rgba8unorm\", size = [4, 4], sampleCount = 4 }\n\
        pipelines.p = { vertex = { shader = \"s\" }, fragment = { shader = \"s\", targets = [{ format = \"rgba8unorm\" }] }, multisample = { count = 4 } }\n\
        [[passes]]\ntype = \"render\"\ncolorAttachments = [{ texture = \"t\" }]\ndraws = [{ pipeline = \"p\", draw = { vertexCount = 3 } }]\n";
    let many = s.write("many.toml", scene);
    let said = expect(
        &["render", &many, "-o", &out],
        1,
        "a multisampled texture is none: give the attachment a `resolveTarget`",
    );
    assert!(!said.contains("rendered"), "{said}");
    expect(&["render", &many, "--oracle", "--deny", "not-compared"], 1, "oracle: not compared: ");
    // A text that ends too early has a place too.
    let cut = s.write("cut.wgsl", "@compute @workgroup_size(1)\nfn main() {\n  f(\n");
    let said = expect(&[&cut, "--target", "gcn", "-o", &out], 1, "cut.wgsl:3:4");
    assert!(said.contains("found the end of the text"), "{said}");
    expect(&[&cut, "--target", "gcn", "-o", &out, "--message-format", "json"], 1, "\"line\":3");
    // A number that a float does not hold.
    let shader = s.write("f.wgsl", "@fragment fn fs() -> @location(0) vec4f { return vec4f(0.5); }");
    for option in ["--time=1e39", "--mouse=1e39,0", "--time=inf"] {
        expect(&["render", &shader, option, "-o", &out], 2, "finite numbers");
    }
    assert!(!s.has("o.png"));
}

/// The mark of UTF-8 that some editors write, in each kind of text.
#[test]
fn texts_with_a_mark() {
    let s = Scratch::new("misspelt-mark");
    let shader = s.write("a.wgsl", DOUBLE);
    let marked = |name: &str, text: &[u8]| s.write(name, [b"\xef\xbb\xbf", text].concat());
    let read = |name: &str| s.read(name);
    let out = s.path("o");
    expect(&[&shader, "--target", "gcn", "--emit", "gir", "-O", "0", "-o", &s.path("a.gir")], 0, "");
    expect(&[&marked("b.gir", &read("a.gir")), "--target", "gcn", "-o", &out], 0, "");
    expect(&[&shader, "--target", "gcn", "-S", "-o", &s.path("a.s")], 0, "");
    expect(&["asm", &marked("b.s", &read("a.s")), "-o", &out], 0, "");
    expect(&["stats", &shader, "--target", "gcn", "-o", &s.path("r.json")], 0, "");
    expect(&["diff", &s.path("r.json"), &marked("b.json", &read("r.json"))], 0, "");
    let body = b"void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0.5, 1.0); }\n";
    expect(&["render", &marked("b.frag", body), "--size", "4x4", "-o", &s.path("b.png")], 0, "rendered");
    let gate = marked("gate.toml", b"[total]\ninstructions = \"5 %\"\n");
    expect(&["diff", &s.path("r.json"), &s.path("r.json"), "--gate", &gate], 0, "");
}

/// Options of `reduce`, `asm` and `stats merge` that change nothing.
#[test]
fn options_of_other_commands() {
    let s = Scratch::new("misspelt-options");
    let (shader, out) = (s.write("a.wgsl", DOUBLE), s.path("o"));
    let check = ["reduce", &shader, "--check", "true {}", "-o", &out];
    for more in [&["--target", "gcn"][..], &["-O", "1"]] {
        expect(&[&check[..], more].concat(), 2, "has no effect: --check has the targets and levels of its own command");
    }
    let module = s.write("m.spv", include_bytes!("found/centroid.spv"));
    for more in ["--rename", "--keep-interface"] {
        expect(&["reduce", &module, "--check", "true {}", "-o", &out, more], 2, "has no effect");
    }
    expect(&["reduce", SCENE, "--check", "true {}", "-o", &out, "--allow-invalid"], 2, "has no effect");
    expect(&[&shader, "--target", "gcn", "-S", "-o", &s.path("a.s")], 0, "");
    expect(&["asm", &s.path("a.s"), "--long", "-o", &out], 2, "--long is for tesla");
    expect(&["stats", &shader, "--target", "gcn", "-o", &s.path("r.json")], 0, "");
    expect(&["stats", "merge", &s.path("r.json"), "--target", "gcn"], 2, "--target has no effect on `stats merge`");
    assert!(!s.has("o"));
}

/// Two files in one table, a change that is small, a width that the environment asks for.
#[test]
fn numbers_can_be_told_apart() {
    let s = Scratch::new("misspelt-numbers");
    let (a, b) = (s.write("a.wgsl", DOUBLE), s.write("b.wgsl", DOUBLE));
    let said = expect(&[&a, &b, "--target", "gcn", "--stats"], 0, "a.wgsl: gcn:gfx8 main: ");
    assert!(said.contains("b.wgsl: gcn:gfx8 main: "), "{said}");
    // Both stages of a pipeline are `main`.
    let vertex =
        "#version 450\nlayout(location = 0) out vec2 uv;\nvoid main() { uv = vec2(1.0); gl_Position = vec4(0.5); }\n";
    let fragment = "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 o;\nvoid main() { o = uv.xyxy; }\n";
    let (vertex, fragment) = (s.write("p.vert", vertex), s.write("p.frag", fragment));
    let scene = expect(&["render", &vertex, &fragment, "--init"], 0, "");
    let scene = s.write("p.toml", scene);
    let table = expect(&["stats", &scene, "--target", "gcn"], 0, "picture:main (vertex)");
    assert!(table.contains("picture:main (fragment)"), "{table}");
    let said =
        expect(&[&vertex, &fragment, "--target", "gcn", "--stats", "-o", &s.path("p.bin")], 0, "main (vertex): ");
    assert!(said.contains("main (fragment): "), "{said}");
    let report = |name: &str, bytes: u64| {
        let row = format!(
            "{{\"file\":\"a.wgsl\",\"entry\":\"main\",\"target\":\"gcn:gfx8\",\"status\":\"ok\",\"stats\":{{\"instructions\":{bytes}}}}}"
        );
        s.write(name, format!("{{\"format\":\"gpucc-stats-2\",\"rows\":[{row}]}}"))
    };
    let (before, after) = (report("before.json", 100_000_000), report("after.json", 100_003_820));
    expect(&["diff", &before, &after], 1, "+0.004 %");
    let wide = crate::common::gpucc().args(["stats", &a, "--target", "all"]).env("COLUMNS", "50").output();
    let wide = String::from_utf8(wide.expect("the command starts").stdout).expect("text");
    assert!(wide.lines().filter(|l| !l.contains("every number")).all(|l| l.chars().count() <= 50), "{wide}");
}

/// Inputs stand in front of outputs, on each family.
#[test]
fn interfaces_have_an_order() {
    let s = Scratch::new("misspelt-interface");
    let shader = s.write(
        "a.wgsl",
        "struct V { @builtin(position) p: vec4f, @location(0) a: vec4f, @location(1) b: vec4f }\n\
        @vertex fn vs(@location(0) a: vec4f, @location(1) b: vec4f) -> V { return V(a, b, a + b); }\n\
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.a + v.b; }\n",
    );
    for target in ["valhall", "tesla", "gcn", "vivante"] {
        let bin = s.path("a.bin");
        expect(&[&shader, "--target", target, "-o", &bin], 0, "");
        let text = expect(&["inspect", &bin], 0, "input location 0");
        for entry in text.split("\nentry ").skip(1) {
            let last = entry.rfind("  input location").expect("an input");
            assert!(entry.find("  output ").is_some_and(|first| last < first), "{target}: {entry}");
        }
    }
}

/// A shard beside a whole report, and a file that was given another name.
#[test]
fn reports_that_lack_rows() {
    let s = Scratch::new("misspelt-reports");
    s.write("d/one.wgsl", DOUBLE);
    s.write("d/other.wgsl", DOUBLE.replace("2u", "3u + 5u"));
    let report = |name: &str, more: &[&str]| {
        let path = s.path(name);
        expect(&[&["stats", &s.path("d"), "--target", "gcn", "-o", &path][..], more].concat(), 0, "");
        path
    };
    // Of what is refused in both there is no number.
    let (refused, none) = (s.write("r.wgsl", crate::common::SHARED_ATOMICS), s.path("none.json"));
    expect(&["stats", &refused, "--target", "tesla:nv50", "-o", &none], 0, "");
    expect(&["diff", &none, &none], 0, "no row compiled in both reports: no number was compared");
    let (whole, part) = (report("whole.json", &[]), report("part.json", &["--shard", "1/2"]));
    expect(
        &["diff", &whole, &part],
        2,
        "part.json` is shard 1/2: compare what `gpucc stats merge` makes of all shards",
    );
    expect(&["diff", &part, &part], 0, "");
    std::fs::rename(s.path("d/one.wgsl"), s.path("d/two.wgsl")).expect("another name");
    let said =
        expect(&["diff", &whole, &report("new.json", &[])], 1, "one.wgsl main gcn:gfx8: is not in the new report");
    assert!(said.contains("`two.wgsl` is new and has the same numbers"), "{said}");
}
