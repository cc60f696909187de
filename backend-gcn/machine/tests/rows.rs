//! Every row executed: expected values are worked out by hand from the ISA reference (section of each block given), each
//! case runs in all forms and on all generations that have the instruction.

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

/// Vector cases in all forms.
fn vector(f: &mut Found, text: &str) {
    for case in cases(text) {
        let o = op(&case.name);
        for g in 0..3u8 {
            for &r in rows_of(o, g) {
                vector_row(f, &case, r, g);
            }
        }
    }
}

fn vector_row(f: &mut Found, case: &Case, r: u16, g: u8) {
    let mut inst = build::inst(r);
    let row = inst.row();
    let cin = case.get("cin").unwrap_or(0) != 0;
    let mask = if cin { "-1" } else { "0" };
    let mut before = format!("s_mov_b64 vcc, {mask}\ns_mov_b64 s[34:35], {mask}\ns_mov_b32 m0, 0\n");
    let old = case.get("old").unwrap_or(0);
    before += &set(1, 44, old);
    let mut k = 0u32;
    let mut mask_in = "vcc";
    let mut width = 0;
    let mut scalar_dst = false;
    for (i, slot) in row.operands.iter().enumerate() {
        let source = slot.role == Role::Use || matches!(slot.kind, Kind::Literal);
        let v = match slot.kind {
            Kind::Vgpr(n) if slot.role != Role::Use => {
                width = n;
                1
            }
            Kind::SReg(_) if slot.name == "vdst" => {
                scalar_dst = true;
                30
            }
            Kind::SReg(2) if slot.name == "sdst" => {
                mask_in = "s32";
                32
            }
            Kind::SReg(2) => 34,
            Kind::Vcc => 0,
            Kind::Src(..) | Kind::VSrc(..) => 256 + 10 + 4 * k,
            Kind::Vgpr(_) | Kind::VMod(_) => 10 + 4 * k,
            // Two scalar registers would break the one-scalar rule.
            Kind::SSrc(_) if row.op == Op::VWritelaneB32 && slot.name == "src1" => operand::ZERO,
            Kind::SSrc(_) => 20 + 4 * k,
            Kind::Literal => {
                let value = case.ins[k as usize];
                let wide = row.text.contains("f64") && value > u64::from(u32::MAX);
                if wide && value as u32 != 0 || !wide && value > u64::from(u32::MAX) {
                    return; // Not representable as a literal; another case covers the row.
                }
                (if wide { value >> 32 } else { value }) as u32
            }
            Kind::DppCtrl => 0xe4,
            _ => inst.vals[i],
        };
        inst.vals[i] = v;
        if source && (slot.name.starts_with("src") || slot.name == "k") && slot.role != Role::Mod {
            before += &set(10 + 4 * k, 20 + 4 * k, case.ins.get(k as usize).copied().unwrap_or(0));
            k += 1;
        }
    }
    let text = {
        let mut t = String::new();
        <gpucc_gcn_machine::Gcn as gpucc_isa::Isa>::print(&inst, &gpucc_isa::TextCx::new(g), &mut t);
        t
    };
    if let Err(e) = build::check(&inst, g) {
        f.failures.push(format!("{text} on {g}: {e}"));
        return;
    }
    before += "s_nop 7\n";
    let sdst = if mask_in == "vcc" { ("vcc_lo", "vcc_hi") } else { ("s32", "s33") };
    let mut after = String::from("s_mov_b64 s[36:37], exec\ns_mov_b64 exec, -1\n");
    let has_mask = row.operands.iter().any(|s| s.name == "sdst");
    if has_mask {
        after += &format!("v_mov_b32_e32 v20, {}\nv_mov_b32_e32 v21, {}\n", sdst.0, sdst.1);
    } else {
        after += "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\n";
    }
    after += "v_mov_b32_e32 v22, s36\nv_mov_b32_e32 v23, s37\n";
    if scalar_dst {
        after += "v_mov_b32_e32 v1, s30\nv_mov_b32_e32 v2, 0\n";
    }
    after += STORES;
    let bytes = encode(&inst, g).unwrap();
    let words = match run(g, &before, &bytes, &after, &[0; 512], 0) {
        Ok(w) => w,
        Err(t) => {
            f.failures.push(format!("{text} on {g}: {t}"));
            return;
        }
    };
    f.rows.insert(r);
    let got =
        if width == 1 || scalar_dst { u64::from(words[0]) } else { u64::from(words[0]) | u64::from(words[64]) << 32 };
    if let Some(want) = case.out.filter(|&w| (width > 0 || scalar_dst) && got != w) {
        f.failures.push(format!("{text} on {g} of {:x?}: {got:#x}, expected {want:#x}", case.ins));
    }
    if let Some(c) = case.get("cout") {
        let mask = u64::from(words[128]) | u64::from(words[192]) << 32;
        if mask != if c != 0 { u64::MAX } else { 0 } {
            f.failures.push(format!("{text} on {g}: mask {mask:#x}"));
        }
    }
    if let Some(c) = case.get("exec") {
        let exec = u64::from(words[256]) | u64::from(words[320]) << 32;
        if exec != if c != 0 { u64::MAX } else { 0 } {
            f.failures.push(format!("{text} on {g}: exec {exec:#x}"));
        }
    }
}

/// Section 7, 6.1: one source.
const VOP1: &str = "
v_nop -> 
v_clrexcp ->
v_mov_b32 0x12345678 -> 0x12345678
v_mov_fed_b32 0x12345678 -> 0x12345678
v_readfirstlane_b32 0x1234 -> 0x1234
v_cvt_i32_f64 -2.75d -> -2
v_cvt_f64_i32 -3 -> -3.0d
v_cvt_f32_i32 -7 -> -7.0
v_cvt_f32_u32 0xffffffff -> 4294967296.0
v_cvt_u32_f32 3.99 -> 3
v_cvt_u32_f32 -1.0 -> 0
v_cvt_u32_f32 0x7fc00000 -> 0
v_cvt_i32_f32 -3.99 -> -3
v_cvt_i32_f32 0x60ad78ec -> 0x7fffffff
v_cvt_f16_f32 1.5 -> 0x3e00
v_cvt_f32_f16 0x3e00 -> 1.5
v_cvt_rpi_i32_f32 2.5 -> 3
v_cvt_rpi_i32_f32 -2.5 -> -2
v_cvt_flr_i32_f32 -2.5 -> -3
v_cvt_off_f32_i4 15 -> -0.0625
v_cvt_off_f32_i4 8 -> -0.5
v_cvt_f32_f64 2.5d -> 2.5
v_cvt_f64_f32 2.5 -> 2.5d
v_cvt_f32_ubyte0 0x04030201 -> 1.0
v_cvt_f32_ubyte1 0x04030201 -> 2.0
v_cvt_f32_ubyte2 0x04030201 -> 3.0
v_cvt_f32_ubyte3 0xff030201 -> 255.0
v_cvt_u32_f64 7.5d -> 7
v_cvt_f64_u32 0xffffffff -> 4294967295.0d
v_trunc_f64 -1.5d -> -1.0d
v_ceil_f64 1.25d -> 2.0d
v_rndne_f64 2.5d -> 2.0d
v_floor_f64 -1.5d -> -2.0d
v_fract_f32 2.75 -> 0.75
v_fract_f32 -0.25 -> 0.75
v_trunc_f32 -1.5 -> -1.0
v_ceil_f32 1.25 -> 2.0
v_rndne_f32 2.5 -> 2.0
v_floor_f32 -1.5 -> -2.0
v_exp_f32 3.0 -> 8.0
v_exp_f32 -200.0 -> 0.0
v_log_clamp_f32 0.0 -> 0xff7fffff
v_log_f32 8.0 -> 3.0
v_log_f32 0.0 -> 0xff800000
v_rcp_clamp_f32 0.0 -> 0x7f7fffff
v_rcp_legacy_f32 0.0 -> 0.0
v_rcp_f32 4.0 -> 0.25
v_rcp_f32 0.0 -> 0x7f800000
v_rcp_f32 0x00400000 -> 0x7f800000   # a denormal counts as 0
v_rcp_iflag_f32 4.0 -> 0.25
v_rsq_clamp_f32 0.0 -> 0x7f7fffff
v_rsq_legacy_f32 0.0 -> 0.0
v_rsq_f32 4.0 -> 0.5
v_rcp_f64 4.0d -> 0.25d
v_rcp_clamp_f64 0.0d -> 0x7fefffffffffffff
v_rsq_f64 4.0d -> 0.5d
v_rsq_clamp_f64 0.0d -> 0x7fefffffffffffff
v_sqrt_f32 9.0 -> 3.0
v_sqrt_f64 9.0d -> 3.0d
v_sin_f32 0.25 -> 1.0
v_sin_f32 300.0 -> 0.0
v_cos_f32 0.5 -> -1.0
v_cos_f32 300.0 -> 1.0
v_not_b32 0x0f -> 0xfffffff0
v_bfrev_b32 1 -> 0x80000000
v_ffbh_u32 0x00010000 -> 15
v_ffbh_u32 0 -> -1
v_ffbl_b32 0x00010000 -> 16
v_ffbh_i32 -2 -> 31
v_ffbh_i32 -1 -> -1
v_frexp_exp_i32_f64 8.0d -> 4
v_frexp_mant_f64 8.0d -> 0.5d
v_fract_f64 2.75d -> 0.75d
v_frexp_exp_i32_f32 8.0 -> 4
v_frexp_exp_i32_f32 0.0 -> 0
v_frexp_mant_f32 -8.0 -> -0.5
v_movreld_b32 0x55 -> 0x55
v_movrels_b32 0x55 -> 0x55
v_movrelsd_b32 0x55 -> 0x55
v_log_legacy_f32 8.0 -> 3.0
v_exp_legacy_f32 3.0 -> 8.0
v_cvt_f16_u16 3 -> 3.0h
v_cvt_f16_i16 0xfffd -> -3.0h
v_cvt_u16_f16 3.0h -> 3
v_cvt_u16_f16 -3.0h -> 0
v_cvt_i16_f16 -3.0h -> 0xfffd
v_rcp_f16 4.0h -> 0.25h
v_sqrt_f16 9.0h -> 3.0h
v_rsq_f16 4.0h -> 0.5h
v_log_f16 8.0h -> 3.0h
v_exp_f16 3.0h -> 8.0h
v_frexp_mant_f16 8.0h -> 0.5h
v_frexp_exp_i16_f16 8.0h -> 4
v_floor_f16 -1.5h -> -2.0h
v_ceil_f16 1.25h -> 2.0h
v_trunc_f16 -1.5h -> -1.0h
v_rndne_f16 2.5h -> 2.0h
v_fract_f16 2.75h -> 0.75h
v_sin_f16 0.25h -> 1.0h
v_cos_f16 0.5h -> -1.0h
";

/// Sections 7, 6.2: two sources.
const VOP2: &str = "
v_cndmask_b32 5 7 -> 5 cin=0
v_cndmask_b32 5 7 -> 7 cin=1
v_readlane_b32 77 5 -> 77
v_writelane_b32 77 0 -> 77 old=5
v_add_f32 1.5 2.25 -> 3.75
v_add_f32 0x00400000 0x00400000 -> 0x0   # denormals are flushed in this mode
v_sub_f32 1.5 0.25 -> 1.25
v_subrev_f32 1.5 0.25 -> -1.25
v_mac_legacy_f32 2.0 3.0 -> 7.0 old=1.0
v_mac_legacy_f32 0.0 0x7f800000 -> 1.0 old=1.0
v_mul_legacy_f32 0.0 0x7f800000 -> 0.0
v_mul_legacy_f32 2.0 3.0 -> 6.0
v_mul_f32 1.5 2.0 -> 3.0
v_mul_i32_i24 0xffffff 5 -> -5
v_mul_hi_i32_i24 0xffffff 5 -> -1
v_mul_u32_u24 0x01000003 4 -> 12
v_mul_hi_u32_u24 0xffffff 0xffffff -> 0xffff
v_min_legacy_f32 1.0 2.0 -> 1.0
v_min_legacy_f32 0x7fc00000 2.0 -> 2.0
v_max_legacy_f32 1.0 2.0 -> 2.0
v_max_legacy_f32 3.0 0x7fc00000 -> 0x7fc00000
v_min_f32 0x7fc00000 2.0 -> 2.0
v_min_f32 0x80000000 0.0 -> 0x80000000
v_max_f32 1.0 0x7fc00000 -> 1.0
v_min_i32 -1 1 -> -1
v_max_i32 -1 1 -> 1
v_min_u32 -1 1 -> 1
v_max_u32 -1 1 -> -1
v_lshr_b32 0x80000000 36 -> 0x08000000
v_lshrrev_b32 36 0x80000000 -> 0x08000000
v_ashr_i32 0x80000000 4 -> 0xf8000000
v_ashrrev_i32 4 0x80000000 -> 0xf8000000
v_lshl_b32 3 4 -> 48
v_lshlrev_b32 4 3 -> 48
v_and_b32 0xff0 0x0ff -> 0x0f0
v_or_b32 0xff0 0x0ff -> 0xfff
v_xor_b32 0xff0 0x0ff -> 0xf0f
v_bfm_b32 4 8 -> 0xf00
v_mac_f32 2.0 3.0 -> 7.0 old=1.0
v_madmk_f32 2.0 3.0 1.0 -> 7.0
v_madak_f32 2.0 3.0 1.0 -> 7.0
v_bcnt_u32_b32 0xff 10 -> 18
v_mbcnt_lo_u32_b32 -1 5 -> 5
v_mbcnt_hi_u32_b32 -1 5 -> 5
v_add_i32 0xffffffff 2 -> 1 cout=1
v_add_i32 1 2 -> 3 cout=0
v_sub_i32 1 2 -> -1 cout=1
v_subrev_i32 1 2 -> 1 cout=0
v_addc_u32 0xffffffff 0 -> 0 cin=1 cout=1
v_addc_u32 1 2 -> 3 cin=0 cout=0
v_subb_u32 5 5 -> -1 cin=1 cout=1
v_subbrev_u32 5 7 -> 1 cin=1 cout=0
v_ldexp_f32 1.5 3 -> 12.0
v_cvt_pkaccum_u8_f32 200.0 1 -> 0x1122c844 old=0x11223344
v_cvt_pknorm_i16_f32 1.0 -1.0 -> 0x80017fff
v_cvt_pknorm_u16_f32 1.0 0.0 -> 0xffff
v_cvt_pkrtz_f16_f32 1.5 2.0 -> 0x40003e00
v_cvt_pk_u16_u32 70000 5 -> 0x0005ffff
v_cvt_pk_i16_i32 -40000 5 -> 0x00058000
v_add_u32 0xffffffff 2 -> 1 cout=1
v_sub_u32 1 2 -> -1 cout=1
v_subrev_u32 1 2 -> 1 cout=0
v_add_f16 1.5h 2.25h -> 3.75h
v_sub_f16 1.5h 0.25h -> 1.25h
v_subrev_f16 1.5h 0.25h -> -1.25h
v_mul_f16 1.5h 2.0h -> 3.0h
v_mac_f16 2.0h 3.0h -> 7.0h old=1.0h
v_madmk_f16 2.0h 3.0h 1.0h -> 7.0h
v_madak_f16 2.0h 3.0h 1.0h -> 7.0h
v_add_u16 0xffff 2 -> 1
v_sub_u16 1 2 -> 0xffff
v_subrev_u16 1 3 -> 2
v_mul_lo_u16 0x101 0x101 -> 0x0201
v_lshlrev_b16 4 0xf00f -> 0x00f0
v_lshrrev_b16 4 0xf00f -> 0x0f00
v_ashrrev_i16 4 0xf00f -> 0xff00
v_max_f16 1.0h 2.0h -> 2.0h
v_min_f16 1.0h 2.0h -> 1.0h
v_max_u16 0xffff 1 -> 0xffff
v_max_i16 0xffff 1 -> 1
v_min_u16 0xffff 1 -> 1
v_min_i16 0xffff 1 -> 0xffff
v_ldexp_f16 1.5h 3 -> 12.0h
";

/// Sections 7, 6.3: VOP3 only.
const VOP3: &str = "
v_mad_legacy_f32 0.0 0x7f800000 2.0 -> 2.0
v_mad_f32 2.0 3.0 1.0 -> 7.0
v_mad_f32 0x3f800001 0x3f800001 0xbf800002 -> 0.0   # unfused: the product is rounded first
v_fma_f32 0x3f800001 0x3f800001 0xbf800002 -> 0x28800000   # (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46
v_mad_i32_i24 0xffffff 5 3 -> -2
v_mad_u32_u24 0x01000003 4 5 -> 17
v_cubeid_f32 1.0 -2.0 3.0 -> 4.0
v_cubeid_f32 1.0 -2.0 1.5 -> 3.0
v_cubeid_f32 -2.0 1.0 1.5 -> 1.0
v_cubesc_f32 1.0 -2.0 3.0 -> 1.0
v_cubesc_f32 -2.0 1.0 1.5 -> 1.5
v_cubetc_f32 1.0 -2.0 3.0 -> 2.0
v_cubetc_f32 1.0 -2.0 1.5 -> -1.5
v_cubema_f32 1.0 -2.0 3.0 -> 6.0
v_bfe_u32 0xabcd 4 8 -> 0xbc
v_bfe_u32 0xabcd 4 0 -> 0
v_bfe_i32 0xabcd 8 8 -> 0xffffffab
v_bfi_b32 0xff00 0x1234 0xabcd -> 0x12cd
v_fma_f64 2.0d 3.0d 1.0d -> 7.0d
v_lerp_u8 0x02040608 0x04060a0c 0 -> 0x0305080a
v_alignbit_b32 1 0x80000000 4 -> 0x18000000
v_alignbyte_b32 0x11223344 0x55667788 1 -> 0x44556677
v_min3_f32 3.0 1.0 2.0 -> 1.0
v_min3_i32 3 -1 2 -> -1
v_min3_u32 3 -1 2 -> 2
v_max3_f32 3.0 1.0 2.0 -> 3.0
v_max3_i32 3 -1 2 -> 3
v_max3_u32 3 -1 2 -> -1
v_med3_f32 3.0 1.0 2.0 -> 2.0
v_med3_f32 3.0 0x7fc00000 2.0 -> 2.0
v_med3_i32 3 -1 2 -> 2
v_med3_u32 3 -1 2 -> 3
v_sad_u8 0x01020304 0x04030201 10 -> 18
v_sad_hi_u8 0x01020304 0x04030201 10 -> 0x0008000a
v_sad_u16 0x00010005 0x00030002 1 -> 6
v_sad_u32 5 9 1 -> 5
v_cvt_pk_u8_f32 200.0 2 0x11223344 -> 0x11c83344
v_cvt_pk_u8_f32 300.0 0 0 -> 0xff
v_div_fixup_f32 0.5 2.0 -1.0 -> -0.5
v_div_fixup_f32 0.5 0.0 -1.0 -> 0xff800000
v_div_fixup_f32 0.5 0.0 0.0 -> 0xffc00000
v_div_fixup_f64 0.5d 2.0d -1.0d -> -0.5d
v_lshl_b64 1L 36 -> 0x1000000000
v_lshr_b64 0x8000000000000000 60 -> 8L
v_ashr_i64 0x8000000000000000 60 -> -8L
v_add_f64 1.5d 2.25d -> 3.75d
v_mul_f64 1.5d 2.0d -> 3.0d
v_min_f64 1.5d 2.0d -> 1.5d
v_max_f64 1.5d 2.0d -> 2.0d
v_ldexp_f64 1.5d 3 -> 12.0d
v_mul_lo_u32 0x10001 0x10001 -> 0x00020001
v_mul_hi_u32 0x80000000 4 -> 2
v_mul_lo_i32 -3 5 -> -15
v_mul_hi_i32 0x80000000 4 -> -2
v_div_scale_f32 3.0 3.0 6.0 -> 3.0 cout=0
v_div_scale_f32 1.0 1.0 0x72800000 -> 0x5f800000 cout=1   # exponents 102 apart: the denominator times 2^64
v_div_scale_f64 3.0d 3.0d 6.0d -> 3.0d cout=0
v_div_fmas_f32 2.0 3.0 1.0 -> 7.0 cin=0
v_div_fmas_f32 2.0 3.0 1.0 -> 0x20e00000 cin=1   # 7 * 2^-64
v_div_fmas_f64 2.0d 3.0d 1.0d -> 7.0d cin=0
v_msad_u8 0x01020304 0x04000201 10 -> 17
v_qsad_pk_u16_u8 0x0807060504030201 0x04030201 0L -> 0x000c000800040000
v_mqsad_pk_u16_u8 0x0807060504030201 0x04030201 0x0001000100010001 -> 0x000d000900050001
v_mqsad_u32_u8 0x0807060504030201 0x04030201 0x0000000200000001 -> 0x0000000600000001
v_mad_u64_u32 0xffffffff 2 5L -> 0x200000003 cout=0
v_mad_u64_u32 1 1 -1L -> 0L cout=1
v_mad_i64_i32 -1 2 5L -> 3L cout=0
v_mad_f16 2.0h 3.0h 1.0h -> 7.0h
v_mad_u16 3 4 5 -> 17
v_mad_i16 0xffff 4 5 -> 1
v_perm_b32 0x44332211 0x88776655 0x0c070400 -> 0x00441155
v_perm_b32 0x44332211 0x88776655 0x0d0a0908 -> 0xff00ff00   # signs of bytes 1, 3, 5; ones
v_fma_f16 2.0h 3.0h 1.0h -> 7.0h
v_div_fixup_f16 0.5h 2.0h -1.0h -> -0.5h
v_lshlrev_b64 36 1L -> 0x1000000000
v_lshrrev_b64 60 0x8000000000000000 -> 8L
v_ashrrev_i64 60 0x8000000000000000 -> -8L
";

/// Section 6.4: the condition lists, computed with Rust's own comparisons, written as the reference names them.
#[allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "written as the reference defines them, NaN and all"
)]
fn compares(f: &mut Found) {
    for o in Op::ALL {
        let Some(rest) = o.name().strip_prefix("v_cmp") else { continue };
        let (kind, rest) = rest.split_once('_').unwrap();
        let (cond, ty) = rest.rsplit_once('_').unwrap();
        let float = ty.starts_with('f');
        let pairs: &[(f64, f64)] = if cond == "class" {
            &[(1.0, 0.0)]
        } else if float {
            &[(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0)]
        } else {
            &[(1.0, 2.0), (2.0, 2.0), (-1.0, 1.0)]
        };
        for &(a, b) in pairs {
            let bits = |x: f64| -> u64 {
                match ty {
                    "f16" => gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, x).into(),
                    "f32" => (x as f32).to_bits().into(),
                    "f64" => x.to_bits(),
                    "i16" | "u16" => (x as i64 as u16).into(),
                    "i32" | "u32" => (x as i64 as u32).into(),
                    _ => x as i64 as u64,
                }
            };
            // -1 is the largest unsigned number.
            let value = |x: f64| if ty.starts_with('u') && x < 0.0 { 1e9 } else { x };
            let (x, y) = (value(a), value(b));
            let holds = match cond {
                "f" => false,
                "lt" => x < y,
                "eq" => x == y,
                "le" => x <= y,
                "gt" => x > y,
                "lg" => x < y || x > y,
                "ne" => x != y,
                "ge" => x >= y,
                "o" => !x.is_nan() && !y.is_nan(),
                "u" => x.is_nan() || y.is_nan(),
                "nge" => !(x >= y),
                "nlg" => !(x < y || x > y),
                "ngt" => !(x > y),
                "nle" => !(x <= y),
                "neq" => !(x == y),
                "nlt" => !(x < y),
                "tru" | "t" => true,
                // Bit 8 is the class of positive normal numbers.
                "class" => true,
                _ => panic!("{cond}"),
            };
            let mut extra = vec![("cout".to_string(), u64::from(holds))];
            extra.push(("exec".to_string(), u64::from(!kind.ends_with('x') || holds)));
            let ins = vec![bits(a), if cond == "class" { 0x100 } else { bits(b) }];
            let case = Case { name: o.name().into(), ins, out: None, extra };
            for g in 0..3u8 {
                for &r in rows_of(*o, g) {
                    vector_row(f, &case, r, g);
                }
            }
        }
    }
}

/// Section 4: scalar ALU. `scc` after (unchanged from `sccin`, default 0, when not given), `exec` after.
const SALU: &str = "
s_add_u32 0xffffffff 2 -> 1 scc=1
s_sub_u32 1 2 -> -1 scc=1
s_add_i32 0x7fffffff 1 -> 0x80000000 scc=1
s_sub_i32 5 3 -> 2 scc=0
s_addc_u32 0xffffffff 0 -> 0 sccin=1 scc=1
s_subb_u32 5 5 -> -1 sccin=1 scc=1
s_min_i32 -1 1 -> -1 scc=1
s_min_u32 -1 1 -> 1 scc=0
s_max_i32 -1 1 -> 1 scc=0
s_max_u32 -1 1 -> -1 scc=1
s_cselect_b32 5 7 -> 5 sccin=1
s_cselect_b32 5 7 -> 7
s_cselect_b64 0x100000005 7L -> 7L
s_and_b32 0xff0 0x0ff -> 0x0f0 scc=1
s_and_b64 0xff00000000 0x0f00000001 -> 0x0f00000000 scc=1
s_or_b32 0 0 -> 0 scc=0
s_or_b64 0xff00000000 1L -> 0xff00000001 scc=1
s_xor_b32 0xff0 0x0ff -> 0xf0f scc=1
s_xor_b64 5L 5L -> 0L scc=0
s_andn2_b32 0xff0 0x0ff -> 0xf00 scc=1
s_andn2_b64 0xff00000000 0x0f00000000 -> 0xf000000000 scc=1
s_orn2_b32 0 0xffffff00 -> 0xff scc=1
s_orn2_b64 0L -1L -> 0L scc=0
s_nand_b32 0xff0 0x0ff -> 0xffffff0f scc=1
s_nand_b64 -1L -1L -> 0L scc=0
s_nor_b32 0xff0 0x0ff -> 0xfffff000 scc=1
s_nor_b64 0L 0L -> -1L scc=1
s_xnor_b32 5 5 -> -1 scc=1
s_xnor_b64 5L 5L -> -1L scc=1
s_lshl_b32 3 36 -> 48 scc=1
s_lshl_b64 1L 36 -> 0x1000000000 scc=1
s_lshr_b32 0x80000000 4 -> 0x08000000 scc=1
s_lshr_b64 0x8000000000000000 60 -> 8L scc=1
s_ashr_i32 0x80000000 4 -> 0xf8000000 scc=1
s_ashr_i64 0x8000000000000000 60 -> -8L scc=1
s_bfm_b32 4 8 -> 0xf00
s_bfm_b64 4 40 -> 0xf0000000000
s_mul_i32 -3 5 -> -15
s_bfe_u32 0xabcd 0x80004 -> 0xbc scc=1
s_bfe_u32 0xabcd 0x00004 -> 0 scc=0
s_bfe_i32 0xabcd 0x80008 -> 0xffffffab scc=1
s_bfe_u64 0xabcd00000000 0x80024 -> 0xbcL scc=1
s_bfe_i64 0xabcd00000000 0x80028 -> 0xffffffffffffffab scc=1
s_absdiff_i32 3 5 -> 2 scc=1
s_mov_b32 0x1234 -> 0x1234
s_mov_b64 0x500001234 -> 0x500001234
s_cmov_b32 7 -> 7 sccin=1
s_cmov_b32 7 -> 9 old=9
s_cmov_b64 7L -> 7L sccin=1
s_not_b32 -1 -> 0 scc=0
s_not_b64 0L -> -1L scc=1
s_wqm_b32 0x10020 -> 0x000f00f0 scc=1
s_wqm_b64 0x1000000000000000 -> 0xf000000000000000 scc=1
s_brev_b32 1 -> 0x80000000
s_brev_b64 1L -> 0x8000000000000000
s_bcnt0_i32_b32 0xff -> 24 scc=1
s_bcnt0_i32_b64 0xffL -> 56 scc=1
s_bcnt1_i32_b32 0xff -> 8 scc=1
s_bcnt1_i32_b64 0xff00000001 -> 9 scc=1
s_ff0_i32_b32 0xff -> 8
s_ff0_i32_b32 -1 -> -1
s_ff0_i32_b64 -1L -> -1
s_ff1_i32_b32 0x100 -> 8
s_ff1_i32_b64 0x10000000000 -> 40
s_flbit_i32_b32 0x00010000 -> 15
s_flbit_i32_b64 1L -> 63
s_flbit_i32 -2 -> 31
s_flbit_i32_i64 -2L -> 63
s_sext_i32_i8 0x80 -> -128
s_sext_i32_i16 0x8000 -> -32768
s_bitset0_b32 4 -> 0xef old=0xff
s_bitset0_b64 35 -> 0x7ffffffff old=0xfffffffff
s_bitset1_b32 4 -> 0x10 old=0
s_bitset1_b64 36 -> 0x1000000000 old=0L
s_and_saveexec_b64 0x0f0f -> -1L scc=1 exec=0x0f0f
s_or_saveexec_b64 0L -> -1L scc=1 exec=-1L
s_xor_saveexec_b64 -1L -> -1L scc=0 exec=0L
s_andn2_saveexec_b64 -1L -> -1L scc=0 exec=0L
s_orn2_saveexec_b64 5L -> -1L scc=1 exec=5L
s_nand_saveexec_b64 0xffL -> -1L scc=1 exec=0xffffffffffffff00
s_nor_saveexec_b64 0L -> -1L scc=0 exec=0L
s_xnor_saveexec_b64 5L -> -1L scc=1 exec=5L
s_quadmask_b32 0x10020 -> 0x12 scc=1
s_quadmask_b64 0x1000000000000000 -> 0x8000L scc=1
s_movrels_b32 0x55 -> 0x55
s_movrels_b64 0x500000055 -> 0x500000055
s_movreld_b32 0x55 -> 0x55
s_movreld_b64 0x500000055 -> 0x500000055
s_abs_i32 -5 -> 5 scc=1
s_cmp_eq_i32 5 5 -> scc=1
s_cmp_lg_i32 5 5 -> scc=0
s_cmp_gt_i32 1 -1 -> scc=1
s_cmp_ge_i32 1 1 -> scc=1
s_cmp_lt_i32 1 -1 -> scc=0
s_cmp_le_i32 -1 1 -> scc=1
s_cmp_eq_u32 5 6 -> scc=0
s_cmp_lg_u32 5 6 -> scc=1
s_cmp_gt_u32 1 -1 -> scc=0
s_cmp_ge_u32 -1 1 -> scc=1
s_cmp_lt_u32 1 -1 -> scc=1
s_cmp_le_u32 2 1 -> scc=0
s_bitcmp0_b32 0x10 4 -> scc=0
s_bitcmp1_b32 0x10 36 -> scc=1
s_bitcmp0_b64 0x1000000000 36 -> scc=0
s_bitcmp1_b64 0x1000000000 36 -> scc=1
s_cmp_eq_u64 0x500000001 0x500000001 -> scc=1
s_cmp_lg_u64 0x500000001 1L -> scc=1
s_setvskip 0 0 ->
# 64-bit operands with a literal, which is below 2^31
s_and_b64 0xff 0x0f00000001 -> 1L scc=1
s_andn2_b64 0xff 0x0f -> 0xf0 scc=1
s_andn2_saveexec_b64 5L -> -1L scc=0 exec=0L
s_ashr_i64 0x100 4 -> 0x10 scc=1
s_bcnt1_i32_b64 0xff -> 8 scc=1
s_bfe_i64 0xab00 0x80008 -> 0xffffffffffffffab scc=1
s_bfe_u64 0xab00 0x80008 -> 0xab scc=1
s_bitcmp0_b64 0x10 4 -> scc=0
s_bitcmp1_b64 0x10 4 -> scc=1
s_cmp_eq_u64 5 5 -> scc=1
s_cmp_lg_u64 5 6 -> scc=1
s_cselect_b64 5 7 -> 5 sccin=1
s_ff0_i32_b64 0xff -> 8
s_ff1_i32_b64 0x100 -> 8
s_flbit_i32_i64 1 -> 63
s_lshr_b64 0x100 4 -> 0x10 scc=1
s_mov_b64 0x1234 -> 0x1234
s_movreld_b64 0x55 -> 0x55
s_nand_b64 0xff -1L -> 0xffffffffffffff00 scc=1
s_or_b64 0xff 0x100 -> 0x1ff scc=1
s_quadmask_b64 0x10020 -> 0x12 scc=1
s_wqm_b64 0x10020 -> 0x000f00f0 scc=1
s_xor_saveexec_b64 1 -> -1L scc=1 exec=-2L
s_movk_i32 0xfffe -> -2
s_cmovk_i32 0xfffe -> -2 sccin=1
s_cmovk_i32 0xfffe -> 9 old=9
s_cmpk_eq_i32 0xfffe -> old=-2 scc=1
s_cmpk_lg_i32 5 -> old=5 scc=0
s_cmpk_gt_i32 0xfffe -> old=5 scc=1
s_cmpk_ge_i32 5 -> old=5 scc=1
s_cmpk_lt_i32 0xfffe -> old=5 scc=0
s_cmpk_le_i32 5 -> old=5 scc=1
s_cmpk_eq_u32 0xfffe -> old=0xfffe scc=1
s_cmpk_lg_u32 0xfffe -> old=-2 scc=1
s_cmpk_gt_u32 0xfffe -> old=-2 scc=1
s_cmpk_ge_u32 0xffff -> old=5 scc=0
s_cmpk_lt_u32 0xffff -> old=5 scc=1
s_cmpk_le_u32 4 -> old=5 scc=0
s_addk_i32 0xffff -> 4 old=5 scc=0
s_addk_i32 1 -> 0x80000000 old=0x7fffffff scc=1
s_mulk_i32 0xfffe -> -10 old=5
s_getreg_b32 0x3981 -> 7   # MODE, offset 6, size 8: denormals kept and DX10_CLAMP
s_setreg_b32 0x0801 -> old=1
s_setreg_imm32_b32 1 ->
";

fn scalar(f: &mut Found) {
    for case in cases(SALU) {
        let o = op(&case.name);
        for g in 0..3u8 {
            for &r in rows_of(o, g) {
                let mut inst = build::inst(r);
                let row = inst.row();
                let mut before = String::from("s_mov_b32 m0, 0\n");
                before += &set(1, 30, case.get("old").unwrap_or(0));
                let mut width = 0;
                let mut k = 0;
                let mut skip = false;
                let sext = |v: u64| v;
                for (i, slot) in row.operands.iter().enumerate() {
                    match slot.kind {
                        Kind::SReg(n) => {
                            inst.vals[i] = 30;
                            if slot.role != Role::Use {
                                width = n;
                            }
                        }
                        Kind::SSrc(_) | Kind::SRegSrc(_) => {
                            let literal = row.operands.iter().any(|s| s.kind == Kind::LiteralWord);
                            if literal && k == 0 {
                                inst.vals[i] = 255;
                                let value = case.ins[0];
                                skip |= value > u64::from(u32::MAX) || value >> 31 == 1 && row.text.ends_with("64");
                                inst.set("lit", value as u32);
                            } else {
                                inst.vals[i] = 20 + 4 * k;
                            }
                            before += &set(10 + 4 * k, 20 + 4 * k, sext(case.ins[k as usize]));
                            k += 1;
                        }
                        Kind::Literal => {
                            let value = case.ins[k as usize];
                            skip |= value > u64::from(u32::MAX) || value >> 31 == 1 && row.text.contains("64");
                            inst.vals[i] = value as u32;
                            k += 1;
                        }
                        Kind::Hex16 => inst.vals[i] = case.ins[0] as u32,
                        Kind::Hwreg if o == Op::SSetregImm32B32 => inst.vals[i] = 0x0801,
                        Kind::Hwreg => inst.vals[i] = case.ins[0] as u32,
                        Kind::LiteralWord => {}
                        k => panic!("{k:?} of {}", row.text),
                    }
                }
                if skip {
                    continue;
                }
                let sccin = case.get("sccin").unwrap_or(0);
                before += &format!("s_nop 7\ns_cmp_eq_u32 1, {sccin}\n");
                let after = format!(
                    "s_cselect_b32 s38, 1, 0\ns_mov_b64 s[36:37], exec\ns_mov_b64 exec, -1\ns_nop 7
                     v_mov_b32_e32 v1, s30\nv_mov_b32_e32 v2, s31\nv_mov_b32_e32 v20, s38\nv_mov_b32_e32 v21, 0
                     v_mov_b32_e32 v22, s36\nv_mov_b32_e32 v23, s37\n{STORES}"
                );
                let bytes = encode(&inst, g).unwrap();
                let words = match run(g, &before, &bytes, &after, &[0; 512], 0) {
                    Ok(w) => w,
                    Err(t) => {
                        f.failures.push(format!("{} on {g}: {t}", case.name));
                        continue;
                    }
                };
                f.rows.insert(r);
                let lo = u64::from(words[0]);
                let got = if width == 2 { lo | u64::from(words[64]) << 32 } else { lo };
                if case.out.is_some_and(|w| w != got) && width > 0 {
                    f.failures.push(format!("{} {:x?} on {g}: {got:#x}", case.name, case.ins));
                }
                let scc = case.get("scc").unwrap_or(sccin);
                if u64::from(words[128]) != scc {
                    f.failures.push(format!("{} {:x?} on {g}: scc {}", case.name, case.ins, words[128]));
                }
                let exec = u64::from(words[256]) | u64::from(words[320]) << 32;
                if exec != case.get("exec").unwrap_or(u64::MAX) {
                    f.failures.push(format!("{} on {g}: exec {exec:#x}", case.name));
                }
            }
        }
    }
}

/// Atomics (sections 10, 11.1): name in buffers and FLAT, in LDS, memory, data, other, new memory.
const ATOMICS32: &[(&str, &str, u32, u32, u32, u32)] = &[
    ("swap", "wrxchg_b32", 5, 7, 0, 7),
    ("cmpswap", "cmpst_b32", 5, 7, 5, 7),
    ("cmpswap", "cmpst_b32", 5, 7, 4, 5),
    ("add", "add_u32", 5, 7, 0, 12),
    ("sub", "sub_u32", 5, 7, 0, -2i32 as u32),
    ("rsub", "rsub_u32", 5, 7, 0, 2),
    ("smin", "min_i32", 5, -1i32 as u32, 0, -1i32 as u32),
    ("umin", "min_u32", 5, -1i32 as u32, 0, 5),
    ("smax", "max_i32", 5, -1i32 as u32, 0, 5),
    ("umax", "max_u32", 5, -1i32 as u32, 0, -1i32 as u32),
    ("and", "and_b32", 12, 10, 0, 8),
    ("or", "or_b32", 12, 10, 0, 14),
    ("xor", "xor_b32", 12, 10, 0, 6),
    ("inc", "inc_u32", 5, 7, 0, 6),
    ("inc", "inc_u32", 7, 7, 0, 0),
    ("dec", "dec_u32", 5, 7, 0, 4),
    ("dec", "dec_u32", 0, 7, 0, 7),
    ("fcmpswap", "cmpst_f32", 0x3f80_0000, 0x4000_0000, 0x3f80_0000, 0x4000_0000),
    ("fmin", "min_f32", 0x3f80_0000, 0x4000_0000, 0, 0x3f80_0000),
    ("fmax", "max_f32", 0x3f80_0000, 0x4000_0000, 0, 0x4000_0000),
    ("", "add_f32", 0x3f80_0000, 0x4000_0000, 0, 0x4040_0000),
    ("", "mskor_b32", 0xff, 0x0f, 0x100, 0x1f0),
    ("", "wrap_b32", 9, 4, 100, 5),
    ("", "wrap_b32", 3, 4, 100, 103),
];

const ATOMICS64: &[(&str, &str, u64, u64, u64, u64)] = &[
    ("swap_x2", "wrxchg_b64", 5, 7, 0, 7),
    ("cmpswap_x2", "cmpst_b64", 5 << 32, 7, 5 << 32, 7),
    ("add_x2", "add_u64", 0xffff_ffff, 1, 0, 1 << 32),
    ("sub_x2", "sub_u64", 1 << 32, 1, 0, 0xffff_ffff),
    ("rsub_x2", "rsub_u64", 1, 1 << 32, 0, 0xffff_ffff),
    ("smin_x2", "min_i64", 5, u64::MAX, 0, u64::MAX),
    ("umin_x2", "min_u64", 5, u64::MAX, 0, 5),
    ("smax_x2", "max_i64", 5, u64::MAX, 0, 5),
    ("umax_x2", "max_u64", 5, u64::MAX, 0, u64::MAX),
    ("and_x2", "and_b64", 12 << 32, 10 << 32, 0, 8 << 32),
    ("or_x2", "or_b64", 12 << 32, 10 << 32, 0, 14 << 32),
    ("xor_x2", "xor_b64", 12 << 32, 10 << 32, 0, 6 << 32),
    ("inc_x2", "inc_u64", 0xffff_ffff, u64::MAX, 0, 1 << 32),
    ("dec_x2", "dec_u64", 1 << 32, u64::MAX, 0, 0xffff_ffff),
    ("fcmpswap_x2", "cmpst_f64", 0x3ff0 << 48, 0x4000 << 48, 0x3ff0 << 48, 0x4000 << 48),
    ("fmin_x2", "min_f64", 0x3ff0 << 48, 0x4000 << 48, 0, 0x3ff0 << 48),
    ("fmax_x2", "max_f64", 0x3ff0 << 48, 0x4000 << 48, 0, 0x4000 << 48),
    ("", "mskor_b64", 0xff << 32, 0x0f << 32, 0x100 << 32, 0x1f0 << 32),
];

/// One lane's atomic in a buffer, by FLAT and in LDS.
fn atomics(f: &mut Found) {
    let narrow = ATOMICS32
        .iter()
        .map(|&(b, l, m, d, o, n)| (b, l, 1u32, u64::from(m), u64::from(d), u64::from(o), u64::from(n)));
    let wide = ATOMICS64.iter().map(|&(b, l, m, d, o, n)| (b, l, 2, m, d, o, n));
    for (buffer, lds, w, mem, data, other, new) in narrow.chain(wide) {
        for g in 0..3u8 {
            let mut names = Vec::new();
            if !buffer.is_empty() {
                names.push(format!("buffer_atomic_{buffer}"));
                names.push(format!("flat_atomic_{buffer}"));
            }
            let (stem, ty) = lds.rsplit_once('_').unwrap();
            names.push(format!("ds_{lds}"));
            names.push(format!("ds_{stem}_rtn_{ty}"));
            for name in names {
                let Some(&o) = Op::ALL.iter().find(|o| o.name() == name) else { continue };
                for &r in rows_of(o, g) {
                    for glc in [0, 1] {
                        atomic_row(f, r, g, w, (mem, data, other, new), glc);
                    }
                }
            }
        }
    }
}

fn atomic_row(f: &mut Found, r: u16, g: u8, w: u32, (mem, data, other, new): (u64, u64, u64, u64), glc: u32) {
    let mut inst = build::inst(r);
    let row = inst.row();
    let name = row.text;
    let ds = row.attrs.format == Format::Ds;
    let swap = name.contains("cmp");
    // LDS names the comparison first (section 10); mskor the mask first.
    let (first, second) = if ds && swap { (other, data) } else { (data, other) };
    let words = |v: u64| [v as u32, (v >> 32) as u32];
    let mut before = String::from(
        "s_mov_b32 m0, -1\nv_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\nv_mov_b32_e32 v7, 0\ns_mov_b64 exec, 1\n",
    );
    for i in 0..w {
        let (a, b) = (words(first)[i as usize], words(second)[i as usize]);
        // data1 of LDS is v14, of cmpswap right behind the new value.
        let at = if ds { 14 + i } else { 10 + w + i };
        before += &format!("v_mov_b32_e32 v{}, {a:#x}\nv_mov_b32_e32 v{at}, {b:#x}\n", 10 + i);
    }
    if ds {
        for i in 0..w {
            before +=
                &format!("v_mov_b32_e32 v6, {:#x}\nds_write_b32 v7, v6 offset:{}\n", words(mem)[i as usize], 4 * i);
        }
        before += "s_waitcnt lgkmcnt(0)\n";
    }
    let mut returns = name.contains("rtn") && ds;
    for (i, slot) in row.operands.iter().enumerate() {
        inst.vals[i] = match slot.name {
            "vdst" => {
                returns = true;
                1
            }
            "vdata" | "data" | "data0" => 10,
            "data1" => 14,
            "addr" if ds => 7,
            "addr" => 8,
            "soffset" => 128,
            "glc" if slot.field.width() == 1 => glc,
            _ => inst.vals[i],
        };
    }
    let buffer = row.attrs.format == Format::Mubuf;
    returns |= buffer && glc == 1;
    let out = if buffer { 10 } else { 1 };
    let mut after = String::from("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n");
    if ds {
        for i in 0..w {
            after += &format!(
                "ds_read_b32 v6, v7 offset:{0}\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v6, off, s[0:3], 0 offset:{0}\ns_waitcnt vmcnt(0) expcnt(0)\n",
                4 * i
            );
        }
    }
    if returns {
        for i in 0..w {
            after += &format!("buffer_store_dword v{}, off, s[0:3], 0 offset:{}\n", out + i, 8 + 4 * i);
        }
    }
    after += "s_endpgm";
    let start = if ds { [0, 0] } else { words(mem) };
    match run(g, &before, &encode(&inst, g).unwrap(), &after, &[start[0], start[1], 0, 0], 512) {
        Ok(got) => {
            f.rows.insert(r);
            let value = |i: usize| if w == 2 { u64::from(got[i]) | u64::from(got[i + 1]) << 32 } else { got[i].into() };
            if value(0) != new || returns && value(2) != mem {
                f.failures.push(format!("{name} on {g}: {got:x?}, expected {new:#x} from {mem:#x}"));
            }
        }
        Err(t) => f.failures.push(format!("{name} on {g}: {t}")),
    }
}

/// A listing that ends by itself; marks the rows of the instructions in `marked` words and checks buffer 0.
fn listing(f: &mut Found, g: u8, text: &str, buffer: &[u32], want: &[u32], mark: &[&str], shared: u32) {
    // An instruction that this generation lacks skips the listing.
    let Ok(code) = assemble(text, g, 8, false) else {
        let known = (0..3).any(|g| assemble(text, g, 8, false).is_ok());
        assert!(known, "{:?}\n{text}", assemble(text, g, 8, false));
        return;
    };
    match run(g, "", &code, "", buffer, shared) {
        Ok(got) => {
            if got[..want.len()] != *want {
                f.failures.push(format!("on {g}: {:x?}, expected {want:x?}\n{text}", &got[..want.len()]));
            }
            let mut at = 0;
            while at < code.len() {
                let (inst, n) = gpucc_gcn_machine::decode(&code[at..], g, 8).expect("assembled");
                if mark.contains(&inst.row().text) {
                    f.rows.insert(inst.row);
                    f.on.insert((inst.row, g));
                }
                at += n;
            }
        }
        Err(t) => f.failures.push(format!("on {g}: {t}\n{text}")),
    }
}

/// Loads, stores, lane exchanges, program control: sections 4.5, 5, 10, 11.
fn programs(f: &mut Found) {
    let data: Vec<u32> =
        vec![0x8382_8180, 0x1716_1514, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
    for g in 0..3u8 {
        // Buffer and FLAT loads: what lands in the first two registers.
        let loads: &[(&str, u32, u32)] = &[
            ("ubyte", 1, 0x80),
            ("sbyte", 1, 0xffff_ff80),
            ("ushort", 1, 0x8180),
            ("sshort", 1, 0xffff_8180),
            ("dword", 1, 0x8382_8180),
            ("dwordx2", 2, 0x1716_1514),
            ("dwordx3", 3, 3),
            ("dwordx4", 4, 4),
        ];
        for &(name, w, last) in loads {
            let reg = if w == 1 { "v4".to_string() } else { format!("v[4:{}]", 3 + w) };
            let store = format!(
                "s_waitcnt vmcnt(0) lgkmcnt(0)\nbuffer_store_dword v{}, off, s[0:3], 0 offset:64\ns_endpgm",
                3 + w
            );
            let mut want = data.clone();
            want[16] = last;
            let m = format!("buffer_load_{name}");
            listing(f, g, &format!("{m} {reg}, off, s[0:3], 0\n{store}"), &data, &want, &[&m], 0);
            let m = format!("flat_load_{name}");
            let text =
                format!("s_mov_b32 m0, -1\nv_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\n{m} {reg}, v[8:9]\n{store}");
            listing(f, g, &text, &data, &want, &[&m], 0);
        }
        // Addressing: index and offset registers, both, 64-bit addresses (section 11.4; stride 0).
        for a in
            ["v8, s[0:3], 0 idxen offset:8", "v8, s[0:3], 0 offen offset:4", "v[8:9], s[0:3], 0 idxen offen offset:4"]
        {
            let third = if a.contains("idxen offset") { "v_mov_b32_e32 v8, 9" } else { "v_mov_b32_e32 v8, 4" };
            let text = format!(
                "{third}\nv_mov_b32_e32 v9, 4\nbuffer_load_dword v4, {a}\ns_waitcnt vmcnt(0)\nbuffer_store_dword v4, off, s[0:3], 0\ns_endpgm"
            );
            listing(f, g, &text, &data, &[3], &["buffer_load_dword"], 0);
        }
        let text = "s_mov_b32 s20, 0\ns_mov_b32 s21, 0\ns_mov_b32 s22, 0\ns_mov_b32 s23, 0x27fac
            v_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\nbuffer_load_dword v4, v[8:9], s[20:23], 0 addr64 offset:8
            s_waitcnt vmcnt(0)\nbuffer_store_dword v4, off, s[0:3], 0\ns_endpgm";
        if g != 2 {
            listing(f, g, text, &data, &[3], &["buffer_load_dword"], 0);
        }
        // Stores.
        let setup = "s_mov_b32 m0, -1\nv_mov_b32_e32 v4, 0x11223344\nv_mov_b32_e32 v5, 5\nv_mov_b32_e32 v6, 6\nv_mov_b32_e32 v7, 7\nv_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\n";
        let stores: &[(&str, u32, &[u32])] = &[
            ("byte", 1, &[0x8382_8144]),
            ("short", 1, &[0x8382_3344]),
            ("dword", 1, &[0x1122_3344]),
            ("dwordx2", 2, &[0x1122_3344, 5]),
            ("dwordx3", 3, &[0x1122_3344, 5, 6]),
            ("dwordx4", 4, &[0x1122_3344, 5, 6, 7]),
        ];
        for &(name, w, want) in stores {
            let reg = if w == 1 { "v4".to_string() } else { format!("v[4:{}]", 3 + w) };
            let m = format!("buffer_store_{name}");
            listing(f, g, &format!("{setup}{m} {reg}, off, s[0:3], 0\ns_endpgm"), &data, want, &[&m], 0);
            let m = format!("flat_store_{name}");
            listing(f, g, &format!("{setup}{m} v[8:9], {reg}\ns_endpgm"), &data, want, &[&m], 0);
        }
        // Typed: 8_8_8_8 UINT of 0x83828180 is 0x80, 0x81, 0x82, 0x83; with D16 the same in 16 bits.
        for (c, w) in [("x", 1u32), ("xy", 2), ("xyz", 3), ("xyzw", 4)] {
            let reg = if w == 1 { "v4".to_string() } else { format!("v[4:{}]", 3 + w) };
            for d16 in ["", "d16_"] {
                let out = format!("s_waitcnt vmcnt(0)\nbuffer_store_dword v{}, off, s[0:3], 0\ns_endpgm", 3 + w);
                let m = format!("tbuffer_load_format_{d16}{c}");
                let fmt = "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT]";
                listing(f, g, &format!("{m} {reg}, off, s[0:3], 0 {fmt}\n{out}"), &data, &[0x7f + w], &[&m], 0);
                let m = format!("tbuffer_store_format_{d16}{c}");
                let set = "v_mov_b32_e32 v4, 1\nv_mov_b32_e32 v5, 2\nv_mov_b32_e32 v6, 3\nv_mov_b32_e32 v7, 4\n";
                let want = [0x0001, 0x0201, 0x0003_0201, 0x0403_0201][w as usize - 1];
                listing(f, g, &format!("{set}{m} {reg}, off, s[0:3], 0 {fmt}\ns_endpgm"), &data, &[want], &[&m], 0);
                // The descriptor's own format: word 3 with 8_8_8_8 UINT, DST_SEL xyzw.
                let desc = format!("s_mov_b32 s3, {:#x}\ns_nop 7\n", 0xfac | 4 << 12 | 10 << 15);
                let m = format!("buffer_load_format_{d16}{c}");
                listing(f, g, &format!("{desc}{m} {reg}, off, s[0:3], 0\n{out}"), &data, &[0x7f + w], &[&m], 0);
                let m = format!("buffer_store_format_{d16}{c}");
                listing(f, g, &format!("{desc}{set}{m} {reg}, off, s[0:3], 0\ns_endpgm"), &data, &[want], &[&m], 0);
            }
        }
        // Floats: unorm 0xff of 8 bits is 1.0; 11-bit floats of 10_11_11 (section 11.3): 1.0 is exponent 15, fraction 0.
        let typed = |fmt: &str| {
            format!(
                "tbuffer_load_format_x v4, off, s[0:3], 0 format:[{fmt}]\ns_waitcnt vmcnt(0)\nbuffer_store_dword v4, off, s[0:3], 0\ns_endpgm"
            )
        };
        let mark: &[&str] = &["tbuffer_load_format_x"];
        listing(f, g, &typed("BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UNORM"), &[0xff; 4], &[1f32.to_bits()], mark, 0);
        listing(f, g, &typed("BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_SNORM"), &[0x8000; 4], &[(-1f32).to_bits()], mark, 0);
        listing(f, g, &typed("BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT"), &[0x3c00; 4], &[1f32.to_bits()], mark, 0);
        listing(
            f,
            g,
            &typed("BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT"),
            &[15 << 6; 4],
            &[1f32.to_bits()],
            mark,
            0,
        );
        listing(f, g, &typed("BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_SINT"), &[0x3ff; 4], &[-1i32 as u32], mark, 0);
        listing(f, g, &typed("BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_USCALED"), &[7; 4], &[7f32.to_bits()], mark, 0);
        // Cache control.
        let invalidate = if g == 0 { "buffer_wbinvl1_sc" } else { "buffer_wbinvl1_vol" };
        let text = format!("buffer_wbinvl1\n{invalidate}\ns_waitcnt vmcnt(0)\ns_endpgm");
        listing(f, g, &text, &data, &[], &["buffer_wbinvl1", "buffer_wbinvl1_sc", "buffer_wbinvl1_vol"], 0);
        // Scalar loads, each offset form.
        for (n, w) in [("dword", 1u32), ("dwordx2", 2), ("dwordx4", 4), ("dwordx8", 8), ("dwordx16", 16)] {
            let dst = if w == 1 { "s16".to_string() } else { format!("s[16:{}]", 15 + w) };
            for (base, stem) in [("s[0:1]", "s_load_"), ("s[0:3]", "s_buffer_load_")] {
                let mut offsets = vec!["s40".to_string(), if g == 2 { "0x8" } else { "0x2" }.to_string()];
                if g == 1 {
                    offsets.push("0x100".into());
                }
                for o in offsets {
                    let m = format!("{stem}{n}");
                    let (buffer, first) = if o == "0x100" { (300, 256) } else { (40, 2) };
                    let buffer: Vec<u32> = (0..buffer).collect();
                    let mut want = buffer.clone();
                    want[0] = first + w - 1;
                    let text = format!(
                        "s_mov_b32 s40, 8\n{m} {dst}, {base}, {o}\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v1, s{}\nbuffer_store_dword v1, off, s[0:3], 0\ns_endpgm",
                        15 + w
                    );
                    listing(f, g, &text, &buffer, &want, &[&m], 0);
                }
            }
            // Scalar stores (gfx8), written back before the end.
            if g == 2 && w <= 4 {
                for (base, stem) in [("s[0:1]", "s_store_"), ("s[0:3]", "s_buffer_store_")] {
                    for o in ["m0", "0x8"] {
                        let m = format!("{stem}{n}");
                        let mut text = String::from("s_mov_b32 m0, 8\n");
                        for i in 0..w {
                            text += &format!("s_movk_i32 s{}, {}\n", 16 + i, 100 + i);
                        }
                        text += &format!("{m} {dst}, {base}, {o}\ns_waitcnt lgkmcnt(0)\ns_dcache_wb\ns_endpgm");
                        let mut want: Vec<u32> = (0..40).collect();
                        for i in 0..w {
                            want[2 + i as usize] = 100 + i;
                        }
                        listing(f, g, &text, &(0..40).collect::<Vec<_>>(), &want, &[&m], 0);
                    }
                }
            }
        }
        let text = "s_memtime s[16:17]\ns_dcache_inv\ns_waitcnt lgkmcnt(0)\ns_mov_b64 s[18:19], s[16:17]\ns_endpgm";
        listing(f, g, text, &data, &[], &["s_memtime", "s_dcache_inv"], 0);
        if g > 0 {
            listing(f, g, "s_dcache_inv_vol\ns_endpgm", &data, &[], &["s_dcache_inv_vol"], 0);
        }
        if g == 2 {
            let text = "s_memrealtime s[16:17]\ns_dcache_wb\ns_dcache_wb_vol\ns_waitcnt lgkmcnt(0)\ns_endpgm";
            listing(f, g, text, &data, &[], &["s_memrealtime", "s_dcache_wb", "s_dcache_wb_vol"], 0);
        }
        lds_programs(f, g);
        control_programs(f, g);
    }
}

fn lds_programs(f: &mut Found, g: u8) {
    let head = "s_mov_b32 m0, -1\ns_mov_b64 exec, 1\nv_mov_b32_e32 v7, 0\nv_mov_b32_e32 v4, 0x83828180\nv_mov_b32_e32 v5, 5\nv_mov_b32_e32 v6, 6\nv_mov_b32_e32 v8, 8\n";
    let mut tail = String::from("s_waitcnt lgkmcnt(0)\n");
    // Four words of LDS to the buffer.
    for i in 0..4 {
        tail += &format!(
            "ds_read_b32 v20, v7 offset:{}\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v20, off, s[0:3], 0 offset:{}\ns_waitcnt vmcnt(0) expcnt(0)\n",
            4 * i,
            4 * i
        );
    }
    tail += "s_endpgm";
    let zero = "v_mov_b32_e32 v9, 0\nds_write2_b32 v7, v9, v9 offset1:1\nds_write2_b32 v7, v9, v9 offset0:2 offset1:3\ns_waitcnt lgkmcnt(0)\n";
    let writes: &[(&str, [u32; 4])] = &[
        ("ds_write_b8 v7, v4", [0x80, 0, 0, 0]),
        ("ds_write_b16 v7, v4 offset:2", [0x8180_0000, 0, 0, 0]),
        ("ds_write_b32 v7, v4 offset:4", [0, 0x8382_8180, 0, 0]),
        ("ds_write_b64 v7, v[4:5] offset:8", [0, 0, 0x8382_8180, 5]),
        ("ds_write2_b32 v7, v4, v5 offset0:2 offset1:1", [0, 5, 0x8382_8180, 0]),
        ("ds_write2_b64 v7, v[4:5], v[5:6] offset1:1", [0x8382_8180, 5, 5, 6]),
        ("ds_write_b96 v7, v[4:6]", [0x8382_8180, 5, 6, 0]),
        ("ds_write_b128 v7, v[4:7]", [0x8382_8180, 5, 6, 0]),
    ];
    for (w, want) in writes {
        let name = w.split(' ').next().unwrap();
        listing(f, g, &format!("{head}{zero}{w}\n{tail}"), &[9; 8], want, &[name], 4096);
    }
    // st64 forms: elements 64 apart.
    for (w, want) in [
        ("ds_write2st64_b32 v7, v4, v5 offset1:1\ns_waitcnt lgkmcnt(0)\nds_read_b32 v20, v7 offset:256\n", [5u32]),
        ("ds_write2st64_b64 v7, v[4:5], v[5:6] offset1:1\ns_waitcnt lgkmcnt(0)\nds_read_b32 v20, v7 offset:516\n", [6]),
    ] {
        let name = w.split(' ').next().unwrap();
        let text = format!("{head}{w}s_waitcnt lgkmcnt(0)\nbuffer_store_dword v20, off, s[0:3], 0\ns_endpgm");
        listing(f, g, &text, &[9; 8], &want, &[name], 4096);
    }
    let fill = "ds_write2_b32 v7, v4, v5 offset1:1\nds_write2_b32 v7, v6, v8 offset0:2 offset1:3\nds_write2st64_b32 v7, v4, v6 offset1:1\nds_write_b64 v7, v[5:6] offset:512\ns_waitcnt lgkmcnt(0)\n";
    // LDS holds 0x83828180, 5, 6, 8; at 256: 6; at 512: 5, 6. The register that is shown: v20 + n.
    let reads: &[(&str, u32, u32)] = &[
        ("ds_read_i8 v20, v7", 0, 0xffff_ff80),
        ("ds_read_u8 v20, v7 offset:1", 0, 0x81),
        ("ds_read_i16 v20, v7", 0, 0xffff_8180),
        ("ds_read_u16 v20, v7 offset:2", 0, 0x8382),
        ("ds_read_b32 v20, v7 offset:4", 0, 5),
        ("ds_read_b64 v[20:21], v7 offset:8", 1, 8),
        ("ds_read2_b32 v[20:21], v7 offset0:1 offset1:2", 1, 6),
        ("ds_read2st64_b32 v[20:21], v7 offset1:1", 1, 6),
        ("ds_read2_b64 v[20:23], v7 offset1:1", 3, 8),
        ("ds_read2st64_b64 v[20:23], v7 offset1:1", 3, 6),
        ("ds_read_b96 v[20:22], v7", 2, 6),
        ("ds_read_b128 v[20:23], v7", 3, 8),
        ("ds_append v20 offset:4", 0, 5),
        ("ds_consume v20 offset:4", 0, 5),
        ("ds_wrxchg2_rtn_b32 v[20:21], v7, v5, v6 offset0:3 offset1:2", 0, 8),
        ("ds_wrxchg2st64_rtn_b32 v[20:21], v7, v5, v6 offset1:1", 1, 6),
        ("ds_wrxchg2_rtn_b64 v[20:23], v7, v[4:5], v[5:6] offset1:1", 3, 8),
        ("ds_wrxchg2st64_rtn_b64 v[20:23], v7, v[4:5], v[5:6] offset1:1", 2, 5),
    ];
    for (r, n, want) in reads {
        let name = r.split(' ').next().unwrap();
        let text =
            format!("{head}{fill}{r}\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v{}, off, s[0:3], 0\ns_endpgm", 20 + n);
        listing(f, g, &text, &[9; 8], &[*want], &[name], 4096);
    }
    // Append counts active lanes.
    let text = format!("{head}{fill}s_movk_i32 exec_lo, 7\nds_append v20 offset:4\ns_waitcnt lgkmcnt(0)\nds_read_b32 v20, v7 offset:4\ns_waitcnt lgkmcnt(0)\ns_mov_b64 exec, 1\nbuffer_store_dword v20, off, s[0:3], 0\ns_endpgm")
        .replace("v_mov_b32_e32 v7, 0", "s_mov_b64 exec, -1\nv_mov_b32_e32 v7, 0\ns_mov_b64 exec, 1");
    listing(f, g, &text, &[9; 8], &[8], &[], 4096);
    listing(f, g, "ds_nop\ns_endpgm", &[0], &[], &["ds_nop"], 0);
    // Lane exchanges on lane ids (v0): lanes 0 to 3 of each result.
    let exchange = |ins: &str| {
        format!(
            "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 4, v2\n{ins}\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v20, v2, s[0:3], 0 offen\ns_endpgm"
        )
    };
    let lanes: &[(&str, [u32; 4])] = &[
        ("ds_swizzle_b32 v20, v0 offset:swizzle(QUAD_PERM,3,2,1,0)", [3, 2, 1, 0]),
        ("ds_swizzle_b32 v20, v0 offset:swizzle(SWAP,16)", [16, 17, 18, 19]),
        ("ds_permute_b32 v20, v3, v0", [1, 0, 3, 2]),
        ("ds_bpermute_b32 v20, v3, v0", [1, 0, 3, 2]),
    ];
    for (i, want) in lanes {
        let name = i.split(' ').next().unwrap();
        listing(f, g, &exchange(i), &[9; 64], want, &[name], 0);
    }
    // DPP moves lanes (section 3.2), SDWA bytes (section 3.1).
    if g == 2 {
        let dpp = |ctl: &str| {
            format!(
                "v_mov_b32_e32 v20, 99\nv_lshlrev_b32_e32 v2, 2, v0\ns_nop 1\nv_mov_b32_dpp v20, v0 {ctl}\nbuffer_store_dword v20, v2, s[0:3], 0 offen\ns_endpgm"
            )
        };
        let moves: &[(&str, [u32; 4])] = &[
            ("quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", [1, 0, 3, 2]),
            ("row_shl:1 row_mask:0xf bank_mask:0xf", [1, 2, 3, 4]),
            ("row_shr:1 row_mask:0xf bank_mask:0xf", [99, 0, 1, 2]),
            ("row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", [0, 0, 1, 2]),
            ("row_ror:1 row_mask:0xf bank_mask:0xf", [15, 0, 1, 2]),
            ("wave_ror:1 row_mask:0xf bank_mask:0xf", [63, 0, 1, 2]),
            ("wave_rol:1 row_mask:0xf bank_mask:0xf", [1, 2, 3, 4]),
            ("row_mirror row_mask:0xf bank_mask:0xf", [15, 14, 13, 12]),
            ("row_half_mirror row_mask:0xf bank_mask:0xf", [7, 6, 5, 4]),
            ("row_mirror row_mask:0xe bank_mask:0xf", [99, 99, 99, 99]),
        ];
        for (ctl, want) in moves {
            listing(f, g, &dpp(ctl), &[9; 64], want, &[], 0);
        }
        let sdwa = |i: &str| {
            format!(
                "v_mov_b32_e32 v3, 0x83828180\nv_mov_b32_e32 v20, 0x11223344\n{i}\nbuffer_store_dword v20, off, s[0:3], 0\ns_endpgm"
            )
        };
        for (i, want) in [
            ("v_mov_b32_sdwa v20, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2", 0x1122_8244u32),
            ("v_mov_b32_sdwa v20, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_2", 0x8200),
            ("v_mov_b32_sdwa v20, v3 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1", 0xffff_8382),
            ("v_mov_b32_sdwa v20, sext(v3) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0", 0xffff_ff80),
        ] {
            listing(f, g, &sdwa(i), &[9; 4], &[want], &[], 0);
        }
    }
}

fn control_programs(f: &mut Found, g: u8) {
    let store = "v_mov_b32_e32 v1, s20\nbuffer_store_dword v1, off, s[0:3], 0\ns_endpgm";
    // Each conditional branch taken and not taken.
    let branches = [
        ("s_cbranch_scc0", "s_cmp_eq_u32 1, 2", "s_cmp_eq_u32 1, 1"),
        ("s_cbranch_scc1", "s_cmp_eq_u32 1, 1", "s_cmp_eq_u32 1, 2"),
        ("s_cbranch_vccz", "s_mov_b64 vcc, 0", "s_mov_b64 vcc, 4"),
        ("s_cbranch_vccnz", "s_mov_b64 vcc, 4", "s_mov_b64 vcc, 0"),
        ("s_cbranch_execz", "s_mov_b64 exec, 0", "s_mov_b64 exec, 4"),
        ("s_cbranch_execnz", "s_mov_b64 exec, 4", "s_mov_b64 exec, 0"),
        ("s_branch", "", ""),
    ];
    for (b, taken, not) in branches {
        for (set, want) in [(taken, 1), (not, if b == "s_branch" { 1 } else { 2 })] {
            let text = format!("s_mov_b32 s20, 1\n{set}\n{b} L1\ns_mov_b32 s20, 2\nL1:\ns_mov_b64 exec, -1\n{store}");
            listing(f, g, &text, &[0], &[want], &[b], 0);
        }
    }
    let text = format!(
        "s_mov_b32 s20, 7\ns_nop 3\ns_setprio 1\ns_sleep 1\ns_icache_inv\ns_incperflevel 0\ns_decperflevel 0\ns_waitcnt vmcnt(0)\ns_barrier\n{store}"
    );
    let mark = [
        "s_nop",
        "s_setprio",
        "s_sleep",
        "s_icache_inv",
        "s_incperflevel",
        "s_decperflevel",
        "s_waitcnt",
        "s_barrier",
        "s_endpgm",
    ];
    listing(f, g, &text, &[0], &[7], &mark, 0);
    listing(f, g, "s_wakeup\ns_endpgm", &[0], &[], &["s_wakeup"], 0);
    // s_getpc gives the next address; a jump lands eight bytes further.
    let text = format!(
        "s_mov_b32 s20, 1\ns_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 16\ns_addc_u32 s23, s23, 0\ns_setpc_b64 s[22:23]\ns_mov_b32 s20, 2\ns_nop 0\n{store}"
    );
    listing(f, g, &text, &[0], &[1], &["s_getpc_b64", "s_setpc_b64"], 0);
    let text = format!(
        "s_mov_b32 s20, 1\ns_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 20\ns_addc_u32 s23, s23, 0\ns_swappc_b64 s[24:25], s[22:23]\ns_mov_b32 s20, 2\ns_branch L9\ns_mov_b32 s20, 3\ns_setpc_b64 s[24:25]\nL9: {store}"
    );
    listing(f, g, &text, &[0], &[2], &["s_swappc_b64"], 0);
    if g == 2 {
        // Indexing: while on, M0[7:0] is added to the source of v_mov (section 4.3).
        let set = "s_mov_b32 m0, 0\nv_mov_b32_e32 v4, 4\nv_mov_b32_e32 v5, 5\nv_mov_b32_e32 v6, 6\n";
        let text = format!(
            "{set}s_mov_b32 s21, 1\ns_set_gpr_idx_on s21, gpr_idx(SRC0)\nv_mov_b32_e32 v1, v4\ns_set_gpr_idx_idx 2\nv_mov_b32_e32 v2, v4\ns_set_gpr_idx_mode gpr_idx()\nv_mov_b32_e32 v3, v4\ns_set_gpr_idx_off\nbuffer_store_dword v1, off, s[0:3], 0\nbuffer_store_dword v2, off, s[0:3], 0 offset:4\nbuffer_store_dword v3, off, s[0:3], 0 offset:8\ns_endpgm"
        );
        let mark = ["s_set_gpr_idx_on", "s_set_gpr_idx_idx", "s_set_gpr_idx_mode", "s_set_gpr_idx_off"];
        listing(f, g, &text, &[0; 3], &[5, 6, 4], &mark, 0);
        let text = text
            .replace("s_set_gpr_idx_idx 2", "s_set_gpr_idx_idx 0xfff02")
            .replace("s_set_gpr_idx_on s21,", "s_set_gpr_idx_on 0xfff01,");
        listing(f, g, &text, &[0; 3], &[5, 6, 4], &mark, 0);
    }
    // A jump to an address in a literal leaves the code.
    let t = run(g, "", &assemble("s_swappc_b64 s[24:25], 0x1234\ns_endpgm", g, 8, false).unwrap(), "", &[0], 0);
    assert!(t.is_err());
    for &r in rows_of(Op::SSwappcB64, g) {
        if build::has_literal(r) {
            f.rows.insert(r);
        }
    }
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
    vector(&mut f, VOP1);
    vector(&mut f, VOP2);
    vector(&mut f, VOP3);
    compares(&mut f);
    scalar(&mut f);
    atomics(&mut f);
    programs(&mut f);
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
