//! Lines that other tools made: those of the repository, and the whole shared file of a family where it is.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Checks each line; how many there are.
#[track_caller]
pub fn check<E: Display>(text: &str, one: impl Fn(&str) -> Result<(), E>) -> usize {
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let failed: Vec<String> = lines.iter().filter_map(|l| Some(format!("{l}: {}", one(l).err()?))).collect();
    let shown = failed[..failed.len().min(40)].join("\n");
    assert!(failed.is_empty(), "{} of {} lines fail, such as\n{shown}", failed.len(), lines.len());
    lines.len()
}

/// Checks the lines of the shared file.
#[track_caller]
pub fn check_shared<E: Display>(family: &str, one: impl Fn(&str) -> Result<(), E>) {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared");
    let shared = std::env::var_os("GPUCC_SHARED").map_or(beside, PathBuf::from);
    match std::fs::read_to_string(shared.join(format!("vectors/{family}.tsv"))) {
        Ok(text) => println!("{} lines", check(&text, one)),
        Err(_) => println!("skipped: no shared vectors"),
    }
}
