//! Floats of 64 bits in GLSL, as glslang writes them and as `spirv-opt` leaves them, on the oracle, on GCN and on nva0. What memory holds
//! afterwards is computed here.
//!
//! Without `glslangValidator` nothing is run, and the test says so.

use gpucc::CodegenOptions;
use gpucc_glsl::need;
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};

use crate::sources::spirv::lowered;

const TEXT: &str = include_str!("doubles.comp");

/// SPIR-V of the text: as glslang writes it, and as `spirv-opt` leaves it.
fn modules() -> Vec<Module> {
    gpucc_glsl::modules("doubles.comp", "vulkan1.2", TEXT).iter().map(|bytes| lowered(bytes)).collect()
}

/// The results of a body, and how many of its last bits the order of sums leaves open.
fn expected(b: [f64; 4], neighbour: f64, i: i32) -> [(f64, f64); 8] {
    let [x, y, z, mass] = b;
    let horner = (1..=8).rev().fold(0.0, |sum: f64, k| sum.mul_add(x, 1.0 / f64::from(k)));
    let bits = mass.to_bits();
    let near = |v: f64| (v, 1e-14 * (1.0 + x.abs() + y.abs() + z.abs()) * (1.0 + mass.abs()));
    let exact = |v: f64| (v, 0.0);
    [
        near(x * mass - y * 0.5 + (y * mass + x * 0.5)),
        exact(z.abs().sqrt() / mass),
        // A fused sum may be two operations.
        near(horner),
        exact(if z < 0.0 { z.floor() } else { y.ceil() + neighbour }),
        exact(f64::from_bits(bits.rotate_left(32))),
        exact(f64::from(z as i32) + f64::from(y as f32)),
        near(x.clamp(-1.0, 1.5) + (x + 2.0 * y + 4.0 * z)),
        near(x * 0.75 + y * 0.25 + mass * 2f64.powi(i - 32)),
    ]
}

#[test]
fn doubles_of_glsl_are_those_of_rust() {
    need!("glslangValidator");
    let bodies: Vec<[f64; 4]> = (0..64)
        .map(|k| {
            let of = |n: u32| f64::from((k as u32 + n).wrapping_mul(0x9e37_79b9) >> 8) / 8_388_608.0 - 1.0;
            [of(1), 3.0 * of(2), 100.0 * of(3), 2.0 + of(4)]
        })
        .collect();
    let input: Vec<u8> = bodies.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let before = Dispatch::new([1; 3]).with(0, 0, input).with(0, 1, vec![0; 64 * 64]);
    let chips = exec::targets("all:all").into_iter().map(exec::on);
    for module in modules() {
        for on in std::iter::once(On::Interp).chain(chips.clone()) {
            for opt_level in [0, 2] {
                let mut d = before.clone();
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                match exec::run(&module, "main", on, &codegen, &mut d, &RunOptions::default()) {
                    Err(Problem::Refused(codes, _)) => {
                        let chip = on.to_string();
                        let has = ["gcn", "tesla:nva0"].iter().any(|with| chip.starts_with(with));
                        assert!(codes.contains(&Refusal::WideTypes) && !has, "{on}: {codes:?}");
                        continue;
                    }
                    other => other.map(drop).unwrap_or_else(|e| panic!("{on} -O{opt_level}: {e}")),
                }
                let bytes = &d.buffer(0, 1).expect("the output").bytes;
                for (i, b) in bodies.iter().enumerate() {
                    for (k, (want, off)) in expected(*b, bodies[63 - i][3], i as i32).into_iter().enumerate() {
                        let at = 8 * (8 * i + k);
                        let got = f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
                        let fits = got == want || (got - want).abs() <= off || got.is_nan() && want.is_nan();
                        assert!(fits, "{on} -O{opt_level}: result {k} of {i}: {got:?}, not {want:?}");
                    }
                }
            }
        }
    }
}
