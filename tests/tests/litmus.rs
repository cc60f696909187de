//! Memory order between invocations: what a flag promises holds on the oracle and on every machine, at every level, whatever the order of
//! the run.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec::{self, On};

use crate::spirv::{glslang, has, scratch};

/// A flag that is seen promises the datum written before it, as programs of GLSL write it: by semantics of atomics or by fences, with a
/// member, a block or an access that others see.
const SPELLINGS: &[(&str, &str, &str)] = &[
    (
        "ordered atomics, a coherent member",
        "#extension GL_KHR_memory_scope_semantics : enable
         layout(set = 0, binding = 0, std430) buffer A { coherent S a[]; };",
        "a[i].data = 1u;
         atomicStore(a[k].flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
         uint f = atomicLoad(a[l].flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
         uint d = a[j].data;",
    ),
    (
        "fences, a coherent block",
        "layout(set = 0, binding = 0, std430) coherent buffer A { S a[]; };",
        "a[i].data = 1u;
         memoryBarrierBuffer();
         atomicExchange(a[k].flag, 1u);
         uint f = atomicAdd(a[l].flag, 0u);
         memoryBarrierBuffer();
         uint d = a[j].data;",
    ),
    (
        "the Vulkan memory model",
        "#extension GL_KHR_memory_scope_semantics : enable
         #pragma use_vulkan_memory_model
         layout(set = 0, binding = 0, std430) buffer A { nonprivate S a[]; };",
        "a[i].data = 1u;
         atomicStore(a[k].flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
         uint f = atomicLoad(a[l].flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
         uint d = a[j].data;",
    ),
    (
        "exchanges that do both, a volatile block",
        "#extension GL_KHR_memory_scope_semantics : enable
         layout(set = 0, binding = 0, std430) volatile buffer A { S a[]; };",
        "a[i].data = 1u;
         atomicExchange(a[k].flag, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
         uint f = atomicCompSwap(a[l].flag, 5u, 5u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease,
                                 gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
         uint d = a[j].data;",
    ),
];

fn lowered(spv: &[u8]) -> Module {
    let options = FrontOptions { entry: Some("main".into()), ..FrontOptions::default() };
    frontend::load(spv, Lang::Spirv, &options).unwrap_or_else(|e| panic!("{}", e[0])).module
}

fn machines() -> impl Iterator<Item = On> {
    exec::targets("all:all").into_iter().map(exec::on)
}

/// Programs of GLSL. They have races by the letter, since what a fence orders is plain.
#[test]
fn a_flag_promises_what_was_written_before_it() {
    if !has("glslangValidator") {
        return;
    }
    for (name, head, body) in SPELLINGS {
        let (extension, block) = head.split_once("layout").expect("a block");
        let source = format!(
            "#version 450\n{extension}\nlayout(local_size_x = 64) in;
             struct S {{ uint data; uint flag; }};
             layout{block}
             layout(set = 0, binding = 1, std430) buffer B {{ uint bad; }};
             void main() {{
               uint i = gl_GlobalInvocationID.x, k = i * 7u & 511u, j = i * 37u & 511u, l = j * 7u & 511u;
               {body}
               if (f > d) atomicAdd(bad, 1u);
             }}"
        );
        let path = scratch("litmus.comp");
        std::fs::write(&path, source).expect("a file");
        let args = ["--target-env", "vulkan1.1"];
        let spv = glslang(&path.display().to_string(), &args, "litmus.spv").unwrap_or_else(|e| panic!("{name}: {e}"));
        let module = lowered(&spv);
        for on in machines().chain([On::Interp]) {
            for level in [0, 2] {
                for perturb in [None, Some(1), Some(2)] {
                    let mut d = Dispatch::new([8, 1, 1]).with_u32(0, 0, &[0; 1024]).with_u32(0, 1, &[0]);
                    let options = RunOptions { perturb, races: Races::Off, ..RunOptions::default() };
                    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
                    match exec::run(&module, "main", on, &codegen, &mut d, &options) {
                        Ok(_) => assert_eq!(
                            d.words(0, 1),
                            Some(vec![0]),
                            "{name} on {on} at level {level}, seed {perturb:?}"
                        ),
                        Err(exec::Problem::Refused(codes, _)) if codes == [Refusal::Atomics] => {}
                        Err(e) => panic!("{name} on {on} at level {level}: {e}"),
                    }
                }
            }
        }
    }
}
