//! Quotients and remainders of 64 bits from quotients of 32 bits, without a loop.
//!
//! A divisor of one word: the high word is divided, and its remainder with the low word by the same divisor. A divisor of two words: the
//! quotient has one word, which half the dividend and the high bits of the divisor give within one of the right one (Warren, Hacker's
//! Delight, 9-5). Both end in one division of two words by one that is greater than the high word ("9-4"), two digits of 16 bits, each
//! guessed from the high half of the divisor and at most two too large.

use gpucc_ir::{Builder, IntCc, Op, Value};

use super::pair::{Pair, abs, compare, is, is_negative, moved_up, mul, neg_where, sub, with, word};

/// Quotient and remainder without signs; the dividend and 0 where the divisor is 0.
pub(super) fn unsigned(b: &mut Builder<'_>, x: Pair, y: Pair) -> (Pair, Pair) {
    let one_word = is(b, y.hi, 0);
    let high = b.udiv(x.hi, y.lo);
    let taken = b.imul(high, y.lo);
    let rest = b.isub(x.hi, taken);

    let n = b.clz(y.hi);
    let n = with(b, Op::And, n, 31);
    let top = moved_up(b, y.hi, y.lo, n);
    let (half_hi, one) = (with(b, Op::UShr, x.hi, 1), word(b, 1));
    let half_lo = b.fshr(x.hi, x.lo, one);

    let hi = b.select(one_word, rest, half_hi);
    let lo = b.select(one_word, x.lo, half_lo);
    let by = b.select(one_word, y.lo, top);
    let digit = by_greater_word(b, hi, lo, by);

    // The word of two: moved back, one less, and one more if the rest says so.
    let (up, zero) = (b.shl(digit, n), word(b, 0));
    let above = moved_up(b, zero, digit, n);
    let (above, last) = (with(b, Op::Shl, above, 1), with(b, Op::UShr, up, 31));
    let guess = b.or(above, last);
    let nothing = is(b, guess, 0);
    let less = with(b, Op::ISub, guess, 1);
    let guess = b.select(nothing, guess, less);
    let wide = Pair::small(b, guess);
    let product = mul(b, wide, y);
    let rest = sub(b, x, product);
    let one_more = compare(b, IntCc::Uge, rest, y);
    let more = with(b, Op::IAdd, guess, 1);
    let guess = b.select(one_more, more, guess);

    let quotient = Pair { lo: b.select(one_word, digit, guess), hi: b.select(one_word, high, zero) };
    let words = b.or(y.lo, y.hi);
    let none = is(b, words, 0);
    let quotient = Pair::select(b, none, x, quotient);
    let product = mul(b, quotient, y);
    let rest = sub(b, x, product);
    let zero = Pair { lo: zero, hi: zero };
    (quotient, Pair::select(b, none, zero, rest))
}

/// Quotient toward zero, and the remainder with the sign of the dividend.
pub(super) fn signed(b: &mut Builder<'_>, x: Pair, y: Pair) -> (Pair, Pair) {
    let (px, py) = (abs(b, x), abs(b, y));
    let (q, r) = unsigned(b, px, py);
    let signs = Pair { lo: x.lo, hi: b.xor(x.hi, y.hi) };
    let (turned, below) = (is_negative(b, signs), is_negative(b, x));
    (neg_where(b, turned, q), neg_where(b, below, r))
}

/// `(hi : lo) / by` where `by` is greater than `hi`.
fn by_greater_word(b: &mut Builder<'_>, hi: Value, lo: Value, by: Value) -> Value {
    let n = b.clz(by);
    let n = with(b, Op::And, n, 31);
    let by = b.shl(by, n);
    let high = moved_up(b, hi, lo, n);
    let low = b.shl(lo, n);
    let (first, second) = (with(b, Op::UShr, low, 16), with(b, Op::And, low, 0xffff));
    let q1 = digit(b, high, first, by);
    let rest = rest(b, high, first, q1, by);
    let q0 = digit(b, rest, second, by);
    let q1 = with(b, Op::Shl, q1, 16);
    b.iadd(q1, q0)
}

/// What is left of `high` with the next half-word behind it.
fn rest(b: &mut Builder<'_>, high: Value, next: Value, digit: Value, by: Value) -> Value {
    let up = with(b, Op::Shl, high, 16);
    let all = b.iadd(up, next);
    let taken = b.imul(digit, by);
    b.isub(all, taken)
}

/// A digit of 16 bits.
fn digit(b: &mut Builder<'_>, high: Value, next: Value, by: Value) -> Value {
    let (top, low) = (with(b, Op::UShr, by, 16), with(b, Op::And, by, 0xffff));
    let mut q = b.udiv(high, top);
    let taken = b.imul(q, top);
    let mut r = b.isub(high, taken);
    for _ in 0..2 {
        let large = super::pair::at_least(b, q, 1 << 16);
        let (product, up) = (b.imul(q, low), with(b, Op::Shl, r, 16));
        let all = b.or(up, next);
        let beyond = b.icmp(IntCc::Ugt, product, all);
        let most = word(b, 1 << 16);
        let (wrong, known) = (b.or(large, beyond), b.icmp(IntCc::Ult, r, most));
        let wrong = b.and(wrong, known);
        let (less, more) = (with(b, Op::ISub, q, 1), b.iadd(r, top));
        q = b.select(wrong, less, q);
        r = b.select(wrong, more, r);
    }
    q
}
