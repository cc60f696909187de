//! Computations of the launch before the first thread (`docs/abi-vivante.md`, 3). Floats are as the chip computes them: denormals flushed,
//! each step rounded.

use gpucc_container::{LaunchOp, LaunchStep, Source};
use gpucc_num::{Mode, Round, convert, f32 as num};
use gpucc_sim::trap::{Trap, bad_container};

use super::alu::scalar;
use crate::rows::Op;

const MODE: Mode = Mode::FLUSH;

/// Results of all steps. `value` has what operands mean, with the results of the steps before.
///
/// # Errors
/// An operand that has no value, and a step that lacks operands.
pub(crate) fn results(
    steps: &[LaunchStep],
    value: impl Fn(&[u32], Source) -> Result<u32, Trap>,
) -> Result<Vec<u32>, Trap> {
    let mut done: Vec<u32> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        if step.operands.len() != step.op.operands() {
            return Err(bad_container(format!(
                "step {n} of the launch has {} operands of {}",
                step.operands.len(),
                step.op
            )));
        }
        let mut operands = [0; 3];
        for (to, &from) in operands.iter_mut().zip(&step.operands) {
            *to = value(&done, from)?;
        }
        done.push(result(step.op, operands));
    }
    Ok(done)
}

/// The result of one step.
pub fn result(op: LaunchOp, [a, b, c]: [u32; 3]) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let of = |v: f32| v.to_bits();
    let function = |op: Op| of(scalar(op, false, MODE, None, x));
    let mask = |yes: bool| if yes { u32::MAX } else { 0 };
    let (flat_x, flat_y) = (num::flush(x), num::flush(y));
    let rounded = |round| of(num::output(MODE, num::round_to_int(round, num::input(MODE, x))));
    match op {
        LaunchOp::FAdd => of(num::add(MODE, x, y)),
        LaunchOp::FSub => of(num::sub(MODE, x, y)),
        LaunchOp::FMul => of(num::mul(MODE, x, y)),
        LaunchOp::FDiv => of(num::div(MODE, x, y)),
        LaunchOp::FMin if flat_x > flat_y => b,
        LaunchOp::FMin => a,
        LaunchOp::FMax if flat_x < flat_y => b,
        LaunchOp::FMax => a,
        LaunchOp::FSat => of(num::saturate(x, 0.0)),
        LaunchOp::FFloor => rounded(Round::Down),
        LaunchOp::FCeil => rounded(Round::Up),
        LaunchOp::FTrunc => rounded(Round::Zero),
        LaunchOp::FFract => of(num::fract(MODE, num::input(MODE, x))),
        LaunchOp::FSign => of(num::output(MODE, num::sign(num::input(MODE, x)))),
        LaunchOp::FRcp => function(Op::Rcp),
        LaunchOp::FRsqrt => function(Op::Rsq),
        LaunchOp::FSqrt => function(Op::Sqrt),
        LaunchOp::FExp2 => function(Op::Exp),
        LaunchOp::FLog2 => function(Op::Log),
        LaunchOp::FSin => function(Op::Sin),
        LaunchOp::FCos => function(Op::Cos),
        LaunchOp::S2F => of(convert::i32_to_f32(Round::Nearest, a as i32)),
        LaunchOp::U2F => of(convert::u32_to_f32(Round::Nearest, a)),
        LaunchOp::F2S => convert::f32_to_i32_wgsl(x) as u32,
        LaunchOp::F2U => convert::f32_to_u32_wgsl(x),
        LaunchOp::IAdd => a.wrapping_add(b),
        LaunchOp::ISub => a.wrapping_sub(b),
        LaunchOp::IMul => a.wrapping_mul(b),
        LaunchOp::UMulHi => gpucc_num::int::umul_hi(a, b),
        LaunchOp::SMulHi => gpucc_num::int::smul_hi(a as i32, b as i32) as u32,
        LaunchOp::SMin => (a as i32).min(b as i32) as u32,
        LaunchOp::SMax => (a as i32).max(b as i32) as u32,
        LaunchOp::UMin => a.min(b),
        LaunchOp::UMax => a.max(b),
        LaunchOp::And => a & b,
        LaunchOp::Or => a | b,
        LaunchOp::Xor => a ^ b,
        LaunchOp::Not => !a,
        LaunchOp::Shl => a << (b & 31),
        LaunchOp::UShr => a >> (b & 31),
        LaunchOp::SShr => ((a as i32) >> (b & 31)) as u32,
        LaunchOp::FEq => mask(flat_x == flat_y),
        LaunchOp::FLt => mask(flat_x < flat_y),
        LaunchOp::FLe => mask(flat_x <= flat_y),
        LaunchOp::IEq => mask(a == b),
        LaunchOp::SLt => mask((a as i32) < b as i32),
        LaunchOp::ULt => mask(a < b),
        LaunchOp::Select if a != 0 => b,
        LaunchOp::Select => c,
        LaunchOp::Limit => a.saturating_sub(b).checked_shr(c).unwrap_or(0),
    }
}
