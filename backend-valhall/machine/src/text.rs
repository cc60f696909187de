//! The assembly notation of section 20 of the ISA reference, both ways.

use std::sync::LazyLock;

use gpucc_isa::{Cursor, TextError, fail_if};

use crate::build;
use crate::kind::{DstKind, EnumDef, FLOW, Kind, SrcKind, SrcMods};
use crate::operand::{LUT, Operand, SPECIALS, Src, operand};
use crate::{OPS, ROWS, ValhallInst};

fn is_modifier(kind: Kind) -> bool {
    matches!(kind, Kind::Flag(_) | Kind::Enum(_))
}

fn is_operand(kind: Kind) -> bool {
    matches!(kind, Kind::Dst(_) | Kind::Run { .. } | Kind::Src(_) | Kind::Imm { .. } | Kind::Constant)
}

/// Order of operand classes: destination, runs, sources, immediates. Slots keep their order within a class.
fn operand_class(kind: Kind) -> u8 {
    match kind {
        Kind::Dst(_) => 0,
        Kind::Run { .. } => 1,
        Kind::Src(_) => 2,
        _ => 3,
    }
}

fn operand_slots(inst: &ValhallInst) -> Vec<usize> {
    let slots = inst.row().operands;
    let mut order: Vec<usize> = (0..slots.len()).filter(|&i| is_operand(slots[i].kind)).collect();
    order.sort_by_key(|&i| operand_class(slots[i].kind));
    order
}

/// Prints a whole instruction.
pub fn print(inst: &ValhallInst, out: &mut String) {
    let row = inst.row();
    out.push_str(row.text);
    for (i, s) in row.operands.iter().enumerate() {
        if is_modifier(s.kind) {
            print_operand(inst, i, out);
        }
    }
    if let Some(i) = row.operand("flow") {
        print_operand(inst, i, out);
    }
    for (n, i) in operand_slots(inst).into_iter().enumerate() {
        out.push_str(if n == 0 { " " } else { ", " });
        print_operand(inst, i, out);
    }
}

fn print_enum(def: &EnumDef, v: u32, out: &mut String) {
    if def.default.map(u32::from) == Some(v) {
        return;
    }
    out.push('.');
    match def.value(v) {
        Some(n) => out.push_str(n),
        None => out.push_str(&format!("reserved{v}")),
    }
}

/// Length of the run in slot `index`.
pub(crate) fn run_length(inst: &ValhallInst, index: usize) -> u32 {
    match inst.row().operands[index].kind {
        Kind::Run { count, minus1 } => inst.get(count).unwrap_or(0) + minus1 as u32,
        _ => 0,
    }
}

/// Prints the operand in one slot of the row's text.
pub fn print_operand(inst: &ValhallInst, index: usize, out: &mut String) {
    let slot = &inst.row().operands[index];
    let v = inst.vals[index];
    match slot.kind {
        Kind::Flow => print_enum(&FLOW, v, out),
        Kind::Page | Kind::Count => {}
        Kind::Flag(name) => {
            if v != 0 {
                out.push('.');
                out.push_str(name);
            }
        }
        Kind::Enum(def) => print_enum(def, v, out),
        Kind::Dst(_) => {
            out.push_str(&format!("r{}", v & 63));
            out.push_str(match v >> 6 {
                1 => ".h0",
                2 => ".h1",
                3 => "",
                _ => ".nothing",
            });
        }
        Kind::Run { .. } => {
            out.push('@');
            for n in 0..run_length(inst, index) {
                if n > 0 {
                    out.push(':');
                }
                out.push_str(&format!("r{}", v + n));
            }
        }
        Kind::Src(kind) => print_src(kind, v, inst.get("page").unwrap_or(0) as u8, out),
        Kind::Imm { name, signed } => {
            let width = slot.field.width();
            if signed {
                let shift = 32 - width;
                out.push_str(&format!("{name}:{}", ((v << shift) as i32) >> shift));
            } else {
                out.push_str(&format!("{name}:0x{v:X}"));
            }
        }
        Kind::Constant => out.push_str(&format!("#0x{v:X}")),
    }
}

fn print_src(kind: SrcKind, raw: u32, page: u8, out: &mut String) {
    let s = Src::unpack(kind, raw, page);
    match operand(s.byte, page) {
        Operand::Reg(n, last) => out.push_str(&format!("{}r{n}", if last { "^" } else { "" })),
        Operand::Uniform(n) => out.push_str(&format!("u{n}")),
        Operand::Lut(i) => out.push_str(&format!("0x{:X}", LUT[i as usize])),
        Operand::Special(sp, half) => out.push_str(&format!("{}.w{half}", sp.name)),
        Operand::Reserved => out.push_str(&format!("reserved_special_{:x}", s.byte)),
    }
    if s.neg {
        out.push_str(".neg");
    }
    if s.abs {
        out.push_str(".abs");
    }
    if let (Some(def), Some(v)) = (kind.mods.swizzle(), s.swizzle) {
        print_enum(def, v as u32, out);
    }
    if s.not {
        out.push_str(".not");
    }
}

/// Rows by mnemonic in lower case, longest first among those with a common beginning.
static BY_NAME: LazyLock<Vec<(String, u16)>> = LazyLock::new(|| {
    let mut v: Vec<(String, u16)> =
        ROWS.iter().enumerate().map(|(i, r)| (r.text.to_ascii_lowercase(), i as u16)).collect();
    v.sort();
    v
});

fn find_mnemonic(word: &str) -> Option<(u16, usize)> {
    let lower = word.to_ascii_lowercase();
    let mut end = lower.len();
    loop {
        if let Ok(i) = BY_NAME.binary_search_by(|(n, _)| n.as_str().cmp(&lower[..end])) {
            return Some((BY_NAME[i].1, end));
        }
        end = lower[..end].rfind('.')?;
    }
}

/// Parses a whole instruction.
///
/// # Errors
/// The first place that cannot be read, and why.
pub fn parse(line: &str) -> Result<ValhallInst, TextError> {
    let mut cur = Cursor::new(line);
    cur.blanks();
    let head: &str = cur.rest().split([' ', '\t']).next().unwrap_or("");
    let Some((row, len)) = find_mnemonic(head) else {
        return Err(
            cur.error(format!("unknown mnemonic `{}`", head.split('.').find(|part| !part.is_empty()).unwrap_or(head)))
        );
    };
    cur.seek(cur.column() + len);
    let mut inst = build::inst(OPS[row as usize]);
    let slots = inst.row().operands;
    for (i, s) in slots.iter().enumerate() {
        if is_modifier(s.kind) {
            parse_operand(&mut inst, i, &mut cur)?;
        }
    }
    if let Some(i) = inst.row().operand("flow") {
        parse_operand(&mut inst, i, &mut cur)?;
    }
    if cur.peek().is_some_and(|c| c != ' ' && c != '\t') {
        let bad = cur.rest().split([' ', '\t']).next().unwrap_or("");
        return Err(cur.error(format!("`{}` does not take `{bad}` here", inst.row().text)));
    }
    for (n, i) in operand_slots(&inst).into_iter().enumerate() {
        cur.blanks();
        if n > 0 {
            fail_if!(!cur.eat(","), cur.error("expected `,` and another operand"));
            cur.blanks();
        }
        parse_operand(&mut inst, i, &mut cur)?;
    }
    fail_if!(!cur.at_end(), cur.error(format!("unexpected `{}`", cur.rest().trim())));
    finish(&mut inst);
    Ok(inst)
}

/// Takes `.name` for the longest of the enum's names that stands here as a whole word.
fn eat_value(cur: &mut Cursor<'_>, def: &EnumDef) -> Option<u8> {
    let start = cur.column();
    if !cur.eat(".") {
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for (v, name) in def.values.iter().enumerate() {
        let mut c = cur.clone();
        // `none` is not written except where it has no default: it would be ambiguous with the flow of that name.
        let silent = *name == "none" && def.default == Some(v as u8);
        if name.is_empty() || silent || !c.eat(name) {
            continue;
        }
        let whole = !c.peek().is_some_and(|ch| ch.is_ascii_alphanumeric() || ch == '_');
        if whole && best.is_none_or(|(_, len)| name.len() > len) {
            best = Some((v, name.len()));
        }
    }
    match best {
        Some((v, len)) => {
            cur.seek(cur.column() + len);
            Some(v as u8)
        }
        None => {
            cur.seek(start);
            None
        }
    }
}

fn parse_enum(cur: &mut Cursor<'_>, def: &EnumDef) -> Result<u32, TextError> {
    match (eat_value(cur, def), def.default) {
        (Some(v), _) => Ok(v as u32),
        (None, Some(d)) => Ok(d as u32),
        (None, None) => {
            let names: Vec<&str> = def.values.iter().copied().filter(|n| !n.is_empty()).collect();
            Err(cur.error(format!("expected a {}: one of .{}", def.name, names.join(", ."))))
        }
    }
}

fn parse_register(cur: &mut Cursor<'_>) -> Result<u8, TextError> {
    let start = cur.clone();
    if cur.eat("r")
        && let Some(n) = cur.number()
    {
        if (0..64).contains(&n) {
            return Ok(n as u8);
        }
        return Err(start.error(format!("r{n} does not exist: registers are r0 to r63")));
    }
    Err(start.error("expected a register"))
}

/// Parses one slot into `inst`.
///
/// # Errors
/// When the text is no legal value of the slot.
pub fn parse_operand(inst: &mut ValhallInst, index: usize, cur: &mut Cursor<'_>) -> Result<(), TextError> {
    let slot = &inst.row().operands[index];
    let start = cur.clone();
    let value = match slot.kind {
        Kind::Flow => parse_enum(cur, &FLOW)?,
        Kind::Page | Kind::Count => return Ok(()),
        Kind::Flag(name) => {
            let mut c = cur.clone();
            if c.eat(".") && c.eat_word(name) {
                cur.seek(c.column());
                1
            } else {
                0
            }
        }
        Kind::Enum(def) => parse_enum(cur, def)?,
        Kind::Dst(kind) => {
            let r = parse_register(cur)? as u32;
            let mask = if cur.eat(".h0") {
                1
            } else if cur.eat(".h1") {
                2
            } else {
                3
            };
            fail_if!(mask != 3 && kind == DstKind::Pair, start.error("a 64-bit result has no halves"));
            r | mask << 6
        }
        Kind::Run { count, minus1 } => {
            fail_if!(!cur.eat("@"), cur.error("expected a staging run `@rA:rB...`"));
            let mut base = 0;
            let mut len = 0u32;
            if cur.peek().is_some_and(|c| c.eq_ignore_ascii_case(&'r')) {
                base = parse_register(cur)? as u32;
                len = 1;
                while cur.eat(":") {
                    let at = cur.clone();
                    if parse_register(cur)? as u32 != base + len {
                        return Err(at.error("registers of a run must be consecutive"));
                    }
                    len += 1;
                }
            }
            if len < minus1 as u32 || len > 7 + minus1 as u32 {
                return Err(start.error(format!("a run of {len} registers cannot be encoded here")));
            }
            if let Some(c) = inst.row().operand(count) {
                inst.vals[c] = len - minus1 as u32;
            }
            base
        }
        Kind::Src(kind) => {
            let src = parse_src(cur, kind)?;
            if let Some(page) = src.page {
                note_page(inst, page, &start)?;
            }
            src.pack(kind).ok_or_else(|| start.error("operand with a modifier that does not exist here"))?
        }
        Kind::Imm { name, signed } => {
            fail_if!(!cur.eat(name) || !cur.eat(":"), start.error(format!("expected `{name}:`")));
            parse_number(cur, slot.field.width(), signed)?
        }
        Kind::Constant => {
            fail_if!(!cur.eat("#"), cur.error("expected `#` and a number"));
            parse_number(cur, 32, false)?
        }
    };
    inst.vals[index] = value;
    Ok(())
}

fn parse_number(cur: &mut Cursor<'_>, width: u32, signed: bool) -> Result<u32, TextError> {
    let start = cur.clone();
    let Some(n) = cur.number() else { return Err(start.error("expected a number")) };
    let (low, high) =
        if signed { (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1) } else { (0, (1i64 << width) - 1) };
    fail_if!(n < low || n > high, start.error(format!("{n} is out of range {low}..{high}")));
    Ok(n as u32 & ((1u64 << width) - 1) as u32)
}

/// All operands that are not registers share one FAU page. The page field of a fresh instruction is 0, so the first operand that needs
/// a page can only be told from an earlier one by looking at the sources already read.
fn note_page(inst: &mut ValhallInst, page: u8, at: &Cursor<'_>) -> Result<(), TextError> {
    let Some(p) = inst.row().operand("page") else { return Ok(()) };
    let now = inst.vals[p] & 3;
    let named = inst.vals[p] & PAGE_SEEN != 0;
    if named && now != page as u32 {
        return Err(at.error(format!("operand is on FAU page {page}, an earlier one on page {now}")));
    }
    inst.vals[p] = page as u32 | PAGE_SEEN;
    Ok(())
}

/// Mark in the page slot while a line is being read.
const PAGE_SEEN: u32 = 0x100;

fn parse_src(cur: &mut Cursor<'_>, kind: SrcKind) -> Result<Src, TextError> {
    let start = cur.clone();
    let mut src = parse_source(cur)?;
    if kind.mods.has_neg_abs() {
        src.neg = eat_flag(cur, ".neg");
        src.abs = eat_flag(cur, ".abs");
    }
    if let Some(def) = kind.mods.swizzle() {
        src.swizzle = match eat_value(cur, def) {
            Some(v) => Some(v),
            None if def.default.is_some() => None,
            None => return Err(cur.error(format!("expected a {}", def.name))),
        };
    }
    if kind.mods == SrcMods::Not {
        src.not = eat_flag(cur, ".not");
    }
    if cur.peek() == Some('.') {
        let bad = cur.rest().split([',', ' ']).next().unwrap_or("");
        return Err(cur.error(format!("this operand does not take `{bad}`")));
    }
    fail_if!(cur.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_'), start.error("expected an operand"));
    Ok(src)
}

fn eat_flag(cur: &mut Cursor<'_>, name: &str) -> bool {
    let mut c = cur.clone();
    if c.eat(name) && !c.peek().is_some_and(|ch| ch.is_ascii_alphanumeric() || ch == '_') {
        cur.seek(c.column());
        return true;
    }
    false
}

fn parse_source(cur: &mut Cursor<'_>) -> Result<Src, TextError> {
    let start = cur.clone();
    if cur.eat("^") {
        return Ok(crate::operand::reg(parse_register(cur)?).last());
    }
    for s in SPECIALS {
        let mut c = cur.clone();
        if c.eat_word(s.name) {
            cur.seek(c.column());
            let half = if cur.eat(".w0") {
                0
            } else if cur.eat(".w1") {
                1
            } else {
                return Err(cur.error(format!("`{}` needs `.w0` or `.w1`", s.name)));
            };
            return Ok(crate::operand::special(*s, half));
        }
    }
    match cur.peek() {
        Some('r' | 'R') => Ok(crate::operand::reg(parse_register(cur)?)),
        Some('u' | 'U') => {
            cur.eat("u");
            match cur.number() {
                Some(n) if (0..256).contains(&n) => Ok(crate::operand::uniform(n as u8)),
                Some(n) => Err(start.error(format!("u{n} does not exist: uniform words are u0 to u255"))),
                None => Err(start.error("expected an operand")),
            }
        }
        Some('0'..='9') => {
            let Some(n) = cur.number() else { return Err(start.error("expected a number")) };
            match u32::try_from(n).ok().and_then(crate::operand::lut) {
                Some(s) => Ok(s),
                None => Err(start.error(format!("{n:#X} is not among the 32 immediates"))),
            }
        }
        _ => Err(start.error("expected an operand")),
    }
}

/// Clears the mark of [`note_page`].
fn finish(inst: &mut ValhallInst) {
    if let Some(p) = inst.row().operand("page") {
        inst.vals[p] &= 3;
    }
}
