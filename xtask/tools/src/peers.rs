//! Our code beside other compilers': `cargo xtask docs` writes `docs/performance.md` from the shared folder's tables, `cargo xtask peers`
//! measures times and writes `docs/performance-measured.md`.
//!
//! The tables (`peers/peers.csv`, `peers/peers-nozero.csv`) say how to be compared: the same entry and stage, bounds checks
//! off on both sides, workgroup memory zeroed on neither. For a chip that was not measured again without zeroing, entries
//! with workgroup memory are left out, as are entries below `LEAST` instructions of the peer. Explanations of the worst
//! entries are written by people: `docs/performance-notes.txt`, `family | entry | text` a line.

mod draws;

use crate::{stamp, workspace};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_tests::exec::{self};
use gpucc_tests::shared;

/// Entries of fewer instructions are prologs more than programs.
const LEAST: f64 = 40.0;
/// Timed compilations of an entry; the least time counts.
const TIMED: u32 = 5;

/// A target of ours and who it is compared with.
struct Pair {
    target: &'static str,
    peer: &'static str,
    chip: &'static str,
}

const PAIRS: [Pair; 10] = [
    Pair { target: "gcn:gfx6", peer: "radv", chip: "tahiti" },
    Pair { target: "gcn:gfx7", peer: "radv", chip: "hawaii" },
    Pair { target: "gcn:gfx8", peer: "radv", chip: "polaris10" },
    Pair { target: "valhall:v9", peer: "panfrost", chip: "9093" },
    Pair { target: "valhall:v10", peer: "panvk", chip: "a867" },
    Pair { target: "valhall:v10", peer: "panfrost", chip: "a867" },
    Pair { target: "tesla:nv50", peer: "nouveau", chip: "50" },
    Pair { target: "tesla:nva0", peer: "nouveau", chip: "a0" },
    Pair { target: "tesla:nva3", peer: "nouveau", chip: "a3" },
    // No peer compiles compute for this family: our side alone.
    Pair { target: "vivante:gc3000", peer: "", chip: "" },
];

/// The pair of each family whose worst entries are explained: all its peers' rows were measured without zeroing.
const EXPLAINED: [(&str, usize); 3] = [("gcn", 2), ("valhall", 4), ("tesla", 6)];

/// `(shader, entry)`.
type Key = (String, String);

/// What a compiler made of an entry.
#[derive(Clone, Copy, Debug)]
struct Figures {
    instructions: f64,
    bytes: f64,
    registers: f64,
}

impl Figures {
    fn list(self) -> [f64; 3] {
        [self.instructions, self.bytes, self.registers]
    }
}

#[derive(Clone, Debug)]
enum Ours {
    Made { figures: Figures, micros: f64 },
    Refused(String),
}

struct Peers {
    rows: BTreeMap<(String, String, Key), Figures>,
    nozero: BTreeMap<(String, String, Key), Figures>,
    /// Entries whose workgroup memory the peers zero in `rows`.
    zeroed: Vec<Key>,
    /// Chips that were measured without zeroing.
    clean: Vec<(String, String)>,
}

impl Peers {
    /// What the peer made of an entry, if that can be compared.
    fn figures(&self, p: &Pair, k: &Key) -> Option<Figures> {
        let at = (p.peer.to_string(), p.chip.to_string(), k.clone());
        if self.clean.contains(&(at.0.clone(), at.1.clone())) {
            if self.zeroed.contains(k) {
                return self.nozero.get(&at).copied();
            }
        } else if self.zeroed.contains(k) {
            return None;
        }
        self.rows.get(&at).copied()
    }
    /// Whether the peer compiles it, comparable or not.
    fn compiles(&self, p: &Pair, k: &Key) -> bool {
        self.rows.contains_key(&(p.peer.to_string(), p.chip.to_string(), k.clone()))
    }
}

/// The rows of a table whose stage is one of these.
fn table(path: &Path, stages: &[&str]) -> Result<BTreeMap<(String, String, Key), Figures>, String> {
    let mut r = csv::Reader::from_path(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let head = r.headers().map_err(|e| e.to_string())?.clone();
    let column = |n: &str| head.iter().position(|h| h == n).ok_or_else(|| format!("no column {n}"));
    let (shader, entry, stage, peer, chip, ok) =
        (column("shader")?, column("entry")?, column("stage")?, column("peer")?, column("chip")?, column("ok")?);
    let (instrs, bytes, regs) = (column("instrs")?, column("code_bytes")?, column("regs")?);
    let mut out = BTreeMap::new();
    for row in r.records() {
        let row = row.map_err(|e| e.to_string())?;
        if !stages.contains(&&row[stage]) || &row[ok] != "1" || row[shader].starts_with("__") {
            continue;
        }
        let number = |c: usize| row[c].parse::<f64>();
        if let (Ok(instructions), Ok(bytes), Ok(registers)) = (number(instrs), number(bytes), number(regs)) {
            let key = (row[shader].to_string(), row[entry].to_string());
            out.insert((row[peer].into(), row[chip].into(), key), Figures { instructions, bytes, registers });
        }
    }
    Ok(out)
}

fn peers(folder: &Path) -> Result<Peers, String> {
    let rows = table(&folder.join("peers.csv"), &["compute"])?;
    let nozero = table(&folder.join("peers-nozero.csv"), &["compute"])?;
    let mut zeroed: Vec<Key> = nozero.keys().map(|k| k.2.clone()).collect();
    zeroed.sort();
    zeroed.dedup();
    let mut clean: Vec<(String, String)> = nozero.keys().map(|k| (k.0.clone(), k.1.clone())).collect();
    clean.dedup();
    Ok(Peers { rows, nozero, zeroed, clean })
}

/// Our figures in the peer's units: GCN vector registers in fours, Mali code padded to 128 bytes.
fn units(family: &str, stats: &[(String, u64)]) -> Figures {
    let get = |n: &str| stats.iter().find(|s| s.0 == n).map_or(0, |s| s.1);
    let (instructions, mut bytes, mut registers) = (get("instructions"), get("bytes"), get("registers"));
    match family {
        "gcn" => registers = registers.max(1).next_multiple_of(4),
        "valhall" => bytes = bytes.next_multiple_of(128),
        "tesla" => registers = registers.max(1),
        _ => {}
    }
    Figures { instructions: instructions as f64, bytes: bytes as f64, registers: registers as f64 }
}

/// An entry of the corpus, and its module or why it has none.
type Source = (Key, Result<gpucc_ir::Module, String>);

/// Every entry of these for one target.
fn compile_all(sources: &[Source], target: Target, timed: u32) -> BTreeMap<Key, Ours> {
    let mut out = BTreeMap::new();
    for (key, module) in sources {
        let made = match module {
            Err(why) => Ours::Refused(why.clone()),
            Ok(m) => {
                let o = Options::new(target);
                let mut least = f64::MAX;
                let mut last = None;
                for _ in 0..timed {
                    let start = Instant::now();
                    let r = gpucc::compile_entry(m, &key.1, &o);
                    least = least.min(start.elapsed().as_secs_f64() * 1e6);
                    last = Some(r);
                }
                match last {
                    Some(Ok(a)) => Ours::Made { figures: units(target.family(), &a.outputs()[0].stats), micros: least },
                    Some(Err(d)) => Ours::Refused(d.message),
                    None => continue,
                }
            }
        };
        out.insert(key.clone(), made);
    }
    out
}

fn sources(corpus: &Path, peers: &Peers) -> Vec<Source> {
    let mut keys: Vec<Key> = peers.rows.keys().map(|k| k.2.clone()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|k| {
            let module = std::fs::read(corpus.join(&k.0)).map_err(|e| e.to_string()).and_then(|bytes| {
                let o = FrontOptions { entry: Some(k.1.clone()), robust: false, ..FrontOptions::default() };
                frontend::load(&bytes, Lang::Wgsl, &o).map(|l| l.module).map_err(|d| d[0].message.clone())
            });
            (k, module)
        })
        .collect()
}

fn geomean(list: &[f64]) -> f64 {
    if list.is_empty() { 0.0 } else { (list.iter().map(|x| x.ln()).sum::<f64>() / list.len() as f64).exp() }
}

/// `compute/name.wgsl`, `main` as `name`; other entries keep their name.
fn short(k: &Key) -> String {
    let name = k.0.trim_start_matches("compute/").trim_start_matches("graphics/").trim_end_matches(".wgsl");
    if k.1 == "main" { name.into() } else { format!("{name}:{}", k.1) }
}

struct Compared {
    /// Key, ratios of instructions, bytes and registers, and both instruction counts.
    rows: Vec<(Key, [f64; 3], f64, f64)>,
    /// What the peer compiles and we do not.
    missing: Vec<(Key, String)>,
}

fn compare(p: &Pair, ours: &BTreeMap<Key, Ours>, peers: &Peers) -> Compared {
    let mut c = Compared { rows: Vec::new(), missing: Vec::new() };
    for (k, o) in ours {
        match o {
            Ours::Refused(why) if peers.compiles(p, k) => c.missing.push((k.clone(), why.clone())),
            Ours::Refused(_) => {}
            Ours::Made { figures, .. } => {
                let Some(t) = peers.figures(p, k) else { continue };
                if t.instructions < LEAST {
                    continue;
                }
                let (a, b) = (figures.list(), t.list());
                let ratio = [a[0] / b[0], a[1] / b[1], a[2] / b[2]];
                c.rows.push((k.clone(), ratio, a[0], b[0]));
            }
        }
    }
    c
}

/// Peers' microseconds for each instruction they emit are in the tables' description; ours are measured here.
fn times(o: &mut String, all: &[(&Pair, BTreeMap<Key, Ours>)]) {
    o.push_str(
        "\n## Compile time over the corpus\n\nWhole compile of each entry in process (optimiser, code generation, emission, reflection; frontend \
         excluded), the least of five, release build, one thread. The criterion benchmark `cargo bench -p gpucc-bench` measures the same.\n\n\
         | target | entries | us for each emitted instruction (geometric mean) | worst | ms an entry (geometric mean) |\n|---|--:|--:|--:|--:|\n",
    );
    let mut done: Vec<&str> = Vec::new();
    for (p, ours) in all {
        if done.contains(&p.target) {
            continue;
        }
        done.push(p.target);
        let mut per = Vec::new();
        let mut whole = Vec::new();
        for v in ours.values() {
            if let Ours::Made { figures, micros } = v {
                per.push(micros / figures.instructions.max(1.0));
                whole.push(micros / 1000.0);
            }
        }
        let worst = per.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(
            o,
            "| {} | {} | {:.1} | {worst:.1} | {:.2} |",
            p.target,
            per.len(),
            geomean(&per),
            geomean(&whole)
        );
    }
}

/// Executed instructions of all examples at a level, or without one pass of level 2.
fn executed(target: Target, level: u8, without: Option<&str>) -> Result<Vec<u64>, String> {
    let mut out = Vec::new();
    for e in gpucc_tests::examples::all() {
        let text = std::fs::read_to_string(workspace::root().join("examples").join(e.file))
            .map_err(|x| format!("{}: {x}", e.file))?;
        let module = exec::lower(&text, e.entry, &[]).map_err(|p| format!("{}: {p}", e.file))?;
        let mut d = e.dispatch();
        let mut codegen = gpucc::CodegenOptions { opt_level: level, ..gpucc::CodegenOptions::default() };
        codegen.skip_passes.extend(without.map(String::from));
        let r = exec::run(&module, e.entry, exec::on(target), &codegen, &mut d, &gpucc_sim::RunOptions::default())
            .map_err(|p| format!("{} on {target}: {p}", e.file))?;
        out.push(r.instructions);
    }
    Ok(out)
}

/// Instructions executed over the examples at level 0 and 2, and what each pass is worth.
fn levels(o: &mut String) -> Result<(), String> {
    o.push_str(
        "\n## What the optimiser saves when the examples run\n\nInstructions that the machines execute (`RunReport::instructions`, one for each subgroup \
         that issues it), robust, summed over `examples/`. A pass's worth is how much more is executed at -O2 without it; passes that code \
         generation needs are not left out. `--time-passes` prints each pass's share for one shader.\n\n",
    );
    let targets = Target::parse_list("all")?;
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    let _ = writeln!(o, "| | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()));
    let sum = |v: &[u64]| v.iter().sum::<u64>();
    let mut base: Vec<Vec<u64>> = Vec::new();
    let mut each: Vec<Vec<Vec<u64>>> = Vec::new();
    for level in 0..=3 {
        let mut line = format!("| -O{level} |");
        for (n, &t) in targets.iter().enumerate() {
            let list = executed(t, level, None)?;
            let s = sum(&list);
            if level == 0 {
                base.push(vec![s]);
                each.push(vec![list]);
                let _ = write!(line, " {s} |");
            } else {
                let _ = write!(line, " {s} ({:.0} % fewer) |", 100.0 - 100.0 * s as f64 / base[n][0] as f64);
                base[n].push(s);
                each[n].push(list);
            }
        }
        let _ = writeln!(o, "{line}");
    }
    let mut line = String::from("| -O2, geometric mean of each example's share |");
    for e in &each {
        let ratios: Vec<f64> = e[0].iter().zip(&e[2]).map(|(a, b)| *b as f64 / *a as f64).collect();
        let _ = write!(line, " {:.0} % fewer |", 100.0 - 100.0 * geomean(&ratios));
    }
    let _ = writeln!(o, "{line}");
    for (k, e) in gpucc_tests::examples::all().iter().enumerate() {
        let mut line = format!("| `{}` -O0 to -O2 |", e.file);
        for n in &each {
            let (a, b) = (n[0][k], n[2][k]);
            let _ = write!(line, " {a} to {b} ({:.0} % fewer) |", 100.0 - 100.0 * b as f64 / a as f64);
        }
        let _ = writeln!(o, "{line}");
    }
    let mut passes: Vec<&str> = gpucc_opt::pipeline::passes(2).iter().map(|p| p.name).collect();
    passes.sort_unstable();
    passes.dedup();
    passes.retain(|p| !gpucc_opt::pipeline::REQUIRED.contains(p));
    for p in passes {
        let mut line = format!("| without `{p}` |");
        for (n, &t) in targets.iter().enumerate() {
            match executed(t, 2, Some(p)) {
                Ok(v) => {
                    let _ = write!(line, " {:+.1} % |", 100.0 * sum(&v) as f64 / base[n][2] as f64 - 100.0);
                }
                Err(_) => line.push_str(" refused |"),
            }
        }
        let _ = writeln!(o, "{line}");
    }
    Ok(())
}

/// The notes by `(family, short entry)`.
fn notes() -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(notes_path()).unwrap_or_default();
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| {
            let mut parts = l.splitn(3, '|').map(|p| p.trim().to_string());
            Some(((parts.next()?, parts.next()?), parts.next()?))
        })
        .collect()
}

fn notes_path() -> PathBuf {
    workspace::root().join("docs/performance-notes.txt")
}

/// A pair with what our target makes of the corpus.
type Made = (&'static Pair, BTreeMap<Key, Ours>);

/// What each target makes of the corpus, side by side over the targets; `timed` says how often an entry is compiled.
fn compile_pairs(sources: &[Source], timed: u32) -> Result<Vec<Made>, String> {
    let mut names: Vec<&str> = Vec::new();
    PAIRS.iter().for_each(|p| {
        if !names.contains(&p.target) {
            names.push(p.target)
        }
    });
    let targets = names.iter().map(|n| Target::parse(n)).collect::<Result<Vec<_>, _>>()?;
    // Times are those of one thread.
    let made: Vec<BTreeMap<Key, Ours>> = if timed > 1 {
        targets.iter().map(|t| compile_all(sources, *t, timed)).collect()
    } else {
        std::thread::scope(|s| {
            let jobs: Vec<_> = targets.iter().map(|t| s.spawn(move || compile_all(sources, *t, timed))).collect();
            jobs.into_iter()
                .map(|j| j.join().map_err(|_| "a compilation panicked".to_string()))
                .collect::<Result<_, _>>()
        })?
    };
    let of = |p: &Pair| names.iter().position(|n| *n == p.target).map_or_else(BTreeMap::new, |n| made[n].clone());
    Ok(PAIRS.iter().map(|p| (p, of(p))).collect())
}

/// The ten entries with the highest ratio, and why.
fn worst(o: &mut String, family: &str, c: &Compared, notes: &BTreeMap<(String, String), String>) {
    o.push_str("\n| entry | ours | theirs | instructions | bytes | registers | why |\n|---|--:|--:|--:|--:|--:|---|\n");
    let mut rows: Vec<_> = c.rows.iter().collect();
    rows.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
    for (k, r, a, b) in rows.into_iter().take(10) {
        let why = notes.get(&(family.to_string(), short(k)));
        let fewer = r[0] <= 1.0;
        if why.is_none() && !fewer {
            eprintln!("no explanation of {family} | {} in docs/performance-notes.txt", short(k));
        }
        let why = why.map_or(if fewer { "no more than the peer's" } else { "not explained yet" }, String::as_str);
        let _ = writeln!(o, "| `{}` | {a} | {b} | {:.2} | {:.2} | {:.2} | {why} |", short(k), r[0], r[1], r[2]);
    }
}

/// `docs/performance.md`: instructions, bytes and registers beside the peers'. The same from every run.
///
/// # Errors
/// The tables cannot be read.
pub fn counts_page(folder: &Path) -> Result<String, String> {
    let peers = peers(&folder.join("peers"))?;
    let sources = sources(&folder.join("corpus"), &peers);
    let all = compile_pairs(&sources, 1)?;
    let mut o = format!(
        "# Performance\n\nMade by `cargo xtask docs` from tables of what Mesa 25.0.7 makes of a corpus of WGSL shaders; tables and corpus are not in this \
         repository. Explanations come from `docs/performance-notes.txt`. Level 2, `--robust=off`, the same WGSL.\n\n\
         Rules of the comparison: entries that both sides compile; workgroup memory zeroed on neither side (entries with workgroup memory \
         are left out where the peer was not measured without zeroing); entries below {LEAST} instructions of the peer left out; all \
         instructions counted on both sides, waits, NOPs and ends included; Mali code padded to 128 bytes; GCN vector registers in fours, Mali work \
         registers 32 or 64. Ratios are ours divided by theirs, and below 1 is better.\n\n## Compute, beside the peers\n\n\
         | target | peer | entries | instructions | bytes | registers | better or equal | missing |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
    );
    let mut compared = Vec::new();
    for (p, ours) in &all {
        let c = compare(p, ours, &peers);
        if p.peer.is_empty() {
            continue;
        }
        let of = |n: usize| geomean(&c.rows.iter().map(|r| r.1[n]).collect::<Vec<_>>());
        let _ = writeln!(
            o,
            "| {} | {} {} | {} | {:.3} | {:.3} | {:.3} | {} | {} |",
            p.target,
            p.peer,
            p.chip,
            c.rows.len(),
            of(0),
            of(1),
            of(2),
            c.rows.iter().filter(|r| r.1[0] <= 1.0).count(),
            c.missing.len(),
        );
        compared.push((p, c));
    }
    o.push_str("\nVivante: no peer compiles compute there.\n\n### What a peer compiles and we refuse\n\n");
    let mut missing: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for (p, c) in &compared {
        for (k, why) in &c.missing {
            let list = missing.entry((short(k), why.clone())).or_default();
            if !list.contains(&p.target) {
                list.push(p.target);
            }
        }
    }
    for ((entry, why), targets) in &missing {
        let _ = writeln!(o, "* `{entry}` on {}: {why}", targets.join(", "));
    }
    if missing.is_empty() {
        o.push_str("Nothing.\n");
    }
    let notes = notes();
    for (family, n) in EXPLAINED {
        let (p, c) = &compared[n];
        let _ = writeln!(o, "\n### The ten worst of {family} ({} beside {} {})", p.target, p.peer, p.chip);
        worst(&mut o, family, c, &notes);
    }
    o.push_str("\n### Every entry: instructions, ours divided by theirs\n\n| entry |");
    for (p, _) in &compared {
        let _ = write!(o, " {} {} |", p.target.split(':').nth(1).unwrap_or(""), p.peer);
    }
    let _ = writeln!(o, "\n|---|{}", "--:|".repeat(compared.len()));
    for (k, _) in &sources {
        let cell = |c: &Compared| c.rows.iter().find(|r| r.0 == *k).map_or("".into(), |r| format!("{:.2}", r.1[0]));
        let cells: Vec<String> = compared.iter().map(|(_, c)| cell(c)).collect();
        if cells.iter().any(|c| !c.is_empty()) {
            let _ = writeln!(o, "| `{}` | {} |", short(k), cells.join(" | "));
        }
    }
    draws::section(&mut o, folder, &notes)?;
    Ok(o)
}

/// `docs/performance-measured.md`: times and executed instructions, as this machine has them.
fn measured_page(folder: &Path) -> Result<String, String> {
    let peers = peers(&folder.join("peers"))?;
    let sources = sources(&folder.join("corpus"), &peers);
    let mut o = String::from(
        "# Performance, measured\n\nMade by `cargo xtask peers`. What each target emits is in `performance.md`.\n",
    );
    times(&mut o, &compile_pairs(&sources, TIMED)?);
    levels(&mut o)?;
    // What is measured by hand or elsewhere and kept as text.
    o.push_str(&std::fs::read_to_string(workspace::root().join("docs/performance-scaling.txt")).unwrap_or_default());
    Ok(o)
}

/// Writes the page, to the file named if there is one.
pub fn run(args: &[String]) -> bool {
    let Some(folder) = shared::folder() else {
        eprintln!("no shared folder: nothing to compare with");
        return false;
    };
    if cfg!(debug_assertions) {
        eprintln!("not a release build: the times are not worth publishing");
    }
    let written = measured_page(&folder).and_then(|text| {
        let text = stamp::stamped(&text);
        let path = match args.first() {
            Some(a) => PathBuf::from(a),
            None => workspace::root().join("docs/performance-measured.md"),
        };
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    });
    if let Err(e) = &written {
        eprintln!("{e}");
    }
    written.is_ok()
}
