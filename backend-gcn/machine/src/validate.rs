//! Rules beyond the bits: instructions that decode but must not be emitted.

use gpucc_isa::{Inst, Role, fail_if};

use crate::isa::{Flag, Format, GFX6, GFX8, Gcn, Kind};
use crate::operand::{self, LDS_DIRECT, LITERAL, M0, VCC};
use crate::{ImageKind, ImageOp, Number, Op, Operation, Unit};

/// Checks the rules that our compiler keeps: those of [`defined`], and none of the bits that hardware ignores is set
/// (sections 2, 3, 11, 12, 16).
///
/// # Errors
/// One sentence naming the rule.
pub fn validate(inst: &Inst<Gcn>, generation: u8) -> Result<(), String> {
    defined(inst, generation)?;
    let name = inst.row().text;
    fail_if!(operand::ignored(inst), format!("`{name}` sets bits that are ignored"));
    if inst.row().attrs.number == Number::F16 || integer16(inst) {
        // Hardware uses the low half of a literal.
        for (slot, v) in inst.row().operands.iter().zip(inst.vals) {
            fail_if!(slot.kind == Kind::Literal && v > 0xffff, format!("`{name}` reads 16 bits of its literal"));
        }
    }
    let fused = matches!(inst.op(), Op::VFmaF64 | Op::VDivFmasF64);
    if fused && generation == GFX6 && inst.get("omod").is_some_and(|o| o != 0) {
        return Err(format!("`{name}` with an output modifier needs flushed output denormals"));
    }
    if inst.op() == Op::SNop && inst.get("imm").is_some_and(|n| n > 7) {
        return Err("`s_nop` waits for at most 8 states".into());
    }
    if let (Some(0), Some(1)) = (inst.get("row_mask"), inst.get("bound_ctrl")) {
        return Err(format!("`{name}` writes no row"));
    }
    Ok(())
}

/// Checks that hardware defines what the instruction does (sections 2, 3, 12).
///
/// # Errors
/// One sentence naming the rule.
pub fn defined(inst: &Inst<Gcn>, generation: u8) -> Result<(), String> {
    let row = inst.row();
    let name = row.text;
    if matches!(row.attrs.unit, Unit::Valu | Unit::Trans) {
        constant_bus(inst)?;
    }
    if row.attrs.format == Format::Mimg && inst.get("dmask") == Some(0) {
        return Err(format!("`{name}` with an empty dmask is undefined"));
    }
    if let Operation::Image(ImageOp { kind: ImageKind::Atomic(op), .. }) = row.attrs.operation {
        let wide = op.compares();
        if !inst.get("dmask").is_some_and(|m| matches!((m, wide), (1 | 3, false) | (3 | 15, true))) {
            return Err(format!("`{name}` has the wrong components in dmask"));
        }
    }
    if matches!(row.attrs.unit, Unit::Valu | Unit::Trans) {
        half_operands(inst, generation)?;
    }
    if row.operands.iter().any(|s| s.kind == Kind::ImgGather) && inst.get("dmask").is_some_and(|m| m.count_ones() != 1)
    {
        return Err(format!("`{name}` needs exactly one component in dmask"));
    }
    fail_if!(inst.get("tfe") == Some(1) && inst.get("lds") == Some(1), format!("`{name}` cannot combine tfe and lds"));
    if row.attrs.format == Format::Ds && inst.get("gds") == Some(1) && inst.op() == Op::DsSwizzleB32 {
        return Err("`ds_swizzle_b32` does not access memory: no gds".into());
    }
    if matches!(inst.op(), Op::VReadlaneB32 | Op::VReadfirstlaneB32) && inst.get("vdst").is_some_and(|d| d > M0) {
        return Err(format!("`{name}` cannot write EXEC"));
    }
    if matches!(inst.op(), Op::VMacF32 | Op::VMacF16) && inst.get("dst_sel").is_some_and(|d| d != 6) {
        return Err(format!("`{name}` accumulates whole dwords only"));
    }
    for (slot, v) in row.operands.iter().zip(inst.vals) {
        if matches!(slot.kind, Kind::SReg(_)) && slot.role != Role::Use && (108..M0).contains(&v) {
            return Err(format!("`{name}` writes trap handler registers"));
        }
        fail_if!(matches!(slot.kind, Kind::SRegSrc(_)) && v >= 128, format!("`{name}` needs a register, not a flag"));
        if slot.kind == Kind::Flag(Flag::R128) && v == 1 && inst.get("da") == Some(1) {
            return Err(format!("`{name}`: a 128-bit descriptor has no arrays"));
        }
    }
    Ok(())
}

/// Whether operands are 16-bit integers.
fn integer16(inst: &Inst<Gcn>) -> bool {
    matches!(inst.row().attrs.number, Number::I16 | Number::U16)
}

/// 16-bit operands: only integer constants where the operand is an integer (section 2).
fn half_operands(inst: &Inst<Gcn>, generation: u8) -> Result<(), String> {
    let row = inst.row();
    let integer = integer16(inst);
    if !integer && row.attrs.number != Number::F16 {
        return Ok(());
    }
    for (slot, v) in row.operands.iter().zip(inst.vals) {
        // Floating constants of 16 bits came with the 16-bit arithmetic of gfx8.
        let integer = integer || generation != GFX8;
        if integer && matches!(slot.kind, Kind::Src(..)) && (240..=248).contains(&(v & 0x1ff)) {
            return Err(format!("`{}` takes only integer constants", row.text));
        }
    }
    Ok(())
}

/// Checks that a vector instruction reads one distinct scalar item at most (section 2). A pair and one of its halves are two items.
fn constant_bus(inst: &Inst<Gcn>) -> Result<(), String> {
    let row = inst.row();
    let mut item: Option<(u32, u8)> = None;
    let mut ok = true;
    let mut read = |code: u32, n: u8| match item {
        Some(i) if i != (code, n) => ok = false,
        _ => item = Some((code, n)),
    };
    for (slot, v) in row.operands.iter().zip(inst.vals) {
        if slot.role != Role::Use && slot.kind != Kind::Literal {
            continue;
        }
        match slot.kind {
            Kind::Src(n, _) => {
                let code = v & 0x1ff;
                if code < 128 || (251..=LDS_DIRECT).contains(&code) {
                    read(code, n);
                }
            }
            Kind::SReg(n) => read(v, n),
            Kind::Vcc => read(VCC, 2),
            Kind::SSrc(n) if !(128..251).contains(&v) => read(v, n),
            Kind::Literal => read(LITERAL, 1),
            _ => {}
        }
    }
    if inst.op() == Op::VMovreldB32 {
        read(M0, 1);
    }
    if row.implicit.iter().any(|i| i.name == "vcc" && i.read) && !row.operands.iter().any(|s| s.kind == Kind::Vcc) {
        read(VCC, 2);
    }
    if ok { Ok(()) } else { Err(format!("`{}` reads more than one scalar operand", row.text)) }
}
