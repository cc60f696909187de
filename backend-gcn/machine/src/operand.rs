//! Operand codes: raw values of source and destination slots, their names, and which are legal where (reference
//! section 2).

use gpucc_isa::{Inst, fail_if};

use crate::attrs::Number;
use crate::isa::{Flag, GFX6, GFX7, GFX8, Gcn, Kind, Mods};

/// VCC, low half (pair: both).
pub const VCC: u32 = 106;
/// FLAT_SCRATCH, low half, on gfx7.
pub const FLAT_SCRATCH_GFX7: u32 = 104;
/// FLAT_SCRATCH, low half, on gfx8.
pub const FLAT_SCRATCH_GFX8: u32 = 102;
/// M0, which data shares and parameters read.
pub const M0: u32 = 124;
/// EXEC, low half (pair: both).
pub const EXEC: u32 = 126;
/// Inline integer 0; those up to 64 follow.
pub const ZERO: u32 = 128;
/// VCCZ as a value.
pub const VCCZ: u32 = 251;
/// EXECZ as a value.
pub const EXECZ: u32 = 252;
/// SCC as a value.
pub const SCC: u32 = 253;
/// Direct read of the local data share.
pub const LDS_DIRECT: u32 = 254;
/// A literal word follows the instruction.
pub const LITERAL: u32 = 255;

/// Names of the inline floats from code 240 on; gfx8 has 1 / (2 pi) besides.
pub const FLOATS: [&str; 8] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"];
/// The inline floats from code 240 on, as operands of 32 bits read them; the last one is that of gfx8.
#[rustfmt::skip]
pub const FLOATS_32: [u32; 9] = [
    0x3f00_0000, 0xbf00_0000, 0x3f80_0000, 0xbf80_0000, 0x4000_0000, 0xc000_0000, 0x4080_0000, 0xc080_0000, 0x3e22_f983,
];
/// The inline floats as halves read them on gfx8.
pub const FLOATS_16: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];

/// Code of VGPR `n` in a 9-bit source slot ([`Kind::Src`], [`Kind::VSrc`]); other VGPR slots hold the number itself.
pub const fn vgpr(n: u32) -> u32 {
    assert!(n < 256);
    256 + n
}

/// Code of an inline integer (-16 to 64).
pub const fn int(v: i32) -> Option<u32> {
    match v {
        0..=64 => Some(128 + v as u32),
        -16..=-1 => Some(192 + v.unsigned_abs()),
        _ => None,
    }
}

/// Code of the inline constant with these 32 bits, as a 32-bit operand reads it.
pub const fn inline32(bits: u32, generation: u8) -> Option<u32> {
    if let Some(code) = int(bits as i32) {
        return Some(code);
    }
    float(bits, FLOATS_32, if generation == GFX8 { 9 } else { 8 })
}

/// Code of an inline float that has these bits among the first `n` of a list.
const fn float(bits: u32, list: [u32; 9], n: usize) -> Option<u32> {
    let mut k = 0;
    while k < n {
        if list[k] == bits {
            return Some(240 + k as u32);
        }
        k += 1;
    }
    None
}

/// Code of the inline constant that an operand of this type reads as these bits; halves have constants of their own on gfx8.
pub const fn inline(bits: u32, number: Number, generation: u8) -> Option<u32> {
    if !matches!(number, Number::F16) || generation != GFX8 {
        return inline32(bits, generation);
    }
    if bits <= 64 { Some(128 + bits) } else { float(bits, FLOATS_16, 9) }
}

/// Negation bit of a source slot, above the 9-bit code.
pub const NEG: u32 = 1 << 9;
/// Absolute value bit of a source slot, above the 9-bit code.
pub const ABS: u32 = 1 << 10;

/// Number of addressable SGPRs.
pub const fn sgpr_count(generation: u8) -> u32 {
    if generation == GFX8 { 102 } else { 104 }
}

/// Name of a scalar register tuple of `n` dwords; `None` when there is no such register.
pub fn sreg_name(code: u32, n: u8, generation: u8) -> Option<String> {
    let n = u32::from(n);
    let limit = sgpr_count(generation);
    if n >= 2 && !code.is_multiple_of(if n == 2 { 2 } else { 4 }) {
        return None;
    }
    if code + n <= limit {
        return Some(if n == 1 { format!("s{code}") } else { format!("s[{code}:{}]", code + n - 1) });
    }
    if (112..124).contains(&code) && code + n <= 124 {
        let t = code - 112;
        return Some(if n == 1 { format!("ttmp{t}") } else { format!("ttmp[{t}:{}]", t + n - 1) });
    }
    if n > 2 {
        return None;
    }
    if code == M0 {
        return (n == 1).then(|| "m0".to_string());
    }
    let stem = match code & !1 {
        102 if generation == GFX8 => "flat_scratch",
        104 if generation == GFX7 => "flat_scratch",
        104 if generation == GFX8 => "xnack_mask",
        106 => "vcc",
        108 => "tba",
        110 => "tma",
        126 => "exec",
        _ => return None,
    };
    Some(match (n, code & 1) {
        (2, _) => stem.to_string(),
        (_, 0) => format!("{stem}_lo"),
        _ => format!("{stem}_hi"),
    })
}

/// Name of a scalar source that is no register: inline constant or flag.
pub fn constant_name(code: u32, generation: u8) -> Option<String> {
    Some(match code {
        128..=192 => (code - 128).to_string(),
        193..=208 => format!("-{}", code - 192),
        240..=247 => FLOATS[code as usize - 240].into(),
        248 if generation == GFX8 => "0.15915494".into(),
        251 => "src_vccz".into(),
        252 => "src_execz".into(),
        253 => "src_scc".into(),
        254 => "src_lds_direct".into(),
        _ => return None,
    })
}

/// Name of a VGPR tuple; `None` when it runs past v255.
pub fn vgpr_name(first: u32, n: u32) -> Option<String> {
    if first + n > 256 || n == 0 {
        return None;
    }
    Some(if n == 1 { format!("v{first}") } else { format!("v[{first}:{}]", first + n - 1) })
}

/// Code of a register name and its width in dwords; VGPRs give 256 + n. Accepts what [`sreg_name`] and [`vgpr_name`]
/// print, `s[5]` and `v[5]`.
pub fn parse_register(text: &str, generation: u8) -> Option<(u32, u8)> {
    let t = text.to_ascii_lowercase();
    let pair = |code, g: bool| g.then_some((code, 2u8));
    let half = |s: &str, code: u32, g: bool| match s {
        "_lo" if g => Some((code, 1)),
        "_hi" if g => Some((code + 1, 1)),
        _ => None,
    };
    let flat = if generation == GFX8 { FLAT_SCRATCH_GFX8 } else { FLAT_SCRATCH_GFX7 };
    for (stem, code, g) in [
        ("flat_scratch", flat, generation != GFX6),
        ("xnack_mask", 104, generation == GFX8),
        ("vcc", VCC, true),
        ("tba", 108, true),
        ("tma", 110, true),
        ("exec", EXEC, true),
    ] {
        if let Some(rest) = t.strip_prefix(stem) {
            return if rest.is_empty() { pair(code, g) } else { half(rest, code, g) };
        }
    }
    if t == "m0" {
        return Some((M0, 1));
    }
    for (stem, base, count) in [("ttmp", 112, 12), ("s", 0, sgpr_count(generation)), ("v", 256, 256)] {
        let Some(rest) = t.strip_prefix(stem) else { continue };
        let number = |s: &str| -> Option<u32> {
            (!s.is_empty() && s.len() <= 3 && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok()).flatten()
        };
        if let Some(n) = number(rest) {
            return (n < count).then(|| (base + n, 1));
        }
        let inner = rest.strip_prefix('[')?.strip_suffix(']')?;
        let (a, b) = inner.split_once(':').unwrap_or((inner, inner));
        let (a, b) = (number(a.trim())?, number(b.trim())?);
        if b < a || b >= count || b - a >= 16 {
            return None;
        }
        return Some((base + a, (b - a + 1) as u8));
    }
    None
}

/// Whether a 7-bit code names a scalar register tuple.
pub fn sreg_ok(code: u32, n: u8, generation: u8) -> bool {
    let n = u32::from(n);
    if n >= 2 && !code.is_multiple_of(if n == 2 { 2 } else { 4 }) {
        return false;
    }
    if code + n <= sgpr_count(generation) || (112..124).contains(&code) && code + n <= 124 {
        return true;
    }
    n <= 2
        && match code {
            M0 => n == 1,
            102 | 103 => generation == GFX8,
            104 | 105 => generation != GFX6,
            106..=111 | 126 | 127 => true,
            _ => false,
        }
}

/// Whether a code of 128 or more names an inline constant or flag (LDS_DIRECT excepted).
fn constant_ok(code: u32, generation: u8) -> bool {
    matches!(code, 128..=208 | 240..=247 | 251..=253) || code == 248 && generation == GFX8
}

/// Data registers of an image instruction by component mask.
pub fn image_data_width(inst: &Inst<Gcn>) -> u32 {
    let tfe = inst.get("tfe").unwrap_or(0);
    inst.get("dmask").unwrap_or(0).count_ones().max(1) + tfe
}

/// Address registers of a buffer instruction: 0, 1 or 2.
pub fn buffer_address_width(inst: &Inst<Gcn>) -> u32 {
    let on = |n| inst.get(n).unwrap_or(0);
    if on("addr64") == 1 { 2 } else { on("idxen") + on("offen") }
}

/// Whether an export reads the register of its source `k` (section 13).
pub fn export_reads(inst: &Inst<Gcn>, k: u8) -> bool {
    let en = inst.get("en").unwrap_or(0);
    if inst.get("compr") == Some(1) { k < 2 && en >> (2 * k) & 3 != 0 } else { en >> k & 1 == 1 }
}

/// Whether bits are set that the hardware does not look at and the text does not name: the address register of a buffer
/// access without one (section 11), sources that an export does not read (section 13), and what lies between the counters of s_waitcnt (section 16).
pub fn ignored(inst: &Inst<Gcn>) -> bool {
    inst.row().operands.iter().zip(inst.vals).any(|(slot, v)| match slot.kind {
        Kind::BufAddr => v != 0 && buffer_address_width(inst) == 0,
        Kind::ExpSrc(k) => v != 0 && !export_reads(inst, k),
        Kind::Waitcnt => {
            let [vm, exp, lgkm] = crate::build::counters(v);
            v != crate::build::waitcnt(vm, exp, lgkm)
        }
        _ => false,
    })
}

/// Width in dwords of the VGPR tuple in slot `index`, where it is one.
pub fn vgpr_width(inst: &Inst<Gcn>, index: usize) -> Option<u32> {
    Some(match inst.row().operands[index].kind {
        Kind::Vgpr(n) => u32::from(n),
        Kind::VMod(_) => 1,
        Kind::BufAddr => buffer_address_width(inst),
        Kind::ImgData => image_data_width(inst),
        Kind::ImgGather => 4 + inst.get("tfe").unwrap_or(0),
        _ => return None,
    })
}

/// Whether every slot of `inst` holds something that the hardware defines on `generation`.
///
/// # Errors
/// One sentence naming the slot.
pub fn legal(inst: &Inst<Gcn>, generation: u8) -> Result<(), String> {
    let row = inst.row();
    for (i, slot) in row.operands.iter().enumerate() {
        let v = inst.vals[i];
        let literal = row.operand("lit").is_some();
        let ok = match slot.kind {
            Kind::SReg(n) => sreg_ok(v, n, generation),
            Kind::SRegSrc(n) => (VCCZ..=SCC).contains(&v) || v < 128 && sreg_ok(v, n, generation),
            Kind::SData(n) => v < M0 && sreg_ok(v, n, generation),
            Kind::SBase(n) => sreg_ok(v * 2, n, generation),
            Kind::SRsrc(n) => sreg_ok(v * 4, n, generation),
            Kind::SSrc(n) if v < 128 => sreg_ok(v, n, generation),
            Kind::SSrc(_) => constant_ok(v, generation) || v == LITERAL && literal,
            Kind::Src(n, _) => {
                let code = v & 0x1ff;
                if code >= 256 {
                    code + u32::from(n) <= 512
                } else if code < 128 {
                    sreg_ok(code, n, generation)
                } else {
                    constant_ok(code, generation) || code == LDS_DIRECT && slot.name == "src0" && n == 1
                }
            }
            Kind::VSrc(n, _) => v & 0x1ff >= 256 && (v & 0x1ff) + u32::from(n) <= 512,
            // Without address registers the field is ignored.
            Kind::BufAddr => v + buffer_address_width(inst) <= 256,
            Kind::Vgpr(_) | Kind::VMod(_) | Kind::ImgData | Kind::ImgGather => match vgpr_width(inst, i) {
                Some(0) => v == 0,
                Some(n) => (v & 0xff) + n <= 256,
                None => false,
            },
            Kind::DppCtrl => dpp_ok(v),
            Kind::DstSel | Kind::SrcSel(_) => v <= 6,
            Kind::DstUnused => v <= 2,
            Kind::InterpParam => v <= 2,
            Kind::ExpTarget => matches!(v, 0..=9 | 12..=15 | 32..=63),
            // Pairs are whole; the depth target of gfx6 looks at bit 0 alone.
            Kind::ExpEn => {
                let depth = v == 13 && generation == GFX6 && inst.get("tgt") == Some(8);
                inst.get("compr") != Some(1) || depth || matches!(v & 3, 0 | 3) && matches!(v >> 2, 0 | 3)
            }
            Kind::Flag(Flag::Addr64) => v == 0 || inst.get("offen") == Some(0) && inst.get("idxen") == Some(0),
            _ => true,
        };
        fail_if!(!ok, format!("`{}` of `{}` has the reserved value {v:#x}", slot.name, row.text));
    }
    if let Some(i) = row.operand("lit") {
        let used = ["src0", "src1"].iter().any(|n| inst.get(n) == Some(LITERAL));
        fail_if!(!used, format!("no operand of `{}` names its literal ({:#x})", row.text, inst.vals[i]));
    }
    Ok(())
}

/// Whether a DPP control code is defined (section 3.2).
pub fn dpp_ok(v: u32) -> bool {
    matches!(v, 0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x130 | 0x134 | 0x138 | 0x13c | 0x140..=0x143)
}

/// Splits a source slot's value into the register code and (neg, abs, sext).
pub fn split_mods(value: u32, code_bits: u8, mods: Mods) -> (u32, bool, bool, bool) {
    let code = value & ((1 << code_bits) - 1);
    let m = value >> code_bits;
    match mods {
        Mods::None => (code, false, false, false),
        Mods::Neg => (code, m & 1 == 1, false, false),
        Mods::NegAbs => (code, m & 1 == 1, m & 2 == 2, false),
        Mods::Sext => (code, false, false, m & 1 == 1),
    }
}
