//! Reading: every case of the conformance suite, the example of the format, errors that name the field.

use gpucc_pipeline::BlendFactor;
use gpucc_scene::model::{Data, Fill, Pass, Pattern, Pipeline};
use gpucc_scene::read::{Language, parse};
use gpucc_scene::{SceneError, SceneFile, near};

use crate::rows;

#[test]
fn every_scene_of_the_conformance_suite_is_read() {
    let mut count = 0;
    for file in crate::shared::gfx() {
        let text = std::fs::read_to_string(&file).expect("the file is read");
        let whole: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for case in whole["cases"].as_array().expect("cases") {
            count += 1;
            if let Some(Err(e)) = case.get("scene").map(|scene| parse(&scene.to_string(), Language::Json)) {
                panic!("{}: {e}", case["id"]);
            }
        }
    }
    assert!(count == 0 || count == 922, "{count} cases");
}

const EXAMPLE: &str = include_str!("example.toml");

#[test]
fn toml_has_defaults_holes_and_numbers_that_json_lacks() {
    let s = parse(EXAMPLE, Language::Toml).expect("the example is read");
    let tiles = s.textures.get("tiles").expect("a texture");
    assert_eq!((tiles.size, tiles.mip_level_count, tiles.sample_count), ([16, 16, 1], 5, 1));
    let Fill::Generator(g) = &tiles.contents[0].fill else { panic!("{tiles:?}") };
    assert_eq!(g.pattern, Pattern::Checker { cell: 4, a: [255; 4], b: [200, 30, 30, 255] });
    assert!(g.box_mips && g.alpha.is_none());
    assert_eq!(s.textures.get("picture").expect("a texture").size, [64, 1, 1]);
    assert_eq!(s.samplers.get("soft").expect("a sampler").lod_max_clamp, f64::INFINITY);
    let Data::F32(words) = &s.buffers.get("vertices").expect("a buffer").data[0] else { panic!() };
    assert!(words[0] == -0.9 && words[1].is_nan() && words[4] == f32::INFINITY);
    let Some(Pipeline::Render(p)) = s.pipelines.get("p") else { panic!() };
    assert!(p.vertex.buffers[0].is_none() && p.vertex.buffers[1].is_some());
    let f = p.fragment.as_ref().expect("a fragment stage");
    assert_eq!(f.constants.iter().collect::<Vec<_>>(), [("7", &2.5), ("a", &1.0)]);
    assert!(f.targets[0].is_none());
    let t = f.targets[1].as_ref().expect("a target");
    assert_eq!((t.write_mask, t.blend.expect("blending").color.src), (15, BlendFactor::SrcAlpha));
    let Pass::Render { color_attachments, draws, .. } = &s.passes[0] else { panic!() };
    assert!(color_attachments[0].is_none() && draws[0].vertex_buffers[0].is_none());
    assert_eq!((draws[0].bindings[0].group, draws[0].bindings[1].group), (0, 1));
    assert_eq!(s.presented().expect("a picture").name, "picture");
}

#[test]
fn holes_of_json_are_null() {
    let text =
        r#"{"format":"scene-1","passes":[{"type":"render","colorAttachments":[null,{"texture":"t"}],"draws":[]}]}"#;
    let s = parse(text, Language::Json).expect("it is read");
    let Pass::Render { color_attachments, .. } = &s.passes[0] else { panic!() };
    assert!(color_attachments[0].is_none() && color_attachments[1].is_some());
}

/// A scene of JSON keys beside the format, and the whole sentence.
#[test]
fn an_error_names_the_field() {
    let table = rows(
        r#"
        "texture":1 | texture: unknown field `texture`, expected one of
        "textures":{"t":{"format":"r8unorm"}} | textures.t: missing field `size`: without it a PNG file
        "textures":{"t":{"format":"r8unorm","contents":{"file":"a.png","arrayLayer":0}}} | textures.t: missing field `size`
        "textures":{"t":{"format":"r8unorm","contents":[{"file":"a.bin"},{"file":"a.png","mipLevel":1}]}} | textures.t: missing field `size`
        "textures":{"t":{"format":"r8unorm","size":[0,0,0],"contents":{"file":"a.png"}}} | textures.t.size: a texture has one texel at least
        "textures":{"t":{"format":"r9unorm","size":[1]}} | textures.t.format: `r9unorm` is not a texture format
        "textures":{"t":{"format":"rgba8","size":[1]}} | textures.t.format: `rgba8` is not a texture format; did you mean `rgba8unorm`, `rgba8unorm-srgb`, `rgba8snorm`, `rgba8uint` or `rgba8sint`?
        "textures":{"t":{"format":"RGBA8Unrom","size":[1]}} | textures.t.format: `RGBA8Unrom` is not a texture format; did you mean `rgba8unorm`?
        "pipelines":{"p":{"vertex":{"shader":"m","buffers":[{"arrayStride":4,"attributes":[{"shaderLocation":0,"format":"float3","offset":0}]}]}}} | pipelines.p.vertex.buffers[0].attributes[0].format: `float3` is not a vertex format; did you mean `float32x3`?
        "textures":{"t":{"format":"bc4-r-unorm","size":[1]}} | textures.t.format: compressed format bc4-r-unorm
        "textures":{"t":{"format":"r8unorm","size":[]}} | textures.t.size: a list of 1 to 3 is expected, not of 0
        "textures":{"t":{"format":"r8unorm","size":[1,-1]}} | textures.t.size[1]: invalid value: integer `-1`
        "textures":{"t":{"format":"r8unorm","size":[1],"usage":4}} | textures.t.usage: unknown field `usage`
        "textures":{"t":{"format":"r8unorm","size":[1],"contents":[{"hex":"00"},{"hex":"00","f32":[1]}]}} | textures.t.contents[1]: exactly one of `hex`
        "textures":{"t":{"format":"r8unorm","size":[1],"contents":{"generator":{"name":"noise","cell":3}}}} | textures.t.contents.generator: the generator `noise` has no `cell`
        "samplers":{"s":{"magFilter":"cubic"}} | samplers.s.magFilter: unknown word `cubic`, expected one of
        "buffers":{"b":{}} | buffers.b: a buffer without data needs a `size`
        "buffers":{"b":{"f32":[1,"many"]}} | buffers.b.f32[1]: invalid value: string "many", expected a number
        "buffers":{"b":{"size":1},"b":{"size":2}} | buffers: the name `b` occurs twice
        "passes":[{"type":"copy"}] | passes[0].type: unknown word `copy`, expected one of `compute`, `render`
        "passes":[{"type":"compute","pipeline":"p"}] | passes[0]: a compute pass needs a `dispatch`
        "passes":[{"type":"render","draws":[{"pipeline":"p","draw":{"vertexCount":1},"scissor":[0,0,1]}]}] | passes[0].draws[0].scissor: a list of 4 is expected, not of 3
        "passes":[{"type":"render","colorAttachments":[{"texture":"t","loadop":"load"}]}] | passes[0].colorAttachments[0].loadop: unknown field `loadop`
        "passes":[{"type":"compute","pipeline":"p","dispatch":[1],"bindings":[{"binding":0,"buffer":"b","aspect":"all"}]}] | passes[0].bindings[0]: the binding of a buffer has no `aspect`
        "outputs":[{"name":"o"}] | outputs[0]: exactly one of `texture`, `buffer` is expected
        "#,
    );
    for [keys, sentence] in table {
        let text = format!(r#"{{"format":"scene-1",{keys}}}"#);
        let e = parse(&text, Language::Json).expect_err(keys).to_string();
        assert!(e.starts_with(sentence) && !e.contains('\n'), "{e}\n{sentence}");
    }
    // A texture does not begin like a scene.
    let text = r#"{"format":"scene-1","textures":{"t":{"size":[1]}}}"#;
    assert_eq!(parse(text, Language::Json).expect_err("a format").to_string(), "textures.t: missing field `format`");
}

/// A wrong name comes with the one that was meant, if one is like it, whatever its characters and length are.
#[test]
fn wrong_names_come_with_like_ones() {
    let meant = |wrong: &str, there: &[&str]| near::meant(wrong, there.iter().copied());
    assert_eq!(meant("birck", &["brick", "stone"]), "; did you mean `brick`?");
    assert_eq!(meant("tex1", &["texture1", "texture2"]), "; did you mean `texture1`?");
    assert_eq!(meant("r8unor", &["r8unorm", "rg8unorm"]), "; did you mean `r8unorm`?");
    for nothing in ["", "z", "unlike", "\u{130}\u{df}\u{1f600}8", &"a".repeat(100_000)] {
        assert_eq!(meant(nothing, &["a", "brick", "stone"]), "", "{nothing:.20}");
    }
}

#[test]
fn a_text_that_is_no_scene_says_where() {
    let table = [
        ("{\"format\":\"scene-1\",\n}", Language::Json, "trailing comma at line 2, column 1"),
        ("{\"format\":\"scene-2\"}", Language::Json, "format: unknown word `scene-2`, expected one of `scene-1`"),
        ("{}", Language::Json, "missing field `format`"),
        ("[]", Language::Json, "invalid length 0"),
        ("{\"format\":\"scene-1\"} x", Language::Json, "trailing characters at line 1, column 22"),
        ("format = \"scene-1\"\nsize = [", Language::Toml, "unclosed array, expected `]` at line 2, column"),
        ("format = \"scene-1\"\npresent = 3", Language::Toml, "present: invalid type: integer `3`, expected a text"),
        ("format = \"scene-1\"\n[buffers.b]\nsize = 1\n[buffers.b]", Language::Toml, "duplicate key"),
    ];
    for (text, language, sentence) in table {
        let e = parse(text, language).expect_err(text).to_string();
        assert!(e.starts_with(sentence) && !e.contains('\n'), "{e}\n{sentence}");
    }
    for deep in ["[", "{\"a\":"] {
        assert!(parse(&deep.repeat(100_000), Language::Json).is_err());
    }
    assert!(parse(&format!("a = {}", "[".repeat(100_000)), Language::Toml).is_err());
}

/// Line and column of a field in both languages: of what it is missing in, if it is not written, and of names with dots in them.
#[test]
fn errors_have_line_and_column() {
    let toml = "format = \"scene-1\"\n\n[textures.a]\nformat = \"rgba8unorm\"\nsize = [4, 4]\n\n[textures.\"a.b\"]\nformat = \"r8unorm\"\nsize = [8]\n\n\
                [[passes]]\ntype = \"render\"\ncolorAttachments = [{ texture = \"a\" }, { texture = \"b\" }]\n\n\
                [[passes.draws]]\npipeline = \"p\"\ndraw = { vertexCount = 3 }\n";
    let json = "{\n  \"format\": \"scene-1\",\n  \"textures\": {\"a\": {\"format\": \"rgba8unorm\", \"size\": [4, 4]},\n    \"a.b\": {\"format\": \"r8unorm\", \"size\": [8]}},\n  \
                \"passes\": [{\"type\": \"render\", \"colorAttachments\": [{\"texture\": \"a\"},\n    {\"texture\": \"b\"}],\n    \
                \"draws\": [{\"pipeline\": \"p\", \"draw\": {\"vertexCount\": 3}}]}]\n}";
    let table = [
        ("textures.a", (3, 11), (3, 21)),
        ("textures.a.size[1]", (5, 12), (3, 58)),
        ("textures.a.b.size", (9, 8), (4, 42)),
        ("textures.a.mipLevelCount", (3, 11), (3, 21)),
        ("passes[0].colorAttachments[1].texture", (13, 52), (6, 17)),
        ("passes[0].colorAttachments[1]", (13, 40), (6, 5)),
        ("passes[0].draws[0].pipeline", (16, 12), (7, 28)),
        ("passes[0].draws[0].draw.vertexCount", (17, 24), (7, 57)),
        ("passes[0].draws[4]", (15, 10), (7, 14)),
    ];
    for (field, in_toml, in_json) in table {
        for (text, language, place) in [(toml, Language::Toml, in_toml), (json, Language::Json, in_json)] {
            let file = SceneFile {
                scene: parse(text, language).expect("a scene"),
                name: "s".into(),
                folder: "".into(),
                text: Some((text.into(), language)),
            };
            let e = file.locate(SceneError::new(field, "wrong"));
            assert_eq!(e.place, Some(place), "{field} in {language:?}");
            assert_eq!(e.to_string(), format!("s:{}:{}: {field}: wrong", place.0, place.1));
        }
    }
    let wrong = [
        ("format = \"scene-1\"\n[buffers.b]\nsize = \"x\"", Language::Toml, "s:3:8: buffers.b.size: invalid type"),
        (
            "{\"format\": \"scene-1\",\n \"buffers\": {\"b\": {\"size\": \"x\"}}}",
            Language::Json,
            "s:2:28: buffers.b.size: invalid type",
        ),
        ("format = \"scene-1\"\nsize = [", Language::Toml, "s:2:"),
        ("{\"format\":\"scene-1\",\n}", Language::Json, "s:2:1: trailing comma"),
    ];
    for (text, language, sentence) in wrong {
        let e = parse(text, language).expect_err(text).of("s").to_string();
        assert!(e.starts_with(sentence), "{e}\n{sentence}");
    }
}
