//! An entry point as dense arrays, which the interpreter runs.

use crate::oob::OobAccess;
use crate::profile::Profile;
use gpucc_ir::{
    AtomicOp, Barrier, Block, Deriv, FloatCc, FloatModes, IntCc, IoSlot, Op, Reduce, ResourceKind, Scalar, Stage,
    StageInfo, Sysval, TexArg, TexDesc, Type, Variant,
};
use gpucc_sim::trace::{Reading, Written};
use gpucc_sim::trap::{Trap, unsupported};
use std::borrow::Cow;

/// An entry point, ready to run. Owns everything; the module is not needed any more.
#[derive(Clone, Debug)]
pub struct OracleProgram {
    pub(crate) name: String,
    pub(crate) stage: StageInfo,
    pub(crate) modes: FloatModes,
    /// Invocations of a compute entry's workgroup; one for other entries.
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) robust: bool,
    /// Workgroup memory begins as zeros.
    pub(crate) zeroes: bool,
    pub(crate) funcs: Vec<DFunc>,
    pub(crate) entry: usize,
    pub(crate) buffers: Vec<DBuffer>,
    pub(crate) textures: Vec<DTexture>,
    pub(crate) samplers: Vec<DSampler>,
    /// First row of each input of a vertex or fragment entry among those of a batch.
    pub(crate) input_rows: Vec<u32>,
    /// Rows of a batch that system values, inputs and targets take.
    pub(crate) rows: u32,
    /// Location of each target that is loaded, and the row of its first component.
    pub(crate) loaded: Vec<(u8, u32)>,
    /// (slot, components) of each output of such an entry.
    pub(crate) outputs: Vec<(u32, u32)>,
    /// System values that are read.
    pub(crate) sysvals: Vec<Sysval>,
    /// Buffers or images are written.
    pub(crate) writes_memory: bool,
    /// Memory is reached by addresses.
    pub(crate) addresses: bool,
    /// Workgroup memory: bytes with initialisers.
    pub(crate) shared: Vec<u8>,
    /// Parts of it that begin as they are here even where the module is not robust.
    pub(crate) shared_set: Vec<std::ops::Range<usize>>,
    /// Variables in it: first byte, bytes, name.
    pub(crate) variables: Vec<(u32, u32, String)>,
    /// Private memory of one lane.
    pub(crate) private: Vec<u8>,
    /// Bytes of function memory of one lane, all functions together.
    pub(crate) local_size: u32,
    /// Slots of one subgroup, all functions together; a slot holds one component for all lanes.
    pub(crate) slots: u32,
    /// (slot, bits) of constants.
    pub(crate) consts: Vec<(u32, u64)>,
    /// (slot, mask) of undefined values.
    pub(crate) undefs: Vec<(u32, u64)>,
    /// Whether some reachable function has a barrier that waits.
    pub(crate) barriers: bool,
    pub(crate) strict: bool,
    pub(crate) oob: OobAccess,
    /// Products in the offsets of accesses, where they are looked at.
    pub(crate) indices: Vec<Vec<Product>>,
    /// Whether an index is out of bounds whose offset comes inside again because it does not fit 32 bits.
    pub(crate) wide_indices: bool,
    /// The part of instructions that a check for races needs: number, kind, place, values. Buffers are numbered as here.
    pub(crate) marks: Vec<(u32, u16, u16, [u32; 3])>,
    /// Line and column of each instruction.
    pub(crate) lines: Vec<Option<(u32, u32)>>,
}

#[derive(Clone, Debug)]
pub(crate) struct DBuffer {
    pub name: String,
    pub group: u32,
    pub binding: u32,
    pub min_size: u32,
    pub runtime: bool,
}

impl DBuffer {
    /// Bytes that the program can name of a binding of this size.
    pub fn limit(&self, bytes: usize) -> usize {
        if self.runtime { bytes } else { bytes.min(self.min_size as usize) }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DFunc {
    pub blocks: Vec<DBlock>,
    pub insts: Vec<DInst>,
    pub edges: Vec<DEdge>,
    pub switches: Vec<DSwitch>,
    pub calls: Vec<DCall>,
    /// Parameter slots, in order.
    pub params: Vec<(u32, u32)>,
    /// Bytes of this function's variables in the lane's function memory.
    pub locals: (u32, u32),
    /// Text of instructions for traps, in the order of the function.
    pub texts: Vec<String>,
    /// Number of its first instruction among those of all functions.
    pub first: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct DBlock {
    pub block: Block,
    /// First instruction of the block in `DFunc::insts`.
    pub first: u32,
    pub last: u32,
    pub term: DTerm,
    /// Index in `DFunc::texts` of the terminator.
    pub text: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum DTerm {
    Jump(u32),
    Br {
        cond: u32,
        then: u32,
        other: u32,
    },
    Switch(u32),
    /// (slot, components) of each result.
    Ret(Vec<(u32, u32)>),
    Unreachable,
}

#[derive(Clone, Debug)]
pub(crate) struct DEdge {
    /// Position of the target in `DFunc::blocks`.
    pub block: u32,
    /// (from, to) slot by slot.
    pub copies: Vec<(u32, u32)>,
    /// Some `to` is a later `from`, so all must be read before one is written.
    pub overlap: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct DSwitch {
    pub sel: u32,
    /// Selector values and edges, sorted by value.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct DCall {
    pub func: usize,
    /// (slot, components) of each argument.
    pub args: Vec<(u32, u32)>,
    /// (slot, components) of each result.
    pub results: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DPlace {
    Buffer(u32),
    Shared {
        base: u32,
        size: u32,
    },
    Private {
        base: u32,
        size: u32,
    },
    Local {
        base: u32,
        size: u32,
    },
    /// The address in the slot of the dynamic offset, or with its high half in the next one.
    Address {
        halves: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DMem {
    pub place: DPlace,
    pub offset: u32,
    pub align: u32,
    pub in_bounds: bool,
    /// Whether all bytes of the buffer count, not those alone that the program can name.
    pub whole: bool,
    /// Slot of the dynamic offset.
    pub dynamic: Option<u32>,
    /// Number of its index among [`OracleProgram::indices`], where a product makes the offset.
    pub index: Option<u32>,
    pub ty: Type,
}

/// A product in an offset: slot of the index, and the factor.
pub(crate) type Product = (u32, u32);

#[derive(Clone, Debug)]
pub(crate) enum Extra {
    None,
    Int(IntCc),
    Float(FloatCc),
    Lane(u32),
    Lanes([u8; 4]),
    Mem(DMem),
    Atomic(AtomicOp, DMem),
    Init(DPlace, Box<[u8]>),
    Buffer(u32),
    Barrier(Barrier),
    Sysval(Sysval),
    /// First row among those of a batch.
    Row(u32),
    Deriv(Deriv),
    Reduce(Reduce),
    Tex(Box<DTex>),
    Call(u32),
    /// Type of the operand, where it differs from the result's.
    From(Type),
    /// Components of the condition.
    Cond(u32),
    /// Slots of composed operands.
    Parts([u32; 4]),
    /// (components of a, components of b)
    Dyn(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct DInst {
    pub op: Op,
    /// Lane kind that decides the meaning: of the first operand, or of the result where there is none.
    pub scalar: Scalar,
    /// Lane kind of the result.
    pub to: Scalar,
    /// Components of the result (or of the stored value).
    pub n: u32,
    pub dst: u32,
    pub args: [u32; 4],
    pub extra: Extra,
    /// Index of its text in `DFunc::texts`.
    pub text: u32,
    /// Whether the sign of a zero that it gives is free.
    pub nsz: bool,
    /// Whether a minimum or maximum may be the operand that is NaN.
    pub loose: bool,
}

/// A texture or image that a program names.
#[derive(Clone, Debug)]
pub(crate) struct DTexture {
    pub name: String,
    pub group: u32,
    pub binding: u32,
    pub count: u32,
    pub kind: ResourceKind,
    pub variant: Variant,
}

/// A sampler that a program names.
#[derive(Clone, Debug)]
pub(crate) struct DSampler {
    pub name: String,
    pub group: u32,
    pub binding: u32,
    pub count: u32,
    pub variant: Variant,
}

/// A texture instruction.
#[derive(Clone, Debug)]
pub(crate) struct DTex {
    /// Place of the texture in [`OracleProgram::textures`].
    pub texture: u32,
    /// Place of the sampler in [`OracleProgram::samplers`].
    pub sampler: Option<u32>,
    pub desc: TexDesc,
    /// Slots of the operands, by [`TexArg`].
    pub args: [u32; TexArg::ALL.len()],
    pub atomic: Option<AtomicOp>,
}

/// The slot of an operand or result that is not there.
pub(crate) const NO_SLOT: u32 = u32::MAX;

impl OracleProgram {
    /// Makes a read of bytes that were never written a trap. Otherwise it is a note in the report, and the value is
    /// garbage. What a WGSL program becomes initialises every variable, so tests of it ask for this.
    #[must_use]
    pub fn strict(self) -> OracleProgram {
        OracleProgram { strict: true, ..self }
    }

    /// Whether a seed draws the place of accesses out of bounds, one after the other.
    pub(crate) fn strays_by_seed(&self) -> bool {
        matches!(self.oob, OobAccess::Random(_))
    }

    /// Takes an index of a buffer for out of bounds if its offset does not fit 32 bits, although the bits that are left may name a
    /// place inside. Right for modules as the source has them: what bounds the index comes to another place than what bounds the
    /// offset.
    #[must_use]
    pub fn with_wide_indices(self) -> OracleProgram {
        OracleProgram { wide_indices: true, ..self }
    }

    /// Lanes of a subgroup under a profile: the size that the entry point asks for where the profile says none.
    ///
    /// # Errors
    /// No size makes as many subgroups as it asks for.
    pub(crate) fn lanes(&self, profile: &Profile) -> Result<u32, Trap> {
        let StageInfo::Compute { subgroups, .. } = self.stage else { return Ok(profile.lanes()) };
        let invocations = gpucc_ir::invocations(self.workgroup_size);
        let usual = profile.lanes();
        if profile.subgroup_size != 0 || subgroups.take(usual, invocations) {
            return Ok(usual);
        }
        let sizes = [subgroups.size.unwrap_or(1), 64, 32, 16, 8, 4, 2, 1, 128];
        sizes.into_iter().find(|&n| subgroups.take(n, invocations)).ok_or_else(|| {
            let said = "no size of subgroups makes as many of them as the entry point asks for";
            unsupported(format!("`{}`: {said}", self.name))
        })
    }

    /// The profile with what the entry point asks of its floats.
    pub(crate) fn under<'p>(&self, profile: &'p Profile) -> Cow<'p, Profile> {
        match self.modes {
            FloatModes::ANY => Cow::Borrowed(profile),
            modes => Cow::Owned(profile.under(modes)),
        }
    }

    /// Whether the size of subgroups shows: lanes ask each other, or their number and size are read.
    pub fn sees_subgroups(&self) -> bool {
        let sysval = |s: &Sysval| {
            use Sysval::{NumSubgroups, SubgroupId, SubgroupInvocationId, SubgroupSize};
            matches!(s, SubgroupSize | SubgroupInvocationId | SubgroupId | NumSubgroups)
        };
        self.funcs.iter().flat_map(|f| &f.insts).any(|i| match &i.extra {
            Extra::Sysval(s) => sysval(s),
            _ => matches!(i.op, Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce),
        })
    }

    /// Where accesses go that are out of bounds, if the module is robust.
    pub fn set_oob(&mut self, oob: OobAccess) {
        self.oob = oob;
    }

    /// The instruction of this number, the address in traps.
    pub(crate) fn text(&self, number: u64) -> String {
        let at = self.funcs.partition_point(|f| u64::from(f.first) <= number).checked_sub(1);
        let text = at.and_then(|at| {
            let f = &self.funcs[at];
            f.texts.get(number.checked_sub(f.first.into())? as usize)
        });
        text.cloned().unwrap_or_default()
    }

    /// The components of the result of an instruction with this number, from the slots that hold them.
    pub(crate) fn gave(&self, inst: &DInst, pc: u32, slot: impl Fn(u32) -> u64) -> Vec<Written> {
        if inst.dst == NO_SLOT || inst.op == Op::Store {
            return Vec::new();
        }
        let text = self.text(pc.into());
        let Some((name, _)) = text.split_once(" = ") else { return Vec::new() };
        let reading = match inst.to {
            Scalar::B1 => Reading::Bool,
            Scalar::F16 => Reading::Float(16),
            Scalar::F32 => Reading::Float(32),
            Scalar::F64 => Reading::Float(64),
            other => Reading::Int(other.bits()),
        };
        let part = |k: u32| if inst.n > 1 { [".x", ".y", ".z", ".w"][k as usize % 4] } else { "" };
        let one = |k: u32| Written { name: format!("{name}{}", part(k)), bits: slot(inst.dst + k), reading };
        (0..inst.n).map(one).collect()
    }

    /// Line and column in the source, both from 1, of the instruction at an address that a trap names.
    pub fn line_column(&self, pc: u64) -> Option<(u32, u32)> {
        *self.lines.get(usize::try_from(pc).ok()?)?
    }

    /// Name of the entry point.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stage of the entry point.
    pub fn stage(&self) -> Stage {
        self.stage.kind()
    }

    /// Invocations of a workgroup.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// (name, group, binding, least size) of the buffers that must be bound.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, u32, u32, u32)> {
        self.buffers.iter().map(|b| (b.name.as_str(), b.group, b.binding, b.min_size))
    }

    /// Inputs and outputs of the entry point; none in compute.
    pub(crate) fn slots(&self) -> (&[IoSlot], &[IoSlot]) {
        match &self.stage {
            StageInfo::Compute { .. } => (&[], &[]),
            StageInfo::Vertex(io) | StageInfo::Fragment { io, .. } => (&io.inputs, &io.outputs),
        }
    }
}
