//! Reductions of GLSL as a product: each op of each type and vector, whole, as scans and in clusters of each size. What a form gives is computed
//! here from numbers of all lanes.

use crate::lanes::spirv::At;

/// A kind of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Uint,
    Int,
    Float,
    Half,
    Bool,
}

impl Kind {
    /// The names of the type and of its vectors.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Kind::Uint => ("uint", "uvec"),
            Kind::Int => ("int", "ivec"),
            Kind::Float => ("float", "vec"),
            Kind::Half => ("float16_t", "f16vec"),
            Kind::Bool => ("bool", "bvec"),
        }
    }
}

/// An operation: its name, what it does, and what it gives for no lanes; that is open for floats that have no such number.
#[derive(Clone, Copy)]
struct Fold {
    name: &'static str,
    of: fn(i64, i64) -> i64,
    none: fn(Kind) -> Option<i64>,
}

/// Operations of numbers; those of bits stand last.
const FOLDS: [Fold; 7] = [
    Fold { name: "Add", of: |a, b| a + b, none: |_| Some(0) },
    Fold { name: "Mul", of: |a, b| i64::from((a as i32).wrapping_mul(b as i32)), none: |_| Some(1) },
    Fold {
        name: "Min",
        of: i64::min,
        none: |k| match k {
            Kind::Uint => Some(u32::MAX.into()),
            Kind::Int => Some(i32::MAX.into()),
            _ => None,
        },
    },
    Fold {
        name: "Max",
        of: i64::max,
        none: |k| match k {
            Kind::Uint => Some(0),
            Kind::Int => Some(i32::MIN.into()),
            _ => None,
        },
    },
    Fold { name: "And", of: |a, b| a & b, none: |k| Some(if k == Kind::Bool { 1 } else { -1 }) },
    Fold { name: "Or", of: |a, b| a | b, none: |_| Some(0) },
    Fold { name: "Xor", of: |a, b| a ^ b, none: |_| Some(0) },
];

/// Which lanes a result has: of the cluster, of those before, with the own one.
const FORMS: [(&str, u32); 10] = [
    ("", 64),
    ("Inclusive", 64),
    ("Exclusive", 64),
    ("Clustered", 1),
    ("Clustered", 2),
    ("Clustered", 4),
    ("Clustered", 8),
    ("Clustered", 16),
    ("Clustered", 32),
    ("Clustered", 64),
];

/// Types: a kind and the components.
const TYPES: [(Kind, u32); 10] = [
    (Kind::Uint, 1),
    (Kind::Int, 1),
    (Kind::Float, 1),
    (Kind::Half, 1),
    (Kind::Bool, 1),
    (Kind::Uint, 2),
    (Kind::Int, 3),
    (Kind::Float, 4),
    (Kind::Half, 2),
    (Kind::Bool, 3),
];

/// The text of a component, and its number.
fn component(kind: Kind, fold: &Fold, k: u32) -> (String, impl Fn(u32) -> i64 + use<>) {
    let (ty, product) = (kind.names().0, fold.name == "Mul");
    let word = format!("(w + {k}u)");
    let text = match kind {
        Kind::Uint if product => format!("({word} | 1u)"),
        Kind::Uint => word,
        Kind::Bool => format!("({word} > 9u)"),
        _ if product => format!("{ty}({word} % 8u == 3u ? 2 : {word} % 8u == 5u ? -1 : 1)"),
        _ => format!("({ty}({word}) - {ty}(9))"),
    };
    let number = move |w: u32| {
        let w = w + k;
        match (kind, product) {
            (Kind::Uint, true) => i64::from(w | 1),
            (Kind::Uint, false) => i64::from(w),
            (Kind::Bool, _) => i64::from(w > 9),
            (_, true) => [1, 1, 1, 2, 1, -1, 1, 1][w as usize % 8],
            (_, false) => i64::from(w) - 9,
        }
    };
    (text, number)
}

/// An expression that is a word, and the word in a lane.
pub(crate) type Case = (String, Box<dyn Fn(&At<'_>) -> Option<u32> + Send + Sync>);

fn case(n: usize, (kind, lanes): (Kind, u32), fold: Fold, (form, size): (&'static str, u32)) -> Case {
    let parts: Vec<String> = (0..lanes).map(|k| component(kind, &fold, k).0).collect();
    let shown = n as u32 % lanes;
    let number = component(kind, &fold, shown).1;
    let (ty, vector) = kind.names();
    let operand = if lanes == 1 { parts[0].clone() } else { format!("{vector}{lanes}({})", parts.join(", ")) };
    let cluster = if form == "Clustered" { format!(", {size}u") } else { String::new() };
    let part = if lanes == 1 { "" } else { [".x", ".y", ".z", ".w"][shown as usize] };
    let call = format!("subgroup{form}{}({operand}{cluster}){part}", fold.name);
    let text = if ty.starts_with("float") { format!("uint(int({call}))") } else { format!("uint({call})") };
    let expected = move |a: &At<'_>| {
        let size = size.min(a.size);
        let taken = a.here.iter().filter(|h| {
            let before = h.0 < a.lane || form == "Inclusive" && h.0 == a.lane;
            h.0 / size == a.lane / size && (form != "Inclusive" && form != "Exclusive" || before)
        });
        taken.map(|h| number(h.1)).reduce(fold.of).or_else(|| (fold.none)(kind)).map(|n| n as u32)
    };
    (text, Box::new(expected))
}

/// All of them; or of each op of each type one of ten, so that the parts of a test have different ones.
pub(crate) fn cases(part: usize, all: bool) -> Vec<Case> {
    let mut list = Vec::new();
    let mut n = 0;
    for ty in TYPES {
        let ops = match ty.0 {
            Kind::Bool => &FOLDS[4..],
            Kind::Float | Kind::Half => &FOLDS[..4],
            _ => &FOLDS[..],
        };
        for fold in ops {
            for (k, form) in FORMS.into_iter().enumerate() {
                // 3 and 10 have no factor in common.
                if all || k == (n + 3 * part) % FORMS.len() {
                    list.push(case(n, ty, *fold, form));
                }
            }
            n += 1;
        }
    }
    list
}
