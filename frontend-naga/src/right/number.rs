//! Values of constant expressions, and the built-in functions that naga does not evaluate.
//!
//! Floats are computed with 64 bits and rounded once to their type; integers are exact. What has no value here, because it is out of range or
//! of a type that is not handled, is `None`: the expression stays as it is, and naga says what is wrong with it.

use gpucc_num::{Round, convert, pack};

/// The type of the lanes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    AbstractInt,
    AbstractFloat,
    I32,
    U32,
    F32,
    F16,
}

/// A scalar, a vector, a matrix of columns, or what `frexp` and `modf` give. A lane is a number that its kind holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Lanes(Kind, Vec<f64>),
    /// Columns of a number of rows.
    Matrix(Kind, usize, Vec<f64>),
    Struct(Vec<(&'static str, Value)>),
}

use Value::{Lanes, Matrix, Struct};

impl Kind {
    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::AbstractFloat | Kind::F32 | Kind::F16)
    }

    /// The kind of both, to which abstract numbers are converted.
    pub fn join(self, other: Kind) -> Option<Kind> {
        use Kind::{AbstractFloat, AbstractInt};
        Some(match (self, other) {
            (a, b) if a == b => a,
            (AbstractInt, b) => b,
            (a, AbstractInt) => a,
            (AbstractFloat, b) if b.is_float() => b,
            (a, AbstractFloat) if a.is_float() => a,
            _ => return None,
        })
    }

    /// The number as this kind holds it.
    pub fn hold(self, v: f64) -> Option<f64> {
        let whole = |low: f64, high: f64| (v.fract() == 0.0 && (low..=high).contains(&v)).then_some(v);
        match self {
            // Integers of 53 bits.
            Kind::AbstractInt => whole(-9_007_199_254_740_992.0, 9_007_199_254_740_992.0),
            Kind::I32 => whole(f64::from(i32::MIN), f64::from(i32::MAX)),
            Kind::U32 => whole(0.0, f64::from(u32::MAX)),
            Kind::AbstractFloat => v.is_finite().then_some(v),
            Kind::F32 => Some(v as f32).filter(|v| v.is_finite()).map(f64::from),
            Kind::F16 => Some(rounded_half(v)).filter(|v| v.is_finite()),
        }
    }

    /// A lane as text.
    fn text(self, v: f64) -> String {
        match self {
            Kind::AbstractInt if v < 0.0 => format!("({})", v as i64),
            Kind::AbstractInt => format!("{}", v as i64),
            Kind::I32 => format!("i32({})", v as i64),
            Kind::U32 => format!("{}u", v as u64),
            Kind::AbstractFloat => format!("({v:?})"),
            Kind::F32 => format!("({:?}f)", v as f32),
            Kind::F16 => format!("({v:?}h)"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::AbstractInt | Kind::AbstractFloat => "",
            Kind::I32 => "<i32>",
            Kind::U32 => "<u32>",
            Kind::F32 => "<f32>",
            Kind::F16 => "<f16>",
        }
    }
}

impl Value {
    /// The value of an expression, as text.
    pub fn text(&self) -> Option<String> {
        let list = |kind: Kind, lanes: &[f64]| lanes.iter().map(|&v| kind.text(v)).collect::<Vec<_>>().join(", ");
        Some(match self {
            Lanes(kind, lanes) if lanes.len() == 1 => kind.text(lanes[0]),
            Lanes(kind, lanes) => format!("vec{}{}({})", lanes.len(), kind.name(), list(*kind, lanes)),
            Matrix(kind, rows, all) => format!("mat{}x{rows}{}({})", all.len() / rows, kind.name(), list(*kind, all)),
            Struct(_) => return None,
        })
    }

    /// The type of lanes as WGSL writes it; numbers without a type get the one that variables have.
    pub fn concrete_type(&self) -> Option<String> {
        let (kind, lanes) = self.lanes()?;
        let scalar = match kind {
            Kind::AbstractInt | Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::AbstractFloat | Kind::F32 => "f32",
            Kind::F16 => "f16",
        };
        Some(if lanes.len() == 1 { scalar.into() } else { format!("vec{}<{scalar}>", lanes.len()) })
    }

    /// Lanes of a kind, each as the kind holds it.
    pub fn of(kind: Kind, lanes: impl IntoIterator<Item = f64>) -> Option<Value> {
        Some(Lanes(kind, lanes.into_iter().map(|v| kind.hold(v)).collect::<Option<_>>()?))
    }

    /// Converts to a kind, as a constructor does where no bit is lost.
    pub fn to(&self, kind: Kind) -> Option<Value> {
        match self {
            Lanes(_, lanes) => Value::of(kind, lanes.iter().copied()),
            Matrix(_, rows, all) => {
                Some(Matrix(kind, *rows, all.iter().map(|&v| kind.hold(v)).collect::<Option<_>>()?))
            }
            Struct(_) => None,
        }
    }

    /// Lanes and their kind.
    pub fn lanes(&self) -> Option<(Kind, &[f64])> {
        match self {
            Lanes(kind, lanes) => Some((*kind, lanes)),
            _ => None,
        }
    }

    /// A member or some components.
    pub fn member(&self, name: &str) -> Option<Value> {
        match self {
            Struct(list) => list.iter().find(|m| m.0 == name).map(|m| m.1.clone()),
            Lanes(kind, lanes) if lanes.len() > 1 => {
                let lane = |c: char| "xyzw".find(c).or("rgba".find(c)).and_then(|k| lanes.get(k).copied());
                Some(Lanes(*kind, name.chars().map(lane).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// Element `n` of a vector, column `n` of a matrix.
    pub fn element(&self, n: usize) -> Option<Value> {
        match self {
            Lanes(kind, lanes) if lanes.len() > 1 => Some(Lanes(*kind, vec![*lanes.get(n)?])),
            Matrix(kind, rows, all) => Some(Lanes(*kind, all.chunks(*rows).nth(n)?.to_vec())),
            _ => None,
        }
    }
}

/// The nearest half of a number; beyond all of them an infinity.
pub fn rounded_half(v: f64) -> f64 {
    convert::f16_to_f64(convert::f64_to_f16(Round::Nearest, v))
}

/// The arguments as lanes of one kind; scalars are as wide as the widest.
fn together(list: &[Value]) -> Option<(Kind, Vec<Vec<f64>>)> {
    let lanes: Vec<(Kind, &[f64])> = list.iter().map(Value::lanes).collect::<Option<_>>()?;
    let kind = lanes[1..].iter().try_fold(lanes[0].0, |k, l| k.join(l.0))?;
    let width = lanes.iter().map(|l| l.1.len()).max()?;
    let one = |l: &[f64]| match l.len() {
        n if n == width => Some(l.to_vec()),
        1 => Some(vec![l[0]; width]),
        _ => None,
    };
    let mut all: Vec<Vec<f64>> = lanes.iter().map(|l| one(l.1)).collect::<Option<_>>()?;
    for v in all.iter_mut().flatten() {
        *v = kind.hold(*v)?;
    }
    Some((kind, all))
}

/// The same with integers that are not typed as floats.
fn floats(list: &[Value]) -> Option<(Kind, Vec<Vec<f64>>)> {
    let (kind, all) = together(list)?;
    let kind = if kind == Kind::AbstractInt { Kind::AbstractFloat } else { kind };
    kind.is_float().then_some((kind, all))
}

/// A binary operator between values of one kind.
pub fn binary(sign: &str, a: &Value, b: &Value) -> Option<Value> {
    let (kind, all) = together(&[a.clone(), b.clone()])?;
    let one = |(&x, &y): (&f64, &f64)| match sign {
        "+" => kind.hold(x + y),
        "-" => kind.hold(x - y),
        "*" => kind.hold(x * y),
        "/" if kind.is_float() => kind.hold(x / y),
        "/" if y != 0.0 => kind.hold((x / y).trunc()),
        "%" if y != 0.0 => kind.hold(x % y),
        _ => None,
    };
    Some(Lanes(kind, all[0].iter().zip(&all[1]).map(one).collect::<Option<_>>()?))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Functions that naga evaluates, as far as arguments of the others have them.
fn known(name: &str, list: &[Value]) -> Option<Value> {
    let unary: Option<fn(f64) -> f64> = Some(match name {
        "sqrt" => f64::sqrt,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "log" => f64::ln,
        "log2" => f64::log2,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "trunc" => f64::trunc,
        "round" => f64::round_ties_even,
        "radians" => f64::to_radians,
        "degrees" => f64::to_degrees,
        "fract" => |v| v - v.floor(),
        "inverseSqrt" => |v| 1.0 / v.sqrt(),
        "saturate" => |v| v.clamp(0.0, 1.0),
        _ => return several(name, list),
    });
    let (kind, all) = floats(list)?;
    match (&all[..], unary) {
        ([lanes], Some(f)) => Value::of(kind, lanes.iter().map(|&v| f(v))),
        _ => None,
    }
}

/// Those of several arguments, or of integers too.
fn several(name: &str, list: &[Value]) -> Option<Value> {
    let (kind, all) = together(list)?;
    let each = |f: &dyn Fn(usize) -> f64| Value::of(kind, (0..all[0].len()).map(f));
    match (name, &all[..]) {
        ("abs", [a]) => each(&|k| a[k].abs()),
        ("min", [a, b]) => each(&|k| a[k].min(b[k])),
        ("max", [a, b]) => each(&|k| a[k].max(b[k])),
        ("clamp", [a, low, high]) => each(&|k| a[k].max(low[k]).min(high[k])),
        ("dot", [a, b]) => Value::of(kind, [dot(a, b)]),
        ("pow", [a, b]) if kind.is_float() => each(&|k| a[k].powf(b[k])),
        ("step", [edge, x]) => each(&|k| f64::from(u8::from(edge[k] <= x[k]))),
        ("length", [a]) => Value::of(kind, [dot(a, a).sqrt()]),
        ("distance", [a, b]) => {
            let d: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
            Value::of(kind, [dot(&d, &d).sqrt()])
        }
        ("normalize", [a]) => each(&|k| a[k] / dot(a, a).sqrt()),
        ("cross", [a, b]) if a.len() == 3 => {
            each(&|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
        }
        _ => None,
    }
}

/// The names of the functions that naga leaves alone.
#[rustfmt::skip]
pub const OURS: [&str; 29] = [
    "pack4xI8", "pack4xU8", "pack4xI8Clamp", "pack4xU8Clamp", "unpack4xI8", "unpack4xU8", "mix", "smoothstep",
    "reflect", "refract", "faceForward", "ldexp", "modf", "frexp", "determinant", "transpose", "quantizeToF16",
    "pack4x8snorm", "pack4x8unorm", "pack2x16snorm", "pack2x16unorm", "pack2x16float", "unpack4x8snorm",
    "unpack4x8unorm", "unpack2x16snorm", "unpack2x16unorm", "unpack2x16float", "insertBits", "extractBits",
];

/// The value of a call.
pub fn call(name: &str, list: &[Value]) -> Option<Value> {
    if list.is_empty() {
        return None;
    }
    match name {
        "mix" | "smoothstep" | "reflect" | "refract" | "faceForward" => geometric(name, list),
        "ldexp" | "modf" | "frexp" => parts(name, list),
        "determinant" | "transpose" => matrix(name, list),
        "insertBits" | "extractBits" => fields(name, list),
        _ if name == "quantizeToF16" || name.starts_with("pack") || name.starts_with("unpack") => packed(name, list),
        _ => known(name, list),
    }
}

fn geometric(name: &str, list: &[Value]) -> Option<Value> {
    let (kind, all) = match name {
        // The ratio is a scalar of its own.
        "refract" => floats(&list[..2])?,
        _ => floats(list)?,
    };
    let each = |f: &dyn Fn(usize) -> f64| Value::of(kind, (0..all[0].len()).map(f));
    match (name, &all[..]) {
        ("mix", [a, b, t]) => each(&|k| a[k] * (1.0 - t[k]) + b[k] * t[k]),
        ("smoothstep", [low, high, x]) if low.iter().zip(high).all(|(l, h)| l != h) => each(&|k| {
            let t = ((x[k] - low[k]) / (high[k] - low[k])).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }),
        ("reflect", [i, n]) => each(&|k| i[k] - 2.0 * dot(n, i) * n[k]),
        ("faceForward", [n, i, r]) => each(&|k| if dot(i, r) < 0.0 { n[k] } else { -n[k] }),
        ("refract", [i, n]) if list.len() == 3 => {
            let (of, ratio) = list[2].lanes()?;
            let (kind, eta) = (kind.join(of)?, *ratio.first()?);
            let d = dot(n, i);
            let k = 1.0 - eta * eta * (1.0 - d * d);
            let one = |(x, y): (&f64, &f64)| if k < 0.0 { 0.0 } else { eta * x - (eta * d + k.sqrt()) * y };
            Value::of(kind, i.iter().zip(n).map(one))
        }
        _ => None,
    }
}

/// Fraction and exponent of a number: 0.5 to 1, and a power of two.
fn split(v: f64) -> (f64, f64) {
    if v == 0.0 {
        return (v, 0.0);
    }
    let mut exponent = v.abs().log2().floor() + 1.0;
    let mut fraction = v / exponent.exp2();
    if fraction.abs() >= 1.0 {
        (fraction, exponent) = (fraction / 2.0, exponent + 1.0);
    } else if fraction.abs() < 0.5 {
        (fraction, exponent) = (fraction * 2.0, exponent - 1.0);
    }
    (fraction, exponent)
}

fn parts(name: &str, list: &[Value]) -> Option<Value> {
    match (name, list) {
        ("modf", [_]) => {
            let (kind, all) = floats(list)?;
            let whole = Value::of(kind, all[0].iter().map(|v| v.trunc()))?;
            Some(Struct(vec![("fract", Value::of(kind, all[0].iter().map(|v| v - v.trunc()))?), ("whole", whole)]))
        }
        ("frexp", [_]) => {
            let (kind, all) = floats(list)?;
            let exponents = if kind == Kind::AbstractFloat { Kind::AbstractInt } else { Kind::I32 };
            let exp = Value::of(exponents, all[0].iter().map(|&v| split(v).1))?;
            Some(Struct(vec![("fract", Value::of(kind, all[0].iter().map(|&v| split(v).0))?), ("exp", exp)]))
        }
        ("ldexp", [a, b]) => {
            let (kind, x) = floats(std::slice::from_ref(a))?;
            let (of, exponents) = b.lanes()?;
            let most = match kind {
                Kind::F16 => 16.0,
                Kind::F32 => 128.0,
                _ => 1024.0,
            };
            let fits = !of.is_float() && exponents.len() == x[0].len() && exponents.iter().all(|&e| e <= most);
            if !fits {
                return None;
            }
            // In two steps, for what is smaller than a power of two can be.
            let scale = |v: f64, e: f64| v * (e / 2.0).floor().exp2() * (e - (e / 2.0).floor()).exp2();
            Value::of(kind, x[0].iter().zip(exponents).map(|(&v, &e)| scale(v, e)))
        }
        _ => None,
    }
}

fn matrix(name: &str, list: &[Value]) -> Option<Value> {
    let [Matrix(kind, rows, all)] = list else { return None };
    let columns = all.len() / rows;
    let at = |c: usize, r: usize| all[c * rows + r];
    if name == "transpose" {
        let flipped = (0..*rows).flat_map(|r| (0..columns).map(move |c| (c, r))).map(|(c, r)| at(c, r)).collect();
        return Some(Matrix(*kind, columns, flipped));
    }
    (columns == *rows).then_some(())?;
    let kind = if *kind == Kind::AbstractInt { Kind::AbstractFloat } else { *kind };
    let square: Vec<Vec<f64>> = all.chunks(*rows).map(<[f64]>::to_vec).collect();
    Value::of(kind, [expanded(&square)])
}

/// The determinant by the first column.
fn expanded(m: &[Vec<f64>]) -> f64 {
    if m.len() == 1 {
        return m[0][0];
    }
    let without = |r: usize| -> Vec<Vec<f64>> {
        m[1..].iter().map(|c| c.iter().enumerate().filter(|(k, _)| *k != r).map(|(_, &v)| v).collect()).collect()
    };
    (0..m.len()).map(|r| m[0][r] * expanded(&without(r)) * if r % 2 == 0 { 1.0 } else { -1.0 }).sum()
}

/// The bits of a lane.
fn bits(kind: Kind, v: f64) -> u32 {
    match kind {
        Kind::F32 | Kind::AbstractFloat => (v as f32).to_bits(),
        Kind::I32 | Kind::AbstractInt => (v as i64 as i32).cast_unsigned(),
        Kind::U32 => v as u32,
        Kind::F16 => convert::f64_to_f16(Round::Nearest, v).into(),
    }
}

/// The bits of a word as a lane.
fn of_bits(kind: Kind, bits: u32) -> f64 {
    match kind {
        Kind::F32 | Kind::AbstractFloat => f32::from_bits(bits).into(),
        Kind::I32 | Kind::AbstractInt => bits.cast_signed().into(),
        Kind::U32 => bits.into(),
        Kind::F16 => convert::f16_to_f64(bits as u16),
    }
}

/// The bits of a value as so many lanes of a kind. An infinity or a NaN is none.
pub fn cast(value: &Value, kind: Kind, lanes: usize) -> Option<Value> {
    let (from, all) = value.lanes()?;
    let words: Vec<u32> = match from {
        Kind::F16 if kind == Kind::F16 => return (all.len() == lanes).then(|| value.clone()),
        Kind::F16 if all.len() == 2 * lanes => {
            all.chunks(2).map(|c| bits(from, c[0]) | bits(from, c[1]) << 16).collect()
        }
        Kind::F16 => return None,
        _ => all.iter().map(|&v| bits(from, v)).collect(),
    };
    let parts: Vec<u32> = match kind {
        Kind::F16 => words.iter().flat_map(|w| [w & 0xffff, w >> 16]).collect(),
        _ => words,
    };
    if parts.len() != lanes {
        return None;
    }
    Value::of(kind, parts.into_iter().map(|w| of_bits(kind, w)))
}

fn fields(name: &str, list: &[Value]) -> Option<Value> {
    let number = |v: &Value| v.lanes().filter(|l| l.1.len() == 1 && !l.0.is_float()).map(|l| l.1[0] as u32);
    let (values, at, count) = match (name, list) {
        ("extractBits", [e, at, count]) => (std::slice::from_ref(e), number(at)?, number(count)?),
        ("insertBits", [_, _, at, count]) => (&list[..2], number(at)?, number(count)?),
        _ => return None,
    };
    let (kind, all) = together(values)?;
    let kind = if kind == Kind::AbstractInt { Kind::I32 } else { kind };
    if kind.is_float() || u64::from(at) + u64::from(count) > 32 {
        return None;
    }
    let mask = if count == 32 { u32::MAX } else { (1 << count) - 1 };
    let one = |k: usize| {
        let word = bits(kind, all[0][k]);
        let done = match all.get(1) {
            Some(new) => {
                word & !mask.checked_shl(at).unwrap_or(0) | (bits(kind, new[k]) & mask).checked_shl(at).unwrap_or(0)
            }
            None if count == 0 => 0,
            None if kind == Kind::I32 => {
                (word << (32 - at - count)).cast_signed().wrapping_shr(32 - count).cast_unsigned()
            }
            None => word >> at & mask,
        };
        of_bits(kind, done)
    };
    Value::of(kind, (0..all[0].len()).map(one))
}

fn packed(name: &str, list: &[Value]) -> Option<Value> {
    let [value] = list else { return None };
    let (kind, lanes) = value.lanes()?;
    let f = |k: usize| lanes.get(k).map(|&v| v as f32);
    let word = |w: u32| Some(Lanes(Kind::U32, vec![w.into()]));
    let list = |v: &[f32]| Value::of(Kind::F32, v.iter().map(|&v| v.into()));
    if name.starts_with("unpack") {
        let w = (lanes.len() == 1 && !kind.is_float()).then(|| lanes[0] as u32)?;
        return match name {
            "unpack4x8snorm" => list(&pack::unpack4x8snorm(w)),
            "unpack4x8unorm" => list(&pack::unpack4x8unorm(w)),
            "unpack2x16snorm" => list(&pack::unpack2x16snorm(w)),
            "unpack2x16unorm" => list(&pack::unpack2x16unorm(w)),
            "unpack2x16float" => list(&pack::unpack2x16float(w)),
            "unpack4xU8" => Value::of(Kind::U32, w.to_le_bytes().map(f64::from)),
            "unpack4xI8" => Value::of(Kind::I32, w.to_le_bytes().map(|b| f64::from(b.cast_signed()))),
            _ => None,
        };
    }
    let bytes = |low: f64, high: f64| {
        let byte = |k: usize| bits(Kind::I32, lanes[k].clamp(low, high)) as u8;
        word(u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]))
    };
    match (name, lanes.len()) {
        ("pack4xI8", 4) if !kind.is_float() => bytes(f64::NEG_INFINITY, f64::INFINITY),
        ("pack4xU8", 4) if !kind.is_float() => bytes(f64::NEG_INFINITY, f64::INFINITY),
        ("pack4xI8Clamp", 4) if !kind.is_float() => bytes(-128.0, 127.0),
        ("pack4xU8Clamp", 4) if !kind.is_float() => bytes(0.0, 255.0),
        ("pack4x8snorm", 4) => word(pack::pack4x8snorm([f(0)?, f(1)?, f(2)?, f(3)?])),
        ("pack4x8unorm", 4) => word(pack::pack4x8unorm([f(0)?, f(1)?, f(2)?, f(3)?])),
        ("pack2x16snorm", 2) => word(pack::pack2x16snorm([f(0)?, f(1)?])),
        ("pack2x16unorm", 2) => word(pack::pack2x16unorm([f(0)?, f(1)?])),
        ("pack2x16float", 2) if lanes.iter().all(|v| v.abs() < 65520.0) => word(pack::pack2x16float([f(0)?, f(1)?])),
        ("quantizeToF16", _) if lanes.iter().all(|v| v.abs() <= 65504.0) => {
            let kind = if kind == Kind::F32 { Kind::F32 } else { Kind::AbstractFloat };
            Value::of(kind, lanes.iter().map(|&v| pack::quantize_to_f16(v as f32).into()))
        }
        _ => None,
    }
}
