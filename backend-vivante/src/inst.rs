//! Machine code of Vivante before encoding: registers and their classes, opcodes, modifiers, and the register files of the allocator.
//! Queries of the shared passes are in `target`.

use gpucc_mir::{Class, ClassInfo, MFunc, MInst, PReg, SpillSlot, Src, Use, VReg};
use gpucc_regalloc::{Cfg, FileId, RegFile, Shape, UnitSet};
use gpucc_vivante_machine as machine;
use machine::{Cond, Op, Round, Type};

/// An opcode of the machine's table, the end of the program, or an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VOp {
    /// A row.
    M(Op),
    /// The thread ends.
    End,
    /// No access to memory passes it. Nothing is left of it in machine code.
    Fence,
}

gpucc_mir::modifiers! {
    /// Modifiers of an instruction; sources are in the order of the row's source slots.
    pub struct Mods of Vivante {
        /// Operand type.
        ty: Type = Type::F32 => Ty,
        /// Condition.
        cond: Cond = Cond::Always => If,
        /// Saturate.
        sat: bool = false => Sat,
        /// Rounding mode.
        round: Round = Round::Default => Rounding,
        /// Left shift of a memory offset.
        shift: u8 = 0 => Shift,
        /// LOCAL storage.
        local: bool = false => Local,
        /// Components that a store writes.
        lanes: u8 = 0 => Lanes,
        /// Texture unit.
        unit: u8 = 0 => Unit,
        /// The unit is indexed by the address register that is the last operand.
        unit_indexed: bool = false => UnitIndexed,
        /// Component of the texel that each component of the result is.
        texel: [u8; 4] = [0, 1, 2, 3] => Texel,
        /// Optional sources that are left out, a bit each.
        absent: u8 = 0 => Absent,
        /// The destination is indexed by the address register that is the last operand.
        indexed: bool = false => Indexed,
        /// Memory of the invocation itself, which helpers of fragments change too.
        own: bool = false => Own,
    }
}

/// Modifiers of a source: component `i` of the operation reads component `swz[i]` of the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SrcMods {
    /// Component of the value that each component reads.
    pub swz: [u8; 4],
    /// Absolute value, before the negation.
    pub abs: bool,
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Indexed by the address register that is the last operand.
    pub indexed: bool,
}

impl SrcMods {
    /// These components, without signs.
    pub const fn swizzle(swz: [u8; 4]) -> SrcMods {
        SrcMods { swz, abs: false, neg: false, indexed: false }
    }
    /// One component in every lane.
    pub const fn broadcast(c: u8) -> SrcMods {
        SrcMods::swizzle([c; 4])
    }
    /// Component `k` of those read, in every lane.
    #[must_use]
    pub const fn lane(self, k: usize) -> SrcMods {
        SrcMods { swz: [self.swz[k]; 4], ..self }
    }
    /// The same modifiers with the opposite sign.
    #[must_use]
    pub const fn negated(self) -> SrcMods {
        SrcMods { neg: !self.neg, ..self }
    }
    /// Whether all lanes read one component.
    pub fn is_broadcast(&self) -> bool {
        self.swz == [self.swz[0]; 4]
    }
    /// Whether the value is read as it is: without signs, from where it says.
    pub const fn is_plain(&self) -> bool {
        !(self.abs || self.neg || self.indexed)
    }
}

impl Default for SrcMods {
    fn default() -> Self {
        SrcMods::swizzle([0, 1, 2, 3])
    }
}

gpucc_mir::fields!(SrcMods { swz, abs, neg, indexed });

/// The target; one for each generation.
pub struct Vivante {
    /// Generation index of the machine crate.
    pub generation: u8,
    /// Where spilled registers begin in the scratch of an invocation, if there is a base to reach it.
    pub spill_at: Option<u32>,
    /// Registers that are used before that base is known.
    pub(crate) kept: Vec<VReg>,
    /// Whether stores are those of fragments, whose helpers are to be left out.
    pub skips_helpers: bool,
    /// First temporary that the allocator leaves to indexed variables; 64 without them.
    pub array_row: u16,
    pub(crate) files: [RegFile; 3],
    pub(crate) classes: Vec<ClassInfo>,
}

/// The register that holds the base of an invocation's scratch where registers are spilled.
pub const SPILL_BASE: PReg = PReg::new(FILE, 255, 1);

/// Bytes of a spilled component.
const WORD: u32 = 4;

/// Class of `n` components anywhere in one register.
pub const fn row(n: u32) -> Class {
    Class(n as u8 - 1)
}

/// Components of a register of temporaries.
pub const fn components(c: Class) -> u32 {
    (c.0 & 3) as u32 + 1
}

/// Class of a component of the address register.
pub const ADDRESS: Class = Class(8);

/// Class of `n` neighbouring components of one register: what LOAD writes.
pub const fn run(n: u32) -> Class {
    Class(n as u8 + 3)
}

/// Class of `n` components from x of a register on: what hardware takes as a program ends.
pub const fn from_x(n: u32) -> Class {
    Class(n as u8 + 11)
}

impl Vivante {
    /// The target of a generation, with some temporaries for indexed variables.
    pub fn new(generation: u8, array_rows: u32) -> Vivante {
        let class = |name, shape| ClassInfo { name, file: 0, shape };
        let array_row = 64 - array_rows.min(63) as u16;
        let budget = UnitSet::first(array_row * 4);
        Vivante {
            generation,
            spill_at: None,
            kept: Vec::new(),
            skips_helpers: false,
            array_row,
            files: [
                RegFile::new("t", 256, Cfg::Logical).rows(4).budget(budget),
                RegFile::new("a", 4, Cfg::Logical).rows(4),
                RegFile::new("i", 4, Cfg::Logical).rows(4).budget(UnitSet::first(0)),
            ],
            classes: vec![
                class("v1", Shape::row(1)),
                class("v2", Shape::row(2)),
                class("v3", Shape::row(3)),
                class("v4", Shape::row(4)),
                class("r1", Shape::row(1)),
                class("r2", Shape::run(2)),
                class("r3", Shape::run(3)),
                class("r4", Shape::row(4)),
                ClassInfo { name: "a", file: ADDRESSES, shape: Shape::row(1) },
                class("", Shape::row(1)),
                class("", Shape::row(1)),
                class("", Shape::row(1)),
                class("x1", Shape::aligned(1, 4)),
                class("x2", Shape::aligned(2, 4)),
                class("x3", Shape::aligned(3, 4)),
                class("x4", Shape::row(4)),
            ],
        }
    }

    /// The target of a fragment program: t0 is what it is.
    #[must_use]
    pub fn of_fragments(mut self) -> Vivante {
        let mut budget = UnitSet::first(0);
        for unit in 4..self.array_row * 4 {
            budget.insert(unit);
        }
        self.files[0].budget = budget;
        self.skips_helpers = true;
        self
    }

    /// The target of a generation whose spilled registers go to scratch from `at`; gives the function the base for it.
    ///
    /// Values that the entry computes before the base is known cannot be spilled, so those values live on under new names.
    pub fn spilling(generation: u8, at: u32, fragment: bool, mf: &mut MFunc<Vivante>) -> Vivante {
        let mut t = Vivante::new(generation, 0);
        if fragment {
            t = t.of_fragments();
        }
        t.files[0].budget.remove(255);
        let is_base = |i: &MInst<Vivante>| i.defs.first().and_then(|d| d.phys()) == Some(SPILL_BASE);
        // In draws a loop takes the memory first.
        let found = (0..).zip(&mf.code).find_map(|(b, insts)| Some((b, insts.iter().position(is_base)?)));
        let Some((in_block, at_base)): Option<(usize, usize)> = found else { return t };
        t.spill_at = Some(at);
        let before = mf.code[..in_block].iter().flatten().chain(&mf.code[in_block][..=at_base]);
        t.kept = before.flat_map(MInst::vreg_defs).collect();
        t.kept.extend(mf.blocks[..=in_block].iter().flat_map(|b| b.params.iter().copied()));
        let mut new: Vec<Option<VReg>> = vec![None; mf.classes.len()];
        let classes = &mut mf.classes;
        let mut rename = |v: VReg| -> VReg {
            if t.kept.contains(&v) {
                return *new[v.0 as usize].get_or_insert_with(|| {
                    classes.push(classes[v.0 as usize]);
                    VReg(classes.len() as u32 - 1)
                });
            }
            v
        };
        for (b, (block, insts)) in mf.blocks.iter_mut().zip(&mut mf.code).enumerate().skip(in_block) {
            let from = if b == in_block { at_base + 1 } else { 0 };
            for u in insts[from..].iter_mut().flat_map(|i| &mut i.uses) {
                if let Some(v) = u.vreg() {
                    u.src = Src::Reg(gpucc_mir::Reg::V(rename(v)));
                }
            }
            for a in block.succs.iter_mut().flat_map(|e| &mut e.args) {
                *a = rename(*a);
            }
        }
        let copies = new.iter().enumerate().filter_map(|(v, n)| n.map(|n| MInst::copy(n, VReg(v as u32))));
        let copies: Vec<MInst<Vivante>> = copies.collect();
        mf.code[in_block].splice(at_base + 1..at_base + 1, copies);
        t
    }

    pub(crate) fn spill_operands(&self, slot: SpillSlot) -> [Use<Vivante>; 2] {
        [Use::preg(SPILL_BASE), Use::imm(self.spill_at.unwrap_or(0) + WORD * slot.word)]
    }

    /// Whether these bits can be an immediate.
    pub fn immediate(&self, bits: u32) -> bool {
        self.generation != machine::GC2000 && machine::operand::imm_bits(bits).is_some()
    }

    /// Whether a register belongs to indexed variables.
    pub fn in_arrays(&self, p: gpucc_mir::PReg) -> bool {
        p.file == FILE && p.place.row(4) >= self.array_row
    }

    /// Whether an instruction reads and writes indexed variables.
    pub fn touches_arrays(&self, i: &MInst<Vivante>) -> (bool, bool) {
        let read = i.uses.iter().filter_map(Use::phys).any(|p| self.in_arrays(p));
        let written = i.defs.iter().filter_map(|d| d.phys()).any(|p| self.in_arrays(p));
        (read, written)
    }

    /// Whether the chip computes this lane by lane and not once for all lanes.
    pub fn is_vector(&self, op: Op, ty: Type) -> bool {
        !op.is_scalar(ty, self.generation)
    }
}

/// The file of temporaries.
pub const FILE: FileId = 0;

/// The file of the internal register of fragment programs, which nothing is given.
pub const INTERNAL: FileId = 2;

/// The file of the address register.
pub const ADDRESSES: FileId = 1;
