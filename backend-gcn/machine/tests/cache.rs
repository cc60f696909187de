//! The vector L1 is one for each compute unit and not coherent; min and max keep denormals.

use crate::common::Kernel;
use gpucc_sim::{Dispatch, RunOptions};

/// Workgroup 1 stores 7 to word 0, the others load it and store what they saw. Without a seed workgroups run in order, and
/// every fourth one on the same compute unit.
fn seen(g: u8, before: &str, glc: &str, perturb: Option<u64>) -> Vec<u32> {
    let k = Kernel::new(
        g,
        2,
        &format!(
            "s_cmp_eq_u32 s12, 1
             s_cbranch_scc1 STORE
             {before}
             buffer_load_dword v1, off, s[0:3], 0 {glc}
             s_waitcnt vmcnt(0)
             s_lshl_b32 s12, s12, 2
             v_mov_b32_e32 v2, s12
             buffer_store_dword v1, v2, s[4:7], 0 offen
             s_endpgm
             STORE:
             v_mov_b32_e32 v1, 7
             buffer_store_dword v1, off, s[0:3], 0
             s_endpgm"
        ),
    );
    let mut d = Dispatch::new([6, 1, 1]).with_u32(0, 0, &[5; 20]).with_u32(0, 1, &[0; 6]);
    k.run_with(&mut d, &RunOptions { perturb, ..RunOptions::default() }).unwrap();
    d.words(0, 1).unwrap()
}

#[test]
fn lines_are_stale_until_glc_or_invalidation() {
    for g in 0..3 {
        // Workgroup 4 finds the line that workgroup 0 read; 5 runs where the store was made.
        assert_eq!(seen(g, "s_nop 0", "", None), [5, 0, 7, 7, 5, 7]);
        assert_eq!(seen(g, "s_nop 0", "glc", None), [5, 0, 7, 7, 7, 7]);
        assert_eq!(seen(g, "buffer_wbinvl1", "", None), [5, 0, 7, 7, 7, 7]);
    }
    // With seeds orders and units differ, but a load behind an invalidation never goes back in time.
    let stale = (0..40).filter(|&s| seen(2, "s_nop 0", "", Some(s)) != seen(2, "s_nop 0", "glc", Some(s))).count();
    assert!(stale > 5, "{stale}");
    for s in 0..40 {
        assert_eq!(seen(2, "buffer_wbinvl1", "", Some(s)), seen(2, "s_nop 0", "glc", Some(s)));
    }
}

#[test]
fn waves_of_a_workgroup_see_each_others_stores() {
    // Both waves read the line, wave 0 stores (and adds atomically), wave 1 reads again without GLC.
    let text = |change: &str| {
        format!(
            "v_mov_b32_e32 v3, 2
             v_readfirstlane_b32 s20, v0
             buffer_load_dword v1, off, s[0:3], 0
             s_waitcnt vmcnt(0)
             s_barrier
             s_cmp_lg_u32 s20, 0
             s_cbranch_scc1 READ
             s_mov_b64 exec, 1
             {change}
             s_waitcnt vmcnt(0)
             READ:
             s_barrier
             buffer_load_dword v1, off, s[0:3], 0
             s_waitcnt vmcnt(0)
             buffer_store_dword v1, off, s[4:7], 0
             s_endpgm"
        )
    };
    for g in 0..3 {
        for (change, want) in [
            ("buffer_store_dword v3, off, s[0:3], 0", 2),
            ("buffer_atomic_add v3, off, s[0:3], 0", 7),
            ("buffer_store_byte v3, off, s[0:3], 0 offset:1", 0x205),
        ] {
            let mut k = Kernel::new(g, 2, &text(change));
            k.workgroup_size = [128, 1, 1];
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[5; 3]).with_u32(0, 1, &[0]);
            k.run(&mut d).unwrap();
            assert_eq!(d.words(0, 1).unwrap(), [want], "{change}");
        }
    }
}

#[test]
fn min_and_max_keep_denormals() {
    let text = "v_mov_b32_e32 v1, 3
        v_mov_b32_e32 v2, 5
        v_max_f32_e32 v3, v1, v2
        v_min_f32_e32 v4, v1, v2
        v_med3_f32 v5, v1, v2, 0
        v_add_f32_e32 v6, v1, v2
        buffer_store_dwordx4 v[3:6], off, s[0:3], 0
        s_endpgm";
    for g in 0..3 {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[9; 4]);
        Kernel::new(g, 1, text).run(&mut d).unwrap();
        assert_eq!(d.words(0, 0).unwrap(), [5, 3, 3, 0]);
    }
}
