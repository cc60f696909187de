//! GLSL to SPIR-V by glslang for tests, many texts at once.
//!
//! A start of `glslangValidator` takes a tenth of a second of CPU, nearly all of it for the declarations of built-ins. `glslc` (Debian: `glslc`), the same
//! front end, makes these once for all files that it is given, and then takes a millisecond for each. Where it is not installed
//! `glslangValidator` compiles one text after the other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A text and its stage as the tools call it, such as `vert` or `comp`.
#[derive(Clone, Debug)]
pub struct Source {
    /// The stage.
    pub stage: &'static str,
    /// The text, with its `#version`.
    pub text: String,
}

/// A SPIR-V module, or what the compiler says.
pub type Compiled = Result<Vec<u8>, String>;

/// A folder that goes with its files.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("gpucc-glsl-{}-{n}", std::process::id()));
        // One that a process of the same number left.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a tool is installed.
pub fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// What `spirv-val` finds wrong with a module; none where it finds nothing, or is not installed.
pub fn fault(environment: &str, module: &[u8]) -> Option<String> {
    let folder = Folder::new().ok()?;
    let path = folder.0.join("m.spv");
    std::fs::write(&path, module).ok()?;
    let out = Command::new("spirv-val").args(["--target-env", environment]).arg(&path).output().ok()?;
    (!out.status.success()).then(|| String::from_utf8_lossy(&out.stderr).trim().to_string())
}

/// Compiles all texts for an environment such as `vulkan1.2`; the results have the order of the texts. None where no compiler is installed.
///
/// # Errors
/// Files cannot be written.
pub fn compile(environment: &str, sources: &[Source]) -> std::io::Result<Option<Vec<Compiled>>> {
    let folder = Folder::new()?;
    let names: Vec<String> = sources.iter().enumerate().map(|(k, s)| format!("s{k}.{}", s.stage)).collect();
    for (name, s) in names.iter().zip(sources) {
        std::fs::write(folder.0.join(name), &s.text)?;
    }
    if has("glslc") {
        return all_at_once(&folder.0, environment, &names).map(Some);
    }
    if !has("glslangValidator") {
        return Ok(None);
    }
    names.iter().map(|name| one(&folder.0, environment, name)).collect::<std::io::Result<_>>().map(Some)
}

fn all_at_once(folder: &Path, environment: &str, names: &[String]) -> std::io::Result<Vec<Compiled>> {
    let mut compiled = Vec::with_capacity(names.len());
    // Command lines have an end.
    for names in names.chunks(1000) {
        let done = Command::new("glslc")
            .current_dir(folder)
            .arg("-c")
            .arg(format!("--target-env={environment}"))
            // As many as `glslangValidator` lets a text have.
            .arg("-flimit=MaxDrawBuffers 32")
            .args(names)
            .output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        compiled.extend(names.iter().map(|name| {
            // A file that is wrong has no module; the others have theirs. Newer stages' endings are replaced.
            let module = folder.join(format!("{name}.spv"));
            std::fs::read(&module).or_else(|_| std::fs::read(folder.join(name).with_extension("spv"))).map_err(|_| {
                let own: Vec<&str> = said.lines().filter(|l| l.starts_with(&format!("{name}:"))).collect();
                if own.is_empty() { said.to_string() } else { own.join("\n") }
            })
        }));
    }
    Ok(compiled)
}

fn one(folder: &Path, environment: &str, name: &str) -> std::io::Result<Compiled> {
    let module = folder.join(format!("{name}.spv"));
    let done = Command::new("glslangValidator")
        .current_dir(folder)
        .args(["-V", "--target-env", environment, name, "-o"])
        .arg(&module)
        .output()?;
    if done.status.success() {
        std::fs::read(module).map(Ok)
    } else {
        Ok(Err(String::from_utf8_lossy(&done.stdout).into()))
    }
}
