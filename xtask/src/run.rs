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
        eprintln!("== {title}: cargo {}", args.join(" "));
        let status = self.time(title, || cargo().args(args).envs(env.iter().copied()).status());
        match status {
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
