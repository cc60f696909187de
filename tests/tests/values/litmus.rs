//! Memory order between invocations: what a flag promises holds on the oracle and on every machine, at every level, whatever the order of
//! the run.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Target};
use gpucc_glsl::{has, need};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec::{self, For, On, Problem};
use rayon::prelude::*;

use crate::draws::drawing::{self, Placed};

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
    need!("glslangValidator");
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
        let module = lowered(&gpucc_glsl::module("litmus.comp", "vulkan1.1", &source));
        for on in machines().chain([On::Interp]) {
            for level in [0, 2] {
                for perturb in [None, Some(1), Some(2)] {
                    let mut d = Dispatch::new([8, 1, 1]).with_u32(0, 0, &[0; 1024]).with_u32(0, 1, &[0]);
                    let options = run_options(perturb);
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

/// Where data and flags lie, and whose invocations share them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shared {
    /// In buffers, among eight workgroups of 64.
    Grid,
    /// In buffers, in one workgroup of 256.
    Group,
    /// In workgroup memory, in each of two workgroups of 256.
    Local,
}

impl Shared {
    const ALL: [Shared; 3] = [Shared::Grid, Shared::Group, Shared::Local];

    /// Invocations of a workgroup, and workgroups.
    fn size(self) -> (u32, u32) {
        match self {
            Shared::Grid => (64, 8),
            Shared::Group => (256, 1),
            Shared::Local => (256, 2),
        }
    }

    /// How many invocations share data and flags.
    fn count(self) -> u32 {
        if self == Shared::Grid { 512 } else { 256 }
    }
}

/// A program whose fences settle its races. `data`, `flags` and `found` are arrays of words. `v1` is the number of the invocation among
/// those that share data and flags, `v2` four times that, `v3` four times that of one far away, `v4` of that with another top bit.
struct Litmus {
    name: &'static str,
    body: &'static str,
    /// Whether it is as promised what they found.
    holds: fn(&[u32]) -> bool,
    /// The contents of the first 64 flags and data.
    first: u32,
}

fn all_zero(found: &[u32]) -> bool {
    found.iter().all(|&w| w == 0)
}

/// Of two invocations whose numbers differ in the top bit not both found `what`.
fn not_both(what: u32, found: &[u32]) -> bool {
    (0..found.len()).all(|i| found[i] != what || found[i ^ (found.len() / 2)] != what)
}

/// Each column of 64 has the sums of the numbers so far.
fn sums(found: &[u32]) -> bool {
    found.iter().enumerate().all(|(i, &w)| w as usize == (i % 64..=i).step_by(64).sum::<usize>())
}

const MESSAGE: usize = 0;
const SCAN: usize = 6;

const LITMUS: [Litmus; 7] = [
    Litmus {
        name: "message passing",
        body: "store 1:i32, data[0 + v2] align 4
  fence release
  store 1:i32, flags[0 + v2] align 4 {atomic}
  v6: i32 = load flags[0 + v3] align 4 {atomic}
  fence acquire
  v7: i32 = load data[0 + v3] align 4
  v8: b1 = icmp.ugt v6, v7
  v9: i32 = select v8, 1:i32, 0:i32
  store v9, found",
        holds: all_zero,
        first: 0,
    },
    Litmus {
        name: "message passing, coherent data",
        body: "store 1:i32, data[0 + v2] align 4 {coherent}
  fence release
  store 1:i32, flags[0 + v2] align 4 {coherent}
  v6: i32 = load flags[0 + v3] align 4 {coherent}
  fence acquire
  v7: i32 = load data[0 + v3] align 4 {coherent}
  v8: b1 = icmp.ugt v6, v7
  v9: i32 = select v8, 1:i32, 0:i32
  store v9, found",
        holds: all_zero,
        first: 0,
    },
    Litmus {
        name: "store buffering",
        body: "v6: i32 = atomic.xchg 1:i32, flags[0 + v2] align 4
  fence
  v7: i32 = atomic.add 0:i32, flags[0 + v4] align 4
  store v7, found",
        holds: |found| not_both(0, found),
        first: 0,
    },
    Litmus {
        name: "load buffering",
        body: "v6: i32 = load flags[0 + v4] align 4 {atomic}
  fence
  store 1:i32, flags[0 + v2] align 4 {atomic}
  store v6, found",
        holds: |found| not_both(1, found),
        first: 0,
    },
    Litmus {
        name: "two reads of one place",
        body: "store 1:i32, flags[0 + v2] align 4 {atomic}
  v6: i32 = load flags[0 + v3] align 4 {atomic}
  v7: i32 = load flags[0 + v3] align 4 {atomic}
  v8: b1 = icmp.ugt v6, v7
  v9: i32 = select v8, 1:i32, 0:i32
  store v9, found",
        holds: all_zero,
        first: 0,
    },
    Litmus {
        name: "a flag that is waited for",
        body: "v5: i32 = iadd v2, 256:i32
  store 1:i32, data[0 + v5] align 4
  fence release
  store 1:i32, flags[0 + v5] align 4 {atomic}
  v20: i32 = load data[0 + v2] align 4
  jump block1
block1 loop merge block3 continue block2:
  v6: i32 = load flags[0 + v2] align 4 {atomic}
  v7: b1 = icmp.eq v6, 0:i32
  br v7, block2, block3
block2:
  jump block1
block3:
  fence acquire
  v8: i32 = load data[0 + v2] align 4
  v9: i32 = isub 1:i32, v8
  v21: b1 = icmp.ugt v20, v8
  v22: i32 = select v21, 2:i32, v9
  store v22, found",
        holds: all_zero,
        first: 1,
    },
    Litmus {
        // Invocation n has the place n + 64. Flag 1 stands for its own number, flag 2 for the sum.
        name: "a scan that looks back",
        body: "v5: i32 = iadd v2, 256:i32
  store v1, data[0 + v5] align 4
  fence release
  store 1:i32, flags[0 + v5] align 4 {atomic}
  jump block1(v2, v1)
block1(v10: i32, v11: i32) loop merge block3 continue block2:
  v12: i32 = load flags[0 + v10] align 4 {atomic}
  fence acquire
  v13: b1 = icmp.eq v12, 2:i32
  br v13, block3, block2
block2:
  v16: i32 = load data[0 + v10] align 4
  v17: b1 = icmp.eq v12, 1:i32
  v18: i32 = select v17, v16, 0:i32
  v19: i32 = select v17, 256:i32, 0:i32
  v20: i32 = isub v10, v19
  v21: i32 = iadd v11, v18
  jump block1(v20, v21)
block3:
  v22: i32 = load data[2304 + v10] align 4
  v23: i32 = iadd v11, v22
  store v23, data[2304 + v5] align 4
  fence release
  store 2:i32, flags[0 + v5] align 4 {atomic}
  store v23, found",
        holds: sums,
        first: 2,
    },
];

/// The same in GLSL, and in WGSL what that promises: atomics alone keep the order of one place, barriers that of a workgroup.
const GLSL: [Litmus; 6] = [
    Litmus {
        name: "GLSL: message passing",
        body: "data[me] = 1u; FENCE; atomicExchange(flags[me], 1u);
               uint f = atomicAdd(flags[far], 0u); FENCE; uint d = data[far]; found[at] = f > d ? 1u : 0u;",
        holds: all_zero,
        first: 0,
    },
    Litmus {
        name: "GLSL: store buffering",
        body: "atomicExchange(flags[me], 1u); FENCE; found[at] = atomicAdd(flags[other], 0u);",
        holds: |found| not_both(0, found),
        first: 0,
    },
    Litmus {
        name: "GLSL: load buffering",
        body: "uint f = flags[other]; FENCE; flags[me] = 1u; found[at] = f;",
        holds: |found| not_both(1, found),
        first: 0,
    },
    Litmus {
        name: "GLSL: two reads of one place",
        body: "flags[me] = 1u; uint a = flags[far]; uint b = flags[far]; found[at] = a > b ? 1u : 0u;",
        holds: all_zero,
        first: 0,
    },
    Litmus {
        name: "GLSL: a flag that is waited for",
        body: "data[me + 64u] = 1u; FENCE; flags[me + 64u] = 1u;
               while (flags[me] == 0u) {}
               FENCE; found[at] = 1u - data[me];",
        holds: all_zero,
        first: 1,
    },
    Litmus {
        name: "GLSL: a scan that looks back",
        body: "uint k = me, sum = me; data[me + 64u] = me; FENCE; atomicExchange(flags[me + 64u], 1u);
               for (;;) {
                 uint f = atomicAdd(flags[k], 0u); FENCE;
                 if (f == 2u) break;
                 if (f == 1u) { sum += data[k]; k -= 64u; }
               }
               sum += data[k + 576u]; data[me + 640u] = sum; FENCE; atomicExchange(flags[me + 64u], 2u); found[at] = sum;",
        holds: sums,
        first: 2,
    },
];

const WGSL: [(Litmus, Shared); 5] = [
    (
        Litmus {
            name: "WGSL: a barrier between stores and loads of a buffer",
            body: "data[i] = i; storageBarrier(); found[i] = data[i ^ 128u] - (i ^ 128u);",
            holds: all_zero,
            first: 0,
        },
        Shared::Group,
    ),
    (
        Litmus {
            name: "WGSL: a barrier between stores and loads of workgroup memory",
            body: "near[l] = l; atomicStore(&signs[l], 1u); workgroupBarrier();
                   found[i] = near[l ^ 128u] - (l ^ 128u) + 1u - atomicLoad(&signs[l ^ 64u]);",
            holds: all_zero,
            first: 0,
        },
        Shared::Local,
    ),
    (
        Litmus {
            name: "WGSL: two reads of one place",
            body: "atomicStore(&flags[i], 1u); let k = (i * 37u) & 511u; let a = atomicLoad(&flags[k]); let b = atomicLoad(&flags[k]);
                   found[i] = select(0u, 1u, a > b);",
            holds: all_zero,
            first: 0,
        },
        Shared::Grid,
    ),
    (
        Litmus {
            name: "WGSL: a place in a queue for each",
            body: "let k = atomicAdd(&flags[600], 1u); found[k] = found[k] + k;",
            holds: |found| found.iter().enumerate().all(|(k, &w)| k == w as usize),
            first: 0,
        },
        Shared::Grid,
    ),
    (
        Litmus {
            name: "WGSL: a scan that looks back, value and flag in one word",
            body: "var k = i; var sum = i; atomicStore(&flags[i + 64u], (i << 2u) | 1u);
                   loop {
                     let f = atomicLoad(&flags[k]);
                     sum += select(0u, f >> 2u, (f & 3u) != 0u);
                     if (f & 3u) == 2u { break; }
                     k -= select(0u, 64u, (f & 3u) == 1u);
                   }
                   atomicStore(&flags[i + 64u], (sum << 2u) | 2u); found[i] = sum;",
            holds: sums,
            first: 2,
        },
        Shared::Grid,
    ),
];

impl Litmus {
    fn module(&self, shared: Shared, body: &str) -> Module {
        let (near, order) = match shared {
            Shared::Grid => (["res0[", "res1["], "device storage"),
            Shared::Group => (["res0[", "res1["], "storage"),
            Shared::Local => (["global0[", "global1["], "workgroup"),
        };
        let id = if shared == Shared::Local { "local_invocation_id" } else { "global_invocation_id" };
        let mask = shared.count() - 1;
        let top = shared.count() / 2;
        // Workgroup memory begins with nothing.
        let begin = |at: usize| format!("  store 0:i32, global0[{at} + v2] align 4\n");
        let begin = (0..4).map(|k| begin(1024 * k)).collect::<String>()
            + &format!(
                "  v50: b1 = icmp.ult v1, 64:i32\n  v51: i32 = select v50, {}:i32, 0:i32\n  \
                 store v51, global0[0 + v2] align 4\n  store v51, global1[0 + v2] align 4 {{atomic}}\n  store 0:i32, global1[1024 + v2] align 4 {{atomic}}\n  \
                 barrier workgroup workgroup\n",
                self.first
            );
        let text = format!(
            "module robust on\n\
             res0 \"data\" group 0 binding 0 storage_rw size 4 stride 4\n\
             res1 \"flags\" group 0 binding 1 storage_rw size 4 stride 4\n\
             res2 \"found\" group 0 binding 2 storage_rw size 4 stride 4\n\
             global0 \"near\" workgroup size 4096 align 4\nglobal1 \"signs\" workgroup size 2048 align 4\n\
             entry \"main\" compute func0 size {},1,1\n\nfunc0 \"main\" {{\nblock0:\n  \
             v60: i32x3 = sysval {id}\n  v1: i32 = extract v60, lane 0\n  v2: i32 = shl v1, 2:i32\n  \
             v61: i32 = imul v1, 37:i32\n  v62: i32 = and v61, {mask}:i32\n  v3: i32 = shl v62, 2:i32\n  \
             v63: i32 = xor v1, {top}:i32\n  v4: i32 = shl v63, 2:i32\n  \
             v64: i32x3 = sysval global_invocation_id\n  v65: i32 = extract v64, lane 0\n  v66: i32 = shl v65, 2:i32\n\
             {}  {}\n  ret\n}}\n",
            shared.size().0,
            if shared == Shared::Local { begin.as_str() } else { "" },
            body.replace("data[", near[0])
                .replace("flags[", near[1])
                .replace("fence", "barrier none")
                .replace("barrier none release", &format!("barrier none release {order}"))
                .replace("barrier none acquire", &format!("barrier none acquire {order}"))
                .replace("barrier none\n", &format!("barrier none {order}\n"))
                .replace("found", "res2[0 + v66] align 4"),
        );
        let name = self.name;
        let module = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{name}: {}\n{text}", e.message));
        gpucc_ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{name}: {}\n{text}", e[0]));
        module
    }

    /// A program of [`GLSL`].
    fn glsl(&self, shared: Shared) -> Module {
        let (invocations, count) = (shared.size().0, shared.count());
        let fence = if shared == Shared::Local { "memoryBarrierShared()" } else { "memoryBarrierBuffer()" };
        let (memory, begin, number) = if shared == Shared::Local {
            let begin = format!(
                "for (uint k = me; k < 1280u; k += 256u) {{ data[k] = k < 64u ? {0}u : 0u; flags[k] = data[k]; }} barrier();",
                self.first
            );
            ("shared uint data[1280]; shared uint flags[1280];", begin, "gl_LocalInvocationIndex")
        } else {
            let memory = "layout(set = 0, binding = 0, std430) coherent buffer A { uint data[]; };
                          layout(set = 0, binding = 1, std430) coherent buffer B { uint flags[]; };";
            (memory, String::new(), "gl_GlobalInvocationID.x")
        };
        let source = format!(
            "#version 450\n#define FENCE {fence}\nlayout(local_size_x = {invocations}) in;\n{memory}
             layout(set = 0, binding = 2, std430) buffer C {{ uint found[]; }};
             void main() {{
               uint at = gl_GlobalInvocationID.x, me = {number}, far = me * 37u & {}u, other = me ^ {}u;
               {begin} {} }}",
            count - 1,
            count / 2,
            self.body
        );
        lowered(&gpucc_glsl::module("litmus-of.comp", "vulkan1.1", &source))
    }

    /// A program of [`WGSL`].
    fn wgsl(&self, shared: Shared) -> Module {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
             @group(0) @binding(2) var<storage, read_write> found: array<u32>;
             var<workgroup> near: array<u32, 256>; var<workgroup> signs: array<atomic<u32>, 256>;
             @compute @workgroup_size({})
             fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {{
               let i = id.x; {} }}",
            shared.size().0,
            self.body
        );
        let options = FrontOptions { entry: Some("main".into()), ..FrontOptions::default() };
        let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &options);
        loaded.unwrap_or_else(|e| panic!("{}: {}", self.name, e[0])).module
    }

    /// The dispatch, before the run.
    fn dispatch(&self, shared: Shared) -> Dispatch {
        let mut words = [0; 1280];
        words[..64].fill(self.first);
        let d = Dispatch::new([shared.size().1, 1, 1]).with_u32(0, 0, &words).with_u32(0, 1, &words[..640]);
        d.with_u32(0, 2, &[0; 512])
    }

    /// Whether the promise was kept.
    fn held(&self, shared: Shared, d: &Dispatch) -> bool {
        let (invocations, groups) = shared.size();
        let found = d.words(0, 2).expect("a buffer");
        found[..(invocations * groups) as usize].chunks(shared.count() as usize).all(self.holds)
    }

    /// Whether the promise is kept in a run; nothing if the chip has no atomics there.
    fn holds(&self, shared: Shared, module: &Module, on: On, opt_level: u8, perturb: Option<u64>) -> Option<bool> {
        let mut d = self.dispatch(shared);
        let options = run_options(perturb);
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        match exec::run(module, "main", on, &codegen, &mut d, &options) {
            Ok(_) => Some(self.held(shared, &d)),
            Err(Problem::Refused(codes, _)) if codes == [Refusal::Atomics] => None,
            Err(e) => panic!("{}, {shared:?}, on {on} at level {opt_level}, seed {perturb:?}: {e}", self.name),
        }
    }
}

/// Instructions that a run may take: one that waits for ever takes them all.
const STEPS: u64 = 4_000_000;

/// Runs in which something that is missing may show.
const SEEDS: u64 = 300;

fn run_options(perturb: Option<u64>) -> RunOptions {
    RunOptions { perturb, weak: true, races: Races::Off, step_limit: STEPS, ..RunOptions::default() }
}

/// Every program on all machines, on the oracle and behind the passes, at both ends of the levels, in a plain run and under ten seeds.
fn all_hold(programs: Vec<(&Litmus, Shared, Module)>) {
    let places: Vec<On> = machines().chain([On::Interp, On::Passes(For::Poor)]).collect();
    programs.par_iter().flat_map(|p| places.par_iter().map(move |&on| (p, on))).for_each(
        |((l, shared, module), on)| {
            for level in [0, 2] {
                for perturb in std::iter::once(None).chain((1..=10).map(Some)) {
                    let held = l.holds(*shared, module, on, level, perturb);
                    assert!(held != Some(false), "{}, {shared:?}, on {on} at level {level}, seed {perturb:?}", l.name);
                }
            }
        },
    );
}

#[test]
fn litmus_programs_keep_their_promises() {
    let each = LITMUS.iter().flat_map(|l| Shared::ALL.map(|s| (l, s, l.module(s, l.body))));
    all_hold(each.collect());
}

#[test]
fn litmus_programs_of_wgsl_keep_their_promises() {
    all_hold(WGSL.iter().map(|(l, s)| (l, *s, l.wgsl(*s))).collect());
}

#[test]
fn litmus_programs_of_glsl_keep_their_promises() {
    if has("glslangValidator") {
        all_hold(GLSL.iter().flat_map(|l| Shared::ALL.map(|s| (l, s, l.glsl(s)))).collect());
    }
}

/// Fences of the IR that are left out, one by one: where the order is asked of all workgroups, machines whose memory is weak show it under
/// some seed. Valhall has no cache to forget, and what looks back has waited for the flag.
#[test]
fn a_fence_that_is_left_out_shows() {
    let planted = [
        (MESSAGE, "  fence release\n", "gcn:all,valhall:all,tesla:all"),
        (MESSAGE, "  fence acquire\n", "gcn:all,valhall:all,tesla:all"),
        (SCAN, "  fence release\n", "gcn:all,valhall:all,tesla:all"),
        (SCAN, "  fence acquire\n", "gcn:all"),
    ];
    for (which, line, targets) in planted {
        let l = &LITMUS[which];
        let module = l.module(Shared::Grid, &l.body.replacen(line, "", 1));
        for target in exec::targets(targets) {
            let shows =
                (1..=SEEDS).any(|seed| l.holds(Shared::Grid, &module, exec::on(target), 2, Some(seed)) == Some(false));
            assert!(shows, "{} without `{}` on {target}", l.name, line.trim());
        }
    }
}

/// Vivante's memory is strongly ordered by its convention (docs/abi-vivante.md section 4): without fences the promises hold.
#[test]
fn strongly_ordered_memory_needs_no_fence() {
    for which in [MESSAGE, SCAN] {
        let l = &LITMUS[which];
        let module = l.module(Shared::Grid, &l.body.replace("  fence release\n", "").replace("  fence acquire\n", ""));
        for target in exec::targets("vivante:all") {
            let holds = |seed| l.holds(Shared::Grid, &module, exec::on(target), 0, Some(seed)) == Some(true);
            assert!((1..=30).all(holds), "{} on {target}", l.name);
        }
    }
}

/// A fence of Tesla is eight loads that depend on each other. One of them left out shows.
#[test]
fn a_load_that_is_left_out_of_a_device_fence_shows() {
    let Some(machine) = gpucc_machines::find("tesla") else { return };
    let (l, shared) = (&LITMUS[MESSAGE], Shared::Grid);
    for target in exec::targets("tesla:all") {
        let device = exec::device(target);
        let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
        let compiled = device.compile(&l.module(shared, l.body), "main", &codegen).unwrap();
        let nop = (machine.assemble)("nop", target.generation_index(), gpucc_isa::stage::ALL, false).unwrap();
        let loads = drawing::instructions(&compiled.container, target).into_iter().filter(|i| i.text.contains("g15["));
        let mut count = 0;
        for Placed { at, size: n, text } in loads {
            let mut wrong = compiled.clone();
            wrong.container.entries[0].code[at..at + n].copy_from_slice(&nop);
            let shows = (1..=SEEDS).any(|seed| {
                let mut d = l.dispatch(shared);
                device.launch(&wrong, "main", &mut d, &run_options(Some(seed))).is_err() || !l.held(shared, &d)
            });
            assert!(shows, "`{text}` at {at:#x} on {target}");
            count += 1;
        }
        assert_eq!(count, 16, "two fences on {target}");
    }
}

/// The lines of these programs that change nothing they may see when they are left out, and why: how programs are named, where data and
/// flags lie, how the line begins or what is in it.
const NEEDLESS: &[(&str, &[Shared], &str)] = &[
    // Workgroup memory keeps the order of a wave by itself.
    ("", &[Shared::Local], "s_waitcnt lgkmcnt(0)"),
    // All waves of a workgroup have one cache.
    ("", &[Shared::Group], " glc"),
    // An old flag promises nothing, and whoever does not wait for it is content.
    ("message passing", &[Shared::Grid], " glc"),
    ("load buffering", &[Shared::Grid], " glc"),
    // The fence in the loop has forgotten the old flag.
    ("a scan that looks back", &[Shared::Grid], " glc"),
    // Loads and atomics that go past the cache do not ask what it holds.
    ("message passing, coherent data", &[Shared::Grid], "buffer_wbinvl1"),
    ("store buffering", &[Shared::Grid], "buffer_wbinvl1"),
    ("load buffering", &[Shared::Grid], "buffer_wbinvl1"),
];

/// Waits, caches that are to forget what they hold, and bits of loads that go past them, left out of machine code one by one.
#[test]
fn a_wait_or_a_bit_that_is_left_out_of_the_code_shows() {
    let Some(machine) = gpucc_machines::find("gcn") else { return };
    let one = |(target, l, shared): (Target, &Litmus, Shared)| {
        let (mut shown, mut silent) = (0, Vec::new());
        let generation = target.generation_index();
        let words = |line: &str| (machine.assemble)(line, generation, gpucc_isa::stage::ALL, false).unwrap();
        let device = exec::device(target);
        let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
        let compiled = device.compile(&l.module(shared, l.body), "main", &codegen).unwrap();
        for Placed { at, size: n, text: line } in drawing::instructions(&compiled.container, target) {
            if NEEDLESS.iter().any(|x| l.name.starts_with(x.0) && x.1.contains(&shared) && line.contains(x.2)) {
                continue;
            }
            let instead = if line.starts_with("s_waitcnt") || line.starts_with("buffer_wbinvl1") {
                words("s_nop 0").repeat(n / 4)
            } else if line.contains(" glc") && line.contains("load") {
                words(&line.replace(" glc", ""))
            } else {
                continue;
            };
            let mut wrong = compiled.clone();
            wrong.container.entries[0].code[at..at + n].copy_from_slice(&instead);
            let shows = (1..=SEEDS).any(|seed| {
                let mut d = l.dispatch(shared);
                let options = run_options(Some(seed));
                device.launch(&wrong, "main", &mut d, &options).is_err() || !l.held(shared, &d)
            });
            if shows {
                shown += 1;
            } else {
                silent.push(format!("{}, {shared:?} on {target}: `{line}` at {at:#x}", l.name));
            }
        }
        (shown, silent)
    };
    let all: Vec<_> = exec::targets("gcn:all")
        .into_iter()
        .flat_map(|t| LITMUS.iter().flat_map(move |l| Shared::ALL.map(|s| (t, l, s))))
        .collect::<Vec<_>>();
    let found: Vec<(usize, Vec<String>)> = all.into_par_iter().map(one).collect();
    let shown: usize = found.iter().map(|f| f.0).sum();
    let silent: Vec<String> = found.into_iter().flat_map(|f| f.1).collect();
    println!("{shown} are missed");
    assert!(silent.is_empty(), "{shown} are missed, {} are not:\n{}", silent.len(), silent.join("\n"));
}
