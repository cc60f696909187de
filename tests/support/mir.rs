//! Machine passes over texts: one file `mir/PASS.mir` for each pass of a family, with code that it changes, a line `---`, and code
//! that it must leave alone. What it makes of the first is a reviewed snapshot.

use std::collections::BTreeSet;
use std::path::Path;

use gpucc_driver::{Family, run_text};

/// Checks the files of a family; `snapshot` is told the text of before and after.
pub fn check<F: Family>(folder: &Path, mut snapshot: impl FnMut(&str, &str)) {
    let mut failures = Vec::new();
    let mut names: BTreeSet<String> = F::PASSES.iter().map(|p| p.name.to_string()).collect();
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|f| f.expect("an entry").path()).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !names.remove(&name) {
            failures.push(format!("{name}.mir is for no pass of {}", F::NAME));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let Some((fires, stays)) = text.split_once("\n---\n") else {
            failures.push(format!("{name}.mir has no second part behind a line `---`"));
            continue;
        };
        for (part, changes) in [(fires, true), (stays, false)] {
            // Without the pass: the text as the printer has it.
            let plain: String = part.lines().filter(|l| !l.starts_with("; run:")).map(|l| format!("{l}\n")).collect();
            let run = format!("; run: {name}\n{plain}");
            match (run_text::<F>(&plain), run_text::<F>(&run)) {
                (Ok(before), Ok(after)) => {
                    if (before != after) != changes {
                        let what = if changes { "changes nothing" } else { "changes what it must leave alone" };
                        failures.push(format!("{name} {what}:\n{before}\n{after}"));
                    } else if changes {
                        snapshot(&name, &format!("{before}\n==>\n\n{after}"));
                    }
                }
                (Err(e), _) | (_, Err(e)) => failures.push(format!("{name}.mir: {e}\n{plain}")),
            }
        }
    }
    failures.extend(names.into_iter().map(|n| format!("there is no {n}.mir")));
    assert!(failures.is_empty(), "{}: {} failures:\n{}", F::NAME, failures.len(), failures.join("\n"));
}
