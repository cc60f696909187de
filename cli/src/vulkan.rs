//! `icd` and `exec`: the Vulkan driver for programs as they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpucc_machines::{Comparison, Count};
use serde_json::json;

use crate::args::{Exec, Icd, Messages};
use crate::report::Reporter;
use crate::{Failure, comparison, files, targets};

/// The driver's version of Vulkan, as manifests write it.
const API_VERSION: &str = "1.3.0";

/// The name of the driver's library on this platform.
fn library_name() -> String {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    format!("{DLL_PREFIX}gpucc_vulkan{DLL_SUFFIX}")
}

/// The driver's library: the one that is given, or the one beside the command.
fn library(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match given {
        Some(path) => path.to_path_buf(),
        None => {
            let own = std::env::current_exe().map_err(|e| Failure::Io(format!("the command's own place: {e}")))?;
            own.with_file_name(library_name())
        }
    };
    std::fs::canonicalize(&path).map_err(|e| {
        let hint = if given.is_none() {
            ": build it by `cargo build --release -p gpucc-vulkan`, or name it by `--library`"
        } else {
            ""
        };
        Failure::Io(format!("the driver's library `{}`: {e}{hint}", path.display()))
    })
}

/// The loader's manifest of a library.
fn manifest(library: &Path) -> String {
    let driver = json!({ "library_path": library, "api_version": API_VERSION });
    format!("{:#}\n", json!({ "file_format_version": "1.0.0", "ICD": driver }))
}

/// `gpucc icd`.
///
/// # Errors
/// The library is not there, or the manifest cannot be written.
pub fn icd(a: &Icd) -> Result<(), Failure> {
    let library = library(a.library.as_deref())?;
    files::distinct(std::slice::from_ref(&a.output), std::slice::from_ref(&library))?;
    files::write(&a.output, manifest(&library).as_bytes())
}

/// A folder that the driver writes to, by a path that holds wherever the program goes.
fn made(folder: &Path) -> Result<PathBuf, Failure> {
    let fail = |e: std::io::Error| Failure::Io(format!("the folder `{}`: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(fail)?;
    std::fs::canonicalize(folder).map_err(fail)
}

/// The exit code of a program, as shells give it: of one that a signal ended 128 and the signal.
fn code(status: std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128u8.wrapping_add(signal as u8);
    }
    status.code().map_or(1, |c| c as u8)
}

/// `gpucc exec`.
///
/// # Errors
/// The program's own exit code; 1 where a device was lost by a trap or the oracle differed; usage and I/O.
pub fn exec(a: &Exec, messages: &Messages) -> Result<(), Failure> {
    a.target.as_deref().map(|t| targets::list(t, true)).transpose()?;
    let library = library(a.library.as_deref())?;
    let folder = files::Folder::new("exec")?;
    let (icd, verdicts) = (folder.0.join("gpucc_icd.json"), folder.0.join("verdicts"));
    let compared = folder.0.join("compared");
    files::write(&icd, manifest(&library).as_bytes())?;
    let (program, args) = a.command.split_first().ok_or_else(|| Failure::Usage("no program is named".into()))?;
    let mut run = Command::new(program);
    // Loaders before 1.3.207 know the first name alone.
    run.args(args).env("VK_ICD_FILENAMES", &icd).env("VK_DRIVER_FILES", &icd).env("GPUCC_VULKAN_VERDICTS", &verdicts);
    // The loader sorts devices by an order of its own unless it is told not to.
    run.env("VK_LOADER_DISABLE_SELECT", "1");
    if let Some(target) = &a.target {
        run.env("GPUCC_VULKAN_TARGETS", target);
    }
    for (folder, name) in [(&a.frames, "GPUCC_VULKAN_FRAMES"), (&a.dump, "GPUCC_VULKAN_DUMP")] {
        if let Some(folder) = folder {
            run.env(name, made(folder)?);
        }
    }
    if a.oracle {
        run.env("GPUCC_VULKAN_ORACLE", "1").env("GPUCC_VULKAN_COMPARED", &compared);
    }
    let status = run.status().map_err(|e| Failure::Io(format!("cannot run `{}`: {e}", program.to_string_lossy())))?;
    let said = std::fs::read_to_string(&verdicts).unwrap_or_default();
    if let Some(first) = said.lines().next() {
        let more = said.lines().count() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        return Err(Failure::Input(format!("{first}{more}")));
    }
    match code(status) {
        0 if a.oracle => {
            let text = std::fs::read_to_string(&compared).unwrap_or_default();
            let reporter = Reporter::new(messages, &program.to_string_lossy(), "");
            comparison::say(&covered(&text), ("oracle", ""), (&reporter, "exec"), a.deny)
        }
        0 => Ok(()),
        code => Err(Failure::Said(code)),
    }
}

/// The comparison that the driver's lines are: of each dispatch and each draw one.
fn covered(lines: &str) -> Comparison {
    let (same, left): (Vec<&str>, Vec<&str>) = lines.lines().partition(|l| l.starts_with("match"));
    let count = |n: usize, of| Count(n as u64, of);
    Comparison {
        covered: vec![count(same.len(), "dispatch or draw")],
        values: (same.len() + left.len()) as u64,
        without: left.len() as u64,
        left: vec![(count(left.len(), "dispatch or draw"), "of which nothing could be compared".into())],
        nothing: "the program did nothing that the oracle could do again",
        ..Comparison::default()
    }
}
