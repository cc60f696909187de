//! The page of the instruction set for people, made from the table.

use crate::types::{Kind, Memory, Op, Unit};
use crate::{Tesla, table};
use gpucc_isa::{Isa, OperandSpec, Role, Row, stage};
use std::fmt::Write;

fn group(row: &Row<Tesla>) -> &'static str {
    match row.op {
        Op::CvtII | Op::CvtIF | Op::CvtFI | Op::CvtFF | Op::CvtRint => "Conversions",
        Op::Red(_) | Op::Atom(_) => "Atomics",
        _ => match Unit::of(row) {
            Unit::Memory => "Memory",
            Unit::Texture => "Textures",
            Unit::Flow => "Flow of control",
            Unit::Double => "Doubles",
            Unit::Sfu => "Special functions and inputs",
            Unit::Alu => "Arithmetic and moves",
        },
    }
}

const GROUPS: [&str; 8] = [
    "Arithmetic and moves",
    "Conversions",
    "Special functions and inputs",
    "Doubles",
    "Memory",
    "Atomics",
    "Textures",
    "Flow of control",
];

fn words(row: &Row<Tesla>) -> String {
    let e = &row.enc[0];
    let word = |shift: u32| {
        let (m, v) = ((e.mask >> shift) as u32, (e.value >> shift) as u32);
        format!("{v:08x}/{m:08x}")
    };
    if row.bytes == 4 { word(0) } else { format!("{} {}", word(0), word(32)) }
}

fn generations(row: &Row<Tesla>) -> String {
    let names = row.generation_names();
    if names.len() == Tesla::GENERATIONS.len() { "all".into() } else { names.join(" ") }
}

fn stages(row: &Row<Tesla>) -> String {
    if row.stages == stage::ALL {
        return "all".into();
    }
    let names = [(stage::VS, "vp"), (stage::GS, "gp"), (stage::FS, "fp"), (stage::CS, "cp")];
    names.iter().filter(|(s, _)| row.stages & s != 0).map(|(_, n)| *n).collect::<Vec<_>>().join(" ")
}

/// Bits of a slot as `w0.2-7` or `w1.3`.
fn bits(slot: &OperandSpec<Tesla>) -> String {
    let runs: Vec<String> = slot
        .field
        .segs()
        .map(|s| {
            let (word, lo) = (s.lo / 32, s.lo % 32);
            if s.width == 1 { format!("w{word}.{lo}") } else { format!("w{word}.{lo}-{}", lo + s.width - 1) }
        })
        .collect();
    runs.join("+")
}

fn meaning(kind: Kind) -> String {
    match kind {
        Kind::Flag(name) => format!("1: `{name}`"),
        Kind::Enum(names) => names.iter().enumerate().map(|(i, n)| format!("{i} {n}")).collect::<Vec<_>>().join(", "),
        Kind::Mem(_, scale) => format!("offset in units of {scale}"),
        k => format!("{k:?}"),
    }
}

/// The effects of a row besides its results, and how long those take.
fn effects(row: &Row<Tesla>) -> String {
    let e = row.effects;
    let memory = match Memory::ALL[usize::from(e.space)] {
        Memory::Any => "memory",
        Memory::Global => "g[]",
        Memory::Local => "l[]",
        Memory::Shared => "s[]",
        Memory::Const => "c[]",
        Memory::Output => "o[]",
        Memory::Texture => "texels",
    };
    let mut all = e.words(memory);
    all.extend(row.implicit.iter().map(|i| match (i.read, i.write) {
        (true, true) => format!("reads and writes {}", i.name),
        (true, false) => format!("reads {}", i.name),
        _ => format!("writes {}", i.name),
    }));
    if row.count(Role::Def) > 0 && !e.writes || e.reads {
        all.push(format!("{} clocks", e.latency));
    }
    all.join(", ")
}

/// The page, in Markdown.
pub fn reference_page() -> String {
    let mut out = String::from(
        "# Tesla: every instruction form\n\n\
         Made from the table of `gpucc-tesla-machine`; do not edit. Words are `value/mask` of the fixed bits, the first word first; `w0` and `w1` name the words in the\n\
         bit places of operands. Slots that every form of a class has are listed here once:\n\n\
         | slot | bits | meaning |\n|---|---|---|\n\
         | long: `ei` | w1.0-1 | 0 plain, 1 exit, 2 join |\n\
         | long: `pred`, `pcc` | w1.7-11, w1.12-13 | condition (15 always) and its flag register |\n\
         | `a`, `inc` | w0.26-27+w1.2, w0.25 | address register and post-increment of the one indexed operand |\n\
         | long: `cidx` | w1.22-25 | number of the c[] space |\n\
         | `m23`, `m24` | w0.23, w0.24 | operand flags where SRC2 or SRC3 is no c[]; both set: SRC1 is p[] |\n\n\
         Clocks are those until a result can be used. What stays is executed although nobody reads its results; what is convergent needs the\n\
         lanes that come to it, so that it stays in its block.\n",
    );
    for g in GROUPS {
        let _ = writeln!(out, "\n## {g}\n");
        out.push_str(
            "| text | words | operands | meaning | effects | generations | programs |\n|---|---|---|---|---|---|---|\n",
        );
        for row in table().rows.iter().filter(|r| group(r) == g) {
            let slots: Vec<String> = row
                .operands
                .iter()
                .filter(|s| s.field.width() > 0)
                .filter(|s| !matches!(s.name, "ei" | "pred" | "pcc" | "a" | "inc" | "cidx" | "m23" | "m24"))
                .map(|s| format!("{}={} ({})", s.name, bits(s), meaning(s.kind)))
                .collect();
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} | {} | {} | {} |",
                row.text.replace('|', "\\|"),
                words(row),
                slots.join("; "),
                row.doc,
                effects(row),
                generations(row),
                stages(row)
            );
        }
    }
    out
}
