//! Contents of textures and buffers: every way to write bytes, where they go, what is refused.

use gpucc_scene::read::{Language, SceneFile, parse};
use gpucc_scene::{Picture, Resources, SceneError, contents, read};

use crate::rows;

/// The resources of a scene of these JSON keys.
fn load(keys: &str) -> Result<Resources, SceneError> {
    let scene = parse(&format!(r#"{{"format":"scene-1",{keys}}}"#), Language::Json).expect(keys);
    contents::load(&scene, None)
}

fn texture(keys: &str) -> Vec<u8> {
    let r = load(&format!(r#""textures":{{"t":{{{keys}}}}}"#)).unwrap_or_else(|e| panic!("{e}"));
    r.textures[0].bytes.to_vec()
}

fn refused(keys: &str) -> String {
    load(keys).expect_err(keys).to_string()
}

/// zlib of `n` zeros, made of stored or run-length blocks by miniz_oxide.
fn zeros(n: usize) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; n], 9))
}

#[test]
fn buffers_take_every_kind_of_data() {
    let r = load(
        r#""buffers":{
            "a":{"size":6,"hex":"01 02\nff"},
            "b":{"zlib64":"eNpjZGJmAQAAGAAL"},
            "c":{"f32":[1,-0.5]},
            "d":{"i32":[-2]},
            "e":{"size":16,"data":[{"u32":[4294967295]},{"hex":"0a"},{"f32":["inf"]}]},
            "f":{"size":2}}"#,
    )
    .expect("buffers");
    let want: [&[u8]; 6] = [
        &[1, 2, 255, 0, 0, 0],
        &[1, 2, 3, 4],
        &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf],
        &[0xfe, 0xff, 0xff, 0xff],
        &[255, 255, 255, 255, 10, 0, 0, 0x80, 0x7f, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0],
    ];
    assert_eq!(r.buffers, want);
}

#[test]
fn contents_go_where_they_are_told_in_order() {
    // 4 x 1, two layers, three levels: 8, 4, 2 bytes.
    let base = r#""format":"r8uint","size":[4,1,2],"mipLevelCount":3,"contents":"#;
    assert_eq!(texture(r#""format":"r8uint","size":[2,2]"#), [0; 4]);
    let whole = texture(&format!(r#"{base}{{"hex":"0102030405060708 090a0b0c 0d0e"}}"#));
    assert_eq!(whole, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    let level = texture(&format!(r#"{base}{{"mipLevel":1,"hex":"01020304"}}"#));
    assert_eq!(level, [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0]);
    let one = texture(&format!(r#"{base}{{"mipLevel":1,"arrayLayer":1,"hex":"0102"}}"#));
    assert_eq!(one, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0]);
    let layer = texture(&format!(r#"{base}{{"arrayLayer":1,"hex":"01020304 0506 07"}}"#));
    assert_eq!(layer, [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 5, 6, 0, 7]);
    let list = texture(&format!(
        r#"{base}[{{"generator":{{"name":"solid","a":[9,0,0,0]}}}},{{"mipLevel":2,"hex":"0102"}},{{"arrayLayer":0,"mipLevel":2,"hex":"03"}}]"#
    ));
    assert_eq!(list, [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 2]);
    // A slice of a 3D texture.
    let slice = texture(
        r#""format":"r8uint","size":[2,1,3],"dimension":"3d","contents":{"mipLevel":0,"arrayLayer":2,"hex":"0102"}"#,
    );
    assert_eq!(slice, [0, 0, 0, 0, 1, 2]);
}

#[test]
fn generators_store_by_format() {
    let one = |format: &str, generator: &str| {
        texture(&format!(r#""format":"{format}","size":[1,1],"contents":{{"generator":{generator}}}"#))
    };
    let solid = r#"{"name":"solid","a":[1,2,128,4]}"#;
    assert_eq!(one("rgba8unorm", solid), [1, 2, 128, 4]);
    assert_eq!(one("bgra8unorm-srgb", solid), [128, 2, 1, 4]);
    assert_eq!(one("rg8snorm", solid), [1, 2]);
    assert_eq!(one("stencil8", solid), [1]);
    assert_eq!(one("depth16unorm", r#"{"name":"solid"}"#), [0xff, 0xff]);
    assert_eq!(one("depth32float", r#"{"name":"solid","a":[128,0,0,0]}"#), 0.5f32.to_le_bytes());
    // 1/256 and 2/256 in 16 bits: exponents 7 and 8.
    assert_eq!(one("rg16float", solid), [0, 0x1c, 0, 0x20]);
    assert_eq!(one("rgba8unorm", r#"{"name":"solid","a":[1,2,3,4],"alpha":77}"#), [1, 2, 3, 77]);
    // Samples of a pixel are alike.
    let samples = r#""format":"r8unorm","size":[2,1],"sampleCount":4,"contents":{"generator":{"name":"gradient"}}"#;
    assert_eq!(texture(samples), [0, 0, 0, 0, 255, 255, 255, 255]);
    // A slice knows its place: 255 * z / (d - 1), rounded down.
    let slice = r#""format":"rgba8unorm","size":[1,1,3],"dimension":"3d","contents":{"mipLevel":0,"arrayLayer":1,"generator":{"name":"gradient"}}"#;
    assert_eq!(texture(slice), [0, 0, 0, 0, 0, 0, 127, 255, 0, 0, 0, 0]);
}

#[test]
fn a_part_of_a_chain_of_means_is_that_of_the_whole() {
    let of = |contents: &str| {
        texture(&format!(
            r#""format":"r8unorm","size":[3,2,2],"dimension":"3d","mipLevelCount":2,"contents":[{contents}]"#
        ))
    };
    let checker = r#""generator":{"name":"checker","a":[10,0,0,0],"b":[20,0,0,0],"mips":"box"}"#;
    // Four of each of the eight texels: 15.
    let whole = of(&format!("{{{checker}}}"));
    assert_eq!(whole, [10, 20, 10, 20, 10, 20, 20, 10, 20, 10, 20, 10, 15]);
    let level = of(&format!(r#"{{"mipLevel":1,{checker}}}"#));
    assert_eq!(level[12], 15);
    assert_eq!(level[..12], [0; 12]);
    // A mean is rounded: (0 + 0 + 0 + 255 * 2 + 2) / 4 = 128.
    let row = r#""format":"r8unorm","size":[2,1],"mipLevelCount":2,"contents":{"generator":{"name":"gradient","mips":"box"}}"#;
    assert_eq!(texture(row), [0, 255, 128]);
}

#[test]
fn data_that_does_not_fit_is_refused() {
    let table = rows(
        r#"
        "buffers":{"b":{"size":2,"hex":"010203"}} | buffers.b.hex: 3 bytes are given where only 2 have room
        "buffers":{"b":{"hex":"012"}} | buffers.b.hex: the number of hexadecimal digits is odd
        "buffers":{"b":{"hex":"0g"}} | buffers.b.hex: `g` is not a hexadecimal digit
        "buffers":{"b":{"zlib64":"*"}} | buffers.b.zlib64: the text is not base64
        "buffers":{"b":{"zlib64":"AAAA"}} | buffers.b.zlib64: the text is no whole zlib stream
        "buffers":{"b":{"size":8,"data":[{"hex":"00"},{"u32":[1,2]}]}} | buffers.b.data[1].u32: 8 bytes are given
        "buffers":{"b":{"size":268435457}} | buffers.b.size: a buffer of 268435457 bytes is larger than
        "textures":{"t":{"format":"r8unorm","size":[2,2],"contents":{"hex":"000102"}}} | textures.t.contents: 3 bytes are given where 4 are expected
        "textures":{"t":{"format":"r8unorm","size":[2,2],"contents":[{"hex":"00010203"},{"f32":[1,2]}]}} | textures.t.contents[1].f32: 8 bytes are given where only 4 have room
        "textures":{"t":{"format":"r8unorm","size":[2,2],"contents":{"mipLevel":1,"hex":"00"}}} | textures.t.contents: there is no level 1 of 1
        "textures":{"t":{"format":"r8unorm","size":[2,2],"contents":{"arrayLayer":1,"hex":"00"}}} | textures.t.contents: there is no layer or slice 1 of 1 in level 0
        "textures":{"t":{"format":"depth24plus","size":[1,1],"contents":{"hex":"00"}}} | textures.t.contents: contents of depth24plus textures cannot be given
        "textures":{"t":{"format":"rgb10a2unorm","size":[1,1],"contents":{"generator":{"name":"noise"}}}} | textures.t.contents.generator: a generator cannot fill a rgb10a2unorm texture
        "textures":{"t":{"format":"r8snorm","size":[1,1],"contents":{"generator":{"name":"noise","mips":"box"}}}} | textures.t.contents.generator: `mips` needs a format of 8-bit unorm components, not r8snorm
        "textures":{"t":{"format":"r8unorm","size":[1,1],"contents":{"file":"x.png"}}} | textures.t.contents.file: no file can be read here: `x.png`
        "#,
    );
    for [keys, sentence] in table {
        let e = refused(keys);
        assert!(e.starts_with(sentence), "{e}\n{sentence}");
    }
}

#[test]
fn hostile_sizes_are_refused_before_anything_is_allocated() {
    let big = |n: usize| {
        let one = r#"{"format":"rgba8unorm","size":[8192,8192]}"#;
        let list: Vec<String> = (0..n).map(|k| format!(r#""t{k}":{one}"#)).collect();
        format!(r#""textures":{{{}}}"#, list.join(","))
    };
    assert_eq!(refused(&big(5)), "textures.t4: textures and buffers take more than 1073741824 bytes together");
    let one = |keys: &str| refused(&format!(r#""textures":{{"t":{{{keys}}}}}"#));
    assert!(one(r#""format":"rgba32float","size":[16384,16384,2048]"#).contains("takes 8796093022208 bytes"));
    assert!(one(r#""format":"r8unorm","size":[16385]"#).starts_with("textures.t.size[0]: the width is 16385"));
    assert!(one(r#""format":"r8unorm","size":[4294967295,4294967295,4294967295]"#).contains("is not in 1 to 16384"));
    assert!(one(r#""format":"r8unorm","size":[4],"mipLevelCount":4294967295"#).contains("not in 1 to 3"));
    // A gigabyte of zeros in a megabyte, for a texture of four bytes.
    let bomb = zeros(1 << 26);
    assert!(bomb.len() < 100_000);
    let texture =
        format!(r#""textures":{{"t":{{"format":"rgba8unorm","size":[1,1],"contents":{{"zlib64":"{bomb}"}}}}}}"#);
    assert_eq!(refused(&texture), "textures.t.contents.zlib64: the stream holds more than the 4 bytes expected");
    let buffer = format!(r#""buffers":{{"b":{{"size":16,"zlib64":"{bomb}"}}}}"#);
    assert_eq!(refused(&buffer), "buffers.b.zlib64: the stream holds more than the 16 bytes expected");
}

/// A scene file in a folder of its own, with the files it names.
fn scene_file(folder: &str, keys: &str, files: &[(&str, &[u8])]) -> SceneFile {
    try_scene_file(folder, keys, files).unwrap_or_else(|e| panic!("{e}"))
}

fn try_scene_file(folder: &str, keys: &str, files: &[(&str, &[u8])]) -> Result<SceneFile, SceneError> {
    let folder = std::env::temp_dir().join(format!("gpucc-scene-{}-{folder}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    let path = folder.join("scene.json");
    std::fs::write(&path, format!(r#"{{"format":"scene-1",{keys}}}"#)).expect("a file");
    read::open(&path)
}

/// A texture without a size has that of its picture; whatever the head of the file says is checked before the picture is read.
#[test]
fn a_picture_has_the_size_of_its_texture() {
    let png = Picture { width: 2, height: 3, rgba: (0..24).collect() }.to_png();
    let keys = r#""textures":{
        "t":{"format":"rgba8unorm","mipLevelCount":2,"contents":[{"hex":"00000000","mipLevel":1},{"file":"p.png"}]},
        "one":{"format":"r8unorm","size":[1],"contents":{"hex":"07"}}}"#;
    let f = scene_file("sized", keys, &[("p.png", &png)]);
    gpucc_scene::check::scene(&f.scene).unwrap_or_else(|e| panic!("{e}"));
    let r = f.resources().unwrap_or_else(|e| panic!("{e}"));
    let t = f.scene.textures.position("t").expect("it is there");
    assert_eq!((r.textures[t].size, &r.textures[t].bytes[..24]), ([2, 3, 1], &(0..24).collect::<Vec<u8>>()[..]));
    // Heads by hand: signature, length of the chunk, its name, width and height.
    let head = |w: u32, h: u32| {
        [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], &w.to_be_bytes(), &h.to_be_bytes(), &[8, 6, 0, 0, 0]].concat()
    };
    let wrong: [(&str, Vec<u8>, &str); 7] = [
        ("wide", head(u32::MAX, 1), "size[0]: the width is 4294967295, which is not in 1 to 16384"),
        ("none", head(4, 0), "size[1]: the height is 0, which is not in 1 to 16384"),
        (
            "large",
            head(16384, 16384),
            "size: a texture of 16384 x 16384 x 1 takes 1073741824 bytes, more than 268435456",
        ),
        ("rest", head(16, 16), "contents.file: the PNG file is broken ("),
        ("short", head(16, 16)[..23].to_vec(), "contents.file: the file does not begin like a PNG file"),
        (
            "other",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
            "contents.file: the file does not begin like",
        ),
        ("empty", Vec::new(), "contents.file: the file does not begin like a PNG file"),
    ];
    let keys = r#""textures":{"t":{"format":"rgba8unorm","contents":{"file":"p.png"}}}"#;
    for (name, bytes, said) in wrong {
        let done = try_scene_file(&format!("sized-{name}"), keys, &[("p.png", &bytes)]).and_then(|f| f.resources());
        let e = done.expect_err(name);
        assert!(format!("{}: {}", e.field, e.message).starts_with(&format!("textures.t.{said}")) && !e.is_io, "{e}");
        assert!(e.place.is_some() && e.file.ends_with("scene.json"), "{e:?}");
    }
    let e = try_scene_file("sized-missing", keys, &[]).expect_err("no file");
    assert!(e.is_io && e.message.starts_with("the file `p.png` cannot be read"), "{e}");
}

#[test]
fn files_are_relative_to_the_scene() {
    let png = Picture { width: 2, height: 1, rgba: vec![1, 2, 3, 4, 5, 6, 7, 8] }.to_png();
    let textures = [
        r#""bgra":{"format":"bgra8unorm","size":[2,1],"contents":{"file":"p.png"}}"#,
        r#""layer":{"format":"rg8unorm","size":[2,1,2],"contents":{"file":"p.png","mipLevel":0,"arrayLayer":1}}"#,
        r#""level":{"format":"rgba8unorm","size":[4,2],"mipLevelCount":2,"contents":{"file":"p.png","mipLevel":1}}"#,
        r#""raw":{"format":"r32uint","size":[1,1],"contents":{"file":"r.bin"}}"#,
    ];
    let keys = format!(
        r#""shaders":{{"a":{{"wgsl":"text"}},"b":{{"file":"s.wgsl"}}}},"textures":{{{}}},"buffers":{{"b":{{"file":"r.bin"}}}}"#,
        textures.join(",")
    );
    let f = scene_file("files", &keys, &[("p.png", &png), ("r.bin", &[9, 8, 7, 6]), ("s.wgsl", b"file")]);
    let r = f.resources().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(r.textures[0].bytes, [3, 2, 1, 4, 7, 6, 5, 8]);
    assert_eq!(r.textures[1].bytes, [0, 0, 0, 0, 1, 2, 5, 6]);
    assert_eq!(r.textures[2].bytes[32..], [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(r.textures[3].bytes, [9, 8, 7, 6]);
    assert_eq!(r.buffers[0], [9, 8, 7, 6]);
    assert_eq!(f.shader("a").expect("a text"), b"text");
    assert_eq!(f.shader("b").expect("a file"), b"file");
}

#[test]
fn wrong_files_are_refused() {
    let png = Picture { width: 2, height: 1, rgba: vec![0; 8] }.to_png();
    let long = vec![0; 100];
    let table = [
        (r#""format":"rgba8unorm","size":[2,2],"contents":{"file":"p.png"}"#, "the picture is 2 x 1, not 2 x 2", false),
        (
            r#""format":"r32float","size":[2,1],"contents":{"file":"p.png"}"#,
            "a picture fills only textures with components of 8 bits; r32float has others",
            false,
        ),
        (r#""format":"rgba8unorm","size":[2,1],"contents":{"file":"broken.png"}"#, "the PNG file is broken (", false),
        (
            r#""format":"rgba8unorm","size":[2,1],"contents":{"file":"none.png"}"#,
            "the file `none.png` cannot be read",
            true,
        ),
        (r#""format":"rgba8unorm","size":[2,1],"contents":{"file":"long.bin"}"#, "the file `", false),
    ];
    for (k, (keys, message, is_io)) in table.into_iter().enumerate() {
        let files: [(&str, &[u8]); 3] = [("p.png", &png), ("broken.png", &png[..40]), ("long.bin", &long)];
        let f = scene_file(&format!("wrong{k}"), &format!(r#""textures":{{"t":{{{keys}}}}}"#), &files);
        let e = f.resources().expect_err(keys);
        assert!(e.message.starts_with(message) && e.is_io == is_io, "{e}");
        assert!(e.file.ends_with("scene.json") && e.field == "textures.t.contents.file", "{e}");
    }
    let e = read::open(std::path::Path::new("none.toml")).expect_err("no file");
    assert!(e.is_io && e.to_string().starts_with("none.toml: "));
    assert_eq!(
        read::open(std::path::Path::new("scene.yaml")).expect_err("no scene").to_string(),
        "scene.yaml: a scene ends in `.toml` or `.json`"
    );
}
