//! Tests of `ir/interp/src/accuracy.rs`.

use gpucc_interp::accuracy::*;
use gpucc_interp::compare::Difference;
use gpucc_interp::{MachineMath, OracleProgram, Profile};
use gpucc_ir::text::parse_module;
use gpucc_ir::{Op, Scalar};
use gpucc_num::{Mode, Round, f32 as num};
use gpucc_sim::{Dispatch, RunOptions};

/// `sin(x) ^ 2 + x`, and an integer.
const PROGRAM: &str = r#"module robust off
res0 "in" group 0 binding 0 storage_ro size 4 stride 4
res1 "out" group 0 binding 1 storage_rw size 8 stride 4
entry "main" compute func0 size 1,1,1
func0 "main" {
block0:
  v0: f32 = load res0[0] align 4
  v1: f32 = fsin v0
  v2: f32 = fmul v1, v1
  v3: f32 = fadd v2, v0
  store v3, res1[0] align 4
  store 7:i32, res1[4] align 4
  ret
}
"#;

fn judged(float: impl Fn(f32) -> f32, int: u32) -> Option<Difference> {
    let m = parse_module(PROGRAM).expect("the text is right");
    let p = OracleProgram::new(&m, "main").expect("a program");
    let before = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[1.25]).with_u32(0, 1, &[0, 0]);
    let mut after = before.clone();
    let options = RunOptions::default();
    let outcome = p.run(&mut after, &options, &Profile::default()).expect("it runs");
    let words = after.words(0, 1).expect("the buffer");
    let moved = float(f32::from_bits(words[0]));
    let machine = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[1.25]).with_u32(0, 1, &[moved.to_bits(), int]);
    outside_accuracy(&p, &before, (&options, 0), (&outcome, &after), &machine, |_| false).outside
}

#[test]
fn inside_and_outside() {
    assert_eq!(judged(|x| x, 7), None);
    // sin(1.25) may be off by 2^-11, its square by about 1e-3.
    assert_eq!(judged(|x| x + 5.0e-4, 7), None);
    assert_eq!(judged(|x| x + 1.0e-2, 7).map(|d| d.offset), Some(0));
    assert_eq!(judged(|_| f32::NAN, 7).map(|d| d.offset), Some(0));
    assert_eq!(judged(|x| x, 8).map(|d| d.offset), Some(4), "integers that no rounding reaches are exact");
}

/// What is rounded once goes to one of its neighbours, and what is exact stays, zeros with their sign in one of both ways.
#[test]
fn sums_and_products_go_to_a_neighbour() {
    let special = [0.0, -0.0, 1.0, -1.0, 0.1, -3.7, 1.0e-40, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 1.0e30, 16777217.0];
    let special = special.into_iter().chain([f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    let numbers: Vec<f32> = special.flat_map(|x| [x, x * 0.3, x + 1.0e-3]).collect();
    let pairs: Vec<(f32, f32)> = numbers.iter().flat_map(|x| numbers.iter().map(|y| (*x, *y))).collect();
    type Binary = fn(Mode, f32, f32) -> f32;
    let ops: [(Op, Binary); 3] = [(Op::FAdd, num::add), (Op::FSub, num::sub), (Op::FMul, num::mul)];
    let mut differ = 0;
    for sample in 0..16 {
        let machine = moved(sample, 0).machine.expect("its own arithmetic");
        let flush = sample & 2 != 0;
        let mode = |round| Mode { round, flush_in: flush, flush_out: flush };
        for ((op, f), (x, y)) in ops.iter().flat_map(|o| pairs.iter().map(move |p| (o, *p))) {
            let args = [x, y].map(|v| u64::from(v.to_bits()));
            let got = machine.eval(*op, Scalar::F32, 1, &args).map(|b| f32::from_bits(b as u32)).expect("a float");
            let ends = [Round::Up, Round::Down].map(|r| f(mode(r), x, y));
            differ += usize::from(ends[0].to_bits() != ends[1].to_bits());
            let is_one = |e: f32| e == got || e.is_nan() && got.is_nan();
            assert!(ends.into_iter().any(is_one), "{op} of {x:e} and {y:e} in run {sample}: {got:e}, not of {ends:?}");
            let way = (sample % 8) as usize;
            assert!(way > 1 || is_one(ends[way]), "{op} of {x:e} and {y:e}: run {sample} goes one way");
        }
    }
    assert!(differ > 1000, "{differ}");
}

/// Nothing is said of the sine of a large number. Some runs give numbers, which comparisons and normalised targets tell apart.
#[test]
fn sines_of_large_numbers_are_anything() {
    let x = u64::from(1.0e6_f32.to_bits());
    let runs = (0..8).filter_map(|k| moved(k, 0).machine?.eval(Op::FSin, Scalar::F32, 1, &[x]));
    let runs: Vec<f32> = runs.map(|b| f32::from_bits(b as u32)).collect();
    let mut numbers: Vec<f32> = runs.iter().copied().filter(|x| !x.is_nan()).collect();
    assert!(runs.len() == 8 && numbers.len() == 4 && numbers.iter().all(|x| x.abs() <= 1.0), "{runs:?}");
    numbers.sort_by(f32::total_cmp);
    assert!(numbers[3] - numbers[0] > 0.25, "{numbers:?}");
}

/// `10000 sin(x)^2`, as an integer with one bit turned.
const TURNED: &str = r#"module robust off
res0 "in" group 0 binding 0 storage_ro size 4 stride 4
res1 "out" group 0 binding 1 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1
func0 "main" {
block0:
  v0: f32 = load res0[0] align 4
  v1: f32 = fsin v0
  v2: f32 = fmul v1, v1
  v3: f32 = fmul v2, 10000.0:f32
  v4: i32 = f2s v3
  v5: i32 = xor v4, 64:i32
  store v5, res1[0] align 4
  ret
}
"#;

/// sin(1.25)^2 is 0.90057: the integer is 9005 = 0x232d, and may be off by 9. A turned bit 6 makes 0x236d of it, and 0x2306 of
/// 9030 = 0x2346: near before the bit was turned, far by value, near by the bits that differ.
#[test]
fn bit_operations_on_rounded_numbers() {
    let m = parse_module(TURNED).expect("the text is right");
    let p = OracleProgram::new(&m, "main").expect("a program");
    let before = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[1.25]).with_u32(0, 1, &[0]);
    let mut after = before.clone();
    let options = RunOptions::default();
    let outcome = p.run(&mut after, &options, &Profile::default()).expect("it runs");
    assert_eq!(after.words(0, 1), Some(vec![0x236d]));
    for (word, inside) in [(0x236d, true), (0x2366, true), (0x2306, true), (0x2606, false), (0x336d, false)] {
        let machine = Dispatch::new([1, 1, 1]).with_f32(0, 0, &[1.25]).with_u32(0, 1, &[word]);
        let found = outside_accuracy(&p, &before, (&options, 0), (&outcome, &after), &machine, |_| false);
        assert_eq!(found.outside.is_none(), inside, "{word:#x}");
    }
}

const CUT: &str = r#"module robust on
res0 "input" group 0 binding 0 storage_ro size 4 stride 4
res1 "output" group 0 binding 1 storage_rw size 4 stride 4
entry "main" compute func0 size 1,1,1

func0 "main" {
block0:
  v0: f32 = load res0[0] align 4
  v1: f32 = fmul v0, v0
  v2: i32 = f2s v1
  store v2, res1[0] align 4
  ret
}
"#;

/// The float beside 1000, squared, is 1000000.122; its neighbours are 1000000.0625 and 1000000.125, of which both are cut to a
/// million. Three units of the last place below, still inside the slack, lies 999999.875. Words farther off than the bits that turn there are wrong.
#[test]
fn what_is_cut_hides_its_spread() {
    let m = parse_module(CUT).expect("the text is right");
    let p = OracleProgram::new(&m, "main").expect("a program");
    let with = |word: u32| Dispatch::new([1, 1, 1]).with_f32(0, 0, &[1_000.000_06]).with_u32(0, 1, &[word]);
    let (before, mut after) = (with(0), with(0));
    let options = RunOptions::default();
    let outcome = p.run(&mut after, &options, &Profile::default()).expect("it runs");
    assert_eq!(after.words(0, 1), Some(vec![1_000_000]));
    for (word, inside) in [(999_999, true), (999_800, false), (1_000_200, false)] {
        let found = outside_accuracy(&p, &before, (&options, 0), (&outcome, &after), &with(word), |_| false);
        assert_eq!(found.outside.is_none(), inside, "{word}");
    }
}

#[test]
fn operations_stay_in_their_bounds() {
    let one = |op: Op, args: &[f32], sample: u64| {
        let bits: Vec<u64> = args.iter().map(|x| u64::from(x.to_bits())).collect();
        let r = Moved { sample, width: 1.0 }.eval(op, Scalar::F32, 1, &bits);
        f32::from_bits(r.expect("the op is moved") as u32)
    };
    for sample in 0..16 {
        let near = |r: f32, want: f32, ulps: u32| {
            assert!(num::ulp_distance(r, want).is_some_and(|d| d <= ulps), "{sample}: {r} {want}");
        };
        near(one(Op::FAdd, &[0.1, 0.2], sample), 0.3, 1);
        assert_eq!(one(Op::FAdd, &[1.0, 2.0], sample), 3.0, "an exact sum has no neighbours");
        near(one(Op::FDiv, &[1.0, 3.0], sample), 1.0 / 3.0, 3);
        near(one(Op::FExp2, &[4.0], sample), 16.0, 22);
    }
    assert_ne!(one(Op::FDiv, &[1.0, 3.0], 0), one(Op::FDiv, &[1.0, 3.0], 1));
    let unpacked: Vec<f32> =
        (0..16).map(|sample| Moved { sample, width: 1.0 }.unpacked(Op::UnpackUnorm4x8, 0.1)).collect();
    assert!(unpacked.iter().all(|&x| num::ulp_distance(x, 0.1).is_some_and(|d| d <= 3)), "{unpacked:?}");
    assert!(unpacked.iter().any(|&x| x != 0.1));
    // At a tie, and not beside it.
    let tie = 100.5 / 255.0;
    let packed = |x: f32, sample: u64| {
        (0.5 + 255.0 * f64::from(Moved { sample, width: 1.0 }.packed(Op::PackUnorm4x8, x))) as u32
    };
    assert!((0..16).any(|s| packed(tie, s) == 100) && (0..16).any(|s| packed(tie, s) == 101));
    assert!((0..16).all(|s| packed(100.25 / 255.0, s) == 100));
}

/// WGSL's table for f16: the cosine of a number inside [-pi, pi] may be off by 2^-7, 2^x by 1 + 2 |x| units, a logarithm between a half
/// and two by 2^-7, a quotient by 2.5 units.
#[test]
fn halves_have_bounds_of_their_own() {
    use gpucc_num::Round;
    use gpucc_num::convert::{f16_to_f64, f64_to_f16};
    let half = |x: f64| u64::from(f64_to_f16(Round::Nearest, x));
    let spread = |op: Op, args: &[f64]| {
        let bits: Vec<u64> = args.iter().map(|&x| half(x)).collect();
        let all = (0..16)
            .map(|sample| Moved { sample, width: 1.0 }.eval(op, Scalar::F16, 1, &bits).expect("the op is moved"));
        let list: Vec<f64> = all.map(|r| f16_to_f64(r as u16)).collect();
        list.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)))
    };
    // A unit of the last place between a half and one is 2^-11.
    let unit = 2.0_f64.powi(-11);
    for (op, args, exact, error) in [
        (Op::FCos, &[1.0][..], 1.0_f64.cos(), 2.0_f64.powi(-7)),
        (Op::FSin, &[1.0], 1.0_f64.sin(), 2.0_f64.powi(-7)),
        (Op::FLog2, &[1.5], 1.5_f64.log2(), 2.0_f64.powi(-7)),
        (Op::FExp2, &[-0.5], 0.5_f64.sqrt(), 2.0 * unit),
        (Op::FDiv, &[2.0, 3.0], 2.0 / 3.0, 2.5 * unit),
        (Op::FRsqrt, &[3.0], 1.0 / 3.0_f64.sqrt(), 2.0 * unit),
    ] {
        let (low, high) = spread(op, args);
        // The ends of the bound, each rounded.
        assert!(
            (low - (exact - error)).abs() <= unit && (high - (exact + error)).abs() <= unit,
            "{op:?}: {low} {high}"
        );
    }
    assert!(
        Moved { sample: 0, width: 1.0 }.eval(Op::FAdd, Scalar::F16, 1, &[half(0.1), half(0.2)]).is_none(),
        "the mode rounds it"
    );
}

/// A 256th of a texel, and where floats are whole texels some of these more.
#[test]
fn places_in_textures_are_not_exact() {
    let missed = |place: f64| (0..16).map(move |sample| Moved { sample, width: 1.0 }.missed(place));
    let near = 1.0 / 256.0 + f64::from(f32::EPSILON) * 8.0;
    assert!(missed(8.5).all(|d| d.abs() <= near && d.abs() > 1.0 / 300.0));
    assert!(missed(8.5).any(|d| d > 0.0) && missed(8.5).any(|d| d < 0.0));
    // Floats are 16 texels apart.
    let far: Vec<f64> = missed(2f64.powi(27)).collect();
    assert!(far.iter().all(|d| d.abs() <= 16.0 + near) && far.iter().any(|d| d.abs() > 8.0), "{far:?}");
    assert_eq!(Profile::default().machine.map(|m| m.missed(8.5)), None);
}
