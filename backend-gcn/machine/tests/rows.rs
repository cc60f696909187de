//! Every row executed: expected values are worked out by hand from the ISA reference (section of each block given), each
//! case runs in all forms and on all generations that have the instruction.

mod atomics;
mod programs;
mod scalar;
mod vector;

use std::collections::BTreeSet;

use crate::common::Kernel;
use gpucc_gcn_machine::Unit;
use gpucc_gcn_machine::build::{self, rows_of};
use gpucc_gcn_machine::isa::{Gcn, Kind};
use gpucc_gcn_machine::{Format, Op, assemble, encode, operand, table};
use gpucc_isa::{Role, Row};
use gpucc_sim::{Dispatch, RunOptions, Trap};

/// The findings: rows executed, and failures.
#[derive(Default)]
pub struct Found {
    pub rows: BTreeSet<u16>,
    /// Rows of draws and textures with the generation that executed them.
    pub on: BTreeSet<(u16, u8)>,
    pub failures: Vec<String>,
}

impl Found {
    /// Marks all rows of a mnemonic as executed on a generation.
    pub fn mark(&mut self, name: &str, g: u8) {
        let rows = rows_of(op(name), g);
        self.on.extend(rows.iter().map(|&r| (r, g)));
        self.rows.extend(rows);
    }
}

pub fn op(name: &str) -> Op {
    *Op::ALL.iter().find(|o| o.name() == name).unwrap_or_else(|| panic!("no opcode `{name}`"))
}

/// A number of a case: `1.5` f32, `1.5d` f64, `1.5h` f16, `5L` 64 bits, `0x..`, or a 32-bit integer.
fn number(t: &str) -> u64 {
    if let Some(h) = t.strip_prefix("0x") {
        let h = h.trim_end_matches('L');
        return u64::from_str_radix(h, 16).unwrap_or_else(|_| panic!("`{t}`"));
    }
    if let Some(d) = t.strip_suffix('d') {
        return d.parse::<f64>().unwrap().to_bits();
    }
    if let Some(h) = t.strip_suffix('h') {
        return gpucc_num::convert::f32_to_f16(gpucc_num::Round::Nearest, h.parse().unwrap()).into();
    }
    if let Some(l) = t.strip_suffix('L') {
        return l.parse::<i64>().unwrap() as u64;
    }
    if t.contains('.') {
        return t.parse::<f32>().unwrap().to_bits().into();
    }
    t.parse::<i64>().unwrap() as u32 as u64
}

/// A line `mnemonic inputs -> result [name=value]...`.
struct Case {
    name: String,
    ins: Vec<u64>,
    out: Option<u64>,
    extra: Vec<(String, u64)>,
}

impl Case {
    fn get(&self, name: &str) -> Option<u64> {
        self.extra.iter().find(|e| e.0 == name).map(|e| e.1)
    }
}

fn cases(text: &str) -> Vec<Case> {
    text.lines()
        .map(|l| l.split('#').next().unwrap().trim())
        .filter(|l| !l.is_empty())
        .map(|l| {
            let (left, right) = l.split_once("->").unwrap_or_else(|| panic!("`{l}`"));
            let mut left = left.split_whitespace();
            let name = left.next().unwrap().to_string();
            let mut out = None;
            let mut extra = Vec::new();
            for t in right.split_whitespace() {
                match t.split_once('=') {
                    Some((n, v)) => extra.push((n.to_string(), number(v))),
                    None => out = Some(number(t)),
                }
            }
            Case { name, ins: left.map(number).collect(), out, extra }
        })
        .collect()
}

/// Runs `before`, the instruction and `after`; buffer 0 is given and returned.
fn run(g: u8, before: &str, inst: &[u8], after: &str, buffer: &[u32], shared: u32) -> Result<Vec<u32>, Trap> {
    let mut k = Kernel::new(g, 1, "s_endpgm");
    k.shared = shared;
    let mut c = k.container();
    let part = |t: &str| assemble(t, g, 8, false).unwrap_or_else(|e| panic!("{e:?}\n{t}"));
    c.entries[0].code = [part(before), inst.to_vec(), part(after)].concat();
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, buffer);
    gpucc_gcn_machine::run(&c, None, &mut d, &RunOptions::default())?;
    Ok(d.words(0, 0).unwrap())
}

const STORES: &str = "s_nop 7
    v_lshlrev_b32_e32 v0, 2, v0
    buffer_store_dword v1, v0, s[0:3], 0 offen
    buffer_store_dword v2, v0, s[0:3], 0 offen offset:256
    buffer_store_dword v20, v0, s[0:3], 0 offen offset:512
    buffer_store_dword v21, v0, s[0:3], 0 offen offset:768
    buffer_store_dword v22, v0, s[0:3], 0 offen offset:1024
    buffer_store_dword v23, v0, s[0:3], 0 offen offset:1280
    s_endpgm";

/// Sets VGPR and SGPR tuples to a 64-bit value, repeated.
fn set(v: u32, s: u32, value: u64) -> String {
    let (lo, hi) = (value as u32, (value >> 32) as u32);
    let mut t = String::new();
    for i in 0..4 {
        let w = if i % 2 == 0 { lo } else { hi };
        t += &format!("v_mov_b32_e32 v{}, {w:#x}\ns_mov_b32 s{}, {w:#x}\n", v + i, s + i);
    }
    t
}

/// Rows without meaning for compute, or whose meaning the reference does not give: they trap by name (docs/errata-gcn.md).
fn excepted(op: Op) -> bool {
    let n = op.name();
    n.contains("src2")
        || n.contains("condxchg")
        || n.contains("gws")
        || n.starts_with("s_rfe")
        || n.starts_with("s_cbranch_cdbg")
        || n.starts_with("s_sendmsg")
        || matches!(
            op,
            Op::DsOrderedCount
                | Op::VMullitF32
                | Op::VTrigPreopF64
                | Op::BufferStoreLdsDword
                | Op::SCbranchGFork
                | Op::SCbranchIFork
                | Op::SCbranchJoin
                | Op::SGetregRegrdB32
                | Op::SMovRegrdB32
                | Op::SAtcProbe
                | Op::SAtcProbeBuffer
                | Op::SSetkill
                | Op::SSethalt
                | Op::STrap
                | Op::STtracedata
                | Op::SEndpgmSaved
        )
}

#[test]
fn every_row_does_what_the_reference_says() {
    let mut f = Found::default();
    vector::vector(&mut f, vector::VOP1);
    vector::vector(&mut f, vector::VOP2);
    vector::vector(&mut f, vector::VOP3);
    vector::compares(&mut f);
    scalar::scalar(&mut f);
    atomics::atomics(&mut f);
    programs::programs(&mut f);
    crate::image_rows::images(&mut f);
    crate::shade::rows(&mut f);
    crate::shade::halves(&mut f);
    let shown: Vec<&String> = f.failures.iter().take(40).collect();
    assert!(f.failures.is_empty(), "{} failures:\n{shown:#?}", f.failures.len());
    let missing: BTreeSet<String> = table()
        .rows
        .iter()
        .enumerate()
        .filter(|(i, r)| !f.rows.contains(&(*i as u16)) && !excepted(r.op))
        .map(|(_, r)| format!("{}{} ({} bytes, {:?})", r.text, r.attrs.suffix.text(), r.bytes, r.attrs.format))
        .collect();
    println!("{} of {} rows executed", f.rows.len(), table().rows.len());
    // Forms that only draws and textures use may not lean on another generation.
    let graphics = |r: &Row<Gcn>| {
        r.attrs.unit == Unit::Interp
            || matches!(r.attrs.format, Format::Mimg | Format::Exp | Format::Vintrp | Format::Mtbuf)
    };
    let of =
        |(i, r): (usize, &'static Row<Gcn>)| (0..3u8).filter(move |&g| r.enc_on(g).is_some()).map(move |g| (i, g, r));
    let wanted: Vec<_> = table().rows.iter().enumerate().filter(|(_, r)| graphics(r)).flat_map(of).collect();
    let left = wanted.iter().filter(|(i, g, _)| !f.on.contains(&(*i as u16, *g)));
    let left: Vec<String> = left.map(|(_, g, r)| format!("gfx{} {}{}", 6 + g, r.text, r.attrs.suffix.text())).collect();
    println!("{} rows of images, exports, interpolation and typed buffers, by generation", wanted.len());
    assert!(left.is_empty(), "{} were never executed: {left:#?}", left.len());
    assert!(missing.is_empty(), "{} rows were never executed: {missing:#?}", missing.len());
}
