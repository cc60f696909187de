//! Random WGSL compute programs with exactly one meaning: what the oracle and every machine must agree on to the bit.
//!
//! Integers wrap, shifts and divisions are WGSL's own. Floats are integers of small magnitude, so that every sum, product
//! and comparison is exact and fusing changes nothing. Loops count down a fuel; array indices may run out of bounds only where the
//! shader masks them. Workgroup memory is written before a barrier and read after it. Every invocation writes its own words, and adds
//! to shared counters atomically.

use std::fmt::Write as _;

use gpucc_sim::SplitMix64;

/// Invocations of a workgroup in generated programs.
pub const INVOCATIONS: u32 = 32;
/// Workgroups of a run.
pub const GROUPS: u32 = 2;
/// Words that an invocation writes.
pub const WORDS: u32 = 4;
/// Words of the input buffer.
pub const INPUTS: u32 = 64;

/// A generator of programs.
pub struct Generator {
    rng: SplitMix64,
    out: String,
    indent: usize,
    /// Variables in scope: type and name.
    scope: Vec<(Ty, String)>,
    names: u32,
    /// Statements that may still be made.
    fuel: u32,
    /// Functions made so far: name, parameter types, result.
    functions: Vec<(String, Vec<Ty>, Ty)>,
    in_loop: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    I,
    U,
    F,
    B,
    /// Vectors of two to four.
    V(u8, u8),
}

const SCALARS: [Ty; 3] = [Ty::I, Ty::U, Ty::F];

impl Ty {
    fn name(self) -> String {
        match self {
            Ty::I => "i32".into(),
            Ty::U => "u32".into(),
            Ty::F => "f32".into(),
            Ty::B => "bool".into(),
            Ty::V(k, n) => format!("vec{n}<{}>", SCALARS[k as usize].name()),
        }
    }
}

impl Generator {
    /// A generator for one seed.
    pub fn new(seed: u64) -> Generator {
        Generator {
            rng: SplitMix64::new(seed),
            out: String::new(),
            indent: 0,
            scope: Vec::new(),
            names: 0,
            fuel: 0,
            functions: Vec::new(),
            in_loop: false,
        }
    }

    fn pick(&mut self, n: u32) -> u32 {
        (self.rng.next_u64() >> 33) as u32 % n
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.indent));
    }

    fn ty(&mut self) -> Ty {
        match self.pick(8) {
            0 | 1 => Ty::I,
            2 | 3 => Ty::U,
            4 | 5 => Ty::F,
            6 => Ty::B,
            _ => Ty::V(self.pick(3) as u8, 2 + self.pick(3) as u8),
        }
    }

    /// The program of this seed.
    pub fn program(mut self) -> String {
        self.out += "struct Input { words: array<u32> }\n\
                     struct Params { a: u32, b: i32, c: f32, d: u32, v: vec4<i32> }\n\
                     @group(0) @binding(0) var<uniform> params: Params;\n\
                     @group(0) @binding(1) var<storage, read> source: Input;\n\
                     @group(0) @binding(2) var<storage, read_write> result: array<u32>;\n\
                     @group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, 4>;\n\
                     var<workgroup> tile: array<u32, 32>;\n\
                     var<private> state: u32 = 7u;\n\
                     var<private> zu: u32 = 0u;\n\
                     var<private> zi: i32 = 0;\n\
                     var<private> zf: f32 = 0.0;\n\
                     fn small(x: f32) -> f32 { return x - floor(x * 0.0009765625) * 1024.0; }\n\
                     fn word(x: f32) -> u32 { return u32(i32(x)); }\n\n";
        for _ in 0..self.pick(3) {
            self.function();
        }
        self.main();
        self.out
    }

    fn function(&mut self) {
        let name = self.name("f");
        let params: Vec<Ty> = (0..1 + self.pick(3)).map(|_| SCALARS[self.pick(3) as usize]).collect();
        let ret = SCALARS[self.pick(3) as usize];
        let scope = std::mem::take(&mut self.scope);
        let mut list = Vec::new();
        for &p in &params {
            let n = self.name("p");
            list.push(format!("{n}: {}", p.name()));
            self.scope.push((p, n));
        }
        let head = format!("fn {name}({}) -> {} {{", list.join(", "), ret.name());
        self.line(&head);
        self.indent += 1;
        self.fuel = 6;
        self.statements(2, Some(ret));
        let e = self.expr(ret, 2);
        self.line(&format!("return {e};"));
        self.indent -= 1;
        self.line("}\n");
        self.scope = scope;
        self.functions.push((name, params, ret));
    }

    fn main(&mut self) {
        self.line("@compute @workgroup_size(32)");
        self.line(
            "fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {",
        );
        self.indent += 1;
        self.line("let base = gid.x * 4u;");
        self.line("var x0 = source.words[gid.x & 63u];");
        self.line("var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);");
        self.line("var x2 = f32(source.words[lid & 63u] & 255u);");
        for (t, n) in [(Ty::U, "x0"), (Ty::I, "x1"), (Ty::F, "x2"), (Ty::U, "lid"), (Ty::U, "state")] {
            self.scope.push((t, n.into()));
        }
        self.fuel = 14;
        self.statements(3, None);
        let e = self.expr(Ty::U, 2);
        self.line(&format!("tile[lid] = {e};"));
        self.line("workgroupBarrier();");
        self.line("x0 = x0 ^ tile[(lid + 5u) & 31u];");
        if self.pick(2) == 0 {
            self.line("workgroupBarrier();");
            self.line("if lid < 16u { tile[lid] = tile[lid] + tile[lid + 16u]; }");
            self.line("workgroupBarrier();");
            self.line("x0 += tile[lid & 15u];");
        }
        self.fuel = 10;
        self.statements(3, None);
        for k in 0..4 {
            let t = SCALARS[self.pick(3) as usize];
            let e = self.expr(t, 3);
            let e = match t {
                Ty::U => e,
                Ty::I => format!("u32({e})"),
                _ => format!("word({e})"),
            };
            self.line(&format!("result[base + {k}u] = {e};"));
        }
        let (c, e) = (self.pick(4), self.expr(Ty::U, 2));
        let op = ["atomicAdd", "atomicXor", "atomicMax", "atomicOr"][c as usize];
        self.line(&format!("{op}(&counters[{c}], {e});"));
        self.indent -= 1;
        self.line("}");
    }

    fn block(&mut self, depth: u32, ret: Option<Ty>) {
        let scope = self.scope.len();
        self.indent += 1;
        self.statements(depth, ret);
        self.indent -= 1;
        self.scope.truncate(scope);
    }

    fn statements(&mut self, depth: u32, ret: Option<Ty>) {
        for _ in 0..1 + self.pick(4) {
            if self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.statement(depth, ret);
        }
    }

    fn statement(&mut self, depth: u32, ret: Option<Ty>) {
        let choice = self.pick(if depth == 0 { 6 } else { 13 });
        match choice {
            0..=2 => {
                let (t, n) = (self.ty(), self.name("v"));
                let e = self.expr(t, 3);
                self.line(&format!("var {n}: {} = {e};", t.name()));
                self.scope.push((t, n));
            }
            3 | 4 => {
                let vars: Vec<(Ty, String)> =
                    self.scope.iter().filter(|v| v.1 != "lid" && !v.1.starts_with('p')).cloned().collect();
                if vars.is_empty() {
                    return;
                }
                let (t, n) = vars[self.pick(vars.len() as u32) as usize].clone();
                let e = self.expr(t, 3);
                self.line(&format!("{n} = {e};"));
            }
            5 => {
                if self.in_loop && self.pick(2) == 0 {
                    let c = self.expr(Ty::B, 2);
                    let jump = if self.pick(2) == 0 { "break" } else { "continue" };
                    self.line(&format!("if {c} {{ {jump}; }}"));
                } else if let Some(t) = ret {
                    let (c, e) = (self.expr(Ty::B, 2), self.expr(t, 2));
                    self.line(&format!("if {c} {{ return {e}; }}"));
                }
            }
            6..=8 => {
                let c = self.expr(Ty::B, 2);
                self.line(&format!("if {c} {{"));
                self.block(depth - 1, ret);
                if self.pick(2) == 0 {
                    self.line("} else {");
                    self.block(depth - 1, ret);
                }
                self.line("}");
            }
            9 | 10 => {
                let (i, n) = (self.name("i"), 1 + self.pick(6));
                let bound = if self.pick(2) == 0 { format!("{n}u") } else { format!("({} & 7u)", self.expr(Ty::U, 1)) };
                let limit = self.name("n");
                self.line(&format!("let {limit} = {bound};"));
                self.line(&format!("for (var {i} = 0u; {i} < {limit}; {i}++) {{"));
                let outer = std::mem::replace(&mut self.in_loop, true);
                let scope = self.scope.len();
                self.block(depth - 1, ret);
                self.scope.truncate(scope);
                self.in_loop = outer;
                self.line("}");
            }
            11 => {
                let s = self.expr(Ty::U, 2);
                self.line(&format!("switch {s} & 3u {{"));
                for k in 0..2 + self.pick(2) {
                    self.line(&format!("    case {k}u: {{"));
                    self.indent += 1;
                    // A `break` here would leave the switch, a `continue` the loop: both are fine, neither is made.
                    let outer = std::mem::replace(&mut self.in_loop, false);
                    self.block(depth - 1, ret);
                    self.in_loop = outer;
                    self.indent -= 1;
                    self.line("    }");
                }
                self.line("    default: {");
                self.indent += 1;
                let outer = std::mem::replace(&mut self.in_loop, false);
                self.block(depth - 1, ret);
                self.in_loop = outer;
                self.indent -= 1;
                self.line("    }");
                self.line("}");
            }
            _ => {
                let (a, t) = (self.name("a"), self.pick(2));
                let k = [Ty::U, Ty::I][t as usize];
                self.line(&format!("var {a}: array<{}, 4>;", k.name()));
                for _ in 0..2 {
                    let (i, e) = (self.expr(Ty::U, 1), self.expr(k, 2));
                    self.line(&format!("{a}[{i} & 3u] = {e};"));
                }
                let (i, n) = (self.expr(Ty::U, 1), self.name("v"));
                self.line(&format!("var {n} = {a}[{i} & 3u];"));
                self.scope.push((k, n));
            }
        }
    }

    fn variable(&mut self, t: Ty) -> Option<String> {
        let list: Vec<String> = self.scope.iter().filter(|v| v.0 == t).map(|v| v.1.clone()).collect();
        if list.is_empty() || self.pick(5) == 0 {
            return None;
        }
        Some(list[self.pick(list.len() as u32) as usize].clone())
    }

    /// Constants are added to variables that hold zero: naga would refuse what overflows in its constant evaluator, and our own
    /// folding is to be tested.
    fn leaf(&mut self, t: Ty) -> String {
        if let Some(v) = self.variable(t) {
            return if t == Ty::F { format!("small({v})") } else { v };
        }
        match t {
            Ty::U => match self.pick(4) {
                0 => "params.a".into(),
                1 => format!("(zu + {}u)", [0u32, 1, 2, 31, 255, 65535, 0x8000_0000, u32::MAX][self.pick(8) as usize]),
                2 => format!("(zu + {}u)", self.pick(1000)),
                _ => "params.d".into(),
            },
            Ty::I => match self.pick(4) {
                0 => "params.b".into(),
                1 => format!(
                    "(zi + {})",
                    ["0", "1", "-1", "2147483647", "i32(-2147483648)", "16"][self.pick(6) as usize]
                ),
                2 => format!("(zi + {})", self.pick(200) as i32 - 100),
                _ => format!("params.v.{}", ["x", "y", "z", "w"][self.pick(4) as usize]),
            },
            Ty::F => match self.pick(3) {
                0 => "params.c".into(),
                _ => format!("(zf + {}.0)", self.pick(256)),
            },
            Ty::B => ["true", "false", "(params.a > 3u)"][self.pick(3) as usize].into(),
            Ty::V(k, n) => {
                let s = SCALARS[k as usize];
                let lanes: Vec<String> = (0..n).map(|_| self.leaf(s)).collect();
                format!("{}({})", t.name(), lanes.join(", "))
            }
        }
    }

    fn call(&mut self, t: Ty, depth: u32) -> Option<String> {
        let list: Vec<usize> = (0..self.functions.len()).filter(|&i| self.functions[i].2 == t).collect();
        if list.is_empty() || self.pick(4) != 0 {
            return None;
        }
        let choice = list[self.pick(list.len() as u32) as usize];
        let (name, params, _) = self.functions[choice].clone();
        let args: Vec<String> = params.iter().map(|&p| self.expr(p, depth - 1)).collect();
        Some(format!("{name}({})", args.join(", ")))
    }

    fn expr(&mut self, t: Ty, depth: u32) -> String {
        if depth == 0 || self.pick(6) == 0 {
            return self.leaf(t);
        }
        if let Some(c) = self.call(t, depth) {
            return if t == Ty::F { format!("small({c})") } else { c };
        }
        let d = depth - 1;
        if self.pick(8) == 0 {
            let (a, b, c) = (self.expr(t, d), self.expr(t, d), self.expr(Ty::B, d));
            return format!("select({a}, {b}, {c})");
        }
        match t {
            Ty::U | Ty::I => {
                let (a, b) = (self.expr(t, d), self.expr(t, d));
                match self.pick(16) {
                    0..=6 => format!("({a} {} {b})", ["+", "-", "*", "&", "|", "^", "+"][self.pick(7) as usize]),
                    7 => format!("({a} {} {b})", ["/", "%"][self.pick(2) as usize]),
                    8 => {
                        let s = self.expr(Ty::U, d);
                        format!("({a} {} ({s} & 31u))", ["<<", ">>"][self.pick(2) as usize])
                    }
                    9 => format!("{}({a}, {b})", ["min", "max"][self.pick(2) as usize]),
                    10 => format!("~{a}"),
                    11 => format!(
                        "{}({a})",
                        [
                            "countOneBits",
                            "reverseBits",
                            "countLeadingZeros",
                            "countTrailingZeros",
                            "firstLeadingBit",
                            "firstTrailingBit",
                            "abs"
                        ][self.pick(7) as usize]
                    ),
                    12 => {
                        let (o, c) = (self.pick(36), self.pick(36));
                        if self.pick(2) == 0 {
                            format!("extractBits({a}, {o}u, {c}u)")
                        } else {
                            format!("insertBits({a}, {b}, {o}u, {c}u)")
                        }
                    }
                    13 => {
                        let other = if t == Ty::U { Ty::I } else { Ty::U };
                        let x = self.expr(other, d);
                        format!("{}({x})", t.name())
                    }
                    14 => {
                        let x = self.expr(Ty::F, d);
                        if t == Ty::U { format!("word({x})") } else { format!("i32({x})") }
                    }
                    _ => {
                        let n = 2 + self.pick(3) as u8;
                        let v = self.expr(Ty::V(if t == Ty::I { 0 } else { 1 }, n), d);
                        format!("({v}).{}", ["x", "y", "z", "w"][self.pick(u32::from(n)) as usize])
                    }
                }
            }
            Ty::F => {
                let (a, b) = (self.expr(t, d), self.expr(t, d));
                match self.pick(9) {
                    0 | 1 => format!("small({a} + {b})"),
                    2 => format!("small({a} - {b})"),
                    3 => format!("small({a} * {b})"),
                    4 => format!("{}({a}, {b})", ["min", "max"][self.pick(2) as usize]),
                    5 => format!("{}({a} * 0.5)", ["floor", "ceil", "trunc", "round"][self.pick(4) as usize]),
                    6 => format!("abs({a})"),
                    7 => {
                        let x = self.expr(Ty::I, d);
                        format!("f32({x} & 255)")
                    }
                    _ => format!("small(fma({a}, {b}, 3.0))"),
                }
            }
            Ty::B => match self.pick(4) {
                0 => format!("!{}", self.expr(Ty::B, d)),
                1 => {
                    let (a, b) = (self.expr(Ty::B, d), self.expr(Ty::B, d));
                    format!("({a} {} {b})", ["&&", "||", "&", "|", "==", "!="][self.pick(6) as usize])
                }
                _ => {
                    let s = SCALARS[self.pick(3) as usize];
                    let (a, b) = (self.expr(s, d), self.expr(s, d));
                    format!("({a} {} {b})", ["<", "<=", ">", ">=", "==", "!="][self.pick(6) as usize])
                }
            },
            Ty::V(k, n) => {
                let (a, b) = (self.expr(t, d), self.expr(t, d));
                match (k, self.pick(4)) {
                    (2, 0) => format!("min({a}, {b})"),
                    (2, 1) => format!("floor({a} * 0.5)"),
                    (2, _) => format!("max({a}, {b})"),
                    (_, 0..=1) => format!("({a} {} {b})", ["+", "-", "*", "&", "|", "^"][self.pick(6) as usize]),
                    (_, 2) => format!("max({a}, {b})"),
                    _ => {
                        let lanes: String = (0..n).map(|_| ["x", "y"][self.pick(2) as usize]).collect();
                        format!("({a}).{lanes}")
                    }
                }
            }
        }
    }
}

/// The buffers of a run: parameters, inputs, results, counters.
pub fn buffers(seed: u64) -> Vec<(u32, u32, Vec<u8>, bool)> {
    let mut rng = SplitMix64::new(seed ^ 0x5eed);
    let mut word = || (rng.next_u64() >> 32) as u32;
    let mut params: Vec<u32> = vec![word() & 15, word(), ((word() & 255) as f32).to_bits(), word()];
    params.extend((0..4).map(|_| word()));
    let source: Vec<u32> = (0..INPUTS).map(|i| if i % 3 == 0 { word() } else { word() & 0xffff }).collect();
    let bytes = |w: &[u32]| w.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    vec![
        (0, 0, bytes(&params), false),
        (0, 1, bytes(&source), false),
        (0, 2, vec![0; (GROUPS * INVOCATIONS * WORDS * 4) as usize], true),
        (0, 3, vec![0; 16], true),
    ]
}
