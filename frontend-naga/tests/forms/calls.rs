//! Calls of built-in functions: every overload, with arguments of each kind of evaluation.

/// The kind of the lanes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    F32,
    F16,
    I32,
    U32,
    AbstractFloat,
    AbstractInt,
    Bool,
}

use Kind::{AbstractFloat, AbstractInt, Bool, F16, F32, I32, U32};

impl Kind {
    fn name(self) -> &'static str {
        match self {
            F32 => "f32",
            F16 => "f16",
            I32 => "i32",
            U32 => "u32",
            Bool => "bool",
            AbstractFloat | AbstractInt => "",
        }
    }

    fn is_abstract(self) -> bool {
        matches!(self, AbstractFloat | AbstractInt)
    }

    /// A number as a literal of the kind.
    fn literal(self, v: f64) -> String {
        match self {
            F32 => format!("{v:?}f"),
            F16 => format!("{v:?}h"),
            AbstractFloat => format!("{v:?}"),
            I32 => format!("{}i", v.trunc()),
            U32 => format!("{}u", v.trunc().abs()),
            AbstractInt => format!("{}", v.trunc()),
            Bool => (v != 0.0).to_string(),
        }
    }

    /// A value of so many lanes, all the same.
    pub fn value(self, lanes: usize, v: f64) -> String {
        let one = self.literal(v);
        match (lanes, self.is_abstract()) {
            (1, _) => one,
            (n, true) => format!("vec{n}({})", vec![one; n].join(", ")),
            (n, false) => format!("vec{n}<{}>({one})", self.name()),
        }
    }

    /// A matrix with the numbers on its diagonal.
    fn matrix(self, columns: usize, rows: usize, v: f64) -> String {
        let at = |c: usize, r: usize| self.literal(if c == r { v } else { 0.0 });
        let all: Vec<String> = (0..columns).flat_map(|c| (0..rows).map(move |r| at(c, r))).collect();
        match self.is_abstract() {
            true => format!("mat{columns}x{rows}({})", all.join(", ")),
            false => format!("mat{columns}x{rows}<{}>({})", self.name(), all.join(", ")),
        }
    }
}

/// Kind of a parameter.
#[derive(Clone, Copy)]
enum Of {
    /// The lanes of the overload.
    T,
    /// A scalar of its kind.
    S,
    /// A kind of its own, as wide as the overload.
    Lanes(Kind),
    /// A type of its own.
    Only(Kind, usize),
}
use Of::{Lanes, Only, S, T};

/// A function with its parameters, their values, and the kinds and widths of its overloads.
struct Row(&'static str, &'static [(Of, f64)], &'static [Kind], &'static [usize]);

const FLOATS: &[Kind] = &[F32, F16, AbstractFloat];
const WHOLE: &[Kind] = &[I32, U32, AbstractInt];
const NUMBERS: &[Kind] = &[F32, F16, I32, U32, AbstractFloat, AbstractInt];
const SIGNED: &[Kind] = &[F32, F16, I32, AbstractFloat, AbstractInt];
const ALL: &[usize] = &[1, 2, 3, 4];
const VECTORS: &[usize] = &[2, 3, 4];
const ANY: &[Kind] = &[F32];
const ONE: &[usize] = &[1];

const ROWS: &[Row] = &[
    Row("abs", &[(T, -1.0)], NUMBERS, ALL),
    Row("acos", &[(T, 0.5)], FLOATS, ALL),
    Row("acosh", &[(T, 1.5)], FLOATS, ALL),
    Row("asin", &[(T, 0.5)], FLOATS, ALL),
    Row("asinh", &[(T, 1.0)], FLOATS, ALL),
    Row("atan", &[(T, 1.0)], FLOATS, ALL),
    Row("atanh", &[(T, 0.5)], FLOATS, ALL),
    Row("atan2", &[(T, 1.0), (T, -2.0)], FLOATS, ALL),
    Row("ceil", &[(T, 1.5)], FLOATS, ALL),
    Row("clamp", &[(T, 1.0), (T, 2.0), (T, 3.0)], NUMBERS, ALL),
    Row("cos", &[(T, 0.25)], FLOATS, ALL),
    Row("cosh", &[(T, 0.5)], FLOATS, ALL),
    Row("countLeadingZeros", &[(T, 5.0)], WHOLE, ALL),
    Row("countOneBits", &[(T, 5.0)], WHOLE, ALL),
    Row("countTrailingZeros", &[(T, 8.0)], WHOLE, ALL),
    Row("cross", &[(T, 1.0), (T, 2.0)], FLOATS, &[3]),
    Row("degrees", &[(T, 1.0)], FLOATS, ALL),
    Row("distance", &[(T, 4.0), (T, 1.0)], FLOATS, ALL),
    Row("dot", &[(T, 2.0), (T, 3.0)], NUMBERS, VECTORS),
    Row("dot4I8Packed", &[(Only(U32, 1), 16909060.0), (Only(U32, 1), 16843009.0)], ANY, ONE),
    Row("dot4U8Packed", &[(Only(U32, 1), 16909060.0), (Only(U32, 1), 16843009.0)], ANY, ONE),
    Row("exp", &[(T, 1.0)], FLOATS, ALL),
    Row("exp2", &[(T, 2.5)], FLOATS, ALL),
    Row("extractBits", &[(T, 1234.0), (Only(U32, 1), 3.0), (Only(U32, 1), 5.0)], WHOLE, ALL),
    Row("faceForward", &[(T, 1.0), (T, 2.0), (T, 3.0)], FLOATS, VECTORS),
    Row("firstLeadingBit", &[(T, 9.0)], WHOLE, ALL),
    Row("firstTrailingBit", &[(T, 12.0)], WHOLE, ALL),
    Row("floor", &[(T, -1.5)], FLOATS, ALL),
    Row("fma", &[(T, 2.0), (T, 3.0), (T, 4.0)], FLOATS, ALL),
    Row("fract", &[(T, 1.25)], FLOATS, ALL),
    Row("insertBits", &[(T, 1234.0), (T, 7.0), (Only(U32, 1), 3.0), (Only(U32, 1), 5.0)], WHOLE, ALL),
    Row("inverseSqrt", &[(T, 4.0)], FLOATS, ALL),
    Row("ldexp", &[(T, 1.5), (Lanes(I32), 3.0)], FLOATS, ALL),
    Row("ldexp", &[(T, 1.5), (Lanes(AbstractInt), 3.0)], FLOATS, ALL),
    Row("length", &[(T, 2.0)], FLOATS, ALL),
    Row("log", &[(T, 2.0)], FLOATS, ALL),
    Row("log2", &[(T, 5.0)], FLOATS, ALL),
    Row("max", &[(T, -2.0), (T, 3.0)], NUMBERS, ALL),
    Row("min", &[(T, -2.0), (T, 3.0)], NUMBERS, ALL),
    Row("mix", &[(T, 2.0), (T, 6.0), (T, 0.25)], FLOATS, ALL),
    Row("mix", &[(T, 2.0), (T, 6.0), (S, 0.25)], FLOATS, VECTORS),
    Row("normalize", &[(T, 2.0)], FLOATS, VECTORS),
    Row("pack2x16float", &[(Only(F32, 2), 0.5)], ANY, ONE),
    Row("pack2x16snorm", &[(Only(F32, 2), 0.5)], ANY, ONE),
    Row("pack2x16unorm", &[(Only(F32, 2), 0.5)], ANY, ONE),
    Row("pack4x8snorm", &[(Only(F32, 4), 0.5)], ANY, ONE),
    Row("pack4x8unorm", &[(Only(F32, 4), 0.5)], ANY, ONE),
    Row("pack4xI8", &[(Only(I32, 4), -3.0)], ANY, ONE),
    Row("pack4xI8Clamp", &[(Only(I32, 4), -300.0)], ANY, ONE),
    Row("pack4xU8", &[(Only(U32, 4), 3.0)], ANY, ONE),
    Row("pack4xU8Clamp", &[(Only(U32, 4), 300.0)], ANY, ONE),
    Row("pow", &[(T, 2.0), (T, 2.5)], FLOATS, ALL),
    Row("quantizeToF16", &[(T, 1.1)], &[F32, AbstractFloat], ALL),
    Row("radians", &[(T, 90.0)], FLOATS, ALL),
    Row("reflect", &[(T, 1.0), (T, 0.5)], FLOATS, VECTORS),
    Row("refract", &[(T, 0.5), (T, 0.25), (S, 0.5)], FLOATS, VECTORS),
    Row("reverseBits", &[(T, 5.0)], WHOLE, ALL),
    Row("round", &[(T, 2.5)], FLOATS, ALL),
    Row("saturate", &[(T, 2.0)], FLOATS, ALL),
    Row("select", &[(T, 1.0), (T, 2.0), (Only(Bool, 1), 1.0)], NUMBERS, ALL),
    Row("select", &[(T, 1.0), (T, 2.0), (Lanes(Bool), 0.0)], NUMBERS, ALL),
    Row("select", &[(T, 1.0), (T, 0.0), (Only(Bool, 1), 1.0)], &[Bool], ALL),
    Row("select", &[(T, 1.0), (T, 0.0), (Lanes(Bool), 1.0)], &[Bool], ALL),
    Row("all", &[(T, 1.0)], &[Bool], ALL),
    Row("any", &[(T, 0.0)], &[Bool], ALL),
    Row("sign", &[(T, -2.0)], SIGNED, ALL),
    Row("sin", &[(T, 0.5)], FLOATS, ALL),
    Row("sinh", &[(T, 0.5)], FLOATS, ALL),
    Row("smoothstep", &[(T, 2.0), (T, 4.0), (T, 3.5)], FLOATS, ALL),
    Row("sqrt", &[(T, 3.0)], FLOATS, ALL),
    Row("step", &[(T, 1.0), (T, 2.0)], FLOATS, ALL),
    Row("tan", &[(T, 0.5)], FLOATS, ALL),
    Row("tanh", &[(T, 0.5)], FLOATS, ALL),
    Row("trunc", &[(T, -1.5)], FLOATS, ALL),
    Row("unpack2x16float", &[(Only(U32, 1), 939538944.0)], ANY, ONE),
    Row("unpack2x16snorm", &[(Only(U32, 1), 939538944.0)], ANY, ONE),
    Row("unpack2x16unorm", &[(Only(U32, 1), 939538944.0)], ANY, ONE),
    Row("unpack4x8snorm", &[(Only(U32, 1), 939538944.0)], ANY, ONE),
    Row("unpack4x8unorm", &[(Only(U32, 1), 939538944.0)], ANY, ONE),
    Row("unpack4xI8", &[(Only(U32, 1), 3939538944.0)], ANY, ONE),
    Row("unpack4xU8", &[(Only(U32, 1), 3939538944.0)], ANY, ONE),
];

/// A call: the function, its arguments as constants, and the member of its result that is looked at.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: String,
    pub arguments: Vec<String>,
    pub member: &'static str,
    /// Whether the result is made of floats.
    pub floats: bool,
}

impl Call {
    pub fn with(&self, arguments: &[String]) -> String {
        format!("{}({}){}", self.function, arguments.join(", "), self.member)
    }

    /// Whether halves are in it.
    pub fn has_halves(&self) -> bool {
        self.function.contains("f16")
            || self.function.ends_with('h') && self.function.starts_with(['v', 'm'])
            || self.arguments.iter().any(|a| a.contains("f16") || is_half(a))
    }
}

fn is_half(text: &str) -> bool {
    text.ends_with('h') || text.contains("h,") || text.contains("h)")
}

/// Every overload.
pub fn all() -> Vec<Call> {
    let mut list = Vec::new();
    let mut add = |function: &str, arguments: Vec<String>, member, kind: Kind| {
        let whole = matches!(kind, I32 | U32 | AbstractInt | Bool) || member == ".exp" || function.starts_with("dot4");
        let packed = function.starts_with("pack") || function.starts_with("unpack4x") && function.ends_with("I8");
        let floats = !(whole || packed || function == "unpack4xU8");
        list.push(Call { function: function.to_string(), arguments, member, floats });
    };
    for Row(name, parameters, kinds, widths) in ROWS {
        for &kind in *kinds {
            for &n in *widths {
                let argument = |&(of, v): &(Of, f64)| match of {
                    T => kind.value(n, v),
                    S => kind.value(1, v),
                    Lanes(own) => own.value(n, v),
                    Only(own, width) => own.value(width, v),
                };
                add(name, parameters.iter().map(argument).collect(), "", kind);
            }
        }
    }
    for &kind in FLOATS {
        for n in 1..=4 {
            for (function, member) in [("frexp", ".fract"), ("frexp", ".exp"), ("modf", ".fract"), ("modf", ".whole")] {
                add(function, vec![kind.value(n, 5.25)], member, kind);
            }
        }
        for c in 2..=4 {
            for r in 2..=4 {
                add("transpose", vec![kind.matrix(c, r, 2.0)], "[1]", kind);
            }
            add("determinant", vec![kind.matrix(c, c, 2.0)], "", kind);
        }
    }
    casts(&mut add);
    list
}

/// `bitcast` and conversions.
fn casts(add: &mut impl FnMut(&str, Vec<String>, &'static str, Kind)) {
    let typed = |kind: Kind, n: usize| match n {
        1 => kind.name().to_string(),
        n => format!("vec{n}<{}>", kind.name()),
    };
    let same = [F32, I32, U32, AbstractInt];
    for from in same {
        for to in [F32, I32, U32] {
            for n in 1..=4 {
                add(&format!("bitcast<{}>", typed(to, n)), vec![from.value(n, 1.0)], "", to);
            }
        }
    }
    for from in [F32, I32, U32] {
        add("bitcast<vec2<f16>>", vec![from.value(1, 2.0)], "", F16);
        add("bitcast<vec4<f16>>", vec![from.value(2, 2.0)], "", F16);
        add(&format!("bitcast<{}>", typed(from, 1)), vec![F16.value(2, 2.0)], "", from);
        add(&format!("bitcast<{}>", typed(from, 2)), vec![F16.value(4, 2.0)], "", from);
    }
    for n in [1, 2, 3, 4] {
        add(&format!("bitcast<{}>", typed(F16, n)), vec![F16.value(n, 2.0)], "", F16);
    }
    for to in [F32, F16, I32, U32, Bool] {
        for from in [F32, F16, I32, U32, Bool, AbstractFloat, AbstractInt] {
            for n in 1..=4 {
                add(&typed(to, n), vec![from.value(n, 1.0)], "", to);
            }
        }
        for n in 1..=4 {
            add(&typed(to, n), vec![], "", to);
        }
        for n in 2..=4 {
            add(&typed(to, n), vec![to.value(1, 1.0)], "", to);
            add(&typed(to, n), vec![to.value(1, 1.0); n], "", to);
            let letter = &to.name()[..1];
            let short = if to == F16 { "h" } else { letter };
            if to != Bool {
                add(&format!("vec{n}{short}"), vec![to.value(1, 1.0); n], "", to);
            }
            add(&format!("vec{n}"), vec![to.value(1, 1.0); n], "", to);
        }
        add(&typed(to, 3), vec![to.value(1, 1.0), to.value(2, 1.0)], "", to);
        add(&typed(to, 3), vec![to.value(2, 1.0), to.value(1, 1.0)], "", to);
        add(&typed(to, 4), vec![to.value(2, 1.0), to.value(2, 1.0)], "", to);
        add(&typed(to, 4), vec![to.value(1, 1.0), to.value(2, 1.0), to.value(1, 1.0)], "", to);
        add("vec4", vec![to.value(1, 1.0), to.value(3, 1.0)], "", to);
    }
    for kind in FLOATS.iter().copied() {
        for c in 2..=4 {
            for r in 2..=4 {
                let column = kind.value(r, 1.0);
                let names = match kind {
                    F32 => vec![format!("mat{c}x{r}<f32>"), format!("mat{c}x{r}f"), format!("mat{c}x{r}")],
                    F16 => vec![format!("mat{c}x{r}<f16>"), format!("mat{c}x{r}h"), format!("mat{c}x{r}")],
                    _ => vec![format!("mat{c}x{r}")],
                };
                for name in names {
                    add(&name, vec![column.clone(); c], "[0]", kind);
                    add(&name, vec![kind.value(1, 1.0); c * r], "[1]", kind);
                    if !kind.is_abstract() && name.len() > 6 {
                        add(&name, vec![], "[1]", kind);
                        for other in [F32, F16] {
                            add(&name, vec![other.matrix(c, r, 1.0)], "[1]", kind);
                        }
                    }
                }
            }
        }
    }
}
