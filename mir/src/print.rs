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
            let params: Vec<String> =
                block.params.iter().map(|&v| format!("{v:?}:{}", t.classes()[mf.class(v).0 as usize].name)).collect();
            let _ = write!(s, "({})", params.join(", "));
        }
        if block.runs > 1 {
            let _ = write!(s, " runs {}", block.runs);
        }
        if let Some(l) = &block.linear {
            let _ = write!(s, " linear {}", edges(l));
        }
        if !block.succs.is_empty() {
            let _ = write!(s, " -> {}", edges(&block.succs));
        }
        s.push_str(":\n");
        for i in &mf.code[b] {
            let _ = writeln!(s, "  {}", print_inst(mf, t, i));
        }
    }
    s.push_str("}\n");
    s
}

fn edges(list: &[MEdge]) -> String {
    let one = |e: &MEdge| match e.args.is_empty() {
        true => format!("{:?}", e.to),
        false => format!("{:?}({})", e.to, e.args.iter().map(|a| format!("{a:?}")).collect::<Vec<_>>().join(", ")),
    };
    if list.is_empty() { "none".into() } else { list.iter().map(one).collect::<Vec<_>>().join(", ") }
}

/// Name of a physical register.
pub fn reg_name<T: Target>(t: &T, reg: PReg) -> String {
    let file = &t.files()[reg.file as usize];
    let p = reg.place;
    let row = file.row;
    if row > 1 && !p.is_empty() && p.units().all(|u| u / row == p.row(row)) {
        let lanes: String = p.units().map(|u| LANES[(u % row) as usize & 3]).collect();
        return format!("{}{}.{lanes}", file.name, p.row(row));
    }
    match p.len() {
        1 => format!("{}{}", file.name, p.base()),
        n => format!("{}[{}:{}]", file.name, p.base(), p.base() + n.max(1) - 1),
    }
}

fn reg<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, class: bool) -> String {
    match r {
        Reg::V(v) if class => format!("{v:?}:{}", t.classes()[mf.class(v).0 as usize].name),
        Reg::V(v) => format!("{v:?}"),
        Reg::P(p) => reg_name(t, p),
    }
}

/// The place that an operand demands of its register's file.
fn demanded<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, place: Option<Placement>) -> String {
    let Some(place) = place else { return String::new() };
    let file = match r {
        Reg::V(v) => t.classes()[mf.class(v).0 as usize].file,
        Reg::P(p) => p.file,
    };
    format!("@{}", reg_name(t, PReg { file, place }))
}

fn print_def<T: Target>(mf: &MFunc<T>, t: &T, d: &Def) -> String {
    let mut s = reg(mf, t, d.reg, true);
    if d.early {
        s.insert(0, '!');
    }
    s.push_str(&demanded(mf, t, d.reg, d.fixed()));
    if let Some(k) = d.tied_to() {
        let _ = write!(s, "=#{k}");
    }
    s
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

fn print_use<T: Target>(mf: &MFunc<T>, t: &T, u: &Use<T>) -> String {
    let mut s = match u.src {
        Src::Reg(r) => reg(mf, t, r, false),
        Src::Imm(v) => format!("{v:#x}"),
        Src::Uniform(n) => format!("u[{n}]"),
        Src::Label(b) => format!("{b:?}"),
    };
    if let Some((first, count)) = u.part_read() {
        let _ = write!(s, "[{first}+{count}]");
    }
    print_fields(&u.mods, "", &mut s);
    if let Src::Reg(r) = u.src {
        s.push_str(&demanded(mf, t, r, u.fixed()));
    }
    s
}

/// Text of one instruction, as dumps show it.
pub fn print_inst<T: Target>(mf: &MFunc<T>, t: &T, i: &MInst<T>) -> String {
    let mut s = String::new();
    let defs: Vec<String> = i.defs.iter().map(|d| print_def(mf, t, d)).collect();
    if !defs.is_empty() {
        let _ = write!(s, "{} = ", defs.join(", "));
    }
    match i.op {
        Opcode::Op(o) => s.push_str(&t.op_name(o)),
        Opcode::Pseudo(p) => s.push_str(PSEUDOS.iter().find(|x| x.0 == p).map_or("", |x| x.1)),
    }
    print_fields(&i.mods, " ", &mut s);
    let uses: Vec<String> = i.uses.iter().map(|u| print_use(mf, t, u)).collect();
    if !uses.is_empty() {
        let _ = write!(s, " {}", uses.join(", "));
    }
    print_loc(i.loc, &mut s);
    s
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
