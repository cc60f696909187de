//! What lanes of a subgroup ask of each other. The active lanes are those that take part.

use crate::alu::Lanes;
use crate::profile::Profile;
use crate::program::{DInst, Extra, NO_SLOT};
use gpucc_ir::{Op, Reach, Reduce};
use gpucc_sim::Trap;
use std::cell::Cell;

/// Value that a lane reads from an inactive lane.
const ABSENT: u64 = 0xcccc_cccc_cccc_cccc;

/// Runs one of these ops.
pub(crate) fn exec(
    profile: &Profile,
    (file, stride): (&mut [u64], usize),
    active: &[u32],
    inst: &DInst,
    values: &mut Vec<u64>,
) -> Result<(), Trap> {
    let at = |slot: u32, lane: u32| slot as usize * stride + lane as usize;
    match (inst.op, &inst.extra) {
        (Op::Any, _) => {
            let any = active.iter().any(|&l| file[at(inst.args[0], l)] != 0);
            active.iter().for_each(|&l| file[at(inst.dst, l)] = any.into());
        }
        (Op::Ballot, _) => {
            let mut words = [0_u32; 4];
            for &l in active.iter().filter(|&&l| file[at(inst.args[0], l)] != 0) {
                words[l as usize / 32] |= 1 << (l % 32);
            }
            for (k, word) in (0..).zip(words) {
                active.iter().for_each(|&l| file[at(inst.dst + k, l)] = word.into());
            }
        }
        (Op::LaneRead, _) => {
            let from: Vec<u32> = active.iter().map(|&l| file[at(inst.args[1], l)] as u32).collect();
            for k in 0..inst.n {
                let read = |&lane: &u32| match active.binary_search(&lane) {
                    Ok(_) => file[at(inst.args[0] + k, lane)],
                    Err(_) => ABSENT & inst.to.mask(),
                };
                let got: Vec<u64> = from.iter().map(read).collect();
                active.iter().zip(got).for_each(|(&l, v)| file[at(inst.dst + k, l)] = v);
            }
        }
        (_, &Extra::Reduce(kind)) => {
            let size = if kind.cluster == 0 { u32::MAX } else { kind.cluster.into() };
            for cluster in active.chunk_by(|a, b| a / size == b / size) {
                for k in 0..inst.n {
                    let row: Vec<u64> = cluster.iter().map(|&l| file[at(inst.args[0] + k, l)]).collect();
                    let row = reduce(profile, inst, kind, row, values)?;
                    cluster.iter().zip(row).for_each(|(&l, v)| file[at(inst.dst + k, l)] = v);
                }
            }
        }
        _ => unreachable!("an op between lanes"),
    }
    Ok(())
}

/// Values in the order of their lanes: each takes that of 1, 2, 4 ranks before to its own.
fn reduce(
    profile: &Profile,
    inst: &DInst,
    kind: Reduce,
    mut row: Vec<u64>,
    values: &mut Vec<u64>,
) -> Result<Vec<u64>, Trap> {
    let n = row.len();
    let op = kind.op.op();
    let one = DInst { op, n: 1, dst: 2, args: [0, 1, NO_SLOT, NO_SLOT], extra: Extra::None, ..inst.clone() };
    let mut apart = 1;
    while apart < n {
        let mut file: Vec<u64> = vec![0; apart];
        file.extend(&row[..n - apart]);
        file.extend(&row);
        file.extend(&row);
        let active: Vec<u32> = (apart as u32..n as u32).collect();
        let cells = Cell::from_mut(&mut file[..]).as_slice_of_cells();
        Lanes { file: cells, active: &active, full: false, stride: n }.exec(&one, profile, values)?;
        row.copy_from_slice(&file[2 * n..]);
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
