//! Rows of the vector ALU in all forms: one source, two, three, and compares.

use super::*;

/// Vector cases in all forms.
pub fn vector(f: &mut Found, text: &str) {
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
pub const VOP1: &str = "
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
pub const VOP2: &str = "
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
pub const VOP3: &str = "
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
pub fn compares(f: &mut Found) {
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
