//! Two outputs that are one file, and outputs that are inputs, are told before anything is written: by path, link and redirection, in every
//! command.

use std::fs::File;
use std::process::Stdio;

use crate::common::{DOUBLE, Scratch, expect, gpucc, text};

const SCENE: &str = "examples/scenes/triangle.toml";

#[test]
fn dumps_of_a_run() {
    let s = Scratch::new("one-file-run");
    let shader = s.write(
        "d.wgsl",
        format!("@group(0) @binding(1) var<storage> x: array<u32>;\n{DOUBLE}").replace("*= 2u", "= x[0]"),
    );
    let (x, other) = (s.path("x.raw"), s.path("./x.raw"));
    let buffers = ["--buf", "0:0=zero:16", "--buf", "0:1=zero:16"];
    let run = |target: &str, dumps: [&str; 2], code: i32, needle: &str| {
        let (a, b) = (format!("0:0={}", dumps[0]), format!("0:1={}", dumps[1]));
        let args = [&["run", &shader, "--target", target, "--dump", &a, "--dump", &b][..], &buffers].concat();
        expect(&args, code, needle)
    };
    for target in ["interp", "gcn", "interp,gcn"] {
        run(target, [&x, &x], 2, "is written twice");
        run(target, [&x, &other], 2, "written twice");
        run(target, [&x, &s.path("y.raw")], 0, "");
        run(target, ["-", "-:hex"], 0, "0:1 = ");
    }
    for name in ["x.raw", "x.interp.raw", "x.gcn-gfx8.raw", "y.raw"] {
        std::fs::remove_file(s.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    // Names for several places are compared as they are written.
    let tagged = s.path("x.gcn-gfx8.raw");
    std::os::unix::fs::symlink("x.interp.raw", &tagged).expect("a link");
    run("interp,gcn", [&x, &s.path("z.raw")], 2, "written twice");
    assert!(!s.has("x.interp.raw"));
    // A container, and buffers that are read.
    let (bin, data) = (s.path("d.bin"), s.write("data.raw", [0; 16]));
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    let dumps = [format!("0:0={x}"), format!("0:1={other}"), format!("0:0={data}")];
    let args = ["run", &bin, "--dump", &dumps[0], "--dump", &dumps[1]];
    expect(&[&args[..], &buffers].concat(), 2, "written twice");
    let given = format!("0:0={data}");
    // A buffer alone may be read from the file that it is dumped to.
    let spec = ["--buf", &given, "--buf", "0:1=u32:7,0,0,0", "--dump", &dumps[2]];
    expect(&[&["run", &shader][..], &spec].concat(), 0, "");
    assert_eq!(s.read("data.raw"), [7, 0, 0, 0].repeat(4));
}

#[test]
fn pictures_and_dumps() {
    let s = Scratch::new("one-file-render");
    let (png, other) = (s.path("same.png"), s.path("./same.png"));
    let link = s.path("link.raw");
    std::os::unix::fs::symlink("same.png", &link).expect("a link");
    for to in [&png, &other, &link] {
        let dump = format!("picture={to}");
        expect(&["render", SCENE, "-o", &png, "--dump", &dump], 2, "written twice");
        assert!(!s.has("same.png"));
    }
    // The same where the file is there, by a hard link too.
    s.write("same.png", "before");
    std::fs::hard_link(&png, s.path("hard.raw")).expect("a link");
    for to in [&other, &link, &s.path("hard.raw")] {
        expect(&["render", SCENE, "-o", &png, "--dump", &format!("picture={to}")], 2, "written twice");
    }
    assert_eq!(s.read("same.png"), b"before");
    // What is no file may be named twice.
    expect(&["render", SCENE, "-o", "/dev/null", "--dump", "picture=/dev/null"], 0, "rendered");
}

#[test]
fn outputs_in_a_folder() {
    let s = Scratch::new("one-file-compile");
    let (a, b) = (s.write("a.wgsl", DOUBLE), s.write("b.wgsl", DOUBLE));
    std::fs::create_dir(s.path("d")).expect("a folder");
    std::os::unix::fs::symlink("a.bin", s.path("d/b.bin")).expect("a link");
    let folder = s.path("d");
    expect(&[&a, &b, "--target", "gcn", "-o", &folder], 2, "written twice");
    assert!(!s.has("d/a.bin"));
    // One input goes into a folder as several do.
    expect(&[&a, "--target", "gcn,valhall", "-o", &folder], 0, "");
    assert!(s.has("d/a.gcn-gfx8.bin") && s.has("d/a.valhall-v10.bin"));
    expect(&[&a, "--target", "gcn", "--emit", "json", "-o", &folder], 0, "");
    assert!(s.has("d/a.json"));
    // Inputs of other options.
    let given = format!("0:0={}", s.write("data.raw", [0; 16]));
    let args = [&a, "--target", "gcn", "--verify", "--buf", &given, "-o", &s.path("data.raw")];
    expect(&args, 2, "is the input");
    let scene = s.write("t.toml", std::fs::read(crate::common::workspace().join(SCENE)).expect("a scene"));
    let pair = s.write("v.wgsl", "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(0.0); }");
    let pipeline = format!("{scene}:triangle");
    expect(&[&pair, "--target", "gcn", "--pipeline", &pipeline, "-o", &scene], 2, "is the input");
}

/// Files that standard output and standard input are.
#[test]
fn redirections() {
    let s = Scratch::new("one-file-redirected");
    let shader = s.write("a.wgsl", DOUBLE);
    let out = s.path("out");
    let into = |args: &[&str]| {
        let file = File::create(&out).expect("a file");
        let o = gpucc().args(args).stdout(Stdio::from(file)).output().expect("the command starts");
        (o.status.code(), text(&o))
    };
    let dump = format!("0:0={out}");
    for args in [
        &[shader.as_str(), "--target", "gcn", "--stats", "-o", &out][..],
        &["run", &shader, "--buf", "0:0=zero:16", "--stats", "--dump", &dump],
        &["stats", &shader, "--format", "csv", "-o", &out],
        &["render", SCENE, "--stats", "-o", &out],
    ] {
        let (code, said) = into(args);
        assert!(code == Some(2) && said.contains("standard output"), "{args:?}: {said}");
    }
    let input = File::open(&shader).expect("a shader");
    let o =
        gpucc().args(["-", "--target", "gcn", "-o", &shader]).stdin(Stdio::from(input)).output().expect("it starts");
    assert!(o.status.code() == Some(2) && text(&o).contains("standard input"), "{}", text(&o));
    assert_eq!(s.read("a.wgsl"), DOUBLE.as_bytes());
}

/// Reports and pages: no output is an input, whatever it is called.
#[test]
fn reports_and_listings() {
    let s = Scratch::new("one-file-reports");
    let shader = s.write("a.wgsl", DOUBLE);
    let report = s.path("r.json");
    expect(&["stats", &shader, "--target", "gcn", "-o", &report], 0, "");
    let link = s.path("link.html");
    std::os::unix::fs::symlink("a.wgsl", &link).expect("a link");
    expect(&["stats", &shader, "--target", "gcn", "-o", &link], 2, "is the input");
    expect(&["stats", "merge", &report, "-o", &s.path("./r.json")], 2, "is the input");
    expect(&["explain", &shader, "--target", "gcn", "--html", &link], 2, "is the input");
    expect(&["reduce", &shader, "--check", "true {}", "-o", &link], 2, "is the input");
    let (listing, bin) = (s.path("a.s"), s.path("a.bin"));
    expect(&[&shader, "--target", "gcn", "-S", "-o", &listing], 0, "");
    expect(&[&shader, "--target", "gcn", "-o", &bin], 0, "");
    expect(&["asm", &listing, "--target", "gcn", "-o", &s.path("./a.s")], 2, "is the input");
    expect(&["asm", &listing, "--target", "gcn", "--container", &bin, "-o", &s.path("./a.bin")], 2, "is the input");
}
