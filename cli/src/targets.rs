//! Lists of targets as people write them, with what was meant where a name is none.

use gpucc::{Target, backends};
use gpucc_scene::near;

use crate::Failure;

/// Names of makers, drivers and chips beside the target that they are.
#[rustfmt::skip]
const OTHER_NAMES: &[(&str, &str)] = &[
    ("amd", "gcn"), ("ati", "gcn"), ("arm", "valhall"), ("bonaire", "gcn:gfx7"), ("carrizo", "gcn:gfx8"),
    ("etnaviv", "vivante"), ("fiji", "gcn:gfx8"), ("g57", "valhall:v9"), ("g610", "valhall:v10"),
    ("g80", "tesla:nv50"), ("g84", "tesla:nv84"), ("gc7000l", "vivante:gc7000"), ("gt200", "tesla:nva0"),
    ("gt215", "tesla:nva3"), ("hawaii", "gcn:gfx7"), ("mali", "valhall"), ("nouveau", "tesla"), ("nvidia", "tesla"),
    ("panfrost", "valhall"), ("pitcairn", "gcn:gfx6"), ("polaris10", "gcn:gfx8"), ("polaris11", "gcn:gfx8"),
    ("radeon", "gcn"), ("radeonsi", "gcn"), ("radv", "gcn"), ("southern-islands", "gcn:gfx6"), ("tahiti", "gcn:gfx6"),
    ("tonga", "gcn:gfx8"), ("verde", "gcn:gfx6"),
];

/// `; did you mean ...?` for a name that is no target, or nothing.
pub fn meant(wrong: &str) -> String {
    let wrong = wrong.to_lowercase();
    let plain: String = wrong.chars().filter(|c| !" -_".contains(*c)).collect();
    let generations =
        backends().iter().flat_map(|b| b.generations().iter().map(|g| (*g, format!("{}:{g}", b.family()))));
    let generations: Vec<(&str, String)> = generations.collect();
    let others = OTHER_NAMES.iter().map(|(name, target)| (*name, (*target).to_string()));
    let named = |(name, target): (&str, String)| {
        let is = wrong == name || plain == name.replace('-', "") || wrong == target;
        is.then_some(target)
    };
    let families = backends().iter().map(|b| (b.family(), b.family().to_string()));
    if let Some(target) = families.chain(generations.iter().cloned()).chain(others).find_map(named) {
        return format!("; did you mean `{target}`?");
    }
    let full: Vec<&str> = generations.iter().map(|g| g.1.as_str()).collect();
    match wrong.contains(':') {
        true => near::meant(&wrong, full.into_iter()),
        false => near::meant(&wrong, backends().iter().map(|b| b.family())),
    }
}

/// Targets of a list, each once; with `interp` as a name as well where it is given.
///
/// # Errors
/// A usage failure with what there is, and with what may have been meant.
pub fn list(text: &str, with_interp: bool) -> Result<Vec<Option<Target>>, Failure> {
    let mut list = Vec::new();
    for item in text.split(',').map(str::trim) {
        let more = match item {
            "interp" if with_interp => vec![None],
            item => one(item, with_interp)?.into_iter().map(Some).collect(),
        };
        for place in more {
            if !list.contains(&place) {
                list.push(place);
            }
        }
    }
    Ok(list)
}

/// The targets of a name without a comma.
fn one(item: &str, with_interp: bool) -> Result<Vec<Target>, Failure> {
    Target::parse_list(item).map_err(|e| {
        let interp = if with_interp && e.starts_with("unknown target") { ", interp" } else { "" };
        let meant = match item {
            _ if !e.starts_with("unknown target") => String::new(),
            _ if with_interp && near::meant(item, ["interp"].into_iter()).contains("interp") => {
                "; did you mean `interp`?".into()
            }
            item => meant(item),
        };
        Failure::Usage(format!("{e}{interp}{meant}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_write() {
        let cases = [
            ("gfx8", "`gcn:gfx8`"),
            ("polaris10", "`gcn:gfx8`"),
            ("Polaris 10", "`gcn:gfx8`"),
            ("GCN", "`gcn`"),
            ("mali", "`valhall`"),
            ("Mali-G57", ""),
            ("amd", "`gcn`"),
            ("gnc", "`gcn`"),
            ("valhal", "`valhall`"),
            ("GC3000", "`vivante:gc3000`"),
            ("something", ""),
        ];
        for (wrong, right) in cases {
            let said = meant(wrong);
            assert!(if right.is_empty() { said.is_empty() } else { said.contains(right) }, "{wrong}: {said}");
        }
        let said = list("gcn,gnc", false).expect_err("it is misspelt").to_string();
        assert!(said.contains("unknown target `gnc`") && said.ends_with("did you mean `gcn`?"), "{said}");
        let said = list("interpr", true).expect_err("it is misspelt").to_string();
        assert!(said.contains(", interp") && said.ends_with("did you mean `interp`?"), "{said}");
        // Each of the other names is a target.
        assert!(OTHER_NAMES.iter().all(|n| Target::parse(n.1).is_ok()));
    }
}
