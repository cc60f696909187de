//! Tests of `ir/opt/src/algebraic.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::{Attr, Const, Function, Type, eval};
use gpucc_opt::algebraic::run;

/// One instruction sequence over v0 (i32), v1 (i32), v2 (f32), v3 (f32x4), v4 (b1); the last value is stored.
fn body(lines: &str, last: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = load res1[0] align 4\n  v2: f32 = bitcast v0\n\
         v3: f32x4 = load res2[0] align 16\n  v4: b1 = icmp.slt v0, v1\n{lines}\n  store {last}, res1[0] align 4\n  ret\n}}"
    )
}

fn fires(lines: &str, last: &str, want: &str) {
    let t = opt(run, &body(lines, last));
    assert!(t.contains(want), "want {want}\n{t}");
}

#[test]
fn integer_rules() {
    fires("  v9: i32 = iadd 0:i32, v0", "v9", "store v0,");
    fires("  v9: i32 = imul v0, 8:i32", "v9", "shl v0, 3:i32");
    fires("  v9: i32 = udiv v0, 16:i32", "v9", "ushr v0, 4:i32");
    fires("  v9: i32 = urem v0, 16:i32", "v9", "and v0, 15:i32");
    fires("  v8: i32 = iadd v0, 5:i32\n  v9: i32 = isub v8, 7:i32", "v9", "iadd v0, -2:i32");
    fires("  v8: i32 = shl v0, 5:i32\n  v9: i32 = shl v8, 7:i32", "v9", "shl v0, 12:i32");
    fires("  v8: i32 = ineg v1\n  v9: i32 = iadd v0, v8", "v9", "isub v0, v1");
    fires("  v9: i32 = xor v0, v0", "v9", "store 0:i32");
    fires("  v8: i32 = iadd v0, 3:i32\n  v9: i32 = shl v8, 4:i32", "v9", ", 48:i32");
    unchanged(run, &body("  v8: i32 = iadd v0, v1\n  v9: i32 = shl v8, 4:i32", "v9"));
    fires("  v8: i32 = ushr v0, 2:i32\n  v9: i32 = shl v8, 2:i32", "v9", "and v0, -4:i32");
    fires("  v8: i32 = shl v0, 8:i32\n  v9: i32 = ushr v8, 8:i32", "v9", "and v0, 16777215:i32");
    unchanged(run, &body("  v8: i32 = ushr v0, 2:i32\n  v9: i32 = shl v8, 3:i32", "v9"));
    unchanged(run, &body("  v8: i32 = shl v0, 2:i32\n  v9: i32 = sshr v8, 2:i32", "v9"));
    fires("  v8: i32 = isub 3:i32, v0\n  v9: i32 = iadd v8, 4:i32", "v9", "isub 7:i32, v0");
}

#[test]
fn conversions_truncate_by_themselves() {
    for (round, to) in
        [("ffloor", "f2u"), ("ffloor", "f2u_full"), ("ftrunc", "f2u"), ("ftrunc", "f2s"), ("ftrunc", "f2s_full")]
    {
        fires(&format!("  v8: f32 = {round} v2\n  v9: i32 = {to} v8"), "v9", &format!("{to} v2"));
    }
    // Below zero the floor is another number, and rounding to nearest always is.
    for (round, to) in [("ffloor", "f2s"), ("fround_even", "f2u"), ("fceil", "f2u")] {
        unchanged(run, &body(&format!("  v8: f32 = {round} v2\n  v9: i32 = {to} v8"), "v9"));
    }
}

#[test]
fn a_constant_takes_the_sign() {
    fires("  v8: f32 = fneg v2\n  v9: f32 = fmul v8, 3.0:f32", "v9", "fmul v2, -3.0:f32");
    fires("  v8: f32 = fneg v2\n  v9: f32 = fma v8, -0.5:f32, v2", "v9", "fma v2, 0.5:f32, v2");
    unchanged(run, &body("  v7: f32 = bitcast v1\n  v8: f32 = fneg v2\n  v9: f32 = fmul v8, v7", "v9"));
}

#[test]
fn choice_rules() {
    let both =
        "  v5: f32 = extract v3, lane 0\n  v6: f32 = fneg v2\n  v7: f32 = fneg v5\n  v9: f32 = select v4, v6, v7";
    fires(both, "v9", "fneg v");
    assert_eq!(opt(run, &body(both, "v9")).matches("fneg").count(), 3, "those that nobody reads go later");
    unchanged(run, &body("  v6: f32 = fneg v2\n  v9: f32 = select v4, v6, v2", "v9"));
    fires("  v8: b1 = not v4\n  v9: i32 = select v8, v0, v1", "v9", "icmp.sge v0, v1");
    fires("  v7: b1 = fcmp.olt v2, 1.0:f32\n  v8: b1 = not v7\n  v9: i32 = select v8, v0, v1", "v9", "v1, v0\n");
    fires(
        "  v7: i32 = select v4, 1:i32, 0:i32\n  v8: b1 = icmp.ne v7, 0:i32\n  v9: i32 = select v8, v0, v1",
        "v9",
        "select v4, v0, v1",
    );
    fires("  v7: b1 = icmp.ult v0, v1\n  v8: b1 = not v7\n  v9: i32 = select v8, v0, 1:i32", "v9", "select v");
    fires("  v9: i32 = select v4, v0, v0", "v9", "store v0,");
    fires(
        "  v6: b1 = icmp.eq v0, 3:i32\n  v7: b1 = select v4, v6, true:b1\n  v9: i32 = select v7, v0, v1",
        "v9",
        "icmp.sge v0, v1",
    );
    fires(
        "  v6: b1 = icmp.eq v0, 3:i32\n  v7: b1 = select v4, false:b1, v6\n  v9: i32 = select v7, v0, v1",
        "v9",
        "= and v",
    );
    fires("  v7: b1 = select v4, v4, false:b1\n  v9: i32 = select v7, v0, v1", "v9", "select v4, v0, v1");
}

#[test]
fn float_rules() {
    fires("  v9: f32 = fmul v2, 1.0:f32", "v9", "store v2,");
    fires("  v9: f32 = fadd v2, -0.0:f32", "v9", "store v2,");
    fires("  v9: f32 = fadd{nsz} v2, 0.0:f32", "v9", "store v2,");
    fires("  v9: f32 = fdiv v2, 4.0:f32", "v9", "fmul v2, 0.25:f32");
    fires("  v9: f32 = fdiv 1.0:f32, v2", "v9", "frcp v2");
    fires("  v8: f32 = fneg v2\n  v9: f32 = fsub 3.0:f32, v8", "v9", "fadd v2, 3.0:f32");
}

#[test]
fn float_rules_that_must_not_fire() {
    for lines in [
        "  v9: f32 = fadd v2, 0.0:f32",
        "  v9: f32 = fmul v2, 0.0:f32",
        "  v9: f32 = fmul{nnan,nsz} v2, 0.0:f32",
        "  v9: f32 = fsub 0.0:f32, v2",
        "  v9: f32 = fdiv v2, 3.0:f32",
        "  v9: f32 = fdiv v2, 1e-39:f32",
        "  v9: f32 = fsub v2, v2",
    ] {
        unchanged(run, &body(lines, "v9"));
    }
}

/// Where zeros are asked for in place of denormals, what is not computed is no zero.
#[test]
fn zeros_of_denormals_are_computed() {
    use crate::testing::{HEAD, run as apply};
    let rules = [
        "  v9: f32 = fmul v2, 1.0:f32",
        "  v9: f32 = fmul v2, -1.0:f32",
        "  v9: f32 = fdiv v2, 1.0:f32",
        "  v9: f32 = fadd v2, -0.0:f32",
        "  v9: f32 = fadd{nsz} v2, 0.0:f32",
        "  v9: f32 = fsub v2, 0.0:f32",
        "  v9: f32 = fsub -0.0:f32, v2",
        "  v8: f64 = f2f v2\n  v9: f32 = f2f v8",
    ];
    for lines in rules {
        let text = |asked: &str| format!("{HEAD}entry \"main\" compute func0 size 1,1,1{asked}\n{}", body(lines, "v9"));
        for other in ["", " float f32 preserve", " float f32 zero", " float f16 flush"] {
            assert_ne!(apply(run, &text(other)).1, 0, "{lines}");
        }
        assert_eq!(apply(run, &text(" float f32 flush")).1, 0, "{lines}");
    }
}

#[test]
fn vector_rules() {
    let e = "  v5: f32 = extract v3, lane 0\n  v6: f32 = extract v3, lane 1\n";
    fires(&format!("{e}  v9: f32x2 = compose v6, v5"), "v9", "shuffle v3, v3, lanes 1 0");
    fires("  v8: f32x4 = insert v3, v2, lane 2\n  v9: f32 = extract v8, lane 2", "v9", "store v2,");
    fires("  v8: f32x4 = insert v3, v2, lane 2\n  v9: f32 = extract v8, lane 3", "v9", "extract v3, lane 3");
    fires(
        "  v8: f32x2 = shuffle v3, v3, lanes 3 1\n  v9: f32x2 = shuffle v8, v8, lanes 1 0",
        "v9",
        "shuffle v3, v3, lanes 1 3",
    );
    fires("  v9: f32x4 = shuffle v3, v3, lanes 0 1 2 3", "v9", "store v3,");
    fires("  v7: f32x2 = insert undef:f32x2, v2, lane 0\n  v9: f32x2 = insert v7, v2, lane 1", "v9", "splat v2");
    unchanged(run, &body("  v9: f32x4 = shuffle v3, v3, lanes 0 1 2 2", "v9"));
}

/// Every integer rule at 8 bits: a random expression of two levels must give the same for all operand values.
#[test]
fn integer_rules_are_exact_at_eight_bits() {
    let ops = [
        "iadd", "isub", "imul", "and", "or", "xor", "shl", "ushr", "sshr", "udiv", "urem", "sdiv", "srem", "umin",
        "smax", "umax", "smin",
    ];
    let consts = [0_i32, 1, -1, 2, 4, 7, 8, 64, -128];
    for o1 in ops {
        for o2 in ops {
            for c in consts {
                for (p, q) in [("x", "c"), ("c", "x")] {
                    let t = format!(
                        "func0 \"f\" -> i8 {{\nblock0(v0: i8, v1: i8):\n  v2: i8 = {o1} {}, {}\n  v3: i8 = {o2} v2, {}:i8\n  ret v3\n}}",
                        if p == "x" { "v0".into() } else { format!("{c}:i8") },
                        if q == "x" { "v0".into() } else { format!("{}:i8", c / 2 + 1) },
                        c
                    );
                    let before = gpucc_ir::text::parse_function(&t).unwrap();
                    let after = gpucc_ir::text::parse_function(&opt(run, &t)).unwrap();
                    for x in (0..256).step_by(5).chain([127, 128]) {
                        assert_eq!(value(&before, x), value(&after, x), "x = {x}\n{before}\n{after}");
                    }
                }
            }
        }
    }
}

fn value(f: &Function, x: u64) -> u64 {
    let mut vals = std::collections::BTreeMap::new();
    vals.insert(f.params()[0], Const::new(Type::I8, &[x]));
    let get =
        |vals: &std::collections::BTreeMap<_, Const>, v| f.as_const(v).cloned().unwrap_or_else(|| vals[&v].clone());
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let a: Vec<Const> = d.args.iter().map(|&v| get(&vals, v)).collect();
        if d.op == gpucc_ir::Op::Ret {
            return a[0].bits[0];
        }
        let refs: Vec<&Const> = a.iter().collect();
        let r = eval::apply(d.op, &Attr::None, f.ty(d.result()), &refs).unwrap();
        vals.insert(d.result(), r);
    }
    unreachable!()
}
