//! Programs of one entry made into an entry of the container.

use gpucc_container::{LineEntry, Meta, ProgramRole, RaceMark, StateWord};
use gpucc_driver::EmittedProgram;
use gpucc_driver::programs::{Part, join};

fn part(role: ProgramRole, size: usize, register: u32, value: u32) -> Part {
    let emitted = EmittedProgram {
        code: vec![size as u8; size],
        data: vec![7; size / 8],
        meta: Meta { registers: vec![(0, size as u16), (1, 3)], scratch_bytes: 64 - size as u32, ..Meta::default() },
        state: vec![StateWord { space: 0, register, value, mask: 0xff }],
        stats: vec![("instructions", size as u64), ("registers", size as u64), ("waves", 100 - size as u64)],
        ..EmittedProgram::default()
    };
    let lines = vec![LineEntry { pc: 0, line: 3, column: 1 }, LineEntry { pc: 8, line: size as u32, column: 2 }];
    Part { role, emitted, lines, races: vec![RaceMark::atomic(8)], variables: Vec::new() }
}

#[test]
fn programs_lie_one_behind_the_other() {
    let parts = || vec![part(ProgramRole::Position, 16, 1, 5), part(ProgramRole::Varying, 24, 2, 6)];
    let e = join(parts()).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!((e.code.len(), e.data.len()), (40, 19), "constant bytes begin at multiples of 16");
    assert_eq!(e.meta.registers, [(0, 24), (1, 3)]);
    assert_eq!(e.meta.scratch_bytes, 48);
    let stats: Vec<(&str, u64)> = e.stats.iter().map(|s| (&*s.0, s.1)).collect();
    assert_eq!(stats, [("instructions", 40), ("registers", 24), ("waves", 76)]);
    assert_eq!(e.lines.iter().map(|l| (l.pc, l.line)).collect::<Vec<_>>(), [(0, 3), (8, 16), (16, 3), (24, 24)]);
    assert_eq!(e.races.as_deref(), Some(&[8, 24].map(RaceMark::atomic)[..]));
    assert_eq!(e.state.len(), 2);
    // Each comes back as it was.
    for ((role, got), want) in e.parts().into_iter().zip(parts()) {
        assert_eq!((role, &got.code, &got.data), (want.role, &want.emitted.code, &want.emitted.data));
        assert_eq!((&got.lines, got.races.as_ref()), (&want.lines, Some(&want.races)));
        assert_eq!((&got.meta, &got.preloads), (&want.emitted.meta, &want.emitted.preloads));
    }
    // One program is what it is.
    let one = join(parts().into_iter().take(1).collect()).unwrap_or_else(|d| panic!("{d}"));
    assert!(one.programs.is_empty() && one.meta.registers[0] == (0, 16));
}

#[test]
fn programs_that_want_one_register_differently_are_a_bug() {
    let with = |value| join(vec![part(ProgramRole::Position, 16, 1, 5), part(ProgramRole::Varying, 24, 1, value)]);
    assert_eq!(with(5).map(|e| e.state.len()).ok(), Some(1));
    assert!(with(6).is_err());
}
