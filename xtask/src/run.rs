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
    /// Name of the package, as for `cargo -p`.
    pub name: String,
    /// Folder of the package, as a whole path.
    pub folder: PathBuf,
    /// Text of its manifest.
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

/// CPU seconds of all programs that were started and have ended, where the system has `/proc`.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields behind the name in parentheses start with the third; 16 and 17 are user and system time of children in ticks of 10 ms.
    let ticks = stat.rsplit_once(')')?.1.split_whitespace().skip(13).take(2).map(|t| t.parse::<f64>());
    ticks.sum::<Result<f64, _>>().ok().map(|t| t / 100.0)
}

/// The steps so far, with their seconds of time and of CPU.
#[derive(Default)]
pub struct Steps {
    done: Vec<(String, Duration, Option<f64>)>,
}

impl Steps {
    /// Does one step and keeps its time.
    pub fn time<T>(&mut self, title: &str, step: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), cpu_seconds());
        let result = step();
        let cpu = cpu_seconds().zip(before).map(|(after, before)| after - before);
        self.done.push((title.into(), start.elapsed(), cpu));
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

    /// Prints the seconds of each step and their sum; CPU seconds stand behind them.
    pub fn print(&self) {
        eprintln!("== seconds a step, CPU seconds");
        let line = |title: &str, time: f64, cpu: Option<f64>| match cpu {
            Some(cpu) => eprintln!("{time:>8.1} {cpu:>8.1}  {title}"),
            None => eprintln!("{time:>8.1}  {title}"),
        };
        for (title, time, cpu) in &self.done {
            line(title, time.as_secs_f64(), *cpu);
        }
        line("together", self.done.iter().map(|d| d.1.as_secs_f64()).sum(), self.done.iter().map(|d| d.2).sum());
    }
}
