//! A number of the compiler's sources, by which data of a pipeline cache are told from those of another build of the same version.

use std::path::Path;
use std::{env, fs, io};

/// Beginnings of the names of the workspace's folders whose sources decide what code is made, or what is said of it.
const FOLDERS: &[&str] = &[
    "Cargo.lock",
    "backend-",
    "container",
    "frontend-",
    "gpucc",
    "ir",
    "isa",
    "mir",
    "pipeline",
    "regalloc",
    "runtime",
];

/// Mixes bytes into a number (FNV-1a).
fn mix(number: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(number, |n, &b| (n ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Mixes a file into a number, or all sources below a folder: names and contents, in the order of names. `seen` hears of what was read.
fn sources(number: &mut u64, path: &Path, seen: &mut dyn FnMut(&Path)) -> io::Result<()> {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if path.is_dir() {
        if matches!(name, "tests" | "benches" | "target") {
            return Ok(());
        }
        let mut all = fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<io::Result<Vec<_>>>()?;
        all.sort();
        return all.iter().try_for_each(|p| sources(number, p, seen));
    }
    if [".rs", ".toml", ".lock"].iter().any(|end| name.ends_with(end)) {
        seen(path);
        *number = mix(mix(mix(*number, name.as_bytes()), &[0]), &fs::read(path)?);
    }
    Ok(())
}

/// The number of what lies below the root of the workspace.
pub fn number(root: &Path, seen: &mut dyn FnMut(&Path)) -> io::Result<u64> {
    let mut number = 0xcbf2_9ce4_8422_2325;
    let mut all = fs::read_dir(root)?.map(|e| Ok(e?.path())).collect::<io::Result<Vec<_>>>()?;
    all.sort();
    for path in all {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if FOLDERS.iter().any(|f| name.starts_with(f)) {
            sources(&mut number, &path, seen)?;
        }
    }
    Ok(number)
}

fn main() -> io::Result<()> {
    let own = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    let root = Path::new(&own).join("../..");
    let number = number(&root, &mut |path| println!("cargo::rerun-if-changed={}", path.display()))?;
    println!("cargo::rustc-env=GPUCC_SOURCES={number:016x}");
    Ok(())
}
