//! Our code beside other compilers': `cargo xtask docs` writes `docs/performance.md` from the shared folder's tables, `cargo xtask peers`
//! measures times and writes `docs/performance-measured.md`.
//!
//! The tables (`peers/peers.csv`, `peers/peers-nozero.csv`) say how to be compared: the same entry and stage, bounds checks
//! off on both sides, workgroup memory zeroed on neither. For a chip that was not measured again without zeroing, entries
//! with workgroup memory are left out, as are entries below `LEAST` instructions of the peer. Explanations of the worst
//! entries are written by people: `docs/performance-notes.txt`, `family | entry | text` a line.

mod draws;
mod executed;
mod lanes;
mod measure;

use crate::{stamp, workspace};
use measure::{
    Compared, Key, LEAST, Ours, PAIRS, Pair, Peers, Source, compare, compile_all, geomean, short, sources, table, worst,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gpucc::Target;
use gpucc_tests::exec::{self};
use gpucc_tests::shared;

/// Timed compilations of an entry; the least time counts.
const TIMED: u32 = 5;

/// The pair of each family whose worst entries are explained: all its peers' rows were measured without zeroing.
const EXPLAINED: [(&str, usize); 3] = [("gcn", 2), ("valhall", 4), ("tesla", 6)];

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
    let mut passes: Vec<&str> = gpucc_opt::passes::passes(2).iter().map(|p| p.name).collect();
    passes.sort_unstable();
    passes.dedup();
    passes.retain(|p| !gpucc_opt::passes::REQUIRED.contains(p));
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

/// The corpus on each target, side by side over the targets; `timed` says how often an entry is compiled.
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
         registers 32 or 64. Ratios are ours divided by theirs, and below 1 is better.\n\n\
         Times of compilation, and of a frame of 10,082 triangles on the oracle and on the machine of gcn:gfx8 (under 1 s each), are in\n\
         [performance-measured.md](performance-measured.md).\n\n## Compute, beside the peers\n\n\
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
    lanes::section(&mut o)?;
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
    executed::section(&mut o, folder, 2, None)?;
    // Figures measured by hand or elsewhere, kept as text.
    o.push_str(&std::fs::read_to_string(workspace::root().join("docs/performance-scaling.txt")).unwrap_or_default());
    Ok(o)
}

/// Writes the page, to the file named if there is one; `executed [-O3]` prints that section alone, on any build.
pub fn run(args: &[String]) -> bool {
    let Some(folder) = shared::folder() else {
        eprintln!("no shared folder: nothing to compare with");
        return false;
    };
    if args.first().is_some_and(|a| a == "executed") {
        let mut o = String::new();
        let level = args.get(1).and_then(|l| l.trim_start_matches("-O").parse().ok()).unwrap_or(2);
        return match executed::section(&mut o, &folder, level, args.get(2).map(String::as_str)) {
            Ok(()) => {
                println!("{o}");
                true
            }
            Err(e) => {
                eprintln!("{e}");
                false
            }
        };
    }
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
