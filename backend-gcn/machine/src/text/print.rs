//! Printing.

use gpucc_isa::{Inst, TextCx};

use super::words::{
    DFMT, DPP_SHIFTS, DPP_WORDS, GPR_IDX, GS_OPS, HWREGS, MESSAGES, PARAMS, SELS, SYS_OPS, UNUSED, nfmt_name,
    parse_bitmask,
};
use crate::build;
use crate::isa::{GFX8, Gcn, Kind};
use crate::operand::{self, LITERAL};

/// Prints an instruction with all its operands.
pub fn print(inst: &Inst<Gcn>, cx: &TextCx, out: &mut String) {
    let row = inst.row();
    out.push_str(row.text);
    out.push_str(row.attrs.suffix.text());
    let mut first = true;
    let mut after_target = false;
    for (i, slot) in row.operands.iter().enumerate() {
        if !slot.kind.is_operand() || slot.kind.is_hidden() {
            continue;
        }
        let before = out.len();
        out.push_str(if first || after_target { " " } else { ", " });
        let start = out.len();
        print_operand(inst, i, cx, out);
        if out.len() == start {
            out.truncate(before);
            continue;
        }
        first = false;
        after_target = slot.kind == Kind::ExpTarget;
    }
    for (i, slot) in row.operands.iter().enumerate() {
        if slot.kind.is_operand() {
            continue;
        }
        let before = out.len();
        out.push(' ');
        print_operand(inst, i, cx, out);
        if out.len() == before + 1 {
            out.truncate(before);
        }
    }
}

fn unknown(value: u32) -> String {
    format!("<{value:#x}>")
}

fn scalar(code: u32, n: u8, inst: &Inst<Gcn>, cx: &TextCx) -> String {
    if code < 128 {
        return operand::sreg_name(code, n, cx.generation).unwrap_or_else(|| unknown(code));
    }
    if code == LITERAL {
        return match inst.get("lit") {
            Some(l) => literal(l, inst, cx),
            None => unknown(code),
        };
    }
    if code == 248 && n == 2 {
        return "0.15915494309189532".into();
    }
    operand::constant_name(code, cx.generation).unwrap_or_else(|| unknown(code))
}

/// A literal. One that the shorter form of the instruction could hold says that it is none of those.
fn literal(value: u32, inst: &Inst<Gcn>, cx: &TextCx) -> String {
    let shorter = |op| crate::build::row(op, crate::build::Form::Short, false, cx.generation).is_some();
    if operand::int(value as i32).is_some() && shorter(inst.op()) {
        format!("lit({value:#x})")
    } else {
        format!("{value:#x}")
    }
}

fn with_mods(name: String, neg: bool, abs: bool, sext: bool) -> String {
    let name = if sext { format!("sext({name})") } else { name };
    let name = if abs { format!("|{name}|") } else { name };
    if neg { format!("-{name}") } else { name }
}

fn sendmsg(v: u32, generation: u8) -> String {
    let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
    let known = v == id | op << 4 | stream << 8;
    let name = if id == 4 && generation != GFX8 { "" } else { MESSAGES[id as usize] };
    if !known {
        return v.to_string();
    }
    match id {
        2 | 3 if (1..4).contains(&op) => format!("sendmsg({name}, {}, {stream})", GS_OPS[op as usize]),
        3 if op == 0 && stream == 0 => format!("sendmsg({name}, GS_OP_NOP)"),
        15 if (1..5).contains(&op) && stream == 0 => format!("sendmsg({name}, {})", SYS_OPS[op as usize]),
        1 | 4 if !name.is_empty() && op == 0 && stream == 0 => format!("sendmsg({name})"),
        _ => format!("sendmsg({id}, {op}, {stream})"),
    }
}

fn hwreg(v: u32) -> String {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    let name = match HWREGS.get(id as usize) {
        Some(n) if !n.is_empty() => n.to_string(),
        _ => id.to_string(),
    };
    if offset == 0 && size == 32 { format!("hwreg({name})") } else { format!("hwreg({name}, {offset}, {size})") }
}

fn waitcnt(v: u32) -> String {
    let [vm, exp, lgkm] = build::counters(v);
    // Names of counters do not say the ignored bits, which other compilers set.
    if v != build::waitcnt(vm, exp, lgkm) {
        return format!("{v:#x}");
    }
    let all = vm == 15 && exp == 7 && lgkm == 15;
    let counters = [("vmcnt", vm, 15), ("expcnt", exp, 7), ("lgkmcnt", lgkm, 15)];
    let said = counters.iter().filter(|(_, n, max)| all || n != max).map(|(name, n, _)| format!("{name}({n})"));
    said.collect::<Vec<_>>().join(" ")
}

/// The bit pattern letters of a swizzle by and, or, xor masks.
fn bitmask(v: u32) -> String {
    let (and, or, xor) = (v & 31, v >> 5 & 31, v >> 10 & 31);
    let (zero, one) = (or ^ xor, (and | or) ^ xor);
    (0..5)
        .rev()
        .map(|b| match (zero >> b & 1, one >> b & 1) {
            (0, 0) => '0',
            (1, 1) => '1',
            (0, _) => 'p',
            _ => 'i',
        })
        .collect()
}

fn swizzle(v: u32) -> String {
    if v & 0xff00 == 0x8000 {
        return format!("swizzle(QUAD_PERM,{},{},{},{})", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
    }
    if v & 0x8000 != 0 {
        return v.to_string();
    }
    let (and, or, xor) = (v & 31, v >> 5 & 31, v >> 10 & 31);
    if and == 31 && or == 0 && xor.count_ones() == 1 {
        return format!("swizzle(SWAP,{xor})");
    }
    if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        return format!("swizzle(REVERSE,{})", xor + 1);
    }
    let group = 32 - and;
    if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        return format!("swizzle(BROADCAST,{group},{or})");
    }
    let letters = bitmask(v);
    if parse_bitmask(&letters) == Some(v) { format!("swizzle(BITMASK_PERM,\"{letters}\")") } else { v.to_string() }
}

fn dpp(v: u32) -> String {
    if v < 0x100 {
        return format!("quad_perm:[{},{},{},{}]", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
    }
    if let Some((name, base)) = DPP_SHIFTS.iter().find(|x| v > x.1 && v < x.1 + 16) {
        return format!("{name}{}", v - base);
    }
    DPP_WORDS.iter().find(|x| x.1 == v).map_or_else(|| unknown(v), |x| x.0.into())
}

/// Prints slot `index`; nothing where a modifier has its silent value.
pub fn print_operand(inst: &Inst<Gcn>, index: usize, cx: &TextCx, out: &mut String) {
    let slot = &inst.row().operands[index];
    let v = inst.vals[index];
    let g = cx.generation;
    let vgpr = |v: u32, n: u32| operand::vgpr_name(v, n).unwrap_or_else(|| unknown(v));
    let sreg = |code: u32, n: u8| operand::sreg_name(code, n, g).unwrap_or_else(|| unknown(code));
    let text = match slot.kind {
        Kind::SReg(n) | Kind::SData(n) => sreg(v, n),
        Kind::SBase(n) => sreg(v * 2, n),
        Kind::SRsrc(n) => sreg(v * 4, n),
        Kind::SSrc(n) | Kind::SRegSrc(n) => scalar(v, n, inst, cx),
        Kind::Src(n, mods) | Kind::VSrc(n, mods) => {
            let (code, neg, abs, sext) = operand::split_mods(v, 9, mods);
            let name = if code >= 256 { vgpr(code - 256, n.into()) } else { scalar(code, n, inst, cx) };
            // `-1` is the constant; its negation needs another spelling.
            if neg && !abs && matches!(code, 128..=248) {
                format!("neg({name})")
            } else {
                with_mods(name, neg, abs, sext)
            }
        }
        Kind::VMod(mods) => {
            let (code, neg, abs, sext) = operand::split_mods(v, 8, mods);
            with_mods(vgpr(code, 1), neg, abs, sext)
        }
        Kind::Vgpr(n) => vgpr(v, n.into()),
        Kind::BufAddr => match operand::buffer_address_width(inst) {
            0 => "off".into(),
            n => vgpr(v, n),
        },
        Kind::ImgData | Kind::ImgGather => vgpr(v, operand::vgpr_width(inst, index).unwrap_or(1)),
        Kind::Literal => literal(v, inst, cx),
        Kind::LiteralWord | Kind::ExpEn => String::new(),
        Kind::Vcc => "vcc".into(),
        Kind::Hex16 | Kind::SOffset => format!("{v:#x}"),
        Kind::Imm16 | Kind::Small if v <= 64 => v.to_string(),
        Kind::Imm16 | Kind::Small => format!("{v:#x}"),
        Kind::EndImm if v == 0 => String::new(),
        Kind::EndImm | Kind::Branch => v.to_string(),
        Kind::Waitcnt => waitcnt(v),
        Kind::SendMsg => sendmsg(v, g),
        Kind::Hwreg => hwreg(v),
        Kind::GprIdx => {
            let on: Vec<&str> = (0..4).filter(|i| v >> i & 1 == 1).map(|i| GPR_IDX[i]).collect();
            format!("gpr_idx({})", on.join(","))
        }
        Kind::Offset if v != 0 => format!("offset:{v}"),
        Kind::Offset0 if v != 0 => format!("offset0:{v}"),
        Kind::Offset1 if v != 0 => format!("offset1:{v}"),
        Kind::Swizzle if v != 0 => format!("offset:{}", swizzle(v)),
        Kind::Flag(f) if v == 1 => f.word().into(),
        Kind::Offset | Kind::Offset0 | Kind::Offset1 | Kind::Swizzle | Kind::Flag(_) => String::new(),
        Kind::Word(f) => f.word().into(),
        Kind::Omod => ["", "mul:2", "mul:4", "div:2"][v as usize & 3].into(),
        Kind::DMask if v == 0 => String::new(),
        Kind::DMask => format!("dmask:{v:#x}"),
        Kind::BufFormat => {
            let mut parts = Vec::new();
            if v & 15 != 1 {
                parts.push(format!("BUF_DATA_FORMAT_{}", DFMT[v as usize & 15]));
            }
            if v >> 4 != 0 {
                parts.push(format!("BUF_NUM_FORMAT_{}", nfmt_name(v as usize >> 4 & 7, g)));
            }
            if parts.is_empty() { String::new() } else { format!("format:[{}]", parts.join(",")) }
        }
        Kind::DppCtrl => dpp(v),
        Kind::RowMask => format!("row_mask:{v:#x}"),
        Kind::BankMask => format!("bank_mask:{v:#x}"),
        Kind::DstSel => format!("dst_sel:{}", SELS.get(v as usize).unwrap_or(&"?")),
        Kind::SrcSel(n) => format!("src{n}_sel:{}", SELS.get(v as usize).unwrap_or(&"?")),
        Kind::DstUnused => format!("dst_unused:{}", UNUSED.get(v as usize).unwrap_or(&"?")),
        Kind::Attr => format!("attr{}.{}", v & 63, ["x", "y", "z", "w"][v as usize >> 6 & 3]),
        Kind::InterpParam => PARAMS.get(v as usize).unwrap_or(&"?").to_string(),
        Kind::ExpTarget => match v {
            0..=7 => format!("mrt{v}"),
            8 => "mrtz".into(),
            9 => "null".into(),
            12..=15 => format!("pos{}", v - 12),
            32..=63 => format!("param{}", v - 32),
            _ => unknown(v),
        },
        Kind::ExpSrc(k) => {
            let en = inst.get("en").unwrap_or(0);
            if en >> k & 1 == 0 {
                "off".into()
            } else if inst.get("compr") == Some(1) {
                vgpr(inst.get(if k < 2 { "src0" } else { "src1" }).unwrap_or(0), 1)
            } else {
                vgpr(v, 1)
            }
        }
    };
    out.push_str(&text);
}
