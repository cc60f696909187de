//! SPIR-V assembly by spirv-as, where it is installed.

use std::process::Command;

use crate::{Failure, files};

/// Assembles the text of a SPIR-V module.
///
/// # Errors
/// Usage if the assembler is not installed, I/O, or what it says of the text.
pub fn assemble(name: &str, text: &[u8]) -> Result<Vec<u8>, Failure> {
    let folder = files::Folder::new("assemble")?;
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
