//! `gpucc reduce`: a shader, a module or a scene becomes small while a fault stays.
//!
//! Each candidate is written to a file of its own in a folder for the time of the command and asked about by other processes: the command
//! of `--check`, or this one again for a fault of `--for`. So what a candidate does to a compiler ends nothing here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gpucc_reduce::scene::Scene;
use gpucc_reduce::spirv::Module;
use gpucc_reduce::text::{Language, Options, Text};
use gpucc_reduce::{Check, Limits, Report, Subject};

use crate::args::Reduce;
use crate::{Failure, files, targets};

/// The kind of a fault.
enum Fault {
    /// A command of the shell.
    Command(String),
    /// Exit 70 of a compilation, with these words in front of its message.
    Crash(String),
    /// Exit 70 of `--verify`.
    Verify,
    /// A picture that is another one than the oracle's.
    Difference,
    /// Exit 3 with a code.
    Refusal(String),
}

/// Asks other processes.
struct Process<'a> {
    args: &'a Reduce,
    fault: Fault,
    /// This command.
    program: PathBuf,
    folder: PathBuf,
    /// The ending of candidates, with its dot.
    ending: String,
}

/// What a process ended with.
struct Ended {
    code: Option<i32>,
    errors: String,
}

impl Process<'_> {
    fn file(&self, slot: usize) -> PathBuf {
        self.folder.join(format!("candidate{slot}{}", self.ending))
    }

    fn run(&self, mut command: Command, slot: usize) -> Option<Ended> {
        let log = self.folder.join(format!("errors{slot}"));
        let errors = std::fs::File::create(&log).ok()?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().ok()?;
        let end = Instant::now() + Duration::from_secs(self.args.timeout);
        let mut pause = 1;
        let code = loop {
            match child.try_wait().ok()? {
                Some(status) => break status.code(),
                None if Instant::now() > end => {
                    // What ended by itself meanwhile is gone.
                    let _ = child.kill();
                    let _ = child.wait();
                    return None;
                }
                None => std::thread::sleep(Duration::from_millis(pause)),
            }
            pause = (pause * 2).min(20);
        };
        Some(Ended { code, errors: std::fs::read_to_string(log).unwrap_or_default() })
    }

    /// This command with arguments in front of those that all calls have.
    fn own(&self, words: &[&str], file: &Path, slot: usize) -> Option<Ended> {
        let mut c = Command::new(&self.program);
        c.args(["--message-format", "json", "--color", "never"]).args(words).arg(file);
        c.args(["--target", self.args.target(), "-O", &self.args.level().to_string()]);
        self.run(c, slot)
    }

    fn compiled(&self, file: &Path, slot: usize, verify: bool) -> Option<Ended> {
        let out = self.folder.join(format!("out{slot}"));
        let out = out.to_string_lossy().into_owned();
        let mut words = vec!["-o", out.as_str()];
        if verify {
            words.push("--verify");
        }
        self.own(&words, file, slot)
    }

    /// Whether the front ends take a candidate.
    fn is_valid(&self, file: &Path, slot: usize) -> bool {
        if self.args.allow_invalid {
            return true;
        }
        if self.ending == ".toml" || self.ending == ".json" {
            return true;
        }
        let mut c = Command::new(&self.program);
        let out = self.folder.join(format!("ir{slot}"));
        // Any target will do: what it refuses was read.
        let Some(machine) = gpucc_machines::MACHINES.first() else { return true };
        c.args(["--emit", "gir", "-O", "0", "--target", machine.family, "-o"]).arg(out).arg(file);
        let read = self.run(c, slot).is_some_and(|e| e.code != Some(1) && e.code != Some(2));
        read && (self.ending != ".spv" || self.is_module(file, slot))
    }

    /// What the reference validator says of a module, where it is installed.
    fn is_module(&self, file: &Path, slot: usize) -> bool {
        let mut c = Command::new("spirv-val");
        c.args(["--target-env", "vulkan1.3", "--scalar-block-layout"]).arg(file);
        self.run(c, slot).is_none_or(|e| e.code == Some(0))
    }

    fn is_faulty(&self, file: &Path, slot: usize) -> bool {
        let is_scene = self.ending == ".toml" || self.ending == ".json";
        match &self.fault {
            Fault::Command(text) => {
                let mut c = Command::new("sh");
                c.args(["-c", &with_path(text, file)]);
                self.run(c, slot).is_some_and(|e| e.code == Some(0))
            }
            Fault::Crash(words) => {
                let ended = if is_scene { self.drawn(file, slot, false) } else { self.compiled(file, slot, false) };
                ended.is_some_and(|e| e.code == Some(70) && place_of_bug(&e.errors) == *words)
            }
            Fault::Verify => self.compiled(file, slot, true).is_some_and(|e| e.code == Some(70)),
            Fault::Difference => {
                self.drawn(file, slot, true).is_some_and(|e| e.code == Some(1) && e.errors.contains("differ"))
            }
            Fault::Refusal(code) => {
                let ended = if is_scene { self.drawn(file, slot, false) } else { self.compiled(file, slot, false) };
                ended.is_some_and(|e| e.code == Some(3) && e.errors.contains(&format!("\"code\":\"{code}\"")))
            }
        }
    }

    fn drawn(&self, file: &Path, slot: usize, oracle: bool) -> Option<Ended> {
        let picture = self.folder.join(format!("picture{slot}.png")).to_string_lossy().into_owned();
        let mut words = vec!["render", "-o", picture.as_str()];
        if oracle {
            words.push("--oracle");
        }
        self.own(&words, file, slot)
    }
}

impl Check for Process<'_> {
    fn holds(&self, candidate: &[u8], slot: usize) -> bool {
        let file = self.file(slot);
        std::fs::write(&file, candidate).is_ok() && self.is_valid(&file, slot) && self.is_faulty(&file, slot)
    }
}

/// The pass that a bug was found in: the words of the message up to the first that may differ between inputs.
fn place_of_bug(errors: &str) -> String {
    let bug = errors.lines().find(|l| l.contains("\"severity\":\"bug\"")).unwrap_or_default();
    let message = serde_json::from_str::<serde_json::Value>(bug).unwrap_or_default();
    let text = message["message"].as_str().unwrap_or_default();
    let code = message["code"].as_str().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(3).filter(|w| w.chars().all(|c| !c.is_ascii_digit())).collect();
    format!("{code}: {}", words.join(" "))
}

/// A command with the path of a file in place of `{}`.
fn with_path(text: &str, file: &Path) -> String {
    let path = file.to_string_lossy();
    let quoted = match path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c)) {
        true => path.into_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    };
    text.replace("{}", &quoted)
}

/// The ending of a file with its dot, and the ones of candidates for what is read alike.
fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()))
}

/// The command.
///
/// # Errors
/// The check does not hold for the input itself, or files.
pub fn main(args: &Reduce) -> Result<(), Failure> {
    let bytes = files::read(&args.input)?;
    let ending = ending(&args.input);
    let out = args.output.clone().unwrap_or_else(|| files::tagged(&args.input, "reduced"));
    files::distinct(std::slice::from_ref(&out), std::slice::from_ref(&args.input))?;
    files::can_be_written(&out)?;
    has_effect(args, &ending)?;
    targets::list(args.target(), args.for_fault.as_deref() == Some("difference"))?;
    let program = std::env::current_exe().map_err(|e| Failure::Io(format!("this command: {e}")))?;
    let folder = files::Folder::new("reduce")?;
    let mut process = Process { args, fault: Fault::Verify, program, folder: folder.0.clone(), ending: ending.clone() };
    process.fault = fault(args, &process, &bytes)?;
    if !process.holds(&bytes, 0) {
        let hint = match (&process.fault, args.allow_invalid) {
            (Fault::Command(_), false) => {
                "; a command exits with 0 while the fault is there, and inputs that no front end takes want --allow-invalid"
            }
            _ => "",
        };
        let what = args.check.as_deref().or(args.for_fault.as_deref()).unwrap_or_default();
        return Err(Failure::Usage(format!(
            "{}: the fault is not there: `{what}` does not hold{hint}",
            args.input.display()
        )));
    }
    files::write(&out, &bytes)?;
    let options = Options { keep_interface: args.keep_interface, rename: args.rename };
    let utf8 =
        || String::from_utf8(bytes.clone()).map_err(|_| Failure::Input(format!("{}: not UTF-8", args.input.display())));
    match ending.as_str() {
        ".spv" => {
            let m = Module::new(&bytes).map_err(|_| Failure::Input(format!("{}: no module", args.input.display())))?;
            shrink(m, args, &process, &out, Clone::clone)
        }
        ".toml" | ".json" => {
            let s = Scene::new(&utf8()?, options);
            let s = s.map_err(|e| Failure::Input(format!("{}: {e}", args.input.display())))?;
            shrink(s, args, &process, &out, Clone::clone)
        }
        ".wgsl" | ".wesl" => shrink(Text::new(utf8()?, Language::Wgsl, options), args, &process, &out, Text::tidy),
        _ => shrink(Text::new(utf8()?, Language::Glsl, options), args, &process, &out, Text::tidy),
    }
}

/// Refuses options that change nothing.
fn has_effect(args: &Reduce, ending: &str) -> Result<(), Failure> {
    let (is_scene, is_module) = ([".toml", ".json"].contains(&ending), ending == ".spv");
    let (check, text) = (args.check.is_some(), "--check has the targets and levels of its own command");
    let idle = [
        ("--target", check && args.target.is_some(), text),
        ("-O", check && args.opt.is_some(), text),
        ("--keep-interface", is_module && args.keep_interface, "modules keep their interface"),
        ("--rename", is_module && args.rename, "names of modules are gone with their debug information"),
        ("--allow-invalid", is_scene && args.allow_invalid, "scenes are asked about as they are"),
    ];
    match idle.iter().find(|i| i.1) {
        Some((option, _, why)) => Err(Failure::Usage(format!("{option} has no effect: {why}"))),
        None => Ok(()),
    }
}

fn fault(args: &Reduce, process: &Process<'_>, bytes: &[u8]) -> Result<Fault, Failure> {
    if let Some(c) = &args.check {
        let c = if c.contains("{}") { c.clone() } else { format!("{c} {{}}") };
        return Ok(Fault::Command(c));
    }
    let what = args.for_fault.as_deref().unwrap_or_default();
    Ok(match what.split_once(':').unwrap_or((what, "")) {
        ("crash", "") => {
            let file = process.file(0);
            std::fs::write(&file, bytes).map_err(|e| Failure::Io(format!("{}: {e}", file.display())))?;
            let is_scene = process.ending == ".toml" || process.ending == ".json";
            let ended = if is_scene { process.drawn(&file, 0, false) } else { process.compiled(&file, 0, false) };
            Fault::Crash(ended.map_or(String::new(), |e| place_of_bug(&e.errors)))
        }
        ("verify", "") => Fault::Verify,
        ("difference", "") => Fault::Difference,
        ("refusal", code) if !code.is_empty() => Fault::Refusal(code.into()),
        _ => {
            return Err(Failure::Usage(format!("--for {what}: crash, verify, difference or refusal:CODE")));
        }
    })
}

/// Shrinks, with the best so far in the output; the last line on standard output is the command that shows the fault.
fn shrink<S: Subject>(
    subject: S,
    args: &Reduce,
    process: &Process<'_>,
    out: &Path,
    tidy: impl Fn(&S) -> S + Copy,
) -> Result<(), Failure> {
    let stop = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let limits = Limits {
        until: args.limit.map(|s| Instant::now() + Duration::from_secs(s)),
        jobs: args.jobs.map_or(cores, std::num::NonZero::get),
        stop: &stop,
    };
    let before = subject.bytes();
    let mut written = Ok(());
    let (best, report) = gpucc_reduce::reduce(subject, process, &limits, &mut |s| {
        if written.is_ok() {
            written = files::write(out, &s.bytes());
            stop.store(written.is_err(), std::sync::atomic::Ordering::Relaxed);
        }
    });
    written?;
    let neat = tidy(&best).bytes();
    let bytes = if process.holds(&neat, 0) { neat } else { best.bytes() };
    files::write(out, &bytes)?;
    files::stdout(summary(&before, &bytes, &report).as_bytes())?;
    let fuel = fuel(args, process, out);
    files::stdout(format!("{}\n", shown(args, process, out, fuel)).as_bytes())
}

fn summary(before: &[u8], after: &[u8], report: &Report) -> String {
    let lines = |b: &[u8]| b.iter().filter(|&&c| c == b'\n').count();
    let size = |b: &[u8]| match std::str::from_utf8(b) {
        Ok(_) => format!("{} lines, {} bytes", lines(b), b.len()),
        Err(_) => format!("{} bytes", b.len()),
    };
    let end = if report.complete { "nothing smaller is left" } else { "the limit was reached" };
    let (tried, steps) = (report.tried, report.steps);
    format!("{} became {}: {tried} candidates tried, {steps} taken, {end}\n", size(before), size(after))
}

/// The fewest optimisations with which `--verify` still finds the difference.
fn fuel(args: &Reduce, process: &Process<'_>, out: &Path) -> Option<u64> {
    if !matches!(process.fault, Fault::Verify) || args.target().contains(',') || args.target().starts_with("all") {
        return None;
    }
    let target = process.folder.join("out-fuel").to_string_lossy().into_owned();
    let fails = |n: u64| {
        let n = n.to_string();
        let ended = process.own(&["-o", &target, "--verify", "--fuel", &n], out, 0);
        ended.is_some_and(|e| e.code == Some(70))
    };
    let (mut low, mut high) = (0u64, 1u64 << 16);
    if !fails(high) || fails(0) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fails(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The command that shows the fault in the output.
fn shown(args: &Reduce, process: &Process<'_>, out: &Path, fuel: Option<u64>) -> String {
    let file = with_path("{}", out);
    let (target, opt) = (args.target(), args.level());
    let is_scene = process.ending == ".toml" || process.ending == ".json";
    let compile = format!("gpucc {file} --target {target} -O {opt} -o /dev/null");
    let render =
        format!("gpucc render {file} --target {target} -O {opt} -o {}", with_path("{}", &out.with_extension("png")));
    match &process.fault {
        Fault::Command(text) => with_path(text, out),
        Fault::Verify => {
            let fuel = fuel.map_or(String::new(), |n| format!(" --fuel {n}"));
            format!("{compile} --verify{fuel}")
        }
        Fault::Difference => format!("{render} --oracle"),
        Fault::Crash(_) | Fault::Refusal(_) if is_scene => render,
        Fault::Crash(_) | Fault::Refusal(_) => compile,
    }
}
