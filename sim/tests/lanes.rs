//! Tests of `sim/src/lanes.rs`: the same as lane by lane.

use gpucc_sim::dispatch::{Races, RunReport};
use gpucc_sim::lanes::{self, Words};
use gpucc_sim::memory::{AllocId, MemFault, Memory};
use gpucc_sim::race::*;
use gpucc_sim::rng::SplitMix64;
use gpucc_sim::trap::Trap;

/// Where allocation 0 lies.
const BASE: u64 = 0x4000;
const BYTES: u64 = 256;
/// Bytes that lanes may touch: what lies behind belongs to nobody.
const INSIDE: u64 = 248;
const LANES: usize = 32;

#[derive(Clone)]
struct World {
    memory: Memory,
    races: RaceCheck,
}

/// A buffer of which byte 0 to 255 are known, workgroup memory of which nobody knows anything, and a buffer that nobody may store to.
fn world(mode: Races) -> World {
    let mut memory = Memory::new();
    let ids = [
        memory.alloc("buffer", (0..=255).collect::<Vec<u8>>(), true),
        memory.alloc_undefined("workgroup memory", BYTES as usize, None),
        memory.alloc("constants", vec![7; BYTES as usize], false),
    ];
    // At 0x10 the end of the buffer is where clamps lead, at 0x14 plain accesses are atomic ones.
    let rows = [(0x10, RaceCheck::TAIL, 0, [8, 0, 0]), (0x14, RaceCheck::ATOMIC, 0, [0; 3])];
    let mut races = RaceCheck::new(mode, 0x100, Some(rows));
    races.watch(ids[0], BYTES, "buffer", 0);
    races.watch(ids[1], BYTES, "workgroup memory", WORKGROUP);
    races.begin(0, [0, 0, 0]);
    races.begin(1, [1, 0, 0]);
    World { memory, races }
}

type Outcome = Result<Vec<u32>, (usize, Trap)>;

fn one_by_one(world: &mut World, w: &Words<'_>, store: bool, values: &[u32]) -> Outcome {
    let mut out = vec![0; LANES * w.words];
    for lane in (0..LANES).filter(|l| w.lanes >> l & 1 == 1) {
        let (at, by) = (w.addresses[lane].wrapping_sub(w.base), By { lane: w.by.lane + lane as u32, ..w.by });
        let here = |t: Trap| (lane, t);
        let size = 4 * w.words as u32;
        // Machines find the allocation of an address before anything else.
        if at.checked_add(size.into()).is_none_or(|end| end > INSIDE) {
            return Err(here(MemFault::OutOfBounds { offset: at, size, len: INSIDE }.into()));
        }
        let mut bytes: Vec<u8> = (0..w.words).flat_map(|k| values[lane * w.words + k].to_le_bytes()).collect();
        if store {
            world.races.store(&world.memory, w.id, at, &bytes, by).map_err(here)?;
            world.memory.store_bytes(w.id, at, &bytes).map_err(|e| here(e.into()))?;
            continue;
        }
        world.races.load(w.id, at, size, by).map_err(here)?;
        world.memory.load_bytes(w.id, at, &mut bytes).map_err(|e| here(e.into()))?;
        for (k, b) in bytes.chunks(4).enumerate() {
            out[lane * w.words + k] = u32::from_le_bytes(b.try_into().unwrap());
        }
    }
    Ok(out)
}

/// Nothing where lanes have to go one by one.
fn together(world: &mut World, w: &Words<'_>, store: bool, values: &[u32]) -> Option<Outcome> {
    let mut out = vec![0; LANES * w.words];
    let World { memory, races } = world;
    let done = if store {
        lanes::store(memory, races, w, |lane, k| values[lane * w.words + k])
    } else {
        lanes::load(memory, races, w, |lane, k, word| out[lane * w.words + k] = word)
    };
    done.map(|did| did.then_some(out)).transpose()
}

/// Runs instructions that a seed picks in both ways. Gives how many lanes did together, and how many races there were.
fn compare(seed: u64, mode: Races) -> (usize, usize) {
    let mut rng = SplitMix64::new(seed);
    let mut one = world(mode);
    let mut count = (0, 0);
    for step in 0..40 {
        let mut pick = |n: u64| rng.below(n);
        let (id, store, words) = (AllocId(pick(3) as u32), pick(2) == 1, 1 + pick(4) as usize);
        // Most lanes have places of their own, as programs do.
        let (first, stride) = (4 * pick(8), [0, 4, 4 * words as u64, 4 * words as u64 + 4][pick(4) as usize]);
        let odd = if pick(16) == 0 { [1, 250, u64::MAX][pick(3) as usize] } else { 0 };
        let addresses: Vec<u64> = (0..LANES as u64)
            .map(|l| BASE.wrapping_add(first + stride * (l % 8)).wrapping_add(if l == 5 { odd } else { 0 }))
            .collect();
        let lanes = match pick(4) {
            0 => 0xff,
            1 => 1 << pick(8),
            2 => pick(1 << 8) | 1,
            _ => 0xffff_ffff,
        };
        let values: Vec<u32> = (0..LANES * words).map(|_| 0x0302_0100 + 0x0404_0404 * pick(3) as u32).collect();
        let by = By { lane: 32 * pick(2) as u32, pc: [0x0c, 0x10, 0x14, 0x18][pick(4) as usize] };
        one.races.enter(pick(2) as usize);
        if pick(5) == 0 {
            one.races.barrier();
        }
        let mut all = one.clone();
        let before = one.memory.bytes(id).to_vec();
        let w = Words { id, base: BASE, bytes: INSIDE, addresses: &addresses, lanes, words, by };
        let expected = one_by_one(&mut one, &w, store, &values);
        let Some(found) = together(&mut all, &w, store, &values) else {
            assert_eq!(all.memory.bytes(id), before, "seed {seed}, step {step}: nothing happens then");
            if expected.is_err() {
                break;
            }
            continue;
        };
        assert_eq!(format!("{expected:?}"), format!("{found:?}"), "seed {seed}, step {step}: {w:?}");
        count.0 += 1;
        if expected.is_err() {
            count.1 += 1;
            break;
        }
        assert_eq!(one.memory.bytes(id), all.memory.bytes(id), "seed {seed}, step {step}");
        one = all;
    }
    let mut report = RunReport::default();
    one.races.report(&mut report, |_| String::new());
    (count.0, count.1 + report.races.len())
}

#[test]
fn lanes_together_do_what_they_do_one_by_one() {
    for mode in [Races::Trap, Races::Report, Races::Off] {
        let all = (0..2000).map(|seed| compare(seed, mode)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert!(all.0 > 2000, "{mode:?}: only {} went together", all.0);
        assert_eq!(all.1 > 100, mode != Races::Off, "{mode:?}: {} races", all.1);
    }
}

#[test]
fn lanes_of_a_mask_are_visited() {
    let all = |mask: u64| lanes::lanes(mask).collect::<Vec<_>>();
    assert_eq!((all(0), all(1 << 63 | 0b1001)), (vec![], vec![0, 3, 63]));
    assert_eq!(lanes::lanes(0x8001u16).collect::<Vec<_>>(), [0, 15]);
    // Up to so many lanes only those, else all.
    let asked = |mask: u32| {
        let mut seen = 0u32;
        lanes::at_least::<32>(mask, 2, |l| seen |= 1 << l);
        seen
    };
    assert_eq!([asked(0), asked(0x8010), asked(0x8011)], [0, 0x8010, u32::MAX]);
}
