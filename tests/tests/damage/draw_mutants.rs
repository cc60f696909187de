//! Wrong machine code: one changed bit of an instruction that samples, interpolates or exports changes what a case of the shared
//! folder draws, or traps; so does a wait that is left out, and a changed bit of what a program asks of the hardware's registers.

use std::collections::BTreeMap;

use gpucc::Target;
use gpucc_container::Container;
use gpucc_render::{Place, Programs};
use gpucc_sim::SplitMix64;
use gpucc_tests::{gfx, shared};

use crate::draws::drawing::{self, Drawing, Kinds, Placed};

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
const CHANGES: usize = 16;

/// Some cases of each group that the targets run, with the bytes of their outputs.
/// A test changes the programs, asks whether the picture is the same, and undoes the change: nothing is compiled again.
fn each(mut look: impl FnMut(&Drawing, Target, &str, &mut Programs, &dyn Fn(&Programs) -> bool)) {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    for group in GROUPS {
        let cases = gfx::read(&folder.join(format!("{group}.json"))).unwrap();
        for case in cases.iter().step_by(cases.len().div_ceil(CASES)) {
            let Ok(ready) = gfx::ready(case, &folder) else { continue };
            for (row, target) in drawing::with_row().into_iter().filter(|(d, _)| d.held.mutants) {
                let place = Place::Target(target, 2);
                let Ok(mut programs) = Programs::new(&ready.file.scene, &ready.shaders, place) else { continue };
                let draw = |p: &Programs| gfx::outputs(case, &ready, p, STEPS);
                let want = draw(&programs).unwrap_or_else(|e| panic!("{}: {e}", case.id));
                look(row, target, &case.id, &mut programs, &|p| draw(p).is_ok_and(|have| have == want));
            }
        }
    }
}

/// All instructions of these kinds, with the number of their program.
fn places(
    programs: &mut Programs,
    target: Target,
    kinds: Kinds,
    gives: fn(&str) -> bool,
) -> Vec<(usize, &'static str, Placed)> {
    let of = |(k, c): (usize, &mut Container)| {
        let kind = |text: &str| kinds.iter().find(|x| text.starts_with(x.1) && gives(text)).map(|x| x.0);
        let all = drawing::instructions(c, target).into_iter();
        all.filter_map(|i| Some((k, kind(&i.text)?, i))).collect::<Vec<_>>()
    };
    programs.containers().enumerate().flat_map(of).collect()
}

#[test]
fn a_changed_bit_of_an_instruction_shows() {
    // Each family has numbers of its own: a new one changes nothing for the others.
    let mut rngs: BTreeMap<&str, SplitMix64> = BTreeMap::new();
    let mut counts: BTreeMap<(&str, &str), [usize; 2]> = BTreeMap::new();
    each(|row, target, _, programs, is_same| {
        let all = places(programs, target, row.kinds, row.gives);
        let rng = rngs.entry(row.family).or_insert_with(|| SplitMix64::new(24));
        for _ in 0..if all.is_empty() { 0 } else { CHANGES } {
            // Each kind as often as the others, where it is there.
            let kind = row.kinds[rng.next_u64() as usize % row.kinds.len()].0;
            let of: Vec<_> = all.iter().filter(|p| p.1 == kind).collect();
            let of = if of.is_empty() { all.iter().collect() } else { of };
            let (program, kind, i) = of[rng.next_u64() as usize % of.len()];
            let bit = rng.next_u64() as usize % (8 * i.size);
            let plain = programs.containers().nth(*program).unwrap().entries[0].code[i.at..i.at + i.size].to_vec();
            let mut changed = plain.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            if (row.waits_for_more)(&plain, &changed) {
                continue;
            }
            let put = |programs: &mut Programs, bytes: &[u8]| {
                let container = programs.containers().nth(*program).unwrap();
                container.entries[0].code[i.at..i.at + i.size].copy_from_slice(bytes);
            };
            put(programs, &changed);
            counts.entry((row.family, kind)).or_default()[usize::from(is_same(programs))] += 1;
            put(programs, &plain);
        }
    });
    for ((family, kind), [shown, silent]) in counts {
        println!("{family}, {kind}: {shown} of {} changes are noticed", shown + silent);
        assert!(10 * shown >= 8 * (shown + silent), "{family}, {kind}: only {shown} of {} are noticed", shown + silent);
    }
}

#[test]
fn a_changed_bit_of_a_state_word_shows() {
    let mut rng = SplitMix64::new(25);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut quiet: BTreeMap<(&str, u16, u32, u32), usize> = BTreeMap::new();
    each(|row, _, _, programs, is_same| {
        if !row.held.state {
            return;
        }
        let words = |(k, c): (usize, &mut Container)| {
            let one = |n: usize, mask: u32| (0..32).filter(move |b| mask >> b & 1 == 1).map(move |b| (k, n, b));
            c.entries[0].state.iter().enumerate().flat_map(|(n, w)| one(n, w.mask)).collect::<Vec<_>>()
        };
        let all: Vec<_> = programs.containers().enumerate().flat_map(words).collect();
        for _ in 0..if all.is_empty() { 0 } else { CHANGES } {
            let (program, word, bit) = all[rng.next_u64() as usize % all.len()];
            let flip = |programs: &mut Programs| {
                let w = &mut programs.containers().nth(program).unwrap().entries[0].state[word];
                w.value ^= 1 << bit;
                (row.family, w.space, w.register, bit)
            };
            let place = flip(programs);
            let same = is_same(programs);
            flip(programs);
            counts.entry(row.family).or_default()[usize::from(same)] += 1;
            *quiet.entry(place).or_default() += usize::from(same);
        }
    });
    for (family, [shown, silent]) in counts {
        println!("{family}: {shown} of {} changes of state words are noticed", shown + silent);
        let quiet: Vec<_> = quiet.iter().filter(|q| q.0.0 == family && *q.1 > 0).collect();
        println!("{family}: space, register and bit of those that are not: {quiet:x?}");
        assert!(20 * shown >= 19 * (shown + silent), "{family}: only {shown} of {}: {quiet:x?}", shown + silent);
    }
}

#[test]
fn a_wait_that_is_left_out_shows() {
    let (mut shown, mut silent) = (0, Vec::new());
    each(|row, target, id, programs, is_same| {
        let all = places(programs, target, &[("any", "")], row.gives);
        for (program, _, i) in all {
            let code = |programs: &mut Programs, bytes: &[u8]| {
                let container = programs.containers().nth(program).unwrap();
                container.entries[0].code[i.at..i.at + i.size].copy_from_slice(bytes);
            };
            let container = programs.containers().nth(program).unwrap();
            let plain = container.entries[0].code[i.at..i.at + i.size].to_vec();
            let mut without = plain.clone();
            if !(row.leave_wait_out)(&mut without) {
                continue;
            }
            code(programs, &without);
            let same = is_same(programs);
            code(programs, &plain);
            if same {
                silent.push(format!("{id} on {target}, program {program}, byte {:#x}", i.at));
            } else {
                shown += 1;
            }
        }
    });
    println!("{shown} waits are missed");
    assert!(silent.is_empty(), "{} are not missed, {shown} are:\n{}", silent.len(), silent.join("\n"));
}
