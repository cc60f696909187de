//! Exports: positions, parameters, colours and depth that leave a wave (section 13).

use gpucc_sim::trap::{Trap, reserved, unsupported};

use super::decode::Decoded;
use super::subgroup::{LANES, Lanes, Order, Wave};

/// One export of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// 0 to 7 colours, 8 depth, 9 nothing, 12 to 15 positions, from 32 parameters.
    pub target: u8,
    /// Components, a bit each.
    pub enabled: u8,
    /// Two halves in each of the first two words.
    pub compressed: bool,
    /// The last one of its kind.
    pub done: bool,
    /// The lanes are those that still draw.
    pub valid: bool,
    /// Lanes that EXEC has on.
    pub lanes: u64,
    /// Words of the components of each lane; 0 of those that are not enabled.
    pub words: [[u32; LANES]; 4],
}

/// Exports of a kind end with the one that is marked so.
#[derive(PartialEq, Eq)]
enum Kind {
    Pixel,
    Position,
    Parameter,
}

fn kind(target: u8) -> Kind {
    match target {
        0..=11 => Kind::Pixel,
        12..=15 => Kind::Position,
        _ => Kind::Parameter,
    }
}

impl Wave {
    /// An export: its registers are read late, so that they are locked until expcnt says so.
    pub(crate) fn export(&mut self, d: &Decoded) -> Result<(), Trap> {
        let lanes = self.exec();
        let e = d.mem.export;
        let target = d.imm as u8;
        let mut words: [Lanes; 4] = [[0; LANES]; 4];
        let mut locks = Vec::new();
        for (k, to) in words.iter_mut().enumerate() {
            let used = if e.compressed { k < 2 && e.enabled >> (2 * k) & 3 != 0 } else { e.enabled >> k & 1 == 1 };
            if used {
                *to = self.v[usize::from(e.src[k])];
                locks.push((u16::from(e.src[k]), 1));
            }
        }
        let Some(before) = &mut self.exports else {
            return Err(unsupported("exports of a compute program"));
        };
        if before.iter().any(|b| b.done && kind(b.target) == kind(target)) {
            return Err(reserved("an export behind the last one of its kind"));
        }
        let (enabled, compressed, done, valid) = (e.enabled, e.compressed, e.done, e.valid);
        before.push(Export { target, enabled, compressed, done, valid, lanes, words });
        self.send_locked(Order::Export, d, false, locks);
        Ok(())
    }
}
