//! Steps of the launch (`machine/src/exec/steps.rs`): each gives what the chip's instruction gives, and rows without meaning trap.

use gpucc_container::{Preload, Source};
use gpucc_sim::{Dispatch, RunOptions, Trap};
use gpucc_vivante_machine::abi::{FILE_LAUNCH, STEP};
use gpucc_vivante_machine::exec::Step;
use gpucc_vivante_machine::run;

use crate::exec::{container, eval, whole};
use crate::kit::GC7000;

/// The word that rows make of words of the launch: the result of the last.
fn computed(words: &[u32], rows: &[[u32; 4]]) -> Result<u32, Trap> {
    let mut c = container(GC7000, &whole("mov t10, void, void, t1.xyzw", 1), &[[0; 4]], [1, 1, 1], (0, 0));
    let e = &mut c.entries[0];
    e.meta.family_words.extend(rows.iter().flatten());
    let word =
        |(k, &w): (usize, &u32)| Preload { file: FILE_LAUNCH, lane: 0, index: k as u16, source: Source::Const(w) };
    e.preloads.extend(words.iter().enumerate().map(word));
    let last = rows.len() as u32 - 1;
    for p in e.preloads.iter_mut().filter(|p| p.file == 0x80 && p.index == 1) {
        p.source = Source::Family(last);
    }
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]);
    run(&c, None, &mut d, &RunOptions::default())?;
    Ok(d.words(0, 0).unwrap()[0])
}

fn row(step: Step, operands: [u32; 3]) -> [u32; 4] {
    [STEP | step as u32, operands[0], operands[1], operands[2]]
}

/// The instruction of a step on t1.x, t2.x and t3.x. Conversions to integers are limited first, so that theirs is looked at apart.
fn instruction(step: Step) -> Option<&'static str> {
    Some(match step {
        Step::FAdd => "add t10, t1.xxxx, void, t2.xxxx",
        Step::FSub => "add t10, t1.xxxx, void, -t2.xxxx",
        Step::FMul => "mul t10, t1.xxxx, t2.xxxx, void",
        Step::FMin => "select.gt t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::FMax => "select.lt t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::FSat => "mov.sat t10, void, void, t1.xxxx",
        Step::FFloor => "floor t10, void, void, t1.xxxx",
        Step::FCeil => "ceil t10, void, void, t1.xxxx",
        Step::FFract => "frc t10, void, void, t1.xxxx",
        Step::FSign => "sign t10, void, void, t1.xxxx",
        Step::FRcp => "rcp t10, void, void, t1.xxxx",
        Step::FRsqrt => "rsq t10, void, void, t1.xxxx",
        Step::FSqrt => "sqrt t10, void, void, t1.xxxx",
        Step::FExp2 => "exp t10, void, void, t1.xxxx",
        Step::S2F => "i2f.s32 t10, t1.xxxx, void, void",
        Step::U2F => "i2f.u32 t10, t1.xxxx, void, void",
        Step::IAdd => "add.s32 t10, t1.xxxx, void, t2.xxxx",
        Step::ISub => "add.s32 t10, t1.xxxx, void, -t2.xxxx",
        Step::IMul => "imullo0.s32 t10, t1.xxxx, t2.xxxx, void",
        Step::UMulHi => "imulhi0.u32 t10, t1.xxxx, t2.xxxx, void",
        Step::SMulHi => "imulhi0.s32 t10, t1.xxxx, t2.xxxx, void",
        Step::SMin => "select.gt.s32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::SMax => "select.lt.s32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::UMin => "select.gt.u32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::UMax => "select.lt.u32 t10, t1.xxxx, t2.xxxx, t1.xxxx",
        Step::And => "and.u32 t10, t1.xxxx, void, t2.xxxx",
        Step::Or => "or.u32 t10, t1.xxxx, void, t2.xxxx",
        Step::Xor => "xor.u32 t10, t1.xxxx, void, t2.xxxx",
        Step::Not => "not.u32 t10, void, void, t1.xxxx",
        Step::Shl => "lshift.u32 t10, t1.xxxx, void, t2.xxxx",
        Step::UShr => "rshift.u32 t10, t1.xxxx, void, t2.xxxx",
        Step::SShr => "rshift.s32 t10, t1.xxxx, void, t2.xxxx",
        Step::FEq => "cmp.eq t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::FLt => "cmp.lt t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::FLe => "cmp.le t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::IEq => "cmp.eq.u32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::SLt => "cmp.lt.s32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::ULt => "cmp.lt.u32 t10, t1.xxxx, t2.xxxx, t4.xxxx",
        Step::Select => "select.nz.u32 t10, t1.xxxx, t2.xxxx, t3.xxxx",
        Step::FDiv | Step::FTrunc | Step::FLog2 | Step::FSin | Step::FCos | Step::F2S | Step::F2U => return None,
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
    for &step in Step::ALL {
        let Some(text) = instruction(step) else { continue };
        for (k, &a) in values.iter().enumerate() {
            let (b, c) = (values[(k * 7 + 3) % values.len()], values[(k * 5 + 1) % values.len()]);
            for [a, b, c] in [[a, b, c], [a, a, b]] {
                let want =
                    eval(GC7000, text, &[[a; 4], [b; 4], [c; 4], [u32::MAX; 4]]).unwrap_or_else(|t| panic!("{t}"));
                let have = computed(&[a, b, c], &[row(step, [0, 1, 2])]).unwrap_or_else(|t| panic!("{t}"));
                assert_eq!(have, want[0], "{step:?} of {a:x}, {b:x}, {c:x}");
            }
        }
    }
}

/// Those that are no single instruction, or are one that gives two factors.
#[test]
fn functions_and_conversions() {
    let f = f32::to_bits;
    for (step, a, b, want) in [
        (Step::FDiv, f(3.0), f(8.0), f(0.375)),
        (Step::FDiv, f(1.0), f(0.0), f(f32::INFINITY)),
        (Step::FTrunc, f(2.75), 0, f(2.0)),
        (Step::FTrunc, f(-2.75), 0, f(-2.0)),
        (Step::FLog2, f(8.0), 0, f(3.0)),
        (Step::FSin, f(1.0), 0, f(1.0)),
        (Step::FSin, f(3.0), 0, f(-1.0)),
        (Step::FCos, f(2.0), 0, f(-1.0)),
        (Step::FCos, f(8.0), 0, f(1.0)),
        (Step::F2S, f(-2.75), 0, (-2i32) as u32),
        (Step::F2S, f(1e30), 0, 0x7fff_ff80),
        (Step::F2S, f(-1e30), 0, 0x8000_0000),
        (Step::F2S, f(f32::NAN), 0, 0),
        (Step::F2U, f(-2.75), 0, 0),
        (Step::F2U, f(1e30), 0, 0xffff_ff00),
        (Step::F2U, f(3.99), 0, 3),
    ] {
        assert_eq!(computed(&[a, b, 0], &[row(step, [0, 1, 2])]).unwrap(), want, "{step:?} of {a:x}, {b:x}");
    }
}

#[test]
fn steps_read_earlier_rows() {
    // (5 + 7) * (5 + 7) + 2
    let rows = [row(Step::IAdd, [0, 1, 0]), row(Step::IMul, [STEP, STEP, 0]), row(Step::IAdd, [STEP | 1, 2, 0])];
    assert_eq!(computed(&[5, 7, 2], &rows).unwrap(), 146);
}

#[test]
fn rows_without_meaning_trap() {
    for (rows, what) in [
        (vec![[STEP | 999, 0, 0, 0]], "no step has number 999"),
        (vec![row(Step::IAdd, [0, 5, 0])], "there is no operand"),
        (vec![row(Step::IAdd, [0, STEP, 0])], "there is no operand"),
        (vec![row(Step::IAdd, [0, STEP | 1, 0]), row(Step::IAdd, [0, 0, 0])], "there is no operand"),
    ] {
        let t = computed(&[1, 2], &rows).unwrap_err().to_string();
        assert!(t.contains(what), "{t}");
    }
}
