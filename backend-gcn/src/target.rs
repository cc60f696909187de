//! GCN as the shared machine passes see it: scalar and vector registers, moves.
//!
//! No scalar value and no lane mask lives across blocks: uniform values that do are held in vector registers, where inactive
//! lanes keep theirs. So both files live along the logical graph, and `flow` can send the wave along another one. What a
//! program needs everywhere (descriptors, system values, masks of waiting lanes) sits in scalar registers outside the budget.

use gpucc_gcn_machine::Op;
use gpucc_mir::{
    BlockId, Cfg, Class, ClassInfo, CopyCx, Def, FileId, InstInfo, MInst, MoveCaps, Opcode, PReg, RegFile, Shape, Side,
    Target, UnitSet, Use,
};
use smallvec::SmallVec;

/// Scalar registers.
pub const FILE_S: FileId = 0;
/// Vector registers.
pub const FILE_V: FileId = 1;

/// One scalar register.
pub const S: Class = Class(0);
/// A lane mask: an aligned pair.
pub const MASK: Class = Class(1);
/// An aligned run of four scalar registers.
pub const S4: Class = Class(2);
/// One vector register.
pub const V: Class = Class(3);
/// Runs of vector registers.
pub const V2: Class = Class(4);
/// Three.
pub const V3: Class = Class(5);
/// Four.
pub const V4: Class = Class(6);

/// The class of a run of `n` vector registers.
pub fn run_class(n: usize) -> Class {
    [V, V2, V3, V4][n - 1]
}

static CLASSES: [ClassInfo; 7] = [
    ClassInfo { name: "s", file: FILE_S, shape: Shape::run(1) },
    ClassInfo { name: "mask", file: FILE_S, shape: Shape::aligned(2, 2) },
    ClassInfo { name: "s4", file: FILE_S, shape: Shape::aligned(4, 4) },
    ClassInfo { name: "v", file: FILE_V, shape: Shape::run(1) },
    ClassInfo { name: "v2", file: FILE_V, shape: Shape::run(2) },
    ClassInfo { name: "v3", file: FILE_V, shape: Shape::run(3) },
    ClassInfo { name: "v4", file: FILE_V, shape: Shape::run(4) },
];

/// Opcodes: those of the table, and what ends a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GOp {
    /// A row's operation.
    I(Op),
    /// Leaves the block as the plan says. Uses: nothing, a lane mask, or two scalars compared by the operation.
    Leave(Option<Op>),
    /// Copies of the lanes that are active.
    ExecMask,
}

/// Modifiers by slot name; names with `@` are ours.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mods(pub SmallVec<[(&'static str, u32); 3]>);

impl Mods {
    /// The value of a modifier, 0 when absent.
    pub fn get(&self, name: &str) -> u32 {
        self.0.iter().find(|m| m.0 == name).map_or(0, |m| m.1)
    }
}

/// Sign modifiers of a float source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SrcMods {
    /// Negated.
    pub neg: bool,
    /// Magnitude, before the sign.
    pub abs: bool,
}

/// The machine with its scalar budget.
pub struct Gcn {
    files: [RegFile; 2],
}

impl Gcn {
    /// Scalar registers `low..high` and `vectors` vector registers can be given out.
    pub fn new(low: u16, high: u16, vectors: u16) -> Gcn {
        let mut scalar = UnitSet::first(high);
        (0..low).for_each(|u| scalar.remove(u));
        Gcn {
            files: [
                RegFile::new("s", 104, Cfg::Logical).budget(scalar),
                RegFile::new("v", 256, Cfg::Logical).budget(UnitSet::first(vectors)),
            ],
        }
    }
}

impl Target for Gcn {
    type Op = GOp;
    type Mods = Mods;
    type SrcMods = SrcMods;

    fn files(&self) -> &[RegFile] {
        &self.files
    }

    fn classes(&self) -> &[ClassInfo] {
        &CLASSES
    }

    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        let mut info = InstInfo::pure(1);
        match inst.op {
            Opcode::Op(GOp::Leave(_)) => {
                info.terminator = true;
                info.side_effect = true;
            }
            Opcode::Op(GOp::I(op)) => {
                let name = op.name();
                let memory = ["buffer_", "ds_", "s_buffer_", "s_load_"].iter().any(|p| name.starts_with(p));
                if memory {
                    info.latency = 40;
                    info.reads = inst.mods.get("@readonly") == 0;
                    info.writes = !name.contains("load") && !name.contains("read");
                }
                if op == Op::SBarrier {
                    info.side_effect = true;
                    info.convergent = true;
                    info.reads = true;
                    info.writes = true;
                }
            }
            _ => {}
        }
        info
    }

    fn move_caps(&self, _file: FileId) -> MoveCaps {
        MoveCaps { widths: &[(1, 1)] }
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: Side<'_>) {
        let op = match (dst.file, src.file) {
            (FILE_S, FILE_S) => Op::SMovB32,
            (FILE_S, _) => Op::VReadfirstlaneB32,
            _ => Op::VMovB32,
        };
        for (&d, &s) in dst.units.iter().zip(src.units) {
            let to = Def::preg(PReg::new(dst.file, d, 1));
            cx.push(MInst::new(GOp::I(op)).def(to).arg(Use::preg(PReg::new(src.file, s, 1))));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: Side<'_>, b: Side<'_>) {
        let op = if a.file == FILE_S { Op::SXorB32 } else { Op::VXorB32 };
        for (&x, &y) in a.units.iter().zip(b.units) {
            let (x, y) = (PReg::new(a.file, x, 1), PReg::new(a.file, y, 1));
            for (d, s) in [(x, y), (y, x), (x, y)] {
                cx.push(MInst::new(GOp::I(op)).def(Def::preg(d)).arg(Use::preg(d)).arg(Use::preg(s)));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: &Use<Self>) {
        let op = if dst.file == FILE_S { Op::SMovB32 } else { Op::VMovB32 };
        for &d in dst.units {
            cx.push(MInst::new(GOp::I(op)).def(Def::preg(PReg::new(dst.file, d, 1))).arg(*src));
        }
    }

    fn jump(&self, to: BlockId) -> MInst<Self> {
        MInst::new(GOp::Leave(None)).arg(to)
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(GOp::Leave(None))
    }

    fn op_name(&self, op: GOp) -> String {
        match op {
            GOp::I(op) => op.name().to_string(),
            GOp::Leave(Some(op)) => format!("leave {}", op.name()),
            GOp::Leave(None) => "leave".into(),
            GOp::ExecMask => "exec".into(),
        }
    }
}
