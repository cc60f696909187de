//! The verifier: what must hold for every function, and the properties that a stage of the pipeline claims.
//!
//! Rules, by the code that a finding carries:
//! - `layout`: the entry is first and has no predecessors; each block is listed once; edges lead to listed blocks.
//! - `block`: a block ends in its only terminator; an instruction stands in one block only.
//! - `arity`: operand counts and attribute kinds are those of the op's signature; edges give one value per parameter.
//! - `type`: operand and result types follow the op's rule; edge arguments, calls and returns have the declared types.
//! - `dominance`: a definition dominates its uses (unreachable blocks are not looked at).
//! - `structure`: the graph is reducible and nested as the crate documentation says.
//! - `memory`: places exist, access fits constant bounds (with a dynamic offset, for some value of it), alignment is a
//!   power of two that the constant offset has, and at least that of a component or of a word, stores and atomics go to writable
//!   places, `b1` is in no buffer, `var_init` is on a variable, a variable has at most [`MOST_VARIABLE`] bytes.
//! - `module`: entry points have no parameters, and return the outputs of their stage; calls lead to earlier functions.
//! - `binding`: what an entry reaches has a group and binding of its own; a texture and a sampler may share them, and
//!   descriptors of one texture.
//! - `stage`: what an entry reaches exists in its stage; `input` names a slot of it and stands in the entry function.
//! - `texture`: texture instructions fit their resources.
//!
//! Properties (checked when asked for): `NoCalls`, `NoVars` (no access to function variables), `SingleReturn`,
//! `Scalar` (no vector values), `NoI64`, `NoF16`, `Ordered` (layout is the structured order).

use crate::analysis::{ConstructKind, DomTree, Structure, structured_order};
use crate::edges::EdgeRef;
use crate::entity::{EntitySet, SecondaryMap};
use crate::function::{Function, ValueDef};
use crate::inst::*;
use crate::module::{Module, ResourceKind, Subgroups};
use crate::ops::{Op, Sig};
use crate::stage::{COLOUR_TARGETS, IoAt, Stage};
use crate::sysval::MAX_LANES;
use crate::tex::{TexArg, TexDim, TexLayer};
use crate::text::inst_text;
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;
use std::fmt;

/// Most bytes of a variable.
pub const MOST_VARIABLE: u32 = 16 << 20;

/// A property that a function may claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// No `call`.
    NoCalls,
    /// No access to function variables.
    NoVars,
    /// One `ret` at most.
    SingleReturn,
    /// No vector values, but for the operands of ops that take vectors by nature.
    Scalar,
    /// No 64-bit integers.
    NoI64,
    /// No 16-bit floats.
    NoF16,
    /// The layout is the structured order.
    Ordered,
}

/// One violated rule of the IR, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Short name of the rule.
    pub rule: &'static str,
    /// Name of the function; empty outside of functions.
    pub func: String,
    /// The block in which it was found, if in one.
    pub block: Option<Block>,
    /// The instruction as printed.
    pub inst: Option<String>,
    /// The fault in a sentence.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.func, self.rule)?;
        if let Some(b) = self.block {
            write!(f, " in {b}")?;
        }
        if let Some(i) = &self.inst {
            write!(f, ", `{i}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// All findings of a module, in order.
pub fn verify_module(m: &Module) -> Result<(), Vec<Finding>> {
    let mut all = Vec::new();
    for (id, f) in m.funcs.iter() {
        if let Err(e) = verify_function(m, f) {
            all.extend(e);
        }
        for (_, i) in f.insts_in_order() {
            if let Attr::Call(c) = f.insts[i].attr
                && c >= id
            {
                all.push(finding(f, "module", None, Some(i), format!("{c} is not before {id}")));
            }
        }
    }
    for e in &m.entries {
        if let Some(f) = m.funcs.get(e.func) {
            let outputs = e.interface().map_or(&[][..], |io| &io.outputs);
            if !f.params().is_empty() || !f.ret.iter().eq(outputs.iter().map(|s| &s.ty)) {
                let said = "an entry point has parameters, or other results than outputs".into();
                all.push(finding(f, "module", None, None, said));
            }
        }
        let outputs = e.interface().filter(|_| e.stage.kind() == Stage::Fragment).map_or(&[][..], |io| &io.outputs);
        let wrong = outputs.iter().enumerate().find_map(|(k, s)| match s.at {
            IoAt::Location { number, .. } if number >= COLOUR_TARGETS => {
                Some(format!("there is no colour target {}", s.at))
            }
            _ if outputs[..k].iter().any(|o| o.at == s.at) => Some(format!("two outputs are {}", s.at)),
            _ => None,
        });
        all.extend(wrong.and_then(|said| m.funcs.get(e.func).map(|f| finding(f, "module", None, None, said))));
        if e.workgroup_size().is_some_and(|size| size.contains(&0)) {
            let said = format!("`{}` has a workgroup without invocations", e.name);
            all.extend(m.funcs.get(e.func).map(|f| finding(f, "module", None, None, said)));
        }
        let Subgroups { size, count } = e.subgroups();
        if size.is_some_and(|n| n == 0 || u64::from(n) > MAX_LANES) || count == Some(0) {
            let said = format!("`{}` asks for subgroups that there cannot be", e.name);
            all.extend(m.funcs.get(e.func).map(|f| finding(f, "module", None, None, said)));
        }
        if m.entry_at(&e.name, e.stage.kind()).is_some_and(|first| !std::ptr::eq(first, e)) {
            let said = format!("there are two {} entries `{}`", e.stage.kind().name(), e.name);
            all.extend(m.funcs.get(e.func).map(|f| finding(f, "module", None, None, said)));
        }
    }
    reached(m, &mut all);
    if all.is_empty() { Ok(()) } else { Err(all) }
}

/// Bindings that entry points reach must exist in their stage, and have a binding of their own: no pass looks for memory that two
/// resources share.
fn reached(m: &Module, all: &mut Vec<Finding>) {
    for e in &m.entries {
        let stage = e.stage.kind();
        let mut reached: EntitySet<Func> = EntitySet::new();
        let mut work: Vec<Func> = vec![e.func];
        let mut bound: BTreeMap<(u32, u32, u8), Res> = BTreeMap::new();
        while let Some(id) = work.pop() {
            let Some(f) = m.funcs.get(id).filter(|_| reached.insert(id)) else { continue };
            for (block, i) in f.insts_in_order() {
                let d = &f.insts[i];
                for (r, data) in d.resources().filter_map(|r| Some((r, m.resources.get(r)?))) {
                    // A pass may ask for a texture or a sampler a second time, with another descriptor.
                    let read_only = |r: Res| match m.resources[r].kind {
                        ResourceKind::Sampler { .. } => Some("sampler"),
                        ResourceKind::Texture { .. } => Some("texture"),
                        _ => None,
                    };
                    let kind = read_only(r);
                    // Buffers, textures and samplers are bound apart.
                    let class = match m.resources[r].kind {
                        k if k.is_buffer() => 0,
                        ResourceKind::Sampler { .. } => 2,
                        _ => 1,
                    };
                    let at = (data.group, data.binding, class);
                    let first = *bound.entry(at).or_insert(r);
                    if first != r && (kind.is_none() || kind != read_only(first)) {
                        let said = format!("{first} and {r} are both group {} binding {}", at.0, at.1);
                        all.push(finding(f, "binding", Some(block), Some(i), said));
                    }
                }
                let wrong = match d.attr {
                    Attr::Call(c) => {
                        work.push(c);
                        continue;
                    }
                    Attr::Sysval(s) => !stage.has(s),
                    Attr::Input(n) => {
                        let slot = e.interface().and_then(|io| io.inputs.get(usize::from(n)));
                        id != e.func || d.results.first().map(|v| f.ty(v)) != slot.map(|s| s.ty)
                    }
                    Attr::Barrier(b) => b.exec != Scope::None && stage != Stage::Compute,
                    _ => match d.op {
                        Op::Demote | Op::Derivative | Op::Sample | Op::TargetLoad => stage != Stage::Fragment,
                        _ => false,
                    },
                };
                if wrong {
                    let said = format!("a {} entry reaches it", stage.name());
                    all.push(finding(f, "stage", Some(block), Some(i), said));
                }
            }
        }
    }
}

/// All findings of a function.
pub fn verify_function(m: &Module, f: &Function) -> Result<(), Vec<Finding>> {
    let mut v = Verifier { m: Some(m), f, found: Vec::new(), at: (None, None) };
    v.run();
    if v.found.is_empty() { Ok(()) } else { Err(v.found) }
}

/// Findings of a claimed property.
pub fn verify_property(f: &Function, p: Property) -> Result<(), Vec<Finding>> {
    let mut v = Verifier { m: None, f, found: Vec::new(), at: (None, None) };
    v.property(p);
    if v.found.is_empty() { Ok(()) } else { Err(v.found) }
}

fn finding(f: &Function, rule: &'static str, block: Option<Block>, inst: Option<Inst>, message: String) -> Finding {
    Finding { rule, func: f.name.clone(), block, inst: inst.map(|i| inst_text(f, i)), message }
}

struct Verifier<'a> {
    m: Option<&'a Module>,
    f: &'a Function,
    found: Vec<Finding>,
    at: (Option<Block>, Option<Inst>),
}

impl Verifier<'_> {
    fn say(&mut self, rule: &'static str, message: impl Into<String>) {
        // A broken function breaks many rules at once; the first ones tell.
        if self.found.len() < 20 {
            self.found.push(finding(self.f, rule, self.at.0, self.at.1, message.into()));
        }
    }

    fn check(&mut self, ok: bool, rule: &'static str, message: impl FnOnce() -> String) {
        if !ok {
            self.say(rule, message());
        }
    }

    fn run(&mut self) {
        let f = self.f;
        if !self.shape() {
            return;
        }
        for &b in &f.layout {
            for &i in &f.blocks[b].insts {
                self.at = (Some(b), Some(i));
                self.inst(i);
            }
        }
        if self.found.is_empty() {
            self.at = (None, None);
            let dom = DomTree::new(f);
            self.dominance(&dom);
            self.structure(&dom);
        }
    }

    /// Layout, terminators, edges: what the analyses need in order not to fail.
    fn shape(&mut self) -> bool {
        let f = self.f;
        if f.layout.is_empty() {
            self.say("layout", "the function has no block");
            return false;
        }
        let mut listed: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut placed: SecondaryMap<Inst, bool> = SecondaryMap::new();
        for &b in &f.layout {
            self.at = (Some(b), None);
            if f.blocks.get(b).is_none() {
                self.say("layout", "there is no such block");
                return false;
            }
            self.check(!listed[b], "layout", || "the block is listed twice".into());
            listed[b] = true;
        }
        for &b in &f.layout {
            let d = &f.blocks[b];
            self.at = (Some(b), None);
            self.check(d.insts.last().is_some_and(|&i| f.insts[i].op.is_terminator()), "block", || {
                "the block has no terminator".into()
            });
            for (k, &p) in d.params.iter().enumerate() {
                let ok = f.values[p].def == ValueDef::Param(b, k as u32);
                self.check(ok, "block", || format!("parameter {p} is not defined here"));
            }
            for (k, &i) in d.insts.iter().enumerate() {
                self.at.1 = Some(i);
                self.check(!placed[i], "block", || "the instruction stands twice".into());
                placed[i] = true;
                let last = k + 1 == d.insts.len();
                self.check(last || !f.insts[i].op.is_terminator(), "block", || "code follows the terminator".into());
                for (n, r) in f.insts[i].results.iter().enumerate() {
                    let ok = f.values[r].def == ValueDef::Inst(i, n as u8);
                    self.check(ok, "block", || format!("result {r} is not defined here"));
                }
                let merge = f.insts[i].merge();
                for t in f.insts[i].edges().iter().map(|e| e.block).chain(merge) {
                    self.check(listed[t], "layout", || format!("{t} is not in the layout"));
                    self.check(t != f.entry(), "layout", || "an edge leads to the entry block".into());
                }
            }
            self.at.1 = None;
            if let Some(h) = d.header {
                for t in [h.merge, h.cont] {
                    self.check(listed[t], "layout", || format!("{t} is not in the layout"));
                }
            }
        }
        self.found.is_empty()
    }

    fn edge(&mut self, e: EdgeRef<'_>) {
        let f = self.f;
        let params = &f.blocks[e.block].params;
        if params.len() != e.args.len() {
            let (n, w) = (e.args.len(), params.len());
            self.say("arity", format!("the edge to {} gives {n} values for {w} parameters", e.block));
            return;
        }
        for (&a, &p) in e.args.iter().zip(params) {
            let (x, y) = (f.ty(a), f.ty(p));
            self.check(x == y, "type", || format!("the edge to {} gives {x} for {p} of {y}", e.block));
        }
    }

    fn inst(&mut self, i: Inst) {
        let f = self.f;
        let d = &f.insts[i];
        let sig = d.op.info().sig;
        let (lo, hi, results) = match sig {
            Sig::Same { n, .. } => (n as usize, n as usize, 1),
            Sig::Compare(_) | Sig::Ldexp | Sig::Dot | Sig::Insert | Sig::ExtractDyn | Sig::Shuffle => (2, 2, 1),
            Sig::Select | Sig::InsertDyn => (3, 3, 1),
            Sig::Convert(..) | Sig::Bitcast | Sig::Splat | Sig::Extract => (1, 1, 1),
            Sig::Fixed(a, _) => (a.len(), a.len(), 1),
            Sig::Compose => (2, 4, 1),
            Sig::Load => (0, 1, 1),
            Sig::Store => (1, 2, 0),
            Sig::Atomic => (1, 2, 1),
            Sig::CmpXchg => (2, 3, 1),
            Sig::VarInit | Sig::Barrier | Sig::Jump | Sig::Unreachable => (0, 0, 0),
            Sig::BufferLength | Sig::Sysval | Sig::Input | Sig::TargetLoad => (0, 0, 1),
            Sig::Demote => (1, 1, 0),
            Sig::Derivative | Sig::Reduce => (1, 1, 1),
            Sig::LaneRead => (2, 2, 1),
            Sig::Tex => {
                let n = d.tex().map_or(0, |t| t.desc.args().len());
                (n, n, usize::from(d.op != Op::ImageStore))
            }
            Sig::Call => (0, usize::MAX, d.results.len()),
            Sig::Br | Sig::Switch => (1, 1, 0),
            Sig::Ret => (0, usize::MAX, 0),
        };
        let n = d.args.len();
        if n < lo || n > hi || d.results.len() != results {
            self.say("arity", format!("{n} operands and {} results", d.results.len()));
            return;
        }
        let attr_ok = match (sig, &d.attr) {
            (Sig::Compare(_), Attr::IntCc(_)) => d.op == Op::ICmp,
            (Sig::Compare(_), Attr::FloatCc(_)) => d.op == Op::FCmp,
            (Sig::Extract | Sig::Insert, Attr::Lane(_))
            | (Sig::Shuffle, Attr::Lanes(_))
            | (Sig::Load | Sig::Store | Sig::CmpXchg, Attr::Mem(_))
            | (Sig::Atomic, Attr::Atomic(..))
            | (Sig::VarInit, Attr::Place(_))
            | (Sig::BufferLength, Attr::Res(_))
            | (Sig::Barrier, Attr::Barrier(_))
            | (Sig::Sysval, Attr::Sysval(_))
            | (Sig::Input, Attr::Input(_))
            | (Sig::TargetLoad, Attr::Target(_))
            | (Sig::Reduce, Attr::Reduce(_))
            | (Sig::Derivative, Attr::Deriv(_)) => true,
            (Sig::Tex, Attr::Tex(_)) => d.op != Op::ImageAtomic,
            (Sig::Tex, Attr::TexAtomic(..)) => d.op == Op::ImageAtomic,
            (Sig::Demote, Attr::None) | (Sig::Call, Attr::Call(_)) | (Sig::Switch, Attr::Switch(_)) => true,
            (Sig::Jump, Attr::Branch(b)) => b.is_jump(),
            (Sig::Br, Attr::Branch(b)) => !b.is_jump(),
            (
                Sig::Same { .. }
                | Sig::Select
                | Sig::Convert(..)
                | Sig::Bitcast
                | Sig::Ldexp
                | Sig::Dot
                | Sig::Fixed(..)
                | Sig::Splat
                | Sig::Compose
                | Sig::ExtractDyn
                | Sig::InsertDyn
                | Sig::LaneRead
                | Sig::Ret
                | Sig::Unreachable,
                Attr::None,
            ) => true,
            _ => false,
        };
        if !attr_ok {
            self.say("arity", "the attribute is of another kind than the op's");
            return;
        }
        if d.args.iter().any(|&v| f.values.get(v).is_none()) {
            self.say("arity", "an operand does not exist");
            return;
        }
        for e in d.edges() {
            self.edge(e);
        }
        if !self.types(d, sig) {
            let t: Vec<String> = d.args.iter().map(|&v| f.ty(v).to_string()).collect();
            self.say("type", format!("operands of {} do not fit", t.join(", ")));
        }
        self.memory(i, d);
        self.texture(d);
    }

    /// Whether operand and result types follow the rule.
    fn types(&mut self, d: &InstData, sig: Sig) -> bool {
        let f = self.f;
        let t = |n: usize| f.ty(d.args[n]);
        let r = d.results.first().map_or(Type::B1, |v| f.ty(v));
        match sig {
            Sig::Same { kinds, .. } => {
                let only32 = matches!(d.op, Op::UMul24 | Op::SMul24 | Op::UDot4x8 | Op::SDot4x8);
                let only_f32 = d.op == Op::FQuant16;
                kinds.has(r.scalar())
                    && (!only32 || r.scalar() == Scalar::I32)
                    && (!only_f32 || r.scalar() == Scalar::F32)
                    && d.args.iter().all(|&v| f.ty(v) == r)
            }
            Sig::Compare(kinds) => {
                let eq = matches!(d.attr, Attr::IntCc(IntCc::Eq | IntCc::Ne));
                kinds.has(t(0).scalar()) && t(1) == t(0) && r == t(0).to_bool() && (!t(0).is_bool() || eq)
            }
            Sig::Select => {
                t(0).is_bool() && matches!(t(0).lanes(), n if n == 1 || n == r.lanes()) && t(1) == r && t(2) == r
            }
            Sig::Convert(from, to) => {
                let (a, b) = (t(0).bits(), r.bits());
                let width = match d.op {
                    Op::SExt | Op::ZExt => a < b,
                    Op::Trunc => a > b,
                    Op::F2F => a != b,
                    _ => true,
                };
                from.has(t(0).scalar()) && to.has(r.scalar()) && t(0).lanes() == r.lanes() && width
            }
            Sig::Bitcast => !t(0).is_bool() && !r.is_bool() && t(0).total_bits() == r.total_bits(),
            Sig::Ldexp => r.is_float() && t(0) == r && t(1) == r.with_scalar(Scalar::I32),
            Sig::Dot => t(0).is_float() && t(0).is_vector() && t(1) == t(0) && r == t(0).lane(),
            Sig::Fixed(args, res) => args.iter().enumerate().all(|(n, &a)| t(n) == a) && r == res,
            Sig::Splat => !t(0).is_vector() && r.is_vector() && r.lane() == t(0),
            Sig::Compose => d.args.len() == r.lanes() as usize && d.args.iter().all(|&v| f.ty(v) == r.lane()),
            Sig::Extract => {
                t(0).is_vector() && r == t(0).lane() && matches!(d.attr, Attr::Lane(l) if u32::from(l) < t(0).lanes())
            }
            Sig::Insert => {
                r.is_vector()
                    && t(0) == r
                    && t(1) == r.lane()
                    && matches!(d.attr, Attr::Lane(l) if u32::from(l) < r.lanes())
            }
            Sig::ExtractDyn => t(0).is_vector() && r == t(0).lane() && t(1) == Type::I32,
            Sig::InsertDyn => r.is_vector() && t(0) == r && t(1) == r.lane() && t(2) == Type::I32,
            Sig::Shuffle => {
                let Attr::Lanes(l) = &d.attr else { return false };
                let ok = |&k: &u8| match k {
                    0..4 => u32::from(k) < t(0).lanes(),
                    4..8 => u32::from(k - 4) < t(1).lanes(),
                    _ => false,
                };
                t(0).lane() == t(1).lane()
                    && r.lane() == t(0).lane()
                    && l.len() == r.lanes() as usize
                    && l.iter().all(ok)
            }
            Sig::Load | Sig::Store => self.dynamic(d),
            // Two words are a number of 64 bits for targets that have none.
            Sig::Atomic | Sig::CmpXchg => {
                let fits = r.is_int() && !r.is_vector() || r == Type::I32.with_lanes(2);
                let same = t(0) == r && (sig == Sig::Atomic || t(1) == r);
                fits && same && self.dynamic(d)
            }
            Sig::BufferLength => r == Type::I32,
            Sig::Sysval => matches!(d.attr, Attr::Sysval(s) if s.ty() == r),
            Sig::Input => !r.is_bool() && r.bits() == 32,
            Sig::Demote => t(0) == Type::B1,
            Sig::Derivative => r.is_float() && t(0) == r,
            Sig::LaneRead => t(0) == r && t(1) == Type::I32,
            Sig::Reduce => {
                let Attr::Reduce(k) = d.attr else { return false };
                let size = k.cluster == 0 || k.cluster.is_power_of_two();
                t(0) == r && k.op.takes(r.scalar()) && size
            }
            Sig::TargetLoad => r.lanes() == 4 && matches!(r.scalar(), Scalar::F32 | Scalar::I32),
            Sig::Tex => {
                let Some(tex) = d.tex() else { return false };
                let args = tex.desc.args();
                args.iter().enumerate().all(|(n, &a)| tex.desc.arg_type(a).is_none_or(|want| t(n) == want))
            }
            Sig::Call => {
                let (Attr::Call(c), Some(m)) = (&d.attr, self.m) else { return true };
                let Some(callee) = m.funcs.get(*c) else { return false };
                let params: Vec<Type> = callee.params().iter().map(|&v| callee.ty(v)).collect();
                params.len() == d.args.len()
                    && params.iter().enumerate().all(|(n, &p)| t(n) == p)
                    && callee.ret.iter().copied().eq(d.results.iter().map(|v| f.ty(v)))
            }
            Sig::Br => t(0) == Type::B1,
            Sig::Switch => {
                let Attr::Switch(s) = &d.attr else { return false };
                let mut c: Vec<u64> = s.cases.iter().map(|c| c.0).collect();
                c.sort_unstable();
                let distinct = c.windows(2).all(|w| w[0] != w[1]);
                t(0).is_int() && !t(0).is_vector() && distinct && c.iter().all(|&v| v <= t(0).scalar().mask())
            }
            Sig::Ret => f.ret.iter().copied().eq(d.args.iter().map(|&v| f.ty(v))),
            // One that waits orders both ways; a fence orders something; other workgroups see no workgroup memory.
            Sig::Barrier => match d.attr {
                Attr::Barrier(b) if b.exec == Scope::None => b.orders() && (!b.device || b.storage || b.texture),
                Attr::Barrier(b) => b.order == Order::AcqRel && (!b.device || b.storage || b.texture),
                _ => false,
            },
            Sig::VarInit | Sig::Jump | Sig::Unreachable => true,
        }
    }

    /// Whether the dynamic offset of an access is one, or the address.
    fn dynamic(&self, d: &InstData) -> bool {
        let ty = d.dyn_offset().map(|v| self.f.ty(v));
        match d.place() {
            Some(Place::Address) => ty.is_some_and(|ty| ty == Type::I64 || ty == Type::I32.with_lanes(2)),
            _ => ty.is_none_or(|ty| ty == Type::I32),
        }
    }

    /// Whether a texture instruction asks what its texture and sampler have.
    fn texture(&mut self, d: &InstData) {
        let (Some(tex), Some(m)) = (d.tex(), self.m) else { return };
        let desc = tex.desc;
        self.check(desc.fits(d.op), "texture", || format!("`{}` does not ask this", d.op));
        let Some(resource) = m.resources.get(tex.texture) else {
            return self.say("texture", format!("{} does not exist", tex.texture));
        };
        let Some((dim, arrayed, multisampled, lane)) = resource.kind.texels() else {
            return self.say("texture", format!("{} is not a texture", tex.texture));
        };
        let query = desc.is_query();
        let cube_as_layers = desc.dim() == TexDim::D2 && dim == TexDim::Cube && d.op == Op::Tex && !desc.samples();
        self.check(desc.dim() == dim || cube_as_layers, "texture", || format!("{} has another dimension", tex.texture));
        let layers = desc.layer() != TexLayer::None;
        self.check(query || layers == arrayed || cube_as_layers, "texture", || "the layer does not fit".into());
        self.check(query || desc.multisampled() == multisampled, "texture", || "the samples do not fit".into());
        let result = d.results.first().map(|v| self.f.ty(v));
        let value = d.tex_arg(TexArg::Value).map(|v| self.f.ty(v));
        let fits = match d.op {
            Op::ImageStore => result.is_none() && value == Some(lane.with_lanes(4)),
            Op::ImageAtomic => result.is_some() && value == result && result.is_some_and(|t| !t.is_vector()),
            _ => result == desc.result_type(lane),
        };
        self.check(fits, "texture", || format!("texels of {} have lanes of {lane}", tex.texture));
        let exchange = !matches!(d.attr, Attr::TexAtomic(op, _) if desc.shadow() && op != AtomicOp::Exchange);
        self.check(exchange, "texture", || "an exchange alone compares".into());
        let sampler = tex.sampler.map(|s| m.resources.get(s).map(|s| s.kind));
        let fits = match sampler {
            None => !desc.samples(),
            Some(Some(ResourceKind::Sampler { comparison })) => desc.samples() && comparison == desc.shadow(),
            Some(_) => false,
        };
        self.check(fits, "texture", || "the sampler does not fit".into());
        let image = !resource.kind.is_sampled();
        let wants = matches!(d.op, Op::ImageLoad | Op::ImageStore | Op::ImageAtomic);
        self.check(query || image == wants, "texture", || "images are loaded and stored, textures sampled".into());
    }

    fn memory(&mut self, i: Inst, d: &InstData) {
        let f = self.f;
        let place = match &d.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => m.place,
            Attr::Place(p) => *p,
            Attr::Res(r) => Place::Buffer(*r),
            _ => return,
        };
        let Some(m) = self.m else { return };
        if let Place::Buffer(r) = place
            && m.resources.get(r).is_some_and(|r| !r.kind.is_buffer())
        {
            return self.say("memory", format!("{place} is not a buffer"));
        }
        let exists = match place {
            Place::Buffer(r) => m.resources.get(r).is_some(),
            Place::Global(g) => m.globals.get(g).is_some(),
            Place::Local(l) => f.locals.get(l).is_some(),
            Place::Address => true,
        };
        if !exists {
            self.say("memory", format!("{place} does not exist"));
            return;
        }
        if matches!(d.attr, Attr::Place(Place::Buffer(_) | Place::Address)) {
            self.say("memory", "a buffer has no initialiser");
        }
        if d.op == Op::BufferLength {
            return;
        }
        let Some(mem) = d.mem() else { return };
        let align_ok = mem.align.is_power_of_two() && mem.offset % mem.align == 0;
        self.check(align_ok, "memory", || format!("offset {} is not aligned to {}", mem.offset, mem.align));
        let own = match place {
            Place::Buffer(_) | Place::Address => None,
            Place::Global(g) => Some(m.globals[g].placed_align()),
            Place::Local(l) => Some(f.locals[l].align),
        };
        self.check(own.is_none_or(u32::is_power_of_two), "memory", || {
            format!("the alignment of {place} is not a power of two")
        });
        // Variables begin at words.
        let own = own.map_or(u32::MAX, |own| own.max(4));
        self.check(mem.align <= own, "memory", || {
            format!("an access is aligned to {}, its variable {place} to {own} alone", mem.align)
        });
        let ty = if d.op == Op::Load { f.ty(d.result()) } else { f.ty(d.args[0]) };
        let least = ty.scalar().mem_bytes().min(4);
        self.check(mem.align >= least, "memory", || format!("an access to {ty} is aligned to {} alone", mem.align));
        let bytes = f.access_bytes(i);
        if let Some(size) = m.place_size(f, place) {
            let is_variable = !matches!(place, Place::Buffer(_));
            self.check(!is_variable || size <= MOST_VARIABLE, "memory", || format!("{place} has {size} bytes"));
            // Any offset may be wrong when the program runs, but one must be right.
            let offset = if d.dyn_offset().is_some() { 0 } else { mem.offset };
            let fits = offset.checked_add(bytes).is_some_and(|e| e <= size);
            self.check(fits, "memory", || format!("{bytes} bytes at {offset} leave the {size} bytes of {place}"));
        }
        self.check(place != Place::Address || !ty.is_bool(), "memory", || "b1 has no form at an address".into());
        if let Place::Buffer(r) = place {
            let kind = m.resources[r].kind;
            self.check(!ty.is_bool(), "memory", || "b1 has no form in a buffer".into());
            let writes = d.op != Op::Load;
            self.check(!writes || kind == ResourceKind::StorageReadWrite, "memory", || format!("{place} is read only"));
        }
    }

    fn dominance(&mut self, dom: &DomTree) {
        let f = self.f;
        // Position of each instruction in its block.
        let mut place: SecondaryMap<Inst, Option<(Block, u32)>> = SecondaryMap::with_default(None);
        for &b in &f.layout {
            for (k, &i) in f.blocks[b].insts.iter().enumerate() {
                place[i] = Some((b, k as u32));
            }
        }
        let mut in_layout: SecondaryMap<Block, bool> = SecondaryMap::new();
        f.layout.iter().for_each(|&b| in_layout[b] = true);
        for &b in dom.rpo() {
            for (k, &i) in f.blocks[b].insts.iter().enumerate() {
                self.at = (Some(b), Some(i));
                f.insts[i].for_each_use(|v| {
                    let ok = match f.values[v].def {
                        ValueDef::Const(_) | ValueDef::Undef => true,
                        ValueDef::Param(p, n) => {
                            f.blocks[p].params.get(n as usize) == Some(&v) && in_layout[p] && dom.dominates(p, b)
                        }
                        ValueDef::Inst(d, _) => match place[d] {
                            Some((p, at)) if p == b => (at as usize) < k,
                            Some((p, _)) => dom.dominates(p, b),
                            None => false,
                        },
                    };
                    self.check(ok, "dominance", || format!("{v} is not defined on every path to here"));
                });
            }
        }
    }

    fn structure(&mut self, dom: &DomTree) {
        let f = self.f;
        let s = Structure::new(f, dom);
        let preds = f.preds();
        self.at = (None, None);
        for &b in &s.stray_merges {
            self.at.0 = Some(b);
            self.say("structure", "the merge is not inside of its construct (its header does not dominate it)");
        }
        let mut merges: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (_, c) in s.constructs.iter() {
            merges[c.merge] += 1;
            self.at.0 = Some(c.merge);
            self.check(merges[c.merge] == 1, "structure", || "the block is the merge of two constructs".into());
            self.at.0 = Some(c.header);
            self.check(c.merge != c.header, "structure", || "the header is its own merge".into());
            if let ConstructKind::Loop { cont } = c.kind
                && dom.is_reachable(cont)
            {
                self.check(dom.dominates(c.header, cont), "structure", || format!("{cont} is outside of the loop"));
            }
        }
        let mut entered: SecondaryMap<Block, Option<bool>> = SecondaryMap::with_default(None);
        for &a in dom.rpo() {
            self.at = (Some(a), f.blocks[a].insts.last().copied());
            let from = s.opened_by(a).or(s.of(a));
            for b in f.succs(a) {
                if dom.dominates(b, a) {
                    // A back edge: to the header of the innermost loop, from code that its continue block dominates.
                    let ok = s.loop_at(b).is_some_and(|l| {
                        let ConstructKind::Loop { cont } = s.constructs[l].kind else { return false };
                        s.loop_of(a) == Some(l) && dom.dominates(cont, a)
                    });
                    self.check(ok, "structure", || format!("the edge to {b} is not a proper back edge"));
                    continue;
                }
                let mut exit = false;
                for c in s.enclosing(from) {
                    let k = &s.constructs[c];
                    exit |= k.merge == b;
                    if let ConstructKind::Loop { cont } = k.kind {
                        exit |= cont == b;
                        break;
                    }
                }
                // Once for each block, not for each edge to it: all but the back edges come from the one before it.
                let alone = |b: Block| preds[b].iter().all(|&p| Some(p) == dom.idom(b) || dom.dominates(b, p));
                let entry = exit || dom.idom(b) == Some(a) && *entered[b].get_or_insert_with(|| alone(b));
                self.check(entry, "structure", || format!("the edge to {b} enters or leaves a construct sideways"));
            }
        }
    }

    fn property(&mut self, p: Property) {
        let f = self.f;
        let mut rets = 0;
        let types = |ok: &dyn Fn(Type) -> bool, v: Value| ok(f.ty(v));
        for &b in &f.layout {
            for &i in &f.blocks[b].insts {
                self.at = (Some(b), Some(i));
                let d = &f.insts[i];
                match p {
                    Property::NoCalls => self.check(d.op != Op::Call, "NoCalls", || "a call is left".into()),
                    Property::NoVars => {
                        let local = matches!(d.attr, Attr::Place(Place::Local(_)))
                            || d.mem().is_some_and(|m| matches!(m.place, Place::Local(_)));
                        self.check(!local, "NoVars", || "a function variable is left".into());
                    }
                    Property::SingleReturn => {
                        rets += u32::from(d.op == Op::Ret);
                        self.check(rets <= 1, "SingleReturn", || "a second return".into());
                    }
                    Property::Scalar => {
                        let ok = d.results.iter().all(|v| !f.ty(v).is_vector());
                        self.check(ok || d.op == Op::Sysval, "Scalar", || "the result is a vector".into());
                    }
                    Property::NoI64 => {
                        let ok = d.results.iter().all(|v| types(&|t| t.scalar() != Scalar::I64, v));
                        self.check(ok, "NoI64", || "the result has 64-bit integers".into());
                    }
                    Property::NoF16 => {
                        let ok = d.results.iter().all(|v| types(&|t| t.scalar() != Scalar::F16, v));
                        self.check(ok, "NoF16", || "the result has 16-bit floats".into());
                    }
                    Property::Ordered => {}
                }
            }
        }
        self.at = (None, None);
        if p == Property::Ordered {
            self.check(structured_order(f) == f.layout, "Ordered", || "the layout is not the structured order".into());
        }
    }
}
