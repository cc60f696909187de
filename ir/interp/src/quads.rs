//! Batches of vertices and quads: what their lanes read, which of them draw, and what lanes of a quad ask of each other.

use crate::profile::Profile;
use crate::program::DInst;
use gpucc_ir::{Axis, Deriv, Scalar, Sysval};
use gpucc_num::{f16, f32 as n32, f64 as n64};
use gpucc_sim::quads::Masks;
use gpucc_sim::texture::quad;

/// The most lanes of a batch.
pub(crate) const LANES: u32 = 64;

/// Row of the first component of the first input in [`Batch::rows`].
pub(crate) const FIRST_INPUT: u32 = 36;

/// First row of a system value of a vertex or a fragment.
pub(crate) fn sysval_row(v: Sysval) -> Option<u32> {
    Some(match v {
        Sysval::VertexIndex => 0,
        Sysval::InstanceIndex => 1,
        Sysval::FragCoord => 2,
        Sysval::FrontFacing => 6,
        Sysval::SampleIndex => 7,
        Sysval::SampleMask => 8,
        Sysval::PrimitiveIndex => 9,
        Sysval::RawVertexIndex => 10,
        Sysval::RawInstanceIndex => 11,
        Sysval::FirstVertex => 12,
        Sysval::FirstInstance => 13,
        Sysval::Pixel => 14,
        Sysval::FragZ => 16,
        Sysval::FragInvW => 17,
        Sysval::BlendConstant => 18,
        Sysval::ViewportScale => 22,
        Sysval::ViewportOffset => 25,
        Sysval::PointCoord => 28,
        Sysval::SamplePosition => 30,
        Sysval::Layer => 32,
        Sysval::ViewportIndex => 33,
        Sysval::SampleCount => 34,
        Sysval::RawPrimitiveIndex => 35,
        _ => return None,
    })
}

/// The state that the lanes of a batch start with. Workgroups have an empty one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// Rows of a word for each of [`LANES`] lanes: system values, then the components of the inputs and of
    /// the targets that are loaded.
    pub rows: Vec<u32>,
    /// The lanes of quads that draw.
    pub masks: Option<Masks>,
    /// Quads in which a lane read another that was inactive, a bit each.
    pub open: u32,
}

impl Batch {
    /// Whether what a lane does to memory happens.
    #[inline]
    pub fn is_live(&self, lane: u32) -> bool {
        self.masks.is_none_or(|m| m.live >> lane & 1 != 0)
    }

    /// Sets a word of a lane.
    pub fn set(&mut self, row: u32, lane: usize, word: u32) {
        self.rows[row as usize * LANES as usize + lane] = word;
    }

    /// The word of a lane.
    pub fn get(&self, row: u32, lane: u32) -> u32 {
        self.rows.get((row * LANES + lane) as usize).copied().unwrap_or(0)
    }

    /// Notes that a lane read another of its quad that was inactive.
    pub fn mark_open(&mut self, lane: u32) {
        self.open |= 1 << (lane / 4);
    }
}

/// Lanes as bits.
pub(crate) fn bits_of(lanes: &[u32]) -> u64 {
    lanes.iter().fold(0, |m, l| m | 1 << (l & 63))
}

/// Differences inside of the quads, 0 where a lane that is read is inactive.
pub(crate) fn derivative(
    batch: &mut Batch,
    profile: &Profile,
    (file, stride): (&mut [u64], usize),
    active: &[u32],
    inst: &DInst,
    deriv: Deriv,
) {
    let here = bits_of(active);
    let axis = if deriv.axis == Axis::X { quad::Axis::X } else { quad::Axis::Y };
    let kind = if deriv.fine { quad::Precision::Fine } else { quad::Precision::Coarse };
    let minus = |x: u64, y: u64| match inst.scalar {
        Scalar::F16 => u64::from(f16::sub(profile.f16, x as u16, y as u16)),
        Scalar::F64 => n64::sub(profile.f64, f64::from_bits(x), f64::from_bits(y)).to_bits(),
        _ => n32::sub(profile.f32, f32::from_bits(x as u32), f32::from_bits(y as u32)).to_bits().into(),
    };
    for &l in active {
        let (a, b) = Masks::derivative_lanes(axis, kind, l as usize);
        let there = here >> a & here >> b & 1 != 0;
        if !there {
            batch.mark_open(l);
        }
        for k in 0..inst.n {
            let row = (inst.args[0] + k) as usize * stride;
            let value = if there { minus(file[row + b], file[row + a]) } else { 0 };
            file[(inst.dst + k) as usize * stride + l as usize] = value;
        }
    }
}
