//! Entries compiled by us beside what peers made of them, one by one and together.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};

/// Entries of fewer instructions are prologs more than programs.
pub(super) const LEAST: f64 = 40.0;
/// A target of ours and who it is compared with.
pub(super) struct Pair {
    pub(super) target: &'static str,
    pub(super) peer: &'static str,
    pub(super) chip: &'static str,
}

pub(super) const PAIRS: [Pair; 10] = [
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

/// `(shader, entry)`.
pub(super) type Key = (String, String);

/// The program that a compiler made of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) instructions: f64,
    pub(super) bytes: f64,
    pub(super) registers: f64,
}

impl Figures {
    pub(super) fn list(self) -> [f64; 3] {
        [self.instructions, self.bytes, self.registers]
    }
}

#[derive(Clone, Debug)]
pub(super) enum Ours {
    Made { figures: Figures, micros: f64 },
    Refused(String),
}

pub(super) struct Peers {
    pub(super) rows: BTreeMap<(String, String, Key), Figures>,
    pub(super) nozero: BTreeMap<(String, String, Key), Figures>,
    /// Entries whose workgroup memory the peers zero in `rows`.
    pub(super) zeroed: Vec<Key>,
    /// Chips that were measured without zeroing.
    pub(super) clean: Vec<(String, String)>,
}

impl Peers {
    /// The peer's code of an entry, if that can be compared.
    pub(super) fn figures(&self, p: &Pair, k: &Key) -> Option<Figures> {
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
    pub(super) fn compiles(&self, p: &Pair, k: &Key) -> bool {
        self.rows.contains_key(&(p.peer.to_string(), p.chip.to_string(), k.clone()))
    }
}

/// The rows of a table whose stage is one of these.
pub(super) fn table(path: &Path, stages: &[&str]) -> Result<BTreeMap<(String, String, Key), Figures>, String> {
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

/// Our figures in the peer's units: GCN vector registers in fours, Mali code padded to 128 bytes.
pub(super) fn units(family: &str, stats: &[(String, u64)]) -> Figures {
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
pub(super) type Source = (Key, Result<gpucc_ir::Module, String>);

/// Every entry of these for one target.
pub(super) fn compile_all(sources: &[Source], target: Target, timed: u32) -> BTreeMap<Key, Ours> {
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

pub(super) fn sources(corpus: &Path, peers: &Peers) -> Vec<Source> {
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

pub(super) fn geomean(list: &[f64]) -> f64 {
    if list.is_empty() { 0.0 } else { (list.iter().map(|x| x.ln()).sum::<f64>() / list.len() as f64).exp() }
}

/// `compute/name.wgsl`, `main` as `name`; other entries keep their name.
pub(super) fn short(k: &Key) -> String {
    let name = k.0.trim_start_matches("compute/").trim_start_matches("graphics/").trim_end_matches(".wgsl");
    if k.1 == "main" { name.into() } else { format!("{name}:{}", k.1) }
}

pub(super) struct Compared {
    /// Key, ratios of instructions, bytes and registers, and both instruction counts.
    pub(super) rows: Vec<(Key, [f64; 3], f64, f64)>,
    /// The shaders that the peer compiles and we do not.
    pub(super) missing: Vec<(Key, String)>,
}

pub(super) fn compare(p: &Pair, ours: &BTreeMap<Key, Ours>, peers: &Peers) -> Compared {
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

/// The ten entries with the highest ratio, and why.
pub(super) fn worst(o: &mut String, family: &str, c: &Compared, notes: &BTreeMap<(String, String), String>) {
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
