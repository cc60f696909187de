//! Bodies of ShaderToy: buffers, channels of each kind, common code, and the examples.

use std::path::PathBuf;

use crate::common::{Scratch, expect, workspace};
use gpucc_glsl::{has, need};
use gpucc_scene::Picture;

fn read(path: &str) -> Picture {
    Picture::from_png(&std::fs::read(path).expect("a picture"), None).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The commands that stand at the beginning of the examples.
fn commands() -> Vec<(PathBuf, Vec<String>)> {
    let folder = workspace().join("contrib/shadertoy");
    let files = |path: &PathBuf| -> Vec<PathBuf> {
        std::fs::read_dir(path).expect("a folder").map(|e| e.expect("a file").path()).collect()
    };
    let mut list: Vec<PathBuf> = files(&folder);
    let folders: Vec<PathBuf> = list.extract_if(.., |p| p.is_dir()).collect();
    list.extend(folders.iter().map(|f| f.join("image.glsl")));
    list.sort();
    let command = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let line = text.lines().find_map(|l| l.strip_prefix("//   gpucc ")).expect("how it is drawn").to_string();
        let name = path.strip_prefix(workspace()).expect("in the workspace").display().to_string();
        assert!(line.contains(&name), "{name}: {line}");
        (path, line.split_whitespace().map(String::from).collect())
    };
    list.into_iter().map(command).collect()
}

/// Each example is drawn by every family as by the oracle, small and with few frames before it.
#[test]
fn examples_are_drawn_by_all() {
    need!("glslangValidator");
    let list = commands();
    assert!(list.len() >= 10, "{}", list.len());
    let s = Scratch::new("toys-examples");
    let root = workspace();
    for (path, mut args) in list {
        let out = s.path("a.png");
        let at = args.iter().position(|a| a == "-o").expect("a picture");
        args[at + 1] = out.clone();
        if let Some(at) = args.iter().position(|a| a == "--skip") {
            args[at + 1] = "3".into();
        }
        for a in &mut args {
            if let Some(at) = a.find("contrib/shadertoy/") {
                a.insert_str(at, &format!("{}/", root.display()));
            }
        }
        args.extend(["--size", "32x18", "--target", "interp,all", "--oracle"].map(String::from));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = expect(&args, 0, "oracle: match");
        assert_eq!(said.matches("oracle: match").count(), 5, "{}: {said}", path.display());
        assert!(!read(&s.path("a.interp.png")).is_plain(), "{}: one colour", path.display());
    }
}

/// A buffer reads its own last frame, those before it this frame and those behind it the last one; `iFrame` counts, alpha is kept.
#[test]
fn buffers_see_frames_in_order() {
    need!("glslangValidator");
    let s = Scratch::new("toys-order");
    let sum = "float own(sampler2D s, vec2 p) { return texelFetch(s, ivec2(p), 0).a; }\n";
    let common = s.write("common.glsl", sum);
    // A counts its frames and takes what B had. B takes ten times what A has now.
    let a =
        "void mainImage(out vec4 c, in vec2 p) { c = vec4(own(iChannel1, p), 0.0, 0.0, own(iChannel0, p) + 1.0); }\n";
    let b = "void mainImage(out vec4 c, in vec2 p) { c = vec4(0.0, 0.0, 0.0, 10.0 * own(iChannel2, p)); }\n";
    let image = "void mainImage(out vec4 c, in vec2 p) {\n    vec4 a = texelFetch(iChannel0, ivec2(p), 0);\n    \
        c = vec4(a.a, a.r, own(iChannel3, p) + float(iFrame), 255.0) / 255.0;\n}\n";
    let (a, b, image) = (s.write("a.glsl", a), s.write("b.glsl", b), s.write("image.glsl", image));
    let (a, b) = (format!("A={a}"), format!("B={b}"));
    let out = s.path("out");
    let args = ["render", &image, "--buffer", &b, "--buffer", &a, "--common", &common, "--channel", "A.0=A"];
    let more = ["--channel", "A.1=B", "--channel", "b.2=A", "--channel", "0=A", "--channel", "image.3=B"];
    let all = [&args[..], &more, &["--size", "2x2", "-o", &out]].concat();
    for target in ["interp", "gcn", "tesla", "valhall", "vivante"] {
        expect(&[&all[..], &["--target", target, "--frames", "3"]].concat(), 0, "rendered");
        // The count of A, what B had before, and what B has with the number of the frame.
        for (k, want) in [[1, 0, 10], [2, 10, 21], [3, 20, 32]].iter().enumerate() {
            let got = read(&format!("{out}/{k:04}.png")).pixel(1, 1).expect("a pixel");
            assert_eq!(&got[..3], want, "{target} {k}");
        }
    }
    let one = s.path("one.png");
    expect(&[&all[..all.len() - 1], &[&one, "--skip", "4"]].concat(), 0, "rendered");
    assert_eq!(read(&one).pixel(0, 0), Some([5, 40, 54, 255]));
}

/// A buffer and its readers count rows from the bottom, and slopes go up with them.
#[test]
fn rows_and_slopes_go_up() {
    need!("glslangValidator");
    let s = Scratch::new("toys-rows");
    let place = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p, dFdy(p.y), dFdyFine(p.y) + fwidth(p.x)); }\n";
    let image = "void mainImage(out vec4 c, in vec2 p) {\n    vec4 a = texture(iChannel0, p / iResolution.xy);\n    \
        c = vec4(a.x - p.x, a.y - p.y, a.z + a.w - 3.0, dFdy(p.y)) + vec4(p.y, p.y, dFdy(p.y), 0.0);\n    c /= 255.0;\n}\n";
    let (a, image) = (format!("A={}", s.write("a.glsl", place)), s.write("image.glsl", image));
    let out = s.path("a.png");
    for target in ["interp", "gcn", "tesla", "valhall", "vivante"] {
        let args =
            ["render", &image, "--buffer", &a, "--channel", "0=A", "--size", "5x4", "-o", &out, "--target", target];
        expect(&args, 0, "rendered");
        let p = read(&out);
        // Half a pixel rounds to the even or the next one.
        for (y, rows) in [(0, [3, 4]), (3, [0, 1])] {
            let got = p.pixel(2, y).expect("a pixel");
            assert!(rows.contains(&got[0]) && got[0] == got[1] && got[2] == 1, "{target} {y}: {got:?}");
        }
    }
}

/// Channels of each kind: their sizes, that no key is pressed, and how they are sampled.
#[test]
fn channels_are_of_each_kind() {
    need!("glslangValidator");
    let s = Scratch::new("toys-kinds");
    let out = s.path("a.png");
    let draw = |text: &str, channels: &[&str]| {
        let image = s.write("image.glsl", format!("void mainImage(out vec4 c, in vec2 p) {{ {text} }}\n"));
        let mut args = vec!["render", &image, "--size", "1x1", "-o", &out];
        channels.iter().for_each(|c| args.extend(["--channel", c]));
        expect(&args, 0, "rendered");
        read(&out).pixel(0, 0).expect("a pixel")
    };
    let sizes = "c = vec4(iChannelResolution[0].x, iChannelResolution[1].z, iChannelResolution[2].y, 0.0) / 255.0;";
    assert_eq!(draw(sizes, &["0=cube", "1=volume", "2=keyboard"]), [64, 32, 3, 255]);
    assert_eq!(draw("c = texelFetch(iChannel1, ivec2(65, 0), 0);", &["1=keyboard"]), [0, 0, 0, 255]);
    // Above it is bluer than red, below grey.
    let sky = draw("c = texture(iChannel3, vec3(0.0, 1.0, 0.0));", &["3=cube"]);
    assert!(sky[2] > sky[0] + 60, "{sky:?}");
    let png = Picture { width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 255, 255] }.to_png();
    let png = s.write("two.png", png);
    let at = |x: &str| format!("c = texture(iChannel0, vec2({x}, 0.5));");
    let of = |x: &str, how: &str| draw(&at(x), &[&format!("0={png}{how}")]);
    assert_eq!(of("1.25", ",nearest,repeat"), [255, 0, 0, 255]);
    assert_eq!(of("1.25", ",nearest,clamp"), [0, 0, 255, 255]);
    assert_eq!(of("1.6", ",mirror,nearest"), [255, 0, 0, 255]);
    assert_eq!(of("0.4", ",nearest"), [255, 0, 0, 255]);
    assert_eq!(of("0.5", ",linear"), [128, 0, 128, 255]);
}

/// A body may have the version and the uniforms of another viewer, and words that ES 3.00 leaves free.
#[test]
fn bodies_of_other_viewers_are_drawn() {
    let s = Scratch::new("toys-viewers");
    let out = s.path("a.png");
    let body = "#version 300 es\nprecision highp float;\nuniform vec3 iResolution; // pixels\nuniform float iTime;\n\
        void mainImage(out vec4 c, in vec2 p) { c = vec4(iResolution.x, iTime, 3.0, 0.0) / 255.0; }\n";
    let body = s.write("a.frag", body);
    let given = ["--size", "4x4", "--time", "7", "-o", &out];
    for reader in [&["--frontend", "naga"][..], &[]] {
        expect(&[&["render", &body][..], &given, reader].concat(), 0, "rendered");
        assert_eq!(read(&out).pixel(1, 1), Some([4, 7, 3, 255]), "{reader:?}");
    }
    if has("glslangValidator") {
        let words = "float shared(float buffer) { return buffer; }\nvoid mainImage(out vec4 c, in vec2 p) { c = vec4(shared(1.0)); }\n";
        let words = s.write("b.frag", words);
        expect(&["render", &words, "--size", "1x1", "-o", &out], 0, "rendered");
        assert_eq!(read(&out).pixel(0, 0), Some([255; 4]));
    }
}

/// Sound is refused by its code, and what is wrong is told where it is.
#[test]
fn sound_is_refused_and_mistakes_are_told() {
    need!("glslangValidator");
    let s = Scratch::new("toys-wrong");
    let out = s.path("a.png");
    let body = s.write("a.frag", "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p) * level(1.0); }\n");
    let common = s.write("common.glsl", "float level(float x) {\n    return x * 2.0;\n}\n");
    let broken = s.write("broken.glsl", "float level(float x) {\n    return x * nowhere;\n}\n");
    let sound =
        s.write("sound.glsl", "vec2 mainSound(int samp, float time) { return vec2(sin(6.28 * 440.0 * time)); }\n");
    let other = s.write("b.frag", "void mainImage(out vec4 c, in vec2 p) { c = vec4(level(x)); }\n");
    let plain = s.write("c.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n");
    let (a, b) = (format!("A={body}"), format!("B={other}"));
    let cases: [(&[&str], i32, &str); 16] = [
        (&[&body, "--common", &common], 0, "rendered"),
        (&[&sound], 3, "error[parser]: a body for sound"),
        (&[&body, "--common", &common, "--channel", "0=mic"], 3, "error[parser]: --channel 0: `mic`"),
        (&[&body, "--common", &broken], 1, "broken.glsl:2:"),
        (&[&body, "--common", &s.path("none.glsl")], 2, "none.glsl"),
        (&[&body, "--common", &common, "--buffer", &b], 1, "b.frag:1:"),
        (&[&body, "--common", &common, "--channel", "0=A"], 2, "there is no --buffer A"),
        (&[&body, "--common", &common, "--channel", "A.0=noise"], 2, "there is no --buffer A"),
        (
            &[&body, "--common", &common, "--channel", "1=noise"],
            2,
            "--channel 1: the shader does not read this channel",
        ),
        (
            &[&body, "--common", &common, "--buffer", &a, "--channel", "A.1=A"],
            2,
            "--channel A.1: the shader does not read",
        ),
        (&[&body, "--common", &common, "--channel", "0=image"], 2, "only buffers are read"),
        (&[&body, "--buffer", "E=x.glsl"], 2, "expected A=FILE.glsl"),
        (&[&body, "--buffer", &a, "--buffer", &a], 2, "--buffer A is given twice"),
        (&[&body, "--common", &common, "--buffer", &format!("A={plain}")], 2, "has no function `mainImage`"),
        (&[&plain, "--common", &common], 2, "--common is for bodies"),
        (&[&plain, "--buffer", &a], 2, "--buffer is for bodies"),
    ];
    for (args, code, needle) in cases {
        let args = [&["render"][..], args, &["-o", &out, "--size", "2x2"]].concat();
        expect(&args, code, needle);
        assert_eq!(s.has("a.png"), code == 0, "{args:?}");
        let _ = std::fs::remove_file(&out);
    }
    // No file that is read is written.
    expect(&["render", &body, "--common", &common, "-o", &common], 2, "common.glsl");
}
