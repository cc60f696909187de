//! Instructions that vertex and fragment programs alone have: attributes, results, interpolated inputs.

use gpucc_sim::{Trap, TrapKind};

use super::decode::{Code, Place, Src};
use super::float;
use super::step::Machine;
use super::subgroup::Warp;
use crate::types::Op;

/// The word of v[] that says which side a primitive shows.
const FACING: u32 = 0x3fc;

fn reserved(message: String) -> Trap {
    Trap::new(TrapKind::Reserved, message)
}

impl Machine<'_> {
    /// Loads of a[], stores to o[], and interpolation.
    pub(super) fn stage_io(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        match code.place {
            Place::Attr(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                let mut values = [0; 32];
                for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
                    let at = Self::address(warp, addr, lane);
                    values[lane as usize] = match warp.io.a.get(at as usize / 4) {
                        Some(word) if at % 4 == 0 => word[lane as usize],
                        _ => return Err(Trap::new(TrapKind::OutOfBounds, format!("a[{at:#x}]")).in_lane(lane)),
                    };
                }
                Self::give(warp, code, &values, mask & code.lanes)
            }
            Place::Out(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                self.defined(warp, code.src[2], mask)?;
                let Src::R32(r) = code.src[2] else {
                    let what = "data of a store in a register that is not allocated: hardware ignores the store";
                    return Err(Trap::new(TrapKind::BadRegister, what));
                };
                let values = warp.regs[r as usize];
                for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
                    let at = Self::address(warp, addr, lane);
                    warp.write_out(at as usize / 4, &values, 1 << lane).map_err(|t| t.in_lane(lane))?;
                }
                Ok(())
            }
            Place::Varying(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                if addr.a != 0 {
                    return Err(Trap::new(TrapKind::Unsupported, "v[] at an address register"));
                }
                self.interpolate(warp, code, addr.off as u32, mask)
            }
            _ => Err(Trap::new(TrapKind::Unsupported, "an instruction of another program type")),
        }
    }

    fn interpolate(&self, warp: &mut Warp, code: &Code, at: u32, mask: u32) -> Result<(), Trap> {
        if at == FACING {
            if code.op != Op::InterpFlat {
                return Err(reserved("the facing is a flat input".into()));
            }
            let front = warp.io.front;
            return Self::give(warp, code, &std::array::from_fn(|l| 0u32.wrapping_sub(front >> l & 1)), mask);
        }
        let n = (at / 4) as usize;
        let io = &warp.io;
        let word = match io.v.get(n) {
            Some(Some(word)) => word,
            Some(None) => {
                return Err(Trap::new(TrapKind::UndefinedRead, format!("v[{at:#x}], which no vertex gave")));
            }
            None => {
                return Err(Trap::new(TrapKind::OutOfBounds, format!("v[{at:#x}], there are {} words", io.v.len())));
            }
        };
        if (code.op == Op::InterpFlat) != (n >= io.flat) {
            return Err(reserved(format!("v[{at:#x}] is flat by instruction or by state, not by both")));
        }
        let mut values = word[usize::from(code.inst.get("cent") == Some(1))];
        if code.op == Op::InterpMul {
            self.defined(warp, code.src[0], mask)?;
            let by = match code.src[0] {
                Src::R32(r) => warp.regs[r as usize],
                _ => [0; 32],
            };
            let sign = u32::from(code.neg[0]) << 31;
            values = std::array::from_fn(|l| float::mul(values[l], by[l] ^ sign, false));
        }
        Self::give(warp, code, &values, mask)
    }

    fn give(warp: &mut Warp, code: &Code, values: &super::subgroup::Lanes, mask: u32) -> Result<(), Trap> {
        use super::decode::Dst;
        match code.dst {
            Dst::R32(r, _) => warp.write(r, values, mask),
            Dst::Out(n) => warp.write_out(n.into(), values, mask)?,
            Dst::R16(r, high) => warp.write_half(r, high, values, mask),
            Dst::None | Dst::Ignored => {}
        }
        Ok(())
    }
}
