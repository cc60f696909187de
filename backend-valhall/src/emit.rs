//! Writes encoded code as instruction words: distances of branches, counts.

use gpucc_driver::{Family, Job};
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Packed, TextCx};
use gpucc_valhall_machine as machine;
use gpucc_valhall_machine::{Kind, RegFormat, Unit};

use crate::encoded::Code;

/// The finished program: words, places and counts.
pub struct Program {
    /// Machine code, 8 bytes an instruction.
    pub code: Vec<u8>,
    /// The demands on the units.
    pub work: Work,
    /// The same, each as often as its block runs.
    pub time: Work,
    /// Location of each instruction.
    pub locs: Vec<Loc>,
    /// Branches that go back.
    pub loops: u64,
}

/// Instructions by unit; those on pairs of registers count twice where the unit does lanes.
#[derive(Default)]
pub struct Work {
    pub fma: u64,
    pub cvt: u64,
    pub sfu: u64,
    /// Components of varyings; those of 32 bits count twice.
    pub v: u64,
    pub t: u64,
    pub ls: u64,
}

impl Work {
    pub fn add(&mut self, inst: &Packed<machine::Valhall>, runs: u64) {
        let row = inst.row();
        let wide = row.operands.iter().any(|s| matches!(s.kind, Kind::Dst(machine::kind::DstKind::Pair)));
        let words = if wide { 2 } else { 1 };
        let (unit, n) = match row.attrs.unit {
            Unit::Fma => (&mut self.fma, words),
            Unit::Cvt => (&mut self.cvt, words),
            Unit::Sfu => (&mut self.sfu, words),
            Unit::Ls => (&mut self.ls, 1),
            Unit::V => (&mut self.v, varying(inst)),
            Unit::T => (&mut self.t, 1),
            Unit::Vt => {
                self.t = self.t.saturating_add(runs);
                (&mut self.v, 4)
            }
            Unit::None => return,
        };
        *unit = unit.saturating_add(n * runs);
    }

    /// The time of the busiest unit, in 64ths of a cycle: FMA and CVT do 64 lanes a cycle, SFU 16, the varying unit 16 halves, the
    /// texture unit four lanes, the load/store unit one access.
    pub fn bound(&self) -> u64 {
        self.by_unit().into_iter().fold(0, |most, u| most.max(u.1))
    }

    /// The time of each unit, in 64ths of a cycle.
    pub fn by_unit(&self) -> [(&'static str, u64); 6] {
        [
            ("fma", self.fma),
            ("cvt", self.cvt),
            ("sfu", self.sfu.saturating_mul(4)),
            ("v", self.v.saturating_mul(4)),
            ("t", self.t.saturating_mul(16)),
            ("ls", self.ls.saturating_mul(64)),
        ]
    }
}

/// Components of a varying load, those of 32 bits twice.
fn varying(inst: &Packed<machine::Valhall>) -> u64 {
    let halves = [RegFormat::F16, RegFormat::S16, RegFormat::U16].map(|f| f as u32);
    let narrow = match inst.get("regfmt") {
        Some(f) => halves.contains(&f),
        None => inst.row().attrs.lane.bits() == 16,
    };
    (1 + u64::from(inst.get("vecsize").unwrap_or(0))) * if narrow { 1 } else { 2 }
}

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("emit", message)
}

/// Instructions that a branch goes past, at most: its offset has 27 bits, with sign.
const FAR: i64 = 1 << 26;

/// Numbers the instructions, finds the distances of branches, and gives the bytes.
///
/// # Errors
/// A program that is longer than a branch reaches. A compiler bug: a rule of the machine broken.
pub fn emit<F: Family>(code: &Code, job: &Job<'_, F>) -> Result<Program, Diagnostic> {
    let (generation, check) = (job.generation, job.options.verify || cfg!(debug_assertions));
    let starts = code.starts(|_| 1);
    let count = starts[code.blocks.len()];
    if i64::from(count) > FAR {
        let what = format!("has branches that reach {FAR} instructions, this needs {count}");
        return Err(job.refuse(gpucc_ir::Refusal::ProgramSize, what));
    }
    let mut p = Program {
        code: Vec::with_capacity(count as usize * 8),
        work: Work::default(),
        time: Work::default(),
        locs: Vec::with_capacity(count as usize),
        loops: 0,
    };
    for (block, item) in code.blocks.iter().flat_map(|b| b.insts.iter().map(move |i| (b, i))) {
        let mut inst = item.inst;
        if let Some(to) = item.label {
            let distance = i64::from(starts[to.0 as usize]) - p.locs.len() as i64 - 1;
            p.loops += u64::from(distance < 0);
            if !(-FAR..FAR).contains(&distance) {
                return Err(bug(format!("a branch over {distance} instructions")));
            }
            inst.set("offset", distance as u32 & 0x7ff_ffff);
        }
        if check {
            let inst = inst.unpack();
            machine::table().validate(&inst, &TextCx::new(generation)).map_err(|e| {
                let mut text = String::new();
                machine::text::print(&inst, &mut text);
                bug(format!("`{text}` breaks a rule: {e}"))
            })?;
        }
        let (word, bytes) = inst.encode(generation).ok_or_else(|| bug(format!("{inst:?} does not exist here")))?;
        p.code.extend_from_slice(&word.to_le_bytes()[..bytes]);
        p.work.add(&inst, 1);
        p.time.add(&inst, block.runs);
        let access = inst.row().attrs.unit == machine::Unit::Ls;
        p.locs.push(if access { item.loc } else { item.loc.plain() });
    }
    Ok(p)
}
