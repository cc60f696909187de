//! Rows of the scalar ALU, with SCC and EXEC behind them.

use super::*;

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

pub fn scalar(f: &mut Found) {
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
