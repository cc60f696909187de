//! Tests of the statements about threads and stacks in the documentation of the crate.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Errors, Options, Target};

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
                    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) {\n";

/// Blocks in each other, with an expression of many terms inside; a chain of `else if`; calls in each other.
fn deep() -> [String; 3] {
    let mut blocks = String::from(HEAD);
    for k in 0..60 {
        blocks += &match k % 4 {
            3 => format!("for (var i = 0u; i < o[{k}]; i++) {{\n"),
            _ => format!("if o[g.x + {k}u] > {k}u {{\n"),
        };
    }
    let sum: String = (0..400).map(|k| format!(" * o[{k}] + g.x")).collect();
    blocks += &format!("o[g.x] = g.y{sum};{}", "}".repeat(61));
    let chain: String = (0..200).map(|k| format!("if o[{k}] == g.x {{ o[g.x + {k}u] = {k}u; }} else ")).collect();
    let calls: String =
        (0..800).map(|k| format!("fn f{k}(x: u32) -> u32 {{ return f{}(x * o[x]) + x; }}\n", k + 1)).collect();
    let calls = format!("{HEAD}o[g.x] = f0(g.x); }}\n{calls}fn f800(x: u32) -> u32 {{ return x; }}");
    [blocks, format!("{HEAD}{chain} {{ }} }}"), calls]
}

/// Code generation does with a quarter of the stack of an ordinary thread. (With all of it at the limits of the front ends, which takes a
/// minute.)
#[test]
fn compile_wants_a_small_stack() {
    let targets = Target::parse_list("all").expect("targets");
    for text in deep() {
        let shader = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
        let module = shader.unwrap_or_else(|list| panic!("{}", Errors(list))).module;
        let work = || {
            for &target in &targets {
                let done = gpucc::compile(&module, &Options::new(target));
                assert!(done.as_ref().err().is_none_or(|d| d.class == gpucc::Class::Unsupported), "{done:?}");
            }
        };
        std::thread::scope(|s| {
            let thread = std::thread::Builder::new().stack_size(512 << 10).spawn_scoped(s, work);
            thread.expect("a thread").join().expect("it ends");
        });
    }
}

/// Inputs and outputs of the library may be sent to other threads.
#[test]
fn values_go_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<gpucc::Module>();
    check::<frontend::Loaded>();
    check::<Options>();
    check::<gpucc::Artifact>();
    check::<gpucc::Located>();
    check::<gpucc::pipeline::Linked<'_>>();
}
