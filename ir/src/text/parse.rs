//! Parsing. Names of values, blocks and the rest are local to the text: they are numbered anew in order of definition.
//!
//! A function is read in two steps, since values may be used (on back edges, in merges) before their line is reached:
//! first all lines, then definitions, then uses. Types are not checked here beyond what the text states: run the verifier.

use super::lex::{Spanned, Tok, lex};
use crate::diag::Diagnostic;
use crate::edges::*;
use crate::float_modes::{Denormals, FloatModes, Rounding};
use crate::function::{Const, Function, LoopHeader};
use crate::inst::*;
use crate::module::*;
use crate::ops::{Op, Sig};
use crate::span::Span;
use crate::stage::{Axis, Deriv, Form, Interface, Interp, IoAt, IoSlot, Mode, Position, Stage, Where};
use crate::subgroup::{Reach, Reduce, ReduceOp};
use crate::sysval::Sysval;
use crate::tex::*;
use crate::types::{Scalar, Type};
use crate::values::Values;
use gpucc_pipeline::Format;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

type Map<K, V> = IndexMap<K, V, FxBuildHasher>;
type Res_<T> = Result<T, String>;

/// Reads a module from the text that printing gives.
pub fn parse_module(text: &str) -> Result<Module, Diagnostic> {
    let run = || {
        let mut p = Parser { toks: lex(text)?, at: 0 };
        p.module()
    };
    run().map_err(|e| Diagnostic::invalid("gir", e))
}

/// Reads the first function of a text (which may be a whole module or a function alone).
pub fn parse_function(text: &str) -> Result<Function, Diagnostic> {
    let m = parse_module(text)?;
    m.funcs.values().next().cloned().ok_or_else(|| Diagnostic::invalid("gir", "there is no function in the text"))
}

struct Parser {
    toks: Vec<Spanned>,
    at: usize,
}

/// An operand as written.
enum Operand {
    Name(String),
    Const(Const),
    Undef(Type),
}

struct EdgeText {
    block: String,
    args: Vec<Operand>,
}

/// A line of a block as written.
struct Line {
    results: Vec<(String, Type)>,
    op: Op,
    cc: Option<String>,
    fp: FpFlags,
    args: Vec<Operand>,
    attr: Attr,
    edges: Vec<EdgeText>,
    cases: Vec<u64>,
    merge: Option<String>,
    span: Span,
    line: u32,
}

struct BlockText {
    name: String,
    params: Vec<(String, Type)>,
    header: Option<(String, String)>,
    lines: Vec<Line>,
    line: u32,
}

impl Parser {
    fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.at).map(|t| &t.0)
    }
    fn peek2(&self) -> Option<&Tok> {
        self.toks.get(self.at + 1).map(|t| &t.0)
    }
    fn line(&self) -> u32 {
        self.toks.get(self.at).or(self.toks.last()).map_or(1, |t| t.1)
    }
    fn err<T>(&self, what: impl std::fmt::Display) -> Res_<T> {
        let got = match self.peek() {
            None => "the end".into(),
            Some(Tok::Word(w) | Tok::Num(w)) => format!("`{w}`"),
            Some(Tok::Str(s)) => format!("\"{s}\""),
            Some(Tok::Punct(p)) => format!("`{p}`"),
        };
        Err(format!("line {}: expected {what}, found {got}", self.line()))
    }
    fn is(&self, p: &str) -> bool {
        matches!(self.peek(), Some(Tok::Punct(q)) if *q == p)
    }
    fn eat(&mut self, p: &str) -> bool {
        let y = self.is(p);
        self.at += usize::from(y);
        y
    }
    fn expect(&mut self, p: &str) -> Res_<()> {
        if self.eat(p) { Ok(()) } else { self.err(format!("`{p}`")) }
    }
    fn word(&mut self, what: &str) -> Res_<String> {
        match self.peek() {
            Some(Tok::Word(w)) => {
                let w = w.clone();
                self.at += 1;
                Ok(w)
            }
            _ => self.err(what),
        }
    }
    fn is_word(&self, k: &str) -> bool {
        matches!(self.peek(), Some(Tok::Word(w)) if w == k)
    }
    fn eat_word(&mut self, k: &str) -> bool {
        let y = self.is_word(k);
        self.at += usize::from(y);
        y
    }
    fn keyword(&mut self, k: &str) -> Res_<()> {
        if self.eat_word(k) { Ok(()) } else { self.err(format!("`{k}`")) }
    }
    fn num_text(&mut self) -> Res_<String> {
        match self.peek() {
            Some(Tok::Num(n)) => {
                let n = n.clone();
                self.at += 1;
                Ok(n)
            }
            _ => self.err("a number"),
        }
    }
    fn u64(&mut self) -> Res_<u64> {
        let n = self.num_text()?;
        let v = match n.strip_prefix("0x") {
            Some(h) => u64::from_str_radix(h, 16).ok(),
            None => n.parse::<u64>().ok().or_else(|| n.parse::<i64>().ok().map(|v| v as u64)),
        };
        v.ok_or_else(|| format!("line {}: `{n}` is not an integer", self.line()))
    }
    fn u32(&mut self) -> Res_<u32> {
        let v = self.u64()?;
        u32::try_from(v).map_err(|_| format!("line {}: {v} does not fit 32 bits", self.line()))
    }
    fn string(&mut self) -> Res_<String> {
        match self.peek() {
            Some(Tok::Str(s)) => {
                let s = s.clone();
                self.at += 1;
                Ok(s)
            }
            _ => self.err("a quoted name"),
        }
    }
    fn ty(&mut self) -> Res_<Type> {
        let w = self.word("a type")?;
        Type::parse(&w).ok_or_else(|| format!("line {}: `{w}` is not a type", self.line()))
    }
    fn span(&mut self) -> Res_<Span> {
        if !self.eat("@") {
            return Ok(Span::UNKNOWN);
        }
        let start = self.u32()?;
        self.expect("..")?;
        Ok(Span::new(start, self.u32()?))
    }
    /// An index written as prefix and number (`res3`).
    fn index(&mut self, prefix: &str) -> Res_<u32> {
        let w = self.word(prefix)?;
        w.strip_prefix(prefix)
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| format!("line {}: expected {prefix} and a number, found `{w}`", self.line()))
    }
    fn starts(&self, prefix: &str) -> bool {
        matches!(self.peek(), Some(Tok::Word(w))
            if w.strip_prefix(prefix).is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit())))
    }

    fn module(&mut self) -> Res_<Module> {
        let mut m = Module::new();
        if self.eat_word("module") {
            self.keyword("robust")?;
            (m.options.robust, m.options.zeroes) = match self.word("on, zero or off")?.as_str() {
                "on" => (true, false),
                "zero" => (false, true),
                "off" => (false, false),
                _ => return self.err("on, zero or off"),
            };
        }
        while self.peek().is_some() {
            if self.starts("res") {
                let n = self.index("res")?;
                self.in_order(n, m.resources.len(), "res")?;
                let name = self.string()?;
                self.keyword("group")?;
                let group = self.u32()?;
                self.keyword("binding")?;
                let binding = self.u32()?;
                let kind = self.resource_kind()?;
                let (mut min_size, mut stride, mut count) = (0, 0, 1);
                if kind.is_buffer() {
                    self.keyword("size")?;
                    min_size = self.u32()?;
                    self.keyword("stride")?;
                    stride = self.u32()?;
                }
                if self.eat_word("count") {
                    count = self.u32()?;
                }
                let mut variant = Variant::Whole;
                if self.eat_word("variant") {
                    variant = self.named("a variant", Variant::parse)?;
                }
                let span = self.span()?;
                m.resources.push(ResourceData { name, group, binding, kind, min_size, stride, count, variant, span });
            } else if self.starts("global") {
                let n = self.index("global")?;
                self.in_order(n, m.globals.len(), "global")?;
                let name = self.string()?;
                let w = self.word("a space")?;
                let space = Space::parse(&w)
                    .filter(|s| matches!(s, Space::Private | Space::Workgroup))
                    .ok_or_else(|| format!("line {}: `{w}` is not private or workgroup", self.line()))?;
                let v = self.var(name, space)?;
                m.globals.push(v);
            } else if self.eat_word("entry") {
                let name = self.string()?;
                let s = self.word("a stage")?;
                let stage = Stage::parse(&s).ok_or_else(|| format!("line {}: `{s}` is not a stage", self.line()))?;
                let func = Func(self.index("func")?);
                let stage = match stage {
                    Stage::Compute => {
                        self.keyword("size")?;
                        let x = self.u32()?;
                        self.expect(",")?;
                        let y = self.u32()?;
                        self.expect(",")?;
                        let z = self.u32()?;
                        let size = if self.eat_word("subgroup") { Some(self.u32()?) } else { None };
                        let count = if self.eat_word("subgroups") { Some(self.u32()?) } else { None };
                        StageInfo::Compute { workgroup_size: [x, y, z], subgroups: Subgroups { size, count } }
                    }
                    Stage::Vertex => StageInfo::Vertex(Interface::default()),
                    Stage::Fragment => {
                        StageInfo::Fragment { io: Interface::default(), early_depth: self.eat_word("early_depth") }
                    }
                };
                let modes = self.float_modes()?;
                let span = self.span()?;
                let mut entry = EntryPoint { name, stage, func, modes, span };
                if let Some(io) = entry.interface_mut()
                    && self.eat("{")
                {
                    *io = self.interface()?;
                }
                m.entries.push(entry);
            } else if self.starts("func") {
                let n = self.index("func")?;
                self.in_order(n, m.funcs.len(), "func")?;
                let f = self.function(&mut m)?;
                m.funcs.push(f);
            } else {
                return self.err("res, global, entry or func");
            }
        }
        if let Some(e) = m.entries.iter().find(|e| m.funcs.get(e.func).is_none()) {
            return Err(format!("entry \"{}\" names {}, which does not exist", e.name, e.func));
        }
        Ok(m)
    }

    /// What an entry asks of floats: `float f32 flush zero` for each width that it names.
    fn float_modes(&mut self) -> Res_<FloatModes> {
        let mut modes = FloatModes::ANY;
        while self.eat_word("float") {
            let ty = self.named("a width of floats", Type::parse)?;
            let Some(mode) = modes.of_mut(ty.scalar()) else { return self.err("f16, f32 or f64") };
            for denormals in [Denormals::Preserve, Denormals::Flush] {
                if self.eat_word(denormals.name()) {
                    mode.denormals = denormals;
                }
            }
            for rounding in [Rounding::Nearest, Rounding::Zero] {
                if self.eat_word(rounding.name()) {
                    mode.rounding = rounding;
                }
            }
        }
        Ok(modes)
    }

    fn resource_kind(&mut self) -> Res_<ResourceKind> {
        let k = self.word("a resource kind")?;
        match k.as_str() {
            "texture" => {
                let dim = self.tex_dim()?;
                let arrayed = self.eat_word("array");
                let multisampled = self.eat_word("multisampled");
                let class = self.named("a class", TexClass::parse)?;
                Ok(ResourceKind::Texture { dim, arrayed, multisampled, class })
            }
            "image" => {
                let dim = self.tex_dim()?;
                let arrayed = self.eat_word("array");
                let name = self.string()?;
                let format =
                    Format::parse(&name).map_err(|_| format!("line {}: \"{name}\" is not a format", self.line()))?;
                let access = self.named("an access", ImageAccess::parse)?;
                Ok(ResourceKind::StorageTexture { dim, arrayed, format, access })
            }
            "sampler" => Ok(ResourceKind::Sampler { comparison: self.eat_word("comparison") }),
            _ => ResourceKind::parse_buffer(&k)
                .ok_or_else(|| format!("line {}: `{k}` is not a resource kind", self.line())),
        }
    }

    /// A word that `parse` knows.
    fn named<T>(&mut self, what: &str, parse: impl Fn(&str) -> Option<T>) -> Res_<T> {
        let w = self.word(what)?;
        parse(&w).ok_or_else(|| format!("line {}: `{w}` is not {what}", self.line()))
    }

    /// A word that `parse` knows, if the next one is such.
    fn named_if<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Some(Tok::Word(w)) = self.peek() else { return None };
        let found = parse(w);
        self.at += usize::from(found.is_some());
        found
    }

    /// A dimension; those that begin with a digit are numbers to the lexer.
    fn tex_dim(&mut self) -> Res_<TexDim> {
        let text = match self.peek() {
            Some(Tok::Num(n) | Tok::Word(n)) => n.clone(),
            _ => return self.err("a dimension"),
        };
        let Some(dim) = TexDim::parse(&text) else { return self.err("a dimension") };
        self.at += 1;
        Ok(dim)
    }

    fn small(&mut self) -> Res_<u8> {
        let n = self.u32()?;
        u8::try_from(n).map_err(|_| format!("line {}: {n} is too large", self.line()))
    }

    fn interface(&mut self) -> Res_<Interface> {
        let mut io = Interface::default();
        if self.eat_word("position") {
            io.position = self.named("a meaning of positions", Position::parse)?;
        }
        io.compact_targets = self.eat_word("compact_targets");
        while !self.eat("}") {
            let input = self.starts("in");
            let n = self.index(if input { "in" } else { "out" })?;
            let slots = if input { &io.inputs } else { &io.outputs };
            self.in_order(n, slots.len(), if input { "in" } else { "out" })?;
            let slot = self.slot()?;
            if input { io.inputs.push(slot) } else { io.outputs.push(slot) }
        }
        Ok(io)
    }

    fn slot(&mut self) -> Res_<IoSlot> {
        let name = self.string()?;
        let kind = self.word("a place")?;
        let at = IoAt::parse(&kind)
            .ok_or_else(|| format!("line {}: `{kind}` is not a place of an input or output", self.line()))?;
        let at = if at.number().is_some() { at.with_number(self.small()?) } else { at };
        let at = match at {
            IoAt::Location { number, .. } if self.eat_word("blend_src") => {
                IoAt::Location { number, blend_src: self.small()? }
            }
            at => at,
        };
        let mut interp = Interp::default();
        if let Some(mode) = self.named_if(Mode::parse) {
            interp = Interp { mode, at: self.named("a place in a pixel", Where::parse)? };
        }
        let form = self.named_if(Form::parse).unwrap_or_default();
        let blended = self.eat_word("blended");
        let ty = self.ty()?;
        Ok(IoSlot { name, at, ty, interp, form, blended, span: self.span()? })
    }

    /// `tex res0 sampler res1` and the descriptor.
    fn tex(&mut self, l: &mut Line) -> Res_<()> {
        while !self.is_word("tex") {
            l.args.push(self.operand()?);
            self.expect(",")?;
        }
        self.keyword("tex")?;
        let texture = Res(self.index("res")?);
        let sampler = if self.eat_word("sampler") { Some(Res(self.index("res")?)) } else { None };
        let what = self.named("a question", TexWhat::parse)?;
        let mut d = TexDesc::new(what, self.tex_dim()?);
        d = d.with_multisampled(self.eat_word("multisampled"));
        if self.eat_word("layer") {
            d = d.with_layer(self.named("a sort of layer", TexLayer::parse)?);
        }
        d = d.with_shadow(self.eat_word("shadow"));
        d = d.with_lod(self.named_if(TexLod::parse).unwrap_or(TexLod::Zero));
        if self.eat_word("component") {
            d = d.with_component(self.small()?);
        }
        d = d.with_cube(self.named_if(TexCube::parse).unwrap_or(TexCube::Direction));
        if self.eat_word("offset") {
            let mut part = || self.u64().map(|v| v as i32);
            d = d.with_offset([part()?, part()?, part()?]);
        }
        d = d.with_base_clamp(self.eat_word("base_clamp"));
        d = d.with_texture_indexed(self.eat_word("texture_index"));
        d = d.with_sampler_indexed(self.eat_word("sampler_index"));
        let t = Tex { texture, sampler, desc: d };
        l.attr = match (l.op, &l.cc) {
            (Op::ImageAtomic, Some(c)) => {
                let a = AtomicOp::parse(c).ok_or_else(|| format!("line {}: unknown atomic `{c}`", l.line))?;
                Attr::TexAtomic(a, t)
            }
            (Op::ImageAtomic, None) => return Err(format!("line {}: image_atomic needs its operation", l.line)),
            _ => Attr::Tex(t),
        };
        Ok(())
    }

    fn in_order(&self, n: u32, want: usize, what: &str) -> Res_<()> {
        if n as usize == want { Ok(()) } else { Err(format!("line {}: expected {what}{want}", self.line())) }
    }

    fn var(&mut self, name: String, space: Space) -> Res_<VarData> {
        self.keyword("size")?;
        let size = self.u32()?;
        self.keyword("align")?;
        let align = self.u32()?;
        if !align.is_power_of_two() {
            return Err(format!("line {}: the alignment {align} is not a power of two", self.line()));
        }
        let mut init = Init::Zero;
        if self.eat_word("init") {
            let w = self.word("x and hex digits")?;
            let bytes = w.strip_prefix('x').filter(|h| h.len() % 2 == 0 && h.is_ascii()).and_then(|h| {
                (0..h.len() / 2).map(|i| u8::from_str_radix(&h[2 * i..2 * i + 2], 16).ok()).collect::<Option<_>>()
            });
            init = Init::Bytes(bytes.ok_or_else(|| format!("line {}: bad bytes `{w}`", self.line()))?);
        }
        Ok(VarData { name, space, size, align, init, span: Span::UNKNOWN })
    }

    fn function(&mut self, m: &mut Module) -> Res_<Function> {
        let mut f = Function::default();
        f.name = self.string()?;
        if self.eat("->") {
            loop {
                let t = self.ty()?;
                f.ret.push(t);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect("{")?;
        while self.starts("local") {
            let n = self.index("local")?;
            self.in_order(n, f.locals.len(), "local")?;
            let name = self.string()?;
            let v = self.var(name, Space::Function)?;
            f.locals.push(v);
        }
        let mut blocks = Vec::new();
        while !self.eat("}") {
            let b = self.block()?;
            blocks.push(b);
        }
        if blocks.is_empty() {
            return Err(format!("line {}: a function needs a block", self.line()));
        }
        build(f, blocks, m)
    }

    fn block(&mut self) -> Res_<BlockText> {
        let line = self.line();
        if !self.starts("block") {
            return self.err("a block");
        }
        let name = self.word("a block")?;
        let mut params = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                let n = self.word("a value")?;
                self.expect(":")?;
                params.push((n, self.ty()?));
                if !self.is(")") {
                    self.expect(",")?;
                }
            }
        }
        let mut header = None;
        if self.eat_word("loop") {
            self.keyword("merge")?;
            let m = self.word("a block")?;
            self.keyword("continue")?;
            header = Some((m, self.word("a block")?));
        }
        self.expect(":")?;
        let mut lines = Vec::new();
        while !self.is("}") && !self.starts("block") {
            let l = self.inst()?;
            lines.push(l);
        }
        Ok(BlockText { name, params, header, lines, line })
    }

    fn lane_bits(&self, s: Scalar, t: &str) -> Option<u64> {
        if let Some(h) = t.strip_prefix("0x") {
            return u64::from_str_radix(h, 16).ok();
        }
        match s {
            Scalar::B1 => match t {
                "true" => Some(1),
                "false" => Some(0),
                _ => None,
            },
            Scalar::F16 => {
                t.parse().ok().map(|v: f32| u64::from(gpucc_num::convert::f32_to_f16(gpucc_num::Round::Nearest, v)))
            }
            Scalar::F32 => t.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            Scalar::F64 => t.parse::<f64>().ok().map(f64::to_bits),
            _ => t.parse::<i64>().ok().map(|v| v as u64).or_else(|| t.parse().ok()),
        }
    }

    fn operand(&mut self) -> Res_<Operand> {
        let line = self.line();
        let mut lanes = Vec::new();
        let lane = |p: &mut Self| -> Res_<String> {
            match p.peek() {
                Some(Tok::Num(n)) => {
                    let n = n.clone();
                    p.at += 1;
                    Ok(n)
                }
                Some(Tok::Word(w)) if w == "true" || w == "false" => p.word("true or false"),
                _ => p.err("a value or a constant"),
            }
        };
        match self.peek() {
            Some(Tok::Word(w)) if w == "undef" => {
                self.at += 1;
                self.expect(":")?;
                return Ok(Operand::Undef(self.ty()?));
            }
            Some(Tok::Word(w)) if w != "true" && w != "false" => {
                let w = w.clone();
                self.at += 1;
                return Ok(Operand::Name(w));
            }
            Some(Tok::Punct("[")) => {
                self.at += 1;
                loop {
                    let l = lane(self)?;
                    lanes.push(l);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect("]")?;
            }
            _ => {
                let l = lane(self)?;
                lanes.push(l);
            }
        }
        self.expect(":")?;
        let ty = self.ty()?;
        if lanes.len() != 1 && lanes.len() != ty.lanes() as usize {
            return Err(format!("line {line}: {} lanes for {ty}", lanes.len()));
        }
        let mut bits = Vec::new();
        for l in &lanes {
            let b = self.lane_bits(ty.scalar(), l);
            bits.push(b.ok_or_else(|| format!("line {line}: `{l}` is not a constant of {ty}"))?);
        }
        Ok(Operand::Const(Const::new(ty, &bits)))
    }

    fn edge(&mut self) -> Res_<EdgeText> {
        let block = self.word("a block")?;
        let mut args = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                let a = self.operand()?;
                args.push(a);
                if !self.is(")") {
                    self.expect(",")?;
                }
            }
        }
        Ok(EdgeText { block, args })
    }

    fn place(&mut self) -> Res_<Place> {
        if self.starts("res") {
            Ok(Place::Buffer(Res(self.index("res")?)))
        } else if self.starts("global") {
            Ok(Place::Global(Global(self.index("global")?)))
        } else if self.eat_word("address") {
            Ok(Place::Address)
        } else {
            Ok(Place::Local(Local(self.index("local")?)))
        }
    }

    fn flag_set(&mut self, names: &[&str]) -> Res_<u8> {
        let mut bits = 0;
        while !self.eat("}") {
            let w = self.word("a flag")?;
            let n = names.iter().position(|n| *n == w);
            bits |= 1 << n.ok_or_else(|| format!("line {}: unknown flag `{w}`", self.line()))?;
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(bits)
    }

    fn inst(&mut self) -> Res_<Line> {
        let line = self.line();
        let mut results = Vec::new();
        if matches!(self.peek2(), Some(Tok::Punct(":"))) {
            loop {
                let n = self.word("a value")?;
                self.expect(":")?;
                results.push((n, self.ty()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let name = self.word("an op")?;
        let (base, cc) = match name.split_once('.') {
            Some((b, c)) => (b, Some(c.to_string())),
            None => (&*name, None),
        };
        let op = Op::parse(base).ok_or_else(|| format!("line {line}: unknown op `{base}`"))?;
        let mut fp = FpFlags::NONE;
        if self.eat("{") {
            if self.eat_word("wgsl") {
                self.expect("}")?;
                fp = FpFlags::WGSL;
            } else {
                fp = FpFlags(self.flag_set(&FpFlags::NAMES)?);
            }
        }
        let mut l = Line {
            results,
            op,
            cc,
            fp,
            args: Vec::new(),
            attr: Attr::None,
            edges: Vec::new(),
            cases: Vec::new(),
            merge: None,
            span: Span::UNKNOWN,
            line,
        };
        self.rest(&mut l)?;
        if self.eat_word("merge") {
            l.merge = Some(self.word("a block")?);
        }
        l.span = self.span()?;
        Ok(l)
    }

    fn mem(&mut self, l: &mut Line) -> Res_<()> {
        let place = self.place()?;
        self.expect("[")?;
        let offset = self.u32()?;
        if self.eat("+") {
            l.args.push(self.operand()?);
        }
        self.expect("]")?;
        self.keyword("align")?;
        let align = self.u32()?;
        let mut m = Mem::new(place, offset, align);
        if self.eat("{") {
            m.flags = MemFlags(self.flag_set(&MemFlags::NAMES)?);
        }
        l.attr = match (l.op, &l.cc) {
            (Op::Atomic, Some(c)) => {
                let a = AtomicOp::parse(c).ok_or_else(|| format!("line {}: unknown atomic `{c}`", l.line))?;
                Attr::Atomic(a, m)
            }
            (Op::Atomic, None) => return Err(format!("line {}: atomic needs its operation", l.line)),
            _ => Attr::Mem(m),
        };
        Ok(())
    }

    fn reduce(&mut self, l: &mut Line) -> Res_<()> {
        l.args.push(self.operand()?);
        self.expect(",")?;
        let op = self.named("an operation", ReduceOp::parse)?;
        let reach = self.named("all, inclusive or exclusive", Reach::parse)?;
        let cluster = if self.eat_word("of") { self.u64()? } else { 0 };
        let cluster = u8::try_from(cluster).map_err(|_| format!("line {}: a cluster of {cluster}", l.line))?;
        l.attr = Attr::Reduce(Reduce { op, reach, cluster });
        Ok(())
    }

    /// Operands and attribute of an instruction.
    fn rest(&mut self, l: &mut Line) -> Res_<()> {
        let bad_cc = |c: &Option<String>| format!("line {}: bad comparison {c:?}", l.line);
        match l.op.info().sig {
            Sig::Compare(_) => {
                l.attr = if l.op == Op::ICmp {
                    Attr::IntCc(l.cc.as_deref().and_then(IntCc::parse).ok_or_else(|| bad_cc(&l.cc))?)
                } else {
                    Attr::FloatCc(l.cc.as_deref().and_then(FloatCc::parse).ok_or_else(|| bad_cc(&l.cc))?)
                };
                self.operands(l)
            }
            Sig::Extract | Sig::Insert => {
                self.operands(l)?;
                self.keyword("lane")?;
                let n = self.u32()?;
                l.attr = Attr::Lane(u8::try_from(n).unwrap_or(u8::MAX));
                Ok(())
            }
            Sig::Shuffle => {
                self.operands(l)?;
                self.keyword("lanes")?;
                let mut s = smallvec::SmallVec::new();
                while matches!(self.peek(), Some(Tok::Num(_))) {
                    s.push(u8::try_from(self.u32()?).unwrap_or(u8::MAX));
                }
                l.attr = Attr::Lanes(s);
                Ok(())
            }
            Sig::Load => self.mem(l),
            Sig::Store | Sig::Atomic | Sig::CmpXchg => {
                for _ in 0..if l.op == Op::CmpXchg { 2 } else { 1 } {
                    l.args.push(self.operand()?);
                    self.expect(",")?;
                }
                self.mem(l)
            }
            Sig::VarInit => {
                l.attr = Attr::Place(self.place()?);
                Ok(())
            }
            Sig::BufferLength => {
                l.attr = Attr::Res(Res(self.index("res")?));
                Ok(())
            }
            Sig::Barrier => {
                let w = self.word("a scope")?;
                let exec = Scope::parse(&w).ok_or_else(|| format!("line {}: bad scope `{w}`", l.line))?;
                let order = if self.eat_word("acquire") {
                    Order::Acquire
                } else if self.eat_word("release") {
                    Order::Release
                } else {
                    Order::AcqRel
                };
                let device = self.eat_word("device");
                let workgroup = self.eat_word("workgroup");
                let storage = self.eat_word("storage");
                let texture = self.eat_word("texture");
                l.attr = Attr::Barrier(Barrier { exec, order, device, workgroup, storage, texture });
                Ok(())
            }
            Sig::Sysval => {
                let w = self.word("a system value")?;
                let s = Sysval::parse(&w).ok_or_else(|| format!("line {}: unknown system value `{w}`", l.line))?;
                l.attr = Attr::Sysval(s);
                Ok(())
            }
            Sig::Input => {
                let n = self.index("in")?;
                l.attr = Attr::Input(u16::try_from(n).unwrap_or(u16::MAX));
                Ok(())
            }
            Sig::Derivative => {
                l.args.push(self.operand()?);
                self.expect(",")?;
                let axis = self.named("x or y", Axis::parse)?;
                let fine = self.named("fine or coarse", |w| match w {
                    "fine" => Some(true),
                    "coarse" => Some(false),
                    _ => None,
                })?;
                l.attr = Attr::Deriv(Deriv { axis, fine });
                Ok(())
            }
            Sig::Reduce => self.reduce(l),
            Sig::TargetLoad => {
                let n = self.index("target")?;
                l.attr = Attr::Target(u8::try_from(n).unwrap_or(u8::MAX));
                Ok(())
            }
            Sig::Tex => self.tex(l),
            Sig::Call => {
                l.attr = Attr::Call(Func(self.index("func")?));
                if self.eat(",") { self.operands(l) } else { Ok(()) }
            }
            Sig::Jump => {
                l.edges.push(self.edge()?);
                Ok(())
            }
            Sig::Br => {
                l.args.push(self.operand()?);
                for _ in 0..2 {
                    self.expect(",")?;
                    l.edges.push(self.edge()?);
                }
                Ok(())
            }
            Sig::Switch => {
                l.args.push(self.operand()?);
                loop {
                    self.expect(",")?;
                    if self.eat_word("default") {
                        self.expect(":")?;
                        l.edges.push(self.edge()?);
                        return Ok(());
                    }
                    let c = self.u64()?;
                    l.cases.push(c);
                    self.expect(":")?;
                    l.edges.push(self.edge()?);
                }
            }
            Sig::Ret => {
                let more = match self.peek() {
                    Some(Tok::Num(_) | Tok::Punct("[")) => true,
                    Some(Tok::Word(w)) => !self.starts("block") && Op::parse(w).is_none(),
                    _ => false,
                };
                if more { self.operands(l) } else { Ok(()) }
            }
            Sig::Unreachable => Ok(()),
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
            | Sig::Demote => self.operands(l),
        }
    }

    /// A comma list of operands; stops before `lane` and `lanes`.
    fn operands(&mut self, l: &mut Line) -> Res_<()> {
        loop {
            if self.is_word("lane") || self.is_word("lanes") {
                return Ok(());
            }
            l.args.push(self.operand()?);
            if !self.eat(",") {
                return Ok(());
            }
        }
    }
}

/// Second step: definitions, then uses.
fn build(mut f: Function, texts: Vec<BlockText>, m: &mut Module) -> Res_<Function> {
    let mut blocks: Map<String, Block> = Map::default();
    let mut values: Map<String, Value> = Map::default();
    for t in &texts {
        if blocks.insert(t.name.clone(), f.add_block()).is_some() {
            return Err(format!("line {}: {} is defined twice", t.line, t.name));
        }
    }
    let mut insts = Vec::new();
    for (k, t) in texts.iter().enumerate() {
        let b = blocks[k];
        let mut define = |name: &String, v: Value, line: u32| match values.insert(name.clone(), v) {
            Some(_) => Err(format!("line {line}: {name} is defined twice")),
            None => Ok(()),
        };
        for (n, ty) in &t.params {
            let v = f.add_param(b, *ty);
            define(n, v, t.line)?;
        }
        for l in &t.lines {
            let loc = m.add_loc(l.span);
            let types: Vec<Type> = l.results.iter().map(|r| r.1).collect();
            let i = f.push_inst(b, InstData::new(l.op, &[], l.attr.clone()).at(loc).fp(l.fp), &types);
            insts.push(i);
            for (n, (name, _)) in l.results.iter().enumerate() {
                let v = f.insts[i].results.nth(n);
                define(name, v, l.line)?;
            }
        }
    }
    let block =
        |name: &str, line: u32| blocks.get(name).copied().ok_or_else(|| format!("line {line}: there is no {name}"));
    let mut k = 0;
    for (n, t) in texts.iter().enumerate() {
        if let Some((merge, cont)) = &t.header {
            f.blocks[blocks[n]].header = Some(LoopHeader { merge: block(merge, t.line)?, cont: block(cont, t.line)? });
        }
        for l in &t.lines {
            let mut value = |o: &Operand| match o {
                Operand::Name(n) => {
                    values.get(n).copied().ok_or_else(|| format!("line {}: {n} is not defined", l.line))
                }
                Operand::Const(c) => Ok(f.constant(c.clone())),
                Operand::Undef(t) => Ok(f.undef(*t)),
            };
            let args = l.args.iter().map(&mut value).collect::<Res_<Values>>()?;
            let mut edges = Vec::new();
            for e in &l.edges {
                let args = e.args.iter().map(&mut value).collect::<Res_<_>>()?;
                edges.push(Edge { block: block(&e.block, l.line)?, args });
            }
            let merge = l.merge.as_ref().map(|m| block(m, l.line)).transpose()?;
            let d = &mut f.insts[insts[k]];
            k += 1;
            d.args = args;
            let mut edges = edges.into_iter();
            let mut next = || edges.next().ok_or_else(|| format!("line {}: an edge is missing", l.line));
            d.attr = match l.op {
                Op::Jump => Attr::Branch(Branch::jump(next()?, merge)),
                Op::Br => Attr::Branch(Branch::br(next()?, next()?, merge)),
                Op::Switch => {
                    let cases = l.cases.iter().map(|&c| Ok((c, next()?))).collect::<Res_<_>>()?;
                    Attr::Switch(Box::new(SwitchEdges { cases, default: next()?, merge }))
                }
                _ => continue,
            };
        }
    }
    Ok(f)
}
