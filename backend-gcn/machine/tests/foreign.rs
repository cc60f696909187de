//! Tests of code that hardware accepts and our conventions do not: machine code of other compilers runs under hardware's rules.

use crate::common::Kernel;
use gpucc_gcn_machine::{assemble, disassemble};
use gpucc_isa::stage;
use gpucc_sim::{Dispatch, Rules, RunOptions, Trap, TrapKind};

fn options(perturb: Option<u64>) -> RunOptions {
    RunOptions { rules: Rules::Hardware, perturb, ..RunOptions::default() }
}

/// Runs under hardware's rules in every order, and gives the words of binding 0.
fn hardware(k: &Kernel, before: &[u32]) -> Result<Vec<u32>, Trap> {
    let mut out = Vec::new();
    for perturb in [None, Some(1), Some(2)] {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, before);
        k.run_with(&mut d, &options(perturb))?;
        out.push(d.words(0, 0).unwrap());
    }
    assert!(out.iter().all(|o| *o == out[0]));
    Ok(out.swap_remove(0))
}

/// The trap of the same code under our conventions.
fn ours(k: &Kernel, before: &[u32]) -> TrapKind {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, before);
    k.run(&mut d).expect_err("our conventions are stricter").kind
}

#[test]
fn other_bits_of_waitcnt_are_ignored() {
    let text = |wait: &str| {
        format!(
            "v_lshlrev_b32_e32 v0, 2, v0
             buffer_load_dword v1, v0, s[0:3], 0 offen
             s_waitcnt {wait}
             v_not_b32_e32 v1, v1
             buffer_store_dword v1, v0, s[0:3], 0 offen
             s_endpgm"
        )
    };
    for g in 0..3 {
        // vmcnt(0) with bits 15:12 set, and with bit 7.
        for wait in ["0x3f70", "0xff70", "0xfff0"] {
            let k = Kernel::new(g, 1, &text(wait));
            assert_eq!(hardware(&k, &[5; 64]), Ok(vec![!5; 64]), "{wait}");
            assert_eq!(ours(&k, &[5; 64]), TrapKind::Reserved);
        }
        // lgkmcnt(0) alone covers no load, whatever else is set.
        let trap = hardware(&Kernel::new(g, 1, &text("0xc07f")), &[5; 64]).unwrap_err();
        assert_eq!(trap.kind, TrapKind::Poison);
    }
}

#[test]
fn unused_address_registers_are_ignored() {
    for (g, store) in
        [(0, ".long 0xe0700000, 0x80000080"), (1, ".long 0xe0700000, 0x80000080"), (2, ".long 0xe0700000, 0x80000080")]
    {
        // buffer_store_dword v0, off, s[0:3], 0 with VADDR 128, a register that there is not.
        let k = Kernel::new(g, 1, &format!("v_mov_b32_e32 v0, 7\n{store}\ns_endpgm"));
        assert_eq!(hardware(&k, &[0; 2]), Ok(vec![7, 0]));
        assert_eq!(ours(&k, &[0; 2]), TrapKind::Reserved);
        // With offen it is used.
        let k = Kernel::new(g, 1, &format!("{}\ns_endpgm", store.replace("e0700000", "e0701000")));
        assert_eq!(hardware(&k, &[0; 2]).unwrap_err().kind, TrapKind::BadRegister);
    }
}

#[test]
fn listings_keep_the_bits_that_are_ignored() {
    let code = [0xbf8c_c07f_u32, 0xe070_0000, 0x8000_0080, 0xe070_0000, 0x8000_0000, 0xbf81_0000];
    let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    for g in 0..3 {
        let text = disassemble(&bytes, g, stage::CS);
        assert!(text.contains("buffer_store_dword v0, off"), "{text}");
        assert_eq!(assemble(&text, g, stage::CS, false), Ok(bytes.clone()), "{text}");
    }
}

#[test]
fn stores_may_be_outstanding_at_a_barrier() {
    for g in 0..3 {
        let mut k = Kernel::new(
            g,
            1,
            "v_lshlrev_b32_e32 v1, 2, v0
             buffer_store_dword v0, v1, s[0:3], 0 offen
             s_barrier
             s_endpgm",
        );
        k.workgroup_size = [128, 1, 1];
        assert_eq!(hardware(&k, &[9; 128]), Ok((0..128).collect()));
        assert_eq!(ours(&k, &[9; 128]), TrapKind::Hazard);
    }
}

#[test]
fn waits_order_registers_by_lane() {
    // Lanes 0 to 31 load into v1 while the others move into it.
    let text = |last: &str| {
        format!(
            "v_lshlrev_b32_e32 v2, 2, v0
             v_cmp_gt_u32_e32 vcc, 32, v0
             s_and_saveexec_b64 s[20:21], vcc
             buffer_load_dword v1, v2, s[0:3], 0 offen
             s_andn2_b64 exec, s[20:21], exec
             {last}
             s_mov_b64 exec, s[20:21]
             s_waitcnt vmcnt(0)
             buffer_store_dword v1, v2, s[0:3], 0 offen
             s_endpgm"
        )
    };
    let want: Vec<u32> = (0..64).map(|i| if i < 32 { 5 } else { 2 }).collect();
    for g in 0..3 {
        assert_eq!(hardware(&Kernel::new(g, 1, &text("v_mov_b32_e32 v1, 2")), &[5; 64]).as_ref(), Ok(&want));
        let read = "v_mov_b32_e32 v1, 1\nv_lshlrev_b32_e32 v1, 1, v1";
        assert_eq!(hardware(&Kernel::new(g, 1, &text(read)), &[5; 64]).unwrap()[40], 2);
        // The lanes that load may neither be overwritten nor read.
        for (what, exec) in [("v_mov_b32_e32 v1, 2", "s[20:21]"), ("v_mov_b32_e32 v3, v1", "s[20:21]")] {
            let k = Kernel::new(g, 1, &text(&format!("s_mov_b64 exec, {exec}\n{what}")));
            assert_eq!(hardware(&k, &[5; 64]).unwrap_err().kind, TrapKind::Poison, "{what}");
        }
        // A lane is read by number.
        let lane = |n: u32| Kernel::new(g, 1, &text(&format!("v_mov_b32_e32 v1, 2\nv_readlane_b32 s22, v1, {n}")));
        assert_eq!(hardware(&lane(40), &[5; 64]).as_ref(), Ok(&want));
        assert_eq!(hardware(&lane(3), &[5; 64]).unwrap_err().kind, TrapKind::Poison);
    }
}

#[test]
fn stores_lock_the_lanes_that_they_read() {
    let text = |exec: &str| {
        format!(
            "v_lshlrev_b32_e32 v2, 2, v0
             v_cmp_gt_u32_e32 vcc, 32, v0
             s_and_saveexec_b64 s[20:21], vcc
             buffer_store_dword v0, v2, s[0:3], 0 offen
             {exec}
             v_mov_b32_e32 v0, 2
             s_endpgm"
        )
    };
    let other = Kernel::new(0, 1, &text("s_andn2_b64 exec, s[20:21], exec"));
    assert_eq!(hardware(&other, &[9; 64]).unwrap()[30..33], [30, 31, 9]);
    let same = Kernel::new(0, 1, &text("s_mov_b64 exec, s[20:21]"));
    assert_eq!(hardware(&same, &[9; 64]).unwrap_err().kind, TrapKind::Hazard);
}

#[test]
fn sdwa_keeps_undefined_bits() {
    // The low half is written, the high half is whatever was there; only the low half is stored.
    let k = Kernel::new(
        2,
        1,
        "v_mov_b32_e32 v3, 0x1234
         v_lshlrev_b32_e32 v2, 2, v0
         v_mov_b32_sdwa v5, v3 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0
         buffer_store_short v5, v2, s[0:3], 0 offen
         s_endpgm",
    );
    assert_eq!(hardware(&k, &[0; 64]), Ok(vec![0x1234; 64]));
    assert_eq!(ours(&k, &[0; 64]), TrapKind::UndefinedRead);
}

#[test]
fn code_is_memory() {
    // s_getpc gives the address behind itself; the constants begin behind the code.
    for (g, offset) in [(0, "0x7"), (1, "0x7"), (2, "0x20")] {
        let text = format!(
            "s_getpc_b64 s[20:21]
             s_load_dwordx2 s[22:23], s[20:21], {offset}
             s_waitcnt lgkmcnt(0)
             v_mov_b32_e32 v1, s22
             v_mov_b32_e32 v2, s23
             buffer_store_dwordx2 v[1:2], off, s[0:3], 0
             s_endpgm
             .long 0x11111111, 0x22222222"
        );
        let k = Kernel::new(g, 1, &text);
        let size = k.container().entries[0].code.len() as u32;
        assert_eq!(hardware(&k, &[0; 2]), Ok(vec![0x1111_1111, 0x2222_2222]));
        // Constants are no instructions.
        let run = |exec_size: u32| {
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 2]);
            k.run_with(&mut d, &RunOptions { exec_size: Some(exec_size), ..options(None) })
        };
        assert!(run(size - 8).is_ok());
        assert_eq!(run(size - 12).unwrap_err().kind, TrapKind::FellOffEnd);
    }
    // Nothing writes it.
    let store = Kernel::new(
        2,
        1,
        "s_getpc_b64 s[20:21]
         v_mov_b32_e32 v1, s20
         v_mov_b32_e32 v2, s21
         s_mov_b32 m0, -1
         flat_store_dword v[1:2], v0
         s_endpgm",
    );
    assert_eq!(hardware(&store, &[0]).unwrap_err().kind, TrapKind::ReadOnly);
}

#[test]
fn hazards_end_where_a_scalar_load_overwrites() {
    let text = |over: &str| {
        format!(
            "v_cmp_eq_u32_e64 s[20:21], v0, v0
             {over}
             buffer_load_dword v1, off, s[0:3], s20
             s_endpgm"
        )
    };
    for g in 0..3 {
        let load = text("s_buffer_load_dwordx2 s[20:21], s[0:3], 0x0\ns_waitcnt lgkmcnt(0)");
        assert!(hardware(&Kernel::new(g, 1, &load), &[0; 2]).is_ok());
        let trap = hardware(&Kernel::new(g, 1, &text("s_nop 1")), &[0; 2]).unwrap_err();
        assert_eq!(trap.kind, TrapKind::Hazard);
    }
    // gfx6, row 3: a descriptor word from the scalar ALU, then from a load.
    let text = |over: &str| {
        format!(
            "s_mov_b64 s[20:21], s[0:1]
             s_mov_b64 s[22:23], s[2:3]
             s_nop 7
             s_mov_b32 s22, 4
             {over}
             s_buffer_load_dword s24, s[20:23], 0x0
             s_endpgm"
        )
    };
    let load = text("s_buffer_load_dword s22, s[0:3], 0x0\ns_waitcnt lgkmcnt(0)");
    assert!(hardware(&Kernel::new(0, 1, &load), &[4]).is_ok());
    assert_eq!(hardware(&Kernel::new(0, 1, &text("")), &[4]).unwrap_err().kind, TrapKind::Hazard);
}

#[test]
fn halves_of_literals_above_16_bits_are_ignored() {
    // v_add_f16_e32 v1, 0xffffca00, v0: -12.0 + 16.0.
    let k = Kernel::new(
        2,
        1,
        "v_mov_b32_e32 v0, 0x4c00
         .long 0x3e0200ff, 0xffffca00
         v_lshlrev_b32_e32 v2, 2, v0
         buffer_store_dword v1, off, s[0:3], 0
         s_endpgm",
    );
    assert_eq!(hardware(&k, &[0]), Ok(vec![0x4400]));
    assert_eq!(ours(&k, &[0]), TrapKind::Reserved);
}

#[test]
fn waits_of_s_nop_are_three_bits() {
    let k = Kernel::new(2, 1, "s_nop 9\ns_endpgm");
    assert!(hardware(&k, &[0]).is_ok());
    // 2 states, not 10.
    let short = Kernel::new(2, 1, "v_readfirstlane_b32 s20, v0\ns_nop 9\nv_readlane_b32 s21, v0, s20\ns_endpgm");
    assert_eq!(hardware(&short, &[0]).unwrap_err().kind, TrapKind::Hazard);
    assert_eq!(ours(&k, &[0]), TrapKind::Reserved);
}

#[test]
fn reciprocals_stay_within_a_unit_of_the_exact_value() {
    let k = Kernel::new(
        2,
        1,
        "v_lshlrev_b32_e32 v2, 2, v0
         buffer_load_dword v1, v2, s[0:3], 0 offen
         s_waitcnt vmcnt(0)
         v_rcp_f32_e32 v1, v1
         buffer_store_dword v1, v2, s[0:3], 0 offen
         s_endpgm",
    );
    let input: Vec<f32> = (0..64u32).map(|i| f32::from_bits(0x3f80_0000 + i.wrapping_mul(0x1_9e37))).collect();
    let mut moved = 0;
    for seed in 0..20 {
        let mut d = Dispatch::new([1, 1, 1]).with_f32(0, 0, &input);
        k.run_with(&mut d, &options(Some(seed))).unwrap();
        for (x, y) in input.iter().zip(d.floats(0, 0).unwrap()) {
            assert!((1.0 / f64::from(*x) - f64::from(y)).abs() < 2f64.powi(-24), "1 / {x:?} = {y:?}");
            moved += u32::from(y != 1.0 / x);
        }
    }
    assert!(moved > 200, "{moved}");
}
