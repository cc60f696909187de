//! Compiles WGSL, runs it on a machine and on the oracle: the part of the backends' tests that is the same for all. The
//! module that includes this file has `BACKEND`, `MACHINE` and `NAMES` of its family.

#![allow(dead_code, reason = "each test uses its part")]

use gpucc_container::Container;
use gpucc_driver::{Backend, CodegenOptions, Output};
use gpucc_frontend_naga as frontend;
use gpucc_ir::Module;
use gpucc_kit::exec::Device;
use gpucc_sim::{Dispatch, RunOptions, Trap};

use super::{BACKEND, MACHINE, NAMES};

pub fn module(wgsl: &str) -> Module {
    let parsed = frontend::parse(frontend::Input::text(wgsl), frontend::Lang::Wgsl).unwrap_or_else(|e| panic!("{e:?}"));
    frontend::lower(&parsed, &frontend::Options::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

pub fn options(level: u8) -> CodegenOptions {
    CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() }
}

pub fn compile(m: &Module, generation: usize, o: &CodegenOptions) -> Output {
    BACKEND.compile(m, &m.entries[0].name, generation, o).unwrap_or_else(|d| panic!("{d}"))
}

pub fn container(out: &Output, generation: usize) -> Container {
    Container::of(BACKEND.family(), NAMES[generation], vec![out.entry.clone()])
}

pub fn run(out: &Output, generation: usize, d: &Dispatch, perturb: Option<u64>) -> Result<Dispatch, Trap> {
    let mut d = d.clone();
    // Through the bytes, as a driver would.
    let c = Container::read(&container(out, generation).write()).unwrap();
    MACHINE(&c, None, &mut d, &RunOptions { step_limit: 500_000_000, perturb, ..RunOptions::default() })?;
    Ok(d)
}

/// The default generation under the suites of the kit.
pub fn device() -> Device {
    Device::new(&BACKEND, MACHINE, BACKEND.default_generation())
}

/// The oracle's result.
pub fn oracle(m: &Module, d: &Dispatch) -> Dispatch {
    let mut d = d.clone();
    gpucc_interp::run(m, &m.entries[0].name, &mut d, &gpucc_interp::Options::default())
        .unwrap_or_else(|t| panic!("{t}"));
    d
}

/// Runs on every generation and level and compares all buffers with the oracle.
pub fn check(wgsl: &str, d: &Dispatch, generations: &[usize]) {
    let m = module(wgsl);
    let want = oracle(&m, d);
    for &g in generations {
        for level in 0..=3 {
            let out = compile(&m, g, &options(level));
            // For people, where something is wrong.
            let texts = || {
                let o = CodegenOptions { texts: true, ..options(level) };
                format!("{}\n{}", compile(&m, g, &o).gir, BACKEND.listing(&out, g))
            };
            for perturb in [None, Some(5)] {
                let got =
                    run(&out, g, d, perturb).unwrap_or_else(|t| panic!("{} -O{level}: {t}\n{}", NAMES[g], texts()));
                for (x, y) in got.buffers.iter().zip(&want.buffers) {
                    assert_eq!(x.bytes, y.bytes, "{} -O{level} binding {}\n{}", NAMES[g], x.binding, texts());
                }
            }
        }
    }
}
