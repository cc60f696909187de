//! Wrong machine code: one changed bit of an image instruction, an interpolation or an export of GCN changes what a case of the
//! shared folder draws, or traps.

use std::collections::BTreeMap;

use gpucc::Target;
use gpucc_container::Container;
use gpucc_render::{Place, Programs};
use gpucc_sim::SplitMix64;
use gpucc_tests::{exec, gfx, shared};

/// Groups whose cases have such instructions.
const GROUPS: [&str; 16] = [
    "base-clamp",
    "blend",
    "builtin",
    "clip",
    "derivative",
    "discard",
    "gather",
    "implicit-lod",
    "interpolation",
    "load",
    "msaa",
    "sample-compare",
    "sample-grad",
    "sample-level",
    "store",
    "target",
];
/// Instructions that a frame may take: a changed branch may never end.
const STEPS: u64 = 20_000_000;
/// Cases that are taken of each group, and changes of each case on each generation.
const CASES: usize = 3;
const CHANGES: usize = 4;

/// Names of kinds, and how the lines of their instructions begin.
type Kinds = &'static [(&'static str, &'static str)];
const DRAWN: Kinds = &[("image", "image_"), ("interpolation", "v_interp_"), ("export", "exp ")];
const WAITS: Kinds = &[("wait", "s_waitcnt")];

/// Kind, first byte and length of the instructions of these kinds.
fn found(c: &Container, generation: usize, kinds: Kinds) -> Vec<(&'static str, usize, usize)> {
    let machine = gpucc_machines::find("gcn").unwrap();
    let code = &c.entries[0].code;
    let listing = (machine.disassemble)(code, generation, gpucc_isa::stage::ALL, &gpucc_isa::Notes::default());
    let (mut list, mut at) = (Vec::new(), 0);
    for line in listing.text.lines().map(|l| l.split(';').next().unwrap().trim()) {
        if line.is_empty() || line.ends_with(':') || line.starts_with('.') && !line.starts_with(".long") {
            continue;
        }
        let branches = line.starts_with("s_branch") || line.starts_with("s_cbranch");
        let assembled = || (machine.assemble)(line, generation, gpucc_isa::stage::ALL, false).unwrap().len();
        let n = if branches { 4 } else { assembled() };
        if let Some(k) = kinds.iter().find(|k| line.starts_with(k.1)) {
            list.push((k.0, at, n));
        }
        at += n;
    }
    assert_eq!(at, code.len(), "{}", listing.text);
    list
}

/// Some cases of each group that the targets run, with the bytes of their outputs.
fn each(mut look: impl FnMut(Target, &str, &dyn Fn() -> Programs, &dyn Fn(&Programs) -> bool)) {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    for group in GROUPS {
        let cases = gfx::read(&folder.join(format!("{group}.json"))).unwrap();
        for case in cases.iter().step_by(cases.len().div_ceil(CASES)) {
            let Ok(ready) = gfx::ready(case, &folder) else { continue };
            for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
                let make = || Programs::new(&ready.file.scene, &ready.shaders, Place::Target(target, 2));
                let Ok(plain) = make() else { continue };
                let draw = |p: &Programs| gfx::outputs(case, &ready, p, STEPS);
                let want = draw(&plain).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                look(target, &case.id, &|| make().unwrap(), &|p| draw(p).is_ok_and(|have| have == want));
            }
        }
    }
}

/// All instructions of these kinds, with the number of their program.
fn places(programs: &mut Programs, target: Target, kinds: Kinds) -> Vec<(usize, (&'static str, usize, usize))> {
    let of = |(k, c): (usize, &mut Container)| {
        found(c, target.generation_index(), kinds).into_iter().map(move |p| (k, p)).collect::<Vec<_>>()
    };
    programs.containers().enumerate().flat_map(of).collect()
}

#[test]
fn a_changed_bit_of_an_instruction_shows() {
    let mut rng = SplitMix64::new(24);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    each(|target, _, make, is_same| {
        let all = places(&mut make(), target, DRAWN);
        for _ in 0..if all.is_empty() { 0 } else { CHANGES } {
            // Each kind as often as the others, where it is there.
            let kind = DRAWN[rng.next_u64() as usize % DRAWN.len()].0;
            let of: Vec<_> = all.iter().filter(|p| p.1.0 == kind).collect();
            let of = if of.is_empty() { all.iter().collect() } else { of };
            let (program, (kind, at, n)) = *of[rng.next_u64() as usize % of.len()];
            let bit = rng.next_u64() as usize % (8 * n);
            let mut programs = make();
            let container = programs.containers().nth(program).unwrap();
            container.entries[0].code[at + bit / 8] ^= 1 << (bit % 8);
            counts.entry(kind).or_default()[usize::from(is_same(&programs))] += 1;
        }
    });
    for (kind, [shown, silent]) in counts {
        println!("{kind}: {shown} of {} changes are noticed", shown + silent);
        assert!(10 * shown >= 8 * (shown + silent), "{kind}: only {shown} of {} are noticed", shown + silent);
    }
}

#[test]
fn a_wait_that_is_left_out_shows() {
    let nop = 0xbf80_0000u32.to_le_bytes();
    let (mut shown, mut silent) = (0, Vec::new());
    each(|target, id, make, is_same| {
        for (program, (_, at, _)) in places(&mut make(), target, WAITS) {
            let mut programs = make();
            let container = programs.containers().nth(program).unwrap();
            container.entries[0].code[at..at + 4].copy_from_slice(&nop);
            if is_same(&programs) {
                silent.push(format!("{id} on {target}, program {program}, byte {at:#x}"));
            } else {
                shown += 1;
            }
        }
    });
    println!("{shown} waits are missed");
    assert!(silent.is_empty(), "{} are not missed, {shown} are:\n{}", silent.len(), silent.join("\n"));
}
