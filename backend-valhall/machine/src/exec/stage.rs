//! Stage state of a program: nothing for compute programs, the records of vertices, the quads of fragments.

use gpucc_sim::draw::{QuadIn, Targets};
use gpucc_sim::lanes::lanes;
use gpucc_sim::texture::Texel;
use gpucc_sim::trap::{Trap, out_of_bounds, reserved, unsupported};

use super::decode::DInst;
use super::descriptor::Blending;
use super::scoreboard::Touch;
use super::subgroup::{LANES, NOWHERE, V64, Warp};
use crate::abi;

/// Where the program stands.
pub(super) enum StageContext<'a> {
    /// A compute program in a grid.
    Compute,
    /// A vertex program, in front of records of vertices.
    Vertex(Records),
    /// A fragment program, between quads and the tile.
    Fragment(Box<Fragment<'a>>),
}

/// Records of a batch of vertices.
#[derive(Clone, Copy)]
pub(super) struct Records {
    pub base: u64,
    pub stride: u64,
    pub count: u32,
    /// The address of the extensions, which have [`EXTENSION_BYTES`], if there are some.
    pub extensions: Option<u64>,
}

/// Bytes of the extension of a record.
pub(super) const EXTENSION_BYTES: u64 = 4;

/// Quads of a batch, and what their program gave.
pub(super) struct Fragment<'a> {
    pub batch: &'a [QuadIn<'a>],
    /// Words of the vertices.
    pub words: &'a [u32],
    pub targets: &'a Targets,
    pub blend: &'a [Blending; 8],
    /// Lanes that tested coverage, and what it is since.
    pub tested: u16,
    pub coverage: [u32; LANES],
    /// Lanes that emitted depth, and a stencil value.
    pub emitted: [u16; 2],
    pub depth: [f32; LANES],
    pub stencil: [u32; LANES],
    /// Lanes that gave each colour.
    pub given: [u16; 8],
    pub colour: [[Texel; LANES]; 8],
}

impl<'a> Fragment<'a> {
    pub fn new(
        batch: &'a [QuadIn<'a>],
        words: &'a [u32],
        targets: &'a Targets,
        blend: &'a [Blending; 8],
    ) -> Fragment<'a> {
        Fragment {
            batch,
            words,
            targets,
            blend,
            tested: 0,
            coverage: [0; LANES],
            emitted: [0; 2],
            depth: [0.0; LANES],
            stencil: [0; LANES],
            given: [0; 8],
            colour: [[[0; 4]; LANES]; 8],
        }
    }
}

impl<'a> StageContext<'a> {
    /// The fragments of a program that has some.
    pub fn fragment(&mut self, what: &str) -> Result<&mut Fragment<'a>, Trap> {
        match self {
            StageContext::Fragment(f) => Ok(f),
            _ => Err(unsupported(format!("{what} outside of fragment programs"))),
        }
    }

    /// LEA_BUF_IMM: the address of a vertex's record.
    pub fn record(&self, w: &mut Warp, d: &DInst) -> Result<(), Trap> {
        let StageContext::Vertex(r) = *self else {
            return Err(unsupported("LEA_BUF_IMM outside of vertex programs"));
        };
        if (d.message.table, d.message.index) != (abi::RECORDS, 0) || d.sr_count != 2 {
            return Err(reserved("LEA_BUF_IMM of another buffer than that of the records"));
        }
        w.check_source(&d.src[0])?;
        let number = w.src32(d, 0);
        let mut out: V64 = [0; LANES];
        for l in lanes(w.active) {
            let (record, part) = (number[l] / abi::RECORD_STEP, number[l] % abi::RECORD_STEP);
            if record >= r.count {
                let what = format!("there is no record {} of {}", number[l], r.count);
                return Err(out_of_bounds(what).in_lane(l as u32));
            }
            out[l] = match (part, r.extensions) {
                (0, _) => r.base + r.stride * u64::from(record),
                (abi::EXTENSION, Some(base)) => base + EXTENSION_BYTES * u64::from(record),
                _ => {
                    let what = format!("record {record} has no part {part}");
                    return Err(out_of_bounds(what).in_lane(l as u32));
                }
            };
        }
        w.kill_last_uses(d)?;
        w.write_message(d.sr, 0xF, &out.map(|v| v as u32))?;
        w.write_message(d.sr + 1, 0xF, &out.map(|v| (v >> 32) as u32))?;
        w.issue(d.slot, (d.sr, 2), Touch::Nothing, &[NOWHERE; LANES], 0)
    }
}
