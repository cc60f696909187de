//! Random draws on the oracle and on machines: the run behind `randprog --stage draw`.

use std::collections::BTreeMap;

use gpucc::glsl::Reader;
use gpucc_glsl::{Source, compile, fault};
use gpucc_ir::Refusal;
use gpucc_kit::exec::{On, Problem, problem};
use gpucc_kit::predict::{self, Tally};
use gpucc_kit::randprog::Failure;
use gpucc_render::Failure as RenderFailure;
use rayon::prelude::*;

use crate::pairs::{Part, Ready, compare, ready, ready_by};
use crate::randdraw::{Pair, pair};

/// Draws whose texts are compiled at once.
const AT_ONCE: u64 = 200;

/// What modules are made for.
const ENVIRONMENT: &str = "vulkan1.1";

/// What is run.
pub struct Job<'a> {
    /// The first number, and how many.
    pub seeds: std::ops::Range<u64>,
    /// Where.
    pub on: &'a [On],
    /// Levels of optimisation.
    pub levels: &'a [u8],
    /// Whether texts are read as GLSL too, which must draw the same; naga's parser draws the same on the oracle, or refuses them.
    pub as_text: bool,
}

/// A run that was wrong.
pub struct Wrong {
    /// The draw's number.
    pub seed: u64,
    /// The place and the level.
    pub at: (On, u8),
    /// The difference.
    pub why: String,
}

/// The counts of a job.
#[derive(Default)]
pub struct Done {
    /// Runs that agree.
    pub passed: u64,
    /// Pixels compared, and pixels that are open.
    pub pixels: (u64, u64),
    /// Refusals.
    pub refused: Tally,
    /// Runs that do not agree.
    pub wrong: Vec<Wrong>,
    /// Draws by the form that they have, so that a table shows what was drawn.
    pub forms: BTreeMap<&'static str, u64>,
}

impl Done {
    /// Of one run, which is wrong.
    pub(crate) fn of_one(wrong: Wrong) -> Done {
        Done { wrong: vec![wrong], ..Done::default() }
    }

    /// Adds what others gave.
    pub fn add(&mut self, other: Done) {
        self.passed += other.passed;
        self.pixels.0 += other.pixels.0;
        self.pixels.1 += other.pixels.1;
        self.refused.merge(other.refused);
        self.wrong.extend(other.wrong);
        other.forms.into_iter().for_each(|(f, n)| *self.forms.entry(f).or_default() += n);
    }
}

/// The modules of draws, by glslang.
///
/// # Errors
/// There is no compiler; a text that it does not take.
pub fn modules(pairs: &[Pair]) -> Result<Vec<Vec<Part>>, String> {
    let sources: Vec<Source> = pairs
        .iter()
        .flat_map(|p| &p.shaders)
        .map(|(_, ending, text)| Source { stage: ending, text: text.clone() })
        .collect();
    let made = compile(ENVIRONMENT, &sources).map_err(|e| e.to_string())?;
    let made = made.ok_or("there is neither `glslc` nor `glslangValidator`")?;
    let mut made = made.into_iter();
    pairs
        .iter()
        .map(|p| {
            let parts = p.shaders.iter().map(|(name, ..)| {
                let module = made.next().unwrap_or_else(|| Err("no module".into()));
                let module = module.map_err(|e| format!("seed {}: {name}: {e}", p.seed))?;
                Ok((name.to_string(), "spv", module))
            });
            parts.collect()
        })
        .collect()
}

/// Runs a job.
///
/// # Errors
/// There is no compiler of GLSL; a text that it does not take.
pub fn run(job: &Job<'_>) -> Result<Done, String> {
    let mut all = Done::default();
    let mut from = job.seeds.start;
    while from < job.seeds.end {
        let pairs: Vec<Pair> = (from..job.seeds.end.min(from + AT_ONCE)).map(pair).collect();
        let modules = modules(&pairs)?;
        let list: Vec<Done> = pairs.par_iter().zip(modules).map(|(p, m)| draw(p, m, job)).collect();
        list.into_iter().for_each(|d| all.add(d));
        from += AT_ONCE;
    }
    Ok(all)
}

fn draw(pair: &Pair, modules: Vec<Part>, job: &Job<'_>) -> Done {
    let mut done = Done::default();
    pair.forms.iter().for_each(|f| *done.forms.entry(f).or_default() += 1);
    let mut forms = vec![("", modules)];
    if job.as_text {
        forms.push((" (text)", pair.texts()));
    }
    let mut first: Option<Vec<Vec<u8>>> = None;
    for (name, parts) in forms {
        let r = match guarded(pair.seed, On::Interp, || ready(&pair.scene, parts.clone())) {
            Ok(r) => r,
            // glslang indexes vectors of specialisation constants by what is none.
            Err(Failure::Wrong(_)) if parts.iter().any(|p| p.1 == "spv" && fault(ENVIRONMENT, &p.2).is_some()) => {
                *done.forms.entry("modules that spirv-val refuses").or_default() += 1;
                return done;
            }
            Err(f) => {
                done.fail(pair, (On::Interp, 0), name, f);
                continue;
            }
        };
        let want = match first.clone().map_or_else(|| oracle(pair, &r), Ok) {
            Ok(want) => want,
            Err(f) => {
                done.fail(pair, (On::Interp, 0), name, f);
                continue;
            }
        };
        for &on in job.on {
            for &level in job.levels {
                done.one(pair, &r, (on, level), name, &want);
            }
        }
        first = Some(want);
    }
    if let Some(want) = first.filter(|_| job.as_text) {
        done.by_naga(pair, &want);
    }
    let open = pair.open.iter().filter(|o| **o).count() as u64 * pair.outputs.len() as u64;
    done.pixels.1 += open;
    if open == (pair.open.len() * pair.outputs.len()) as u64 {
        *done.forms.entry("open everywhere").or_default() += 1;
    }
    done
}

fn oracle(pair: &Pair, r: &Ready) -> Result<Vec<Vec<u8>>, Failure> {
    guarded(pair.seed, On::Interp, || r.draw(On::Interp, 0, pair.seed))
}

/// A panic is a compiler bug with a place.
fn guarded<T>(seed: u64, on: On, what: impl FnOnce() -> Result<T, RenderFailure>) -> Result<T, Failure> {
    let said = match gpucc::guarded("draw", || Ok(what())) {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(RenderFailure::Shader { list, .. })) => match problem(&list) {
            Problem::Refused(codes, why) => {
                let predicted = predict::of_random(on, &format!("randprog draw {seed}"), &codes, &why);
                return Err(Failure::Refused(predicted, codes, why));
            }
            other => other.to_string(),
        },
        Ok(Err(f)) => f.to_string(),
        Err(bug) => bug.to_string(),
    };
    Err(Failure::Wrong(said))
}

impl Done {
    fn one(&mut self, pair: &Pair, r: &Ready, at: (On, u8), form: &str, want: &[Vec<u8>]) {
        match guarded(pair.seed, at.0, || r.draw(at.0, at.1, pair.seed)) {
            Ok(got) => match compare(&pair.outputs, &pair.open, want, &got).or_else(|why| {
                let own = r.by_rules_of(at.0, pair.seed).ok_or(why)?;
                compare(&pair.outputs, &pair.open, &own, &got)
            }) {
                Ok(n) => {
                    self.passed += 1;
                    self.pixels.0 += n;
                }
                Err(why) => self.wrong.push(Wrong { seed: pair.seed, at, why: format!("{why}{form}") }),
            },
            Err(f) => self.fail(pair, at, form, f),
        }
    }

    /// What naga's parser reads right, or refuses, in silence it must not read otherwise.
    fn by_naga(&mut self, pair: &Pair, want: &[Vec<u8>]) {
        let place = (On::Interp, 0);
        let drawn = guarded(pair.seed, On::Interp, || {
            ready_by(&pair.scene, pair.texts(), Reader::Naga).and_then(|r| r.draw(On::Interp, 0, pair.seed))
        });
        let said = match drawn {
            Err(Failure::Refused(_, codes, _)) if codes == [Refusal::Parser] => {
                *self.forms.entry("refused by naga").or_default() += 1;
                return;
            }
            Ok(got) => compare(&pair.outputs, &pair.open, want, &got).err(),
            Err(Failure::Refused(_, _, why) | Failure::Wrong(why)) => Some(why),
        };
        *self.forms.entry("drawn by naga").or_default() += 1;
        let wrong = said.map(|why| Wrong { seed: pair.seed, at: place, why: format!("{why} (text, by naga)") });
        self.wrong.extend(wrong);
    }

    fn fail(&mut self, pair: &Pair, at: (On, u8), form: &str, f: Failure) {
        let why = match f {
            Failure::Refused(predicted, codes, why) => {
                self.refused.add(at.0, &codes, predicted);
                if predicted {
                    return;
                }
                why
            }
            Failure::Wrong(why) => why,
        };
        self.wrong.push(Wrong { seed: pair.seed, at, why: format!("{why}{form}") });
    }
}
