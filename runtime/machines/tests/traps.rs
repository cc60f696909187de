//! Tests of runs that were stopped: the buffers hold what was written until then, on every machine. A launch
//! that is refused changes nothing.

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source};
use gpucc_machines::find;
use gpucc_sim::{Dispatch, RunOptions, TrapKind};

/// A program that stores 7 to word 1 of its buffer and never ends.
struct Case {
    family: &'static str,
    generation: &'static str,
    listing: &'static str,
    subgroup_size: u32,
    registers: &'static [(u8, u16)],
    family_words: &'static [u32],
    preloads: &'static [Preload],
}

const fn preload(file: u8, index: u16, source: Source) -> Preload {
    Preload { file, lane: 0, index, source }
}

const fn word(word: u16) -> Preload {
    preload(0, word, Source::DescriptorWord { group: 0, binding: 0, word })
}

const LOW: Source = Source::BufferAddressLo { group: 0, binding: 0 };
const HIGH: Source = Source::BufferAddressHi { group: 0, binding: 0 };

const CASES: [Case; 4] = [
    Case {
        family: "valhall",
        generation: "v10",
        listing: "MOV.i32 r0, u0
            STORE.i32.slot2 @r0, u2, offset:4
            loop: BRANCHZ.eq 0x0, offset:loop
            NOP.end",
        subgroup_size: 16,
        registers: &[(0, 32)],
        family_words: &[],
        preloads: &[preload(0x80, 0, Source::Const(7)), preload(0x80, 2, LOW), preload(0x80, 3, HIGH)],
    },
    Case {
        family: "tesla",
        generation: "nva3",
        listing: "mov b32 $r0 0x7
            mov b32 $r1 0x4
            st b32 g0[$r1] $r0
            loop: bra loop
            exit nop",
        subgroup_size: 32,
        registers: &[(0, 2)],
        family_words: &[],
        preloads: &[],
    },
    Case {
        family: "gcn",
        generation: "gfx8",
        listing: "v_mov_b32_e32 v0, 7
            buffer_store_dword v0, off, s[0:3], 0 offset:4
            loop: s_branch loop
            s_endpgm",
        subgroup_size: 64,
        registers: &[(0, 10), (1, 1)],
        family_words: &[2_883_648, 16],
        preloads: &[word(0), word(1), word(2), word(3)],
    },
    Case {
        family: "vivante",
        generation: "gc3000",
        listing: "store.denorm.u32 mem.x___, u0.xxxx, 4, 7
            loop: branch void, void, void, loop",
        subgroup_size: 1,
        registers: &[(0, 1), (0x80, 1)],
        family_words: &[],
        preloads: &[preload(0x80, 0, LOW)],
    },
];

fn container(c: &Case) -> Container {
    let machine = find(c.family).expect("a family");
    let generation = machine.generations.iter().position(|g| *g == c.generation).expect("a generation");
    let code = (machine.assemble)(c.listing, generation, gpucc_isa::stage::CS, false);
    let code = code.unwrap_or_else(|e| panic!("{}: {}", c.family, e[0]));
    let meta = Meta {
        workgroup_size: [1; 3],
        subgroup_size: c.subgroup_size,
        registers: c.registers.to_vec(),
        family_words: c.family_words.to_vec(),
        ..Meta::default()
    };
    let buffer = Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, 0), 0);
    let resources = vec![Resource { min_size: 8, ..buffer }];
    let entry = Entry { code, meta, resources, preloads: c.preloads.to_vec(), ..Entry::default() };
    Container::of(c.family, c.generation, vec![entry])
}

#[test]
fn buffers_hold_what_was_written_before_a_trap() {
    for c in &CASES {
        for perturb in [None, Some(1), Some(2)] {
            // One that the program does not use is left alone.
            let mut d = Dispatch::new([2, 1, 1]).with_u32(3, 0, &[9]).with_u32(0, 0, &[1, 2, 3]);
            let options = RunOptions { perturb, step_limit: 10_000, ..RunOptions::default() };
            let trap = gpucc_machines::run(&container(c), None, &mut d, &options).expect_err("it never ends");
            assert_eq!(trap.kind, TrapKind::StepLimit, "{}: {trap}", c.family);
            assert_eq!(d.words(0, 0), Some(vec![1, 7, 3]), "{}", c.family);
            assert_eq!(d.words(3, 0), Some(vec![9]), "{}", c.family);
        }
    }
}

#[test]
fn refused_launches_leave_the_buffers() {
    for c in &CASES {
        let refused = |kind: TrapKind, container: Container, name: Option<&str>, dispatch: Dispatch| {
            let mut d = dispatch.clone();
            let trap = gpucc_machines::run(&container, name, &mut d, &RunOptions::default()).expect_err("refused");
            assert_eq!(trap.kind, kind, "{}: {trap}", c.family);
            assert_eq!(d, dispatch, "{}: {trap}", c.family);
        };
        let good = Dispatch::new([1; 3]).with_u32(0, 0, &[1, 2]);
        refused(TrapKind::Dispatch, container(c), None, Dispatch::new([1; 3]).with_u32(0, 0, &[1]));
        refused(TrapKind::Dispatch, container(c), None, Dispatch::new([1; 3]));
        refused(TrapKind::Container, container(c), Some("other"), good.clone());
        let mut changed = container(c);
        changed.entries[0].meta.workgroup_size = [1, 0, 1];
        refused(TrapKind::Container, changed, None, good.clone());
        let mut changed = container(c);
        changed.generation = "none".into();
        refused(TrapKind::Container, changed, None, good.clone());
        let mut changed = container(c);
        changed.entries.push(changed.entries[0].clone());
        refused(TrapKind::Container, changed, None, good.clone());
        let mut changed = container(c);
        changed.entries[0].resources[0].kind = ResourceKind::Texture;
        refused(TrapKind::Dispatch, changed, None, good.clone());
        // Of the family: a word that it cannot supply.
        let mut changed = container(c);
        changed.entries[0].preloads.push(preload(0x80, 7, Source::SubgroupId));
        refused(TrapKind::Container, changed, None, good);
    }
}
