//! What a container must hold and what it need not: optional sections change nothing, missing code does.

use gpucc::{Options, Target};
use gpucc_container::{Container, SECTION_OPTIONAL, sections, without};
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
    for target in Target::parse_list("all").expect("all families") {
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
    for target in Target::parse_list("all:all").expect("all targets") {
        let mut c = Container::read(&vecadd(target)).expect("our own container reads");
        c.entries[0].code.fill(0);
        let result = run(&c.write());
        // Vivante's zero word is a NOP and a program ends when it runs out: nothing is stored, nothing is computed.
        match result {
            Err(_) => {}
            Ok(words) => panic!("{target}: zeroed code ran and left {words:?}"),
        }
    }
}

#[test]
fn there_is_no_source_and_no_ir_in_it() {
    for target in Target::parse_list("all").expect("all families") {
        let bytes = vecadd(target);
        for needle in ["arrayLength", "@compute", "block0", "iadd", "global_invocation_id"] {
            let found = bytes.windows(needle.len()).any(|w| w == needle.as_bytes());
            assert!(!found, "{target}: the container holds `{needle}`");
        }
    }
}
