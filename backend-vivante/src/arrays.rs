//! Variables that are indexed dynamically and live in temporaries `t[a0.x]` (reference 4.5): which, and where.
//!
//! A row of such a variable is as many bytes as every dynamic offset is a multiple of, at most four words, and takes some
//! components of one temporary; narrow arrays lie side by side. The rows are kept from the allocator, at the upper end
//! of the file; `place` moves them down behind what is in use. Variables that do not fit stay in memory.
//! Needs: robust offsets as `clamp` leaves them.

use gpucc_ir::{Attr, Function, Inst, Module, Op, Place, Scalar, Space, Value, ValueDef};
use gpucc_mir::{MFunc, PReg, Placement, Reg, Src};

use crate::inst::Vivante;

/// Temporaries that arrays may take.
const MOST_ROWS: u32 = 24;

/// One variable in temporaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    /// The variable.
    pub place: Place,
    /// First row, counted from the first row of all arrays.
    pub row: u32,
    /// First component.
    pub lane: u32,
    /// Bytes of a row: 4, 8, or 16.
    pub bytes: u32,
}

/// The variables in temporaries, and the rows that they take.
#[derive(Clone, Default, Debug)]
pub struct Arrays {
    /// One entry a variable.
    pub list: Vec<Array>,
    /// Rows of all.
    pub rows: u32,
}

impl Arrays {
    /// The array that a place is.
    pub fn find(&self, place: Place) -> Option<Array> {
        self.list.iter().copied().find(|a| a.place == place)
    }
}

/// What is known of a variable.
struct Variable {
    place: Place,
    size: u32,
    /// Every dynamic offset is a multiple of this.
    step: u32,
    /// Constant offset and bytes of each access, and whether it is dynamic.
    accesses: Vec<(u32, u32, bool)>,
    good: bool,
}

/// Chooses the variables of a function.
pub fn choose(f: &Function, module: &Module) -> Arrays {
    let mut list: Vec<Variable> = Vec::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let place = match &d.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => m.place,
            Attr::Place(p) => *p,
            _ => continue,
        };
        let (Space::Function | Space::Private, Some(size)) = (module.space(place), module.place_size(f, place)) else {
            continue;
        };
        let at = list.iter().position(|v| v.place == place).unwrap_or_else(|| {
            list.push(Variable { place, size, step: 0, accesses: Vec::new(), good: true });
            list.len() - 1
        });
        let v = &mut list[at];
        v.good &= access(f, i, v);
    }
    // The longest first: narrow ones then fill up the components beside them.
    let mut wanted: Vec<(u32, u32, Place)> = Vec::new();
    for v in list.iter().filter(|v| v.good && v.accesses.iter().any(|a| a.2)) {
        let fits = |b: u32| v.step.is_multiple_of(b) && v.accesses.iter().all(|a| !a.2 || a.0 % b + a.1 <= b);
        if let Some(bytes) = [16, 8, 4].into_iter().find(|&b| fits(b)) {
            wanted.push((v.size.div_ceil(bytes), bytes, v.place));
        }
    }
    wanted.sort_by_key(|w| core::cmp::Reverse((w.0, w.1)));
    let mut out = Arrays::default();
    // (first row, rows, components in use)
    let mut shelves: Vec<(u32, u32, u32)> = Vec::new();
    for (rows, bytes, place) in wanted {
        let lanes = bytes / 4;
        let shelf = shelves.iter().position(|s| s.1 >= rows && s.2 + lanes <= 4).or_else(|| {
            (out.rows + rows <= MOST_ROWS).then(|| {
                shelves.push((out.rows, rows, 0));
                out.rows += rows;
                shelves.len() - 1
            })
        });
        let Some(s) = shelf.map(|s| &mut shelves[s]) else { continue };
        out.list.push(Array { place, row: s.0, lane: s.2, bytes });
        s.2 += lanes;
    }
    out
}

/// Takes an access into account; false if it is none that temporaries can take.
fn access(f: &Function, i: Inst, v: &mut Variable) -> bool {
    let d = &f.insts[i];
    let (Op::Load | Op::Store, Some(m)) = (d.op, d.mem()) else { return false };
    let ty = if d.op == Op::Load { f.ty(d.result()) } else { f.ty(d.args[0]) };
    let bytes = f.access_bytes(i);
    let plain = m.flags.is_plain() && matches!(ty.scalar(), Scalar::I32 | Scalar::F32) && m.offset.is_multiple_of(4);
    if !plain || m.offset.checked_add(bytes).is_none_or(|end| end > v.size) {
        return false;
    }
    let dynamic = d.dyn_offset();
    if let Some(x) = dynamic {
        v.step = gcd(v.step, factor(f, x, 8));
        if !v.step.is_multiple_of(4) {
            return false;
        }
    }
    v.accesses.push((m.offset, bytes, dynamic.is_some()));
    true
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number that divides a value whatever it is, also where it wraps around; 0 for zero.
fn factor(f: &Function, v: Value, depth: u32) -> u32 {
    // Wrapping keeps divisibility by powers of two only.
    let two = |x: u32| if x == 0 { 0 } else { 1 << x.trailing_zeros() };
    if let Some(k) = f.const_bits(v) {
        return two(k as u32);
    }
    let ValueDef::Inst(i, _) = f.values[v].def else { return 1 };
    let d = &f.insts[i];
    if depth == 0 {
        return 1;
    }
    let of = |k: usize| factor(f, d.args[k], depth - 1);
    match d.op {
        Op::Shl => match f.const_bits(d.args[1]) {
            Some(s) => of(0).checked_shl(s as u32 & 31).filter(|&x| x != 0).unwrap_or(1 << 31),
            None => of(0),
        },
        Op::IMul => {
            let (a, b) = (of(0), of(1));
            if a == 0 || b == 0 { 0 } else { a.saturating_mul(b).min(1 << 31) }
        }
        Op::IAdd | Op::ISub | Op::UMin | Op::UMax | Op::SMin | Op::SMax => gcd(of(0), of(1)),
        Op::Select => gcd(of(1), of(2)),
        _ => 1,
    }
}

/// Moves the rows of arrays from the end of the file to `first`. Needs: physical registers.
pub fn place(mf: &mut MFunc<Vivante>, t: &Vivante, first: u16) {
    let Some(by) = t.array_row.checked_sub(first).filter(|&b| b > 0) else { return };
    let down = |p: &mut PReg| {
        if t.in_arrays(*p) {
            let lanes = p.place.lanes(4);
            p.place = Placement::mask((p.place.row(4) - by) * 4, lanes);
        }
    };
    for i in mf.code.iter_mut().flatten() {
        for u in &mut i.uses {
            if let Src::Reg(Reg::P(p)) = &mut u.src {
                down(p);
            }
        }
        for d in &mut i.defs {
            if let Reg::P(p) = &mut d.reg {
                down(p);
            }
        }
    }
}
