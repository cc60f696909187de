//! `const` checks of a table: call them in a `const _: () = ...;` beside the rows, so that a bad row does not compile.

use crate::bits::Word;
use crate::isa::{Enc, Isa, MAX_SLOTS, Role, Row};

/// Refuses rows whose fields overlap each other, their fixed bits or their ignored bits, or lie beyond the length.
pub const fn fields<I: Isa>(rows: &[Row<I>]) {
    let mut r = 0;
    while r < rows.len() {
        let row = &rows[r];
        let limit: Word = if row.bytes >= 16 { !0 } else { (1u128 << (row.bytes as u32 * 8)) - 1 };
        let mut e = 0;
        let mut fixed_all: Word = 0;
        while e < row.enc.len() {
            assert!(row.enc[e].mask & !limit == 0, "fixed bits beyond the instruction");
            assert!(row.enc[e].value & !row.enc[e].mask == 0, "fixed value outside its mask");
            fixed_all |= row.enc[e].mask;
            e += 1;
        }
        let mut used: Word = row.ignored;
        assert!(used & fixed_all == 0, "ignored bits overlap fixed bits");
        let mut s = 0;
        while s < row.operands.len() {
            let m = row.operands[s].field.mask();
            assert!(m & used == 0, "slot fields overlap");
            assert!(m & fixed_all == 0, "slot field overlaps fixed bits");
            assert!(m & !limit == 0, "slot field beyond the instruction");
            used |= m;
            s += 1;
        }
        assert!(row.operands.len() <= MAX_SLOTS, "too many slots");
        r += 1;
    }
}

/// Refuses rows without any effect: those that define nothing have a side effect, and so has what writes memory or ends a block.
pub const fn effects<I: Isa>(rows: &[Row<I>]) {
    let mut r = 0;
    while r < rows.len() {
        let row = &rows[r];
        let mut defines = row.count(Role::Def) + row.count(Role::UseDef) > 0;
        let mut k = 0;
        while k < row.implicit.len() {
            defines |= row.implicit[k].write;
            k += 1;
        }
        let e = &row.effects;
        assert!(defines || e.side_effect, "a row defines nothing and has no side effect");
        assert!(e.side_effect || !(e.writes || e.terminator), "what writes memory or ends a block has a side effect");
        assert!(e.space == 0 || e.reads || e.writes, "memory that a row does not touch");
        r += 1;
    }
}

/// Refuses two rows that can match the same word on the same generation and program type.
pub const fn ambiguity<I: Isa>(rows: &[Row<I>]) {
    let mut a = 0;
    while a < rows.len() {
        let mut b = a + 1;
        while b < rows.len() {
            if rows[a].bytes == rows[b].bytes && rows[a].stages & rows[b].stages != 0 {
                let mut i = 0;
                while i < rows[a].enc.len() {
                    let mut j = 0;
                    while j < rows[b].enc.len() {
                        let (x, y) = (&rows[a].enc[i], &rows[b].enc[j]);
                        let differ = (x.value ^ y.value) & x.mask & y.mask != 0
                            || excepted(rows[a].except, y)
                            || excepted(rows[b].except, x);
                        assert!(x.generations & y.generations == 0 || differ, "two rows match one word");
                        j += 1;
                    }
                    i += 1;
                }
            }
            b += 1;
        }
        a += 1;
    }
}

/// Whether every word of `enc` is among the exceptions.
const fn excepted(except: &[(Word, Word)], enc: &Enc) -> bool {
    let mut i = 0;
    while i < except.len() {
        let (m, v) = except[i];
        if enc.mask & m == m && enc.value & m == v {
            return true;
        }
        i += 1;
    }
    false
}
