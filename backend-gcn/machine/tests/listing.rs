//! Whole listings, error places, and the rules of emission.

use std::io::Write;
use std::process::{Command, Stdio};

use gpucc_gcn_machine::{asm_words_line, assemble, build, disassemble};
use gpucc_isa::{Isa, TextCx, stage};

const LOOP: &str = "
    s_mov_b32 s0, 10          ; counts down
L_head:                       // a label
    s_sub_u32 s0, s0, 1
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 L_head
    s_cbranch_execz done
    v_add_f32 v1, v2, v3      ; the 32-bit form is chosen
    v_add_f32 v1, s2, 1.0     ; the 64-bit form is needed
done: s_endpgm
";

#[test]
fn listings_survive_disassembly() {
    for g in 0..3 {
        let code = assemble(LOOP, g, stage::ALL, false).unwrap();
        let text = disassemble(&code, g, stage::ALL);
        assert!(text.contains("s_cbranch_scc1 L0") && text.contains("v_add_f32_e64 v1, s2, 1.0"), "{text}");
        assert_eq!(assemble(&text, g, stage::ALL, false).unwrap(), code, "{text}");
        // Bytes that are no instruction come back too.
        let odd = [&code[..], &[0xff, 0xff, 0xff, 0xff, 1, 2]].concat();
        assert_eq!(assemble(&disassemble(&odd, g, stage::ALL), g, stage::ALL, false).unwrap(), odd);
    }
}

/// A literal that an inline constant could hold takes four bytes more: the text says so, or code behind it would move.
#[test]
fn literals_that_need_not_be_are_told() {
    for (g, code, want) in [
        (0, [0xff, 0x08, 0x0a, 0x36, 0x1c, 0, 0, 0], "v_and_b32_e32 v5, lit(0x1c), v4"),
        (2, [0xff, 0x00, 0x80, 0xbe, 0xff, 0xff, 0xff, 0xff], "s_mov_b32 s0, lit(0xffffffff)"),
        (2, [0xff, 0x00, 0x80, 0xbe, 0x41, 0, 0, 0], "s_mov_b32 s0, 0x41"),
    ] {
        let text = disassemble(&code, g, stage::ALL);
        assert!(text.contains(want), "{text}");
        assert_eq!(assemble(&text, g, stage::ALL, false).unwrap(), code, "{text}");
    }
    // Written by hand it stands wherever a literal may.
    let code = assemble("s_mov_b32 s0, lit(5)\ns_mov_b32 s0, lit(0x10000)\n", 2, stage::ALL, false).unwrap();
    assert_eq!(code.len(), 16);
    for wrong in ["s_mov_b32 s0, lit(-1)", "s_mov_b32 s0, lit 5", "s_mov_b32 s0, lit(5", "v_add_f32_e64 v0, lit(5), v1"]
    {
        assert!(assemble(wrong, 2, stage::ALL, false).is_err(), "{wrong}");
    }
}

#[test]
fn llvm_reads_our_listing() {
    for (g, cpu) in ["tahiti", "bonaire", "fiji"].into_iter().enumerate() {
        let code = assemble(LOOP, g as u8, stage::ALL, false).unwrap();
        let text = disassemble(&code, g as u8, stage::ALL);
        let spawned = Command::new("llvm-mc")
            .args(["-arch=amdgcn", &format!("-mcpu={cpu}"), "-filetype=obj", "-o", "/dev/null"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = spawned else {
            println!("skipped: llvm-mc is not installed");
            return;
        };
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{}\n{text}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn errors_name_line_and_column_and_do_not_stop_the_rest() {
    let text = "s_nop 0\n  s_frob s1\ns_mov_b32 s0, s200\ns_branch nowhere\n v_add_f32_e32 v0, v1, v2 clamp\ns_wakeup\nv_mov_b32_dpp v0, v1\n";
    let errors = assemble(text, 0, stage::ALL, false).unwrap_err();
    let found: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
    let want = [
        "2:3: unknown mnemonic `s_frob`",
        "3:15: ",
        "4:10: label `nowhere` is not defined",
        "5:27: `v_add_f32` has no modifier `clamp`",
        "6:1: `s_wakeup` does not exist on gfx6",
        "7:1: `v_mov_b32_dpp` does not exist on gfx6",
    ];
    assert_eq!(found.len(), want.len(), "{found:#?}");
    for (f, w) in found.iter().zip(want) {
        assert!(f.starts_with(w), "{f} / {w}");
    }
    // Rubbish never panics.
    for t in [
        "",
        " ",
        "v_",
        "ümlaut v0",
        "s_mov_b32 s0, ü",
        "exp",
        "exp mrt0",
        "s_waitcnt",
        "image_load v0",
        "v_mov_b32 v0, |",
        "buffer_load_dword v0, v1, s[0:3]",
    ] {
        assert!(asm_words_line(t, 2, stage::ALL, false).is_err(), "{t}");
    }
}

#[test]
fn what_decodes_and_must_not_be_emitted() {
    // Sections 2, 3, 4.5, 12: each line parses and is refused by the rules.
    for (g, text) in [
        (0, "v_add_f32_e64 v0, s1, s2"),
        (0, "v_cndmask_b32_e32 v0, s1, v2, vcc"),
        (2, "v_cndmask_b32_e64 v0, s1, v2, s[4:5]"),
        (2, "v_add_f16_e32 v0, 0x12345, v1"),
        (2, "v_add_u16_e64 v0, 1.0, v1"),
        (1, "v_cvt_f32_f16_e32 v0, 1.0"),
        (0, "image_load v0, v1, s[0:7]"),
        (0, "image_gather4 v[0:3], v1, s[0:7], s[8:11] dmask:0x3"),
        (0, "image_atomic_add v0, v1, s[0:7] dmask:0x2"),
        (0, "buffer_load_dword v0, off, s[0:3], 0 tfe lds"),
        (0, "s_nop 8"),
        (0, "ds_swizzle_b32 v0, v1 gds"),
        (0, "v_readfirstlane_b32 exec_lo, v1"),
        (0, "s_mov_b32 ttmp0, 0"),
        (2, "v_mac_f32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD"),
        (0, "s_movrels_b32 s0, src_scc"),
    ] {
        let inst = gpucc_gcn_machine::Gcn::parse(text, &TextCx::new(g)).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(build::check(&inst, g).is_err(), "{text}");
    }
    for (g, text) in
        [(0, "v_add_f32_e64 v0, s1, s1"), (0, "v_add_f32_e64 v0, s1, 1.0"), (2, "v_add_f16_e32 v0, 0x1234, v1")]
    {
        let inst = gpucc_gcn_machine::Gcn::parse(text, &TextCx::new(g)).unwrap();
        build::check(&inst, g).unwrap();
    }
}

#[test]
fn rows_are_found_by_form() {
    use gpucc_gcn_machine::{Op, build::Form};
    let name = |op, form, literal, g| {
        let r = build::row(op, form, literal, g)?;
        let row = build::inst(r).row();
        Some((format!("{}{}", row.text, row.attrs.suffix.text()), row.bytes))
    };
    assert_eq!(name(Op::VAddF32, Form::Short, false, 0), Some(("v_add_f32_e32".into(), 4)));
    assert_eq!(name(Op::VAddF32, Form::Short, true, 0), Some(("v_add_f32_e32".into(), 8)));
    assert_eq!(name(Op::VAddF32, Form::Long, false, 2), Some(("v_add_f32_e64".into(), 8)));
    assert_eq!(name(Op::VAddF32, Form::Sdwa, false, 1), None);
    assert_eq!(name(Op::VFmaF32, Form::Long, false, 1), Some(("v_fma_f32".into(), 8)));
    assert_eq!(name(Op::VCmpLtF32, Form::Short, false, 2), Some(("v_cmp_lt_f32_e32".into(), 4)));
    assert_eq!(name(Op::VReadlaneB32, Form::Long, false, 2), Some(("v_readlane_b32".into(), 8)));
    assert_eq!(name(Op::VReadlaneB32, Form::Short, false, 0), Some(("v_readlane_b32".into(), 4)));
    assert_eq!(name(Op::SLoadDwordx4, Form::Short, false, 2), Some(("s_load_dwordx4".into(), 8)));
    assert_eq!(name(Op::SLoadDwordx4, Form::Short, true, 1), Some(("s_load_dwordx4".into(), 8)));
    assert_eq!(name(Op::VAddI32, Form::Short, false, 2), None);
    assert_eq!(name(Op::VMadmkF32, Form::Short, true, 2), Some(("v_madmk_f32".into(), 8)));
    assert_eq!(name(Op::SAddU32, Form::Short, true, 2), Some(("s_add_u32".into(), 8)));
    assert_eq!(name(Op::SMovkI32, Form::Short, false, 2), Some(("s_movk_i32".into(), 4)));
    assert_eq!(name(Op::BufferLoadDword, Form::Short, false, 2), Some(("buffer_load_dword".into(), 8)));
}
