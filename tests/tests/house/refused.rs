//! Refusals that a test expects, one by one: where, of which programs, by which code, and in how many runs. A refusal outside of the
//! table fails, and so does a row of which more are refused, or none: what is no longer refused leaves the table. Fewer fail too, but where room is
//! what lacks: any pass that makes code shorter changes that, and need not know the tables.

use gpucc::Target;
use gpucc_ir::Refusal;
use gpucc_ir::refusal::Kind;
use gpucc_tests::exec;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A row of a table.
pub(crate) struct Row {
    /// `family:generation`; with `*` at its end, how the names begin.
    pub(crate) target: &'static str,
    /// A program's name, in the same way.
    pub(crate) program: &'static str,
    pub(crate) code: Refusal,
    /// Refused runs of these, all levels and seeds together; of those that lack room, at most.
    pub(crate) runs: usize,
}

/// Whether a pattern is a name, or begins it.
fn named(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

impl Row {
    fn holds(&self, target: &str, program: &str, code: Refusal) -> bool {
        named(self.target, target) && named(self.program, program) && self.code == code
    }
}

/// The refusals of a test.
#[derive(Default)]
pub(crate) struct Refused {
    /// By target, program and code: runs.
    seen: Mutex<BTreeMap<(String, String, Refusal), usize>>,
}

impl Refused {
    /// Notes one run on a machine that was refused.
    pub(crate) fn note(&self, target: Target, program: &str, codes: &[Refusal]) {
        let first = codes.first().copied().expect("a refusal has a code");
        let mut seen = self.seen.lock().expect("no test panics here");
        *seen.entry((target.to_string(), program.into(), first)).or_default() += 1;
    }

    /// The differences from a table. With `exact`, runs are counted; without, a test ran more than the table is made for, and a row must
    /// only hold for one of them.
    pub(crate) fn differs(self, table: &[Row], exact: bool) -> Vec<String> {
        let seen = self.seen.into_inner().expect("no test panics here");
        let asked: Vec<String> = exec::targets("all:all").iter().map(ToString::to_string).collect();
        let mut counts = vec![0; table.len()];
        let mut wrong = Vec::new();
        for ((target, program, code), runs) in &seen {
            match table.iter().position(|r| r.holds(target, program, *code)) {
                Some(k) => counts[k] += runs,
                None => wrong.push(format!("{target}, `{program}`: {runs} runs are refused by `{}`", code.name())),
            }
        }
        for (r, n) in table.iter().zip(counts).filter(|(r, _)| asked.iter().any(|t| named(r.target, t))) {
            // Shorter code may leave fewer that have no room.
            let fewer = r.code.kind() == Kind::Capacity && n < r.runs;
            if n == 0 || exact && n != r.runs && !fewer {
                let code = r.code.name();
                let (target, program, runs) = (r.target, r.program, r.runs);
                wrong.push(format!("{target}, `{program}`: {n} runs are refused by `{code}`, {runs} were"));
            }
        }
        println!("{} runs are refused", seen.values().sum::<usize>());
        wrong
    }
}
