//! Each op on integers of 64 bits, as pairs.

use gpucc_ir::{Builder, IntCc, Op, Value};

use super::divide;
use super::pair::*;

/// An integer clamped to a word of at most `most`.
fn at_most(b: &mut Builder<'_>, x: Pair, most: u32) -> Value {
    let (small, low) = (is(b, x.hi, 0), with(b, Op::UMin, x.lo, most));
    let most = word(b, most);
    b.select(small, low, most)
}

/// Where a bit field lies: its first bit up to 64, how many bits there are, and ones for as many, at bit 0.
fn field(b: &mut Builder<'_>, offset: Pair, count: Pair) -> (Value, Value, Pair) {
    let (offset, count) = (at_most(b, offset, 64), at_most(b, count, 64));
    let all = word(b, 64);
    let room = b.isub(all, offset);
    let count = b.umin(count, room);
    let (ones, above) = (Pair::of(b.func, u64::MAX), b.isub(all, count));
    let ones = shr(b, Op::UShr, ones, above);
    let (none, zero) = (is(b, count, 0), Pair::of(b.func, 0));
    (offset, count, Pair::select(b, none, zero, ones))
}

/// An op of two words each: the same of both halves.
fn halves(b: &mut Builder<'_>, op: Op, args: &[Pair]) -> Pair {
    let lo: smallvec::SmallVec<[Value; 4]> = args.iter().map(|p| p.lo).collect();
    let hi: smallvec::SmallVec<[Value; 4]> = args.iter().map(|p| p.hi).collect();
    Pair { lo: b.op(op, &lo), hi: b.op(op, &hi) }
}

/// The least or greatest of two.
fn pick(b: &mut Builder<'_>, cc: IntCc, x: Pair, y: Pair) -> Pair {
    let c = compare(b, cc, x, y);
    Pair::select(b, c, x, y)
}

/// The low half of the double-width `x : y` moved down by `n` modulo 64.
fn funnel(b: &mut Builder<'_>, x: Pair, y: Pair, n: Value) -> Pair {
    let (far, count) = (crosses(b, n), with(b, Op::And, n, 31));
    let (a, middle, c) = (b.fshr(x.hi, x.lo, count), b.fshr(x.lo, y.hi, count), b.fshr(y.hi, y.lo, count));
    Pair { lo: b.select(far, middle, c), hi: b.select(far, a, middle) }
}

/// An op whose operands and result all are integers of 64 bits; none where there is no form.
pub(super) fn op(b: &mut Builder<'_>, op: Op, args: &[Pair]) -> Option<Pair> {
    let x = *args.first()?;
    let y = args.get(1).copied().unwrap_or(x);
    Some(match op {
        Op::IAdd => add(b, x, y),
        Op::ISub => sub(b, x, y),
        Op::IMul => mul(b, x, y),
        Op::UMulHi => mul_hi(b, x, y),
        Op::SMulHi => mul_hi_signed(b, x, y),
        Op::UDiv => divide::unsigned(b, x, y).0,
        Op::URem => divide::unsigned(b, x, y).1,
        Op::SDiv => divide::signed(b, x, y).0,
        Op::SRem => divide::signed(b, x, y).1,
        Op::INeg => neg(b, x),
        Op::IAbs => abs(b, x),
        Op::SMin => pick(b, IntCc::Slt, x, y),
        Op::SMax => pick(b, IntCc::Sgt, x, y),
        Op::UMin => pick(b, IntCc::Ult, x, y),
        Op::UMax => pick(b, IntCc::Ugt, x, y),
        Op::And | Op::Or | Op::Xor | Op::Not | Op::BitSel => halves(b, op, args),
        Op::Shl => shl(b, x, y.lo),
        Op::UShr | Op::SShr => shr(b, op, x, y.lo),
        Op::FShr => funnel(b, x, y, args[2].lo),
        Op::Popcount => {
            let (lo, hi) = (b.popcount(x.lo), b.popcount(x.hi));
            let n = b.iadd(lo, hi);
            Pair::small(b, n)
        }
        Op::Clz => {
            let n = clz(b, x);
            Pair::small(b, n)
        }
        Op::Ctz => {
            let (none, low, high) = (is(b, x.lo, 0), b.ctz(x.lo), b.ctz(x.hi));
            let high = with(b, Op::IAdd, high, 32);
            let n = b.select(none, high, low);
            Pair::small(b, n)
        }
        Op::BitReverse => Pair { lo: b.bitreverse(x.hi), hi: b.bitreverse(x.lo) },
        Op::UBitExtract => {
            let (offset, _, ones) = field(b, y, args[2]);
            let low = shr(b, Op::UShr, x, offset);
            halves(b, Op::And, &[low, ones])
        }
        Op::SBitExtract => {
            let (offset, count, _) = field(b, y, args[2]);
            let all = word(b, 64);
            let room = b.isub(all, count);
            let above = b.isub(room, offset);
            let top = shl(b, x, above);
            let taken = shr(b, Op::SShr, top, room);
            let (none, zero) = (is(b, count, 0), Pair::of(b.func, 0));
            Pair::select(b, none, zero, taken)
        }
        Op::BitInsert => {
            let (offset, _, ones) = field(b, args[2], args[3]);
            let (mask, new) = (shl(b, ones, offset), shl(b, y, offset));
            halves(b, Op::BitSel, &[mask, new, x])
        }
        _ => return None,
    })
}
