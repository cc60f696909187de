//! The machine as the shared passes see it, its modifiers and its builders.

use gpucc_isa::{Role, Row};
use gpucc_mir::{
    BlockId, Cfg, Class, ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, PReg, RegFile, Shape, Src, Target, Use,
};

use super::table::{OPS, Op, ROWS, Set};

/// The target.
pub struct Tiny {
    files: [RegFile; 1],
    classes: [ClassInfo; 1],
}

/// One register.
pub const R: Class = Class(0);

impl Tiny {
    pub fn new() -> Tiny {
        Tiny {
            files: [RegFile::new("r", 16, Cfg::Logical)],
            classes: [ClassInfo { name: "r", file: 0, shape: Shape::run(1) }],
        }
    }
}

gpucc_mir::modifiers! {
    /// Modifiers of an instruction.
    pub struct Mods of Tiny {
        /// Index of the buffer, or of the descriptor of a texture.
        buffer: u8 = 0 => Buffer,
    }
}

const fn row(op: Op) -> &'static Row<Set> {
    &ROWS[op as usize]
}

/// Registers that are read, the immediate, and where a branch goes.
const fn sources(op: Op) -> usize {
    row(op).operands.len() - row(op).count(Role::Def) - row(op).count(Role::Mod)
}

/// The buffer has no silent value.
const fn mods(op: Op) -> u64 {
    let (mut set, mut k) = (0, 0);
    while k < row(op).operands.len() {
        set |= Mods::bit(row(op).operands[k].name);
        k += 1;
    }
    set
}

const fn op(op: Op) -> Op {
    op
}

/// Builders of the rows.
pub mod build {
    use super::*;

    gpucc_mir::builders! { Tiny, op, Op, sources, mods, mods;
    Li, Mov, Add, Sub, Mul, And, Or, Xor, Shl, Shr, Lt, Eq, Sel, Id, Ld, St, Br, Jmp, End, In, Out, FMul, Tex }
}

fn unit(u: u16) -> PReg {
    PReg::new(0, u, 1)
}

impl Target for Tiny {
    type Op = Op;
    type Mods = Mods;
    type SrcMods = ();
    type Uses = [Use<Self>; 4];

    fn files(&self) -> &[RegFile] {
        &self.files
    }

    fn classes(&self) -> &[ClassInfo] {
        &self.classes
    }

    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        inst.target_op().map_or(InstInfo::pure(1), |op| InstInfo::of(row(op).effects.at(1 + inst.mods.buffer as u16)))
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        for (&d, &s) in dst.units.iter().zip(src.units) {
            cx.push(build::Mov.on([Use::preg(unit(s))]).def(Def::preg(unit(d))));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        for (&x, &y) in a.units.iter().zip(b.units) {
            for (d, s) in [(x, y), (y, x), (x, y)] {
                cx.push(build::Xor.on([Use::preg(unit(d)), Use::preg(unit(s))]).def(Def::preg(unit(d))));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        for &d in dst.units {
            cx.push(build::Li.on([*src]).def(Def::preg(unit(d))));
        }
    }

    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(Op::Li)
    }

    fn jump(&self, to: BlockId) -> MInst<Self> {
        build::Jmp.on([to.into()])
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(Op::Jmp)
    }

    fn ops(&self) -> Vec<Op> {
        OPS.to_vec()
    }

    fn check(&self, inst: &MInst<Self>) -> Result<(), String> {
        let Some(op) = inst.target_op() else { return Ok(()) };
        let labels = inst.uses.iter().filter(|u| matches!(u.src, Src::Label(_))).count();
        let fits = inst.uses.len() == sources(op) && inst.defs.len() == row(op).count(Role::Def) && labels <= 1;
        fits.then_some(()).ok_or_else(|| format!("{op:?} has other operands"))
    }
}
