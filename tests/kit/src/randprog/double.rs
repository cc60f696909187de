//! Floats of 64 bits. Operations are exact or correctly rounded; nothing depends on the sign of a zero, nor on quotients that are denormal.

use super::{Generator, Ty};

impl Generator {
    /// A value from words, floats and constants: naga's constants are kept out of its evaluator as elsewhere.
    pub(super) fn double_leaf(&mut self) -> String {
        match self.pick(5) {
            0 => format!("f64({})", self.leaf(Ty::F)),
            1 => format!("f64({})", self.leaf(Ty::U)),
            2 => format!("f64({})", self.leaf(Ty::I)),
            3 => format!("f64({})", self.long_leaf(Ty::L)),
            _ => {
                let n = self.one(&["0.1", "1.5", "3.0", "0.333333333333333", "4294967297.25", "1e200", "2.5e-7"]);
                format!("(f64(zf) + {n}lf)")
            }
        }
    }

    /// A value.
    pub(super) fn double(&mut self, d: u32) -> String {
        let (a, b) = (self.expr(Ty::D, d), self.expr(Ty::D, d));
        match self.pick(15) {
            0..=4 => format!("({a} {} {b})", self.one(&["+", "-", "*"])),
            5 => format!("({a} / (abs({b}) + 1.0lf))"),
            6 => format!("({}({a}, {b}) + f64(zf))", self.one(&["min", "max"])),
            7 => format!("({}({a}) + f64(zf))", self.one(&["floor", "ceil", "trunc", "round"])),
            8 => format!("{}({a})", self.one(&["abs", "-", "sign"])),
            9 => format!("sqrt(abs({a}))"),
            10 => format!("fma({a}, {b}, {})", self.leaf(Ty::D)),
            11 => format!("clamp({a}, -1000.5lf, 1000.25lf)"),
            12 => format!("f64({})", self.expr(Ty::F, d)),
            13 => {
                let from = self.one(&[Ty::L, Ty::Ul]);
                format!("f64({})", self.expr(from, d))
            }
            _ => {
                let from = self.one(&[Ty::I, Ty::U]);
                format!("f64({})", self.expr(from, d))
            }
        }
    }

    /// An integer from a value.
    pub(super) fn of_double(&mut self, t: Ty, d: u32) -> String {
        let v = self.expr(Ty::D, d);
        format!("{}({v})", t.name())
    }
}
