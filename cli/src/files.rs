//! Files: whole reads with limits, atomic writes, buffer specifications.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use gpucc::Target;

use crate::{Failure, closed};

/// Largest file that is read: beyond it nothing that the compiler accepts exists.
const LIMIT: u64 = 1 << 30;

/// Most room that is made at once for what a file says it has.
const ROOM: u64 = 1 << 24;

/// Reads a file or, for `-`, standard input.
///
/// # Errors
/// A usage or I/O failure that names the path.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut data = Vec::new();
    if path == Path::new("-") {
        if let Some(input) = kept::input() {
            return Ok(input);
        }
        std::io::stdin()
            .lock()
            .take(LIMIT)
            .read_to_end(&mut data)
            .map_err(|e| Failure::Io(format!("cannot read standard input: {e}")))?;
        return Ok(data);
    }
    let shown = path.display();
    let io = |e: std::io::Error| Failure::Io(format!("cannot read `{shown}`: {e}"));
    let opened = std::fs::File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    // Some systems open no directory.
    if opened.as_ref().map_or_else(|_| path.is_dir(), |(meta, _)| meta.is_dir()) {
        return Err(Failure::Io(format!("`{shown}` is a directory, not a file")));
    }
    let (meta, file) = opened.map_err(io)?;
    // One read for all of it, where the size is no lie.
    data.reserve_exact(meta.len().min(ROOM) as usize);
    file.take(LIMIT + 1).read_to_end(&mut data).map_err(io)?;
    if data.len() as u64 > LIMIT {
        return Err(Failure::Io(format!("`{shown}` is larger than {} MiB", LIMIT >> 20)));
    }
    Ok(data)
}

/// The mark of UTF-8 that some editors write in front of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text without the mark of UTF-8.
pub fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// Writes a file so that it is either complete or not there: a temporary file beside it is renamed over it. An
/// existing path that is no regular file (a pipe, `/dev/null`) is written to directly. A file that holds these bytes already
/// gets a new time alone.
///
/// # Errors
/// A usage or I/O failure that names the path.
pub fn write(path: &Path, data: &[u8]) -> Result<(), Failure> {
    let shown = path.display();
    let io = |e: std::io::Error| Failure::Io(format!("cannot write `{shown}`: {e}"));
    if path == Path::new("-") {
        // A terminal takes bytes for commands.
        if data.contains(&0) && !kept::is_on() && std::io::stdout().is_terminal() {
            return Err(Failure::Usage("-: standard output is a terminal, and this is no text; name a file".into()));
        }
        return stdout(data);
    }
    if let Ok(meta) = std::fs::metadata(path) {
        if meta.is_dir() {
            return Err(Failure::Io(format!("`{shown}` is a directory, not a file")));
        }
        if !meta.is_file() {
            let mut f = std::fs::OpenOptions::new().write(true).open(path).map_err(io)?;
            return f.write_all(data).map_err(io);
        }
        // Renaming over a file makes some file systems put its blocks on the disk first, which takes longer than a small shader.
        if meta.len() == data.len() as u64 && renewed(path, data).is_ok_and(|same| same) {
            return Ok(());
        }
    }
    // Through a symbolic link the file it names is replaced, not the link; also where that does not exist yet.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| real(path));
    let name = real.file_name().ok_or_else(|| Failure::Io(format!("`{shown}` is not a file name")))?;
    let mut temp = std::ffi::OsString::from(".");
    temp.push(name);
    temp.push(format!(".{}.tmp", std::process::id()));
    let temp = real.with_file_name(temp);
    let done = (|| {
        let mut f = std::fs::OpenOptions::new().write(true).create_new(true).open(&temp)?;
        f.write_all(data)?;
        if let Ok(meta) = std::fs::metadata(&real) {
            f.set_permissions(meta.permissions())?;
        }
        drop(f);
        std::fs::rename(&temp, &real)
    })();
    done.map_err(|e| {
        let _ = std::fs::remove_file(&temp);
        io(e)
    })
}

/// Whether a file holds these bytes; then its time is now, as if it were written.
fn renewed(path: &Path, data: &[u8]) -> std::io::Result<bool> {
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut there = vec![0; data.len()];
    file.read_exact(&mut there)?;
    let same = there == data;
    if same {
        file.set_modified(std::time::SystemTime::now())?;
    }
    Ok(same)
}

/// Whether a file can be written to a path, asked before a long run whose result goes there. Nothing is left behind.
///
/// # Errors
/// The failure that [`write()`] would end with.
pub fn can_be_written(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    let shown = path.display();
    if path.is_dir() {
        return Err(Failure::Io(format!("`{shown}` is a directory, not a file")));
    }
    let folder = match path.parent() {
        Some(f) if !f.as_os_str().is_empty() => f,
        _ => Path::new("."),
    };
    match std::fs::metadata(folder) {
        Ok(m) if m.is_dir() => Ok(()),
        Ok(_) => Err(Failure::Io(format!("cannot write `{shown}`: `{}` is no directory", folder.display()))),
        Err(e) => Err(Failure::Io(format!("cannot write `{shown}`: {e}"))),
    }
}

/// Writes to standard output, at once.
///
/// # Errors
/// An I/O failure: a full disk, or a reader that went away before it had everything.
pub fn stdout(data: &[u8]) -> Result<(), Failure> {
    if kept::output(data) {
        return Ok(());
    }
    if closed::stdout() && !data.is_empty() {
        return Err(Failure::Io("cannot write standard output: it is closed".into()));
    }
    let mut out = std::io::stdout().lock();
    let done = out.write_all(data).and_then(|()| out.flush());
    done.map_err(|e| match e.kind() {
        // `gpucc ... | head`: the reader has what it wanted, and nobody has to be told. The exit code says that not all arrived.
        std::io::ErrorKind::BrokenPipe => Failure::Said(2),
        _ => Failure::Io(format!("cannot write standard output: {e}")),
    })
}

/// Writes to standard error. Where that fails there is nobody left to tell.
pub fn stderr(text: &str) {
    stderr_bytes(text.as_bytes());
}

/// The same of text with colours.
pub fn stderr_bytes(text: &[u8]) {
    if kept::said(text) {
        return;
    }
    if let Some(list) = &mut *COLLECTED.lock().unwrap_or_else(PoisonError::into_inner) {
        list.extend(text);
        return;
    }
    let _ = std::io::stderr().lock().write_all(text);
}

/// What was said by all threads, where it becomes one document at the end.
static COLLECTED: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Keeps from here on what is said.
pub fn collect() {
    *COLLECTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
}

/// What was said since then; later lines are written as they come.
pub fn collected() -> Vec<u8> {
    COLLECTED.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// The standard streams of a command that another one runs, on the thread that runs it.
pub mod kept {
    use std::cell::RefCell;

    /// What such a command is given, and what came of it.
    #[derive(Default)]
    pub struct Streams {
        /// Standard input, read any number of times.
        pub input: Vec<u8>,
        /// Standard output of the command.
        pub output: Vec<u8>,
        /// Standard error of the command.
        pub said: Vec<u8>,
    }

    thread_local! {
        static KEPT: RefCell<Option<Streams>> = const { RefCell::new(None) };
    }

    /// Keeps what is written from here on; standard input is these bytes.
    pub fn begin(input: Vec<u8>) {
        KEPT.with_borrow_mut(|s| *s = Some(Streams { input, ..Streams::default() }));
    }

    /// What was written since then.
    pub fn end() -> Streams {
        KEPT.with_borrow_mut(Option::take).unwrap_or_default()
    }

    /// Whether streams are kept.
    pub(super) fn is_on() -> bool {
        KEPT.with_borrow(Option::is_some)
    }

    /// Standard input, if it is kept.
    pub(super) fn input() -> Option<Vec<u8>> {
        KEPT.with_borrow(|s| s.as_ref().map(|s| s.input.clone()))
    }

    /// Whether output is kept.
    pub(super) fn output(data: &[u8]) -> bool {
        KEPT.with_borrow_mut(|s| s.as_mut().map(|s| s.output.extend(data)).is_some())
    }

    /// Whether what is said is kept.
    pub(super) fn said(data: &[u8]) -> bool {
        KEPT.with_borrow_mut(|s| s.as_mut().map(|s| s.said.extend(data)).is_some())
    }
}

/// `out.bin` for one target; `out.gcn-gfx8.bin` for each of several. What is no regular file is one for all.
pub fn target_path(out: &Path, target: Target, several: bool) -> PathBuf {
    let tag = format!("{}-{}", target.family(), target.generation());
    if several { tagged(out, &tag) } else { out.to_path_buf() }
}

/// Puts a tag before the ending of a path.
pub fn tagged(out: &Path, tag: &str) -> PathBuf {
    if out == Path::new("-") || out.exists() && !out.is_file() {
        return out.to_path_buf();
    }
    match (out.file_stem(), out.extension()) {
        (Some(stem), Some(ext)) => {
            out.with_file_name(format!("{}.{tag}.{}", stem.to_string_lossy(), ext.to_string_lossy()))
        }
        _ => out.with_file_name(format!("{}.{tag}", out.file_name().unwrap_or_default().to_string_lossy())),
    }
}

/// Most links that are followed to a file.
const LINKS: usize = 40;

/// Where a path leads: through links, also where nothing is there yet, from the real folder.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(to) => path = path.parent().map_or_else(|| to.clone(), |folder| folder.join(&to)),
            Err(_) => break,
        }
    }
    let folder = match path.parent() {
        Some(f) if !f.as_os_str().is_empty() => f,
        _ => Path::new("."),
    };
    match (std::fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The file that is there, if it is a regular one; standard output and standard input for `-`.
fn there(path: &Path, is_input: bool) -> Option<same_file::Handle> {
    let handle = match path == Path::new("-") {
        true if is_input => same_file::Handle::stdin(),
        true => same_file::Handle::stdout(),
        // What is no file may wait for somebody at its other end when it is opened.
        false if !path.is_file() => return None,
        false => same_file::Handle::from_path(path),
    };
    handle.ok().filter(|h| h.as_file().metadata().is_ok_and(|m| m.is_file()))
}

/// Whether the file system of a folder takes letters of both cases for one: asked by the name of the folder, or of one above.
fn folds_case(folder: &Path) -> bool {
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    for f in folder.ancestors() {
        let Some(name) = f.file_name().and_then(|n| n.to_str()) else { return false };
        let other: String = name.chars().map(swap).collect();
        if other != name {
            return same_file::is_same_file(f, f.with_file_name(other)).unwrap_or(false);
        }
    }
    false
}

/// Whether two paths name one file, where `folds` says that a folder takes letters of both cases for one.
fn same_name(a: &Path, b: &Path, folds: impl Fn(&Path) -> bool) -> bool {
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().to_lowercase());
    a == b || a.parent() == b.parent() && name(a) == name(b) && a.parent().is_some_and(folds)
}

/// Whether two paths are one file: by path, link, redirection or the case of letters. Neither needs to be there yet.
fn is_one_file(out: &Path, other: &Path, other_is_input: bool) -> bool {
    let is_named = |p: &Path| p != Path::new("-");
    match (there(out, false), there(other, other_is_input)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => {
            let is_new = |p: &Path| is_named(p) && !p.exists();
            is_new(out) && is_new(other) && same_name(&real(out), &real(other), folds_case)
        }
        // Where one cannot be opened its path is left.
        (Some(_), None) | (None, Some(_)) => {
            [out, other].into_iter().all(|p| is_named(p) && p.is_file()) && real(out) == real(other)
        }
    }
}

/// Refuses outputs that are one file among themselves, an input, or the file that standard output goes to: asked before anything is
/// written. What is no regular file (a pipe, `/dev/null`) may be named twice, and so may `-`.
///
/// # Errors
/// A usage failure that names both.
pub fn distinct(outs: &[PathBuf], inputs: &[PathBuf]) -> Result<(), Failure> {
    let shown = |p: &Path| if p == Path::new("-") { "standard output".into() } else { format!("`{}`", p.display()) };
    for (k, out) in outs.iter().enumerate().filter(|(_, out)| *out != Path::new("-")) {
        if let Some(i) = inputs.iter().find(|i| is_one_file(out, i, true)) {
            let input = if i == Path::new("-") { "standard input".into() } else { shown(i) };
            return Err(Failure::Usage(format!("{} is the input {input}: it is not overwritten", shown(out))));
        }
        for other in outs[..k].iter().map(PathBuf::as_path).chain([Path::new("-")]) {
            if !is_one_file(out, other, false) {
                continue;
            }
            return Err(Failure::Usage(match other == out {
                true => format!("{} is written twice", shown(out)),
                false => format!("{} and {} are one file: it would be written twice", shown(other), shown(out)),
            }));
        }
    }
    Ok(())
}

/// Most bytes that one `--buf` may ask for.
pub const MAX_BUFFER: usize = 1 << 30;

/// Splits `G:B=REST`, or `G:B[K]=REST` for an element of an array of buffers.
///
/// # Errors
/// A usage failure that shows the expected form.
pub fn binding(text: &str) -> Result<(u32, u32, &str), Failure> {
    let bad = || Failure::Usage(format!("`{text}`: expected GROUP:BINDING=..., such as 0:1=zero:256"));
    let (place, rest) = text.split_once('=').ok_or_else(bad)?;
    let (g, b) = place.split_once(':').ok_or_else(bad)?;
    let binding = match b.split_once('[') {
        Some((b, element)) => {
            let element = element.strip_suffix(']').and_then(|e| e.parse().ok()).ok_or_else(bad)?;
            gpucc_ir::element_binding(b.parse().map_err(|_| bad())?, element).ok_or_else(bad)?
        }
        None => b.parse().map_err(|_| bad())?,
    };
    let place = (g.parse().map_err(|_| bad())?, binding);
    match place {
        gpucc_container::IMMEDIATES => Err(Failure::Usage(format!("`{text}`: no buffer can be bound there"))),
        (group, binding) => Ok((group, binding, rest)),
    }
}

/// A folder of this run, which goes with what is in it.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A folder for a purpose that was not there: a process of the same number may have left one of this name.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(purpose: &str) -> Result<Folder, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut tries = 0;
        loop {
            let name = format!("gpucc-{purpose}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_letters() {
        let (a, b) = (Path::new("d/Out.bin"), Path::new("d/out.BIN"));
        assert!(same_name(a, b, |_| true) && !same_name(a, b, |_| false));
        assert!(!same_name(a, Path::new("e/out.bin"), |_| true) && !same_name(a, Path::new("d/o.bin"), |_| true));
    }

    #[test]
    fn names_of_several_outputs() {
        let t = Target::parse("gcn:gfx7").expect("a target");
        assert_eq!(target_path(Path::new("a/out.bin"), t, true), Path::new("a/out.gcn-gfx7.bin"));
        assert_eq!(target_path(Path::new("out"), t, true), Path::new("out.gcn-gfx7"));
        assert_eq!(target_path(Path::new("out.bin"), t, false), Path::new("out.bin"));
        assert_eq!(target_path(Path::new("/dev/null"), t, true), Path::new("/dev/null"));
    }
}
