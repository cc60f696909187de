//! Scenes and draws from C: the example driver on every family, against the scene of the same picture.

use std::path::Path;

use crate::{build, run};

const SCENE: &str = r#"
#include <gpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Draws a scene from standard input on a target, compared with the oracle, and writes its first output as a picture. */
int main(int argc, char **argv)
{
    static char text[1 << 16];
    size_t bytes = fread(text, 1, sizeof text, stdin);
    gpucc_draw_options o;
    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.target = argv[1];
    o.opt_level = 2;
    o.oracle = 1;
    gpucc_outputs *all = NULL;
    char *message = NULL;
    int status = gpucc_draw(text, bytes, &o, &all, &message);
    if (status) {
        fprintf(stderr, "%s\n", message);
        gpucc_text_free(message);
        return status;
    }
    gpucc_output row;
    row.size = sizeof row;
    if (argc < 3 || gpucc_outputs_count(all) != 1 || gpucc_outputs_get(all, 0, &row) || strcmp(row.format, "rgba8unorm"))
        return 4;
    FILE *file = fopen(argv[2], "wb");
    fprintf(file, "P6 %u %u 255\n", (unsigned)row.width, (unsigned)row.height);
    for (size_t i = 0; i < row.bytes; i += 4)
        fwrite((const char *)row.data + i, 1, 3, file);
    fclose(file);
    if (gpucc_outputs_get(all, 1, &row) != GPUCC_USAGE)
        return 5;
    gpucc_outputs_free(all);
    o.steps = 10;
    if (gpucc_draw(text, bytes, &o, &all, &message) != GPUCC_INVALID || !strstr(message, "still running after 10 steps"))
        return 6;
    gpucc_text_free(message);
    return 0;
}
"#;

/// The scene of what the example driver draws.
fn scene() -> String {
    let text =
        |name: &str| std::fs::read_to_string(crate::workspace().join("capi/examples").join(name)).expect("an example");
    let texel = |x: u32, y: u32| if (x / 2 + y / 2).is_multiple_of(2) { "fac878ff" } else { "1e3c5aff" };
    let board: String = (0..64).map(|n| texel(n % 8, n / 8)).collect();
    format!(
        r#"format = "scene-1"
[shaders.v]
wgsl = '''{}'''
[shaders.f]
wgsl = '''{}'''
[textures]
picture = {{ format = "rgba8unorm", size = [64, 48] }}
board = {{ format = "rgba8unorm", size = [8, 8], contents = {{ hex = "{board}" }} }}
[samplers]
s = {{ addressModeU = "repeat", addressModeV = "repeat", addressModeW = "repeat" }}
[buffers]
corners = {{ f32 = [-0.9, -0.9, 0.0, 2.0, 0.9, -0.9, 2.0, 2.0, 0.0, 0.9, 1.0, 0.0] }}
frame = {{ f32 = [0.9, 0.8, 0.0, 0.0, 1.0, 0.75, 0.5, 1.0] }}
[pipelines.p]
fragment = {{ shader = "f", targets = [{{ format = "rgba8unorm" }}] }}
[pipelines.p.vertex]
shader = "v"
[[pipelines.p.vertex.buffers]]
arrayStride = 16
attributes = [{{ shaderLocation = 0, format = "float32x2", offset = 0 }}, {{ shaderLocation = 1, format = "float32x2", offset = 8 }}]
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture", clearValue = [0.0, 0.0, 0.0, 0.0] }}]
[[passes.draws]]
pipeline = "p"
vertexBuffers = [{{ buffer = "corners" }}]
bindings = [{{ group = 0, binding = 0, buffer = "frame" }}, {{ group = 1, binding = 1, texture = "board" }}, {{ group = 1, binding = 2, sampler = "s" }}]
immediates = {{ f32 = [0.125, 0.875] }}
draw = {{ vertexCount = 3, instanceCount = 2 }}
[[outputs]]
name = "picture"
texture = "picture"
"#,
        text("textured.vert.wgsl"),
        text("textured.frag.wgsl")
    )
}

/// Runs a program with a text on its standard input.
fn fed(program: &Path, args: &[&str], text: &str) -> (Option<i32>, String) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child =
        Command::new(program).args(args).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("an input").write_all(text.as_bytes()).expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn the_example_driver_runs_and_draws_what_the_oracle_draws() {
    let folder = std::env::temp_dir();
    let own = |name: &str| folder.join(format!("gpucc-capi-{}-{name}", std::process::id()));
    std::fs::write(own("scene.c"), SCENE).expect("a file");
    let Some(driver) = build(Path::new("capi/examples/driver.c"), "driver") else { return };
    let Some(drawer) = build(&own("scene.c"), "scene") else { return };
    let [out, want] = ["out.ppm", "want.ppm"].map(|n| own(n).to_str().expect("a plain path").to_string());
    let turned: String = (0..64).map(|i| format!("word {}\n", (i / 16 * 16 + 15 - i % 16) * 3 + 1000)).collect();
    for target in ["gcn:gfx7", "tesla:nva3", "valhall", "vivante:gc7000"] {
        let files =
            ["capi/examples/textured.vert.wgsl", "capi/examples/textured.frag.wgsl", "capi/examples/scale.wgsl"];
        let (code, text, err) = run(&driver, &[target, files[0], files[1], files[2], "-o", &out]);
        assert_eq!(code, Some(0), "{target}: {err}\n{text}");
        assert!(text.contains(&turned), "{target}: {text}");
        assert!(text.contains("in position: ") && text.contains("in uv: "), "{target}: {text}");
        let (code, err) = fed(&drawer, &[target, &want], &scene());
        assert_eq!(code, Some(0), "{target}: {err}");
        let [a, b] = [&out, &want].map(|p| std::fs::read(p).expect("a picture"));
        assert!(a == b, "{target}: the pictures differ");
        assert!(a.iter().skip(15).filter(|b| **b != 0).count() > 1500, "{target}: hardly anything was drawn");
    }
    // A scene that is wrong is told with its place, a wrong target is usage.
    let (code, err) = fed(&drawer, &["gcn", &want], &scene().replace("rgba8unorm", "rgba9unorm"));
    assert!(code == Some(1) && err.contains("rgba9unorm"), "{code:?} {err}");
    let (code, err) = fed(&drawer, &["voodoo", &want], &scene());
    assert!(code == Some(2) && err.contains("voodoo"), "{code:?} {err}");
    for p in [driver, drawer, own("scene.c"), out.into(), want.into()] {
        std::fs::remove_file(p).expect("files go");
    }
}
