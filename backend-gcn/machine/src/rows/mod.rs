//! The rows, one declaration per instruction; forms (32-bit, literal, VOP3, SDWA, DPP) are expanded by `build`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gpucc_isa::{Enc, Field, OperandSpec, Role, Row, Table};

use crate::isa::{Gcn, Kind};
use crate::{Op, Suffix};

use build::Form;
pub use effects::{reads_exec, writes_exec};

#[macro_use]
pub(crate) mod build;
mod compare;
mod effects;
mod image;
pub(crate) mod implicit;
mod lds;
mod memory;
mod scalar;
mod vector;

/// The forms by their lists, those that an instruction lacks among them.
#[rustfmt::skip]
static PARTS: &[&[Form]] = &[
    scalar::SOP2, scalar::SOPK, scalar::SOP1, scalar::SOPC, scalar::SOPP, scalar::SMRD, scalar::SMEM, vector::VOP1,
    vector::VOP2, vector::VOP3, compare::FLOATS, compare::INTEGERS, compare::VOPC, lds::VINTRP, lds::DS,
    memory::MUBUF, memory::MTBUF, memory::FLAT, image::MIMG, build::SPECIAL,
];

/// Number of forms that exist, and of their operands.
const COUNT: (usize, usize) = {
    let (mut n, mut operands, mut p) = (0, 0, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            if PARTS[p][i].exists() {
                n += 1;
                operands += PARTS[p][i].operands().len();
            }
            i += 1;
        }
        p += 1;
    }
    (n, operands)
};

/// Encodings and operands of all rows, one row behind the other.
struct Store {
    enc: [[Enc; 3]; COUNT.0],
    operands: [OperandSpec<Gcn>; COUNT.1],
}

static STORE: Store = {
    let no_enc = Enc { generations: 0, mask: 0, value: 0 };
    let no_operand = OperandSpec::new("", Field::none(), Kind::Vcc, Role::Mod);
    let mut out = Store { enc: [[no_enc; 3]; COUNT.0], operands: [no_operand; COUNT.1] };
    let (mut n, mut at, mut p) = (0, 0, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            let form = &PARTS[p][i];
            i += 1;
            if !form.exists() {
                continue;
            }
            out.enc[n] = form.enc;
            n += 1;
            let mut k = 0;
            while k < form.operands().len() {
                out.operands[at] = form.operands()[k];
                (at, k) = (at + 1, k + 1);
            }
        }
        p += 1;
    }
    out
};

/// All rows.
pub static ROWS: [Row<Gcn>; COUNT.0] = {
    let mut out = [build::NO_ROW; COUNT.0];
    let (mut n, mut rest, mut p): (usize, &'static [OperandSpec<Gcn>], usize) = (0, &STORE.operands, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            let form = &PARTS[p][i];
            i += 1;
            if form.exists() {
                let (operands, behind) = rest.split_at(form.operands().len());
                out[n] = form.row(&STORE.enc[n], operands);
                (n, rest) = (n + 1, behind);
            }
        }
        p += 1;
    }
    out
};

static TABLE: LazyLock<Table<Gcn>> = LazyLock::new(|| Table::new(&ROWS));

/// First row of each opcode on the newest generation that has it.
static NEWEST: [u16; Op::ALL.len()] = {
    let rows = &ROWS;
    let mut all = [u16::MAX; Op::ALL.len()];
    let mut last = [0; Op::ALL.len()];
    let mut r = 0;
    while r < rows.len() {
        let (mut generations, mut e) = (0, 0);
        while e < rows[r].enc.len() {
            generations |= rows[r].enc[e].generations;
            e += 1;
        }
        let (op, newest) = (rows[r].op as usize, 16 - generations.leading_zeros());
        if newest > last[op] {
            (all[op], last[op]) = (r as u16, newest);
        }
        r += 1;
    }
    all
};

/// The row that says what an opcode does: all its rows do the same.
pub fn of(op: Op) -> Option<&'static Row<Gcn>> {
    ROWS.get(NEWEST[op as usize] as usize)
}

/// The table of GCN.
pub fn table() -> &'static Table<Gcn> {
    &TABLE
}

static BY_NAME: LazyLock<BTreeMap<String, Vec<u16>>> = LazyLock::new(|| {
    let mut map: BTreeMap<String, Vec<u16>> = BTreeMap::new();
    for (i, row) in ROWS.iter().enumerate() {
        let name = format!("{}{}", row.text, row.attrs.suffix.text());
        map.entry(name).or_default().push(i as u16);
        let alias = match row.attrs.suffix {
            Suffix::SilentSdwa => "_sdwa",
            Suffix::SilentDpp => "_dpp",
            _ => continue,
        };
        map.entry(format!("{}{alias}", row.text)).or_default().push(i as u16);
    }
    map
});

/// Rows whose mnemonic with suffix is `name` (lower case), in table order.
pub fn by_name(name: &str) -> &'static [u16] {
    BY_NAME.get(name).map_or(&[], |v| v)
}

// Overlapping fields do not compile. Ambiguity of rows is a test: n squared pairs take the constant evaluator too long.
const _: () = gpucc_isa::check::fields(&ROWS);
const _: () = gpucc_isa::check::effects(&ROWS);
