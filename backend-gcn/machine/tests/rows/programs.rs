//! Rows that need more than one instruction to be seen: memory, LDS, lane exchanges, program control.

use super::*;

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
pub fn programs(f: &mut Found) {
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
