//! Text of instructions (reference section 13).

use crate::modifiers::Pred;
use crate::operand::{self, Addr, Operand, SharedTy, View, destination, put};
use crate::types::{Kind, Space, Width};
use crate::{Tesla, table};
use gpucc_isa::stage::{CS, GS, VS};
use gpucc_isa::{Cursor, Inst, Isa, TextCx, TextError, fail_if};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// Prints a whole instruction.
pub fn print(inst: &Inst<Tesla>, cx: &TextCx, out: &mut String) {
    match inst.get("ei") {
        Some(1) => out.push_str("exit "),
        Some(2) => out.push_str("join "),
        _ => {}
    }
    let _ = match inst.get("pred") {
        Some(0) => out.write_str("(never) "),
        None | Some(15) => Ok(()),
        Some(pred) => write!(out, "({} $c{}) ", Pred::NAMES[pred as usize], inst.get("pcc").unwrap_or(0)),
    };
    match inst.get("lanes") {
        None | Some(0xf) => {}
        Some(0) => out.push_str("(lnone) "),
        Some(mask) => {
            out.push_str("(l");
            for lane in (0..4).filter(|l| mask >> l & 1 == 1) {
                let _ = write!(out, "{lane}");
            }
            out.push_str(") ");
        }
    }
    gpucc_isa::text::print_template(inst, cx, out);
}

fn print_reg(n: u32, width: Width, out: &mut String) {
    let _ = match width {
        Width::H => write!(out, "$r{}{}", n >> 1, if n & 1 == 1 { 'h' } else { 'l' }),
        Width::S => write!(out, "$r{n}"),
        Width::D => write!(out, "$r{n}d"),
        Width::Q => write!(out, "$r{n}q"),
    };
}

fn print_addr(addr: Addr, out: &mut String) {
    let _ = if addr.inc {
        let base = if addr.a == 0 { "0x0".to_owned() } else { format!("$a{}", addr.a) };
        write!(out, "{base}++{:#x}", i64::from(addr.off))
    } else if addr.a == 0 {
        write!(out, "{:#x}", addr.off)
    } else if addr.off == 0 {
        write!(out, "$a{}", addr.a)
    } else {
        write!(out, "$a{}+{:#x}", addr.a, addr.off)
    };
}

fn print_source(op: Operand, width: Width, out: &mut String) {
    let (open, addr) = match op {
        Operand::Reg(n) => return print_reg(u32::from(n), width, out),
        Operand::Discard => return out.push('#'),
        Operand::Out(off) => (format!("o[{off:#x}"), None),
        Operand::Shared(ty, addr) => (format!("{} s[", ty.name()), Some(addr)),
        Operand::Attr(addr) => ("a[".into(), Some(addr)),
        Operand::Prim(addr) => ("p[".into(), Some(addr)),
        Operand::Const(c, addr) => (format!("c{c}["), Some(addr)),
    };
    out.push_str(&open);
    if let Some(addr) = addr {
        print_addr(addr, out);
    }
    out.push(']');
}

fn sr_name(n: u32, generation: u8) -> String {
    match n {
        0 => "$physid".into(),
        1 => "$clock".into(),
        3 => "$vstride".into(),
        4..=7 => format!("$pm{}", n - 4),
        8 if Tesla::GENERATIONS[generation as usize] == "nva3" => "$sampleid".into(),
        _ => format!("$sr{n}"),
    }
}

/// Prints the operand in one slot of the row's text.
pub fn print_operand(inst: &Inst<Tesla>, index: usize, cx: &TextCx, out: &mut String) {
    let slot = &inst.row().operands[index];
    let raw = inst.vals[index];
    let get = |name: &str| inst.get(name).unwrap_or(0);
    // Writing into a text does not fail.
    let _ = match slot.kind {
        Kind::Dst(_) | Kind::DstO(_) | Kind::DstOF => {
            destination(slot.kind, raw).into_iter().for_each(|(op, width)| print_source(op, width, out));
            Ok(())
        }
        Kind::Src1(w)
        | Kind::Src2(w)
        | Kind::Src3(w)
        | Kind::SSrc1(w)
        | Kind::SSrc2(w)
        | Kind::ISrc1(w)
        | Kind::Reg(w) => {
            match View::any(inst, cx.stages).and_then(|v| v.source(slot.kind, raw)) {
                Some(op) => print_source(op, w, out),
                None => out.push('?'),
            }
            Ok(())
        }
        Kind::SameAsDst => {
            result(inst).into_iter().for_each(|(op, width)| print_source(op, width, out));
            Ok(())
        }
        Kind::HalfOrFull => {
            print_reg(raw & 0x7f, if raw >> 7 == 1 { Width::S } else { Width::H }, out);
            Ok(())
        }
        Kind::CDst if raw & 4 != 0 => write!(out, "$c{} ", raw & 3),
        Kind::CDstAlways | Kind::CReg => write!(out, "$c{raw}"),
        Kind::A | Kind::ADst if raw == 0 => out.write_str("0x0"),
        Kind::A | Kind::ADst => write!(out, "$a{raw}"),
        Kind::Mem(space, scale) => {
            out.push_str(operand::space_name(space));
            if space == Space::Const {
                let _ = write!(out, "{}", get("cidx"));
            }
            out.push('[');
            print_addr(Addr { a: get("a") as u8, inc: get("inc") == 1, off: (raw * u32::from(scale)) as i32 }, out);
            out.write_str("]")
        }
        Kind::Glob => write!(out, "g{}[$r{}]", raw >> 7, raw & 0x7f),
        Kind::Flag(name) if raw == 1 => write!(out, "{name} "),
        Kind::Enum(names) => out.write_str(names[raw as usize]),
        Kind::Num | Kind::Bar => write!(out, "{raw:#x}"),
        Kind::Target => write!(out, "{:#x}", raw << 2),
        Kind::Sr => out.write_str(&sr_name(raw, cx.generation)),
        Kind::Cin if get("addop") == 3 => write!(out, " $c{}", get("pcc")),
        Kind::QLane => out.write_str(["l0", "l1", "l2", "l3", "dx", "dy", "dx", "dy"][raw as usize]),
        Kind::BarCount if raw >> 12 == 1 => out.write_str("all"),
        Kind::BarCount => write!(out, "{raw:#x}"),
        Kind::Tex => write!(out, "$t{raw}"),
        Kind::Samp => write!(out, "$s{raw}"),
        Kind::DVec | Kind::DVec4 => {
            let mask = if matches!(slot.kind, Kind::DVec4) { 0xf } else { raw };
            let written = (0..4).scan(get("base"), |next, i| {
                let there = mask >> i & 1;
                *next += there;
                Some(if there == 1 { format!("$r{}", *next - 1) } else { "#".into() })
            });
            out.write_str(&written.collect::<Vec<_>>().join(":"))
        }
        Kind::SVec | Kind::SVec1 => {
            let read: Vec<String> = (0..=raw).map(|i| format!("$r{}", get("base") + i)).collect();
            out.write_str(&read.join(":"))
        }
        Kind::TexOff if raw >= 8 => write!(out, "-{:#x}", 16 - raw),
        Kind::TexOff => write!(out, "{raw:#x}"),
        Kind::CDst | Kind::Flag(_) | Kind::Cin => Ok(()),
        Kind::Ei | Kind::Pred | Kind::Lanes | Kind::Inc | Kind::Cidx | Kind::M23 | Kind::M24 | Kind::Base => Ok(()),
    };
}

/// The destination of an instruction, and its width.
fn result(inst: &Inst<Tesla>) -> Option<(Operand, Width)> {
    let i = inst.row().operand("dst")?;
    destination(inst.row().operands[i].kind, inst.vals[i])
}

fn numbered(cur: &mut Cursor<'_>, prefix: &str, limit: i64) -> Result<Option<u32>, TextError> {
    let start = cur.column();
    if !cur.eat(prefix) || !cur.peek().is_some_and(|c| c.is_ascii_digit()) {
        cur.seek(start);
        return Ok(None);
    }
    match cur.number() {
        Some(n) if n < limit => Ok(Some(n as u32)),
        _ => Err(TextError::new(start, format!("number out of range after `{prefix}`"))),
    }
}

/// A number behind a prefix; `what` says what is expected.
fn wanted(cur: &mut Cursor<'_>, prefix: &str, limit: i64, what: &str) -> Result<u32, TextError> {
    numbered(cur, prefix, limit)?.ok_or_else(|| cur.error(what))
}

/// A register and the width that its ending says.
fn parse_reg(cur: &mut Cursor<'_>) -> Result<Option<(u32, Width)>, TextError> {
    let start = cur.column();
    let Some(n) = numbered(cur, "$r", 128)? else { return Ok(None) };
    for (name, width) in [("l", 0), ("h", 1)] {
        if cur.eat_word(name) {
            fail_if!(n > 63, TextError::new(start, "only $r0 to $r63 have halves"));
            return Ok(Some((n * 2 + width, Width::H)));
        }
    }
    for (name, width) in [("d", Width::D), ("q", Width::Q)] {
        if cur.eat_word(name) {
            return Ok(Some((n, width)));
        }
    }
    Ok(Some((n, Width::S)))
}

fn parse_addr(cur: &mut Cursor<'_>) -> Result<Addr, TextError> {
    let Some(a) = numbered(cur, "$a", 8)? else {
        let Some(n) = cur.number() else { return Err(cur.error("expected an offset")) };
        if n == 0 && cur.eat("++") {
            return Ok(Addr { a: 0, inc: true, off: distance(cur, "expected an increment")? });
        }
        return Ok(Addr::at(small(cur, n)?));
    };
    let a = a as u8;
    if cur.eat("++") {
        return Ok(Addr { a, inc: true, off: distance(cur, "expected an increment")? });
    }
    Ok(Addr::indexed(a, if cur.eat("+") { distance(cur, "expected an offset")? } else { 0 }))
}

fn distance(cur: &mut Cursor<'_>, what: &str) -> Result<i32, TextError> {
    let n = cur.number().ok_or_else(|| cur.error(what))?;
    small(cur, n)
}

fn small(cur: &Cursor<'_>, n: i64) -> Result<i32, TextError> {
    i32::try_from(n).ok().filter(|v| v.unsigned_abs() <= 0xff_ffff).ok_or_else(|| cur.error("offset is out of range"))
}

/// The rest of a memory operand, whose bracket is open.
fn closed(cur: &mut Cursor<'_>) -> Result<Addr, TextError> {
    let addr = parse_addr(cur)?;
    cur.expect("]")?;
    Ok(addr)
}

/// An operand of an arithmetic instruction and, for registers, its width.
fn parse_source(cur: &mut Cursor<'_>) -> Result<(Operand, Option<Width>), TextError> {
    if let Some((n, w)) = parse_reg(cur)? {
        return Ok((Operand::Reg(n as u8), Some(w)));
    }
    if cur.eat("#") {
        return Ok((Operand::Discard, None));
    }
    for ty in [SharedTy::U8, SharedTy::U16, SharedTy::S16, SharedTy::B32] {
        let start = cur.column();
        if cur.eat_word(ty.name()) {
            cur.blanks();
            fail_if!(!cur.eat("s["), TextError::new(start, "expected an operand"));
            return Ok((Operand::Shared(ty, closed(cur)?), None));
        }
    }
    if let Some(c) = numbered(cur, "c", 16)? {
        cur.expect("[")?;
        return Ok((Operand::Const(c as u8, closed(cur)?), None));
    }
    for (name, make) in [("a[", Operand::Attr as fn(Addr) -> Operand), ("p[", Operand::Prim as fn(Addr) -> Operand)] {
        if cur.eat(name) {
            return Ok((make(closed(cur)?), None));
        }
    }
    if cur.eat("o[") {
        let Some(n) = cur.number().and_then(|n| u16::try_from(n).ok()) else {
            return Err(cur.error("expected an offset"));
        };
        cur.expect("]")?;
        return Ok((Operand::Out(n), None));
    }
    Err(cur.error("expected an operand"))
}

/// The registers that a texture instruction writes, with `#` for those that it leaves.
fn parse_written(inst: &mut Inst<Tesla>, index: usize, cur: &mut Cursor<'_>) -> Result<(), TextError> {
    let start = cur.column();
    let kind = inst.row().operands[index].kind;
    let mut mask = 0;
    let mut base = None;
    let mut next = 0;
    for i in 0..4 {
        if i > 0 {
            cur.expect(":")?;
        }
        if cur.eat("#") {
            continue;
        }
        // A vector may run past $r127 in words that no compiler emits.
        let n = wanted(cur, "$r", 132, "expected a register or #")?;
        fail_if!(base.is_some() && n != next, cur.error("registers of the vector are not consecutive"));
        base = base.or(Some(n));
        next = n + 1;
        mask |= 1 << i;
    }
    if matches!(kind, Kind::DVec) {
        inst.vals[index] = mask;
    } else if mask != 0xf {
        return Err(TextError::new(start, "the short form writes four registers"));
    }
    base.map_or(Ok(()), |b| set_base(inst, b, cur))
}

/// The registers that a texture instruction reads.
fn parse_read(inst: &mut Inst<Tesla>, index: usize, cur: &mut Cursor<'_>) -> Result<(), TextError> {
    let start = cur.column();
    let kind = inst.row().operands[index].kind;
    let base = wanted(cur, "$r", 128, "expected a register")?;
    let mut count = 1;
    while cur.eat(":") {
        match numbered(cur, "$r", 132)? {
            Some(n) if n == base + count && count < 4 && matches!(kind, Kind::SVec) => count += 1,
            _ => return Err(cur.error("registers of the vector are not consecutive")),
        }
    }
    if matches!(kind, Kind::SVec) {
        inst.vals[index] = count - 1;
    }
    let empty = inst.get("dvec") == Some(0)
        && inst.row().operand("dvec").is_some_and(|i| inst.row().operands[i].field.width() > 0);
    if empty {
        return set_base(inst, base, cur);
    }
    if inst.get("base") != Some(base) {
        return Err(TextError::new(start, "source and destination vectors begin at the same register"));
    }
    Ok(())
}

/// Parses one slot.
///
/// # Errors
/// Column and reason.
pub fn parse_operand(inst: &mut Inst<Tesla>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError> {
    let slot = &inst.row().operands[index];
    let start = cur.column();
    let fail = |message: String| TextError::new(start, message);
    inst.vals[index] = match slot.kind {
        Kind::Dst(w)
        | Kind::DstO(w)
        | Kind::Src1(w)
        | Kind::Src2(w)
        | Kind::Src3(w)
        | Kind::SSrc1(w)
        | Kind::SSrc2(w)
        | Kind::ISrc1(w)
        | Kind::Reg(w) => {
            let (op, found) = parse_source(cur)?;
            if found.is_some_and(|found| found != w) {
                let what = match w {
                    Width::H => "half register",
                    Width::S => "32-bit register",
                    Width::D => "register pair",
                    Width::Q => "group of four registers",
                };
                return Err(fail(format!("this operand is a {what}")));
            }
            return put(inst, index, op, cx).map_err(fail);
        }
        Kind::DstOF => {
            let (op, found) = parse_source(cur)?;
            let full = match (op, found) {
                (_, Some(Width::S)) => true,
                (_, Some(Width::H)) | (Operand::Discard, _) => false,
                (Operand::Out(off), _) => off >= 0xfe,
                _ => return Err(fail("expected a register or an output".into())),
            };
            inst.vals[index] = u32::from(full) << 8;
            return put(inst, index, op, cx).map_err(fail);
        }
        Kind::SameAsDst => {
            let (op, found) = parse_source(cur)?;
            let dst = result(inst);
            if dst.map(|(o, _)| o) != Some(op) || found.is_some_and(|w| Some(w) != dst.map(|d| d.1)) {
                return Err(fail("the third source of this form is the destination".into()));
            }
            return Ok(());
        }
        Kind::HalfOrFull => match parse_reg(cur)? {
            Some((n, Width::H)) => n,
            Some((n, Width::S)) => n | 0x80,
            _ => return Err(fail("expected a half or 32-bit register".into())),
        },
        Kind::CDst => {
            let Some(n) = numbered(cur, "$c", 4)? else { return Ok(()) };
            cur.blanks();
            n | 4
        }
        Kind::CDstAlways => wanted(cur, "$c", 4, "expected $c0 to $c3")?,
        Kind::CReg => {
            let n = wanted(cur, "$c", 4, "expected $c0 to $c3")?;
            return set_pcc(inst, n, cur);
        }
        Kind::A | Kind::ADst => match numbered(cur, "$a", 8)? {
            Some(n) => n,
            None if cur.eat("0x0") => 0,
            None => return Err(fail("expected an address register".into())),
        },
        Kind::Mem(space, scale) => return parse_mem(inst, index, space, u32::from(scale), cur),
        Kind::Glob => {
            let g = wanted(cur, "g", 16, "expected g0[$r..]")?;
            cur.expect("[")?;
            let Some((n, Width::S)) = parse_reg(cur)? else { return Err(cur.error("expected a 32-bit register")) };
            cur.expect("]")?;
            g << 7 | n
        }
        Kind::Flag(name) => {
            let there = cur.eat_word(name);
            if there {
                cur.blanks();
            }
            there.into()
        }
        Kind::Enum(names) => match cur.eat_longest(names) {
            Some(i) => i as u32,
            None => return Err(fail(format!("expected one of {}", names.join(", ")))),
        },
        Kind::Num | Kind::Bar => match cur.number().and_then(|n| u32::try_from(n).ok()) {
            Some(n) if n <= slot.field.max() => n,
            Some(_) => return Err(fail("number is out of range".into())),
            None => return Err(fail("expected a number".into())),
        },
        Kind::Target => match cur.number().and_then(|n| u32::try_from(n).ok()) {
            Some(n) if n % 4 == 0 && n >> 2 <= slot.field.max() => n >> 2,
            Some(_) => return Err(fail("targets are multiples of 4 below 0x1000000".into())),
            None => return Err(fail("expected a code address".into())),
        },
        Kind::Sr => {
            let found = (0..16).find(|&n| {
                let mut c = cur.clone();
                c.eat_word(&sr_name(n, cx.generation)) || c.eat_word(&format!("$sr{n}"))
            });
            let n = found.ok_or_else(|| fail("expected a special register".into()))?;
            cur.eat("$");
            cur.word();
            n
        }
        Kind::Cin if inst.get("addop") == Some(3) => {
            cur.blanks();
            return match numbered(cur, "$c", 4)? {
                Some(n) if inst.row().operand("pcc").is_some() => set_pcc(inst, n, cur),
                Some(0) => Ok(()),
                _ => Err(cur.error("expected the carry input")),
            };
        }
        Kind::QLane => match cur.eat_longest(&["l0", "l1", "l2", "l3", "dx", "dy"]) {
            Some(i) => i as u32,
            None => return Err(fail("expected l0 to l3, dx or dy".into())),
        },
        Kind::BarCount if cur.eat_word("all") => 1 << 12,
        Kind::BarCount => match cur.number() {
            Some(n @ 0..=0xfff) => n as u32,
            _ => return Err(fail("expected `all` or a count below 0x1000".into())),
        },
        Kind::Tex => wanted(cur, "$t", 256, "expected a texture")?,
        Kind::Samp => wanted(cur, "$s", 32, "expected a sampler")?,
        Kind::DVec | Kind::DVec4 => return parse_written(inst, index, cur),
        Kind::SVec | Kind::SVec1 => return parse_read(inst, index, cur),
        Kind::TexOff => match cur.number() {
            Some(n @ -8..=7) => n as u32 & 0xf,
            _ => return Err(fail("expected an offset from -0x8 to 0x7".into())),
        },
        Kind::Ei | Kind::Pred | Kind::Lanes | Kind::Inc | Kind::Cidx | Kind::M23 | Kind::M24 | Kind::Base => {
            return Ok(());
        }
        Kind::Cin => return Ok(()),
    };
    Ok(())
}

fn set_base(inst: &mut Inst<Tesla>, base: u32, cur: &Cursor<'_>) -> Result<(), TextError> {
    let Some(i) = inst.row().operand("base") else { return Ok(()) };
    fail_if!(base > inst.row().operands[i].field.max(), cur.error("register is not in reach of this form"));
    inst.vals[i] = base;
    Ok(())
}

/// Predicate, carry input and source of mov share one field.
fn set_pcc(inst: &mut Inst<Tesla>, n: u32, cur: &Cursor<'_>) -> Result<(), TextError> {
    let Some(i) = inst.row().operand("pcc") else { return Err(cur.error("this form has no flag input")) };
    if !matches!(inst.get("pred"), Some(0 | 15)) && inst.vals[i] != n {
        return Err(cur.error("predicate and flag input must name the same $c"));
    }
    inst.vals[i] = n;
    Ok(())
}

fn parse_mem(
    inst: &mut Inst<Tesla>,
    index: usize,
    space: Space,
    scale: u32,
    cur: &mut Cursor<'_>,
) -> Result<(), TextError> {
    let start = cur.column();
    let fail = |message: &str| Err(TextError::new(start, message));
    let name = operand::space_name(space);
    fail_if!(!cur.eat(name), cur.error(format!("expected {name}[]")));
    if space == Space::Const {
        match cur.number() {
            Some(n @ 0..=15) => inst.set("cidx", n as u32),
            _ => return Err(cur.error("expected the number of a constant space")),
        }
    }
    if !cur.eat("[") {
        return fail(&format!("expected {name}[]"));
    }
    let addr = closed(cur)?;
    let max = inst.row().operands[index].field.max();
    let off = addr.off as u32;
    if addr.off < 0 || !off.is_multiple_of(scale) || off / scale > max {
        return fail("offset is out of range or misaligned");
    }
    inst.vals[index] = off / scale;
    match inst.row().operand("a") {
        Some(i) if u32::from(addr.a) <= inst.row().operands[i].field.max() => inst.vals[i] = u32::from(addr.a),
        _ => return fail("address register is not in reach of this form"),
    }
    match inst.row().operand("inc") {
        Some(i) => inst.vals[i] = u32::from(addr.inc),
        None if addr.inc => return fail("this form has no post-increment"),
        None => {}
    }
    Ok(())
}

/// Rows by mnemonic.
static BY_MNEMONIC: LazyLock<BTreeMap<&'static str, Vec<u16>>> = LazyLock::new(|| {
    let mut map: BTreeMap<&'static str, Vec<u16>> = BTreeMap::new();
    for (i, row) in table().rows.iter().enumerate() {
        let head = row.head();
        if head.is_empty() {
            for name in ["add", "sub", "subr", "addc"] {
                map.entry(name).or_default().push(i as u16);
            }
        } else {
            map.entry(head).or_default().push(i as u16);
        }
    }
    map
});

#[derive(Default)]
struct Prefix {
    ei: u32,
    pred: Option<(u32, u32)>,
    lanes: Option<u32>,
}

fn parse_prefix(cur: &mut Cursor<'_>) -> Result<Prefix, TextError> {
    let mut p = Prefix::default();
    cur.blanks();
    if cur.eat_word("exit") {
        p.ei = 1;
    } else if cur.eat_word("join") {
        p.ei = 2;
    }
    loop {
        cur.blanks();
        let start = cur.column();
        if !cur.eat("(") {
            return Ok(p);
        }
        let word = cur.word().to_ascii_lowercase();
        if let Some(lanes) = lane_mask(&word) {
            fail_if!(p.lanes.replace(lanes).is_some(), cur.error("two lane masks"));
        } else {
            let cond = Pred::NAMES.iter().position(|c| !c.is_empty() && *c == word);
            let cond = cond.ok_or_else(|| TextError::new(start + 1, format!("unknown condition `{word}`")))?;
            let mut cc = 0;
            if cond != 0 || cur.peek() == Some(' ') {
                cur.blanks();
                cc = wanted(cur, "$c", 4, "expected $c0 to $c3")?;
            }
            fail_if!(p.pred.replace((cond as u32, cc)).is_some(), cur.error("two predicates"));
        }
        cur.expect(")")?;
    }
}

fn lane_mask(word: &str) -> Option<u32> {
    let rest = word.strip_prefix('l')?;
    if rest == "none" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    rest.chars().try_fold(0, |m, c| c.to_digit(4).map(|d| m | 1 << d))
}

/// Parses a whole instruction: the first row whose template fits; with `cx.long` 8-byte forms first.
///
/// # Errors
/// The error of the row that got furthest.
pub fn parse(line: &str, cx: &TextCx) -> Result<Inst<Tesla>, TextError> {
    let mut cur = Cursor::new(line);
    let prefix = parse_prefix(&mut cur)?;
    let at = cur.column();
    let head = cur.word().to_ascii_lowercase();
    fail_if!(head.is_empty(), cur.error("expected a mnemonic"));
    let Some(rows) = BY_MNEMONIC.get(head.as_str()) else {
        return Err(TextError::new(at, format!("unknown mnemonic `{head}`")));
    };
    let mut best: Option<TextError> = None;
    let mut elsewhere = false;
    let passes: &[fn(u8) -> bool] = if cx.long { &[|b| b == 8, |b| b == 4] } else { &[|_| true] };
    for pass in passes {
        for &r in rows {
            let row = &table().rows[r as usize];
            if !pass(row.bytes) {
                continue;
            }
            if row.enc_on(cx.generation).is_none() || row.stages & cx.stages == 0 {
                elsewhere = true;
                continue;
            }
            match parse_as(r, line, at, &prefix, cx) {
                Ok(inst) => return Ok(inst),
                Err(e) if best.as_ref().is_none_or(|b| e.column > b.column) => best = Some(e),
                Err(_) => {}
            }
        }
    }
    Err(best.unwrap_or_else(|| {
        debug_assert!(elsewhere);
        let name = Tesla::GENERATIONS[cx.generation as usize];
        TextError::new(at, format!("`{head}` does not exist on {name} for this program type"))
    }))
}

fn parse_as(r: u16, line: &str, at: usize, prefix: &Prefix, cx: &TextCx) -> Result<Inst<Tesla>, TextError> {
    let mut inst = Inst::new(r);
    let row = inst.row();
    let cur = Cursor::new(line);
    let refuse = |what: &str| Err(cur.error(format!("this form of `{}` has no {what}", row.head())));
    match row.operand("ei") {
        Some(i) => inst.vals[i] = prefix.ei,
        None if prefix.ei != 0 => return refuse("exit or join"),
        None => {}
    }
    match (row.operand("pred"), prefix.pred) {
        (Some(i), p) => {
            let (cond, cc) = p.unwrap_or((15, 0));
            inst.vals[i] = cond;
            inst.set("pcc", cc);
        }
        (None, Some(_)) => return refuse("predicate"),
        (None, None) => {}
    }
    match (row.operand("lanes"), prefix.lanes) {
        (Some(i), l) => inst.vals[i] = l.unwrap_or(0xf),
        (None, Some(_)) => return refuse("lane mask"),
        (None, None) => {}
    }
    let inst = gpucc_isa::text::parse_row_into(inst, line, at, cx)?;
    if View::any(&inst, cx.stages).is_none() {
        return Err(TextError::new(at, "these operands do not go together in this program type"));
    }
    Ok(inst)
}

/// Stages of a program type name as in the vectors: vp, gp, fp, cp.
pub fn stage_of(name: &str) -> Option<u8> {
    match name {
        "vp" => Some(VS),
        "gp" => Some(GS),
        "fp" => Some(gpucc_isa::stage::FS),
        "cp" => Some(CS),
        _ => None,
    }
}
