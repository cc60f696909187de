//! Each operation on each type at the edges of its operands, on the oracle and on every generation, at -O0 and -O2: the values are those of
//! [`exact`]. The ops are those of the op table, so that one without a value here is noticed.
//!
//! A program takes operands from memory, by invocation or one for all; as vectors; or as constants.

mod exact;
mod lanes;
mod text;

use gpucc::CodegenOptions;
use gpucc_ir::refusal::Kind;
use gpucc_ir::{FloatCc, IntCc, Kinds, Op, Refusal, Scalar, Sig};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

use exact::Args;
use text::{Operand, Text};

/// Families and generations that have no floats of 64 bits.
const NO_DOUBLES: &[&str] = &["valhall", "vivante", "tesla:nv50", "tesla:nv84", "tesla:nva3"];

/// Functions without exact values: how near they are is asked elsewhere (`numbers.rs`, the profiles of the families).
const APPROXIMATE: &[Op] = &[Op::FExp2, Op::FLog2, Op::FSin, Op::FCos];

/// What a result is made by.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Operands and result of one type.
    Same(Op, u8),
    IntCompare(IntCc),
    FloatCompare(FloatCc),
    /// The third or the fourth operand, by what the first two are.
    Select,
    /// The same by a branch.
    Branch,
    /// What a loop hands from turn to turn.
    Turn,
    Convert(Op, Scalar),
    Scale,
}

/// How near a result has to be.
#[derive(Clone, Copy, PartialEq)]
enum Judge {
    /// To the bit, but for the kind of a NaN.
    Same,
    /// Zeros of both signs, too.
    AnyZero,
    /// So many floats away.
    Near(u64),
    /// The rest by a quotient that may be one more or less.
    Rest,
    /// One that is not less than the next whole number may be the last below it.
    Fraction,
}

/// A form on operands of a type, some of which may be constants.
#[derive(Clone, Copy, Debug)]
struct Case {
    form: Form,
    from: Scalar,
    fixed: [Option<u64>; 5],
}

impl Case {
    fn result(&self) -> Scalar {
        match self.form {
            Form::IntCompare(_) | Form::FloatCompare(_) => Scalar::B1,
            Form::Convert(_, to) => to,
            _ => self.from,
        }
    }

    /// The operands with the constants in their places.
    fn args(&self, given: &Args) -> Args {
        let mut all = *given;
        all.iter_mut().zip(self.fixed).for_each(|(a, fixed)| *a = fixed.unwrap_or(*a));
        all
    }

    fn want(&self, a: &Args) -> u64 {
        let s = self.from;
        let less = || match s {
            Scalar::F16 | Scalar::F32 | Scalar::F64 => exact::float_holds(FloatCc::Olt, s, a[0], a[1]),
            Scalar::B1 => a[0] != a[1],
            _ => exact::int_holds(IntCc::Ult, s, a[0], a[1]),
        };
        match self.form {
            Form::Same(op, _) => exact::same(op, s, a),
            Form::IntCompare(cc) => u64::from(exact::int_holds(cc, s, a[0], a[1])),
            Form::FloatCompare(cc) => u64::from(exact::float_holds(cc, s, a[0], a[1])),
            Form::Select | Form::Branch if less() => a[2],
            Form::Select | Form::Branch => a[3],
            Form::Turn => {
                let mut v = [a[0], a[1], a[2]];
                for _ in 0..a[4] & 3 {
                    let back = if s.is_float() { exact::same(Op::FNeg, s, &[v[0], 0, 0, 0, 0]) } else { v[0] ^ v[1] };
                    v = [v[1], v[2], back];
                }
                v[0]
            }
            Form::Convert(op, to) => exact::convert(op, s, to, a[0]),
            Form::Scale => exact::ldexp(s, a[0], a[4] as u32 as i32),
        }
    }

    fn judge(&self) -> Judge {
        let Form::Same(op, _) = self.form else { return Judge::Same };
        let double = self.from == Scalar::F64;
        match op {
            Op::FMin | Op::FMax | Op::FSat | Op::FSign => Judge::AnyZero,
            // By steps that are exact but for what is denormal.
            Op::FDiv | Op::FRcp if double => Judge::Near(1),
            Op::FDiv | Op::FRsqrt => Judge::Near(2),
            Op::FRcp => Judge::Near(1),
            Op::FSqrt => Judge::Near(if double { 0 } else { 3 }),
            Op::FRem => Judge::Rest,
            Op::FFract => Judge::Fraction,
            _ => Judge::Same,
        }
    }

    /// Whether nothing says how near a machine has to come: words of floats outside of what WGSL speaks of.
    fn is_open(&self, a: &Args) -> bool {
        let Form::Same(op, _) = self.form else { return false };
        let x = |k: usize| exact::number(self.from, a[k]).abs();
        let range = 2f64.powi(-126)..=2f64.powi(126);
        match (op, self.from) {
            (Op::FDiv, Scalar::F32) => !range.contains(&x(1)) || !range.contains(&(x(0) / x(1))),
            (Op::FRcp, Scalar::F32) => !range.contains(&x(0)),
            // Tesla cuts the product, Vivante rounds it (docs/oracle.md).
            (Op::Fma, Scalar::F32) => true,
            (Op::FRsqrt, _) => x(0) == 0.0 || self.from == Scalar::F32 && !range.contains(&x(0)),
            // The compiler makes it where operands fit, and GCN's scalar unit multiplies whole words then.
            (Op::UMul24, _) => a[0].max(a[1]) >> 24 != 0,
            (Op::FRem, s) => {
                let quotient = x(0) / x(1);
                let short = if s == Scalar::F64 { 2f64.powi(40) } else { 256.0 };
                !quotient.is_finite()
                    || x(1).is_infinite()
                    || quotient > short
                    || s == Scalar::F32 && !range.contains(&x(1))
            }
            _ => false,
        }
    }

    /// Whether it is right on a machine, or on the oracle, which rounds all correctly and keeps what is denormal.
    fn agrees(&self, a: &Args, got: u64, machine: bool) -> bool {
        let s = self.result();
        let want = self.want(a);
        if want == got {
            return true;
        }
        if machine && self.is_open(a) {
            return true;
        }
        if !s.is_float() && self.from != Scalar::F32 {
            return false;
        }
        // Words of floats may count as zero where they are denormal: operands, results, or both.
        let mut wants = vec![want];
        if machine && self.from == Scalar::F32 {
            let mut flat = *a;
            // Of a choice only what is compared.
            let count = if matches!(self.form, Form::Select | Form::Branch) { 2 } else { 4 };
            flat[..count].iter_mut().for_each(|x| *x = exact::flushed(Scalar::F32, *x));
            wants.push(self.want(&flat));
        }
        if machine && s == Scalar::F32 {
            wants.extend(wants.clone().into_iter().map(|w| exact::flushed(s, w)));
        }
        wants.into_iter().any(|want| self.fits(s, a, want, got, machine))
    }

    fn fits(&self, s: Scalar, a: &Args, want: u64, got: u64, machine: bool) -> bool {
        if want == got {
            return true;
        }
        if !s.is_float() {
            return false;
        }
        if exact::is_nan(s, want) || exact::is_nan(s, got) {
            return exact::is_nan(s, want) && exact::is_nan(s, got);
        }
        let (x, y) = (exact::number(s, want), exact::number(s, got));
        match self.judge() {
            Judge::Same => false,
            Judge::AnyZero if x == 0.0 && y == 0.0 => true,
            // What counts as zero may pass as it is.
            Judge::AnyZero => {
                machine && s == Scalar::F32 && [x, y].iter().all(|v| v.abs() < f64::from(f32::MIN_POSITIVE))
            }
            _ if !machine => false,
            Judge::Near(n) => exact::apart(s, want, got) <= n,
            Judge::Rest => {
                let b = exact::number(s, a[1]).abs();
                // As far as the last digits of the dividend.
                let last = exact::number(s, a[0]).abs() * if s == Scalar::F64 { 2f64.powi(-50) } else { 2f64.powi(-9) };
                [x - b, x, x + b].into_iter().any(|r| (r - y).abs() <= last)
            }
            Judge::Fraction => x == 1.0 && exact::apart(s, want, got) <= 1,
        }
    }
}

/// All ops on operands of a type.
fn cases(s: Scalar) -> Vec<Case> {
    let mut forms = vec![Form::Select, Form::Branch];
    if s != Scalar::B1 {
        forms.push(Form::Turn);
    }
    for &op in Op::ALL {
        let word = matches!(op, Op::UMul24 | Op::SMul24 | Op::UDot4x8 | Op::SDot4x8);
        let fits = match op {
            _ if word => s == Scalar::I32,
            Op::FQuant16 => s == Scalar::F32,
            _ => !APPROXIMATE.contains(&op),
        };
        match op.info().sig {
            Sig::Same { n, kinds } if fits && kinds.has(s) => forms.push(Form::Same(op, n)),
            Sig::Compare(Kinds::Float) if s.is_float() => {
                forms.extend(FloatCc::ALL.iter().map(|&cc| Form::FloatCompare(cc)));
            }
            Sig::Compare(kinds) if !s.is_float() && kinds.has(s) => {
                let all = IntCc::ALL.iter().filter(|&&cc| s != Scalar::B1 || matches!(cc, IntCc::Eq | IntCc::Ne));
                forms.extend(all.map(|&cc| Form::IntCompare(cc)));
            }
            Sig::Convert(from, to) if from.has(s) => {
                let goes = |t: Scalar| match op {
                    Op::SExt | Op::ZExt => s.bits() < t.bits(),
                    Op::Trunc => s.bits() > t.bits(),
                    Op::F2F => s != t,
                    _ => true,
                };
                let all = Scalar::ALL.into_iter().filter(|&t| to.has(t) && goes(t));
                forms.extend(all.map(|t| Form::Convert(op, t)));
            }
            Sig::Ldexp if s.is_float() => forms.push(Form::Scale),
            _ => {}
        }
    }
    forms.into_iter().map(|form| Case { form, from: s, fixed: [None; 5] }).collect()
}

/// The same ops with constants: at the right, at the left, and as offset and length of a field.
fn constant_cases(s: Scalar) -> Vec<Case> {
    let n = u64::from(s.bits());
    let edges = edges(s);
    let some: Vec<u64> = if s.is_float() {
        edges.clone()
    } else {
        let top = 1u64 << (n - 1);
        [0, 1, 3, 10, n / 2, n - 1, n, top - 1, top, s.mask(), s.mask() - 1].map(|v| v & s.mask()).to_vec()
    };
    let mut out = Vec::new();
    for case in cases(s) {
        let count = match case.form {
            Form::Same(_, n) => n,
            Form::IntCompare(_) | Form::FloatCompare(_) => 2,
            _ => continue,
        };
        let with = |list: &[(usize, u64)]| {
            let mut fixed = [None; 5];
            list.iter().for_each(|&(k, v)| fixed[k] = Some(v));
            Case { fixed, ..case }
        };
        match (count, case.form) {
            (2, form) => {
                out.extend(some.iter().map(|&v| with(&[(1, v)])));
                let long = matches!(form, Form::Same(Op::SDiv | Op::UDiv | Op::SRem | Op::URem, _));
                out.extend(some.iter().step_by(if long { 7 } else { 3 }).map(|&v| with(&[(0, v)])));
            }
            (3 | 4, Form::Same(op, _)) if !s.is_float() && !matches!(op, Op::BitSel | Op::FShr) => {
                for (offset, length) in
                    [(0, n), (0, 1), (1, n - 1), (n / 2, n / 2), (n / 2 - 1, 3), (n - 1, 1), (n, 1), (3, 0)]
                {
                    let at = usize::from(count) - 2;
                    out.push(with(&[(at, offset), (at + 1, length)]));
                }
            }
            (3, Form::Same(Op::FShr, _)) => out.extend(some.iter().map(|&v| with(&[(2, v)]))),
            (3, _) => {
                out.extend(some.iter().step_by(3).map(|&v| with(&[(2, v)])));
                out.extend(some.iter().step_by(4).map(|&v| with(&[(0, v)])));
            }
            _ => {}
        }
    }
    out
}

/// Operands of a type that are most often done wrong.
fn edges(s: Scalar) -> Vec<u64> {
    let n = u64::from(s.bits());
    let sign = 1u64 << (n - 1);
    let mut list = match s {
        Scalar::B1 => vec![0, 1],
        Scalar::I8 => vec![0, 1, 2, 7, 8, 15, 16, 64, 100, sign - 1, sign, sign + 1, 0xf0, 0xfe, 0xff],
        Scalar::I16 => {
            vec![0, 1, 3, 7, 8, 15, 16, 17, 0xff, 0x100, 0x1234, sign - 1, sign, sign + 1, 0xff00, 0xfffe, 0xffff]
        }
        Scalar::I32 => {
            vec![
                0,
                1,
                3,
                7,
                31,
                32,
                33,
                0xffff,
                0x1_0000,
                0x12_3456,
                sign - 1,
                sign,
                sign + 1,
                0xffff_0000,
                0xffff_fffe,
                0xffff_ffff,
            ]
        }
        Scalar::I64 => vec![
            0,
            1,
            7,
            31,
            32,
            33,
            63,
            64,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x1_0000_0000,
            0xffff_ffff_0000_0000,
            sign - 1,
            sign,
            0xffff_fffe_ffff_ffff,
            u64::MAX - 1,
            u64::MAX,
        ],
        Scalar::F16 => vec![
            0, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x4248, 0x63ff, 0x7bff,
            0x7c00, 0x7e00,
        ],
        Scalar::F32 => [
            0.0,
            1e-45,
            1.175_494_2e-38,
            1.175_494_4e-38,
            0.333,
            0.5,
            0.999_999_94,
            1.0,
            1.5,
            2.5,
            255.5,
            65_519.996,
            8_388_607.5,
            2_147_483_648.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ]
        .map(|x| u64::from(x.to_bits()))
        .to_vec(),
        Scalar::F64 => [
            0.0,
            5e-324,
            2.225_073_858_507_201e-308,
            2.225_073_858_507_201_4e-308,
            0.1,
            0.5,
            1.0,
            1.5,
            2.5,
            65_519.999_999_999,
            2_147_483_647.5,
            4_503_599_627_370_495.5,
            9.3e18,
            1.9e19,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ]
        .map(f64::to_bits)
        .to_vec(),
    };
    if s.is_float() {
        // The others with a sign, too.
        let negative: Vec<u64> = list.iter().step_by(2).map(|x| x | sign).collect();
        list.extend(negative);
    }
    list
}

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        // A multiplier of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }
}

/// Each pair of edges, then what is random, of every length; a multiple of [`GROUP`] times four.
fn operands(s: Scalar, pairs: bool) -> Vec<Args> {
    let list = edges(s);
    let mut noise = Noise(0x1234_5678_9abc_def1);
    let mut out: Vec<Args> = Vec::new();
    let word = |v: u64| u64::from((v >> 20) as u32 as i32 as i64 as u64 as u32);
    for (i, &a) in list.iter().enumerate() {
        for (j, &b) in list.iter().enumerate() {
            if pairs || j == (3 * i) % list.len() {
                let (c, d) = (list[(5 * i + 3 * j) % list.len()], list[(7 * i + j) % list.len()]);
                out.push([a, b, c, d, ((i * 7 + j) as u64 % 140).wrapping_sub(70) & 0xffff_ffff]);
            }
        }
    }
    while out.len() < 64 || !out.len().is_multiple_of(4 * GROUP as usize) {
        let mut any = || {
            let (v, length) = (noise.next(), noise.next() >> 40);
            match s {
                Scalar::F16 | Scalar::F32 | Scalar::F64 if length % 2 == 0 => {
                    // Around one.
                    exact::nearest(s, ((v >> 11) as f64 * 2f64.powi(-53) - 0.5) * 2f64.powi((length % 16) as i32))
                }
                _ => v >> (length % u64::from(s.bits())) & s.mask(),
            }
        };
        let [a, b, c, d] = [any(), any(), any(), any()];
        let quiet = [a, b, c, d].iter().all(|&x| !s.is_float() || !exact::is_nan(s, x));
        if quiet {
            out.push([a, b, c, d, word(noise.next())]);
        }
    }
    // Lanes of a vector go round a loop together.
    (0..).zip(&mut out).for_each(|(k, a)| a[4] = (a[4] & !3) | ((k / 4) & 3));
    out
}

/// Invocations of a workgroup.
const GROUP: u32 = 32;

/// How a program comes by its operands.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// Each invocation has its own.
    Each,
    /// A workgroup of one.
    Alone,
    /// Each invocation has vectors of so many.
    Vectors(u32),
}

/// Where and how cases run.
struct Place<'a> {
    on: On,
    level: u8,
    scalar: Scalar,
    operands: &'a [Args],
    way: Way,
}

impl Place<'_> {
    /// Runs cases; gives what is wrong, and how many cases were refused for good.
    fn run(&self, list: &[Case]) -> (Vec<String>, usize) {
        let lanes = if let Way::Vectors(n) = self.way { n } else { 1 };
        let size = if self.way == Way::Alone { 1 } else { GROUP };
        let mut text = Text::new(self.scalar, lanes, size, list.len());
        for (k, case) in list.iter().enumerate() {
            let args = case.fixed.map(|fixed| fixed.map_or(Operand::Given, Operand::Constant));
            text.case(k, case, &args);
        }
        let text = text.end();
        let module = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.message));
        let input: Vec<u8> = self.operands.iter().flat_map(text::bytes).collect();
        let groups = self.operands.len() as u32 / lanes / size;
        let output = vec![0xa5; 8 * list.len() * self.operands.len()];
        let mut d = Dispatch::new([groups, 1, 1]).with(0, 0, input).with(0, 1, output);
        let codegen = CodegenOptions { opt_level: self.level, ..CodegenOptions::default() };
        match exec::run(&module, "main", self.on, &codegen, &mut d, &RunOptions::default()) {
            Ok(_) => (self.judge(list, &d.buffer(0, 1).expect("the output").bytes), 0),
            // What has no room in one program has it in two.
            Err(Problem::Refused(codes, _)) if codes.iter().all(|c| c.kind() == Kind::Capacity) && list.len() > 1 => {
                let (a, b) = list.split_at(list.len() / 2);
                let ((mut wrong, refused), (more, others)) = (self.run(a), self.run(b));
                wrong.extend(more);
                (wrong, refused + others)
            }
            Err(p) if self.expects(list, &p) => (Vec::new(), list.len()),
            Err(p) => (vec![format!("{:?}: {p}", list[0])], 0),
        }
    }

    /// Whether the chip lacks what the cases ask for.
    fn expects(&self, list: &[Case], p: &Problem) -> bool {
        let Problem::Refused(codes, _) = p else { return false };
        let (chip, doubles) = (self.on.to_string(), self.scalar == Scalar::F64 || list[0].result() == Scalar::F64);
        doubles && NO_DOUBLES.iter().any(|at| chip.starts_with(at)) && codes.iter().all(|&c| c == Refusal::WideTypes)
    }

    fn judge(&self, list: &[Case], bytes: &[u8]) -> Vec<String> {
        let machine = matches!(self.on, On::Machine(_));
        let of_case = |(k, case): (usize, &Case)| {
            self.operands.iter().enumerate().find_map(|(t, given)| {
                let at = 8 * (t * list.len() + k);
                let slot = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
                let got = text::taken(case.result(), slot);
                let a = case.args(given);
                let want = case.want(&a);
                (!case.agrees(&a, got, machine))
                    .then(|| format!("{:x?} of {} {a:x?}: {got:#x}, not {want:#x}", case.form, case.from.name()))
            })
        };
        list.iter().enumerate().filter_map(of_case).collect()
    }
}

/// Runs all cases on all operands, everywhere. Gives how many cases were judged, with each place and level.
fn everywhere(list: &[Case], scalar: Scalar, operands: &[Args], way: Way) -> usize {
    let chips = exec::targets("all:all").into_iter().map(exec::on);
    let places: Vec<Place<'_>> = std::iter::once(On::Interp)
        .chain(chips)
        .flat_map(|on| [0, 2].map(|level| Place { on, level, scalar, operands, way }))
        .collect();
    let ends: Vec<(String, Vec<String>, usize)> = places
        .par_iter()
        .map(|p| {
            let (wrong, refused) = p.run(list);
            (format!("{} -O{} {way:?}", p.on, p.level), wrong, refused)
        })
        .collect();
    let wrong: Vec<String> = ends
        .iter()
        .filter(|e| !e.1.is_empty())
        .map(|(place, wrong, _)| {
            format!("{place}: {} of {}\n  {}", wrong.len(), list.len(), wrong[..wrong.len().min(SHOWN)].join("\n  "))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ends.iter().map(|e| list.len() - e.2).sum()
}

/// So many of what is wrong at a place are shown.
const SHOWN: usize = 8;

/// Cases that need floats of 64 bits, apart from the others: few chips have them.
fn parts(list: Vec<Case>) -> Vec<Vec<Case>> {
    let (doubles, others): (Vec<Case>, Vec<Case>) = list.into_iter().partition(|c| c.result() == Scalar::F64);
    [doubles, others].into_iter().filter(|l| !l.is_empty()).collect()
}

fn check(s: Scalar, ways: &[Way]) {
    let mut runs = 0;
    for list in parts(cases(s)) {
        for &way in ways {
            runs += everywhere(&list, s, &operands(s, true), way);
        }
    }
    if s != Scalar::B1 {
        for list in parts(constant_cases(s)) {
            runs += everywhere(&list, s, &operands(s, false), Way::Each);
        }
    }
    println!("{}: {runs} cases with places", s.name());
    // The oracle at two levels, at the least.
    assert!(runs >= 2 * ways.len() * cases(s).len(), "{runs} cases");
}

const ALL_WAYS: &[Way] = &[Way::Each, Way::Alone, Way::Vectors(2)];

#[test]
fn truth_values() {
    check(Scalar::B1, &[Way::Each, Way::Alone, Way::Vectors(4)]);
}

#[test]
fn integers_of_8_bits() {
    check(Scalar::I8, &[Way::Each, Way::Alone, Way::Vectors(4)]);
}

#[test]
fn integers_of_16_bits() {
    check(Scalar::I16, ALL_WAYS);
}

#[test]
fn integers_of_32_bits() {
    check(Scalar::I32, ALL_WAYS);
}

#[test]
fn integers_of_64_bits() {
    check(Scalar::I64, ALL_WAYS);
}

#[test]
fn floats_of_16_bits() {
    check(Scalar::F16, ALL_WAYS);
}

#[test]
fn floats_of_32_bits() {
    check(Scalar::F32, ALL_WAYS);
}

#[test]
fn floats_of_64_bits() {
    check(Scalar::F64, ALL_WAYS);
}

/// Every op that is a function of its operands alone, lane by lane, is in the list of some type or is named as approximate.
#[test]
fn no_op_is_missing() {
    let all: Vec<Case> = Scalar::ALL.into_iter().flat_map(cases).collect();
    for &op in Op::ALL.iter().filter(|op| op.is_lanewise() && !APPROXIMATE.contains(op)) {
        let has = all.iter().any(|c| match c.form {
            Form::Same(o, _) | Form::Convert(o, _) => o == op,
            Form::IntCompare(_) => op == Op::ICmp,
            Form::FloatCompare(_) => op == Op::FCmp,
            Form::Select => op == Op::Select,
            Form::Scale => op == Op::FLdexp,
            Form::Branch | Form::Turn => false,
        });
        assert!(has, "{op}");
    }
}
