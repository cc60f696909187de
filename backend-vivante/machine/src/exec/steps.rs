//! Computations of the launch before the first thread: rows of the family words (`docs/abi-vivante.md`, 3).
//!
//! A row is four words. With bit 31 of the first clear it is a derived size, `[group, binding, less, shift]`; with it set it is a step,
//! `[number of the step, operands]`. An operand is a word of the launch by its number (file [`FILE_LAUNCH`](crate::abi::FILE_LAUNCH)), or with bit 31 set the result
//! of an earlier row. Floats are as the chip computes them: denormals flushed, each step rounded.

use gpucc_num::{Mode, Round, convert, f32 as num};
use gpucc_sim::Trap;

use super::alu::scalar;
use super::launch::bad;
use crate::abi::STEP;
use crate::rows::Op;

const MODE: Mode = Mode::FLUSH;

macro_rules! steps {
    ($($name:ident $args:literal $meaning:literal,)*) => {
        /// A computation of the launch on 32-bit words.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u32)]
        pub enum Step { $( #[doc = $meaning] $name, )* }

        impl Step {
            /// All steps, each at its number.
            pub const ALL: &[Step] = &[ $( Step::$name, )* ];

            /// How many operands it has.
            pub const fn operands(self) -> usize {
                match self { $( Step::$name => $args, )* }
            }

            /// A description of its result.
            pub const fn meaning(self) -> &'static str {
                match self { $( Step::$name => $meaning, )* }
            }
        }
    };
}

steps! {
    FAdd 2 "sum of floats",
    FSub 2 "difference of floats",
    FMul 2 "product of floats",
    FDiv 2 "quotient of floats",
    FMin 2 "the second float if the first is greater, else the first",
    FMax 2 "the second float if the first is less, else the first",
    FSat 1 "a float limited to 0 to 1; 0 if it is no number",
    FFloor 1 "the greatest whole number that is not above",
    FCeil 1 "the least whole number that is not below",
    FTrunc 1 "the whole number toward zero",
    FFract 1 "what is above the greatest whole number",
    FSign 1 "-1, 0 or 1 as a float",
    FRcp 1 "reciprocal",
    FRsqrt 1 "reciprocal of the square root",
    FSqrt 1 "square root",
    FExp2 1 "power of 2",
    FLog2 1 "logarithm to base 2",
    FSin 1 "sine of quarter turns",
    FCos 1 "cosine of quarter turns",
    S2F 1 "float of a signed integer",
    U2F 1 "float of an unsigned integer",
    F2S 1 "signed integer of a float, limited to -2^31 and 2^31 - 128; 0 if it is no number",
    F2U 1 "unsigned integer of a float, limited to 0 and 2^32 - 256; 0 if it is no number",
    IAdd 2 "sum of integers",
    ISub 2 "difference of integers",
    IMul 2 "low word of the product of integers",
    UMulHi 2 "high word of the product of unsigned integers",
    SMulHi 2 "high word of the product of signed integers",
    SMin 2 "the lesser signed integer",
    SMax 2 "the greater signed integer",
    UMin 2 "the lesser unsigned integer",
    UMax 2 "the greater unsigned integer",
    And 2 "bits that both have",
    Or 2 "bits that one has",
    Xor 2 "bits that differ",
    Not 1 "the other bits",
    Shl 2 "shifted left by the low five bits",
    UShr 2 "shifted right by the low five bits",
    SShr 2 "shifted right by the low five bits, copies of the sign moving in",
    FEq 2 "all ones if the floats are equal, else 0",
    FLt 2 "all ones if the first float is less, else 0",
    FLe 2 "all ones if the first float is less or equal, else 0",
    IEq 2 "all ones if the words are equal, else 0",
    SLt 2 "all ones if the first signed integer is less, else 0",
    ULt 2 "all ones if the first unsigned integer is less, else 0",
    Select 3 "the second word if the first is not 0, else the third",
}

/// Values of all rows. `size` is that of a buffer in bytes.
///
/// # Errors
/// Where a row has no meaning, or names what comes behind it.
pub(crate) fn rows(
    words: &[u32],
    launch: &[Option<u32>],
    size: impl Fn(u32, u32) -> Result<u32, Trap>,
) -> Result<Vec<u32>, Trap> {
    let mut values: Vec<u32> = Vec::with_capacity(words.len() / 4);
    for (n, row) in words.chunks(4).enumerate() {
        let &[first, a, b, c] = row else { return Err(bad(format!("row {n} of the family words has no four words"))) };
        if first & STEP == 0 {
            values.push(size(first, a)?.saturating_sub(b).checked_shr(c).unwrap_or(0));
            continue;
        }
        let Some(&step) = Step::ALL.get((first & !STEP) as usize) else {
            return Err(bad(format!("row {n} of the family words: no step has number {}", first & !STEP)));
        };
        let mut operands = [0; 3];
        for (to, from) in operands.iter_mut().zip([a, b, c]).take(step.operands()) {
            let at = (from & !STEP) as usize;
            let found = if from & STEP == 0 { launch.get(at).copied().flatten() } else { values.get(at).copied() };
            *to = found.ok_or_else(|| bad(format!("row {n} of the family words: there is no operand {from:#x}")))?;
        }
        values.push(result(step, operands));
    }
    Ok(values)
}

/// The result of one step.
pub fn result(step: Step, [a, b, c]: [u32; 3]) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let of = |v: f32| v.to_bits();
    let function = |op: Op| of(scalar(op, false, MODE, None, x));
    let mask = |yes: bool| if yes { u32::MAX } else { 0 };
    let (flat_x, flat_y) = (num::flush(x), num::flush(y));
    let rounded = |round| of(num::output(MODE, num::round_to_int(round, num::input(MODE, x))));
    match step {
        Step::FAdd => of(num::add(MODE, x, y)),
        Step::FSub => of(num::sub(MODE, x, y)),
        Step::FMul => of(num::mul(MODE, x, y)),
        Step::FDiv => of(num::div(MODE, x, y)),
        Step::FMin if flat_x > flat_y => b,
        Step::FMin => a,
        Step::FMax if flat_x < flat_y => b,
        Step::FMax => a,
        Step::FSat => of(num::saturate(x, 0.0)),
        Step::FFloor => rounded(Round::Down),
        Step::FCeil => rounded(Round::Up),
        Step::FTrunc => rounded(Round::Zero),
        Step::FFract => of(num::fract(MODE, num::input(MODE, x))),
        Step::FSign => of(num::output(MODE, num::sign(num::input(MODE, x)))),
        Step::FRcp => function(Op::Rcp),
        Step::FRsqrt => function(Op::Rsq),
        Step::FSqrt => function(Op::Sqrt),
        Step::FExp2 => function(Op::Exp),
        Step::FLog2 => function(Op::Log),
        Step::FSin => function(Op::Sin),
        Step::FCos => function(Op::Cos),
        Step::S2F => of(convert::i32_to_f32(Round::Nearest, a as i32)),
        Step::U2F => of(convert::u32_to_f32(Round::Nearest, a)),
        Step::F2S => convert::f32_to_i32_wgsl(x) as u32,
        Step::F2U => convert::f32_to_u32_wgsl(x),
        Step::IAdd => a.wrapping_add(b),
        Step::ISub => a.wrapping_sub(b),
        Step::IMul => a.wrapping_mul(b),
        Step::UMulHi => gpucc_num::int::umul_hi(a, b),
        Step::SMulHi => gpucc_num::int::smul_hi(a as i32, b as i32) as u32,
        Step::SMin => (a as i32).min(b as i32) as u32,
        Step::SMax => (a as i32).max(b as i32) as u32,
        Step::UMin => a.min(b),
        Step::UMax => a.max(b),
        Step::And => a & b,
        Step::Or => a | b,
        Step::Xor => a ^ b,
        Step::Not => !a,
        Step::Shl => a << (b & 31),
        Step::UShr => a >> (b & 31),
        Step::SShr => ((a as i32) >> (b & 31)) as u32,
        Step::FEq => mask(flat_x == flat_y),
        Step::FLt => mask(flat_x < flat_y),
        Step::FLe => mask(flat_x <= flat_y),
        Step::IEq => mask(a == b),
        Step::SLt => mask((a as i32) < b as i32),
        Step::ULt => mask(a < b),
        Step::Select if a != 0 => b,
        Step::Select => c,
    }
}
