//! The generated page of the instruction set.

use core::fmt::Write;

use crate::rows::{Class, ROWS};
use crate::table;

/// The reference page: every row with its encoding, operands, meaning and generations, as Markdown.
pub fn reference_page() -> String {
    let mut out = String::from(
        "# Vivante GC instructions\n\nGenerated from the table in `backend-vivante/machine/src/rows.rs`.\n\n\
         Instructions have 128 bits, written as w3 w2 w1 w0 below: `0` and `1` are fixed, `-` belongs to an operand or\n\
         modifier, `*` is ignored by the hardware, `.` must be 0.\n\n",
    );
    let _ = writeln!(out, "| mnemonic and operands | class | generations | meaning | section |");
    let _ = writeln!(out, "|---|---|---|---|---|");
    for row in table().rows {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            row.text.replace('|', "\\|"),
            class_name(row.attrs.class),
            row.generation_names().join(", "),
            row.doc.replace('|', "\\|"),
            row.source
        );
    }
    out.push_str("\n## Encodings\n\n```\n");
    for row in ROWS {
        let enc = &row.enc[0];
        let slots = row.operands.iter().fold(0, |m, s| m | s.field.mask());
        let _ = writeln!(out, "{}", row.text);
        out.push_str("   ");
        for bit in (0..128).rev() {
            let c = if enc.mask >> bit & 1 == 1 {
                if enc.value >> bit & 1 == 1 { '1' } else { '0' }
            } else if slots >> bit & 1 == 1 {
                '-'
            } else if row.ignored >> bit & 1 == 1 {
                '*'
            } else {
                '.'
            };
            out.push(c);
            if bit % 32 == 0 {
                out.push(' ');
            }
        }
        let trimmed = out.trim_end().len();
        out.truncate(trimmed);
        out.push('\n');
    }
    out.push_str("```\n");
    out
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Vector => "lane-wise",
        Class::IntVector => "lane-wise integer (scalar on gc2000)",
        Class::Scalar => "scalar",
        Class::Reduce => "across lanes",
        Class::Memory => "memory",
        Class::Control => "control",
        Class::Texture => "texture",
        Class::Unknown => "unknown",
    }
}
