//! Operations between lanes and on shared memory, for each type: reductions and scans of clusters of four, which every subgroup has; what a
//! neighbour holds; atomics on a place of each invocation.

use gpucc::CodegenOptions;
use gpucc_ir::subgroup::{Reach, ReduceOp};
use gpucc_ir::{AtomicOp, Op, Refusal, Scalar};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

use super::exact::{self, Args};
use super::text::{self, Text};
use super::{GROUP, NO_DOUBLES, operands};

/// What the lanes of a cluster get.
fn reduced(op: ReduceOp, reach: Reach, s: Scalar, x: [u64; 4]) -> [u64; 4] {
    let take = |a: u64, b: u64| exact::same(op.op(), s, &[a, b, 0, 0, 0]);
    // In rounds, as the meaning of the op says: the order of sums is part of it.
    let mut scan = x;
    for distance in [1, 2] {
        let before = scan;
        (distance..4).for_each(|k| scan[k] = take(before[k - distance], before[k]));
    }
    match reach {
        Reach::All => [scan[3]; 4],
        Reach::Inclusive => scan,
        Reach::Exclusive => [nothing(op, s), scan[0], scan[1], scan[2]],
    }
}

/// What changes nothing.
fn nothing(op: ReduceOp, s: Scalar) -> u64 {
    let top = 1u64 << (s.bits() - 1);
    match op {
        ReduceOp::IAdd | ReduceOp::UMax | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::IMul => 1,
        ReduceOp::UMin | ReduceOp::And => s.mask(),
        ReduceOp::SMin => top - 1,
        ReduceOp::SMax => top,
        ReduceOp::FAdd => exact::nearest(s, 0.0),
        ReduceOp::FMul => exact::nearest(s, 1.0),
        ReduceOp::FMin => exact::nearest(s, f64::INFINITY),
        ReduceOp::FMax => exact::nearest(s, f64::NEG_INFINITY),
    }
}

/// Operands; of floats those around one, so that nothing is denormal or no number.
fn values(s: Scalar) -> Vec<Args> {
    let fits = |a: &Args| !s.is_float() || a[..2].iter().all(|&v| (0.05..20.0).contains(&exact::number(s, v).abs()));
    let mut list: Vec<Args> = operands(s, true).into_iter().filter(fits).collect();
    // Neighbours in the list of pairs are alike.
    let last = list.len();
    list = (0..last).map(|k| list[k * 37 % last]).collect();
    list.truncate(last / GROUP as usize * GROUP as usize);
    assert!(list.len() >= GROUP as usize, "{} operands", list.len());
    list
}

/// Runs a text on all places; `expects` says which refusals are right, `judge` what is wrong with the places of results. Gives how many runs
/// were judged.
fn everywhere(
    text: &str,
    list: &[Args],
    places: usize,
    expects: impl Fn(&str, &[Refusal]) -> bool + Sync,
    judge: impl Fn(&[u64]) -> Option<String> + Sync,
) -> usize {
    let module = gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{}\n{text}", e.message));
    let input: Vec<u8> = list.iter().flat_map(text::bytes).collect();
    let before =
        Dispatch::new([list.len() as u32 / GROUP, 1, 1]).with(0, 0, input).with(0, 1, vec![0; 8 * places * list.len()]);
    let chips = exec::targets("all:all").into_iter().map(exec::on);
    let all: Vec<(On, u8)> = std::iter::once(On::Interp).chain(chips).flat_map(|on| [(on, 0), (on, 2)]).collect();
    let ends: Vec<Result<bool, String>> = all
        .par_iter()
        .map(|&(on, opt_level)| {
            let mut d = before.clone();
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            match exec::run(&module, "main", on, &codegen, &mut d, &RunOptions::default()) {
                Ok(_) => {
                    let bytes = &d.buffer(0, 1).expect("the output").bytes;
                    let slots: Vec<u64> =
                        bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes"))).collect();
                    judge(&slots).map_or(Ok(true), |why| Err(format!("{on} -O{opt_level}: {why}")))
                }
                Err(Problem::Refused(codes, _)) if expects(&on.to_string(), &codes) => Ok(false),
                Err(p) => Err(format!("{on} -O{opt_level}: {p}")),
            }
        })
        .collect();
    let wrong: Vec<&str> = ends.iter().filter_map(|e| e.as_ref().err()).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ends.iter().filter(|e| matches!(e, Ok(true))).count()
}

/// Whether a chip has no floats of 64 bits, or no room for the whole program.
fn lacks(s: Scalar, chip: &str, codes: &[Refusal]) -> bool {
    let doubles = s == Scalar::F64 && NO_DOUBLES.iter().any(|at| chip.starts_with(at));
    codes.iter().all(|&c| doubles && c == Refusal::WideTypes || chip == "vivante:gc2000" && c == Refusal::ProgramSize)
}

#[test]
fn reductions_of_each_type() {
    for s in Scalar::ALL.into_iter().filter(|&s| s != Scalar::B1) {
        let cases: Vec<(ReduceOp, Reach)> = ReduceOp::ALL
            .iter()
            .filter(|op| op.takes(s))
            .flat_map(|&op| Reach::ALL.iter().map(move |&reach| (op, reach)))
            .collect();
        let list = values(s);
        // Two at a time: the smallest chip has little room.
        for (number, part) in cases.chunks(3).enumerate() {
            let places = part.len() + 1;
            let mut t = Text::new(s, 1, GROUP, places);
            let own = t.given(0);
            for (k, (op, reach)) in part.iter().enumerate() {
                let made = t.value(s.name(), &format!("{} {own}, {op} {reach} of 4", Op::Reduce));
                t.result(k, s, &made);
            }
            let lane = t.value("i32", "sysval subgroup_invocation_id");
            let other = t.value("i32", &format!("xor {lane}, {}:i32", 1 + number % 3));
            let read = t.value(s.name(), &format!("{} {own}, {other}", Op::LaneRead));
            t.result(part.len(), s, &read);
            let runs = everywhere(
                &t.end(),
                &list,
                places,
                |chip, codes| lacks(s, chip, codes),
                |slots| {
                    for (t, group) in list.chunks(4).enumerate() {
                        let x = [group[0][0], group[1][0], group[2][0], group[3][0]];
                        for (k, &(op, reach)) in part.iter().enumerate() {
                            for (lane, want) in reduced(op, reach, s, x).into_iter().enumerate() {
                                let got = text::taken(s, slots[(4 * t + lane) * places + k]);
                                if got != want {
                                    let what = format!("{op} {reach} of {} {x:x?}", s.name());
                                    return Some(format!("{what}, lane {lane}: {got:#x}, not {want:#x}"));
                                }
                            }
                        }
                        for lane in 0..4 {
                            let (got, want) = (slots[(4 * t + lane) * places + part.len()], x[lane ^ (1 + number % 3)]);
                            if text::taken(s, got) != want {
                                return Some(format!("lane {lane} of {x:x?} reads {got:#x} for {want:#x}"));
                            }
                        }
                    }
                    None
                },
            );
            assert!(runs >= 2, "{runs} runs");
        }
    }
}

/// An atomic's new value.
fn changed(op: AtomicOp, s: Scalar, old: u64, v: u64) -> u64 {
    let op = match op {
        AtomicOp::Add => Op::IAdd,
        AtomicOp::Sub => Op::ISub,
        AtomicOp::And => Op::And,
        AtomicOp::Or => Op::Or,
        AtomicOp::Xor => Op::Xor,
        AtomicOp::SMin => Op::SMin,
        AtomicOp::SMax => Op::SMax,
        AtomicOp::UMin => Op::UMin,
        AtomicOp::UMax => Op::UMax,
        AtomicOp::Exchange => return v,
    };
    exact::same(op, s, &[old, v, 0, 0, 0])
}

/// Each atomic of words and of pairs, on buffers and on the memory of workgroups: what was there, and what is there then.
#[test]
fn atomics_of_32_and_64_bits() {
    for s in [Scalar::I32, Scalar::I64] {
        let list = values(s);
        let size = s.bits() / 8;
        for shared in [false, true] {
            // The last is a comparison with what is there, and one with something else.
            let places = 2 * (AtomicOp::ALL.len() + 1);
            let mut t = Text::new(s, 1, GROUP, places);
            let (old, new, other) = (t.given(0), t.given(1), t.given(2));
            let local = t.value("i32", "sysval local_invocation_index");
            let local = t.value("i32", &format!("shl {local}, 3:i32"));
            for k in 0..=AtomicOp::ALL.len() {
                let cell = if shared {
                    format!("global0[0 + {local}] align {size}")
                } else {
                    format!("res1[{} + v1] align {size}", 16 * k)
                };
                t.line(&format!("store {old}, {cell}"));
                let made = match AtomicOp::ALL.get(k) {
                    Some(op) => t.value(s.name(), &format!("{}.{op} {new}, {cell}", Op::Atomic)),
                    None => t.value(s.name(), &format!("{} {other}, {new}, {cell}", Op::CmpXchg)),
                };
                t.result(2 * k + 1, s, &made);
                if shared {
                    let left = t.value(s.name(), &format!("load {cell} {{atomic}}"));
                    t.result(2 * k, s, &left);
                }
            }
            let mut text = t.end();
            if shared {
                text =
                    text.replacen("entry ", &format!("global0 \"w\" workgroup size {} align 8\nentry ", 8 * GROUP), 1);
            }
            let expects = |chip: &str, codes: &[Refusal]| {
                let none =
                    ["tesla:nv50", "vivante:gc2000"].contains(&chip) && codes.iter().all(|&c| c.name() == "atomics");
                let wide = s == Scalar::I64 && (chip.starts_with("tesla") || chip.starts_with("vivante"));
                none || wide && codes.iter().all(|&c| c == Refusal::WideAtomics || c.name() == "atomics")
            };
            let runs = everywhere(&text, &list, places, expects, |slots| {
                for (t, a) in list.iter().enumerate() {
                    for k in 0..=AtomicOp::ALL.len() {
                        let want = match AtomicOp::ALL.get(k) {
                            Some(&op) => changed(op, s, a[0], a[1]),
                            None if a[2] == a[0] => a[1],
                            None => a[0],
                        };
                        let at = t * places + 2 * k;
                        let got = [text::taken(s, slots[at]), text::taken(s, slots[at + 1])];
                        if got != [want, a[0]] {
                            return Some(format!(
                                "{:?} of {a:x?}: {got:x?}, not {want:#x} and {:#x}",
                                AtomicOp::ALL.get(k),
                                a[0]
                            ));
                        }
                    }
                }
                None
            });
            println!("atomics of {}, shared {shared}: {runs} runs", s.name());
            // The oracle, GCN and Valhall have all of them.
            assert!(runs >= 2, "{runs} runs");
        }
    }
}
