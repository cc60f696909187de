//! Rejects code that the bits allow but the chips do not: reserved field values (decoding), and the legality rules of reference
//! section 16.5 (emission and execution).

use gpucc_isa::{Inst, ModValue, OperandSpec, Role, Word, fail_if};

use crate::modifiers::{self, Cond, Round, Type};
use crate::operand::{
    GROUP_IMMEDIATE, GROUP_INTERNAL, GROUP_TEMP, GROUP_TEMP_FULL, GROUP_UNIFORM, GROUP_UNIFORM_HIGH, Immediate, Source,
    dst,
};
use crate::rows::{Class, Kind, Op};
use crate::{GC2000, GC7000, Vivante};

/// Temporaries of a thread (section 13).
pub const TEMPS: u32 = 64;

/// Uniform registers of a compute program (section 8.4; on gc2000 the larger of its two stages).
pub const UNIFORMS: [u32; 3] = [168, 256, 256];

/// Instructions of a program: the on-chip store of gc2000 without instruction cache, else what the signed 15-bit
/// TARGET reaches (sections 3 and 13).
pub const INSTRUCTIONS: [u32; 3] = [512, 16_383, 16_383];

/// Bytes of LOCAL storage (section 13, read as KiB).
pub const LOCAL_BYTES: [u32; 3] = [1 << 10, 1 << 10, 16 << 10];

/// Bits that hold a reserved member of an enumeration, or belong to an absent operand.
pub fn reserved(inst: &Inst<Vivante>) -> Word {
    let mut bad = 0;
    for (s, &v) in inst.row().operands.iter().zip(&inst.vals) {
        let wrong = match s.kind {
            Kind::Cond => Cond::from_bits(v).is_none(),
            Kind::Thread => v == 3,
            Kind::Silent => s.name == "thread" && v == 3,
            Kind::Dst => v & 7 > 4,
            Kind::DstOpt => v & 7 > 4 || v >> 14 == 0 && v != 0,
            Kind::Src => bad_source(v),
            Kind::SrcOpt => bad_source(v & 0x1ff_ffff) || v >> 25 == 0 && v != 0,
            Kind::Tex => v >> 5 & 7 > 4,
            Kind::Flag(_)
            | Kind::Pack
            | Kind::Type
            | Kind::Round
            | Kind::Shift
            | Kind::MemMask
            | Kind::VoidMask
            | Kind::Target => false,
        };
        if wrong {
            bad |= s.field.mask();
        }
    }
    bad
}

fn bad_source(v: u32) -> bool {
    let s = Source::new(v);
    match s.group {
        GROUP_IMMEDIATE => false,
        5 | 6 => true,
        _ => s.amode > 4,
    }
}

/// Whether chips of this generation have the single-uniform rule.
pub const fn single_uniform(generation: u8) -> bool {
    generation != GC7000
}

/// Whether LOG, SIN, COS have their pair form.
pub const fn fast_transcendentals(generation: u8) -> bool {
    generation != GC2000
}

/// Sources that are present: slot name and raw value.
pub fn sources(inst: &Inst<Vivante>) -> impl Iterator<Item = (&'static str, Source, u32)> + '_ {
    inst.row().operands.iter().zip(inst.vals).filter_map(|(s, v)| match s.kind {
        Kind::Src => Some((s.name, Source::new(v), v)),
        Kind::SrcOpt if v >> 25 == 1 => Some((s.name, Source::new(v & 0x1ff_ffff), v & 0x1ff_ffff)),
        _ => None,
    })
}

/// Whether an instruction takes one lane and broadcasts the result.
pub fn is_scalar(inst: &Inst<Vivante>, generation: u8) -> bool {
    inst.op().is_scalar(modifiers::ty(inst).unwrap_or(Type::F32), generation)
}

/// The rules of section 16.5 that one instruction can be judged by. What they refuse the interpreter refuses too.
///
/// # Errors
/// One sentence naming the rule and the section.
pub fn check(inst: &Inst<Vivante>, generation: u8) -> Result<(), String> {
    let row = inst.row();
    if row.attrs.class == Class::Unknown {
        return Err(format!("what `{:?}` does is unknown (section {})", row.op, row.source));
    }
    let get = |name| inst.get(name).unwrap_or(0);
    let t = modifiers::ty(inst).unwrap_or(Type::F32);
    registers(inst, generation)?;
    check_operands(inst, generation)?;
    check_uniforms(inst, generation)?;
    if get("thread") != 0 || get("hp") != 0 || inst.get("unk").is_some_and(|u| u > 1) {
        return Err("dual-16 thread select or full-precision destination outside of dual-16 mode".into());
    }
    fail_if!(modifiers::round(inst) == Round::Reserved, "rounding mode 3 is reserved".into());
    if inst.get("pack") == Some(0) && !t.is_word() {
        return Err(format!("`.pack` with type {} has an unknown effect", word(t)));
    }
    check_condition(inst)?;
    check_type(inst, t)?;
    check_lanes(inst, generation)
}

/// Whether the registers that an instruction names exist.
///
/// # Errors
/// One sentence with the first that does not.
pub fn registers(inst: &Inst<Vivante>, generation: u8) -> Result<(), String> {
    for (name, s, _) in sources(inst) {
        match s.group {
            GROUP_TEMP if s.reg >= TEMPS => return Err(format!("{name}: t{} does not exist", s.reg)),
            GROUP_UNIFORM if s.reg >= UNIFORMS[generation as usize] => {
                return Err(format!("{name}: u{} does not exist on this chip", s.reg));
            }
            _ => {}
        }
    }
    for v in defs(inst) {
        let (reg, ..) = dst::parts(v);
        fail_if!(reg >= TEMPS, format!("destination t{reg} does not exist"));
    }
    Ok(())
}

/// Raw values of the destinations that are present.
fn defs(inst: &Inst<Vivante>) -> impl Iterator<Item = u32> + '_ {
    let present =
        |(s, v): &(&OperandSpec<Vivante>, u32)| s.role == Role::Def && (*v != 0 || !matches!(s.kind, Kind::DstOpt));
    inst.row().operands.iter().zip(inst.vals).filter(present).map(|(_, v)| v)
}

fn check_operands(inst: &Inst<Vivante>, generation: u8) -> Result<(), String> {
    for (name, s, raw) in sources(inst) {
        match s.group {
            GROUP_IMMEDIATE => {
                fail_if!(generation == GC2000, format!("{name}: gc2000 has no immediates"));
                if let Immediate::F16(_) = Immediate::new(raw) {
                    return Err(format!("{name}: half-float immediates belong to dual-16 mode"));
                }
            }
            GROUP_TEMP_FULL => return Err(format!("{name}: `th` registers belong to dual-16 mode")),
            GROUP_UNIFORM if s.amode != 0 && generation == GC7000 => {
                return Err(format!("{name}: uniforms are not indexed by a0 on this chip"));
            }
            GROUP_UNIFORM_HIGH => return Err(format!("{name}: uniform bank 1 is not to be used")),
            GROUP_INTERNAL if s.reg != 0 => return Err(format!("{name}: only i0 is known")),
            _ => {}
        }
    }
    for v in defs(inst) {
        let (_, mask, amode) = dst::parts(v);
        fail_if!(mask == 0 && inst.op() != Op::Nop, "empty write mask".into());
        if amode != 0 && matches!(inst.op(), Op::Movar | Op::Movai) {
            return Err("indexed destination of an address write".into());
        }
    }
    Ok(())
}

fn check_uniforms(inst: &Inst<Vivante>, generation: u8) -> Result<(), String> {
    if !single_uniform(generation) {
        return Ok(());
    }
    let mut first: Option<Source> = None;
    for (_, s, _) in sources(inst).filter(|(_, s, _)| s.is_uniform()) {
        match first {
            None => first = Some(s),
            Some(f) if (f.group, f.reg, f.amode) != (s.group, s.reg, s.amode) => {
                return Err(format!(
                    "reads two uniforms, u{} and u{}: this chip reads one in an instruction",
                    f.reg, s.reg
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// A modifier as listings write it.
fn word(m: impl core::fmt::Debug) -> String {
    format!("{m:?}").to_ascii_lowercase()
}

fn check_condition(inst: &Inst<Vivante>) -> Result<(), String> {
    if inst.get("cond").is_none() {
        return Ok(());
    }
    let c = modifiers::cond(inst);
    fail_if!(matches!(c, Cond::And | Cond::Or | Cond::Xor), format!("condition `.{}` has an unknown meaning", word(c)));
    let unary = !c.is_binary() && c != Cond::Always;
    let ok = match inst.op() {
        Op::Branch | Op::Call | Op::Texkill => c == Cond::Always,
        Op::BranchUnary | Op::TexkillUnary => unary,
        Op::BranchBinary | Op::TexkillBinary | Op::BranchAny => c.is_binary(),
        Op::Load | Op::Store | Op::ImgLoad | Op::ImgStore | Op::ImgLoad3d | Op::ImgStore3d => c == Cond::Always,
        _ => true,
    };
    if ok { Ok(()) } else { Err(format!("condition `.{}` does not fit the operands", word(c))) }
}

fn check_type(inst: &Inst<Vivante>, t: Type) -> Result<(), String> {
    let op = inst.op();
    let row = inst.row();
    if t.is_integer() && sources(inst).any(|(_, s, _)| s.abs && s.group != GROUP_IMMEDIATE) {
        return Err("the absolute-value modifier has no known meaning on integers".into());
    }
    if !row.attrs.types.has(t) {
        return Err(format!("`{op:?}` with type {} has no known meaning (section {})", word(t), row.source));
    }
    if inst.get("sat") == Some(1) {
        let float_result = match op {
            Op::I2f | Op::Set => true,
            Op::F2i | Op::F2irnd | Op::Movar | Op::MovarVoid | Op::Movai | Op::MovaiVoid => false,
            _ if op.has_pair() && modifiers::round(inst) == Round::Zero => false,
            Op::Conv => t == Type::F32,
            _ => t == Type::F32 && !matches!(inst.row().attrs.class, Class::IntVector | Class::Memory | Class::Control),
        };
        if !float_result || is_integer_only(op) {
            return Err("`.sat` needs a float result of its own (sections 4.2, 7.4, 16.5)".into());
        }
    }
    Ok(())
}

fn is_integer_only(op: Op) -> bool {
    matches!(op, Op::Imullo0 | Op::Imulhi0 | Op::Idiv0 | Op::Imod | Op::Imadlo0 | Op::Imadlosat0)
}

fn check_lanes(inst: &Inst<Vivante>, generation: u8) -> Result<(), String> {
    let op = inst.op();
    let mask = inst.get("dst").map(|v| dst::parts(v).1).or_else(|| inst.get("mask")).unwrap_or(15);
    let pair = op.has_pair() && fast_transcendentals(generation);
    if pair {
        if modifiers::round(inst) != Round::Zero {
            return Err("needs `.rtz`: with fast transcendentals the plain form is unknown".into());
        }
        fail_if!(mask.count_ones() != 2, "the pair form writes exactly two lanes".into());
    }
    if is_scalar(inst, generation) {
        for (name, s, _) in sources(inst) {
            if !s.is_broadcast() {
                return Err(format!("{name}: a scalar operation takes a broadcast swizzle (sections 7.3, 16.5)"));
            }
        }
    }
    if generation == GC2000 && matches!(op, Op::Sin | Op::Cos) {
        let d = inst.get("dst").map_or(0, |v| dst::parts(v).0);
        if sources(inst).any(|(_, s, _)| s.group == GROUP_TEMP && s.reg == d) {
            return Err("source and destination register of SIN and COS must differ on gc2000".into());
        }
    }
    match op {
        Op::Load if !matches!(mask, 1 | 2 | 3 | 4 | 6 | 7 | 8 | 12 | 14 | 15) => {
            Err("the lanes of a load must be contiguous".into())
        }
        Op::Store if !matches!(mask, 1 | 3 | 7 | 15) => Err("a store writes leading lanes".into()),
        Op::ImgLoad | Op::ImgStore => check_image(inst, mask),
        Op::MovarVoid | Op::MovaiVoid if mask == 0 => Err("writes no component of a0".into()),
        Op::BranchUnary | Op::BranchBinary if sources(inst).any(|(_, s, _)| !s.is_broadcast()) => {
            Err("branch operands take broadcast swizzles".into())
        }
        Op::Dsx | Op::Dsy if inst.get("src0") != inst.get("src2") => {
            Err("a derivative takes the same operand in slots 0 and 2".into())
        }
        Op::Conv | Op::I2i => {
            let imm = inst.get("src1").map_or(0, |v| v);
            if Source::new(imm).group == GROUP_IMMEDIATE { Ok(()) } else { Err("source 1 must be an immediate".into()) }
        }
        _ => Ok(()),
    }
}

/// Texels of whole words alone have a known place; what converts others is not known (10.4).
fn check_image(inst: &Inst<Vivante>, mask: u32) -> Result<(), String> {
    let get = |name, plain| inst.get(name).unwrap_or(plain) != plain;
    fail_if!(get("pack", 1) || get("sat", 0), "how image instructions convert texels is unknown (section 10.4)".into());
    fail_if!(get("local", 0) || get("shift", 0), "`.local` and a shift have no known meaning on images".into());
    if matches!(mask, 1 | 3 | 15) { Ok(()) } else { Err("a texel has 1, 2 or 4 words from x on".into()) }
}
