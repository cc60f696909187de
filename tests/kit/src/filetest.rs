//! File tests: IR text with the buffers it is run on and what they hold afterwards.
//!
//! The comments of a `.gir` file are its header:
//!
//! ```text
//! ; test run                   run on the oracle and on every target
//! ; test run interp            run on the oracle alone: it asks for more than targets promise
//! ; run: grid 2,1,1 0:0=u32:1,2,3 0:1=zero:12 => 0:1=u32:2,4,6
//! ; run: grid 1,1,1 => trap out of bounds
//! ```
//!
//! Buffers are given as on the command line (`u32: i32: f32: zero:`), and also as `f16:`, `u64:` and `f64:`. In an expectation
//! `*` is anything, `nan` any NaN, and `0:1~4=f32:...` allows a distance of four representable values. On the
//! oracle zeros must have the sign that is written. A `; run:` line continues in the next comment that starts with `;   `.

use gpucc_interp::{Options, Profile};
use gpucc_ir::{Module, text, verify};
use gpucc_num::convert::f16_to_f32;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};

/// A file test.
#[derive(Clone, Debug)]
pub struct FileTest {
    /// The module.
    pub module: Module,
    /// Its entry point.
    pub entry: String,
    /// Targets run it, too.
    pub targets: bool,
    /// The runs.
    pub runs: Vec<Run>,
}

/// One run of a file test.
#[derive(Clone, Debug)]
pub struct Run {
    /// Line in the file.
    pub line: usize,
    /// Grid and buffers.
    pub dispatch: Dispatch,
    /// The expected outcome.
    pub expect: Expect,
}

/// The expected outcome of a run.
#[derive(Clone, Debug)]
pub enum Expect {
    /// These buffers.
    Buffers(Vec<Check>),
    /// A trap whose text contains this.
    Trap(String),
}

/// The contents that a buffer must hold.
#[derive(Clone, Debug)]
pub struct Check {
    group: u32,
    binding: u32,
    ulp: u64,
    kind: Kind,
    /// Bits, or anything.
    want: Vec<Option<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int(usize),
    F16,
    F32,
    F64,
}

impl Kind {
    fn parse(name: &str) -> Option<Kind> {
        Some(match name {
            "u32" | "i32" => Kind::Int(4),
            "u64" | "i64" => Kind::Int(8),
            "f16" => Kind::F16,
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Kind::Int(n) => n,
            Kind::F16 => 2,
            Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    fn value(self, text: &str) -> Option<u64> {
        if let Some(hex) = text.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok();
        }
        match self {
            Kind::Int(8) => text.parse().ok().or_else(|| text.parse::<i64>().ok().map(|v| v as u64)),
            Kind::Int(_) => text.parse::<i64>().ok().map(|v| v as u64 & 0xffff_ffff),
            Kind::F16 => {
                text.parse::<f64>().ok().map(|v| gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, v).into())
            }
            Kind::F32 => text.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            Kind::F64 => text.parse::<f64>().ok().map(f64::to_bits),
        }
    }

    /// Distance in representable values with both zeros as one; none if one is NaN and the other is not.
    fn distance(self, a: u64, b: u64) -> Option<u64> {
        let (nan, sign): (fn(u64) -> bool, u64) = match self {
            Kind::Int(_) => return (a == b).then_some(0),
            Kind::F16 => (|x| f16_to_f32(x as u16).is_nan(), 1 << 15),
            Kind::F32 => (|x| f32::from_bits(x as u32).is_nan(), 1 << 31),
            Kind::F64 => (|x| f64::from_bits(x).is_nan(), 1 << 63),
        };
        if nan(a) || nan(b) {
            return (nan(a) && nan(b)).then_some(0);
        }
        let order = |x: u64| if x & sign != 0 { -i128::from(x & !sign) } else { i128::from(x) };
        u64::try_from(order(a).abs_diff(order(b))).ok()
    }

    fn show(self, bits: u64) -> String {
        match self {
            Kind::Int(_) => format!("{bits} (0x{bits:x})"),
            Kind::F16 => format!("{:?} (0x{bits:04x})", f16_to_f32(bits as u16)),
            Kind::F32 => format!("{:?} (0x{bits:08x})", f32::from_bits(bits as u32)),
            Kind::F64 => format!("{:?} (0x{bits:016x})", f64::from_bits(bits)),
        }
    }
}

impl Check {
    /// Judges a dispatch after its run.
    ///
    /// # Errors
    /// The first element that is not as expected.
    pub fn holds(&self, dispatch: &Dispatch, sign_of_zero: bool) -> Result<(), String> {
        let place = format!("{}:{}", self.group, self.binding);
        let bytes = &dispatch.buffer(self.group, self.binding).ok_or(format!("no buffer {place}"))?.bytes;
        let size = self.kind.size();
        if bytes.len() < self.want.len() * size {
            return Err(format!("{place} has only {} bytes", bytes.len()));
        }
        for (i, (want, chunk)) in self.want.iter().zip(bytes.chunks_exact(size)).enumerate() {
            let Some(want) = *want else { continue };
            let mut word = [0; 8];
            word[..size].copy_from_slice(chunk);
            let got = u64::from_le_bytes(word);
            let near = self.kind.distance(got, want).is_some_and(|d| d <= self.ulp);
            let zeros = self.ulp == 0 && sign_of_zero && got != want && self.kind.distance(got, 0) == Some(0);
            if !near || zeros {
                let (got, want) = (self.kind.show(got), self.kind.show(want));
                return Err(format!("{place} element {i} is {got}, expected {want}"));
            }
        }
        Ok(())
    }
}

/// Group, binding and what follows `=` of `G:B=SPEC` or `G:B~N=SPEC`.
fn binding(text: &str) -> Option<(u32, u32, u64, &str)> {
    let (place, spec) = text.split_once('=')?;
    let (place, ulp) = place.split_once('~').unwrap_or((place, "0"));
    let (group, binding) = place.split_once(':')?;
    Some((group.parse().ok()?, binding.parse().ok()?, ulp.parse().ok()?, spec))
}

fn buffer(text: &str) -> Result<BoundBuffer, String> {
    let bad = || format!("`{text}` is not a buffer");
    let (group, binding, _, spec) = binding(text).ok_or_else(bad)?;
    let (kind, values) = spec.split_once(':').ok_or_else(bad)?;
    let bytes = if kind == "zero" {
        vec![0; values.parse().map_err(|_| bad())?]
    } else {
        let kind = Kind::parse(kind).ok_or_else(bad)?;
        let mut bytes = Vec::new();
        for v in values.split(',') {
            let v = kind.value(v).ok_or_else(|| format!("`{v}` in `{text}` is not a value"))?;
            bytes.extend_from_slice(&v.to_le_bytes()[..kind.size()]);
        }
        bytes
    };
    Ok(BoundBuffer { group, binding, bytes, writable: true })
}

fn check(text: &str) -> Result<Check, String> {
    let bad = || format!("`{text}` is not an expectation");
    let (group, binding, ulp, spec) = binding(text).ok_or_else(bad)?;
    let (kind, values) = spec.split_once(':').ok_or_else(bad)?;
    let kind = Kind::parse(kind).ok_or_else(bad)?;
    let value = |v: &str| match v {
        "*" => Ok(None),
        v => kind.value(v).map(Some).ok_or_else(|| format!("`{v}` in `{text}` is not a value")),
    };
    let want = values.split(',').map(value).collect::<Result<_, _>>()?;
    Ok(Check { group, binding, ulp, kind, want })
}

fn run_line(line: usize, text: &str) -> Result<Run, String> {
    let (left, right) = text.split_once("=>").ok_or("a run needs `=>`")?;
    let mut words = left.split_whitespace();
    if words.next() != Some("grid") {
        return Err("a run starts with `grid X,Y,Z`".into());
    }
    let mut grid = [1; 3];
    for (to, n) in grid.iter_mut().zip(words.next().unwrap_or_default().split(',')) {
        *to = n.parse().map_err(|_| format!("`{n}` is not a number of workgroups"))?;
    }
    let mut dispatch = Dispatch::new(grid);
    for word in words {
        dispatch.buffers.push(buffer(word)?);
    }
    let expect = match right.trim().strip_prefix("trap ") {
        Some(text) => Expect::Trap(text.trim().to_owned()),
        None => Expect::Buffers(right.split_whitespace().map(check).collect::<Result<_, _>>()?),
    };
    Ok(Run { line, dispatch, expect })
}

impl FileTest {
    /// Reads a file test.
    ///
    /// # Errors
    /// The fault of header or module.
    pub fn parse(source: &str) -> Result<FileTest, String> {
        let module = text::parse_module(source).map_err(|d| d.message)?;
        let entry = module.entries.first().ok_or("no entry point")?.name.clone();
        let (mut targets, mut test) = (true, false);
        let mut lines: Vec<(usize, String)> = Vec::new();
        for (n, line) in (1..).zip(source.lines()) {
            if let Some(rest) = line.strip_prefix("; run:") {
                lines.push((n, rest.to_owned()));
            } else if let (Some(rest), Some(last)) = (line.strip_prefix(";   "), lines.last_mut()) {
                last.1.push(' ');
                last.1.push_str(rest);
            } else if let Some(rest) = line.strip_prefix("; test ") {
                test = true;
                match rest.trim() {
                    "run" => {}
                    "run interp" => targets = false,
                    other => return Err(format!("line {n}: there is no test `{other}`")),
                }
            }
        }
        if !test || lines.is_empty() {
            return Err("no `; test` or no `; run:` line".into());
        }
        let runs = lines
            .into_iter()
            .map(|(n, text)| run_line(n, &text).map_err(|e| format!("line {n}: {e}")))
            .collect::<Result<_, _>>()?;
        Ok(FileTest { module, entry, targets, runs })
    }

    /// The module is valid, prints and parses back, and every run ends as expected on the oracle, whatever the subgroup
    /// size and order.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn on_oracle(&self) -> Result<(), String> {
        verify::verify_module(&self.module)
            .map_err(|l| l.iter().map(|f| format!("{f:?}")).collect::<Vec<_>>().join("\n"))?;
        let printed = text::module_text(&self.module);
        let again = text::parse_module(&printed).map_err(|d| format!("printed text does not parse: {}", d.message))?;
        if text::module_text(&again) != printed {
            return Err("the text changes when it is printed and parsed".into());
        }
        for run in &self.runs {
            for subgroup_size in [4, 16, 32, 64] {
                for perturb in [None, Some(1)] {
                    let run_options = RunOptions { perturb, step_limit: 20_000_000, ..RunOptions::default() };
                    let profile = Profile { subgroup_size, ..Profile::default() };
                    let options = Options { run: run_options, profile, strict: true };
                    let mut d = run.dispatch.clone();
                    let got = gpucc_interp::run(&self.module, &self.entry, &mut d, &options);
                    self.judge(run, &d, got.map(|_| ()).map_err(|t| t.to_string()), true)
                        .map_err(|e| format!("{e} (subgroups of {subgroup_size}, seed {perturb:?})"))?;
                }
            }
        }
        Ok(())
    }

    /// Judges a run by its expectation.
    ///
    /// # Errors
    /// The first thing that is not as expected.
    pub fn judge(&self, run: &Run, d: &Dispatch, got: Result<(), String>, sign_of_zero: bool) -> Result<(), String> {
        let line = run.line;
        match (&run.expect, got) {
            (Expect::Trap(want), Err(trap)) if trap.contains(want.as_str()) => Ok(()),
            (Expect::Trap(want), Err(trap)) => Err(format!("line {line}: trap `{trap}`, expected `{want}`")),
            (Expect::Trap(want), Ok(())) => Err(format!("line {line}: no trap, expected `{want}`")),
            (Expect::Buffers(_), Err(trap)) => Err(format!("line {line}: {trap}")),
            (Expect::Buffers(checks), Ok(())) => {
                checks.iter().try_for_each(|c| c.holds(d, sign_of_zero)).map_err(|e| format!("line {line}: {e}"))
            }
        }
    }
}
