//! The compiler's process: its files, its limits and its end.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use gpucc_ir::Diagnostic;

use crate::stage::Stage;
use crate::text::{Around, Failed, LOOSE_GROUP, NAME, loose_binding};

/// The program that is looked for.
pub const PROGRAM: &str = "glslangValidator";
/// Seconds that a text may take. The slowest of public collections takes one.
const SECONDS: u64 = 20;
/// KiB of address space that it may have.
const KIB: u32 = 4 << 20;
/// Blocks of 512 or 1,024 bytes, by the shell, that its module may have.
const BLOCKS: u32 = 1 << 18;
/// Bytes of messages that are kept.
const MESSAGES: u64 = 1 << 20;

/// Names for a folder that are tried.
const TRIES: u32 = 10_000;

/// Whether the compiler is installed; asked once.
pub fn has_compiler() -> bool {
    static FOUND: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *FOUND.get_or_init(|| {
        let Some(list) = std::env::var_os("PATH") else { return false };
        std::env::split_paths(&list)
            .any(|p| p.join(PROGRAM).is_file() || p.join(PROGRAM).with_extension("exe").is_file())
    })
}

/// A text to be compiled.
pub struct Job<'a> {
    /// The text in a form that the compiler takes.
    pub text: &'a str,
    pub stage: Stage,
    pub around: &'a Around,
}

/// The end of a process.
#[derive(Clone)]
pub enum Done {
    Module {
        words: Vec<u8>,
        /// The name that the text had for the compiler.
        place: String,
    },
    /// Its messages. The text's name in them is [`NAME`].
    Said(String),
    /// It did not come to an end by itself.
    Ended(String),
}

/// A folder that goes with its files.
struct Folder(PathBuf);

impl Folder {
    /// A folder that was not there: one of this name may be left by a process of the same number, or be that of another user.
    fn new() -> std::io::Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut tries = 0;
        loop {
            let name = format!("gpucc-frontend-glsl-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && tries < TRIES => tries += 1,
                Err(e) => return Err(e),
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

/// Compiles for an environment such as `vulkan1.1`.
pub fn run(job: &Job<'_>, environment: &str) -> Result<Done, Failed> {
    if !has_compiler() {
        return Err(Failed::NoCompiler);
    }
    let broke = |what: &str, e: std::io::Error| Done::Ended(format!("{what}: {e}"));
    let folder = match Folder::new() {
        Ok(folder) => folder,
        Err(e) => return Ok(broke("there is no folder for its files", e)),
    };
    let (source, out) = (folder.0.join(format!("shader.{}", job.stage.ending())), folder.0.join("shader.spv"));
    if let Err(e) = std::fs::write(&source, job.text) {
        return Ok(broke("its input cannot be written", e));
    }
    let place = source.to_string_lossy().into_owned();
    let mut c = limited();
    c.args(["-V", "-g", "-R", "-d", "--auto-map-locations", "--auto-map-bindings", "--target-env", environment]);
    let [group, binding] = [LOOSE_GROUP, loose_binding(job.stage)].map(|n| n.to_string());
    c.args(["--set-default-uniform-block", "gpucc_uniforms", &group, &binding]);
    let common = job.around.toy.common.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    for folder in common.iter().chain(&job.around.folder).chain(&job.around.includes) {
        // A folder without a name is the one that commands run in.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut option = std::ffi::OsString::from("-I");
        option.push(folder);
        c.arg(option);
    }
    for (name, value) in &job.around.defines {
        c.arg(if value.is_empty() { format!("-D{name}") } else { format!("-D{name}={value}") });
    }
    c.args(["-S", job.stage.ending(), "-o"]).arg(&out).arg(&source);
    c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match c.spawn() {
        Ok(child) => child,
        Err(e) => return Ok(broke("it cannot be started", e)),
    };
    let (told, end) = mpsc::channel();
    if let Some(mut said) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let _ = said.by_ref().take(MESSAGES).read_to_end(&mut kept);
            let _ = std::io::copy(&mut said, &mut std::io::sink());
            let _ = told.send(kept);
        });
    }
    // Its output ends when it does.
    let Ok(said) = end.recv_timeout(Duration::from_secs(SECONDS)) else {
        let _ = child.kill();
        let _ = child.wait();
        return Ok(Done::Ended(format!("it took longer than {SECONDS} seconds")));
    };
    let status = match child.wait() {
        Ok(status) => status,
        Err(e) => return Ok(broke("it was lost", e)),
    };
    if status.success() {
        return Ok(match std::fs::read(&out) {
            Ok(words) => Done::Module { words, place },
            Err(e) => broke("its output cannot be read", e),
        });
    }
    let said = String::from_utf8_lossy(&said).replace(&place, NAME);
    // A message of its own, or the end by a signal.
    match status.code() {
        Some(1..=127) if said.contains("ERROR: ") => Ok(Done::Said(said)),
        _ => Ok(Done::Ended(format!("it ended with {status}"))),
    }
}

/// Has glibc ask for large pages: a start touches ten thousand small ones for the declarations of built-ins, a sixth of its time. Who chose
/// something else keeps that, and other libraries look for other names.
const PAGES: &str = "export GLIBC_TUNABLES=\"${GLIBC_TUNABLES-glibc.malloc.hugetlb=1}\"; ";

/// The compiler with a bound on its memory and its module, where the system's shell can set one. That on its time holds where nobody is left to end it.
fn limited() -> Command {
    if cfg!(unix) {
        let mut c = Command::new("/bin/sh");
        let limits = [format!("v {KIB}"), format!("t {}", SECONDS + 1), format!("f {BLOCKS}"), "c 0".into()];
        let limits = limits.map(|l| format!("ulimit -{l} 2>/dev/null; ")).concat();
        c.args(["-c", &format!("{limits}{PAGES}exec \"$0\" \"$@\""), PROGRAM]);
        c
    } else {
        Command::new(PROGRAM)
    }
}

/// The message about a macro that cannot be one.
pub fn macro_name(name: &str) -> Result<(), Diagnostic> {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    match name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit()) {
        true => Ok(()),
        false => Err(Diagnostic::invalid("define", format!("`{name}` is no name of a macro"))),
    }
}
