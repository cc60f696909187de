//! Printing. Constants stand inline; values keep their indices, so messages and dumps agree.

use crate::entity::Entity;
use crate::function::{Const, Function, ValueDef};
use crate::inst::*;
use crate::module::{Init, Module, VarData};
use crate::types::Scalar;
use std::fmt::{self, Display, Write};

/// Displays a function. With a module, source locations are printed too.
pub struct FunctionText<'a> {
    /// The function.
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
        }
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&module_text(self))
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

fn write_module(m: &Module, o: &mut String) -> fmt::Result {
    writeln!(o, "module robust {}", if m.options.robust { "on" } else { "off" })?;
    for (r, d) in m.resources.iter() {
        write!(o, "{r} {} group {} binding {} {}", quoted(&d.name), d.group, d.binding, d.kind.name())?;
        write!(o, " size {} stride {}", d.min_size, d.stride)?;
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
        let [x, y, z] = e.workgroup_size;
        write!(o, "entry {} {} {} size {x},{y},{z}", quoted(&e.name), e.stage.name(), e.func)?;
        if e.span.is_known() {
            write!(o, " @{}..{}", e.span.start, e.span.end)?;
        }
        writeln!(o)?;
    }
    for (id, func) in m.funcs.iter() {
        write!(o, "\n{}", FunctionText { func, module: Some(m), id })?;
    }
    Ok(())
}

fn write_var(d: &VarData, o: &mut String) -> fmt::Result {
    write!(o, " size {} align {}", d.size, d.align)?;
    if let Init::Bytes(b) = &d.init {
        o.push_str(" init x");
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

fn val(f: &Function, v: Value) -> String {
    match f.values.get(v).map(|d| d.def) {
        Some(ValueDef::Const(_)) => f.as_const(v).map(const_text).unwrap_or_default(),
        Some(ValueDef::Undef) => format!("undef:{}", f.ty(v)),
        _ => v.to_string(),
    }
}

fn edge(f: &Function, e: &Edge) -> String {
    let a: Vec<String> = e.args.iter().map(|&v| val(f, v)).collect();
    if a.is_empty() { e.block.to_string() } else { format!("{}({})", e.block, a.join(", ")) }
}

fn address(f: &Function, m: &Mem, dynamic: Option<Value>) -> String {
    let mut s = format!("{}[{}", m.place, m.offset);
    if let Some(v) = dynamic {
        let _ = write!(s, " + {}", val(f, v));
    }
    let _ = write!(s, "] align {}", m.align);
    let names: Vec<&str> =
        MemFlags::NAMES.iter().enumerate().filter(|(n, _)| m.flags.0 >> n & 1 == 1).map(|(_, s)| *s).collect();
    if !names.is_empty() {
        let _ = write!(s, " {{{}}}", names.join(", "));
    }
    s
}

fn write_inst(f: &Function, module: Option<&Module>, i: Inst, o: &mut String) -> fmt::Result {
    let d = &f.insts[i];
    for (n, &r) in d.results.iter().enumerate() {
        write!(o, "{}{r}: {}", if n > 0 { ", " } else { "" }, f.ty(r))?;
    }
    if !d.results.is_empty() {
        o.push_str(" = ");
    }
    write!(o, "{}", d.op)?;
    match &d.attr {
        Attr::IntCc(c) => write!(o, ".{c}")?,
        Attr::FloatCc(c) => write!(o, ".{c}")?,
        Attr::Atomic(a, _) => write!(o, ".{a}")?,
        _ => {}
    }
    if d.fp == FpFlags::WGSL {
        o.push_str("{wgsl}");
    } else if d.fp != FpFlags::NONE {
        let n: Vec<&str> =
            FpFlags::NAMES.iter().enumerate().filter(|(n, _)| d.fp.0 >> n & 1 == 1).map(|(_, s)| *s).collect();
        write!(o, "{{{}}}", n.join(","))?;
    }
    // The dynamic offset is printed in the address, not in the operand list.
    let shown = d.dyn_index().unwrap_or(d.args.len()).min(d.args.len());
    let mut items: Vec<String> = d.args[..shown].iter().map(|&v| val(f, v)).collect();
    match &d.attr {
        Attr::Mem(m) | Attr::Atomic(_, m) => items.push(address(f, m, d.dyn_offset())),
        Attr::Lane(l) => items.push(format!("lane {l}")),
        Attr::Lanes(l) => {
            items.push(format!("lanes {}", l.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")));
        }
        Attr::Place(p) => items.push(p.to_string()),
        Attr::Res(r) => items.push(r.to_string()),
        Attr::Sysval(s) => items.push(s.to_string()),
        Attr::Call(c) => items.insert(0, c.to_string()),
        Attr::Barrier(b) => {
            let mut s = b.exec.to_string();
            if b.workgroup {
                s.push_str(" workgroup");
            }
            if b.storage {
                s.push_str(" storage");
            }
            items.push(s);
        }
        Attr::Jump { edge: e, .. } => items.push(edge(f, e)),
        Attr::Br { then, other, .. } => items.extend([edge(f, then), edge(f, other)]),
        Attr::Switch(s) => {
            items.extend(s.cases.iter().map(|(v, e)| format!("{v}: {}", edge(f, e))));
            items.push(format!("default: {}", edge(f, &s.default)));
        }
        Attr::None | Attr::IntCc(_) | Attr::FloatCc(_) => {}
    }
    if !items.is_empty() {
        write!(o, " {}", items.join(", "))?;
    }
    if let Some(m) = d.merge() {
        write!(o, " merge {m}")?;
    }
    if let Some(m) = module
        && d.loc.index() != 0
    {
        let s = m.span(d.loc);
        write!(o, " @{}..{}", s.start, s.end)?;
    }
    Ok(())
}
