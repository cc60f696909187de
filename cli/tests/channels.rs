//! Pictures in the place of the noise that a shader alone samples.

use crate::common::{Scratch, expect, gpucc, text};
use gpucc_scene::Picture;

fn read(path: &str) -> Picture {
    Picture::from_png(&std::fs::read(path).expect("a picture"), None).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Red and green above, blue and white below.
fn four() -> Picture {
    let rgba = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]].concat();
    Picture { width: 2, height: 2, rgba }
}

/// A body draws the picture upright, as ShaderToy does; each reader of GLSL and each family.
#[test]
fn a_picture_is_upright_in_a_body() {
    let s = Scratch::new("channel-upright");
    let png = s.write("four.png", four().to_png());
    let body = "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p / iResolution.xy); }\n";
    let body = s.write("a.frag", body);
    let channel = format!("0={png}");
    for more in [&["--target", "interp,all"][..], &["--frontend", "naga"]] {
        let out = s.path("out.png");
        let args = ["render", &body, "--channel", &channel, "--size", "2x2", "-o", &out];
        expect(&[&args[..], more].concat(), 0, "rendered");
        let names: &[&str] = match more[0] {
            "--target" => &["out.interp.png", "out.gcn-gfx8.png", "out.valhall-v10.png"],
            _ => &["out.png"],
        };
        for name in names {
            assert_eq!(read(&s.path(name)), four(), "{more:?} {name}");
        }
    }
}

/// The sizes that a body asks for are the pictures', or those of the noise; names say which channel, in any order.
#[test]
fn sizes_of_channels_are_the_pictures() {
    let s = Scratch::new("channel-sizes");
    let png = s.write("wide.png", Picture::filled(12, 5, [0, 200, 0, 255]).to_png());
    let body = "void mainImage(out vec4 c, in vec2 p) {\n\
        c = vec4(iChannelResolution[2].xy, iChannelResolution[1].x, 0.0) / 255.0; }\n";
    let (body, out) = (s.write("a.frag", body), s.path("out.png"));
    expect(&["render", &body, "--channel", &format!("2={png}"), "--size", "1x1", "-o", &out], 0, "rendered");
    assert_eq!(read(&out).pixel(0, 0), Some([12, 5, 64, 255]));
    let named = "#version 450\nlayout(location = 0) out vec4 c;\nlayout(binding = 7) uniform sampler2D iChannel3;\n\
        void main() { c = vec4(texture(iChannel3, vec2(0.5)).g, textureSize(iChannel3, 0).x / 255.0, 0.0, 1.0); }\n";
    let named = s.write("b.frag", named);
    let o = gpucc().args(["render", &named, "--channel", &format!("3={png}"), "--size", "1x1", "-o", &out]).output();
    let o = o.expect("the command starts");
    // Without the reference compiler such a text is refused.
    if o.status.code() != Some(3) {
        assert_eq!(o.status.code(), Some(0), "{}", text(&o));
        assert_eq!(read(&out).pixel(0, 0), Some([200, 12, 0, 255]));
    }
}

/// WGSL has the channels at the bindings 2 to 5, rows from the top; smaller levels are means.
#[test]
fn bindings_are_channels() {
    let s = Scratch::new("channel-wgsl");
    let png = s.write("four.png", four().to_png());
    let shader = "@group(0) @binding(1) var s: sampler;\n@group(0) @binding(3) var t: texture_2d<f32>;\n\
        @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {\n\
        return select(textureSampleLevel(t, s, uv * 2.0, 0.0), textureLoad(t, vec2i(0), 1), uv.x > 0.5); }\n";
    let (shader, out) = (s.write("a.wgsl", shader), s.path("out.png"));
    expect(&["render", &shader, "--channel", &format!("1={png}"), "--size", "4x2", "-o", &out], 0, "rendered");
    let p = read(&out);
    // (0.125, 0.25) * 2 lies at the corner of all texels of column 0 and rows 0 and 1.
    assert_eq!(p.pixel(0, 0), Some([128, 0, 128, 255]));
    assert_eq!(p.pixel(3, 0), Some([128, 128, 128, 255]), "a mean of four texels");
}

/// What cannot be, or would do nothing, is told before anything is drawn.
#[test]
fn wrong_channels_are_told() {
    let s = Scratch::new("channel-wrong");
    let png = s.write("four.png", four().to_png());
    let jpeg = s.write("a.png", [0xff, 0xd8, 0xff, 0xe0, 0, 0]);
    let body = s.write("a.frag", "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p); }\n");
    let scene = s.write("a.toml", "format = \"scene-1\"\n");
    let out = s.path("out.png");
    let given = |k: &str, path: &str| format!("{k}={path}");
    let cases: [(&str, &[&str], i32, &str); 8] = [
        (&body, &[&given("1", &png)], 2, "--channel 1: the shader does not read this channel"),
        (&body, &[&given("4", &png)], 2, "expected K=PICTURE.png, with K from 0 to 3"),
        (&body, &["0"], 2, "expected K=PICTURE.png"),
        (&body, &[&given("0", &png), &given("0", &jpeg)], 2, "--channel 0 is given twice"),
        (&body, &[&given("0", &jpeg)], 1, "the file is a JPEG"),
        (&body, &[&given("0", &s.path("none.png"))], 2, "none.png"),
        (&body, &[&given("0", &body)], 1, "the PNG file is broken"),
        (&scene, &[&given("0", &png)], 2, "--channel applies to single shaders only"),
    ];
    for (input, channels, code, needle) in cases {
        let mut args = vec!["render", input, "-o", &out];
        channels.iter().for_each(|c| args.extend(["--channel", c]));
        expect(&args, code, needle);
        assert!(!s.has("out.png"));
    }
    // An input is not overwritten.
    expect(&["render", &body, "--channel", &given("0", &png), "-o", &png], 2, "four.png");
    assert_eq!(read(&png), four());
}
