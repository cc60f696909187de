//! The machine: decodes the bytes and executes them, one invocation after the other. A register that nobody wrote traps.

use gpucc_isa::{Isa, Word, stage};
use gpucc_sim::Dispatch;

use super::table::{Op, Set};

/// Words of a code, and where they are.
pub fn words(code: &[u8]) -> impl Iterator<Item = (Word, usize)> {
    code.chunks(8).enumerate().map(|(k, c)| (c.iter().rev().fold(0, |w, &b| w << 8 | Word::from(b)), 8 * k))
}

/// Reads a texel: number of the descriptor, coordinates and level.
pub type Texel<'a> = &'a dyn Fn(u32, [f32; 3]) -> Result<[u32; 4], String>;

/// Runs one invocation with this global id, or these inputs, four words each; gives its outputs, four words each.
pub fn invocation(
    code: &[u8],
    (stage, id, inputs): (u8, [u32; 3], &[u32]),
    (d, texel): (&mut Dispatch, Texel<'_>),
) -> Result<Vec<Option<u32>>, String> {
    let insts: Vec<_> =
        words(code).map(|(w, at)| Set::table().decode(w, 8, 0, stage).map_err(|e| format!("{at:#x}: {e}"))).collect();
    let (mut regs, mut outputs) = ([None; 16], Vec::new());
    let mut pc = 0;
    for _ in 0..100_000 {
        let inst = insts.get(pc).ok_or("ran off the end")?.as_ref().map_err(String::clone)?;
        let slot = |name: &str| inst.get(name).unwrap_or(0);
        let read = |name: &str| regs[slot(name) as usize].ok_or_else(|| format!("{inst:?} reads what nobody wrote"));
        let flag = |b: bool| 0u32.wrapping_sub(u32::from(b));
        pc += 1;
        let result = match inst.op() {
            Op::Li => slot("imm"),
            Op::Mov => read("a")?,
            Op::Add => read("a")?.wrapping_add(read("b")?),
            Op::Sub => read("a")?.wrapping_sub(read("b")?),
            Op::Mul => read("a")?.wrapping_mul(read("b")?),
            Op::And => read("a")? & read("b")?,
            Op::Or => read("a")? | read("b")?,
            Op::Xor => read("a")? ^ read("b")?,
            Op::Shl => read("a")? << (read("b")? & 31),
            Op::Shr => read("a")? >> (read("b")? & 31),
            Op::FMul => (f32::from_bits(read("a")?) * f32::from_bits(read("b")?)).to_bits(),
            Op::Tex => {
                let at = [read("a")?, read("b")?, read("c")?].map(f32::from_bits);
                *texel(slot("buffer"), at)?.get(slot("imm") as usize).ok_or("no such component")?
            }
            Op::Lt => flag(read("a")? < read("b")?),
            Op::Eq => flag(read("a")? == read("b")?),
            Op::Sel => read(if read("a")? != 0 { "b" } else { "c" })?,
            Op::Id => *id.get(slot("imm") as usize).ok_or("no such dimension")?,
            Op::In => *inputs.get(slot("imm") as usize).ok_or("no such input")?,
            Op::Out => {
                let (value, at) = (read("a")?, slot("imm") as usize);
                outputs.resize(outputs.len().max(at + 1), None);
                outputs[at] = Some(value);
                continue;
            }
            Op::Ld => {
                let at = read("a")? as usize + slot("imm") as usize;
                let bytes = d.buffers.get(slot("buffer") as usize).ok_or("no such buffer")?.bytes.get(at..at + 4);
                bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }
            Op::St => {
                let (value, at) = (read("a")?, read("b")? as usize + slot("imm") as usize);
                let buffer = d.buffers.get_mut(slot("buffer") as usize).ok_or("no such buffer")?;
                if let Some(b) = buffer.bytes.get_mut(at..at + 4) {
                    b.copy_from_slice(&value.to_le_bytes());
                }
                continue;
            }
            Op::Br if read("a")? == 0 => continue,
            Op::Br | Op::Jmp => {
                pc = slot("imm") as usize;
                continue;
            }
            Op::End => return Ok(outputs),
        };
        regs[slot("d") as usize] = Some(result);
    }
    Err("too many steps".into())
}

/// There are no textures.
pub const NONE: Texel<'static> = &|_, _| Err("no texture".into());

/// Runs a grid; buffers are bound in the order of the module's resources.
pub fn run(code: &[u8], size: [u32; 3], d: &mut Dispatch) -> Result<(), String> {
    let [x, y, z] = [0, 1, 2].map(|k| size[k] * d.grid[k]);
    for id in (0..x * y * z).map(|n| [n % x, n / x % y, n / x / y]) {
        invocation(code, (stage::CS, id, &[]), (d, NONE))?;
    }
    Ok(())
}
