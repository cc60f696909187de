//! Why pictures of families are apart from the oracle's: the part of the machine's arithmetic that does it.
//!
//! The oracle draws what a machine draws to the bit when it computes by that family's profile (`docs/oracle.md`). Here it takes one part of the
//! profile after the other back to the plain rules, and the pictures say which of them matters.

use std::sync::Arc;

use gpucc_interp::{MachineMath, Profile};
use gpucc_ir::{Op, Scalar};
use gpucc_pipeline::Format;
use gpucc_render::PreparedScene;
use gpucc_render::frame::{self, Options};
use gpucc_render::place::{Place, Programs};
use gpucc_scene::Picture;
use gpucc_scene::difference::Difference;
use gpucc_sim::texture::Texel;

use crate::examples::{APART, picture, read, run};

/// A part of a machine's arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    /// Operations that it computes in its own way.
    Ops(&'static [Op]),
    /// The bits of weights and levels of its samplers.
    Sampling,
    /// How it interpolates.
    Interpolation,
    /// Denormals and how products and sums are rounded.
    Rounding,
}

/// A machine's own operations without some.
struct Without(Arc<dyn MachineMath>, Vec<Op>);

impl MachineMath for Without {
    fn ops(&self) -> &[Op] {
        &self.1
    }
    fn eval(&self, op: Op, scalar: Scalar, lanes: u32, args: &[u64]) -> Option<u64> {
        self.0.eval(op, scalar, lanes, args)
    }
    fn packed(&self, op: Op, lane: f32) -> f32 {
        self.0.packed(op, lane)
    }
    fn stored(&self, format: Format, texel: Texel) -> Texel {
        self.0.stored(format, texel)
    }
    fn loaded(&self, format: Format, texel: Texel) -> Texel {
        self.0.loaded(format, texel)
    }
    fn unpacked(&self, op: Op, lane: f32) -> f32 {
        self.0.unpacked(op, lane)
    }
    fn missed(&self, place: f64) -> f64 {
        self.0.missed(place)
    }
}

/// The options with which the oracle computes as a family does, but for some parts.
pub(crate) fn options(target: gpucc::Target, without: &[Part]) -> Options {
    let mut profile = gpucc_machines::profile(target.family(), target.generation_index());
    let mut options = Options { sampling: gpucc_machines::sampling(target.family()), ..Options::default() };
    let plain = Profile::default();
    for part in without {
        match part {
            Part::Ops(list) => {
                profile.machine = profile.machine.map(|m| {
                    let left = m.ops().iter().copied().filter(|op| !list.contains(op)).collect();
                    Arc::new(Without(m, left)) as Arc<dyn MachineMath>
                });
            }
            Part::Sampling => {
                options.sampling = |s| s.precision;
                profile.level_bits = None;
            }
            Part::Interpolation => profile.interp = None,
            Part::Rounding => (profile.f32, profile.fma, profile.minmax) = (plain.f32, plain.fma, plain.minmax),
        }
    }
    options.profile = profile;
    options
}

/// The picture of the IR that selection read for a target, on the oracle.
pub(crate) fn drawn(ready: &PreparedScene, programs: &Programs, options: &Options) -> Picture {
    let judges = programs.judges(&ready.shaders).unwrap_or_else(|e| panic!("{e}")).expect("programs of a machine");
    let mut resources = ready.resources.clone();
    frame::run(&ready.file.scene, &ready.shaders, &judges, &mut resources, options, &mut || {})
        .unwrap_or_else(|e| panic!("{}: {e}", ready.file.name));
    picture(ready, &resources)
}

/// Each picture that is apart is so by the part that is named: without it at most as many pixels are as are left to fused operations.
#[test]
fn pictures_are_apart_by_what_is_named() {
    for target in gpucc::Target::parse_list("all").expect("targets") {
        for a in APART.iter().filter(|a| a.family == target.family()) {
            let ready = read(a.scene, true);
            let want = picture(&ready, &run(&ready, Place::interp(2)).1);
            let programs = run(&ready, Place::Target(target, 2)).0;
            let without = drawn(&ready, &programs, &options(target, &[a.by]));
            let d = Difference::between(&want, &without).expect("of one size");
            assert!(d.far <= a.left && a.left < a.far, "{} on {target}: {d}", a.scene);
        }
    }
}

/// Prints how far each family is from the oracle with one part of its arithmetic taken away: `cargo test -p gpucc-render causes -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table: run it by name where a picture is apart"]
fn what_each_part_does() {
    const SPECIAL: [(&str, &[Op]); 7] = [
        ("division", &[Op::FDiv]),
        ("square root", &[Op::FSqrt]),
        ("inverse root", &[Op::FRsqrt]),
        ("exponential", &[Op::FExp2]),
        ("logarithm", &[Op::FLog2]),
        ("sine, cosine", &[Op::FSin, Op::FCos]),
        ("least, greatest", &[Op::FMin, Op::FMax]),
    ];
    let names = std::env::var("GPUCC_SCENES").unwrap_or_else(|_| "cobbles,julia,marble,skybox,text".into());
    for name in names.split(',') {
        let ready = read(name, true);
        let want = picture(&ready, &run(&ready, Place::interp(2)).1);
        for target in gpucc::Target::parse_list("all").expect("targets") {
            let (programs, resources, _) = run(&ready, Place::Target(target, 2));
            let apart = |p: &Picture| Difference::between(&want, p).expect("of one size");
            let machine = apart(&picture(&ready, &resources));
            println!("{name} {target}: {machine}");
            if machine.far == 0 {
                continue;
            }
            let own = |without: &[Part]| apart(&drawn(&ready, &programs, &options(target, without)));
            println!("  by its profile: {}", own(&[]));
            let all: Vec<Part> = SPECIAL.iter().map(|s| Part::Ops(s.1)).collect();
            let rest = [Part::Sampling, Part::Interpolation, Part::Rounding];
            println!("  by the rules: {}", own(&[&all[..], &rest].concat()));
            for (what, ops) in SPECIAL {
                println!("  without {what}: {}", own(&[Part::Ops(ops)]));
            }
            for part in rest {
                println!("  without {part:?}: {}", own(&[part]));
            }
        }
    }
}
