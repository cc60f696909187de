//! Text of instructions (reference section 13).

use crate::modifiers::Pred;
use crate::operand::{self, Addr, Operand, SharedTy, View, destination, put};
use crate::types::{Kind, Space, Width};
use crate::{Tesla, table};
use gpucc_isa::stage::{CS, GS, VS};
use gpucc_isa::{Cursor, Inst, Isa, TextCx, TextError};
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
    if let Some(pred) = inst.get("pred") {
        match pred {
            0 => out.push_str("(never) "),
            15 => {}
            _ => {
                let _ = write!(out, "({} $c{}) ", Pred::NAMES[pred as usize], inst.get("pcc").unwrap_or(0));
            }
        }
    }
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
    match op {
        Operand::Reg(n) => return print_reg(u32::from(n), width, out),
        Operand::Discard => return out.push('#'),
        Operand::Out(off) => {
            let _ = write!(out, "o[{off:#x}");
        }
        Operand::Shared(ty, addr) => {
            let _ = write!(out, "{} s[", ty.name());
            print_addr(addr, out);
        }
        Operand::Attr(addr) => {
            out.push_str("a[");
            print_addr(addr, out);
        }
        Operand::Prim(addr) => {
            out.push_str("p[");
            print_addr(addr, out);
        }
        Operand::Const(c, addr) => {
            let _ = write!(out, "c{c}[");
            print_addr(addr, out);
        }
    }
    out.push(']');
}

fn print_areg(n: u32, out: &mut String) {
    if n == 0 {
        out.push_str("0x0");
    } else {
        let _ = write!(out, "$a{n}");
    }
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
    match slot.kind {
        Kind::Dst(_) | Kind::DstO(_) | Kind::DstOF => {
            if let Some((op, width)) = destination(slot.kind, raw) {
                print_source(op, width, out);
            }
        }
        Kind::Src1(w)
        | Kind::Src2(w)
        | Kind::Src3(w)
        | Kind::SSrc1(w)
        | Kind::SSrc2(w)
        | Kind::ISrc1(w)
        | Kind::Reg(w) => match View::any(inst, cx.stages).and_then(|v| v.source(slot.kind, raw)) {
            Some(op) => print_source(op, w, out),
            None => out.push('?'),
        },
        Kind::SameAsDst => {
            if let Some((op, width)) =
                inst.row().operand("dst").and_then(|i| destination(inst.row().operands[i].kind, inst.vals[i]))
            {
                print_source(op, width, out);
            }
        }
        Kind::HalfOrFull => print_reg(raw & 0x7f, if raw >> 7 == 1 { Width::S } else { Width::H }, out),
        Kind::CDst => {
            if raw & 4 != 0 {
                let _ = write!(out, "$c{} ", raw & 3);
            }
        }
        Kind::CDstAlways | Kind::CReg => {
            let _ = write!(out, "$c{raw}");
        }
        Kind::A | Kind::ADst => print_areg(raw, out),
        Kind::Mem(space, scale) => {
            out.push_str(operand::space_name(space));
            if space == Space::Const {
                let _ = write!(out, "{}", get("cidx"));
            }
            out.push('[');
            print_addr(Addr { a: get("a") as u8, inc: get("inc") == 1, off: (raw * u32::from(scale)) as i32 }, out);
            out.push(']');
        }
        Kind::Glob => {
            let _ = write!(out, "g{}[$r{}]", raw >> 7, raw & 0x7f);
        }
        Kind::Flag(name) => {
            if raw == 1 {
                out.push_str(name);
                out.push(' ');
            }
        }
        Kind::Enum(names) => out.push_str(names[raw as usize]),
        Kind::Num | Kind::Bar => {
            let _ = write!(out, "{raw:#x}");
        }
        Kind::Target => {
            let _ = write!(out, "{:#x}", raw << 2);
        }
        Kind::Sr => out.push_str(&sr_name(raw, cx.generation)),
        Kind::Cin => {
            if get("addop") == 3 {
                let _ = write!(out, " $c{}", get("pcc"));
            }
        }
        Kind::QLane => out.push_str(["l0", "l1", "l2", "l3", "dx", "dy", "dx", "dy"][raw as usize]),
        Kind::BarCount => {
            if raw >> 12 == 1 {
                out.push_str("all");
            } else {
                let _ = write!(out, "{raw:#x}");
            }
        }
        Kind::Tex => {
            let _ = write!(out, "$t{raw}");
        }
        Kind::Samp => {
            let _ = write!(out, "$s{raw}");
        }
        Kind::DVec | Kind::DVec4 => {
            let mask = if matches!(slot.kind, Kind::DVec4) { 0xf } else { raw };
            let mut next = get("base");
            for i in 0..4 {
                if i > 0 {
                    out.push(':');
                }
                if mask >> i & 1 == 1 {
                    let _ = write!(out, "$r{next}");
                    next += 1;
                } else {
                    out.push('#');
                }
            }
        }
        Kind::SVec | Kind::SVec1 => {
            for i in 0..=raw {
                if i > 0 {
                    out.push(':');
                }
                let _ = write!(out, "$r{}", get("base") + i);
            }
        }
        Kind::TexOff => {
            let v = raw as i32 - if raw >= 8 { 16 } else { 0 };
            let _ = if v < 0 { write!(out, "-{:#x}", -v) } else { write!(out, "{v:#x}") };
        }
        Kind::Ei | Kind::Pred | Kind::Lanes | Kind::Inc | Kind::Cidx | Kind::M23 | Kind::M24 | Kind::Base => {}
    }
}

fn numbered(cur: &mut Cursor<'_>, prefix: &str, limit: i64) -> Result<Option<u32>, TextError> {
    let start = cur.column();
    if !cur.eat(prefix) || !cur.peek().is_some_and(|c| c.is_ascii_digit()) {
        cur.seek(start);
        return Ok(None);
    }
    match cur.number() {
        Some(n) if n < limit => Ok(Some(n as u32)),
        _ => {
            cur.seek(start);
            Err(cur.error(format!("number out of range after `{prefix}`")))
        }
    }
}

/// A register and the width that its ending says.
fn parse_reg(cur: &mut Cursor<'_>) -> Result<Option<(u32, Width)>, TextError> {
    let start = cur.column();
    let Some(n) = numbered(cur, "$r", 128)? else { return Ok(None) };
    for (name, width) in [("l", 0), ("h", 1)] {
        if cur.eat_word(name) {
            if n > 63 {
                cur.seek(start);
                return Err(cur.error("only $r0 to $r63 have halves"));
            }
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
    let a = numbered(cur, "$a", 8)?;
    if a.is_none() {
        let Some(n) = cur.number() else { return Err(cur.error("expected an offset")) };
        if n == 0 && cur.eat("++") {
            return Ok(Addr { a: 0, inc: true, off: increment(cur)? });
        }
        return Ok(Addr::at(small(cur, n)?));
    }
    let a = a.unwrap_or(0) as u8;
    if cur.eat("++") {
        return Ok(Addr { a, inc: true, off: increment(cur)? });
    }
    if cur.eat("+") {
        let Some(n) = cur.number() else { return Err(cur.error("expected an offset")) };
        return Ok(Addr::indexed(a, small(cur, n)?));
    }
    Ok(Addr::indexed(a, 0))
}

fn increment(cur: &mut Cursor<'_>) -> Result<i32, TextError> {
    let Some(n) = cur.number() else { return Err(cur.error("expected an increment")) };
    small(cur, n)
}

fn small(cur: &Cursor<'_>, n: i64) -> Result<i32, TextError> {
    i32::try_from(n).ok().filter(|v| v.unsigned_abs() <= 0xff_ffff).ok_or_else(|| cur.error("offset is out of range"))
}

fn close(cur: &mut Cursor<'_>) -> Result<(), TextError> {
    if cur.eat("]") { Ok(()) } else { Err(cur.error("expected `]`")) }
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
            if !cur.eat("s[") {
                cur.seek(start);
                return Err(cur.error("expected an operand"));
            }
            let addr = parse_addr(cur)?;
            close(cur)?;
            return Ok((Operand::Shared(ty, addr), None));
        }
    }
    if let Some(c) = numbered(cur, "c", 16)? {
        if !cur.eat("[") {
            return Err(cur.error("expected `[`"));
        }
        let addr = parse_addr(cur)?;
        close(cur)?;
        return Ok((Operand::Const(c as u8, addr), None));
    }
    for (name, make) in [("a[", Operand::Attr as fn(Addr) -> Operand), ("p[", Operand::Prim as fn(Addr) -> Operand)] {
        if cur.eat(name) {
            let addr = parse_addr(cur)?;
            close(cur)?;
            return Ok((make(addr), None));
        }
    }
    if cur.eat("o[") {
        let Some(n) = cur.number().and_then(|n| u16::try_from(n).ok()) else {
            return Err(cur.error("expected an offset"));
        };
        close(cur)?;
        return Ok((Operand::Out(n), None));
    }
    Err(cur.error("expected an operand"))
}

fn expect_width(found: Option<Width>, want: Width, cur: &Cursor<'_>) -> Result<(), TextError> {
    match found {
        Some(w) if w != want => Err(cur.error(match want {
            Width::H => "this operand is a half register",
            Width::S => "this operand is a 32-bit register",
            Width::D => "this operand is a register pair",
            Width::Q => "this operand is a group of four registers",
        })),
        _ => Ok(()),
    }
}

/// The registers that a texture instruction writes, with `#` for those that it leaves.
fn parse_written(inst: &mut Inst<Tesla>, index: usize, cur: &mut Cursor<'_>) -> Result<(), TextError> {
    let start = cur.column();
    let kind = inst.row().operands[index].kind;
    let fail = |cur: &mut Cursor<'_>, message: String| {
        cur.seek(start);
        Err(cur.error(message))
    };
    let mut mask = 0;
    let mut base = None;
    let mut next = 0;
    for i in 0..4 {
        if i > 0 && !cur.eat(":") {
            return Err(cur.error("expected `:`"));
        }
        if cur.eat("#") {
            continue;
        }
        // A vector may run past $r127 in words that no compiler emits.
        let Some(n) = numbered(cur, "$r", 132)? else { return Err(cur.error("expected a register or #")) };
        if base.is_some() && n != next {
            return Err(cur.error("registers of the vector are not consecutive"));
        }
        base = base.or(Some(n));
        next = n + 1;
        mask |= 1 << i;
    }
    if matches!(kind, Kind::DVec) {
        inst.vals[index] = mask;
    } else if mask != 0xf {
        return fail(cur, "the short form writes four registers".into());
    }
    if let Some(b) = base {
        return set_base(inst, b, cur);
    }
    Ok(())
}

/// The registers that a texture instruction reads.
fn parse_read(inst: &mut Inst<Tesla>, index: usize, cur: &mut Cursor<'_>) -> Result<(), TextError> {
    let start = cur.column();
    let kind = inst.row().operands[index].kind;
    let fail = |cur: &mut Cursor<'_>, message: String| {
        cur.seek(start);
        Err(cur.error(message))
    };
    let Some(base) = numbered(cur, "$r", 128)? else { return fail(cur, "expected a register".into()) };
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
        return fail(cur, "source and destination vectors begin at the same register".into());
    }
    Ok(())
}

/// An operand of a size that the slot demands.
fn parse_sized(
    inst: &mut Inst<Tesla>,
    index: usize,
    w: Width,
    cur: &mut Cursor<'_>,
    cx: &TextCx,
) -> Result<(), TextError> {
    let start = cur.column();
    let (op, found) = parse_source(cur)?;
    let at = cur.clone();
    cur.seek(start);
    expect_width(found, w, cur)?;
    match put(inst, index, op, cx) {
        Ok(()) => cur.seek(at.column()),
        Err(e) => return Err(cur.error(e)),
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
    let fail = |cur: &mut Cursor<'_>, message: String| {
        cur.seek(start);
        Err(cur.error(message))
    };
    match slot.kind {
        Kind::Dst(w)
        | Kind::DstO(w)
        | Kind::Src1(w)
        | Kind::Src2(w)
        | Kind::Src3(w)
        | Kind::SSrc1(w)
        | Kind::SSrc2(w)
        | Kind::ISrc1(w)
        | Kind::Reg(w) => {
            parse_sized(inst, index, w, cur, cx)?;
        }
        Kind::DstOF => {
            let (op, found) = parse_source(cur)?;
            let full = match (op, found) {
                (_, Some(Width::S)) => true,
                (_, Some(Width::H)) | (Operand::Discard, _) => false,
                (Operand::Out(off), _) => off >= 0xfe,
                _ => return fail(cur, "expected a register or an output".into()),
            };
            inst.vals[index] = u32::from(full) << 8;
            if let Err(e) = put(inst, index, op, cx) {
                return fail(cur, e);
            }
        }
        Kind::SameAsDst => {
            let (op, found) = parse_source(cur)?;
            let dst = inst.row().operand("dst").and_then(|i| destination(inst.row().operands[i].kind, inst.vals[i]));
            if dst.map(|(o, _)| o) != Some(op) || found.is_some_and(|w| Some(w) != dst.map(|d| d.1)) {
                return fail(cur, "the third source of this form is the destination".into());
            }
        }
        Kind::HalfOrFull => match parse_reg(cur)? {
            Some((n, Width::H)) => inst.vals[index] = n,
            Some((n, Width::S)) => inst.vals[index] = n | 0x80,
            _ => return fail(cur, "expected a half or 32-bit register".into()),
        },
        Kind::CDst => {
            if let Some(n) = numbered(cur, "$c", 4)? {
                inst.vals[index] = n | 4;
                cur.blanks();
            }
        }
        Kind::CDstAlways => match numbered(cur, "$c", 4)? {
            Some(n) => inst.vals[index] = n,
            None => return fail(cur, "expected $c0 to $c3".into()),
        },
        Kind::CReg => match numbered(cur, "$c", 4)? {
            Some(n) => return set_pcc(inst, n, cur),
            None => return fail(cur, "expected $c0 to $c3".into()),
        },
        Kind::A | Kind::ADst => match numbered(cur, "$a", 8)? {
            Some(n) => inst.vals[index] = n,
            None if cur.eat("0x0") => inst.vals[index] = 0,
            None => return fail(cur, "expected an address register".into()),
        },
        Kind::Mem(space, scale) => return parse_mem(inst, index, space, u32::from(scale), cur),
        Kind::Glob => {
            let Some(g) = numbered(cur, "g", 16)? else { return fail(cur, "expected g0[$r..]".into()) };
            if !cur.eat("[") {
                return Err(cur.error("expected `[`"));
            }
            match parse_reg(cur)? {
                Some((n, Width::S)) => inst.vals[index] = g << 7 | n,
                _ => return Err(cur.error("expected a 32-bit register")),
            }
            close(cur)?;
        }
        Kind::Flag(name) => {
            let there = cur.eat_word(name);
            inst.vals[index] = there.into();
            if there {
                cur.blanks();
            }
        }
        Kind::Enum(names) => match cur.eat_longest(names) {
            Some(i) => inst.vals[index] = i as u32,
            None => return fail(cur, format!("expected one of {}", names.join(", "))),
        },
        Kind::Num | Kind::Bar => match cur.number().and_then(|n| u32::try_from(n).ok()) {
            Some(n) if n <= slot.field.max() => inst.vals[index] = n,
            Some(_) => return fail(cur, "number is out of range".into()),
            None => return fail(cur, "expected a number".into()),
        },
        Kind::Target => match cur.number().and_then(|n| u32::try_from(n).ok()) {
            Some(n) if n % 4 == 0 && n >> 2 <= slot.field.max() => inst.vals[index] = n >> 2,
            Some(_) => return fail(cur, "targets are multiples of 4 below 0x1000000".into()),
            None => return fail(cur, "expected a code address".into()),
        },
        Kind::Sr => {
            let found = (0..16).find(|&n| {
                let mut c = cur.clone();
                c.eat_word(&sr_name(n, cx.generation)) || c.eat_word(&format!("$sr{n}"))
            });
            match found {
                Some(n) => {
                    inst.vals[index] = n;
                    cur.eat("$");
                    cur.word();
                }
                None => return fail(cur, "expected a special register".into()),
            }
        }
        Kind::Cin => {
            if inst.get("addop") == Some(3) {
                cur.blanks();
                match numbered(cur, "$c", 4)? {
                    Some(n) if inst.row().operand("pcc").is_some() => return set_pcc(inst, n, cur),
                    Some(0) => {}
                    _ => return Err(cur.error("expected the carry input")),
                }
            }
        }
        Kind::QLane => match cur.eat_longest(&["l0", "l1", "l2", "l3", "dx", "dy"]) {
            Some(i) => inst.vals[index] = i as u32,
            None => return fail(cur, "expected l0 to l3, dx or dy".into()),
        },
        Kind::BarCount => {
            if cur.eat_word("all") {
                inst.vals[index] = 1 << 12;
            } else {
                match cur.number() {
                    Some(n @ 0..=0xfff) => inst.vals[index] = n as u32,
                    _ => return fail(cur, "expected `all` or a count below 0x1000".into()),
                }
            }
        }
        Kind::Tex => match numbered(cur, "$t", 256)? {
            Some(n) => inst.vals[index] = n,
            None => return fail(cur, "expected a texture".into()),
        },
        Kind::Samp => match numbered(cur, "$s", 32)? {
            Some(n) => inst.vals[index] = n,
            None => return fail(cur, "expected a sampler".into()),
        },
        Kind::DVec | Kind::DVec4 => return parse_written(inst, index, cur),
        Kind::SVec | Kind::SVec1 => return parse_read(inst, index, cur),
        Kind::TexOff => match cur.number() {
            Some(n @ -8..=7) => inst.vals[index] = n as u32 & 0xf,
            _ => return fail(cur, "expected an offset from -0x8 to 0x7".into()),
        },
        Kind::Ei | Kind::Pred | Kind::Lanes | Kind::Inc | Kind::Cidx | Kind::M23 | Kind::M24 | Kind::Base => {}
    }
    Ok(())
}

fn set_base(inst: &mut Inst<Tesla>, base: u32, cur: &Cursor<'_>) -> Result<(), TextError> {
    let Some(i) = inst.row().operand("base") else { return Ok(()) };
    if base > inst.row().operands[i].field.max() {
        return Err(cur.error("register is not in reach of this form"));
    }
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
    if !cur.eat(operand::space_name(space)) {
        return Err(cur.error(format!("expected {}[]", operand::space_name(space))));
    }
    if space == Space::Const {
        match cur.number() {
            Some(n @ 0..=15) => inst.set("cidx", n as u32),
            _ => return Err(cur.error("expected the number of a constant space")),
        }
    }
    if !cur.eat("[") {
        cur.seek(start);
        return Err(cur.error(format!("expected {}[]", operand::space_name(space))));
    }
    let addr = parse_addr(cur)?;
    close(cur)?;
    let fail = |cur: &mut Cursor<'_>, m: &str| {
        cur.seek(start);
        Err(cur.error(m))
    };
    let max = inst.row().operands[index].field.max();
    let off = addr.off as u32;
    if addr.off < 0 || !off.is_multiple_of(scale) || off / scale > max {
        return fail(cur, "offset is out of range or misaligned");
    }
    inst.vals[index] = off / scale;
    match inst.row().operand("a") {
        Some(i) if u32::from(addr.a) <= inst.row().operands[i].field.max() => inst.vals[i] = u32::from(addr.a),
        _ => return fail(cur, "address register is not in reach of this form"),
    }
    match inst.row().operand("inc") {
        Some(i) => inst.vals[i] = u32::from(addr.inc),
        None if addr.inc => return fail(cur, "this form has no post-increment"),
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
            if p.lanes.replace(lanes).is_some() {
                return Err(cur.error("two lane masks"));
            }
        } else {
            let cond = Pred::NAMES.iter().position(|c| !c.is_empty() && *c == word);
            let Some(cond) = cond else {
                cur.seek(start + 1);
                return Err(cur.error(format!("unknown condition `{word}`")));
            };
            let mut cc = 0;
            if cond != 0 || cur.peek() == Some(' ') {
                cur.blanks();
                cc = match numbered(cur, "$c", 4)? {
                    Some(n) => n,
                    None => return Err(cur.error("expected $c0 to $c3")),
                };
            }
            if p.pred.replace((cond as u32, cc)).is_some() {
                return Err(cur.error("two predicates"));
            }
        }
        if !cur.eat(")") {
            return Err(cur.error("expected `)`"));
        }
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
    if head.is_empty() {
        return Err(cur.error("expected a mnemonic"));
    }
    let Some(rows) = BY_MNEMONIC.get(head.as_str()) else {
        cur.seek(at);
        return Err(cur.error(format!("unknown mnemonic `{head}`")));
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
        cur.seek(at);
        debug_assert!(elsewhere);
        cur.error(format!(
            "`{head}` does not exist on {} for this program type",
            Tesla::GENERATIONS[cx.generation as usize]
        ))
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
        let mut cur = Cursor::new(line);
        cur.seek(at);
        return Err(cur.error("these operands do not go together in this program type"));
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
