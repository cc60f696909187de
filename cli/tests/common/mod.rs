//! Runs of the command and folders for them.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command, built with the profile of these tests.
pub fn gpucc() -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_gpucc"));
    c.current_dir(workspace()).env_remove("CI").env_remove("NO_COLOR");
    c
}

/// The folder that holds the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

/// Standard output and standard error.
pub fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

/// Runs the command with some text on standard input.
pub fn feed(args: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut c = gpucc();
    c.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = c.spawn().expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input is taken");
    child.wait_with_output().expect("the command ends")
}

/// Runs the command; it must end with that code and say that.
#[track_caller]
pub fn expect(args: &[&str], code: i32, needle: &str) -> String {
    let o = gpucc().args(args).output().expect("the command starts");
    let t = text(&o);
    let shown: String = t.chars().take(2000).collect();
    assert_eq!(o.status.code(), Some(code), "{args:?}: {shown}");
    assert!(t.contains(needle), "{args:?} does not say `{needle}`: {shown}");
    t
}

/// A folder of a test, gone at its end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("gpucc-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a temporary folder");
        Scratch(dir)
    }
    /// The path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain path").to_string()
    }
    /// Writes a file, in folders as named.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, content).expect("a file is written");
        self.path(name)
    }
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
    pub fn has(&self, name: &str) -> bool {
        self.0.join(name).is_file()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Doubles a buffer.
pub const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) { o[g.x] *= 2u; }\n";

/// Atomics on workgroup memory: nv50 and gc2000 have none (docs/support.md).
pub const SHARED_ATOMICS: &str = "var<workgroup> n: atomic<u32>;\n\
    @group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n\
    atomicAdd(&n, i); workgroupBarrier(); if i == 0u { o[0] = atomicLoad(&n); } }\n";
