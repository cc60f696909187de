//! The interpreter on whole kernels, and what it must refuse.

use crate::common::{Kernel, add};
use gpucc_sim::{Dispatch, RunOptions, TrapKind};

/// out[i] = a[i] + b[i]
fn vecadd(g: u8, wait: &str) -> Kernel {
    let add = add(g);
    Kernel::new(
        g,
        3,
        &format!(
            "v_lshlrev_b32_e32 v0, 2, v0
             s_lshl_b32 s12, s12, 8
             {add} v0, vcc, s12, v0
             buffer_load_dword v1, v0, s[0:3], 0 offen
             buffer_load_dword v2, v0, s[4:7], 0 offen
             {wait}
             {add} v1, vcc, v1, v2
             buffer_store_dword v1, v0, s[8:11], 0 offen
             s_endpgm"
        ),
    )
}

fn vecadd_data() -> (Dispatch, Vec<u32>) {
    let a: Vec<u32> = (0..150).map(|i| i * 3).collect();
    let b: Vec<u32> = (0..150).map(|i| i * i).collect();
    let want = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    (Dispatch::new([3, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &b).with_u32(0, 2, &[0; 150]), want)
}

#[test]
fn vector_add_on_all_generations_and_orders() {
    for g in 0..3 {
        for perturb in [None, Some(1), Some(2)] {
            let (mut d, want) = vecadd_data();
            let options = RunOptions { perturb, ..RunOptions::default() };
            let report = vecadd(g, "s_waitcnt vmcnt(0)").run_with(&mut d, &options).unwrap();
            assert_eq!(d.words(0, 2).unwrap(), want);
            assert_eq!(report.subgroups, 3);
        }
    }
}

fn kind(k: &Kernel, d: &mut Dispatch) -> TrapKind {
    k.run(d).expect_err("must trap").kind
}

#[test]
fn missing_and_short_waits_are_poison() {
    for g in 0..3 {
        assert_eq!(kind(&vecadd(g, ""), &mut vecadd_data().0), TrapKind::Poison);
        // The second load is still outstanding.
        assert_eq!(kind(&vecadd(g, "s_waitcnt vmcnt(1)"), &mut vecadd_data().0), TrapKind::Poison);
        assert_eq!(kind(&vecadd(g, "s_waitcnt lgkmcnt(0)"), &mut vecadd_data().0), TrapKind::Poison);
    }
}

#[test]
fn waits_count_exactly() {
    // Four loads; vmcnt(3) covers the first only, and that is enough to read it.
    let text = "v_lshlrev_b32_e32 v0, 2, v0
        buffer_load_dword v1, v0, s[0:3], 0 offen
        buffer_load_dword v2, v0, s[0:3], 0 offen offset:4
        buffer_load_dword v3, v0, s[0:3], 0 offen offset:8
        buffer_load_dword v4, v0, s[0:3], 0 offen offset:12
        s_waitcnt vmcnt(3)
        v_mov_b32_e32 v5, v1
        s_waitcnt vmcnt(WAIT)
        v_mov_b32_e32 v5, v3
        buffer_store_dword v5, v0, s[4:7], 0 offen
        s_endpgm";
    for g in 0..3 {
        let data = || Dispatch::new([1, 1, 1]).with_u32(0, 0, &[7; 80]).with_u32(0, 1, &[0; 64]);
        Kernel::new(g, 2, &text.replace("WAIT", "1")).run(&mut data()).unwrap();
        assert_eq!(kind(&Kernel::new(g, 2, &text.replace("WAIT", "2")), &mut data()), TrapKind::Poison);
    }
}

#[test]
fn scalar_loads_return_out_of_order() {
    for g in 0..3 {
        let text = |wait: &str| {
            format!(
                "s_buffer_load_dword s20, s[0:3], 0x0
                 s_buffer_load_dword s21, s[0:3], 0x0
                 s_waitcnt lgkmcnt({wait})
                 v_mov_b32_e32 v1, s20
                 v_lshlrev_b32_e32 v0, 2, v0
                 buffer_store_dword v1, v0, s[4:7], 0 offen
                 s_endpgm"
            )
        };
        let data = || Dispatch::new([1, 1, 1]).with_u32(0, 0, &[9; 4]).with_u32(0, 1, &[0; 64]);
        let mut d = data();
        Kernel::new(g, 2, &text("0")).run(&mut d).unwrap();
        assert_eq!(d.words(0, 1).unwrap(), [9; 64]);
        assert_eq!(kind(&Kernel::new(g, 2, &text("1")), &mut data()), TrapKind::Poison);
    }
}

#[test]
fn undefined_registers_may_be_copied_but_not_used() {
    for g in 0..3 {
        let run = |text: &str| Kernel::new(g, 1, text).run(&mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]));
        assert!(run("v_mov_b32_e32 v5, v6\ns_mov_b32 s20, s21\ns_endpgm").is_ok());
        for text in [
            "v_xor_b32_e32 v5, v6, v0\ns_endpgm",
            "v_mov_b32_e32 v5, v6\nv_xor_b32_e32 v7, v5, v0\ns_endpgm",
            "s_not_b32 s20, s21\ns_endpgm",
            "s_cbranch_scc0 0\ns_endpgm",
            "v_cndmask_b32_e32 v5, v0, v0, vcc\ns_endpgm",
        ] {
            assert_eq!(run(text).unwrap_err().kind, TrapKind::UndefinedRead, "{text}");
        }
    }
}

#[test]
fn hazards_trap_and_nops_cure_them() {
    // Section 17: row, generations, A, B, states.
    let rows: &[(u32, &[u8], &str, &str, usize)] = &[
        (1, &[0, 1, 2], "v_readfirstlane_b32 s20, v0\ns_mov_b32 s21, 0", "buffer_load_dword v1, off, s[0:3], s20", 5),
        (2, &[0], "v_readfirstlane_b32 s20, v0", "s_buffer_load_dword s22, s[0:3], s20", 4),
        (3, &[0], "s_mov_b32 s3, s3", "s_buffer_load_dword s22, s[0:3], 0x0", 4),
        (4, &[0, 1, 2], "v_readfirstlane_b32 s20, v0", "v_readlane_b32 s21, v0, s20", 4),
        (5, &[0, 1, 2], "v_cmp_eq_u32_e32 vcc, v0, v0", "v_div_fmas_f32 v1, 1.0, 1.0, 1.0", 4),
        (6, &[0, 1, 2], "v_cmp_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v1, src_vccz", 5),
        (6, &[0, 1, 2], "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v1, src_execz", 5),
        (7, &[2], "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_mov_b32_dpp v1, v0 row_mirror row_mask:0xf bank_mask:0xf", 5),
        (8, &[2], "v_mov_b32_e32 v3, v0", "v_mov_b32_dpp v1, v3 row_mirror row_mask:0xf bank_mask:0xf", 2),
        (10, &[0, 1, 2], "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0x0", "s_getreg_b32 s20, hwreg(HW_REG_MODE)", 2),
        (
            11,
            &[2],
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0x0",
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0x0",
            2,
        ),
        (12, &[0, 1, 2], "s_setvskip 0, 0", "v_mov_b32_e32 v1, v0", 2),
        (13, &[1, 2], "buffer_store_dwordx4 v[4:7], off, s[0:3], 0", "v_mov_b32_e32 v5, v0", 1),
        (15, &[1, 2], "s_mov_b32 m0, -1\nflat_store_dwordx4 v[8:9], v[4:7]", "v_mov_b32_e32 v5, v0", 1),
    ];
    for (row, generations, a, b, states) in rows {
        for &g in *generations {
            let run = |nops: usize| {
                let mut text = String::from(
                    "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\n",
                );
                // The address of the buffer for FLAT.
                text += "v_mov_b32_e32 v8, s0\nv_mov_b32_e32 v9, s1\ns_nop 7\n";
                text += a;
                text += &"\ns_nop 0".repeat(nops);
                text += &format!("\n{b}\ns_endpgm");
                Kernel::new(g, 1, &text).run(&mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]))
            };
            // The first row has an instruction in between already.
            let between = a.lines().count() - 1 - usize::from(*row == 15);
            let short = run(states - between - 1).expect_err("the hazard is not noticed");
            assert_eq!(short.kind, TrapKind::Hazard, "{row}: {short}");
            assert!(short.message.contains(&format!("hazard {} in", if *row == 15 { 13 } else { *row })), "{short}");
            if let Err(e) = run(states - between) {
                panic!("row {row} on {g}: {e}");
            }
        }
    }
}

/// The upper half of EXEC is the last register that a move can read: a wave has 128, and nothing behind it is looked at.
#[test]
fn the_last_register_is_moved_alone() {
    for g in 0..3 {
        let d = &mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 4]);
        Kernel::new(g, 1, "s_mov_b32 s20, exec_hi\ns_endpgm").run(d).unwrap();
    }
}

/// The status of `tfe` comes in the register behind the data, which no slot names. The metadata claims 40 registers.
#[test]
fn the_status_register_is_one_that_the_wave_has() {
    for g in 0..3 {
        for load in ["buffer_load_dword v{}, off, s[0:3], 0", "buffer_load_format_x v{}, off, s[0:3], 0"] {
            let run = |v: u32| {
                let load = load.replace("{}", &v.to_string());
                let text = format!("v_mov_b32 v39, 1\n{load} tfe\ns_waitcnt vmcnt(0)\ns_endpgm");
                Kernel::new(g, 1, &text).run(&mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 4]))
            };
            run(38).unwrap();
            assert_eq!(run(39).unwrap_err().kind, TrapKind::BadRegister);
        }
    }
}

#[test]
fn vccz_after_a_scalar_load_on_old_generations() {
    let text = |middle: &str| {
        format!(
            "s_mov_b64 vcc, 0
             s_buffer_load_dword s20, s[0:3], 0x0
             {middle}
             s_cbranch_vccz L0
             L0: s_endpgm"
        )
    };
    let run = |g, m| Kernel::new(g, 1, &text(m)).run(&mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]));
    for g in 0..2 {
        assert_eq!(run(g, "").unwrap_err().kind, TrapKind::Hazard);
        assert_eq!(run(g, "s_waitcnt lgkmcnt(0)").unwrap_err().kind, TrapKind::Hazard);
        run(g, "s_waitcnt lgkmcnt(0)\ns_mov_b64 vcc, vcc").unwrap();
    }
    run(2, "").unwrap();
}

#[test]
fn ends_and_branches() {
    for g in 0..3 {
        let run = |text: &str| {
            let options = RunOptions { step_limit: 100_000, ..RunOptions::default() };
            Kernel::new(g, 1, text).run_with(&mut Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]), &options)
        };
        assert_eq!(run("s_nop 0").unwrap_err().kind, TrapKind::FellOffEnd);
        assert_eq!(run("s_branch 100\ns_endpgm").unwrap_err().kind, TrapKind::FellOffEnd);
        assert_eq!(run("L0: s_branch L0").unwrap_err().kind, TrapKind::StepLimit);
        // A word of zeros is v_cndmask_b32 v0, s0, v0, vcc, which reads two scalar operands.
        assert_eq!(run("s_mov_b64 vcc, 0\n.long 0x00000000\ns_endpgm").unwrap_err().kind, TrapKind::Reserved);
        assert_eq!(run("s_nop 0\n.long 0xffffffff").unwrap_err().kind, TrapKind::Undecodable);
        assert_eq!(run("v_mov_b32_e32 v200, 0\ns_endpgm").unwrap_err().kind, TrapKind::BadRegister);
        assert_eq!(run("s_mov_b32 s60, 0\ns_endpgm").unwrap_err().kind, TrapKind::BadRegister);
        let t = run("s_nop 0\nv_xor_b32_e32 v5, v6, v0\ns_endpgm").unwrap_err();
        assert_eq!((t.pc, t.instruction.as_deref()), (Some(4), Some("v_xor_b32_e32 v5, v6, v0")));
    }
}

#[test]
fn divergent_loop_with_exec_masks() {
    // Collatz steps of 1 + local id.
    let kernel = |g: u8| {
        let add = add(g);
        Kernel::new(
            g,
            1,
            &format!(
                "{add} v1, vcc, 1, v0
                 v_mov_b32_e32 v2, 0
                 s_mov_b64 s[20:21], exec
                 L0: v_cmp_ne_u32_e32 vcc, 1, v1
                 s_and_b64 exec, exec, vcc
                 s_cbranch_execz L1
                 v_and_b32_e32 v3, 1, v1
                 v_lshrrev_b32_e32 v4, 1, v1
                 v_mul_u32_u24_e32 v5, 3, v1
                 {add} v5, vcc, 1, v5
                 v_cmp_eq_u32_e32 vcc, 0, v3
                 v_cndmask_b32_e32 v1, v5, v4, vcc
                 {add} v2, vcc, 1, v2
                 s_branch L0
                 L1: s_mov_b64 exec, s[20:21]
                 v_lshlrev_b32_e32 v0, 2, v0
                 buffer_store_dword v2, v0, s[0:3], 0 offen
                 s_endpgm"
            ),
        )
    };
    let want: Vec<u32> = (1..=64u32)
        .map(|mut n| {
            let mut steps = 0;
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        })
        .collect();
    for g in 0..3 {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]);
        kernel(g).run(&mut d).unwrap();
        assert_eq!(d.words(0, 0).unwrap(), want);
    }
}

/// Each lane writes its id to LDS and reads that of the lane mirrored in a workgroup of 128.
fn mirror(g: u8, wait: &str, m0: &str) -> Kernel {
    let (add, sub) = if g == 2 { ("v_add_u32_e32", "v_sub_u32_e32") } else { ("v_add_i32_e32", "v_sub_i32_e32") };
    let mut k = Kernel::new(
        g,
        1,
        &format!(
            "{m0}
             v_lshlrev_b32_e32 v1, 2, v0
             ds_write_b32 v1, v0
             {wait}
             s_barrier
             s_movk_i32 s20, 0x1fc
             {sub} v2, vcc, s20, v1
             ds_read_b32 v3, v2
             s_waitcnt lgkmcnt(0)
             {add} v3, vcc, 100, v3
             buffer_store_dword v3, v1, s[0:3], 0 offen
             s_endpgm"
        )
        .replace(", 100, v3", ", 64, v3"),
    );
    k.workgroup_size = [128, 1, 1];
    k.shared = 512;
    k
}

#[test]
fn workgroup_memory_and_barriers() {
    for g in 0..3 {
        for perturb in [None, Some(3), Some(4)] {
            let mut d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &[0; 128]);
            let options = RunOptions { perturb, ..RunOptions::default() };
            let report = mirror(g, "s_waitcnt lgkmcnt(0)", "s_mov_b32 m0, -1").run_with(&mut d, &options).unwrap();
            assert_eq!(d.words(0, 0).unwrap(), (0..128).map(|i| 127 - i + 64).collect::<Vec<_>>());
            assert_eq!(report.barriers, 2);
        }
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 128]);
        assert_eq!(kind(&mirror(g, "", "s_mov_b32 m0, -1"), &mut d), TrapKind::Hazard);
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 128]);
        assert_eq!(kind(&mirror(g, "s_waitcnt lgkmcnt(0)", ""), &mut d), TrapKind::UndefinedRead);
    }
}

#[test]
fn robust_buffers_and_their_gfx6_bug() {
    let text = |soffset: &str| {
        format!(
            "v_lshlrev_b32_e32 v0, 2, v0
             s_mov_b32 s20, 0x100
             s_nop 7
             buffer_load_dword v1, v0, s[0:3], {soffset} offen
             s_waitcnt vmcnt(0)
             buffer_store_dword v1, v0, s[4:7], 0 offen
             s_endpgm"
        )
    };
    for g in 0..3 {
        let data = || Dispatch::new([1, 1, 1]).with_u32(0, 0, &[5; 40]).with_u32(0, 1, &[1; 50]);
        let mut d = data();
        Kernel::new(g, 2, &text("0")).run(&mut d).unwrap();
        let want: Vec<u32> = (0..50).map(|i| if i < 40 { 5 } else { 0 }).collect();
        assert_eq!(d.words(0, 1).unwrap(), want);
        // Section 11.4: on gfx6 and gfx7 the check does not see an SGPR offset.
        let mut d = data();
        let result = Kernel::new(g, 2, &text("s20")).run(&mut d);
        if g == 2 {
            result.unwrap();
            assert_eq!(d.words(0, 1).unwrap(), [0; 50]);
        } else {
            assert_eq!(result.unwrap_err().kind, TrapKind::OutOfBounds);
        }
    }
}

#[test]
fn scratch_is_swizzled_and_private() {
    for g in 0..3 {
        let mut k = Kernel::new(
            g,
            1,
            "s_mov_b32 s20, s0
             v_lshlrev_b32_e32 v1, 2, v0
             s_endpgm",
        );
        // The scratch descriptor comes from the root block, whose address is in s[14:15] here.
        k.scratch = 16;
        let mut c = k.container();
        let e = &mut c.entries[0];
        e.preloads.retain(|p| p.file != 0 || p.index < 12 && p.index >= 4 || p.index > 11);
        for (i, s) in [gpucc_container::Source::TableAddressLo(0), gpucc_container::Source::TableAddressHi(0)]
            .into_iter()
            .enumerate()
        {
            e.preloads.push(gpucc_container::Preload { file: 0, lane: 0, index: 4 + i as u16, source: s });
        }
        for w in 0..4 {
            e.preloads.push(gpucc_container::Preload {
                file: 0,
                lane: 0,
                index: w,
                source: gpucc_container::Source::DescriptorWord { group: 0, binding: 0, word: w },
            });
        }
        let text = "s_load_dwordx4 s[16:19], s[4:5], 0x0
            v_lshlrev_b32_e32 v1, 2, v0
            v_mov_b32_e32 v3, 4
            s_waitcnt lgkmcnt(0)
            buffer_store_dword v0, v3, s[16:19], s13 offen offset:4
            buffer_store_dword v3, off, s[16:19], s13
            s_waitcnt vmcnt(0) expcnt(0)
            buffer_load_dword v2, v3, s[16:19], s13 offen offset:4
            s_waitcnt vmcnt(0)
            buffer_store_dword v2, v1, s[0:3], 0 offen
            s_endpgm";
        e.code = gpucc_gcn_machine::assemble(text, g, 8, false).unwrap();
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]);
        gpucc_gcn_machine::run(&c, None, &mut d, &RunOptions::default()).unwrap();
        assert_eq!(d.words(0, 0).unwrap(), (0..64).collect::<Vec<_>>());
    }
}

#[test]
fn atomics_in_memory_and_lds() {
    for g in 0..3 {
        let mut k = Kernel::new(
            g,
            1,
            "s_mov_b32 m0, -1
             v_mov_b32_e32 v1, 0
             v_mov_b32_e32 v2, 0
             ds_write_b32 v1, v2
             s_waitcnt lgkmcnt(0)
             ds_add_u32 v1, v0
             ds_max_rtn_u32 v3, v1, v2
             s_waitcnt lgkmcnt(0)
             v_mov_b32_e32 v4, 1
             buffer_atomic_add v4, off, s[0:3], 0 glc
             buffer_atomic_umax v3, off, s[0:3], 0 offset:4
             s_waitcnt vmcnt(0)
             s_endpgm",
        );
        k.shared = 512;
        let mut d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &[10, 0]);
        k.run(&mut d).unwrap();
        assert_eq!(d.words(0, 0).unwrap(), [10 + 128, (0..64).sum::<u32>()]);
    }
}

/// A size that a damaged container asks for is a trap, not an overflow.
#[test]
fn too_much_workgroup_memory() {
    let k = Kernel::new(2, 0, "s_endpgm");
    for bytes in [(64 << 10) + 4, u32::MAX - 510, u32::MAX] {
        let mut c = k.container();
        c.entries[0].meta.shared_bytes = bytes;
        let done = gpucc_gcn_machine::run(&c, None, &mut Dispatch::new([1, 1, 1]), &RunOptions::default());
        let said = done.expect_err("a trap").to_string();
        assert!(said.contains("bytes of LDS"), "{said}");
    }
}

#[test]
fn reports_speed() {
    // A loop of vector work: not a limit, only a figure.
    let k = Kernel::new(
        2,
        1,
        "s_movk_i32 s20, 0x4000
         v_mov_b32_e32 v1, 1.0
         L0: v_mul_f32_e32 v2, 0.5, v1
         v_add_f32_e32 v1, 1.0, v2
         v_xor_b32_e32 v3, 1, v0
         v_mac_f32_e32 v2, v1, v1
         v_add_u32_e32 v4, vcc, v3, v0
         s_add_u32 s20, s20, -1
         s_cmp_lg_u32 s20, 0
         s_cbranch_scc1 L0
         s_endpgm",
    );
    let start = std::time::Instant::now();
    let report = k.run(&mut Dispatch::new([8, 1, 1]).with_u32(0, 0, &[0])).unwrap();
    let rate = report.lane_instructions as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{rate:.0} million lane instructions a second");
}
