//! Instructions that vertex, geometry and fragment programs alone have: attributes, results, interpolated inputs, and one warp of such a
//! program.

use gpucc_isa::fail_if;
use gpucc_sim::{
    Core, Memory, RaceCheck, RunOptions, RunState, Trap,
    trap::{bad_register, out_of_bounds, reserved, undefined, unsupported},
};

use super::decode::{Code, DecodedProgram, Place, Src};
use super::float;
use super::memory::DeviceMemory;
use super::step::Machine;
use super::subgroup::{Emitted, Io, Lanes, Warp};
use crate::operand::Addr;
use crate::types::Op;

/// Stack entries of a warp that runs alone.
const STACK: usize = 16;

/// The state of a warp before its first instruction.
#[derive(Clone, Debug, Default)]
pub struct Shade {
    /// The program type, a bit of [`gpucc_isa::stage`].
    pub stage: u8,
    /// Lanes that exist, a bit each.
    pub lanes: u32,
    /// Number of registers that are allocated.
    pub registers: u8,
    /// The contents of registers by number. The others were never written.
    pub r: Vec<(u8, Lanes)>,
    /// The contents of flag registers.
    pub c: Vec<(u8, [u8; 32])>,
    /// The contents of address registers, 1 to 4.
    pub a: Vec<(u8, [u16; 32])>,
    /// Words of c[] by number of the space.
    pub constants: Vec<(u8, Vec<u32>)>,
    /// Bytes of l[] of a lane.
    pub scratch: u32,
    /// Memory by address: texels, and tables of descriptors.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Addresses of the tables of texture and sampler descriptors.
    pub tables: [Option<u64>; 2],
    /// Inputs, and the words of o[].
    pub io: Io,
}

/// Results of a warp.
#[derive(Clone, Debug)]
pub struct Shaded {
    /// Registers, and the lanes in which both halves were written.
    pub r: Vec<(Lanes, u32)>,
    /// Flag registers by number, a byte for each lane.
    pub c: [[u8; 32]; 4],
    /// Outputs, and the fragments that do not count.
    pub io: Io,
}

/// Runs one warp of a vertex, geometry or fragment program from its first instruction to its end.
///
/// # Errors
/// A trap with its instruction and address.
pub fn shade(code: &[u8], generation: u8, start: &Shade, options: &RunOptions) -> Result<Shaded, Trap> {
    let program = DecodedProgram::new(code, generation, start.stage, start.registers.into());
    let mut memories = DeviceMemory::new(Memory::new(), RaceCheck::default());
    for (n, words) in &start.constants {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        memories.constant[usize::from(n & 15)] = Some(memories.memory.alloc(format!("c{n}"), bytes, false));
    }
    for (address, bytes) in &start.memory {
        let id = memories.memory.alloc("textures", bytes.clone(), false);
        memories.space.fix(id, *address, bytes.len() as u64)?;
    }
    memories.tables = start.tables;
    let mut warp = Warp::new(0, start.lanes, start.registers.into(), start.scratch, STACK, None);
    warp.io = start.io.clone();
    for (n, values) in start.r.iter().filter(|r| r.0 < start.registers) {
        warp.write(*n, values, !0);
    }
    for (n, values) in &start.c {
        warp.write_flags(n & 3, values, !0);
    }
    for (n, values) in start.a.iter().filter(|a| (1..=4).contains(&a.0)) {
        warp.areg[usize::from(*n)] = *values;
        warp.areg_known[usize::from(*n)] = !0;
    }
    let mut core = Core::new(memories, options);
    Machine::new(&program, &mut core, &mut None, options.rules).run_to_end(&mut warp)?;
    let r = warp.regs.iter().zip(&warp.known).map(|(r, k)| (*r, k[0] & k[1])).collect();
    Ok(Shaded { r, c: warp.flags, io: warp.io })
}

/// The word of v[] that says which side a primitive shows.
const FACING: u32 = 0x3fc;

impl Machine<'_> {
    /// Runs a warp of a program that has no barriers.
    pub(super) fn run_to_end(&mut self, warp: &mut Warp) -> Result<(), Trap> {
        loop {
            match self.run(warp, self.counts.steps.slice())? {
                RunState::Done => return Ok(()),
                RunState::Yield => {}
                RunState::Barrier(_) => {
                    return Err(reserved("a barrier in a program that is no compute program"));
                }
            }
        }
    }

    /// The words that lanes read of a[] or p[].
    pub(super) fn words_of(warp: &Warp, (name, words): (&str, &[Lanes]), addr: Addr, mask: u32) -> Result<Lanes, Trap> {
        let mut values = [0; 32];
        for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
            let at = Self::address(warp, addr, lane);
            values[lane as usize] = match words.get(at as usize / 4) {
                Some(word) if at.is_multiple_of(4) => word[lane as usize],
                _ => {
                    let message = format!("{name}[{at:#x}], there are {} words", words.len());
                    return Err(out_of_bounds(message).in_lane(lane));
                }
            };
        }
        Ok(values)
    }

    /// A vertex, of which o[] is undefined behind it, or the begin of a primitive.
    pub(super) fn output(warp: &mut Warp, code: &Code, lanes: u32) {
        let vertex = (code.op == Op::Emit).then(|| warp.io.o.clone());
        if vertex.is_some() {
            warp.io.o.iter_mut().for_each(|o| o.1 &= !lanes);
        }
        warp.io.emitted.push(Emitted { lanes, vertex });
    }

    /// Loads of a[], stores to o[], and interpolation.
    pub(super) fn stage_io(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        match code.place {
            Place::Attr(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                let values = Self::words_of(warp, ("a", &warp.io.a), addr, mask)?;
                Self::give(warp, code, &values, mask & code.lanes)
            }
            Place::Out(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                self.defined(warp, code.src[2], mask)?;
                let Src::R32(r) = code.src[2] else {
                    let what = "data of a store in a register that is not allocated: hardware ignores the store";
                    return Err(bad_register(what));
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
                fail_if!(addr.a != 0, unsupported("v[] at an address register"));
                self.interpolate(warp, code, addr.off as u32, mask)
            }
            _ => Err(unsupported("an instruction of another program type")),
        }
    }

    fn interpolate(&self, warp: &mut Warp, code: &Code, at: u32, mask: u32) -> Result<(), Trap> {
        if at == FACING {
            fail_if!(code.op != Op::InterpFlat, reserved("the facing is a flat input"));
            let front = warp.io.front;
            return Self::give(warp, code, &std::array::from_fn(|l| 0u32.wrapping_sub(front >> l & 1)), mask);
        }
        let n = (at / 4) as usize;
        let io = &warp.io;
        let word = match io.v.get(n) {
            Some(Some(word)) => word,
            Some(None) => {
                return Err(undefined(format!("v[{at:#x}], which no vertex gave")));
            }
            None => {
                return Err(out_of_bounds(format!("v[{at:#x}], there are {} words", io.v.len())));
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

    fn give(warp: &mut Warp, code: &Code, values: &Lanes, mask: u32) -> Result<(), Trap> {
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
