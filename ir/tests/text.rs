use gpucc_ir::text::*;

const SAMPLE: &str = r#"module robust on
res0 "a" group 0 binding 0 storage_ro size 4 stride 4 @10..20
res1 "o" group 0 binding 1 storage_rw size 4 stride 4
global0 "tile" workgroup size 1024 align 4
global1 "p" private size 4 align 4 init x00ff7f01
entry "main" compute func1 size 8,8,1 @1..2

func0 "twice" -> f32, b1 {
block0(v0: f32):
  v1: f32 = fadd{contract,nnan} v0, v0
  v2: b1 = fcmp.une v0, 0x7fc00000:f32
  ret v1, v2
}

func1 "main" {
  local0 "x" size 16 align 16
block0:
  v0: i32x3 = sysval global_invocation_id @30..40
  v1: i32 = extract v0, lane 0
  v2: i32 = shl v1, 2:i32
  v3: f32 = load res0[4 + v2] align 4 {readonly}
  v4: f32, v5: b1 = call func0, v3
  var_init local0
  store [1.0, -0.0, 3.5, 1e-20]:f32x4, local0[0] align 16
  jump block1(0:i32, undef:f32)
block1(v6: i32, v7: f32) loop merge block4 continue block3:
  v8: b1 = icmp.ult v6, 10:i32
  br v8, block2, block4
block2:
  switch v6, 1: block5, 4294967295: block5, default: block6 merge block7
block5:
  v9: i32 = atomic.add 1:i32, global0[0 + v2] align 4 {coherent}
  v10: i32 = cmpxchg v9, -1:i32, global0[8] align 4
  jump block7
block6:
  v11: i32x2 = shuffle v0, v6, lanes 2 4
  v12: b1x2 = icmp.eq v11, [1, 2]:i32x2
  v13: i32 = buffer_length res1
  barrier workgroup workgroup
  barrier none release device storage
  barrier none acquire workgroup
  barrier workgroup device storage texture
  jump block7
block7:
  jump block3
block3:
  v14: i32 = iadd v6, 1:i32
  v15: f32 = fmul{wgsl} v7, v4
  jump block1(v14, v15)
block4:
  store v7, res1[0 + v2] align 4
  v16: f32 = select v5, v7, 2.0:f32
  v17: f16 = f2f v16
  v18: f16 = fadd v17, 0x3c00:f16
  jump block8 merge block9
block8:
  unreachable
block9:
  ret
}
"#;

/// What entries ask of floats stands behind what they ask else, and is written as it was read.
#[test]
fn modes_of_floats() {
    use gpucc_ir::{Denormals, FloatMode, FloatModes, Rounding, Type};
    let body = "\nfunc0 \"main\" {\nblock0:\n  v0: f32x2 = splat 1.0:f32\n  ret\n}\n";
    let text = |asked: &str| {
        format!("module robust on\nentry \"main\" compute func0 size 64,1,1 subgroup 64{asked} @3..9\n{body}")
    };
    let (any, zero) = (FloatMode::ANY, FloatMode { denormals: Denormals::Preserve, rounding: Rounding::Zero });
    let near = FloatMode { rounding: Rounding::Nearest, ..any };
    let flush = FloatMode { denormals: Denormals::Flush, ..any };
    let cases = [
        ("", FloatModes::ANY),
        (" float f32 flush", FloatModes { f32: flush, ..FloatModes::ANY }),
        (" float f16 preserve zero float f64 nearest", FloatModes { f16: zero, f64: near, ..FloatModes::ANY }),
    ];
    for (asked, modes) in cases {
        let m = parse_module(&text(asked)).unwrap();
        assert_eq!(m.entries[0].modes, modes);
        assert_eq!(module_text(&m), text(asked));
    }
    for wrong in [" float i32 flush", " float"] {
        assert!(parse_module(&text(wrong)).is_err(), "{wrong}");
    }
    // Of widths that the code has not nothing is left; of others the rounding is said.
    let mut f = parse_module(&text("")).unwrap().funcs.values().next().unwrap().clone();
    let all = FloatModes { f16: zero, f32: flush, f64: near };
    assert_eq!(
        all.within(&f),
        FloatModes { f32: FloatMode { rounding: Rounding::Nearest, ..flush }, ..FloatModes::ANY }
    );
    assert_eq!(FloatModes::ANY.within(&f), FloatModes::ANY);
    // A word of two halves has halves.
    let block = f.entry();
    let v = f.insts[f.blocks[block].insts[0]].result();
    gpucc_ir::Builder::new(&mut f, block).pack_half2x16(v);
    assert_eq!(all.within(&f).f16, zero);
    assert_eq!(f.ty(v), Type::F32.with_lanes(2));
}

#[test]
fn prints_what_it_parsed() {
    let m = parse_module(SAMPLE).unwrap();
    let once = module_text(&m);
    let again = module_text(&parse_module(&once).unwrap());
    assert_eq!(once, again);
    for line in ["barrier none release device storage", "barrier none acquire workgroup"] {
        assert!(once.contains(&format!("  {line}\n")), "{once}");
    }
    // Numbering in the sample is that of the parser (blocks in order of their appearance) but for block names.
    assert!(once.contains("v3: f32 = load res0[4 + v2] align 4 {readonly}\n"), "{once}");
    assert!(once.contains("store [1.0, -0.0, 3.5, 1e-20]:f32x4, local0[0] align 16\n"), "{once}");
    assert!(once.contains("v0: i32x3 = sysval global_invocation_id @30..40\n"), "{once}");
}

#[test]
fn errors_name_the_line() {
    for (text, want) in [
        ("func0 \"f\" {\nblock0:\n  v0: f32 = fadx v1, v1\n}", "line 3: unknown op `fadx`"),
        ("func0 \"f\" {\nblock0:\n  v0: f32 = fneg v1\n  ret\n}", "line 3: v1 is not defined"),
        ("func0 \"f\" {\nblock0:\n  jump block7\n}", "line 3: there is no block7"),
        (
            "func0 \"f\" {\nblock0:\n  ret 300000000000000000000:i32\n}",
            "line 3: `300000000000000000000` is not a constant",
        ),
        ("func0 \"f\" {", "expected a block, found the end"),
        ("func0 \"f", "string does not end"),
        ("res1 \"x\"", "expected res0"),
        ("\u{fe}", "unexpected character"),
        ("global0 \"x\" private size 64 align 63", "line 1: the alignment 63 is not a power of two"),
    ] {
        let e = parse_module(text).unwrap_err();
        assert!(e.message.contains(want), "{text:?}: {}", e.message);
    }
}
