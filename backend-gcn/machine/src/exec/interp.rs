//! Interpolation of parameters (section 9). They lie in workgroup memory: of attribute a and primitive p of n, twelve words
//! P0.x P10.x P0.y P10.y P0.z P10.z P0.w P10.w P20.x P20.y P20.z P20.w from word 12 (a n + p). Forms of halves
//! read half of each word (AMD's GCN3 instruction manual, VINTRP in VOP3).

use gpucc_isa::fail_if;
use gpucc_num::convert::{f16_to_f32, f32_to_f16};
use gpucc_num::f32 as n32;
use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, out_of_bounds, unsupported};

use super::decode::{Decoded, Src};
use super::memory::DeviceMemory;
use super::subgroup::Wave;
use crate::Op;

/// Where the parameters of a wave begin, and which quads begin a primitive.
struct Parameters {
    base: u32,
    new_primitive_mask: u32,
}

impl Parameters {
    /// The fields of PRIM_MASK, which M0 holds.
    fn of(m0: u32) -> Parameters {
        Parameters { base: m0 & 0xffff, new_primitive_mask: m0 >> 16 & 0x7fff }
    }

    /// Byte of the words of an attribute for a lane.
    fn at(&self, attribute: u32, lane: usize) -> u32 {
        let quad = lane as u32 / 4;
        let primitive = (self.new_primitive_mask & ((1 << quad) - 1)).count_ones();
        let primitives = self.new_primitive_mask.count_ones() + 1;
        self.base + 48 * (attribute * primitives + primitive)
    }
}

impl Wave {
    /// A vector source with its modifiers.
    fn interp_source(&self, d: &Decoded, k: usize, lane: usize) -> f32 {
        let Src::V(n) = d.src[k] else { return 0.0 };
        let v = f32::from_bits(self.v[usize::from(n)][lane]);
        let v = if d.abs >> k & 1 == 1 { v.abs() } else { v };
        if d.neg >> k & 1 == 1 { -v } else { v }
    }

    /// v_interp_*.
    pub(crate) fn interp(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        fail_if!(self.exports.is_none(), unsupported("interpolation in a compute program"));
        let flushed = gpucc_num::Mode { flush_in: true, flush_out: true, ..self.float.f32 };
        let parameters = Parameters::of(self.m0()?);
        let (attribute, channel) = (d.mem.offset & 63, d.mem.offset >> 6 & 3);
        let (p0, p10, p20) = (2 * channel, 2 * channel + 1, 8 + channel);
        let exec = self.exec();
        let dst = usize::from(d.dst);
        for lane in lanes(exec) {
            let by = self.by(d, lane);
            let start = parameters.at(attribute, lane);
            let mut word = |k: u32| {
                let at = start + 4 * k;
                if at + 4 > env.lds_size {
                    let said = format!("parameter at byte {at} of {}", env.lds_size);
                    return Err(out_of_bounds(said).in_lane(lane as u32));
                }
                Ok(env.lds_load(at, 4, by).map_err(|t| t.in_lane(lane as u32))? as u32)
            };
            let source = self.interp_source(d, 0, lane);
            // As v_mac, whatever the modes of denormals are.
            let (add, factor) = match d.op {
                Op::VInterpP1F32 => (word(p0)?, word(p10)?),
                Op::VInterpP2F32 => (self.v[dst][lane], word(p20)?),
                Op::VInterpMovF32 => {
                    self.v[dst][lane] = word([p10, p20, p0][d.imm as usize % 3])?;
                    continue;
                }
                _ => {
                    let half = |w: u32| f16_to_f32((if d.mem.high { w >> 16 } else { w }) as u16);
                    // P1LL has both from the parameters; P1LV has P0 as a word in a register, whose half is chosen alike.
                    let (add, factor) = match d.op {
                        Op::VInterpP1llF16 => (half(word(p0)?), half(word(p10)?)),
                        Op::VInterpP1lvF16 => (half(self.interp_source(d, 2, lane).to_bits()), half(word(p10)?)),
                        _ => (self.interp_source(d, 2, lane), half(word(p20)?)),
                    };
                    let value = n32::mad(flushed, factor, source, add);
                    self.v[dst][lane] = match d.op {
                        Op::VInterpP2F16 => self.out16(d, f32_to_f16(self.float.f64.round, value)).into(),
                        _ => self.out32(d, value).to_bits(),
                    };
                    continue;
                }
            };
            let value = n32::mad(flushed, f32::from_bits(factor), source, f32::from_bits(add));
            self.v[dst][lane] = self.out32(d, value).to_bits();
        }
        self.v_known[dst] |= exec;
        Ok(())
    }
}
