//! Races are found on every family and by the interpreter of the IR, whatever the order of the run, and nothing that is free of them traps.

use gpucc::CodegenOptions;
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, Races, RunOptions};
use gpucc_tests::exec::{self, For, On, Problem};

/// Without a seed, and with three.
const SEEDS: [Option<u64>; 4] = [None, Some(1), Some(2), Some(3)];

const HEAD: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> cells: array<atomic<u32>>;
var<workgroup> tile: array<u32, 128>;
var<workgroup> flag: u32;
var<workgroup> pairs: array<array<u32, 4>, 8>;
struct Inner { a: u32, b: array<u32, 6> }
var<workgroup> inner: array<Inner, 2>;
var<workgroup> ticks: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> lists: array<array<u32, 4>>;
";

struct Case {
    name: &'static str,
    /// Behind `fn main(...)`; there are `i` (local index), `w` (workgroup) and `g` (global id).
    body: &'static str,
    size: u32,
    grid: u32,
    /// Words of `data`.
    words: u32,
}

fn case(name: &'static str, size: u32, grid: u32, body: &'static str) -> Case {
    Case { name, body, size, grid, words: 512 }
}

/// Cases as text: their names, sizes of workgroups, numbers of workgroups and, where they are not 512, words of `data`; then the bodies.
fn cases(text: &'static str) -> impl Iterator<Item = Case> {
    text.split("\n== ").skip(1).map(|t| {
        let (head, body) = t.split_once('\n').expect("a head and a body");
        let (name, numbers) = head.split_once(": ").expect("a name and numbers");
        let mut numbers = numbers.split(' ').map(|n| n.parse().expect(name));
        let (size, grid) = (numbers.next().expect(name), numbers.next().expect(name));
        Case { words: numbers.next().unwrap_or(512), ..case(name, size, grid, body) }
    })
}

fn module(c: &Case) -> Module {
    let args = "@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) wid: vec3u, @builtin(global_invocation_id) gid: vec3u";
    let text = format!(
        "{HEAD}@compute @workgroup_size({}) fn main({args}) {{ let w = wid.x; let g = gid.x;\n{}\n}}",
        c.size, c.body
    );
    exec::lower(&text, "main", &[]).unwrap_or_else(|e| panic!("{}: {e}", c.name))
}

fn dispatch(c: &Case) -> Dispatch {
    Dispatch::new([c.grid, 1, 1])
        .with_u32(0, 0, &vec![0; c.words as usize])
        .with_u32(0, 1, &[0; 64])
        .with_u32(0, 2, &[0; 16])
}

fn run(c: &Case, module: &Module, on: On, level: u8, perturb: Option<u64>, races: Races) -> Result<Dispatch, Problem> {
    let mut d = dispatch(c);
    let options = RunOptions { perturb, races, ..RunOptions::default() };
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    exec::run(module, "main", on, &codegen, &mut d, &options).map(|_| d)
}

fn machines() -> impl Iterator<Item = On> {
    exec::targets("all").into_iter().map(exec::on)
}

/// Everywhere that a shader runs, with the levels that make a difference there.
fn places(levels: &[u8]) -> impl Iterator<Item = (On, u8)> {
    let on = |on: On| levels.iter().map(move |level| (on, *level));
    machines().flat_map(on).chain([(On::Interp, 0), (On::Passes(For::Poor), 2)])
}

const RACY: &str = include_str!("racy.txt");

const RIGHT: &str = include_str!("race_free.txt");

/// Accesses that are out of bounds: WGSL lets them land where they may, which is no race.
const ASTRAY: &str = "
== an array in a runtime array: 64 1
lists[i & 1u][i] = i; data[i] = lists[2][i + 3u];
== stores behind the end of a buffer: 64 3 100
data[g + 90u] = g + data[g + 200u];
== stores behind the end of an array: 64 1
tile[i + 100u] = i; workgroupBarrier(); data[i] = tile[i * 3u];
== an array in an array: 64 1
pairs[i][i] = i; workgroupBarrier(); data[i] = pairs[i + 9u][1]; inner[w].b[i] = i + 1u;
== loads behind the end of an array that change: 64 1
tile[i] = i; tile[i + 64u] = 1u; workgroupBarrier(); let x = tile[i + 70u]; data[i] = x; workgroupBarrier(); tile[i * 2u + 1u] += x;
";

/// Places where a byte or a half that is stored alone is one store; elsewhere it is two atomics of its word, which never race.
fn stores_parts(on: &On) -> bool {
    !on.to_string().starts_with("vivante")
}

/// Halves and bytes race as words do: on the same place, not on the neighbour.
#[test]
fn halves_race_where_they_are_stored() {
    let source = |body: &str| {
        format!(
            "enable f16;\n@group(0) @binding(0) var<storage, read_write> o: array<f16>;\nvar<workgroup> tile: array<f16, 128>;\n\
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        )
    };
    let done = |on: On, level: u8, seed: Option<u64>, body: &str| {
        let m = exec::lower(&source(body), "main", &[]).unwrap_or_else(|e| panic!("{body}: {e}"));
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]);
        let options = RunOptions { perturb: seed, races: Races::Trap, ..RunOptions::default() };
        let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
        exec::run(&m, "main", on, &codegen, &mut d, &options)
    };
    for (on, level) in places(&[0, 2]).filter(|p| stores_parts(&p.0)) {
        for seed in SEEDS {
            for body in [
                "o[i / 32u] = f16(i);",
                "tile[i / 2u] = f16(i); workgroupBarrier(); o[i] = tile[i];",
                "o[i] = f16(i); o[i + 64u] = o[(i + 1u) % 64u];",
            ] {
                let done = done(on, level, seed, body);
                assert!(
                    matches!(&done, Err(Problem::Trap(t)) if t.starts_with("race: ")),
                    "{body} on {on} at -O{level} with {seed:?}: {done:?}"
                );
            }
            for body in [
                "o[i] = f16(i);",
                "tile[i] = f16(i); o[i] = tile[i] + tile[i];",
                "o[i] = f16(i); storageBarrier(); o[i + 64u] = o[(i + 1u) % 64u];",
            ] {
                let done = done(on, level, seed, body);
                assert!(done.is_ok(), "{body} on {on} at -O{level} with {seed:?}: {done:?}");
            }
        }
    }
}

/// SPIR-V tells plain loads from atomic ones: beside atomics of the same word they race, unless the memory is there for it.
#[test]
fn plain_loads_beside_atomics_race() {
    gpucc_glsl::need!("glslangValidator");
    let done = |on: On, name: &str, kind: &str, body: &str| {
        let text = format!(
            "#version 450\n#extension GL_KHR_memory_scope_semantics : require\nlayout(local_size_x = 64) in;\n\
             layout(std430, set = 0, binding = 0) {kind} buffer A {{ uint a[]; }};\n\
             layout(std430, set = 0, binding = 1) buffer B {{ uint b[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationID.x; {body} }}"
        );
        let m = crate::sources::spirv::lowered(&gpucc_glsl::module(&format!("{name}.comp"), "vulkan1.0", &text));
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]).with_u32(0, 1, &[0; 64]);
        exec::run(&m, "main", on, &CodegenOptions::default(), &mut d, &RunOptions::default())
    };
    let load = "atomicLoad(a[0], gl_ScopeDevice, 0, 0)";
    for on in machines().chain([On::Interp]) {
        let races = done(on, "race-load", "", "uint v = a[0]; atomicAdd(a[0], 1u); b[i] = v;");
        assert!(matches!(&races, Err(Problem::Trap(t)) if t.starts_with("race: ")), "{on}: {races:?}");
        let races = done(on, "race-store", "", "a[0] = i; atomicAdd(a[0], 1u);");
        assert!(matches!(&races, Err(Problem::Trap(t)) if t.starts_with("race: ")), "{on}: {races:?}");
        let atomic = done(on, "no-race-load", "", &format!("uint v = {load}; atomicAdd(a[0], 1u); b[i] = v;"));
        assert!(atomic.is_ok(), "{on}: {atomic:?}");
        let told = done(on, "no-race-coherent", "coherent", "uint v = a[0]; atomicAdd(a[0], 1u); b[i] = v;");
        assert!(told.is_ok(), "{on}: {told:?}");
    }
}

/// Invocations that meet on the last element, all in bounds. Where an access out of bounds goes nowhere that is told from
/// those that were sent there (`docs/races.md`).
#[test]
fn races_on_the_last_element() {
    let c = case("the last element", 64, 1, "data[511u + (i >> 6u)] = i;");
    let m = module(&c);
    let gcn = machines().filter(|on| on.to_string().starts_with("gcn"));
    for on in gcn.chain([On::Interp]) {
        for seed in SEEDS {
            let done = run(&c, &m, on, 2, seed, Races::Trap);
            assert!(matches!(&done, Err(Problem::Trap(t)) if t.starts_with("race: ")), "{on} with {seed:?}: {done:?}");
        }
    }
}

/// A constant index is in bounds or not whoever asks: all places tell the last element from what was sent there.
#[test]
fn races_on_the_last_element_by_a_constant_index() {
    let racy = [
        case("the last element", 64, 1, "data[511] = i;"),
        case("the last element of a row of a row", 64, 1, "lists[3][3] = i;"),
        Case { words: 100, ..case("the last element of another length", 64, 2, "data[99] = data[99] + i;") },
    ];
    let free = [
        case("the element behind the last", 64, 1, "data[512] = i;"),
        case("far behind the last", 64, 1, "data[1000] = i; lists[4][3] = i;"),
        Case { words: 100, ..case("behind another length", 64, 2, "data[100] = data[128] + i;") },
    ];
    for c in &racy {
        let m = module(c);
        for (on, level) in places(&[0, 2]) {
            let done = run(c, &m, on, level, None, Races::Trap);
            assert!(
                matches!(&done, Err(Problem::Trap(t)) if t.starts_with("race: ")),
                "{} on {on} at -O{level}: {}",
                c.name,
                done.map_or_else(|p| p.to_string(), |_| "no race".into())
            );
        }
    }
    for c in &free {
        let m = module(c);
        for (on, level) in places(&[0, 1, 2, 3]) {
            let done = run(c, &m, on, level, None, Races::Trap);
            assert!(done.is_ok(), "{} on {on} at -O{level}: {done:?}", c.name);
        }
    }
}

#[test]
fn what_bounds_handling_redirects_is_no_race() {
    for c in cases(ASTRAY) {
        let m = module(&c);
        for (on, level) in places(&[0, 1, 2, 3]) {
            for seed in SEEDS {
                let done = run(&c, &m, on, level, seed, Races::Trap);
                assert!(done.is_ok(), "{} on {on} at -O{level} with {seed:?}: {done:?}", c.name);
            }
        }
    }
}

/// Cases of the shared suites that are said to race do.
#[test]
fn what_is_known_to_race_does() {
    let Some(path) = gpucc_tests::shared::find("conformance/programs.json") else { return };
    let bytes = std::fs::read(path).expect("the cases");
    let all = serde_json::from_slice::<gpucc_tests::cases::CaseFile>(&bytes).expect("the format of cases").cases;
    for (id, _) in gpucc_tests::cases::RACY {
        let case = all.iter().find(|c| c.id == *id).unwrap_or_else(|| panic!("{id} is not a case"));
        let m = exec::lower(&case.wgsl, &case.entry, &case.overrides()).expect("it lowers");
        for (on, _) in places(&[2]) {
            let mut d = case.dispatch().expect("well-formed buffers");
            let done = exec::run(&m, &case.entry, on, &CodegenOptions::default(), &mut d, &RunOptions::default());
            assert!(matches!(&done, Err(Problem::Trap(t)) if t.starts_with("race: ")), "{id} on {on}: {done:?}");
        }
    }
}

#[test]
fn races_trap_whatever_the_order() {
    for c in cases(RACY) {
        let m = module(&c);
        for (on, level) in places(&[0, 2]) {
            for seed in SEEDS {
                match run(&c, &m, on, level, seed, Races::Trap) {
                    Err(Problem::Trap(t)) if t.starts_with("race: ") => {
                        assert!(t.contains(" and at 0x") && t.contains("invocation"), "{}: {t}", c.name);
                    }
                    other => panic!("{} on {on} at -O{level} with {seed:?}: {other:?}", c.name),
                }
            }
        }
    }
}

#[test]
fn what_is_ordered_runs() {
    for c in cases(RIGHT) {
        let m = module(&c);
        for (on, level) in places(&[0, 2]) {
            let mut first = None;
            for seed in SEEDS {
                match run(&c, &m, on, level, seed, Races::Trap) {
                    Ok(d) => {
                        let same = *first.get_or_insert_with(|| d.clone()) == d;
                        assert!(same, "{} on {on} at -O{level} with {seed:?}: another result", c.name);
                    }
                    Err(e) => panic!("{} on {on} at -O{level} with {seed:?}: {e}", c.name),
                }
            }
        }
    }
}
