//! The rows, one declaration per instruction; forms (32-bit, literal, VOP3, SDWA, DPP) are expanded by `build`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gpucc_isa::{Row, Table};

use crate::isa::Gcn;
use crate::{Op, Suffix};

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

/// The rows by their lists; those without an encoding are forms that an instruction lacks.
pub const PARTS: &[&[Row<Gcn>]] = &[
    scalar::SOP2,
    scalar::SOPK,
    scalar::SOP1,
    scalar::SOPC,
    scalar::SOPP,
    scalar::SMRD,
    scalar::SMEM,
    vector::VOP1,
    vector::VOP2,
    vector::VOP3,
    compare::VOPC,
    lds::VINTRP,
    lds::DS,
    memory::MUBUF,
    memory::MTBUF,
    memory::FLAT,
    image::MIMG,
    build::SPECIAL,
];

const fn count() -> usize {
    let (mut n, mut p) = (0, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            n += PARTS[p][i].enc.is_empty() as usize ^ 1;
            i += 1;
        }
        p += 1;
    }
    n
}

/// Joins the parts; rows without any encoding are forms that an instruction lacks.
const fn join<const N: usize>() -> [Row<Gcn>; N] {
    let mut out = [build::NO_ROW; N];
    let (mut n, mut p) = (0, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            if !PARTS[p][i].enc.is_empty() {
                out[n] = PARTS[p][i];
                n += 1;
            }
            i += 1;
        }
        p += 1;
    }
    out
}

/// All rows.
pub static ROWS: [Row<Gcn>; count()] = join();

static TABLE: LazyLock<Table<Gcn>> = LazyLock::new(|| Table::new(&ROWS));

/// By opcode its first row on the newest generation that has it.
static NEWEST: [u16; Op::ALL.len()] = {
    let rows = &join::<{ count() }>();
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
const _: () = gpucc_isa::check::fields(&join::<{ count() }>());
const _: () = gpucc_isa::check::effects(&join::<{ count() }>());
