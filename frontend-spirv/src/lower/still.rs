//! Whether a large aggregate that was loaded can stay in its variable: nothing writes the variable while the value is used.
//!
//! ```text
//! %s = OpLoad %T %t ; %e = OpCompositeExtract %u32 %s 3                    %s is read in %t
//! %s = OpLoad %T %t ; OpStore %t %u ; %e = OpCompositeExtract %u32 %s 3    %s is a copy
//! ```
//!
//! Only variables of a function are looked at, and only values whose uses all stand in the block of the load.

use super::func::FuncCx;
use crate::module::Inst;
use crate::types::Ty;
use gpucc_frontend_common::Memory;
use rspirv::spirv::{Op, StorageClass};

/// Instructions that one question looks at; behind that the answer is no. Keeps the sum of all questions linear.
const REACH: usize = 256;

/// Access chains behind one another that are followed to a variable.
const CHAIN: usize = 64;

impl FuncCx<'_, '_> {
    /// The variable of a function that a pointer points into.
    fn function_variable(&self, mut pointer: u32) -> Option<u32> {
        for _ in 0..CHAIN {
            let inst = &self.m.m.insts[self.m.m.def(pointer)?];
            let operands = self.m.m.operands(inst);
            pointer = match inst.op {
                Op::AccessChain | Op::InBoundsAccessChain => *operands.first()?,
                Op::Variable => {
                    return (operands.first() == Some(&(StorageClass::Function as u32))).then_some(pointer);
                }
                _ => return None,
            };
        }
        None
    }

    fn is_long_type(&self, ty: u32) -> bool {
        self.m.types.find(ty).is_none_or(|ty: Ty| self.is_long(ty))
    }

    /// Whether what the instruction `at` loads can be read where it lies.
    pub fn is_still(&self, at: usize, load: &Inst) -> bool {
        let m = self.m.m;
        let Some(variable) = m.operands(load).first().and_then(|&pointer| self.function_variable(pointer)) else {
            return false;
        };
        // A count of 255 stands for more.
        let Some(mut left) = Some(usize::from(m.uses(load.id))).filter(|&n| n < 255) else { return false };
        let mut written = false;
        for next in m.insts[at + 1..].iter().take(REACH) {
            if left == 0 {
                return true;
            }
            if next.op == Op::Label {
                return false;
            }
            let ids = m.ids(next);
            let uses = ids.iter().filter(|&&id| id == load.id).count();
            left = left.saturating_sub(uses);
            let writes = match next.op {
                Op::Load | Op::AccessChain | Op::InBoundsAccessChain => false,
                Op::Store => ids.first().is_some_and(|&to| self.function_variable(to) == Some(variable)),
                _ => ids.iter().any(|&id| self.function_variable(id) == Some(variable)),
            };
            if uses > 0 {
                let is_read_at_once = match next.op {
                    Op::Store | Op::ReturnValue | Op::CompositeConstruct => true,
                    // A large part would stay in the variable, too, and be used later.
                    Op::CompositeExtract => !self.is_long_type(next.ty),
                    Op::FunctionCall => !self.is_long_type(next.ty) && !writes,
                    _ => false,
                };
                if written || !is_read_at_once {
                    return false;
                }
            }
            written |= writes;
        }
        left == 0
    }
}
