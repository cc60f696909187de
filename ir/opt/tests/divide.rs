//! Tests of `ir/opt/src/divide.rs`.

use crate::testing::{evaluate, opt, unchanged};
use gpucc_ir::{Const, Function, Op, Type};
use gpucc_opt::divide::run;
use gpucc_opt::{Caps, OpSet, PassCx};

fn without_divider(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { expand: OpSet::of(&[Op::UDiv, Op::URem]), ..Caps::FULL };
    let mut c = PassCx::new(cx.module, &caps);
    run(f, &mut c);
    cx.must_change(c.changes());
}

fn text(op: &str, mask: u32, by: &str) -> String {
    format!(
        "func0 \"f\" -> i32 {{\nblock0(v0: i32, v1: i32):\n  v2: i32 = and v0, {mask}:i32\n  v3: i32 = {op} v2, {by}\n  ret v3\n}}"
    )
}

#[test]
fn exact_for_all_kinds_of_divisors() {
    let parse = |t: &str| gpucc_ir::text::parse_function(t).unwrap();
    for op in ["udiv", "urem"] {
        let before = text(op, 65535, "v1");
        let after = opt(without_divider, &before);
        assert!(after.contains("frcp") && !after.contains(op), "{after}");
        let (f, g) = (parse(&before), parse(&after));
        let mut seed = 1u32;
        for k in 0..40_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let by = match k % 4 {
                0 => k / 4 % 300,
                1 => (seed >> 8) & 0xffff,
                2 => seed >> (k / 4 % 32),
                _ => 1 << (k / 4 % 32),
            };
            // Around multiples of the divisor, where a quotient that is off shows.
            let n = match k % 3 {
                0 => seed >> 16,
                1 => by.wrapping_mul(seed >> 20),
                _ => by.wrapping_mul(seed >> 20).wrapping_sub(1),
            };
            let args = [n, by].map(|x| Const::new(Type::I32, &[x.into()]));
            assert_eq!(evaluate(&f, &args), evaluate(&g, &args), "{op} {} {by}", n & 0xffff);
        }
    }
}

#[test]
fn large_dividends_constants_and_dividers_stay() {
    unchanged(without_divider, &text("udiv", 65536, "v1"));
    unchanged(without_divider, &text("urem", 65535, "7:i32"));
    unchanged(without_divider, &text("sdiv", 65535, "v1"));
    unchanged(run, &text("udiv", 65535, "v1"));
}
