//! Steps of the launch (`machine/src/exec/steps.rs`): each gives what the chip's instruction gives, and steps without meaning trap.

use gpucc_container::{LaunchOp, LaunchStep, Source};
use gpucc_sim::{Dispatch, RunOptions, Trap};
use gpucc_vivante_machine::run;

use crate::exec::{container, eval, whole};
use crate::kit::GC7000;

/// The word that steps make: the result of the last.
fn computed(steps: Vec<LaunchStep>) -> Result<u32, Trap> {
    let mut c = container(GC7000, &whole("mov t10, void, void, t1.xyzw", 1), &[[0; 4]], [1, 1, 1], (0, 0));
    let e = &mut c.entries[0];
    let last = steps.len() as u32 - 1;
    e.steps = steps;
    for p in e.preloads.iter_mut().filter(|p| p.file == 0x80 && p.index == 1) {
        p.source = Source::Step(last);
    }
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]);
    run(&c, None, &mut d, &RunOptions::default())?;
    Ok(d.words(0, 0).unwrap()[0])
}

fn step(op: LaunchOp, operands: &[Source]) -> LaunchStep {
    LaunchStep { op, operands: operands.to_vec() }
}

/// An operation on constants: as many of them as it has operands.
fn on(op: LaunchOp, words: [u32; 3]) -> LaunchStep {
    step(op, &words.map(Source::Const)[..op.operands()])
}

/// The instruction of a step on t1.x, t2.x and t3.x. Conversions to integers are limited first, so that theirs is looked at apart.
fn instruction(op: LaunchOp) -> Option<&'static str> {
    Some(match op {
        LaunchOp::FAdd => "add t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::FSub => "add t10, t1.xxxx, void, -t2.xxxx",
        LaunchOp::FMul => "mul t10, t1.xxxx, t2.xxxx, void",
        LaunchOp::FMin => "select.gt t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::FMax => "select.lt t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::FSat => "mov.sat t10, void, void, t1.xxxx",
        LaunchOp::FFloor => "floor t10, void, void, t1.xxxx",
        LaunchOp::FCeil => "ceil t10, void, void, t1.xxxx",
        LaunchOp::FFract => "frc t10, void, void, t1.xxxx",
        LaunchOp::FSign => "sign t10, void, void, t1.xxxx",
        LaunchOp::FRcp => "rcp t10, void, void, t1.xxxx",
        LaunchOp::FRsqrt => "rsq t10, void, void, t1.xxxx",
        LaunchOp::FSqrt => "sqrt t10, void, void, t1.xxxx",
        LaunchOp::FExp2 => "exp t10, void, void, t1.xxxx",
        LaunchOp::S2F => "i2f.s32 t10, t1.xxxx, void, void",
        LaunchOp::U2F => "i2f.u32 t10, t1.xxxx, void, void",
        LaunchOp::IAdd => "add.s32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::ISub => "add.s32 t10, t1.xxxx, void, -t2.xxxx",
        LaunchOp::IMul => "imullo0.s32 t10, t1.xxxx, t2.xxxx, void",
        LaunchOp::UMulHi => "imulhi0.u32 t10, t1.xxxx, t2.xxxx, void",
        LaunchOp::SMulHi => "imulhi0.s32 t10, t1.xxxx, t2.xxxx, void",
        LaunchOp::SMin => "select.gt.s32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::SMax => "select.lt.s32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::UMin => "select.gt.u32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::UMax => "select.lt.u32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        LaunchOp::And => "and.u32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::Or => "or.u32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::Xor => "xor.u32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::Not => "not.u32 t10, void, void, t1.xxxx",
        LaunchOp::Shl => "lshift.u32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::UShr => "rshift.u32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::SShr => "rshift.s32 t10, t1.xxxx, void, t2.xxxx",
        LaunchOp::FEq => "cmp.eq t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::FLt => "cmp.lt t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::FLe => "cmp.le t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::IEq => "cmp.eq.u32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::SLt => "cmp.lt.s32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::ULt => "cmp.lt.u32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        LaunchOp::Select => "select.nz.u32 t10, t1.xxxx, t2.xxxx, t3.xxxx",
        LaunchOp::FDiv
        | LaunchOp::FTrunc
        | LaunchOp::FLog2
        | LaunchOp::FSin
        | LaunchOp::FCos
        | LaunchOp::F2S
        | LaunchOp::F2U
        | LaunchOp::Limit => return None,
    })
}

#[test]
fn a_step_gives_what_the_instruction_gives() {
    let values = [
        0,
        1,
        3,
        31,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0x3f80_0000,
        0xbfc0_0000,
        0x4049_0fdb,
        0x3eaa_aaab,
        0xc2f6_e979,
        0x7f80_0000,
        0xff80_0000,
        0x0000_0777,
        0x8040_0000,
        0x7149_f2ca,
    ];
    for &op in LaunchOp::ALL {
        let Some(text) = instruction(op) else { continue };
        for (k, &a) in values.iter().enumerate() {
            let (b, c) = (values[(k * 7 + 3) % values.len()], values[(k * 5 + 1) % values.len()]);
            for [a, b, c] in [[a, b, c], [a, a, b]] {
                let want =
                    eval(GC7000, text, &[[a; 4], [b; 4], [c; 4], [u32::MAX; 4]]).unwrap_or_else(|t| panic!("{t}"));
                let have = computed(vec![on(op, [a, b, c])]).unwrap_or_else(|t| panic!("{t}"));
                assert_eq!(have, want[0], "{op} of {a:x}, {b:x}, {c:x}");
            }
        }
    }
}

/// Those that are no single instruction, or are one that gives two factors.
#[test]
fn functions_and_conversions() {
    let f = f32::to_bits;
    for (op, a, b, want) in [
        (LaunchOp::FDiv, f(3.0), f(8.0), f(0.375)),
        (LaunchOp::FDiv, f(1.0), f(0.0), f(f32::INFINITY)),
        (LaunchOp::FTrunc, f(2.75), 0, f(2.0)),
        (LaunchOp::FTrunc, f(-2.75), 0, f(-2.0)),
        (LaunchOp::FLog2, f(8.0), 0, f(3.0)),
        (LaunchOp::FSin, f(1.0), 0, f(1.0)),
        (LaunchOp::FSin, f(3.0), 0, f(-1.0)),
        (LaunchOp::FCos, f(2.0), 0, f(-1.0)),
        (LaunchOp::FCos, f(8.0), 0, f(1.0)),
        (LaunchOp::F2S, f(-2.75), 0, (-2i32) as u32),
        (LaunchOp::F2S, f(1e30), 0, 0x7fff_ff80),
        (LaunchOp::F2S, f(-1e30), 0, 0x8000_0000),
        (LaunchOp::F2S, f(f32::NAN), 0, 0),
        (LaunchOp::F2U, f(-2.75), 0, 0),
        (LaunchOp::F2U, f(1e30), 0, 0xffff_ff00),
        (LaunchOp::F2U, f(3.99), 0, 3),
    ] {
        assert_eq!(computed(vec![on(op, [a, b, 0])]).unwrap(), want, "{op} of {a:x}, {b:x}");
    }
}

#[test]
fn steps_read_earlier_ones() {
    // (5 + 7) * (5 + 7) + 2
    let (sum, product) = (Source::Step(0), Source::Step(1));
    let steps = vec![
        on(LaunchOp::IAdd, [5, 7, 0]),
        step(LaunchOp::IMul, &[sum, sum]),
        step(LaunchOp::IAdd, &[product, Source::Const(2)]),
    ];
    assert_eq!(computed(steps).unwrap(), 146);
}

/// The last place that is in bounds: of a buffer of 16 bytes, and of one that is too short.
#[test]
fn limits_stay_at_zero() {
    let size = Source::BufferSize { group: 0, binding: 0 };
    let limit = |of, less| computed(vec![step(LaunchOp::Limit, &[of, Source::Const(less), Source::Const(2)])]).unwrap();
    assert_eq!([limit(size, 4), limit(size, 16), limit(size, 17)], [3, 0, 0]);
    assert_eq!(computed(vec![on(LaunchOp::Limit, [u32::MAX, 0, 32])]).unwrap(), 0);
}

#[test]
fn steps_without_meaning_trap() {
    let one = Source::Const(1);
    for (steps, what) in [
        (vec![step(LaunchOp::IAdd, &[one])], "1 operands of iadd"),
        (vec![step(LaunchOp::IAdd, &[one, Source::LocalIndex])], "has no value here"),
        (vec![step(LaunchOp::IAdd, &[one, Source::Step(0)])], "step 0 of the launch is not done yet"),
        (
            vec![step(LaunchOp::IAdd, &[one, Source::Step(1)]), on(LaunchOp::IAdd, [1, 2, 0])],
            "step 1 of the launch is not done yet",
        ),
    ] {
        let t = computed(steps).unwrap_err().to_string();
        assert!(t.contains(what), "{t}");
    }
}
