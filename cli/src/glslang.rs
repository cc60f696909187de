//! GLSL to SPIR-V by glslangValidator, and SPIR-V assembly by spirv-as, where they are installed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Failure, files};

/// Compiles GLSL of a stage (`vert`, `frag`, `comp`). Versions older than Vulkan's are read as the next one that has all of theirs:
/// ES 3.1, or 4.50. Locations and bindings that are not there are chosen; uniforms outside of blocks come into one. The first
/// `prologue` bytes are not the author's: lines count from behind them.
///
/// # Errors
/// Usage if the compiler is not installed, I/O, or what it says of the shader.
pub fn compile(name: &str, text: &[u8], prologue: usize, stage: &str) -> Result<Vec<u8>, Failure> {
    let text = std::str::from_utf8(text)
        .map_err(|e| Failure::Input(format!("`{name}` is not UTF-8 text (byte {})", e.valid_up_to())))?;
    let before = text[..prologue].matches('\n').count();
    let folder = Folder::new()?;
    let (source, out) = (folder.0.join(format!("shader.{stage}")), folder.0.join("shader.spv"));
    files::write(&source, modern(text, stage).as_bytes())?;
    let mut c = Command::new("glslangValidator");
    c.args(["-V", "--target-env", "vulkan1.1", "-R", "--auto-map-locations", "--auto-map-bindings", "-S", stage, "-o"])
        .arg(&out)
        .arg(&source);
    let done = c.output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage("--glslang: glslangValidator is not installed (package glslang-tools)".into())
        }
        _ => Failure::Io(format!("cannot run glslangValidator: {e}")),
    })?;
    if done.status.success() {
        return files::read(&out);
    }
    let said = String::from_utf8_lossy(&done.stdout);
    let errors: Vec<String> = said.lines().filter_map(|l| error(l, name, &source.to_string_lossy(), before)).collect();
    if errors.is_empty() {
        return Err(Failure::Input(format!("{name}: glslangValidator: {}", said.trim())));
    }
    Err(Failure::Input(errors.join("\n")))
}

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

/// `ERROR: /tmp/x/shader.frag:3: 'a' : undeclared identifier`, with the author's file and line.
fn error(line: &str, name: &str, source: &str, before: usize) -> Option<String> {
    let rest = line.strip_prefix("ERROR: ")?;
    let Some((at, what)) = rest.strip_prefix(source).and_then(|r| r.strip_prefix(':')).and_then(|r| r.split_once(": "))
    else {
        // How many there were.
        return None;
    };
    let at = at.parse::<usize>().map_or_else(|_| at.to_string(), |n| n.saturating_sub(before).to_string());
    Some(format!("{name}:{at}: {what}"))
}

/// The text of a stage with a version that Vulkan has.
fn modern(text: &str, stage: &str) -> String {
    let mut line = 0;
    let found = text.split_inclusive('\n').find_map(|l| {
        line += 1;
        let rest = l.trim_start().strip_prefix('#')?.trim_start().strip_prefix("version")?;
        Some((l, rest.trim()))
    });
    let (number, es) = found.map_or((110, false), |(_, v)| {
        let mut words = v.split_whitespace();
        (words.next().and_then(|n| n.parse::<u32>().ok()).unwrap_or(110), words.next() == Some("es"))
    });
    let es = es || number == 100;
    // Words that newer versions have lost, and the output that had no declaration.
    let mut old = "#define attribute in\n#define texture2D texture\n#define textureCube texture\n\
                   #define texture2DLod textureLod\n"
        .to_string();
    old += if stage == "vert" { "#define varying out\n" } else { "#define varying in\n" };
    if stage == "frag" && text.contains("gl_FragColor") {
        old += "#define gl_FragColor gpucc_FragColor\nlayout(location = 0) out highp vec4 gpucc_FragColor;\n";
    }
    let version = match (es, number) {
        (true, ..310) => "#version 310 es\n",
        (false, ..420) => "#version 450\n",
        _ => return text.to_string(),
    };
    let old = if es && number >= 300 { "" } else { &old };
    let (before, behind) = match found {
        Some((l, _)) => text.split_once(l).unwrap_or(("", text)),
        None => ("", text),
    };
    let next = if found.is_some() { line + 1 } else { 1 };
    format!("{version}{old}#line {next}\n{}{behind}", before.replace(|c| c != '\n', ""))
}

/// A folder for the compiler's files, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gpucc-glslang-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|e| Failure::Io(format!("cannot create `{}`: {e}", path.display())))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
