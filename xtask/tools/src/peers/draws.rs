//! Vertex and fragment entries beside the peers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use gpucc::Target;

use super::measure::{Compared, Key, PAIRS, Pair, Peers, compare, compile_all, geomean, short, sources, table, worst};

/// Pairs beside those of compute, of a family that no peer compiles compute for. Its instructions are of four components.
const MORE: [Pair; 3] = [
    Pair { target: "vivante:gc2000", peer: "etnaviv", chip: "GC2000" },
    Pair { target: "vivante:gc3000", peer: "etnaviv", chip: "GC3000" },
    Pair { target: "vivante:gc7000", peer: "etnaviv", chip: "GC7000L" },
];
/// The pair of each family whose worst entries are explained.
const EXPLAINED: [(&str, usize); 4] = [("gcn", 2), ("valhall", 4), ("tesla", 8), ("vivante", 10)];
const STAGES: [&str; 2] = ["vertex", "fragment"];

/// The rows of one stage. Workgroup memory, and with it zeroing, is not for draws.
fn peers(folder: &Path, stage: &str) -> Result<Peers, String> {
    let rows = table(&folder.join("peers/peers.csv"), &[stage])?;
    Ok(Peers { rows, nozero: BTreeMap::new(), zeroed: Vec::new(), clean: Vec::new() })
}

/// A line of means.
fn line(o: &mut String, p: &Pair, what: &str, rows: &[&(Key, [f64; 3], f64, f64)], missing: usize) {
    let of = |n: usize| geomean(&rows.iter().map(|r| r.1[n]).collect::<Vec<_>>());
    let _ = writeln!(
        o,
        "| {} | {} {} | {what} | {} | {:.3} | {:.3} | {:.3} | {} | {missing} |",
        p.target,
        p.peer,
        p.chip,
        rows.len(),
        of(0),
        of(1),
        of(2),
        rows.iter().filter(|r| r.1[0] <= 1.0).count(),
    );
}

/// The section of the page.
///
/// # Errors
/// The tables cannot be read.
pub fn section(o: &mut String, folder: &Path, notes: &BTreeMap<(String, String), String>) -> Result<(), String> {
    let tables = STAGES.map(|s| peers(folder, s));
    let [vertex, fragment] = tables;
    let tables = [vertex?, fragment?];
    let corpus = folder.join("corpus");
    let sources = tables.each_ref().map(|t| sources(&corpus, t));
    // Both stages of each pair.
    let mut all: Vec<(&Pair, [Compared; 2])> = Vec::new();
    for p in PAIRS.iter().filter(|p| !p.peer.is_empty()).chain(&MORE) {
        let target = Target::parse(p.target)?;
        let of = |s: usize| compare(p, &compile_all(&sources[s], target, 1), &tables[s]);
        all.push((p, [of(0), of(1)]));
    }
    o.push_str(
        "\n## Draws, beside the peers\n\nVertex and fragment entries of `corpus/graphics`, each compiled alone: an rgba8unorm target for each colour, one sample, \
         and a vertex entry's attributes packed in one buffer. The peer's programs hold its fetch of attributes and its conversion of colours, as ours do. The same rules \
         as above.\n\n\
         | target | peer | stage | entries | instructions | bytes | registers | better or equal | missing |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for (p, both) in &all {
        for (stage, c) in STAGES.iter().zip(both) {
            line(o, p, stage, &c.rows.iter().collect::<Vec<_>>(), c.missing.len());
        }
        let rows: Vec<_> = both.iter().flat_map(|c| &c.rows).collect();
        line(o, p, "both", &rows, both.iter().map(|c| c.missing.len()).sum());
    }
    o.push_str("\n### Draws that a peer compiles and we refuse\n\n");
    let mut missing: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
    for (p, both) in &all {
        for (k, why) in both.iter().flat_map(|c| &c.missing) {
            missing.entry((short(k), why)).or_default().push(p.target);
        }
    }
    for ((entry, why), targets) in &missing {
        let _ = writeln!(o, "* `{entry}` on {}: {why}", targets.join(", "));
    }
    if missing.is_empty() {
        o.push_str("Nothing.\n");
    }
    for (family, n) in EXPLAINED {
        let (p, [a, b]) = &all[n];
        let _ = writeln!(o, "\n### The ten worst draws of {family} ({} beside {} {})", p.target, p.peer, p.chip);
        let both = Compared { rows: [a, b].into_iter().flat_map(|c| c.rows.clone()).collect(), missing: Vec::new() };
        worst(o, family, &both, notes);
    }
    o.push_str("\n### Every draw: instructions, ours divided by theirs\n\n| entry |");
    for (p, _) in &all {
        let _ = write!(o, " {} {} |", p.target.split(':').nth(1).unwrap_or(""), p.peer);
    }
    let _ = writeln!(o, "\n|---|{}", "--:|".repeat(all.len()));
    let mut keys: Vec<&Key> = sources.iter().flatten().map(|s| &s.0).collect();
    keys.sort();
    for k in keys {
        let cell = |c: &[Compared; 2]| {
            let row = c.iter().flat_map(|c| &c.rows).find(|r| r.0 == *k);
            row.map_or(String::new(), |r| format!("{:.2}", r.1[0]))
        };
        let cells: Vec<String> = all.iter().map(|(_, c)| cell(c)).collect();
        if cells.iter().any(|c| !c.is_empty()) {
            let _ = writeln!(o, "| `{}` | {} |", short(k), cells.join(" | "));
        }
    }
    Ok(())
}
