//! Each opcode's row as the compiler asks for it: what its operands take, where its modifiers go, what it defines, found once in its
//! slots; and whether an instruction has what its row takes.

use std::sync::OnceLock;

use gpucc_isa::{Inst, ModValue as _, OperandSpec, Role};
use gpucc_mir::{MInst, Src, Use, check_count};
use gpucc_regalloc::FileId;
use gpucc_valhall_machine as machine;
use machine::kind::{DstKind, SrcKind};
use machine::modifiers::{ByteLane, HalfLane};
use machine::{Class, Kind, OPS, Op, ROWS, operand};
use smallvec::SmallVec;

use crate::builders as build;
use crate::inst::{LoadLane, Mods, SPECIAL, SrcMods, VOp, Valhall};

/// A staging run of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// The one that most messages have, read or written.
    Only,
    /// The written one where another is read.
    Second,
}

impl Run {
    /// The name of its slot.
    pub const fn name(self) -> &'static str {
        match self {
            Run::Only => "sr",
            Run::Second => "srw",
        }
    }
}

/// The definitions of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definition {
    /// A register, in this slot.
    Register(u8),
    /// A pair, in this slot.
    Pair(u8),
    /// A staging run.
    Run(Run),
}

/// A source of a row.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Number of its slot in the row.
    pub slot: u8,
    /// The operands and modifiers that it takes.
    pub kind: SrcKind,
}

/// A modifier that a slot of a row holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    Cmp,
    ResultType,
    Clamp,
    Round,
    Mux,
    Signed,
    Sqrt,
    Log,
    Constant,
    Shift,
    Offset,
    Unsigned,
    LoadLane,
    MemoryAccess,
    AtomOpc,
    AtomOne,
    Compare,
    Slot,
    Dimension,
    ArrayEnable,
    TexelOffset,
    Shadow,
    LodMode,
    WideIndices,
    FetchComponent,
    RegisterType,
    RegisterWidth,
    WriteMask,
    DerivativeEnable,
    ForceDeltaEnable,
    LodBiasDisable,
    LodClampDisable,
    Skip,
    Vecsize,
    Regfmt,
    SourceFormat,
    Sample,
    Update,
    Table,
    Index,
    Z,
    Stencil,
    Target,
    Subgroup,
    LaneOp,
}

impl Modifier {
    fn of(slot: &OperandSpec<machine::Valhall>) -> Option<Modifier> {
        Some(match slot.name {
            "cmp" => Modifier::Cmp,
            "result_type" => Modifier::ResultType,
            "clamp" => Modifier::Clamp,
            "round" => Modifier::Round,
            "mux" => Modifier::Mux,
            "signed" => Modifier::Signed,
            "sqrt" => Modifier::Sqrt,
            "log" => Modifier::Log,
            "constant" => Modifier::Constant,
            "shift" => Modifier::Shift,
            "offset" => Modifier::Offset,
            "unsigned" => Modifier::Unsigned,
            "load_lane" => Modifier::LoadLane,
            "memory_access" => Modifier::MemoryAccess,
            "atom_opc" => Modifier::AtomOpc,
            "atom_one" => Modifier::AtomOne,
            "compare" => Modifier::Compare,
            "slot" => Modifier::Slot,
            "dimension" => Modifier::Dimension,
            "array_enable" => Modifier::ArrayEnable,
            "texel_offset" => Modifier::TexelOffset,
            "shadow" => Modifier::Shadow,
            "lod_mode" => Modifier::LodMode,
            "wide_indices" => Modifier::WideIndices,
            "fetch_component" => Modifier::FetchComponent,
            "register_type" => Modifier::RegisterType,
            "register_width" => Modifier::RegisterWidth,
            "write_mask" => Modifier::WriteMask,
            "derivative_enable" => Modifier::DerivativeEnable,
            "force_delta_enable" => Modifier::ForceDeltaEnable,
            "lod_bias_disable" => Modifier::LodBiasDisable,
            "lod_clamp_disable" => Modifier::LodClampDisable,
            "skip" => Modifier::Skip,
            "vecsize" => Modifier::Vecsize,
            "regfmt" => Modifier::Regfmt,
            "source_format" => Modifier::SourceFormat,
            "sample" => Modifier::Sample,
            "update" => Modifier::Update,
            "table" => Modifier::Table,
            "index" => Modifier::Index,
            "z" => Modifier::Z,
            "stencil" => Modifier::Stencil,
            "target" => Modifier::Target,
            "subgroup" => Modifier::Subgroup,
            "lane_op" => Modifier::LaneOp,
            _ => return None,
        })
    }

    /// The value of the slot in a row of an access of so many bytes, where it is not what the row says by itself.
    pub fn value(self, m: &Mods, bytes: u8) -> Option<u32> {
        Some(match self {
            Modifier::Cmp => m.cmp.bits(),
            Modifier::ResultType => m.result_type.bits(),
            Modifier::Clamp => m.clamp.bits(),
            Modifier::Round => m.round.bits(),
            Modifier::Mux => m.mux.bits(),
            Modifier::Signed => m.signed.bits(),
            Modifier::Sqrt => m.sqrt.bits(),
            Modifier::Log => m.log.bits(),
            Modifier::Constant => m.constant,
            Modifier::Shift => m.shift.into(),
            Modifier::Offset => m.offset.into(),
            Modifier::Unsigned => m.unsigned.bits(),
            Modifier::LoadLane => match (bytes, m.load_lane) {
                (1, LoadLane::Word) => ByteLane::W0 as u32,
                (2, LoadLane::Word) => HalfLane::W0 as u32,
                _ => return None,
            },
            Modifier::MemoryAccess => m.memory_access.bits(),
            Modifier::AtomOpc => m.atom_opc.bits(),
            Modifier::AtomOne => m.atom_one.bits(),
            Modifier::Compare => m.compare.bits(),
            Modifier::Slot => m.slot.bits(),
            Modifier::Dimension => m.dimension.bits(),
            Modifier::ArrayEnable => m.array_enable.bits(),
            Modifier::TexelOffset => m.texel_offset.bits(),
            Modifier::Shadow => m.shadow.bits(),
            Modifier::LodMode => m.lod_mode.bits(),
            Modifier::WideIndices => m.wide_indices.bits(),
            Modifier::FetchComponent => m.fetch_component.bits(),
            Modifier::RegisterType => m.register_type.bits(),
            Modifier::RegisterWidth => m.register_width.bits(),
            Modifier::WriteMask => m.write_mask.into(),
            Modifier::DerivativeEnable => m.derivative_enable.bits(),
            Modifier::ForceDeltaEnable => m.force_delta_enable.bits(),
            Modifier::LodBiasDisable => m.lod_bias_disable.bits(),
            Modifier::LodClampDisable => m.lod_clamp_disable.bits(),
            Modifier::Skip => m.skip.bits(),
            Modifier::Vecsize => m.vecsize.bits(),
            Modifier::Regfmt => m.regfmt.bits(),
            Modifier::SourceFormat => m.source_format.bits(),
            Modifier::Sample => m.sample.bits(),
            Modifier::Update => m.update.bits(),
            Modifier::Table => m.table.into(),
            Modifier::Index => m.index.into(),
            Modifier::Z => m.z.bits(),
            Modifier::Stencil => m.stencil.bits(),
            Modifier::Target => m.target.into(),
            Modifier::Subgroup => m.subgroup.into(),
            Modifier::LaneOp => m.lane_op.into(),
        })
    }
}

/// A row, as selection and emission ask for it.
#[derive(Debug)]
pub struct Form {
    /// The instruction without modifiers and operands.
    pub blank: Inst<machine::Valhall>,
    /// The staging run that it reads, which is the first use.
    pub read_run: Option<Run>,
    /// Its sources, in order.
    pub sources: SmallVec<[Source; 4]>,
    /// The definition, if the row writes a register.
    pub definition: Option<Definition>,
    /// Slots that hold modifiers.
    pub modifiers: SmallVec<[(u8, Modifier); 6]>,
    /// Modifiers that it may have, as [`Mods::bit`] counts them.
    takes: u64,
}

impl Form {
    fn of(op: Op) -> Form {
        let mut form = Form {
            blank: machine::build::inst(op),
            read_run: None,
            sources: SmallVec::new(),
            definition: None,
            modifiers: SmallVec::new(),
            takes: build::takes(op),
        };
        for (k, s) in ROWS[op as usize].operands.iter().enumerate() {
            let run = if s.name == Run::Second.name() { Run::Second } else { Run::Only };
            match s.kind {
                Kind::Src(kind) => {
                    form.sources.push(Source { slot: k as u8, kind });
                }
                Kind::Run { .. } if s.role == Role::Use => form.read_run = Some(run),
                Kind::Run { .. } => form.definition = Some(Definition::Run(run)),
                Kind::Dst(DstKind::Pair) => form.definition = Some(Definition::Pair(k as u8)),
                Kind::Dst(_) => form.definition = Some(Definition::Register(k as u8)),
                _ if matches!(s.role, Role::Mod | Role::Imm) => {
                    form.modifiers.extend(Modifier::of(s).map(|m| (k as u8, m)));
                }
                _ => {}
            }
        }
        form
    }
}

/// Made for the opcodes that a program has.
static FORMS: [OnceLock<Form>; OPS.len()] = [const { OnceLock::new() }; OPS.len()];

/// The row of an opcode.
pub fn of(op: Op) -> &'static Form {
    FORMS[op as usize].get_or_init(|| Form::of(op))
}

/// Whether use `k` of an instruction is a 64-bit operand.
pub fn is_wide(inst: &MInst<Valhall>, k: usize) -> bool {
    let Some(VOp::Op(op)) = inst.target_op() else { return false };
    let form = of(op);
    let source = k.checked_sub(usize::from(form.read_run.is_some())).and_then(|k| form.sources.get(k));
    source.is_some_and(|s| s.kind.wide)
}

/// The operand for a use whose register, if it is one, is this one.
fn operand_in(u: &Use<Valhall>, register: u8) -> Result<operand::Src, String> {
    let SrcMods { neg, abs, not, .. } = u.mods;
    let swizzle = u.mods.swizzle();
    let base = match u.src {
        Src::Imm(v) => operand::lut(v).ok_or_else(|| format!("{v:#x} is not a word of the table"))?,
        Src::Uniform(n) if n >= SPECIAL => {
            let n = n - SPECIAL;
            operand::Src { byte: n as u8, page: Some((n >> 8) as u8), ..operand::zero() }
        }
        Src::Uniform(n) if n < UNIFORMS => operand::uniform(n as u8),
        Src::Uniform(n) => return Err(format!("there is no uniform word {n}")),
        Src::Reg(_) => operand::reg(register),
        Src::Label(_) => return Err("a label is no source".into()),
    };
    Ok(operand::Src { neg, abs, not, swizzle, ..base })
}

/// The number of uniform words.
const UNIFORMS: u32 = 128;

/// The operand for a use whose register is physical.
///
/// # Errors
/// The error.
pub fn operand(u: &Use<Valhall>) -> Result<operand::Src, String> {
    let register = match (u.src, u.phys()) {
        (Src::Reg(_), None) => return Err(format!("{u:?} has no register")),
        (_, p) => p.map_or(0, |p| p.place.base() as u8),
    };
    operand_in(u, register)
}

/// Registers of the run that an access reads or writes, where its row says how many.
fn run_words(op: Op, mods: &Mods, read: bool) -> Option<u16> {
    let bytes = u16::from(ROWS[op as usize].attrs.bytes);
    (bytes > 0).then(|| if mods.compare && read { 2 } else { 1 } * bytes.div_ceil(4))
}

/// Whether a source takes a use. Pairs of uniform words start at even ones only when they have their places.
fn check_source(kind: SrcKind, k: usize, u: &Use<Valhall>) -> Result<(), String> {
    let s = operand_in(u, 0).map_err(|e| format!("operand {k}: {e}"))?;
    if s.pack(kind).is_none() {
        return Err(format!("operand {k} has no such modifier"));
    }
    match s.operand() {
        operand::Operand::Reserved => Err(format!("operand {k} names nothing")),
        operand::Operand::Special(sp, _) if kind.mods.is_float() => {
            Err(format!("operand {k} cannot be {}: it is a float", sp.name))
        }
        operand::Operand::Special(sp, 1) if kind.wide => {
            Err(format!("operand {k} cannot be the high word of {}", sp.name))
        }
        _ => Ok(()),
    }
}

/// The condition of a branch.
const CONDITION: SrcKind = SrcKind { wide: false, mods: machine::kind::SrcMods::Combine };

/// Operands of what is no row: whether it tests something, whether it goes to a block, modifiers.
const fn own(op: VOp) -> (bool, bool, u64) {
    match op {
        VOp::Jump => (false, true, const { Mods::bit("together") }),
        VOp::Branch => (true, true, const { Mods::bit("eq") | Mods::bit("uniform") }),
        VOp::Op(_) | VOp::End | VOp::Fence => (false, false, 0),
    }
}

fn check_own(i: &MInst<Valhall>, op: VOp) -> Result<(), String> {
    let (tests, goes, takes) = own(op);
    let uses = usize::from(tests) + usize::from(goes);
    check_count("operands", i.uses.len(), uses, uses)?;
    check_count("definitions", i.defs.len(), 0, 0)?;
    i.mods.check(takes)?;
    if tests {
        check_source(CONDITION, 0, &i.uses[0])?;
    }
    match i.uses.last() {
        Some(Use { src: Src::Label(_), .. }) | None => Ok(()),
        Some(_) => Err(format!("operand {} is no block", uses - 1)),
    }
}

/// Whether an instruction has as many operands as its row, modifiers that it has, and sources that it can hold.
///
/// # Errors
/// The error.
pub fn check(i: &MInst<Valhall>) -> Result<(), String> {
    let op = match i.target_op() {
        Some(VOp::Op(op)) => op,
        Some(op) => return check_own(i, op),
        None => return Ok(()),
    };
    let (row, form) = (&ROWS[op as usize], of(op));
    if row.attrs.class == Class::Branch {
        return Err("branches are `Jump` and `Branch` here".into());
    }
    let run = usize::from(form.read_run.is_some());
    check_count("operands", i.uses.len(), run + form.sources.len(), run + form.sources.len())?;
    let defs = usize::from(form.definition.is_some());
    // The result of an atomic with 1 may be left out.
    let least = if matches!(op, Op::Atom1ReturnI32 | Op::Atom1ReturnI64) { 0 } else { defs };
    check_count("definitions", i.defs.len(), least, defs)?;
    i.mods.check(form.takes)?;
    if i.uses.iter().take(run).any(|u| !matches!(u.src, Src::Reg(_)) || u.mods != SrcMods::default()) {
        return Err("operand 0 is a run of registers, without modifiers".into());
    }
    form.sources.iter().zip(&i.uses[run..]).enumerate().try_for_each(|(k, (s, u))| check_source(s.kind, run + k, u))
}

/// Whether registers are as many as the row reads and writes.
///
/// # Errors
/// The error.
pub fn check_registers(
    i: &MInst<Valhall>,
    uses: &[Option<(FileId, u16)>],
    defs: &[(FileId, u16)],
) -> Result<(), String> {
    let op = match i.target_op() {
        Some(VOp::Op(op)) => op,
        Some(_) => return check_sizes("operand", uses, |_| Some(1)),
        None => return Ok(()),
    };
    let form = of(op);
    let run = usize::from(form.read_run.is_some());
    check_sizes("operand", uses, |k| match k.checked_sub(run) {
        None => run_words(op, &i.mods, true),
        // A part of a pair lies in its first register.
        Some(s) if form.sources[s].kind.wide && i.uses[k].mods.swizzle().is_none() => Some(2),
        Some(_) => Some(1),
    })?;
    let defs: SmallVec<[_; 1]> = defs.iter().copied().map(Some).collect();
    check_sizes("definition", &defs, |_| match form.definition {
        Some(Definition::Pair(_)) => Some(2),
        Some(Definition::Run(_)) => run_words(op, &i.mods, false),
        _ => Some(1),
    })
}

fn check_sizes(
    what: &str,
    found: &[Option<(FileId, u16)>],
    wants: impl Fn(usize) -> Option<u16>,
) -> Result<(), String> {
    for (k, &(_, units)) in found.iter().enumerate().filter_map(|(k, r)| Some((k, r.as_ref()?))) {
        if wants(k).is_some_and(|w| w != units) {
            return Err(format!("{what} {k} cannot be {units} of file r"));
        }
    }
    Ok(())
}
