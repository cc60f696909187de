//! Random WGSL compute programs with exactly one meaning: what the oracle and every machine must agree on to the bit.
//!
//! * Integers wrap, shifts and divisions are WGSL's own.
//! * Floats are non-negative integers of small magnitude, so that every sum, product and comparison is exact, and fusing changes
//!   nothing; what divides or scales is rounded back to an integer at once.
//! * Loops count down a fuel. Jumps out of them and to their next round are conditional.
//! * Branches that nobody takes have anything in them: loops without an exit, discards, returns.
//! * Fixed arrays may be indexed out of bounds: the frontend clamps such an index. Out of a runtime-sized array robustness lets a load give anything
//!   inside, so one buffer that holds zeros and is only ever given zeros is used for that.
//! * Workgroup memory and the vectors of other invocations in a buffer are written before a barrier and read after it, or counted
//!   in by atomics. Every invocation writes its own words; counters that it shares with others get one operation each, whose
//!   order does not matter, and results of atomics are used only of words of its own.
//! * What is packed and unpacked is so far from the middle of two results that all roundings WGSL allows give one.

mod bare;
mod double;
mod expr;
mod flow;
mod pack;
mod pipeline;
mod places;
mod sharing;
mod sizes;
mod wide;

use std::fmt::Write as _;

use gpucc_driver::CodegenOptions;
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, SplitMix64};

pub use pipeline::{Attribute, Pipeline};
use sizes::{CELL, FIRST, VECTORS};
pub use sizes::{GROUPS, INPUTS, INVOCATIONS, WORDS};

use crate::exec::{self, On, Problem};
use crate::predict;

/// A generator of programs.
pub struct Generator {
    rng: SplitMix64,
    out: String,
    indent: usize,
    /// Variables in scope.
    scope: Vec<Var>,
    names: u32,
    /// Statements that may still be made.
    fuel: u32,
    /// Functions made so far.
    functions: Vec<Function>,
    /// The construct that `break` and `continue` would leave.
    jumps: Jumps,
    /// Counters of the loops around, the innermost last.
    rounds: Vec<String>,
    /// Whether an invocation may end here: none may before a barrier that others come to.
    may_leave: bool,
    /// Some targets have no atomics: half of the programs do without.
    atomics: bool,
    kind: Kind,
    /// Whether there is no storage: what is read is in uniform buffers, what is written in variables.
    bare: bool,
    /// Around a fragment program.
    pipeline: Pipeline,
    /// Whether there are integers of 64 bits.
    wide: bool,
    /// Whether there are floats of 64 bits, too.
    doubles: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    I,
    U,
    F,
    B,
    /// Vectors of two to four.
    V(u8, u8),
    /// Vectors of booleans.
    Bv(u8),
    /// Square matrices.
    M(u8),
    /// The structure `Pair`.
    Pair,
    /// Integers of 64 bits, signed and not.
    L,
    Ul,
    /// Floats of 64 bits.
    D,
}

const SCALARS: [Ty; 3] = [Ty::I, Ty::U, Ty::F];

#[derive(Clone)]
struct Var {
    ty: Ty,
    name: String,
    writable: bool,
    /// Whether it is a variable of a function, which a pointer may be passed to.
    local: bool,
}

#[derive(Clone)]
struct Function {
    name: String,
    /// Types of the parameters; the last may be a pointer to a function variable.
    params: Vec<(Ty, bool)>,
    ret: Ty,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Jumps {
    Nothing,
    /// Inside a loop.
    Loop,
    /// Inside a switch inside a loop: `break` leaves the switch.
    SwitchInLoop,
    /// Inside a switch.
    Switch,
}

impl Ty {
    fn name(self) -> String {
        match self {
            Ty::I => "i32".into(),
            Ty::U => "u32".into(),
            Ty::F => "f32".into(),
            Ty::B => "bool".into(),
            Ty::V(k, n) => format!("vec{n}<{}>", SCALARS[k as usize].name()),
            Ty::Bv(n) => format!("vec{n}<bool>"),
            Ty::M(n) => format!("mat{n}x{n}<f32>"),
            Ty::Pair => "Pair".into(),
            Ty::L => "i64".into(),
            Ty::Ul => "u64".into(),
            Ty::D => "f64".into(),
        }
    }
}

/// Everything that all programs have. `small` brings a float that is an integer back to 0..1024.
const HEAD: &str = "\
struct Input {
    quads: array<vec4<u32>, 8>, trios: array<vec3<i32>, 8>, floats: array<vec3<f32>, 4>, duos: array<vec2<i32>, 8>,
    words: array<u32>
}
struct Params { a: u32, b: i32, c: f32, d: u32, v: vec4<i32>, w: vec3<u32>, h: vec2<f32> }
struct Cell {
    a: vec4<u32>, b: vec3<i32>, k: u32, c: vec2<u32>, q: array<vec4<i32>, 2>, t: array<vec3<u32>, 2>, f: vec3<f32>, g: vec4<f32>
}
struct Counters { u: array<atomic<u32>, 7>, i: array<atomic<i32>, 3> }
struct Pair { n: u32, f: vec3<f32>, list: array<i32, 3> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: Input;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@group(0) @binding(3) var<storage, read_write> counters: Counters;
@group(0) @binding(4) var<storage, read_write> own: array<atomic<i32>>;
@group(0) @binding(5) var<storage, read_write> zeros: array<u32>;
@group(0) @binding(6) var<storage, read_write> cells: array<Cell>;
var<private> me: u32 = 0u;
var<private> state: u32 = 7u;
var<private> table: array<i32, 6>;
var<private> zu: u32 = 0u;
var<private> zi: i32 = 0;
var<private> zf: f32 = 0.0;
fn small(x: f32) -> f32 { return x - floor(x * 0.0009765625) * 1024.0; }
fn small2(x: vec2<f32>) -> vec2<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn small3(x: vec3<f32>) -> vec3<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn small4(x: vec4<f32>) -> vec4<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn word(x: f32) -> u32 { return u32(i32(x)); }
";

/// The additional registers of compute programs.
const SHARED: &str = "\
var<workgroup> tile: array<u32, 32>;
var<workgroup> wide: array<vec3<i32>, 32>;
var<workgroup> slots: array<vec4<u32>, 32>;
var<workgroup> tally: array<atomic<u32>, 6>;
var<workgroup> marks: array<atomic<i32>, 32>;
fn exchange(x: u32, k: u32) -> u32 {
    workgroupBarrier();
    tile[me & 31u] = x;
    workgroupBarrier();
    let y = tile[(me + k) & 31u];
    workgroupBarrier();
    return y;
}

";

/// The kind of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Workgroups that share memory.
    Compute,
    /// A fragment shader: a pixel is an invocation, row by row, and its four words of `result` are the pixel's colours. It shares nothing.
    Fragment,
    /// The compute program with the same meaning, word by word.
    Twin,
}

impl Generator {
    /// A generator for one seed.
    pub fn new(seed: u64) -> Generator {
        Generator::of(seed, Kind::Compute)
    }

    /// A generator of programs of a kind.
    pub fn of(seed: u64, kind: Kind) -> Generator {
        Generator {
            kind,
            bare: false,
            pipeline: Pipeline::new(seed),
            rng: SplitMix64::new(seed),
            out: String::new(),
            indent: 0,
            scope: Vec::new(),
            names: 0,
            fuel: 0,
            functions: Vec::new(),
            jumps: Jumps::Nothing,
            rounds: Vec::new(),
            may_leave: false,
            atomics: false,
            wide: false,
            doubles: false,
        }
    }

    /// A generator of compute programs with integers of 64 bits.
    pub fn wide(seed: u64) -> Generator {
        Generator { wide: true, ..Generator::new(seed) }
    }

    /// A generator of compute programs with integers and floats of 64 bits.
    pub fn doubles(seed: u64) -> Generator {
        Generator { doubles: true, ..Generator::wide(seed) }
    }

    /// A generator of fragment programs and twins for chips whose fragment programs have no storage buffers. Their own vectors are
    /// mixed into the results.
    pub fn bare(seed: u64, kind: Kind) -> Generator {
        Generator { bare: true, ..Generator::of(seed, kind) }
    }

    fn pick(&mut self, n: u32) -> u32 {
        (self.rng.next_u64() >> 33) as u32 % n
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len() as u32) as usize]
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.indent));
    }

    fn declare(&mut self, ty: Ty, name: String, writable: bool) {
        self.scope.push(Var { ty, name, writable, local: writable });
    }

    fn ty(&mut self) -> Ty {
        if self.doubles && self.pick(4) == 0 {
            return Ty::D;
        }
        if self.wide && self.pick(3) == 0 {
            return self.one(&[Ty::L, Ty::Ul]);
        }
        match self.pick(12) {
            0 | 1 => Ty::I,
            2 | 3 => Ty::U,
            4 | 5 => Ty::F,
            6 => Ty::B,
            7..=9 => Ty::V(self.pick(3) as u8, 2 + self.pick(3) as u8),
            10 => self.one(&[Ty::M(2), Ty::M(3), Ty::Bv(2), Ty::Bv(3), Ty::Bv(4)]),
            _ => Ty::Pair,
        }
    }

    /// The program of this seed.
    pub fn program(mut self) -> String {
        self.out += HEAD;
        match self.kind {
            Kind::Compute => self.out += SHARED,
            Kind::Fragment => self.out += &self.pipeline.vertex(),
            Kind::Twin => {}
        }
        self.atomics = self.pick(2) == 0 && self.kind == Kind::Compute;
        for _ in 0..self.pick(4) {
            self.function();
        }
        self.main();
        if self.bare { bare::without_storage(&self.out) } else { self.out }
    }

    fn function(&mut self) {
        let name = self.name("fun");
        let mut params: Vec<(Ty, bool)> = (0..1 + self.pick(3)).map(|_| (self.one(&SCALARS), false)).collect();
        if self.pick(3) == 0 {
            params.push((self.ty(), false));
        }
        if self.pick(3) == 0 {
            params.push((self.one(&[Ty::I, Ty::U, Ty::F, Ty::V(1, 3)]), true));
        }
        let ret = if self.pick(4) == 0 { self.ty() } else { self.one(&SCALARS) };
        let scope = std::mem::take(&mut self.scope);
        let mut list = Vec::new();
        for &(t, pointer) in &params {
            let n = self.name("p");
            if pointer {
                list.push(format!("{n}: ptr<function, {}>", t.name()));
                self.scope.push(Var { ty: t, name: format!("(*{n})"), writable: true, local: false });
            } else {
                list.push(format!("{n}: {}", t.name()));
                self.declare(t, n, false);
            }
        }
        self.line(&format!("fn {name}({}) -> {} {{", list.join(", "), ret.name()));
        self.indent += 1;
        self.fuel = 6;
        self.statements(2, Some(ret));
        let e = self.expr(ret, 2);
        self.line(&format!("return {e};"));
        self.indent -= 1;
        self.line("}\n");
        self.scope = scope;
        self.functions.push(Function { name, params, ret });
    }

    fn main(&mut self) {
        if self.kind == Kind::Fragment {
            self.line(&self.pipeline.fragment());
            self.indent += 1;
            self.line(&format!("let gid = vec3<u32>(u32(at.y) * {INVOCATIONS}u + u32(at.x), 0u, 0u);"));
            self.line("let lid = gid.x & 31u;");
            self.line("var pixel = vec4<u32>(0u);");
        } else {
            self.line("@compute @workgroup_size(32)");
            self.line(
                "fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {",
            );
            self.indent += 1;
        }
        self.line("let base = gid.x * 4u;");
        self.line("me = gid.x;");
        if self.bare {
            self.line("cell = cells[me];");
        }
        let nothing = if self.kind == Kind::Fragment { self.pipeline.nothing() } else { String::new() };
        self.line(&format!("var x0 = source.words[gid.x & 63u]{nothing};"));
        self.line("var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);");
        self.line("var x2 = f32(source.words[lid & 63u] & 255u);");
        for (t, n) in [(Ty::U, "x0"), (Ty::I, "x1"), (Ty::F, "x2")] {
            self.declare(t, n.into(), true);
        }
        self.declare(Ty::U, "lid".into(), false);
        self.scope.push(Var { ty: Ty::U, name: "state".into(), writable: true, local: false });
        self.fuel = 16;
        self.may_leave = self.kind != Kind::Compute;
        self.statements(3, None);
        if self.kind == Kind::Compute {
            for _ in 0..1 + self.pick(3) {
                self.phase();
            }
        } else {
            self.leave();
        }
        self.fuel = 10;
        self.may_leave = true;
        self.statements(3, None);
        if self.kind != Kind::Compute {
            self.leave();
        } else if self.pick(6) == 0 {
            let c = self.expr(Ty::B, 2);
            self.line(&format!("if {c} {{ return; }}"));
        }
        for k in 0..4 {
            let t = self.one(&SCALARS);
            let e = self.expr(t, 3);
            let e = match t {
                Ty::U => e,
                Ty::I => format!("u32({e})"),
                _ => format!("word({e})"),
            };
            let e = if self.bare { format!("({e}) ^ kept({k}u)") } else { e };
            match self.kind {
                Kind::Fragment => self.line(&format!("pixel[{k}] = {e};")),
                _ => self.line(&format!("result[base + {k}u] = {e};")),
            }
        }
        if self.kind == Kind::Fragment {
            self.line(&format!("return {};", self.pipeline.colours()));
        }
        if self.atomics {
            self.count();
        }
        self.indent -= 1;
        self.line("}");
    }

    /// Some invocations end here: as fragments they are discarded and go on as helpers, without any effect.
    fn leave(&mut self) {
        if self.pick(3) > 0 {
            return;
        }
        let c = self.expr(Ty::B, 2);
        match self.kind {
            Kind::Fragment => self.line(&format!("if {c} {{ discard; }}")),
            _ => self.line(&format!("if {c} {{ return; }}")),
        }
    }

    fn block(&mut self, depth: u32, ret: Option<Ty>, jumps: Jumps) {
        let scope = self.scope.len();
        let outer = std::mem::replace(&mut self.jumps, jumps);
        self.indent += 1;
        self.statements(depth, ret);
        self.indent -= 1;
        self.jumps = outer;
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
        match self.pick(if depth == 0 { 12 } else { 25 }) {
            0..=2 => {
                let (t, n) = (self.ty(), self.name("v"));
                let e = self.expr(t, 3);
                let writable = self.pick(4) != 0;
                let (word, colon) = if writable { ("var", format!(": {}", t.name())) } else { ("let", String::new()) };
                self.line(&format!("{word} {n}{colon} = {e};"));
                self.declare(t, n, writable);
            }
            3..=5 => self.assignment(),
            6 => self.jump(ret),
            7 => self.memory(),
            8 => {
                if !self.pointer_call() {
                    self.assignment();
                }
            }
            9 => {
                let (i, op, e) = (self.expr(Ty::I, 1), self.one(&["", "+", "^", "*"]), self.expr(Ty::I, 2));
                self.line(&format!("table[{i}] {op}= {e};"));
            }
            10 | 11 => self.vector_store(),
            12..=14 => {
                let c = self.expr(Ty::B, 2);
                let jumps = self.jumps;
                self.line(&format!("if {c} {{"));
                self.block(depth - 1, ret, jumps);
                if self.pick(2) == 0 {
                    self.line("} else {");
                    self.block(depth - 1, ret, jumps);
                }
                self.line("}");
            }
            15 | 16 => self.a_loop(depth, ret, false),
            17 => self.switch(depth, ret),
            18 => self.a_loop(depth, ret, true),
            19 | 20 => self.untaken(depth, ret),
            21 => self.leave_early(ret),
            _ => self.an_array(),
        }
    }

    fn assignment(&mut self) {
        let vars: Vec<Var> = self.scope.iter().filter(|v| v.writable).cloned().collect();
        if vars.is_empty() {
            return;
        }
        let v = vars[self.pick(vars.len() as u32) as usize].clone();
        let n = &v.name;
        match v.ty {
            Ty::V(k, size) if self.pick(3) != 0 => self.vector_update(n, k, size),
            Ty::M(size) if self.pick(2) == 0 => {
                let (i, e) = (self.expr(Ty::U, 1), self.expr(Ty::V(2, size), 2));
                self.line(&format!("{n}[{i} % {size}u] = {e};"));
            }
            Ty::Pair => {
                let line = match self.pick(4) {
                    0 => format!("{n}.n = {};", self.expr(Ty::U, 2)),
                    1 => format!("{n}.f.z = {};", self.expr(Ty::F, 2)),
                    2 => format!("{n}.f = {};", self.expr(Ty::V(2, 3), 2)),
                    _ => format!("{n}.list[{}] = {};", self.expr(Ty::U, 1), self.expr(Ty::I, 2)),
                };
                self.line(&line);
            }
            Ty::I | Ty::U | Ty::L | Ty::Ul if self.pick(3) == 0 => {
                let (op, e) = (self.one(&["+", "-", "*", "&", "|", "^", "/", "%"]), self.expr(v.ty, 2));
                self.line(&format!("{n} {op}= {e};"));
            }
            _ => {
                let e = self.expr(v.ty, 3);
                self.line(&format!("{n} = {e};"));
            }
        }
    }

    fn an_array(&mut self) {
        let (a, t) = (self.name("a"), self.one(&[Ty::U, Ty::I, Ty::V(0, 2), Ty::V(1, 3), Ty::V(0, 4), Ty::F]));
        let t = if self.wide && self.pick(3) == 0 { self.one(&[Ty::L, Ty::Ul]) } else { t };
        let t = if self.doubles && self.pick(3) == 0 { Ty::D } else { t };
        let size = self.one(&[2, 4, 5, 9]);
        self.line(&format!("var {a}: array<{}, {size}>;", t.name()));
        for _ in 0..2 {
            let (i, e) = (self.expr(Ty::U, 1), self.expr(t, 2));
            self.line(&format!("{a}[{i}] = {e};"));
        }
        if self.pick(3) == 0 {
            let (k, e) = (self.name("k"), self.expr(t, 1));
            self.line(&format!("for (var {k} = 0; {k} < {size}; {k}++) {{ {a}[{k}] = {e}; }}"));
        }
        let (i, n) = (self.expr(Ty::U, 1), self.name("v"));
        let lanes = match t {
            Ty::V(_, m) if self.pick(2) == 0 => format!(".{}", self.swizzle(m, m)),
            _ => String::new(),
        };
        self.line(&format!("var {n} = {a}[{i} % {size}u]{lanes};"));
        self.declare(t, n, true);
    }

    /// A call that is given the address of a variable.
    fn pointer_call(&mut self) -> bool {
        let list: Vec<Function> = self.functions.iter().filter(|f| f.params.iter().any(|p| p.1)).cloned().collect();
        if list.is_empty() {
            return false;
        }
        let f = list[self.pick(list.len() as u32) as usize].clone();
        let target = f.params.iter().find(|p| p.1).map_or(Ty::U, |p| p.0);
        let vars: Vec<String> =
            self.scope.iter().filter(|v| v.local && v.ty == target).map(|v| v.name.clone()).collect();
        if vars.is_empty() {
            return false;
        }
        let v = vars[self.pick(vars.len() as u32) as usize].clone();
        let args: Vec<String> =
            f.params.iter().map(|&(t, p)| if p { format!("&{v}") } else { self.expr(t, 1) }).collect();
        let n = self.name("v");
        self.line(&format!("var {n}: {} = {}({});", f.ret.name(), f.name, args.join(", ")));
        self.declare(f.ret, n, true);
        true
    }
}

/// The buffers of a run: parameters, inputs, results, counters, own words, zeros, own vectors.
pub fn buffers(seed: u64) -> Vec<(u32, u32, Vec<u8>, bool)> {
    let mut rng = SplitMix64::new(seed ^ 0x5eed);
    let mut word = || (rng.next_u64() >> 32) as u32;
    let float = |w: u32| ((w & 255) as f32).to_bits();
    let mut params: Vec<u32> = vec![word() & 15, word(), float(word()), word()];
    params.extend((0..8).map(|_| word()));
    params.extend((0..4).map(|_| float(word())));
    let mut source: Vec<u32> =
        (0..VECTORS).map(|i| if (64..80).contains(&i) { float(word()) } else { word() }).collect();
    source.extend((0..INPUTS).map(|i| if i % 3 == 0 { word() } else { word() & 0xffff }));
    let all = GROUPS * INVOCATIONS;
    let cells: Vec<u32> = (0..all * CELL).map(|i| if i % CELL >= CELL - 8 { float(word()) } else { word() }).collect();
    let mut counters = [0; 10];
    for (at, first) in FIRST {
        counters[at] = first;
    }
    let bytes = |w: &[u32]| w.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let zeros = |n: u32| vec![0; n as usize * 4];
    vec![
        (0, 0, bytes(&params), false),
        (0, 1, bytes(&source), false),
        (0, 2, zeros(all * WORDS), true),
        (0, 3, bytes(&counters), true),
        (0, 4, zeros(all), true),
        (0, 5, zeros(7), true),
        (0, 6, bytes(&cells), true),
    ]
}

/// Why a run is no success.
pub enum Failure {
    /// The target refuses the program: whether that was predicted, the codes, and what it says.
    Refused(bool, Vec<Refusal>, String),
    /// A wrong answer, a trap or a bug.
    Wrong(String),
}

/// A generated program, and what the oracle makes of it.
pub struct Program {
    /// WGSL.
    pub source: String,
    module: Module,
    seed: u64,
    expected: Dispatch,
}

/// WGSL leaves the sign of a zero open: it does not count where floats are stored as they are.
fn unsigned_zeros(d: &mut Dispatch) {
    d.buffers.iter_mut().filter(|b| b.binding == 6).for_each(|b| unsigned_zeros_of_cells(&mut b.bytes));
}

/// The same in the bytes of `cells`.
pub fn unsigned_zeros_of_cells(bytes: &mut [u8]) {
    let cells = bytes.chunks_exact_mut(4);
    for (_, word) in cells.enumerate().filter(|(i, _)| *i as u32 % CELL >= CELL - 8) {
        if *word == (-0f32).to_le_bytes() {
            word.fill(0);
        }
    }
}

fn dispatch(seed: u64) -> Dispatch {
    let mut d = Dispatch::new([GROUPS, 1, 1]);
    for (group, binding, bytes, writable) in buffers(seed) {
        d.buffers.push(BoundBuffer { group, binding, bytes, writable });
    }
    d
}

impl Program {
    /// Generates and lowers the program of a seed, and runs it on the oracle.
    ///
    /// # Errors
    /// The frontend or the oracle does not take it; the text has the source.
    pub fn new(seed: u64) -> Result<Program, String> {
        Program::of(seed, Generator::new(seed))
    }

    /// The same of a program with integers of 64 bits.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn wide(seed: u64) -> Result<Program, String> {
        Program::of(seed, Generator::wide(seed))
    }

    /// The same of a program with integers and floats of 64 bits.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn doubles(seed: u64) -> Result<Program, String> {
        Program::of(seed, Generator::doubles(seed))
    }

    fn of(seed: u64, generator: Generator) -> Result<Program, String> {
        let source = generator.program();
        let module = exec::lower(&source, "main", &[]).map_err(|p| format!("seed {seed}: {p}\n{source}"))?;
        let mut expected = dispatch(seed);
        exec::run(&module, "main", On::Interp, &CodegenOptions::default(), &mut expected, &options(seed))
            .map_err(|p| format!("seed {seed} on interp: {p}\n{source}"))?;
        unsigned_zeros(&mut expected);
        Ok(Program { source, module, seed, expected })
    }

    /// Runs the program somewhere else.
    ///
    /// # Errors
    /// A refusal, or the first word that differs, or what went wrong.
    pub fn check(&self, on: On, codegen: &CodegenOptions) -> Result<(), Failure> {
        let mut got = dispatch(self.seed);
        let at = format!("seed {} on {on} -O{}", self.seed, codegen.opt_level);
        let result = exec::run(&self.module, "main", on, codegen, &mut got, &options(self.seed));
        unsigned_zeros(&mut got);
        match result {
            Ok(_) if got == self.expected => Ok(()),
            Ok(_) => {
                let place = (2..=6).find_map(|b| {
                    let (e, g) = (self.expected.words(0, b)?, got.words(0, b)?);
                    let i = e.iter().zip(&g).position(|(x, y)| x != y)?;
                    Some(format!("buffer 0:{b} word {i}: {:#x}, expected {:#x}", g[i], e[i]))
                });
                Err(Failure::Wrong(format!("{at}: {}", place.unwrap_or_default())))
            }
            Err(p) => Err(self.refused(on, codegen, p)),
        }
    }

    /// The class of a problem.
    pub fn refused(&self, on: On, codegen: &CodegenOptions, problem: Problem) -> Failure {
        let at = format!("seed {} on {on} -O{}", self.seed, codegen.opt_level);
        match problem {
            Problem::Refused(codes, why) => {
                let predicted = predict::of_random(on, &format!("randprog {}", self.seed), &codes, &why);
                let text = format!("{at}: {}", Problem::Refused(codes.clone(), why));
                Failure::Refused(predicted, codes, text)
            }
            p => Failure::Wrong(format!("{at}: {p}")),
        }
    }

    /// The module as the frontend made it.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// A fragment program, its buffers, and what its compute twin makes of them on the oracle.
pub struct FragmentProgram {
    /// WGSL with the entry points `vs` and `fs`.
    pub source: String,
    /// As before the draw.
    pub before: Dispatch,
    /// As after it: binding 2 holds the picture.
    pub expected: Dispatch,
    /// Where its words leave, and what comes in.
    pub pipeline: Pipeline,
    /// Whether it has no storage.
    pub bare: bool,
}

impl FragmentProgram {
    /// Generates the programs of a seed, with storage or without, and runs the twin.
    ///
    /// # Errors
    /// The frontend or the oracle does not take the twin; the text has its source.
    pub fn new(seed: u64, bare: bool) -> Result<FragmentProgram, String> {
        let of = |kind| if bare { Generator::bare(seed, kind) } else { Generator::of(seed, kind) };
        let twin = of(Kind::Twin).program();
        let module = exec::lower(&twin, "main", &[]).map_err(|p| format!("seed {seed}: {p}\n{twin}"))?;
        let before = dispatch(seed);
        let mut expected = before.clone();
        exec::run(&module, "main", On::Interp, &CodegenOptions::default(), &mut expected, &options(seed))
            .map_err(|p| format!("seed {seed} on interp: {p}\n{twin}"))?;
        unsigned_zeros(&mut expected);
        let (source, pipeline) = (of(Kind::Fragment).program(), Pipeline::new(seed));
        Ok(FragmentProgram { source, before, expected, pipeline, bare })
    }
}

fn options(seed: u64) -> RunOptions {
    RunOptions { perturb: Some(seed), ..RunOptions::default() }
}
