//! Where outside material lies: vectors, conformance cases, corpora. Everything passes without it.

use std::path::{Path, PathBuf};

/// Root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// The shared folder: `GPUCC_SHARED`, default `../shared` beside the workspace; `None` when there is none.
pub fn folder() -> Option<PathBuf> {
    let path = match std::env::var_os("GPUCC_SHARED") {
        Some(p) => PathBuf::from(p),
        None => workspace().join("../shared"),
    };
    path.is_dir().then_some(path)
}

/// A file or folder below the shared folder, if it exists. Says on standard error that the caller skips otherwise.
pub fn find(relative: &str) -> Option<PathBuf> {
    let found = folder().map(|f| f.join(relative)).filter(|p| p.exists());
    if found.is_none() {
        eprintln!("skipped: no `{relative}` in the shared folder");
    }
    found
}
