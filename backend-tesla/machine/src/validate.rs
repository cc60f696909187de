//! Rejects code that decodes but must not be emitted (reference sections 1, 2, 6, 12 and appendix B).

use crate::operand::{Operand, View};
use crate::types::{Kind, Memory, Op, Space, Width};
use crate::{Tesla, operand};
use gpucc_isa::{Inst, Isa, TextCx, fail_if};

/// Checks one instruction.
///
/// # Errors
/// One sentence naming the violated rule.
pub fn validate(inst: &Inst<Tesla>, cx: &TextCx) -> Result<(), String> {
    let fail = |m: &str| Err(m.to_owned());
    let row = inst.row();
    if row.stages & cx.stages == 0 {
        return fail("the program type does not have this instruction");
    }
    if !Tesla::legal(inst, cx.generation, cx.stages) {
        return fail("operands do not go together in this program type");
    }
    if inst.ignored != 0 {
        return fail("ignored bits must be 0");
    }
    let get = |name: &str| inst.get(name).unwrap_or(0);
    let has = |name: &str| row.operand(name).is_some();
    if inst.get("ei") == Some(1) && get("pred") != 15 {
        return fail("an instruction that carries exit must not be predicated");
    }
    // `bar inc` has a flag of the same name.
    if has("a") && get("inc") == 1 && !(1..=4).contains(&get("a")) {
        return fail("post-increment needs a writable $a");
    }
    if get("a") > 4 {
        return fail("only $a1 to $a4 may be used");
    }
    if has("adst") && !(1..=4).contains(&get("adst")) {
        return fail("the destination is $a1 to $a4");
    }
    if row.bytes == 8 && (matches!(row.op, Op::Mov | Op::LdA)) && inst.get("lanes") == Some(0) {
        return fail("an empty lane mask executes nothing");
    }
    if let Some(c) = inst.get("cdst")
        && row.operands.iter().any(|s| matches!(s.kind, Kind::CDst))
        && c & 4 == 0
        && c != 0
    {
        return fail("$c is named but not written");
    }
    if get("pred") == 15 && get("pcc") != 0 && !reads_flags(inst) {
        return fail("the flag register of an absent predicate must be 0");
    }
    if get("m23") == 1 && get("m24") == 0
        || get("m24") == 1 && !View::any(inst, cx.stages).is_some_and(|v| prim(inst, v))
    {
        return fail("an operand flag is set without its operand");
    }
    if View::any(inst, cx.stages).is_some_and(|v| prim(inst, v)) && konst(inst, cx) {
        return fail("p[] and c[] do not go together");
    }
    registers(inst, cx)?;
    rounding(inst)?;
    texture(inst)
}

/// Whether the field of the predicate's flag register is an input of its own.
fn reads_flags(inst: &Inst<Tesla>) -> bool {
    matches!(inst.op(), Op::Addc | Op::MovFromC) || inst.get("addop") == Some(3)
}

fn prim(inst: &Inst<Tesla>, view: View) -> bool {
    sources(inst, view).any(|o| matches!(o, Operand::Prim(_)))
}

fn konst(inst: &Inst<Tesla>, cx: &TextCx) -> bool {
    View::any(inst, cx.stages).is_some_and(|v| sources(inst, v).any(|o| matches!(o, Operand::Const(..))))
}

fn sources(inst: &Inst<Tesla>, view: View) -> impl Iterator<Item = Operand> {
    inst.row().operands.iter().zip(inst.vals).filter_map(move |(s, v)| view.source(s.kind, v))
}

/// Alignment of pairs and groups, size of halves, overlap of 64-bit loads with their address.
fn registers(inst: &Inst<Tesla>, cx: &TextCx) -> Result<(), String> {
    let Some(view) = View::any(inst, cx.stages) else { return Ok(()) };
    for (s, &raw) in inst.row().operands.iter().zip(&inst.vals) {
        let (op, width) = match s.kind {
            Kind::Dst(_) | Kind::DstO(_) | Kind::DstOF => match operand::destination(s.kind, raw) {
                Some(d) => d,
                None => continue,
            },
            Kind::Reg(w) => match view.source(s.kind, raw) {
                Some(o) => (o, w),
                None => continue,
            },
            _ => continue,
        };
        let Operand::Reg(n) = op else { continue };
        let align = match width {
            Width::D => 2,
            Width::Q => 4,
            _ => 1,
        };
        fail_if!(n % align != 0, format!("$r{n} is not a multiple of {align}"));
    }
    let effects = inst.row().effects;
    let far = effects.reads && effects.space == Memory::Global as u16;
    if far && inst.row().operand("dst").is_some() && inst.row().attrs.ty.bytes() > 4 {
        let (dst, address) = (inst.get("dst").unwrap_or(0), inst.get("mem").unwrap_or(0) & 0x7f);
        if (dst..dst + inst.row().attrs.ty.bytes() / 4).contains(&address) {
            return Err("the destination of a wide load must not overlap its address register".into());
        }
    }
    if let Some(off) = inst.row().operands.iter().zip(&inst.vals).find_map(|(s, &v)| match s.kind {
        Kind::Mem(Space::Local, _) => Some(v),
        _ => None,
    }) {
        let size = inst.row().attrs.ty.bytes();
        fail_if!(off % size != 0, format!("l[] offset {off:#x} is not a multiple of {size}"));
    }
    Ok(())
}

fn rounding(inst: &Inst<Tesla>) -> Result<(), String> {
    if matches!(inst.op(), Op::Fadd | Op::Fmul | Op::FmulSat) && matches!(inst.get("rnd"), Some(1 | 2)) {
        return Err("f32 add and mul round to nearest or toward zero".into());
    }
    if matches!(inst.op(), Op::QuadOp) && inst.get("qlane").is_some_and(|l| l > 5) {
        return Err("source lanes 6 and 7 are other names of 4 and 5".into());
    }
    Ok(())
}

fn texture(inst: &Inst<Tesla>) -> Result<(), String> {
    let Some(base) = inst.get("base") else { return Ok(()) };
    let short = inst.row().bytes == 4;
    let mask = if short { 0xf } else { inst.get("dvec").unwrap_or(0) };
    fail_if!(mask == 0, "a texture instruction must write something".into());
    let count = mask.count_ones().max(inst.get("svec").unwrap_or(0) + 1);
    fail_if!(base + count > 128, "the registers of the vector end at $r127".into());
    Ok(())
}
