//! Where outside material lies. Everything passes without it.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    match std::env::var_os("GPUCC_SHARED") {
        Some(p) => PathBuf::from(p),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    }
}

/// A page of the shared folder.
pub fn page(name: &str) -> Option<String> {
    let found = std::fs::read_to_string(root().join(name)).ok();
    if found.is_none() {
        eprintln!("skipped: no `{name}` in the shared folder");
    }
    found
}

/// The conformance cases of graphics, one file for each group, sorted; empty if there is no shared folder.
pub fn gfx() -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(root().join("conformance/gfx")) else {
        eprintln!("skipped: no `conformance/gfx` in the shared folder");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = folder.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "json"));
    files.sort();
    files
}
