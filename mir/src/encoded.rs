//! Encoded code: blocks of instructions in the form in which the family's table has them, for the passes between encoding and
//! bytes. Branches name blocks; their distances are found last.
//!
//! Its text is for people: each instruction as the family's listings show it, with a block where the target of a branch would
//! stand, in braces what the family knows besides, and the location as in the text of machine code.
//!
//! ```text
//! encoded main {
//! b0 runs 4 -> b1, b2:
//!   s_load_dword s4, s[0:1], 0x0 @7.access
//!   s_cbranch_scc1 b2
//! b1 -> b2:
//! }
//! ```

use core::fmt::{Display, Write};

use gpucc_ir::Loc;
use gpucc_isa::{Inst, Isa, Packed, Role, TextCx};
use smallvec::SmallVec;

use crate::inst::BlockId;
use crate::print::print_loc;

/// Registers as `(first, count)`, by numbers of the family that tell its files apart.
pub type Ranges = SmallVec<[(u32, u32); 3]>;

/// Whether two lists of registers have one in common.
pub fn overlap(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.0 < y.0 + y.1 && y.0 < x.0 + x.1))
}

/// The family's facts about an encoded instruction. Its text is empty where the instruction's own says all.
pub trait Payload<I: Isa>: Clone + Display {
    /// Whether a program ends where its last block does.
    const ENDS: bool = false;

    /// The facts about any such instruction.
    fn of(inst: &Inst<I>) -> Self;

    /// Whether control may continue behind an instruction.
    fn falls(inst: &Packed<I>) -> bool;

    /// The same of an instruction of which this is known, where the word alone does not tell.
    fn goes_on(&self, inst: &Packed<I>) -> bool {
        Self::falls(inst)
    }
}

/// An encoded instruction, with what later passes ask of it.
#[derive(Clone)]
pub struct EncodedInst<I: Isa, X> {
    /// The instruction in packed form.
    pub inst: Packed<I>,
    /// Registers that it reads.
    pub reads: Ranges,
    /// Registers that it writes.
    pub writes: Ranges,
    /// The block that it branches to.
    pub label: Option<BlockId>,
    /// Where it comes from.
    pub loc: Loc,
    /// The family's other facts.
    pub facts: X,
}

impl<I: Isa, X: Payload<I>> EncodedInst<I, X> {
    /// An instruction that branches nowhere and comes from no place.
    pub fn new(inst: Inst<I>, reads: Ranges, writes: Ranges) -> Self {
        EncodedInst { facts: X::of(&inst), inst: inst.into(), reads, writes, label: None, loc: Loc::UNKNOWN }
    }

    /// The instruction as listings show it, with its block in place of a distance.
    pub fn text(&self, cx: &TextCx) -> String {
        let mut s = String::new();
        I::print(&self.inst.unpack(), cx, &mut s);
        if let Some(to) = self.label {
            s.truncate(s.rfind([' ', '\t', ',']).map_or(s.len(), |at| at + 1));
            let _ = write!(s, "{to:?}");
        }
        s
    }

    /// Whether it keeps to the rules of [`EncodedFunc::verify`] by itself.
    fn check(&self, cx: &TextCx) -> Result<(), String> {
        let names = self.inst.row().operands.iter().any(|s| s.role == Role::Label);
        match self.label {
            Some(_) if !names => return Err("has a block but no place for it".into()),
            None if names => return Err("branches to no block".into()),
            _ => {}
        }
        if self.inst.encode(cx.generation).is_none() {
            return Err("has no encoding here".into());
        }
        I::table().validate(&self.inst.unpack(), cx)
    }
}

/// A block of encoded code.
#[derive(Clone)]
pub struct EncodedBlock<I: Isa, X> {
    /// Its instructions in the order of the code.
    pub insts: Vec<EncodedInst<I, X>>,
    /// Where control continues: the targets of its branches, and the next block if its end is reached.
    pub succs: SmallVec<[BlockId; 2]>,
    /// How often it runs, as [`MBlock::runs`](crate::MBlock).
    pub runs: u64,
}

/// A function in encoded form.
#[derive(Clone)]
pub struct EncodedFunc<I: Isa, X> {
    /// Name of the function, for dumps.
    pub name: String,
    /// Blocks, in the order of the code.
    pub blocks: Vec<EncodedBlock<I, X>>,
}

impl<I: Isa, X: Payload<I>> EncodedFunc<I, X> {
    /// Numbers of the blocks where control continues behind block `b`.
    pub fn succs(&self, b: usize) -> impl Iterator<Item = usize> {
        self.blocks[b].succs.iter().map(|s| s.0 as usize)
    }

    /// Where each block begins, and behind them the size of the code, in the units in which `size` gives that of an instruction. For
    /// targets whose branches reach whatever they allow; others call [`place`](crate::place()).
    pub fn starts(&self, size: impl Fn(&Packed<I>) -> u32) -> Vec<u32> {
        let ends = self.blocks.iter().scan(0u32, |at, b| {
            *at = b.insts.iter().fold(*at, |at, i| at.saturating_add(size(&i.inst)));
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// The whole function as text.
    pub fn print(&self, cx: &TextCx) -> String {
        let mut s = format!("encoded {} {{\n", self.name);
        for (b, block) in self.blocks.iter().enumerate() {
            let _ = write!(s, "b{b}");
            if block.runs > 1 {
                let _ = write!(s, " runs {}", block.runs);
            }
            for (k, to) in block.succs.iter().enumerate() {
                let _ = write!(s, "{}{to:?}", if k == 0 { " -> " } else { ", " });
            }
            s.push_str(":\n");
            for i in &block.insts {
                let _ = write!(s, "  {}", i.text(cx));
                let facts = i.facts.to_string();
                if !facts.is_empty() {
                    let _ = write!(s, " {{{facts}}}");
                }
                print_loc(i.loc, &mut s);
                s.push('\n');
            }
        }
        s.push_str("}\n");
        s
    }

    /// Checks the rules of encoded code:
    /// - each instruction encodes and keeps to the rules of its table;
    /// - a branch has a block, and nothing else has one; the block exists and is a successor;
    /// - behind what control does not continue there is nothing in a block; where it reaches the end of one, the next exists and is a
    ///   successor, but for the last where [`Payload::ENDS`].
    ///
    /// # Errors
    /// The first broken rule, with block and instruction.
    pub fn verify(&self, cx: &TextCx) -> Result<(), String> {
        for (b, block) in self.blocks.iter().enumerate() {
            if let Some(to) = block.succs.iter().find(|s| s.0 as usize >= self.blocks.len()) {
                return Err(format!("b{b}: {to:?} does not exist"));
            }
            let mut falls = true;
            for i in &block.insts {
                let at = |e: String| Err(format!("b{b}: `{}`: {e}", i.text(cx)));
                if !falls {
                    return at("control does not get here".into());
                }
                falls = i.facts.goes_on(&i.inst);
                if let Err(e) = i.check(cx) {
                    return at(e);
                }
                if let Some(to) = i.label.filter(|to| !block.succs.contains(to)) {
                    return at(format!("{to:?} is not a successor"));
                }
            }
            let ends = X::ENDS && b + 1 == self.blocks.len();
            if falls && !ends && self.succs(b).all(|s| s != b + 1) {
                return Err(format!("b{b}: control falls through to b{}, which is not a successor", b + 1));
            }
        }
        Ok(())
    }
}
