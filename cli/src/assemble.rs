//! SPIR-V assembly by spirv-as, where it is installed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Failure, files};

/// Assembles the text of a SPIR-V module.
///
/// # Errors
/// Usage if the assembler is not installed, I/O, or what it says of the text.
pub fn assemble(name: &str, text: &[u8]) -> Result<Vec<u8>, Failure> {
    let folder = Folder::new()?;
    let (source, out) = (folder.0.join("shader.spvasm"), folder.0.join("shader.spv"));
    files::write(&source, text)?;
    let done = Command::new("spirv-as").arg("-o").arg(&out).arg(&source).output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage(format!("`{name}` is assembled by spirv-as, which is not installed (package spirv-tools)"))
        }
        _ => Failure::Io(format!("cannot run spirv-as: {e}")),
    })?;
    if done.status.success() {
        return files::read(&out);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let errors: Vec<String> =
        said.lines().map(|l| format!("{name}:{}", l.strip_prefix("error: ").unwrap_or(l))).collect();
    Err(Failure::Input(errors.join("\n")))
}

/// A folder for the assembler's files, which goes with it.
struct Folder(PathBuf);

impl Folder {
    /// A folder that was not there: a process of the same number may have left one of this name.
    fn new() -> Result<Folder, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut tries = 0;
        loop {
            let name = format!("gpucc-assemble-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && tries < 1000 => tries += 1,
                Err(e) => return Err(Failure::Io(format!("cannot create `{}`: {e}", path.display()))),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
