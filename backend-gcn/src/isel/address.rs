//! Loads, stores and atomics at addresses: by FLAT on gfx8, which has neither offset nor descriptor; before by buffer instructions with a
//! V# of all memory and the address in two vector registers.

use gpucc_gcn_machine::Op;
use gpucc_ir::{AtomicOp, Mem, Type, Value};
use gpucc_mir::{Def, MInst, Use, VReg};

use super::memory::buffer_atomic;
use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{Addr64, Glc, IN_OPERAND, MI, Offset, S, S4, Srsrc, U, V2, op, run_class, with};

/// The V# of all memory: no base, no bound, and a format, without which loads give zeros.
const ALL_MEMORY: [u32; 4] = [0, 0, u32::MAX, 0x0002_7fac];

/// An opcode for buffers, and that of FLAT.
type Ops = (Op, Op);

impl Isel<'_> {
    /// An access `more` bytes behind an address, with the data that it takes.
    fn at_address(&mut self, cx: &mut IselCx<'_>, ops: Ops, m: &Mem, (at, more): (U, u32), data: Option<U>) -> MI {
        if self.generation == 2 {
            return with(op(ops.1).arg(at).args(data), (Glc(m.flags.is_shared()),));
        }
        let words = ALL_MEMORY.map(|word| {
            let t = cx.temp(S);
            cx.emit(build::SMovB32.on([Use::imm(word)]).def(t));
            Use::reg(t)
        });
        let table = cx.temp(S4);
        cx.emit(MInst::collect(table, words));
        let mods = (Srsrc(IN_OPERAND), Addr64(true), Offset(m.offset + more), Glc(m.flags.is_shared()));
        with(op(ops.0).args(data).arg(at).arg(Use::reg(table)), mods)
    }

    /// The accesses that words at an address take: first word, words, opcodes. gfx6 has none of three words.
    fn words_at(&self, words: usize, of: [Ops; 4]) -> Vec<(usize, usize, Ops)> {
        match words {
            3 if self.generation == 0 => vec![(0, 2, of[1]), (2, 1, of[0])],
            n => vec![(0, n, of[n - 1])],
        }
    }

    pub(super) fn load_at(&mut self, cx: &mut IselCx<'_>, m: &Mem, at: Value, ty: Type, out: &[VReg]) {
        let at = self.run(cx, at);
        let one = match ty.bits() {
            8 => (Op::BufferLoadUbyte, Op::FlatLoadUbyte),
            16 => (Op::BufferLoadUshort, Op::FlatLoadUshort),
            _ => (Op::BufferLoadDword, Op::FlatLoadDword),
        };
        let of = [
            one,
            (Op::BufferLoadDwordx2, Op::FlatLoadDwordx2),
            (Op::BufferLoadDwordx3, Op::FlatLoadDwordx3),
            (Op::BufferLoadDwordx4, Op::FlatLoadDwordx4),
        ];
        for (first, n, ops) in self.words_at(out.len(), of) {
            let out = &out[first..first + n];
            let run = if n == 1 { out[0] } else { cx.temp(run_class(n)) };
            let load = self.at_address(cx, ops, m, (at, 4 * first as u32), None);
            cx.emit(load.def(run));
            if n > 1 {
                cx.emit(MInst::split(out, run));
            }
        }
    }

    pub(super) fn store_at(&mut self, cx: &mut IselCx<'_>, m: &Mem, at: Value, value: Value) {
        let at = self.run(cx, at);
        let ty = cx.f.ty(value);
        let one = match ty.bits() {
            8 => (Op::BufferStoreByte, Op::FlatStoreByte),
            16 => (Op::BufferStoreShort, Op::FlatStoreShort),
            _ => (Op::BufferStoreDword, Op::FlatStoreDword),
        };
        let of = [
            one,
            (Op::BufferStoreDwordx2, Op::FlatStoreDwordx2),
            (Op::BufferStoreDwordx3, Op::FlatStoreDwordx3),
            (Op::BufferStoreDwordx4, Op::FlatStoreDwordx4),
        ];
        let parts = self.words_at(ty.lanes() as usize, of);
        if let [(_, _, ops)] = parts[..] {
            let data = self.run(cx, value);
            let store = self.at_address(cx, ops, m, (at, 0), Some(data));
            cx.emit(store);
            return;
        }
        let regs = cx.regs(value);
        for (first, n, ops) in parts {
            let words: Vec<U> = regs[first..first + n].iter().map(|&r| self.in_vector(cx, Use::reg(r))).collect();
            let data = match words[..] {
                [word] => word,
                _ => {
                    let run = cx.temp(run_class(n));
                    cx.emit(MInst::collect(run, words));
                    Use::reg(run)
                }
            };
            let store = self.at_address(cx, ops, m, (at, 4 * first as u32), Some(data));
            cx.emit(store);
        }
    }

    /// An atomic, none for an exchange that compares, with the run that it takes and its registers. The old value goes to `out`, if anywhere.
    pub(super) fn atomic_at(
        &mut self,
        cx: &mut IselCx<'_>,
        m: &Mem,
        at: Value,
        (kind, wide): (Option<AtomicOp>, bool),
        (data, n): (U, usize),
        out: &[VReg],
    ) {
        let at = self.run(cx, at);
        let ops = (buffer_atomic(kind, wide), flat_atomic(kind, wide));
        let inst = with(self.at_address(cx, ops, m, (at, 0), Some(data)), (Glc(!out.is_empty()),));
        if self.generation == 2 {
            match *out {
                [] => cx.emit(inst),
                [one] => cx.emit(inst.def(one)),
                _ => {
                    let pair = cx.temp(V2);
                    cx.emit(inst.def(pair));
                    cx.emit(MInst::split(out, pair));
                }
            }
            return;
        }
        // A buffer's result takes the place of the data.
        let result = if let (1, [one]) = (n, out) { *one } else { cx.temp(run_class(n)) };
        cx.emit(inst.def(Def::reg(result).tied(0)));
        if !out.is_empty() {
            self.split_off(cx, out, (result, n));
        }
    }
}

fn flat_atomic(k: Option<AtomicOp>, wide: bool) -> Op {
    let (one, two) = match k {
        None => (Op::FlatAtomicCmpswap, Op::FlatAtomicCmpswapX2),
        Some(AtomicOp::Add) => (Op::FlatAtomicAdd, Op::FlatAtomicAddX2),
        Some(AtomicOp::Sub) => (Op::FlatAtomicSub, Op::FlatAtomicSubX2),
        Some(AtomicOp::And) => (Op::FlatAtomicAnd, Op::FlatAtomicAndX2),
        Some(AtomicOp::Or) => (Op::FlatAtomicOr, Op::FlatAtomicOrX2),
        Some(AtomicOp::Xor) => (Op::FlatAtomicXor, Op::FlatAtomicXorX2),
        Some(AtomicOp::SMin) => (Op::FlatAtomicSmin, Op::FlatAtomicSminX2),
        Some(AtomicOp::SMax) => (Op::FlatAtomicSmax, Op::FlatAtomicSmaxX2),
        Some(AtomicOp::UMin) => (Op::FlatAtomicUmin, Op::FlatAtomicUminX2),
        Some(AtomicOp::UMax) => (Op::FlatAtomicUmax, Op::FlatAtomicUmaxX2),
        Some(AtomicOp::Exchange) => (Op::FlatAtomicSwap, Op::FlatAtomicSwapX2),
    };
    if wide { two } else { one }
}
