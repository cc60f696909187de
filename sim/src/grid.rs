//! Order of workgroups and of the subgroups inside one, with barriers between.

use crate::rng::SplitMix64;
use crate::trap::{Trap, TrapKind};

/// The workgroup ids of a grid, x fastest, or in an order that the seed picks. Needs no memory however large the grid.
pub fn workgroups(grid: [u32; 3], perturb: Option<u64>) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = grid.map(u128::from);
    let total = x * y * z;
    // i -> i * step + start (mod total) is a permutation when step and total have no common divisor.
    let (step, start) = match perturb {
        Some(seed) if total > 1 => {
            let mut rng = SplitMix64::new(seed ^ 0x6772_6964);
            let bound = u64::try_from(total).unwrap_or(u64::MAX);
            let mut step = u128::from(rng.below(bound)).max(1);
            while gcd(step, total) != 1 {
                step += 1;
            }
            (step % total, u128::from(rng.below(bound)))
        }
        _ => (1, 0),
    };
    let mut at = start;
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == total {
            return None;
        }
        let id = [(at % x) as u32, (at / x % y) as u32, (at / x / y) as u32];
        at = (at + step) % total;
        done += 1;
        Some(id)
    })
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Local invocation id of a local invocation index, x fastest.
#[inline]
pub fn local_id(index: u32, workgroup_size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = workgroup_size.map(|n| n.max(1));
    [index % x, index / x % y, index / x / y]
}

/// Why a subgroup gave control back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It waits at a barrier; the number tells barriers apart (usually the address of the instruction).
    Barrier(u64),
    /// Its time slice is over; it can go on at once. Subgroups that wait for each other through atomics need this.
    Yield,
    /// It ended.
    Done,
}

/// How strict barriers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierRule {
    /// Subgroups that ended count as arrived (GCN hardware); otherwise that is a trap.
    pub ended_arrives: bool,
    /// All subgroups must wait at the same barrier instruction.
    pub same_place: bool,
}

impl BarrierRule {
    /// What WGSL asks for: everybody, at the same barrier.
    pub const STRICT: BarrierRule = BarrierRule { ended_arrives: false, same_place: true };
}

/// Runs the subgroups of one workgroup to their ends and returns how many barriers were passed.
///
/// `run` executes one subgroup until it waits, yields or ends. Without a seed each runs as far as it can, in order;
/// with one the next to run is drawn.
///
/// # Errors
/// Traps of `run`, and barriers that not all subgroups reach.
pub fn run_workgroup<S>(
    subgroups: &mut [S],
    perturb: Option<u64>,
    rule: BarrierRule,
    mut run: impl FnMut(&mut S) -> Result<Stop, Trap>,
) -> Result<u64, Trap> {
    let mut rng = perturb.map(|seed| SplitMix64::new(seed ^ 0x7363_6865));
    let mut ready: Vec<usize> = (0..subgroups.len()).rev().collect();
    let mut waiting: Vec<(usize, u64)> = Vec::new();
    let mut ended = 0_usize;
    let mut barriers = 0;
    loop {
        if let Some(&last) = ready.last() {
            let slot = rng.as_mut().map_or(ready.len() - 1, |r| r.below(ready.len() as u64) as usize);
            let who = if slot + 1 == ready.len() { last } else { ready[slot] };
            match run(&mut subgroups[who])? {
                Stop::Yield => {
                    // Go to the other end of the queue, so that everybody gets a turn.
                    ready.remove(slot);
                    ready.insert(0, who);
                }
                Stop::Barrier(place) => {
                    ready.remove(slot);
                    waiting.push((who, place));
                }
                Stop::Done => {
                    ready.remove(slot);
                    ended += 1;
                }
            }
            continue;
        }
        let Some(&(_, place)) = waiting.first() else { return Ok(barriers) };
        if ended > 0 && !rule.ended_arrives {
            return Err(Trap::new(
                TrapKind::Barrier,
                format!("{} subgroups wait at a barrier at 0x{place:x}, {ended} have ended", waiting.len()),
            ));
        }
        if let Some(&(_, other)) = waiting.iter().find(|w| rule.same_place && w.1 != place) {
            return Err(Trap::new(
                TrapKind::Barrier,
                format!("subgroups wait at different barriers, at 0x{place:x} and at 0x{other:x}"),
            ));
        }
        barriers += 1;
        ready.extend(waiting.drain(..).map(|w| w.0));
        ready.sort_unstable_by(|a, b| b.cmp(a));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn play(scripts: &[&[Stop]], rule: BarrierRule, seed: Option<u64>) -> Result<u64, Trap> {
        let mut state: Vec<_> = scripts.iter().map(|s| s.iter()).collect();
        run_workgroup(&mut state, seed, rule, |s| Ok(*s.next().unwrap_or(&Stop::Done)))
    }

    #[test]
    fn barriers_and_their_faults() {
        use Stop::{Barrier, Yield};
        for seed in [None, Some(1), Some(2)] {
            let ok: &[&[Stop]] = &[&[Barrier(8), Yield, Barrier(8)], &[Yield, Barrier(8), Barrier(8)]];
            assert_eq!(play(ok, BarrierRule::STRICT, seed), Ok(2));
            let ended: &[&[Stop]] = &[&[Barrier(8)], &[]];
            assert_eq!(play(ended, BarrierRule::STRICT, seed).unwrap_err().kind, TrapKind::Barrier);
            assert_eq!(play(ended, BarrierRule { ended_arrives: true, same_place: true }, seed), Ok(1));
            let apart: &[&[Stop]] = &[&[Barrier(8)], &[Barrier(16)]];
            assert!(play(apart, BarrierRule::STRICT, seed).unwrap_err().message.contains("different barriers"));
        }
    }
}
