//! Statistics: what a number that a backend says of an entry point means, its unit, and the direction that is worse.
//! A family lists its own in [`Family::STATISTICS`](crate::Family::STATISTICS), those that several have by the rows of [`common`].

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its name in reports.
    pub name: &'static str,
    /// Unit of the number, as pages print it.
    pub unit: &'static str,
    /// Meaning of the number, in one line.
    pub meaning: &'static str,
    /// Which change is for the worse.
    pub worse: Worse,
    /// Whether tables for people show it.
    pub main: bool,
    /// Whether its total may not get worse in a comparison without a gate file.
    pub gated: bool,
    /// Whether numbers of several shaders are averaged: their sum means nothing.
    pub mean: bool,
}

impl Statistic {
    /// A number that only reports of everything show.
    pub const fn new(name: &'static str, unit: &'static str, worse: Worse, meaning: &'static str) -> Statistic {
        Statistic { name, unit, meaning, worse, main: false, gated: false, mean: false }
    }

    /// One that tables for people show.
    #[must_use]
    pub const fn main(mut self) -> Statistic {
        self.main = true;
        self
    }

    /// One whose total may not get worse in a comparison without a gate file.
    #[must_use]
    pub const fn gated(mut self) -> Statistic {
        self.gated = true;
        self
    }

    /// One that is averaged over shaders.
    #[must_use]
    pub const fn mean(mut self) -> Statistic {
        self.mean = true;
        self
    }
}

/// Numbers that several families report.
pub mod common {
    use super::{Statistic, Worse};

    const fn row(name: &'static str, unit: &'static str, meaning: &'static str) -> Statistic {
        Statistic::new(name, unit, Worse::Up, meaning)
    }

    /// The length of the code.
    pub const INSTRUCTIONS: Statistic =
        row("instructions", "instructions", "instructions of the code, waits and nops among them").main().gated();
    /// The size of the code.
    pub const BYTES: Statistic = row("bytes", "bytes", "size of the code").main().gated();
    /// The registers that a program claims.
    pub const REGISTERS: Statistic = row(
        "registers",
        "registers",
        "registers that the program claims, as the family counts them: of 32 bits or of four components; where scalar registers are a file of their own, the vector registers",
    )
    .main()
    .mean();
    /// The values that registers had no room for.
    pub const SPILLS: Statistic =
        row("spills", "values", "values that are stored because registers ran out").main().gated();
    /// The loads of those values.
    pub const RELOADS: Statistic = row("reloads", "values", "spilled values that are loaded again").main().gated();
    /// The memory of a workgroup.
    pub const SHARED_BYTES: Statistic = row("shared_bytes", "bytes", "workgroup memory").main();
    /// The memory of an invocation.
    pub const SCRATCH_BYTES: Statistic =
        row("scratch_bytes", "bytes", "memory of one invocation for arrays and spilled values").main().gated();
    /// The jumps in the code.
    pub const BRANCHES: Statistic = row("branches", "instructions", "jumps of all kinds");
    /// The jumps that close loops.
    pub const LOOPS: Statistic = row("loops", "loops", "jumps that go backward");
    /// The accesses to memory.
    pub const MEMORY: Statistic = row("memory", "instructions", "loads, stores and atomics");
    /// The copies in the code.
    pub const MOVES: Statistic = row(
        "moves",
        "instructions",
        "copies that allocation left; where the same instructions do that, also constants brought into registers and accesses to indexed variables",
    );
    /// The words that are loaded for the code.
    pub const UNIFORM_WORDS: Statistic = row("uniform_words", "words", "32-bit words of uniforms that hold something");
    /// The constants inside instructions.
    pub const IMMEDIATES: Statistic =
        Statistic::new("immediates", "operands", Worse::Either, "operands that are immediates");
}
