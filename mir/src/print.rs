//! Dumps of machine functions: deterministic, one instruction a line.

use core::fmt::Write;

use crate::func::{MEdge, MFunc};
use crate::inst::{Def, MInst, Opcode, PReg, Reg, Src, Use};
use crate::target::Target;
use gpucc_regalloc::Placement;

/// The whole function.
pub fn print<T: Target>(mf: &MFunc<T>, t: &T) -> String {
    let mut s = format!("mir {} {{\n", mf.name);
    for (b, block) in mf.blocks.iter().enumerate() {
        let _ = write!(s, "b{b}");
        if !block.params.is_empty() {
            let params: Vec<String> =
                block.params.iter().map(|&v| format!("{v:?}:{}", t.classes()[mf.class(v).0 as usize].name)).collect();
            let _ = write!(s, "({})", params.join(", "));
        }
        let _ = write!(s, ":  ; {}", edges(&block.succs));
        if let Some(l) = &block.linear {
            let _ = write!(s, "; linear {}", edges(l));
        }
        s.truncate(s.trim_end_matches(['\u{20}', ';']).len());
        s.push('\n');
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
    if list.is_empty() { String::new() } else { format!("to {}", list.iter().map(one).collect::<Vec<_>>().join(", ")) }
}

fn reg<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, class: bool) -> String {
    match r {
        Reg::V(v) if class => format!("{v:?}:{}", t.classes()[mf.class(v).0 as usize].name),
        Reg::V(v) => format!("{v:?}"),
        Reg::P(p) => t.reg_name(p),
    }
}

/// The place that an operand demands of its register's file.
fn demanded<T: Target>(mf: &MFunc<T>, t: &T, r: Reg, place: Option<Placement>) -> String {
    let Some(place) = place else { return String::new() };
    let file = match r {
        Reg::V(v) => t.classes()[mf.class(v).0 as usize].file,
        Reg::P(p) => p.file,
    };
    format!("@{}", t.reg_name(PReg { file, place }))
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
    t.print_src_mods(&u.mods, &mut s);
    if let Src::Reg(r) = u.src {
        s.push_str(&demanded(mf, t, r, u.fixed()));
    }
    s
}

/// One instruction.
pub fn print_inst<T: Target>(mf: &MFunc<T>, t: &T, i: &MInst<T>) -> String {
    let mut s = String::new();
    let defs: Vec<String> = i.defs.iter().map(|d| print_def(mf, t, d)).collect();
    if !defs.is_empty() {
        let _ = write!(s, "{} = ", defs.join(", "));
    }
    match i.op {
        Opcode::Op(o) => s.push_str(&t.op_name(o)),
        Opcode::Pseudo(p) => s.push_str(&format!("{p:?}").to_lowercase()),
    }
    t.print_mods(i, &mut s);
    let uses: Vec<String> = i.uses.iter().map(|u| print_use(mf, t, u)).collect();
    if !uses.is_empty() {
        let _ = write!(s, " {}", uses.join(", "));
    }
    s
}
