//! IMG_LOAD and IMG_STORE (reference 10.4): texels of whole words in a linear image.
//!
//! Source 0 is the image: address, bytes of a row, height << 16 | width. What lies outside of it is unknown and traps. The reference
//! names no conversion, so `validate` lets texels of 1, 2 or 4 words through alone; their number is that of the lanes.

use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, out_of_bounds};

use super::decode::Pre;
use super::launch::{LANES, LaunchState, Run};
use super::subgroup::{Group, Mask, ordered};
use crate::modifiers::Type;
use crate::rows::Op;

impl Group {
    /// A load or a store of a texel.
    pub(super) fn image(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run, mask: Mask) -> Result<(), Trap> {
        let s = |slot: usize, c: usize| self.source(&pre.src[slot], c, launch, mask);
        let (base, row, size) = (s(0, 0)?, s(0, 1)?, s(0, 2)?);
        let (x, y) = (s(1, 0)?, s(1, 1)?);
        let words = pre.mask.count_ones() as usize;
        let flushes = pre.ty == Type::F32 && !pre.denorm;
        let flush = |v: u32| if flushes { gpucc_num::f32::flush(f32::from_bits(v)).to_bits() } else { v };
        let mut values = [[0; LANES]; 4];
        let stores = pre.op == Op::ImgStore;
        if stores {
            for (k, v) in values.iter_mut().enumerate().take(words) {
                *v = s(2, k)?.map(flush);
            }
        }
        let place = |i: usize| {
            let (width, height) = (size[i] & 0xffff, size[i] >> 16);
            if x[i] >= width || y[i] >= height {
                let what = format!("texel ({}, {}) of an image of {width} by {height}", x[i] as i32, y[i] as i32);
                return Err(out_of_bounds(what).in_lane(self.lane_number(i)));
            }
            let address = base[i].wrapping_add(y[i].wrapping_mul(row[i])).wrapping_add(4 * words as u32 * x[i]);
            self.aligned(address, 4, i)?;
            Ok(address)
        };
        if stores {
            let mask = if launch.fragment && pre.skphp { mask & self.live() } else { mask };
            for i in ordered(mask, self.ahead()) {
                let bytes: Vec<u8> = values[..words].iter().flat_map(|v| v[i].to_le_bytes()).collect();
                let by = self.by(i);
                run.world.store(place(i)?, false, &bytes, by).map_err(|t| t.in_lane(by.lane))?;
            }
            return Ok(());
        }
        for i in lanes(mask) {
            let (mut bytes, by) = ([0; 16], self.by(i));
            run.world.load(place(i)?, false, &mut bytes[..4 * words], by).map_err(|t| t.in_lane(by.lane))?;
            for (v, b) in values.iter_mut().zip(bytes.chunks_exact(4)) {
                v[i] = flush(u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            }
        }
        for (k, v) in values.iter().enumerate().take(words) {
            self.write(pre, k, v, mask, !0)?;
        }
        Ok(())
    }
}
