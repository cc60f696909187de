//! The short, immediate and long forms of an opcode: what each row takes, found once in its slots, and whether an instruction has
//! what some row takes.

use std::sync::OnceLock;

use gpucc_isa::{Effects, OperandSpec};
use gpucc_mir::{MInst, Src, Use, check_count};
use gpucc_regalloc::FileId;
use gpucc_tesla_machine as machine;
use machine::{Kind, Memory, Op, Pred, Ty, Width};
use smallvec::SmallVec;

use crate::builders as build;
use crate::inst::{A, C, Half, Lock, Mods, R, SrcMods, TOp, Tesla};
use crate::slots::Slot as Operand;

/// Lengths of an instruction, and whether it has an immediate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Length {
    /// 4 bytes.
    Short,
    /// 8 bytes with an immediate of 32 bits.
    Immediate,
    /// 8 bytes.
    Long,
}

impl Length {
    /// All three, in their order.
    const ALL: [Length; 3] = [Length::Short, Length::Immediate, Length::Long];
}

/// The operand that a place of a row takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// A register alone.
    Register,
    /// A register or a word of s[].
    Shared,
    /// A register or a word of c[].
    Const,
    /// A word of c[] alone.
    Word(u8),
    /// The register with an address in g[].
    Global,
    /// A register, beside a bit that says that it is a whole one.
    Data,
    /// The register that is the destination.
    SameAsDst,
    /// The run of registers that is the destination.
    Vector,
    /// An immediate.
    Immediate,
    /// A block.
    Label,
}

/// A source of a row.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The kinds of operand that the place takes.
    pub takes: Takes,
    /// Registers that it reads; 0 for half of one.
    pub units: u16,
    /// Slots of its negation, its absolute value and its complement.
    pub signs: [Option<u8>; 3],
}

/// A modifier whose value a slot holds as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    /// Saturation.
    Sat,
    /// High bits of a product.
    High,
    /// Signed operands.
    Signed,
    /// The condition of a comparison.
    Cond,
    /// Rounding mode.
    Rounding,
    /// The use of a multiply-add's product.
    Sum,
    /// Number of a texture.
    Texture,
    /// Number of a sampler.
    Sampler,
    /// Components that are given.
    Components,
    /// The addend of texel coordinates, of an axis.
    Texel(u8),
    /// The operation of a lane of a quad.
    Quad(u8),
    /// The lane of the quad that is asked.
    Lane,
    /// Number of a special register.
    Special,
    /// Whether an input is taken at a point that the primitive covers.
    Centroid,
    /// Whether it is one of cubes.
    Cube,
    /// Whether the level comes from the quad.
    Derives,
}

/// Where the value of a slot comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Always this, unless an operand sets it.
    Value(u32),
    /// The modifiers of the instruction.
    Carried,
    /// The test of the predicate.
    Pred,
    /// The flag register that is read.
    Flags,
    /// The address register of an operand.
    Address,
    /// The general destination, its half counted where only one is written. The largest field value that is a register.
    Dst(Width, u32),
    /// The same where it may be left out.
    DstOrNone(Width, u32),
    /// The general destination beside a bit that says that it is a whole one.
    DstFull,
    /// The flag register that is written, if one is.
    FlagsDst,
    /// The flag register that is written.
    FlagsDstAlways,
    /// The address register that is written.
    AddressDst,
    /// The offset of a memory operand in units.
    Offset(u8),
    /// The source of this number.
    Source(u8),
    /// The value of a modifier.
    Modifier(Modifier),
}

impl Fill {
    fn of(slot: &OperandSpec<machine::Tesla>, source: u8) -> Fill {
        if build::is_source(slot) {
            return Fill::Source(source);
        }
        match slot.kind {
            Kind::Ei => Fill::Carried,
            Kind::Pred => Fill::Pred,
            Kind::CReg => Fill::Flags,
            Kind::A => Fill::Address,
            Kind::Dst(w) => Fill::Dst(w, slot.field.max()),
            Kind::DstO(w) => Fill::DstOrNone(w, slot.field.max() >> 1),
            Kind::DstOF => Fill::DstFull,
            Kind::Base => Fill::Dst(Width::S, slot.field.max()),
            Kind::Tex => Fill::Modifier(Modifier::Texture),
            Kind::Samp => Fill::Modifier(Modifier::Sampler),
            Kind::DVec => Fill::Modifier(Modifier::Components),
            Kind::QLane => Fill::Modifier(Modifier::Lane),
            Kind::Sr => Fill::Modifier(Modifier::Special),
            Kind::TexOff => Fill::Modifier(Modifier::Texel(match slot.name {
                "ox" => 0,
                "oy" => 1,
                _ => 2,
            })),
            Kind::CDst => Fill::FlagsDst,
            Kind::CDstAlways => Fill::FlagsDstAlways,
            Kind::ADst => Fill::AddressDst,
            Kind::Mem(_, scale) => Fill::Offset(scale),
            // A write in all lanes of the quads.
            Kind::Lanes => Fill::Value(15),
            // All warps of the workgroup, which count and wait.
            Kind::BarCount => Fill::Value(1 << 12),
            Kind::Flag(_) | Kind::Enum(_) => match slot.name {
                "inc" | "wait" => Fill::Value(1),
                "sat" => Fill::Modifier(Modifier::Sat),
                "high" => Fill::Modifier(Modifier::High),
                "s" | "s1" | "s2" => Fill::Modifier(Modifier::Signed),
                "cond" => Fill::Modifier(Modifier::Cond),
                "rnd" => Fill::Modifier(Modifier::Rounding),
                "addop" => Fill::Modifier(Modifier::Sum),
                "cube" => Fill::Modifier(Modifier::Cube),
                "op0" => Fill::Modifier(Modifier::Quad(0)),
                "op1" => Fill::Modifier(Modifier::Quad(1)),
                "op2" => Fill::Modifier(Modifier::Quad(2)),
                "op3" => Fill::Modifier(Modifier::Quad(3)),
                "cent" => Fill::Modifier(Modifier::Centroid),
                "deriv" => Fill::Modifier(Modifier::Derives),
                _ => Fill::Value(0),
            },
            _ => Fill::Value(0),
        }
    }
}

/// A row, as selection and emission ask for it.
#[derive(Debug)]
pub struct Form {
    /// Its index in the table.
    pub row: u16,
    /// Generations that have it, a bit each.
    generations: u16,
    stages: u8,
    /// Length of the encoding, immediate included.
    pub length: Length,
    ty: Ty,
    src: Ty,
    /// Registers of the general destination, 0 for half of one; nothing without one.
    pub dst: Option<u16>,
    /// Whether it may write flags.
    pub flags: bool,
    /// Whether it writes an address register.
    address: bool,
    /// Whether one of its operands may have an address register.
    indexed: bool,
    /// Whether arguments and results are a run of one to four registers.
    vector: bool,
    /// Whether it is a tex instruction of cubes, where there are others.
    cube: Option<bool>,
    /// Whether it gives all four components.
    whole: bool,
    /// The sources, in order.
    pub sources: SmallVec<[Source; 3]>,
    /// The slots of the row that an instruction fills, in their order, and with what. The others are 0, or what an operand sets.
    pub fills: Vec<(u8, Fill)>,
    /// Modifiers, as [`Mods::bit`] counts them.
    pub mods: u64,
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
    fn of(index: usize, row: &machine::Row) -> Form {
        let any = |p: fn(Kind) -> bool| row.operands.iter().any(|s| p(s.kind));
        let dst = row.operands.iter().find_map(|s| match s.kind {
            Kind::Dst(w) | Kind::DstO(w) => Some(units(w)),
            Kind::DstOF | Kind::Base => Some(1),
            _ => None,
        });
        let tex = any(|k| matches!(k, Kind::Base));
        let either = row.operands.iter().any(|s| s.name == "cube" || matches!(s.kind, Kind::SVec1));
        let immediate = |s: &OperandSpec<machine::Tesla>| matches!(s.kind, Kind::Num) && s.field.width() == 32;
        let sources: SmallVec<[Source; 3]> =
            row.operands.iter().filter(|s| build::is_source(s)).map(|s| Source::of(row, s)).collect();
        let mut next = 0;
        let fills = (0..).zip(row.operands).map(|(slot, s)| {
            let fill = Fill::of(s, next);
            next += u8::from(matches!(fill, Fill::Source(_)));
            (slot, fill)
        });
        Form {
            row: index as u16,
            generations: row.generations(),
            stages: row.stages,
            length: match row.bytes {
                4 => Length::Short,
                _ if row.operands.iter().any(immediate) => Length::Immediate,
                _ => Length::Long,
            },
            ty: row.attrs.ty,
            src: row.attrs.src,
            dst,
            flags: any(|k| matches!(k, Kind::CDst | Kind::CDstAlways)),
            address: any(|k| matches!(k, Kind::ADst)),
            indexed: any(|k| matches!(k, Kind::A)),
            vector: tex,
            cube: (tex && !either).then(|| build::is_cube(row)),
            whole: any(|k| matches!(k, Kind::DVec4)),
            sources,
            fills: fills.filter(|f| f.1 != Fill::Value(0)).collect(),
            mods: build::modifiers(row),
        }
    }

    /// Whether it is the form of these types and of a result of this size.
    fn is_of(&self, mods: &Mods, takes: u64) -> bool {
        (takes & const { Mods::bit("ty") } == 0 || self.ty == mods.ty)
            && (takes & const { Mods::bit("src") } == 0 || self.src == mods.src)
            && (self.dst == Some(0)) == (mods.half != Half::Whole)
            && self.cube.is_none_or(|cube| cube == mods.cube)
            && (!self.whole || mods.dvec == 15)
    }

    /// Whether it can carry `exit` or `join`.
    fn carries(&self) -> bool {
        self.mods & const { Mods::bit("carries") } != 0
    }

    /// Most definitions.
    fn definitions(&self) -> usize {
        usize::from(self.dst.is_some()) + usize::from(self.flags) + usize::from(self.address)
    }

    /// Whether it has the sources and modifiers of an instruction.
    fn holds(&self, i: &MInst<Tesla>) -> bool {
        let sources = self.sources.iter().zip(&i.uses).all(|(s, u)| s.fits(u));
        sources && i.mods.given() & !(self.mods | TYPES) == 0
    }

    /// Whether registers are of the files and sizes that it takes: behind the `sources` at most `general` of the general file, and
    /// `flags` flag registers.
    fn takes(
        &self,
        uses: &[Option<(FileId, u16)>],
        defs: &[(FileId, u16)],
        sources: usize,
        (general, flags): (usize, usize),
    ) -> bool {
        let own = self.sources.iter().zip(uses).all(|(s, r)| r.is_none_or(|r| s.reads(r)));
        let mut seen = [0; 3];
        let mut single = true;
        for &(file, units) in uses.iter().skip(sources).flatten() {
            seen[usize::from(file)] += 1;
            single &= units == 1 || file == R && self.dst == Some(units);
        }
        let rest = single
            && seen[usize::from(R)] <= general
            && seen[usize::from(C)] == flags
            && seen[usize::from(A)] <= usize::from(self.indexed);
        own && rest && defs.iter().enumerate().all(|(k, d)| self.defines(*d) && defs[..k].iter().all(|o| o.0 != d.0))
    }

    fn defines(&self, (file, units): (FileId, u16)) -> bool {
        match file {
            R if self.vector => units <= 4,
            R => self.dst.is_some_and(|own| own.max(1) == units),
            C => self.flags && units == 1,
            _ => self.address && units == 1,
        }
    }
}

/// Slots with the signs of each source: negation, absolute value, complement. Those of the only source that has any have no number.
const SIGNS: [[&[&str]; 3]; 3] = [
    [&["neg1", "neg"], &["abs1", "abs"], &["not1", "not"]],
    [&["neg2"], &["abs2"], &["not2"]],
    [&["neg3"], &["abs3"], &["not3"]],
];

impl Source {
    fn of(row: &machine::Row, s: &OperandSpec<machine::Tesla>) -> Source {
        let (takes, units) = match s.kind {
            Kind::Src1(w) | Kind::SSrc1(w) | Kind::ISrc1(w) => (Takes::Shared, units(w)),
            Kind::Src2(w) | Kind::Src3(w) | Kind::SSrc2(w) => (Takes::Const, units(w)),
            Kind::Reg(w) => (Takes::Register, units(w)),
            Kind::Glob => (Takes::Global, 1),
            Kind::HalfOrFull => (Takes::Data, 1),
            // The destination of what adds to it is a whole register.
            Kind::SameAsDst => (Takes::SameAsDst, 1),
            Kind::SVec | Kind::SVec1 => (Takes::Vector, 1),
            Kind::Mem(_, scale) => (Takes::Word(scale), 1),
            Kind::Target => (Takes::Label, 0),
            _ => (Takes::Immediate, 1),
        };
        let position = match s.name {
            "src1" => 0,
            "src3" => 2,
            _ => 1,
        };
        let sign = |names: &[&str]| row.operands.iter().position(|x| names.contains(&x.name)).map(|k| k as u8);
        Source { takes, units, signs: SIGNS[position].map(sign) }
    }
}

impl Source {
    /// Whether it may be a register of this file and size.
    fn reads(&self, (file, units): (FileId, u16)) -> bool {
        file == R && (units == self.units.max(1) || self.takes == Takes::Vector && units <= 4)
    }

    fn fits(&self, u: &Use<Tesla>) -> bool {
        let half = (self.units == 0) == (u.mods.half != Half::Whole);
        let kind = match u.src {
            Src::Reg(_) => half && !matches!(self.takes, Takes::Word(_) | Takes::Immediate | Takes::Label),
            Src::Imm(_) => self.takes == Takes::Immediate && u.mods == SrcMods::default(),
            Src::Label(_) => self.takes == Takes::Label,
            Src::Uniform(n) => match Operand::unpack(n) {
                Operand::Pool(_) | Operand::Const(..) => half && matches!(self.takes, Takes::Const | Takes::Word(_)),
                // Its place is not known yet: loads reach all of c0, other operands the first words.
                Operand::Table(_) => half && matches!(self.takes, Takes::Word(_)),
                // The type says what is read.
                Operand::Shared(..) | Operand::SharedAt(..) | Operand::Attr(_) => {
                    self.takes == Takes::Shared && u.mods.half != Half::High
                }
            },
        };
        let signs = [u.mods.neg, u.mods.abs, u.mods.not];
        kind && signs.iter().zip(self.signs).all(|(&on, has)| !on || has.is_some())
    }
}

/// An opcode.
struct Entry {
    effects: Effects,
    /// Operands before address registers and flags.
    sources: usize,
    /// Sorted by length, then as in the table.
    forms: Vec<Form>,
    /// Where the forms of each length begin.
    begin: [usize; Length::ALL.len()],
    takes: u64,
}

/// Made for the opcodes that a program has.
static ENTRIES: [OnceLock<Entry>; Op::COUNT] = [const { OnceLock::new() }; Op::COUNT];

impl Entry {
    fn of(op: Op) -> Entry {
        let rows = || machine::table().rows.iter().enumerate().filter(|r| r.1.op == op);
        let effects = rows().next().map_or(Effects::pure(1), |r| r.1.effects);
        let mut forms: Vec<Form> = rows().map(|(k, row)| Form::of(k, row)).collect();
        forms.sort_by_key(|f| f.length);
        let begin = Length::ALL.map(|length| forms.partition_point(|f| f.length < length));
        Entry { effects, sources: build::sources(op), forms, begin, takes: build::takes(op) }
    }

    /// The forms of a length, in the order of the table.
    fn of_length(&self, length: Length) -> &[Form] {
        let end = self.begin.get(length as usize + 1).copied().unwrap_or(self.forms.len());
        &self.forms[self.begin[length as usize]..end]
    }
}

fn entry(op: Op) -> &'static Entry {
    ENTRIES[op.number()].get_or_init(|| Entry::of(op))
}

/// The effects of an opcode besides its results. Its rows agree, but for latency and unit by type.
pub fn effects(op: Op) -> Effects {
    entry(op).effects
}

/// Cycles of a loop around a locked word that nobody else wants.
const LOCK: u16 = 150;

/// Cycles of eight loads, each of which waits for the one before it.
const DEVICE_FENCE: u16 = 4_000;

/// The effects of an instruction of machine code besides its results.
pub fn effects_of(op: TOp) -> Effects {
    match op {
        TOp::M(op) => effects(op),
        TOp::Lock(_) => Effects::atomic(LOCK).at(Memory::Shared as u16),
        TOp::JoinAt | TOp::Join | TOp::PreBrk | TOp::LoopExit => Effects::kept().convergent(),
        TOp::Exit => Effects::branch(),
        TOp::Fence => Effects::atomic(1),
        TOp::DeviceFence => Effects::atomic(DEVICE_FENCE),
        TOp::Unset => Effects::pure(1),
        TOp::EachLevel(op) => effects(op).convergent(),
    }
}

/// Sources of an opcode. The function of the builders counts them in the rows, which is for constants.
pub fn sources(op: Op) -> usize {
    entry(op).sources
}

/// Whether an instruction can carry `exit` or `join` in its long form.
pub fn carries(op: Op) -> bool {
    entry(op).forms.iter().any(Form::carries)
}

/// The modifiers that a row must have for an instruction, as [`Mods::bit`] counts them.
pub fn given(mods: &Mods) -> u64 {
    // The modifiers that only text and control see.
    const SILENT: u64 = TYPES | Mods::bit("short") | Mods::bit("id") | Mods::bit("divergent");
    mods.given() & !SILENT
}

/// The rows of this length that an instruction's types and modifiers ask for, of which a row must have those in a set, on a generation.
pub fn of(
    op: Op,
    length: Length,
    (mods, given): (&Mods, u64),
    (generation, stage): (u8, u8),
) -> impl Iterator<Item = &'static Form> {
    let entry = entry(op);
    entry.of_length(length).iter().filter(move |f| {
        let exists = f.generations >> generation & 1 == 1 && f.stages & stage != 0;
        exists && given & !f.mods == 0 && f.is_of(mods, entry.takes)
    })
}

/// Whether an opcode has a short form at all.
pub fn has_short(op: Op) -> bool {
    !entry(op).of_length(Length::Short).is_empty()
}

/// The source that short forms of an opcode have in their destination.
pub fn added_to(op: Op) -> Option<usize> {
    entry(op).forms.iter().find_map(|f| f.sources.iter().position(|s| s.takes == Takes::SameAsDst))
}

/// Registers with results of a fragment program: eight colours, a mask, a depth.
const RESULTS: usize = 34;

/// Operands of a piece of the flow of control or of a loop around a locked word: sources, modifiers, whether it may have an address
/// register, definitions.
fn own(op: TOp) -> (usize, u64, bool, usize) {
    match op {
        TOp::M(_) | TOp::Fence => (0, 0, false, 0),
        // The results of a fragment program stay in registers.
        TOp::Exit => (RESULTS, 0, false, 0),
        TOp::Unset | TOp::DeviceFence => (0, 0, false, 1),
        TOp::EachLevel(op) => (2, entry(op).takes, false, 2),
        TOp::Lock(Lock::Op(..) | Lock::Exchange) => (1, const { Mods::bit("offset") }, true, 3),
        TOp::Lock(Lock::Cas) => (2, const { Mods::bit("offset") }, true, 3),
        TOp::JoinAt | TOp::Join | TOp::PreBrk | TOp::LoopExit => (0, const { Mods::bit("id") }, false, 0),
    }
}

/// Whether an instruction has as many operands as its opcode takes, modifiers that it has, and sources that one of its rows can hold.
///
/// # Errors
/// The error.
pub fn check(i: &MInst<Tesla>) -> Result<(), String> {
    let Some(op) = i.target_op() else { return Ok(()) };
    if op == TOp::Exit {
        check_count("operands", i.uses.len(), 0, RESULTS)?;
        check_count("definitions", i.defs.len(), 0, 0)?;
        return i.mods.check(0);
    }
    let TOp::M(op) = op else {
        let (sources, takes, indexed, defs) = own(op);
        check_count("operands", i.uses.len(), sources, sources + usize::from(indexed))?;
        check_count("definitions", i.defs.len(), defs, defs)?;
        return i.mods.check(takes);
    };
    let Entry { forms, takes, sources, .. } = entry(op);
    let asked = |f: &&Form| f.is_of(&i.mods, *takes) && (f.length == Length::Short || !i.mods.short);
    let (flags, kept) = (usize::from(build::reads_flags(op, &i.mods)), usize::from(keeps(&i.mods)));
    let plain = |u: &Use<Tesla>| matches!(u.src, Src::Reg(_)) && u.mods == SrcMods::default();
    let least = sources + flags;
    let right = |f: &Form| {
        (least..=least + kept + usize::from(f.indexed)).contains(&i.uses.len())
            && (usize::from(i.mods.out == 0).min(f.definitions())..=f.definitions()).contains(&i.defs.len())
            && f.holds(i)
    };
    if i.mods.given() & !takes == 0
        && i.uses.iter().skip(*sources).all(plain)
        && forms.iter().any(|f| asked(&f) && right(f))
    {
        return Ok(());
    }
    // The fault.
    let of: SmallVec<[&Form; 8]> = forms.iter().filter(asked).collect();
    if of.is_empty() {
        return Err(format!("no form of {:?} from {:?} with half {:?}", i.mods.ty, i.mods.src, i.mods.half));
    }
    let most = least + kept + usize::from(of.iter().any(|f| f.indexed));
    check_count("operands", i.uses.len(), least, most)?;
    let most = of.iter().map(|f| f.definitions()).max().unwrap_or(0);
    check_count("definitions", i.defs.len(), usize::from(i.mods.out == 0).min(most), most)?;
    i.mods.check(*takes)?;
    let (own, rest) = i.uses.split_at(*sources);
    if !rest.iter().all(plain) {
        return Err("behind the sources come plain registers alone".into());
    }
    let fits = |f: &Form, k: usize| f.sources.get(k).is_none_or(|s| s.fits(&own[k]));
    if let Some(k) = (0..own.len()).find(|&k| of.iter().all(|f| !fits(f, k))) {
        return Err(format!("no form takes operand {k}"));
    }
    Err("no form has these operands and modifiers together".into())
}

/// Whether a part of the destination stays, or all of it in some lanes, so that what was there may be an operand.
fn keeps(mods: &Mods) -> bool {
    mods.half != Half::Whole || mods.pred != Pred::Always
}

const TYPES: u64 = Mods::bit("ty") | Mods::bit("src");

/// Whether registers are of the files and sizes that an opcode takes.
///
/// # Errors
/// The error.
pub fn check_registers(i: &MInst<Tesla>, uses: &[Option<(FileId, u16)>], defs: &[(FileId, u16)]) -> Result<(), String> {
    let Some(op) = i.target_op() else { return Ok(()) };
    let (count, of): (usize, SmallVec<[&Form; 8]>) = match op {
        TOp::M(op) => {
            let Entry { forms, takes, sources, .. } = entry(op);
            let (general, flags) = (keeps(&i.mods), build::reads_flags(op, &i.mods));
            let others = (usize::from(general), usize::from(flags));
            let right = |f: &Form| f.is_of(&i.mods, *takes) && f.takes(uses, defs, *sources, others);
            if forms.iter().any(right) {
                return Ok(());
            }
            (*sources, forms.iter().filter(|f| f.is_of(&i.mods, *takes)).collect())
        }
        TOp::Exit => {
            let plain = uses.iter().all(|r| r.is_none_or(|r| r == (R, 1)));
            return if plain { Ok(()) } else { Err("results are registers, one each".into()) };
        }
        TOp::EachLevel(_) => {
            let run = |r: (FileId, u16)| r.0 == R && (1..=4).contains(&r.1);
            let reads =
                uses.iter().flatten().all(|&r| run(r)) && uses.last().is_some_and(|r| r.is_none_or(|r| r.1 == 1));
            let gives = matches!(defs, [d, (C, 1)] if run(*d));
            return if reads && gives { Ok(()) } else { Err("a level for each lane: other registers".into()) };
        }
        TOp::Unset | TOp::DeviceFence => {
            return if matches!(defs, [(R, 1)]) { Ok(()) } else { Err("it gives one register".into()) };
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
        TOp::M(op) => (build::reads_flags(op, &i.mods), keeps(&i.mods), of.iter().any(|f| f.indexed)),
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
            TOp::M(_) => of.iter().any(|f| f.defines(d)),
            _ => locked.get(k) == Some(&d),
        };
        if !fits || !matches!(op, TOp::Lock(_)) && defs[..k].iter().any(|o| o.0 == d.0) {
            return Err(format!("definition {k} cannot be {}", name(d)));
        }
    }
    Ok(())
}
