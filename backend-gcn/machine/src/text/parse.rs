//! Reading.

use gpucc_isa::{Cursor, Inst, TextCx, TextError, fail_if};

use super::words::{
    DFMT, DPP_SHIFTS, DPP_WORDS, GPR_IDX, GS_OPS, HWREGS, MESSAGES, PARAMS, SELS, SYS_OPS, UNUSED, nfmt_name,
    parse_bitmask,
};
use crate::isa::{Flag, Format, GFX8, Gcn, Kind, Mods};
use crate::operand::{self, LITERAL};
use crate::{Op, build, rows};

/// Reads an instruction.
///
/// # Errors
/// The error of the row that got furthest.
pub fn parse(line: &str, cx: &TextCx) -> Result<Inst<Gcn>, TextError> {
    let mut cur = Cursor::new(line);
    cur.blanks();
    let head_at = cur.column();
    let rest = cur.rest();
    let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    fail_if!(!rest.is_char_boundary(end) || end == 0, TextError::new(head_at, "expected an instruction"));
    let head = rest[..end].to_ascii_lowercase();
    let body = head_at + end;
    let mut best = TextError::new(head_at, "");
    let mut elsewhere = None;
    // Exact names first; a bare vector mnemonic stands for its shortest form that takes the operands.
    for name in [head.clone(), format!("{head}_e32"), format!("{head}_e64")] {
        for &r in rows::by_name(&name) {
            let row = &rows::ROWS[r as usize];
            if row.enc_on(cx.generation).is_none() || row.stages & cx.stages == 0 {
                elsewhere = Some(row);
                continue;
            }
            cur.seek(body);
            match parse_row(r, &mut cur, cx) {
                Ok(inst) => match operand::legal(&inst, cx.generation) {
                    Ok(()) => return Ok(inst),
                    Err(m) if best.message.is_empty() => best = TextError { column: head_at, message: m },
                    Err(_) => {}
                },
                Err(e) if e.column >= best.column || best.message.is_empty() => best = e,
                Err(_) => {}
            }
        }
    }
    if best.message.is_empty() {
        best.message = match elsewhere {
            Some(_) => format!("`{head}` does not exist on {}", GENERATION_NAMES[cx.generation as usize]),
            None => format!("unknown mnemonic `{head}`"),
        };
    }
    Err(best)
}

const GENERATION_NAMES: [&str; 3] = ["gfx6", "gfx7", "gfx8"];

fn parse_row(r: u16, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<Inst<Gcn>, TextError> {
    let mut inst: Inst<Gcn> = Inst::new(r);
    let row = inst.row();
    let mut first = true;
    let mut after_target = false;
    let mut columns = [0; gpucc_isa::MAX_SLOTS];
    for (i, slot) in row.operands.iter().enumerate() {
        match slot.kind {
            Kind::BufFormat => inst.vals[i] = 1,
            Kind::RowMask | Kind::BankMask => inst.vals[i] = 15,
            Kind::DstSel | Kind::SrcSel(_) => inst.vals[i] = 6,
            Kind::DstUnused => inst.vals[i] = 2,
            _ => {}
        }
        if !slot.kind.is_operand() || slot.kind.is_hidden() {
            continue;
        }
        cur.blanks();
        if slot.kind == Kind::EndImm && cur.at_end() {
            continue;
        }
        if !first && !after_target {
            cur.expect(",")?;
            cur.blanks();
        }
        columns[i] = cur.column();
        parse_operand(&mut inst, i, cur, cx)?;
        first = false;
        after_target = slot.kind == Kind::ExpTarget;
    }
    let mut seen = 0u32;
    let mut control = false;
    loop {
        cur.blanks();
        if cur.at_end() {
            break;
        }
        let at = cur.column();
        let mut found = None;
        for (i, slot) in row.operands.iter().enumerate() {
            if slot.kind.is_operand() {
                continue;
            }
            cur.seek(at);
            if parse_modifier(&mut inst, i, cur, cx)? {
                found = Some(i);
                break;
            }
        }
        match found {
            Some(i) if seen >> i & 1 == 1 => {
                return Err(TextError::new(at, format!("`{}` given twice", row.operands[i].name)));
            }
            Some(i) => {
                seen |= 1 << i;
                control |= row.operands[i].kind == Kind::DppCtrl;
            }
            None => {
                cur.seek(at);
                // llvm-mc reads and prints `glc` on scalar loads of gfx6 and gfx7, whose encoding has no such bit.
                // So with `clamp` on v_div_scale_*, where the second destination occupies the bit.
                let glc = row.attrs.format == Format::Smrd && cur.eat_word("glc");
                let scale = matches!(row.op, Op::VDivScaleF32 | Op::VDivScaleF64);
                if glc || scale && cx.generation != GFX8 && cur.eat_word("clamp") {
                    continue;
                }
                let word = cur.rest().split_whitespace().next().unwrap_or("");
                return Err(cur.error(format!("`{}` has no modifier `{word}`", row.text)));
            }
        }
    }
    for (i, slot) in row.operands.iter().enumerate() {
        let missing = match slot.kind {
            Kind::Word(f) => (seen >> i & 1 == 0).then_some(f.word()),
            Kind::DppCtrl => (!control).then_some("a lane permutation"),
            _ => None,
        };
        if let Some(what) = missing {
            return Err(cur.error(format!("`{}` needs {what}", row.text)));
        }
        if slot.kind == Kind::ExpEn {
            let compr = inst.get("compr") == Some(1);
            fix_export(&mut inst, i, compr);
        }
        // The widths of these depend on modifiers that come later in the text; checked against what was written.
        if matches!(slot.kind, Kind::BufAddr | Kind::ImgData | Kind::ImgGather) {
            let width = operand::vgpr_width(&inst, i).unwrap_or(0);
            let written = inst.vals[i] >> 8;
            if written != width {
                let message = format!("`{}` takes {width} registers here, not {written}", slot.name);
                return Err(TextError::new(columns[i], message));
            }
            inst.vals[i] &= 0xff;
        }
    }
    Ok(inst)
}

/// Export sources of a compressed export name each register twice; the encoding holds it once.
fn fix_export(inst: &mut Inst<Gcn>, en: usize, compr: bool) {
    let src = en + 1;
    let mut mask = 0;
    let mut regs = [0; 4];
    for (k, reg) in regs.iter_mut().enumerate() {
        let v = inst.vals[src + k];
        if v < 256 {
            mask |= 1 << k;
            *reg = v;
        }
    }
    if compr {
        let low = mask & 3 != 0;
        let high = mask & 12 != 0;
        let a = if mask & 1 != 0 { regs[0] } else { regs[1] };
        let b = if mask & 4 != 0 { regs[2] } else { regs[3] };
        // The depth target of gfx6 wants bit 0 alone (section 13).
        let depth = mask == 13 && inst.get("tgt") == Some(8);
        let first = if depth { 1 } else { u32::from(low) * 3 };
        mask = first | (u32::from(high) * 12);
        regs = [if low { a } else { 0 }, if high { b } else { 0 }, 0, 0];
    }
    inst.vals[en] = mask;
    inst.vals[src..src + 4].copy_from_slice(&regs);
}

/// A register name at the cursor: letters, digits, underscores and an index range.
fn register(cur: &mut Cursor<'_>, cx: &TextCx) -> Option<(u32, u8)> {
    let start = cur.column();
    let rest = cur.rest();
    let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let end = if rest[word..].starts_with('[') { rest.find(']').map_or(word, |e| e + 1) } else { word };
    let found = operand::parse_register(&rest[..end], cx.generation);
    if found.is_some() {
        cur.seek(start + end);
    }
    found
}

fn sreg(cur: &mut Cursor<'_>, n: u8, cx: &TextCx) -> Result<u32, TextError> {
    let at = cur.column();
    match register(cur, cx) {
        Some((code, width)) if code < 256 && width == n && operand::sreg_ok(code, n, cx.generation) => Ok(code),
        Some((code, width)) if code < 256 && width == n => {
            Err(TextError::new(at, "register tuple is not aligned or out of range"))
        }
        Some(_) => Err(TextError::new(at, format!("expected {n} scalar register(s)"))),
        None => Err(cur.error("expected a scalar register")),
    }
}

fn vgpr(cur: &mut Cursor<'_>, n: u32, cx: &TextCx) -> Result<u32, TextError> {
    let at = cur.column();
    match register(cur, cx) {
        Some((code, width)) if code >= 256 && u32::from(width) == n => Ok(code - 256),
        Some(_) => Err(TextError::new(at, format!("expected {n} vector register(s)"))),
        None => Err(cur.error("expected a vector register")),
    }
}

/// A constant as a scalar source code, or a literal.
enum Constant {
    Code(u32),
    Literal(u32),
}

fn constant(cur: &mut Cursor<'_>, cx: &TextCx) -> Result<Constant, TextError> {
    let at = cur.column();
    for (name, code) in [("src_vccz", 251), ("src_execz", 252), ("src_scc", 253), ("src_lds_direct", 254)] {
        if cur.eat_word(name) {
            return Ok(Constant::Code(code));
        }
    }
    if cur.eat_word("lit") {
        let inner = cur.clone();
        let value = if cur.eat("(") { cur.number() } else { None };
        let value = value.and_then(|v| u32::try_from(v).ok()).filter(|_| cur.eat(")"));
        return value.map(Constant::Literal).ok_or_else(|| inner.error("expected `(`, 32 bits and `)`"));
    }
    let rest = cur.rest();
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let hex = digits.len() >= 2 && digits[..2].eq_ignore_ascii_case("0x");
    let end = digits.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(digits.len());
    if !hex && digits[..end].contains('.') {
        let text = &rest[..rest.len() - digits.len() + end];
        cur.seek(at + text.len());
        if let Some(i) = operand::FLOATS.iter().position(|f| *f == text) {
            return Ok(Constant::Code(240 + i as u32));
        }
        if matches!(text, "0.15915494" | "0.1591549430918953" | "0.15915494309189532") && cx.generation == GFX8 {
            return Ok(Constant::Code(248));
        }
        return match text.parse::<f32>() {
            Ok(0.0) if !text.starts_with('-') => Ok(Constant::Code(128)),
            Ok(f) => Ok(Constant::Literal(f.to_bits())),
            Err(_) => Err(TextError::new(at, format!("`{text}` is not a number"))),
        };
    }
    let Some(v) = cur.number() else { return Err(cur.error("expected an operand")) };
    if cur.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        return Err(TextError::new(at, "malformed number"));
    }
    if !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&v) {
        return Err(TextError::new(at, "constant does not fit 32 bits"));
    }
    match i32::try_from(v).ok().and_then(operand::int) {
        Some(code) => Ok(Constant::Code(code)),
        None => Ok(Constant::Literal(v as u32)),
    }
}

fn scalar_source(inst: &mut Inst<Gcn>, n: u8, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<u32, TextError> {
    let at = cur.column();
    if let Some((code, width)) = register(cur, cx) {
        if code < 256 && width == n && operand::sreg_ok(code, n, cx.generation) {
            return Ok(code);
        }
        return Err(TextError::new(at, format!("expected {n} scalar register(s), aligned")));
    }
    match constant(cur, cx)? {
        Constant::Code(c) => Ok(c),
        Constant::Literal(l) => match inst.row().operand("lit") {
            Some(i) => {
                let used = ["src0", "src1"].iter().any(|s| inst.get(s) == Some(LITERAL));
                fail_if!(used && inst.vals[i] != l, TextError::new(at, "only one literal value is allowed"));
                inst.vals[i] = l;
                Ok(LITERAL)
            }
            None => Err(TextError::new(at, "a literal is not allowed here")),
        },
    }
}

/// Reads an optional `-`, `|..|`, `sext(..)` around what `inner` reads; gives code and modifier bits.
fn modified(
    cur: &mut Cursor<'_>,
    mods: Mods,
    bits: u8,
    inner: impl FnOnce(&mut Cursor<'_>) -> Result<u32, TextError>,
) -> Result<u32, TextError> {
    let at = cur.column();
    let mut neg = false;
    // `-4.0` and `-1` are constants, `-v1`, `-s1` and `-|..|` a modifier.
    let next = cur.rest().as_bytes().get(1).copied().unwrap_or(b'0');
    if cur.peek() == Some('-') && !next.is_ascii_digit() {
        cur.eat("-");
        neg = true;
    }
    let called = !neg && cur.eat("neg(");
    neg |= called;
    let mut abs = cur.eat("|");
    let call = !abs && cur.eat("abs(");
    let sext = cur.eat("sext(");
    let code = inner(cur)?;
    if sext {
        cur.expect(")")?;
    }
    abs |= call;
    fail_if!(abs && !cur.eat(if call { ")" } else { "|" }), cur.error("expected the end of the absolute value"));
    if called {
        cur.expect(")")?;
    }
    let m = match mods {
        Mods::None if !neg && !abs && !sext => 0,
        Mods::Neg if !abs && !sext => u32::from(neg),
        Mods::NegAbs if !sext => u32::from(neg) | u32::from(abs) << 1,
        Mods::Sext if !neg && !abs => u32::from(sext),
        _ => return Err(TextError::new(at, "this operand does not take the modifier")),
    };
    Ok(code | m << bits)
}

fn ranged(cur: &mut Cursor<'_>, min: i64, max: i64) -> Result<u32, TextError> {
    let at = cur.column();
    match cur.number() {
        Some(v) if (min..=max).contains(&v) => Ok(v as u32),
        Some(_) => Err(TextError::new(at, format!("value must be from {min} to {max}"))),
        None => Err(cur.error("expected a number")),
    }
}

fn expect(cur: &mut Cursor<'_>, lit: &str) -> Result<(), TextError> {
    cur.blanks();
    cur.expect(lit)?;
    cur.blanks();
    Ok(())
}

/// Numbers of two bits, the first in the lowest.
fn quad(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let mut v = 0;
    for i in 0..4 {
        if i > 0 {
            expect(cur, ",")?;
        }
        v |= ranged(cur, 0, 3)? << (2 * i);
    }
    Ok(v)
}

/// The index of the longest of some words that comes next.
fn choice(cur: &mut Cursor<'_>, names: &[&str], what: &str) -> Result<u32, TextError> {
    let found = cur.eat_longest(names);
    found.map(|i| i as u32).ok_or_else(|| cur.error(format!("expected {what}")))
}

fn parse_waitcnt(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    if cur.peek().is_some_and(|c| c.is_ascii_digit()) {
        return ranged(cur, 0, 0xffff);
    }
    let mut v = build::waitcnt(15, 7, 15);
    loop {
        let (shift, max) = match () {
            _ if cur.eat("vmcnt") => (0, 15),
            _ if cur.eat("expcnt") => (4, 7),
            _ if cur.eat("lgkmcnt") => (8, 15),
            _ => return Err(cur.error("expected vmcnt, expcnt or lgkmcnt")),
        };
        expect(cur, "(")?;
        let n = ranged(cur, 0, max)?;
        v = v & !((max as u32) << shift) | n << shift;
        expect(cur, ")")?;
        if cur.eat("&") || cur.eat(",") {
            cur.blanks();
        }
        if cur.at_end() {
            return Ok(v);
        }
    }
}

fn parse_hwreg(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    if !cur.eat("hwreg") {
        return ranged(cur, 0, 0xffff);
    }
    expect(cur, "(")?;
    let id = if cur.peek().is_some_and(|c| c.is_ascii_digit()) {
        ranged(cur, 0, 63)?
    } else {
        let at = cur.column();
        let word = cur.word().to_ascii_uppercase();
        match HWREGS.iter().position(|n| *n == word) {
            Some(i) if i > 0 => i as u32,
            _ => return Err(TextError::new(at, format!("unknown hardware register `{word}`"))),
        }
    };
    let (mut offset, mut size) = (0, 32);
    cur.blanks();
    if cur.eat(",") {
        cur.blanks();
        offset = ranged(cur, 0, 31)?;
        expect(cur, ",")?;
        size = ranged(cur, 1, 32)?;
    }
    expect(cur, ")")?;
    Ok(id | offset << 6 | (size - 1) << 11)
}

fn parse_sendmsg(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    if !cur.eat("sendmsg") {
        return ranged(cur, 0, 0xffff);
    }
    expect(cur, "(")?;
    let named = |cur: &mut Cursor<'_>, names: &[&str], max: i64| {
        if cur.peek().is_some_and(|c| c.is_ascii_digit()) {
            return ranged(cur, 0, max);
        }
        let at = cur.column();
        let word = cur.word().to_ascii_uppercase();
        match names.iter().position(|n| *n == word && !n.is_empty()) {
            Some(i) => Ok(i as u32),
            None => Err(TextError::new(at, format!("unknown message or operation `{word}`"))),
        }
    };
    let mut v = named(cur, &MESSAGES, 15)?;
    cur.blanks();
    if cur.eat(",") {
        cur.blanks();
        let names: &[&str] = if v == 15 { &SYS_OPS } else { &GS_OPS };
        v |= named(cur, names, 7)? << 4;
        cur.blanks();
        if cur.eat(",") {
            cur.blanks();
            v |= ranged(cur, 0, 3)? << 8;
        }
    }
    expect(cur, ")")?;
    Ok(v)
}

fn parse_swizzle(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    if !cur.eat("swizzle") {
        return ranged(cur, 0, 0xffff);
    }
    expect(cur, "(")?;
    let at = cur.column();
    let mode = cur.word().to_ascii_uppercase();
    expect(cur, ",")?;
    let v = match mode.as_str() {
        "QUAD_PERM" => 0x8000 | quad(cur)?,
        "SWAP" => 31 | ranged(cur, 1, 16)? << 10,
        "REVERSE" => 31 | (ranged(cur, 2, 32)? - 1) << 10,
        "BROADCAST" => {
            let group = ranged(cur, 2, 32)?;
            expect(cur, ",")?;
            (32 - group) | ranged(cur, 0, i64::from(group) - 1)? << 5
        }
        "BITMASK_PERM" => {
            expect(cur, "\"")?;
            let at = cur.column();
            let letters = cur.word();
            let v = parse_bitmask(letters).ok_or(TextError::new(at, "expected five of 0, 1, p, i"))?;
            expect(cur, "\"")?;
            v
        }
        _ => return Err(TextError::new(at, format!("unknown swizzle `{mode}`"))),
    };
    expect(cur, ")")?;
    Ok(v)
}

/// Reads operand slot `index`.
pub fn parse_operand(inst: &mut Inst<Gcn>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError> {
    let kind = inst.row().operands[index].kind;
    let at = cur.column();
    let v = match kind {
        Kind::SReg(n) => sreg(cur, n, cx)?,
        Kind::SData(n) => match sreg(cur, n, cx)? {
            v if v >= operand::M0 => {
                return Err(TextError::new(at, "scalar memory cannot access this register"));
            }
            v => v,
        },
        Kind::SBase(n) => sreg(cur, n, cx)? / 2,
        Kind::SRsrc(n) => sreg(cur, n, cx)? / 4,
        Kind::SSrc(n) => scalar_source(inst, n, cur, cx)?,
        Kind::SRegSrc(n) => match scalar_source(inst, n, cur, cx)? {
            v if v < 128 || (operand::VCCZ..=operand::SCC).contains(&v) => v,
            _ => return Err(TextError::new(at, "expected a scalar register")),
        },
        Kind::Src(n, mods) => {
            let mut copy = *inst;
            let v = modified(cur, mods, 9, |cur| {
                let start = cur.column();
                match register(cur, cx) {
                    Some((code, w)) if code >= 256 && w == n => Ok(code),
                    Some((code, _)) if code >= 256 => {
                        Err(TextError::new(start, format!("expected {n} vector register(s)")))
                    }
                    _ => {
                        cur.seek(start);
                        scalar_source(&mut copy, n, cur, cx)
                    }
                }
            })?;
            *inst = copy;
            v
        }
        Kind::VSrc(n, mods) => modified(cur, mods, 9, |cur| Ok(256 + vgpr(cur, n.into(), cx)?))?,
        Kind::VMod(mods) => modified(cur, mods, 8, |cur| vgpr(cur, 1, cx))?,
        Kind::Vgpr(n) => vgpr(cur, n.into(), cx)?,
        Kind::BufAddr if cur.eat_word("off") => 0,
        Kind::BufAddr | Kind::ImgData | Kind::ImgGather => match register(cur, cx) {
            Some((code, w)) if code >= 256 => (code - 256) | u32::from(w) << 8,
            _ => return Err(TextError::new(at, "expected vector registers")),
        },
        Kind::Literal => match constant(cur, cx)? {
            Constant::Literal(l) => l,
            // The row with the inline form is tried first: what comes here has no shorter form.
            Constant::Code(c) => inline_bits(c).ok_or(TextError::new(at, "expected a literal"))?,
        },
        Kind::LiteralWord | Kind::ExpEn => 0,
        Kind::Vcc if cur.eat_word("vcc") => 0,
        Kind::Vcc => return Err(cur.error("expected `vcc`")),
        Kind::Hex16 if inst.row().text.ends_with("u32") => ranged(cur, 0, 0xffff)?,
        Kind::Hex16 | Kind::Branch => ranged(cur, -0x8000, 0xffff)? & 0xffff,
        Kind::Imm16 | Kind::EndImm => ranged(cur, 0, 0xffff)?,
        Kind::Small => ranged(cur, 0, 0x7f)?,
        Kind::SOffset => ranged(cur, 0, i64::from(inst.row().operands[index].field.max()))?,
        Kind::Waitcnt => parse_waitcnt(cur)?,
        Kind::SendMsg => parse_sendmsg(cur)?,
        Kind::Hwreg => parse_hwreg(cur)?,
        Kind::GprIdx if cur.eat("gpr_idx") => {
            expect(cur, "(")?;
            let mut v = 0;
            while !cur.eat(")") {
                v |= 1 << choice(cur, &GPR_IDX, "SRC0, SRC1, SRC2 or DST")?;
                cur.blanks();
                if cur.eat(",") {
                    cur.blanks();
                }
            }
            v
        }
        Kind::GprIdx => ranged(cur, 0, 15)?,
        Kind::Attr => {
            fail_if!(!cur.eat("attr"), cur.error("expected an attribute"));
            let n = ranged(cur, 0, 63)?;
            cur.expect(".")?;
            n | choice(cur, &["x", "y", "z", "w"], "x, y, z or w")? << 6
        }
        Kind::InterpParam => choice(cur, &PARAMS, "p10, p20 or p0")?,
        Kind::ExpTarget => parse_target(cur)?,
        Kind::ExpSrc(_) if cur.eat_word("off") => 256,
        Kind::ExpSrc(_) => vgpr(cur, 1, cx)?,
        _ => {
            parse_modifier(inst, index, cur, cx)?;
            return Ok(());
        }
    };
    inst.vals[index] = v;
    Ok(())
}

/// Bits of an inline constant as a 32-bit literal.
fn inline_bits(code: u32) -> Option<u32> {
    Some(match code {
        128..=192 => code - 128,
        193..=208 => (192i32 - code as i32) as u32,
        240..=248 => operand::FLOATS_32[code as usize - 240],
        _ => return None,
    })
}

fn parse_target(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let at = cur.column();
    let word = cur.word().to_ascii_lowercase();
    let number = |stem: &str, base: u32, count: u32| -> Option<u32> {
        let n: u32 = word.strip_prefix(stem)?.parse().ok()?;
        (n < count).then(|| base + n)
    };
    match word.as_str() {
        "mrtz" => Ok(8),
        "null" => Ok(9),
        _ => number("mrt", 0, 8)
            .or_else(|| number("pos", 12, 4))
            .or_else(|| number("param", 32, 32))
            .ok_or(TextError::new(at, format!("unknown export target `{word}`"))),
    }
}

/// Reads modifier slot `index` if it is next in the text.
fn parse_modifier(inst: &mut Inst<Gcn>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<bool, TextError> {
    let slot = &inst.row().operands[index];
    let max = i64::from(slot.field.max());
    let v = match slot.kind {
        Kind::Offset if cur.eat("offset:") => ranged(cur, 0, max)?,
        Kind::Offset0 if cur.eat("offset0:") => ranged(cur, 0, max)?,
        Kind::Offset1 if cur.eat("offset1:") => ranged(cur, 0, max)?,
        Kind::Swizzle if cur.eat("offset:") => parse_swizzle(cur)?,
        Kind::Flag(Flag::BoundCtrl) if cur.eat("bound_ctrl:") => {
            // Both spellings set the bit.
            ranged(cur, 0, 1)?;
            1
        }
        Kind::Flag(f) if f != Flag::BoundCtrl && cur.eat_word(f.word()) => 1,
        Kind::Word(f) if cur.eat_word(f.word()) => 0,
        Kind::Omod if cur.eat("mul:") => match ranged(cur, 1, 4)? {
            1 => 0,
            2 => 1,
            4 => 2,
            _ => return Err(cur.error("expected mul:2 or mul:4")),
        },
        Kind::Omod if cur.eat("div:") => match ranged(cur, 1, 2)? {
            1 => 0,
            _ => 3,
        },
        Kind::DMask if cur.eat("dmask:") => ranged(cur, 0, 15)?,
        Kind::BufFormat if cur.eat("format:") => parse_format(cur, cx)?,
        Kind::DppCtrl => match parse_dpp(cur)? {
            Some(v) => v,
            None => return Ok(false),
        },
        Kind::RowMask if cur.eat("row_mask:") => ranged(cur, 0, 15)?,
        Kind::BankMask if cur.eat("bank_mask:") => ranged(cur, 0, 15)?,
        Kind::DstSel if cur.eat("dst_sel:") => sel(cur, &SELS)?,
        Kind::SrcSel(0) if cur.eat("src0_sel:") => sel(cur, &SELS)?,
        Kind::SrcSel(1) if cur.eat("src1_sel:") => sel(cur, &SELS)?,
        Kind::DstUnused if cur.eat("dst_unused:") => sel(cur, &UNUSED)?,
        _ => return Ok(false),
    };
    inst.vals[index] = v;
    Ok(true)
}

fn sel(cur: &mut Cursor<'_>, names: &[&str]) -> Result<u32, TextError> {
    match cur.eat_longest(names) {
        Some(i) => Ok(i as u32),
        None => Err(cur.error(format!("expected one of {}", names.join(", ")))),
    }
}

fn parse_format(cur: &mut Cursor<'_>, cx: &TextCx) -> Result<u32, TextError> {
    if !cur.eat("[") {
        return ranged(cur, 0, 127);
    }
    let (mut d, mut n) = (1, 0);
    loop {
        cur.blanks();
        let at = cur.column();
        let word = cur.word().to_ascii_uppercase();
        if let Some(name) = word.strip_prefix("BUF_DATA_FORMAT_") {
            let found = DFMT.iter().position(|f| *f == name);
            d = found.ok_or(TextError::new(at, format!("unknown format `{word}`")))?;
        } else {
            let name = word.strip_prefix("BUF_NUM_FORMAT_").unwrap_or("");
            let found = (0..8).find(|&i| nfmt_name(i, cx.generation) == name);
            n = found.ok_or(TextError::new(at, format!("unknown format `{word}`")))?;
        }
        cur.blanks();
        if cur.eat("]") {
            return Ok((d | n << 4) as u32);
        }
        expect(cur, ",")?;
    }
}

fn parse_dpp(cur: &mut Cursor<'_>) -> Result<Option<u32>, TextError> {
    if cur.eat("quad_perm:") {
        expect(cur, "[")?;
        let v = quad(cur)?;
        expect(cur, "]")?;
        return Ok(Some(v));
    }
    for (name, base) in DPP_SHIFTS {
        if cur.eat(name) {
            return Ok(Some(base + ranged(cur, 1, 15)?));
        }
    }
    Ok(DPP_WORDS.iter().find(|(name, _)| cur.eat_word(name)).map(|&(_, v)| v))
}
