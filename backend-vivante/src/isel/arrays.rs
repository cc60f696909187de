//! Accesses to variables that live in temporaries.

use gpucc_ir::{Inst, Op, Value};
use gpucc_mir::{Def, MInst, PReg, Placement, Select, Use};
use gpucc_vivante_machine as machine;
use machine::Type;

use super::{Fold, Isel};
use crate::arrays::Array;
use crate::builders as build;
use crate::inst::{ADDRESS, Indexed, SrcMods, Ty, Vivante, row};

/// Rows of the register file.
const ROWS: u16 = 64;

type IselCx<'f> = Select<'f, Vivante>;

impl Isel<'_> {
    /// Some components of a row; `first` is the word of the row.
    fn row_of(&self, a: Array, row: u32, first: u32, n: u32) -> PReg {
        // Sixteen bits, so that a negative offset which an index brings back counts down from the array. Beyond the file lies what the
        // caller of unguarded code promised not to touch: any row will do.
        let at = u32::from(self.t.array_row).wrapping_add(a.row).wrapping_add(row) as u16;
        let base = if at < ROWS { at } else { self.t.array_row } * 4;
        PReg { file: 0, place: Placement::mask(base, ((1 << n) - 1) << (a.lane + first)) }
    }

    /// A load or store of a variable in temporaries.
    pub(super) fn array_access(&mut self, cx: &mut IselCx<'_>, i: Inst, a: Array) {
        let d = cx.data(i);
        let load = d.op == Op::Load;
        let offset = d.mem().map_or(0, |m| m.offset);
        let v = if load { d.result() } else { d.args[0] };
        let n = cx.f.ty(v).lanes();
        let words = a.bytes / 4;
        let index = d.dyn_offset().filter(|&x| cx.const_bits(x).is_none()).map(|x| self.row_index(cx, x, a.bytes));
        let fixed = d.dyn_offset().and_then(|x| cx.const_bits(x)).map_or(0, |k| k as u32);
        let word = offset.wrapping_add(fixed) / 4;
        let source = SrcMods { indexed: index.is_some() && load, ..SrcMods::default() };
        // Pieces of the value by row.
        let mut pieces: Vec<(PReg, u32, u32)> = Vec::new();
        let mut k = 0;
        while k < n {
            let first = (word + k) % words;
            let count = (words - first).min(n - k);
            pieces.push((self.row_of(a, (word + k) / words, first, count), k, count));
            k += count;
        }
        if load {
            let dst = cx.result(i, 0)[0];
            let mut parts = Vec::new();
            for &(place, _, count) in &pieces {
                let to = if pieces.len() == 1 { dst } else { cx.temp(row(count)) };
                let mut m = build::Mov.on([Use::preg(place).mods(source)]).def(to);
                m.uses.extend(index.map(Use::reg));
                cx.emit(m);
                parts.push(Use::reg(to));
            }
            if pieces.len() > 1 {
                cx.emit(MInst::collect(dst, parts));
            }
            return;
        }
        let fold = if cx.f.ty(v).is_float() { Fold::Float } else { Fold::None };
        let value = self.operand(cx, v, fold);
        for (place, from, count) in pieces {
            let swz = core::array::from_fn(|c| value.mods.swz[(from + (c as u32).min(count - 1)) as usize]);
            let part = value.mods(SrcMods { swz, ..value.mods });
            let mut m = build::Mov.with((Indexed(index.is_some()),), [part]).def(Def::preg(place));
            m.uses.extend(index.map(Use::reg));
            cx.emit(m);
        }
    }

    /// The address register with the row that a byte offset is in.
    fn row_index(&mut self, cx: &mut IselCx<'_>, v: Value, bytes: u32) -> gpucc_mir::VReg {
        let shift = bytes.trailing_zeros();
        let scaled = cx.peek(v).filter(|d| d.op == Op::Shl).and_then(|d| {
            let s = cx.const_bits(d.args[1])? as u32 & 31;
            (s >= shift).then(|| (d.args[0], s - shift))
        });
        let index = match scaled {
            Some((x, 0)) => self.operand_lane(cx, x, 0, Fold::None),
            other => {
                let (x, op, by) = match other {
                    Some((x, by)) => (x, build::Lshift, by),
                    None => (v, build::Rshift, shift),
                };
                let x = self.operand_lane(cx, x, 0, Fold::None);
                let by = self.literal(by);
                let r = cx.temp(row(1));
                // Signed: an offset that a constant brings back into the variable is a small negative number.
                cx.emit(op.with((Ty(Type::S32),), [x, by]).def(r));
                Use::reg(r)
            }
        };
        let a = cx.temp(ADDRESS);
        cx.emit(build::Movai.with((Ty(Type::S32),), [index]).def(a));
        a
    }
}
