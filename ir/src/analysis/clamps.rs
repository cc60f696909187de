//! Where bounds handling sends an access that is out of bounds: to the last element that there is.
//!
//! A clamp is an unsigned minimum of a constant, or of what is made of a buffer's length, in the offset of an access of a robust
//! module, or of one that is in bounds. A check for races has to know them: several accesses that meet where clamps lead are no race of the program's.

use crate::{Attr, Function, Inst, InstData, MemFlags, Module, Op, Place, Value};

/// Most instructions of an offset that are looked at.
const MOST: usize = 64;

/// Where a clamp in the offset of an access leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clamp {
    /// The last bytes of the buffer.
    Tail {
        /// Length of that tail in bytes, or less.
        span: u32,
        /// Length of the buffer from which on the clamp moves nothing. 0 if the index is not constant, so that no length is known.
        enough: u32,
    },
    /// The last element of an array.
    Index {
        /// Where its place has the first element.
        base: u32,
        /// Bytes from element to element.
        stride: u32,
        /// Number of the last element.
        last: u32,
    },
}

/// The clamps in the offset of an access; none for other instructions.
pub fn clamps(m: &Module, f: &Function, i: Inst) -> Vec<Clamp> {
    let d = &f.insts[i];
    let (Some(mem), Some(offset)) = (d.mem(), d.dyn_offset()) else { return Vec::new() };
    // Of an array in an array that has no fixed length the index is clamped, and the access is not in bounds yet.
    if !mem.flags.has(MemFlags::IN_BOUNDS) && !m.options.robust {
        return Vec::new();
    }
    let span = match mem.place {
        Place::Buffer(r) => m.resources[r].stride.max(f.access_bytes(i)),
        _ => 0,
    };
    let mut list = Vec::new();
    let mut start = mem.offset;
    // Values that add up to the offset, with the factors that they come with, and whether they are clamped: what is added
    // before a clamp moves nothing behind it.
    let mut terms: Vec<(Part, u32, bool)> = vec![((offset, 0), 1, false)];
    let mut seen = 0;
    while let Some((v, scale, inner)) = terms.pop() {
        seen += 1;
        if let Some(c) = constant(f, v) {
            start = if inner { start } else { start.wrapping_add(c.wrapping_mul(scale)) };
            continue;
        }
        let Some((d, lane)) = made_by(f, v) else { continue };
        if seen > MOST {
            break;
        }
        let arg = |k: usize| (d.args[k], lane);
        match d.op {
            Op::IAdd | Op::Or => terms.extend([(arg(0), scale, inner), (arg(1), scale, inner)]),
            Op::Select => terms.extend([(arg(1), scale, inner), (arg(2), scale, inner)]),
            Op::Shl => {
                if let Some(c) = constant(f, arg(1)) {
                    terms.push((arg(0), scale.wrapping_shl(c), inner));
                }
            }
            Op::IMul | Op::UMul24 => {
                for (x, c) in [(0, constant(f, arg(1))), (1, constant(f, arg(0)))] {
                    if let Some(c) = c {
                        terms.push((arg(x), scale.wrapping_mul(c), inner));
                    }
                }
            }
            Op::UMin => {
                // The length of a buffer is a limit whatever it is compared with, also a constant offset.
                let length = [1, 0].into_iter().find(|&k| of_length(f, arg(k), 0));
                let fixed = [1, 0].into_iter().find(|&k| constant(f, arg(k)).is_some());
                let Some(limit) = length.or(fixed) else { continue };
                let x = arg(1 - limit);
                if length.is_some() {
                    let enough = constant(f, x).and_then(|c| length_for(f, arg(limit), c)).unwrap_or(0);
                    list.push(Clamp::Tail { span: span.saturating_add(rounding(f, arg(limit))), enough });
                } else if let Some(last) = constant(f, arg(limit)) {
                    let by = grain(f, x);
                    let stride = scale.wrapping_mul(by);
                    list.push(Clamp::Index { base: 0, stride, last: last / by });
                }
                terms.push((x, scale, true));
            }
            _ => {}
        }
    }
    // All constants count, wherever in the sum they came.
    for clamp in &mut list {
        if let Clamp::Index { base, .. } = clamp {
            *base = start;
        }
    }
    list
}

/// A lane of a value.
type Part = (Value, usize);

/// Where a lane comes from, behind instructions that only move lanes.
fn source(f: &Function, (mut v, mut lane): Part) -> Part {
    for _ in 0..MOST {
        let Some(d) = f.def_inst(v).map(|i| &f.insts[i]) else { break };
        let from = match (d.op, &d.attr) {
            (Op::Extract, Attr::Lane(k)) => Some((d.args[0], usize::from(*k))),
            (Op::Splat, _) => Some((d.args[0], 0)),
            (Op::Compose, _) => d.args.get(lane).map(|&v| (v, 0)),
            (Op::Insert, Attr::Lane(k)) if usize::from(*k) == lane => Some((d.args[1], 0)),
            (Op::Insert, _) => Some((d.args[0], lane)),
            (Op::Shuffle, Attr::Lanes(lanes)) => {
                lanes.get(lane).map(|&k| (d.args[usize::from(k) / 4], usize::from(k) % 4))
            }
            _ => None,
        };
        let Some(from) = from else { break };
        (v, lane) = from;
    }
    (v, lane)
}

/// The bits of a constant.
fn constant(f: &Function, part: Part) -> Option<u32> {
    let (v, lane) = source(f, part);
    f.as_const(v).and_then(|c| c.bits.get(lane).or_else(|| c.bits.first()).map(|&b| b as u32))
}

/// The instruction that computes a lane, and the lane of its operands.
fn made_by(f: &Function, part: Part) -> Option<(&InstData, usize)> {
    let (v, lane) = source(f, part);
    Some((&f.insts[f.def_inst(v)?], lane))
}

/// The number that a value is a multiple of, by how it is written.
fn grain(f: &Function, v: Part) -> u32 {
    let Some((d, lane)) = made_by(f, v) else { return 1 };
    match d.op {
        Op::Shl => constant(f, (d.args[1], lane)).map_or(1, |c| 1_u32.wrapping_shl(c)),
        Op::IMul | Op::UMul24 => constant(f, (d.args[1], lane)).map_or(1, |c| c.max(1)),
        _ => 1,
    }
}

/// Whether a value is made of a buffer's length and constants.
fn of_length(f: &Function, v: Part, depth: u32) -> bool {
    let Some((d, lane)) = made_by(f, v) else { return false };
    match d.op {
        Op::BufferLength => true,
        Op::ISub | Op::IAdd | Op::And | Op::UShr | Op::UMin if depth < 8 => {
            let mut lengths = d.args.iter().filter(|&&v| constant(f, (v, lane)).is_none()).peekable();
            lengths.peek().is_some() && lengths.all(|&v| of_length(f, (v, lane), depth + 1))
        }
        _ => false,
    }
}

/// The smallest length of the buffer with which a value made of it ([`of_length`]) is not below `least`.
fn length_for(f: &Function, v: Part, least: u32) -> Option<u32> {
    let mut least = least;
    let mut at = v;
    for _ in 0..MOST {
        let (d, lane) = made_by(f, at)?;
        if d.op == Op::BufferLength {
            return Some(least);
        }
        let [x, y] = [0, 1].map(|k| d.args.get(k).map(|&v| (v, lane)));
        let (x, y) = (x?, y?);
        // The part that is made of the length, and the constant beside it.
        let (next, c) = match (constant(f, x), constant(f, y)) {
            (None, Some(c)) => (x, c),
            (Some(c), None) if d.op != Op::ISub && d.op != Op::UShr => (y, c),
            _ => return None,
        };
        least = match d.op {
            Op::ISub => least.checked_add(c)?,
            // `isub` of a constant is written as `iadd` of its negation.
            Op::IAdd => u32::try_from(i64::from(least) - i64::from(c as i32)).unwrap_or(0),
            // A mask that clears low bits rounds down; another one is none.
            Op::And if c.leading_ones() + c.trailing_zeros() == 32 => {
                least.checked_next_multiple_of(1_u32.checked_shl(c.trailing_zeros())?)?
            }
            Op::UShr => least.checked_mul(1_u32.checked_shl(c)?)?,
            Op::UMin if c >= least => least,
            _ => return None,
        };
        at = next;
    }
    None
}

/// Number of bytes by which a limit is rounded down, so that what is sent there lies this much before the end.
fn rounding(f: &Function, v: Part) -> u32 {
    let mut at = v;
    let mut by: u32 = 0;
    for _ in 0..MOST {
        let Some((d, lane)) = made_by(f, at) else { break };
        let fixed = d.args.iter().find_map(|&v| constant(f, (v, lane)));
        if let (Op::And, Some(c)) = (d.op, fixed) {
            by = by.max(!c & (1_u32.checked_shl(c.trailing_zeros()).unwrap_or(0)).wrapping_sub(1));
        }
        let Some(next) = d.args.iter().map(|&v| (v, lane)).find(|&v| constant(f, v).is_none()) else { break };
        at = next;
    }
    by
}
