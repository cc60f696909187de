//! Code decoded once per launch into a dense vector of instructions with their operands resolved.

use gpucc_isa::{Inst, Role};
use gpucc_sim::TrapKind;

use crate::isa::{Flag, Format, GFX8, Gcn, Kind, Mods};
use crate::listing;
use crate::operand::{self, LITERAL, VCC};
use crate::rows::{self, build::NO_ROW};
use crate::{Access, Attrs, Number, Op, Operation, Unit};

/// A source as the executor reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Src {
    /// Not there.
    None,
    /// First VGPR of a tuple.
    V(u8),
    /// First scalar register of a tuple.
    S(u8),
    /// Constant, as wide as the operand.
    K(u64),
    /// VCCZ, EXECZ, SCC or LDS_DIRECT as a value.
    Special(u8),
}

/// A register tuple: codes below 128 are scalar, from 256 VGPRs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regs {
    pub first: u16,
    pub count: u8,
    /// Lanes do not matter: all of a read counts (v_readlane checks its lane itself).
    pub any_lane: bool,
}

/// Modifiers that only some instructions have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra {
    pub dst_sel: u8,
    pub dst_unused: u8,
    pub sel: [u8; 2],
    pub sext: [bool; 2],
    pub dpp_ctrl: u16,
    pub row_mask: u8,
    pub bank_mask: u8,
    pub bound_ctrl: bool,
}

/// One instruction, ready to execute.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub op: Op,
    pub format: Format,
    pub unit: Unit,
    /// Issue cycles of a wave.
    pub cycles: u8,
    pub access: Access,
    pub operation: Operation,
    /// EXEC is written without an operand for it.
    pub writes_exec: bool,
    /// Byte address and address of the next instruction.
    pub at: u32,
    pub next: u32,
    /// VGPR number or scalar code of the destination; 0xffff for none.
    pub dst: u16,
    pub dst_width: u8,
    /// Scalar pair of a mask destination (0xff: none).
    pub sdst: u8,
    /// Scalar pair of a mask source (0xff: none).
    pub mask: u8,
    pub src: [Src; 3],
    pub neg: u8,
    pub abs: u8,
    pub omod: u8,
    pub clamp: bool,
    pub imm: u32,
    pub extra: Extra,
    pub reads: Vec<Regs>,
    pub writes: Vec<Regs>,
    /// Undefined values are copied, not used: plain moves and selects.
    pub copies: bool,
    /// Flags and fields of memory instructions, by name.
    pub mem: Mem,
    /// Index of the instruction that a branch goes to, if there is one.
    pub target: Option<u32>,
    /// Why executing it traps.
    pub fault: Option<(TrapKind, String)>,
}

/// Fields of memory instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mem {
    pub data: u8,
    pub data_width: u8,
    pub data1: u8,
    pub data1_width: u8,
    pub addr: u8,
    pub rsrc: u8,
    /// Scalar memory: the base is a buffer descriptor.
    pub descriptor: bool,
    pub offset: u32,
    pub offset1: u32,
    pub offen: bool,
    pub idxen: bool,
    pub addr64: bool,
    pub glc: bool,
    pub tfe: bool,
    pub lds: bool,
    pub gds: bool,
    pub format: u8,
    /// Upper halves of the words of parameters.
    pub high: bool,
    pub image: Image,
    pub export: Export,
}

/// Fields of exports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Export {
    /// Components that are written.
    pub enabled: u8,
    /// Two halves in each of two registers.
    pub compressed: bool,
    pub done: bool,
    pub valid: bool,
    /// Registers of the components.
    pub src: [u8; 4],
}

/// Fields that only image instructions have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Image {
    /// First SGPR of the sampler descriptor.
    pub sampler: u8,
    pub dmask: u8,
    /// Coordinates are in texels.
    pub unorm: bool,
    /// A slice or face is among the coordinates.
    pub da: bool,
    /// The texture descriptor has four words.
    pub r128: bool,
    pub lwe: bool,
    /// Whether data are halves in registers.
    pub d16: bool,
}

/// Registers that the metadata allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub sgprs: u32,
    pub vgprs: u32,
    /// Held to what our compiler keeps, beyond what hardware needs.
    pub conventions: bool,
}

/// Constant `code` as an operand of `width` dwords of an instruction reads it (section 2).
pub(crate) fn constant(code: u32, width: u8, number: Number, generation: u8) -> u64 {
    #[rustfmt::skip]
    const F64: [u64; 9] = [
        0x3fe0_0000_0000_0000, 0xbfe0_0000_0000_0000, 0x3ff0_0000_0000_0000, 0xbff0_0000_0000_0000,
        0x4000_0000_0000_0000, 0xc000_0000_0000_0000, 0x4010_0000_0000_0000, 0xc010_0000_0000_0000,
        0x3fc4_5f30_6dc9_c882,
    ];
    #[rustfmt::skip]
    const F32: [u32; 9] = [
        0x3f00_0000, 0xbf00_0000, 0x3f80_0000, 0xbf80_0000, 0x4000_0000, 0xc000_0000, 0x4080_0000, 0xc080_0000,
        0x3e22_f983,
    ];
    const F16: [u16; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
    match code {
        128..=192 => u64::from(code - 128),
        193..=208 if width == 2 => (192 - i64::from(code)) as u64,
        193..=208 => u64::from((192 - code as i32) as u32),
        240..=248 => {
            let i = code as usize - 240;
            if width == 2 && number == Number::F64 {
                F64[i]
            } else if number == Number::F16 && generation == GFX8 {
                F16[i].into()
            } else {
                F32[i].into()
            }
        }
        _ => 0,
    }
}

fn literal(value: u32, width: u8, number: Number) -> Result<u64, (TrapKind, String)> {
    if width < 2 {
        return Ok(value.into());
    }
    if number == Number::F64 {
        return Ok(u64::from(value) << 32);
    }
    if value >> 31 == 1 {
        // Sources disagree whether it is extended by sign or by zero (section 2).
        return Err((TrapKind::Unsupported, "a literal with bit 31 set as 64-bit integer is not defined".into()));
    }
    Ok(value.into())
}

/// Decodes `code` of a stage (a bit of [`gpucc_isa::stage`]). Words that do not decode become instructions that trap when
/// they are reached.
pub(crate) fn predecode(code: &[u8], generation: u8, stage: u8, limits: Limits) -> Vec<Decoded> {
    let mut out: Vec<Decoded> = Vec::new();
    let mut at = 0;
    while at < code.len() {
        match listing::decode(&code[at..], generation, stage) {
            Ok((inst, length)) => {
                out.push(one(&inst, at as u32, length as u32, generation, limits));
                at += length;
            }
            Err(e) => {
                let kind = match &e {
                    listing::Refusal::Bits(gpucc_isa::DecodeError::Reserved(_)) | listing::Refusal::Operand(_) => {
                        TrapKind::Reserved
                    }
                    _ => TrapKind::Undecodable,
                };
                let mut d = blank(Op::SNop, &NO_ROW.attrs, at as u32, 4);
                d.fault = Some((kind, e.to_string()));
                out.push(d);
                at += 4;
            }
        }
    }
    let starts: Vec<u32> = out.iter().map(|d| d.at).collect();
    for d in &mut out {
        if matches!(d.format, Format::Sopp | Format::Sopk) && d.target.is_some() {
            let to = i64::from(d.next) + i64::from(d.imm as u16 as i16) * 4;
            d.target = u32::try_from(to).ok().and_then(|t| starts.binary_search(&t).ok()).map(|i| i as u32);
        }
    }
    out
}

fn blank(op: Op, facts: &Attrs, at: u32, length: u32) -> Decoded {
    Decoded {
        op,
        format: facts.format,
        unit: facts.unit,
        cycles: facts.cycles,
        access: facts.access,
        operation: facts.operation,
        writes_exec: false,
        at,
        next: at + length,
        dst: 0xffff,
        dst_width: 0,
        sdst: 0xff,
        mask: 0xff,
        src: [Src::None; 3],
        neg: 0,
        abs: 0,
        omod: 0,
        clamp: false,
        imm: 0,
        extra: Extra { dst_sel: 6, sel: [6; 2], row_mask: 15, bank_mask: 15, ..Extra::default() },
        reads: Vec::new(),
        writes: Vec::new(),
        copies: false,
        mem: Mem::default(),
        target: None,
        fault: None,
    }
}

/// Texts of registers beyond the metadata's claim.
fn beyond(regs: Regs, limits: Limits) -> Option<String> {
    let last = u32::from(regs.first) + u32::from(regs.count) - 1;
    if regs.first >= 256 {
        let last = last - 256;
        return (last >= limits.vgprs).then(|| format!("v{last} is used, the metadata claims {}", limits.vgprs));
    }
    if (u32::from(regs.first)) < 102 && last >= limits.sgprs {
        return Some(format!("s{last} is used, the metadata claims {}", limits.sgprs));
    }
    // 102 to 105: SGPRs, FLAT_SCRATCH or XNACK_MASK by generation; claimed only as SGPRs.
    if (102..106).contains(&regs.first) && last >= limits.sgprs {
        return Some("FLAT_SCRATCH and XNACK_MASK are not set up by this launcher".into());
    }
    (108..124).contains(&regs.first).then(|| "trap handler registers are privileged".into())
}

/// A one-bit modifier.
fn set_flag(d: &mut Decoded, f: Flag, on: bool) {
    match f {
        Flag::Glc => d.mem.glc = on,
        Flag::Tfe => d.mem.tfe = on,
        Flag::Lds => d.mem.lds = on,
        Flag::Gds => d.mem.gds = on,
        Flag::Offen => d.mem.offen = on,
        Flag::Idxen => d.mem.idxen = on,
        Flag::Addr64 => d.mem.addr64 = on,
        Flag::Clamp => d.clamp = on,
        Flag::BoundCtrl => d.extra.bound_ctrl = on,
        Flag::Unorm => d.mem.image.unorm = on,
        Flag::Da => d.mem.image.da = on,
        Flag::R128 => d.mem.image.r128 = on,
        Flag::Lwe => d.mem.image.lwe = on,
        Flag::D16 => d.mem.image.d16 = on,
        Flag::Compr => d.mem.export.compressed = on,
        Flag::Done => d.mem.export.done = on,
        Flag::Vm => d.mem.export.valid = on,
        Flag::High => d.mem.high = on,
        _ => {}
    }
}

/// A scalar tuple, by the slot that names it.
fn scalar_tuple(d: &mut Decoded, name: &str, v: u32, n: u8) {
    match name {
        "mask" => d.mask = v as u8,
        "sdst" if !matches!(d.format, Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Smrd | Format::Smem) => {
            d.sdst = v as u8;
        }
        "offset" => d.src[1] = Src::S(v as u8),
        "sdata" => {
            d.mem.data = v as u8;
            d.mem.data_width = n;
        }
        _ => {
            d.dst = v as u16;
            d.dst_width = n;
        }
    }
}

/// A VGPR tuple, by the slot that names it; `k` is the number of a source.
fn vector_tuple(d: &mut Decoded, name: &str, (v, n): (u32, u8), k: usize) {
    match name {
        "src0" | "src1" | "vsrc" => d.src[k] = Src::V(v as u8),
        "vdst" => {
            d.dst = v as u16;
            d.dst_width = n;
        }
        "vdata" | "data0" | "data" => {
            d.mem.data = v as u8;
            d.mem.data_width = n;
        }
        "data1" => {
            d.mem.data1 = v as u8;
            d.mem.data1_width = n;
        }
        _ => d.mem.addr = v as u8,
    }
}

/// A source of the vector ALU by its code.
fn vector_source(code: u32, n: u8, number: Number, generation: u8) -> Src {
    match code {
        256.. => Src::V((code - 256) as u8),
        0..128 => Src::S(code as u8),
        251..256 => Src::Special(code as u8),
        _ => Src::K(constant(code, n, number, generation)),
    }
}

fn one(inst: &Inst<Gcn>, at: u32, length: u32, generation: u8, limits: Limits) -> Decoded {
    let row = inst.row();
    let number = row.attrs.number;
    let mut d = blank(row.op, &row.attrs, at, length);
    d.writes_exec = rows::writes_exec(row);
    let fail = |d: &mut Decoded, e: (TrapKind, String)| {
        d.fault.get_or_insert(e);
    };
    for (i, slot) in row.operands.iter().enumerate() {
        let v = inst.vals[i];
        let read = slot.role == Role::Use || slot.role == Role::UseDef;
        let write = slot.role == Role::Def || slot.role == Role::UseDef;
        let mut regs = None;
        let k = usize::from(slot.name == "src1") + 2 * usize::from(slot.name == "src2");
        match slot.kind {
            Kind::SReg(n) | Kind::SData(n) => {
                regs = Some((v, n));
                scalar_tuple(&mut d, slot.name, v, n);
            }
            Kind::SRegSrc(n) | Kind::SSrc(n) => {
                let k = if slot.name == "soffset" { 1 } else { k };
                d.src[k] = if v < 128 {
                    regs = Some((v, n));
                    Src::S(v as u8)
                } else if v == LITERAL {
                    match literal(inst.get("lit").unwrap_or(0), n, number) {
                        Ok(value) => Src::K(value),
                        Err(e) => {
                            fail(&mut d, e);
                            Src::K(0)
                        }
                    }
                } else if v >= 251 {
                    Src::Special(v as u8)
                } else {
                    Src::K(constant(v, n, number, generation))
                };
                if matches!(slot.kind, Kind::SRegSrc(_)) && v >= 128 {
                    fail(&mut d, (TrapKind::Unsupported, "a flag where a register is meant".into()));
                }
            }
            Kind::Src(n, mods) | Kind::VSrc(n, mods) => {
                let (code, neg, abs, sext) = operand::split_mods(v, 9, mods);
                regs = (!(128..256).contains(&code)).then_some((code, n));
                d.src[k] = vector_source(code, n, number, generation);
                d.neg |= u8::from(neg) << k;
                d.abs |= u8::from(abs) << k;
                if sext {
                    fail(&mut d, (TrapKind::Unsupported, "negation of an integer operand is not defined".into()));
                }
            }
            Kind::VMod(mods) => {
                let (code, neg, abs, sext) = operand::split_mods(v, 8, mods);
                debug_assert!(mods != Mods::Neg);
                regs = Some((code + 256, 1));
                d.src[k] = Src::V(code as u8);
                d.neg |= u8::from(neg) << k;
                d.abs |= u8::from(abs) << k;
                d.extra.sext[k.min(1)] = sext;
            }
            Kind::Vgpr(_) | Kind::BufAddr | Kind::ImgData | Kind::ImgGather => {
                let n = operand::vgpr_width(inst, i).unwrap_or(1) as u8;
                if n > 0 {
                    regs = Some((v + 256, n));
                }
                vector_tuple(&mut d, slot.name, (v, n), k);
            }
            Kind::SBase(n) => {
                regs = Some((v * 2, n));
                d.mem.descriptor = n == 4;
                d.mem.rsrc = (v * 2) as u8;
            }
            Kind::SRsrc(n) => {
                regs = Some((v * 4, n));
                match slot.name {
                    "srsrc" => d.mem.rsrc = (v * 4) as u8,
                    "ssamp" => d.mem.image.sampler = (v * 4) as u8,
                    _ => {}
                }
            }
            Kind::Literal => {
                let n = if slot.name == "k" { 1 } else { literal_width(row.op) };
                let k = if slot.name == "k" { 2 } else { k };
                match literal(v, n, number) {
                    Ok(value) => d.src[k] = Src::K(value),
                    Err(e) => fail(&mut d, e),
                }
            }
            Kind::Vcc => {
                regs = Some((VCC, 2));
                if slot.name == "mask" { d.mask = VCC as u8 } else { d.sdst = VCC as u8 }
            }
            Kind::Branch => {
                d.imm = v;
                d.target = Some(0);
            }
            Kind::Hex16
            | Kind::Imm16
            | Kind::EndImm
            | Kind::Waitcnt
            | Kind::SendMsg
            | Kind::Hwreg
            | Kind::GprIdx
            | Kind::Small
            | Kind::InterpParam
            | Kind::ExpTarget => d.imm = v,
            Kind::SOffset | Kind::Attr | Kind::Offset | Kind::Offset0 | Kind::Swizzle => d.mem.offset = v,
            Kind::Offset1 => d.mem.offset1 = v,
            Kind::Flag(f) | Kind::Word(f) => {
                set_flag(&mut d, f, v == 1 || matches!(slot.kind, Kind::Word(_)));
            }
            Kind::Omod => d.omod = v as u8,
            Kind::BufFormat => d.mem.format = v as u8,
            Kind::DppCtrl => d.extra.dpp_ctrl = v as u16,
            Kind::RowMask => d.extra.row_mask = v as u8,
            Kind::BankMask => d.extra.bank_mask = v as u8,
            Kind::DstSel => d.extra.dst_sel = v as u8,
            Kind::SrcSel(n) => d.extra.sel[usize::from(n)] = v as u8,
            Kind::DstUnused => d.extra.dst_unused = v as u8,
            Kind::DMask => d.mem.image.dmask = v as u8,
            Kind::ExpEn => d.mem.export.enabled = v as u8,
            Kind::ExpSrc(k) => {
                if operand::export_reads(inst, k) {
                    regs = Some((v + 256, 1));
                }
                d.mem.export.src[usize::from(k)] = v as u8;
            }
            Kind::LiteralWord => {}
        }
        if let Some((first, count)) = regs {
            let r = Regs { first: first as u16, count, any_lane: false };
            if read {
                d.reads.push(r);
            }
            if write {
                d.writes.push(r);
            }
        }
    }
    adjust(&mut d, limits.conventions);
    // After all additions, so that no register escapes that an instruction touches without a slot for it.
    if let Some(m) = d.reads.iter().chain(&d.writes).find_map(|&r| beyond(r, limits)) {
        fail(&mut d, (TrapKind::BadRegister, m));
    }
    let rule = if limits.conventions { crate::validate::validate } else { crate::validate::defined };
    if let Err(m) = rule(inst, generation) {
        fail(&mut d, (TrapKind::Reserved, m));
    }
    d
}

/// Width in dwords of the operand that a trailing literal replaces.
fn literal_width(op: Op) -> u8 {
    let r = rows::ROWS.iter().find(|r| r.op == op);
    let Some(r) = r else { return 1 };
    r.operands
        .iter()
        .find_map(|s| match (s.name, s.kind) {
            ("src0", Kind::SSrc(n) | Kind::Src(n, _)) => Some(n),
            _ => None,
        })
        .unwrap_or(1)
}

/// The facts that the roles of slots do not say.
fn adjust(d: &mut Decoded, conventions: bool) {
    match d.op {
        Op::SMovB32 | Op::SMovB64 | Op::VMovB32 | Op::VCndmaskB32 | Op::SCselectB32 | Op::SCselectB64 => {
            d.copies = d.format != Format::Sdwa;
        }
        Op::VWritelaneB32 => d.copies = true,
        // Lanes are picked by number, not by EXEC.
        Op::VReadlaneB32 | Op::VReadfirstlaneB32 | Op::DsBpermuteB32 | Op::DsSwizzleB32 | Op::DsPermuteB32 => {
            for r in &mut d.reads {
                r.any_lane = true;
            }
        }
        _ => {}
    }
    // Hardware keeps whatever the other bits are; ours never keep what was not written.
    if conventions && d.format == Format::Sdwa && d.extra.dst_unused == 2 && d.dst != 0xffff && d.extra.dst_sel != 6 {
        d.reads.push(Regs { first: d.dst + 256, count: d.dst_width, any_lane: false });
    }
    if d.op == Op::VWritelaneB32 {
        // Only one lane is written; the others keep what they are.
        d.reads.retain(|r| r.first < 256);
    }
    if d.format == Format::Dpp {
        for r in &mut d.reads {
            if matches!(d.src[0], Src::V(n) if u16::from(n) + 256 == r.first) {
                r.any_lane = true;
            }
        }
    }
    // Returning nothing, an atomic does not write its data register.
    if matches!(d.format, Format::Mubuf) && d.access == Access::Atomic && !d.mem.glc {
        d.writes.clear();
    }
    if d.mem.lds && !d.mem.tfe && d.format == Format::Mubuf {
        d.writes.clear();
    }
    if d.format == Format::Mimg {
        adjust_image(d);
    }
    if d.mem.tfe && matches!(d.format, Format::Mubuf | Format::Mtbuf) {
        let r = Regs { first: u16::from(d.mem.data) + 256 + u16::from(d.mem.data_width), count: 1, any_lane: false };
        d.reads.push(r);
        d.writes.push(r);
    }
}

/// Image instructions: how many address registers there are says the descriptor, so that they are checked when it is read.
/// The status register of TFE is written, never read.
fn adjust_image(d: &mut Decoded) {
    d.mem.data_width -= u8::from(d.mem.tfe);
    d.reads.retain(|r| r.first < 256);
    if d.mem.image.r128 {
        let rsrc = u16::from(d.mem.rsrc);
        d.reads.iter_mut().filter(|r| r.first == rsrc && r.count == 8).for_each(|r| r.count = 4);
    }
    if matches!(d.access, Access::Store | Access::Atomic) {
        let data = u16::from(d.mem.data) + 256;
        d.reads.push(Regs { first: data, count: d.mem.data_width, any_lane: false });
    }
    if d.access == Access::Atomic && !d.mem.glc {
        d.writes.clear();
    }
}
