//! Integers of 64 bits.

use super::{Generator, Ty};

impl Generator {
    /// A value of 64 bits from words: naga's constants are kept out of its evaluator as elsewhere.
    pub(super) fn long_leaf(&mut self, t: Ty) -> String {
        let name = t.name();
        let (a, b) = (self.leaf(Ty::U), self.leaf(Ty::U));
        match self.pick(4) {
            0 => format!("{name}({a})"),
            1 => format!("{name}({})", self.leaf(Ty::I)),
            2 => {
                let (suffix, zero) = if t == Ty::L { ("li", "i64(zi)") } else { ("lu", "u64(zu)") };
                let n = self.one(&[
                    "0",
                    "1",
                    "3",
                    "4294967295",
                    "4294967296",
                    "9223372036854775807",
                    "1311768467463790320",
                ]);
                format!("({zero} + {n}{suffix})")
            }
            _ => format!("(({name}({a}) << 32u) | {name}({b}))"),
        }
    }

    /// A value of 64 bits.
    pub(super) fn long(&mut self, t: Ty, d: u32) -> String {
        let (a, b) = (self.expr(t, d), self.expr(t, d));
        match self.pick(14) {
            0..=4 => format!("({a} {} {b})", self.one(&["+", "-", "*", "&", "|", "^"])),
            5 => format!("({a} {} {b})", self.one(&["/", "%"])),
            6 | 7 => {
                let s = self.expr(Ty::U, d);
                format!("({a} {} ({s} & 63u))", self.one(&["<<", ">>"]))
            }
            8 => format!("{}({a}, {b})", self.one(&["min", "max"])),
            9 => format!("~{a}"),
            10 => {
                let from = if t == Ty::L { Ty::Ul } else { Ty::L };
                format!("{}({})", t.name(), self.expr(from, d))
            }
            11 if t == Ty::L => self.one(&["abs", "-"]).to_string() + &format!("({a})"),
            12 => {
                let from = if self.doubles && self.pick(2) == 0 { Ty::D } else { Ty::F };
                format!("{}({})", t.name(), self.expr(from, d))
            }
            _ => {
                let from = self.one(&[Ty::I, Ty::U]);
                format!("{}({})", t.name(), self.expr(from, d))
            }
        }
    }

    /// An integer of 32 bits from one of 64.
    pub(super) fn of_long(&mut self, t: Ty, d: u32) -> String {
        let from = self.one(&[Ty::L, Ty::Ul]);
        let v = self.expr(from, d);
        match self.pick(4) {
            0 => format!("{}({v} >> 32u)", t.name()),
            1 => format!("{}({v} ^ ({v} >> 32u))", t.name()),
            // A float of at most 255.
            2 => format!("{}(f32({v} & {}))", t.name(), if from == Ty::L { "255li" } else { "255lu" }),
            _ => format!("{}({v})", t.name()),
        }
    }
}
