//! Built-in functions of textures: every overload.

use super::Program;

const FORMATS: &[(&str, &str)] = &[
    ("r32uint", "u32"),
    ("r32sint", "i32"),
    ("r32float", "f32"),
    ("rg32uint", "u32"),
    ("rg32sint", "i32"),
    ("rg32float", "f32"),
    ("rgba32uint", "u32"),
    ("rgba32sint", "i32"),
    ("rgba32float", "f32"),
    ("rgba16uint", "u32"),
    ("rgba16sint", "i32"),
    ("rgba16float", "f32"),
    ("rgba8unorm", "f32"),
    ("rgba8snorm", "f32"),
    ("rgba8uint", "u32"),
    ("rgba8sint", "i32"),
    ("bgra8unorm", "f32"),
    ("r8unorm", "f32"),
    ("r8snorm", "f32"),
    ("r8uint", "u32"),
    ("r8sint", "i32"),
    ("rg8unorm", "f32"),
    ("rg8snorm", "f32"),
    ("rg8uint", "u32"),
    ("rg8sint", "i32"),
    ("r16unorm", "f32"),
    ("r16snorm", "f32"),
    ("r16uint", "u32"),
    ("r16sint", "i32"),
    ("r16float", "f32"),
    ("rg16unorm", "f32"),
    ("rg16snorm", "f32"),
    ("rg16uint", "u32"),
    ("rg16sint", "i32"),
    ("rg16float", "f32"),
    ("rgba16unorm", "f32"),
    ("rgba16snorm", "f32"),
    ("rgb10a2uint", "u32"),
    ("rgb10a2unorm", "f32"),
    ("rg11b10ufloat", "f32"),
];

/// Coordinates of a dimension in whole texels or in [0, 1].
fn coordinates(dim: &str, kind: &str) -> String {
    let n = match dim {
        "1d" => return format!("{kind}(1)"),
        "2d" | "2d_array" | "multisampled_2d" | "depth_multisampled_2d" => 2,
        _ => 3,
    };
    format!("vec{n}<{kind}>(1)")
}

fn texture(name: &str, ty: &str, body: &str, stages: &[&str]) -> Program {
    let mut text = format!(
        "@group(0) @binding(0) var t: {ty}; @group(0) @binding(1) var s: sampler; @group(0) @binding(2) var c: sampler_comparison;\nfn f() {{ {body} }}\n"
    );
    for stage in stages {
        text += match *stage {
            "vs" => "@vertex fn vs() -> @builtin(position) vec4<f32> { f(); return vec4<f32>(); }\n",
            "fs" => "@fragment fn fs() { f(); }\n",
            _ => "@compute @workgroup_size(1) fn cs() { f(); }\n",
        };
    }
    Program { name: format!("{name}: {ty}: {body}"), text }
}

pub fn all() -> Vec<Program> {
    let mut list = Vec::new();
    let every = ["vs", "fs", "cs"];
    for dim in ["1d", "2d", "2d_array", "3d", "cube", "cube_array"] {
        for kind in ["f32", "i32", "u32"] {
            let ty = format!("texture_{dim}<{kind}>");
            let mut add = |body: String| list.push(texture("sampled", &ty, &body, &every));
            add("_ = textureDimensions(t);".into());
            add("var r = textureDimensions(t);".into());
            add("_ = textureDimensions(t, 1i);".into());
            add("var l = 1u; _ = textureDimensions(t, l);".into());
            add("_ = textureNumLevels(t);".into());
            let layer = dim.ends_with("array");
            if layer {
                add("_ = textureNumLayers(t);".into());
            }
            if !dim.starts_with("cube") {
                for coordinate in ["i32", "u32"] {
                    for level in ["1i", "1u", "1"] {
                        let at = coordinates(dim, coordinate);
                        if layer {
                            for index in ["1i", "1u"] {
                                add(format!("_ = textureLoad(t, {at}, {index}, {level});"));
                            }
                        } else {
                            add(format!("_ = textureLoad(t, {at}, {level});"));
                        }
                    }
                }
            }
        }
    }
    let fragment = ["fs"];
    for dim in ["1d", "2d", "2d_array", "3d", "cube", "cube_array"] {
        let ty = format!("texture_{dim}<f32>");
        let at = coordinates(dim, "f32");
        let offsets: &[&str] = match dim {
            "2d" | "2d_array" => &["", ", vec2<i32>(1)", ", vec2(1, -2)"],
            "3d" => &["", ", vec3<i32>(1)"],
            _ => &[""],
        };
        let layers: &[&str] = if dim.ends_with("array") { &[", 1i", ", 1u", ", 1"] } else { &[""] };
        for layer in layers {
            for offset in offsets {
                list.push(texture("s", &ty, &format!("_ = textureSample(t, s, {at}{layer}{offset});"), &fragment));
                if dim != "1d" {
                    list.push(texture(
                        "s",
                        &ty,
                        &format!("_ = textureSampleBias(t, s, {at}{layer}, 1.0{offset});"),
                        &fragment,
                    ));
                    list.push(texture(
                        "s",
                        &ty,
                        &format!("_ = textureSampleGrad(t, s, {at}{layer}, {at}, {at}{offset});"),
                        &every,
                    ));
                }
                list.push(texture(
                    "s",
                    &ty,
                    &format!("_ = textureSampleLevel(t, s, {at}{layer}, 1.0{offset});"),
                    &every,
                ));
            }
        }
    }
    list.push(texture("s", "texture_2d<f32>", "_ = textureSampleBaseClampToEdge(t, s, vec2<f32>(1.0));", &every));
    list.push(texture("s", "texture_external", "_ = textureSampleBaseClampToEdge(t, s, vec2<f32>(1.0));", &every));
    for at in ["vec2<i32>(1)", "vec2<u32>(1)"] {
        list.push(texture("e", "texture_external", &format!("_ = textureLoad(t, {at});"), &every));
    }
    list.push(texture("e", "texture_external", "_ = textureDimensions(t);", &every));
    gathered(&mut list);
    stored(&mut list);
    list
}

/// Gathers, depth and comparison.
fn gathered(list: &mut Vec<Program>) {
    let (every, fragment) = (["vs", "fs", "cs"], ["fs"]);
    for dim in ["2d", "2d_array", "cube", "cube_array"] {
        let at = coordinates(dim, "f32");
        let layers: &[&str] = if dim.ends_with("array") { &[", 1i", ", 1u", ", 1"] } else { &[""] };
        let offsets: &[&str] = if dim.starts_with("2d") { &["", ", vec2<i32>(1)"] } else { &[""] };
        for kind in ["f32", "i32", "u32"] {
            for layer in layers {
                for offset in offsets {
                    for component in ["0i", "1u", "2"] {
                        let body = format!("_ = textureGather({component}, t, s, {at}{layer}{offset});");
                        list.push(texture("g", &format!("texture_{dim}<{kind}>"), &body, &every));
                    }
                }
            }
        }
        let ty = format!("texture_depth_{dim}");
        for body in ["_ = textureDimensions(t);", "_ = textureDimensions(t, 1);", "_ = textureNumLevels(t);"] {
            list.push(texture("d", &ty, body, &every));
        }
        if dim.ends_with("array") {
            list.push(texture("d", &ty, "_ = textureNumLayers(t);", &every));
        }
        for layer in layers {
            for offset in offsets {
                list.push(texture("d", &ty, &format!("_ = textureGather(t, s, {at}{layer}{offset});"), &every));
                list.push(texture(
                    "d",
                    &ty,
                    &format!("_ = textureGatherCompare(t, c, {at}{layer}, 1.0{offset});"),
                    &every,
                ));
                list.push(texture("d", &ty, &format!("_ = textureSample(t, s, {at}{layer}{offset});"), &fragment));
                list.push(texture(
                    "d",
                    &ty,
                    &format!("_ = textureSampleCompare(t, c, {at}{layer}, 1.0{offset});"),
                    &fragment,
                ));
                let body = format!("_ = textureSampleCompareLevel(t, c, {at}{layer}, 1.0{offset});");
                list.push(texture("d", &ty, &body, &every));
                for level in ["1i", "1u", "0"] {
                    let body = format!("_ = textureSampleLevel(t, s, {at}{layer}, {level}{offset});");
                    list.push(texture("d", &ty, &body, &every));
                }
            }
            if dim.starts_with("2d") {
                for kind in ["i32", "u32"] {
                    let at = coordinates(dim, kind);
                    for level in ["1i", "1u"] {
                        list.push(texture("d", &ty, &format!("_ = textureLoad(t, {at}{layer}, {level});"), &every));
                    }
                }
            }
        }
    }
}

/// Samples one by one, and storage textures.
fn stored(list: &mut Vec<Program>) {
    let every = ["vs", "fs", "cs"];
    for ty in [
        "texture_multisampled_2d<f32>",
        "texture_multisampled_2d<i32>",
        "texture_multisampled_2d<u32>",
        "texture_depth_multisampled_2d",
    ] {
        for body in ["_ = textureDimensions(t);", "_ = textureNumSamples(t);"] {
            list.push(texture("m", ty, body, &every));
        }
        for kind in ["i32", "u32"] {
            for sample in ["1i", "1u"] {
                list.push(texture("m", ty, &format!("_ = textureLoad(t, vec2<{kind}>(1), {sample});"), &every));
            }
        }
    }
    for &(format, kind) in FORMATS {
        for dim in ["1d", "2d", "2d_array", "3d"] {
            let plain = ["r32uint", "r32sint", "r32float"].contains(&format);
            let accesses: &[&str] = if plain { &["read", "write", "read_write"] } else { &["read", "write"] };
            for access in accesses {
                let ty = format!("texture_storage_{dim}<{format}, {access}>");
                let layer = dim.ends_with("array");
                let stages: &[&str] = if *access == "read" { &every } else { &["fs", "cs"] };
                list.push(texture("st", &ty, "_ = textureDimensions(t);", stages));
                if layer {
                    list.push(texture("st", &ty, "_ = textureNumLayers(t);", stages));
                }
                for coordinate in ["i32", "u32"] {
                    let at = coordinates(dim, coordinate);
                    let layers: &[&str] = if layer { &[", 1i", ", 1u", ", 1"] } else { &[""] };
                    for layer in layers {
                        if *access != "write" {
                            list.push(texture("st", &ty, &format!("_ = textureLoad(t, {at}{layer});"), stages));
                        }
                        if *access != "read" {
                            let body = format!("textureStore(t, {at}{layer}, vec4<{kind}>(1));");
                            list.push(texture("st", &ty, &body, stages));
                        }
                    }
                }
            }
        }
    }
}
