//! The generated page of the instruction set.

use crate::kind::{EnumDef, Kind};
use crate::{ROWS, Valhall};
use gpucc_isa::{OperandSpec, Role, Row};

fn kind_text(slot: &OperandSpec<Valhall>) -> String {
    match slot.kind {
        Kind::Flow => "flow".into(),
        Kind::Page => "FAU page".into(),
        Kind::Flag(_) => "flag".into(),
        Kind::Enum(def) => def.name.into(),
        Kind::Dst(d) => format!("destination ({d:?})").to_lowercase(),
        Kind::Run { count, .. } => format!("staging run, length in {count}"),
        Kind::Count => "count".into(),
        Kind::Src(k) => {
            let size = if k.wide { "64-bit source" } else { "source" };
            match k.mods.swizzle() {
                Some(def) if k.mods.has_neg_abs() => format!("{size}: neg, abs, {}", def.name),
                Some(def) => format!("{size}: {}", def.name),
                None if k.mods.has_neg_abs() => format!("{size}: neg, abs"),
                None if k.mods == crate::kind::SrcMods::Not => format!("{size}: not"),
                None => size.into(),
            }
        }
        Kind::Imm { signed: true, .. } => "signed immediate".into(),
        Kind::Imm { .. } | Kind::Constant => "immediate".into(),
    }
}

fn bits(slot: &OperandSpec<Valhall>) -> String {
    slot.field.segs().map(|s| format!("{}:{}", s.lo, s.width)).collect::<Vec<_>>().join("+")
}

/// The effects of a row besides its results, and how long those take.
fn effects(row: &Row<Valhall>) -> String {
    let e = row.effects;
    let mut all = e.words("memory");
    if row.count(Role::Def) > 0 {
        all.push(format!("{} clocks", e.latency));
    }
    all.join(", ")
}

/// The page: every row with its encoding, slots and meaning, then the named values.
pub fn reference_page() -> String {
    let mut out = String::from(
        "# Valhall instruction set\n\nGenerated from the table of `backend-valhall/machine`. Bits are `lowest:width` of the 64-bit word, \
         the least significant run first. Every instruction also has `flow` at 59:4.\n\n\
         | mnemonic | opcode | other fixed bits | unit | slots | meaning | effects | generations |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut enums: Vec<&'static EnumDef> = vec![&crate::kind::FLOW];
    for row in ROWS {
        let e = &row.enc[0];
        let opcode = (e.value >> 48) as u64 & 0x1FF;
        let mut rest = String::new();
        let mut lo = 0;
        while lo < 48 {
            if e.mask >> lo & 1 == 0 {
                lo += 1;
                continue;
            }
            let width = (e.mask >> lo).trailing_ones().min(48 - lo);
            let value = (e.value >> lo) as u64 & ((1 << width) - 1);
            rest.push_str(&format!("{lo}:{width}={value:#x} "));
            lo += width;
        }
        let mut slots = Vec::new();
        for s in row.operands {
            let def = match s.kind {
                Kind::Enum(def) => Some(def),
                Kind::Src(k) => k.mods.swizzle(),
                _ => None,
            };
            if let Some(def) = def
                && !enums.iter().any(|e| core::ptr::eq(*e, def))
            {
                enums.push(def);
            }
            if !matches!(s.kind, Kind::Flow) {
                slots.push(format!("`{}` {} ({})", s.name, bits(s), kind_text(s)));
            }
        }
        out.push_str(&format!(
            "| {} | {opcode:03X} | {} | {:?} | {} | {} | {} | {} |\n",
            row.text,
            rest.trim_end(),
            row.attrs.unit,
            slots.join(", "),
            row.doc,
            effects(row),
            row.generation_names().join(" ")
        ));
    }
    out.push_str("\n## Named values\n\n| kind | values |\n|---|---|\n");
    for def in enums {
        let values: Vec<String> = def
            .values
            .iter()
            .enumerate()
            .filter(|(_, n)| !n.is_empty())
            .map(|(v, n)| format!("{v} {n}{}", if def.default == Some(v as u8) { " (silent)" } else { "" }))
            .collect();
        out.push_str(&format!("| {} | {} |\n", def.name, values.join(", ")));
    }
    out
}
