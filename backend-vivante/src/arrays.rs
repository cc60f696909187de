//! Variables that are indexed dynamically and live in temporaries `t[a0.x]` (reference 4.5): which, and where.
//!
//! A row of such a variable is as many bytes as every dynamic offset is a multiple of, at most four words, and takes some
//! components of one temporary; narrow arrays lie side by side. The rows are kept from the allocator, at the upper end
//! of the file; `place` moves them down behind what is in use. Variables that do not fit stay in memory.
//! Needs: robust offsets as `clamp` leaves them.

use gpucc_driver::Tables;
use gpucc_ir::{Attr, Block, CsrLists, Function, Inst, Module, Op, Place, Scalar, Space, Value, ValueDef};
use gpucc_mir::{MFunc, PReg, Placement, Reg, Src};

use crate::inst::Vivante;

/// Temporaries that arrays may take.
const MOST_ROWS: u32 = 24;
/// The same where there is no other memory.
const MOST_ROWS_ALONE: u32 = 60;
/// Rows up to which elements have rows of their own there.
const MOST_ROWS_APART: u32 = 48;
/// Bytes of a row that is packed.
pub const ROW_BYTES: u32 = 16;

/// One variable in temporaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    /// The variable that lies there.
    pub place: Place,
    /// First row, counted from the first row of all arrays.
    pub row: u32,
    /// First component of each row, 0 for x.
    pub lane: u32,
    /// Bytes of a row: 4, 8, or 16.
    pub bytes: u32,
}

/// The variables in temporaries, and the rows that they take.
#[derive(Clone, Default, Debug)]
pub struct Arrays {
    /// One entry a variable.
    pub list: Vec<Array>,
    /// Number of rows of all arrays together.
    pub rows: u32,
}

impl Arrays {
    /// The array that a place is.
    pub fn find(&self, place: Place) -> Option<Array> {
        self.list.iter().copied().find(|a| a.place == place)
    }
}

/// The facts about a variable.
struct Variable {
    place: Place,
    size: u32,
    /// Every dynamic offset is a multiple of this.
    step: u32,
    /// Constant offset and bytes of each access, and whether it is dynamic.
    accesses: Vec<(u32, u32, bool)>,
    good: bool,
}

/// The variables whose elements are packed into rows of four words, with what divides every dynamic offset: where they would not fit
/// otherwise, the longest first, or all that gain.
pub fn to_pack(f: &Function, module: &Module, all: bool) -> Vec<(Place, u32)> {
    let mut rest = 0;
    let mut gain: Vec<(u32, u32, Place, u32)> = Vec::new();
    for v in variables(f, module, &Tables::new(module, f)).iter().filter(|v| v.good) {
        let Some(bytes) = [16, 8, 4].into_iter().find(|&b| v.step.is_multiple_of(b)) else { continue };
        let (own, packed) = (v.size.div_ceil(bytes), v.size.div_ceil(ROW_BYTES));
        rest += own;
        // A variable of the module cannot grow to whole rows.
        if packed < own && matches!(v.place, Place::Local(_)) {
            gain.push((own, packed, v.place, v.step));
        }
    }
    gain.sort_by_key(|g| core::cmp::Reverse(g.0 - g.1));
    let mut list = Vec::new();
    for (own, packed, place, step) in gain {
        if rest <= MOST_ROWS_APART && !all {
            break;
        }
        rest -= own - packed;
        list.push((place, step));
    }
    list
}

/// The variables of invocations that are no tables, with their accesses.
fn variables(f: &Function, module: &Module, tables: &Tables) -> Vec<Variable> {
    let mut list: Vec<Variable> = Vec::new();
    let mut factors = Factors { f, preds: None, under: Vec::new(), asked: 0 };
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
        if tables.at(place).is_some() {
            continue;
        }
        let at = list.iter().position(|v| v.place == place).unwrap_or_else(|| {
            list.push(Variable { place, size, step: 0, accesses: Vec::new(), good: true });
            list.len() - 1
        });
        let v = &mut list[at];
        v.good &= access(&mut factors, i, v);
    }
    list
}

/// Chooses the variables of a function: those with a dynamic index, or `all`, where there is no other memory for them.
pub fn choose(f: &Function, module: &Module, tables: &Tables, all: bool) -> Arrays {
    let list = variables(f, module, tables);
    // The longest first: narrow ones then fill up the components beside them.
    let mut wanted: Vec<(u32, u32, Place)> = Vec::new();
    for v in list.iter().filter(|v| v.good && (all || v.accesses.iter().any(|a| a.2))) {
        // An access of several rows is several moves, which memory is cheaper than.
        let fits = |b: u32| v.step.is_multiple_of(b) && (all || v.accesses.iter().all(|a| !a.2 || a.0 % b + a.1 <= b));
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
            (out.rows + rows <= if all { MOST_ROWS_ALONE } else { MOST_ROWS }).then(|| {
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

/// What is to be said where variables of so many bytes in a vertex or fragment program found no temporaries.
pub fn short_of(arrays: &Arrays, bytes: u32) -> String {
    format!(
        "has 0 bytes of private memory in this stage, this needs {bytes}: {} of the {MOST_ROWS_ALONE} temporaries for what is indexed hold other variables",
        arrays.rows
    )
}

/// Takes an access into account; false if it is none that temporaries can take.
fn access(factors: &mut Factors<'_>, i: Inst, v: &mut Variable) -> bool {
    let f = factors.f;
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
        factors.asked = 0;
        // An access promises its alignment, which its constant offset has as well; what the offset is made of may say more.
        let of = match factors.of(x, 0, DEPTH) {
            0 => 0,
            found => found.max(m.align),
        };
        v.step = gcd(v.step, of);
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

/// The divisor of values.
struct Factors<'f> {
    f: &'f Function,
    preds: Option<CsrLists<Block, Block>>,
    /// Parameters that are being asked, with their components.
    under: Vec<(Value, u8)>,
    /// Values asked for this offset so far.
    asked: u32,
}

/// Steps from an offset to what it is made of, and values that are asked for one offset: sums of sums ask the same ones often.
const DEPTH: u32 = 32;
const MOST_ASKED: u32 = 512;

impl Factors<'_> {
    /// A number that divides a component of a value whatever it is, also where it wraps around; 0 for zero.
    fn of(&mut self, v: Value, lane: u8, depth: u32) -> u32 {
        let f = self.f;
        let lane = if f.ty(v).lanes() == 1 { 0 } else { lane };
        if let Some(c) = f.as_const(v) {
            // Wrapping keeps divisibility by powers of two only.
            let k = c.bits[usize::from(lane)] as u32;
            return if k == 0 { 0 } else { 1 << k.trailing_zeros() };
        }
        self.asked += 1;
        if depth == 0 || self.asked > MOST_ASKED {
            return 1;
        }
        let i = match f.values[v].def {
            ValueDef::Inst(i, _) => i,
            ValueDef::Param(b, n) => return self.parameter((v, lane), (b, n as usize), depth),
            _ => return 1,
        };
        let d = &f.insts[i];
        if let Some((from, k)) = d.moved_lanes(f.ty(v).lanes()).and_then(|l| l.get(usize::from(lane)).copied()) {
            return self.of(from, k as u8, depth - 1);
        }
        let mut of = |k: usize| self.of(d.args[k], lane, depth - 1);
        match (d.op, &d.attr) {
            (Op::Shl, _) => match f.const_bits(d.args[1]) {
                Some(s) => of(0).checked_shl(s as u32 & 31).filter(|&x| x != 0).unwrap_or(1 << 31),
                None => of(0),
            },
            (Op::IMul, _) => {
                let (a, b) = (of(0), of(1));
                if a == 0 || b == 0 { 0 } else { a.saturating_mul(b).min(1 << 31) }
            }
            (Op::IAdd | Op::ISub | Op::UMin | Op::UMax | Op::SMin | Op::SMax, _) => gcd(of(0), of(1)),
            (Op::And, _) => match (of(0), of(1)) {
                (0, _) | (_, 0) => 0,
                (a, b) => a.max(b),
            },
            (Op::Select, _) => gcd(of(1), of(2)),
            (Op::Extract, &Attr::Lane(k)) => self.of(d.args[0], k, depth - 1),
            (Op::Compose, _) => self.of(d.args[usize::from(lane)], 0, depth - 1),
            (Op::Splat, _) => of(0),
            _ => 1,
        }
    }

    /// The greatest divisor of all that a parameter may be. One that counts by steps is divided by the divisors of its start and its steps.
    fn parameter(&mut self, v: (Value, u8), (block, n): (Block, usize), depth: u32) -> u32 {
        if block == self.f.entry() {
            return 1;
        }
        if self.under.contains(&v) {
            return 0;
        }
        let f = self.f;
        let preds = self.preds.get_or_insert_with(|| f.preds());
        let given: Vec<Value> = f.edges_to(block, &preds[block]).map(|(_, e)| e.args[n]).collect();
        self.under.push(v);
        let all = given.into_iter().fold(0, |g, a| gcd(g, self.of(a, v.1, depth - 1)));
        self.under.pop();
        all
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
