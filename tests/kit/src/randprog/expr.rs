//! Expressions of each type.

use super::{Function, Generator, SCALARS, Ty};

pub(super) const LANES: [&str; 4] = ["x", "y", "z", "w"];

impl Generator {
    fn variable(&mut self, t: Ty) -> Option<String> {
        let list: Vec<String> = self.scope.iter().filter(|v| v.ty == t).map(|v| v.name.clone()).collect();
        if list.is_empty() || self.pick(5) == 0 {
            return None;
        }
        Some(list[self.pick(list.len() as u32) as usize].clone())
    }

    /// Constants are added to variables that hold zero: naga would refuse what overflows in its constant evaluator, and our own
    /// folding is to be tested.
    pub(super) fn leaf(&mut self, t: Ty) -> String {
        if let Some(v) = self.variable(t) {
            return if t == Ty::F { format!("small({v})") } else { v };
        }
        match t {
            Ty::U => match self.pick(8) {
                0 => "params.a".into(),
                1 => format!("(zu + {}u)", [0u32, 1, 2, 31, 255, 65535, 0x8000_0000, u32::MAX][self.pick(8) as usize]),
                2 => format!("(zu + {}u)", self.pick(1000)),
                3 => format!("source.words[{}u]", self.pick(super::sizes::INPUTS)),
                4 => "arrayLength(&zeros)".into(),
                5 => self.one(&["me", "(me & 31u)", "cells[me].k"]).into(),
                _ => "params.d".into(),
            },
            Ty::I => match self.pick(5) {
                0 => "params.b".into(),
                1 => format!("(zi + {})", self.one(&["0", "1", "-1", "2147483647", "i32(-2147483648)", "16"])),
                2 => format!("(zi + {})", self.pick(200) as i32 - 100),
                3 => format!("table[{}]", self.pick(6)),
                _ => format!("params.v.{}", self.one(&LANES)),
            },
            Ty::F => match self.pick(3) {
                0 => "params.c".into(),
                _ => format!("(zf + {}.0)", self.pick(256)),
            },
            Ty::B => self.one(&["(zu == 0u)", "(zi != 0)", "(params.a > 3u)"]).into(),
            Ty::V(k, n) => {
                let s = SCALARS[k as usize];
                match self.pick(8) {
                    4..=7 => self.loaded(k, n),
                    0 => format!("{}({})", t.name(), self.leaf(s)),
                    1 if n == 4 => {
                        let half = Ty::V(k, 2);
                        format!("{}({}, {})", t.name(), self.leaf(half), self.leaf(half))
                    }
                    _ => {
                        let lanes: Vec<String> = (0..n).map(|_| self.leaf(s)).collect();
                        format!("{}({})", t.name(), lanes.join(", "))
                    }
                }
            }
            Ty::Bv(n) => {
                let lanes: Vec<String> = (0..n).map(|_| self.leaf(Ty::B)).collect();
                format!("{}({})", t.name(), lanes.join(", "))
            }
            Ty::M(n) => {
                let columns: Vec<String> = (0..n).map(|_| self.leaf(Ty::V(2, n))).collect();
                format!("{}({})", t.name(), columns.join(", "))
            }
            Ty::L | Ty::Ul => self.long_leaf(t),
            Ty::D => self.double_leaf(),
            Ty::Pair => {
                let (n, f) = (self.leaf(Ty::U), self.leaf(Ty::V(2, 3)));
                let list: Vec<String> = (0..3).map(|_| self.leaf(Ty::I)).collect();
                format!("Pair({n}, {f}, array<i32, 3>({}))", list.join(", "))
            }
        }
    }

    fn call(&mut self, t: Ty, depth: u32) -> Option<String> {
        let fits = |f: &&Function| f.ret == t && f.params.iter().all(|p| !p.1);
        let list: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if list.is_empty() || self.pick(4) != 0 {
            return None;
        }
        let f = list[self.pick(list.len() as u32) as usize].clone();
        let args: Vec<String> = f.params.iter().map(|p| self.expr(p.0, depth - 1)).collect();
        Some(format!("{}({})", f.name, args.join(", ")))
    }

    pub(super) fn expr(&mut self, t: Ty, depth: u32) -> String {
        if depth == 0 || self.pick(6) == 0 {
            return self.leaf(t);
        }
        if let Some(c) = self.call(t, depth) {
            return if t == Ty::F { format!("small({c})") } else { c };
        }
        let d = depth - 1;
        if self.pick(8) == 0 && !matches!(t, Ty::M(_) | Ty::Pair) {
            let (a, b) = (self.expr(t, d), self.expr(t, d));
            let c = match t {
                Ty::V(_, n) | Ty::Bv(n) if self.pick(2) == 0 => self.expr(Ty::Bv(n), d),
                _ => self.expr(Ty::B, d),
            };
            return format!("select({a}, {b}, {c})");
        }
        match t {
            Ty::U | Ty::I => self.integer(t, d),
            Ty::F => self.float(d),
            Ty::L | Ty::Ul => self.long(t, d),
            Ty::D => self.double(d),
            Ty::B => self.boolean(d),
            Ty::V(k, n) => self.vector(k, n, d),
            Ty::Bv(n) => {
                let k = self.pick(3) as u8;
                let (a, b) = (self.expr(Ty::V(k, n), d), self.expr(Ty::V(k, n), d));
                match self.pick(4) {
                    0 => format!("!{}", self.expr(t, d)),
                    1 => {
                        let (x, y) = (self.expr(t, d), self.expr(t, d));
                        format!("({x} {} {y})", self.one(&["&", "|", "==", "!="]))
                    }
                    _ => format!("({a} {} {b})", self.one(&["<", "<=", ">", ">=", "==", "!="])),
                }
            }
            Ty::M(n) => {
                let m = match self.pick(4) {
                    0 => format!("({} + {})", self.expr(t, d), self.expr(t, d)),
                    1 => return format!("transpose({})", self.expr(t, d)),
                    2 => format!("({} * {})", self.expr(t, d), self.leaf(Ty::F)),
                    // The sum of three products of factors below 1024 is exact.
                    _ => format!("({} * {})", self.expr(t, d), self.leaf(t)),
                };
                let columns: Vec<String> = (0..n).map(|k| format!("small{n}({m}[{k}])")).collect();
                format!("{}({})", t.name(), columns.join(", "))
            }
            Ty::Pair => {
                let (n, f) = (self.expr(Ty::U, d), self.expr(Ty::V(2, 3), d));
                let list: Vec<String> = (0..3).map(|_| self.leaf(Ty::I)).collect();
                format!("Pair({n}, {f}, array<i32, 3>({}))", list.join(", "))
            }
        }
    }

    fn integer(&mut self, t: Ty, d: u32) -> String {
        if self.doubles && self.pick(4) == 0 {
            return self.of_double(t, d);
        }
        if self.wide && self.pick(4) == 0 {
            return self.of_long(t, d);
        }
        let (a, b) = (self.expr(t, d), self.expr(t, d));
        let signed = t == Ty::I;
        let k = u8::from(!signed);
        match self.pick(24) {
            0..=6 => format!("({a} {} {b})", self.one(&["+", "-", "*", "&", "|", "^", "+"])),
            7 => format!("({a} {} {b})", self.one(&["/", "%"])),
            8 => {
                let s = self.expr(Ty::U, d);
                format!("({a} {} ({s} & 31u))", self.one(&["<<", ">>"]))
            }
            9 => format!("{}({a}, {b})", self.one(&["min", "max"])),
            10 => format!("~{a}"),
            11 => {
                let f = self.one(&[
                    "countOneBits",
                    "reverseBits",
                    "countLeadingZeros",
                    "countTrailingZeros",
                    "firstLeadingBit",
                    "firstTrailingBit",
                    "abs",
                ]);
                format!("{f}({a})")
            }
            12 => {
                let (o, c) = match self.pick(3) {
                    0 => (self.expr(Ty::U, d), self.leaf(Ty::U)),
                    _ => (format!("{}u", self.pick(36)), format!("{}u", self.pick(36))),
                };
                match self.pick(2) {
                    0 => format!("extractBits({a}, {o}, {c})"),
                    _ => format!("insertBits({a}, {b}, {o}, {c})"),
                }
            }
            13 => {
                let x = self.expr(if signed { Ty::U } else { Ty::I }, d);
                format!("{}({x})", self.one(&[t.name().as_str(), &format!("bitcast<{}>", t.name())]))
            }
            14 => {
                let x = self.expr(Ty::F, d);
                if signed { format!("i32({x})") } else { format!("{}({x})", self.one(&["word", "u32"])) }
            }
            15 => format!("{}({})", t.name(), self.expr(Ty::B, d)),
            16 => format!("clamp({a}, {}, {b})", self.leaf(t)),
            17 => {
                let n = 2 + self.pick(3) as u8;
                let (v, w) = (self.expr(Ty::V(k, n), d), self.expr(Ty::V(k, n), d));
                format!("dot({v}, {w})")
            }
            18 => {
                let n = 2 + self.pick(3) as u8;
                format!("({})[{} % {n}u]", self.expr(Ty::V(k, n), d), self.expr(Ty::U, d))
            }
            19 if signed => format!("sign({a})"),
            19 | 20 => self.packed(signed, d),
            21 if signed => format!("table[{}]", self.expr(Ty::I, d)),
            21 => match self.variable(Ty::Pair) {
                Some(p) => format!("{p}.n"),
                None => format!("zeros[{}]", self.expr(Ty::U, d)),
            },
            22 => match (self.variable(Ty::Pair), signed) {
                (Some(p), true) => format!("{p}.list[{}]", self.expr(Ty::U, d)),
                (Some(p), false) => format!("word({p}.f.y)"),
                (None, true) => format!("(-{a})"),
                (None, false) => format!("u32(-i32({a}))"),
            },
            _ => {
                let n = 2 + self.pick(3) as u8;
                let v = self.expr(Ty::V(k, n), d);
                format!("({v}).{}", LANES[self.pick(u32::from(n)) as usize])
            }
        }
    }

    fn float(&mut self, d: u32) -> String {
        let (a, b) = (self.expr(Ty::F, d), self.expr(Ty::F, d));
        match self.pick(18) {
            0 | 1 => format!("small({a} + {b})"),
            2 => format!("small({a} - {b})"),
            3 => format!("small({a} * {b})"),
            4 => format!("{}({a}, {b})", self.one(&["min", "max"])),
            5 => format!("{}({a} * 0.5)", self.one(&["floor", "ceil", "trunc", "round"])),
            6 => format!("abs({a})"),
            7 => format!("f32({} & 255)", self.expr(Ty::I, d)),
            8 => format!("f32({} & 1023u)", self.expr(Ty::U, d)),
            9 => format!("f32({})", self.expr(Ty::B, d)),
            10 => format!("floor(fract({a} * 0.25) * 8.0)"),
            11 => format!("small(ldexp({a}, {}))", self.pick(4)),
            12 => format!("step({a}, {b})"),
            13 => {
                let n = 2 + self.pick(2) as u8;
                format!("small(dot({}, {}))", self.expr(Ty::V(2, n), d), self.expr(Ty::V(2, n), d))
            }
            14 => {
                let n = 2 + self.pick(2) as u8;
                format!("{}[{} % {n}u].x", self.expr(Ty::M(n), d), self.expr(Ty::U, d))
            }
            15 => {
                let n = 2 + self.pick(3) as u8;
                format!("({}).{}", self.expr(Ty::V(2, n), d), LANES[self.pick(u32::from(n)) as usize])
            }
            16 => format!("small(abs(determinant({})))", self.expr(Ty::M(2), d)),
            _ => format!("small(fma({a}, {b}, 3.0))"),
        }
    }

    fn boolean(&mut self, d: u32) -> String {
        if self.doubles && self.pick(3) == 0 {
            let (a, b) = (self.expr(Ty::D, d), self.expr(Ty::D, d));
            return format!("({a} {} {b})", self.one(&["<", "<=", ">", ">=", "==", "!="]));
        }
        if self.wide && self.pick(4) == 0 {
            let t = self.one(&[Ty::L, Ty::Ul]);
            let (a, b) = (self.expr(t, d), self.expr(t, d));
            return format!("({a} {} {b})", self.one(&["<", "<=", ">", ">=", "==", "!="]));
        }
        match self.pick(6) {
            0 => format!("!{}", self.expr(Ty::B, d)),
            1 => {
                let (a, b) = (self.expr(Ty::B, d), self.expr(Ty::B, d));
                format!("({a} {} {b})", self.one(&["&&", "||", "&", "|", "==", "!="]))
            }
            2 => {
                let n = 2 + self.pick(3) as u8;
                format!("{}({})", self.one(&["any", "all"]), self.expr(Ty::Bv(n), d))
            }
            _ => {
                let s = self.one(&SCALARS);
                let (a, b) = (self.expr(s, d), self.expr(s, d));
                format!("({a} {} {b})", self.one(&["<", "<=", ">", ">=", "==", "!="]))
            }
        }
    }

    fn vector(&mut self, k: u8, n: u8, d: u32) -> String {
        let t = Ty::V(k, n);
        if self.pick(8) == 0
            && let Some(e) = self.unpacked(k, n, d)
        {
            return e;
        }
        let (a, b) = (self.expr(t, d), self.expr(t, d));
        if k == 2 {
            return match self.pick(12) {
                0 => format!("min({a}, {b})"),
                1 => format!("floor({a} * 0.5)"),
                2 => format!("small{n}({a} + {b})"),
                3 => format!("small{n}({a} * {b})"),
                4 => format!("small{n}({a} * {})", self.leaf(Ty::F)),
                5 if n == 3 => format!("small3(cross({a}, {b}))"),
                6 if n < 4 => format!("small{n}({} * {a})", self.expr(Ty::M(n), d)),
                7 if n < 4 => format!("small{n}({a} * {})", self.expr(Ty::M(n), d)),
                8 => format!("{}({} & {}(255))", t.name(), self.expr(Ty::V(0, n), d), Ty::V(0, n).name()),
                9 | 10 => format!("({a}).{}", self.swizzle(n, n)),
                _ => format!("max({a}, {b})"),
            };
        }
        match self.pick(10) {
            0..=2 => format!("({a} {} {b})", self.one(&["+", "-", "*", "&", "|", "^"])),
            3 => format!("{}({a}, {b})", self.one(&["min", "max"])),
            4 => format!("({a} {} {b})", self.one(&["/", "%"])),
            5 => format!(
                "({a} {} ({} & {}(31u)))",
                self.one(&["<<", ">>"]),
                self.expr(Ty::V(1, n), d),
                Ty::V(1, n).name()
            ),
            6 => format!("{}({})", t.name(), self.expr(Ty::V(1 - k, n), d)),
            7 => format!("{}({})", t.name(), self.expr(Ty::V(2, n), d)),
            8 => format!("{}({a})", self.one(&["countOneBits", "reverseBits", "abs", "firstLeadingBit"])),
            _ => {
                let from = 2 + self.pick(3) as u8;
                let v = self.expr(Ty::V(k, from), d);
                format!("({v}).{}", self.swizzle(from, n))
            }
        }
    }
}
