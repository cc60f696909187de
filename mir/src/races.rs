//! What the container says to a check for races: which plain instructions are atomic accesses, and where clamped ones land.
//!
//! Bounds handling sends an access that is out of bounds to the last element that there is. That no race comes of it is a
//! promise of WGSL's, and the code does not show it: so each access with a clamped offset is listed with the place where the
//! clamp leads to. A clamp is an unsigned minimum of a constant, or of what is made of a buffer's length, in the offset of an
//! access that is in bounds.

use std::collections::BTreeMap;

use gpucc_container::{RaceMark, Resource};
use gpucc_ir::{Attr, Function, Inst, InstData, Loc, MemFlags, Module, Op, Place, Space, Value};

/// Most instructions of an offset that are looked at.
const MOST: usize = 64;

/// Rows for the addresses and locations of instructions in order. `resources` are those of the container, `own` gives the
/// offset of a workgroup variable in the memory that the machine checks.
pub fn race_marks(
    m: &Module,
    f: &Function,
    resources: &[Resource],
    own: impl Fn(Place) -> Option<u32>,
    places: impl IntoIterator<Item = (u32, Loc)>,
) -> Vec<RaceMark> {
    let mut clamps: BTreeMap<Loc, Vec<RaceMark>> = BTreeMap::new();
    for (_, i) in f.insts_in_order() {
        let list = clamped(m, f, resources, &own, i);
        if !list.is_empty() {
            clamps.entry(f.insts[i].loc).or_default().extend(list);
        }
    }
    let mut rows = Vec::new();
    for (pc, loc) in places.into_iter().filter(|p| p.1.is_access()) {
        if loc.is_atomic() {
            rows.push(RaceMark::atomic(pc));
        }
        for c in clamps.get(&loc.plain()).into_iter().flatten() {
            let row = RaceMark { pc, ..*c };
            if rows.iter().rev().take_while(|r| r.pc == pc).all(|r| *r != row) {
                rows.push(row);
            }
        }
    }
    rows
}

/// The clamps of an access, for no address yet.
fn clamped(
    m: &Module,
    f: &Function,
    resources: &[Resource],
    own: &impl Fn(Place) -> Option<u32>,
    i: Inst,
) -> Vec<RaceMark> {
    let d = &f.insts[i];
    let (Some(mem), Some(offset)) = (d.mem(), d.dyn_offset()) else { return Vec::new() };
    if !mem.flags.has(MemFlags::IN_BOUNDS) {
        return Vec::new();
    }
    let (place, base, span) = match mem.place {
        Place::Buffer(r) => {
            let r = &m.resources[r];
            let Some(at) = resources.iter().position(|x| (x.group, x.binding) == (r.group, r.binding)) else {
                return Vec::new();
            };
            (at as u16, 0, r.stride.max(f.access_bytes(i)))
        }
        Place::Global(_) if m.space(mem.place) == Space::Workgroup => match own(mem.place) {
            Some(base) => (RaceMark::WORKGROUP, base, 0),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let mut list = Vec::new();
    let mut base = base.wrapping_add(mem.offset);
    // Values that add up to the offset, with the factors that they come with, and whether they are clamped: what is added
    // before a clamp moves nothing behind it.
    let mut terms: Vec<(Part, u32, bool)> = vec![((offset, 0), 1, false)];
    let mut seen = 0;
    while let Some((v, scale, inner)) = terms.pop() {
        seen += 1;
        if let Some(c) = constant(f, v) {
            base = if inner { base } else { base.wrapping_add(c.wrapping_mul(scale)) };
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
                    list.push(RaceMark { pc: 0, kind: RaceMark::TAIL, place, values: [span, 0, 0] });
                } else if let Some(last) = constant(f, arg(limit)) {
                    let by = grain(f, x);
                    let stride = scale.wrapping_mul(by);
                    list.push(RaceMark { pc: 0, kind: RaceMark::INDEX, place, values: [0, stride, last / by] });
                }
                terms.push((x, scale, true));
            }
            _ => {}
        }
    }
    // All constants count, wherever in the sum they came.
    for row in list.iter_mut().filter(|r| r.kind == RaceMark::INDEX) {
        row.values[0] = base;
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

/// What a value is a multiple of, by how it is written.
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

#[cfg(test)]
mod tests {
    use super::*;
    use gpucc_ir::text::parse_module;

    /// The rows of the one store in a function.
    fn marks(text: &str) -> Vec<RaceMark> {
        let head = "module robust on\nres0 \"b\" group 0 binding 0 storage_rw size 8 stride 8\n\
             global0 \"t\" workgroup size 64 align 4\nentry \"main\" compute func0 size 1,1,1\n\n\
             func0 \"main\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n";
        let m = parse_module(&format!("{head}{text}  ret\n}}\n")).unwrap_or_else(|e| panic!("{e}"));
        let f = m.funcs.values().next().expect("one function");
        let (_, store) = f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::Store).expect("a store");
        let b = Resource {
            group: 0,
            binding: 0,
            kind: gpucc_container::ResourceKind::Storage,
            access: gpucc_container::Access::ReadWrite,
            slot: 0,
            min_size: 8,
            count: 1,
        };
        let places = [(0x10, Loc::UNKNOWN.access()), (0x18, Loc::UNKNOWN)];
        assert!(f.insts[store].loc == Loc::UNKNOWN);
        race_marks(&m, f, &[b], |_| Some(0x20), places)
    }

    #[test]
    fn clamps_of_buffers_and_arrays_are_listed() {
        let row = |kind, place, values| RaceMark { pc: 0x10, kind, place, values };
        // A runtime array of 8 bytes an element.
        let tail = "  v1: i32 = buffer_length res0\n  v2: i32 = isub v1, 8:i32\n  v3: i32 = shl v0, 3:i32\n\
             v4: i32 = umin v3, v2\n  store v0, res0[4 + v4] align 4 {in_bounds}\n";
        assert_eq!(marks(tail), [row(RaceMark::TAIL, 0, [8, 0, 0])]);
        // An array of 12 words from byte 8 of a variable, clamped as an index and as an offset.
        let index = "  v7: i32 = iadd v0, 5:i32\n  v1: i32 = umin v7, 11:i32\n  v2: i32 = shl v1, 2:i32\n\
             store v0, global0[8 + v2] align 4 {in_bounds}\n";
        assert_eq!(marks(index), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x28, 4, 11])]);
        let offset = "  v1: i32 = shl v0, 2:i32\n  v2: i32 = umin v1, 44:i32\n\
             store v0, global0[8 + v2] align 4 {in_bounds}\n";
        assert_eq!(marks(offset), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x28, 4, 11])]);
    }

    #[test]
    fn clamps_in_lanes_of_vectors_are_listed() {
        let text = "  v1: i32 = buffer_length res0\n  v2: i32 = isub v1, 8:i32\n  v3: i32x2 = compose 7:i32, v2\n\
             v4: i32x2 = shuffle v3, v3, lanes 1 0\n  v5: i32x2 = compose 28:i32, v0\n  v6: i32x2 = umin v5, v4\n\
             v7: i32 = extract v6, lane 0\n  store v0, res0[0 + v7] align 4 {in_bounds}\n";
        let row = |kind, place, values| RaceMark { pc: 0x10, kind, place, values };
        assert_eq!(marks(text), [row(RaceMark::TAIL, 0, [8, 0, 0])]);
        let text = text.replace("extract v6, lane 0", "extract v6, lane 1").replace("res0[0 + v7]", "global0[0 + v7]");
        assert_eq!(marks(&text), [row(RaceMark::INDEX, RaceMark::WORKGROUP, [0x20, 1, 7])]);
    }

    #[test]
    fn other_accesses_are_not() {
        assert!(marks("  store v0, global0[8] align 4 {in_bounds}\n").is_empty());
        let and =
            "  v1: i32 = and v0, 7:i32\n  v2: i32 = shl v1, 2:i32\n  store v0, global0[0 + v2] align 4 {in_bounds}\n";
        assert!(marks(and).is_empty());
        let open = "  v1: i32 = umin v0, 7:i32\n  v2: i32 = shl v1, 2:i32\n  store v0, global0[0 + v2] align 4\n";
        assert!(marks(open).is_empty());
    }
}
