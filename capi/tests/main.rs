//! The header and the library, from C: the example, and what a program does wrong.

mod declared;
mod draw;
mod glsl;
mod header;
mod install;
mod reflect;
mod safety;
mod targets;
mod wrong;

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

/// Compiles a program and links it with the library that was built beside this test; `None` without a compiler.
pub(crate) fn build(source: &Path, name: &str) -> Option<PathBuf> {
    let here = std::env::current_exe().expect("this test");
    let folder = here.parent().expect("its folder");
    let out = std::env::temp_dir().join(format!("gpucc-capi-{}-{name}", std::process::id()));
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", "capi/include"];
    let mut cc = Command::new("cc");
    cc.current_dir(workspace())
        .args(flags)
        .arg(source)
        .arg("-L")
        .arg(folder)
        .args(["-lgpucc_capi", "-lpthread", &rpath, "-o"])
        .arg(&out);
    let Ok(done) = cc.output() else {
        eprintln!("skipped: cc is not installed");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(out)
}

/// Exit code and output of a program, which is removed.
pub(crate) fn run(program: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let o = Command::new(program).current_dir(workspace()).args(args).output().expect("it starts");
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (o.status.code(), text(&o.stdout), text(&o.stderr))
}

#[test]
fn the_example_adds_vectors_on_every_family() {
    let Some(program) = build(Path::new("capi/examples/run.c"), "run") else { return };
    for target in ["gcn:gfx6", "tesla", "valhall", "vivante:gc7000"] {
        let (code, out, err) = run(&program, &["examples/vecadd.wgsl", target]);
        assert_eq!((code, &*out), (Some(0), "11\n22\n33\n44\n"), "{target}: {err}");
    }
    // A wrong shader is told with its line, a wrong target as usage; one that needs other buffers ends in a trap.
    let wrong = std::env::temp_dir().join(format!("gpucc-capi-{}.wgsl", std::process::id()));
    std::fs::write(&wrong, "@compute @workgroup_size(1)\nfn main() { let x = nothing; }\n").expect("a file");
    let (code, _, err) = run(&program, &[wrong.to_str().expect("a plain path")]);
    assert!(code == Some(1) && err.contains("line 2:21") && err.contains("^^^^^^^"), "{code:?} {err}");
    let (code, _, err) = run(&program, &["examples/vecadd.wgsl", "voodoo"]);
    assert!(code == Some(2) && err.contains("voodoo"), "{code:?} {err}");
    let (code, _, err) = run(&program, &["examples/histogram.wgsl", "tesla:nv50"]);
    assert!(code == Some(3) && err.contains("atomics"), "{code:?} {err}");
    std::fs::remove_file(wrong).and_then(|()| std::fs::remove_file(program)).expect("files go");
}

/// Arguments that are NULL, too small or out of range have a status and a message, with or without a place for it.
#[test]
fn wrong_arguments_are_told() {
    let text = r#"
        #include <gpucc.h>
        #include <stdio.h>
        #include <string.h>
        static int wrong;
        static void expect(int line, int status, int expected, char *message, const char *part)
        {
            if (status != expected || !message != !part || (part && !strstr(message, part))) {
                printf("line %d: %d %s\n", line, status, message ? message : "-");
                wrong = 1;
            }
            gpucc_text_free(message);
        }
        #define EXPECT(call, status, part) do { char *m = (char *)1; int s = (call); expect(__LINE__, s, status, m, part); } while (0)
        int main(void)
        {
            const char *src = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;"
                "@compute @workgroup_size(1) fn a(@builtin(workgroup_id) g: vec3u) { o[g.x] = 7u + g.x; }"
                "@compute @workgroup_size(1) fn b() { while true { o[0] += 1u; } }";
            gpucc_options o = { .size = sizeof o, .target = "gcn", .opt_level = 2 };
            gpucc_container *c;
            EXPECT(gpucc_compile(NULL, 4, &o, &c, &m), GPUCC_USAGE, "NULL");
            EXPECT(gpucc_compile(src, strlen(src), NULL, &c, &m), GPUCC_USAGE, "NULL");
            EXPECT(gpucc_compile(src, strlen(src), &o, NULL, &m), GPUCC_USAGE, "NULL");
            gpucc_options bad = o; bad.size = 8;
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_USAGE, "size");
            bad = o; bad.opt_level = 4;
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_USAGE, "level 4");
            bad = o; bad.language = 9;
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_USAGE, "language 9");
            bad = o; bad.target = NULL;
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_USAGE, "target");
            bad = o; bad.entry = "none";
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_INVALID, "none");
            EXPECT(gpucc_compile("\xff\xfe", 2, &o, &c, &m), GPUCC_INVALID, "UTF-8");
            bad = o; bad.language = GPUCC_SPIRV;
            EXPECT(gpucc_compile(src, strlen(src), &bad, &c, &m), GPUCC_INVALID, "error[");
            if (c || gpucc_compile(src, 3, &bad, &c, NULL) != GPUCC_INVALID) wrong = 1;
            EXPECT(gpucc_compile(src, strlen(src), &o, &c, &m), GPUCC_OK, NULL);
            uint32_t data[3] = { 1, 1, 1 };
            gpucc_buffer buffer = { 0, 0, data, sizeof data };
            uint32_t grid[3] = { 2, 1, 1 }, none[3] = { 0, 1, 1 };
            const void *bytes = gpucc_container_data(c);
            size_t size = gpucc_container_size(c);
            char key[65], again[65];
            EXPECT(gpucc_key(src, strlen(src), &o, key, &m), GPUCC_OK, NULL);
            bad = o; bad.opt_level = 1;
            EXPECT(gpucc_key(src, strlen(src), &bad, again, &m), GPUCC_OK, NULL);
            if (strlen(key) != 64 || !strcmp(key, again)) wrong = 1;
            EXPECT(gpucc_key(src, 5, &o, key, &m), GPUCC_INVALID, "error");
            EXPECT(gpucc_key(src, 5, &o, NULL, &m), GPUCC_USAGE, "NULL");
            gpucc_draw_options d = { .size = sizeof d };
            gpucc_outputs *outs;
            EXPECT(gpucc_draw("x", 1, &d, &outs, &m), GPUCC_INVALID, "scene");
            EXPECT(gpucc_draw("x", 1, NULL, &outs, &m), GPUCC_USAGE, "NULL");
            gpucc_draw_call call = { .size = sizeof call };
            EXPECT(gpucc_draw_programs(&call, &m), GPUCC_INVALID, "container");
            EXPECT(gpucc_draw_programs(NULL, &m), GPUCC_USAGE, "NULL");
            call.size = 16;
            EXPECT(gpucc_draw_programs(&call, &m), GPUCC_USAGE, "size");
            EXPECT(gpucc_run(bytes, size, "a", grid, &buffer, 1, &m), GPUCC_OK, NULL);
            if (data[0] != 7 || data[1] != 8 || data[2] != 1) wrong = 1;
            EXPECT(gpucc_run(bytes, size, NULL, grid, &buffer, 1, &m), GPUCC_INVALID, "entry");
            EXPECT(gpucc_run(bytes, size, "a", none, &buffer, 1, &m), GPUCC_USAGE, "workgroups");
            EXPECT(gpucc_run(bytes, size, "a", NULL, &buffer, 1, &m), GPUCC_USAGE, "NULL");
            EXPECT(gpucc_run(bytes, size, "a", grid, NULL, 1, &m), GPUCC_USAGE, "NULL");
            EXPECT(gpucc_run(bytes, size, "a", grid, NULL, 0, &m), GPUCC_USAGE, "no buffer is bound");
            EXPECT(gpucc_run(bytes, size / 2, "a", grid, &buffer, 1, &m), GPUCC_INVALID, "container");
            gpucc_container_free(c);
            gpucc_container_free(NULL);
            gpucc_text_free(NULL);
            return wrong || strcmp(gpucc_version(), "0.1.0");
        }
    "#;
    let source = std::env::temp_dir().join(format!("gpucc-capi-{}.c", std::process::id()));
    std::fs::write(&source, text).expect("a file");
    let Some(program) = build(&source, "wrong") else { return };
    let (code, out, err) = run(&program, &[]);
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    std::fs::remove_file(source).and_then(|()| std::fs::remove_file(program)).expect("files go");
}

/// A list whose nodes lie in two buffers, one of which nothing binds, followed by addresses that the caller writes.
#[test]
fn buffers_have_addresses() {
    let shader = "#version 460
        #extension GL_EXT_buffer_reference : require
        layout(local_size_x = 1) in;
        layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node;
        layout(buffer_reference, std430) buffer Node { Node next; uint value; uint seen; };
        layout(std430, binding = 0) buffer O { Node first; uint sum; uint count; };
        void main() {
            Node n = first;
            for (uint k = 0u; k < 3u; ++k) { sum += n.value; n.seen = k + 1u; n = n.next; }
            count = 3u;
        }";
    let at = |ending: &str| std::env::temp_dir().join(format!("gpucc-capi-addresses-{}.{ending}", std::process::id()));
    std::fs::write(at("comp"), shader).expect("a file");
    let glslang = Command::new("glslangValidator")
        .args(["-V", "--target-env", "vulkan1.2", "-o"])
        .args([at("spv"), at("comp")])
        .output();
    let Ok(done) = glslang else { return eprintln!("skipped: there is no `glslangValidator`") };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let text = r#"
        #include <gpucc.h>
        #include <stdio.h>
        #include <string.h>
        struct node { uint64_t next; uint32_t value, seen; };
        int main(int argc, char **argv)
        {
            static char module[65536];
            FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
            size_t size = f ? fread(module, 1, sizeof module, f) : 0;
            const char *targets[] = { "gcn:gfx6", "gcn:gfx8", "valhall" };
            for (int k = 0; k < 3; k++) {
                gpucc_options o = { .size = sizeof o, .target = targets[k], .language = GPUCC_SPIRV, .opt_level = 2 };
                gpucc_container *c;
                char *m = NULL;
                if (gpucc_compile(module, size, &o, &c, &m) != GPUCC_OK) {
                    printf("%s: %s\n", targets[k], m);
                    return 1;
                }
                struct node near[2] = { { gpucc_buffer_address(2) + 16, 5, 0 }, { 0, 11, 0 } };
                struct node far[2] = { { 0, 1, 2 }, { gpucc_buffer_address(1) + 16, 7, 0 } };
                struct { uint64_t first; uint32_t sum, count; } out = { gpucc_buffer_address(1), 0, 0 };
                gpucc_buffer list[3] = { { 0, 0, &out, sizeof out }, { 9, 0, near, sizeof near }, { 9, 1, far, sizeof far } };
                uint32_t grid[3] = { 1, 1, 1 };
                const void *bytes = gpucc_container_data(c);
                if (gpucc_run_with_addresses(bytes, gpucc_container_size(c), NULL, grid, list, 3, &m) != GPUCC_OK) {
                    printf("%s: %s\n", targets[k], m);
                    return 1;
                }
                if (out.sum != 23 || out.count != 3 || near[0].seen != 1 || far[1].seen != 2 || near[1].seen != 3 || far[0].seen != 2) {
                    printf("%s: %u %u %u %u\n", targets[k], out.sum, near[0].seen, far[1].seen, near[1].seen);
                    return 1;
                }
                gpucc_container_free(c);
            }
            return gpucc_buffer_address(0) == gpucc_buffer_address(1) || gpucc_buffer_address(128) != 0;
        }
    "#;
    std::fs::write(at("c"), text).expect("a file");
    let Some(program) = build(&at("c"), "addresses") else { return };
    let (code, out, err) = run(&program, &[&at("spv").display().to_string()]);
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    for file in [at("comp"), at("spv"), at("c"), program] {
        std::fs::remove_file(file).expect("it was made");
    }
}

/// `gpucc_options` of version 0.1.0, as a program that was built with it hands it over: written down here and never changed.
#[repr(C)]
#[derive(Clone, Copy)]
struct First {
    size: usize,
    target: *const u8,
    entry: *const u8,
    language: u32,
    opt_level: u32,
    trusted: u32,
}

/// Callers of other versions: an older one gets zeros for what it does not have, a newer one may not ask for what there is not.
#[test]
#[expect(unsafe_code, reason = "the border is called as C calls it")]
fn callers_of_other_versions_are_taken() {
    use gpucc_capi::{COptions, Grows, taken};
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Later {
        own: COptions,
        more: [u64; 2],
    }
    let first = size_of::<First>();
    assert_eq!(first, COptions::FIRST, "the first version's size stays");
    let null = std::ptr::null();
    let old = First { size: first, target: null, entry: null, language: 1, opt_level: 2, trusted: 3 };
    // SAFETY: each has as many bytes as it says.
    unsafe {
        let own = taken::<COptions>((&raw const old).cast()).expect("a caller of the first version");
        assert_eq!((own.language, own.opt_level, own.trusted, own.override_count, own.reader), (1, 2, 3, 0, 0));
        assert!(own.log.is_null() && own.name.is_null() && own.pipeline.is_null());
        let size = size_of::<Later>();
        let newer = |more| Later { own: COptions { size, ..own }, more };
        let quiet = newer([0; 2]);
        assert!(taken::<COptions>((&raw const quiet).cast()).is_ok(), "nothing more is asked for");
        let asks = newer([0, 1]);
        assert!(taken::<COptions>((&raw const asks).cast()).is_err(), "a field of a later version");
        let small = First { size: first - 8, ..old };
        assert!(taken::<COptions>((&raw const small).cast()).is_err(), "no version is so small");
        let cut = COptions { size: std::mem::offset_of!(COptions, log) + 2, ..own };
        assert!(taken::<COptions>((&raw const cut).cast()).is_err(), "a part of a pointer is none");
    }
}
