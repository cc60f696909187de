//! Which lanes of a batch of quads draw. Quad q is lanes 4q to 4q+3.

use crate::draw::QuadIn;
use crate::texture::quad::{self, Axis, Precision};

/// Lanes of a batch of up to 16 quads, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// Lanes that started with something to draw.
    pub covered: u64,
    /// Those of them that were not discarded.
    pub live: u64,
    /// Lanes of all quads, helpers among them.
    pub whole: u64,
}

impl Masks {
    /// Masks at the start of a batch.
    pub fn of(quads: &[QuadIn<'_>]) -> Masks {
        let covered = quads.iter().enumerate().fold(0, |m, (k, q)| m | u64::from(q.covered()) << (4 * k));
        let whole = (0..quads.len()).fold(0, |m, k| m | 0xf << (4 * k));
        Masks { covered, live: covered, whole }
    }

    /// Discards lanes: they run on as helpers.
    pub fn demote(&mut self, lanes: u64) {
        self.live &= !lanes;
    }

    /// All lanes of the quads that have a lane in `lanes`.
    pub fn whole_quads(lanes: u64) -> u64 {
        let low = (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & 0x1111_1111_1111_1111;
        low * 0xf
    }

    /// Lanes of the quads in which no lane is live: nothing they do shows any more.
    pub fn ended(&self) -> u64 {
        self.whole & !Masks::whole_quads(self.live)
    }

    /// The two lanes whose difference (second minus first) a derivative in `lane` takes.
    pub fn derivative_lanes(axis: Axis, kind: Precision, lane: usize) -> (usize, usize) {
        let (a, b) = quad::lanes(axis, kind, lane & 3);
        ((lane & !3) + a, (lane & !3) + b)
    }

    /// Live lanes that are not in `exported`: they owe their outputs.
    pub fn owes(&self, exported: u64) -> u64 {
        self.live & !exported
    }

    /// Live lanes of a quad, as [`crate::draw::QuadOut::live`] wants them.
    pub fn live_of(&self, quad: usize) -> u8 {
        (self.live >> (4 * quad) & 0xf) as u8
    }
}
