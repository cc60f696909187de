//! GLSL of all versions by the reference compiler; without it the tests say that they are skipped.

use gpucc_frontend_glsl::{Around, Failed, Stage, has_compiler, loose_uniforms, read, shadertoy};
use gpucc_ir::Class;

fn installed() -> bool {
    let is = has_compiler();
    if !is {
        eprintln!("skipped: there is no `glslangValidator`");
    }
    is
}

/// Versions that Vulkan has not, and names that were free in them.
#[test]
fn old_versions_are_read() {
    if !installed() {
        return;
    }
    let body = "varying vec2 uv; uniform sampler2D texture; uniform float sample;\nvoid main() { gl_FragColor = texture2D(texture, uv) * sample; }\n";
    for version in ["", "#version 110\n", "#version 120\n", "#version 100\nprecision mediump float;\n"] {
        let module = read(&format!("{version}{body}"), Stage::Fragment, &Around::default());
        let module = module.unwrap_or_else(|e| panic!("{version}: {e:?}"));
        let names: Vec<String> = loose_uniforms(&module, Stage::Fragment).into_iter().map(|m| m.name).collect();
        assert_eq!(names.len(), 1, "{version}: {names:?}");
    }
}

/// Functions of textures by their old names: all dimensions, forms and extensions, comparisons with four components among them.
#[test]
fn old_functions_of_textures_are_read() {
    if !installed() {
        return;
    }
    let uniforms = "uniform sampler1D a; uniform sampler2D b; uniform sampler3D c; uniform samplerCube d; uniform sampler1DShadow e; uniform sampler2DShadow f;\n\
        varying vec4 p; varying float shadow;\n";
    let desktop = "texture1D(a, p.x) + texture1DProj(a, p) + texture2D(b, p.xy, 1.0) + texture2DProj(b, p.xyz) + texture3D(c, p.xyz) + texture3DProj(c, p) + textureCube(d, p.xyz) \
        + shadow1D(e, p.xyz) + shadow2D(f, p.xyz, 0.5) + shadow1DProj(e, p) + shadow2DProj(f, p) + shadow2DProj(f, p, 1.0)";
    let levels = "texture1DLod(a, p.x, 0.0) + texture1DProjLod(a, p, 0.0) + texture2DLod(b, p.xy, 1.0) + texture2DProjLod(b, p, 0.0) + texture3DLod(c, p.xyz, 0.0) \
        + texture3DProjLod(c, p, 0.0) + textureCubeLod(d, p.xyz, 0.0) + shadow1DLod(e, p.xyz, 0.0) + shadow2DLod(f, p.xyz, 0.0) + shadow1DProjLod(e, p, 0.0) + shadow2DProjLod(f, p, 0.0) \
        + texture2DGradARB(b, p.xy, p.zw, p.zw) + texture2DProjGradARB(b, p, p.zw, p.zw) + texture3DGradARB(c, p.xyz, p.xyz, p.xyz)";
    let fragment = format!("#version 120\n{uniforms}void main() {{ gl_FragColor = {desktop} + {levels} + shadow; }}\n");
    let vertex = format!(
        "#version 120\n{uniforms}attribute vec4 q;\nvoid main() {{ p = q; shadow = 1.0; gl_Position = {levels}; }}\n"
    );
    let es = "#extension GL_EXT_shadow_samplers : require\nprecision mediump float; precision mediump sampler2DShadow;\nuniform sampler2DShadow f; varying vec4 p;\n\
        void main() { gl_FragColor = vec4(shadow2DEXT(f, p.xyz) + shadow2DProjEXT(f, p)); }\n";
    for (stage, text) in [(Stage::Fragment, &fragment[..]), (Stage::Vertex, &vertex), (Stage::Fragment, es)] {
        read(text, stage, &Around::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    }
}

/// A body is one with `mainImage` and without `main`; words in comments are none.
#[test]
fn bodies_are_known() {
    assert!(shadertoy("void mainImage(out vec4 c, in vec2 p) {} // main()").is_some());
    assert!(shadertoy("void mainImage(out vec4 c, in vec2 p) {} void main() {}").is_none());
    assert!(shadertoy("// mainImage()\nvoid f() {}").is_none());
}

/// A text includes others however it writes that, and whatever they are called; so does a body.
#[test]
fn files_are_included() {
    if !installed() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpucc-glsl-included-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("my_include.glsl"), "float five() { return 5.0; }\n").expect("a file");
    let around = Around { folder: Some(folder.clone()), ..Around::default() };
    let main = "layout(location = 0) out vec4 c;\nvoid main() { c = vec4(five()); }\n";
    let body = "void mainImage(out vec4 c, in vec2 p) { c = vec4(five()); }\n";
    for line in
        ["#include \"my_include.glsl\"", "  #  include \"my_include.glsl\" // five", "#\tinclude \"my_include.glsl\""]
    {
        for text in [
            format!("#version 450\n{line}\n{main}"),
            format!("#version 330\n\n{line}\n{main}"),
            format!("{line}\n{body}"),
        ] {
            read(&text, Stage::Fragment, &around).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        }
    }
    // What is included is read anew each time.
    let text = format!("#version 450\n#include \"my_include.glsl\"\n{main}");
    std::fs::write(folder.join("my_include.glsl"), "float four() { return 4.0; }\n").expect("a file");
    assert!(read(&text, Stage::Fragment, &around).is_err());
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

/// Folders that a process of the same number left are passed over.
#[test]
fn folders_that_are_there_do_no_harm() {
    if !installed() {
        return;
    }
    let left: Vec<_> =
        (0..64).map(|n| std::env::temp_dir().join(format!("gpucc-frontend-glsl-{}-{n}", std::process::id()))).collect();
    let made: Vec<_> = left.iter().filter(|f| std::fs::create_dir(f).is_ok()).collect();
    let text = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() { }\n";
    // Two texts, since the answer to one is kept.
    let texts = [text.to_string(), format!("{text}// again\n")];
    let done = texts.map(|t| read(&t, Stage::Compute, &Around::default()));
    made.iter().for_each(|f| std::fs::remove_dir_all(f).expect("a folder goes"));
    assert!(!made.is_empty() && done.iter().all(Result::is_ok), "{done:?}");
}

/// The name that `#line` gives a file is shown; a device without an end, or a pipe that nobody writes to, is not read.
#[cfg(unix)]
#[test]
fn names_of_devices_are_not_read() {
    if !installed() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpucc-glsl-named-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (pipe, file) = (folder.join("pipe"), folder.join("far.glsl"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    std::fs::write(&file, "// first\nint y = x;\n").expect("a file");
    for (name, has_place) in
        [("/dev/zero", false), (pipe.to_str().expect("text"), false), (file.to_str().expect("text"), true)]
    {
        let text = format!(
            "#version 450\n#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 2 \"{name}\"\nvoid main() {{ x = 1; }}\n"
        );
        let Err(Failed::Said(list, files)) = read(&text, Stage::Compute, &Around::default()) else {
            panic!("{name} is read")
        };
        let [d] = &list[..] else { panic!("{list:?}") };
        assert_eq!(
            (d.class, !d.labels.is_empty(), files.len()),
            (Class::Invalid, has_place, 1 + usize::from(has_place)),
            "{d:?}"
        );
        assert!(has_place || d.notes.iter().any(|n| n.contains(name)), "{d:?}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

/// Damaged texts are wrong or refused, with places in the text, and end nothing.
#[test]
fn damaged_texts_end_nothing() {
    if !installed() {
        return;
    }
    let text = "#version 450\nlayout(local_size_x = 4) in;\nlayout(set = 0, binding = 0) buffer O { vec4 o[]; };\nstruct S { float a[3]; mat3 m; };\nfloat f(inout S s, int n) { for (int i = 0; i < n; i++) s.a[i % 3] += s.m[i % 3].y; return s.a[0]; }\nvoid main() { S s = S(float[3](1.0, 2.0, 3.0), mat3(1.0)); o[gl_LocalInvocationIndex] = vec4(f(s, 5)); }\n";
    let mut seed = 1u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for _ in 0..24 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = b"(){}[];#\\\"'*/9aZ\n"[below(17)],
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at + 1),
                _ => {
                    let end = bytes.len().min(at + 1 + below(40));
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        let damaged = String::from_utf8(bytes).expect("letters of ASCII");
        match read(&damaged, Stage::Compute, &Around::default()) {
            Ok(module) => assert_eq!(module.len() % 4, 0),
            Err(Failed::NoCompiler) => panic!("it was there"),
            Err(Failed::Said(list, files)) => {
                assert!(list.iter().all(|d| d.class != Class::Internal), "{damaged}\n{list:?}");
                let long: usize = files.iter().map(|f| f.text().len() + 1).sum();
                let inside = list.iter().flat_map(|d| &d.labels).all(|l| (l.span.end as usize) <= long);
                assert!(inside && !list.is_empty(), "{damaged}\n{list:?}");
            }
        }
    }
}

/// What a text declares, its types and its order of parts are wrong in one environment as in the other: the door asks the compiler for one alone
/// then.
#[test]
fn errors_of_the_language_are_those_of_every_environment() {
    if !installed() {
        return;
    }
    let head = "#version 450\nlayout(location = 0) out vec4 o;\n";
    let main = "void main() { o = vec4(0.0); }\n";
    let wrong = [
        ("undeclared identifier", format!("{head}void main() {{ o = q; }}\n")),
        ("redefinition", format!("{head}float a; float a;\n{main}")),
        ("identifier not previously declared", format!("{head}invariant a;\n{main}")),
        ("not enough data provided for construction", format!("{head}void main() {{ o = vec4(1.0, 2.0); }}\n")),
        ("scalar integer expression required", format!("{head}void main() {{ float a[2]; o = vec4(a[1.5]); }}\n")),
        ("not allowed in nested scope", format!("{head}void main() {{ layout(location = 1) in float a; }}\n")),
        ("must occur first in shader", format!("float a;\n{head}{main}")),
        ("End of input in comment", format!("{head}{main}/* open\n")),
        ("preprocessor directive cannot be preceded by another token", format!("{head}{main}int a; #define B\n")),
    ];
    let file = std::env::temp_dir().join(format!("gpucc-glsl-wrong-{}.frag", std::process::id()));
    for (message, text) in wrong {
        std::fs::write(&file, &text).expect("a file");
        let said = ["vulkan1.2", "vulkan1.3"].map(|environment| {
            let mut c = std::process::Command::new("glslangValidator");
            let done = c.args(["-V", "--target-env", environment]).arg(&file).output().expect("it runs");
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            said.lines().find(|l| l.starts_with("ERROR: ")).map(|l| l.trim_end().to_string())
        });
        assert!(said[0].as_ref().is_some_and(|l| l.ends_with(message)), "{message}: {said:?}");
        assert_eq!(said[0], said[1], "{text}");
        assert!(matches!(read(&text, Stage::Fragment, &Around::default()), Err(Failed::Said(..))), "{text}");
    }
    std::fs::remove_file(&file).expect("the file goes");
}
