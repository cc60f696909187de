//! The programs: text of the IR that loads operands, computes each case, and stores what comes out in a place of eight bytes.

use std::fmt::Write;

use gpucc_ir::{Op, Scalar};

use super::exact::Args;
use super::{Case, Form};

/// Bytes of the operands of an invocation.
const STRIDE: u32 = 64;

/// Where an operand comes from.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Given,
    Constant(u64),
}

/// The operands as they lie in memory.
pub(super) fn bytes(a: &Args) -> Vec<u8> {
    let mut out: Vec<u8> = a.iter().flat_map(|v| v.to_le_bytes()).collect();
    out.resize(STRIDE as usize, 0);
    out
}

/// A result of what its place holds.
pub(super) fn taken(s: Scalar, slot: u64) -> u64 {
    // The upper half is what was there before.
    if s.bits() == 64 { slot } else { slot & 0xffff_ffff }
}

/// A text while it is written.
pub(super) struct Text {
    out: String,
    scalar: Scalar,
    lanes: u32,
    next: u32,
    block: u32,
    /// Operands that were loaded.
    given: Vec<String>,
    /// How many places a set of operands has.
    places: usize,
}

impl Text {
    pub(super) fn new(scalar: Scalar, lanes: u32, size: u32, places: usize) -> Text {
        let out = format!(
            "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size {STRIDE} stride {STRIDE}\n\
             res1 \"o\" group 0 binding 1 storage_rw size {0} stride {0}\nentry \"main\" compute func0 size {size},1,1\n\
             func0 \"main\" {{\nblock0:\n",
            8 * places
        );
        let mut t = Text { out, scalar, lanes, next: 2, block: 0, given: Vec::new(), places };
        // v0 and v1 are where operands and results lie.
        let index = if size == 1 {
            let all = t.value("i32x3", "sysval workgroup_id");
            t.value("i32", &format!("extract {all}, lane 0"))
        } else {
            let all = t.value("i32x3", "sysval global_invocation_id");
            t.value("i32", &format!("extract {all}, lane 0"))
        };
        let _ = writeln!(t.out, "  v0: i32 = imul {index}, {}:i32", STRIDE * lanes);
        let _ = writeln!(t.out, "  v1: i32 = imul {index}, {}:i32", 8 * places * lanes as usize);
        for k in 0..5 {
            let kind = if k == 4 { Scalar::I32 } else { scalar };
            let each: Vec<String> = (0..lanes).map(|lane| t.load(kind, STRIDE * lane + 8 * k)).collect();
            let whole = if lanes == 1 {
                each[0].clone()
            } else {
                t.value(&t.ty(kind), &format!("compose {}", each.join(", ")))
            };
            t.given.push(whole);
        }
        t
    }

    /// A type of as many lanes.
    fn ty(&self, s: Scalar) -> String {
        if self.lanes == 1 { s.name().into() } else { format!("{}x{}", s.name(), self.lanes) }
    }

    pub(super) fn constant(&self, s: Scalar, bits: u64) -> String {
        let one = match s {
            Scalar::B1 => if bits == 0 { "false" } else { "true" }.to_string(),
            _ if s.is_float() => format!("{bits:#0width$x}", width = 2 + s.bits() as usize / 4),
            _ => {
                let up = 64 - s.bits();
                ((bits << up) as i64 >> up).to_string()
            }
        };
        match self.lanes {
            1 => format!("{one}:{}", s.name()),
            n => format!("[{}]:{}", vec![one; n as usize].join(", "), self.ty(s)),
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    /// A value by its type and what makes it; gives its name.
    pub(super) fn value(&mut self, ty: &str, makes: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        self.line(&format!("{name}: {ty} = {makes}"));
        name
    }

    pub(super) fn load(&mut self, s: Scalar, at: u32) -> String {
        let word = |t: &mut Text, ty: &str, align: u32| t.value(ty, &format!("load res0[{at} + v0] align {align}"));
        match s {
            Scalar::I32 | Scalar::F32 => word(self, s.name(), 8),
            Scalar::I64 | Scalar::F64 => word(self, s.name(), 8),
            _ => {
                let whole = word(self, "i32", 8);
                match s {
                    Scalar::B1 => self.value("b1", &format!("icmp.ne {whole}, 0:i32")),
                    Scalar::F16 => {
                        let half = self.value("i16", &format!("trunc {whole}"));
                        self.value("f16", &format!("bitcast {half}"))
                    }
                    _ => self.value(s.name(), &format!("trunc {whole}")),
                }
            }
        }
    }

    /// Stores one lane.
    pub(super) fn store(&mut self, s: Scalar, value: &str, at: usize) {
        let word = match s {
            Scalar::B1 => self.value("i32", &format!("select {value}, 1:i32, 0:i32")),
            Scalar::I8 | Scalar::I16 => self.value("i32", &format!("zext {value}")),
            Scalar::F16 => {
                let bits = self.value("i16", &format!("bitcast {value}"));
                self.value("i32", &format!("zext {bits}"))
            }
            _ => value.to_string(),
        };
        self.line(&format!("store {word}, res1[{at} + v1] align 8"));
    }

    /// Whether the first two are in order, all lanes by the first where one has to do for all.
    fn less(&mut self, a: &str, b: &str, whole: bool) -> String {
        let op = match self.scalar {
            s if s.is_float() => "fcmp.olt",
            Scalar::B1 => "icmp.ne",
            _ => "icmp.ult",
        };
        let all = self.value(&self.ty(Scalar::B1), &format!("{op} {a}, {b}"));
        if whole && self.lanes > 1 { self.value("b1", &format!("extract {all}, lane 0")) } else { all }
    }

    /// A branch gives one of two values; of vectors lane by lane.
    fn branch(&mut self, s: Scalar, args: &[String]) -> String {
        let lanes = self.lanes;
        let part = |t: &mut Text, v: &str, lane: u32| {
            if lanes == 1 { v.to_string() } else { t.value(s.name(), &format!("extract {v}, lane {lane}")) }
        };
        let less = self.less(&args[0], &args[1], false);
        let mut each = Vec::new();
        for lane in 0..lanes {
            let (c, x, y) = (
                if lanes == 1 { less.clone() } else { self.value("b1", &format!("extract {less}, lane {lane}")) },
                part(self, &args[2], lane),
                part(self, &args[3], lane),
            );
            let b = self.block;
            self.block += 3;
            let name = format!("v{}", self.next);
            self.next += 1;
            let _ = write!(
                self.out,
                "  br {c}, block{0}, block{1} merge block{2}\nblock{0}:\n  jump block{2}({x})\nblock{1}:\n  jump block{2}({y})\n\
                 block{2}({name}: {3}):\n",
                b + 1,
                b + 2,
                b + 3,
                s.name()
            );
            each.push(name);
        }
        if lanes == 1 { each.remove(0) } else { self.value(&self.ty(s), &format!("compose {}", each.join(", "))) }
    }

    /// A loop hands three values on, as often as the word says; of vectors that of the first lane.
    fn turn(&mut self, s: Scalar, args: &[String]) -> String {
        let count =
            if self.lanes == 1 { args[4].clone() } else { self.value("i32", &format!("extract {}, lane 0", args[4])) };
        let count = self.value("i32", &format!("and {count}, 3:i32"));
        let (b, n, ty) = (self.block, self.next, self.ty(s));
        self.block += 3;
        self.next += 7;
        let back = if s.is_float() { format!("fneg v{n}") } else { format!("xor v{n}, v{}", n + 1) };
        let _ = write!(
            self.out,
            "  jump block{0}({1}, {2}, {3}, 0:i32)\n\
             block{0}(v{n}: {ty}, v{n1}: {ty}, v{n2}: {ty}, v{n3}: i32) loop merge block{4} continue block{5}:\n  \
             v{n4}: b1 = icmp.eq v{n3}, {count}\n  br v{n4}, block{4}, block{5}\nblock{5}:\n  v{n5}: {ty} = {back}\n  \
             v{n6}: i32 = iadd v{n3}, 1:i32\n  jump block{0}(v{n1}, v{n2}, v{n5}, v{n6})\nblock{4}:\n",
            b + 1,
            args[0],
            args[1],
            args[2],
            b + 3,
            b + 2,
            n1 = n + 1,
            n2 = n + 2,
            n3 = n + 3,
            n4 = n + 4,
            n5 = n + 5,
            n6 = n + 6,
        );
        format!("v{n}")
    }

    /// Computes a case and stores what it gives.
    pub(super) fn case(&mut self, place: usize, case: &Case, operands: &[Operand]) {
        let s = case.from;
        let kinds = [s, s, s, s, Scalar::I32];
        let args: Vec<String> = (0..5)
            .map(|k| match operands[k] {
                Operand::Given => self.given[k].clone(),
                Operand::Constant(bits) => self.constant(kinds[k], bits),
            })
            .collect();
        let (own, truth) = (self.ty(s), self.ty(Scalar::B1));
        let made = match case.form {
            Form::Same(op, n) => self.value(&own, &format!("{op} {}", args[..usize::from(n)].join(", "))),
            Form::IntCompare(cc) => self.value(&truth, &format!("{}.{cc} {}, {}", Op::ICmp, args[0], args[1])),
            Form::FloatCompare(cc) => self.value(&truth, &format!("{}.{cc} {}, {}", Op::FCmp, args[0], args[1])),
            Form::Select => {
                let less = self.less(&args[0], &args[1], false);
                self.value(&own, &format!("select {less}, {}, {}", args[2], args[3]))
            }
            Form::Branch => self.branch(s, &args),
            Form::Turn => self.turn(s, &args),
            Form::Convert(op, to) => self.value(&self.ty(to), &format!("{op} {}", args[0])),
            Form::Scale => self.value(&own, &format!("fldexp {}, {}", args[0], args[4])),
        };
        self.result(place, case.result(), &made);
    }

    /// Stores a result in its place, each lane for its own operands.
    pub(super) fn result(&mut self, place: usize, to: Scalar, made: &str) {
        for lane in 0..self.lanes {
            let one = match self.lanes {
                1 => made.to_string(),
                _ => self.value(to.name(), &format!("extract {made}, lane {lane}")),
            };
            self.store(to, &one, 8 * (lane as usize * self.places + place));
        }
    }

    /// An operand as it was loaded.
    pub(super) fn given(&self, k: usize) -> String {
        self.given[k].clone()
    }

    pub(super) fn end(mut self) -> String {
        self.out.push_str("  ret\n}\n");
        self.out
    }
}
