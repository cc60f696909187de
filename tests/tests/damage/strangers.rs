//! Shaders and modules that were found by fuzzing: each once ended in a panic, a compiler bug or code that no machine takes.

use gpucc::CodegenOptions;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::everywhere::Everywhere;
use gpucc_tests::exec::{self, On, Problem};

fn machines() -> Vec<On> {
    exec::targets("all:all").into_iter().map(exec::on).collect()
}

fn words(list: &[u32]) -> Dispatch {
    let mut d = Dispatch::new([1, 1, 1]);
    let bytes = list.iter().flat_map(|w| w.to_le_bytes()).collect();
    d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes, writable: true });
    d
}

/// The words that a shader leaves in its buffer, on every machine and at every level.
fn everywhere(wgsl: &str, before: &Dispatch, check: impl Fn(Result<&Dispatch, &Problem>) -> bool + Sync) {
    let m = exec::lower(wgsl, "main", &[]).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
    let run = RunOptions { step_limit: 20_000, ..RunOptions::default() };
    let places = Everywhere::new(&m).machines_alone().levels(&[0, 1, 2, 3]).verified().run_options(run);
    places.judge_ends(before, |end| {
        let shown = end.map(|d| d.words(0, 0));
        (!check(end)).then(|| format!("{shown:?}\n{wgsl}"))
    });
}

/// Lanes that never leave a loop hit the step limit; where none of them enters it, all continue behind.
#[test]
fn endless_loops_of_some_lanes() {
    const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {";
    let ends: Vec<u32> = (0..64).map(|i| i + 7).collect();
    for (body, endless) in [
        ("if i < 3u { while true { } }", true),
        ("if i > 100u { while true { } } o[i] = i + 7u;", false),
        ("if i < 3u { while true { o[i] += 1u; } } o[i] = i + 7u;", true),
        ("if i > 100u { while true { o[i] += 1u; } } else { o[i] = 7u; } o[i] = i + 7u;", false),
        ("for (var k = 0u; k < 2u; k++) { if i + k > 100u { while true { } } o[i] = i + 6u + k; }", false),
        (
            "switch i { case 200u: { while true { } } case 201u: { while true { o[0] = 1u; } } default: { } } o[i] = i + 7u;",
            false,
        ),
        ("if i > 100u { if i > 200u { while true { } } o[i] = 1u; } o[i] = i + 7u;", false),
    ] {
        everywhere(&format!("{HEAD} {body} }}"), &words(&[0; 64]), |r| match r {
            Ok(d) => !endless && d.words(0, 0).as_ref() == Some(&ends),
            Err(e) => endless && e.to_string().contains("step limit"),
        });
    }
}

/// A no-op on a wrong index destroys nothing: the load and the store stray alike.
#[test]
fn copying_a_wrong_element_onto_itself() {
    for (body, data) in [
        ("let i = k[0]; k[i] = k[i];", vec![9, 8, 7]),
        ("let i = arrayLength(&k) + k[0]; k[i] = k[i];", vec![4, 8, 7]),
        ("let i = k[0]; k[i] |= 0u;", vec![u32::MAX, 8, 7]),
        ("let i = k[0]; k[i + 1u] = k[i + 1u];", vec![u32::MAX - 1, 8, 7]),
    ] {
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read_write> k: array<u32>;
             @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        everywhere(&wgsl, &words(&data), |r| r.as_ref().is_ok_and(|d| d.words(0, 0).as_ref() == Some(&data)));
    }
}

/// Groups are refused where the machine has no table for them, and run elsewhere.
#[test]
fn high_bind_groups() {
    for (group, runs) in [(58u32, true), (59, false), (64, false), (254, false), (255, false)] {
        let wgsl = format!(
            "@group({group}) @binding(0) var<uniform> n: u32;
             @group(0) @binding(0) var<storage, read_write> o: array<u32>;
             @compute @workgroup_size(1) fn main() {{ o[0] = n; }}"
        );
        let m = exec::lower(&wgsl, "main", &[]).expect("a module");
        for on in machines() {
            let On::Machine(target) = on else { continue };
            let mut d = words(&[0]);
            d.buffers.push(BoundBuffer { group, binding: 0, bytes: vec![5, 0, 0, 0], writable: false });
            let r = exec::run(&m, "main", on, &CodegenOptions::default(), &mut d, &RunOptions::default());
            match r {
                Ok(_) => assert!(runs || target.backend.family() != "valhall", "{on}: group {group} runs"),
                Err(e) => assert!(!runs && e.to_string().contains("bind groups 0 to 58"), "{on}: group {group}: {e}"),
            }
        }
    }
}

/// A module in the IR's text, on every machine and at every level: refused for its size where one says so, never a bug.
#[test]
fn workgroups_of_any_size() {
    let entry = |size: &str| {
        format!(
            "res0 \"\" group 0 binding 0 storage_rw size 4 stride 4\nglobal0 \"\" workgroup size 1024 align 4\n\
             entry \"main\" compute func0 size {size}\nfunc0 \"main\" {{\nblock0:\n\
             v0: i32 = sysval local_invocation_index\n  v1: i32 = load global0[0] align 4\n  v2: i32 = iadd v0, v1\n\
             store v2, res0[0] align 4\n  ret\n}}\n"
        )
    };
    for size in ["64,1,144851979", "65536,65536,1", "4294967295,4294967295,4294967295", "1,1,4294967295"] {
        let m = gpucc_ir::text::parse_module(&entry(size)).unwrap_or_else(|e| panic!("{}", e.message));
        for on in machines() {
            for opt_level in 0..=3 {
                let options = CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() };
                let r = exec::run(&m, "main", on, &options, &mut words(&[0]), &RunOptions::default());
                let e = r.expect_err("such a workgroup cannot be").to_string();
                let refused = e.contains("workgroup") && !e.contains("bug");
                assert!(refused, "{on} -O{opt_level}, size {size}: {e}");
            }
        }
    }
}

/// Words as halves in WGSL, which naga does not have: nested, with comments and blanks in the type, and with arguments of each type. A wrong
/// line behind such a cast is named where the source has it.
#[test]
fn casts_of_words_to_halves() {
    let source = "enable f16;
@group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
@compute @workgroup_size(1) fn main() {
    // bitcast<vec2<f16>>(
    let h = bitcast<vec2<f16>>(o[0]); let f = bitcast<vec2h /* ( */ >((bitcast<f32>(o[1])));
    let q = bitcast< vec4 <f16> >(vec2u(o[2], o[3])) + bitcast<vec4h>(vec2i(bitcast<vec2i>(vec2u(o[0], u32(bitcast<vec2h>(i32(o[1])).y)))));
    o[4] = u32(h.x * 4.0h); o[5] = u32(f.y); o[6] = u32(q.y); o[7] = u32(q.w);
}";
    // 1.5 and 3, 2 and 10; 5 and 7, 9 and 11.
    let before = words(&[0x4200_3e00, 0x4900_4000, 0x4700_4500, 0x4980_4880, 0, 0, 0, 0]);
    everywhere(source, &before, |d| d.as_ref().is_ok_and(|d| d.words(0, 0).expect("bound")[4..] == [6, 10, 10, 11]));
    let wrong = "enable f16;\nfn f(x: u32) -> f16 { return bitcast<vec2<f16>>(x).x + bitcast<vec2h>(x).y + missing; }";
    let options = gpucc::frontend::FrontOptions::default();
    let list =
        gpucc::frontend::load(wrong.as_bytes(), gpucc::frontend::Lang::Wgsl, &options).expect_err("a wrong name");
    let at = wrong.find("missing").expect("it is there") as u32;
    assert_eq!((list[0].labels[0].span.start, list[0].labels[0].span.end), (at, at + 7), "{}", list[0]);
}

/// Neighbours of which the buffer never has all: they are not made one access, which would never fit.
#[test]
fn more_neighbours_than_the_buffer_has() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 1>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            o[id.x] = 7u; if o[id.x + 1u] == 7u { o[id.x] = 8u; } o[id.x + 1u] = o[id.x] + 1u;
        }";
    // A stray access goes to the one element or nowhere.
    everywhere(wgsl, &words(&[3]), |d| d.as_ref().is_ok_and(|d| d.words(0, 0).unwrap()[0] > 6));
}

fn loaded(text: &str) -> String {
    use gpucc::frontend::{FrontOptions, Lang, load};
    let shader = load(text.as_bytes(), Lang::Gir, &FrontOptions::default());
    shader.unwrap_or_else(|e| panic!("{}\n{text}", gpucc::Errors(e))).module.to_string()
}

/// A file of IR may claim that accesses are in bounds, and passes would execute them in vain: what no bound shows is clamped.
#[test]
fn promises_of_a_file_are_looked_at() {
    let claims = |by: u32| {
        format!(
            "module robust on\nres0 \"a\" group 0 binding 0 storage_ro size 32 stride 0\n\
             res1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\nentry \"main\" compute func0 size 1,1,1\n\
             func0 \"main\" {{\nblock0:\n  v0: i32 = load res0[0] align 4 {{in_bounds}}\n  v1: i32 = umin v0, 3:i32\n  \
             v2: i32 = imul v1, {by}:i32\n  v3: i32 = load res0[4 + v2] align 4 {{uniform, in_bounds}}\n  \
             store v3, res1[0] align 4 {{in_bounds}}\n  ret\n}}\n"
        )
    };
    assert_eq!(loaded(&claims(8)).matches("in_bounds").count(), 3);
    assert_eq!(loaded(&claims(32)).matches("in_bounds").count(), 2);
    assert!(!loaded(&claims(8)).contains("uniform"));
}

/// The promises of the frontend can be seen.
#[test]
fn promises_of_the_frontend_are_believed() {
    let wgsl = "struct S { a: array<vec3<f32>, 4>, b: array<array<u32, 5>, 3>, m: mat3x3<f32> }
        @group(0) @binding(0) var<storage, read_write> s: S;
        @group(0) @binding(1) var<uniform> u: array<vec4<u32>, 7>;
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var p = array<u32, 9>();
            p[i] = u[i].x + u[i][i];
            w[i] = p[i + 1u] + s.b[i][i + 2u];
            workgroupBarrier();
            s.a[i] = s.m[i] + vec3(f32(w[63u - i]));
            s.m[i][i] = 1.0;
        }";
    let text = exec::lower(wgsl, "main", &[]).unwrap_or_else(|e| panic!("{e}")).to_string();
    let count = |t: &str| t.matches("in_bounds").count();
    assert!(count(&text) > 8, "{text}");
    assert_eq!(count(&loaded(&text)), count(&text), "{text}");
}

/// A constant index may lead to the last bytes that an offset can name.
#[test]
fn offsets_at_the_end_of_all_that_can_be_named() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<i32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let last = i32(1073741823);
            o[last] = i32(id.x); o[last] = 5; o[0] = o[last] + 1; o[last - 1] = 4; o[0] += o[last - 1];
        }";
    // A stray access goes to the one element or nowhere.
    everywhere(wgsl, &words(&[3]), |d| d.is_ok());
}

/// There are eight colour targets: a fragment stage with others is refused, and so is a file of IR.
#[test]
fn colour_targets_beyond_the_last() {
    let wgsl = |at: u32| format!("@fragment fn main() -> @location({at}) vec4<f32> {{ return vec4<f32>(0.5); }}");
    let said = exec::lower(&wgsl(8), "main", &[]).expect_err("there is none").to_string();
    assert!(said.contains("more than 8 colour targets"), "{said}");
    let text = exec::lower(&wgsl(7), "main", &[]).unwrap_or_else(|e| panic!("{e}")).to_string();
    let other = text.replace("location 7", "location 8");
    assert_ne!(text, other, "{text}");
    use gpucc::frontend::{FrontOptions, Lang, load};
    load(text.as_bytes(), Lang::Gir, &FrontOptions::default()).unwrap_or_else(|e| panic!("{}", gpucc::Errors(e)));
    let said = gpucc::Errors(load(other.as_bytes(), Lang::Gir, &FrontOptions::default()).expect_err("there is none"));
    assert!(said.to_string().contains("no colour target"), "{said}");
}
