//! Damaged shaders: whatever the text, the compiler answers soon, and the answer is code, a message about the input or a
//! refusal of a target. `GPUCC_FUZZ=N` takes N cases instead of a few hundred, `GPUCC_FUZZ_SEED=S` starts elsewhere.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_ir::{Class, Diagnostic};
use gpucc_sim::SplitMix64;
use gpucc_tests::{exec, randprog::Generator, shared};
use rayon::prelude::*;

/// Longer than this is a hang, on a loaded machine, too.
const PATIENCE: Duration = Duration::from_secs(60);

fn corpus() -> Vec<String> {
    let mut folders = vec![shared::workspace().join("examples")];
    folders.extend(shared::find("corpus/compute"));
    let mut texts: Vec<(String, String)> = Vec::new();
    for folder in folders {
        for file in std::fs::read_dir(folder).expect("a folder of shaders").flatten() {
            if file.path().extension().is_some_and(|x| x == "wgsl") {
                let text = std::fs::read_to_string(file.path()).expect("a shader");
                texts.push((file.file_name().to_string_lossy().into_owned(), text));
            }
        }
    }
    texts.sort();
    texts.into_iter().map(|t| t.1).chain((0..8).map(|s| Generator::new(s).program())).collect()
}

/// Words, numbers and single signs, with the blanks before them.
fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.len() - rest.trim_start().len();
        let word = rest[blank..].find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(rest.len() - blank);
        let sign = rest[blank..].chars().next().map_or(0, char::len_utf8);
        let (token, more) = rest.split_at(blank + word.max(sign));
        list.push(token);
        rest = more;
    }
    list
}

struct Mutator<'a> {
    rng: SplitMix64,
    corpus: &'a [String],
}

impl Mutator<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.rng.below(n.max(1) as u64) as usize
    }

    fn text(&mut self) -> String {
        let k = self.pick(self.corpus.len());
        self.corpus[k].clone()
    }

    fn shader(&mut self) -> Vec<u8> {
        let mut text = self.text();
        if self.pick(8) == 0 {
            return self.bytes(text);
        }
        for _ in 0..1 + self.pick(3) {
            text = self.mutate(&text);
        }
        text.into_bytes()
    }

    /// Bytes flipped, cut out or cut off: mostly no text at all.
    fn bytes(&mut self, text: String) -> Vec<u8> {
        let mut b = text.into_bytes();
        for _ in 0..1 + self.pick(8) {
            let at = self.pick(b.len());
            b[at] ^= 1 << self.pick(8);
        }
        if self.pick(3) == 0 {
            let keep = self.pick(b.len());
            b.truncate(keep);
        }
        b
    }

    fn mutate(&mut self, text: &str) -> String {
        let t = tokens(text);
        let at = self.pick(t.len());
        let is_number = |w: &&str| w.trim().starts_with(|c: char| c.is_ascii_digit());
        match self.pick(12) {
            // A token less, twice, or another one.
            0 => [&t[..at], &t[at + 1..]].concat().concat(),
            1 => [&t[..=at], &t[at..]].concat().concat(),
            2 => {
                let other = self.text();
                let o = tokens(&other);
                let k = self.pick(o.len());
                [&t[..at], &[" ", o[k]][..], &t[at + 1..]].concat().concat()
            }
            // Two tokens exchanged.
            3 => {
                let mut t = t.clone();
                let other = self.pick(t.len());
                t.swap(at, other);
                t.concat()
            }
            // Numbers at the limits of things.
            4..=6 => {
                let numbers: Vec<usize> = (0..t.len()).filter(|&k| is_number(&t[k])).collect();
                let Some(&k) = numbers.get(self.pick(numbers.len())) else { return text.into() };
                let list = [
                    "0",
                    "0u",
                    "1",
                    "1u",
                    "2u",
                    "4294967295u",
                    "2147483647",
                    "65536u",
                    "255",
                    "32u",
                    "33u",
                    "1e38",
                    "0.0",
                    "1000000",
                    "3",
                ];
                let new = list[self.pick(list.len())];
                [&t[..k], &[" ", new][..], &t[k + 1..]].concat().concat()
            }
            // Another operator.
            7 | 8 => {
                let signs = ["+", "-", "*", "/", "%", "&", "|", "^", "<", ">"];
                let places: Vec<usize> = (0..t.len()).filter(|&k| signs.contains(&t[k].trim())).collect();
                let Some(&k) = places.get(self.pick(places.len())) else { return text.into() };
                let new = signs[self.pick(signs.len())];
                [&t[..k], &[" ", new][..], &t[k + 1..]].concat().concat()
            }
            // A line again and again.
            9 => {
                let lines: Vec<&str> = text.lines().collect();
                let k = self.pick(lines.len());
                let times = [1, 2, 20, 200][self.pick(4)];
                let copy = format!("{}\n", lines[k]).repeat(times);
                [&lines[..k].join("\n"), "\n", &copy, &lines[k..].join("\n")].concat()
            }
            // Nested deeply: an expression, or statements.
            10 => {
                let depth = [5, 60, 150, 300][self.pick(4)];
                let (open, close) =
                    [("(", ")"), ("{", "}"), ("-(", ")"), ("if true {", "}"), ("loop {", "break; }")][self.pick(5)];
                [&t[..at], &[open.repeat(depth).as_str(), t[at], &close.repeat(depth)], &t[at + 1..]].concat().concat()
            }
            // Functions twice, renamed: more of everything.
            _ => {
                let mut out = text.to_string();
                for copy in 0..1 + self.pick(4) {
                    for part in text.split("\nfn ").skip(1) {
                        let body = part.split("\n}").next().unwrap_or(part);
                        out += &format!("\nfn copy{copy}_{body}\n}}\n");
                    }
                }
                out
            }
        }
    }
}

/// The event that must never happen, if it does.
fn bug(list: &[Diagnostic]) -> Option<String> {
    list.iter().find(|d| d.class == Class::Internal).map(|d| format!("{d} {:?}", d.notes))
}

fn answer(bytes: &[u8], targets: &[Target], level: u8) -> Result<bool, String> {
    let options = FrontOptions { robust: level.is_multiple_of(2), ..FrontOptions::default() };
    let loaded = match frontend::load(bytes, Lang::Wgsl, &options) {
        Ok(l) => l,
        Err(list) => return bug(&list).map_or(Ok(false), Err),
    };
    for target in targets {
        let mut o = Options::new(*target).opt(level);
        o.codegen.verify = true;
        if let Err(d) = gpucc::compile(&loaded.module, &o)
            && d.class != Class::Unsupported
            && d.class != Class::Invalid
        {
            return Err(format!("{target} -O{level}: {}", bug(&[d]).unwrap_or_default()));
        }
    }
    Ok(true)
}

#[test]
fn damaged_shaders() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (number("GPUCC_FUZZ").unwrap_or(400), number("GPUCC_FUZZ_SEED").unwrap_or(0));
    let corpus = corpus();
    let targets = exec::targets("all");
    let save = std::env::var_os("GPUCC_FUZZ_SAVE");
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build().expect("threads");
    let (send, receive) = mpsc::channel();
    let results: Vec<Result<bool, String>> = std::thread::scope(|s| {
        // Somebody who can say which case hangs.
        s.spawn(move || {
            let mut running: Vec<(u64, Instant)> = Vec::new();
            loop {
                match receive.recv_timeout(Duration::from_secs(1)) {
                    Ok((seed, true)) => running.push((seed, Instant::now())),
                    Ok((seed, false)) => running.retain(|r| r.0 != seed),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                }
                if let Some(r) = running.iter().find(|r| r.1.elapsed() > PATIENCE) {
                    eprintln!("case {} hangs", r.0);
                    std::process::abort();
                }
            }
        });
        let work = |seed: u64| {
            let bytes = Mutator { rng: SplitMix64::new(seed), corpus: &corpus }.shader();
            if let Some(dir) = &save {
                let _ = std::fs::write(std::path::Path::new(dir).join(format!("{seed}.wgsl")), &bytes);
            }
            let _ = send.send((seed, true));
            let result = answer(&bytes, &targets, (seed % 4) as u8).map_err(|e| format!("case {seed}: {e}"));
            let _ = send.send((seed, false));
            result
        };
        let results = pool.install(|| (first..first + count).into_par_iter().map(work).collect());
        drop(send);
        results
    });
    let accepted = results.iter().filter(|r| r.as_ref() == Ok(&true)).count();
    println!("{accepted} of {count} damaged shaders are still shaders");
    let failures: Vec<&String> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} failures:\n{failures:#?}", failures.len());
    assert!(accepted as u64 > count / 20, "only {accepted} of {count} got past the frontend: the test has gone blunt");
}
