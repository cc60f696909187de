//! Packs elements of indexed variables into rows of four words, where the variables would not fit into temporaries otherwise.
//!
//! ```text
//! v1 = load local0[0 + v0]      ==>      r = load local0[0 + (v0 & ~15)]; four words
//!                                        v1 = its component (v0 & 12) / 4, by selects
//! ```
//!
//! A store loads the row, replaces a component and stores the row; so all rows are 0 at the start. Threads of draws have no other memory than temporaries, and an element
//! of a word in each of them leaves three quarters unused.
//! Needs: robust offsets as `clamp` leaves them. Keeps: the CFG. Leaves alone: variables of which an access is none of words, and all where
//! everything fits.

use gpucc_ir::{Builder, Function, Inst, IntCc, Mem, Op, Place, SecondaryMap, Type, Value};
use gpucc_opt::PassCx;

use crate::arrays::{self, ROW_BYTES};

/// Runs over a function; `all` packs also what fits.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, all: bool) {
    let packed = arrays::to_pack(f, cx.module, all);
    if packed.is_empty() {
        return;
    }
    for &(place, _) in &packed {
        if let Place::Local(l) = place {
            let local = &mut f.locals[l];
            local.size = local.size.next_multiple_of(ROW_BYTES);
            local.align = local.align.max(ROW_BYTES);
        }
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut old = Vec::new();
    let mut n = 0;
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            let d = &f.insts[i];
            let step = d.mem().and_then(|m| packed.iter().find(|p| p.0 == m.place)).map(|p| p.1);
            let (Some(step), Some(m), Some(v)) = (step, d.mem().copied(), d.dyn_offset()) else {
                f.blocks[block].insts.push(i);
                continue;
            };
            let op = d.op;
            let mut access = Access { b: Builder::like(f, block, i), m, dynamic: v, step };
            if op == Op::Load {
                let result = access.b.func.insts[i].result();
                map[result] = Some(access.load(result));
            } else {
                access.store(i);
            }
            n += 1;
        }
    }
    f.replace_uses(&map);
    for &(place, _) in &packed {
        n += clear(f, cx, place, &mut old);
    }
    cx.must_change(n);
}

/// Gives every row of a variable a value at the start: an access reads whole rows, of which the program may have written a part. Gives the
/// number of stores.
fn clear(f: &mut Function, cx: &PassCx<'_>, place: Place, old: &mut Vec<Inst>) -> u64 {
    let rows = cx.module.place_size(f, place).unwrap_or(0).div_ceil(ROW_BYTES);
    let entry = f.entry();
    f.take_insts(entry, old);
    if let Some(&first) = old.first() {
        let zero = f.zero(Type::I32.with_lanes(4));
        for row in 0..rows {
            Builder::like(f, entry, first).store(zero, Mem::new(place, ROW_BYTES * row, ROW_BYTES), None);
        }
    }
    f.blocks[entry].insts.extend(old.iter().copied());
    rows.into()
}

/// An access at a dynamic offset.
struct Access<'f> {
    b: Builder<'f>,
    m: Mem,
    dynamic: Value,
    /// Every dynamic offset is a multiple of this.
    step: u32,
}

impl Access<'_> {
    fn int(&mut self, v: u32) -> Value {
        self.b.func.iconst(Type::I32, i64::from(v))
    }

    /// The offset of the word `k`, in bytes.
    fn word(&mut self, k: u32) -> Value {
        match self.m.offset + 4 * k {
            0 => self.dynamic,
            by => {
                let by = self.int(by);
                self.b.iadd(self.dynamic, by)
            }
        }
    }

    /// The offset of the row that a byte is in.
    fn row(&mut self, byte: Value) -> Value {
        let mask = self.int(!(ROW_BYTES - 1));
        self.b.and(byte, mask)
    }

    fn load_row(&mut self, lane: Type, row: Value) -> Value {
        let m = Mem { offset: 0, align: ROW_BYTES, ..self.m };
        self.b.load(lane.with_lanes(4), m, Some(row))
    }

    fn bit(&mut self, byte: Value, bit: u32) -> Value {
        let (mask, zero) = (self.int(bit), self.int(0));
        let bits = self.b.and(byte, mask);
        self.b.icmp(IntCc::Ne, bits, zero)
    }

    /// Whether so many words lie in one half of a row, whatever the offset is.
    fn in_half(&self, words: u32) -> bool {
        self.step.is_multiple_of(8) && self.m.offset % 8 + 4 * words <= 8
    }

    fn load(&mut self, result: Value) -> Value {
        let ty = self.b.func.ty(result);
        let words = ty.lanes();
        if self.in_half(words) {
            let byte = self.word(0);
            let row = self.row(byte);
            let all = self.load_row(ty.lane(), row);
            let high = self.bit(byte, 8);
            let first = self.m.offset % 8 / 4;
            let parts: Vec<Value> = (first..first + words)
                .map(|k| {
                    let (low, up) = (self.b.extract(all, k), self.b.extract(all, k + 2));
                    self.b.select(high, up, low)
                })
                .collect();
            return self.b.compose(&parts);
        }
        let parts: Vec<Value> = (0..words)
            .map(|k| {
                let byte = self.word(k);
                let row = self.row(byte);
                let all = self.load_row(ty.lane(), row);
                let (high, odd) = (self.bit(byte, 8), self.bit(byte, 4));
                let [x, y, z, w] = [0, 1, 2, 3].map(|k| self.b.extract(all, k));
                let (even, other) = (self.b.select(high, z, x), self.b.select(high, w, y));
                self.b.select(odd, other, even)
            })
            .collect();
        self.b.compose(&parts)
    }

    fn store(&mut self, i: Inst) {
        let value = self.b.func.insts[i].args[0];
        let ty = self.b.func.ty(value);
        let words = ty.lanes();
        let (pieces, bits) = if self.in_half(words) { (vec![0], 8) } else { ((0..words).collect(), 12) };
        for k in pieces {
            let byte = self.word(k);
            let row = self.row(byte);
            let all = self.load_row(ty.lane(), row);
            let mask = self.int(bits);
            let at = self.b.and(byte, mask);
            let parts: Vec<Value> = (0..4)
                .map(|c| {
                    let old = self.b.extract(all, c);
                    // The component of the value that may go here, and the place that it has then.
                    let (from, place) = match bits {
                        8 => ((c % 2).checked_sub(self.m.offset % 8 / 4).filter(|&k| k < words), 8 * (c / 2)),
                        _ => (Some(k), 4 * c),
                    };
                    let Some(from) = from else { return old };
                    let (new, place) = (self.b.extract(value, from), self.int(place));
                    let here = self.b.icmp(IntCc::Eq, at, place);
                    self.b.select(here, new, old)
                })
                .collect();
            let row_value = self.b.compose(&parts);
            let m = Mem { offset: 0, align: ROW_BYTES, ..self.m };
            self.b.store(row_value, m, Some(row));
        }
    }
}
