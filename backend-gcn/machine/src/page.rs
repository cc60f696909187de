//! The generated page of the instruction set, for people.

use std::fmt::Write as _;

use gpucc_isa::Row;

use crate::Op;
use crate::build::rows_of;
use crate::isa::{Format, Gcn, Kind, Suffix};
use crate::rows::ROWS;

/// How a slot reads in a syntax line.
fn operand(kind: Kind, name: &str) -> String {
    let tuple = |stem: &str, n: u8| if n == 1 { format!("{stem}:{name}") } else { format!("{stem}{n}:{name}") };
    match kind {
        Kind::SReg(n) | Kind::SData(n) | Kind::SRegSrc(n) | Kind::SBase(n) | Kind::SRsrc(n) => tuple("s", n),
        Kind::SSrc(n) => tuple("ss", n),
        Kind::Src(n, _) => tuple("x", n),
        Kind::Vgpr(n) | Kind::VSrc(n, _) => tuple("v", n),
        Kind::VMod(_) => tuple("v", 1),
        Kind::Vcc => "vcc".into(),
        Kind::Literal => format!("literal:{name}"),
        Kind::BufAddr => "vaddr|off".into(),
        Kind::ImgData | Kind::ImgGather => "v..:vdata".into(),
        Kind::Flag(f) | Kind::Word(f) => f.word().into(),
        Kind::Offset | Kind::Swizzle => "offset:".into(),
        Kind::Offset0 => "offset0:".into(),
        Kind::Offset1 => "offset1:".into(),
        Kind::Omod => "mul:|div:".into(),
        Kind::DMask => "dmask:".into(),
        Kind::BufFormat => "format:[]".into(),
        _ => name.into(),
    }
}

fn syntax(row: &Row<Gcn>) -> String {
    let part = |operands: bool| -> Vec<String> {
        row.operands
            .iter()
            .filter(|s| s.kind.is_operand() == operands && !s.kind.is_hidden())
            .map(|s| operand(s.kind, s.name))
            .collect()
    };
    let (operands, modifiers) = (part(true).join(", "), part(false).join(" "));
    if modifiers.is_empty() { operands } else { format!("{operands} {modifiers}").trim().to_string() }
}

/// Number of an opcode in its field.
fn opcode(row: &Row<Gcn>, generation: u8) -> Option<u32> {
    let w = row.enc_on(generation)?.value as u32;
    let gfx8 = generation == crate::GFX8;
    let (lo, width) = match row.attrs.format {
        Format::Sop2 | Format::Sopk => (23, if row.attrs.format == Format::Sopk { 5 } else { 7 }),
        Format::Sop1 => (8, 8),
        Format::Sopc | Format::Sopp => (16, 7),
        Format::Smrd => (22, 5),
        Format::Smem => (18, 8),
        Format::Vop1 => (9, 8),
        Format::Vop2 => (25, 6),
        Format::Vopc => (17, 8),
        Format::Vop3a | Format::Vop3b if gfx8 => (16, 10),
        Format::Vop3a | Format::Vop3b => (17, 9),
        Format::Vintrp => (16, 2),
        Format::Ds => (if gfx8 { 17 } else { 18 }, 8),
        Format::Mubuf | Format::Mimg | Format::Flat => (18, 7),
        Format::Mtbuf if gfx8 => (15, 4),
        Format::Mtbuf => (16, 3),
        Format::Sdwa | Format::Dpp | Format::Exp => return None,
    };
    Some(w >> lo & ((1 << width) - 1))
}

fn form(row: &Row<Gcn>) -> &'static str {
    let literal = row.operands.iter().any(|s| matches!(s.kind, Kind::Literal | Kind::LiteralWord)) && row.bytes == 8;
    match row.attrs.suffix {
        Suffix::E64 => "e64",
        Suffix::Sdwa | Suffix::SilentSdwa => "sdwa",
        Suffix::Dpp | Suffix::SilentDpp => "dpp",
        _ if literal => "literal",
        Suffix::E32 => "e32",
        Suffix::None => "",
    }
}

/// The page: mnemonic, encoding, operands, forms, opcodes by generation, meaning.
pub fn reference_page() -> String {
    use Format::*;
    let mut out = String::from(
        "# GCN instructions\n\nGenerated from the table of `gpucc-gcn-machine`. Operands: `s` scalar register, `ss` scalar source (register, inline constant, \
         literal), `v` VGPR, `x` vector source; a number behind is the width in dwords. Opcodes in hexadecimal for gfx6, gfx7, gfx8.\n",
    );
    let formats = [
        Sop2, Sopk, Sop1, Sopc, Sopp, Smrd, Smem, Vop1, Vop2, Vopc, Vop3a, Vop3b, Vintrp, Ds, Mubuf, Mtbuf, Flat, Mimg,
        Exp,
    ];
    for format in formats {
        let _ = write!(
            out,
            "\n## {format:?}\n\n| mnemonic | operands | forms | gfx6 | gfx7 | gfx8 | meaning |\n|---|---|---|---|---|---|---|\n"
        );
        for op in Op::ALL {
            let first = ROWS.iter().find(|r| r.op == *op && !matches!(r.attrs.format, Format::Sdwa | Format::Dpp));
            let Some(row) = ROWS.iter().find(|r| r.op == *op && r.attrs.format == format) else { continue };
            // Promoted VOP3 forms are listed with the instruction they promote.
            if first.is_some_and(|f| f.attrs.format != format && row.attrs.suffix == Suffix::E64) {
                continue;
            }
            let mut forms: Vec<&str> = Vec::new();
            let mut codes = [String::new(), String::new(), String::new()];
            for g in 0..3u8 {
                for &r in rows_of(*op, g) {
                    let r = &ROWS[r as usize];
                    if r.attrs.format == format && codes[usize::from(g)].is_empty() {
                        codes[usize::from(g)] = opcode(r, g).map_or("x".into(), |c| format!("{c:x}"));
                    }
                    let f = form(r);
                    if !f.is_empty() && !forms.contains(&f) {
                        forms.push(f);
                    }
                }
            }
            let meaning = row.doc.replace('|', "\\|");
            let syntax = syntax(row).replace('|', "\\|");
            let _ = writeln!(
                out,
                "| `{}` | {syntax} | {} | {} | {} | {} | {meaning} |",
                row.text,
                forms.join(" "),
                codes[0],
                codes[1],
                codes[2]
            );
        }
    }
    out
}
