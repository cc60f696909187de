//! Pages that are made: `docs/isa-FAMILY.md`, `docs/support.md` and their like. Each ends with the revision that it was made from.

use std::fs;

use crate::stamp::{MADE, stamped, unstamped};
use crate::{peers, workspace};

/// A page: file name below `docs/` and the function that makes its text.
type Page = (&'static str, fn() -> String);

/// A page that is made: its file name, and what it says now.
type Made = (String, Result<String, String>);

const PAGES: &[Page] = &[
    ("ir-ops.md", gpucc_ir::ops::reference_page),
    ("optimisation.md", gpucc_opt::passes::reference_page),
    ("support.md", gpucc::support::page),
    ("scene-format.md", crate::scenes::page),
];

/// Names of pages with what they should say now. The one about peers needs the shared folder.
fn pages() -> Vec<Made> {
    let sets = gpucc_machines::MACHINES.iter().map(|m| (format!("isa-{}.md", m.family), Ok((m.reference_page)())));
    let mut list: Vec<Made> = sets.chain(PAGES.iter().map(|(name, make)| ((*name).into(), Ok(make())))).collect();
    list.extend(gpucc_tests::shared::folder().map(|f| ("performance.md".into(), peers::counts_page(&f))));
    list
}

/// The faults of the pages in `docs/`: a line a page that is not what would be made now.
pub fn stale() -> Vec<String> {
    let check = |(name, text): Made| match text {
        Err(e) => Some(format!("docs/{name}: {e}")),
        Ok(text) => {
            let old = fs::read_to_string(workspace::root().join("docs").join(&name)).unwrap_or_default();
            (!old.contains(MADE) || unstamped(&old) != text.trim_end())
                .then(|| format!("docs/{name} is out of date: run `cargo xtask docs`"))
        }
    };
    pages().into_iter().filter_map(check).collect()
}

/// Writes the pages that changed, or with `check` says which are not what would be made now.
pub fn run(check: bool) -> bool {
    if check {
        let stale = stale();
        stale.iter().for_each(|s| eprintln!("{s}"));
        return stale.is_empty();
    }
    let mut ok = true;
    for (name, text) in pages() {
        let path = workspace::root().join("docs").join(&name);
        let written = text.and_then(|text| {
            let old = fs::read_to_string(&path).unwrap_or_default();
            if old.contains(MADE) && unstamped(&old) == text.trim_end() {
                return Ok(());
            }
            fs::write(&path, stamped(&text)).map_err(|e| e.to_string())
        });
        if let Err(e) = written {
            eprintln!("docs/{name}: {e}");
            ok = false;
        }
    }
    ok
}
