//! Every condition of reference 6 in each instruction that has one, on each chip and on each type of 32 bits.

use std::collections::BTreeSet;

use gpucc_vivante_machine::Op;

use crate::exec::eval;
use crate::kit::{GC2000, GC7000, SIZE, Shot, ops};

type Binary = fn(f64, f64) -> bool;
type Unary = fn(f64) -> bool;

const BINARY: [(&str, Binary); 6] = [
    (".gt", |a, b| a > b),
    (".lt", |a, b| a < b),
    (".ge", |a, b| a >= b),
    (".le", |a, b| a <= b),
    (".eq", |a, b| a == b),
    (".ne", |a, b| a != b),
];
const UNARY: [(&str, Unary); 6] = [
    (".not", |a| a == 0.0),
    (".nz", |a| a != 0.0),
    (".gez", |a| a >= 0.0),
    (".gz", |a| a > 0.0),
    (".lez", |a| a <= 0.0),
    (".lz", |a| a < 0.0),
];

/// Whether a condition holds, of the words of two operands in a type.
type Holds = Box<dyn Fn(&str, u32, u32) -> bool>;

/// A condition: its word, how many operands it has, and whether it holds.
struct Condition {
    word: &'static str,
    operands: usize,
    holds: Holds,
}

/// The number that a word is in a type. Denormals count as zero (section 12).
fn value(ty: &str, bits: u32) -> f64 {
    match ty {
        ".s32" => f64::from(bits as i32),
        ".u32" => f64::from(bits),
        _ if bits & 0x7f80_0000 == 0 => 0.0,
        _ => f64::from(f32::from_bits(bits)),
    }
}

fn conditions() -> Vec<Condition> {
    let mut all = vec![Condition { word: "", operands: 0, holds: Box::new(|_, _, _| true) }];
    for (word, f) in BINARY {
        all.push(Condition { word, operands: 2, holds: Box::new(move |t, a, b| f(value(t, a), value(t, b))) });
    }
    for (word, f) in UNARY {
        all.push(Condition { word, operands: 1, holds: Box::new(move |t, a, _| f(value(t, a))) });
    }
    all.push(Condition { word: ".selmsb", operands: 1, holds: Box::new(|_, a, _| a >> 31 == 1) });
    all
}

/// Pairs of operands: orders, equal ones, zeros of both signs, denormals, what is no number, the ends of integers.
fn pairs(ty: &str) -> [[[u32; 4]; 2]; 3] {
    let f = |v: [f32; 4]| v.map(f32::to_bits);
    let (inf, nan, small) = (f32::INFINITY, f32::NAN, f32::from_bits(0x1000));
    if ty.is_empty() {
        [
            [f([1.0, 2.0, 3.0, -1.0]), f([2.0, 2.0, 2.0, -2.0])],
            [f([0.0, -0.0, nan, 1.0]), f([-0.0, 1.0, 1.0, nan])],
            [f([small, -small, inf, -inf]), f([0.0, 0.0, inf, 0.0])],
        ]
    } else {
        let (low, high) = (0x8000_0000, 0x7fff_ffff);
        [[[0, 1, 2, !0], [0, 2, 1, 1]], [[1, !0, low, high], [!0, !0, high, low]], [[low, 0, !0, 3], [0, low, 0, 3]]]
    }
}

const TYPES: [&str; 3] = ["", ".s32", ".u32"];

/// Results of an instruction where the condition holds and where it does not, from operands 1 and 2.
type Gives = fn(bool, u32, u32) -> u32;

/// The lane-wise ones: text of the operands, whether integers compare, results.
const LANES: [(&str, &str, bool, Gives); 3] = [
    ("select", "t1.xyzw, t2.xyzw, t3.xyzw", true, |yes, b, c| if yes { b } else { c }),
    ("cmp", "t1.xyzw, t2.xyzw, t3.xyzw", true, |yes, _, c| if yes { c } else { 0 }),
    ("set", "t1.xyzw, t2.xyzw, void", false, |yes, _, _| if yes { 0x3f80_0000 } else { 0 }),
];

fn in_lanes(g: u8, c: &Condition, seen: &mut BTreeSet<(Op, u8)>, failures: &mut Vec<String>) {
    let other = [11, 12, 13, 14];
    for ty in TYPES {
        for (name, operands, integers, gives) in LANES {
            if !ty.is_empty() && !integers {
                continue;
            }
            let body = format!("{name}{}{ty} t10, {operands}", c.word);
            for [a, b] in pairs(ty) {
                let want = [0, 1, 2, 3].map(|k| gives((c.holds)(ty, a[k], b[k]), b[k], other[k]));
                match eval(g, &body, &[a, b, other]) {
                    Ok(got) if got == want => seen.extend(ops(&body, g).into_iter().map(|o| (o, g))),
                    got => failures.push(format!("chip {g}: {body} of {a:x?}, {b:x?}: {got:x?}, not {want:x?}")),
                }
            }
        }
    }
}

/// Lane k of the result is 1 where branch k was not taken.
fn branches(g: u8, c: &Condition, seen: &mut BTreeSet<(Op, u8)>, failures: &mut Vec<String>) {
    for ty in TYPES {
        if c.operands == 0 && !ty.is_empty() {
            continue;
        }
        let mut body = "mov t10, void, void, t3.xyzw\n".to_string();
        for (k, l) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let operand = |t: usize| if t <= c.operands { format!("t{t}.{}", l.repeat(4)) } else { "void".into() };
            let mut mask = ["_"; 4];
            mask[k] = l;
            body += &format!("branch{}{ty} void, {}, {}, after{k}\n", c.word, operand(1), operand(2));
            body += &format!("mov t10.{}, void, void, t4.xyzw\nafter{k}:\n", mask.concat());
        }
        body += "nop t0.____, void, void, void";
        for [a, b] in pairs(ty) {
            let want = [0, 1, 2, 3].map(|k| u32::from(!(c.holds)(ty, a[k], b[k])));
            match eval(g, &body, &[a, b, [0; 4], [1; 4]]) {
                Ok(got) if got == want => seen.extend(ops(&body, g).into_iter().map(|o| (o, g))),
                got => failures.push(format!("chip {g}: branch{}{ty} of {a:x?}, {b:x?}: {got:x?}", c.word)),
            }
        }
        // 7.6: any lane is enough.
        if g == GC7000 && c.operands == 2 {
            let body = format!(
                "mov t10, void, void, t3.xyzw\nbranch_any{}{ty} void, t1.xyzw, t2.xyzw, out\n\
                 mov t10, void, void, t4.xyzw\nout:\nnop t0.____, void, void, void",
                c.word
            );
            for [a, b] in pairs(ty) {
                let want = [u32::from(!(0..4).any(|k| (c.holds)(ty, a[k], b[k]))); 4];
                match eval(g, &body, &[a, b, [0; 4], [1; 4]]) {
                    Ok(got) if got == want => seen.extend(ops(&body, g).into_iter().map(|o| (o, g))),
                    got => failures.push(format!("branch_any{}{ty} of {a:x?}, {b:x?}: {got:x?}", c.word)),
                }
            }
        }
    }
}

/// Of pixel (i, j) source 0 is i - 1 and source 1 j - 1; pixels that are killed stay as they were.
fn kills(g: u8, c: &Condition, seen: &mut BTreeSet<(Op, u8)>, failures: &mut Vec<String>) {
    for ty in TYPES {
        if c.operands == 0 && !ty.is_empty() {
            continue;
        }
        let mut body = "add t2.xy__, t0.xyyy, void, u0.xyyy\n".to_string();
        if !ty.is_empty() {
            body += "f2i.s32 t2.x___, t2.xxxx, void, void\nf2i.s32 t2._y__, t2.yyyy, void, void\n";
        }
        let operands = ["void, void", "t2.xxxx, void", "t2.xxxx, t2.yyyy"][c.operands];
        body += &format!("mov t10, void, void, u0.zzzz\ntexkill{}{ty} void, {operands}, void", c.word);
        let offset = (-1.5f32).to_bits();
        let shot = Shot { u: vec![[offset, offset, 7, 0]], ..Shot::new(g, &body) };
        let number = |k: u32| if ty.is_empty() { (k as f32 - 1.0).to_bits() } else { k.wrapping_sub(1) };
        let kept = |k: u32| !(c.holds)(ty, number(k % SIZE), number(k / SIZE));
        let want: Vec<[u32; 4]> = (0..SIZE * SIZE).map(|k| if kept(k) { [7; 4] } else { [0; 4] }).collect();
        match shot.draw() {
            Ok(got) if got == want => seen.extend(ops(&body, g).into_iter().map(|o| (o, g))),
            got => failures.push(format!("chip {g}: texkill{}{ty}: {got:x?}", c.word)),
        }
    }
}

/// Runs all; what was executed and was right.
pub fn rows() -> BTreeSet<(Op, u8)> {
    let (mut seen, mut failures) = (BTreeSet::new(), Vec::new());
    for g in GC2000..=GC7000 {
        for c in conditions() {
            in_lanes(g, &c, &mut seen, &mut failures);
            branches(g, &c, &mut seen, &mut failures);
            kills(g, &c, &mut seen, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    seen
}

#[test]
fn conditions_hold_where_the_reference_says() {
    assert!(!rows().is_empty());
}

/// 7.7: the condition in any lane kills.
#[test]
fn any_lane_kills() {
    let body = "add t2.xy__, t0.xyyy, void, u0.xyyy
        mov t10, void, void, u0.zzzz
        texkill.lz void, t2.xyxy, void, void";
    let offset = (-1.5f32).to_bits();
    for g in GC2000..=GC7000 {
        let got = Shot { u: vec![[offset, offset, 7, 0]], ..Shot::new(g, body) }.draw().unwrap();
        let want = |k: u32| if k.is_multiple_of(SIZE) || k < SIZE { [0; 4] } else { [7; 4] };
        assert_eq!(got, (0..SIZE * SIZE).map(want).collect::<Vec<_>>());
    }
}
