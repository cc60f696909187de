//! Machine functions as text that [`parse`](crate::parse()) reads back: deterministic, one instruction a line.
//!
//! ```text
//! mir main vregs 9 {
//! b0 -> b1(%3), b2:
//!   %1:v, %2:v2@v[4:5] = load {offset=16} %0, s4 @7
//!   !%3:v=#1 = mad %1{neg=1}, %2[1+1], 0x3f800000
//!   branch {cond=2} %4@s[2:3], b1, b2
//! b1(%5:v) depth 1 linear b2 -> b2:
//! }
//! ```
//!
//! A block's head has its parameters, its loop depth, the successors on the linear graph where they differ, and those on the
//! logical graph. A definition is `%number:class`, `!` before one that is written before the uses are read, `@register` behind
//! one that demands a place, `=#k` behind one that shares the place of use `k`. A use is a register, `0x` bits, `u[slot]` or a
//! block; `[first+count]` are the units that are read. Registers are named by file and unit: `v4`, `v[4:5]`, in files of rows
//! `t1.xz`. The last `@number` is the location, with `.access` or `.atomic` behind it where memory is accessed.

use core::fmt::Write;

use crate::fields::Fields;
use crate::func::{MEdge, MFunc};
use crate::inst::{Def, MInst, Opcode, PReg, Pseudo, Reg, Src, Target, Use};
use gpucc_ir::Loc;
use gpucc_regalloc::Placement;

/// Components of a row by letter.
pub(crate) const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// Name of a pseudo-instruction.
pub(crate) const PSEUDOS: [(Pseudo, &str); 7] = [
    (Pseudo::Copy, "p_copy"),
    (Pseudo::Collect, "p_collect"),
    (Pseudo::Split, "p_split"),
    (Pseudo::Undef, "p_undef"),
    (Pseudo::Start, "p_start"),
    (Pseudo::LogicalStart, "p_logical_start"),
    (Pseudo::LogicalEnd, "p_logical_end"),
];

/// Text of the whole function, as dumps show it.
pub fn print<T: Target>(mf: &MFunc<T>, t: &T) -> String {
    let mut s = format!("mir {} vregs {} {{\n", mf.name, mf.classes.len());
    for (b, block) in mf.blocks.iter().enumerate() {
        let _ = write!(s, "b{b}");
        if !block.params.is_empty() {
            s.push('(');
            joined(&block.params, &mut s, |&v, s| reg(mf, t, Reg::V(v), true, s));
            s.push(')');
        }
        if block.runs > 1 {
            let _ = write!(s, " runs {}", block.runs);
        }
        if let Some(l) = &block.linear {
            s.push_str(" linear ");
            edges(l, &mut s);
        }
        if !block.succs.is_empty() {
            s.push_str(" -> ");
            edges(&block.succs, &mut s);
        }
        s.push_str(":\n");
        for i in &mf.code[b] {
            s.push_str("  ");
            inst(mf, t, i, &mut s);
            s.push('\n');
        }
    }
    s.push_str("}\n");
    s
}

/// Things with commas between them.
fn joined<X>(list: &[X], s: &mut String, mut one: impl FnMut(&X, &mut String)) {
    for (k, x) in list.iter().enumerate() {
        if k > 0 {
            s.push_str(", ");
        }
        one(x, s);
    }
}

fn edges(list: &[MEdge], s: &mut String) {
    if list.is_empty() {
        s.push_str("none");
    }
    joined(list, s, |e, s| {
        let _ = write!(s, "{:?}", e.to);
        if !e.args.is_empty() {
            s.push('(');
            joined(&e.args, s, |a, s| {
                let _ = write!(s, "{a:?}");
            });
            s.push(')');
        }
    });
}

/// Name of a physical register.
pub fn reg_name<T: Target>(t: &T, reg: PReg) -> String {
    let mut s = String::new();
    physical(t, reg, &mut s);
    s
}

fn physical<T: Target>(t: &T, reg: PReg, s: &mut String) {
    let file = &t.files()[reg.file as usize];
    let p = reg.place;
    let row = file.row;
    if row > 1 && !p.is_empty() && p.units().all(|u| u / row == p.row(row)) {
        let _ = write!(s, "{}{}.", file.name, p.row(row));
        s.extend(p.units().map(|u| LANES[(u % row) as usize & 3]));
        return;
    }
    let _ = match p.len() {
        1 => write!(s, "{}{}", file.name, p.base()),
        n => write!(s, "{}[{}:{}]", file.name, p.base(), p.base() + n.max(1) - 1),
    };
}

fn reg<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, class: bool, s: &mut String) {
    match r {
        Reg::V(v) => {
            let _ = write!(s, "{v:?}");
            if class {
                s.push(':');
                s.push_str(t.classes()[mf.class(v).0 as usize].name);
            }
        }
        Reg::P(p) => physical(t, p, s),
    }
}

/// The place that an operand demands of its register's file.
fn demanded<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, place: Option<Placement>, s: &mut String) {
    let Some(place) = place else { return };
    let file = match r {
        Reg::V(v) => t.classes()[mf.class(v).0 as usize].file,
        Reg::P(p) => p.file,
    };
    s.push('@');
    physical(t, PReg { file, place }, s);
}

fn print_def<T: Target>(mf: &MFunc<T>, t: &T, d: &Def, s: &mut String) {
    if d.early {
        s.push('!');
    }
    reg(mf, t, d.reg, true, s);
    demanded(mf, t, d.reg, d.fixed(), s);
    if let Some(k) = d.tied_to() {
        let _ = write!(s, "=#{k}");
    }
}

/// ` {name=number, ..}` of what differs from the default, or nothing.
fn print_fields(f: &impl Fields, before: &str, s: &mut String) {
    let mut first = true;
    f.each(&mut |name, bits| {
        let _ = match (std::mem::take(&mut first), bits) {
            (true, b) => write!(s, "{before}{{{name}={b}"),
            (false, b) => write!(s, ", {name}={b}"),
        };
    });
    if !first {
        s.push('}');
    }
}

fn print_use<T: Target>(mf: &MFunc<T>, t: &T, u: &Use<T>, s: &mut String) {
    let _ = match u.src {
        Src::Reg(r) => {
            reg(mf, t, r, false, s);
            Ok(())
        }
        Src::Imm(v) => write!(s, "{v:#x}"),
        Src::Uniform(n) => write!(s, "u[{n}]"),
        Src::Label(b) => write!(s, "{b:?}"),
    };
    if let Some((first, count)) = u.part_read() {
        let _ = write!(s, "[{first}+{count}]");
    }
    print_fields(&u.mods, "", s);
    if let Src::Reg(r) = u.src {
        demanded(mf, t, r, u.fixed(), s);
    }
}

/// Text of one instruction, as dumps show it.
pub fn print_inst<T: Target>(mf: &MFunc<T>, t: &T, i: &MInst<T>) -> String {
    let mut s = String::new();
    inst(mf, t, i, &mut s);
    s
}

fn inst<T: Target>(mf: &MFunc<T>, t: &T, i: &MInst<T>, s: &mut String) {
    if !i.defs.is_empty() {
        joined(&i.defs, s, |d, s| print_def(mf, t, d, s));
        s.push_str(" = ");
    }
    match i.op {
        Opcode::Op(o) => s.push_str(&t.op_name(o)),
        Opcode::Pseudo(p) => s.push_str(PSEUDOS.iter().find(|x| x.0 == p).map_or("", |x| x.1)),
    }
    print_fields(&i.mods, " ", s);
    if !i.uses.is_empty() {
        s.push(' ');
        joined(&i.uses, s, |u, s| print_use(mf, t, u, s));
    }
    print_loc(i.loc, s);
}

/// ` @number` of a location, with what is accessed there, or nothing.
pub(crate) fn print_loc(loc: Loc, s: &mut String) {
    if loc != Loc::UNKNOWN {
        let access = match (loc.is_access(), loc.is_atomic()) {
            (_, true) => ".atomic",
            (true, _) => ".access",
            _ => "",
        };
        let _ = write!(s, " @{}{access}", loc.plain().0);
    }
}
