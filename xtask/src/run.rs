//! Starting cargo, and the seconds that each step took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root());
    c
}

/// A package of the workspace.
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: String,
}

/// The packages of the workspace, in the order of its manifest.
pub fn members() -> Vec<Member> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap_or_default();
    let list = manifest.split("members = [").nth(1).and_then(|m| m.split(']').next()).unwrap_or_default();
    let member = |folder: &str| {
        let folder = root().join(folder);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let name = manifest.lines().find_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"'))?.to_string();
        Some(Member { name, folder, manifest })
    };
    list.split('"').skip(1).step_by(2).filter_map(member).collect()
}

/// The steps so far, with their times.
#[derive(Default)]
pub struct Steps {
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Does one step and keeps its time.
    pub fn time<T>(&mut self, title: &str, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        self.done.push((title.into(), start.elapsed()));
        result
    }

    /// Runs cargo; says whether it succeeded.
    pub fn cargo(&mut self, title: &str, args: &[&str], env: &[(&str, &str)]) -> bool {
        let mut c = cargo();
        c.args(args).envs(env.iter().copied());
        self.command(title, c)
    }

    /// Runs a program; says whether it succeeded.
    pub fn command(&mut self, title: &str, mut command: Command) -> bool {
        let program = Path::new(command.get_program()).file_name().unwrap_or_default();
        let words = std::iter::once(program).chain(command.get_args()).map(|w| w.to_string_lossy());
        eprintln!("== {title}: {}", words.collect::<Vec<_>>().join(" "));
        match self.time(title, || command.status()) {
            Ok(s) if s.success() => return true,
            Ok(s) => eprintln!("== {title} failed: {s}"),
            Err(e) => eprintln!("== {title} could not be started: {e}"),
        }
        false
    }

    /// Prints the seconds of each step and their sum.
    pub fn print(&self) {
        eprintln!("== seconds a step");
        for (title, time) in &self.done {
            eprintln!("{:>8.1}  {title}", time.as_secs_f64());
        }
        eprintln!("{:>8.1}  together", self.done.iter().map(|d| d.1.as_secs_f64()).sum::<f64>());
    }
}
