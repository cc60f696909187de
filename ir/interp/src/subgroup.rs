//! Operations between the lanes of a subgroup. The active lanes take part; of fragments that are not live only their values are read.

use crate::alu::Lanes;
use crate::profile::{Absent, Profile};
use crate::program::{DInst, Extra, NO_SLOT};
use gpucc_ir::{Op, Reach, Reduce, ReduceOp};
use gpucc_sim::{SplitMix64, Trap};
use std::cell::Cell;

/// Runs one of these ops. Gives the lanes that read one that is not active.
pub(crate) fn exec(
    profile: &Profile,
    (file, stride): (&mut [u64], usize),
    (active, live): (&[u32], impl Fn(u32) -> bool),
    inst: &DInst,
    values: &mut Vec<Option<u64>>,
) -> Result<Vec<u32>, Trap> {
    let at = |slot: u32, lane: u32| slot as usize * stride + lane as usize;
    match (inst.op, &inst.extra) {
        (Op::Any, _) => {
            let any = active.iter().any(|&l| live(l) && file[at(inst.args[0], l)] != 0);
            active.iter().for_each(|&l| file[at(inst.dst, l)] = any.into());
        }
        (Op::Ballot, _) => {
            let mut words = [0_u32; 4];
            for &l in active.iter().filter(|&&l| live(l) && file[at(inst.args[0], l)] != 0) {
                words[l as usize / 32] |= 1 << (l % 32);
            }
            for (k, word) in (0..).zip(words) {
                active.iter().for_each(|&l| file[at(inst.dst + k, l)] = word.into());
            }
        }
        (Op::LaneRead, _) => {
            let from: Vec<u32> = active.iter().map(|&l| file[at(inst.args[1], l)] as u32).collect();
            for k in 0..inst.n {
                let read = |(&own, &lane): (&u32, &u32)| match active.binary_search(&lane) {
                    Ok(_) => file[at(inst.args[0] + k, lane)],
                    Err(_) => {
                        let held = |l: u32| file[at(inst.args[0] + k, l)];
                        absent(profile.absent, (own, lane, inst.dst + k), stride, held) & inst.to.mask()
                    }
                };
                let got: Vec<u64> = active.iter().zip(&from).map(read).collect();
                active.iter().zip(got).for_each(|(&l, v)| file[at(inst.dst + k, l)] = v);
            }
            let missing = active.iter().zip(from).filter(|(_, lane)| active.binary_search(lane).is_err());
            return Ok(missing.map(|(&l, _)| l).collect());
        }
        (_, &Extra::Reduce(kind)) => {
            let size = if kind.cluster == 0 { u32::MAX } else { kind.cluster.into() };
            let orders = profile.order.filter(|_| matches!(kind.op, ReduceOp::FAdd | ReduceOp::FMul));
            let (there, helpers): (Vec<u32>, Vec<u32>) = active.iter().copied().partition(|&l| live(l));
            for (k, &l) in (0..inst.n).flat_map(|k| helpers.iter().map(move |l| (k, l))) {
                file[at(inst.dst + k, l)] = file[at(inst.args[0] + k, l)];
            }
            for cluster in there.chunk_by(|a, b| a / size == b / size) {
                for k in 0..inst.n {
                    let row: Vec<u64> = cluster.iter().map(|&l| file[at(inst.args[0] + k, l)]).collect();
                    let row = match orders {
                        None => reduce(profile, inst, kind, row, values)?,
                        Some(seed) => in_an_order(profile, inst, kind, &row, (seed, values))?,
                    };
                    cluster.iter().zip(row).for_each(|(&l, v)| file[at(inst.dst + k, l)] = v);
                }
            }
        }
        _ => unreachable!("an op between lanes"),
    }
    Ok(Vec::new())
}

/// The value that lane `own` reads of `lane`, which is not active.
fn absent(kind: Absent, (own, lane, slot): (u32, u32, u32), stride: usize, held: impl Fn(u32) -> u64) -> u64 {
    match kind {
        Absent::Poison => 0xcccc_cccc_cccc_cccc,
        Absent::Zero => 0,
        Absent::Own => held(own),
        Absent::Held => held(lane % stride as u32),
        Absent::Random(seed) => {
            let place = u64::from(slot) << 32 ^ u64::from(own) << 8 ^ u64::from(lane);
            SplitMix64::new(seed << 56 ^ place).next_u64()
        }
    }
}

/// Combines rows of values one by one: each of the first with that of the second.
fn combine(
    profile: &Profile,
    inst: &DInst,
    kind: Reduce,
    (first, second): (&[u64], &[u64]),
    values: &mut Vec<Option<u64>>,
) -> Result<Vec<u64>, Trap> {
    let n = first.len();
    let (op, extra) = (kind.op.op(), Extra::None);
    let one = DInst { op, n: 1, dst: 2, args: [0, 1, NO_SLOT, NO_SLOT], extra, ..inst.clone() };
    let mut file = [first, second, second].concat();
    let active: Vec<u32> = (0..n as u32).collect();
    let cells = Cell::from_mut(&mut file[..]).as_slice_of_cells();
    Lanes { file: cells, active: &active, full: true, stride: n }.exec(&one, profile, values)?;
    Ok(file.split_off(2 * n))
}

/// Values in the order of their lanes: each takes that of 1, 2, 4 ranks before to its own.
fn reduce(
    profile: &Profile,
    inst: &DInst,
    kind: Reduce,
    mut row: Vec<u64>,
    values: &mut Vec<Option<u64>>,
) -> Result<Vec<u64>, Trap> {
    let n = row.len();
    let mut apart = 1;
    while apart < n {
        let both = combine(profile, inst, kind, (&row[..n - apart], &row[apart..]), values)?;
        row.truncate(apart);
        row.extend(both);
        apart *= 2;
    }
    Ok(match kind.reach {
        Reach::All => vec![row[n - 1]; n],
        Reach::Inclusive => row,
        Reach::Exclusive => {
            row.pop();
            row.insert(0, kind.op.identity(inst.scalar));
            row
        }
    })
}

/// The same in an order of its own, and grouped in another way: one after the other from the first or from the last lane, or by a
/// seed two that are left are taken together until there is one.
fn in_an_order(
    profile: &Profile,
    inst: &DInst,
    kind: Reduce,
    row: &[u64],
    (seed, values): (u64, &mut Vec<Option<u64>>),
) -> Result<Vec<u64>, Trap> {
    let mut whole = |part: &[u64]| {
        let mut rng = SplitMix64::new(seed);
        let mut left = part.to_vec();
        if seed % 4 == 1 {
            left.reverse();
        }
        while left.len() > 1 {
            let n = left.len() as u64;
            let (a, b) = if seed.is_multiple_of(2) {
                let a = rng.next_u64() % n;
                (a, (a + 1 + rng.next_u64() % (n - 1)) % n)
            } else {
                (0, 1)
            };
            let both = combine(profile, inst, kind, (&[left[a as usize]], &[left[b as usize]]), values)?;
            left[a as usize] = both[0];
            left.remove(b as usize);
        }
        Ok(left.pop().unwrap_or_else(|| kind.op.identity(inst.scalar)))
    };
    if kind.reach == Reach::All {
        return Ok(vec![whole(row)?; row.len()]);
    }
    let own = usize::from(kind.reach == Reach::Inclusive);
    (0..row.len()).map(|k| whole(&row[..k + own])).collect()
}
