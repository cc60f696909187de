//! Who uses a value.

use crate::entity::SecondaryMap;
use crate::function::Function;
use crate::inst::{Attr, Block, Inst, Value};
use crate::lists::CsrLists;
use crate::ops::Op;

/// A use: an instruction of a block reads the value as operand or edge argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// Block in which the user stands.
    pub block: Block,
    /// Instruction that has the value as an operand.
    pub inst: Inst,
}

/// The uses of every value, one entry per operand, in layout order.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    uses: CsrLists<Value, Use>,
}

impl Uses {
    /// Collects the uses of all values.
    pub fn new(f: &Function) -> Uses {
        let mut pairs = Vec::with_capacity(2 * f.insts.len());
        for &block in &f.layout {
            for &inst in &f.blocks[block].insts {
                f.insts[inst].for_each_use(|v| pairs.push((v, Use { block, inst })));
            }
        }
        Uses { uses: CsrLists::within(f.values.len(), &pairs) }
    }
    /// The uses of a value.
    pub fn of(&self, v: Value) -> &[Use] {
        &self.uses[v]
    }
    /// How often a value is used.
    pub fn count(&self, v: Value) -> usize {
        self.uses[v].len()
    }
}

/// Lanes of each value that are read, a bit each: those that are extracted, all four where it is used otherwise.
#[derive(Clone, Debug, Default)]
pub struct LanesRead {
    read: SecondaryMap<Value, u8>,
}

impl LanesRead {
    /// Looks at all uses.
    pub fn new(f: &Function) -> LanesRead {
        let mut read: SecondaryMap<Value, u8> = SecondaryMap::new();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            match (d.op, &d.attr) {
                (Op::Extract, Attr::Lane(k)) => read[d.args[0]] |= 1 << k,
                _ => d.for_each_use(|v| read[v] = 15),
            }
        }
        LanesRead { read }
    }

    /// The lanes of a value.
    pub fn of(&self, v: Value) -> u8 {
        self.read[v]
    }
}
