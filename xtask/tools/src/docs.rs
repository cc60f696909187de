//! Pages that derive from tables: `docs/isa-FAMILY.md`, `docs/support.md` and their like.

use crate::workspace;
use std::fs;

/// A page: file name below `docs/` and the function that makes its text.
type Page = (&'static str, fn() -> String);

const PAGES: &[Page] = &[
    ("isa-valhall.md", gpucc_valhall_machine::reference_page),
    ("isa-tesla.md", gpucc_tesla_machine::reference_page),
    ("isa-gcn.md", gpucc_gcn_machine::reference_page),
    ("ir-ops.md", gpucc_ir::ops::reference_page),
    ("optimisation.md", gpucc_opt::pipeline::reference_page),
    ("isa-vivante.md", gpucc_vivante_machine::reference_page),
    ("support.md", gpucc::support::page),
];

/// Writes the pages, or with `check` says which are not what the tables give now.
pub fn run(check: bool) -> bool {
    let mut ok = true;
    for (name, make) in PAGES {
        let path = workspace::root().join("docs").join(name);
        let text = make();
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            eprintln!("docs/{name} is out of date: run `cargo xtask docs`");
            ok = false;
        } else if let Err(e) = fs::write(&path, text) {
            eprintln!("docs/{name}: {e}");
            ok = false;
        }
    }
    ok
}
