//! A compute program on every place, at some levels, judged by what it leaves in its buffers.

use gpucc::CodegenOptions;
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};
use rayon::prelude::*;

use crate::exec::{self, For, On, Problem};

/// The refusals that a test expects.
#[derive(Clone, Copy)]
pub enum Refusals<'a> {
    /// None: a refusal is a failure.
    None,
    /// Any by a code.
    Listed,
    /// These: the first word is what the name of the place begins with, the second the code.
    These(&'a [(&'a str, &'a str)]),
}

/// Where a program runs, and how.
pub struct Everywhere<'a> {
    module: &'a Module,
    entry: &'a str,
    places: Vec<On>,
    levels: &'a [u8],
    run: RunOptions,
    verify: bool,
    refusals: Refusals<'a>,
}

impl<'a> Everywhere<'a> {
    /// The first entry point on the oracle and on all generations of all families, at the levels 0 and 2.
    ///
    /// # Panics
    /// Where the module has no entry point.
    pub fn new(module: &'a Module) -> Self {
        let machines = exec::targets("all:all").into_iter().map(exec::on);
        Everywhere {
            module,
            entry: &module.entries[0].name,
            places: std::iter::once(On::Interp).chain(machines).collect(),
            levels: &[0, 2],
            run: RunOptions::default(),
            verify: false,
            refusals: Refusals::None,
        }
    }

    /// The machines of a list of targets alone, such as `all`, and the oracle.
    #[must_use]
    pub fn targets(mut self, list: &str) -> Self {
        self.places = std::iter::once(On::Interp).chain(exec::targets(list).into_iter().map(exec::on)).collect();
        self
    }

    /// Without the oracle.
    #[must_use]
    pub fn machines_alone(mut self) -> Self {
        self.places.retain(|on| matches!(on, On::Machine(_)));
        self
    }

    /// The oracle behind the passes of targets that have much and little, too.
    #[must_use]
    pub fn with_passes(mut self) -> Self {
        self.places.extend([On::Passes(For::Rich), On::Passes(For::Poor)]);
        self
    }

    /// Other levels of optimisation.
    #[must_use]
    pub fn levels(mut self, levels: &'a [u8]) -> Self {
        self.levels = levels;
        self
    }

    /// Options of the runs.
    #[must_use]
    pub fn run_options(mut self, run: RunOptions) -> Self {
        self.run = run;
        self
    }

    /// The verifier runs behind each pass.
    #[must_use]
    pub fn verified(mut self) -> Self {
        self.verify = true;
        self
    }

    /// Refusals that are no failures.
    #[must_use]
    pub fn refused(mut self, refusals: Refusals<'a>) -> Self {
        self.refusals = refusals;
        self
    }

    /// Runs on all places and levels. `judge` says what is wrong with what the program left, or with how it ended. Gives how many
    /// runs were judged.
    ///
    /// # Panics
    /// With everything that is wrong, by place and level.
    pub fn judge_ends(
        &self,
        d: &Dispatch,
        judge: impl Fn(Result<&Dispatch, &Problem>) -> Option<String> + Sync,
    ) -> usize {
        let runs: Vec<(On, u8)> =
            self.places.iter().flat_map(|&on| self.levels.iter().map(move |&l| (on, l))).collect();
        let ends: Vec<Result<(), Option<String>>> = runs
            .par_iter()
            .map(|&(on, opt_level)| {
                let codegen = CodegenOptions { opt_level, verify: self.verify, ..CodegenOptions::default() };
                let mut d = d.clone();
                let end = exec::run(self.module, self.entry, on, &codegen, &mut d, &self.run);
                if matches!(&end, Err(p) if self.expects(on, p)) {
                    return Err(None);
                }
                judge(end.as_ref().map(|_| &d)).map_or(Ok(()), |why| Err(Some(format!("{on} -O{opt_level}: {why}"))))
            })
            .collect();
        let wrong: Vec<&str> = ends.iter().filter_map(|e| e.as_ref().err()?.as_deref()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        ends.iter().filter(|e| e.is_ok()).count()
    }

    /// As [`Everywhere::judge_ends`] for programs that end: by the words of the buffer of group 0 and binding 0.
    ///
    /// # Panics
    /// With everything that is wrong, by place and level.
    pub fn judge(&self, d: &Dispatch, judge: impl Fn(&[u32]) -> Option<String> + Sync) -> usize {
        self.judge_ends(d, |end| match end {
            Ok(d) => judge(&d.words(0, 0).expect("the buffer is bound")),
            Err(p) => Some(p.to_string()),
        })
    }

    /// Whether a test expects it.
    fn expects(&self, on: On, p: &Problem) -> bool {
        let Problem::Refused(codes, _) = p else { return false };
        match self.refusals {
            Refusals::None => false,
            Refusals::Listed => !codes.is_empty(),
            Refusals::These(list) => {
                let place = on.to_string();
                list.iter().any(|(at, code)| place.starts_with(at) && codes.iter().all(|c| c.name() == *code))
            }
        }
    }
}
