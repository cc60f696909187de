//! Operands as text, in the syntax of reference section 18.

use core::fmt::{self, Write};

use gpucc_isa::{Cursor, Inst, TextCx, TextError, fail_if, text};

use crate::Vivante;
use crate::operand::{
    GROUP_IMMEDIATE, GROUP_INTERNAL, GROUP_TEMP, GROUP_TEMP_FULL, GROUP_UNIFORM, Immediate, Source, dst, imm_f16,
    imm_s20, imm_u20, used,
};
use crate::rows::{BRANCH_IGNORED, Kind, STORE_IGNORED};

/// Suffixes of the operand types by their number.
pub const TYPES: [&str; 8] = ["f32", "s32", "s8", "u16", "f16", "s16", "u32", "u8"];

/// Conditions by their number; empty ones are not known to exist.
pub const CONDITIONS: [&str; 32] = {
    let mut c = [""; 32];
    #[rustfmt::skip]
    let named = [
        (1, "gt"), (2, "lt"), (3, "ge"), (4, "le"), (5, "eq"), (6, "ne"), (7, "and"), (8, "or"), (9, "xor"), (10, "not"),
        (11, "nz"), (12, "gez"), (13, "gz"), (14, "lez"), (15, "lz"), (22, "selmsb"),
    ];
    let mut i = 0;
    while i < named.len() {
        c[named[i].0] = named[i].1;
        i += 1;
    }
    c
};

/// Names of the rounding modes; the last is misspelt as the reference disassembler prints it.
const ROUNDS: [&str; 4] = ["", "rtz", "rtne", "unkown"];
const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// Column at which operands start.
const COLUMN: usize = 18;

/// Prints an instruction with its operands at column 18 and, for stores and branches, ignored bits that are set.
pub fn print(inst: &Inst<Vivante>, cx: &TextCx, out: &mut String) {
    let start = out.len();
    text::print_template(inst, cx, out);
    if let Some(blank) = out[start..].find(' ')
        && blank < COLUMN
    {
        out.insert_str(start + blank, &"                  "[..COLUMN - blank - 1]);
    }
    let row = inst.row();
    if inst.ignored != 0 && (row.ignored == STORE_IGNORED || row.ignored == BRANCH_IGNORED) {
        // The vectors spell the tab of the reference tool as two characters.
        let _ = write!(out, "\\t; dontcare bits in {}: {:032x}", row.head(), inst.ignored);
    }
}

/// Prints the operand in one slot of the row's text.
pub fn print_operand(inst: &Inst<Vivante>, index: usize, _cx: &TextCx, out: &mut String) {
    let slot = &inst.row().operands[index];
    let v = inst.vals[index];
    // Writing into a text does not fail.
    let _ = match slot.kind {
        Kind::Flag(name) => out.write_str(if v == 0 { "" } else { name }),
        Kind::Pack => out.write_str(if v == 0 { ".pack" } else { "" }),
        Kind::Cond => suffix(CONDITIONS[v as usize & 31], out),
        Kind::Type => suffix(if v == 0 { "" } else { TYPES[v as usize & 7] }, out),
        Kind::Thread => suffix(["", "t0", "t1", ""][v as usize & 3], out),
        Kind::Round => suffix(ROUNDS[v as usize & 3], out),
        Kind::Shift if v == 0 => Ok(()),
        Kind::Shift => write!(out, ".ls{v}"),
        Kind::DstOpt if v >> 14 == 0 => out.write_str("void"),
        Kind::Dst | Kind::DstOpt => print_dst(v, out),
        Kind::MemMask => {
            out.push_str("mem");
            print_mask(v, out)
        }
        Kind::VoidMask => out.write_str("void"),
        Kind::Src => print_source(v, out),
        Kind::SrcOpt if v >> 25 == 0 => out.write_str("void"),
        Kind::SrcOpt => print_source(v & 0x1ff_ffff, out),
        Kind::Tex => {
            let _ = write!(out, "tex{}.", v & 31);
            print_swizzle(v >> 8, out)
        }
        // The reference disassembler takes the 15 bits as a signed number.
        Kind::Target => write!(out, "{}", (v << 17) as i32 >> 17),
        Kind::Silent => Ok(()),
    };
}

fn suffix(name: &str, out: &mut String) -> fmt::Result {
    if name.is_empty() { Ok(()) } else { write!(out, ".{name}") }
}

fn print_amode(amode: u32, out: &mut String) -> fmt::Result {
    amode.checked_sub(1).map_or(Ok(()), |lane| write!(out, "[a.{}]", LANES[lane as usize & 3]))
}

fn print_dst(v: u32, out: &mut String) -> fmt::Result {
    let (reg, mask, amode) = dst::parts(v);
    write!(out, "t{reg}")?;
    print_amode(amode, out)?;
    print_mask(mask, out)
}

/// Masks xz and yz print in a way of their own, as the reference disassembler always has.
fn print_mask(mask: u32, out: &mut String) -> fmt::Result {
    match mask & 15 {
        15 => Ok(()),
        5 => out.write_str(".zx"),
        6 => out.write_str(".zy"),
        m => {
            let lanes = LANES.iter().enumerate().map(|(i, &c)| if m >> i & 1 == 1 { c } else { '_' });
            write!(out, ".{}", lanes.collect::<String>())
        }
    }
}

fn print_swizzle(swiz: u32, out: &mut String) -> fmt::Result {
    out.extend((0..4).map(|i| LANES[(swiz >> (2 * i) & 3) as usize]));
    Ok(())
}

fn print_float(x: f32, out: &mut String) -> fmt::Result {
    match (x.is_nan(), x.is_sign_negative()) {
        (true, true) => out.write_str("-nan"),
        (true, false) => out.write_str("nan"),
        _ => write!(out, "{x:.6}"),
    }
}

fn half_to_f32(h: u16) -> f32 {
    let sign = u32::from(h >> 15) << 31;
    let exp = u32::from(h >> 10 & 31);
    let man = u32::from(h & 0x3ff);
    let magnitude = match exp {
        // A subnormal half is man * 2^-24, exact in f32.
        0 => (man as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        31 => 0x7f80_0000 | man << 13,
        _ => (exp + 112) << 23 | man << 13,
    };
    f32::from_bits(sign | magnitude)
}

fn print_source(v: u32, out: &mut String) -> fmt::Result {
    let s = Source::new(v);
    if s.group == GROUP_IMMEDIATE {
        return match Immediate::new(v) {
            Immediate::F20(bits) => print_float(f32::from_bits(bits), out),
            Immediate::S20(i) => write!(out, "{i}"),
            Immediate::U20(u) => write!(out, "{u}"),
            Immediate::F16(h) => print_float(half_to_f32(h), out),
        };
    }
    let name = match s.group {
        GROUP_TEMP => "t",
        GROUP_INTERNAL => "i",
        GROUP_TEMP_FULL => "th",
        _ => "u",
    };
    let (neg, abs) = (if s.neg { "-" } else { "" }, if s.abs { "|" } else { "" });
    write!(out, "{neg}{abs}{name}{}", s.reg)?;
    print_amode(s.amode, out)?;
    out.push('.');
    print_swizzle(s.swiz, out)?;
    out.write_str(abs)
}

/// Parses one slot.
///
/// # Errors
/// Column and reason.
pub fn parse_operand(
    inst: &mut Inst<Vivante>,
    index: usize,
    cur: &mut Cursor<'_>,
    cx: &TextCx,
) -> Result<(), TextError> {
    let kind = inst.row().operands[index].kind;
    let v = match kind {
        Kind::Flag(name) => u32::from(cur.eat_word(name)),
        Kind::Pack => u32::from(!cur.eat_word(".pack")),
        Kind::Cond => modifier(cur, &CONDITIONS).unwrap_or(0),
        Kind::Type => modifier(cur, &TYPES).unwrap_or(0),
        Kind::Thread => modifier(cur, &["", "t0", "t1"]).unwrap_or(0),
        Kind::Round => modifier(cur, &ROUNDS).unwrap_or(0),
        Kind::Shift => modifier(cur, &["", "ls1", "ls2", "ls3", "ls4", "ls5", "ls6", "ls7"]).unwrap_or(0),
        Kind::Dst => parse_dst(cur)?,
        Kind::DstOpt | Kind::SrcOpt if cur.eat_word("void") => 0,
        Kind::DstOpt => dst::used(parse_dst(cur)?),
        Kind::MemMask => {
            fail_if!(!cur.eat("mem"), unexpected(cur, "`mem`"));
            parse_mask(cur)?
        }
        Kind::VoidMask if cur.eat_word("void") => 0,
        Kind::VoidMask => return Err(unexpected(cur, "`void`")),
        Kind::Src => parse_source(cur, cx)?,
        Kind::SrcOpt => used(parse_source(cur, cx)?),
        Kind::Tex => {
            fail_if!(!cur.eat("tex"), unexpected(cur, "a sampler `texN`"));
            let id = register(cur, 31)?;
            id | parse_amode(cur)? << 5 | parse_swizzle(cur)? << 8
        }
        Kind::Target => {
            let column = cur.column();
            match cur.number() {
                Some(t @ -16384..=32767) => t as u32 & 0x7fff,
                Some(t) => return Err(TextError { column, message: format!("target {t} does not fit 15 bits") }),
                None => return Err(cur.error("expected a branch target")),
            }
        }
        Kind::Silent => 0,
    };
    inst.vals[index] = v;
    Ok(())
}

/// Says what was expected, or, right behind a mnemonic, which modifier the instruction lacks.
fn unexpected(cur: &Cursor<'_>, what: &str) -> TextError {
    if cur.peek() == Some('.') {
        let mut c = cur.clone();
        c.eat(".");
        let word = c.word();
        return cur.error(format!("modifier `.{word}` is unknown, not allowed here or out of order"));
    }
    cur.error(format!("expected {what}"))
}

/// Takes `.name` when it is one of `names`; gives its place.
fn modifier(cur: &mut Cursor<'_>, names: &[&str]) -> Option<u32> {
    let mut c = cur.clone();
    if !c.eat(".") {
        return None;
    }
    let word = c.word();
    let at = names.iter().position(|n| !n.is_empty() && n.eq_ignore_ascii_case(word))?;
    *cur = c;
    Some(at as u32)
}

fn register(cur: &mut Cursor<'_>, max: u32) -> Result<u32, TextError> {
    let column = cur.column();
    fail_if!(!cur.peek().is_some_and(|c| c.is_ascii_digit()), cur.error("expected a register number"));
    match cur.number() {
        Some(n) if (0..=i64::from(max)).contains(&n) => Ok(n as u32),
        _ => Err(TextError { column, message: format!("register number out of range, at most {max}") }),
    }
}

fn parse_amode(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    if !cur.eat("[") {
        return Ok(0);
    }
    match cur.eat_longest(&["a.x]", "a.y]", "a.z]", "a.w]"]) {
        Some(i) => Ok(i as u32 + 1),
        None => Err(cur.error("expected `a.x`, `a.y`, `a.z` or `a.w` and `]`")),
    }
}

fn parse_dst(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let mut c = cur.clone();
    fail_if!(!(c.eat("t") && c.peek().is_some_and(|c| c.is_ascii_digit())), unexpected(cur, "a destination `tN`"));
    *cur = c;
    let reg = register(cur, 127)?;
    let amode = parse_amode(cur)?;
    let mask = parse_mask(cur)?;
    Ok(dst::temp(reg, mask) | amode)
}

fn parse_mask(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let mut c = cur.clone();
    if !c.eat(".") {
        return Ok(15);
    }
    let word = c.word().to_ascii_lowercase();
    if !word.chars().all(|ch| LANES.contains(&ch) || ch == '_') {
        // A modifier printed behind the destination (`.hp` of instructions without operands).
        return Ok(15);
    }
    let mask = match word.as_str() {
        "zx" => 5,
        "zy" => 6,
        w => {
            let fixed = w.len() == 4 && w.chars().zip(LANES).all(|(ch, l)| ch == l || ch == '_');
            let lanes: Vec<usize> = w.chars().filter_map(|ch| LANES.iter().position(|&l| l == ch)).collect();
            let rising = !w.contains('_') && !lanes.is_empty() && lanes.windows(2).all(|p| p[0] < p[1]);
            fail_if!(!fixed && !rising, cur.error(format!("`.{w}` is not a write mask")));
            lanes.iter().fold(0, |m, &l| m | 1 << l)
        }
    };
    *cur = c;
    Ok(mask)
}

fn parse_swizzle(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let mut c = cur.clone();
    let letters = if c.eat(".") { c.word() } else { "" };
    let lane = |ch: u8| LANES.iter().position(|&l| l as u8 == ch.to_ascii_lowercase());
    let mut swiz = 0;
    fail_if!(letters.len() != 4, cur.error("expected a swizzle of four components"));
    for (i, ch) in letters.bytes().enumerate() {
        match lane(ch) {
            Some(l) => swiz |= (l as u32) << (2 * i),
            None => return Err(cur.error(format!("`.{letters}` is not a swizzle"))),
        }
    }
    *cur = c;
    Ok(swiz)
}

fn parse_source(cur: &mut Cursor<'_>, cx: &TextCx) -> Result<u32, TextError> {
    let start = cur.column();
    let neg = cur.eat("-");
    let next = cur.peek().unwrap_or(' ');
    if next.is_ascii_digit() || next == '.' && neg || starts_number(cur) {
        cur.seek(start);
        let v = parse_immediate(cur)?;
        fail_if!(cx.generation == crate::GC2000, TextError::new(start, "gc2000 has no immediates in operands"));
        return Ok(v);
    }
    let abs = cur.eat("|");
    let group = match cur.eat_longest(&["t", "th", "u", "i"]) {
        Some(i) => [GROUP_TEMP, GROUP_TEMP_FULL, GROUP_UNIFORM, GROUP_INTERNAL][i],
        None if !neg && !abs => return Err(unexpected(cur, "a source operand")),
        None => return Err(cur.error("expected a register `t`, `th`, `u` or `i`")),
    };
    let reg = register(cur, 511)?;
    let amode = parse_amode(cur)?;
    let swiz = parse_swizzle(cur)?;
    if abs {
        cur.expect("|")?;
    }
    Ok(reg | swiz << 9 | u32::from(neg) << 17 | u32::from(abs) << 18 | amode << 19 | group << 22)
}

fn starts_number(cur: &Cursor<'_>) -> bool {
    let mut c = cur.clone();
    c.eat_word("nan") || c.eat_word("inf")
}

/// A number: floats become f20, integers s20 (u20 when too large), a suffix `:f20`, `:s20`, `:u20`, `:f16` decides.
fn parse_immediate(cur: &mut Cursor<'_>) -> Result<u32, TextError> {
    let rest = cur.rest();
    let column = cur.column();
    let end = rest.find([',', ' ', '\t', ';']).unwrap_or(rest.len());
    let text = &rest[..end];
    let fail = |message: String| TextError { column, message };
    let (number, suffix) = match text.split_once(':') {
        Some((n, s)) => (n, s.to_ascii_lowercase()),
        None => (text, String::new()),
    };
    let lower = number.to_ascii_lowercase();
    let hex = lower.trim_start_matches('-').starts_with("0x");
    let looks_float = lower.contains(['.', 'n']) || !hex && lower.contains('e');
    let v = match suffix.as_str() {
        "" if looks_float => parse_f20(&lower).map_err(fail)?,
        "f20" => parse_f20(&lower).map_err(fail)?,
        "f16" => {
            let x: f32 = lower.parse().map_err(|_| fail(format!("`{number}` is not a number")))?;
            let h = (0..=u16::MAX).find(|&h| half_to_f32(h).to_bits() == x.to_bits());
            imm_f16(h.ok_or_else(|| fail(format!("{number} is not a half float")))?)
        }
        "" | "s20" | "u20" => {
            let mut c = cur.clone();
            let i = c.number().filter(|_| c.column() == column + number.len());
            let i = i.ok_or_else(|| fail(format!("`{number}` is not a number")))?;
            let signed = i32::try_from(i).ok().and_then(imm_s20).filter(|_| suffix != "u20");
            let unsigned = u32::try_from(i).ok().and_then(imm_u20).filter(|_| suffix != "s20");
            signed.or(unsigned).ok_or_else(|| fail(format!("{i} does not fit a 20-bit immediate")))?
        }
        s => return Err(fail(format!("`:{s}` is not a kind of immediate"))),
    };
    cur.seek(column + text.len());
    Ok(v)
}

/// The 20-bit float that is, or prints as, the given number.
fn parse_f20(text: &str) -> Result<u32, String> {
    let x: f32 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if x.is_nan() {
        let sign = u32::from(text.starts_with('-')) << 19;
        return Ok(raw_f20(0x7fc00 | sign));
    }
    let bits = x.to_bits();
    if bits & 0xfff == 0 {
        return Ok(raw_f20(bits >> 12));
    }
    let nearest = (bits + 0x7ff + (bits >> 12 & 1)) >> 12;
    let mut shown = String::new();
    let _ = print_float(f32::from_bits(nearest << 12), &mut shown);
    if shown == text {
        return Ok(raw_f20(nearest));
    }
    Err(format!("{text} does not fit a 20-bit float immediate, the nearest is {shown}"))
}

fn raw_f20(v: u32) -> u32 {
    v | GROUP_IMMEDIATE << 22
}
