//! Tests of required and optional sections of a container: optional sections change nothing, missing code does.

use gpucc::{Options, Target};
use gpucc_container::{Container, SECTION_OPTIONAL, sections, without};
use gpucc_isa::{Notes, stage};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec;
use gpucc_tests::shared::workspace;

fn vecadd(target: Target) -> Vec<u8> {
    let source = std::fs::read_to_string(workspace().join("examples/vecadd.wgsl")).expect("an example");
    let module = exec::lower(&source, "main", &[]).expect("vecadd lowers");
    gpucc::compile(&module, &Options::new(target)).expect("vecadd compiles").bytes()
}

fn dispatch() -> Dispatch {
    Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1, 2, 3, 4]).with_u32(0, 1, &[10, 20, 30, 40]).with_u32(0, 2, &[0; 4])
}

fn run(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let c = Container::read(bytes).map_err(|e| e.to_string())?;
    let mut d = dispatch();
    gpucc_machines::run(&c, None, &mut d, &RunOptions::default()).map_err(|t| t.to_string())?;
    Ok(d.words(0, 2).unwrap_or_default())
}

#[test]
fn optional_sections_change_nothing() {
    for target in exec::targets("all") {
        let bytes = vecadd(target);
        assert_eq!(run(&bytes), Ok(vec![11, 22, 33, 44]), "{target}");
        let list = sections(&bytes).expect("our own container reads");
        let optional: Vec<_> = list.iter().filter(|s| s.flags & SECTION_OPTIONAL != 0).map(|s| s.tag).collect();
        assert!(!optional.is_empty(), "{target} writes statistics at least");
        let mut rest = bytes.clone();
        for tag in optional {
            rest = without(&rest, |s| s.tag == tag).expect("an optional section can be removed");
            assert_eq!(run(&rest), Ok(vec![11, 22, 33, 44]), "{target} without {tag:?}");
        }
        let left = sections(&rest).expect("what is left reads");
        assert!(left.iter().all(|s| s.flags & SECTION_OPTIONAL == 0), "{target}");
    }
}

#[test]
fn zeroed_code_traps() {
    for target in exec::targets("all:all") {
        let mut c = Container::read(&vecadd(target)).expect("our own container reads");
        c.entries[0].code.fill(0);
        let result = run(&c.write());
        assert!(result.is_err(), "{target}: zeroed code ran and left {:?}", result.unwrap_or_default());
    }
}

#[test]
fn there_is_no_source_and_no_ir_in_it() {
    for target in exec::targets("all") {
        let bytes = vecadd(target);
        for needle in ["arrayLength", "@compute", "block0", "iadd", "@builtin(global_invocation_id)"] {
            let found = bytes.windows(needle.len()).any(|w| w == needle.as_bytes());
            assert!(!found, "{target}: the container holds `{needle}`");
        }
    }
}

/// Lines 5, 6 and 8 compute and store, the others are declarations.
const LINES: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let y = x * 1.7 + 0.25;
    // Stored at last.
    o[i] = y;
}
";

#[test]
fn line_tables_lead_to_the_source() {
    let module = exec::lower(LINES, "main", &[]).expect("the shader lowers");
    for target in exec::targets("all:all") {
        for level in [0, 2] {
            let artifact = gpucc::compile(&module, &Options::new(target).opt(level)).expect("the shader compiles");
            let bytes = artifact.bytes();
            let c = Container::read(&bytes).expect("our own container reads");
            let e = &c.entries[0];
            assert!(e.lines.windows(2).all(|w| w[0].pc < w[1].pc), "{target}: rows are sorted by address");
            assert!(e.lines.iter().all(|l| (l.pc as usize) < e.code.len()), "{target}: {:?}", e.lines);
            let known = [5, 6, 8];
            assert!(e.lines.iter().all(|l| known.contains(&l.line) && l.column >= 5), "{target}: {:?}", e.lines);
            // The code of the line of the store has the store.
            let m = gpucc_machines::find(target.family()).expect("a machine");
            let of_line = |line: u32| {
                let ends = e.lines.iter().skip(1).map(|l| l.pc as usize).chain([e.code.len()]);
                let parts = e.lines.iter().zip(ends).filter(|(l, _)| l.line == line);
                let text = |(from, end): (usize, usize)| {
                    // Each part at its own alignment: what Tesla's long instructions ask for.
                    let code = [&vec![0; from % 8], &e.code[from..end]].concat();
                    let g = target.generation_index();
                    (m.disassemble)(&code, g, stage::CS, &Notes::default()).text.to_lowercase()
                };
                parts.map(|(l, end)| text((l.pc as usize, end))).collect::<String>()
            };
            let store = if target.family() == "tesla" { "st b32" } else { "store" };
            assert!(of_line(8).contains(store), "{target} -O{level}: {}\n{}", of_line(8), artifact.listing());
            let arithmetic = of_line(6);
            assert!(["mul", "mad", "fma", "add"].iter().any(|w| arithmetic.contains(w)), "{target}: {arithmetic}");
        }
    }
}
