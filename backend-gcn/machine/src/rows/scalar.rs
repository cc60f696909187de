//! Rows: Scalar ALU, program control and scalar memory.
//!
//! Columns: semantic opcode, mnemonic, opcode on gfx6, gfx7, gfx8, operand signature (see [`super::build`]), what else
//! the class needs, meaning. Opcodes: ISA reference section given at each list.

use super::build::*;

// SOP2, section 4.1.
sop2! {
    SAddU32 "s_add_u32"                [0x00 0x00 0x00] "s1 s1 s1" SCC_W "D := a + b; SCC := unsigned carry";
    SSubU32 "s_sub_u32"                [0x01 0x01 0x01] "s1 s1 s1" SCC_W "D := a - b; SCC := unsigned borrow";
    SAddI32 "s_add_i32"                [0x02 0x02 0x02] "s1 s1 s1" SCC_W "D := a + b; SCC := signed overflow";
    SSubI32 "s_sub_i32"                [0x03 0x03 0x03] "s1 s1 s1" SCC_W "D := a - b; SCC := signed overflow";
    SAddcU32 "s_addc_u32"              [0x04 0x04 0x04] "s1 s1 s1" SCC_RW "D := a + b + SCC; SCC := carry";
    SSubbU32 "s_subb_u32"              [0x05 0x05 0x05] "s1 s1 s1" SCC_RW "D := a - b - SCC; SCC := borrow";
    SMinI32 "s_min_i32"                [0x06 0x06 0x06] "s1 s1 s1" SCC_W "D := signed minimum; SCC := a chosen";
    SMinU32 "s_min_u32"                [0x07 0x07 0x07] "s1 s1 s1" SCC_W "D := unsigned minimum; SCC := a chosen";
    SMaxI32 "s_max_i32"                [0x08 0x08 0x08] "s1 s1 s1" SCC_W "D := signed maximum; SCC := a chosen";
    SMaxU32 "s_max_u32"                [0x09 0x09 0x09] "s1 s1 s1" SCC_W "D := unsigned maximum; SCC := a chosen";
    SCselectB32 "s_cselect_b32"        [0x0a 0x0a 0x0a] "s1 s1 s1" SCC_R "D := SCC ? a : b";
    SCselectB64 "s_cselect_b64"        [0x0b 0x0b 0x0b] "s2 s2 s2" SCC_R "D := SCC ? a : b";
    SAndB32 "s_and_b32"                [0x0e 0x0e 0x0c] "s1 s1 s1" SCC_W "D := a & b; SCC := D != 0";
    SAndB64 "s_and_b64"                [0x0f 0x0f 0x0d] "s2 s2 s2" SCC_W "D := a & b; SCC := D != 0";
    SOrB32 "s_or_b32"                  [0x10 0x10 0x0e] "s1 s1 s1" SCC_W "D := a | b; SCC := D != 0";
    SOrB64 "s_or_b64"                  [0x11 0x11 0x0f] "s2 s2 s2" SCC_W "D := a | b; SCC := D != 0";
    SXorB32 "s_xor_b32"                [0x12 0x12 0x10] "s1 s1 s1" SCC_W "D := a ^ b; SCC := D != 0";
    SXorB64 "s_xor_b64"                [0x13 0x13 0x11] "s2 s2 s2" SCC_W "D := a ^ b; SCC := D != 0";
    SAndn2B32 "s_andn2_b32"            [0x14 0x14 0x12] "s1 s1 s1" SCC_W "D := a & ~b; SCC := D != 0";
    SAndn2B64 "s_andn2_b64"            [0x15 0x15 0x13] "s2 s2 s2" SCC_W "D := a & ~b; SCC := D != 0";
    SOrn2B32 "s_orn2_b32"              [0x16 0x16 0x14] "s1 s1 s1" SCC_W "D := a | ~b; SCC := D != 0";
    SOrn2B64 "s_orn2_b64"              [0x17 0x17 0x15] "s2 s2 s2" SCC_W "D := a | ~b; SCC := D != 0";
    SNandB32 "s_nand_b32"              [0x18 0x18 0x16] "s1 s1 s1" SCC_W "D := ~(a & b); SCC := D != 0";
    SNandB64 "s_nand_b64"              [0x19 0x19 0x17] "s2 s2 s2" SCC_W "D := ~(a & b); SCC := D != 0";
    SNorB32 "s_nor_b32"                [0x1a 0x1a 0x18] "s1 s1 s1" SCC_W "D := ~(a | b); SCC := D != 0";
    SNorB64 "s_nor_b64"                [0x1b 0x1b 0x19] "s2 s2 s2" SCC_W "D := ~(a | b); SCC := D != 0";
    SXnorB32 "s_xnor_b32"              [0x1c 0x1c 0x1a] "s1 s1 s1" SCC_W "D := ~(a ^ b); SCC := D != 0";
    SXnorB64 "s_xnor_b64"              [0x1d 0x1d 0x1b] "s2 s2 s2" SCC_W "D := ~(a ^ b); SCC := D != 0";
    SLshlB32 "s_lshl_b32"              [0x1e 0x1e 0x1c] "s1 s1 s1" SCC_W "D := a << b; SCC := D != 0";
    SLshlB64 "s_lshl_b64"              [0x1f 0x1f 0x1d] "s2 s2 s1" SCC_W "D := a << b; SCC := D != 0";
    SLshrB32 "s_lshr_b32"              [0x20 0x20 0x1e] "s1 s1 s1" SCC_W "D := a >> b, zero fill; SCC := D != 0";
    SLshrB64 "s_lshr_b64"              [0x21 0x21 0x1f] "s2 s2 s1" SCC_W "D := a >> b, zero fill; SCC := D != 0";
    SAshrI32 "s_ashr_i32"              [0x22 0x22 0x20] "s1 s1 s1" SCC_W "D := a >> b, sign fill; SCC := D != 0";
    SAshrI64 "s_ashr_i64"              [0x23 0x23 0x21] "s2 s2 s1" SCC_W "D := a >> b, sign fill; SCC := D != 0";
    SBfmB32 "s_bfm_b32"                [0x24 0x24 0x22] "s1 s1 s1" NONE "D := ((1 << a) - 1) << b";
    SBfmB64 "s_bfm_b64"                [0x25 0x25 0x23] "s2 s1 s1" NONE "D := ((1 << a) - 1) << b";
    SMulI32 "s_mul_i32"                [0x26 0x26 0x24] "s1 s1 s1" NONE "D := low 32 bits of a * b";
    SBfeU32 "s_bfe_u32"                [0x27 0x27 0x25] "s1 s1 s1" SCC_W "D := field of a, offset b[5:0], width b[22:16]; SCC := D != 0";
    SBfeI32 "s_bfe_i32"                [0x28 0x28 0x26] "s1 s1 s1" SCC_W "D := field of a, offset b[5:0], width b[22:16]; SCC := D != 0";
    SBfeU64 "s_bfe_u64"                [0x29 0x29 0x27] "s2 s2 s1" SCC_W "D := field of a, offset b[5:0], width b[22:16]; SCC := D != 0";
    SBfeI64 "s_bfe_i64"                [0x2a 0x2a 0x28] "s2 s2 s1" SCC_W "D := field of a, offset b[5:0], width b[22:16]; SCC := D != 0";
    SCbranchGFork "s_cbranch_g_fork"   [0x2b 0x2b 0x29] "- q2 q2" NONE "fork by a mask to an address in registers";
    SAbsdiffI32 "s_absdiff_i32"        [0x2c 0x2c 0x2a] "s1 s1 s1" SCC_W "D := |a - b|; SCC := D != 0";
    SRfeRestoreB64 "s_rfe_restore_b64" [- - 0x2b] "- s2 s1" NONE "return from exception (privileged)";
}

// SOPK, section 4.2.
sopk! {
    SMovkI32 "s_movk_i32"                [0x00 0x00 0x00] "d1 hex" NONE "D := sign-extended imm";
    SCmovkI32 "s_cmovk_i32"              [0x02 0x02 0x01] "m1 hex" SCC_R "if SCC: D := sign-extended imm";
    SCmpkEqI32 "s_cmpk_eq_i32"           [0x03 0x03 0x02] "u1 hex" SCC_W "SCC := src0 = imm (i32)";
    SCmpkLgI32 "s_cmpk_lg_i32"           [0x04 0x04 0x03] "u1 hex" SCC_W "SCC := src0 != imm (i32)";
    SCmpkGtI32 "s_cmpk_gt_i32"           [0x05 0x05 0x04] "u1 hex" SCC_W "SCC := src0 > imm (i32)";
    SCmpkGeI32 "s_cmpk_ge_i32"           [0x06 0x06 0x05] "u1 hex" SCC_W "SCC := src0 >= imm (i32)";
    SCmpkLtI32 "s_cmpk_lt_i32"           [0x07 0x07 0x06] "u1 hex" SCC_W "SCC := src0 < imm (i32)";
    SCmpkLeI32 "s_cmpk_le_i32"           [0x08 0x08 0x07] "u1 hex" SCC_W "SCC := src0 <= imm (i32)";
    SCmpkEqU32 "s_cmpk_eq_u32"           [0x09 0x09 0x08] "u1 hex" SCC_W "SCC := src0 = imm (u32)";
    SCmpkLgU32 "s_cmpk_lg_u32"           [0x0a 0x0a 0x09] "u1 hex" SCC_W "SCC := src0 != imm (u32)";
    SCmpkGtU32 "s_cmpk_gt_u32"           [0x0b 0x0b 0x0a] "u1 hex" SCC_W "SCC := src0 > imm (u32)";
    SCmpkGeU32 "s_cmpk_ge_u32"           [0x0c 0x0c 0x0b] "u1 hex" SCC_W "SCC := src0 >= imm (u32)";
    SCmpkLtU32 "s_cmpk_lt_u32"           [0x0d 0x0d 0x0c] "u1 hex" SCC_W "SCC := src0 < imm (u32)";
    SCmpkLeU32 "s_cmpk_le_u32"           [0x0e 0x0e 0x0d] "u1 hex" SCC_W "SCC := src0 <= imm (u32)";
    SAddkI32 "s_addk_i32"                [0x0f 0x0f 0x0e] "m1 hex" SCC_W "D := D + imm; SCC := signed overflow";
    SMulkI32 "s_mulk_i32"                [0x10 0x10 0x0f] "m1 hex" NONE "D := low 32 bits of D * imm";
    SCbranchIFork "s_cbranch_i_fork"     [0x11 0x11 0x10] "u2 rel" NONE "fork by a mask to a relative address";
    SGetregB32 "s_getreg_b32"            [0x12 0x12 0x11] "d1 hw" NONE "D := bits of a hardware register";
    SSetregB32 "s_setreg_b32"            [0x13 0x13 0x12] "hw u1 E" NONE "bits of a hardware register := src";
    SGetregRegrdB32 "s_getreg_regrd_b32" [0x14 0x14 0x13] "d1 hw" NONE "D := bits of a hardware register";
    SSetregImm32B32 "s_setreg_imm32_b32" [0x15 0x15 0x14] "hw lit E" NONE "bits of a hardware register := src";
}

// SOP1, section 4.3.
sop1! {
    SMovB32 "s_mov_b32"                      [0x03 0x03 0x00] "s1 s1" NONE "D := a";
    SMovB64 "s_mov_b64"                      [0x04 0x04 0x01] "s2 s2" NONE "D := a";
    SCmovB32 "s_cmov_b32"                    [0x05 0x05 0x02] "m1 s1" SCC_R "if SCC: D := a";
    SCmovB64 "s_cmov_b64"                    [0x06 0x06 0x03] "m2 s2" SCC_R "if SCC: D := a";
    SNotB32 "s_not_b32"                      [0x07 0x07 0x04] "s1 s1" SCC_W "D := ~a; SCC := D != 0";
    SNotB64 "s_not_b64"                      [0x08 0x08 0x05] "s2 s2" SCC_W "D := ~a; SCC := D != 0";
    SWqmB32 "s_wqm_b32"                      [0x09 0x09 0x06] "s1 s1" SCC_W "D := each quad all ones if any bit set; SCC := D != 0";
    SWqmB64 "s_wqm_b64"                      [0x0a 0x0a 0x07] "s2 s2" SCC_W "D := each quad all ones if any bit set; SCC := D != 0";
    SBrevB32 "s_brev_b32"                    [0x0b 0x0b 0x08] "s1 s1" NONE "D := bits reversed";
    SBrevB64 "s_brev_b64"                    [0x0c 0x0c 0x09] "s2 s2" NONE "D := bits reversed";
    SBcnt0I32B32 "s_bcnt0_i32_b32"           [0x0d 0x0d 0x0a] "s1 s1" SCC_W "D := number of 0 bits; SCC := D != 0";
    SBcnt0I32B64 "s_bcnt0_i32_b64"           [0x0e 0x0e 0x0b] "s1 s2" SCC_W "D := number of 0 bits; SCC := D != 0";
    SBcnt1I32B32 "s_bcnt1_i32_b32"           [0x0f 0x0f 0x0c] "s1 s1" SCC_W "D := number of 1 bits; SCC := D != 0";
    SBcnt1I32B64 "s_bcnt1_i32_b64"           [0x10 0x10 0x0d] "s1 s2" SCC_W "D := number of 1 bits; SCC := D != 0";
    SFf0I32B32 "s_ff0_i32_b32"               [0x11 0x11 0x0e] "s1 s1" NONE "D := index of the lowest 0 bit or -1";
    SFf0I32B64 "s_ff0_i32_b64"               [0x12 0x12 0x0f] "s1 s2" NONE "D := index of the lowest 0 bit or -1";
    SFf1I32B32 "s_ff1_i32_b32"               [0x13 0x13 0x10] "s1 s1" NONE "D := index of the lowest 1 bit or -1";
    SFf1I32B64 "s_ff1_i32_b64"               [0x14 0x14 0x11] "s1 s2" NONE "D := index of the lowest 1 bit or -1";
    SFlbitI32B32 "s_flbit_i32_b32"           [0x15 0x15 0x12] "s1 s1" NONE "D := leading zeros or -1 if none set";
    SFlbitI32B64 "s_flbit_i32_b64"           [0x16 0x16 0x13] "s1 s2" NONE "D := leading zeros or -1 if none set";
    SFlbitI32 "s_flbit_i32"                  [0x17 0x17 0x14] "s1 s1" NONE "D := leading bits equal to the sign or -1 if all";
    SFlbitI32I64 "s_flbit_i32_i64"           [0x18 0x18 0x15] "s1 s2" NONE "D := leading bits equal to the sign or -1 if all";
    SSextI32I8 "s_sext_i32_i8"               [0x19 0x19 0x16] "s1 s1" NONE "D := a sign-extended";
    SSextI32I16 "s_sext_i32_i16"             [0x1a 0x1a 0x17] "s1 s1 I" NONE "D := a sign-extended";
    SBitset0B32 "s_bitset0_b32"              [0x1b 0x1b 0x18] "m1 s1" NONE "bit a of D := 0";
    SBitset0B64 "s_bitset0_b64"              [0x1c 0x1c 0x19] "m2 s1" NONE "bit a of D := 0";
    SBitset1B32 "s_bitset1_b32"              [0x1d 0x1d 0x1a] "m1 s1" NONE "bit a of D := 1";
    SBitset1B64 "s_bitset1_b64"              [0x1e 0x1e 0x1b] "m2 s1" NONE "bit a of D := 1";
    SGetpcB64 "s_getpc_b64"                  [0x1f 0x1f 0x1c] "s2 -" NONE "D := address of the next instruction";
    SSetpcB64 "s_setpc_b64"                  [0x20 0x20 0x1d] "- r2" NONE "jump to a";
    SSwappcB64 "s_swappc_b64"                [0x21 0x21 0x1e] "s2 s2" NONE "D := address of the next instruction; jump to a";
    SRfeB64 "s_rfe_b64"                      [0x22 0x22 0x1f] "- r2" NONE "return from exception (privileged)";
    SAndSaveexecB64 "s_and_saveexec_b64"     [0x24 0x24 0x20] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src and EXEC; SCC := EXEC != 0";
    SOrSaveexecB64 "s_or_saveexec_b64"       [0x25 0x25 0x21] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src or EXEC; SCC := EXEC != 0";
    SXorSaveexecB64 "s_xor_saveexec_b64"     [0x26 0x26 0x22] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src xor EXEC; SCC := EXEC != 0";
    SAndn2SaveexecB64 "s_andn2_saveexec_b64" [0x27 0x27 0x23] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src andn2 EXEC; SCC := EXEC != 0";
    SOrn2SaveexecB64 "s_orn2_saveexec_b64"   [0x28 0x28 0x24] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src orn2 EXEC; SCC := EXEC != 0";
    SNandSaveexecB64 "s_nand_saveexec_b64"   [0x29 0x29 0x25] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src nand EXEC; SCC := EXEC != 0";
    SNorSaveexecB64 "s_nor_saveexec_b64"     [0x2a 0x2a 0x26] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src nor EXEC; SCC := EXEC != 0";
    SXnorSaveexecB64 "s_xnor_saveexec_b64"   [0x2b 0x2b 0x27] "s2 s2 E" SAVEEXEC "D := EXEC; EXEC := src xnor EXEC; SCC := EXEC != 0";
    SQuadmaskB32 "s_quadmask_b32"            [0x2c 0x2c 0x28] "s1 s1" SCC_W "D := one bit per quad of a, packed; SCC := D != 0";
    SQuadmaskB64 "s_quadmask_b64"            [0x2d 0x2d 0x29] "s2 s2" SCC_W "D := one bit per quad of a, packed; SCC := D != 0";
    SMovrelsB32 "s_movrels_b32"              [0x2e 0x2e 0x2a] "s1 r1" M0_R "D := SGPR[a + M0]";
    SMovrelsB64 "s_movrels_b64"              [0x2f 0x2f 0x2b] "s2 r2" M0_R "D := SGPR[a + M0]";
    SMovreldB32 "s_movreld_b32"              [0x30 0x30 0x2c] "s1 s1" M0_R "SGPR[D + M0] := a";
    SMovreldB64 "s_movreld_b64"              [0x31 0x31 0x2d] "s2 s2" M0_R "SGPR[D + M0] := a";
    SCbranchJoin "s_cbranch_join"            [0x32 0x32 0x2e] "- r1" NONE "join of forked paths";
    SMovRegrdB32 "s_mov_regrd_b32"           [0x33 0x33 0x2f] "s1 s1" NONE "move through the register-read path";
    SAbsI32 "s_abs_i32"                      [0x34 0x34 0x30] "s1 s1" SCC_W "D := |a|; SCC := D != 0";
    SSetGprIdxIdx "s_set_gpr_idx_idx"        [- - 0x32] "- s1" M0_W "M0[7:0] := a[7:0]";
}

// SOPC, section 4.4.
sopc! {
    SCmpEqI32 "s_cmp_eq_i32"        [0x00 0x00 0x00] "s1 s1" SCC_W "SCC := src0 = src1 (i32)";
    SCmpLgI32 "s_cmp_lg_i32"        [0x01 0x01 0x01] "s1 s1" SCC_W "SCC := src0 != src1 (i32)";
    SCmpGtI32 "s_cmp_gt_i32"        [0x02 0x02 0x02] "s1 s1" SCC_W "SCC := src0 > src1 (i32)";
    SCmpGeI32 "s_cmp_ge_i32"        [0x03 0x03 0x03] "s1 s1" SCC_W "SCC := src0 >= src1 (i32)";
    SCmpLtI32 "s_cmp_lt_i32"        [0x04 0x04 0x04] "s1 s1" SCC_W "SCC := src0 < src1 (i32)";
    SCmpLeI32 "s_cmp_le_i32"        [0x05 0x05 0x05] "s1 s1" SCC_W "SCC := src0 <= src1 (i32)";
    SCmpEqU32 "s_cmp_eq_u32"        [0x06 0x06 0x06] "s1 s1" SCC_W "SCC := src0 = src1 (u32)";
    SCmpLgU32 "s_cmp_lg_u32"        [0x07 0x07 0x07] "s1 s1" SCC_W "SCC := src0 != src1 (u32)";
    SCmpGtU32 "s_cmp_gt_u32"        [0x08 0x08 0x08] "s1 s1" SCC_W "SCC := src0 > src1 (u32)";
    SCmpGeU32 "s_cmp_ge_u32"        [0x09 0x09 0x09] "s1 s1" SCC_W "SCC := src0 >= src1 (u32)";
    SCmpLtU32 "s_cmp_lt_u32"        [0x0a 0x0a 0x0a] "s1 s1" SCC_W "SCC := src0 < src1 (u32)";
    SCmpLeU32 "s_cmp_le_u32"        [0x0b 0x0b 0x0b] "s1 s1" SCC_W "SCC := src0 <= src1 (u32)";
    SBitcmp0B32 "s_bitcmp0_b32"     [0x0c 0x0c 0x0c] "s1 s1" SCC_W "SCC := bit b of a is 0";
    SBitcmp1B32 "s_bitcmp1_b32"     [0x0d 0x0d 0x0d] "s1 s1" SCC_W "SCC := bit b of a is 1";
    SBitcmp0B64 "s_bitcmp0_b64"     [0x0e 0x0e 0x0e] "s2 s1" SCC_W "SCC := bit b of a is 0";
    SBitcmp1B64 "s_bitcmp1_b64"     [0x0f 0x0f 0x0f] "s2 s1" SCC_W "SCC := bit b of a is 1";
    SSetvskip "s_setvskip"          [0x10 0x10 0x10] "s1 s1" NONE "VSKIP := bit b of a";
    SSetGprIdxOn "s_set_gpr_idx_on" [- - 0x11] "s1 i4" M0_W "vector register indexing on: M0[7:0] := a, M0[15:12] := imm";
    SCmpEqU64 "s_cmp_eq_u64"        [- - 0x12] "s2 s2" SCC_W "SCC := src0 = src1 (u64)";
    SCmpLgU64 "s_cmp_lg_u64"        [- - 0x13] "s2 s2" SCC_W "SCC := src0 != src1 (u64)";
}

// SOPP, section 4.5.
sopp! {
    SNop "s_nop"                                        [0x00 0x00 0x00] "imm" NONE "wait imm + 1 states";
    SEndpgm "s_endpgm"                                  [0x01 0x01 0x01] "end" NONE "end the wave";
    SBranch "s_branch"                                  [0x02 0x02 0x02] "rel" NONE "jump";
    SCbranchScc0 "s_cbranch_scc0"                       [0x04 0x04 0x04] "rel" SCC_R "jump if SCC = 0";
    SCbranchScc1 "s_cbranch_scc1"                       [0x05 0x05 0x05] "rel" SCC_R "jump if SCC = 1";
    SCbranchVccz "s_cbranch_vccz"                       [0x06 0x06 0x06] "rel" VCC_R "jump if VCC = 0";
    SCbranchVccnz "s_cbranch_vccnz"                     [0x07 0x07 0x07] "rel" VCC_R "jump if VCC != 0";
    SCbranchExecz "s_cbranch_execz"                     [0x08 0x08 0x08] "rel" EXEC_R "jump if EXEC = 0";
    SCbranchExecnz "s_cbranch_execnz"                   [0x09 0x09 0x09] "rel" EXEC_R "jump if EXEC != 0";
    SBarrier "s_barrier"                                [0x0a 0x0a 0x0a] "none" NONE "wait for all waves of the workgroup";
    SSetkill "s_setkill"                                [- 0x0b 0x0b] "imm" NONE "set the kill bit";
    SWaitcnt "s_waitcnt"                                [0x0c 0x0c 0x0c] "wait" NONE "wait until each counter is at most its value";
    SSethalt "s_sethalt"                                [0x0d 0x0d 0x0d] "imm" NONE "halt the wave";
    SSleep "s_sleep"                                    [0x0e 0x0e 0x0e] "imm" NONE "sleep about 64 * imm clocks";
    SSetprio "s_setprio"                                [0x0f 0x0f 0x0f] "imm" NONE "set the wave priority";
    SSendmsg "s_sendmsg"                                [0x10 0x10 0x10] "msg" M0_R "send a message";
    SSendmsghalt "s_sendmsghalt"                        [0x11 0x11 0x11] "msg" M0_R "send a message, then halt";
    STrap "s_trap"                                      [0x12 0x12 0x12] "imm" NONE "enter the trap handler";
    SIcacheInv "s_icache_inv"                           [0x13 0x13 0x13] "none" NONE "invalidate the instruction cache";
    SIncperflevel "s_incperflevel"                      [0x14 0x14 0x14] "imm" NONE "count up a performance counter";
    SDecperflevel "s_decperflevel"                      [0x15 0x15 0x15] "imm" NONE "count down a performance counter";
    STtracedata "s_ttracedata"                          [0x16 0x16 0x16] "none" M0_R "send M0 to the thread trace";
    SCbranchCdbgsys "s_cbranch_cdbgsys"                 [- 0x17 0x17] "rel" NONE "jump if a debug condition holds";
    SCbranchCdbguser "s_cbranch_cdbguser"               [- 0x18 0x18] "rel" NONE "jump if a debug condition holds";
    SCbranchCdbgsysOrUser "s_cbranch_cdbgsys_or_user"   [- 0x19 0x19] "rel" NONE "jump if a debug condition holds";
    SCbranchCdbgsysAndUser "s_cbranch_cdbgsys_and_user" [- 0x1a 0x1a] "rel" NONE "jump if a debug condition holds";
    SWakeup "s_wakeup"                                  [- - 0x03] "none" NONE "wake up sleeping waves of the workgroup";
    SEndpgmSaved "s_endpgm_saved"                       [- - 0x1b] "none" NONE "end the wave after a context save";
    SSetGprIdxOff "s_set_gpr_idx_off"                   [- - 0x1c] "none" NONE "vector register indexing off";
    SSetGprIdxMode "s_set_gpr_idx_mode"                 [- - 0x1d] "idx" M0_W "M0[15:12] := imm";
}

// SMRD, gfx6 and gfx7, section 5.
smrd! {
    SLoadDword "s_load_dword"                    [0x00 0x00 -] "load s1 s2" "D := memory[base + offset]";
    SLoadDwordx2 "s_load_dwordx2"                [0x01 0x01 -] "load s2 s2" "D := memory[base + offset]";
    SLoadDwordx4 "s_load_dwordx4"                [0x02 0x02 -] "load s4 s2" "D := memory[base + offset]";
    SLoadDwordx8 "s_load_dwordx8"                [0x03 0x03 -] "load s8 s2" "D := memory[base + offset]";
    SLoadDwordx16 "s_load_dwordx16"              [0x04 0x04 -] "load s16 s2" "D := memory[base + offset]";
    SBufferLoadDword "s_buffer_load_dword"       [0x08 0x08 -] "load s1 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx2 "s_buffer_load_dwordx2"   [0x09 0x09 -] "load s2 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx4 "s_buffer_load_dwordx4"   [0x0a 0x0a -] "load s4 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx8 "s_buffer_load_dwordx8"   [0x0b 0x0b -] "load s8 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx16 "s_buffer_load_dwordx16" [0x0c 0x0c -] "load s16 s4" "D := buffer[offset], 0 out of range";
    SDcacheInvVol "s_dcache_inv_vol"             [- 0x1d -] "none" "invalidate the scalar cache";
    SMemtime "s_memtime"                         [0x1e 0x1e -] "time" "D := 64-bit clock counter";
    SDcacheInv "s_dcache_inv"                    [0x1f 0x1f -] "none" "invalidate the scalar cache";
}

// SMEM, gfx8, section 5.
smem! {
    SLoadDword "s_load_dword"                    [- - 0x00] "load s1 s2" "D := memory[base + offset]";
    SLoadDwordx2 "s_load_dwordx2"                [- - 0x01] "load s2 s2" "D := memory[base + offset]";
    SLoadDwordx4 "s_load_dwordx4"                [- - 0x02] "load s4 s2" "D := memory[base + offset]";
    SLoadDwordx8 "s_load_dwordx8"                [- - 0x03] "load s8 s2" "D := memory[base + offset]";
    SLoadDwordx16 "s_load_dwordx16"              [- - 0x04] "load s16 s2" "D := memory[base + offset]";
    SBufferLoadDword "s_buffer_load_dword"       [- - 0x08] "load s1 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx2 "s_buffer_load_dwordx2"   [- - 0x09] "load s2 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx4 "s_buffer_load_dwordx4"   [- - 0x0a] "load s4 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx8 "s_buffer_load_dwordx8"   [- - 0x0b] "load s8 s4" "D := buffer[offset], 0 out of range";
    SBufferLoadDwordx16 "s_buffer_load_dwordx16" [- - 0x0c] "load s16 s4" "D := buffer[offset], 0 out of range";
    SDcacheInvVol "s_dcache_inv_vol"             [- - 0x22] "none" "invalidate the scalar cache";
    SMemtime "s_memtime"                         [- - 0x24] "time" "D := 64-bit clock counter";
    SDcacheInv "s_dcache_inv"                    [- - 0x20] "none" "invalidate the scalar cache";
    SStoreDword "s_store_dword"                  [- - 0x10] "store s1 s2" "memory[base + offset] := data";
    SStoreDwordx2 "s_store_dwordx2"              [- - 0x11] "store s2 s2" "memory[base + offset] := data";
    SStoreDwordx4 "s_store_dwordx4"              [- - 0x12] "store s4 s2" "memory[base + offset] := data";
    SBufferStoreDword "s_buffer_store_dword"     [- - 0x18] "store s1 s4" "buffer[offset] := data";
    SBufferStoreDwordx2 "s_buffer_store_dwordx2" [- - 0x19] "store s2 s4" "buffer[offset] := data";
    SBufferStoreDwordx4 "s_buffer_store_dwordx4" [- - 0x1a] "store s4 s4" "buffer[offset] := data";
    SDcacheWb "s_dcache_wb"                      [- - 0x21] "none" "write back the scalar cache";
    SDcacheWbVol "s_dcache_wb_vol"               [- - 0x23] "none" "write back the scalar cache";
    SMemrealtime "s_memrealtime"                 [- - 0x25] "time" "D := 64-bit real time counter";
    SAtcProbe "s_atc_probe"                      [- - 0x26] "probe s2" "probe the address translation cache";
    SAtcProbeBuffer "s_atc_probe_buffer"         [- - 0x27] "probe s4" "probe the address translation cache";
}
