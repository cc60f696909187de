//! Tests of `sim/src/grid.rs`.

use gpucc_sim::RunOptions;
use gpucc_sim::grid::*;
use gpucc_sim::memory::Memory;
use gpucc_sim::race::RaceCheck;
use gpucc_sim::trap::{Trap, TrapKind};

#[test]
fn every_workgroup_once_in_any_order() {
    let plain: Vec<_> = workgroups([3, 2, 2], None).collect();
    assert_eq!(plain[..4], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
    for seed in 0..50 {
        let mut ids: Vec<_> = workgroups([3, 2, 2], Some(seed)).collect();
        ids.sort_by_key(|&[x, y, z]| (z, y, x));
        assert_eq!(ids, plain);
    }
    assert!((0..50).any(|seed| workgroups([3, 2, 2], Some(seed)).collect::<Vec<_>>() != plain));
    assert_eq!(workgroups([0, 5, 1], Some(3)).count(), 0);
    assert_eq!(workgroups([u32::MAX; 3], Some(3)).take(3).count(), 3);
    assert_eq!(local_id(7, [2, 2, 3]), [1, 1, 1]);
}

fn with(perturb: Option<u64>) -> RunOptions {
    RunOptions { perturb, ..RunOptions::default() }
}

/// Each subgroup counts its instructions down; the first of a workgroup waits for the other workgroup, if it is to.
#[derive(Default)]
struct Count {
    now: usize,
    trace: Vec<(usize, u32)>,
    time_slices: Vec<u32>,
    wait: bool,
    done: [bool; 2],
    barriers: u32,
}

impl Machine for Count {
    type Subgroup = (usize, u32, u32, bool);

    fn start(&mut self, slot: usize, number: u64, _: [u32; 3], s: &mut Vec<Self::Subgroup>) -> Result<(), Trap> {
        self.now = slot;
        s.clear();
        s.extend((0..2).map(|i| (number as usize, i, 40, false)));
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        self.now = slot;
    }

    fn run(&mut self, s: &mut Self::Subgroup, time_slice: u32) -> Result<RunState, Trap> {
        self.trace.push((s.0, s.1));
        self.time_slices.push(time_slice);
        if self.wait && s.1 == 0 && s.0 == 0 && !self.done[1] {
            return Ok(RunState::Yield);
        }
        s.2 = s.2.saturating_sub(time_slice);
        match (s.2, s.3) {
            (0, true) => {
                self.done[s.0 % 2] = true;
                Ok(RunState::Done)
            }
            (0, false) => {
                (s.2, s.3) = (100, true);
                Ok(RunState::Barrier(8))
            }
            _ => Ok(RunState::Yield),
        }
    }

    fn passed_barrier(&mut self) {
        self.barriers += 1;
    }
}

#[test]
fn plain_runs_go_in_order() {
    let mut m = Count::default();
    assert_eq!(run_grid(&mut m, [2, 1, 1], &with(None), BarrierRule::STRICT), Ok(2));
    assert_eq!(m.trace, [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1)]);
    assert_eq!(m.barriers, 2);
}

#[test]
fn a_seed_mixes_workgroups_down_to_single_instructions() {
    let mut m = Count::default();
    assert_eq!(run_grid(&mut m, [2, 1, 1], &with(Some(4)), BarrierRule::STRICT), Ok(2));
    assert!(m.time_slices.contains(&1) && m.time_slices.iter().any(|&t| t > 16));
    let mixed = m.trace.windows(3).any(|w| w[0].0 != w[1].0 && w[1].0 != w[2].0);
    assert!(mixed, "{:?}", m.trace);
}

#[test]
fn who_waits_for_another_workgroup_gets_it() {
    for seed in [None, Some(1), Some(2)] {
        let mut m = Count { wait: true, ..Count::default() };
        assert_eq!(run_grid(&mut m, [2, 1, 1], &with(seed), BarrierRule::STRICT), Ok(2), "{seed:?}");
    }
}

#[test]
fn each_slot_finds_its_own_memory() {
    let mut memory = Memory::new();
    let mut races = RaceCheck::default();
    let id = memory.alloc_undefined("own", 4, None);
    let mut own = OwnMemory::new(vec![id]);
    for slot in [0, 1, 2] {
        own.enter(slot, &mut memory, &mut races);
        memory.store_u32(id, 0, slot as u32).unwrap();
    }
    for slot in [1, 0, 0, 2, 1] {
        own.enter(slot, &mut memory, &mut races);
        assert_eq!(memory.load_u32(id, 0), Ok(slot as u32));
    }
}

/// Subgroups of one workgroup that do what is written down, then end.
struct Play<'a>(&'a [&'a [RunState]]);

impl<'a> Machine for Play<'a> {
    type Subgroup = std::slice::Iter<'a, RunState>;

    fn start(&mut self, _: usize, _: u64, _: [u32; 3], s: &mut Vec<Self::Subgroup>) -> Result<(), Trap> {
        s.extend(self.0.iter().map(|s| s.iter()));
        Ok(())
    }

    fn enter(&mut self, _: usize) {}

    fn run(&mut self, s: &mut Self::Subgroup, _: u32) -> Result<RunState, Trap> {
        Ok(*s.next().unwrap_or(&RunState::Done))
    }

    fn passed_barrier(&mut self) {}
}

fn play(scripts: &[&[RunState]], rule: BarrierRule, seed: Option<u64>) -> Result<u64, Trap> {
    run_grid(&mut Play(scripts), [1; 3], &with(seed), rule)
}

#[test]
fn barriers_and_their_faults() {
    use RunState::{Barrier, Yield};
    for seed in [None, Some(1), Some(2)] {
        let ok: &[&[RunState]] = &[&[Barrier(8), Yield, Barrier(8)], &[Yield, Barrier(8), Barrier(8)]];
        assert_eq!(play(ok, BarrierRule::STRICT, seed), Ok(2));
        let ended: &[&[RunState]] = &[&[Barrier(8)], &[]];
        assert_eq!(play(ended, BarrierRule::STRICT, seed).unwrap_err().kind, TrapKind::Barrier);
        assert_eq!(play(ended, BarrierRule { ended_arrives: true, same_place: true }, seed), Ok(1));
        let apart: &[&[RunState]] = &[&[Barrier(8)], &[Barrier(16)]];
        assert!(play(apart, BarrierRule::STRICT, seed).unwrap_err().message.contains("different barriers"));
    }
}
