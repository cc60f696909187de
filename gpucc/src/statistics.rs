//! Statistics: every number that a backend says of an entry point, with unit, meaning, and the direction that is worse.
//! Reports, comparisons, gates and the documentation read this one list.

/// Which change of a number is for the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worse {
    /// More is worse.
    Up,
    /// Less is worse.
    Down,
    /// Neither: a gate on it limits change both ways.
    Either,
}

impl Worse {
    /// The word that documentation uses.
    pub fn name(self) -> &'static str {
        match self {
            Worse::Up => "more is worse",
            Worse::Down => "less is worse",
            Worse::Either => "neither",
        }
    }

    /// The amount by which a change from `before` to `after` is for the worse; nothing or less where it is not.
    pub fn amount(self, before: f64, after: f64) -> f64 {
        match self {
            Worse::Up => after - before,
            Worse::Down => before - after,
            Worse::Either => (after - before).abs(),
        }
    }
}

/// One number that the compiler reports of an entry point.
#[derive(Clone, Copy, Debug)]
pub struct Statistic {
    /// Its name in reports.
    pub name: &'static str,
    /// Unit of the number, as pages print it.
    pub unit: &'static str,
    /// Meaning of the number, in one line.
    pub meaning: &'static str,
    /// Which change is for the worse.
    pub worse: Worse,
    /// Families that have it.
    pub families: &'static [&'static str],
    /// Whether tables for people show it.
    pub main: bool,
    /// Whether its total may not get worse in a comparison without a gate file.
    pub gated: bool,
    /// Whether numbers of several shaders are averaged: their sum means nothing.
    pub mean: bool,
}

const ALL: &[&str] = &["valhall", "tesla", "gcn", "vivante"];
const VALHALL: &[&str] = &["valhall"];
const TESLA: &[&str] = &["tesla"];
const GCN: &[&str] = &["gcn"];
const VIVANTE: &[&str] = &["vivante"];

const fn row(
    name: &'static str,
    unit: &'static str,
    worse: Worse,
    families: &'static [&'static str],
    meaning: &'static str,
) -> Statistic {
    Statistic { name, unit, meaning, worse, families, main: false, gated: false, mean: false }
}

impl Statistic {
    const fn main(mut self) -> Statistic {
        self.main = true;
        self
    }
    const fn gated(mut self) -> Statistic {
        self.gated = true;
        self
    }
    const fn mean(mut self) -> Statistic {
        self.mean = true;
        self
    }
}

use Worse::{Down, Either, Up};

/// All of them, in the order in which pages list them.
pub static STATISTICS: &[Statistic] = &[
    row("instructions", "instructions", Up, ALL, "instructions of the code, waits and nops among them").main().gated(),
    row("bytes", "bytes", Up, ALL, "size of the code").main().gated(),
    row(
        "registers",
        "registers",
        Up,
        ALL,
        "registers that the program claims: of 32 bits on valhall (32 or 64), tesla and gcn (VGPRs), of four components on vivante",
    )
    .main()
    .mean(),
    row("registers_used", "registers", Up, VALHALL, "registers that the code names").mean(),
    row("sgprs", "registers", Up, GCN, "scalar registers that the program claims").mean(),
    row("vgprs", "registers", Up, GCN, "vector registers that the program claims; the same as `registers`").mean(),
    row(
        "waves",
        "waves",
        Down,
        GCN,
        "waves that a SIMD holds at once with these registers, this workgroup memory and workgroups of this size, 10 at most",
    )
    .main()
    .gated()
    .mean(),
    row("threads", "threads", Down, VALHALL, "threads that share the register file of a lane: 2 with 32 registers, 1 with 64")
        .main()
        .gated()
        .mean(),
    row("cycles_64ths", "1/64 cycle", Up, VALHALL, "estimate: what the busiest unit takes for one warp that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them")
        .main(),
    row("issue_clocks", "clocks", Up, TESLA, "estimate: issue time of one warp that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them").main(),
    row(
        "latency",
        "cycles",
        Up,
        GCN,
        "estimate: time of one wave alone that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them",
    )
    .main(),
    row("spills", "values", Up, ALL, "values that are stored because registers ran out").main().gated(),
    row("reloads", "values", Up, ALL, "spilled values that are loaded again").main().gated(),
    row("spilled_sgprs", "registers", Up, GCN, "lanes of vector registers that hold spilled scalar registers"),
    row("spilled_vgprs", "registers", Up, GCN, "words of scratch memory of an invocation that hold spilled vector registers"),
    row("shared_bytes", "bytes", Up, ALL, "workgroup memory").main(),
    row("scratch_bytes", "bytes", Up, ALL, "memory of one invocation for arrays and spilled values").main().gated(),
    row("branches", "instructions", Up, &["tesla", "gcn", "vivante"], "jumps of all kinds"),
    row("loops", "loops", Up, &["valhall", "vivante"], "jumps that go backward"),
    row("memory", "instructions", Up, &["tesla", "vivante"], "loads, stores and atomics"),
    row(
        "moves",
        "instructions",
        Up,
        &["valhall", "tesla", "vivante"],
        "copies that allocation left; on tesla and vivante also constants brought into registers and accesses to indexed variables",
    ),
    row("uniform_words", "words", Up, &["valhall", "vivante"], "32-bit words of uniforms that hold something"),
    row("uniforms", "registers", Up, VIVANTE, "uniform registers of four words"),
    row("launch_steps", "steps", Up, VIVANTE, "operations on uniform words that the launch does once"),
    row("uniform_moves", "instructions", Up, VIVANTE, "moves made because an instruction needs words of two uniform registers"),
    row("address_moves", "instructions", Up, VIVANTE, "moves to the address register"),
    row("array_rows", "registers", Up, VIVANTE, "temporaries that hold indexed variables"),
    row("lane_use_percent", "percent", Down, VIVANTE, "components written by arithmetic, of four for each instruction").mean(),
    row("immediates", "operands", Either, &["tesla", "vivante"], "operands that are immediates"),
    row("short", "instructions", Down, TESLA, "instructions of 4 bytes; the others have 8"),
    row("constants", "words", Up, TESLA, "words in the pool of constants"),
    row("stack", "entries", Up, TESLA, "entries of the control stack that divergent branches, loops and atomics need").mean(),
    row("fma", "instructions", Up, VALHALL, "instructions of the FMA unit, those on pairs counted twice"),
    row("cvt", "instructions", Up, VALHALL, "instructions of the CVT unit, those on pairs counted twice"),
    row("sfu", "instructions", Up, VALHALL, "instructions of the special function unit"),
    row("ls", "messages", Up, VALHALL, "messages to the load/store unit"),
    row("v", "components", Up, VALHALL, "components that the varying unit interpolates, those of 32 bits counted twice"),
    row("t", "messages", Up, VALHALL, "messages to the texture unit"),
    row("quadwords", "16 bytes", Up, VALHALL, "size of the code in quadwords"),
    row("valu", "instructions", Up, GCN, "vector arithmetic"),
    row("salu", "instructions", Up, GCN, "scalar arithmetic"),
    row("vmem", "instructions", Up, GCN, "vector memory accesses"),
    row("smem", "instructions", Up, GCN, "scalar memory loads"),
    row("lds", "instructions", Up, GCN, "accesses to workgroup memory"),
    row("images", "instructions", Up, GCN, "those of `vmem` that sample, load, store or ask textures and images"),
    row("interps", "instructions", Up, GCN, "interpolation of parameters"),
    row("exports", "instructions", Up, GCN, "exports of positions, parameters, colours and depth"),
    row("waits", "instructions", Up, GCN, "`s_waitcnt`"),
    row("nops", "instructions", Up, GCN, "`s_nop`"),
];

/// The statistic of that name.
pub fn find(name: &str) -> Option<&'static Statistic> {
    STATISTICS.iter().find(|s| s.name == name)
}

/// The table of all statistics for the page on the command line.
pub fn table() -> String {
    let mut out = String::from(
        "| name | unit | families | worse | limited without a gate | total | meaning |\n|---|---|---|---|---|---|---|\n",
    );
    for s in STATISTICS {
        let families = if s.families.len() == ALL.len() { "all".into() } else { s.families.join(", ") };
        let gated = if s.gated { "yes" } else { "" };
        let total = if s.mean { "mean" } else { "sum" };
        let (name, unit, worse, meaning) = (s.name, s.unit, s.worse.name(), s.meaning);
        out += &format!("| `{name}` | {unit} | {families} | {worse} | {gated} | {total} | {meaning} |\n");
    }
    out
}
