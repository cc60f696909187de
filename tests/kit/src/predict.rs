//! Which refusals are predicted: the list of codes and what each backend says of them (`docs/support.md`), and for capacity the
//! ids of `tests/capacity.tsv`. Any other refusal is a failure, in every runner and test.

use std::collections::BTreeMap;
use std::fmt;

use gpucc_ir::refusal::Kind;
use gpucc_ir::{Refusal, Stage, Unsupported};

use crate::exec::On;

/// A refusal for want of room that is known: one of these shaders, here, needs so much and there is so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    /// The runner's name for the shader.
    pub id: &'a str,
    /// `family:generation`.
    pub target: &'a str,
    /// The code.
    pub code: Refusal,
    /// The needed amount; both figures are in the message.
    pub needs: &'a str,
    /// The available amount.
    pub limit: &'a str,
}

/// The rows of a list: id, target, code, need and limit, with tabs between them.
///
/// # Errors
/// The first line that is no row.
pub fn parse(text: &str) -> Result<Vec<Listed<'_>>, String> {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|l| {
            let bad = || format!("`{l}` is not `id target code needs limit`");
            let [id, target, code, needs, limit] = l.split('\t').collect::<Vec<_>>()[..] else { return Err(bad()) };
            let code = Refusal::parse(code).filter(|c| c.kind() == Kind::Capacity).ok_or_else(bad)?;
            Ok(Listed { id, target, code, needs, limit })
        })
        .collect()
}

/// The rows of `tests/capacity.tsv`.
pub fn listed() -> Vec<Listed<'static>> {
    parse(include_str!("../../capacity.tsv")).unwrap_or_else(|e| panic!("tests/capacity.tsv: {e}"))
}

/// Whether documentation says that a place refuses what has this code.
pub fn documented(on: On, code: Refusal) -> bool {
    code.everywhere().is_some()
        || match on {
            On::Interp | On::Passes(_) => false,
            On::Machine(d) => Unsupported::find(d.backend.unsupported(), d.generation_name(), code).is_some(),
        }
}

/// Whether documentation says that a place refuses what has this code in entry points of a stage.
pub fn documented_in(on: On, stage: Stage, code: Refusal) -> bool {
    code.everywhere().is_some()
        || match on {
            On::Interp | On::Passes(_) => false,
            On::Machine(d) => Unsupported::find_in(d.backend.unsupported(), d.generation_name(), stage, code).is_some(),
        }
}

/// Whether all of these codes are predicted for a shader of this id.
pub fn predicted(on: On, id: &str, codes: &[Refusal], message: &str) -> bool {
    let known = |code: Refusal| {
        let named = |l: &Listed<'_>| {
            (l.id, l.code, l.target) == (id, code, on.to_string().as_str())
                && number(message, l.needs)
                && number(message, l.limit)
        };
        documented(on, code) && (code.kind() != Kind::Capacity || listed().iter().any(named))
    };
    !codes.is_empty() && codes.iter().all(|&c| known(c))
}

/// So many instructions or fewer are little room: random programs need more of them now and then.
const SHORT: u64 = 512;

/// Whether a random program is refused for its length where there is little room. Such programs are not listed one by one.
pub fn too_long(on: On, codes: &[Refusal]) -> bool {
    let On::Machine(d) = on else { return false };
    let code = Refusal::ProgramSize;
    let most = Unsupported::find(d.backend.unsupported(), d.generation_name(), code).and_then(|l| l.most);
    codes == [code] && most.is_some_and(|n| n <= SHORT)
}

/// Whether the refusal of a random program is predicted: it is listed, or the program is long where there is little room.
pub fn of_random(on: On, id: &str, codes: &[Refusal], message: &str) -> bool {
    predicted(on, id, codes, message) || too_long(on, codes)
}

/// Whether a text has a number, standing alone.
pub fn number(text: &str, n: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(|part| part == n)
}

/// How often which code was refused where, as a table.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<(String, String, bool), u64>);

impl Tally {
    /// Counts one refusal.
    pub fn add(&mut self, on: On, codes: &[Refusal], predicted: bool) {
        let names: Vec<&str> = codes.iter().map(|c| c.name()).collect();
        *self.0.entry((names.join("+"), on.to_string(), predicted)).or_default() += 1;
    }
    /// Counts what another has counted.
    pub fn merge(&mut self, other: Tally) {
        for (k, n) in other.0 {
            *self.0.entry(k).or_default() += n;
        }
    }
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((code, on, predicted), n) in &self.0 {
            let how = if *predicted { "predicted" } else { "NOT PREDICTED" };
            writeln!(f, "refused {n:>6}  {on:<16} {code:<24} {how}")?;
        }
        Ok(())
    }
}
