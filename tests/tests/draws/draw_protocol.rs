//! Draws under a change of their machine code: helpers that are cut, lanes that come back over a discard.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::flags;
use gpucc_ir::{Refusal, Stage};
use gpucc_tests::{exec, predict};

use crate::draws::draw_kit::{compile, draw, expected, is_near};
use crate::draws::drawing::{self, Drawing};

const SLOPE: &str = "@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(dpdx(v.x) * 4.0, 0, 0, 1); }";

pub const COUNTED: &str = "
    @group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
    @fragment fn fs(v: V) -> @location(0) vec4f {
        if (v.p.x < 8.0) { discard; }
        let slope = dpdx(v.x) * 4.0;
        atomicAdd(&n, 1u);
        return vec4f(slope, 0, 0, 1);
    }";

/// The same for chips whose fragments write no memory, or have no atomics.
const DISCARDED: &str = "
    @fragment fn fs(v: V) -> @location(0) vec4f {
        if (v.p.x < 8.0) { discard; }
        let slope = dpdx(v.x) * 4.0;
        return vec4f(slope, 0, 0, 1);
    }";

/// The row of a family that draws.
fn row(target: Target) -> &'static Drawing {
    drawing::row(target).unwrap_or_else(|| panic!("{target} draws and has no row in tests/tests/draws/drawing.rs"))
}

#[test]
fn slopes_need_helpers() {
    for target in drawing::drawing("all:all") {
        for level in [0, 2] {
            let (v, f) = (compile(SLOPE, "vs", target, level), compile(SLOPE, "fs", target, level));
            assert_ne!(f.entries[0].meta.flags & flags::DERIVATIVES, 0);
            let (red, _) = draw(&v, &f).unwrap_or_else(|t| panic!("{target}: {t}"));
            assert!(is_near(&red, &expected(0)), "{target} -O{level}: {red:?}");
            let (mut cut, row) = (f.clone(), row(target));
            let Some(cut_helpers) = row.cut_helpers else { continue };
            let n = cut_helpers(target.generation(), &mut cut.entries[0].code);
            assert_eq!(n, 1, "{target}");
            match draw(&v, &cut) {
                Err(_) => {}
                Ok((red, _)) => assert!(!is_near(&red, &expected(0)), "{target}: nobody misses helpers"),
            }
        }
    }
}

#[test]
fn what_is_discarded_stays_so() {
    for target in drawing::drawing("all:all") {
        for level in [0, 2] {
            let lacks = |code| predict::documented_in(exec::on(target), Stage::Fragment, code);
            let writes = !lacks(Refusal::StorageBuffers) && !lacks(Refusal::Atomics);
            let source = if writes { COUNTED } else { DISCARDED };
            let (v, f) = (compile(source, "vs", target, level), compile(source, "fs", target, level));
            assert_ne!(f.entries[0].meta.flags & flags::DISCARD, 0);
            let (red, n) = draw(&v, &f).unwrap_or_else(|t| panic!("{target}: {t}"));
            assert!(is_near(&red, &expected(8)), "{target} -O{level}: {red:?}");
            assert!(n == 28 || !writes, "{target} -O{level}");
            let mut back = f.clone();
            let k = (row(target).forget_discards)(target.generation(), &mut back.entries[0].code);
            assert!(k > 0, "{target}: lanes are never cut to what is live");
            match draw(&v, &back) {
                Err(_) => {}
                Ok((red, n)) => {
                    assert!(
                        (n != 28 || !writes) && !is_near(&red, &expected(8)),
                        "{target}: nobody misses live lanes, {n}"
                    );
                }
            }
        }
    }
}

/// `dpdx(v.x) * 4.0` between fences that other programs would see.
const FENCED: &str = "module robust on
entry \"fs\" fragment func0 {
  in0 \"x\" location 0 f32
  out0 \"c\" location 0 f32x4
}
func0 \"fs\" -> f32x4 {
block0:
  v0: f32 = input in0
  barrier none release device storage
  v1: f32 = derivative v0, x fine
  v2: f32 = fmul v1, 4.0:f32
  barrier none acquire device storage
  v3: f32x4 = compose v2, 0.0:f32, 0.0:f32, 1.0:f32
  ret v3
}
";

/// SPIR-V may have fences in any program. Where programs of a stage store nothing they cost nothing.
#[test]
fn fences_are_there_in_fragment_programs() {
    let loaded = frontend::load(FENCED.as_bytes(), Lang::Gir, &FrontOptions::default());
    let module = loaded.unwrap_or_else(|e| panic!("{}", gpucc::Errors(e))).module;
    for target in drawing::drawing("all:all") {
        for level in 0..4 {
            let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
            let f = gpucc::compile_entry(&module, "fs", &Options { target, codegen });
            let f = f.unwrap_or_else(|d| panic!("{target} -O{level}: {d}")).container().clone();
            let v = compile(SLOPE, "vs", target, level);
            let (red, _) = draw(&v, &f).unwrap_or_else(|t| panic!("{target} -O{level}: {t}"));
            assert!(is_near(&red, &expected(0)), "{target} -O{level}: {red:?}");
        }
    }
}
