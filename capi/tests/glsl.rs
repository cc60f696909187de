//! GLSL from C: the reader is that of the library and the command, and may be chosen.

use std::process::Command;

use crate::{build, run};

/// Ends with 0 if `o[0]` is 3 on a family: a `continue` in `do ... while` does not skip the condition (GLSL 4.60, 6.4).
const PROGRAM: &str = r##"
#include <gpucc.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *loop = "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[]; };\n"
        "void main() { int i = 0; do { i++; if (i == LAST) continue; } while (i < LAST); o[0] = i; }\n";
    const char *body = "void mainImage(out vec4 c, in vec2 p) { int i = 0; do { i++; if (i == 3) continue; } while (i < 3); c = vec4(i); }\n";
    const char *wrong = "#version 450\nvoid main() { nothing = 1; }\n";
    const char *defines[] = { "LAST=3" };
    gpucc_options o = { .size = sizeof o, .target = "gcn", .opt_level = 2, .language = GPUCC_GLSL_COMPUTE, .defines = defines, .define_count = 1 };
    gpucc_container *c;
    char *m = NULL;
    if (argc != 1 || !argv)
        return 9;
    for (uint32_t reader = 0; reader < 3; reader++) {
        o.reader = reader;
        o.language = GPUCC_GLSL_COMPUTE;
        o.define_count = 1;
        int status = gpucc_compile(loop, strlen(loop), &o, &c, &m);
        if (status != (reader == 1 ? GPUCC_UNSUPPORTED : GPUCC_OK) || (reader == 1 && !strstr(m, "parser"))) {
            fprintf(stderr, "reader %u: %d %s\n", (unsigned)reader, status, m ? m : "");
            return 1;
        }
        gpucc_text_free(m);
        if (reader != 1) {
            uint32_t data[1] = { 0 }, grid[3] = { 1, 1, 1 };
            gpucc_buffer buffer = { 0, 0, data, sizeof data };
            if (gpucc_run(gpucc_container_data(c), gpucc_container_size(c), NULL, grid, &buffer, 1, &m) || data[0] != 3)
                return 2;
            gpucc_container_free(c);
        }
        o.define_count = 0;
        o.language = GPUCC_GLSL_FRAGMENT;
        status = gpucc_compile(body, strlen(body), &o, &c, &m);
        if (status != (reader == 1 ? GPUCC_UNSUPPORTED : GPUCC_OK))
            return 3;
        gpucc_text_free(m);
        gpucc_container_free(c);
        o.language = GPUCC_GLSL_COMPUTE;
        status = gpucc_compile(wrong, strlen(wrong), &o, &c, &m);
        if (status != (reader == 1 ? GPUCC_UNSUPPORTED : GPUCC_INVALID) || !strstr(m, "nothing"))
            return 4;
        gpucc_text_free(m);
    }
    return 0;
}
"##;

#[test]
fn glsl_is_read_as_everywhere() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    }
    let source = std::env::temp_dir().join(format!("gpucc-capi-glsl-{}.c", std::process::id()));
    std::fs::write(&source, PROGRAM).expect("a file");
    let Some(program) = build(&source, "glsl") else { return };
    let (code, out, err) = run(&program, &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    std::fs::remove_file(source).and_then(|()| std::fs::remove_file(program)).expect("files go");
}
