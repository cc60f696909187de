//! Waves of vertex and fragment programs: exports (section 13) and interpolation (section 9).

use crate::rows::Found;
use gpucc_gcn_machine::{Export, Shade, assemble, shade};
use gpucc_isa::stage;
use gpucc_sim::{Rules, RunOptions, Trap};

fn code(g: u8, text: &str) -> Vec<u8> {
    assemble(text, g, stage::ALL, false).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn run(g: u8, text: &str, start: &Shade) -> Result<Vec<Export>, Trap> {
    shade(&code(g, text), g, start, &RunOptions::default())
}

fn lanes(of: impl FnMut(usize) -> f32) -> [u32; 64] {
    let mut of = of;
    std::array::from_fn(|l| of(l).to_bits())
}

/// Two attributes of two primitives from byte 16. Of attribute a and primitive p, component c: P0 = 100 a + 10 p + c,
/// P10 = 2, P20 = 0.5; the second primitive begins at quad 3.
fn start() -> Shade {
    let mut words = vec![0f32; 4 + 12 * 4];
    for (a, p) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let at = 4 + 12 * (2 * a + p);
        for c in 0..4 {
            words[at + 2 * c] = (100 * a + 10 * p + c) as f32;
            words[at + 2 * c + 1] = 2.0;
            words[at + 8 + c] = 0.5;
        }
    }
    Shade {
        // Bit k of the mask: quad k + 1 begins a primitive.
        sgprs: vec![(2, 16 | 1 << (16 + 2))],
        vgprs: vec![(0, lanes(|l| l as f32)), (1, lanes(|_| 4.0))],
        exec: u64::MAX,
        mode: 0xc0,
        parameters: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
    }
}

pub fn rows(found: &mut Found) {
    for g in 0..3u8 {
        for suffix in if g == 2 { &["_e32", "_e64"][..] } else { &[""] } {
            let text = format!(
                "s_mov_b32 m0, s2
                v_interp_p1_f32{suffix} v2, v0, attr1.z
                v_interp_p2_f32{suffix} v2, v1, attr1.z
                v_interp_mov_f32{suffix} v3, p10, attr1.z
                v_interp_mov_f32{suffix} v4, p20, attr1.z
                v_interp_mov_f32{suffix} v5, p0, attr0.y
                exp mrt0 v2, v3, v4, v5 done vm
                s_endpgm"
            );
            let out = run(g, &text, &start()).unwrap_or_else(|t| panic!("gfx{} {suffix}: {t}", 6 + g));
            assert_eq!(out.len(), 1);
            let e = &out[0];
            assert_eq!((e.target, e.enabled, e.compressed, e.done, e.valid), (0, 15, false, true, true));
            for lane in 0..64 {
                // Quads 0 to 2 are of the first primitive. 102 + 2 I + 0.5 J.
                let p = if lane < 12 { 0.0 } else { 10.0 };
                let want = [102.0 + p + 2.0 * lane as f32 + 2.0, 2.0, 0.5, 1.0 + p].map(f32::to_bits);
                assert_eq!([0, 1, 2, 3].map(|k| e.words[k][lane]), want, "gfx{} lane {lane}", 6 + g);
            }
        }
        for name in ["v_interp_p1_f32", "v_interp_p2_f32", "v_interp_mov_f32", "exp"] {
            found.mark(name, g);
        }
    }
}

/// Interpolation of halves: low and high half of each word are parameters of their own. P0 = 3 and -8, P10 = 2 and 0.5, P20 = -1
/// and 4.
pub fn halves(found: &mut Found) {
    let pair = |low: u32, high: u32| low | high << 16;
    let (p0, p10, p20) = (pair(0x4200, 0xc800), pair(0x4000, 0x3800), pair(0xbc00, 0x4400));
    let mut words = [0u32; 12];
    (words[2], words[3], words[9]) = (p0, p10, p20);
    let start = Shade {
        sgprs: vec![(2, 0)],
        vgprs: vec![(0, lanes(|l| l as f32)), (1, lanes(|_| 0.25))],
        exec: u64::MAX,
        mode: 0xc0,
        parameters: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
    };
    let text = "s_mov_b32 m0, s2
        v_interp_p1ll_f16 v2, v0, attr0.y
        v_interp_p1ll_f16 v3, -v0, attr0.y high
        v_interp_mov_f32_e32 v4, p0, attr0.y
        v_interp_p1lv_f16 v5, v0, attr0.y, v4 high
        v_interp_p2_f16 v6, v1, attr0.y, v2
        v_interp_p2_f16 v7, v1, attr0.y, v3 high
        v_interp_p1lv_f16 v8, v0, attr0.y, v4
        exp mrt0 v2, v3, v5, v8
        exp mrt1 v6, v7, off, off done vm
        s_endpgm";
    let out = run(2, text, &start).unwrap_or_else(|t| panic!("{t}"));
    for lane in 0..64 {
        let i = lane as f32;
        let first = [3.0 + 2.0 * i, -8.0 - 0.5 * i, -8.0 + 0.5 * i, 3.0 + 2.0 * i].map(f32::to_bits);
        assert_eq!([0, 1, 2, 3].map(|k| out[0].words[k][lane]), first, "lane {lane}");
        let half = |x: f32| u32::from(gpucc_num::convert::f32_to_f16(gpucc_num::Round::Nearest, x));
        let second = [half(3.0 + 2.0 * i - 0.25), half(-8.0 - 0.5 * i + 1.0)];
        assert_eq!([0, 1].map(|k| out[1].words[k][lane]), second, "lane {lane}");
    }
    for name in ["v_interp_p1ll_f16", "v_interp_p1lv_f16", "v_interp_p2_f16"] {
        found.mark(name, 2);
    }
}

#[test]
fn exports_are_collected_in_order() {
    let text = "v_mov_b32_e32 v2, 7
        exp pos0 v0, v1, v0, v1 done
        exp param1 v2, off, off, v1
        s_mov_b64 exec, 5
        exp mrt2 v0, v0, v2, v2 compr
        exp null off, off, off, off done vm
        s_endpgm";
    for g in 0..3 {
        let out = run(g, text, &start()).unwrap();
        let facts: Vec<_> = out.iter().map(|e| (e.target, e.enabled, e.compressed, e.done, e.valid, e.lanes)).collect();
        let all = u64::MAX;
        let want = [
            (12, 15, false, true, false, all),
            (33, 9, false, false, false, all),
            (2, 15, true, false, false, 5),
            (9, 0, false, true, true, 5),
        ];
        assert_eq!(facts, want);
        assert_eq!([0, 1, 2, 3].map(|k| out[1].words[k][63]), [7, 0, 0, 4f32.to_bits()]);
        assert_eq!([0, 1].map(|k| out[2].words[k][1]), [1f32.to_bits(), 7]);
    }
}

#[test]
fn rules_of_exports_trap() {
    let trap = |text: &str| run(2, text, &start()).unwrap_err().to_string();
    // The last one of a kind is the last one; other kinds may follow.
    assert!(trap("exp mrt0 v0, v0, v0, v0 done vm\nexp mrt1 v0, v0, v0, v0\ns_endpgm").contains("behind the last"));
    // Registers are read late.
    let late = "exp mrt0 v0, v0, v0, v0 done vm\nv_mov_b32_e32 v0, 0\ns_endpgm";
    assert!(trap(late).contains("expcnt"));
    assert!(run(2, &late.replace("\nv_mov", "\ns_waitcnt expcnt(0)\nv_mov"), &start()).is_ok());
    assert!(trap("exp mrt0 v9, v0, v0, v0 done vm\ns_endpgm").contains("never written"));
    // An input that is not enabled is not read.
    assert!(run(2, "exp mrt0 v0, off, off, off done vm\ns_endpgm", &start()).is_ok());
    // M0, and the bounds of parameters.
    assert!(trap("v_interp_p1_f32_e32 v2, v0, attr0.x\ns_endpgm").contains("m0"));
    assert!(trap("s_mov_b32 m0, s2\nv_interp_p1_f32_e32 v2, v0, attr2.x\ns_endpgm").contains("parameter at byte"));
}

#[test]
fn programs_of_other_compilers_export() {
    // A fragment program of RADV (gfx8): green where it faces the front, red elsewhere; sources that are not read are 0x80.
    let bytes: Vec<u8> = [
        0x7c820480u32,
        0x7e0202ff,
        0x3e800000,
        0x7e0458ac,
        0xd1000000,
        0x01a9e080,
        0xd1000001,
        0x01a90101,
        0xd2960001,
        0x00020101,
        0xc4001c0f,
        0x80800201,
        0xbf810000,
    ]
    .iter()
    .flat_map(|w| w.to_le_bytes())
    .collect();
    let options = RunOptions { rules: Rules::Hardware, ..RunOptions::default() };
    let mut start = start();
    start.vgprs.push((2, lanes(|l| if l % 2 == 0 { 1.0 } else { -1.0 })));
    let out = shade(&bytes, 2, &start, &options).unwrap();
    // Halves: 0.25 is 3400, 0.5 is 3800.
    assert_eq!([0, 1].map(|k| out[0].words[k][0]), [0x3800_0000, 0x3400_0000]);
    assert_eq!([0, 1].map(|k| out[0].words[k][1]), [0x0000_3400, 0x3400_0000]);
    // By our conventions those bits are 0.
    assert!(shade(&bytes, 2, &start, &RunOptions::default()).is_err());
}
