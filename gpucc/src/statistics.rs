//! Statistics: every number that a backend says of an entry point, with unit, meaning, and the direction that is worse.
//! Reports, comparisons, gates and the documentation read this one list, which is that of each family in turn.

use std::sync::LazyLock;

use gpucc_driver::Backend;
pub use gpucc_driver::statistics::{Statistic, Worse};

use crate::backends;

/// All of them, in the order in which pages list them: each family's stand in the order of its own list.
pub static STATISTICS: LazyLock<Vec<Statistic>> = LazyLock::new(|| joined(backends().iter().map(|b| b.statistics())));

/// One list of several: the first number that no list has behind another comes next. Where lists contradict each other, the first of them is right.
fn joined(lists: impl Iterator<Item = &'static [Statistic]>) -> Vec<Statistic> {
    let mut lists: Vec<&[Statistic]> = lists.collect();
    let mut all = Vec::new();
    loop {
        lists.retain(|l| !l.is_empty());
        let behind = |s: &Statistic| lists.iter().any(|l| l[1..].iter().any(|o| o.name == s.name));
        let heads = || lists.iter().filter_map(|l| l.first());
        let Some(next) = heads().find(|s| !behind(s)).or_else(|| heads().next()).copied() else { return all };
        all.push(next);
        for l in &mut lists {
            *l = if l[0].name == next.name { &l[1..] } else { l };
        }
    }
}

/// The families that report a number, in the order of targets.
pub fn families(s: &Statistic) -> Vec<&'static str> {
    let has = |b: &&&'static dyn Backend| b.statistics().iter().any(|o| o.name == s.name);
    backends().iter().filter(has).map(|b| b.family()).collect()
}

/// The statistic of that name.
pub fn find(name: &str) -> Option<&'static Statistic> {
    STATISTICS.iter().find(|s| s.name == name)
}

/// The table of all statistics for the page on the command line.
pub fn table() -> String {
    let mut out = String::from(
        "| name | unit | families | worse | limited without a gate | total | meaning |\n|---|---|---|---|---|---|---|\n",
    );
    for s in STATISTICS.iter() {
        let own = families(s);
        let families = if own.len() == backends().len() { "all".into() } else { own.join(", ") };
        let gated = if s.gated { "yes" } else { "" };
        let total = if s.mean { "mean" } else { "sum" };
        let (name, unit, worse, meaning) = (s.name, s.unit, s.worse.name(), s.meaning);
        out += &format!("| `{name}` | {unit} | {families} | {worse} | {gated} | {total} | {meaning} |\n");
    }
    out
}
