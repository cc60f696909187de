//! Rejects code that decodes but must not be emitted (sections 2 and 7 of the ISA reference).

use gpucc_isa::{Role, fail_if};

use crate::build::flow;
use crate::kind::{DstKind, Kind};
use crate::modifiers::{ByteLane, HalfLane};
use crate::operand::{Operand, Src, operand};
use crate::text::run_length;
use crate::{Class, Op, ValhallInst, reserved_values};

/// Uniform words that known devices implement: 64 slots of two (2.1).
pub(crate) const UNIFORM_WORDS: u8 = 128;

pub(crate) fn validate(inst: &ValhallInst) -> Result<(), String> {
    fail_if!(reserved_values(inst) != 0, format!("reserved values in bits {:#x}", reserved_values(inst)));
    registers(inst)?;
    fau(inst)?;
    messages(inst)
}

/// Pairs and runs (2.2 to 2.4).
fn registers(inst: &ValhallInst) -> Result<(), String> {
    let page = inst.get("page").unwrap_or(0) as u8;
    for (i, s) in inst.row().operands.iter().enumerate() {
        let v = inst.vals[i];
        match s.kind {
            Kind::Dst(DstKind::Word) if v >> 6 != 3 => {
                return Err("a half of a 32-bit result cannot be written alone".into());
            }
            Kind::Dst(DstKind::Pair) if v >> 6 != 3 || v & 1 != 0 => {
                return Err(format!("64-bit result in r{}: needs an even register and the full mask", v & 63));
            }
            Kind::Src(k) if k.wide => match operand(v as u8, page) {
                Operand::Reg(n, _) if n & 1 != 0 => {
                    return Err(format!("64-bit operand in r{n}: pairs start at even registers"));
                }
                Operand::Uniform(n) if n & 1 != 0 => {
                    return Err(format!("64-bit operand in u{n}: pairs start at even words"));
                }
                Operand::Special(sp, 1) => {
                    return Err(format!("64-bit operand names the high word of {}", sp.name));
                }
                _ => {}
            },
            Kind::Run { .. } => {
                let len = run_length(inst, i);
                if len >= 2 && v & 1 != 0 {
                    return Err(format!("run of {len} registers at r{v}: runs start at even registers"));
                }
                fail_if!(v + len > 64, format!("run of {len} registers at r{v} goes beyond r63"));
                fail_if!(len == 0 && v != 0, format!("empty run at r{v}: the base must be 0"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Uniforms, immediates and specials (7.1, 7.2).
fn fau(inst: &ValhallInst) -> Result<(), String> {
    let class = inst.row().attrs.class;
    let strict = !class.is_message() || matches!(inst.op(), Op::Atest | Op::Blend);
    let page = inst.get("page").unwrap_or(0) as u8;
    let mut bytes: Vec<u8> = Vec::new();
    let mut slots: Vec<u8> = Vec::new();
    let mut specials: Vec<&str> = Vec::new();
    for (s, &v) in inst.row().operands.iter().zip(&inst.vals) {
        let Kind::Src(kind) = s.kind else { continue };
        let src = Src::unpack(kind, v, page);
        match operand(src.byte, page) {
            Operand::Reg(..) => continue,
            Operand::Uniform(n) => {
                fail_if!(n >= UNIFORM_WORDS, format!("u{n}: devices have {UNIFORM_WORDS} uniform words"));
                if !slots.contains(&(n >> 1)) {
                    slots.push(n >> 1);
                }
            }
            Operand::Lut(_) => {
                fail_if!(page != 0, "an immediate together with FAU page other than 0 (7.1 rule 1)".into());
            }
            Operand::Special(sp, _) => {
                fail_if!(kind.mods.is_float(), format!("{} as a float operand", sp.name));
                if class.is_message() && (sp.page == 3 || sp.name == "warp_id") {
                    return Err(format!("{} in a message: copy it to a register first", sp.name));
                }
                if !specials.contains(&sp.name) {
                    specials.push(sp.name);
                }
            }
            // Refused before.
            Operand::Reserved => {}
        }
        if !bytes.contains(&src.byte) {
            bytes.push(src.byte);
        }
    }
    fail_if!(page != 0 && bytes.is_empty(), format!("FAU page {page} without an operand on it"));
    fail_if!(bytes.len() > 2, "more than two FAU words (7.1 rule 3)".into());
    fail_if!(strict && slots.len() > 1, "two uniform slots in one instruction (7.1 rule 2)".into());
    fail_if!(slots.len() > 2, "three uniform slots in one message".into());
    fail_if!(specials.len() > 1, "two specials in one instruction (7.1 rule 4)".into());
    if strict && !specials.is_empty() && !slots.is_empty() {
        return Err("a special together with a uniform (7.1 rule 5)".into());
    }
    Ok(())
}

/// Slots, counts and flow of messages (section 9, 15).
fn messages(inst: &ValhallInst) -> Result<(), String> {
    let f = inst.get("flow").unwrap_or(0);
    match inst.op() {
        Op::Barrier => {
            fail_if!(inst.get("slot") != Some(7), "BARRIER uses slot 7".into());
            fail_if!(f != flow::WAIT, "BARRIER carries the flow `wait` (9.1 rule 5)".into());
        }
        op => {
            fail_if!(inst.get("slot") == Some(7), "slot 7 belongs to BARRIER".into());
            if matches!(op, Op::AtomI32 | Op::AtomI64) && inst.get("atom_opc") == Some(15) {
                return Err("axchg must return its value (15)".into());
            }
            if inst.get("compare") == Some(1) && inst.get("atom_opc") != Some(15) {
                return Err("`.compare` goes with axchg only (15)".into());
            }
        }
    }
    fail_if!(f == flow::DISCARD && inst.row().attrs.class == Class::Barrier, "a barrier cannot discard".into());
    if let Some(want) = staging_registers(inst) {
        let have = inst.get("sr_count").unwrap_or(0);
        fail_if!(have != want, format!("staging run of {have} registers, the access has {want}"));
    }
    Ok(())
}

/// How many registers the run at bit 40 of a memory access must have.
pub(crate) fn staging_registers(inst: &ValhallInst) -> Option<u32> {
    let row = inst.row();
    let bytes = u32::from(row.attrs.bytes);
    if bytes == 0 {
        return None;
    }
    if let Some(lane) = inst.get("load_lane") {
        let double = match bytes {
            1 => lane == ByteLane::D0 as u32,
            2 => lane == HalfLane::D0 as u32,
            4 => lane == 1,
            _ => false,
        };
        return Some(if double { 2 } else { bytes.div_ceil(4) });
    }
    // The result of an atomic with 1 may be left out.
    let reads = row.operand("sr").is_some_and(|k| row.operands[k].role == Role::Use);
    reads.then(|| if inst.get("compare") == Some(1) { 2 } else { 1 } * bytes.div_ceil(4))
}
