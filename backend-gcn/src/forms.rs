//! The forms of an opcode: what each row takes, found once in its slots, and whether an instruction has what some row takes.

use std::sync::LazyLock;

use gpucc_gcn_machine::operand::inline;
use gpucc_gcn_machine::{Attrs, Format, GFX8, Gcn as Isa, Kind, Mods as Signs, Op, Unit, build as form};
use gpucc_isa::{Role, Row};
use gpucc_mir::{FileId, MInst, Src, Use, check_count};
use smallvec::SmallVec;

use crate::builders as build;
use crate::inst::{Cond, FILE_S, FILE_V, GOp, Gcn, IN_OPERAND, Mods, SrcMods};

/// Whether an operation has a 32-bit form of its own.
pub fn has_short(op: Op, generation: u8) -> bool {
    // Instructions that exist as VOP3 only count as short to the table: their one form is the 64-bit one.
    form::row(op, form::Form::Short, false, generation)
        .is_some_and(|r| gpucc_gcn_machine::table().rows[r as usize].bytes == 4)
}

/// The operand that a place of a row takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// Scalar registers.
    Scalar,
    /// Scalar registers and constants that a code stands for.
    ScalarOrConstant,
    /// Vector registers.
    Vector,
    /// Registers of both kinds and constants that a code stands for.
    Any,
    /// A literal.
    Literal,
}

/// A source of a row.
#[derive(Clone, Copy, Debug)]
struct Source {
    takes: Takes,
    /// Registers that it reads, from one number to another.
    least: u16,
    most: u16,
    neg: bool,
    abs: bool,
}

/// A row, as selection asks for it.
#[derive(Debug)]
struct Form {
    /// File and number of registers of the result; 0 where a mask of components says it.
    def: Option<(FileId, u16)>,
    /// Whether it writes EXEC besides, as a definition of its own.
    exec: bool,
    /// Whether a lane mask of carries may be a definition besides.
    carry: bool,
    sources: SmallVec<[Source; 4]>,
    /// Whether one literal may stand wherever a constant may.
    literal: bool,
    /// Modifiers, as [`Mods::bit`] counts them.
    mods: u64,
    facts: Attrs,
}

/// An address of an image has this many registers at most.
const ADDRESS: u16 = 12;

impl Form {
    fn of(row: &Row<Isa>) -> Form {
        let sources = row.operands.iter().filter(|s| build::is_source(row, s)).map(|s| {
            let plain = |takes, n: u8| (takes, n.into(), n.into(), Signs::None);
            let (takes, least, most, signs) = match s.kind {
                Kind::SReg(n) | Kind::SRegSrc(n) | Kind::SData(n) | Kind::SRsrc(n) => plain(Takes::Scalar, n),
                Kind::SSrc(n) => plain(Takes::ScalarOrConstant, n),
                Kind::Src(n, m) => (Takes::Any, n.into(), n.into(), m),
                Kind::VSrc(n, m) => (Takes::Vector, n.into(), n.into(), m),
                Kind::Vgpr(n) if s.name == "vaddr" => (Takes::Vector, n.into(), ADDRESS, Signs::None),
                Kind::Vgpr(n) => plain(Takes::Vector, n),
                Kind::VMod(m) => (Takes::Vector, 1, 1, m),
                Kind::ImgData | Kind::ImgGather => (Takes::Vector, 0, 0, Signs::None),
                _ => plain(Takes::Literal, 1),
            };
            let (neg, abs) = (matches!(signs, Signs::Neg | Signs::NegAbs), signs == Signs::NegAbs);
            Source { takes, least, most, neg, abs }
        });
        let def = row.operands.iter().find(|s| matches!(s.role, Role::Def | Role::UseDef)).map(|s| match s.kind {
            Kind::SReg(n) | Kind::SData(n) => (FILE_S, n.into()),
            Kind::Vcc => (FILE_S, 2),
            Kind::Vgpr(n) => (FILE_V, n.into()),
            _ => (FILE_V, 0),
        });
        let literal = row.operands.iter().any(|s| s.kind == Kind::LiteralWord);
        let exec = matches!(row.attrs.unit, Unit::Salu) && row.implicit.iter().any(|i| i.name == "exec" && i.write);
        let masks = row.operands.iter().any(|s| s.role == Role::Def && s.name == "sdst");
        let carry = masks && matches!(def, Some((FILE_V, _)));
        Form { def, exec, carry, sources: sources.collect(), literal, mods: build::modifiers(row), facts: row.attrs }
    }

    fn is_vector(&self) -> bool {
        matches!(self.facts.unit, Unit::Valu | Unit::Trans)
    }

    fn takes(&self, k: usize, u: &Use<Gcn>) -> bool {
        let Some(s) = self.sources.get(k) else { return false };
        let signs = (!u.mods.neg || s.neg) && (!u.mods.abs || s.abs);
        signs
            && match u.src {
                Src::Reg(_) => s.takes != Takes::Literal,
                Src::Imm(b) if inline(b, self.facts.number, GFX8).is_none() => {
                    s.takes == Takes::Literal || self.literal && s.takes == Takes::ScalarOrConstant
                }
                Src::Imm(_) => !matches!(s.takes, Takes::Scalar | Takes::Vector),
                _ => false,
            }
    }

    fn fits(&self, i: &MInst<Gcn>, count: usize) -> bool {
        self.sources.len() == count
            && i.uses[..count].iter().enumerate().all(|(k, u)| self.takes(k, u))
            && i.mods.foreign(self.mods).is_none()
    }

    /// Registers of data that a mask of components says.
    fn data(&self, mods: &Mods, op: Op) -> u16 {
        let gather = op_gathers(op);
        if gather { 4 } else { mods.dmask.count_ones().max(1) as u16 }
    }
}

/// Whether four texels of one component come back.
fn op_gathers(op: Op) -> bool {
    GATHERS[op as usize]
}

static GATHERS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let mut all = vec![false; Op::ALL.len()];
    for row in gpucc_gcn_machine::table().rows {
        all[row.op as usize] |= row.operands.iter().any(|s| s.kind == Kind::ImgGather);
    }
    all
});

static FORMS: LazyLock<Vec<Vec<Form>>> = LazyLock::new(|| {
    let mut all: Vec<Vec<Form>> = Op::ALL.iter().map(|_| Vec::new()).collect();
    for row in gpucc_gcn_machine::table().rows.iter().filter(|r| build::is_form(r)) {
        all[row.op as usize].push(Form::of(row));
    }
    all
});

/// Registers behind the sources: file and number of each, and how many of them must be there.
fn behind(op: Op, facts: &Attrs, mods: &Mods) -> (SmallVec<[(FileId, u16); 4]>, usize) {
    let list: SmallVec<[(FileId, u16); 4]> = match facts.format {
        Format::Mubuf | Format::Mtbuf if mods.idxen => [(FILE_V, 1), (FILE_S, 4)].into_iter().collect(),
        Format::Mubuf | Format::Mtbuf => {
            let table = (mods.srsrc == IN_OPERAND).then_some((FILE_S, 4));
            let address = if mods.addr64 { Some((FILE_V, 2)) } else { mods.offen.then_some((FILE_V, 1)) };
            address.into_iter().chain(table).collect()
        }
        Format::Smrd | Format::Smem if build::takes(op) & const { Mods::bit("sbase") } != 0 => {
            let table = (mods.sbase == IN_OPERAND).then_some((FILE_S, 4));
            return (table.into_iter().chain([(FILE_S, 1)]).collect(), usize::from(table.is_some()));
        }
        Format::Exp => {
            let on = if mods.compr {
                (mods.en & 3 != 0) as usize + (mods.en >> 2 & 3 != 0) as usize
            } else {
                mods.en.count_ones() as usize
            };
            std::iter::repeat_n((FILE_V, 1), on).collect()
        }
        _ => SmallVec::new(),
    };
    let least = list.len();
    (list, least)
}

/// Operands of what is no row: a comparison of two scalars, a mask, the values of a choice; then blocks.
fn own(op: GOp) -> (usize, usize, usize, usize) {
    // Least and most values, least and most blocks.
    match op {
        GOp::I(_) | GOp::End => (0, 0, 0, 0),
        GOp::Jump => (0, 0, 1, 1),
        GOp::Leave(None) => (0, 1, 0, 2),
        GOp::Leave(Some(_)) => (2, 2, 0, 2),
        GOp::Branch(Cond::Active) => (0, 0, 2, 2),
        GOp::Branch(Cond::Lanes) => (1, 1, 2, 2),
        GOp::Branch(Cond::Scalar(_)) => (2, 2, 2, 2),
        GOp::Choose(_) => (4, 4, 0, 0),
    }
}

fn check_own(i: &MInst<Gcn>, op: GOp) -> Result<(), String> {
    let (least, most, few, many) = own(op);
    let values = i.uses.iter().filter(|u| !matches!(u.src, Src::Label(_))).count();
    check_count("values", values, least, most)?;
    check_count("blocks", i.uses.len() - values, few, many)?;
    let defs = usize::from(matches!(op, GOp::Choose(_)));
    check_count("definitions", i.defs.len(), defs, defs)?;
    if let GOp::Leave(Some(o)) | GOp::Branch(Cond::Scalar(o)) | GOp::Choose(o) = op
        && FORMS[o as usize].first().is_none_or(|f| f.facts.format != Format::Sopc)
    {
        return Err(format!("{o:?} compares no scalars"));
    }
    if i.uses.iter().any(|u| u.mods != SrcMods::default() || matches!(u.src, Src::Uniform(_))) {
        return Err("a value is a plain register or a constant".into());
    }
    i.mods.check(0)
}

/// Whether an instruction has as many operands as its opcode takes, modifiers that it has, and sources that one of its rows can hold.
///
/// # Errors
/// The fault.
pub fn check(i: &MInst<Gcn>) -> Result<(), String> {
    let Some(op) = i.target_op() else { return Ok(()) };
    let GOp::I(op) = op else { return check_own(i, op) };
    let forms = &FORMS[op as usize];
    let Some(first) = forms.first() else { return Err(format!("{op:?} has no row")) };
    // Of FLAT's atomics those that give the old value have rows of their own.
    let returns = forms.iter().find(|f| first.facts.format == Format::Flat && f.def.is_some() && i.mods.glc);
    let first = returns.unwrap_or(first);
    let count = build::sources(op);
    let (list, least) = behind(op, &first.facts, &i.mods);
    check_count("operands", i.uses.len(), count + least, count + list.len())?;
    let defs = usize::from(first.def.is_some()) + usize::from(first.exec);
    let carry = usize::from(forms.iter().any(|f| f.carry));
    check_count("definitions", i.defs.len(), defs, defs + carry)?;
    i.mods.check(build::takes(op))?;
    let plain = |u: &Use<Gcn>| matches!(u.src, Src::Reg(_)) && u.mods == SrcMods::default();
    if !i.uses[count..].iter().all(plain) {
        return Err("behind the sources come plain registers alone".into());
    }
    if forms.iter().any(|f| f.fits(i, count)) {
        return Ok(());
    }
    // The fault.
    Err(match (0..count).find(|&k| !forms.iter().any(|f| f.takes(k, &i.uses[k]))) {
        Some(k) => format!("no form takes operand {k}"),
        None => "no form has these operands and modifiers together".into(),
    })
}

/// Whether registers are of the files and sizes that an opcode takes, and a vector instruction reads one scalar alone.
///
/// # Errors
/// The fault.
pub fn check_registers(i: &MInst<Gcn>, uses: &[Option<(FileId, u16)>], defs: &[(FileId, u16)]) -> Result<(), String> {
    let name = |r: (FileId, u16)| format!("{} of file {}", r.1, if r.0 == FILE_V { "v" } else { "s" });
    let op = match i.target_op() {
        Some(GOp::I(op)) => op,
        Some(op) => {
            let size = if matches!(op, GOp::Leave(None) | GOp::Branch(Cond::Lanes)) { 2 } else { 1 };
            let wrong = uses.iter().flatten().chain(defs).find(|&&r| r != (FILE_S, size));
            return wrong.map_or(Ok(()), |&r| Err(format!("no value can be {}", name(r))));
        }
        None => return Ok(()),
    };
    let forms = &FORMS[op as usize];
    let count = build::sources(op);
    let takes = |f: &Form, k: usize| {
        let (Some(s), Some((file, n))) = (f.sources.get(k), uses[k]) else { return true };
        let may = match s.takes {
            Takes::Scalar | Takes::ScalarOrConstant => file == FILE_S,
            Takes::Vector => file == FILE_V,
            Takes::Any => true,
            Takes::Literal => false,
        };
        may && match s.most {
            0 => n == f.data(&i.mods, op),
            most => s.least <= n && n <= most,
        }
    };
    // Each form is asked once: those behind it ask all of them for each operand.
    let fitting: SmallVec<[&Form; 8]> = forms.iter().filter(|f| f.fits(i, count)).collect();
    let fitting = || fitting.iter().copied();
    if let Some(k) = (0..count).find(|&k| !fitting().any(|f| takes(f, k))) {
        let what = uses[k].map_or_else(|| "what it is".into(), name);
        return Err(format!("operand {k} cannot be {what}"));
    }
    if !fitting().any(|f| (0..count).all(|k| takes(f, k))) {
        return Err("no form has these registers together".into());
    }
    let Some(first) = forms.first() else { return Ok(()) };
    let (list, _) = behind(op, &first.facts, &i.mods);
    for (k, (&want, r)) in list.iter().zip(uses.iter().skip(count).flatten()).enumerate() {
        if *r != want {
            return Err(format!("operand {} cannot be {}", count + k, name(*r)));
        }
    }
    if first.is_vector() {
        let scalar = |k: usize| match (uses[k], i.uses[k].src) {
            (Some((FILE_S, _)), s) => Some(s),
            (_, Src::Imm(b)) if inline(b, first.facts.number, GFX8).is_none() => Some(i.uses[k].src),
            _ => None,
        };
        let mut found = (0..count).filter_map(scalar);
        if let Some(one) = found.next()
            && found.any(|s| s != one)
            && !matches!(op, Op::VReadlaneB32 | Op::VWritelaneB32)
        {
            return Err("a vector instruction reads one scalar or literal".into());
        }
    }
    for (k, &d) in defs.iter().enumerate() {
        if k == 1 && d == (FILE_S, 2) {
            continue;
        }
        let fits =
            |f: &Form| f.def.is_some_and(|w| w.0 == d.0 && d.1 == if w.1 == 0 { f.data(&i.mods, op) } else { w.1 });
        if !fitting().any(fits) {
            return Err(format!("definition {k} cannot be {}", name(d)));
        }
    }
    Ok(())
}

/// The source of an operation that is a lane mask and has a place of its own.
pub fn mask_source(op: Op) -> Option<usize> {
    matches!(op, Op::VCndmaskB32 | Op::VAddcU32 | Op::VSubbU32 | Op::VSubbrevU32).then_some(2)
}
