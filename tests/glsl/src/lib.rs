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

/// Whether all of these tools are installed; says which one is not.
pub fn installed(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| !has(tool));
    if let Some(tool) = missing {
        eprintln!("skipped: there is no `{tool}`");
    }
    missing.is_none()
}

/// Ends a test where one of these tools is not installed, and says so.
#[macro_export]
macro_rules! need {
    ($($tool:expr),+) => {
        if !$crate::installed(&[$($tool),+]) {
            return;
        }
    };
}

/// A file of this process alone.
pub fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gpucc-tools-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder.join(name)
}

/// Runs a tool that writes the file `out` of [`scratch`] with `-o`; what it says if it fails.
///
/// # Errors
/// The tool's own, or it cannot be started.
pub fn tool(tool: &str, args: &[&str], out: &str) -> Result<Vec<u8>, String> {
    let out = scratch(out);
    let done = Command::new(tool).args(args).arg("-o").arg(&out).output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        let said = [done.stdout, done.stderr].concat();
        return Err(format!("{tool} {args:?}: {}", String::from_utf8_lossy(&said)));
    }
    std::fs::read(&out).map_err(|e| e.to_string())
}

/// What a tool makes of a text or module, in the files `name` and `out` of [`scratch`].
#[track_caller]
fn made(program: &str, args: &[&str], (name, content): (&str, &[u8]), out: &str) -> Vec<u8> {
    let path = scratch(name);
    std::fs::write(&path, content).expect("a file");
    let args: Vec<&str> = args.iter().copied().chain(path.to_str()).collect();
    tool(program, &args, out).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The module of one text by `glslangValidator`, for an environment such as `vulkan1.2`. The name is that of the file and ends in the stage; the
/// module becomes `NAME.spv` in [`scratch`].
#[track_caller]
pub fn module(name: &str, environment: &str, text: &str) -> Vec<u8> {
    let args = ["-V", "--target-env", environment];
    made("glslangValidator", &args, (name, text.as_bytes()), &format!("{name}.spv"))
}

/// A module behind `spirv-opt -O`.
#[track_caller]
pub fn optimised(name: &str, module: &[u8]) -> Vec<u8> {
    made("spirv-opt", &["-O"], (&format!("{name}.in.spv"), module), &format!("{name}-O.spv"))
}

/// The module of a text by `glslangValidator`, and what `spirv-opt` makes of it, where that is installed.
#[track_caller]
pub fn modules(name: &str, environment: &str, text: &str) -> Vec<Vec<u8>> {
    let plain = module(name, environment, text);
    let optimised = has("spirv-opt").then(|| optimised(name, &plain));
    std::iter::once(plain).chain(optimised).collect()
}

/// The module of a text of assembly by `spirv-as`, for an environment such as `spv1.3`.
#[track_caller]
pub fn assembled(name: &str, environment: &str, text: &str) -> Vec<u8> {
    let args = ["--target-env", environment];
    made("spirv-as", &args, (&format!("{name}.spvasm"), text.as_bytes()), &format!("{name}.spv"))
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
