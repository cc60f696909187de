//! `render --pixel X,Y`: what the fragments of a pixel executed, in order, by source line, with values. Of the oracle and a machine both
//! lists stand side by side.

use std::fmt::Write as _;

use gpucc_render::PreparedScene;
use gpucc_render::frame::{MOST, Pixel, Step, Stepped};
use gpucc_scene::{alone, moment};
use gpucc_sim::trace::{Reading, Written};
use similar::{Algorithm, DiffOp};

use crate::Failure;
use crate::report::plain;

/// Characters of the left one of two columns, if its text is no longer.
const COLUMN: usize = 72;

/// The pixel of the option, inside of the picture that the scene presents.
///
/// # Errors
/// A usage failure for what is no pixel of it.
pub fn read(text: Option<&str>, ready: &PreparedScene) -> Result<Option<Pixel>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let size = moment::presented_size(&ready.file.scene);
    let at = alone::pair::<u32>(text, ',');
    match at.filter(|[x, y]| *x < size[0] && *y < size[1]) {
        Some(at) => Ok(Some(Pixel { at, size })),
        None => {
            let [w, h] = size;
            Err(Failure::Usage(format!("--pixel {text}: expected X,Y inside of the picture of {w}x{h}")))
        }
    }
}

/// The steps that one place took.
pub struct List {
    /// The place: `interp`, or a target.
    pub place: String,
    /// Its draws that cover the pixel.
    pub draws: Vec<Stepped>,
}

/// The steps of all places, each behind the other; with the oracle among them each machine beside it.
pub fn text(lists: &[List], at: [u32; 2], ready: &PreparedScene) -> String {
    let sources = Sources { texts: ready.shaders.sources.iter().flat_map(gpucc_render::Source::files).collect() };
    let [x, y] = at;
    let (oracle, machines): (Vec<&List>, Vec<&List>) = lists.iter().partition(|l| l.place == "interp");
    let mut out = String::new();
    let alone = |l: &List, out: &mut String| {
        if l.draws.is_empty() {
            let _ = writeln!(out, "{}: pixel {x},{y}: no fragment covers it", l.place);
        }
        for draw in &l.draws {
            let _ = writeln!(out, "{}: pixel {x},{y}, {}", l.place, counted(draw));
            sources.one(&draw.steps, out);
        }
    };
    let ([oracle], false) = (oracle.as_slice(), machines.is_empty()) else {
        lists.iter().for_each(|l| alone(l, &mut out));
        return out;
    };
    for m in machines {
        // A draw that one of them lacks ended in a trap there.
        let both = oracle.draws.iter().zip(&m.draws).take_while(|(a, b)| a.field == b.field).count();
        for (a, b) in oracle.draws.iter().zip(&m.draws).take(both) {
            let _ = writeln!(out, "interp: pixel {x},{y}, {}", counted(a));
            let _ = writeln!(out, "{}: pixel {x},{y}, {}", m.place, counted(b));
            sources.two(&a.steps, &b.steps, &mut out);
        }
        for (place, draws) in [(&oracle.place, &oracle.draws), (&m.place, &m.draws)] {
            if draws.len() > both || draws.is_empty() {
                alone(&List { place: place.clone(), draws: draws[both..].to_vec() }, &mut out);
            }
        }
    }
    out
}

/// A draw and the number of its instructions.
fn counted(draw: &Stepped) -> String {
    let more = if draw.has_more { format!(" and more: the first {MOST} are shown") } else { String::new() };
    let off = draw.steps.iter().filter(|s| !s.active).count();
    let off = if off > 0 { format!(", {off} of them for others of its quad alone") } else { String::new() };
    format!("{}: {} instructions{more}{off}", draw.field, draw.steps.len())
}

/// The texts of the shaders, by file.
struct Sources {
    texts: Vec<(String, String)>,
}

type Line<'a> = Option<(&'a str, u32)>;

/// Steps one behind the other that are of one source line.
fn visits(steps: &[Step]) -> Vec<(Line<'_>, &[Step])> {
    let line = |s: &Step| s.place.as_ref().map(|p| (p.0.clone(), p.1));
    let parts = steps.chunk_by(|a, b| line(a) == line(b));
    parts.map(|part| (part[0].place.as_ref().map(|p| (p.0.as_str(), p.1)), part)).collect()
}

impl Sources {
    /// The head of a visit of a line.
    fn head(&self, line: Line<'_>) -> String {
        let Some((file, line)) = line else { return "  (no line)\n".into() };
        let text = self.texts.iter().find(|t| t.0 == file).map_or("", |t| t.1.as_str());
        let text = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or("").trim();
        format!("  {}:{line} | {}\n", plain(file), plain(text))
    }

    /// Each line of the source where it is come to, its instructions beneath.
    fn one(&self, steps: &[Step], out: &mut String) {
        for (line, part) in visits(steps) {
            out.push_str(&self.head(line));
            for s in part {
                let [text, values] = cells(s);
                let _ = writeln!(out, "      {}", format!("{text:<COLUMN$}  {values}").trim_end());
            }
        }
    }

    /// The same of the oracle and of a machine, side by side: lines are paired in their order, as far as both come to them.
    fn two(&self, oracle: &[Step], machine: &[Step], out: &mut String) {
        let (left, right) = (visits(oracle), visits(machine));
        let lines = |list: &[(Line<'_>, &[Step])]| -> Vec<Option<(String, u32)>> {
            list.iter().map(|v| v.0.map(|(file, line)| (file.to_string(), line))).collect()
        };
        let ops = similar::capture_diff_slices(Algorithm::Myers, &lines(&left), &lines(&right));
        for op in ops {
            let (a, b) = (op.old_range(), op.new_range());
            if matches!(op, DiffOp::Equal { .. }) {
                a.zip(b).for_each(|(a, b)| self.pair(left[a].0, (left[a].1, right[b].1), out));
                continue;
            }
            a.for_each(|a| self.pair(left[a].0, (left[a].1, &[]), out));
            b.for_each(|b| self.pair(right[b].0, (&[], right[b].1), out));
        }
    }

    fn pair(&self, line: Line<'_>, (left, right): (&[Step], &[Step]), out: &mut String) {
        out.push_str(&self.head(line));
        for k in 0..left.len().max(right.len()) {
            let joined = |s: Option<&Step>| {
                let [text, values] = s.map(cells).unwrap_or_default();
                if values.is_empty() { text } else { format!("{text}  {values}") }
            };
            let (a, b) = (joined(left.get(k)), joined(right.get(k)));
            let _ = writeln!(out, "      {}", format!("{a:<COLUMN$} | {b}").trim_end());
        }
    }
}

/// The text of a step, and what it gave.
fn cells(s: &Step) -> [String; 2] {
    // The oracle's text ends in its block, and says how exact floats are.
    let text = s.text.split_once(" (b").map_or(s.text.as_str(), |t| t.0).replace("{contract,nsz}", "");
    let mut values: Vec<String> = Vec::new();
    let mut rest = s.written.as_slice();
    while let Some(first) = rest.first() {
        // Components of one value of the IR stand together.
        let name = first.name.split(['.', ':']).next().unwrap_or_default();
        let is_own = |w: &Written| first.reading != Reading::Bits && w.name.split(['.', ':']).next() == Some(name);
        let n = rest.iter().take_while(|w| is_own(w)).count().max(1);
        let (own, behind) = rest.split_at(n);
        rest = behind;
        values.push(match own {
            [one] if one.reading == Reading::Bits => format!("{} = {}", one.name, value(one)),
            [one] => format!("{name} = {}", value(one)),
            several => format!("{name} = ({})", several.iter().map(value).collect::<Vec<_>>().join(", ")),
        });
    }
    if !s.active {
        values.push("; not this pixel".into());
    }
    [format!("{:06x}  {}", s.pc, plain(&text)), values.join("  ")]
}

/// The bits of a value as a person reads them; of a register both as bits and as the number that they are likely to be.
fn value(w: &Written) -> String {
    let bits = w.bits;
    match w.reading {
        Reading::Bool => (bits != 0).to_string(),
        Reading::Float(16) => half::f16::from_bits(bits as u16).to_string(),
        Reading::Float(64) => format!("{:?}", f64::from_bits(bits)),
        Reading::Float(_) => format!("{:?}", f32::from_bits(bits as u32)),
        Reading::Int(n) if n > 1 && n < 64 && bits >> (n - 1) & 1 == 1 => {
            format!("{bits} ({})", (bits as i64) - (1_i64 << n))
        }
        Reading::Int(_) => bits.to_string(),
        Reading::Bits => {
            let x = f32::from_bits(bits as u32);
            match x.is_finite() && (1e-9..1e12).contains(&x.abs()) {
                true => format!("{bits:#010x} ({x:?})"),
                false => format!("{bits:#x} ({})", bits as u32 as i32),
            }
        }
    }
}
