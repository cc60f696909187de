//! The contract between the passes and selection: which instructions [`crate::prepare`] may leave for a target of given
//! [`Caps`].
//!
//! Passes after `legalise` and `scalarise` make instructions of their own (a wide load whose lanes are permuted, a choice
//! between booleans), so that what selection must know is more than what sources happen to contain. [`cases`] makes one small
//! prepared module of each such instruction and kind of operand, and every backend has a test that it selects all of them;
//! [`check`] holds a module to the contract, as [`crate::prepare`] does at its end where it verifies.

use gpucc_ir::{
    AtomicOp, Diagnostic, FloatCc, Inst, IntCc, Module, Op, Refusal, Scalar, Sig, Stage, Sysval, TexCube, Type,
};
use std::fmt::Write;

use crate::caps::Caps;
use crate::support::Chip;

/// Whether a target of these capabilities gets this instruction. Lanes that are not of 32 bits are not asked about here: what
/// lacks them refuses them.
fn is_left(m: &Module, i: Inst, caps: &Caps) -> bool {
    let f = &m.funcs[m.entries[0].func];
    let d = &f.insts[i];
    let mut types = d.args.iter().copied().chain(d.results).map(|v| f.ty(v));
    if types.clone().any(|t| !matches!(t.scalar(), Scalar::B1 | Scalar::I32 | Scalar::F32)) {
        return true;
    }
    let expanded = caps.expand.has(d.op)
        && match d.op {
            Op::UBitExtract | Op::SBitExtract => {
                !caps.bit_field || d.args[1..].iter().any(|&v| f.const_bits(v).is_none())
            }
            Op::FShr => !caps.funnel,
            Op::BitSel => !caps.bit_select,
            Op::Not => !f.ty(d.result()).is_bool(),
            _ => true,
        };
    let split = caps.scalar && (d.op.is_lanewise() || d.op == Op::Bitcast) && types.any(|t| t.is_vector());
    !(expanded || split || matches!(d.op, Op::Call | Op::VarInit))
}

/// Holds a prepared module to the contract.
///
/// # Errors
/// `Internal`, with the first instruction that no pass may leave.
pub fn check(m: &Module, caps: &Caps) -> Result<(), Diagnostic> {
    let f = &m.funcs[m.entries[0].func];
    match f.insts_in_order().find(|(_, i)| !is_left(m, *i, caps)) {
        None => Ok(()),
        Some((_, i)) => Err(Diagnostic::internal("selection", "the passes leave what the target lacks")
            .note(gpucc_ir::text::inst_text(f, i))),
    }
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Another value for each invocation.
    Lanes,
    /// One value for all of them.
    Group,
    /// A constant.
    Const,
}

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

/// One module in the making.
struct Case {
    body: String,
    values: u32,
}

impl Case {
    fn new() -> Case {
        // v0 is another multiple of 16 for each invocation.
        let body = "  v9000: i32 = sysval local_invocation_index\n  v0: i32 = shl v9000, 4:i32\n".into();
        Case { body, values: 0 }
    }

    /// Appends an instruction with a result; gives its name.
    fn value(&mut self, ty: Type, text: &str) -> String {
        self.values += 1;
        let _ = writeln!(self.body, "  v{}: {ty} = {text}", self.values);
        format!("v{}", self.values)
    }

    fn effect(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// An operand, its `n`-th of the op.
    fn operand(&mut self, ty: Type, from: Kind, n: u32, scalar: bool) -> String {
        let at = 16 * n;
        let offset = if from == Kind::Lanes { format!("{at} + v0") } else { at.to_string() };
        match (ty.scalar(), from) {
            (Scalar::B1, Kind::Const) => format!("true:{ty}"),
            (Scalar::F32, Kind::Const) => format!("{}.25:{ty}", n + 1),
            (_, Kind::Const) => format!("{}:{ty}", n + 5),
            (Scalar::B1, _) if scalar && ty.is_vector() => self.value(ty, &format!("load local0[{offset}] align 16")),
            (Scalar::B1, _) => {
                let int = ty.with_scalar(Scalar::I32);
                let v = self.value(int, &format!("load res0[{offset}] align 16"));
                self.value(ty, &format!("icmp.ne {v}, 0:{int}"))
            }
            _ => self.value(ty, &format!("load res0[{offset}] align 16")),
        }
    }

    /// Stores a result where it is seen.
    fn sink(&mut self, v: &str, ty: Type, scalar: bool) {
        let int = ty.with_scalar(Scalar::I32);
        match (ty.is_bool(), scalar && ty.is_vector()) {
            (true, true) => {
                self.effect(&format!("store {v}, local0[0 + v0] align 16"));
                for k in 0..ty.lanes() {
                    let lane = self.value(Type::B1, &format!("extract {v}, lane {k}"));
                    let one = self.value(Type::I32, &format!("select {lane}, 1:i32, 0:i32"));
                    self.effect(&format!("store {one}, res1[{} + v0] align 4", 4 * k));
                }
            }
            (true, false) => {
                let one = self.value(int, &format!("select {v}, 1:{int}, 0:{int}"));
                self.effect(&format!("store {one}, res1[0 + v0] align 16"));
            }
            (false, _) => self.effect(&format!("store {v}, res1[0 + v0] align 16")),
        }
    }

    fn module(&self) -> String {
        format!(
            "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\nres1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\n\
             res2 \"u\" group 0 binding 2 uniform size 2048 stride 0\nglobal0 \"w\" workgroup size 2048 align 16\n\
             entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {{\n  local0 \"l\" size 2048 align 16\nblock0:\n{}  ret\n}}\n",
            self.body
        )
    }
}

/// Every instruction that [`crate::prepare`] may leave for a chip of these capabilities, in modules as it leaves them: the
/// name of the case, and the module's text.
pub fn cases(caps: &Caps, chip: &Chip<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for &op in Op::ALL {
        pure(&mut out, op, caps);
    }
    memory(&mut out, chip);
    if !caps.narrow {
        parts(&mut out, caps);
    }
    inputs(&mut out, chip);
    out
}

/// Adds an op on operands of these types, of all kinds.
fn add(out: &mut Vec<(String, String)>, text: &str, tail: &str, args: &[Type], result: Type, caps: &Caps) {
    for mix in MIXES {
        let mut c = Case::new();
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
        let kinds: String = mix.iter().map(|k| ['d', 'u', 'c'][*k as usize]).collect();
        out.push((format!("{text}{tail} {args:?} -> {result} {kinds}"), c.module()));
    }
}

const KINDS: [Scalar; 3] = [Scalar::B1, Scalar::I32, Scalar::F32];

fn pure(out: &mut Vec<(String, String)>, op: Op, caps: &Caps) {
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
        Sig::Fixed(..) if op == Op::CubeCoords && caps.tex.cube == TexCube::Direction => {}
        // The same of exports in halves.
        Sig::Fixed(..) if op == Op::PackHalf2x16Rtz => {}
        Sig::Fixed(args, result) if !expanded => add(out, name, "", args, result, caps),
        _ => lanes(out, op, caps),
    }
}

/// Ops that take vectors apart and put them together: scalar targets have vectors that are loaded and stored.
fn lanes(out: &mut Vec<(String, String)>, op: Op, caps: &Caps) {
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

/// Loads and stores of 1 and 2 bytes, and the values between them. Passes behind `narrow` may let such a value go through parameters
/// and choices.
fn parts(out: &mut Vec<(String, String)>, caps: &Caps) {
    let spaces = [("res0", caps.parts.storage), ("res1", caps.parts.storage), ("global0", caps.parts.workgroup)];
    for place in spaces.into_iter().filter(|s| s.1).map(|s| s.0) {
        for (ty, at) in [Type::I8, Type::I16].into_iter().flat_map(|t| ["2", "2 + v0", "1022 + v0"].map(|at| (t, at))) {
            let mut c = Case::new();
            let v = c.value(ty, &format!("load {place}[{at}] align 2"));
            let wide = c.value(Type::I32, &format!("zext {v}"));
            c.effect(&format!("store {wide}, res1[0 + v0] align 16"));
            out.push((format!("load {ty} {place}[{at}]"), c.module()));
            if place == "res0" {
                continue;
            }
            for (what, value) in [("a constant", format!("7:{ty}")), ("a load", v), ("low bits", "v60".into())] {
                let mut c = Case::new();
                let from = c.value(ty, &format!("load {place}[{at}] align 2"));
                let low = format!("v60: {ty} = trunc v0");
                c.effect(&low);
                let test = c.value(Type::B1, "icmp.ult v0, 7:i32");
                let chosen = c.value(ty, &format!("select {test}, {from}, v60"));
                let wide = c.value(Type::I32, &format!("zext {chosen}"));
                c.effect(&format!("store {wide}, res1[0 + v0] align 16"));
                c.effect(&format!("store {value}, {place}[{at}] align 2"));
                out.push((format!("store {ty} {place}[{at}], {what}"), c.module()));
            }
        }
    }
}

/// Loads and stores of every space, atomics.
fn memory(out: &mut Vec<(String, String)>, chip: &Chip<'_>) {
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
                let mut c = Case::new();
                let v = c.value(ty, &format!("load {place}[{at}] align 16"));
                // Back into memory: booleans are no values that a buffer holds.
                c.effect(&format!("store {v}, {}[0 + v0] align 16", if ty.is_bool() { place } else { "res1" }));
                out.push((format!("load {ty} {place}[{at}]"), c.module()));
                if writable {
                    let mut c = Case::new();
                    let constant = match s {
                        Scalar::B1 => "true",
                        Scalar::F32 => "7.5",
                        _ => "7",
                    };
                    c.effect(&format!("store {constant}:{ty}, {place}[{at}] align 16"));
                    out.push((format!("store {ty} {place}[{at}]"), c.module()));
                }
            }
        }
    }
    if chip.refuses(Refusal::Atomics) {
        return;
    }
    for (place, at) in ["res1", "global0"].into_iter().flat_map(|p| ["16", "16 + v0"].map(|a| (p, a))) {
        for what in AtomicOp::ALL.iter().map(|a| format!("atomic.{a} 3:i32")).chain(["cmpxchg 3:i32, v0".to_string()]) {
            for used in [true, false] {
                let mut c = Case::new();
                let v = c.value(Type::I32, &format!("{what}, {place}[{at}] align 4"));
                if used {
                    c.sink(&v, Type::I32, true);
                }
                out.push((format!("{what} {place}[{at}], used {used}"), c.module()));
            }
        }
    }
}

/// Values of the launch, sizes of buffers, barriers.
fn inputs(out: &mut Vec<(String, String)>, chip: &Chip<'_>) {
    for s in Sysval::ALL.iter().filter(|s| Stage::Compute.has(**s)) {
        let lack = match s {
            Sysval::SubgroupSize | Sysval::SubgroupInvocationId => chip.refuses(Refusal::SubgroupLanes),
            Sysval::SubgroupId | Sysval::NumSubgroups => chip.refuses(Refusal::SubgroupIds),
            _ => false,
        };
        if !lack {
            let mut c = Case::new();
            let v = c.value(s.ty(), &format!("sysval {s}"));
            c.sink(&v, s.ty(), true);
            out.push((format!("sysval {s}"), c.module()));
        }
    }
    for r in ["res0", "res1"] {
        let mut c = Case::new();
        let v = c.value(Type::I32, &format!("buffer_length {r}"));
        c.sink(&v, Type::I32, true);
        out.push((format!("buffer_length {r}"), c.module()));
    }
    for spaces in ["workgroup", "storage", "workgroup storage"] {
        for scope in ["none", "workgroup"] {
            let mut c = Case::new();
            c.effect(&format!("barrier {scope} {spaces}"));
            out.push((format!("barrier {scope} {spaces}"), c.module()));
        }
    }
}
