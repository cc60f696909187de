//! Printing. Constants stand inline; values keep their indices, so messages and dumps agree.

use crate::edges::EdgeRef;
use crate::entity::Entity;
use crate::float_modes::{Denormals, FloatMode, Rounding};
use crate::function::{Const, Function, ValueDef};
use crate::inst::*;
use crate::module::{Init, Module, ResourceKind, StageInfo, VarData, Variant};
use crate::stage::{Form, Interface, Interp, IoSlot, Position};
use crate::types::Scalar;
use std::fmt::{self, Display, Write};

/// Displays a function. With a module, source locations are printed too.
pub struct FunctionText<'a> {
    /// The function that is displayed.
    pub func: &'a Function,
    /// The module for locations.
    pub module: Option<&'a Module>,
    /// The number it is printed with.
    pub id: Func,
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FunctionText { func: self, module: None, id: Func(0) }.fmt(f)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Buffer(r) => r.fmt(f),
            Place::Global(g) => g.fmt(f),
            Place::Local(l) => l.fmt(f),
            Place::Address => f.write_str("address"),
        }
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_module(self, f)
    }
}

/// The whole module as text.
pub fn module_text(m: &Module) -> String {
    let mut s = String::new();
    write_module(m, &mut s).expect("writing to a string does not fail");
    s
}

/// One instruction as printed, without indentation.
pub fn inst_text(f: &Function, i: Inst) -> String {
    let mut s = String::new();
    write_inst(f, None, i, &mut s).expect("writing to a string does not fail");
    s
}

fn quoted(s: &str) -> String {
    let mut o = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => {
                o.push('\\');
                o.push(c);
            }
            c if c.is_control() => o.push('?'),
            c => o.push(c),
        }
    }
    o.push('"');
    o
}

fn write_module(m: &Module, o: &mut dyn fmt::Write) -> fmt::Result {
    let robust = match m.options {
        o if o.robust => "on",
        o if o.zeroes => "zero",
        _ => "off",
    };
    writeln!(o, "module robust {robust}")?;
    for (r, d) in m.resources.iter() {
        write!(o, "{r} {} group {} binding {} {}", quoted(&d.name), d.group, d.binding, d.kind.name())?;
        match d.kind {
            ResourceKind::Texture { dim, arrayed, multisampled, class } => {
                write!(o, " {dim}{}", if arrayed { " array" } else { "" })?;
                write!(o, "{} {}", if multisampled { " multisampled" } else { "" }, class.name())?;
            }
            ResourceKind::StorageTexture { dim, arrayed, format, access } => {
                write!(o, " {dim}{}", if arrayed { " array" } else { "" })?;
                write!(o, " {} {}", quoted(format.name()), access.name())?;
            }
            ResourceKind::Sampler { comparison } => o.write_str(if comparison { " comparison" } else { "" })?,
            _ => write!(o, " size {} stride {}", d.min_size, d.stride)?,
        }
        if d.count != 1 {
            write!(o, " count {}", d.count)?;
        }
        if d.variant != Variant::Whole {
            write!(o, " variant {}", d.variant.name())?;
        }
        if d.span.is_known() {
            write!(o, " @{}..{}", d.span.start, d.span.end)?;
        }
        writeln!(o)?;
    }
    for (g, d) in m.globals.iter() {
        write!(o, "{g} {} {}", quoted(&d.name), d.space)?;
        write_var(d, o)?;
        writeln!(o)?;
    }
    for e in &m.entries {
        write!(o, "entry {} {} {}", quoted(&e.name), e.stage.kind().name(), e.func)?;
        match e.stage {
            StageInfo::Compute { workgroup_size: [x, y, z], subgroups } => {
                write!(o, " size {x},{y},{z}")?;
                for (word, n) in [("subgroup", subgroups.size), ("subgroups", subgroups.count)] {
                    n.map_or(Ok(()), |n| write!(o, " {word} {n}"))?;
                }
            }
            StageInfo::Fragment { early_depth: true, .. } => write!(o, " early_depth")?,
            StageInfo::Vertex(_) | StageInfo::Fragment { early_depth: false, .. } => {}
        }
        for (scalar, mode) in e.modes.each().into_iter().filter(|m| m.1 != FloatMode::ANY) {
            write!(o, " float {}", scalar.name())?;
            if mode.denormals != Denormals::Any {
                write!(o, " {}", mode.denormals)?;
            }
            if mode.rounding != Rounding::Any {
                write!(o, " {}", mode.rounding)?;
            }
        }
        if e.span.is_known() {
            write!(o, " @{}..{}", e.span.start, e.span.end)?;
        }
        match e.interface() {
            Some(io) if *io != Interface::default() => write_interface(io, o)?,
            _ => writeln!(o)?,
        }
    }
    for (id, func) in m.funcs.iter() {
        write!(o, "\n{}", FunctionText { func, module: Some(m), id })?;
    }
    Ok(())
}

/// Inputs and outputs of a stage, in brackets behind its entry.
fn write_interface(io: &Interface, o: &mut dyn fmt::Write) -> fmt::Result {
    writeln!(o, " {{")?;
    if io.position != Position::default() {
        writeln!(o, "  position {}", io.position.name())?;
    }
    if io.compact_targets {
        writeln!(o, "  compact_targets")?;
    }
    for (prefix, slots) in [("in", &io.inputs), ("out", &io.outputs)] {
        for (n, s) in slots.iter().enumerate() {
            write!(o, "  {prefix}{n} ")?;
            write_slot(s, o)?;
        }
    }
    writeln!(o, "}}")
}

fn write_slot(s: &IoSlot, o: &mut dyn fmt::Write) -> fmt::Result {
    write!(o, "{} {}", quoted(&s.name), s.at)?;
    if s.interp != Interp::default() {
        write!(o, " {} {}", s.interp.mode.name(), s.interp.at.name())?;
    }
    if s.form != Form::default() {
        write!(o, " {}", s.form.name())?;
    }
    if s.blended {
        o.write_str(" blended")?;
    }
    write!(o, " {}", s.ty)?;
    if s.span.is_known() {
        write!(o, " @{}..{}", s.span.start, s.span.end)?;
    }
    writeln!(o)
}

fn write_var(d: &VarData, o: &mut dyn fmt::Write) -> fmt::Result {
    write!(o, " size {} align {}", d.size, d.align)?;
    if let Init::Bytes(b) = &d.init {
        o.write_str(" init x")?;
        for x in b {
            write!(o, "{x:02x}")?;
        }
    }
    Ok(())
}

impl Display for FunctionText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = self.func;
        let mut o = String::new();
        write!(o, "{} {}", self.id, quoted(&f.name))?;
        if !f.ret.is_empty() {
            o.push_str(" ->");
            for (n, t) in f.ret.iter().enumerate() {
                write!(o, "{} {t}", if n > 0 { "," } else { "" })?;
            }
        }
        o.push_str(" {\n");
        for (l, d) in f.locals.iter() {
            write!(o, "  {l} {}", quoted(&d.name))?;
            write_var(d, &mut o)?;
            o.push('\n');
        }
        for &b in &f.layout {
            let d = &f.blocks[b];
            write!(o, "{b}")?;
            if !d.params.is_empty() {
                o.push('(');
                for (n, &p) in d.params.iter().enumerate() {
                    write!(o, "{}{p}: {}", if n > 0 { ", " } else { "" }, f.ty(p))?;
                }
                o.push(')');
            }
            if let Some(h) = d.header {
                write!(o, " loop merge {} continue {}", h.merge, h.cont)?;
            }
            o.push_str(":\n");
            for &i in &d.insts {
                o.push_str("  ");
                write_inst(f, self.module, i, &mut o)?;
                o.push('\n');
            }
            // Block by block: the text of a large function need never be there as a whole.
            out.write_str(&o)?;
            o.clear();
        }
        o.push_str("}\n");
        out.write_str(&o)
    }
}

fn lane_text(s: Scalar, bits: u64) -> String {
    let sh = 64 - s.bits();
    match s {
        Scalar::B1 => if bits != 0 { "true" } else { "false" }.into(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => (((bits << sh) as i64) >> sh).to_string(),
        Scalar::F16 => format!("{bits:#06x}"),
        Scalar::F32 => {
            let v = f32::from_bits(bits as u32);
            if v.is_finite() { format!("{v:?}") } else { format!("{bits:#010x}") }
        }
        Scalar::F64 => {
            let v = f64::from_bits(bits);
            if v.is_finite() { format!("{v:?}") } else { format!("{bits:#018x}") }
        }
    }
}

/// A constant as printed in operands.
pub(super) fn const_text(c: &Const) -> String {
    let s = c.ty.scalar();
    if c.ty.is_vector() {
        let l: Vec<String> = c.bits.iter().map(|&b| lane_text(s, b)).collect();
        format!("[{}]:{}", l.join(", "), c.ty)
    } else {
        format!("{}:{}", lane_text(s, c.bits[0]), c.ty)
    }
}

/// Writes a letter or word and a number: most of a text is such names, and the general way of formatting takes many times as
/// long.
fn name(o: &mut String, prefix: &str, n: u32) {
    o.push_str(prefix);
    let (mut digits, mut at, mut n) = ([0; 10], 10, n);
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    digits[at..].iter().for_each(|&d| o.push(char::from(d)));
}

fn val(o: &mut String, f: &Function, v: Value) {
    match f.values.get(v).map(|d| d.def) {
        Some(ValueDef::Const(_)) => o.push_str(&f.as_const(v).map(const_text).unwrap_or_default()),
        Some(ValueDef::Undef) => {
            let _ = write!(o, "undef:{}", f.ty(v));
        }
        _ => name(o, "v", v.0),
    }
}

/// Writes the entries with commas between them.
fn list<T: Copy>(o: &mut String, items: &[T], mut one: impl FnMut(&mut String, T)) {
    for (n, &x) in items.iter().enumerate() {
        if n > 0 {
            o.push_str(", ");
        }
        one(o, x);
    }
}

fn edge(o: &mut String, f: &Function, e: EdgeRef<'_>) {
    name(o, "block", e.block.0);
    if !e.args.is_empty() {
        o.push('(');
        list(o, e.args, |o, v| val(o, f, v));
        o.push(')');
    }
}

fn address(o: &mut String, f: &Function, m: &Mem, dynamic: Option<Value>) {
    match m.place {
        Place::Buffer(r) => name(o, "res", r.0),
        Place::Global(g) => name(o, "global", g.0),
        Place::Local(l) => name(o, "local", l.0),
        Place::Address => o.push_str("address"),
    }
    name(o, "[", m.offset);
    if let Some(v) = dynamic {
        o.push_str(" + ");
        val(o, f, v);
    }
    name(o, "] align ", m.align);
    flags(o, (" {", ", ", "}"), &MemFlags::NAMES, m.flags.0);
}

/// Writes the names of the bits that are set, in brackets; nothing if none is.
fn flags(o: &mut String, (open, comma, close): (&str, &str, &str), names: &[&str], bits: u8) {
    let mut before = open;
    for (_, s) in names.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1) {
        o.push_str(before);
        o.push_str(s);
        before = comma;
    }
    if bits != 0 {
        o.push_str(close);
    }
}

fn write_inst(f: &Function, module: Option<&Module>, i: Inst, o: &mut String) -> fmt::Result {
    let d = &f.insts[i];
    for (n, r) in d.results.iter().enumerate() {
        name(o, if n > 0 { ", v" } else { "v" }, r.0);
        write!(o, ": {}", f.ty(r))?;
    }
    if !d.results.is_empty() {
        o.push_str(" = ");
    }
    o.push_str(d.op.name());
    match &d.attr {
        Attr::IntCc(c) => write!(o, ".{c}")?,
        Attr::FloatCc(c) => write!(o, ".{c}")?,
        Attr::Atomic(a, _) | Attr::TexAtomic(a, _) => write!(o, ".{a}")?,
        _ => {}
    }
    if d.fp == FpFlags::WGSL {
        o.push_str("{wgsl}");
    } else {
        flags(o, ("{", ",", "}"), &FpFlags::NAMES, d.fp.0);
    }
    // A space before the first operand, commas between all.
    let mut before = " ";
    let mut next = |o: &mut String| o.push_str(std::mem::replace(&mut before, ", "));
    if let Attr::Call(c) = &d.attr {
        next(o);
        write!(o, "{c}")?;
    }
    // The dynamic offset is printed in the address, not in the operand list.
    let shown = d.dyn_index().unwrap_or(d.args.len()).min(d.args.len());
    for &v in &d.args[..shown] {
        next(o);
        val(o, f, v);
    }
    if !matches!(d.attr, Attr::None | Attr::IntCc(_) | Attr::FloatCc(_) | Attr::Call(_)) {
        next(o);
    }
    match &d.attr {
        Attr::Mem(m) | Attr::Atomic(_, m) => address(o, f, m, d.dyn_offset()),
        Attr::Lane(l) => name(o, "lane ", u32::from(*l)),
        Attr::Lanes(l) => {
            o.push_str("lanes");
            l.iter().for_each(|&k| name(o, " ", u32::from(k)));
        }
        Attr::Place(p) => write!(o, "{p}")?,
        Attr::Res(r) => write!(o, "{r}")?,
        Attr::Sysval(s) => o.push_str(s.name()),
        Attr::Input(n) => name(o, "in", u32::from(*n)),
        Attr::Target(n) => name(o, "target", u32::from(*n)),
        Attr::Deriv(k) => write!(o, "{} {}", k.axis.name(), if k.fine { "fine" } else { "coarse" })?,
        Attr::Reduce(k) => {
            write!(o, "{} {}", k.op, k.reach)?;
            if k.cluster != 0 {
                name(o, " of ", u32::from(k.cluster));
            }
        }
        Attr::Tex(t) | Attr::TexAtomic(_, t) => {
            name(o, "tex res", t.texture.0);
            if let Some(s) = t.sampler {
                name(o, " sampler res", s.0);
            }
            write!(o, " {}", t.desc)?;
        }
        Attr::Barrier(b) => {
            write!(o, "{}", b.exec)?;
            if b.order != Order::AcqRel {
                write!(o, " {}", b.order)?;
            }
            if b.device {
                o.push_str(" device");
            }
            if b.workgroup {
                o.push_str(" workgroup");
            }
            if b.storage {
                o.push_str(" storage");
            }
            if b.texture {
                o.push_str(" texture");
            }
        }
        Attr::Branch(_) => list(o, &d.edges(), |o, e| edge(o, f, e)),
        Attr::Switch(s) => {
            for (v, e) in &s.cases {
                write!(o, "{v}: ")?;
                edge(o, f, e.view());
                o.push_str(", ");
            }
            o.push_str("default: ");
            edge(o, f, s.default.view());
        }
        Attr::None | Attr::IntCc(_) | Attr::FloatCc(_) | Attr::Call(_) => {}
    }
    if let Some(m) = d.merge() {
        name(o, " merge block", m.0);
    }
    if let Some(m) = module
        && d.loc.index() != 0
    {
        let s = m.span(d.loc);
        name(o, " @", s.start);
        name(o, "..", s.end);
    }
    Ok(())
}
