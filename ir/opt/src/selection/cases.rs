//! The modules that [`super::cases`] makes of one instruction each.

use gpucc_ir::{AtomicOp, FloatCc, IntCc, Op, Refusal, Scalar, Sig, Stage, Sysval, TexCube, Type};

use super::draft::{Case, Draft, Kind};
use super::{drawing, sysval_fits, textures};
use crate::caps::{Caps, OpSet};
use crate::support::Chip;

/// The operands of an op: all alike, or the first or the last one constant, or the first one unlike the others.
const MIXES: [[Kind; 3]; 8] = {
    use Kind::{Const, Group, Lanes};
    [
        [Lanes, Lanes, Lanes],
        [Group, Group, Group],
        [Const, Const, Const],
        [Const, Lanes, Lanes],
        [Lanes, Lanes, Const],
        [Const, Group, Group],
        [Group, Group, Const],
        [Lanes, Group, Group],
    ]
};

/// The stages that a chip has entry points of.
pub(super) fn stages(chip: &Chip<'_>) -> impl Iterator<Item = Stage> {
    Stage::ALL.iter().copied().filter(|&s| s == Stage::Compute || !chip.refuses(s, Refusal::Stage))
}

/// Every instruction that [`crate::prepare`] may leave for a chip of these capabilities, in modules as it leaves them. The
/// capabilities are those of a stage.
pub fn cases(caps: impl Fn(Stage) -> Caps, chip: &Chip<'_>) -> Vec<Case> {
    let mut out = Vec::new();
    let compute = caps(Stage::Compute);
    for &op in Op::ALL {
        pure(&mut out, op, &compute, chip);
    }
    memory(&mut out, chip);
    if !compute.narrow {
        parts(&mut out, &compute);
    }
    if compute.halves && !compute.narrow && compute.scalar {
        halves(&mut out);
    }
    if compute.doubles && !compute.wide {
        doubles(&mut out, compute.expand_doubles);
    }
    if compute.wide_conversions && !compute.wide {
        wide_conversions(&mut out);
    }
    for stage in stages(chip) {
        let caps = caps(stage);
        inputs(&mut out, stage, &caps, chip);
        textures::cases(&mut out, stage, &caps, chip);
        drawing::cases(&mut out, stage, &caps, chip);
    }
    out
}

/// Adds an op on operands of these types: one module has it on operands of all kinds, since a module costs more than an instruction.
fn add(out: &mut Vec<Case>, text: &str, tail: &str, args: &[Type], result: Type, caps: &Caps) {
    let mut c = Draft::new();
    for mix in MIXES {
        let last = args.len() - 1;
        let list: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(n, &ty)| {
                let from = if n == 0 {
                    mix[0]
                } else if n == last {
                    mix[2]
                } else {
                    mix[1]
                };
                c.operand(ty, from, n as u32, caps.scalar)
            })
            .collect();
        let v = c.value(result, &format!("{text} {}{tail}", list.join(", ")));
        c.sink(&v, result, caps.scalar);
    }
    out.push(c.case(format!("{text}{tail} {args:?} -> {result}")));
}

const KINDS: [Scalar; 3] = [Scalar::B1, Scalar::I32, Scalar::F32];

fn pure(out: &mut Vec<Case>, op: Op, caps: &Caps, chip: &Chip<'_>) {
    let name = op.name();
    let most = if caps.scalar { 1 } else { 4 };
    let expanded = caps.expand.has(op);
    match op.info().sig {
        Sig::Same { n, kinds } => {
            for s in KINDS.into_iter().filter(|&s| kinds.has(s)) {
                let always = match op {
                    Op::FShr => caps.funnel,
                    Op::BitSel => caps.bit_select,
                    Op::Not => s == Scalar::B1,
                    _ => false,
                };
                let places = matches!(op, Op::UBitExtract | Op::SBitExtract);
                for lanes in 1..=most {
                    let ty = Type::new(s, lanes);
                    if expanded && places && caps.bit_field {
                        add(out, name, &format!(", 5:{ty}, 7:{ty}"), &[ty], ty, caps);
                    } else if !expanded || always {
                        add(out, name, "", &vec![ty; n.into()], ty, caps);
                    }
                }
            }
        }
        Sig::Compare(kinds) => {
            for lanes in 1..=most {
                let (b, i, f) =
                    (Type::new(Scalar::B1, lanes), Type::new(Scalar::I32, lanes), Type::new(Scalar::F32, lanes));
                if kinds.has(Scalar::I32) {
                    IntCc::ALL.iter().for_each(|cc| add(out, &format!("{name}.{cc}"), "", &[i, i], b, caps));
                    [IntCc::Eq, IntCc::Ne]
                        .iter()
                        .for_each(|cc| add(out, &format!("{name}.{cc}"), "", &[b, b], b, caps));
                } else {
                    FloatCc::ALL.iter().for_each(|cc| add(out, &format!("{name}.{cc}"), "", &[f, f], b, caps));
                }
            }
        }
        Sig::Select => {
            for (s, lanes) in KINDS.into_iter().flat_map(|s| (1..=most).map(move |n| (s, n))) {
                let ty = Type::new(s, lanes);
                add(out, name, "", &[Type::B1, ty, ty], ty, caps);
                if lanes > 1 {
                    add(out, name, "", &[ty.to_bool(), ty, ty], ty, caps);
                }
            }
        }
        Sig::Convert(..) => {
            let (from, to) = match op {
                Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull => (Scalar::F32, Scalar::I32),
                Op::S2F | Op::U2F => (Scalar::I32, Scalar::F32),
                // To and from other widths.
                _ => return,
            };
            for lanes in (1..=most).filter(|_| !expanded) {
                add(out, name, "", &[Type::new(from, lanes)], Type::new(to, lanes), caps);
            }
        }
        Sig::Bitcast => {
            for lanes in 1..=most {
                let (i, f) = (Type::new(Scalar::I32, lanes), Type::new(Scalar::F32, lanes));
                add(out, name, "", &[i], f, caps);
                add(out, name, "", &[f], i, caps);
            }
        }
        Sig::Ldexp if !expanded => {
            for lanes in 1..=most {
                let (i, f) = (Type::new(Scalar::I32, lanes), Type::new(Scalar::F32, lanes));
                add(out, name, "", &[f, i], f, caps);
            }
        }
        // Only `lower_tex` makes it, for targets that take faces.
        Sig::Fixed(..)
            if op == Op::CubeCoords
                && (caps.tex.cube == TexCube::Direction || chip.refuses(Stage::Compute, Refusal::Textures)) => {}
        Sig::Fixed(..) if op == Op::Any || op == Op::Ballot && (caps.subgroup == 0 || caps.ballots_by_memory) => {}
        // Only `lower_io` makes it, of colours in halves.
        Sig::Fixed(..) if op == Op::PackHalf2x16Rtz && !caps.io.packed_colours => {}
        Sig::Fixed(args, result) if !expanded => add(out, name, "", args, result, caps),
        _ => lanes(out, op, caps),
    }
}

/// Ops that take vectors apart and put them together: scalar targets have vectors that are loaded and stored.
fn lanes(out: &mut Vec<Case>, op: Op, caps: &Caps) {
    let name = op.name();
    for (s, n) in KINDS.into_iter().flat_map(|s| (2..=4).map(move |n| (s, n))) {
        let (ty, one) = (Type::new(s, n), Type::new(s, 1));
        match op.info().sig {
            Sig::Splat => add(out, name, "", &[one], ty, caps),
            Sig::Compose => add(out, name, "", &vec![one; n as usize], ty, caps),
            Sig::Extract => (0..n).for_each(|k| add(out, name, &format!(", lane {k}"), &[ty], one, caps)),
            Sig::Insert => (0..n).for_each(|k| add(out, name, &format!(", lane {k}"), &[ty, one], ty, caps)),
            Sig::Dot if s == Scalar::F32 && !caps.expand.has(op) => add(out, name, "", &[ty, ty], one, caps),
            Sig::ExtractDyn if !caps.expand.has(op) => add(out, name, "", &[ty, Type::I32], one, caps),
            Sig::LaneRead if n == 2 && s == Scalar::I32 && caps.subgroup != 0 && !caps.lanes_by_memory => {
                add(out, name, "", &[one, one], one, caps);
            }
            Sig::InsertDyn if !caps.expand.has(op) => add(out, name, "", &[ty, one, Type::I32], ty, caps),
            Sig::Shuffle => {
                let of = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
                for list in [&[n - 1, 0][..], &[1, 1, 0], &[n - 1, 1, 0, 0], &[4 + n - 1, 0], &[5, 0, 4, 1]] {
                    let result = Type::new(s, list.len() as u32);
                    add(out, name, &format!(", lanes {}", of(list)), &[ty, ty], result, caps);
                }
            }
            _ => {}
        }
    }
}

/// Single halves: each op on halves of words and constants, where they go to words, and conversions.
fn halves(out: &mut Vec<Case>) {
    // The halves of a word that all lanes share, of one for each lane, and a constant.
    let start = |c: &mut Draft| {
        let mut list = vec!["0x3800:f16".to_string(), "0x1234:f16".to_string()];
        for at in ["16", "16 + v0"] {
            let word = c.value(Type::I32, &format!("load res0[{at}] align 16"));
            let both = c.value(Type::F16.with_lanes(2), &format!("bitcast {word}"));
            list.extend((0..2).map(|k| c.value(Type::F16, &format!("extract {both}, lane {k}"))));
        }
        list
    };
    let end = |c: &mut Draft, v: &str| {
        let both = c.value(Type::F16.with_lanes(2), &format!("compose {v}, {v}"));
        let word = c.value(Type::I32, &format!("bitcast {both}"));
        c.effect(&format!("store {word}, res1[0 + v0] align 16"));
        let bits = c.value(Type::I16, &format!("bitcast {v}"));
        c.effect(&format!("store {bits}, res1[4 + v0] align 2"));
    };
    for &op in Op::ALL.iter().filter(|&&op| crate::narrow::HALF_OPS.has(op)) {
        let name = op.name();
        let count = match op.info().sig {
            Sig::Same { n, .. } => usize::from(n),
            Sig::Compare(_) | Sig::Select => 2,
            _ => continue,
        };
        let names: Vec<String> = match op.info().sig {
            Sig::Compare(_) => FloatCc::ALL.iter().map(|cc| format!("{name}.{cc}")).collect(),
            _ => vec![name.to_string()],
        };
        for text in names {
            let mut c = Draft::new();
            let list = start(&mut c);
            for first in 0..list.len() {
                let args: Vec<&str> = (0..count).map(|k| list[(first + k) % list.len()].as_str()).collect();
                let args = args.join(", ");
                let v = match op.info().sig {
                    Sig::Compare(_) => {
                        let test = c.value(Type::B1, &format!("{text} {args}"));
                        c.value(Type::F16, &format!("select {test}, {args}"))
                    }
                    Sig::Select => {
                        let test = c.value(Type::B1, "icmp.ult v0, 7:i32");
                        c.value(Type::F16, &format!("select {test}, {args}"))
                    }
                    _ => c.value(Type::F16, &format!("{text} {args}")),
                };
                end(&mut c, &v);
            }
            out.push(c.case(format!("{text} of halves")));
        }
    }
    let mut c = Draft::new();
    for v in start(&mut c) {
        let wide = c.value(Type::F32, &format!("f2f {v}"));
        let back = c.value(Type::F16, &format!("f2f {wide}"));
        end(&mut c, &back);
    }
    out.push(c.case("f2f of halves"));
}

/// Floats of 64 bits: each op on floats of words and constants, where they go to words, and conversions.
fn doubles(out: &mut Vec<Case>, expanded: OpSet) {
    const WORDS: Type = Type::I32.with_lanes(2);
    let start = |c: &mut Draft| {
        let mut list = vec!["0.5:f64".to_string(), "7.1:f64".to_string()];
        for at in ["16", "16 + v0"] {
            let words = c.value(WORDS, &format!("load res0[{at}] align 16"));
            list.push(c.value(Type::F64, &format!("bitcast {words}")));
            let words = c.value(WORDS, &format!("load res0[{at}] align 16"));
            let lanes = [0, 1].map(|k| c.value(Type::I32, &format!("extract {words}, lane {k}")));
            let words = c.value(WORDS, &format!("compose {}, {}", lanes[1], lanes[0]));
            let double = c.value(Type::F64, &format!("bitcast {words}"));
            list.push(c.value(Type::F64, &format!("fneg {double}")));
            list.push(c.value(Type::F64, &format!("fabs {double}")));
        }
        list
    };
    let end = |c: &mut Draft, v: &str| {
        let words = c.value(WORDS, &format!("bitcast {v}"));
        c.effect(&format!("store {words}, res1[0 + v0] align 16"));
    };
    for &op in crate::caps::DOUBLE_OPS.iter().filter(|&&op| !expanded.has(op)) {
        let name = op.name();
        let (count, names) = match op.info().sig {
            Sig::Same { n, .. } => (usize::from(n), vec![name.to_string()]),
            Sig::Compare(_) => (2, FloatCc::ALL.iter().map(|cc| format!("{name}.{cc}")).collect()),
            Sig::Ldexp => (1, vec![name.to_string()]),
            _ => (2, vec![name.to_string()]),
        };
        for text in names {
            let mut c = Draft::new();
            let list = start(&mut c);
            for first in 0..list.len() {
                let args: Vec<&str> = (0..count).map(|k| list[(first + k) % list.len()].as_str()).collect();
                let args = args.join(", ");
                let v = match op.info().sig {
                    Sig::Compare(_) => {
                        let test = c.value(Type::B1, &format!("{text} {args}"));
                        c.value(Type::F64, &format!("select {test}, {args}"))
                    }
                    Sig::Select => {
                        let test = c.value(Type::B1, "icmp.ult v0, 7:i32");
                        c.value(Type::F64, &format!("select {test}, {args}"))
                    }
                    Sig::Ldexp => c.value(Type::F64, &format!("{text} {args}, v0")),
                    _ => c.value(Type::F64, &format!("{text} {args}")),
                };
                end(&mut c, &v);
            }
            out.push(c.case(format!("{text} of doubles")));
        }
    }
    let mut c = Draft::new();
    for v in start(&mut c) {
        let single = c.value(Type::F32, &format!("f2f {v}"));
        let signed = c.value(Type::I32, &format!("f2s_full {v}"));
        let unsigned = c.value(Type::I32, &format!("f2u_full {v}"));
        for back in [format!("f2f {single}"), format!("s2f {signed}"), format!("u2f {unsigned}")] {
            let v = c.value(Type::F64, &back);
            end(&mut c, &v);
        }
    }
    out.push(c.case("conversions of doubles"));
}

/// Conversions between floats and integers of 64 bits, which are put together of words and taken apart.
fn wide_conversions(out: &mut Vec<Case>) {
    const WORDS: Type = Type::I32.with_lanes(2);
    let mut c = Draft::new();
    let words = c.value(WORDS, "load res0[16 + v0] align 16");
    let whole = c.value(Type::I64, &format!("bitcast {words}"));
    let double = c.value(Type::F64, &format!("bitcast {words}"));
    let single = c.value(Type::F32, "load res0[16 + v0] align 16");
    let mut ints = vec![whole.clone()];
    for v in [double.as_str(), &format!("fneg {double}"), &format!("fabs {double}"), "7.1:f64", &single, "7.1:f32"] {
        let ty = if v == single || v.ends_with("f32") { Type::F32 } else { Type::F64 };
        let v = if v.starts_with('f') { c.value(ty, v) } else { v.to_string() };
        ints.extend(["f2s_full", "f2u_full"].map(|op| c.value(Type::I64, &format!("{op} {v}"))));
    }
    let test = c.value(Type::B1, "icmp.ult v0, 7:i32");
    let chosen = c.value(Type::I64, &format!("select {test}, {whole}, {}", ints[1]));
    ints.extend([chosen, "81985529216486895:i64".to_string()]);
    for v in ints {
        for op in ["s2f", "u2f"] {
            let double = c.value(Type::F64, &format!("{op} {v}"));
            let words = c.value(WORDS, &format!("bitcast {double}"));
            c.effect(&format!("store {words}, res1[0 + v0] align 16"));
            let single = c.value(Type::F32, &format!("{op} {v}"));
            c.effect(&format!("store {single}, res1[0 + v0] align 16"));
        }
        let words = c.value(WORDS, &format!("bitcast {v}"));
        c.effect(&format!("store {words}, res1[0 + v0] align 16"));
    }
    out.push(c.case("conversions of integers of 64 bits"));
}

/// Loads and stores of 1 and 2 bytes, and the values between them. Passes behind `narrow` may let such a value go through parameters
/// and choices.
fn parts(out: &mut Vec<Case>, caps: &Caps) {
    let spaces = [("res0", caps.parts.storage), ("res1", caps.parts.storage), ("global0", caps.parts.workgroup)];
    for place in spaces.into_iter().filter(|s| s.1).map(|s| s.0) {
        for (ty, at) in [Type::I8, Type::I16].into_iter().flat_map(|t| ["2", "2 + v0", "1022 + v0"].map(|at| (t, at))) {
            let mut c = Draft::new();
            let v = c.value(ty, &format!("load {place}[{at}] align 2"));
            let wide = c.value(Type::I32, &format!("zext {v}"));
            c.effect(&format!("store {wide}, res1[0 + v0] align 16"));
            out.push(c.case(format!("load {ty} {place}[{at}]")));
            if place == "res0" {
                continue;
            }
            for (what, value) in [("a constant", format!("7:{ty}")), ("a load", v), ("low bits", "v60".into())] {
                let mut c = Draft::new();
                let from = c.value(ty, &format!("load {place}[{at}] align 2"));
                let low = format!("v60: {ty} = trunc v0");
                c.effect(&low);
                let test = c.value(Type::B1, "icmp.ult v0, 7:i32");
                let chosen = c.value(ty, &format!("select {test}, {from}, v60"));
                let wide = c.value(Type::I32, &format!("zext {chosen}"));
                c.effect(&format!("store {wide}, res1[0 + v0] align 16"));
                c.effect(&format!("store {value}, {place}[{at}] align 2"));
                out.push(c.case(format!("store {ty} {place}[{at}], {what}")));
            }
        }
    }
}

/// Loads and stores of every space, atomics.
fn memory(out: &mut Vec<Case>, chip: &Chip<'_>) {
    for (place, bools, writable) in [
        ("res0", false, false),
        ("res1", false, true),
        ("res2", false, false),
        ("global0", true, true),
        ("local0", true, true),
    ] {
        for (s, lanes) in KINDS.into_iter().flat_map(|s| (1..=4).map(move |n| (s, n))) {
            let ty = Type::new(s, lanes);
            for at in ["16", "16 + v0"] {
                if ty.is_bool() && !bools {
                    continue;
                }
                let mut c = Draft::new();
                let v = c.value(ty, &format!("load {place}[{at}] align 16"));
                // Back into memory: booleans are no values that a buffer holds.
                c.effect(&format!("store {v}, {}[0 + v0] align 16", if ty.is_bool() { place } else { "res1" }));
                out.push(c.case(format!("load {ty} {place}[{at}]")));
                if writable {
                    let mut c = Draft::new();
                    let constant = match s {
                        Scalar::B1 => "true",
                        Scalar::F32 => "7.5",
                        _ => "7",
                    };
                    c.effect(&format!("store {constant}:{ty}, {place}[{at}] align 16"));
                    out.push(c.case(format!("store {ty} {place}[{at}]")));
                }
            }
        }
    }
    if chip.refuses(Stage::Compute, Refusal::Atomics) {
        return;
    }
    for (place, at) in ["res1", "global0"].into_iter().flat_map(|p| ["16", "16 + v0"].map(|a| (p, a))) {
        for what in AtomicOp::ALL.iter().map(|a| format!("atomic.{a} 3:i32")).chain(["cmpxchg 3:i32, v0".to_string()]) {
            for used in [true, false] {
                let mut c = Draft::new();
                let v = c.value(Type::I32, &format!("{what}, {place}[{at}] align 4"));
                if used {
                    c.sink(&v, Type::I32, true);
                }
                out.push(c.case(format!("{what} {place}[{at}], used {used}")));
            }
        }
    }
}

/// Values of the launch; in compute entries also sizes of buffers, and barriers.
fn inputs(out: &mut Vec<Case>, stage: Stage, caps: &Caps, chip: &Chip<'_>) {
    for &s in Sysval::ALL.iter().filter(|&&s| stage.has(s) && sysval_fits(s, stage, caps)) {
        let travels = s == Sysval::ViewportIndex && !caps.io.viewport_index;
        if !chip.refuses_sysval(stage, s) && !travels {
            let mut c = Draft::of(stage, &caps.io);
            let v = c.value(s.ty(), &format!("sysval {s}"));
            c.sink(&v, s.ty(), true);
            out.push(c.case(format!("sysval {s} {stage}")));
        }
    }
    if stage != Stage::Compute {
        return;
    }
    for r in ["res0", "res1"] {
        let mut c = Draft::new();
        let v = c.value(Type::I32, &format!("buffer_length {r}"));
        c.sink(&v, Type::I32, true);
        out.push(c.case(format!("buffer_length {r}")));
    }
    // One that waits orders both ways; workgroup memory alone is seen by no other workgroup.
    for how in ["none", "none acquire", "none release", "workgroup"] {
        for spaces in
            ["workgroup", "storage", "texture", "workgroup storage", "device storage", "device workgroup storage"]
        {
            let mut c = Draft::new();
            c.effect(&format!("barrier {how} {spaces}"));
            out.push(c.case(format!("barrier {how} {spaces}")));
        }
    }
}
