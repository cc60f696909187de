//! Faults of a compiler that are made on purpose, for the reducer to find small programs that show them.
//!
//! A fault is in a pass over the IR or in machine code: the module or the listing is changed behind the compiler's back. It shows where
//! the machine then stores something else than with the right code, or stops where that does not.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Artifact, Options, Target};
use gpucc_ir::{Attr, IntCc, Module, Op};
use gpucc_reduce::text::{Language, Options as TextOptions, Text};
use gpucc_reduce::{Check, Limits, Report, Subject, reduce};
use gpucc_sim::{Dispatch, RunOptions, Trap};
use gpucc_verify::{InputOverrides, Words};

/// The part of a compiler that a fault is in.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A pass that takes one operation for another, or for none.
    Pass(fn(&mut Module)),
    /// Parts of lines of machine code, each put in the place of another.
    Code(&'static [(&'static str, &'static str)]),
}

/// A fault with a program that shows it.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// What a pass does wrong, in a word or two.
    pub name: &'static str,
    /// The target.
    pub target: &'static str,
    /// The program, of the examples.
    pub example: &'static str,
    /// Where it is.
    pub part: Part,
}

/// The faults.
pub const FAULTS: [Planted; 12] = [
    Planted {
        name: "shift fills with the sign",
        target: "gcn",
        example: "sha256.wgsl",
        part: Part::Pass(signed_shifts),
    },
    Planted {
        name: "compare is signed",
        target: "valhall",
        example: "bitonic.wgsl",
        part: Part::Pass(signed_compares),
    },
    Planted {
        name: "remainder is signed",
        target: "tesla",
        example: "histogram.wgsl",
        part: Part::Pass(signed_remainders),
    },
    Planted { name: "barrier is lost", target: "tesla", example: "scan.wgsl", part: Part::Pass(no_barriers) },
    Planted {
        name: "choice is turned around",
        target: "vivante",
        example: "life.wgsl",
        part: Part::Pass(turned_selects),
    },
    Planted {
        name: "wrong reciprocal",
        target: "gcn",
        example: "nbody.wgsl",
        part: Part::Code(&[("v_rsq_f32_e32", "v_rcp_f32_e32")]),
    },
    Planted {
        name: "wait is lost",
        target: "gcn",
        example: "matmul.wgsl",
        part: Part::Code(&[("s_waitcnt vmcnt(0)", "s_nop 0")]),
    },
    Planted {
        name: "wait is lost",
        target: "valhall",
        example: "matmul_tiled.wgsl",
        part: Part::Code(&[(".wait0", ""), (".wait1", "")]),
    },
    Planted {
        name: "sign of an operand is lost",
        target: "tesla",
        example: "nbody.wgsl",
        part: Part::Code(&[(" neg $r", " $r")]),
    },
    Planted {
        name: "cosine is a sine",
        target: "tesla",
        example: "fft.wgsl",
        part: Part::Code(&[("cos f32", "sin f32")]),
    },
    Planted {
        name: "branch is off by one",
        target: "vivante",
        example: "collatz.wgsl",
        part: Part::Code(&[("branch.ge.u32", "branch.gt.u32"), ("branch.le.u32", "branch.lt.u32")]),
    },
    Planted {
        name: "lanes are not parked",
        target: "gcn",
        example: "collatz.wgsl",
        part: Part::Code(&[("s_andn2_b64 exec, exec, vcc", "s_mov_b64 exec, exec")]),
    },
];

fn each(module: &mut Module, from: &[Op], to: &[Op]) {
    for (_, f) in module.funcs.iter_mut() {
        for (_, i) in f.insts.iter_mut() {
            if let Some(k) = from.iter().position(|op| *op == i.op) {
                i.op = to[k];
            }
        }
    }
}

fn signed_shifts(m: &mut Module) {
    each(m, &[Op::UShr], &[Op::SShr]);
}

fn signed_compares(m: &mut Module) {
    for (_, f) in m.funcs.iter_mut() {
        for (_, i) in f.insts.iter_mut() {
            i.attr = match i.attr {
                Attr::IntCc(IntCc::Ult) => Attr::IntCc(IntCc::Slt),
                Attr::IntCc(IntCc::Ule) => Attr::IntCc(IntCc::Sle),
                _ => continue,
            };
        }
    }
}

fn signed_remainders(m: &mut Module) {
    each(m, &[Op::URem], &[Op::SRem]);
}

fn turned_selects(m: &mut Module) {
    for (_, f) in m.funcs.iter_mut() {
        for (_, i) in f.insts.iter_mut().filter(|(_, i)| i.op == Op::Select) {
            i.args.swap(1, 2);
        }
    }
}

fn no_barriers(m: &mut Module) {
    for (_, f) in m.funcs.iter_mut() {
        let barriers: Vec<_> = f.insts.iter().filter(|(_, i)| i.op == Op::Barrier).map(|(id, _)| id).collect();
        f.blocks.iter_mut().for_each(|(_, b)| b.insts.retain(|i| !barriers.contains(i)));
    }
}

/// Most steps of a run.
const STEPS: u64 = 400_000;

/// The words of buffers that are tried.
const SEEDS: [Words; 4] = [Words::Counts, Words::Numbers, Words::Floats, Words::Bits];

impl Planted {
    /// The text that shows it.
    ///
    /// # Panics
    /// The example is not there.
    pub fn text(&self) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(self.example);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The module of a text, and what the right and the faulty compiler make of it; none of a text that is no program.
    fn compiled(&self, text: &str) -> Option<(Module, Artifact, gpucc_container::Container)> {
        let target = Target::parse(self.target).ok()?;
        let options = Options::new(target);
        let module = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default()).ok()?.module;
        let right = gpucc::compile(&module, &options).ok()?;
        let faulty = match self.part {
            Part::Pass(change) => {
                let mut module = module.clone();
                change(&mut module);
                gpucc::compile(&module, &options).ok()?.container().clone()
            }
            Part::Code(words) => {
                let machine = gpucc_machines::find(target.family())?;
                let generation = target.generation_index();
                let mut faulty = right.container().clone();
                for e in &mut faulty.entries {
                    let notes = gpucc_isa::Notes::default();
                    let mut text = (machine.disassemble)(&e.code, generation, e.stage.bit(), &notes).text;
                    for (from, to) in words {
                        text = text.replace(from, to);
                    }
                    e.code = (machine.assemble)(&text, generation, e.stage.bit(), false).ok()?;
                }
                faulty
            }
        };
        Some((module, right, faulty))
    }

    /// Whether a text shows it.
    pub fn is_in(&self, text: &str) -> bool {
        gpucc::guarded("planted", || Ok(self.shown(text))).unwrap_or(false)
    }

    fn shown(&self, text: &str) -> bool {
        let Some((module, right, faulty)) = self.compiled(text) else { return false };
        let family = &right.container().family;
        let options = RunOptions { step_limit: STEPS, ..RunOptions::default() };
        let given = InputOverrides::default();
        right.container().entries.iter().zip(&faulty.entries).any(|(e, other)| {
            e.code != other.code
                && SEEDS.iter().any(|&words| {
                    let before = gpucc_verify::dispatch(&module, &e.name, family, &given, words);
                    let run = |container: &gpucc_container::Container| -> Result<Dispatch, Trap> {
                        let mut d = before.clone();
                        gpucc_machines::run(container, Some(&e.name), &mut d, &options).map(|_| d)
                    };
                    let Ok(wanted) = run(right.container()) else { return false };
                    match run(&faulty) {
                        Ok(got) => wanted.buffers.iter().zip(&got.buffers).any(|(a, b)| a.bytes != b.bytes),
                        Err(_) => true,
                    }
                })
        })
    }

    /// The smallest text that shows it, and how it was found.
    pub fn reduced(&self, text: &str, time: Duration) -> (String, Report) {
        let subject = Text::new(text, Language::Wgsl, TextOptions::default());
        let stop = AtomicBool::new(false);
        let limits = Limits { until: Some(Instant::now() + time), jobs: 1, stop: &stop };
        let (best, report) = reduce(subject, self, &limits, &mut |_| {});
        let neat = best.tidy();
        let best = if self.is_in(neat.source()) { neat } else { best };
        (String::from_utf8_lossy(&best.bytes()).into_owned(), report)
    }
}

impl Check for Planted {
    fn holds(&self, candidate: &[u8], _slot: usize) -> bool {
        std::str::from_utf8(candidate).is_ok_and(|text| self.is_in(text))
    }
}
