//! The short, immediate and long forms of an opcode: what each row takes, found once in its slots, and whether an instruction has
//! what some row takes.

use std::sync::LazyLock;

use gpucc_isa::Effects;
use gpucc_mir::{Fields as _, MInst, Src, Use};
use gpucc_regalloc::FileId;
use gpucc_tesla_machine as machine;
use machine::{Kind, Op, Ty, Width};
use smallvec::SmallVec;

use crate::builders as build;
use crate::slots::Slot;
use crate::target::{A, C, Half, Lock, Mods, R, SrcMods, TOp, Tesla};

/// What a place of a row takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// A register alone.
    Register,
    /// A register or a word of s[].
    Shared,
    /// A register or a word of c[].
    Const,
    /// A word of c[] alone.
    Word,
    /// An immediate.
    Immediate,
    /// A block.
    Label,
}

/// A source of a row.
#[derive(Clone, Copy, Debug)]
struct Source {
    takes: Takes,
    /// Registers that it reads; 0 for half of one.
    units: u16,
    /// Whether it has a negation, an absolute value, a complement.
    signs: [bool; 3],
    /// Whether it is the register that is the destination.
    same: bool,
}

/// A row, as selection asks for it.
#[derive(Debug)]
pub struct Form {
    ty: Ty,
    src: Ty,
    /// Registers of the general destination, 0 for half of one; nothing without one.
    dst: Option<u16>,
    /// Whether it may write flags.
    flags: bool,
    /// Whether it writes an address register.
    address: bool,
    /// Whether one of its operands may have an address register.
    indexed: bool,
    /// Whether it can carry `exit` or `join`.
    carries: bool,
    sources: SmallVec<[Source; 3]>,
    /// Modifiers, as [`Mods::bit`] counts them.
    mods: u64,
}

const fn units(w: Width) -> u16 {
    match w {
        Width::H => 0,
        Width::S => 1,
        Width::D => 2,
        Width::Q => 4,
    }
}

impl Form {
    fn of(row: &machine::Row) -> Form {
        let any = |p: fn(Kind) -> bool| row.slots.iter().any(|s| p(s.kind));
        let dst = row.slots.iter().find_map(|s| match s.kind {
            Kind::Dst(w) | Kind::DstO(w) => Some(units(w)),
            Kind::DstOF => Some(1),
            _ => None,
        });
        let sources = row.slots.iter().filter(|s| build::is_source(s)).map(|s| {
            let (takes, units) = match s.kind {
                Kind::Src1(w) | Kind::SSrc1(w) | Kind::ISrc1(w) => (Takes::Shared, units(w)),
                Kind::Src2(w) | Kind::Src3(w) | Kind::SSrc2(w) => (Takes::Const, units(w)),
                Kind::Reg(w) => (Takes::Register, units(w)),
                Kind::Mem(..) => (Takes::Word, 1),
                Kind::Num => (Takes::Immediate, 1),
                Kind::Target => (Takes::Label, 0),
                // The destination of what adds to it is a whole register.
                _ => (Takes::Register, 1),
            };
            // Signs of the only source that has any have no number.
            let number = s.name.strip_prefix("src").unwrap_or("2");
            let sign = |name: &str| {
                let own = row.slots.iter().any(|x| x.name.strip_prefix(name) == Some(number));
                own || number == "1" && row.slot(name).is_some()
            };
            let same = matches!(s.kind, Kind::SameAsDst);
            Source { takes, units, signs: ["neg", "abs", "not"].map(sign), same }
        });
        Form {
            ty: row.facts.ty,
            src: row.facts.src,
            dst,
            flags: any(|k| matches!(k, Kind::CDst | Kind::CDstAlways)),
            address: any(|k| matches!(k, Kind::ADst)),
            indexed: any(|k| matches!(k, Kind::A)),
            carries: any(|k| matches!(k, Kind::Ei)),
            sources: sources.collect(),
            mods: build::modifiers(row),
        }
    }

    /// Whether it is the form of these types and of a result of this size.
    fn is_of(&self, mods: &Mods, takes: u64) -> bool {
        (takes & Mods::bit("ty") == 0 || self.ty == mods.ty)
            && (takes & Mods::bit("src") == 0 || self.src == mods.src)
            && (self.dst == Some(0)) == (mods.half != Half::Whole)
    }
}

impl Source {
    fn fits(&self, u: &Use<Tesla>) -> bool {
        let half = (self.units == 0) == (u.mods.half != Half::Whole);
        let kind = match u.src {
            Src::Reg(_) => half && matches!(self.takes, Takes::Register | Takes::Shared | Takes::Const),
            Src::Imm(_) => self.takes == Takes::Immediate && u.mods == SrcMods::default(),
            Src::Label(_) => self.takes == Takes::Label,
            Src::Uniform(n) => match Slot::unpack(n) {
                Slot::Pool(_) | Slot::Const(..) => half && matches!(self.takes, Takes::Const | Takes::Word),
                // The type says what is read.
                Slot::Shared(..) | Slot::SharedAt(..) => self.takes == Takes::Shared && u.mods.half != Half::High,
            },
        };
        let signs = [u.mods.neg, u.mods.abs, u.mods.not];
        kind && signs.iter().zip(self.signs).all(|(&on, has)| !on || has)
    }
}

/// An opcode.
struct Entry {
    effects: Effects,
    forms: Vec<Form>,
    takes: u64,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut all: Vec<Entry> =
        (0..Op::COUNT).map(|_| Entry { effects: Effects::pure(1), forms: Vec::new(), takes: 0 }).collect();
    for row in machine::table().rows {
        let e = &mut all[row.op.number()];
        if e.forms.is_empty() {
            (e.effects, e.takes) = (row.effects, build::takes(row.op));
        }
        e.forms.push(Form::of(row));
    }
    all
});

/// What an opcode does besides its results. Its rows agree, but for latency and unit by type.
pub fn effects(op: Op) -> Effects {
    ENTRIES[op.number()].effects
}

/// Whether an instruction can carry `exit` or `join` in its long form.
pub fn carries(op: Op) -> bool {
    ENTRIES[op.number()].forms.iter().any(|f| f.carries)
}

/// Whether the rows of an opcode differ in the type of the result, and in that of the source.
pub fn types(op: Op) -> (bool, bool) {
    let takes = ENTRIES[op.number()].takes;
    (takes & Mods::bit("ty") != 0, takes & Mods::bit("src") != 0)
}

/// The source that short forms of an opcode have in their destination.
pub fn added_to(op: Op) -> Option<usize> {
    ENTRIES[op.number()].forms.iter().find_map(|f| f.sources.iter().position(|s| s.same))
}

/// Operands of a piece of the flow of control or of a loop around a locked word: sources, modifiers, whether it may have an address
/// register, definitions.
fn own(op: TOp) -> (usize, u64, bool, usize) {
    match op {
        TOp::M(_) | TOp::Exit => (0, 0, false, 0),
        TOp::Lock(Lock::Op(..) | Lock::Exchange) => (1, Mods::bit("offset"), true, 3),
        TOp::Lock(Lock::Cas) => (2, Mods::bit("offset"), true, 3),
        TOp::JoinAt | TOp::Join | TOp::PreBrk | TOp::LoopExit => (0, Mods::bit("id"), false, 0),
    }
}

fn check_modifiers(i: &MInst<Tesla>, takes: u64) -> Result<(), String> {
    let mut wrong = None;
    i.mods.each(&mut |name, _| {
        if Mods::bit(name) & takes == 0 {
            wrong = Some(name);
        }
    });
    wrong.map_or(Ok(()), |name| Err(format!("there is no modifier `{name}`")))
}

fn check_count(what: &str, found: usize, least: usize, most: usize) -> Result<(), String> {
    match () {
        () if found < least => Err(format!("{found} {what} instead of {least}")),
        () if found > most => Err(format!("{found} {what} instead of {most}")),
        () => Ok(()),
    }
}

/// Whether an instruction has as many operands as its opcode takes, modifiers that it has, and sources that one of its rows can hold.
///
/// # Errors
/// What is wrong.
pub fn check(i: &MInst<Tesla>) -> Result<(), String> {
    let Some(op) = i.target_op() else { return Ok(()) };
    let TOp::M(op) = op else {
        let (sources, takes, indexed, defs) = own(op);
        check_count("operands", i.uses.len(), sources, sources + usize::from(indexed))?;
        check_count("definitions", i.defs.len(), defs, defs)?;
        return check_modifiers(i, takes);
    };
    let Entry { forms, takes, .. } = &ENTRIES[op.number()];
    let of: SmallVec<[&Form; 8]> = forms.iter().filter(|f| f.is_of(&i.mods, *takes)).collect();
    let Some(first) = of.first() else {
        return Err(format!("no form of {:?} from {:?} with half {:?}", i.mods.ty, i.mods.src, i.mods.half));
    };
    let count = first.sources.len().max(build::sources(op));
    let flags = usize::from(build::reads_flags(op, &i.mods));
    let kept = usize::from(i.mods.half != Half::Whole);
    let most = count + flags + kept + usize::from(of.iter().any(|f| f.indexed));
    check_count("operands", i.uses.len(), count + flags, most)?;
    let defs = |f: &Form| usize::from(f.dst.is_some()) + usize::from(f.flags) + usize::from(f.address);
    let most = of.iter().map(|f| defs(f)).max().unwrap_or(0);
    check_count("definitions", i.defs.len(), most.min(1), most)?;
    check_modifiers(i, *takes)?;
    let (sources, rest) = i.uses.split_at(count);
    if rest.iter().any(|u| !matches!(u.src, Src::Reg(_)) || u.mods != SrcMods::default()) {
        return Err("behind the sources come plain registers alone".into());
    }
    let fits = |f: &Form, k: usize| f.sources.get(k).map_or(op == Op::Brk, |s| s.fits(&sources[k]));
    if let Some(k) = (0..count).find(|&k| of.iter().all(|f| !fits(f, k))) {
        return Err(format!("no form takes operand {k}"));
    }
    if of.iter().all(|f| !(0..count).all(|k| fits(f, k)) || check_modifiers(i, f.mods | TYPES).is_err()) {
        return Err("no form has these operands and modifiers together".into());
    }
    Ok(())
}

const TYPES: u64 = Mods::bit("ty") | Mods::bit("src");

/// Whether registers are of the files and sizes that an opcode takes.
///
/// # Errors
/// What is wrong.
pub fn check_registers(i: &MInst<Tesla>, uses: &[Option<(FileId, u16)>], defs: &[(FileId, u16)]) -> Result<(), String> {
    let Some(op) = i.target_op() else { return Ok(()) };
    let (count, of): (usize, SmallVec<[&Form; 8]>) = match op {
        TOp::M(op) => {
            let Entry { forms, takes, .. } = &ENTRIES[op.number()];
            (build::sources(op), forms.iter().filter(|f| f.is_of(&i.mods, *takes)).collect())
        }
        _ => (own(op).0, SmallVec::new()),
    };
    let name = |r: (FileId, u16)| format!("{} of file {}", r.1, ["r", "c", "a"][usize::from(r.0)]);
    for (k, r) in uses.iter().enumerate().take(count) {
        let Some(r) = *r else { continue };
        let fits = |f: &&Form| f.sources.get(k).is_some_and(|s| s.units.max(1) == r.1);
        if r.0 != R || !matches!(op, TOp::Lock(_)) && !of.iter().any(fits) {
            return Err(format!("operand {k} cannot be {}", name(r)));
        }
    }
    let mut seen = [0; 3];
    for &r in uses.iter().skip(count).flatten() {
        seen[usize::from(r.0)] += 1;
        if r.1 != 1 || seen[usize::from(r.0)] > 1 {
            return Err(format!("no operand behind the sources can be {}", name(r)));
        }
    }
    let (flags, kept, indexed) = match op {
        TOp::M(op) => (build::reads_flags(op, &i.mods), i.mods.half != Half::Whole, of.iter().any(|f| f.indexed)),
        _ => (false, false, own(op).2),
    };
    for (file, may) in [(R, kept), (C, flags), (A, indexed)] {
        if seen[usize::from(file)] > usize::from(may) || file == C && flags && seen[usize::from(file)] == 0 {
            let name = ["general", "flag", "address"][usize::from(file)];
            return Err(format!("{} {name} registers behind the sources", seen[usize::from(file)]));
        }
    }
    let locked = [(R, 1), (R, 1), (C, 1)];
    for (k, &d) in defs.iter().enumerate() {
        let fits = match op {
            TOp::M(_) => of.iter().any(|f| match d.0 {
                R => f.dst.is_some_and(|units| units.max(1) == d.1),
                C => f.flags && d.1 == 1,
                _ => f.address && d.1 == 1,
            }),
            _ => locked.get(k) == Some(&d),
        };
        if !fits || !matches!(op, TOp::Lock(_)) && defs[..k].iter().any(|o| o.0 == d.0) {
            return Err(format!("definition {k} cannot be {}", name(d)));
        }
    }
    Ok(())
}
